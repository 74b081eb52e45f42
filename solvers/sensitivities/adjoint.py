"""Derivatives of one number with respect to many parameters of a motion, by the discrete adjoint.

For given parameters p, the motion is a sequence of steps z_n+1 = F(z_n, p) of the states z (coordinates, velocities,
accelerations, multipliers and history values). For an objective J(y_0, ..., y_N) of results y_n = y(z_n, p), the
adjoint variables λ_n = dJ/dz_n are computed from the last step to the first step:

    λ_n = (∂F/∂z)ᵀ λ_n+1 + (∂y/∂z)ᵀ ∂J/∂y_n,    dJ/dp = Σ ((∂F/∂p)ᵀ λ_n+1 + (∂y/∂p)ᵀ ∂J/∂y_n) + (dz_0/dp)ᵀ λ_0.

The adjoint of a step is described in adjoint_steps.py. The states are needed in reverse order. Only some states are
stored, and the steps after a stored state are repeated (revolve.py).

Sources: D. A. Tortorelli, P. Michaleris, Inverse Problems in Engineering 1 (1994) 71-105, section 5 (adjoint of
transient nonlinear problems); A. Griewank, A. Walther, Evaluating Derivatives, SIAM (2008), chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.storage import Storage
from windlass.framework.checks.checks import checked, function, number, optional, path, that, whole
from windlass.framework.command_line.options import help_requested, quietly
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.sensitivities.adjoint_steps import Adjoint
from windlass.solvers.sensitivities.companion import Companion, Model, RepeatedStep, StepPlan, create_companion
from windlass.solvers.sensitivities.equilibrium import CHECKS, read_results
from windlass.solvers.sensitivities.growth import describe_growth, find_growth
from windlass.solvers.sensitivities.motion import prepare_motion
from windlass.solvers.sensitivities.objectives import Objective
from windlass.solvers.sensitivities.parameter_models import ParameterModels
from windlass.solvers.sensitivities.recorded_motion import (
    Record,
    StepReader,
    end_step,
    follow_plan,
    record_motion,
    set_state,
)
from windlass.solvers.sensitivities.revolve import reverse
from windlass.solvers.sensitivities.state_store import StateStore, StoredState, find_size
from windlass.solvers.verdicts.verdict import Verdict

MEMORY = 2**28
"""Default limit [bytes] of the size of the stored states in memory."""
FEWEST = 10
"""Smallest number of states that are stored by default, even if these states need more memory than the given limit."""
ALL = 10**9
"""Number of stored states with which no step is repeated."""


@dataclass
class MotionGradient:
    """An objective of a motion and its derivatives with respect to parameters.

    Attributes:
        value: the objective J.
        gradient: dJ/dp by name of the parameter, in units of the objective per unit of the parameter.
        t: times [s] at the start and at the ends of the steps, shape (k,).
        y: results by name, shape (k,) each.
        repeated: number of repetitions of steps, without the first repetition of each step.
        growth: rate [1/s] of the growth, backwards in time, of the derivatives of the objective with respect to earlier
            states. See `growth.py`.
        chaotic: whether these derivatives grow exponentially. In this case the gradient has no practical meaning.
        verdict: the verdict of the motion.
    """

    value: float
    gradient: dict[str, float]
    t: FloatArray
    y: dict[str, FloatArray]
    repeated: int
    growth: float
    chaotic: bool
    verdict: Verdict = field(repr=False)


@checked(
    model=CHECKS["model"], p=CHECKS["p"], motion=function(), steps=CHECKS["steps"], checkpoints=optional(whole(1)),
    memory=number("bytes", above=0.0), folder=optional(path()),
    objective=that(lambda value: callable(value) and not isinstance(value, type), "a function of t and y"),
)  # fmt: skip
def evaluate_objective(
    model: Model,
    p: Mapping[str, float],
    motion: Callable[[World], Dynamic],
    objective: Objective,
    *,
    steps: Mapping[str, float] | None = None,
    checkpoints: int | None = None,
    memory: float = MEMORY,
    folder: str | Path | None = None,
) -> MotionGradient:
    """Return an objective of a motion, and its derivatives with respect to many parameters. The derivatives are
    computed by the discrete adjoint.

        found = wl.evaluate_objective(model, p, motion, wl.end_value("speed"))
        found.gradient["stiffness"]

    Args:
        model, p, motion, steps: model, parameters, solver and steps of differences, see `evaluate_motion`. For several
            parameters, different fractions between 0.9 and 1 of the steps ``steps`` are used.
        objective: function ``(t, y) -> (J, {name: dJ/dy})`` of the times [s] and the results by name, shape (k,) each,
            for example `time_integral`, `end_value` or `smooth_maximum`.
        checkpoints: largest number of stored states. Steps between stored states are repeated. By default, as many
            states are stored as fit into ``memory``, but at least 10. With a ``folder``, the states of all steps are
            stored by default.
        memory: largest size [bytes] of the stored states in memory.
        folder: existing folder for states that do not fit into ``memory``. These states are written to state files in a
            temporary subfolder of ``folder``. The temporary subfolder is removed at the end. By default, no files are
            written.

    Raises:
        ModelError: an error described in `evaluate_motion`, or the objective does not return a number and derivatives
            of results.
        NotConverged: a solve fails.
        OutputError: states cannot be written to the folder.
    """
    h, results, solver, first = prepare_motion(model, p, motion, steps)
    if help_requested():
        y = {name: np.array([value]) for name, value in read_results(results, first, None).items()}
        return MotionGradient(0.0, dict.fromkeys(p, 0.0), np.array([first.t]), y, 0, 0.0, False, solver.verdict)
    centre, models = prepare_models(model, p, h, solver)
    fits = max(1, int(memory) // max(find_size(centre.state), 1))
    count = checkpoints or (max(FEWEST, fits) if folder is None else ALL)
    with StateStore(fits, None if folder is None else Path(folder)) as stored:
        record = record_motion(centre, results, solver, first, count, stored)
        value, weights = read_objective(objective, record.t, record.y)
        adjoint = Adjoint(centre, models, record.varies)
        repeated, sizes = run_back(adjoint, centre, record, weights, count, stored)
    adjoint.add_start()
    growth, chaotic = find_growth(record.t[-1] - record.t[::-1], sizes)
    if chaotic:
        solver.verdict.notes.append(describe_growth(growth))
    return MotionGradient(value, adjoint.gradient, record.t, record.y, repeated, growth, chaotic, solver.verdict)


def read_objective(
    objective: Objective, t: FloatArray, y: Mapping[str, FloatArray]
) -> tuple[float, dict[str, FloatArray]]:
    """Call the objective. Return its value and its derivatives with respect to the results.

    Raises:
        ModelError: the objective does not return a finite number and derivatives of results.
    """
    given = objective(t, y)
    if not (isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping)):
        raise ModelError(f"objective returned {given!r:.80}: must be a number and a dict of derivatives by result")
    value, weights = float(given[0]), {str(name): np.asarray(each, float) for name, each in given[1].items()}
    for name, each in weights.items():
        if name not in y:
            raise ModelError(f"objective gave derivatives of {name!r}: must be one of {', '.join(y)}")
        if each.shape != t.shape or not np.isfinite(each).all():
            raise ModelError(
                f"objective gave derivatives of {name!r} with shape {each.shape}: must be {len(t)} finite numbers, one "
                "for each time"
            )
    if not np.isfinite(value):
        raise ModelError(f"objective returned {value}: must be a finite number")
    return value, weights


def prepare_models(
    model: Model, p: Mapping[str, float], h: Mapping[str, float], solver: Dynamic
) -> tuple[Companion, ParameterModels]:
    """Return a companion model with the parameters p, and the companion models with the changed parameters p ± h. All
    models are at the start of the motion.
    """
    with quietly():
        # the tangents of the adjoint steps have the same storage as the tangents of the motion
        blocks = solver.problem.storage is Storage.BLOCKS
        centre = create_companion(model, p, solver, Storage.BLOCKS if blocks else Storage.ROWS)
    centre.share_factors()
    solver.assembly.keep_used_history()
    solver.assembly.search_always()
    centre.prepare(solver.sizes.nominal, solver.decides)
    return centre, ParameterModels(model, p, h, solver, centre)


@dataclass
class BackwardStep:
    """A step of the motion for which the adjoint is computed.

    Attributes:
        number: number of the step.
        start, end: states at the start and at the end of the step.
        plan: description of how this step was computed in the motion.
        step: result of the repetition of this step in the companion model.
        repeated: number of repetitions of steps so far, without the first repetition of each step.
    """

    number: int
    start: StoredState
    end: StoredState
    plan: StepPlan
    step: RepeatedStep
    repeated: int

    def pass_by(self, adjoint: Adjoint, centre: Companion) -> None:
        """Compute the adjoint variables at the start of the step from the adjoint variables at its end. Before and
        after the call, the companion model must be at the beginning of this step (`Companion.begin_step`).
        """
        start, step = self.start, self.step
        if self.plan.projects:
            end_step(centre, step)
            adjoint.project_back(start.arrays, start.t, step)
            set_state(centre, start.arrays, start.t)
            centre.begin_step(self.plan.h, self.plan.then)
        adjoint.step_back(start.arrays, start.t, step, self.plan.projects)


def walk_back(centre: Companion, record: Record, count: int, stored: StateStore) -> Iterator[BackwardStep]:
    """Yield the steps from the last to the first. When a step is yielded, the companion model is at the beginning of
    this step, see `Companion.begin_step`. Before the next step is requested, the caller must set the state of the
    companion model to the start of the yielded step.
    """
    repeated, near, factors = 0, record.last, None
    plans, reader = record.plans, StepReader(centre)
    for move in reverse(len(plans), count, stored.numbers):
        here = stored.get(move.start)
        set_state(centre, here.arrays, here.t)
        for plan in plans[move.start : move.end]:
            step = follow_plan(centre, plan, None, factors)
            end_step(centre, step)
            factors = step.runs[-1].factors
            if plan.projects:
                centre.project(plan.h)
                # the projection has overwritten the factorisation
                factors = None
            repeated += 1
        start = here if move.start == move.end else StoredState.of(centre.state)
        if move.stores:
            stored.put(move.end, start)
            continue
        plan = plans[move.end]
        step = reader.repeat(plan, near)
        yield BackwardStep(move.end, start, near, plan, step, repeated)
        factors, near = step.runs[0].factors, start
        stored.remove(move.end)


def run_back(
    adjoint: Adjoint, centre: Companion, record: Record, weights: Mapping[str, FloatArray], count: int,
    stored: StateStore,
) -> tuple[int, FloatArray]:  # fmt: skip
    """Compute the adjoint variables of all states from the last to the first. The first result is the number of steps
    that were repeated to reach the starts of other steps. The second result contains the size of the adjoint variables
    of each state (see `Adjoint.find_size`), from the end to the start, shape (k,).
    """
    repeated, sizes = 0, list[float]()
    set_state(centre, record.last.arrays, record.last.t)
    adjoint.add_results({name: float(each[-1]) for name, each in weights.items()})
    sizes.append(adjoint.find_size())
    for back in walk_back(centre, record, count, stored):
        back.pass_by(adjoint, centre)
        adjoint.add_results({name: float(each[back.number]) for name, each in weights.items()})
        sizes.append(adjoint.find_size())
        repeated = back.repeated
    return repeated, np.array(sizes)
