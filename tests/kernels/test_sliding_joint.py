"""Tests of sliding joints: tangents on all kinds of cables (compared with differences), wrong models, and outputs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, RigidBody2D, RigidBody3D, nodes_of, straight_cable
from windlass.framework.model.table import Entity
from windlass.testing import check_tangent

from support.carriages import create_span


def create_body(kind: str) -> tuple[wl.World, Entity, Entity]:
    """Create a body on two rollers that slide with friction on a span of four cables, and its joints."""
    world, cables = create_span(kind, 4, 4.0, axial_stiffness=1e4, axial_damping=3.0, bending_damping=0.2)
    if kind == "space":
        body = world.add(RigidBody3D, position=(1.3, 0.1, -0.5), mass=5.0, inertia=(0.3, 0.4, 0.5))
        at = [(0.05, -0.1, 0.5), (0.55, -0.1, 0.5)]
    else:
        body, at = world.add(RigidBody2D, position=(1.3, -0.5), mass=5.0, inertia=0.3), [(0.05, 0.5), (0.55, 0.5)]
    joints = con.sliding_joint(
        world, cables, body, [1.35, 1.85], at, friction_coefficient=0.2, damping=0.3, friction_speed=0.5, speed=0.4
    )
    return world, cables, joints


@pytest.mark.parametrize("kind", ["plane", "space", "moving"])
def test_tangent(kind: str) -> None:
    """Tangents agree with central differences in random states of motion with multipliers, even if the joint is
    switched off.
    """
    world, _, joints = create_body(kind)
    state, rng = wl.State(world), np.random.default_rng(3)
    state.q[:] += 1e-2 * rng.standard_normal(len(state.q))
    state.v[:] += rng.standard_normal(len(state.v))
    state.lam[:] = 10.0 * rng.standard_normal(len(state.lam))
    check_tangent(world, state)
    world.set(joints, active=False)
    check_tangent(world, state)


def test_forces_balance() -> None:
    """The virtual work of the joint on rope and point together is 0, and friction opposes the motion."""
    world, _, joints = create_body("space")
    state = wl.State(world)
    state.put(nodes_of(world, joints), [[0.7], [-0.2]], "v")
    state.lam[:] = np.arange(len(state.lam)) + 1.0
    N, T = wl.eval_output(joints, "normal_force", state), wl.eval_output(joints, "friction_force", state)
    force, w = wl.eval_output(joints, "force", state), wl.eval_output(joints, "speed", state)
    # the rope is straight along x
    assert_allclose(N, np.hypot(force[:, 1], force[:, 2]))
    assert_allclose(w, [0.7, -0.2])
    assert_allclose(T, 0.3 * w + 0.2 * N * w / np.sqrt(w**2 + 0.5**2))
    assert_allclose(wl.eval_output(joints, "arc_length", state), [1.35, 1.85])
    assert_allclose(wl.eval_output(joints, "cable", state), [1, 1])
    nodes = nodes_of(world, joints)
    assert nodes.kind == "SlidingNode"
    assert_allclose(wl.eval_output(nodes, "coordinate", state), [1.35, 1.85])
    assert_allclose(wl.eval_output(nodes, "velocity", state), [0.7, -0.2])
    assert_allclose(wl.eval_output(nodes, "displacement", state), 0.0)


def test_wrong_tracks() -> None:
    """Cables that are not connected in sequence, positions beyond the ends, and points that can leave the plane of the
    rope cause errors.
    """
    world, cables = create_span("plane", 4, 4.0)
    point = world.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    with pytest.raises(wl.ModelError, match="must be cables, or a CableTrack"):
        con.sliding_joint(world, point, point, 1.0)
    con.sliding_joint(world, cables, point, 5.0)
    with pytest.raises(wl.ModelError, match=r"starts at s = 5 m, off its track: must be from 0 to 4 m"):
        wl.State(world)

    world, cables = create_span("plane", 4, 4.0)
    reverse = Entity(cables.table, cables.rows[::-1])
    con.sliding_joint(world, reverse, world.add(MassPoint, position=(1.0, 0.0), mass=1.0), 1.0)
    with pytest.raises(wl.ModelError, match="begins 2 m from the end of the previous cable: must begin at this end"):
        wl.State(world)

    world, cables = create_span("plane", 4, 4.0)
    con.sliding_joint(world, cables, world.add(MassPoint, position=(1.0, 0.0, 0.0), mass=1.0), 1.0)
    with pytest.raises(wl.ModelError, match="can leave the plane of its cables"):
        wl.State(world)

    world, cables = create_span("plane", 2, 4.0)
    other = straight_cable(
        world, (4.0, 0.0, 0.0), (6.0, 0.0, 0.0), 1, axial_stiffness=1.0, bending_stiffness=1.0, mass_per_length=1.0
    )
    world.add(con.CableTrack, cables=[cables, other])
    with pytest.raises(wl.ModelError, match="differs in kind from the previous cable"):
        wl.State(world)

    with pytest.raises(wl.ModelError, match="CableTrack needs cables: a chain, each a track cable"):
        wl.World().add(con.CableTrack)


def test_a_carriage_off_its_rope() -> None:
    """If a point is not on its cable at the start of statics or dynamics, an error that states the distance is
    raised.
    """
    world, cables = create_span("plane", 4, 4.0)
    con.sliding_joint(world, cables, world.add(MassPoint, position=(1.0, 0.3), mass=1.0), 1.0, speed=0.0)
    words = r"marker of the joint at \(1, 0.3, 0\) m is 0.3 m away from the rope at s = 1 m: must be on the rope"
    for solver in (wl.Static(world), wl.Dynamic(world, step=1e-3, end=1e-2)):
        with pytest.raises(wl.ModelError, match=words):
            solver.solve()
    world, cables = create_span("plane", 4, 4.0)
    with pytest.raises(wl.ModelError, match="speed of sliding_joint has 2 numbers: must be one, or one per joint"):
        con.sliding_joint(world, cables, world.add(MassPoint, position=(1.0, 0.0), mass=1.0), 1.0, speed=(1.0, 2.0))
