"""Kernels of winch cables: inertia, weight and motion of the moving material, and the flows of mass, momentum and
energy.

The symbols are defined in winch_points.py.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from windlass.elements.cable.winch_points import (
    Points,
    count_coordinates,
    dot,
    fill_shapes,
    fill_slopes,
    find_length,
    sum_up,
)
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel
def inertia(rows: Any, P: Points, x: FloatArray, v: FloatArray, a: FloatArray, f: FloatArray) -> None:
    """Add the inertia forces to f: ∫ ρA S_i u_t dx on the nodes, and ∫ ρA w·u_t dx on l. Here u_t is the acceleration
    of the material.
    """
    n = count_coordinates(rows)
    d = (n - 1) // 4
    S = np.empty((3, 4))
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        dofs, l = row.dofs, find_length(row, x)
        l_t, l_tt = v[dofs[n - 1]], a[dofs[n - 1]]
        for point in range(len(P.w)):
            fill_shapes(row, P, point, l, S)
            m = P.w[point] * row.share * l * row.mass_per_length
            for k in range(d):
                u_t, w = 0.0, 0.0
                for j in range(4):
                    b = dofs[d * j + k]
                    w += S[1, j] * x[b]
                    u_t += S[0, j] * a[b] + S[1, j] * (l_tt * x[b] + 2.0 * l_t * v[b]) + S[2, j] * l_t * l_t * x[b]
                for j in range(4):
                    f[dofs[d * j + k]] += m * S[0, j] * u_t
                f[dofs[n - 1]] += m * w * u_t


@kernel
def inertia_tangent(
    rows: Any, P: Points, x: FloatArray, v: FloatArray, a: FloatArray, dq: float, dv: float, da: float,
    slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`, with the factors dq, dv and da, to the values of the
    matrix.
    """
    n = count_coordinates(rows)
    d, last = (n - 1) // 4, n - 1
    S, A = np.empty((3, 4)), np.empty(4)
    r_tt, w, Bv, Cq, by_l, w_l = np.empty(d), np.empty(d), np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    other = np.empty(d)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        dofs, to, l = row.dofs, slots[i], find_length(row, x)
        l_t, l_tt = v[dofs[last]], a[dofs[last]]
        for point in range(len(P.w)):
            # r_tt: acceleration u_t of the material, which is the sum of the terms with q_tt, l_tt, l_t q_t and l_t².
            # by_l: derivative of u_t with respect to l.
            fill_shapes(row, P, point, l, S)
            m = P.w[point] * row.share * l * row.mass_per_length
            sum_up(S[0], 0, a, dofs, r_tt, by_l, l)
            sum_up(S[1], 1, x, dofs, w, w_l, l)
            for k in range(d):
                r_tt[k] += l_tt * w[k]
                by_l[k] += l_tt * w_l[k]
            sum_up(S[1], 1, v, dofs, Bv, other, l)
            for k in range(d):
                r_tt[k] += 2.0 * l_t * Bv[k]
                by_l[k] += 2.0 * l_t * other[k]
            sum_up(S[2], 2, x, dofs, Cq, other, l)
            for k in range(d):
                r_tt[k] += l_t * l_t * Cq[k]
                # the last term contains the derivative of the integration weight, which is proportional to l
                by_l[k] += l_t * l_t * other[k] + r_tt[k] / l
            # derivatives of the acceleration with respect to the coordinates of the nodes
            for j in range(4):
                A[j] = dq * (l_tt * S[1, j] + l_t * l_t * S[2, j]) + 2.0 * dv * l_t * S[1, j] + da * S[0, j]
            corner = 0.0
            for k in range(d):
                # derivative of the acceleration with respect to l, including the integration weight
                along = dq * by_l[k] + 2.0 * dv * (Bv[k] + l_t * Cq[k]) + da * w[k]
                corner += w[k] * along + dq * w_l[k] * r_tt[k]
                # elements of the matrix for one coordinate of the nodes and l, and for two coordinates of the nodes
                for j in range(4):
                    b = d * j + k
                    values[to[b, last]] += m * S[0, j] * (along + dq * (j % 2) * r_tt[k] / l)
                    values[to[last, b]] += m * (w[k] * A[j] + dq * S[1, j] * r_tt[k])
                    for q in range(4):
                        values[to[b, d * q + k]] += m * S[0, j] * A[q]
            values[to[last, last]] += m * corner


