"""Kernels of the slow part of fibre ropes: the mean load T as a function of the slow strain y.

    linear: T = K y
    static stiffness S: y = T/S - T/(α + β T), so that the static strain under the load T is T/S
    working curves: ε(T) = y + u(T),    u = ∫ dT/(α + β T) = ln(1 + β T/α)/β

Here K is the stiffness of the slow part, and α + β T, with α = EA, is the dynamic stiffness under the mean load T.
Under a constant load T, the fast part of a rope with working curves has the strain u, and ε is the strain of the rope.

Let h be the largest slow strain in the past, T_m and ε_m the mean load and the strain of the original working curve at
h, and ε_0 the strain at which the original working curve begins. For y >= h, T(y) is the original working curve, a
table. For y < h, T follows the working curve

    T = T_m F(ξ),    ξ = 1 - (ε_m - ε)/Δ,
    F = ξ (k ξ + 1 - k) or (exp(c ξ) - 1)/(exp(c) - 1),
    Δ = (1 - k1) (ε_m - ε_0), or T_m/S for working curves of constant stiffness S.

Below ξ = 0, the working curve continues linearly. The work ∫ T dy on the original working curve exceeds the energy of
the working curve at its upper end. The rope loses the difference, which is a function of h.

Source: see fibre_cable.py and working_cable.py.
"""

from __future__ import annotations

from math import exp, expm1, log1p, sqrt
from typing import Any, NamedTuple

from windlass.framework.kernels.kernel import kernel

ITERATIONS = 60
"""Largest number of iterations for ξ. If Newton's method does not converge, each iteration halves the interval of ξ."""
SMALL = 1e-3
"""If β T/α is less than this value [1], energies are computed by series, because differences would lose digits."""
LINEAR, STATIC, WORKING = 0, 1, 2
"""Laws of the slow part."""


class SlowForce(NamedTuple):
    """Mean load T [N], its derivative [N] with respect to the slow strain y, the energy per length ∫ T dy [N], and the
    strain u [1] of the fast part under the constant load T, for working curves (0 for other laws).
    """

    T: float
    slope: float
    work: float
    fast: float


@kernel
def eval_fast_strain(row: Any, T: float) -> float:
    """Return the strain u [1] of the fast part under the constant load T [N]."""
    if T <= 0.0 or row.stiffening == 0.0:
        return float(T / row.EA)
    u: float = log1p(row.stiffening * T / row.EA) / row.stiffening
    return u


@kernel
def eval_fast_energy(row: Any, T: float) -> float:
    """Return the energy per length ∫ T du [N] of the fast part under the constant load T [N]."""
    z = row.stiffening * T / row.EA
    if T <= 0.0 or z < SMALL:
        more = 0.0 if T <= 0.0 else z * (-2.0 / 3.0 + z * (0.5 - 0.4 * z))
        return float(0.5 * T * T / row.EA * (1.0 + more))
    return float(row.EA / row.stiffening**2 * (z - log1p(z)))


@kernel
def eval_static(row: Any, y: float) -> SlowForce:
    """Evaluate the slow part of a rope with a constant static stiffness."""
    S, alpha, beta = row.static, row.EA, row.stiffening
    if y <= 0.0 or beta == 0.0:
        K = alpha * S / (alpha - S)
        return SlowForce(K * y, K, 0.5 * K * y * y, 0.0)
    # D² - s D + α S = 0, where D is the dynamic stiffness α + β T. For small y, T must not be computed from the
    # difference D - α.
    s = S * (1.0 + beta * y) + alpha
    root = sqrt(s * s - 4.0 * alpha * S)
    D, gap = 0.5 * (s + root), alpha - S
    above = S * beta * y
    T = (above + (2.0 * above * (alpha + S) + above * above) / (root + gap)) / (2.0 * beta)
    z = beta * T / alpha
    if z < SMALL:
        lost = T * T / alpha * (0.5 + z * (-2.0 / 3.0 + 0.75 * z))
    else:
        lost = alpha / beta**2 * (log1p(z) - z / (1.0 + z))
    return SlowForce(T, S * D / root, 0.5 * T * T / S - lost, 0.0)


