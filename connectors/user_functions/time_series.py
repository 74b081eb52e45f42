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
from typing import Any

import numpy as np

from windlass.connectors.user_functions.ready_functions import SPLINE, ReadyFunction
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, numbers, path, word
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError


@checked(times=numbers("s", (None,)), values=numbers("", (None,), (None, 3)))
def spline(times: Any, values: Any) -> ReadyFunction:
    """A smooth function of time through points, constant before the first and after the last one.

    Args:
        times: times that rise [s], shape (k,), at least four.
        values: the values there, shape (k,), or (k, 3) for vectors, in the unit of what the function stands for.

    Raises:
        ModelError: times that do not rise, fewer than four, other shapes, or numbers that are not finite.
    """
    from scipy.interpolate import CubicSpline  # here, because most models do not need it

    t, v = np.array(times, np.float64), np.array(values, np.float64)
    if len(t) < 4 or not (np.diff(t) > 0.0).all():
        raise ModelError(f"times = {show(times)} s in spline: must be at least four numbers that rise")
    if len(v) != len(t):
        raise ModelError(f"values = {show(values)} in spline: must be {len(t)}, one for each time")
    # SciPy has the highest power first, shape (4, k - 1, m)
    coefficients = CubicSpline(t, v.reshape(len(t), -1)).c[::-1].transpose(1, 0, 2)
    return ReadyFunction("spline", SPLINE, np.concatenate([t, coefficients.ravel()]), v.shape[1:])


@checked(file=path(), column=word(), time=word())
def read_series(file: str | os.PathLike[str], column: str, time: str = "time") -> tuple[FloatArray, FloatArray]:
    """Times and values of one column of a CSV file, for `table` and `spline`.

    The first line that is no comment (``#``) has the names of the columns, with units in brackets or without:
    ``time [s],heave [m]``.  Files of `Sensors` are of this form.

    Args:
        file: the file, with commas between numbers.
        column: name of the values, with its unit or without.
        time: likewise for the times [s].

    Returns:
        Times and values, both of shape (rows,).

    Raises:
        ModelError: no such file or column, or lines that are not numbers.
    """
    try:
        with open(file, newline="", encoding="utf-8-sig") as lines:
            table = [row for row in csv.reader(lines) if row and not row[0].lstrip().startswith("#")]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ModelError(
            f"file = {show(str(file))} in read_series cannot be read ({error}): must be a CSV file"
        ) from None
    names = [name.strip() for name in table[0]] if table else []
    places = []
    for label, wanted in (("column", column), ("time", time)):
        found = [k for k, name in enumerate(names) if wanted in (name, name.rpartition(" [")[0])]
        if len(found) != 1:
            has = ", ".join(names) or "none"
            raise ModelError(f"{label} = {wanted!r} in read_series of {file}: must be one of its columns, {has}")
        places.append(found[0])
    values = np.empty((len(table) - 1, 2))
    for i, row in enumerate(table[1:]):
        try:
            values[i] = [float(row[k]) for k in places]
        except (ValueError, IndexError):
            raise ModelError(f"row {i + 1} of {file} is {','.join(row)!r}: must be numbers, as many as names") from None
    if not np.isfinite(values).all():
        i = int(np.argmin(np.isfinite(values).all(axis=1)))
        raise ModelError(f"row {i + 1} of {file} is {','.join(table[i + 1])!r}: must be finite numbers")
    return values[:, 1].copy(), values[:, 0].copy()
