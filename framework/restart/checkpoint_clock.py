"""The clock that says when a checkpoint is due, the same on all processes."""

from __future__ import annotations

import math
import time

from windlass.framework.launch.launcher import communicator
from windlass.framework.parallel.processes import Processes

LONGEST_WAIT = 64
"""Steps after which the clock is looked at again at the latest."""


class Clock:
    """Elapsed time since the last checkpoint.

    Under MPI the first process looks at its clock and tells the others.  How many steps pass before it looks again
    follows from their pace, so that short steps pay nothing for it.

    Args:
        minutes: elapsed time after which a checkpoint is due [min]; 0: never.
    """

    def __init__(self, minutes: float) -> None:
        self._seconds = 60.0 * minutes if minutes > 0.0 else math.inf
        self._never = not minutes > 0.0
        self.restart()

    def restart(self) -> None:
        """A checkpoint is written: begin to wait for the next one."""
        self._looked = time.monotonic()
        self._due = self._looked + self._seconds
        self._waited = self._wait = 1

    def stop(self) -> None:
        """No checkpoint is due any more; the first process says so to the others when they ask."""
        self._seconds = math.inf

    @property
    def idle_steps(self) -> int:
        """How many of the next steps need not ask."""
        return LONGEST_WAIT if self._never else self._wait - 1

    def skip(self, steps: int) -> None:
        """So many steps have not asked."""
        self._wait -= steps

    def is_due(self) -> bool:
        """Whether a checkpoint is due; to be asked once a step, by all processes together."""
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
