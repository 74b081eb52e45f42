"""Geometry of the contact of two surfaces: depth x, direction n from surface 1 to surface 2, surface point p_1,
relative radius R.

    sphere and sphere: x = r_1 + r_2 - |d|,    n = d/|d|,    p_1 = c_1 + r_1 n,    R = r_1 r_2/(r_1 + r_2)
    sphere and half space: x = r - N·(c - o),    n = -N,    p_1 = c + r n,    R = r
    ellipsoid and half space: x = h - N·(c - o),    n = -N,    p_1 = c + Q n/h,    R = a b c/h²
    ellipsoid and bounded surface: see `ellipsoids.py`

The vector d points from centre 1 to centre 2, and c is the centre of a sphere or ellipsoid. The half space has the
outward normal N and the origin o, and h = sqrt(nᵀ Q n). The surfaces touch if x > 0. The surface point of surface 2 is
p_2 = p_1 - x n. Surfaces with the same centre do not touch, because the direction is undefined.

Source: K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), chapter 4.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.point_contact.ellipsoids import eval_relative_radius, eval_support, find_direction
from windlass.connectors.point_contact.surfaces import ELLIPSOID, HALF_SPACE, Runs, Surfaces
from windlass.framework.arrays import IntArray
from windlass.framework.kernels.kernel import kernel

Touch = tuple[float, float, float, float, float, float, float, float]
"""The eight values of a contact: x [m], three components of n [1], three components of p_1 [m], and R [m]."""
Meeting = tuple[float, float, float, float, float]
"""The five values of a contact: x [m], three components of n [1], and R [m]."""
APART: Touch = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def update_surfaces(c: Surfaces, m: PositionMarkers, runs: Runs) -> None:
    """Update the origins, velocities and angular velocities of the surfaces in ``runs``, see `find_runs`, from their
    markers."""
    # the columns are local variables, because a loop that reads the columns of two large tuples is several times slower
    p, v, A, omega = m.position, m.velocity, m.rotation, m.angular_velocity
    marker, is_point, s = c.marker, c.is_point, c.s
    center, cv, comega = c.center, c.v, c.omega
    for run in range(len(runs)):
        for i in range(runs[run, 0], runs[run, 1]):
            k = marker[i]
            for d in range(3):
                center[i, d], cv[i, d] = p[k, d], v[k, d]
            if is_point[i]:
                continue
            wx, wy, wz = omega[k, 0], omega[k, 1], omega[k, 2]
            rx = A[k, 0, 0] * s[i, 0] + A[k, 0, 1] * s[i, 1] + A[k, 0, 2] * s[i, 2]
            ry = A[k, 1, 0] * s[i, 0] + A[k, 1, 1] * s[i, 1] + A[k, 1, 2] * s[i, 2]
            rz = A[k, 2, 0] * s[i, 0] + A[k, 2, 1] * s[i, 1] + A[k, 2, 2] * s[i, 2]
            center[i, 0] += rx
            center[i, 1] += ry
            center[i, 2] += rz
            cv[i, 0] += wy * rz - wz * ry
            cv[i, 1] += wz * rx - wx * rz
            cv[i, 2] += wx * ry - wy * rx
            comega[i, 0], comega[i, 1], comega[i, 2] = wx, wy, wz


@kernel
def update_orientations(c: Surfaces, m: PositionMarkers, which: IntArray) -> None:
    """Update normals and matrices Q of the surfaces ``which`` that are not spheres."""
    A, R, size, Q, B = m.rotation, c.R, c.size, c.Q, np.zeros((3, 3))
    for i in which:
        k = c.marker[i]
        # axes of the surface as columns, in the global frame
        for d in range(3):
            for a in range(3):
                B[d, a] = A[k, d, 0] * R[i, 0, a] + A[k, d, 1] * R[i, 1, a] + A[k, d, 2] * R[i, 2, a]
        for d in range(3):
            c.normal[i, d] = -B[d, 0]
            for e in range(3):
                Q[i, d, e] = 0.0
                for a in range(3):
                    Q[i, d, e] += size[i, a] * size[i, a] * B[d, a] * B[e, a]


@kernel(inline=True)
def touch_spheres(dx: float, dy: float, dz: float, r1: float, r2: float) -> Meeting:
    """Return depth x [m], normal n and relative radius R [m] of two spheres with the radii r1 and r2 [m] and the vector
    d from centre 1 to centre 2 [m]. All values are 0 if the spheres do not touch.
    """
    square, reach = dx * dx + dy * dy + dz * dz, r1 + r2
    if square >= reach * reach or square == 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    distance = np.sqrt(square)
    return reach - distance, dx / distance, dy / distance, dz / distance, r1 * r2 / reach


@kernel
def find_contact(c: Surfaces, i: int, j: int) -> Touch:
    """Evaluate the geometry of a pair of surfaces whose types satisfy kind[i] <= kind[j]. If the surfaces do not touch,
    x <= 0 and the other results are undefined.
    """
    if c.kind[i] == ELLIPSOID:
        return find_ellipsoid_contact(c, i, j)
    dx, dy, dz = c.center[j, 0] - c.center[i, 0], c.center[j, 1] - c.center[i, 1], c.center[j, 2] - c.center[i, 2]
    r = c.reach[i]
    if c.kind[j] == HALF_SPACE:
        nx, ny, nz, R = -c.normal[j, 0], -c.normal[j, 1], -c.normal[j, 2], r
        x = r - (dx * nx + dy * ny + dz * nz)
    else:
        x, nx, ny, nz, R = touch_spheres(dx, dy, dz, r, c.reach[j])
    return x, nx, ny, nz, c.center[i, 0] + r * nx, c.center[i, 1] + r * ny, c.center[i, 2] + r * nz, R


@kernel
def find_ellipsoid_contact(c: Surfaces, i: int, j: int) -> Touch:
    """Evaluate the geometry of a pair of an ellipsoid i and a surface j of any type."""
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
