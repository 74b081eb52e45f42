"""Results of a motion and their derivatives with respect to parameters of the model, step by step.

A step of an implicit method maps the state z_n (coordinates, velocities, accelerations, multipliers, history values) to
the state z_n+1. In each Newton run, the unknowns u fulfil r(u; z_n, d, p) = 0, where d are the history values of the
run. The derivatives dz/dp are computed together with the motion, step by step:

    r_u du/dp = -(r_z dz_n/dp + r_d dd/dp + r_p)

The right-hand side is a central difference of r between two companion models, which have the parameters p + h and p - h
and the states z ± h dz/dp. The subscripts of r denote partial derivatives. The equations are solved with the factorised
tangent r_u. The equations are then solved again for the remaining difference of r at u ± h du/dp, until this difference
is of the order of rounding errors. The result therefore does not depend on errors of the tangent. All Newton runs of a
step are repeated: each run uses the history values d of the update after the previous run. If return maps compute d
within a Newton run, d depends on u, and the derivatives of d and u are computed together.

The result is the derivative of the computed motion for fixed step sizes. In contrast to the difference between two
complete solves, this derivative is free of errors due to the tolerance of Newton's method. Contacts have the same
states (open or closed, stick or slip) in both companion models. If a history value jumps in one companion model, the
derivative is computed from the other companion model and the computed motion.

Source: D. A. Tortorelli, P. Michaleris, Inverse Problems in Engineering 1 (1994) 71-105, section 5 (direct
differentiation of transient nonlinear problems).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.checks.checks import checked, function
from windlass.framework.command_line.options import help_requested, quietly
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.schema import Component
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.newton.rounding import FACTOR
from windlass.solvers.sensitivities.companion import (
    MOTION,
    Companion,
    Model,
    RepeatedRun,
    RepeatedStep,
    create_companion,
    find_start,
    repeat_step,
)
from windlass.solvers.sensitivities.differences import find_history_rows, find_slopes
from windlass.solvers.sensitivities.equilibrium import (
    CHECKS,
    Results,
    choose_steps,
    create_model,
    read_results,
    require_equal,
)
from windlass.solvers.verdicts.verdict import Verdict

ITERATIONS = 40
"""Largest number of iterations for the derivatives of the unknowns of a Newton run."""
ACCURATE = 1e-12
"""Relative change [1] of a derivative in an iteration. If the change is below this value, the iteration ends."""
CONTRACTION = 0.3
"""Ratio [1] of the norms of the residual differences of two successive iterations. If the ratio is larger than this
value, a difference of the order of rounding errors is accepted.
"""
SETTLES = 8
"""Number of iterations of a derivative. After this number of iterations, the limit `NEAR` applies instead of
`ACCURATE`. The accuracy is limited if, in one of the companion models, a contact changes its state in every second
iteration.
"""
NEAR = 1e-3
"""Relative change [1] of a derivative in an iteration. If the change is below this value after `SETTLES` iterations,
the iteration ends. After `SETTLES` iterations, only half of each change is applied, because successive derivatives lie
on both sides of the solution.
"""


@dataclass
class MotionDerivatives:
    """Results of a motion and their derivatives with respect to parameters.

    Attributes:
        t: times [s] at the start and at the ends of the steps, shape (k,).
        y: results by name, shape (k,) each.
        dy: derivatives, in units of the result per unit of the parameter, shape (k,) each. The first key is the name of
            the result, and the second key is the name of the parameter.
        verdict: the verdict of the motion. Its notes name parameters whose derivatives are less accurate in a step,
            because a contact changes its state between the parameters p - h and p + h.
    """

    t: FloatArray
    y: dict[str, FloatArray]
    dy: dict[str, dict[str, FloatArray]]
    verdict: Verdict = field(repr=False)


class CompanionPair:
    """The two companion models of a parameter p, with the values p + h and p - h.

    Args:
        above, below: the companion models.
        h: step of the parameter, in the unit of the parameter.

    Attributes:
        above, below, h: values of the arguments.
        slopes: derivatives of the arrays of the state with respect to p, by name of the array.
        changed: rows of each table that differ between the models; None before the models have been compared.
        error: two values: the largest relative change [1] of derivatives in the last iteration for a Newton run, and
            the time [s] at the end of the step that contains this run. Only runs whose iterations ended at the limit
            `NEAR` are considered. Both values are 0 if the iterations for all runs ended at the limit `ACCURATE`.
    """

    def __init__(self, above: Companion, below: Companion, h: float) -> None:
        self.above, self.below, self.h = above, below, h
        self.slopes: dict[str, FloatArray] = {}
        self.changed: dict[type[Component], BoolArray] | None = None
        self.error = 0.0, 0.0
        self._history, self._rows = np.zeros(0), find_history_rows(above.world)

    def prepare(self, start: State, h: float, decides: bool) -> None:
        """Compute the derivatives of the state at the start of a motion with steps of size h [s]."""
        above, below = self.above, self.below
        for companion in (above, below):
            companion.prepare(h, decides)
        self._take_slopes(start, self.find_slope(start.data, above.state.data, below.state.data))

    def step(self, step: RepeatedStep) -> None:
        """Compute the derivatives of the state at the end of a step."""
        above, below, h = self.above, self.below, self.h
        for companion in (above, below):
            companion.begin_step(step.h, step.then)
        slopes, after = list[FloatArray](), self._history
        for run in step.runs:
            slopes.append(after if run.like < 0 else slopes[run.like])
            change, own = self._solve(run, slopes[-1], step.then)
            above_u, below_u = run.unknowns + h * change, run.unknowns - h * change
            if len(run.data):
                ends = (
                    above.update_history(above_u, run.data + h * own),
                    below.update_history(below_u, run.data - h * own),
                )
                after = self.find_slope(run.updated, *ends)
        above.end_step(above_u, step.end.data, step)
        below.end_step(below_u, step.end.data, step)
        self._take_slopes(step.end, after)

    def evaluate(self, like: Mapping[str, float]) -> dict[str, float]:
        """Return the derivatives of the results with respect to p at the present state, by name of the result."""
        high, low = (read_results(side.results, side.state, like) for side in (self.above, self.below))
        return {name: (high[name] - low[name]) / (2.0 * self.h) for name in like}

    def _solve(self, run: RepeatedRun, base: FloatArray, t: float) -> tuple[FloatArray, FloatArray]:
        """Return the derivatives of the unknowns and of the history values of a Newton run, shapes (u,) and (d,).
        ``base`` contains the derivatives of the history values at the start of the run. Without return maps, these
        derivatives are returned.

        Raises:
            ModelError: the derivatives are not finite, or their iteration does not converge.
        """
        above, below, h, u, d = self.above, self.below, self.h, run.unknowns, run.data
        change, history, before = np.zeros(len(u)), base, np.inf
        for number in range(ITERATIONS):
            if run.maps:
                ends = (
                    above.map_history(u + h * change, run.base + h * base, run.decides),
                    below.map_history(u - h * change, run.base - h * base, run.decides),
                )
                history = self.find_slope(run.found, *ends)
            high = above.eval_residual(u + h * change, d + h * history)
            left = high - below.eval_residual(u - h * change, d - h * history)
            norm = float(np.linalg.norm(left))
            if CONTRACTION * before <= norm <= FACTOR * run.rounding:
                return change, history
            correction = run.factors.solve(left / (-2.0 * h))
            if not np.isfinite(correction).all():
                raise ModelError(f"a derivative at t = {t:.9g} s is not finite")
            share, limit = (1.0, ACCURATE) if number < SETTLES else (0.5, NEAR)
            change, before = change + share * correction, norm
            small, large = (float(np.abs(values).max(initial=0.0)) for values in (correction, change))
            if small <= limit * large:
                if small > ACCURATE * large and small > self.error[0] * large:
                    self.error = small / large, t
                return change, history
        raise ModelError(
            f"the derivatives of the step to t = {t:.9g} s do not converge: the residual falls from {before:.3g} N (or "
            f"N m) to {norm:.3g} N only"
        )

    def find_slope(self, centre: FloatArray, above: FloatArray, below: FloatArray) -> FloatArray:
        """Return the derivatives of history values, shape (d,), from the values in the model and in its two companion
        models. If a value jumps in one companion model only, the derivatives of all values of the same row are computed
        from the other companion model.
        """
        slope: FloatArray = find_slopes(centre, above, below, self._rows) / self.h
        return slope

    def _take_slopes(self, centre: State, history: FloatArray) -> None:
        """Set the states of the companion models to z ± h dz/dp, where z is the state of the motion. The derivatives
        dz/dp follow from the present states of the companion models and, for history values, from ``history``.
        """
        h, states = self.h, (self.above.state, self.below.state)
        slopes = {name: (getattr(states[0], name) - getattr(states[1], name)) / (2.0 * h) for name in MOTION}
        slopes["data"] = self._history = history
        self.slopes = slopes
        for side, state in zip((1.0, -1.0), states, strict=True):
            for name, slope in slopes.items():
                getattr(state, name)[:] = getattr(centre, name) + side * h * slope
            state.start_data[:] = state.data
            state.t, state.step = centre.t, centre.step


@checked(model=CHECKS["model"], p=CHECKS["p"], motion=function(), steps=CHECKS["steps"])
def evaluate_motion(
    model: Model,
    p: Mapping[str, float],
    motion: Callable[[World], Dynamic],
    *,
    steps: Mapping[str, float] | None = None,
) -> MotionDerivatives:
    """Return results of a motion at each step, and their derivatives with respect to parameters.

        found = wl.evaluate_motion(model, {"stiffness": 4e4}, lambda world: wl.Dynamic(world, step=1e-4, end=0.1))
        found.dy["speed"]["stiffness"]

    Args:
        model: function ``(p) -> (world, results)`` or ``(p) -> (world, results, start)`` that builds the model.
            ``results(state) -> {name: number}`` is called after each step. ``start() -> state`` computes the state at
            the start, for example by `Static` with small tolerances, and may change columns of tables with `World.set`.
            Without ``start`` the motion starts from the initial values of the nodes. The number of rows of each table
            must be the same for all p.
        p: values of the parameters by name.
        motion: function ``(world) -> Dynamic`` that creates the solver.
        steps: steps h of the central differences by name of the parameter, in the unit of the parameter. By default,
            the step is 6e-6 times the value of the parameter. A step is required for a parameter with the value 0.

    Raises:
        ModelError: parameters or results are not finite numbers; the number of rows of a table changes with a
            parameter; a Newton run cannot be repeated, or the iteration for its derivatives does not converge; several
            processes are used.
        NotConverged: a solve fails.
    """
    h, results, solver, first = prepare_motion(model, p, motion, steps)
    if help_requested():
        only = read_results(results, first, None)
        zero = {name: dict.fromkeys(p, np.zeros(1)) for name in only}
        return MotionDerivatives(np.array([first.t]), {q: np.array([v]) for q, v in only.items()}, zero, solver.verdict)
    centre, pairs = create_companions(model, p, h, solver)
    solver.assembly.keep_used_history()
    solver.assembly.search_always()
    nominal = solver.sizes.nominal
    centre.prepare(nominal, solver.decides)
    for pair in pairs.values():
        pair.prepare(centre.state, nominal, solver.decides)
    times, values = [first.t], [read_results(centre.results, centre.state, None)]
    slopes = [{name: pair.evaluate(values[0]) for name, pair in pairs.items()}]
    before = solver.consistency.projections
    for now in solver.march(first):
        step = repeat_step(centre, now, solver, solver.consistency.projections > before)
        before = solver.consistency.projections
        for pair in pairs.values():
            pair.step(step)
        times.append(now.t)
        values.append(read_results(centre.results, centre.state, values[0]))
        slopes.append({name: pair.evaluate(values[0]) for name, pair in pairs.items()})
    solver.verdict.notes += [words for name, pair in pairs.items() for words in describe_error(name, pair)]
    y = {name: np.array([value[name] for value in values]) for name in values[0]}
    dy = {name: {q: np.array([slope[q][name] for slope in slopes]) for q in p} for name in y}
    return MotionDerivatives(np.array(times), y, dy, solver.verdict)


def describe_error(name: str, pair: CompanionPair) -> list[str]:
    """Return a remark if the iteration for a derivative ended at the limit `NEAR`, otherwise an empty list."""
    error, t = pair.error
    if error == 0.0:
        return []
    return [
        f"derivatives with respect to {name} have a relative error of up to {error:.1g} in the step to t = {t:.9g} s, "
        f"because a contact changes its state within the step {pair.h:.3g} of the differences: give a smaller step by "
        "steps="
    ]


def prepare_motion(
    model: Model, p: Mapping[str, float], motion: Callable[[World], Dynamic], steps: Mapping[str, float] | None
) -> tuple[dict[str, float], Results, Dynamic, State]:
    """Build the model and its solver. The arguments are explained in `evaluate_motion`.

    Returns:
        Steps h of the central differences by name of the parameter, the function ``results``, the solver, and the state
        at the start.

    Raises:
        ModelError: parameters, results or the start of the motion are wrong, see `evaluate_motion`.
    """
    if launched_size() > 1:
        raise ModelError("derivatives need a model on one process: run without mpiexec")
    h = choose_steps(p, steps or {})
    world, results, *start = create_model(model, p, moves=True)
    solver = motion(world)
    if not isinstance(solver, Dynamic) or solver.assembly.world is not world:
        raise ModelError(f"motion returned {solver!r:.80}: must be a Dynamic of the given world")
    return h, results, solver, find_start(world, *start)


def create_companions(
    model: Model, p: Mapping[str, float], h: Mapping[str, float], solver: Dynamic
) -> tuple[Companion, dict[str, CompanionPair]]:
    """Return the companion model with the parameters of the motion, and the pairs of companion models by name of the
    parameter.

    Raises:
        ModelError: the number of rows of a table changes with a parameter.
    """
    with quietly():
        centre, pairs = create_companion(model, p, solver), {}
        for name in p:
            sides = [create_companion(model, {**p, name: p[name] + side * h[name]}, solver) for side in (1.0, -1.0)]
            for side in sides:
                require_equal(centre.world, side.world, name)
            pairs[name] = CompanionPair(sides[0], sides[1], h[name])
    return centre, pairs
