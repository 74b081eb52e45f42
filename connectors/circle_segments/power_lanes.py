"""Evaluation of the powers and energies of several segments at once. Lanes are explained in `lanes.py`, and the powers
are defined in `power.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_segments.kernels import (
    Chord,
    SegmentParameters,
    SegmentRows,
    closest_point,
    eval_friction,
    force_normals,
    lower_chord,
    place_on_circle,
)
from windlass.connectors.circle_segments.kernels import eval_rates as eval_contact_rates
from windlass.connectors.circle_segments.lanes import (
    GENERAL,
    LOWERED,
    PLAIN,
    SEGMENT_LANES,
    eval_turns,
    gather_lanes,
    list_closed,
    list_row,
    read_chord,
    read_four,
    read_lane_parameters,
    read_pose,
)
from windlass.connectors.circle_segments.residual import NO_SUMS, add_lanes, put_sums
from windlass.connectors.contact.account import (
    BRISTLE_ENERGY,
    BRISTLE_POWER,
    CONTACT_STATE,
    DAMPER_FORCE,
    DAMPER_POWER,
    DEPTH,
    DRIFT,
    NO_GAP,
    NORMAL_FORCE,
    OPEN,
    PARTS,
    SPRING_ENERGY,
)
from windlass.connectors.contact.arctangent import wrap
from windlass.connectors.friction.bristle import SLIPS, STICKS, bent_energy
from windlass.connectors.markers.cable_shape import ShapeMarkers
from windlass.connectors.markers.position_kernels import PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.lanes import LANES


@kernel(inline=True)
def gather_rates(
    c: SegmentRows, shape: ShapeMarkers, s_t: FloatArray, rows: IntArray, numbers: IntArray, first: int, count: int,
    g: Any,
) -> None:  # fmt: skip
    """Copy the slopes, the rates of slopes and the axial velocities of ``count`` segments, beginning with the index
    ``first`` of the list, to the first lanes. The argument ``s_t``, shape (rows,), contains the axial velocity of each
    row [m/s]. Before this function, `gather_lanes` must be called, which copies the slopes of segments with an offset.
    """
    for k in range(count):
        i = rows[first + k]
        j = shape.start[c.rows[i].cable] + numbers[first + k]
        for end in range(2):
            for d in range(2):
                if g.vertical_offset[k] == 0.0:
                    g.slopes[2 * end + d, k] = shape.slope[j + end, d]
                g.slope_rates[2 * end + d, k] = shape.slope_rate[j + end, d]
        g.axial[k] = s_t[i]


@kernel(inline=True)
def invert(x: float) -> float:
    """Return 1/x, or 0 for x = 0, where x >= 0. In unused lanes, x can be 0."""
    return 1.0 / x if x > 0.0 else 0.0


@kernel(inline=True)
def place_velocity(y: float, s_t: float, end: int, k: int, g: Any) -> tuple[float, float]:
    """Return the velocity of a point of the axis relative to the centre of the circle. The end point ``end`` (0 or 1)
    of the segment in lane k lies at the offset y from this point. The point is fixed in the mesh and not in the
    material, which moves at the axial velocity s_t.
    """
    rx, ry, vx, vy = g.slopes[2 * end, k], g.slopes[2 * end + 1, k], g.rates[2 * end, k], g.rates[2 * end + 1, k]
    il = invert(np.sqrt(rx * rx + ry * ry))
    turn = y * (rx * g.slope_rates[2 * end + 1, k] - ry * g.slope_rates[2 * end, k]) * il * il * il
    turn = turn if y != 0.0 else -s_t
    return vx + turn * rx, vy + turn * ry


@kernel(inline=True)
def slip_rate(par: SegmentParameters, z: Chord, d_rho: float, d_length: float, y: float, k: int, g: Any) -> float:
    """Return the rate [m/s] of x_cur in lane k, where x_cur is measured on the chord ``z`` at the distance y from the
    segment. d_rho and d_length are the derivatives of x_cur with respect to rho and to the length of the chord.
    """
    s_t = g.axial[k]
    ax, ay = place_velocity(y, s_t, 0, k, g)
    bx, by = place_velocity(y, s_t, 1, k, g)
    ex, ey = z.bx - z.ax, z.by - z.ay
    E = ex * ex + ey * ey
    # motion of the ends along n rotates the chord; motion along t shifts the chord in its own direction, see
    # `chord_derivatives`
    turning = z.nx * (ax - bx) + z.ny * (ay - by)
    q = z.rho
    along = z.nx * (ay + q * (by - ay)) - z.ny * (ax + q * (bx - ax))
    il = invert(np.sqrt(E))
    iE, iD = il * il if z.free else 0.0, invert(z.D)
    h = (z.nx * ey - z.ny * ex) * iE
    rho_t = z.D * iE * turning - h * along
    at_chord, at_end = h * turning, iD * along
    theta_t = at_chord if z.free else at_end
    rolls = d_rho * (rho_t - s_t * invert(par.length)) + d_length * il * (ex * (bx - ax) + ey * (by - ay))
    rate: float = par.radius * (theta_t - g.omega[k]) + rolls
    return rate


@kernel(inline=True)
def eval_lanes(case: int, g: Any) -> None:
    """Evaluate powers and energies of all lanes, for a case that is valid for the segments in all lanes."""
    for k in range(LANES):
        par, o, h, state = read_lane_parameters(case, k, g), read_pose(k, g), read_chord(k, g), g.state[k]
        vax, vay, vbx, vby = read_four(g.rates, k)
        vn, vt, fn = eval_contact_rates(par, o, h, (vax, vay, vbx, vby))
        z, y = h, 0.0
        if case != PLAIN:
            below = lower_chord(read_four(g.slopes, k), par.vertical_offset, h)
            on_axis = par.is_current and par.vertical_offset != 0.0
            z, y = below if on_axis else h, par.vertical_offset if on_axis else 0.0
        # friction force and slip rate
        x, d_rho, d_length = place_on_circle(par, o, z)
        slips, sticks, has_bristle = abs(state) == SLIPS, state == STICKS, par.friction_stiffness != 0.0
        bristle = wrap(x - g.stick[k], par.radius) if sticks and has_bristle else 0.0
        ft = eval_friction(par, state, vt, bristle, fn)
        rate = slip_rate(par, z, d_rho, d_length, y, k, g)
        slip = rate if has_bristle & (sticks | slips) else vt
        n0x, n0y, n1x, n1y = force_normals(par, h)
        rho = h.rho
        f0x, f0y = (1.0 - rho) * (fn * n0x - ft * n0y), (1.0 - rho) * (fn * n0y + ft * n0x)
        f1x, f1y = rho * (fn * n1x - ft * n1y), rho * (fn * n1y + ft * n1x)
        taken = f0x * vax + f0y * vay + f1x * vbx + f1y * vby - par.radius * ft * o.omega
        g.forces[0, k], g.forces[1, k], g.forces[2, k], g.forces[3, k], g.ft[k] = f0x, f0y, f1x, f1y, ft
        spring = par.contact_stiffness * (h.D - par.radius)
        # the rate of the gap is the velocity of the mesh along n, without the motion of the material through the mesh
        rx = (1.0 - h.rho) * g.slopes[0, k] + h.rho * g.slopes[2, k]
        ry = (1.0 - h.rho) * g.slopes[1, k] + h.rho * g.slopes[3, k]
        drift = g.axial[k] * (rx * h.nx + ry * h.ny)
        stretch = spring * (vn - drift)
        # compute the contributions to the power that the contact takes from circle and cable
        sliding, damping = ft * slip, par.friction_velocity_penalty * vt * vt
        bends, normal = par.friction_stiffness * bristle * slip, (fn - spring) * vn
        sliding = sliding if slips else 0.0
        damping = 0.0 if slips else damping
        bends = 0.0 if slips else bends
        g.powers[0, k], g.powers[1, k], g.powers[2, k] = sliding, damping, normal
        g.powers[3, k], g.powers[4, k] = bends, stretch
        g.powers[5, k] = taken - sliding - damping - normal - bends - stretch
        g.spring_energy[k] = 0.5 * spring * (h.D - par.radius)
        g.bristle_energy[k] = bent_energy(slips, par.friction_stiffness, bristle * bristle, ft)
        g.damper_force[k], g.drift[k], g.gap[k], g.fn[k] = fn - spring, drift, h.D - par.radius, fn


@kernel(inline=True)
def eval_case(case: int, g: Any) -> None:
    """Call `eval_lanes` with the case as a compile-time constant. Numba therefore compiles each case separately."""
    if case == PLAIN:
        eval_lanes(PLAIN, g)
    elif case == LOWERED:
        eval_lanes(LOWERED, g)
    else:
        eval_lanes(GENERAL, g)


@kernel
def fill_powers(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray, s_t: FloatArray, out: FloatArray
) -> None:
    """Write the powers of closed segments in the order of `POWERS` into out, shape (rows, segments, 6).

    The argument ``s_t`` contains the axial velocities [m/s], shape (rows,).
    """
    lanes = np.zeros(1, SEGMENT_LANES)
    rows, numbers, total = list_closed(c, data)
    for first in range(0, total, LANES):
        count, g = min(LANES, total - first), lanes[0]
        case = gather_lanes(c, shape, circle, data, rows, numbers, first, count, g)
        gather_rates(c, shape, s_t, rows, numbers, first, count, g)
        eval_case(case, g)
        for k in range(count):
            for j in range(out.shape[2]):
                out[rows[first + k], numbers[first + k], j] = g.powers[j, k]


@kernel
def read_segments(
    c: SegmentRows, shape: ShapeMarkers, circle: PositionMarkers, data: FloatArray, s_t: FloatArray,
    energies: FloatArray, powers: FloatArray, parts: FloatArray, f: FloatArray,
) -> None:  # fmt: skip
    """Add the energies of springs and bristles to ``energies``, shape (2, rows). Add the powers of sliding, tangential
    dampers and lever to ``powers``, shape (5, rows), see `Reading`. Write the values that `fill_jumps` needs into
    ``parts``.

    s_t: axial velocities [m/s], shape (rows,).
    parts: output for values of each segment, shape (rows, PARTS, segments).
    f: array to which the forces of all rows are added, unless it is empty.
    """
    lanes = np.zeros(1, SEGMENT_LANES)
    most, total = len(parts) * parts.shape[2] + 1, 0
    rows, numbers = np.empty(most, np.int64), np.empty(most, np.int64)
    # list the closed segments, and write the values of the other segments
    for i in range(len(parts)):
        row, listed = c.rows[i], total
        total = list_row(row, i, data, rows, numbers, total)
        ci, j0, n, radius = row.circle, shape.start[row.cable], row.segments, row.radius
        cx, cy, jm = circle.position[ci, 0], circle.position[ci, 1], j0 + n // 2
        mx, my, far = shape.position[jm, 0] - cx, shape.position[jm, 1] - cy, radius + n * row.length
        # an open cable is far away if the distance is at least about half of its length
        is_far = total == listed and mx * mx + my * my > far * far
        if is_far and parts[i, DEPTH, 0] == NO_GAP:
            continue
        for s in range(parts.shape[2]):
            # the values of segments that were already open are still 0
            if parts[i, CONTACT_STATE, s] != OPEN:
                for k in range(PARTS):
                    parts[i, k, s] = 0.0
                parts[i, CONTACT_STATE, s] = OPEN
        # gaps of open segments
        for s in range(n if is_far else 0):
            parts[i, DEPTH, s] = NO_GAP
        for s in range(0 if is_far or total - listed == n else n):
            ax, ay = shape.position[j0 + s, 0] - cx, shape.position[j0 + s, 1] - cy
            bx, by = shape.position[j0 + s + 1, 0] - cx, shape.position[j0 + s + 1, 1] - cy
            parts[i, DEPTH, s] = closest_point(ax, ay, bx, by)[2] - radius
    last, sums = -1, NO_SUMS
    for first in range(0, total, LANES):
        count, g = min(LANES, total - first), lanes[0]
        # evaluate eight closed segments
        case = gather_lanes(c, shape, circle, data, rows, numbers, first, count, g)
        gather_rates(c, shape, s_t, rows, numbers, first, count, g)
        eval_case(case, g)
        if len(f) > 0:
            eval_turns(count, g)
            last, sums = add_lanes(c, shape, circle, rows, numbers, first, count, g, last, sums, f)
        # sums of the values of each row
        spring, bristle, sliding, damping, lever = 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(count):
            i, s = rows[first + k], numbers[first + k]
            spring, bristle = spring + g.spring_energy[k], bristle + g.bristle_energy[k]
            sliding, damping, lever = sliding + g.powers[0, k], damping + g.powers[1, k], lever + g.powers[5, k]
            if k + 1 == count or rows[first + k + 1] != i:
                energies[0, i] += spring
                energies[1, i] += bristle
                powers[0, i] += sliding
                powers[2, i] += damping
                powers[4, i] += lever
                spring, bristle, sliding, damping, lever = 0.0, 0.0, 0.0, 0.0, 0.0
            # values of the segment
            parts[i, BRISTLE_POWER, s], parts[i, BRISTLE_ENERGY, s] = g.powers[3, k], g.bristle_energy[k]
            parts[i, CONTACT_STATE, s], parts[i, DRIFT, s], parts[i, DEPTH, s] = g.state[k], g.drift[k], g.gap[k]
            parts[i, DAMPER_POWER, s], parts[i, DAMPER_FORCE, s] = g.powers[2, k], g.damper_force[k]
            parts[i, NORMAL_FORCE, s], parts[i, SPRING_ENERGY, s] = g.fn[k], g.spring_energy[k]
    if last >= 0:
        put_sums(c, last, circle, sums, f)
