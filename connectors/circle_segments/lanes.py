"""Segments side by side, one in each lane of the processor's vector instructions.

See docs/explanation/design.md, Lanes.

Closed segments of all rows are gathered until the lanes are full; one loop without branches evaluates them, and the
caller reads the results lane by lane.  The loop reads and writes only a small array g, by row and lane; the constants
below name its rows.  Unused lanes keep their old values; their results are not read.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_segments.arctangent import wrap
from windlass.connectors.circle_segments.kernels import (
    Chord,
    Disc,
    Four,
    SegmentParameters,
    SegmentRows,
    create_chord,
    eval_friction,
    eval_rates,
    force_normals,
    lower_chord,
    place_on_circle,
    touches,
)
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.cable_shape import ShapeColumns
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

LANES = 8
"""Segments side by side."""
ENDS, RATES, SLOPES, ROTATION, STATE, STICK = 0, 4, 8, 25, 30, 31
"""First rows of given data: end points and their velocities, both relative to the centre; r' at both; omega and A;
history values."""
KC, DC, MU_V, MU_K, MU, RADIUS, LENGTH, FADE, SEGMENT_NORMALS, CLIP, CURRENT, SHIFT, OFFSET = range(12, 25)
"""Rows of the `SegmentParameters`."""
FORCES, FT = 32, 36
"""Rows of results for forces: the forces on both end points, x and y, and f_t."""
VT, FN, PLACE, D_RHO = range(32, 36)
"""Rows of results for updates: v_t, f_n, and x_cur with its derivative with respect to rho."""
SIZE = 37
PLAIN, LOWERED, GENERAL = 0, 1, 2
"""Cases for which the loops are compiled separately: PLAIN has segment normals, no depth over which damping fades in,
and sticking positions on the segments themselves; LOWERED has sticking positions on the axis below them; GENERAL covers
all."""

# Functions are called for all lanes together, as each call counts references to all arrays that it is given.


@kernel(inline=True)
def list_closed(c: SegmentRows, data: FloatArray) -> tuple[IntArray, IntArray, int]:
    """The closed segments of active rows, by row and number in the row, and their count."""
    most = 1
    for i in range(len(c.rows)):
        most += c.rows[i].segments
    rows, numbers, count = np.empty(most, np.int64), np.empty(most, np.int64), 0
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first = row.segments, row.data
        if row.active and touches(data, first, n):
            for s in range(n):
                # written in any case, and counted if it is closed
                rows[count], numbers[count] = i, s
                count += data[first + s] <= 0.0
    return rows, numbers, count


@kernel(inline=True)
def gather_lanes(
    c: SegmentRows,
    shape: ShapeColumns,
    circle: PositionColumns,
    data: FloatArray,
    rows: IntArray,
    numbers: IntArray,
    first: int,
    count: int,
    g: FloatArray,
) -> int:
    """Copy some listed segments to the first lanes; gives the case that covers all of them."""
    case = PLAIN
    for k in range(count):
        s, row = numbers[first + k], c.rows[rows[first + k]]
        ci, m, at = row.circle, row.cable, row.data + s
        j = shape.start[m] + s
        cx, cy, vx, vy, y = circle.p[ci, 0], circle.p[ci, 1], circle.v[ci, 0], circle.v[ci, 1], shape.offset[m]
        # end points and their velocities, relative to the centre
        g[ENDS, k], g[ENDS + 1, k] = shape.p[j, 0] - cx, shape.p[j, 1] - cy
        g[ENDS + 2, k], g[ENDS + 3, k] = shape.p[j + 1, 0] - cx, shape.p[j + 1, 1] - cy
        g[RATES, k], g[RATES + 1, k] = shape.v[j, 0] - vx, shape.v[j, 1] - vy
        g[RATES + 2, k], g[RATES + 3, k] = shape.v[j + 1, 0] - vx, shape.v[j + 1, 1] - vy
        # parameters of the row, see `SegmentParameters`
        g[KC, k], g[DC, k] = row.contact_stiffness, row.contact_damping
        g[MU_V, k], g[MU_K, k] = row.friction_velocity_penalty, row.friction_stiffness
        g[MU, k], g[RADIUS, k], g[LENGTH, k], g[FADE, k] = (
            row.friction_coefficient,
            row.radius,
            row.length,
            row.damping_depth,
        )
        g[SEGMENT_NORMALS, k], g[CLIP, k], g[CURRENT, k] = (
            row.use_segment_normals,
            row.clip_normal_force,
            row.is_current,
        )
        g[SHIFT, k], g[OFFSET, k] = row.shift, y
        # rotation of the circle
        g[ROTATION, k], g[ROTATION + 1, k] = circle.omega[ci, 2], circle.A[ci, 0, 0]
        g[ROTATION + 2, k], g[ROTATION + 3, k] = circle.A[ci, 0, 1], circle.A[ci, 1, 0]
        g[ROTATION + 4, k] = circle.A[ci, 1, 1]
        # history, and r' where the line has an offset from the axis
        g[STATE, k], g[STICK, k] = UNDEFINED, 0.0
        if c.friction:
            g[STATE, k], g[STICK, k] = data[at + row.segments], data[at + 2 * row.segments]
        if y != 0.0:
            g[SLOPES, k], g[SLOPES + 1, k] = shape.slope[j, 0], shape.slope[j, 1]
            g[SLOPES + 2, k], g[SLOPES + 3, k] = shape.slope[j + 1, 0], shape.slope[j + 1, 1]
        # the most general case that any segment needs
        if row.damping_depth != 0.0 or not row.use_segment_normals:
            case = GENERAL
        elif y != 0.0 and row.is_current:
            case = max(case, LOWERED)
    return case


@kernel(inline=True)
def read_lane_parameters(case: int, k: int, g: FloatArray) -> SegmentParameters:
    """The parameters of lane k."""
    fade, y = g[FADE, k] if case == GENERAL else 0.0, 0.0 if case == PLAIN else g[OFFSET, k]
    along = case != GENERAL or g[SEGMENT_NORMALS, k] != 0.0
    return SegmentParameters(
        g[KC, k], g[DC, k], g[MU_V, k], g[MU_K, k], g[MU, k], g[RADIUS, k], g[LENGTH, k], fade,
        along, g[CLIP, k] != 0.0, g[CURRENT, k] != 0.0, g[SHIFT, k], y,
    )  # fmt: skip


@kernel(inline=True)
def read_chord(k: int, g: FloatArray) -> Chord:
    """The segment of lane k."""
    return create_chord(g[ENDS, k], g[ENDS + 1, k], g[ENDS + 2, k], g[ENDS + 3, k])


@kernel(inline=True)
def read_pose(k: int, g: FloatArray) -> Disc:
    """The rotation of the circle of lane k, seen from its centre."""
    turn = ROTATION
    return Disc(
        0.0, 0.0, 0.0, 0.0, g[turn, k], g[turn + 1, k], g[turn + 2, k], g[turn + 3, k], g[turn + 4, k]
    )  # fmt: skip


@kernel(inline=True)
def read_four(row: int, k: int, g: FloatArray) -> Four:
    """Four numbers of lane k."""
    return g[row, k], g[row + 1, k], g[row + 2, k], g[row + 3, k]


@kernel(inline=True)
def find_place(par: SegmentParameters, o: Disc, h: Chord, case: int, k: int, g: FloatArray) -> tuple[float, float]:
    """x_cur [m] of lane k and its derivative with respect to rho [m]."""
    z = h
    if case != PLAIN:
        # without an offset slopes are not filled and `below` is NaN, which is not used
        below = lower_chord(read_four(SLOPES, k, g), par.vertical_offset, h)
        z = below if par.is_current and par.vertical_offset != 0.0 else h
    x, d_rho, _ = place_on_circle(par, o, z)
    return x, d_rho


@kernel(inline=True)
def eval_forces(case: int, g: FloatArray) -> None:
    """The forces of all lanes, in a case that covers them."""
    for k in range(LANES):
        par, o, h, state = read_lane_parameters(case, k, g), read_pose(k, g), read_chord(k, g), g[STATE, k]
        _, vt, fn = eval_rates(par, o, h, read_four(RATES, k, g))
        x, _ = find_place(par, o, h, case, k, g)
        bristle = wrap(x - g[STICK, k], par.radius) if state == STICKS and par.friction_stiffness != 0.0 else 0.0
        ft = eval_friction(par, state, vt, bristle, fn)
        n0x, n0y, n1x, n1y = force_normals(par, h)
        rho = h.rho
        g[FORCES, k], g[FORCES + 1, k] = (1.0 - rho) * (fn * n0x - ft * n0y), (1.0 - rho) * (fn * n0y + ft * n0x)
        g[FORCES + 2, k], g[FORCES + 3, k] = rho * (fn * n1x - ft * n1y), rho * (fn * n1y + ft * n1x)
        g[FT, k] = ft


@kernel(inline=True)
def eval_places(case: int, g: FloatArray) -> None:
    """v_t, f_n, x_cur and its derivative with respect to rho of all lanes, in a case that covers them."""
    for k in range(LANES):
        par, o, h = read_lane_parameters(case, k, g), read_pose(k, g), read_chord(k, g)
        _, vt, fn = eval_rates(par, o, h, read_four(RATES, k, g))
        x, d_rho = find_place(par, o, h, case, k, g)
        g[VT, k], g[FN, k], g[PLACE, k], g[D_RHO, k] = vt, fn, x, d_rho
