"""Functions that give equal results for all versions of PETSc. The functions call PETSc through ctypes where petsc4py
does not provide a function of PETSc.

The versions 3.18 to 3.26 of PETSc are supported. PETSc's truth values (PetscBool) are C integers in older versions, and
bytes in newer versions. Both types of truth values can be read from an integer that is initialised with 0, because
little-endian processors store the lowest byte first. All arguments are passed as ctypes values, because ctypes would
truncate Python integers to 32 bits. A call that fails raises the error of petsc4py.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import importlib.util
import sys
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray

FACTORS = {"lu": 1, "cholesky": 2}
"""PETSc's constant for each type of factorisation, by the type of the preconditioner (``"lu"``, ...)."""
RENAMED = {
    "DIVERGED_FUNCTION_NANORINF": "DIVERGED_FNORM_NAN",  # since PETSc 3.25
    "DIVERGED_OBJECTIVE_NANORINF": "DIVERGED_FNORM_NAN",  # since PETSc 3.25, in line searches
    "CONVERGED_RTOL_NORMAL_EQUATIONS": "CONVERGED_RTOL_NORMAL",  # since PETSc 3.24
    "CONVERGED_ATOL_NORMAL_EQUATIONS": "CONVERGED_ATOL_NORMAL",  # since PETSc 3.24
}
"""Older names of converged reasons, by the names in later versions of PETSc. Windlass uses the older names for all
versions.
"""
Pointer = ctypes.c_void_p
_linked: weakref.WeakKeyDictionary[Any, tuple[str, int]] = weakref.WeakKeyDictionary()
"""For each Python object that implements a matrix or preconditioner: the type (Mat or PC) and the handle of the PETSc
object.
"""


@functools.cache
def _petsc() -> Any:
    from petsc4py import PETSc  # imported here, because the import initialises PETSc with the present options

    return PETSc


def _integer(value: int = 0) -> Any:
    """Return a number as a ctypes value of PETSc's integer type."""
    return (ctypes.c_int64 if _petsc().IntType().itemsize == 8 else ctypes.c_int32)(value)


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(_petsc().__file__)


def _call(name: str, *arguments: Any) -> None:
    code = getattr(_library(), name)(*arguments)
    if code:
        raise _petsc().Error(code) if code > 0 else RuntimeError(name)


@functools.cache
def reason_name(reasons: Any, reason: int) -> str:
    """Return PETSc's name of the reason for the end of SNES or KSP. The argument ``reasons`` is the class with the
    reasons of SNES or of KSP. The name does not depend on the version of PETSc.
    """
    for name, value in vars(reasons).items():
        if value == reason and name.startswith(("DIVERGED", "CONVERGED")):
            return RENAMED.get(name, str(name))
    return str(reason)


def raise_cause(error: Any) -> None:
    """Raise the original error of a Python function that PETSc has called. Newer versions of PETSc wrap this error in
    another error.
    """
    cause = error.__cause__
    if cause is not None:
        raise cause from cause.__cause__


def unlock(*objects: Any) -> None:
    """Unlock vectors, including vectors of SNES, after an error.

    Newer versions of PETSc lock vectors even in optimised builds, and do not release the locks after an error.
    """
    if getattr(_library(), "VecLockGet", None) is None:
        return
    handles = []
    for item in objects:
        if isinstance(item, _petsc().SNES):
            search, vectors = Pointer(), [Pointer() for _ in range(5)]
            _call("SNESGetLineSearch", Pointer(item.handle), ctypes.byref(search))
            _call("SNESLineSearchGetVecs", search, *map(ctypes.byref, vectors))
            handles += [vector for vector in vectors if vector]
        else:
            handles.append(Pointer(item.handle))
    for handle in handles:
        state = _integer()
        _call("VecLockGet", handle, ctypes.byref(state))
        for _ in range(state.value):
            _call("VecLockReadPop", handle)


def preallocate_coo(mat: Any, rows: IntArray, columns: IntArray) -> None:
    """Call MatSetPreallocationCOO: set the rows and columns of the values of a matrix, each of shape (k,)."""
    if callable(getattr(mat, "setPreallocationCOO", None)):
        mat.setPreallocationCOO(rows, columns)
        return
    i, j = np.array(rows), np.array(columns)
    places = Pointer(i.ctypes.data), Pointer(j.ctypes.data)
    _call("MatSetPreallocationCOO", Pointer(mat.handle), ctypes.c_ssize_t(len(i)), *places)


