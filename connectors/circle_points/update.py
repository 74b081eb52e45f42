"""Kernel that updates the contact states of a circle with points of a cable, between Newton runs and as the return map
within Newton runs.

See `kernels.py` for the symbols. Update of a row; "start" denotes stored values at the start of the step:

    gap: if (g > 0) differs from the stored state, error += |k_c (g - stored gap)|, and the gap is stored.
    deflection: u is the mean of (m/n) u_k, with m and the anchors at the start, over all points that were closed at the
        start and do not slip.
    slip: all points are first assumed to stick; points with |f_t| > mu |f_n| slip, s = sgn(f_t), until no point exceeds
        its limit.
    touch: points that have just touched get the u of the other points.
    sticking anchor: the anchor is placed where (m/n) u_k is u.
    slipping anchor: the anchor is placed where bristle and damper together give mu |f_n|.
    error: if the state differs from the stored state, error += ||f_t| - mu |f_n||.
    no friction: the state is -2 and f_t = 0 if the point is open, if mu = 0, or if mu_k and mu_v are 0.

So if a point opens, the other points take over its deflection; a point that touches takes over a part of the
deflection.

For a row with a press, F - press of the cable is stored. In dynamic solves the current value is stored in every update.
If the cable is at rest, the value is stored only after a change that requires another pass; the change of the normal
force is the error. A new row has no friction until all of its points are closed, with a mean depth near F/(k r), or
until one point opens. Before all points are closed, cubics move along the circle by up to l³/(192 R²), and earlier
anchors would keep this motion as a false strain. The initial deflection of the new row is computed on a rigid layer
from its distance from its neighbours on the circle, see `rigid_layer.py`, otherwise from its slip before the circle,
see `soft_layer.py`.

Errors are compared with the sum of |f_n| over the points that were closed before the update.

Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.circle_points.kernels import (
    COMES,
    LAID,
    LATEST,
    PRESS,
    PRESSED,
    RUBS,
    STRETCHED,
    WAVE,
    WAVES,
    WAY,
    PointRows,
    eval_growth,
    eval_press,
    gather,
)
from windlass.connectors.circle_points.lanes import POINT_LANES, eval_points, gather_rows
from windlass.connectors.circle_points.rigid_layer import find_bend, follow_stretch
from windlass.connectors.circle_points.soft_layer import eval_speed, find_shear, follow_slip
from windlass.connectors.circle_segments.arctangent import wrap
from windlass.connectors.circle_segments.kernels import create_pose
from windlass.connectors.friction.bristle import STICKS, UNDEFINED, coulomb, decide, slip_bend, trial
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES

RESTS = 2e-5
"""Change of the press of a cable at rest, relative to the press as mounted, above which another pass is made [1]."""
DEEP = 0.95
"""Depth of a new cable, relative to the final depth, from which the cable has friction [1]."""


@kernel(inline=True)
def find_sticking(
    n: int,
    before: FloatArray,
    bend: FloatArray,
    drag: FloatArray,
    h: FloatArray,
    limit: FloatArray,
    state: FloatArray,
    excess: FloatArray,
) -> float:
    """Set the states of the closed points of a row and their excess |f_t| - mu |f_n| [N]; return the common deflection
    u [m].

    before: states at the start of the step; bend: (m/n) u_k [m]; drag: mu_v v_t [N]; h: mu_k r/D [N/m];
    limit: mu |f_n| [N]; arrays of shape (n,) or more.
    """
    u, again = 0.0, True
    while again:
        total, count, again = 0.0, 0, False
        for k in range(n):
            # the deflection of a sticking point that opens is distributed to the other points
            if before[k] != UNDEFINED and (state[k] == STICKS or (state[k] == UNDEFINED and before[k] == STICKS)):
                total, count = total + bend[k], count + 1
        if count > 0:
            u = total / count
        for k in range(n):
            if state[k] != STICKS:
                continue
            ft = trial(h[k], u, 1.0, drag[k])
            excess[k], slid = decide(ft, limit[k], ft)
            if slid != STICKS:
                state[k], again = slid, True
    return u


@kernel
def update_history(
    c: PointRows,
    circle: PositionColumns,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    outcome: FloatArray,
    mapped: FloatArray,
    step_size: FloatArray,
    commits: bool,
) -> None:
    """Update gaps, states and anchors; ``start`` contains the history values at the start of the step.

    If ``commits`` is true, also write the press and the mark of a new cable, which only a solved step may change.
    Otherwise update only the residuals that `mapped` counts, see `Fields`, and write no outcome.

    The outcome consists of the largest sum of force errors of a row [N]; whether any point opened, closed, began to
    stick or slip; the largest normal force of a row [N] with the contact states before the update; and the row of the
    largest error, -1 without errors.
    """
    if not commits and mapped[0] <= 0.0:
        return
    worst, changed, largest, worst_row, most, total = 0.0, False, 0.0, -1, 0, 0
    rows = np.empty(len(c.rows), np.int64)
    for i in range(len(c.rows)):
        most = max(most, c.rows[i].segments)
        if c.rows[i].active:
            rows[total] = i
            total += 1
    before, bend, drag, h, limit = np.empty(most), np.empty(most), np.empty(most), np.empty(most), np.empty(most)
    state, excess, points, lanes = np.empty(most), np.empty(most), np.empty((most, 4, LANES)), np.zeros(1, POINT_LANES)
    for number in range(total):
        lane = number % LANES
        if lane == 0:
            # evaluate the points of the next rows in parallel lanes
            g = lanes[0]
            some, offset, _ = gather_rows(c, circle, data, x, v, rows, number, min(LANES, total - number), g)
            for k in range(some):
                if offset:
                    eval_points(k, True, g)
                else:
                    eval_points(k, False, g)
                for l in range(LANES):
                    points[k, 0, l], points[k, 1, l] = g.distance[l], g.fn[l]
                    points[k, 2, l], points[k, 3, l] = g.vt[l], g.arc[l]
        # parameters of the row
        i = rows[number]
        row = c.rows[i]
        n, first, r, kc, mu = row.segments, row.data, row.radius, row.contact_stiffness, row.friction_coefficient
        mu_v, mu_k = row.friction_velocity_penalty, row.friction_stiffness
        bristles = mu_k != 0.0
        rubs = mu != 0.0 and (bristles or mu_v != 0.0)
        closed, closed_before, force, error, grown = 0, 0, 0.0, 0.0, eval_growth(row, data, PRESS)
        depth, leaves, follows, least = 0.0, False, row.press != 0.0, np.inf
        for k in range(n):
            gap = points[k, 0, lane] - r - grown
            least = min(least, gap)
            closed += gap <= 0.0
            depth -= gap / n
            leaves |= gap > 0.0 and start[first + k] <= 0.0
            closed_before += start[first + n + k] != UNDEFINED
        # a cable that runs onto a circle gets friction when all of it lies on the circle, or when it leaves a short arc
        laid = not follows or start[first + 3 * n + RUBS] == LAID
        laid |= (closed == n and depth >= DEEP * grown) or leaves
        # deflection of a new cable; on a rigid layer its neighbours determine it
        held, bent, wave, waves = False, 0.0, 0.0, 0.0
        if row.rigid_layer and laid and rubs and bristles and closed_before == 0 and closed > 0:
            middle = points[0, 3, lane]
            for k in range(1, n):
                middle += wrap(points[k, 3, lane] - points[0, 3, lane], r) / n
            o = create_pose(circle.p, circle.v, circle.omega, circle.A, row.circle)
            held, bent, wave, waves = find_bend(c, i, o, gather(x, c.dofs, i), middle, start)
        elif follows and laid and rubs and bristles and closed_before == 0 and closed > 0:
            o = create_pose(circle.p, circle.v, circle.omega, circle.A, row.circle)
            held, bent = find_shear(
                row, eval_speed(row, o, gather(x, c.dofs, i), gather(v, c.dofs, i)), step_size[0], start
            )
        # gaps with their errors; deflection, damping and friction limit
        for k in range(n):
            D, fn, vt, arc = points[k, 0, lane], points[k, 1, lane], points[k, 2, lane], points[k, 3, lane]
            gap, old = D - r - grown, data[first + k]
            if (gap > 0.0) != (old > 0.0):
                error += abs(kc * (gap - old))
                changed = True
            if old <= 0.0:
                force += abs(fn)
            data[first + k] = gap
            # state, friction limit, and deflection of the bristle since the start of the step
            before[k], state[k] = start[first + n + k], UNDEFINED
            if not (rubs and laid):
                continue
            if gap <= 0.0:
                state[k] = STICKS
            limit[k], h[k], drag[k], bend[k] = coulomb(mu, fn)[0], mu_k * r / D, mu_v * vt, 0.0
            if held:
                bend[k], drag[k], before[k] = bent, 0.0, state[k]
            elif bristles and before[k] != UNDEFINED:
                bend[k] = closed_before / n * wrap(arc - start[first + 2 * n + k], r)
            elif bristles:
                # the damper of a new bristle has no effect in this step
                drag[k] = 0.0
        # sticking points have one common deflection; then states and anchors of all points
        u = find_sticking(n, before, bend, drag, h, limit, state, excess)
        # slip of points with low pressure does not move the anchor of a cable that runs onto the circle, see
        # rigid_layer.py
        holds = False
        for k in range(n):
            holds |= held and state[k] == STICKS
        for k in range(n):
            if state[k] != data[first + n + k] and state[k] != UNDEFINED:
                error += abs(excess[k])
                changed = True
            data[first + n + k] = state[k]
            if state[k] != UNDEFINED:
                # without bristles the anchor is the current position, so bristles that are switched on later begin
                # without deflection
                own = u if state[k] == STICKS or holds else state[k] * slip_bend(limit[k], state[k] * drag[k], h[k])
                data[first + 2 * n + k] = points[k, 3, lane] - n / closed * own
        # press that enlarges the circle
        if follows and commits:
            data[first + 3 * n + RUBS] = LAID if not rubs or (laid and closed > 0) else COMES
            o = create_pose(circle.p, circle.v, circle.omega, circle.A, row.circle)
            q, w, at_rest = gather(x, c.dofs, i), gather(v, c.dofs, i), True
            for a in range(8):
                at_rest &= w[a] == 0.0
            if row.rigid_layer:
                now = start[first + 3 * n + WAY], start[first + 3 * n + STRETCHED], start[first + 3 * n + LATEST]
                if closed == 0:
                    now = follow_stretch(row, o, q, w, least, grown, step_size[0], now)
                data[first + 3 * n + WAY], data[first + 3 * n + STRETCHED], data[first + 3 * n + LATEST] = now
                if held:
                    data[first + 3 * n + WAVE], data[first + 3 * n + WAVES] = wave, waves
            else:
                follow_slip(row, o, q, eval_speed(row, o, q, w), least, grown, step_size[0], closed > 0, start, data)
            old, press = data[first + 3 * n + PRESS], eval_press(row, o, q, w) - row.press
            data[first + 3 * n + PRESSED] = old
            # dynamic solves use the new press in the next step; static solves have no next step and make another pass
            change = abs(press - old) * row.length * n / r if closed > 0 else 0.0
            if not at_rest:
                data[first + 3 * n + PRESS] = press
            elif change > RESTS * row.press * row.length * n / r:
                data[first + 3 * n + PRESS], error, changed = press, error + change, True
        largest = max(largest, force)
        if error > worst:
            worst, worst_row = error, i
    if commits:
        note_outcome(outcome, worst, np.inf, changed, largest, worst_row)
