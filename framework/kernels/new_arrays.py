"""Types and code of new arrays in kernels, ``np.empty(shape, type)`` and ``np.zeros(shape, type)``.

For each type of the items, numba compiles three functions of its own for a new array, which would take a twentieth of
the compilation time. This module generates the same code directly in the function that contains the call, without
further functions.
"""

from __future__ import annotations

from typing import Any

import numba
import numba.np.arrayobj  # a module that `import numba` does not import
import numpy as np

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_types: Any = _numba.types
_arrays: Any = _numba.np.arrayobj


def convert_item(kind: Any) -> Any:
    """Return the type of the items of a new array, for the type that a kernel requests. Another function replaces this
    function during the compilation for dual numbers, see dual_mode.py.
    """
    return kind


def is_new_array(function: Any) -> bool:
    """Return whether a function, given by its type in the compiler, is ``np.empty`` or ``np.zeros``."""
    return type(function) is _types.Function and function.typing_key in (np.empty, np.zeros)


def find_new_array(arguments: Any, named: Any) -> Any:
    """Return the signature of ``np.empty`` or ``np.zeros``. For arguments that only numba handles, return None.

    Args:
        arguments: types of the arguments, a shape and optionally the type of the items.
        named: types of the keyword arguments, by name. The only one that is handled here is ``dtype``.
    """
    if named and (len(arguments) != 1 or set(named) != {"dtype"}):
        return None
    given = (*arguments, named["dtype"]) if named else tuple(arguments)
    if len(given) not in (1, 2):
        return None
    item = _types.float64
    if len(given) == 2 and getattr(given[1], "typing_key", None) is not float:
        item = _numba.core.typing.npydecl.parse_dtype(given[1])
    item = convert_item(item)
    dimensions = _numba.core.typing.npydecl.parse_shape(given[0])
    if item is None or dimensions is None or isinstance(item, _types.UnicodeType):
        return None
    made = _types.Array(item, dimensions, "C")
    return _numba.core.typing.signature(made, *map(_types.unliteral, given))


def create_new_array(lowering: Any, function: Any, expression: Any, signature: Any) -> Any:
    """Generate the code of ``np.empty`` or ``np.zeros``, and return the new array.

    Args:
        lowering: code generation of the function that contains the call.
        function: type of the function, see `is_new_array`.
        expression: the call.
        signature: result of `find_new_array`.
    """
    context, builder = lowering.context, lowering.builder
    if expression.vararg is None:
        shape = lowering._cast_var(expression.args[0], signature.args[0])
    else:
        shape = lowering.fold_call_args(function, signature, expression.args, expression.vararg, expression.kws)[0]
    sizes = _arrays._parse_shape(context, builder, signature.args[0], shape)
    made = _arrays._empty_nd_impl(context, builder, signature.return_type, sizes)
    if function.typing_key is np.zeros:
        _numba.core.cgutils.memset(builder, made.data, builder.mul(made.itemsize, made.nitems), 0)
    return made._getvalue()
