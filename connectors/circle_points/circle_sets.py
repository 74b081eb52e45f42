"""Rows of laws in which cables may touch any circle of a set, and the search for circles near a cable; see
`contact/pair_search.py`.

A cable lies within the convex hull of the control points of its cubic: r0, r0 + L/3 r'0, r1 - L/3 r'1, r1. Therefore no
point of the axis moves farther than the control point with the largest motion. The motion of points at an offset y from
the axis is larger by at most 2 |y|.

Source: control points: G. Farin, Curves and Surfaces for CAGD, Morgan Kaufmann (2002), chapter 4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_points.kernels import PointRows, eval_point, gather
from windlass.connectors.contact.pair_search import PairSearch
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.elements.cable2d.points import shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields


class PairColumns(NamedTuple):
    """Data of the rows of a law with circle sets."""

    # data for the kernels of the law; the history values determine the fields ``circle``, ``radius`` and ``active`` and
    # the coordinates of the circle in ``dofs``
    points: PointRows
    on: NDArray[np.bool_]  # whether a row is switched on, shape (rows,)
    number: IntArray  # current circle of each row, counted from 1, 0 without circle, -1 initially, shape (rows,)
    place: IntArray  # index of the history value that contains the circle of each row, shape (rows,)
    group: IntArray  # group of each row; the rows of one cable and one set are a group, shape (rows,)
    set_of: IntArray  # set of each group, shape (groups,)
    marker: IntArray  # index of the marker of each circle, shape (circles + 1,); element 0: no circle
    radius: FloatArray  # radius of each circle [m], shape (circles + 1,)
    dofs: IntArray  # local coordinate indices of each circle, shape (circles + 1, m)
    circle_set: IntArray  # set of each circle, shape (circles + 1,)
    skin: FloatArray  # search margin of each set [m]


@kernel
def assign_pairs(p: PairColumns, data: FloatArray) -> bool:
    """Assign each row to the circle whose index is stored in its history values. Return whether the circle of any row
    has changed.
    """
    changed, c = False, p.points
    for i in range(len(p.number)):
        number = int(data[p.place[i]])
        if number == p.number[i]:
            continue
        changed = True
        p.number[i] = number
        row = c.rows[i]
        row.circle, row.radius, row.active = p.marker[number], p.radius[number], p.on[i] and number > 0
        for a in range(p.dofs.shape[1]):
            c.dofs[i, 8 + a] = p.dofs[number, a]
    return changed


@kernel
def fill_hulls(c: PointRows, rows: IntArray, x: FloatArray, hull: FloatArray) -> None:
    """Write the control points [m] of the cables of the given rows into ``hull``, shape (rows, 8)."""
    for k in range(len(rows)):
        i = rows[k]
        row = c.rows[i]
        q, third = gather(x, c.dofs, i), row.length * row.segments / 3.0
        hull[k, 0], hull[k, 1], hull[k, 6], hull[k, 7] = q[0], q[1], q[4], q[5]
        hull[k, 2], hull[k, 3] = q[0] + third * q[2], q[1] + third * q[3]
        hull[k, 4], hull[k, 5] = q[4] - third * q[6], q[5] - third * q[7]


@kernel
def find_motion(
    c: PointRows,
    rows: IntArray,
    x: FloatArray,
    hull: FloatArray,
    position: FloatArray,
    marker: IntArray,
    start: FloatArray,
) -> float:
    """Return the sum of two motions [m]: the largest motion of a cable since its hull was stored, and the largest
    motion of a circle since its centre was stored."""
    now, cables, circles = np.empty((1, 8)), 0.0, 0.0
    for k in range(len(rows)):
        fill_hulls(c, rows[k : k + 1], x, now)
        for a in range(4):
            dx, dy = now[0, 2 * a] - hull[k, 2 * a], now[0, 2 * a + 1] - hull[k, 2 * a + 1]
            cables = max(cables, dx * dx + dy * dy)
    for k in range(len(marker)):
        dx, dy = position[marker[k], 0] - start[k, 0], position[marker[k], 1] - start[k, 1]
        circles = max(circles, dx * dx + dy * dy)
    return float(np.sqrt(cables) + np.sqrt(circles))


@kernel
def fill_pair_gaps(
    p: PairColumns, rows: IntArray, number: IntArray, x: FloatArray, centre: FloatArray, out: FloatArray
) -> None:
    """Write the smallest gap between the points of each row and the circle ``number`` [m] into ``out``, shape
    (pairs,).
    """
    c = p.points
    for k in range(len(rows)):
        i, m = rows[k], p.marker[number[k]]
        row = c.rows[i]
        n, q, least = row.segments, gather(x, c.dofs, i), np.inf
        for j in range(n):
            s = relative_place(j, n)
            z = eval_point(shape(s, row.length * n), shape_slope(s, row.length * n), row.vertical_offset, q, q)
            dx, dy = z.px - centre[m, 0], z.py - centre[m, 1]
            least = min(least, dx * dx + dy * dy)
        out[k] = np.sqrt(least) - p.radius[number[k]]


class CircleSearch(PairSearch):
    """The search for pairs of cables and circles."""

    def eval_motion(self, fields: Fields) -> float:
        """Return the sum of the largest motions of a cable and of a circle since the last search [m]."""
        p, position = self.p, fields.markers[CIRCLE_FAMILY].p
        return find_motion(p.points, self.first, fields.x, self.hull, position, p.marker[1:], self.centre)

    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the control points of the cables and centres of the circles [m]."""
        hull, centre = np.zeros((len(self.first), 8)), fields.markers[CIRCLE_FAMILY].p[self.p.marker[1:], :2].copy()
        fill_hulls(self.p.points, self.first, fields.x, hull)
        return hull, centre

    def eval_slack(self) -> float:
        """Return the largest distance by which the motion of points at an offset exceeds the motion of the control
        points [m].
        """
        return 2.0 * float(np.abs(self.p.points.rows["vertical_offset"]).max(initial=0.0))

    def find_near(self, fields: Fields) -> tuple[IntArray, IntArray, FloatArray]:
        """Return group of rows, circle and gap [m] of each pair closer than the skin, shape (pairs,) each."""
        p, thick = self.p, np.abs(self.p.points.rows["vertical_offset"][self.first])
        hull = self.hull.reshape(-1, 4, 2)
        group, number = self.find_candidates(hull, thick, self.centre, p.radius[1:], p.circle_set[1:])
        gap = np.empty(len(group))
        fill_pair_gaps(p, self.first[group], number, fields.x, fields.markers[CIRCLE_FAMILY].p, gap)
        near = gap < p.skin[p.set_of[group]]
        return group[near], number[near], gap[near]
