"""Ghosts: rows of arrays that this process needs, although another process owns these rows. The owners send the values
of these rows to this process. This process sends its contributions to these values back to the owners.

Ghosts are used for coordinates, for unknowns and for the surfaces of contact sets. In arrays of coordinates and of
unknowns, the ghosts follow the owned entries. The ghosts of surfaces are recreated when contact neighbours change.
Values are sent in one message between each pair of neighbours. The contributions are added in the order of the ranks.
Therefore the sums of two equal runs are identical in all bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray

TAG = 7320
"""Tag of all messages. One tag is sufficient, because MPI preserves the order of messages between two processes."""


def gather_keys(comm: Any, keys: Any) -> list[Any]:
    """Return the keys of the rows that each process owns, as a list with one entry for each process. From these keys,
    each process finds the owners of the rows that it needs.

    The call is collective, like all calls of `Ghosts`.

    Args:
        comm: mpi4py communicator; None for one process.
        keys: keys of the rows that this process owns.
    """
    return [keys] if comm is None or comm.size == 1 else list(comm.allgather(keys))


class Ghosts:
    """Exchange of rows between their owners and the processes that need them. The constructor and all methods are
    collective.

    Args:
        comm: mpi4py communicator; None for a single process, for which exchanges have no effect.
        needed: indices of the ghosts in the arrays of this process, shape (k,). Each index occurs once.
        owner: rank of the owner of each ghost, shape (k,).
        numbers: index of each ghost in the arrays of its owner, shape (k,).

    Attributes:
        comm: the mpi4py communicator, or None for a single process.
        sent: indices of the rows of this process that other processes need, shape (s,). A row that several processes
            need occurs several times.
        received: the indices ``needed``, sorted by owner, shape (k,).
    """

    def __init__(self, comm: Any, needed: IntArray, owner: IntArray, numbers: IntArray) -> None:
        self.comm = comm
        order = np.argsort(owner, kind="stable")
        self.received: IntArray = needed[order]
        self.sent: IntArray = np.zeros(0, np.int64)
        self._from: list[tuple[int, slice]] = []
        self._to: list[tuple[int, slice]] = []
        if comm is not None and comm.size > 1:
            ends = np.searchsorted(owner[order], np.arange(comm.size + 1))
            parts = comm.alltoall(np.split(numbers[order], ends[1:-1]))
            self.sent = np.concatenate(parts)
            self._from = _find_messages(np.diff(ends))
            self._to = _find_messages(np.array([len(part) for part in parts]))

    @classmethod
    def after_owned(cls, comm: Any, owned: int, numbers: IntArray) -> Ghosts:
        """Create the exchange for arrays in which ghosts follow the owned rows. The argument ``numbers`` contains the
        indices of the ghosts in a PETSc vector.
        """
        places = owned + np.arange(len(numbers))
        if comm is None or comm.size == 1:
            return cls(None, places, numbers, numbers)
        first = np.cumsum([0, *comm.allgather(owned)])
        owner = np.searchsorted(first, numbers, side="right") - 1
        return cls(comm, places, owner, numbers - first[owner])

    def forward(self, values: FloatArray) -> FloatArray:
        """Send the values of the rows ``sent``, shape (s, w) for w values of a row, and return the values of the rows
        ``received``, shape (k, w).
        """
        return self._exchange(values, self._to, len(self.received), self._from)

    def backward(self, values: FloatArray) -> FloatArray:
        """Send values of the rows ``received``, shape (k, w) for w values of a row, to the owners of these rows. Return
        the values that other processes have sent for the rows ``sent``, shape (s, w).
        """
        return self._exchange(values, self._from, len(self.sent), self._to)

    def _exchange(
        self, values: FloatArray, out: list[tuple[int, slice]], rows: int, into: list[tuple[int, slice]]
    ) -> FloatArray:
        from mpi4py import MPI  # imported here, because a single process works without mpi4py

        result = np.empty((rows, values.shape[1]))
        requests = [self.comm.Irecv(result[part], rank, TAG) for rank, part in into]
        requests += [self.comm.Isend(values[part], rank, TAG) for rank, part in out]
        MPI.Request.Waitall(requests)
        return result

    def copy_from_owners(self, *arrays: FloatArray) -> None:
        """Copy rows from their owners to the processes that need the rows. Each array has the shape (n, ...)."""
        if not self._from and not self._to:
            return
        values = self.forward(pack([array[self.sent] for array in arrays]))
        for array, part in zip(arrays, unpack(values, arrays), strict=True):
            array[self.received] = part

    def add_to_owners(self, *arrays: FloatArray) -> None:
        """Add the ghost rows of this process to the owned rows on other processes. The ghost rows of this process do
        not change.
        """
        if not self._from and not self._to:
            return
        values = self.backward(pack([array[self.received] for array in arrays]))
        for array, part in zip(arrays, unpack(values, arrays), strict=True):
            for _, rows in self._to:
                array[self.sent[rows]] += part[rows]


def _find_messages(counts: IntArray) -> list[tuple[int, slice]]:
    """Return the ranks with which this process exchanges rows, and the range of rows for each rank."""
    ends = np.cumsum(counts)
    return [(rank, slice(end - n, end)) for rank, (n, end) in enumerate(zip(counts, ends, strict=True)) if n]


def pack(arrays: list[FloatArray]) -> FloatArray:
    """Concatenate arrays of shape (rows, ...) to one array of shape (rows, total number of columns)."""
    parts = [array.reshape(len(array), _width(array)) for array in arrays]
    return parts[0] if len(parts) == 1 else np.ascontiguousarray(np.concatenate(parts, axis=1))


def unpack(values: FloatArray, like: Sequence[FloatArray]) -> list[FloatArray]:
    """Split the result of `pack` into arrays. Each returned array has the shape of the corresponding array in ``like``,
    except for the number of rows.
    """
    out, first = [], 0
    for array in like:
        width = _width(array)
        out.append(values[:, first : first + width].reshape(len(values), *array.shape[1:]))
        first += width
    return out


def _width(array: FloatArray) -> int:
    return prod(array.shape[1:])
