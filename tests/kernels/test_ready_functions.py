"""Tests of tables, ramps, smooth steps and sines: values, exact derivatives, errors, and motions, which are compared
with motions with Python functions.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import windlass as wl
from windlass import connectors as con
from windlass.connectors.user_functions.ready_functions import ReadyFunction, eval_ready
from windlass.connectors.user_functions.time_functions import differentiate, differentiate_twice
from windlass.elements import MassPoint, RigidBody2D

TIMES = np.linspace(-0.3, 1.4, 171)


def limited(t: float) -> float:
    """Return the value of a ramp from 0 at 0.25 s to 1 at 0.75 s."""
    return min(max((t - 0.25) / 0.5, 0.0), 1.0)


PAIRS: dict[str, tuple[ReadyFunction, Callable[[float], float]]] = {
    "ramp": (con.ramp(0.25, 0.75, 2.0, -4.0), lambda t: 2.0 - 6.0 * limited(t)),
    "table": (
        con.table([-0.1, 0.25, 0.5, 1.0], [1.0, 3.0, 3.0, -1.0]),
        lambda t: float(np.interp(t, [-0.1, 0.25, 0.5, 1.0], [1.0, 3.0, 3.0, -1.0])),
    ),
    "smooth_step": (
        con.smooth_step(0.25, 0.75, 0.0, -5.0),
        lambda t: -5.0 * (0.5 * (1.0 - math.cos(math.pi * limited(t)))),
    ),
    "sine": (con.sine(3.0, 0.5, 0.2, 1.0), lambda t: 1.0 + 3.0 * math.sin(2 * math.pi * 0.5 * t + 0.2)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_values_are_those_of_python(name: str) -> None:
    """Values equal the values of Python functions at the points of the table, between the points, before the first
    point and after the last point.
    """
    ready, plain = PAIRS[name]
    exact = name != "table"  # NumPy interpolates with another order of operations
    for t in [*TIMES, -0.1, 0.25, 0.5, 0.75, 1.0]:
        assert ready(t) == (plain(t) if exact else pytest.approx(plain(t), rel=1e-14, abs=1e-15))


@pytest.mark.parametrize("name", PAIRS)
def test_derivatives_are_exact(name: str) -> None:
    """First and second derivatives agree with central differences, except where the first derivative jumps."""
    ready, _ = PAIRS[name]
    first, second = differentiate(ready), differentiate_twice(ready)
    assert first is not None and second is not None
    h = 1e-4
    for t in TIMES[np.abs(TIMES[:, None] - [-0.1, 0.25, 0.5, 0.75, 1.0]).min(axis=1) > 2 * h]:
        assert first(t) == pytest.approx((ready(t + h) - ready(t - h)) / (2 * h), rel=1e-6, abs=1e-7)
        assert second(t) == pytest.approx((first(t + h) - first(t - h)) / (2 * h), rel=1e-6, abs=1e-6)


def test_derivatives_at_kinks_are_those_after() -> None:
    """At a jump of the derivative, the derivative after the jump is returned: a ramp has its slope at its first time,
    and the slope 0 at its last time.
    """
    rate = differentiate(con.ramp(0.25, 0.75, 0.0, 3.0))
    assert rate is not None
    assert [rate(t) for t in (0.25, 0.5, 0.75)] == [6.0, 6.0, 0.0]


def test_vectors() -> None:
    """Functions with three components agree with functions of the single components. A single number applies to all
    components.
    """
    both = con.ramp(0.0, 2.0, 1.0, (1.0, 3.0, -1.0))
    assert_array_equal(both(1.0), [1.0, 2.0, 0.0])
    assert_array_equal(con.table([0.0, 1.0], np.eye(3)[:2])(0.5), [0.5, 0.5, 0.0])
    assert_allclose(con.sine((1.0, 2.0, 0.0), 0.25, mean=1.0)(1.0), [2.0, 3.0, 1.0], rtol=1e-15)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: con.table([0.0, 0.0], [1.0, 2.0]), "times = .* s in table: must be at least two increasing numbers"),
        (lambda: con.table([0.0], [1.0]), "at least two increasing numbers"),
        (lambda: con.table([0.0, 1.0], [1.0, 2.0, 3.0]), "must be 2, one for each time"),
        (lambda: con.table([0.0, math.nan], [1.0, 2.0]), "times = .*: must be finite numbers"),
        (lambda: con.table([0.0, 1.0], [[1.0, 2.0], [3.0, 4.0]]), "values = .*: must be finite numbers of shape"),
        (lambda: con.ramp(1.0, 1.0), "end = 1 s in ramp: must be > begin = 1 s"),
        (lambda: con.smooth_step(1.0, 0.5), "end = 0.5 s in smooth_step: must be > begin = 1 s"),
        (lambda: con.sine("1", 2.0), "amplitude = '1' in sine: must be one finite number"),
    ],
)
def test_bad_input(make: Callable[[], Any], words: str) -> None:
    """Errors state the given and the allowed values."""
    with pytest.raises(wl.ModelError, match=words):
        make()


def test_wrong_shape_in_a_law() -> None:
    """A vector instead of one number, and one number instead of a vector, are refused by a law."""
    world = wl.World()
    ball = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=1.0)
    world.add(con.Force, marker=con.position_marker(world, ball), function=con.ramp(0.0, 1.0))
    with pytest.raises(wl.ModelError, match=r"is a ramp that gives single numbers: must give finite numbers of shape"):
        wl.State(world)
    world = wl.World()
    ball = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=1.0)
    con.prescribe(world, ball, "x", con.sine((1.0, 0.0, 0.0), 1.0))
    with pytest.raises(
        wl.ModelError, match=r"is a sine that gives numbers of shape \(3,\): must give one finite number \[m\]"
    ):
        wl.State(world)


def create_driven(python: bool) -> tuple[wl.World, Any]:
    """Create bodies with every kind of load and drive in time; ``python`` wraps the ready functions into functions of
    Python.
    """

    def hide(function: ReadyFunction) -> Any:
        return (lambda t: function(t)) if python else function

    world = wl.World()
    body = world.add(RigidBody2D, position=(1.0, 0.0), mass=2.0, inertia=0.3)
    spring = con.coordinate_marker(world, body, "x")
    world.add(con.CoordinateSpringDamper, marker0=con.coordinate_marker(world, None), marker1=spring, stiffness=50.0)
    world.add(con.CoordinateLoad, marker=spring, function=hide(con.smooth_step(0.01, 0.05, 0.0, 4.0)))
    tip = con.position_marker(world, body, (0.1, 0.2))
    world.add(con.Force, marker=tip, function=hide(con.sine((1.0, 2.0, 0.0), 9.0)), body_fixed=True)
    world.add(con.MassProportional, body=body, function=hide(con.table([0.0, 0.03], [(0, 0, 0), (0, -9.81, 0)])))
    con.prescribe_velocity(world, body, "rotation", hide(con.ramp(0.02, 0.04, 0.0, 5.0)))
    return world, body


@pytest.mark.parametrize("method", ["generalized_alpha", "generalized_alpha_index2"])
def test_motion_is_that_of_functions_of_python(method: str) -> None:
    """The motion under all loads equals the motion with Python functions, except for accelerations, which Python
    functions give by differences.
    """
    states = []
    for python in (False, True):
        world, _ = create_driven(python)
        states.append(wl.Dynamic(world, step=1e-3, end=0.06, method=method, project=False, name="").solve())
    for name in ("q", "v", "a", "lam"):
        assert_array_equal(getattr(states[0], name), getattr(states[1], name))


def test_prescribed_motion_is_exact() -> None:
    """At index 2, the velocity of a prescribed motion is equal to the derivative of the prescribed function up to
    rounding errors.
    """
    world = wl.World()
    ball = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=1.0)
    swing = con.sine(0.2, 3.0)
    con.prescribe(world, ball, "x", swing)
    solver = wl.Dynamic(world, step=1e-3, end=0.05, method="generalized_alpha_index2", name="")
    for state in solver.march():
        exact = 0.2 * 6 * math.pi * math.cos(6 * math.pi * state.t)
        assert state.of(ball, "v")[0, 0] == pytest.approx(exact, rel=1e-13)


def test_no_python_in_a_step() -> None:
    """Loads and constraints with ready functions call only kernels. Python functions are called once for each time."""
    for python in (False, True):
        world, _ = create_driven(python)
        systems = wl.State(world).assembly.layout.systems
        loads = [systems[c].load for c in (con.CoordinateLoad, con.Force, con.MassProportional)]
        constraint = systems[con.CoordinateConstraint].constraint
        assert constraint is not None
        calls = [load.force for load in loads if load is not None]
        assert len(calls) == len(loads)
        for function in (*calls, constraint.residual, constraint.acceleration):
            assert not function.before and bool(function.at_time) == python  # type: ignore[union-attr]


def test_run_that_goes_on() -> None:
    """All bits of the results of a run in two parts are equal to the results of a single run."""
    world, _ = create_driven(False)
    whole = wl.Dynamic(world, step=1e-3, end=0.06, lag=False, name="").solve()
    half = wl.Dynamic(world, step=1e-3, end=0.03, lag=False, name="").solve()
    again = wl.Dynamic(world, step=1e-3, end=0.06, lag=False, name="").solve(half, resume=True)
    assert_array_equal(again.q, whole.q)
    assert_array_equal(again.v, whole.v)


@pytest.mark.parametrize("name", PAIRS)
def test_without_compiler(name: str) -> None:
    """The values and derivatives of the kernel without compiler equal the values and derivatives of the compiled
    kernel.
    """
    ready, _ = PAIRS[name]
    plain, out = getattr(eval_ready, "py_func", eval_ready), np.zeros(1)
    for function in (ready, ready.differentiate(), ready.differentiate().differentiate()):
        for t in TIMES:
            plain(function.kind, function.order, function.numbers, t, out)
            assert function(t) == out[0]
