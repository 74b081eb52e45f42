"""Lanes: records of eight rows side by side, which kernels process by vector instructions.

See docs/explanation/design.md, Lanes.  Each field of a record has eight numbers, ``g.radius[k]``, or several times
eight, ``g.forces[j, k]``.  A kernel makes an array of one record before its loop and takes the record inside of it,
because a record does not keep its array:

    lanes = np.zeros(1, TYPE)
    for first in range(0, total, LANES):
        g = lanes[0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.model.rows import record_type

LANES = 8
"""Rows side by side; fewer, or many more, are slower."""


def lane_type(*names: str, **counts: int) -> np.dtype[Any]:
    """The type of records with fields of eight numbers, ``names``, and of several times eight, ``counts``."""
    shapes = {name: (LANES,) for name in names} | {name: (count, LANES) for name, count in counts.items()}
    return record_type({name: np.dtype((np.float64, shape)) for name, shape in shapes.items()})
