"""Tests of solvers that use Newton's method: load steps, step control, messages of failures, save and restart, and
linear solves.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import tanh
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
import windlass.connectors as con
import windlass.elements as el
from windlass.connectors import (
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    Force,
    SpringDamper,
    clamp,
    coordinate_marker,
    fix,
    hinge,
    position_marker,
)
from windlass.elements import Ground, MassPoint, nodes_of, straight_cable
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.exchange import NAMES
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static

from support.cantilever import solve_cantilever, tip_values
from support.exudyn_items import build_items

# parameters of the model ANCFcontactFrictionTest: a cable falls onto a roll, and touches the roll from about 0.1 s on
FRICTION: dict[str, Any] = {
    "method": "newmark",
    "rtol": 1e-8,
    "atol": 1e-8,
    "lag": False,
    "resolve_contacts": False,
}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Execute each test in a separate folder, because a failed solve may write its last good state into the current
    folder.
    """
    monkeypatch.chdir(tmp_path)
    yield


def assert_same(one: State, other: State, names: tuple[str, ...] = NAMES) -> None:
    """Check that arrays are bit-identical."""
    assert one.t == other.t and one.step == other.step
    for name in names:
        assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def create_belt(dry_friction_after: float = np.inf) -> World:
    """Create a cable "belt" of 5 elements between two hinges, with a force of 1 N in the middle.

    From a given time [s] on, dry friction of 1000 N, which is not smoothed, acts on node 3 in y.
    """
    world = World()
    belt = straight_cable(
        world,
        (0.0, 0.0),
        (1.0, 0.0),
        5,
        name="belt",
        axial_stiffness=1e3,
        bending_stiffness=1.0,
        mass_per_length=1.0,
        axial_damping=1.0,
    )
    nodes = nodes_of(world, belt)
    hinge(world, nodes[[0, 5]])
    world.add(Force, marker=position_marker(world, nodes[2]), vector=(0.0, -1.0, 0.0))

    def rub(t: float, row: int, u: float, ut: float, k: float, d: float, offset: float) -> float:
        return 1000.0 * float(np.sign(ut)) if t > dry_friction_after else 0.0

    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, nodes[3], "y"), force_function=rub)
    return world


# statics


def test_load_steps_lead_to_the_same_equilibrium() -> None:
    """Arithmetic and geometric load steps, with and without stabiliser, lead to the same equilibrium of a conservative
    model.

    The model is a clamped cable of 8 elements, which its weight and an end force bend. The equilibrium does not depend
    on the path. Newton's method converges quadratically to residuals below 1e-10 N, which leaves an error of about
    1e-11 m.
    """
    results = []
    for steps in (
        {"load_steps": 1},
        {"load_steps": 7},
        {"load_steps": 6, "geometric": True, "load_range": 1e3},
        {"load_steps": 6, "geometric": True, "stabiliser": 10.0},
    ):
        world = World(gravity=(0.0, -9.81, 0.0))
        cables = straight_cable(
            world, (0, 0), (1, 0), 8, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.1
        )
        nodes = nodes_of(world, cables)
        clamp(world, nodes[0])
        world.add(Force, marker=position_marker(world, nodes[8]), vector=(-1.0, -1.0, 0.0))
        solver = Static(world, rtol=0.0, atol=1e-10, **steps)
        results.append(solver.solve().q)
        assert (solver.statistics.steps, solver.statistics.rejected) == (steps["load_steps"], 0)
    assert np.abs(results[0]).max() > 0.1
    for other in results[1:]:
        assert_allclose(other, results[0], rtol=0, atol=1e-10)


def test_load_factors() -> None:
    """Arithmetic load factors are i/n. Geometric load factors start at 1/range, have a constant ratio, and end at 1."""
    world = create_belt()
    arithmetic = Static(world, load_steps=4)
    assert_allclose([arithmetic.load_factor(i / 4) for i in range(1, 5)], [0.25, 0.5, 0.75, 1.0])
    geometric = Static(world, load_steps=5, geometric=True, load_range=1e4)
    assert_allclose([geometric.load_factor(i / 5) for i in range(1, 6)], [1e-4, 1e-3, 1e-2, 1e-1, 1.0], rtol=1e-14)


