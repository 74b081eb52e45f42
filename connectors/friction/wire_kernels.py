"""Kernels of `wire_friction`: forces of the bristles at the points of a cable, tangent, update of the history values,
and energies.

The moment of a bending bristle is a vector m. This moment acts on the curvature κ = p × k/g with p = r', k = r'' and g
= p·p. The forces on p and k, and their variations, are

    P = (k × m)/g - 2 (m·κ)/g p,    K = (m × p)/g
    δκ = (δp × k + p × δk)/g - 2 (p·δp)/g κ

The anchor b is known for the tangent t_0 at the start of the step. The smallest rotation R from t_0 to the present
tangent t = p/|p| moves the anchor with the cable:

    R b = b - s (t_0 + t) + 2 (t_0·b) t,    s = (t_0 + t)·b/(1 + t_0·t)

In 2D the anchor is parallel to the rotation axis. Therefore R b = b. All history values of a cable that has not yet
moved are 0. The anchor of such a cable is the stress-free curvature, in the global frame. All vectors have three
components. In 2D p and k have no component z, and κ and m have only the component z.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.friction.bristle import (
    SLIPS,
    bend,
    bent_energy,
    decide,
    friction_force,
    friction_slopes,
    return_change,
    return_share,
    trial,
    trial_vector,
)
from windlass.elements.cable.energies import read_vector
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel

AXIAL, BENDING = 3, 2
"""Numbers of points of the axial bristles and of the bending bristles. Integration rule 2 of cables has the same
numbers.
"""
CURVES, TANGENTS = AXIAL, AXIAL + 3 * BENDING
"""Indices, in the history values of a row, of the anchors of the bending bristles and of the tangents t_0 for which
these anchors are known. The history values begin with the anchors of the axial bristles."""
LOSSES = TANGENTS + 3 * BENDING
"""Index of the two losses in the history values."""
HISTORY = LOSSES + 2
"""Number of history values of a row."""
NOTHING = (0.0, 0.0, 0.0)
INSIDE = 1.0 - 1e-10
"""Deflection of a bristle after a step with slip, divided by the deflection at which the bristle slips [1]. With a
value below 1, rounding errors do not decide whether wires stick at the end of the step, for example when modes are
computed.
"""


class Bend(NamedTuple):
    """Bending at a point: p [1], k [1/m], p·p, the curvature κ [1/m], the tangent t [1], and the anchor R b [1/m]."""

    p: Vector
    k: Vector
    square: float
    kappa: Vector
    t: Vector
    anchor: Vector


class BristleMoment(NamedTuple):
    """Moment m of a bending bristle [N m]; the unit vector e along the trial moment [1] and the ratio of the slip
    moment to the trial moment [1], which are defined only for slipping bristles; and whether the bristle slips.
    """

    m: Vector
    e: Vector
    share: float
    slips: bool


@kernel(inline=True)
def sum_nodes(row: Any, S: Any, j: int, x: FloatArray) -> Vector:
    """Return the sum of the products of S_j0 to S_j3 with the vectors r0, r0', r1 and r1' of a cable."""
    d, n = row.dims, row.dofs
    first = combine(S[j, 0], read_vector(d, n, 0, x), S[j, 1], read_vector(d, n, 1, x))
    last = combine(S[j, 2], read_vector(d, n, 2, x), S[j, 3], read_vector(d, n, 3, x))
    return combine(1.0, first, 1.0, last)


@kernel(inline=True)
def read_history(row: Any, place: int, j: int, data: FloatArray) -> Vector:
    """Return vector j of the vectors that begin at the index ``place`` of the history values of a row."""
    n = row.data + place + 3 * j
    return data[n], data[n + 1], data[n + 2]


@kernel(inline=True)
def write_history(row: Any, place: int, j: int, data: FloatArray, value: Vector) -> None:
    """Write vector j of the vectors that begin at the index ``place`` of the history values of a row."""
    n = row.data + place + 3 * j
    data[n], data[n + 1], data[n + 2] = value[0], value[1], value[2]


@kernel(inline=True)
def is_new(t0: Vector) -> bool:
    """Return whether the history values contain no tangent, because the cable has not moved yet."""
    return dot(t0, t0) == 0.0


@kernel(inline=True)
def move(t0: Vector, t: Vector, b: Vector) -> Vector:
    """Return R b, the vector b after the smallest rotation from t0 to t."""
    s = (dot(t0, b) + dot(t, b)) / (1.0 + dot(t0, t))
    return combine(1.0, combine(1.0, b, -s, t0), 2.0 * dot(t0, b) - s, t)


@kernel(inline=True)
def change_moved(t0: Vector, t: Vector, b: Vector, dt: Vector) -> Vector:
    """Return the variation of R b for a variation dt of t."""
    size = 1.0 + dot(t0, t)
    s = (dot(t0, b) + dot(t, b)) / size
    ds = (dot(b, dt) - s * dot(t0, dt)) / size
    return combine(2.0 * dot(t0, b) - s, dt, -ds, combine(1.0, t0, 1.0, t))


@kernel(inline=True)
def eval_strain(row: Any, j: int, x: FloatArray) -> tuple[float, Vector, float]:
    """Return the strain e = ε - ε_ref at axial point j, the tangent t [1], and |r'| [1]."""
    p = sum_nodes(row, row.axial_slopes, j, x)
    size = sqrt(dot(p, p))
    return size - 1.0 - row.strain[j], combine(1.0 / size, p, 0.0, p), size


