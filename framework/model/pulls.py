"""Tensions of what carries force along an axis: by these numbers solvers see whether a tension leaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windlass.framework.arrays import FloatArray, IntArray


@dataclass
class Pulls:
    """The tensions of the rows of a law on this process.

    Attributes:
        measure: ``(s)`` writes the tensions of the motion in the fields.
        tensions: mean elastic force of each row [N], shape (rows,).
        dofs: local numbers of place and slope at the first end of each row, shape (rows, 2 d).
        impedance: sqrt(EA rhoA) of each row [N s/m], shape (rows,).
        speed: that of waves along the axis, the largest of a row [m/s].
        length: of all rows [m].
        least: what rounding of coordinates may make of a force [N].
        describe: ``(k)`` names row k in words.
    """

    measure: Callable[[Any], Any]
    tensions: FloatArray
    dofs: IntArray
    impedance: FloatArray
    speed: float
    length: float
    least: float
    describe: Callable[[int], str]
