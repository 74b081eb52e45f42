"""Factorisation of the tangent of a companion model, without pivoting between rows.

Tangents in dense blocks are factorised by elimination.py. All other tangents are factorised by the linear solver of
Newton's method. Both methods are faster than SuperLU, but use less pivoting. A new factorisation overwrites the
previous factorisation. If a factorisation fails, SuperLU factorises the tangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.assembly.storage import Storage
from windlass.framework.kernels.call import call
from windlass.framework.layout.unknowns import BLOCK
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.elimination import (
    Plan,
    create_plan,
    eliminate,
    solve_backward,
    solve_forward,
    solve_transposed,
)
from windlass.solvers.linear.mumps import MumpsSettings
from windlass.solvers.linear.substructures import MOST_FILL
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.sensitivities.equilibrium import factorise

_eliminate, _transposed = call(eliminate), call(solve_transposed)
_forward, _backward = call(solve_forward), call(solve_backward)


class TangentFactors:
    """Factorisation of the tangent of a problem.

    Args:
        problem: the problem, whose matrix and linear solver are used.
    """

    def __init__(self, problem: NonlinearProblem) -> None:
        self._problem, self._settings = problem, MumpsSettings(problem)
        self._robust: Any = None
        self._matrix: Any = None
        self._avoids = False
        # the plan of the elimination in blocks, or None, and the sparsity for which this plan was made
        self._plan: Plan | None = None
        self._pattern: Pattern | None = None
        self._factors = np.zeros(0)

    def update(self) -> None:
        """Factorise the present tangent.

        Raises:
            ModelError: the tangent is singular.
        """
        problem = self._problem
        if problem.pattern is not self._pattern:
            self._pattern, self._plan = problem.pattern, None
            if problem.storage is Storage.BLOCKS:
                self._plan = create_plan(problem.pattern, problem.pattern.rows // BLOCK - 1, MOST_FILL)
                self._factors = np.zeros(16 * self._plan.blocks if self._plan is not None else 0)
        if self._avoids or (self._plan is not None and _eliminate(self._plan, problem.matrix.values, self._factors)):
            self.leave()
        if self._avoids or self._plan is not None:
            return
        mat, ksp = problem.matrix.mat, problem.snes.getKSP()
        if mat is not self._matrix:
            self._matrix, self._right, self._solution = mat, mat.createVecLeft(), mat.createVecRight()
        try:
            with self._settings:
                ksp.setOperators(mat)
                ksp.setUp()
        except PETSc.Error:
            self.leave()

    def leave(self) -> None:
        """Factorise the present tangent, and all later tangents, by SuperLU.

        Raises:
            ModelError: the tangent is singular.
        """
        self._avoids = True
        self._robust = factorise(self._problem.matrix.mat, f"at t = {self._problem.scheme.t:.9g} s")

    def solve(self, b: FloatArray, trans: str = "N") -> FloatArray:
        """Return the solution of the equations with the tangent for the right-hand side b, shape (u,). With ``trans`` =
        "T", the tangent is transposed.
        """
        if not self._avoids:
            found = self._solve_in_blocks(b, trans) if self._plan is not None else self._solve_with_newton(b, trans)
            if found is not None and np.isfinite(found.sum()):
                return found
            self.leave()
        solution: FloatArray = self._robust.solve(b, trans=trans)
        return solution

    def _solve_in_blocks(self, b: FloatArray, trans: str) -> FloatArray:
        plan = self._plan
        assert plan is not None
        # the last block contains no equations
        found, rows = np.zeros(len(b)), BLOCK * plan.rows
        found[:rows] = b[:rows]
        if trans == "T":
            _transposed(plan, self._factors, found[:rows])
        else:
            _forward(plan, self._factors, found[:rows])
            _backward(plan, self._factors, found[:rows])
        return found

    def _solve_with_newton(self, b: FloatArray, trans: str) -> FloatArray | None:
        """Return the solution by the linear solver of Newton's method, or None if this solver fails."""
        ksp: Any = self._problem.snes.getKSP()
        self._right.setArray(b)
        try:
            (ksp.solve if trans == "N" else ksp.solveTranspose)(self._right, self._solution)
        except PETSc.Error:
            return None
        found: FloatArray = np.array(self._solution.array_r)
        return found if ksp.getConvergedReason() >= 0 else None
