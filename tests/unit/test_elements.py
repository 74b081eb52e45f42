"""Tests of nodes, bodies, cables and chains: allowed values, errors, simple results."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.elements import (
    Cable2D,
    Circle,
    Ground,
    MassPoint,
    Point2D,
    PointSlope2D,
    RigidBody2D,
    RigidNode2D,
    cable_around,
    nodes_of,
    straight_cable,
)
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_mass, assemble_matrix, assemble_vector
from windlass.framework.state.evaluate import eval_output, outputs_of
from windlass.framework.state.state import State

from support.matrices import dense

STIFF = {"mass_per_length": 1.0, "axial_stiffness": 100.0, "bending_stiffness": 2.0}


def create_nodes(world: World, count: int = 2) -> Entity:
    return world.add(PointSlope2D, position=np.stack((np.arange(float(count)), np.zeros(count)), axis=1))


def add_cable(world: World, **columns: Any) -> Entity:
    nodes = create_nodes(world)
    return world.add(Cable2D, **{"node0": nodes[0], "node1": nodes[1], "length": 1.0, **STIFF, **columns})


# cables


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"axial_stiffness": -1.0}, "axial_stiffness = -1.0 N in Cable2D row 0: must be > 0"),
        ({"axial_stiffness": np.nan}, "axial_stiffness = nan N in Cable2D row 0"),
        ({"bending_stiffness": -2.0}, r"bending_stiffness = -2.0 N m\^2 in Cable2D row 0: must be >= 0"),
        ({"mass_per_length": -2.0}, "mass_per_length = -2.0 kg/m in Cable2D row 0: must be >= 0"),
        ({"axial_damping": -2.0}, "axial_damping = -2.0 N s in Cable2D row 0: must be >= 0"),
        ({"bending_damping": np.inf}, r"bending_damping = inf N m\^2 s in Cable2D row 0"),
        ({"length": 0.0}, "length = 0.0 m in Cable2D row 0: must be > 0"),
        ({"length": np.nan}, "length = nan m in Cable2D row 0: must be > 0"),
        ({"reference_strain": np.nan}, "reference_strain = nan in Cable2D row 0: must be a finite number"),
        ({"integration": 3}, "integration = 3 in Cable2D row 0: must be one of 0, 1, 2"),
        ({"integration": 1.5}, "must be a whole number"),
        ({"EA": 3.0}, "Cable2D has no column 'EA': must be one of"),
        ({"axial_force_function": 3.0}, "axial_force_function in Cable2D row 0 = 3.0: must be a function"),
    ],
)
def test_values_of_cables(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        add_cable(World(), **columns)


def test_cable_needs_stiffness() -> None:
    world = World()
    nodes = create_nodes(world)
    with pytest.raises(ModelError, match=r"Cable2D needs mass_per_length \[kg/m\] \(.*\): must be >"):
        world.add(Cable2D, node0=nodes[0], node1=nodes[1], length=1.0)


@pytest.mark.parametrize("kind", [Ground, RigidNode2D])
def test_cable_needs_nodes_with_slope(kind: Any) -> None:
    world = World()
    other = world.add(kind, position=(0.0, 0.0, 0.0) if kind is Ground else (0.0, 0.0))
    with pytest.raises(ModelError, match=r"node1 in Cable2D row 0 = .*: must be a PointSlope2D"):
        add_cable(world, node1=other)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"strain_is_relative_to_reference": 1.5}, "= 1.5 in Cable2D row 0: must lie from 0 to 1"),
        ({"strain_is_relative_to_reference": -0.1}, "= -0.1 in Cable2D row 0: must lie from 0 to 1"),
        ({"axial_force_derivatives": len}, "axial_force_derivatives in Cable2D row 0: need axial_force_function"),
        (
            {"bending_moment_derivatives": len},
            "bending_moment_derivatives in Cable2D row 0: need bending_moment_function",
        ),
    ],
)
def test_checks_of_cables(columns: dict[str, Any], message: str) -> None:
    world = World()
    add_cable(world, **columns)
    with pytest.raises(ModelError, match=message):
        world.finalize()


def test_node_used_twice() -> None:
    world = World()
    nodes = world.add(PointSlope2D, position=[(0.0, 0.0), (1.0, 0.0)], name="rope node")
    world.add(Cable2D, node0=nodes, node1=nodes[[1, 1]], length=1.0, **STIFF)
    with pytest.raises(ModelError, match="node0 = node1 = rope node 1 in Cable2D row 1: must be two different nodes"):
        world.finalize()


def test_reference_slope_of_length_zero() -> None:
    world = World()
    node0 = world.add(PointSlope2D, position=(0.0, 0.0), slope=(1.0, 0.0))
    node1 = world.add(PointSlope2D, position=(0.0, 0.0), slope=(-1.0, 0.0))
    world.add(Cable2D, node0=node0, node1=node1, length=1.0, **STIFF)
    with pytest.raises(ModelError, match=r"slope r' is 0 at x = 0.5 m of Cable2D row 0"):
        world.finalize()


# nodes


@pytest.mark.parametrize("columns", [{"slope": (0.0, 0.0)}, {"displacement": (0.0, 0.0, -1.0, 0.0)}])
def test_slope_of_nodes(columns: dict[str, Any]) -> None:
    world = World()
    world.add(PointSlope2D, position=(0.0, 0.0), **columns)
    with pytest.raises(ModelError, match=r"= \(0, 0\) in PointSlope2D row 0: must have a length > 0"):
        world.finalize()


def test_nodes_that_share_a_position() -> None:
    """Two cables that share a position and have separate slopes form a hinge.

    The model has two coordinates fewer than a model with separate positions.
    """
    world = World()
    a, b = create_nodes(world)
    hinged = world.add(PointSlope2D, shares_position=b, slope=(0.0, 1.0))
    c = world.add(PointSlope2D, position=(1.0, 1.0), slope=(0.0, 1.0))
    ends = {"node0": [a, hinged], "node1": [b, c]}
    world.add(Cable2D, length=1.0, reference_strain=-0.1, **ends, **STIFF)
    world.finalize()
    assert world.numbering.count == 14
    assert_array_equal(world.dofs_of(hinged), [[*world.dofs_of(b)[0, :2], 8, 9]])
    state = State(world)
    f = assemble_vector(world, state).getArray()
    # both cables pull with 10 N
    assert_allclose(f[4:6], [10.0, -10.0], rtol=1e-12)
    state.q[4:6] = 0.1, 0.2
    assert_allclose(eval_output(hinged, "position", state), [1.1, 0.2, 0.0])
    assert dense(assemble_matrix(world, state)).shape == (14, 14)


def test_shared_positions_must_fit() -> None:
    for columns, message in [
        ({"position": (3.0, 0.0)}, r"position = \[3. 0.\] m in PointSlope2D row 2: must be the shared"),
        (
            {"velocity": (1.0, 0, 0, 0)},
            "in PointSlope2D row 2: must be 0, because the values of the node in shares_position",
        ),
    ]:
        world = World()
        _, b = create_nodes(world)
        world.add(PointSlope2D, shares_position=b, **columns)
        with pytest.raises(ModelError, match=message):
            world.finalize()
    world = World()
    _, b = create_nodes(world)
    world.add(PointSlope2D, shares_position=world.add(PointSlope2D, shares_position=b))
    with pytest.raises(ModelError, match="shares_position in PointSlope2D row 3: must be a node that does not share"):
        world.finalize()


def test_outputs_of_nodes() -> None:
    world = World()
    nodes = world.add(
        PointSlope2D, position=[(1.0, 2.0), (3.0, 4.0)], displacement=(0.1, 0.2, 0.0, 0.5), velocity=(1, 2, 3, 4)
    )
    rigid = world.add(RigidNode2D, position=(5.0, 6.0), angle=0.3, displacement=(0, 0, 7.0), velocity=(0, 0, 2.0))
    point = world.add(Point2D, position=(7.0, 8.0))
    world.finalize()
    state = State(world)
    state.a[:] = np.arange(len(state.a))
    assert_allclose(eval_output(nodes, "position", state), [[1.1, 2.2, 0], [3.1, 4.2, 0]])
    assert_allclose(eval_output(nodes, "displacement", state), [[0.1, 0.2, 0]] * 2)
    assert_allclose(eval_output(nodes, "coordinates", state), [[0.1, 0.2, 0, 0.5]] * 2)
    assert_allclose(eval_output(nodes, "coordinates_rate", state), [[1, 2, 3, 4]] * 2)
    assert_allclose(eval_output(nodes, "velocity", state), [[1, 2, 0]] * 2)
    assert_allclose(eval_output(nodes, "acceleration", state), [[0, 1, 0], [4, 5, 0]])
    assert_allclose(eval_output(rigid, "rotation", state), 7.3)
    assert_allclose(eval_output(rigid, "angular_velocity", state), 2.0)
    assert_allclose(eval_output(rigid, "angular_acceleration", state), 10.0)
    assert_allclose(eval_output(point, "position", state), [7, 8, 0])


# bodies


def test_rigid_body_creates_its_node() -> None:
    world = World(gravity=(1.0, -10.0, 3.0))
    place = {"position": [(0.0, 1.0), (2.0, 3.0)], "angle": 0.5, "velocity": (1.0, 2.0, 3.0)}
    bodies = world.add(RigidBody2D, **place, mass=[2.0, 4.0], inertia=[0.5, 0.7])
    assert len(bodies) == 2
    world.finalize()
    state = State(world)
    assert_allclose(np.diag(dense(assemble_mass(world, state))), [2, 2, 0.5, 4, 4, 0.7])
    assert_allclose(assemble_vector(world, state).getArray(), [-2, 20, 0, -4, 40, 0])
    assert_allclose(eval_output(bodies, "rotation", state), [0.5, 0.5])
    assert_allclose(eval_output(bodies, "velocity", state), [[1, 2, 0]] * 2)
    assert_allclose(eval_output(bodies, "kinetic_energy", state), [5 + 0.25 * 9, 10 + 0.35 * 9])


def test_rigid_body_on_a_node() -> None:
    world = World()
    node = world.add(RigidNode2D, position=(1.0, 2.0))
    body = world.add(RigidBody2D, node=node, mass=1.0, inertia=1.0)
    world.finalize()
    assert_array_equal(world.dofs_of(body), world.dofs_of(node))
    assert_allclose(eval_output(body, "position", State(world)), [1, 2, 0])


def test_mass_point() -> None:
    world = World(gravity=(0.0, -10.0))
    points = world.add(MassPoint, position=[(0.0, 1.0), (2.0, 3.0)], velocity=(3.0, 4.0), mass=2.0)
    world.finalize()
    state = State(world)
    assert_allclose(dense(assemble_mass(world, state)), 2 * np.eye(4))
    assert_allclose(assemble_vector(world, state).getArray(), [0, 20, 0, 20])
    assert_allclose(eval_output(points, "kinetic_energy", state), [25, 25])


@pytest.mark.parametrize(
    ("kind", "columns", "message"),
    [
        (
            RigidBody2D,
            {"mass": -1.0, "inertia": 1.0, "position": (0, 0)},
            "mass = -1.0 kg in RigidBody2D row 0: must be >= 0",
        ),
        (
            RigidBody2D,
            {"mass": 1.0, "inertia": np.nan, "position": (0, 0)},
            r"inertia = nan kg m\^2 in RigidBody2D row 0",
        ),
        (RigidBody2D, {"mass": 1.0, "inertia": 1.0}, r"RigidBody2D needs node \(a RigidNode2D\) or position \[m\]"),
        (RigidBody2D, {"mass": 1.0, "inertia": 1.0, "position": (0, 0, 0)}, "position in RigidNode2D row 0 has shape"),
        (MassPoint, {"mass": -1.0, "position": (0, 0)}, "mass = -1.0 kg in MassPoint row 0: must be >= 0"),
        (MassPoint, {"mass": 1.0}, r"MassPoint needs node \(a Point2D\) or position \[m\]"),
    ],
)
def test_values_of_bodies(kind: Any, columns: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        World().add(kind, **columns)


def test_body_has_one_place() -> None:
    world = World()
    node = world.add(RigidNode2D, position=(0.0, 0.0))
    with pytest.raises(ModelError, match="RigidBody2D has node and position: give either"):
        world.add(RigidBody2D, node=node, position=(0.0, 0.0), mass=1.0, inertia=1.0)
    with pytest.raises(ModelError, match=r"node in MassPoint row 0 = .*: must be a Point2D"):
        world.add(MassPoint, node=node, mass=1.0)


def test_ground_has_no_coordinates() -> None:
    world = World()
    ground = world.add(Ground, position=(1.0, 2.0, 3.0))
    add_cable(world)
    world.finalize()
    assert world.dofs_of(ground).shape == (1, 0)
    assert_allclose(eval_output(ground, "position", State(world)), [1, 2, 3])


@pytest.mark.parametrize("kind", [Cable2D, PointSlope2D, Point2D, RigidNode2D, RigidBody2D, MassPoint, Ground])
def test_outputs_and_columns_are_described(kind: Any) -> None:
    world = World()
    table = Entity(world.table(kind), np.zeros(1, np.int64))
    outputs = outputs_of(table)
    assert "position" in outputs
    assert all(output.unit and output.doc for output in outputs.values())
    assert all(column.unit and column.doc for column in kind.columns.values())
    assert all(ref.doc for ref in kind.refs.values())


# chains


def test_straight_cable() -> None:
    world = World()
    cables = straight_cable(world, (0.0, 0.0), (3.0, 4.0), 4, **STIFF)
    nodes = nodes_of(world, cables)
    assert (len(cables), len(nodes)) == (4, 5)
    assert_allclose(cables.length, 1.25)
    assert_allclose(nodes.position, np.linspace(0, 1, 5)[:, None] * [3.0, 4.0])
    assert_allclose(nodes.slope, [[0.6, 0.8]] * 5)
    assert nodes[3].name == "cable node 3"
    assert_array_equal(nodes_of(world, cables[1:3]).rows, [1, 2, 3])
    world.finalize()
    assert_allclose(assemble_vector(world, State(world)).getArray(), 0, atol=1e-13)


def test_given_length_prestretches() -> None:
    world = World()
    cables = straight_cable(world, (0.0, 0.0), (1.0, 0.0), 2, length=0.4, **STIFF)
    assert_allclose(cables.length, 0.4)
    with pytest.raises(ModelError, match=r"rope: .*start"):
        straight_cable(world, (0.0, 0.0), (0.0, 0.0), 2, name="rope", **STIFF)
    with pytest.raises(ModelError, match="elements = 0"):
        straight_cable(world, (0.0, 0.0), (1.0, 0.0), 0, **STIFF)


def test_cable_around_bodies_equals_cable_around_circles() -> None:
    r, d, offset = 0.09995, 0.1 * pi, 5e-5
    world, other = World(), World()
    pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=50.0, inertia=0.25) for x in (0.0, d)]
    belt = cable_around(world, pulleys, 60, radius=r, radial_offset=offset, **STIFF)
    circles = [Circle((x, 0.0), r, "right") for x in (0.0, d)]
    same = cable_around(other, circles, 60, radial_offset=offset, **STIFF)
    nodes = nodes_of(world, belt)
    assert len(nodes) == len(belt) == 60
    assert_array_equal(nodes.position, nodes_of(other, same).position)
    assert_allclose(belt.length.sum(), 2 * d + 2 * pi * (r + offset), rtol=1e-14)
    # the belt begins at the top of the left pulley, runs clockwise, and ends where it began
    assert_allclose(nodes[0].position, [0.0, r + offset], atol=1e-15)
    assert_allclose(nodes[0].slope, [1.0, 0.0], atol=1e-15)
    assert belt[-1].node1 == belt[0].node0
    assert belt[0].name == "belt 0"
    world.finalize()


def test_sides_and_nodes_as_circles() -> None:
    world = World()
    centers = [world.add(RigidNode2D, position=(x, 0.0)) for x in (0.0, 3.0)]
    crossed = cable_around(world, centers, 40, radius=[1.0, 0.5], sides=["right", "left"], **STIFF)
    # crossed belt: both spans have the length sqrt(d² - (r0 + r1)²), and both wrap angles are π + 2 asin((r0 + r1)/d)
    expected = 2 * np.sqrt(9 - 2.25) + 1.5 * (pi + 2 * np.arcsin(0.5))
    assert_allclose(crossed.length.sum(), expected, rtol=1e-12)


def test_open_cable_around_a_circle() -> None:
    world = World()
    cables = cable_around(
        world, [Circle((0.0, 0.0), 1.0, "right")], 10, closed=False, start=(-1.0, -2.0), end=(1.0, -2.0), **STIFF
    )
    nodes = nodes_of(world, cables)
    assert len(nodes) == 11
    assert_allclose(cables.length.sum(), 4 + pi)
    assert_allclose(nodes[10].position, [1.0, -2.0], atol=1e-14)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, r"circle <RigidBody2D 0> has no radius: give radius \[m\] > 0, or a Circle"),
        ({"radius": -1.0}, "circle <RigidBody2D 0>: radius = -1.0 m"),
        ({"radius": [1.0]}, "1 radii and 2 sides for 2 circles"),
        ({"radius": 2.0, "sides": ["left", "right"]}, "belt: .*common tangent"),
        ({"radius": 1.0, "elements": 1}, "belt: elements = 1"),
    ],
)
def test_errors_of_chains(columns: dict[str, Any], message: str) -> None:
    world = World()
    pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=50.0, inertia=0.25) for x in (0.0, 3.0)]
    with pytest.raises(ModelError, match=message):
        cable_around(world, pulleys, **{"elements": 10, **STIFF, **columns})


def test_nodes_of_what_is_no_cable() -> None:
    world = World()
    with pytest.raises(ModelError, match="has no node0 and node1: must be cables"):
        nodes_of(world, create_nodes(world))
