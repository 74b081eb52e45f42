"""Checks of users' functions: in their first calls derivatives are compared with differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray

COMPARED_CALLS = 3
"""Number of calls of a derivative function that are compared: the first call is often at rest, where many values are
0."""
TOLERANCE = 0.05
"""Relative error, with respect to the larger of both values, above which a derivative contradicts its function [1]."""
ROUNDING = 1e3 * float(np.finfo(np.float64).eps)
"""Assumed rounding error of a user's function, relative to its values [1]."""


class FirstCalls:
    """Counts the calls of functions separately for each world."""

    def __init__(self) -> None:
        # storing the functions prevents reuse of their ids
        self._seen: dict[int, tuple[Any, int]] = {}

    def count(self, function: Any) -> bool:
        """Whether this call of a function is one of its first calls."""
        calls = self._seen.get(id(function), (function, 0))[1]
        if calls < COMPARED_CALLS:
            self._seen[id(function)] = function, calls + 1
        return calls < COMPARED_CALLS


class Owner(Protocol):
    """A world, or another object that stores objects by name."""

    def resource(self, key: str, create: Any) -> Any:
        """The object stored under a name, made by ``create()`` on first use."""


def first_calls(world: Owner) -> FirstCalls:
    """The call counter of a world."""
    found: FirstCalls = world.resource("first calls", FirstCalls)
    return found


def find_contradictions(
    given: FloatArray, step: Any, evaluate: Callable[[Any], FloatArray], backward: bool = True
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Find entries of a derivative that contradict its function.

    A derivative between the one-sided differences agrees, so that kinks are no contradiction.

    Args:
        given: the derivative, shape (...).
        step: step of the differences, a number or an array of shape (...).
        evaluate: ``(distance) -> values`` returns the function's values at a distance from the evaluation point of the
            derivative.
        backward: whether the function may also be called at negative distances.

    Returns:
        Whether each entry contradicts, and the differences, both of shape (...).
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
        # if a function is flat, the dependence of the differences on the step decides, without the given derivative
        smooth = (np.abs(whole - quarter) <= TOLERANCE * largest + noise).all(axis=0)
        slack = TOLERANCE * largest + noise
        outside = (given < whole.min(axis=0) - slack) | (given > whole.max(axis=0) + slack)
    return smooth & outside & np.isfinite(noise), whole.mean(axis=0)


def name_of(function: Any) -> str:
    """The name of a user's function for messages."""
    return str(getattr(function, "__qualname__", None) or type(function).__name__)
