"""Tests of rotation markers: allowed values, and errors for other values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CoordinateLoad,
    RotationCoordinate,
    coordinate_marker,
    fix,
    position_marker,
    rotation_marker,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, RigidNode2D, euler_parameters, straight_cable
from windlass.framework.errors import ModelError
from windlass.framework.model.history import GenericData
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State

QUARTER = euler_parameters((0.0, 0.0, 1.0), 0.5 * np.pi)


def add_bodies(world: World, count: int = 1, **values: Any) -> Entity:
    return world.add(RigidBody3D, position=np.zeros((count, 3)), mass=1.0, inertia=1.0, **values)


def raises(words: str) -> Any:
    return pytest.raises(ModelError, match=re.escape(words))


@pytest.mark.parametrize(
    "axis",
    [
        (0.0, 0.0, 0.0),
        (np.nan, 0.0, 1.0),
        (np.inf, 0.0, 0.0),
        (1.0, 0.0),
        1.0,
        "w",
        "",
        None,
        [],
        [(1, 0, 0), (0, 0, 0)],
    ],
)
@pytest.mark.parametrize("kind", ["body", "plane", "ground"])
def test_wrong_axes(axis: Any, kind: str) -> None:
    world = World()
    entities = {
        "body": add_bodies(world),
        "plane": world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0),
        "ground": world.add(Ground),
    }
    with raises(f"axis = {axis!r}: must be 'x', 'y', 'z', or 3 finite numbers with a length > 0 [1]"):
        rotation_marker(world, entities[kind], axis)


def test_wrong_axes_of_rows() -> None:
    world = World()
    bodies = add_bodies(world, 3)
    with raises("axis has 2 rows for"):
        rotation_marker(world, bodies, np.eye(3)[:2])
    node = world.entity(int(bodies.node[0]))
    with raises("axis = (0, 0, 0) in RotationCoordinate row 1: must have a length > 0 [1]"):
        world.add(RotationCoordinate, node=node, axis=[(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    with raises("axis[1] = nan in RotationCoordinate row 0"):
        world.add(RotationCoordinate, node=node, axis=(0.0, np.nan, 0.0))
    with raises("axis in RotationCoordinate row 0 has shape (2,)"):
        world.add(RotationCoordinate, node=node, axis=(0.0, 1.0))
    with raises("in RotationCoordinate row 0"):
        world.add(RotationCoordinate, node=node, axis="z")


def test_entities_without_rotation() -> None:
    world = World()
    mass = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=1.0)
    cable = straight_cable(world, (0, 0), (1, 0), 1, axial_stiffness=1.0, bending_stiffness=1.0, mass_per_length=1.0)
    point = world.entity(int(mass.node))
    for entity in (mass, point, cable, world.entity(int(cable.node0)), position_marker(world, mass)):
        with raises("has no rotation: must be a rigid body, a rigid node, Beam2D, Beam3D, or Ground"):
            rotation_marker(world, entity)
    with raises("in RotationCoordinate row 0 = <MassPoint"):
        world.add(RotationCoordinate, node=mass)
    body = add_bodies(world)
    with raises("must be one of x, y, z, e0, e1, e2, e3, rotation x, rotation y, rotation z"):
        coordinate_marker(world, body, "rotation")


def test_bodies_in_the_plane() -> None:
    world = World()
    body = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    for entity in (body, world.add(RigidNode2D, position=(0.0, 0.0))):
        marker = rotation_marker(world, entity, (0.0, 0.0, 2.0))
        assert marker.kind == "NodeCoordinate" and int(marker.coordinate) == 2
    for axis in ("x", (0.0, 0.0, -1.0)):
        with raises("must be 'z' or (0, 0, 1), the only axis of 2D rotation"):
            rotation_marker(world, body, axis)


def test_forms() -> None:
    world = World()
    ground = rotation_marker(world, None)
    assert rotation_marker(world, world.add(Ground), "x") is ground is coordinate_marker(world, None)
    assert rotation_marker(world, ground) is ground
    bodies = add_bodies(world, 3, euler_parameters=[QUARTER, (1.0, 0.0, 0.0, 0.0), QUARTER])
    for body, axis in ((bodies, "x"), ([bodies[0], bodies[1], bodies[2]], (2.0, 0.0, 0.0))):
        marker = rotation_marker(world, body, axis)
        assert len(marker) == 3 and rotation_marker(world, marker) is marker
        assert_allclose(marker.axis / np.linalg.norm(marker.axis, axis=1)[:, None], [(1.0, 0.0, 0.0)] * 3)
    one = bodies[0]
    assert len(rotation_marker(world, one, "y", global_axis=True)) == 1
    assert_allclose(rotation_marker(world, bodies, "y", global_axis=True).axis[:, 0], (1.0, 0.0, 1.0), atol=1e-15)
    assert_allclose(rotation_marker(world, one, np.eye(3), global_axis=True).axis[1], (1.0, 0.0, 0.0), atol=1e-15)
    assert_allclose(rotation_marker(world, one, [(0.0, 1.0, 0.0)]).axis, (0.0, 1.0, 0.0))
    assert_allclose(coordinate_marker(world, one, "rotation z").axis, (0.0, 0.0, 1.0))
    assert int(rotation_marker(world, world.entity(int(one.node))).node) == int(one.node)
    assert len(fix(world, bodies, "rotation x", "z")) == 6


def test_history_values() -> None:
    """Angles are measured from the initial values. If history values are given, the initial angle can contain full
    turns.
    """
    world = World()
    start = euler_parameters((0.0, 0.0, 1.0), 5.0) - (1.0, 0.0, 0.0, 0.0)
    body = add_bodies(world, displacement=(0.0, 0.0, 0.0, *start))
    node, data = world.entity(int(body.node)), world.add(GenericData, initial=[8.0 * np.pi])
    ahead = world.add(RotationCoordinate, node=node, data=data)
    world.add(CoordinateLoad, marker=[rotation_marker(world, body), ahead])
    state = State(world)
    columns = state.assembly.load_fields(state).markers["coordinate marker"]
    assert_allclose(np.sort(columns.value), (5.0, 5.0 + 8.0 * np.pi), rtol=1e-14)
    for initial, words in (([[0.0, 0.0]], "has 2 values: must have 1"), ([[0.0]], "are the same row")):
        world = World()
        node = world.entity(int(add_bodies(world).node))
        data = world.add(GenericData, initial=initial)
        world.add(RotationCoordinate, node=node, axis=np.eye(3)[:2], data=data)
        with raises(words):
            world.finalize()


def test_reversed_at_the_start() -> None:
    world = World()
    start = euler_parameters((1.0, 0.0, 0.0), np.pi) - (1.0, 0.0, 0.0, 0.0)
    rotation_marker(world, add_bodies(world, displacement=(0.0, 0.0, 0.0, *start)))
    with raises("axis = [0. 0. 1.] in RotationCoordinate row 0 is rotated by 180° from the reference"):
        world.finalize()


def test_outputs_need_a_user() -> None:
    world = World()
    marker = rotation_marker(world, add_bodies(world))
    with raises("no load, connector or constraint refers to RotationCoordinate 0"):
        eval_output(marker, "angle", State(world))
