"""Exact tangent of the contact between two cables. The forces are explained in `kernels.py`.

The force of a point depends on r and r' of cable A at the point, on r and r' of cable B at the foot, and on the rates
of these vectors. Each equation of the force law is differentiated with respect to the components of r_A, r'_A, r_B and
r'_B. A variation of a coordinate changes r and r' in proportion to the shape functions. The derivative with respect to
this coordinate is multiplied by dq. A variation of a velocity changes the rates of r and r' in proportion to the shape
functions. The derivative with respect to this velocity is multiplied by dv. Therefore one evaluation gives the
derivatives with respect to both coordinates and velocities. The foot satisfies d.r'_B = 0. Therefore a variation of
both cables changes the arc length s of the foot by δs:

    (r'.r' - d.r'') δs = (δr_A - δr_B).r'_B + d.δr'_B; δs = 0 if the foot is held at the end of a chain.

The variation δs also changes other quantities at the foot: r, r', the rates of both, the displacement s - s_0 in the
bristle deflection, and the shape functions that distribute the reaction to the nodes of B.

Source: implicit differentiation, own derivation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.geometry import carry_change
from windlass.connectors.cable_contact.kernels import (
    FOOT,
    ZERO,
    Bristle,
    FootContact,
    FootMotion,
    PairList,
    TouchParameters,
    cross_section_rate,
    eval_forces,
    eval_moments,
    eval_normals,
    eval_pair,
    find_closed,
    read_pair,
)
from windlass.connectors.cable_contact.material import (
    SPINS,
    add_columns_of_spins,
    add_rows_of_spins,
    fill_changes_of_spins,
)
from windlass.connectors.contact.assembly import add_block, add_point_and_foot
from windlass.connectors.contact.law import change_friction, change_trial, eval_normal_slopes
from windlass.elements.cable.points import shape, shape_bend, shape_slope
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

NO_SPINS = (0.0, 0.0, 0.0, 0.0)
"""Variations of angles and spins of the material, all 0, for cables that friction does not turn."""


class Change(NamedTuple):
    """Variations of several quantities. They are the force on the position r_A, the forces on the slopes r'_A and r'_B
    that represent the couples, the arc length s of the foot, the bristle deflection u, and the moments about the axes
    of A and B.
    """

    force: Vector
    on_a: Vector
    on_b: Vector
    s: float
    u: Vector
    moment_a: float
    moment_b: float


@kernel(inline=True)
def change_turn(t: Vector, dt: Vector, l: float, dl: float, w: Vector, dw: Vector) -> Vector:
    """Return the variation of the angular velocity ω = t × w/l of a cross section, for the variations dt of the tangent
    t, dl of the length l of the slope, and dw of the rate w of the slope."""
    o, a, b = cross_section_rate(t, l, w), cross(dt, w), cross(t, dw)
    return (a[0] + b[0] - o[0] * dl) / l, (a[1] + b[1] - o[1] * dl) / l, (a[2] + b[2] - o[2] * dl) / l


@kernel(inline=True)
def change_unit(t: Vector, l: float, dp: Vector) -> tuple[float, Vector]:
    """Return the variations of the length l and the direction t of a vector l t for the variation dp of the vector."""
    dl = dot(t, dp)
    return dl, ((dp[0] - dl * t[0]) / l, (dp[1] - dl * t[1]) / l, (dp[2] - dl * t[2]) / l)


@kernel(inline=True)
def change_across(a: Vector, da: Vector, n: Vector, dn: Vector) -> Vector:
    """Return the variation of (I - n nᵀ) a, the component of a vector a perpendicular to the unit vector n. The
    variations of a and n are da and dn.
    """
    h, dh = dot(a, n), dot(da, n) + dot(a, dn)
    return da[0] - dh * n[0] - h * dn[0], da[1] - dh * n[1] - h * dn[1], da[2] - dh * n[2] - h * dn[2]


@kernel(inline=True)
def change_on_slope(
    share: float, couple: Vector, d_couple: Vector, t: Vector, dt: Vector, l: float, dl: float
) -> Vector:
    """Return the variation of a force on a slope. The force is ``share`` times (couple × t)/l, and the couple, the
    tangent t and the length l of the slope vary.
    """
    a, b, e = cross(couple, t), cross(d_couple, t), cross(couple, dt)
    h, g = share / l, dl / l
    return h * (b[0] + e[0] - g * a[0]), h * (b[1] + e[1] - g * a[1]), h * (b[2] + e[2] - g * a[2])


@kernel
def eval_change(
    par: TouchParameters,
    m: FootMotion,
    z: Bristle,
    t: FootContact,
    dra: Vector,
    dpa: Vector,
    dva: Vector,
    dwa: Vector,
    drb: Vector,
    dpb: Vector,
    dvb: Vector,
    dwb: Vector,
    spins: tuple[float, float, float, float],
) -> Change:
    """Return the variations of the quantities of `Change`. The arguments are the variations of the positions r (dra,
    drb), the slopes r' (dpa, dpb) and their rates r_t (dva, dvb) and r'_t (dwa, dwb) on cables A and B. The argument
    ``spins`` contains the variations of angle and spin of the material, first of A and then of B. The variations on B
    are given at a constant arc length.
    """
    ds = 0.0
    if not m.held:
        ds = (dot(dra, m.pb) - dot(drb, m.pb) + dot(t.d, dpb)) / (dot(m.pb, m.pb) - dot(t.d, m.kb))
    # variation of r_B and r'_B due to the motion of the foot along B
    drb, dpb = combine(1.0, drb, ds, m.pb), combine(1.0, dpb, ds, m.kb)
    dvb, dwb = combine(1.0, dvb, ds, m.wb), combine(1.0, dwb, ds, m.zb)
    # variations of the distance D, of the direction n, of both tangents, and of the normal velocity
    n, dd = t.n, combine(1.0, dra, -1.0, drb)
    dD, dn = change_unit(n, t.D, dd)
    dla, dta = change_unit(t.ta, t.la, dpa)
    dlb, dtb = change_unit(t.tb, t.lb, dpb)
    v, dv = combine(1.0, m.va, -1.0, m.vb), combine(1.0, dva, -1.0, dvb)
    dvn = dot(dn, v) + dot(n, dv)
    # variation of the normal force f_n = -p
    law = par.law
    by_gap, by_rate = eval_normal_slopes(law, t.D - par.reach, t.vn, -t.press)
    dfn = by_gap * dD + by_rate * dvn
    force = combine(dfn, n, -t.press, dn)
    if law.friction_coefficient <= 0.0 or t.press <= 0.0:
        return Change(force, ZERO, ZERO, ds, ZERO, 0.0, 0.0)
    # variation of the slip velocity
    beta = par.beta
    angle_a, rate_a, angle_b, rate_b = spins
    angle_b, rate_b, q = angle_b + z.back * ds, rate_b + m.q.by_arc * ds, m.q
    own_a = combine(1.0, cross_section_rate(t.ta, t.la, m.wa), q.a.rate, t.ta)
    own_b = combine(1.0, cross_section_rate(t.tb, t.lb, m.wb), q.b.rate, t.tb)
    turn = combine(beta, own_a, 1.0 - beta, own_b)
    turn_a, turn_b = change_turn(t.ta, dta, t.la, dla, m.wa, dwa), change_turn(t.tb, dtb, t.lb, dlb, m.wb, dwb)
    turn_a = combine(1.0, turn_a, 1.0, combine(rate_a, t.ta, q.a.rate, dta))
    turn_b = combine(1.0, turn_b, 1.0, combine(rate_b, t.tb, q.b.rate, dtb))
    d_turn = combine(beta, turn_a, 1.0 - beta, turn_b)
    slip, way = combine(1.0, v, -1.0, cross(turn, t.d)), combine(1.0, cross(d_turn, t.d), 1.0, cross(turn, dd))
    dvt, du = change_across(slip, combine(1.0, dv, -1.0, way), n, dn), ZERO
    # variation of the bristle deflection, which depends on the motion of both cables
    if z.holds:
        ma, mb = eval_normals(m, z, t.ta, t.tb)
        normal = combine(beta, ma, 1.0 - beta, mb)
        if q.turns:
            carried_a = cross(combine(1.0, cross(t.ta, dta), angle_a, t.ta), ma)
            carried_b = cross(combine(1.0, cross(t.tb, dtb), angle_b, t.tb), mb)
        else:
            carried_a, carried_b = carry_change(z.ma, z.ta, t.ta, dta), carry_change(z.mb, z.tb, t.tb, dtb)
        d_normal = combine(beta, carried_a, 1.0 - beta, carried_b)
        a, b = combine(z.slid, dpb, ds, m.pb), combine(dD, normal, t.D, d_normal)
        du = change_across(combine(z.slid, m.pb, -t.D, normal), combine(1.0, a, -1.0, b), n, dn)
    dft = change_friction(law, t.f, -t.press, change_trial(law, du, dvt), dfn)
    # variations of the couples
    couple, a, b = cross(t.d, t.f.force), cross(dd, t.f.force), cross(t.d, dft)
    d_couple = combine(1.0, a, 1.0, b)
    on_a = change_on_slope(-beta, couple, d_couple, t.ta, dta, t.la, dla)
    on_b = change_on_slope(beta - 1.0, couple, d_couple, t.tb, dtb, t.lb, dlb)
    moment_a = -beta * (dot(d_couple, t.ta) + dot(couple, dta))
    moment_b = (beta - 1.0) * (dot(d_couple, t.tb) + dot(couple, dtb))
    return Change(combine(1.0, force, 1.0, dft), on_a, on_b, ds, du, moment_a, moment_b)


@kernel(inline=True)
def unit_vector(axis: int, size: float) -> Vector:
    """Return a vector with the component ``size`` along one axis. The other components are 0."""
    return size if axis == 0 else 0.0, size if axis == 1 else 0.0, size if axis == 2 else 0.0


@kernel
def fill_changes(
    par: TouchParameters, m: FootMotion, z: Bristle, t: FootContact, dq: float, dv: float, C: FloatArray
) -> None:
    """Write the derivatives of twelve quantities into the rows of C, shape (12, 16). The quantities are the force on
    r_A (3), the force on r'_A (3), the force on r'_B (3), the arc length s of the foot, and the moments about the axes
    of A and B. The first twelve columns contain dq times the derivatives with respect to r_A, r'_A, r_B and r'_B (three
    columns each), plus dv times the derivatives with respect to the rates of these vectors. The last four columns are
    used for ropes that friction turns. They contain the derivatives with respect to the angle and the spin of the
    material of A, and then of B.
    """
    for col in range(16 if m.q.turns else 12):
        which, axis = col // 3, col % 3
        q, v = unit_vector(axis, dq), unit_vector(axis, dv)
        spins = NO_SPINS
        if which == 0:
            h = eval_change(par, m, z, t, q, ZERO, v, ZERO, ZERO, ZERO, ZERO, ZERO, spins)
        elif which == 1:
            h = eval_change(par, m, z, t, ZERO, q, ZERO, v, ZERO, ZERO, ZERO, ZERO, spins)
        elif which == 2:
            h = eval_change(par, m, z, t, ZERO, ZERO, ZERO, ZERO, q, ZERO, v, ZERO, spins)
        elif which == 3:
            h = eval_change(par, m, z, t, ZERO, ZERO, ZERO, ZERO, ZERO, q, ZERO, v, spins)
        else:
            k = col - 12
            spins = (
                1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0, 1.0 if k == 3 else 0.0,
            )  # fmt: skip
            h = eval_change(par, m, z, t, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, spins)
        for e in range(3):
            C[e, col], C[3 + e, col], C[6 + e, col] = h.force[e], h.on_a[e], h.on_b[e]
        C[9, col], C[10, col], C[11, col] = h.s, h.moment_a, h.moment_b


@kernel
def add_tangent(
    c: NDArray[Any],
    list_: PairList,
    data: FloatArray,
    start: FloatArray,
    x: FloatArray,
    v: FloatArray,
    dq: float,
    dv: float,
    slots: IntArray,
    values: FloatArray,
) -> None:
    """Add the tangent dq ∂f/∂q + dv ∂f/∂v of the forces f of `add_residual` to ``values``. History values are constant,
    and dq and dv are scalar factors. For each coupled pair of cables, ``slots`` contains the indices of its matrix
    entries in ``values``.
    """
    # number of coordinates of a cable: 12, or 14 with twist
    width = c["dofs"].shape[1]
    C, X, K = np.empty((12, 16)), np.empty((12, 2 * width)), np.empty((2 * width, 2 * width))
    space = np.zeros(1, SPINS)
    g = space[0]
    for k in range(list_.counts[0]):
        if list_.coupling[k] < 0:
            # the matrix has no entries for this pair yet; the residual is complete, so the solution is not affected
            continue
        h, touches = read_pair(c, list_.pair[k, 0], list_.pair[k, 1], x, v), False
        for i in range(list_.first[k], list_.first[k + 1]):
            at, xi = list_.at[i], list_.place[i]
            # open points are skipped, as in the residual
            s, held, closed = find_closed(c, h, xi, data[at + FOOT])
            if not closed:
                continue
            if not touches:
                touches = True
                K[:] = 0.0
            # derivatives with respect to r and r' of both axes, from which the derivatives with respect to coordinates
            # are computed
            par, m, z, t = eval_pair(c, h, data, start, x, v, at, xi, s, held, g)
            fill_changes(par, m, z, t, dq, dv, C)
            force, _, on_b = eval_forces(par, t)
            S, dS, place = shape(xi / h.la, h.la), shape_slope(xi / h.la, h.la), s / h.lb
            T, dT, ddT = shape(place, h.lb), shape_slope(place, h.lb), shape_bend(place, h.lb)
            X[:] = 0.0
            if m.q.turns:
                fill_changes_of_spins(c, h.a, h.b, xi, s, g)
                add_columns_of_spins(C, dq, dv, h.la, h.lb, g, X)
            add_point_and_foot(S, dS, T, dT, ddT, force, on_b, width, C, X, K)
            if m.q.turns:
                moment_a, moment_b = eval_moments(par, t)
                add_rows_of_spins(X, dq, h.la, h.lb, moment_a, moment_b, g, K)
        if touches:
            add_block(K, slots, list_.coupling[k], 2 * width, values)
