"""Contact of surfaces with cables of winch ropes: tangents, power, balance of forces, agreement with plain cables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.connectors.contact.account import POWERS
from windlass.elements import Ground, RigidBody3D, nodes_of, straight_cable, winch_rope
from windlass.framework.model.table import Entity
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.cables import residual

ROPE = {"mass_per_length": 2.0, "axial_stiffness": 5e3, "bending_stiffness": 3.0}
TORSION = {"torsional_stiffness": 2.0, "coupling": 10.0, "rotary_inertia": 0.01}
CONTACT = {
    "contact_stiffness_per_length": 3e4, "contact_damping_per_length": 20.0,
    "friction_velocity_penalty_per_length": 30.0, "friction_stiffness_per_length": 2e4,
}  # fmt: skip
POINTS, RADIUS = 3, 0.02
SOFT = {
    "lateral_friction_ratio": 1.6, "lateral_stiffness_ratio": 0.7, "suction_coefficient": 0.4, "suction_distance": 0.05,
}  # fmt: skip
SEARCH = {"touching": 2, "skin": 1.0}
TURNS = {"turns_rope": True}
LAWS = {"plain": {}, "soft": SOFT, "search": SEARCH}
TURNING = {"turning": TURNS, "turning soft": TURNS | SOFT, "turning search": TURNS | SEARCH}
"""Columns of soft beds, and arguments of the contact search and of friction that turns the rope, by law."""
ALL_LAWS = [(torsion, law) for torsion in (False, True) for law in LAWS] + [(True, law) for law in TURNING]
"""Pairs: whether the rope has torsion, and the law of contact."""
SURFACES = {
    "plane": (con.PlaneSurface, {"offset": 0.05, "axis": (0.1, 1.0, 0.2)}),
    "drum": (con.DrumSurface, {"radius": 1.0, "axis": (0.2, -0.1, 1.0)}),
    "sheave": (con.SheaveSurface, {"radius": 1.1, "groove_radius": 0.2, "flank_half_angle": 0.6, "outer_radius": 1.5}),
    "groove": (con.VGrooveFlank, {"radius": 0.9, "side": 1, "half_angle": 0.4, "outer_radius": 1.6}),
    "sphere": (con.SphereSurface, {"radius": 1.0}),
    "near plane": (con.PlaneSurface, {"offset": 0.94, "axis": (0.1, 1.0, 0.2)}),
    "near drum": (con.DrumSurface, {"radius": 1.1, "axis": (0.2, -0.1, 1.0)}),
}


def create(
    kind: str = "drum",
    body: str = "off",
    mu: float = 0.3,
    dims: int = 3,
    torsion: bool = False,
    seed: int = 2,
    law: str = "plain",
    **more: Any,
) -> tuple[wl.World, Any, Entity, State]:
    """Create a rope of four cables above a surface on the ground, or on a body that rotates about its centre or about
    another point, and a state with random motion in which points slip, stick, or have just touched.
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    outlet, end = (-0.8, 1.0, 0.0)[:dims], (0.9, 0.95, 0.05)[:dims]
    rope = winch_rope(world, outlet, end, 4, **ROPE, **(TORSION if torsion else {}))
    if body == "ground":
        marker = con.rigid_marker(world, world.add(Ground))
    else:
        solid = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=3.0, inertia=(0.5, 0.6, 0.7))
        local = (0.0, 0.0, 0.0) if body == "centre" else (0.02, -0.03, 0.04)
        marker = con.rigid_marker(world, solid, at=local)
    component, values = SURFACES[kind]
    surface = world.add(component, marker=marker, **values)
    contact = con.add_surface_contact(
        world, surface, rope.cables, points=POINTS, rope_radius=RADIUS, friction_coefficient=mu,
        **{**CONTACT, **(LAWS | TURNING)[law], **more},
    )  # fmt: skip
    state, rng = State(world), np.random.default_rng(seed)
    state.q[:], state.v[:] = rng.normal(size=(2, len(state.q))) * [[0.01], [0.5]]
    fill_history(world, rope, contact, state, rng, law)
    return world, rope, contact, state


