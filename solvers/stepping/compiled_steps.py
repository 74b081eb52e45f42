"""Execution of several steps in one call of compiled code, until a step requires Python.

The following parts of a step are compiled: predictor, Newton's method, checks by monitors, update of history values,
storage of the accepted step, and check for velocity jumps of constraints (see consistency.py). Except for Newton's
method, each part is a program, which is a sequence of kernel calls in compiled code. `take_steps` executes these calls
for the given number of steps. The function returns earlier if Newton's method has failed, if contacts need a third
pass, if a monitor has found a problem, or if a constraint has a velocity jump. Python code then continues the present
step by the same rules. The results and messages do not depend on whether steps are compiled.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import copy_values
from windlass.framework.kernels.addresses import lay_down
from windlass.framework.kernels.c_functions import call_c, find_c_address, load
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import NO_CALLS, Program, join
from windlass.framework.model.system import CONSTANT
from windlass.solvers.newton.callbacks import AGAIN, BEYOND, ZERO, run_program
from windlass.solvers.newton.convergence import CYCLED
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem_kernels import begin_run
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.stepping.discontinuous import Passes

MOST = 512
"""Largest number of steps in one call of compiled code. Output is written, and requests of the user are processed,
after each call.
"""
LONGEST = 0.05
"""Largest elapsed time [s] of one call of compiled code, estimated from the previous call. The time is limited because
an interruption by Ctrl-C takes effect only at the end of the call.
"""
HARD = 10
"""From this number of Newton iterations on, the shapes of bodies and cables are checked at the end of the step. Most
steps need fewer iterations.
"""
BEGIN, LOOK, UPDATE, END, FOLLOW, IDLE = range(6)
"""Indices of the programs of a step.

