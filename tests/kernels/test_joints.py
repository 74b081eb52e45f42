"""Tests of joints. Equations agree with independent formulas. Tangents and accelerations agree with differences.
Equations are also switched on and off.

"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    DistanceConstraint,
    GenericJoint,
    PrismaticJoint2D,
    RevoluteJoint2D,
    SphericalJoint,
    position_marker,
    rigid_marker,
)
from windlass.elements import (
    Cable2D,
    Ground,
    MassPoint,
    PointSlope2D,
    RigidBody2D,
    RigidBody3D,
    euler_parameters,
    rotation_matrix,
)
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.system import evaluate
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

STEP = 1e-5
FRAME0 = rotation_matrix(euler_parameters((1.0, 2.0, -1.0), 0.6))
FRAME1 = rotation_matrix(euler_parameters((0.0, -1.0, 1.0), 0.9))
LOCKED = [
    (True, True, True),
    (True, False, False),
    (False, True, False),
    (False, False, True),
    (True, True, False),
    (True, False, True),
    (False, True, True),
    (False, False, False),
]


def add_bodies(world: World) -> tuple[Entity, Entity]:
    first = world.add(RigidBody3D, position=(0.1, 0.2, 0.3), mass=1.0, inertia=(1.0, 1.0, 1.0))
    turned = euler_parameters((0.3, 1.0, -0.5), 0.4)
    second = world.add(
        RigidBody3D, position=(1.0, 0.0, 0.2), euler_parameters=turned, mass=1.0, inertia=(1.0, 1.0, 1.0)
    )
    return first, second


def add_planar(world: World) -> tuple[Entity, Entity, Entity]:
    bodies = world.add(RigidBody2D, position=[(0.0, 0.0), (1.0, 0.5)], angle=[0.2, -0.4], mass=1.0, inertia=1.0)
    nodes = world.add(PointSlope2D, position=[(0.0, 1.0), (0.7, 1.2)])
    stiffness = {"mass_per_length": 1.0, "axial_stiffness": 10.0, "bending_stiffness": 1.0}
    cable = world.add(Cable2D, node0=nodes[0], node1=nodes[1], length=0.7, **stiffness)
    return bodies[0], bodies[1], cable


def finish(world: World, seed: int) -> Assembly:
    assembly = Assembly(world)
    set_random_fields(assembly, seed)
    return assembly


def check_tangent_and_accelerations(assembly: Assembly) -> None:
    """Check tangents against differences, and check accelerations with C_q a = rhs against the second derivative of C
    along a motion.

    Differences with a step of 1e-6 (first derivative) and 1e-4 (second derivative) are accurate to about 1e-8.
    """
    check_fields(assembly)
    fields, n = assembly.fields, assembly.layout.spare
    x, v = fields.x.copy(), fields.v.copy()

    def equations(h: float) -> np.ndarray:
        fields.x[:] = x + h * v
        c, f = np.zeros_like(fields.lam), np.zeros(n + 1)
        assembly.update_markers()
        assembly.add_constraints(c, f)
        return c

    h = 1e-4
    second = (equations(h) - 2 * equations(0.0) + equations(-h)) / h**2
    fields.x[:] = x
    assembly.update_markers()
    rhs = np.zeros_like(fields.lam)
    for constraint in assembly.constraints:
        constraint.acceleration(evaluate(fields, C=rhs))
    # an equation that is switched off is replaced by λ = 0
    assert_allclose(rhs, -second, atol=1e-6)


@pytest.mark.parametrize("axes", [(True, True, True), (False, True, True), (True, False, False)])
def test_spherical_joint(axes: tuple[bool, bool, bool]) -> None:
    world = World()
    first, second = add_bodies(world)
    m0, m1 = position_marker(world, first, (0.3, -0.1, 0.2)), position_marker(world, second, (-0.4, 0.2, 0.1))
    joint = world.add(SphericalJoint, marker0=m0, marker1=m1, axes=axes)
    point = world.add(MassPoint, position=(0.4, 0.3, 0.1), mass=1.0)
    ground = position_marker(world, world.add(Ground, position=(0.4, 0.0, 0.0)))
    world.add(SphericalJoint, marker0=ground, marker1=position_marker(world, point))
    check_tangent_and_accelerations(finish(world, 3))
    state = State(world)
    turned = rotation_matrix(euler_parameters((0.3, 1.0, -0.5), 0.4))
    gap = np.array((1.0, 0.0, 0.2)) + turned @ (-0.4, 0.2, 0.1) - np.array((0.4, 0.1, 0.5))
    assert_allclose(eval_output(joint, "gap", state), gap * axes, atol=1e-15)
    state.lam[:] = np.arange(1.0, 1.0 + len(state.lam))
    # multipliers are numbered table by table, starting with the bodies
    assert_allclose(eval_output(joint, "multipliers", state), np.array((3.0, 4.0, 5.0)) * axes)
    assert_allclose(eval_output(joint, "force", state), np.array((3.0, 4.0, 5.0)) * axes)
    assert_allclose(eval_output(joint, "torque", state), 0.0)


@pytest.mark.parametrize("rotations", LOCKED)
@pytest.mark.parametrize("translations", [(True, True, True), (True, False, True)])
def test_generic_joint(rotations: tuple[bool, ...], translations: tuple[bool, ...]) -> None:
    world = World()
    first, second = add_bodies(world)
    m0, m1 = rigid_marker(world, first, (0.3, -0.1, 0.2)), rigid_marker(world, second, (-0.4, 0.2, 0.1))
    free = {"translations": translations, "rotations": rotations}
    joint = world.add(GenericJoint, marker0=m0, marker1=m1, frame0=FRAME0, frame1=FRAME1, **free)
    ground = rigid_marker(world, world.add(Ground))
    world.add(GenericJoint, marker0=rigid_marker(world, first), marker1=ground, **free)
    check_tangent_and_accelerations(finish(world, 5))
    state = State(world)
    gap = eval_output(joint, "gap", state)
    d = np.array((1.0, 0.0, 0.2)) - np.array((0.4, 0.1, 0.5))
    A1 = rotation_matrix(euler_parameters((0.3, 1.0, -0.5), 0.4))
    assert_allclose(gap[:3], FRAME0.T @ (d + A1 @ (-0.4, 0.2, 0.1)) * translations, atol=1e-15)
    assert_allclose(gap[3:] != 0.0, rotations)


@pytest.mark.parametrize("locked", LOCKED[:-1])
def test_rotations_that_a_generic_joint_leaves_free(locked: tuple[bool, ...]) -> None:
    """For small rotations, each rotation equation equals the angle about its axis.

    If only one rotation is free, a rotation about its axis violates no equation.
    """
    for axis in range(3):
        for angle in (1e-4, 2.3):
            world = World()
            body = world.add(
                RigidBody3D,
                position=(0.0, 0.0, 0.0),
                euler_parameters=euler_parameters(FRAME0[:, axis], angle),
                mass=1.0,
                inertia=(1.0, 1.0, 1.0),
            )
            ground = rigid_marker(world, world.add(Ground))
            marker = rigid_marker(world, body)
            frames = {"frame0": FRAME0, "frame1": FRAME0, "rotations": locked}
            joint = world.add(GenericJoint, marker0=ground, marker1=marker, **frames)
            gap = eval_output(joint, "gap", State(world))[3:]
            if angle < 1.0:
                # the values of the other equations are of second order in the angle
                assert_allclose(gap, angle * np.eye(3)[axis] * locked, atol=1e-7)
            elif sum(locked) == 2 and not locked[axis]:
                assert_allclose(gap, 0.0, atol=1e-15)


def test_torque_of_a_generic_joint() -> None:
    """A rotation multiplier is a torque about its axis. Translation multipliers cause a torque if the two points are
    apart.
    """
    world = World()
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 1.0, 1.0))
    ground = rigid_marker(world, world.add(Ground))
    joint = world.add(GenericJoint, marker0=ground, marker1=rigid_marker(world, body), frame0=FRAME0, frame1=FRAME0)
    state = State(world)
    state.lam[1:] = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    assert_allclose(eval_output(joint, "force", state), FRAME0 @ (1.0, 2.0, 3.0), atol=1e-14)
    assert_allclose(eval_output(joint, "torque", state), FRAME0 @ (4.0, 5.0, 6.0), atol=1e-14)


def test_planar_joints() -> None:
    world = World()
    first, second, cable = add_planar(world)
    m0, m1 = rigid_marker(world, first, (0.3, -0.1)), rigid_marker(world, second, (-0.4, 0.2))
    on_cable = rigid_marker(world, cable, (0.3, 0.1))
    pin = world.add(RevoluteJoint2D, marker0=m0, marker1=m1)
    world.add(RevoluteJoint2D, marker0=m1, marker1=on_cable)
    slide = world.add(PrismaticJoint2D, marker0=m0, marker1=m1, axis=(3.0, 4.0), angle=0.3)
    world.add(PrismaticJoint2D, marker0=on_cable, marker1=m0, axis=(1.0, 0.0), lock_rotation=False)
    world.add(PrismaticJoint2D, marker0=m1, marker1=on_cable, axis=(0.0, 1.0), angle=-1.0)
    check_tangent_and_accelerations(finish(world, 7))
    state = State(world)
    positions = []
    for body, place, angle in ((first, (0.3, -0.1), 0.2), (second, (-0.4, 0.2), -0.4)):
        cos, sin = np.cos(angle), np.sin(angle)
        arm = np.array([[cos, -sin], [sin, cos]]) @ place
        positions.append(np.asarray(eval_output(body, "position", state))[:2] + arm)
    d = positions[1] - positions[0]
    assert_allclose(eval_output(pin, "gap", state), d, atol=1e-15)
    cos, sin = np.cos(0.2), np.sin(0.2)
    normal = np.array([[cos, -sin], [sin, cos]]) @ (-0.8, 0.6)
    assert_allclose(eval_output(slide, "gap", state), (normal @ d, np.sin(-0.4 - 0.2 - 0.3)), atol=1e-15)


def test_distance_constraint() -> None:
    world = World()
    first, second = add_bodies(world)
    m0, m1 = position_marker(world, first, (0.3, -0.1, 0.2)), position_marker(world, second, (-0.4, 0.2, 0.1))
    rod = world.add(DistanceConstraint, marker0=m0, marker1=m1, distance=0.7)
    planar, _, cable = add_planar(world)
    ends = position_marker(world, planar, (0.1, 0.2)), position_marker(world, cable, (0.2, -0.1))
    world.add(DistanceConstraint, marker0=ends[0], marker1=ends[1], distance=0.5)
    check_tangent_and_accelerations(finish(world, 9))
    state = State(world)
    turned = rotation_matrix(euler_parameters((0.3, 1.0, -0.5), 0.4))
    d = np.array((1.0, 0.0, 0.2)) + turned @ (-0.4, 0.2, 0.1) - np.array((0.4, 0.1, 0.5))
    length = np.linalg.norm(d)
    assert_allclose(eval_output(rod, "gap", state), [length - 0.7], atol=1e-15)
    state.lam[2] = 10.0
    assert_allclose(eval_output(rod, "force", state), 10.0 * d / length, atol=1e-14)


def test_switching() -> None:
    world = World()
    first, second = add_bodies(world)
    m0, m1 = rigid_marker(world, first), rigid_marker(world, second)
    joints = [
        world.add(SphericalJoint, marker0=m0, marker1=m1),
        world.add(GenericJoint, marker0=m0, marker1=m1, active=False),
        world.add(DistanceConstraint, marker0=m0, marker1=m1, distance=1.0, active=False),
    ]
    assembly = finish(world, 11)
    check_fields(assembly)
    c, f = np.zeros_like(assembly.fields.lam), np.zeros_like(assembly.fields.x)
    assembly.add_constraints(c, f)
    lam = assembly.fields.lam
    assert_allclose(c[5:12], lam[5:12], atol=0)
    world.set(joints[0], active=False)
    world.set(joints[1], active=True, rotations=(False, False, True))
    assembly.refresh()
    c[:] = 0.0
    assembly.add_constraints(c, f)
    assert_allclose(c[2:5], lam[2:5], atol=0)
    assert_allclose(c[8:10], lam[8:10], atol=0)
    assert not np.isclose(c[[5, 6, 7, 10]], lam[[5, 6, 7, 10]]).any()
    state = State(world)
    state.lam[:] = 1.0
    assert_allclose(eval_output(joints[0], "force", state), 0.0, atol=0)
    assert_allclose(eval_output(joints[2], "gap", state), 0.0, atol=0)


def test_errors() -> None:
    def planar() -> tuple[World, Entity, Entity]:
        world = World()
        first, second, _ = add_planar(world)
        return world, rigid_marker(world, first), rigid_marker(world, second)

    world, m0, m1 = planar()
    world.add(SphericalJoint, marker0=m0, marker1=m1)
    with pytest.raises(
        ModelError, match=r"SphericalJoint row 0 constrains motion perpendicular to z = 0.*RevoluteJoint2D"
    ):
        world.finalize()
    world, m0, m1 = planar()
    world.add(SphericalJoint, marker0=m0, marker1=m1, axes=(True, True, False))
    world.finalize()
    world, m0, m1 = planar()
    world.add(GenericJoint, marker0=m0, marker1=m1)
    with pytest.raises(ModelError, match="in 2D use RevoluteJoint2D or PrismaticJoint2D"):
        world.finalize()
    world, m0, m1 = planar()
    world.add(PrismaticJoint2D, marker0=m0, marker1=m1, axis=(0.0, 0.0))
    with pytest.raises(ModelError, match=r"axis = \(0, 0\) in PrismaticJoint2D row 0: must have a length > 0"):
        world.finalize()
    world, m0, m1 = planar()
    with pytest.raises(ModelError, match=r"distance = 0\.0 m in DistanceConstraint row 0: must be > 0"):
        world.add(DistanceConstraint, marker0=m0, marker1=m1, distance=0.0)
    for kind, words in ((RevoluteJoint2D, {}), (PrismaticJoint2D, {"axis": (1.0, 0.0)})):
        world = World()
        first, second = add_bodies(world)
        world.add(kind, marker0=rigid_marker(world, first), marker1=rigid_marker(world, second), **words)
        with pytest.raises(ModelError, match="can leave the plane z = 0: must have 2D markers"):
            world.finalize()
    world = World()
    first, second = add_bodies(world)
    skew = np.eye(3) + 0.1
    world.add(GenericJoint, marker0=rigid_marker(world, first), marker1=rigid_marker(world, second), frame1=skew)
    with pytest.raises(ModelError, match=r"frame1 = .* in GenericJoint row 0: must be a rotation matrix"):
        world.finalize()
