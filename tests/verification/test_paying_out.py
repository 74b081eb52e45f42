"""Statics of random lines on random beds. If load steps fail, lines are pulled taut and paid out to their length.

Source: closed form of H. M. Irvine, Cable Structures (1981), section 2.4.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of
from windlass.solvers.static import PAID_OUT, Static, StepsFailed

from support.random_lines import create_line
from support.slack_lines import SHAPES, build_chain, eval_tensions, lay, list_tensions

PAID = (35, 53, 95, 109, 111)
"""Seeds of lines that load steps and form-finding do not solve."""
FOLDING = (150, 182)
"""Seeds of lines without friction that have no equilibrium without folds."""
SLACK = 365
"""Seed of a line without friction that is longer than the distance along its slope and up to its end."""
ALWAYS, LONG = (*range(16), 43, 54), 100
"""Seeds of lines in all test runs, and number of lines in long test runs. The solve of line 43 begins with a residual
that is 10⁸ times the residual at the end, and in line 54 friction of contacts that close is lost at the end of the load
step.
"""


def check(seed: int) -> list[str]:
    """Solve a line, and check that the result is a stable equilibrium in which open points have no force, and friction
    is at most the coefficient of friction times the normal force. Return the notes of the verdict.
    """
    model = create_line(seed)
    solver = wl.Static(model.world, name="")
    state = solver.solve()
    assert not any("contacts and forces do not agree" in words for words in solver.verdict.reasons)
    gap, normal, friction = (
        np.asarray(wl.eval_output(model.contacts, name, state)) for name in ("gap", "normal_force", "friction_force")
    )
    pressed = np.abs(normal)
    assert (pressed[gap > 0.0] == 0.0).all()
    size = np.linalg.norm(friction, axis=-1) if friction.ndim > normal.ndim else np.abs(friction)
    assert (size <= model.friction * pressed * (1.0 + 1e-6) + 1e-6 * model.weight).all()
    # a new solve from the equilibrium finds that the equilibrium is stable, and does not move the line
    again = wl.Static(model.world, name="", stability="check", decide_at_start=False).solve(state)
    assert_allclose(again.q, state.q, rtol=0, atol=1e-4 * np.abs(state.q).max())
    return solver.verdict.notes


@pytest.mark.parametrize("seed", PAID)
def test_lines_that_are_paid_out(seed: int) -> None:
    """Lines for which load steps and form-finding fail are paid out to a stable equilibrium."""
    assert PAID_OUT in check(seed)


@pytest.mark.parametrize("seed", [pytest.param(k, marks=() if k in ALWAYS else pytest.mark.long) for k in range(LONG)])
def test_random_lines(seed: int) -> None:
    """Statics finds a stable equilibrium of random lines on planes, polylines and waves."""
    check(seed)


@pytest.mark.parametrize("seed", FOLDING)
def test_lines_without_equilibrium(seed: int) -> None:
    """A line without friction that lies on a slope above its anchor has no stable equilibrium if its tension where it
    leaves the bed is less than the weight per length times the height above the anchor. Along the bed, the tension
    decreases by this amount, so the line would be under compression. The error states this compression.
    """
    model = create_line(seed)
    solver = wl.Static(model.world, name="")
    with pytest.raises(wl.NotConverged, match="lines that bend freely are compressed by up to") as found:
        solver.solve()
    stated = re.search(r"compressed by up to (\S+) N", str(found.value))
    state = found.value.state
    assert stated and state is not None
    length = model.line.table.collect("length", model.line.rows)
    force = np.ravel(wl.eval_output(model.line, "axial_force", state, x=0.5 * length[0]))
    height = wl.eval_output(model.line, "position", state, x=0.5 * length[0])[:, 2]
    gap = np.asarray(wl.eval_output(model.contacts, "gap", state)).min(axis=-1).reshape(-1, len(model.line)).min(axis=0)
    lying = int(np.argmax(gap > 0.0)) - 2
    weight = model.weight / length.sum()
    assert model.friction == 0.0 and lying > 5
    drop = weight * (height[lying] - height[:lying])
    assert_allclose(force[:lying], force[lying] - drop, rtol=0, atol=5e-3 * drop[0])
    assert force[lying] < drop[0]
    assert_allclose(float(stated[1]), -force.min(), rtol=0.01)


def test_line_that_is_too_long() -> None:
    """A line without friction has no equilibrium without folds if it is longer than the distance along a slope to the
    point below its end, plus the vertical distance to its end. The error names the cable in which the line turns back.
    """
    model = create_line(SLACK)
    line, nodes = model.line, nodes_of(model.world, model.line)
    axis = model.world.tables[con.PlaneSurface].collect("axis")[0]
    x, y, z = nodes.table.collect("position", nodes.rows)[-1]
    below = -(axis[0] * x + axis[1] * y) / axis[2]
    longest = np.sqrt(x * x + y * y + below**2) + z - below
    length = line.table.collect("length", line.rows).sum()
    assert model.friction == 0.0 and length > longest > length - 20.0
    with pytest.raises(wl.NotConverged, match="is turned inside out"):
        wl.Static(model.world, name="").solve()


@pytest.mark.parametrize("shape", SHAPES[2:5])
@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_tension_after_paying_out(shape: str, mu: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the test makes the first load step fail, the tensions of a chain on a slope agree with the closed form without
    friction. With friction, the tensions also agree, because lines are paid out without friction.
    """
    attempt = Static._attempt

    def fail_first(self: Static, *args: Any, **named: Any) -> Any:
        if self._payable:
            raise StepsFailed
        return attempt(self, *args, **named)

    monkeypatch.setattr(Static, "_attempt", fail_first)
    friction = {"friction_coefficient": mu, "friction_stiffness_per_length": 1e5} if mu else {}
    world, line = build_chain(lay(shape), 40, **friction)
    solver = wl.Static(world, name="")
    state = solver.solve()
    assert PAID_OUT in solver.verdict.notes
    assert_allclose(list_tensions(line, 40, state), eval_tensions(), rtol=5e-4)
