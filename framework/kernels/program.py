"""Programs: calls repeated with the same arrays, compiled ones without Python in between.

A call of a kernel from Python costs about a microsecond, most of it for type checks of its arrays; in small models this
is more than the work.  A function that a law makes by `call` always has the same kernels with the same arrays, and only
their contents change.  Programs find the addresses once and combine consecutive calls of this kind into one.  Other
functions, mainly users' functions, are called by Python in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.addresses import find_run, prepare_call
from windlass.framework.kernels.call import Call, is_compiled

_NO_WORDS: IntArray = np.zeros((0, 3), np.int64)
Step = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


def _make_calls(start: Callable[..., int], table: IntArray, calls: list[Step], _blocks: Any) -> None:
    """Make prepared calls; their arguments and argument blocks are kept alive with them."""
    done = start(table)
    if done < len(calls):
        kernel, args = calls[done]
        kernel(*args)  # call again, to raise the error with a message
        raise RuntimeError(f"{kernel.__name__} failed, but not when it was called again")


class Program:
    """Steps, each a function and its arguments, executed in order; without compiler, all are executed by Python.

    Args:
        steps: functions and their arguments.  Arrays in the arguments must not be replaced by other arrays.

    Attributes:
        at_time: Python functions to call once per time, see `Call`; called first by the program.
        table: argument of `run` in addresses.py for all other steps; None if some of them need Python.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        self._parts: list[Callable[[], Any]] = []
        self.at_time: list[Callable[[], Any]] = []
        tables: list[IntArray] = []
        before: list[Callable[[], Any]] = []
        calls: list[Step] = []
        for function, where in steps:
            if isinstance(function, Call) and all(is_compiled(kernel) for kernel, *_ in function.parts):
                function.check(*where)
                self.at_time += [partial(prepare, *where) for prepare in function.at_time]
                before += [partial(prepare, *where) for prepare in function.before]
                calls += [(kernel, arguments(*where)) for kernel, _, arguments in function.parts]
                continue
            self._close(calls, tables)
            calls = []
            self._parts.append(partial(function, *where))
        self._close(calls, tables)
        self._parts = before + self._parts
        self.table: IntArray | None = _NO_WORDS
        if len(self._parts) != len(tables):
            self.table = None
        elif tables:
            self.table = tables[0]
        self._parts = self.at_time + self._parts

    @property
    def is_compiled(self) -> bool:
        """Whether all steps are calls of kernels, without Python functions before them."""
        return self.table is not None and not self.at_time

    def _close(self, calls: list[Step], tables: list[IntArray]) -> None:
        if not calls:
            return
        words, blocks = zip(*[prepare_call(kernel, args) for kernel, args in calls], strict=True)
        table = np.array(words, np.int64)
        tables.append(table)
        self._parts.append(partial(_make_calls, find_run(), table, calls, blocks))

    def __call__(self) -> None:
        """Execute all steps."""
        for part in self._parts:
            part()


NO_CALLS = Program(())


def join(programs: Sequence[Program]) -> Program:
    """One program that executes several ones in order."""
    if len(programs) < 2:
        return programs[0] if programs else NO_CALLS
    made, tables = Program(()), [program.table for program in programs if program.table is not None]
    made.at_time = [bring for program in programs for bring in program.at_time]
    made._parts = [part for program in programs for part in program._parts]
    made.table = np.concatenate(tables) if len(tables) == len(programs) else None
    return made
