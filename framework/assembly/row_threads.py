"""Several threads for the rows of one table: which rows may run side by side, and the threads that run them.

Rows add to forces and matrix values of their coordinates, so two threads may not have rows that share one.  Each thread
gets a range of rows; the rows at the borders, with a coordinate that another range has too, run afterwards, by
themselves.  Sums have another order than with one thread, so results differ in their last digits, but are the same in
each run with the same number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.command_line import options

SMALLEST = 5000
"""Rows of a range below which starting a thread (20 us) costs more than it saves."""


def split_rows(dofs: IntArray, spare: int) -> list[IntArray]:
    """Rows in sets that may run side by side, and as the last one those that must not.

    Args:
        dofs: local coordinate numbers of the rows, shape (rows, n).
        spare: the number that stands for none.

    Returns:
        Row numbers; only one set if there is one thread, or if there are few rows.
    """
    rows = np.arange(len(dofs))
    count = min(options.thread_count(), len(dofs) // SMALLEST)
    if count <= 1:
        return [rows]
    part = rows * count // len(rows)
    size = max(spare, int(dofs.max())) + 1
    first, last = np.full(size, count), np.full(size, -1)
    np.minimum.at(first, dofs, part[:, None])
    np.maximum.at(last, dofs, part[:, None])
    shared = first != last
    shared[spare] = False  # what is added there is never read
    inside = ~shared[dofs].any(axis=1)
    return [rows[inside & (part == k)] for k in range(count)] + [rows[~inside]]


def run_sets(tasks: Sequence[Callable[[], object]]) -> None:
    """Run one task for each of the sets of `split_rows`; compiled kernels do not hold the interpreter's lock."""
    *tasks, last = tasks
    # the first one runs in this thread
    running = [_pool(len(tasks) - 1).submit(task) for task in tasks[1:]]
    for task in tasks[:1]:
        task()
    for other in running:
        other.result()
    last()


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    """The threads beside the present one, kept until the process ends."""
    return ThreadPoolExecutor(count, thread_name_prefix="windlass")
