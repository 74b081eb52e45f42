"""Kernels of `ALECable2D`: elastic and inertia forces on the 9 coordinates of a cable, which are 8 coordinates of the
nodes, followed by s.

Symbols: q and v are the total coordinates and the velocities of the nodes. For each global axis, there are 4
coordinates in the order r0, r0', r1, r1'. The speed and the acceleration of the axial motion are s_t and s_tt. The
derivatives of the shape functions with respect to x are S_j' = Σ_i S_i G_ij. Therefore

    r_t + s_t r' = Σ S_i w_i    with    w = v + s_t G q.

With the moving mass per length μ, the following matrices are used for each global axis:

    P = ∫ μ S_i S_j' dx = M G,    Q = ∫ μ S_i' S_j' dx = Gᵀ M G,    R = ∫ μ S_i S_j'' dx = M G G = [μ S_i S_j'] - Q.

Kernels read the records ``rows`` of cables. The fields are ``moving_mass_per_length`` μ and ``mass_per_length`` [kg/m],
``length`` [m], and the matrices ``G``, ``P``, ``Q`` and ``R``, shape (4, 4). ``dofs`` are the process-local coordinate
indices of the two nodes and of s (9). If ``convective`` is true, damping is computed from w instead of v. If
``use_coupling_terms`` is true, s_tt causes forces on the nodes, and accelerations of the nodes cause a force on s. If
``add_ale_variation`` is true, the elastic forces cause a force on s.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.points import eval_shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


def slide_matrices(L: FloatArray) -> FloatArray:
    """Return G with S_j' = Σ_i S_i G_ij, shape (rows, 4, 4), for cables of the lengths L [m], shape (rows,)."""
    _, dS, ddS = eval_shape(np.array((0.0, 1.0)), L[:, None])
    # column j of G contains the values of S_j' and S_j'' at both ends
    return np.stack((dS, ddS), axis=2).reshape(-1, 4, 4)


@kernel(inline=True)
def fill_product(A: FloatArray, q: FloatArray, n: IntArray, out: FloatArray) -> None:
    """Fill ``out``, shape (8,), with the products of A, shape (4, 4), and the coordinates q[n[0:8]] along x and along
    y.
    """
    for a in range(8):
        k = a % 2
        i = a // 2
        out[a] = A[i, 0] * q[n[k]] + A[i, 1] * q[n[2 + k]] + A[i, 2] * q[n[4 + k]] + A[i, 3] * q[n[6 + k]]


@kernel
def gather(rows: NDArray[Any], x: FloatArray, v: FloatArray, xe: FloatArray, ve: FloatArray) -> None:
    """Copy the 8 coordinates of each element to ``xe``, in the order of the elements. Copy to ``ve`` the rates from
    which the damping is computed.
    """
    g = np.empty(8)
    for i in range(len(rows)):
        row = rows[i]
        n = row.dofs
        s_t = v[n[8]] if row.convective else 0.0
        fill_product(row.G, x, n, g)
        for a in range(8):
            xe[8 * i + a] = x[n[a]]
            ve[8 * i + a] = v[n[a]] + s_t * g[a]


@kernel
def scatter_forces(rows: NDArray[Any], x: FloatArray, fe: FloatArray, f: FloatArray) -> None:
    """Add the 8 forces fe of each element to f. If ``add_ale_variation`` is true, add (G q)·fe, the generalised force
    of a motion along the axis, to the force on s.
    """
    g = np.empty(8)
    for i in range(len(rows)):
        row = rows[i]
        n = row.dofs
        fill_product(row.G, x, n, g)
        work = 0.0
        for a in range(8):
            f[n[a]] += fe[8 * i + a]
            work += g[a] * fe[8 * i + a]
        if row.add_ale_variation:
            f[n[8]] += work


