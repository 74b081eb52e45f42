"""Exact tangent of the contact between a circle and points of a cable of a winch rope. The forces and symbols are
explained in `winch_kernels.py`.

The variables of a row are the coordinates of the nodes q, the length l, the centre c and the angle φ of the circle. The
variations at constant ξ of d = p - c, of e = p_t - v_c and U = u - v_c at constant rates, and of T are

    δd = Σ S_i δq_i + r_l δl - δc                      δT = Σ S_i' δq_i + T_l δl,    T_l = Σ (p_i - 1) S_i' q_i/l
    δe = l_t Σ p_i S_i δq_i/l + v_l δl                 v_l = Σ p_i S_i v_i/l
    δU = l_t Σ B_i δq_i + (v_l + l_t a T_l) δl         B_i = p_i S_i/l + a S_i'

The derivatives of e with respect to the rates are equal to the derivatives of d with respect to the variables. The
derivatives of U with respect to the rates are equal to the derivatives of d, except that r_l is replaced by w.
Therefore

    δg = n.δd,    δv_n = n.δe + (t.e) (t.δd)/D,    δv_t = t.δU - (n.U) (t.δd)/D - ω n.δd - D δω
    δb = (r/D) t.δd - r δφ + (r/D) (t.T) a δl + (l - l_0) δ((r/D) (t.T) a)
    δ(f_n n) = δf_n n + f_n t (t.δd)/D,    δ(f_t t) = δf_t t - f_t n (t.δd)/D

All parameters of a point are proportional to l. The generalised forces contain S_i, r_l and w, with the variations δS_i
= p_i S_i δl/l, δr_l = Σ p_i S_i δq_i/l and δw = Σ B_i δq_i + a T_l δl.
"""

from __future__ import annotations

from typing import Any

from windlass.connectors.circle_points.winch_kernels import (
    CABLE,
    WinchRow,
    WinchRows,
    count_winch_points,
    eval_winch_place,
    read_winch_row,
)
from windlass.connectors.contact.assembly import couple_nothing, create_tangent
from windlass.connectors.contact.circles import is_central
from windlass.connectors.contact.law import eval_normal_slopes, eval_slopes_along
from windlass.connectors.contact.update import work_type
from windlass.connectors.friction.bristle import STICKS
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

WIDTH = CABLE + 3
"""Number of variables of a row."""
WORK = work_type(
    d=(2, WIDTH), e=(2, WIDTH), U=(2, WIDTH), m=(2, WIDTH), T=(2, WIDTH), own=(5, WIDTH), rate=(5, WIDTH), B=(4,),
    shape=(4,),
)  # fmt: skip
"""Variations and derivatives of a point. They are the variations of d, e, U and T for a unit change of each variable;
the variation of U for a unit change of each rate (``m``); the derivatives of the force f_n n, the force f_t t and the
torque D f_t with respect to the variables (``own``) and to the rates of the variables (``rate``); B_i (``B``) and p_i
S_i/l (``shape``).
"""


@kernel(inline=True)
def begin_row(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    maps: bool, i: int, g: Any,
) -> tuple[WinchRow, int, int]:  # fmt: skip
    """Return the data and the marker of row i, and ``whole``, see the argument ``begin`` of `create_tangent`."""
    marker = c.rows[i].circle
    central = is_central(circle, marker, c.dofs.shape[1] - CABLE)
    return read_winch_row(c, circle, data, x, v, i), marker, WIDTH if central else 0


