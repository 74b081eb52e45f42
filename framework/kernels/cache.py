"""Files of machine code: their content, their folder, and the checks of owner and permissions.

A file contains a JSON header and two blocks of code from the compiler, and ends with a digest of all preceding bytes.
The header contains the key of the kernel, so a file of another kernel is detected. For security, the folder and the
file must belong to the user or to root, no other user may have permission to write to the folder or the file, and links
are never followed. No data are unpickled.
"""

from __future__ import annotations

import functools
import grp
import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np

from windlass.framework.files.whole_files import check_seal, seal
from windlass.framework.kernels.cache_key import NotCacheableError
from windlass.framework.kernels.compiling import FOR_PYTHON, INNER, InnerLibrary, NoEntry, form_of
from windlass.framework.kernels.type_names import decode_type, encode_type

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations

FORMAT = 6
MAGIC = b"windlass machine code\n"
_NAMES = ("modname", "qualname", "unique_name", "mangled_name", "env_name")
_PLAIN = (*_NAMES, "native", "args", "inline", "noalias", "abi_tags", "uid")
"""Attributes of numba's function descriptors whose values can be stored as JSON."""


_there: set[str] = set()
"""Linker symbols that were found in this process; symbols are never removed."""


class UntrustedError(Exception):
    """Error for a folder or file that another user may have written."""


@functools.cache
def find_folder(wish: str) -> tuple[Path | None, str]:
    """Return the subfolder of the requested folder ``wish`` for this version of Python and numba, and create it if
    necessary. Return None and the reason if the folder cannot be used.
    """
    version = f"kernels-{FORMAT}-{sys.implementation.cache_tag}-numba-{numba.__version__}"
    try:
        root = Path(wish).expanduser().absolute()
        folder = root / version
        if not folder.is_dir():
            root.parent.mkdir(parents=True, exist_ok=True)
            for new in (root, folder):
                new.mkdir(mode=0o700, exist_ok=True)
        folder = folder.resolve()
        check_folder(folder)
    except (OSError, RuntimeError, UntrustedError) as error:
        return None, f"the cache folder {wish} cannot be used ({error})"
    return folder, ""


def check_folder(folder: Path) -> None:
    """Raise UntrustedError if another user can write files into a folder or replace the folder."""
    for place in (folder, *folder.parents):
        status = place.stat()
        if status.st_uid not in (0, os.geteuid()):
            raise UntrustedError(f"{place} belongs to user {status.st_uid}")
        # in a folder with the sticky bit, only the owner of a file may rename the file
        if place != folder and status.st_mode & stat.S_ISVTX:
            continue
        if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid)):
            raise UntrustedError(f"other users may write {place}")


def _is_private(group: int) -> bool:
    """Return whether a group is the private group that some systems create for every user."""
    try:
        return group == os.getegid() and len(grp.getgrgid(group).gr_mem) <= 1
    except KeyError:
        return False


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
    function = result.fndesc
    header = {
        "key": key,
        "form": form_of(result),
        "symbols": [name for name in names if not name.startswith("llvm.")],
        "library": library,
        "lengths": [len(block) for block in blocks],
        "function": {name: getattr(function, name) for name in _PLAIN},
        "returns": encode_type(result.signature.return_type),
        "environments": [
            [env.globals.get("__name__"), [_encode_constant(value) for value in env.consts], env.env_name]
            for env in environments
        ],
    }
    head = json.dumps(header).encode()
    if function.kws or function.global_dict is not None:
        raise NotCacheableError("it belongs to no module")
    content = b"".join([MAGIC, len(head).to_bytes(8, "little"), head, *blocks])
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix="part-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content + seal(content))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _serialize(library: Any) -> tuple[str, tuple[bytes, bytes]]:
    """Return the name of a code library and its two blocks of code: machine code, which is empty for an inner kernel,
    and intermediate code that is inserted into callers.
    """
    if isinstance(library, InnerLibrary):
        return library.name, (b"", library._get_module_for_linking().as_bitcode())
    name, _, blocks = library.serialize_using_object_code()
    return name, blocks


def read_entry(path: Path, key: str, arguments: tuple[Any, ...], dispatcher: Any, target_context: Any) -> Any:
    """Return an executable compile result from a file. Return None if the file does not exist.

    Raises:
        UntrustedError: the file belongs to another user, or other users may write to it.
        WindlassError: the digest of the file is wrong.
        LookupError: the file contains another kernel, or the code needs symbols that do not exist in this process.
    """
    content = _read_trusted(path)
    if content is None:
        return None
    inside = bytes(check_seal(content, f"'{path}'"))
    start = len(MAGIC) + 8
    length = int.from_bytes(inside[len(MAGIC) : start], "little")
    header = json.loads(inside[start : start + length]) if inside.startswith(MAGIC) else {}
    if header.get("key") != key:
        raise LookupError("it belongs to another kernel")
    first, second = header["lengths"]
    start += length
    blocks = inside[start : start + first], inside[start + first : start + first + second]
    function = _numba.core.funcdesc.PythonFunctionDescriptor.__new__(_numba.core.funcdesc.PythonFunctionDescriptor)
    for name in _PLAIN:
        value = header["function"][name]
        setattr(function, name, tuple(value) if isinstance(value, list) else value)
    returns = decode_type(header["returns"])
    function.restype, function.argtypes, function.kws, function.doc = returns, arguments, (), ""
    function.typemap = function.calltypes = function.global_dict = None
    environments = [
        _rebuild_environment(module, [np.dtype(v) if kind == "dtype" else v for kind, v in constants], name)
        for module, constants, name in header["environments"]
    ]
    signature = _numba.core.typing.signature(returns, *arguments)
    signature = signature.replace(pysig=dispatcher._compiler.pysig)
    form, name = header["form"], header["library"]
    if form == INNER:
        return _rebuild_inner(target_context, function, environments[0], signature, name, blocks[1])
    _load_symbols(header["symbols"], target_context)
    entries = function.llvm_func_name, function.llvm_cpython_wrapper_name, function.llvm_cfunc_wrapper_name
    target_context.codegen()._engine._defined_symbols.update(entries, (env.env_name for env in environments))
    library = KeptLibrary(target_context.codegen(), name)
    library.load(blocks[0])
    entry: Any = NoEntry(form)
    if form == FOR_PYTHON:
        entry = target_context.get_executable(library, function, environments[0])
    for environment in environments:
        library.codegen.set_env(environment.env_name, environment)
    parts = {"environment": environments[0], "referenced_envs": tuple(environments[1:]), "entry_point": entry}
    return _put_off_parsing(_create_result(target_context, library, function, signature, parts), blocks[1])


