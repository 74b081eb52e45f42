"""Simultaneous evaluation of several segments with vector instructions of the processor. Each segment occupies one
element (lane) of the vector registers.

The method is explained in the section Lanes of docs/explanation/design.md.

The segments in contact (closed segments) of all rows are copied into the lanes in groups of up to eight segments. For
each group, one loop without branches evaluates the lanes, and the caller reads the results lane by lane. The loop reads
and writes only the record g of the type `SEGMENT_LANES`. Unused lanes keep their old values, and the results of unused
lanes are not read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_segments.kernels import (
    Chord,
    SegmentParameters,
    SegmentRows,
    create_chord,
    eval_friction,
    eval_rates,
    force_normals,
    lower_chord,
    place_on_circle,
)
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.contact.circles import Disc
from windlass.connectors.contact.update import touches
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.cable_shape import ShapeMarkers, eval_offset_force
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.elements.cable.points import Four
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES, lane_type

SEGMENT_LANES = lane_type(
    *SegmentParameters._fields, "omega", "a00", "a01", "a10", "a11", "state", "stick", "ft", "vt", "fn", "place",
    "d_rho", "axial", "spring_energy", "bristle_energy", "damper_force", "drift", "gap",
    ends=4, rates=4, slopes=4, slope_rates=4, forces=4, turns=4, powers=6,
)  # fmt: skip
"""Type of the record of eight segments. Data of segments: `SegmentParameters`, omega and A of the circle, state, and
sticking position. ``ends`` and ``rates`` are the positions and velocities of the end points relative to the centre of
the circle. ``slopes`` and ``slope_rates`` are the slopes r' at both ends and the rates of these slopes. ``axial`` is
the axial velocity of the material [m/s].