BEGIN: program that computes the predictor.
LOOK: program with the checks of monitors.
UPDATE: program that updates the history values.
END: program that stores the accepted step.
FOLLOW: program that checks for velocity jumps of constraints.
IDLE: program of monitors and hooks for steps in which their Python functions are not called.
"""
NOTHING, STARTED, LOOKED, UPDATED, ACCEPTED, DONE = range(6)
"""Stages of a step, in their order. ``StepContext.counts[STAGE]`` is the stage that the last step has reached."""
STAGE, EARLIER, ITERATIONS, WANTED, FOLLOWS, START, MAPPED, PASSES, REPEATS, SECOND, FIRST, FROZEN = range(12)
"""Indices in `StepContext.counts`."""


class Follow(NamedTuple):
    """Data for the check for velocity jumps of constraints after a step. See `Consistency`.

    Attributes:
        largest: amount by which the change of the constraint violation e exceeds the change in smooth motion, shape
            (1,). The value is 0 if velocity jumps are not checked.
        before, now: the constraint violation e and the size of its terms, after the previous step and after this step,
            shape (2, m) each.
        noise: largest value of ``largest`` for which a step is considered to contain no velocity jump.
    """

    largest: FloatArray
    before: FloatArray
    now: FloatArray
    noise: float


class PassValues(NamedTuple):
    """Values of a pass that the next pass needs: history values, accelerations, multipliers, and the outcome of the
    update.

    The shapes of ``data``, ``a``, ``lam`` and ``outcome`` are (d,), (n + 1,), (m + 1,) and (6,).
    """

    data: FloatArray
    a: FloatArray
    lam: FloatArray
    outcome: FloatArray


class StepContext(NamedTuple):
    """The data of `take_steps`.

    Attributes:
        addresses: address of the kernel that executes a Newton run, and address of its context, shape (2,).
        programs: address and number of kernel calls of each compiled program, shape (6, 2).
        counts: integer data of the steps. The indices are the constants `STAGE` to `FROZEN`, shape (12,).
        limits: absolute and relative tolerance of the force error, see `Passes`, shape (2,).
        ends: times [s] at the ends of the steps, shape (MOST,).
        time, start_time, mapped, recoupled, at_end: arrays of the fields, shape (1,) each.
        size: size [s] of the steps, shape (1,).
        now, first: values of the present pass, and values after the first pass of a step.
        start_data: history values at the start of the step, shape (d,).
        found: a value > 0 if a monitor has found a problem, shape (1,).
        follow: data for the check for velocity jumps of constraints, see `Follow`.
        records: data of the Newton iterations, see `Newton.records`.
    """

    addresses: IntArray
    programs: IntArray
    counts: IntArray
    limits: FloatArray
    ends: FloatArray
    time: FloatArray
    start_time: FloatArray
    mapped: FloatArray
    recoupled: FloatArray
    at_end: IntArray
    size: FloatArray
    now: PassValues
    first: PassValues
    start_data: FloatArray
    found: FloatArray
    follow: Follow
    records: tuple[Any, Any, Any]


@kernel
def call_program(programs: IntArray, which: int, state: Any) -> int:
    """Execute the kernel calls of a compiled program. Return 0 on success."""
    status = run_program(programs, which, state)
    if status != 0:
        state[0]["failed"] += BEYOND
    return int(status)


@kernel(fast=False)
def copy_pass(values: Any, to: Any) -> None:
    """Copy `PassValues`."""
    copy_values(values.data, to.data)
    copy_values(values.a, to.a)
    copy_values(values.lam, to.lam)
    copy_values(values.outcome, to.outcome)


@kernel(fast=False)
def finish_pass(c: Any, counts: IntArray, state: Any) -> int:
    """Run the checks of monitors and update history values after a Newton run. Return 0 on success."""
    c.found[0], c.mapped[0] = 0.0, CONSTANT
    status = call_program(c.programs, LOOK, state)
    if status == 0:
        counts[STAGE] = LOOKED
        status = call_program(c.programs, UPDATE, state)
    if status == 0:
        counts[STAGE] = UPDATED
    return int(status)


@kernel(fast=False)
def is_settled(c: Any) -> bool:
    """Return whether the force error of contacts after a pass is within its tolerances."""
    return bool(c.now.outcome[0] <= max(c.limits[0], c.limits[1] * c.now.outcome[3]))


@kernel(fast=False)
def repeat(c: Any, counts: IntArray, measures: Any, lag: Any, state: Any) -> int:
    """Execute the second pass of a step. Return 0 on success. The pass uses the history values after the first pass. If
    the first pass has used return maps, the second pass uses the history values at the start of the step.

    If Newton's method fails in the second pass, the result of the first pass is restored.
    """
    reason, start = state[0]["reason"], ZERO
    counts[FIRST] = state[0]["iterations"]
    copy_pass(c.now, c.first)
    begin_run(measures, lag, state)
    if counts[MAPPED] > 0 and counts[FROZEN] == 0:
        # the second pass repeats the first pass without return maps, from the history values at the start of the step
        copy_values(c.start_data, c.now.data)
    else:
        lag[0]["switched"] = c.now.outcome[2] != 0.0
        if lag[0]["active"] and lag[0]["has_tangent"]:
            start, measures[0]["guessed"] = AGAIN, 1
    c.mapped[0] = 0.0
    status = call_c(c.addresses[0], (np.int64(start), c.addresses[1]))
    if status != 0:
        return int(status)
    if state[0]["reason"] <= 0:
        copy_pass(c.first, c.now)
        state[0]["reason"], state[0]["iterations"] = reason, counts[FIRST]
        return 0
    counts[SECOND] = 1
    return int(finish_pass(c, counts, state))


@kernel(fast=False)
def freeze(c: Any, counts: IntArray, measures: Any, lag: Any, state: Any) -> int:
    """Repeat a Newton run that has ended because of a cycle of contact states. The repeated run uses the contact states
    at the start of the step, and begins at the last iterate. Return 0 on success.
    """
    before = state[0]["iterations"]
    copy_values(c.start_data, c.now.data)
    c.mapped[0], counts[FROZEN], start = 0.0, 1, ZERO
    begin_run(measures, lag, state)
    if lag[0]["active"] and lag[0]["has_tangent"]:
        start, measures[0]["guessed"] = AGAIN, 1
    status = call_c(c.addresses[0], (np.int64(start), c.addresses[1]))
    state[0]["iterations"] += before
    return int(status)


@kernel(fast=False)
def take_steps(context: Any) -> int:
    """Execute steps until all steps are complete or a step requires Python. Return 0 on success. The caller has begun
    the first step.
    """
    c = load(context)
    counts, follow, (measures, lag, state) = c.counts, c.follow, c.records
    for i in range(counts[WANTED]):
        status = 0
        counts[STAGE], counts[FROZEN] = STARTED, 0
        # the caller has begun the first step; each later step begins here
        if i > 0:
            counts[EARLIER] += 1
            counts[ITERATIONS] += state[0]["iterations"] + counts[SECOND] * counts[FIRST]
            counts[PASSES] += 1 + counts[SECOND]
            counts[SECOND] = 0
            c.at_end[0] = 1
            status = call_program(c.programs, IDLE, state)
            c.at_end[0] = 0
            if status != 0:
                return int(status)
            c.start_time[0], c.time[0] = c.time[0], c.ends[i]
            begin_run(measures, lag, state)
            c.mapped[0] = counts[MAPPED]
            status = call_program(c.programs, BEGIN, state)
        # execute Newton's method
        if status == 0:
            status = call_c(c.addresses[0], (counts[START], c.addresses[1]))
        if status == 0 and state[0]["reason"] == CYCLED:
            status = freeze(c, counts, measures, lag, state)
        if status != 0 or state[0]["reason"] <= 0:
            return int(status)
        # check monitors, then update history values
        status = finish_pass(c, counts, state)
        if status != 0:
            return int(status)
        # if contacts have not settled, execute another pass
        if not is_settled(c):
            outcome = c.now.outcome
            others = c.recoupled[0] != 0.0
            if counts[REPEATS] == 0 or others or not np.isfinite(outcome[0]) or outcome[1] < c.size[0]:
                return 0
            status = repeat(c, counts, measures, lag, state)
            if status != 0 or counts[SECOND] == 0 or not is_settled(c):
                return int(status)
        # Python code must continue if a monitor has found a problem, if the sparsity changes after a search for
        # contacts, or if the shapes must be checked after many iterations
        if c.found[0] != 0.0 or c.recoupled[0] != 0.0 or state[0]["iterations"] >= HARD:
            return 0
        lag[0]["switched"] = c.now.outcome[2] != 0.0
        # the motion at the end of the step is the motion at the start of the next step
        status = call_program(c.programs, END, state)
        if status != 0:
            return int(status)
        counts[STAGE] = ACCEPTED
        if counts[FOLLOWS] == 0:
            return 0
        # check for velocity jumps of constraints
        status = call_program(c.programs, FOLLOW, state)
        if status != 0 or not follow.largest[0] <= follow.noise:
            return int(status)
        # copy element by element, because for a slice numba would also compile an error message about shapes
        for j in range(follow.now.shape[0]):
            for k in range(follow.now.shape[1]):
                follow.before[j, k] = follow.now[j, k]
        counts[STAGE] = DONE
    return 0


Take = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class StepsEnd(Exception):
    """Exception that a hook raises within a call of compiled steps, between two steps, if Python must execute the next
    step. The steps before this exception are accepted.
    """


class CompiledSteps:
    """Object that executes steps of one run in compiled code, if the model allows compiled steps.

    Args:
        newton: Newton's method, whose runs are executed in compiled code.
        settings: limits up to which a pass is accepted.
        scheme: relation between unknowns and motion. The object is the same in all steps. Its time is the time of the
            last step.
        follow: data for the check for velocity jumps of constraints, see `Follow`.
        found: a value > 0 if a monitor has found a problem, shape (1,).
        mapped: number of residual evaluations at the beginning of a Newton run in which contact states can change, see
            `Fields`.

    Attributes:
        programs: the compiled programs, in the order of the constants `BEGIN` to `IDLE`.
        pace: number of steps per call that keeps the elapsed time of a call below `LONGEST`.
        stage: stage that the last step has reached.
        earlier, iterations, passes: number of steps before the last step, number of their Newton iterations, and number
            of their passes.
        had_second: whether the last step had a second pass. In this case `first` and ``first_iterations`` contain data
            of the first pass.
        froze: whether the first pass of the last step was repeated with the contact states at the start of the step,
            because contact states had repeated periodically with return maps.
        now, first: values of the present pass, and values after the first pass of a step, see `PassValues`.
        first_iterations: number of iterations of the first pass of the last step, if the step had a second pass.
        are_running: whether a call of compiled code has not returned yet.
    """

    def __init__(
        self,
        newton: Newton,
        settings: Passes,
        scheme: Scheme,
        follow: Follow,
        found: FloatArray,
        mapped: int,
    ) -> None:
        self._newton, self._scheme, self._follow, self._found, self._mapped = newton, scheme, follow, found, mapped
        fields = newton.problem.assembly.fields
        self._flags = fields.time, fields.start_time, fields.mapped, fields.recoupled, fields.at_end
        self._start_data, self._size, self._may_repeat = fields.start_data, fields.step_size, settings.max_it > 1
        self.now = PassValues(fields.data, fields.a, fields.lam, newton.problem.assembly.updates.total)
        self.first = PassValues(*(np.zeros_like(values) for values in self.now))
        self._counts, self._limits = np.zeros(12, np.int64), np.array([settings.atol, settings.rtol])
        self._ends, self._addresses, self._tables = np.zeros(MOST), np.zeros(2, np.int64), np.zeros((6, 2), np.int64)
        self.programs: tuple[Program, ...] = ()
        # the programs from which the array ``programs`` of the context was created
        self._given: tuple[Program, ...] = ()
        self._are_compiled = False
        self._context: StepContext | None = None
        self._block, self._place = lay_down(()), 0
        self._take: Any = None
        self.pace, self.stage, self.earlier, self.iterations, self.passes = 1, NOTHING, 0, 0, 0
        self.had_second, self.froze, self.first_iterations = False, False, 0
        self.are_running = False

    @property
    def next_end(self) -> float:
        """Time [s] at the end of the next step, during a program with the index `IDLE`."""
        return float(self._ends[self._counts[EARLIER]])

    def prepare(
        self,
        ends: Sequence[float],
        begin: Program,
        looks: Sequence[Program],
        end: Program,
        follow: Program | None,
        idle: Sequence[Program],
        repeats: bool,
    ) -> bool:
        """Prepare steps of equal size that end at the times ``ends``. Return False if any part of the steps requires
        Python.

        Args:
            ends: times [s] at the ends of the steps, at most `MOST`.
            begin, looks, end: compiled programs that compute the predictor, make the checks of monitors, and store the
                accepted step.
            follow: compiled program that checks for velocity jumps of constraints after the step; None if the end of
                the step requires Python.
            idle: compiled programs of monitors and hooks for all steps except the last.
            repeats: whether compiled code executes a second pass if contacts have not settled after the first pass.
        """
        self.stage = self.earlier = self.iterations = self.passes = self.first_iterations = 0
        self.had_second = self.froze = False
        updates = self._newton.problem.assembly.updates
        old, last = self._given, NO_CALLS if follow is None else follow
        given = begin, updates.program, end, last, *looks, *idle
        if len(old) != len(given) or not all(map(is_, old, given)):
            self._given = given
            self._change((begin, join(looks), updates.program, end, last, join(idle)), updates.total)
        counts = self._counts
        counts[:] = 0
        counts[WANTED], counts[MAPPED], counts[REPEATS] = 1, self._mapped, repeats and self._may_repeat
        if follow is not None:
            counts[WANTED], counts[FOLLOWS] = len(ends), 1
            if len(ends) > 1:
                self._ends[: len(ends)] = ends
        return self._are_compiled

    def _change(self, programs: tuple[Program, ...], outcome: FloatArray) -> None:
        """Set the compiled programs of a step. The program with the index UPDATE writes its result to ``outcome``."""
        self.programs, self._are_compiled = programs, all(program.is_compiled for program in programs)
        if not self._are_compiled:
            return
        for i, program in enumerate(programs):
            assert program.table is not None
            self._tables[i] = program.table.ctypes.data, len(program.table)
        if self._context is None or self.now.outcome is not outcome:
            self.now = self.now._replace(outcome=outcome)
            places = self._addresses, self._tables, self._counts, self._limits, self._ends, *self._flags, self._size
            passes = self.now, self.first, self._start_data
            c = self._context = StepContext(*places, *passes, self._found, self._follow, self._newton.records)
            self._block = lay_down(c)
            self._place = self._block.ctypes.data
            self._take = Take(find_c_address(take_steps, (), c))

    def run(self, solve: int, place: int, start: int) -> int:
        """Execute the steps, with the kernel at the address ``solve`` for Newton runs. Return 0 on success.

        Args:
            solve, place: addresses of the kernel and of its context.
            start: kind of initial unknowns of each Newton run, `KEPT`, `ZERO` or `CARRIED`.
        """
        self._counts[START] = start
        addresses = self._addresses
        addresses[0], addresses[1] = solve, place
        begin, self.are_running = time.perf_counter(), True
        try:
            status: int = self._take(self._place)
        finally:
            self.are_running = False
            counts = self._counts.tolist()
            self.stage, self.earlier, self.iterations, self.passes = (
                counts[k] for k in (STAGE, EARLIER, ITERATIONS, PASSES)
            )
            self.had_second, self.first_iterations = counts[SECOND] != 0, counts[FIRST]
            self.froze = counts[FROZEN] != 0
            self._scheme.t = float(self._flags[0][0])
        each = (time.perf_counter() - begin) / (1 + self.earlier)
        self.pace = min(int(LONGEST / max(each, 1e-9)) or 1, MOST)
        return status
