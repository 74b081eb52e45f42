"""Calls of kernels, made quick: laws and solvers make all of them by `call`.

A compiled kernel that is called from Python looks at the type of every array in every argument; with columns of many
arrays this takes longer than many a kernel.  A call has always arguments of the same types, so the compiled version is
looked up once.  And a call of a law has always the same arrays, whose contents alone change: a `Program` lays them down
in memory and makes all such calls that follow each other without Python in between.

What is laid down stays as it is.  So the arguments are looked at before the first call: a number that comes from what
changes, such as the time, or an array that is made anew is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from windlass.framework.errors import ModelError

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

OWNS_DATA = 4
"""The one of NumPy's flags of an array that makes no difference to a kernel."""


class _Quick:
    """A kernel whose compiled version is fixed by the first call."""

    __slots__ = ("_call", "_kernel")

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._call: Any = None

    def __call__(self, *args: Any) -> Any:
        if self._call is not None:
            return self._call(*args)
        kernel, kinds = self._kernel, find_kinds(args)
        self._call = kernel.versions.get(kinds)
        if self._call is not None:
            return self._call(*args)
        result = kernel(*args)
        types = tuple(kernel.typeof_pyval(value) for value in args)
        if types in kernel.overloads:
            self._call = kernel.versions[kinds] = kernel.overloads[types].entry_point
        return result


