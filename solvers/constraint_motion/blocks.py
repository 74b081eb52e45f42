"""Factorisation of a matrix that consists of small independent blocks, such as the blocks of single bodies. Each block
has dense LU factors.

Each row is divided by its largest entry, and the factorisation uses partial pivoting. Therefore masses of bodies can
differ by any factor, and diagonal entries of constraint rows can be 0.

Source: G. H. Golub, C. F. Van Loan, Matrix Computations, chapter 3.
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.kernels.kernel import kernel
from windlass.solvers.constraint_motion.saddle import SaddleMatrix, SingularError

LARGEST = 24
"""Largest number of unknowns of a block. For larger blocks, dense factors are not faster than sparse factors."""
SMALLEST_PIVOT = 1e-14
"""If a pivot of scaled rows is at most this value [1], the block is treated as singular."""


class BlockFactors:
    """LU factors of all blocks of a matrix on one process; created by `create_block_factors`.

    Args:
        matrix: the matrix that is factorised.
        members: indices of the unknowns of all blocks, block by block, shape (unknowns,).
        start: index in ``members`` of the first unknown of each block, followed by the number of unknowns, shape
            (blocks + 1,).
    """

    def __init__(self, matrix: SaddleMatrix, members: IntArray, start: IntArray) -> None:
        self._matrix, self._members, self._start = matrix, members, start
        size = np.diff(start)
        self._entry_start = np.concatenate(([0], np.cumsum(size**2)))
        self._place = np.full(int(self._entry_start[-1]), -1, np.int64)
        find_places(matrix.pattern.indptr, matrix.pattern.indices, members, start, self._entry_start, self._place)
        self._lu = np.zeros(len(self._place))
        self._scale = np.zeros(len(members))
        self._order = np.zeros(len(members), np.int64)

    def factorise(self) -> None:
        """Factorise the present values of the matrix."""
        wrong = factorise_blocks(
            self._matrix.values, self._place, self._start, self._entry_start, self._lu, self._scale, self._order
        )
        if wrong >= 0:
            raise SingularError(self._matrix.describe_singular())

    def reset(self) -> None:
        """Do nothing, because each factorisation is independent of earlier factorisations."""

    def solve(self, right: FloatArray) -> FloatArray:
        """Return the solution for a right-hand side."""
        out = np.empty_like(right)
        solve_blocks(
            self._lu, self._members, self._start, self._entry_start, self._scale, self._order, LARGEST, right, out
        )
        return out


def create_block_factors(matrix: SaddleMatrix) -> BlockFactors | None:
    """Create factors for a matrix of small blocks. Return None if several processes share the matrix or if a block is
    too large.
    """
    if matrix.assembly.layout.size > 1:
        return None
    members, start = find_blocks(matrix.pattern)
    if np.diff(start).max() > LARGEST:
        return None
    return BlockFactors(matrix, members, start)


def find_blocks(pattern: Pattern) -> tuple[IntArray, IntArray]:
    """Find groups of coupled unknowns (blocks). Return an array with the indices of the unknowns of all blocks, block
    by block, and an array with the position of the first unknown of each block in the first array.
    """
    from scipy.sparse import csr_array  # imported here, because few models need dense blocks
    from scipy.sparse.csgraph import connected_components  # imported here, because few models need dense blocks

    n = len(pattern.indptr) - 1
    couplings = csr_array((np.ones(pattern.spare, np.int8), pattern.indices, pattern.indptr), shape=(n, n))
    count, label = connected_components(couplings, directed=False)
    start: IntArray = np.concatenate(([0], np.cumsum(np.bincount(label, minlength=count))))
    return np.argsort(label, kind="stable"), start


@kernel
def find_places(
    indptr: IntArray, indices: IntArray, members: IntArray, start: IntArray, entry_start: IntArray, place: IntArray
) -> None:
    """For every entry of every block, write its index in the values of the matrix to ``place``. Entries outside the
    sparsity pattern keep their previous value in ``place``.
    """
    for b in range(len(start) - 1):
        first, size = start[b], start[b + 1] - start[b]
        for i in range(size):
            row = members[first + i]
            for k in range(indptr[row], indptr[row + 1]):
                for j in range(size):
                    if members[first + j] == indices[k]:
                        place[entry_start[b] + i * size + j] = k


@kernel
def factorise_blocks(
    values: FloatArray,
    place: IntArray,
    start: IntArray,
    entry_start: IntArray,
    lu: FloatArray,
    scale: FloatArray,
    order: IntArray,
) -> int:
    """Compute LU factors of every block with scaled rows and partial pivoting. Return the index of the first singular
    block, or -1.
    """
    for b in range(len(start) - 1):
        first, n, at = start[b], start[b + 1] - start[b], entry_start[b]
        # copy the block; scale each row so that its largest entry is 1
        for i in range(n):
            largest = 0.0
            for j in range(n):
                k = place[at + i * n + j]
                entry = values[k] if k >= 0 else 0.0
                lu[at + i * n + j] = entry
                largest = max(largest, abs(entry))
            if not largest > 0.0:
                return b
            scale[first + i] = 1.0 / largest
            order[first + i] = i
            for j in range(n):
                lu[at + i * n + j] *= scale[first + i]
        # for each column: exchange rows to obtain the largest pivot, then eliminate
        for k in range(n):
            best = k
            for i in range(k + 1, n):
                if abs(lu[at + i * n + k]) > abs(lu[at + best * n + k]):
                    best = i
            if not abs(lu[at + best * n + k]) > SMALLEST_PIVOT:
                return b
            if best != k:
                order[first + k], order[first + best] = order[first + best], order[first + k]
                for j in range(n):
                    swap = lu[at + k * n + j]
                    lu[at + k * n + j] = lu[at + best * n + j]
                    lu[at + best * n + j] = swap
            # subtract multiples of row k from the rows below it
            for i in range(k + 1, n):
                if lu[at + i * n + k] == 0.0:
                    continue
                factor = lu[at + i * n + k] / lu[at + k * n + k]
                lu[at + i * n + k] = factor
                for j in range(k + 1, n):
                    lu[at + i * n + j] -= factor * lu[at + k * n + j]
    return -1


@kernel
def solve_blocks(
    lu: FloatArray,
    members: IntArray,
    start: IntArray,
    entry_start: IntArray,
    scale: FloatArray,
    order: IntArray,
    largest: int,
    right: FloatArray,
    out: FloatArray,
) -> None:
    """Write the solution for the right-hand side ``right`` to ``out``. Both arrays are in the order of the unknowns. No
    block has more than ``largest`` unknowns.
    """
    y = np.zeros(largest)
    for b in range(len(start) - 1):
        first, n, at = start[b], start[b + 1] - start[b], entry_start[b]
        for i in range(n):
            # ``scale`` has the order of the rows before the exchanges
            row = order[first + i]
            total = scale[first + row] * right[members[first + row]]
            for j in range(i):
                total -= lu[at + i * n + j] * y[j]
            y[i] = total
        for back in range(n):
            i = n - 1 - back
            total = y[i]
            for j in range(i + 1, n):
                total -= lu[at + i * n + j] * y[j]
            y[i] = total / lu[at + i * n + i]
        for i in range(n):
            out[members[first + i]] = y[i]
