"""Energies of stretching and bending of 2D and 3D cables, and the powers that damping dissipates.

The kernels use vectors with three components. In 2D the component z is 0. See points.py for the symbols.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from windlass.elements.cable.lanes import Lanes, RuleRows, gather
from windlass.elements.cable.points import Rule
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES, lane_type

Vectors = tuple[Vector, Vector, Vector]


@kernel(inline=True)
def read_vector(d: int, n: IntArray, i: int, x: FloatArray) -> Vector:
    """Read vector i of a row in d dimensions. The vectors i = 0 to 3 are r0, r0', r1 and r1'. The array n contains the
    coordinate indices of the row. In 2D the z component is 0.
    """
    # the code contains no branch, because with a branch numba would count references to the arrays
    return x[n[d * i]], x[n[d * i + 1]], (d - 2) * x[n[d * i + d - 1]]


@kernel(inline=True)
def read_vectors(d: int, n: IntArray, iL: float, x: FloatArray) -> Vectors:
    """Return e, s0 and s1 of a row (see points.py). If x contains velocities, return the rates of these vectors. The
    argument iL is 1/L.
    """
    e = combine(iL, read_vector(d, n, 2, x), -iL, read_vector(d, n, 0, x))
    return e, read_vector(d, n, 1, x), read_vector(d, n, 3, x)


@kernel(inline=True)
def mix(P: Vector, scale: float, z: Vectors) -> Vector:
    """Return ``scale`` (P_0 e + P_1 s0 + P_2 s1), where z = (e, s0, s1)."""
    return combine(scale, combine(P[0], z[0], P[1], z[1]), scale * P[2], z[2])


@kernel(inline=True)
def sum_vectors(P: FloatArray, j: int, scale: float, z: Vectors) -> Vector:
    """Return ``scale`` (P_j0 e + P_j1 s0 + P_j2 s1), where z = (e, s0, s1)."""
    return mix((P[j, 0], P[j, 1], P[j, 2]), scale, z)


@kernel(inline=True)
def bending_rate(p: Vector, k: Vector, pt: Vector, kt: Vector) -> Vector:
    """Return the rate of the curvature (p × k)/p², from the rates of p and k."""
    ig = 1.0 / dot(p, p)
    ht = combine(ig, cross(pt, k), ig, cross(p, kt))
    return combine(1.0, ht, -2.0 * ig * ig * dot(p, pt), cross(p, k))


@kernel
def fill_energies(c: RuleRows, r: Rule, x: FloatArray, v: FloatArray, energies: FloatArray, powers: FloatArray) -> None:
    """Add the strain energies [J] of stretching and of bending to ``energies``, and the powers [W] that axial and
    bending damping dissipate to ``powers``. Both arrays have the shape (2, rows).

    The energies are evaluated at the points of the integration rule. Therefore the gradient of the sum of both energies
    is equal to the residual without damping. If ``powers`` is empty, only the energies are computed.
    """
    d = c.dofs.shape[1] // 4
    for i in range(len(c.rows)):
        row = c.rows[i]
        L, at = row.length, row.place
        damped = len(powers) > 0 and (row.axial_damping != 0.0 or row.bending_damping != 0.0)
        iL = 1.0 / L
        z, zt = read_vectors(d, c.dofs[i], iL, x), read_vectors(d, c.dofs[i], iL, v)
        for j in range(len(r.wa)):
            p = sum_vectors(r.Pa, j, 1.0, z)
            stretch = sqrt(dot(p, p))
            strain = stretch - 1.0 - c.strain[i, j]
            energies[0, at] += 0.5 * r.wa[j] * L * row.axial_stiffness * strain * strain
            if damped:
                rate = dot(p, sum_vectors(r.Pa, j, 1.0, zt)) / stretch
                powers[0, at] += r.wa[j] * L * row.axial_damping * rate * rate
        for j in range(len(r.wb)):
            p, k = sum_vectors(r.Pb, j, 1.0, z), sum_vectors(r.Kb, j, iL, z)
            ig, h = 1.0 / dot(p, p), cross(p, k)
            # components of the stress-free curvature; in 2D only about z
            fx, fy, fz = 0.0, 0.0, c.curvature[i, j, 0]
            if d == 3:
                fx, fy, fz = c.curvature[i, j, 0], c.curvature[i, j, 1], c.curvature[i, j, 2]
            bend = combine(ig, h, -1.0, (fx, fy, fz))
            energies[1, at] += 0.5 * r.wb[j] * L * row.bending_stiffness * dot(bend, bend)
            if damped:
                rates = bending_rate(p, k, sum_vectors(r.Pb, j, 1.0, zt), sum_vectors(r.Kb, j, iL, zt))
                powers[1, at] += r.wb[j] * L * row.bending_damping * dot(rates, rates)


POWER_LANES = lane_type(
    "length", "axial_damping", "bending_damping", "axial", "bending", coordinates=12, velocities=12, others=12
)
"""Record type of the data of eight cables: parameters, both dissipated powers, coordinates, and the velocities v and w
of `add_powers`. In 2D, only the first 8 rows of coordinates and velocities are used.
"""


@kernel(inline=True)
def read_lane(d: int, k: int, iL: float, x: FloatArray) -> Vectors:
    """Return e, s0 and s1 of the cable in lane k, as `read_vectors` does."""
    if d == 2:
        e = combine(iL, (x[4, k], x[5, k], 0.0), -iL, (x[0, k], x[1, k], 0.0))
        return e, (x[2, k], x[3, k], 0.0), (x[6, k], x[7, k], 0.0)
    e = combine(iL, (x[6, k], x[7, k], x[8, k]), -iL, (x[0, k], x[1, k], x[2, k]))
    return e, (x[3, k], x[4, k], x[5, k]), (x[9, k], x[10, k], x[11, k])


@kernel(inline=True)
def add_powers(d: int, c: Lanes, r: Rule, x: FloatArray, v: FloatArray, w: FloatArray, powers: FloatArray) -> None:
    """For each row, add the dissipated powers at the velocities v, and subtract the dissipated powers at the velocities
    w. The results are added to ``powers``, shape (2, rows). The number of dimensions d must be a constant.
    """
    lanes = np.zeros(1, POWER_LANES)
    g = lanes[0]
    for block in range(len(c.given)):
        stretches, bends = False, False
        for k in range(LANES):
            g.length[k] = c.given[block, 0, k]
            g.axial_damping[k], g.bending_damping[k] = c.given[block, 3, k], c.given[block, 4, k]
            g.axial[k], g.bending[k] = 0.0, 0.0
            stretches |= g.axial_damping[k] != 0.0
            bends |= g.bending_damping[k] != 0.0
        if not (stretches or bends):
            continue
        # copy coordinates and velocities to the lanes
        first = block * LANES
        gather(d, c, first, x, g.coordinates)
        gather(d, c, first, v, g.velocities)
        gather(d, c, first, w, g.others)
        # points of stretching; factors are read before the loops over lanes, which read and write only g
        for j in range(len(r.wa) if stretches else 0):
            P, weight = (r.Pa[j, 0], r.Pa[j, 1], r.Pa[j, 2]), r.wa[j]
            for k in range(LANES):
                L = g.length[k]
                iL = 1.0 / L
                p = mix(P, 1.0, read_lane(d, k, iL, g.coordinates))
                along = dot(p, mix(P, 1.0, read_lane(d, k, iL, g.velocities)))
                other = dot(p, mix(P, 1.0, read_lane(d, k, iL, g.others)))
                g.axial[k] += weight * L * g.axial_damping[k] * ((along * along - other * other) / dot(p, p))
        # points of bending
        for j in range(len(r.wb) if bends else 0):
            P, K, weight = (r.Pb[j, 0], r.Pb[j, 1], r.Pb[j, 2]), (r.Kb[j, 0], r.Kb[j, 1], r.Kb[j, 2]), r.wb[j]
            for k in range(LANES):
                L = g.length[k]
                iL = 1.0 / L
                z, zv = read_lane(d, k, iL, g.coordinates), read_lane(d, k, iL, g.velocities)
                zw = read_lane(d, k, iL, g.others)
                p, h = mix(P, 1.0, z), mix(K, iL, z)
                rates = bending_rate(p, h, mix(P, 1.0, zv), mix(K, iL, zv))
                others = bending_rate(p, h, mix(P, 1.0, zw), mix(K, iL, zw))
                g.bending[k] += weight * L * g.bending_damping[k] * (dot(rates, rates) - dot(others, others))
        # add the powers to the rows
        for k in range(min(LANES, len(c.row) - first)):
            powers[0, c.row[first + k]] += g.axial[k]
            powers[1, c.row[first + k]] += g.bending[k]


@kernel
def fill_powers_2d(c: Lanes, r: Rule, x: FloatArray, v: FloatArray, w: FloatArray, powers: FloatArray) -> None:
    """Execute `add_powers` for cables in 2D."""
    add_powers(2, c, r, x, v, w, powers)


@kernel
def fill_powers_3d(c: Lanes, r: Rule, x: FloatArray, v: FloatArray, w: FloatArray, powers: FloatArray) -> None:
    """Execute `add_powers` for cables in 3D."""
    add_powers(3, c, r, x, v, w, powers)
