"""Contact of circles with cables of winch ropes: tangents, power, balance of forces, agreement with plain cables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.connectors.contact.account import POWERS
from windlass.elements import Circle, Ground, RigidBody2D, cable_along, nodes_of, route_around, winch_rope_along
from windlass.framework.model.table import Entity
from windlass.framework.state.state import State
from windlass.testing import check_tangent

from support.cables import residual

ROPE = {"mass_per_length": 2.0, "axial_stiffness": 5e3, "bending_stiffness": 3.0}
CONTACT = {
    "contact_stiffness_per_length": 3e4, "contact_damping_per_length": 20.0,
    "friction_velocity_penalty_per_length": 30.0, "friction_stiffness_per_length": 2e4,
}  # fmt: skip
RADIUS, POINTS = 1.0, 3


def create(kind: str = "off", mu: float = 0.3, **more: Any) -> tuple[wl.World, Any, Entity, State]:
    """Create a rope of six cables over a circle, and a state with random motion in which all points touch and some
    points slip. The circle is on the ground, or on a body that rotates about its centre or about another point.
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    route = route_around([Circle((0.0, 0.0), 0.995, "right")], closed=False, start=(-2.0, 0.0), end=(2.0, -0.5))
    rope = winch_rope_along(world, route, 6, **ROPE)
    if kind == "ground":
        marker = world.add(con.PositionOnGround, ground=world.add(Ground))
    else:
        body = world.add(RigidBody2D, position=(0.0, 0.0), mass=3.0, inertia=0.7)
        local = (0.0, 0.0) if kind == "centre" else (0.02, -0.03)
        marker = world.add(con.PositionOnRigid2D, body=body, local=local)
    contact = world.add(
        con.ContactFrictionCircleWinch2D, circle=marker, cable=rope.cables, segments=POINTS, circle_radius=RADIUS,
        friction_coefficient=mu, **{**CONTACT, **more},
    )  # fmt: skip
    state, rng = State(world), np.random.default_rng(2)
    state.q[:], state.v[:] = rng.normal(size=(2, len(state.q))) * [[0.01], [0.5]]
    place = wl.eval_output(contact, "contact_position", state)
    data = state.data.reshape(len(contact), 3 * POINTS + 1)
    data[:, :POINTS] = -0.01
    data[:, POINTS : 2 * POINTS] = rng.choice([0.0, 1.0, -1.0], size=(len(contact), POINTS))
    data[:, 2 * POINTS : -1] = np.arctan2(place[..., 1], place[..., 0]) + 0.01 * rng.normal(size=place.shape[:2])
    data[:, -1] = 4.0
    return world, rope, contact, state


@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("mu", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["ground", "centre", "off"])
def test_tangents_against_differences(kind: str, mu: float, clip: bool) -> None:
    """Derivatives with respect to coordinates, rates and the length of the rope agree with differences."""
    world, _, _, state = create(kind, mu, clip_normal_force=clip)
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


def test_power_force_and_moment() -> None:
    """The power of the forces on all coordinates is the sum of the powers of all points, with the slip velocity of the
    material. The forces and moments of rope and circle sum to 0.
    """
    world, rope, contact, state = create("centre")
    body = Entity(world.table(RigidBody2D), np.arange(1))
    forces = eval_forces(world, contact, state)
    assert_allclose(forces.q @ state.v, sum(wl.eval_output(contact, name, state).sum() for name in POWERS), rtol=1e-12)
    # balance of forces and moments
    on_rope, on_body = forces.of(rope.nodes), forces.of(body)[0]
    table, rows, moved = rope.nodes.table, rope.nodes.rows, state.of(rope.nodes)
    place, slope = table.collect("position", rows) + moved[:, :2], table.collect("slope", rows) + moved[:, 2:]
    centre = wl.eval_output(body, "position", state).ravel()[:2]
    assert_allclose(on_rope[:, :2].sum(axis=0) + on_body[:2], 0.0, atol=1e-10 * np.abs(on_rope).max())
    moment = np.cross(place, on_rope[:, :2]).sum() + np.cross(slope, on_rope[:, 2:]).sum()
    moment += np.cross(centre, on_body[:2]) + on_body[2]
    assert abs(moment) < 1e-10 * np.abs(on_rope).max()
    # the slip velocity is the tangential component of the velocity of the material relative to the circle
    tangent, rate = (wl.eval_output(contact, name, state) for name in ("tangent", "coordinates_rate"))
    where, v = wl.eval_output(contact, "contact_position", state), state.of(body, "v")[0]
    for k in range(POINTS):
        u = wl.eval_output(rope.cables, "velocity", state, share=(k + 0.5) / POINTS)[:, :2] - v[:2]
        arm = np.sqrt(((where[:, k] - centre) ** 2).sum(axis=1))
        assert_allclose((u * tangent[:, k]).sum(axis=1) - v[2] * arm, rate[:, k, 0], rtol=0, atol=1e-12)


