"""Kernels of winch cables for the forces of stretching, bending and damping. The module winch_points.py defines the
symbols.

The forces are ∂Π/∂z with the elastic energy Π(z) = ∫ EA ε²/2 + EI |κ|²/2 dx. The energy per length W of the rope in the
winch is subtracted from the force on l.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from windlass.elements.cable.broken_cables import find_length as find_slope
from windlass.elements.cable.winch_points import Points, count_coordinates, dot, fill_slopes, find_length, sum_up
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel
def axial_energy(EA: float, p: FloatArray, g: FloatArray, K: FloatArray) -> float:
    """Return the energy EA (|p| - 1)²/2 [J/m] for p = r', and fill its first derivatives g, shape (d,), and second
    derivatives K, shape (d, d), with respect to p.
    """
    d, size = len(p), sqrt(dot(p, p))
    force = EA * (size - 1.0)
    for a in range(d):
        g[a] = force * p[a] / size
        for b in range(d):
            K[a, b] = (EA - force / size) * p[a] * p[b] / (size * size)
        K[a, a] += force / size
    return 0.5 * force * (size - 1.0)


@kernel
def bending_energy(EI: float, p: FloatArray, k: FloatArray, g: FloatArray, K: FloatArray) -> float:
    """Return the energy EI |κ|²/2 [J/m] for p = r' and k = r'', where |κ|² = (P Q - R²)/P² with P = p·p, Q = k·k and R
    = p·k. Fill the first derivatives g, shape (2 d,), and the second derivatives K, shape (2 d, 2 d), of the energy
    with respect to p and k.
    """
    d, P, Q, R = len(p), dot(p, p), dot(k, k), dot(p, k)
    E = 0.5 * EI
    # first and second derivatives of e = E (Q/P - R²/P²) with respect to P, Q and R
    e_P, e_Q, e_R = E * (2.0 * R * R / P - Q) / (P * P), E / P, -2.0 * E * R / (P * P)
    e_PP, e_PQ, e_PR, e_RR = E * (2.0 * Q - 6.0 * R * R / P) / P**3, -E / P**2, 4.0 * E * R / P**3, -2.0 * E / P**2
    for a in range(d):
        g[a] = 2.0 * e_P * p[a] + e_R * k[a]
        g[d + a] = 2.0 * e_Q * k[a] + e_R * p[a]
        for b in range(d):
            K[a, b] = 4.0 * e_PP * p[a] * p[b] + 2.0 * e_PR * (p[a] * k[b] + k[a] * p[b]) + e_RR * k[a] * k[b]
            K[a, d + b] = 4.0 * e_PQ * p[a] * k[b] + 2.0 * e_PR * p[a] * p[b] + e_RR * k[a] * p[b]
            K[d + b, a] = K[a, d + b]
            K[d + a, d + b] = e_RR * p[a] * p[b]
        K[a, a] += 2.0 * e_P
        K[a, d + a] += e_R
        K[d + a, a] += e_R
        K[d + a, d + a] += 2.0 * e_Q
    return E * (Q / P - R * R / (P * P))


@kernel
def add_elastic(
    rows: Any, axial: Points, bending: Points, x: FloatArray, dq: float, f: FloatArray,
    slots: IntArray, values: FloatArray, energies: FloatArray,
) -> None:  # fmt: skip
    """Add the elastic forces to f, and dq times the derivatives of these forces with respect to z to the values of the
    matrix. Also add the energies of stretching and bending to ``energies``, shape (2, rows). If the array for a result
    is empty, this result is not computed.
    """
    n = count_coordinates(rows)
    d = (n - 1) // 4
    S, p, p_l, k, k_l = np.empty((3, 4)), np.empty(d), np.empty(d), np.empty(d), np.empty(d)
    # G = y_z and twice = y_ll are derivatives of y = (r', r''); g and K are derivatives of the energy with respect to y
    G, twice, KG = np.zeros((2 * d, n)), np.zeros(2 * d), np.empty((2 * d, n))
    g, K = np.zeros(2 * d), np.zeros((2 * d, 2 * d))
    gp, Kp = np.zeros(d), np.zeros((d, d))
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        dofs, l = row.dofs, find_length(row, x)
        # stretching (kind = 0) and bending (kind = 1) have different integration points
        for kind in range(2):
            P = axial if kind == 0 else bending
            used = (1 + kind) * d
            for point in range(len(P.w)):
                fill_slopes(row, P, point, l, S)
                sum_up(S[0], 1, x, dofs, p, p_l, l)
                sum_up(S[1], 2, x, dofs, k, k_l, l)
                # energy density and its derivatives with respect to r' and r''
                if kind == 0:
                    energy = axial_energy(row.axial_stiffness, p, gp, Kp)
                    g[:d], K[:d, :d] = gp, Kp
                else:
                    energy = bending_energy(row.bending_stiffness, p, k, g, K)
                weight = P.w[point] * row.share
                if energies.size > 0:
                    energies[kind, i] += weight * l * energy
                if f.size == 0 and values.size == 0:
                    continue
                # derivatives of r' and r'' with respect to the coordinates of the nodes and to l
                for a in range(d):
                    for j in range(4):
                        G[a, d * j + a], G[d + a, d * j + a] = S[0, j], S[1, j]
                    G[a, n - 1], G[d + a, n - 1] = p_l[a], k_l[a]
                # forces; the integration weight of a point is proportional to l, so the force on l also contains the
                # energy of the point
                if f.size > 0:
                    for b in range(n):
                        f[dofs[b]] += weight * l * dot(g[:used], G[:used, b])
                    f[dofs[n - 1]] += weight * energy
                if values.size > 0:
                    # r'_ll = Σ (p_i - 1) (p_i - 2) S_i' q_i/l² = -2 r'_l/l, r''_ll = Σ (p_i - 2) (p_i - 3) S_i'' q_i/l²
                    for a in range(d):
                        twice[a], twice[d + a] = -2.0 * p_l[a] / l, 0.0
                        for j in range(4):
                            q = x[dofs[d * j + a]]
                            twice[d + a] += (6.0 - 4.0 * (j % 2)) * S[1, j] * q / (l * l)
                    # second derivatives of the energy with respect to all pairs of coordinates
                    for a in range(used):
                        for b in range(n):
                            KG[a, b] = dot(K[a, :used], G[:used, b])
                    to, scale = slots[i], dq * weight * l
                    for a in range(n):
                        for b in range(n):
                            values[to[a, b]] += scale * dot(G[:used, a], KG[:used, b])
                    # derivatives of the forces on the nodes with respect to l, on which r', r'' and the integration
                    # weight depend
                    last = n - 1
                    for a in range(d):
                        for j in range(4):
                            b = d * j + a
                            mixed = (j % 2 - 1) * S[0, j] * g[a]
                            if kind == 1:
                                mixed += (j % 2 - 2) * S[1, j] * g[d + a]
                            mixed = scale * (mixed / l + dot(g[:used], G[:used, b]) / l)
                            values[to[b, last]] += mixed
                            values[to[last, b]] += mixed
                    # second derivative with respect to l
                    values[to[last, last]] += scale * (
                        dot(g[:used], twice[:used]) + 2.0 * dot(g[:used], G[:used, last]) / l
                    )
        if f.size > 0:
            f[dofs[n - 1]] -= row.share * row.stored


@kernel
def add_ends(
    rows: Any, x: FloatArray, dq: float, f: FloatArray, slots: IntArray, values: FloatArray, energies: FloatArray
) -> None:
    """Add the forces of the slopes of broken cables (broken_cables.py) to f. Add dq times the derivatives of these
    forces with respect to z to the values of the matrix, and the energies of the slopes to the first row of
    ``energies``. If the array for a result is empty, this result is not computed.
    """
    last = count_coordinates(rows) - 1
    d = last // 4
    for i in range(len(rows)):
        row = rows[i]
        if not (row.active and row.broken):
            continue
        dofs, l = row.dofs, find_length(row, x)
        k = row.ends * row.share * l
        for e in range(2):
            at = d + 2 * d * e
            size = find_slope(row, at, d, x)
            N, along = k * (size - 1.0) / size, k / size**3
            energy = 0.5 * k * (size - 1.0) ** 2
            if energies.size > 0:
                energies[0, i] += energy
            if f.size > 0:
                for a in range(d):
                    f[dofs[at + a]] += N * x[dofs[at + a]]
                f[dofs[last]] += energy / l
            if values.size > 0:
                for a in range(d):
                    p = x[dofs[at + a]]
                    values[slots[i, at + a, at + a]] += dq * N
                    for b in range(d):
                        values[slots[i, at + a, at + b]] += dq * along * p * x[dofs[at + b]]
                    # k is proportional to l
                    values[slots[i, at + a, last]] += dq * N * p / l
                    values[slots[i, last, at + a]] += dq * N * p / l


@kernel
def add_damping(
    rows: Any, P: Points, x: FloatArray, v: FloatArray, dq: float, dv: float, f: FloatArray,
    slots: IntArray, values: FloatArray, powers: FloatArray,
) -> None:  # fmt: skip
    """Add the forces of axial damping to ``f``, and the dissipated power [W] to ``powers``, shape (rows,). Also add the
    tangent dq ∂f/∂z + dv ∂f/∂z_t of these forces to the values of the matrix. If the array for a result is empty, this
    result is not computed.

    The strain rate of the material is ε_t = J·z_t, and the forces are f = ∫ d_EA ε_t J dx. With the unit tangent e =
    r'/|r'|, the components of J for the nodes are S_i' e. The component for l is e·dr'/dl, with dr'/dl at constant
    material.
    """
    n = count_coordinates(rows)
    d, last = (n - 1) // 4, n - 1
    # angles of cables with torsion have no effect on the strain, so their elements of J and DJ remain 0
    S, J, DJ, rate = np.empty((3, 4)), np.zeros(n), np.zeros((n, n)), np.empty(n)
    p, p_l, m, m_l, e, across = np.empty(d), np.empty(d), np.empty(d), np.empty(d), np.empty(d), np.empty((d, d))
    for i in range(len(rows)):
        row = rows[i]
        if not row.active or row.axial_damping == 0.0:
            continue
        dofs, l = row.dofs, find_length(row, x)
        for point in range(len(P.w)):
            fill_slopes(row, P, point, l, S)
            sum_up(S[0], 1, x, dofs, p, p_l, l)
            sum_up(S[2], 2, x, dofs, m, m_l, l)
            # strain rate of the material J·z_t
            size = sqrt(dot(p, p))
            for a in range(d):
                e[a] = p[a] / size
            for a in range(d):
                for j in range(4):
                    J[d * j + a] = S[0, j] * e[a]
            J[last] = dot(e, m)
            rate_now = 0.0
            for b in range(n):
                rate_now += J[b] * v[dofs[b]]
            # power and forces
            scale = P.w[point] * row.share * l * row.axial_damping
            if powers.size > 0:
                powers[i] += scale * rate_now * rate_now
            if f.size > 0:
                for b in range(n):
                    f[dofs[b]] += scale * rate_now * J[b]
            if values.size == 0:
                continue
            # DJ = ∂J/∂z; ∂e/∂p = (I - e eᵀ)/|p|
            for a in range(d):
                for b in range(d):
                    across[a, b] = ((1.0 if a == b else 0.0) - e[a] * e[b]) / size
            # elements of DJ for two coordinates of the nodes, and for one coordinate of the nodes and l
            for a in range(d):
                for j in range(4):
                    at = d * j + a
                    for b in range(d):
                        for k in range(4):
                            DJ[at, d * k + b] = S[0, j] * across[a, b] * S[0, k]
                    DJ[at, last] = S[0, j] * (dot(across[a], p_l) + (j % 2 - 1) * e[a] / l)
                    DJ[last, at] = dot(across[a], m) * S[0, j] + e[a] * S[2, j]
            # second derivative with respect to l
            DJ[last, last] = dot(e, m_l)
            for a in range(d):
                DJ[last, last] += p_l[a] * dot(across[a], m)
            # derivatives of the strain rate with respect to the coordinates, and the elements of the matrix
            for b in range(n):
                rate[b] = 0.0
                for a in range(n):
                    rate[b] += v[dofs[a]] * DJ[a, b]
            to = slots[i]
            for a in range(n):
                for b in range(n):
                    entry = dq * (J[a] * rate[b] + rate_now * DJ[a, b]) + dv * J[a] * J[b]
                    values[to[a, b]] += scale * entry
                # the integration weight of the point is proportional to l
                values[to[a, last]] += scale * dq * rate_now * J[a] / l
