"""Entry points of kernels that numba has compiled in this process."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from windlass.framework.kernels.type_names import decode_type
from windlass.framework.kernels.value_types import encode_value, find_kinds

_types: Any = numba.types


def find_entry(function: Any, args: tuple[Any, ...], size: int) -> int:
    """Return the address of the entry point of a kernel for the types of the given arguments.

    Raises:
        TypeError: ``size``, the size [bytes] of the stored arguments, is not the size that the compiler expects, or the
            kernel returns a value.
    """
    kinds = tuple(_find_type(function, value) for value in args)
    expected = function.targetctx.get_abi_sizeof(function.targetctx.get_value_type(_types.Tuple(kinds)))
    if size != expected:
        raise TypeError(f"{function.__name__}: {size} bytes of arguments, but the compiler expects {expected}")
    version = find_version(function, kinds)
    if version.signature.return_type != _types.none:
        raise TypeError(
            f"{function.__name__} returns {version.signature.return_type}: must be a kernel that returns nothing"
        )
    return find_address(version)


def find_c_entry(function: Any, numbers: tuple[str, ...], context: tuple[Any, ...]) -> int:
    """Return the address at which C code calls a kernel, see `find_c_address`."""
    kinds = (*(getattr(_types, number) for number in numbers), _types.CPointer(function.typeof_pyval(context)))
    return find_address(find_version(function, kinds))


_types_of_arrays: dict[tuple[Any, ...], Any] = {}


def _find_type(function: Any, value: Any) -> Any:
    """Return the compiler's type of an argument. The types of arrays are stored for later calls."""
    if function.is_dual:  # numba has no types for these arguments
        return decode_type(encode_value(value))
    if not isinstance(value, np.ndarray):
        return function.typeof_pyval(value)
    kind = find_kinds((value,))
    if kind not in _types_of_arrays:
        _types_of_arrays[kind] = function.typeof_pyval(value)
    return _types_of_arrays[kind]


def find_version(function: Any, kinds: tuple[Any, ...]) -> Any:
    """Return the version of a kernel that is compiled for the given types and has an entry point that can be called by
    address.
    """
    if hasattr(function, "compile_by_address"):
        return function.compile_by_address(kinds)
    function.compile(kinds)  # in unknown versions of numba, `function` may lack the method `compile_by_address`
    return function.overloads[kinds]


def find_address(version: Any) -> int:
    """Return the address of the entry point of a compiled version of a kernel."""
    address: int = version.library.get_pointer_to_function(version.fndesc.llvm_cfunc_wrapper_name)
    return address
