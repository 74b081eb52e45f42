"""Hooks that read the state at the ends of steps, while several steps run in one call of compiled code. Compiled code
calls these hooks, or stores the states of due steps until the end of the call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, When
from windlass.framework.state.hooks import IdleSteps, StepHook
from windlass.framework.state.state import State

MOST = 512
"""Largest number of steps between two calls of the hook by the solver."""
MOST_STORED = 1_000_000
"""Largest total number of values that compiled code stores, for all states together."""
FEWEST = 64
"""Smallest number of states for which compiled code stores states. If fewer states have `MOST_STORED` values, Python
reads the state at the end of each step of a row.
"""
FOLLOWING, START, PERIOD = range(3)
"""Indices in `Due.numbers`."""


class Due:
    """Selection of the steps that are written to tables, as in Exudyn. Rows are written for the start, for the end, and
    for the first step at or after each multiple of a period since the start. If the period is 0, each step is written.

    Args:
        period: the period [s].
        clock: function that returns the time [s] of a state.

    Attributes:
        last: time [s] of the last row.
        numbers: earliest time of the next row (infinite before `begin`), start time, and period, all in seconds, shape
            (3,). Compiled code also changes the first number, see `store_row`.
    """

    def __init__(self, period: float, clock: Callable[[State], float]) -> None:
        self._clock, self.last, self.numbers = clock, 0.0, np.array([np.inf, 0.0, period])

    def begin(self, state: State) -> None:
        """Store the start time as the time of the last row, and compute the time of the next row."""
        start = self.last = self._clock(state)
        self.numbers[FOLLOWING], self.numbers[START] = start + self.numbers[PERIOD], start

    def is_due(self, state: State) -> bool:
        """Return whether a row must be written for an accepted step. If a row must be written, record the row as
        written.
        """
        time = self._clock(state)
        following, start, period = self.numbers.tolist()
        if time < following - self._round(time):
            return False
        self.last = time
        if period > 0.0:
            # this formula must be equal to the formula in `advance`
            self.numbers[FOLLOWING] = start + (int((time - start + self._round(time)) / period) + 1) * period
        return True

    def is_left(self, state: State) -> bool:
        """Return whether a row must be written for the end of the solve. If a row must be written, record the row as
        written.
        """
        time = self._clock(state)
        if time <= self.last + self._round(time):
            return False
        self.last = time
        return True

    @staticmethod
    def _round(time: float) -> float:
        return 1e-10 * max(1.0, abs(time))


class StepValues(NamedTuple):
    """Displacements, velocities, accelerations, multipliers and history values of one state or of several states.
    Arrays for several states have an additional first axis.
    """

    q: FloatArray
    v: FloatArray
    a: FloatArray
    lam: FloatArray
    data: FloatArray


def read_values(state: State) -> StepValues:
    """Return the arrays of a state."""
    return StepValues(state.q, state.v, state.a, state.lam, state.data)


@kernel(inline=True)
def find_rounding(time: float) -> float:
    """Return the largest difference [s] of two times that count as equal."""
    rounding: float = 1e-10 * max(1.0, abs(time))
    return rounding


@kernel(fast=False)
def advance(time: float, numbers: FloatArray) -> None:
    """Set the earliest time of the next row after a row at the time ``time`` [s]. The argument ``numbers`` is explained
    in `Due`.
    """
    if numbers[PERIOD] > 0.0:
        passed = int((time - numbers[START] + find_rounding(time)) / numbers[PERIOD])
        numbers[FOLLOWING] = numbers[START] + (passed + 1) * numbers[PERIOD]


@kernel(fast=False)
def find_due(time: FloatArray, following: FloatArray, due: IntArray) -> None:
    """Set ``due`` to 1 if the time ``time`` [s] of a step has reached the time ``following`` [s], and to 0 otherwise.
    The arrays have the shape (1,). Times that differ by rounding errors count as equal.
    """
    due[0] = 1 if time[0] >= following[0] - find_rounding(time[0]) else 0


@kernel(fast=False)
def store_row(
    time: FloatArray, numbers: FloatArray, count: IntArray, times: FloatArray, values: Any, rows: Any
) -> None:
    """Store the state of a step as a further row if a row is due.

    time: time [s] at the end of the step, shape (1,).
    numbers: see `Due`.
    count: number of stored rows, shape (1,).
    times: times [s] of the stored rows, shape (rows,).
    values, rows: the `StepValues` of the step, and of the stored rows.
    """
    if time[0] < numbers[FOLLOWING] - find_rounding(time[0]):
        return
    times[count[0]] = time[0]
    for k in range(len(values)):
        for i in range(len(values[k])):
            rows[k][count[0], i] = values[k][i]
    count[0] += 1
    advance(time[0], numbers)


class StepCalls(StepHook):
    """Base class of hooks that read the state at the ends of steps but do not change the state.

    Args:
        following: time [s] before which the hook need not be called, shape (1,). The method `after_step` updates this
            value. If ``following`` is None, the hook is called after each step.
    """

    def __init__(self, following: FloatArray | None = None) -> None:
        self._following = np.full(1, -np.inf) if following is None else following
        self._due = np.zeros(1, np.int64)
        self._time, self._program = np.zeros(0), Program(())
        self._state: State | None = None

    def between_steps(self, state: State) -> None:
        """Read the state at the end of a compiled step: call `after_step`."""
        self.after_step(state)

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return `MOST` steps, with the program that calls `between_steps` in steps that have reached the time
        ``following``.
        """
        time = parallel_assembly(state.world).fields.time
        if state is not self._state or time is not self._time:
            self._state, self._time = state, time
            find = call(find_due, (time, self._following, self._due))
            self._program = Program([(find, (None,)), (When(self._call, self._due), ())])
        return IdleSteps(MOST, self._program)

    def _call(self) -> None:
        """Call `between_steps` during a call of compiled code.

        The state then contains the values at the end of the step, except for the time and the step number.
        """
        state = self._state
        assert state is not None
        begun = state.t
        state.t = float(self._time[0])
        try:
            self.between_steps(state)
        finally:
            state.t = begun


