"""Contact points of belts whose state (stick, slip, open) is decided in each Newton iteration: counts, results, and
reported forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D

STEP, SPEED = 1e-4, 60.0


class Mounted:
    """A moving belt and a driven pulley with a load torque proportional to its speed."""

    def __init__(self) -> None:
        world = self.world = wl.World()
        a = world.add(RigidBody2D, name="driver", position=(0.0, 0.0), mass=1.0, inertia=0.01)
        b = self.driven = world.add(RigidBody2D, name="driven", position=(0.25, 0.0), mass=1.0, inertia=0.0005)
        con.fix(world, [a, b], "x", "y")
        drive = con.prescribe_velocity(world, a, "rotation", -SPEED)
        self.spin = con.coordinate_marker(world, b, "rotation")
        world.add(con.CoordinateSpringDamper, marker1=self.spin, damping=0.05)
        self.belt = wl.Belt(
            world, [wl.Pulley(a, 0.05), wl.Pulley(b, 0.05)], tension=300.0, axial_stiffness=2e4,
            bending_stiffness=1e-4, mass_per_length=0.1, axial_damping=1.0, friction=0.5, step=STEP, elements=60,
        )  # fmt: skip
        with self.belt.preload(drive):
            state = self.state = wl.Static(world, name="").solve()
        ix = state.local_dofs(self.belt.nodes)
        slope = (state.q[ix] + state.assembly.layout.reference[ix])[:, 2:]
        state.v[ix[:, :2]] = 0.05 * SPEED * slope
        state.v[ix[:, 2:]] = 0.05 * SPEED * (np.roll(slope, -1, 0) - np.roll(slope, 1, 0)) * 30 / self.belt.length
        for body in (a, b):
            state.v[state.local_dofs(body)[0, 2]] = -SPEED

    def run(self, end: float, **settings: Any) -> tuple[wl.State, wl.Dynamic]:
        """Return the state at the end, and the solver."""
        solver = wl.Dynamic(
            self.world, step=STEP, end=end, method="generalized_alpha_index2", spectral_radius=0.6, name="", **settings
        )
        return solver.solve(self.state.copy()), solver


@pytest.fixture(scope="module")
def mounted() -> Mounted:
    return Mounted()


def test_one_pass_per_step(mounted: Mounted) -> None:
    """Each step has one pass and at most 4.5 iterations, and none of 300 steps is rejected.

    With decisions that are frozen during Newton's method, steps need 1.4 passes and 5 iterations.
    """
    _, solver = mounted.run(0.03)
    _, frozen = mounted.run(0.03, decide_in_newton=0)
    now, before = solver.statistics, frozen.statistics
    assert now.discontinuous_iterations <= 1.1 * now.steps and now.newton_iterations <= 4.5 * now.steps
    assert now.rejected == 0 and solver.verdict.word == "ok"
    assert before.discontinuous_iterations > 1.3 * before.steps
    assert now.newton_iterations < 0.95 * before.newton_iterations


def test_answers_are_those_of_frozen_decisions(mounted: Mounted) -> None:
    """Decisions inside Newton's method and frozen decisions turn the pulley by the same angle within 1e-5.

    The contact pressure that enlarges the circles is taken from the previous pass, or, in steps of one pass, from the
    previous step. The difference is of first order in the step; the contact depth is 1e-4 of the radius.
    """
    one, _ = mounted.run(0.005)
    other, _ = mounted.run(0.005, decide_in_newton=0)
    place = one.local_dofs(mounted.driven)[0, 2]
    assert_allclose(one.q[place], other.q[place], rtol=1e-5)
    assert_allclose(one.v[place], other.v[place], rtol=1e-4)


def test_torque_of_the_belt_turns_the_pulley(mounted: Mounted) -> None:
    """Inertia times angular acceleration equals the torque of the belt in the outputs minus the torque of the load."""
    state, _ = mounted.run(0.02)
    torque = mounted.belt.report(state).pulleys[1].torque
    place = state.local_dofs(mounted.driven)[0, 2]
    assert_allclose(0.0005 * state.a[place], torque - 0.05 * state.v[place], atol=2e-5, rtol=0)
