"""Kernel that updates the contact states of ribbons on surfaces between Newton runs; see `update.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.law import read_law
from windlass.connectors.contact.update import create_update
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import eval_distance
from windlass.connectors.surface_contact.kernels import ContactRows, create_frame, gather
from windlass.connectors.surface_contact.ribbon_kernels import eval_ribbon
from windlass.connectors.surface_contact.update import NO_LANES, POINT, count_points, decide_states, note_point
from windlass.elements.cable3d.twist_points import COUNT, read_coordinates, twist_angle
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def measure(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    rows: IntArray, number: int, lanes: NDArray[Any], places: NDArray[Any],
) -> None:  # fmt: skip
    """Evaluate g, f_n and u_t of the points of a row, with the anchors at the start of the step."""
    i = rows[number]
    row = c.rows[i]
    n, first, s, law = row.points, row.data, row.surface, read_law(row, 0.0)
    o = create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, c.surfaces.marker[s])
    q, w, L = gather(x, c.dofs, i), gather(v, c.dofs, i), row.length * n
    y, yt, sigma = np.empty(COUNT), np.empty(COUNT), np.empty(COUNT)
    read_coordinates(row.dofs, 1.0 / L, x, y)
    read_coordinates(row.dofs, 1.0 / L, v, yt)
    twist = twist_angle(row, y)
    for k in range(n):
        z = eval_ribbon(o, row, k, q, w, y, yt, twist, sigma).lever
        h = eval_distance(c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, s, z.X, z.Y, z.Z)
        note_point(law, row, h, z, start, first, k, places[k])


_update = create_update(count_points, POINT, NO_LANES, measure, decide_states)


@kernel
def update_ribbon_history(
    c: ContactRows, m: PositionColumns, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update all rows, see `create_update`."""
    _update(c, m, data, start, x, v, size, mapped, commits, outcome)
