"""Tests of steps in which contacts of a falling mass do not settle, with given force errors: reduction and increase of
the step size, and the smallest step size.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, RigidBody2D, RigidBody3D
from windlass.framework.model.system import PostNewton
from windlass.framework.model.world import World
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static

Update = Callable[[float, float], PostNewton]


def create_solver(update: Update, **settings: Any) -> Dynamic:
    """Create a solver with steps of 0.1 s up to 1 s.

    ``update`` returns the result of a pass from the end time and the size of the step.
    """
    world = World(gravity=(0.0, -9.81))
    world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    solver = Dynamic(world, step=0.1, end=1.0, name="", **settings)
    sizes: list[float] = []
    propose = type(solver.sizes).propose

    def note(control: Any, now: float, end: float) -> tuple[float, float]:
        size, then = propose(control, now, end)
        sizes.append(size)
        return size, then

    # compiled steps cannot use the errors that the test prescribes
    solver.problem.may_compile = False
    solver.assembly.post_newton = lambda: update(solver.problem.scheme.t, sizes[-1])  # type: ignore[method-assign]
    solver.sizes.__class__ = type("Noting", (type(solver.sizes),), {"propose": note})
    return solver


def run(solver: Dynamic) -> list[tuple[float, int]]:
    """Return the sizes of the accepted steps [s], and the number of consecutive steps of each size."""
    times = [0.0] + [state.t for state in solver.march()]
    return [(size, len(list(group))) for size, group in groupby(np.diff(times).round(9).tolist())]


def test_step_is_cut_at_a_switch_and_grows_after_it() -> None:
    """A contact changes its state at 0.33 s and settles only with steps of 25 ms. The step size is halved twice. After
    three steps of each size, the size is doubled, up to 0.1 s.
    """

    def update(t: float, size: float) -> PostNewton:
        switches = t - size < 0.33 <= t and size > 0.03
        return PostNewton(50.0 if switches else 0.0, changed=switches, force=1e3)

    solver = create_solver(update)
    assert run(solver) == [(0.1, 3), (0.025, 3), (0.05, 3), (0.1, 4), (0.075, 1)]
    assert solver.statistics.rejected == 2 and solver.statistics.unconverged_passes == 0
    assert all("after 8 passes" in reason for _, _, reason in solver.failed_attempts)


@pytest.mark.parametrize("adaptive", [True, False])
def test_small_error_is_accepted_where_the_step_cannot_be_cut(adaptive: bool) -> None:
    """An error of 5e-4 of the contact force at 0.33 s, which no step size removes, is accepted, counted, and named."""

    def update(t: float, size: float) -> PostNewton:
        switches = t - size < 0.33 <= t
        return PostNewton(0.5 if switches else 0.0, changed=switches, force=1e3)

    solver = create_solver(update, control=wl.StepControl(smallest=0.02), adaptive=adaptive)
    run(solver)
    assert solver.statistics.unconverged_passes == 1 and solver.statistics.largest_error == 5e-4
    assert solver.statistics.rejected == (3 if adaptive else 0)
    assert "1 steps accepted at the limit of passes (force error up to 5.0e-04" in solver.statistics.describe()


def test_large_error_ends_the_run() -> None:
    """A large error at the smallest step ends the run, and names the connector with the largest force error. The error
    contains the state before the step.
    """
    solver = create_solver(lambda t, size: PostNewton(5.0 if t > 0.33 else 0.0, changed=True, force=1e3))
    with pytest.raises(NotConverged, match=r"force error 5 N > 0\.01 N with a contact force of 1e\+03 N") as caught:
        run(solver)
    assert "largest force error: " in str(caught.value)
    assert caught.value.failure.step_size == pytest.approx(1e-5)
    assert 0.329 < caught.value.state.t < 0.33


def test_last_load_step_must_settle() -> None:
    """In statics, an unsettled small intermediate load step is accepted and counted. An unsettled last load step is not
    accepted.
    """
    for factor, settles in ((0.9, True), (1.1, False)):
        world = World()
        world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
        solver = Static(world, load_steps=4, stabiliser=1.0, name="")

        def update(solver: Static = solver, factor: float = factor) -> PostNewton:
            unsettled = 0.6 < solver.problem.scheme.load_factor < factor
            return PostNewton(5.0 if unsettled else 0.0, changed=unsettled, force=1e3)

        solver.assembly.post_newton = update  # type: ignore[method-assign]
        if settles:
            solver.solve()
            assert solver.statistics.unconverged_passes > 0
        else:
            with pytest.raises(NotConverged, match="force error 5 N"):
                solver.solve()


class Look(wl.StepHook):
    """Hook that reads the state after every pass."""

    def after_iteration(self, state: wl.State, error: float) -> None:
        """Read the state of the pass."""
        assert np.isfinite(state.q).all() and np.isfinite(error)


class Replace(wl.StepHook):
    """Hook that replaces arrays of the state by other arrays with equal values."""

    def before_step(self, state: wl.State) -> None:
        """Replace the arrays, as users may do."""
        state.v, state.data = state.v.copy(), state.data.copy()


@pytest.mark.parametrize("spatial", [False, True])
def test_state_goes_back_however_it_is_looked_at(spatial: bool) -> None:
    """For a bouncing mass with rejected steps and several passes, all bits of the results with and without hooks are
    equal.
    """
    states = []
    hooks: list[list[wl.StepHook]] = [[], [Look()], [Replace()]]
    for own in hooks:
        world = wl.World(gravity=(0.0, 0.0, -9.81))
        if spatial:
            spin = (1.0, 2.0, 20.0)
            world.add(RigidBody3D, position=(0, 0, 5), mass=1.0, inertia=(0.1, 0.2, 0.3), angular_velocity=spin)
        ball = world.add(RigidBody2D, position=(1.0, 0.5), mass=1.0, inertia=0.2)
        con.fix(world, ball, "x")
        height = con.coordinate_marker(world, ball, "y")
        ground = con.coordinate_marker(world, None)
        world.add(con.ContactCoordinate, marker0=ground, marker1=height, contact_stiffness=1e4, offset=-0.01)
        world.add(con.CoordinateLoad, marker=height, function=con.ramp(0.0, 0.01, 0.0, -20.0))
        solver = wl.Dynamic(world, step=1e-3, end=0.06, name="")
        states.append(solver.solve(hooks=own))
        assert solver.statistics.rejected > 0
        assert solver.statistics.discontinuous_iterations > solver.statistics.steps + solver.statistics.rejected
    for name in ("q", "v", "a", "carried", "lam", "data", "start_data"):
        for other in states[1:]:
            assert_array_equal(getattr(other, name), getattr(states[0], name))
