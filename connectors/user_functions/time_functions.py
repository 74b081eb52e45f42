"""User functions of time in columns of tables. Each function is called once for each value of the time. The result is
checked and, if necessary, differentiated with respect to time.

A kernel evaluates the predefined functions of `windlass.connectors.user_functions.ready_functions`. The following rules
are for Python functions.

If the user does not give the time derivative of a function, the derivative is computed by a difference quotient of
fourth order. The difference is central, except near t = 0. Near t = 0, a one-sided difference is used, because a
function need not be defined for t < 0. The steps of the differences are 1e-5 s for the first and 1e-4 s for the second
derivative. If the time scale of the function is 0.1 s, the relative errors of the first and second derivatives are
about 1e-11 and 1e-8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import isfinite
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.user_functions.ready_functions import ReadyFunction, create_rows, fill_rows
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.user_functions import find_contradictions, first_calls
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import Call, call
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

TimeFunction = Callable[[float], FloatArray]

FLOAT = {float}
SCALARS = {float, np.float64}
STEP = 1e-5
STEP_TWICE = 1e-4
CENTRAL = ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12))
FORWARD = ((0, -25 / 12), (1, 48 / 12), (2, -36 / 12), (3, 16 / 12), (4, -3 / 12))
CENTRAL_TWICE = ((-2, -1 / 12), (-1, 16 / 12), (0, -30 / 12), (1, 16 / 12), (2, -1 / 12))
FORWARD_TWICE = ((0, 45 / 12), (1, -154 / 12), (2, 214 / 12), (3, -156 / 12), (4, 61 / 12), (5, -10 / 12))


class TimeColumn:
    """Values of a column whose rows can contain functions of time. Python functions are called once for each row and
    value of the time. A kernel evaluates predefined functions.

    Args:
        constant: values of rows without a function, shape (rows, *shape).
        functions: function of each row, or None for rows without a function.
        in_place: whether the values of the functions are written into ``constant``. If true, ``constant`` is part of
            the data that kernels read.

    Attributes:
        values: values at the last requested time, shape (rows, *shape). This array is the same object at all times, and
            other code must not change it.
        ready: call that evaluates the predefined functions at the time of an evaluation. See `call`.
        fill: call that evaluates all functions, including Python functions.
    """

    def __init__(
        self, constant: NDArray[Any], functions: Sequence[TimeFunction | None], in_place: bool = False
    ) -> None:
        self.values: FloatArray = constant if in_place else np.array(constant, np.float64, order="C")
        given = [(i, f) for i, f in enumerate(functions) if f is not None]
        self._constant = np.array([f is None for f in functions], np.bool_)
        self._called = [(i, f) for i, f in given if not isinstance(f, ReadyFunction)]
        ready = [(i, f) for i, f in given if isinstance(f, ReadyFunction)]
        self.ready, self._at, self._time = Call(), float("nan"), np.zeros(1)
        if ready:
            rows, columns = create_rows(ready), self.values.reshape(len(self.values), -1)
            self.ready = call(fill_rows, lambda s: (rows, s.time, columns))
            self._evaluate: Callable[[], Any] = partial(call(fill_rows), rows, self._time, columns)
        self.fill = self.ready + Call(at_time=(self.update,)) if self._called else self.ready

    def __call__(self, t: float) -> FloatArray:
        """Return the values at a time [s]."""
        self._update_called(t)
        if self.ready.parts:
            self._time[0] = t
            self._evaluate()
        return self.values

    def change(self, constant: NDArray[Any]) -> None:
        """Replace the values of rows without a function. The argument ``constant`` contains the values of all rows."""
        self.values[self._constant] = constant[self._constant]

    def update(self, s: Fields) -> None:
        """Evaluate the Python functions at the time at which forces are evaluated."""
        self._update_called(s.t)

    def _update_called(self, t: float) -> None:
        if self._called and t != self._at:
            self._at = float("nan")  # if a function raises an error, the next call must evaluate the functions again
            for i, f in self._called:
                self.values[i] = f(t)
            self._at = t

    @property
    def is_called(self) -> bool:
        """Whether any row has a Python function."""
        return bool(self._called)


def change_values(rows: LocalRows, columns: tuple[Any, TimeColumn], name: str, names: Sequence[str]) -> bool:
    """Copy the present values of the column ``name`` to ``columns``, the result of ``bind``, and return True. If other
    columns have also changed, copy nothing and return False. See ``copy`` of `ColumnChanges`.
    """
    if set(names) != {name}:
        return False
    columns[1].change(rows.local(name))
    rows.keep(columns)
    return True


def bind_values(rows: LocalRows, values: str, functions: str) -> TimeColumn:
    """Create the `TimeColumn` of a column. Rows with a function of time use the function. Other rows use the value in
    the table.

    Args:
        rows: rows of a table with the column ``active``. Functions of inactive rows are not called.
        values: name of the column with constant values.
        functions: name of the column with the functions.

    """
    return TimeColumn(rows.local(values), bind_functions(rows, values, functions))


def bind_functions(rows: LocalRows, values: str, functions: str) -> list[TimeFunction | None]:
    """Return for each row a function of time that checks its results, or None for inactive rows and for rows without a
    function.

    Args:
        rows: rows of a table with the column ``active``.
        values: name of the column with constant values. This column determines shape and unit.
        functions: name of the column with the functions.
    """
    col = rows.table.component.columns[values]
    shape = col.shape or ()
    words = f"one finite number [{col.unit}]" if not shape else f"finite numbers of shape {shape} [{col.unit}]"

    def check(function: Callable[[float], Any], row: int) -> TimeFunction:
        name = f"{functions} of {rows.table.describe(row)} ({rows.table.kind} row {row})"
        if isinstance(function, ReadyFunction):
            if function.shape != shape:
                given = "single numbers" if not function.shape else f"numbers of shape {function.shape}"
                raise ModelError(f"{name} is a {function.name} that gives {given}: must give {words}")
            return function

        def call(t: float) -> FloatArray:
            given = function(t)
            result = parse_numbers(given, shape)
            if result is None:
                raise ModelError(f"{name} gave {show(given)} at t = {t:.9g} s: must give {words}")
            return result

        return call

    given = zip(rows.local(functions), rows.rows, rows.local("active"), strict=True)
    return [check(f, int(row)) if f is not None and active else None for f, row, active in given]


def parse_numbers(given: Any, shape: tuple[int, ...]) -> FloatArray | None:
    """Return the result of a user function as an array, or None if the result is not finite or of another shape."""
    if type(given) in SCALARS and not shape:
        return cast(FloatArray, np.float64(given)) if isfinite(given) else None
    # A finite sum shows that all values are finite. All other results are examined below.
    if type(given) is np.ndarray and given.dtype == np.float64 and given.shape == shape and isfinite(given.sum()):
        return given
    if type(given) in (list, tuple) and shape == (len(given),) and FLOAT.issuperset(map(type, given)):
        vector = np.array(given)
        return vector if isfinite(sum(given)) or np.isfinite(vector).all() else None
    result = read_numbers(given)
    return result if result is not None and result.shape == shape and bool(np.isfinite(result).all()) else None


def compare_rates(
    rows: LocalRows, values: str, rates: str, functions: Sequence[TimeFunction | None], given: list[TimeFunction | None]
) -> list[TimeFunction | None]:
    """Compare time derivatives given by users with difference quotients of the functions, in the first calls of each
    derivative.

    Args:
        values, rates: names of the columns with the functions and with the derivatives of these functions.
        functions, given: function and derivative of each row, or None.

    Returns:
        The derivatives. A call of a derivative raises ModelError if the derivative contradicts the function of the same
        row.
    """
    calls, columns = first_calls(rows.world), rows.local(rates)

    def compare(k: int, function: TimeFunction, rate: TimeFunction) -> TimeFunction:
        def call(t: float) -> FloatArray:
            result = rate(t)
            if calls.count(columns[k]):
                wrong, differences = find_contradictions(result, STEP, lambda dt: function(t + dt), not 0.0 <= t < STEP)
                if np.any(wrong):
                    row = int(rows.rows[k])
                    raise ModelError(
                        f"{rates} of {rows.table.describe(row)} ({rows.table.kind} row {row}) gave {write(result)} at "
                        f"t = {t:.9g} s, but {values} changes by {write(differences)} per second: must be its "
                        "time derivative"
                    )
            return result

        return call

    pairs = enumerate(zip(functions, given, strict=True))
    return [g if f is None or g is None else compare(k, f, g) for k, (f, g) in pairs]


def write(values: FloatArray) -> str:
    """Format values for a message."""
    numbers = ", ".join(f"{value:.9g}" for value in np.ravel(values))
    return numbers if np.ndim(values) == 0 else f"({numbers})"


def differentiate(function: TimeFunction | None) -> TimeFunction | None:
    """Create the first time derivative of a function. The derivative is exact for predefined functions, and a
    difference quotient for Python functions. The result is None if the argument is None.
    """
    if isinstance(function, ReadyFunction):
        return function.differentiate()
    return _difference(function, STEP, CENTRAL, FORWARD, 1)


def differentiate_twice(function: TimeFunction | None) -> TimeFunction | None:
    """Create the second time derivative of a function. The derivative is exact for predefined functions, and a
    difference quotient for Python functions. The result is None if the argument is None.
    """
    if isinstance(function, ReadyFunction):
        return function.differentiate().differentiate()
    return _difference(function, STEP_TWICE, CENTRAL_TWICE, FORWARD_TWICE, 2)


def _difference(
    function: TimeFunction | None,
    step: float,
    central: Sequence[tuple[int, float]],
    forward: Sequence[tuple[int, float]],
    order: int,
) -> TimeFunction | None:
    if function is None:
        return None

    def eval_at(t: float) -> FloatArray:
        h = (t + step) - t  # the difference between t and the rounded sum t + step
        near_start = 0.0 <= t < 2 * h
        weights = forward if near_start else central
        total: FloatArray = np.float64(0.0)  # type: ignore[assignment]
        for k, w in weights:
            total = total + w * function(t + k * h)
        return total / h**order

    return eval_at
