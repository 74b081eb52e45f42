"""Kernels of fibre ropes (`FibreCable2D` ..., `WorkingCable2D` ...), of `TableCable2D` and `TableCable3D`, and of the
same cables with twist (twist_ropes.py). They evaluate the difference between the axial force of these cables and the
linear axial force that the kernels of `Cable2D`, `Cable3D` and `TwistCable3D` evaluate.

    e = ε - ε_ref,    F = N - EA e,    N: axial force of the law, without axial damping
    forces: f = Σ w L F ∂ε/∂q,    ∂ε/∂q = S' t,    t = r'/|r'|
    tangent: Σ w L (∂F/∂e ∂ε/∂q ∂ε/∂qᵀ + F S' S'ᵀ (I - t tᵀ)/|r'|)
    slow strain at each point: η y_t + T(y) - N = 0

The sums extend over the integration points of the axial strain. The sum of the weights w is 1. The files
fibre_cable.py, working_cable.py and table_cable.py state the laws. The slow strains y are first-order states, which are
stored as velocities of coordinates (nodes/generic_nodes.py). Therefore derivatives with respect to y have the factor
dv.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.points import count_dims, create_rule, eval_shape
from windlass.elements.cable.slow_forces import (
    LINEAR,
    WORKING,
    SlowForce,
    eval_fast_energy,
    eval_lost_energy,
    eval_original,
    eval_slow,
)
from windlass.elements.cable.strains import eval_free_strains
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.rows import create_records

POINTS = 5
"""Largest number of axial points of an integration rule."""
STATES = 3
"""Number of slow strains of a cable: one for each axial point of integration rule 2."""


def create_ropes(rows: LocalRows, law: dict[str, Any]) -> NDArray[Any]:
    """Create the records of cables for the kernels, with the fields of `list_fields`."""
    dofs = rows.dofs[:, : 4 * count_dims(rows.dofs.shape[1])]
    return create_records(**list_fields(rows, law) | {"dofs": dofs})


def list_fields(rows: LocalRows, law: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that the kernels read. The argument ``law`` contains fields that replace defaults.

    L, EA: length [m] and axial stiffness [N], which is 0 for broken cables.
    points: number of axial points.
    w: weights of the axial points [1], shape (5,).
    dS: derivatives of the shape functions at the axial points [1/m, 1], shape (5, 4).
    free: stress-free strain at the axial points [1], shape (5,).
    dofs: process-local indices of the coordinates of the nodes, of which the first 4 d are positions and slopes.
    states: process-local indices of the slow strains at the axial points, shape (3,).
    law: law of the slow part, see slow_forces.py.
    stiffness, static, damping, stiffening: K [N], S [N], η [N s] and β [1] of the slow strains; 0 without slow strains.
    offset, working, quadratic, exponent: k1 [1], S [N], k [1] and c [1] of working curves.
    least: smallest value of the largest slow strain h [1] of working curves.
    data: index of the history values, the largest slow strains at the axial points; -1 without history values.
    x, T, slope, work: strains [1] of a table, and tensions [N], derivatives of the tension [N] and energies per length
        [N] at these strains.
    count: number of values of the table, 0 for cables without a table.
    """
    count, L = len(rows.rows), rows.local("length")
    whole = ~rows.local("broken")
    points = np.zeros(count, np.int64)
    w, dS, free = np.zeros((count, POINTS)), np.zeros((count, POINTS, 4)), np.zeros((count, POINTS))
    for number in np.unique(rows.local("integration")):
        some, rule = np.flatnonzero(rows.local("integration") == number), create_rule(int(number))
        n = len(rule.sa)
        points[some], w[some, :n] = n, rule.wa
        dS[some, :n] = eval_shape(rule.sa, L[some, None]).dS
        free[some, :n] = eval_free_strains(rows.select(some), rule.sa)
    nothing, none = np.zeros(count), np.zeros((count, 1))
    numbers = (
        "stiffness", "static", "damping", "stiffening", "offset", "working", "quadratic", "exponent", "least"
    )  # fmt: skip
    given: dict[str, Any] = dict.fromkeys(numbers, nothing)
    given |= {"law": np.full(count, LINEAR, np.int64), "data": np.full(count, -1, np.int64)}
    given |= {"x": none, "T": none, "slope": none, "work": none, "count": np.zeros(count, np.int64)}
    own = {"L": L, "EA": whole * rows.local("axial_stiffness"), "points": points, "w": w, "dS": dS, "free": free}
    return {**own, "dofs": rows.dofs, "states": rows.dofs[:, -STATES:], **given, **law}


