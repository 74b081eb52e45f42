"""The adjoint of projections onto constraints at the ends of steps.

A projection changes the motion in the directions of constraints. Its derivatives are differences between projections of
perturbed motions; most coordinates do not affect the projection.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.solvers.sensitivities.companion import MOTION, Companion, RepeatedStep
from windlass.solvers.sensitivities.motion import CompanionPair
from windlass.solvers.sensitivities.parameter_models import ParameterModels
from windlass.solvers.sensitivities.recorded_motion import set_state
from windlass.solvers.sensitivities.turning import ROTATED

StateFactors = dict[str, FloatArray]
"""Derivatives of the objective with respect to the arrays of a state, by name of the array."""
PROJECTION_STEP = 1e-6
"""Perturbation of the motion for derivatives of projections, relative to the largest value [1]."""
INSIGNIFICANT = 1e-10
"""Derivative of a projection, relative to the largest factor, up to which it is 0 within rounding errors [1]."""
UNCHANGED = 1e-11
"""Difference between the weighted projections of two companion models, relative to the sum of the absolute terms, up to
which their parameters do not affect the projection [1].
"""


class ProjectionTerms:
    """Factors of the states before projections.

    Args:
        centre: the model with the parameters of the motion.
        models: the companion models of the parameters.
    """

    def __init__(self, centre: Companion, models: ParameterModels) -> None:
        self._centre, self._models = centre, models
        coupled = [system.dofs.ravel() for system in centre.assembly.systems if system.constraint is not None]
        own = np.unique(np.concatenate([np.zeros(0, np.int64), *coupled]))
        self._constrained: IntArray = own[own < centre.assembly.layout.spare]

    def pass_back(
        self,
        factors: StateFactors,
        gradient: dict[str, float],
        start: Mapping[str, FloatArray],
        t: float,
        step: RepeatedStep,
    ) -> StateFactors:
        """Return the factors of the state before the projection of the end of a step, which is the state of the model,
        and add the derivatives with respect to the parameters to ``gradient``.

        Args:
            factors: factors of the state after the projection.
            gradient: the sums.
            start, t: arrays of the state at the start of the step, and its time [s].
            step: the repeated step.
        """
        centre, h = self._centre, step.h
        before = {name: getattr(centre.state, name).copy() for name in MOTION}
        found = dict(factors)

        def weigh(companion: Companion, changed: Mapping[str, FloatArray]) -> tuple[float, float]:
            """Return the weighted projection of a motion, and the sum of its absolute terms."""
            state = companion.state
            for name in MOTION:
                getattr(state, name)[:] = changed[name]
            state.t = centre.state.t
            companion.project(h)
            terms = [factors[name] * (getattr(state, name) - changed[name]) for name in MOTION]
            return sum(float(part.sum()) for part in terms), sum(float(np.abs(part).sum()) for part in terms)

        def compare(pair: CompanionPair) -> tuple[float, bool]:
            """Return the derivative with respect to the parameter of a pair, and whether it exceeds rounding errors."""
            ends = []
            for side in (pair.above, pair.below):
                set_state(side, start, t)
                side.begin_step(h, step.then)
                ends.append(weigh(side, before))
            change = ends[0][0] - ends[1][0]
            return change / (2.0 * pair.h), abs(change) > UNCHANGED * ends[0][1]

        # random numbers, because equal changes of all coordinates may have no effect
        shares = np.random.default_rng(0).uniform(0.5, 1.0, len(factors["q"]))

        def differentiate(name: str, dofs: IntArray) -> float:
            """Return the derivative for changes of the given entries of an array, in the ratios ``shares``."""
            size, ends = PROJECTION_STEP * (float(np.abs(before[name]).max(initial=0.0)) or 1.0), []
            for side in (1.0, -1.0):
                moved = {**before, name: before[name].copy()}
                moved[name][dofs] += side * size * shares[dofs]
                ends.append(weigh(centre, moved)[0])
            return (ends[0] - ends[1]) / (2.0 * size)

        for name in ROTATED:
            change = np.zeros_like(factors[name])
            for dof in self._constrained:
                change[dof] = differentiate(name, np.array([dof])) / shares[dof]
            # groups of other coordinates; only groups that change the projection are divided
            parts = [np.setdiff1d(np.arange(len(change)), self._constrained)]
            least = INSIGNIFICANT * float(np.abs(factors[name]).max(initial=0.0))
            while parts:
                part = parts.pop()
                if not len(part):
                    continue
                slope = differentiate(name, part)
                if len(part) == 1:
                    change[part] = slope / shares[part]
                elif abs(slope) > least:
                    parts += [part[: len(part) // 2], part[len(part) // 2 :]]
            found[name] = factors[name] + change
        for group in self._models.groups:
            slope, matters = compare(group.pair)
            if not group.is_shared:
                gradient[group.names[0]] += slope
            elif matters:
                for name in group.names:
                    gradient[name] += compare(self._models.find_pair(name))[0]
        for name in MOTION:
            getattr(centre.state, name)[:] = before[name]
        return found
