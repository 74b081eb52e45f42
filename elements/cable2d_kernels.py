"""Kernels of `Cable2D` over whole tables for integration rule 2, the one that belts use: written out point by point.

Equations of a single point and the letters e, s0, s1, p, k: cable2d_points.py.  All rules: cable2d_gauss.py.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from windlass.elements.cable2d_points import (
    Blocks,
    Four,
    axial_block,
    axial_force,
    bending_blocks,
    bending_force,
)
from windlass.framework.kernel import kernel
from windlass.framework.law import FloatArray
from windlass.framework.table import IntArray

ROOT3 = sqrt(3.0)
# The two bending points lie at s = 1/2 - H and 1/2 + H.
H = 0.5 / ROOT3


class Columns(NamedTuple):
    """Rows with the same integration rule, which has n axial and m bending points.

    L [m], EA [N], EI [N m^2], dEA [N s], dEI [N m^2 s]: length, stiffness and damping, shape (rows,).
    eps [1], kap [1/m]: strain and curvature without force at the points, shapes (rows, n) and (rows, m).
    dofs: local numbers of x0, y0, x0', y0', x1, y1, x1', y1', shape (rows, 8).
    row: position of each row in the slots, shape (rows,).
    damped: whether any row has damping.
    """

    L: FloatArray
    EA: FloatArray
    EI: FloatArray
    dEA: FloatArray
    dEI: FloatArray
    eps: FloatArray
    kap: FloatArray
    dofs: IntArray
    row: IntArray
    damped: bool


@kernel
def residual_lobatto(c: Columns, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add the forces [N, N m] of rule 2: axial points at s = 0, 1/2, 1, bending points at 1/2 -+ H.

    In e, d = s1 - s0 and w = √3 (2e - s0 - s1) the bending points have r' = e -+ H d and L r'' = d ± w.
    """
    etx = ety = t0x = t0y = t1x = t1y = 0.0
    for i in range(len(c.L)):
        n, L = c.dofs[i], c.L[i]
        iL = 1.0 / L
        EA, EI, dEA, dEI = c.EA[i], c.EI[i], c.dEA[i], c.dEI[i]
        ex, ey = iL * (x[n[4]] - x[n[0]]), iL * (x[n[5]] - x[n[1]])
        s0x, s0y, s1x, s1y = x[n[2]], x[n[3]], x[n[6]], x[n[7]]
        if c.damped:
            etx, ety = iL * (v[n[4]] - v[n[0]]), iL * (v[n[5]] - v[n[1]])
            t0x, t0y, t1x, t1y = v[n[2]], v[n[3]], v[n[6]], v[n[7]]

        # axial: the ends load their own slope only, the middle loads e and both slopes
        N0 = L / 6.0 * axial_force(s0x, s0y, t0x, t0y, EA, dEA, c.eps[i, 0])
        N1 = L / 6.0 * axial_force(s1x, s1y, t1x, t1y, EA, dEA, c.eps[i, 2])
        px, py = 1.5 * ex - 0.25 * (s0x + s1x), 1.5 * ey - 0.25 * (s0y + s1y)
        ptx, pty = 1.5 * etx - 0.25 * (t0x + t1x), 1.5 * ety - 0.25 * (t0y + t1y)
        N = L / 1.5 * axial_force(px, py, ptx, pty, EA, dEA, c.eps[i, 1])

        # bending
        dx, dy, dtx, dty = s1x - s0x, s1y - s0y, t1x - t0x, t1y - t0y
        wx, wy = ROOT3 * (2.0 * ex - s0x - s1x), ROOT3 * (2.0 * ey - s0y - s1y)
        wtx, wty = ROOT3 * (2.0 * etx - t0x - t1x), ROOT3 * (2.0 * ety - t0y - t1y)
        a0x, a0y, b0x, b0y = bending_force(
            ex - H * dx, ey - H * dy, iL * (dx + wx), iL * (dy + wy),
            etx - H * dtx, ety - H * dty, iL * (dtx + wtx), iL * (dty + wty), EI, dEI, c.kap[i, 0],
        )  # fmt: skip
        a1x, a1y, b1x, b1y = bending_force(
            ex + H * dx, ey + H * dy, iL * (dx - wx), iL * (dy - wy),
            etx + H * dtx, ety + H * dty, iL * (dtx - wtx), iL * (dty - wty), EI, dEI, c.kap[i, 1],
        )  # fmt: skip

        # forces on e, on d and on s0 + s1 with the weight L/2 of both bending points
        gx, gy = 0.5 * ROOT3 * (b0x - b1x), 0.5 * ROOT3 * (b0y - b1y)
        fex = 1.5 * N * px + 0.5 * L * (a0x + a1x) + 2.0 * gx
        fey = 1.5 * N * py + 0.5 * L * (a0y + a1y) + 2.0 * gy
        fdx = 0.5 * (H * L * (a1x - a0x) + b0x + b1x)
        fdy = 0.5 * (H * L * (a1y - a0y) + b0y + b1y)
        fsx = -0.25 * N * px - gx
        fsy = -0.25 * N * py - gy

        f[n[0]] -= iL * fex
        f[n[1]] -= iL * fey
        f[n[2]] += N0 * s0x + fsx - fdx
        f[n[3]] += N0 * s0y + fsy - fdy
        f[n[4]] += iL * fex
        f[n[5]] += iL * fey
        f[n[6]] += N1 * s1x + fsx + fdx
        f[n[7]] += N1 * s1y + fsy + fdy