def test_friction_drives_the_length() -> None:
    """If all nodes are at rest and only the length of the rope changes, the force on the length has two parts. The
    first part is the friction force times the velocity of the material for a unit rate of the length. The second part
    is the derivative of the energy of the normal springs.
    """
    world, rope, contact, state = create("ground")
    state.v[:] = 0.0
    state.put(rope.feed, 1.0, "v")
    forces = eval_forces(world, contact, state)
    local, gap = (wl.eval_output(contact, name, state) for name in ("force_local", "coordinates"))
    rate = wl.eval_output(contact, "coordinates_rate", state)
    stiffness = CONTACT["contact_stiffness_per_length"] / (len(contact) * POINTS)
    assert_allclose(
        forces.of(rope.feed).item(), (local * rate).sum() + 0.5 * stiffness * (gap[..., 1] ** 2).sum(), rtol=1e-12
    )


def test_equal_to_plain_cables_while_the_winch_stands() -> None:
    """The motion of a winch rope of constant length equals the motion of plain cables with contact points. An
    increasing weight pulls the rope over a rotating sheave, first without and then with slip.
    """
    found = []
    for winch in (True, False):
        world = wl.World(gravity=(0.0, -9.81))
        body = world.add(RigidBody2D, position=(0.0, 0.0), mass=3.0, inertia=0.7)
        con.fix(world, body, "x", "y")
        marker = con.rigid_marker(world, body)
        route = route_around([Circle((0.0, 0.0), 0.3, "right")], closed=False, start=(-0.5, 0.3), end=(0.3, -0.6))
        columns = {**ROPE, "axial_damping": 20.0, "axial_stiffness": 2e4, "bending_stiffness": 0.02}
        law = {**CONTACT, "circle": marker, "segments": 1, "circle_radius": 0.3, "friction_coefficient": 0.4}
        if winch:
            rope = winch_rope_along(world, route, 24, **columns)
            con.fix(world, rope.feed, "s")
            nodes, rows = rope.nodes, world.add(con.ContactFrictionCircleWinch2D, cable=rope.cables, **law)
        else:
            line = cable_along(world, route, 24, **columns)
            nodes, rows = nodes_of(world, line), world.add(con.ContactFrictionCirclePoints2D, cable=line, **law)
        con.hinge(world, nodes[0])
        world.add(con.Force, marker=con.position_marker(world, nodes[-1]), vector=(0.0, -30.0, 0.0))
        con.prescribe(world, body, "rotation", con.smooth_step(0.0, 0.1, 0.0, -0.04))
        state = wl.Static(world, time=0.0).solve()
        state = wl.Dynamic(world, step=1e-3, end=0.1, rtol=1e-11).solve(state)
        values = [wl.eval_output(rows, name, state) for name in ("state", "force_local")]
        found.append((state.of(nodes), state.of(nodes, "v"), state.of(body), *values))
    assert {0.0, 1.0, -2.0} == set(found[0][3].ravel())
    for ours, theirs in zip(*found, strict=True):
        assert_allclose(ours, theirs, rtol=0, atol=1e-7 * np.abs(theirs).max())


def test_what_is_refused() -> None:
    """Errors are raised for 3D cables, for cables that are not winch cables, for friction without bristles and dampers,
    and for closed routes.
    """
    world = wl.World()
    rope = wl.elements.winch_rope(world, (0, 2), (1, 2), 2, **ROPE)
    marker = world.add(con.PositionOnGround, ground=world.add(Ground))
    law = {"circle": marker, "segments": 2, "circle_radius": 1.0, **CONTACT}
    line = wl.elements.straight_cable(world, (0, 5), (1, 5), 2, **ROPE)
    with pytest.raises(wl.ModelError, match="cable"):
        world.add(con.ContactFrictionCircleWinch2D, cable=line, **law)
    space = wl.elements.winch_rope(world, (0, 0, 5), (1, 0, 5), 2, **ROPE)
    with pytest.raises(wl.ModelError, match="cable"):
        world.add(con.ContactFrictionCircleWinch2D, cable=space.cables, **law)
    with pytest.raises(wl.ModelError, match=r"circle_radius = -1\.0 m in ContactFrictionCircleWinch2D row"):
        world.add(con.ContactFrictionCircleWinch2D, cable=rope.cables, **{**law, "circle_radius": -1.0})
    loose = {key: value for key, value in law.items() if not key.startswith("friction")}
    world.add(con.ContactFrictionCircleWinch2D, cable=rope.cables, friction_coefficient=0.1, **loose)
    with pytest.raises(wl.ModelError, match="one of the two must be > 0"):
        world.finalize()
    route = route_around([Circle((k, 0.0), 0.3, "left") for k in range(2)])
    with pytest.raises(wl.ModelError, match="route of rope is closed: must be open"):
        winch_rope_along(wl.World(), route, 8, **ROPE)
