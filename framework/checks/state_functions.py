"""User functions of time and of arrays that change with the motion, and derivatives of these functions.

The user gives derivative functions, or the derivatives are computed by central differences. The first results of a
user's derivative function are compared with central differences. If a derivative disagrees with the differences, only a
warning is printed, because a wrong derivative changes only the tangent and not the equations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite
from typing import Any
from warnings import warn

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.user_functions import FirstCalls, find_contradictions
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError, ModelWarning

STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Relative step [1] of central differences, optimal for a smooth function."""
SMALLEST = 1e-2
"""If the magnitude of an argument is smaller than this value, the central differences use an absolute step instead of a
relative step.
"""


def are_finite(array: FloatArray) -> bool:
    """Return whether all numbers of an array are finite."""
    if not array.size:
        return True
    # a finite sum of squares, which takes less time than a test of each number, shows that all numbers are finite
    numbers = array if array.ndim == 1 else array.ravel()
    return isfinite(numbers.dot(numbers)) or bool(np.isfinite(array).all())


@dataclass(frozen=True)
class StateFunction:
    """A user function ``f(t, *arrays)`` of a row, where the arrays change with the motion.

    Attributes:
        function: the user's function, which receives copies of the arrays.
        derivative: function ``(t, *arrays)`` that returns the derivative with respect to each array, shape (*shape, n)
            for an array of shape (n,). If ``derivative`` is None, central differences are used.
        shape: shape of the result.
        names: names of the function and of its derivative in messages, with the row number.
        words: description of the required result, with its unit, for messages.
        calls: counter of calls. Derivatives are checked only in the first calls.
    """

    function: Callable[..., Any]
    derivative: Callable[..., Any] | None
    shape: tuple[int, ...]
    names: tuple[str, str]
    words: str
    calls: FirstCalls = field(default_factory=FirstCalls)

    def __call__(self, t: float, *arrays: FloatArray) -> FloatArray:
        """Return the value of the function, or NaN if an array contains numbers that are not finite. If the value is
        NaN, Newton's method diverges and the solver reports the failure.

        Raises:
            ModelError: the function returns a wrong type or shape, or numbers that are not finite.
        """
        if not all(map(are_finite, arrays)):
            return np.full(self.shape, np.nan)
        given = self.function(t, *[array.copy() if array.size else array for array in arrays])
        return self._read(given, self.shape, self.names[0], self.words, t)

    def differentiate(self, t: float, *arrays: FloatArray) -> list[FloatArray]:
        """Return the derivative with respect to each array, shape (*shape, n) for an array of shape (n,).

        Raises:
            ModelError: the derivative has a wrong type or shape, or contains numbers that are not finite.
        """
        if self.derivative is None or not all(map(are_finite, arrays)):
            return [self._difference(t, arrays, which) for which in range(len(arrays))]
        shapes = [(*self.shape, len(array)) for array in arrays]
        given = self.derivative(t, *(array.copy() for array in arrays))
        parts = [given] if len(arrays) == 1 else list(given) if isinstance(given, (list, tuple)) else []
        words = f"one array for each argument, of shapes {', '.join(map(str, shapes))}"
        if len(parts) != len(arrays):
            raise ModelError(f"{self.names[1]} gave {show(given)} at t = {t:.9g} s: must give {words}")
        found = [self._read(part, shape, self.names[1], words, t) for part, shape in zip(parts, shapes, strict=True)]
        if self.calls.count(self.derivative):
            for which, part in enumerate(found):
                self._compare(t, arrays, which, part)
        return found

    def _read(self, given: Any, shape: tuple[int, ...], name: str, words: str, t: float) -> FloatArray:
        if type(given) is np.ndarray and given.dtype == np.float64 and given.shape == shape and are_finite(given):
            return given.copy()
        found = read_numbers(given)
        if found is None or found.shape != shape or not np.isfinite(found).all():
            raise ModelError(f"{name} gave {show(given)} at t = {t:.9g} s: must give {words}")
        return np.asarray(found, np.float64)

    def _move(self, t: float, arrays: tuple[FloatArray, ...], which: int, j: int, distance: float) -> FloatArray:
        """Return the value of the function after ``distance`` was added to one entry of one array."""
        moved = [array.copy() for array in arrays]
        moved[which][j] += distance
        return self(t, *moved)

    def _difference(self, t: float, arrays: tuple[FloatArray, ...], which: int) -> FloatArray:
        found = np.zeros((*self.shape, len(arrays[which])))
        for j, value in enumerate(arrays[which]):
            h = STEP * max(SMALLEST, abs(value))
            found[..., j] = (self._move(t, arrays, which, j, h) - self._move(t, arrays, which, j, -h)) / (2.0 * h)
        return found

    def _compare(self, t: float, arrays: tuple[FloatArray, ...], which: int, given: FloatArray) -> None:
        for j, value in enumerate(arrays[which]):

            def evaluate(distance: Any, j: int = j) -> FloatArray:
                return self._move(t, arrays, which, j, float(distance))

            wrong, differences = find_contradictions(given[..., j], STEP * max(SMALLEST, abs(value)), evaluate)
            for place in np.argwhere(wrong)[:1]:
                k = tuple(place)
                warn(
                    f"{self.names[1]} gave {given[*k, j]:.9g} for the derivative with respect to entry {j} of argument "
                    f"{which + 1} at t = {t:.9g} s, but the function changes by {differences[k]:.9g}: must be the "
                    "derivative of the function, which Newton's method needs",
                    ModelWarning,
                    stacklevel=2,
                )
