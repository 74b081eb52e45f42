"""Contact forces between surfaces and points of cables. See `kernels.py` for the formulas.

Up to eight successive rows whose surfaces have the same type of distance are evaluated together. Each row is in one
lane of the vector instructions of the processor. The points of the rows are evaluated one after the other. See
docs/explanation/design.md, Lanes. The data of the rows are in a record g of `ROW_LANES`. Points that a row does not
have count as open. Ropes with twist, ribbons, thick beams, lines on soft beds and winch ropes are evaluated row by row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.contact.axes import shape_lane, spread_lane
from windlass.connectors.contact.lanes import LAW, read_eight, read_lane_law, read_twelve, write_law
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import touches, work_type
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.connectors.surface_contact.beam_kernels import (
    BEAM,
    BeamRow,
    Section,
    eval_closed_section,
    eval_section,
    find_beam_point,
    on_parameters,
    read_beam_row,
)
from windlass.connectors.surface_contact.bed_beam_kernels import eval_closed_bed_section
from windlass.connectors.surface_contact.bed_kernels import eval_bed_point, total_force
from windlass.connectors.surface_contact.distances import (
    FIELD,
    LINE,
    NUMBERS,
    PLANE,
    POLYLINE,
    PROFILE,
    SHEAVE,
    SPHERE,
    Distance,
    eval_kind,
)
from windlass.connectors.surface_contact.kernels import (
    CABLE,
    TWIST_CABLE,
    ContactRows,
    Lever,
    PointForces,
    SurfaceFrame,
    TurningRow,
    create_frame,
    eval_closed,
    eval_forces,
    eval_global_force,
    eval_spin,
    eval_touch,
    find_point,
    find_turning_point,
    read_anchor,
    read_row,
    read_state,
    read_turning_row,
    to_global,
)
from windlass.connectors.surface_contact.ribbon_kernels import find_ribbon_point
from windlass.connectors.surface_contact.winch_bed_kernels import eval_bed_on_length, eval_closed_winch_bed
from windlass.connectors.surface_contact.winch_kernels import (
    WINCH_CABLE,
    WinchMaterial,
    WinchSurfaceRow,
    eval_closed_winch,
    eval_on_length,
    find_material,
    find_winch_point,
    read_winch_row,
)
from windlass.elements.cable.points import Four, shape
from windlass.elements.cable.twist_forces import scatter_forces
from windlass.elements.cable.twist_points import COUNT, add_gradient
from windlass.elements.nodes.vectors import Vector, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.lanes import LANES, lane_type

ROW_LANES = lane_type(
    *LAW, "rope_radius", *SurfaceFrame._fields, "cable_length", "points", "closed", "state", "distance",
    coordinates=CABLE, velocities=CABLE, geometry=NUMBERS, anchor=3, lever=12, normal=3, forces=CABLE, load=6,
)  # fmt: skip
"""Data of eight rows, one in each lane. The data are parameters of the law and radius of the rope; `SurfaceFrame` and
geometric parameters of the surface; and length, number of points, coordinates and rates of coordinates of the cable.

