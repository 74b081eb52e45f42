"""Evaluation of eight rows of contact points at once. Each lane of the vector instructions of the processor evaluates
one row.

The coordinates of eight rows are copied once into a record g of `POINT_LANES`. The points of the rows are evaluated one
after the other, each for all eight rows. Rows with fewer points contribute 0 for the missing points. The method is
explained in the section Lanes of docs/explanation/design.md.

The module `kernels.py` describes the contact forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import (
    FADING,
    PRESS,
    AxisPoint,
    PointParameters,
    PointRows,
    arc_position,
    eval_contact,
    eval_growth,
    eval_point,
)
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.contact.axes import shape_lane, spread_lane
from windlass.connectors.contact.circles import Disc, add_sums
from windlass.connectors.contact.lanes import LAW, read_eight, read_lane_law, write_law
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.contact.update import touches
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.cable_shape import eval_offset_force
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES, lane_type

POINT_LANES = lane_type(
    *LAW, "radius", "grown", *Disc._fields, "cable_length", "vertical_offset", "segments", "closed", "state", "anchor",
    "bend", "sticking", "touching", "distance", "fn", "vt", "arc", coordinates=8, velocities=8, forces=8, load=3,
)  # fmt: skip
"""Type of the record of eight rows. Data of rows: parameters and `Disc`; length L, offset y, number of points n,
coordinates of the cable, and rates of these coordinates.

