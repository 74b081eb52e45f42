"""Contact between two cables: forces between a point of cable A and its foot, which is the closest point on the axis of
cable B.

    distance: d = r_A - r_B,   D = |d|,   n = d/D,   δ = R_A + R_B - D,   β = R_A/(R_A + R_B)
    weight: w, the length that the point of A represents, multiplied by a share σ
    rotation: ω = t × r'_t/|r'|,   t = r'/|r'|, of a cross section that does not twist
    velocities: v_n = n.(v_A - v_B),     v_t = (v_A - v_B) - (β ω_A + (1-β) ω_B) × d - v_n n
    pressing force: p = w (k δ - d min(δ/δ_0, 1) v_n) if δ > 0 and p > 0, otherwise 0
    friction: τ = w (μ_k u + μ_v v_t),   f_t = τ if |τ| <= μ p, otherwise μ p τ/|τ|

The scalars k, d, μ_k, μ_v and μ are columns of `CableContactSet`, and δ_0 is its damping depth. The force on A, on the
left-hand side of the equations of motion, is f = -p n + f_t, and the force on B is -f. Both forces act at the contact
point r_A - β d = r_B + (1-β) d. The lever arms of the forces cause the couples M_A = -β d × f_t and M_B = -(1-β) d ×
f_t, which act as (M × t)/|r'| on the slopes. If ``turns_rope`` is false, the component of a couple about the axis of
its cable has no effect on the coordinates. The model then assumes a support that prevents rotation of the cross
sections about the axis and carries this torque. The output `axis_torque` is this torque. With this support all moments
balance. If ``turns_rope`` is true, the angular velocity includes the spin of the material, ω = t × r'_t/|r'| + s t. The
torque M·t acts on the spin, and the normals of bristles move with the material. See `material.py`.

The bristle deflection u is the relative displacement of the two surfaces since they began to stick. The anchor consists
of the arc length s_0 of the foot and the normal at the time at which sticking began. Two vectors store this normal. The
vector m_A rotates with the cross section of A, and m_B with the cross section of B. The deflection is

    u = (I - n nᵀ) [(s - s_0) r'_B - D (β m_A + (1-β) m_B)].

The rate of u equals v_t, apart from a term due to the curvature of B.

Each pair of cables is evaluated in both directions: points of A against B, and points of B against A. Therefore forces
do not depend on the order of the cables. The stiffness is divided between the two directions. The share σ of a
direction is one half for straight cables. For points on the inside of a bend of the other cable, the share is smaller,
because a small motion of such a point causes a large motion of its foot. For points of a core in the centre of a coil,
the share tends to 0. The share is

    σ = a²/(a² + b²), a = 1 - d.r''_B/|r'_B|², b = 1 + d.r''_A/|r'_A|², with a and b at least 0.01.

The share σ is a history value. It is updated after each Newton run.

In each iteration of Newton's method, the contact state (open or closed, stick or slip) follows from the current motion
and from the history at the start of the step. Therefore the Newton run need not be repeated after a change of the
contact state. A point that was open at the start of the step has no bristle in this step.

The history of a point has `TOUCHING` contact slots, each of which stores one contact with a cable. The values of a slot
are, in this order, the index of cable B counted from 1 (0 without a cable), s of the foot, the gap -δ, the state (-2
open or without friction, 0 sticks, 1 slips, -3 new), s_0 on the chain, m_A, m_B, the tangents t_A and t_B at the time
at which these normals were stored, and σ. If ``turns_rope`` is true, m_A and m_B are components in the frames of the
material. The first component of t_A is then replaced by the spin k per arc length of B (`material.py`). In this case,
each update moves the anchors of sticking points to the present positions without a change of u. Therefore ropes may
roll any distance.

Source: C. Meier, A. Popp, W. A. Wall, Comput. Methods Appl. Mech. Eng. 308 (2016) 377-413 (points against a line);
radial return: P. Wriggers, Computational Contact Mechanics, Springer (2006); couples and bristle: own derivation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.geometry import (
    Cubic,
    bend_at,
    carry,
    find_foot,
    gather,
    is_itself,
    reach_of_foot,
    slope_at,
    unit,
    value_at,
    wrap_arc,
)
from windlass.connectors.cable_contact.material import (
    SPINS,
    Material,
    add_spin_forces,
    find_material,
    from_components,
)
from windlass.connectors.contact.law import Friction, PointLaw, eval_normal_force, no_friction, rub
from windlass.connectors.contact.update import read_three
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.elements.cable.points import Four, shape, shape_slope
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

TOUCHING = 6
"""Largest number of simultaneous contacts of one point."""
WIDTH = 18
"""Number of history values of a contact slot. These values describe the contact of a point with one cable."""
NUMBER, FOOT, GAP, STATE, ANCHOR, NORMAL_A, NORMAL_B, TANGENT_A, TANGENT_B, SHARE = 0, 1, 2, 3, 4, 5, 8, 11, 14, 17
NEW, OPEN = -3.0, UNDEFINED
FADE = 0.01
"""Default depth at which the full damping is reached, divided by the sum of radii [1]."""
LEAST = 0.01
"""Smallest values of a and b in the formula for the share σ [1]."""
ZERO: Vector = (0.0, 0.0, 0.0)


class PairList(NamedTuple):
    """The m contacts of points with cables, ordered by the k pairs of cables. The arrays have space for a contact in
    each contact slot. Therefore the arrays never grow, and compiled programs can keep the addresses of the arrays. Only
    the first m or the first k elements are used.
    """

    at: IntArray  # index of the first history value of each contact, shape (slots,)
    cable: IntArray  # row of cable A of each contact, shape (slots,)
    place: FloatArray  # arc length [m] of the point on cable A, shape (slots,)
    rank: IntArray  # index of the contact slot of each contact, shape (slots,)
    first: IntArray  # index of the first contact of each pair, then the number m, shape (slots + 1,)
    pair: IntArray  # rows of cables A and B, shape (slots, 2)
    coupling: IntArray  # row of `System.dofs` of each pair, -1 if no row couples the pair, shape (slots,)
    counts: IntArray  # number k of pairs and number m of contacts, shape (2,)


class TouchParameters(NamedTuple):
    """Parameters of the contact of one point with one cable: stiffness, damping and friction of the point, the sum R_A
    + R_B [m] of the radii, and β = R_A/(R_A + R_B) [1].
    """

    law: PointLaw
    reach: float
    beta: float


class FootMotion(NamedTuple):
    """Motion of a point of cable A and of its foot on cable B. The first fields are the arc length s of the foot, and
    whether the foot is held at a limit of its range on B. Further fields are the position r and slope r' of A at the
    point, the position r, slope r' and second derivative r'' of B at the foot, the rates of these vectors, and the
    `Material` of both cables.
    """

    s: float
    held: bool
    ra: Vector
    pa: Vector
    va: Vector
    wa: Vector
    rb: Vector
    pb: Vector
    vb: Vector
    wb: Vector
    kb: Vector
    zb: Vector
    q: Material


class Bristle(NamedTuple):
    """Bristle of a contact. The fields are whether the bristle exists, the displacement s - s_0 [m] of the foot, and
    the stored normals m_A and m_B and tangents t_A and t_B. For ropes that friction turns, m_A and m_B are the present
    normals. ``back`` is the change k - k_1 of the spin per arc length [rad/m]. See `material.py`.
    """

    holds: bool
    slid: float
    ma: Vector
    mb: Vector
    ta: Vector
    tb: Vector
    back: float


class FootContact(NamedTuple):
    """Quantities of the contact between a point and its foot. The docstring of this module defines the symbols."""

    d: Vector
    D: float
    n: Vector
    la: float
    ta: Vector
    lb: float
    tb: Vector
    vn: float
    vt: Vector
    press: float
    u: Vector
    f: Friction


@kernel(inline=True)
def read_parameters(c: NDArray[Any], a: int, b: int, share: float) -> TouchParameters:
    """Return the parameters of the contact between a point of cable a and cable b, for the share σ of this point."""
    row = c[a]
    w, reach = share * row.length / row.points, row.radius + c[b].radius
    depth = row.damping_depth if row.damping_depth > 0.0 else FADE * reach
    law = PointLaw(
        w * row.contact_stiffness_per_length, w * row.contact_damping_per_length, depth,
        w * row.friction_velocity_penalty_per_length, w * row.friction_stiffness_per_length, row.friction_coefficient,
        True,
    )  # fmt: skip
    return TouchParameters(law, reach, row.radius / reach)


@kernel
def eval_share(d: Vector, pa: Vector, ka: Vector, pb: Vector, kb: Vector) -> float:
    """Return the share σ of one direction from the vector d between the axes, and from the first and second derivatives
    r' and r'' of both axes with respect to arc length."""
    a, b = max(1.0 - dot(d, kb) / dot(pb, pb), LEAST), max(1.0 + dot(d, ka) / dot(pa, pa), LEAST)
    return a * a / (a * a + b * b)


