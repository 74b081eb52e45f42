"""Hooks that record states of a solve: the first and the last state and, between these states, every n-th step or a
given number of frames.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import ceil, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, Step, When, join
from windlass.framework.output.series import Closing
from windlass.framework.state.hooks import IdleSteps, StepHook
from windlass.framework.state.state import State

ROUNDING = 1e-6
"""If two times of steps and frames differ by less than this fraction [1] of the interval between frames or of the step
size, the times are treated as equal.
"""
STEPS, EVERY, DONE, PASSED, STORED = range(5)
"""Indices of the values in the array ``counts`` of `count_step`."""
START, INTERVAL, EARLIEST = range(3)
"""Indices of the values in the array ``span`` of `count_step`."""
ROOM = 256
"""Largest number of steps in one call of compiled code. All records of a call are stored until the call ends."""


@kernel(fast=False)
def count_step(time: FloatArray, span: FloatArray, counts: IntArray, due: IntArray) -> None:
    """Count a step that ends at ``time``, and decide whether the step is recorded, as described in `EveryNth`.

    Args:
        time: time [s] at the end of the step, shape (1,).
        span: time at the start of the solve, interval between frames, and earliest time of a record, all in seconds,
            shape (3,).
        counts: array of shape (5,). STEPS: number of steps so far. EVERY: n if every n-th step is recorded, or 0 if
            frames are equally spaced in time. DONE: number of frames that were due before this step. PASSED: number of
            steps since Python last set this array. STORED: number of stored records.
        due: output, 1 if the step is recorded, otherwise 0, shape (1,).
    """
    counts[STEPS] += 1
    counts[PASSED] += 1
    if counts[EVERY] > 0:
        due[0] = 1 if counts[STEPS] % counts[EVERY] == 0 and time[0] >= span[EARLIEST] else 0
        return
    done = int((time[0] - span[START]) / span[INTERVAL] + ROUNDING)
    due[0] = 1 if done > counts[DONE] else 0
    counts[DONE] = done


@kernel(fast=False)
def store_record(
    due: IntArray, time: FloatArray, counts: IntArray, numbers: FloatArray, times: FloatArray, steps: IntArray,
    records: FloatArray,
) -> None:  # fmt: skip
    """Store a record if due[0] is not 0. The values ``numbers``, shape (n,), are copied to the next free row of
    ``records``, shape (ROOM, n), and the time is copied to ``times``. The number of steps since Python last set
    ``counts`` is stored in ``steps``.
    """
    k = counts[STORED]
    if due[0] == 0:
        return
    if k >= len(times):
        raise ValueError("no room for a further record")
    times[k], steps[k], counts[STORED] = time[0], counts[PASSED], k + 1
    for i in range(len(numbers)):
        records[k, i] = numbers[i]


class RecordNumbers(NamedTuple):
    """The values of a record, in arrays that compiled code reads.

    Attributes:
        values: the values of the record, shape (n,).
        before, after: steps of a `Program` that run before and after the values are stored. These program steps run at
            the end of each time step. The value of `EveryNth.due` states whether the time step is recorded.
    """

    values: FloatArray
    before: Sequence[Step] = ()
    after: Sequence[Step] = ()


class EveryNth(StepHook, Closing, ABC):
    """Base class of `Recorder`, `Sensors` and other hooks that record states.

    Args:
        every: record every n-th step. If ``every`` is None, record ``frames`` frames in each solve. The frames are
            evenly distributed in time, or in statics over the load steps.
        frames: number of frames in each solve if ``every`` is None. A solve with fewer steps than ``frames`` records
            all its steps.
    """

    def __init__(self, every: int | None, frames: int = 1) -> None:
        self._every, self._frames, self._steps = every, frames, 0
        # values for the present solve: whether frames are equally spaced in time (otherwise in step numbers), the time
        # or step number at the start, and the interval between frames
        self._by_time, self._start, self._interval = True, 0.0, 0.0
        self._done = 0  # number of frames with times that are not later than the previous step
        # the earliest time [s] of a record, and whether the present solve has not made a step yet
        self._earliest, self._begins = -inf, True
        # values for steps in compiled code: the arguments of `count_step`, the state that the steps change, and the
        # step number of this state before the steps
        self._span, self._counts, self.due = np.zeros(3), np.zeros(5, np.int64), np.zeros(1, np.int64)
        self._changing: tuple[State, int] | None = None
        self._time, self._asking = np.zeros(0), Program(())
        self._work: Program | None = None
        # values that compiled code reads, and the records that compiled code writes: times [s], numbers of steps, and
        # values
        self._numbers: RecordNumbers | None = None
        self._times_kept, self._steps_kept = np.zeros(ROOM), np.zeros(ROOM, np.int64)
        self._records_kept = np.zeros((ROOM, 0))

    @abstractmethod
    def record(self, state: State) -> None:
        """Record a state. Subclasses override this method."""

    @abstractmethod
    def _is_empty(self) -> bool:
        """Return whether this hook has not recorded any state yet."""

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Compute the interval between the frames of a solve, as a time or, in statics, as a number of steps."""
        self._by_time, self._done, self._begins = end > state.t, 0, True
        self._start, length = (state.t, end - state.t) if self._by_time else (float(state.step), float(steps))
        self._interval = length / self._frames

    def before_step(self, state: State) -> None:
        """Record the state at the start of a solve, if this hook has not recorded any state before. The following steps
        are recorded as described in `EveryNth`, even if they run in compiled code.
        """
        if self._begins and self._is_empty() and state.t >= self._earliest:
            self.record(state)
        self._begins = False

    def after_step(self, state: State) -> None:
        """Record the state at the end of the step if a record is due."""
        self._steps += 1
        due = self._steps % self._every == 0 if self._every is not None else self._is_due(state)
        if due and state.t >= self._earliest:
            self.record(state)

    # The methods that compiled code replaces at recorded steps. If a subclass overrides one of these methods, Python
    # calls the method of the subclass.
    _step_calls: ClassVar[tuple[Any, Any]] = before_step, after_step

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return `ROOM` steps with a program that records a step if a record is due. If compiled code cannot decide
        which steps are recorded, return the steps that precede the next recorded step.
        """
        program, number = self._find_asking(state), ROOM
        if program is None:
            program, number = self._find_work(state), self._count_before(state, size)
        return IdleSteps(number, program, self._add_steps)

    def _count_before(self, state: State, size: float) -> int:
        """Return the number of steps that precede the next recorded step."""
        if self._every is not None:
            return self._every - 1 - self._steps % self._every
        if not self._by_time or not self._interval > 0.0:
            return 0
        due = self._start + (self._count_due(state) + 1 - ROUNDING) * self._interval
        # rounding errors may reduce this number by one, but never increase it
        return max(0, ceil((due - state.t) / size - ROUNDING) - 1)

    def find_numbers(self, state: State) -> RecordNumbers | None:
        """Return the values of a record if compiled code can read them, otherwise None. Until the arrays change,
        repeated calls return one object.
        """
        return None

    def take_records(self, times: Sequence[float], steps: Sequence[int], records: FloatArray) -> None:
        """Store records that compiled code has written: times [s], step numbers, and the values of `find_numbers`,
        shape (records, n).
        """

    def _find_work(self, state: State) -> Program | None:
        """Return a program that compiled code runs in each step, after ``due`` is set and before a record is made; None
        if there is no such program.
        """
        return None

    def _find_asking(self, state: State) -> Program | None:
        """Return a program that records a time step if a record is due. Return None if frames are not equally spaced in
        step numbers or in time, or if a subclass overrides ``before_step`` or ``after_step``.

        Compiled code stores the values of `find_numbers`. If `find_numbers` returns None, compiled code calls Python
        for each record.
        """
        is_spaced = self._every is not None or (self._by_time and self._interval > 0.0)
        if not is_spaced or (type(self).before_step, type(self).after_step) != self._step_calls:
            return None
        time, numbers = parallel_assembly(state.world).fields.time, self.find_numbers(state)
        work = self._find_work(state)
        if time is not self._time or numbers is not self._numbers or work is not self._work:
            self._time, self._numbers, self._work = time, numbers, work
            count: list[Step] = [(call(count_step, (time, self._span, self._counts, self.due)), (None,))]
            steps: list[Step] = []
            if numbers is None:
                steps.append((When(self._record_due, self.due), ()))
            else:
                self._records_kept = np.zeros((ROOM, len(numbers.values)))
                kept = self._times_kept, self._steps_kept, self._records_kept
                store = call(store_record, (self.due, time, self._counts, numbers.values, *kept))
                steps += [*numbers.before, (store, (None,)), *numbers.after]
            if work is None:
                self._asking = Program(count + steps)
            else:
                self._asking = join([Program(count), work, Program(steps)])
        self._span[:] = self._start, self._interval, self._earliest
        self._counts[:] = self._steps, self._every or 0, self._done, 0, 0
        self._changing = state, state.step
        return self._asking

    def _record_due(self) -> None:
        """Record a time step while compiled code runs. The state already contains the values at the end of the step,
        except for the time and the step number.
        """
        assert self._changing is not None
        state, begun = self._changing
        t, step = state.t, state.step
        state.t, state.step = float(self._time[0]), begun + int(self._counts[PASSED])
        try:
            self.record(state)
        finally:
            state.t, state.step = t, step

    def _add_steps(self, steps: int) -> None:
        """Add the steps of compiled code to the number of steps, and store the records that compiled code has made in
        these steps.
        """
        self._steps += steps
        if self._changing is None:
            return
        if self._every is None:
            self._done = int(self._counts[DONE])
        stored, begun = int(self._counts[STORED]), self._changing[1]
        if stored:
            numbers = (begun + self._steps_kept[:stored]).tolist()
            self.take_records(self._times_kept[:stored].tolist(), numbers, self._records_kept[:stored].copy())
            self._counts[STORED] = 0

    def _is_due(self, state: State) -> bool:
        """Return whether the time of the next frame has been reached or passed by a step."""
        before = self._done
        self._done = self._count_due(state)
        return self._done > before

    def _count_due(self, state: State) -> int:
        now = state.t if self._by_time else float(state.step)
        # outside of a solve, no interval between frames exists, and each step is recorded
        return int((now - self._start) / self._interval + ROUNDING) if self._interval > 0.0 else self._steps

    def finish(self, state: State) -> None:
        """Record the last state. If the solve has failed, the last state is the last good state."""
        if state.t >= self._earliest:
            self.record(state)
