"""Markers on elements of `Beam2D` and `Beam3D`: tangents, rigid rotations, reciprocity, pendulums, convergence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from windlass.connectors import (
    CartesianSpringDamper,
    Force,
    GenericJoint,
    PositionOnBeam2D,
    PositionOnBeam3D,
    RevoluteJoint2D,
    RigidBodySpringDamper,
    Torque,
    clamp,
    fix,
    position_marker,
    rigid_marker,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, nodes_of, straight_beam
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.modes.modes import Modes
from windlass.solvers.static import Static
from windlass.testing import check_tangent

from support.beams import PLANE, SPACE, create_plane_beam, create_space_beam

ORDERS = (1, 2, 3)


def read_marker(world: World, state: State, marker: Entity) -> tuple[Any, Any]:
    """Return the position [m] and the rotation matrix of a marker."""
    assembly = serial_assembly(world)
    assembly.load_fields(state)
    assembly.update_markers()
    columns, k = assembly.fields.markers["position marker"], assembly.layout.marker_index[marker.ids[0]]
    return columns.position[k].copy(), columns.rotation[k].copy()


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dims", [2, 3])
def test_tangents_of_connectors_on_elements(dims: int, order: int) -> None:
    """Tangents of forces, torques, springs and joints on points of elements agree with differences in motion."""
    world, beam = (create_plane_beam if dims == 2 else create_space_beam)(order)
    beside = (0.2, 0.1, -0.15)[:dims]
    first, second = rigid_marker(world, beam[0], beside), rigid_marker(world, beam[1], (0.1, *(0.0,) * (dims - 1)))
    vector = (0.0, 0.0, 3.0) if dims == 2 else (1.0, 2.0, 3.0)
    world.add(Torque, marker=first, vector=vector, body_fixed=True)
    world.add(Force, marker=first, vector=(1.0, 2.0, 0.0), body_fixed=True)
    ball = position_marker(world, world.add(MassPoint, position=(0.3, 0.8, 0.5)[:dims], mass=0.4))
    world.add(CartesianSpringDamper, marker0=first, marker1=ball, stiffness=(5.0,) * 3, damping=(0.5,) * 3)
    if dims == 2:
        block = world.add(RigidBody2D, position=(0.9, 0.4), mass=0.5, inertia=0.1)
        world.add(RevoluteJoint2D, marker0=second, marker1=rigid_marker(world, block, (0.1, 0.2)))
    else:
        block = world.add(RigidBody3D, position=(0.9, 0.4, 0.2), mass=0.5, inertia=(0.1, 0.2, 0.15))
        other = rigid_marker(world, block, (0.1, 0.2, 0.0))
        world.add(GenericJoint, marker0=second, marker1=other, rotations=(True, True, False))
        stiffness = np.diag([3.0, 4.0, 5.0, 1.0, 2.0, 3.0])
        world.add(RigidBodySpringDamper, marker0=first, marker1=other, stiffness=stiffness, damping=0.1 * stiffness)
    check_tangent(world, tolerance=1e-7)


@pytest.mark.parametrize("order", ORDERS)
def test_frames_agree_with_the_outputs_of_beams(order: int) -> None:
    """The frame of a marker is the output ``frame`` of the beam at the same point of a deformed beam."""
    world, beam = create_space_beam(order)
    marker = rigid_marker(world, beam[1], (0.13, 0.0, 0.0))
    world.add(Force, marker=marker)
    state = State(world)
    state.q[:] += 0.1 * np.random.default_rng(3).normal(size=len(state.q))
    position, frame = read_marker(world, state, marker)
    assert_allclose(frame, np.asarray(eval_output(beam[1], "frame", state, x=0.13)).reshape(3, 3), atol=1e-12)
    assert_allclose(position, np.ravel(eval_output(beam[1], "position", state, x=0.13)), atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
def test_rigid_rotations(order: int) -> None:
    """If all nodes of a deformed beam rotate together by more than 180°, a marker at a distance from the axis has
    exactly the same rotation.
    """
    world, beam = create_space_beam(order)
    marker = rigid_marker(world, beam[0], (0.2, 0.1, -0.15))
    world.add(Force, marker=marker)
    state = State(world)
    nodes = state.local_dofs(nodes_of(world, beam))
    reference = world.numbering.reference_of(world.dofs_of(nodes_of(world, beam)))
    state.q[:] += 0.1 * np.random.default_rng(3).normal(size=len(state.q))
    position, frame = read_marker(world, state, marker)
    turn, shift = Rotation.from_rotvec((2.0, -3.0, 1.0)), np.array((1.0, 2.0, 3.0))
    w, x, y, z = np.roll(turn.as_quat(), 1)
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    total = reference + state.q[nodes]
    turned = np.concatenate((turn.apply(total[:, :3]) + shift, total[:, 3:] @ left.T), axis=1)
    state.q[nodes] = turned - reference
    after, frame_after = read_marker(world, state, marker)
    assert_allclose(after, turn.apply(position) + shift, atol=1e-12)
    assert_allclose(frame_after, turn.as_matrix() @ frame, atol=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("x", [0.17, 0.43])
def test_reciprocity(x: float, order: int) -> None:
    """A transverse torque M at the point x of a cantilever rotates the end of the cantilever by M x/EI, and a torque M
    about the axis by M x/GJ. If the torque is conjugate to the rotation of the point, these results are exact for all
    orders by the theorem of Betti.
    """
    for dims, vector, stiffness in ((2, (0.0, 0.0, 1e-4), 2.0), (3, (0.0, 0.0, 1e-4), 3.0), (3, (1e-4, 0.0, 0.0), 1.5)):
        world, rest = World(), (0.0,) * (dims - 1)
        beam = straight_beam(world, (0.0, *rest), (1.0, *rest), 2, order=order, **(PLANE if dims == 2 else SPACE))
        nodes = nodes_of(world, beam)
        clamp(world, nodes[0])
        marker = rigid_marker(world, beam[0], (x, 0.0))
        world.add(Torque, marker=marker, vector=vector)
        end = rigid_marker(world, nodes[-1])
        world.add(Force, marker=end)
        state = Static(world, rtol=1e-13).solve()
        turn = Rotation.from_matrix(read_marker(world, state, end)[1]).as_rotvec()
        assert_allclose(turn, np.array(vector) * x / stiffness, atol=1e-5 * 1e-4)


def create_pendulum(dims: int, order: int, x: float, **columns: Any) -> tuple[World, Entity, Entity, Entity]:
    """Create a beam of the length 1 m along -y. Return the world, the beam, and markers of beam and ground at x."""
    world, rest = World(gravity=(0.0, -9.81, 0.0)[:dims]), (0.0,) * (dims - 2)
    beam = straight_beam(world, (0.0, 0.0, *rest), (0.0, -1.0, *rest), 2, order=order, **columns)
    ground = world.add(Ground, position=(0.0, -x, 0.0))
    return world, beam, rigid_marker(world, beam[0], (x, 0.0)), rigid_marker(world, ground)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dims", [2, 3])
def test_pendulum(dims: int, order: int) -> None:
    """A stiff beam that hangs from a hinge within an element swings as a compound pendulum: ω² = m g d/(I + m d²)."""
    m, J, x, size = 0.7, 0.03, 0.13, 3 if dims == 2 else 6
    section = {"stiffness": (1e7,) * size, "mass_per_length": m, "rotary_inertia": J if dims == 2 else (J, J, J)}
    world, beam, hinge, ground = create_pendulum(dims, order, x, **section)
    if dims == 2:
        world.add(RevoluteJoint2D, marker0=ground, marker1=hinge)
    else:
        other, _, copy, _ = create_pendulum(dims, order, x, **section)
        other.add(Force, marker=copy)
        frame = read_marker(other, State(other), copy)[1].T
        world.add(GenericJoint, marker0=ground, marker1=hinge, rotations=(True, True, False), frame1=frame)
    d = 0.5 - x
    exact = np.sqrt(m * 9.81 * d / (m / 12.0 + J + m * d * d)) / (2.0 * np.pi)
    # before the weight acts, only this support prevents the beam from swinging
    hold = fix(world, nodes_of(world, beam)[-1], "x")
    state = Static(world).solve()
    world.set(hold, active=False)
    modes = Modes(world, count=1).solve(state)
    assert_allclose(modes.frequencies[0], exact, rtol=1e-5)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dims", [2, 3])
def test_order_of_convergence(dims: int, order: int) -> None:
    """If a beam is bent to an arc of 90°, the error of positions between the nodes has the order p + 1."""
    errors, rest = [], (0.0,) * (dims - 1)
    EI = 2.0 if dims == 2 else 3.0
    for elements in (4, 8):
        world = World()
        beam = straight_beam(
            world, (0.0, *rest), (1.0, *rest), elements, order=order, **(PLANE if dims == 2 else SPACE)
        )
        nodes, k = nodes_of(world, beam), elements // 4
        clamp(world, nodes[0])
        world.add(Torque, marker=rigid_marker(world, nodes[-1]), vector=(0.0, 0.0, 0.5 * np.pi * EI))
        marker = rigid_marker(world, beam[k], (0.3 / elements, 0.0))
        world.add(Force, marker=marker)
        state = Static(world, rtol=1e-12, load_steps=4).solve()
        angle = 0.5 * np.pi * (k + 0.3) / elements
        exact = np.array((np.sin(angle), 1.0 - np.cos(angle), 0.0)) / (0.5 * np.pi)
        errors.append(np.linalg.norm(read_marker(world, state, marker)[0] - exact))
    assert abs(np.log2(errors[0] / errors[1]) - (order + 1)) < 0.5, errors


def test_errors() -> None:
    """Points beyond the ends of beams, and points with three coordinates in 2D, cause errors."""
    world = World()
    beam = straight_beam(world, (0, 0), (1, 0), 2, **PLANE)
    with pytest.raises(ModelError, match=r"at on .* has shape \(3,\): must be \(x, y\) \[m\]"):
        rigid_marker(world, beam[0], (0.1, 0.0, 0.0))
    world.add(PositionOnBeam2D, beam=beam[1], x=0.6)
    with pytest.raises(ModelError, match=r"x = 0\.6 m in PositionOnBeam2D row 0: must be <= 0\.5 m, the beam's"):
        world.finalize()
    space = World()
    beam = straight_beam(space, (0, 0, 0), (1, 0, 0), 2, **SPACE)
    space.add(PositionOnBeam3D, beam=beam[1], x=0.6)
    with pytest.raises(ModelError, match=r"x = 0\.6 m in PositionOnBeam3D row 0: must be <= 0\.5 m, the beam's"):
        space.finalize()
