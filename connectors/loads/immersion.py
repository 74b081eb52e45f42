"""Immersed volume of spheres, cylinders, boxes and polyhedra below a plane, with moments and waterplane integrals.

Consider a point at the position ρ relative to the centre of the body, in the axes of the body. The point is immersed if
its depth below the plane is positive. With the depth h of the centre, the condition and the integrals are:

    depth: h - N·ρ > 0
    volume and first moment: V = ∫ dρ, S = ∫ ρ dρ over the immersed part
    waterplane: A_w, S_w, I_w = ∫ (1, ρ, ρ ρᵀ) dA_h
    derivatives: ∂V/∂h = A_w, ∂V/∂N = -S_w, ∂S/∂h = S_w, ∂S/∂N = -I_w

The vector N = (-∂Z/∂x, -∂Z/∂y, 1) is normal to the water surface Z, and dA_h = dA/|N| is the horizontal projection of
the area of the waterplane. All integrals are exact:

    sphere: closed forms of the integrals over a spherical cap
    cylinder: filaments parallel to the axis. The distance of a filament from the axis, in the direction of the
        component of N across the axis, is d = R sin β. Each filament is immersed, dry, or pierces the plane at the
        distance l = (h - s d)/c from the middle. The integrals over β have smooth integrands between the limits of
        these three zones.
    box, polyhedron: the faces are cut by the plane, and the integrals are sums over tetrahedra and triangles. A
        polyhedron is given by triangles that enclose a volume. It need not be convex.

Here c is the component of N along the axis, and s the magnitude of its component across the axis.

Source: J. N. Newman, Marine Hydrodynamics, MIT Press (1977), section 6.16.
"""

from __future__ import annotations

from math import asin, cos, pi, sin, sqrt

import numpy as np

from windlass.elements.cable.points import gauss_rule
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

SPHERE, CYLINDER, BOX, MESH = range(4)
POINTS = 16
GAUSS_AT, GAUSS_WEIGHT = (tuple(map(float, part)) for part in gauss_rule(POINTS))
"""Gauss points and weights on [0, 1] for the integrals over β. The integrands are trigonometric polynomials of degree
4. Therefore the integration error is below 1e-15 of the integral.
"""
FLAT = 1e-7
"""Ratio c L/(s R) [1]. Below this value, the axis of a cylinder of length L is treated as parallel to the plane."""
LEAST = 1e-12
"""Increase of the depth h of a box or polyhedron, divided by an upper bound of N·ρ of the corners [1]."""
TINY = 1e-150
"""Smallest divisor. It replaces a divisor of 0 [1]."""

# In the kernels of this file, h is the depth of the centre [m], N, S, Sw have the shape (3,) and Iw the shape (3, 3).
# Each function writes S, Sw and Iw and returns V and A_w.


@kernel
def immerse_sphere(
    radius: float, h: float, N: FloatArray, S: FloatArray, Sw: FloatArray, Iw: FloatArray
) -> tuple[float, float]:
    """Evaluate the immersed part of a sphere."""
    size = sqrt(N[0] ** 2 + N[1] ** 2 + N[2] ** 2)
    x = min(max(h / size, -radius), radius)
    square = radius * radius - x * x
    area = pi * square / size
    for a in range(3):
        S[a] = -0.25 * pi * square * square * N[a] / size
        Sw[a] = area * x * N[a] / size
        for b in range(3):
            along = N[a] * N[b] / (size * size)
            same = 1.0 if a == b else 0.0
            Iw[a, b] = area * (x * x * along + 0.25 * square * (same - along))
    return pi / 3.0 * (radius + x) ** 2 * (2.0 * radius - x), area


