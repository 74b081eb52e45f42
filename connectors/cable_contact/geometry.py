"""Geometry of two near cables: cubics, the closest point of one axis to a point, directions that follow tangents.

The foot of a point p on an axis r(s) satisfies (r - p).r' = 0 and is found by Newton's method with the slope r'.r' +
(r - p).r''. During Newton's method of the model, the foot may leave its cable by half a length, on the extended cubic.
`update.py` then finds the cable on which it lies. At the end of a chain, which has a cap, the foot stays at the end.

The kernels of this package read records of the cables, named ``c`` in this file, shape (rows,): ``dofs``, local
coordinate numbers (12); reference ``length`` [m]; number of ``points``, 0 for cables whose points belong to another
process; place of the first history value ``data``, -1 for such cables; ``radius`` of the cross section [m]; rows of the
cables ``before`` and ``after`` in the chain, -1 at its ends; number of the ``chain``, different in each set; reference
length of the chain where the cable begins, ``arc`` [m]; ``loop``: reference length of a closed chain, 0 for an open
chain [m]; arc length ``apart`` within which a chain does not touch itself [m]; and the parameters of `CableContactSet`.

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006), chapter 11 (contact of beams); line-to-line form:
C. Meier, A. Popp, W. A. Wall, Comput. Methods Appl. Mech. Eng. 308 (2016) 377-413.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable2d.points import cubic_terms
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

Cubic = tuple[Vector, Vector, Vector, Vector]
BEYOND = 0.5
"""During Newton's method a foot (closest point of a cable) may lie beyond the ends of the cable by this share of its
length [1]."""
STEPS = 30
"""Largest number of Newton steps in the search for a foot, the closest point of a cable."""


@kernel(inline=True, fast=False)
def arc_length_of(j: int, n: float, L: float) -> float:
    """Arc length of point j of n on a cable [m]: the middle of the part that the point represents."""
    return (j + 0.5) * L / n


@kernel(inline=True)
def read_vector(x: FloatArray, dofs: IntArray, first: int) -> Vector:
    """Read three coordinates of a cable."""
    return x[dofs[first]], x[dofs[first + 1]], x[dofs[first + 2]]


@kernel(inline=True, fast=False)
def gather(x: FloatArray, row: Any) -> Cubic:
    """Coefficients of r(s) = a + b s + c s² + e s³ of a cable, also of its velocity."""
    L, n = row.length, row.dofs
    p, u, q, w = read_vector(x, n, 0), read_vector(x, n, 3), read_vector(x, n, 6), read_vector(x, n, 9)
    c0, e0 = cubic_terms((q[0] - p[0]) / L, u[0], w[0], L)
    c1, e1 = cubic_terms((q[1] - p[1]) / L, u[1], w[1], L)
    c2, e2 = cubic_terms((q[2] - p[2]) / L, u[2], w[2], L)
    return p, u, (c0, c1, c2), (e0, e1, e2)


@kernel(inline=True, fast=False)
def value_at(z: Cubic, s: float) -> Vector:
    """r(s)."""
    a, b, c, e = z
    return (
        a[0] + s * (b[0] + s * (c[0] + s * e[0])),
        a[1] + s * (b[1] + s * (c[1] + s * e[1])),
        a[2] + s * (b[2] + s * (c[2] + s * e[2])),
    )


@kernel(inline=True, fast=False)
def slope_at(z: Cubic, s: float) -> Vector:
    """r'(s)."""
    _, b, c, e = z
    return (
        b[0] + s * (2.0 * c[0] + 3.0 * s * e[0]),
        b[1] + s * (2.0 * c[1] + 3.0 * s * e[1]),
        b[2] + s * (2.0 * c[2] + 3.0 * s * e[2]),
    )


@kernel(inline=True, fast=False)
def bend_at(z: Cubic, s: float) -> Vector:
    """r''(s)."""
    _, _, c, e = z
    return 2.0 * c[0] + 6.0 * s * e[0], 2.0 * c[1] + 6.0 * s * e[1], 2.0 * c[2] + 6.0 * s * e[2]


@kernel(fast=False)
def find_foot(z: Cubic, p: Vector, s: float, low: float, high: float, length: float) -> tuple[float, bool]:
    """The foot of p on a cubic between low and high [m], found from the start value s, and whether it lies at one of
    these limits."""
    for _ in range(STEPS):
        r, u, k = value_at(z, s), slope_at(z, s), bend_at(z, s)
        d = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        g = dot(u, u)
        slope = g + dot(d, k)
        # far from a foot, or without a foot, use the step of a straight line
        change = dot(d, u) / (slope if slope > 0.1 * g else g)
        new = min(max(s - change, low), high)
        moved = abs(new - s)
        s = new
        if moved <= 1e-15 * length:
            break
    return s, s <= low or s >= high


@kernel(inline=True)
def reach_of_foot(c: NDArray[Any], b: int) -> tuple[float, float]:
    """Range of arc lengths of cable b in which a foot may lie during Newton's method [m]."""
    low = -BEYOND * c[b].length if c[b].before >= 0 else 0.0
    high = (1.0 + BEYOND) * c[b].length if c[b].after >= 0 else c[b].length
    return low, high


@kernel(inline=True, fast=False)
def wrap_arc(arc: float, loop: float) -> float:
    """The shorter difference of two arc lengths of a chain, which may be closed [m]."""
    if loop > 0.0:
        return float(arc - loop * np.round(arc / loop))
    return arc


@kernel(inline=True, fast=False)
def is_itself(c: NDArray[Any], a: int, xi: float, b: int, s: float) -> bool:
    """Whether a foot at s of cable b is so near to the point xi of cable a along one chain that it is not a contact.

    New feet that are nearer than ``apart`` are ignored. If the minimum of the distance of a foot no longer exists, the
    foot is placed at the point.
    """
    way = abs(wrap_arc(c[a].arc + xi - c[b].arc - s, c[b].loop))
    return bool(c[a].chain == c[b].chain and way < 0.5 * c[a].apart)


@kernel(inline=True)
def unit(a: Vector) -> tuple[float, Vector]:
    """Length and direction."""
    l = sqrt(dot(a, a))
    return l, (a[0] / l, a[1] / l, a[2] / l)


@kernel(inline=True)
def carry(m: Vector, t0: Vector, t: Vector) -> Vector:
    """Rotate m by the smallest rotation from t0 to t, as a cross section without twist rotates."""
    w, c = cross(t0, t), dot(t0, t)
    v, h = cross(w, m), dot(w, m) / (1.0 + c)
    return c * m[0] + v[0] + h * w[0], c * m[1] + v[1] + h * w[1], c * m[2] + v[2] + h * w[2]


@kernel(inline=True)
def carry_change(m: Vector, t0: Vector, t: Vector, dt: Vector) -> Vector:
    """Variation of `carry` for the variation dt of t."""
    w, c, dw, dc = cross(t0, t), dot(t0, t), cross(t0, dt), dot(t0, dt)
    v, f = cross(dw, m), 1.0 / (1.0 + c)
    h, dh = dot(w, m) * f, dot(dw, m) * f
    k = dh - h * dc * f
    a = combine(dc, m, h, dw)
    return a[0] + v[0] + k * w[0], a[1] + v[1] + k * w[1], a[2] + v[2] + k * w[2]
