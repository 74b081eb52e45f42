"""Gaps between circles and points of cables. Solvers use the gaps to check whether time steps resolve contacts. See
`Gaps`.

Rows of circle sets refer to the circles that are near a cable at the start and at the end of a step. Within the step
the cable may pass through a circle to which none of its rows refers. Such circles are checked if one of two conditions
is satisfied. Either the sum of the displacements of cable and circle exceeds `PASSING` times the smallest radius of the
circles, or the diameter of the smallest circle is below the spacing of the points. One additional element of the arrays
describes the passage with the greatest depth. If the line between two neighbouring points moves across the centre of a
circle, the cable has passed through the circle, even if no point has touched the circle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import (
    PRESS,
    PointRows,
    eval_growth,
    eval_point,
    read_axis,
)
from windlass.connectors.contact.gaps import follow_sets, name_points
from windlass.connectors.contact.pair_search import PairRows
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.elements.cable.points import shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import (
    GAP,
    MISSED,
    START,
    WIDTH,
    Gaps,
    X,
    Y,
    create_near,
    create_numbers,
    note_gap,
    note_way,
)
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Evaluation

WAYS = 4.0
"""Distance of a circle from the cable, divided by the displacement of the cable in the step [1]. Up to this value, the
circle is examined.
"""
PASSING = 0.6
"""Displacement per step, divided by the radius of the circle [1]. If the displacement is smaller, no relevant passage
through a circle remains undetected, because the chord of such a passage is longer than the displacement.
"""


@kernel
def crosses(a: FloatArray, b: FloatArray, first: bool, last: bool) -> bool:
    """Return whether the line between two neighbouring points, with the gap quantities a and b, has moved across the
    centre of the circle.

    first, last: whether the line is extended to the start or to the end of the cable, by half the distance between
        points.
    """
    if not (a[START + GAP] < np.inf and b[START + GAP] < np.inf):
        return False
    ax, ay, bx, by = a[START + X], a[START + Y], b[START + X], b[START + Y]
    cx, cy, dx, dy = a[X], a[Y], b[X], b[Y]
    before, after = ax * by - ay * bx, cx * dy - cy * dx
    if not before * after < 0.0:
        return False
    # fraction of the step after which the centre of the circle lies on the line through both points
    share = before / (before - after)
    px, py = ax + share * (cx - ax), ay + share * (cy - ay)
    ex, ey = bx + share * (dx - bx) - px, by + share * (dy - by) - py
    along = -(px * ex + py * ey)
    square = ex * ex + ey * ey
    low, high = -0.5 * square if first else 0.0, 1.5 * square if last else square
    return bool(low <= along <= high)


@kernel
def fill_point_gaps(
    c: PointRows,
    circle: PositionMarkers,
    data: FloatArray,
    x: FloatArray,
    v: FloatArray,
    size: FloatArray,
    numbers: FloatArray,
    near: IntArray,
) -> None:
    """Write the gap quantities of points into ``numbers``, row by row. Inactive rows, and rows that are too far from
    their circles to touch in this step, are skipped.

    size: size of the step [s], shape (1,).
    """
    first, count, h, dofs = 0, 0, size[0], c.dofs
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, r, y, ci = row.segments, row.radius + eval_growth(row, data, PRESS), row.vertical_offset, row.circle
        at, first = first, first + n
        # the row is skipped if its first node is too far from the circle; a margin accounts for points closer to the
        # circle than this node
        cx, cy, ux, uy = circle.position[ci, 0], circle.position[ci, 1], circle.velocity[ci, 0], circle.velocity[ci, 1]
        mx, my = x[dofs[i, 0]] - cx, x[dofs[i, 1]] - cy
        wx, wy, L = v[dofs[i, 0]] - ux, v[dofs[i, 1]] - uy, row.length * n
        speed = np.sqrt(wx * wx + wy * wy)
        reach = r + abs(y) + 1.5 * L + WAYS * h * speed
        if not row.active or mx * mx + my * my > reach * reach:
            continue
        # points of the cable
        q, w = read_axis(c, x, i), read_axis(c, v, i)
        for k in range(n):
            s = relative_place(k, n)
            z = eval_point(shape(s, L), shape_slope(s, L), y, q, w)
            dx, dy = z.px - cx, z.py - cy
            D, row = max(np.sqrt(dx * dx + dy * dy), 1e-300), numbers[at + k]
            note_gap(row, D - r, ((z.vx - ux) * dx + (z.vy - uy) * dy) / D, speed)
            note_way(row, r, dx, dy, 0.0)
            count += 1
            near[count] = at + k
        # circles smaller than the spacing of points can pass between two points for any step size
        for k in range(n - 1):
            if crosses(numbers[at + k], numbers[at + k + 1], k == 0, k == n - 2):
                numbers[at + k, MISSED] = r
    near[0] = count


@kernel
def sweep_circles(
    p: PairRows,
    first: IntArray,
    x: FloatArray,
    start: FloatArray,
    m: PositionMarkers,
    m0: PositionMarkers,
    row: FloatArray,
    which: IntArray,
) -> None:
    """Find the deepest of all passages of points through circles of their set within a step.

    Args:
        p: data of the rows and of the circles of their sets.
        first: index of the first row of each cable.
        x, start: coordinates at the end and at the start of the step.
        m, m0: markers at the end and at the start of the step.
        row: output for the gap quantities of this passage, shape (WIDTH,). The element `MISSED`, the depth of the
            passage, is 0 if no passage is found.
        which: output for the row of the cable and the index of the circle, shape (2,).
    """
    c, trial, earlier, place, place0 = p.points, np.zeros(WIDTH), np.zeros(WIDTH), m.position, m0.position
    row[MISSED] = 0.0
    # largest displacement of a circle in the step, and smallest radius of the circles
    far, least = 0.0, np.inf
    for k in range(1, len(p.marker)):
        at = p.marker[k]
        dx, dy = place[at, 0] - place0[at, 0], place[at, 1] - place0[at, 1]
        far, least = max(far, np.sqrt(dx * dx + dy * dy)), min(least, p.reach[k])
    for g in range(len(first)):
        i = first[g]
        own = c.rows[i]
        n, y, L = own.segments, own.vertical_offset, own.length * own.segments
        if not p.on[i]:
            continue
        # way: sum of the largest displacement of the control points, the displacement of points at an offset due to
        # rotation of the slopes, and the largest displacement of a circle
        q, q0 = read_axis(c, x, i), read_axis(c, start, i)
        ax, ay, bx, by = q[0] - q0[0], q[1] - q0[1], q[4] - q0[4], q[5] - q0[5]
        ux, uy, wx, wy = q[2] - q0[2], q[3] - q0[3], q[6] - q0[6], q[7] - q0[7]
        sx, sy, tx, ty = ax + ux * L / 3.0, ay + uy * L / 3.0, bx - wx * L / 3.0, by - wy * L / 3.0
        way = np.sqrt(max(ax * ax + ay * ay, bx * bx + by * by, sx * sx + sy * sy, tx * tx + ty * ty))
        # change of the slope between the control points
        mx, my = 3.0 * (tx - sx) / L, 3.0 * (ty - sy) / L
        bend = np.sqrt(max(ux * ux + uy * uy, wx * wx + wy * wy, mx * mx + my * my))
        way += abs(y) * min(2.0, 2.0 * bend) + far
        if way <= PASSING * least and 2.0 * least * n >= L:
            continue
        # upper bound of the distance of all points from the first node, at the start and at the end of the step
        dx, dy, ex, ey = q[4] - q[0], q[5] - q[1], q0[4] - q0[0], q0[5] - q0[1]
        size = L + np.sqrt(max(dx * dx + dy * dy, ex * ex + ey * ey)) + abs(y)
        for k in range(1, len(p.marker)):
            at, r = p.marker[k], p.reach[k]
            dx, dy = q[0] - place[at, 0], q[1] - place[at, 1]
            reach = size + r + 2.0 * way
            if p.member_set[k] != p.set_of[g] or dx * dx + dy * dy > reach * reach:
                continue
            # path of each point relative to the centre of the circle
            for j in range(n):
                s = relative_place(j, n)
                b = eval_point(shape(s, L), shape_slope(s, L), y, q0, q0)
                z = eval_point(shape(s, L), shape_slope(s, L), y, q, q)
                ax, ay, dx, dy = b.px - place0[at, 0], b.py - place0[at, 1], z.px - place[at, 0], z.py - place[at, 1]
                # gap quantities at the start of the step, then at the end of the step
                note_gap(trial, np.sqrt(ax * ax + ay * ay) - r, 0.0, 0.0)
                note_way(trial, r, ax, ay, 0.0)
                for a in range(START):
                    trial[START + a] = trial[a]
                note_gap(trial, np.sqrt(dx * dx + dy * dy) - r, 0.0, 0.0)
                note_way(trial, r, dx, dy, 0.0)
                # check whether the line between this point and the previous point has passed over the centre of the
                # circle
                if j > 0 and crosses(earlier, trial, j == 1, j == n - 1):
                    trial[MISSED] = r
                earlier[:] = trial
                if trial[MISSED] > row[MISSED]:
                    row[:] = trial
                    which[0], which[1] = i, k


def watch_circles(rows: LocalRows, p: PairRows, assign: Callable[[Evaluation], Any]) -> Gaps:
    """Create the `Gaps` of rows with circle sets. The function ``assign`` assigns the rows to their current circles."""
    c, fill = p.points, call(fill_point_gaps)
    gaps = watch_points(rows, c, FAMILY, spare=1)
    near = gaps.near
    assert near is not None

    def measure(s: Evaluation, m: Any, x: FloatArray, v: FloatArray, numbers: FloatArray) -> None:
        fill(c, m, s.data, x, v, s.size, numbers, near)

    return follow_sets(rows, gaps, p, c.rows["segments"], assign, measure, call(sweep_circles), "circle", "SetCircle")


def watch_points(rows: LocalRows, c: PointRows, circles: str, spare: int = 0) -> Gaps:
    """Create the `Gaps` of rows. The argument ``circles`` is the family of the markers of the circles. The arrays of
    gap quantities have ``spare`` additional elements.
    """
    numbers = create_numbers(int(c.rows["segments"].sum()) + spare)
    near = create_near(len(numbers))
    fill = call(fill_point_gaps, lambda s: (c, s.markers[circles], s.data, s.x, s.v, s.size, numbers, near))
    return Gaps(fill, numbers, name_points(rows, c.rows["segments"]), weighed=True, near=near)
