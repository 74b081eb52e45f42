"""Kernels of `Cable3D` for any integration rule, with loops over the integration points.

gauss.py describes the method, and lobatto3d.py contains the kernels for rule 2. The module points3d.py contains the
equations at a single point and the symbols p and k. The module points.py defines the symbols e, s0 and s1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements.cable.lanes import (
    WORK_3D,
    Lanes,
    gather,
    read_given,
    scatter_forces,
    scatter_matrices,
    take_quantities,
)
from windlass.elements.cable.lobatto3d import read_slopes, read_vector
from windlass.elements.cable.mass import add_inertia, add_mass
from windlass.elements.cable.points import Rule
from windlass.elements.cable.points3d import Blocks, Nine, axial_block, axial_force, bending_blocks, bending_force
from windlass.elements.nodes.vectors import Vector, combine
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Slots


@kernel(inline=True)
def interpolate(P: FloatArray, scale: float, e: Vector, s0: Vector, s1: Vector) -> Vector:
    """Return scale (P0 e + P1 s0 + P2 s1), shape (3,)."""
    return combine(scale, combine(P[0], e, P[1], s0), scale * P[2], s1)


@kernel(inline=True)
def add_vector(to: int, w: float, a: Vector, k: int, sums: FloatArray) -> None:
    """Add the vector w a to three elements of ``sums``, beginning with the element ``to``, for the cable in lane k."""
    sums[to, k] += w * a[0]
    sums[to + 1, k] += w * a[1]
    sums[to + 2, k] += w * a[2]


@kernel
def residual_gauss(c: Lanes, r: Rule, x: FloatArray, v: FloatArray, a: FloatArray, mass: float, f: FloatArray) -> None:
    """Add the forces [N, N m] of any integration rule, and the inertia forces M a, to f."""
    lanes = np.empty(1, WORK_3D)
    axial = len(r.wa)
    for block in range(len(c.given)):
        first, g = block * LANES, lanes[0]
        gather(3, c, first, x, g.coordinates)
        gather(3, c, first, v, g.velocities)
        gather(3, c, first, a, g.accelerations)
        take_quantities(c, block, g)
        for k in range(LANES):
            L, EA, EI, dEA, dEI = read_given(k, g)
            iL = 1.0 / L
            e, s0, s1 = read_slopes(g.coordinates, iL, k)
            et, t0, t1 = read_slopes(g.velocities, iL, k)
            # set the forces on e, s0 and s1 to 0
            for i in range(9):
                g.on_points[i, k] = 0.0
            # axial points
            for j in range(axial):
                p, pt = interpolate(r.Pa[j], 1.0, e, s0, s1), interpolate(r.Pa[j], 1.0, et, t0, t1)
                N = r.wa[j] * L * axial_force(p, pt, EA, dEA, c.given[block, 6 + j, k])
                for i in range(3):
                    add_vector(3 * i, r.Pa[j, i] * N, p, k, g.on_points)
            # bending points
            for j in range(len(r.wb)):
                take_curvature(c, block, 6 + axial + 3 * j, k, g.free)
                p, pt = interpolate(r.Pb[j], 1.0, e, s0, s1), interpolate(r.Pb[j], 1.0, et, t0, t1)
                b, bt = interpolate(r.Kb[j], iL, e, s0, s1), interpolate(r.Kb[j], iL, et, t0, t1)
                on_p, on_k = bending_force(p, b, pt, bt, EI, dEI, read_vector(g.free, 0, k))
                for i in range(3):
                    add_vector(3 * i, r.wb[j] * L * r.Pb[j, i], on_p, k, g.on_points)
                    add_vector(3 * i, r.wb[j] * r.Kb[j, i], on_k, k, g.on_points)
            # forces on the coordinates, with e = (r1 - r0)/L, and inertia forces
            for i in range(3):
                g.forces[i, k], g.forces[6 + i, k] = -iL * g.on_points[i, k], iL * g.on_points[i, k]
                g.forces[3 + i, k], g.forces[9 + i, k] = g.on_points[3 + i, k], g.on_points[6 + i, k]
            add_inertia(3, mass, k, g)
        scatter_forces(3, c, first, g, f)


@kernel(inline=True)
def take_curvature(c: Lanes, block: int, place: int, k: int, free: FloatArray) -> None:
    """Copy the stress-free curvature at a point of the cable in lane k to column k of ``free``."""
    for i in range(3):
        free[i, k] = c.given[block, place + i, k]


@kernel(inline=True)
def add_entries(to: int, w: float, A: Nine, k: int, sums: FloatArray) -> None:
    """Add the matrix w A to nine elements of ``sums``, beginning with the element ``to``, for the cable in lane k."""
    add_vector(to, w, (A[0], A[1], A[2]), k, sums)
    add_vector(to + 3, w, (A[3], A[4], A[5]), k, sums)
    add_vector(to + 6, w, (A[6], A[7], A[8]), k, sums)


@kernel(inline=True)
def add_bending(to: int, P: float, K: float, Q: float, R: float, B: Blocks, k: int, sums: FloatArray) -> None:
    """Add PQ pp + PR pk + KQ kp + KR kk to nine elements of ``sums``, beginning with the element ``to``, for the cable
    in lane k. B = (pp, pk, kp, kk) contains the derivative blocks of a point. See gauss.py for the factors P,
    K, Q and R.
    """
    add_entries(to, P * Q, B[0], k, sums)
    add_entries(to, P * R, B[1], k, sums)
    add_entries(to, K * Q, B[2], k, sums)
    add_entries(to, K * R, B[3], k, sums)


@kernel(inline=True)
def fill_matrix(iL: float, k: int, g: Any) -> None:
    """Fill the element matrix of the cable in lane k. The derivatives with respect to e = (r1 - r0)/L, s0 and s1 are
    converted to derivatives with respect to r0, r0', r1 and r1'.
    """
    for i in range(4):
        u, m = (-iL, 0) if i == 0 else (1.0, 1) if i == 1 else (iL, 0) if i == 2 else (1.0, 2)
        for j in range(4):
            w, n = (-iL, 0) if j == 0 else (1.0, 1) if j == 1 else (iL, 0) if j == 2 else (1.0, 2)
            for a in range(3):
                for b in range(3):
                    to = 12 * (3 * i + a) + 3 * j + b
                    g.matrix[to, k] = u * w * g.sums[27 * m + 9 * n + 3 * a + b, k]


@kernel
def tangent_gauss(
    c: Lanes,
    r: Rule,
    x: FloatArray,
    v: FloatArray,
    dq: float,
    dv: float,
    mass: float,
    slots: Slots,
    values: FloatArray,
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual_gauss`, with the factors dq and dv, and the mass matrix M to the
    values of the matrix.
    """
    lanes = np.empty(1, WORK_3D)
    axial = len(r.wa)
    for block in range(len(c.given)):
        first, g = block * LANES, lanes[0]
        gather(3, c, first, x, g.coordinates)
        gather(3, c, first, v, g.velocities)
        take_quantities(c, block, g)
        for k in range(LANES):
            L, EA, EI, dEA, dEI = read_given(k, g)
            iL = 1.0 / L
            e, s0, s1 = read_slopes(g.coordinates, iL, k)
            et, t0, t1 = read_slopes(g.velocities, iL, k)
            # set the sums over the points to 0
            for i in range(81):
                g.sums[i, k] = 0.0
            # axial points
            for j in range(axial):
                p, pt = interpolate(r.Pa[j], 1.0, e, s0, s1), interpolate(r.Pa[j], 1.0, et, t0, t1)
                w = r.wa[j] * L
                A = axial_block(p, pt, EA, dEA, c.given[block, 6 + j, k], w * dq, w * dv)
                for m in range(3):
                    for n in range(3):
                        add_entries(27 * m + 9 * n, r.Pa[j, m] * r.Pa[j, n], A, k, g.sums)
            # bending points
            for j in range(len(r.wb)):
                take_curvature(c, block, 6 + axial + 3 * j, k, g.free)
                p, pt = interpolate(r.Pb[j], 1.0, e, s0, s1), interpolate(r.Pb[j], 1.0, et, t0, t1)
                b, bt = interpolate(r.Kb[j], iL, e, s0, s1), interpolate(r.Kb[j], iL, et, t0, t1)
                w = r.wb[j] * L
                B = bending_blocks(p, b, pt, bt, w * EI, w * dEI, read_vector(g.free, 0, k), dq, dv)
                for m in range(3):
                    for n in range(3):
                        P, K, Q, R = r.Pb[j, m], iL * r.Kb[j, m], r.Pb[j, n], iL * r.Kb[j, n]
                        add_bending(27 * m + 9 * n, P, K, Q, R, B, k, g.sums)
            # element matrix with respect to the coordinates, and mass matrix
            fill_matrix(iL, k, g)
            for i in range(3):
                add_mass(3, i, mass, k, g)
        scatter_matrices(3, c, first, g.matrix, slots, values)
