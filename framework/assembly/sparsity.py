"""Sparsity of the tangent in compressed rows over process-local unknowns, and the slot (position in the matrix values)
of each entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel


@dataclass(frozen=True)
class Pattern:
    """Sparsity in compressed rows over process-local unknowns. The entries are scalars or dense square blocks.

    Entries of a block are stored column by column, as in PETSc.

    Attributes:
        indptr: index of the first entry of each matrix row, followed by the number of all entries, int32. With blocks,
            the numbers are indices of blocks, and each row is a row of blocks.
        indices: column of each entry or block, sorted within a row, int32.
        spare: index of the last slot, which collects the values of entries that are not in the matrix.
        block: number of rows and columns of each square block; 1 for scalar entries.
    """

    indptr: IntArray
    indices: IntArray
    spare: int
    block: int = 1

    @property
    def rows(self) -> int:
        """Number of rows of the matrix."""
        return self.block * (len(self.indptr) - 1)

    def entries(self) -> tuple[IntArray, IntArray]:
        """Return the row and the column of each slot except the spare slot, each of shape (spare,)."""
        row = np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))
        if self.block == 1:
            return row, self.indices
        within = np.arange(self.block**2)
        rows = (self.block * row[:, None] + within % self.block).ravel()
        columns = (self.block * self.indices[:, None] + within // self.block).ravel()
        return rows[: self.spare], columns[: self.spare]

    def multiply(self, values: FloatArray, x: FloatArray, absolute: bool = False) -> FloatArray:
        """Return A x, shape (rows,), where A is the matrix with the given ``values``, shape (spare + 1,), and ``x`` has
        the shape (rows,). If ``absolute`` is true, all entries of A are replaced by their absolute values.
        """
        out = np.zeros(self.rows)
        # x is copied because arrays of PETSc are read-only, and a read-only argument would require a second compilation
        # of the kernel
        multiply(self.indptr, self.indices, self.block, values, np.array(x), absolute, out)
        return out

    def multiply_transposed(self, values: FloatArray, x: FloatArray) -> FloatArray:
        """Return Aᵀ x, shape (rows,), for the matrix A of `multiply`."""
        out = np.zeros(self.rows)
        _multiply_transposed(self.indptr, self.indices, self.block, values, x, out)
        return out

    def slots(self, rows: IntArray, columns: IntArray, block_size: int = 1) -> IntArray:
        """Return the slots of the entries (rows, columns).

        Args:
            rows: process-local unknowns, shape (k, n); -1 for no unknown.
            columns: process-local unknowns, shape (k, m); -1 for no unknown.
            block_size: number of consecutive columns for which only the slot of the first column is returned, see
                `Fused.block_size`.

        Returns:
            Slots, int32, shape (k, n, m). If ``block_size`` > 1 and the columns of each group are consecutive, the
            result contains only the slot of the first column of each group, shape (k, n, m / block_size). If, in
            addition, each group of rows and columns is a block of the pattern, the result contains only the first slot
            of each block, shape (k, n / block_size, m / block_size).
        """
        if block_size > 1 and follow_in_blocks(columns, block_size):
            if self.block == 1:
                columns = columns[:, ::block_size]
            elif (
                self.block == block_size
                and follow_in_blocks(rows, block_size)
                and not np.any((rows | columns)[:, ::block_size] % block_size)
            ):
                rows, columns = rows[:, ::block_size], columns[:, ::block_size]
        out: Any = np.empty((len(rows), rows.shape[1], columns.shape[1]), np.int32)
        i, j = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
        find_slots(self.indptr, self.indices, self.block, i, j, self.spare, out)
        slots: IntArray = out
        return slots


def create_pattern(blocks: list[tuple[IntArray, IntArray]], unknowns: int, block: int = 1) -> Pattern:
    """Create the sparsity that contains all entries (rows, columns) and the diagonal.

    Args:
        blocks: pairs of arrays of process-local unknowns: matrix rows, shape (k, n), and matrix columns, shape (k, m);
            -1 for no unknown.
        unknowns: number of process-local unknowns, a multiple of ``block``.
        block: number of rows and columns of the dense blocks of the pattern.
    """
    short: Any = np.int32
    rows_in_all = unknowns // block
    diagonal = np.arange(rows_in_all).reshape(-1, 1)
    coarse = [(_coarsen(i, block), _coarsen(j, block)) for i, j in blocks]
    pairs = [(np.ascontiguousarray(i), np.ascontiguousarray(j)) for i, j in [(diagonal, diagonal), *coarse]]
    # the pattern is filled row by row, because a list of (row, column) of all entries would need much more memory
    starts = np.zeros(rows_in_all + 1, np.int64)
    for rows, columns in pairs:
        count_entries(rows, columns, starts)
    starts = np.cumsum(starts)
    entries: IntArray = np.empty(starts[-1], short)
    place = starts[:-1].copy()
    for rows, columns in pairs:
        fill_entries(rows, columns, place, entries)
    indptr: IntArray = np.zeros(rows_in_all + 1, short)
    count = merge_entries(starts, entries, place, indptr)
    return Pattern(indptr, entries[:count].copy(), count * block**2 - (block > 1), block)


def _coarsen(numbers: IntArray, block: int) -> IntArray:
    """Return the indices of the blocks that contain the unknowns ``numbers``, shape (k, m), with -1 for no unknown. The
    result has fewer columns than ``numbers`` if several unknowns are in one block.
    """
    if block > 1 and numbers.shape[1] % block == 0 and follow_in_blocks(numbers, block):
        # consecutive unknowns that do not start at a block boundary lie in two blocks
        ends = numbers[:, ::block], numbers[:, block - 1 :: block]
        numbers = ends[0] if not np.any(ends[0] % block) else np.concatenate(ends, axis=1)
    return numbers // block


def follow_in_blocks(numbers: IntArray, block_size: int) -> bool:
    """Return True if none of the ``numbers``, shape (k, m), is -1 (no unknown), and if the numbers in each group of
    ``block_size`` neighbouring columns are consecutive.
    """
    begins = numbers[:, ::block_size]
    return bool((begins >= 0).all()) and all(
        np.array_equal(numbers[:, j::block_size], begins + j) for j in range(1, block_size)
    )


@kernel
def count_entries(rows: IntArray, columns: IntArray, counts: IntArray) -> None:
    """Add to counts[i + 1] the number of entries (rows[k, a], columns[k, b]) in matrix row i."""
    for k in range(rows.shape[0]):
        width = 0
        for b in range(columns.shape[1]):
            width += columns[k, b] >= 0
        for a in range(rows.shape[1]):
            if rows[k, a] >= 0:
                counts[rows[k, a] + 1] += width


@kernel
def fill_entries(rows: IntArray, columns: IntArray, place: IntArray, entries: IntArray) -> None:
    """Write the column of each entry (rows[k, a], columns[k, b]) to the next free position of the matrix row rows[k,
    a], and increase this position by one.
    """
    for k in range(rows.shape[0]):
        for a in range(rows.shape[1]):
            i = rows[k, a]
            if i < 0:
                continue
            for b in range(columns.shape[1]):
                if columns[k, b] >= 0:
                    entries[place[i]] = columns[k, b]
                    place[i] += 1


@kernel
def merge_entries(starts: IntArray, entries: IntArray, place: IntArray, indptr: IntArray) -> int:
    """Sort the columns of each row, remove repeated columns and close the gaps. Return the number of remaining columns.

    Args:
        starts: index of the first entry of each row, shape (rows + 1,).
        entries: columns of the entries; on return, the first entries are the remaining columns.
        place: work array, shape (rows,), which need not be initialised.
        indptr: output, index of the first remaining entry of each row.
    """
    count = len(place)
    # The conversion from compressed rows to compressed columns sorts the row indices of each column. The conversion
    # back to rows then sorts the columns of each row.
    ends = np.zeros(count + 1, np.int64)
    for k in range(starts[count]):
        ends[entries[k] + 1] += 1
    for j in range(count):
        ends[j + 1] += ends[j]
    rows = np.empty_like(entries)
    for i in range(count):
        place[i] = starts[i]
        for k in range(starts[i], starts[i + 1]):
            rows[ends[entries[k]]] = i
            ends[entries[k]] += 1
    begin = 0
    for j in range(count):
        for k in range(begin, ends[j]):
            i = rows[k]
            if k == begin or rows[k - 1] != i:
                entries[place[i]] = j
                place[i] += 1
        begin = ends[j]
    left = 0
    for i in range(count):
        for k in range(starts[i], place[i]):
            entries[left] = entries[k]
            left += 1
        indptr[i + 1] = left
    return left


@kernel
def multiply(
    indptr: IntArray, indices: IntArray, block: int, values: FloatArray, x: FloatArray, absolute: bool, out: FloatArray
) -> None:
    """Add A x to ``out``, for a matrix A with values in the order of `Pattern`. If ``absolute`` is true, all entries of
    A are replaced by their absolute values.
    """
    if block == 1:
        for i in range(len(indptr) - 1):
            total = out[i]
            for k in range(indptr[i], indptr[i + 1]):
                total += (abs(values[k]) if absolute else values[k]) * x[indices[k]]
            out[i] = total
        return
    if block == 4:
        for i in range(len(indptr) - 1):
            y0, y1, y2, y3 = out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3]
            for k in range(indptr[i], indptr[i + 1]):
                for j in range(4):
                    factor, at = x[indices[k] * 4 + j], (k * 4 + j) * 4
                    a0, a1, a2, a3 = values[at], values[at + 1], values[at + 2], values[at + 3]
                    if absolute:
                        a0, a1, a2, a3 = abs(a0), abs(a1), abs(a2), abs(a3)
                    y0 += a0 * factor
                    y1 += a1 * factor
                    y2 += a2 * factor
                    y3 += a3 * factor
            out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3] = y0, y1, y2, y3
        return
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            for j in range(block):
                factor = x[indices[k] * block + j]
                for a in range(block):
                    value = values[(k * block + j) * block + a]
                    out[i * block + a] += (abs(value) if absolute else value) * factor


@kernel
def multiply_transposed(
    indptr: IntArray, indices: IntArray, block: int, values: FloatArray, x: FloatArray, out: FloatArray
) -> None:
    """Add Aᵀ x to ``out``, for a matrix A with values in the order of `Pattern`."""
    if block == 1:
        for i in range(len(indptr) - 1):
            for k in range(indptr[i], indptr[i + 1]):
                out[indices[k]] += values[k] * x[i]
        return
    if block == 4:
        for i in range(len(indptr) - 1):
            x0, x1, x2, x3 = x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]
            for k in range(indptr[i], indptr[i + 1]):
                for j in range(4):
                    at = (k * 4 + j) * 4
                    out[4 * indices[k] + j] += (
                        values[at] * x0 + values[at + 1] * x1 + values[at + 2] * x2 + values[at + 3] * x3
                    )
        return
    for i in range(len(indptr) - 1):
        for k in range(indptr[i], indptr[i + 1]):
            for j in range(block):
                for a in range(block):
                    out[indices[k] * block + j] += values[(k * block + j) * block + a] * x[i * block + a]


_multiply_transposed = call(multiply_transposed)


@kernel
def find_slots(
    indptr: IntArray, indices: IntArray, block: int, rows: IntArray, columns: IntArray, spare: int, out: IntArray
) -> None:
    """Find the slot of each entry (rows[k, a], columns[k, b]) by a binary search in the matrix row rows[k, a]."""
    for k in range(rows.shape[0]):
        for a in range(rows.shape[1]):
            i = rows[k, a]
            for b in range(columns.shape[1]):
                j = columns[k, b]
                if i < 0 or j < 0:
                    out[k, a, b] = spare
                    continue
                low, high = indptr[i // block], indptr[i // block + 1]
                while high - low > 1:
                    middle = (low + high) // 2
                    if indices[middle] <= j // block:
                        low = middle
                    else:
                        high = middle
                out[k, a, b] = low * block * block + (j % block) * block + i % block
