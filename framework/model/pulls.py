"""Tensions of what carries force along an axis: by these numbers solvers see whether a tension leaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windlass.framework.arrays import FloatArray

PULL, WAVE = range(2)
"""Places of the numbers of a row: mean elastic force [N]; the force of a wave, sqrt(EA rhoA) w, with the speed w
against the mean motion of all rows along their axes [N]."""


@dataclass
class Pulls:
    """The tensions of the rows of a law on this process.

    Attributes:
        measure: ``(s)`` writes the numbers of the motion in the fields.
        numbers: shape (rows, 2), see `PULL`.
        speed: that of waves along the axis, the largest of a row [m/s].
        length: of all rows [m].
        least: what rounding of coordinates may make of a force [N].
        describe: ``(k)`` names row k in words.
    """

    measure: Callable[[Any], Any]
    numbers: FloatArray
    speed: float
    length: float
    least: float
    describe: Callable[[int], str]