@kernel(inline=True)
def find_motion(za: Cubic, ya: Cubic, zb: Cubic, yb: Cubic, xi: float, s: float, held: bool, q: Material) -> FootMotion:
    """Return the `FootMotion` of the point ``xi`` of cable A and the foot s on cable B. za and zb are the coefficients
    of the axes (see `gather`), ya and yb the coefficients of their velocities.
    """
    return FootMotion(
        s, held, value_at(za, xi), slope_at(za, xi), value_at(ya, xi), slope_at(ya, xi),
        value_at(zb, s), slope_at(zb, s), value_at(yb, s), slope_at(yb, s), bend_at(zb, s), bend_at(yb, s), q,
    )  # fmt: skip


@kernel(inline=True)
def read_bristle(c: NDArray[Any], start: FloatArray, at: int, b: int, m: FootMotion) -> Bristle:
    """Return the `Bristle` of a contact. The bristle is computed from the history values at the start of the step. The
    foot is on cable b.
    """
    holds = start[at + NUMBER] > 0.0 and start[at + STATE] != OPEN
    arc, back = c[b].arc + m.s, 0.0
    slid = wrap_arc(arc - start[at + ANCHOR], c[b].loop) if holds else 0.0
    ma, mb = read_three(start, at + NORMAL_A), read_three(start, at + NORMAL_B)
    if m.q.turns and holds:
        _, ta = unit(m.pa)
        _, tb = unit(m.pb)
        # displacement of the foot since the start of the step, and spin k per arc length of cable B at the start of the
        # step
        before = wrap_arc(arc - c[int(start[at + NUMBER]) - 1].arc - start[at + FOOT], c[b].loop)
        along = start[at + TANGENT_A]
        ma, mb = from_components(ma, ta, m.q.a, 0.0), from_components(mb, tb, m.q.b, -along * before)
        back = m.q.b.along - along
    return Bristle(holds, slid, ma, mb, read_three(start, at + TANGENT_A), read_three(start, at + TANGENT_B), back)


