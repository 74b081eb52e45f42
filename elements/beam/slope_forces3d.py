"""Kernels of `SlopeBeam3D` for rows of the same order: forces, tangents, inertia of the slopes, energies and
strains.

A point of the axis has the variables y = (p, r_2, r_3, d_2, d_3) with p = r', d_2 = r_2', d_3 = r_3'. The strains
z = (Γ, κ) of slope_beam3d.py are sums of monomials of the ten scalars w in `SCALARS`, which are polynomials of y:

    Γ_1 = n·p D^(-1/2),                                                n = r_2 × r_3,
    Γ_2 = r_2·p g_33^(1/2) D^(-1/2) - r_3·p g_23 g_33^(-1/2) D^(-1/2),    g_ij = r_i·r_j,
    Γ_3 = r_3·p g_33^(-1/2),                                           D = g_22 g_33 - g_23² = |n|²,
    κ_1 = -r_2·d_3 D^(-1/2) + r_3·d_3 g_23 g_33^(-1) D^(-1/2),
    κ_2 = n·d_3 g_33^(-1/2) D^(-1/2),
    κ_3 = -n·d_2 g_33^(1/2) D^(-1) + n·d_3 g_23 g_33^(-1/2) D^(-1).

The derivatives follow by the chain rule: with U = ∂w/∂y and F = ∂z/∂w

    G = ∂z/∂y = F U,    Σ σ_k ∂²z_k/∂y² = Uᵀ (Σ σ_k ∂²z_k/∂w²) U + Σ (Fᵀσ)_j ∂²w_j/∂y².

The strains of the cross section depend on the slopes of one node. The file space_forces.py states the forces that
follow from z, and the derivatives of these forces.
"""

from __future__ import annotations

from math import sqrt
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
from windlass.elements.nodes.section_node import WIDTH
from windlass.elements.nodes.vectors import Vector, cross, dot, find_skew
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

COUNT = 15
"""Number of components of y = (p, r_2, r_3, d_2, d_3)."""
P, R2, R3, D2, D3 = 0, 3, 6, 9, 12
"""Indices of the first components of p, r_2, r_3, d_2, d_3 in y."""
SCALARS = ("g33", "g23", "D", "n·p", "r2·p", "r3·p", "r2·d3", "r3·d3", "n·d2", "n·d3")
"""The scalars w, see the docstring of this module."""
MANY = len(SCALARS)
STRAIN = (0, 1, 1, 2, 3, 3, 4, 5, 5)
"""Index of the strain that contains each monomial."""
FACTOR = (3, 4, 5, 5, 6, 7, 9, 8, 9)
"""For each monomial, the index in w of its factor that contains p, d_2 or d_3."""
SIGN = (1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0)
SHEARED = (0, 0, 1, 0, 0, 1, 0, 0, 1)
"""Exponent of g_23 in each monomial."""
HALVES3 = (0, 1, -1, -1, 0, -2, -1, 1, -1)
"""Twice the exponent of g_33 in each monomial."""
HALVESD = (-1, -1, -1, 0, -1, -1, -1, -2, -2)
"""Twice the exponent of D in each monomial."""


@kernel(inline=True)
def part(y: FloatArray, k: int) -> Vector:
    """Return the components k, k + 1, k + 2 of y."""
    return y[k], y[k + 1], y[k + 2]


