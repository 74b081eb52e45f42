"""Kernels that switch the contact of a circle with a cable between Newton runs, and those of its outputs.

See `kernels.py` for the letters.  The update of one segment with friction, with the stored values of the
start of the step where "start" is said:

    gap:        (g > 0) other than stored: error += |k_c (g - stored gap)|; the gap is stored.
                Errors are compared with sum |f_n| over the segments that were closed before, the force that acted.
    closed:     D = wrap(x_cur - last), last = start sticking position, or x_cur if the start state is -2;
                f_t = mu_v v_t + mu_k D;  slips if |f_t| > mu |f_n|: state sgn(D), sticking position such that the
                bristle alone gives mu |f_n|; else sticks: state 0, sticking position last.
                A state other than stored: error += ||f_t| - mu |f_n||.  Without bristles v_t stands for D, and
                the law records x_cur afterwards: bristles that are switched on later begin unbent.
    open, or neither mu_k nor mu_v: state -2.
"""

from __future__ import annotations

from windlass.connectors.circle_segments.friction import UNDEFINED, decide, wrap
from windlass.connectors.circle_segments.kernels import (
    ContactColumns,
    closest_point,
    create_chord,
    create_law,
    create_pose,
    eval_segment,
    normal_force,
    stick_position,
)
from windlass.connectors.markers.cable_shape import ShapeColumns
from windlass.connectors.markers.position_kernels import PositionColumns
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel


@kernel
def update_gaps(
    c: ContactColumns, shape: ShapeColumns, circle: PositionColumns, data: FloatArray
) -> tuple[float, bool, float, int]:
    """Frictionless update: a gap is written where it changed its sign; returns what `update_friction` does."""
    worst, changed, largest, worst_row = 0.0, False, 0.0, -1
    for i in range(len(c.n)):
        if not c.active[i]:
            continue
        ci, j0, r, error, force = c.circle[i], shape.start[c.cable[i]], c.r[i], 0.0, 0.0
        law = create_law(c, shape, i)
        cx, cy, cvx, cvy = circle.p[ci, 0], circle.p[ci, 1], circle.v[ci, 0], circle.v[ci, 1]
        for s in range(c.n[i]):
            j = j0 + s
            rho, _, D, nx, ny = closest_point(
                shape.p[j, 0] - cx, shape.p[j, 1] - cy, shape.p[j + 1, 0] - cx, shape.p[j + 1, 1] - cy
            )
            # normal force with the decisions before, then the gap
            g, old = D - r, data[c.data[i] + s]
            if old <= 0.0:
                vx = (1.0 - rho) * shape.v[j, 0] + rho * shape.v[j + 1, 0] - cvx
                vy = (1.0 - rho) * shape.v[j, 1] + rho * shape.v[j + 1, 1] - cvy
                force += abs(normal_force(law, g, vx * nx + vy * ny)[0])
            if (g > 0.0) != (old > 0.0):
                error += abs(c.kc[i] * (g - old))
                changed = True
                data[c.data[i] + s] = g
        largest = max(largest, force)
        if error > worst:
            worst, worst_row = error, i
    return worst, changed, largest, worst_row


@kernel
def update_friction(
    c: ContactColumns, shape: ShapeColumns, circle: PositionColumns, data: FloatArray, start: FloatArray
) -> tuple[float, bool, float, int]:
    """Update gaps, states and sticking positions; ``start`` are the history values at the start of the step.

    Returns the largest sum of force errors of a row [N], whether any segment opened, closed, stuck or slipped, the
    largest normal force of a row [N] with the decisions before, and the row of the largest error, -1 for none.
    """
    worst, changed, largest, worst_row = 0.0, False, 0.0, -1
    for i in range(len(c.n)):
        if not c.active[i]:
            continue
        ci, j0, r, n, error, force = c.circle[i], shape.start[c.cable[i]], c.r[i], c.n[i], 0.0, 0.0
        law = create_law(c, shape, i)
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, ci)
        bristles, rubs = c.mu_k[i] != 0.0, c.mu_k[i] != 0.0 or c.mu_v[i] != 0.0
        for s in range(n):
            j, gap_at = j0 + s, c.data[i] + s
            h = create_chord(
                shape.p[j, 0] - o.cx, shape.p[j, 1] - o.cy, shape.p[j + 1, 0] - o.cx, shape.p[j + 1, 1] - o.cy
            )
            # gap
            g, old = h.D - r, data[gap_at]
            if (g > 0.0) != (old > 0.0):
                error += abs(c.kc[i] * (g - old))
                changed = True
            data[gap_at] = g
            state_at, stick_at = gap_at + n, gap_at + 2 * n
            # normal force, which limits the friction
            vx = (1.0 - h.rho) * shape.v[j, 0] + h.rho * shape.v[j + 1, 0] - o.vx
            vy = (1.0 - h.rho) * shape.v[j, 1] + h.rho * shape.v[j + 1, 1] - o.vy
            fn, _, _ = normal_force(law, g, vx * h.nx + vy * h.ny)
            if old <= 0.0:
                force += abs(fn)
            if g > 0.0 or not rubs:
                data[state_at] = UNDEFINED
                continue
            # tangential force if it sticks, from the anchor of the start of the step
            vt = vy * h.nx - vx * h.ny - r * o.omega
            limit, last = c.mu[i] * abs(fn), start[stick_at]
            x, d_rho, slip, ft = last, 0.0, vt, c.mu_v[i] * vt
            if bristles:
                x, d_rho, _ = stick_position(law, o, shape.slope, j, h)
                # a segment that was open at the start of the step begins to stick where it is now
                if start[state_at] == UNDEFINED:
                    last = x
                slip = wrap(x - last, r)
                ft += c.mu_k[i] * slip
            # state and sticking position
            excess, state, stick = decide(ft, limit, slip, x, last, c.mu_k[i])
            if state != data[state_at]:
                error += abs(excess)
                changed = True
            data[state_at] = state
            # on current lengths it is stored beside the material that is there now
            data[stick_at] = stick + law.shift * d_rho if law.current else stick
        largest = max(largest, force)
        if error > worst:
            worst, worst_row = error, i
    return worst, changed, largest, worst_row


