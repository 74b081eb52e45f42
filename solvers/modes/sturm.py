"""Number of modes below a frequency, from the signs of pivots. A comparison with the computed modes shows whether a
mode is missing.

Let K be the stiffness matrix, M the mass matrix and C_q the constraint Jacobian. For symmetric K and m active
constraints, the matrix [[K - τ M, C_qᵀ], [C_q, 0]] has m negative eigenvalues, plus one negative eigenvalue for each
mode with ω² < τ. If the diagonal entry of each constraint is a small negative number -δ, each constraint adds exactly
one negative eigenvalue, even if the constraint is redundant.

For τ close to 0, the result is the number of negative eigenvalues of K along motions that the constraints allow. If
material flows through supports, K is symmetric only along motions that the constraints allow: xᵀ(K - Kᵀ)y = 0 for all x
and y with C_q x = C_q y = 0.

Source: N. I. M. Gould, Mathematical Programming 32 (1985) 90-99; B. N. Parlett, The Symmetric Eigenvalue Problem,
SIAM (1998), chapter 3 (Sylvester, Sturm).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.launch.petsc_functions import has_package
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.mumps import SymmetricFactors, factorise_symmetric
from windlass.solvers.modes.matrices import LinearMotion

CONSTRAINT_SHIFT = 1e-12
"""Product [1] of the shift δ and the largest diagonal entry of K - τ M, for entries of C_q of the order of 1."""
GAP = 1e-6
"""If the relative difference of the squares of two frequencies [1] is larger than this value, a τ can lie between the
squares.
"""


ROUNDING = 1e-13
"""Square [1] of a frequency, relative to the largest square. Up to this value, the frequency is treated as 0."""
ASYMMETRY = 1e-8
"""Ratio [1] of |xᵀ(K - Kᵀ)y| to |x|ᵀ|K||y|. Up to this value, K is treated as symmetric along motions that the
constraints allow.
"""


def find_gap(squares: FloatArray, count: int) -> float | None:
    """Return a value τ [1/s^2] that lies between two successive values of ``squares`` and above the first ``count``
    values. The array ``squares`` contains squares of angular frequencies in ascending order. If successive values are
    too close to each other, return None.
    """
    for i in range(min(count, len(squares)), len(squares)):
        below, above = squares[i - 1], squares[i]
        if above - below > GAP * max(abs(above), abs(below)):
            return float(0.5 * (below + above))
    return None


def count_below(motion: LinearMotion, tau: float) -> int | None:
    """Return the number of modes with ω² < τ [1/s^2], or None if PETSc has no package that counts negative pivots."""
    found = _factorise(motion, motion.K.duplicate(copy=True), tau)
    return None if found is None else found.negative - motion.constraints


def count_unheld(motion: LinearMotion) -> int | None:
    """Return the number of negative eigenvalues of K along motions that the constraints allow, or None if K is not
    symmetric along these motions.

    The result is also None if PETSc has no package that counts negative pivots. Motions without stiffness, such as
    rigid-body motions, are not counted.
    """
    symmetric = motion.K.duplicate(copy=True)
    symmetric.transpose()
    symmetric.axpy(1.0, motion.K)
    symmetric.scale(0.5)
    found = _factorise(motion, symmetric, -ROUNDING * _find_largest_square(motion))
    if found is None or not _is_symmetric_along(motion, found):
        return None
    return found.negative - motion.constraints


def _factorise(motion: LinearMotion, stiffness: Any, tau: float) -> SymmetricFactors | None:
    """Return the factors of K - τ M with the constraints, or None if the factorisation fails or PETSc has no suitable
    package. The matrix ``stiffness`` contains K and is overwritten."""
    stiffness.axpy(-tau, motion.M, structure=PETSc.Mat.Structure.SAME_NONZERO_PATTERN)
    if not has_package("mumps", "cholesky", stiffness):
        return None
    stiffness.setDiagonal(_shift_constraints(motion, stiffness), PETSc.InsertMode.ADD_VALUES)
    found = factorise_symmetric(stiffness)
    return None if found.error < 0 else found


def _find_largest_square(motion: LinearMotion) -> float:
    """Estimate the square [1/s^2] of the largest angular frequency by the largest ratio of a diagonal entry of K to the
    corresponding entry of M.
    """
    stiffness, mass = np.abs(motion.K.getDiagonal().array_r), motion.M.getDiagonal().array_r
    heavy = mass > 0.0
    return motion.assembly.processes.largest_of(float((stiffness[heavy] / mass[heavy]).max(initial=0.0)))


def _is_symmetric_along(motion: LinearMotion, factors: SymmetricFactors) -> bool:
    """Return whether K is symmetric along motions that the constraints allow. The test uses motions due to random
    forces.
    """
    random = np.random.default_rng(motion.assembly.layout.rank)
    x, y, product = (motion.create_vector() for _ in range(3))
    for vector in (x, y):
        forces = random.uniform(-1.0, 1.0, vector.getLocalSize())
        forces[motion.owned_multipliers] = 0.0
        product.setArray(forces)
        factors.pc.apply(product, vector)
        displacements = vector.getArray().copy()
        displacements[motion.owned_multipliers] = 0.0
        vector.setArray(displacements)
    motion.K.mult(y, product)
    one = x.dot(product)
    motion.K.mult(x, product)
    other = y.dot(product)
    product = motion.multiply_absolute(y)
    x.abs()
    return bool(abs(one - other) <= ASYMMETRY * x.dot(product))


def _shift_constraints(motion: LinearMotion, matrix: Any) -> Any:
    """Return a PETSc vector with -δ for each active constraint, and 0 for all other unknowns."""
    diagonal = matrix.getDiagonal()
    largest = max(abs(diagonal.max()[1]), abs(diagonal.min()[1])) or 1.0
    values = np.zeros(diagonal.getLocalSize())
    values[motion.owned_multipliers] = np.where(motion.active, -CONSTRAINT_SHIFT / largest, 0.0)
    diagonal.setArray(values)
    return diagonal
