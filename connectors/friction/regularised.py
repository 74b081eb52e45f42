"""Dry friction as a function of the slip velocity alone: the force is 0 at rest, so no contact sticks.

    zone        f = F v/v_z   where |v| <= v_z,   F v/|v|  elsewhere
    parabola    f = F (2 - |v|/v_z) v/v_z         in the zone
    smooth      f = F v/sqrt(v² + v_0²)

    F           mu |f_n|, or by Stribeck   F_d + F_s exp(-|v|/v_e) + F_v |v|,
                or by Hollars  f_n (u_d + 2 (u_s - u_d)/(1 + q²)),  q = |v|/v_z,  plus f_n u_v v

Some published laws decide by the stored slip whether the velocity is in the zone, and some also use the direction of
the stored slip; each law states its choice.
Source: M. Hollars, in the documentation of Simbody 3.7, class HuntCrossleyForce; J. Gerstmayr and others, documentation
of Exudyn 1.13 (zones, Stribeck).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.kernels.kernel import kernel


@kernel(inline=True)
def slides(speed: float, zone: float) -> bool:
    """Whether a slip is outside the zone."""
    return speed > zone


@kernel(inline=True)
def share_of_slip(speed: Any, zone: float, parabola: bool) -> Any:
    """f/(F v) [s/m] in the zone, 0 for a zone of width 0; beyond the zone the ratio is 1/|v|. Speeds may be complex."""
    share = 1.0 / zone if zone != 0.0 else 0.0
    return (2.0 - speed * share) * share if parabola else share


@kernel(inline=True)
def limit_of(mu: float, fn: Any) -> Any:
    """mu |f_n| [N] of a complex f_n, whose imaginary part is a derivative."""
    return mu * (fn if fn.real > 0.0 else -fn)


@kernel(inline=True)
def smooth_sign(v: float, v0: float) -> tuple[float, float]:
    """v/sqrt(v² + v0²) and its derivative with respect to v."""
    root = np.sqrt(v * v + v0 * v0)
    return v / root, v0 * v0 / (root * root * root)


@kernel(inline=True)
def stribeck(speed: float, dynamic: float, static: float, decay: float, viscous: float) -> tuple[float, float]:
    """F [N] at a speed >= 0, and its derivative."""
    falling = static * np.exp(-speed / decay)
    return dynamic + falling + viscous * speed, viscous - falling / decay


@kernel(inline=True)
def hollars(speed: float, us: float, ud: float, uv: float, zone: float) -> tuple[float, float]:
    """f/(f_n |v|) [s/m], and its derivative with respect to |v|, divided by |v| [s³/m³], 0 at rest."""
    q, beyond = speed / zone, slides(speed, zone)
    fall = 1.0 / (1.0 + q * q)
    # the factor within a zone > 0 and beyond the zone, with one division
    dry, share = ud + 2.0 * (us - ud) * fall, 1.0 / max(speed, zone)
    slope = -4.0 * (us - ud) * q * fall * fall / zone - (dry * share if beyond else 0.0)
    return dry * share + uv, slope * share / speed if speed != 0.0 else 0.0
