"""The MPI processes among which a world is divided. The class has collective operations, and blocks of code in which
each process works independently of the other processes.

If only some of the processes make a collective call, these processes wait forever for the other processes. The
functions of laws that bind or evaluate rows must work independently of other processes. Therefore a collective call in
such a function raises an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError, WindlassError


class Processes:
    """The processes among which a world is divided, with their collective operations.

    Args:
        comm: mpi4py communicator; None for one process.

    Attributes:
        comm: the argument of the constructor.
        size: number of processes.
        announce: function of ``(comm, what)`` that announces each collective call to the other processes. The function
            ends the job if another process executes a different part of the script. If ``announce`` is None, calls are
            not announced.
    """

    def __init__(self, comm: Any = None) -> None:
        self.comm = comm
        self.size: int = 1 if comm is None else comm.size
        self.announce: Callable[[Any, str], None] | None = None
        self._alone: list[str] = []

    @contextmanager
    def alone(self, what: str) -> Iterator[None]:
        """Context manager: within its block, this process works independently of the others, and collective calls raise
        an error. The argument ``what`` is the name of the task in error messages.
        """
        self._alone.append(what)
        try:
            yield
        finally:
            self._alone.pop()

    @property
    def is_alone(self) -> bool:
        """Whether this process is in a block of `alone`."""
        return bool(self._alone)

    def allgather(self, what: str, part: Any) -> list[Any]:
        """Return, on every process, the list of the parts that all processes have passed.

        Raises:
            ModelError: this process is in a block of `alone`.
        """
        if self.size == 1:
            return [part]
        self._check(what)
        return list(self.comm.allgather(part))

    def join(self, what: str, items: list[Any]) -> list[Any]:
        """Return the items of all processes in one list on every process. See `allgather`."""
        return [item for part in self.allgather(what, items) for item in part]

    def exchange(self, what: str, parts: list[Any]) -> list[Any]:
        """Send one item to each process, and return the items that all processes have sent to this process; see
        `allgather`.
        """
        if self.size == 1:
            return parts
        self._check(what)
        return list(self.comm.alltoall(parts))

    def from_first(self, what: str, value: Any) -> Any:
        """Return the value of the first process on every process. See `allgather`."""
        if self.size == 1:
            return value
        self._check(what)
        return self.comm.bcast(value)

    def deal(self, what: str, parts: list[Any] | None) -> Any:
        """Return the item that the first process sends to this process. See `allgather`."""
        self._check(what)
        return self.comm.scatter(parts)

    def gather_first(self, what: str, part: Any) -> list[Any] | None:
        """Return the values of all processes on the first process, and None on other processes. See `allgather`."""
        self._check(what)
        parts: list[Any] | None = self.comm.gather(part)
        return parts

    def sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, on every process, the sum of each entry of an array over all processes. See `allgather`."""
        if self.size == 1:
            return values
        self._check("sums")
        total = np.empty_like(values)
        self.comm.Allreduce(np.ascontiguousarray(values), total)
        return total

    def maximum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, on every process, the largest value of each entry of an array over all processes. See `allgather`."""
        if self.size == 1:
            return values
        self._check("largest values")
        from mpi4py import MPI  # imported here, because the import starts MPI

        largest = np.array(values, np.float64)
        self.comm.Allreduce(MPI.IN_PLACE, largest, op=MPI.MAX)
        return largest

    def largest(self, values: list[float]) -> list[float]:
        """Return, for each number in a list, the largest value over all processes."""
        return values if self.size == 1 else list(map(float, self.maximum(np.array(values, np.float64))))

    def largest_of(self, value: float) -> float:
        """Return the largest value over all processes, or inf if the value on any process is not finite."""
        return self.largest([float(value) if np.isfinite(value) else np.inf])[0]

    def any(self, here: bool) -> bool:
        """Return whether a condition holds on any process. See `allgather`."""
        return self.largest([float(here)])[0] > 0.0

    def all(self, here: bool) -> bool:
        """Return whether a condition holds on all processes. See `allgather`."""
        return not self.any(not here)

    def agree(self, error: WindlassError | None) -> None:
        """Raise an error on all processes if at least one process passes an error. If several processes pass errors,
        the error of the process with the lowest rank is raised.
        """
        if self.size > 1:
            error = next((found for found in self.allgather("errors", error) if found is not None), None)
        if error is not None:
            raise error

    def _check(self, what: str) -> None:
        if self._alone:
            raise ModelError(
                f"{what}: requires all processes, but {self._alone[-1]} runs on this process alone: must read only "
                "local rows, by LocalRows.local(name) or EntityTable.local(name, rows)"
            )
        if self.announce is not None:
            self.announce(self.comm, what)


def join_rows(
    parts: Sequence[tuple[IntArray, NDArray[Any] | None]], count: int, fill: float = 0.0, summed: bool = False
) -> NDArray[Any]:
    """Join the rows of several processes to one array.

    Args:
        parts: for each process, the indices of its rows in the joined array, shape (k,), and the values of these rows,
            shape (k, ...). The values are None for a process without rows. If the rows of the processes have
            different numbers of entries, shorter rows are padded.
        count: number of rows.
        fill: value with which shorter rows are padded.
        summed: whether the values that several processes give for one row are added. Otherwise, the values of the last
            of these processes are used.

    Returns:
        Array of shape (count, ...).
    """
    known = [(rows, values) for rows, values in parts if values is not None]
    shape = tuple(np.max([values.shape[1:] for _, values in known], axis=0, initial=0).astype(int).tolist())
    joined = np.full((count, *shape), 0.0 if summed else fill, np.result_type(*(values for _, values in known)))
    for rows, values in known:
        where: Any = (rows, *(slice(0, width) for width in values.shape[1:]))
        if summed:
            joined[where] += values
        else:
            joined[where] = values
    return joined
