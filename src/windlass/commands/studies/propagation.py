"""Propagation of the uncertainty of options to results, by a first-order approximation, a sample, or Sobol indices.

- First order: the variance of a result f is the sum of (df/dp_i s_i)², where s_i is the standard deviation of the
  option p_i. The derivatives are computed from runs at mean ± s_i. To estimate the error of the approximation,
  second-order terms are compared with the standard deviation of the result. The second-order term of an option with the
  mean m and the standard deviation s is (f(m + s) - 2 f(m) + f(m - s))/2.
- Sample: mean, standard deviation and quantiles are computed from the results of a Latin hypercube sample. The
  influence of an option on a result is the square of Spearman's rank correlation of the option and the result.
- Sobol: the first-order index of an option is the fraction of the variance of the result that the option alone causes.
  The total index also includes the interactions of the option with other options.

Sources: ISO/IEC Guide 98-3 (GUM), 2008; M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245;
A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270, by SciPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from windlass.commands.studies.distributions import Distribution
from windlass.commands.studies.sweep_table import Row
from windlass.framework.arrays import FloatArray

QUANTILES = (0.05, 0.5, 0.95)
RESAMPLES = 100
"""Number of bootstrap samples of the Sobol indices."""
LEVEL = 0.95


@dataclass
class Spread:
    """The spread of a result.

    Attributes:
        mean, deviation: mean and standard deviation of the result. In the first-order method, the mean is the result at
            the means of the options.
        error: standard error of the mean; 0 for the first-order method.
        quantiles: quantiles of the result for the probabilities QUANTILES; empty for the first-order method.
        shares: influence of each option: fraction of the variance (first order), squared rank correlation (sampling
            method), or first-order Sobol index (Sobol method).
        totals: total Sobol indices; empty unless the method is Sobol.
        bends: in the first-order method, ratio of the second-order term of each option to the standard deviation of the
            result; empty for other methods.
        widths: half width of the 95 % confidence interval of each total index; empty unless the method is Sobol.
        values: results that the diagram shows. In the sampling method, these are the results of all successful runs. In
            the Sobol method, these are the results of the first two samples. For the first-order method, the array is
            empty.
    """

    mean: float
    deviation: float
    error: float = 0.0
    quantiles: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)
    bends: list[float] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    values: FloatArray = field(default_factory=lambda: np.zeros(0))


def points_of_first_order(laws: Mapping[str, Distribution]) -> FloatArray:
    """Return values of n options at 1 + 2 n points, shape (1 + 2 n, n). At the first point all options have their
    means. Two more points follow for each option. At these points, only this option is increased or reduced by its
    standard deviation.
    """
    mean, deviation = (np.array([getattr(law, name) for law in laws.values()]) for name in ("mean", "deviation"))
    return np.array([mean, *(mean + sign * row for row in np.diag(deviation) for sign in (1.0, -1.0))])


def first_order(values: FloatArray) -> Spread:
    """Return the spread of a result, computed from its values at `points_of_first_order`."""
    ahead, behind = values[1::2], values[2::2]
    parts, bends = 0.5 * (ahead - behind), 0.5 * (ahead - 2.0 * values[0] + behind)
    variance = float(np.sum(parts**2))
    # the second-order terms are relative to the standard deviation of the result; otherwise the summary would have
    # notes on options without influence
    total = np.sqrt(variance)
    shares = (parts**2 / variance).tolist() if variance > 0.0 else [0.0] * len(parts)
    relative = (np.abs(bends) / total).tolist() if total > 0.0 else [np.inf if bend else 0.0 for bend in bends]
    return Spread(float(values[0]), float(total), shares=shares, bends=relative)


def points_of_sample(laws: Mapping[str, Distribution], count: int, seed: int) -> FloatArray:
    """Return a Latin hypercube sample of the options, shape (count, options)."""
    from scipy.stats import qmc  # imported here, because help is printed faster without this import

    shares = qmc.LatinHypercube(len(laws), seed=np.random.default_rng(seed)).random(count)
    return to_values(laws, shares)


def sample(points: FloatArray, values: FloatArray) -> Spread:
    """Return the spread of a result, computed from its values at the points of a sample. Failed runs, which have the
    value NaN, are omitted.
    """
    from scipy.stats import rankdata  # imported here, because help is printed faster without this import

    good = np.isfinite(values)
    points, values = points[good], values[good]
    spread = describe_values(values)
    ranks = rankdata(values) - 0.5 * (len(values) + 1)
    for column in points.T:
        other = rankdata(column) - 0.5 * (len(values) + 1)
        size = np.sqrt(np.sum(ranks**2) * np.sum(other**2))
        spread.shares.append(float((np.sum(ranks * other) / size) ** 2) if size > 0.0 else 0.0)
    return spread


def points_of_sobol(laws: Mapping[str, Distribution], count: int, seed: int) -> FloatArray:
    """Return two samples A and B and, for each option, a copy of A in which the column of this option is taken from B.
    The shape is (count * (n + 2), n) for n options.
    """
    from scipy.stats import qmc  # imported here, because help is printed faster without this import

    size = len(laws)
    shares = qmc.Sobol(2 * size, seed=np.random.default_rng(seed)).random(count)
    a, b = shares[:, :size], shares[:, size:]
    mixed = [np.where(np.arange(size) == k, b, a) for k in range(size)]
    return to_values(laws, np.concatenate([a, b, *mixed]))


def sobol(values: FloatArray, count: int, options: int, seed: int) -> Spread:
    """Return the spread of a result, computed from its values at `points_of_sobol`."""
    from scipy.stats import sobol_indices  # imported here, because help is printed faster without this import

    parts = values.reshape(options + 2, 1, count)
    spread = describe_values(parts[:2].ravel())
    if spread.deviation == 0.0:
        spread.shares = spread.totals = spread.widths = [0.0] * options
        return spread
    random = np.random.default_rng(seed)
    found = sobol_indices(func={"f_A": parts[0], "f_B": parts[1], "f_AB": parts[2:]}, n=count)
    spread.shares, spread.totals = (np.ravel(each).tolist() for each in (found.first_order, found.total_order))
    # the bootstrap is implemented here, because SciPy's bootstrap has no random state in some versions
    totals = []
    for _ in range(RESAMPLES):
        chosen = random.integers(0, count, count)
        again = {"f_A": parts[0][:, chosen], "f_B": parts[1][:, chosen], "f_AB": parts[2:][:, :, chosen]}
        totals.append(np.ravel(sobol_indices(func=again, n=count).total_order))
    ends = np.nanquantile(totals, [0.5 - 0.5 * LEVEL, 0.5 + 0.5 * LEVEL], axis=0)
    spread.widths = (0.5 * (ends[1] - ends[0])).tolist()
    return spread


def describe_values(values: FloatArray) -> Spread:
    """Return mean, standard deviation and quantiles of values."""
    count = len(values)
    deviation = float(values.std(ddof=1)) if count > 1 else 0.0
    quantiles = np.quantile(values, QUANTILES).tolist()
    return Spread(float(values.mean()), deviation, deviation / np.sqrt(count), quantiles, values=values)


def to_values(laws: Mapping[str, Distribution], shares: FloatArray) -> FloatArray:
    """Return the values of options for given probabilities, as quantiles of their distributions, shape (points,
    options).
    """
    inside = np.clip(shares, 1e-12, 1.0 - 1e-12)
    return np.column_stack([law.values(column) for law, column in zip(laws.values(), inside.T, strict=True)])


def find_results(rows: Sequence[Row], without: Sequence[str]) -> dict[str, FloatArray]:
    """Return the results that are numbers in all successful runs, by name, each of shape (runs,). The values of failed
    runs are NaN.
    """
    good = [row for row in rows if row["status"] != "failed"]
    names = [name for name in (good[0] if good else {}) if name not in without]
    found = {}
    for name in names:
        values = [row.get(name) for row in good]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
            found[name] = np.array([np.nan if row["status"] == "failed" else float(row[name]) for row in rows])
    return found
