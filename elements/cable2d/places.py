"""Places on the axes of cables and beams, for outputs of rows with records."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.cable2d.outputs import TOLERANCE
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows


def find_places(rows: LocalRows, x: Any) -> FloatArray:
    """Places s = x/L [1], shape (rows, k), of x [m].

    Raises:
        ModelError: places beyond the ends of a cable, or of a wrong shape.
    """
    length: FloatArray = rows.columns["length"][:, None]
    given = read_numbers(0.5 * length if x is None else x)
    count = len(length)
    if given is None or not (given.ndim == 0 or (given.ndim <= 2 and len(given) == count)):
        words = f"must be a number, or of shape ({count},) or ({count}, k)"
        raise ModelError(f"x = {show(x)} m for {rows.table.kind}: {words}")
    places = given.reshape(1, 1) if given.ndim == 0 else given.reshape(count, -1)
    s = np.broadcast_to(places, (count, places.shape[1])) / length
    for row, _ in np.argwhere(~(np.abs(s - 0.5) <= 0.5 + TOLERANCE))[:1]:
        where = f"{rows.table.kind} row {rows.rows[row]}"
        raise ModelError(f"x = {show(x)} m in {where}: must lie from 0 to its length {length[row, 0]:g} m")
    return np.clip(s, 0.0, 1.0)
