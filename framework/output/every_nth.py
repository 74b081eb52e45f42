"""Hooks that record the start of a solve, every n-th step or as many frames as a film needs, and the last state."""

from __future__ import annotations

from abc import ABC, abstractmethod

from windlass.framework.output.series import Closing
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State


class EveryNth(StepHook, Closing, ABC):
    """Base of `Recorder` and `Sensors`.

    Args:
        every: n, or None: ``frames`` in each solve, evenly in time, in statics evenly by load steps.
        frames: how many; solves with fewer steps record all of them.
    """

    def __init__(self, every: int | None, frames: int = 1) -> None:
        self._every, self._frames, self._steps = every, frames, 0
        # of the present solve: whether its frames go by time, where it began, and from one frame to the next
        self._by_time, self._start, self._interval = True, 0.0, 0.0
        self._done = 0  # frames that are due before the present step

    @abstractmethod
    def record(self, state: State) -> None:
        """Record a state."""

    @abstractmethod
    def _is_empty(self) -> bool:
        """Whether nothing has been recorded."""

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Note where the frames of a solve are due."""
        self._by_time, self._done = end > state.t, 0
        self._start, length = (state.t, end - state.t) if self._by_time else (float(state.step), float(steps))
        self._interval = length / self._frames

    def before_step(self, state: State) -> None:
        """Record the start."""
        if self._is_empty():
            self.record(state)

    def after_step(self, state: State) -> None:
        """Record the step, if it is one of those that are wanted."""
        self._steps += 1
        if self._steps % self._every == 0 if self._every is not None else self._is_due(state):
            self.record(state)

    def idle_steps(self, state: State, size: float) -> int:
        """Those before the next one that is recorded."""
        if self._every is not None:
            return self._every - 1 - self._steps % self._every
        if not self._by_time or not self._interval > 0.0:
            return 0
        due = self._start + (self._count_due(state) + 1) * self._interval
        # counted short by one, for rounding
        return max(0, int((due - state.t) / size) - 2)

    def skip(self, steps: int) -> None:
        """Count them."""
        self._steps += steps

    def _is_due(self, state: State) -> bool:
        """Whether a step has passed the next instant that a film needs."""
        before = self._done
        self._done = self._count_due(state)
        return self._done > before

    def _count_due(self, state: State) -> int:
        now = state.t if self._by_time else float(state.step)
        # without a solve around it, each step
        return int((now - self._start) / self._interval + 1e-6) if self._interval > 0.0 else self._steps

    def finish(self, state: State) -> None:
        """Record the last state, also the last good one of a solve that fails."""
        self.record(state)
