"""Kernels for nodes and cables with twist: frames that follow the slope of an axis by the smallest rotation.

R(a, b) is the smallest rotation from the unit vector a to the unit vector b. Let a frame at a have the angular velocity
ω. Its spin is then σ = ω·a. If this frame is moved to b by R(a, b), the spin of the moved frame about b is

    σ - c(a, b)·(a_t + b_t),    c(a, b) = a × b/(1 + a·b).

The vector c depends only on the directions a and b. For a = p/|p| and b = q/|q|, c·(a_t + b_t) = G_p·p_t + G_q·q_t with

    G_p = h/(|p| s),   G_q = h/(|q| s),   h = p × q,   s = |p||q| + p·q.

The integral of c·(a_t + b_t) along a closed path is the area that the directions enclose on the unit sphere. Consider
two frames that are connected by a chain of such rotations. The angle between the frames depends only on the directions
of the chain, and not on the previous motion. R does not exist for b = -a.

Rotations are unit quaternions (w, x, y, z). The rotation of the right factor of a product is applied first.

Source: M. Bergou, M. Wardetzky, S. Robinson, B. Audoly, E. Grinspun, ACM Transactions on Graphics 27 (2008), 63; for
the smallest rotation M. Geradin, A. Cardona, Flexible Multibody Dynamics, Wiley (2001), chapter 4.
"""

from __future__ import annotations

from math import atan2, cos, nan, sin, sqrt

import numpy as np

from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

Quaternion = tuple[float, float, float, float]
REVERSED = 1e-12
"""Value of 1 + a·b [1]. If the value is smaller, the directions a and b are treated as opposite."""
FURTHEST = 0.034
"""Smallest value of 1 + b·t [1] for which a frame is rotated from b to t. This value corresponds to an angle of 165°.
At larger angles, t could pass the direction -b within one step. The angle of the frame about t would then jump.
"""


@kernel(inline=True)
def unit(p: Vector) -> Vector:
    """Return p/|p|."""
    il = 1.0 / sqrt(dot(p, p))
    return il * p[0], il * p[1], il * p[2]


@kernel(inline=True)
def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the product a b of two rotations. The product is the rotation b, followed by the rotation a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel(inline=True)
def between(a: Quaternion, b: Quaternion) -> Quaternion:
    """Return the rotation from frame a to frame b, expressed in frame a."""
    return multiply((a[0], -a[1], -a[2], -a[3]), b)


@kernel(inline=True)
def smallest_rotation(a: Vector, b: Vector) -> Quaternion:
    """Return R(a, b) for unit vectors, or NaN for opposite vectors."""
    w = 1.0 + dot(a, b)
    scale = 1.0 / sqrt(2.0 * w) if w > REVERSED else nan
    u = cross(a, b)
    return scale * w, scale * u[0], scale * u[1], scale * u[2]


@kernel(inline=True)
def turn_from(b: Vector, t: Vector) -> Quaternion:
    """Return R(b, t) for unit vectors, or NaN if the angle exceeds 165°."""
    q = smallest_rotation(b, t)
    return q if 1.0 + dot(b, t) > FURTHEST else (nan, nan, nan, nan)


@kernel(inline=True)
def spun(q: Quaternion, angle: float) -> Quaternion:
    """Return the frame q rotated by ``angle`` [rad] about its first axis."""
    return multiply(q, (cos(0.5 * angle), sin(0.5 * angle), 0.0, 0.0))


@kernel(inline=True)
def spin_angle(q: Quaternion) -> float:
    """Return the angle [rad] of a rotation about x, from -2π to 2π. The angles of q and -q differ by 2π."""
    return 2.0 * atan2(q[1], q[0])


@kernel(inline=True)
def nearest(q: Quaternion) -> Quaternion:
    """Return q or -q, which describe the same rotation. The sign is chosen such that the angle of the result is from -π
    to π.
    """
    sign = 1.0 if q[0] >= 0.0 else -1.0
    return sign * q[0], sign * q[1], sign * q[2], sign * q[3]


@kernel(inline=True)
def axes_of(q: Quaternion) -> tuple[Vector, Vector, Vector]:
    """Return the three axes of a frame."""
    w, x, y, z = q
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
        (2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
        (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


@kernel(inline=True)
def step_gradients(p: Vector, q: Vector) -> tuple[Vector, Vector]:
    """Return the vectors G_p and G_q of the module docstring."""
    l, n = sqrt(dot(p, p)), sqrt(dot(q, q))
    h, s = cross(p, q), l * n + dot(p, q)
    x, y = 1.0 / (l * s), 1.0 / (n * s)
    return (x * h[0], x * h[1], x * h[2]), (y * h[0], y * h[1], y * h[2])


@kernel(inline=True)
def step_change(p: Vector, q: Vector, dp: Vector, dq: Vector) -> tuple[Vector, Vector]:
    """Return the variations of the gradients G_p and G_q that result from the variations dp and dq of the vectors p and
    q.

    G_p = h/(l s):  δG_p = δh/(l s) - G_p (δl/l + δs/s),  δs = n δl + l δn + δ(p·q),  l = |p|,  n = |q|
    """
    l, n = sqrt(dot(p, p)), sqrt(dot(q, q))
    h, s = cross(p, q), l * n + dot(p, q)
    dl, dn = dot(p, dp) / l, dot(q, dq) / n
    ds = n * dl + l * dn + dot(dp, q) + dot(p, dq)
    dh = combine(1.0, cross(dp, q), 1.0, cross(p, dq))
    x, y = 1.0 / (l * s), 1.0 / (n * s)
    return combine(x, dh, -x * (dl / l + ds / s), h), combine(y, dh, -y * (dn / n + ds / s), h)


def smallest_rotations(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the matrices of the smallest rotations from the unit vectors a to the unit vectors b, both of shape (rows,
    3). For opposite vectors, return the rotation by 180° about z.
    """
    u, D = np.cross(a, b), 1.0 + (a * b).sum(axis=1)
    A = np.zeros((len(a), 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        A[:, i, j], A[:, i, k] = -u[:, k], u[:, j]
    opposite = D < REVERSED
    A += (D - 1.0)[:, None, None] * np.eye(3)
    A += u[:, :, None] * u[:, None, :] / np.where(opposite, 1.0, D)[:, None, None]
    A[opposite] = np.diag((-1.0, -1.0, 1.0))
    return A


@kernel
def carry_normals(slopes: FloatArray, normals: FloatArray) -> None:
    """Fill ``normals``, shape (n, 3). The first row is given. Normal i is normal i - 1, rotated by the smallest
    rotation from slope i - 1 to slope i.
    """
    for k in range(1, len(slopes)):
        a, b = (
            unit((slopes[k - 1, 0], slopes[k - 1, 1], slopes[k - 1, 2])),
            unit((slopes[k, 0], slopes[k, 1], slopes[k, 2])),
        )
        d, u, c = (normals[k - 1, 0], normals[k - 1, 1], normals[k - 1, 2]), cross(a, b), 1.0 + dot(a, b)
        # R d = (c - 1) d + u × d + u (u·d)/c
        ud, along = cross(u, d), dot(u, d) / c
        for i in range(3):
            normals[k, i] = (c - 1.0) * d[i] + ud[i] + along * u[i]
