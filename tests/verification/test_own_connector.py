"""A law that the test itself defines works in statics, dynamics, tangents and output, and on several processes.

The package does not contain `HardeningRope`. Registration is sufficient.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import POSITION, fix, position_marker
from windlass.connectors.markers.pairs import Vector
from windlass.elements import Ground, MassPoint, RigidBody2D
from windlass.framework import Component, Entity, FloatArray, World, column, kernel, ref, register_pair
from windlass.framework.state.assemble import assemble_vector
from windlass.framework.state.evaluate import eval_output
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static
from windlass.testing import check_tangent

from support.processes import ROOT, run_python


class HardeningRope(Component):
    """A spring between two points with a cubic term of the force: f = k d + c |d|^2 d, d = p1 - p0."""

    marker0 = ref(POSITION, "first end")
    marker1 = ref(POSITION, "second end")
    stiffness = column("N/m", "k", minimum=0)
    hardening = column("N/m^3", "c", default=0.0, minimum=0)
    active = column("1", "acts only if true", dtype=bool, default=True, switchable=True)


@kernel
def force(row: Any, d: Vector, dt: Vector, t: float) -> Vector:
    """Write the force f = (k + c d·d) d."""
    s = row.stiffness + row.hardening * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    return s * d[0], s * d[1], s * d[2]


@kernel
def force_tangent(row: Any, d: Vector, dt: Vector, t: float, P: FloatArray, V: FloatArray) -> None:
    """Write the derivatives P = (k + c d·d) I + 2 c d d^T and V = 0."""
    s, c = row.stiffness + row.hardening * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), 2.0 * row.hardening
    for a in range(3):
        for b in range(3):
            P[a, b] = c * d[a] * d[b] + (s if a == b else 0.0)
            V[a, b] = 0.0


register_pair(HardeningRope, force, force_tangent, source="this test")


def build_chain(count: int = 6) -> tuple[World, Entity, Entity]:
    """Create masses on hardening ropes between the ground and an off-centre point of a rigid body."""
    world = World(gravity=(0.0, -9.81, 0.0))
    masses = world.add(MassPoint, position=[(0.5 * k, 0.0) for k in range(1, count + 1)], mass=2.0)
    body = world.add(RigidBody2D, position=(0.5 * count + 1.0, 0.0), mass=5.0, inertia=0.3)
    fix(world, body, "x", "y", "rotation")
    points = position_marker(world, masses)
    ground = position_marker(world, world.add(Ground))
    last = position_marker(world, body, (-0.5, 0.1))
    first = [ground, points]
    second = [points, last]
    ropes = world.add(HardeningRope, marker0=first, marker1=second, stiffness=300.0, hardening=50.0)
    return world, masses, ropes


def test_tangent_against_differences() -> None:
    """The tangent agrees with differences for all coordinates, in three states."""
    check_tangent(build_chain()[0], displacement=0.2, tolerance=1e-7)


def test_statics_and_output() -> None:
    """The chain hangs in equilibrium, and its output is the distance of the ends."""
    world, masses, ropes = build_chain()
    state = Static(world, name="").solve()
    net = assemble_vector(world, state).array[world.dofs_of(masses).ravel()]
    assert_allclose(net, 0.0, atol=1e-7)
    y = state.of(masses)[:, 1]
    assert (y < -0.01).all()
    lengths = eval_output(ropes, "distance", state)
    assert lengths.shape == (7,)
    x0 = np.array([0.5, 0.0]) + state.of(masses)[0]
    assert_allclose(lengths[0], np.linalg.norm(x0), rtol=1e-12)


def run(path: str) -> None:
    """Program for mpiexec: run 50 steps of the chain. The first process writes the end state."""
    world, _, _ = build_chain(12)
    solver = Dynamic(world, step=2e-3, end=0.1, name="")
    whole = solver.solve().gather()
    if solver.assembly.layout.rank == 0:
        np.savez(path, q=whole.q, v=whole.v, newton=solver.statistics.newton_iterations)


@pytest.mark.mpi
def test_dynamics_on_several_processes(tmp_path: Path) -> None:
    """The motions on one and two processes agree to 1e-10 m."""
    results = []
    for processes in (1, 2):
        path = tmp_path / f"{processes}.npz"
        program = f"import sys; sys.path.insert(0, {str(ROOT / 'tests/verification')!r})\n"
        program += f"import test_own_connector\ntest_own_connector.run({str(path)!r})"
        done = run_python(["-c", program], processes)
        assert done.returncode == 0, done.stderr
        results.append(np.load(path))
    assert abs(results[0]["q"]).max() > 0.03
    assert_allclose(results[1]["q"], results[0]["q"], rtol=0, atol=1e-10)
    assert_allclose(results[1]["v"], results[0]["v"], rtol=0, atol=1e-8)
