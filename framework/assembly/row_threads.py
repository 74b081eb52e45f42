"""Evaluation of the rows of a table by several threads, and selection of the rows that can be evaluated concurrently.

Each row adds values to the forces and the matrix entries of its coordinates. Rows that two threads evaluate at the same
time must therefore have no coordinate in common. Each thread evaluates a range of rows. If a row shares a coordinate
with a row of another range, one thread evaluates this row after all other threads have finished. The order of
summation, and therefore the rounding errors, depend on the number of threads. Two runs with equal numbers of threads
give identical results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.command_line import options

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

SMALLEST = 5000
"""Smallest number of rows per thread. For fewer rows, the start of a thread (20 us) takes longer than the time that the
thread saves.
"""


def split_rows(dofs: IntArray, spare: int) -> list[IntArray]:
    """Divide rows into sets. All sets except the last can be evaluated concurrently, and the last set must be evaluated
    afterwards.

    Args:
        dofs: process-local indices of the coordinates of the rows, shape (rows, n).
        spare: index in ``dofs`` that stands for a missing coordinate.

    Returns:
        The row numbers of each set, in a list. The result is a single set if the process has one thread, or if there
        are few rows.
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
    shared[spare] = False  # rows may share the spare coordinate, because sums for this coordinate are never read
    inside = ~shared[dofs].any(axis=1)
    return [rows[inside & (part == k)] for k in range(count)] + [rows[~inside]]


def run_sets(tasks: Sequence[Callable[[], object]]) -> None:
    """Run all tasks except the last concurrently, and then run the last task. Each task evaluates one set of rows from
    `split_rows`. The tasks can run concurrently because compiled kernels release the global interpreter lock.
    """
    *tasks, last = tasks
    # The last set is no longer in ``tasks``. This thread evaluates the first set, and additional threads evaluate the
    # other sets.
    running = [_pool(len(tasks) - 1).submit(task) for task in tasks[1:]]
    for task in tasks[:1]:
        task()
    for other in running:
        other.result()
    last()


@cache
def _pool(count: int) -> ThreadPoolExecutor:
    """Return a pool of additional threads, which exists until the process ends."""
    from concurrent.futures import ThreadPoolExecutor  # imported here, because small models need no threads

    return ThreadPoolExecutor(count, thread_name_prefix="windlass")
