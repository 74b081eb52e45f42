"""Calls of compiled kernels without Python: arguments are laid out in memory once, functions are called by address.

Only this folder uses the compiler.  Arguments of a kernel are stored in the compiler's own layout: a number is 8 bytes,
a truth value one, an array its owner, parent, size, item size, address, shape and strides, and a tuple its items one
after the other.  The owner is empty: the arrays outlive the calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from struct import pack
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.call import find_kinds
from windlass.framework.kernels.kernel import kernel

_types: Any = numba.types
_intrinsic: Any = numba.extending.intrinsic


@_intrinsic  # type: ignore[untyped-decorator]
def _call_with(_typing: Any, function: Any, block: Any) -> Any:
    """Call a kernel at an address with the arguments that a pointer to their tuple names; 0 if all went well."""
    kinds = block.dtype.types

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        values = builder.load(args[1])
        values = [builder.extract_value(values, i) for i in range(len(kinds))]
        kind = context.call_conv.get_function_type(_types.none, kinds)
        callee = builder.inttoptr(args[0], kind.as_pointer())
        status, _ = context.call_conv.call_function(builder, callee, _types.none, kinds, values)
        return status.code

    return _types.int32(function, block), generate


@_intrinsic  # type: ignore[untyped-decorator]
def _call_entry(_typing: Any, entry: Any, function: Any, block: Any) -> Any:
    """Call an entry, compiled from `_enter`, at an address; 0 if all went well."""

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        kinds = (_types.intp, _types.intp)
        kind = context.call_conv.get_function_type(_types.int32, kinds)
        callee = builder.inttoptr(args[0], kind.as_pointer())
        status, result = context.call_conv.call_function(builder, callee, _types.int32, kinds, args[1:])
        return builder.select(status.is_ok, result, ir.Constant(ir.IntType(32), -1))

    return _types.int32(entry, function, block), generate


@kernel
def _enter(function: int, block: Any) -> int:
    """A function that calls a kernel from two addresses; one compiled version for each list of argument types."""
    status: int = _call_with(function, block)
    return status


@kernel
def run(calls: IntArray) -> int:
    """Make the calls in turn, shape (calls, 3); how many were made before one failed, all of them if none did."""
    for i in range(len(calls)):
        if _call_entry(calls[i, 0], calls[i, 1], calls[i, 2]) != 0:
            return i
    return len(calls)


def prepare_call(function: Any, args: tuple[Any, ...]) -> tuple[list[int], NDArray[np.uint8]]:
    """Addresses of one call for `run`: entry, kernel and argument block, and the block, which must be kept.

    Raises:
        TypeError: for arguments that are not arrays, numbers, or tuples of these, and for kernels with a result.
    """
    block = lay_down(args)
    kinds = find_kinds(args)
    if kinds not in function.addresses:
        function.addresses[kinds] = _find_addresses(function, args, block.nbytes)
    return [*function.addresses[kinds], block.ctypes.data], block


@cache
def find_run() -> Callable[[IntArray], int]:
    """`run` compiled for calls of shape (calls, 3), int64, in a row: called without type checks of its argument."""
    found: Callable[[IntArray], int] = find_version(run, (_types.int64[:, ::1],)).entry_point
    return found


def _find_addresses(function: Any, args: tuple[Any, ...], size: int) -> tuple[int, int]:
    """Addresses of entry and kernel for the types of these arguments, and their size in bytes."""
    kinds = tuple(function.typeof_pyval(value) for value in args)
    expected = function.targetctx.get_abi_sizeof(function.targetctx.get_value_type(_types.Tuple(kinds)))
    if size != expected:
        raise TypeError(f"{function.__name__}: {size} bytes of arguments, the compiler has {expected}")
    entry = find_version(_enter, (_types.intp, _types.CPointer(_types.Tuple(kinds))))
    version = find_version(function, kinds)
    if version.signature.return_type != _types.none:
        raise TypeError(f"{function.__name__} gives {version.signature.return_type}: must be a kernel without a result")
    return _address(entry), _address(version)


def lay_down(args: tuple[Any, ...]) -> NDArray[np.uint8]:
    """Arrays, numbers and tuples of these in the compiler's memory layout; the arrays must outlive the calls."""
    return np.frombuffer(_memory(args)[0], np.uint8)


def find_version(function: Any, kinds: tuple[Any, ...]) -> Any:
    """The version of a kernel that is compiled for these types."""
    function.compile(kinds)
    return function.overloads[kinds]


def _address(version: Any) -> int:
    address: int = version.library.get_pointer_to_function(version.fndesc.llvm_func_name)
    return address


def _memory(value: Any) -> tuple[bytes, int]:
    """A value in the compiler's memory layout, and its alignment in bytes."""
    if isinstance(value, tuple):
        found, widest = b"", 1
        for item in value:
            data, width = _memory(item)
            found, widest = found + bytes(-len(found) % width) + data, max(widest, width)
        return found + bytes(-len(found) % widest), widest
    if isinstance(value, np.ndarray):
        address = value.__array_interface__["data"][0]
        words = (0, 0, value.size, value.itemsize, address, *value.shape, *value.strides)
        return pack(f"{len(words)}q", *words), 8
    if isinstance(value, (bool, int, float, np.bool_, np.number)):
        number = np.array(value)
        return number.tobytes(), number.itemsize
    raise TypeError(f"{value!r} in the arguments of a prepared call: must be an array or a number")
