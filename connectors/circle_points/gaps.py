"""Gaps between circles and points of cables, by which solvers see whether steps resolve contacts; see `Gaps`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import PointColumns, eval_growth, eval_point, gather, relative_place
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.elements.cable2d.points import shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import GAP, START, Gaps, create_near, create_numbers, note_gap, note_way
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Evaluation

WAYS = 4.0
"""Ways of a cable in one step within which a circle is looked at [1]: half of them are what a step may pass."""


@kernel
def fill_point_gaps(
    c: PointColumns,
    circle: PositionColumns,
    data: FloatArray,
    x: FloatArray,
    v: FloatArray,
    size: FloatArray,
    numbers: FloatArray,
    near: IntArray,
) -> None:
    """The numbers of points, row after row; of rows that are off, or too far away for this step, none.

    size: of the step [s], shape (1,).
    """
    first, count, h, dofs = 0, 0, size[0], c.dofs
    for i in range(len(c.n)):
        n, r, y, ci = c.n[i], c.r[i] + eval_growth(c, i, data), c.offset[i], c.circle[i]
        at, first = first, first + n
        # the first node of the cable, and what may be nearer than that
        cx, cy, ux, uy = circle.p[ci, 0], circle.p[ci, 1], circle.v[ci, 0], circle.v[ci, 1]
        mx, my = x[dofs[i, 0]] - cx, x[dofs[i, 1]] - cy
        wx, wy, L = v[dofs[i, 0]] - ux, v[dofs[i, 1]] - uy, c.L[i] * n
        speed = np.sqrt(wx * wx + wy * wy)
        reach = r + abs(y) + 1.5 * L + WAYS * h * speed
        if not c.active[i] or mx * mx + my * my > reach * reach:
            continue
        q, w = gather(x, dofs, i), gather(v, dofs, i)
        for k in range(n):
            s = relative_place(k, n)
            z = eval_point(shape(s, L), shape_slope(s, L), y, q, w)
            dx, dy = z.px - cx, z.py - cy
            D, row = max(np.sqrt(dx * dx + dy * dy), 1e-300), numbers[at + k]
            note_gap(row, D - r, ((z.vx - ux) * dx + (z.vy - uy) * dy) / D, speed)
            note_way(row, r, dx, dy, 0.0)
            count += 1
            near[count] = at + k
    near[0] = count


def watch_points(
    rows: LocalRows,
    c: PointColumns,
    circles: str,
    assign: Callable[[Evaluation], Any] | None = None,
    number: IntArray | None = None,
) -> Gaps:
    """The gaps of rows; ``circles`` is the family of their markers.

    Args:
        assign: of sets, binds rows to the circles that they have now.
        number: the numbers of these, shape (rows,).
    """
    numbers, kind, first = create_numbers(int(c.n.sum())), rows.table.kind, np.cumsum(c.n)

    def describe(k: int) -> str:
        row = int(np.searchsorted(first, k, side="right"))
        return f"point {k - int(first[row] - c.n[row])} of {kind} row {rows.rows[row]}"

    near = create_near(len(numbers))
    fill = call(fill_point_gaps, lambda s: (c, s.markers[circles], s.data, s.x, s.v, s.size, numbers, near))
    if assign is None or number is None:
        return Gaps(fill, numbers, describe, weighed=True, near=near)
    measure, accept = follow_numbers(numbers, c.n, number, assign, fill)
    return Gaps(measure, numbers, describe, weighed=True, accept=accept, near=near)


def follow_numbers(
    numbers: FloatArray, n: IntArray, number: IntArray, assign: Callable[[Any], Any], fill: Callable[[Any], Any]
) -> tuple[Callable[[Any], None], Callable[[], None]]:
    """``measure`` and ``accept`` of `Gaps` for rows of n contacts each, which change what they touch.

    A row knows nothing of the start of the step where it touched something else.
    """
    known, found = np.full(len(n), -1), np.full(len(n), -1)

    def measure(s: Any) -> None:
        assign(s)
        found[:] = number
        numbers[np.repeat(found != known, n), START + GAP] = np.nan
        fill(s)

    def accept() -> None:
        known[:] = found

    return measure, accept
