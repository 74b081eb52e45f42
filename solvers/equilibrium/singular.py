"""Check before a static solve whether unconstrained coordinates have no stiffness.

A tangent K is considered singular if its factorisation fails, or if rounding errors alone make the solution of K x = b
for a random b useless. The error in the equations is eps |K| |x|, with the relative rounding error eps of
floating-point numbers. If a motion has no stiffness, x is of the order of |b|/(eps |K|), and the error in the equations
is of the order of |b|.

The linear solver of Newton's method is tried first. The factorisation by this solver is also used in the first
iteration. If the solution of this solver is not accurate, a solver with pivoting is used. The solution for the random b
also shows whether the factors in dense blocks are accurate. If the errors of the refined solution exceed rounding
errors, later tangents are stored by rows instead of in blocks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.vectors import local_values
from windlass.framework.errors import ModelError
from windlass.framework.launch.petsc_functions import raise_cause, unlock
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import State
from windlass.solvers.linear.linear_check import find_errors
from windlass.solvers.linear.mumps import MEMORY, give_memory, lacks_memory
from windlass.solvers.linear.ordering import default_package
from windlass.solvers.names import name_dofs, shorten
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.rounding import multiply_absolute
from windlass.solvers.newton.scheme import Scheme

SINGULAR = 1e-2
"""Rounding error of a solution, relative to the right-hand side. If the error is larger than this value, the tangent is
treated as singular. Errors are 1 and more for singular tangents, and at most 1e-5 for slender cables.
"""
EXACT = 1e-13
"""Largest error [1] of a solution, relative to the terms of each row, that is treated as a rounding error. With
sufficiently large pivots, the error is about 1e-16.
"""
SHIFT = 1e-10
"""Value [1] that is added to the diagonal to find motions without stiffness, relative to the sum of the absolute values
in the row.
"""
REFINEMENTS = 4
"""Largest number of steps of iterative refinement of a solution. The pivots of KLU can be so small that the residual of
the first solution is not small, although the matrix is regular.
"""
INVERSE_ITERATIONS = 8
"""Number of inverse iterations to find a motion without stiffness. The iterations use the matrix to which `SHIFT` is
added.
"""


class NoStiffness(ModelError):
    """Exception for a static model with coordinates that have no stiffness.

    Attributes:
        names: names of these coordinates, such as "body 1, e1".
    """

    def __init__(self, names: list[str]) -> None:
        self.names = names
        super().__init__(
            f"static model: {len(names)} coordinates have no stiffness: {'; '.join(shorten(names))}. "
            "Every coordinate needs stiffness, a support, contact, or a stabiliser > 0 [1/s^2]"
        )


def check_stiffness(newton: Newton, scheme: Scheme, current: State) -> None:
    """Check that the tangent of the first Newton iteration, including the stabiliser, is not singular. The tangent is
    evaluated with the history values in ``Fields.data``.

    A slack rope can be in equilibrium where its tangent is singular. If ``current`` is the result of an earlier solve
    and a small motion leads to a regular tangent, this motion is added to ``current``, see `_leave`.

    Raises:
        NoStiffness: coordinates have no stiffness.
        ModelError: forces of rows cannot be evaluated, or the tangent is singular. The message names these rows or
            motions.
    """
    problem = newton.problem
    problem.start(scheme)
    probe = _offer_tangent(problem)
    if not (probe.held and probe.accurate) and newton.leave_blocks():
        probe = _offer_tangent(problem)
    if probe.held:
        return
    broken = problem.assembly.diagnose()
    if broken:
        raise ModelError(f"static model: cannot be evaluated at its start: {'; '.join(shorten(broken))}")
    free = find_free_motion(problem)
    if not free:
        return
    if current.step > 0:
        if _leave(problem):
            problem.store_static(current)
            return
        problem.start(scheme)
        _offer_tangent(problem)
    layout, of_dof = problem.assembly.layout, problem.sparsity.unknowns.of_dof
    empty = np.flatnonzero(_row_sizes(problem).array_r[of_dof[: len(layout.owned)]] == 0.0)
    names = name_dofs(problem.assembly, empty)
    if names:
        raise NoStiffness(names)
    found = summarise_faults(problem)
    raise ModelError(
        f"static model: its first tangent is singular: nothing holds {free}. The model needs a support, "
        "contact or prestress against this motion, or a stabiliser > 0 [1/s^2] with more than one load "
        "step; constraints must not contradict or repeat each other"
        + _describe_missing_mass(problem)
        + "".join(f"; at the start {words}" for words in found[:1])
        + "".join(f" ({words})" for words in found[1:])
    )


def _leave(problem: NonlinearProblem) -> bool:
    """Make the first Newton iteration with a tangent that is shifted as in `find_weakest`, and return whether the
    tangent is regular afterwards. The iteration must fulfil the equations of the tangent without shift, so the loads do
    no work on motions without stiffness.
    """
    right, matrix = problem.residual_vector.duplicate(), problem.matrix.mat
    problem.eval_residual(None, problem.unknowns, right)
    package = default_package(problem.pattern, problem.assembly.layout.size, "klu")
    solver, least = create_pivoting(_shift(matrix, _row_sizes(problem)), package), SINGULAR * right.norm()
    change = try_solve(solver, right)
    if change is None:
        return False
    refine(solver, matrix, change, right, least)
    if not find_error(matrix, change, right).norm() <= least:
        return False
    problem.unknowns.axpy(-1.0, change)
    # user functions are called when the residual is evaluated
    problem.eval_residual(None, problem.unknowns, right)
    return _offer_tangent(problem).held or try_factors(problem, create_pivoting(matrix, package)).held


def summarise_faults(problem: NonlinearProblem) -> list[str]:
    """Return the first finding about the shape of the state in the fields (slack or folded cables), and the number of
    other findings.
    """
    return shorten([fault.words for fault in problem.assembly.find_faults()], 1)


def _describe_missing_mass(problem: NonlinearProblem) -> str:
    """Return a hint if the stabiliser has no effect, otherwise an empty string. The stabiliser has no effect if the
    motion without stiffness also has no mass. `find_free_motion` has stored this motion.
    """
    if problem.scheme.stabiliser == 0.0:
        return ""
    assembly, unknowns = problem.assembly, problem.sparsity.unknowns
    motion = local_values(unknowns.ghosts, problem.residual_vector)[unknowns.of_dof]
    motion[np.abs(motion) < 0.1 * max(problem.residual_vector.max()[1], -problem.residual_vector.min()[1])] = 0.0
    product = np.zeros(len(motion) + 1)
    assembly.add_mass_product(np.append(motion, 0.0), product)
    work = assembly.processes.sum(np.array([product[:-1] @ motion]))
    return "" if work[0] > 0.0 else "; the stabiliser works on masses [kg], of which this motion has none"


def _row_sizes(problem: NonlinearProblem) -> Any:
    """Return a PETSc vector with the sum of the absolute values in each row of the tangent."""
    return multiply_absolute(problem, np.ones(problem.pattern.rows))


def _offer_tangent(problem: NonlinearProblem) -> Trial:
    """Evaluate and factorise the tangent for Newton's first iteration, and test the factors."""
    problem.update_tangent(problem.unknowns)
    problem.lag.offer()
    return try_factors(problem)


