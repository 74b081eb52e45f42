"""Steps in compiled code: from the predictor of one to that of the next without Python, as long as none is needed.

Everything that a usual step consists of is a program or a compiled Newton run: predictor, Newton's method, the looks of
watches, the update of history values, the end of the step, the look for kinks of constraints.
`take_steps` makes these calls for as many steps as are wanted and comes back where a step is no usual one: Newton's
method has failed, contacts want another pass, a watch has found something, a constraint has a kink.  Python goes on
from there, within that step, by the same rules as without compiled steps, so that digits, counts and messages are the
same both ways.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from operator import is_
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.addresses import lay_down
from windlass.framework.kernels.c_functions import call_c, find_c_address, load
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import NO_CALLS, Program, join
from windlass.solvers.newton.callbacks import BEYOND, run_program
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem_kernels import begin_run
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.stepping.discontinuous import Passes

MOST = 64
"""Steps of one call at most; what is shown or asked for between steps waits no longer."""
LONGEST = 0.02
"""Elapsed time of one call at most, as far as the last one tells [s]: Ctrl-C waits for its end."""
BEGIN, LOOK, UPDATE, END, FOLLOW, IDLE = range(6)
"""Numbers of programs: predictor, looks of watches, history values, end of the step, constraints, and what watches and
hooks want of steps that they do not see."""
NOTHING, STARTED, LOOKED, UPDATED, ACCEPTED, DONE = range(6)
"""How far the last step has come."""
STAGE, EARLIER, ITERATIONS, WANTED, FOLLOWS, START, MAPPED = range(7)
"""Places in `StepContext.counts`."""


class Follow(NamedTuple):
    """What constraints are looked at with after a step; see `Consistency`.

    Attributes:
        largest: shape (1,), 0 where nothing is looked at.
        before, now: shape (2, m).
        noise: a largest number up to this is no kink.
    """

    largest: FloatArray
    before: FloatArray
    now: FloatArray
    noise: float


class StepContext(NamedTuple):
    """What `take_steps` works on.

    Attributes:
        addresses: of the kernel that makes a Newton run, and of its context, shape (2,).
        programs: address and number of calls of each program, shape (6, 2).
        counts: how far the last step has come, steps before it and iterations of these, how many steps are wanted,
            whether constraints are looked at, what Newton runs begin with, and how many residuals of each are mapped,
            shape (7,).
        limits: absolute and relative force error that is accepted, see `Passes`, shape (2,).
        ends: of the steps [s], shape (MOST,).
        time, start_time, mapped: those of the fields, shape (1,) each.
        outcome: what the update of history values says, see `judge_outcomes`, shape (6,).
        found: > 0 where a watch has found something, shape (1,).
        follow: see there.
        records: see `Newton.records`.
    """

    addresses: IntArray
    programs: IntArray
    counts: IntArray
    limits: FloatArray
    ends: FloatArray
    time: FloatArray
    start_time: FloatArray
    mapped: FloatArray
    outcome: FloatArray
    found: FloatArray
    follow: Follow
    records: tuple[Any, Any, Any]


@kernel
def call_program(programs: IntArray, which: int, state: Any) -> int:
    """Make the calls of a program; 0 if all went well."""
    status = run_program(programs, which, state)
    if status != 0:
        state[0]["failed"] += BEYOND
    return int(status)


@kernel(fast=False)
def take_steps(context: Any) -> int:
    """Take steps until all are done or one is no usual one; 0 if nothing has failed. The first one has been begun."""
    c = load(context)
    counts, follow, (measures, lag, state) = c.counts, c.follow, c.records
    for i in range(counts[WANTED]):
        status = 0
        counts[STAGE] = STARTED
        # later steps begin at the end of the one before
        if i > 0:
            status = call_program(c.programs, IDLE, state)
            if status != 0:
                return int(status)
            counts[EARLIER] += 1
            counts[ITERATIONS] += state[0]["iterations"]
            c.start_time[0], c.time[0] = c.time[0], c.ends[i]
            begin_run(measures, lag, state)
            c.mapped[0] = counts[MAPPED]
            status = call_program(c.programs, BEGIN, state)
        # Newton's method
        if status == 0:
            status = call_c(c.addresses[0], (counts[START], c.addresses[1]))
        if status != 0 or state[0]["reason"] <= 0:
            return int(status)
        # watches and history values after it
        c.found[0] = 0.0
        status = call_program(c.programs, LOOK, state)
        if status == 0:
            counts[STAGE] = LOOKED
            status = call_program(c.programs, UPDATE, state)
        if status != 0:
            return int(status)
        counts[STAGE] = UPDATED
        # contacts want another pass
        if not c.outcome[0] <= max(c.limits[0], c.limits[1] * c.outcome[3]):
            return 0
        # what a watch has found is judged by Python
        if c.found[0] != 0.0:
            return 0
        lag[0]["switched"] = c.outcome[2] != 0.0
        # the end of the step becomes the state
        status = call_program(c.programs, END, state)
        if status != 0:
            return int(status)
        counts[STAGE] = ACCEPTED
        if counts[FOLLOWS] == 0:
            return 0
        # kinks of constraints
        status = call_program(c.programs, FOLLOW, state)
        if status != 0 or not follow.largest[0] <= follow.noise:
            return int(status)
        # one by one: a slice brings the compiler's formatting of text with it, for its message about shapes
        for j in range(follow.now.shape[0]):
            for k in range(follow.now.shape[1]):
                follow.before[j, k] = follow.now[j, k]
        counts[STAGE] = DONE
    return 0


Take = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class CompiledSteps:
    """Steps of one run that are taken in compiled code, where they can be.

    Args:
        newton: Newton's method.
        settings: when a pass is accepted.
        scheme: what the unknowns mean, the same object in all steps; takes the time of the last one.
        follow: how constraints are looked at.
        found: what watches have found, see `StepContext`.
        mapped: how many residuals of a Newton run are mapped, see `Fields`.

    Attributes:
        programs: in the order of their numbers.
        pace: steps that a call may take by the clock.
        stage: how far the last step has come.
        earlier, iterations: steps that were done before the last one, and their iterations.
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
        self._times = fields.time, fields.start_time, fields.mapped
        self._counts, self._limits = np.zeros(7, np.int64), np.array([settings.atol, settings.rtol])
        self._ends, self._addresses, self._tables = np.zeros(MOST), np.zeros(2, np.int64), np.zeros((6, 2), np.int64)
        self.programs: tuple[Program, ...] = ()
        # those of them that are made of several, as they were given
        self._given: tuple[Program, ...] = ()
        self._are_compiled, self._outcome = False, np.zeros(0)
        self._context: StepContext | None = None
        self._block, self._place = lay_down(()), 0
        self._take: Any = None
        self.pace, self.stage, self.earlier, self.iterations = 1, NOTHING, 0, 0

    def prepare(
        self,
        ends: Sequence[float],
        begin: Program,
        looks: Sequence[Program],
        end: Program,
        follow: Program | None,
        idle: Sequence[Program],
    ) -> bool:
        """Make ready for steps of equal size up to these times [s]; False if some of their programs need Python.

        Args:
            ends: at most `MOST`.
            begin, looks, end: programs, see `BEGIN` and those after it.
            follow: the one after these; None where Python has more to do after the step.
            idle: what watches and hooks want of the steps before the last one.
        """
        self.stage = self.earlier = self.iterations = 0
        updates = self._newton.problem.assembly.updates
        old, last = self._given, NO_CALLS if follow is None else follow
        given = begin, updates.program, end, last, *looks, *idle
        if len(old) != len(given) or not all(map(is_, old, given)):
            self._given = given
            self._change((begin, join(looks), updates.program, end, last, join(idle)), updates.total)
        counts = self._counts
        counts[:] = 0
        counts[WANTED], counts[MAPPED] = 1, self._mapped
        if follow is not None:
            counts[WANTED], counts[FOLLOWS] = len(ends), 1
            if len(ends) > 1:
                self._ends[: len(ends)] = ends
        return self._are_compiled

    def _change(self, programs: tuple[Program, ...], outcome: FloatArray) -> None:
        """Take other programs, the update of which says its outcome in an array."""
        self.programs, self._are_compiled = programs, all(program.is_compiled for program in programs)
        if not self._are_compiled:
            return
        for i, program in enumerate(programs):
            assert program.table is not None
            self._tables[i] = program.table.ctypes.data, len(program.table)
        if self._context is None or self._outcome is not outcome:
            places = self._addresses, self._tables, self._counts, self._limits, self._ends, *self._times
            c = self._context = StepContext(*places, outcome, self._found, self._follow, self._newton.records)
            self._block, self._outcome = lay_down(c), outcome
            self._place = self._block.ctypes.data
            self._take = Take(find_c_address(take_steps, (), c))

    def run(self, solve: int, place: int, start: int) -> int:
        """Take steps by a kernel that makes Newton runs; 0 if nothing has failed.

        Args:
            solve, place: addresses of the kernel and of its context.
            start: what each run begins with.
        """
        self._counts[START] = start
        addresses = self._addresses
        addresses[0], addresses[1] = solve, place
        begin = time.perf_counter()
        try:
            status: int = self._take(self._place)
        finally:
            self.stage, self.earlier, self.iterations, *_ = self._counts.tolist()
            self._scheme.t = float(self._times[0][0])
        each = (time.perf_counter() - begin) / (1 + self.earlier)
        self.pace = min(int(LONGEST / max(each, 1e-9)) or 1, MOST)
        return status
