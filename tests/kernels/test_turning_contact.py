"""Tests of the contact of surfaces with cables with twist: tangents, balances of forces and power, history values, and
angles.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from windlass.connectors import (
    ContactFrictionSurfaceCable,
    DrumSurface,
    PlaneSurface,
    SheaveSurface,
    add_surface_contact,
    rigid_marker,
)
from windlass.connectors.surface_contact.kernels import Spin, find_angle
from windlass.elements import Ground, PointSlopeTwist3D, RigidBody3D, TwistCable3D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

from support.contact_scenes import ContactScene

RADIUS, ROPE, POINTS = 0.5, 0.02, 5
NODES = slice(0, 21)
CONTACT = {
    "contact_stiffness_per_length": 1000.0,
    "contact_damping_per_length": 13.0,
    "friction_velocity_penalty_per_length": 17.0,
    "friction_stiffness_per_length": 900.0,
    "friction_coefficient": 0.3,
}
SURFACES = ("plane", "drum", "round")
SOFT = {
    "lateral_friction_ratio": 1.6, "lateral_stiffness_ratio": 0.7, "suction_coefficient": 0.4, "suction_distance": 0.5,
}  # fmt: skip
BEDS: tuple[dict[str, float], ...] = ({}, SOFT)
"""Columns of surfaces and of soft beds."""
POWERS = (
    "friction_power", "friction_damping_power", "contact_damping_power", "bristle_power", "spring_power", "lever_power",
)  # fmt: skip


def add_surface(world: World, name: str, marker: Entity, axis: Any) -> Entity:
    """Add a surface for a cable at the distance RADIUS from the axis of the surface."""
    if name == "plane":
        return world.add(PlaneSurface, marker=marker, axis=(0.1, 1.0, 0.2), offset=-0.1)
    if name == "drum":
        return world.add(DrumSurface, marker=marker, axis=axis, radius=RADIUS)
    return world.add(
        SheaveSurface, marker=marker, axis=axis, radius=RADIUS - 0.02, groove_radius=0.06, flank_half_angle=0.4,
        outer_radius=3.0 * RADIUS,
    )  # fmt: skip


def create_arc(name: str = "drum", fixed: bool = False, seed: int = 1, **contact: Any) -> ContactScene:
    """Create an arc in a random state near a surface on a moving body. The surface is at a distance from the centre of
    the body. Points are in all contact states, and have random axes at the start of the step.
    """
    world, random = World(), np.random.default_rng(seed)
    angles, centre = np.array([2.4, 1.8, 1.2]), np.array((0.1, -0.2))
    radial = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    none = np.zeros(3)
    nodes = world.add(
        PointSlopeTwist3D, position=np.column_stack((centre + RADIUS * radial, none + 0.008)),
        slope=1.02 * np.column_stack((radial[:, 1], -radial[:, 0], none)), twist=0.3 * random.standard_normal(3),
    )  # fmt: skip
    cables = world.add(
        TwistCable3D, node0=nodes[:2], node1=nodes[1:], length=0.6 * RADIUS, mass_per_length=0.0, rotary_inertia=1e-300,
        axial_stiffness=1e-100, bending_stiffness=0.0, torsional_stiffness=1e-100,
    )  # fmt: skip
    arm = np.array((0.03, -0.02, 0.01))
    if fixed:
        marker = rigid_marker(world, world.add(Ground), (*centre, 0.0))
    else:
        body = world.add(RigidBody3D, position=(*centre, 0.0) - arm, mass=1.0, inertia=np.ones(6) * (1, 1, 1, 0, 0, 0))
        marker = rigid_marker(world, body, arm)
    surface = add_surface(world, name, marker, (0.1, -0.07, 1.0))
    contacts = add_surface_contact(
        world, surface, cables, points=POINTS, rope_radius=ROPE, turns_rope=True, **{**CONTACT, **contact}
    )
    assembly = Assembly(world)
    fields, count = assembly.fields, assembly.layout.spare
    fields.x[:count] = assembly.layout.reference[:count] + 0.003 * random.standard_normal(count)
    fields.v[:count] = 0.3 * random.standard_normal(count)
    soft = "suction_coefficient" in contact
    size = (13 if soft else 11) * POINTS
    for values in (fields.data, fields.start_data):
        data = values[: 2 * size].reshape(2, size)
        data[:, :POINTS] = random.choice([-1.0, -1.0, -1.0, 0.1], size=(2, POINTS))
        data[:, POINTS : 2 * POINTS] = random.choice([0.0, 0.0, 1.0, 1.0, -2.0], size=(2, POINTS))
        data[:, 2 * POINTS : 5 * POINTS] = 0.3 * random.standard_normal((2, 3 * POINTS))
        frames = Rotation.random(2 * POINTS, random_state=seed).as_matrix().reshape(2, POINTS, 3, 3)
        data[:, -6 * POINTS :] = np.concatenate((frames[..., 0], frames[..., 1]), axis=1).reshape(2, -1)
        if soft:
            data[:, 5 * POINTS : 7 * POINTS] = random.uniform(0.0, 0.3, size=(2, 2 * POINTS))
    return ContactScene(assembly, fields.data[: 2 * size].reshape(2, size), contacts, count)


@pytest.mark.parametrize("bed", BEDS)
@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("fixed", [False, True])
def test_tangent(name: str, fixed: bool, bed: dict[str, float]) -> None:
    """Tangents agree with differences for all states of points on every kind of surface and on soft beds, on the ground
    and on moving bodies.
    """
    for seed in range(3):
        arc = create_arc(name, fixed, seed, **bed)
        torque = arc.output("axis_torque")
        assert (
            np.abs(torque).max() > 1e-3
            and (torque != 0.0).sum() >= (1 if bed else 2)
            and (arc.forces()[6:21:7] != 0.0).any()
        )
        check_fields(arc.assembly, tolerance=1e-7)


@pytest.mark.parametrize("columns", [{"friction_stiffness_per_length": 0.0}, {"clip_normal_force": True}])
def test_tangent_of_options(columns: Any) -> None:
    """Tangents agree with differences without bristles, and with tensile forces clipped."""
    check_fields(create_arc("round", **columns).assembly, tolerance=1e-7)


@pytest.mark.parametrize("bed", BEDS)
@pytest.mark.parametrize("name", SURFACES)
def test_forces_moments_and_power(name: str, bed: dict[str, float]) -> None:
    """The sums of the forces and of the moments on cable and body are 0. The moments include the moment about the axis
    of the cable.

    For each part of the forces, the power on all coordinates equals the sum of the powers at the points.
    """
    arc = create_arc(name, **bed)
    f, fields = arc.forces(), arc.assembly.fields
    x, v, size = fields.x[: arc.count], fields.v[: arc.count], np.abs(f).max()
    nodes, on_nodes = x[NODES].reshape(3, 7), f[NODES].reshape(3, 7)
    assert size > 1.0
    assert_allclose(on_nodes[:, :3].sum(axis=0) + f[21:24], 0.0, atol=1e-13 * size)
    # If the whole model rotates about the origin with the angular velocity w, the rate of a position or slope r is w x
    # r, and the rate of the Euler parameters is E^T w/2. The rates of the angles are the spins of the frames, which are
    # rotated from the reference slopes b.
    e0, e1, e2, e3 = x[24:28]
    E = np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])
    b = arc.assembly.layout.reference[NODES].reshape(3, 7)[:, 3:6]
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    t = nodes[:, 3:6] / np.linalg.norm(nodes[:, 3:6], axis=1, keepdims=True)
    for w in np.eye(3):
        turned = np.zeros((3, 7))
        turned[:, :3], turned[:, 3:6] = np.cross(w, nodes[:, :3]), np.cross(w, nodes[:, 3:6])
        c = np.cross(b, t) / (1.0 + (b * t).sum(axis=1))[:, None]
        turned[:, 6] = t @ w + (c * np.cross(w, t)).sum(axis=1)
        whole = np.concatenate([turned.ravel(), np.cross(w, x[21:24]), 0.5 * E.T @ w])
        assert_allclose(whole @ f, 0.0, atol=1e-13 * size)
    assert_allclose(v @ f, sum(arc.output(power).sum() for power in POWERS), rtol=1e-11)


@pytest.mark.parametrize("bed", BEDS)
@pytest.mark.parametrize("name", SURFACES)
def test_springs_and_bristles_have_a_potential(name: str, bed: dict[str, float]) -> None:
    """The rates of the stored energies are equal to the powers, even for a rope that rotates about its axis on a curved
    surface. Without suction this is also true on soft beds.
    """
    bed = bed | {"suction_coefficient": 0.0} if bed else {}
    arc = create_arc(name, **bed, contact_damping_per_length=0.0, friction_velocity_penalty_per_length=0.0)
    arc.data[:, POINTS : 2 * POINTS] = 0.0
    fields, h = arc.assembly.fields, 1e-6
    rate = arc.output("bristle_power").sum() + arc.output("spring_power").sum()
    assert abs(arc.output("lever_power").sum()) > 1e-3 * abs(rate)
    v, energy = fields.v[: arc.count].copy(), []
    for sign in (1.0, -2.0):
        fields.x[: arc.count] += sign * h * v
        arc.assembly.update_markers()
        energy.append(arc.assembly.energy())
    assert_allclose((energy[0] - energy[1]) / (2.0 * h), rate, rtol=1e-7)


def lay_straight(**bed: float) -> tuple[ContactScene, Any, Any, Any]:
    """Lay the arc at rest on the plane, straight along t, and close all points. Return the arc, the coordinates of the
    nodes, shape (3, 7), the normal n, and t x n, the direction in which the rope rolls as it turns.
    """
    none = {"friction_velocity_penalty_per_length": 0.0, "contact_damping_per_length": 0.0}
    arc = create_arc("plane", fixed=True, **none, **bed)
    fields, start = arc.assembly.fields, arc.assembly.fields.start_data.reshape(2, -1)
    nodes = fields.x[: arc.count].reshape(3, 7)
    n = np.array((0.1, 1.0, 0.2)) / np.linalg.norm((0.1, 1.0, 0.2))
    t = np.cross(n, (0.0, 0.0, 1.0))
    t /= np.linalg.norm(t)
    middle = np.array((0.1, -0.2, 0.0)) + (-0.1 + ROPE - 1e-3) * n
    fields.v[:] = 0.0
    for k in range(3):
        nodes[k, :3], nodes[k, 3:6] = middle + 0.3 * (k - 1) * t, t
    arc.data[:, :POINTS], arc.data[:, POINTS : 2 * POINTS] = 0.1, -2.0
    start[:] = arc.data
    arc.update()
    assert (arc.data[:, POINTS : 2 * POINTS] == 0.0).all()
    return arc, nodes, n, np.cross(t, n)


def test_without_spin_as_a_cable_without_twist() -> None:
    """If the rope does not turn relative to the surface, the forces on the axis equal the forces of
    `ContactFrictionSurfaceCable`, and the moment is r_c times the friction across the rope.
    """
    arc, nodes, n, side = lay_straight()
    start = arc.assembly.fields.start_data.reshape(2, -1)
    start[:] = arc.data
    nodes[:, :3] += 1e-5 * side + 2e-5 * np.cross(n, side)
    arc.update()
    w = 0.6 * RADIUS / POINTS
    force = -900.0 * w * (1e-5 * side + 2e-5 * np.cross(n, side))
    assert_allclose(arc.output("friction_force"), np.tile(force, (2, POINTS, 1)), rtol=1e-6, atol=1e-12)
    torque = np.cross(-ROPE * n, -900.0 * w * 1e-5 * side)
    assert_allclose(arc.output("axis_torque_vector"), np.tile(torque, (2, POINTS, 1)), rtol=1e-6, atol=1e-12)
    assert (arc.output("axis_torque") > 0.0).all()


@pytest.mark.parametrize("angle", [-3.0, -0.4, 1e-9, 2.0, 3.1])
def test_angle_of_a_turn(angle: float) -> None:
    """The computed angle of a rotation about the axis is exact. If the direction of the axis changes, the angle is the
    angle of the rotation that remains after the smallest rotation between both directions.
    """
    random = np.random.default_rng(4)
    D = Rotation.random(random_state=2)
    t0, d0, _ = D.as_matrix().T
    for tilt in (np.zeros(3), 0.7 * np.cross(t0, random.standard_normal(3))):
        now = Rotation.from_rotvec(tilt) * Rotation.from_rotvec(angle * t0) * D
        t, d, _ = now.as_matrix().T
        found, g = find_angle(Spin(tuple(t), 2.0, (0.0, 0.0, 0.0), tuple(t), tuple(d), 0.0), tuple(t0), tuple(d0))
        assert_allclose(found, angle, rtol=1e-12, atol=1e-15)
        assert_allclose(g, np.cross(t0, t) / (1.0 + t0 @ t) / 2.0, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("bed", BEDS)
def test_anchors_follow_a_rope_that_rolls(bed: dict[str, float]) -> None:
    """In steps in which the rope rolls, sideways motion and spin cancel, so there is no friction, and the anchors
    follow the points. On a soft bed the stiffness across the rope differs.
    """
    arc, nodes, _, side = lay_straight(**bed)
    start = arc.assembly.fields.start_data.reshape(2, -1)
    for _ in range(12):
        start[:] = arc.data
        nodes[:, :3] += ROPE * 0.9 * side
        nodes[:, 6] += 0.9
        arc.update()
        assert (arc.data[:, POINTS : 2 * POINTS] == 0.0).all()
        assert_allclose(arc.output("friction"), 0.0, atol=1e-11)
    # the rope stops, but continues to rotate: the deflection of the bristles is the displacement of the surface of the
    # rope
    start[:] = arc.data
    nodes[:, 6] += 1e-5
    arc.update()
    w = 0.6 * RADIUS / POINTS * bed.get("lateral_stiffness_ratio", 1.0)
    force = np.tile(900.0 * w * ROPE * 1e-5 * side, (2, POINTS, 1))
    assert_allclose(arc.output("friction_force"), force, rtol=1e-5, atol=1e-10 * np.abs(force).max())
    assert_allclose(arc.output("axis_torque"), -900.0 * w * ROPE**2 * 1e-5, rtol=1e-5)


def test_other_ropes_are_not_turned() -> None:
    """Without ``turns_rope``, friction acts on the axis of a cable with twist, and no forces act on the angles of the
    cable.
    """
    world = World()
    nodes = world.add(PointSlopeTwist3D, position=[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    cable = world.add(
        TwistCable3D, node0=nodes[0], node1=nodes[1], length=1.0, mass_per_length=1.0, rotary_inertia=1.0,
        axial_stiffness=1.0, bending_stiffness=1.0, torsional_stiffness=1.0,
    )  # fmt: skip
    plane = world.add(PlaneSurface, marker=rigid_marker(world, world.add(Ground)))
    contacts = add_surface_contact(world, plane, cable, rope_radius=ROPE, **CONTACT)
    assert contacts.table.component is ContactFrictionSurfaceCable
