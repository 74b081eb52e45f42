"""Checks of the size of a model. Before memory for rows and coordinates is allocated, these functions check that the
machine has enough memory.
"""

from __future__ import annotations

import os
from functools import cache

from windlass.framework.errors import ModelError, WindlassError

MOST_ROWS = 2**31 - 1
"""Largest number of rows or coordinates. The limit exists because PETSc and MPI use 32-bit integers."""


@cache
def memory() -> int:
    """Return the main memory [bytes] of this machine, or 8 * MOST_ROWS if the operating system does not report the
    memory.
    """
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return 8 * MOST_ROWS


def check_room(count: int, bytes_each: int, given: str, error: type[WindlassError] = ModelError) -> None:
    """Raise an error if the number of rows exceeds `MOST_ROWS`, or if the rows need more memory than this machine has.

    Args:
        count: number of rows.
        bytes_each: smallest memory [bytes] that each row needs.
        given: description of the argument in the message, such as ``"elements = 10000000000 in straight_cable"``.
        error: class of the error.

    Raises:
        WindlassError: the number of rows is too large. The message states the largest allowed number and the reason.
    """
    fitting = memory() // bytes_each
    if count > MOST_ROWS:
        raise error(f"{given}: must be <= {MOST_ROWS}, the largest number that PETSc and MPI support")
    if count > fitting:
        need, have = count * bytes_each / 2**30, memory() / 2**30
        raise error(
            f"{given}: must be <= {fitting}, because {count} items of at least {bytes_each} bytes need {need:.3g} GiB, "
            f"and this machine has {have:.3g} GiB of memory"
        )
