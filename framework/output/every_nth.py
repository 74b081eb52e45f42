"""Hooks that record the start of a solve, every n-th step or the requested number of frames, and the last state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import ceil

from windlass.framework.output.series import Closing
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

ROUNDING = 1e-6
"""Fraction of an interval, or of a step, by which times are rounded [1]."""


class EveryNth(StepHook, Closing, ABC):
    """Base of `Recorder` and `Sensors`.

    Args:
        every: n, or None: ``frames`` records in each solve, evenly distributed in time, or in statics by load steps.
        frames: number of frames; solves with fewer steps record all steps.
    """

    def __init__(self, every: int | None, frames: int = 1) -> None:
        self._every, self._frames, self._steps = every, frames, 0
        # of the present solve: whether frames are spaced by time, its start, and the interval between frames
        self._by_time, self._start, self._interval = True, 0.0, 0.0
        self._done = 0  # frames that are due before the present step

    @abstractmethod
    def record(self, state: State) -> None:
        """Record a state."""

    @abstractmethod
    def _is_empty(self) -> bool:
        """Whether there are no records."""

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Compute the times of the frames of a solve."""
        self._by_time, self._done = end > state.t, 0
        self._start, length = (state.t, end - state.t) if self._by_time else (float(state.step), float(steps))
        self._interval = length / self._frames

    def before_step(self, state: State) -> None:
        """Record the start."""
        if self._is_empty():
            self.record(state)

    def after_step(self, state: State) -> None:
        """Record the step if it is due."""
        self._steps += 1
        if self._steps % self._every == 0 if self._every is not None else self._is_due(state):
            self.record(state)

    def idle_steps(self, state: State, size: float) -> int:
        """Number of steps before the next recorded step."""
        if self._every is not None:
            return self._every - 1 - self._steps % self._every
        if not self._by_time or not self._interval > 0.0:
            return 0
        due = self._start + (self._count_due(state) + 1 - ROUNDING) * self._interval
        # rounding errors may make it one step too early, never too late
        return max(0, ceil((due - state.t) / size - ROUNDING) - 1)

    def skip(self, steps: int) -> None:
        """Count the steps."""
        self._steps += steps

    def _is_due(self, state: State) -> bool:
        """Whether a step has reached or passed the time of the next frame."""
        before = self._done
        self._done = self._count_due(state)
        return self._done > before

    def _count_due(self, state: State) -> int:
        now = state.t if self._by_time else float(state.step)
        # outside of a solve, each step
        return int((now - self._start) / self._interval + ROUNDING) if self._interval > 0.0 else self._steps

    def finish(self, state: State) -> None:
        """Record the last state, also after a failed solve the last good state."""
        self.record(state)
