"""Signs of the pivots of PETSc's own LU in natural order. The matrix is stored by rows or in dense blocks.

Without pivoting, the LU factors of a symmetric matrix are its LDLᵀ factors, and the number of negative pivots equals
the number of negative eigenvalues. Factors in blocks store the inverse B of each diagonal block. If Gaussian
elimination is applied to B from its last row to its first row, the pivots are the reciprocals of the pivots of the
diagonal block.

PETSc stores the blocks of L row by row, then the blocks of U from the last row to the first row. In this storage, the
first block of each row of U is B. For a symmetric pattern, the fill is also symmetric. Therefore each row of U has as
many blocks as the corresponding column of L.

Source: J. J. Sylvester, Philosophical Magazine 4 (1852) 138-142 (law of inertia).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.kernels.kernel import kernel
from windlass.framework.launch.petsc_functions import get_block_values

CERTAIN = 1e-13
"""Pivot of B, relative to the diagonal of B. Below this value, the sign of the pivot may be due to rounding."""
SYMMETRIC = 0.03
"""If the asymmetry of B, relative to its largest entry, is above this value, B cannot be the inverse of a diagonal
block. Inverses of ill-conditioned blocks may have errors of 3e-3.
"""


def eval_asymmetry(pattern: Pattern, values: FloatArray, diagonal: FloatArray) -> float:
    """Return the Frobenius norm of D^-½ (A - Aᵀ) D^-½ [1] for a matrix A on one process. D is the diagonal of A, in
    which entries that are not positive are replaced by 1.

    Args:
        pattern: a symmetric sparsity pattern.
        values: values of the matrix, shape (spare + 1,).
        diagonal: output for the diagonal, shape (rows,).
    """
    return float(np.sqrt(sum_asymmetry(pattern.indptr, pattern.indices, pattern.block, values, diagonal)))


def count_negative(pc: Any) -> int | None:
    """Return how many pivots in PETSc's LU factors of a symmetric matrix are negative, or None if this number cannot be
    determined.
    """
    factors = pc.getFactorMatrix()
    if factors.getType() != "seqbaij":
        pivots = factors.getDiagonal().array_r
        return int((pivots < 0.0).sum()) if (pivots != 0.0).all() else None
    block = factors.getBlockSize()
    begins, columns = factors.getRowIJ(compressed=True)
    last = len(begins) - 2
    of_upper = 1 + np.bincount(columns, minlength=last + 1)
    places: IntArray = len(columns) + np.cumsum(of_upper[::-1])[::-1] - 1
    entries = (int(places[0]) + 1) * block**2
    if entries != int(factors.getInfo()["nz_used"]):
        return None
    found = int(count_in_blocks(get_block_values(factors, entries), places))
    return found if found >= 0 else None


@kernel
def count_in_blocks(values: FloatArray, places: IntArray) -> int:
    """Return the number of negative pivots of the blocks of four rows at the given indices. Return -1 if a sign is not
    certain, or if a block is not symmetric."""
    b, negative = np.empty((4, 4)), 0
    for place in places:
        largest, even = 0.0, True
        for j in range(4):
            for i in range(4):
                b[i, j] = values[16 * place + 4 * j + i]
                largest = max(largest, abs(b[i, j]))
        for i in range(4):
            for j in range(i):
                even &= abs(b[i, j] - b[j, i]) <= SYMMETRIC * largest
        if not even:
            return -1
        for k in range(3, -1, -1):
            if not abs(b[k, k]) > CERTAIN * abs(values[16 * place + 5 * k]):
                return -1
            negative += b[k, k] < 0.0
            inverse = 1.0 / b[k, k]
            for i in range(k):
                factor = b[i, k] * inverse
                for j in range(k):
                    b[i, j] -= factor * b[k, j]
    return negative


@kernel
def sum_asymmetry(indptr: IntArray, indices: IntArray, block: int, values: FloatArray, diagonal: FloatArray) -> float:
    """Return the square of the result of `eval_asymmetry`. The matrix is stored by rows (``block`` = 1) or in dense
    blocks of four rows (``block`` = 4).
    """
    rows, size, total = len(indptr) - 1, block * block, 0.0
    after, weights = np.empty(rows, np.int64), np.empty(rows * block)
    for i in range(rows):
        k = indptr[i]
        while indices[k] < i:
            k += 1
        after[i] = k + 1
        for a in range(block):
            entry = values[k * size + a * block + a]
            diagonal[i * block + a] = entry
            weights[i * block + a] = 1.0 / entry if entry > 0.0 else 1.0
    for i in range(rows):
        for k in range(indptr[i], after[i]):
            j = indices[k]
            # rows i are processed in ascending order, so for j < i, ``after[j]`` is the index of the entry of row j in
            # column i
            other = after[j] if j < i else k
            after[j] += j < i
            # each entry below the diagonal is counted twice, because it also represents the entry above the diagonal
            weight = 2.0 if j < i else 1.0
            if block == 1:
                total += weight * weights[i] * weights[j] * (values[k] - values[other]) ** 2
            else:
                for b in range(4):
                    own = 0.0
                    for a in range(4):
                        difference = values[16 * k + 4 * b + a] - values[16 * other + 4 * a + b]
                        own += weights[4 * i + a] * difference**2
                    total += weight * weights[4 * j + b] * own
    return total
