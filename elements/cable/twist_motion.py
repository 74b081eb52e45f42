"""Kernels of `TwistCable3D`: inertia of the spin about the axis, and the motion of cross sections for outputs.

    spin of the material at a node    ω = φ_t - u/S,   u = b·(p × p_t),   S = |p|² + |p| (b·p)
    ω_t = φ_tt - z/S + u n/S²,        z = b·(p × p_tt),   n = p_t·∇S
    kinetic energy                    ½ Σ m_ij ω_i ω_j,   m = J L/12 [[5, 1], [1, 5]]
    forces                            on φ_i:  α_i = Σ m_ij ω_j,t        on p_i:  -α_i h/S - Π_i p × p_t/|p|³
    with                              Π_i = Σ m_ij ω_j,   h = b × p

Here p is the slope r' of a node, φ is the angle of its frame, and b is the constant direction of the node
(nodes/twist_node.py). L is the length of the element, and J is the moment of inertia per length about the axis of the
cable.

The matrix m is the mean of the consistent and the lumped mass matrix. With this matrix, torsional frequencies have
errors of fourth order in the length of the elements. The last term of the forces on p_i is the gyroscopic force. This
force follows from the exterior derivative of the 1-form ω dt. This derivative is the area form on the unit sphere of
tangents.

Source: Lagrange's equations; for ω see nodes/turning.py; for the mass matrix T. J. R. Hughes, The Finite Element
Method, Prentice Hall (1987), section 7.3.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

NODES = ((3, 4, 5, 12), (9, 10, 11, 13))
"""Indices of the three slope components and of the angle of each node among the coordinates of a row."""


@kernel(inline=True)
def read(x: FloatArray, n: IntArray, node: int) -> Vector:
    """Read the slope of a node, or its rate."""
    first = 3 + 6 * node
    return x[n[first]], x[n[first + 1]], x[n[first + 2]]


@kernel(inline=True)
def direction(row: Any, node: int) -> Vector:
    """Return the constant direction b of a node."""
    return (row.b0[0], row.b0[1], row.b0[2]) if node == 0 else (row.b1[0], row.b1[1], row.b1[2])


@kernel(inline=True)
def find_scale(b: Vector, p: Vector) -> tuple[float, Vector]:
    """Return S and its gradient ∇S with respect to p."""
    l, bp = sqrt(dot(p, p)), dot(b, p)
    return l * (l + bp), combine(2.0 + bp / l, p, l, b)


@kernel(inline=True)
def find_spin(b: Vector, p: Vector, pt: Vector, angle_rate: float) -> float:
    """Return the spin ω [rad/s] of the material about the tangent."""
    S, _ = find_scale(b, p)
    return angle_rate - dot(cross(b, p), pt) / S


@kernel(inline=True)
def find_spin_rate(b: Vector, p: Vector, pt: Vector, ptt: Vector, acceleration: float) -> float:
    """Return the rate ω_t [rad/s^2] of the spin of the material."""
    (S, D), h = find_scale(b, p), cross(b, p)
    return acceleration - dot(h, ptt) / S + dot(h, pt) * dot(pt, D) / (S * S)


@kernel
def inertia(rows: Any, x: FloatArray, v: FloatArray, a: FloatArray, f: FloatArray) -> None:
    """Add the inertia forces of the spin to f."""
    omega, omega_t = np.empty(2), np.empty(2)
    for i in range(len(rows)):
        row = rows[i]
        n = row.dofs
        for k in range(2):
            b, p, pt, ptt = direction(row, k), read(x, n, k), read(v, n, k), read(a, n, k)
            omega[k] = find_spin(b, p, pt, v[n[12 + k]])
            omega_t[k] = find_spin_rate(b, p, pt, ptt, a[n[12 + k]])
        m = row.rotary_inertia * row.length / 12.0
        for k in range(2):
            b, p, pt = direction(row, k), read(x, n, k), read(v, n, k)
            momentum, torque = m * (5.0 * omega[k] + omega[1 - k]), m * (5.0 * omega_t[k] + omega_t[1 - k])
            S, _ = find_scale(b, p)
            h, turn, l = cross(b, p), cross(p, pt), sqrt(dot(p, p))
            force = combine(-torque / S, h, -momentum / (l * l * l), turn)
            for d in range(3):
                f[n[3 + 6 * k + d]] += force[d]
            f[n[12 + k]] += torque


@kernel
def fill_spin_variations(
    b: Vector, p: Vector, pt: Vector, ptt: Vector, dq: float, dv: float, da: float,
    on_v: FloatArray, gyro: FloatArray, change: FloatArray, change_t: FloatArray,
) -> None:  # fmt: skip
    """For p and φ of a node, fill four arrays of shape (4,): the derivatives of ω with respect to p_t and φ_t (on_v),
    the gyroscopic force for Π = 1 (gyro), and the variations of ω (change) and ω_t (change_t) with the factors dq, dv
    and da.
    """
    (S, D), h, l, bp = find_scale(b, p), cross(b, p), sqrt(dot(p, p)), dot(b, p)
    il, iS, u, z, rate = 1.0 / l, 1.0 / S, dot(h, pt), dot(h, ptt), dot(pt, D)
    t, turn, uq, zq = (il * p[0], il * p[1], il * p[2]), cross(p, pt), cross(pt, b), cross(ptt, b)
    # product of the matrix of second derivatives of S and the vector p_t
    along = dot(t, pt)
    E = combine(2.0 + il * bp, pt, dot(b, pt) - il * bp * along, t)
    E = combine(1.0, E, along, b)
    on_v[3], gyro[3], change[3], change_t[3] = 1.0, 0.0, dv, da
    for d in range(3):
        on_v[d], gyro[d] = -iS * h[d], -il * il * il * turn[d]
        by_q = -iS * uq[d] + u * iS * iS * D[d]
        by_v = iS * iS * (rate * h[d] + u * D[d])
        by_qt = -iS * zq[d] + iS * iS * (z * D[d] + rate * uq[d] + u * E[d]) - 2.0 * iS * iS * iS * u * rate * D[d]
        change[d] = dq * by_q + dv * on_v[d]
        change_t[d] = dq * by_qt + dv * by_v + da * on_v[d]


@kernel
def fill_own(
    b: Vector, p: Vector, pt: Vector, momentum: float, torque: float, dq: float, dv: float, own: FloatArray
) -> None:
    """Fill ``own``, shape (3, 3), with the derivatives of the forces on a slope with respect to this slope and its
    rate, at constant momentum and torque, with the factors dq and dv.
    """
    (S, D), h, turn, il = find_scale(b, p), cross(b, p), cross(p, pt), 1.0 / sqrt(dot(p, p))
    x1, x2, x3 = dq * torque / S, momentum * il * il * il, 3.0 * dq * momentum * il**5
    for c in range(3):
        for d in range(3):
            own[c, d] = x1 / S * h[c] * D[d] + x3 * turn[c] * p[d]
    for c in range(3):
        c1, c2 = (c + 1) % 3, (c + 2) % 3
        # -x1 b × δp - x2 (δp × p_t + p × δp_t), since (b × δ)_c = b_c1 δ_c2 - b_c2 δ_c1
        own[c, c2] -= x1 * b[c1] - dq * x2 * pt[c1] + dv * x2 * p[c1]
        own[c, c1] += x1 * b[c2] - dq * x2 * pt[c2] + dv * x2 * p[c2]


@kernel
def inertia_tangent(
    rows: Any, x: FloatArray, v: FloatArray, a: FloatArray, dq: float, dv: float, da: float,
    slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`, with the factors dq, dv and da, to the values of the
    matrix.
    """
    omega, omega_t = np.empty(2), np.empty(2)
    # spins of both nodes, and their derivatives and variations, see `fill_spin_variations`
    on_v, gyro, change, change_t = np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4))
    own = np.empty((3, 3))
    for i in range(len(rows)):
        row = rows[i]
        n, to = row.dofs, slots[row.place]
        for k in range(2):
            b, p, pt, ptt = direction(row, k), read(x, n, k), read(v, n, k), read(a, n, k)
            omega[k] = find_spin(b, p, pt, v[n[12 + k]])
            omega_t[k] = find_spin_rate(b, p, pt, ptt, a[n[12 + k]])
            fill_spin_variations(b, p, pt, ptt, dq, dv, da, on_v[k], gyro[k], change[k], change_t[k])
        m = row.rotary_inertia * row.length / 12.0
        for k in range(2):
            # derivatives due to variations of the momenta Π_i and the torques α_i, which depend on both nodes
            for j in range(2):
                w = 5.0 * m if j == k else m
                for c in range(4):
                    for d in range(4):
                        r, s = 3 + 6 * k + c if c < 3 else 12 + k, 3 + 6 * j + d if d < 3 else 12 + j
                        values[to[r, s]] += w * (on_v[k, c] * change_t[j, d] + gyro[k, c] * change[j, d])
            # derivatives of the forces on a slope with respect to this slope and its rate, at constant momentum and
            # torque
            b, p, pt = direction(row, k), read(x, n, k), read(v, n, k)
            momentum, torque = m * (5.0 * omega[k] + omega[1 - k]), m * (5.0 * omega_t[k] + omega_t[1 - k])
            fill_own(b, p, pt, momentum, torque, dq, dv, own)
            for c in range(3):
                for d in range(3):
                    values[to[3 + 6 * k + c, 3 + 6 * k + d]] += own[c, d]
