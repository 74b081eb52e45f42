"""Tests of the contact of lines with soft beds: tangents, balances of forces and power, and the limit in which the
forces are equal to the forces of the contact law for all surfaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    ContactFrictionBedCable,
    ContactFrictionSurfaceCable,
    DrumSurface,
    PlaneSurface,
    add_surface_contact,
    rigid_marker,
)
from windlass.elements import Cable3D, Ground, PointSlope3D, RigidBody3D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

from support.contact_scenes import ContactScene

RADIUS, HALF, POINTS = 0.5, 0.004, 6
CONTACT: dict[str, Any] = {
    "contact_stiffness_per_length": 1000.0,
    "contact_damping_per_length": 13.0,
    "friction_velocity_penalty_per_length": 17.0,
    "friction_stiffness_per_length": 900.0,
    "friction_coefficient": 0.3,
}
BED: dict[str, Any] = {
    "lateral_friction_ratio": 2.3,
    "lateral_stiffness_ratio": 0.6,
    "suction_coefficient": 0.4,
    "suction_distance": 0.012,
}
PLAIN = {"lateral_friction_ratio": 1.0, "lateral_stiffness_ratio": 1.0, "suction_coefficient": 0.0}
POWERS = (
    "friction_power", "friction_damping_power", "contact_damping_power", "bristle_power", "spring_power", "lever_power",
)  # fmt: skip


@dataclass
class Arc(ContactScene):
    """Two cables along a circle. The attribute ``start`` contains the history values at the start of the step."""

    start: Any


def create_arc(name: str = "drum", fixed: bool = False, seed: int = 1, soft: bool = True, **contact: Any) -> Arc:
    """Create an arc in a random state near a surface on a moving body. The surface is at a distance from the centre of
    the body. Points are in all contact states.
    """
    world, random = World(), np.random.default_rng(seed)
    angles, centre = np.array([2.4, 1.8, 1.2]), np.array((0.1, -0.2))
    radial = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    none = np.zeros(3)
    nodes = world.add(
        PointSlope3D, position=np.column_stack((centre + RADIUS * radial, none + 0.008)),
        slope=1.02 * np.column_stack((radial[:, 1], -radial[:, 0], none + 0.3)),
    )  # fmt: skip
    cables = world.add(
        Cable3D, node0=nodes[:2], node1=nodes[1:], length=0.6 * RADIUS, mass_per_length=0.0, axial_stiffness=1e-100,
        bending_stiffness=0.0,
    )  # fmt: skip
    arm = np.array((0.03, -0.02, 0.01))
    if fixed:
        marker = rigid_marker(world, world.add(Ground), (*centre, 0.0))
    else:
        body = world.add(RigidBody3D, position=(*centre, 0.0) - arm, mass=1.0, inertia=np.ones(6) * (1, 1, 1, 0, 0, 0))
        marker = rigid_marker(world, body, arm)
    if name == "plane":
        surface = world.add(PlaneSurface, marker=marker, axis=(0.1, 1.0, 0.2), offset=RADIUS - 0.02)
    else:
        surface = world.add(DrumSurface, marker=marker, axis=(0.1, -0.07, 1.0), radius=RADIUS - 0.004)
    columns = {**CONTACT, **(BED if soft else {}), **contact}
    contacts = add_surface_contact(world, surface, cables, points=POINTS, rope_radius=HALF, **columns)
    assert contacts.table.component is (ContactFrictionBedCable if soft else ContactFrictionSurfaceCable)
    assembly = Assembly(world)
    fields, count = assembly.fields, assembly.layout.spare
    fields.x[:count] = assembly.layout.reference[:count] + 0.006 * random.standard_normal(count)
    fields.v[:count] = 0.3 * random.standard_normal(count)
    per = 7 if soft else 5
    size = per * POINTS
    found = []
    for values in (fields.data, fields.start_data):
        data = values[: 2 * size].reshape(2, size)
        data[:, :POINTS] = random.choice([-1.0, -1.0, -1.0, 0.1], size=(2, POINTS))
        data[:, POINTS : 2 * POINTS] = random.choice([0.0, 0.0, 1.0, 1.0, -2.0], size=(2, POINTS))
        data[:, 2 * POINTS : 5 * POINTS] = 0.3 * random.standard_normal((2, 3 * POINTS))
        if soft:
            data[:, 5 * POINTS : 6 * POINTS] = 0.008 + 0.012 * random.random((2, POINTS))
            # for a small peak depth ``Suction.peak``, the factor s of the contact spring would vary strongly within a
            # difference quotient
            data[:, 6 * POINTS :] = 0.01 * random.random((2, POINTS)) * (random.random((2, POINTS)) > 0.5)
        found.append(data)
    return Arc(assembly, found[0], contacts, count, found[1])


@pytest.mark.parametrize("name", ["plane", "drum"])
@pytest.mark.parametrize("fixed", [False, True])
def test_tangent(name: str, fixed: bool) -> None:
    """Tangents agree with differences for points that stick, slip or adhere by suction, on the ground and on moving
    bodies.
    """
    pressed = held = 0
    for seed in range(6):
        arc = create_arc(name, fixed, seed)
        force, gap = arc.output("normal_force"), arc.output("gap")
        pressed, held = (
            pressed + int(((force < 0.0) & (gap <= 0.0)).sum()),
            held + int((force * (gap > 0.0) != 0).sum()),
        )
        check_fields(arc.assembly, tolerance=2e-7)
    assert pressed >= 10 and held >= 10


@pytest.mark.parametrize("name", ["plane", "drum"])
def test_forces_moments_and_power(name: str) -> None:
    """The sums of forces and moments on line and body are 0, so a common rigid motion requires no power. The power of
    the forces equals the sum of the powers in the outputs.
    """
    arc = create_arc(name)
    f, fields = arc.forces(), arc.assembly.fields
    x, v = fields.x[: arc.count], fields.v[: arc.count]
    nodes, size = x[:18].reshape(3, 6), np.abs(f).max()
    assert size > 0.1
    for axis in np.eye(3):
        moved = np.zeros((3, 6))
        moved[:, :3] = axis
        whole = np.concatenate([moved.ravel(), axis, np.zeros(4)])
        assert_allclose(whole @ f, 0.0, atol=1e-13 * size)
    e0, e1, e2, e3 = x[21:25]
    E = np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])
    for w in np.eye(3):
        turned = np.concatenate((np.cross(w, nodes[:, :3]), np.cross(w, nodes[:, 3:])), axis=1)
        whole = np.concatenate([turned.ravel(), np.cross(w, x[18:21]), 0.5 * E.T @ w])
        assert_allclose(whole @ f, 0.0, atol=1e-13 * size)
    assert_allclose(v @ f, sum(arc.output(power).sum() for power in POWERS), rtol=1e-11)


@pytest.mark.parametrize("name", ["plane", "drum"])
def test_springs_and_bristles_have_a_potential(name: str) -> None:
    """While all points stick, and while suction follows the line up to g = 0, the rates of the stored energies are
    equal to the powers. On curved surfaces and for turning lines, the powers do not include the lever power.
    """
    arc = create_arc(name, contact_damping_per_length=0.0, friction_velocity_penalty_per_length=0.0)
    arc.data[:, POINTS : 2 * POINTS] = 0.0
    arc.start[:, 6 * POINTS :] = 0.05
    fields, h = arc.assembly.fields, 1e-6
    rate = arc.output("bristle_power").sum() + arc.output("spring_power").sum()
    v, energy = fields.v[: arc.count].copy(), []
    for sign in (1.0, -2.0):
        fields.x[: arc.count] += sign * h * v
        arc.assembly.update_markers()
        energy.append(arc.assembly.energy())
    assert_allclose((energy[0] - energy[1]) / (2.0 * h), rate, rtol=1e-6)


def test_equal_coefficients_and_no_suction() -> None:
    """With equal coefficients and without suction, the forces are equal to the forces of the contact law for all
    surfaces.
    """
    soft, plain = (create_arc(seed=3, soft=which, contact_damping_per_length=0.0, **(PLAIN if which else {}))
                   for which in (True, False))  # fmt: skip
    fields = soft.assembly.fields, plain.assembly.fields
    for values in zip((fields[0].x, fields[0].v), (fields[1].x, fields[1].v), strict=True):
        values[1][:] = values[0]
    plain.data[:], plain.start[:] = soft.data[:, : 5 * POINTS], soft.start[:, : 5 * POINTS]
    # suction would pull points outside of the bed
    out = soft.output("gap") > 0.0
    soft.data[:, :POINTS][out] = plain.data[:, :POINTS][out] = 0.1
    f = plain.forces()
    assert np.abs(f).max() > 0.1
    assert_allclose(soft.forces(), f, rtol=1e-12, atol=1e-12 * np.abs(f).max())
