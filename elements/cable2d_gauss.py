"""Kernels of `Cable2D` over whole tables for every integration rule, as loops over its points, and the strain energy.

Equations of a single point and the letters e, s0, s1, p, k: cable2d_points.py.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from windlass.elements.cable2d_points import Rule, axial_block, axial_force, bending_blocks, bending_force
from windlass.framework.kernel import kernel
from windlass.framework.law import FloatArray
from windlass.framework.table import IntArray


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
def residual_gauss(c: Columns, p: Rule, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add the forces [N, N m] of any rule."""
    etx = ety = t0x = t0y = t1x = t1y = 0.0
    for i in range(len(c.L)):
        n, L = c.dofs[i], c.L[i]
        iL = 1.0 / L
        ex, ey = iL * (x[n[4]] - x[n[0]]), iL * (x[n[5]] - x[n[1]])
        s0x, s0y, s1x, s1y = x[n[2]], x[n[3]], x[n[6]], x[n[7]]
        if c.damped:
            etx, ety = iL * (v[n[4]] - v[n[0]]), iL * (v[n[5]] - v[n[1]])
            t0x, t0y, t1x, t1y = v[n[2]], v[n[3]], v[n[6]], v[n[7]]
        fex = fey = f0x = f0y = f1x = f1y = 0.0
        for j in range(len(p.wa)):
            P0, P1, P2 = p.Pa[j, 0], p.Pa[j, 1], p.Pa[j, 2]
            px, py = P0 * ex + P1 * s0x + P2 * s1x, P0 * ey + P1 * s0y + P2 * s1y
            ptx, pty = P0 * etx + P1 * t0x + P2 * t1x, P0 * ety + P1 * t0y + P2 * t1y
            N = p.wa[j] * L * axial_force(px, py, ptx, pty, c.EA[i], c.dEA[i], c.eps[i, j])
            ax, ay = N * px, N * py
            fex, fey = fex + P0 * ax, fey + P0 * ay
            f0x, f0y = f0x + P1 * ax, f0y + P1 * ay
            f1x, f1y = f1x + P2 * ax, f1y + P2 * ay
        for j in range(len(p.wb)):
            P0, P1, P2 = p.Pb[j, 0], p.Pb[j, 1], p.Pb[j, 2]
            K0, K1, K2 = iL * p.Kb[j, 0], iL * p.Kb[j, 1], iL * p.Kb[j, 2]
            ax, ay, bx, by = bending_force(
                P0 * ex + P1 * s0x + P2 * s1x, P0 * ey + P1 * s0y + P2 * s1y,
                K0 * ex + K1 * s0x + K2 * s1x, K0 * ey + K1 * s0y + K2 * s1y,
                P0 * etx + P1 * t0x + P2 * t1x, P0 * ety + P1 * t0y + P2 * t1y,
                K0 * etx + K1 * t0x + K2 * t1x, K0 * ety + K1 * t0y + K2 * t1y, c.EI[i], c.dEI[i], c.kap[i, j],
            )  # fmt: skip
            w = p.wb[j] * L
            fex, fey = fex + w * (P0 * ax + K0 * bx), fey + w * (P0 * ay + K0 * by)
            f0x, f0y = f0x + w * (P1 * ax + K1 * bx), f0y + w * (P1 * ay + K1 * by)
            f1x, f1y = f1x + w * (P2 * ax + K2 * bx), f1y + w * (P2 * ay + K2 * by)
        f[n[0]] -= iL * fex
        f[n[1]] -= iL * fey
        f[n[2]] += f0x
        f[n[3]] += f0y
        f[n[4]] += iL * fex
        f[n[5]] += iL * fey
        f[n[6]] += f1x
        f[n[7]] += f1y


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


