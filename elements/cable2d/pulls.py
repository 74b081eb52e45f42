"""Tensions of cables of the plane and in space, by which solvers see whether one leaps; see `Pulls`."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from windlass.elements.cable2d.lanes import EA, FREE, LENGTH
from windlass.elements.cable2d.mass import Inertia
from windlass.elements.cable2d.strands import StrandGroup
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.pulls import PULL, WAVE, Pulls

ROUNDING = 1e-9
"""Strain that rounding of coordinates may make [1]."""


@kernel
def fill_pulls(
    row: IntArray,
    dofs: IntArray,
    L: FloatArray,
    stiffness: FloatArray,
    free: FloatArray,
    P: FloatArray,
    weight: FloatArray,
    x: FloatArray,
    numbers: FloatArray,
) -> None:
    """Mean elastic force of rows of one rule.

    Args:
        row: the rows, shape (k,).
        dofs: of all rows, shape (rows, 4 d).
        L, stiffness, free: length [m], EA [N] and mean strain without force [1], shape (k,).
        P: r' at the points by (r1 - r0)/L and the slopes at both ends, shape (points, 3).
        weight: of the points, shape (points,).
        x: coordinates.
        numbers: of all rows, see `Pulls`.
    """
    d = dofs.shape[1] // 4
    for k in range(len(row)):
        i, stretch = row[k], 0.0
        for j in range(len(weight)):
            square = 0.0
            for e in range(d):
                chord = (x[dofs[i, 2 * d + e]] - x[dofs[i, e]]) / L[k]
                slope = P[j, 0] * chord + P[j, 1] * x[dofs[i, d + e]] + P[j, 2] * x[dofs[i, 3 * d + e]]
                square += slope * slope
            stretch += weight[j] * sqrt(square)
        numbers[i, PULL] = stiffness[k] * (stretch - 1.0 - free[k])


@kernel
def fill_waves(dofs: IntArray, impedance: FloatArray, x: FloatArray, v: FloatArray, numbers: FloatArray) -> None:
    """The forces of waves of all rows; impedance: sqrt(EA rhoA) [N s/m], shape (rows,)."""
    d, mean = dofs.shape[1] // 4, 0.0
    # the speed with which they run along themselves
    for i in range(len(dofs)):
        along, square = 0.0, 0.0
        for e in range(d):
            s = x[dofs[i, d + e]]
            along, square = along + s * v[dofs[i, e]], square + s * s
        mean += along / sqrt(max(square, 1e-300))
    mean /= max(len(dofs), 1)
    # what is left of that of the first node of each row
    for i in range(len(dofs)):
        square, fast = 0.0, 0.0
        for e in range(d):
            square += x[dofs[i, d + e]] ** 2
        share = mean / sqrt(max(square, 1e-300))
        for e in range(d):
            fast += (v[dofs[i, e]] - share * x[dofs[i, d + e]]) ** 2
        numbers[i, WAVE] = impedance[i] * sqrt(fast)


def _measure_group(given: tuple[Any, ...], numbers: FloatArray) -> Call:
    return call(fill_pulls, lambda s: (*given, s.x, numbers))


def watch_pulls(
    groups: list[StrandGroup], inertia: Inertia, stiffness: FloatArray, describe: Callable[[int], str]
) -> Pulls:
    """The tensions of cables whose axial force is that of the linear law.

    Args:
        groups: all rows.
        inertia: of all rows.
        stiffness: EA of all rows [N].
        describe: names a row.
    """
    dofs, numbers, measure = inertia.dofs, np.zeros((len(inertia.dofs), 2)), Call()
    for g in groups:
        free = np.array([g.read(FREE + j) for j in range(len(g.rule.wa))]).T @ g.rule.wa
        given = g.row, dofs, g.read(LENGTH).copy(), g.read(EA).copy(), free, np.array(g.rule.Pa), np.array(g.rule.wa)
        measure += _measure_group(given, numbers)
    impedance, fast = np.sqrt(stiffness * inertia.rho), stiffness / np.maximum(inertia.rho, 1e-300)
    measure += call(fill_waves, lambda s: (dofs, impedance, s.x, s.v, numbers))
    speed, least = float(np.sqrt(fast.max(initial=0.0))), ROUNDING * float(stiffness.max(initial=0.0))
    return Pulls(measure, numbers, speed, float(inertia.L.sum()), least, describe)
