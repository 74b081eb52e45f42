"""Ctrl-C during a solve: the step in progress is finished, so that the state that is kept is whole."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any


class Interrupt:
    """Takes the first Ctrl-C as a wish that the solver asks for between two steps; the second one ends it at once.

    It works on one process and in its main thread, the only one that Python lets handle signals; elsewhere Ctrl-C stays
    what it was.

    Attributes:
        wanted: whether the user wants the solve to end.
        paused: whether nobody asks at present, so that Ctrl-C ends the program at once.
    """

    def __init__(self, single: bool) -> None:
        self.wanted = self.paused = False
        self._single, self._installed = single, False
        self._before: Any = None

    def begin(self) -> None:
        """A solve begins."""
        if self._single and threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            # a solve within another one leaves the handler to that one; programs with handlers of their own keep them
            if before is signal.default_int_handler:
                self._before, self._installed = before, True
                signal.signal(signal.SIGINT, self._note)

    def end(self) -> None:
        """The solve has ended or was left."""
        if self._installed:
            signal.signal(signal.SIGINT, self._before)
            self._installed = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.wanted or self.paused:
            raise KeyboardInterrupt
        self.wanted = True
        sys.stderr.write("\ninterrupt: the solve ends after this step; Ctrl-C again ends it at once\n")