@kernel
def eval_tension(row: Any, slow: bool, e: float, y: float, h: float) -> tuple[float, float, float, SlowForce]:
    """Return the axial force N [N], the derivatives [N] of N with respect to the strain e and the slow strain y, and
    the forces of the slow part. Without slow strain, the slow part contains the energy per length [N] of the table.
    The largest slow strain in the past is h [1].
    """
    if not slow:
        T, slope, work = eval_original(row, e)
        return T, slope, 0.0, SlowForce(0.0, 0.0, work, 0.0)
    part = eval_slow(row, y, h)
    by_T = row.stiffening * part.slope if part.T > 0.0 else 0.0
    D = row.EA + row.stiffening * max(part.T, 0.0)
    if row.law == WORKING:
        u = e - y - part.fast
        return part.T + D * u, D, by_T * u - D, part
    u = e - y
    return D * u, D, by_T * u - D, part


@kernel
def eval_energy(row: Any, e: float, y: float, part: SlowForce) -> tuple[float, float]:
    """Return the energy per length [N] of a rope with slow strain, and the strain [1] of the fast part minus its strain
    under the mean load.
    """
    D = row.EA + row.stiffening * max(part.T, 0.0)
    if row.law == WORKING:
        u = e - y - part.fast
        return part.work + eval_fast_energy(row, part.T) + part.T * u + 0.5 * D * u * u, u
    u = e - y
    return part.work + 0.5 * D * u * u, u


@kernel(inline=True)
def find_largest(row: Any, j: int, slow: bool, data: FloatArray) -> float:
    """Return the largest slow strain [1] in the past at point j, from history values."""
    return data[row.data + j] if slow and row.law == WORKING else 0.0


@kernel(inline=True)
def eval_slope(row: Any, j: int, x: FloatArray, p: FloatArray) -> float:
    """Write t = r'/|r'| at point j into p, shape (3,), and return |r'|."""
    d, square = len(row.dofs) // 4, 0.0
    for a in range(d):
        p[a] = 0.0
        for b in range(4):
            p[a] += row.dS[j, b] * x[row.dofs[d * b + a]]
        square += p[a] * p[a]
    size = sqrt(square)
    for a in range(d):
        p[a] /= size
    return size