Data of the current point of each row: ``closed`` (1 or 0), state, anchor, `Lever`, normal and distance. Results:
``forces`` on the coordinates of the cable, and ``load``, the sums of the forces and of their moments about the origin
of the surface.
"""


@kernel(inline=True)
def begin_lanes(g: Any) -> None:
    """Write 1 into lengths, coordinates and parameters in all lanes. Lanes without a row are also evaluated. Therefore
    they must contain valid values.
    """
    for k in range(LANES):
        g.rope_radius[k], g.cable_length[k], g.points[k], g.state[k] = 1.0, 1.0, 1.0, 1.0
        g.a00[k], g.a11[k], g.a22[k], g.distance[k] = 1.0, 1.0, 1.0, 1.0
        for a in range(CABLE):
            g.coordinates[a, k], g.velocities[a, k] = 1.0, 1.0
        for a in range(NUMBERS):
            g.geometry[a, k] = 1.0


@kernel(inline=True)
def read_frame(k: int, g: Any) -> SurfaceFrame:
    """Return the frame of the surface in lane k."""
    return SurfaceFrame(
        g.a00[k], g.a01[k], g.a02[k], g.a10[k], g.a11[k], g.a12[k], g.a20[k], g.a21[k], g.a22[k],
        g.cx[k], g.cy[k], g.cz[k], g.vx[k], g.vy[k], g.vz[k], g.wx[k], g.wy[k], g.wz[k],
    )  # fmt: skip


@kernel(inline=True)
def write_frame(o: SurfaceFrame, k: int, g: Any) -> None:
    """Copy the frame of a surface to lane k."""
    g.a00[k], g.a01[k], g.a02[k], g.a10[k], g.a11[k], g.a12[k] = o.a00, o.a01, o.a02, o.a10, o.a11, o.a12
    g.a20[k], g.a21[k], g.a22[k], g.cx[k], g.cy[k], g.cz[k] = o.a20, o.a21, o.a22, o.cx, o.cy, o.cz
    g.vx[k], g.vy[k], g.vz[k], g.wx[k], g.wy[k], g.wz[k] = o.vx, o.vy, o.vz, o.wx, o.wy, o.wz


@kernel(inline=True)
def gather_row(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, i: int, k: int, g: Any) -> None:
    """Copy the parameters, the coordinates and the surface of row i to lane k."""
    row = c.rows[i]
    s = row.surface
    for a in range(CABLE):
        at = c.dofs[i, a]
        g.coordinates[a, k], g.velocities[a, k] = x[at], v[at]
    shape_lane(c.H, i, 3, g.coordinates, k)
    shape_lane(c.H, i, 3, g.velocities, k)
    frame = create_frame(c.surfaces.Q, s, m.position, m.velocity, m.angular_velocity, m.rotation, c.surfaces.marker[s])
    write_frame(frame, k, g)
    write_law(row, k, g)
    g.rope_radius[k] = row.rope_radius
    for a in range(NUMBERS):
        g.geometry[a, k] = c.surfaces.geo[s, a]
    g.cable_length[k], g.points[k] = row.length * row.points, row.points


@kernel(inline=True)
def gather_history(
    c: ContactRows, data: FloatArray, start: FloatArray, rows: IntArray, count: int, j: int, g: Any
) -> bool:
    """Copy the history values of point j of the first ``count`` rows of ``rows`` to the first ``count`` lanes. Return
    whether point j is closed in any of these rows.
    """
    some = False
    for k in range(LANES):
        g.closed[k] = 0.0
    for k in range(count):
        i = rows[k]
        n, first = c.rows[i].points, c.rows[i].data
        if j < n and data[first + j] <= 0.0:
            state = read_state(data, start, first, n, j, g.friction_stiffness[k])
            g.closed[k], g.state[k] = 1.0, state
            g.anchor[0, k], g.anchor[1, k], g.anchor[2, k] = read_anchor(state, data, start, first, n, j)
            some = True
    return some


@kernel(inline=True)
def place_points(j: int, g: Any) -> None:
    """Write the `Lever` of point j of each lane into ``lever``."""
    for k in range(LANES):
        S = shape(relative_place(j, g.points[k]), g.cable_length[k])
        z = eval_touch(read_frame(k, g), S, read_twelve(g.coordinates, k), read_twelve(g.velocities, k))
        t = g.lever
        t[0, k], t[1, k], t[2, k], t[3, k], t[4, k], t[5, k] = z.dx, z.dy, z.dz, z.ex, z.ey, z.ez
        t[6, k], t[7, k], t[8, k], t[9, k], t[10, k], t[11, k] = z.X, z.Y, z.Z, z.U, z.V, z.W


@kernel(inline=True)
def measure(which: int, pieces: FloatArray, lanes: int, g: Any) -> None:
    """Evaluate the distances of the points in the first lanes from their surfaces. All of these surfaces have the type
    of distance ``which``. Points beyond the end of a surface are set to open.
    """
    for k in range(lanes):
        h = eval_kind(which, read_eight(g.geometry, k), pieces, g.lever[6, k], g.lever[7, k], g.lever[8, k])
        g.closed[k] = g.closed[k] if h.there else 0.0
        g.normal[0, k], g.normal[1, k], g.normal[2, k], g.distance[k] = h.nx, h.ny, h.nz, h.phi


@kernel(inline=True)
def measure_points(which: int, pieces: FloatArray, count: int, g: Any) -> None:
    """Call `measure` with the type of distance as a compile-time constant."""
    if which == PLANE:
        measure(PLANE, pieces, LANES, g)
    elif which == SPHERE:
        measure(SPHERE, pieces, LANES, g)
    elif which == LINE:
        measure(LINE, pieces, LANES, g)
    elif which == SHEAVE:
        measure(SHEAVE, pieces, LANES, g)
    # these types read ``pieces`` at an index that only the first ``count`` lanes contain
    elif which == PROFILE:
        measure(PROFILE, pieces, count, g)
    elif which == POLYLINE:
        measure(POLYLINE, pieces, count, g)
    else:
        measure(FIELD, pieces, count, g)


@kernel(inline=True)
def add_forces(j: int, g: Any) -> None:
    """Add the forces of point j of all lanes to ``forces`` and ``load`` of the lanes."""
    for k in range(LANES):
        S = shape(relative_place(j, g.points[k]), g.cable_length[k])
        t = read_twelve(g.lever, k)
        z = Lever(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], t[10], t[11])
        # the Hessian is set to 0, because forces do not depend on it
        nx, ny, nz = g.normal[0, k], g.normal[1, k], g.normal[2, k]
        h = Distance(True, g.distance[k], nx, ny, nz, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        anchor = g.anchor[0, k], g.anchor[1, k], g.anchor[2, k]
        F = eval_forces(read_lane_law(k, 0.0, g), g.rope_radius[k], h, z, g.state[k], anchor)
        fx, fy, fz = eval_global_force(read_frame(k, g), h, F)
        on = g.closed[k] != 0.0
        fx, fy, fz = fx if on else 0.0, fy if on else 0.0, fz if on else 0.0
        for a in range(4):
            g.forces[3 * a, k] += S[a] * fx
            g.forces[3 * a + 1, k] += S[a] * fy
            g.forces[3 * a + 2, k] += S[a] * fz
        g.load[0, k] += fx
        g.load[1, k] += fy
        g.load[2, k] += fz
        g.load[3, k] += z.dy * fz - z.dz * fy
        g.load[4, k] += z.dz * fx - z.dx * fz
        g.load[5, k] += z.dx * fy - z.dy * fx


@kernel(inline=True)
def add_reaction(c: ContactRows, m: PositionMarkers, i: int, n: int, load: FloatArray, f: FloatArray) -> None:
    """Subtract the generalised forces of ``load`` from the elements of f for the marker of the surface of row i.
    ``load`` contains a force [N] and its moment [N m] about the origin of the surface, shape (6,). The cable has n
    coordinates.
    """
    marker = c.surfaces.marker[c.rows[i].surface]
    for b in range(c.dofs.shape[1] - n):
        force = moment = 0.0
        for d in range(3):
            force += m.jacobian[marker, d, b] * load[d]
            moment += m.rotation_jacobian[marker, d, b] * load[3 + d]
        f[c.dofs[i, n + b]] -= force + moment


@kernel(inline=True)
def scatter_lane(c: ContactRows, m: PositionMarkers, i: int, k: int, g: Any, f: FloatArray) -> None:
    """Add the results in lane k to the elements of f for the coordinates of row i."""
    spread_lane(c.H, i, 3, g.forces, k)
    for a in range(CABLE):
        f[c.dofs[i, a]] += g.forces[a, k]
    add_reaction(c, m, i, CABLE, g.load[:, k], f)


@kernel
def add_residual(
    c: ContactRows,
    m: PositionMarkers,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    f: FloatArray,
) -> None:
    """Add the left-hand-side forces of all rows to f. History values at the start of the step are in ``start``."""
    lanes, rows, total = np.zeros(1, ROW_LANES), np.empty(len(c.rows), np.int64), 0
    for i in range(len(c.rows)):
        row = c.rows[i]
        if row.active and touches(data, row.data, row.points):
            rows[total] = i
            total += 1
    begin_lanes(lanes[0])
    first = 0
    while first < total:
        which, count, most, g = c.surfaces.kind[c.rows[rows[first]].surface], 0, 0, lanes[0]
        while count < LANES and first + count < total:
            i = rows[first + count]
            if c.surfaces.kind[c.rows[i].surface] != which:
                break
            gather_row(c, m, x, v, i, count, g)
            most = max(most, c.rows[i].points)
            count += 1
        for k in range(LANES):
            for a in range(CABLE):
                g.forces[a, k] = 0.0
            for a in range(6):
                g.load[a, k] = 0.0
        for j in range(most):
            if gather_history(c, data, start, rows[first:], count, j, g):
                place_points(j, g)
                measure_points(which, c.surfaces.pieces, count, g)
                add_forces(j, g)
        for k in range(count):
            scatter_lane(c, m, rows[first + k], k, g, f)
        first += count


TURNING_WORK = work_type(on_y=(COUNT,), load=(6,), y=(COUNT,), yt=(COUNT,), sigma=(COUNT,))
"""Forces ``on_y`` on the coordinates y of `FRAMES`, the field ``load`` of `ROW_LANES`, and the fields of `FRAMES`."""


@kernel(inline=True)
def eval_twist_point(
    c: ContactRows, r: TurningRow, i: int, k: int, data: FloatArray, start: FloatArray, g: Any
) -> tuple[bool, Four, Lever, Vector, float, Vector]:  # fmt: skip
    """Return the results of closed point k of a rope with twist, see ``evaluate`` of `create_turning_residual`."""
    row: Any = c.rows[i]
    n, first, p = row.points, row.data, r.plain
    S, z, h = find_turning_point(c, r, i, k, g)
    # force at the point, and moment about the axis
    spin = eval_spin(p.o, row, relative_place(k, n), g.y, g.yt, r.twist, g.sigma)
    _, forces = eval_closed(p.law, p.rope_radius, h, z, spin, data, start, first, n, k)
    M, t = forces.torque, spin.t
    return h.there, S, z, eval_global_force(p.o, h, forces.point), M, (M * t[0], M * t[1], M * t[2])


@kernel(inline=True)
def eval_ribbon_point(
    c: ContactRows, r: TurningRow, i: int, k: int, data: FloatArray, start: FloatArray, g: Any
) -> tuple[bool, Four, Lever, Vector, float, Vector]:  # fmt: skip
    """Return the results of closed point k of a ribbon, see ``evaluate`` of `create_turning_residual`."""
    row: Any = c.rows[i]
    n, first, p = row.points, row.data, r.plain
    point, z, h = find_ribbon_point(c, r, i, k, g)
    state = read_state(data, start, first, n, k, p.law.friction_stiffness)
    anchor = read_anchor(state, data, start, first, n, k)
    F = eval_global_force(p.o, h, eval_forces(p.law, p.rope_radius, h, z, state, anchor))
    # the moment about d_2 acts on the slope, the moment about the axis on the spin
    if h.there:
        add_gradient(-point.y * dot(point.t, F) / point.size, point.P, point.d1, g.on_y)
    return h.there, point.S, z, F, point.y * dot(point.d2, F), (0.0, 0.0, 0.0)


def create_turning_residual(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Create the kernel ``(c, m, data, start, x, v, f)`` that adds the left-hand-side forces of all rows of cables with
    twist to f.

    The argument ``evaluate`` is the kernel ``(c, r, i, k, data, start, g) -> there, S, z, F, M, torque`` that evaluates
    closed point k of row i. The results are: whether the point is within the extent of the surface, the shape
    functions, the `Lever`, the global force F [N], the moment M [N m] on the spin of the cable, and the global moment
    [N m] whose opposite acts on the surface in addition to the moment of -F.
    """

    @kernel(inline=True)
    def add_rows(
        c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
        f: FloatArray,
    ) -> None:  # fmt: skip
        space = np.zeros(1, TURNING_WORK)
        g = space[0]
        for i in range(len(c.rows)):
            row = c.rows[i]
            n, first = row.points, row.data
            if not row.active or not touches(data, first, n):
                continue
            r = read_turning_row(c, m, x, v, i, g)
            g.load[:], g.on_y[:] = 0.0, 0.0
            for k in range(n):
                if data[first + k] > 0.0:
                    continue
                there, S, z, F, M, torque = evaluate(c, r, i, k, data, start, g)
                if not there:
                    continue
                moment = cross((z.dx, z.dy, z.dz), F)
                for d in range(3):
                    for j in range(4):
                        f[row.dofs[3 * j + d]] += S[j] * F[d]
                    g.load[d] += F[d]
                    g.load[3 + d] += moment[d] + torque[d]
                for j in range(COUNT):
                    g.on_y[j] += M * g.sigma[j]
            # forces on the slopes and angles of the cable, and on the marker of the surface
            scatter_forces(row, 1.0 / r.plain.length, g.on_y, f)
            add_reaction(c, m, i, TWIST_CABLE, g.load, f)

    return add_rows


