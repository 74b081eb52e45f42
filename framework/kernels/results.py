"""Conversion of numba's compile results to files of machine code, and of these files to compile results."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np

from windlass.framework.kernels.cache import read_file, write_file
from windlass.framework.kernels.cache_key import NotCacheableError
from windlass.framework.kernels.compiling import InnerLibrary, NoEntry, form_of
from windlass.framework.kernels.machine_code import FOR_PYTHON, INNER, MachineCode
from windlass.framework.kernels.process import process
from windlass.framework.kernels.type_names import check_returned, decode_type, encode_type

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations

_NAMES = ("modname", "qualname", "unique_name", "mangled_name", "env_name")
_PLAIN = (*_NAMES, "native", "args", "inline", "noalias", "abi_tags", "uid")
"""Attributes of numba's function descriptors with values that can be stored as JSON."""


def write_entry(path: Path, key: str, result: Any) -> None:
    """Write a compile result to a new file, completely or not at all.

    Raises:
        NotCacheableError: the result refers to an object that cannot be described in the file.
        OSError: the file cannot be written.
    """
    if result.lifted or result.library.has_dynamic_globals or result.reload_init or result.objectmode:
        raise NotCacheableError("the machine code contains addresses of this process")
    code = result.library._final_module
    names = [s.name for group in (code.functions, code.global_variables) for s in group if s.is_declaration]
    library, blocks = _serialize(result.library)
    environments = [result.environment, *result._find_referenced_environments()]
    function, returns = result.fndesc, result.signature.return_type
    check_returned(returns)
    header = {
        "key": key,
        "form": form_of(result),
        "name": function.qualname.split(".")[-1],
        "symbols": [name for name in names if not name.startswith("llvm.")],
        "library": library,
        "entries": {"address": function.llvm_cfunc_wrapper_name, "python": function.llvm_cpython_wrapper_name},
        "block": find_block_size(result),
        "function": {name: getattr(function, name) for name in _PLAIN},
        "returns": encode_type(returns),
        "environments": [
            [env.globals.get("__name__"), [_encode_constant(value) for value in env.consts], env.env_name]
            for env in environments
        ],
    }
    if function.kws or function.global_dict is not None:
        raise NotCacheableError("it belongs to no module")
    write_file(path, header, blocks)


def find_block_size(result: Any) -> int | None:
    """Return the size [bytes] of the arguments of a kernel in memory, see addresses.py; None if the kernel cannot be
    called with arguments in memory.
    """
    if result.signature.return_type != _numba.types.none or form_of(result) == INNER:
        return None
    context = result.target_context
    return int(context.get_abi_sizeof(context.get_value_type(_numba.types.Tuple(result.signature.args))))


def _serialize(library: Any) -> tuple[str, tuple[bytes, bytes]]:
    """Return the name of a code library and its two blocks of code, see `read_file`."""
    if isinstance(library, InnerLibrary):
        return library.name, (b"", library._get_module_for_linking().as_bitcode())
    name, _, blocks = library.serialize_using_object_code()
    return name, blocks


def read_entry(path: Path, key: str, arguments: tuple[Any, ...], dispatcher: Any, target_context: Any) -> Any:
    """Return a compile result from a file. Return None if the file does not exist. The machine code is linked by
    `MachineCode`, and the compiler uses only the intermediate code.

    Raises:
        UntrustedError, WindlassError, LookupError: see `read_file` and `MachineCode`.
    """
    found = read_file(path, key)
    if found is None:
        return None
    header, code, inserted = found
    function = _numba.core.funcdesc.PythonFunctionDescriptor.__new__(_numba.core.funcdesc.PythonFunctionDescriptor)
    for name in _PLAIN:
        value = header["function"][name]
        setattr(function, name, tuple(value) if isinstance(value, list) else value)
    returns = decode_type(header["returns"])
    function.restype, function.argtypes, function.kws, function.doc = returns, arguments, (), ""
    function.typemap = function.calltypes = function.global_dict = None
    signature = _numba.core.typing.signature(returns, *arguments).replace(pysig=dispatcher._compiler.pysig)
    library: Any
    entry: Any = NoEntry(header["form"])
    if header["form"] == INNER:
        library = InnerLibrary(target_context.codegen(), header["library"])
        library._finalized = True
    else:
        linked = process.read.get(key) or _link(header, code, target_context)
        process.read[key] = linked
        library = KeptLibrary(target_context.codegen(), header["library"], linked)
        if linked.form == FOR_PYTHON:
            entry = linked.find_function()
    own, *referenced = [
        _rebuild_environment(module, [np.dtype(v) if kind == "dtype" else v for kind, v in constants], name)
        for module, constants, name in header["environments"]
    ]
    base: Any = type(library)
    library.__class__ = _create_class(base)
    library.code, library.parsed = inserted, None
    return _numba.core.compiler.compile_result(
        typing_context=target_context.typing_context, target_context=target_context, library=library, fndesc=function,
        signature=signature, environment=own, referenced_envs=tuple(referenced), entry_point=entry, type_annotation="",
        objectmode=False, lifted=(), reload_init=(),
    )  # fmt: skip


def _link(header: dict[str, Any], code: bytes, target_context: Any) -> MachineCode:
    """Link machine code. If symbols are missing, numba first registers the functions of its function tables."""
    try:
        return MachineCode(header, code)
    except LookupError:
        target_context.refresh()
        return MachineCode(header, code)


class KeptLibrary(_numba.core.codegen.JITCodeLibrary):  # type: ignore[misc]
    """Machine code that was read from a file. This machine code is linked without numba's module of intermediate
    code.
    """

    def __init__(self, codegen: Any, name: str, linked: MachineCode) -> None:
        _numba.core.codegen.CodeLibrary.__init__(self, codegen, name)
        self._linking_libraries: list[Any] = []
        self._finalized, self.linked = True, linked

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of the entry point for calls by address."""
        if name != self.linked.header["entries"]["address"]:
            raise LookupError(f"{name} is not an entry point for calls by address")
        return self.linked.address


@functools.cache
def _create_class(base: Any) -> Any:
    """Create a class of code libraries. The intermediate code of such a library is parsed only when a caller of the
    kernel is compiled.
    """

    def parse(library: Any) -> Any:
        if library.parsed is None:
            library.parsed = llvmlite.binding.parse_bitcode(library.code)
        return library.parsed

    return type(base.__name__, (base,), {"_shared_module": property(parse)})


def _rebuild_environment(module: str, constants: list[Any], name: str) -> Any:
    """Create the environment by which the compiler describes a kernel. Machine code uses other environments, see
    `MachineCode`.
    """
    class_ = _numba.core.environment.Environment
    if name not in class_._memo:
        environment = class_._memo[name] = class_(
            vars(sys.modules[module]) if module in sys.modules else {"__name__": module}
        )
        environment.consts[:] = constants
        environment.env_name = name
        return environment
    return class_._memo[name]


def _encode_constant(value: Any) -> tuple[str, Any]:
    """Return the JSON form of a Python object to which machine code refers."""
    if isinstance(value, np.dtype) and value.names is None and not value.hasobject:
        return "dtype", value.str
    if value is None or isinstance(value, (bool, int, str)):
        return "plain", value
    raise NotCacheableError(f"the machine code refers to {value!r}")
