"""Geometry of two neighbouring cables: cubic axes, the closest point of an axis to a given point, and vectors that
rotate with a tangent.

The foot of a point p is the closest point on an axis r(s). The foot satisfies (r - p).r' = 0 and is found by Newton's
method. The derivative of (r - p).r' with respect to s is r'.r' + (r - p).r''. During a Newton run of the model, the
foot may lie on the extended cubic beyond an end of its cable. The largest allowed distance from the end is half of the
length of the cable. After the run, `update.py` finds the cable on which the foot lies. At the end of a chain the foot
does not move beyond the end.

The kernels of this package read records of the cables, named ``c``, shape (rows,). The fields of these records are the
parameters of `CableContactSet` and:

    dofs: the twelve process-local coordinate indices of positions and slopes. If friction turns cables of the table,
        the indices of the two angles follow
    length: reference length [m]
    points: number of points. The number is 0 for cables whose points another process evaluates
    data: index of the first history value. The index is -1 for cables whose points another process evaluates
    radius: radius of the cross section [m]
    before, after: rows of the neighbours in the chain. The value is -1 at an end of the chain
    chain: index of the chain. Chains of different sets have different indices
    arc: reference length of the chain up to the start of the cable [m]
    loop: reference length of the chain if it is closed, 0 for an open chain [m]
    apart: smallest arc length along a chain between two points that can touch each other [m]
    b0, b1, F0, F1, free_angle, free_twist: see elements/cable/twist_points.py, for cables that friction turns

Source: P. Wriggers, Computational Contact Mechanics, Springer (2006), chapter 11 (contact of beams); line-to-line form:
C. Meier, A. Popp, W. A. Wall, Comput. Methods Appl. Mech. Eng. 308 (2016) 377-413.
"""

from __future__ import annotations

from math import floor, sqrt
from typing import Any

from numpy.typing import NDArray

from windlass.elements.cable.points import cubic_terms
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

Cubic = tuple[Vector, Vector, Vector, Vector]
BEYOND = 0.5
"""Distance, divided by the length of the cable [1]. During Newton's method, a foot may lie beyond the ends of its cable
by up to this distance.
"""
STEPS = 30
"""Largest number of Newton steps in the search for a foot."""


@kernel(inline=True, fast=False)
def arc_length_of(j: int, n: float, L: float) -> float:
    """Return the arc length [m] of point j of n points on a cable. The point is in the middle of the part that it
    represents.
    """
    return (j + 0.5) * L / n


@kernel(inline=True)
def read_vector(x: FloatArray, dofs: IntArray, first: int) -> Vector:
    """Return three successive coordinates of a cable. The indices of these coordinates are the elements of ``dofs``
    from the index ``first`` on.
    """
    return x[dofs[first]], x[dofs[first + 1]], x[dofs[first + 2]]


@kernel(inline=True, fast=False)
def gather(x: FloatArray, row: Any) -> Cubic:
    """Return the coefficients of the axis r(s) = a + b s + c s² + e s³ of a cable from coordinates ``x``. If ``x``
    contains velocities, return the coefficients of the velocity of the axis.
    """
    L, n = row.length, row.dofs
    p, u, q, w = read_vector(x, n, 0), read_vector(x, n, 3), read_vector(x, n, 6), read_vector(x, n, 9)
    c0, e0 = cubic_terms((q[0] - p[0]) / L, u[0], w[0], L)
    c1, e1 = cubic_terms((q[1] - p[1]) / L, u[1], w[1], L)
    c2, e2 = cubic_terms((q[2] - p[2]) / L, u[2], w[2], L)
    return p, u, (c0, c1, c2), (e0, e1, e2)


@kernel(inline=True, fast=False)
def value_at(z: Cubic, s: float) -> Vector:
    """Return the position r(s)."""
    a, b, c, e = z
    return (
        a[0] + s * (b[0] + s * (c[0] + s * e[0])),
        a[1] + s * (b[1] + s * (c[1] + s * e[1])),
        a[2] + s * (b[2] + s * (c[2] + s * e[2])),
    )


@kernel(inline=True, fast=False)
def slope_at(z: Cubic, s: float) -> Vector:
    """Return the slope r'(s)."""
    _, b, c, e = z
    return (
        b[0] + s * (2.0 * c[0] + 3.0 * s * e[0]),
        b[1] + s * (2.0 * c[1] + 3.0 * s * e[1]),
        b[2] + s * (2.0 * c[2] + 3.0 * s * e[2]),
    )