class Trial(NamedTuple):
    """Properties of a matrix, and of its solution for a random right-hand side.

    Attributes:
        held: whether the solution shows that the matrix is regular.
        accurate: whether factors in dense blocks are accurate enough, see `Errors.accurate`.
        exact: whether the errors of the solution are only rounding errors.
        left: 2-norm of the residual, divided by the 2-norm of the right-hand side.

    On several processes only ``held`` is evaluated.
    """

    held: bool
    accurate: bool = False
    exact: bool = False
    left: float = np.inf


def try_factors(problem: NonlinearProblem, ksp: Any = None) -> Trial:
    """Solve the equations with the present tangent of a problem and a random right-hand side. The solver is ``ksp``, or
    the linear solver of Newton's method if ``ksp`` is None. Only solutions of ``ksp`` are refined."""
    given = ksp
    if ksp is None:
        ksp = problem.snes.getKSP()
        ksp.setOperators(problem.matrix.mat)
    right = random_like(problem.residual_vector)
    solution, matrix, size = try_solve(ksp, right), problem.matrix, float(right.norm())
    if solution is None:
        return Trial(held=False)
    if given is not None:
        refine(given, matrix.mat, solution, right, SINGULAR * size)
    if problem.assembly.layout.size > 1:
        x = np.abs(local_values(problem.sparsity.ghosts, solution))
        return Trial(
            _is_held(find_error(matrix.mat, solution, right).norm(), multiply_absolute(problem, x).norm(), size)
        )
    found = find_errors(problem.pattern, matrix.values, solution.array_r, right.array_r)
    return Trial(_is_held(found.left, found.terms, size), found.accurate, found.by_terms <= EXACT, found.left / size)


def _is_held(left: float, terms: float, size: float) -> bool:
    """Return whether a solution shows that a matrix is regular. The arguments are the norms of the residual, of the
    terms and of the right-hand side of the equations.
    """
    # the result of these comparisons is false if a value is NaN
    return bool(np.finfo(float).eps * terms <= SINGULAR * size and left <= SINGULAR * size)


