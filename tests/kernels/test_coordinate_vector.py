"""Tests of constraints on vectors of coordinates: equations, tangents, accelerations, user functions, and a
pendulum.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import CoordinateVectorConstraint
from windlass.connectors.markers.position_markers import find_nodes
from windlass.elements import MassPoint, RigidBody2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.system import evaluate
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields


def circle(t: float, row: int, q: Any, v: Any) -> Any:
    return q[0] ** 2 + q[1] ** 2 * q[2] - 0.3 * t * q[3] ** 2 + np.sin(t)


def bent(t: float, row: int, q: Any, v: Any) -> Any:
    return v[0] * np.cos(q[2]) + v[1] * np.sin(q[2]) + v[3] ** 2 - 0.1 * t


def of_floats(t: float, row: int, q: Any, v: Any) -> float:
    return math.sin(q[0]) * q[3] + q[4]  # the function takes no complex numbers


def gradient(t: float, row: int, q: Any, v: Any) -> Any:
    return [2 * q[0], 2 * q[1] * q[2], q[1] ** 2, -0.6 * t * q[3], 0.0]


FACTORS = {"factors0": (1.0, -2.0, 0.5), "factors1": (0.3, 0.7), "squares0": (0.2, 0.0, -0.4), "squares1": (1.0, 0.1)}
CASES: dict[str, dict[str, Any]] = {
    "factors": {**FACTORS, "offset_function": lambda t: 0.1 * t**2},
    "velocities": {**FACTORS, "velocity_level": True, "offset": 0.3},
    "one node": {"factors1": (1.0, 2.0)},
    "function": {"constraint_function": circle},
    "function with gradient": {"constraint_function": circle, "gradient_function": gradient},
    "function of floats": {"constraint_function": of_floats},
    "function of velocities": {"constraint_function": bent, "velocity_level": True},
    "off": {**FACTORS, "active": False},
}


def create(**columns: Any) -> tuple[World, Entity]:
    """Create a constraint between a body and a point in 2D."""
    world = World()
    body = world.add(RigidBody2D, position=(0.2, 0.3), mass=2.0, inertia=0.5)
    point = world.add(MassPoint, position=(1.0, 0.1), mass=1.0)
    nodes = [find_nodes(world, e) for e in (body, point)]
    first = {} if set(columns) == {"factors1"} else {"node0": nodes[0]}
    return world, world.add(CoordinateVectorConstraint, **first, node1=nodes[1], **columns)


@pytest.mark.parametrize("name", CASES)
def test_tangent_and_acceleration(name: str) -> None:
    world, _ = create(**CASES[name])
    assembly = Assembly(world)
    set_random_fields(assembly, 1)
    fields = assembly.fields
    fields.t = 0.7
    check_fields(assembly, 1e-6)
    # J a = rhs keeps the rate of C constant: rhs = -dC/dt at constant velocities
    x, h = fields.x.copy(), 1e-4
    fields.rate_level = True
    found = []
    for sign in (1.0, -1.0):
        fields.x[:], fields.t = x + sign * h * fields.v, 0.7 + sign * h
        c = np.zeros_like(fields.lam)
        assembly.add_constraints(c, np.zeros_like(fields.x))
        found.append(c[0])
    fields.x[:], fields.t = x, 0.7
    rhs = np.zeros_like(fields.lam)
    assembly.constraints[0].acceleration(evaluate(fields, C=rhs))
    if name != "off":
        assert_allclose(rhs[0], -(found[0] - found[1]) / (2.0 * h), rtol=1e-5, atol=1e-6)


def test_equation_by_hand() -> None:
    world, row = create(**FACTORS, offset=0.2)
    state = wl.State(world)
    state.q[:] = (0.1, 0.2, 0.3, 0.4, 0.5)
    first = 0.1 - 0.4 + 0.15 + 0.2 * 0.01 - 0.4 * 0.09
    assert_allclose(wl.eval_output(row, "gap", state), 0.12 + 0.35 + 0.16 + 0.1 * 0.25 - first - 0.2, rtol=1e-14)


def test_pendulum_by_a_function() -> None:
    """A point that a constraint function keeps on a circle of radius 0.8 swings as a pendulum. The tension agrees with
    the closed form at the speed of the pendulum.
    """
    length, g = 0.8, 9.81

    def on_circle(t: float, row: int, q: Any, v: Any) -> Any:
        return 0.5 * ((q[0] + length) ** 2 + q[1] ** 2 - length**2) / length

    world = World(gravity=(0.0, -g))
    mass = world.add(MassPoint, position=(length, 0.0), mass=2.0)
    nodes = find_nodes(world, mass)
    rod = world.add(CoordinateVectorConstraint, node1=nodes, constraint_function=on_circle)
    names = {"position": mass, "velocity": mass, "force": rod}
    sensors = wl.Sensors(None, [wl.Sensor(entity, name, name=name) for name, entity in names.items()])
    wl.Dynamic(world, step=2e-3, end=0.3).solve(hooks=[sensors])
    x, v = sensors["position"], sensors["velocity"]
    assert_allclose(np.hypot(x[:, 0], x[:, 1]), length, rtol=1e-9)
    assert_allclose(0.5 * (v**2).sum(axis=1), -g * x[:, 1], atol=1e-4)
    # the tension is m v²/l - m g y/l
    assert_allclose(sensors["force"][5:], -3.0 * 2.0 * g * x[5:, 1] / length, atol=2e-2)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"factors1": (1.0,)}, r"factors1 of .* row 0 has 1 numbers: must have 2"),
        ({}, "has neither factors"),
        ({**FACTORS, "constraint_function": circle}, "has both factors"),
        ({**FACTORS, "gradient_function": gradient}, "is given without a constraint_function"),
        ({"constraint_function": lambda t, row, q, v: None}, "gave None at t = 0 s: must give one finite number"),
    ],
)
def test_errors(columns: dict[str, Any], message: str) -> None:
    world, _ = create(**columns)
    with pytest.raises(wl.ModelError, match=message):
        wl.Dynamic(world, step=1e-3, end=1e-3).solve()
