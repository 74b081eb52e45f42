"""Companion models of many parameters.

For the derivatives with respect to a parameter, two companion models with the parameters p + h and p - h are needed.
Parameters that change rows without common coordinates share these two models (parameter_groups.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.command_line.options import quietly
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.sensitivities.companion import Companion, Model, create_companion
from windlass.solvers.sensitivities.equilibrium import create_model, require_equal
from windlass.solvers.sensitivities.motion import CompanionPair
from windlass.solvers.sensitivities.parameter_groups import change, find_groups, spread_steps


@dataclass
class ParameterGroup:
    """Parameters that share two companion models.

    Attributes:
        names: names of the parameters.
        pair: the companion models. If the group has several parameters, the step of the pair is 1. Central differences
            of the pair are then half the differences between both models.
        of_dof: for each coordinate, the index in ``names`` of the parameter that changes forces on the coordinate, or 0
            if no parameter changes these forces, shape (n + 1,).
    """

    names: list[str]
    pair: CompanionPair
    of_dof: IntArray

    @property
    def is_shared(self) -> bool:
        """Whether the group has several parameters."""
        return len(self.names) > 1


class ParameterModels:
    """The companion models of all parameters at the start of a motion.

    Args:
        model, p, h: function that builds the model, values of the parameters, and steps of the central differences.
        solver: the solver of the motion.
        centre: the companion model with the parameters p, at the start of the motion.

    Attributes:
        groups: the groups of parameters.
        steps: steps of the central differences by name of the parameter, see `spread_steps`.

    Raises:
        ModelError: the number of rows of a table changes with a parameter.
    """

    def __init__(
        self, model: Model, p: Mapping[str, float], h: Mapping[str, float], solver: Dynamic, centre: Companion
    ) -> None:
        self._model, self._p, self._solver, self._centre = model, p, solver, centre
        self.steps = spread_steps(p, h)
        self._pairs = dict[str, CompanionPair]()
        self.groups = list[ParameterGroup]()
        nowhere = np.zeros(centre.assembly.layout.spare + 1, np.int64)
        with quietly():
            found = find_groups(model, p, self.steps, centre.assembly)
        for names, of_dof in found:
            pair = self._create_pair(names) if len(names) > 1 else self.find_pair(names[0])
            self._prepare(pair)
            if len(names) > 1 and any(pair.slopes[name].any() for name in ("q", "v", "data")):
                # the state at the start depends on parameters of the group, so each parameter needs its own pair of
                # models
                for name in names:
                    self._prepare(self.find_pair(name))
                    self.groups.append(ParameterGroup([name], self.find_pair(name), nowhere))
                continue
            self.groups.append(ParameterGroup(names, pair, of_dof))

    def find_pair(self, name: str) -> CompanionPair:
        """Return the companion models in which only one parameter is changed. The models are created on first use."""
        if name not in self._pairs:
            self._pairs[name] = self._create_pair([name])
        return self._pairs[name]

    def create_changed(self, names: Sequence[str]) -> Companion:
        """Return a companion model with changed values of several parameters. The state of this model has the initial
        values. The model is used to evaluate results.
        """
        with quietly():
            world, results, *_ = create_model(self._model, self._change(names, 1.0), moves=True)
            return Companion(world, results, self._solver, State(world), self._centre.problem.storage)

    def _change(self, names: Sequence[str], side: float) -> dict[str, float]:
        return change(self._p, self.steps, names, side)

    def _create_pair(self, names: Sequence[str]) -> CompanionPair:
        with quietly():
            above, below = (
                create_companion(self._model, self._change(names, side), self._solver, self._centre.problem.storage)
                for side in (1.0, -1.0)
            )
        for companion in (above, below):
            require_equal(self._centre.world, companion.world, " and ".join(names))
        return CompanionPair(above, below, self.steps[names[0]] if len(names) == 1 else 1.0)

    def _prepare(self, pair: CompanionPair) -> None:
        pair.prepare(self._centre.state, self._solver.sizes.nominal, self._solver.decides)
