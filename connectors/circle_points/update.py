"""Kernel that updates the contact states of a circle with points of a cable. It is called between Newton runs, and
within Newton runs as the return map.

The symbols are explained in `kernels.py`. Gaps and errors are explained in `contact/update.py`. The states of a row are
determined as follows. The word "start" denotes stored values at the start of the step:

    deflection: u is the mean of (m/n) u_k over all points that were closed at the start and do not slip. The stored
        values of m and of the anchors at the start are used.
    slip: all closed points are assumed to stick. Then the point with the largest |f_t| - mu |f_n| > 0 is set to slip, s
        = sgn(f_t), and u is computed again, until no sticking point exceeds its limit.
    touch: the bristles of points that have just touched get the deflection u of the other points.
    sticking anchor: the anchor is set to the position at which (m/n) u_k is u.
    slipping anchor: the anchor is set to the position at which bristle and damper together exert mu |f_n|.

Therefore, if a point opens, its deflection is distributed to the other points, and a point that touches receives a part
of their deflection.

For a row with a press, F minus the initial press is stored. In dynamic solves the current value is stored in every
update, and all Newton runs of a step use the value at its start. In static solves the value is stored only if the
change of the value is so large that another Newton run is necessary. The force error of the update is then the change
of the normal force. The row of a cable that moves onto the circle is called a new row. A new row has no friction until
the step after all of its points have closed with a mean depth near F/(k r), or after one point has opened. Until all
points are closed, points move along the circle by up to l³/(192 R²). Earlier anchors would store this motion as a
spurious strain. On a rigid layer the initial deflection of the bristles of a new row is computed from the distances
between its cable and the neighbouring cables on the circle. On other layers this deflection is computed from the slip
of the cable before the cable reaches the circle. Both cases are explained in `layers.py`.
The result of a dynamic step depends only on the start of the step and on the contact states at its end, not on the
sequence of Newton runs and iterates. At constant contact states, `keep_states` computes press and anchors in each
evaluation of forces by the rules above.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_points.kernels import (
    COMES,
    LAID,
    LATEST,
    PRESS,
    PRESSED,
    READY,
    RUBS,
    STRETCHED,
    WAVE,
    WAVES,
    WAY,
    PointRows,
    count_points,
    count_states,
    eval_growth,
    eval_press,
    find_values,
    read_axis,
)
from windlass.connectors.circle_points.layers import eval_speed, find_bend, find_shear, follow_slip, follow_stretch
from windlass.connectors.circle_points.residual import POINT_LANES, eval_points, gather_rows
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.contact.axes import reach_of_axis
from windlass.connectors.contact.circles import create_pose
from windlass.connectors.contact.decisions import average, find_limit, find_sticking, slip_along, stick_between
from windlass.connectors.contact.update import create_update, place_type
from windlass.connectors.friction.bristle import STICKS, UNDEFINED
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES

RESTS = 2e-5
"""Change of the press of a cable in a static solve, relative to its initial press [1]. Above this value, another Newton
run is made.
"""
DEEP = 0.95
"""Ratio [1] of the mean depth of a cable that moves onto the circle to its final depth F/(k r). Above this value, the
cable has friction.
"""


POINT = place_type("before", "bend", "drag", "h", "limit", eight=4)
"""Type of the record of a point in an update. The fields ``before``, ``bend``, ``drag``, ``h`` and ``limit`` are the
state at the start of the step, (m/n) u_k [m], mu_v v_t [N], mu_k r/D [N/m] and mu |f_n| [N]. The other fields are D,
f_n, v_t and r alpha of the points of eight rows.
"""


@kernel(inline=True)
def measure(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    rows: IntArray, number: int, lanes: NDArray[Any], places: NDArray[Any],
) -> None:  # fmt: skip
    """Evaluate the gap g and the normal force f_n of the points of a row, see `create_update`. Eight rows are evaluated
    at once."""
    lane = number % LANES
    if lane == 0:
        g = lanes[0]
        some, offset, _ = gather_rows(c, circle, data, x, v, rows, number, min(LANES, len(rows) - number), g)
        for k in range(some):
            if offset:
                eval_points(k, True, g)
            else:
                eval_points(k, False, g)
            eight = places[k].eight
            for l in range(LANES):
                eight[0, l], eight[1, l], eight[2, l], eight[3, l] = g.distance[l], g.fn[l], g.vt[l], g.arc[l]
    row = c.rows[rows[number]]
    grown = eval_growth(row, data, PRESS)
    for k in range(row.segments):
        p = places[k]
        p.gap, p.fn = p.eight[0, lane] - row.radius - grown, p.eight[1, lane]


@kernel(inline=True)
def find_first_bend(
    c: PointRows, circle: PositionMarkers, start: FloatArray, x: FloatArray, v: FloatArray, size: FloatArray, i: int,
    lane: int, places: NDArray[Any],
) -> tuple[bool, float, float, float]:  # fmt: skip
    """Return four values of a cable whose friction begins in this step: whether its bristles have an initial
    deflection, this deflection u [m], the mean wave w [1] of the stretch, and the number of cables in this mean. On a
    rigid layer the deflection is computed from the anchors of the neighbouring cables.
    """
    row, wave, waves = c.rows[i], 0.0, 0.0
    n, r = row.segments, row.radius
    o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, row.circle)
    if row.rigid_layer:
        arc = places[0].eight[3, lane]
        middle = arc
        for k in range(1, n):
            middle += wrap(places[k].eight[3, lane] - arc, r) / n
        held, bent, wave, waves, _ = find_bend(c, i, o, read_axis(c, x, i), middle, start)
    else:
        held, bent = find_shear(row, eval_speed(row, o, read_axis(c, x, i), read_axis(c, v, i)), size[0], start)
    return held, bent, wave, waves


@kernel(inline=True)
def bend_bristle(p: Any, held: bool, bent: float, share: float, way: float, r: float) -> None:
    """Set the deflection of the bristle of a point. If ``held``, the deflection is the initial deflection ``bent`` [m],
    and the point contributes to the common deflection. Otherwise the deflection is ``share``, which is m/n at the start
    of the step, times the displacement ``way`` [m] of the point from its anchor at the start of the step. For a point
    without friction at the start of the step the deflection is 0.
    """
    p.bend = 0.0
    if held:
        p.bend, p.before = bent, p.state
    elif p.before != UNDEFINED:
        p.bend = share * wrap(way, r)


@kernel(inline=True)
def decide_states(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, commits: bool, i: int, number: int, places: NDArray[Any],
) -> tuple[float, float, bool]:  # fmt: skip
    """Determine the states of the points of a row, and store the anchors of the points, see `create_update`.

    If ``commits`` is true, also store the press, and whether the cable of a new row has friction. These values change
    only after a Newton run, not within it. Return three values: the change of the normal force due to the press [N],
    the further force 0 (see ``decide`` of `create_update`), and whether the change of the normal force requires a
    further Newton run.
    """
    # parameters of the row
    row, lane = c.rows[i], number % LANES
    n, first, r, mu = row.segments, row.data, row.radius, row.friction_coefficient
    mu_v, mu_k = row.friction_velocity_penalty, row.friction_stiffness
    bristles = mu_k != 0.0
    rubs = mu != 0.0 and (bristles or mu_v != 0.0)
    closed, closed_before = 0, 0
    depth, leaves, follows, least = 0.0, False, row.press != 0.0, np.inf
    for k in range(n):
        gap = places[k].gap
        least = min(least, gap)
        closed += gap <= 0.0
        depth -= gap / n
        leaves |= gap > 0.0 and start[first + k] <= 0.0
        closed_before += start[first + n + k] != UNDEFINED
    # a cable that moves onto a circle has friction from the next step on, in static solves from the next Newton run on,
    # if all of its points touch, or, on short arcs, if its first point has opened again. The friction of a cable whose
    # friction began within a step could lift this cable, so the step would have two solutions
    lies, laid = leaves or (closed == n and depth >= DEEP * eval_growth(row, data, PRESS)), True
    if follows:
        laid = start[first + 3 * n + RUBS] != COMES
        laid |= size[0] == 0.0 and (lies or data[first + 3 * n + RUBS] == LAID)
    # initial deflection of the bristles of a cable whose friction begins
    held, bent, wave, waves = False, 0.0, 0.0, 0.0
    if follows and laid and rubs and bristles and closed_before == 0 and closed > 0:
        held, bent, wave, waves = find_first_bend(c, circle, start, x, v, size, i, lane, places)
    # state, friction limit, force of the damper, and deflection of the bristle from its anchor at the start of the step
    for k in range(n):
        p = places[k]
        p.before, p.state = start[first + n + k], UNDEFINED
        if not (rubs and laid):
            continue
        if p.gap <= 0.0:
            p.state = STICKS
        p.limit, p.h, p.drag, p.bend = find_limit(mu, p.fn), mu_k * r / p.eight[0, lane], mu_v * p.eight[2, lane], 0.0
        if bristles and (held or p.before == UNDEFINED):
            # the damper of a new bristle has no effect in this step
            p.drag = 0.0
        if bristles:
            bend_bristle(p, held, bent, closed_before / n, p.eight[3, lane] - start[first + 2 * n + k], r)
    # compute the common deflection of the sticking points, and then the states and anchors of all points
    u = find_sticking(n, places)
    if not commits:
        u = stick_between(n, first, data, places, u)
    # while a cable moves onto the circle, slip of points with low pressure does not change the anchor of the cable, see
    # layers.py
    holds = False
    for k in range(n):
        holds |= held and places[k].state == STICKS
    for k in range(n):
        p = places[k]
        if p.state != UNDEFINED:
            # without bristles the anchor is the present position, so bristles that are switched on later have no
            # initial deflection
            own = u if p.state == STICKS or holds else slip_along(p)
            data[first + 2 * n + k] = p.eight[3, lane] - n / closed * own
    # store the press F of the cable, by which the circle is enlarged
    if not (follows and commits):
        return 0.0, 0.0, False
    data[first + 3 * n + RUBS] = COMES
    if not rubs or (laid and closed > 0):
        data[first + 3 * n + RUBS] = LAID
    elif lies and closed > 0:
        data[first + 3 * n + RUBS] = READY
    o = create_pose(circle.position, circle.velocity, circle.angular_velocity, circle.rotation, row.circle)
    q, w, at_rest = read_axis(c, x, i), read_axis(c, v, i), True
    for a in range(8):
        at_rest &= w[a] == 0.0
    # integrate the displacement, and the stretch or slip, of a cable that has not yet reached the circle
    grown = eval_growth(row, data, PRESS)
    if row.rigid_layer:
        now = start[first + 3 * n + WAY], start[first + 3 * n + STRETCHED], start[first + 3 * n + LATEST]
        if closed == 0:
            now = follow_stretch(row, o, q, w, least, grown, size[0], now)
        data[first + 3 * n + WAY], data[first + 3 * n + STRETCHED], data[first + 3 * n + LATEST] = now
        if held:
            data[first + 3 * n + WAVE], data[first + 3 * n + WAVES] = wave, waves
    else:
        follow_slip(row, o, q, eval_speed(row, o, q, w), least, grown, size[0], closed > 0, start, data)
    old, press = data[first + 3 * n + PRESS], eval_press(row, o, q, w) - row.press
    data[first + 3 * n + PRESSED] = old
    # dynamic solves use the new press in the next step; static solves have no next step and make another Newton run
    change = abs(press - old) * row.length * n / r if closed > 0 else 0.0
    if not at_rest:
        data[first + 3 * n + PRESS] = press
    elif change > RESTS * row.press * row.length * n / r:
        data[first + 3 * n + PRESS] = press
        return change, 0.0, True
    return 0.0, 0.0, False


@kernel(inline=True)
def is_far(c: PointRows, circle: PositionMarkers, data: FloatArray, x: FloatArray, i: int) -> bool:
    """Return whether all points of row i are certainly open, see `create_update`."""
    row, q = c.rows[i], read_axis(c, x, i)
    at, z = circle.position[row.circle], 0.0
    reach = reach_of_axis(row.length * row.segments, (q[0], q[1], z, q[2], q[3], z, q[4], q[5], z, q[6], q[7], z))
    dx, dy, reach = q[0] - at[0], q[1] - at[1], reach + abs(row.vertical_offset)
    far: bool = np.sqrt(dx * dx + dy * dy) > row.radius + eval_growth(row, data, PRESS) + reach
    return far


_update = create_update(count_points, find_values, POINT, POINT_LANES, measure, decide_states, is_far)


@kernel(inline=True)
def keep_anchors(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, i: int, lane: int, places: NDArray[Any],
) -> None:  # fmt: skip
    """Compute the anchors of the sticking points of row i at constant contact states, see `keep_states`."""
    row = c.rows[i]
    n, first = row.segments, row.data
    closed, before, members, _ = count_states(row, data, start)
    for k in range(n):
        places[k].state, places[k].before = data[first + n + k], start[first + n + k]
    held, bent = False, 0.0
    if before == 0 and row.press != 0.0:
        held, bent, _, _ = find_first_bend(c, circle, start, x, v, size, i, lane, places)
    if not held and members == 0:
        return
    for k in range(n):
        p = places[k]
        bend_bristle(p, held, bent, before / n, p.eight[3, lane] - start[first + 2 * n + k], row.radius)
    u = average(n, places, 0.0)
    for k in range(n):
        if places[k].state == STICKS:
            data[first + 2 * n + k] = places[k].eight[3, lane] - n / closed * u


@kernel(inline=True)
def keep_states(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray,
) -> None:  # fmt: skip
    """Compute the anchors of sticking points at constant contact states, by the same rules as `decide_states`, and take
    the press from the start of the step.

    A Newton run with constant contact states therefore has the same solution as a run in which return maps decide, if
    both have the same states. The solution does not depend on earlier Newton runs of the step.
    """
    rows, total, most = np.empty(len(c.rows), np.int64), 0, 0
    for i in range(len(c.rows)):
        row = c.rows[i]
        n, first = row.segments, row.data
        if not row.active:
            continue
        if row.press != 0.0:
            data[first + 3 * n + PRESS] = start[first + 3 * n + PRESS]
        if row.friction_coefficient == 0.0 or row.friction_stiffness == 0.0:
            continue
        closed, before, members, differs = count_states(row, data, start)
        comes = before == 0 and row.press != 0.0
        if differs and closed > 0 and (comes or members > 0):
            rows[total] = i
            total, most = total + 1, max(most, n)
    places, lanes, rows = np.zeros(most, POINT), np.zeros(1, POINT_LANES), rows[:total]
    for number in range(total):
        measure(c, circle, data, start, x, v, rows, number, lanes, places)
        keep_anchors(c, circle, data, start, x, v, size, rows[number], number % LANES, places)


@kernel
def update_history(
    c: PointRows, circle: PositionMarkers, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update all rows, see `create_update`. If ``commits`` is false and `Fields.mapped` is 0, see `keep_states`."""
    if not commits and mapped[0] == 0.0:
        keep_states(c, circle, data, start, x, v, size)
    else:
        _update(c, circle, data, start, x, v, size, mapped, commits, outcome)
