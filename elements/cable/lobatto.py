"""Kernels of `Cable2D` and `Cable3D` for integration rule 2, which is the default. The kernels have no loops over the
integration points.

Several cables are evaluated at once, see lanes.py. One kernel evaluates the forces, including the product of mass
matrix and accelerations. Another kernel evaluates the tangent and the mass matrix. The modules points.py and
point_forces.py contain the equations at a single point. These modules define the symbols e, s0, s1, p, k and the forces
on these vectors. The kernels for all rules are in gauss.py. The axial points are s = 0, 1/2, 1. The bending points are
s = 1/2 -+ H with H = 1/(2 √3). With d = s1 - s0 and w = √3 (2e - s0 - s1), r' = e -+ H d and L r'' = d ± w at the
bending points.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from windlass.elements.cable.lanes import (
    Lanes,
    gather,
    read_given,
    scatter_forces,
    scatter_matrices,
    take_free,
    take_quantities,
    work_type,
)
from windlass.elements.cable.mass import add_inertia, add_mass
from windlass.elements.cable.point_forces import IN_PLANE, IN_SPACE, AxisForces
from windlass.elements.cable.points import Four
from windlass.elements.cable.vectors import PLANE, SPACE, Operations
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Slots

ROOT3 = sqrt(3.0)
# The two bending points are at s = 1/2 - H and 1/2 + H.
H = 0.5 / ROOT3
STRAIN0, STRAIN, STRAIN1, CURVATURE = range(4)
"""Indices in ``free`` of the stress-free strains at s = 0, 1/2 and 1, and of the stress-free curvature at the first
bending point.
"""


@kernel(inline=True)
def put_forces(
    d: int, j: int, N0: float, s0: float, N1: float, s1: float, N: float, p: float, a0: float, b0: float, a1: float,
    b1: float, L: float, iL: float, k: int, F: FloatArray,
) -> None:  # fmt: skip
    """Compute component j of the forces on the coordinates of the cable in lane k from the forces at all integration
    points, and write this component to F.
    """
    # forces on e, on d and on s0 + s1; each bending point has the weight L/2
    turn = 0.5 * ROOT3 * (b0 - b1)
    fe = 1.5 * N * p + 0.5 * L * (a0 + a1) + 2.0 * turn
    fd = 0.5 * (H * L * (a1 - a0) + b0 + b1)
    fs = -0.25 * N * p - turn
    F[j, k], F[j + d, k], F[j + 2 * d, k], F[j + 3 * d, k] = -iL * fe, N0 * s0 + fs - fd, iL * fe, N1 * s1 + fs + fd


@kernel(inline=True)
def fill_entries(
    dims: int, n: int, B0: Four, B1: Four, A0: float, A: float, A1: float, L: float, iL: float, k: int, M: FloatArray
) -> None:
    """Fill the elements (a + d i, b + d j) of the element matrix of the cable in lane k, with i and j from 0 to 3. Here
    d = ``dims`` is the number of dimensions, and n = d a + b. A0, A and A1 are the elements (a, b) of the derivative
    blocks at the three axial points, multiplied by the integration weights. B0 and B1 contain the elements (a, b) of
    the blocks (pp, pk, kp, kk) at the two bending points, without weights.
    """
    a, b = n // dims, n % dims
    # M contains the element matrix row by row. For successive vectors of r0, s0, r1, s1, the indices in M differ by x
    # within a row of the matrix, and by y within a column.
    x, y = dims, 4 * dims * dims
    # sums and differences of the blocks of the two bending points, and derivatives of the bending forces with respect
    # to d and w. Each point has the weight L/2
    spp, dpp = 0.5 * L * (B0[0] + B1[0]), 0.5 * L * (B0[0] - B1[0])
    spk, dpk = 0.5 * (B0[1] + B1[1]), 0.5 * (B0[1] - B1[1])
    skp, dkp = 0.5 * (B0[2] + B1[2]), 0.5 * (B0[2] - B1[2])
    skk, dkk = 0.5 * iL * (B0[3] + B1[3]), 0.5 * iL * (B0[3] - B1[3])
    dw, wd = dkk - H * spk, dkk - H * skp
    dd = H * H * spp - H * (dpk + dkp) + skk
    # derivatives of the forces on e, d and s with respect to e, d and s, with w = √3 (2e - s) and s = s0 + s1; the
    # middle axial point has r' = 1.5 e - 0.25 s
    ee = iL * iL * (spp + 2.0 * ROOT3 * (dpk + dkp) + 12.0 * skk + 2.25 * A)
    ed = iL * (spk - H * dpp + 2.0 * ROOT3 * wd)
    de = iL * (skp - H * dpp + 2.0 * ROOT3 * dw)
    es = iL * (-ROOT3 * dpk - 6.0 * skk - 0.375 * A)
    se = iL * (-ROOT3 * dkp - 6.0 * skk - 0.375 * A)
    ds, sd = -ROOT3 * dw, -ROOT3 * wd
    ss = 3.0 * skk + 0.0625 * A
    to = 4 * dims * a + b
    # derivatives of the forces on r0, s0, r1, s1 with respect to r0, s0, r1, s1, with e = (r1 - r0)/L
    M[to, k], M[to + x, k], M[to + 2 * x, k], M[to + 3 * x, k] = ee, ed - es, -ee, -es - ed
    to += y
    M[to, k], M[to + 2 * x, k] = de - se, se - de
    M[to + x, k], M[to + 3 * x, k] = ss + dd - sd - ds + A0, ss - dd + sd - ds
    to += y
    M[to, k], M[to + x, k], M[to + 2 * x, k], M[to + 3 * x, k] = -ee, es - ed, ee, es + ed
    to += y
    M[to, k], M[to + 2 * x, k] = -se - de, se + de
    M[to + x, k], M[to + 3 * x, k] = ss - dd - sd + ds, ss + dd + sd + ds + A1


def create_kernels(ops: Operations, forces: AxisForces) -> tuple[Kernel, Kernel]:
    """Create the kernels of the residual and the tangent of 2D or 3D cables."""
    d, axes, work = ops.dims, ops.axes, work_type(ops.dims)
    combine, read, read_curvature = ops.combine, ops.read, ops.read_curvature
    axial_force, axial_block, bending_force, bending_blocks = forces

    @kernel(inline=True)
    def read_slopes(q: FloatArray, iL: float, k: int) -> Any:
        """Return e, s0 and s1 of the cable in lane k. If q contains velocities, return the rates of these vectors. The
        argument iL is 1/L.
        """
        return combine(iL, read(q, 2 * d, k), -iL, read(q, 0, k)), read(q, d, k), read(q, 3 * d, k)

    @kernel(inline=True)
    def find_middle(e: Any, s0: Any, s1: Any) -> Any:
        """Return r' in the middle of the cable. If the arguments are rates, return the rate of r'."""
        return combine(1.5, e, -0.25, combine(1.0, s0, 1.0, s1))

    @kernel(inline=True)
    def find_bending(sign: float, e: Any, s0: Any, s1: Any, iL: float) -> Any:
        """Return r' = e ± H d and r'' = (d ∓ w)/L at the bending point with ``sign`` = ±1. If the arguments are rates,
        return the rates of r' and r''.
        """
        change, total = combine(1.0, s1, -1.0, s0), combine(1.0, s0, 1.0, s1)
        w = combine(2.0 * ROOT3, e, -ROOT3, total)
        return combine(1.0, e, sign * H, change), combine(iL, change, -sign * iL, w)

    @kernel(name=f"residual_lobatto_{d}d")
    def residual(c: Lanes, x: FloatArray, v: FloatArray, a: FloatArray, mass: float, f: FloatArray) -> None:
        """Add the forces [N, N m] and the inertia forces M a to f."""
        lanes = np.empty(1, work)
        for block in range(len(c.given)):
            first, g = block * LANES, lanes[0]
            gather(d, c, first, x, g.coordinates)
            gather(d, c, first, v, g.velocities)
            gather(d, c, first, a, g.accelerations)
            take_quantities(c, block, g)
            take_free(c, block, 0, CURVATURE + 2 * axes, g.free)
            for k in range(LANES):
                L, EA, EI, dEA, dEI = read_given(k, g)
                iL = 1.0 / L
                e, s0, s1 = read_slopes(g.coordinates, iL, k)
                et, t0, t1 = read_slopes(g.velocities, iL, k)

                # axial forces: the force at each end acts only on the slope at this end, and the force in the middle
                # acts on e and both slopes
                N0 = L / 6.0 * axial_force(s0, t0, EA, dEA, g.free[STRAIN0, k])
                N1 = L / 6.0 * axial_force(s1, t1, EA, dEA, g.free[STRAIN1, k])
                p, pt = find_middle(e, s0, s1), find_middle(et, t0, t1)
                N = L / 1.5 * axial_force(p, pt, EA, dEA, g.free[STRAIN, k])

                # bending: forces a on r' and b on r'' at both points
                p0, k0 = find_bending(-1.0, e, s0, s1, iL)
                p0t, k0t = find_bending(-1.0, et, t0, t1, iL)
                a0, b0 = bending_force(p0, k0, p0t, k0t, EI, dEI, read_curvature(g.free, CURVATURE, k))
                p1, k1 = find_bending(1.0, e, s0, s1, iL)
                p1t, k1t = find_bending(1.0, et, t0, t1, iL)
                a1, b1 = bending_force(p1, k1, p1t, k1t, EI, dEI, read_curvature(g.free, CURVATURE + axes, k))

                # forces on the coordinates, and inertia forces
                put_forces(d, 0, N0, s0[0], N1, s1[0], N, p[0], a0[0], b0[0], a1[0], b1[0], L, iL, k, g.forces)
                put_forces(d, 1, N0, s0[1], N1, s1[1], N, p[1], a0[1], b0[1], a1[1], b1[1], L, iL, k, g.forces)
                # the compiler removes this part in 2D
                if d == 3:
                    put_forces(d, 2, N0, s0[2], N1, s1[2], N, p[2], a0[2], b0[2], a1[2], b1[2], L, iL, k, g.forces)
                add_inertia(d, mass, k, g)
            scatter_forces(d, c, first, g, f)

    @kernel(name=f"tangent_lobatto_{d}d")
    def tangent(
        c: Lanes, x: FloatArray, v: FloatArray, dq: float, dv: float, mass: float, slots: Slots, values: FloatArray
    ) -> None:
        """Add the tangent dq ∂f/∂q + dv ∂f/∂v of the forces, with the factors dq and dv, and the mass matrix M to the
        values of the matrix.
        """
        lanes = np.empty(1, work)
        for block in range(len(c.given)):
            first, g = block * LANES, lanes[0]
            gather(d, c, first, x, g.coordinates)
            gather(d, c, first, v, g.velocities)
            take_quantities(c, block, g)
            take_free(c, block, 0, CURVATURE + 2 * axes, g.free)
            for k in range(LANES):
                L, EA, EI, dEA, dEI = read_given(k, g)
                iL = 1.0 / L
                e, s0, s1 = read_slopes(g.coordinates, iL, k)
                et, t0, t1 = read_slopes(g.velocities, iL, k)

                # derivative blocks of the axial points; dq and dv are multiplied by the weights L/6, 4 L/6, L/6
                q, u = dq * L / 6.0, dv * L / 6.0
                A0 = axial_block(s0, t0, EA, dEA, g.free[STRAIN0, k], q, u)
                A1 = axial_block(s1, t1, EA, dEA, g.free[STRAIN1, k], q, u)
                p, pt = find_middle(e, s0, s1), find_middle(et, t0, t1)
                A = axial_block(p, pt, EA, dEA, g.free[STRAIN, k], 4.0 * q, 4.0 * u)

                # derivative blocks of the two bending points
                p0, k0 = find_bending(-1.0, e, s0, s1, iL)
                p0t, k0t = find_bending(-1.0, et, t0, t1, iL)
                B0 = bending_blocks(p0, k0, p0t, k0t, EI, dEI, read_curvature(g.free, CURVATURE, k), dq, dv)
                p1, k1 = find_bending(1.0, e, s0, s1, iL)
                p1t, k1t = find_bending(1.0, et, t0, t1, iL)
                B1 = bending_blocks(p1, k1, p1t, k1t, EI, dEI, read_curvature(g.free, CURVATURE + axes, k), dq, dv)

                # element matrix for all pairs of components, and mass matrix
                fill_entries(d, 0, B0[0], B1[0], A0[0], A[0], A1[0], L, iL, k, g.matrix)
                fill_entries(d, 1, B0[1], B1[1], A0[1], A[1], A1[1], L, iL, k, g.matrix)
                fill_entries(d, 2, B0[2], B1[2], A0[2], A[2], A1[2], L, iL, k, g.matrix)
                fill_entries(d, 3, B0[3], B1[3], A0[3], A[3], A1[3], L, iL, k, g.matrix)
                # the compiler removes this part in 2D
                if d == 3:
                    fill_entries(d, 4, B0[4], B1[4], A0[4], A[4], A1[4], L, iL, k, g.matrix)
                    fill_entries(d, 5, B0[5], B1[5], A0[5], A[5], A1[5], L, iL, k, g.matrix)
                    fill_entries(d, 6, B0[6], B1[6], A0[6], A[6], A1[6], L, iL, k, g.matrix)
                    fill_entries(d, 7, B0[7], B1[7], A0[7], A[7], A1[7], L, iL, k, g.matrix)
                    fill_entries(d, 8, B0[8], B1[8], A0[8], A[8], A1[8], L, iL, k, g.matrix)
                    add_mass(d, 2, mass, k, g)
                add_mass(d, 0, mass, k, g)
                add_mass(d, 1, mass, k, g)
            scatter_matrices(d, c, first, g.matrix, slots, values)

    return residual, tangent


residual_lobatto_2d, tangent_lobatto_2d = create_kernels(PLANE, IN_PLANE)
residual_lobatto_3d, tangent_lobatto_3d = create_kernels(SPACE, IN_SPACE)