@kernel
def eval_limit(row: Any, x: FloatArray) -> tuple[float, float]:
    """Return the slip moment [N m], and its derivative [N m] with respect to the mean strain of the cable."""
    if row.slip_moment_per_tension == 0.0:
        return row.slip_moment, 0.0
    strain = 0.0
    for j in range(AXIAL):
        strain += row.weights[j] * eval_strain(row, j, x)[0]
    slope = row.slip_moment_per_tension * row.cable_stiffness if strain > 0.0 else 0.0
    return row.slip_moment + slope * strain, slope


@kernel
def eval_bend(row: Any, j: int, x: FloatArray, data: FloatArray) -> Bend:
    """Return the bending at bending point j, with the anchor in the history values ``data``."""
    p, k = sum_nodes(row, row.bending_slopes, j, x), sum_nodes(row, row.bends, j, x)
    g = dot(p, p)
    h, il = cross(p, k), 1.0 / sqrt(g)
    t, t0 = combine(il, p, 0.0, p), read_history(row, TANGENTS, j, data)
    if is_new(t0):
        anchor = row.curvature[j, 0], row.curvature[j, 1], row.curvature[j, 2]
    else:
        anchor = move(t0, t, read_history(row, CURVES, j, data))
    return Bend(p, k, g, combine(1.0 / g, h, 0.0, h), t, anchor)


@kernel
def eval_force(row: Any, j: int, e: float, data: FloatArray) -> tuple[float, float, bool]:
    """Return the force [N] of axial bristle j, its derivative [N] with respect to the strain e, and whether the bristle
    slips.
    """
    tau = trial(row.axial_stiffness, e - data[row.data + j], 0.0, 0.0)
    state = decide(tau, row.slip_force, tau)[1]
    by_strain = friction_slopes(state, row.axial_stiffness, 0.0, 0.0)[2]
    return friction_force(state, tau, row.slip_force), by_strain, abs(state) == SLIPS


@kernel
def eval_moment(row: Any, b: Bend, limit: float) -> BristleMoment:
    """Return the moment of a bending bristle for the slip moment ``limit`` [N m]."""
    tau = trial_vector(row.bending_stiffness, combine(1.0, b.kappa, -1.0, b.anchor), 0.0, NOTHING)
    size = sqrt(dot(tau, tau))
    if decide(size, limit, 1.0)[1] != SLIPS:
        return BristleMoment(tau, NOTHING, 1.0, False)
    share, unit = return_share(size, limit), return_share(size, 1.0)
    return BristleMoment(combine(share, tau, 0.0, tau), combine(unit, tau, 0.0, tau), share, True)


@kernel(inline=True)
def bending_forces(b: Bend, m: Vector) -> tuple[Vector, Vector]:
    """Return the forces P on p [N] and K on k [N m] of a moment m."""
    on_p, on_k, ig = cross(b.k, m), cross(m, b.p), 1.0 / b.square
    return combine(ig, on_p, -2.0 * ig * dot(m, b.kappa), b.p), combine(ig, on_k, 0.0, on_k)


@kernel
def residual(c: Any, start: FloatArray, x: FloatArray, f: FloatArray) -> None:
    """Add the forces [N, N m] of all active rows to f. The argument ``start`` contains the history values at the start
    of the step.
    """
    for i in range(len(c)):
        row = c[i]
        d = row.dims
        for j in range(AXIAL if row.active and row.axial_stiffness > 0.0 else 0):
            e, t, _ = eval_strain(row, j, x)
            F = row.weights[j] * row.length * eval_force(row, j, e, start)[0]
            for b in range(4):
                for a in range(d):
                    f[row.dofs[d * b + a]] += F * row.axial_slopes[j, b] * t[a]
        if not row.active or row.bending_stiffness == 0.0:
            continue
        limit = eval_limit(row, x)[0]
        for j in range(BENDING):
            bent = eval_bend(row, j, x, start)
            P, K = bending_forces(bent, eval_moment(row, bent, limit).m)
            w = row.length / BENDING
            for b in range(4):
                for a in range(d):
                    f[row.dofs[d * b + a]] += w * (row.bending_slopes[j, b] * P[a] + row.bends[j, b] * K[a])