@kernel
def immerse_cylinder(
    radius: float, length: float, h: float, N: FloatArray, S: FloatArray, Sw: FloatArray, Iw: FloatArray
) -> tuple[float, float]:
    """Evaluate the immersed part of a cylinder whose axis is the third axis."""
    # components of N along and across the axis; the cylinder is symmetric, so the direction of the axis can be reversed
    side = 1.0 if N[2] >= 0.0 else -1.0
    c, s = abs(N[2]), sqrt(N[0] ** 2 + N[1] ** 2)
    mx, my = (N[0] / s, N[1] / s) if s > 0.0 else (1.0, 0.0)
    half, across = 0.5 * length, max(s * radius, TINY)
    # filaments at the angles from ``first`` to ``last`` pierce the plane; filaments at smaller angles are immersed
    first = asin(min(max((h - c * half) / across, -1.0), 1.0))
    last = asin(min(max((h + c * half) / across, -1.0), 1.0))
    cosine = cos(first)
    V = length * radius * radius * (first + 0.5 * pi + sin(first) * cosine)
    Sd, Sl = -2.0 / 3.0 * length * (radius * cosine) ** 3, 0.0
    # integrals of 1, l, d, l², l d, d² and e² over the waterplane, where e is the coordinate perpendicular to d and l
    w_1, w_l, w_d, w_ll, w_ld, w_dd, w_ee = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if c * length < FLAT * across:
        # the plane is parallel to the axis
        w_1 = 2.0 * radius * cosine * length / max(s, TINY)
        d = radius * sin(first)
        w_d, w_dd, w_ll, w_ee = w_1 * d, w_1 * d * d, w_1 * length * length / 12.0, w_1 * (radius * cosine) ** 2 / 3.0
        Sl = -c * w_ll
    elif last > first:
        for k in range(POINTS):
            beta = first + (last - first) * GAUSS_AT[k]
            d, chord = radius * sin(beta), radius * cos(beta)
            area = 2.0 * (last - first) * GAUSS_WEIGHT[k] * chord * chord
            l = min(max((h - s * d) / c, -half), half)
            V += area * (l + half)
            Sd += area * d * (l + half)
            Sl += 0.5 * area * (l * l - half * half)
            # the waterplane
            area /= c
            w_1 += area
            w_l += area * l
            w_d += area * d
            w_ll += area * l * l
            w_ld += area * l * d
            w_dd += area * d * d
            w_ee += area * chord * chord / 3.0
    # components along the axes of the body
    S[0], S[1], S[2] = Sd * mx, Sd * my, side * Sl
    Sw[0], Sw[1], Sw[2] = w_d * mx, w_d * my, side * w_l
    Iw[0, 0], Iw[1, 1] = w_dd * mx * mx + w_ee * my * my, w_dd * my * my + w_ee * mx * mx
    Iw[0, 1] = Iw[1, 0] = (w_dd - w_ee) * mx * my
    Iw[0, 2] = Iw[2, 0] = side * w_ld * mx
    Iw[1, 2] = Iw[2, 1] = side * w_ld * my
    Iw[2, 2] = w_ll
    return V, w_1


@kernel
def clear_moments(S: FloatArray, Sw: FloatArray, Iw: FloatArray) -> None:
    """Set S, Sw and Iw to 0."""
    for a in range(3):
        S[a], Sw[a] = 0.0, 0.0
        for b in range(3):
            Iw[a, b] = 0.0


