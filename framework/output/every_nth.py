"""Hooks that record the start of a solve, every n-th step and the last state."""

from __future__ import annotations

from abc import ABC, abstractmethod

from windlass.framework.output.series import Closing
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State


class EveryNth(StepHook, Closing, ABC):
    """Base of `Recorder` and `Sensors`; ``every`` is n."""

    def __init__(self, every: int) -> None:
        self._every, self._steps = every, 0

    @abstractmethod
    def record(self, state: State) -> None:
        """Record a state."""

    @abstractmethod
    def _is_empty(self) -> bool:
        """Whether nothing has been recorded."""

    def before_step(self, state: State) -> None:
        """Record the start."""
        if self._is_empty():
            self.record(state)

    def after_step(self, state: State) -> None:
        """Record every n-th step."""
        self._steps += 1
        if self._steps % self._every == 0:
            self.record(state)

    def finish(self, state: State) -> None:
        """Record the last state, also the last good one of a solve that fails."""
        self.record(state)
