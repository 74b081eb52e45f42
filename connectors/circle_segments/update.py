"""Kernels that update the contact states of the segments of a cable on a circle between Newton runs, and kernels for
outputs.

The symbols are explained in `kernels.py`. A segment with friction is updated as follows. The word "start" denotes
stored values at the start of the step:

    gap: if (g > 0) differs from (stored gap > 0), error += |k_c (g - stored gap)|. Then the gap is stored.
    deflection: D = wrap(x_cur - last), where last is the sticking position at the start, or x_cur if the state at the
        start is -2.
    force: f_t = mu_v v_t + mu_k D.
    slips: if |f_t| > mu |f_n|, the state is sgn(D), and the new sticking position is chosen such that the bristle
        without damper exerts mu |f_n|.
    sticks: otherwise the state is 0 and the sticking position is last.
    error: if the state differs from the stored state, error += ||f_t| - mu |f_n||.
    no bristles: v_t replaces D. Bristles switched on later have no initial deflection, see `record_positions`.
    no friction: the state is -2 if the segment is open, or if mu_k and mu_v are 0.

The errors of the segments of a row are summed. For each row, |f_n| is summed over the segments that were closed before
the update. The kernels also return the largest of these sums. Solvers compare the errors with this sum.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_segments.kernels import (
    SegmentRows,
    closest_point,
    create_chord,
    eval_segment,
    read_parameters,
    stick_position,
)
from windlass.connectors.circle_segments.lanes import (
    GENERAL,
    LOWERED,
    PLAIN,
    SEGMENT_LANES,
    eval_places,
    gather_lanes,
)
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.contact.circles import create_pose
from windlass.connectors.contact.place_numbers import write_forces, write_place
from windlass.connectors.friction.bristle import STICKS, UNDEFINED, coulomb, decide, slip_bend, trial
from windlass.connectors.markers.cable_shape import ShapeMarkers
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES


@kernel(inline=True)
def store_gaps(
    c: SegmentRows,
    shape: ShapeMarkers,
    circle: PositionMarkers,
    data: FloatArray,
    always: bool,
    error: FloatArray,
) -> tuple[IntArray, IntArray, FloatArray, int, bool]:
    """Store gaps. For each segment that has opened or closed, add |k_c (g - stored gap)| to the ``error`` of the row
    [N]. Here k_c is the contact stiffness, and g is the current gap. If ``always`` is false, only the gaps of these
    segments are stored.

    If ``always`` is true, all gaps are stored, and segments that are open or without friction get the state -2.

    Returns three arrays for the segments that are closed or were closed before: the row, the index within the row, and
    the previous gap of each segment. Also returns the number of these segments, and whether any segment has opened or
    closed.
    """
    # create lists with space for all segments of all rows
    most = 1
    for i in range(len(c.rows)):
        most += c.rows[i].segments
    rows, numbers, gaps = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most)
    count, changed = 0, False
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.active:
            continue
        # circle, and first end point relative to the centre of the circle
        ci, j0, r, n = row.circle, shape.start[row.cable], row.radius, row.segments
        cx, cy = circle.position[ci, 0], circle.position[ci, 1]
        rubs = row.friction_stiffness != 0.0 or row.friction_velocity_penalty != 0.0
        ax, ay = shape.position[j0, 0] - cx, shape.position[j0, 1] - cy
        # loop over segments
        for s in range(n):
            bx, by = shape.position[j0 + s + 1, 0] - cx, shape.position[j0 + s + 1, 1] - cy
            gap, at = closest_point(ax, ay, bx, by)[2] - r, row.data + s
            ax, ay, old = bx, by, data[at]
            switched = (gap > 0.0) != (old > 0.0)
            if switched:
                error[i] += abs(row.contact_stiffness * (gap - old))
                changed = True
            if switched or always:
                data[at] = gap
            if always and (gap > 0.0 or not rubs):
                data[at + n] = UNDEFINED
            # each segment is written to the end of the list, but the counter is increased only if the segment is or was
            # closed; other segments are overwritten by the next segment. This method is faster than a branch
            rows[count], numbers[count], gaps[count] = i, s, old
            count += gap <= 0.0 or old <= 0.0
    return rows, numbers, gaps, count, changed


@kernel(inline=True)
def find_worst(error: FloatArray, force: FloatArray) -> tuple[float, float, int]:
    """Return the largest force error [N] of all rows, the largest normal force [N] of all rows, and the row with the
    largest force error, or -1 if there is no error.
    """
    worst, largest, at = 0.0, 0.0, -1
    for i in range(len(error)):
        largest = max(largest, force[i])
        if error[i] > worst:
            worst, at = error[i], i
    return worst, largest, at


@kernel
def update_gaps(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray
) -> tuple[float, bool, float, int]:
    """Update rows without friction. A gap is stored if its sign has changed. The function returns the same quantities
    as `update_friction`.
    """
    error, force, lanes = np.zeros(len(c.rows)), np.zeros(len(c.rows)), np.zeros(1, SEGMENT_LANES)
    rows, numbers, gaps, total, changed = store_gaps(c, shape, circle, data, False, error)
    for first in range(0, total, LANES):
        some, g = min(LANES, total - first), lanes[0]
        gather_lanes(c, shape, circle, data, rows, numbers, first, some, g)
        eval_places(GENERAL, g)
        for k in range(some):
            # add the normal force of segments that were closed before the update
            if gaps[first + k] <= 0.0:
                force[rows[first + k]] += abs(g.fn[k])
    worst, largest, at = find_worst(error, force)
    return worst, changed, largest, at


@kernel
def update_friction(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray, start: FloatArray
) -> tuple[float, bool, float, int]:
    """Update gaps, states and sticking positions. The argument ``start`` contains the history values at the start of
    the step.

    Returns the largest sum [N] of force errors of a row, whether any contact state has changed, the largest normal
    force [N] of a row for the contact states before the update, and the row with the largest error, or -1 if there is
    no error.
    """
    error, force, lanes = np.zeros(len(c.rows)), np.zeros(len(c.rows)), np.zeros(1, SEGMENT_LANES)
    rows, numbers, gaps, total, changed = store_gaps(c, shape, circle, data, True, error)
    # loop over the segments that are or were closed, with one segment per lane
    for first in range(0, total, LANES):
        some, g = min(LANES, total - first), lanes[0]
        case = gather_lanes(c, shape, circle, data, rows, numbers, first, some, g)
        if case == PLAIN:
            eval_places(PLAIN, g)
        elif case == LOWERED:
            eval_places(LOWERED, g)
        else:
            eval_places(GENERAL, g)
        for k in range(some):
            i = rows[first + k]
            row = c.rows[i]
            r, n, gap_at, fn, vt = row.radius, row.segments, row.data + numbers[first + k], g.fn[k], g.vt[k]
            state_at, stick_at = gap_at + n, gap_at + 2 * n
            # normal force, which determines the friction limit
            if gaps[first + k] <= 0.0:
                force[i] += abs(fn)
            bristles = row.friction_stiffness != 0.0
            if data[gap_at] > 0.0 or not (bristles or row.friction_velocity_penalty != 0.0):
                continue
            # tangential force of a sticking segment, from the sticking position at the start of the step
            limit, last, mu_k = coulomb(row.friction_coefficient, fn)[0], start[stick_at], row.friction_stiffness
            x, d_rho, bristle = last, 0.0, 0.0
            if bristles:
                x, d_rho = g.place[k], g.d_rho[k]
                # a segment that was open at the start of the step begins to stick at its current position
                if start[state_at] == UNDEFINED:
                    last = x
                bristle = wrap(x - last, r)
            # state and sticking position; the bristle determines only the direction of slip, and the force has the
            # magnitude of the friction limit
            ft = trial(mu_k, bristle, row.friction_velocity_penalty, vt)
            excess, state = decide(ft, limit, bristle if bristles else vt)
            stick = last
            if state != STICKS:
                stick = x - state * slip_bend(limit, 0.0, mu_k)
            if state != data[state_at]:
                error[i] += abs(excess)
                changed = True
            data[state_at] = state
            # with current lengths, a stored sticking position does not contain the present shift of the material
            data[stick_at] = stick + row.shift * d_rho if row.is_current else stick
    worst, largest, at = find_worst(error, force)
    return worst, changed, largest, at


@kernel
def record_positions(c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray) -> None:
    """Store the current positions of closed segments with a damper and without bristles as sticking positions.

    With reference lengths, as in the published law, the stored positions are not changed.
    """
    for i in range(len(c.rows)):
        row = c.rows[i]
        has_damper_alone = row.friction_stiffness == 0.0 and row.friction_velocity_penalty != 0.0
        if not row.active or not row.is_current or not has_damper_alone:
            continue
        ci, j0, n, first = row.circle, shape.start[row.cable], row.segments, row.data
        par = read_parameters(row, shape)
        o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, ci)
        for s in range(n):
            if data[first + s] > 0.0:
                continue
            p, q = shape.position[j0 + s], shape.position[j0 + s + 1]
            h = create_chord(p[0] - o.cx, p[1] - o.cy, q[0] - o.cx, q[1] - o.cy)
            x, d_rho, _ = stick_position(par, o, shape.slope, j0 + s, h)
            data[first + 2 * n + s] = x + par.shift * d_rho


@kernel
def begin_bristles(c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray) -> None:
    """Initialise the sticking positions of closed segments with bristles. If the stored value is 0, no position is
    stored yet, and the current position is stored. Only rows whose positions are measured with reference lengths are
    changed.

    The sticking positions of segments without bristles are set to 0. This function is necessary for bristles that are
    switched on between two steps. The published law stores sticking positions only for segments with bristles.
    """
    for i in range(len(c.rows)):
        row = c.rows[i]
        if not row.active or row.is_current:
            continue
        ci, j0, n, first = row.circle, shape.start[row.cable], row.segments, row.data
        par = read_parameters(row, shape)
        o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, ci)
        for s in range(n):
            at = first + 2 * n + s
            if row.friction_stiffness == 0.0:
                data[at] = 0.0
            elif data[at] == 0.0 and data[first + s] <= 0.0:
                p, q = shape.position[j0 + s], shape.position[j0 + s + 1]
                h = create_chord(p[0] - o.cx, p[1] - o.cy, q[0] - o.cx, q[1] - o.cy)
                data[at] = stick_position(par, o, shape.slope, j0 + s, h)[0]


@kernel
def fill_outputs(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray, out: FloatArray
) -> None:
    """Write the output quantities of all segments into out, shape (rows, segments, NUMBERS), see `place_numbers.py`."""
    for i in range(len(c.rows)):
        row = c.rows[i]
        ci, k, n, first = row.circle, row.cable, row.segments, row.data
        par = read_parameters(row, shape)
        o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, ci)
        for s in range(n):
            j = shape.start[k] + s
            state, stick = UNDEFINED, 0.0
            if c.friction:
                state, stick = data[first + n + s], data[first + 2 * n + s]
            z = eval_segment(par, o, shape.position, shape.velocity, shape.slope, j, state, stick)
            h, gap = z.chord, z.chord.D - par.radius
            if row.active and data[first + s] <= 0.0:
                bristle = z.bristle if par.friction_stiffness != 0.0 else z.vt
                write_forces(out[i, s], z.ft, z.fn, bristle if state == 0.0 else 0.0, gap, z.vt, z.vn)
            write_place(out[i, s], gap, state, o.cx + h.D * h.nx, o.cy + h.D * h.ny, h.nx, h.ny)
