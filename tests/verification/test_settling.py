"""The states of contacts that are much stiffer than the structure settle in load steps. If the states alternate without
end, a pseudo-time flow settles the states.
"""

from __future__ import annotations

import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.static import Static

from support.verdict_models import create_loaded_rope

STIFF = {"stretch": 1e8, "contact": 1e9}
LOAD = 500.0


@pytest.mark.parametrize("stabiliser", [1e4, 1e5])
def test_stiff_rope_over_a_drum(stabiliser: float) -> None:
    """For a rope with EA 1e8 N on contact segments of 1.4e7 N/m, load steps that begin at 0.05 N lead to the same
    equilibrium as one load step without pseudo-time flow.

    Without friction, the tension equals the load along the rope. The tensions of single cables differ by up to 3 %,
    because their segments are chords of the circle.
    """
    found, settlings = [], []
    for settings in ({"load_steps": 10, "geometric": True, "stabiliser": stabiliser}, {}):
        world, rope = create_loaded_rope(**STIFF, friction=0.0)
        solver = Static(world, name="", **settings)
        found.append(eval_output(rope, "axial_force", solver.solve()))
        settlings.append(solver.statistics.settlings)
        assert solver.verdict.word == "ok"
        assert ("contacts settled by a flow" in solver.statistics.describe()) == (settlings[-1] > 0)
    assert_allclose(found[0], found[1], rtol=1e-5)
    assert_allclose(found[0], LOAD, rtol=0.03)
    assert settlings[0] > 0 and settlings[1] == 0


@pytest.mark.parametrize("load_steps", [5, 10, 20])
def test_with_friction(load_steps: int) -> None:
    """The friction forces depend on the load steps, but the tension at the loaded end equals the load."""
    world, rope = create_loaded_rope(**STIFF)
    solver = Static(world, name="", load_steps=load_steps, geometric=True, stabiliser=1e4)
    forces = eval_output(rope, "axial_force", solver.solve())
    assert_allclose(forces[-1], LOAD, rtol=1e-3)
    assert solver.verdict.word == "ok"


def test_soft_ropes_need_no_flow() -> None:
    world, _ = create_loaded_rope()
    solver = wl.Static(world, name="", load_steps=10, stabiliser=1e4)
    solver.solve()
    assert solver.statistics.settlings == 0 and solver.statistics.rejected == 0
