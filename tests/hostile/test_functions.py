"""The user functions of every component return each wrong value. The error must name law, row and time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    ALENode,
    FibreCable2D,
    FibreCable3D,
    Ground,
    PointSlope2D,
    PointSlope3D,
    PointSlopeTwist3D,
    RigidBody2D,
    RigidBody3D,
    TableCable2D,
    TableCable3D,
    TwistCable3D,
    TwistFibreCable3D,
    TwistTableCable3D,
    TwistWorkingCable3D,
    WorkingCable2D,
    WorkingCable3D,
    generic_node,
    state_node,
    straight_beam,
    straight_cable,
)
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import REQUIRED, Component

from hostile.models import COMPONENTS, valid_value
from hostile.values import NONSENSE

FUNCTIONS = [(kind, name) for kind in COMPONENTS for name, col in kind.columns.items() if col.dtype is object]


def references(world: wl.World, kind: type[Component]) -> dict[str, Any]:
    """Return entities for the references of a row: a body with mass and the ground, or two nodes at two positions."""
    body = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    made = {
        "coordinate marker": [con.coordinate_marker(world, None), con.coordinate_marker(world, body, "x")],
        "position marker": [
            con.position_marker(world, world.add(Ground), (-2.0, 0.0)),
            con.position_marker(world, body),
        ],
        "rigid marker": [con.rigid_marker(world, body)],
        "body": [body],
        "PointSlope2D": [world.add(PointSlope2D, position=(x, 0.0)) for x in (0.0, 1.0)],
        "PointSlope3D": [world.add(PointSlope3D, position=(x, 0.0, 0.0)) for x in (0.0, 1.0)],
        "PointSlopeTwist3D": [world.add(PointSlopeTwist3D, position=(x, 0.0, 0.0)) for x in (0.0, 1.0)],
        "ALENode": [world.add(ALENode)],
        "state node": [world.add(state_node(2))],
        "node": [world.add(generic_node(1)) for _ in range(2)],
    }
    if kind is con.GenericJoint:
        ball = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
        made["rigid marker"] = [con.rigid_marker(world, world.add(Ground)), con.rigid_marker(world, ball)]
    targets = {ref.target for ref in kind.refs.values()}
    made |= {target: [rope(world)] for target in ("cable", "cable or beam") if target in targets}
    if "beam or twist cable" in targets:
        columns = {"stiffness": (1e3, 1e3, 1.0), "mass_per_length": 1.0, "rotary_inertia": 1.0}
        made["beam or twist cable"] = [straight_beam(world, (0.0, 0.0), (1.0, 0.0), 1, **columns)]
    single = len(kind.refs) == 1
    row, taken = {}, dict.fromkeys(made, 0)
    for name, ref in kind.refs.items():
        if ref.optional and ref.target not in made:
            continue
        some = made[ref.target]
        if ref.is_chain:
            row[name] = some
            continue
        row[name] = some[-1 if single else min(taken[ref.target], len(some) - 1)]
        taken[ref.target] += 1
    return row


def rope(world: wl.World) -> wl.Entity:
    """Create a cable with mass."""
    columns = {"axial_stiffness": 1e3, "bending_stiffness": 1.0, "mass_per_length": 1.0}
    return straight_cable(world, (0.0, 0.0), (1.0, 0.0), 1, **columns)


def row_of(world: wl.World, kind: type[Component], name: str) -> dict[str, Any]:
    """Return a row that can be evaluated."""
    row = {name: valid_value(col) for name, col in kind.columns.items() if col.default is REQUIRED}
    if kind is con.CoordinateVectorConstraint and name == "offset_function":
        row["factors1"] = (1.0,)
    if kind is TwistCable3D:
        row["bending_stiffness"] = 1.0
    if kind in (FibreCable2D, FibreCable3D, TwistFibreCable3D):
        row["slow_stiffness"] = 1.0
    if kind in (WorkingCable2D, WorkingCable3D, TwistWorkingCable3D):
        row |= {"working_strains": (0.0, 1.0), "working_tensions": (0.0, 0.5)}
    if kind in (TableCable2D, TableCable3D, TwistTableCable3D):
        row |= {"table_strains": (0.0, 1.0), "table_tensions": (0.0, 1.0)}
    return {**row, **references(world, kind)}


def companion(kind: type[Component], name: str) -> dict[str, Any]:
    """Return columns that a user function requires in addition: a function that returns its correct derivative, or a
    switch.
    """
    if name == "force_derivative":
        return {"force_function": lambda t, row, u, *_: 0.0 * np.asarray(u)}
    if kind is con.GenericJoint and name == "offset_rate_function":
        return {"offset_function": lambda t: np.zeros(6)}
    if name.endswith("_derivatives"):
        return {name.replace("derivatives", "function"): lambda t, x, *_: 0.0 * np.asarray(x)}
    beside: dict[str, dict[str, Any]] = {
        "offset_rate_function": {"offset_function": lambda t: 0.0},
        "rate_function": {"velocity_level": True},
        "load_derivative": {"load_function": lambda t, u, u_t: 0.0},
        "gradient_function": {"constraint_function": lambda t, row, q, v: q.sum()},
        "state_derivative": {"state_function": lambda t, y, u, u_t: 0.0 * y},
        "valve_derivative": {"valve_function": lambda t, u, u_t: (0.0, 0.0)},
    }
    return beside.get(name, {})


def wrong_results() -> Iterator[tuple[str, Any]]:
    """Return results that no function may give, for any shape."""
    for label, value in NONSENSE.items():
        if label != "generator":
            yield label, value
    yield from {"tuple of one": (1.0,), "True": True, "seven numbers": np.ones(7), "a matrix": np.ones((7, 7))}.items()


def evaluate(world: wl.World) -> None:
    """Evaluate all quantities whose evaluation calls functions of users."""
    state = wl.State(world)
    wl.assemble_vector(world, state)
    wl.assemble_matrix(world, state)
    # prescribed motions
    for method in ("trapezoidal_index2", "generalized_alpha"):
        wl.Dynamic(world, step=1e-3, end=1e-3, method=method, name="").solve(state)


@pytest.mark.parametrize(("kind", "name"), FUNCTIONS, ids=lambda item: getattr(item, "__name__", item))
def test_results(kind: type[Component], name: str) -> None:
    found, count, given = [], 0, [None]
    # cables with axial motion (ALE) use the laws of cables at rest
    law = kind.__name__.removeprefix("ALE")
    world = wl.World()
    row = world.add(kind, **row_of(world, kind, name), **companion(kind, name), **{name: lambda *_: given[0]})
    if kind is con.Fluid:
        # the function of a fluid is evaluated by a load that refers to the fluid
        world.add(con.FluidLoad, cable=rope(world), fluid=row, diameter=0.1)
    for label, value in wrong_results():
        given[0] = value
        count += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                evaluate(world)
        except ModelError as error:
            words = str(error)
            if not (name in words and law in words and "gave" in words and "must" in words):
                found.append(f"{label}: unclear: {words[:150]}")
            elif "t = 0" not in words or len(words) > 800:
                found.append(f"{label}: no time: {words[:150]}")
        except BaseException as error:
            found.append(f"{label}: {type(error).__name__}: {str(error)[:100]}")
        else:
            found.append(f"{label}: accepted")
    assert count > 50 and not found, f"{len(found)} of {count}:\n" + "\n".join(found)
