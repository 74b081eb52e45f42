"""Markers: every derivative that a marker provides agrees with central differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CoordinateLoad,
    Force,
    PositionOnCable,
    PositionOnGround,
    PositionOnRigid2D,
    coordinate_marker,
    position_marker,
    rigid_marker,
)
from windlass.connectors.markers import cable_coordinates as cc
from windlass.elements.bodies.mass_point import MassPoint
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.elements.cable.ale_cable2d import ALECable2D
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.cable.cable3d import Cable3D
from windlass.elements.cable.twist_cable import TwistCable3D
from windlass.elements.nodes.ale_node import ALENode
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes2d import Point2D, PointSlope2D, RigidNode2D
from windlass.elements.nodes.nodes3d import PointSlope3D
from windlass.elements.nodes.twist_node import PointSlopeTwist3D
from windlass.elements.routes.beam_lines import straight_beam
from windlass.elements.routes.cable_chain import nodes_of
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.layout.layout import Layout
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

STEP = 1e-6
# central differences of order h^2 with numbers of order 1 have an error of about h^2 + eps/h
TOLERANCE = 2e-9

PLACES = {
    "point": (0.0, 0.0),
    "slope node": (0.0, 0.0),
    "rigid node": (0.0, 0.0),
    "mass": (0.0, 0.0),
    "body centre": (0.0, 0.0),
    "body point": (0.3, -0.2),
    "cable axis": (0.25, 0.0),
    "cable end": (0.7, 0.0),
    "cable above": (0.2, 0.15),
    "cable below": (0.55, -0.1),
    "moving cable": (0.3, 0.1),
    "axis in space": (0.25, 0.0, 0.0),
    "beside axis in space": (0.2, 0.15, -0.1),
    "twisted axis in space": (0.3, 0.0, 0.0),
    "beside twisted axis in space": (0.2, 0.15, -0.1),
    "section node in space": (0.0, 0.0),
    "section in space": (0.2, 0.15, -0.1),
    "beam of order 1": (0.2, 0.1),
    "beam of order 2": (0.2, 0.0),
    "beam of order 3": (0.35, -0.1),
    "beam of order 1 in space": (0.1, 0.15, -0.1),
    "beam of order 2 in space": (0.2, 0.0, 0.0),
    "beam of order 3 in space": (0.35, 0.1, 0.2),
    "ground": (0.4, 0.5),
}


def create_entities(world: World) -> dict[str, Entity]:
    """Create one entity of every kind that can have a position marker."""
    slope_nodes = [
        world.add(PointSlope2D, position=(0.1, 0.2), slope=(0.8, 0.6)),
        world.add(PointSlope2D, position=(0.7, 0.5), slope=(0.9, 0.3)),
    ]
    cable = world.add(
        Cable2D,
        node0=slope_nodes[0],
        node1=slope_nodes[1],
        length=0.7,
        mass_per_length=1.0,
        axial_stiffness=100.0,
        bending_stiffness=1.0,
    )
    moving = world.add(
        ALECable2D,
        node0=slope_nodes[1],
        node1=world.add(PointSlope2D, position=(1.2, 0.9), slope=(0.7, 0.7)),
        ale=world.add(ALENode, displacement=0.4, velocity=0.3),
        length=0.6,
        mass_per_length=1.0,
        axial_stiffness=100.0,
        bending_stiffness=1.0,
    )
    body = world.add(RigidBody2D, position=(1.0, 2.0), angle=0.4, mass=1.0, inertia=1.0)
    ends = world.add(
        PointSlope3D, position=[(0.1, 0.2, 0.3), (0.6, 0.5, 0.4)], slope=[(0.8, 0.6, 0.2), (0.9, 0.3, 0.1)]
    )
    spatial = world.add(
        Cable3D,
        node0=ends[0],
        node1=ends[1],
        length=0.7,
        mass_per_length=1.0,
        axial_stiffness=100.0,
        bending_stiffness=1.0,
    )
    twisted = world.add(
        PointSlopeTwist3D, position=[(0.1, 0.2, 0.3), (0.6, 0.5, 0.4)], slope=[(0.8, 0.6, 0.2), (0.9, 0.3, 0.1)],
        normal=(0.1, 0.3, 1.0), twist=[0.3, -0.2],
    )  # fmt: skip
    rod = world.add(
        TwistCable3D, node0=twisted[0], node1=twisted[1], length=0.7, mass_per_length=1.0, axial_stiffness=100.0,
        bending_stiffness=1.0, torsional_stiffness=1.0, rotary_inertia=0.1,
    )  # fmt: skip
    section = {"stiffness": np.ones(6), "section_stiffness": np.ones(3), "rotary_inertia": (2.0, 1.0, 1.0)}
    beam = straight_beam(world, (0.1, 0.2, 0.3), (0.5, 0.3, 0.4), 1, order=2, mass_per_length=1.0, **section)
    plane, space = (
        {"stiffness": np.ones(3), "rotary_inertia": 1.0},
        {"stiffness": np.ones(6), "rotary_inertia": np.ones(3)},
    )
    beams = {
        f"beam of order {order}{' in space' if dims == 3 else ''}": straight_beam(
            world, (0.1, 0.2, 0.3)[:dims], (0.5, 0.4, 0.4)[:dims], 1, order=order, mass_per_length=1.0, **columns
        )
        for dims, columns in ((2, plane), (3, space))
        for order in (1, 2, 3)
    }
    return beams | {
        "point": world.add(Point2D, position=(0.3, -0.4)),
        "slope node": slope_nodes[1],
        "rigid node": world.add(RigidNode2D, position=(0.5, 0.1), angle=-0.3),
        "mass": world.add(MassPoint, position=(2.0, 1.0), mass=1.0),
        "body centre": body,
        "body point": body,
        "cable axis": cable,
        "cable end": cable,
        "cable above": cable,
        "cable below": cable,
        "moving cable": moving,
        "axis in space": spatial,
        "beside axis in space": spatial,
        "twisted axis in space": rod,
        "beside twisted axis in space": rod,
        "section node in space": nodes_of(world, beam)[1],
        "section in space": beam,
        "ground": world.add(Ground, position=(1.0, 2.0, 3.0)),
    }


LETTERS = {
    "p": "position", "v": "velocity", "J": "jacobian", "Jd": "jacobian_rate", "angle": "angle", "A": "rotation",
    "omega": "angular_velocity", "Jr": "rotation_jacobian",
}  # fmt: skip
"""Field of the markers for each letter of the equations."""


class Model:
    """A world with one position marker of every kind, in a random state."""

    def __init__(self) -> None:
        self.world = World()
        entities = create_entities(self.world)
        self.markers = {name: position_marker(self.world, e, PLACES[name]) for name, e in entities.items()}
        for marker in self.markers.values():
            self.world.add(Force, marker=marker)
        self.assembly = Assembly(self.world)
        self.fields = self.assembly.fields
        random = np.random.default_rng(7)
        n = self.assembly.layout.spare
        self.fields.x[:n] += 0.1 * random.standard_normal(n)
        self.fields.v[:n] = random.standard_normal(n)

    def evaluate(self, name: str, dof: int = -1, step: float = 0.0, along: float = 0.0) -> dict[str, np.ndarray]:
        """Return the columns of one marker after a change of one coordinate by ``step``, or after a motion of all
        coordinates with their velocities for the time ``along``.
        """
        x = self.fields.x.copy()
        if dof >= 0:
            self.fields.x[dof] += step
        self.fields.x += along * self.fields.v
        self.assembly.update_markers()
        self.fields.x[:] = x
        columns = self.fields.markers["position marker"]
        k = self.assembly.layout.marker_index[self.markers[name].ids[0]]
        h, n = columns.second[k], columns.jacobian.shape[2]
        parts = {letter: np.array(getattr(columns, name)[k]) for letter, name in LETTERS.items()}
        for letter, second in (("H", columns.hessian), ("Hr", columns.rotation_hessian)):
            parts[letter] = second[h].copy() if h >= 0 else np.zeros((3, n, n))
        parts["dofs"] = columns.dofs[k].copy()
        return parts


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.mark.parametrize("name", PLACES)
def test_derivatives_by_coordinates(model: Model, name: str) -> None:
    here = model.evaluate(name)
    spare = model.assembly.layout.spare
    for a, dof in enumerate(here["dofs"]):
        if dof == spare:
            assert not here["J"][:, a].any() and not here["Jr"][:, a].any() and not here["H"][:, a].any()
            continue
        plus, minus = model.evaluate(name, dof, STEP), model.evaluate(name, dof, -STEP)
        difference = {key: (plus[key] - minus[key]) / (2 * STEP) for key in ("p", "v", "J", "angle", "Jr")}
        assert_allclose(here["J"][:, a], difference["p"], atol=TOLERANCE, err_msg="J = dp/dq")
        assert_allclose(here["Jd"][:, a], difference["v"], atol=TOLERANCE, err_msg="Jd = dv/dq")
        assert_allclose(here["H"][:, :, a], difference["J"], atol=TOLERANCE, err_msg="H = dJ/dq")
        if "space" in name:
            # 3D markers have a frame instead of an angle
            turned = (plus["A"] - minus["A"]) / (2 * STEP)
            assert_allclose(np.cross(here["Jr"][:, a], here["A"].T).T, turned, atol=TOLERANCE, err_msg="dA = Jr x A")
        else:
            assert_allclose(here["Jr"][2, a], difference["angle"], atol=TOLERANCE, err_msg="Jr = dangle/dq")
        assert_allclose(here["Hr"][:, :, a], difference["Jr"], atol=TOLERANCE, err_msg="Hr = dJr/dq")


@pytest.mark.parametrize("name", PLACES)
def test_rates(model: Model, name: str) -> None:
    here = model.evaluate(name)
    plus, minus = model.evaluate(name, along=STEP), model.evaluate(name, along=-STEP)
    rate = {key: (plus[key] - minus[key]) / (2 * STEP) for key in ("p", "J", "angle", "A")}
    assert_allclose(here["v"], rate["p"], atol=TOLERANCE, err_msg="v = dp/dt")
    assert_allclose(here["Jd"], rate["J"], atol=TOLERANCE, err_msg="Jd = dJ/dt")
    if "space" not in name:
        assert_allclose(here["omega"], [0, 0, rate["angle"]], atol=TOLERANCE, err_msg="omega = dangle/dt")
    spin = np.cross(here["omega"], here["A"].T).T
    assert_allclose(spin, rate["A"], atol=TOLERANCE, err_msg="A_t = omega x A")
    v = model.fields.v[here["dofs"]]
    assert_allclose(here["J"] @ v, here["v"], atol=1e-14, err_msg="v = J q_t")
    assert_allclose(here["Jr"] @ v, here["omega"], atol=1e-14, err_msg="omega = Jr q_t")


def test_positions(model: Model) -> None:
    fields, world = model.fields, model.world
    cable = next(iter(world.tables[Cable2D].ids))
    q = fields.x[model.assembly.layout.local_dofs(world.dofs_of(np.array([cable])))][0]
    assert_allclose(model.evaluate("cable end")["p"][:2], q[4:6], atol=1e-15)
    assert_allclose(model.evaluate("cable end")["angle"], np.arctan2(q[7], q[6]), atol=1e-15)
    assert_allclose(model.evaluate("slope node")["p"][:2], q[4:6], atol=0)
    assert_allclose(model.evaluate("ground")["p"], (1.4, 2.5, 3.0), atol=0)
    body = fields.x[model.evaluate("body centre")["dofs"][:3]]
    cos, sin = np.cos(body[2]), np.sin(body[2])
    expected = body[:2] + np.array([[cos, -sin], [sin, cos]]) @ (0.3, -0.2)
    assert_allclose(model.evaluate("body point")["p"][:2], expected, atol=1e-15)
    assert model.evaluate("body centre")["angle"] == body[2]


def test_kinds() -> None:
    world = World()
    entities = create_entities(world)
    kinds = {name: position_marker(world, e, PLACES[name]).kind for name, e in entities.items()}
    assert kinds["point"] == kinds["slope node"] == kinds["mass"] == "NodePosition"
    assert kinds["rigid node"] == "RigidNodePosition"
    assert kinds["body point"] == "PositionOnRigid2D"
    assert kinds["axis in space"] == kinds["beside axis in space"] == "PositionOnCable3D"
    assert kinds["twisted axis in space"] == kinds["beside twisted axis in space"] == "PositionOnTwistCable3D"
    assert kinds["section node in space"] == "SectionNodePosition"
    assert kinds["section in space"] == "PositionOnSlopeBeam3D"
    assert kinds["beam of order 2"] == "PositionOnBeam2D" and kinds["beam of order 2 in space"] == "PositionOnBeam3D"
    assert kinds["cable above"] == kinds["moving cable"] == "PositionOnCable"
    assert kinds["ground"] == "PositionOnGround"
    marker = rigid_marker(world, entities["cable axis"], (0.1, 0.0))
    assert position_marker(world, marker) is marker and rigid_marker(world, marker) is marker


def test_several_rows() -> None:
    world = World()
    bodies = world.add(RigidBody2D, position=[(0.0, 0.0), (1.0, 0.0)], mass=1.0, inertia=1.0)
    same = rigid_marker(world, bodies, (0.1, 0.0))
    assert_allclose(same.local, [(0.1, 0.0)] * 2)
    each = rigid_marker(world, bodies, [(0.1, 0.0), (0.2, 0.3)])
    assert_allclose(each.local, [(0.1, 0.0), (0.2, 0.3)])
    assert list(each.body) == list(bodies.ids)
    along = position_marker(world, bodies[0], [(0.0, 0.0), (0.1, 0.0), (0.2, 0.0)])
    assert len(along) == 3 and set(along.body) == {bodies.ids[0]}
    masses = world.add(MassPoint, position=[(0.0, 1.0), (1.0, 1.0)], mass=1.0)
    assert list(position_marker(world, masses).node) == list(masses.node)
    assert len(position_marker(world, [bodies[1], bodies[0]])) == 2
    coordinates = coordinate_marker(world, bodies, "rotation")
    assert list(coordinates.coordinate) == [2, 2]


def test_coordinates() -> None:
    world = World()
    nodes = world.add(Point2D, position=[(1.0, 2.0), (3.0, 4.0)], displacement=(0.1, 0.2), velocity=(5.0, 6.0))
    markers = coordinate_marker(world, nodes, "y")
    ground = coordinate_marker(world, None)
    assert coordinate_marker(world, world.add(Ground)) is ground
    world.add(CoordinateLoad, marker=[markers, ground])
    assembly = Assembly(world)
    assembly.fields.x[:4] += world.numbering.displacement
    assembly.fields.v[:4] = world.numbering.velocity
    assembly.update_markers()
    columns = assembly.fields.markers["coordinate marker"]
    assert_allclose(columns.value, (0.2, 0.2, 0.0), atol=1e-15)
    assert_allclose(columns.rate, (6.0, 6.0, 0.0), atol=0)
    assert list(columns.dofs[:, 0]) == [1, 3, assembly.layout.spare]


def test_cable_coordinates() -> None:
    world = World()
    entities = create_entities(world)
    cable = entities["cable axis"]
    marker = world.add(cc.CableCoordinates, cable=cable)
    world.finalize()
    layout = Layout(world)
    x = np.append(np.random.default_rng(1).standard_normal(layout.spare), 0.0)
    columns = cc.allocate(world, marker.ids, layout)
    cc.update_cables(cc.CableRows(np.array([0]), columns.dofs), columns, x, 2 * x)
    dofs = layout.local_dofs(world.dofs_of(cable))
    assert_allclose(columns.coordinates, x[dofs], atol=0)
    assert_allclose(columns.velocities, 2 * x[dofs], atol=0)
    assert_allclose(columns.length, 0.7)


def test_widths_do_not_grow_with_the_world() -> None:
    """A marker of an entity with few coordinates has only the coordinates of this entity, even if the world contains
    cables.
    """
    world = World()
    entities = create_entities(world)
    marker = position_marker(world, entities["mass"])
    position_marker(world, entities["cable above"], (0.2, 0.15))
    world.finalize()
    assert world.dofs_of(marker).shape == (1, 2)
    assert {PositionOnCable, PositionOnRigid2D, PositionOnGround} & set(world.tables) == {PositionOnCable}
