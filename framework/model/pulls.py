"""Tensions of laws that carry force along an axis, from which solvers detect jumps of tension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windlass.framework.arrays import FloatArray, IntArray


@dataclass
class Pulls:
    """The tensions of the rows of a law on this process.

    Attributes:
        measure: ``(s)`` writes the tensions for the motion in the fields.
        tensions: mean elastic force of each row [N], shape (rows,).
        dofs: local numbers of position and slope at the first end of each row, shape (rows, 2 d).
        impedance: sqrt(EA rhoA) of each row [N s/m], shape (rows,).
        speed: largest speed of waves along the axis of a row [m/s].
        length: total length of all rows [m].
        least: largest error of a force that follows from rounding of coordinates [N].
        describe: ``(k)`` describes row k.
    """

    measure: Callable[[Any], Any]
    tensions: FloatArray
    dofs: IntArray
    impedance: FloatArray
    speed: float
    length: float
    least: float
    describe: Callable[[int], str]
