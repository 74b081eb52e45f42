"""Kernel that updates the contact states of a circle with points of a cable of a winch rope after each Newton run.

The symbols are explained in `winch_kernels.py`. Gaps and errors are explained in `contact/update.py`. Each point has
its own bristle. If a point was closed at the start of the step, its deflection b is measured from its anchor and from
l_0 at the start of the step. If a point has just touched, its deflection is 0. A point slips if |mu_v v_t + mu_k (r/D)
b| > mu |f_n|. For a slipping point, b is set to the value at which bristle and damper together exert mu |f_n|. The new
anchor is r α - b, and l_0 is l.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from windlass.connectors.circle_points.kernels import arc_position
from windlass.connectors.circle_points.winch_kernels import (
    WinchRows,
    count_winch_points,
    eval_winch_place,
    read_winch_row,
)
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.contact.decisions import decide_along, find_limit
from windlass.connectors.contact.update import NO_LANES, create_update, place_type, point_values
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

POINT = place_type("arc", "way", "drag", "h", "limit")
"""Type of the record of a point in an update. The fields ``arc``, ``way``, ``drag``, ``h`` and ``limit`` are r α [m],
(r/D) (t.T) a [1], mu_v v_t [N], mu_k r/D [N/m] and mu |f_n| [N].
"""


@kernel(inline=True)
def find_values(row: Any, k: int) -> tuple[int, int, float]:
    """Return the indices of the gap and of the state of point k among the history values, and the normal stiffness of
    the point [N/m], see `create_update`.
    """
    at_gap, at_state, _ = point_values(row, k, row.segments)
    return at_gap, at_state, row.stiffness * row.rope


@kernel(inline=True)
def measure(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    rows: IntArray, number: int, lanes: NDArray[Any], places: NDArray[Any],
) -> None:  # fmt: skip
    """Evaluate the points of a row, see `create_update`."""
    i = rows[number]
    row, r = c.rows[i], read_winch_row(c, circle, start, x, v, i)
    row.rope = r.l
    for k in range(row.segments):
        p, z = places[k], eval_winch_place(row, r, k, UNDEFINED, 0.0)
        p.gap, p.fn, p.way = z.D - r.radius, z.fn, z.way
        p.arc = arc_position(r.o, z.px - r.o.cx, z.py - r.o.cy, r.radius)
        p.drag, p.h = r.law.friction_velocity_penalty * z.vt, r.law.friction_stiffness * r.radius / z.D
        p.limit = find_limit(r.law.friction_coefficient, z.fn)


@kernel(inline=True)
def decide_states(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, commits: bool, i: int, number: int, places: NDArray[Any],
) -> tuple[float, float, bool]:  # fmt: skip
    """Determine the states of the points of a row. Store the anchors of the points and the length l_0, see
    `create_update`.
    """
    row = c.rows[i]
    n, first, l = row.segments, row.data, x[c.dofs[i, 8]]
    rubs = row.friction_coefficient != 0.0 and (row.bristle != 0.0 or row.rubbing != 0.0)
    paid = l - start[first + 3 * n]
    for k in range(n):
        p, bend = places[k], 0.0
        p.state, p.excess = UNDEFINED, 0.0
        if not rubs or p.gap > 0.0:
            continue
        if row.bristle != 0.0 and start[first + n + k] == UNDEFINED:
            # the damper of a new bristle has no effect in this step
            p.drag = 0.0
        elif row.bristle != 0.0:
            bend = wrap(p.arc - start[first + 2 * n + k], row.radius) + p.way * paid
        data[first + 2 * n + k] = p.arc - decide_along(p, bend)
    data[first + 3 * n] = l
    return 0.0, 0.0, False


_update = create_update(count_winch_points, find_values, POINT, NO_LANES, measure, decide_states)


@kernel
def update_history(
    c: WinchRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update all rows, see `create_update`."""
    _update(c, circle, data, start, x, v, size, mapped, commits, outcome)