@kernel(inline=True)
def add_closed_point(
    c: WinchRows, data: FloatArray, start: FloatArray, r: WinchRow, i: int, k: int, dq: float, dv: float, varies: bool,
    g: Any, K: FloatArray, N: FloatArray, wrench: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of a closed point, see `create_tangent`."""
    # evaluate the point with its parameters at the length l
    row = c.rows[i]
    n, first = row.segments, row.data
    state = data[first + n + k]
    z = eval_winch_place(row, r, k, state, data[first + 2 * n + k])
    law, il, a, inverse = r.law, 1.0 / r.l, z.a, 1.0 / z.D if z.D > 0.0 else 0.0
    nx, ny, tx, ty, gap = z.nx, z.ny, -z.ny, z.nx, z.D - r.radius
    # set all variations to 0
    for o in range(2):
        for b in range(WIDTH):
            g.d[o, b], g.e[o, b], g.U[o, b], g.m[o, b], g.T[o, b] = 0.0, 0.0, 0.0, 0.0, 0.0
    # variations due to the coordinates of the nodes
    for j in range(4):
        p = j % 2
        g.shape[j] = p * z.S[j] * il
        g.B[j] = g.shape[j] + a * z.dS[j]
        for o in range(2):
            b = 2 * j + o
            g.d[o, b], g.m[o, b], g.T[o, b] = z.S[j], z.S[j], z.dS[j]
            g.e[o, b], g.U[o, b] = r.l_t * g.shape[j], r.l_t * g.B[j]
    # variations due to the length of the rope and the centre of the circle
    vx, vy = (z.S[1] * r.w[2] + z.S[3] * r.w[6]) * il, (z.S[1] * r.w[3] + z.S[3] * r.w[7]) * il
    sx, sy = z.dS[0] * r.q[0] + z.dS[2] * r.q[4], z.dS[0] * r.q[1] + z.dS[2] * r.q[5]
    Tlx, Tly = -sx * il, -sy * il
    g.d[0, 8], g.d[1, 8], g.T[0, 8], g.T[1, 8] = z.lx, z.ly, Tlx, Tly
    g.m[0, 8], g.m[1, 8] = z.lx + a * z.Tx, z.ly + a * z.Ty
    g.e[0, 8], g.e[1, 8] = vx, vy
    g.U[0, 8], g.U[1, 8] = vx + r.l_t * a * Tlx, vy + r.l_t * a * Tly
    for o in range(2):
        g.d[o, CABLE + o], g.m[o, CABLE + o] = -1.0, -1.0
    # derivatives of forces
    kc, dc = eval_normal_slopes(law, gap, z.vn, z.fn)
    by_fn, mu_v, mu_k = eval_slopes_along(law, state, z.fn)
    h = r.radius * inverse
    along, across = tx * z.Tx + ty * z.Ty, nx * z.Tx + ny * z.Ty
    e_t, n_U = tx * z.ex + ty * z.ey, nx * z.ux + ny * z.uy
    sticks = state == STICKS
    for b in range(WIDTH):
        xd, yd = nx * g.d[0, b] + ny * g.d[1, b], tx * g.d[0, b] + ty * g.d[1, b]
        turn, by_l = yd * inverse, il if b == 8 else 0.0
        dfn = kc * xd + dc * (nx * g.e[0, b] + ny * g.e[1, b] + e_t * turn) + by_l * z.fn
        dft = by_fn * dfn
        # add the derivatives of the forces of bristle and damper of a sticking point
        if sticks:
            dvt = tx * g.U[0, b] + ty * g.U[1, b] - n_U * turn - r.o.omega * xd
            dway = h * a * (tx * g.T[0, b] + ty * g.T[1, b] - across * turn - along * xd * inverse)
            db = h * yd + r.paid * dway + (z.way if b == 8 else 0.0) - (r.radius if b == WIDTH - 1 else 0.0)
            dft += mu_v * dvt + by_l * z.ft
            dft += mu_k * h * (db - z.bend * xd * inverse)
        # derivatives of the global forces and of the torque with respect to variable b
        own, rate = g.own, g.rate
        own[0, b], own[1, b] = nx * dfn + tx * z.fn * turn, ny * dfn + ty * z.fn * turn
        own[2, b], own[3, b] = tx * dft - nx * z.ft * turn, ty * dft - ny * z.ft * turn
        own[4, b] = z.D * dft + z.ft * xd
        # derivatives of the same quantities with respect to the rate of variable b
        dfn = dc * xd
        dft = by_fn * dfn
        if sticks:
            dft += mu_v * (tx * g.m[0, b] + ty * g.m[1, b] - (z.D if b == WIDTH - 1 else 0.0))
        rate[0, b], rate[1, b], rate[2, b], rate[3, b], rate[4, b] = nx * dfn, ny * dfn, tx * dft, ty * dft, z.D * dft
        # the generalised force on l contains the energy of the spring divided by l
        K[8, b] += dq * row.stiffness * gap * xd
    # add the derivatives of the generalised forces on the nodes, on the length and on the circle
    for b in range(WIDTH):
        n0, n1, f0, f1, m = (
            dq * g.own[0, b] + dv * g.rate[0, b], dq * g.own[1, b] + dv * g.rate[1, b],
            dq * g.own[2, b] + dv * g.rate[2, b], dq * g.own[3, b] + dv * g.rate[3, b],
            dq * g.own[4, b] + dv * g.rate[4, b],
        )  # fmt: skip
        for e in range(CABLE):
            K[e, b] += g.d[0, e] * n0 + g.d[1, e] * n1 + g.m[0, e] * f0 + g.m[1, e] * f1
        K[CABLE, b], K[CABLE + 1, b] = K[CABLE, b] - n0 - f0, K[CABLE + 1, b] - n1 - f1
        K[CABLE + 2, b] -= m
        # derivatives with respect to the rates of the circle
        if varies and b >= CABLE:
            n0, n1, f0, f1, m = (
                dq * g.rate[0, b], dq * g.rate[1, b], dq * g.rate[2, b], dq * g.rate[3, b], dq * g.rate[4, b],
            )  # fmt: skip
            for e in range(CABLE):
                N[e, b - CABLE] += g.d[0, e] * n0 + g.d[1, e] * n1 + g.m[0, e] * f0 + g.m[1, e] * f1
            N[CABLE, b - CABLE], N[CABLE + 1, b - CABLE] = (
                N[CABLE, b - CABLE] - n0 - f0,
                N[CABLE + 1, b - CABLE] - n1 - f1,
            )
            N[CABLE + 2, b - CABLE] -= m
    # add the terms due to variations of S_i, r_l and w in the generalised forces
    Nx, Ny, Fx, Fy = z.fn * nx, z.fn * ny, z.ft * tx, z.ft * ty
    for j in range(4):
        K[2 * j, 8] += dq * g.shape[j] * (Nx + Fx)
        K[2 * j + 1, 8] += dq * g.shape[j] * (Ny + Fy)
        K[8, 2 * j] += dq * (g.shape[j] * Nx + g.B[j] * Fx)
        K[8, 2 * j + 1] += dq * (g.shape[j] * Ny + g.B[j] * Fy)
    K[8, 8] += dq * a * (Tlx * Fx + Tly * Fy)
    wrench[0], wrench[1], wrench[2] = (
        wrench[0] + dq * (Nx + Fx), wrench[1] + dq * (Ny + Fy), wrench[2] + dq * z.D * z.ft,
    )  # fmt: skip


_add_rows = create_tangent(count_winch_points, CABLE, 2, 3, WORK, begin_row, add_closed_point, couple_nothing)


@kernel
def add_tangent(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of all rows to the matrix, see `create_tangent`."""
    _add_rows(c, circle, data, start, x, v, size, mapped, dq, dv, slots, values)