@kernel
def axial_tangent(
    row: Any, start: FloatArray, x: FloatArray, dq: float, slots: IntArray, values: FloatArray, g: FloatArray
) -> None:
    """Add dq times the derivatives of the axial forces of a row to the values of the matrix. The argument ``g`` is an
    array for gradients, shape (12,).
    """
    d = row.dims
    for j in range(AXIAL):
        e, t, size = eval_strain(row, j, x)
        N, by_strain, _ = eval_force(row, j, e, start)
        w = dq * row.weights[j] * row.length
        for m in range(4 * d):
            g[m] = row.axial_slopes[j, m // d] * t[m % d]
        for m in range(4 * d):
            for n in range(4 * d):
                same = row.axial_slopes[j, m // d] * row.axial_slopes[j, n // d] if m % d == n % d else 0.0
                values[slots[m, n]] += w * (by_strain * g[m] * g[n] + N / size * (same - g[m] * g[n]))


@kernel
def bending_tangent(
    row: Any, start: FloatArray, x: FloatArray, dq: float, slots: IntArray, values: FloatArray, g: FloatArray
) -> None:
    """Add dq times the derivatives of the bending forces of a row to the values of the matrix. The argument ``g`` is an
    array for the derivative of the slip moment, shape (12,).
    """
    d, w = row.dims, dq * row.length / BENDING
    # derivative of the slip moment
    limit, slope = eval_limit(row, x)
    g[:] = 0.0
    for j in range(AXIAL if slope != 0.0 else 0):
        t = eval_strain(row, j, x)[1]
        for n in range(4 * d):
            g[n] += slope * row.weights[j] * row.axial_slopes[j, n // d] * t[n % d]
    for j in range(BENDING):
        # moment and anchor at bending point j
        b = eval_bend(row, j, x, start)
        moment, t0, anchor = eval_moment(row, b, limit), read_history(row, TANGENTS, j, start), NOTHING
        m, ig, new = moment.m, 1.0 / b.square, is_new(t0)
        if not new:
            anchor = read_history(row, CURVES, j, start)
        along = ig * dot(m, b.kappa)
        P, K = bending_forces(b, m)
        # compute one column of the matrix for each coordinate, from the variations of p and k
        for n in range(4 * d):
            a = n % d
            axis = (1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0)
            dp = combine(row.bending_slopes[j, n // d], axis, 0.0, axis)
            dk = combine(row.bends[j, n // d], axis, 0.0, axis)
            stretch = 2.0 * ig * dot(b.p, dp)
            # compute the variations of curvature, anchor, trial moment and moment
            dkappa = combine(ig, cross(dp, b.k), ig, cross(b.p, dk))
            dkappa = combine(1.0, dkappa, -stretch, b.kappa)
            moved = NOTHING
            if not new:
                dt = combine(1.0 / sqrt(b.square), combine(1.0, dp, -dot(b.t, dp), b.t), 0.0, dp)
                moved = change_moved(t0, b.t, anchor, dt)
            dm = trial_vector(row.bending_stiffness, combine(1.0, dkappa, -1.0, moved), 0.0, NOTHING)
            if moment.slips:
                dm = return_change(moment.e, moment.share, dm, g[n])
            # variations of P and K
            dP = combine(ig, cross(dk, m), ig, cross(b.k, dm))
            dalong = ig * (dot(dm, b.kappa) + dot(m, dkappa)) - stretch * along
            dP = combine(1.0, dP, -2.0 * along, dp)
            dP = combine(1.0, dP, -2.0 * dalong, b.p)
            dP = combine(1.0, dP, -stretch, combine(1.0, P, 2.0 * along, b.p))
            dK = combine(ig, cross(dm, b.p), ig, cross(m, dp))
            dK = combine(1.0, dK, -stretch, K)
            # rows of the matrix
            for r in range(4 * d):
                change = row.bending_slopes[j, r // d] * dP[r % d] + row.bends[j, r // d] * dK[r % d]
                values[slots[r, n]] += w * change


@kernel
def tangent(c: Any, start: FloatArray, x: FloatArray, dq: float, slots: IntArray, values: FloatArray) -> None:
    """Add the tangent dq ∂f/∂q of `residual` to the values of the matrix."""
    g = np.zeros(12)
    for i in range(len(c)):
        if c[i].active and c[i].axial_stiffness > 0.0:
            axial_tangent(c[i], start, x, dq, slots[i], values, g)
        if c[i].active and c[i].bending_stiffness > 0.0:
            bending_tangent(c[i], start, x, dq, slots[i], values, g)


@kernel
def update(
    c: Any, x: FloatArray, start_x: FloatArray, start: FloatArray, data: FloatArray, outcome: FloatArray
) -> None:
    """Compute the anchors at the end of the step, and add the losses [J] of the step to the history values. A loss is
    the mean of the forces at both ends of the step times the motion of the anchors.
    """
    for i in range(len(c)):
        row = c[i]
        if not row.active:
            continue
        lost = 0.0
        for j in range(AXIAL if row.axial_stiffness > 0.0 else 0):
            e, before = eval_strain(row, j, x)[0], eval_strain(row, j, start_x)[0]
            N, _, slips = eval_force(row, j, e, start)
            if slips:
                way = e - bend(INSIDE * N, 0.0, row.axial_stiffness) - start[row.data + j]
                lost += 0.5 * row.weights[j] * row.length * (N + eval_force(row, j, before, start)[0]) * way
                data[row.data + j] = start[row.data + j] + way
            else:
                data[row.data + j] = start[row.data + j]
        data[row.data + LOSSES] = start[row.data + LOSSES] + lost
        if row.bending_stiffness == 0.0:
            continue
        lost, limit, limit_before = 0.0, eval_limit(row, x)[0], eval_limit(row, start_x)[0]
        for j in range(BENDING):
            b = eval_bend(row, j, x, start)
            moment, anchor = eval_moment(row, b, limit), b.anchor
            if moment.slips:
                anchor = combine(1.0, b.kappa, -bend(INSIDE, 0.0, row.bending_stiffness), moment.m)
                old = eval_bend(row, j, start_x, start)
                mean = combine(0.5, moment.m, 0.5, move(old.t, b.t, eval_moment(row, old, limit_before).m))
                lost += row.length / BENDING * dot(mean, combine(1.0, anchor, -1.0, b.anchor))
            write_history(row, CURVES, j, data, anchor)
            write_history(row, TANGENTS, j, data, b.t)
        data[row.data + LOSSES + 1] = start[row.data + LOSSES + 1] + lost
    note_outcome(outcome, 0.0, np.inf, False, 0.0, -1)


@kernel
def fill_energies(c: Any, data: FloatArray, x: FloatArray, energies: FloatArray, parts: FloatArray) -> None:
    """Add the energies [J] of the axial and of the bending bristles to ``energies``, shape (2, rows), and write the
    losses [J] to ``parts``, shape (rows, 2).
    """
    for i in range(len(c)):
        row = c[i]
        for k in range(2):
            parts[i, k] = data[row.data + LOSSES + k]
        for j in range(AXIAL if row.active and row.axial_stiffness > 0.0 else 0):
            N = eval_force(row, j, eval_strain(row, j, x)[0], data)[0]
            energies[0, i] += row.weights[j] * row.length * bent_energy(True, row.axial_stiffness, 0.0, N)
        if not row.active or row.bending_stiffness == 0.0:
            continue
        limit = eval_limit(row, x)[0]
        for j in range(BENDING):
            m = eval_moment(row, eval_bend(row, j, x, data), limit).m
            size = sqrt(dot(m, m))
            energies[1, i] += row.length / BENDING * bent_energy(True, row.bending_stiffness, 0.0, size)


@kernel
def fill_losses(before: FloatArray, now: FloatArray, jumps: FloatArray) -> None:
    """Add the losses [J] of a step to ``jumps``, shape (2, rows). Copy ``now`` to ``before``, shape (rows, 2) each."""
    for i in range(len(now)):
        for k in range(2):
            jumps[k, i] += now[i, k] - before[i, k]
            before[i, k] = now[i, k]


@kernel
def fill_outputs(c: Any, data: FloatArray, x: FloatArray, force: FloatArray, moment: FloatArray) -> None:
    """Write the forces [N] of the axial bristles, shape (rows, 3), and the moments [N m] of the bending bristles,
    shape (rows, 2, 3). All values are 0 for inactive rows.
    """
    for i in range(len(c)):
        row = c[i]
        limit = eval_limit(row, x)[0]
        for j in range(AXIAL if row.active else 0):
            force[i, j] = eval_force(row, j, eval_strain(row, j, x)[0], data)[0]
        for j in range(BENDING if row.active else 0):
            m = eval_moment(row, eval_bend(row, j, x, data), limit).m
            for a in range(3):
                moment[i, j, a] = m[a]
