"""Steps in compiled code: from the predictor of one to that of the next without Python, as long as nobody has to look.

Everything that a usual step consists of is a program or a compiled Newton run: predictor, Newton's method, the look for
energy, the update of history values, the end of the step, the look for kinks of constraints.  `take_steps` makes these
calls for as many steps as are wanted and comes back where a step is no usual one: Newton's method has failed, contacts
want another pass, a constraint has a kink.  Python goes on from there, within that step, by the same rules as without
compiled steps, so that digits, counts and messages are the same both ways.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.addresses import lay_down
from windlass.framework.kernels.c_functions import call_c, find_c_address, load
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program
from windlass.solvers.newton.callbacks import BEYOND, run_program
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.problem_kernels import begin_run
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.stepping.discontinuous import DiscontinuousSettings

MOST = 64
"""Steps of one call at most; what is shown or asked for between steps waits no longer."""
LONGEST = 0.02
"""Elapsed time of one call at most, as far as the last one tells [s]: Ctrl-C waits for its end."""
BEGIN, LOOK, UPDATE, END, FOLLOW = range(5)
"""Numbers of programs: predictor, forces for the balance of energy, history values, end of the step, constraints."""
NOTHING, STARTED, LOOKED, UPDATED, ACCEPTED, DONE = range(6)
"""How far the last step has come."""
NO_CALLS = Program(())
RECORD = np.dtype(
    [(name, np.int64) for name in ("wanted", "follows", "earlier", "iterations", "stage")]
    + [(name, np.float64) for name in ("atol", "rtol", "noise")]
)
"""wanted: how many steps; follows: whether the last program is to be run; earlier: steps that were done before the last
one, and iterations of these; stage: how far that one has come; atol, rtol: force errors that are accepted, see
`DiscontinuousSettings`; noise: what is no kink."""


class Follow(NamedTuple):
    """How constraints are looked at after a step; see `Consistency`.

    Attributes:
        program: fills ``now`` and ``largest`` from ``before``; None where Python has more to do.
        largest: shape (1,), 0 where nothing is looked at.
        before, now: shape (2, m).
        noise: a largest number up to this is no kink.
    """

    program: Program | None
    largest: FloatArray
    before: FloatArray
    now: FloatArray
    noise: float


class StepContext(NamedTuple):
    """What `take_steps` works on.

    Attributes:
        addresses: of the kernel that makes a Newton run, and of its context, shape (2,).
        programs: address and number of calls of each program, shape (5, 2).
        record: see `RECORD`, shape (1,).
        ends, time: ends of the steps [s], shape (MOST,), and the time of the fields, shape (1,).
        outcome: what the update of history values says, see `judge_outcomes`, shape (6,).
        largest, before, now: see `Follow`.
        records: see `Newton.records`.
    """

    addresses: IntArray
    programs: IntArray
    record: Any
    ends: FloatArray
    time: FloatArray
    outcome: FloatArray
    largest: FloatArray
    before: FloatArray
    now: FloatArray
    records: tuple[Any, Any, Any]


@kernel
def take(programs: IntArray, which: int, state: Any) -> int:
    """Make the calls of a program; 0 if all went well."""
    status = run_program(programs, which, state)
    if status != 0:
        state[0]["failed"] += BEYOND
    return int(status)


@kernel(fast=False)
def take_steps(context: Any) -> int:
    """Take steps until all are done or one is no usual one; 0 if nothing has failed. The first one has been begun."""
    c = load(context)
    record, (measures, lag, state) = c.record, c.records
    for i in range(record[0]["wanted"]):
        status = 0
        if i > 0:
            record[0]["earlier"] += 1
            record[0]["iterations"] += state[0]["iterations"]
            c.time[0] = c.ends[i]
            begin_run(measures, lag, state)
            record[0]["stage"] = STARTED
            status = take(c.programs, BEGIN, state)
        record[0]["stage"] = STARTED
        if status == 0:
            status = call_c(c.addresses[0], (np.int64(1), c.addresses[1]))
        if status != 0 or state[0]["reason"] <= 0:
            return int(status)
        status = take(c.programs, LOOK, state)
        if status == 0:
            record[0]["stage"] = LOOKED
            status = take(c.programs, UPDATE, state)
        if status != 0:
            return int(status)
        record[0]["stage"] = UPDATED
        if not c.outcome[0] <= max(record[0]["atol"], record[0]["rtol"] * c.outcome[3]):
            return 0
        lag[0]["switched"] = c.outcome[2] != 0.0
        status = take(c.programs, END, state)
        if status != 0:
            return int(status)
        record[0]["stage"] = ACCEPTED
        if record[0]["follows"] == 0:
            return 0
        status = take(c.programs, FOLLOW, state)
        if status != 0 or not c.largest[0] <= record[0]["noise"]:
            return int(status)
        c.before[:] = c.now
        record[0]["stage"] = DONE
    return 0


Take = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class CompiledSteps:
    """Steps of one run that are taken in compiled code, where they can be.

    Args:
        newton: Newton's method.
        settings: when a pass is accepted.
        scheme: what the unknowns mean, the same object in all steps; takes the time of the last one.

    Attributes:
        programs: in the order of their numbers.
        pace: steps that a call may take by the clock.
    """

    def __init__(self, newton: Newton, settings: DiscontinuousSettings, scheme: Scheme) -> None:
        self._newton, self._scheme = newton, scheme
        self._record, self._ends = np.zeros(1, RECORD), np.zeros(MOST)
        self._record["atol"], self._record["rtol"] = settings.atol, settings.rtol
        self._addresses, self._tables = np.zeros(2, np.int64), np.zeros((5, 2), np.int64)
        self.programs: tuple[Program, ...] = ()
        self._context: StepContext | None = None
        self._block = lay_down(())
        self._take: Any = None
        self.pace = 1

    @property
    def stage(self) -> int:
        """How far the last step has come."""
        return int(self._record["stage"][0])

    @property
    def earlier(self) -> int:
        """Steps that were done before the last one."""
        return int(self._record["earlier"][0])

    @property
    def iterations(self) -> int:
        """Iterations of the earlier steps."""
        return int(self._record["iterations"][0])

    def prepare(self, ends: Sequence[float], begin: Program, look: Program, end: Program, follow: Follow) -> bool:
        """Make ready for steps of equal size up to these times [s]; False if some of their programs need Python.

        Args:
            ends: at most `MOST`.
            begin, look, end, follow: programs, see `BEGIN` and those after it.
        """
        assembly, r = self._newton.problem.assembly, self._record
        r["earlier"], r["iterations"], r["stage"] = 0, 0, NOTHING
        updates = assembly.updates
        programs = begin, look, updates.program, end, follow.program or NO_CALLS
        if any(a is not b for a, b in zip(programs, self.programs, strict=False)) or not self.programs:
            self.programs = programs
            for i, program in enumerate(programs):
                if program.table is None or program.at_time:
                    self._take, self.programs = None, ()
                    return False
                self._tables[i] = program.table.ctypes.data, len(program.table)
            self._lay_down(updates.total, follow)
        r["follows"], r["noise"] = follow.program is not None, follow.noise
        r["wanted"] = len(ends) if follow.program is not None else 1
        self._ends[: len(ends)] = ends
        return True

    def _lay_down(self, outcome: FloatArray, follow: Follow) -> None:
        c, fields = self._context, self._newton.problem.assembly.fields
        found = StepContext(
            self._addresses,
            self._tables,
            self._record,
            self._ends,
            fields.time,
            outcome,
            follow.largest,
            follow.before,
            follow.now,
            self._newton.records,
        )
        if c is None or self._take is None or c.outcome is not outcome:
            self._context, self._block = found, lay_down(found)
            self._take = Take(find_c_address(take_steps, (), found))

    def run(self, solve: int, place: int) -> int:
        """Take steps by a kernel that makes Newton runs, at an address, with its context; 0 if nothing has failed."""
        self._addresses[:] = solve, place
        begin = time.perf_counter()
        try:
            status: int = self._take(self._block.ctypes.data)
        finally:
            self._scheme.t = self._newton.problem.assembly.fields.t
        each = (time.perf_counter() - begin) / (1 + self.earlier)
        self.pace = min(max(int(LONGEST / max(each, 1e-9)), 1), MOST)
        return status
