"""Kernels of `Beam3D` for rows of the same order: forces, tangents, energies and strains.

A point of the axis has the variables y = (p, e, d) with p = r' and d = e', where r is the position, e the Euler
parameters and A the rotation matrix of the cross section. With n = e·e, the strains and their derivatives with respect
to y are

    Γ = Aᵀ p,                       ∂Γ/∂p = Aᵀ,    ∂Γ/∂e = Γ × W,    W = 2 L(e)/n,
    κ = F(u) k,    k = W d,         ∂k/∂d = W,     ∂k/∂e = -2 (L(d) + k eᵀ)/n,
    u = l d·d/n,    F = atan(√u)/√u.

The matrix L(e) is defined in rotations.py. For an element of order 1, l is the square of half the element length. The
curvature is then the rotation vector between the nodes, divided by the length of the element. For other orders l = 0
and F = 1. The dot products of Γ and k with constant vectors b and m determine the second derivatives of the strains.
With the matrix m~ of the cross product m ×, these dot products are

    b·Γ = eᵀ Q e/n,    Q = [[b·p, (b × p)ᵀ], [b × p, b pᵀ + p bᵀ - (b·p) I]],
    m·k = eᵀ P d/n,    P = [[0, 2 mᵀ], [-2 m, 2 m~]].

The file space_forces.py states the forces that follow from z = (Γ, κ), and the derivatives of these forces.
"""

from __future__ import annotations

from math import atan, sqrt
from typing import Any

import numpy as np

from windlass.elements.beam.rules import LineRule
from windlass.elements.beam.space_forces import (
    add_block,
    add_energies,
    add_forces,
    fill_product,
    find_stress,
    multiply,
    read_point,
)
from windlass.elements.bodies.rigid3d_kernels import fill_rotation, times_transposed
from windlass.elements.nodes.vectors import Vector, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

WIDTH = 7
"""Number of coordinates of a node: x, y, z, e0, e1, e2, e3."""
COUNT = 11
"""Number of components of y = (p, e, d), see the docstring of this module."""
SMALL = 0.05
"""If u is smaller than this value [1], F and its derivatives are computed from a series. 14 terms of the series give
machine precision.
"""
CurvatureWork = tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]
"""Type of the work arrays of `add_curvature`: Q and P of the module docstring, shape (4, 4), and three gradients, shape
(4,)."""


@kernel(inline=True)
def find_factor(u: float) -> tuple[float, float, float]:
    """Return F(u), F'(u) and F''(u) for the function F of the module docstring."""
    if u > SMALL:
        root = sqrt(u)
        F = atan(root) / root
        first = 0.5 * (1.0 / (1.0 + u) - F) / u
        return F, first, -0.5 * (1.0 / (1.0 + u) ** 2 + 3.0 * first) / u
    F, first, second, power = 0.0, 0.0, 0.0, 1.0
    for k in range(14):
        c = power / (2.0 * k + 1.0)
        F += c * u**k
        first += k * c * u ** max(k - 1, 0)
        second += k * (k - 1) * c * u ** max(k - 2, 0)
        power = -power
    return F, first, second


@kernel
def fill_point(
    l: float, y: FloatArray, A: FloatArray, W: FloatArray, z: FloatArray, G: FloatArray
) -> tuple[float, Vector, float, float, float]:
    """Fill the matrices A, shape (3, 3), and W, shape (3, 4), the strains z = (Γ, κ), shape (6,), and the nonzero
    elements of G = ∂z/∂y, shape (6, 11), for the variables y. Return n, k, F, F' and F''. The module docstring defines
    all these symbols.
    """
    n = fill_rotation(y[3], y[4], y[5], y[6], A, W)
    c, d0, d1, d2, d3 = 2.0 / n, y[7], y[8], y[9], y[10]
    gamma = times_transposed(A, (y[0], y[1], y[2]))
    u = l * (d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3) / n
    F, first, second = find_factor(u)
    # ∂k/∂e without the term -2 k eᵀ/n
    G[3, 3], G[3, 4], G[3, 5], G[3, 6] = c * d1, -c * d0, -c * d3, c * d2
    G[4, 3], G[4, 4], G[4, 5], G[4, 6] = c * d2, c * d3, -c * d0, -c * d1
    G[5, 3], G[5, 4], G[5, 5], G[5, 6] = c * d3, -c * d2, c * d1, -c * d0
    k = (
        W[0, 0] * d0 + W[0, 1] * d1 + W[0, 2] * d2 + W[0, 3] * d3,
        W[1, 0] * d0 + W[1, 1] * d1 + W[1, 2] * d2 + W[1, 3] * d3,
        W[2, 0] * d0 + W[2, 1] * d1 + W[2, 2] * d2 + W[2, 3] * d3,
    )
    for a in range(3):
        z[a], z[3 + a] = gamma[a], F * k[a]
        for b in range(3):
            G[a, b] = A[b, a]
        for b in range(4):
            G[3 + a, 3 + b] = F * (G[3 + a, 3 + b] - c * k[a] * y[3 + b]) - first * c * u * k[a] * y[3 + b]
            G[3 + a, 7 + b] = F * W[a, b] + first * c * l * k[a] * y[7 + b]
    for b in range(4):
        turn = cross(gamma, (W[0, b], W[1, b], W[2, b]))
        for a in range(3):
            G[a, 3 + b] = turn[a]
    return n, k, F, first, second


