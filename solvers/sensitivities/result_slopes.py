"""Derivatives of weighted results of a state with respect to the state and to parameters.

A result usually depends on few values of the state. These values are found by perturbing each value once at the start,
and again whenever a perturbation of all other values changes a result.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.solvers.sensitivities.companion import MOTION, Companion
from windlass.solvers.sensitivities.evaluate import read_results
from windlass.solvers.sensitivities.motion import CompanionPair

SHARE = 1e-6
"""Perturbation of a value, relative to the largest value of the array [1]."""
NAMES = (*MOTION, "data")


class ResultSlopes:
    """Derivatives of weighted results.

    Args:
        companion: the model; its state is perturbed and restored.
        pairs: the companion models of each parameter.
        varies: whether each history value changes continuously, shape (d,).
    """

    def __init__(self, companion: Companion, pairs: Mapping[str, CompanionPair], varies: BoolArray) -> None:
        self._companion, self._pairs, self._varies = companion, pairs, varies
        self._used: dict[str, IntArray] = {name: np.zeros(0, np.int64) for name in NAMES}

    def find(self, weights: Mapping[str, float]) -> tuple[dict[str, FloatArray], dict[str, float]]:
        """Return the derivatives of Σ weights · results at the present state with respect to the arrays of the state,
        and with respect to the parameters.
        """
        state = self._companion.state
        centre = read_results(self._companion.results, state, None)
        if self._is_incomplete(centre):
            self._find_used(centre)
        found = dict[str, FloatArray]()
        for name in NAMES:
            array = getattr(state, name)
            slope, kept = np.zeros_like(array), array.copy()
            h = self._choose_step(name)
            for k in self._used[name].tolist():
                ends = []
                for side in (1.0, -1.0):
                    array[k] = kept[k] + side * h
                    ends.append(self._weigh(self._companion, weights))
                array[k] = kept[k]
                slope[k] = (ends[0] - ends[1]) / (2.0 * h)
            found[name] = slope
        gradient = dict[str, float]()
        for name, pair in self._pairs.items():
            ends = []
            for side in (pair.above, pair.below):
                for which in NAMES:
                    getattr(side.state, which)[:] = getattr(state, which)
                side.state.start_data[:] = state.data
                side.state.t = state.t
                ends.append(self._weigh(side, weights))
            gradient[name] = (ends[0] - ends[1]) / (2.0 * pair.h)
        return found, gradient

    def _weigh(self, companion: Companion, weights: Mapping[str, float]) -> float:
        values = read_results(companion.results, companion.state, None)
        return sum(weight * values[name] for name, weight in weights.items())

    def _choose_step(self, name: str) -> float:
        largest = float(np.abs(getattr(self._companion.state, name)).max(initial=0.0))
        return SHARE * (largest or 1.0)

    def _is_incomplete(self, centre: Mapping[str, float]) -> bool:
        """Return whether results change if all values that they have not used so far are perturbed."""
        state = self._companion.state
        kept = {name: getattr(state, name).copy() for name in NAMES}
        random = np.random.default_rng(0)
        for name in NAMES:
            array = getattr(state, name)
            change = self._choose_step(name) * random.uniform(0.5, 1.0, len(array))
            change[self._used[name]] = 0.0
            array += np.where(self._varies, change, 0.0) if name == "data" else change
        found = read_results(self._companion.results, state, None)
        for name, values in kept.items():
            getattr(state, name)[:] = values
        return found != centre

    def _find_used(self, centre: Mapping[str, float]) -> None:
        """Find the values of the state on which results depend."""
        state = self._companion.state
        for name in NAMES:
            array, found = getattr(state, name), set(self._used[name].tolist())
            h = self._choose_step(name)
            for k in range(len(array)):
                if k in found or (name == "data" and not self._varies[k]):
                    continue
                kept = array[k]
                for size in (h, 1e3 * h):
                    array[k] = kept + size
                    if read_results(self._companion.results, state, None) != centre:
                        found.add(k)
                array[k] = kept
            self._used[name] = np.array(sorted(found), np.int64)
