"""Kernels of winch cables with torsion for the inertia of the spin of the moving material about the axis.

A node at the fraction σ of the rope moves past the material. The material at the node has the spin

    ω_i = ω_i^n + l_t β_i T,    β_i = (1 - σ_i)/(Δ l)

Here ω^n is the spin of the frame of the node (twist_motion.py), and T is the twist angle of the cable. Let K = ½ Σ m_ij
ω_i ω_j be the kinetic energy, with m = J h/12 [[5, 1], [1, 5]] and h = Δ l. The inertia forces follow from Lagrange's
equations for a volume into which material flows:

    f = d/dt ∂K/∂z_t - ∂K/∂z - [J l_t ω_0 ∂ω_0/∂z_t - ½ J ω_0² ∂l_t/∂z_t at the outlet].

With the linear forms a_i = ∂ω_i/∂z_t, the momenta Π_i = Σ m_ij ω_j and the gyroscopic force γ_i^n of a node, the forces
are

    f = Σ α_i a_i + Π_i γ_i - K/l on l,    α_i = dΠ_i/dt - J l_t ω_0 at the outlet,    + ½ J ω_0² on l at the outlet
    γ_i = γ_i^n - l_t β_i ∂T/∂z, and β_i T_t on l.

The power f·z_t is therefore exactly dK/dt - ½ J l_t ω_0². Here ½ J l_t ω_0² is the kinetic energy per time of the rope
that leaves the winch.

Source: H. Irschik, H. J. Holl, Acta Mechanica 153 (2002) 231-248.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.elements.cable.twist_motion import (
    NODES,
    direction,
    fill_own,
    fill_spin_variations,
    find_spin,
    find_spin_rate,
    read,
)
from windlass.elements.cable.twist_points import COUNT, fill_twist, fill_twist_change, read_coordinates, twist_angle
from windlass.elements.cable.winch_points import find_length
from windlass.elements.cable.winch_twist_points import ALL, LENGTH, fill_form, fill_form_change, product
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


class Spins(NamedTuple):
    """Motion of the material at both nodes of a cable, shape (2,) each. See `fill_spins`.

    omega: ω_i [rad/s].
    omega_t: rate of ω_i at the node [rad/s^2].
    beta: β_i [1/m].
    momentum: Π_i [kg m^2/s].
    torque: α_i [N m].
    """

    omega: FloatArray
    omega_t: FloatArray
    beta: FloatArray
    momentum: FloatArray
    torque: FloatArray


def create_spins() -> Spins:
    """Allocate the arrays of `Spins`."""
    return Spins(*(np.empty(2) for _ in range(5)))


@kernel
def fill_spins(
    row: Any, x: FloatArray, v: FloatArray, a: FloatArray, l: float, T: float, T_t: float, spins: Spins
) -> float:
    """Fill the spins of the material at both nodes. Return J if the cable begins at the outlet, otherwise 0."""
    n = row.dofs
    l_t, l_tt = v[n[LENGTH]], a[n[LENGTH]]
    for k in range(2):
        b, p, pt, ptt = direction(row, k), read(x, n, k), read(v, n, k), read(a, n, k)
        beta = ((1.0 - row.begin) / row.share - k) / l
        spins.beta[k] = beta
        spins.omega[k] = find_spin(b, p, pt, v[n[12 + k]]) + l_t * beta * T
        moved = l_tt * T + l_t * T_t - l_t * l_t * T / l
        spins.omega_t[k] = find_spin_rate(b, p, pt, ptt, a[n[12 + k]]) + beta * moved
    m = row.rotary_inertia * row.share * l / 12.0
    inflow = row.rotary_inertia if row.begin == 0.0 else 0.0
    for k in range(2):
        spins.momentum[k] = m * (5.0 * spins.omega[k] + spins.omega[1 - k])
        rate = m * (5.0 * spins.omega_t[k] + spins.omega_t[1 - k]) + l_t / l * spins.momentum[k]
        spins.torque[k] = rate - (inflow * l_t * spins.omega[0] if k == 0 else 0.0)
    return inflow


@kernel
def inertia(rows: Any, x: FloatArray, v: FloatArray, a: FloatArray, spins: Spins, f: FloatArray) -> None:
    """Add the inertia forces of the spin to f."""
    y, twist, Tz, rates = np.empty(COUNT), np.empty(COUNT), np.empty(ALL), np.empty(ALL)
    on_v, gyro, change, change_t = np.empty(4), np.empty(4), np.empty(4), np.empty(4)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        n, l = row.dofs, find_length(row, x)
        h, l_t = row.share * l, v[n[LENGTH]]
        read_coordinates(n, 1.0 / h, x, y)
        T = twist_angle(row, y)
        fill_twist(row, y, twist)
        fill_form(twist, y, h, l, Tz)
        for k in range(ALL):
            rates[k] = v[n[k]]
        T_t = product(Tz, rates)
        inflow = fill_spins(row, x, v, a, l, T, T_t, spins)
        for k in range(2):
            b, p, pt, ptt = direction(row, k), read(x, n, k), read(v, n, k), read(a, n, k)
            fill_spin_variations(b, p, pt, ptt, 0.0, 0.0, 0.0, on_v, gyro, change, change_t)
            torque, momentum, beta = spins.torque[k], spins.momentum[k], spins.beta[k]
            for c in range(4):
                f[n[NODES[k][c]]] += torque * on_v[c] + momentum * gyro[c]
            for c in range(ALL):
                f[n[c]] -= momentum * l_t * beta * Tz[c]
            f[n[LENGTH]] += beta * (torque * T + momentum * T_t) - 0.5 * momentum * spins.omega[k] / l
        f[n[LENGTH]] += 0.5 * inflow * spins.omega[0] * spins.omega[0]


@kernel
def inertia_tangent(
    rows: Any, x: FloatArray, v: FloatArray, a: FloatArray, dq: float, dv: float, da: float, spins: Spins,
    slots: IntArray, values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v + da ∂f/∂a of `inertia`, with the factors dq, dv and da, to the values of the
    matrix.
    """
    y, twist, Tz, rates = np.empty(COUNT), np.empty(COUNT), np.empty(ALL), np.empty(ALL)
    curve, Tzz = np.empty((COUNT, COUNT)), np.empty((ALL, ALL))
    # variations of T_t (d_rate_of_T), and of quantities of each node: ω and ω_t of the frame (change, change_t), ω and
    # ω_t of the material (d_spin, d_rate), Π (d_momentum) and α (d_torque)
    d_rate_of_T, own = np.empty(ALL), np.empty((3, 3))
    on_v, gyro, change, change_t = np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4))
    d_spin, d_rate, d_momentum, d_torque = (
        np.empty((2, ALL)), np.empty((2, ALL)), np.empty((2, ALL)), np.empty((2, ALL)),
    )  # fmt: skip
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        n, to, l = row.dofs, slots[i], find_length(row, x)
        h, l_t, l_tt = row.share * l, v[n[LENGTH]], a[n[LENGTH]]
        # twist angle, its derivatives with respect to z, and its rate
        read_coordinates(n, 1.0 / h, x, y)
        T = twist_angle(row, y)
        fill_twist(row, y, twist)
        fill_twist_change(row, y, curve)
        fill_form(twist, y, h, l, Tz)
        fill_form_change(curve, twist, 1.0, y, h, l, Tzz)
        for k in range(ALL):
            rates[k] = v[n[k]]
        T_t = product(Tz, rates)
        for c in range(ALL):
            d_rate_of_T[c] = dq * product(Tzz[c], rates) + dv * Tz[c]
        inflow = fill_spins(row, x, v, a, l, T, T_t, spins)
        m = row.rotary_inertia * h / 12.0
        # variations of the spins of the material and of their rates
        for k in range(2):
            b, p, pt, ptt = direction(row, k), read(x, n, k), read(v, n, k), read(a, n, k)
            fill_spin_variations(b, p, pt, ptt, dq, dv, da, on_v[k], gyro[k], change[k], change_t[k])
            beta = spins.beta[k]
            for c in range(ALL):
                d_spin[k, c] = dq * l_t * beta * Tz[c]
                d_rate[k, c] = beta * (dq * (l_tt - l_t * l_t / l) * Tz[c] + l_t * d_rate_of_T[c])
            for c in range(4):
                d_spin[k, NODES[k][c]] += change[k, c]
                d_rate[k, NODES[k][c]] += change_t[k, c]
            d_spin[k, LENGTH] += beta * T * (dv - dq * l_t / l)
            moved = l_tt * T + l_t * T_t - l_t * l_t * T / l
            d_rate[k, LENGTH] += beta * (da * T + dv * (T_t - 2.0 * l_t * T / l) + dq * (l_t * l_t * T / l - moved) / l)
        # variations of the momenta and torques
        for k in range(2):
            rate = m * (5.0 * spins.omega_t[k] + spins.omega_t[1 - k])
            for c in range(ALL):
                d_momentum[k, c] = m * (5.0 * d_spin[k, c] + d_spin[1 - k, c])
            d_momentum[k, LENGTH] += dq * spins.momentum[k] / l
            for c in range(ALL):
                d_torque[k, c] = m * (5.0 * d_rate[k, c] + d_rate[1 - k, c]) + l_t / l * d_momentum[k, c]
            d_torque[k, LENGTH] += dq * rate / l + (dv - dq * l_t / l) * spins.momentum[k] / l
        if inflow > 0.0:
            for c in range(ALL):
                d_torque[0, c] -= inflow * l_t * d_spin[0, c]
            d_torque[0, LENGTH] -= inflow * dv * spins.omega[0]
        for k in range(2):
            torque, momentum, beta = spins.torque[k], spins.momentum[k], spins.beta[k]
            # variations of the torques and momenta
            for d in range(ALL):
                for c in range(4):
                    part = on_v[k, c] * d_torque[k, d] + gyro[k, c] * d_momentum[k, d]
                    values[to[NODES[k][c], d]] += part
                for c in range(ALL):
                    values[to[c, d]] -= l_t * beta * (Tz[c] * d_momentum[k, d] + dq * momentum * Tzz[c, d])
                part = T * d_torque[k, d] + T_t * d_momentum[k, d]
                part += dq * torque * Tz[d] + momentum * d_rate_of_T[d]
                values[to[LENGTH, d]] += beta * part - momentum * d_spin[k, d] / l
            # terms with the variation of l_t β and, in the force on l, with the variation of β
            for c in range(ALL):
                values[to[c, LENGTH]] -= momentum * beta * (dv - dq * l_t / l) * Tz[c]
            values[to[LENGTH, LENGTH]] -= dq * beta / l * (torque * T + momentum * T_t)
            # variations of the forces on a slope at constant momentum and torque
            b, p, pt = direction(row, k), read(x, n, k), read(v, n, k)
            fill_own(b, p, pt, momentum, torque, dq, dv, own)
            for c in range(3):
                for d in range(3):
                    values[to[NODES[k][c], NODES[k][d]]] += own[c, d]
        if inflow > 0.0:
            for d in range(ALL):
                values[to[LENGTH, d]] += inflow * spins.omega[0] * d_spin[0, d]


@kernel
def fill_spin_outputs(rows: Any, x: FloatArray, v: FloatArray, spins: Spins, omega: FloatArray) -> None:
    """Write the spin [rad/s] of the material at both nodes to ``omega``, shape (rows, 2)."""
    y = np.empty(COUNT)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        l = find_length(row, x)
        read_coordinates(row.dofs, 1.0 / (row.share * l), x, y)
        fill_spins(row, x, v, v, l, twist_angle(row, y), 0.0, spins)
        omega[i, 0], omega[i, 1] = spins.omega[0], spins.omega[1]


@kernel
def add_spin_flow(rows: Any, x: FloatArray, v: FloatArray, spins: Spins, flow: FloatArray) -> None:
    """Add the flow [W] of kinetic energy of the spin into each cable through the outlet to the last column of ``flow``,
    see `fill_flows`.
    """
    y = np.empty(COUNT)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        l = find_length(row, x)
        read_coordinates(row.dofs, 1.0 / (row.share * l), x, y)
        inflow = fill_spins(row, x, v, v, l, twist_angle(row, y), 0.0, spins)
        flow[i, flow.shape[1] - 1] += 0.5 * inflow * v[row.dofs[LENGTH]] * spins.omega[0] * spins.omega[0]
