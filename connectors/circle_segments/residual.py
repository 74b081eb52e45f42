"""Contact forces between circles and segments of cables. The forces are explained in `kernels.py`, and the evaluation
of several segments at once is explained in `lanes.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_segments.kernels import SegmentRows
from windlass.connectors.circle_segments.lanes import (
    GENERAL,
    LOWERED,
    PLAIN,
    SEGMENT_LANES,
    eval_forces,
    eval_turns,
    gather_lanes,
    list_closed,
)
from windlass.connectors.contact.circles import add_sums
from windlass.connectors.markers.cable_shape import ShapeMarkers
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES

RowSums = tuple[float, float, float, float, float, float, float, float, float, float, float]
NO_SUMS: RowSums = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""Initial sums of a row: forces on r and r' of both nodes (8), and the force (2) and torque whose reactions act on the
circle.
"""


@kernel(inline=True)
def put_sums(c: SegmentRows, i: int, circle: PositionMarkers, sums: RowSums, f: FloatArray) -> None:
    """Add to f the contact forces of row i that result from ``sums``, see `NO_SUMS`."""
    r0x, r0y, s0x, s0y, r1x, r1y, s1x, s1y, sum_x, sum_y, torque = sums
    add_sums(c, i, circle, (r0x, r0y, s0x, s0y, r1x, r1y, s1x, s1y), sum_x, sum_y, torque, f)


@kernel(inline=True)
def add_lanes(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, rows: IntArray, numbers: IntArray, first: int,
    count: int, g: Any, last: int, sums: RowSums, f: FloatArray,
) -> tuple[int, RowSums]:  # fmt: skip
    """Add the forces of the segments in the first lanes (``forces`` and ``turns``) to the sums of their rows. If all
    segments of a row have been added, add the sums of this row to f.

    The argument ``last`` is the row of the previous segment, or -1 if there is no previous segment. The argument
    ``sums`` contains the sums of this row. The function returns the row of the last segment in the lanes and the sums
    of this row.
    """
    r0x, r0y, s0x, s0y, r1x, r1y, s1x, s1y, sum_x, sum_y, torque = sums
    for k in range(count):
        i = rows[first + k]
        if i != last:
            if last >= 0:
                add_sums(c, last, circle, (r0x, r0y, s0x, s0y, r1x, r1y, s1x, s1y), sum_x, sum_y, torque, f)
            r0x, r0y, s0x, s0y, r1x, r1y, s1x, s1y = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            sum_x, sum_y, torque = 0.0, 0.0, 0.0
        row = c.rows[i]
        last, y, S, D = i, shape.offset[row.cable], shape.shape_functions, shape.shape_derivatives
        # forces on both end points, distributed by their shape functions
        for end in range(2):
            j = shape.start[row.cable] + numbers[first + k] + end
            fx, fy = g.forces[2 * end, k], g.forces[2 * end + 1, k]
            sum_x += fx
            sum_y += fy
            r0x, r0y, s0x, s0y = r0x + S[j, 0] * fx, r0y + S[j, 0] * fy, s0x + S[j, 1] * fx, s0y + S[j, 1] * fy
            r1x, r1y, s1x, s1y = r1x + S[j, 2] * fx, r1y + S[j, 2] * fy, s1x + S[j, 3] * fx, s1y + S[j, 3] * fy
            # at an offset from the axis, the force also acts on the slopes, with the offset as lever arm
            if y != 0.0:
                hx, hy = g.turns[2 * end, k], g.turns[2 * end + 1, k]
                r0x, r0y, s0x, s0y = r0x + D[j, 0] * hx, r0y + D[j, 0] * hy, s0x + D[j, 1] * hx, s0y + D[j, 1] * hy
                r1x, r1y, s1x, s1y = r1x + D[j, 2] * hx, r1y + D[j, 2] * hy, s1x + D[j, 3] * hx, s1y + D[j, 3] * hy
        torque += row.radius * g.ft[k]
    return last, (r0x, r0y, s0x, s0y, r1x, r1y, s1x, s1y, sum_x, sum_y, torque)


@kernel
def add_residual(c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray, f: FloatArray) -> None:
    """Add the contact forces of all rows, with the sign of the left-hand side of the equations of motion, to f."""
    lanes = np.zeros(1, SEGMENT_LANES)
    rows, numbers, total = list_closed(c, data)
    last, sums = -1, NO_SUMS
    for first in range(0, total, LANES):
        count, g = min(LANES, total - first), lanes[0]
        case = gather_lanes(c, shape, circle, data, rows, numbers, first, count, g)
        if case == PLAIN:
            eval_forces(PLAIN, g)
        elif case == LOWERED:
            eval_forces(LOWERED, g)
        else:
            eval_forces(GENERAL, g)
        eval_turns(count, g)
        last, sums = add_lanes(c, shape, circle, rows, numbers, first, count, g, last, sums, f)
    if last >= 0:
        put_sums(c, last, circle, sums, f)
