"""Tensions of what carries force along an axis: by these numbers solvers see whether a tension leaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


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


@kernel
def find_largest_wave(dofs: IntArray, impedance: FloatArray, x: FloatArray, v: FloatArray) -> float:
    """The largest force of a wave, sqrt(EA rhoA) w, with the speed w against the mean motion of all rows along their
    axes [N]; arguments of `Pulls`, coordinates and velocities, shape (n + 1,)."""
    d, mean, largest = dofs.shape[1] // 2, 0.0, 0.0
    # the speed with which they run along themselves
    for i in range(len(dofs)):
        along, square = 0.0, 0.0
        for e in range(d):
            s = x[dofs[i, d + e]]
            along, square = along + s * v[dofs[i, e]], square + s * s
        mean += along / sqrt(max(square, 1e-300))
    mean /= max(len(dofs), 1)
    # what is left of that of the first end of each row
    for i in range(len(dofs)):
        square, fast = 0.0, 0.0
        for e in range(d):
            square += x[dofs[i, d + e]] ** 2
        share = mean / sqrt(max(square, 1e-300))
        for e in range(d):
            fast += (v[dofs[i, e]] - share * x[dofs[i, d + e]]) ** 2
        largest = max(largest, impedance[i] * sqrt(fast))
    return largest
