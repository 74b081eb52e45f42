"""Programs: sequences of calls that are executed repeatedly with the same arrays. Between consecutive calls of compiled
kernels, no Python code runs.

A call of a kernel from Python takes about a microsecond, mostly for type checks of arrays. In small models, these type
checks take longer than the computation. A function that a law creates by `call` passes the same arrays to the same
kernels in every call. Only the contents of the arrays change. A program determines the addresses of kernels and arrays
once, and combines consecutive calls into one call. Python calls all other functions, mainly user functions, in the
order of the steps. If compiled code runs the program, the table of the program contains the addresses of these
functions, and only these functions run as Python code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from typing import Any

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.addresses import find_run, prepare_call, run_if
from windlass.framework.kernels.c_functions import ask, ask_when
from windlass.framework.kernels.call import Addressed, Call, is_compiled

_NO_WORDS: IntArray = np.zeros((0, 2), np.int64)
_Answer = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int64)
Step = tuple[Callable[..., Any], tuple[Any, ...]]
"""Type of a step of a program: a function and its arguments."""


class When:
    """A step that calls a Python function only if ``due[0]`` is not 0.

    Earlier steps of the program set the array ``due``, shape (1,). If ``due[0]`` is 0, compiled code skips this step
    without calling Python.
    """

    def __init__(self, function: Callable[..., Any], due: IntArray) -> None:
        self.function, self.due = function, due

    def __call__(self, *args: Any) -> None:
        if self.due[0] != 0:
            self.function(*args)


class If:
    """A step that executes other steps only if ``flag[0]`` is equal to a given number. Earlier steps of the program, or
    the caller, set the array ``flag``, shape (1,).
    """

    def __init__(self, steps: Iterable[Step], flag: IntArray, value: int) -> None:
        self.program, self.flag, self.value = Program(steps), flag, value

    def __call__(self, *args: Any) -> None:
        if self.flag[0] == self.value:
            self.program()

    def prepare(self) -> Any:
        """Prepare a call from compiled code, see `prepare_call`. The steps must be calls of kernels."""
        table = self.program.table
        assert table is not None
        return prepare_call(run_if, (self.flag, self.value, table))


class FunctionChain:
    """Several functions of an `Evaluation` that are executed in order, as one function.

    In a `Program`, each function is a separate step. Compiled code can therefore execute each function that is a
    `Call`.
    """

    def __init__(self, *functions: Callable[[Any], Any]) -> None:
        self.functions = functions

    def __call__(self, s: Any) -> None:
        for function in self.functions:
            function(s)


def list_single(steps: Iterable[Step]) -> Iterator[Step]:
    """Iterate over steps, with the functions of each `FunctionChain` as separate steps."""
    for function, where in steps:
        if isinstance(function, FunctionChain):
            yield from ((single, where) for single in function.functions)
        else:
            yield function, where


def _make_calls(start: Callable[..., int], table: IntArray, calls: list[Step], _blocks: Any) -> None:
    """Execute the prepared calls of a table by the function ``start``. If a call fails, repeat this call from Python to
    raise its error. The argument ``_blocks`` is a reference that keeps the argument blocks in memory.
    """
    done = start(table)
    if done < len(calls):
        kernel, args = calls[done]
        kernel(*args)  # call the failed kernel again from Python, which raises the error with a message
        name = getattr(kernel, "__name__", "a kernel")
        raise RuntimeError(f"{name} failed, but a repeated call with the same arguments did not fail")


class _Asked:
    """A Python function that compiled code calls. If the function raises an error, the error is stored, and is raised
    after the compiled code has returned.

    Args:
        function: the function, which is called without arguments.
        around: context manager in which ``function`` is called.
    """

    def __init__(self, function: Callable[[], Any], around: AbstractContextManager[Any]) -> None:
        self._function, self._around = function, around
        self._error: BaseException | None = None
        self._entry = _Answer(self._answer)
        # address of the C function `_entry`, an argument of the kernels `ask` and `ask_when`
        self.address = np.array([ctypes.cast(self._entry, ctypes.c_void_p).value or 0], np.int64)

    def _answer(self, _: int) -> int:
        try:
            with self._around:
                self._function()
        except BaseException as error:
            self._error = error
            return 1
        return 0

    def explain(self) -> None:
        """Raise the stored error if the previous call failed."""
        error, self._error = self._error, None
        if error is not None:
            raise error


def _prepare_question(part: Any, asked: _Asked) -> tuple[Any, Any]:
    """Return the table entry and the argument block with which compiled code calls a Python function."""
    function = getattr(part, "func", None)
    if isinstance(function, When):
        return prepare_call(ask_when, (asked.address, function.due))
    return prepare_call(ask, (asked.address,))


class Program:
    """A sequence of steps that are executed in order. A step consists of a function and its arguments. If kernels are
    not compiled, Python executes all steps.

    Args:
        steps: functions and their arguments. The arrays in the arguments must not be replaced later.
        asks: whether compiled code may call steps that are Python functions. If these functions also change data other
            than the contents of arrays, such as lists of neighbours, ``asks`` must be false. The Python functions in
            ``before`` of a `Call` may always be called.
        around: function that returns the context manager in which compiled code calls a Python function. The context
            manager must be reusable.
    """

    def __init__(
        self,
        steps: Iterable[Step],
        asks: bool = True,
        around: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        # functions that Python calls, and tables of consecutive kernel calls, in the order of execution
        self._parts: list[Callable[[], Any]] = []
        self._tables: list[IntArray | Callable[[], Any]] = []
        self._asks, self._around = asks, around
        self._asked: list[_Asked] = []
        self._blocks: list[Any] = []
        at_time: list[Callable[[], Any]] = []
        before: list[Callable[[], Any]] = []
        calls, prepared = list[Step](), list[Any]()
        for function, where in list_single(steps):
            if isinstance(function, Call) and all(is_compiled(kernel) for kernel, *_ in function.parts):
                function.check(*where)
                at_time += [partial(prepare, *where) for prepare in function.at_time]
                before += [partial(prepare, *where) for prepare in function.before]
                for kernel, quick, arguments in function.parts:
                    args = arguments(*where)
                    calls.append((kernel, args))
                    prepared.append(quick.prepare(args) if isinstance(quick, Addressed) else prepare_call(kernel, args))
                continue
            if isinstance(function, If) and function.program.is_plain and is_compiled(run_if):
                calls.append((function, ()))
                prepared.append(function.prepare())
                continue
            self._close(calls, prepared)
            calls, prepared = [], []
            self._parts.append(partial(function, *where))
            self._tables.append(self._parts[-1])
        self._close(calls, prepared)
        first = at_time + before
        self._parts, self._tables, self._values = first + self._parts, [*first, *self._tables], len(first)

    @cached_property
    def table(self) -> IntArray | None:
        """The argument of `run` in addresses.py for all steps; None if compiled code cannot execute all steps."""
        tables = [part for part in self._tables if isinstance(part, np.ndarray)]
        if len(tables) < len(self._tables):
            whole = len(self._tables) - len(tables) - self._values
            if not is_compiled(ask) or (whole and not self._asks):
                return None
            asking = [part for part in self._tables if not isinstance(part, np.ndarray)]
            self._asked = [_Asked(part, self._around()) for part in asking]
            found = [_prepare_question(part, asked) for part, asked in zip(asking, self._asked, strict=True)]
            self._blocks = [block for _, block in found]
            words = iter([np.array([word], np.int64) for word, _ in found])
            tables = [part if isinstance(part, np.ndarray) else next(words) for part in self._tables]
        return tables[0] if len(tables) == 1 else np.concatenate([_NO_WORDS, *tables])

    @property
    def is_compiled(self) -> bool:
        """Whether compiled code can execute all steps."""
        return self.table is not None

    @cached_property
    def is_plain(self) -> bool:
        """Whether all steps are calls of kernels, and no Python functions update arrays for these kernels
        (`Call.before` and `Call.at_time`).
        """
        return all(isinstance(part, np.ndarray) for part in self._tables)

    def _close(self, calls: list[Step], prepared: list[Any]) -> None:
        if not calls:
            return
        words, blocks = zip(*prepared, strict=True)
        table = np.array(words, np.int64)
        self._tables.append(table)
        self._parts.append(partial(_make_calls, find_run(), table, calls, blocks))

    def __call__(self) -> None:
        """Execute all steps."""
        for part in self._parts:
            part()

    def explain(self) -> None:
        """Raise the error that stopped compiled code within this program. If a Python function failed, its stored error
        is raised. Otherwise the program is executed again from Python, which raises the error.
        """
        for asked in self._asked:
            asked.explain()
        self()


NO_CALLS = Program(())


def join(programs: Sequence[Program]) -> Program:
    """Create one program that executes several programs in order."""
    if len(programs) < 2:
        return programs[0] if programs else NO_CALLS
    made, tables = Program(()), [program.table for program in programs if program.table is not None]
    made._parts = [part for program in programs for part in program._parts]
    made._asked = [asked for program in programs for asked in program._asked]
    # keep references to these programs, because the joined table contains addresses of memory that they own
    made._blocks = list(programs)
    made.table = np.concatenate(tables) if len(tables) == len(programs) else None
    return made
