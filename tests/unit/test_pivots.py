"""Tests of the pivots of the default LU of Newton's method. The signs of pivots, by rows and in blocks, agree with
LAPACK. Static solves in blocks and by rows agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import CoordinateSpringDamper, coordinate_marker, fix, hinge
from windlass.elements import RigidBody2D, nodes_of, straight_cable
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.assembly.storage import Storage
from windlass.framework.launch.petsc_functions import get_block_values
from windlass.framework.model.world import World
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.linear_check import LINEAR_RTOL, find_errors, is_accurate, is_clearly_accurate
from windlass.solvers.linear.packages import refine
from windlass.solvers.linear.pivots import count_negative, eval_asymmetry
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.static import Static

from support.matrices import dense


def create_rope(elements: int = 24, EA: float = 1e4, EI: float = 1e-2, rise: float = 3.0) -> World:
    """Create a rope between hinges, which is also fixed in its middle. A wheel is connected to many nodes by springs,
    and is a hub of the matrix.
    """
    world = World(gravity=(0.0, -9.81))
    cables = straight_cable(
        world, (0, 0), (10, rise), elements, axial_stiffness=EA, bending_stiffness=EI, mass_per_length=1.0
    )
    nodes = nodes_of(world, cables)
    hinge(world, nodes[0])
    hinge(world, nodes[elements])
    fix(world, nodes[elements // 2], "x")
    wheel = world.add(RigidBody2D, position=(1.0, 1.0), mass=2.0, inertia=0.3)
    fix(world, wheel, "rotation")
    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, wheel, "rotation"), stiffness=5.0)
    for i in range(1, elements, 2):
        for name in ("x", "y"):
            ends = [coordinate_marker(world, on, name) for on in (wheel, nodes[i])]
            world.add(CoordinateSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=30.0)
    return world


def factorise(matrix: Any) -> Any:
    pc = PETSc.PC().create(comm=PETSc.COMM_SELF)
    pc.setOperators(matrix)
    pc.setType(PETSc.PC.Type.LU)
    pc.setFactorOrdering(PETSc.Mat.OrderingType.NATURAL)
    pc.setUp()
    return pc


@pytest.mark.parametrize("storage", [Storage.ROWS, Storage.BLOCKS, Storage.BLOCK_ROWS])
def test_signs_of_a_rope_with_constraints_and_a_hub(storage: Storage) -> None:
    """Signs of pivots agree with LAPACK for tangents at random displacements, from stable tangents to tangents with
    many negative eigenvalues.
    """
    assembly = serial_assembly(create_rope())
    problem, random = NonlinearProblem(assembly, "", storage), np.random.default_rng(3)
    zero, found = np.zeros(assembly.layout.spare), []
    for size in (0.0, 1e-3, 3e-3, 1e-2, 0.03, 0.1):
        problem.start(Scheme(size * random.normal(size=len(zero)), zero))
        problem.update_tangent(problem.unknowns)
        matrix = dense(problem.matrix.mat)
        negative = int((np.linalg.eigvalsh(0.5 * (matrix + matrix.T)) < 0.0).sum())
        assert count_negative(factorise(problem.matrix.mat)) == negative
        found.append(negative - assembly.world.numbering.multiplier_count)
        diagonal = np.empty(len(matrix))
        assert eval_asymmetry(problem.pattern, problem.matrix.values, diagonal) < 1e-12
        assert_allclose(diagonal, np.diag(matrix), rtol=0, atol=0)
    assert found[0] == 0 and max(found) > 10


@pytest.mark.parametrize("shape", ["chain", "arrow", "net"])
def test_signs_of_random_blocks(shape: str) -> None:
    """Signs agree with LAPACK for random blocks.

    The fill has the expected size: no fill in a chain, only the rows of the hub for a hub, and nearly all entries in a
    net.
    """
    random, n = np.random.default_rng(8), 30
    apart = {"chain": [1], "arrow": [1], "net": [1, 6]}[shape]
    there = np.eye(n, dtype=bool)
    for k in apart:
        there |= np.eye(n, k=k, dtype=bool) | np.eye(n, k=-k, dtype=bool)
    if shape == "arrow":
        there[-1], there[:, -1] = True, True
    for shift in (-3.0, 0.0, 3.0, 12.0, 40.0):
        full = random.normal(size=(4 * n, 4 * n)) * np.kron(there, np.ones((4, 4)))
        full = full + full.T + shift * np.eye(4 * n)
        starts = np.concatenate(([0], np.cumsum(there.sum(axis=1)))).astype(np.int32)
        rows, columns = np.nonzero(there)
        blocks = full.reshape(n, 4, n, 4).transpose(0, 2, 3, 1)[rows, columns]
        csr = starts, columns.astype(np.int32), np.zeros(blocks.size)
        matrix = PETSc.Mat().createBAIJ((4 * n, 4 * n), 4, csr=csr, comm=PETSc.COMM_SELF)
        matrix.assemble()
        get_block_values(matrix, blocks.size)[:] = blocks.ravel()
        matrix.stateIncrease()
        assert_allclose(dense(matrix), full, rtol=0, atol=0)
        expected = int((np.linalg.eigvalsh(full) < 0.0).sum())
        assert count_negative(factorise(matrix)) == expected
        assert count_negative(factorise(matrix.convert("aij", PETSc.Mat()))) == expected


def test_signs_that_are_not_certain() -> None:
    """If a constraint fixes a coordinate without stiffness, signs are uncertain, because LU in blocks exchanges pivots
    inside the block.
    """
    values = np.diag([0.0, 0.0, 1.0, 1.0])
    values[0, 1] = values[1, 0] = 2.0
    start, column = np.array([0, 1], np.int32), np.zeros(1, np.int32)
    matrix = PETSc.Mat().createBAIJ((4, 4), 4, csr=(start, column, values.ravel()), comm=PETSc.COMM_SELF)
    matrix.assemble()
    assert count_negative(factorise(matrix)) is None


@pytest.mark.parametrize("storage", [Storage.ROWS, Storage.BLOCKS])
def test_asymmetry_and_errors_are_those_of_dense_matrices(storage: Storage) -> None:
    assembly = serial_assembly(create_rope())
    problem, random = NonlinearProblem(assembly, "", storage), np.random.default_rng(2)
    zero = np.zeros(assembly.layout.spare)
    problem.start(Scheme(zero, zero))
    problem.update_tangent(problem.unknowns)
    pattern, values = problem.pattern, problem.matrix.values
    rows, columns = pattern.entries()
    lower = np.flatnonzero((rows > columns) & (values[:-1] != 0.0))
    values[lower] *= 1.0 + 1e-3 * random.normal(size=len(lower))
    problem.matrix.update()
    matrix = dense(problem.matrix.mat)
    diagonal = np.diag(matrix)
    scale = np.where(diagonal > 0.0, np.abs(diagonal) + (diagonal == 0.0), 1.0) ** -0.5
    expected = np.linalg.norm(scale[:, None] * (matrix - matrix.T) * scale)
    assert_allclose(eval_asymmetry(pattern, values, np.empty(len(matrix))), expected, rtol=1e-12)
    x, b = random.normal(size=len(matrix)), random.normal(size=len(matrix))
    left, terms = matrix @ x - b, np.abs(matrix) @ np.abs(x)
    by_terms = np.max(np.abs(left) / (terms + np.abs(b)))
    by_largest = np.max(np.abs(left) / (np.abs(matrix).sum(axis=1) * np.abs(x).max() + np.abs(b)))
    errors = np.linalg.norm(left), np.linalg.norm(terms), by_terms, by_largest
    assert_allclose(find_errors(pattern, values, x, b), errors, rtol=1e-12)


def test_refined_blocks_are_as_exact_as_rows() -> None:
    """With EA L²/EI = 1e8 and an oblique cable, solutions in blocks with refinement are as exact as solutions by rows.

    Without refinement and without inertia, the errors of solutions in blocks are larger by a factor of 10⁷.
    """
    assembly = serial_assembly(create_rope(16, 1e7, 0.042))
    problem, random = NonlinearProblem(assembly, "", Storage.BLOCKS), np.random.default_rng(1)
    zero = np.zeros(assembly.layout.spare)
    problem.start(Scheme(zero, zero))
    problem.update_tangent(problem.unknowns)
    right = problem.residual_vector.duplicate()
    right.setArray(random.normal(size=right.getLocalSize()))
    errors = []
    for refined in (False, True):
        ksp = PETSc.KSP().create(comm=PETSc.COMM_SELF)
        ksp.setOperators(problem.matrix.mat)
        ksp.setType(PETSc.KSP.Type.PREONLY)
        ksp.setPC(factorise(problem.matrix.mat))
        if refined:
            refine(ksp)
        solution = right.duplicate()
        ksp.solve(right, solution)
        given = problem.pattern, problem.matrix.values, solution.array_r, right.array_r
        errors.append(find_errors(*given).by_terms)
        assert is_accurate(*given, rtol=0.0) == find_errors(*given).accurate
        pattern, values, x, b = given
        place = pattern.indptr, pattern.indices, pattern.block, values
        for error in (0.3, 0.7, 3.0):
            # the residual of the scaled solution is about ``error`` times the accepted residual
            moved = np.array(x) * (1.0 + error * LINEAR_RTOL)
            left = np.linalg.norm(b - pattern.multiply(values, moved)) / np.linalg.norm(b) / LINEAR_RTOL
            assert abs(left - error) < 0.2 or not refined
            assert is_clearly_accurate(*place, moved, np.array(b)) == (left < 0.5)
    assert errors[0] > 1e-10 and errors[1] < 1e-11


@pytest.mark.parametrize(("slenderness", "digits"), [(1e2, 1e-12), (1e6, 1e-10), (1e9, 1e-7)])
def test_statics_in_blocks_find_what_rows_find(
    slenderness: float, digits: float, request: pytest.FixtureRequest
) -> None:
    """Static solves in blocks and by rows need the same number of iterations. Their solutions agree within the accuracy
    of the tangent.
    """
    iterations, found = [], []
    for storage in ("seqbaij", "seqaij"):
        for rtol in (1e-8, 1e-12):
            world = create_rope(EA=1e5, EI=1e5 * (10.44 / 24) ** 2 / slenderness)
            solver = Static(world, name="", stability="check", rtol=rtol)
            state = solver.solve()
            assert solver.problem.matrix.mat.getType() == storage and solver.statistics.fallbacks == 0
            if rtol == 1e-8:
                iterations.append(solver.statistics.newton_iterations)
        found.append(state.q)
        PETSc.Options().setValue("static_pc_type", "lu")
        request.addfinalizer(lambda: PETSc.Options().delValue("static_pc_type"))
    assert iterations[0] == iterations[1]
    assert_allclose(found[0], found[1], rtol=0, atol=digits * np.abs(found[1]).max())
