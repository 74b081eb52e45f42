"""Cache for the types of the results of operators, min, max, abs and int for numbers, which the compiler otherwise
computes for each expression.

Without the cache, this computation takes a third of the time of the type analysis.
"""

from __future__ import annotations

from typing import Any

import numba

_numba: Any = numba  # internal functions of numba have no type annotations
_types: Any = _numba.types

_EXACT = (min, max, abs, int)
"""Functions whose result types depend only on the types of the arguments."""
_NUMBERS = (_types.Float, _types.Integer, _types.Boolean, _types.IntegerLiteral, _types.BooleanLiteral)


def remember_operators(context: Any) -> None:
    """Add a cache for the result types of operators between numbers to a typing context of the compiler."""
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
    """Return whether the result types of a function are cached; the function is given as object or as the compiler's
    type.
    """
    plain = function.typing_key if type(function) is _types.Function else function
    return plain in _EXACT or getattr(plain, "__module__", "") == "_operator"
