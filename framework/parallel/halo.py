"""Rows of arrays that other processes need: values go from the owners to them, contributions come back and are summed.

Unlike the ghosts of a `Layout` such a halo may be made anew during a run, as contact neighbours ask for it.  Values
travel in one message per pair of processes.  Contributions are added in the order of the processes, so that sums are
the same in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray


class Halo:
    """Which rows go where; all processes make it, and call each of its functions, together.

    Args:
        comm: mpi4py communicator.
        owner: process that owns each row, shape (n,).
        needed: rows of other processes that this one needs, each once, shape (k,).

    Attributes:
        sent: rows of this process that others need; as often as they are needed, shape (s,).
        received: the rows that this process needs, owner by owner, shape (k,).
    """

    def __init__(self, comm: Any, owner: IntArray, needed: IntArray) -> None:
        self._comm = comm
        self.received: IntArray = needed[np.argsort(owner[needed], kind="stable")]
        self._in = np.bincount(owner[self.received], minlength=comm.size)
        self._out = np.array(comm.alltoall(self._in.tolist()), dtype=np.int64)
        self.sent: IntArray = np.empty(int(self._out.sum()), np.int64)
        comm.Alltoallv([self.received, self._in.tolist()], [self.sent, self._out.tolist()])

    def forward(self, values: FloatArray) -> FloatArray:
        """Values of ``received`` from those of ``sent``, shape (s, w) -> (k, w)."""
        return self._exchange(values, self._out, len(self.received), self._in)

    def backward(self, values: FloatArray) -> FloatArray:
        """Values for ``sent`` from those of ``received``, shape (k, w) -> (s, w)."""
        return self._exchange(values, self._in, len(self.sent), self._out)

    def _exchange(self, values: FloatArray, out: IntArray, rows: int, into: IntArray) -> FloatArray:
        width = values.shape[1]
        result = np.empty((rows, width))
        self._comm.Alltoallv([values, (out * width).tolist()], [result, (into * width).tolist()])
        return result

    def spread(self, arrays: list[FloatArray]) -> None:
        """Copy rows of the owners into the same rows of those who need them; arrays of shape (n, ...)."""
        values = self.forward(pack([array[self.sent] for array in arrays]))
        for array, part in zip(arrays, unpack(values, arrays), strict=True):
            array[self.received] = part

    def add_to_owners(self, arrays: list[FloatArray]) -> None:
        """Add rows that this process needs to the same rows of their owners, where its own part stays."""
        values = self.backward(pack([array[self.received] for array in arrays]))
        for array, part in zip(arrays, unpack(values, arrays), strict=True):
            np.add.at(array, self.sent, part)


def pack(arrays: list[FloatArray]) -> FloatArray:
    """Arrays of shape (rows, ...) side by side, shape (rows, all their columns)."""
    return np.concatenate([array.reshape(len(array), _width(array)) for array in arrays], axis=1)


def unpack(values: FloatArray, like: list[FloatArray]) -> list[FloatArray]:
    """The inverse of `pack`, for arrays with the columns of others of shape (any, ...)."""
    out, first = [], 0
    for array in like:
        width = _width(array)
        out.append(values[:, first : first + width].reshape(len(values), *array.shape[1:]))
        first += width
    return out


def _width(array: FloatArray) -> int:
    return int(np.prod(array.shape[1:]))


def gather_rows(comm: Any, rows: IntArray, array: FloatArray) -> None:
    """Bring the rows of an array that each process owns to all processes; array of shape (n, ...)."""
    counts = np.array(comm.allgather(len(rows)))
    width = _width(array)
    numbers, values = np.empty(int(counts.sum()), np.int64), np.empty((int(counts.sum()), width))
    comm.Allgatherv(rows, [numbers, counts.tolist()])
    comm.Allgatherv(np.ascontiguousarray(array[rows]), [values, (counts * width).tolist()])
    array[numbers] = values.reshape(len(values), *array.shape[1:])


def is_true_anywhere(comm: Any, here: bool) -> bool:
    """Whether something holds on any process."""
    from mpi4py import MPI  # here, because it starts MPI

    flag = np.array([here], np.int32)
    comm.Allreduce(MPI.IN_PLACE, flag, op=MPI.MAX)
    return bool(flag[0])
