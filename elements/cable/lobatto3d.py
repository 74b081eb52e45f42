"""Kernels of `Cable3D` for integration rule 2, the default, without loops over the integration points.

Several cables are evaluated at once, see lanes.py. One kernel evaluates the forces, including mass matrix times
accelerations. Another kernel evaluates tangent and mass matrix. The module points.py contains the equations at a single
point; the sums over the points are the same as in lobatto.py. The module gauss.py contains kernels for any
integration rule, with loops over the points.
"""

from __future__ import annotations

import numpy as np

from windlass.elements.cable.lanes import (
    WORK_3D,
    Lanes,
    gather,
    read_given,
    scatter_forces,
    scatter_matrices,
    take_free,
    take_quantities,
)
from windlass.elements.cable.lobatto import ROOT3, H, fill_entries
from windlass.elements.cable.mass import add_inertia, add_mass
from windlass.elements.cable.points3d import axial_block, axial_force, bending_blocks, bending_force
from windlass.elements.nodes.vectors import Vector, combine
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Slots


@kernel(inline=True)
def read_vector(a: FloatArray, row: int, k: int) -> Vector:
    """Return the vector in three consecutive elements of the data of the cable in lane k."""
    return a[row, k], a[row + 1, k], a[row + 2, k]


@kernel(inline=True)
def read_slopes(q: FloatArray, iL: float, k: int) -> tuple[Vector, Vector, Vector]:
    """Return e, s0 and s1 of the cable in lane k. If q contains velocities, return the rates of these vectors. The
    argument iL is 1/L.
    """
    r0, r1 = read_vector(q, 0, k), read_vector(q, 6, k)
    return combine(iL, r1, -iL, r0), read_vector(q, 3, k), read_vector(q, 9, k)


@kernel(inline=True)
def find_middle(e: Vector, s0: Vector, s1: Vector) -> Vector:
    """Return r' in the middle of the cable, or the rate of r' if the arguments are rates."""
    s = combine(0.25, s0, 0.25, s1)
    return combine(1.5, e, -1.0, s)


@kernel(inline=True)
def find_bending(sign: float, e: Vector, s0: Vector, s1: Vector, iL: float) -> tuple[Vector, Vector]:
    """Return r' = e ± H d and r'' = (d ∓ w)/L at the bending point with ``sign`` = ±1, or the rates of r' and r'' if
    the arguments are rates. `residual_lobatto` of 2D cables defines d and w.
    """
    d, s = combine(1.0, s1, -1.0, s0), combine(1.0, s0, 1.0, s1)
    w = combine(2.0 * ROOT3, e, -ROOT3, s)
    return combine(1.0, e, sign * H, d), combine(iL, d, -sign * iL, w)


@kernel(inline=True)
def put_forces(
    j: int, N0: float, s0: float, N1: float, s1: float, N: float, p: float, a0: float, b0: float, a1: float, b1: float,
    L: float, iL: float, k: int, F: FloatArray,
) -> None:  # fmt: skip
    """Compute component j of the forces on the coordinates of the cable in lane k from the forces at all integration
    points, and write this component to F.
    """
    # forces on e, on d and on s0 + s1; each bending point has the weight L/2
    turn = 0.5 * ROOT3 * (b0 - b1)
    fe = 1.5 * N * p + 0.5 * L * (a0 + a1) + 2.0 * turn
    fd = 0.5 * (H * L * (a1 - a0) + b0 + b1)
    fs = -0.25 * N * p - turn
    F[j, k], F[j + 3, k], F[j + 6, k], F[j + 9, k] = -iL * fe, N0 * s0 + fs - fd, iL * fe, N1 * s1 + fs + fd