def find_error(matrix: Any, solution: Any, right: Any) -> Any:
    """Return the residual A x - b as a PETSc vector, where A is ``matrix``, x is ``solution`` and b is ``right``."""
    out = right.duplicate()
    matrix.mult(solution, out)
    out.axpy(-1.0, right)
    return out


def refine(ksp: Any, matrix: Any, solution: Any, right: Any, least: float) -> None:
    """Refine the solution of linear equations in place, until the norm of the residual is at most ``least``."""
    for _ in range(REFINEMENTS):
        rest = find_error(matrix, solution, right)
        # the result of this comparison is false if a value is NaN
        change = try_solve(ksp, rest) if rest.norm() > least else None
        if change is None:
            break
        solution.axpy(-1.0, change)


def find_free_motion(problem: NonlinearProblem) -> str:
    """Find a motion without stiffness, and write it to the residual vector. Return the names of the coordinates or
    constraints with the largest components of this motion. If the present tangent of a problem is regular, return an
    empty string. If no motion is found, the residual vector is set to 0.
    """
    layout = problem.assembly.layout
    package = default_package(problem.pattern, layout.size, "klu")
    if try_factors(problem, create_pivoting(problem.matrix.mat, package)).held:
        return ""
    motion = find_weakest(problem.matrix.mat, _row_sizes(problem), package)
    if motion is None:
        problem.residual_vector.set(0.0)
        return "some coordinates"
    motion.copy(problem.residual_vector)
    moves = problem.worst_equations()
    return ", ".join(f"({name})" for name, size in moves if abs(size) > 0.1 * abs(moves[0][1]))


def find_weakest(matrix: Any, size: Any, package: str) -> Any:
    """Return a PETSc vector x of norm 1 for which A x is almost 0. The matrix A is nearly singular. Return None if no
    vector is found.

    Args:
        matrix: the PETSc matrix A.
        size: PETSc vector with the sum of the absolute values in each row of the matrix. The vector is overwritten.
        package: direct solver with pivoting.
    """
    solver, motion = create_pivoting(_shift(matrix, size), package), random_like(size)
    # inverse iteration reduces the components along motions with stiffness, even if the stiffness is small
    for _ in range(INVERSE_ITERATIONS):
        motion.pointwiseMult(motion, size)
        solution = try_solve(solver, motion)
        if solution is None:
            return None
        solution.normalize()
        motion = solution
    return motion


def _shift(matrix: Any, size: Any) -> Any:
    """Return a copy of a matrix with larger diagonal entries, see `SHIFT`. The vector ``size`` contains the sum of the
    absolute values in each row. In rows that contain only rounding errors, this sum is replaced by the largest sum of
    all rows.
    """
    shifted, largest = matrix.duplicate(copy=True), size.max()[1] or 1.0
    with size as sums:
        sums[sums <= SHIFT * largest] = largest
    shifted.setDiagonal(SHIFT * size, PETSc.InsertMode.ADD_VALUES)
    return shifted


def random_like(vector: Any) -> Any:
    """Return a vector of pseudo-random values that are the same in each run."""
    right = vector.duplicate()
    begin, end = right.getOwnershipRange()
    right.setArray(_draw(begin, end - begin))
    return right


@lru_cache(maxsize=2)
def _draw(seed: int, count: int) -> FloatArray:
    return np.random.default_rng(seed).standard_normal(count)


def create_pivoting(matrix: Any, package: str) -> Any:
    """Create a direct linear solver with pivoting."""
    ksp = PETSc.KSP().create(comm=matrix.getComm())
    ksp.setOperators(matrix)
    ksp.setType(PETSc.KSP.Type.PREONLY)
    pc = ksp.getPC()
    pc.setType(PETSc.PC.Type.LU)
    pc.setFactorSolverType(package)
    return ksp


def try_solve(ksp: Any, right: Any) -> Any:
    """Return the solution of the linear equations, or None if the solve fails. If MUMPS lacks memory, the solve is
    repeated with more memory.
    """
    solution, pc = _solve(ksp, right), ksp.getPC()
    for memory in MEMORY:
        if solution is not None or not lacks_memory(pc):
            break
        give_memory(ksp, memory)
        solution = _solve(ksp, right)
    if solution is None:
        pc.reset()
    return solution


def _solve(ksp: Any, right: Any) -> Any:
    solution = right.duplicate()
    try:
        ksp.solve(right, solution)
        failed = ksp.getConvergedReason() < 0 or not np.isfinite(solution.norm())
    except PETSc.Error as error:
        unlock(right)
        raise_cause(error)
        failed = True
    return None if failed else solution
