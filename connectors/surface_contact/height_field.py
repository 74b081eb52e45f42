"""Height fields, such as bathymetry: surfaces z = b(x, y) of heights on a rectangular grid.

Between grid points b is the tensor product of natural cubic splines, and beyond the grid b continues linearly. The
second derivatives of b are therefore continuous everywhere. The distance of a point X from the surface is measured from
the nearest point (u, v, b(u, v)), the foot, which satisfies, with the derivatives b_u and b_v of b at (u, v),

    u - x + b_u (b - z) = 0,    v - y + b_v (b - z) = 0.

Newton's method solves these equations, starting at (x, y). With n = (-b_u, -b_v, 1)/W and W² = 1 + b_u² + b_v²

    phi = n·(X - foot),    gradient: n,    Hessian: (∂n/∂u, ∂n/∂v) J⁻¹ (e_x + b_u e_z, e_y + b_v e_z)ᵀ,

where J contains the derivatives of the left-hand sides of the two equations with respect to u and v. A point whose
distance exceeds the radius of curvature of the surface may have no unique foot. If Newton's method finds no foot, phi
is (z - b)/W, with b and W at (x, y).

Sources: C. de Boor, A Practical Guide to Splines, Springer (2001); for the Hessian of distance functions D. Gilbarg, N.
S. Trudinger, Elliptic Partial Differential Equations of Second Order, Springer (2001), section 14.6.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.interpolate import CubicSpline

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel

ROW = 8
"""Length of a row of the table in which the numbers of a field are stored."""
TERMS = 16
"""Number of coefficients of a cell."""
ITERATIONS = 20
"""Largest number of iterations for a foot."""
FOUND = 1e-9
"""Step of an iteration, relative to the coordinates and the height, below which the foot is found [1]."""

Slopes = tuple[float, float, float, float, float, float]
"""Height b [m], b_u, b_v [1], b_uu, b_uv and b_vv [1/m]."""
Foot = tuple[float, float, float, float, float, float, float, float, float, float]
"""phi [m], gradient (3) [1], and the components xx, yy, zz, xy, xz, yz of the Hessian [1/m]."""


def create_field(x: FloatArray, y: FloatArray, heights: FloatArray, where: str) -> FloatArray:
    """Create the numbers of a field: x and y of the grid, then the coefficients of all cells, shape (k, 8).

    The cells are ordered by x, then by y. Cell 0 of a direction is before the first grid line, and the last cell is
    after the last grid line. The coefficients of a cell are the factors of dx^i dy^j, with index 4 i + j, where dx and
    dy are distances from the first corner of the cell; cells before the first grid line use distances from this line.

    Args:
        x, y: coordinates of the grid lines [m], shapes (nx,) and (ny,).
        heights: heights [m], shape (nx ny,); the height at x_i and y_j has the index ny i + j.
        where: description of the row, for messages.

    Raises:
        ModelError: a direction has less than two grid lines, the coordinates do not ascend, or the number of heights is
            wrong.
    """
    for name, lines in (("x", x), ("y", y)):
        if len(lines) < 2 or not (np.diff(lines) > 0.0).all():
            raise ModelError(f"{name} in {where} has {len(lines)} numbers [m]: must be 2 or more, ascending")
    if len(heights) != len(x) * len(y):
        raise ModelError(
            f"heights in {where} has {len(heights)} numbers: must have {len(x)} x {len(y)} = {len(x) * len(y)}, one "
            "height [m] for each x and y, y varies first"
        )
    along_x = _find_cells(x, heights.reshape(len(x), len(y)))  # (4, nx + 1, ny)
    both = _find_cells(y, np.moveaxis(along_x, 2, 0))  # (4, ny + 1, 4, nx + 1)
    cells = both.transpose(3, 1, 2, 0).reshape(-1)
    numbers = np.concatenate((x, y, cells))
    return np.pad(numbers, (0, -len(numbers) % ROW)).reshape(-1, ROW)


def _find_cells(lines: FloatArray, values: FloatArray) -> FloatArray:
    """Return the coefficients of ascending powers of the natural cubic spline of ``values`` along their first axis,
    shape (4, n + 1, ...), with the linear parts before and after the n grid lines.
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
    """Return the number of grid lines at or before x, by bisection; ``first``: index of the first grid line."""
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
    """Return the height and its derivatives at (u, v) [m].

    Args:
        field: table that contains the numbers of the field, see `create_field`.
        first: row of the first number.
        nu, nv: numbers of grid lines.
        u, v: horizontal position in the frame of the surface [m].
    """
    start = ROW * first
    i, j = find_cell(field, start, nu, u), find_cell(field, start + nu, nv, v)
    kx, ky = start + max(i - 1, 0), start + nu + max(j - 1, 0)
    du, dv = u - field[kx // ROW, kx % ROW], v - field[ky // ROW, ky % ROW]
    at = start + nu + nv + TERMS * (i * (nv + 1) + j)
    b = b_u = b_v = b_uu = b_uv = b_vv = 0.0
    # Horner's scheme for value, first and second derivative in both directions
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
    """Return the distance of the point (x, y, z) [m] from a field, and the gradient and the Hessian of the distance;
    for the other arguments see `eval_height`.
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
        # the error after a step is of the order of the square of the step
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
    """Write the heights [m] at ``places``, shape (k, 2), into ``out``, shape (k,)."""
    for k in range(len(places)):
        out[k] = eval_height(field, first, nu, nv, places[k, 0], places[k, 1])[0]


def eval_heights(field: FloatArray, first: int, nu: int, nv: int, places: FloatArray) -> FloatArray:
    """Return the heights at ``places`` [m], shape (k, 2); see `eval_height`."""
    out = np.empty(len(places))
    fill_heights(field, first, nu, nv, np.ascontiguousarray(places), out)
    return out


@kernel(fast=False)
def find_curvature(field: FloatArray, nu: int, nv: int, places: FloatArray) -> float:
    """Return the largest principal curvature of a field at ``places``, shape (k, 2) [1/m]; hollows are positive."""
    most = -np.inf
    for k in range(len(places)):
        _, b_u, b_v, b_uu, b_uv, b_vv = eval_height(field, 0, nu, nv, places[k, 0], places[k, 1])
        square = 1.0 + b_u * b_u + b_v * b_v
        mean = 0.5 * ((1.0 + b_v * b_v) * b_uu - 2.0 * b_u * b_v * b_uv + (1.0 + b_u * b_u) * b_vv) / square**1.5
        gauss = (b_uu * b_vv - b_uv * b_uv) / square**2
        most = max(most, mean + sqrt(max(mean * mean - gauss, 0.0)))
    return most


def eval_curvatures(field: FloatArray, x: FloatArray, y: FloatArray) -> float:
    """Return the largest principal curvature at the grid points of a field [1/m]; hollows are positive."""
    places = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    return float(find_curvature(field, len(x), len(y), np.ascontiguousarray(places)))
