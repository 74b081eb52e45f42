"""Gaps between surfaces and points of cables, by which solvers see whether steps resolve contacts; see `Gaps`.

A point has missed its surface if it is outside of it at both ends of a step, has come from outside, within 70 degrees
of the normal, and lies inside somewhere on the straight way between.  The way is seen in the frame of the end.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from windlass.connectors.circle_points.gaps import follow_numbers
from windlass.connectors.circle_points.kernels import relative_place
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import eval_distance
from windlass.connectors.surface_contact.kernels import ContactRows, create_frame, eval_touch, gather, to_surface
from windlass.elements.cable2d.points import shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import GAP, MISSED, REACH, START, Gaps, X, Y, Z, create_numbers, note_gap
from windlass.framework.model.law import LocalRows

LOOKS = 32
"""Places on the way of a fast point at which its distance is looked at."""
HEAD_ON = 0.35
"""Cosine of the angle to the normal, from which a point comes from outside [1]."""


@kernel
def fill_surface_gaps(c: ContactRows, m: PositionColumns, x: FloatArray, v: FloatArray, numbers: FloatArray) -> None:
    """The numbers of all points, row after row; what is off, or beyond the end of its surface, is far away."""
    kind, geo, pieces, at = c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, 0
    for i in range(len(c.n)):
        n, s, rc, L = c.n[i], c.surface[i], c.rc[i], c.L[i] * c.n[i]
        if not c.active[i]:
            for k in range(n):
                numbers[at + k, GAP] = np.inf
            at += n
            continue
        o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, c.surfaces.marker[s])
        q, w = gather(x, c.dofs, i), gather(v, c.dofs, i)
        for k in range(n):
            z, row = eval_touch(o, shape(relative_place(k, n), L), q, w), numbers[at]
            h = eval_distance(kind, geo, pieces, s, z.X, z.Y, z.Z)
            at += 1
            # against the origin of the surface, which does not turn
            ex, ey, ez = (
                z.ex + o.wy * z.dz - o.wz * z.dy, z.ey + o.wz * z.dx - o.wx * z.dz, z.ez + o.wx * z.dy - o.wy * z.dx,
            )  # fmt: skip
            rate, speed = h.nx * z.U + h.ny * z.V + h.nz * z.W, sqrt(ex * ex + ey * ey + ez * ez)
            note_gap(row, h.phi - rc if h.there else np.inf, rate, speed)
            row[REACH], row[X], row[Y], row[Z] = 0.0, z.dx, z.dy, z.dz
            g0, g1 = row[START + GAP], row[GAP]
            if not (0.0 < g0 < np.inf and 0.0 < g1 < np.inf):
                continue
            ax, ay, az = to_surface(o, row[START + X], row[START + Y], row[START + Z])
            ex, ey, ez = z.X - ax, z.Y - ay, z.Z - az
            way = sqrt(ex * ex + ey * ey + ez * ez)
            # distances change no faster than the way
            if way <= g0 + g1:
                continue
            before = eval_distance(kind, geo, pieces, s, ax, ay, az)
            if -(ex * before.nx + ey * before.ny + ez * before.nz) < HEAD_ON * way:
                continue
            least = 0.0
            for j in range(1, LOOKS):
                share = j / LOOKS
                between = eval_distance(kind, geo, pieces, s, ax + share * ex, ay + share * ey, az + share * ez)
                if between.there:
                    least = min(least, between.phi - rc)
            row[MISSED] = row[REACH] = -least


def watch_surfaces(
    rows: LocalRows,
    c: ContactRows,
    family: str,
    assign: Callable[[Any], Any] | None = None,
    number: IntArray | None = None,
) -> Gaps:
    """The gaps of rows; ``assign`` and ``number`` as in `watch_points`."""
    numbers, kind, first = create_numbers(int(c.n.sum())), rows.table.kind, np.cumsum(c.n)

    def describe(k: int) -> str:
        row = int(np.searchsorted(first, k, side="right"))
        return f"point {k - int(first[row] - c.n[row])} of {kind} row {rows.rows[row]}"

    fill = call(fill_surface_gaps, lambda s: (c, s.markers[family], s.x, s.v, numbers))
    if assign is None or number is None:
        return Gaps(fill, numbers, describe, weighed=True)
    measure, accept = follow_numbers(numbers, c.n, number, assign, fill)
    return Gaps(measure, numbers, describe, weighed=True, accept=accept)