def test_coordinates_without_stiffness_are_named_before_the_solve() -> None:
    """A point on a spring along x has no stiffness in y. An error before the solve names the coordinate y, unless a
    support fixes this coordinate.
    """

    def create(held: bool) -> World:
        world = World()
        slider = world.add(MassPoint, name="slider", position=(0.0, 0.0), mass=1.0)
        x = coordinate_marker(world, slider, "x")
        world.add(CoordinateSpringDamper, marker1=x, stiffness=2.0)
        world.add(CoordinateLoad, marker=x, value=1.0)
        if held:
            fix(world, slider, "y")
        return world

    solver = Static(create(held=False))
    with pytest.raises(ModelError, match=r"1 coordinates have no stiffness: slider, y\. .*stabiliser > 0 \[1/s\^2\]"):
        solver.solve()
    assert solver.problem.residual_count == 0
    assert_allclose(Static(create(held=True)).solve().q, [0.5, 0.0], atol=1e-12)


def test_static_failure_tells_its_load_factor() -> None:
    """A spring with the force tanh u [N] cannot carry 2 N.

    The error names a load factor near 0.5, above which no equilibrium exists.
    """
    world = World()
    slider = world.add(MassPoint, name="slider", position=(0.0, 0.0), mass=1.0)
    x = coordinate_marker(world, slider, "x")
    world.add(CoordinateSpringDamper, marker1=x, force_function=lambda t, row, u, ut, k, d, offset: tanh(u))
    world.add(CoordinateLoad, marker=x, value=2.0)
    fix(world, slider, "y")
    with pytest.raises(NotConverged) as caught:
        Static(world, load_steps=10).solve()
    failure = caught.value.failure
    assert_allclose(failure.time, 0.5, atol=2e-4)
    assert failure.worst[0][0] == "slider, x" and failure.step >= 5
    # the last good state is an equilibrium just below the limit load
    assert_allclose(tanh(caught.value.state.q[0]), 1.0, atol=2e-4)


# step control


class Log(StepHook):
    """Hook that records copies of the states before and after each attempt, and whether the attempt was accepted."""

    def __init__(self) -> None:
        self.before: list[State] = []
        self.attempted: list[State | None] = []
        self.accepted: list[bool] = []

    def before_step(self, state: State) -> None:
        self.before.append(state.copy())
        self.attempted.append(None)
        self.accepted.append(False)

    def after_iteration(self, state: State, error: float) -> None:
        self.attempted[-1] = state.copy()

    def after_step(self, state: State) -> None:
        self.accepted[-1] = True


def test_failing_step_is_cut_and_grows_again() -> None:
    """If a step needs more than 6 iterations, its size is halved, and the step is repeated from the same state. After
    10 steps, the size is doubled.

    The model is ANCFcontactFrictionTest with steps of 2e-3 s instead of 5e-4 s. The final position of the roll agrees
    with the fine solution within the error of the larger steps (7e-5 m of 0.014 m; the tolerance of the test is 2e-4
    m).
    """
    log = Log()
    model = build_items("ANCFcontactFrictionTest")
    solver = Dynamic(model.world, step=2e-3, end=0.15, max_it=6, **FRICTION)
    state = solver.solve(hooks=[log])
    rejected = np.flatnonzero(~np.array(log.accepted))
    assert len(rejected) == solver.statistics.rejected == len(solver.failed_attempts) > 3
    for i in rejected:
        assert_same(log.before[i], log.before[i + 1], ("q", "v", "a", "carried", "lam", "data"))
    assert {reason for _, _, reason in solver.failed_attempts} == {"DIVERGED_MAX_IT"}
    times = np.array([s.t for s, good in zip(log.before, log.accepted, strict=True) if good] + [state.t])
    sizes = np.diff(times)
    assert_allclose(sizes.max(), 2e-3, rtol=1e-9)
    assert state.t == 0.15 and sizes.min() < 1.01e-3
    # ten steps of equal size precede each doubling; if a step with the doubled size fails, ten more steps follow before
    # the next doubling
    runs = np.split(sizes, np.flatnonzero(np.abs(np.diff(sizes)) > 1e-9) + 1)
    grown = [len(run) for run, after in pairwise(runs) if after[0] > 1.5 * run[0]]
    assert grown and all(steps % 10 == 0 for steps in grown)
    assert_allclose(state.q[36], -0.0141876, rtol=0, atol=2e-4)


