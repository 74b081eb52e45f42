"""Checks of the arguments of public functions. The allowed values are declared at each function:

    @checked(step=number("s", above=0.0), method=word("verlet", "rk"), hooks=...)
    def solve(...)

The error for a wrong argument states the given value, the unit and the allowed values: ``step = -1.0 s in Dynamic: must
be > 0``. Schemas also use these checks, for the columns of components.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from math import isfinite
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from windlass.framework.checks.values import read_numbers, read_whole_numbers, read_yes_no, show
from windlass.framework.errors import CLOSE, ModelError, WindlassError, find_similar

P = ParamSpec("P")
R = TypeVar("R")

SLIP = 0.8
"""Similarity [1], see `find_similar`, from which on a name is a misspelling of a missing argument even if the function
takes columns.
"""


class RefusedError(Exception):
    """Error for a value that is not allowed. The error message states the allowed values."""


@dataclass(frozen=True)
class Check:
    """Check of an argument, with the allowed values and their unit.

    Attributes:
        read: function ``(value) -> value`` that converts an argument to the type that the checked function needs. For
            any other value, ``read`` raises RefusedError with a description of the allowed values.
        unit: unit of numbers; ``"1"`` or empty for no unit.
    """

    read: Callable[[Any], Any]
    unit: str = ""


def checked(
    error: type[WindlassError] = ModelError, where: str | None = "", /, **checks: Check
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare the allowed arguments of a function. Each call of the function then checks its arguments.

    Args:
        error: class of the errors.
        where: name of the function in messages. The default is the name of the function, or the name of the class for a
            constructor. If ``where`` is None, messages contain no name.
        **checks: check of each argument. A check of ``*args`` or ``**kwargs`` applies to each entry.

    Returns:
        A decorator. The decorated function has the attribute ``checks``, which tests read.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        places = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        rest = next((p.name for p in parameters.values() if p.kind is p.VAR_POSITIONAL), "")
        unknown = set(checks) - set(parameters)
        assert not unknown, f"{function.__qualname__} has no argument {unknown}"
        own_name = function.__qualname__.removesuffix(".__init__").removesuffix(".__post_init__")
        if own_name.startswith("_"):
            own_name = own_name.rsplit(".", 1)[-1]  # omit the part up to the last dot, which is private
        name = own_name if where == "" else where
        names = _Names(own_name, parameters, checks, error)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if kwargs or len(args) < names.enough:
                names.check(len(args), kwargs)
            given: list[Any] = list(args)
            for k, value in enumerate(args):
                what = places[k] if k < len(places) else rest
                if what in checks:
                    given[k] = check(checks[what], what, value, name, error)
            for what, value in kwargs.items():
                if what in checks:
                    kwargs[what] = check(checks[what], what, value, name, error)
            return function(*cast(Any, given), **kwargs)

        call.checks = checks  # type: ignore[attr-defined]
        return call

    return decorate


class _Names:
    """Names of the arguments that a function has. The class raises an error for a call with unknown or missing
    arguments.

    Attributes:
        enough: number of positional arguments with which a call without keywords has all necessary arguments.
    """

    def __init__(
        self, where: str, parameters: Mapping[str, inspect.Parameter], checks: Mapping[str, Check],
        error: type[WindlassError],
    ) -> None:  # fmt: skip
        self._where, self._checks, self._error = where, checks, error
        kinds = [p.kind for p in parameters.values()]
        self._takes_any = inspect.Parameter.VAR_KEYWORD in kinds
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        self._known = [p.name for p in parameters.values() if p.kind in named and p.name not in ("self", "cls")]
        last = len(parameters)
        self._needed = [
            (last if p.kind is p.KEYWORD_ONLY else k, p.name)
            for k, p in enumerate(parameters.values())
            if p.default is p.empty and p.kind in named and p.name not in ("self", "cls")
        ]
        self.enough = 1 + max((place for place, _ in self._needed), default=-1)

    def check(self, count: int, given: Mapping[str, Any]) -> None:
        """Raise an error if a call with ``count`` positional arguments and the keywords ``given`` has unknown or
        missing arguments.
        """
        missing = [name for place, name in self._needed if place >= count and name not in given]
        if not missing and (self._takes_any or all(name in self._known for name in given)):
            return
        for name in given:
            if name not in self._known:
                # other arguments may be valid columns with similar names, so only very similar names are misspelt
                close = find_similar(name, missing, closeness=SLIP if self._takes_any else CLOSE)
                if close or not self._takes_any:
                    raise self._error(f"{self._where} has no argument {name!r}: {suggest(name, close or self._known)}")
        units = {name: self._checks[name].unit for name in missing if name in self._checks}
        told = ", ".join(
            f"{name} [{units[name]}]" if units.get(name, "") not in ("", "1") else name for name in missing
        )
        raise self._error(f"{self._where} needs {told}")


def suggest(name: str, *known: Sequence[str]) -> str:
    """Return suggestions for an unknown name: the similar names in the first list that contains similar names, or all
    known names if no list contains a similar name.
    """
    for names in known:
        close = find_similar(name, list(dict.fromkeys(names)))
        if close:
            return f"did you mean {' or '.join(close)}?"
    return f"must be one of {', '.join(known[-1])}"


def checked_names(checks: Mapping[str, Check], error: type[WindlassError] = ModelError) -> Callable[[type[R]], type[R]]:
    """Decorate a dataclass. The constructor of the class then raises errors for unknown and missing arguments, like a
    function that is decorated with `checked`.

    Args:
        checks: checks of the fields, including the units of the fields.
        error: class of the errors.
    """

    def decorate(kind: type[R]) -> type[R]:
        construct = kind.__init__
        names = _Names(kind.__name__, inspect.signature(construct).parameters, checks, error)

        @wraps(construct)
        def call(*args: Any, **kwargs: Any) -> None:
            if kwargs or len(args) < names.enough:
                names.check(len(args), kwargs)
            construct(*args, **kwargs)

        setattr(kind, "__init__", call)  # noqa: B010
        return kind

    return decorate


def check_fields(item: Any, checks: Mapping[str, Check], error: type[WindlassError] = ModelError) -> None:
    """Check the fields of a frozen dataclass, and set the fields to the values that the checks have converted. Call
    this function in ``__post_init__``.
    """
    for name, allowed in checks.items():
        value = check(allowed, name, getattr(item, name), type(item).__name__, error)
        object.__setattr__(item, name, value)


def check(allowed: Check, name: str, value: Any, where: str | None, error: type[WindlassError] = ModelError) -> Any:
    """Check the value of an argument, and return the value that the check has converted.

    Raises:
        WindlassError: the value is not allowed. The error is an instance of the class ``error``.
    """
    try:
        return allowed.read(value)
    except RefusedError as refused:
        unit = f" {allowed.unit}" if allowed.unit not in ("", "1") else ""
        place = "" if where is None else f" in {where}"
        raise error(f"{name} = {show(value)}{unit}{place}: must be {refused}") from None


def number(
    unit: str,
    *,
    above: float | None = None,
    minimum: float | None = None,
    below: float | None = None,
    maximum: float | None = None,
) -> Check:
    """Create the check of a finite number within given bounds."""
    if minimum is not None and maximum is not None:
        bounds = f"between {minimum:g} and {maximum:g}"
    else:
        pairs = ((">", above), (">=", minimum), ("<", below), ("<=", maximum))
        bounds = " and ".join(f"{sign} {bound:g}" for sign, bound in pairs if bound is not None)

    def read(value: Any) -> Any:
        if type(value) is float:
            x = value
        else:
            given = read_numbers(value)
            if given is None or given.shape:
                raise RefusedError(f"a number {bounds}".rstrip())
            x = float(given)
        inside = (above is None or x > above) and (minimum is None or x >= minimum)
        inside = inside and (below is None or x < below) and (maximum is None or x <= maximum)
        if not (inside and isfinite(x)):
            raise RefusedError(bounds or "a finite number")
        return value if isinstance(value, int | float) else x

    return Check(read, unit)


def whole(
    minimum: int | None = None,
    words: str = "a whole number",
    brief: bool = False,
    maximum: int | None = None,
    why: str = "",
) -> Check:
    """Create the check of a whole number that is at least the minimum. If ``brief`` is true, the error message for a
    number below the minimum states only the minimum.

    The error message for a number above the maximum states the reason ``why`` of this limit.
    """
    words += f" >= {minimum}" if minimum is not None else ""

    def read(value: Any) -> int:
        given = read_whole_numbers(value)
        if given is None or given.shape:
            raise RefusedError(words)
        if minimum is not None and given < minimum:
            raise RefusedError(f">= {minimum}" if brief else words)
        if maximum is not None and given > maximum:
            raise RefusedError(f"{words} and <= {maximum}, {why}")
        return int(given)

    return Check(read)


def numbers(unit: str, *shapes: tuple[int | None, ...], words: str = "") -> Check:
    """Create the check of an array or list of finite numbers with one of the given shapes. If an entry of a shape is
    None, any length > 0 of this dimension is allowed.
    """
    words = words or "finite numbers of shape " + " or ".join(str(shape).replace("None", "n") for shape in shapes)

    def read(value: Any) -> Any:
        given = read_numbers(value)
        fits = given is not None and any(
            len(shape) == given.ndim and all(n in (None, m) for n, m in zip(shape, given.shape, strict=True))
            for shape in shapes
        )
        if given is None or not fits or not given.size or not np.isfinite(given).all():
            raise RefusedError(words)
        return value

    return Check(read, unit)


def yes_no() -> Check:
    """Create the check of a truth value: True, False, 1 or 0, as Python or NumPy values."""

    def read(value: Any) -> bool:
        given = read_yes_no(value)
        if given is None or given.shape:
            raise RefusedError("True or False")
        return bool(given)

    return Check(read)


def word(*choices: str, words: str = "") -> Check:
    """Create the check of a word, which must be one of the given choices. Any text is allowed if no choices are
    given.
    """
    words = words or (f"one of {', '.join(choices)}" if choices else "a text")

    def read(value: Any) -> str:
        if not isinstance(value, str) or (choices and value not in choices):
            raise RefusedError(words)
        return value

    return Check(read)


def path() -> Check:
    """Create the check of the name of a file or folder."""

    def read(value: Any) -> Any:
        if not isinstance(value, str | os.PathLike) or not os.fspath(value) or "\0" in str(os.fspath(value)):
            raise RefusedError("the name of a file or folder")
        return value

    return Check(read)


def function() -> Check:
    """Create the check of a callable object."""
    return that(callable, "a function")


def instance(*kinds: type | str) -> Check:
    """Create the check of an instance of one of several classes. A class is given by name if this module cannot import
    it.
    """
    names = " or ".join(kind if isinstance(kind, str) else kind.__name__ for kind in kinds)
    known: dict[type, bool] = {}

    def fits(value: Any) -> bool:
        own = type(value)
        if own not in known:
            classes = own.__mro__
            known[own] = any(kind in classes or kind in [cls.__name__ for cls in classes] for kind in kinds)
        return known[own]

    return that(fits, f"a {names}")


def subclass(kind: type) -> Check:
    """Create the check of a class that is equal to ``kind`` or derived from it."""
    return that(lambda value: isinstance(value, type) and issubclass(value, kind), f"a kind of {kind.__name__}")


def handle() -> Check:
    """Create the check of a handle to rows of one component."""
    return instance("Entity")


def optional(allowed: Check) -> Check:
    """Create a check that allows None and the values that another check allows."""

    def read(value: Any) -> Any:
        if value is None:
            return None
        try:
            return allowed.read(value)
        except RefusedError as refused:
            raise RefusedError(f"{refused}, or None") from None

    return Check(read, allowed.unit)


def either(*several: Check) -> Check:
    """Create a check that allows all values that at least one of several checks allows."""

    def read(value: Any) -> Any:
        words = []
        for allowed in several:
            try:
                return allowed.read(value)
            except RefusedError as refused:
                words.append(str(refused))
        raise RefusedError(", or ".join(words))

    return Check(read, several[0].unit)


def each(allowed: Check, words: str, least: int = 0) -> Check:
    """Create the check of an iterable, such as a list. The check ``allowed`` must allow each entry. Texts, mappings and
    handles are not allowed. The check converts the iterable to a list.

    Args:
        allowed: the check of each entry.
        words: description of the allowed values in error messages.
        least: smallest allowed number of entries in the iterable.
    """

    def read(value: Any) -> list[Any]:
        single = isinstance(value, str | bytes | bytearray | Mapping | np.generic) or type(value).__name__ == "Entity"
        if single or not isinstance(value, Iterable) or np.ndim(value if isinstance(value, np.ndarray) else []) != 1:
            raise RefusedError(words)
        entries = list(value)
        if len(entries) < least:
            raise RefusedError(f"{words}, at least {least}")
        try:
            return [allowed.read(entry) for entry in entries]
        except RefusedError as refused:
            raise RefusedError(f"{words}, each {refused}") from None

    return Check(read, allowed.unit)


def that(fits: Callable[[Any], bool], words: str, unit: str = "") -> Check:
    """Create a check that allows all values for which ``fits`` is true. The text ``words`` describes these values in
    error messages.
    """

    def read(value: Any) -> Any:
        if not fits(value):
            raise RefusedError(words)
        return value

    return Check(read, unit)


def inside() -> Check:
    """Create a check that allows any value, for arguments that are checked by the function itself or by a schema."""
    return Check(lambda value: value)
