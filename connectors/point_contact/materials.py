"""Materials of contact surfaces, and conversion of measured quantities to parameters of the law.

    plane-strain modulus: E = Y / (1 - ν²), from Young's modulus Y and Poisson's ratio ν
    restitution e of a central impact: u - ln(1 + u) = -w - ln(1 - w),    u = 3/2 c v,    w = 3/2 c e v
    source of this equation: m v dv/dx = -k x^1.5 (1 + 3/2 c v), integrated in closed form. Here v is the closing speed

The restitution does not depend on mass, stiffness and radius, because these quantities only change the scale of the
depth x. For small c v the restitution tends to e = 1 - c v.

Source: K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440-445; K. L. Johnson, Contact Mechanics, Cambridge
University Press (1985).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.checks.checks import checked, number
from windlass.framework.errors import ModelError
from windlass.framework.model.law import register
from windlass.framework.model.schema import Component, column

SERIES_BELOW = 0.05
"""Value of |x| [1]. Below this value, x - ln(1 + x) is computed from a series, because of cancellation."""
SERIES_TERMS = 14
LARGEST = 36.0
"""Value that replaces x - ln(1 + x) at x = -1, where the function is infinite. At the next larger floating-point
number, -1 + 2^-53, the value of the function is 35.7.
"""
CLOSE_TO_ONE = 1e-9
"""Difference 1 - e [1]. Below this value, the limit e = 1 - c v is exact up to rounding errors."""


class ContactMaterial(Component):
    """The material of one or more contact surfaces.

    The column ``dissipation`` is c of the Hunt-Crossley law. In slow impacts of equal materials with the closing speed
    v, the restitution is 1 - c v. `plane_strain_modulus` and `dissipation_from_restitution` compute the parameters from
    measured quantities.
    """

    plane_strain_modulus = column(
        "Pa", "plane-strain modulus E = Y/(1 - ν²) with Young's modulus Y and Poisson's ratio ν", above=0
    )
    dissipation = column("s/m", "dissipation coefficient c", default=0.0, minimum=0)
    static_friction = column("1", "coefficient of static friction u_s", default=0.0, minimum=0)
    dynamic_friction = column("1", "coefficient of dynamic friction u_d", default=0.0, minimum=0)
    viscous_friction = column("s/m", "coefficient of viscous friction u_v", default=0.0, minimum=0)


@checked(ModelError, None, youngs_modulus=number("Pa", above=0.0), poissons_ratio=number("1", above=-1.0, maximum=0.5))
def plane_strain_modulus(youngs_modulus: float, poissons_ratio: float) -> float:
    """Return the plane-strain modulus Y/(1 - ν²) [Pa].

    Args:
        youngs_modulus: Young's modulus Y [Pa].
        poissons_ratio: Poisson's ratio ν [1].

    Raises:
        ModelError: Y <= 0, or ν is outside (-1, 0.5].
    """
    return youngs_modulus / (1.0 - poissons_ratio**2)


@checked(ModelError, None, dissipation=number("s/m", minimum=0.0), speed=number("m/s", minimum=0.0))
def restitution_from_dissipation(dissipation: float, speed: float) -> float:
    """Return the restitution e [1] of a central impact.

    Args:
        dissipation: c of the pair [s/m]. See `hunt_crossley` for c of two different materials.
        speed: closing speed v at first contact [m/s].

    Raises:
        ModelError: a value is negative or not finite.
    """
    u = 1.5 * dissipation * speed
    if u < CLOSE_TO_ONE:
        return 1.0 - u / 1.5
    target = _log_gap(u)
    from scipy.optimize import brentq  # imported here, because most models do not need this module
    from scipy.special import lambertw  # imported here, because most models do not need this module

    if target > 1.0:
        # y = 1 - w satisfies y - ln y = 1 + target with y < 0.2. This equation is accurate for w near 1.
        return float(1.0 + lambertw(-np.exp(-1.0 - target)).real) / u
    # log_gap(-w) increases from 0 to infinity while w increases from 0 to 1
    return float(brentq(lambda w: _log_gap(-w) - target, 0.0, 0.9, xtol=1e-300, rtol=1e-15)) / u


@checked(ModelError, None, restitution=number("1", above=0.0, maximum=1.0), speed=number("m/s", above=0.0))
def dissipation_from_restitution(restitution: float, speed: float) -> float:
    """Return the dissipation coefficient c [s/m] for which a central impact has a given restitution.

    Args:
        restitution: restitution e, the ratio of the speed after the impact to the speed before the impact [1].
        speed: closing speed v at first contact [m/s].

    Raises:
        ModelError: e is outside (0, 1], or v <= 0.
    """
    loss = 1.0 - restitution
    if loss < CLOSE_TO_ONE:
        return loss / speed

    def mismatch(u: float) -> float:
        # division by u² removes the root u = 0
        return (_log_gap(-restitution * u) - _log_gap(u)) / u**2

    # W = e u is smaller than 1. For strong dissipation u equals 1/e up to rounding errors.
    most = 1.0 / restitution
    from scipy.optimize import brentq  # imported here, because most models do not need this module

    u = most if mismatch(most) <= 0.0 else float(brentq(mismatch, loss, most, xtol=1e-300, rtol=1e-15))
    return u / (1.5 * speed)


def _log_gap(x: float) -> float:
    """Evaluate x - ln(1 + x) for x > -1 without cancellation."""
    if abs(x) < SERIES_BELOW:
        # x²/2 - x³/3 + ..., summed from the smallest term
        total = 0.0
        for k in range(SERIES_TERMS + 1, 1, -1):
            total = total * -x + 1.0 / k
        return total * x * x
    return float(x - np.log1p(x)) if x > -1.0 else LARGEST


register(ContactMaterial, "passive", source="[@hunt1975]")
