"""Rows of points side by side, one in each lane of the processor's vector instructions.

See docs/explanation/design.md, Lanes.

Eight rows go together, point after point: their coordinates are gathered once into a small array g, by row and lane,
whose rows the constants below name.  Missing values, such as points of shorter rows, count as 0.
"""

from __future__ import annotations

from windlass.connectors.circle_points.kernels import (
    PRESS,
    AxisPoint,
    PointColumns,
    PointParameters,
    arc_position,
    eval_contact,
    eval_growth,
    eval_point,
    relative_place,
)
from windlass.connectors.circle_segments.arctangent import wrap
from windlass.connectors.circle_segments.kernels import Disc, Eight
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.cable_shape import eval_offset_force
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.elements.cable2d.points import Four, shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

LANES = 8
"""Rows side by side."""
COORDINATES, VELOCITIES, LENGTH, OFFSET, COUNT, POSE = 0, 8, 24, 25, 26, 27
"""First rows of the given data: 8 coordinates and their rates, L, y, n, those of `Disc`."""
KC, DC, MU_V, MU_K, MU, RADIUS, CLIP, GROWN = range(16, 24)
"""Rows of the `PointParameters`."""
CLOSED, STATE, ANCHOR = 36, 37, 38
"""Of the present point: 1 if it counts, else 0, and its history values."""
BEND, STICKING, TOUCHING = 39, 40, 41
"""Bend of the bristles, and numbers of points that stick and that are closed and have friction."""
FORCES, CIRCLE = 42, 50
"""Results: 8 forces on the coordinates; force and torque of the cable."""
DISTANCE, FN, VT, ARC = range(42, 46)
"""Results of the present point for updates: D, f_n, v_t, r alpha."""
SIZE = 53


@kernel(inline=True)
def gather_rows(
    c: PointColumns,
    circle: PositionColumns,
    data: FloatArray,
    x: FloatArray,
    v: FloatArray,
    rows: IntArray,
    first: int,
    count: int,
    g: FloatArray,
) -> tuple[int, bool, bool]:
    """Bring listed rows to the first lanes; most points of one, and whether any has an offset and bristles."""
    most, offset, bristles = 0, False, False
    for k in range(count):
        i = rows[first + k]
        ci = c.circle[i]
        for a in range(8):
            g[COORDINATES + a, k], g[VELOCITIES + a, k] = x[c.dofs[i, a]], v[c.dofs[i, a]]
        g[KC, k], g[DC, k], g[MU_V, k], g[MU_K, k] = c.kc[i], c.dc[i], c.mu_v[i], c.mu_k[i]
        g[MU, k], g[RADIUS, k], g[CLIP, k], g[GROWN, k] = c.mu[i], c.r[i], c.clip[i], eval_growth(c, i, data, PRESS)
        g[LENGTH, k], g[OFFSET, k], g[COUNT, k] = c.L[i] * c.n[i], c.offset[i], c.n[i]
        g[POSE, k], g[POSE + 1, k] = circle.p[ci, 0], circle.p[ci, 1]
        g[POSE + 2, k], g[POSE + 3, k], g[POSE + 4, k] = circle.v[ci, 0], circle.v[ci, 1], circle.omega[ci, 2]
        g[POSE + 5, k], g[POSE + 6, k] = circle.A[ci, 0, 0], circle.A[ci, 0, 1]
        g[POSE + 7, k], g[POSE + 8, k] = circle.A[ci, 1, 0], circle.A[ci, 1, 1]
        most = max(most, c.n[i])
        offset |= c.offset[i] != 0.0
        bristles |= c.mu[i] != 0.0 and c.mu_k[i] != 0.0
    for row in range(BEND, SIZE):
        for k in range(LANES):
            g[row, k] = 0.0
    return most, offset, bristles


@kernel(inline=True)
def gather_history(
    c: PointColumns, data: FloatArray, rows: IntArray, first: int, count: int, j: int, g: FloatArray
) -> None:
    """Bring the history values of point j of listed rows to the first lanes."""
    for k in range(LANES):
        g[CLOSED, k] = 0.0
    for k in range(count):
        i = rows[first + k]
        n, at = c.n[i], c.data[i] + j
        if j < n:
            g[CLOSED, k], g[STATE, k], g[ANCHOR, k] = data[at] <= 0.0, data[at + n], data[at + 2 * n]


@kernel(inline=True)
def read_lane_parameters(k: int, g: FloatArray) -> PointParameters:
    """The parameters of lane k."""
    return PointParameters(
        g[KC, k], g[DC, k], g[MU_V, k], g[MU_K, k], g[MU, k], g[RADIUS, k], g[CLIP, k] != 0.0, g[GROWN, k]
    )


