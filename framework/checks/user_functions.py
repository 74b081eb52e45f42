"""Checks of user functions: in the first calls, derivatives are compared with finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray

COMPARED_CALLS = 3
"""Number of calls of a derivative function in which the derivative is checked. One call is not sufficient: models are
often at rest in the first call, so many values are 0.
"""
TOLERANCE = 0.05
"""If the relative error of a derivative exceeds this value [1], the derivative contradicts its function. The error is
relative to the larger of the derivative and the difference quotient.
"""
ROUNDING = 1e3 * float(np.finfo(np.float64).eps)
"""Assumed relative rounding error [1] of the values of a user's function."""


class FirstCalls:
    """Counter of the calls of each function in one world."""

    def __init__(self) -> None:
        # references to the functions are kept, because Python may reuse the id of a deleted function
        self._seen: dict[int, tuple[Any, int]] = {}

    def count(self, function: Any) -> bool:
        """Count a call of a function. Return whether the call is one of the first `COMPARED_CALLS` calls of the
        function.
        """
        calls = self._seen.get(id(function), (function, 0))[1]
        if calls < COMPARED_CALLS:
            self._seen[id(function)] = function, calls + 1
        return calls < COMPARED_CALLS


class Owner(Protocol):
    """Interface of an object, such as a world, that stores other objects by name."""

    def resource(self, key: str, create: Any) -> Any:
        """Return the object that is stored under the name ``key``. The function ``create`` creates the object on first
        use.
        """


def first_calls(world: Owner) -> FirstCalls:
    """Return the object that counts the calls of user functions in a world."""
    found: FirstCalls = world.resource("first calls", FirstCalls)
    return found


def find_contradictions(
    given: FloatArray, step: Any, evaluate: Callable[[Any], FloatArray], backward: bool = True
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Find the entries of a derivative that contradict finite differences of the function.

    At a kink of the function, the two one-sided differences differ. Each derivative between these differences is
    accepted.

    Args:
        given: the derivative, shape (...).
        step: step of the differences, a scalar or an array of shape (...).
        evaluate: function that receives a distance, and returns the values of the user function at this distance from
            the point at which ``given`` is the derivative.
        backward: whether the function also accepts negative distances.

    Returns:
        Two arrays of shape (...): whether each entry of the derivative contradicts the function, and the mean of the
        one-sided differences.
    """
    here = evaluate(0.0 * step)
    signs = (1.0, -1.0) if backward else (1.0,)
    values = [[evaluate(sign * part * step) for part in (1.0, 0.25)] for sign in signs]
    with np.errstate(all="ignore"):
        size = np.max([np.abs(here), *(np.abs(v) for pair in values for v in pair)], axis=0)
        noise = 8.0 * ROUNDING * size / step
        whole, quarter = (
            np.array([sign * (pair[k] - here) / (step * part) for sign, pair in zip(signs, values, strict=True)])
            for k, part in ((0, 1.0), (1, 0.25))
        )
        largest = np.maximum(np.abs(whole).max(axis=0), np.abs(given))
        # where the slopes over the whole step and over a quarter of the step differ, the function is not smooth, so the
        # entry is not compared
        smooth = (np.abs(whole - quarter) <= TOLERANCE * largest + noise).all(axis=0)
        slack = TOLERANCE * largest + noise
        outside = (given < whole.min(axis=0) - slack) | (given > whole.max(axis=0) + slack)
    return smooth & outside & np.isfinite(noise), whole.mean(axis=0)


def name_of(function: Any) -> str:
    """Return the name of a user's function for messages."""
    return str(getattr(function, "__qualname__", None) or type(function).__name__)