def test_history_values_are_restored() -> None:
    """If each step has only one pass, and if no contact that changes its state fulfils the tolerance, steps are
    rejected.

    Each attempt changes the gaps in the history values, and the next attempt starts with the old gaps.

    In the model ANCFcontactFrictionTest, segments close with a force error of 237 N. The step size is reduced to the
    smallest step size, and the error contains the state before the step.
    """
    log = Log()
    model = build_items("ANCFcontactFrictionTest")
    once = {"passes": wl.Passes(max_it=1, atol=1e-2)}
    solver = Dynamic(model.world, step=5e-4, end=0.15, **once, **FRICTION)
    with pytest.raises(NotConverged, match=r"force error .* N > 0.01 N .* after 1 passes") as caught:
        solver.solve(hooks=[log])
    rejected = np.flatnonzero(~np.array(log.accepted))
    assert len(rejected) == solver.statistics.rejected > 10
    for i in rejected[:-1]:
        tried = log.attempted[i]
        assert tried is not None and not np.array_equal(tried.data, log.before[i].data)
        assert_same(log.before[i], log.before[i + 1], ("q", "v", "a", "carried", "lam", "data"))
    assert_same(caught.value.state, log.before[-1], ("q", "v", "a", "carried", "lam", "data"))
    assert_allclose(caught.value.failure.step_size, 1e-4 * 5e-4)
    assert "largest force error: ContactFrictionCircleCable2D row" in str(caught.value)


def test_solver_can_be_used_again() -> None:
    """A second call of ``march`` of the same solver starts with the nominal step size, at the time of the given
    state.
    """
    world = create_belt()
    solver = Dynamic(world, step=1e-3, end=0.05, lag=False)
    first = solver.solve()
    again = solver.solve()
    assert first.step == 50
    assert_same(first, again)


# tests of failed solves, and of saving and restarting


def test_dynamic_failure_teaches_and_restarts(tmp_path: Path) -> None:
    """The error of a failed solve states the reason, step, time, names of the equations with the largest residuals, and
    advice. The error contains the last good state, from which a run can continue.

    From 0.02 s on, dry friction at node 3 of the belt makes Newton's method alternate between two signs. The step size
    is not reduced. Without this friction, a run from the saved state gives bit-identical results to a run that has not
    failed.
    """
    settings: dict[str, Any] = {"step": 1e-3, "lag": False}
    with pytest.raises(NotConverged) as caught:
        Dynamic(create_belt(0.0201), end=0.05, adaptive=False, **settings).solve()
    failure, text = caught.value.failure, str(caught.value)
    assert failure.reason.startswith("DIVERGED_MAX_IT, iterations alternate between two branches of a force")
    # the run ends before the largest number of iterations, 25, as soon as both residuals have repeated three times
    assert len(failure.history) == 11
    assert_allclose(failure.history[-6:], [*failure.history[-2:]] * 3, rtol=1e-5)
    assert_allclose([failure.time, failure.step_size], [0.021, 1e-3])
    assert failure.step == 21
    name, residual = failure.worst[0]
    assert name == "belt node 3, y" and abs(residual) > 100.0
    for words in ("such as dry friction in step 21 at 0.021", "worst equation: belt node 3, y, residual", "advice: "):
        assert words in text
    good = caught.value.state
    assert_allclose(good.t, 0.02)
    assert good.step == 20

    path = good.save(tmp_path / "good.npz")
    calm = create_belt()
    never_failed = Dynamic(calm, end=0.03, **settings).solve()
    resumed = Dynamic(calm, end=0.03, **settings).solve(State(calm).load(path), resume=True)
    assert_same(resumed, never_failed)


@pytest.mark.parametrize("method", ["newmark", "generalized_alpha", "trapezoidal_index2"])
def test_restart_is_the_same_to_the_last_bit(method: str, tmp_path: Path) -> None:
    """A run of ANCFcontactFrictionTest up to 0.13 s gives exactly the results of a run that is interrupted at 0.12 s
    and continued from a state file. At this time, the contact is closed.
    """
    settings = {**FRICTION, "method": method, "step": 5e-4}
    whole = Dynamic(build_items("ANCFcontactFrictionTest").world, end=0.13, **settings).solve()
    part = Dynamic(build_items("ANCFcontactFrictionTest").world, end=0.12, **settings).solve()
    assert (part.data[:] < 0.0).any()
    path = part.save(tmp_path / "part.npz")
    world = build_items("ANCFcontactFrictionTest").world
    assert_same(Dynamic(world, end=0.13, **settings).solve(State(world).load(path), resume=True), whole)


def test_state_file_of_another_model(tmp_path: Path) -> None:
    """If a state file belongs to a model of another size, an error states the differences, and no value of the file is
    used.
    """
    path = State(create_belt()).save(tmp_path / "state.npz")
    with pytest.raises(ModelError, match=r"\bq\b"):
        State(build_items("ANCFcontactFrictionTest").world).load(path)


# linear solves