@kernel
def tangent_gauss(
    c: Columns, p: Rule, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray
) -> None:
    """Add dq ∂f/∂q + dv ∂f/∂v of `residual_gauss` to the matrix values; slots has shape (rows, 8, 8)."""
    # derivatives of the forces on e, s0, s1 by e, s0, s1, entries xx, xy, yx, yy
    D = np.empty((3, 3, 4))
    etx = ety = t0x = t0y = t1x = t1y = 0.0
    for i in range(len(c.L)):
        n, L = c.dofs[i], c.L[i]
        iL = 1.0 / L
        ex, ey = iL * (x[n[4]] - x[n[0]]), iL * (x[n[5]] - x[n[1]])
        s0x, s0y, s1x, s1y = x[n[2]], x[n[3]], x[n[6]], x[n[7]]
        if c.damped:
            etx, ety = iL * (v[n[4]] - v[n[0]]), iL * (v[n[5]] - v[n[1]])
            t0x, t0y, t1x, t1y = v[n[2]], v[n[3]], v[n[6]], v[n[7]]
        D[:] = 0.0
        for j in range(len(p.wa)):
            P0, P1, P2 = p.Pa[j, 0], p.Pa[j, 1], p.Pa[j, 2]
            w = p.wa[j] * L
            A = axial_block(
                P0 * ex + P1 * s0x + P2 * s1x, P0 * ey + P1 * s0y + P2 * s1y,
                P0 * etx + P1 * t0x + P2 * t1x, P0 * ety + P1 * t0y + P2 * t1y,
                c.EA[i], c.dEA[i], c.eps[i, j], w * dq, w * dv,
            )  # fmt: skip
            for a in range(3):
                for b in range(3):
                    PP = p.Pa[j, a] * p.Pa[j, b]
                    D[a, b, 0] += PP * A[0]
                    D[a, b, 1] += PP * A[1]
                    D[a, b, 2] += PP * A[2]
                    D[a, b, 3] += PP * A[3]
        for j in range(len(p.wb)):
            P0, P1, P2 = p.Pb[j, 0], p.Pb[j, 1], p.Pb[j, 2]
            K0, K1, K2 = iL * p.Kb[j, 0], iL * p.Kb[j, 1], iL * p.Kb[j, 2]
            w = p.wb[j] * L
            pp, pk, kp, kk = bending_blocks(
                P0 * ex + P1 * s0x + P2 * s1x, P0 * ey + P1 * s0y + P2 * s1y,
                K0 * ex + K1 * s0x + K2 * s1x, K0 * ey + K1 * s0y + K2 * s1y,
                P0 * etx + P1 * t0x + P2 * t1x, P0 * ety + P1 * t0y + P2 * t1y,
                K0 * etx + K1 * t0x + K2 * t1x, K0 * ety + K1 * t0y + K2 * t1y,
                w * c.EI[i], w * c.dEI[i], c.kap[i, j], dq, dv,
            )  # fmt: skip
            for a in range(3):
                for b in range(3):
                    PP = p.Pb[j, a] * p.Pb[j, b]
                    PK = p.Pb[j, a] * p.Kb[j, b] * iL
                    KP = p.Kb[j, a] * p.Pb[j, b] * iL
                    KK = p.Kb[j, a] * p.Kb[j, b] * iL * iL
                    D[a, b, 0] += PP * pp[0] + PK * pk[0] + KP * kp[0] + KK * kk[0]
                    D[a, b, 1] += PP * pp[1] + PK * pk[1] + KP * kp[1] + KK * kk[1]
                    D[a, b, 2] += PP * pp[2] + PK * pk[2] + KP * kp[2] + KK * kk[2]
                    D[a, b, 3] += PP * pp[3] + PK * pk[3] + KP * kp[3] + KK * kk[3]
        to = slots[c.row[i]]
        for a in range(2):
            for b in range(2):
                k = 2 * a + b
                add_block(
                    a, b, D[0, 0, k], D[0, 1, k], D[0, 2, k], D[1, 0, k], D[1, 1, k], D[1, 2, k],
                    D[2, 0, k], D[2, 1, k], D[2, 2, k], iL, to, values,
                )  # fmt: skip


@kernel
def eval_energy(c: Columns, p: Rule, x: FloatArray) -> float:
    """Strain energy [J] of all rows, by the points of the rule: its gradient is the residual without damping."""
    energy = 0.0
    for i in range(len(c.L)):
        n, L = c.dofs[i], c.L[i]
        iL = 1.0 / L
        ex, ey = iL * (x[n[4]] - x[n[0]]), iL * (x[n[5]] - x[n[1]])
        s0x, s0y, s1x, s1y = x[n[2]], x[n[3]], x[n[6]], x[n[7]]
        for j in range(len(p.wa)):
            P0, P1, P2 = p.Pa[j, 0], p.Pa[j, 1], p.Pa[j, 2]
            px, py = P0 * ex + P1 * s0x + P2 * s1x, P0 * ey + P1 * s0y + P2 * s1y
            strain = sqrt(px * px + py * py) - 1.0 - c.eps[i, j]
            energy += 0.5 * p.wa[j] * L * c.EA[i] * strain * strain
        for j in range(len(p.wb)):
            P0, P1, P2 = p.Pb[j, 0], p.Pb[j, 1], p.Pb[j, 2]
            K0, K1, K2 = iL * p.Kb[j, 0], iL * p.Kb[j, 1], iL * p.Kb[j, 2]
            px, py = P0 * ex + P1 * s0x + P2 * s1x, P0 * ey + P1 * s0y + P2 * s1y
            kx, ky = K0 * ex + K1 * s0x + K2 * s1x, K0 * ey + K1 * s0y + K2 * s1y
            bend = (px * ky - py * kx) / (px * px + py * py) - c.kap[i, j]
            energy += 0.5 * p.wb[j] * L * c.EI[i] * bend * bend
    return energy
