"""Types of the results of operators and of min, max, abs and int of numbers, which the compiler finds once and not for
each expression.

Finding them takes a third of the analysis of types.  Only this folder uses the compiler.
"""

from __future__ import annotations

from typing import Any

import numba

_numba: Any = numba  # its internals have no types for type checkers
_types: Any = _numba.types

_EXACT = (min, max, abs, int)
"""Functions whose results are the same in all forms of kernels."""
_NUMBERS = (_types.Float, _types.Integer, _types.Boolean, _types.IntegerLiteral, _types.BooleanLiteral)


def remember_operators(context: Any) -> None:
    """Let a typing context of the compiler remember the results of operators between numbers."""
    if "resolve_function_type" in vars(context):
        return
    resolve = context.resolve_function_type
    known: dict[Any, Any] = {}

    def resolve_once(function: Any, arguments: Any, named: Any) -> Any:
        if named or not _is_known(function) or not all(type(kind) in _NUMBERS for kind in arguments):
            return resolve(function, arguments, named)
        key = function, tuple(arguments)
        found = known.get(key)
        if found is None:
            found = known[key] = resolve(function, arguments, named)
        return found

    context.resolve_function_type = resolve_once


def _is_known(function: Any) -> bool:
    """Whether a function, or the compiler's type of it, is one that is found once."""
    plain = function.typing_key if type(function) is _types.Function else function
    return plain in _EXACT or getattr(plain, "__module__", "") == "_operator"