def set_values_coo(mat: Any, values: FloatArray) -> None:
    """Call MatSetValuesCOO with INSERT_VALUES: set the values of a matrix, shape (k,). Values at equal positions are
    added.
    """
    mode = _petsc().InsertMode.INSERT_VALUES
    if callable(getattr(mat, "setValuesCOO", None)):
        mat.setValuesCOO(values, mode)
        return
    _call("MatSetValuesCOO", Pointer(mat.handle), Pointer(values.ctypes.data), ctypes.c_int(int(mode)))


def get_block_values(mat: Any, entries: int) -> FloatArray:
    """Call MatSeqBAIJGetArray: return the array of the values of a matrix of dense blocks, shape (entries,), without a
    copy.
    """
    place = Pointer()
    _call("MatSeqBAIJGetArray", Pointer(mat.handle), ctypes.byref(place))
    return np.frombuffer(memoryview((ctypes.c_double * entries).from_address(place.value or 0)), count=entries)


def set_parts_and_weights(partitioning: Any, size: int, weight: IntArray) -> None:
    """Call MatPartitioningSetNParts and MatPartitioningSetVertexWeights. The weights have the shape (vertices,).

    The weights are copied to memory that PETSc allocates, because PETSc later frees this memory.

    Raises:
        MemoryError: the machine has too little memory for the weights.
    """
    handle = Pointer(partitioning.handle)
    _call("MatPartitioningSetNParts", handle, _integer(size))
    signature = (ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, Pointer)
    allocate = ctypes.CFUNCTYPE(ctypes.c_int, *signature).in_dll(_library(), "PetscTrMalloc")
    values, memory = weight.astype(_petsc().IntType), Pointer()
    if allocate(values.nbytes, 0, 0, b"", b"", ctypes.addressof(memory)):
        raise MemoryError(f"no memory for {values.nbytes} bytes of partition weights")
    ctypes.memmove(memory, values.ctypes.data, values.nbytes)
    _call("MatPartitioningSetVertexWeights", handle, memory)


def reset_scotch() -> None:
    """Call SCOTCH_randomSeed if PETSc has SCOTCH, so that partitions are equal in every run."""
    seed = getattr(_library(), "SCOTCH_randomSeed", None)
    if seed is not None:
        seed(1)


def set_python_context(shell: Any, context: Any) -> None:
    """Implement a matrix or preconditioner by functions of a Python object.

    PETSc frees its remaining objects after Python has ended, and must not call the Python object then. Therefore
    `_cut_links` detaches the Python object from PETSc before Python ends.
    """
    shell.setType("python")
    shell.setPythonContext(context)
    _linked[context] = type(shell).__name__, shell.handle


@atexit.register
def _cut_links() -> None:
    """Detach the Python objects from all matrices and preconditioners that they implement."""
    if _linked and not _petsc().Sys.isFinalized():
        for name, handle in _linked.values():
            _call(f"{name}SetType", Pointer(handle), ctypes.c_char_p(b"shell"))


def set_failed(pc: Any, failed: bool) -> None:
    """Call PCSetFailedReason: set whether the factorisation of a preconditioner has found a zero pivot. The solver then
    reports this pivot as the reason of its failure.
    """
    pivot, none = 2, 0  # values of PETSc's constants PC_FACTOR_NUMERIC_ZEROPIVOT and PC_NOERROR
    _call("PCSetFailedReason", Pointer(pc.handle), ctypes.c_int(pivot if failed else none))


def set_line_search(snes: Any, kind: str) -> None:
    """Call SNESLineSearchSetType."""
    search = Pointer()
    _call("SNESGetLineSearch", Pointer(snes.handle), ctypes.byref(search))
    _call("SNESLineSearchSetType", search, ctypes.c_char_p(kind.encode()))


def count_linear_iterations(ksp: Any) -> int:
    """Call KSPGetTotalIterations: return the number of iterations in all solves of a linear solver."""
    count = _integer()
    _call("KSPGetTotalIterations", Pointer(ksp.handle), ctypes.byref(count))
    return int(count.value)