@kernel(inline=True)
def create_work() -> CurvatureWork:
    """Create the work arrays of `add_curvature`."""
    return np.zeros((4, 4)), np.zeros((4, 4)), np.zeros(4), np.zeros(4), np.zeros(4)


@kernel
def add_curvature(
    l: float, y: FloatArray, A: FloatArray, W: FloatArray, n: float, k: Vector, F: float, first: float, second: float,
    b: Vector, m: Vector, work: CurvatureWork, K: FloatArray,
) -> None:  # fmt: skip
    """Add the second derivatives of b·Γ + m·κ with respect to y to K, shape (11, 11), for constant vectors b and m.

    A, W, n, k, F, ``first`` = F' and ``second`` = F'' are the results of `fill_point` for the variables y.
    """
    Q, P, g, h, Pe = work
    c, p = 2.0 / n, (y[0], y[1], y[2])
    bp, x = dot(b, p), cross(b, p)
    Q[0, 0] = bp
    P[0, 0] = 0.0
    for i in range(3):
        Q[0, 1 + i], Q[1 + i, 0] = x[i], x[i]
        P[0, 1 + i], P[1 + i, 0] = 2.0 * m[i], -2.0 * m[i]
        for j in range(3):
            Q[1 + i, 1 + j] = b[i] * p[j] + p[i] * b[j] - (bp if i == j else 0.0)
        P[1 + i, 1 + i] = 0.0
        i1, i2 = (i + 1) % 3, (i + 2) % 3
        P[1 + i1, 1 + i2], P[1 + i2, 1 + i1] = -2.0 * m[i], 2.0 * m[i]
    # second derivatives of b·Γ with respect to p and e: A (W_j × b) with column j of W
    for j in range(4):
        turn = cross((W[0, j], W[1, j], W[2, j]), b)
        for i in range(3):
            value = A[i, 0] * turn[0] + A[i, 1] * turn[1] + A[i, 2] * turn[2]
            K[i, 3 + j] += value
            K[3 + j, i] += value
    along = 0.0
    for i in range(4):
        for j in range(4):
            along += y[3 + i] * Q[i, j] * y[3 + j] / n
    mk, dd = dot(m, k), 0.0
    for i in range(4):
        dd += y[7 + i] * y[7 + i]
    u = l * dd / n
    # g: gradient of b·Γ with respect to e. h and -Pe: gradients of m·k with respect to e and d.
    for i in range(4):
        gi, hi, Pi = -along * y[3 + i], -mk * y[3 + i], 0.0
        for j in range(4):
            gi += Q[i, j] * y[3 + j]
            hi += 0.5 * P[i, j] * y[7 + j]
            Pi += P[i, j] * y[3 + j] / n
        g[i], h[i], Pe[i] = c * gi, c * hi, Pi
    for i in range(4):
        ei, gi, hi, Pi = y[3 + i], g[i], h[i], Pe[i]
        # u0 and u1: component i of the gradients of u with respect to e and d; v0 and v1: component j
        u0, u1 = -c * u * ei, c * l * y[7 + i]
        for j in range(4):
            own = 1.0 if i == j else 0.0
            ej, dj, gj, hj, Pj = y[3 + j], y[7 + j], g[j], h[j], Pe[j]
            v0, v1 = -c * u * ej, c * l * dj
            # second derivatives of b·Γ + m·κ with respect to e
            value = c * (Q[i, j] - along * own - ei * gj - gi * ej)
            value -= F * c * (ei * hj + hi * ej + mk * own)
            value += first * (hi * v0 + u0 * hj)
            value += mk * (second * u0 * v0 + first * (-c * u * own + 2.0 * c * c * u * ei * ej))
            K[3 + i, 3 + j] += value
            # second derivatives of b·Γ + m·κ with respect to d; the gradient of m·k with respect to d is -P e/n
            value = first * (-Pi * v1 - u1 * Pj) + mk * (second * u1 * v1 + first * c * l * own)
            K[7 + i, 7 + j] += value
            # mixed second derivatives of b·Γ + m·κ with respect to e and d
            value = F * (P[i, j] / n + c * ei * Pj) + first * (hi * v1 - u0 * Pj)
            value += mk * (second * u0 * v1 - first * c * c * l * ei * dj)
            K[3 + i, 7 + j] += value
            K[7 + j, 3 + i] += value


