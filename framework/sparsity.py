"""Sparsity of the tangent, set up once: a CSR pattern over local unknowns and the slot of every block entry in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array

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

    def slots(self, rows: IntArray, columns: IntArray) -> IntArray:
        """Slots of the blocks rows x columns.

        Args:
            rows: local unknowns, shape (k, n); -1 for none.
            columns: local unknowns, shape (k, m); -1 for none.

        Returns:
            Slots, shape (k, n, m), int32.
        """
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
    diagonal = np.arange(unknowns)
    i, j = [diagonal], [diagonal]
    for rows, columns in blocks:
        shape = (len(rows), rows.shape[1], columns.shape[1])
        i.append(np.broadcast_to(rows[:, :, None], shape).ravel())
        j.append(np.broadcast_to(columns[:, None, :], shape).ravel())
    row, column = np.concatenate(i), np.concatenate(j)
    keep = (row >= 0) & (column >= 0)
    row, column = row[keep].astype(np.int32), column[keep].astype(np.int32)
    csr = coo_array((np.ones(len(row), np.int8), (row, column)), shape=(unknowns, unknowns)).tocsr()
    csr.sum_duplicates()
    csr.sort_indices()
    indptr, indices = csr.indptr.astype(np.int32), csr.indices.astype(np.int32)
    return Pattern(indptr, indices, len(indices))


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
