"""Tests of the contact of surfaces with ribbons: tangents, balances of forces and power, moments about the axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from windlass.connectors import (
    ContactFrictionSurfaceRibbon,
    DrumSurface,
    PlaneSurface,
    ProfileSurface,
    add_surface_contact,
    rigid_marker,
)
from windlass.connectors.surface_contact.ribbon_kernels import find_offset
from windlass.elements import Ground, PointSlopeTwist3D, RigidBody3D, TwistCable3D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import run_post_newton
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

from support.contact_scenes import ContactScene

RADIUS, WIDTH, HALF, POINTS, LINES = 0.5, 0.12, 0.004, 3, 3
COUNT = POINTS * LINES
CONTACT: dict[str, Any] = {
    "contact_stiffness_per_length": 1000.0,
    "contact_damping_per_length": 13.0,
    "friction_velocity_penalty_per_length": 17.0,
    "friction_stiffness_per_length": 900.0,
    "friction_coefficient": 0.3,
}
SURFACES = ("plane", "drum", "cone", "crown")
POWERS = (
    "friction_power", "friction_damping_power", "contact_damping_power", "bristle_power", "spring_power", "lever_power",
)  # fmt: skip


def add_surface(world: World, name: str, marker: Entity, axis: Any) -> Entity:
    """Add a surface for a ribbon. The axis of the ribbon is at the distance RADIUS from the axis of the surface."""
    if name == "plane":
        return world.add(PlaneSurface, marker=marker, axis=(0.1, 1.0, 0.2), offset=-0.1)
    if name == "drum":
        return world.add(DrumSurface, marker=marker, axis=axis, radius=RADIUS)
    if name == "cone":
        vertices: Any = (RADIUS - 0.05, -0.5, RADIUS + 0.05, 0.5)
        return world.add(ProfileSurface, marker=marker, axis=axis, vertices=vertices)
    vertices = (RADIUS - 0.05, -0.5, RADIUS + 0.01, 0.0, RADIUS - 0.05, 0.5)
    return world.add(ProfileSurface, marker=marker, axis=axis, vertices=vertices, rounding=(2.0,))


def create_arc(name: str = "drum", fixed: bool = False, seed: int = 1, **contact: Any) -> ContactScene:
    """Create an arc in a random state near a surface on a moving body. The surface is at a distance from the centre of
    the body. Points are in all contact states.
    """
    world, random = World(), np.random.default_rng(seed)
    angles, centre = np.array([2.4, 1.8, 1.2]), np.array((0.1, -0.2))
    radial = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    none = np.zeros(3)
    nodes = world.add(
        PointSlopeTwist3D, position=np.column_stack((centre + RADIUS * radial, none + 0.008)),
        slope=1.02 * np.column_stack((radial[:, 1], -radial[:, 0], none)), twist=0.3 * random.standard_normal(3),
        normal=(0.0, 0.0, 1.0),
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
        world, surface, cables, points=POINTS, rope_radius=HALF, width=WIDTH, lines=LINES, **{**CONTACT, **contact}
    )
    assert contacts.table.component is ContactFrictionSurfaceRibbon
    assembly = Assembly(world)
    fields, count = assembly.fields, assembly.layout.spare
    fields.x[:count] = assembly.layout.reference[:count] + 0.003 * random.standard_normal(count)
    fields.v[:count] = 0.3 * random.standard_normal(count)
    size = 5 * COUNT
    for values in (fields.data, fields.start_data):
        data = values[: 2 * size].reshape(2, size)
        data[:, :COUNT] = random.choice([-1.0, -1.0, -1.0, 0.1], size=(2, COUNT))
        data[:, COUNT : 2 * COUNT] = random.choice([0.0, 0.0, 1.0, 1.0, -2.0], size=(2, COUNT))
        data[:, 2 * COUNT :] = 0.3 * random.standard_normal((2, 3 * COUNT))
    return ContactScene(assembly, fields.data[: 2 * size].reshape(2, size), contacts, count)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("fixed", [False, True])
def test_tangent(name: str, fixed: bool) -> None:
    """Tangents agree with differences for all states of points on every kind of surface, on the ground and on moving
    bodies.
    """
    for seed in range(3):
        arc = create_arc(name, fixed, seed)
        assert (arc.output("normal_force") != 0.0).sum() >= 6 and (arc.forces()[6:21:7] != 0.0).all()
        check_fields(arc.assembly, tolerance=1e-7)


@pytest.mark.parametrize("name", SURFACES)
def test_forces_moments_and_power(name: str) -> None:
    """The sums of forces and moments on ribbon and body are 0, so a common rigid motion requires no power. The power of
    the forces equals the sum of the powers in the outputs.
    """
    arc = create_arc(name)
    f, fields = arc.forces(), arc.assembly.fields
    x, v = fields.x[: arc.count], fields.v[: arc.count]
    nodes, size = x[:21].reshape(3, 7), np.abs(f).max()
    for axis in np.eye(3):
        moved = np.zeros((3, 7))
        moved[:, :3] = axis
        whole = np.concatenate([moved.ravel(), axis, np.zeros(4)])
        assert_allclose(whole @ f, 0.0, atol=1e-13 * size)
    # a rotation of the body changes its Euler parameters by E^T w/2, and the angles of the nodes by the spin about the
    # slopes b
    e0, e1, e2, e3 = x[24:28]
    E = np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])
    b = arc.assembly.layout.reference[:21].reshape(3, 7)[:, 3:6]
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


@pytest.mark.parametrize("name", SURFACES)
def test_springs_and_bristles_have_a_potential(name: str) -> None:
    """The rates of the stored energies equal the powers."""
    arc = create_arc(name, contact_damping_per_length=0.0, friction_velocity_penalty_per_length=0.0)
    arc.data[:, COUNT : 2 * COUNT] = 0.0
    fields, h = arc.assembly.fields, 1e-6
    rate = arc.output("bristle_power").sum() + arc.output("spring_power").sum()
    v, energy = fields.v[: arc.count].copy(), []
    for sign in (1.0, -2.0):
        fields.x[: arc.count] += sign * h * v
        arc.assembly.update_markers()
        energy.append(arc.assembly.energy())
    assert_allclose((energy[0] - energy[1]) / (2.0 * h), rate, rtol=1e-7)


@pytest.mark.parametrize("lines", [2, 3, 5])
def test_places_of_lines(lines: int) -> None:
    """The mean of the squared offsets is width²/12, and the offsets are within the width."""
    y = np.array([find_offset(WIDTH, lines, j) for j in range(lines)])
    assert_allclose([y.sum(), (y**2).mean()], [0.0, WIDTH**2 / 12.0], atol=1e-16)
    assert np.abs(y).max() < 0.5 * WIDTH


def test_moment_of_a_tilted_ribbon() -> None:
    """If a ribbon on a plane is tilted by an angle φ about its axis, the moment per length is k w²/12 sin φ cos φ. This
    is the moment of a pressure that varies linearly across the width. The force equals the force at the depth of the
    axis.
    """
    world, tilt, depth = World(), 0.01, 0.002
    t = np.array((1.0, 0.0, 0.0))
    d1 = Rotation.from_rotvec(tilt * t).apply((0.0, 1.0, 0.0))
    nodes = world.add(
        PointSlopeTwist3D, position=[(0.0, 0.0, HALF - depth), (1.0, 0.0, HALF - depth)], slope=t, normal=d1
    )
    ribbon = world.add(
        TwistCable3D, node0=nodes[0], node1=nodes[1], length=1.0, mass_per_length=1.0, rotary_inertia=1.0,
        axial_stiffness=1.0, bending_stiffness=1.0, torsional_stiffness=1.0,
    )  # fmt: skip
    plane = world.add(PlaneSurface, marker=rigid_marker(world, world.add(Ground)))
    stiffness = 1000.0
    add_surface_contact(
        world, plane, ribbon, points=4, rope_radius=HALF, width=WIDTH, contact_stiffness_per_length=stiffness
    )
    assembly = Assembly(world)
    assembly.update_markers()
    run_post_newton(assembly.layout.systems[ContactFrictionSurfaceRibbon], assembly.fields)
    f = np.zeros_like(assembly.fields.x)
    assembly.add_forces(f)
    on_nodes = f[:14].reshape(2, 7)
    assert_allclose(on_nodes[:, 2].sum(), -stiffness * depth, rtol=1e-12)
    moment = stiffness * WIDTH**2 / 12.0 * np.sin(tilt) * np.cos(tilt)
    assert_allclose(on_nodes[:, 6].sum(), moment, rtol=1e-9)
