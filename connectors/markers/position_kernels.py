"""Motion of the position markers, and the kernels that evaluate it. See `position_markers`.

The last functions in this file are used for joints and springs. They evaluate d = p1 - p0, the rates and the Jacobians
of two rigid markers, and the contact of a disc with a plane.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import MarkerFamily
from windlass.framework.model.schema import Family

FAMILY = POSITION = MarkerFamily("position marker")
RIGID, CURVED, SPATIAL = Family("rigid marker"), Family("curved marker"), Family("spatial marker")
"""RIGID: family of position markers with a rotation. CURVED: family of markers whose Jacobian depends on coordinates.
SPATIAL: family of markers that rotate in 3D."""


class PositionMarkers(NamedTuple):
    """Motion of n position markers with up to m coordinates each, in the global frame."""

    position: FloatArray  # p [m], shape (n, 3)
    velocity: FloatArray  # v [m/s], shape (n, 3)
    jacobian: FloatArray  # J = ∂p/∂q, shape (n, 3, m)
    jacobian_rate: FloatArray  # time derivative of J, which is equal to ∂v/∂q, shape (n, 3, m)
    dofs: IntArray  # process-local indices of the coordinates, padded with an unused index, shape (n, m)
    angle: FloatArray
    """Rotation about z [rad], shape (n,). For 2D rigid bodies the angle includes whole turns. For cables the angle is
    in (-π, π]. For other markers the angle is 0.
    """
    rotation: FloatArray  # A, from the frame of the marker to the global frame, shape (n, 3, 3)
    angular_velocity: FloatArray  # ω [rad/s], shape (n, 3)
    rotation_jacobian: FloatArray  # Jr = ∂ω/∂q̇, shape (n, 3, m)
    second: IntArray  # index of each marker in the second derivatives, or -1 if they are 0, shape (n,)
    hessian: FloatArray
    """∂J/∂q of the markers with second >= 0, shape (k, 3, m, m). The last index is the index of the coordinate."""
    rotation_hessian: FloatArray
    """∂Jr/∂q of these markers, shape (k, 3, m, m). The last index is the index of the coordinate."""


@kernel
def update_points(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate position and velocity of nodes and fixed points."""
    for i in range(len(rows)):
        row = rows[i]
        k = row.index
        for d in range(3):
            m.position[k, d] = row.fixed[d]
        for d in range(row.count):
            m.position[k, d] = x[row.dofs[d]]
            m.velocity[k, d] = v[row.dofs[d]]
            m.jacobian[k, d, d] = 1.0


