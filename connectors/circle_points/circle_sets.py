"""Rows of laws in which cables can touch any circle of a set, and the search for circles near a cable, see
`contact/pair_search.py`. If points have an offset y from the axis, their motion exceeds the motion of the control
points by at most 2 |y|.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import eval_point, read_axis
from windlass.connectors.contact.pair_search import PairRows, PairSearch, create_assign, eval_hulls, eval_way
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.elements.cable.points import shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields


@kernel(inline=True)
def put_circle(p: PairRows, row: Any, number: int) -> None:
    """Write the marker and the radius of the circle ``number`` into the record of a row."""
    row.circle, row.radius = p.marker[number], p.reach[number]


_assign = create_assign(put_circle)


@kernel
def assign_circles(p: PairRows, data: FloatArray) -> None:
    """Assign each row to its circle, see `create_assign`."""
    _assign(p, data)


@kernel
def fill_pair_gaps(
    p: PairRows, rows: IntArray, number: IntArray, x: FloatArray, centre: FloatArray, out: FloatArray
) -> None:
    """Write the smallest gap [m] between the points of the row ``rows[k]`` and the circle ``number[k]`` into
    ``out[k]``, for each pair k.
    """
    c = p.points
    for k in range(len(rows)):
        i, m = rows[k], p.marker[number[k]]
        row = c.rows[i]
        n, q, least = row.segments, read_axis(c, x, i), np.inf
        for j in range(n):
            s = relative_place(j, n)
            z = eval_point(shape(s, row.length * n), shape_slope(s, row.length * n), row.vertical_offset, q, q)
            dx, dy = z.px - centre[m, 0], z.py - centre[m, 1]
            least = min(least, dx * dx + dy * dy)
        out[k] = np.sqrt(least) - p.reach[number[k]]


class CircleSearch(PairSearch):
    """The search for pairs of cables and circles."""

    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the control points [m] of the cables and the centres [m] of the circles."""
        c, own = self.p.points, self.p.points.rows[self.first]
        H = c.H[self.first] if len(c.H) else c.H
        hull = eval_hulls(fields.x, c.dofs[self.first, :8], own["length"] * own["segments"], H)
        return hull, fields.markers[CIRCLE_FAMILY].position[self.p.marker[1:], :2].copy()

    def eval_motion(self, hull: FloatArray, centre: FloatArray) -> float:
        """Return the sum [m] of the largest motion of a cable and the largest motion of a circle since the last
        search.
        """
        return eval_way(hull, self.hull) + eval_way(centre, self.centre)

    def eval_slack(self) -> float:
        """Return the largest difference [m] between the motion of points at an offset and the motion of the control
        points.
        """
        return 2.0 * float(self.eval_thickness().max(initial=0.0))

    def count_points(self) -> IntArray:
        """Return the number of points of each row, shape (rows,)."""
        n: IntArray = self.p.points.rows["segments"]
        return n

    def eval_thickness(self) -> FloatArray:
        """Return the distance [m] of the points of each group from the axis of the cable, shape (groups,)."""
        offset: FloatArray = self.p.points.rows["vertical_offset"][self.first]
        return np.abs(offset)

    def eval_gaps(self, fields: Fields, group: IntArray, number: IntArray) -> FloatArray:
        """For each pair, return the smallest gap [m] between a point and the circle, shape (pairs,)."""
        gap = np.empty(len(group))
        fill_pair_gaps(self.p, self.first[group], number, fields.x, fields.markers[CIRCLE_FAMILY].position, gap)
        return gap