@kernel(inline=True)
def add_block(
    a: int, b: int, ee: float, e0: float, e1: float, oe: float, oo: float, oi: float, ie: float, io: float, ii: float,
    iL: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add to the matrix the derivatives of component a of the forces on e, s0, s1 by component b of e, s0, s1.

    ee, e0, e1: force on e by e, s0, s1; oe, oo, oi: force on s0; ie, io, ii: force on s1.  slots has shape (8, 8).
    """
    # e = (r1 - r0)/L
    ee = iL * iL * ee
    e0, e1, oe, ie = iL * e0, iL * e1, iL * oe, iL * ie
    values[slots[a, b]] += ee
    values[slots[a, b + 2]] -= e0
    values[slots[a, b + 4]] -= ee
    values[slots[a, b + 6]] -= e1
    values[slots[a + 2, b]] -= oe
    values[slots[a + 2, b + 2]] += oo
    values[slots[a + 2, b + 4]] += oe
    values[slots[a + 2, b + 6]] += oi
    values[slots[a + 4, b]] -= ee
    values[slots[a + 4, b + 2]] += e0
    values[slots[a + 4, b + 4]] += ee
    values[slots[a + 4, b + 6]] += e1
    values[slots[a + 6, b]] -= ie
    values[slots[a + 6, b + 2]] += io
    values[slots[a + 6, b + 4]] += ie
    values[slots[a + 6, b + 6]] += ii


@kernel(inline=True)
def add_lobatto_block(
    a: int, b: int, B0: Blocks, B1: Blocks, A0: Four, A: Four, A1: Four, L: float, slots: IntArray, values: FloatArray
) -> None:
    """Add entry (a, b) of the small matrices of all points of rule 2 to the matrix; A0, A, A1 have their weights."""
    j = 2 * a + b
    iL = 1.0 / L
    # sums over both bending points in e, d and w of `residual_lobatto`, weight L/2
    spp, dpp = 0.5 * L * (B0[0][j] + B1[0][j]), 0.5 * L * (B0[0][j] - B1[0][j])
    spk, dpk = 0.5 * (B0[1][j] + B1[1][j]), 0.5 * (B0[1][j] - B1[1][j])
    skp, dkp = 0.5 * (B0[2][j] + B1[2][j]), 0.5 * (B0[2][j] - B1[2][j])
    skk, dkk = 0.5 * iL * (B0[3][j] + B1[3][j]), 0.5 * iL * (B0[3][j] - B1[3][j])
    dw, wd = dkk - H * spk, dkk - H * skp
    dd = H * H * spp - H * (dpk + dkp) + skk
    # w = √3 (2e - s) with s = s0 + s1; the axial point in the middle has r' = 1.5 e - 0.25 s
    ee = spp + 2.0 * ROOT3 * (dpk + dkp) + 12.0 * skk + 2.25 * A[j]
    ed = spk - H * dpp + 2.0 * ROOT3 * wd
    de = skp - H * dpp + 2.0 * ROOT3 * dw
    es = -ROOT3 * dpk - 6.0 * skk - 0.375 * A[j]
    se = -ROOT3 * dkp - 6.0 * skk - 0.375 * A[j]
    ds, sd = -ROOT3 * dw, -ROOT3 * wd
    ss = 3.0 * skk + 0.0625 * A[j]
    add_block(
        a, b, ee, es - ed, es + ed,
        se - de, ss + dd - sd - ds + A0[j], ss - dd + sd - ds,
        se + de, ss - dd - sd + ds, ss + dd + sd + ds + A1[j],
        iL, slots, values,
    )  # fmt: skip


@kernel
def tangent_lobatto(
    c: Columns, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq ∂f/∂q + dv ∂f/∂v of `residual_lobatto` to the matrix values; slots has shape (rows, 8, 8)."""
    etx = ety = t0x = t0y = t1x = t1y = 0.0
    for i in range(len(c.L)):
        n, L = c.dofs[i], c.L[i]
        iL = 1.0 / L
        EA, EI, dEA, dEI = c.EA[i], c.EI[i], c.dEA[i], c.dEI[i]
        ex, ey = iL * (x[n[4]] - x[n[0]]), iL * (x[n[5]] - x[n[1]])
        s0x, s0y, s1x, s1y = x[n[2]], x[n[3]], x[n[6]], x[n[7]]
        if c.damped:
            etx, ety = iL * (v[n[4]] - v[n[0]]), iL * (v[n[5]] - v[n[1]])
            t0x, t0y, t1x, t1y = v[n[2]], v[n[3]], v[n[6]], v[n[7]]

        # axial blocks; the weights L/6, 4 L/6, L/6 enter through dq and dv
        q, u = dq * L / 6.0, dv * L / 6.0
        A0 = axial_block(s0x, s0y, t0x, t0y, EA, dEA, c.eps[i, 0], q, u)
        A1 = axial_block(s1x, s1y, t1x, t1y, EA, dEA, c.eps[i, 2], q, u)
        px, py = 1.5 * ex - 0.25 * (s0x + s1x), 1.5 * ey - 0.25 * (s0y + s1y)
        ptx, pty = 1.5 * etx - 0.25 * (t0x + t1x), 1.5 * ety - 0.25 * (t0y + t1y)
        A = axial_block(px, py, ptx, pty, EA, dEA, c.eps[i, 1], 4.0 * q, 4.0 * u)

        # bending blocks of both points
        dx, dy, dtx, dty = s1x - s0x, s1y - s0y, t1x - t0x, t1y - t0y
        wx, wy = ROOT3 * (2.0 * ex - s0x - s1x), ROOT3 * (2.0 * ey - s0y - s1y)
        wtx, wty = ROOT3 * (2.0 * etx - t0x - t1x), ROOT3 * (2.0 * ety - t0y - t1y)
        B0 = bending_blocks(
            ex - H * dx, ey - H * dy, iL * (dx + wx), iL * (dy + wy),
            etx - H * dtx, ety - H * dty, iL * (dtx + wtx), iL * (dty + wty), EI, dEI, c.kap[i, 0], dq, dv,
        )  # fmt: skip
        B1 = bending_blocks(
            ex + H * dx, ey + H * dy, iL * (dx - wx), iL * (dy - wy),
            etx + H * dtx, ety + H * dty, iL * (dtx - wtx), iL * (dty - wty), EI, dEI, c.kap[i, 1], dq, dv,
        )  # fmt: skip

        to = slots[c.row[i]]
        add_lobatto_block(0, 0, B0, B1, A0, A, A1, L, to, values)
        add_lobatto_block(0, 1, B0, B1, A0, A, A1, L, to, values)
        add_lobatto_block(1, 0, B0, B1, A0, A, A1, L, to, values)
        add_lobatto_block(1, 1, B0, B1, A0, A, A1, L, to, values)