@kernel
def fill_scalars(y: FloatArray, w: FloatArray, U: FloatArray) -> None:
    """Fill the scalars w, shape (10,), and the nonzero elements of U = ∂w/∂y, shape (10, 15)."""
    p, r2, r3, d2, d3 = part(y, P), part(y, R2), part(y, R3), part(y, D2), part(y, D3)
    n, g22, g23, g33 = cross(r2, r3), dot(r2, r2), dot(r2, r3), dot(r3, r3)
    w[0], w[1], w[2], w[3] = g33, g23, dot(n, n), dot(n, p)
    w[4], w[5], w[6], w[7] = dot(r2, p), dot(r3, p), dot(r2, d3), dot(r3, d3)
    w[8], w[9] = dot(n, d2), dot(n, d3)
    p2, p3, d22, d23, d32, d33 = cross(p, r2), cross(r3, p), cross(d2, r2), cross(r3, d2), cross(d3, r2), cross(r3, d3)
    for k in range(3):
        U[0, R3 + k] = 2.0 * r3[k]
        U[1, R2 + k], U[1, R3 + k] = r3[k], r2[k]
        U[2, R2 + k] = 2.0 * (g33 * r2[k] - g23 * r3[k])
        U[2, R3 + k] = 2.0 * (g22 * r3[k] - g23 * r2[k])
        U[3, P + k], U[3, R2 + k], U[3, R3 + k] = n[k], p3[k], p2[k]
        U[4, P + k], U[4, R2 + k] = r2[k], p[k]
        U[5, P + k], U[5, R3 + k] = r3[k], p[k]
        U[6, R2 + k], U[6, D3 + k] = d3[k], r2[k]
        U[7, R3 + k], U[7, D3 + k] = d3[k], r3[k]
        U[8, D2 + k], U[8, R2 + k], U[8, R3 + k] = n[k], d23[k], d22[k]
        U[9, D3 + k], U[9, R2 + k], U[9, R3 + k] = n[k], d33[k], d32[k]


@kernel
def fill_point(y: FloatArray, w: FloatArray, U: FloatArray, F: FloatArray, z: FloatArray, G: FloatArray) -> None:
    """Fill w, U, the strains z, shape (6,), F = ∂z/∂w, shape (6, 10), and G = ∂z/∂y, shape (6, 15), for the variables
    y. U must be 0 in the elements that `fill_scalars` does not fill.
    """
    fill_scalars(y, w, U)
    g33, g23, D = w[0], w[1], w[2]
    l, n = sqrt(g33), sqrt(D)
    lengths, areas = (1.0 / g33, 1.0 / l, 1.0, l), (1.0 / D, 1.0 / n, 1.0)
    for k in range(6):
        z[k] = 0.0
        for o in range(MANY):
            F[k, o] = 0.0
    for m in range(len(STRAIN)):
        k, o = STRAIN[m], FACTOR[m]
        scale = SIGN[m] * lengths[HALVES3[m] + 2] * areas[HALVESD[m] + 2]
        own = g23 if SHEARED[m] == 1 else 1.0
        value = scale * own * w[o]
        z[k] += value
        F[k, o] += scale * own
        F[k, 0] += 0.5 * HALVES3[m] * value / g33
        F[k, 1] += SHEARED[m] * scale * w[o]
        F[k, 2] += 0.5 * HALVESD[m] * value / D
    for k in range(6):
        for b in range(COUNT):
            total = 0.0
            for o in range(MANY):
                total += F[k, o] * U[o, b]
            G[k, b] = total


@kernel
def fill_second(w: FloatArray, s: FloatArray, H: FloatArray) -> None:
    """Fill the second derivatives of s·z with respect to w, shape (10, 10), for a constant vector s, shape (6,)."""
    g33, g23, D = w[0], w[1], w[2]
    l, n = sqrt(g33), sqrt(D)
    lengths, areas = (1.0 / g33, 1.0 / l, 1.0, l), (1.0 / D, 1.0 / n, 1.0)
    for i in range(MANY):
        for j in range(MANY):
            H[i, j] = 0.0
    for m in range(len(STRAIN)):
        o, a, b, e = FACTOR[m], 0.5 * HALVES3[m], 0.5 * HALVESD[m], SHEARED[m]
        scale = s[STRAIN[m]] * SIGN[m] * lengths[HALVES3[m] + 2] * areas[HALVESD[m] + 2]
        own = g23 if e == 1 else 1.0
        value = scale * own * w[o]
        H[0, 0] += a * (a - 1.0) * value / (g33 * g33)
        H[2, 2] += b * (b - 1.0) * value / (D * D)
        # these elements are in the upper triangle of H, because the index o is greater than 2
        H[0, 1] += a * e * scale * w[o] / g33
        H[0, 2] += a * b * value / (g33 * D)
        H[0, o] += a * scale * own / g33
        H[1, 2] += b * e * scale * w[o] / D
        H[1, o] += e * scale
        H[2, o] += b * scale * own / D
    for i in range(MANY):
        for j in range(i):
            H[i, j] = H[j, i]


