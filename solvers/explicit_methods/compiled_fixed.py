"""Execution of several steps of a method of `fixed_steps` in one call of compiled code.

Models without constraints and history values, whose constant mass matrix is diagonal, need no Python code within a
step, except for user functions. A step that compiled code cannot finish does not change the state. Python then executes
this step with the same results.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.addresses import lay_down, run
from windlass.framework.kernels.c_functions import calls_at, find_c_address, load
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, join
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import Accelerations

MOST = 512
"""Largest number of steps in one call of compiled code."""
LONGEST = 0.05
"""Largest elapsed time of one call of compiled code [s], estimated from the previous call."""
RATES, LOOK, IDLE = range(3)
"""Indices of the programs of a step.

RATES: program that adds all terms of the equations of motion.
LOOK: program with the checks of monitors.
IDLE: program of monitors and hooks for steps in which their Python functions are not called.
"""
WANTED, DONE, KNOWN, REUSES, FAILED = range(5)
"""Indices in `FixedContext.counts`.

WANTED, DONE: numbers of wanted and of completed steps.
KNOWN: whether the rates at the start of the present step are known, in the last row of `FixedContext.k`.
REUSES: whether the rates at the end of a step are the rates at the start of the next step.
FAILED: index of the program that has failed, or -1.
"""


class FixedContext(NamedTuple):
    """The data of `take_fixed` for n coordinates and a method with s stages.

    Attributes:
        programs: address and number of kernel calls of each program, shape (3, 2).
        counts: integer data, with the indices `WANTED` to `FAILED`, shape (5,).
        factors: rows of A, followed by b, see `fixed_steps`, shape (s + 1, s).
        nodes: the coefficients c, shape (s,).
        ends: start time, and times [s] at the ends of the steps, shape (MOST + 1,).
        numbers: size [s] of the steps, and largest change [m, rad, 1] of a coordinate in a step, shape (2,).
        q, v, a: displacements, velocities and accelerations of the state, shape (n,).
        reference: reference coordinates, shape (n + 1,).
        x, rates, time, start_time, step_size: arrays of the fields.
        f, inverse: forces, shape (n + 1,), and negative reciprocals of the masses, shape (n,).
        k: rates of displacements and velocities at the stages and at the end of a step, shape (s + 1, 2 n).
        y: displacements and velocities at a stage, shape (2 n,).
        found: a value > 0 if a monitor has found a problem, shape (1,).
    """

    programs: IntArray
    counts: IntArray
    factors: FloatArray
    nodes: FloatArray
    ends: FloatArray
    numbers: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    reference: FloatArray
    x: FloatArray
    rates: FloatArray
    time: FloatArray
    start_time: FloatArray
    step_size: FloatArray
    f: FloatArray
    inverse: FloatArray
    k: FloatArray
    y: FloatArray
    found: FloatArray


@kernel(fast=False)
def call_table(c: Any, which: int) -> bool:
    """Execute the kernel calls of a program. Return whether all calls were successful."""
    count = c.programs[which, 1]
    if run(calls_at(c.programs[which, 0], count)) == count:
        return True
    c.counts[FAILED] = which
    return False


@kernel(fast=False)
def eval_stage(c: Any, i: int, count: int, t: float) -> bool:
    """Evaluate the rates k_i at the time t [s] from the rates of the first ``count`` stages. Return whether coordinates
    and rates are finite, and no coordinate has changed too much.
    """
    n, size, limit = len(c.q), c.numbers[0], c.numbers[1]
    for d in range(2 * n):
        total = 0.0
        for j in range(count):
            total += c.factors[i, j] * c.k[j, d]
        start = c.q[d] if d < n else c.v[d - n]
        y = c.y[d] = start + size * total
        if not np.isfinite(y) or (d < n and not abs(y - start) <= limit):
            return False
    for d in range(n):
        c.x[d], c.rates[d] = c.reference[d] + c.y[d], c.y[n + d]
    c.time[0], c.step_size[0] = t, t - c.start_time[0]
    if not call_table(c, RATES):
        return False
    finite = True
    for d in range(n):
        c.k[i, d], c.k[i, n + d] = c.y[n + d], c.f[d] * c.inverse[d]
        finite &= np.isfinite(c.k[i, n + d])
    return finite


@kernel(fast=False)
def take_fixed(context: Any) -> int:
    """Execute steps until all steps are complete, or a step requires Python. Return 0."""
    c = load(context)
    counts, n, stages, size = c.counts, len(c.q), len(c.nodes), c.numbers[0]
    for i in range(counts[WANTED]):
        begin, then = c.ends[i], c.ends[i + 1]
        if counts[KNOWN] != 0:
            for d in range(2 * n):
                c.k[0, d] = c.k[stages, d]
        elif not eval_stage(c, 0, 0, begin + c.nodes[0] * size):
            return 0
        for s in range(1, stages):
            if not eval_stage(c, s, s, begin + c.nodes[s] * size):
                return 0
        if not eval_stage(c, stages, stages, then):
            return 0
        c.found[0] = 0.0
        if not call_table(c, LOOK) or c.found[0] != 0.0:
            return 0
        for d in range(n):
            c.q[d], c.v[d], c.a[d] = c.y[d], c.y[n + d], c.k[stages, n + d]
        counts[DONE] += 1
        counts[KNOWN] = counts[REUSES]
        if not call_table(c, IDLE):
            return 0
    return 0


Take = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class CompiledFixed:
    """Object that executes steps of one method in compiled code.

    Args:
        accelerations: evaluator of accelerations.
        rows, weights: coefficients of the method, see `fixed_steps`.

    Attributes:
        rate: rates of displacements and velocities at the end of the last step, shape (2 n,).
        pace: number of steps per call that keeps the elapsed time of a call below `LONGEST`.
    """

    def __init__(self, accelerations: Accelerations, rows: Sequence[Sequence[float]], weights: Sequence[float]) -> None:
        self._accelerations, self._fields, stages = accelerations, accelerations.assembly.fields, len(rows)
        n = accelerations.assembly.layout.spare
        self._factors, self._nodes = np.zeros((stages + 1, stages)), np.array([sum(row) for row in rows], np.float64)
        for i, row in enumerate([*rows, weights]):
            self._factors[i, : len(row)] = row
        self._tables, self._counts = np.zeros((3, 2), np.int64), np.zeros(5, np.int64)
        self._ends, self._numbers, self._k = np.zeros(MOST + 1), np.zeros(2), np.zeros((stages + 1, 2 * n))
        self.rate, self._y, self.pace = self._k[-1], np.zeros(2 * n), MOST
        # the programs and the state for which the context was created
        self._programs: tuple[Program, ...] = ()
        self._state: State | None = None
        self._block, self._take = lay_down(()), Take(0)

    def _follow(self, state: State, programs: tuple[Program, ...], found: FloatArray) -> None:
        """Store the addresses of programs and arrays."""
        for i, program in enumerate(programs):
            assert program.table is not None
            self._tables[i] = program.table.ctypes.data, len(program.table)
        self._programs = programs
        if state is self._state:
            return
        a, fields = self._accelerations, self._fields
        arrays = self._tables, self._counts, self._factors, self._nodes, self._ends, self._numbers
        motion = state.q, state.v, state.a, a.assembly.layout.reference, fields.x, fields.v
        times = fields.time, fields.start_time, fields.step_size
        c = FixedContext(*arrays, *motion, *times, a.f, a.minus_inverse_mass, self._k, self._y, found)
        self._state, self._block, self._take = state, lay_down(c), Take(find_c_address(take_fixed, (), c))
        self._context = c

    def run(
        self, state: State, ends: Sequence[float], size: float, limit: float, programs: tuple[Program, ...],
        found: FloatArray, known: bool, reuses: bool,
    ) -> tuple[int, Program | None]:  # fmt: skip
        """Execute steps. Return the number of completed steps, and the program that has failed, if any. The state then
        contains the motion at the end of these steps.

        Args:
            state: the state at the start of the steps.
            ends: start time and times [s] at the ends of the steps, at most `MOST` + 1.
            size: size [s] of the steps.
            limit: largest change [m, rad, 1] of a coordinate in a step.
            programs: compiled programs with the indices `RATES` to `IDLE`.
            found: a value > 0 if a monitor has found a problem, shape (1,).
            known: whether ``rate`` contains the rates at the start.
            reuses: whether the rates at the end of a step are the rates at the start of the next step.
        """
        if state is not self._state or programs != self._programs:
            self._follow(state, programs, found)
        self._counts[:] = len(ends) - 1, 0, known, reuses, -1
        self._ends[: len(ends)], self._numbers[:] = ends, (size, limit)
        begin = time.perf_counter()
        self._take(self._block.ctypes.data)
        done, failed = int(self._counts[DONE]), int(self._counts[FAILED])
        self.pace = max(min(int(LONGEST * max(done, 1) / max(time.perf_counter() - begin, 1e-9)), MOST), 1)
        state.t = float(self._ends[done])
        return done, programs[failed] if failed >= 0 else None


def join_programs(rates: Program, looks: Sequence[Program], idle: Sequence[Program]) -> tuple[Program, ...] | None:
    """Return the programs with the indices `RATES` to `IDLE`, or None if compiled code cannot execute a program."""
    found = rates, join(looks), join(idle)
    return found if all(program.is_compiled for program in found) else None
