"""Profiles of surfaces of revolution. A profile is given as a polyline of (rho, z) with corners rounded by arcs, and is
converted to lines and arcs for the kernels.

The rope is on the right-hand side of the polyline. For example, if z increases along the polyline, the material is
between the axis and the polyline. A corner at which the polyline turns to the left is convex, and a corner at which it
turns to the right is concave. If the polyline turns by the angle a, an arc of the radius r touches both lines at the
distance r tan(a/2) from the corner.

Height fields, such as bathymetry: surfaces z = b(x, y) with heights given on a rectangular grid.

Between grid points, b is the tensor product of natural cubic splines. Beyond the grid, b continues linearly. The second
derivatives of b are therefore continuous everywhere. The foot of a point X = (x, y, z) is the nearest point (u, v, b(u,
v)) of the surface. With the derivatives b_u and b_v of b at (u, v), the foot satisfies

    u - x + b_u (b - z) = 0,    v - y + b_v (b - z) = 0.

Newton's method solves these equations, starting at (x, y). With n = (-b_u, -b_v, 1)/W and W² = 1 + b_u² + b_v², the
distance and its derivatives are

    phi = n·(X - foot),    gradient: n,    Hessian: (∂n/∂u, ∂n/∂v) J⁻¹ (e_x + b_u e_z, e_y + b_v e_z)ᵀ,

where J contains the derivatives of the left-hand sides of the two equations with respect to u and v. A point whose
distance exceeds the radius of curvature of the surface may have no unique foot. If Newton's method finds no foot, phi
is (z - b)/W, with b, W and n at (x, y), and the Hessian is 0.

Sources: C. de Boor, A Practical Guide to Splines, Springer (2001); for the Hessian of distance functions D. Gilbarg, N.
S. Trudinger, Elliptic Partial Differential Equations of Second Order, Springer (2001), section 14.6.

Signed distances from surfaces, with gradient and Hessian in closed form. The kernels that return distances evaluate one
point per call.

X = (x, y, z) is a point in the frame of the surface, z is the axis of the surface, and rho = sqrt(x² + y²). The
distance phi is > 0 on the side of the rope. `Geometry` and the columns in `surfaces.py` define the parameters of the
formulas.

    plane: phi = z - z0
    sphere: phi = |X| - R, or R - |X| if touched from inside
    line: phi = a rho + b z + c, a² + b² = 1
    drum: the line rho - R
    flank of a groove: the line (rho - R) sin(beta) -+ z cos(beta)
    sheave: with s = R + a - rho, t = |z| and psi = pi/2 - beta, for the round bottom and for the straight flank
    bottom: phi = a - sqrt(s² + t²) if t <= s tan(psi)
    flank: phi = a - (s cos(psi) + t sin(psi)) otherwise
    profile: phi of the nearest line or arc. The profile is a sequence of lines and arcs in the half plane (rho, z)
    height field: see above
    polyline: a profile in the half planes (x, z) instead of (rho, z), constant along y

For a surface of revolution phi depends on rho and z. With e = (x, y)/rho, the derivatives are

    gradient: phi_rho e + phi_z e_z,
    Hessian: phi_rho,rho e eᵀ + phi_rho,z (e e_zᵀ + e_z eᵀ) + phi_zz e_z e_zᵀ + (phi_rho/rho) (I - e eᵀ - e_z e_zᵀ).

Source: elementary geometry; for distance functions of solids J. C. Hart, Sphere tracing, The Visual Computer 12 (1996).
"""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, hypot, sqrt, tan
from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel

OVERLAP = 1e-9
"""Each line is extended at both ends by `OVERLAP` [1] times its length, and the cosine of half the angle of each arc is
reduced by `OVERLAP`. Therefore pieces overlap, and rounding errors cause no gap between pieces.
"""


