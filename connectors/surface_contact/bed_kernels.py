"""Contact of a line with a soft bed: friction along and across the line, and suction of a line that is lifted.

Points, gap g, n, X, V, v_n, u_t and v_t are defined in `kernels.py`. T is the unit tangent of the line in the frame of
the surface, and b is the direction across the line in the bed,

    b = c/sqrt(c·c + ε²),  c = n × T.

The friction limit is an ellipse with the half axes mu N along the line and rho mu N across it, where N = max(-f_n, 0).
The deflection and the velocity are scaled so that the limit is a circle. The return map of `friction/bristle.py` can
then be used:

    û = u_t + (β - 1) b (b·u_t),    v̂ = v_t + (β - 1) b (b·v_t),    β = κ/rho
    f̂ = w (mu_k û + mu_v v̂) while |f̂| <= mu N, else a force of the magnitude mu N in this direction
    f_t = f̂ + (rho - 1) b (b·f̂)

κ is the ratio of the stiffnesses of bristles across and along the line. For steady slip with the components cos a along
and sin a across the line, the components of the friction are mu N (cos a, κ sin a)/sqrt(cos² a + (κ/rho)² sin² a). With
κ = 1 the friction on the line is opposite to the slip velocity. With κ = rho² the dissipated power is the largest that
the ellipse allows. A sticking bristle has the energy
mu_k w u_t·M u_t/2 with M = I + γ b bᵀ, γ = (rho - 1) + (β - 1) + (rho - 1)(β - 1) b·b, and its lever power is

    mu_k w ((n·u) (M u_t)·n_t - γ (b·u_t) (b_t·u_t)),    u = X - a.

Suction: δ is the largest penetration since the line touched the bed, and m is the largest gap since then. Up to the gap
c_s δ the contact spring pulls. The largest suction is w k c_s δ. Over the further distance Δ the suction decreases
linearly to 0. If the line is lowered before the suction is 0, the suction decreases in proportion to the gap:

    f_n = w s (k g + d v_n) for g > 0,    f_n = w (k g + s d v_n) for g <= 0
    s = 1 for m <= c_s δ,    s = c_s δ (c_s δ + Δ - m)/(Δ m) for m between c_s δ and c_s δ + Δ,    else 0

When a line that was lifted further than c_s δ touches the bed again, δ is set to the present penetration, and m to 0. A
cycle of lifting and lowering beyond the gap c_s δ + Δ dissipates w k c_s δ (c_s δ + Δ)/2. Points under suction have no
friction.

Source of the friction: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006). DNV-RP-F114,
Pipe-soil interaction for submarine pipelines (2017), also uses an ellipse as the limit. Source of the suction: C.
Bridge, K. Laver, E. Clukey, T. Evans, Steel catenary riser touchdown point vertical interaction models, OTC 16628
(2004), with straight lines.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from windlass.connectors.contact.law import (
    Friction,
    PointLaw,
    eval_normal_force,
    eval_normal_slopes,
    no_friction,
    replace_force,
    rub,
    scale_normal,
)
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.friction.bristle import SLIPS
from windlass.connectors.surface_contact.distances import Distance
from windlass.connectors.surface_contact.kernels import (
    NO_ROLL,
    TOUCHES,
    TURNING,
    Lever,
    PointForces,
    Roll,
    SurfaceRow,
    across,
    eval_axis,
    read_anchor,
    read_state,
    rests,
    to_surface,
)
from windlass.elements.cable.points import Four, shape_slope
from windlass.elements.nodes.vectors import Vector, combine, cross, dot
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

PER_BED_POINT = 7
"""Number of history values of a point: gap, state, anchor (3), δ and m."""
UPRIGHT = 1e-6
"""Value of ε [1]. Because ε > 0, the direction b is also smooth where the line is perpendicular to the bed."""


class Heading(NamedTuple):
    """Direction of a line at a point: derivatives of the shape functions with respect to arc length, global unit
    tangent t, length |r'| of the slope [1], T, c = n × T and b. The docstring of this module defines n, T and b.
    """

    dS: Four
    t: Vector
    size: float
    T: Vector
    c: Vector
    b: Vector


class Suction(NamedTuple):
    """Suction of a point: c_s δ [m], largest gap m before the step [m], and gap c_s δ + Δ at which the suction ends
    [m]. All fields are 0 if the point was open at the start of the step, or if c_s δ is 0.
    """

    peak: float
    opened: float
    reach: float


class BedForces(NamedTuple):
    """Forces of a point. The fields are f_n [N], min(f_n, 0) [N], the parameters of the law with the factors s, the
    derivatives of f_n with respect to g [N/m] and v_n [N s/m], the friction f̂, f_t [N], g [m], v_n [m/s], v_t [m/s],
    u_t [m], whether friction acts, and the derivative of the factor s of the contact stiffness with respect to g [1/m].
    The docstring of this module defines the symbols.
    """

    fn: float
    pressing: float
    held: PointLaw
    by_gap: float
    by_rate: float
    circle: Friction
    force: Vector
    gap: float
    vn: float
    vt: Vector
    u: Vector
    rubs: bool
    by_share: float


@kernel(inline=True)
def stretch(x: float, b: Vector, a: Vector) -> Vector:
    """Return a + (x - 1) b (b·a)."""
    return combine(1.0, a, (x - 1.0) * dot(b, a), b)


@kernel(inline=True)
def change_stretch(x: float, b: Vector, db: Vector, a: Vector, da: Vector) -> Vector:
    """Return the variation of the result of `stretch` for the variations db of b and da of a."""
    turned = combine(dot(b, a), db, dot(db, a) + dot(b, da), b)
    return combine(1.0, da, x - 1.0, turned)


@kernel(inline=True)
def change_across(e: Heading, dc: Vector) -> Vector:
    """Return the variation of b for a variation dc of c."""
    inverse = 1.0 / sqrt(dot(e.c, e.c) + UPRIGHT * UPRIGHT)
    return combine(inverse, dc, -dot(e.c, dc) * inverse * inverse, e.b)


@kernel(inline=True)
def find_heading(r: SurfaceRow, h: Distance, k: int, n: int) -> Heading:
    """Return the direction of the line at point k of n points."""
    dS = shape_slope(relative_place(k, n), r.length)
    p = eval_axis(dS, r.q)
    size = sqrt(dot(p, p))
    t = p[0] / size, p[1] / size, p[2] / size
    T = to_surface(r.o, t[0], t[1], t[2])
    c = cross((h.nx, h.ny, h.nz), T)
    inverse = 1.0 / sqrt(dot(c, c) + UPRIGHT * UPRIGHT)
    return Heading(dS, t, size, T, c, (inverse * c[0], inverse * c[1], inverse * c[2]))


@kernel(inline=True)
def read_suction(row: Any, start: FloatArray, k: int) -> Suction:
    """Return the suction of point k, from the history values at the start of the step."""
    n, first = row.points, row.data
    depth, opened = start[first + 5 * n + k], start[first + 6 * n + k]
    peak = row.suction_coefficient * depth if start[first + k] <= 0.0 else 0.0
    return Suction(peak, opened, peak + row.suction_distance) if peak > 0.0 else Suction(0.0, 0.0, 0.0)


@kernel(inline=True)
def eval_share(s: Suction, gap: float) -> tuple[float, float]:
    """Return the factor s [1] at a gap > 0, and its derivative [1/m] with respect to the gap."""
    widest = max(s.opened, gap)
    if widest <= s.peak or s.peak == 0.0:
        return 1.0, 0.0
    if widest >= s.reach:
        return 0.0, 0.0
    scale = s.peak / (s.reach - s.peak)
    return scale * (s.reach - widest) / widest, -scale * s.reach / (widest * widest) if gap > s.opened else 0.0


@kernel(inline=True)
def eval_bed_forces(
    row: Any, law: PointLaw, h: Distance, z: Lever, e: Heading, s: Suction, state: float, way: Vector, speed: Vector,
    still: bool, roll: Roll,
) -> BedForces:  # fmt: skip
    """Return the forces of a closed point. The arguments ``way`` and ``speed`` are the displacement since the point
    began to stick [m] and the velocity [m/s] of the material relative to the surface, ``roll`` is the turn of the rope,
    and ``still`` states whether this velocity is 0.
    """
    gap, vn = h.phi - row.rope_radius, dot_normal(h, z.U, z.V, z.W)
    share, slope = eval_share(s, gap)
    held = scale_normal(law, share if gap > 0.0 else 1.0, share)
    fn = eval_normal_force(held, gap, vn)
    by_gap, by_rate = eval_normal_slopes(held, gap, vn, fn)
    by_gap += slope * eval_normal_force(law, gap, vn) if gap > 0.0 else 0.0
    vt = combine(1.0, across(h, dot_normal(h, *speed), speed), -1.0, roll.rate)
    u = combine(1.0, across(h, dot_normal(h, *way), way), -1.0, roll.way)
    pressing, circle, force = min(fn, 0.0), no_friction(), (0.0, 0.0, 0.0)
    acts = state >= 0.0 and law.friction_coefficient != 0.0 and (state != TOUCHES or still)
    if acts:
        beta = row.lateral_stiffness_ratio / row.lateral_friction_ratio
        turning = TURNING if still else 0.0
        circle = rub(law, stretch(beta, e.b, u), stretch(beta, e.b, vt), pressing, state == SLIPS, turning)
        force = stretch(row.lateral_friction_ratio, e.b, circle.force)
    slope = slope if gap > 0.0 else 0.0
    return BedForces(fn, pressing, held, by_gap, by_rate, circle, force, gap, vn, vt, u, acts, slope)


@kernel(inline=True)
def dot_normal(h: Distance, x: float, y: float, z: float) -> float:
    """Return the product n·(x, y, z) with the normal n."""
    return h.nx * x + h.ny * y + h.nz * z


@kernel(inline=True)
def eval_bed_point(
    row: Any, r: SurfaceRow, h: Distance, z: Lever, k: int, data: FloatArray, start: FloatArray
) -> tuple[Heading, Vector, BedForces]:
    """Return the direction of the line, the anchor and the forces of closed point k, from its history values."""
    n, first = row.points, row.data
    state = read_state(data, start, first, n, k, r.law.friction_stiffness)
    a = read_anchor(state, data, start, first, n, k)
    e = find_heading(r, h, k, n)
    way = z.X - a[0], z.Y - a[1], z.Z - a[2]
    s, V = read_suction(row, start, k), (z.U, z.V, z.W)
    F = eval_bed_forces(row, r.law, h, z, e, s, state, way, V, rests(z), NO_ROLL)
    return e, a, F


@kernel(inline=True)
def total_force(F: BedForces) -> PointForces:
    """Return the forces of a point as `PointForces`, with the friction f_t."""
    return PointForces(F.fn, replace_force(F.circle, F.force), F.gap, F.vn, F.vt, F.u)
