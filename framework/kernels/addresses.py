"""Calls of compiled kernels without Python: the arguments are stored in memory once, and the kernels are called by
address.

Arguments are stored in the memory layout of the compiler: a number has 8 bytes, a truth value has one byte, and the
items of a tuple follow each other. An array is stored as owner, parent, size, item size, address, shape and strides.
The owner is empty, because the caller keeps the arrays alive during the calls.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from struct import Struct
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.kernel import kernel

_types: Any = numba.types
_intrinsic: Any = numba.extending.intrinsic
_typeof: Any = numba.typeof


OWNS_DATA = 4
"""The only flag of NumPy arrays that does not affect which compiled version of a kernel is used."""


_read_word = ctypes.c_size_t.from_address
_pack_array = [Struct(f"{5 + 2 * dimensions}q").pack for dimensions in range(9)]
_DATA = object.__basicsize__
"""Offset [bytes] of the address of the data in an array object, according to the C API of NumPy."""


def find_data(array: NDArray[Any]) -> int:
    """Return the address of the data of an array. ``array.ctypes.data`` gives the same address, but takes ten times as
    long.
    """
    return _read_word(id(array) + _DATA).value


@_intrinsic  # type: ignore[untyped-decorator]
def _call_entry(_typing: Any, entry: Any, block: Any) -> Any:
    """Call the entry point of a kernel (see compiling.py) at an address, with the address of its arguments; return 0 on
    success.
    """

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [args[1].type])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return _types.int32(entry, block), generate


@kernel
def run(calls: IntArray) -> int:
    """Execute the calls one after the other, and return the number of successful calls before the first failed call.
    The array of calls has the shape (calls, 2); each row contains the addresses of entry point and arguments.
    """
    for i in range(len(calls)):
        if _call_entry(calls[i, 0], calls[i, 1]) != 0:
            return i
    return len(calls)


Memory = dict[int, tuple[tuple[Any, ...], bytes, int, tuple[Any, ...]]]
"""For each argument that is a tuple, by index of the argument: the tuple, its memory, its alignment and the types of
its items.
"""


def prepare_call(
    function: Any, args: tuple[Any, ...], known: Memory | None = None
) -> tuple[list[int], NDArray[np.uint8]]:
    """Return the addresses of one call for `run` (entry point and argument block), and the argument block itself. The
    caller must keep a reference to the argument block.

    Args:
        function: the kernel.
        args: arguments of the call.
        known: cache of stored tuples by argument index, which calls with the same kernel share. A tuple in the cache
            is not stored again.

    Raises:
        TypeError: an argument is not an array, a number, or a tuple of these, or the kernel returns a value.
    """
    known = {} if known is None else known
    found, widest = b"", 1
    kinds: list[Any] = [type(args)]
    for i, value in enumerate(args):
        if isinstance(value, tuple):
            kept = known.get(i)
            if kept is None or kept[0] is not value:
                kept = known[i] = (value, *_memory(value), find_kinds(value))
            _, data, width, kind = kept
        else:
            data, width = _memory(value)
            kind = _find_kind(value)
        if width > widest:
            widest = width
        found += bytes(-len(found) % width) + data if len(found) % width else data
        kinds.append(kind)
    block = np.frombuffer(found + bytes(-len(found) % widest), np.uint8)
    return [_find_address(function, args, tuple(kinds), block.nbytes), find_data(block)], block


def _find_address(function: Any, args: tuple[Any, ...], kinds: tuple[Any, ...], size: int) -> int:
    """Return the address of the entry point of a kernel for arguments of the given types."""
    address: int | None = function.addresses.get(kinds)
    if address is None:
        address = function.addresses[kinds] = _find_entry(function, args, size)
    return address


@cache
def find_run() -> Callable[[IntArray], int]:
    """Return `run` compiled for C-contiguous int64 arrays of shape (calls, 2); the compiled `run` does not check the
    type of its argument.
    """
    kinds = (_types.int64[:, ::1],)
    run.compile(kinds)  # type: ignore[attr-defined]
    found: Callable[[IntArray], int] = run.overloads[kinds].entry_point  # type: ignore[attr-defined]
    return found


def find_kinds(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a key that is equal for arguments of equal types. The key can be computed much faster than the compiler's
    types.
    """
    return (type(values), *map(_find_kind, values))


