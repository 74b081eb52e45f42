"""Tests of the contact of beams with circles and surfaces: tangents, balances of forces, moments and power, stored
energies, rotation vectors, and history values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import windlass as wl
from windlass import connectors as con
from windlass.connectors.surface_contact.beam_kernels import Section, change_turn, find_turn
from windlass.elements import (
    Beam2D,
    Beam3D,
    Cable2D,
    Ground,
    PointSlope2D,
    RigidBody2D,
    RigidBody3D,
    RigidNode2D,
    RigidNode3D,
    UnitRotation3D,
    straight_beam,
)
from windlass.elements.beam.rules import PLACES
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

from support.beam_contacts import create_belt
from support.contact_scenes import ContactScene

RADIUS, THICK, POINTS, BEAMS = 0.5, 0.02, 5, 2
CENTRE = np.array((0.1, -0.2))
CONTACT = {
    "contact_stiffness_per_length": 1000.0,
    "contact_damping_per_length": 13.0,
    "friction_velocity_penalty_per_length": 17.0,
    "friction_stiffness_per_length": 900.0,
    "friction_coefficient": 0.3,
}
SURFACES = ("plane", "drum", "sphere")
SOFT: dict[str, float] = {
    "lateral_friction_ratio": 1.6, "lateral_stiffness_ratio": 0.7, "suction_coefficient": 0.4, "suction_distance": 0.5,
}  # fmt: skip
BEDS: tuple[dict[str, float], ...] = ({}, SOFT)
"""Columns of surfaces and of soft beds."""
ORDERS = (1, 2, 3)
POWERS = (
    "friction_power", "friction_damping_power", "contact_damping_power", "bristle_power", "spring_power", "lever_power",
)  # fmt: skip
NOTHING: Any = 5e-324


@dataclass
class Line(ContactScene):
    """Two beams along a line. The coordinates of the world are the coordinates of ``nodes`` nodes, ``width`` for each
    node, and then the coordinates of the body.
    """

    nodes: int
    width: int


def place_nodes(order: int) -> Any:
    """Return the angles [rad] of the nodes of two beams along a circle."""
    inner = np.sort(PLACES[order])
    return 2.4 - 0.6 * np.concatenate((inner[:-1], 1.0 + inner))


def list_refs(nodes: Entity, order: int) -> dict[str, Entity]:
    """Return the nodes of both beams."""
    refs = {"node0": nodes[[0, order]], "node1": nodes[[order, 2 * order]]}
    return refs | {f"node{1 + k}": nodes[[k, order + k]] for k in range(1, order)}


def shake(assembly: Assembly, per_point: int, size: float, random: Any) -> Any:
    """Write random values into coordinates, rates and history values. Return the history values, shape (beams, n)."""
    fields, count = assembly.fields, assembly.layout.spare
    fields.x[:count] = assembly.layout.reference[:count] + size * random.standard_normal(count)
    fields.v[:count] = 0.3 * random.standard_normal(count)
    width = per_point * POINTS
    for values in (fields.data, fields.start_data):
        data = values[: BEAMS * width].reshape(BEAMS, width)
        data[:, :POINTS] = random.choice([-1.0, -1.0, -1.0, 0.1], size=(BEAMS, POINTS))
        data[:, POINTS : 2 * POINTS] = random.choice([0.0, 0.0, 1.0, 1.0, -2.0], size=(BEAMS, POINTS))
        if per_point > 3:
            data[:, 2 * POINTS : 5 * POINTS] = 0.3 * random.standard_normal((BEAMS, 3 * POINTS))
        else:
            data[:, 2 * POINTS : 3 * POINTS] = RADIUS * random.uniform(1.1, 2.4, (BEAMS, POINTS))
        if per_point > 5:
            seed = int(random.integers(1000))
            frames = Rotation.random(BEAMS * POINTS, random_state=seed).as_matrix().reshape(BEAMS, POINTS, 3, 3)
            frames = np.concatenate((frames[..., 0], frames[..., 1]), axis=1)
            data[:, -6 * POINTS :] = frames.reshape(BEAMS, -1)
        if per_point > 11:
            data[:, 5 * POINTS : 7 * POINTS] = random.uniform(0.0, 0.3, size=(BEAMS, 2 * POINTS))
    return fields.data[: BEAMS * width].reshape(BEAMS, width)


def create_plane_line(order: int, place: Any = (0.03, -0.02), seed: int = 1, **contact: Any) -> Line:
    """Create beams along a circle in a random state. The centre of the circle is at ``place`` in the frame of its
    body.
    """
    world, angles = World(), place_nodes(order)
    position = CENTRE + place + RADIUS * np.stack((np.cos(angles), np.sin(angles)), axis=1)
    nodes = world.add(RigidNode2D, position=position, angle=angles - 0.5 * np.pi)
    beams = world.add(
        Beam2D, **list_refs(nodes, order), stiffness=(NOTHING,) * 3, mass_per_length=0.0, rotary_inertia=0.0
    )
    body = world.add(RigidBody2D, position=CENTRE, mass=0.0, inertia=0.0)
    contacts = con.add_contact(
        world, con.ContactFrictionCirclePoints2D, circles=con.rigid_marker(world, body, place), cables=beams,
        segments=POINTS, circle_radius=RADIUS, **{**CONTACT, **contact},
    )  # fmt: skip
    assembly = Assembly(world)
    data = shake(assembly, 3, 0.01, np.random.default_rng(seed))
    return Line(assembly, data, contacts, assembly.layout.spare, 2 * order + 1, 3)


def create_space_line(
    name: str, order: int = 2, fixed: bool = False, thick: bool = True, seed: int = 1, **contact: Any
) -> Line:
    """Create beams along a circle in a random state near a surface. Friction acts at the radius of the beams if
    ``thick`` is true, otherwise on their axis.
    """
    world, angles, random = World(), place_nodes(order), np.random.default_rng(seed)
    none = np.zeros(len(angles))
    position = np.column_stack((CENTRE + RADIUS * np.stack((np.cos(angles), np.sin(angles)), axis=1), none + 0.008))
    turn = Rotation.from_euler("ZX", np.column_stack((angles - 0.5 * np.pi, none + 0.7)).tolist())
    nodes = world.add(RigidNode3D, position=position, euler_parameters=np.roll(turn.as_quat(), 1, axis=1))
    world.add(UnitRotation3D, node=nodes)
    beams = world.add(
        Beam3D, **list_refs(nodes, order), stiffness=(NOTHING,) * 6, mass_per_length=0.0, rotary_inertia=(1e-300,) * 3
    )
    arm = np.array((0.03, -0.02, 0.01))
    if fixed:
        marker = con.rigid_marker(world, world.add(Ground), (*CENTRE, 0.0))
    else:
        body = world.add(RigidBody3D, position=(*CENTRE, 0.0) - arm, mass=1.0, inertia=np.ones(6) * (1, 1, 1, 0, 0, 0))
        marker = con.rigid_marker(world, body, arm)
    if name == "plane":
        surface = world.add(con.PlaneSurface, marker=marker, axis=(0.1, 1.0, 0.2), offset=-0.1)
    elif name == "drum":
        surface = world.add(con.DrumSurface, marker=marker, axis=(0.1, -0.07, 1.0), radius=RADIUS)
    else:
        surface = world.add(con.SphereSurface, marker=marker, radius=RADIUS)
    contacts = con.add_surface_contact(
        world, surface, beams, points=POINTS, turns_rope=thick, **{"rope_radius": THICK, **CONTACT, **contact}
    )
    assembly = Assembly(world)
    data = shake(assembly, 13 if "suction_coefficient" in contact else 11 if thick else 5, 0.003, random)
    return Line(assembly, data, contacts, assembly.layout.spare, 2 * order + 1, 7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("columns", [{}, {"clip_normal_force": True}, {"friction_stiffness_per_length": 0.0}])
def test_tangent_in_2d(order: int, columns: Any) -> None:
    """Tangents agree with differences for all states of points, on circles at the centre of a body and away from it,
    with points on the axis and at an offset.
    """
    for place, offset in (((0.0, 0.0), 0.0), ((0.03, -0.02), 0.0), ((0.03, -0.02), -0.02)):
        line = create_plane_line(order, place, vertical_offset=offset, **columns)
        f = line.forces().reshape(-1, 3)
        # contact does not turn the sections
        assert f[:-1, :2].any() and not f[:-1, 2].any() and f[-1, 2] != 0.0
        check_fields(line.assembly, tolerance=1e-7)


@pytest.mark.parametrize("columns", [{"press": 5.0}, {"press": 5.0, "rigid_layer": True}, {"cord_offset": 0.01}])
def test_tangent_of_belts(columns: Any) -> None:
    """Tangents agree with differences if circles are enlarged by the contact depth, and with a cord offset."""
    check_fields(create_plane_line(2, **columns).assembly, tolerance=1e-7)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("thick", "bed"), [(False, {}), (True, {}), (True, SOFT)])
def test_tangent_in_3d(name: str, order: int, thick: bool, bed: dict[str, float]) -> None:
    """Tangents agree with differences on every kind of surface and on soft beds, on the ground and on moving bodies,
    with friction on the axis and at the radius of the beams.
    """
    turned, held = False, False
    # a thin beam has points with positive gaps, which suction holds
    for fixed, radius in (
        ((False, THICK), (True, THICK), (False, 0.1 * THICK)) if bed else ((False, 0.02), (True, 0.02))
    ):
        line = create_space_line(name, order, fixed, thick, rope_radius=radius, **bed)
        kind = con.ContactFrictionSurfaceBeam3D if thick else con.ContactFrictionSurfaceCable
        assert line.contacts.table.component is (con.ContactFrictionBedBeam3D if bed else kind)
        on_nodes = line.forces()[: 7 * line.nodes].reshape(-1, 7)
        assert on_nodes[:, :3].any()
        turned = turned or on_nodes[:, 3:].any()
        held = held or (bool(bed) and (line.output("suction") > 0.0).any())
        check_fields(line.assembly, tolerance=1e-7)
    # chords of the order 1 lie within the surfaces
    assert turned == thick and (held or not bed or order == 1)


@pytest.mark.parametrize(
    "columns",
    [
        {"friction_stiffness_per_length": 0.0},
        {"clip_normal_force": True},
        {"friction_stiffness_per_length": 0.0, **SOFT},
        {**SOFT, "suction_coefficient": 0.0, "clip_normal_force": True},
    ],
)
def test_tangent_of_options(columns: Any) -> None:
    """Tangents agree with differences without bristles, and with tensile forces clipped."""
    check_fields(create_space_line("drum", **columns).assembly, tolerance=1e-7)


@pytest.mark.parametrize("offset", [0.0, -0.02])
@pytest.mark.parametrize("order", ORDERS)
def test_balances_in_2d(order: int, offset: float) -> None:
    """The sums of all forces and of all moments on beams and circle are 0. The power of all forces equals the sum of
    the powers at the points.
    """
    line = create_plane_line(order, vertical_offset=offset)
    f, x, v = line.forces(), line.assembly.fields.x[: line.count], line.assembly.fields.v[: line.count]
    size = np.abs(f).max()
    parts, places = f.reshape(-1, 3), x.reshape(-1, 3)
    assert size > 1.0
    assert_allclose(parts[:, :2].sum(axis=0), 0.0, atol=1e-13 * size)
    moment = places[:, 0] * parts[:, 1] - places[:, 1] * parts[:, 0] + parts[:, 2]
    assert_allclose(moment.sum(), 0.0, atol=1e-13 * size)
    assert_allclose(v @ f, sum(line.output(power).sum() for power in POWERS), rtol=1e-11)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize(("thick", "bed"), [(False, {}), (True, {}), (True, SOFT)])
def test_balances_in_3d(name: str, thick: bool, bed: dict[str, float]) -> None:
    """The sums of the forces and of the moments on beams and body are 0. The power of all forces equals the sum of the
    powers at the points.
    """
    line = create_space_line(name, thick=thick, **bed)
    f, x, v = line.forces(), line.assembly.fields.x[: line.count], line.assembly.fields.v[: line.count]
    parts, places, size = f.reshape(-1, 7), x.reshape(-1, 7), np.abs(f).max()
    assert size > 1.0
    assert_allclose(parts[:, :3].sum(axis=0), 0.0, atol=1e-13 * size)
    # if the whole model rotates with the angular velocity w, the rate of a position r is w x r, and the rate of the
    # Euler parameters of nodes and body is E^T w/2
    for w in np.eye(3):
        turned = np.zeros_like(places)
        turned[:, :3] = np.cross(w, places[:, :3])
        for row, (e0, e1, e2, e3) in zip(turned, places[:, 3:], strict=True):
            row[3:] = 0.5 * np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]]).T @ w
        assert_allclose(turned.ravel() @ f, 0.0, atol=1e-12 * size)
    assert_allclose(v @ f, sum(line.output(power).sum() for power in POWERS), rtol=1e-11)


@pytest.mark.parametrize("bed", BEDS)
@pytest.mark.parametrize("name", ["circle", *SURFACES])
def test_rates_of_stored_energies(name: str, bed: dict[str, float]) -> None:
    """The rates of the stored energies are equal to the powers, also for sections that rotate on curved surfaces.
    Without suction this also holds on soft beds.
    """
    off = {"contact_damping_per_length": 0.0, "friction_velocity_penalty_per_length": 0.0}
    if bed and name != "circle":
        off |= bed | {"suction_coefficient": 0.0}
    line = create_plane_line(2, **off) if name == "circle" else create_space_line(name, **off)
    line.data[:, POINTS : 2 * POINTS] = 0.0
    fields, h, energy = line.assembly.fields, 1e-6, []
    rate = line.output("bristle_power").sum() + line.output("spring_power").sum()
    if name != "circle":
        assert abs(line.output("lever_power").sum()) > 1e-3 * abs(rate)
    v = fields.v[: line.count].copy()
    for sign in (1.0, -2.0):
        fields.x[: line.count] += sign * h * v
        line.assembly.update_markers()
        energy.append(line.assembly.energy())
    assert_allclose((energy[0] - energy[1]) / (2.0 * h), rate, rtol=1e-7)


@pytest.mark.parametrize("offset", [0.0, -0.02])
@pytest.mark.parametrize("order", ORDERS)
def test_beams_as_cables(order: int, offset: float) -> None:
    """The axis of a beam is a cubic curve, or a polynomial of lower degree. A cable with the same axis and the same
    velocities has the same gaps, forces and powers at its contact points.
    """
    line, world = create_plane_line(order, (0.0, 0.0), vertical_offset=offset), World()
    fields, inner = line.assembly.fields, np.sort(PLACES[order])
    found = line.assembly.local_rows(line.contacts.table, line.contacts.rows).columns.rows
    length = found["length"] * POINTS
    ends = []
    for values in (fields.x, fields.v):
        at_nodes = values[: 3 * line.nodes].reshape(-1, 3)[:, :2]
        for k in range(BEAMS):
            curves = [Polynomial.fit(inner, column, order) for column in at_nodes[order * k : order * (k + 1) + 1].T]
            ends.append([[c(s) for c in curves] + [c.deriv()(s) / length[k] for c in curves] for s in (0.0, 1.0)])
    places, rates = np.array(ends).reshape(2, 2 * BEAMS, 4)
    nodes = world.add(PointSlope2D, position=places[:, :2], slope=places[:, 2:])
    cables = world.add(
        Cable2D, node0=nodes[::2], node1=nodes[1::2], length=length, mass_per_length=0.0, axial_stiffness=NOTHING,
        bending_stiffness=0.0,
    )  # fmt: skip
    body = world.add(RigidBody2D, position=CENTRE, mass=0.0, inertia=0.0)
    contacts = con.add_contact(
        world, con.ContactFrictionCirclePoints2D, circles=body, cables=cables, segments=POINTS, circle_radius=RADIUS,
        vertical_offset=offset, **CONTACT,
    )  # fmt: skip
    assembly = Assembly(world)
    other = Line(assembly, None, contacts, assembly.layout.spare, 2 * BEAMS, 4)
    there = other.assembly.fields
    assert_allclose(there.x[: 8 * BEAMS], places.ravel(), rtol=1e-14)
    there.v[: 8 * BEAMS] = rates.ravel()
    there.x[8 * BEAMS : other.count], there.v[8 * BEAMS : other.count] = fields.x[-4:-1], fields.v[-4:-1]
    there.data[:], there.start_data[:] = fields.data, fields.start_data
    for name in ("gap", "force_local", "coordinates", "coordinates_rate", *POWERS):
        mine, theirs = line.output(name), other.output(name)
        assert_allclose(mine, theirs, rtol=1e-9, atol=1e-11 * np.abs(theirs).max())
    assert_allclose(line.forces()[-3:], other.forces()[-3:], rtol=1e-9)


def copy_motion(line: Line, other: Line) -> None:
    """Give a line the coordinates, rates and, except for depths and gaps, the history values of another line."""
    here, there = line.assembly.fields, other.assembly.fields
    here.x[:], here.v[:] = there.x, there.v
    for mine, theirs in ((here.data, there.data), (here.start_data, there.start_data)):
        mine, theirs = mine[: BEAMS * 13 * POINTS].reshape(BEAMS, -1), theirs[: BEAMS * 11 * POINTS].reshape(BEAMS, -1)
        mine[:, : 5 * POINTS], mine[:, 7 * POINTS :] = theirs[:, : 5 * POINTS], theirs[:, 5 * POINTS :]
        mine[:, 5 * POINTS : 7 * POINTS] = 0.0


@pytest.mark.parametrize("name", SURFACES)
def test_bed_without_its_columns(name: str) -> None:
    """With equal friction along and across the beam and without suction, forces, powers and updates on a soft bed are
    those on a surface, except that a pulling normal force causes no friction.
    """
    columns: dict[str, Any] = {"clip_normal_force": True}
    surface, bed = create_space_line(name, **columns), create_space_line(name, suction_coefficient=0.0, **columns)
    copy_motion(bed, surface)
    assert_allclose(bed.forces(), surface.forces(), rtol=1e-11, atol=1e-11)
    for output in ("axis_torque_vector", "slip_rate", "state", *POWERS):
        assert_allclose(bed.output(output), surface.output(output), rtol=1e-10, atol=1e-12)
    for line in (surface, bed):
        line.update()
    mine, theirs = bed.data, surface.data
    assert_allclose(mine[:, : 5 * POINTS], theirs[:, : 5 * POINTS], atol=1e-13)
    assert_allclose(mine[:, 7 * POINTS :], theirs[:, 5 * POINTS :], atol=1e-14)


def test_ellipse_of_friction_on_a_bed() -> None:
    """In steady slip, friction along and across a beam is that of an ellipse, and the moment is -r n × f_t. A pull by
    suction has no friction.
    """
    soft = {"lateral_friction_ratio": 1.6, "lateral_stiffness_ratio": 1.0, "suction_coefficient": 0.0}
    world, angle, mu, speed = World(), 0.7, 0.3, np.array((np.cos(0.7), np.sin(0.7), 0.0))
    nodes = world.add(RigidNode3D, position=[(x, 0.0, THICK - 1e-3) for x in (0.0, 0.5)])
    world.add(UnitRotation3D, node=nodes)
    beam = world.add(
        Beam3D, node0=nodes[0], node1=nodes[1], stiffness=(1.0,) * 6, mass_per_length=1.0, rotary_inertia=(1e-3,) * 3
    )
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    contacts = con.add_surface_contact(
        world, plane, beam, points=POINTS, rope_radius=THICK, turns_rope=True,
        **{**CONTACT, "contact_damping_per_length": 0.0, "friction_velocity_penalty_per_length": 0.0, **soft},
    )  # fmt: skip
    state = wl.State(world)
    state.v[state.local_dofs(nodes)[:, :3]] = speed
    data = state.data[: 13 * POINTS]
    data[:POINTS], data[POINTS : 2 * POINTS] = -1e-3, 1.0
    # anchors of bristles that lag behind the points by 1 m in the direction of the slip
    points = (np.arange(POINTS) + 0.5) * 0.5 / POINTS
    data[2 * POINTS : 5 * POINTS] = (np.column_stack((points, 0 * points, 0 * points)) - speed).ravel()
    data[7 * POINTS : 10 * POINTS] = np.tile((1.0, 0.0, 0.0), POINTS)
    data[10 * POINTS :] = np.tile((0.0, 1.0, 0.0), POINTS)
    state.start_data[:] = state.data
    rho, N = 1.6, 1000.0 * 0.5 / POINTS * 1e-3
    size = mu * N / np.sqrt(np.cos(angle) ** 2 + (np.sin(angle) / rho) ** 2)
    expected = -size * np.array((np.cos(angle), np.sin(angle), 0.0))
    friction = wl.eval_output(contacts, "friction_force", state)
    assert_allclose(friction, np.tile(expected, (POINTS, 1)), rtol=1e-9, atol=1e-12)
    moment = wl.eval_output(contacts, "axis_torque_vector", state)
    assert_allclose(moment, -THICK * np.cross((0.0, 0.0, 1.0), friction), rtol=1e-9, atol=1e-12)


ANGLES = (0.0, 1e-9, 5e-3, 0.02, 0.9, 2.5)


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_vectors(angle: float) -> None:
    """The rotation vector of a section is exact, and its derivative agrees with differences."""
    random = np.random.default_rng(7)
    start, axis = Rotation.random(random_state=3), random.standard_normal(3)
    turn = angle * axis / np.linalg.norm(axis)
    d10, d20, _ = start.as_matrix().T

    def find(more: Any) -> Any:
        d1, d2, _ = (Rotation.from_rotvec(more) * Rotation.from_rotvec(turn) * start).as_matrix().T
        zero: Any = (0.0,) * 4
        section = Section(zero, zero, zero, 1.0, (0.0,) * 3, (0.0,) * 3, tuple(d1), tuple(d2))
        return np.array(find_turn(section, tuple(d10), tuple(d20)))

    assert_allclose(find(np.zeros(3)), turn, rtol=1e-10, atol=1e-15)
    step = 1e-5 * random.standard_normal(3)
    change = (find(step) - find(-step)) / 2.0
    assert_allclose(change_turn(tuple(turn), tuple(step)), change, atol=1e-8 * np.abs(step).max())


def test_errors() -> None:
    """Beams of the wrong dimension, and friction at a radius of 0, are refused."""
    world = World()
    plane = straight_beam(world, (0, 0), (1, 0), 1, stiffness=(1e3,) * 3, mass_per_length=1.0, rotary_inertia=1.0)
    space = straight_beam(
        world, (0, 0, 0), (1, 0, 0), 1, stiffness=(1e3,) * 6, mass_per_length=1.0, rotary_inertia=(1.0,) * 3
    )
    circle = con.rigid_marker(world, world.add(Ground))
    surface = world.add(con.PlaneSurface, marker=circle)
    on_plane: dict[str, Any] = {"contact_stiffness_per_length": 1e3, "points": 2}
    for call, message in (
        (
            lambda: con.add_surface_contact(world, surface, plane, turns_rope=True, rope_radius=0.1, **on_plane),
            "with turns_rope has .*: must be TwistCable3D",
        ),
        (
            lambda: con.add_surface_contact(world, surface, space, turns_rope=True, **on_plane),
            "rope_radius = 0.0 m in ContactFrictionSurfaceBeam3D row 0: must be > 0",
        ),
        (
            lambda: con.add_surface_contact(
                world, surface, [space, plane], turns_rope=True, rope_radius=0.1, suction_coefficient=0.1, **on_plane
            ),
            "with turns_rope has .*: must be TwistCable3D.* all of them can be Beam3D",
        ),
    ):
        with pytest.raises(ModelError, match=message):
            call()
    world = World()
    space = straight_beam(
        world, (0, 0, 0), (1, 0, 0), 1, stiffness=(1.0,) * 6, mass_per_length=1.0, rotary_inertia=(1.0,) * 3
    )
    con.add_contact(
        world, con.ContactFrictionCirclePoints2D, world.add(Ground), space, segments=2, circle_radius=1.0,
        contact_stiffness_per_length=1e3,
    )  # fmt: skip
    with pytest.raises(ModelError, match=r"cable of ContactFrictionCirclePoints2D row 0 is a Beam3D: must be 2D"):
        world.finalize()


def test_drawings_and_reports() -> None:
    """Fields of contacts are drawn on beams, and reports of pulleys evaluate belts of beams."""
    model = create_belt()
    state = wl.Dynamic(model.world, step=2e-4, end=2e-3, name="").solve()
    report = con.pulley_report(model.world, state, model.contacts, model.pulleys[0])
    normal = -wl.eval_output(model.contacts, "force_local", state)[:24, :, 1]
    assert_allclose(report.normal_force, normal.sum(), rtol=1e-12)
    assert 2.5 < report.wrap_angle < 3.7 and 150.0 < report.entry_tension < 350.0
    axis = wl.eval_output(model.beams, "director", state, x=0.0)
    places = wl.eval_output(model.beams, "position", state, x=1e-6) - wl.eval_output(
        model.beams, "position", state, x=0.0
    )
    assert_allclose(axis, places / np.linalg.norm(places, axis=1)[:, None], atol=0.05)


def lay_on_plane(**columns: Any) -> tuple[World, wl.State, Entity, Entity]:
    """Lay two beams on a plane. Return world, state, contacts and plane."""
    world = World(gravity=(0.0, 0.0, -9.81))
    nodes = world.add(RigidNode3D, position=[(x, 0.0, 0.9 * THICK) for x in (0.0, 0.4, 1.0)])
    world.add(UnitRotation3D, node=nodes)
    beams = world.add(
        Beam3D, node0=nodes[:2], node1=nodes[1:], stiffness=(1e4, 4e3, 4e3, 5.0, 1.0, 1.0), mass_per_length=2.0,
        rotary_inertia=(1e-3,) * 3, **columns,
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, nodes[2]), vector=(30.0, 0.0, 0.0))
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    contacts = con.add_surface_contact(
        world, plane, beams, points=4, rope_radius=THICK, turns_rope=True, contact_stiffness_per_length=1e4
    )
    return world, wl.Dynamic(world, step=1e-4, end=2e-3, name="").solve(), contacts, plane


def test_reports_of_beams_without_length() -> None:
    """If no length is given, reports use the length of the axis."""
    found, expected = (
        con.surface_report(*lay_on_plane(**columns)) for columns in ({}, {"length": np.array((0.4, 0.6))})
    )
    assert_allclose(expected.contact_length, 1.0, rtol=1e-12)
    assert expected.largest_line_pressure > 1.0 and expected.exit_tension > 1.1 * abs(expected.entry_tension)
    for name in ("contact_length", "largest_line_pressure", "speed", "entry_tension", "exit_tension"):
        assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9, err_msg=name)