class StepRows(StepCalls, ABC):
    """Base class of hooks that make rows of a table from the states of due steps.

    Args:
        numbers: times of the rows, see `Due.numbers`.
        may_wait: whether the rows of several steps can be made after these steps. Compiled code then stores the states
            of due steps, and does not call Python at the end of a step.
    """

    def __init__(self, numbers: FloatArray, may_wait: bool) -> None:
        super().__init__(numbers[:1])
        self._numbers, self._may_wait = numbers, may_wait
        self._count, self._stored_times = np.zeros(1, np.int64), np.zeros(MOST)
        self._rows = StepValues(*np.zeros((5, 0, 0)))

    def _count_room(self, state: State) -> int:
        """Return the number of states that compiled code stores between two calls, or 0 if it stores no states."""
        if not self._may_wait or not state.is_whole:
            return 0
        room = min(MOST, MOST_STORED // max(sum(map(len, read_values(state))), 1))
        return room if room >= FEWEST else 0

    @abstractmethod
    def add_rows(self, times: list[float], values: StepValues) -> None:
        """Add rows for the stored states at the given times [s]."""

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return the steps whose states can be stored, with the program that stores the states of due steps. If
        ``may_wait`` is false, return the result of `StepCalls`.
        """
        room, values = self._count_room(state), read_values(state)
        if not room:
            return super().idle_steps(state, size)
        time = parallel_assembly(state.world).fields.time
        if state is not self._state or time is not self._time:
            self._state, self._time = state, time
            self._rows = StepValues(*(np.zeros((room, len(part))) for part in values))
            given = time, self._numbers, self._count, self._stored_times, tuple(values), tuple(self._rows)
            self._program = Program([(call(store_row, given), (None,))])
        return IdleSteps(room, self._program, self._take_rows)

    def _take_rows(self, _: int) -> None:
        """Add the rows of the stored states."""
        count = int(self._count[0])
        if count:
            self._count[0] = 0
            self.add_rows(self._stored_times[:count].tolist(), StepValues(*(part[:count] for part in self._rows)))