@kernel
def eval_original(row: Any, y: float) -> tuple[float, float, float]:
    """Return the mean load T [N] of the original working curve at the slow strain y, the derivative [N] of T with
    respect to y, and the work ∫ T dy [N]. Beyond the ends of the table the curve is linear.
    """
    last = row.count - 1
    if y <= row.x[0] or y >= row.x[last]:
        k = 0 if y <= row.x[0] else last
        u = y - row.x[k]
        return row.T[k] + u * row.slope[k], row.slope[k], row.work[k] + u * (row.T[k] + 0.5 * u * row.slope[k])
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if row.x[middle] <= y:
            low = middle
        else:
            high = middle
    # cubic of the interval with the given derivatives at both ends
    h = row.x[high] - row.x[low]
    u, a, b = y - row.x[low], row.slope[low], (row.T[high] - row.T[low]) / h
    c, d = (3.0 * b - 2.0 * a - row.slope[high]) / h, (a + row.slope[high] - 2.0 * b) / (h * h)
    T = row.T[low] + u * (a + u * (c + u * d))
    work = row.work[low] + u * (row.T[low] + u * (0.5 * a + u * (c / 3.0 + 0.25 * u * d)))
    return T, a + u * (2.0 * c + 3.0 * u * d), work


@kernel
def eval_form(row: Any, xi: float) -> tuple[float, float, float]:
    """Return F(ξ), dF/dξ and ∫ F dξ [1] of a working curve."""
    c, k = row.exponent, row.quadratic
    if c != 0.0:
        scale = 1.0 / expm1(c)
        return scale * expm1(c * xi), scale * c * exp(c * xi), scale * (expm1(c * xi) / c - xi)
    return xi * (k * xi + 1.0 - k), 2.0 * k * xi + 1.0 - k, xi * xi * (k * xi / 3.0 + 0.5 * (1.0 - k))


@kernel
def eval_span(row: Any, h: float, T: float) -> float:
    """Return the difference Δ [1] of the strains at the ends of the working curve of the largest slow strain h, where
    the mean load is T [N]."""
    span: float = T / row.working if row.working > 0.0 else 0.0
    if row.working == 0.0:
        span = (1.0 - row.offset) * (h + eval_fast_strain(row, T) - row.x[0] - eval_fast_strain(row, row.T[0]))
    return span


@kernel
def eval_kept_energy(row: Any, h: float) -> float:
    """Return the energy per length ∫ T dy [N] of the working curve of the largest slow strain h at its upper end."""
    T = eval_original(row, h)[0]
    return eval_span(row, h, T) * T * eval_form(row, 1.0)[2] - eval_fast_energy(row, T)


@kernel
def eval_lost_energy(row: Any, h: float) -> float:
    """Return the energy per length [N] that a rope with the largest slow strain h has lost on its original working
    curve."""
    if h <= row.x[0]:
        return 0.0
    return eval_original(row, h)[2] - eval_kept_energy(row, h)


@kernel
def eval_working(row: Any, y: float, h: float) -> SlowForce:
    """Evaluate the slow part of a rope with working curves. The largest slow strain in the past is h [1]."""
    if y >= h or h <= row.x[0]:
        T, slope, work = eval_original(row, y)
        work = work if y <= row.x[0] else eval_kept_energy(row, y)
        return SlowForce(T, slope, work, eval_fast_strain(row, T))
    top = eval_original(row, h)[0]
    span = eval_span(row, h, top)
    least = h + eval_fast_strain(row, top) - span
    if y <= least:
        # linear continuation below ξ = 0
        slope = top * eval_form(row, 0.0)[1]
        slope = slope / (span - slope / row.EA)
        T = slope * (y - least)
        return SlowForce(T, slope, 0.5 * slope * (y - least) ** 2, T / row.EA)
    # solve ε_0 + Δ ξ - u(T_m F(ξ)) = y by Newton's method within an interval
    low, high, xi = 0.0, 1.0, (y - least) / (h - least)
    for _ in range(ITERATIONS):
        F, dF, _ = eval_form(row, xi)
        T = top * F
        D = row.EA + row.stiffening * T
        error = least + span * xi - eval_fast_strain(row, T) - y
        if error > 0.0:
            high = xi
        else:
            low = xi
        step = error / (span - top * dF / D)
        found = xi - step
        if not low <= found <= high:
            found = 0.5 * (low + high)
        step, xi = xi - found, found
        if abs(step) <= 1e-16:
            break
    F, dF, area = eval_form(row, xi)
    T = top * F
    slope = top * dF / (span - top * dF / (row.EA + row.stiffening * T))
    return SlowForce(T, slope, span * top * area - eval_fast_energy(row, T), eval_fast_strain(row, T))


@kernel
def eval_slow(row: Any, y: float, h: float) -> SlowForce:
    """Evaluate the slow part of a rope at the slow strain y, where h is the largest slow strain in the past."""
    if row.law == WORKING:
        return eval_working(row, y, max(h, row.least))
    if row.law == STATIC:
        return eval_static(row, y)
    K = row.stiffness
    return SlowForce(K * y, K, 0.5 * K * y * y, 0.0)
