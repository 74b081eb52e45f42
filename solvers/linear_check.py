"""When a linear solution is good enough: small against the right-hand side, or as exact as rounding allows.

Rounding leaves a residual of about eps |A| |x| in the best solution x of A x = b.  That may be far above any share of b
where stiff and soft directions meet: a cable whose axial stiffness is 1e8 times its bending stiffness reaches 1e-8 of b
at best, and the solution is right all the same.  A solution from wrong pivots is not small by this measure either.

    accepted:  |b - A x| <= rtol |b|,   or in every row   |b - A x|_i <= ROUNDING (sum_j |A_ij| max_j |x_j| + |b_i|)

Source: row-wise backward error, W. Oettli, W. Prager, Numer. Math. 6 (1964) 405-409; M. Arioli, J. W. Demmel,
I. S. Duff, SIAM J. Matrix Anal. Appl. 10 (1989) 165-190.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.matrix import TangentMatrix
from windlass.framework.petsc import PETSc
from windlass.framework.sparsity import Pattern

ROUNDING = 1e-13
"""Backward error of a row that counts as rounding; sound pivots and refinement reach about 1e-16."""


class LinearCheck:
    """A convergence test for Richardson iteration on a factorisation; set it with ``ksp.setConvergenceTest``.

    It serves one process.  ``-<prefix>ksp_convergence_test default`` replaces it, ``-<prefix>ksp_rtol`` is the rtol.
    """

    def __init__(self, matrix: TangentMatrix, pattern: Pattern) -> None:
        self._values, self._pattern = matrix.values, pattern
        self._first = 0.0

    def __call__(self, ksp: Any, it: int, norm: float) -> Any:
        """PETSc's reason, or ITERATING."""
        reasons = PETSc.KSP.ConvergedReason
        if not np.isfinite(norm):
            return reasons.DIVERGED_NANORINF
        rtol, atol, _, max_it = ksp.getTolerances()
        if it == 0:
            self._first = norm
        if norm <= atol:
            return reasons.CONVERGED_ATOL
        if norm <= rtol * self._first:
            return reasons.CONVERGED_RTOL
        # other methods have no current solution to look at
        if it > 0 and ksp.getType() == PETSc.KSP.Type.RICHARDSON and self._is_rounding(ksp):
            return reasons.CONVERGED_RTOL
        return reasons.DIVERGED_MAX_IT if it >= max_it else reasons.ITERATING

    def _is_rounding(self, ksp: Any) -> bool:
        """Whether no row has a residual beyond rounding."""
        x, b = ksp.getSolution().array_r, ksp.getRhs().array_r
        values, starts = self._values[:-1], self._pattern.indptr[:-1]
        residual = np.abs(b - np.add.reduceat(values * x[self._pattern.indices], starts))
        size = np.add.reduceat(np.abs(values), starts) * np.abs(x).max() + np.abs(b)
        return bool((residual <= ROUNDING * size).all())
