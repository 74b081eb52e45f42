"""Fast calls of kernels: laws and solvers call the kernels of repeated evaluations by `call`.

If Python calls a compiled kernel, the kernel checks the types of all arrays in its arguments. In many kernels with many
arrays, this check takes longer than the computation. The arguments of a call always have the same types, so the
compiled version is looked up only once. A law always passes the same arrays to a kernel. Only the contents of the
arrays change. A `Program` stores the addresses of the arrays, and executes consecutive calls without returning to
Python.

Stored arguments must never change. Before the first call, the arguments are checked: an error is raised if an argument
is a number that changes, such as the time, or an array that is created again in each evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import pack
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.addresses import Memory, find_data, find_run, prepare_call
from windlass.framework.kernels.kernel import KernelFunction
from windlass.framework.kernels.signature import count_results, names_only
from windlass.framework.kernels.value_types import find_kinds

Called = TypeVar("Called", bound=Callable[..., Any])

OFTEN = 1000
"""Number of calls of a kernel from Python after which an entry point for Python is compiled."""


class _Quick:
    """A kernel whose compiled version is fixed by the first call. Calls with other types of arguments use the general
    kernel, which finds the version for these types.
    """

    __slots__ = ("_call", "_kinds", "kernel")

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self._call: Any = None
        self._kinds: tuple[Any, ...] = ()

    def __call__(self, *args: Any) -> Any:
        if self._call is not None and find_kinds(args) == self._kinds:
            return self._call(*args)
        if self._call is None:
            kinds = find_kinds(args)
            version = self.kernel.versions.get(kinds)
            if version is not None:
                self._kinds, self._call = kinds, version
                return version(*args)
        result = self.kernel(*args)
        if self._call is None:
            self._kinds, self._call = kinds, self.kernel.versions.get(kinds)
        return result


class Addressed:
    """A kernel of a `Call` that is called by its address. Python calls most of these kernels only at the start of a
    solve. Therefore these kernels have no entry point for Python. The creation of this entry point would take a sixth
    of the compilation time.
    """

    __slots__ = ("_count", "_known", "_last", "_quick", "_row")

    def __init__(self, quick: _Quick) -> None:
        self._quick, self._count = quick, 0
        self._known: Memory = {}
        # the arguments of the previous call with the result of `prepare_call` for these arguments, and the row for
        # `run`
        self._last: tuple[tuple[Any, ...], Any] = ((), None)
        self._row: IntArray | None = None

    def prepare(self, args: tuple[Any, ...]) -> Any:
        """Prepare a call of the kernel from compiled code. See `prepare_call`."""
        last, prepared = self._last
        if prepared is None or len(last) != len(args) or not all(map(_is_stored, args, last)):
            prepared = prepare_call(self._quick.kernel, args, self._known)
            self._last, self._row = (args, prepared), None
        return prepared

    def __call__(self, *args: Any) -> None:
        self._count += 1
        if self._count <= OFTEN:
            words, _ = self.prepare(args)
            if self._row is None:
                self._row = np.array([words], np.int64)
            if find_run()(self._row) == 1:
                return
        # after a failed call, the kernel is called again from Python to raise its error
        self._quick(*args)


def _is_stored(value: Any, stored: Any) -> bool:
    """Return whether an argument and a stored argument are one object, or are numbers with equal type and bits."""
    if value is stored:
        return True
    kind = type(value)
    if kind is not type(stored):
        return False
    return bool(value == stored) if kind is int else kind is float and pack("d", value) == pack("d", stored)


def is_compiled(function: Any) -> bool:
    """Return whether a function is a compiled kernel."""
    return isinstance(function, KernelFunction)


class KernelCall(NamedTuple):
    """One kernel of a `Call`: the kernel, its fast version, and the function of an `Evaluation` s that returns the
    arguments. The fast version is a `_Quick` or an `Addressed`, or the kernel itself if the kernel is not compiled.
    """

    kernel: Callable[..., Any]
    quick: Callable[..., Any]
    arguments: Callable[[Any], tuple[Any, ...]]


class Call:
    """A function of an `Evaluation` s that calls kernels with fixed arrays. `call` creates such functions, and ``+``
    joins them.

    Attributes:
        parts: the kernels in the order of the calls.
        before: functions of s that update the contents of the arrays. These functions are called before the first
            kernel.
        at_time: functions of s that update contents of the arrays which depend only on time. These functions are called
            before the functions in ``before``.
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
        """Return a copy of these calls. If the copy is called with s, its functions receive the evaluation
        ``change(s)``.
        """
        parts = [part._replace(arguments=_changed(part.arguments, change)) for part in self.parts]
        before, at_time = ([_changed(f, change) for f in functions] for functions in (self.before, self.at_time))
        return Call(tuple(parts), tuple(before), tuple(at_time))

    def __call__(self, s: Any) -> Any:
        """Call the kernels, and return the result of the last kernel."""
        if not self._checked:
            self.check(s)
        for prepare in self.at_time + self.before:
            prepare(s)
        result = None
        for _, quick, arguments in self.parts:
            result = quick(*arguments(s))
        return result

    def find_arrays(self, s: Any) -> list[Any] | None:
        """Return all arrays in the arguments of the kernels, or None if Python functions may read other arrays."""
        if self.before or self.at_time:
            return None
        leaves = [leaf for _, _, arguments in self.parts for _, leaf in _leaves(arguments(s))]
        return [leaf for leaf in leaves if isinstance(leaf, np.ndarray)]

    def check(self, s: Any) -> None:
        """Check the arguments. Later calls of this method do nothing.

        Raises:
            ModelError: the number of arguments is wrong, an argument is a number that changes between evaluations, or
                an argument is an array that is created again in each evaluation.
        """
        for kernel, _, arguments in () if self._checked else self.parts:
            first = arguments(s)
            _check_count(kernel, len(first))
            _check_arrays(kernel.__name__, first, arguments, s)
            if not (isinstance(arguments, FunctionType) and names_only(arguments.__code__, "t", "markers")):
                with np.errstate(all="ignore"):
                    _check_numbers(kernel.__name__, first, arguments, s)
        self._checked = True


