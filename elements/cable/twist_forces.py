"""Kernels of `TwistCable3D` for rows with the same integration rule: forces, tangents and energies.

    N = EA (ε - ε_ref) + C τ + d_EA ε_t        M_i = EI_i (κ_i - κ_i,ref) + d_EI κ_i,t
    M = GJ τ + C mean(ε - ε_ref) + d_GJ τ_t,   τ = (T - T_ref)/L - τ0
    f = ∫ N δε + M_1 δκ_1 + M_2 δκ_2 dx + M δT

    frame at s: frame of twist_points.py, turned about t by β B(s), B = 4 s (1 - s); β = -q/k minimises the energy
    q = ∫ B (M_1 κ_2 - M_2 κ_1) dx  without damping,        change of the energy: -q²/(2 k)
    k = 16 GJ/(3 L) + ∫ B² (EI_1 κ_2² + EI_2 κ_1²) dx,      derivatives of -q²/(2 k): β ∂q + β² ∂k/2

Bending causes the torque q in rods that are curved in the stress-free state or have EI_1 ≠ EI_2. Without β, the torque
would be constant in each element, and errors would be of second order in the length of the elements. With β, errors are
of fourth order. The stiffness k does not contain the terms M_i κ_i. Therefore q²/(2 k) never exceeds the bending
energy.

The stiffnesses, dampings and T_ref are defined in twist_cable.py. T, κ_1, κ_2 and y are defined in twist_points.py. Let
g be the first and H the second derivatives of a strain z with respect to y, and let s be the conjugate force or moment.
The force s g has the derivative s H + g gᵀ ∂s/∂z with respect to y. If s contains a damping term d g·y_t with the
damping coefficient d, the derivative has the additional term d g (H y_t)ᵀ.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from windlass.elements.cable.points import Rule
from windlass.elements.cable.twist_points import (
    COUNT,
    EndFrames,
    add_gradient,
    fill_curvature_changes,
    fill_curvatures,
    fill_spin,
    fill_spin_change,
    fill_twist,
    fill_twist_change,
    frame_between,
    interpolate,
    node_frames,
    read_coordinates,
    twist_between,
)
from windlass.elements.nodes.turning import axes_of
from windlass.elements.nodes.vectors import Vector, combine, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

PARTS = (0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 7, 8, 9, 10)
SIGNS = (-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
"""For each of the 14 coordinates of a row, the component of y to which it contributes, and the sign of this
contribution.
"""


@kernel(inline=True)
def read(P: FloatArray, j: int) -> Vector:
    """Return the factors of e, s0, s1 in r' or L r'' at point j of an integration rule."""
    return P[j, 0], P[j, 1], P[j, 2]


@kernel(inline=True)
def times(g: FloatArray, y: FloatArray) -> float:
    """Return g·y."""
    total = 0.0
    for i in range(COUNT):
        total += g[i] * y[i]
    return total


@kernel
def mean_strain(row: Any, r: Rule, y: FloatArray) -> float:
    """Return the mean of ε - ε_ref."""
    mean = 0.0
    for j in range(len(r.wa)):
        p = interpolate(read(r.Pa, j), 1.0, y)
        mean += r.wa[j] * (sqrt(dot(p, p)) - 1.0 - row.free_strain[j])
    return mean


@kernel(inline=True)
def bubble(s: float) -> float:
    """Return 4 s (1 - s)."""
    return 4.0 * s * (1.0 - s)


@kernel(inline=True)
def find_moments(row: Any, j: int, kappa: FloatArray) -> tuple[float, float, float, float]:
    """Return the bending moments M_1 and M_2 without damping at a bending point, and the derivatives of M_1 κ_2 - M_2
    κ_1 with respect to κ_1 and κ_2."""
    E1, E2 = row.bending_stiffness[0], row.bending_stiffness[1]
    M1, M2 = E1 * (kappa[0] - row.free_curvature[j, 0]), E2 * (kappa[1] - row.free_curvature[j, 1])
    return M1, M2, E1 * kappa[1] - M2, M1 - E2 * kappa[0]


@kernel
def find_bubble(row: Any, L: float, r: Rule, kappa: FloatArray) -> tuple[float, float]:
    """Return β and k [N m] for the length L. The docstring of this module defines β and k."""
    q, k = 0.0, 16.0 / 3.0 * row.torsional_stiffness / L
    for j in range(len(r.wb)):
        B = bubble(r.sb[j])
        w, k1, k2 = r.wb[j] * L * B, kappa[j, 0], kappa[j, 1]
        M1, M2, _, _ = find_moments(row, j, kappa[j])
        q += w * (M1 * k2 - M2 * k1)
        k += w * B * (row.bending_stiffness[0] * k2 * k2 + row.bending_stiffness[1] * k1 * k1)
    return -q / k, k


