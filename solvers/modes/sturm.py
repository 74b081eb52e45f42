"""How many modes lie below a frequency, by the signs of pivots: whether one was missed.

For symmetric K the matrix [[K - τ M, C_qᵀ], [C_q, 0]] with m active constraints has m negative eigenvalues and one more
for each mode with ω² < τ.  -δ on the diagonal of the constraints makes each of them count once, also where it
repeats another one.

Source: N. I. M. Gould, Mathematical Programming 32 (1985) 90-99; B. N. Parlett, The Symmetric Eigenvalue Problem,
SIAM (1998), chapter 3 (Sylvester, Sturm).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.launch.petsc_functions import has_package
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.mumps import factorise_symmetric
from windlass.solvers.modes.matrices import LinearMotion

CONSTRAINT_SHIFT = 1e-12
"""δ, relative to (entries of C)²/(entries of K - τ M)."""
GAP = 1e-6
"""Squares of frequencies that differ by this share [1] lie on two sides of a τ."""


def find_gap(squares: FloatArray, count: int) -> float | None:
    """τ [1/s^2] above the first ``count`` squares of frequencies of those found, ascending; None if none fits."""
    for i in range(min(count, len(squares)), len(squares)):
        below, above = squares[i - 1], squares[i]
        if above - below > GAP * max(abs(above), abs(below)):
            return float(0.5 * (below + above))
    return None


def count_below(motion: LinearMotion, tau: float) -> int | None:
    """The number of modes with ω² < τ [1/s^2]; None where PETSc has no factors that tell it."""
    matrix = motion.K.duplicate(copy=True)
    matrix.axpy(-tau, motion.M, structure=PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
    if not has_package("mumps", "cholesky", matrix):
        return None
    matrix.setDiagonal(_shift_constraints(motion, matrix), PETSc.InsertMode.ADD_VALUES)
    found = factorise_symmetric(matrix)
    return None if found.error < 0 else found.negative - motion.constraints


def _shift_constraints(motion: LinearMotion, matrix: Any) -> Any:
    """-δ for each active constraint, 0 for all else."""
    diagonal = matrix.getDiagonal()
    largest = max(abs(diagonal.max()[1]), abs(diagonal.min()[1])) or 1.0
    values = np.zeros(diagonal.getLocalSize())
    values[motion.owned_multipliers] = np.where(motion.active, -CONSTRAINT_SHIFT / largest, 0.0)
    diagonal.setArray(values)
    return diagonal
