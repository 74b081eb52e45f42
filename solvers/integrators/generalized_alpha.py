"""The generalised-alpha method. Position constraints are imposed directly (index 3) or as rates (index 2).

Sources: J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375; M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007)
185-202.
"""

from __future__ import annotations

from dataclasses import replace

from windlass.solvers.integrators.registry import register_integrator
from windlass.solvers.stepping.integrator import Integrator


def generalized_alpha(spectral_radius: float) -> Integrator:
    """Return the constants of generalised-alpha for index 3."""
    alpha_m = (2 * spectral_radius - 1) / (spectral_radius + 1)
    alpha_f = spectral_radius / (spectral_radius + 1)
    gamma = 0.5 + alpha_f - alpha_m
    return Integrator((gamma + 0.5) ** 2 / 4, gamma, alpha_m, alpha_f, generalised=True)


def generalized_alpha_index2(spectral_radius: float) -> Integrator:
    """Return the constants of generalised-alpha for index 2."""
    return replace(generalized_alpha(spectral_radius), rate_level=True)


register_integrator("generalized_alpha", generalized_alpha)
register_integrator("generalized_alpha_index2", generalized_alpha_index2)
