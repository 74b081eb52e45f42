"""Motions and loads from recorded values: columns of CSV files, and smooth functions of time through them.

    heave = con.spline(*con.read_series("heave.csv", "heave"))
    con.prescribe(world, top, "z", heave)

A motion that is prescribed by a `table` has a velocity that jumps at every time; a spline has a continuous
acceleration.  It is the cubic one whose third derivative does not jump at the second and at the last but one time.

Source: C. de Boor, A Practical Guide to Splines, Springer (1978), chapter 4; by SciPy.
"""

from __future__ import annotations

import csv
import os
import re
from typing import Any

import numpy as np

from windlass.connectors.user_functions.ready_functions import SPLINE, ReadyFunction
from windlass.connectors.user_functions.units import is_time, read_unit
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, numbers, path, word
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError


@checked(times=numbers("s", (None,)), values=numbers("", (None,), (None, 3)))
def spline(times: Any, values: Any) -> ReadyFunction:
    """A smooth function of time through points, constant before the first and after the last one.

    Args:
        times: times that rise [s], shape (k,), at least four.
        values: the values there, shape (k,), or (k, 3) for vectors, in the unit of the quantity that the function
            gives.

    Raises:
        ModelError: times that do not rise, fewer than four, other shapes, or numbers that are not finite.
    """
    from scipy.interpolate import CubicSpline  # imported here, because most models do not need it

    t, v = np.array(times, np.float64), np.array(values, np.float64)
    if len(t) < 4 or not (np.diff(t) > 0.0).all():
        raise ModelError(f"times = {show(times)} s in spline: must be at least four numbers that rise")
    if len(v) != len(t):
        raise ModelError(f"values = {show(values)} in spline: must be {len(t)}, one for each time")
    # SciPy has the highest power first, shape (4, k - 1, m)
    coefficients = CubicSpline(t, v.reshape(len(t), -1)).c[::-1].transpose(1, 0, 2)
    return ReadyFunction("spline", SPLINE, np.concatenate([t, coefficients.ravel()]), v.shape[1:])


HEADING = re.compile(r"(.*?)\s*(?:\[([^][]*)\]|\(([^()]*)\))\s*$")
"""A name with a unit in square or round brackets."""


@checked(file=path(), column=word(), time=word())
def read_series(file: str | os.PathLike[str], column: str, time: str = "time") -> tuple[FloatArray, FloatArray]:
    """Times and values of one column of a CSV file, for `table` and `spline`, in SI units.

    The first line that is no comment (``#``) has the names of the columns, with units in brackets or without:
    ``time [ms],heave [mm]``.  Values are converted to SI units by the text in brackets: SI units with prefixes
    (ms, mm, kN, MPa), deg, rpm, %, min, h, t, bar, and products, quotients and powers of these; without brackets they
    are in SI units already.  Files of `Sensors` are of this form.

    Args:
        file: the file, with commas between numbers.
        column: name of the values, with its unit or without.
        time: likewise for the times.

    Returns:
        Times [s] that rise, and values in the SI unit of the column, both of shape (rows,).

    Raises:
        ModelError: no such file or column, an unknown unit, lines that are not numbers or whose length differs from the
            heading, or times that do not rise.
    """
    try:
        with open(file, newline="", encoding="utf-8-sig") as lines:
            table = [row for row in csv.reader(lines) if row and not row[0].lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ModelError(
            f"file = {show(str(file))} in read_series cannot be read ({error}): must be a CSV file"
        ) from None
    names = [name.strip() for name in table[0]] if table else []
    places, factors = [], []
    for label, wanted in (("column", column), ("time", time)):
        found = [k for k, name in enumerate(names) if wanted in (name, split_heading(name)[0])]
        if len(found) != 1:
            has = ", ".join(names) or "none"
            raise ModelError(f"{label} = {wanted!r} in read_series of {file}: must be one of its columns, {has}")
        places.append(found[0])
        factors.append(_read_factor(names[found[0]], label == "time", file))
    values = np.empty((len(table) - 1, 2))
    for i, row in enumerate(table[1:]):
        try:
            values[i] = [float(row[k]) for k in places]
            fits = len(row) == len(names)
        except (ValueError, IndexError):
            fits = False
        if not fits:
            raise ModelError(f"row {i + 1} of {file} is {','.join(row)!r}: must be numbers, as many as names")
    if not np.isfinite(values).all():
        i = int(np.argmin(np.isfinite(values).all(axis=1)))
        raise ModelError(f"row {i + 1} of {file} is {','.join(table[i + 1])!r}: must be finite numbers")
    values *= factors
    for i in np.flatnonzero(np.diff(values[:, 1]) <= 0.0)[:1]:
        before, now = values[i : i + 2, 1]
        raise ModelError(f"row {i + 2} of {file} is at {now:g} s, row {i + 1} at {before:g} s: times must rise")
    return values[:, 1].copy(), values[:, 0].copy()


def split_heading(heading: str) -> tuple[str, str | None]:
    """Name and unit of a column; numbers in square brackets, as in ``force[0]``, belong to the name."""
    found = HEADING.fullmatch(heading)
    if found is None or (found[2] is not None and re.fullmatch(r"\d+", found[2]) and not heading.endswith(" [1]")):
        return heading, None
    return found[1], found[2] if found[2] is not None else found[3]


def _read_factor(heading: str, is_time_column: bool, file: Any) -> float:
    """The factor of a column to SI units.

    Raises:
        ModelError: an unknown unit, or a unit of a wrong quantity.
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
            f"the heading {heading!r} of {file} has the unit {unit!r}: must be one {words}; without brackets "
            "values are in SI units"
        )
    return factor