@kernel
def fill_curvature(
    y: FloatArray, w: FloatArray, U: FloatArray, F: FloatArray, s: FloatArray, H: FloatArray, K: FloatArray
) -> None:
    """Fill K, shape (15, 15), with the second derivatives of s·z with respect to y for a constant vector s, shape (6,).

    w, U and F are the results of `fill_point` for the variables y. H, shape (10, 10), is a work array.
    """
    fill_second(w, s, H)
    for a in range(COUNT):
        for b in range(COUNT):
            K[a, b] = 0.0
    # Uᵀ H U
    for i in range(MANY):
        for b in range(COUNT):
            total = 0.0
            for o in range(MANY):
                total += H[i, o] * U[o, b]
            for a in range(COUNT):
                K[a, b] += U[i, a] * total
    # second derivatives of the scalars w, times t = Fᵀ s
    t = (
        weigh(F, s, 0), weigh(F, s, 1), weigh(F, s, 2), weigh(F, s, 3), weigh(F, s, 4),
        weigh(F, s, 5), weigh(F, s, 6), weigh(F, s, 7), weigh(F, s, 8), weigh(F, s, 9),
    )  # fmt: skip
    p, r2, r3, d2, d3 = part(y, P), part(y, R2), part(y, R3), part(y, D2), part(y, D3)
    g22, g23, g33 = dot(r2, r2), dot(r2, r3), dot(r3, r3)
    triple = (
        t[3] * p[0] + t[8] * d2[0] + t[9] * d3[0],
        t[3] * p[1] + t[8] * d2[1] + t[9] * d3[1],
        t[3] * p[2] + t[8] * d2[2] + t[9] * d3[2],
    )
    # blocks of K that are multiples of the unit matrix
    for i in range(3):
        K[R2 + i, R2 + i] += 2.0 * t[2] * g33
        K[R3 + i, R3 + i] += 2.0 * (t[0] + t[2] * g22)
        add_twice(K, R2 + i, R3 + i, t[1] - 2.0 * t[2] * g23)
        add_twice(K, P + i, R2 + i, t[4])
        add_twice(K, P + i, R3 + i, t[5])
        add_twice(K, R2 + i, D3 + i, t[6])
        add_twice(K, R3 + i, D3 + i, t[7])
        # terms with products of slopes and with matrices of cross products
        for j in range(3):
            K[R2 + i, R2 + j] -= 2.0 * t[2] * r3[i] * r3[j]
            K[R3 + i, R3 + j] -= 2.0 * t[2] * r2[i] * r2[j]
            mixed = 2.0 * t[2] * (2.0 * r2[i] * r3[j] - r3[i] * r2[j])
            add_twice(K, R2 + i, R3 + j, mixed - find_skew(triple, i, j))
            second, third = find_skew(r2, i, j), find_skew(r3, i, j)
            add_twice(K, P + i, R2 + j, -t[3] * third)
            add_twice(K, P + i, R3 + j, t[3] * second)
            add_twice(K, D2 + i, R2 + j, -t[8] * third)
            add_twice(K, D2 + i, R3 + j, t[8] * second)
            add_twice(K, D3 + i, R2 + j, -t[9] * third)
            add_twice(K, D3 + i, R3 + j, t[9] * second)


@kernel(inline=True)
def weigh(F: FloatArray, s: FloatArray, o: int) -> float:
    """Return component o of Fᵀ s."""
    total: float = F[0, o] * s[0] + F[1, o] * s[1] + F[2, o] * s[2] + F[3, o] * s[3] + F[4, o] * s[4] + F[5, o] * s[5]
    return total


@kernel(inline=True)
def add_twice(K: FloatArray, a: int, b: int, value: float) -> None:
    """Add a value to the elements (a, b) and (b, a) of K."""
    K[a, b] += value
    K[b, a] += value


@kernel(inline=True)
def find_slopes(row: Any, a: int, x: FloatArray) -> tuple[Vector, Vector]:
    """Return r_2 and r_3 of node a of a row."""
    n = WIDTH * a
    return (
        (x[row.dofs[n + 3]], x[row.dofs[n + 4]], x[row.dofs[n + 5]]),
        (x[row.dofs[n + 6]], x[row.dofs[n + 7]], x[row.dofs[n + 8]]),
    )