def _find_kind(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num & ~OWNS_DATA
    return find_kinds(value) if isinstance(value, tuple) else type(value)


def _find_entry(function: Any, args: tuple[Any, ...], size: int) -> int:
    """Return the address of the entry point of a kernel for the types of the given arguments. Raise TypeError if
    ``size``, the size [bytes] of the stored arguments, is not the size that the compiler expects, or if the kernel
    returns a value.
    """
    expected, _ = _find_size(function.targetctx, args)
    if size != expected:
        raise TypeError(f"{function.__name__}: {size} bytes of arguments, but the compiler expects {expected}")
    version = find_version(function, tuple(find_type(function, value) for value in args))
    if version.signature.return_type != _types.none:
        raise TypeError(
            f"{function.__name__} returns {version.signature.return_type}: must be a kernel that returns nothing"
        )
    return find_address(version)


_known_types: dict[Any, Any] = {}
_sizes: dict[Any, tuple[int, int]] = {}


def find_type(function: Any, value: Any) -> Any:
    """Return the compiler's type of an argument. The types of arrays and of tuples are stored for later calls, because
    the compiler needs much time to find them.
    """
    if not isinstance(value, (np.ndarray, tuple)):
        return function.typeof_pyval(value)
    kind = _find_kind(value)
    found = _known_types.get(kind)
    if found is None:
        if isinstance(value, tuple):
            found = _types.BaseTuple.from_types([find_type(function, item) for item in value], type(value))
        else:
            found = function.typeof_pyval(value)
        _known_types[kind] = found
    return found


def _find_size(context: Any, value: Any) -> tuple[int, int]:
    """Return the size and the alignment [bytes] of an argument in the memory layout of the compiler. The items of a
    tuple follow each other like the members of a C structure.
    """
    if isinstance(value, tuple):
        size, widest = 0, 1
        for item in value:
            own, width = _find_size(context, item)
            size, widest = size + -size % width + own, max(widest, width)
        return size + -size % widest, widest
    # arrays of all types of items have the same layout
    key = value.ndim if isinstance(value, np.ndarray) else type(value)
    if key not in _sizes:
        kind = context.get_value_type(_typeof(value))
        _sizes[key] = context.get_abi_sizeof(kind), context.get_abi_alignment(kind)
    return _sizes[key]


def lay_down(args: tuple[Any, ...]) -> NDArray[np.uint8]:
    """Store arrays, numbers and tuples of these in the memory layout of the compiler; the arrays must exist during all
    calls."""
    return np.frombuffer(_memory(args)[0], np.uint8)


def find_version(function: Any, kinds: tuple[Any, ...]) -> Any:
    """Return the version of a kernel that is compiled for the given types and has an entry point that can be called by
    address.
    """
    if hasattr(function, "compile_by_address"):
        return function.compile_by_address(kinds)
    function.compile(kinds)  # other versions of the compiler may not have this method
    return function.overloads[kinds]


def find_address(version: Any) -> int:
    """Return the address of the entry point of a compiled version of a kernel."""
    address: int = version.library.get_pointer_to_function(version.fndesc.llvm_cfunc_wrapper_name)
    return address


def _memory(value: Any) -> tuple[bytes, int]:
    """Return a value in the memory layout of the compiler, and its alignment [bytes]."""
    if isinstance(value, np.ndarray):
        shape = value.shape
        pack = _pack_array[len(shape)]
        return pack(0, 0, value.size, value.itemsize, find_data(value), *shape, *value.strides), 8
    if isinstance(value, tuple):
        found, widest = b"", 1
        for item in value:
            data, width = _memory(item)
            if width > widest:
                widest = width
            found += bytes(-len(found) % width) + data if len(found) % width else data
        return found + bytes(-len(found) % widest), widest
    if isinstance(value, (bool, int, float, np.bool_, np.number)):
        number = np.array(value)
        return number.tobytes(), number.itemsize
    raise TypeError(f"{value!r} in the arguments of a prepared call: must be an array or a number")
