"""Integration points of loads along winch cables: motion of the material, and assembly of forces and tangents at the
nodes and at the length l of the rope.

elements/cable/winch_points.py defines the shape functions S, B and C, the derivative w = Σ B_i q_i of the position of
the material with respect to l, and the integration points at constant ξ. A load F per reference length is a function of
the position r, the slope p = r' and the velocity u of the material. The generalised forces of the load are

    nodes    ∫ S_i F dx        l    ∫ w·F dx,        dx = h dξ, h = Δ l.

The tangent is the exact derivative of these sums with respect to all coordinates, velocities and accelerations. At
constant ξ the derivatives with respect to l are r_l = Σ p_i S_i q_i/l, p_l = Σ (p_i - 1) S_i' q_i/l, w_l = Σ (p_i - 1)
B_i q_i/l and u_l = Σ p_i S_i v_i/l + l_t w_l. For the acceleration of the material, the derivative is

    a_l = Σ p_i S_i a_i/l + l_tt w_l + 2 l_t Σ (p_i - 1) B_i v_i/l + l_t² Σ (p_i - 2) C_i q_i/l.

Source: J. L. Tang, G. X. Ren, W. D. Zhu, H. Ren, Commun. Nonlinear Sci. Numer. Simulat. 16 (2011) 3411-3424, for the
rope of variable length.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.loads.morison import eval_drag, eval_length
from windlass.elements.cable.points import eval_shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.rows import create_records

VECTORS = ("w", "r_l", "p_l", "w_l", "u_l", "a_l", "a_lt", "r_t", "p_t", "slip")
"""Vectors of a point in addition to the vectors of `line_points.create_points`. The vector a_lt is the derivative of
the acceleration with respect to l_t, and r_t and p_t are rates at constant ξ. The vector slip is the acceleration of
the material minus the rate of its velocity at constant ξ.
"""


class WinchLine(NamedTuple):
    """Data of k rows with n points each, on winch cables in d dimensions."""

    row: IntArray  # process-local indices of these rows, shape (k,)
    # process-local indices of the coordinates of the nodes and of l, shape (k, 4 d + 1); in ropes with torsion, two
    # angles precede l, and the shape is (k, 15)
    dofs: IntArray
    begin: FloatArray  # σ0, the start of each cable as a fraction of the rope [1], shape (k,)
    share: FloatArray  # Δ, the length of each cable as a fraction of the rope [1], shape (k,)
    s: FloatArray  # ξ, the positions of the points on their cable, from 0 to 1 [1], shape (k, n)
    w: FloatArray  # integration weights of the points on a cable of length 1, shape (n,)
    N: FloatArray  # shape functions of a cable of length 1, shape (k, n, 4)
    dN: FloatArray  # first derivatives of the shape functions, shape (k, n, 4)
    ddN: FloatArray  # second derivatives of the shape functions, shape (k, n, 4)


def create_winch_line(
    row: IntArray, dofs: IntArray, begin: FloatArray, share: FloatArray, s: FloatArray, w: FloatArray
) -> WinchLine:
    """Create the points at ξ = s, shape (k, n), with the weights w, shape (n,), of k cables. `WinchLine` describes the
    other arguments.
    """
    shape = eval_shape(s, np.ones(()))
    return WinchLine(row, np.ascontiguousarray(dofs), begin, share, s, w, shape.S, shape.dS, shape.ddS)


def create_winch_points(count: int) -> NDArray[Any]:
    """Create records for the motion of points and for the forces at the points, shape (count,), with the fields of
    `line_points.create_points`, `VECTORS`, S, dS, B and C, shape (4,), the length l of the rope with its derivatives
    l_t and l_tt, and the weight in the integral [m].
    """
    vectors = {name: np.zeros((count, 3)) for name in ("r", "p", "v", "a", "F", *VECTORS)}
    matrices = {name: np.zeros((count, 3, 3)) for name in ("Fr", "Fp", "Fv")}
    shapes = {name: np.zeros((count, 4)) for name in ("S", "dS", "B", "C")}
    return create_records(
        **vectors, **matrices, **shapes, **{name: np.zeros(count) for name in ("l", "l_t", "l_tt", "weight")}
    )


@kernel
def locate(c: WinchLine, x: FloatArray, v: FloatArray, a: FloatArray, m: Any) -> None:
    """Write the motion of all points into m, see `create_winch_points`, from coordinates x, velocities v and
    accelerations a."""
    n, last = c.N.shape[1], c.dofs.shape[1] - 1
    d = last // 4
    for i in range(len(c.dofs)):
        dofs = c.dofs[i]
        l, l_t, l_tt = x[dofs[last]], v[dofs[last]], a[dofs[last]]
        h, il = c.share[i] * l, 1.0 / l
        for j in range(n):
            k, b = i * n + j, (1.0 - c.begin[i]) / c.share[i] - c.s[i, j]
            m[k].l, m[k].l_t, m[k].l_tt, m[k].weight = l, l_t, l_tt, c.w[j] * h
            for e in range(4):
                p, N, dN, ddN = e % 2, c.N[i, j, e], c.dN[i, j, e], c.ddN[i, j, e]
                scale = h if p == 1 else 1.0
                m[k].S[e], m[k].dS[e] = scale * N, scale * dN / h
                m[k].B[e] = scale * (dN * b + p * N) * il
                m[k].C[e] = scale * (ddN * b * b + 2 * (p - 1) * dN * b) * il * il
            for q in range(d):
                r, slope, w, r_l, p_l, w_l, C, C_l = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                rate, slope_t, v_l, B_v, B_v_l, acceleration, acc_l = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                for e in range(4):
                    p, to = e % 2, dofs[d * e + q]
                    S, dS, B = m[k].S[e], m[k].dS[e], m[k].B[e]
                    r, slope, w, C = r + S * x[to], slope + dS * x[to], w + B * x[to], C + m[k].C[e] * x[to]
                    r_l, p_l = r_l + p * S * x[to] * il, p_l + (p - 1) * dS * x[to] * il
                    w_l, C_l = w_l + (p - 1) * B * x[to] * il, C_l + (p - 2) * m[k].C[e] * x[to] * il
                    rate, slope_t, v_l = rate + S * v[to], slope_t + dS * v[to], v_l + p * S * v[to] * il
                    B_v, B_v_l = B_v + B * v[to], B_v_l + (p - 1) * B * v[to] * il
                    acceleration, acc_l = acceleration + S * a[to], acc_l + p * S * a[to] * il
                m[k].r[q], m[k].p[q], m[k].w[q] = r, slope, w
                m[k].v[q] = rate + l_t * w
                m[k].a[q] = acceleration + l_tt * w + 2.0 * l_t * B_v + l_t * l_t * C
                m[k].r_l[q], m[k].p_l[q], m[k].w_l[q], m[k].u_l[q] = r_l, p_l, w_l, v_l + l_t * w_l
                m[k].a_l[q] = acc_l + l_tt * w_l + 2.0 * l_t * B_v_l + l_t * l_t * C_l
                m[k].a_lt[q] = 2.0 * (B_v + l_t * C)
                m[k].r_t[q], m[k].p_t[q] = rate + l_t * r_l, slope_t + l_t * p_l
                m[k].slip[q] = l_t * (B_v - v_l) + l_t * l_t * (C - w_l)


@kernel
def add_forces(c: WinchLine, m: Any, f: FloatArray) -> None:
    """Add the generalised forces of the load F per length: Σ weight S F to the forces on the nodes, and Σ weight w·F to
    the force on the length l of the rope."""
    n, last = c.N.shape[1], c.dofs.shape[1] - 1
    d = last // 4
    for i in range(len(c.dofs)):
        for j in range(n):
            k = i * n + j
            for q in range(d):
                force = m[k].weight * m[k].F[q]
                f[c.dofs[i, last]] += m[k].w[q] * force
                for e in range(4):
                    f[c.dofs[i, d * e + q]] += m[k].S[e] * force


@kernel
def add_tangents(
    c: WinchLine, m: Any, inertia: bool, dq: float, dv: float, da: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent of the generalised forces of `add_forces`, with the factors dq, dv and da, to the values of the
    matrix. The argument ``slots`` contains the indices of matrix entries of all rows.

    The field Fv contains the derivative of the load F with respect to the velocity u of the material. If ``inertia`` is
    true, Fv contains the derivative with respect to the acceleration a instead.
    """
    n, last = c.N.shape[1], c.dofs.shape[1] - 1
    d = last // 4
    # the angles of ropes with torsion, which are between the coordinates of the nodes and l, have no effect on the load
    motion, change, by_l = np.zeros(4), np.zeros((3, last + 1)), np.zeros(3)
    for i in range(len(c.dofs)):
        to = slots[c.row[i]]
        for j in range(n):
            k = i * n + j
            l, l_t, l_tt, weight = m[k].l, m[k].l_t, m[k].l_tt, m[k].weight
            # derivatives of the velocity or acceleration of the material with respect to coordinates of nodes and with
            # respect to l
            for e in range(4):
                if inertia:
                    own = dq * (l_tt * m[k].B[e] + l_t * l_t * m[k].C[e]) + 2.0 * dv * l_t * m[k].B[e]
                    motion[e] = own + da * m[k].S[e]
                else:
                    motion[e] = dq * l_t * m[k].B[e] + dv * m[k].S[e]
            for q in range(d):
                if inertia:
                    by_l[q] = dq * m[k].a_l[q] + dv * m[k].a_lt[q] + da * m[k].w[q]
                else:
                    by_l[q] = dq * m[k].u_l[q] + dv * m[k].w[q]
            # derivatives of F with respect to all coordinates
            for q in range(d):
                change[q, last] = 0.0
                for o in range(d):
                    Fr, Fp, Fv = m[k].Fr[q, o], m[k].Fp[q, o], m[k].Fv[q, o]
                    change[q, last] += dq * (Fr * m[k].r_l[o] + Fp * m[k].p_l[o]) + Fv * by_l[o]
                    for e in range(4):
                        change[q, d * e + o] = dq * (Fr * m[k].S[e] + Fp * m[k].dS[e]) + Fv * motion[e]
            # compute the derivatives of the generalised forces, which are products of F with the weight, S and w
            corner = 0.0
            for q in range(d):
                force = dq * weight * m[k].F[q]
                corner += force * (m[k].w_l[q] + m[k].w[q] / l)
                for e in range(4):
                    values[to[d * e + q, last]] += force * (1 + e % 2) * m[k].S[e] / l
                    values[to[last, d * e + q]] += force * m[k].B[e]
                for column in range(last + 1):
                    part = weight * change[q, column]
                    values[to[last, column]] += m[k].w[q] * part
                    for e in range(4):
                        values[to[d * e + q, column]] += m[k].S[e] * part
            values[to[last, last]] += corner


