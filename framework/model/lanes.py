"""Lanes: records of eight rows side by side, which kernels process by vector instructions.

See docs/explanation/design.md, Lanes. Each field of a record has eight numbers, ``g.radius[k]``, or a multiple of
eight, ``g.forces[j, k]``. A kernel makes an array of one record before its loop and accesses the record inside of the
loop, because a record does not keep its array alive:

    lanes = np.zeros(1, TYPE)
    for first in range(0, total, LANES):
        g = lanes[0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.model.rows import record_type

LANES = 8
"""Number of rows that kernels evaluate side by side; smaller numbers and much larger numbers are slower."""


def lane_type(*names: str, **counts: int) -> np.dtype[Any]:
    """The type of records with the fields ``names`` of eight numbers, and the fields ``counts`` of a multiple of
    eight."""
    shapes = {name: (LANES,) for name in names} | {name: (count, LANES) for name, count in counts.items()}
    return record_type({name: np.dtype((np.float64, shape)) for name, shape in shapes.items()})