_add_twist_rows = create_turning_residual(eval_twist_point)
_add_ribbon_rows = create_turning_residual(eval_ribbon_point)


@kernel
def add_twist_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of ropes with twist to f. See `create_turning_residual`."""
    _add_twist_rows(c, m, data, start, x, v, f)


@kernel
def add_ribbon_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of ribbons to f. See `create_turning_residual`."""
    _add_ribbon_rows(c, m, data, start, x, v, f)


@kernel(inline=True)
def add_axis_force(c: ContactRows, i: int, S: Four, z: Lever, F: Vector, load: FloatArray, f: FloatArray) -> None:
    """Add the global force F on a point of the axis to the forces f on the nodes of the cable of row i. Add F and its
    moment about the origin of the surface to ``load``, see `add_reaction`.
    """
    moment = cross((z.dx, z.dy, z.dz), F)
    for d in range(3):
        for j in range(4):
            f[c.dofs[i, 3 * j + d]] += S[j] * F[d]
        load[d] += F[d]
        load[3 + d] += moment[d]


@kernel
def add_bed_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of lines on soft beds to f. See `bed_kernels.py`."""
    load = np.empty(6)
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first = row.points, row.data
        if not row.active or not touches(data, first, n):
            continue
        r = read_row(c, m, x, v, i)
        load[:] = 0.0
        for k in range(n):
            if data[first + k] > 0.0:
                continue
            S, z, h = find_point(c, r, k, n)
            if not h.there:
                continue
            _, _, forces = eval_bed_point(row, r, h, z, k, data, start)
            add_axis_force(c, i, S, z, eval_global_force(r.o, h, total_force(forces)), load, f)
        add_reaction(c, m, i, CABLE, load, f)


@kernel(inline=True)
def eval_winch_point(
    row: Any, r: WinchSurfaceRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray,
    g: Any,
) -> tuple[Vector, float]:  # fmt: skip
    """Return the global force [N] on closed point k, and the force [N] on the length of the rope without the term
    F.r_l.
    """
    forces = eval_closed_winch(row, r, h, z, t, k, data, start)
    return eval_global_force(r.plain.o, h, forces.point), eval_on_length(row, t, forces)


@kernel(inline=True)
def eval_winch_bed_point(
    row: Any, r: WinchSurfaceRow, h: Distance, z: Lever, t: WinchMaterial, k: int, data: FloatArray, start: FloatArray,
    g: Any,
) -> tuple[Vector, float]:  # fmt: skip
    """Return the results of `eval_winch_point` for a soft bed."""
    forces = eval_closed_winch_bed(row, r, h, z, t, k, data, start)
    return eval_global_force(r.plain.o, h, total_force(forces.bed)), eval_bed_on_length(r, t, forces)


@kernel(inline=True)
def winch_row(r: WinchSurfaceRow) -> WinchSurfaceRow:
    """Return r, which is the `WinchSurfaceRow` of a row without turn."""
    return r


@kernel(inline=True)
def add_no_moments(row: Any, r: WinchSurfaceRow, g: Any, f: FloatArray) -> None:
    """Do nothing. This kernel is the argument ``end`` of `create_winch_residual` for ropes without turn."""


def create_winch_residual(
    read: Kernel, part: Kernel, evaluate: Callable[..., Any], end: Kernel, width: int
) -> Callable[..., Any]:
    """Create the kernel ``(c, m, data, start, x, v, f)`` that adds the left-hand-side forces of all rows of winch ropes
    to f.

    Args:
        read: kernel that reads a row, see `read_winch_row`.
        part: kernel that returns the `WinchSurfaceRow` of the data that ``read`` returns.
        evaluate: kernel that evaluates a closed point, see `eval_winch_point`. It can add moments to the fields
            ``load`` and ``on_y`` of its argument g, a record of `TURNING_WORK`.
        end: kernel ``(row, r, g, f)`` that adds the forces of ``g.on_y``.
        width: number of coordinates of the cable.
    """

    @kernel(inline=True)
    def add_rows(
        c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
        f: FloatArray,
    ) -> None:  # fmt: skip
        space = np.zeros(1, TURNING_WORK)
        g = space[0]
        for i in range(len(c.rows)):
            row: Any = c.rows[i]
            if not row.active or not touches(data, row.data, row.points):
                continue
            r = read(c, m, x, v, i, g)
            g.load[:], g.on_y[:] = 0.0, 0.0
            for k in range(row.points):
                _, z, h = find_winch_point(c, part(r), i, k, row)
                if data[row.data + k] > 0.0 or not h.there:
                    continue
                t = find_material(row, part(r), k)
                F, on_l = evaluate(row, r, h, z, t, k, data, start, g)
                f[c.dofs[i, CABLE]] += dot(F, t.rl) + on_l
                add_axis_force(c, i, t.S, z, F, g.load, f)
            end(row, r, g, f)
            add_reaction(c, m, i, width, g.load, f)

    return add_rows


_add_winch_rows = create_winch_residual(read_winch_row, winch_row, eval_winch_point, add_no_moments, WINCH_CABLE)
_add_winch_bed_rows = create_winch_residual(
    read_winch_row, winch_row, eval_winch_bed_point, add_no_moments, WINCH_CABLE
)  # fmt: skip


@kernel
def add_winch_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of winch ropes to f. See `winch_kernels.py`."""
    _add_winch_rows(c, m, data, start, x, v, f)


