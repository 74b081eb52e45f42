"""Gaps between circles and the segments of cables. Solvers use the gaps to check whether time steps resolve contacts.
See `Gaps`.

The gap quantities (see `Gaps`) contain the rate of the gap at the closest point, and the speed of the cable relative to
the centre of the circle. The end points of segments at the end of a step are stored for the next step. In most rows
velocities are nearly constant within a step. Therefore the kernels first compute a bound on the change of the gap
rates. This computation takes less time than the computation of the gaps. The gaps at the start and at the end of the
step are computed in two cases: the bound exceeds the limit of the solver, or the cable moves so far that it could pass
through the circle.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.markers.cable_shape import ShapeMarkers
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import (
    FASTEST,
    GAP,
    LEAST,
    RATE,
    SPEED,
    START,
    Gaps,
    X,
    Y,
    Z,
    create_near,
    create_numbers,
    note_gap,
    note_way,
)
from windlass.framework.model.law import LocalRows

WAYS = 4.0
"""Distance of a circle from the cable, divided by the displacement of the cable in the step [1]. Up to this value, the
circle is examined.
"""
LONG = 0.6
"""Displacement of the closest point per step, divided by the radius of the circle [1]. If the displacement is smaller,
no relevant passage through a circle remains undetected, because a chord whose depth is 5 % of the radius is longer than
the displacement.
"""
POINT = 8
"""Number of values of a point: position (2) and velocity (2) relative to the centre of the circle, and the same values
at the start of the step. Unknown values are NaN.
"""


@kernel(inline=True)
def find_closest(
    ax: float, ay: float, ux: float, uy: float, bx: float, by: float, wx: float, wy: float
) -> tuple[float, float, float, float]:
    """Return the position x, y of the closest point of a segment from a to b, the distance of this point from the
    centre of the circle, and the rate of this distance. Positions and the velocities u and w of both ends are relative
    to the centre.
    """
    ex, ey = bx - ax, by - ay
    E = ex * ex + ey * ey
    rho = min(max(-(ex * ax + ey * ay) / E, 0.0), 1.0) if E > 0.0 else 0.0
    x, y = ax + rho * ex, ay + rho * ey
    D = max(np.sqrt(x * x + y * y), 1e-300)
    return x, y, D, ((ux + rho * (wx - ux)) * x + (uy + rho * (wy - uy)) * y) / D


@kernel
def is_quiet(points: FloatArray, first: int, n: int, r: float, least: float) -> bool:
    """Return whether a row is quiet. In a quiet row, the rates of the gaps of the n segments have changed by at most
    ``least`` [m/s] in the step, and no segment has passed through the circle undetected. Both properties are proved by
    bounds.

    The rate of a gap is z·n, with the velocity z and the normal n at the closest point. The position of this point on
    the segment is rho, and the velocities of both ends are z_a and z_b. The change of the rate in a step is bounded by

        rate: |δz| + |δrho| |z_b - z_a| + |z| |δn|
        position: |δrho| <= 2 |δa|/l + 4 |a| |δe|/l²
        normal: |δn| <= 2 |δe|/l + 4 |δa|/D

    if |δe| < l/2. The bounds use the largest values over all end points a and all segments e = b - a, the smallest
    length l, and the smallest distance D of a closest point from the centre. A rotation by the angle φ changes a unit
    vector by at least 2 φ/π. The bounds take this factor into account.
    """
    du, da, de, dz, u, far, near, short, long = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, np.inf, np.inf, 0.0
    ax, ay, bx, by, ux, uy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(first, first + n + 1):
        # a and b are the positions at the end and at the start of the step, u is the velocity at the start; p, q and w
        # are a, b and u of the previous point
        px, py, qx, qy, wx, wy = ax, ay, bx, by, ux, uy
        ax, ay, bx, by = points[k, 0], points[k, 1], points[k, 4], points[k, 5]
        ux, uy = points[k, 6], points[k, 7]
        vx, vy, x, y = points[k, 2] - ux, points[k, 3] - uy, ax - bx, ay - by
        now, before = ax * ax + ay * ay, bx * bx + by * by
        da, du = max(da, x * x + y * y), max(du, vx * vx + vy * vy)
        far, near = max(far, now, before), min(near, now, before)
        u = max(u, ux * ux + uy * uy)
        # segment that ends at this point
        if k > first:
            ex, ey, fx, fy = ax - px, ay - py, bx - qx, by - qy
            gx, gy, zx, zy = ex - fx, ey - fy, ux - wx, uy - wy
            de, dz = max(de, gx * gx + gy * gy), max(dz, zx * zx + zy * zy)
            now, before = ex * ex + ey * ey, fx * fx + fy * fy
            short, long = min(short, now, before), max(long, now, before)
    if du > least * least:
        return False
    # in most rows the rates change by much less than the limit. Therefore the squares of the contributions are first
    # compared with the squares of parts of the limit, because this comparison requires no square roots
    part, room = least * least / 16.0, min(0.25 * LONG * LONG * r * r, near / 16.0)
    slide, turn = 8.0 * da * short + 32.0 * far * de, 8.0 * de * near + 128.0 * da * short
    is_small = 16.0 * de < short and 4.0 * long < near and 16.0 * da < near and da < room
    is_small &= 4.0 * part > du and part * short * short > slide * dz and part * short * near > turn * u
    if is_small and room * short * short > slide * long:
        return True
    move, stretch, size = np.sqrt(da), np.sqrt(de), np.sqrt(short)
    # the distance of the closest point from the nearer end is at most half the length of the segment
    D = np.sqrt(near) - 0.5 * np.sqrt(long) - move
    if not (D > 0.0 and size > 2.0 * stretch):
        return False
    slide = min(2.0 * move / size + 4.0 * np.sqrt(far) * stretch / short, 1.0)
    turn = 2.0 * stretch / size + 4.0 * move / D
    kick = np.sqrt(du) + slide * np.sqrt(dz) + turn * np.sqrt(u)
    return bool(kick < least and move + slide * np.sqrt(long) < min(LONG * r, D))


@kernel
def fill_segment_gaps(
    c: SegmentRows,
    shape: ShapeMarkers,
    circle: PositionMarkers,
    size: FloatArray,
    points: FloatArray,
    rows: IntArray,
    quiet: FloatArray,
    numbers: FloatArray,
    near: IntArray,
) -> None:
    """Write the gap quantities of the segments of rows at the start and at the end of the step into ``numbers``. Rows
    that are inactive, too far from their circles, or quiet (see `is_quiet`) are skipped.

    Args:
        size: step size [s], shape (1,).
        points: points of the rows, n + 1 points per row, see `POINT`.
        rows: number of rows that are near their circles, followed by the indices of these rows, shape (rows + 1,).
        quiet, numbers, near: arrays of `Gaps`.
    """
    first, place, count, found, p, v, h, fastest = 0, 0, 0, 0, shape.position, shape.velocity, size[0], 0.0
    # loop over rows
    for i in range(len(c.rows)):
        row = c.rows[i]
        ci, j0, r, n = row.circle, shape.start[row.cable], row.radius, row.segments
        at, first = first, first + n
        begin, place = place, place + n + 1
        # middle of the cable relative to the centre of the circle; a margin is added, because other points of the cable
        # can be closer to the circle
        cx, cy, jm = circle.position[ci, 0], circle.position[ci, 1], j0 + n // 2
        mx, my = p[jm, 0] - cx, p[jm, 1] - cy
        ux, uy = circle.velocity[ci, 0], circle.velocity[ci, 1]
        wx, wy = v[jm, 0] - ux, v[jm, 1] - uy
        square, away, still = wx * wx + wy * wy, mx * mx + my * my, r + row.length * n
        # square roots are computed only if the comparison of squares is not sufficient
        still, ways = still * still, WAYS * WAYS * h * h * square
        if not row.active or away > 2.0 * (still + ways):
            continue
        if away > still + ways and np.sqrt(away) > np.sqrt(still) + np.sqrt(ways):
            continue
        # points of the row, relative to the centre of the circle
        count += 1
        rows[count] = i
        for k in range(n + 1):
            points[begin + k, 0], points[begin + k, 1] = p[j0 + k, 0] - cx, p[j0 + k, 1] - cy
            points[begin + k, 2], points[begin + k, 3] = v[j0 + k, 0] - ux, v[j0 + k, 1] - uy
        # rows that were not in the list in the previous step have no stored values at the start of the step
        if not points[begin, 4] < np.inf:
            continue
        if is_quiet(points, begin, n, r, quiet[LEAST]):
            fastest = max(fastest, square)
            continue
        # gap quantities of all segments, at the start and at the end of the step
        speed = np.sqrt(square)
        wx, wy = points[begin + n // 2, 6], points[begin + n // 2, 7]
        speed_before = np.sqrt(wx * wx + wy * wy)
        for s in range(n):
            a, b, out = points[begin + s], points[begin + s + 1], numbers[at + s]
            x, y, D, rate = find_closest(a[4], a[5], a[6], a[7], b[4], b[5], b[6], b[7])
            out[START + GAP], out[START + RATE], out[START + SPEED] = D - r, rate, speed_before
            out[START + X], out[START + Y], out[START + Z] = x, y, 0.0
            x, y, D, rate = find_closest(a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3])
            note_gap(out, D - r, rate, speed)
            note_way(out, r, x, y, 0.0)
            found += 1
            near[found] = at + s
    rows[0], near[0], quiet[FASTEST] = count, found, np.sqrt(fastest)


@kernel
def accept_segments(c: SegmentRows, points: FloatArray, rows: IntArray, before: IntArray, offset: IntArray) -> None:
    """Store the values at the end of a step as the values at the start of the next step.

    Args:
        points, rows: points of the rows, and indices of the rows near their circles, see `fill_segment_gaps`.
        before: rows of the previous step. The function replaces them by the rows of this step.
        offset: index in ``points`` of the first point of each row, shape (rows,).
    """
    # delete the values at the start of the step that are stored for rows no longer in the list
    for k in range(1, before[0] + 1):
        points[offset[before[k]], 4] = np.nan
    for k in range(rows[0] + 1):
        before[k] = rows[k]
    for k in range(1, rows[0] + 1):
        i = rows[k]
        for j in range(offset[i], offset[i] + c.rows[i].segments + 1):
            for a in range(4):
                points[j, 4 + a] = points[j, a]


def watch_segments(rows: LocalRows, c: SegmentRows, shapes: str, circles: str) -> Gaps:
    """Create the `Gaps` of rows. The arguments ``shapes`` and ``circles`` are the families of the markers of cables and
    circles.
    """
    n = c.rows["segments"]
    numbers, kind, first = create_numbers(int(n.sum())), rows.table.kind, np.cumsum(n)
    offset: IntArray = first - n + np.arange(len(c.rows))
    points, now = np.full((len(numbers) + len(c.rows), POINT), np.nan), np.zeros(len(c.rows) + 1, np.int64)
    before, quiet, near = now.copy(), np.zeros(2), create_near(len(numbers))
    near[0] = 0

    def describe(k: int) -> str:
        row = int(np.searchsorted(first, k, side="right"))
        return f"segment {k - int(first[row] - n[row])} of {kind} row {rows.rows[row]}"

    measured = points, now, quiet, numbers, near
    measure = call(fill_segment_gaps, lambda s: (c, s.markers[shapes], s.markers[circles], s.size, *measured))
    accept = call(accept_segments, lambda s: (c, points, now, before, offset))
    memory = points, now, before
    return Gaps(measure, numbers, describe, weighed=True, accept=accept, near=near, quiet=quiet, memory=memory)
