"""Kernels of `FibreCable2D`, `FibreCable3D`, `TableCable2D` and `TableCable3D`. They evaluate the difference between
the axial force of these cables and the linear axial force that the kernels of `Cable2D` and `Cable3D` evaluate.

    e = ε - ε_ref,    F = N - EA e,    N of the law without axial damping
    forces: f = Σ w L F ∂ε/∂q,    ∂ε/∂q = S' t,    t = r'/|r'|
    tangent: Σ w L (∂F/∂e ∂ε/∂q ∂ε/∂qᵀ + F S' S'ᵀ (I - t tᵀ)/|r'|)
    slow strain at each point: η y_t + K y - N = 0

The sums extend over the integration points of the axial strain. The sum of the weights w is 1. The files fibre_cable.py
and table_cable.py state the laws. The slow strains y are first-order states, which are stored as velocities of
coordinates (nodes/generic_nodes.py). Therefore derivatives with respect to y have the factor dv.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.points import create_rule, eval_shape
from windlass.elements.cable.strains import eval_free_bending
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows
from windlass.framework.model.rows import create_records

POINTS = 5
"""Largest number of axial points of an integration rule."""
STATES = 3
"""Number of slow strains of a cable: one for each axial point of integration rule 2."""


def create_ropes(rows: LocalRows, dims: int, **law: FloatArray | IntArray) -> NDArray[Any]:
    """Create the records of cables for the kernels. The argument ``law`` contains further fields, with one entry per
    row.

    L, EA: length [m] and axial stiffness [N], which is 0 for broken cables.
    points: number of axial points.
    w: weights of the axial points [1], shape (5,).
    dS: derivatives of the shape functions at the axial points [1/m, 1], shape (5, 4).
    free: stress-free strain at the axial points [1], shape (5,).
    dofs: process-local indices of the coordinates of the nodes, shape (4 d,).
    states: process-local indices of the slow strains at the axial points, shape (3,).
    stiffness, damping, stiffening: K [N], η [N s] and β [1] of the slow strains; 0 without slow strains.
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
        free[some, :n] = eval_free_bending(rows.select(some), rule.sa)[0]
    nothing, none = np.zeros(count), np.zeros((count, 1))
    given: dict[str, Any] = {"stiffness": nothing, "damping": nothing, "stiffening": nothing}
    given |= {"x": none, "T": none, "slope": none, "work": none, "count": np.zeros(count, np.int64)}
    given |= law
    return create_records(
        L=L,
        EA=whole * rows.local("axial_stiffness"),
        points=points,
        w=w,
        dS=dS,
        free=free,
        dofs=rows.dofs[:, : 4 * dims],
        states=rows.dofs[:, -STATES:],
        **given,
    )


@kernel
def eval_table(row: Any, e: float) -> tuple[float, float, float]:
    """Return the tension [N] of a table at the strain e, the derivative of the tension with respect to e [N], and the
    energy per length [N]. Beyond the ends of the table the tension is linear.
    """
    last = row.count - 1
    if e <= row.x[0] or e >= row.x[last]:
        k = 0 if e <= row.x[0] else last
        u = e - row.x[k]
        return row.T[k] + u * row.slope[k], row.slope[k], row.work[k] + u * (row.T[k] + 0.5 * u * row.slope[k])
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if row.x[middle] <= e:
            low = middle
        else:
            high = middle
    # cubic of the interval with the given derivatives at both ends
    h = row.x[high] - row.x[low]
    u, a, b = e - row.x[low], row.slope[low], (row.T[high] - row.T[low]) / h
    c, d = (3.0 * b - 2.0 * a - row.slope[high]) / h, (a + row.slope[high] - 2.0 * b) / (h * h)
    T = row.T[low] + u * (a + u * (c + u * d))
    work = row.work[low] + u * (row.T[low] + u * (0.5 * a + u * (c / 3.0 + 0.25 * u * d)))
    return T, a + u * (2.0 * c + 3.0 * u * d), work


