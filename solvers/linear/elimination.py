"""LU factorisation of the first rows of a matrix of 4 x 4 blocks. For the remaining (last) rows, the Schur complement
is computed.

There is no pivoting between or within blocks. In exact arithmetic, the factors are equal to the factors that LU by rows
computes in the same order of rows. Rounding errors of both methods are of the same size. In contrast to LU by rows,
each operation of this method processes whole blocks. The rows to be eliminated are the first rows of the matrix. The
sparsity pattern is symmetric.

Each eliminated row k of blocks has a contiguous part of the memory. This memory contains the diagonal block, the blocks
of U to the right of the diagonal, and the blocks of L below the diagonal in the same order. Entries within blocks are
stored by columns, as in `Pattern`.

Source: A. George, J. W. H. Liu, Computer Solution of Large Sparse Positive Definite Systems, Prentice-Hall (1981);
notation as in G. H. Golub, C. F. Van Loan, Matrix Computations (2013), section 3.2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.kernels.kernel import kernel

SMALLEST_PIVOT = 1e-300
"""If the absolute value of a pivot is below this value, the pivot is treated as 0. The value is very small, because the
pivots of slope coordinates, which contain small masses, can be very small.
"""


class Plan(NamedTuple):
    """The plan of an elimination. Rows, columns and indices are counted in blocks.

    Attributes:
        inner: number of rows to be eliminated.
        rows: number of rows.
        first: index in ``below`` of the first element of each eliminated row, followed by the number of elements of
            ``below``, shape (inner + 1,).
        below: for each eliminated row, the lower rows that are coupled with this row, including fill, in ascending
            order.
        source: for each block of the factors, the block of the matrix with which it is initialised, or -1 for fill.
        pairs: index in ``target`` of the first element of each eliminated row, followed by the number of elements of
            ``target``, shape (inner + 1,).
        target: indices of the blocks of the factors from which products of blocks of L and U are subtracted.
        ready: for each eliminated row k, the index of the last eliminated row that contains blocks which change when
            row k is eliminated. Blocks up to this last row must be initialised before row k is eliminated.
    """

    inner: int
    rows: int
    first: IntArray
    below: IntArray
    source: IntArray
    pairs: IntArray
    target: IntArray
    ready: IntArray

    @property
    def blocks(self) -> int:
        """Number of blocks of the factors."""
        return len(self.source)


def create_plan(pattern: Pattern, inner: int, most: float) -> Plan | None:
    """Plan the elimination of the first rows of a matrix in blocks. The last block of the matrix contains no equations
    (padding) and is omitted.

    Args:
        pattern: sparsity pattern of the matrix in blocks.
        inner: number of rows of blocks to be eliminated.
        most: largest allowed number of blocks of L below the diagonal blocks, divided by the number of blocks of the
            matrix. If L would have more blocks, None is returned.
    """
    rows, room = len(pattern.indptr) - 2, int(most * len(pattern.indices))
    short: Any = np.int32
    first, below = np.zeros(inner + 1, np.int64), np.empty(room, short)
    used = find_fill(pattern.indptr, pattern.indices, inner, rows, first, below)
    if used < 0:
        return None
    below = below[:used].copy()
    source = np.full(inner + 2 * used + (rows - inner) ** 2, -1, short)
    find_sources(pattern.indptr, pattern.indices, inner, rows, first, below, source)
    pairs = np.concatenate(([0], np.cumsum(np.diff(first) ** 2)))
    target = np.empty(pairs[-1], short)
    find_targets(inner, rows, first, below, target)
    ready = np.arange(inner)
    find_ready(inner, first, below, ready)
    return Plan(inner, rows, first, below, source, pairs, target, ready)


@kernel
def find_fill(indptr: IntArray, indices: IntArray, inner: int, rows: int, first: IntArray, below: IntArray) -> int:
    """Use the elimination tree to find the lower rows that are coupled with each eliminated row. Return the number of
    elements that were written to ``below``, or -1 if the array is too short.
    """
    mark, child, sibling = np.full(rows, -1), np.full(rows, -1), np.full(rows, -1)
    used = 0
    for k in range(inner):
        first[k] = used
        mark[k] = k
        for p in range(indptr[k], indptr[k + 1]):
            j = indices[p]
            if k < j < rows and mark[j] != k:
                if used == len(below):
                    return -1
                mark[j] = k
                below[used] = j
                used += 1
        c = child[k]
        while c >= 0:
            for p in range(first[c], first[c + 1]):
                j = below[p]
                if mark[j] != k:
                    if used == len(below):
                        return -1
                    mark[j] = k
                    below[used] = j
                    used += 1
            c = sibling[c]
        below[first[k] : used].sort()
        first[k + 1] = used
        if used > first[k] and below[first[k]] < inner:
            parent = below[first[k]]
            sibling[k] = child[parent]
            child[parent] = k
    return used


@kernel
def find_block(i: int, j: int, inner: int, rows: int, first: IntArray, below: IntArray) -> int:
    """Return the index of block (i, j) in the factors."""
    k = min(i, j)
    place: int = inner
    if k >= inner:
        place += 2 * first[inner] + (i - inner) * (rows - inner) + j - inner
        return place
    start, size = k + 2 * first[k], first[k + 1] - first[k]
    place = start
    if i != j:
        place = start + 1 + np.searchsorted(below[first[k] : first[k + 1]], max(i, j)) + (size if i > j else 0)
    return place


@kernel
def find_sources(
    indptr: IntArray, indices: IntArray, inner: int, rows: int, first: IntArray, below: IntArray, source: IntArray
) -> None:
    """Write to ``source``, for each block of the factors, the index of the corresponding block of the matrix."""
    for i in range(rows):
        for p in range(indptr[i], indptr[i + 1]):
            if indices[p] < rows:
                source[find_block(i, indices[p], inner, rows, first, below)] = p


@kernel
def find_targets(inner: int, rows: int, first: IntArray, below: IntArray, target: IntArray) -> None:
    """For each eliminated row, write to ``target`` the indices of the blocks of the factors from which products of
    blocks of L and U are subtracted.
    """
    n = 0
    for k in range(inner):
        for a in range(first[k], first[k + 1]):
            for b in range(first[k], first[k + 1]):
                target[n] = find_block(below[a], below[b], inner, rows, first, below)
                n += 1


@kernel
def find_ready(inner: int, first: IntArray, below: IntArray, ready: IntArray) -> None:
    """Write to ``ready``, for each eliminated row, the index of the last eliminated row that is coupled with this row.
    Initially each element contains the index of the row itself.
    """
    for k in range(inner):
        for p in range(first[k], first[k + 1]):
            if below[p] < inner:
                ready[k] = below[p]


@kernel(inline=True)
def fill_blocks(source: IntArray, values: FloatArray, start: int, end: int, factors: FloatArray) -> None:
    """Initialise the blocks ``start`` to ``end`` - 1 of the factors with blocks of the matrix, or with 0."""
    for block in range(start, end):
        to, at = 16 * block, 16 * source[block]
        if at >= 0:
            for e in range(16):
                factors[to + e] = values[at + e]
        else:
            for e in range(16):
                factors[to + e] = 0.0


@kernel(inline=True)
def subtract_product(f: FloatArray, out: int, left: int, right: int) -> None:
    """Subtract a product of blocks: f[out] -= f[left] f[right]. The arguments out, left and right are the indices of
    the first entries of the blocks.
    """
    for j in range(4):
        c = out + 4 * j
        x0, x1, x2, x3 = f[c], f[c + 1], f[c + 2], f[c + 3]
        for k in range(4):
            factor, a = f[right + 4 * j + k], left + 4 * k
            x0 -= f[a] * factor
            x1 -= f[a + 1] * factor
            x2 -= f[a + 2] * factor
            x3 -= f[a + 3] * factor
        f[c], f[c + 1], f[c + 2], f[c + 3] = x0, x1, x2, x3


@kernel(inline=True)
def factorise_block(f: FloatArray, d: int) -> bool:
    """Replace a block by its LU factors, with the inverses of the pivots on the diagonal. Return False if a pivot is 0
    or not finite."""
    sound = True
    for k in range(4):
        pivot = f[d + 5 * k]
        sound = sound and SMALLEST_PIVOT < abs(pivot) < np.inf
        inverse = 1.0 / pivot
        f[d + 5 * k] = inverse
        for i in range(k + 1, 4):
            f[d + 4 * k + i] *= inverse
        for j in range(k + 1, 4):
            for i in range(k + 1, 4):
                f[d + 4 * j + i] -= f[d + 4 * k + i] * f[d + 4 * j + k]
    return sound


@kernel(inline=True)
def divide_left(f: FloatArray, d: int, b: int) -> None:
    """Replace block b by L⁻¹ b, where L is the lower triangular factor of the diagonal block d."""
    for j in range(b, b + 16, 4):
        x0 = f[j]
        x1 = f[j + 1] - f[d + 1] * x0
        x2 = f[j + 2] - f[d + 2] * x0 - f[d + 6] * x1
        f[j + 3] -= f[d + 3] * x0 + f[d + 7] * x1 + f[d + 11] * x2
        f[j + 1], f[j + 2] = x1, x2


@kernel(inline=True)
def divide_right(f: FloatArray, d: int, b: int) -> None:
    """Replace block b by b U⁻¹, where U is the upper triangular factor of the diagonal block d."""
    for i in range(b, b + 4):
        x0 = f[i] * f[d]
        x1 = (f[i + 4] - x0 * f[d + 4]) * f[d + 5]
        x2 = (f[i + 8] - x0 * f[d + 8] - x1 * f[d + 9]) * f[d + 10]
        f[i + 12] = (f[i + 12] - x0 * f[d + 12] - x1 * f[d + 13] - x2 * f[d + 14]) * f[d + 15]
        f[i], f[i + 4], f[i + 8] = x0, x1, x2


@kernel
def eliminate(plan: Plan, values: FloatArray, factors: FloatArray) -> int:
    """Factorise the matrix. The rows that are not eliminated then contain the Schur complement. Return the number of
    singular diagonal blocks.

    Args:
        plan: order of the elimination, and indices of the blocks.
        values: values of the matrix, in the order of its pattern.
        factors: result, shape (16 plan.blocks,).
    """
    first, inner, bad = plan.first, plan.inner, 0
    last = inner + 2 * first[inner]
    fill_blocks(plan.source, values, last, len(plan.source), factors)
    filled = 0
    for k in range(inner):
        # rows of the matrix are copied just before they are needed, so that they are still in the cache
        end = plan.ready[k] + 1
        if end > filled:
            fill_blocks(plan.source, values, filled + 2 * first[filled], end + 2 * first[end], factors)
            filled = end
        size, d = first[k + 1] - first[k], 16 * (k + 2 * first[k])
        if not factorise_block(factors, d):
            bad += 1
        right, left = d + 16, d + 16 + 16 * size
        for b in range(size):
            divide_left(factors, d, right + 16 * b)
            divide_right(factors, d, left + 16 * b)
        n = plan.pairs[k]
        for a in range(size):
            for b in range(size):
                subtract_product(factors, 16 * plan.target[n], left + 16 * a, right + 16 * b)
                n += 1
    return bad


@kernel
def solve_forward(plan: Plan, factors: FloatArray, x: FloatArray) -> None:
    """Eliminate the unknowns of the eliminated rows from a right-hand side x, shape (4 rows,). For this purpose, x is
    multiplied by L⁻¹. In rows that are not eliminated, x then contains the right-hand side for the Schur complement.
    """
    first, f = plan.first, factors
    for k in range(plan.inner):
        size, d, r = first[k + 1] - first[k], 16 * (k + 2 * first[k]), 4 * k
        x0 = x[r]
        x1 = x[r + 1] - f[d + 1] * x0
        x2 = x[r + 2] - f[d + 2] * x0 - f[d + 6] * x1
        x3 = x[r + 3] - f[d + 3] * x0 - f[d + 7] * x1 - f[d + 11] * x2
        x[r + 1], x[r + 2], x[r + 3] = x1, x2, x3
        for p in range(size):
            b, i = d + 16 * (1 + size + p), 4 * plan.below[first[k] + p]
            for e in range(4):
                x[i + e] -= f[b + e] * x0 + f[b + e + 4] * x1 + f[b + e + 8] * x2 + f[b + e + 12] * x3


@kernel
def solve_backward(plan: Plan, factors: FloatArray, x: FloatArray) -> None:
    """Compute the solution of the eliminated rows from the solution of the other rows, in x of shape (4 rows,)."""
    first, f = plan.first, factors
    for k in range(plan.inner - 1, -1, -1):
        size, d, r = first[k + 1] - first[k], 16 * (k + 2 * first[k]), 4 * k
        x0, x1, x2, x3 = x[r], x[r + 1], x[r + 2], x[r + 3]
        for p in range(size):
            b, j = d + 16 * (1 + p), 4 * plan.below[first[k] + p]
            for e in range(4):
                factor, a = x[j + e], b + 4 * e
                x0 -= f[a] * factor
                x1 -= f[a + 1] * factor
                x2 -= f[a + 2] * factor
                x3 -= f[a + 3] * factor
        x3 *= f[d + 15]
        x2 = (x2 - f[d + 14] * x3) * f[d + 10]
        x1 = (x1 - f[d + 13] * x3 - f[d + 9] * x2) * f[d + 5]
        x0 = (x0 - f[d + 12] * x3 - f[d + 8] * x2 - f[d + 4] * x1) * f[d]
        x[r], x[r + 1], x[r + 2], x[r + 3] = x0, x1, x2, x3


@kernel
def solve_transposed(plan: Plan, factors: FloatArray, x: FloatArray) -> None:
    """Replace the right-hand side x, shape (4 rows,), by the solution of the equations with the transposed matrix. The
    plan must eliminate all rows.
    """
    first, f = plan.first, factors
    for k in range(plan.inner):
        size, d, r = first[k + 1] - first[k], 16 * (k + 2 * first[k]), 4 * k
        x0 = x[r] * f[d]
        x1 = (x[r + 1] - f[d + 4] * x0) * f[d + 5]
        x2 = (x[r + 2] - f[d + 8] * x0 - f[d + 9] * x1) * f[d + 10]
        x3 = (x[r + 3] - f[d + 12] * x0 - f[d + 13] * x1 - f[d + 14] * x2) * f[d + 15]
        x[r], x[r + 1], x[r + 2], x[r + 3] = x0, x1, x2, x3
        for p in range(size):
            b, j = d + 16 * (1 + p), 4 * plan.below[first[k] + p]
            for e in range(4):
                a = b + 4 * e
                x[j + e] -= f[a] * x0 + f[a + 1] * x1 + f[a + 2] * x2 + f[a + 3] * x3
    for k in range(plan.inner - 1, -1, -1):
        size, d, r = first[k + 1] - first[k], 16 * (k + 2 * first[k]), 4 * k
        for p in range(size):
            b, i = d + 16 * (1 + size + p), 4 * plan.below[first[k] + p]
            x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
            for e in range(4):
                a = b + 4 * e
                x[r + e] -= f[a] * x0 + f[a + 1] * x1 + f[a + 2] * x2 + f[a + 3] * x3
        x3 = x[r + 3]
        x2 = x[r + 2] - f[d + 11] * x3
        x1 = x[r + 1] - f[d + 6] * x2 - f[d + 7] * x3
        x[r] -= f[d + 1] * x1 + f[d + 2] * x2 + f[d + 3] * x3
        x[r + 1], x[r + 2] = x1, x2