Data of the current point: ``closed`` (1 or 0), and the history values ``state`` and ``anchor`` of the point. Results of
rows: deflection of the bristles, number of sticking points, number of closed points with friction, ``forces`` on the
coordinates, and ``load``, which is the force and torque on the cable. Results of the current point, for updates: D,
f_n, v_t and r alpha.
"""


@kernel(inline=True)
def begin_lanes(g: Any) -> None:
    """Fill radii, lengths, numbers of points, coordinates and velocities of all lanes with the value 1. This is
    necessary because lanes without a row are also evaluated.
    """
    for k in range(LANES):
        g.radius[k], g.cable_length[k], g.segments[k] = 1.0, 1.0, 1.0
        for a in range(8):
            g.coordinates[a, k], g.velocities[a, k] = 1.0, 1.0


@kernel(inline=True)
def gather_rows(
    c: PointRows,
    circle: PositionMarkers,
    data: FloatArray,
    x: FloatArray,
    v: FloatArray,
    rows: IntArray,
    first: int,
    count: int,
    g: Any,
) -> tuple[int, bool, bool]:
    """Copy ``count`` rows, beginning with ``rows[first]``, to the first lanes. Return the largest number of points of
    these rows, whether any of these rows has an offset, and whether any of these rows has bristles.
    """
    most, offset, bristles = 0, False, False
    if count < LANES:
        begin_lanes(g)
    for k in range(count):
        i = rows[first + k]
        row = c.rows[i]
        ci = row.circle
        # coordinates of the cable, and parameters of the row
        for a in range(8):
            g.coordinates[a, k], g.velocities[a, k] = x[c.dofs[i, a]], v[c.dofs[i, a]]
        shape_lane(c.H, i, 2, g.coordinates, k)
        shape_lane(c.H, i, 2, g.velocities, k)
        write_law(row, k, g)
        g.radius[k], g.grown[k] = row.radius, eval_growth(row, data, PRESS)
        g.cable_length[k], g.segments[k] = row.length * row.segments, row.segments
        g.vertical_offset[k] = row.vertical_offset
        # circle
        A = circle.rotation
        g.cx[k], g.cy[k] = circle.position[ci, 0], circle.position[ci, 1]
        g.vx[k], g.vy[k], g.omega[k] = circle.velocity[ci, 0], circle.velocity[ci, 1], circle.angular_velocity[ci, 2]
        g.a00[k], g.a01[k], g.a10[k], g.a11[k] = A[ci, 0, 0], A[ci, 0, 1], A[ci, 1, 0], A[ci, 1, 1]
        most = max(most, row.segments)
        offset |= row.vertical_offset != 0.0
        bristles |= row.friction_coefficient != 0.0 and row.friction_stiffness != 0.0
    # set all sums to 0
    for k in range(LANES):
        g.bend[k], g.sticking[k], g.touching[k] = 0.0, 0.0, 0.0
        for a in range(8):
            g.forces[a, k] = 0.0
        for a in range(3):
            g.load[a, k] = 0.0
    return most, offset, bristles


@kernel(inline=True)
def gather_history(c: PointRows, data: FloatArray, rows: IntArray, first: int, count: int, j: int, g: Any) -> None:
    """Copy the history values of point j to the first lanes, for the rows that `gather_rows` has copied."""
    for k in range(LANES):
        g.closed[k] = 0.0
    for k in range(count):
        row = c.rows[rows[first + k]]
        n, at = row.segments, row.data + j
        if j < n:
            g.closed[k], g.state[k], g.anchor[k] = data[at] <= 0.0, data[at + n], data[at + 2 * n]


@kernel(inline=True)
def read_lane_parameters(k: int, g: Any) -> PointParameters:
    """Read the parameters of lane k."""
    return PointParameters(read_lane_law(k, FADING * g.grown[k], g), g.radius[k], g.grown[k])


@kernel(inline=True)
def read_pose(k: int, g: Any) -> Disc:
    """Read the pose of the circle of lane k."""
    return Disc(g.cx[k], g.cy[k], g.vx[k], g.vy[k], g.omega[k], g.a00[k], g.a01[k], g.a10[k], g.a11[k])


@kernel(inline=True)
def read_point(j: int, offset: bool, k: int, g: Any) -> tuple[Four, Four, float, AxisPoint]:
    """Return the shape functions, the derivatives of the shape functions with respect to arc length, the offset, and
    the position and velocity of point j of lane k. The argument ``offset`` states whether the contact line of any lane
    may have an offset from the axis.
    """
    s, L, y = relative_place(j, g.segments[k]), g.cable_length[k], g.vertical_offset[k] if offset else 0.0
    S, dS = shape(s, L), shape_slope(s, L)
    return S, dS, y, eval_point(S, dS, y, read_eight(g.coordinates, k), read_eight(g.velocities, k))


@kernel(inline=True)
def sum_bristles(j: int, offset: bool, g: Any) -> None:
    """Add the displacement u_k of point j of each lane to ``bend`` if the point sticks, and count sticking points and
    closed points with friction.
    """
    for k in range(LANES):
        _, _, _, z = read_point(j, offset, k, g)
        r, o = g.radius[k], read_pose(k, g)
        counts = g.closed[k] != 0.0 and g.state[k] != UNDEFINED
        sticks = counts and g.state[k] == STICKS
        way = wrap(arc_position(o, z.px - o.cx, z.py - o.cy, r) - g.anchor[k], r)
        g.bend[k] += way if sticks else 0.0
        g.sticking[k] += 1.0 if sticks else 0.0
        g.touching[k] += 1.0 if counts else 0.0


@kernel(inline=True)
def finish_bristles(g: Any) -> None:
    """Write the deflection u [m] of the bristles of all lanes, see `eval_bristles`."""
    for k in range(LANES):
        some = g.sticking[k] != 0.0 and g.friction_coefficient[k] != 0.0 and g.friction_stiffness[k] != 0.0
        share = g.touching[k] / (g.segments[k] * (g.sticking[k] if some else 1.0))
        g.bend[k] = share * g.bend[k] if some else 0.0


@kernel(inline=True)
def add_forces(j: int, offset: bool, g: Any) -> None:
    """Add the forces of point j of all lanes to ``forces`` and ``load``."""
    for k in range(LANES):
        S, dS, y, p = read_point(j, offset, k, g)
        z = eval_contact(read_lane_parameters(k, g), read_pose(k, g), p, g.state[k], g.bend[k])
        on = g.closed[k] != 0.0
        fx, fy = z.fn * z.nx - z.ft * z.ny, z.fn * z.ny + z.ft * z.nx
        fx, fy, torque = fx if on else 0.0, fy if on else 0.0, z.D * z.ft if on else 0.0
        g.load[0, k] += fx
        g.load[1, k] += fy
        g.load[2, k] += torque
        hx, hy = 0.0, 0.0
        if offset:
            hx, hy = eval_offset_force(y, p.rx, p.ry, fx, fy)
            hx, hy = hx if y != 0.0 else 0.0, hy if y != 0.0 else 0.0
        g.forces[0, k] += S[0] * fx + dS[0] * hx
        g.forces[1, k] += S[0] * fy + dS[0] * hy
        g.forces[2, k] += S[1] * fx + dS[1] * hx
        g.forces[3, k] += S[1] * fy + dS[1] * hy
        g.forces[4, k] += S[2] * fx + dS[2] * hx
        g.forces[5, k] += S[2] * fy + dS[2] * hy
        g.forces[6, k] += S[3] * fx + dS[3] * hx
        g.forces[7, k] += S[3] * fy + dS[3] * hy


@kernel(inline=True)
def eval_points(j: int, offset: bool, g: Any) -> None:
    """Evaluate the distance D from the centre, the normal force f_n, the tangential velocity v_t and the arc position r
    alpha of point j of all lanes.
    """
    for k in range(LANES):
        _, _, _, p = read_point(j, offset, k, g)
        par, o = read_lane_parameters(k, g), read_pose(k, g)
        z = eval_contact(par, o, p, UNDEFINED, 0.0)
        g.distance[k], g.fn[k], g.vt[k] = z.D, z.fn, z.vt
        g.arc[k] = arc_position(o, p.px - o.cx, p.py - o.cy, par.radius)


@kernel
def add_residual(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    f: FloatArray,
) -> None:  # fmt: skip
    """Add the contact forces of all rows at the coordinates x and the velocities v to f. The forces have the sign of
    the left-hand side of the equations of motion.
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
            spread_lane(c.H, rows[first + k], 2, g.forces, k)
            forces = read_eight(g.forces, k)
            add_sums(c, rows[first + k], circle, forces, g.load[0, k], g.load[1, k], g.load[2, k], f)
