"""Consistent initial accelerations: M a + f + C_q^T lam = loads,  C_q a = -(C_q v)_q v - 2 C_qt v - C_tt.

Here M is the mass matrix, f are the forces on the left-hand side, and the subscripts q and t denote partial derivatives
of the constraint equations C. The matrix and the linear solver of Newton's method are also used to compute initial
accelerations and multipliers, because both are needed for Newton's method anyway. Another solver is used in two cases:
if the solver of Newton's method fails, as LU without pivoting does for coordinates without mass, and if options with
the prefix ``initial_`` select a solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.vectors import local_values, sum_to_owners
from windlass.framework.errors import ModelError
from windlass.framework.runtime.petsc import PETSc
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.saddle import (
    PetscFactors,
    SaddleMatrix,
    SingularError,
    add_right_side,
    saddle_right_side,
    solve_saddle,
)
from windlass.solvers.equilibrium.singular import find_error, random_like, try_solve
from windlass.solvers.linear.mumps import MumpsSettings
from windlass.solvers.newton.problem import NonlinearProblem

PREFIX = "initial_"
FRICTION_SOLVES = 3
"""Number of iterations for the directions of friction forces that are proportional to multipliers. In 2D the first
iteration is exact.
"""
REFINEMENTS = 3
"""Largest number of iterative refinements of the solution. Because of this refinement, iterative solvers of low
accuracy are sufficient.
"""
ACCURATE = 1e-12
"""Refinement of the solution ends at this ratio [1] of the residual to the right-hand side."""
ACCEPTED = 1e-4
"""Largest allowed ratio [1] of the residual of a test solution to its right-hand side. If the ratio is larger, the
solver of Newton's method is not used.
"""


def update_initial_accelerations(problem: NonlinearProblem, state: State, still: IntArray | Sequence[int] = ()) -> None:
    """Compute accelerations and multipliers that fulfil the equations at the start. Set ``state.a`` and
    ``state.carried`` to the accelerations, and ``state.lam`` to the multipliers.

    Source: the acceleration-level equations of constrained mechanics, e.g. Brenan, Campbell, Petzold (1996).

    Args:
        problem: the equations.
        state: positions, velocities and history values at the start.
        still: process-local indices of multipliers. For the constraints with these multipliers, the prescribed
            accelerations are set to 0, even if the functions of time of the constraints give other values.

    Raises:
        ModelError: the mass matrix with the constraints is singular. The message names coordinates without mass, or
            constraints that are contradictory or redundant.
    """
    assembly = problem.assembly
    layout = assembly.layout
    fields = assembly.load_fields(state)
    fields.a[:] = 0.0
    fields.lam[:] = 0.0
    f = np.zeros(layout.spare + 1)
    c = np.zeros(len(layout.multipliers_owned) + 1)
    add_right_side(assembly, f, c)
    c[np.asarray(still, np.int64)] = 0.0
    state.a[:], state.lam[:] = MassSolver(problem).solve(f, c)
    if assembly.processes.any(any(constraint.rubs for constraint in assembly.constraints)):
        for _ in range(FRICTION_SOLVES):
            # The matrix contains the friction forces that are proportional to the multipliers of the previous solve.
            # The right-hand side contains no friction forces.
            fields.lam[:-1] = state.lam
            state.a[:], state.lam[:] = MassSolver(problem).solve(f, c)
        fields.lam[:] = 0.0
    state.carried[:] = state.a


class MassSolver:
    """Object that solves [M C_qᵀ; C_q 0] [a; λ] = [-f; c]. The matrix is evaluated when the object is created, at the
    state in the fields.

    The matrix overwrites the tangent of Newton's method. Therefore the next Newton run evaluates the tangent again.

    Args:
        problem: the equations with matrix and linear solver. Markers must be up to date.
        over: factor [s] of the damping matrix ∂f/∂v that is added to the mass matrix. If the solver of Newton's method
            fails for this matrix, the damping term is omitted.

    Attributes:
        scale: factor on the columns of the multipliers in the matrix.
    """

    def __init__(self, problem: NonlinearProblem, over: float = 0.0) -> None:
        self._problem, self._over = problem, over
        self._alone: tuple[SaddleMatrix, PetscFactors] | None = None
        own = any(name.startswith(PREFIX) for name in PETSc.Options().getAll())
        if own or not self._set_up():
            self._leave()

    def _set_up(self) -> bool:
        """Evaluate and factorise the matrix. Return whether the solver of Newton's method works with this matrix."""
        problem = self._problem
        assembly, matrix = problem.assembly, problem.take_matrix()
        values = matrix.values
        values[:] = 0.0
        assembly.add_mass_matrix(values)
        if self._over > 0.0:
            assembly.add_tangent(values, 0.0, self._over, 0.0, 1.0, 0.0)
        assembly.fields.rate_level = True
        # multipliers are scaled by a mass, see `SaddleMatrix`
        largest = max(values[:-1].max(initial=0.0), -values[:-1].min(initial=0.0))
        self.scale = assembly.processes.largest_of(largest) or 1.0
        assembly.add_constraint_tangent(values, 0.0, 1.0, self.scale)
        assembly.fields.rate_level = False
        values[problem.sparsity.pad_slots] = 1.0
        matrix.update()
        ksp: Any = problem.snes.getKSP()
        ksp.setOperators(matrix.mat)
        with MumpsSettings(problem):
            solves = _solves(ksp, matrix.mat, random_like(problem.residual_vector))
        if not solves:
            ksp.getPC().reset()
        return solves

    def _leave(self) -> None:
        """Switch to a separate matrix and solver."""
        matrix = SaddleMatrix(self._problem.assembly)
        factors = PetscFactors(matrix, PREFIX)
        matrix.update()
        factors.factorise()
        self._alone = matrix, factors

    def solve(self, f: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return accelerations of the coordinates of this process, shape (n,), and multipliers of this process, shape
        (m,).

        Args:
            f: forces f of the equations of motion minus loads, shape (n + 1,).
            c: right-hand sides of the constraints, shape (m + 1,).

        Raises:
            ModelError: the matrix is singular.
        """
        if self._alone is None:
            with MumpsSettings(self._problem):
                found = self._solve_with_newton(f, c)
            if found is not None:
                return found
            self._leave()
        assert self._alone is not None
        try:
            return solve_saddle(*self._alone, f, c)
        except SingularError as error:
            raise ModelError(f"initial accelerations: {error}") from None

    def _solve_with_newton(self, f: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return the solution by the solver of Newton's method, or None if this solver fails."""
        problem = self._problem
        matrix, ksp = problem.matrix, problem.snes.getKSP()
        unknowns, right = problem.sparsity.unknowns, problem.residual_vector.duplicate()
        sum_to_owners(unknowns.numbers, right, saddle_right_side(unknowns, f, c))
        solution, left = right.duplicate(), right.copy()
        for _ in range(1 + REFINEMENTS):
            step = try_solve(ksp, left)
            if step is None:
                return None
            solution.axpy(1.0, step)
            matrix.mat.mult(solution, left)
            left.aypx(-1.0, right)
            if left.norm() <= ACCURATE * right.norm():
                break
        found = local_values(unknowns.ghosts, solution)
        return found[unknowns.of_dof], self.scale * found[unknowns.of_multiplier]


def _solves(ksp: Any, matrix: Any, right: Any) -> bool:
    """Return whether the solver finds a solution for ``right`` with a residual of at most `ACCEPTED`. The right-hand
    side is random, so that the test shows whether the matrix is regular.
    """
    solution = try_solve(ksp, right)
    if solution is None:
        return False
    left = find_error(matrix, solution, right)
    return float(left.norm()) <= ACCEPTED * float(right.norm())