def find_kinds(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What decides on the compiled version, found much quicker than the compiler's own types."""
    found: list[Any] = [type(values)]
    for value in values:
        if isinstance(value, np.ndarray):
            found.append((value.dtype, value.ndim, value.flags.num & ~OWNS_DATA))
        elif isinstance(value, tuple):
            found.append(find_kinds(value))
        else:
            found.append(type(value))
    return tuple(found)


def is_compiled(function: Any) -> bool:
    """Whether a function is a compiled kernel; plain Python functions are not."""
    return getattr(function, "overloads", None) is not None


class KernelCall(NamedTuple):
    """One kernel of a `Call`: itself, the quick way to call it, and ``(s) -> arguments``."""

    kernel: Callable[..., Any]
    quick: Callable[..., Any]
    arguments: Callable[[Any], tuple[Any, ...]]


class Call:
    """A function ``(s)`` that calls kernels with arrays named once; made by `call`, and put in a row by ``+``.

    Attributes:
        parts: the kernels in their order.
        before: functions ``(s)`` that bring the contents of the arrays up to date, called before all kernels.
        at_time: those of them that look at the time alone: once for a time is enough.
    """

    __slots__ = ("_checked", "at_time", "before", "parts")

    def __init__(
        self,
        parts: tuple[KernelCall, ...] = (),
        before: tuple[Callable[[Any], None], ...] = (),
        at_time: tuple[Callable[[Any], None], ...] = (),
    ) -> None:
        self.parts, self.before, self.at_time, self._checked = parts, before, at_time, False

    def __add__(self, other: Call) -> Call:
        return Call(self.parts + other.parts, self.before + other.before, self.at_time + other.at_time)

    def where(self, change: Callable[[Any], Any]) -> Call:
        """The same calls at what ``change`` makes of an evaluation."""
        parts = [part._replace(arguments=_changed(part.arguments, change)) for part in self.parts]
        before, at_time = ([_changed(f, change) for f in functions] for functions in (self.before, self.at_time))
        return Call(tuple(parts), tuple(before), tuple(at_time))

    def __call__(self, s: Any) -> Any:
        """Make the calls; gives what the last kernel gives."""
        if not self._checked:
            self.check(s)
        for prepare in self.at_time + self.before:
            prepare(s)
        result = None
        for _, quick, arguments in self.parts:
            result = quick(*arguments(s))
        return result

    def check(self, s: Any) -> None:
        """Look at the arguments, once.

        Raises:
            ModelError: another number of arguments than the kernel takes, a number that changes from evaluation to
                evaluation, or an array that does not stay.
        """
        for kernel, _, arguments in () if self._checked else self.parts:
            _check_count(kernel, len(arguments(s)))
            _check_arguments(kernel.__name__, arguments, s)
        self._checked = True


def _changed(function: Callable[[Any], Any], change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda s: function(change(s))


@overload
def call(kernel: Kernel) -> Kernel: ...


@overload
def call(
    kernel: Callable[..., Any],
    arguments: Callable[[Any], tuple[Any, ...]] | tuple[Any, ...],
    before: Callable[[Any], None] | None = None,
) -> Call: ...


def call(
    kernel: Callable[..., Any],
    arguments: Callable[[Any], tuple[Any, ...]] | tuple[Any, ...] | None = None,
    before: Callable[[Any], None] | None = None,
) -> Any:
    """A function ``(s)`` of a `System` that is one call of a kernel, or a kernel that is quick to call from Python.

    Args:
        kernel: the kernel; without a result where it is to be part of a `Program`.
        arguments: ``lambda s: (...)``, what the kernel is called with, named from an `Evaluation` and from what the law
            has: in each evaluation the same arrays, and numbers that are parameters.  The time is ``s.time``, an array.
            If left out, the kernel is called with arguments of its own, always of the same types.  A tuple of
            arrays and parameters in its place needs no look before the first call.
        before: ``(s)``, brings the contents of arrays up to date that Python has to fill (functions of users).
    """
    quick: Any = _Quick(kernel) if is_compiled(kernel) else kernel
    if arguments is None:
        return quick
    given = (lambda _: arguments) if isinstance(arguments, tuple) else arguments
    made = Call((KernelCall(kernel, quick, given),), () if before is None else (before,))
    made._checked = isinstance(arguments, tuple)
    return made


def _check_count(kernel: Any, given: int) -> None:
    """Compare the number of arguments with that of a kernel or plain function."""
    plain = getattr(kernel, "py_func", kernel)
    if not isinstance(plain, FunctionType):
        return
    taken = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    if not len(taken) - len(plain.__defaults__ or ()) <= given <= len(taken):
        words = f"must be {len(taken)}, ({', '.join(taken)})"
        raise ModelError(f"call({kernel.__name__}) has {given} arguments: {words}")


def _check_arguments(name: str, arguments: Callable[[Any], tuple[Any, ...]], s: Any) -> None:
    """Compare the arguments of two equal evaluations, and with those of others with other contents."""
    first, again = list(_leaves(arguments(s))), list(_leaves(arguments(s)))
    for (i, one), (_, other) in zip(first, again, strict=True):
        if isinstance(one, np.ndarray) and one.size and _place(one) != _place(other):
            raise ModelError(
                f"argument {i} of call({name}) is an array of shape {one.shape} that is made anew in each evaluation: "
                "must be one that stays, with contents that change"
            )
    for probe in s.probes():
        with np.errstate(all="ignore"):
            try:
                others = list(_leaves(arguments(probe)))
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise ModelError(
                    f"the arguments of call({name}) are computed ({error}): must be named only, since they are laid "
                    "down once"
                ) from error
            except ModelError as error:
                raise ModelError(f"the arguments of call({name}): {error}") from None
        for (i, one), (_, other) in zip(first, others, strict=True):
            if not isinstance(one, np.ndarray) and not _is_same(one, other):
                raise ModelError(
                    f"argument {i} of call({name}) is the number {one!r}, which changes from evaluation to evaluation: "
                    "must be an array that stays, with contents that change, such as s.time, or a parameter"
                )


def _leaves(values: tuple[Any, ...], place: int | None = None) -> Iterator[tuple[int, Any]]:
    """Arrays and numbers in nested tuples, with the number of the argument that they are in, from 0."""
    for i, value in enumerate(values):
        where = i if place is None else place
        if isinstance(value, tuple):
            yield from _leaves(value, where)
        else:
            yield where, value


def _place(array: Any) -> tuple[Any, ...]:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype


def _is_same(one: Any, other: Any) -> bool:
    """Whether two numbers are equal, or both none."""
    return bool(one is other or one == other or (one != one and other != other))
