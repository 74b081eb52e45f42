"""Power spectra of time series by Welch's method, and their moments and periods.

Source: P. D. Welch, IEEE Trans. Audio Electroacoust. 15 (1967) 70-73, by SciPy; M. K. Ochi, Ocean Waves, Cambridge
University Press (1998), for moments and periods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, instance, whole
from windlass.framework.errors import ModelError
from windlass.post.series import Series

LEAST = 8
"""Smallest number of values in a segment."""


@dataclass(frozen=True)
class Spectrum:
    """One-sided power spectral density of the deviation of a series from its mean.

    Attributes:
        frequencies: frequencies [Hz], shape (n,), from 0.
        density: spectral density [unit² / Hz], shape (n,). Its integral is approximately the variance of the series.
        unit: unit of the series.
    """

    frequencies: FloatArray
    density: FloatArray
    unit: str

    def moment(self, order: int) -> float:
        """Return the moment ∫ f^order S df [unit² Hz^order] of the spectral density S over the frequency f."""
        from scipy.integrate import trapezoid  # imported here, because only spectra need SciPy

        return float(trapezoid(self.frequencies**order * self.density, self.frequencies))

    @property
    def significant_height(self) -> float:
        """Return the significant double amplitude 4 √m0, with the moment m0 of order 0, in the unit of the series. For
        waves, this is the significant wave height.
        """
        return 4.0 * float(np.sqrt(self.moment(0)))

    @property
    def peak_period(self) -> float:
        """Return the period [s] at which the density is largest. The density at the frequency 0 is ignored."""
        at = 1 + int(np.argmax(self.density[1:]))
        return float(1.0 / self.frequencies[at])

    @property
    def crossing_period(self) -> float:
        """Return the mean time [s] between upcrossings of the mean, √(m0 / m2), with the moments m0 and m2 of the
        orders 0 and 2. The result depends strongly on high frequencies.
        """
        return float(np.sqrt(self.moment(0) / self.moment(2)))


@checked(series=instance(Series), segments=whole(1))
def find_spectrum(series: Series, segments: int = 8) -> Spectrum:
    """Return the power spectrum by Welch's method. The result is the mean of the spectra of segments that overlap by
    half, with Hann windows.

    Args:
        series: values over time. If the time steps differ by more than a thousandth, the series is interpolated
            linearly to equal time steps.
        segments: duration of the series divided by the duration of a segment. More segments give a smoother density,
            and fewer segments give a finer frequency resolution.

    Raises:
        ModelError: a segment has fewer than eight values.
    """
    from scipy.signal import welch  # imported here, because only spectra need SciPy

    t, x = series.times, series.values
    if len(t) < LEAST * segments:
        raise ModelError(
            f"segments = {segments} in find_spectrum of {series.name!r}, which has {len(t)} values: must leave at "
            f"least {LEAST} values in each"
        )
    steps = np.diff(t)
    step = series.duration / len(steps)
    if np.abs(steps - step).max() > 1e-3 * step:
        x = np.interp(np.linspace(t[0], t[-1], len(t)), t, x)
    found = welch(x - x.mean(), 1.0 / step, "hann", nperseg=len(x) // segments, detrend=False, scaling="density")
    return Spectrum(np.asarray(found[0], np.float64), np.asarray(found[1], np.float64), series.unit)
