"""The clock that determines when a checkpoint is due. The clock gives the same result on all processes."""

from __future__ import annotations

import math
import time

from windlass.framework.launch.launcher import communicator
from windlass.framework.parallel.processes import Processes
from windlass.framework.state.hooks import IdleSteps

LONGEST_WAIT = 512
"""Largest number of steps between two readings of the clock."""


class Clock:
    """Clock that measures the elapsed time since the previous checkpoint.

    Under MPI the first process reads the time and broadcasts the result. The number of steps between two readings of
    the clock depends on the duration of a step. Therefore the readings take a negligible time.

    Args:
        minutes: elapsed time [min] after which a checkpoint is due; 0 if no checkpoint becomes due.
    """

    def __init__(self, minutes: float) -> None:
        self._seconds = 60.0 * minutes if minutes > 0.0 else math.inf
        self._never = not minutes > 0.0
        self.restart()

    def restart(self) -> None:
        """Restart the measurement of the elapsed time. Call this method after a checkpoint was written."""
        self._looked = time.monotonic()
        self._due = self._looked + self._seconds
        self._waited = self._wait = 1

    def stop(self) -> None:
        """Disable the clock. The first process informs the other processes at the next reading."""
        self._seconds = math.inf

    @property
    def idle_steps(self) -> IdleSteps:
        """The coming steps for which `is_due` need not be called."""
        return IdleSteps(LONGEST_WAIT) if self._never else IdleSteps(self._wait - 1, after=self._add_steps)

    def _add_steps(self, steps: int) -> None:
        self._wait -= steps

    def is_due(self) -> bool:
        """Return whether a checkpoint is due. The call is collective. Call this method once per step."""
        if self._never:
            return False
        self._wait -= 1
        if self._wait > 0:
            return False
        now = time.monotonic()
        left, pace = self._due - now, (now - self._looked) / self._waited
        steps = min(max(0.25 * left / max(pace, 1e-9), 1.0), LONGEST_WAIT)
        due, self._wait = Processes(communicator()).from_first("the clock", (left <= 0.0, int(steps)))
        self._looked, self._waited = now, self._wait
        return bool(due)
