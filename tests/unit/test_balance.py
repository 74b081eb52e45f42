"""If the repeated solve that checks the balance of a static equilibrium fails, the equilibrium does not change. After a
restart, the verdict on the balance is equal to the verdict of the original run.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint
from windlass.framework.model.world import World
from windlass.framework.state.state import local_state
from windlass.solvers import static
from windlass.solvers.equilibrium.balance import balance
from windlass.solvers.equilibrium.stability import Finding
from windlass.solvers.stepping.discontinuous import StepAttempt


def create_springs() -> World:
    """Create a mass on two springs of 10 N/m, pulled by 3 and 5 N."""
    world = World()
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    for axis, force in (("x", 3.0), ("y", 5.0)):
        marker = con.coordinate_marker(world, mass, axis)
        world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=10.0)
        world.add(con.CoordinateLoad, marker=marker, value=force)
    return world


def test_equilibrium_stays_where_solving_again_fails() -> None:
    solver = wl.Static(create_springs(), name="", stability="off")
    state = local_state(solver.assembly, solver.solve())
    problem, attempt, calls = solver.problem, StepAttempt(converged=True, force=1e-20), list[int]()
    settings = replace(solver.passes, atol=0.0)
    # the residual is large compared with this small contact force
    problem.unknowns.array[0] += 1e-12

    def fail() -> None:
        calls.append(1)
        assert solver.newton.solve(replace(problem.scheme, q0=np.ones(len(state.q)), load_factor=0.5)).converged

    assert balance(problem, attempt, settings, fail) > 0.05
    assert calls == [1] and problem.scheme.load_factor == 1.0
    problem.expand_unknowns(problem.unknowns)
    np.testing.assert_allclose(solver.assembly.fields.x[:2], (0.3, 0.5), rtol=1e-9)
    # a residual within the tolerance is not doubtful; with ``fail=False`` the solve is not repeated
    assert balance(problem, attempt, replace(settings, atol=1.0), fail) == 0.0
    assert balance(problem, attempt, replace(settings, fail=False), fail) > 0.05
    assert calls == [1]


def test_verdict_after_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A completed solve stores the reasons of its verdict and the notes on its stability for a restart."""
    monkeypatch.setattr(static, "balance", lambda *_: 0.17)
    monkeypatch.setattr(static, "examine", lambda *_: Finding(doubts=["not known"]))
    judged = []
    for restart in (None, "auto"):
        solver = wl.Static(create_springs(), name="")
        solver.solve(hooks=[wl.Checkpoint(tmp_path / "run.h5", restart=restart)])
        judged.append((solver.verdict.word, solver.verdict.reasons, solver.verdict.notes))
    assert judged[0] == judged[1]
    word, (reason,), notes = judged[1]
    assert word == "doubtful" and "0.17 of the contact forces" in reason and notes == ["not known"]
    assert solver.statistics.steps == 1
