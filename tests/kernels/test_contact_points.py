"""Tests of the contact of a circle with points of a cable: tangents, balances of forces, moments and power, potential
energy, and history values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import ContactFrictionCirclePoints2D, add_contact, fix, rigid_marker
from windlass.connectors.circle_points.layers import Followed, follow_stretch
from windlass.connectors.contact.circles import Disc
from windlass.connectors.contact.lanes import Eight
from windlass.elements import Cable2D, PointSlope2D, RigidBody2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.world import World
from windlass.framework.state.tangent_check import check_fields

from support.contact_scenes import ContactScene, compare_maps

RADIUS, POINTS, CABLES = 0.5, 5, 2
CONTACT = {
    "contact_stiffness_per_length": 1000.0,
    "contact_damping_per_length": 13.0,
    "friction_velocity_penalty_per_length": 17.0,
    "friction_stiffness_per_length": 900.0,
    "friction_coefficient": 0.3,
}


@kernel
def follow_first(
    rows: Any, o: Disc, q: Eight, w: Eight, gap: float, grown: float, h: float, before: Followed
) -> Followed:
    """Call `follow_stretch` with the first row. The call passes arrays of records, because kernels that Python calls
    need arrays.
    """
    return follow_stretch(rows[0], o, q, w, gap, grown, h, before)


def create_arc(y: float = 0.0, place: Any = (0.0, 0.0), seed: int = 1, **contact: Any) -> ContactScene:
    """Create two cables without stiffness in a random state near a circle. The centre of the circle is at ``place`` in
    the frame of its body; ``y`` is the offset of the points. The world coordinates are three nodes (4 each), followed
    by x, y and angle.
    """
    world = World()
    angles = np.array([2.4, 1.8, 1.2])
    centre = np.array((0.1, -0.2)) + place
    radial = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    nodes = world.add(
        PointSlope2D,
        position=centre + (RADIUS - y) * radial,
        slope=1.02 * np.stack((radial[:, 1], -radial[:, 0]), axis=1),
    )
    body = world.add(RigidBody2D, position=(0.1, -0.2), mass=0.0, inertia=0.0)
    free = {"mass_per_length": 0.0, "axial_stiffness": 5e-324, "bending_stiffness": 0.0}
    cables = world.add(Cable2D, node0=nodes[:2], node1=nodes[1:], length=0.6 * RADIUS, **free)
    contacts = add_contact(
        world,
        ContactFrictionCirclePoints2D,
        circles=rigid_marker(world, body, place),
        cables=cables,
        segments=POINTS,
        circle_radius=RADIUS,
        vertical_offset=y,
        **{**CONTACT, **contact},
    )
    fix(world, body, "x")
    assembly = Assembly(world)
    random, fields = np.random.default_rng(seed), assembly.fields
    fields.x[:15] = assembly.layout.reference[:15] + 0.01 * random.standard_normal(15)
    fields.v[:15] = 0.3 * random.standard_normal(15)
    # rows that store a normal force have additional history values after the values of their points
    row = len(fields.data) // CABLES * fields.data.itemsize
    strides = (row, POINTS * fields.data.itemsize, fields.data.itemsize)
    data = np.lib.stride_tricks.as_strided(fields.data, (CABLES, 3, POINTS), strides)
    data[:, 0] = random.choice([-1.0, -1.0, -1.0, 0.1], size=(CABLES, POINTS))
    data[:, 1] = random.choice([0.0, 0.0, 1.0, -1.0, -2.0], size=(CABLES, POINTS))
    data[:, 2] = RADIUS * random.uniform(1.1, 2.4, (CABLES, POINTS))
    return ContactScene(assembly, data, contacts, 15)


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.1, 0.07)])
@pytest.mark.parametrize("y", [0.0, 0.05, -0.04])
@pytest.mark.parametrize("clip", [False, True])
def test_tangent(y: float, place: Any, clip: bool) -> None:
    """The tangent agrees with differences for all states of points, with offsets, and with circles at a distance from
    the centre of their body. Tensile forces are allowed or set to 0.
    """
    arc = create_arc(y, place, clip_normal_force=clip)
    assert arc.forces().any()
    check_fields(arc.assembly, tolerance=1e-7)


def test_damping_that_fades_in_has_its_tangent() -> None:
    """If a row stores its normal force, the damping coefficient increases with the depth up to half of the depth at
    rest.

    The tangent agrees with differences for points above, within and below the depths at which damping increases.
    """
    stiffness, part = CONTACT["contact_stiffness_per_length"], 0.6 * RADIUS / POINTS
    shares = []
    for grown in (0.005, 0.01):
        press = grown * stiffness * RADIUS
        arc, undamped = create_arc(press=press), create_arc(press=press, contact_damping_per_length=0.0)
        closed = arc.data[:, 0] <= 0.0
        normal, spring = (a.output("force_local")[..., 1][closed] for a in (arc, undamped))
        full = CONTACT["contact_damping_per_length"] * part * arc.output("coordinates_rate")[..., 1][closed]
        shares.append(np.clip(-spring / (stiffness * part) / (0.5 * grown), 0.0, 1.0))
        assert_allclose(normal - spring, shares[-1] * full, atol=1e-12 * np.abs(full).max())
        check_fields(arc.assembly, tolerance=1e-7)
    share = np.concatenate(shares)
    assert (share == 0.0).any() and (share == 1.0).any() and ((share > 0.0) & (share < 1.0)).any()


@pytest.mark.parametrize("y", [0.0, 0.05])
def test_forces_moments_and_power(y: float) -> None:
    """The sums of all forces and of all moments on cable and circle are 0. The power of all forces equals the sum of
    f_n v_n + f_t v_t over all points.
    """
    arc = create_arc(y)
    f, fields = arc.forces(), arc.assembly.fields
    x, v = fields.x[:15], fields.v[:15]
    size = np.abs(f).max()
    assert size > 1.0
    assert_allclose([f[[0, 4, 8, 12]].sum(), f[[1, 5, 9, 13]].sum()], 0.0, atol=1e-13 * size)
    # the moment is the power of the forces for a rotation of all positions, slopes and the angle about the origin with
    # 1 rad/s
    turn = np.empty(15)
    turn[0:14:2], turn[1:14:2], turn[14] = -x[1:14:2], x[0:14:2], 1.0
    assert_allclose(turn @ f, 0.0, atol=1e-13 * size)
    force, rate = arc.output("force_local"), arc.output("coordinates_rate")
    assert_allclose(v @ f, (force[..., 1] * rate[..., 1] + force[..., 0] * rate[..., 0]).sum(), rtol=1e-12)


@pytest.mark.parametrize("y", [0.0, -0.04])
def test_springs_and_bristles_have_a_potential(y: float) -> None:
    """Without damping and slip, the forces are the derivative of the stored energy, because bristles store all work
    that is done on them.
    """
    arc = create_arc(y, contact_damping_per_length=0.0, friction_velocity_penalty_per_length=0.0)
    arc.data[:, 1] = 0.0
    fields, gradient, h = arc.assembly.fields, np.zeros(15), 1e-6
    for k in range(15):
        start = fields.x[k]
        energy = []
        for sign in (1.0, -1.0):
            fields.x[k] = start + sign * h
            arc.assembly.update_markers()
            energy.append(arc.assembly.energy())
        fields.x[k] = start
        gradient[k] = (energy[0] - energy[1]) / (2.0 * h)
    f = arc.forces()
    assert_allclose(f, gradient, atol=1e-8 * np.abs(f).max())


def test_update() -> None:
    """A point that was open sticks at its position. Below the friction limit, the anchor of a sticking point does not
    move. Above the limit, the anchor follows the point.
    """
    arc = create_arc(contact_damping_per_length=0.0, friction_velocity_penalty_per_length=0.0)
    fields, assembly = arc.assembly.fields, arc.assembly
    w = 0.6 * RADIUS / POINTS
    k, mu_k, mu = 1000.0 * w, 900.0 * w, 0.3
    # the nodes lie on a circle that is smaller than the wheel and has a different centre, so the depths of the points
    # are 1.6 to 2.4 mm
    fields.x[:15], fields.v[:15] = assembly.layout.reference[:15], 0.0
    centre = np.tile([0.1, -0.2], 3)
    of_nodes = np.array([0, 1, 4, 5, 8, 9])
    fields.x[of_nodes] = centre + (1.0 - 0.002 / RADIUS) * (fields.x[of_nodes] - centre)
    fields.x[12] += 0.0005
    arc.data[:] = np.array([0.1, -2.0, 7.0])[None, :, None]
    fields.start_data[:] = fields.data
    result = arc.update()
    assert result.force == 0.0  # before the update, all points were open
    depth = -arc.output("gap")
    assert (depth > 1e-3).all() and result.changed
    assert_allclose(arc.data[:, 0], -depth, rtol=1e-12)
    assert (arc.data[:, 1] == 0.0).all()
    # the error of a row contains k times the change of its gaps, and the friction limits at which its points begin to
    # stick
    assert_allclose(result.error, (k * (0.1 + depth) + mu * k * depth).sum(axis=1).max(), rtol=1e-12)
    p = arc.output("contact_position") - (0.1005, -0.2)
    arcs = RADIUS * np.arctan2(p[..., 1], p[..., 0])
    assert_allclose(arc.data[:, 2], arcs, atol=1e-14)
    assert not arc.output("force_local")[..., 0].any()

    # the circle rotates, so bristles deflect, and points with small normal forces slip
    fields.start_data[:] = fields.data
    arm = RADIUS / (RADIUS - depth)
    bent = float((mu * k * depth / (mu_k * arm)).mean())
    fields.x[14] += bent / RADIUS
    slips = mu_k * arm * bent > mu * k * depth
    assert 0 < slips.sum() < slips.size
    result = arc.update()
    assert result.changed
    assert_allclose(arc.data[:, 1], np.where(slips, -1.0, 0.0))
    # in the frame of the circle, the points have moved by -bent
    stays = np.where(slips, arcs - bent + mu * k * depth / (mu_k * arm), arcs)
    assert_allclose(arc.data[:, 2], stays, atol=1e-13)
    limited = -np.minimum(mu_k * arm * bent, mu * k * depth)
    assert_allclose(arc.output("force_local")[..., 0], limited, rtol=1e-9)
    # a second update from the same history values gives the same result
    kept, result = fields.data.copy(), arc.update()
    assert_allclose(result.force, np.abs(arc.output("force_local")[..., 1]).sum(axis=1).max(), rtol=1e-12)
    assert not result.changed and result.error == 0.0
    assert_allclose(fields.data, kept, rtol=0, atol=0)


def test_without_friction_there_are_no_anchors() -> None:
    """With mu = 0, points have normal forces and no stick-slip state for any bristle stiffness. Points that stuck
    before also have no stick-slip state.
    """
    arc = create_arc(friction_coefficient=0.0)
    assert (arc.data[:, 1] == 0.0).any() and not arc.output("force_local")[..., 0].any()
    check_fields(arc.assembly, tolerance=1e-7)
    arc.update()
    closed = arc.data[:, 0] <= 0.0
    assert closed.any() and (arc.data[:, 1] == -2.0).all()
    force = arc.output("force_local")
    assert force[closed][:, 1].any() and not force[..., 0].any()


def test_open_points_and_inactive_rows() -> None:
    arc = create_arc(active=[False, True])
    arc.data[1, 0] = 0.01
    before = arc.data.copy()
    assert not arc.forces().any() and not arc.output("force_local").any()
    arc.update()
    assert_allclose(arc.data[0], before[0], rtol=0, atol=0)
    assert (arc.data[1, 0] != 0.01).all()


def test_bristles_of_a_cable_bend_together() -> None:
    """The deflection u of a cable is the mean displacement of its sticking points times the fraction of closed points.
    The friction force of each closed point is mu_k (r/D) u.
    """
    arc = create_arc(friction_velocity_penalty_per_length=0.0)
    arc.data[:, 0], arc.data[:, 1] = -1.0, 0.0
    arc.data[0, 0, 4], arc.data[0, 1, 4] = 0.1, -2.0  # point is open
    arc.data[0, 1, 2] = 1.0  # slips
    p, angle = arc.output("contact_position"), arc.assembly.fields.x[14]
    centre = arc.assembly.fields.x[12:14]
    way = RADIUS * (np.arctan2(p[0, :, 1] - centre[1], p[0, :, 0] - centre[0]) - angle) - arc.data[0, 2]
    sticks = np.array([True, True, False, True, False])
    u = 4 / 5 * way[sticks].mean()
    assert_allclose(arc.output("coordinates")[0, sticks, 0], u, rtol=1e-12)
    D = RADIUS + arc.output("gap")[0]
    force = 900.0 * 0.6 * RADIUS / POINTS * RADIUS / D * u
    assert_allclose(arc.output("force_local")[0, sticks, 0], force[sticks], rtol=1e-12)
    check_fields(arc.assembly, tolerance=1e-7)


def test_points_hand_their_bend_over() -> None:
    """If a point of a cable opens or closes, the common bristle deflection of the cable does not change."""
    arc = create_arc(contact_damping_per_length=0.0, friction_velocity_penalty_per_length=0.0, friction_coefficient=1e9)
    arc.assembly.fields.v[:] = 0.0
    arc.assembly.fields.x[:15] = arc.assembly.layout.reference[:15]
    fields, data = arc.assembly.fields, arc.data
    of_nodes = np.array([0, 1, 4, 5, 8, 9])
    centre = np.tile([0.1, -0.2], 3)
    fields.x[of_nodes] = centre + (1.0 - 0.002 / RADIUS) * (fields.x[of_nodes] - centre)
    data[:] = np.array([0.1, -2.0, 0.0])[None, :, None]
    fields.start_data[:] = fields.data
    arc.update()
    fields.x[14] += 1e-3
    fields.start_data[:] = fields.data
    arc.update()
    u = -1e-3 * RADIUS
    assert_allclose(arc.output("coordinates")[..., 0], u, rtol=1e-9)
    # the circle moves away from some points, and then moves back
    bend, closed = np.full(CABLES, u), np.full((CABLES, POINTS), True)
    for shift in (0.004, -0.004):
        before = find_arcs(arc)
        fields.x[12] += shift
        fields.start_data[:] = fields.data
        arc.update()
        way = find_arcs(arc) - before
        bend = bend + np.array([way[row][closed[row]].sum() / POINTS for row in range(CABLES)])
        closed = data[:, 0] <= 0.0
        assert closed.all() if shift < 0.0 else closed.any(axis=1).all() and closed.sum() < closed.size
        assert_allclose(arc.output("coordinates")[..., 0], np.where(closed, bend[:, None], 0.0), rtol=1e-9)


def find_arcs(arc: ContactScene) -> Any:
    """Return the arc lengths r alpha [m] of all points on the circle."""
    fields = arc.assembly.fields
    p = arc.output("contact_position") - fields.x[12:14]
    return RADIUS * (np.arctan2(p[..., 1], p[..., 0]) - fields.x[14])


def test_a_point_that_slips_keeps_what_the_damper_leaves() -> None:
    """The bristle of a slipping point deflects by (mu |f_n| - mu_v v_t)/(mu_k r/D), because the damper carries part of
    the friction limit.
    """
    arc = create_arc(contact_damping_per_length=0.0, friction_velocity_penalty_per_length=400.0)
    fields = arc.assembly.fields
    fields.x[:15], fields.v[:15] = arc.assembly.layout.reference[:15], 0.0
    of_nodes, centre = np.array([0, 1, 4, 5, 8, 9]), np.tile([0.1, -0.2], 3)
    fields.x[of_nodes] = centre + (1.0 - 0.002 / RADIUS) * (fields.x[of_nodes] - centre)
    arc.data[:] = np.array([0.1, -2.0, 0.0])[None, :, None]
    fields.start_data[:] = fields.data
    arc.update()
    fields.x[14] += 0.1
    fields.v[14] = 1e-3
    fields.start_data[:] = fields.data
    arc.update()
    assert (arc.data[:, 1] == -1.0).all()
    fn, vt = np.abs(arc.output("force_local")[..., 1]), arc.output("coordinates_rate")[..., 0]
    w, D = 0.6 * RADIUS / POINTS, RADIUS + arc.output("gap")
    p = arc.output("contact_position") - (0.1, -0.2)
    way = RADIUS * (np.arctan2(p[..., 1], p[..., 0]) - fields.x[14]) - arc.data[:, 2]
    assert (vt < 0.0).all() and (400.0 * w * np.abs(vt) < 0.3 * fn).all()
    assert_allclose(way, -(0.3 * fn + 400.0 * w * vt) / (900.0 * w * RADIUS / D), rtol=1e-9)


def test_stretch_before_a_circle_is_the_mean_over_one_length() -> None:
    """Waves with the period of a cable length do not change the mean stretch before a circle. This is also true for
    steps of different sizes. In each step, the cable moves by at most an eighth of its length.

    A mean of the values at the ends of steps would not extend over exactly one cable length, and would contain up to a
    tenth of a wave.
    """
    arc = create_arc(press=10.0, rigid_layer=True)
    rows = arc.assembly.local_rows(arc.contacts.table, arc.contacts.rows).columns.rows
    L, r, wave = 0.6 * RADIUS, RADIUS, 3e-3
    disc, random = Disc(*np.zeros(9).tolist()), np.random.default_rng(2)
    for phase in np.linspace(0.0, 2.0 * np.pi, 7):
        place, followed = 2.0 * L, (0.0, 0.0, 0.0)
        while place > 0.05 * L:
            step = float(random.uniform(0.02, 0.125)) * L
            place -= step
            stretch = 1.01 + wave * float(np.sin(2.0 * np.pi * place / L + phase))
            q = (0.0, 0.0, stretch, 0.0, stretch * L, 0.0, stretch, 0.0)
            rates = (4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0)
            followed = follow_first(rows, disc, q, rates, max(place, 0.0) ** 2 / (2.0 * r), 0.0, step / 4.0, followed)
        way, total, last = followed
        assert_allclose(way, L, rtol=1e-12)
        assert abs(total / way - 1.01) < 0.01 * wave and last == pytest.approx(stretch, rel=1e-12)
    # far away from the circle, the sums of the mean stretch are reset to 0
    assert follow_first(rows, disc, q, rates, L, 0.0, 0.1, followed) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("y", [0.0, 0.05])
def test_return_map_skips_far_rows(y: float) -> None:
    """The return map skips rows that are far from the circle. In all other rows, its results equal the results of an
    update.
    """
    arc = create_arc(y, press=50.0)
    (system,) = (system for system in arc.assembly.systems if system.return_map.motion is not None)
    skipped, closed = compare_maps(arc, system.return_map.motion, 2, POINTS)
    assert skipped > 100 and closed > 20
