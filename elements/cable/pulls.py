"""Tensions of 2D and 3D cables. Solvers compare the tensions before and after a step to detect jumps, see `Pulls`."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from windlass.elements.cable.mass import Inertia
from windlass.elements.cable.strands import FREE, StrandGroup
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.pulls import Pulls

ROUNDING = 1e-9
"""Largest strain [1] that rounding errors of coordinates can cause."""


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
    """For cables with the same integration rule, write the mean of the elastic axial force along each cable to
    ``tensions``.

    Args:
        row: indices of these cables, shape (k,).
        dofs: coordinate indices of all cables, shape (rows, 4 d) in d dimensions.
        inverse, stiffness, free: 1/L [1/m], EA [N] and mean stress-free strain [1], shape (k,).
        P: factors of (r1 - r0)/L and of the slopes at both ends in r' at the integration points, shape (points, 3).
        weight: weights of the integration points [1], shape (points,).
        x: coordinates.
        tensions: output, mean forces [N] of all cables, shape (rows,).
    """
    d = dofs.shape[1] // 4
    deep = d == 3
    for k in range(len(row)):
        i, il, stretch = row[k], inverse[k], 0.0
        # components of e = (r1 - r0)/L (ex, ey, ez) and of the slopes s0 (ax, ay, az) and s1 (bx, by, bz)
        ex, ey = (x[dofs[i, 2 * d]] - x[dofs[i, 0]]) * il, (x[dofs[i, 2 * d + 1]] - x[dofs[i, 1]]) * il
        ax, ay, bx, by = x[dofs[i, d]], x[dofs[i, d + 1]], x[dofs[i, 3 * d]], x[dofs[i, 3 * d + 1]]
        ez, az, bz = 0.0, 0.0, 0.0
        if deep:
            ez, az, bz = (x[dofs[i, 8]] - x[dofs[i, 2]]) * il, x[dofs[i, 5]], x[dofs[i, 11]]
        for j in range(len(weight)):
            P0, P1, P2 = P[j, 0], P[j, 1], P[j, 2]
            px, py, pz = P0 * ex + P1 * ax + P2 * bx, P0 * ey + P1 * ay + P2 * by, P0 * ez + P1 * az + P2 * bz
            stretch += weight[j] * sqrt(px * px + py * py + pz * pz)
        tensions[i] = stiffness[k] * (stretch - 1.0 - free[k])


def measure_group(g: StrandGroup, dofs: IntArray, tensions: FloatArray) -> Call:
    """Create the call that computes the mean elastic forces of a group of cables, from two or three integration points.
    This number of points is sufficient to detect jumps.
    """
    rule = g.rule
    free = np.array([g.read(FREE, j) for j in range(len(rule.wa))]).T @ rule.wa
    P, weight = (rule.Pb, rule.wb) if len(rule.wa) > 3 else (rule.Pa, rule.wa)
    given = g.row, dofs, 1.0 / g.read("length"), g.read("axial_stiffness").copy(), free, np.array(P), np.array(weight)
    return call(fill_pulls, lambda s: (*given, s.x, tensions))


def watch_pulls(
    groups: list[StrandGroup], inertia: Inertia, stiffness: FloatArray, describe: Callable[[int], str]
) -> Pulls:
    """Create the `Pulls` of cables with the linear law of the axial force.

    Args:
        groups: groups of cables with the same integration rule. Together, the groups contain all rows.
        inertia: mass data of all rows.
        stiffness: EA [N] of all rows.
        describe: function that describes a row in messages.
    """
    dofs, tensions, measure = inertia.dofs, np.zeros(len(inertia.dofs)), Call()
    for g in groups:
        measure += measure_group(g, dofs, tensions)
    rho, length = inertia.rows["mass_per_length"], float(inertia.rows["length"].sum())
    impedance, fast = np.sqrt(stiffness * rho), stiffness / np.maximum(rho, 1e-300)
    speed, least = float(np.sqrt(fast.max(initial=0.0))), ROUNDING * float(stiffness.max(initial=0.0))
    first = np.ascontiguousarray(dofs[:, : dofs.shape[1] // 2])
    return Pulls(measure, tensions, first, impedance, speed, length, least, describe)