@kernel
def add_face(
    corners: int, corner: FloatArray, depth: FloatArray, N: FloatArray, square: float, q: FloatArray, cut: FloatArray,
    sums: FloatArray, S: FloatArray, Sw: FloatArray, Iw: FloatArray,
) -> None:  # fmt: skip
    """Add the contribution of a flat convex face to the integrals about a point o of the plane.

    All tetrahedra and all triangles of the waterplane have a corner at o. Therefore the waterplane itself contributes
    nothing to V and S.

    Args:
        corners: number of corners of the face.
        corner: corners of the face relative to o [m], counter-clockwise if seen from outside, shape (corners, 3).
        depth: depths of the corners [m], shape (corners,).
        square: N·N.
        q: temporary storage for the immersed polygon, shape (corners + 2, 3).
        cut: temporary storage for the points at which the edge of the face leaves and enters the water, shape (2, 3).
        sums: V [m^3] and A_w [m^2], shape (2,). The function adds the contributions of the face to these values and to
            S, Sw and Iw.
    """
    count, crossings = 0, 0
    for n in range(corners):
        m = (n + 1) % corners
        if depth[n] > 0.0:
            for a in range(3):
                q[count, a] = corner[n, a]
            count += 1
        if (depth[n] > 0.0) != (depth[m] > 0.0):
            y = depth[n] / (depth[n] - depth[m])
            leaves = 0 if depth[n] > 0.0 else 1
            for a in range(3):
                q[count, a] = corner[n, a] + y * (corner[m, a] - corner[n, a])
                cut[leaves, a] = q[count, a]
            count += 1
            crossings += 1
    # tetrahedra between o and the triangles of the polygon
    for n in range(1, count - 1):
        u, v, w = q[0], q[n], q[n + 1]
        part = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2])
        part = (part + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6.0
        sums[0] += part
        for a in range(3):
            S[a] += 0.25 * part * (u[a] + v[a] + w[a])
    # triangle of the waterplane between o and the two points at which the edge of the face enters and leaves the water
    if crossings == 2:
        u, v = cut[1], cut[0]
        part = N[0] * (u[1] * v[2] - u[2] * v[1]) + N[1] * (u[2] * v[0] - u[0] * v[2])
        part = 0.5 * (part + N[2] * (u[0] * v[1] - u[1] * v[0])) / square
        sums[1] += part
        for a in range(3):
            Sw[a] += part / 3.0 * (u[a] + v[a])
            for b in range(3):
                both = (u[a] + v[a]) * (u[b] + v[b])
                Iw[a, b] += part / 12.0 * (both + u[a] * u[b] + v[a] * v[b])


@kernel
def shift_moments(o: FloatArray, sums: FloatArray, S: FloatArray, Sw: FloatArray, Iw: FloatArray) -> None:
    """Convert moments about o, a position relative to the centre [m], to moments about the centre. The argument
    ``sums`` contains V and A_w.
    """
    for a in range(3):
        for b in range(3):
            Iw[a, b] += o[a] * Sw[b] + Sw[a] * o[b] + sums[1] * o[a] * o[b]
    for a in range(3):
        S[a] += sums[0] * o[a]
        Sw[a] += sums[1] * o[a]


@kernel
def immerse_box(
    sides: FloatArray, h: float, N: FloatArray, S: FloatArray, Sw: FloatArray, Iw: FloatArray
) -> tuple[float, float]:
    """Evaluate the immersed part of a box whose sides are parallel to its own axes."""
    square = N[0] ** 2 + N[1] ** 2 + N[2] ** 2
    reach = 0.5 * (abs(N[0]) * sides[0] + abs(N[1]) * sides[1] + abs(N[2]) * sides[2])
    whole = sides[0] * sides[1] * sides[2]
    clear_moments(S, Sw, Iw)
    # a plane that coincides with a face is treated as a plane above this face, so only one of two boxes with a common
    # face has a waterplane
    h += LEAST * reach
    if abs(h) >= reach:
        return (whole if h > 0.0 else 0.0), 0.0
    # o is the foot of the perpendicular from the centre to the plane
    o, q, cut = np.zeros(3), np.zeros((6, 3)), np.zeros((2, 3))
    corner, depth, sums = np.zeros((4, 3)), np.zeros(4), np.zeros(2)
    for a in range(3):
        o[a] = h * N[a] / square
    for face in range(6):
        k, sign = face // 2, 1.0 - 2.0 * (face % 2)
        i, j = (k + 1) % 3, (k + 2) % 3
        for n in range(4):
            turn = n if sign > 0.0 else 3 - n
            corner[n, k] = 0.5 * sign * sides[k] - o[k]
            corner[n, i] = (0.5 if turn == 0 or turn == 3 else -0.5) * sides[i] - o[i]
            corner[n, j] = (0.5 if turn < 2 else -0.5) * sides[j] - o[j]
            depth[n] = -(N[0] * corner[n, 0] + N[1] * corner[n, 1] + N[2] * corner[n, 2])
        add_face(4, corner, depth, N, square, q, cut, sums, S, Sw, Iw)
    shift_moments(o, sums, S, Sw, Iw)
    return sums[0], sums[1]


@kernel
def immerse_mesh(
    triangles: FloatArray, begin: int, end: int, size: FloatArray, whole: float, h: float, N: FloatArray, S: FloatArray,
    Sw: FloatArray, Iw: FloatArray,
) -> tuple[float, float]:  # fmt: skip
    """Evaluate the immersed part of a polyhedron.

    Args:
        triangles: corners of triangles relative to the centroid [m], counter-clockwise if seen from outside, shape (k,
            3, 3). The triangles from ``begin`` to ``end`` enclose the polyhedron.
        begin, end: range of the indices of the triangles.
        size: largest distance of a corner from the centroid along each axis [m], shape (3,).
        whole: volume of the polyhedron [m^3].
    """
    square = N[0] ** 2 + N[1] ** 2 + N[2] ** 2
    reach = abs(N[0]) * size[0] + abs(N[1]) * size[1] + abs(N[2]) * size[2]
    clear_moments(S, Sw, Iw)
    # planes that coincide with a face are treated as in `immerse_box`
    h += LEAST * reach
    if abs(h) >= reach:
        return (whole if h > 0.0 else 0.0), 0.0
    # o is the foot of the perpendicular from the centre to the plane
    o, q, cut = np.zeros(3), np.zeros((5, 3)), np.zeros((2, 3))
    corner, depth, sums = np.zeros((3, 3)), np.zeros(3), np.zeros(2)
    for a in range(3):
        o[a] = h * N[a] / square
    for t in range(begin, end):
        # dry triangles do not contribute
        wet = 0
        for n in range(3):
            depth[n] = h - N[0] * triangles[t, n, 0] - N[1] * triangles[t, n, 1] - N[2] * triangles[t, n, 2]
            wet += 1 if depth[n] > 0.0 else 0
        if wet == 0:
            continue
        # triangles that cross the plane are cut
        for n in range(3):
            for a in range(3):
                corner[n, a] = triangles[t, n, a] - o[a]
        if wet < 3:
            add_face(3, corner, depth, N, square, q, cut, sums, S, Sw, Iw)
            continue
        # an immersed triangle needs no clipping
        part = corner[0, 0] * (corner[1, 1] * corner[2, 2] - corner[1, 2] * corner[2, 1])
        part += corner[0, 1] * (corner[1, 2] * corner[2, 0] - corner[1, 0] * corner[2, 2])
        part = (part + corner[0, 2] * (corner[1, 0] * corner[2, 1] - corner[1, 1] * corner[2, 0])) / 6.0
        sums[0] += part
        for a in range(3):
            S[a] += 0.25 * part * (corner[0, a] + corner[1, a] + corner[2, a])
    shift_moments(o, sums, S, Sw, Iw)
    return sums[0], sums[1]


@kernel
def immerse(
    kind: int, size: FloatArray, h: float, N: FloatArray, S: FloatArray, Sw: FloatArray, Iw: FloatArray
) -> tuple[float, float]:
    """Evaluate the immersed part of a shape. The argument ``size`` contains the radius of a sphere, the radius and the
    length of a cylinder, or the sides of a box [m].
    """
    if kind == SPHERE:
        return immerse_sphere(size[0], h, N, S, Sw, Iw)
    if kind == CYLINDER:
        return immerse_cylinder(size[0], size[1], h, N, S, Sw, Iw)
    return immerse_box(size, h, N, S, Sw, Iw)
