"""Distribution of the largest value in a long duration. The distribution is extrapolated from the peaks of a shorter
time series.

A peak is the largest value between two consecutive upcrossings of the mean. Peaks above a threshold u occur at a rate
ν. The excess of these peaks over u has a generalised Pareto distribution with the shape ξ and the scale σ:

    s(x) = P(peak > x | peak > u) = (1 + ξ (x - u)/σ)^(-1/ξ)

Therefore the maximum in the duration D has the distribution P(max ≤ x) = exp(-ν D s(x)).

Alternatively, the series is divided into blocks of the duration B. The maxima of the blocks have a Gumbel distribution
with the location μ and the scale β, and P(max ≤ x) = exp(-D/B exp(-(x - μ)/β)). Both distributions are fitted by
maximum likelihood.

Source: E. J. Gumbel, Statistics of Extremes, Columbia University Press (1958); J. Pickands, Ann. Stat. 3 (1975) 119;
S. Coles, ISBN 1-85233-459-2, Springer (2001), chapters 3 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, instance, number, optional, whole, word
from windlass.framework.errors import ModelError
from windlass.post.series import Series

LEAST = 10
"""Smallest number of peaks or blocks that a fit needs."""
SHARE = 0.9
"""Fraction [1] of the peaks that do not exceed the default threshold."""
SMALL = 1e-6
"""If the absolute value of the shape parameter is less than this number [1], the parameter is treated as 0."""


@dataclass(frozen=True)
class Extremes:
    """The distribution of the largest value in a duration D: P(max ≤ x) = exp(-rate D s(x)).

    s(x) = (1 + shape (x - location)/scale)^(-1/shape), or exp(-(x - location)/scale) for the shape 0.

    Attributes:
        method: "threshold" or "blocks".
        location, scale: u and σ of "threshold", or μ and β of "blocks", in the unit of the series.
        shape: ξ [1]; 0 for Gumbel's distribution.
        rate: number of peaks above the threshold, or number of blocks, per time [1/s].
        count: number of peaks or blocks used in the fit.
    """

    method: str
    location: float
    scale: float
    shape: float
    rate: float
    count: int

    @checked(probability=number("1", minimum=0.0, maximum=1.0), duration=number("s", above=0.0))
    def quantile(self, probability: float, duration: float) -> float:
        """Return the value that the largest value in a duration [s] does not exceed with the given probability.

        Raises:
            ModelError: the probability is not between 0 and 1, or the duration is not > 0.
        """
        if not 0.0 < probability < 1.0:
            raise ModelError(f"probability = {probability:g} in Extremes.quantile: must be > 0 and < 1")
        return self._at(self.rate * duration / -log(probability))

    @checked(duration=number("s", above=0.0))
    def mode(self, duration: float) -> float:
        """Return the most probable largest value in a duration [s]."""
        if self.shape <= -1.0:  # for shapes up to -1, the density is largest at the upper end of the distribution
            return self.location - self.scale / self.shape
        return self._at(self.rate * duration / (1.0 + self.shape))

    def _at(self, times: float) -> float:
        """Return the value that on average one of ``times`` peaks exceeds. For the method "blocks", the maxima of
        blocks are used in place of peaks.
        """
        if abs(self.shape) < SMALL:
            return self.location + self.scale * log(times)
        return self.location + self.scale / self.shape * float(times**self.shape - 1.0)


@checked(series=instance(Series))
def find_peaks(series: Series) -> FloatArray:
    """Return the largest values between consecutive upcrossings of the mean, shape (peaks,), in the unit of the
    series."""
    x = series.values
    below = x < x.mean()
    rises = np.flatnonzero(below[:-1] & ~below[1:]) + 1
    return np.maximum.reduceat(x[: rises[-1]], rises[:-1]) if len(rises) > 1 else np.zeros(0)


@checked(
    series=instance(Series),
    method=word("threshold", "blocks"),
    threshold=optional(number("1")),
    blocks=whole(LEAST),
)
def fit_extremes(
    series: Series, method: str = "threshold", threshold: float | None = None, blocks: int = 20
) -> Extremes:
    """Fit the distribution of the largest value to a series. For the smallest value, change the sign of the series
    before the fit.

    Args:
        series: the series, which must be stationary.
        method: "threshold" for a Pareto distribution of the peaks above a threshold, or "blocks" for a Gumbel
            distribution of the maxima of equal blocks.
        threshold: threshold of the method "threshold", in the unit of the series. If ``threshold`` is None, the
            threshold is the value that 10 % of the peaks exceed.
        blocks: number of blocks of the method "blocks", at least ten. Each block must contain several independent
            peaks.

    Raises:
        ModelError: fewer than ten peaks are above the threshold, the series has fewer peaks than blocks, or ``blocks``
            is less than ten.
    """
    from scipy import stats  # imported here, because only this function needs SciPy's statistics

    peaks = find_peaks(series)
    if method == "blocks":
        if len(peaks) < blocks:
            raise ModelError(
                f"blocks = {blocks} in fit_extremes of {series.name!r}, which has {len(peaks)} peaks: must be at "
                "most the number of peaks"
            )
        edges = np.linspace(series.times[0], series.times[-1], blocks + 1)
        places = np.searchsorted(series.times, edges[:-1])
        maxima = np.maximum.reduceat(series.values, places)
        location, scale = stats.gumbel_r.fit(maxima)
        return Extremes(method, float(location), float(scale), 0.0, blocks / series.duration, blocks)
    least = threshold if threshold is not None else (float(np.quantile(peaks, SHARE)) if len(peaks) else 0.0)
    above = peaks[peaks > least]
    if len(above) < LEAST:
        raise ModelError(
            f"threshold = {least:g} {series.unit} in fit_extremes of {series.name!r}: {len(above)} of "
            f"{len(peaks)} peaks are above it, must be at least {LEAST}; use a lower threshold or a longer run"
        )
    shape, _, scale = stats.genpareto.fit(above - least, floc=0.0)
    return Extremes(method, least, float(scale), float(shape), len(above) / series.duration, len(above))
