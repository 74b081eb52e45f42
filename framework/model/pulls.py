"""Tensions in the rows of laws with a force along an axis. Solvers use these tensions to detect jumps of tension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from windlass.framework.arrays import FloatArray, IntArray


@dataclass
class Pulls:
    """The tensions of the rows of a law on this process.

    Attributes:
        measure: function ``(s)`` that computes the tensions from the positions in the fields ``s``, and writes the
            tensions to ``tensions``.
        tensions: mean elastic force [N] of each row, shape (rows,).
        dofs: process-local indices of the coordinates (position and slope) at the first end of each row, shape (rows, 2
            d) in d = 2 or 3 dimensions.
        impedance: sqrt(EA rhoA) [N s/m] of each row, with the axial stiffness EA and the mass per length rhoA, shape
            (rows,).
        speed: largest speed [m/s] of waves along the axis of any row.
        length: total length [m] of the cables of all rows.
        least: largest error [N] of a tension due to rounding errors of the coordinates.
        describe: function ``(k)`` that returns a description of row k.
    """

    measure: Callable[[Any], Any]
    tensions: FloatArray
    dofs: IntArray
    impedance: FloatArray
    speed: float
    length: float
    least: float
    describe: Callable[[int], str]
