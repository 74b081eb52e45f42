"""Programs: calls that are made again and again with the same arrays, the compiled ones without Python in between.

A call of a kernel from Python costs about a microsecond, most of it for looking at its arrays; in small models this is
more than the work.  A law that gives a function of its `System` as `fixed` promises that the call is always the same
kernel with the same arrays, whose contents alone change.  Programs then find the addresses once and make all such
calls that follow each other as one.  Other functions, those of users above all, are called by Python in their turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.bind import bind
from windlass.framework.kernels.calls import can_be_called, prepare_call, run

Step = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


class Fixed:
    """A function of a `System` that consists of kernel calls with always the same arrays; made by `fixed`."""

    __slots__ = ("before", "parts")

    def __init__(
        self,
        parts: tuple[tuple[Callable[..., None], Callable[..., None], Callable[..., Any]], ...],
        before: tuple[Callable[..., Any], ...],
    ) -> None:
        self.parts, self.before = parts, before

    def __call__(self, *where: Any) -> None:
        for prepare in self.before:
            prepare(*where)
        for _, call, arguments in self.parts:
            call(*arguments(*where))


def fixed(
    kernel: Callable[..., None],
    arguments: Callable[..., tuple[Any, ...]],
    before: Callable[..., Any] | None = None,
) -> Fixed:
    """A function ``(fields, ...)`` of a `System` that is one call of a kernel.

    Args:
        kernel: kernel without a result.
        arguments: what a `System` function is given, such as ``(fields, f)`` -> arguments of the kernel: in each call
            the same arrays, of which only the contents may change, and numbers that never do, but for
            ``fields.rate_level``.
        before: is called with the same at the begin of each program, and may change the contents of the arrays by what
            time, coordinates and markers are.
    """
    return Fixed(((kernel, bind(kernel), arguments),), () if before is None else (before,))


def together(functions: Iterable[Fixed]) -> Fixed:
    """One function that calls several in turn."""
    every = list(functions)
    return Fixed(tuple(p for function in every for p in function.parts), tuple(b for f in every for b in f.before))


def _make_calls(start: Callable[..., int], table: IntArray, calls: list[Step], _blocks: Any) -> None:
    """Make prepared calls; their arguments and argument blocks are kept alive with them."""
    done = start(table)
    if done < len(calls):
        kernel, args = calls[done]
        kernel(*args)  # raises again, with a message
        raise RuntimeError(f"{kernel.__name__} failed, but not when it was called again")


class Program:
    """Steps, each a function and its arguments, that are taken in turn; without compiler all are taken by Python.

    Args:
        steps: functions and what they are called with.  The arrays in it must not be replaced by others.
    """

    def __init__(self, steps: Iterable[Step]) -> None:
        self._parts: list[Callable[[], Any]] = []
        before: list[Callable[[], Any]] = []
        calls: list[Step] = []
        for function, where in steps:
            if isinstance(function, Fixed) and all(can_be_called(kernel) for kernel, *_ in function.parts):
                before += [partial(prepare, *where) for prepare in function.before]
                calls += [(kernel, arguments(*where)) for kernel, _, arguments in function.parts]
                continue
            self._close(calls)
            calls = []
            self._parts.append(partial(function, *where))
        self._close(calls)
        self._parts = before + self._parts

    def _close(self, calls: list[Step]) -> None:
        if not calls:
            return
        words, blocks = zip(*[prepare_call(kernel, args) for kernel, args in calls], strict=True)
        self._parts.append(partial(_make_calls, bind(run), np.array(words, np.int64), calls, blocks))

    def __call__(self) -> None:
        """Take all steps."""
        for part in self._parts:
            part()
