"""Helper functions of connectors create the markers for an entity, or raise an error if the entity is not suitable."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CartesianSpringDamper,
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    Force,
    MassProportional,
    NodeCoordinate,
    PositionOnCable,
    Torque,
    clamp,
    coordinate_marker,
    fix,
    hinge,
    position_marker,
    prescribe,
    prescribe_velocity,
    rigid_marker,
)
from windlass.elements.bodies.mass_point import MassPoint
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes2d import Point2D, PointSlope2D, RigidNode2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.law import register
from windlass.framework.model.schema import Component, column
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World


def create_cable(world: World) -> Entity:
    nodes = [world.add(PointSlope2D, position=(float(i), 0.0)) for i in range(2)]
    return world.add(
        Cable2D,
        node0=nodes[0],
        node1=nodes[1],
        length=1.0,
        mass_per_length=1.0,
        axial_stiffness=1.0,
        bending_stiffness=1.0,
    )


def create_body(world: World) -> Entity:
    return world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)


def raises(words: str) -> Any:
    return pytest.raises(ModelError, match=re.escape(words))


def held(world: World, constraints: Entity) -> list[tuple[int, int]]:
    """List the pairs (node entity, coordinate) that constraints fix."""
    markers = [world.entity(int(i)) for i in np.atleast_1d(constraints.marker1)]
    return [(int(m.node), int(m.coordinate)) for m in markers]


class Weight(Component):
    """A component without a position."""

    mass = column("kg", "mass")


register(Weight, "passive")


def test_places() -> None:
    world = World()
    cable, body = create_cable(world), create_body(world)
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    with raises("must be (0, 0), the only place that a MassPoint has"):
        position_marker(world, mass, (0.1, 0.0))
    with raises("has shape (3,): must be (x, y) [m], or one such place per row"):
        position_marker(world, body, (0.1, 0.0, 0.2))
    with raises("at = 'left' on <RigidBody2D 0>: must be (x, y)"):
        position_marker(world, body, "left")
    with raises("x = -0.1 m in PositionOnCable row 0: must be >= 0"):
        position_marker(world, cable, (-0.1, 0.0))
    with raises("local[0] = nan m in PositionOnRigid2D row 0"):
        position_marker(world, body, (np.nan, 0.0))
    with raises("has no rotation: must be one of RigidBody2D"):
        rigid_marker(world, mass)
    with raises("has no rotation"):
        rigid_marker(world, position_marker(world, mass))
    with raises("has no position: must be a node, MassPoint, rigid body, Cable2D or Ground"):
        position_marker(world, world.add(Weight, mass=1.0))
    with raises("handles to rows of different kinds (RigidBody2D, MassPoint): must be of one kind"):
        position_marker(world, [body, mass])
    with raises("[]: must be a handle, or a list of handles"):
        position_marker(world, [])


def test_cable_place_beyond_the_end() -> None:
    world = World()
    world.add(PositionOnCable, cable=create_cable(world), x=1.5)
    with raises("x = 1.5 m in PositionOnCable row 0: must be <= 1.0 m, the cable's length"):
        world.finalize()


def test_wrong_kinds_of_marker() -> None:
    world = World()
    body, mass = create_body(world), world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    point, coordinate = position_marker(world, mass), coordinate_marker(world, mass, "x")
    with raises("must be a position marker"):
        world.add(Force, marker=coordinate)
    with raises("must be a position marker"):
        world.add(Force, marker=body)
    with raises("must be a rigid marker"):
        world.add(Torque, marker=point)
    with raises("must be a coordinate marker"):
        world.add(CoordinateLoad, marker=point)
    with raises("must be a coordinate marker"):
        world.add(CoordinateConstraint, marker1=point)
    with raises("must be a position marker"):
        world.add(CartesianSpringDamper, marker0=point, marker1=coordinate)
    with raises("must be a body"):
        world.add(MassProportional, body=point)
    world.add(Force, marker=point, body_fixed=True)
    with raises("marker in Force row 0 is a NodePosition: a body_fixed force must have a rigid marker"):
        world.finalize()


def test_parameters() -> None:
    world = World()
    mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
    point, x = position_marker(world, mass), coordinate_marker(world, mass, "x")
    with raises("stiffness[1] = -1.0 N/m in CartesianSpringDamper row 0: must be >= 0"):
        world.add(CartesianSpringDamper, marker0=point, marker1=point, stiffness=(1.0, -1.0, 0.0))
    with raises("damping = nan N s/m in CoordinateSpringDamper row 0"):
        world.add(CoordinateSpringDamper, marker1=x, damping=np.nan)
    with raises("vector in Force row 0 has shape (2,)"):
        world.add(Force, marker=point, vector=(1.0, 2.0))
    with raises("function in Force row 0 = 3.0: must be a function"):
        world.add(Force, marker=point, function=3.0)


def test_coordinates() -> None:
    world = World()
    cable, body = create_cable(world), create_body(world)
    with raises("coordinate 'z' of <RigidBody2D 0>: must be one of x, y, rotation"):
        coordinate_marker(world, body, "z")
    with raises("must be a node, or a body with one node"):
        coordinate_marker(world, cable, "x")
    world.add(NodeCoordinate, node=world.entity(int(cable.node0)), coordinate=4)
    with raises("coordinate = 4 in NodeCoordinate row 0: must be < 4, a PointSlope2D has x, y, x', y'"):
        world.finalize()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"velocity_level": True, "offset": 1.0}, "offset of CoordinateConstraint row 0 has no effect"),
        ({"velocity_level": True, "offset_function": float}, "offset_function of CoordinateConstraint row 0 has no"),
        ({"rate": 1.0}, "rate of CoordinateConstraint row 0 has no effect with velocity_level = False"),
        ({"rate_function": float}, "rate_function of CoordinateConstraint row 0 has no effect"),
        ({"offset_rate_function": float}, "is given without an offset_function"),
    ],
)
def test_constraint_levels(values: dict[str, Any], words: str) -> None:
    world = World()
    x = coordinate_marker(world, world.add(Point2D, position=(0.0, 0.0)), "x")
    world.add(CoordinateConstraint, marker1=x, **values)
    with raises(words):
        world.finalize()


@pytest.mark.parametrize("bad", [np.nan, (1.0, 2.0), (1.0, 2.0, np.inf), "up", None])
def test_time_functions_name_row_and_time(bad: Any) -> None:
    world = World()
    point = position_marker(world, world.add(MassPoint, position=(0.0, 0.0), mass=1.0))
    world.add(Force, marker=point)
    world.add(Force, name="wind", marker=point, function=lambda t: bad)
    assembly = Assembly(world)
    assembly.fields.t = 0.25
    words = f"function of wind (Force row 1) gave {bad!r} at t = 0.25 s: must give finite numbers of shape (3,) [N]"
    for _ in range(2):  # a failed call is not counted
        with raises(words):
            assembly.add_loads(np.zeros(3))


def test_errors_of_user_functions_pass() -> None:
    world = World()
    point = position_marker(world, world.add(MassPoint, position=(0.0, 0.0), mass=1.0))

    def fail(t: float) -> float:
        raise KeyError("my table")

    world.add(Force, marker=point, function=fail)
    with pytest.raises(KeyError, match="my table"):
        Assembly(world).add_loads(np.zeros(3))


def test_user_forces() -> None:
    world = World()
    x = coordinate_marker(world, world.add(MassPoint, position=(0.0, 0.0), mass=1.0), "x")
    given: list[Any] = [np.nan, (1.0, 2.0)]
    springs = world.add(
        CoordinateSpringDamper,
        marker1=[x, x],
        force_function=[None, lambda *_: given[0]],
        force_derivative=[None, lambda *_: given[1]],
    )
    assembly = Assembly(world)
    assembly.update_markers()
    f, values = np.zeros(3), np.zeros(assembly.pattern.spare + 1)
    words = "force_function of CoordinateSpringDamper 1 (CoordinateSpringDamper row 1) gave nan at t = 0 s: must give"
    with raises(words):
        assembly.add_forces(f)
    given[0] = [1.0]
    with raises("gave [1.0] at t = 0 s: must give one finite number [N]"):
        assembly.add_forces(f)
    given[0] = 1.0
    assembly.add_forces(f)
    assert f[0] == 1.0
    assembly.add_tangent(values, 1.0, 10.0, 0.0, 0.0, 0.0)
    assert values[:-1].sum() == 21.0
    given[1] = 3.0
    with raises("force_derivative of CoordinateSpringDamper 1 (CoordinateSpringDamper row 1) gave 3.0 at t = 0 s"):
        assembly.add_tangent(values, 1.0, 0.0, 0.0, 0.0, 0.0)
    # if coordinates are not finite, as in a solve that diverges, no error names the user function as the cause
    assembly.fields.x[0] = np.nan
    assembly.update_markers()
    assembly.add_forces(f)
    assert np.isnan(f[0])
    world.set(springs, active=False)


def test_mass_proportional_without_mass() -> None:
    world = World()
    create_body(world)
    world.add(MassProportional, body=world.add(Ground))
    with raises("body in MassProportional row 0 is a Ground: must be a body with mass"):
        Assembly(world)


def test_fix() -> None:
    world = World()
    bodies = world.add(RigidBody2D, name="pulley", position=[(0.0, 0.0), (1.0, 0.0)], mass=1.0, inertia=1.0)
    nodes = [int(i) for i in bodies.node]
    constraints = fix(world, bodies, "y", "rotation")
    assert held(world, constraints) == [(nodes[0], 1), (nodes[1], 1), (nodes[0], 2), (nodes[1], 2)]
    assert constraints[0].name == "RigidBody2D, y fixed 0"
    assert fix(world, bodies[1], "x").name == "pulley 1, x fixed"
    with raises("without coordinate names: give some of x, y, rotation"):
        fix(world, bodies)
    with raises("coordinate 'phi' of"):
        fix(world, bodies, "x", "phi")


def test_prescribe() -> None:
    world = World()
    body = create_body(world)
    moved = prescribe(world, body, "x", 0.3)
    driven = prescribe_velocity(world, body, "rotation", 2.0)
    by_function = prescribe_velocity(world, body, "rotation", np.sin)
    assert (moved.offset, moved.velocity_level) == (0.3, False)
    assert (driven.rate, driven.velocity_level) == (2.0, True)
    assert by_function.rate_function is np.sin
    assert prescribe(world, body, "y", np.sin, np.cos).offset_rate_function is np.cos


def test_clamp_and_hinge() -> None:
    world = World()
    along_x = world.add(PointSlope2D, position=(0.0, 0.0), slope=(-1.0, 0.0))
    along_y = world.add(PointSlope2D, position=(0.0, 0.0), slope=(0.0, 1.0))
    oblique = world.add(PointSlope2D, position=(0.0, 0.0), slope=(0.6, 0.8))
    rigid = world.add(RigidNode2D, position=(0.0, 0.0))
    body = create_body(world)
    point = world.add(Point2D, position=(0.0, 0.0))

    def numbers(constraints: Entity) -> list[int]:
        return [coordinate for _, coordinate in held(world, constraints)]

    assert numbers(clamp(world, along_x)) == [0, 1, 3]
    assert numbers(clamp(world, along_y)) == [0, 1, 2]
    assert numbers(clamp(world, oblique)) == [0, 1, 2, 3]
    assert numbers(clamp(world, rigid)) == numbers(clamp(world, body)) == [0, 1, 2]
    assert numbers(hinge(world, body)) == numbers(hinge(world, along_x)) == numbers(hinge(world, point)) == [0, 1]
    with raises("a Point2D has no direction to hold; use hinge"):
        clamp(world, point)
    with raises("the slopes have different directions; clamp the nodes one by one"):
        clamp(world, [along_x, along_y])


def test_left_out_marker_is_the_ground() -> None:
    world = World()
    x = coordinate_marker(world, world.add(Point2D, position=(0.0, 0.0)), "x")
    spring = world.add(CoordinateSpringDamper, marker1=x, stiffness=1.0)
    constraint = world.add(CoordinateConstraint, marker1=x)
    ground = coordinate_marker(world, None)
    assert spring.marker0 == constraint.marker0 == ground.ids[0] and ground.node == -1
    assembly = Assembly(world)
    assembly.fields.x[0] = 2.0
    assembly.update_markers()
    f = np.zeros(3)
    assembly.add_forces(f)
    assert_allclose(f, (2.0, 0.0, -2.0))  # the last entry belongs to the ground