def has_package(package: str, kind: str, matrix: Any) -> bool:
    """Call MatSolverTypeGet: return whether PETSc has a package for the factorisation ``"lu"`` or ``"cholesky"`` of
    matrices of a given type.
    """
    found, serves = ctypes.c_int(), ctypes.c_int()
    words = ctypes.c_char_p(package.encode()), ctypes.c_char_p(matrix.getType().encode()), ctypes.c_int(FACTORS[kind])
    try:
        _call("MatSolverTypeGet", *words, ctypes.byref(found), ctypes.byref(serves), None)
    except _petsc().Error:
        return False
    return bool(found.value and serves.value)


def list_unused_options() -> dict[str, str]:
    """Call PetscOptionsLeftGet: return the options that this process has not read, as a dictionary of values (empty for
    flags) by name without dash.
    """
    count, names, values = _integer(), ctypes.POINTER(ctypes.c_char_p)(), ctypes.POINTER(ctypes.c_char_p)()
    parts = (None, ctypes.byref(count), ctypes.byref(names), ctypes.byref(values))
    _call("PetscOptionsLeftGet", *parts)
    unused = {(names[i] or b"").decode(): (values[i] or b"").decode() for i in range(count.value)}
    _call("PetscOptionsLeftRestore", *parts)
    return unused


@atexit.register
def hide_unused_options() -> None:
    """Prevent PETSc from printing its list of unused options at the end, because Windlass checks unused options. If the
    user has requested the list, PETSc prints it.
    """
    if "petsc4py.PETSc" in sys.modules and not _petsc().Sys.isFinalized():
        options = _petsc().Options()
        if not options.hasName("options_left"):
            options.setValue("options_left", "0")


class _SymbolInfo(ctypes.Structure):
    _fields_ = (("file", ctypes.c_char_p), ("base", Pointer), ("symbol", ctypes.c_char_p), ("address", Pointer))


def library_file() -> str | None:
    """Return the file of the PETSc library to which petsc4py is linked, or None if the file cannot be found."""
    return _file_of(_library(), "PetscOptionsLeftGet")


def slepc_file() -> str | None:
    """Return the file of the SLEPc library to which slepc4py is linked, or None if the file does not exist. The
    function does not import slepc4py.
    """
    spec = importlib.util.find_spec("slepc4py")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for module in Path(folder, "lib").glob("**/SLEPc*.so"):
            with suppress(OSError):
                return _file_of(ctypes.CDLL(str(module)), "EPSCreate")
    return None


def _file_of(library: ctypes.CDLL, name: str) -> str | None:
    """Return the library file that contains a function."""
    info = _SymbolInfo()
    try:
        address = ctypes.cast(getattr(library, name), Pointer)
        find_file: Any = ctypes.CDLL(None).dladdr
    except AttributeError:
        return None
    find_file.argtypes = (Pointer, ctypes.POINTER(_SymbolInfo))
    return info.file.decode() if find_file(address, ctypes.byref(info)) and info.file else None


@functools.cache
def find_addresses(names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the addresses of functions of PETSc that compiled code calls."""
    return tuple(ctypes.cast(getattr(_library(), name), Pointer).value or 0 for name in names)


def set_callbacks(snes: Any, mat: Any, context: int, **functions: int) -> None:
    """Call SNESSetFunction, SNESSetJacobian and SNESSetConvergenceTest with functions and a context at given addresses.

    Args:
        snes: the solver. Its residual vector is not changed.
        mat: the tangent.
        context: address of the context that PETSc passes to the functions. The context must not be deleted before the
            solver.
        functions: addresses of ``function``, ``jacobian`` and ``convergence_test``. Functions that are not given are
            not changed.
    """
    handle, given = Pointer(snes.handle), Pointer(context)
    address = {name: Pointer(value) for name, value in functions.items()}
    if "function" in address:
        _call("SNESSetFunction", handle, None, address["function"], given)
    if "jacobian" in address:
        _call("SNESSetJacobian", handle, Pointer(mat.handle), Pointer(mat.handle), address["jacobian"], given)
    if "convergence_test" in address:
        _call("SNESSetConvergenceTest", handle, address["convergence_test"], given, None)
