"""Tests of rigid motions as near null space of the tangent. Rigid motions cause no elastic force on a free model. GAMG
uses the rigid motions by default. Results on several processes are equal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import CoordinateSpringDamper, coordinate_marker
from windlass.elements import RigidBody2D, RigidBody3D, cable_around
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import local_state
from windlass.solvers.newton.rigid_motions import eval_rigid_motions
from windlass.solvers.static import Static

from support.matrices import dense
from support.nets import build_net
from support.processes import ROOT, run_python


def find_forces(world: World) -> Any:
    """Return the tangent times each rigid motion at the reference configuration, shape (n, 6), and the tangent's
    largest entry.
    """
    static = Static(world, name="")
    problem = static.problem
    state = local_state(static.assembly, None)
    problem.start(static._scheme(state, 1.0, 0.0))
    problem.update_tangent(problem.unknowns)
    tangent = dense(problem.matrix.mat)
    return tangent @ eval_rigid_motions(problem).T, np.abs(tangent).max()


def test_free_net_resists_no_rigid_motion_of_the_plane() -> None:
    """For a free net with separate slopes at crossings and without prestress, the tangent times a rigid 2D motion is 0
    up to rounding errors.
    """
    world = World()
    build_net(world, 4)
    forces, largest = find_forces(world)
    assert np.abs(forces[:, [0, 1, 5]]).max() < 1e-10 * largest


def test_rotation_of_a_body_in_space_is_that_of_its_points() -> None:
    """If Euler parameters move along a rotation, every point of the body moves by k × r."""
    world = World()
    e = np.array([0.8, 0.2, -0.4, 0.4]) / np.linalg.norm([0.8, 0.2, -0.4, 0.4])
    body = world.add(RigidBody3D, position=(0.4, 0.7, 0.2), euler_parameters=e, mass=1.0, inertia=0.1)
    static = Static(world, name="")
    motions = eval_rigid_motions(static.problem)
    at = static.problem.sparsity.unknowns.of_dof[static.assembly.layout.local_dofs(world.dofs_of(body))[0]]

    def place(q: Any) -> Any:
        e0, v, b = q[3], q[4:7], np.array([0.1, -0.3, 0.2])
        return q[:3] + (b * (e0**2 - v @ v) + 2 * v * (v @ b) + 2 * e0 * np.cross(v, b)) / (q[3:] @ q[3:])

    q = np.concatenate(([0.4, 0.7, 0.2], e))
    for axis in range(3):
        h = 1e-6
        moved = (place(q + h * motions[3 + axis, at]) - place(q - h * motions[3 + axis, at])) / (2 * h)
        assert_allclose(moved, np.cross(np.eye(3)[axis], place(q)), atol=1e-9)


def test_gamg_gets_them_by_default() -> None:
    """The rigid motions are attached to the tangent with -static_pc_type gamg, but not with other solvers. The solution
    equals the solution of the default solver.
    """
    world = World(gravity=(0.0, -1e-3, 0.0))
    _, crossings = build_net(world, 8, reference_strain=-0.01)
    number = np.arange(64).reshape(8, 8)
    edge = np.unique(np.concatenate((number[0], number[-1], number[:, 0], number[:, -1])))
    for name in ("x", "y"):
        world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, crossings[edge], name), stiffness=1e6)
    direct = Static(world, name="", atol=1e-7)
    assert not direct.problem.matrix.mat.getNearNullSpace()
    database = PETSc.Options()
    given = {"ksp_type": "gmres", "ksp_rtol": "1e-10", "pc_type": "gamg"}
    for name, value in given.items():
        database.setValue("multigrid_" + name, value)
    multigrid = Static(world, prefix="multigrid_", name="", atol=1e-7)
    assert len(multigrid.problem.matrix.mat.getNearNullSpace().getVecs()) == 3
    assert_allclose(multigrid.solve().q, direct.solve().q, atol=1e-8)
    for name in given:
        database.delValue("multigrid_" + name)


def test_planar_bodies_turn() -> None:
    world = World()
    wheel = world.add(RigidBody2D, position=(2.0, 1.0), mass=1.0, inertia=0.1)
    cable_around(
        world, circles=[wheel], radius=0.5, elements=8, axial_stiffness=1e3, bending_stiffness=0.0, mass_per_length=1.0
    )
    static = Static(world, name="")
    motions = eval_rigid_motions(static.problem)
    at = static.problem.sparsity.unknowns.of_dof[static.assembly.layout.local_dofs(world.dofs_of(wheel))[0]]
    assert_allclose(motions[5, at], (-1.0, 2.0, 1.0))
    assert_allclose(motions[0, at], (1.0, 0.0, 0.0))


@pytest.mark.mpi
def test_benchmark_of_a_net_on_two_processes(tmp_path: Path) -> None:
    """Tables of more than 1000 rows are distributed, and rigid motions are computed from the rows of each process."""
    program = tmp_path / "net.py"
    program.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT / 'benchmarks')!r})\n"
        "sys.argv[1:] = ['-model', 'net', '-case', 'static', '-sizes', '20', '-only', 'gamg,gamg rigid', '-quiet']\n"
        "import iterative\n"
        "iterative.main()\n"
    )
    done = run_python([program], 2)
    assert done.returncode == 0, done.stderr
    without, rigid = (
        int(line.split(name)[1].split()[0])
        for line, name in zip(done.stdout.splitlines()[-2:], ("gamg", "gamg rigid"), strict=True)
    )
    # the solves need 120 iterations with plain GAMG and 26 with rigid motions; without the rigid motions of both
    # processes, the second number would also increase with the size of the model
    assert rigid < 40 < 80 < without
