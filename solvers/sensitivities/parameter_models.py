"""Companion models of many parameters.

Two companion models, with the parameters p + h and p - h, are needed for the derivatives with respect to a parameter.
Parameters that change rows without common coordinates share these two models, in which all of them are changed: each
coordinate of the changed rows belongs to one of the parameters (A. R. Curtis, M. J. D. Powell, J. K. Reid, IMA Journal
of Applied Mathematics 13 (1974) 117-119). The tables of models with changed parameters show which rows each parameter
changes.

Parameters share models only if they change forces and masses, but no positions, constraints, initial values or laws
with history values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from windlass.framework.arrays import BoolArray, IntArray
from windlass.framework.command_line.options import quietly
from windlass.framework.model.schema import Component
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.sensitivities.companion import Companion, Model, create_companion
from windlass.solvers.sensitivities.compared_worlds import ChangedRows, add_references, exerts_only_forces, find_rows
from windlass.solvers.sensitivities.evaluate import call_model, create_model, require_equal
from windlass.solvers.sensitivities.motion import CompanionPair

FEWEST = 3
"""Least number of parameters for which common models are sought."""


@dataclass
class ParameterGroup:
    """Parameters that share two companion models.

    Attributes:
        names: names of the parameters.
        pair: the companion models. With several parameters, the step of the pair is 1, and its differences are half the
            differences between the models.
        of_dof: index of the parameter to which each coordinate belongs, 0 if it belongs to none, shape (n + 1,).
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
        steps: the argument ``h``.

    Raises:
        ModelError: the number of rows of a table changes with a parameter.
    """

    def __init__(
        self, model: Model, p: Mapping[str, float], h: Mapping[str, float], solver: Dynamic, centre: Companion
    ) -> None:
        self._model, self._p, self.steps, self._solver, self._centre = model, p, h, solver, centre
        self._pairs = dict[str, CompanionPair]()
        self.groups = list[ParameterGroup]()
        nowhere = np.zeros(centre.assembly.layout.spare + 1, np.int64)
        with quietly():
            found = self._find_groups() if len(p) >= FEWEST else [([name], nowhere) for name in p]
        for names, of_dof in found:
            pair = self._create_pair(names) if len(names) > 1 else self.find_pair(names[0])
            self._prepare(pair)
            if len(names) > 1 and any(pair.slopes[name].any() for name in ("q", "v", "data")):
                # the start depends on these parameters
                for name in names:
                    self._prepare(self.find_pair(name))
                    self.groups.append(ParameterGroup([name], self.find_pair(name), nowhere))
                continue
            self.groups.append(ParameterGroup(names, pair, of_dof))

    def find_pair(self, name: str) -> CompanionPair:
        """Return the companion models in which only one parameter is changed, created on first use."""
        if name not in self._pairs:
            self._pairs[name] = self._create_pair([name])
        return self._pairs[name]

    def create_changed(self, names: Sequence[str]) -> Companion:
        """Return a companion model in which several parameters are changed, at its initial values, to evaluate
        results."""
        with quietly():
            world, results, *_ = create_model(self._model, self._change(names, 1.0), moves=True)
            return Companion(world, results, self._solver, State(world))

    def _change(self, names: Sequence[str], side: float) -> dict[str, float]:
        return {**self._p, **{name: self._p[name] + side * self.steps[name] for name in names}}

    def _create_pair(self, names: Sequence[str]) -> CompanionPair:
        with quietly():
            above, below = (
                create_companion(self._model, self._change(names, side), self._solver) for side in (1.0, -1.0)
            )
        for companion in (above, below):
            require_equal(self._centre.world, companion.world, " and ".join(names))
        return CompanionPair(above, below, self.steps[names[0]] if len(names) == 1 else 1.0)

    def _prepare(self, pair: CompanionPair) -> None:
        pair.prepare(self._centre.state, self._solver.sizes.nominal, self._solver.decides)

    def _find_groups(self) -> list[tuple[list[str], IntArray]]:
        """Return the names of the parameters of each group, and the index of the parameter to which each coordinate
        belongs, shape (n + 1,)."""
        count = self._centre.assembly.layout.spare + 1
        alone, groups = list[str](), list[tuple[list[str], IntArray]]()
        world, _, *start = call_model(self._model, self._p, moves=True)
        shares = not start and not any(constraint.rubs for constraint in self._centre.assembly.constraints)
        rows = self._find_rows(world) if shares else dict.fromkeys(self._p)
        for name, changed in rows.items():
            own = None if changed is None else self._find_dofs(world, changed)
            if own is None:
                alone.append(name)
                continue
            free = (group for group in groups if not (own & (group[1] >= 0)).any())
            names, of_dof = next(free, (list[str](), np.full(count, -1)))
            if not names:
                groups.append((names, of_dof))
            of_dof[own] = len(names)
            names.append(name)
        nowhere = np.zeros(count, np.int64)
        return [(names, np.maximum(of_dof, 0)) for names, of_dof in groups] + [([name], nowhere) for name in alone]

    def _find_rows(self, world: World) -> dict[str, ChangedRows | None]:
        """Return the rows that each parameter changes, or None for parameters that change more than forces and masses;
        ``world`` is the model with the values of all parameters, which is not finalized.

        If each row depends on one parameter only, few models are sufficient: for each binary digit of the numbers of
        the parameters, all parameters with the digit 1, or all with the digit 0, are changed together. The digits with
        which a row changes are the number of its parameter.
        """
        names = list(self._p)
        digits = (len(names) - 1).bit_length()
        numbers, changed = dict[type[Component], IntArray](), ChangedRows()
        for digit in range(digits) if 2 * digits < len(names) else ():
            parts = [[name for k, name in enumerate(names) if k >> digit & 1 == value] for value in (0, 1)]
            low, high = (self._compare(world, part) for part in parts)
            if low is None or high is None:
                break
            either = {component: low[component] | high[component] for component in low}
            changed = changed or either
            if any((low[c] & high[c]).any() or (either[c] != changed[c]).any() for c in low):
                break
            for component, rows in high.items():
                numbers[component] = numbers.get(component, 0) + (rows.astype(np.int64) << digit)
        else:
            if numbers:
                return {
                    name: {component: changed[component] & (numbers[component] == k) for component in changed}
                    for k, name in enumerate(names)
                }
        return {name: self._compare(world, [name]) for name in names}

    def _compare(self, world: World, names: Sequence[str]) -> ChangedRows | None:
        """Return the rows that change with parameters; see `find_rows`."""
        other, _, *_ = call_model(self._model, self._change(names, 1.0), moves=True)
        require_equal(world, other, " and ".join(names))
        return find_rows(world, other)

    def _find_dofs(self, world: World, rows: ChangedRows) -> BoolArray | None:
        """Return whether each coordinate belongs to changed rows, or to rows that refer to changed rows, shape (n +
        1,), or None if these rows affect more than forces and masses."""
        layout, every = self._centre.assembly.layout, add_references(world, rows)
        found = np.zeros(layout.spare + 1, np.bool_)
        for component, changed in every.items():
            if not changed.any():
                continue
            if not exerts_only_forces(component):
                return None
            system = layout.systems.get(component)
            if system is None:
                continue
            if system.neighbours is not None or system.inertia is not None:
                return None
            found[system.dofs[changed[layout.rows[component]]]] = True
        found[-1] = False
        return found
