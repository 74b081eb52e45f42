"""Kernels of `Beam2D` for elements of the same polynomial order: forces, tangents, rotary inertia, energies and
strains.

See beam2d.py for the equations and symbols. At a point of the axis, the variables are y = (r'_x, r'_y, φ, φ'), the
strains are z(y), and the section forces are σ = S (z - z_ref) + D z_t. The generalised forces are f_y = Gᵀ σ with G =
∂z/∂y, and the derivatives of f_y with respect to y are

    ∂f_y/∂y = Gᵀ (S G + D ∂z_t/∂y) + Σ σ_k ∂²z_k/∂y².

The second derivatives of the strains follow from ∂Γ/∂φ = (Γ_2, -Γ_1).
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np

from windlass.elements.beam.rules import LineRule
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

WIDTH = 3
"""Number of coordinates of a node: x, y, rotation."""
Three = tuple[float, float, float]
Point = tuple[float, float, float, float]


@kernel(inline=True)
def read_point(row: Any, rule: LineRule, j: int, x: FloatArray, share: float) -> Point:
    """Return r'_x, r'_y, φ and φ' at a Gauss point. For these values, x must contain coordinates and ``share`` must be
    1. If x contains velocities and ``share`` is 0, return the rates of these variables.
    """
    p0, p1, phi, turn = 0.0, 0.0, 0.0, 0.0
    for a in range(len(rule.W)):
        n, D = WIDTH * a, rule.D[j, a] / row.length
        p0 += D * x[row.dofs[n]]
        p1 += D * x[row.dofs[n + 1]]
        angle = x[row.dofs[n + 2]] + share * row.shift[a]
        phi += rule.N[j, a] * angle
        turn += D * angle
    return p0, p1, phi, turn


@kernel(inline=True)
def find_strains(y: Point) -> Three:
    """Return Γ_1, Γ_2 and φ'."""
    c, s = cos(y[2]), sin(y[2])
    return c * y[0] + s * y[1], c * y[1] - s * y[0], y[3]


@kernel(inline=True)
def find_rates(y: Point, yt: Point) -> Three:
    """Return the rates of Γ_1, Γ_2 and φ'."""
    c, s = cos(y[2]), sin(y[2])
    g1, g2 = c * y[0] + s * y[1], c * y[1] - s * y[0]
    return c * yt[0] + s * yt[1] + yt[2] * g2, c * yt[1] - s * yt[0] - yt[2] * g1, yt[3]


@kernel(inline=True)
def times(A: FloatArray, z: Three) -> Three:
    """Return A z."""
    return (
        A[0, 0] * z[0] + A[0, 1] * z[1] + A[0, 2] * z[2],
        A[1, 0] * z[0] + A[1, 1] * z[1] + A[1, 2] * z[2],
        A[2, 0] * z[0] + A[2, 1] * z[1] + A[2, 2] * z[2],
    )


@kernel(inline=True)
def beyond(row: Any, j: int, z: Three) -> Three:
    """Return ε, γ and κ, which are the differences between the present strains and the strains of the stress-free
    state.
    """
    return z[0] - row.free[j, 0], z[1] - row.free[j, 1], z[2] - row.free[j, 2]


