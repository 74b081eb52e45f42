"""Record of a motion for the adjoint. The record contains descriptions of how all steps were computed, and some states
of the motion. Steps are repeated from these states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.program import Program
from windlass.framework.state.hooks import NO_STEPS, IdleSteps, StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.sensitivities.companion import (
    Companion,
    LinearFactors,
    RepeatedRun,
    RepeatedStep,
    StepPlan,
    find_base,
    plan_step,
    repeat_run,
)
from windlass.solvers.sensitivities.equilibrium import Results, read_results
from windlass.solvers.sensitivities.revolve import place_states
from windlass.solvers.sensitivities.state_store import NAMES, StateStore, StoredState

CHECKED = 20
"""Number of steps after which a step is again repeated by Newton's method."""
ALL = 10**9
"""Number of steps that compiled code may compute without a call of `MotionRecorder.after_step`."""
EXACT = 1e-5
"""Relative change [1] of the unknowns in the repetition of a step. Up to this value, the unknowns of the next steps are
taken from the states at their ends.
"""


def set_state(companion: Companion, arrays: Mapping[str, FloatArray], t: float) -> None:
    """Set the arrays of the state of a companion model, and its time [s]."""
    state = companion.state
    for name in NAMES:
        getattr(state, name)[:] = arrays[name]
    state.start_data[:] = state.data
    state.t = t


@dataclass
class Record:
    """A computed motion.

    Attributes:
        plans: for each step, a description of how it was computed.
        t, y: times [s] and results by name, shape (k,) each.
        varies: whether each history value changes continuously, shape (d,).
        last: the state at the end of the motion.
    """

    plans: list[StepPlan]
    t: FloatArray
    y: dict[str, FloatArray]
    varies: BoolArray
    last: StoredState


