"""Checks of functions before their first call: the number of arguments and the number of results. The error message
names the wrong function.

The byte code of a function is read to count its results, and to find out whether the function computes nothing. For
these checks, the function is neither compiled nor called. If a function returns the results of another function, only
the compiler checks the number of results.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Sequence
from functools import cache, wraps
from types import CodeType
from typing import Any, ParamSpec, TypeVar

from windlass.framework.errors import ModelError
from windlass.framework.kernels.cache_key import read_argument

_CACHE = dis.opmap.get("CACHE", 0)
_NAMES = {
    dis.opmap[name]
    for name in (
        "CACHE", "RESUME", "COPY_FREE_VARS", "EXTENDED_ARG", "LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_CONST",
        "BUILD_TUPLE", "RETURN_VALUE", "RETURN_CONST",
    )
    if name in dis.opmap
}  # fmt: skip
"""Instructions that read a name or a constant, instructions that build or return a tuple of such values, and
instructions without effect.
"""
_ATTRIBUTE, _ENTRY = dis.opmap.get("LOAD_ATTR"), dis.opmap.get("BINARY_SUBSCR")
_SHIFT = sys.version_info >= (3, 12)
"""Whether the argument of `LOAD_ATTR` is twice the index of the name."""
_RETURN, _EXTENDS, _CACHES = 1, 2, 3
_KINDS = {dis.opmap[name]: _RETURN for name in ("RETURN_VALUE", "RETURN_CONST") if name in dis.opmap}
_KINDS |= {dis.EXTENDED_ARG: _EXTENDS, _CACHE: _CACHES}
_MARKS = bytes(_KINDS.get(operation, 0) for operation in range(256))
"""For each instruction: whether it returns, extends the argument of the next instruction, or contains cached data."""

P = ParamSpec("P")
Made = TypeVar("Made")


def check_arguments(function: Any, name: str, arguments: Sequence[str]) -> None:
    """Raise an error if an object cannot be called with the given number of positional arguments.

    Args:
        function: a function or a kernel.
        name: name of the function in the message, e.g. ``"dofs of RopeSpring"``.
        arguments: names of the arguments that the function receives.

    Raises:
        ModelError: the object is not a function, or takes another number of arguments.
    """
    words = f"must be a function of {len(arguments)}, ({', '.join(arguments)})"
    if not callable(function):
        raise ModelError(f"{name} = {function!r}: {words}")
    plain = getattr(function, "py_func", function)
    try:
        signature = inspect.signature(plain)
    except (TypeError, ValueError):  # built-in functions may have no signature
        return
    try:
        signature.bind(*arguments)
    except TypeError:
        taken = ", ".join(signature.parameters)
        label = getattr(plain, "__name__", repr(plain))
        raise ModelError(f"{name} takes {len(signature.parameters)} arguments, {label}({taken}): {words}") from None


def takes(function: Any, arguments: Sequence[str]) -> bool:
    """Return whether a function can be called with the given number of positional arguments."""
    try:
        check_arguments(function, "function", arguments)
    except ModelError:
        return False
    return True


def takes_arguments_of(kind: Callable[P, Made]) -> Callable[[Callable[[Made], None]], Callable[P, None]]:
    """Decorate a function such that it accepts the constructor arguments of a class as an alternative to an instance of
    the class. Users then do not need to import the class.

    The function raises ModelError for unknown or missing arguments of the constructor.
    """
    signature = inspect.signature(kind)

    def decorate(function: Callable[[Made], None]) -> Callable[P, None]:
        @wraps(function)
        def make_and_call(*values: P.args, **more: P.kwargs) -> None:
            try:
                signature.bind(*values, **more)
            except TypeError as error:
                taken = ", ".join(signature.parameters)
                raise ModelError(f"{function.__name__}: {error}: the allowed arguments are {taken}") from None
            function(kind(*values, **more))

        make_and_call.__signature__ = signature  # type: ignore[attr-defined]
        return make_and_call

    return decorate


def check_results(function: Callable[..., Any], name: str, results: Sequence[str]) -> None:
    """Raise an error if a function returns a wrong number of results.

    Args:
        function: a Python function or a kernel.
        name: name of the function in the message.
        results: names of the results; empty for a function that writes into its arguments.

    Raises:
        ModelError: a ``return`` statement returns a wrong number of results.
    """
    for count in sorted(count_results(function) - {len(results)}):
        given = "nothing" if count == 0 else "1 result" if count == 1 else f"{count} results"
        words = f"{len(results)}, ({', '.join(results)})" if len(results) > 1 else results[0] if results else "nothing"
        raise ModelError(f"{name} gives {given}: must give {words}")


def count_results(function: Callable[..., Any]) -> set[int]:
    """Return, for each ``return`` statement of a function, the number of results. The number is 0 for ``return``
    without a value. Statements for which the byte code does not show this number are omitted.
    """
    code: CodeType | None = getattr(getattr(function, "py_func", function), "__code__", None)
    return set() if code is None else set(_count_results(code))


@cache
def _count_results(code: CodeType) -> set[int]:
    """Return the numbers of results of the ``return`` statements in the byte code."""
    found: set[int] = set()
    operations, arguments = code.co_code[::2], code.co_code[1::2]
    marks, at = operations.translate(_MARKS), -1
    # only returns and the instructions before them are visited, because the loop over all instructions would take
    # longer than reading the machine code of the kernel
    while (at := marks.find(_RETURN, at + 1)) >= 0:
        if dis.opname[operations[at]] == "RETURN_CONST":
            found.add(_count_constant(code.co_consts[read_argument(arguments, marks, at, _EXTENDS)]))
            continue
        before = at - 1
        while before > 0 and marks[before] in (_EXTENDS, _CACHES):
            before -= 1
        name, value = dis.opname[operations[before]], read_argument(arguments, marks, before, _EXTENDS)
        if name == "BUILD_TUPLE":
            found.add(value)
        elif name == "LOAD_CONST":
            found.add(_count_constant(code.co_consts[value]))
        elif name.startswith(("BINARY_OP", "UNARY_", "COMPARE_OP")):
            found.add(1)
    return found


def _count_constant(value: Any) -> int:
    return 0 if value is None else len(value) if isinstance(value, tuple) else 1


@cache
def names_only(code: CodeType, clock: str, table: str) -> bool:
    """Return whether a function computes nothing, and only returns a tuple of names, constants and attributes. Two
    kinds of expressions count as computations: the attribute ``clock``, and an entry of an object other than the
    attribute ``table``. If the byte code contains instructions that this function cannot interpret, for example
    instructions of newer versions of Python, the result is False.
    """
    if clock in code.co_names:
        return False
    raw, more = code.co_code, 0
    # the name of the last attribute that was read, and the number of instructions since this attribute
    last, since = "", 0
    for operation, low in zip(raw[::2], raw[1::2], strict=True):
        argument = low | more
        more = argument << 8 if operation == dis.EXTENDED_ARG else 0
        if operation == _CACHE:
            continue
        since += 1
        if operation == _ATTRIBUTE:
            last, since = code.co_names[argument >> _SHIFT], 0
        elif operation == _ENTRY:
            if last != table or since != 2:
                return False
        elif operation not in _NAMES:
            return False
    return True
