"""Machine code that was read from files: linking, entry points, and the symbols to which the code refers.

For kernels from files, these functions replace parts of numba. They use the linker of LLVM and the C libraries of
numba, but not numba's Python code.
"""

from __future__ import annotations

import builtins
import ctypes
import sys
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from windlass.framework.kernels.numba_parts import load_c_library

INNER, BY_ADDRESS, FOR_PYTHON = "inner", "address", "python"
"""Forms of compiled kernels: inner kernels, kernels called by address, kernels called from Python. A kernel of one form
can also be used in place of a kernel of an earlier form in this order.
"""
FORMS = (INNER, BY_ADDRESS, FOR_PYTHON)


class MachineCode:
    """The machine code of one kernel.

    Args:
        header: header of the file, see cache.py.
        code: the machine code.

    Attributes:
        header: header of the file.
        form: form of the kernel.

    Raises:
        LookupError: the code needs symbols that do not exist in this process.
        ImportError, AttributeError, TypeError: this version of numba has no such C library, or the functions of the
            library differ from those that this module expects.
    """

    def __init__(self, header: dict[str, Any], code: bytes) -> None:
        self.header, self.form = header, header["form"]
        _check_symbols(header["symbols"])
        _find_linker().add_object_file(llvm.ObjectFileRef.from_data(code))
        self._environments = [_create_environment(*words) for words in header["environments"]]
        # the code reads the addresses of Python objects from global variables, which are set here
        for (_, _, name), environment in zip(header["environments"], self._environments, strict=True):
            ctypes.c_void_p.from_address(_find_linker().get_global_value_address(name)).value = id(environment)
        # the entry point is created now and not at the first call, so that the errors of unknown versions of numba are
        # raised here
        self._function = self._create_function() if self.form == FOR_PYTHON else None

    @property
    def address(self) -> int:
        """Address of the entry point for calls by address."""
        return int(_find_linker().get_function_address(self.header["entries"]["address"]))

    def find_function(self) -> Any:
        """Return the entry point for calls from Python; None for kernels of other forms."""
        return self._function

    def _create_function(self) -> Any:
        name, address = self.header["name"], self.header["entries"]["python"]
        return load_c_library("_dynfunc").make_function(
            sys.modules.get(self.header["environments"][0][0]),
            name,
            f"compiled wrapper for {name!r}",
            _find_linker().get_function_address(address),
            self._environments[0],
            (self,),
        )


@cache
def _find_linker() -> Any:
    """Define the symbols of numba's C libraries and of Python, and return the linker for machine code."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    linker = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    memory = load_c_library("core.runtime._nrt_python")
    # Numba selects the same allocator when it is imported. Memory of kernels may be released after a later import of
    # numba.
    memory.memsys_use_cpython_allocator()
    # The symbols have the names that numba uses. In numba's code, the symbol of a Python object is the address of the
    # object.
    for name, address in memory.c_helpers.items():
        llvm.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    for library in ("_helperlib", "_dynfunc"):
        for name, address in load_c_library(library).c_helpers.items():
            llvm.add_symbol(f"numba_{name}", address)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException) and name == value.__name__:
            llvm.add_symbol(f"PyExc_{name}", id(value))
    llvm.add_symbol("_Py_NoneStruct", id(None))
    return linker


_there: set[str] = set()
"""Linker symbols that were found in this process. The linker never removes symbols."""


def _check_symbols(symbols: list[str]) -> None:
    """Raise LookupError if a symbol is missing. Without this check, a missing symbol would cause the linker to end the
    process.
    """
    _find_linker()
    # The symbols that were found are stored, because most kernels need only a few common symbols. A query of the linker
    # takes longer than reading a small kernel.
    unknown = set(symbols) - _there
    missing = sorted(symbol for symbol in unknown if llvm.address_of_symbol(symbol) is None)
    if missing:
        raise LookupError(f"unknown symbols {missing}")
    _there.update(unknown)


_environments: dict[str, Any] = {}
"""Environments by name. An environment contains the Python objects to which machine code refers."""


def _create_environment(module: str, constants: list[Any], name: str) -> Any:
    """Create the Python environment of a compiled function. The environment contains the constants of the function and
    the name of its module.

    The module is not imported, because most environments are environments of numba functions. The import of the modules
    of numba would take as long as reading all kernels of a model.
    """
    if name not in _environments:
        known = sys.modules.get(module)
        environment = load_c_library("_dynfunc").Environment({"__name__": module} if known is None else vars(known))
        environment.consts[:] = [np.dtype(value) if kind == "dtype" else value for kind, value in constants]
        _environments[name] = environment
    return _environments[name]
