"""Dry friction with bristles, at a segment or a point of a cable on a circle: force, derivatives, decision.

    sticks (state 0):         f_t = mu_v v_t + k u,    k: stiffness along the surface,  u: bristle, from its anchor on
    slips (state s = +-1):    f_t = mu |f_n| s
    undefined (state -2):     f_t = mu_v v_t

States and anchors are history values, which change between Newton runs only: what sticks with |f_t| > mu |f_n| slips,
with the anchor where the bristle alone gives mu |f_n|.
Source: radial return, P. Wriggers, Computational Contact Mechanics, Springer (2006).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.table import EntityTable

UNDEFINED = -2.0


@kernel(inline=True)
def wrap(x: float, r: float) -> float:
    """x modulo the circumference, in [-pi r, pi r)."""
    around = 2.0 * np.pi * r
    wrapped: float = x - np.floor(x / around + 0.5) * around
    return wrapped


@kernel(inline=True)
def friction_force(state: float, vt: float, bristle: float, fn: float, mu_v: float, k: float, mu: float) -> float:
    """f_t [N]."""
    if abs(state) == 1.0:
        return mu * abs(fn) * state
    if state == 0.0:
        return mu_v * vt + k * bristle
    return mu_v * vt


@kernel(inline=True)
def friction_slopes(state: float, fn: float, mu_v: float, k: float, mu: float) -> tuple[float, float, float]:
    """Derivatives of f_t by f_n, v_t and the bristle."""
    if abs(state) == 1.0:
        return mu * np.sign(fn) * state, 0.0, 0.0
    if state == 0.0:
        return 0.0, mu_v, k
    return 0.0, mu_v, 0.0


@kernel(inline=True)
def decide(ft: float, limit: float, slip: float, place: float, anchor: float, k: float) -> tuple[float, float, float]:
    """|f_t| - mu |f_n| [N], and the state and anchor that follow from the force f_t of what sticks.

    Args:
        ft, limit: f_t and mu |f_n| [N].
        slip: its sign is that of the sliding.
        place, anchor: where the bristle is now, and its anchor [m].
        k: stiffness of the bristle [N/m], 0 for none.
    """
    excess, state = abs(ft) - limit, 0.0
    if excess > 0.0:
        state = np.sign(slip)
        if k != 0.0:
            anchor = place - state * limit / k
    return excess, state, anchor


def check_friction(table: EntityTable) -> None:
    """Raise ModelError for rows with a coefficient of friction that nothing lets act."""
    stiff = table.local("friction_stiffness_per_length") + table.local("friction_velocity_penalty_per_length")
    mu = table.local("friction_coefficient")
    for k in np.flatnonzero((mu > 0.0) & (stiff == 0.0))[:1]:
        raise ModelError(
            f"friction_coefficient = {mu[k]:g} in {table.kind} row {table.resident[k]} with "
            "friction_stiffness_per_length = 0 N/m^2 and friction_velocity_penalty_per_length = 0 N s/m^2: one of them "
            "must be > 0, as there is no friction otherwise"
        )
