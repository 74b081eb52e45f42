"""Lanes: records that contain the data of eight rows. Kernels process these eight rows at once by vector instructions.

The section Lanes of docs/explanation/design.md explains this method. Each field of a record g contains one value per
row, ``g.radius[k]``, or several values per row, ``g.forces[j, k]``. The index of the row is k = 0 to 7. A kernel
creates an array of one record before its loop, and accesses the record within the loop. The array must be kept in a
variable, because a record does not keep its array in memory:

    lanes = np.zeros(1, TYPE)
    for first in range(0, total, LANES):
        g = lanes[0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.model.rows import record_type

LANES = 8
"""Number of rows that kernels evaluate together. With fewer rows, or with many more rows, the evaluation is slower."""


def lane_type(*names: str, **counts: int) -> np.dtype[Any]:
    """Return the type of a record with the data of eight rows. Each field in ``names`` contains one number per row.
    Each field in ``counts`` contains the given count of numbers per row.
    """
    shapes = {name: (LANES,) for name in names} | {name: (count, LANES) for name, count in counts.items()}
    return record_type({name: np.dtype((np.float64, shape)) for name, shape in shapes.items()})
