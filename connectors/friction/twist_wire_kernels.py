"""Kernels of `wire_friction` for the bending bristles of cables with twist.

The wires turn with the material of the cable. The anchor b of a bending bristle therefore has two components along the
axes d_1 and d_2 of the material, relative to the stress-free curvature:

    trial moment: tau_i = k_b (κ_i - κ_i,ref - b_i),    i = 1, 2
    virtual work: m_1 δκ_1 + m_2 δκ_2 per length,    limit M_s = M_0 + c max(EA mean(e) + C τ, 0)

elements/cable/twist_points.py defines the material frame and κ_i, with their derivatives with respect to the
coordinates y. Here the angle β B(s), which minimises the energy of an element, is omitted. All history values of a
cable that has not yet moved are 0. Moments and anchors are written as vectors whose third component is 0.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.friction.bristle import bend, bent_energy, return_change, trial_vector
from windlass.connectors.friction.wire_kernels import (
    AXIAL,
    BENDING,
    CURVES,
    INSIDE,
    LOSSES,
    NOTHING,
    Bend,
    BristleMoment,
    eval_moment,
    read_history,
    write_history,
)
from windlass.elements.cable.points import Rule
from windlass.elements.cable.twist_forces import find_part, read, scatter_forces
from windlass.elements.cable.twist_points import (
    COUNT,
    add_gradient,
    fill_curvature_changes,
    fill_curvatures,
    fill_spin,
    fill_spin_change,
    fill_twist,
    frame_at,
    interpolate,
    read_coordinates,
    twist_angle,
)
from windlass.elements.nodes.turning import axes_of
from windlass.elements.nodes.vectors import Vector, combine, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


class Wires(NamedTuple):
    """Work arrays for one cable.

    y: coordinates of twist_points.py, shape (11,).
    sigma, twist, by_limit: linear forms of the spin at a point, of the twist angle and of the slip moment, shape (11,).
    g1, g2, change1, change2: derivatives of κ_1, κ_2, and of the moments m_1, m_2, shape (11,).
    dsigma, H1, H2, matrix: derivatives of σ, second derivatives of κ_1 and κ_2, and the tangent, shape (11, 11).
    """

    y: FloatArray
    sigma: FloatArray
    twist: FloatArray
    by_limit: FloatArray
    g1: FloatArray
    g2: FloatArray
    change1: FloatArray
    change2: FloatArray
    dsigma: FloatArray
    H1: FloatArray
    H2: FloatArray
    matrix: FloatArray


@kernel
def create_wires() -> Wires:
    """Allocate the work arrays for one cable."""
    n = COUNT
    return Wires(
        np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n),
        np.empty((n, n)), np.empty((n, n)), np.empty((n, n)), np.empty((n, n)),
    )  # fmt: skip


@kernel
def begin(row: Any, r: Rule, x: FloatArray, w: Wires) -> tuple[float, float]:
    """Read the coordinates y of a cable, write the derivatives of its slip moment to ``w``, and return the twist angle
    [rad] and the slip moment [N m].
    """
    iL = 1.0 / row.length
    read_coordinates(row.dofs, iL, x, w.y)
    T, c = twist_angle(row, w.y), row.slip_moment_per_tension
    w.by_limit[:] = 0.0
    if c == 0.0:
        return T, row.slip_moment
    tension = row.coupling * (iL * T - row.reference_twist)
    for j in range(AXIAL):
        p = interpolate(read(r.Pa, j), 1.0, w.y)
        tension += r.wa[j] * row.cable_stiffness * (sqrt(dot(p, p)) - 1.0 - row.strain[j])
    if tension <= 0.0:
        return T, row.slip_moment
    fill_twist(row, w.y, w.twist)
    for k in range(COUNT):
        w.by_limit[k] = c * row.coupling * iL * w.twist[k]
    for j in range(AXIAL):
        P = read(r.Pa, j)
        p = interpolate(P, 1.0, w.y)
        add_gradient(c * row.cable_stiffness * r.wa[j] / sqrt(dot(p, p)), P, p, w.by_limit)
    return T, row.slip_moment + c * tension


@kernel
def eval_twist_bend(
    row: Any, r: Rule, j: int, T: float, data: FloatArray, w: Wires
) -> tuple[Bend, Vector, Vector, Vector]:
    """Return the bending at bending point j, the axes d_1 and d_2, and r''. Write σ and the derivatives of κ_1 and κ_2
    to ``w``.
    """
    s, P, K, iL = r.sb[j], read(r.Pb, j), read(r.Kb, j), 1.0 / row.length
    K = (iL * K[0], iL * K[1], iL * K[2])
    p, k = interpolate(P, 1.0, w.y), interpolate(K, 1.0, w.y)
    t, d1, d2 = axes_of(frame_at(row, s, p, w.y, T))
    fill_spin(row, s, P, p, w.y, w.sigma)
    k1, k2 = fill_curvatures(P, K, p, k, d1, d2, w.sigma, w.g1, w.g2)
    kappa = k1 - row.bent[j, 0], k2 - row.bent[j, 1], 0.0
    return Bend(p, k, dot(p, p), kappa, t, read_history(row, CURVES, j, data)), d1, d2, K


@kernel(inline=True)
def is_rubbing(row: Any) -> bool:
    """Return whether a row is active and has bending bristles."""
    return bool(row.active) and row.bending_stiffness > 0.0


@kernel
def twist_residual(c: Any, r: Rule, start: FloatArray, x: FloatArray, f: FloatArray) -> None:
    """Add the forces [N, N m] of the bending bristles of all rows to f. The argument ``start`` contains the history
    values at the start of the step.
    """
    w, total = create_wires(), np.empty(COUNT)
    for i in range(len(c)):
        row = c[i]
        if not is_rubbing(row):
            continue
        T, limit = begin(row, r, x, w)
        total[:] = 0.0
        for j in range(BENDING):
            m = eval_moment(row, eval_twist_bend(row, r, j, T, start, w)[0], limit).m
            for k in range(COUNT):
                total[k] += row.length / BENDING * (m[0] * w.g1[k] + m[1] * w.g2[k])
        scatter_forces(row, 1.0 / row.length, total, f)


@kernel
def fill_moment_changes(row: Any, moment: BristleMoment, w: Wires) -> None:
    """Write the derivatives of the moments m_1 and m_2 with respect to y to ``w``."""
    for k in range(COUNT):
        change = trial_vector(row.bending_stiffness, (w.g1[k], w.g2[k], 0.0), 0.0, NOTHING)
        if moment.slips:
            change = return_change(moment.e, moment.share, change, w.by_limit[k])
        w.change1[k], w.change2[k] = change[0], change[1]


@kernel
def twist_tangent(
    c: Any, r: Rule, start: FloatArray, x: FloatArray, dq: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q of `twist_residual` to the values of the matrix."""
    w = create_wires()
    for i in range(len(c)):
        row = c[i]
        if not is_rubbing(row):
            continue
        T, limit = begin(row, r, x, w)
        iL, to = 1.0 / row.length, slots[row.place]
        w.matrix[:] = 0.0
        for j in range(BENDING):
            b, d1, d2, K = eval_twist_bend(row, r, j, T, start, w)
            moment, P = eval_moment(row, b, limit), read(r.Pb, j)
            m = moment.m
            fill_moment_changes(row, moment, w)
            fill_spin_change(row, r.sb[j], P, b.p, w.y, w.dsigma)
            fill_curvature_changes(P, K, b.p, b.k, d1, d2, w.sigma, w.dsigma, w.g1, w.g2, w.H1, w.H2)
            share = dq * row.length / BENDING
            for k in range(COUNT):
                for l in range(COUNT):
                    change = m[0] * w.H1[k, l] + m[1] * w.H2[k, l] + w.g1[k] * w.change1[l] + w.g2[k] * w.change2[l]
                    w.matrix[k, l] += share * change
        for a in range(len(row.dofs)):
            k, u = find_part(a, iL)
            for b1 in range(len(row.dofs)):
                l, scale = find_part(b1, iL)
                values[to[a, b1]] += u * scale * w.matrix[k, l]


