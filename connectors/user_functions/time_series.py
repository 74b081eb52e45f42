"""Functions of time from recorded values: columns of CSV files, and splines through the values of a column.

    heave = con.spline(*con.read_series("heave.csv", "heave"))
    con.prescribe(world, top, "z", heave)

The velocity of a motion that is prescribed by a `table` jumps at every time of the table. A motion that is prescribed
by a `spline` has a continuous acceleration between the first and the last time. The spline is cubic, and its third
derivative is continuous at the second time and at the time before the last (not-a-knot conditions).

Source: C. de Boor, A Practical Guide to Splines, Springer (1978), chapter 4. SciPy computes the coefficients.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.user_functions.ready_functions import SPLINE, ReadyFunction
from windlass.connectors.user_functions.units import is_time, read_unit
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, numbers, path, word
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError


@checked(times=numbers("s", (None,)), values=numbers("", (None,), (None, 3)))
def spline(times: Any, values: Any) -> ReadyFunction:
    """Create a cubic spline through points. Before the first and after the last point, the function is constant.

    Args:
        times: four or more times [s] in ascending order, shape (k,).
        values: the values at these times, shape (k,), or (k, 3) for vectors, in the unit of the quantity.

    Raises:
        ModelError: times do not increase, there are fewer than four times, shapes are wrong, or values are not finite.
    """
    from scipy.interpolate import CubicSpline  # imported here, because most models do not need this module

    t, v = np.array(times, np.float64), np.array(values, np.float64)
    if len(t) < 4 or not (np.diff(t) > 0.0).all():
        raise ModelError(f"times = {show(times)} s in spline: must be at least four increasing numbers")
    if len(v) != len(t):
        raise ModelError(f"values = {show(values)} in spline: must be {len(t)}, one for each time")
    # SciPy stores the highest power first, shape (4, k - 1, m)
    coefficients = CubicSpline(t, v.reshape(len(t), -1)).c[::-1].transpose(1, 0, 2)
    return ReadyFunction("spline", SPLINE, np.concatenate([t, coefficients.ravel()]), v.shape[1:])


HEADING = re.compile(r"(.*?)\s*(?:\[([^][]*)\]|\(([^()]*)\))\s*$")
"""Pattern of a name with a unit in square or round brackets."""


class SeriesColumn(NamedTuple):
    """A column of a CSV file.

    Attributes:
        name: name of the column without its unit.
        unit: unit in the heading, or "1" if the heading contains no brackets.
        factor: factor from the unit of the heading to the SI unit.
        values: values of the column in the unit of the heading, shape (rows,).
    """

    name: str
    unit: str
    factor: float
    values: FloatArray


@checked(file=path(), column=word(), time=word())
def read_series(file: str | os.PathLike[str], column: str, time: str = "time") -> tuple[FloatArray, FloatArray]:
    """Read times and values of one column of a CSV file, for `table` and `spline`, in SI units.

    The first line that is not a comment (``#``) contains the names of the columns, with units in brackets or without
    units, such as ``time [ms],heave [mm]``. Values are converted from the unit in brackets to SI units. Allowed units
    are SI units with prefixes (ms, mm, kN, MPa), deg, rpm, %, min, h, t, bar, and products, quotients and powers of
    these units. Values of columns without brackets must be in SI units. `Sensors` writes files in this form.

    Args:
        file: path of the file with values separated by commas.
        column: name of the column of the values, with or without unit.
        time: name of the column of the times, with or without unit.

    Returns:
        Increasing times [s], and values in the SI unit of the column, both of shape (rows,).

    Raises:
        ModelError: the file or a column is missing, a unit is unknown, values are not numbers, a line and the heading
            have different lengths, or times do not increase.
    """
    times, (found,) = read_columns(file, time, [column])
    return times, found.values * found.factor


def read_columns(
    file: str | os.PathLike[str], time: str, columns: Sequence[str] | None = None
) -> tuple[FloatArray, list[SeriesColumn]]:
    """Read increasing times [s], shape (rows,), and the given columns of a CSV file in the form that `read_series`
    describes. If ``columns`` is None, read all columns except the times.

    Raises:
        ModelError: one of the errors of `read_series` occurs, or two columns have the same name.
    """
    table = read_table(file)
    headings = [heading.strip() for heading in table[0]] if table else []
    places = [_find_column(headings, "time", time, file)]
    if columns is None:
        names = [split_heading(heading)[0] for heading in headings]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"{file} has two columns {name!r}: must have columns of different names")
        places += [k for k in range(len(headings)) if k not in places]
    else:
        places += [_find_column(headings, "column", wanted, file) for wanted in columns]
    factors = [_read_factor(headings[at], k == 0, file) for k, at in enumerate(places)]
    values = read_rows(table, places, file)
    times = factors[0] * values[:, 0]
    for i in np.flatnonzero(np.diff(times) <= 0.0)[:1]:
        raise ModelError(
            f"row {i + 2} of {file} is at {times[i + 1]:g} s, row {i + 1} at {times[i]:g} s: times must increase"
        )
    found = [(*split_heading(headings[at]), factors[k], values[:, k].copy()) for k, at in enumerate(places)]
    return times, [SeriesColumn(name, unit or "1", factor, column) for name, unit, factor, column in found[1:]]


def _find_column(headings: Sequence[str], label: str, wanted: str, file: Any) -> int:
    """Return the index of the column with the name ``wanted``, with or without unit."""
    found = [k for k, heading in enumerate(headings) if wanted in (heading, split_heading(heading)[0])]
    if len(found) != 1:
        has = ", ".join(headings) or "none"
        raise ModelError(f"{label} = {wanted!r} of {file}: must be one of its columns, {has}")
    return found[0]


def read_table(file: Any) -> list[list[str]]:
    """Read the lines of a CSV file, without empty lines and comments (``#``).

    Raises:
        ModelError: the file cannot be read.
    """
    try:
        with open(file, newline="", encoding="utf-8-sig") as lines:
            return [row for row in csv.reader(lines) if row and not row[0].lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"file = {show(str(file))} cannot be read ({error}): must be a CSV file") from None


def read_rows(table: Sequence[Sequence[str]], places: Sequence[int], file: Any) -> FloatArray:
    """Read the values below the heading in the columns with the indices ``places``, shape (rows, columns)."""
    values = np.empty((len(table) - 1, len(places)))
    for i, row in enumerate(table[1:]):
        try:
            values[i] = [float(row[k]) for k in places]
            fits = len(row) == len(table[0])
        except (ValueError, IndexError):
            fits = False
        if not fits or not np.isfinite(values[i]).all():
            words = "finite numbers" if fits else "numbers, as many as names"
            raise ModelError(f"row {i + 1} of {file} is {','.join(row)!r:.200}: must be {words}")
    return values


def split_heading(heading: str) -> tuple[str, str | None]:
    """Split a heading into name and unit. An index in square brackets, such as in ``force[0]``, is part of the name."""
    found = HEADING.fullmatch(heading)
    if found is None or (found[2] is not None and re.fullmatch(r"\d+", found[2]) and not heading.endswith(" [1]")):
        return heading, None
    return found[1], found[2] if found[2] is not None else found[3]


def _read_factor(heading: str, is_time_column: bool, file: Any) -> float:
    """Return the factor that converts a column to SI units.

    Raises:
        ModelError: the unit is unknown, or is a unit of another quantity.
    """
    unit = split_heading(heading)[1]
    if unit is None:
        return 1.0
    factor = read_unit(unit)
    if factor is None or (is_time_column and not is_time(unit)):
        words = (
            "of time: s, ms, min, h" if is_time_column else "that is known: SI units with prefixes, deg, rpm, %, min, h"
        )
        raise ModelError(
            f"the heading {heading!r} of {file} has the unit {unit!r}: must be a unit {words}; values of a heading "
            "without brackets are in SI units"
        )
    return factor
