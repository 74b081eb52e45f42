"""Functions that create the wave columns of `Fluid`: for a regular wave, or for an irregular sea with a JONSWAP
spectrum.

    dispersion of Airy waves: ω² = g k tanh(k d)
    spectrum: S(ω) ~ ω⁻⁵ exp(-5/4 (ω_p/ω)⁴) γ^exp(-(ω/ω_p - 1)²/(2 σ²)), scaled so that its integral is Hs²/16
    width: σ = 0.07 below ω_p, 0.09 above ω_p
    spreading: D(θ) ~ cos^2s((θ - θ_0)/2)

A sea is a sum of waves. With components of equal energy, the spectrum is divided into parts of equal energy, one for
each wave. The frequency of each wave divides its part into two halves of equal energy. Therefore the waves have no
common period, and the sea does not repeat itself. With components of equal frequency steps, the spectrum is divided
into parts of equal width Δω, and each wave has the frequency in the middle of its part. The envelope of the sea repeats
itself after 2π/Δω. In both cases, the sum has exactly the significant height Hs.

In a sea with spreading, each wave has one direction. Therefore the sea is homogeneous. The directions are the centres
of parts of D(θ) with equal energy, in a random order that depends on the seed.

Source: K. Hasselmann and others, Measurements of wind-wave growth and swell decay during the Joint North Sea Wave
Project, Dtsch. Hydrogr. Z. A8 12 (1973); M. S. Longuet-Higgins, D. E. Cartwright, N. D. Smith, Observations of the
directional spectrum of sea waves, Ocean Wave Spectra, Prentice-Hall (1963), for D; DNV-RP-C205, section 3.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import cumulative_trapezoid

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, number, numbers, optional, whole, word
from windlass.framework.errors import ModelError

WIDTHS = 0.07, 0.09
RANGE = 0.4, 8.0
"""Smallest and largest frequency of a spectrum, relative to the peak frequency [1]. Less than 2e-4 of the energy is
outside these limits.
"""
EQUAL_STEPS_RANGE = 0.4, 5.0
"""Smallest and largest frequency of a spectrum that is divided into equal frequency steps, relative to the peak
frequency [1]. Less than 2e-3 of the energy is outside these limits.
"""
POINTS = 20_000
COMPONENTS = "equal energy", "equal frequency"


@checked(frequency=numbers("rad/s", (), (None,)), depth=number("m", above=0.0), gravity=number("m/s^2", above=0.0))
def wave_number(frequency: Any, depth: float, gravity: float = 9.81) -> FloatArray:
    """Return the wave numbers k [1/m] of Airy waves from ω² = g k tanh(k d), with the same shape as ``frequency``.

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
    """Create columns of a `Fluid` for one Airy wave, for example ``world.add(Fluid, ..., **regular_wave(2.0, 8.0))``.

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
    components=word(*COMPONENTS),
    spreading=optional(number("1", above=0.0)),
)
def jonswap(
    significant_height: float,
    peak_period: float,
    seed: int,
    peakedness: float = 3.3,
    count: int = 100,
    direction: float = 0.0,
    components: str = "equal energy",
    spreading: float | None = None,
) -> dict[str, FloatArray]:
    """Create columns of a `Fluid` for an irregular sea. The same seed creates the same waves.

    Args:
        significant_height: significant wave height Hs [m], four times the standard deviation of the surface elevation.
        peak_period: period Tp of the peak of the spectrum [s].
        seed: seed of the random phases and of the order of the directions.
        peakedness: γ of the spectrum [1]. The value 1 gives a Pierson-Moskowitz spectrum.
        count: number of waves.
        direction: mean direction of travel θ_0, from x towards the other horizontal axis [rad].
        components: ``"equal energy"`` of all waves, or ``"equal frequency"`` steps between the waves, from 0.4 to 5
            times the peak frequency.
        spreading: exponent s of the spreading cos^2s((θ - θ_0)/2) [1], about 5 to 15 for wind seas. If None, crests are
            long, and all waves travel in the mean direction.

    Returns:
        The columns ``wave_amplitudes`` [m], ``wave_frequencies`` [rad/s], ``wave_directions`` [rad] and ``wave_phases``
        [rad], shape (count,) each.

    Raises:
        ModelError: a height, period or spreading that is not > 0, a peakedness below 1, a value of ``components`` that
            is not allowed, or values that are not finite.
    """
    x = np.linspace(*(RANGE if components == "equal energy" else EQUAL_STEPS_RANGE), POINTS)
    middle, share = divide_spectrum(x, _spectrum(x, peakedness), count, components)
    generator = np.random.default_rng(seed)
    phase = generator.uniform(0.0, 2.0 * np.pi, count)
    amplitude = significant_height * np.sqrt(0.125 * share)
    columns = _columns(amplitude, 2.0 * np.pi / peak_period * middle, direction, phase)
    if spreading is not None:
        columns["wave_directions"] += generator.permutation(_divide_spreading(spreading, count))
    return columns


def divide_spectrum(x: FloatArray, S: FloatArray, count: int, components: str) -> tuple[FloatArray, FloatArray]:
    """Divide a spectrum into parts. Return, for each part, the value x of the wave that represents the part, and the
    energy of the part divided by the energy of all parts [1], shape (count,) each.

    Args:
        x: ascending frequencies or functions of the frequency, such as its logarithm, shape (n,).
        S: energy per x, shape (n,).
        count: number of parts.
        components: ``"equal energy"`` or ``"equal frequency"``, see `jonswap`.
    """
    energy = cumulative_trapezoid(S, x, initial=0.0)
    if components == "equal energy":
        middles = (np.arange(count) + 0.5) / count * energy[-1]
        return np.interp(middles, energy, x), np.full(count, 1.0 / count)
    ends = np.linspace(x[0], x[-1], count + 1)
    return 0.5 * (ends[1:] + ends[:-1]), np.diff(np.interp(ends, x, energy)) / energy[-1]


def _divide_spreading(s: float, count: int) -> FloatArray:
    """Return the directions [rad] relative to the mean direction in the centres of ``count`` parts of cos^2s(θ/2) with
    equal energy, shape (count,).
    """
    theta = np.linspace(-np.pi, np.pi, POINTS + 1)
    energy = cumulative_trapezoid(np.cos(0.5 * theta) ** (2.0 * s), theta, initial=0.0)
    found: FloatArray = np.interp((np.arange(count) + 0.5) / count * energy[-1], energy, theta)
    return found


def _spectrum(x: FloatArray, peakedness: float) -> FloatArray:
    """Return the unscaled spectrum S at the ratios x = ω/ω_p of frequencies to the peak frequency, shape (n,)."""
    width = np.where(x <= 1.0, *WIDTHS)
    peak: FloatArray = peakedness ** np.exp(-0.5 * ((x - 1.0) / width) ** 2)
    return np.asarray(x**-5.0 * np.exp(-1.25 * x**-4.0) * peak)


def _columns(
    amplitude: FloatArray, frequency: FloatArray, direction: float, phase: FloatArray
) -> dict[str, FloatArray]:
    """Return the columns of `Fluid` for waves that travel in one direction."""
    along = np.full(len(amplitude), float(direction))
    return {"wave_amplitudes": amplitude, "wave_frequencies": frequency, "wave_directions": along, "wave_phases": phase}
