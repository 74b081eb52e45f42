"""Signed distances from surfaces, with gradient and Hessian in closed form. The kernels of this file evaluate one point
per call.

X = (x, y, z) is a point in the frame of the surface, whose axis is z; rho = sqrt(x² + y²). The distance phi is > 0 on
the side of the rope. `Geometry` and the columns in `surfaces.py` define the parameters of the formulas.

    plane: phi = z - z0
    sphere: phi = |X| - R, or R - |X| if touched from inside
    line: phi = a rho + b z + c, a² + b² = 1
    drum: the line rho - R
    flank of a groove: the line (rho - R) sin(beta) -+ z cos(beta)
    sheave: with s = R + a - rho, t = |z|, psi = pi/2 - beta, for the round bottom and for the straight flank
    bottom: phi = a - sqrt(s² + t²) if t <= s tan(psi)
    flank: phi = a - (s cos(psi) + t sin(psi)) otherwise
    profile: phi of the nearest line or arc; the profile is a sequence of lines and arcs in the half plane (rho, z)
    height field: see `height_field.py`

For a surface of revolution phi depends on rho and z. With e = (x, y)/rho

    gradient: phi_rho e + phi_z e_z,
    Hessian: phi_rho,rho e eᵀ + phi_rho,z (e e_zᵀ + e_z eᵀ) + phi_zz e_z e_zᵀ + (phi_rho/rho) (I - e eᵀ - e_z e_zᵀ).

Source: elementary geometry; for distance functions of solids J. C. Hart, Sphere tracing, The Visual Computer 12 (1996).
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from windlass.connectors.surface_contact.height_field import eval_field
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

PLANE, SPHERE, LINE, SHEAVE, PROFILE, FIELD = range(6)
NUMBERS = 8
"""Number of geometric parameters of a surface, see `Geometry`."""
PIECE = 8
"""Number of parameters of a piece of a profile. The parameters of a line are 0, rho and z of its start, direction (2),
length, 0, 0. The parameters of an arc are 1 (convex) or -1 (concave), rho and z of its centre, radius, direction from
the centre to the middle of the arc (2), cosine of half the angle, 0.
"""


class Geometry(NamedTuple):
    """Surfaces that cables touch. The geometric parameters depend on the type of distance:

    - plane: z0, half length along x, half length along y, largest rho [m]
    - sphere: R [m], 1 outside or -1 inside
    - line: a, b, c, smallest z [m], largest z [m], largest rho [m]
    - sheave: R + a [m], a [m], cos(psi), sin(psi), largest rho [m], largest t [m]
    - profile: index of the first piece, number of pieces, largest distance of a vertex from the origin [m]
    - height field: index of the first piece, numbers of grid lines along x and y
    """

    marker: IntArray  # index of the marker in the columns of its family, shape (surfaces,)
    kind: IntArray  # type of distance, shape (surfaces,)
    Q: FloatArray  # axes of the surface in the frame of the marker as columns, shape (surfaces, 3, 3)
    geo: FloatArray  # parameters; the last one is the depth beyond which contact is ignored [m], shape (surfaces, 8)
    pieces: FloatArray  # pieces of all profiles, and numbers of all height fields, shape (pieces, 8)


class Distance(NamedTuple):
    """Distance phi [m] of a point, its gradient n [1] and Hessian [1/m] in the frame of the surface, and whether the
    point is within the extent of the surface.
    """

    there: bool
    phi: float
    nx: float
    ny: float
    nz: float
    xx: float
    yy: float
    zz: float
    xy: float
    xz: float
    yz: float


Profile = tuple[bool, float, float, float, float, float, float]
"""Whether a point is within the extent of the surface, phi, and the derivatives phi_rho, phi_z, phi_rho,rho, phi_rho,z
and phi_zz.
"""


DistanceNumbers = tuple[float, float, float, float, float, float, float, float]
"""The eight geometric parameters of one surface."""


@kernel(inline=True, fast=False)
def eval_sheave(geo: DistanceNumbers, rho: float, z: float) -> Profile:
    """Return the distance from the round bottom and the flanks of a groove."""
    s, t, side = geo[0] - rho, abs(z), 1.0 if z >= 0.0 else -1.0
    cos, sin = geo[2], geo[3]
    there = rho <= geo[4] and t <= geo[5]
    if t * cos <= s * sin:
        D = sqrt(s * s + t * t)
        l = 1.0 / D if D > 0.0 else 0.0
        s, t = s * l, t * l
        return there, geo[1] - D, s, -side * t, -l * t * t, -side * l * s * t, -l * s * s
    return there, geo[1] - (s * cos + t * sin), cos, -side * sin, 0.0, 0.0, 0.0


@kernel(inline=True, fast=False)
def eval_profile(geo: DistanceNumbers, pieces: FloatArray, rho: float, z: float) -> Profile:
    """Return the distance from the nearest line or arc of a profile."""
    there, phi, g, h, rr, rz, zz = False, 1e300, 0.0, 0.0, 0.0, 0.0, 0.0
    first = int(geo[0])
    for k in range(first, first + int(geo[1])):
        x, y = rho - pieces[k, 1], z - pieces[k, 2]
        if pieces[k, 0] == 0.0:
            cos, sin = pieces[k, 3], pieces[k, 4]
            along, distance = x * cos + y * sin, x * sin - y * cos
            if 0.0 <= along <= pieces[k, 5] and abs(distance) < abs(phi):
                there, phi, g, h, rr, rz, zz = True, distance, sin, -cos, 0.0, 0.0, 0.0
        else:
            D, sign = sqrt(x * x + y * y), pieces[k, 0]
            distance = sign * (D - pieces[k, 3])
            inside = x * pieces[k, 4] + y * pieces[k, 5] >= D * pieces[k, 6]
            if inside and D > 0.0 and abs(distance) < abs(phi):
                l = sign / D
                x, y = x / D, y / D
                there, phi, g, h, rr, rz, zz = True, distance, sign * x, sign * y, l * y * y, -l * x * y, l * x * x
    return there, phi, g, h, rr, rz, zz


@kernel(inline=True, fast=False)
def eval_distance(
    kind: IntArray, geo: FloatArray, pieces: FloatArray, i: int, x: float, y: float, z: float
) -> Distance:
    """Return the distance of the point (x, y, z) [m] from surface i."""
    return eval_kind(
        kind[i],
        (geo[i, 0], geo[i, 1], geo[i, 2], geo[i, 3], geo[i, 4], geo[i, 5], geo[i, 6], geo[i, 7]),
        pieces, x, y, z,
    )  # fmt: skip


@kernel(inline=True, fast=False)
def eval_kind(which: int, geo: DistanceNumbers, pieces: FloatArray, x: float, y: float, z: float) -> Distance:
    """Return the distance of the point (x, y, z) [m] from a surface with the type of distance ``which``. If this
    argument is a compile-time constant, the compiled code has no branches.
    """
    square = x * x + y * y
    if which == PLANE:
        phi = z - geo[0]
        there = abs(x) <= geo[1] and abs(y) <= geo[2] and square <= geo[3] * geo[3] and phi >= -geo[7]
        return Distance(there, phi, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if which == SPHERE:
        r, sign = sqrt(square + z * z), geo[1]
        l = 1.0 / r if r > 0.0 else 0.0
        x, y, z = x * l, y * l, z * l
        l, phi = sign * l, sign * (r - geo[0])
        there = r > 0.0 and phi >= -geo[7]
        return Distance(
            there, phi, sign * x, sign * y, sign * z, l * (1.0 - x * x), l * (1.0 - y * y), l * (1.0 - z * z),
            -l * x * y, -l * x * z, -l * y * z,
        )  # fmt: skip
    if which == FIELD:
        phi, fx, fy, fz, xx, yy, zz, xy, xz, yz = eval_field(pieces, int(geo[0]), int(geo[1]), int(geo[2]), x, y, z)
        return Distance(phi >= -geo[7], phi, fx, fy, fz, xx, yy, zz, xy, xz, yz)
    rho = sqrt(square)
    l = 1.0 / rho if rho > 0.0 else 0.0
    x, y = x * l, y * l
    if which == LINE:
        g, h, rr, rz, zz = geo[0], geo[1], 0.0, 0.0, 0.0
        phi, there = g * rho + h * z + geo[2], geo[3] <= z <= geo[4] and rho <= geo[5]
    elif which == SHEAVE:
        there, phi, g, h, rr, rz, zz = eval_sheave(geo, rho, z)
    else:
        there, phi, g, h, rr, rz, zz = eval_profile(geo, pieces, rho, z)
    l *= g
    there = there and phi >= -geo[7] and rho > 0.0
    return Distance(
        there, phi, g * x, g * y, h, rr * x * x + l * y * y, rr * y * y + l * x * x, zz,
        (rr - l) * x * y, rz * x, rz * y,
    )  # fmt: skip