def _changed(function: Callable[[Any], Any], change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda s: function(change(s))


@overload
def call(kernel: Called) -> Called: ...


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
    """Create a function of an `Evaluation` s that calls a kernel. If ``arguments`` is not given, return a fast version
    of the kernel for calls from Python.

    Args:
        kernel: the kernel. A kernel that is called in a `Program` must not return a value.
        arguments: function ``lambda s: (...)`` that returns the arguments of the kernel: attributes of the `Evaluation`
            s, or data of the law. Each evaluation must pass the same arrays and constant numbers. The time is
            ``s.time``, an array. If ``arguments`` is omitted, the caller passes the arguments of the kernel, which must
            always have the same types. Instead of a function, a tuple of arrays and parameters can be given. The
            arguments of a tuple are not checked before the first call.
        before: function of s that updates the contents of those arrays that Python must fill, for example by user
            functions.
    """
    quick: Any = _Quick(kernel) if is_compiled(kernel) else kernel
    if arguments is None:
        return quick
    if is_compiled(kernel) and count_results(kernel) == {0}:
        quick = Addressed(quick)
    given = (lambda _: arguments) if isinstance(arguments, tuple) else arguments
    made = Call((KernelCall(kernel, quick, given),), () if before is None else (before,))
    made._checked = isinstance(arguments, tuple)
    return made


def _check_count(kernel: Any, given: int) -> None:
    """Raise ModelError if the number of arguments does not fit the signature of a kernel or Python function."""
    plain = getattr(kernel, "py_func", kernel)
    if not isinstance(plain, FunctionType):
        return
    taken = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    if not len(taken) - len(plain.__defaults__ or ()) <= given <= len(taken):
        words = f"must be {len(taken)}, ({', '.join(taken)})"
        raise ModelError(f"call({kernel.__name__}) has {given} arguments: {words}")


def _check_arrays(name: str, given: tuple[Any, ...], arguments: Callable[[Any], tuple[Any, ...]], s: Any) -> None:
    """Raise ModelError if an argument is an array that each evaluation creates again. ``given`` contains the results of
    the first evaluation of ``arguments``.
    """
    for (i, one), (_, other) in zip(_leaves(given), _leaves(arguments(s)), strict=True):
        if one is not other and isinstance(one, np.ndarray) and one.size and _place(one) != _place(other):
            raise ModelError(
                f"argument {i} of call({name}) is an array of shape {one.shape} that each evaluation creates: must "
                "be the same array in all evaluations, with changing contents"
            )


def _check_numbers(name: str, given: tuple[Any, ...], arguments: Callable[[Any], tuple[Any, ...]], s: Any) -> None:
    """Raise ModelError if an argument is a number that depends on time or motion. The argument ``given`` is explained
    in `_check_arrays`. Functions that only read names need no check.
    """
    first = list(_leaves(given))
    for probe in s.probes():
        try:
            others = list(_leaves(arguments(probe)))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise ModelError(
                f"the arguments of call({name}) are computed ({error}): must be names of arrays and numbers, "
                "because they are evaluated only once"
            ) from error
        except ModelError as error:
            raise ModelError(f"the arguments of call({name}): {error}") from None
        for (i, one), (_, other) in zip(first, others, strict=True):
            if one is not other and not isinstance(one, np.ndarray) and not _is_same(one, other):
                raise ModelError(
                    f"argument {i} of call({name}) is the number {one!r}, which changes between evaluations: must be a "
                    "permanent array with changing contents, such as s.time, or a constant parameter"
                )


def _leaves(values: tuple[Any, ...], place: int | None = None) -> Iterator[tuple[int, Any]]:
    """Iterate over the arrays and numbers in nested tuples, each with the index of its argument, from 0."""
    for i, value in enumerate(values):
        where = i if place is None else place
        if isinstance(value, tuple):
            yield from _leaves(value, where)
        else:
            yield where, value


def _place(array: Any) -> tuple[Any, ...]:
    return find_data(array), array.shape, array.strides, array.dtype


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two numbers are equal or both are NaN."""
    return bool(one is other or one == other or (one != one and other != other))