@kernel(inline=True)
def eval_normals(m: FootMotion, b: Bristle, ta: Vector, tb: Vector) -> tuple[Vector, Vector]:
    """Return the present normals m_A and m_B of a bristle."""
    if m.q.turns:
        return b.ma, b.mb
    return carry(b.ma, b.ta, ta), carry(b.mb, b.tb, tb)


@kernel(inline=True)
def cross_section_rate(t: Vector, l: float, w: Vector) -> Vector:
    """Return the angular velocity ω = t × r'_t/|r'| of a cross section from the tangent t, the length l of the slope
    r', and the rate w of r'."""
    o = cross(t, w)
    return o[0] / l, o[1] / l, o[2] / l


@kernel(inline=True)
def across(a: Vector, n: Vector) -> Vector:
    """Return the component of the vector a perpendicular to the unit vector n, (I - n nᵀ) a."""
    h = dot(a, n)
    return a[0] - h * n[0], a[1] - h * n[1], a[2] - h * n[2]


@kernel(inline=True)
def eval_press(par: TouchParameters, depth: float, vn: float) -> float:
    """Return the pressing force p = -f_n [N] for the depth δ [m] and the velocity v_n [m/s]."""
    return max(-eval_normal_force(par.law, -depth, vn), 0.0)


@kernel
def eval_touch(par: TouchParameters, m: FootMotion, b: Bristle) -> FootContact:
    """Evaluate the forces and couples of the contact between a point and its foot."""
    d = combine(1.0, m.ra, -1.0, m.rb)
    D, n = unit(d)
    la, ta = unit(m.pa)
    lb, tb = unit(m.pb)
    v = combine(1.0, m.va, -1.0, m.vb)
    vn = dot(n, v)
    press = eval_press(par, par.reach - D, vn)
    vt, u, f = ZERO, ZERO, no_friction()
    if par.law.friction_coefficient > 0.0 and press > 0.0:
        turn_a = combine(1.0, cross_section_rate(ta, la, m.wa), m.q.a.rate, ta)
        turn_b = combine(1.0, cross_section_rate(tb, lb, m.wb), m.q.b.rate, tb)
        turn = combine(par.beta, turn_a, 1.0 - par.beta, turn_b)
        vt = across(combine(1.0, v, -1.0, cross(turn, d)), n)
        if b.holds:
            ma, mb = eval_normals(m, b, ta, tb)
            normal = combine(par.beta, ma, 1.0 - par.beta, mb)
            u = across(combine(b.slid, m.pb, -D, normal), n)
        f = rub(par.law, u, vt, -press, True, 1.0)
    return FootContact(d, D, n, la, ta, lb, tb, vn, vt, press, u, f)


@kernel(inline=True)
def eval_forces(par: TouchParameters, t: FootContact) -> tuple[Vector, Vector, Vector]:
    """Return the force on the position r_A, and the forces on the slopes r'_A and r'_B that represent the couples."""
    force = combine(-t.press, t.n, 1.0, t.f.force)
    couple = cross(t.d, t.f.force)
    a, b = cross(couple, t.ta), cross(couple, t.tb)
    fa, fb = -par.beta / t.la, (par.beta - 1.0) / t.lb
    return force, (fa * a[0], fa * a[1], fa * a[2]), (fb * b[0], fb * b[1], fb * b[2])


