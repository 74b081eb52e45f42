"""Kernels of stick-slip friction and of stops. See `coordinate_spring_damper_ext`."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.friction.bristle import (
    STICKS,
    bend,
    bent_energy,
    decide,
    friction_force,
    friction_slopes,
    trial,
)
from windlass.connectors.friction.regularised import share_of_slip, slides, stribeck
from windlass.framework.kernels.kernel import kernel


@kernel
def sliding_force(row: Any, v: float) -> tuple[float, float]:
    """Return the magnitude F [N or N m] of the friction of a sliding row at the velocity v, and the derivative of F
    with respect to |v|. Both results are 0 for v = 0.
    """
    speed = abs(v)
    if speed == 0.0:
        return 0.0, 0.0
    return stribeck(speed, row.dynamic_friction, row.static_friction_offset, row.decay_velocity, row.viscous_friction)


@kernel
def friction(row: Any, q: float, v: float) -> tuple[float, float, float]:
    """Return the friction force f_friction [N or N m] and its derivatives with respect to the difference q of the
    coordinates and with respect to its rate q_t."""
    if row.bristle:
        state = np.sign(row.history[0])
        size, slope = sliding_force(row, v) if state != STICKS else (0.0, 0.0)
        tau = trial(row.sticking_stiffness, q - row.history[1], row.sticking_damping, v)
        by_size, by_rate, by_place = friction_slopes(
            state, row.sticking_stiffness, row.sticking_damping, slope * np.sign(v)
        )
        return friction_force(state, tau, size), by_place, by_rate + by_size
    zone = row.proportional_zone
    if zone == 0.0:
        return 0.0, 0.0, 0.0
    speed = abs(v)
    if not slides(speed, zone):
        slope = (row.dynamic_friction + row.static_friction_offset) * share_of_slip(speed, zone, False)
        return slope * v, 0.0, slope
    size, slope = stribeck(
        speed - zone, row.dynamic_friction, row.static_friction_offset, row.decay_velocity, row.viscous_friction
    )
    return np.sign(v) * size, 0.0, slope


@kernel
def depth(row: Any, q: float) -> float:
    """Return the penetration depth [m or rad] into a stop. The depth is > 0 for the upper stop, < 0 for the lower
    stop, and 0 if no stop is in contact.
    """
    if not row.stops or row.history[2] == 0.0:
        return 0.0
    return float(q - (row.upper_stop if row.history[2] > 0.0 else row.lower_stop))


@kernel
def is_stopped(row: Any) -> float:
    """Return 1 while a stop is in contact, otherwise 0."""
    return 1.0 if row.stops and row.history[2] != 0.0 else 0.0


@kernel
def bristle_energy(row: Any, u: float, ut: float, t: float) -> float:
    """Return the energy [J] of the bristle, which is 0 for rows without bristles or with a user function. While the
    bristle slides, its deflection is F/k_b.
    """
    if row.has_function or not row.bristle:
        return 0.0
    return float(
        bent_energy(
            row.history[0] != STICKS, row.sticking_stiffness, (u - row.history[1]) ** 2, sliding_force(row, ut)[0]
        )
    )


@kernel
def sliding(row: Any, u: float, ut: float, t: float) -> tuple[float, float, float]:
    """Return the power [W] of the friction force without the damping force of a sticking bristle, the energy [J] of the
    bristle, and whether the bristle slides (1) or sticks (0).
    """
    if row.has_function or not row.bristle:
        return 0.0, 0.0, 0.0
    sticks = row.history[0] == STICKS
    force = row.sticking_stiffness * (u - row.history[1]) if sticks else friction(row, u, ut)[0]
    return force * ut, bristle_energy(row, u, ut, t), 0.0 if sticks else 1.0


@kernel
def update_history(row: Any, u: float, ut: float, t: float, h: float) -> tuple[float, float, bool, float]:
    """Update slip state, anchor, and depth in a stop. Return the force error [N], an infinite step size, whether a
    state has changed, and the force [N].
    """
    jump, changed, largest = 0.0, False, 0.0
    if row.has_function:
        return jump, np.inf, changed, largest
    state, kb, db = row.history[0], row.sticking_stiffness, row.sticking_damping
    # update of a bristle, which can start to slide, start to stick, or continue to slide
    if row.bristle:
        old = friction(row, u, ut)[0]
        size, static = sliding_force(row, ut)[0], row.dynamic_friction + row.static_friction_offset
        largest = abs(old)
        if state == STICKS:
            new = decide(old, static, ut if ut != 0.0 else old)[1]
            if new != STICKS:
                row.history[0] = new * (size if ut != 0.0 else static)
                jump, changed = abs(row.history[0] - old), True
        # the sliding direction has reversed, so the row sticks. If the row stuck at the start of the step, the anchor
        # is set to its value at the start of the step. Otherwise the anchor is set to the value for which the bristle
        # exerts the force that acted at the start of the step.
        elif ut * state < 0.0:
            stuck = row.start[0] == STICKS
            row.history[1] = row.start[1] if stuck else u - bend(row.start[0], db * ut, kb)
            jump = abs(trial(kb, u - row.history[1], db, ut) - old)
            row.history[0], changed = STICKS, True
        else:
            changed = ut == 0.0
            row.history[0], row.history[1] = np.sign(ut) * size, u
    # update of the depth in a stop; the contact can start, end, or continue
    if row.stops:
        deep, before = max(u - row.upper_stop, 0.0) + min(u - row.lower_stop, 0.0), row.history[2]
        if before == 0.0:
            jump += row.stop_stiffness * abs(deep)
            changed = changed or deep != 0.0
        elif deep * before <= 0.0:
            jump += row.stop_stiffness * abs(before)
            deep, changed = 0.0, True
        else:
            largest = max(largest, row.stop_stiffness * abs(deep))
        row.history[2] = deep
    return jump, np.inf, changed, largest
