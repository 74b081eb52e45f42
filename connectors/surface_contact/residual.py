"""Forces of the contact of surfaces with points of cables, of many rows side by side; see `kernels.py`.

Eight rows whose surfaces are of one kind are evaluated together, one in each lane of the processor's vector
instructions, point after point; see docs/explanation/design.md, Lanes.  The constants below name the rows of a small
array g, by row and lane.  Missing values, such as points of shorter rows, count as 0.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_points.kernels import relative_place
from windlass.connectors.circle_points.lanes import LANES, read_eight
from windlass.connectors.circle_segments.kernels import touches
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.connectors.surface_contact.distances import (
    LINE,
    NUMBERS,
    PLANE,
    PROFILE,
    SHEAVE,
    SPHERE,
    Distance,
    eval_kind,
)
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    ContactRows,
    Lever,
    SurfaceFrame,
    SurfaceParameters,
    Twelve,
    create_frame,
    eval_forces,
    eval_touch,
    read_anchor,
    read_state,
    to_global,
)
from windlass.elements.cable2d.points import shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

COORDINATES, VELOCITIES, FRAME, GEOMETRY, LENGTH, COUNT = 0, 12, 24, 49, 57, 58
"""First rows of the given data: 12 coordinates and their rates, the numbers of `SurfaceFrame` and of the geometry of
the surface, reference length and number of points of the cable."""
KC, DC, MU_V, MU_K, MU, ROPE_RADIUS, CLIP = range(42, 49)
"""Rows of the `SurfaceParameters`."""
CLOSED, STATE, ANCHOR = 59, 60, 61
"""Rows of the present point: 1 if it counts, else 0, its state and its anchor."""
TOUCH, NORMAL, DISTANCE = 64, 76, 79
"""Rows of the numbers of `Lever`, the normal and the distance of the present point."""
FORCES, SURFACE = 80, 92
"""Rows of results: 12 forces on the coordinates; force and moment of the cable about the origin of the surface."""
SIZE = 98


@kernel(inline=True)
def read_twelve(row: int, k: int, g: FloatArray) -> Twelve:
    """Twelve numbers of lane k."""
    return (
        g[row, k], g[row + 1, k], g[row + 2, k], g[row + 3, k], g[row + 4, k], g[row + 5, k], g[row + 6, k],
        g[row + 7, k], g[row + 8, k], g[row + 9, k], g[row + 10, k], g[row + 11, k],
    )  # fmt: skip


@kernel(inline=True)
def read_frame(k: int, g: FloatArray) -> SurfaceFrame:
    """The surface of lane k."""
    r = FRAME
    return SurfaceFrame(
        g[r, k], g[r + 1, k], g[r + 2, k], g[r + 3, k], g[r + 4, k], g[r + 5, k], g[r + 6, k], g[r + 7, k],
        g[r + 8, k], g[r + 9, k], g[r + 10, k], g[r + 11, k], g[r + 12, k], g[r + 13, k], g[r + 14, k], g[r + 15, k],
        g[r + 16, k], g[r + 17, k],
    )  # fmt: skip


@kernel(inline=True)
def write_frame(o: SurfaceFrame, k: int, g: FloatArray) -> None:
    """Copy a surface to lane k."""
    r = FRAME
    g[r, k], g[r + 1, k], g[r + 2, k], g[r + 3, k], g[r + 4, k], g[r + 5, k] = o.a00, o.a01, o.a02, o.a10, o.a11, o.a12
    g[r + 6, k], g[r + 7, k], g[r + 8, k], g[r + 9, k], g[r + 10, k], g[r + 11, k] = (
        o.a20,
        o.a21,
        o.a22,
        o.cx,
        o.cy,
        o.cz,
    )
    g[r + 12, k], g[r + 13, k], g[r + 14, k], g[r + 15, k], g[r + 16, k], g[r + 17, k] = (
        o.vx,
        o.vy,
        o.vz,
        o.wx,
        o.wy,
        o.wz,
    )


@kernel(inline=True)
def gather_row(c: ContactRows, m: PositionColumns, x: FloatArray, v: FloatArray, i: int, k: int, g: FloatArray) -> None:
    """Copy row i to lane k."""
    row = c.rows[i]
    s = row.surface
    for a in range(CABLE):
        at = c.dofs[i, a]
        g[COORDINATES + a, k], g[VELOCITIES + a, k] = x[at], v[at]
    write_frame(create_frame(c.surfaces.Q, s, m.p, m.v, m.omega, m.A, c.surfaces.marker[s]), k, g)
    g[KC, k], g[DC, k], g[MU_V, k], g[MU_K, k] = (
        row.contact_stiffness,
        row.contact_damping,
        row.friction_velocity_penalty,
        row.friction_stiffness,
    )
    g[MU, k], g[ROPE_RADIUS, k], g[CLIP, k] = row.friction_coefficient, row.rope_radius, row.clip_normal_force
    for a in range(NUMBERS):
        g[GEOMETRY + a, k] = c.surfaces.geo[s, a]
    g[LENGTH, k], g[COUNT, k] = row.length * row.points, row.points


@kernel(inline=True)
def gather_history(
    c: ContactRows, data: FloatArray, start: FloatArray, rows: IntArray, count: int, j: int, g: FloatArray
) -> bool:
    """Copy the history values of point j of listed rows to the first lanes; returns whether any is closed."""
    some = False
    for k in range(LANES):
        g[CLOSED, k] = 0.0
    for k in range(count):
        i = rows[k]
        n, first = c.rows[i].points, c.rows[i].data
        if j < n and data[first + j] <= 0.0:
            state = read_state(data, start, first, n, j, g[MU_K, k])
            g[CLOSED, k], g[STATE, k] = 1.0, state
            g[ANCHOR, k], g[ANCHOR + 1, k], g[ANCHOR + 2, k] = read_anchor(state, data, start, first, n, j)
            some = True
    return some


@kernel(inline=True)
def place_points(j: int, g: FloatArray) -> None:
    """Point j of all lanes in the frames of their surfaces."""
    for k in range(LANES):
        S = shape(relative_place(j, g[COUNT, k]), g[LENGTH, k])
        z = eval_touch(read_frame(k, g), S, read_twelve(COORDINATES, k, g), read_twelve(VELOCITIES, k, g))
        r = TOUCH
        g[r, k], g[r + 1, k], g[r + 2, k], g[r + 3, k], g[r + 4, k], g[r + 5, k] = z.dx, z.dy, z.dz, z.ex, z.ey, z.ez
        g[r + 6, k], g[r + 7, k], g[r + 8, k], g[r + 9, k], g[r + 10, k], g[r + 11, k] = z.X, z.Y, z.Z, z.U, z.V, z.W


@kernel(inline=True)
def measure(which: int, pieces: FloatArray, lanes: int, g: FloatArray) -> None:
    """Distances of the points of the first lanes from their surfaces, all of one kind; points beyond the end of a
    surface do not count."""
    for k in range(lanes):
        h = eval_kind(
            which, read_eight(GEOMETRY, k, g), pieces, g[TOUCH + 6, k], g[TOUCH + 7, k], g[TOUCH + 8, k]
        )  # fmt: skip
        g[CLOSED, k] = g[CLOSED, k] if h.there else 0.0
        g[NORMAL, k], g[NORMAL + 1, k], g[NORMAL + 2, k], g[DISTANCE, k] = h.nx, h.ny, h.nz, h.phi


@kernel(inline=True)
def measure_points(which: int, pieces: FloatArray, count: int, g: FloatArray) -> None:
    """`measure` with a constant kind."""
    if which == PLANE:
        measure(PLANE, pieces, LANES, g)
    elif which == SPHERE:
        measure(SPHERE, pieces, LANES, g)
    elif which == LINE:
        measure(LINE, pieces, LANES, g)
    elif which == SHEAVE:
        measure(SHEAVE, pieces, LANES, g)
    else:
        # lanes without a row have no pieces
        measure(PROFILE, pieces, count, g)


@kernel(inline=True)
def add_forces(j: int, g: FloatArray) -> None:
    """Add the forces of point j of all lanes."""
    for k in range(LANES):
        S = shape(relative_place(j, g[COUNT, k]), g[LENGTH, k])
        t = read_twelve(TOUCH, k, g)
        z = Lever(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11])
        par = SurfaceParameters(
            g[KC, k], g[DC, k], g[MU_V, k], g[MU_K, k], g[MU, k], g[ROPE_RADIUS, k], g[CLIP, k] != 0.0
        )
        # forces do not need the Hessian
        nx, ny, nz = g[NORMAL, k], g[NORMAL + 1, k], g[NORMAL + 2, k]
        h = Distance(True, g[DISTANCE, k], nx, ny, nz, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        F = eval_forces(par, h, z, g[STATE, k], (g[ANCHOR, k], g[ANCHOR + 1, k], g[ANCHOR + 2, k]))
        fx, fy, fz = to_global(read_frame(k, g), F.fn * nx + F.tx, F.fn * ny + F.ty, F.fn * nz + F.tz)
        on = g[CLOSED, k] != 0.0
        fx, fy, fz = fx if on else 0.0, fy if on else 0.0, fz if on else 0.0
        for a in range(4):
            g[FORCES + 3 * a, k] += S[a] * fx
            g[FORCES + 3 * a + 1, k] += S[a] * fy
            g[FORCES + 3 * a + 2, k] += S[a] * fz
        g[SURFACE, k] += fx
        g[SURFACE + 1, k] += fy
        g[SURFACE + 2, k] += fz
        g[SURFACE + 3, k] += z.dy * fz - z.dz * fy
        g[SURFACE + 4, k] += z.dz * fx - z.dx * fz
        g[SURFACE + 5, k] += z.dx * fy - z.dy * fx


@kernel(inline=True)
def scatter_row(c: ContactRows, m: PositionColumns, i: int, k: int, g: FloatArray, f: FloatArray) -> None:
    """Add the forces of lane k to those of the coordinates of row i."""
    for a in range(CABLE):
        f[c.dofs[i, a]] += g[FORCES + a, k]
    marker, r = c.surfaces.marker[c.rows[i].surface], SURFACE
    for b in range(c.dofs.shape[1] - CABLE):
        force = moment = 0.0
        for d in range(3):
            force += m.J[marker, d, b] * g[r + d, k]
            moment += m.Jr[marker, d, b] * g[r + 3 + d, k]
        f[c.dofs[i, CABLE + b]] -= force + moment


@kernel
def add_residual(
    c: ContactRows,
    m: PositionColumns,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    f: FloatArray,
) -> None:
    """Add the left-hand-side forces of all rows to f; x are total coordinates, v velocities, start as `eval_points`."""
    # the value 1, because lanes without a row are evaluated, too
    g, rows, total = np.ones((SIZE, LANES)), np.empty(len(c.rows), np.int64), 0
    for i in range(len(c.rows)):
        row = c.rows[i]
        if row.active and touches(data, row.data, row.points):
            rows[total] = i
            total += 1
    first = 0
    while first < total:
        which, count, most = c.surfaces.kind[c.rows[rows[first]].surface], 0, 0
        while count < LANES and first + count < total:
            i = rows[first + count]
            if c.surfaces.kind[c.rows[i].surface] != which:
                break
            gather_row(c, m, x, v, i, count, g)
            most = max(most, c.rows[i].points)
            count += 1
        g[FORCES:] = 0.0
        for j in range(most):
            if gather_history(c, data, start, rows[first:], count, j, g):
                place_points(j, g)
                measure_points(which, c.surfaces.pieces, count, g)
                add_forces(j, g)
        for k in range(count):
            scatter_row(c, m, rows[first + k], k, g, f)
        first += count