def create_pieces(points: FloatArray, radii: FloatArray, where: str, revolved: bool = True) -> FloatArray:
    """Create the lines and arcs of a profile, shape (pieces, 8). See `PIECE`.

    Args:
        points: coordinates rho, z of k >= 2 successive vertices [m], shape (2 k,).
        radii: radii of the corners between the vertices [m], shape (k - 2,), or one radius for all corners, shape (1,).
        where: description of the row, for messages.
        revolved: whether the profile is a section of a surface of revolution, so that rho >= 0.

    Raises:
        ModelError: the number of coordinates or radii is wrong, rho or a radius is negative, two successive points are
            equal, or arcs do not fit on their lines.
    """
    if len(points) < 4 or len(points) % 2:
        raise ModelError(f"vertices in {where} has {len(points)} numbers: must have rho, z [m] of two points or more")
    place = points.reshape(-1, 2)
    corners = len(place) - 2
    if len(radii) not in (1, corners):
        raise ModelError(f"rounding in {where} has {len(radii)} numbers: must have 1, or one per corner, {corners}")
    radius = np.broadcast_to(radii, corners)
    ways = np.diff(place, axis=0)
    lengths = np.hypot(ways[:, 0], ways[:, 1])
    if (revolved and (place[:, 0] < 0.0).any()) or (radius < 0.0).any() or (lengths == 0.0).any():
        raise ModelError(f"vertices and rounding in {where}: must have rho >= 0 m, radii >= 0 m and different points")
    along = ways / lengths[:, None]
    turns = [atan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in pairwise(along)]
    cut = np.array([0.0, *(r * tan(abs(turn) / 2.0) for r, turn in zip(radius, turns, strict=True)), 0.0])
    rest = lengths - cut[:-1] - cut[1:]
    for k in np.flatnonzero(rest < -OVERLAP * lengths)[:1]:
        raise ModelError(
            f"rounding in {where}: the arcs at the ends of line {k} take {cut[k] + cut[k + 1]:g} m: must take less "
            f"than {lengths[k]:g} m, the length of the line"
        )
    pieces = []
    for k, (start, t) in enumerate(zip(place[:-1], along, strict=True)):
        begin = start + (cut[k] - OVERLAP * lengths[k]) * t
        pieces.append((0.0, *begin, *t, rest[k] + 2.0 * OVERLAP * lengths[k], 0.0, 0.0))
        if k == corners or turns[k] == 0.0:
            continue
        side = 1.0 if turns[k] > 0.0 else -1.0
        end = place[k + 1] - cut[k + 1] * t
        centre = end + side * radius[k] * np.array((-t[1], t[0]))
        middle = side * np.array((t[1] + along[k + 1][1], -t[0] - along[k + 1][0]))
        middle /= hypot(*middle)
        pieces.append((side, *centre, radius[k], *middle, cos(abs(turns[k]) / 2.0) - OVERLAP, 0.0))
    return np.array(pieces).reshape(-1, PIECE)


