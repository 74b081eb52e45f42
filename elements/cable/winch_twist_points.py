"""Coordinates of winch cables with torsion, and derivatives of linear forms with respect to these coordinates.

The 15 coordinates z of a cable are the positions and slopes of both nodes, the angles of both nodes, and the length l
of the rope outside the winch. The strains depend on y = [e, s0, s1, φ0, φ1], see twist_points.py, where e = (r1 - r0)/h
with the length h = Δ l of the cable. Therefore

    ∂e/∂l = -e/l,    ∂²e/∂l² = 2 e/l²,    ∂²e/∂l∂r1 = -1/(h l).

A linear form g·δy is the linear form g_z·δz with g_z = Aᵀ g, A = ∂y/∂z. If H contains the derivatives of g with
respect to y, the derivatives of g_z with respect to z are Aᵀ H A + g·∂²y/∂z².
"""

from __future__ import annotations

from typing import Any

from windlass.elements.cable.twist_forces import find_part, scatter_forces
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

ALL = 15
"""Number of coordinates z."""
LENGTH = 14
"""Index of the length l among the coordinates z."""


@kernel
def on_length(g: FloatArray, y: FloatArray, l: float) -> float:
    """Return the coefficient of δl in the linear form g·δy at constant coordinates of the nodes."""
    total: float = -(g[0] * y[0] + g[1] * y[1] + g[2] * y[2]) / l
    return total


@kernel
def fill_form(g: FloatArray, y: FloatArray, h: float, l: float, gz: FloatArray) -> None:
    """Fill g_z, shape (15,), from g, shape (11,)."""
    for a in range(LENGTH):
        k, factor = find_part(a, 1.0 / h)
        gz[a] = factor * g[k]
    gz[LENGTH] = on_length(g, y, l)


@kernel
def fill_form_change(H: FloatArray, g: FloatArray, w: float, y: FloatArray, h: float, l: float, Hz: FloatArray) -> None:
    """Fill the derivatives Aᵀ H A + w g·∂²y/∂z² of a linear form with respect to z, shape (15, 15). The matrix H, shape
    (11, 11), need not be symmetric.
    """
    ih = 1.0 / h
    for a in range(LENGTH):
        m, u = find_part(a, ih)
        for b in range(LENGTH):
            n, factor = find_part(b, ih)
            Hz[a, b] = u * factor * H[m, n]
        Hz[a, LENGTH], Hz[LENGTH, a] = 0.0, 0.0
        for b in range(3):
            Hz[a, LENGTH] -= u * H[m, b] * y[b] / l
            Hz[LENGTH, a] -= u * H[b, m] * y[b] / l
        if m < 3:
            Hz[a, LENGTH] -= w * u * g[m] / l
            Hz[LENGTH, a] -= w * u * g[m] / l
    corner = 0.0
    for a in range(3):
        corner += 2.0 * w * g[a] * y[a]
        for b in range(3):
            corner += y[a] * H[a, b] * y[b]
    Hz[LENGTH, LENGTH] = corner / (l * l)


@kernel
def scatter_form(row: Any, g: FloatArray, y: FloatArray, h: float, l: float, f: FloatArray) -> None:
    """Add the generalised forces g conjugate to y to the forces f on the coordinates z."""
    scatter_forces(row, 1.0 / h, g, f)
    f[row.dofs[LENGTH]] += on_length(g, y, l)


@kernel
def product(a: FloatArray, b: FloatArray) -> float:
    """Return the scalar product a·b of two vectors of length 15."""
    total = 0.0
    for k in range(ALL):
        total += a[k] * b[k]
    return total
