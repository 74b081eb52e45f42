"""Tests of the columns of 3D bodies: allowed values, and errors for other values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    ContactCircleCable2D,
    Force,
    add_contact,
    clamp,
    coordinate_marker,
    fix,
    hinge,
    position_marker,
    rigid_marker,
)
from windlass.elements import (
    MassPoint,
    Point3D,
    RigidBody3D,
    RigidNode3D,
    euler_parameter_rates,
    euler_parameters,
    euler_parameters_of,
    straight_cable,
)
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

TURNED = euler_parameters((1.0, 2.0, 3.0), 0.7)


def add_body(world: World, **values: Any) -> Entity:
    columns: dict[str, Any] = {"position": (0.0, 0.0, 0.0), "mass": 1.0, "inertia": (1.0, 2.0, 2.5)}
    return world.add(RigidBody3D, **(columns | values))


def raises(words: str) -> Any:
    return pytest.raises(ModelError, match=re.escape(words))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"euler_parameters": (1.0, 1.0, 0.0, 0.0)}, "with length 1.41421356 in RigidNode3D row 0: must have length 1"),
        ({"euler_parameters": (0.0, 0.0, 0.0, 0.0)}, "with length 0 in RigidNode3D row 0: must have length 1"),
        ({"euler_parameters": (0.7071, 0.7071, 0.0, 0.0)}, "must have length 1 [1]; divide by the length"),
        ({"euler_parameters": (np.nan, 0.0, 0.0, 0.0)}, "euler_parameters[0] = nan in RigidNode3D row 0"),
        ({"euler_parameters": (1.0, 0.0, 0.0)}, "euler_parameters in RigidNode3D row 0 has shape (3,)"),
        ({"displacement": (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0)}, "euler_parameters + displacement"),
        ({"velocity": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}, "changes their length by 1 1/s: must be 0"),
        (
            {"velocity": (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0), "angular_velocity": (1.0, 0.0, 0.0)},
            "angular_velocity and another velocity of e0..e3: give one of them",
        ),
        ({"velocity": (0.0, 0.0)}, "velocity in RigidNode3D row 0 has shape (2,)"),
        ({"angular_velocity": (np.inf, 0.0, 0.0)}, "angular_velocity[0] = inf rad/s in RigidNode3D row 0"),
        ({"inertia": (1.0, 1.0, 0.0)}, "in RigidBody3D row 0 has the principal moments [0. 1. 1.] kg m^2"),
        ({"inertia": (1.0, 1.0, 1.0, 2.0, 0.0, 0.0)}, "must be positive definite, all > 0"),
        ({"inertia": np.diag((1.0, -1.0, 1.0))}, "must be positive definite, all > 0"),
        ({"inertia": [[1.0, 0.1, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.0]]}, "must be symmetric"),
        ({"inertia": 0.0}, "has the principal moments [0. 0. 0.] kg m^2"),
        ({"inertia": (1.0, 2.0)}, "inertia in RigidBody3D row 0 has shape (2,): must be a number or numbers of shape"),
        ({"inertia": [(1.0, 2.0, 2.5)] * 2}, "has shape (2, 3): must be a number or numbers of shape"),
        ({"inertia": (np.nan, 1.0, 1.0)}, "inertia[0][0] = nan kg m^2 in RigidBody3D row 0"),
        ({"inertia": "heavy"}, "expected numbers of shape (3, 3) [kg m^2]"),
        ({"mass": 0.0}, "mass = 0.0 kg in RigidBody3D row 0: must be > 0"),
        ({"center_of_mass": (0.0, np.inf, 0.0)}, "center_of_mass[1] = inf m in RigidBody3D row 0"),
        ({"position": (0.0, 0.0)}, "position in RigidNode3D row 0 has shape (2,)"),
    ],
)
def test_values_of_bodies(values: dict[str, Any], words: str) -> None:
    with raises(words):
        add_body(World(), **values)


def test_row_is_named() -> None:
    world = World()
    add_body(world)
    with raises("in RigidNode3D row 2: must have length 1"):
        add_body(world, position=np.zeros((2, 3)), euler_parameters=[(1.0, 0.0, 0.0, 0.0), (2.0, 0.0, 0.0, 0.0)])
    world = World()
    with raises("inertia in RigidBody3D row 1 has the principal moments"):
        add_body(world, position=np.zeros((2, 3)), inertia=[np.eye(3), -np.eye(3)])


def test_forms_of_inertia() -> None:
    tensor = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]])
    world = World()
    assert_allclose(add_body(world, inertia=tensor).inertia, tensor)
    assert_allclose(add_body(world, inertia=(2.0, 1.5, 1.1, 0.1, -0.2, 0.3)).inertia, tensor)
    assert_allclose(add_body(world, inertia=(2.0, 1.5, 1.1)).inertia, np.diag((2.0, 1.5, 1.1)))
    assert_allclose(add_body(world, inertia=2.0).inertia, 2.0 * np.eye(3))
    several = add_body(world, position=np.zeros((2, 3)), inertia=[(2.0, 1.5, 1.1, 0.1, -0.2, 0.3)] * 2)
    assert_allclose(several.inertia, [tensor] * 2)


def test_initial_velocities() -> None:
    world = World()
    spins = np.array([(1.0, 0.0, 0.0), (0.0, 2.0, -1.0)])
    bodies = add_body(world, euler_parameters=TURNED, angular_velocity=spins, velocity=(1.0, 2.0, 3.0))
    assert len(bodies) == 2
    world.finalize()
    v = world.numbering.velocity.reshape(2, 7)
    assert_allclose(v[:, :3], [(1.0, 2.0, 3.0)] * 2)
    assert_allclose(v[:, 3:], euler_parameter_rates(TURNED, spins), atol=1e-15)


def test_each_node_has_one_body() -> None:
    world = World()
    world.add(RigidNode3D, position=(0.0, 0.0, 0.0), name="frame")
    with raises("frame (RigidNode3D row 0) carries 0 bodies: must carry one RigidBody3D"):
        world.finalize()
    world = World()
    node = world.add(RigidNode3D, position=(0.0, 0.0, 0.0))
    for _ in range(2):
        world.add(RigidBody3D, node=node, mass=1.0, inertia=(1.0, 1.0, 1.0))
    with raises("carries 2 bodies"):
        world.finalize()
    with raises("RigidBody3D has node and position: give either"):
        add_body(World(), node=node)


def test_markers() -> None:
    world = World()
    body, point = add_body(world), world.add(Point3D, position=(1.0, 2.0, 3.0))
    assert_allclose(position_marker(world, body, (0.1, 0.2)).local, (0.1, 0.2, 0.0))
    assert_allclose(rigid_marker(world, body, (0.1, 0.2, 0.3)).local, (0.1, 0.2, 0.3))
    assert position_marker(world, point, (0.0, 0.0, 0.0)).kind == "NodePosition"
    mass = world.add(MassPoint, position=(1.0, 2.0, 3.0), mass=1.0)
    with raises("must be (0, 0), the only place that a MassPoint has"):
        position_marker(world, mass, (0.0, 0.0, 0.1))
    with raises("has no rotation"):
        rigid_marker(world, point)
    world.add(Force, marker=position_marker(world, mass), body_fixed=True)
    with raises("a body_fixed force must have a rigid marker"):
        world.finalize()


def test_supports() -> None:
    world = World()
    body, point = add_body(world, euler_parameters=euler_parameters((0.0, 1.0, 0.1), 3.0)), None
    point = world.add(Point3D, position=(0.0, 0.0, 0.0))
    assert len(hinge(world, body)) == len(hinge(world, point)) == 3
    held = clamp(world, body)
    markers = [world.entity(int(i)) for i in held.marker1]
    assert [int(m.coordinate) for m in markers] == [0, 1, 2, 3, 4, 6]
    assert len(fix(world, point, "z")) == 1
    with raises("coordinate 'rotation' of"):
        coordinate_marker(world, body, "rotation")
    both = add_body(world, position=np.zeros((2, 3)), euler_parameters=[TURNED, (0.0, 0.0, 0.0, 1.0)])
    with raises("the bodies have different rotations; clamp them one by one"):
        clamp(world, both)
    with raises("has no direction to hold; use hinge"):
        clamp(world, point)


def test_contact_of_cables_stays_in_the_plane() -> None:
    world = World()
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 2, axial_stiffness=1e3, bending_stiffness=1.0, mass_per_length=1.0
    )
    circle = rigid_marker(world, add_body(world))
    add_contact(world, ContactCircleCable2D, [circle], cables, segments=2, circle_radius=0.1, contact_stiffness=1e4)
    with raises("circle in ContactCircleCable2D row 0 is on a 3D body: must be a 2D marker"):
        world.finalize()


def test_errors_of_rotations() -> None:
    with raises("must be axes of 3 numbers with a length > 0"):
        euler_parameters((0.0, 0.0, 0.0), 1.0)
    with raises("must be axes of 3 numbers"):
        euler_parameters((1.0, 0.0), 1.0)
    for matrix in (np.diag((1.0, 1.0, -1.0)), 2.0 * np.eye(3), np.eye(2), np.full((3, 3), np.nan)):
        with raises("must be a rotation matrix of shape (3, 3)"):
            euler_parameters_of(matrix)
