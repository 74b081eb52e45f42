"""Calls of compiled kernels without Python. The arguments are stored in memory once, and the kernels are called by
address.

Arguments are stored in the memory layout of the compiler: a number has 8 bytes, a truth value has one byte, and the
items of a tuple follow each other. An array is stored as owner, parent, size, item size, address, shape and strides.
Because no owner is stored, the caller must keep references to the arrays during the calls.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.deferred import intrinsic
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.machine_code import BY_ADDRESS
from windlass.framework.kernels.value_types import find_kind, find_kinds

_read_word = ctypes.c_size_t.from_address
_pack_array = [Struct(f"{5 + 2 * dimensions}q").pack for dimensions in range(9)]
_pack_float = Struct("d").pack
_DATA = object.__basicsize__
"""Offset [bytes], within an array object, of the address of its data, according to the C API of NumPy."""


def find_data(array: NDArray[Any]) -> int:
    """Return the address of the data of an array. The evaluation of ``array.ctypes.data``, which also gives this
    address, takes ten times as long.
    """
    return _read_word(id(array) + _DATA).value


@intrinsic
def _call_entry(_typing: Any, entry: Any, block: Any) -> Any:
    """Call the entry point of a kernel (see compiling.py) at an address, with the address of its arguments. Return 0 on
    success.
    """

    from llvmlite import ir  # imported here, because only the compiler needs llvmlite
    from numba import types  # imported here, because only the compiler needs numba

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [args[1].type])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int32(entry, block), generate


@kernel
def run(calls: IntArray) -> int:
    """Execute the calls one after the other, and return the number of successful calls before the first failed call.
    The array of calls has the shape (calls, 2). Each row contains the address of the entry point and the address of the
    arguments.
    """
    for i in range(len(calls)):
        if _call_entry(calls[i, 0], calls[i, 1]) != 0:
            return i
    return len(calls)


@kernel
def run_if(flag: IntArray, value: int, calls: IntArray) -> None:
    """Execute the calls of a table, see `run`, if flag[0] is equal to ``value``. Raise an error if a call fails."""
    if flag[0] == value and run(calls) < len(calls):
        raise RuntimeError("a call has failed")


Memory = dict[int, tuple[Any, bytes, int, Any]]
"""For each argument, by its index: the argument, its memory, its alignment and its type."""


def prepare_call(
    function: Any, args: tuple[Any, ...], known: Memory | None = None
) -> tuple[list[int], NDArray[np.uint8]]:
    """Return the addresses of one call for `run` (entry point and argument block), and the argument block itself. The
    caller must keep a reference to the argument block.

    Args:
        function: the kernel.
        args: arguments of the call.
        known: cache of stored arguments by argument index, common to all calls of this kernel. An array or tuple that
            is already in the cache is not stored again.

    Raises:
        TypeError: an argument is not an array, a number, or a tuple of such values, or the kernel returns a value.
    """
    known = {} if known is None else known
    items, kinds = list[tuple[bytes, int]](), list[Any]([type(args)])
    for i, value in enumerate(args):
        kept = known.get(i)
        if kept is None or kept[0] is not value:
            kept = known[i] = (value, *_memory(value), find_kind(value))
        items.append(kept[1:3])
        kinds.append(kept[3])
    block = np.frombuffer(_join(items)[0], np.uint8)
    return [_find_address(function, args, tuple(kinds), block.nbytes), find_data(block)], block


def _find_address(function: Any, args: tuple[Any, ...], kinds: tuple[Any, ...], size: int) -> int:
    """Return the address of the entry point of a kernel for arguments of the given types."""
    address: int | None = function.addresses.get(kinds)
    if address is None:
        address = function.addresses[kinds] = _find_entry(function, args, size)
    return address


@cache
def find_run() -> Callable[[IntArray], int]:
    """Return the function `run`, compiled for C-contiguous int64 arrays of shape (calls, 2). The compiled function does
    not check the type of its argument.
    """
    calls = np.zeros((0, 2), np.int64)
    run(calls)
    found: Callable[[IntArray], int] = run.versions[find_kinds((calls,))]  # type: ignore[attr-defined]
    return found


def _find_entry(function: Any, args: tuple[Any, ...], size: int) -> int:
    """Return the address of the entry point of a kernel for the types of the given arguments. Raise TypeError if
    ``size``, the size [bytes] of the stored arguments, is not the size that the compiler expects, or if the kernel
    returns a value.
    """
    kept = function.find_kept(args, BY_ADDRESS)
    if kept is not None and kept.header["block"] == size:
        return int(kept.address)
    # imported here, because the module imports numba
    from windlass.framework.kernels.compiled_entries import find_entry

    return find_entry(function, args, size)


def lay_down(args: tuple[Any, ...]) -> NDArray[np.uint8]:
    """Store arrays, numbers and tuples in the memory layout of the compiler. The arrays must exist during all calls."""
    return np.frombuffer(_memory(args)[0], np.uint8)


def _memory(value: Any) -> tuple[bytes, int]:
    """Return a value in the memory layout of the compiler, and its alignment [bytes]."""
    # the most frequent types are checked first, because the start of a solve stores many values
    kind = type(value)
    if kind is np.ndarray or isinstance(value, np.ndarray):
        shape, place = value.shape, _read_word(id(value) + _DATA).value
        return _pack_array[len(shape)](0, 0, value.size, value.itemsize, place, *shape, *value.strides), 8
    if kind is float:
        return _pack_float(value), 8
    if isinstance(value, tuple):
        return _join([_memory(item) for item in value])
    if isinstance(value, np.void):
        return value.tobytes(), 8
    if isinstance(value, (bool, int, float, np.bool_, np.number)):
        number = np.array(value)
        return number.tobytes(), number.itemsize
    raise TypeError(f"{value!r} in the arguments of a prepared call: must be an array or a number")


def _join(items: list[tuple[bytes, int]]) -> tuple[bytes, int]:
    """Return the memory and the alignment [bytes] of a tuple, from the memory and the alignment of its items."""
    if all(width == 8 for _, width in items):
        return b"".join([data for data, _ in items]), 8 if items else 1
    found, widest = b"", 1
    for data, width in items:
        widest = max(widest, width)
        found += bytes(-len(found) % width) + data
    return found + bytes(-len(found) % widest), widest