@kernel
def residual(c: Any, slow: bool, data: FloatArray, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add the forces [N, N m] to f. If the cables have slow strains y, also add T - N [N] to the elements of f for the
    slow strains. The argument ``data`` contains the history values.
    """
    t = np.zeros(3)
    for i in range(len(c)):
        row = c[i]
        d = len(row.dofs) // 4
        for j in range(row.points):
            y = v[row.states[j]] if slow else 0.0
            e = eval_slope(row, j, x, t) - 1.0 - row.free[j]
            N, _, _, part = eval_tension(row, slow, e, y, find_largest(row, j, slow, data))
            if slow:
                f[row.states[j]] += part.T - N
            F = row.w[j] * row.L * (N - row.EA * e)
            for b in range(4):
                for a in range(d):
                    f[row.dofs[d * b + a]] += F * row.dS[j, b] * t[a]


@kernel
def tangent(
    c: Any, slow: bool, data: FloatArray, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray,
    values: FloatArray,
) -> None:  # fmt: skip
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual`, with the factors dq and dv, to the values of the matrix."""
    t, gradient = np.zeros(3), np.zeros(12)
    for i in range(len(c)):
        row = c[i]
        d = len(row.dofs) // 4
        for j in range(row.points):
            y = v[row.states[j]] if slow else 0.0
            size = eval_slope(row, j, x, t)
            e, w = size - 1.0 - row.free[j], row.w[j]
            N, by_e, by_y, part = eval_tension(row, slow, e, y, find_largest(row, j, slow, data))
            for b in range(4):
                for a in range(d):
                    gradient[d * b + a] = row.dS[j, b] * t[a]
            F, change = dq * w * row.L * (N - row.EA * e) / size, dq * w * row.L * (by_e - row.EA)
            # derivatives with respect to the coordinates of the nodes
            for m in range(4 * d):
                for n in range(4 * d):
                    same = 1.0 if m % d == n % d else 0.0
                    turned = row.dS[j, m // d] * row.dS[j, n // d] * (same - t[m % d] * t[n % d])
                    values[slots[i, m, n]] += change * gradient[m] * gradient[n] + F * turned
            if slow:
                own = len(row.dofs) + j
                for m in range(4 * d):
                    values[slots[i, m, own]] += dv * w * row.L * by_y * gradient[m]
                    values[slots[i, own, m]] -= dq * by_e * gradient[m]
                values[slots[i, own, own]] += dv * (part.slope - by_y)


@kernel
def fill_energies(
    c: Any, slow: bool, lost: int, data: FloatArray, x: FloatArray, v: FloatArray, energies: FloatArray,
    powers: FloatArray,
) -> None:  # fmt: skip
    """Add the difference [J] between the energy of the law and the energy of the linear law to the first row of
    ``energies``. If the cables have slow strains, add two powers [W] to row ``lost`` and to the last row of ``powers``.
    Damping dissipates the power L Σ w η y_t². The change of the stiffness D causes the power -L Σ w ∂D/∂y u² y_t/2,
    where u is the second result of `eval_energy`.
    """
    t = np.zeros(3)
    for i in range(len(c)):
        row = c[i]
        for j in range(row.points):
            y, w = v[row.states[j]] if slow else 0.0, row.w[j] * row.L
            e = eval_slope(row, j, x, t) - 1.0 - row.free[j]
            N, _, _, part = eval_tension(row, slow, e, y, find_largest(row, j, slow, data))
            work, u = eval_energy(row, e, y, part) if slow else (part.work, 0.0)
            energies[0, i] += w * (work - 0.5 * row.EA * e * e)
            if slow and len(powers):
                rate = (N - part.T) / row.damping
                powers[lost, i] += w * row.damping * rate * rate
                if part.T > 0.0:
                    powers[len(powers) - 1, i] -= 0.5 * w * row.stiffening * part.slope * u * u * rate


@kernel
def fill_lost(c: Any, data: FloatArray, parts: FloatArray) -> None:
    """Write the energies [J] that ropes with working curves have lost by their first loadings, shape (rows, 1)."""
    for i in range(len(c)):
        row, lost = c[i], 0.0
        for j in range(row.points if row.law == WORKING else 0):
            h = max(data[row.data + j], row.least)
            lost += row.w[j] * row.L * (eval_lost_energy(row, h) - eval_lost_energy(row, row.least))
        parts[i, 0] = lost


@kernel
def fill_losses(before: FloatArray, now: FloatArray, jumps: FloatArray) -> None:
    """Add the losses of a step [J] to the last row of ``jumps``, and copy ``now`` to ``before``, shape (rows, 1)
    each."""
    for i in range(len(now)):
        jumps[len(jumps) - 1, i] += now[i, 0] - before[i, 0]
        before[i, 0] = now[i, 0]


@kernel
def update(c: Any, v: FloatArray, start: FloatArray, data: FloatArray, outcome: FloatArray) -> None:
    """Compute the largest slow strains at the end of the step from their values ``start`` at the start of the step."""
    for i in range(len(c)):
        row = c[i]
        for j in range(row.points if row.law == WORKING else 0):
            data[row.data + j] = max(start[row.data + j], v[row.states[j]])
    note_outcome(outcome, 0.0, np.inf, False, 0.0, -1)


@kernel
def fill_tensions(c: Any, slow: bool, e: FloatArray, y: FloatArray, h: FloatArray, extra: FloatArray) -> None:
    """Write the axial force minus the linear axial force, N - EA e [N], at k points of each row into ``extra``. The
    inputs are the strains e = ε - ε_ref, the slow strains y and the largest slow strains h, shape (rows, k) each."""
    for i in range(len(c)):
        for j in range(e.shape[1]):
            extra[i, j] = eval_tension(c[i], slow, e[i, j], y[i, j], h[i, j])[0] - c[i].EA * e[i, j]


@kernel
def fill_mean_loads(c: Any, y: FloatArray, h: FloatArray, T: FloatArray) -> None:
    """Write the mean loads T [N] at the slow strains y, with the largest slow strains h, shape (rows, k) each."""
    for i in range(len(c)):
        for j in range(y.shape[1]):
            T[i, j] = eval_slow(c[i], y[i, j], h[i, j]).T


@kernel
def mass(c: Any, scale: float, slots: IntArray, values: FloatArray) -> None:
    """Add scale times η to the diagonal entries of the slow strains in the mass matrix."""
    for i in range(len(c)):
        first = len(c[i].dofs)
        for j in range(len(c[i].states)):
            values[slots[i, first + j, first + j]] += scale * c[i].damping


@kernel
def mass_product(c: Any, a: FloatArray, f: FloatArray) -> None:
    """Add η y_t to the elements of f for the slow strains. The argument ``a`` contains the rates y_t."""
    for i in range(len(c)):
        for j in range(len(c[i].states)):
            f[c[i].states[j]] += c[i].damping * a[c[i].states[j]]