Results for forces: ``forces`` on both end points, x and y, f_t, and ``turns``, see `eval_turns`. Results for updates:
v_t, f_n, x_cur, and the derivative of x_cur with respect to rho. Results for energy balances: ``powers`` in the order
of `POWERS`, energies of spring and bristle [J], force of the normal damper [N], drift (the part of v_n due to the
motion of the material through the mesh) [m/s], gap [m] and f_n [N].
"""
PLAIN, LOWERED, GENERAL = 0, 1, 2
"""Cases for which the loops over lanes are compiled separately. PLAIN: forces along segment normals, full damping from
the first contact, and sticking positions measured on the segments. LOWERED: as PLAIN, but sticking positions are
measured on the axis, which has an offset from the segments. GENERAL: all combinations.
"""

# Functions are called once for all lanes, because each call has the overhead of counting references to its array
# arguments.


@kernel(inline=True)
def list_row(row: Any, i: int, data: FloatArray, rows: IntArray, numbers: IntArray, count: int) -> int:
    """Append the closed segments of row i, if the row is active, to a list with ``count`` segments. Return the number
    of segments in the list. The arguments ``rows`` and ``numbers`` are explained in `list_closed`.
    """
    n, first = row.segments, row.data
    if row.active and touches(data, first, n):
        for s in range(n):
            # each segment is written to the end of the list, but the counter is increased only if the segment is
            # closed; other segments are overwritten by the next segment
            rows[count], numbers[count] = i, s
            count += data[first + s] <= 0.0
    return count


@kernel(inline=True)
def list_closed(c: SegmentRows, data: FloatArray) -> tuple[IntArray, IntArray, int]:
    """Return the row and the index within the row of each closed segment of active rows, and the number of closed
    segments. The two arrays may have more elements than there are closed segments. The additional elements have no
    meaning.
    """
    most = 1
    for i in range(len(c.rows)):
        most += c.rows[i].segments
    rows, numbers, count = np.empty(most, np.int64), np.empty(most, np.int64), 0
    for i in range(len(c.rows)):
        count = list_row(c.rows[i], i, data, rows, numbers, count)
    return rows, numbers, count


@kernel(inline=True)
def gather_lanes(
    c: SegmentRows,
    shape: ShapeMarkers,
    circle: PositionMarkers,
    data: FloatArray,
    rows: IntArray,
    numbers: IntArray,
    first: int,
    count: int,
    g: Any,
) -> int:
    """Copy ``count`` successive segments, beginning with the index ``first`` of the list, to the first lanes. Return
    the case (combination of optional terms of the law) that is valid for all of these segments.
    """
    case = PLAIN
    for k in range(count):
        s, row = numbers[first + k], c.rows[rows[first + k]]
        ci, m, at = row.circle, row.cable, row.data + s
        j = shape.start[m] + s
        cx, cy, y = circle.position[ci, 0], circle.position[ci, 1], shape.offset[m]
        vx, vy, A = circle.velocity[ci, 0], circle.velocity[ci, 1], circle.rotation
        # positions and velocities of the end points, relative to the centre of the circle
        for end in range(2):
            p, v = shape.position[j + end], shape.velocity[j + end]
            g.ends[2 * end, k], g.ends[2 * end + 1, k] = p[0] - cx, p[1] - cy
            g.rates[2 * end, k], g.rates[2 * end + 1, k] = v[0] - vx, v[1] - vy
        # parameters of the row, see `SegmentParameters`
        g.contact_stiffness[k], g.contact_damping[k] = row.contact_stiffness, row.contact_damping
        g.friction_velocity_penalty[k] = row.friction_velocity_penalty
        g.friction_stiffness[k] = row.friction_stiffness
        g.friction_coefficient[k] = row.friction_coefficient
        g.radius[k], g.length[k], g.damping_depth[k] = row.radius, row.length, row.damping_depth
        g.use_segment_normals[k], g.clip_normal_force[k] = row.use_segment_normals, row.clip_normal_force
        g.is_current[k], g.shift[k], g.vertical_offset[k] = row.is_current, row.shift, y
        # rotation of the circle
        g.omega[k], g.a00[k], g.a01[k] = circle.angular_velocity[ci, 2], A[ci, 0, 0], A[ci, 0, 1]
        g.a10[k], g.a11[k] = A[ci, 1, 0], A[ci, 1, 1]
        # history values, and r' if the contact line has an offset from the axis
        g.state[k], g.stick[k] = UNDEFINED, 0.0
        if c.friction:
            g.state[k], g.stick[k] = data[at + row.segments], data[at + 2 * row.segments]
        if y != 0.0:
            for end in range(2):
                g.slopes[2 * end, k], g.slopes[2 * end + 1, k] = shape.slope[j + end, 0], shape.slope[j + end, 1]
        # fading damping and forces along the normals at the end points require the case GENERAL, which is valid for all
        # segments
        if row.damping_depth != 0.0 or not row.use_segment_normals:
            case = GENERAL
        elif y != 0.0 and row.is_current:
            case = max(case, LOWERED)
    return case


@kernel(inline=True)
def read_lane_parameters(case: int, k: int, g: Any) -> SegmentParameters:
    """Return the parameters of lane k. Parameters that are equal for all segments of the case are returned as
    constants, so that compiled code omits the terms that depend on these parameters.
    """
    fade, y = g.damping_depth[k] if case == GENERAL else 0.0, 0.0 if case == PLAIN else g.vertical_offset[k]
    along = case != GENERAL or g.use_segment_normals[k] != 0.0
    return SegmentParameters(
        g.contact_stiffness[k], g.contact_damping[k], g.friction_velocity_penalty[k], g.friction_stiffness[k],
        g.friction_coefficient[k], g.radius[k], g.length[k], fade, along, g.clip_normal_force[k] != 0.0,
        g.is_current[k] != 0.0, g.shift[k], y,
    )  # fmt: skip


@kernel(inline=True)
def read_chord(k: int, g: Any) -> Chord:
    """Return the `Chord` of the segment in lane k."""
    return create_chord(g.ends[0, k], g.ends[1, k], g.ends[2, k], g.ends[3, k])


@kernel(inline=True)
def read_pose(k: int, g: Any) -> Disc:
    """Return the circle of lane k. Its centre and the velocity of its centre are 0, because lanes contain relative
    positions and velocities.
    """
    return Disc(0.0, 0.0, 0.0, 0.0, g.omega[k], g.a00[k], g.a01[k], g.a10[k], g.a11[k])


@kernel(inline=True)
def read_four(a: FloatArray, k: int) -> Four:
    """Return the four values of lane k of the array a."""
    return a[0, k], a[1, k], a[2, k], a[3, k]


@kernel(inline=True)
def find_place(par: SegmentParameters, o: Disc, h: Chord, case: int, k: int, g: Any) -> tuple[float, float]:
    """Return the position x_cur [m] of the contact point of lane k along circle and segment, and the derivative of
    x_cur [m] with respect to the relative position rho of the closest point.
    """
    z = h
    if case != PLAIN:
        # without an offset, ``g.slopes`` of the lane has no valid values, and `below` is computed but not used
        below = lower_chord(read_four(g.slopes, k), par.vertical_offset, h)
        z = below if par.is_current and par.vertical_offset != 0.0 else h
    x, d_rho, _ = place_on_circle(par, o, z)
    return x, d_rho


@kernel(inline=True)
def eval_forces(case: int, g: Any) -> None:
    """Evaluate the forces of all lanes, for a case that is valid for the segments in all lanes."""
    for k in range(LANES):
        par, o, h, state = read_lane_parameters(case, k, g), read_pose(k, g), read_chord(k, g), g.state[k]
        _, vt, fn = eval_rates(par, o, h, read_four(g.rates, k))
        x, _ = find_place(par, o, h, case, k, g)
        bristle = wrap(x - g.stick[k], par.radius) if state == STICKS and par.friction_stiffness != 0.0 else 0.0
        ft = eval_friction(par, state, vt, bristle, fn)
        n0x, n0y, n1x, n1y = force_normals(par, h)
        rho = h.rho
        g.forces[0, k], g.forces[1, k] = (1.0 - rho) * (fn * n0x - ft * n0y), (1.0 - rho) * (fn * n0y + ft * n0x)
        g.forces[2, k], g.forces[3, k] = rho * (fn * n1x - ft * n1y), rho * (fn * n1y + ft * n1x)
        g.ft[k] = ft


@kernel(inline=True)
def eval_turns(count: int, g: Any) -> None:
    """Evaluate the generalised forces on the slopes r' at both end points of all lanes, which result from the forces at
    the distance y from the axis. If y is 0 in each of the first ``count`` lanes, the forces are not evaluated.
    """
    lowered = False
    for k in range(count):
        lowered |= g.vertical_offset[k] != 0.0
    for k in range(LANES if lowered else 0):
        y, (r0x, r0y, r1x, r1y), (f0x, f0y, f1x, f1y) = (
            g.vertical_offset[k], read_four(g.slopes, k), read_four(g.forces, k)
        )  # fmt: skip
        g.turns[0, k], g.turns[1, k] = eval_offset_force(y, r0x, r0y, f0x, f0y)
        g.turns[2, k], g.turns[3, k] = eval_offset_force(y, r1x, r1y, f1x, f1y)


@kernel(inline=True)
def eval_places(case: int, g: Any) -> None:
    """Evaluate v_t, f_n, x_cur and the derivative of x_cur with respect to rho for all lanes. The case must be valid
    for the segments in all lanes.
    """
    for k in range(LANES):
        par, o, h = read_lane_parameters(case, k, g), read_pose(k, g), read_chord(k, g)
        _, vt, fn = eval_rates(par, o, h, read_four(g.rates, k))
        x, d_rho = find_place(par, o, h, case, k, g)
        g.vt[k], g.fn[k], g.place[k], g.d_rho[k] = vt, fn, x, d_rho
