"""Kernels of `Cable2D` for any integration rule, with loops over the integration points, and the strain energy of 2D
and 3D cables.

Several cables are evaluated at once, see lanes.py. One kernel evaluates the forces, including mass matrix times
accelerations. Another kernel evaluates tangent and mass matrix. The module points.py contains the equations at a single
point and defines the symbols e, s0, s1, p, k and the forces on these vectors.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from windlass.elements.cable.lanes import (
    WORK_2D,
    Lanes,
    RuleRows,
    gather,
    scatter_forces,
    scatter_matrices,
    take_free,
    take_quantities,
)
from windlass.elements.cable.mass import add_inertia, add_mass
from windlass.elements.cable.points import Blocks, Four, Rule, axial_block, axial_force, bending_blocks, bending_force
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Slots

Vectors = tuple[Vector, Vector, Vector]
R0, S0, R1, S1 = range(0, 8, 2)
"""Indices of the x components of r0, s0 = r0', r1 and s1 = r1' among the coordinates and velocities of an element. Each
y component has the next index.
"""
ON_E, ON_S0, ON_S1 = range(0, 6, 2)
"""Indices of the x components of the forces on e, s0 and s1. Each y component has the next index."""


@kernel(inline=True)
def begin(c: Lanes, block: int, x: FloatArray, v: FloatArray, g: Any) -> None:
    """Read the coordinates, velocities and parameters of a block of cables, and evaluate e and its rate."""
    first = block * LANES
    gather(2, c, first, x, g.coordinates)
    gather(2, c, first, v, g.velocities)
    take_quantities(c, block, g)
    for k in range(LANES):
        iL = 1.0 / g.length[k]
        for d in range(2):
            g.slopes[d, k] = iL * (g.coordinates[R1 + d, k] - g.coordinates[R0 + d, k])
            g.slopes[2 + d, k] = iL * (g.velocities[R1 + d, k] - g.velocities[R0 + d, k])


@kernel(inline=True)
def interpolate(P0: float, P1: float, P2: float, k: int, g: Any) -> Four:
    """Return the components x and y of the vector P0 e + P1 s0 + P2 s1 for the cable in lane k, followed by the
    components x and y of the rate of this vector.
    """
    q, w = g.coordinates, g.velocities
    return (
        P0 * g.slopes[0, k] + P1 * q[S0, k] + P2 * q[S1, k],
        P0 * g.slopes[1, k] + P1 * q[S0 + 1, k] + P2 * q[S1 + 1, k],
        P0 * g.slopes[2, k] + P1 * w[S0, k] + P2 * w[S1, k],
        P0 * g.slopes[3, k] + P1 * w[S0 + 1, k] + P2 * w[S1 + 1, k],
    )


@kernel
def residual_gauss(c: Lanes, p: Rule, x: FloatArray, v: FloatArray, a: FloatArray, mass: float, f: FloatArray) -> None:
    """Add the forces [N, N m] of any integration rule, and the inertia forces M a, to f."""
    lanes = np.empty(1, WORK_2D)
    axial = len(p.wa)
    for block in range(len(c.given)):
        first, g = block * LANES, lanes[0]
        begin(c, block, x, v, g)
        gather(2, c, first, a, g.accelerations)
        for j in range(6):
            for k in range(LANES):
                g.on_points[j, k] = 0.0
        # axial integration points: forces N p
        for j in range(axial):
            P0, P1, P2, w = p.Pa[j, 0], p.Pa[j, 1], p.Pa[j, 2], p.wa[j]
            take_free(c, block, j, 1, g.free)
            for k in range(LANES):
                px, py, ptx, pty = interpolate(P0, P1, P2, k, g)
                # slope p and axial force N
                L, EA, dEA = g.length[k], g.axial_stiffness[k], g.axial_damping[k]
                N = w * L * axial_force(px, py, ptx, pty, EA, dEA, g.free[0, k])
                ax, ay = N * px, N * py
                g.on_points[ON_E, k] += P0 * ax
                g.on_points[ON_E + 1, k] += P0 * ay
                g.on_points[ON_S0, k] += P1 * ax
                g.on_points[ON_S0 + 1, k] += P1 * ay
                g.on_points[ON_S1, k] += P2 * ax
                g.on_points[ON_S1 + 1, k] += P2 * ay
        # bending integration points: forces on p and on k
        for j in range(len(p.wb)):
            P0, P1, P2, w = p.Pb[j, 0], p.Pb[j, 1], p.Pb[j, 2], p.wb[j]
            B0, B1, B2 = p.Kb[j, 0], p.Kb[j, 1], p.Kb[j, 2]
            take_free(c, block, axial + j, 1, g.free)
            for k in range(LANES):
                # p and k with their rates; the factors of k are divided by the length
                L, EI, dEI = g.length[k], g.bending_stiffness[k], g.bending_damping[k]
                iL, wL = 1.0 / L, w * L
                K0, K1, K2 = iL * B0, iL * B1, iL * B2
                px, py, ptx, pty = interpolate(P0, P1, P2, k, g)
                kx, ky, ktx, kty = interpolate(K0, K1, K2, k, g)
                ax, ay, bx, by = bending_force(px, py, kx, ky, ptx, pty, ktx, kty, EI, dEI, g.free[0, k])
                # forces on e, s0 and s1
                g.on_points[ON_E, k] += wL * (P0 * ax + K0 * bx)
                g.on_points[ON_E + 1, k] += wL * (P0 * ay + K0 * by)
                g.on_points[ON_S0, k] += wL * (P1 * ax + K1 * bx)
                g.on_points[ON_S0 + 1, k] += wL * (P1 * ay + K1 * by)
                g.on_points[ON_S1, k] += wL * (P2 * ax + K2 * bx)
                g.on_points[ON_S1 + 1, k] += wL * (P2 * ay + K2 * by)
        # forces on the coordinates, with e = (r1 - r0)/L, and inertia forces
        for k in range(LANES):
            iL = 1.0 / g.length[k]
            for d in range(2):
                on_e = iL * g.on_points[ON_E + d, k]
                g.forces[R0 + d, k], g.forces[R1 + d, k] = -on_e, on_e
                g.forces[S0 + d, k], g.forces[S1 + d, k] = g.on_points[ON_S0 + d, k], g.on_points[ON_S1 + d, k]
            add_inertia(2, mass, k, g)
        scatter_forces(2, c, first, g, f)


@kernel(inline=True)
def add_axial(row: int, P: float, A: Four, k: int, sums: FloatArray) -> None:
    """Add P times the four elements of A to four elements of ``sums``, beginning with the element ``row``, for the
    cable in lane k."""
    sums[row, k] += P * A[0]
    sums[row + 1, k] += P * A[1]
    sums[row + 2, k] += P * A[2]
    sums[row + 3, k] += P * A[3]


@kernel(inline=True)
def add_bending(row: int, P: float, K: float, Q: float, R: float, B: Blocks, k: int, sums: FloatArray) -> None:
    """Add PQ pp + PR pk + KQ kp + KR kk to four elements of ``sums``, beginning with the element ``row``, for the cable
    in lane k. B = (pp, pk, kp, kk) contains the derivative blocks of a point. One of the vectors e, s0, s1 has the
    factor P in p and the factor K in k. The same or another of these vectors has the factor Q in p and the factor R in
    k.
    """
    PQ, PR, KQ, KR = P * Q, P * R, K * Q, K * R
    sums[row, k] += PQ * B[0][0] + PR * B[1][0] + KQ * B[2][0] + KR * B[3][0]
    sums[row + 1, k] += PQ * B[0][1] + PR * B[1][1] + KQ * B[2][1] + KR * B[3][1]
    sums[row + 2, k] += PQ * B[0][2] + PR * B[1][2] + KQ * B[2][2] + KR * B[3][2]
    sums[row + 3, k] += PQ * B[0][3] + PR * B[1][3] + KQ * B[2][3] + KR * B[3][3]


@kernel(inline=True)
def fill_block(a: int, b: int, iL: float, k: int, g: Any) -> None:
    """Fill the elements (a + 2i, b + 2j) of the element matrix of the cable in lane k from the sums over the points,
    with e = (r1 - r0)/L.
    """
    j, sums, M = 2 * a + b, g.sums, g.matrix
    ee, e0, e1 = iL * iL * sums[j, k], iL * sums[j + 4, k], iL * sums[j + 8, k]
    oe, ie = iL * sums[j + 12, k], iL * sums[j + 24, k]
    to = 8 * a + b
    M[to, k], M[to + 2, k], M[to + 4, k], M[to + 6, k] = ee, -e0, -ee, -e1
    to += 16
    M[to, k], M[to + 2, k], M[to + 4, k], M[to + 6, k] = -oe, sums[j + 16, k], oe, sums[j + 20, k]
    to += 16
    M[to, k], M[to + 2, k], M[to + 4, k], M[to + 6, k] = -ee, e0, ee, e1
    to += 16
    M[to, k], M[to + 2, k], M[to + 4, k], M[to + 6, k] = -ie, sums[j + 28, k], ie, sums[j + 32, k]


@kernel
def tangent_gauss(
    c: Lanes,
    p: Rule,
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
    lanes = np.empty(1, WORK_2D)
    axial = len(p.wa)
    for block in range(len(c.given)):
        g = lanes[0]
        begin(c, block, x, v, g)
        for j in range(36):
            for k in range(LANES):
                g.sums[j, k] = 0.0
        # axial integration points: derivatives of the force on r' with respect to r' and its rate
        for j in range(axial):
            P0, P1, P2, w = p.Pa[j, 0], p.Pa[j, 1], p.Pa[j, 2], p.wa[j]
            take_free(c, block, j, 1, g.free)
            for k in range(LANES):
                L, EA, dEA = g.length[k], g.axial_stiffness[k], g.axial_damping[k]
                wL = w * L
                px, py, ptx, pty = interpolate(P0, P1, P2, k, g)
                A = axial_block(px, py, ptx, pty, EA, dEA, g.free[0, k], wL * dq, wL * dv)
                # derivatives of the forces on e, s0 and s1 with respect to e, s0 and s1
                add_axial(0, P0 * P0, A, k, g.sums)
                add_axial(4, P0 * P1, A, k, g.sums)
                add_axial(8, P0 * P2, A, k, g.sums)
                add_axial(12, P1 * P0, A, k, g.sums)
                add_axial(16, P1 * P1, A, k, g.sums)
                add_axial(20, P1 * P2, A, k, g.sums)
                add_axial(24, P2 * P0, A, k, g.sums)
                add_axial(28, P2 * P1, A, k, g.sums)
                add_axial(32, P2 * P2, A, k, g.sums)
        # integration points of bending: derivatives, with respect to p and k, of the generalised forces conjugate to
        # p and k
        for j in range(len(p.wb)):
            P0, P1, P2, w = p.Pb[j, 0], p.Pb[j, 1], p.Pb[j, 2], p.wb[j]
            B0, B1, B2 = p.Kb[j, 0], p.Kb[j, 1], p.Kb[j, 2]
            take_free(c, block, axial + j, 1, g.free)
            for k in range(LANES):
                # p, k and their rates at the point, and the derivative blocks pp, pk, kp and kk
                L, EI, dEI = g.length[k], g.bending_stiffness[k], g.bending_damping[k]
                iL, wL = 1.0 / L, w * L
                K0, K1, K2 = iL * B0, iL * B1, iL * B2
                px, py, ptx, pty = interpolate(P0, P1, P2, k, g)
                kx, ky, ktx, kty = interpolate(K0, K1, K2, k, g)
                B = bending_blocks(px, py, kx, ky, ptx, pty, ktx, kty, wL * EI, wL * dEI, g.free[0, k], dq, dv)
                # derivatives of the forces on e, s0 and s1 with respect to e, s0 and s1
                add_bending(0, P0, K0, P0, K0, B, k, g.sums)
                add_bending(4, P0, K0, P1, K1, B, k, g.sums)
                add_bending(8, P0, K0, P2, K2, B, k, g.sums)
                add_bending(12, P1, K1, P0, K0, B, k, g.sums)
                add_bending(16, P1, K1, P1, K1, B, k, g.sums)
                add_bending(20, P1, K1, P2, K2, B, k, g.sums)
                add_bending(24, P2, K2, P0, K0, B, k, g.sums)
                add_bending(28, P2, K2, P1, K1, B, k, g.sums)
                add_bending(32, P2, K2, P2, K2, B, k, g.sums)
        # element matrix for the component pairs xx, xy, yx, yy, and mass matrix
        for k in range(LANES):
            iL = 1.0 / g.length[k]
            fill_block(0, 0, iL, k, g)
            fill_block(0, 1, iL, k, g)
            fill_block(1, 0, iL, k, g)
            fill_block(1, 1, iL, k, g)
            add_mass(2, 0, mass, k, g)
            add_mass(2, 1, mass, k, g)
        scatter_matrices(2, c, block * LANES, g.matrix, slots, values)


@kernel(inline=True)
def read_vector(d: int, n: IntArray, i: int, x: FloatArray) -> Vector:
    """Read vector i of a row in d dimensions, from r0, r0', r1, r1' for i = 0 to 3. The array n contains the coordinate
    indices of the row. In 2D the z component is 0.
    """
    # no branch is used, because with a branch the compiled code would count references to the arrays
    return x[n[d * i]], x[n[d * i + 1]], (d - 2) * x[n[d * i + d - 1]]


@kernel(inline=True)
def read_vectors(d: int, n: IntArray, iL: float, x: FloatArray) -> Vectors:
    """Return e, s0 and s1 of a row. If x contains velocities, return the rates of these vectors. The argument iL is
    1/L."""
    e = combine(iL, read_vector(d, n, 2, x), -iL, read_vector(d, n, 0, x))
    return e, read_vector(d, n, 1, x), read_vector(d, n, 3, x)


@kernel(inline=True)
def sum_vectors(P: FloatArray, j: int, scale: float, z: Vectors) -> Vector:
    """Return the sum of the vectors z = (e, s0, s1), multiplied by the three factors in row j of P, times ``scale``."""
    return combine(scale, combine(P[j, 0], z[0], P[j, 1], z[1]), scale * P[j, 2], z[2])


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

    The energies are evaluated at the points of the integration rule, so the gradients of the energies are the residual
    without damping. If ``powers`` is empty, only the energies are computed.
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


@kernel
def fill_powers(c: RuleRows, r: Rule, x: FloatArray, v: FloatArray, w: FloatArray, powers: FloatArray) -> None:
    """Add the powers of `fill_energies` for the velocities v, minus the powers for the velocities w, shape (2,
    rows)."""
    d = c.dofs.shape[1] // 4
    for i in range(len(c.rows)):
        row = c.rows[i]
        if row.axial_damping == 0.0 and row.bending_damping == 0.0:
            continue
        L, at = row.length, row.place
        iL = 1.0 / L
        z, zv, zw = (
            read_vectors(d, c.dofs[i], iL, x), read_vectors(d, c.dofs[i], iL, v), read_vectors(d, c.dofs[i], iL, w)
        )  # fmt: skip
        for j in range(len(r.wa) if row.axial_damping != 0.0 else 0):
            p = sum_vectors(r.Pa, j, 1.0, z)
            along, other = dot(p, sum_vectors(r.Pa, j, 1.0, zv)), dot(p, sum_vectors(r.Pa, j, 1.0, zw))
            square = (along * along - other * other) / dot(p, p)
            powers[0, at] += r.wa[j] * L * row.axial_damping * square
        for j in range(len(r.wb) if row.bending_damping != 0.0 else 0):
            p, k = sum_vectors(r.Pb, j, 1.0, z), sum_vectors(r.Kb, j, iL, z)
            rates = bending_rate(p, k, sum_vectors(r.Pb, j, 1.0, zv), sum_vectors(r.Kb, j, iL, zv))
            others = bending_rate(p, k, sum_vectors(r.Pb, j, 1.0, zw), sum_vectors(r.Kb, j, iL, zw))
            square = dot(rates, rates) - dot(others, others)
            powers[1, at] += r.wb[j] * L * row.bending_damping * square
