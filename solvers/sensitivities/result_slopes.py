"""Derivatives of Σ w y with respect to a state and to parameters, where w are weights of the results y of the state.

Most parameters change results only through the state. A single model in which all of these parameters are changed shows
that the results at a given state do not depend on these parameters.
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
    """Derivatives of Σ w y, where w are weights of the results y of a state.

    Args:
        companion: the model, whose state is perturbed and restored.
        models: the companion models of the parameters.
        varies: whether each history value changes continuously, shape (d,).
    """

    def __init__(self, companion: Companion, models: ParameterModels, varies: BoolArray) -> None:
        self._companion, self._models = companion, models
        self._of_state = StateSlopes(companion.results, companion.state, NAMES, {"data": varies})
        # parameters that change results directly, and the companion model in which all other parameters are changed
        self._direct, self._others = set[str](), models.create_changed(list(models.steps))

    def find(self, weights: Mapping[str, float]) -> tuple[dict[str, FloatArray], dict[str, float]]:
        """Return the derivatives of Σ w y at the present state with respect to the arrays of the state, and with
        respect to the parameters. Here w are the ``weights``, by name of the result.
        """
        found = self._of_state.find(weights)
        centre = read_results(self._companion.results, self._companion.state, None)
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
        """Return the derivative of Σ w y with respect to the parameter of a pair at the present state. If ``singly``,
        return the sum of the absolute values of the derivatives of all w y."""
        ends = []
        for side in (pair.above, pair.below):
            self._copy_state(side)
            ends.append(read_results(side.results, side.state, None))
        slopes = [weights.get(key, 0.0) * (ends[0][key] - ends[1][key]) / (2.0 * pair.h) for key in ends[0]]
        return sum(map(abs, slopes)) if singly else sum(slopes)
