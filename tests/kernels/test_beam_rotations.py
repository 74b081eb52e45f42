"""Markers on rotations of cross sections of beams: tangents, agreement with nodes, twist by torques, motors, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    RotationOnBeam2D,
    RotationOnBeam3D,
    clamp,
    rotation_marker,
)
from windlass.elements import RigidBody2D, RigidBody3D, euler_parameters, nodes_of, straight_beam
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.assemble import assemble_matrix
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static
from windlass.testing import check_tangent

from support.beams import PLANE, SPACE, create_plane_beam, create_slope_beam, create_space_beam
from support.matrices import dense

ORDERS = (1, 2, 3)
AXIS = (0.5, -1.0, 2.0)


def create_beam(dims: int, order: int) -> tuple[World, Any]:
    """Create a bent beam without symmetry."""
    return create_plane_beam(order) if dims == 2 else create_space_beam(order)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dims", [2, 3])
def test_tangents(dims: int, order: int) -> None:
    """Tangents of loads, springs and constraints on rotations of cross sections agree with differences in motion."""
    world, beam = create_beam(dims, order)
    axis = "z" if dims == 2 else AXIS
    first, second = rotation_marker(world, beam[0], axis, x=0.2), rotation_marker(world, beam[1], axis, x=0.1)
    if dims == 2:
        block = rotation_marker(world, world.add(RigidBody2D, position=(0.9, 0.4), mass=0.5, inertia=0.1))
    else:
        block = rotation_marker(
            world, world.add(RigidBody3D, position=(0.9, 0.4, 0.2), mass=0.5, inertia=(0.1, 0.2, 0.15)), "y"
        )
    world.add(CoordinateLoad, marker=first, value=3.0)
    world.add(CoordinateSpringDamper, marker0=first, marker1=second, stiffness=4.0, damping=0.5)
    world.add(CoordinateConstraint, marker0=block, marker1=second, ratio=-1.7)
    check_tangent(world, tolerance=1e-7)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dims", [2, 3])
def test_sections_at_nodes(dims: int, order: int) -> None:
    """At the ends of an element, the angle of the cross section and its rate are equal to the angle and the rate of the
    node. This also holds for angles about a global axis.
    """
    world, end = World(), np.array((0.4, -0.4, 0.7))[:dims]
    beam = straight_beam(world, (0.0,) * dims, end, 2, order=order, **(PLANE if dims == 2 else SPACE))
    axis, pairs = "z" if dims == 2 else AXIS, []
    for name, x in (("node0", 0.0), ("node1", 0.5 * np.linalg.norm(end))):
        node = world.entity(int(getattr(beam[1], name)))
        for given in (False, True) if dims == 3 else (False,):
            own = rotation_marker(world, beam[1], axis, global_axis=given, x=x)
            pairs.append((own, rotation_marker(world, node, axis, global_axis=given)))
    springs = [world.add(CoordinateSpringDamper, marker1=list(pair), stiffness=1.0) for pair in pairs]
    state = State(world)
    state.q[:] += 0.1 * np.random.default_rng(3).normal(size=len(state.q))
    state.v[:] = np.random.default_rng(4).normal(size=len(state.q))
    for spring in springs:
        for name in ("displacement", "velocity"):
            own, other = eval_output(spring, name, state)
            assert_allclose(own, other, rtol=1e-12)
            assert abs(other) > 1e-3


@pytest.mark.parametrize("order", ORDERS)
def test_twist_of_a_shaft(order: int) -> None:
    """A torque about the axis on the section at x turns the end of a clamped shaft by M x/GJ, and a torque on the end
    turns the section at x by the same angle (theorem of Betti), also in bending by M x/EI.
    """
    x, M = 0.17, 1e-4
    for dims, axis, stiffness in ((2, "z", 2.0), (3, "x", 1.5), (3, "z", 3.0)):
        angles = []
        for reverse in (False, True):
            world, rest = World(), (0.0,) * (dims - 1)
            beam = straight_beam(world, (0.0, *rest), (1.0, *rest), 2, order=order, **(PLANE if dims == 2 else SPACE))
            clamp(world, nodes_of(world, beam)[0])
            places = [rotation_marker(world, beam[0], axis, x=x), rotation_marker(world, beam[1], axis, x=0.5)]
            world.add(CoordinateLoad, marker=places[reverse], value=M)
            world.add(CoordinateLoad, marker=places[not reverse])
            angles.append(eval_output(places[not reverse], "angle", Static(world, rtol=1e-13).solve()))
        assert_allclose(angles, M * x / stiffness, rtol=1e-5)


@pytest.mark.parametrize("dims", [2, 3])
def test_motor_within_an_element(dims: int) -> None:
    """A motor on a section within an element turns a beam by 15 rad. The angle includes whole turns, and the work of
    the motor is the kinetic energy of the beam.
    """
    world, J, speed = World(), 0.02, 6.0
    section = {"stiffness": (1e7,) * (3 if dims == 2 else 6), "mass_per_length": 1.0}
    inertia = {"rotary_inertia": J if dims == 2 else (J, J, J)}
    rest, axis = (0.0,) * (dims - 1), "z" if dims == 2 else "x"
    beam = straight_beam(world, (0.0, *rest), (1.0, *rest), 2, order=2, **section, **inertia)
    marker = rotation_marker(world, beam[0], axis, x=0.2)
    motor = world.add(
        CoordinateConstraint,
        marker1=marker,
        offset_function=lambda t: speed * (0.5 * t - np.sin(np.pi * t) / (2.0 * np.pi) if t < 1.0 else t - 0.5),
    )
    state = Dynamic(world, step=0.01, end=3.0).solve()
    assert_allclose(eval_output(marker, "angle", state), 15.0, rtol=1e-9)
    assert_allclose(eval_output(marker, "rate", state), speed, rtol=1e-4)
    whole = J + 1.0 / 12.0 if dims == 2 else J
    kinetic = 0.5 * state.v @ mass_times(world, state)
    assert_allclose(kinetic, 0.5 * whole * speed**2, rtol=1e-3)
    assert abs(float(eval_output(motor, "force", state))) < 1e-2 * whole * speed


def mass_times(world: World, state: State) -> Any:
    """Return the momenta of all coordinates."""
    matrix = dense(assemble_matrix(world, state, dq=0.0, dv=0.0, da=1.0))
    return matrix[: len(state.q), : len(state.q)] @ state.v


def test_lost_angles() -> None:
    """An angle is NaN if a section turns by more than 3/4 of a turn in a step. The message names the section."""
    world = World()
    beam = straight_beam(world, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1, **SPACE)
    world.add(CoordinateLoad, marker=rotation_marker(world, beam, "x", x=0.3), value=1.0)
    state = State(world)
    turn = euler_parameters((1.0, 0.0, 0.0), 5.0) - (1.0, 0.0, 0.0, 0.0)
    for node in nodes_of(world, beam):
        state.put(node, (0.0, 0.0, 0.0, *turn))
    state.assembly.load_fields(state)
    state.assembly.update_markers()
    (words,) = state.assembly.diagnose()
    assert words.startswith(
        "RotationOnBeam3D 0: the angle about the axis [1. 0. 0.] is lost: a step must turn the cross"
    )


def test_errors() -> None:
    """Points beyond the ends, axes in 2D, beams without Euler parameters and positions on bodies cause errors."""
    for dims, kind in ((2, RotationOnBeam2D), (3, RotationOnBeam3D)):
        world, rest = World(), (0.0,) * (dims - 1)
        beam = straight_beam(world, (0.0, *rest), (1.0, *rest), 2, **(PLANE if dims == 2 else SPACE))
        if dims == 2:
            with pytest.raises(ModelError, match="must be 'z' or"):
                rotation_marker(world, beam, "x", x=0.1)
        else:
            with pytest.raises(ModelError, match=r"axis has 3 rows for .*: must have 1 or 2"):
                rotation_marker(world, beam, np.eye(3))
            with pytest.raises(ModelError, match=r"axis = \(0, 0, 0\) in RotationOnBeam3D row 0"):
                world.add(RotationOnBeam3D, beam=beam, axis=(0.0, 0.0, 0.0))
        for wrong in ("0.1", [[0.1]]):
            with pytest.raises(ModelError, match="of rotation_marker: must be one number"):
                rotation_marker(world, beam, "z", x=wrong)
        with pytest.raises(ModelError, match="must be >= 0"):
            rotation_marker(world, beam, "z", x=-0.1)
        rotation_marker(world, beam[1], "z", x=0.6)
        with pytest.raises(ModelError, match=rf"x = 0\.6 m in {kind.__name__} row 0: must be <= 0\.5 m, the beam's"):
            world.finalize()
    world, beam = create_slope_beam(1)
    with pytest.raises(ModelError, match="has no rotation: must be a rigid body, a rigid node, Beam2D, Beam3D"):
        rotation_marker(world, beam)
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    with pytest.raises(ModelError, match="must be 0, as the entity is not a beam"):
        rotation_marker(world, body, x=0.1)
