"""Newmark's method with beta = 1/4 and gamma = 1/2, which is the trapezoidal rule and has no numerical damping.

``"newmark"`` imposes position constraints directly (index 3). With ``"newmark"``, nonlinear constraints are not
allowed, because errors of multipliers would not be damped. ``"trapezoidal_index2"`` imposes the rates of the
constraints (index 2).

Source: N. M. Newmark, J. Eng. Mech. Div. 85 (1959) 67-94.
"""

from __future__ import annotations

from windlass.solvers.integrators.registry import register_integrator
from windlass.solvers.stepping.integrator import Integrator


def newmark(_spectral_radius: float) -> Integrator:
    """Return the constants of Newmark's method for index 3."""
    return Integrator(beta=0.25, gamma=0.5, needs_linear=True)


def trapezoidal_index2(_spectral_radius: float) -> Integrator:
    """Return the constants of the trapezoidal rule for index 2."""
    return Integrator(beta=0.25, gamma=0.5, rate_level=True)


register_integrator("newmark", newmark)
register_integrator("trapezoidal_index2", trapezoidal_index2)
