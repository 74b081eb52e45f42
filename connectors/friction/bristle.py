"""Dry friction with bristles along a line or in a plane. All laws with bristles use these functions to compute sticking
and slipping.

    trial force: tau = k u + d v, with the deflection u of the bristle from its anchor and the slip velocity v
    sticks: f = tau if |tau| <= F, with the friction limit F; for contact F = mu |f_n| (Coulomb)
    slips: f = F e if |tau| > F, with e = tau/|tau|. Along a line, e is the state +-1
    anchor: the deflection of a slipping bristle becomes max(F - d v.e, 0)/k along e. Then the forces of bristle and
        damper sum to F
    anchor in published laws: the same formula with d v.e = 0, because these laws neglect the damper
    energy: k u²/2 if the bristle sticks, F²/(2 k) if it slips with the deflection F/k

States: 0 sticks, 1 or -1 slips, -2 undefined. The state is undefined if the contact is open or has no friction.
Contacts store states and anchors as history values. Each law defines how the deflection of a bristle is computed, when
the trial force is evaluated, and which values are stored. Functions that are called in loops over lanes contain no
branches, because branches would prevent vectorisation. Source: radial return, P. Wriggers, Computational Contact
Mechanics, Springer (2006).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.table import EntityTable

STICKS, SLIPS, UNDEFINED = 0.0, 1.0, -2.0
Vector = tuple[float, float, float]


@kernel(inline=True)
def coulomb(mu: float, fn: float) -> tuple[float, float]:
    """Return the friction limit mu |f_n| [N] and the derivative [1] of this limit with respect to the normal force
    f_n.
    """
    return mu * abs(fn), mu * np.sign(fn)


@kernel(inline=True)
def trial(k: float, u: float, d: float, v: float) -> float:
    """Return the trial force tau [N] along a line. If u [m] and v [m/s] are component i of the deflection and of the
    velocity in a plane, the result is component i of the vector tau.
    """
    return d * v + k * u


@kernel(inline=True)
def decide(tau: float, limit: float, towards: float) -> tuple[float, float]:
    """Return two values: the excess |tau| - F of the trial force tau over the friction limit F [N], and the state. The
    state is the sign of ``towards`` if |tau| > F, otherwise 0.
    """
    excess = abs(tau) - limit
    return excess, np.sign(towards) if excess > 0.0 else STICKS


@kernel(inline=True)
def friction_force(state: float, tau: float, limit: float) -> float:
    """Return the friction f [N] along a line for a given state."""
    return limit * state if abs(state) == SLIPS else tau


@kernel(inline=True)
def friction_slopes(state: float, k: float, d: float, by_fn: float) -> tuple[float, float, float]:
    """Return the derivatives of the friction f along a line with respect to the normal force f_n, the velocity v and
    the deflection u. The argument ``by_fn`` is the derivative of the friction limit with respect to f_n.
    """
    if abs(state) == SLIPS:
        return by_fn * state, 0.0, 0.0
    return 0.0, d, k if state == STICKS else 0.0


@kernel(inline=True)
def trial_vector(k: float, u: Vector, d: float, v: Vector) -> Vector:
    """Return the trial force tau [N]."""
    return trial(k, u[0], d, v[0]), trial(k, u[1], d, v[1]), trial(k, u[2], d, v[2])


@kernel(inline=True)
def return_share(size: float, limit: float) -> float:
    """Return the ratio F/|tau| [1] of the friction limit to the magnitude of the trial force. The result is 0 for tau =
    0.
    """
    return limit / size if size > 0.0 else 0.0


@kernel(inline=True)
def return_change(e: Vector, share: float, by_tau: Vector, by_limit: float) -> Vector:
    """Return the variation of the friction F e of a slipping bristle, for the variations ``by_tau`` of the trial force
    tau and ``by_limit`` of the friction limit F. The argument ``share`` is the ratio F/|tau|.
    """
    along = e[0] * by_tau[0] + e[1] * by_tau[1] + e[2] * by_tau[2]
    rest = by_limit - share * along
    return share * by_tau[0] + rest * e[0], share * by_tau[1] + rest * e[1], share * by_tau[2] + rest * e[2]


@kernel(inline=True)
def bend(force: float, drag: float, k: float) -> float:
    """Return the deflection u [m] at which the forces of bristle and damper sum to ``force`` [N]. The argument ``drag``
    is the force of the damper [N]. For k = 0 the result is 0.
    """
    return (force - drag) / k if k != 0.0 else 0.0


@kernel(inline=True)
def slip_bend(limit: float, drag: float, k: float) -> float:
    """Return the deflection u [m] of a slipping bristle along e. The argument ``drag`` is d v.e [N], or 0 if the damper
    is omitted.
    """
    return max(bend(limit, drag, k), 0.0)


@kernel(inline=True)
def bent_energy(slips: bool, k: float, square: float, force: float) -> float:
    """Return the energy [J] of a bristle. If the bristle sticks, the energy is k u²/2 with u² = ``square``. If the
    bristle slips, the energy is f²/(2 k) with the force f. For k = 0 the result is 0.
    """
    return 0.5 * force * bend(force, 0.0, k) if slips else 0.5 * k * square


def check_friction(table: EntityTable) -> None:
    """Raise ModelError for rows that have a friction coefficient but neither bristles nor dampers, because the law
    would ignore the coefficient.
    """
    stiff = table.local("friction_stiffness_per_length") + table.local("friction_velocity_penalty_per_length")
    mu = table.local("friction_coefficient")
    for k in np.flatnonzero((mu > 0.0) & (stiff == 0.0))[:1]:
        raise ModelError(
            f"friction_coefficient = {mu[k]:g} in {table.kind} row {table.resident[k]} with "
            "friction_stiffness_per_length = 0 N/m^2 and friction_velocity_penalty_per_length = 0 N s/m^2: one of the "
            "two must be > 0, otherwise there is no friction"
        )