def eval_course(pieces: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return rho and z [m] of ``count`` points at equal distances along a profile, shape (count,) each. The argument
    ``pieces`` is the result of `create_pieces`.
    """
    points = outline(pieces)
    s = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    at = np.linspace(0.0, s[-1], count)
    return np.interp(at, s, points[:, 0]), np.interp(at, s, points[:, 1])


def outline(pieces: FloatArray) -> FloatArray:
    """Return the ends [m] of the lines and 33 points of each arc of a profile, shape (k, 2); ``pieces`` is the result
    of `create_pieces`.
    """
    line = []
    for p in pieces:
        if p[0] == 0.0:
            line += [p[1:3], p[1:3] + p[5] * p[3:5]]
            continue
        half = np.arccos(min(p[6] + OVERLAP, 1.0)) * np.linspace(-1.0, 1.0, 33) * p[0]
        middle = np.arctan2(p[5], p[4])
        line += [p[1:3] + p[3] * np.array((np.cos(middle + a), np.sin(middle + a))) for a in half]
    return np.array(line)


ROW = 8
"""Number of columns of the table in which height fields are stored, see `create_field`."""
TERMS = 16
"""Number of coefficients of a cell of the grid."""
ITERATIONS = 20
"""Largest number of iterations of Newton's method for the foot of a point."""
FOUND = 1e-9
"""Newton's method has found the foot if the sum of the magnitudes of its steps of u and v is at most `FOUND` [1] times
|u| + |v| + |b - z|.
"""

Slopes = tuple[float, float, float, float, float, float]
"""Height b [m], b_u, b_v [1], b_uu, b_uv and b_vv [1/m]."""
Foot = tuple[float, float, float, float, float, float, float, float, float, float]
"""phi [m], gradient (3) [1], and the components xx, yy, zz, xy, xz, yz of the Hessian [1/m]."""


def create_field(x: FloatArray, y: FloatArray, heights: FloatArray, where: str) -> FloatArray:
    """Return the table of a field, shape (k, 8). Row by row, the table contains x and y of the grid lines, the
    coefficients of all cells, and zeros at the end of the last row.

    The cells are ordered by x, then by y. Cell 0 of a direction is before the first grid line, and the last cell is
    after the last grid line. Within a cell, the coefficient of dx^i dy^j has the index 4 i + j, where dx and dy are
    distances from the first corner of the cell. In cells before the first grid line of a direction, the distance from
    the first grid line is used.

    Args:
        x, y: coordinates of the grid lines [m], shapes (nx,) and (ny,).
        heights: heights [m], shape (nx ny,). The height at x_i and y_j has the index ny i + j.
        where: description of the row, for messages.

    Raises:
        ModelError: a direction has fewer than two grid lines, the coordinates are not in ascending order, or the number
            of heights is wrong.
    """
    for name, lines in (("x", x), ("y", y)):
        if len(lines) < 2 or not (np.diff(lines) > 0.0).all():
            raise ModelError(f"{name} in {where} has {len(lines)} numbers [m]: must be 2 or more, ascending")
    if len(heights) != len(x) * len(y):
        raise ModelError(
            f"heights in {where} has {len(heights)} numbers: must have {len(x)} x {len(y)} = {len(x) * len(y)}, one "
            "height [m] for each x and y, y varies first"
        )
    along_x = _find_cells(x, heights.reshape(len(x), len(y)))  # shape (4, nx + 1, ny)
    both = _find_cells(y, np.moveaxis(along_x, 2, 0))  # shape (4, ny + 1, 4, nx + 1)
    cells = both.transpose(3, 1, 2, 0).reshape(-1)
    numbers = np.concatenate((x, y, cells))
    return np.pad(numbers, (0, -len(numbers) % ROW)).reshape(-1, ROW)


def _find_cells(lines: FloatArray, values: FloatArray) -> FloatArray:
    """Return the coefficients of the natural cubic spline through ``values`` along their first axis, in ascending
    powers, shape (4, n + 1, ...). The first and the last piece are the linear parts before and after the n grid lines.
    """
    spline = CubicSpline(lines, values, axis=0, bc_type="natural")
    inner = spline.c[::-1]
    found = np.zeros((4, len(lines) + 1, *values.shape[1:]))
    found[:, 1:-1] = inner
    found[0, 0], found[1, 0] = values[0], spline(lines[0], 1)
    found[0, -1], found[1, -1] = values[-1], spline(lines[-1], 1)
    return found


@kernel(inline=True, fast=False)
def find_cell(field: FloatArray, first: int, count: int, x: float) -> int:
    """Return how many of ``count`` grid lines are at or before x. The number is found by bisection. The argument
    ``first`` is the index of the first of these grid lines among the numbers of the table ``field``.
    """
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        k = first + middle
        if field[k // ROW, k % ROW] <= x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(inline=True, fast=False)
def eval_height(field: FloatArray, first: int, nu: int, nv: int, u: float, v: float) -> Slopes:
    """Return the height and its derivatives at (u, v), see `Slopes`.

    Args:
        field: table that contains the numbers of the field, see `create_field`.
        first: index of the row of the table at which the field begins.
        nu, nv: numbers of grid lines along x and y.
        u, v: horizontal position in the frame of the surface [m].
    """
    start = ROW * first
    i, j = find_cell(field, start, nu, u), find_cell(field, start + nu, nv, v)
    kx, ky = start + max(i - 1, 0), start + nu + max(j - 1, 0)
    du, dv = u - field[kx // ROW, kx % ROW], v - field[ky // ROW, ky % ROW]
    at = start + nu + nv + TERMS * (i * (nv + 1) + j)
    b = b_u = b_v = b_uu = b_uv = b_vv = 0.0
    # evaluate the value and the first and second derivatives in both directions by Horner's scheme
    for power in range(3, -1, -1):
        k = at + 4 * power
        c0, c1 = field[k // ROW, k % ROW], field[(k + 1) // ROW, (k + 1) % ROW]
        c2, c3 = field[(k + 2) // ROW, (k + 2) % ROW], field[(k + 3) // ROW, (k + 3) % ROW]
        p = ((c3 * dv + c2) * dv + c1) * dv + c0
        pv = (3.0 * c3 * dv + 2.0 * c2) * dv + c1
        pvv = 6.0 * c3 * dv + 2.0 * c2
        b_uu = b_uu * du + 2.0 * b_u
        b_u = b_u * du + b
        b = b * du + p
        b_uv = b_uv * du + b_v
        b_v = b_v * du + pv
        b_vv = b_vv * du + pvv
    return b, b_u, b_v, b_uu, b_uv, b_vv


@kernel(fast=False)
def eval_field(field: FloatArray, first: int, nu: int, nv: int, x: float, y: float, z: float) -> Foot:
    """Return the distance of the point (x, y, z) [m] from a field, and the gradient and the Hessian of the distance,
    see `Foot`. `eval_height` describes the other arguments.
    """
    u, v, found = x, y, False
    b, b_u, b_v, b_uu, b_uv, b_vv = eval_height(field, first, nu, nv, u, v)
    above, su, sv = z - b, b_u, b_v
    a11 = a12 = a22 = det = 1.0
    for _ in range(ITERATIONS):
        w = b - z
        a11, a12, a22 = 1.0 + b_u * b_u + w * b_uu, b_u * b_v + w * b_uv, 1.0 + b_v * b_v + w * b_vv
        det = a11 * a22 - a12 * a12
        if not (det > 0.0 and a11 > 0.0):
            break
        if found:
            break
        fu, fv = u - x + b_u * w, v - y + b_v * w
        du, dv = (a22 * fu - a12 * fv) / det, (a11 * fv - a12 * fu) / det
        u, v = u - du, v - dv
        # after a step of Newton's method, the error is of the order of the square of this step
        found = abs(du) + abs(dv) <= FOUND * (abs(u) + abs(v) + abs(w))
        b, b_u, b_v, b_uu, b_uv, b_vv = eval_height(field, first, nu, nv, u, v)
    if not found or not (det > 0.0 and a11 > 0.0):
        l = 1.0 / sqrt(1.0 + su * su + sv * sv)
        return above * l, -su * l, -sv * l, l, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    l = 1.0 / sqrt(1.0 + b_u * b_u + b_v * b_v)
    nx, ny, nz = -b_u * l, -b_v * l, l
    phi = nx * (x - u) + ny * (y - v) + nz * (z - b)
    # derivatives of n with respect to u and v
    cu, cv = (b_u * b_uu + b_v * b_uv) * l * l, (b_u * b_uv + b_v * b_vv) * l * l
    xu, yu, zu = -b_uu * l - nx * cu, -b_uv * l - ny * cu, -nz * cu
    xv, yv, zv = -b_uv * l - nx * cv, -b_vv * l - ny * cv, -nz * cv
    # derivatives of u and v with respect to x, y and z
    ux, uy, vx, vy = a22 / det, -a12 / det, -a12 / det, a11 / det
    uz, vz = b_u * ux + b_v * uy, b_u * vx + b_v * vy
    return (
        phi, nx, ny, nz, xu * ux + xv * vx, yu * uy + yv * vy, zu * uz + zv * vz,
        xu * uy + xv * vy, xu * uz + xv * vz, yu * uz + yv * vz,
    )  # fmt: skip


@kernel(fast=False)
def fill_heights(field: FloatArray, first: int, nu: int, nv: int, places: FloatArray, out: FloatArray) -> None:
    """Write the heights [m] at ``places`` [m], shape (k, 2), into ``out``, shape (k,). `eval_height` describes the
    other arguments.
    """
    for k in range(len(places)):
        out[k] = eval_height(field, first, nu, nv, places[k, 0], places[k, 1])[0]


def eval_heights(field: FloatArray, first: int, nu: int, nv: int, places: FloatArray) -> FloatArray:
    """Return the heights [m], shape (k,), at ``places`` [m], shape (k, 2). `eval_height` describes the other
    arguments.
    """
    out = np.empty(len(places))
    fill_heights(field, first, nu, nv, np.ascontiguousarray(places), out)
    return out


@kernel(fast=False)
def find_curvature(field: FloatArray, nu: int, nv: int, places: FloatArray) -> float:
    """Return the largest principal curvature [1/m] of a field at any of ``places`` [m], shape (k, 2). Curvatures are
    positive in hollows. The field begins in row 0 of the table ``field``.
    """
    most = -np.inf
    for k in range(len(places)):
        _, b_u, b_v, b_uu, b_uv, b_vv = eval_height(field, 0, nu, nv, places[k, 0], places[k, 1])
        square = 1.0 + b_u * b_u + b_v * b_v
        mean = 0.5 * ((1.0 + b_v * b_v) * b_uu - 2.0 * b_u * b_v * b_uv + (1.0 + b_u * b_u) * b_vv) / square**1.5
        gauss = (b_uu * b_vv - b_uv * b_uv) / square**2
        most = max(most, mean + sqrt(max(mean * mean - gauss, 0.0)))
    return most


def eval_curvatures(field: FloatArray, x: FloatArray, y: FloatArray) -> float:
    """Return the largest of the principal curvatures [1/m] of a field at all of its grid points. Curvatures are
    positive in hollows. The arguments x and y are the coordinates of the grid lines [m].
    """
    places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    return float(find_curvature(field, len(x), len(y), np.ascontiguousarray(places)))


PLANE, SPHERE, LINE, SHEAVE, PROFILE, FIELD, POLYLINE = range(7)
NUMBERS = 8
"""Number of geometric parameters of a surface, see `Geometry`."""
PIECE = 8
"""Number of parameters of a piece of a profile. The parameters of a line are 0, rho and z of its start, direction (2),
length, 0, 0. The parameters of an arc are 1 (convex) or -1 (concave), rho and z of its centre, radius, direction from
the centre to the middle of the arc (2), cosine of half the angle, 0.
"""


class Geometry(NamedTuple):
    """Data of surfaces for kernels. The meaning of the parameters ``geo`` depends on the type of the surface, ``kind``:

    - plane: z0, half length along x, half length along y, largest rho [m]
    - sphere: R [m], 1 outside or -1 inside
    - line: a, b, c, smallest z [m], largest z [m], largest rho [m]
    - sheave: R + a [m], a [m], cos(psi), sin(psi), largest rho [m], largest t [m]
    - profile: index of the first piece, number of pieces, largest distance of a vertex from the origin [m]
    - height field: index of its first row in ``pieces``, numbers of grid lines along x and y
    - polyline: index of the first piece, number of pieces
    """

    marker: IntArray  # index of the marker in the columns of its family, shape (surfaces,)
    kind: IntArray  # type of the surface, shape (surfaces,)
    Q: FloatArray  # axes of the surface in the frame of the marker as columns, shape (surfaces, 3, 3)
    geo: FloatArray  # Parameters, shape (surfaces, 8). The last one is the depth [m] beyond which contact is ignored.
    pieces: FloatArray  # pieces of all profiles and tables of all height fields, shape (k, 8)


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
"""Whether a point is within the extent of the surface, phi [m], and the derivatives phi_rho, phi_z [1], phi_rho,rho,
phi_rho,z and phi_zz [1/m].
"""


DistanceNumbers = tuple[float, float, float, float, float, float, float, float]
"""The eight geometric parameters of one surface."""


@kernel(inline=True, fast=False)
def eval_sheave(geo: DistanceNumbers, rho: float, z: float) -> Profile:
    """Return the distance of the point (rho, z) [m] from a groove with a round bottom and straight flanks."""
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
    """Return the distance of the point (rho, z) [m] from the nearest line or arc of a profile."""
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
    argument is a compile-time constant, the compiled code does not contain the other types.
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
    # the distance from a polyline does not depend on y
    if which == POLYLINE:
        there, phi, g, h, rr, rz, zz = eval_profile(geo, pieces, x, z)
        return Distance(there and phi >= -geo[7], phi, g, 0.0, h, rr, 0.0, zz, 0.0, rz, 0.0)
    # surfaces of revolution
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
