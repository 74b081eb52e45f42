"""Pacing: a run waits after its steps, so that simulated time is at most a given multiple of the elapsed time.

Let p be the factor, t the simulated time at the end of a step, and t_0 the simulated time at the start of the run.
After the step, the run waits until the time (t - t_0)/p has elapsed since the start of the run. If more time has
elapsed, the run continues without waiting.
"""

from __future__ import annotations

import time

from windlass.framework.command_line.notes import say_once
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

LATE = 1e-3
"""Largest delay [s] that is not reported. Waiting times of operating systems have errors of this size."""


class Pacer(StepHook):
    """Hook that waits after each step so that simulated time does not exceed a multiple of the elapsed time.

    Args:
        factor: largest ratio [1] of simulated to elapsed time.

    Attributes:
        largest, last: largest delay [s] of a step, and delay [s] of the last step.
        note: text about the largest delay; empty if no delay exceeds `LATE`.
    """

    def __init__(self, factor: float) -> None:
        self._factor = factor
        self._start: tuple[float, float] | None = None
        self.largest = self.last = 0.0

    def before_step(self, state: State) -> None:
        """Store the start time before the first step."""
        if self._start is None:
            self._start = time.perf_counter(), state.t

    def after_step(self, state: State) -> None:
        """Wait until the elapsed time corresponds to the time of the step."""
        assert self._start is not None
        began, at = self._start
        delay = time.perf_counter() - began - (state.t - at) / self._factor
        if delay < 0.0:
            time.sleep(-delay)
        self.last = max(delay, 0.0)
        self.largest = max(self.largest, self.last)

    @property
    def note(self) -> str:
        """Text about the largest delay; empty if no delay exceeds `LATE`."""
        if self.largest <= LATE:
            return ""
        return (
            f"the run did not keep the pace of {self._factor:g}: steps ended up to {self.largest:.3g} s late, the last "
            f"step {self.last:.3g} s"
        )

    def say(self, name: str) -> list[str]:
        """Print the note for the run ``name``. Return a list with the note, or an empty list."""
        notes = [self.note] if self.note else []
        say_once(f"note: {name}", notes)
        return notes