@kernel(inline=True)
def eval_moments(par: TouchParameters, t: FootContact) -> tuple[float, float]:
    """Return the moments [N m] about the axes of A and B, with the sign of the left-hand side of the equations of
    motion.
    """
    couple = cross(t.d, t.f.force)
    return -par.beta * dot(couple, t.ta), (par.beta - 1.0) * dot(couple, t.tb)


@kernel(inline=True)
def scatter_place(f: FloatArray, dofs: IntArray, S: Four, dS: Four, on_r: Vector, on_slope: Vector) -> None:
    """Add a force on the position r and a force on the slope r' of a point to the forces on the coordinates of its
    cable. S are the shape functions at the point, and dS are their derivatives with respect to arc length.
    """
    for j in range(4):
        for e in range(3):
            f[dofs[3 * j + e]] += S[j] * on_r[e] + dS[j] * on_slope[e]


class CablePair(NamedTuple):
    """Two cables A and B. The fields are their rows, their lengths [m], the coefficients of their axes and of the
    velocities of these axes, the sum of radii [m], and the smallest and the largest arc length of a foot on B.
    """

    a: int
    b: int
    la: float
    lb: float
    za: Cubic
    ya: Cubic
    zb: Cubic
    yb: Cubic
    reach: float
    low: float
    high: float


@kernel(inline=True)
def read_pair(c: NDArray[Any], a: int, b: int, x: FloatArray, v: FloatArray) -> CablePair:
    """Return the data of the pair of cables a and b."""
    low, high = reach_of_foot(c, b)
    za, zb, ya, yb = gather(x, c[a]), gather(x, c[b]), gather(v, c[a]), gather(v, c[b])
    return CablePair(a, b, c[a].length, c[b].length, za, ya, zb, yb, c[a].radius + c[b].radius, low, high)


@kernel(inline=True)
def find_closed(c: NDArray[Any], h: CablePair, xi: float, foot: float) -> tuple[float, bool, bool]:
    """Return the foot of the point ``xi`` of cable A, whether the foot is at a limit of its range on B, and whether the
    contact is closed. The argument ``foot`` is the stored foot.
    """
    p = value_at(h.za, xi)
    s, held = find_foot(h.zb, p, foot, h.low, h.high, h.lb)
    r = value_at(h.zb, s)
    d = p[0] - r[0], p[1] - r[1], p[2] - r[2]
    return s, held, dot(d, d) < h.reach * h.reach and not is_itself(c, h.a, xi, h.b, s)


@kernel(inline=True)
def eval_pair(
    c: NDArray[Any], h: CablePair, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray, at: int,
    xi: float, s: float, held: bool, g: Any,
) -> tuple[TouchParameters, FootMotion, Bristle, FootContact]:  # fmt: skip
    """Evaluate the contact of the point ``xi`` of cable A with the foot s. The bristle is read from the history values
    at the start of the step. For ropes that friction turns, also write the coefficients σ of the spins (`material.py`)
    into the record g.
    """
    par, q = read_parameters(c, h.a, h.b, data[at + SHARE]), find_material(c, h.a, h.b, xi, s, x, v, g)
    m = find_motion(h.za, h.ya, h.zb, h.yb, xi, s, held, q)
    b = read_bristle(c, start, at, h.b, m)
    return par, m, b, eval_touch(par, m, b)


@kernel
def add_residual(
    c: NDArray[Any], list_: PairList, data: FloatArray, start: FloatArray, x: FloatArray, v: FloatArray, f: FloatArray
) -> None:
    """Add the forces of all contacts, with the sign of the left-hand side of the equations of motion, to f."""
    space = np.zeros(1, SPINS)
    g = space[0]
    for k in range(list_.counts[0]):
        h = read_pair(c, list_.pair[k, 0], list_.pair[k, 1], x, v)
        for i in range(list_.first[k], list_.first[k + 1]):
            at, xi = list_.at[i], list_.place[i]
            s, held, closed = find_closed(c, h, xi, data[at + FOOT])
            if closed:
                par, m, _, t = eval_pair(c, h, data, start, x, v, at, xi, s, held, g)
                force, on_a, on_b = eval_forces(par, t)
                scatter_place(f, c[h.a].dofs, shape(xi / h.la, h.la), shape_slope(xi / h.la, h.la), force, on_a)
                back = -force[0], -force[1], -force[2]
                scatter_place(f, c[h.b].dofs, shape(s / h.lb, h.lb), shape_slope(s / h.lb, h.lb), back, on_b)
                if m.q.turns:
                    moment_a, moment_b = eval_moments(par, t)
                    add_spin_forces(f, c[h.a], g.sigma[0], moment_a)
                    add_spin_forces(f, c[h.b], g.sigma[1], moment_b)
