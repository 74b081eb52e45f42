"""Several threads for the rows of one table: selects rows that may run concurrently, and manages their threads.

Rows add to forces and matrix values of their coordinates, so rows of two threads must not share a coordinate. Each
thread gets a range of rows; border rows, which share a coordinate with another range, run afterwards in one thread.
Sums are formed in another order than with one thread: results differ in their last digits, but are identical in each
run with the same number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.command_line import options

SMALLEST = 5000
"""Number of rows below which starting a thread (20 us) costs more than it saves."""


def split_rows(dofs: IntArray, spare: int) -> list[IntArray]:
    """Sets of rows that may be evaluated concurrently; the last set must be evaluated alone.

    Args:
        dofs: local coordinate numbers of the rows, shape (rows, n).
        spare: index that means no coordinate.

    Returns:
        Row numbers of each set; a single set if there is one thread, or if there are few rows.
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
    shared[spare] = False  # sums for the spare coordinate are never read
    inside = ~shared[dofs].any(axis=1)
    return [rows[inside & (part == k)] for k in range(count)] + [rows[~inside]]


def run_sets(tasks: Sequence[Callable[[], object]]) -> None:
    """Run one task for each set of `split_rows`; compiled kernels release the interpreter's lock."""
    *tasks, last = tasks
    # the first set runs in this thread
    running = [_pool(len(tasks) - 1).submit(task) for task in tasks[1:]]
    for task in tasks[:1]:
        task()
    for other in running:
        other.result()
    last()


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    """Additional threads, which live until the process ends."""
    return ThreadPoolExecutor(count, thread_name_prefix="windlass")