@kernel
def fill_point(
    row: Any,
    L: float,
    r: Rule,
    j: int,
    y: FloatArray,
    T: float,
    frames: EndFrames,
    sigma: FloatArray,
    kappa: FloatArray,
    G: FloatArray,
) -> None:
    """Fill κ_1 and κ_2 at a bending point, shape (2,), and their derivatives with respect to y, shape (2, 11), for the
    length L. The array sigma is a work array.
    """
    s, P, K = r.sb[j], read(r.Pb, j), read(r.Kb, j)
    K = (K[0] / L, K[1] / L, K[2] / L)
    p, k = interpolate(P, 1.0, y), interpolate(K, 1.0, y)
    _, d1, d2 = axes_of(frame_between(row, s, p, y, T, frames))
    fill_spin(row, s, P, p, y, sigma)
    kappa[0], kappa[1] = fill_curvatures(P, K, p, k, d1, d2, sigma, G[0], G[1])


@kernel
def scatter_forces(row: Any, iL: float, g: FloatArray, f: FloatArray) -> None:
    """Convert the generalised forces g, which are conjugate to y, to forces on the coordinates, and add these forces to
    f.
    """
    n = row.dofs
    for a in range(3):
        f[n[a]] -= iL * g[a]
        f[n[6 + a]] += iL * g[a]
        f[n[3 + a]] += g[3 + a]
        f[n[9 + a]] += g[6 + a]
    f[n[12]] += g[9]
    f[n[13]] += g[10]