@kernel
def gravity(rows: Any, P: Points, x: FloatArray, g: FloatArray, which: IntArray, f: FloatArray) -> None:
    """Add the weight of selected rows to f: the force on node coordinates is ∫ ρA S_i g dx, and the force on l is ∫ ρA
    w·g dx. Here g is the gravitational acceleration [m/s^2], shape (3,)."""
    n = count_coordinates(rows)
    d = (n - 1) // 4
    S = np.empty((3, 4))
    for i in which:
        row = rows[i]
        if not row.active:
            continue
        dofs, l = row.dofs, find_length(row, x)
        for point in range(len(P.w)):
            fill_shapes(row, P, point, l, S)
            m = P.w[point] * row.share * l * row.mass_per_length
            for k in range(d):
                for j in range(4):
                    f[dofs[d * j + k]] += m * S[0, j] * g[k]
                    f[dofs[n - 1]] += m * S[1, j] * x[dofs[d * j + k]] * g[k]


@kernel
def gravity_tangent(
    rows: Any, P: Points, x: FloatArray, g: FloatArray, which: IntArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q of `gravity`, with the factor dq, to the values of the matrix."""
    n = count_coordinates(rows)
    d, last = (n - 1) // 4, n - 1
    S = np.empty((3, 4))
    for i in which:
        row = rows[i]
        if not row.active:
            continue
        to, l = slots[i], find_length(row, x)
        for point in range(len(P.w)):
            fill_shapes(row, P, point, l, S)
            m = dq * P.w[point] * row.share * l * row.mass_per_length
            for k in range(d):
                for j in range(4):
                    values[to[d * j + k, last]] += m * (1 + j % 2) * S[0, j] * g[k] / l
                    values[to[last, d * j + k]] += m * S[1, j] * g[k]
                    # the product of integration weight and B_i is proportional to l to the power p_i
                    values[to[last, last]] += m * (j % 2) * S[1, j] * x[row.dofs[d * j + k]] * g[k] / l


@kernel
def fill_motion(
    rows: Any, P: Points, x: FloatArray, v: FloatArray, r: FloatArray, u: FloatArray, N: FloatArray
) -> None:
    """Fill position r and velocity u of the material, shape (rows, k, d), and axial force N including damping, shape
    (rows, k), at k points of each cable."""
    n = count_coordinates(rows)
    d = (n - 1) // 4
    S, D = np.empty((3, 4)), np.empty((3, 4))
    p, p_t = np.empty(d), np.empty(d)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        dofs, l = row.dofs, find_length(row, x)
        l_t = v[dofs[n - 1]]
        for point in range(len(P.s)):
            fill_shapes(row, P, point, l, S)
            fill_slopes(row, P, point, l, D)
            for k in range(d):
                r[i, point, k], u[i, point, k], p[k], p_t[k] = 0.0, 0.0, 0.0, 0.0
                for j in range(4):
                    q, q_t = x[dofs[d * j + k]], v[dofs[d * j + k]]
                    r[i, point, k] += S[0, j] * q
                    u[i, point, k] += S[0, j] * q_t + l_t * S[1, j] * q
                    p[k] += D[0, j] * q
                    p_t[k] += D[0, j] * q_t + l_t * D[2, j] * q
            size = sqrt(dot(p, p))
            N[i, point] = row.axial_stiffness * (size - 1.0) + row.axial_damping * dot(p, p_t) / size


@kernel
def fill_flows(rows: Any, ends: Points, x: FloatArray, v: FloatArray, flow: FloatArray) -> None:
    """Add the net flows of mass [kg/s], momentum [N] and kinetic energy [W] into each cable through its two ends to
    ``flow``, shape (rows, 2 + d).
    """
    n = count_coordinates(rows)
    d = (n - 1) // 4
    S = np.empty((3, 4))
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        dofs, l = row.dofs, find_length(row, x)
        l_t = v[dofs[n - 1]]
        for end in range(2):
            fill_shapes(row, ends, end, l, S)
            place = row.begin + row.share * ends.s[end]
            mass = (1.0 - 2.0 * end) * row.mass_per_length * (1.0 - place) * l_t
            flow[i, 0] += mass
            for k in range(d):
                u = 0.0
                for j in range(4):
                    b = dofs[d * j + k]
                    u += S[0, j] * v[b] + l_t * S[1, j] * x[b]
                flow[i, 1 + k] += mass * u
                flow[i, 1 + d] += 0.5 * mass * u * u
