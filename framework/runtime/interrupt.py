"""Interruption of a solve by Ctrl-C. The current step is finished first, so that the state is complete."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType

_begun: list[Interrupt] = []
"""Solves that check for Ctrl-C between their steps, the outermost solve first. While the caller of a solve runs, the
solve is paused.
"""


class Interrupt:
    """Flag that Ctrl-C sets. The solver checks this flag between two steps. When the user presses Ctrl-C again,
    KeyboardInterrupt is raised immediately.

    The signal handler is installed only in serial runs, and only if the program has no handler of its own. Because
    Python handles signals only in the main thread, the handler is not installed in other threads.

    Attributes:
        wanted: whether the user has pressed Ctrl-C, so that the solve must end after the current step.
        paused: whether the solve has returned control to its caller between two steps. If ``paused`` is true, Ctrl-C
            applies to another solve, or ends the program immediately.
    """

    def __init__(self, single: bool) -> None:
        self.wanted = self.paused = False
        self._single = single

    def begin(self) -> None:
        """Add this solve to the list of running solves, and install the signal handler. If the conditions in the
        docstring of `Interrupt` are not fulfilled, install no handler.
        """
        if self._single and threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler:
                signal.signal(signal.SIGINT, _note)
            if handler in (signal.default_int_handler, _note):
                _begun.append(self)

    def end(self) -> None:
        """Remove this solve from the list of running solves, after the solve has ended or was abandoned."""
        if self in _begun:
            _begun.remove(self)
            if not _begun and signal.getsignal(signal.SIGINT) is _note:
                signal.signal(signal.SIGINT, signal.default_int_handler)


def _note(_number: int, _frame: FrameType | None) -> None:
    """Set the flag of the outermost running solve that is not paused. Inner solves, which hooks start, are part of a
    step of the outer solve. At the second Ctrl-C, or if all solves are paused, raise KeyboardInterrupt.
    """
    solve = next((one for one in _begun if not one.paused), None)
    if solve is None or solve.wanted:
        raise KeyboardInterrupt
    solve.wanted = True
    sys.stderr.write("\ninterrupt: the solve ends after this step; Ctrl-C again ends it at once\n")