@kernel
def residual(rows: Any, r: Rule, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add the forces [N, N m] to f."""
    y, yt, total, twist = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    sigma, kappa, G = np.empty(COUNT), np.empty((3, 2)), np.empty((3, 2, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        L = row.length
        iL = 1.0 / L
        read_coordinates(row.dofs, iL, x, y)
        read_coordinates(row.dofs, iL, v, yt)
        # torque
        frames = node_frames(row, y)
        T = twist_between(row, y, frames)
        tau = iL * T - row.reference_twist
        fill_twist(row, y, twist)
        torque = row.torsional_stiffness * tau + row.coupling * mean_strain(row, r, y)
        torque += row.torsional_damping * iL * times(twist, yt)
        for k in range(COUNT):
            total[k] = torque * twist[k]
        # axial force
        for j in range(len(r.wa)):
            P = read(r.Pa, j)
            p, pt = interpolate(P, 1.0, y), interpolate(P, 1.0, yt)
            l = sqrt(dot(p, p))
            N = row.axial_stiffness * (l - 1.0 - row.free_strain[j]) + row.coupling * tau
            N += row.axial_damping * dot(p, pt) / l
            add_gradient(r.wa[j] * L * N / l, P, p, total)
        # bending moments; the curvatures at all bending points are computed first, because β depends on all of them
        for j in range(len(r.wb)):
            fill_point(row, L, r, j, y, T, frames, sigma, kappa[j], G[j])
        beta, _ = find_bubble(row, L, r, kappa)
        for j in range(len(r.wb)):
            w, b = r.wb[j] * L, beta * bubble(r.sb[j])
            M1, M2, q1, q2 = find_moments(row, j, kappa[j])
            M1 += b * (q1 + b * row.bending_stiffness[1] * kappa[j, 0]) + row.bending_damping * times(G[j, 0], yt)
            M2 += b * (q2 + b * row.bending_stiffness[0] * kappa[j, 1]) + row.bending_damping * times(G[j, 1], yt)
            for m in range(COUNT):
                total[m] += w * (M1 * G[j, 0, m] + M2 * G[j, 1, m])
        scatter_forces(row, iL, total, f)


@kernel
def add_strain(
    stress: float, stiffness: float, damping: float, g: FloatArray, H: FloatArray, yt: FloatArray,
    dq: float, dv: float, matrix: FloatArray,
) -> None:  # fmt: skip
    """Let ``stress`` g be a force. Add dq times its derivative with respect to y, and dv times its derivative with
    respect to y_t, to ``matrix``, shape (11, 11). The variation of ``stress`` is stiffness δz + damping δz_t.
    """
    for j in range(COUNT):
        rate = 0.0
        for k in range(COUNT):
            rate += H[k, j] * yt[k]
        along = (dq * stiffness + dv * damping) * g[j] + dq * damping * rate
        for i in range(COUNT):
            matrix[i, j] += dq * stress * H[i, j] + g[i] * along


@kernel(inline=True)
def add_product(w: float, a: FloatArray, b: FloatArray, matrix: FloatArray) -> None:
    """Add w (a bᵀ + b aᵀ) to ``matrix``, shape (11, 11)."""
    for i in range(COUNT):
        for j in range(COUNT):
            matrix[i, j] += w * (a[i] * b[j] + b[i] * a[j])


@kernel(inline=True)
def find_part(k: int, iL: float) -> tuple[int, float]:
    """Return the index of the component of y to which coordinate k contributes, and the factor of this contribution.
    The component e of y is (r1 - r0)/L.
    """
    part = PARTS[k]
    return part, SIGNS[k] * (iL if part < 3 else 1.0)


class Work(NamedTuple):
    """Work arrays of `fill_stiffness`."""

    twist: FloatArray
    sigma: FloatArray
    along: FloatArray
    kappa: FloatArray
    G: FloatArray
    change1: FloatArray
    change2: FloatArray
    dsigma: FloatArray
    H1: FloatArray
    H2: FloatArray


def create_work() -> Work:
    """Allocate the work arrays of `fill_stiffness`."""
    square = (COUNT, COUNT)
    return Work(
        twist=np.empty(COUNT), sigma=np.empty(COUNT), along=np.empty(COUNT), kappa=np.empty((3, 2)),
        G=np.empty((3, 2, COUNT)), change1=np.empty(COUNT), change2=np.empty(COUNT), dsigma=np.empty(square),
        H1=np.empty(square), H2=np.empty(square),
    )  # fmt: skip


@kernel
def fill_stiffness(
    row: Any, L: float, r: Rule, y: FloatArray, yt: FloatArray, dq: float, dv: float, work: Work, matrix: FloatArray
) -> None:
    """Fill ``matrix``, shape (11, 11), with dq ∂g/∂y + dv ∂g/∂y_t for the length L. The generalised forces g are
    conjugate to y.
    """
    iL = 1.0 / L
    twist, sigma, along, kappa, G = work.twist, work.sigma, work.along, work.kappa, work.G
    change1, change2, dsigma, H1, H2 = work.change1, work.change2, work.dsigma, work.H1, work.H2
    matrix[:] = 0.0
    # torque
    frames = node_frames(row, y)
    T = twist_between(row, y, frames)
    tau = iL * T - row.reference_twist
    fill_twist(row, y, twist)
    fill_twist_change(row, y, H1)
    torque = row.torsional_stiffness * tau + row.coupling * mean_strain(row, r, y)
    torque += row.torsional_damping * iL * times(twist, yt)
    add_strain(torque, iL * row.torsional_stiffness, iL * row.torsional_damping, twist, H1, yt, dq, dv, matrix)
    # axial force
    along[:] = 0.0
    for j in range(len(r.wa)):
        P, w = read(r.Pa, j), r.wa[j] * L
        p, pt = interpolate(P, 1.0, y), interpolate(P, 1.0, yt)
        l = sqrt(dot(p, p))
        il = 1.0 / l
        N = row.axial_stiffness * (l - 1.0 - row.free_strain[j]) + row.coupling * tau
        N += row.axial_damping * il * dot(p, pt)
        t = il * p[0], il * p[1], il * p[2]
        add_gradient(r.wa[j], P, t, along)
        # derivatives of N t with respect to r' and r'_t; il across is the derivative of ε_t with respect to r'
        EA, d = dq * row.axial_stiffness + dv * row.axial_damping, row.axial_damping
        across = combine(1.0, pt, -dot(t, pt), t)
        for a in range(3):
            for b in range(3):
                value = w * (dq * N * il * ((1.0 if a == b else 0.0) - t[a] * t[b]))
                value += w * t[a] * (EA * t[b] + dq * d * il * across[b])
                for m in range(3):
                    for n in range(3):
                        matrix[3 * m + a, 3 * n + b] += P[m] * P[n] * value
    add_product(dq * row.coupling, along, twist, matrix)
    # bending moments; the curvatures at all bending points are computed first, because β depends on all of them
    for j in range(len(r.wb)):
        fill_point(row, L, r, j, y, T, frames, sigma, kappa[j], G[j])
    beta, stiffness = find_bubble(row, L, r, kappa)
    along[:] = 0.0
    for j in range(len(r.wb)):
        s, w, P, K = r.sb[j], r.wb[j] * L, read(r.Pb, j), read(r.Kb, j)
        K = (iL * K[0], iL * K[1], iL * K[2])
        p, k, g1, g2 = interpolate(P, 1.0, y), interpolate(K, 1.0, y), G[j, 0], G[j, 1]
        # second derivatives of the curvatures with respect to y
        _, d1, d2 = axes_of(frame_between(row, s, p, y, T, frames))
        fill_spin(row, s, P, p, y, sigma)
        fill_spin_change(row, s, P, p, y, dsigma)
        fill_curvature_changes(P, K, p, k, d1, d2, sigma, dsigma, g1, g2, H1, H2)
        E1, E2, d = row.bending_stiffness[0], row.bending_stiffness[1], row.bending_damping
        M1, M2, q1, q2 = find_moments(row, j, kappa[j])
        # k1, k2: half of the derivatives of k with respect to κ_1 and κ_2. The forces β ∂q + β² ∂k/2 are added to
        # the moments, and are differentiated at constant β
        B = bubble(s)
        angle, k1, k2 = beta * B, E2 * kappa[j, 0], E1 * kappa[j, 1]
        M1 += angle * (q1 + angle * k1) + d * times(g1, yt)
        M2 += angle * (q2 + angle * k2) + d * times(g2, yt)
        # derivatives of the moments with respect to y and y_t
        c1, c2 = dq * (E1 + angle * angle * E2) + dv * d, dq * (E2 + angle * angle * E1) + dv * d
        both = dq * angle * (E1 - E2)
        for n in range(COUNT):
            rate1, rate2 = 0.0, 0.0
            for m in range(COUNT):
                rate1 += H1[m, n] * yt[m]
                rate2 += H2[m, n] * yt[m]
            change1[n] = w * (c1 * g1[n] + both * g2[n] + dq * d * rate1)
            change2[n] = w * (c2 * g2[n] + both * g1[n] + dq * d * rate2)
        M1, M2 = dq * w * M1, dq * w * M2
        for m in range(COUNT):
            for n in range(COUNT):
                matrix[m, n] += M1 * H1[m, n] + M2 * H2[m, n] + g1[m] * change1[n] + g2[m] * change2[n]
        # ``along`` contains δq + β δk, because δβ = -(δq + β δk)/k
        for m in range(COUNT):
            along[m] += w * B * ((q1 + 2.0 * angle * k1) * g1[m] + (q2 + 2.0 * angle * k2) * g2[m])
    add_product(-0.5 * dq / stiffness, along, along, matrix)


@kernel
def tangent(
    rows: Any, r: Rule, x: FloatArray, v: FloatArray, dq: float, dv: float, work: Work, slots: IntArray,
    values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual`, with the factors dq and dv, to the values of the matrix."""
    y, yt, matrix = np.empty(COUNT), np.empty(COUNT), np.empty((COUNT, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        iL = 1.0 / row.length
        read_coordinates(row.dofs, iL, x, y)
        read_coordinates(row.dofs, iL, v, yt)
        fill_stiffness(row, row.length, r, y, yt, dq, dv, work, matrix)
        # transformation of the derivatives with respect to y to derivatives with respect to the coordinates
        to = slots[row.place]
        for a in range(14):
            m, u = find_part(a, iL)
            for b in range(14):
                n, factor = find_part(b, iL)
                values[to[a, b]] += u * factor * matrix[m, n]


@kernel
def fill_energies(rows: Any, r: Rule, x: FloatArray, v: FloatArray, energies: FloatArray, powers: FloatArray) -> None:
    """Add the energies of stretching, bending and torsion, including the coupling energy, to ``energies``, and the
    powers that damping dissipates to ``powers``.
    """
    y, yt, twist = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    sigma, kappa, G = np.empty(COUNT), np.empty((3, 2)), np.empty((3, 2, COUNT))
    for i in range(len(rows)):
        row = rows[i]
        L, at = row.length, row.place
        iL = 1.0 / L
        read_coordinates(row.dofs, iL, x, y)
        read_coordinates(row.dofs, iL, v, yt)
        frames = node_frames(row, y)
        T = twist_between(row, y, frames)
        tau = iL * T - row.reference_twist
        fill_twist(row, y, twist)
        rate = iL * times(twist, yt)
        energies[2, at] += L * tau * (0.5 * row.torsional_stiffness * tau + row.coupling * mean_strain(row, r, y))
        powers[2, at] += L * row.torsional_damping * rate * rate
        for j in range(len(r.wa)):
            P, w = read(r.Pa, j), r.wa[j] * L
            p, pt = interpolate(P, 1.0, y), interpolate(P, 1.0, yt)
            l = sqrt(dot(p, p))
            strain, rate = l - 1.0 - row.free_strain[j], dot(p, pt) / l
            energies[0, at] += 0.5 * w * row.axial_stiffness * strain * strain
            powers[0, at] += w * row.axial_damping * rate * rate
        for j in range(len(r.wb)):
            w = r.wb[j] * L
            fill_point(row, L, r, j, y, T, frames, sigma, kappa[j], G[j])
            M1, M2, _, _ = find_moments(row, j, kappa[j])
            k1, k2 = kappa[j, 0] - row.free_curvature[j, 0], kappa[j, 1] - row.free_curvature[j, 1]
            rate1, rate2 = times(G[j, 0], yt), times(G[j, 1], yt)
            energies[1, at] += 0.5 * w * (M1 * k1 + M2 * k2)
            powers[1, at] += w * row.bending_damping * (rate1 * rate1 + rate2 * rate2)
        beta, stiffness = find_bubble(row, L, r, kappa)
        energies[1, at] -= 0.5 * stiffness * beta * beta
