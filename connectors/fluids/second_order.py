"""Waves of second order in water of finite depth. The phases of these waves are sums and differences of the phases of
Airy waves.

Consider a pair of different Airy waves with amplitudes a, phases ψ, wave vectors k, and frequencies ω_i >= ω_j. With R
= k tanh(k d) and V = a g/ω, the surface and the potential have the terms

    η = A± cos(ψ_i ± ψ_j),    φ = F± cosh(κ (z + d))/cosh(κ d) sin(ψ_i ± ψ_j),    κ = |k_i ± k_j|,    ω± = ω_i ± ω_j
    F± (ω±² - g κ tanh(κ d)) = g/2 (a_j V_i Q_i ± a_i V_j Q_j) + ω± V_i V_j (k_i·k_j ∓ R_i R_j),    Q = k² - R²
    A± = ω± F±/g - V_i V_j (k_i·k_j ∓ R_i R_j)/(2 g) + a_i a_j (R_i + R_j)/2

For each wave, half of the terms with + for i = j is added. These terms are Stokes' wave of second order. With these
terms, the residuals of the conditions at the surface are of order 3 in the steepness. The mean level remains at η = 0,
because differences of waves with the same frequency are left out.

Source: J. N. Sharma, R. G. Dean, Second-order directional seas and associated wave forces, Soc. Petroleum Engineers J.
21 (1981) 129-140; J. F. Dalzell, A note on finite depth second-order wave-wave interactions, Appl. Ocean Res. 21 (1999)
105-111. The terms are derived here from the conditions at the surface, expanded at the level.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.connectors.fluids.sea_states import wave_number
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, that, whole
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError

AIRY = "wave_amplitudes", "wave_frequencies", "wave_directions", "wave_phases"
TINY = 1e-12
"""Smallest amplitude of a wave of second order, divided by the largest amplitude of the Airy waves [1]. Waves of second
order are left out if their wave number is at most this fraction of the largest wave number of the Airy waves.
"""
LARGEST = 0.25
"""Largest standard deviation of the elevation of the waves of second order, divided by the standard deviation of the
elevation of the Airy waves [1]. A wave with a larger second harmonic has a second crest in its trough.
"""


@checked(
    waves=that(lambda given: isinstance(given, Mapping), "columns of waves, such as the result of `jonswap`"),
    depth=number("m", above=0.0),
    gravity=number("m/s^2", above=0.0),
    most=whole(1),
)
def second_order_waves(
    waves: Mapping[str, Any], depth: float, gravity: float = 9.81, most: int = 500
) -> dict[str, Any]:
    """Return columns of a `Fluid` for Airy waves and their waves of second order, for example
    ``world.add(Fluid, density=1025.0, **second_order_waves(sea, 30.0))`` with the Airy waves ``sea =
    jonswap(6.0, 10.0, seed=1, count=40)``.

    The number of waves of second order is the square of the number n of Airy waves. Only the waves with the largest
    amplitudes are added, at most ``most``. The computing time for the flow at a point is proportional to the number of
    all waves. The amplitudes of sums increase with the frequency. Therefore spectra should end at about sqrt(2 g/Hs).

    Args:
        waves: the columns ``wave_amplitudes``, ``wave_frequencies``, ``wave_directions`` and ``wave_phases``, as
            created by `regular_wave` and `jonswap`.
        depth: water depth d [m]. It must be equal to the depth of the fluid.
        gravity: gravitational acceleration g [m/s^2].
        most: largest number of waves of second order.

    Returns:
        The columns of all waves, each of shape (n + m,), where m is the number of added waves. The result also contains
        ``depth``, and ``stretching`` = "linear". Linear extrapolation of the velocities to points above the mean level
        is exact to second order. The wave numbers are computed for water without a current. Therefore ``wave_current``
        is False.

    Raises:
        ModelError: other columns than the columns of Airy waves, columns of different lengths, amplitudes or
            frequencies that are not > 0, a depth, gravity or ``most`` that is not > 0, or waves that are too high for
            the depth or too steep. Waves are too high or too steep if the elevation of second order exceeds a quarter
            of the elevation of the Airy waves.
    """
    a, omega, theta, phase = _read_waves(waves)
    k = wave_number(omega, depth, gravity)
    x, y = k * np.cos(theta), k * np.sin(theta)
    parts = [np.stack((a, omega, k, theta, phase, a * omega / np.tanh(k * depth)))]
    for sign in (1.0, -1.0):
        # list each pair of waves once, with ω_i >= ω_j
        i, j = np.triu_indices(len(a))
        i, j = np.where(omega[i] >= omega[j], i, j), np.where(omega[i] >= omega[j], j, i)
        # the sum of two opposite waves with the same frequency causes only a pressure, no velocity and no elevation
        moves = np.hypot(x[i] + sign * x[j], y[i] + sign * y[j]) > TINY * k.max()
        moves &= (sign > 0.0) | (omega[i] > omega[j])
        i, j = i[moves], j[moves]
        high, flow = _eval_pairs(a, omega, k, (x[i] * x[j] + y[i] * y[j]), i, j, sign, depth, gravity)
        both = x[i] + sign * x[j], y[i] + sign * y[j]
        turned = np.where(high < 0.0, np.pi, 0.0)
        height, speed = np.maximum(np.abs(high), TINY * a.max()), np.where(high < 0.0, -flow, flow)
        angle, start = np.arctan2(both[1], both[0]), phase[i] + sign * phase[j] + turned
        parts.append(np.stack((height, omega[i] + sign * omega[j], np.hypot(*both), angle, start, speed)))
    added = np.concatenate(parts[1:], axis=1)
    share = float(np.linalg.norm(added[0]) / np.linalg.norm(a))
    if share > LARGEST:
        raise ModelError(
            f"wave_amplitudes <= {a.max():g} m of second_order_waves in the depth {depth:g} m: the waves of second "
            f"order have {share:.2g} of the elevation of the waves: must be <= {LARGEST:g}, with lower waves, lower "
            "frequencies of steep waves, or a larger depth; stream_function_wave creates regular waves of any height"
        )
    largest = np.sort(np.argsort(-added[0], kind="stable")[:most])
    found = np.concatenate((parts[0], added[:, largest]), axis=1)
    names = "wave_amplitudes", "wave_frequencies", "wave_numbers", "wave_directions", "wave_phases", "wave_velocities"
    return {
        **dict(zip(names, found, strict=True)),
        "depth": float(depth),
        "stretching": "linear",
        "wave_current": False,
    }


def _read_waves(waves: Mapping[str, Any]) -> list[FloatArray]:
    """Return amplitudes [m], frequencies [rad/s], directions [rad] and phases [rad] of Airy waves, shape (n,) each."""
    if set(waves) != set(AIRY):
        raise ModelError(
            f"waves of second_order_waves has the columns {', '.join(map(str, waves))}: must have {', '.join(AIRY)}, "
            "the columns of Airy waves"
        )
    found = []
    for name in AIRY:
        values = read_numbers(waves[name])
        if values is None or values.ndim != 1 or not np.isfinite(values).all():
            raise ModelError(f"{name} = {show(waves[name])} of second_order_waves: must be a list of finite numbers")
        found.append(np.asarray(values, np.float64))
        if len(values) != len(found[0]) or not len(values):
            raise ModelError(
                f"{name} of second_order_waves has {len(values)} values: must have {len(found[0])}, one for each of "
                f"{AIRY[0]}, and at least 1"
            )
    for name, values, unit in zip(AIRY[:2], found[:2], ("m", "rad/s"), strict=True):
        if not (values > 0.0).all():
            raise ModelError(f"{name} = {values.min():g} {unit} of second_order_waves: must be > 0")
    return found


def _eval_pairs(
    a: FloatArray, omega: FloatArray, k: FloatArray, inner: FloatArray, i: Any, j: Any, sign: float, depth: float,
    gravity: float,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Return the amplitudes A [m] of the surface and the amplitudes κ F [m/s] of the horizontal velocity at the level,
    for pairs of waves with the indices i and j, shape (pairs,) each. The argument ``inner`` contains k_i·k_j, and
    ``sign`` is 1 for sums and -1 for differences. See the docstring of this module.
    """
    R, V = k * np.tanh(k * depth), a * gravity / omega
    Q = k**2 - R**2
    kappa = np.sqrt(np.maximum(k[i] ** 2 + k[j] ** 2 + 2.0 * sign * inner, 0.0))
    both, products = omega[i] + sign * omega[j], inner - sign * R[i] * R[j]
    force = 0.5 * gravity * (a[j] * V[i] * Q[i] + sign * a[i] * V[j] * Q[j]) + both * V[i] * V[j] * products
    F = force / (both**2 - gravity * kappa * np.tanh(kappa * depth))
    A = both * F / gravity - V[i] * V[j] * products / (2.0 * gravity) + 0.5 * a[i] * a[j] * (R[i] + R[j])
    share = np.where(i == j, 0.5, 1.0)
    return share * A, share * kappa * F
