"""Gaps between circles and the segments of cables, by which solvers see whether steps resolve contacts; see `Gaps`.

The rate is that of the gap at the closest point, the speed is that of the cable relative to the centre of the circle.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_segments.kernels import ContactColumns
from windlass.connectors.markers.cable_shape import ShapeColumns
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import Gaps, create_near, create_numbers, note_gap, note_way
from windlass.framework.model.law import LocalRows

WAYS = 4.0
"""Ways of a cable in one step within which a circle is looked at [1]: half of them are what a step may pass."""


@kernel
def fill_segment_gaps(
    c: ContactColumns,
    shape: ShapeColumns,
    circle: PositionColumns,
    size: FloatArray,
    numbers: FloatArray,
    near: IntArray,
) -> None:
    """The numbers of segments, row after row; of rows that are off, or too far away for this step, none.

    size: of the step [s], shape (1,).
    """
    first, count, p, v, h = 0, 0, shape.p, shape.v, size[0]
    for i in range(len(c.n)):
        ci, j0, r, n = c.circle[i], shape.start[c.cable[i]], c.r[i], c.n[i]
        at, first = first, first + n
        # the middle of the cable, and what may be nearer than that
        cx, cy, jm = circle.p[ci, 0], circle.p[ci, 1], j0 + n // 2
        mx, my = p[jm, 0] - cx, p[jm, 1] - cy
        ux, uy = v[jm, 0] - circle.v[ci, 0], v[jm, 1] - circle.v[ci, 1]
        speed = np.sqrt(ux * ux + uy * uy)
        reach = r + c.L[i] * n + WAYS * h * speed
        if not c.active[i] or mx * mx + my * my > reach * reach:
            continue
        ux, uy = circle.v[ci, 0], circle.v[ci, 1]
        for s in range(n):
            ax, ay = p[j0 + s, 0] - cx, p[j0 + s, 1] - cy
            ex, ey = p[j0 + s + 1, 0] - cx - ax, p[j0 + s + 1, 1] - cy - ay
            # the closest point and its velocity
            E = ex * ex + ey * ey
            rho = min(max(-(ex * ax + ey * ay) / E, 0.0), 1.0) if E > 0.0 else 0.0
            wx, wy = ax + rho * ex, ay + rho * ey
            D = max(np.sqrt(wx * wx + wy * wy), 1e-300)
            zx = v[j0 + s, 0] + rho * (v[j0 + s + 1, 0] - v[j0 + s, 0]) - ux
            zy = v[j0 + s, 1] + rho * (v[j0 + s + 1, 1] - v[j0 + s, 1]) - uy
            row = numbers[at + s]
            note_gap(row, D - r, (zx * wx + zy * wy) / D, speed)
            note_way(row, r, wx, wy, 0.0)
            count += 1
            near[count] = at + s
    near[0] = count


def watch_segments(rows: LocalRows, c: ContactColumns, shapes: str, circles: str) -> Gaps:
    """The gaps of rows; ``shapes`` and ``circles`` are families of markers."""
    numbers, kind, first = create_numbers(int(c.n.sum())), rows.table.kind, np.cumsum(c.n)

    def describe(k: int) -> str:
        row = int(np.searchsorted(first, k, side="right"))
        return f"segment {k - int(first[row] - c.n[row])} of {kind} row {rows.rows[row]}"

    near = create_near(len(numbers))
    measure = call(fill_segment_gaps, lambda s: (c, s.markers[shapes], s.markers[circles], s.size, numbers, near))
    return Gaps(measure, numbers, describe, weighed=True, near=near)
