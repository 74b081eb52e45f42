"""Tensions of 2D and 3D cables, in which solvers detect leaps; see `Pulls`."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from windlass.elements.cable2d.lanes import EA, FREE, LENGTH
from windlass.elements.cable2d.mass import Inertia
from windlass.elements.cable2d.strands import StrandGroup
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.pulls import Pulls

ROUNDING = 1e-9
"""Strain that rounding of coordinates may cause [1]."""


@kernel
def fill_pulls(
    row: IntArray,
    dofs: IntArray,
    inverse: FloatArray,
    stiffness: FloatArray,
    free: FloatArray,
    P: FloatArray,
    weight: FloatArray,
    x: FloatArray,
    tensions: FloatArray,
) -> None:
    """Mean elastic force of rows of one rule.

    Args:
        row: the rows, shape (k,).
        dofs: of all rows, shape (rows, 4 d).
        inverse, stiffness, free: 1/L [1/m], EA [N] and mean strain without force [1], shape (k,).
        P: r' at the points by (r1 - r0)/L and the slopes at both ends, shape (points, 3).
        weight: of the points, shape (points,).
        x: coordinates.
        tensions: of all rows [N], shape (rows,).
    """
    d = dofs.shape[1] // 4
    for k in range(len(row)):
        i, stretch = row[k], 0.0
        for j in range(len(weight)):
            square = 0.0
            for e in range(d):
                chord = (x[dofs[i, 2 * d + e]] - x[dofs[i, e]]) * inverse[k]
                slope = P[j, 0] * chord + P[j, 1] * x[dofs[i, d + e]] + P[j, 2] * x[dofs[i, 3 * d + e]]
                square += slope * slope
            stretch += weight[j] * sqrt(square)
        tensions[i] = stiffness[k] * (stretch - 1.0 - free[k])


def measure_group(g: StrandGroup, dofs: IntArray, tensions: FloatArray) -> Call:
    """The call that writes the mean elastic forces of the rows of a group."""
    free = np.array([g.read(FREE + j) for j in range(len(g.rule.wa))]).T @ g.rule.wa
    given = g.row, dofs, 1.0 / g.read(LENGTH), g.read(EA).copy(), free, np.array(g.rule.Pa), np.array(g.rule.wa)
    return call(fill_pulls, lambda s: (*given, s.x, tensions))


def watch_pulls(
    groups: list[StrandGroup], inertia: Inertia, stiffness: FloatArray, describe: Callable[[int], str]
) -> Pulls:
    """The tensions of cables with the linear law of the axial force.

    Args:
        groups: all rows.
        inertia: of all rows.
        stiffness: EA of all rows [N].
        describe: names a row.
    """
    dofs, tensions, measure = inertia.dofs, np.zeros(len(inertia.dofs)), Call()
    for g in groups:
        measure += measure_group(g, dofs, tensions)
    impedance, fast = np.sqrt(stiffness * inertia.rho), stiffness / np.maximum(inertia.rho, 1e-300)
    speed, least = float(np.sqrt(fast.max(initial=0.0))), ROUNDING * float(stiffness.max(initial=0.0))
    first = np.ascontiguousarray(dofs[:, : dofs.shape[1] // 2])
    return Pulls(measure, tensions, first, impedance, speed, float(inertia.L.sum()), least, describe)