@kernel(inline=True)
def find_section(r2: Vector, r3: Vector) -> Vector:
    """Return the strains E_22, E_33, E_23 of the cross section."""
    return 0.5 * (dot(r2, r2) - 1.0), 0.5 * (dot(r3, r3) - 1.0), 0.5 * dot(r2, r3)


@kernel(inline=True)
def find_section_rates(r2: Vector, r3: Vector, v2: Vector, v3: Vector) -> Vector:
    """Return the rates of the strains of the cross section. The arguments v2 and v3 are the rates of the slopes."""
    return dot(r2, v2), dot(r3, v3), 0.5 * (dot(r2, v3) + dot(v2, r3))


@kernel(inline=True)
def find_section_stress(row: Any, E: Vector, Et: Vector) -> Vector:
    """Return the stress resultants k E + d E_t of the strains of the cross section."""
    k, d = row.section_stiffness, row.section_damping
    return k[0] * E[0] + d[0] * Et[0], k[1] * E[1] + d[1] * Et[1], k[2] * E[2] + d[2] * Et[2]


@kernel
def residual(rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add to f the forces on the node coordinates that result from the section forces and from the strains of the cross
    sections. All rows must have the same order.
    """
    y, yt, z, zt, stress = np.zeros(COUNT), np.zeros(COUNT), np.zeros(6), np.zeros(6), np.zeros(6)
    w, U, F, G = np.zeros(MANY), np.zeros((MANY, COUNT)), np.zeros((6, MANY)), np.zeros((6, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            fill_point(y, w, U, F, z, G)
            multiply(G, yt, zt)
            find_stress(row, j, z, zt, stress)
            add_forces(row, rule, j, G, stress, f)
        for a in range(len(rule.W)):
            r2, r3 = find_slopes(row, a, x)
            v2, v3 = find_slopes(row, a, v)
            s = find_section_stress(row, find_section(r2, r3), find_section_rates(r2, r3, v2, v3))
            weight, n = row.length * rule.W[a], WIDTH * a
            for k in range(3):
                f[row.dofs[n + 3 + k]] += weight * (s[0] * r2[k] + 0.5 * s[2] * r3[k])
                f[row.dofs[n + 6 + k]] += weight * (s[1] * r3[k] + 0.5 * s[2] * r2[k])


@kernel
def tangent(
    rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual`, with the factors dq and dv, to the values of the matrix at the
    indices ``slots``, shape (all rows of the table, n, n).
    """
    y, yt, z, zt, stress = np.zeros(COUNT), np.zeros(COUNT), np.zeros(6), np.zeros(6), np.zeros(6)
    w, U, F, G = np.zeros(MANY), np.zeros((MANY, COUNT)), np.zeros((6, MANY)), np.zeros((6, COUNT))
    H, R, T, K = np.zeros((MANY, MANY)), np.zeros((6, COUNT)), np.zeros((6, COUNT)), np.zeros((COUNT, COUNT))
    one = np.eye(6)
    for i in range(len(rows)):
        row = rows[i]
        at = row.place
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            fill_point(y, w, U, F, z, G)
            multiply(G, yt, zt)
            find_stress(row, j, z, zt, stress)
            if row.damped:
                # rows of ∂z_t/∂y: second derivatives of each strain with respect to y, times y_t
                for a in range(6):
                    fill_curvature(y, w, U, F, one[a], H, K)
                    multiply(K, yt, R[a])
            fill_curvature(y, w, U, F, stress, H, K)
            fill_product(row, dq, dv, G, R, T, K)
            add_block(row, rule, j, K, slots[at], values)
        for a in range(len(rule.W)):
            add_section(row, rule, a, x, v, dq, dv, slots[at], values)


@kernel
def add_section(
    row: Any, rule: LineRule, a: int, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray,
    values: FloatArray,
) -> None:  # fmt: skip
    """Add the derivatives of the forces that result from the strains of the cross section at node a to the values of
    the matrix at the indices ``slots`` of the row, shape (n, n).
    """
    r2, r3 = find_slopes(row, a, x)
    v2, v3 = find_slopes(row, a, v)
    s = find_section_stress(row, find_section(r2, r3), find_section_rates(r2, r3, v2, v3))
    k, d, weight, n = row.section_stiffness, row.section_damping, row.length * rule.W[a], WIDTH * a + 3
    c0, c1, c2 = dq * k[0] + dv * d[0], dq * k[1] + dv * d[1], 0.25 * (dq * k[2] + dv * d[2])
    for i in range(3):
        values[slots[n + i, n + i]] += weight * dq * s[0]
        values[slots[n + 3 + i, n + 3 + i]] += weight * dq * s[1]
        values[slots[n + i, n + 3 + i]] += weight * dq * 0.5 * s[2]
        values[slots[n + 3 + i, n + i]] += weight * dq * 0.5 * s[2]
        for j in range(3):
            # derivatives of the strains with respect to r_2 and r_3: (r_2, 0), (0, r_3), (r_3/2, r_2/2)
            second = c0 * r2[i] * r2[j] + dq * d[0] * r2[i] * v2[j]
            third = c1 * r3[i] * r3[j] + dq * d[1] * r3[i] * v3[j]
            e = 0.25 * dq * d[2]
            values[slots[n + i, n + j]] += weight * (second + c2 * r3[i] * r3[j] + e * r3[i] * v3[j])
            values[slots[n + i, n + 3 + j]] += weight * (c2 * r3[i] * r2[j] + e * r3[i] * v2[j])
            values[slots[n + 3 + i, n + j]] += weight * (c2 * r2[i] * r3[j] + e * r2[i] * v3[j])
            values[slots[n + 3 + i, n + 3 + j]] += weight * (third + c2 * r2[i] * r2[j] + e * r2[i] * v2[j])


@kernel
def section_mass(rows: Any, rule: LineRule, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add ``scale`` times the mass matrix ∫ J N_a N_b dx of the slopes of the nodes to the values of the matrix at the
    indices ``slots``, shape (all rows of the table, n, n).
    """
    for i in range(len(rows)):
        row = rows[i]
        at = row.place
        for a in range(len(rule.W)):
            for b in range(len(rule.W)):
                m = scale * row.length * rule.M[a, b]
                for k in range(6):
                    for l in range(6):
                        values[slots[at, WIDTH * a + 3 + k, WIDTH * b + 3 + l]] += m * row.rotary_inertia[k, l]


@kernel
def fill_strains(rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, z: FloatArray, zt: FloatArray) -> None:
    """Fill Γ, κ into ``z``, and the rates of these strains into ``zt``, at the Gauss points of rows with the same
    order. Both arrays have the shape (all rows of the table, 3, 6).
    """
    y, yt, w, U = np.zeros(COUNT), np.zeros(COUNT), np.zeros(MANY), np.zeros((MANY, COUNT))
    F, G = np.zeros((6, MANY)), np.zeros((6, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            fill_point(y, w, U, F, z[row.place, j], G)
            multiply(G, yt, zt[row.place, j])


@kernel
def fill_energies(
    rows: Any, rule: LineRule, x: FloatArray, v: FloatArray, energies: FloatArray, powers: FloatArray
) -> None:
    """Add the elastic energy [J] of each row to ``energies``, and the power [W] that its damping dissipates to
    ``powers``, for rows with the same order.
    """
    y, yt, z, zt = np.zeros(COUNT), np.zeros(COUNT), np.zeros(6), np.zeros(6)
    w, U, F, G = np.zeros(MANY), np.zeros((MANY, COUNT)), np.zeros((6, MANY)), np.zeros((6, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        for j in range(len(rule.w)):
            read_point(row, rule, j, x, y)
            read_point(row, rule, j, v, yt)
            fill_point(y, w, U, F, z, G)
            multiply(G, yt, zt)
            add_energies(row, rule, j, z, zt, energies, powers)
        for a in range(len(rule.W)):
            r2, r3 = find_slopes(row, a, x)
            v2, v3 = find_slopes(row, a, v)
            E, Et, weight = find_section(r2, r3), find_section_rates(r2, r3, v2, v3), row.length * rule.W[a]
            for k in range(3):
                energies[0, row.place] += 0.5 * weight * row.section_stiffness[k] * E[k] * E[k]
                powers[0, row.place] += weight * row.section_damping[k] * Et[k] * Et[k]
