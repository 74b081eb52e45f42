"""Contact of two ellipsoids (or spheres): search for the direction n in which the overlap of both bodies is smallest.

    support of body i: h_i(n) = sqrt(nᵀ Q_i n),    Q = B diag(a²) Bᵀ
    surface point: p_i(n) = Q_i n / h_i, from the centre to the point with the outward normal n
    shape tensor: D_i(n) = (Q_i - p_i p_iᵀ) / h_i = ∂p_i/∂n, the inverse of the curvature tensor in the tangent plane
    overlap: x(n) = h_1(n) + h_2(n) - d·n along n, where d is the vector from centre 1 to centre 2

The columns of B are the axes of the body, and a contains its semi-axes. The contact normal n minimises x over the unit
sphere. At the minimum, the vector between the surface points with the outward normals n and -n is x n, as contact
theory requires. The gradient of x is p_1 + p_2 - d, and the Hessian of x in the tangent plane is D_1 + D_2 - x I. With
this gradient and this Hessian, Newton's method on the unit sphere finds n. The overlap x decreases in every step, and
the iteration ends as soon as x <= 0, because the bodies are then separate.

    1/R² = det(D_1⁻¹ + D_2⁻¹)   ⇒   R² = det D_1 det D_2 / det(D_1 + D_2),    det D_i = (a b c)² / h_i⁴

Source: support functions of convex bodies, R. Schneider, Convex Bodies: The Brunn-Minkowski Theory, Cambridge
University Press (2014), section 2.5; relative radius R = sqrt(R_a R_b): K. L. Johnson, Contact Mechanics (1985),
chapter 4.
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

ITERATIONS = 60
"""Largest number of Newton steps. Usually 4 to 8 steps are sufficient."""
LAST_STEP = 1e-9
"""Newton step [rad] after which the next step would be smaller than rounding errors."""
UNCHECKED_STEP = 1e-6
"""Newton step [rad] below which the change of x is only a rounding error."""

Vector = tuple[float, float, float]


@kernel(inline=True)
def eval_support(Q: FloatArray, i: int, nx: float, ny: float, nz: float) -> tuple[float, float, float, float]:
    """Return the support h [m] and the surface point p [m] of body i for the direction n."""
    x = Q[i, 0, 0] * nx + Q[i, 0, 1] * ny + Q[i, 0, 2] * nz
    y = Q[i, 1, 0] * nx + Q[i, 1, 1] * ny + Q[i, 1, 2] * nz
    z = Q[i, 2, 0] * nx + Q[i, 2, 1] * ny + Q[i, 2, 2] * nz
    h = np.sqrt(x * nx + y * ny + z * nz)
    return h, x / h, y / h, z / h


@kernel(inline=True)
def create_basis(nx: float, ny: float, nz: float) -> tuple[float, float, float, float, float, float]:
    """Return unit vectors t1 and t2 with t1 × t2 = n, for the unit vector n."""
    # t1 = e × n with the coordinate axis e that has the largest angle to n
    if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
        x, y, z = 0.0, -nz, ny
    elif abs(ny) <= abs(nz):
        x, y, z = nz, 0.0, -nx
    else:
        x, y, z = -ny, nx, 0.0
    length = np.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    return x, y, z, ny * z - nz * y, nz * x - nx * z, nx * y - ny * x


@kernel(inline=True)
def eval_form(Q: FloatArray, i: int, ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> float:
    """Return aᵀ Q_i b."""
    out: float = (
        ax * (Q[i, 0, 0] * bx + Q[i, 0, 1] * by + Q[i, 0, 2] * bz)
        + ay * (Q[i, 1, 0] * bx + Q[i, 1, 1] * by + Q[i, 1, 2] * bz)
        + az * (Q[i, 2, 0] * bx + Q[i, 2, 1] * by + Q[i, 2, 2] * bz)
    )
    return out


@kernel(inline=True)
def eval_overlap(
    Q: FloatArray, i: int, j: int, dx: float, dy: float, dz: float, nx: float, ny: float, nz: float
) -> float:
    """Return the overlap x [m] of the bodies i and j along the direction n. The vector between the centres is d [m]."""
    out: float = (
        np.sqrt(eval_form(Q, i, nx, ny, nz, nx, ny, nz))
        + np.sqrt(eval_form(Q, j, nx, ny, nz, nx, ny, nz))
        - (dx * nx + dy * ny + dz * nz)
    )
    return out


@kernel
def guess_direction(Q: FloatArray, i: int, j: int, dx: float, dy: float, dz: float) -> Vector:
    """Return the initial direction of the iteration. Of two directions, the function chooses the direction with the
    smaller overlap. The first is the direction of the vector d between the centres. The second is the normal of the
    ellipsoid with the matrix Q_i + Q_j at d.
    """
    length = np.sqrt(dx * dx + dy * dy + dz * dz)
    nx, ny, nz = dx / length, dy / length, dz / length
    a, b, c = Q[i, 0, 0] + Q[j, 0, 0], Q[i, 1, 1] + Q[j, 1, 1], Q[i, 2, 2] + Q[j, 2, 2]
    d, e, f = Q[i, 1, 2] + Q[j, 1, 2], Q[i, 0, 2] + Q[j, 0, 2], Q[i, 0, 1] + Q[j, 0, 1]
    # m is proportional to (Q_i + Q_j)⁻¹ d
    mx = (b * c - d * d) * dx + (d * e - c * f) * dy + (d * f - b * e) * dz
    my = (d * e - c * f) * dx + (a * c - e * e) * dy + (e * f - a * d) * dz
    mz = (d * f - b * e) * dx + (e * f - a * d) * dy + (a * b - f * f) * dz
    length = np.sqrt(mx * mx + my * my + mz * mz)
    if length > 0.0:
        mx, my, mz = mx / length, my / length, mz / length
        if eval_overlap(Q, i, j, dx, dy, dz, mx, my, mz) < eval_overlap(Q, i, j, dx, dy, dz, nx, ny, nz):
            return mx, my, mz
    return nx, ny, nz


@kernel
def find_direction(Q: FloatArray, i: int, j: int, dx: float, dy: float, dz: float) -> tuple[float, float, float, float]:
    """Return the smallest overlap x [m] and its direction n. For separate bodies n is any direction with x <= 0."""
    if not dx * dx + dy * dy + dz * dz > 0.0:
        return 0.0, 1.0, 0.0, 0.0
    nx, ny, nz = guess_direction(Q, i, j, dx, dy, dz)
    x = eval_overlap(Q, i, j, dx, dy, dz, nx, ny, nz)
    for _ in range(ITERATIONS):
        if x <= 0.0:
            break
        # compute the vectors p_1(n) and p_2(n) to the surface points, and a basis of the tangent plane of the unit
        # sphere
        h1, ux, uy, uz = eval_support(Q, i, nx, ny, nz)
        h2, wx, wy, wz = eval_support(Q, j, nx, ny, nz)
        ax, ay, az, bx, by, bz = create_basis(nx, ny, nz)
        # gradient and Hessian in the tangent plane
        ua, ub = ux * ax + uy * ay + uz * az, ux * bx + uy * by + uz * bz
        wa, wb = wx * ax + wy * ay + wz * az, wx * bx + wy * by + wz * bz
        ga = ua + wa - (dx * ax + dy * ay + dz * az)
        gb = ub + wb - (dx * bx + dy * by + dz * bz)
        haa = (eval_form(Q, i, ax, ay, az, ax, ay, az) - ua * ua) / h1
        haa += (eval_form(Q, j, ax, ay, az, ax, ay, az) - wa * wa) / h2 - x
        hab = (eval_form(Q, i, ax, ay, az, bx, by, bz) - ua * ub) / h1
        hab += (eval_form(Q, j, ax, ay, az, bx, by, bz) - wa * wb) / h2
        hbb = (eval_form(Q, i, bx, by, bz, bx, by, bz) - ub * ub) / h1
        hbb += (eval_form(Q, j, bx, by, bz, bx, by, bz) - wb * wb) / h2 - x
        # if the Hessian is not positive definite, a shifted Hessian is used, which gives a descent direction
        middle, half = 0.5 * (haa + hbb), np.sqrt(0.25 * (haa - hbb) ** 2 + hab * hab)
        lowest, floor = middle - half, 1e-3 * (abs(middle) + half)
        if lowest < floor and lowest < 1e-12 * (h1 + h2):
            haa, hbb = haa - lowest + floor, hbb - lowest + floor
        # Newton step, limited to the length 1
        det = haa * hbb - hab * hab
        sa, sb = -(hbb * ga - hab * gb) / det, -(haa * gb - hab * ga) / det
        size = np.sqrt(sa * sa + sb * sb)
        if size > 1.0:
            sa, sb, size = sa / size, sb / size, 1.0
        scale = 1.0
        # halve the step until the overlap decreases
        for _ in range(40):
            mx, my, mz = (
                nx + scale * (sa * ax + sb * bx),
                ny + scale * (sa * ay + sb * by),
                nz + scale * (sa * az + sb * bz),
            )
            length = np.sqrt(mx * mx + my * my + mz * mz)
            mx, my, mz = mx / length, my / length, mz / length
            smaller = eval_overlap(Q, i, j, dx, dy, dz, mx, my, mz)
            if not smaller >= x or scale * size < UNCHECKED_STEP:
                break
            scale *= 0.5
        # next direction
        nx, ny, nz, x = mx, my, mz, smaller
        if not size > LAST_STEP:
            break
    return x, nx, ny, nz


@kernel
def eval_relative_radius(Q: FloatArray, i: int, j: int, nx: float, ny: float, nz: float, axes: float) -> float:
    """Return the relative radius R [m] of two bounded surfaces for the contact normal n. The argument ``axes`` is the
    product of all six semi-axes [m^6].
    """
    h1, ux, uy, uz = eval_support(Q, i, nx, ny, nz)
    h2, wx, wy, wz = eval_support(Q, j, nx, ny, nz)
    ax, ay, az, bx, by, bz = create_basis(nx, ny, nz)
    ua, ub = ux * ax + uy * ay + uz * az, ux * bx + uy * by + uz * bz
    wa, wb = wx * ax + wy * ay + wz * az, wx * bx + wy * by + wz * bz
    aa = (eval_form(Q, i, ax, ay, az, ax, ay, az) - ua * ua) / h1
    aa += (eval_form(Q, j, ax, ay, az, ax, ay, az) - wa * wa) / h2
    ab = (eval_form(Q, i, ax, ay, az, bx, by, bz) - ua * ub) / h1
    ab += (eval_form(Q, j, ax, ay, az, bx, by, bz) - wa * wb) / h2
    bb = (eval_form(Q, i, bx, by, bz, bx, by, bz) - ub * ub) / h1
    bb += (eval_form(Q, j, bx, by, bz, bx, by, bz) - wb * wb) / h2
    # det D_1 det D_2 = axes² / (h_1 h_2)⁴
    hh = h1 * h2
    out: float = axes / (hh * hh * np.sqrt(aa * bb - ab * ab))
    return out
