"""Dry friction as a function of the slip velocity only. The force is 0 if the velocity is 0. Therefore no contact
sticks.

    zone: f = F v/v_z in the zone |v| <= v_z, otherwise f = F v/|v|
    parabola: f = F (2 - |v|/v_z) v/v_z within the zone
    smooth: f = F v/sqrt(v² + v_0²)

    F of Coulomb: mu |f_n|
    F of Stribeck: F_d + F_s exp(-|v|/v_e) + F_v |v|
    F of Hollars: f_n (u_d + 2 (u_s - u_d)/(1 + q²)), q = |v|/v_z, plus f_n u_v v

v is the slip velocity. F_d + F_s is the friction of Stribeck at v = 0, and F_v is the viscous coefficient. At the
velocity v_e, the part F_s has decreased by the factor 1/e. The static, dynamic and viscous friction coefficients of
Hollars are u_s, u_d and u_v. Some published laws store the slip velocity as a history value and use the stored velocity
to decide whether the contact is within the zone. Some of these laws also use the direction of the stored velocity. The
docstring of each law states which velocity the law uses.

Source: M. Hollars, in the documentation of Simbody 3.7, class HuntCrossleyForce; J. Gerstmayr and others, documentation
of Exudyn 1.13 (zones, Stribeck).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def slides(speed: float, zone: float) -> bool:
    """Return whether a slip velocity is outside the zone."""
    return speed > zone


@kernel(inline=True)
def share_of_slip(speed: Any, zone: float, parabola: bool) -> Any:
    """Return the ratio f/(F v) [s/m] within the zone, where f is the friction, F its limit and v the slip velocity. The
    result is 0 for a zone of width 0. The function is not called for velocities outside the zone, where the ratio is
    1/|v|. The argument ``speed`` is |v|, real or complex. This argument is used only for the parabola.
    """
    share = 1.0 / zone if zone != 0.0 else 0.0
    return (2.0 - speed * share) * share if parabola else share


@kernel(inline=True)
def limit_of(mu: float, fn: Any) -> Any:
    """Return mu |f_n| [N] for a complex f_n. For f_n with the imaginary part h, the imaginary part of the result is h
    times the derivative with respect to f_n.
    """
    return mu * (fn if fn.real > 0.0 else -fn)


@kernel(inline=True)
def smooth_sign(v: float, v0: float) -> tuple[float, float]:
    """Return the factor v/sqrt(v² + v0²) and the derivative of this factor with respect to v."""
    root = np.sqrt(v * v + v0 * v0)
    return v / root, v0 * v0 / (root * root * root)


@kernel(inline=True)
def stribeck(speed: float, dynamic: float, static: float, decay: float, viscous: float) -> tuple[float, float]:
    """Return the friction force F [N] at a speed >= 0, and the derivative of F with respect to the speed."""
    falling = static * np.exp(-speed / decay)
    return dynamic + falling + viscous * speed, viscous - falling / decay


@kernel(inline=True)
def hollars(speed: float, us: float, ud: float, uv: float, zone: float) -> tuple[float, float]:
    """Return the ratio f/(f_n |v|) [s/m], where f is the friction of Hollars, f_n the normal force and |v| the slip
    speed. The second result is the derivative of this ratio with respect to |v|, divided by |v| [s³/m³]. The second
    result is 0 for v = 0.
    """
    q, beyond = speed / zone, slides(speed, zone)
    fall = 1.0 / (1.0 + q * q)
    # friction divided by both the friction limit and the speed is 1/zone within the zone, and 1/speed outside the zone
    dry, share = ud + 2.0 * (us - ud) * fall, 1.0 / max(speed, zone)
    slope = -4.0 * (us - ud) * q * fall * fall / zone - (dry * share if beyond else 0.0)
    return dry * share + uv, slope * share / speed if speed != 0.0 else 0.0
