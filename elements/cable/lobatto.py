"""Kernels of `Cable2D` for integration rule 2, the default, without loops over the integration points.

Several cables are evaluated at once, see lanes.py. One kernel evaluates the forces, including mass matrix times
accelerations. Another kernel evaluates tangent and mass matrix. The module points.py contains the equations at a single
point and defines the symbols e, s0, s1, p, k and the forces on these vectors. Kernels for all rules are in gauss.py.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from windlass.elements.cable.lanes import (
    WORK_2D,
    Lanes,
    gather,
    read_given,
    scatter_forces,
    scatter_matrices,
    take_free,
    take_quantities,
)
from windlass.elements.cable.mass import add_inertia, add_mass
from windlass.elements.cable.points import (
    Entries,
    EntryBlocks,
    axial_block,
    axial_force,
    bending_blocks,
    bending_force,
)
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES
from windlass.framework.model.system import Slots

ROOT3 = sqrt(3.0)
# The two bending points are at s = 1/2 - H and 1/2 + H.
H = 0.5 / ROOT3
STRAIN0, STRAIN, STRAIN1, CURVATURE0, CURVATURE1 = range(5)
"""Indices in ``free`` of the stress-free strains at s = 0, 1/2 and 1, and of the stress-free curvatures at the two
bending points.
"""


@kernel(inline=True)
def read_slopes(q: FloatArray, iL: float, k: int) -> tuple[float, float, float, float, float, float]:
    """Return e, s0 and s1 of the cable in lane k. If q contains velocities, return the rates of these vectors. The
    argument iL is 1/L.
    """
    ex, ey = iL * (q[4, k] - q[0, k]), iL * (q[5, k] - q[1, k])
    return ex, ey, q[2, k], q[3, k], q[6, k], q[7, k]


@kernel
def residual_lobatto(c: Lanes, x: FloatArray, v: FloatArray, a: FloatArray, mass: float, f: FloatArray) -> None:
    """Add the forces [N, N m] and the inertia forces M a to f, with axial points at s = 0, 1/2, 1 and bending points at
    1/2 -+ H.

    With d = s1 - s0 and w = √3 (2e - s0 - s1), the bending points have r' = e -+ H d and L r'' = d ± w.
    """
    lanes = np.empty(1, WORK_2D)
    for block in range(len(c.given)):
        first, g = block * LANES, lanes[0]
        gather(2, c, first, x, g.coordinates)
        gather(2, c, first, v, g.velocities)
        gather(2, c, first, a, g.accelerations)
        take_quantities(c, block, g)
        take_free(c, block, 0, 5, g.free)
        for k in range(LANES):
            L, EA, EI, dEA, dEI = read_given(k, g)
            iL = 1.0 / L
            ex, ey, s0x, s0y, s1x, s1y = read_slopes(g.coordinates, iL, k)
            etx, ety, t0x, t0y, t1x, t1y = read_slopes(g.velocities, iL, k)

            # axial forces: the force at each end acts only on the slope at this end, and the force in the middle acts
            # on e and both slopes
            N0 = L / 6.0 * axial_force(s0x, s0y, t0x, t0y, EA, dEA, g.free[STRAIN0, k])
            N1 = L / 6.0 * axial_force(s1x, s1y, t1x, t1y, EA, dEA, g.free[STRAIN1, k])
            px, py = 1.5 * ex - 0.25 * (s0x + s1x), 1.5 * ey - 0.25 * (s0y + s1y)
            ptx, pty = 1.5 * etx - 0.25 * (t0x + t1x), 1.5 * ety - 0.25 * (t0y + t1y)
            N = L / 1.5 * axial_force(px, py, ptx, pty, EA, dEA, g.free[STRAIN, k])

            # bending
            dx, dy, dtx, dty = s1x - s0x, s1y - s0y, t1x - t0x, t1y - t0y
            wx, wy = ROOT3 * (2.0 * ex - s0x - s1x), ROOT3 * (2.0 * ey - s0y - s1y)
            wtx, wty = ROOT3 * (2.0 * etx - t0x - t1x), ROOT3 * (2.0 * ety - t0y - t1y)
            a0x, a0y, b0x, b0y = bending_force(
                ex - H * dx, ey - H * dy, iL * (dx + wx), iL * (dy + wy),
                etx - H * dtx, ety - H * dty, iL * (dtx + wtx), iL * (dty + wty), EI, dEI, g.free[CURVATURE0, k],
            )  # fmt: skip
            a1x, a1y, b1x, b1y = bending_force(
                ex + H * dx, ey + H * dy, iL * (dx - wx), iL * (dy - wy),
                etx + H * dtx, ety + H * dty, iL * (dtx - wtx), iL * (dty - wty), EI, dEI, g.free[CURVATURE1, k],
            )  # fmt: skip

            # forces on e, on d and on s0 + s1; each bending point has the weight L/2
            gx, gy = 0.5 * ROOT3 * (b0x - b1x), 0.5 * ROOT3 * (b0y - b1y)
            fex = 1.5 * N * px + 0.5 * L * (a0x + a1x) + 2.0 * gx
            fey = 1.5 * N * py + 0.5 * L * (a0y + a1y) + 2.0 * gy
            fdx = 0.5 * (H * L * (a1x - a0x) + b0x + b1x)
            fdy = 0.5 * (H * L * (a1y - a0y) + b0y + b1y)
            fsx = -0.25 * N * px - gx
            fsy = -0.25 * N * py - gy

            # forces on the coordinates
            F = g.forces
            F[0, k], F[1, k] = -iL * fex, -iL * fey
            F[2, k], F[3, k] = N0 * s0x + fsx - fdx, N0 * s0y + fsy - fdy
            F[4, k], F[5, k] = iL * fex, iL * fey
            F[6, k], F[7, k] = N1 * s1x + fsx + fdx, N1 * s1y + fsy + fdy
            add_inertia(2, mass, k, g)
        scatter_forces(2, c, first, g, f)


@kernel(inline=True)
def fill_entries(
    dims: int, a: int, b: int, B0: EntryBlocks, B1: EntryBlocks, A0: Entries, A: Entries, A1: Entries,
    L: float, iL: float, k: int, M: FloatArray,
) -> None:  # fmt: skip
    """Fill the elements (a + d i, b + d j) of the element matrix of the cable in lane k, in d = ``dims`` dimensions.
    The arguments are the elements (a, b) of the derivative blocks: A0, A and A1 at the three axial points, B0 and B1 at
    the two bending points.

    A0, A, A1 already contain the integration weights.
    """
    j = dims * a + b
    # index differences in M between successive positions or slopes: x along a matrix row, y along a matrix column
    x, y = dims, 4 * dims * dims
    # sums and differences of the blocks of the two bending points, and derivatives of the bending forces with respect
    # to d and w; `residual_lobatto` defines d and w. Each point has the weight L/2
    spp, dpp = 0.5 * L * (B0[0][j] + B1[0][j]), 0.5 * L * (B0[0][j] - B1[0][j])
    spk, dpk = 0.5 * (B0[1][j] + B1[1][j]), 0.5 * (B0[1][j] - B1[1][j])
    skp, dkp = 0.5 * (B0[2][j] + B1[2][j]), 0.5 * (B0[2][j] - B1[2][j])
    skk, dkk = 0.5 * iL * (B0[3][j] + B1[3][j]), 0.5 * iL * (B0[3][j] - B1[3][j])
    dw, wd = dkk - H * spk, dkk - H * skp
    dd = H * H * spp - H * (dpk + dkp) + skk
    # derivatives of the forces on e, d and s with respect to e, d and s, with w = √3 (2e - s) and s = s0 + s1; the
    # middle axial point has r' = 1.5 e - 0.25 s
    ee = iL * iL * (spp + 2.0 * ROOT3 * (dpk + dkp) + 12.0 * skk + 2.25 * A[j])
    ed = iL * (spk - H * dpp + 2.0 * ROOT3 * wd)
    de = iL * (skp - H * dpp + 2.0 * ROOT3 * dw)
    es = iL * (-ROOT3 * dpk - 6.0 * skk - 0.375 * A[j])
    se = iL * (-ROOT3 * dkp - 6.0 * skk - 0.375 * A[j])
    ds, sd = -ROOT3 * dw, -ROOT3 * wd
    ss = 3.0 * skk + 0.0625 * A[j]
    to = 4 * dims * a + b
    # derivatives of the forces on r0, s0, r1, s1 with respect to r0, s0, r1, s1, with e = (r1 - r0)/L
    M[to, k], M[to + x, k], M[to + 2 * x, k], M[to + 3 * x, k] = ee, ed - es, -ee, -es - ed
    to += y
    M[to, k], M[to + 2 * x, k] = de - se, se - de
    M[to + x, k], M[to + 3 * x, k] = ss + dd - sd - ds + A0[j], ss - dd + sd - ds
    to += y
    M[to, k], M[to + x, k], M[to + 2 * x, k], M[to + 3 * x, k] = -ee, es - ed, ee, es + ed
    to += y
    M[to, k], M[to + 2 * x, k] = -se - de, se + de
    M[to + x, k], M[to + 3 * x, k] = ss - dd - sd + ds, ss + dd + sd + ds + A1[j]


@kernel
def tangent_lobatto(
    c: Lanes, x: FloatArray, v: FloatArray, dq: float, dv: float, mass: float, slots: Slots, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual_lobatto`, with the factors dq and dv, and the mass matrix M to
    the values of the matrix.
    """
    lanes = np.empty(1, WORK_2D)
    for block in range(len(c.given)):
        first, g = block * LANES, lanes[0]
        gather(2, c, first, x, g.coordinates)
        gather(2, c, first, v, g.velocities)
        take_quantities(c, block, g)
        take_free(c, block, 0, 5, g.free)
        for k in range(LANES):
            L, EA, EI, dEA, dEI = read_given(k, g)
            iL = 1.0 / L
            ex, ey, s0x, s0y, s1x, s1y = read_slopes(g.coordinates, iL, k)
            etx, ety, t0x, t0y, t1x, t1y = read_slopes(g.velocities, iL, k)

            # derivative blocks of the axial points; dq and dv are multiplied by the weights L/6, 4 L/6, L/6
            q, u = dq * L / 6.0, dv * L / 6.0
            A0 = axial_block(s0x, s0y, t0x, t0y, EA, dEA, g.free[STRAIN0, k], q, u)
            A1 = axial_block(s1x, s1y, t1x, t1y, EA, dEA, g.free[STRAIN1, k], q, u)
            px, py = 1.5 * ex - 0.25 * (s0x + s1x), 1.5 * ey - 0.25 * (s0y + s1y)
            ptx, pty = 1.5 * etx - 0.25 * (t0x + t1x), 1.5 * ety - 0.25 * (t0y + t1y)
            A = axial_block(px, py, ptx, pty, EA, dEA, g.free[STRAIN, k], 4.0 * q, 4.0 * u)

            # derivative blocks of the two bending points
            dx, dy, dtx, dty = s1x - s0x, s1y - s0y, t1x - t0x, t1y - t0y
            wx, wy = ROOT3 * (2.0 * ex - s0x - s1x), ROOT3 * (2.0 * ey - s0y - s1y)
            wtx, wty = ROOT3 * (2.0 * etx - t0x - t1x), ROOT3 * (2.0 * ety - t0y - t1y)
            B0 = bending_blocks(
                ex - H * dx, ey - H * dy, iL * (dx + wx), iL * (dy + wy),
                etx - H * dtx, ety - H * dty, iL * (dtx + wtx), iL * (dty + wty), EI, dEI,
                g.free[CURVATURE0, k], dq, dv,
            )  # fmt: skip
            B1 = bending_blocks(
                ex + H * dx, ey + H * dy, iL * (dx - wx), iL * (dy - wy),
                etx + H * dtx, ety + H * dty, iL * (dtx - wtx), iL * (dty - wty), EI, dEI,
                g.free[CURVATURE1, k], dq, dv,
            )  # fmt: skip

            # element matrix for the component pairs xx, xy, yx, yy, and mass matrix
            fill_entries(2, 0, 0, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(2, 0, 1, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(2, 1, 0, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            fill_entries(2, 1, 1, B0, B1, A0, A, A1, L, iL, k, g.matrix)
            add_mass(2, 0, mass, k, g)
            add_mass(2, 1, mass, k, g)
        scatter_matrices(2, c, first, g.matrix, slots, values)