@kernel
def residual_lobatto(c: Lanes, x: FloatArray, v: FloatArray, a: FloatArray, mass: float, f: FloatArray) -> None:
    """Add the forces [N, N m] and the inertia forces M a to f, with axial points at s = 0, 1/2, 1 and bending points at
    1/2 -+ H.
    """
    lanes = np.empty(1, WORK_3D)
    for block in range(len(c.given)):
        first, g = block * LANES, lanes[0]
        gather(3, c, first, x, g.coordinates)
        gather(3, c, first, v, g.velocities)
        gather(3, c, first, a, g.accelerations)
        take_quantities(c, block, g)
        take_free(c, block, 0, 9, g.free)
        for k in range(LANES):
            L, EA, EI, dEA, dEI = read_given(k, g)
            iL = 1.0 / L
            e, s0, s1 = read_slopes(g.coordinates, iL, k)
            et, t0, t1 = read_slopes(g.velocities, iL, k)

            # axial forces: the force at each end acts only on the slope at this end, and the force in the middle acts
            # on e and both slopes
            N0 = L / 6.0 * axial_force(s0, t0, EA, dEA, g.free[0, k])
            N1 = L / 6.0 * axial_force(s1, t1, EA, dEA, g.free[2, k])
            p, pt = find_middle(e, s0, s1), find_middle(et, t0, t1)
            N = L / 1.5 * axial_force(p, pt, EA, dEA, g.free[1, k])

            # bending
            p0, k0 = find_bending(-1.0, e, s0, s1, iL)
            p0t, k0t = find_bending(-1.0, et, t0, t1, iL)
            a0, b0 = bending_force(p0, k0, p0t, k0t, EI, dEI, read_vector(g.free, 3, k))
            p1, k1 = find_bending(1.0, e, s0, s1, iL)
            p1t, k1t = find_bending(1.0, et, t0, t1, iL)
            a1, b1 = bending_force(p1, k1, p1t, k1t, EI, dEI, read_vector(g.free, 6, k))

            put_forces(0, N0, s0[0], N1, s1[0], N, p[0], a0[0], b0[0], a1[0], b1[0], L, iL, k, g.forces)
            put_forces(1, N0, s0[1], N1, s1[1], N, p[1], a0[1], b0[1], a1[1], b1[1], L, iL, k, g.forces)
            put_forces(2, N0, s0[2], N1, s1[2], N, p[2], a0[2], b0[2], a1[2], b1[2], L, iL, k, g.forces)
            add_inertia(3, mass, k, g)
        scatter_forces(3, c, first, g, f)


@kernel
def tangent_lobatto(
    c: Lanes, x: FloatArray, v: FloatArray, dq: float, dv: float, mass: float, slots: Slots, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual_lobatto`, with the factors dq and dv, and the mass matrix M to
    the values of the matrix.
    """
    lanes = np.empty(1, WORK_3D)
    for block in range(len(c.given)):
        first, g = block * LANES, lanes[0]
        gather(3, c, first, x, g.coordinates)
        gather(3, c, first, v, g.velocities)
        take_quantities(c, block, g)
        take_free(c, block, 0, 9, g.free)
        for k in range(LANES):
            L, EA, EI, dEA, dEI = read_given(k, g)
            iL = 1.0 / L
            e, s0, s1 = read_slopes(g.coordinates, iL, k)
            et, t0, t1 = read_slopes(g.velocities, iL, k)

            # derivative blocks of the axial points; dq and dv are multiplied by the weights L/6, 4 L/6, L/6
            q, u = dq * L / 6.0, dv * L / 6.0
            A0 = axial_block(s0, t0, EA, dEA, g.free[0, k], q, u)
            A1 = axial_block(s1, t1, EA, dEA, g.free[2, k], q, u)
            p, pt = find_middle(e, s0, s1), find_middle(et, t0, t1)
            A = axial_block(p, pt, EA, dEA, g.free[1, k], 4.0 * q, 4.0 * u)

            # derivative blocks of the two bending points
            p0, k0 = find_bending(-1.0, e, s0, s1, iL)
            p0t, k0t = find_bending(-1.0, et, t0, t1, iL)
            B0 = bending_blocks(p0, k0, p0t, k0t, EI, dEI, read_vector(g.free, 3, k), dq, dv)
            p1, k1 = find_bending(1.0, e, s0, s1, iL)
            p1t, k1t = find_bending(1.0, et, t0, t1, iL)
            B1 = bending_blocks(p1, k1, p1t, k1t, EI, dEI, read_vector(g.free, 6, k), dq, dv)

            # element matrix for all pairs of the components x, y, z, and mass matrix
            fill_entries(3, 0, 0, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 0, 1, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 0, 2, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 1, 0, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 1, 1, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 1, 2, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 2, 0, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 2, 1, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(3, 2, 2, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            # mass matrix for each component
            add_mass(3, 0, mass, k, g)
            add_mass(3, 1, mass, k, g)
            add_mass(3, 2, mass, k, g)
        scatter_matrices(3, c, first, g.matrix, slots, values)