def fill_history(world: wl.World, rope: Any, contact: Entity, state: State, rng: np.random.Generator, law: str) -> None:
    """Write random history values: points that slip, stick, or have just touched, and on soft beds points with
    suction. With a search, the first row of each cable is assigned to the surface.
    """
    soft, search, frames = "soft" in law, "search" in law, 6 * POINTS if "turning" in law else 0
    width = (7 if soft else 5) * POINTS + frames + (2 if search else 1)
    data = state.data.reshape(len(contact), width)
    if search:
        data[:, -1] = [1.0, 0.0] * (len(contact) // 2)
    axes, origin = (wl.eval_output(contact, name, state) for name in ("surface_axes", "surface_position"))
    place = wl.eval_output(contact, "contact_position", state)
    local = np.einsum("rij,rpi->rpj", axes, place - origin[:, None])
    data[:, :POINTS] = -0.01
    data[:, POINTS : 2 * POINTS] = rng.choice([0.0, 1.0, -2.0], size=(len(contact), POINTS))
    data[:, 2 * POINTS : 5 * POINTS] = (local + 0.03 * rng.normal(size=local.shape)).reshape(len(contact), -1)
    if soft:
        data[:, 5 * POINTS : 6 * POINTS] = rng.uniform(0.1, 0.4, size=(len(contact), POINTS))
        data[:, 6 * POINTS : 7 * POINTS] = rng.uniform(0.0, 0.2, size=(len(contact), POINTS))
    if frames:
        # tangents near the axis of the rope, and axes of the material perpendicular to these tangents
        tangent = np.einsum("rij,rpi->rpj", axes, (1.0, 0.0, 0.0) + 0.2 * rng.normal(size=local.shape))
        tangent /= np.linalg.norm(tangent, axis=2, keepdims=True)
        across = np.cross(tangent, rng.normal(size=local.shape))
        across /= np.linalg.norm(across, axis=2, keepdims=True)
        first = (7 if soft else 5) * POINTS
        data[:, first : first + frames] = np.concatenate((tangent, across), axis=1).reshape(len(contact), -1)
    data[:, width - (2 if search else 1)] = 1.68
    if soft:
        # the suction of a step depends on the history values at its start
        state.start_data[:] = state.data


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("mu", [0.0, 0.3])
@pytest.mark.parametrize("body", ["ground", "centre", "off"])
def test_tangents_against_differences(body: str, mu: float, clip: bool) -> None:
    """Derivatives with respect to coordinates, rates and the length of the rope agree with differences."""
    world, _, _, state = create("drum", body, mu, clip_normal_force=clip)
    check_tangent(world, state, displacement=0.0)


@pytest.mark.parametrize("law", ["soft", "search"])
@pytest.mark.parametrize("body", ["ground", "off"])
def test_tangents_of_soft_beds_and_searches(body: str, law: str) -> None:
    """Tangents agree with differences on soft beds, with points that press and points under suction, and for rows whose
    surface a search has found.
    """
    for kind in ("near plane", "near drum"):
        # this seed gives no points whose direction of slip is almost undefined, because differences are inaccurate at
        # such points
        world, _, contact, state = create(kind, body, law=law, seed=3)
        force = wl.eval_output(contact, "normal_force", state)
        assert (force < 0.0).any() and (force > 0.0).any()
        check_tangent(world, state, displacement=0.0)


@pytest.mark.parametrize("law", TURNING)
@pytest.mark.parametrize("body", ["ground", "off"])
def test_tangents_of_friction_that_turns(body: str, law: str) -> None:
    """Tangents agree with differences if friction turns a rope with torsion, on surfaces, on soft beds and with a
    search."""
    for kind in ("near plane", "near drum"):
        world, _, contact, state = create(kind, body, torsion=True, law=law, seed=3)
        laws = con.ContactFrictionBedTwistWinch, con.ContactFrictionSurfaceSetTwistWinch
        other = {"turning soft": laws[0], "turning search": laws[1]}
        assert contact.table.component is other.get(law, con.ContactFrictionSurfaceTwistWinch)
        assert (wl.eval_output(contact, "axis_torque", state) != 0.0).any()
        check_tangent(world, state, displacement=0.0)


@pytest.mark.parametrize(("dims", "torsion"), [(2, False), (3, True)])
@pytest.mark.parametrize("kind", SURFACES)
def test_tangents_on_all_surfaces(kind: str, dims: int, torsion: bool) -> None:
    """Tangents agree with differences for 2D ropes and for ropes with torsion, on all types of surfaces."""
    world, _, contact, state = create(kind, dims=dims, torsion=torsion)
    assert (wl.eval_output(contact, "normal_force", state) != 0.0).any()
    check_tangent(world, state, displacement=0.0)


def eval_forces(world: wl.World, contact: Entity, state: State) -> State:
    """Return the forces of the contact on all coordinates, stored as the coordinates of a state."""
    found = []
    for active in (True, False):
        world.set(contact, active=active)
        found.append(residual(world, state))
    world.set(contact, active=True)
    forces = State(world)
    forces.q[:] = (found[0] - found[1])[: len(state.q)]
    return forces


@pytest.mark.parametrize(("torsion", "law"), ALL_LAWS)
@pytest.mark.parametrize("kind", SURFACES)
def test_power_is_the_sum_of_the_powers_of_points(kind: str, torsion: bool, law: str) -> None:
    """The power of the forces on all coordinates is the sum of the powers of all points, with the slip velocity of the
    material, also on soft beds and with a search.
    """
    world, _, contact, state = create(kind, "ground", torsion=torsion, law=law)
    forces = eval_forces(world, contact, state)
    assert_allclose(forces.q @ state.v, sum(wl.eval_output(contact, name, state).sum() for name in POWERS), rtol=1e-11)


def test_balance_of_forces_and_moments() -> None:
    """The forces and moments on rope and drum sum to 0, although the friction also acts on the length of the rope."""
    world, rope, contact, state = create("drum", "centre")
    body = Entity(world.table(RigidBody3D), np.arange(1))
    state.put(body, np.zeros((1, 7)))
    forces = eval_forces(world, contact, state)
    on_rope = forces.of(rope.nodes)
    on_body, small = forces.of(body)[0], 1e-10 * np.abs(on_rope).max()
    assert_allclose(on_rope[:, :3].sum(axis=0) + on_body[:3], 0.0, atol=small)
    # moments about the centre of the body; for Euler parameters (1, 0, 0, 0) the angular velocity is 2 (ė1, ė2, ė3)
    table, rows, moved = rope.nodes.table, rope.nodes.rows, state.of(rope.nodes)
    place, slope = table.collect("position", rows) + moved[:, :3], table.collect("slope", rows) + moved[:, 3:]
    moment = np.cross(place, on_rope[:, :3]).sum(axis=0) + np.cross(slope, on_rope[:, 3:]).sum(axis=0)
    assert_allclose(moment + 0.5 * on_body[4:], 0.0, atol=small)


def test_slip_is_that_of_the_material() -> None:
    """The slip velocity is the tangential component of the velocity of the material, an output of the cables."""
    _, rope, contact, state = create("drum", "ground")
    normal, rate = (wl.eval_output(contact, name, state) for name in ("normal", "slip_rate"))
    closed = wl.eval_output(contact, "normal_force", state) != 0.0
    for k in range(POINTS):
        u = wl.eval_output(rope.cables, "velocity", state, share=(k + 0.5) / POINTS)
        u -= (u * normal[:, k]).sum(axis=1)[:, None] * normal[:, k]
        on = closed[:, k]
        assert on.any()
        assert_allclose(np.linalg.norm(u, axis=1)[on], rate[on, k], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("torsion", "law"), ALL_LAWS)
@pytest.mark.parametrize("kind", SURFACES)
def test_equal_to_plain_cables_at_constant_length(kind: str, torsion: bool, law: str) -> None:
    """At constant length, all forces on nodes and body equal the forces of plain cables with the same motion and
    history values, also on soft beds and with a search.
    """
    world, rope, contact, state = create(kind, torsion=torsion, law=law)
    state.put(rope.feed, 0.0)
    state.put(rope.feed, 0.0, "v")
    other = wl.World(gravity=(0.0, -9.81, 0.0))
    more = {**TORSION, "normal": wl.eval_output(rope.nodes[0], "frame", State(world))[:, 1]} if torsion else {}
    line = straight_cable(other, (-0.8, 1.0, 0.0), (0.9, 0.95, 0.05), 4, **ROPE, **more)
    solid = other.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=3.0, inertia=(0.5, 0.6, 0.7))
    component, values = SURFACES[kind]
    surface = other.add(component, marker=con.rigid_marker(other, solid, at=(0.02, -0.03, 0.04)), **values)
    rows = con.add_surface_contact(
        other,
        surface,
        line,
        points=POINTS,
        rope_radius=RADIUS,
        friction_coefficient=0.3,
        **CONTACT,
        **(LAWS | TURNING)[law],
    )
    nodes, plain = nodes_of(other, line), State(other)
    body = Entity(world.table(RigidBody3D), np.arange(1))
    for name in ("q", "v"):
        plain.put(nodes, state.of(rope.nodes, name), name)
        plain.put(solid, state.of(body, name), name)
    # the history value l_0 is set to the present length, so that bristles keep their deflection
    at = -2 if "search" in law else -1
    for name in ("data", "start_data"):
        data = getattr(state, name).reshape(len(contact), -1)
        data[:, at] = float(rope.feed.reference)
        getattr(plain, name)[:] = np.delete(data, at, axis=1).ravel()
    ours, theirs = eval_forces(world, contact, state), eval_forces(other, rows, plain)
    for a, b in ((rope.nodes, nodes), (body, solid)):
        expected = theirs.of(b)
        assert np.abs(expected).max() > 1.0
        assert_allclose(ours.of(a), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_what_is_refused() -> None:
    """Cables of winch ropes cause errors if they are given together with other cables, or to laws for other cables.
    Friction that turns ropes without torsion, and friction without bristles and dampers, also cause errors.
    """
    world = wl.World()
    rope = winch_rope(world, (0, 0, 2), (1, 0, 2), 2, **ROPE)
    line = straight_cable(world, (0, 0, 5), (1, 0, 5), 2, **ROPE)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    for cables, more in (
        ([rope.cables, line], {}), (rope.cables, {"width": 0.1}),
    ):  # fmt: skip
        with pytest.raises(wl.ModelError, match="cables of a winch rope: must be given without"):
            con.add_surface_contact(world, plane, cables, **CONTACT, **more)
    with pytest.raises(wl.ModelError, match=r"with turns_rope has .*: must be WinchTwistCable3D"):
        con.add_surface_contact(world, plane, rope.cables, rope_radius=RADIUS, **CONTACT, **TURNS)
    with pytest.raises(wl.ModelError, match=r"cable in ContactFrictionSurfaceWinch row 0 = .*: must be a"):
        world.add(con.ContactFrictionSurfaceWinch, surface=plane, cable=line, points=2, **CONTACT)
    for law, other in (
        (con.ContactFrictionSurfaceCable, "ContactFrictionSurfaceWinch"),
        (con.ContactFrictionBedCable, "ContactFrictionBedWinch"),
    ):
        with pytest.raises(wl.ModelError, match=f"= <WinchCable3D 0>: must be a cable.*; .* use {other}"):
            world.add(law, surface=plane, cable=rope.cables[0], points=2, **CONTACT)
    loose = {key: value for key, value in CONTACT.items() if not key.startswith("friction")}
    con.add_surface_contact(world, plane, rope.cables, friction_coefficient=0.1, **loose)
    with pytest.raises(wl.ModelError, match="one of the two must be > 0"):
        world.finalize()
