"""Least-squares fit of model parameters to measured values, with confidence intervals. The parameters are bounded by
ranges.

The fit minimises, with respect to the parameters p, the sum of squares

    Σ ((model_i(p) - measured_i) / s_k(i))²,

where model_i and measured_i are value i of the model and of the measurement, k(i) is the column of value i, and s_k is
the standard deviation of measured column k. Unknown standard deviations are estimated from the residuals of their
columns, and the fit is repeated with the estimates. The derivatives J of the scaled residuals with respect to p are
computed by finite differences. The method is Gauss-Newton with a trust region, by SciPy. The fit ends when a full
Gauss-Newton step would reduce the sum of squares by less than the tolerance (relative offset).

If contacts of the model change their states, the sum of squares is a noisy function of p. If the noise reduces the sum
of squares at a point, the trust region may shrink, although the Gauss-Newton step from this point is not small.
Therefore the last steps are made without a comparison of sums of squares. For these steps, the derivatives J are
computed by central differences at the solution. Full Gauss-Newton steps are added until a step satisfies the tolerance,
but only while p remains in the confidence region of the first solution. The noise r' of the model then changes p only
by (JᵀJ)⁻¹ Jᵀ r'.

Near the solution p̂, the covariance of p is C = (JᵀJ)⁻¹. With m parameters and n values, the joint region of p for the
confidence c is the ellipsoid

    (p - p̂)ᵀ C⁻¹ (p - p̂) <= m F(c; m, n - m),

where F is the quantile of Fisher's distribution. If the standard deviations are known, the right-hand side is the
quantile of the χ² distribution with m degrees of freedom.

If a singular value of J is small, the model results hardly change in the corresponding direction of p. If the data do
not determine p in a direction, this direction is called loose. In a loose direction, the confidence interval is wider
than the ranges of the parameters, or the singular value is smaller than three times the estimated error of the finite
differences. At the solution, J consists of second-order differences D₂. With first-order differences D₁, the estimated
error of each column of D₂ is |D₁ - D₂|²/|D₂|.

Sources: G. A. F. Seber, C. J. Wild, Nonlinear Regression, Wiley (1989), chapters 2, 5 and 11; D. M. Bates, D. G.
Watts, Technometrics 23 (1981) 179-183; M. A. Branch, T. F. Coleman, Y. Li, SIAM J. Sci. Comput. 21 (1999) 1-23.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from windlass.commands.studies.search import Point, Spent, to_point
from windlass.framework.arrays import FloatArray, IntArray

ROUNDS = 4
"""Largest number of successive fits. After each fit, unknown standard deviations are estimated again."""
SAME = 0.02
"""If estimated standard deviations change by less than this fraction, the estimates have converged."""
SMALLEST = 1e-9
"""Smallest standard deviation of a column, relative to the largest absolute value of the column. Smaller deviations
cannot be distinguished from 0, because numbers in files are rounded.
"""
EDGE = 1e-5
"""If the distance of a parameter from an end of its range, relative to the range, is less than this value, the
parameter is treated as equal to the end.
"""
LEVEL = 0.95
"""Default confidence of intervals and regions."""
ERRORS = 3.0
"""If the ratio of a singular value to the error of the finite differences is less than this value, the singular value
is treated as 0.
"""
STEPS = 4
"""Largest number of Gauss-Newton steps with the derivatives at the solution."""
EPS = float(np.finfo(float).eps)
"""Relative rounding error [1] of floating-point numbers."""
PART = 0.1
"""If the absolute value of a component of a loose direction exceeds this value, the parameter of this component is
listed for the direction.
"""


class Settled(Exception):
    """Exception that is raised to end a fit that has converged, because the next Gauss-Newton step would hardly reduce
    the sum of squares.
    """


@dataclass
class Fit:
    """The result of a fit. Parameters are expressed as fractions of their ranges, from 0 to 1.

    Attributes:
        point: best parameters, shape (m,) for m parameters.
        residuals: model - measured, shape (n,) for n values.
        deviations: standard deviation of each column, shape (columns,).
        estimated: whether the standard deviation of at least one column is estimated from the residuals.
        half_widths: half widths of the confidence intervals of parameters, shape (m,). Half widths are infinite for the
            parameters of loose directions. If the maximum number of runs was reached before the derivatives at the
            solution were computed, all half widths are NaN.
        correlations: correlations of parameters, without the contributions of loose directions, shape (m, m). If half
            widths are NaN, the correlations are the identity matrix.
        covariance: covariance of parameters, shape (m, m). All entries are NaN if half widths are NaN, or if directions
            are loose.
        bound: largest value [1] of (p - point)ᵀ covariance⁻¹ (p - point) for parameters p in the joint region.
        loose: for each loose direction, the indices of the parameters that change along this direction.
        ended: text with the reason for the end of the fit.
    """

    point: FloatArray
    residuals: FloatArray
    deviations: FloatArray
    estimated: bool
    half_widths: FloatArray
    correlations: FloatArray
    covariance: FloatArray
    bound: float
    loose: list[list[int]]
    ended: str


class BoxFit:
    """A least-squares fit of parameters within their ranges.

    Args:
        run: function that runs the model at points of the parameter space. For each point, the function returns the
            residuals, shape (n,), or None if the run has failed.
        measured: the measured values, shape (n,).
        columns: index of the column of each measured value, shape (n,).
        deviations: standard deviation of each column, NaN if unknown, shape (columns,).
        runs: maximum number of runs.
        step: step [1] of the finite differences, relative to the range of a parameter.
        tolerance: the fit ends if the predicted relative change [1] of the sum of squares is at most this value.
        confidence: confidence [1] of the intervals and of the joint region.
    """

    def __init__(
        self,
        run: Callable[[Sequence[Point]], list[FloatArray | None]],
        measured: FloatArray,
        columns: IntArray,
        deviations: FloatArray,
        *,
        runs: int,
        step: float,
        tolerance: float,
        confidence: float = LEVEL,
    ) -> None:
        self._run, self._columns, self._runs, self._step, self._tolerance = run, columns, runs, step, tolerance
        self._given, self._counts, self._confidence = deviations, np.bincount(columns), confidence
        self._floor = SMALLEST * np.maximum.reduceat(np.abs(measured), self._begins())
        spread = np.array([measured[columns == k].std() for k in range(len(self._counts))])
        # the initial scale of a constant column is computed from its value, because its standard deviation is 0
        self._scales = np.where(np.isnan(deviations), np.where(spread > self._floor, spread, self._floor), deviations)
        constant = np.isnan(deviations) & (spread <= self._floor)
        self._scales[constant] = np.maximum(self._floor[constant] / SMALLEST, 1e-300)
        self.found: dict[Point, FloatArray | None] = {}

    def _begins(self) -> IntArray:
        return np.concatenate([[0], np.cumsum(self._counts)[:-1]])

    def fit(self, start: Point) -> Fit | None:
        """Fit the parameters, beginning at the given point. If the run at this point has no result, return None."""
        point, ended = np.array(start), ""
        try:
            if self.evaluate([start])[0] is None:
                return None
            for _ in range(ROUNDS):
                point, ended = self._solve(point)
                before, self._scales = self._scales, self._estimate(point)
                # if there is only one column, the standard deviation is a common factor of all residuals and does not
                # affect the solution
                if len(before) == 1 or np.all(np.abs(self._scales - before) <= SAME * before):
                    break
        except Spent:
            good = {key: value for key, value in self.found.items() if value is not None}
            point = np.array(min(good, key=lambda key: float(np.sum(self._scaled(good[key]) ** 2))))
            self._scales, ended = self._estimate(point), f"ended after {self._runs} runs, the maximum"
        return self._judge(point, ended)

    def evaluate(self, points: Sequence[Point]) -> list[FloatArray | None]:
        """Return the residuals at points in the parameter space. Runs of new points are executed in parallel. If the
        maximum number of runs would be exceeded, raise `Spent`.
        """
        new = [point for point in dict.fromkeys(points) if point not in self.found]
        affordable = new[: self._runs - len(self.found)]
        if affordable:
            self.found |= dict(zip(affordable, self._run(affordable), strict=True))
        if len(affordable) < len(new):
            raise Spent
        return [self.found[point] for point in points]

    def _scaled(self, residuals: FloatArray) -> FloatArray:
        scaled: FloatArray = residuals / self._scales[self._columns]
        return scaled

    def _residuals(self, x: FloatArray) -> FloatArray:
        """Return the scaled residuals at a point of the parameter space. Residuals of failed runs are infinite, so that
        the trust-region method reduces its step.
        """
        found = self.evaluate([to_point(x)])[0]
        return np.full(len(self._columns), np.inf) if found is None else self._scaled(found)

    def _slopes(self, x: FloatArray) -> FloatArray:
        """Return derivatives of the n scaled residuals with respect to the m parameters, from one-sided differences,
        shape (n, m). If both the run with the increased and the run with the reduced value of a parameter fail, the
        derivatives with respect to this parameter are 0. If the fit has converged, raise `Settled`.
        """
        sides = np.where(x + self._step <= 1.0, self._step, -self._step)
        slopes = np.zeros((len(self._columns), len(x)))
        base = self._residuals(x)
        ahead = [x + side * unit for side, unit in zip(sides, np.eye(len(x)), strict=True)]
        self.evaluate([to_point(place) for place in ahead])
        for k, place in enumerate(ahead):
            moved, side = self._residuals(place), sides[k]
            if not np.isfinite(moved).all() and 0.0 <= x[k] - side <= 1.0:
                side = -side
                moved = self._residuals(x + side * np.eye(len(x))[k])
            if np.isfinite(moved).all():
                slopes[:, k] = (moved - base) / side
        if self._find_gain(x, base, slopes) <= self._tolerance:
            raise Settled(x)
        return slopes

    def _find_gain(self, x: FloatArray, base: FloatArray, slopes: FloatArray) -> float:
        """Return the predicted relative reduction [1] of the sum of squares by a full Gauss-Newton step."""
        change = slopes @ find_step(x, base, slopes)
        total = float(base @ base)
        return float(change @ change) / total if total > 0.0 else 0.0

    def _central_slopes(self, x: FloatArray) -> tuple[FloatArray, float]:
        """Return the derivatives of the scaled residuals with respect to the parameters, shape (n, m), and the largest
        estimated error of a column. The derivatives are second-order differences. At ends of ranges, these differences
        are one-sided.
        """
        base, step, unit = self._residuals(x), self._step, np.eye(len(x))
        inner = (x >= step) & (x <= 1.0 - step)
        sides = np.where(x + step <= 1.0, step, -step)
        near = [x + side * e for side, e in zip(sides, unit, strict=True)]
        far = [x + side * (-1.0 if inside else 2.0) * e for side, e, inside in zip(sides, unit, inner, strict=True)]
        self.evaluate([to_point(place) for place in [*near, *far]])
        slopes, errors = np.zeros((len(self._columns), len(x))), np.zeros(len(x))
        for k, side in enumerate(sides):
            one, two = self._residuals(near[k]), self._residuals(far[k])
            if not np.isfinite([one, two]).all():
                continue  # after a failed run the derivatives remain 0, so the parameter is treated as undetermined
            both = one - two if inner[k] else 4.0 * one - two - 3.0 * base
            slopes[:, k] = both / (2.0 * side)
            size = float(np.linalg.norm(slopes[:, k]))
            rough = float(np.linalg.norm((one - base) / side - slopes[:, k]))
            errors[k] = rough**2 / size if size > 0.0 else 0.0
        return slopes, float(errors.max())

    def _solve(self, start: FloatArray) -> tuple[FloatArray, str]:
        from scipy.optimize import least_squares  # imported here, because the help does not need SciPy

        try:
            ended = least_squares(
                self._residuals, np.clip(start, 1e-6, 1.0 - 1e-6), jac=self._slopes, bounds=(0.0, 1.0), method="trf",
                ftol=self._tolerance, xtol=1e-7, gtol=1e-10, max_nfev=self._runs,
            )  # fmt: skip
            found, words = ended.x, "converged" if ended.success else f"ended early: {ended.message}"
        except Settled as settled:
            found, words = settled.args[0], "converged"
        best = np.where(found < EDGE, 0.0, np.where(found > 1.0 - EDGE, 1.0, found))
        if not np.array_equal(best, found):
            at_end, before = self._residuals(best), self._residuals(found)
            best = best if np.sum(at_end**2) <= np.sum(before**2) else found
        return best, words

    def _estimate(self, point: FloatArray) -> FloatArray:
        """Return the standard deviations of columns. Unknown standard deviations are estimated from the residuals. The
        estimate is corrected for the number of parameters.
        """
        found = self.evaluate([to_point(point)])[0]
        assert found is not None
        squares = np.bincount(self._columns, found**2)
        free = self._counts * max(1.0 - len(point) / len(self._columns), 1e-3)
        return np.where(np.isnan(self._given), np.maximum(np.sqrt(squares / free), self._floor), self._given)

    def _known(self, point: FloatArray) -> FloatArray:
        found = self.found[to_point(point)]
        assert found is not None
        return found

    def _correct(self, point: FloatArray, slopes: FloatArray, least: float, rise: float) -> FloatArray:
        """Add Gauss-Newton steps with constant derivatives.

        Args:
            point: the solution, at which the derivatives were computed, shape (m,).
            slopes: derivatives of the scaled residuals, shape (n, m).
            least: limit for singular values of the derivatives. A direction with a smaller singular value is loose.
            rise: relative increase [1] of the sum of squares up to the border of the confidence region.

        Returns:
            One of the visited points. From this point, a further step would change the scaled residuals least.
        """
        base = self._scaled(self._known(point))
        limit, best, smallest = (1.0 + rise) * float(base @ base), point, np.inf
        for number in range(STEPS + 1):
            step = np.clip(point + find_step(point, base, slopes, least), 0.0, 1.0) - point
            change = slopes @ step
            gain = float(change @ change) / max(float(base @ base), 1e-300)
            if gain < smallest:
                best, smallest = point, gain
            if gain <= self._tolerance or number == STEPS:
                break
            try:
                base = self._residuals(point + step)
            except Spent:
                break
            if not float(base @ base) <= limit:
                break
            point = np.array(to_point(point + step))
        return best

    def _judge(self, point: FloatArray, ended: str) -> Fit:
        from scipy.stats import chi2, f, t  # imported here, because the help does not need SciPy

        found, size = self._known(point), len(point)
        estimated = bool(np.isnan(self._given).any())
        free = len(self._columns) - size
        level = self._confidence
        width = float(t.ppf(0.5 + 0.5 * level, max(free, 1) if estimated else 10**9))
        bound = float(size * f.ppf(level, size, max(free, 1)) if estimated else chi2.ppf(level, size))
        try:
            slopes, error = self._central_slopes(point)
        except Spent:
            unknown = np.full((size, size), np.nan)
            return Fit(point, found, self._scales, estimated, unknown[0], np.eye(size), unknown, bound, [], ended)
        least = max(2.0 * width, ERRORS * error)
        rise = bound / max(free, 1) if estimated else bound / max(float(np.sum(self._scaled(found) ** 2)), 1e-300)
        point = self._correct(point, slopes, least, rise)
        found, before = self._known(point), self._scales
        self._scales = self._estimate(point)
        slopes *= (before / self._scales)[self._columns, None]
        _, sizes, directions = np.linalg.svd(slopes, full_matrices=False)
        sizes = np.concatenate([sizes, np.zeros(size - len(sizes))])
        is_loose = sizes < least
        parts = directions[~is_loose] / sizes[~is_loose, None]
        covariance = parts.T @ parts
        spread = np.sqrt(np.diag(covariance))
        loose = [[int(k) for k in np.flatnonzero(np.abs(row) > PART)] for row in directions[is_loose]]
        half_widths = width * spread
        half_widths[[k for group in loose for k in group]] = np.inf
        both = np.outer(spread, spread)
        correlations = np.divide(covariance, both, out=np.zeros_like(both), where=both > 0.0)
        known = covariance if not loose else np.full((size, size), np.nan)
        return Fit(point, found, self._scales, estimated, half_widths, correlations, known, bound, loose, ended)


def find_step(x: FloatArray, base: FloatArray, slopes: FloatArray, least: float = 0.0) -> FloatArray:
    """Return a full Gauss-Newton step, shape (m,).

    If a parameter is at an end of its range, and the sum of squares decreases only towards values outside the range,
    the parameter is held constant.

    Args:
        x: parameters, shape (m,).
        base: scaled residuals, shape (n,).
        slopes: derivatives of the scaled residuals, shape (n, m).
        least: limit for singular values of ``slopes``. The step has no component in directions with a smaller singular
            value.
    """
    downhill = -slopes.T @ base
    moves = ~(((x <= EDGE) & (downhill < 0.0)) | ((x >= 1.0 - EDGE) & (downhill > 0.0)))
    inner, step = slopes[:, moves], np.zeros(len(x))
    largest = float(np.linalg.norm(inner, 2)) if inner.size else 0.0
    if largest > 0.0:
        step[moves] = np.linalg.lstsq(inner, -base, rcond=max(least / largest, EPS))[0]
    return step


def find_trend(residuals: FloatArray) -> float:
    """Return the correlation [1] of neighbouring residuals. The correlation is about 0 for random errors, and close to
    1 if the model does not describe an effect in the data.
    """
    centred = residuals - residuals.mean()
    total = float(np.sum(centred**2))
    return float(np.sum(centred[1:] * centred[:-1])) / total if total > 0.0 else 0.0
