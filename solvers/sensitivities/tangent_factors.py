"""Factorisation of the tangent of a companion model by the linear solver of Newton's method.

The solver of Newton's method is faster than SuperLU, but uses less pivoting, and a new factorisation overwrites the
previous one. If the solver fails, SuperLU replaces it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.mumps import MumpsSettings
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.sensitivities.equilibrium import factorise


class TangentFactors:
    """Factorisation of the tangent of a problem.

    Args:
        problem: the problem, whose linear solver is used.
    """

    def __init__(self, problem: NonlinearProblem) -> None:
        self._problem, self._settings = problem, MumpsSettings(problem)
        self._robust: Any = None
        self._matrix: Any = None
        self._avoids = False

    def update(self) -> None:
        """Factorise the present tangent.

        Raises:
            ModelError: the tangent is singular.
        """
        if self._avoids:
            self.leave()
            return
        mat, ksp = self._problem.matrix.mat, self._problem.snes.getKSP()
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
        """Return the solution of the equations with the tangent, or with ``trans`` = "T" with its transpose, for the
        right-hand side b, shape (u,).
        """
        if not self._avoids:
            ksp: Any = self._problem.snes.getKSP()
            self._right.setArray(b)
            try:
                (ksp.solve if trans == "N" else ksp.solveTranspose)(self._right, self._solution)
                found: FloatArray = np.array(self._solution.array_r)
            except PETSc.Error:
                found = np.full(len(b), np.nan)
            if ksp.getConvergedReason() >= 0 and np.isfinite(found.sum()):
                return found
            self.leave()
        solution: FloatArray = self._robust.solve(b, trans=trans)
        return solution