@kernel
def update_rigid(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the position p = R + A b and the rotation of each marker, their rates, and their derivatives with
    respect to the coordinates.
    """
    for i in range(len(rows)):
        row = rows[i]
        k, n, b = row.index, row.dofs, row.local
        phi, w = x[n[2]], v[n[2]]
        cos, sin = np.cos(phi), np.sin(phi)
        rx = cos * b[0] - sin * b[1]
        ry = sin * b[0] + cos * b[1]
        m.position[k, 0], m.position[k, 1] = x[n[0]] + rx, x[n[1]] + ry
        m.velocity[k, 0], m.velocity[k, 1] = v[n[0]] - w * ry, v[n[1]] + w * rx
        m.jacobian[k, 0, 0], m.jacobian[k, 1, 1] = 1.0, 1.0
        m.jacobian[k, 0, 2], m.jacobian[k, 1, 2] = -ry, rx
        m.jacobian_rate[k, 0, 2], m.jacobian_rate[k, 1, 2] = -w * rx, -w * ry
        m.angle[k] = phi
        m.rotation[k, 0, 0], m.rotation[k, 0, 1], m.rotation[k, 1, 0], m.rotation[k, 1, 1] = cos, -sin, sin, cos
        m.angular_velocity[k, 2] = w
        m.rotation_jacobian[k, 2, 2] = 1.0
        h = m.second[k]
        if h >= 0:
            m.hessian[h, 0, 2, 2], m.hessian[h, 1, 2, 2] = -rx, -ry


@kernel
def update_cable(rows: Any, m: PositionMarkers, x: FloatArray, v: FloatArray) -> None:
    """Evaluate the position p = r + y n and the rotation of each marker, their rates, and their derivatives with
    respect to the coordinates.
    """
    for i in range(len(rows)):
        row = rows[i]
        k, y = row.index, row.y
        # compute position and slope of the axis, and the rates of both
        rx, ry, gx, gy, rtx, rty, gtx, gty = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for a in range(4):
            S, dS, dx, dy = row.S[a], row.dS[a], row.dofs[2 * a], row.dofs[2 * a + 1]
            rx, ry, gx, gy = rx + S * x[dx], ry + S * x[dy], gx + dS * x[dx], gy + dS * x[dy]
            rtx, rty, gtx, gty = rtx + S * v[dx], rty + S * v[dy], gtx + dS * v[dx], gty + dS * v[dy]
        # compute tangent, normal, stretch rate and angular velocity of the cross section
        length = np.sqrt(gx * gx + gy * gy)
        tx, ty = gx / length, gy / length
        nx, ny = -ty, tx
        tau, w = (tx * gtx + ty * gty) / length, (nx * gtx + ny * gty) / length
        # point at the distance y from the axis
        m.position[k, 0], m.position[k, 1] = rx + y * nx, ry + y * ny
        m.velocity[k, 0], m.velocity[k, 1] = rtx - y * w * tx, rty - y * w * ty
        m.angle[k] = np.arctan2(gy, gx)
        m.rotation[k, 0, 0], m.rotation[k, 0, 1], m.rotation[k, 1, 0], m.rotation[k, 1, 1] = tx, nx, ty, ny
        m.angular_velocity[k, 2] = w
        # Jacobians: S_i I - (y/|r'|) S_i' t nᵀ; their rates with ṫ = w n, ṅ = -w t, |r'|˙ = τ |r'|
        for a in range(4):
            S, e = row.S[a], row.dS[a] / length
            ye = y * e
            ix, iy = 2 * a, 2 * a + 1
            m.jacobian[k, 0, ix], m.jacobian[k, 0, iy] = S - ye * tx * nx, -ye * tx * ny
            m.jacobian[k, 1, ix], m.jacobian[k, 1, iy] = -ye * ty * nx, S - ye * ty * ny
            m.jacobian_rate[k, 0, ix] = ye * (tau * tx * nx - w * nx * nx + w * tx * tx)
            m.jacobian_rate[k, 0, iy] = ye * (tau * tx * ny - w * nx * ny + w * tx * ty)
            m.jacobian_rate[k, 1, ix] = ye * (tau * ty * nx - w * ny * nx + w * ty * tx)
            m.jacobian_rate[k, 1, iy] = ye * (tau * ty * ny - w * ny * ny + w * ty * ty)
            m.rotation_jacobian[k, 2, ix], m.rotation_jacobian[k, 2, iy] = e * nx, e * ny
        # second derivatives, composed of s = t nᵀ + n tᵀ and n nᵀ
        H, Hr, h = m.hessian, m.rotation_hessian, m.second[k]
        if h < 0:
            continue
        sxx, sxy, syy = 2.0 * tx * nx, tx * ny + nx * ty, 2.0 * ty * ny
        nxx, nxy, nyy = nx * nx, nx * ny, ny * ny
        # loop over all pairs of shape functions
        for a in range(4):
            for b in range(4):
                ee = row.dS[a] * row.dS[b] / (length * length)
                ix, iy, jx, jy = 2 * a, 2 * a + 1, 2 * b, 2 * b + 1
                Hr[h, 2, ix, jx], Hr[h, 2, iy, jy] = -ee * sxx, -ee * syy
                Hr[h, 2, ix, jy], Hr[h, 2, iy, jx] = -ee * sxy, -ee * sxy
                ee *= y
                H[h, 0, ix, jx], H[h, 0, iy, jy] = ee * (tx * sxx - nx * nxx), ee * (tx * syy - nx * nyy)
                H[h, 0, ix, jy], H[h, 0, iy, jx] = ee * (tx * sxy - nx * nxy), ee * (tx * sxy - nx * nxy)
                H[h, 1, ix, jx], H[h, 1, iy, jy] = ee * (ty * sxx - ny * nxx), ee * (ty * syy - ny * nyy)
                H[h, 1, ix, jy], H[h, 1, iy, jx] = ee * (ty * sxy - ny * nxy), ee * (ty * sxy - ny * nxy)


@kernel
def update_rates(j: Any, i: int, m: PositionMarkers, d: FloatArray, y: FloatArray) -> None:
    """Write d = p1 - p0, shape (3,), and the rates y = [v1 - v0, ω0, ω1], shape (9,), of row i. The argument j contains
    the indices m0 and m1 of the markers.
    """
    m0, m1 = j.m0[i], j.m1[i]
    for a in range(3):
        d[a] = m.position[m1, a] - m.position[m0, a]
        y[a], y[3 + a] = m.velocity[m1, a] - m.velocity[m0, a], m.angular_velocity[m0, a]
        y[6 + a] = m.angular_velocity[m1, a]


@kernel
def update_jacobians(j: Any, i: int, m: PositionMarkers, v: FloatArray, X: FloatArray, Y: FloatArray) -> None:
    """Write the derivatives X = ∂y/∂q̇ and Y = ∂y/∂q of the rates y of row i, shape (9, n) each. The argument j
    contains m0, m1, dofs and n0, see `Pair`.
    """
    n0, n = j.n0, j.dofs.shape[1]
    for b in range(n):
        first = b < n0
        k = j.m0[i] if first else j.m1[i]
        h, q = m.second[k], b if first else b - n0
        width = n0 if first else n - n0
        begin = 0 if first else n0
        sign = -1.0 if first else 1.0
        for a in range(3):
            X[a, b], Y[a, b] = sign * m.jacobian[k, a, q], sign * m.jacobian_rate[k, a, q]
            turn, change = m.rotation_jacobian[k, a, q], 0.0
            if h >= 0:
                for p in range(width):
                    change += m.rotation_hessian[h, a, p, q] * v[j.dofs[i, begin + p]]
            X[3 + a, b], X[6 + a, b] = (turn, 0.0) if first else (0.0, turn)
            Y[3 + a, b], Y[6 + a, b] = (change, 0.0) if first else (0.0, change)


@kernel
def add_curvature(
    j: Any, i: int, n: int, m: PositionMarkers, g: FloatArray, scale: float, slots: IntArray, values: FloatArray
) -> None:
    """Add the product of ``scale``, the gradient g and ∂X/∂q of row i to the values of the matrix. The coordinates of
    the two markers are the first n coordinates of the row, see `update_jacobians`.
    """
    n0 = j.n0
    for marker in range(2):
        k = j.m0[i] if marker == 0 else j.m1[i]
        h = m.second[k]
        if h < 0:
            continue
        begin, end, sign, turn = (0, n0, -1.0, 3) if marker == 0 else (n0, n, 1.0, 6)
        for a in range(end - begin):
            for b in range(end - begin):
                total = 0.0
                for p in range(3):
                    total += sign * g[p] * m.hessian[h, p, a, b] + g[turn + p] * m.rotation_hessian[h, p, a, b]
                values[slots[i, begin + a, begin + b]] += scale * total


@kernel
def cross(a: Any, b: Any) -> Any:
    """Return the three components of a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def dot(a: Any, b: Any) -> Any:
    """Return a·b of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def turn_vector(A: Any, b: Any) -> Any:
    """Return the three components of A b, for a rotation matrix A and a vector b."""
    return (
        A[0, 0] * b[0] + A[0, 1] * b[1] + A[0, 2] * b[2],
        A[1, 0] * b[0] + A[1, 1] * b[1] + A[1, 2] * b[2],
        A[2, 0] * b[0] + A[2, 1] * b[1] + A[2, 2] * b[2],
    )


@kernel
def find_contact(radius: float, k: int, d: Any, n: Any, w: Any) -> Any:
    """Return three vectors at the contact of a disc with a plane: a unit vector, r, and d + r. For k = 0, the unit
    vector is across the track. For k = 1, it is along the track. For k = 2, it is normal to the plane.

    The vector d points from the marker on the plane to the centre of the disc. The vector r points from the centre to
    the lowest point of the rim. The normal of the plane is n, and the axis of the disc is w. The components of the
    vectors may be real or complex.
    """
    x = cross(w, n)
    length = np.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
    along = (x[0] / length, x[1] / length, x[2] / length)
    down = cross(w, along)
    r = (radius * down[0], radius * down[1], radius * down[2])
    c = (d[0] + r[0], d[1] + r[1], d[2] + r[2])
    if k == 0:
        return cross(n, along), r, c
    return (along if k == 1 else n), r, c
