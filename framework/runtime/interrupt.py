"""Ctrl-C during a solve: the step in progress is finished, so that the kept state is complete."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType

_begun: list[Interrupt] = []
"""Solves that check for Ctrl-C between their steps, outermost first; solves are paused while their callers run."""


class Interrupt:
    """Stores the first Ctrl-C until the solver checks for it between two steps; the second Ctrl-C ends the solve at
    once.

    The handler works on one process and in its main thread, the only thread in which Python handles signals; otherwise,
    and in programs with their own handler, Ctrl-C is unchanged.

    Attributes:
        wanted: whether the user wants the solve to end.
        paused: whether the solve does not check for Ctrl-C at present; Ctrl-C then applies to another solve or ends the
            program at once.
    """

    def __init__(self, single: bool) -> None:
        self.wanted = self.paused = False
        self._single = single

    def begin(self) -> None:
        """A solve begins."""
        if self._single and threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler:
                signal.signal(signal.SIGINT, _note)
            if handler in (signal.default_int_handler, _note):
                _begun.append(self)

    def end(self) -> None:
        """Remove a solve that has ended or was abandoned."""
        if self in _begun:
            _begun.remove(self)
            if not _begun and signal.getsignal(signal.SIGINT) is _note:
                signal.signal(signal.SIGINT, signal.default_int_handler)


def _note(_number: int, _frame: FrameType | None) -> None:
    """Let the outermost running solve end after its step; solves within its hooks are part of that step."""
    solve = next((one for one in _begun if not one.paused), None)
    if solve is None or solve.wanted:
        raise KeyboardInterrupt
    solve.wanted = True
    sys.stderr.write("\ninterrupt: the solve ends after this step; Ctrl-C again ends it at once\n")
