"""Derivatives of weighted results of a state with respect to the state and to parameters.

A result usually depends on few values of the state. These values are found by perturbing each value once at the start,
and again whenever a perturbation of all other values changes a result. Most parameters change results only through the
state. They are recognised by one model in which all of these parameters are changed together.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.solvers.sensitivities.companion import MOTION, Companion
from windlass.solvers.sensitivities.evaluate import read_results
from windlass.solvers.sensitivities.motion import CompanionPair
from windlass.solvers.sensitivities.parameter_models import ParameterModels

SHARE = 1e-6
"""Perturbation of a value, relative to the largest value of the array [1]."""
LARGER = 1e3
"""Ratio of the larger to the smaller perturbation with which dependences of results are sought [1]."""
NAMES = (*MOTION, "data")


class ResultSlopes:
    """Derivatives of weighted results.

    Args:
        companion: the model; its state is perturbed and restored.
        models: the companion models of the parameters.
        varies: whether each history value changes continuously, shape (d,).
    """

    def __init__(self, companion: Companion, models: ParameterModels, varies: BoolArray) -> None:
        self._companion, self._models, self._varies = companion, models, varies
        # parameters that change results directly, and the model in which all others are changed
        self._direct, self._others = set[str](), models.create_changed(list(models.steps))
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
        self._copy_state(self._others)
        if read_results(self._others.results, self._others.state, None) != centre:
            ones = dict.fromkeys(centre, 1.0)
            for group in self._models.groups:
                if group.is_shared and not self._find_direct(group.pair, ones, singly=True):
                    continue
                for name in group.names:
                    if self._find_direct(self._models.find_pair(name), ones, singly=True):
                        self._direct.add(name)
            self._others = self._models.create_changed([q for q in self._models.steps if q not in self._direct])
        for name in self._direct:
            gradient[name] = self._find_direct(self._models.find_pair(name), weights)
        return found, gradient

    def _copy_state(self, companion: Companion) -> None:
        state, to = self._companion.state, companion.state
        for name in NAMES:
            getattr(to, name)[:] = getattr(state, name)
        to.start_data[:] = state.data
        to.t = state.t

    def _find_direct(self, pair: CompanionPair, weights: Mapping[str, float], singly: bool = False) -> float:
        """Return the derivative of Σ weights · results with respect to the parameter of a pair at the present state; if
        ``singly``, return the sum of the absolute derivatives of the results."""
        ends = []
        for side in (pair.above, pair.below):
            self._copy_state(side)
            ends.append(read_results(side.results, side.state, None))
        slopes = [weights.get(key, 0.0) * (ends[0][key] - ends[1][key]) / (2.0 * pair.h) for key in ends[0]]
        return sum(map(abs, slopes)) if singly else sum(slopes)

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
        """Find the values of the state on which results depend. Groups of values are perturbed; only groups that change
        a result are divided.
        """
        state, random = self._companion.state, np.random.default_rng(1)
        for name in NAMES:
            array, known = getattr(state, name), self._used[name]
            every = np.arange(len(array)) if name != "data" else np.flatnonzero(self._varies)
            found, groups = list(known), [np.setdiff1d(every, known)]
            while groups:
                group = groups.pop()
                if not len(group) or not self._changes(array, group, self._choose_step(name), random, centre):
                    continue
                if len(group) == 1:
                    found.append(group[0])
                else:
                    groups += [group[: len(group) // 2], group[len(group) // 2 :]]
            self._used[name] = np.array(sorted(found), np.int64)

    def _changes(
        self, array: FloatArray, group: IntArray, h: float, random: np.random.Generator, centre: Mapping[str, float]
    ) -> bool:
        """Return whether small or larger random changes of values change a result."""
        kept, found = array[group].copy(), False
        for size in (h, LARGER * h):
            array[group] = kept + size * random.uniform(0.5, 1.0, len(group))
            found = found or read_results(self._companion.results, self._companion.state, None) != centre
        array[group] = kept
        return found
