"""Progress of a solve: time, step size, Newton iterations per step, remaining time, and the real-time factor. This
factor is the simulated time divided by the elapsed time without compilation.
"""

from __future__ import annotations

import sys
import time

from windlass.framework.command_line import options
from windlass.framework.kernels.process import compiling_time
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.launch.notebook import LiveLine, find_shell
from windlass.solvers.stepping.statistics import Statistics
from windlass.solvers.stepping.step_history import StepHistory

INTERVAL_TERMINAL = 0.5
INTERVAL_FILE = 10.0
LONG_COMPILING = 1.0
"""Compile time [s] of the kernels of a solve. If the time is longer than this value, it is printed."""


class Progress:
    """Output of the progress of a solve. In a terminal, one line is overwritten repeatedly. In a notebook the line has
    a progress bar. In a file, a new line is added from time to time.

    Args:
        name: name of the solve; empty to show no progress.
        unit: unit of the progress variable, ``"s"`` for time.
        statistics: statistics of the solve.

    Attributes:
        history: record of each step, or None.
        unit: unit of the progress variable.
    """

    def __init__(self, name: str, unit: str, statistics: Statistics) -> None:
        self._name, self.unit, self._statistics = name, unit, statistics
        self._shown = bool(name) and options.progress_wanted() and is_first_process()
        self.history: StepHistory | None = None
        self._terminal = sys.stderr.isatty()
        self._live = LiveLine() if self._shown and find_shell() is not None else None
        self._begin = self._now = self._clock = 0.0
        # simulated time at the end of the first step, and elapsed time without compile time at this step
        self._first: tuple[float, float] | None = None
        self._compiled = 0.0
        self._interval = INTERVAL_TERMINAL if self._terminal or self._live is not None else INTERVAL_FILE

    def begin(self, now: float, end: float) -> None:
        """Begin a solve from ``now`` to ``end``, both in ``unit``."""
        self._begin = self._now = now
        self._end = end
        self._clock = self._last = time.perf_counter()
        # each solve starts a new line
        self._live = None if self._live is None else LiveLine()
        self._compiled = compiling_time()
        self._first = None

    def step(self, now: float, size: float) -> None:
        """Record a step of the given size that ends at ``now``."""
        self._now = now
        if self.history is not None:
            self.history.note(now, size, self._statistics)
        if not self._shown:
            return
        clock = time.perf_counter()
        compiling = compiling_time() - self._compiled
        # the prediction excludes compile time and the first step, because kernels are compiled and loaded only once
        if self._first is None:
            self._first = now, clock - compiling
        if clock - self._last < self._interval:
            return
        self._last = clock
        unit = f" {self.unit}" if self.unit else ""
        line = (
            f"{self._name}: {now:.5g} of {self._end:.5g}{unit}, step {size:.3g}{unit}, "
            f"{self._statistics.describe_work()}"
        )
        spent, done = clock - compiling - self._first[1], now - self._first[0]
        if spent > 0.0 and done > 0.0:
            line += f", {spent * (self._end - now) / done:.0f} s to go"
            if self.unit == "s":
                line += f", real-time factor {done / spent:.3g}"
        if compiling >= LONG_COMPILING:
            line += f", plus {compiling:.0f} s of compiling"
        span = self._end - self._begin
        self._write(line, share=min(max((now - self._begin) / span, 0.0), 1.0) if span > 0.0 else 0.0)

    def end(self, stopped: str = "") -> None:
        """Print the statistics at the end of a solve, and the real-time factor. If the solve was stopped before its
        end, ``stopped`` is the reason.
        """
        if not self._shown:
            return
        line = f"{self._name}: {f'{stopped} after ' if stopped else ''}{self._statistics.describe()}"
        spent = time.perf_counter() - self._clock - (compiling_time() - self._compiled)
        if self.unit == "s" and self._now > self._begin and spent > 0.0:
            line += f", real-time factor {(self._now - self._begin) / spent:.3g}"
        self._write(line, last=True)

    def _write(self, line: str, last: bool = False, share: float | None = None) -> None:
        if self._live is not None:
            self._live.write(line, share)
            return
        if self._terminal:
            sys.stderr.write(f"\r{line:<110}" + ("\n" if last else ""))
        else:
            sys.stderr.write(line + "\n")
        sys.stderr.flush()
