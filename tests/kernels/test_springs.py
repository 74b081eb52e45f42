"""Tests of springs and dampers between markers of every kind: forces, and tangents (compared with central
differences).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CartesianSpringDamper,
    CoordinateLoad,
    CoordinateSpringDamper,
    Force,
    coordinate_marker,
    position_marker,
)
from windlass.elements.bodies.mass_point import MassPoint
from windlass.elements.bodies.rigid2d import RigidBody2D
from windlass.elements.cable.cable2d import Cable2D
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes2d import PointSlope2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import check_fields, eval_tangent

REFERENCE = Path(__file__).parents[1] / "reference"
# central differences with forces of order 10 have an error of about h^2 + 10 eps/h
TOLERANCE = 2e-8
K, D, OFFSET = np.array([7.0, 11.0, 3.0]), np.array([2.0, 5.0, 1.0]), np.array([0.3, -0.2, 0.1])


def create_world() -> tuple[World, dict[str, Entity]]:
    """Create a world with markers at a point off the axis of a cable without stiffness, off the centre of a body, and
    on other entities.
    """
    world = World()
    nodes = [
        world.add(PointSlope2D, position=(0.1, 0.2), slope=(0.8, 0.6)),
        world.add(PointSlope2D, position=(0.7, 0.5), slope=(0.9, 0.3)),
    ]
    cable = world.add(
        Cable2D,
        node0=nodes[0],
        node1=nodes[1],
        length=0.7,
        mass_per_length=1.0,
        axial_stiffness=5e-324,  # the smallest positive number [N], so that the cable has no forces
        bending_stiffness=0.0,
    )
    body = world.add(RigidBody2D, position=(1.0, 2.0), angle=0.4, mass=1.0, inertia=1.0)
    markers = {
        "cable": position_marker(world, cable, (0.2, 0.15)),
        "axis": position_marker(world, cable, (0.5, 0.0)),
        "body": position_marker(world, body, (0.3, -0.2)),
        "edge": position_marker(world, body, (-0.4, 0.1)),
        "node": position_marker(world, nodes[1]),
        "mass": position_marker(world, world.add(MassPoint, position=(2.0, 1.0), mass=1.0)),
        "ground": position_marker(world, world.add(Ground), (0.4, 0.5)),
    }
    return world, markers


def random_assembly(world: World, seed: int = 3) -> Assembly:
    """Return the assembly in a random state near the reference."""
    assembly = Assembly(world)
    random = np.random.default_rng(seed)
    n = assembly.layout.spare
    assembly.fields.x[:n] += 0.1 * random.standard_normal(n)
    assembly.fields.v[:n] = random.standard_normal(n)
    assembly.fields.t = 0.5
    assembly.update_markers()
    return assembly


def eval_forces(assembly: Assembly) -> np.ndarray:
    f = np.zeros(assembly.layout.spare + 1)
    assembly.update_markers()
    assembly.add_forces(f)
    return f[:-1]


def dense_tangent(assembly: Assembly, dq: float, dv: float) -> np.ndarray:
    """Return the assembled tangent over local coordinates, without masses and loads."""
    return eval_tangent(assembly, dq, dv, 0.0, load_factor=0.0)


PAIRS = [
    ("cable", "body"),
    ("body", "cable"),
    ("ground", "cable"),
    ("axis", "cable"),
    ("body", "edge"),
    ("mass", "edge"),
    ("node", "ground"),
    ("ground", "mass"),
]


@pytest.mark.parametrize("pair", PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_cartesian_tangent(pair: tuple[str, str]) -> None:
    world, markers = create_world()
    world.add(
        CartesianSpringDamper,
        marker0=markers[pair[0]],
        marker1=markers[pair[1]],
        stiffness=K,
        damping=D,
        offset=OFFSET,
    )
    check_fields(random_assembly(world), TOLERANCE, limit=TOLERANCE)


def nonlinear(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any) -> Any:
    """Return a force that couples all directions and depends on time."""
    assert u.shape == ut.shape == (3,)
    return k * (u - offset) * (1.0 + u @ u) + d * ut * (1.0 + t) + 0.1 * np.array([u[1] * ut[0], ut[0] ** 2, u[0]])


def nonlinear_derivative(t: float, row: int, u: Any, ut: Any, k: Any, d: Any, offset: Any) -> Any:
    df_du = np.diag(k) * (1.0 + u @ u) + 2.0 * np.outer(k * (u - offset), u)
    df_du += 0.1 * np.array([[0.0, ut[0], 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    df_dut = np.diag(d) * (1.0 + t) + 0.1 * np.array([[u[1], 0.0, 0.0], [2.0 * ut[0], 0.0, 0.0], [0.0, 0.0, 0.0]])
    return df_du, df_dut


@pytest.mark.parametrize("derivative", [None, nonlinear_derivative])
def test_cartesian_mixed_rows(derivative: Callable[..., Any] | None) -> None:
    """The tangent agrees with differences for a table with markers of different numbers of coordinates. The rows have a
    linear law or a user function, and one row is inactive.
    """
    world, markers = create_world()
    springs = world.add(
        CartesianSpringDamper,
        marker0=[markers["body"], markers["mass"], markers["cable"]],
        marker1=[markers["cable"], markers["node"], markers["edge"]],
        stiffness=K,
        damping=[D, D, 0.5 * D],
        offset=OFFSET,
        force_function=[nonlinear, None, nonlinear],
        force_derivative=[derivative, None, None],
        active=[True, True, True],
    )
    assembly = random_assembly(world)
    # the tangent of user rows without a derivative function consists of differences
    check_fields(assembly, 1e-7, limit=1e-7)
    all_active = eval_forces(assembly)
    world.set(springs[2], active=False)
    assembly.refresh()
    assert np.abs(eval_forces(assembly) - all_active).max() > 0.1
    check_fields(assembly, 1e-7, limit=1e-7)
    world.set(springs, active=False)
    assembly.refresh()
    assert not eval_forces(assembly).any() and not dense_tangent(assembly, 1.0, 1.0).any()


def test_cartesian_outputs_and_balance() -> None:
    world, markers = create_world()
    spring = world.add(
        CartesianSpringDamper,
        marker0=markers["ground"],
        marker1=markers["mass"],
        stiffness=K,
        damping=D,
        offset=OFFSET,
    )
    off = world.add(
        CartesianSpringDamper, marker0=markers["ground"], marker1=markers["mass"], stiffness=K, active=False
    )
    state = State(world)
    mass = world.tables[MassPoint].ids
    node = world.entity(int(world.tables[MassPoint].collect("node")[0]))
    state.put(node, (0.05, -0.02))
    state.put(node, (0.4, 0.3), "v")
    u, ut = np.array([2.05 - 0.4, 0.98 - 0.5, 0.0]), np.array([0.4, 0.3, 0.0])
    force = K * (u - OFFSET) + D * ut
    assert_allclose(eval_output(spring, "displacement", state), u, atol=1e-15)
    assert_allclose(eval_output(spring, "distance", state), np.linalg.norm(u), atol=1e-15)
    assert_allclose(eval_output(spring, "velocity", state), ut, atol=1e-15)
    assert_allclose(eval_output(spring, "force", state), force, atol=1e-14)
    assert not eval_output(off, "force", state).any()
    f = np.zeros(state.assembly.layout.spare + 1)
    state.assembly.add_forces(f)
    dofs = state.assembly.layout.local_dofs(world.dofs_of(mass))[0]
    assert_allclose(f[dofs], force[:2], atol=1e-14)
    assert_allclose(state.assembly.energy(), 0.5 * (K * (u - OFFSET) ** 2).sum(), rtol=1e-14)


def test_rigid_motion_gives_no_net_force() -> None:
    """The sum of the forces of springs between points of free bodies is zero, and the forces have no moment about the
    body's centre.
    """
    world, markers = create_world()
    world.add(CartesianSpringDamper, marker0=markers["body"], marker1=markers["edge"], stiffness=K[0], damping=0.0)
    assembly = random_assembly(world)
    f = eval_forces(assembly)
    # with equal stiffness along all axes and no offset, the force is central, and its moment on the first body vanishes
    assert_allclose(f, 0.0, atol=1e-14)


@pytest.mark.parametrize("user", [False, True])
def test_coordinate_spring(user: bool) -> None:
    world = World()
    bodies = world.add(RigidBody2D, position=[(0.0, 0.0), (1.0, 0.0)], mass=1.0, inertia=1.0)

    def law(t: float, row: int, u: float, ut: float, k: float, d: float, offset: float) -> float:
        assert type(u) is float
        return 0.1 * k * u + k * u**3 + d * ut * (1 + u) + offset * t

    springs = world.add(
        CoordinateSpringDamper,
        marker0=coordinate_marker(world, bodies[0], "rotation"),
        marker1=[coordinate_marker(world, bodies[1], "rotation"), coordinate_marker(world, bodies[1], "x")],
        stiffness=[13.0, 5.0],
        damping=[0.7, 0.2],
        offset=0.4,
        force_function=[law, None] if user else None,
    )
    to_ground = world.add(
        CoordinateSpringDamper, marker1=coordinate_marker(world, bodies, "y"), stiffness=3.0, damping=0.1
    )
    assembly = random_assembly(world)
    tolerance = 1e-7 if user else TOLERANCE
    check_fields(assembly, tolerance, limit=tolerance)
    # outputs agree with values that are computed from the coordinates
    state = State(world)
    random = np.random.default_rng(0)
    state.q[:], state.v[:], state.t = random.standard_normal(6), random.standard_normal(6), 0.25
    u, ut = state.q[[5, 3]] - state.q[2], state.v[[5, 3]] - state.v[2]
    expected = np.array([13.0, 5.0]) * (u - 0.4) + np.array([0.7, 0.2]) * ut
    if user:
        expected[0] = law(0.25, 0, float(u[0]), float(ut[0]), 13.0, 0.7, 0.4)
    assert_allclose(eval_output(springs, "displacement", state), u, atol=1e-15)
    assert_allclose(eval_output(springs, "velocity", state), ut, atol=1e-15)
    assert_allclose(eval_output(springs, "force", state), expected, rtol=1e-14)
    assert_allclose(eval_output(to_ground, "force", state), 3.0 * state.q[[1, 4]] + 0.1 * state.v[[1, 4]], rtol=1e-14)


def assert_equilibrium(world: World, trace: Any) -> None:
    """Check that the recorded motion satisfies M a + f = loads at every step."""
    state = State(world)
    for k in range(1, len(trace["t"])):
        state.q[:], state.v[:], state.a[:] = trace["q"][k, :2], trace["q_t"][k, :2], trace["q_tt"][k, :2]
        state.t = float(trace["t"][k])
        assembly = state.assembly
        assembly.load_fields(state)
        left, right = np.zeros(3), np.zeros(3)
        assembly.add_inertia(left)
        assembly.add_forces(left)
        assembly.add_loads(right)
        # the recording program ended its Newton iterations at residuals near 1e-10 N
        assert_allclose(left[:2], right[:2], atol=2e-9)


def test_cartesian_reference_trace() -> None:
    """A mass of 5 kg at (1, 1) m moves under a force of 5 N on springs of 5000 N/m with a damper along y. The motion
    was recorded with another program.
    """
    world = World()
    mass = world.add(MassPoint, position=(1.0, 1.0), mass=5.0)
    world.add(
        CartesianSpringDamper,
        marker0=position_marker(world, world.add(Ground), (1.0, 1.0)),
        marker1=position_marker(world, mass),
        stiffness=5000.0,
        damping=(0.0, 250.0, 0.0),
    )
    world.add(Force, marker=position_marker(world, mass), vector=(0.0, -5.0, 0.0))
    assert_equilibrium(world, np.load(REFERENCE / "ObjectConnectorCartesianSpringDamper_trace0.npz"))


def test_coordinate_reference_trace() -> None:
    """A mass of 5 kg moves under a force of 1 N on a spring with the force 0.1 k u + k u^3 + d u_t. The motion was
    recorded with another program.
    """
    world = World()
    mass = world.add(MassPoint, position=(2.0, 0.0), mass=5.0)
    x = coordinate_marker(world, mass, "x")
    world.add(
        CoordinateSpringDamper,
        marker1=x,
        stiffness=5000.0,
        damping=80.0,
        force_function=lambda t, row, u, ut, k, d, offset: 0.1 * k * u + k * u**3 + d * ut,
    )
    world.add(CoordinateLoad, marker=x, value=1.0)
    assert_equilibrium(world, np.load(REFERENCE / "ObjectConnectorCoordinateSpringDamper_trace0.npz"))
