"""Derivatives of the state of an equilibrium with respect to parameters.

The derivatives of the coordinates, multipliers and history values are found by iteration with the tangent at constant
history values, see equilibrium.py. The iteration is accelerated (see anderson.py), because in coarse meshes of belts
each iteration alone reduces the error by at most 40 %.

Contact states are constant. If a contact changes its state within the step h of the central differences, a smaller step
is used. Sometimes a contact changes its state within the smallest step for only one sign of the change. The derivatives
of its history values are then computed with the other sign. If a contact changes its state for both signs, an error is
raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.assembly.assembly import serial_assembly
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.modes.matrices import LinearMotion
from windlass.solvers.sensitivities.anderson import Anderson
from windlass.solvers.sensitivities.equilibrium import (
    NOTE,
    ChangedModel,
    Model,
    Results,
    SolvedModel,
    add_changes,
    create_model,
    eval_residual,
    require_equal,
    solve_equilibrium,
    transplant,
)
from windlass.solvers.sensitivities.static_history import StaticHistory

Residual = tuple[FloatArray, FloatArray]
"""Type of residuals: forces, shape (n,), and gaps of constraints, shape (m,)."""
ITERATIONS = 40
"""Largest number of solves for the derivatives of an equilibrium with respect to a parameter."""
ACCURATE = 1e-9
"""Relative change [1] of a derivative in an iteration. If the change is below this value, the iteration ends."""
STALLED = 0.5
"""Ratio [1] of the changes of a derivative in two successive iterations. If the ratio is above this value, the
iteration does not progress.
"""
STALLS = 3
"""Number of iterations without progress. After this number of iterations, changes that are smaller than `NEAR` are
treated as rounding errors.
"""
NEAR = 1e-6
"""Largest relative change [1] of a derivative that is treated as a rounding error."""
KINK = 1e-3
"""Difference [1] between forward and backward difference, relative to the largest derivative. If the difference is
above this value, a contact is assumed to change its state.
"""
SHARES = 1.0, 0.1, 0.01
"""Steps [1] of the differences, relative to the first step. The next step is used as long as contacts change their
states.
"""


class Equilibrium(NamedTuple):
    """An equilibrium of a model, with the tangent and the derivatives of the equilibrium with respect to parameters.

    Attributes:
        world, results, state: the model with the given parameters, the function that computes its results, and its
            equilibrium.
        motion: linear equations of motion (tangent and mass matrix) at the equilibrium.
        slopes: dq/dp by name of the parameter, shape (n,) each. For first-order states, the derivatives of the states.
        multiplier_slopes: dλ/dp by name of the parameter, shape (m,) each.
        history_slopes: derivatives of history values of contacts by name of the parameter, shape (d,) each.
        steps: step h of the central differences by name of the parameter.
    """

    world: World
    results: Results
    state: State
    motion: LinearMotion
    slopes: dict[str, FloatArray]
    multiplier_slopes: dict[str, FloatArray]
    history_slopes: dict[str, FloatArray]
    steps: dict[str, float]

    def move(self, model: Model, p: Mapping[str, float], name: str, side: float) -> tuple[World, Results, State]:
        """Return the model with one parameter changed to p + side h, the function that computes its results, and a
        first-order approximation of its equilibrium.
        """
        h = side * self.steps[name]
        world, results = create_model(model, {**p, name: p[name] + h})
        require_equal(self.world, world, name)
        state = transplant(self.state, world)
        add_changes(state, self.state, h * self.slopes[name], h * self.multiplier_slopes[name])
        state.data += h * self.history_slopes[name]
        state.start_data[:] = state.data
        return world, results, state


def find_equilibrium(
    model: Model, p: Mapping[str, float], solve: Callable[[World], State] | None, steps: Mapping[str, float] | None
) -> Equilibrium:
    """Return the equilibrium of a model with the derivatives of its state. The arguments are explained in `evaluate`.

    Raises:
        ModelError: the model or its parameters are wrong, see `evaluate`.
    """
    return differentiate(solve_equilibrium(model, p, solve, steps), model, p)


def differentiate(found: SolvedModel, model: Model, p: Mapping[str, float]) -> Equilibrium:
    """Return a solved equilibrium with the derivatives of its state.

    Raises:
        ModelError: see `evaluate`.
    """
    parts: tuple[dict[str, FloatArray], ...] = {}, {}, {}
    for name in p:
        for part, slope in zip(parts, find_state_slopes(found, model, p, name), strict=True):
            part[name] = slope
    dofs, multipliers, history = parts
    return Equilibrium(found.world, found.results, found.state, found.motion, dofs, multipliers, history, found.steps)


class EquilibriumSlopes(NamedTuple):
    """Derivatives of the state of an equilibrium with respect to a parameter.

    Attributes:
        dofs, multipliers, history: derivatives of the coordinates, multipliers and history values, shapes (n,), (m,)
            and (d,). For first-order states, ``dofs`` contains the derivatives of the states.
        error: relative change [1] of the derivatives of the coordinates in the last iteration.
        kink: difference [1] between forward and backward difference, relative to the largest derivative of a
            coordinate; 0 if only one of these differences is used.
        above, below: for each history value, whether a contact state in its row changes if the parameter increases or
            decreases by the step, shape (d,) each.
        turned: for each history value, for example a gap, whether its sign for the parameter p + h differs from its
            sign for p - h, shape (d,).
    """

    dofs: FloatArray
    multipliers: FloatArray
    history: FloatArray
    error: float
    kink: float
    above: BoolArray
    below: BoolArray
    turned: BoolArray

    @property
    def converged(self) -> bool:
        """Whether the iteration has converged, and each contact keeps its states for at least one sign of the step."""
        return self.error <= NEAR and not (self.above & self.below).any()

    @property
    def switches(self) -> bool:
        """Whether a contact changes its state for at least one sign of the step."""
        return bool((self.above | self.below).any())

    @property
    def smooth(self) -> bool:
        """Whether the iteration has converged, and no contact changes its state."""
        return self.error <= NEAR and self.kink <= KINK and not self.switches

    def describe(self, name: str, h: float, history: StaticHistory) -> str:
        """Return a text with the contacts that change their states if the parameter changes by h. The text is empty if
        there are no such contacts.
        """
        changed = self.above | self.below
        if not changed.any() and self.kink > KINK:
            changed = self.turned
        if not changed.any():
            return ""
        return f"{history.describe(changed)} changes its contact states if {name!r} changes by {h:.3g}: "

    def describe_side(self, name: str) -> str:
        """Return a text that states for which changes of the parameter the derivatives are valid, if contact states
        change.
        """
        if self.above.any() != self.below.any():
            side = "decreases" if self.above.any() else "increases"
            return f"derivatives are those if {name!r} {side}"
        if self.above.any():
            return f"derivatives with respect to {name!r} are those at constant contact states"
        return (
            f"forward and backward differences with respect to {name!r} differ by {self.kink:.2g} of the largest "
            "derivative"
        )


def find_state_slopes(
    found: SolvedModel, model: Model, p: Mapping[str, float], name: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the derivatives of the coordinates, multipliers and history values of an equilibrium with respect to a
    parameter, shapes (n,), (m,) and (d,). For first-order states, the derivatives of the states replace those of the
    coordinates.

    Raises:
        ModelError: see `evaluate`.
    """
    best, words = None, ""
    for share in SHARES:
        # h is the difference between two rounded values of the parameter, so h itself has no rounding error
        h = float((p[name] + share * found.steps[name]) - p[name])
        if h <= 0.0:
            break
        last = iterate(found, model, p, name, h)
        if best is not None and not (best.switches or last.switches) and not last.kink < best.kink:
            # The forward and the backward difference differ because of rounding errors, which increase with smaller
            # steps, or because the slope jumps at the equilibrium itself.
            break
        words = last.describe(name, h, found.history)
        if last.converged:
            best = last
        if last.smooth:
            break
    if best is None:
        raise ModelError(
            f"{words}the derivative with respect to {name!r} does not converge: the relative change in the last "
            f"iteration is {last.error:.3g}"
        )
    if not best.smooth:
        say_once(NOTE, [words + best.describe_side(name)])
    return best.dofs, best.multipliers, best.history


