"""Functions that create the wave columns of `Fluid`: for a regular wave, or for an irregular sea with a JONSWAP
spectrum.

    dispersion of Airy waves: ω² = g k tanh(k d)
    spectrum: S(ω) ~ ω⁻⁵ exp(-5/4 (ω_p/ω)⁴) γ^exp(-(ω/ω_p - 1)²/(2 σ²)), scaled so that its integral is Hs²/16
    width: σ = 0.07 below ω_p, 0.09 above ω_p

A sea is a sum of waves with equal energy. The spectrum is divided into parts of equal energy, one for each wave, and
each wave has the frequency that divides its part into two halves of equal energy. Therefore the frequencies have no
common period, and the sum has exactly the significant height Hs.

Source: K. Hasselmann and others, Measurements of wind-wave growth and swell decay during the Joint North Sea Wave
Project, Dtsch. Hydrogr. Z. A8 12 (1973); DNV-RP-C205, section 3.5.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, numbers, whole
from windlass.framework.errors import ModelError

WIDTHS = 0.07, 0.09
RANGE = 0.4, 8.0
"""Smallest and largest frequency of a spectrum, relative to the peak frequency [1]; less than 2e-4 of the energy is
outside these limits."""
POINTS = 20_000


@checked(frequency=numbers("rad/s", (), (None,)), depth=number("m", above=0.0), gravity=number("m/s^2", above=0.0))
def wave_number(frequency: Any, depth: float, gravity: float = 9.81) -> FloatArray:
    """Return the wave numbers k of Airy waves [1/m] from ω² = g k tanh(k d), with the same shape as ``frequency``.

    Args:
        frequency: angular frequencies ω > 0 [rad/s], a number or an array of shape (n,).
        depth: water depth d [m].
        gravity: gravitational acceleration g [m/s^2].

    Raises:
        ModelError: a frequency, depth or gravity that is not > 0.
    """
    lowest = float(np.min(frequency))
    if not lowest > 0.0:
        raise ModelError(f"frequency = {lowest:g} rad/s in wave_number: must be > 0")
    y = np.asarray(frequency, np.float64) ** 2 * depth / gravity
    # solve x tanh x = y for x = k d by Newton's method, from an initial value with an error below 5 %
    x = y / np.sqrt(np.tanh(y))
    for _ in range(20):
        tanh = np.tanh(x)
        x = x - (x * tanh - y) / (tanh + x * (1.0 - tanh**2))
    k: FloatArray = x / depth
    return k


@checked(height=number("m", above=0.0), period=number("s", above=0.0), direction=number("rad"), phase=number("rad"))
def regular_wave(height: float, period: float, direction: float = 0.0, phase: float = 0.0) -> dict[str, FloatArray]:
    """Create columns of a `Fluid` for one Airy wave: ``world.add(Fluid, ..., **regular_wave(2.0, 8.0))``.

    Args:
        height: height from trough to crest [m].
        period: period of the wave [s].
        direction: direction of travel, from x towards the other horizontal axis [rad].
        phase: phase φ of the surface A cos(k s - ω t + φ) [rad].

    Raises:
        ModelError: a height or period that is not > 0, or values that are not finite.
    """
    return _columns(np.array([0.5 * height]), np.array([2.0 * np.pi / period]), direction, np.array([phase]))


@checked(
    significant_height=number("m", above=0.0),
    peak_period=number("s", above=0.0),
    seed=whole(0),
    peakedness=number("1", minimum=1.0),
    count=whole(1),
    direction=number("rad"),
)
def jonswap(
    significant_height: float,
    peak_period: float,
    seed: int,
    peakedness: float = 3.3,
    count: int = 100,
    direction: float = 0.0,
) -> dict[str, FloatArray]:
    """Create columns of a `Fluid` for an irregular sea with long crests; the same seed creates the same waves.

    Args:
        significant_height: Hs [m], four times the standard deviation of the surface elevation.
        peak_period: Tp [s].
        seed: seed of the random phases.
        peakedness: γ of the spectrum [1]; 1 is a Pierson-Moskowitz spectrum.
        count: number of waves.
        direction: direction of travel, from x towards the other horizontal axis [rad].

    Raises:
        ModelError: a height or period that is not > 0, a peakedness below 1, or values that are not finite.
    """
    x = np.linspace(*RANGE, POINTS)
    energy = np.concatenate(
        ([0.0], np.cumsum(0.5 * np.diff(x) * np.convolve(_spectrum(x, peakedness), (1, 1), "valid")))
    )
    middles = (np.arange(count) + 0.5) / count * energy[-1]
    frequency = 2.0 * np.pi / peak_period * np.interp(middles, energy, x)
    amplitude = np.full(count, significant_height * np.sqrt(0.125 / count))
    phase = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, count)
    return _columns(amplitude, frequency, direction, phase)


def _spectrum(x: FloatArray, peakedness: float) -> FloatArray:
    """Return S at x = ω/ω_p, without its scale factor."""
    width = np.where(x <= 1.0, *WIDTHS)
    peak: FloatArray = peakedness ** np.exp(-0.5 * ((x - 1.0) / width) ** 2)
    return np.asarray(x**-5.0 * np.exp(-1.25 * x**-4.0) * peak)


def _columns(
    amplitude: FloatArray, frequency: FloatArray, direction: float, phase: FloatArray
) -> dict[str, FloatArray]:
    """Create the columns of `Fluid` for waves that travel in one direction."""
    along = np.full(len(amplitude), float(direction))
    return {"wave_amplitudes": amplitude, "wave_frequencies": frequency, "wave_directions": along, "wave_phases": phase}
