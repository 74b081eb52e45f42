"""Checks of users' functions: in their first calls derivatives are compared with differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray

COMPARED_CALLS = 3
"""Calls of a derivative function that are compared: the first is often at rest, where much is 0."""
TOLERANCE = 0.05
"""A derivative that is off by more than this, of the larger one, contradicts its function [1]."""
ROUNDING = 1e3 * float(np.finfo(np.float64).eps)
"""Rounding of a function, with what users' arithmetic may lose, relative to its values [1]."""


class FirstCalls:
    """Counts the calls of functions, of each world by itself."""

    def __init__(self) -> None:
        # functions are kept, so that no other one gets their id
        self._seen: dict[int, tuple[Any, int]] = {}

    def count(self, function: Any) -> bool:
        """Whether this call of a function is one of the first ones."""
        calls = self._seen.get(id(function), (function, 0))[1]
        if calls < COMPARED_CALLS:
            self._seen[id(function)] = function, calls + 1
        return calls < COMPARED_CALLS


class Owner(Protocol):
    """A world, or whatever keeps an object under a name."""

    def resource(self, key: str, create: Any) -> Any:
        """The object of that name, made by ``create()`` on first use."""


def first_calls(world: Owner) -> FirstCalls:
    """The count of a world."""
    found: FirstCalls = world.resource("first calls", FirstCalls)
    return found


def find_contradictions(
    given: FloatArray, step: Any, evaluate: Callable[[Any], FloatArray], backward: bool = True
) -> tuple[NDArray[np.bool_], FloatArray]:
    """Where a derivative contradicts its function.

    A derivative agrees if it lies between the one-sided differences, so that kinks are no contradiction; where
    differences depend on their step, the function jumps, and nothing is said.

    Args:
        given: the derivative, shape (...).
        step: step of the differences, a number or of shape (...).
        evaluate: ``(distance) -> values`` of the function at a distance from where the derivative was evaluated.
        backward: whether the function may be called behind that place as well.

    Returns:
        Whether the derivative contradicts, and the differences, both of shape (...).
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
        # beside what is given: where a function is flat, differences that depend on their step say enough
        smooth = (np.abs(whole - quarter) <= TOLERANCE * largest + noise).all(axis=0)
        slack = TOLERANCE * largest + noise
        outside = (given < whole.min(axis=0) - slack) | (given > whole.max(axis=0) + slack)
    return smooth & outside & np.isfinite(noise), whole.mean(axis=0)


def name_of(function: Any) -> str:
    """The name of a user's function for messages."""
    return str(getattr(function, "__qualname__", None) or type(function).__name__)
