"""Dispersion of Airy waves on a current.

    dispersion: σ² = g k tanh(k d),    σ = ω - k Ũ
    mean current: Ũ = 2 k/sinh(2 k d) ∫ U(z) cosh(2 k (z + d)) dz    from the bed to the level

ω is the frequency of a wave at a fixed point, σ the frequency for an observer who moves with the current, and U(z) the
component of the current along the direction of the wave. The dispersion is exact for a uniform current, and an
approximation of first order for a current that changes with depth and is slow compared with the wave. With the
integration variable y = sinh(2 k (z + d))/sinh(2 k d), Ũ is the integral of U over y from 0 to 1.

A wave cannot exist against a current that is too fast. On deep water, Ũ must be > -g/(4 ω).

Source: D. H. Peregrine, Interaction of water waves and currents, Adv. Appl. Mech. 16 (1976) 9-117; J. T. Kirby, T.-M.
Chen, Surface waves on vertically sheared flows, J. Geophys. Res. 94 (1989) 1013-1027.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windlass.connectors.fluids.flow import Flow, fill_means
from windlass.connectors.fluids.sea_states import wave_number
from windlass.elements.cable.points import gauss_rule
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call

CLOSE = 1e-14
"""Change of a wave number relative to the wave number [1]. If the change is below this value, the iteration ends."""
MOST = 200
POINTS, WEIGHTS = gauss_rule(48)
DEEP = 300.0
"""Exponent 2 k d [1]. Above this value, water is treated as infinitely deep."""


def find_mean_currents(c: Flow, k: FloatArray, theta: FloatArray) -> FloatArray:
    """Return the mean currents Ũ [m/s] along the directions θ [rad] for wave numbers k [1/m], shape (m,) each."""
    # the integration points are dense near the bed, because z is proportional to ln y in deep water
    y, w = POINTS**3, 3.0 * POINTS**2 * WEIGHTS
    depth, surface = float(c.fluid["depth"][0]), float(c.fluid["surface"][0])
    argument = np.minimum(2.0 * k * depth, DEEP)[:, None]
    z = np.maximum(np.arcsinh(y * np.sinh(argument)) - argument, -2.0 * k[:, None] * depth) / (2.0 * k[:, None])
    mean = np.zeros(len(k))
    call(fill_means)(c, np.cos(theta), np.sin(theta), surface + z, w, mean)
    return mean


def solve_dispersion(c: Flow, omega: FloatArray, theta: FloatArray, gravity: float) -> tuple[FloatArray, FloatArray]:
    """Return wave numbers k [1/m] and mean currents Ũ [m/s] of waves on the current of a fluid, shape (m,) each. Wave
    number and mean current are NaN for waves that do not exist.

    Args:
        c: the fluid.
        omega: frequencies ω [rad/s], shape (m,).
        theta: directions of travel θ [rad], shape (m,).
        gravity: gravitational acceleration g [m/s^2].
    """
    return find_wave_numbers(omega, float(c.fluid["depth"][0]), gravity, lambda k: find_mean_currents(c, k, theta))


def find_wave_numbers(
    omega: FloatArray, depth: float, gravity: float, find_means: Callable[[FloatArray], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the results of `solve_dispersion` for water of the given depth [m]. The function ``find_means`` returns
    the mean currents [m/s] for wave numbers [1/m], shape (m,) each.
    """
    k: FloatArray = wave_number(omega, depth, gravity)
    for _ in range(MOST):
        mean = find_means(k)
        # Newton's method for ω - k Ũ - σ(k) = 0. The left-hand side is a convex function of k, so the iteration does
        # not cross the smallest root.
        tanh = np.tanh(k * depth)
        sigma = np.sqrt(gravity * k * tanh)
        speed = 0.5 * gravity * (tanh + k * depth * (1.0 - tanh**2)) / sigma
        slope = mean + speed
        change = np.where(slope > 0.0, (omega - k * mean - sigma) / np.where(slope > 0.0, slope, 1.0), np.nan)
        k = k + change
        if not (np.abs(change) > CLOSE * k).any():
            break
    else:
        k = np.where(np.abs(change) > 1e-10 * k, np.nan, k)
    return k, np.where(np.isnan(k), np.nan, mean)
