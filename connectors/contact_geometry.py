"""Where two surfaces touch: depth x, direction n from surface 1 to surface 2, surface point p_1, relative radius R.

    sphere, sphere           x = r_1 + r_2 - |d|,    n = d/|d|,  p_1 = c_1 + r_1 n,     R = r_1 r_2/(r_1 + r_2)
    sphere, half space       x = r - N·(c - o),      n = -N,     p_1 = c + r n,         R = r
    ellipsoid, half space    x = h - N·(c - o),      n = -N,     p_1 = c + Q n/h,       R = a b c/h²
    ellipsoid, bounded       see `contact_ellipsoids`

d from centre 1 to centre 2, N outward normal and o origin of the half space, h = sqrt(nᵀ Q n).  They touch where x > 0;
p_2 = p_1 - x n.  Surfaces with one centre do not touch: they have no direction.

Source: K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), chapter 4.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.contact_ellipsoids import eval_relative_radius, eval_support, find_direction
from windlass.connectors.contact_surfaces import ELLIPSOID, HALF_SPACE, Surfaces
from windlass.connectors.position_kernels import PositionColumns
from windlass.framework.kernel import kernel

Touch = tuple[float, float, float, float, float, float, float, float]
"""x [m], n [1] (3), p_1 [m] (3), R [m]."""
APART: Touch = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def update_surfaces(c: Surfaces, m: PositionColumns) -> None:
    """Frames and velocities of the surfaces from their markers."""
    for i in range(len(c.marker)):
        k = c.marker[i]
        if c.is_point[i]:
            for d in range(3):
                c.center[i, d], c.v[i, d] = m.p[k, d], m.v[k, d]
        else:
            sx, sy, sz = c.s[i, 0], c.s[i, 1], c.s[i, 2]
            wx, wy, wz = m.omega[k, 0], m.omega[k, 1], m.omega[k, 2]
            rx = m.A[k, 0, 0] * sx + m.A[k, 0, 1] * sy + m.A[k, 0, 2] * sz
            ry = m.A[k, 1, 0] * sx + m.A[k, 1, 1] * sy + m.A[k, 1, 2] * sz
            rz = m.A[k, 2, 0] * sx + m.A[k, 2, 1] * sy + m.A[k, 2, 2] * sz
            c.center[i, 0], c.center[i, 1], c.center[i, 2] = m.p[k, 0] + rx, m.p[k, 1] + ry, m.p[k, 2] + rz
            c.v[i, 0] = m.v[k, 0] + wy * rz - wz * ry
            c.v[i, 1] = m.v[k, 1] + wz * rx - wx * rz
            c.v[i, 2] = m.v[k, 2] + wx * ry - wy * rx
            c.omega[i, 0], c.omega[i, 1], c.omega[i, 2] = wx, wy, wz
        if c.kind[i] == HALF_SPACE:
            for d in range(3):
                c.normal[i, d] = -(
                    m.A[k, d, 0] * c.R[i, 0, 0] + m.A[k, d, 1] * c.R[i, 1, 0] + m.A[k, d, 2] * c.R[i, 2, 0]
                )
        elif c.kind[i] == ELLIPSOID:
            for d in range(3):
                for e in range(3):
                    c.Q[i, d, e] = 0.0
            for a in range(3):
                # axis a of the surface, in the global frame and times its length
                bx = m.A[k, 0, 0] * c.R[i, 0, a] + m.A[k, 0, 1] * c.R[i, 1, a] + m.A[k, 0, 2] * c.R[i, 2, a]
                by = m.A[k, 1, 0] * c.R[i, 0, a] + m.A[k, 1, 1] * c.R[i, 1, a] + m.A[k, 1, 2] * c.R[i, 2, a]
                bz = m.A[k, 2, 0] * c.R[i, 0, a] + m.A[k, 2, 1] * c.R[i, 1, a] + m.A[k, 2, 2] * c.R[i, 2, a]
                q = c.size[i, a] ** 2
                c.Q[i, 0, 0] += q * bx * bx
                c.Q[i, 1, 1] += q * by * by
                c.Q[i, 2, 2] += q * bz * bz
                c.Q[i, 0, 1] += q * bx * by
                c.Q[i, 0, 2] += q * bx * bz
                c.Q[i, 1, 2] += q * by * bz
            c.Q[i, 1, 0], c.Q[i, 2, 0], c.Q[i, 2, 1] = c.Q[i, 0, 1], c.Q[i, 0, 2], c.Q[i, 1, 2]
        else:
            for d in range(3):
                c.Q[i, d, d] = c.size[i, 0] ** 2


@kernel(inline=True)
def find_contact(c: Surfaces, i: int, j: int) -> Touch:
    """Geometry of a pair with kind i <= kind j; x <= 0 where the surfaces do not touch, and the rest is void then."""
    if c.kind[i] == ELLIPSOID:
        return find_ellipsoid_contact(c, i, j)
    if c.kind[j] == HALF_SPACE:
        nx, ny, nz, r = -c.normal[j, 0], -c.normal[j, 1], -c.normal[j, 2], c.reach[i]
        dx, dy, dz = c.center[j, 0] - c.center[i, 0], c.center[j, 1] - c.center[i, 1], c.center[j, 2] - c.center[i, 2]
        x = r - (dx * nx + dy * ny + dz * nz)
        return x, nx, ny, nz, c.center[i, 0] + r * nx, c.center[i, 1] + r * ny, c.center[i, 2] + r * nz, r
    r1, r2 = c.reach[i], c.reach[j]
    dx, dy, dz = c.center[j, 0] - c.center[i, 0], c.center[j, 1] - c.center[i, 1], c.center[j, 2] - c.center[i, 2]
    square, sum_ = dx * dx + dy * dy + dz * dz, r1 + r2
    if square >= sum_ * sum_ or square == 0.0:
        return APART
    distance = np.sqrt(square)
    nx, ny, nz = dx / distance, dy / distance, dz / distance
    qx, qy, qz = c.center[i, 0] + r1 * nx, c.center[i, 1] + r1 * ny, c.center[i, 2] + r1 * nz
    return sum_ - distance, nx, ny, nz, qx, qy, qz, r1 * r2 / sum_


@kernel
def find_ellipsoid_contact(c: Surfaces, i: int, j: int) -> Touch:
    """The same for an ellipsoid i and any surface j."""
    dx, dy, dz = c.center[j, 0] - c.center[i, 0], c.center[j, 1] - c.center[i, 1], c.center[j, 2] - c.center[i, 2]
    if c.kind[j] == HALF_SPACE:
        nx, ny, nz = -c.normal[j, 0], -c.normal[j, 1], -c.normal[j, 2]
        h, px, py, pz = eval_support(c.Q, i, nx, ny, nz)
        x = h - (dx * nx + dy * ny + dz * nz)
        R = c.size[i, 0] * c.size[i, 1] * c.size[i, 2] / (h * h)
    else:
        reach = c.reach[i] + c.reach[j]
        if dx * dx + dy * dy + dz * dz >= reach * reach:
            return APART
        x, nx, ny, nz = find_direction(c.Q, i, j, dx, dy, dz)
        if x <= 0.0:
            return APART
        h, px, py, pz = eval_support(c.Q, i, nx, ny, nz)
        axes = c.size[i, 0] * c.size[i, 1] * c.size[i, 2] * c.size[j, 0] * c.size[j, 1] * c.size[j, 2]
        R = eval_relative_radius(c.Q, i, j, nx, ny, nz, axes)
    return x, nx, ny, nz, c.center[i, 0] + px, c.center[i, 1] + py, c.center[i, 2] + pz, R