@kernel
def scatter_tangent(
    rows: NDArray[Any], x: FloatArray, v: FloatArray, fe: FloatArray, K: FloatArray, D: FloatArray,
    dq: float, dv: float, slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `scatter_forces`, with the factors dq and dv, to the values of the matrix.

    K contains dq ∂fe/∂xe + dv ∂fe/∂ve of the elements, and D contains ∂fe/∂ve, both of shape (rows, 8, 8). The array fe
    contains the forces of the elements.
    """
    g, B = np.empty(8), np.empty((8, 9))
    for i in range(len(rows)):
        row = rows[i]
        n, to, G = row.dofs, slots[i], row.G
        fill_product(G, x, n, g)
        # B contains dq times the derivatives of fe with respect to the 9 coordinates, plus dv times the derivatives
        # with respect to their rates. If ``convective`` is true, fe depends on w = v + s_t G q, and therefore on q.
        for a in range(8):
            B[a, 8] = 0.0
            for b in range(8):
                B[a, b] = K[i, a, b]
        # derivatives of the damping forces that are due to the term s_t G q of w
        if row.convective:
            s_t = dq * v[n[8]]
            for a in range(8):
                for b in range(8):
                    k, j = b % 2, b // 2
                    along = D[i, a, k] * G[0, j] + D[i, a, 2 + k] * G[1, j]
                    along += D[i, a, 4 + k] * G[2, j] + D[i, a, 6 + k] * G[3, j]
                    B[a, b] += s_t * along
                    B[a, 8] += dv * D[i, a, b] * g[b]
        # derivatives of the forces on the nodes
        for a in range(8):
            for b in range(9):
                values[to[a, b]] += B[a, b]
        # derivatives of the force on s, (G q)·fe, with respect to the 9 coordinates
        if row.add_ale_variation:
            for b in range(9):
                total = 0.0
                for a in range(8):
                    total += g[a] * B[a, b]
                if b < 8:
                    k, j = b % 2, b // 2
                    for a in range(4):
                        total += dq * fe[8 * i + 2 * a + k] * G[a, j]
                values[to[8, b]] += total


@kernel
def inertia(rows: NDArray[Any], x: FloatArray, v: FloatArray, a: FloatArray, f: FloatArray) -> None:
    """Add to f the inertia forces that are not part of the constant mass matrix. The forces on the nodes are 2 s_t P v
    + s_t² R q + s_tt P q. The force on s is 2 s_t vᵀQ q + s_t² [μ r'·r']/2 + (P q)·a. The terms with P q are included
    if ``use_coupling_terms`` is true.
    """
    Pv, Rq, Pq, Qq = np.empty(8), np.empty(8), np.empty(8), np.empty(8)
    for i in range(len(rows)):
        row = rows[i]
        n = row.dofs
        s_t, s_tt = v[n[8]], a[n[8]]
        fill_product(row.P, v, n, Pv)
        fill_product(row.R, x, n, Rq)
        fill_product(row.P, x, n, Pq)
        fill_product(row.Q, x, n, Qq)
        ends = x[n[6]] ** 2 + x[n[7]] ** 2 - x[n[2]] ** 2 - x[n[3]] ** 2
        total = 0.5 * s_t * s_t * row.moving_mass_per_length * ends
        for k in range(8):
            f[n[k]] += 2.0 * s_t * Pv[k] + s_t * s_t * Rq[k]
            total += 2.0 * s_t * v[n[k]] * Qq[k]
            if row.use_coupling_terms:
                f[n[k]] += s_tt * Pq[k]
                total += Pq[k] * a[n[k]]
        f[n[8]] += total


@kernel
def inertia_tangent(
    rows: NDArray[Any], x: FloatArray, v: FloatArray, a: FloatArray, dq: float, dv: float, da: float,
    slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`, with the factors dq, dv and da, to the values of the
    matrix.
    """
    Pv, Rq, Pq, Qq, Qv = np.empty(8), np.empty(8), np.empty(8), np.empty(8), np.empty(8)
    for i in range(len(rows)):
        row = rows[i]
        n, to = row.dofs, slots[i]
        P, R = row.P, row.R
        s_t, s_tt = v[n[8]], a[n[8]] if row.use_coupling_terms else 0.0
        fill_product(P, v, n, Pv)
        fill_product(R, x, n, Rq)
        fill_product(P, x, n, Pq)
        fill_product(row.Q, x, n, Qq)
        fill_product(row.Q, v, n, Qv)
        # derivatives of the force on s with respect to the slopes at the ends and to s_t
        ends, rate = 0.0, 0.0
        for k in range(8):
            rate += v[n[k]] * Qq[k]
        for k in range(2):
            ends += x[n[6 + k]] ** 2 - x[n[2 + k]] ** 2
            values[to[8, 6 + k]] += dq * s_t * s_t * row.moving_mass_per_length * x[n[6 + k]]
            values[to[8, 2 + k]] -= dq * s_t * s_t * row.moving_mass_per_length * x[n[2 + k]]
        values[to[8, 8]] += dv * (2.0 * rate + s_t * row.moving_mass_per_length * ends)
        # derivatives of the forces on the nodes with respect to coordinates and velocities of the nodes
        for j in range(4):
            for l in range(4):
                entry = 2.0 * dv * s_t * P[j, l] + dq * (s_t * s_t * R[j, l] + s_tt * P[j, l])
                for k in range(2):
                    values[to[2 * j + k, 2 * l + k]] += entry
        # derivatives of the forces on the nodes with respect to s and its rates, and of the force on s with respect to
        # the coordinates of the nodes and their rates
        for k in range(8):
            values[to[k, 8]] += 2.0 * dv * (Pv[k] + s_t * Rq[k])
            values[to[8, k]] += 2.0 * s_t * (dq * Qv[k] + dv * Qq[k])
            if row.use_coupling_terms:
                values[to[k, 8]] += da * Pq[k]
                values[to[8, k]] += da * Pq[k]
                # derivative of (P q)·a with respect to q: Pᵀ a
                j, l = k // 2, k % 2
                total = P[0, j] * a[n[l]] + P[1, j] * a[n[2 + l]] + P[2, j] * a[n[4 + l]] + P[3, j] * a[n[6 + l]]
                values[to[8, k]] += dq * total


@kernel
def gravity(rows: NDArray[Any], x: FloatArray, g: FloatArray, which: IntArray, f: FloatArray) -> None:
    """Add the weight of selected rows to the force on the coordinate s. This force is g·∫ ρA r' dx = ρA g·(r1 - r0)
    [N], with the gravitational acceleration g [m/s^2], shape (3,)."""
    for i in which:
        row = rows[i]
        n = row.dofs
        f[n[8]] += row.mass_per_length * (g[0] * (x[n[4]] - x[n[0]]) + g[1] * (x[n[5]] - x[n[1]]))


@kernel
def gravity_tangent(
    rows: NDArray[Any], g: FloatArray, which: IntArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q of `gravity`, with the factor dq, to the values of the matrix."""
    for i in which:
        rho = rows[i].mass_per_length
        for k in range(2):
            values[slots[i, 8, 4 + k]] += dq * rho * g[k]
            values[slots[i, 8, k]] -= dq * rho * g[k]
