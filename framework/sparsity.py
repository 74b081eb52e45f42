"""Sparsity of the tangent, set up once: a CSR pattern over local unknowns and the slot of every block entry in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from windlass.framework.kernel import kernel
from windlass.framework.table import IntArray


@dataclass(frozen=True)
class Pattern:
    """Compressed rows over local unknowns.

    Attributes:
        indptr: first entry of each row, shape (u + 1,), int32.
        indices: column of each entry, sorted within a row, shape (nnz,), int32.
        spare: number of the spare slot (= nnz) that takes entries without row or column.
    """

    indptr: IntArray
    indices: IntArray
    spare: int

    def slots(self, rows: IntArray, columns: IntArray, runs: int = 1) -> IntArray:
        """Slots of the blocks rows x columns.

        Args:
            rows: local unknowns, shape (k, n); -1 for none.
            columns: local unknowns, shape (k, m); -1 for none.
            runs: give only every so manyth column where the others follow it, see `System.runs`.

        Returns:
            Slots, shape (k, n, m) or (k, n, m / runs), int32.
        """
        if runs > 1 and follow_in_runs(columns, runs):
            columns = columns[:, ::runs]
        out: Any = np.empty((len(rows), rows.shape[1], columns.shape[1]), np.int32)
        i, j = np.ascontiguousarray(rows), np.ascontiguousarray(columns)
        find_slots(self.indptr, self.indices, i, j, self.spare, out)
        slots: IntArray = out
        return slots


def create_pattern(blocks: list[tuple[IntArray, IntArray]], unknowns: int) -> Pattern:
    """The union of the blocks rows x columns and of the diagonal.

    Args:
        blocks: pairs (rows (k, n), columns (k, m)) of local unknowns, -1 for none.
        unknowns: number of local unknowns.
    """
    short: Any = np.int32
    diagonal = np.arange(unknowns).reshape(-1, 1)
    pairs = [(np.ascontiguousarray(i), np.ascontiguousarray(j)) for i, j in [(diagonal, diagonal), *blocks]]
    # filled by rows at once, since triplets of large models take much more memory than the pattern
    starts = np.zeros(unknowns + 1, np.int64)
    for rows, columns in pairs:
        count_entries(rows, columns, starts)
    starts = np.cumsum(starts)
    entries: IntArray = np.empty(starts[-1], short)
    place = starts[:-1].copy()
    for rows, columns in pairs:
        fill_entries(rows, columns, place, entries)
    csr = csr_array((np.ones(len(entries), np.int8), entries, starts), shape=(unknowns, unknowns))
    csr.sum_duplicates()
    return Pattern(csr.indptr.astype(short), csr.indices.astype(short), len(csr.indices))


def follow_in_runs(numbers: IntArray, runs: int) -> bool:
    """Whether numbers, shape (k, m), are those of existing unknowns that follow each other in runs."""
    begins = numbers[:, ::runs]
    return bool((begins >= 0).all()) and all(np.array_equal(numbers[:, j::runs], begins + j) for j in range(1, runs))


@kernel
def count_entries(rows: IntArray, columns: IntArray, counts: IntArray) -> None:
    """Add to counts[i + 1] the number of block entries in row i."""
    for k in range(rows.shape[0]):
        width = 0
        for b in range(columns.shape[1]):
            width += columns[k, b] >= 0
        for a in range(rows.shape[1]):
            if rows[k, a] >= 0:
                counts[rows[k, a] + 1] += width


@kernel
def fill_entries(rows: IntArray, columns: IntArray, place: IntArray, entries: IntArray) -> None:
    """Write the columns of all block entries to the places of their rows, which move on."""
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
def find_slots(
    indptr: IntArray, indices: IntArray, rows: IntArray, columns: IntArray, spare: int, out: IntArray
) -> None:
    """Binary search of every block entry in its row."""
    for k in range(rows.shape[0]):
        for a in range(rows.shape[1]):
            i = rows[k, a]
            for b in range(columns.shape[1]):
                j = columns[k, b]
                if i < 0 or j < 0:
                    out[k, a, b] = spare
                    continue
                low, high = indptr[i], indptr[i + 1]
                while high - low > 1:
                    middle = (low + high) // 2
                    if indices[middle] <= j:
                        low = middle
                    else:
                        high = middle
                out[k, a, b] = low