@kernel
def add_winch_bed_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of winch ropes on soft beds to f. See `winch_bed_kernels.py`."""
    _add_winch_bed_rows(c, m, data, start, x, v, f)


@kernel(inline=True)
def eval_section_point(
    row: Any, r: BeamRow, h: Distance, z: Lever, s: Section, k: int, data: FloatArray, start: FloatArray
) -> tuple[PointForces, Vector]:
    """Return the forces of closed point k of a thick beam, and the moment M in the frame of the surface."""
    _, forces = eval_closed_section(row, r, h, z, s, k, data, start)
    return forces.point, forces.moment


@kernel(inline=True)
def eval_bed_section_point(
    row: Any, r: BeamRow, h: Distance, z: Lever, s: Section, k: int, data: FloatArray, start: FloatArray
) -> tuple[PointForces, Vector]:
    """Return the results of `eval_section_point` for a soft bed."""
    forces = eval_closed_bed_section(row, r, h, z, s, k, data, start)
    return total_force(forces.bed), forces.moment


def create_beam_residual(evaluate: Kernel) -> Callable[..., Any]:
    """Create the kernel ``(c, m, data, start, x, v, f)`` that adds the left-hand-side forces of all rows of thick beams
    to f. ``evaluate`` is the kernel that evaluates a closed point, see `eval_section_point`.
    """

    @kernel(inline=True)
    def add_rows(
        c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
        f: FloatArray,
    ) -> None:  # fmt: skip
        load = np.empty(6)
        for i in range(len(c.rows)):
            row: Any = c.rows[i]
            if not row.active or not touches(data, row.data, row.points):
                continue
            r, to = read_beam_row(c, m, x, v, i, row), c.dofs[i]
            load[:] = 0.0
            for k in range(row.points):
                _, z, h = find_beam_point(c, r, i, k, row)
                if data[row.data + k] > 0.0 or not h.there:
                    continue
                s = eval_section(row, r, k)
                point, moment = evaluate(row, r, h, z, s, k, data, start)
                F, M = eval_global_force(r.plain.o, h, point), to_global(r.plain.o, *moment)
                on_e, lever = on_parameters(s.e, M, s.square), cross((z.dx, z.dy, z.dz), F)
                for a in range(4):
                    N, turned = s.N[a], s.N[a] * row.flip[a]
                    for d in range(3):
                        f[to[3 * a + d]] += N * F[d]
                    for d in range(4):
                        f[to[CABLE + 4 * a + d]] += turned * on_e[d]
                for d in range(3):
                    load[d] += F[d]
                    load[3 + d] += lever[d] + M[d]
            add_reaction(c, m, i, BEAM, load, f)

    return add_rows


_add_beam_rows = create_beam_residual(eval_section_point)
_add_bed_beam_rows = create_beam_residual(eval_bed_section_point)


@kernel
def add_beam_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of thick beams to f. See `beam_kernels.py`."""
    _add_beam_rows(c, m, data, start, x, v, f)


@kernel
def add_bed_beam_residual(
    c: ContactRows, m: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the left-hand-side forces of all rows of thick beams on soft beds to f. See `bed_beam_kernels.py`."""
    _add_bed_beam_rows(c, m, data, start, x, v, f)