@kernel
def twist_update(c: Any, r: Rule, x: FloatArray, start_x: FloatArray, start: FloatArray, data: FloatArray) -> None:
    """Compute the anchors of the bending bristles at the end of the step, and add the losses [J] of the step to the
    history values. A loss is the mean of the moments at both ends of a step times the motion of the anchors.
    """
    w = create_wires()
    for i in range(len(c)):
        row = c[i]
        if not is_rubbing(row):
            continue
        lost = 0.0
        T, limit = begin(row, r, x, w)
        for j in range(BENDING):
            b = eval_twist_bend(row, r, j, T, start, w)[0]
            moment, anchor = eval_moment(row, b, limit), b.anchor
            if moment.slips:
                anchor = combine(1.0, b.kappa, -bend(INSIDE, 0.0, row.bending_stiffness), moment.m)
                lost += 0.5 * row.length / BENDING * dot(moment.m, combine(1.0, anchor, -1.0, b.anchor))
            write_history(row, CURVES, j, data, anchor)
        T, limit = begin(row, r, start_x, w)
        for j in range(BENDING):
            b = eval_twist_bend(row, r, j, T, start, w)[0]
            way = combine(1.0, read_history(row, CURVES, j, data), -1.0, b.anchor)
            lost += 0.5 * row.length / BENDING * dot(eval_moment(row, b, limit).m, way)
        data[row.data + LOSSES + 1] = start[row.data + LOSSES + 1] + lost


@kernel
def fill_twist_energies(c: Any, r: Rule, data: FloatArray, x: FloatArray, energies: FloatArray) -> None:
    """Add the energies [J] of the bending bristles to the second row of ``energies``, shape (2, rows)."""
    w = create_wires()
    for i in range(len(c)):
        row = c[i]
        if not is_rubbing(row):
            continue
        T, limit = begin(row, r, x, w)
        for j in range(BENDING):
            m = eval_moment(row, eval_twist_bend(row, r, j, T, data, w)[0], limit).m
            energy = bent_energy(True, row.bending_stiffness, 0.0, sqrt(dot(m, m)))
            energies[1, row.place] += row.length / BENDING * energy


@kernel
def fill_twist_outputs(c: Any, r: Rule, data: FloatArray, x: FloatArray, moment: FloatArray) -> None:
    """Write the moments [N m] of the bending bristles in the global frame to ``moment``, shape (rows, 2, 3)."""
    w = create_wires()
    for i in range(len(c)):
        row = c[i]
        if not is_rubbing(row):
            continue
        T, limit = begin(row, r, x, w)
        for j in range(BENDING):
            b, d1, d2, _ = eval_twist_bend(row, r, j, T, data, w)
            m = eval_moment(row, b, limit).m
            for a in range(3):
                moment[row.place, j, a] = m[0] * d1[a] + m[1] * d2[a]