@kernel
def fill_powers(c: Any, line: WinchLine, m: Any, flow: Any, powers: FloatArray) -> None:
    """Add two powers [W] to the array ``powers``, shape (rows, 2), for each row. The first is the power that drag
    dissipates. The second is the part of the power of the inertia forces that does not change the kinetic energy of the
    added mass. This part is the sum of the power that the changing added mass transfers to the fluid, and of the
    kinetic energy per unit of time that the material carries out of the rope.

    The second power is Σ weight [u·M slip - u·M u l_t/(2 l) - u·M_t u/2], where M is the matrix of the added mass per
    length, and M_t its rate at constant ξ.
    """
    t, wn, D = np.zeros(3), np.zeros(3), np.zeros(3)
    n = line.N.shape[1]
    for i in range(len(c)):
        size, _, _ = eval_drag(c, m, flow, i, t, wn, D)
        length, s = eval_length(c, i, size), flow[i].s
        drag, q, turn, stretch, square, dive, slip, slip_t = 0.0, 0.0, 0.0, 0.0, 0.0, flow[i].st, 0.0, 0.0
        for k in range(3):
            drag += D[k] * (flow[i].u[k] - m[i].v[k])
            q += t[k] * m[i].v[k]
            stretch += t[k] * m[i].p_t[k]
            square += m[i].v[k] ** 2
            dive += flow[i].ds[k] * m[i].r_t[k]
            slip += m[i].v[k] * m[i].slip[k]
            slip_t += t[k] * m[i].slip[k]
        square = c[i].added * square - c[i].excess * q * q
        for k in range(3):
            turn += (m[i].p_t[k] - stretch * t[k]) * m[i].v[k]
        change = s * (c[i].grows * stretch * square - 2.0 * c[i].excess * q * length / size * turn)
        change += length * dive * square + length * s * square * m[i].l_t / m[i].l
        moved = length * s * (c[i].added * slip - c[i].excess * q * slip_t)
        powers[line.row[i // n], 0] += m[i].weight * length * s * drag
        powers[line.row[i // n], 1] += m[i].weight * (moved - 0.5 * change)
