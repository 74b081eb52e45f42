"""Exchange of values between processes by a distributed table of keys and values. The key of a value is an integer.
Each process stores only the values of a range of keys.

First, each process sends its values to other processes. The process that stores the range of a key receives the values
of this key. Then each process requests values by their keys, and receives these values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.parallel.processes import Processes

BLOCK = 1 << 17
"""Largest number of values in one message. This limit bounds the memory of messages."""


def share(
    processes: Processes,
    count: int,
    numbers: IntArray,
    values: NDArray[Any],
    wanted: IntArray,
    join: np.ufunc = np.maximum,
    start: float = -1,
    before: bool = False,
) -> NDArray[Any]:
    """Return the values of the keys that this process requests, shape (m, ...). The call is collective.

    Args:
        processes: the processes that exchange values.
        count: number of possible keys, the integers from 0 to count - 1.
        numbers: keys of the values that this process sends, shape (k,).
        values: values that this process sends, integers or floats, shape (k, ...).
        wanted: keys of the values that this process requests, shape (m,).
        join: operation that combines the values that several processes send for one key.
        start: value of keys for which no process sends a value. This value must be the neutral element of ``join``.
        before: whether to return, for each key, the sum of the values of all smaller keys. Otherwise, the value of the
            key is returned.
    """
    comm = processes.comm
    least = [-(-count * rank // comm.size) for rank in range(comm.size + 1)]
    first, end = least[comm.rank], least[comm.rank + 1]
    kept = np.full((end - first, *values.shape[1:]), start, values.dtype)
    for block in _blocks(processes, len(numbers)):
        order, out, into = _address(processes, numbers[block], count)
        came = _send(comm, numbers[block][order], out, into)
        join.at(kept, came - first, _send(comm, values[block][order], out, into))
    if before:
        sums = np.cumsum(kept, axis=0)
        totals = processes.allgather("sums", sums[-1] if len(sums) else np.zeros(values.shape[1:], values.dtype))
        kept = sums - kept + sum(totals[: comm.rank])
    result = np.empty((len(wanted), *values.shape[1:]), values.dtype)
    for block in _blocks(processes, len(wanted)):
        order, out, into = _address(processes, wanted[block], count)
        asked = _send(comm, wanted[block][order], out, into)
        result[block][order] = _send(comm, kept[asked - first], into, out)
    return result


def _blocks(processes: Processes, length: int) -> Iterator[slice]:
    """Return slices that divide an array into several messages. The number of slices is equal on all processes."""
    for begin in range(0, max(processes.allgather("numbers", length)), BLOCK):
        yield slice(begin, begin + BLOCK)


def _address(processes: Processes, numbers: IntArray, count: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return three arrays. The first array contains the indices that sort the keys ``numbers`` by the process that
    stores the key. The second and the third array contain the numbers of rows to send to each process and to receive
    from each process.
    """
    keeper = numbers * processes.size // max(count, 1)
    out = np.bincount(keeper, minlength=processes.size)
    into = np.array(processes.exchange("numbers", out.tolist()), np.int64)
    return np.argsort(keeper, kind="stable"), out, into


def _send(comm: Any, values: NDArray[Any], out: IntArray, into: IntArray) -> NDArray[Any]:
    """Send a part of the rows to each process, and return the rows that all processes have sent to this process."""
    width = int(np.prod(values.shape[1:]))
    result = np.empty((int(into.sum()), *values.shape[1:]), values.dtype)
    comm.Alltoallv([np.ascontiguousarray(values), (out * width).tolist()], [result, (into * width).tolist()])
    return result
