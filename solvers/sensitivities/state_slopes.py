"""Derivatives of Σ w y with respect to the values of a state. The numbers w are weights of the results y of the state.

A result usually depends on few values of the state. At the first evaluation, these values are found by perturbations of
groups of values. Later, all values on which no result has depended so far are perturbed together. If a result then
changes, the search is repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.state.state import State
from windlass.solvers.sensitivities.equilibrium import Results, read_results

SHARE = 1e-6
"""Perturbation [1] of a value, relative to the largest value of the array."""
LARGER = 1e3
"""Ratio [1] of the larger to the smaller perturbation in the search for the values on which results depend."""


class StateSlopes:
    """Derivatives of Σ w y with respect to a state. The numbers w are weights of the results y.

    Args:
        results: function that computes the results of a state.
        state: the state, which is perturbed and restored.
        names: names of the arrays of the state.
        varies: for each array by name, whether each value is perturbed, in the shape of the array. By default all
            values are perturbed.
    """

    def __init__(
        self, results: Results, state: State, names: Sequence[str], varies: Mapping[str, BoolArray] | None = None
    ) -> None:
        self._results, self._state = results, state
        given = varies or {}
        self._varies = {name: given.get(name, np.ones(len(getattr(state, name)), bool)) for name in names}
        self._used: dict[str, IntArray] = {name: np.zeros(0, np.int64) for name in names}

    def find(self, weights: Mapping[str, float]) -> dict[str, FloatArray]:
        """Return the derivatives of Σ w y at the present state with respect to each array of the state, by name of the
        array. Here w are the ``weights``, by name of the result.
        """
        found, factors = dict[str, FloatArray](), np.array(list(weights.values()))
        for name, (used, slopes) in self.find_each(list(weights)).items():
            found[name] = np.zeros_like(getattr(self._state, name))
            found[name][used] = slopes @ factors
        return found

    def find_each(self, results: Sequence[str]) -> dict[str, tuple[IntArray, FloatArray]]:
        """Return the derivatives of several results at the present state. Keys are the names of the arrays of the
        state. Each value consists of the indices of the elements on which results depend, shape (k,), and of the
        derivatives with respect to these elements, shape (k, results). All results are evaluated together.
        """
        centre = read_results(self._results, self._state, None)
        if self._is_incomplete(centre):
            self._find_used(centre)
        found = dict[str, tuple[IntArray, FloatArray]]()
        for name, used in self._used.items():
            array, slopes = getattr(self._state, name), np.zeros((len(used), len(results)))
            kept, h = array.copy(), self._choose_step(name)
            for number, k in enumerate(used.tolist()):
                for side in (1.0, -1.0):
                    array[k] = kept[k] + side * h
                    values = read_results(self._results, self._state, None)
                    slopes[number] += [side * values[result] for result in results]
                array[k] = kept[k]
            found[name] = used, slopes / (2.0 * h)
        return found

    def _choose_step(self, name: str) -> float:
        largest = float(np.abs(getattr(self._state, name)).max(initial=0.0))
        return SHARE * (largest or 1.0)

    def _is_incomplete(self, centre: Mapping[str, float]) -> bool:
        """Return whether results change if all values on which no result has depended so far are perturbed."""
        state = self._state
        kept = {name: getattr(state, name).copy() for name in self._used}
        random = np.random.default_rng(0)
        for name, used in self._used.items():
            array = getattr(state, name)
            change = self._choose_step(name) * random.uniform(0.5, 1.0, len(array))
            change[used] = 0.0
            array += np.where(self._varies[name], change, 0.0)
        found = read_results(self._results, state, None)
        for name, values in kept.items():
            getattr(state, name)[:] = values
        return found != centre

    def _find_used(self, centre: Mapping[str, float]) -> None:
        """Find the values of the state on which results depend. Groups of values are perturbed. If a group changes a
        result, the group is divided.
        """
        random = np.random.default_rng(1)
        for name, known in list(self._used.items()):
            array = getattr(self._state, name)
            found, groups = list(known), [np.setdiff1d(np.flatnonzero(self._varies[name]), known)]
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
        """Return whether random changes of the values of a group, of the size h or `LARGER` h, change a result."""
        kept, found = array[group].copy(), False
        for size in (h, LARGER * h):
            array[group] = kept + size * random.uniform(0.5, 1.0, len(group))
            found = found or read_results(self._results, self._state, None) != centre
        array[group] = kept
        return found
