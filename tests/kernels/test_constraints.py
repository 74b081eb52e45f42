"""Tests of coordinate constraints: residuals, tangents (compared with central differences), time derivatives, and
constraints that are switched on and off.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import CoordinateConstraint, coordinate_marker, fix, prescribe, prescribe_velocity
from windlass.connectors.user_functions.time_functions import differentiate, differentiate_twice
from windlass.elements.nodes.nodes2d import Point2D, RigidNode2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.system import evaluate
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import check_fields


def offset(t: float) -> float:
    return 0.3 * np.sin(2.0 * t)


def offset_rate(t: float) -> float:
    return 0.6 * np.cos(2.0 * t)


def offset_acceleration(t: float) -> float:
    return -1.2 * np.sin(2.0 * t)


class Model:
    """Two nodes with a constraint of every kind, in a random state."""

    def __init__(self) -> None:
        self.world = world = World()
        self.nodes = world.add(RigidNode2D, position=[(0.0, 0.0), (1.0, 2.0)], angle=0.3)
        x = coordinate_marker(world, self.nodes, "x")
        y = coordinate_marker(world, self.nodes, "y")
        phi = coordinate_marker(world, self.nodes, "rotation")
        add = world.add
        self.rows: dict[str, Entity] = {
            "ground": fix(world, self.nodes[0], "x"),
            "pair": add(CoordinateConstraint, marker0=x[0], marker1=y[1], offset=0.2),
            "offset": add(CoordinateConstraint, marker0=y[0], marker1=x[1], offset_function=offset),
            "offset and rate": add(
                CoordinateConstraint, marker1=y[0], offset_function=offset, offset_rate_function=offset_rate
            ),
            "rate": add(CoordinateConstraint, marker0=phi[0], marker1=phi[1], velocity_level=True, rate=4.0),
            "rate function": prescribe_velocity(world, self.nodes[1], "rotation", offset),
            "off": add(CoordinateConstraint, marker0=x[0], marker1=x[1], offset_function=offset, active=False),
        }
        self.assembly = Assembly(world)
        random = np.random.default_rng(11)
        fields, n = self.assembly.fields, self.assembly.layout.spare
        fields.x[:n] += random.standard_normal(n)
        fields.v[:n] = random.standard_normal(n)
        fields.lam[:-1] = random.standard_normal(len(fields.lam) - 1)
        fields.t = 0.7
        self.assembly.update_markers()

    def evaluate(self) -> tuple[np.ndarray, np.ndarray]:
        fields = self.assembly.fields
        c, f = np.zeros_like(fields.lam), np.zeros_like(fields.x)
        self.assembly.update_markers()
        self.assembly.add_constraints(c, f)
        return c[:-1], f[:-1]


def test_residual() -> None:
    model = Model()
    fields = model.assembly.fields
    q = (fields.x[:-1] - model.assembly.layout.reference[:-1]).reshape(2, 3)
    v, lam, t = fields.v[:-1].reshape(2, 3), fields.lam, fields.t
    position = [q[0, 0], q[1, 1] - q[0, 0] - 0.2, q[1, 0] - q[0, 1] - offset(t), q[0, 1] - offset(t)]
    velocity = [v[1, 2] - v[0, 2] - 4.0, v[1, 2] - offset(t)]
    c, f = model.evaluate()
    assert_allclose(c, [*position, *velocity, lam[6]], atol=1e-15)
    fields.rate_level = True
    r = offset_rate(t)
    rates = [v[0, 0], v[1, 1] - v[0, 0], v[1, 0] - v[0, 1] - r, v[0, 1] - r]
    # the third rate is computed by a difference quotient in time
    c, f_rate = model.evaluate()
    assert_allclose(c, [*rates, *velocity, lam[6]], atol=1e-10)
    forces = [lam[0] - lam[1], lam[3] - lam[2], -lam[4], lam[2], lam[1], lam[4] + lam[5]]
    assert_allclose(f, forces, atol=1e-15)
    assert_allclose(f_rate, forces, atol=1e-15)


def test_tangent() -> None:
    """The tangents of linear equations agree with central differences up to rounding."""
    check_fields(Model().assembly, 1e-9, limit=1e-9)


def test_accelerations() -> None:
    model = Model()
    fields, t = model.assembly.fields, model.assembly.fields.t
    c = np.zeros_like(fields.lam)
    for constraint in model.assembly.constraints:
        constraint.acceleration(evaluate(fields, C=c))
    expected = [0.0, 0.0, offset_acceleration(t), offset_acceleration(t), 0.0, offset_rate(t), 0.0]
    # second differences are accurate to about half of the digits of a function, first differences to nearly all digits
    assert_allclose(c[:-1], expected, atol=1e-7)
    assert_allclose(c[3], expected[3], atol=1e-10)
    assert_allclose(c[5], expected[5], atol=1e-10)


def test_switching_and_outputs() -> None:
    model = Model()
    world = model.world
    state = State(world)
    state.lam[:] = np.arange(1.0, 8.0)
    state.q[:] = 0.1 * np.arange(6.0)
    state.v[:] = np.arange(6.0)
    state.t = 0.7
    assert_allclose(eval_output(model.rows["pair"], "force", state), 2.0)
    assert_allclose(eval_output(model.rows["pair"], "gap", state), 0.4 - 0.0 - 0.2)
    assert_allclose(eval_output(model.rows["offset"], "gap", state), 0.3 - 0.1 - offset(0.7), rtol=1e-14)
    assert_allclose(eval_output(model.rows["rate"], "gap", state), 5.0 - 2.0 - 4.0)
    assert eval_output(model.rows["off"], "force", state) == 0.0 == eval_output(model.rows["off"], "gap", state)
    world.set(model.rows["pair"], active=False)
    world.set(model.rows["off"], active=True)
    model.assembly.refresh()
    c, _ = model.evaluate()
    fields = model.assembly.fields
    assert c[1] == fields.lam[1]
    assert_allclose(c[6], fields.x[3] - 1.0 - fields.x[0] - offset(0.7), atol=1e-15)
    world.set(model.rows["ground"], offset=0.25)
    model.assembly.refresh()
    assert_allclose(model.evaluate()[0][0], fields.x[0] - 0.25, atol=1e-15)


def test_functions_of_inactive_rows_are_not_called() -> None:
    world = World()
    node = world.add(Point2D, position=(0.0, 0.0))

    def fail(t: float) -> float:
        raise AssertionError("called")

    constraint = prescribe(world, node, "x", fail)
    world.set(constraint, active=False)
    assembly = Assembly(world)
    c, f = np.zeros(2), np.zeros(3)
    assembly.add_constraints(c, f)
    assert not c.any() and not f.any()


@pytest.mark.parametrize("t", [0.0, 1e-5, 0.3, 7.0])
def test_differences_in_time(t: float) -> None:
    """Near t = 0, rates of prescribed functions are one-sided differences, because a function need not be defined
    before the start.
    """

    def function(time: float) -> np.ndarray:
        assert time >= 0.0
        return np.array(np.exp(-time) + time**2)

    first, second = differentiate(function), differentiate_twice(function)
    assert first is not None and second is not None
    # rounding errors are about 4 eps |f| / h and 20 eps |f| / h^2, where |f| is up to 50
    assert_allclose(first(t), -np.exp(-t) + 2 * t, atol=5e-9)
    assert_allclose(second(t), np.exp(-t) + 2.0, atol=1e-5)


def test_differences_of_a_ramp_that_begins_at_the_start() -> None:
    ramp: Callable[[float], np.ndarray] = lambda t: np.array(max(t, 0.0))  # noqa: E731
    first = differentiate(ramp)
    assert first is not None
    assert_allclose(first(0.0), 1.0, rtol=1e-9)