@kernel(inline=True)
def read_pose(k: int, g: FloatArray) -> Disc:
    """The circle of lane k."""
    return Disc(
        g[POSE, k], g[POSE + 1, k], g[POSE + 2, k], g[POSE + 3, k], g[POSE + 4, k], g[POSE + 5, k], g[POSE + 6, k],
        g[POSE + 7, k], g[POSE + 8, k],
    )  # fmt: skip


@kernel(inline=True)
def read_eight(row: int, k: int, g: FloatArray) -> Eight:
    """Eight numbers of lane k."""
    return (
        g[row, k], g[row + 1, k], g[row + 2, k], g[row + 3, k], g[row + 4, k], g[row + 5, k], g[row + 6, k],
        g[row + 7, k],
    )  # fmt: skip


@kernel(inline=True)
def read_point(j: int, offset: bool, k: int, g: FloatArray) -> tuple[Four, Four, float, AxisPoint]:
    """Shape functions, their derivatives, offset and point j of lane k; ``offset``: any lane may have one."""
    s, L, y = relative_place(j, g[COUNT, k]), g[LENGTH, k], g[OFFSET, k] if offset else 0.0
    S, dS = shape(s, L), shape_slope(s, L)
    return S, dS, y, eval_point(S, dS, y, read_eight(COORDINATES, k, g), read_eight(VELOCITIES, k, g))


@kernel(inline=True)
def sum_bristles(j: int, offset: bool, g: FloatArray) -> None:
    """Add the displacement of point j of all lanes to `BEND`, and count it."""
    for k in range(LANES):
        _, _, _, z = read_point(j, offset, k, g)
        r, o = g[RADIUS, k], read_pose(k, g)
        counts = g[CLOSED, k] != 0.0 and g[STATE, k] != UNDEFINED
        sticks = counts and g[STATE, k] == STICKS
        way = wrap(arc_position(o, z.px - o.cx, z.py - o.cy, r) - g[ANCHOR, k], r)
        g[BEND, k] += way if sticks else 0.0
        g[STICKING, k] += 1.0 if sticks else 0.0
        g[TOUCHING, k] += 1.0 if counts else 0.0


@kernel(inline=True)
def finish_bristles(g: FloatArray) -> None:
    """The bend u [m] of the bristles of all lanes, see `eval_bristles`."""
    for k in range(LANES):
        some = g[STICKING, k] != 0.0 and g[MU, k] != 0.0 and g[MU_K, k] != 0.0
        share = g[TOUCHING, k] / (g[COUNT, k] * (g[STICKING, k] if some else 1.0))
        g[BEND, k] = share * g[BEND, k] if some else 0.0


@kernel(inline=True)
def add_forces(j: int, offset: bool, g: FloatArray) -> None:
    """Add the forces of point j of all lanes."""
    for k in range(LANES):
        S, dS, y, p = read_point(j, offset, k, g)
        z = eval_contact(read_lane_parameters(k, g), read_pose(k, g), p, g[STATE, k], g[BEND, k])
        on = g[CLOSED, k] != 0.0
        fx, fy = z.fn * z.nx - z.ft * z.ny, z.fn * z.ny + z.ft * z.nx
        fx, fy, torque = fx if on else 0.0, fy if on else 0.0, z.D * z.ft if on else 0.0
        g[CIRCLE, k] += fx
        g[CIRCLE + 1, k] += fy
        g[CIRCLE + 2, k] += torque
        hx, hy = 0.0, 0.0
        if offset:
            hx, hy = eval_offset_force(y, p.rx, p.ry, fx, fy)
            hx, hy = hx if y != 0.0 else 0.0, hy if y != 0.0 else 0.0
        g[FORCES, k] += S[0] * fx + dS[0] * hx
        g[FORCES + 1, k] += S[0] * fy + dS[0] * hy
        g[FORCES + 2, k] += S[1] * fx + dS[1] * hx
        g[FORCES + 3, k] += S[1] * fy + dS[1] * hy
        g[FORCES + 4, k] += S[2] * fx + dS[2] * hx
        g[FORCES + 5, k] += S[2] * fy + dS[2] * hy
        g[FORCES + 6, k] += S[3] * fx + dS[3] * hx
        g[FORCES + 7, k] += S[3] * fy + dS[3] * hy


@kernel(inline=True)
def eval_points(j: int, offset: bool, g: FloatArray) -> None:
    """D, f_n, v_t and r alpha of point j of all lanes."""
    for k in range(LANES):
        _, _, _, p = read_point(j, offset, k, g)
        par, o = read_lane_parameters(k, g), read_pose(k, g)
        z = eval_contact(par, o, p, UNDEFINED, 0.0)
        g[DISTANCE, k], g[FN, k], g[VT, k] = z.D, z.fn, z.vt
        g[ARC, k] = arc_position(o, p.px - o.cx, p.py - o.cy, par.r)