class MotionRecorder(StepHook):
    """Hook that records the steps of a motion. In models without history values, compiled code computes several steps
    in one call, and calls the compiled program of the hook after each step.

    Args:
        centre: the companion model with the state at the start of the motion.
        results: function that computes the results of the model of the motion.
        solver: the solver of the motion.
        places: numbers of steps, at least 1, after which states are stored.
        stored: stored states.

    Attributes:
        plans, times, values, varies: the data of `Record` so far.
    """

    def __init__(
        self, centre: Companion, results: Results, solver: Dynamic, places: set[int], stored: StateStore
    ) -> None:
        state = centre.state
        self._results, self._solver, self._places, self._stored = results, solver, places, stored
        self._first, self._data = state.step, state.data.copy()
        self._before, self._t = solver.consistency.projections, state.t
        self.plans, self.times = list[StepPlan](), [state.t]
        self.values = [read_results(centre.results, state, None)]
        self.varies: BoolArray = state.data != np.round(state.data)
        # the state that compiled steps change, and the program that compiled code calls after each step
        self._changing: State | None = None
        self._program = Program([(self._record_changing, ())])

    def after_step(self, state: State) -> None:
        """Record a step."""
        self._record(state)

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return all coming steps, with the program that records a step, if the model has no history values."""
        self._changing = state
        return NO_STEPS if len(state.data) else IdleSteps(ALL, self._program)

    def _record_changing(self) -> None:
        """Record a step while compiled code runs. The state contains the values at the end of the step, except for the
        time and the step number.
        """
        state = self._changing
        assert state is not None
        t, step = state.t, state.step
        state.t, state.step = self._solver.assembly.fields.t, self._first + len(self.plans) + 1
        try:
            self._record(state)
        finally:
            state.t, state.step = t, step

    def _record(self, now: State) -> None:
        solver = self._solver
        require_first(now, self._first + len(self.plans) + 1)
        projects = solver.consistency.projections > self._before
        self.plans.append(plan_step(self._data, solver, now.t - self._t, now.t, projects))
        self._before, self._t, self._data[:] = solver.consistency.projections, now.t, now.data
        self.varies |= now.data != np.round(now.data)
        self.times.append(now.t)
        self.values.append(read_results(self._results, now, self.values[0]))
        if len(self.plans) in self._places:
            self._stored.put(len(self.plans), StoredState.of(now))


def require_first(now: State, step: int) -> None:
    """Raise ModelError if the number of a step is not ``step``, because the motion continues from a checkpoint."""
    if now.step != step:
        raise ModelError(
            f"the motion continues from a checkpoint, with the first step to t = {now.t:.9g} s: derivatives need "
            "all steps, so leave out -restart"
        )


def record_motion(
    centre: Companion, results: Results, solver: Dynamic, first: State, count: int, stored: StateStore
) -> Record:
    """Compute the motion, and store at most ``count`` states in ``stored``.

    Raises:
        ModelError: the motion continues from a checkpoint, so its first steps are missing.
    """
    expected = max(1, int(np.ceil((solver.end - first.t) / solver.sizes.nominal - 1e-6)))
    stored.put(0, StoredState.of(centre.state))
    recorder = MotionRecorder(centre, results, solver, set(place_states(expected, count)), stored)
    last = solver.solve(first, [recorder])
    require_first(last, centre.state.step + len(recorder.plans))
    y = {name: np.array([value[name] for value in recorder.values]) for name in recorder.values[0]}
    return Record(recorder.plans, np.array(recorder.times), y, recorder.varies, StoredState.of(last))


def follow_plan(
    centre: Companion, plan: StepPlan, near: StoredState | None = None, factors: LinearFactors | None = None
) -> RepeatedStep:
    """Repeat the Newton runs of a step. The step starts from the state of the companion model. This state does not
    change.

    Args:
        centre: the companion model in which the step is repeated.
        plan: description of how the step was computed.
        near: approximate solution at the end of the step, or None if unknown.
        factors: factorisation of the tangent of a nearby step, or None if unknown.

    Raises:
        ModelError: a Newton run cannot be repeated.
    """
    state = centre.state
    step = RepeatedStep(plan.h, plan.then, state, [], projects=False)
    centre.begin_step(plan.h, plan.then)
    end = (state.a, state.lam) if near is None else (near.arrays["a"], near.arrays["lam"])
    unknowns = centre.read_unknowns(*end)
    for number in range(plan.runs):
        base = find_base(centre, plan, step)
        run = repeat_run(centre, unknowns, base, plan.maps and number == 0, plan.then, factors)
        factors = run.factors
        run.like = plan.like if number == plan.runs - 1 else -1
        step.runs.append(run)
        unknowns = run.unknowns
    return step


class StepReader:
    """Object that repeats steps whose end states are known.

    In models without history values, the unknowns of a step are computed from the state at the end of the step. The
    error of these unknowns is the error of Newton's method in the motion. One step of every `CHECKED` steps is repeated
    by Newton's method. If the unknowns change by more than `EXACT`, the next step is also repeated by Newton's method.

    Args:
        centre: the companion model in which steps are repeated.
    """

    def __init__(self, centre: Companion) -> None:
        self._centre, self._left = centre, 0
        self._plain = not len(centre.state.data) and not len(centre.integrator.rotations)

    def repeat(self, plan: StepPlan, end: StoredState) -> RepeatedStep:
        """Repeat a step that starts from the state of the companion model and ends at the state ``end``. The state of
        the companion model does not change."""
        if self._left > 0 and plan.runs == 1 and not plan.projects:
            self._left -= 1
            return self._read(plan, end)
        step = follow_plan(self._centre, plan, end)
        self._left = CHECKED - 1 if self._plain and step.runs[-1].change <= EXACT else 0
        return step

    def _read(self, plan: StepPlan, end: StoredState) -> RepeatedStep:
        """Begin a step, and compute its unknowns from the state at its end."""
        centre = self._centre
        centre.begin_step(plan.h, plan.then)
        unknowns, data = centre.read_unknowns(end.arrays["a"], end.arrays["lam"]), centre.state.data.copy()
        centre.load(unknowns, data)
        run = RepeatedRun(unknowns, data, data, data, centre.factorise(), near=True, maps=False, base=data, loaded=True)
        return RepeatedStep(plan.h, plan.then, centre.state, [run], projects=False)


def end_step(centre: Companion, step: RepeatedStep) -> None:
    """Copy the motion at the end of a repeated step, before the projection of this motion, to the state of the
    companion model."""
    run, state = step.runs[-1], centre.state
    centre.end_step(run.unknowns, run.updated, step)
    state.start_data[:] = state.data
    state.step += 1