@pytest.mark.parametrize("stiffness", [0.0, 1e-17, 1e-12])
def test_wrong_pivots_are_noticed(stiffness: float) -> None:
    """The solver detects that LU without pivoting fails for a coordinate that only a constraint connects with other
    coordinates.

    A constraint connects a point on a spring of 0, 1e-17 or 1e-12 N/m with a point on a spring of 1 N/m. The loads are
    1 N and 2 N. Elimination in natural order divides by the very small stiffness, and rounding errors exceed the larger
    stiffness: x0 = (1 + lam)/1e-17, where the rounding error of lam is 1e-16. With the stiffness k of the first spring
    in N/m, both points must move by 3/(1 + k) m, and lam = k x0 - 1.
    """
    world = World()
    points = [world.add(MassPoint, position=(float(i), 0.0), mass=1.0) for i in range(2)]
    x = [coordinate_marker(world, point, "x") for point in points]
    if stiffness:
        world.add(CoordinateSpringDamper, marker1=x[0], stiffness=stiffness)
    world.add(CoordinateSpringDamper, marker1=x[1], stiffness=1.0)
    world.add(CoordinateConstraint, marker0=x[1], marker1=x[0])
    for marker, force in zip(x, (1.0, 2.0), strict=True):
        world.add(CoordinateLoad, marker=marker, value=force)
    for point in points:
        fix(world, point, "y")
    state = Static(world).solve()
    assert_allclose(state.q[[0, 2]], 3.0, rtol=1e-9)
    assert_allclose(state.lam[0], 1.0, rtol=1e-9)


def test_stiff_and_soft_directions() -> None:
    """A cantilever with EA L²/EI = 1e8 under an end force needs as many Newton iterations as a cantilever with a small
    axial stiffness.

    The linear solution of this cantilever cannot be more accurate than 1e-7 of the right-hand side, but this error must
    not be treated as a failure.
    """
    cables, state, solver = solve_cantilever(
        lambda world, _, tip: world.add(Force, marker=position_marker(world, tip), vector=(0.0, 1.0, 0.0)), 32, 2, 1
    )
    assert solver.statistics.newton_iterations <= 5 and solver.statistics.fallbacks == 0
    assert_allclose(tip_values(cables, state), (0.05643324, 0.30172077, 0.46135195), rtol=0, atol=3e-8)


def test_statics_says_that_it_goes_to_another_time_at_once() -> None:
    """If supports move too far in one solve, the error message recommends several solves, with which the supports reach
    their positions.
    """
    world = wl.World(gravity=(0.0, -9.81))
    ends = [world.add(el.MassPoint, position=(x, 0.0), mass=1.0) for x in (0.0, 1.0)]
    middle = world.add(el.MassPoint, position=(0.5, -0.5), mass=1.0)
    con.fix(world, ends[0], "x", "y")
    con.fix(world, ends[1], "y")
    con.prescribe(world, ends[1], "x", lambda t: 5.0 * t)
    for end in ends:
        markers = [con.position_marker(world, point) for point in (end, middle)]
        world.add(con.DistanceConstraint, marker0=markers[0], marker1=markers[1], distance=np.sqrt(0.5))
    with pytest.raises(
        NotConverged, match=r"values of t = 1 s from the first load step on.*approach this time from t = 0 s"
    ):
        wl.Static(world, time=1.0, name="").solve()
    state = None
    for time in (0.02, 0.04, 0.06):
        state = wl.Static(world, time=time, name="").solve(state)
    assert state is not None
    place = wl.eval_output(middle, "position", state)
    assert_allclose(place, (0.65, -np.sqrt(0.5 - 0.65**2), 0.0), atol=1e-8)


def test_predictor_without_residual() -> None:
    """If the residual of a predictor is NaN, the step is reduced, and the linear solver is kept.

    After the predicted step, both ends of the spring are at the same place, so the spring has no direction.
    """
    world = World()
    point = world.add(MassPoint, position=(1.0, 0.0), mass=1.0, velocity=(-1.0, 0.0))
    fix(world, point, "y")
    ends = [position_marker(world, one) for one in (world.add(Ground), point)]
    world.add(SpringDamper, marker0=ends[0], marker1=ends[1], stiffness=1.0, rest_length=1.0)
    solver = Dynamic(world, step=1.0, end=1.0, name="")
    package = solver.problem.snes.getKSP().getPC().getFactorSolverType()
    state = solver.solve()
    assert solver.statistics.rejected == 1 and solver.statistics.fallbacks == 0
    assert solver.problem.snes.getKSP().getPC().getFactorSolverType() == package
    assert abs(state.q[0] + np.sin(1.0)) < 0.05
