"""A cache of the types of array items, and of the result types of operators, min, max, abs and int for numbers.

Without the cache, the compiler determines these types twice for each expression: in the type analysis, and in the code
generation. The repeated determination takes a third of the time of the type analysis, and a quarter of the time of the
code generation.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba

from windlass.framework.kernels.new_arrays import create_new_array, find_new_array, is_new_array

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_types: Any = _numba.types

_EXACT = (min, max, abs, int)
"""Functions with result types that depend only on the types of the arguments."""
_NUMBERS = (_types.Float, _types.Integer, _types.Boolean, _types.IntegerLiteral, _types.BooleanLiteral)


_ITEMS = (_types.Array, _types.NestedArray)
"""Types of arrays for which the type of an item depends only on the types of the array and the index."""


def remember_operators(context: Any) -> None:
    """Modify a typing context of the compiler such that the result types of operators between numbers are cached."""
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


_signatures: dict[tuple[Any, ...], tuple[Any, Any]] = {}
"""Functions and their signatures, by the identity of the function and the types of the arguments."""


@contextmanager
def remembered_signatures() -> Iterator[None]:
    """Context manager. Within its block, the signatures of operators for numbers and for items of arrays are determined
    once and stored, and new arrays have the signatures and the code of new_arrays.py.
    """
    owner = next(kind for kind in _types.Function.__mro__ if "get_call_type" in vars(kind))
    # if a kernel calls a function of numba, new arrays in this function also have the signatures of `find_new_array`
    lowering = _numba.core.lowering.Lower
    find, lower_call = owner.get_call_type, lowering._lower_call_normal

    def find_once(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if is_new_array(self):
            return find_new_array(args, kws) or find(self, context, args, kws)
        if kws or not _is_known(self) or not _are_plain(self, args):
            return find(self, context, args, kws)
        key = id(self), id(context), *args
        if key not in _signatures:
            _signatures[key] = self, find(self, context, args, kws)
        return _signatures[key][1]

    def lower_known(self: Any, function: Any, expression: Any, signature: Any) -> Any:
        if is_new_array(function) and signature.pysig is None:
            return create_new_array(self, function, expression, signature)
        return lower_call(self, function, expression, signature)

    owner.get_call_type, lowering._lower_call_normal = find_once, lower_known
    try:
        yield
    finally:
        owner.get_call_type, lowering._lower_call_normal = find, lower_call


def _are_plain(function: Any, arguments: Any) -> bool:
    """Return whether the arguments of an operator have types for which signatures are stored. Signatures are stored for
    numbers. For operators that read or set items, signatures are also stored for arrays, and for tuples of numbers of
    one type.
    """
    items = function.typing_key in (operator.getitem, operator.setitem)
    return all(
        type(kind) in _NUMBERS
        or (items and (type(kind) in _ITEMS or (type(kind) is _types.UniTuple and type(kind.dtype) in _NUMBERS)))
        for kind in arguments
    )


def _is_known(function: Any) -> bool:
    """Return whether the result types of a function are cached. The argument is the function or the compiler's type of
    the function.
    """
    plain = function.typing_key if type(function) is _types.Function else function
    return plain in _EXACT or getattr(plain, "__module__", "") == "_operator"