def iterate(found: SolvedModel, model: Model, p: Mapping[str, float], name: str, h: float) -> EquilibriumSlopes:
    """Return the derivatives of the state with respect to the parameter ``name``, from differences with the step h.

    Raises:
        ModelError: see `evaluate`.
    """
    unknowns, centre, size = found.motion.sparsity.unknowns, found.state, found.motion.K.getSize()[0]
    high, low = (found.change(model, {**p, name: p[name] + side * h}, name) for side in (1.0, -1.0))
    middle = eval_residual(serial_assembly(found.world), centre)[0]
    dofs, multipliers, history = (np.zeros_like(array) for array in (centre.q, centre.lam, centre.data))
    above = below = turned = np.zeros(len(history), bool)
    anderson, before, error, stalls = Anderson(len(dofs)), np.inf, np.inf, 0

    def solve(one: Residual, two: Residual) -> FloatArray:
        """Return the change of coordinates and multipliers, shape (n + m,), for the difference of two residuals."""
        right = np.zeros(size)
        right[unknowns.of_dof], right[unknowns.of_multiplier] = one[0] - two[0], one[1] - two[1]
        change = found.factors.solve(right)
        if not np.isfinite(change).all():
            raise ModelError(f"the derivative with respect to {name!r} is not finite: the tangent is singular")
        return np.append(change[unknowns.of_dof], change[unknowns.of_multiplier])

    for number in range(ITERATIONS):
        if found.follows:
            ends = [each.history.update(each.state) for each in (high, low)]
            above, below = (found.history.find_changed(centre.data, values) for values in ends)
            turned = np.sign(ends[0]) != np.sign(ends[1])
            history = found.history.find_slope(centre.data, ends[0], ends[1], h)
            if above.any() != below.any():
                # the slopes of the history values of neighbours also jump where a contact changes its state
                history = (centre.data - ends[1] if above.any() else ends[0] - centre.data) / h
        move(centre, (high, low), h, dofs, multipliers, history)
        forward, backward = solve(high.eval_residual(), middle) / h, solve(middle, low.eval_residual()) / h
        if above.any() != below.any():
            correction, kink = -(backward if above.any() else forward), 0.0
        else:
            correction, kink = -0.5 * (forward + backward), float(np.abs(forward - backward)[: len(dofs)].max())
        if not found.follows and number:
            # the tangent is exact, so the iteration was needed only to compute ``kink``
            break
        step = anderson.find_step(correction)
        dofs += step[: len(dofs)]
        multipliers += step[len(dofs) :]
        moved, largest = (float(np.abs(values).max(initial=0.0)) for values in (step[: len(dofs)], dofs))
        error = moved / largest if largest > 0.0 and found.follows else 0.0
        stalls = stalls + 1 if moved >= STALLED * before else 0
        if found.follows and (error <= ACCURATE or (error <= NEAR and stalls >= STALLS)):
            break
        move(centre, (high, low), h, dofs, multipliers, history)
        before = moved
    return EquilibriumSlopes(dofs, multipliers, history, error, kink / (largest or 1.0), above, below, turned)


def move(
    centre: State, ends: tuple[ChangedModel, ChangedModel], h: float, dofs: FloatArray, multipliers: FloatArray,
    history: FloatArray,
) -> None:  # fmt: skip
    """Set the states of two models with the parameters p + h and p - h to first-order approximations of their
    equilibria. The arguments are explained in `EquilibriumSlopes`.
    """
    for side, end in zip((h, -h), ends, strict=True):
        end.move(centre, side * dofs, side * multipliers, side * history)
