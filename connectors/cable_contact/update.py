"""Update between Newton runs: transfer of feet to neighbouring cables, gaps, and bristles. The symbols are explained in
`kernels.py`.

A foot beyond the ends of its cable is transferred along the chain, over any number of cables. This transfer changes the
pressing force. The change is the force error of the update, so the Newton run is repeated if the change is too large.
The pressing forces of new contacts are added to the force error. In static solves the change of the forces due to new
values of the share σ is added to the force error. The anchor of a point that has just closed is set to the current
position of the point. The anchor of a slipping point is set to the position at which bristle and damper together exert
the force μ p:

    u_e = max(1 - w μ_v v_t.f_t/|f_t|², 0) f_t/(w μ_k),
    s_0 = s - u_e.t_B/|r'_B|,    m_A = m_B = sqrt(1 - h²) n - h t_B × n,    h = u_e.(t_B × n)/D,

If ``turns_rope`` is false, a sticking point keeps its anchor, and m_A and m_B are rotated together with the tangents
t_A and t_B. If ``turns_rope`` is true, the anchor of a sticking point is moved to the present position without a change
of u. Cables that penetrate each other by more than the smaller of their radii would pass through each other. In this
case the force error is infinite. Solvers then reduce the step or fail.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.geometry import (
    arc_length_of,
    bend_at,
    carry,
    find_foot,
    gather,
    is_itself,
    reach_of_foot,
    value_at,
    wrap_arc,
)
from windlass.connectors.cable_contact.kernels import (
    ANCHOR,
    FOOT,
    GAP,
    NEW,
    NORMAL_A,
    NORMAL_B,
    NUMBER,
    OPEN,
    SHARE,
    STATE,
    TANGENT_A,
    TANGENT_B,
    TOUCHING,
    WIDTH,
    ZERO,
    FootContact,
    FootMotion,
    PairList,
    eval_pair,
    eval_press,
    eval_share,
    read_pair,
    read_parameters,
)
from windlass.connectors.cable_contact.material import SPINS, to_components
from windlass.connectors.contact.decisions import slip_vector
from windlass.connectors.contact.update import NO_LANES, create_update, place_type, write_three
from windlass.connectors.friction.bristle import SLIPS, STICKS
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

AT_JOINT = 1e-6
"""Distance beyond the end of a cable, divided by the length of the cable [1]. Up to this distance, a foot is not
transferred to the next cable.
"""
SAME_FOOT = 1e-4
"""Distance, divided by the length of the cable [1]. Below this distance, two feet of one point are treated as one
foot.
"""
HOPS = 1000
"""Largest number of cables over which a foot may move in one update."""


@kernel
def follow_foot(c: NDArray[Any], x: FloatArray, p: Vector, b: int, s: float) -> tuple[int, float, bool]:
    """Find the foot of the point p on the chain of cable b, starting at the arc length s on cable b. Return the cable
    of the foot, the arc length of the foot on this cable, and whether the foot is held. A foot can be held at an end of
    the chain or at a node between two cables.
    """
    held, last = False, 0
    for _ in range(HOPS):
        low, high = reach_of_foot(c, b)
        s, held = find_foot(gather(x, c[b]), p, s, low, high, c[b].length)
        if s > (1.0 + AT_JOINT) * c[b].length and c[b].after >= 0:
            if last < 0:
                # the transfer between two neighbouring cables would not end, so the foot remains at their common node
                return b, c[b].length, True
            s, b, last = s - c[b].length, c[b].after, 1
            s = min(s, c[b].length)
        elif s < -AT_JOINT * c[b].length and c[b].before >= 0:
            if last > 0:
                return b, 0.0, True
            b, last = c[b].before, -1
            s = max(s + c[b].length, 0.0)
        else:
            break
    return b, s, held


@kernel(inline=True)
def write_anchor(data: FloatArray, at: int, m: FootMotion, t: FootContact, arc: float, u: Vector) -> None:
    """Write the anchor and the normals for which the bristle of a contact has the deflection u. The argument ``arc`` is
    the arc length of the foot on its chain [m].
    """
    sideways = cross(t.tb, t.n)
    h = min(max(dot(u, sideways) / t.D, -0.9), 0.9)
    normal, q = combine(sqrt(1.0 - h * h), t.n, -h, sideways), m.q
    data[at + ANCHOR] = arc - dot(u, t.tb) / t.lb
    write_three(data, at + NORMAL_A, to_components(normal, t.ta, q.a) if q.turns else normal)
    write_three(data, at + NORMAL_B, to_components(normal, t.tb, q.b) if q.turns else normal)


@kernel
def follow_feet(
    c: NDArray[Any],
    list_: PairList,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    errors: FloatArray,
    forces: FloatArray,
) -> None:
    """Update the feet of all contacts. Delete contacts of a point with itself. If two contacts have the same foot,
    delete the second contact. Write the force errors and the pressing forces [N] of the last Newton run into ``errors``
    and ``forces``, shape (rows,) each.
    """
    errors[:], forces[:] = 0.0, 0.0
    for i in range(list_.counts[1]):
        at, a = list_.at[i], list_.cable[i]
        b = int(data[at + NUMBER]) - 1
        p = value_at(gather(x, c[a]), list_.place[i])
        # compute the foot without a transfer along the chain, as Newton's method does, and then the foot after the
        # transfer
        low, high = reach_of_foot(c, b)
        zb = gather(x, c[b])
        s, _ = find_foot(zb, p, data[at + FOOT], low, high, c[b].length)
        share = data[at + SHARE]
        before = eval_press(read_parameters(c, a, b, share), eval_depth(c, a, b, p, value_at(zb, s)), 0.0)
        new, s, _ = follow_foot(c, x, p, b, s)
        if is_itself(c, a, list_.place[i], new, s):
            data[at + NUMBER] = 0.0
            continue
        depth = eval_depth(c, a, new, p, value_at(gather(x, c[new]), s))
        if new != b:
            errors[a] += abs(eval_press(read_parameters(c, a, new, share), depth, 0.0) - before)
        forces[a] += before
        data[at + NUMBER], data[at + FOOT], data[at + GAP] = new + 1, s, -depth
    for a in range(len(c)):
        for j in range(c[a].points):
            leave_double(c, data, start, c[a].data + j * TOUCHING * WIDTH)


@kernel
def leave_double(c: NDArray[Any], data: FloatArray, start: FloatArray, base: int) -> None:
    """If two contacts of a point have the same foot, delete one of these contacts."""
    for k in range(1, TOUCHING):
        at = base + k * WIDTH
        for other in range(base, at, WIDTH):
            b, e = int(data[at + NUMBER]) - 1, int(data[other + NUMBER]) - 1
            if b < 0 or e < 0 or c[b].chain != c[e].chain:
                continue
            if (
                abs(wrap_arc(c[b].arc + data[at + FOOT] - c[e].arc - data[other + FOOT], c[b].loop))
                < SAME_FOOT * c[b].length
            ):
                held = start[at + NUMBER] > 0.0 and start[at + STATE] != OPEN
                data[(other if held else at) + NUMBER] = 0.0


@kernel(inline=True)
def eval_depth(c: NDArray[Any], a: int, b: int, p: Vector, r: Vector) -> float:
    """Return the penetration depth [m] of cables a and b at the point p on the axis of cable a. The point r is the
    closest point on the axis of cable b.
    """
    d = p[0] - r[0], p[1] - r[1], p[2] - r[2]
    depth: float = c[a].radius + c[b].radius - sqrt(dot(d, d))
    return depth


class CableUpdate(NamedTuple):
    """Records and intermediate results of one update of the contacts of cables.

    Attributes:
        rows: records of the cables.
        errors, forces: results of `follow_feet`.
        passed: whether a foot has moved to another cable.
        rests: whether the solve is static. In static solves, forces must balance with the new shares σ.
    """

    rows: NDArray[Any]
    errors: FloatArray
    forces: FloatArray
    passed: bool
    rests: bool


@kernel(inline=True)
def count_slots(row: Any) -> int:
    """Return the number of contact slots of a row."""
    n: int = row.points * TOUCHING
    return n


@kernel(inline=True)
def find_values(row: Any, k: int) -> tuple[int, int, float]:
    """Return the indices of the gap and of the state of slot k, and the normal stiffness 0, see `create_update`. The
    stiffness is 0 because contacts open and close within Newton's method, so that a change of the gap causes no force
    error.
    """
    at = row.data + k * WIDTH
    return at + GAP, at + STATE, 0.0


@kernel(inline=True)
def measure(
    c: CableUpdate, m: NDArray[Any], data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    rows: IntArray, number: int, lanes: NDArray[Any], places: NDArray[Any],
) -> None:  # fmt: skip
    """Read the gaps of the slots of a row, see `create_update`. `follow_feet` has stored these gaps."""
    row = c.rows[rows[number]]
    for k in range(count_slots(row)):
        places[k].gap, places[k].fn = data[row.data + k * WIDTH + GAP], 0.0


@kernel(inline=True)
def decide_states(
    c: CableUpdate, m: NDArray[Any], data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, commits: bool, i: int, number: int, places: NDArray[Any],
) -> tuple[float, float, bool]:  # fmt: skip
    """Determine the states of the contacts of a row, and store their bristles and shares, see `create_update`.

    Return the force error and the pressing force [N] of the row. Also return whether any contact state has changed or
    any foot has moved to another cable.
    """
    row, error, changed = c.rows[i], c.errors[i], c.passed
    space = np.zeros(1, SPINS)
    g = space[0]
    for k in range(count_slots(row)):
        at, place = row.data + k * WIDTH, places[k]
        before, b, s = data[at + STATE], int(data[at + NUMBER]) - 1, data[at + FOOT]
        place.state, place.excess = before, 0.0
        if b < 0:
            continue
        # forces with the bristle that was stored at the start of the step
        xi, h = arc_length_of(k // TOUCHING, row.points, row.length), read_pair(c.rows, i, b, x, v)
        par, motion, bristle, t = eval_pair(c.rows, h, data, start, x, v, at, xi, s, False, g)
        # determine the contact state, and store the bristle of points that stick or slip
        state = OPEN
        if par.law.friction_coefficient > 0.0 and par.reach > t.D:
            state = SLIPS if t.f.slides else STICKS
            if state == STICKS and bristle.holds and not motion.q.turns:
                data[at + ANCHOR] = start[at + ANCHOR]
                write_three(data, at + NORMAL_A, carry(bristle.ma, bristle.ta, t.ta))
                write_three(data, at + NORMAL_B, carry(bristle.mb, bristle.tb, t.tb))
            else:
                # ropes that friction turns may roll, so the anchors of their sticking points are moved to the present
                # positions
                u = slip_vector(par.law, t.vt, t.f.force) if state == SLIPS else t.u
                write_anchor(data, at, motion, t, c.rows[b].arc + s, u if bristle.holds else ZERO)
            write_three(data, at + TANGENT_A, (motion.q.b.along, 0.0, 0.0) if motion.q.turns else t.ta)
            write_three(data, at + TANGENT_B, t.tb)
        # add the force errors of contact points that have just closed, or that have penetrated too deep into the other
        # cable
        if before == NEW:
            error += eval_press(par, par.reach - t.D, 0.0)
        if par.reach - t.D > min(row.radius, c.rows[b].radius):
            # the cables would pass through each other, so the step must not be accepted
            error = np.inf
        share = eval_share(t.d, motion.pa, bend_at(h.za, xi), motion.pb, motion.kb)
        if c.rests and before != NEW:
            # static solves count the change of the force due to the new share as a force error. In dynamic solves the
            # forces are computed with the shares of the previous step; the error is small because the shares of both
            # cables sum to 1
            new = read_parameters(c.rows, i, b, share)
            error += abs(eval_press(new, par.reach - t.D, 0.0) - eval_press(par, par.reach - t.D, 0.0))
        data[at + SHARE] = share
        changed |= state != before
        place.state = state
    return error, c.forces[i], changed


_update = create_update(count_slots, find_values, place_type(), NO_LANES, measure, decide_states)


@kernel
def update_history(
    c: CableUpdate, m: NDArray[Any], data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray,
    size: FloatArray, mapped: FloatArray, commits: bool, outcome: FloatArray,
) -> None:  # fmt: skip
    """Update all cables after `follow_feet` and the search, see `create_update`."""
    _update(c, m, data, start, x, v, size, mapped, commits, outcome)
