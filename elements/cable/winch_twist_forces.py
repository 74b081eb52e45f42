"""Kernels of winch cables with torsion: elastic forces, damping of torsion, tangents and energies.

For the length h = Δ l of a cable, the elastic energy is

    P(y, h) = h A(y) + C T ε_m + D(y)/h,    A = Σ w EA ε²/2,    D = GJ T²/2 + B(y),    ε_m = Σ w ε

Here T is the twist angle. B is the energy of bending of a cable of length 1, including the energy of the variable
torque (twist_forces.py). The stress-free rope is straight and not twisted. The forces on the coordinates z and the
tangent follow from the derivatives of P(y(z), h(l)). The energy per length W of the rope in the winch is subtracted
from the force on l.

Damping of torsion acts on the rate of the twist T/h of a cable:

    forces  d_GJ ρ J,    J = ∂T/∂z - (T/l) ∂l/∂z,    ρ = J·z_t/h,    power  d_GJ h ρ².
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from windlass.elements.cable.points import Rule
from windlass.elements.cable.twist_forces import (
    Work,
    bubble,
    fill_point,
    fill_stiffness,
    find_bubble,
    find_moments,
    mean_strain,
    read,
)
from windlass.elements.cable.twist_points import (
    COUNT,
    add_gradient,
    fill_twist,
    fill_twist_change,
    interpolate,
    node_frames,
    read_coordinates,
    twist_angle,
    twist_between,
)
from windlass.elements.cable.winch_points import find_length
from windlass.elements.cable.winch_twist_points import (
    ALL,
    LENGTH,
    fill_form,
    fill_form_change,
    product,
    scatter_form,
)
from windlass.elements.nodes.vectors import dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel
def fill_elastic(
    row: Any, h: float, r: Rule, y: FloatArray, work: Work, total: FloatArray, by_h: FloatArray
) -> tuple[float, float, float, float]:
    """Fill ∂P/∂y and ∂²P/∂y∂h, shape (11,) each. Return the energies [J] of stretching, bending and torsion, and ∂P/∂h
    [N].
    """
    twist, sigma, kappa, G = work.twist, work.sigma, work.kappa, work.G
    frames = node_frames(row, y)
    T = twist_between(row, y, frames)
    tau, GJ, C = T / h, row.torsional_stiffness, row.coupling
    mean = mean_strain(row, r, y)
    # torsion
    fill_twist(row, y, twist)
    for k in range(COUNT):
        total[k] = (GJ * tau + C * mean) * twist[k]
        by_h[k] = -GJ * tau / h * twist[k]
    torsion = h * tau * (0.5 * GJ * tau + C * mean)
    # stretching
    stretching = 0.0
    for j in range(len(r.wa)):
        P = read(r.Pa, j)
        p = interpolate(P, 1.0, y)
        l = sqrt(dot(p, p))
        force = row.axial_stiffness * (l - 1.0)
        stretching += 0.5 * r.wa[j] * h * force * (l - 1.0)
        add_gradient(r.wa[j] * (h * force + C * T) / l, P, p, total)
        add_gradient(r.wa[j] * force / l, P, p, by_h)
    # bending
    bending = 0.0
    for j in range(len(r.wb)):
        fill_point(row, h, r, j, y, T, frames, sigma, kappa[j], G[j])
    beta, stiffness = find_bubble(row, h, r, kappa)
    # moments, including the contribution of the variable torque
    for j in range(len(r.wb)):
        w, b = r.wb[j] * h, beta * bubble(r.sb[j])
        M1, M2, q1, q2 = find_moments(row, j, kappa[j])
        bending += 0.5 * w * (M1 * kappa[j, 0] + M2 * kappa[j, 1])
        M1 += b * (q1 + b * row.bending_stiffness[1] * kappa[j, 0])
        M2 += b * (q2 + b * row.bending_stiffness[0] * kappa[j, 1])
        for m in range(COUNT):
            force = w * (M1 * G[j, 0, m] + M2 * G[j, 1, m])
            total[m] += force
            by_h[m] -= force / h
    bending -= 0.5 * stiffness * beta * beta
    return stretching, bending, torsion, (stretching - bending) / h - 0.5 * GJ * tau * tau


@kernel
def add_elastic(rows: Any, r: Rule, x: FloatArray, work: Work, f: FloatArray, energies: FloatArray) -> None:
    """Add the elastic forces to f, and the energies of stretching, bending and torsion to ``energies``, shape (3,
    rows). If the array for a result is empty, this result is not computed.
    """
    y, total, by_h = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        if row.broken:
            if f.size > 0:
                f[row.dofs[LENGTH]] -= row.share * row.stored
            continue
        l = find_length(row, x)
        h = row.share * l
        read_coordinates(row.dofs, 1.0 / h, x, y)
        stretching, bending, torsion, on_h = fill_elastic(row, h, r, y, work, total, by_h)
        if energies.size > 0:
            energies[0, i] += stretching
            energies[1, i] += bending
            energies[2, i] += torsion
        if f.size > 0:
            scatter_form(row, total, y, h, l, f)
            f[row.dofs[LENGTH]] += row.share * (on_h - row.stored)


@kernel
def add_elastic_tangent(
    rows: Any, r: Rule, x: FloatArray, dq: float, work: Work, slots: IntArray, values: FloatArray
) -> None:
    """Add dq times the derivatives of the elastic forces with respect to z to the values of the matrix."""
    y, rest, total, by_h = np.empty(COUNT), np.zeros(COUNT), np.empty(COUNT), np.empty(COUNT)
    matrix, whole, mixed = np.empty((COUNT, COUNT)), np.empty((ALL, ALL)), np.empty(ALL)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active or row.broken:
            continue
        to, l = slots[i], find_length(row, x)
        h = row.share * l
        read_coordinates(row.dofs, 1.0 / h, x, y)
        fill_stiffness(row, h, r, y, rest, dq, 0.0, work, matrix)
        _, bending, _, _ = fill_elastic(row, h, r, y, work, total, by_h)
        fill_form_change(matrix, total, dq, y, h, l, whole)
        fill_form(by_h, y, h, l, mixed)
        tau = twist_angle(row, y) / h
        twice = (row.torsional_stiffness * tau * tau + 2.0 * bending / h) / h
        for a in range(ALL):
            for b in range(ALL):
                values[to[a, b]] += whole[a, b]
            values[to[a, LENGTH]] += dq * row.share * mixed[a]
            values[to[LENGTH, a]] += dq * row.share * mixed[a]
        values[to[LENGTH, LENGTH]] += dq * row.share * row.share * twice


@kernel
def add_torsional_damping(
    rows: Any, x: FloatArray, v: FloatArray, dq: float, dv: float, f: FloatArray,
    slots: IntArray, values: FloatArray, powers: FloatArray,
) -> None:  # fmt: skip
    """Add the forces of the damping of torsion to f, and the power of the damping to ``powers``, shape (rows,). Also
    add the tangent of these forces, with the factors dq and dv, to the values of the matrix. If the array for a result
    is empty, this result is not computed.
    """
    y, twist, change = np.empty(COUNT), np.empty(COUNT), np.empty((COUNT, COUNT))
    J, DJ, rates, by_z = np.empty(ALL), np.empty((ALL, ALL)), np.empty(ALL), np.empty(ALL)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active or row.torsional_damping == 0.0:
            continue
        dofs, l, d = row.dofs, find_length(row, x), row.torsional_damping
        h = row.share * l
        read_coordinates(dofs, 1.0 / h, x, y)
        fill_twist(row, y, twist)
        fill_form(twist, y, h, l, J)
        # linear form J and rate ρ of the twist
        T = twist_angle(row, y)
        turned = J[LENGTH]
        J[LENGTH] -= T / l
        for k in range(ALL):
            rates[k] = v[dofs[k]]
        rho = product(J, rates) / h
        # power and forces
        if powers.size > 0:
            powers[i] += d * h * rho * rho
        if f.size > 0:
            for k in range(ALL):
                f[dofs[k]] += d * rho * J[k]
        if values.size == 0:
            continue
        # DJ = ∂J/∂z; ∂ρ/∂z = z_t·DJ/h, for l with the additional term -ρ/l
        fill_twist_change(row, y, change)
        fill_form_change(change, twist, 1.0, y, h, l, DJ)
        for k in range(LENGTH):
            DJ[LENGTH, k] -= J[k] / l
        DJ[LENGTH, LENGTH] -= turned / l - T / (l * l)
        for b in range(ALL):
            by_z[b] = 0.0
            for a in range(ALL):
                by_z[b] += rates[a] * DJ[a, b] / h
        by_z[LENGTH] -= rho / l
        to = slots[i]
        for a in range(ALL):
            for b in range(ALL):
                values[to[a, b]] += d * (dq * (by_z[b] * J[a] + rho * DJ[a, b]) + dv / h * J[a] * J[b])


@kernel
def fill_twists(rows: Any, r: Rule, x: FloatArray, v: FloatArray, twist: FloatArray, torque: FloatArray) -> None:
    """Write the twist T/h [rad/m] and the torque [N m], which includes damping, of each active cable to ``twist`` and
    ``torque``, shape (rows,) each.
    """
    y, g, gz = np.empty(COUNT), np.empty(COUNT), np.empty(ALL)
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        l = find_length(row, x)
        h = row.share * l
        read_coordinates(row.dofs, 1.0 / h, x, y)
        tau = twist_angle(row, y) / h
        fill_twist(row, y, g)
        fill_form(g, y, h, l, gz)
        rate = -tau * v[row.dofs[LENGTH]] / l
        for k in range(ALL):
            rate += gz[k] * v[row.dofs[k]] / h
        torque[i] = row.torsional_stiffness * tau + row.coupling * mean_strain(row, r, y) + row.torsional_damping * rate
        twist[i] = tau
