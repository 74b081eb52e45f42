"""Angles and arc lengths of points on a circle. The arctangent contains no branches and no calls. Therefore the
compiler can vectorise loops that evaluate many angles.

    With t = min(|x|, |y|)/max(|x|, |y|) in [0, 1] and z = u², atan u = u + u z P(z)/Q(z), where u = t. For t > 0.66, u
    = (t - 1)/(t + 1), and the formula gives the difference atan t - pi/4. P and Q are polynomials of degree 4 and 5.

The relative error is below 4e-16. Vectorised and scalar loops give identical results.

Source: S. L. Moshier, Cephes Math Library, atan.c (1995).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.kernels.kernel import kernel

HALF, QUARTER = 1.57079632679489661923, 0.785398163397448309616
PI = 3.14159265358979323846
P0, P1, P2 = -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1
P3, P4 = -1.228866684490136173410e2, -6.485021904942025371773e1
Q0, Q1, Q2 = 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2
Q3, Q4 = 4.853903996359136964868e2, 1.945506571482613964425e2
NEAR = 0.66


@kernel(inline=True, fast=False)
def arctan2(y: float, x: float) -> float:
    """Return the angle [rad] of (x, y) from the x axis, in [-pi, pi]. For (0, 0), return 0."""
    ax, ay = abs(x), abs(y)
    high = ax if ax > ay else ay
    low = ay if ax > ay else ax
    # if x or y is NaN, the result is NaN
    high = high if high != 0.0 else 1.0
    near = low > NEAR * high
    u = (low - high if near else low) / (low + high if near else high)
    z = u * u
    p = (((P0 * z + P1) * z + P2) * z + P3) * z + P4
    q = ((((z + Q0) * z + Q1) * z + Q2) * z + Q3) * z + Q4
    angle = u + u * z * p / q
    angle = angle + QUARTER if near else angle
    angle = angle if ax > ay else HALF - angle
    angle = PI - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@kernel(inline=True)
def wrap(x: float, r: float) -> float:
    """Return the arc length x modulo the circumference 2 pi r, in [-pi r, pi r)."""
    around = 2.0 * np.pi * r
    wrapped: float = x - np.floor(x / around + 0.5) * around
    return wrapped
