"""Tangents of Hunt-Crossley contact agree with central differences for all pairs of surfaces on all markers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from windlass.connectors import (
    ContactEllipsoid,
    ContactHalfSpace,
    ContactMaterial,
    ContactSet,
    ContactSphere,
    HuntCrossley,
    eval_contacts,
    facing,
    position_marker,
)
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D, RigidBody2D, RigidBody3D
from windlass.elements.nodes.nodes3d import Point3D
from windlass.elements.nodes.rotations import euler_parameters, rotation_matrix
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_matrix, assemble_vector
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.matrices import dense

# for contacts much deeper than h, the errors of central differences, relative to the forces, are h² (truncation) and
# eps/h (rounding)
TOLERANCE = 2e-8
TURNED = rotation_matrix(euler_parameters((1.0, -2.0, 0.5), 0.7))
FRICTION = {"static_friction": 0.6, "dynamic_friction": 0.4, "viscous_friction": 0.1}


def add_body(world: World, position: tuple[float, float, float], axis: tuple[float, float, float]) -> Entity:
    return world.add(
        RigidBody3D,
        position=position,
        euler_parameters=euler_parameters(axis, 0.8),
        velocity=(0.1, -0.2, 0.15, 0.0, 0.0, 0.0, 0.0),
        angular_velocity=(0.5, -0.7, 0.9),
        mass=1.0,
        inertia=(1.0, 1.0, 1.0),
    )


def add_point(world: World, position: tuple[float, float, float]) -> Entity:
    point = world.add(Point3D, position=position, velocity=(-0.3, 0.2, 0.1))
    world.add(MassPoint, node=point, mass=1.0)
    return point


def sphere_sphere(world: World, one: dict[str, Entity], two: dict[str, Entity]) -> None:
    """Create a sphere on a body and a sphere on a point. The first sphere has an offset from its marker, and the marker
    has an offset from the centre of the body.
    """
    body = add_body(world, (0, 0, 0), (1, 2, 3))
    marker = position_marker(world, body, (0.1, 0.2, -0.1))
    world.add(ContactSphere, marker=marker, position=(0.05, 0.0, 0.1), radius=0.5, **one)
    world.add(ContactSphere, marker=add_point(world, (0.5, 0.5, 0.4)), radius=0.4, **two)


def sphere_moving_plane(world: World, one: dict[str, Entity], two: dict[str, Entity]) -> None:
    """Create a sphere on a 3D body and a half space on a 2D body."""
    body = add_body(world, (0, 0, 0), (1, 2, 3))
    world.add(ContactSphere, marker=body, position=(0.0, 0.1, 0.0), radius=0.5, **one)
    plane = world.add(RigidBody2D, position=(0.3, -0.4), angle=0.3, velocity=(0.1, 0.2, 0.5), mass=1.0, inertia=1.0)
    marker = position_marker(world, plane, (0.1, 0.1))
    world.add(ContactHalfSpace, marker=marker, rotation=facing((0.3, 1, 0)), position=(0.02, 0.1, 0), **two)


def ellipsoid_planes(world: World, one: dict[str, Entity], two: dict[str, Entity]) -> None:
    """Create an ellipsoid between a half space on a body and a half space on the ground."""
    body = add_body(world, (0, 0, 0), (1, 2, 3))
    marker = position_marker(world, body, (0.1, 0.2, -0.1))
    world.add(ContactEllipsoid, marker=marker, semi_axes=(0.5, 0.8, 1.0), rotation=TURNED, **one)
    plane = position_marker(world, add_body(world, (0.1, 0.1, 1.0), (3, 1, 1)), (0.1, 0.0, 0.0))
    world.add(ContactHalfSpace, marker=plane, rotation=facing((0.2, -0.3, -1.0)), **two)
    world.add(ContactHalfSpace, marker=world.add(Ground), rotation=facing((1, 0, 0)), position=(-0.4, 0, 0), **two)


def ellipsoid_sphere(world: World, one: dict[str, Entity], two: dict[str, Entity]) -> None:
    """Create an ellipsoid on a body and a sphere on a point."""
    body = add_body(world, (0, 0, 0), (1, 2, 3))
    world.add(ContactEllipsoid, marker=body, semi_axes=(0.5, 0.8, 1.0), rotation=TURNED, **one)
    world.add(ContactSphere, marker=add_point(world, (0.4, 0.5, -0.5)), radius=0.4, **two)


def ellipsoid_ellipsoid(world: World, one: dict[str, Entity], two: dict[str, Entity]) -> None:
    """Create two ellipsoids at a distance from the centres of two bodies."""
    body = add_body(world, (0, 0, 0), (1, 2, 3))
    marker = position_marker(world, body, (0.1, 0.2, -0.1))
    world.add(ContactEllipsoid, marker=marker, semi_axes=(0.5, 0.8, 1.0), rotation=TURNED, **one)
    body = add_body(world, (0.5, 0.6, -0.4), (-1, 2, 0))
    columns = {"semi_axes": (0.7, 0.4, 0.6), "position": (0.1, 0.1, 0.1), "rotation": TURNED.T}
    world.add(ContactEllipsoid, marker=body, **columns, **two)


def on_a_cable(world: World, one: dict[str, Entity], two: dict[str, Entity]) -> None:
    """Create a sphere and an ellipsoid on markers of a cable. The positions and rotations of these markers are
    nonlinear functions of the coordinates.
    """
    nodes = [
        world.add(PointSlope2D, position=(x, y), slope=s, velocity=v)
        for x, y, s, v in (
            (-0.5, 0.3, (1.0, 0.1), (0.1, -0.2, 0.5, 0.3)),
            (0.5, 0.35, (1.0, 0.3), (-0.2, 0.1, 0.2, -0.6)),
        )
    ]
    free = {"mass_per_length": 1.0, "axial_stiffness": 1e-300, "bending_stiffness": 0.0}
    cable = world.add(Cable2D, node0=nodes[0], node1=nodes[1], length=1.0, **free)
    marker = position_marker(world, cable, (0.4, 0.1))
    world.add(ContactSphere, marker=marker, radius=0.25, position=(0.1, 0.1, 0.05), **one)
    body = add_body(world, (0, 0, 0), (1, 2, 3))
    world.add(ContactEllipsoid, marker=body, semi_axes=(0.5, 0.4, 0.45), rotation=TURNED, **two)


BUILDERS: list[Callable[..., None]] = [
    sphere_sphere,
    sphere_moving_plane,
    ellipsoid_planes,
    ellipsoid_sphere,
    ellipsoid_ellipsoid,
    on_a_cable,
]


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("moving", "columns"),
    [
        (1.0, {"transition_velocity": 5.0}),
        (1.0, {"transition_velocity": 0.01, "modulus_rule": "hertz"}),
        (0.0, {"transition_velocity": 0.3}),
    ],
    ids=["q < 1", "q > 1", "at rest"],
)
def test_tangent(builder: Callable[..., None], moving: float, columns: dict[str, Any]) -> None:
    """Derivatives with respect to position and velocity agree with differences. At rest, the derivative of the friction
    force with respect to the slip velocity is f ((2 u_s - u_d)/v_t + u_v).
    """
    world = World()
    contacts = world.add(ContactSet)
    materials = [
        world.add(ContactMaterial, plane_strain_modulus=1e4, dissipation=0.3, **FRICTION),
        world.add(ContactMaterial, plane_strain_modulus=3e4, dissipation=0.1, **FRICTION),
    ]
    builder(world, *({"contact_set": contacts, "material": m} for m in materials))
    force = world.add(HuntCrossley, contact_set=contacts, **columns)
    world.add(HuntCrossley, contact_set=contacts, transition_velocity=0.05)
    state = State(world)
    state.v *= moving
    found = eval_contacts(world, state, force)
    assert len(found.depth) and found.normal_force.min() > 0.0
    check_tangent(world, state, states=0, tolerance=TOLERANCE)


def test_no_tangent_without_force() -> None:
    """A contact that separates so fast that its force is 0, and a disabled contact, do not contribute to the
    tangent.
    """
    for velocity, enabled in ((50.0, True), (0.0, False)):
        world = World()
        columns = {"contact_set": world.add(ContactSet)}
        columns["material"] = world.add(ContactMaterial, plane_strain_modulus=1e4, dissipation=0.3)
        point = world.add(Point3D, position=(0.0, 0.0, 0.9), velocity=(0.0, 0.0, velocity))
        world.add(MassPoint, node=point, mass=1.0)
        world.add(ContactSphere, marker=point, radius=1.0, **columns)
        world.add(ContactHalfSpace, marker=world.add(Ground), rotation=facing((0, 0, 1)), **columns)
        world.add(HuntCrossley, contact_set=columns["contact_set"], enabled=enabled)
        state = State(world)
        assert not dense(assemble_matrix(world, state, 1.0, 1.0)).any()
        assert not assemble_vector(world, state).array.any()
