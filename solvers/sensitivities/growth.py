"""Growth of derivatives over a motion: in chaotic motions, derivatives grow exponentially.

Over the second half of a motion, the logarithm of the size of derivatives is approximated by a line. In regular
motions, derivatives grow with a power of time: t^k grows by the factor 2^k over the second half. Growth is treated as
exponential if the line rises by more than ln(`FACTOR`), and if the logarithm also increases over the first half. The
slope of the line is an estimate of the largest Lyapunov exponent (G. Benettin, L. Galgani, A. Giorgilli, J.-M.
Strelcyn, Meccanica 15 (1980) 9-20).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray

FACTOR = 30.0
"""Factor [1] by which derivatives grow over the second half of a motion. If the factor is larger than this value, the
growth may be exponential.
"""
FEWEST = 20
"""Smallest number of times for which the growth is estimated."""


def find_growth(t: FloatArray, sizes: FloatArray) -> tuple[float, bool]:
    """Return the rate [1/s] at which derivatives grow over the second half of a motion, and whether they grow
    exponentially.

    Args:
        t: times [s] since the start of the integration of the derivatives, ascending, shape (k,).
        sizes: sizes of the derivatives, shape (k,).
    """
    positive = sizes > 0.0
    t, sizes = t[positive], sizes[positive]
    if len(t) < FEWEST:
        return 0.0, False
    half = 0.5 * (t[0] + t[-1])
    rates = [float(np.polyfit(t[part], np.log(sizes[part]), 1)[0]) for part in (t < half, t >= half)]
    rise = rates[1] * (t[-1] - half)
    return rates[1], bool(rise > np.log(FACTOR) and rates[0] > 0.0)


def describe_growth(rate: float) -> str:
    """Return a note about derivatives that grow exponentially at a rate [1/s]."""
    return (
        f"chaotic: derivatives grow by the factor e each {1.0 / rate:.3g} s, and derivatives over much longer times "
        "have no practical meaning"
    )
