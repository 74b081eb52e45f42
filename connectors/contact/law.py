"""Normal force and friction at one point of contact, for points of cables on circles, on surfaces and on other cables.

    normal force: f_n = k g + d s v_n,    s = min(-g/g_0, 1) for g_0 > 0, otherwise 1
    clipped: f_n = 0 if f_n would pull (f_n > 0)
    friction: f_t = tau min(F/|tau|, 1/c) while the point slips, otherwise tau;    F = mu |f_n|
    friction along a line: f_t = +-F while the point slips in this direction, otherwise tau

g is the gap, v_n the rate of the gap, g_0 the depth at which the full damping is reached, and tau the trial force of
the bristle. If |tau| is below the fraction c of the friction limit F, f_t of a slipping point is proportional to tau.
If c = 1, f_t of a slipping point with |tau| < F is tau. If 0 < c < 1, f_t does not jump if the direction of the slip is
reversed. If c = 0, f_t of a slipping point always has the magnitude F. The kernels of each contact law compute g, v_n
and the normal. For friction, they also compute the deflection of the bristle and the slip velocity v_t.

The variation of the force f_n n + f_t of a point is

    df_n n + f_n dn + df_t,    df_n = k dg + d (s dv_n + ds v_n).

Source: penalty in points and radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006); damping that
increases with the depth: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440-445.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from windlass.connectors.friction.bristle import (
    UNDEFINED,
    coulomb,
    friction_force,
    friction_slopes,
    return_change,
    return_share,
    trial,
    trial_vector,
)
from windlass.elements.nodes.vectors import Vector, dot
from windlass.framework.kernels.kernel import kernel


class PointLaw(NamedTuple):
    """Parameters of one point, all scalars. They are the stiffness k [N/m] and damping d [N s/m] of the contact, the
    depth g_0 of full damping [m], the damping mu_v [N s/m] and stiffness mu_k [N/m] of the bristle, the friction
    coefficient mu [1], and whether a pulling normal force f_n is set to 0.
    """

    contact_stiffness: float
    contact_damping: float
    damping_depth: float
    friction_velocity_penalty: float
    friction_stiffness: float
    friction_coefficient: float
    clip_normal_force: bool


class Friction(NamedTuple):
    """Friction of a point. The fields are the friction f_t [N]; the trial force tau [N] and its magnitude |tau| [N];
    the ratio F/|tau| [1], where F is the friction limit [N]; the factor x in f_t = x tau [1]; and whether f_t has the
    magnitude F.
    """

    force: Vector
    tau: Vector
    size: float
    share: float
    factor: float
    slides: bool


@kernel(inline=True)
def read_law(row: Any, damping_depth: float) -> PointLaw:
    """Read the parameters from the record of a row. The fields of the record are values of one point."""
    return PointLaw(
        row.contact_stiffness, row.contact_damping, damping_depth, row.friction_velocity_penalty,
        row.friction_stiffness, row.friction_coefficient, row.clip_normal_force,
    )  # fmt: skip


@kernel(inline=True)
def eval_fading(law: PointLaw, gap: float) -> tuple[float, float]:
    """Return the share s [1] of the damping at the given gap, and the derivative [1/m] of s with respect to the gap."""
    depth = law.damping_depth
    share = -gap / depth if depth > 0.0 else 1.0
    slope = -1.0 / depth if 0.0 < share < 1.0 else 0.0
    return min(max(share, 0.0), 1.0), slope


@kernel(inline=True)
def eval_normal_force(law: PointLaw, gap: float, vn: float) -> float:
    """Return the normal force f_n [N] of a closed point."""
    fn: float = law.contact_stiffness * gap + law.contact_damping * eval_fading(law, gap)[0] * vn
    return 0.0 if law.clip_normal_force and fn > 0.0 else fn


@kernel(inline=True)
def eval_normal_slopes(law: PointLaw, gap: float, vn: float, fn: float) -> tuple[float, float]:
    """Return the derivatives of the normal force f_n with respect to the gap [N/m] and its rate [N s/m]."""
    share, slope = eval_fading(law, gap)
    by_gap, by_rate = law.contact_stiffness + law.contact_damping * slope * vn, law.contact_damping * share
    open_ = law.clip_normal_force and fn >= 0.0
    return 0.0 if open_ else by_gap, 0.0 if open_ else by_rate


@kernel(inline=True)
def eval_spring_energy(law: PointLaw, gap: float) -> float:
    """Return the energy [J] of the spring of the normal force of a closed point."""
    energy: float = 0.5 * law.contact_stiffness * gap * gap
    return energy


@kernel(inline=True)
def eval_spring_slope(law: PointLaw, held: PointLaw, slope: float, gap: float) -> float:
    """Return the derivative [N] of the energy of the spring with respect to the gap. ``held`` contains the contact
    stiffness of ``law`` times a factor, and ``slope`` is the derivative of this factor with respect to the gap [1/m].
    """
    force: float = gap * (held.contact_stiffness + 0.5 * slope * law.contact_stiffness * gap)
    return force


@kernel(inline=True)
def scale_normal(law: PointLaw, spring: float, damper: float) -> PointLaw:
    """Return the parameters with the contact stiffness multiplied by ``spring`` and the contact damping multiplied by
    ``damper``.
    """
    return PointLaw(
        spring * law.contact_stiffness, damper * law.contact_damping, law.damping_depth, law.friction_velocity_penalty,
        law.friction_stiffness, law.friction_coefficient, law.clip_normal_force,
    )  # fmt: skip


@kernel(inline=True)
def rub(law: PointLaw, u: Vector, vt: Vector, fn: float, slips: bool, least: float) -> Friction:
    """Return the friction for the deflection u [m] of the bristle, the velocity v_t [m/s] and the normal force f_n [N].
    The argument ``least`` is the fraction c of the friction limit, see the docstring of this module.
    """
    tau = trial_vector(law.friction_stiffness, u, law.friction_velocity_penalty, vt)
    size, limit = sqrt(dot(tau, tau)), coulomb(law.friction_coefficient, fn)[0]
    factor = return_share(max(size, least * limit), limit) if slips else 1.0
    force = factor * tau[0], factor * tau[1], factor * tau[2]
    return Friction(force, tau, size, return_share(size, limit), factor, slips and size > least * limit)


@kernel(inline=True)
def change_trial(law: PointLaw, du: Vector, dvt: Vector) -> Vector:
    """Return the variation of the trial force tau for a variation du of the deflection of the bristle and a variation
    dvt of the slip velocity v_t."""
    return trial_vector(law.friction_stiffness, du, law.friction_velocity_penalty, dvt)


@kernel(inline=True)
def change_friction(law: PointLaw, f: Friction, fn: float, dtau: Vector, dfn: float) -> Vector:
    """Return the variation of the friction f_t for a variation dtau of the trial force tau and a variation dfn of the
    normal force f_n."""
    if f.slides:
        inverse = return_share(f.size, 1.0)
        e = inverse * f.tau[0], inverse * f.tau[1], inverse * f.tau[2]
        return return_change(e, f.share, dtau, coulomb(law.friction_coefficient, fn)[1] * dfn)
    return f.factor * dtau[0], f.factor * dtau[1], f.factor * dtau[2]


@kernel(inline=True)
def rub_along(law: PointLaw, state: float, k: float, u: float, v: float, fn: float) -> float:
    """Return the friction [N] along a line for the contact state ``state``. The arguments are the stiffness k [N/m] and
    the deflection u [m] of the bristle, and the velocity v [m/s].
    """
    if state == UNDEFINED or law.friction_coefficient == 0.0:
        return 0.0
    tau = trial(k, u, law.friction_velocity_penalty, v)
    return friction_force(state, tau, coulomb(law.friction_coefficient, fn)[0])


@kernel(inline=True)
def eval_slopes_along(law: PointLaw, state: float, fn: float) -> tuple[float, float, float]:
    """Return the derivatives of the friction along a line with respect to the normal force f_n, the velocity v and the
    deflection u.
    """
    if state == UNDEFINED or law.friction_coefficient == 0.0:
        return 0.0, 0.0, 0.0
    by_fn = coulomb(law.friction_coefficient, fn)[1]
    return friction_slopes(state, law.friction_stiffness, law.friction_velocity_penalty, by_fn)


@kernel(inline=True)
def replace_force(f: Friction, force: Vector) -> Friction:
    """Return a copy of ``f`` in which the friction f_t is replaced by ``force`` [N]."""
    return Friction(force, f.tau, f.size, f.share, f.factor, f.slides)


@kernel(inline=True)
def no_friction() -> Friction:
    """Return a `Friction` whose forces are 0."""
    return Friction((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0, 1.0, False)
