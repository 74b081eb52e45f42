"""Lanes: records that contain the data of eight rows, which kernels process by vector instructions.

See docs/explanation/design.md, Lanes. Each field of a record contains one number per row, ``g.radius[k]``, or several
numbers per row, ``g.forces[j, k]``, with k = 0 to 7. A kernel creates an array of one record before its loop, and
accesses the record within the loop, because a record does not hold a reference to its array:

    lanes = np.zeros(1, TYPE)
    for first in range(0, total, LANES):
        g = lanes[0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.model.rows import record_type

LANES = 8
"""Number of rows that kernels evaluate together; smaller numbers and much larger numbers are slower."""


def lane_type(*names: str, **counts: int) -> np.dtype[Any]:
    """Return the type of records with the fields ``names``, of eight numbers each, and the fields in ``counts``, whose
    values are the multiples of eight numbers."""
    shapes = {name: (LANES,) for name in names} | {name: (count, LANES) for name, count in counts.items()}
    return record_type({name: np.dtype((np.float64, shape)) for name, shape in shapes.items()})