@kernel
def residual(rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add to f the forces on the node coordinates that result from the section forces. All rows must have the same
    order.
    """
    y, yt, z, zt, stress = np.zeros(COUNT), np.zeros(COUNT), np.zeros(6), np.zeros(6), np.zeros(6)
    A, W, G = np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((6, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            fill_point(row.bend, y, A, W, z, G)
            multiply(G, yt, zt)
            find_stress(row, j, z, zt, stress)
            add_forces(row, rule, j, G, stress, f)


@kernel
def tangent(
    rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual`, with the factors dq and dv, to the values of the matrix at the
    indices ``slots``, shape (all rows of the table, n, n).
    """
    y, yt, z, zt, stress = np.zeros(COUNT), np.zeros(COUNT), np.zeros(6), np.zeros(6), np.zeros(6)
    A, W, G, R = np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((6, COUNT)), np.zeros((6, COUNT))
    K, T, work = np.zeros((COUNT, COUNT)), np.zeros((6, COUNT)), create_work()
    one = np.eye(6)
    for i in range(len(rows)):
        row = rows[i]
        at = row.place
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            # strains at the Gauss point, and the forces and moments that result from them
            n, k, F, first, second = fill_point(row.bend, y, A, W, z, G)
            multiply(G, yt, zt)
            find_stress(row, j, z, zt, stress)
            if row.damped:
                # rows of ∂z_t/∂y: second derivatives of each strain with respect to y, times y_t
                for a in range(6):
                    for b in range(COUNT):
                        for o in range(COUNT):
                            K[b, o] = 0.0
                    force, moment = (one[a, 0], one[a, 1], one[a, 2]), (one[a, 3], one[a, 4], one[a, 5])
                    add_curvature(row.bend, y, A, W, n, k, F, first, second, force, moment, work, K)
                    multiply(K, yt, R[a])
            # second derivatives of the strains with respect to y, times forces and moments
            for b in range(COUNT):
                for o in range(COUNT):
                    K[b, o] = 0.0
            force, moment = (stress[0], stress[1], stress[2]), (stress[3], stress[4], stress[5])
            add_curvature(row.bend, y, A, W, n, k, F, first, second, force, moment, work, K)
            fill_product(row, dq, dv, G, R, T, K)
            add_block(row, rule, j, K, slots[at], values)


@kernel
def fill_strains(rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, z: FloatArray, zt: FloatArray) -> None:
    """Fill Γ, κ into ``z``, and the rates of these strains into ``zt``, at the Gauss points of rows with the same
    order. Both arrays have the shape (all rows of the table, 3, 6).
    """
    y, yt, A, W, G = np.zeros(COUNT), np.zeros(COUNT), np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((6, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            fill_point(row.bend, y, A, W, z[row.place, j], G)
            multiply(G, yt, zt[row.place, j])


@kernel
def fill_energies(
    rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, energies: FloatArray, powers: FloatArray
) -> None:
    """Add the elastic energy [J] of each row to ``energies``, and the power [W] that its damping dissipates to
    ``powers``, for rows with the same order.
    """
    y, yt, z, zt = np.zeros(COUNT), np.zeros(COUNT), np.zeros(6), np.zeros(6)
    A, W, G = np.zeros((3, 3)), np.zeros((3, 4)), np.zeros((6, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            fill_point(row.bend, y, A, W, z, G)
            multiply(G, yt, zt)
            add_energies(row, rule, j, z, zt, energies, powers)