@kernel(inline=True, fast=False)
def bend_at(z: Cubic, s: float) -> Vector:
    """Return the second derivative r''(s)."""
    _, _, c, e = z
    return 2.0 * c[0] + 6.0 * s * e[0], 2.0 * c[1] + 6.0 * s * e[1], 2.0 * c[2] + 6.0 * s * e[2]


@kernel(fast=False)
def find_foot(z: Cubic, p: Vector, s: float, low: float, high: float, length: float) -> tuple[float, bool]:
    """Find the foot of the point p on a cubic in the range from ``low`` to ``high``, starting at the arc length s.
    Return the arc length [m] of the foot, and whether the foot is at a limit of this range.
    """
    for _ in range(STEPS):
        r, u, k = value_at(z, s), slope_at(z, s), bend_at(z, s)
        d = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        g = dot(u, u)
        slope = g + dot(d, k)
        # if the foot is far away or does not exist, use the Newton step for a straight line
        change = dot(d, u) / (slope if slope > 0.1 * g else g)
        new = min(max(s - change, low), high)
        moved = abs(new - s)
        s = new
        if moved <= 1e-15 * length:
            break
    return s, s <= low or s >= high


@kernel(inline=True)
def reach_of_foot(c: NDArray[Any], b: int) -> tuple[float, float]:
    """Return the smallest and the largest arc length [m] that a foot on cable b may have during Newton's method."""
    low = -BEYOND * c[b].length if c[b].before >= 0 else 0.0
    high = (1.0 + BEYOND) * c[b].length if c[b].after >= 0 else c[b].length
    return low, high


@kernel(inline=True, fast=False)
def wrap_arc(arc: float, loop: float) -> float:
    """Return the difference ``arc`` [m] of two arc lengths of a chain. On a closed chain of the length ``loop``, the
    result is the signed length of the shorter part of the chain between the two points.
    """
    if loop > 0.0:
        return arc - loop * floor(arc / loop + 0.5)
    return arc


@kernel(inline=True, fast=False)
def is_itself(c: NDArray[Any], a: int, xi: float, b: int, s: float) -> bool:
    """Return whether the foot at s on cable b is ignored as a contact of the point at xi on cable a. A foot is ignored
    if point and foot lie on the same chain, and the arc length between them is less than ``apart``/2.

    The search ignores new feet whose arc length from the point is less than ``apart``. However, the foot of an existing
    contact can converge to the point itself, if the distance between the point and the axis no longer has a minimum
    elsewhere.
    """
    way = abs(wrap_arc(c[a].arc + xi - c[b].arc - s, c[b].loop))
    return bool(c[a].chain == c[b].chain and way < 0.5 * c[a].apart)


@kernel(inline=True)
def unit(a: Vector) -> tuple[float, Vector]:
    """Return the length and the direction of a vector."""
    l = sqrt(dot(a, a))
    return l, (a[0] / l, a[1] / l, a[2] / l)


@kernel(inline=True)
def carry(m: Vector, t0: Vector, t: Vector) -> Vector:
    """Rotate m by the smallest rotation from t0 to t, which is the rotation of a cross section without twist."""
    w, c = cross(t0, t), dot(t0, t)
    v, h = cross(w, m), dot(w, m) / (1.0 + c)
    return c * m[0] + v[0] + h * w[0], c * m[1] + v[1] + h * w[1], c * m[2] + v[2] + h * w[2]


@kernel(inline=True)
def carry_change(m: Vector, t0: Vector, t: Vector, dt: Vector) -> Vector:
    """Return the variation of the result of `carry` for the variation dt of the tangent t."""
    w, c, dw, dc = cross(t0, t), dot(t0, t), cross(t0, dt), dot(t0, dt)
    v, f = cross(dw, m), 1.0 / (1.0 + c)
    h, dh = dot(w, m) * f, dot(dw, m) * f
    k = dh - h * dc * f
    a = combine(dc, m, h, dw)
    return a[0] + v[0] + k * w[0], a[1] + v[1] + k * w[1], a[2] + v[2] + k * w[2]
