"""Derivatives of Σ w y with respect to a state and to parameters. The numbers w are weights of the results y of the
state.

Most parameters change results only through the state. To check this for a given state, a few models are created. In
each of them the values of many of these parameters are changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.solvers.sensitivities.companion import MOTION, Companion
from windlass.solvers.sensitivities.equilibrium import read_results
from windlass.solvers.sensitivities.motion import CompanionPair
from windlass.solvers.sensitivities.parameter_models import ParameterModels
from windlass.solvers.sensitivities.state_slopes import StateSlopes

NAMES = (*MOTION, "data")
"""Arrays of a state on which results may depend."""


class ResultSlopes:
    """Derivatives of Σ w y. The numbers w are weights of the results y of a state.

    Args:
        companion: the model, whose state is perturbed and restored.
        models: the companion models of the parameters.
        varies: whether each history value changes continuously, shape (d,).
    """

    def __init__(self, companion: Companion, models: ParameterModels, varies: BoolArray) -> None:
        self._companion, self._models = companion, models
        self._of_state = StateSlopes(companion.results, companion.state, NAMES, {"data": varies})
        # the parameters that change results directly, and companion models with changed values of all other parameters
        self._direct = set[str]()
        self._others = self._find_others()

    def _find_others(self) -> list[Companion]:
        """Return companion models with changed values of all parameters that do not change results directly. Each of
        these parameters is changed in one of the models.
        """
        found, rest = list[Companion](), list[str]()
        for group in self._models.groups:
            if group.is_shared and self._direct.isdisjoint(group.names):
                found.append(group.pair.above)
            else:
                rest += [name for name in group.names if name not in self._direct]
        return [*found, self._models.create_changed(rest)] if rest else found

    def find(self, weights: Mapping[str, float]) -> tuple[dict[str, FloatArray], dict[str, float]]:
        """Return the derivatives of Σ w y at the present state with respect to the arrays of the state, and with
        respect to the parameters. Here w are the ``weights``, by name of the result.
        """
        found = self._of_state.find(weights)
        centre = read_results(self._companion.results, self._companion.state, None)
        gradient = dict[str, float]()
        if any(self._read(other) != centre for other in self._others):
            ones = dict.fromkeys(centre, 1.0)
            for group in self._models.groups:
                if group.is_shared and not self._find_direct(group.pair, ones, singly=True):
                    continue
                for name in group.names:
                    if self._find_direct(self._models.find_pair(name), ones, singly=True):
                        self._direct.add(name)
            self._others = self._find_others()
        for name in self._direct:
            gradient[name] = self._find_direct(self._models.find_pair(name), weights)
        return found, gradient

    def _read(self, companion: Companion) -> dict[str, float]:
        """Copy the present state to another companion model, and return the results of this model."""
        state, to = self._companion.state, companion.state
        for name in NAMES:
            getattr(to, name)[:] = getattr(state, name)
        to.start_data[:] = state.data
        to.t = state.t
        return read_results(companion.results, to, None)

    def _find_direct(self, pair: CompanionPair, weights: Mapping[str, float], singly: bool = False) -> float:
        """Return the derivative of Σ w y with respect to the parameter of a pair at the present state. If ``singly`` is
        true, return the sum of the absolute values of the derivatives of all products w y.
        """
        ends = self._read(pair.above), self._read(pair.below)
        slopes = [weights.get(key, 0.0) * (ends[0][key] - ends[1][key]) / (2.0 * pair.h) for key in ends[0]]
        return sum(map(abs, slopes)) if singly else sum(slopes)
