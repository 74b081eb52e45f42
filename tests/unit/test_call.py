"""Kernel calls with arguments that would change between evaluations raise an error. The arrays of columns are created
only once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import COORDINATE, CoordinateLoad, CoordinateSpringDamper, coordinate_marker
from windlass.elements import MassPoint
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.kernels.addresses import find_data
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program
from windlass.framework.model.law import LocalRows, law_of, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Evaluation, Fields, System, evaluate
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic


@kernel
def add(k: float, x: FloatArray, f: FloatArray) -> None:
    """Add k x to f."""
    for i in range(len(f)):
        f[i] += k * x[i]


@kernel
def add_at(time: FloatArray, x: FloatArray, f: FloatArray) -> None:
    """Add t x to f."""
    for i in range(len(f)):
        f[i] += time[0] * x[i]


def begin() -> Evaluation:
    """Prepare an evaluation with coordinates 1 and 2 at t = 0.25 s."""
    some = np.array([1.0, 2.0])
    return evaluate(Fields(some, some, some, some, some, some, time=np.array([0.25])), f=np.zeros(2), dq=3.0)


def call_directly(function: Any, s: Evaluation) -> None:
    function(s)


def call_in_program(function: Any, s: Evaluation) -> None:
    Program([(function, (s,))])()


WAYS = pytest.mark.parametrize("run", [call_directly, call_in_program])


@WAYS
def test_arguments_named_once(run: Callable[[Any, Evaluation], None]) -> None:
    """The arguments of a kernel call can be a tuple of arrays, or a function of the evaluation that returns this tuple.
    The results of both forms are equal.
    """
    some, total = np.array([1.0, 2.0]), np.zeros(2)
    run(call(add, (3.0, some, total)), begin())
    some[:] = 4.0
    run(call(add, (3.0, some, total)) + call(add, lambda s: (s.dq, s.x, total)), begin())
    assert_allclose(total, [18.0, 24.0], rtol=1e-15)


@WAYS
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda s: (s.t, s.x, s.f), r"arguments of call\(add\): s\.t would be stored .*: must be s\.time, an array"),
        (lambda s: (s.time[0], s.x, s.f), r"argument 0 of call\(add\) is the number .*0\.25.*, which changes"),
        (lambda s: (2.0 * float(s.time[0]), s.x, s.f), r"argument 0 of call\(add\) is the number 0\.5, which changes"),
        (lambda s: (float(s.data[1] > 0.0), s.x, s.f), r"argument 0 of call\(add\) is the number 1\.0, which changes"),
        (lambda s: (float(s.data[1] < 0.0), s.x, s.f), r"argument 0 of call\(add\) is the number 0\.0, which changes"),
        (
            lambda s: (1.0, 2.0 * s.x, s.f),
            r"argument 1 of call\(add\) is an array of shape \(2,\) that each evaluation creates",
        ),
        (lambda s: (1.0 / (1e18 - s.x[0]), s.x, s.f), "argument 0 of call.* which changes"),
        (lambda s: (1.0, s.x), r"call\(add\) has 2 arguments: must be 3, \(k, x, f\)"),
        (lambda s: (1.0, s.x, s.f, s.v), r"call\(add\) has 4 arguments: must be 3, \(k, x, f\)"),
        (lambda s: ([1.0, 2.0][int(s.x[0])], s.x, s.f), r"arguments of call\(add\) are computed \(list index out of"),
    ],
)
def test_what_changes_is_refused(
    run: Callable[[Any, Evaluation], None], arguments: Callable[[Any], tuple[Any, ...]], message: str
) -> None:
    """Arguments that are computed from time, coordinates or history are refused if they are numbers or temporary
    arrays.
    """
    with pytest.raises(ModelError, match=message):
        run(call(add, arguments), begin())


@WAYS
def test_time_in_its_array_is_that_of_the_evaluation(run: Callable[[Any, Evaluation], None]) -> None:
    """Numbers are accepted as arguments if they are parameters or factors. Each call reads the current time from the
    array of the time.
    """
    s = begin()
    run(call(add, lambda s: (s.dq, s.x, s.f)), s)
    assert_allclose(s.f, [3.0, 6.0], rtol=0)
    run(call(add_at, lambda s: (s.time, s.x, s.f)), s)
    assert_allclose(s.f, [3.25, 6.5], rtol=0)


class Ramp(Component):
    """Schema of a force -rate t on a coordinate, on the left-hand side."""

    marker = ref(COORDINATE, "the coordinate")
    rate = column("N/s", "growth of the force", default=1.0)


@kernel
def ramp(rate: FloatArray, dofs: Any, time: FloatArray, f: FloatArray) -> None:
    """f -= rate t."""
    for i in range(len(rate)):
        f[dofs[i, 0]] -= rate[i] * time[0]


@kernel
def frozen_ramp(rate: FloatArray, dofs: Any, t: float, f: FloatArray) -> None:
    """f -= rate t."""
    for i in range(len(rate)):
        f[dofs[i, 0]] -= rate[i] * t


def bind(rows: LocalRows) -> FloatArray:
    """Return the rates, shape (rows,)."""
    BOUND.append(len(rows.rows))
    return rows.local("rate")


def build(rows: LocalRows) -> System:
    """Create forces by one kernel or, if the test requests it, by a kernel that gets the time as a number."""
    rate = rows.columns
    system = System("Ramp", rows.dofs)
    system.residual = call(ramp, lambda s: (rate, rows.dofs, s.time, s.f))
    if FROZEN:
        system.residual = call(frozen_ramp, lambda s: (rate, rows.dofs, s.t, s.f))
    return system


BOUND: list[int] = []
FROZEN: list[bool] = []
register(Ramp, "connector", dofs="marker", bind=bind, build=build)


def push() -> State:
    """Accelerate a mass of 1 kg from rest by the force (6 N/s) t for 1 s, with the solution x = t³."""
    world = World()
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    world.add(Ramp, marker=coordinate_marker(world, mass, "x"), rate=6.0)
    return Dynamic(world, step=1e-3, end=1.0).solve()


def test_calls_with_other_arguments() -> None:
    """A stored call is used again only for the same arrays and for numbers with the same bits. Calls with other arrays
    or numbers, including the negative zero, are stored as new calls.
    """
    x, f, other = np.array([1.0, 2.0]), np.zeros(2), np.zeros(2)
    quick: Any = call(add, (0.0, x, f)).parts[0].quick
    for k in (3.0, 3.0, 0.5):
        quick(k, x, f)
    quick(0.5, x, other)
    x[:] = 10.0
    quick(0.5, x, other)
    assert f.tolist() == [6.5, 13.0] and other.tolist() == [5.5, 6.0]
    zero = np.array([-0.0, -0.0])
    for k, sign in ((0.0, False), (-0.0, True)):
        zero[:] = -0.0
        quick(k, x, zero)
        assert np.signbit(zero).tolist() == [sign, sign]


def test_time_is_not_frozen_in_a_solve() -> None:
    """The motion is x = t³ if the kernel reads the time from its array.

    If the kernel gets the time as a number, the call causes an error.
    """
    state = push()
    assert_allclose(state.q[0], 1.0, rtol=1e-5)
    FROZEN.append(True)
    try:
        with pytest.raises(ModelError, match=r"call\(frozen_ramp\): s\.t would be stored as a constant number"):
            push()
    finally:
        FROZEN.clear()


def test_columns_are_bound_once() -> None:
    """The arguments of the kernels of a row are created once and used for steps, outputs and sensors. The arguments are
    created again after a change of parameters.
    """
    BOUND.clear()
    push()
    assert BOUND == [1]
    world = World()
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    spring = world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, mass, "x"), stiffness=2.0)
    load = world.add(CoordinateLoad, marker=coordinate_marker(world, mass, "x"), value=3.0)
    state = State(world)
    state.q[0] = 0.5
    assert eval_output(spring, "force", state) == 1.0
    assert eval_output(load, "force", state) == 3.0
    rows = serial_assembly(world).local_rows(spring.table, spring.rows)
    columns = rows.columns
    eval_output(spring, "force", state)
    assert rows.columns is columns
    world.set(spring, stiffness=4.0)
    assert eval_output(spring, "force", state) == 2.0
    assert rows.columns is not columns
    law = law_of(CoordinateSpringDamper)
    assert law is not None
    assert law.bind is not None


@pytest.mark.parametrize(
    "array",
    [np.zeros(3), np.zeros((0, 2)), np.zeros((5, 4))[1:, 2:], np.zeros(3, [("a", np.float64), ("b", np.int64)])],
    ids=["vector", "empty", "view", "records"],
)
def test_address_of_the_data(array: Any) -> None:
    assert find_data(array) == array.ctypes.data
