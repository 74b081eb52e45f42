"""Forces of the contact of circles with points of cables. Several rows are evaluated at once; see `kernels.py`."""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_points.kernels import PointRows
from windlass.connectors.circle_points.lanes import (
    POINT_LANES,
    add_forces,
    finish_bristles,
    gather_history,
    gather_rows,
    sum_bristles,
)
from windlass.connectors.circle_segments.kernels import add_sums
from windlass.connectors.contact.lanes import read_eight
from windlass.connectors.contact.update import touches
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES


@kernel
def add_residual(
    c: PointRows, circle: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the contact forces of all rows on the left-hand side of the equations of motion to f, for coordinates x and
    velocities v.
    """
    lanes, rows, total = np.zeros(1, POINT_LANES), np.empty(len(c.rows), np.int64), 0
    for i in range(len(c.rows)):
        row = c.rows[i]
        if row.active and touches(data, row.data, row.segments):
            rows[total] = i
            total += 1
    for first in range(0, total, LANES):
        count, g = min(LANES, total - first), lanes[0]
        most, offset, bristles = gather_rows(c, circle, data, x, v, rows, first, count, g)
        if bristles:
            for j in range(most):
                gather_history(c, data, rows, first, count, j, g)
                if offset:
                    sum_bristles(j, True, g)
                else:
                    sum_bristles(j, False, g)
            finish_bristles(g)
        for j in range(most):
            gather_history(c, data, rows, first, count, j, g)
            if offset:
                add_forces(j, True, g)
            else:
                add_forces(j, False, g)
        for k in range(count):
            forces = read_eight(g.forces, k)
            add_sums(c, rows[first + k], circle, forces, g.load[0, k], g.load[1, k], g.load[2, k], f)