@kernel
def record_positions(c: ContactColumns, shape: ShapeColumns, circle: PositionColumns, data: FloatArray) -> None:
    """Store where closed segments with a damper and without bristles are now as their sticking positions.

    Not with reference lengths, the published law: its recorded positions stay.
    """
    for i in range(len(c.n)):
        if not c.active[i] or not c.current[i] or c.mu_k[i] != 0.0 or c.mu_v[i] == 0.0:
            continue
        ci, j0, n, first = c.circle[i], shape.start[c.cable[i]], c.n[i], c.data[i]
        law = create_law(c, shape, i)
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, ci)
        for s in range(n):
            if data[first + s] > 0.0:
                continue
            p, q = shape.p[j0 + s], shape.p[j0 + s + 1]
            h = create_chord(p[0] - o.cx, p[1] - o.cy, q[0] - o.cx, q[1] - o.cy)
            x, d_rho, _ = stick_position(law, o, shape.slope, j0 + s, h)
            data[first + 2 * n + s] = x + law.shift * d_rho


@kernel
def begin_bristles(c: ContactColumns, shape: ShapeColumns, circle: PositionColumns, data: FloatArray) -> None:
    """With reference lengths: closed segments without a sticking position (0) get that of now, if they have bristles.

    Those without bristles lose theirs.  For parameters that were switched between two steps: the published law
    stores no positions while there are no bristles.
    """
    for i in range(len(c.n)):
        if not c.active[i] or c.current[i]:
            continue
        ci, j0, n, first = c.circle[i], shape.start[c.cable[i]], c.n[i], c.data[i]
        law = create_law(c, shape, i)
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, ci)
        for s in range(n):
            at = first + 2 * n + s
            if c.mu_k[i] == 0.0:
                data[at] = 0.0
            elif data[at] == 0.0 and data[first + s] <= 0.0:
                p, q = shape.p[j0 + s], shape.p[j0 + s + 1]
                h = create_chord(p[0] - o.cx, p[1] - o.cy, q[0] - o.cx, q[1] - o.cy)
                data[at] = stick_position(law, o, shape.slope, j0 + s, h)[0]


@kernel
def fill_outputs(
    c: ContactColumns, shape: ShapeColumns, circle: PositionColumns, data: FloatArray, out: FloatArray
) -> None:
    """Per segment [f_t, f_n, u_t, g, v_t, v_n, gap, state, p_x, p_y, n_x, n_y] into out, shape (rows, segments, 12).

    The first six are 0 where the history says open, or the row is switched off; u_t is v_t if there are no bristles.
    """
    for i in range(len(c.n)):
        ci, k, n, first = c.circle[i], c.cable[i], c.n[i], c.data[i]
        law = create_law(c, shape, i)
        o = create_pose(circle.p, circle.v, circle.omega, circle.A, ci)
        for s in range(n):
            j = shape.start[k] + s
            state, stick = UNDEFINED, 0.0
            if c.friction:
                state, stick = data[first + n + s], data[first + 2 * n + s]
            z = eval_segment(law, o, shape.p, shape.v, shape.slope, j, state, stick)
            h, gap = z.chord, z.chord.D - law.r
            if c.active[i] and data[first + s] <= 0.0:
                out[i, s, 0], out[i, s, 1] = z.ft, z.fn
                if state == 0.0:
                    out[i, s, 2] = z.bristle if law.mu_k != 0.0 else z.vt
                out[i, s, 3] = gap
                out[i, s, 4], out[i, s, 5] = z.vt, z.vn
            out[i, s, 6], out[i, s, 7] = gap, state
            out[i, s, 8], out[i, s, 9] = o.cx + h.D * h.nx, o.cy + h.D * h.ny
            out[i, s, 10], out[i, s, 11] = h.nx, h.ny