class KeptLibrary(_numba.core.codegen.JITCodeLibrary):  # type: ignore[misc]
    """Machine code that was read from a file, and is linked without numba's module of intermediate code."""

    def __init__(self, codegen: Any, name: str) -> None:
        _numba.core.codegen.CodeLibrary.__init__(self, codegen, name)
        self._linking_libraries: list[Any] = []
        self._finalized = True

    def load(self, code: bytes) -> None:
        """Pass the machine code to the linker, which reads the code at the first request for an address."""
        self._codegen._engine._ee.add_object_file(llvmlite.binding.ObjectFileRef.from_data(code))


def _create_result(context: Any, library: Any, function: Any, signature: Any, parts: dict[str, Any]) -> Any:
    """Create a numba compile result from the contents of a file."""
    fields = {
        "typing_context": context.typing_context, "target_context": context, "library": library, "fndesc": function,
        "signature": signature, "type_annotation": "", "objectmode": False, "lifted": (), "reload_init": (),
    }  # fmt: skip
    return _numba.core.compiler.compile_result(**fields, **parts)


def _rebuild_inner(context: Any, function: Any, environment: Any, signature: Any, name: str, code: bytes) -> Any:
    """Create the compile result of an inner kernel, which only other kernels call."""
    library = InnerLibrary(context.codegen(), name)
    library._finalized = True
    parts = {"environment": environment, "referenced_envs": (), "entry_point": NoEntry(INNER)}
    return _put_off_parsing(_create_result(context, library, function, signature, parts), code)


def _put_off_parsing(result: Any, code: bytes) -> Any:
    """Return a compile result whose intermediate code is parsed only when a caller is compiled, which is rare."""
    library = result.library
    base: Any = type(library)
    library.__class__ = _create_class(base)
    library.code, library.parsed = code, None
    return result


@functools.cache
def _create_class(base: Any) -> Any:
    def parse(library: Any) -> Any:
        if library.parsed is None:
            library.parsed = llvmlite.binding.parse_bitcode(library.code)
        return library.parsed

    return type(base.__name__, (base,), {"_shared_module": property(parse)})


def _rebuild_environment(module: str, constants: list[Any], name: str) -> Any:
    """Create the Python environment of a compiled function. The environment contains the constants of the function and
    the name of its module.

    The module is not imported: most environments belong to functions of numba, and the import of the modules of these
    functions would require as much time as reading all kernels of a model.
    """
    class_ = _numba.core.environment.Environment
    if module in sys.modules or name in class_._memo:
        return _numba.core.environment._rebuild_env(module, constants, name)
    environment = class_._memo[name] = class_({"__name__": module})
    environment.consts[:] = constants
    environment.env_name = name
    return environment


def _read_trusted(path: Path) -> bytes | None:
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(number, "rb") as file:
        status = os.fstat(number)
        trusted = status.st_uid in (0, os.geteuid()) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not (stat.S_ISREG(status.st_mode) and trusted):
            raise UntrustedError(f"{path} belongs to another user, or other users may write it")
        return file.read()


def _load_symbols(symbols: list[str], target_context: Any) -> None:
    """Register functions of numba if symbols are unknown. Raise LookupError if a symbol is then still missing, because
    the linker would end the process for a missing symbol.
    """
    # store the symbols that were found, because most kernels need the same few symbols, and because a query of the
    # linker takes longer than reading a small kernel
    unknown = set(symbols) - _there
    # The set-up of numba's function tables takes longer than reading all kernels. The function tables are needed only
    # if machine code refers to symbols that this set-up registers.
    for register in (_register_runtime, target_context.refresh):
        if all(map(_is_there, unknown)):
            break
        register()
    missing = sorted(symbol for symbol in unknown if not _is_there(symbol))
    if missing:
        raise LookupError(f"unknown symbols {missing}")
    _there.update(unknown)


def _register_runtime() -> None:
    """Register the functions of numba's library for arrays. Numba's own set-up would, in addition, compile functions
    that are needed only for the compilation of kernels.
    """
    helpers: dict[str, int] = getattr(_numba.core.runtime._nrt_python, "c_helpers", {})
    for name, address in helpers.items():
        llvmlite.binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def _is_there(symbol: str) -> bool:
    return llvmlite.binding.address_of_symbol(symbol) is not None


def _encode_constant(value: Any) -> tuple[str, Any]:
    """Return the JSON form of a Python object to which machine code refers."""
    if isinstance(value, np.dtype) and value.names is None and not value.hasobject:
        return "dtype", value.str
    if value is None or isinstance(value, (bool, int, str)):
        return "plain", value
    raise NotCacheableError(f"the machine code refers to {value!r}")
