"""Time series of quantities, from CSV files or arrays, and statistics of their values in a time interval."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import nan

import numpy as np

from windlass.connectors.user_functions.time_series import read_columns
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import check_fields, checked, instance, number, numbers, optional, path, word
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError


@dataclass(frozen=True)
class Series:
    """The time series of a quantity.

    Args:
        times: ascending times [s], shape (n,), n >= 2. Time steps need not be equal.
        values: values in the unit of the quantity, shape (n,).
        name: name for tables.
        unit: unit of the values.

    Raises:
        ModelError: shapes are wrong, values are not finite, or times are not ascending.
    """

    times: FloatArray
    values: FloatArray
    name: str = "value"
    unit: str = "1"

    def __post_init__(self) -> None:
        rows = numbers("s", (None,)), numbers("", (None,))
        check_fields(self, {"times": rows[0], "values": rows[1], "name": word(), "unit": word()})
        times, values = np.array(self.times, np.float64), np.array(self.values, np.float64)
        if len(times) < 2 or not (np.diff(times) > 0.0).all():
            raise ModelError(f"times = {show(times)} s of series {self.name!r}: must be at least two ascending numbers")
        if len(values) != len(times):
            raise ModelError(f"values of series {self.name!r}: are {len(values)}, must be {len(times)}, one per time")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    @property
    def duration(self) -> float:
        """Return the time [s] from the first to the last value."""
        return float(self.times[-1] - self.times[0])

    @checked(start=optional(number("s")), end=optional(number("s")))
    def part(self, start: float | None = None, end: float | None = None) -> Series:
        """Return the series between two times [s], including both times. None means the first or the last time.

        Raises:
            ModelError: fewer than two values remain.
        """
        first = self.times[0] if start is None else start
        last = self.times[-1] if end is None else end
        chosen = (self.times >= first) & (self.times <= last)
        if np.count_nonzero(chosen) < 2:
            raise ModelError(
                f"start = {first:g} s, end = {last:g} s of series {self.name!r}: must leave at least two of its "
                f"values, which are from {self.times[0]:g} to {self.times[-1]:g} s"
            )
        return Series(self.times[chosen], self.values[chosen], self.name, self.unit)

    def find_rises(self, level: float) -> FloatArray:
        """Return the times [s] at which the series crosses a level upwards, with linear interpolation between values,
        shape (crossings,).
        """
        below = self.values < level
        at = np.flatnonzero(below[:-1] & ~below[1:])
        share = (level - self.values[at]) / (self.values[at + 1] - self.values[at])
        rises: FloatArray = self.times[at] + share * np.diff(self.times)[at]
        return rises


@dataclass(frozen=True)
class Statistics:
    """Statistics of a series. Means are averages over time, so the time steps of the series need not be equal.

    Attributes:
        mean, deviation: mean and standard deviation, in the unit of the series.
        minimum, maximum: smallest and largest value, in the unit of the series.
        time_of_minimum, time_of_maximum: times [s] of the smallest and largest value.
        skewness, kurtosis: skewness and kurtosis [1] of the values. For a Gaussian distribution, the skewness is 0 and
            the kurtosis is 3. For constant values, both are NaN.
        period: mean time [s] between upcrossings of the mean; NaN if the series has fewer than two upcrossings.
    """

    mean: float
    deviation: float
    minimum: float
    maximum: float
    time_of_minimum: float
    time_of_maximum: float
    skewness: float
    kurtosis: float
    period: float


@checked(series=instance(Series))
def find_statistics(series: Series) -> Statistics:
    """Return mean, standard deviation, extremes, skewness, kurtosis and mean period of a series.

    Moments are exact integrals of the piecewise linear curve through the values. In a step in which x changes linearly
    from a to b, the mean of x^k is (b^(k+1) - a^(k+1)) / ((k + 1)(b - a)).
    """
    t, x = series.times, series.values
    low, high = int(np.argmin(x)), int(np.argmax(x))
    shares = np.diff(t) / series.duration
    mean = float(shares @ (0.5 * (x[1:] + x[:-1])))
    moments = [float(shares @ _mean_power(x[:-1] - mean, x[1:] - mean, k)) for k in (2, 3, 4)]
    deviation = float(np.sqrt(moments[0]))
    varies = deviation > 1e-12 * max(abs(x[low]), abs(x[high]))
    rises = series.find_rises(mean) if varies else np.zeros(0)
    return Statistics(
        mean=mean,
        deviation=deviation,
        minimum=float(x[low]),
        maximum=float(x[high]),
        time_of_minimum=float(t[low]),
        time_of_maximum=float(t[high]),
        skewness=moments[1] / deviation**3 if varies else nan,
        kurtosis=moments[2] / deviation**4 if varies else nan,
        period=float((rises[-1] - rises[0]) / (len(rises) - 1)) if len(rises) > 1 else nan,
    )


def _mean_power(a: FloatArray, b: FloatArray, k: int) -> FloatArray:
    """Return the mean of x^k while x changes linearly from a to b: (a^k + a^(k-1) b + ... + b^k) / (k + 1)."""
    terms: FloatArray = np.sum([a ** (k - i) * b**i for i in range(k + 1)], axis=0)
    return terms / (k + 1)


@checked(file=path(), time=word())
def read_table(file: str | os.PathLike[str], time: str = "time") -> dict[str, Series]:
    """Read a CSV file with a column of times, such as a file of `Sensors`. Return a time series for each other column,
    by name.

    Headings, units and comments must have the form that `con.read_series` requires. Times are converted to seconds, and
    values keep the unit of their heading. The column ``step`` of `Sensors` is omitted.

    Args:
        file: path of the file. Values in the file are separated by commas.
        time: name of the column of times, with or without its unit.

    Raises:
        ModelError: the file or the column of times does not exist, a unit is unknown, two columns have the same name, a
            value is not a finite number, a row and the heading have different lengths, the file has fewer than two
            times, or times are not ascending.
    """
    times, columns = read_columns(file, time)
    if columns and columns[0].name == "step":
        columns = columns[1:]
    return {column.name: Series(times, column.values, column.name, column.unit) for column in columns}