@kernel
def eval_tension(row: Any, e: float, y: float) -> tuple[float, float, float, float]:
    """Return the axial force N [N], the derivatives of N with respect to the strain e and the slow strain y [N], and
    the energy per length [N]."""
    if row.count > 0:
        T, slope, work = eval_table(row, e)
        return T, slope, 0.0, work
    pulls = row.stiffening * row.stiffness if y > 0.0 else 0.0
    D, u = row.EA + pulls * y, e - y
    return D * u, D, pulls * u - D, 0.5 * D * u * u + 0.5 * row.stiffness * y * y


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
def residual(c: Any, slow: bool, x: FloatArray, v: FloatArray, f: FloatArray) -> None:
    """Add the forces [N, N m] to f. If the cables have slow strains y, also add K y - N [N] to the elements of f for
    the slow strains.
    """
    t = np.zeros(3)
    for i in range(len(c)):
        row = c[i]
        d = len(row.dofs) // 4
        for j in range(row.points):
            y = v[row.states[j]] if slow else 0.0
            e = eval_slope(row, j, x, t) - 1.0 - row.free[j]
            N, _, _, _ = eval_tension(row, e, y)
            if slow:
                f[row.states[j]] += row.stiffness * y - N
            F = row.w[j] * row.L * (N - row.EA * e)
            for b in range(4):
                for a in range(d):
                    f[row.dofs[d * b + a]] += F * row.dS[j, b] * t[a]


@kernel
def tangent(
    c: Any, slow: bool, x: FloatArray, v: FloatArray, dq: float, dv: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of `residual`, with the factors dq and dv, to the values of the matrix."""
    t, gradient = np.zeros(3), np.zeros(12)
    for i in range(len(c)):
        row = c[i]
        d = len(row.dofs) // 4
        for j in range(row.points):
            y = v[row.states[j]] if slow else 0.0
            size = eval_slope(row, j, x, t)
            e, w = size - 1.0 - row.free[j], row.w[j]
            N, by_e, by_y, _ = eval_tension(row, e, y)
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
                own = 4 * d + j
                for m in range(4 * d):
                    values[slots[i, m, own]] += dv * w * row.L * by_y * gradient[m]
                    values[slots[i, own, m]] -= dq * by_e * gradient[m]
                values[slots[i, own, own]] += dv * (row.stiffness - by_y)


@kernel
def fill_energies(c: Any, slow: bool, x: FloatArray, v: FloatArray, energies: FloatArray, powers: FloatArray) -> None:
    """Add the difference between the energy of the law and the energy of the linear law to the first row of
    ``energies`` [J]. If the cables have slow strains, add two powers to the last rows of ``powers`` [W]. Damping
    dissipates the power L Σ w η y_t². The change of the stiffness D causes the power -L Σ w ∂D/∂y (e - y)² y_t/2."""
    t = np.zeros(3)
    for i in range(len(c)):
        row = c[i]
        for j in range(row.points):
            y, w = v[row.states[j]] if slow else 0.0, row.w[j] * row.L
            e = eval_slope(row, j, x, t) - 1.0 - row.free[j]
            N, _, _, work = eval_tension(row, e, y)
            energies[0, i] += w * (work - 0.5 * row.EA * e * e)
            if slow and len(powers):
                rate = (N - row.stiffness * y) / row.damping
                powers[2, i] += w * row.damping * rate * rate
                if y > 0.0:
                    powers[3, i] -= 0.5 * w * row.stiffening * row.stiffness * (e - y) * (e - y) * rate


@kernel
def fill_tensions(c: Any, e: FloatArray, y: FloatArray, extra: FloatArray) -> None:
    """Write the axial force minus the linear axial force, N - EA e [N], at k points of each row into ``extra``. The
    inputs are the strains e = ε - ε_ref and the slow strains y, shape (rows, k) each."""
    for i in range(len(c)):
        for j in range(e.shape[1]):
            extra[i, j] = eval_tension(c[i], e[i, j], y[i, j])[0] - c[i].EA * e[i, j]


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
