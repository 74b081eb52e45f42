"""Calls between kernels and C code by address. C code calls kernels, and kernels call C functions.

A kernel with an address as argument has an entry point that C code can call. The entry point is cached with the machine
code of the kernel. C libraries pass a context (``void *``) to such functions. For kernels, the context is the address
of a tuple that `lay_down` has stored. The kernel reads the tuple by `load`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.deferred import DeferredFunction, intrinsic
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.machine_code import BY_ADDRESS
from windlass.framework.kernels.process import find_kept
from windlass.framework.kernels.value_types import encode_value, find_kinds

_carray: Any = DeferredFunction("carray")


def find_c_address(function: Any, kinds: tuple[str, ...], context: tuple[Any, ...]) -> int:
    """Return the address at which C code can call a kernel. C code passes numbers, followed by the address of a tuple
    with the types of ``context``.

    Args:
        function: a compiled kernel that returns a value. Exceptions in the kernel are ignored.
        kinds: types of the numbers that C code passes, e.g. ``"int64"``. Addresses are int64.
        context: tuple of arrays and numbers.
    """
    key = kinds, find_kinds(context)
    if key not in function.addresses:
        kept = find_kept(function, [*kinds, ["pointer", encode_value(context)]], BY_ADDRESS)
        function.addresses[key] = _compile(function, kinds, context) if kept is None else kept.address
    address: int = function.addresses[key]
    return address


def _compile(function: Any, kinds: tuple[str, ...], context: tuple[Any, ...]) -> int:
    # imported here, because the module imports numba
    from windlass.framework.kernels.compiled_entries import find_c_entry

    return find_c_entry(function, kinds, context)


@intrinsic
def load(_typing: Any, context: Any) -> Any:
    """Return the tuple that is stored at an address."""

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(args[0])

    return context.dtype(context), generate


@intrinsic
def call_c(_typing: Any, function: Any, arguments: Any) -> Any:
    """Call the C function at an address with the numbers of a tuple as arguments, and return the result of the
    function, an int.
    """
    from llvmlite import ir  # imported here, because only the compiler needs llvmlite
    from numba import types  # imported here, because numba is needed only for compilation

    count = len(arguments.types)

    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        values = [builder.extract_value(args[1], i) for i in range(count)]
        kind = ir.FunctionType(ir.IntType(32), [value.type for value in values])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), values)

    return types.int32(function, arguments), generate


@intrinsic
def _as_pointer(_typing: Any, address: Any) -> Any:
    from numba import types  # imported here, because numba is needed only for compilation

    def generate(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), generate


@kernel(inline=True)
def floats_at(address: int, count: int) -> FloatArray:
    """Return an array of ``count`` double-precision numbers that are stored at an address."""
    found: FloatArray = _carray(_as_pointer(address), (count,), np.float64)
    return found


@kernel(inline=True)
def set_int(address: int, value: int) -> None:
    """Write a C ``int`` to the memory at an address."""
    _carray(_as_pointer(address), (1,), np.int32)[0] = value


@kernel(inline=True)
def int_at(address: int) -> int:
    """Return the C ``int`` that is stored at an address."""
    found: int = _carray(_as_pointer(address), (1,), np.int32)[0]
    return found


@kernel(inline=True)
def calls_at(address: int, count: int) -> IntArray:
    """Return the table of the calls of a program, shape (count, 2), that is stored at an address. The result can be
    passed to `run` in addresses.py.
    """
    found: IntArray = _carray(_as_pointer(address), (count, 2), np.int64)
    return found


@kernel
def ask(address: IntArray) -> None:
    """Call a Python function that ctypes has wrapped. The array ``address``, shape (1,), contains the address of the
    function. Raise an error if the result is not 0.
    """
    if call_c(address[0], (np.int64(0),)) != 0:
        raise RuntimeError("a function of Python has failed")


@kernel
def ask_when(address: IntArray, due: IntArray) -> None:
    """If due[0] is not 0, call the Python function with the address in ``address`` by `ask`."""
    if due[0] != 0 and call_c(address[0], (np.int64(0),)) != 0:
        raise RuntimeError("a function of Python has failed")