@kernel
def residual(rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add to f the forces on the node coordinates that result from the section forces. All rows must have the same
    order.
    """
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            y, yt = read_point(row, rule, j, x, 1.0), read_point(row, rule, j, v, 0.0)
            z = find_strains(y)
            e, d = times(row.stiffness, beyond(row, j, z)), times(row.damping, find_rates(y, yt))
            N, Q, M = e[0] + d[0], e[1] + d[1], e[2] + d[2]
            c, s = cos(y[2]), sin(y[2])
            fx, fy, torque = c * N - s * Q, s * N + c * Q, N * z[1] - Q * z[0]
            for a in range(len(rule.W)):
                n, wD, wN = WIDTH * a, rule.w[j] * rule.D[j, a], rule.w[j] * row.length * rule.N[j, a]
                f[row.dofs[n]] += wD * fx
                f[row.dofs[n + 1]] += wD * fy
                f[row.dofs[n + 2]] += wD * M + wN * torque


@kernel
def tangent(
    rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual`, with the factors dq and dv, to the values of the matrix at the
    indices ``slots``, shape (all rows of the table, n, n).
    """
    G, R, K = np.zeros((3, 4)), np.zeros((3, 4)), np.zeros((4, 4))
    for i in range(len(rows)):
        row = rows[i]
        at = row.place
        for j in range(len(rule.w)):
            y, yt = read_point(row, rule, j, x, 1.0), read_point(row, rule, j, v, 0.0)
            z, zt = find_strains(y), find_rates(y, yt)
            e, d = times(row.stiffness, beyond(row, j, z)), times(row.damping, zt)
            N, Q, c, s, w = e[0] + d[0], e[1] + d[1], cos(y[2]), sin(y[2]), yt[2]
            # G = ∂z/∂y, R = ∂z_t/∂y
            G[0, 0], G[0, 1], G[0, 2] = c, s, z[1]
            G[1, 0], G[1, 1], G[1, 2] = -s, c, -z[0]
            G[2, 3] = 1.0
            R[0, 0], R[0, 1], R[0, 2] = -w * s, w * c, zt[1]
            R[1, 0], R[1, 1], R[1, 2] = -w * c, -w * s, -zt[0]
            for a in range(4):
                for b in range(4):
                    total = 0.0
                    for k in range(3):
                        for l in range(3):
                            S, D = row.stiffness[k, l], row.damping[k, l]
                            total += G[k, a] * ((dq * S + dv * D) * G[l, b] + dq * D * R[l, b])
                    K[a, b] = total
            fx, fy = c * N - s * Q, s * N + c * Q
            K[0, 2] -= dq * fy
            K[2, 0] -= dq * fy
            K[1, 2] += dq * fx
            K[2, 1] += dq * fx
            K[2, 2] -= dq * (N * z[0] + Q * z[1])
            add_block(row, rule, j, K, slots[at], values)


@kernel
def add_block(row: Any, rule: LineRule, j: int, K: FloatArray, slots: IntArray, values: FloatArray) -> None:
    """Add the contribution of Gauss point j to the values of the matrix at the indices ``slots`` of the row, shape
    (n, n). K, shape (4, 4), contains dq ∂f_y/∂y + dv ∂f_y/∂y_t for y = (r'_x, r'_y, φ, φ').
    """
    L = row.length
    for a in range(len(rule.W)):
        Na, Da, wL = rule.N[j, a], rule.D[j, a] / L, rule.w[j] * L
        for b in range(len(rule.W)):
            Nb, Db = wL * rule.N[j, b], wL * rule.D[j, b] / L
            m, n = WIDTH * a, WIDTH * b
            for k in range(2):
                for l in range(2):
                    values[slots[m + k, n + l]] += Da * K[k, l] * Db
                values[slots[m + k, n + 2]] += Da * (K[k, 2] * Nb + K[k, 3] * Db)
                values[slots[m + 2, n + k]] += (Na * K[2, k] + Da * K[3, k]) * Db
            turn = Na * (K[2, 2] * Nb + K[2, 3] * Db) + Da * (K[3, 2] * Nb + K[3, 3] * Db)
            values[slots[m + 2, n + 2]] += turn


@kernel
def section_mass(rows: Any, rule: LineRule, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add ``scale`` times a mass matrix to the values of the matrix at the indices ``slots``, shape (all rows of the
    table, n, n). The mass matrix ∫ J N_a N_b dx is the matrix of the rotations of the nodes.
    """
    for i in range(len(rows)):
        row = rows[i]
        at = row.place
        for a in range(len(rule.W)):
            for b in range(len(rule.W)):
                m = scale * row.length * rule.M[a, b]
                values[slots[at, WIDTH * a + 2, WIDTH * b + 2]] += m * row.rotary_inertia


@kernel
def fill_energies(
    rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, energies: FloatArray, powers: FloatArray
) -> None:
    """Add the elastic energy [J] of each row to ``energies``, and the power [W] that its damping dissipates to
    ``powers``, for rows with the same order.
    """
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            y, yt = read_point(row, rule, j, x, 1.0), read_point(row, rule, j, v, 0.0)
            e, zt = beyond(row, j, find_strains(y)), find_rates(y, yt)
            s, d = times(row.stiffness, e), times(row.damping, zt)
            w = rule.w[j] * row.length
            energies[0, row.place] += 0.5 * w * (s[0] * e[0] + s[1] * e[1] + s[2] * e[2])
            powers[0, row.place] += w * (d[0] * zt[0] + d[1] * zt[1] + d[2] * zt[2])


@kernel
def fill_strains(rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, z: FloatArray, zt: FloatArray) -> None:
    """Fill Γ_1, Γ_2, φ' into ``z``, and the rates of these strains into ``zt``, at the Gauss points of rows with the
    same order. Both arrays have the shape (all rows of the table, 3, 3).
    """
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            y, yt = read_point(row, rule, j, x, 1.0), read_point(row, rule, j, v, 0.0)
            z[row.place, j, 0], z[row.place, j, 1], z[row.place, j, 2] = find_strains(y)
            zt[row.place, j, 0], zt[row.place, j, 1], zt[row.place, j, 2] = find_rates(y, yt)
