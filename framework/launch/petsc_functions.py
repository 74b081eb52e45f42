"""Differences between versions of PETSc, and functions of its library that petsc4py lacks, called through ctypes.

PETSc 3.18 to 3.26 are supported. PETSc's truth values (PetscBool) are C integers in early versions and bytes in late
ones. Both fit into an integer initialised with 0, because little-endian processors store the lowest byte first.
Arguments are ctypes values, so no argument is cut to 32 bits. A call that fails raises the error of petsc4py.
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
"""PETSc's number for each kind of factors, by the name of the preconditioner that computes them."""
RENAMED = {
    "DIVERGED_FUNCTION_NANORINF": "DIVERGED_FNORM_NAN",  # 3.25
    "DIVERGED_OBJECTIVE_NANORINF": "DIVERGED_FNORM_NAN",  # from 3.25 on, in line searches
    "CONVERGED_RTOL_NORMAL_EQUATIONS": "CONVERGED_RTOL_NORMAL",  # 3.24
    "CONVERGED_ATOL_NORMAL_EQUATIONS": "CONVERGED_ATOL_NORMAL",  # 3.24
}
"""Names of converged reasons in later versions of PETSc, and the older names, which users and solvers see in all
versions."""
Pointer = ctypes.c_void_p
_linked: weakref.WeakKeyDictionary[Any, tuple[str, int]] = weakref.WeakKeyDictionary()
"""For each Python object that implements a matrix or a preconditioner: "Mat" or "PC", and the handle of the PETSc
object."""


@functools.cache
def _petsc() -> Any:
    from petsc4py import PETSc  # imported here, because the import initialises PETSc, which must know its options then

    return PETSc


def _integer(value: int = 0) -> Any:
    """A PETSc integer."""
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
    """PETSc's name of a converged reason, from the class of reasons of SNES or KSP; the same in all versions."""
    for name, value in vars(reasons).items():
        if value == reason and name.startswith(("DIVERGED", "CONVERGED")):
            return RENAMED.get(name, str(name))
    return str(reason)


def raise_cause(error: Any) -> None:
    """Raise the error of a Python function that PETSc has called, if the function failed; late versions of PETSc wrap
    it in their own error."""
    cause = error.__cause__
    if cause is not None:
        raise cause from cause.__cause__


def unlock(*objects: Any) -> None:
    """Make vectors, also vectors of SNES, writable again after an error.

    Late versions of PETSc lock vectors in all builds, and an error leaves the locks; early versions do not.
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
    """MatSetPreallocationCOO: rows and columns of values in a matrix, shape (k,) each."""
    if callable(getattr(mat, "setPreallocationCOO", None)):
        mat.setPreallocationCOO(rows, columns)
        return
    i, j = np.array(rows), np.array(columns)
    places = Pointer(i.ctypes.data), Pointer(j.ctypes.data)
    _call("MatSetPreallocationCOO", Pointer(mat.handle), ctypes.c_ssize_t(len(i)), *places)


def set_values_coo(mat: Any, values: FloatArray) -> None:
    """MatSetValuesCOO with INSERT_VALUES: the sums of values at each position, shape (k,)."""
    mode = _petsc().InsertMode.INSERT_VALUES
    if callable(getattr(mat, "setValuesCOO", None)):
        mat.setValuesCOO(values, mode)
        return
    _call("MatSetValuesCOO", Pointer(mat.handle), Pointer(values.ctypes.data), ctypes.c_int(int(mode)))


def get_block_values(mat: Any, entries: int) -> FloatArray:
    """MatSeqBAIJGetArray: the values of a matrix of dense blocks, shape (entries,), not copied."""
    place = Pointer()
    _call("MatSeqBAIJGetArray", Pointer(mat.handle), ctypes.byref(place))
    return np.ctypeslib.as_array(ctypes.cast(place, ctypes.POINTER(ctypes.c_double)), (entries,))


def set_parts_and_weights(partitioning: Any, size: int, weight: IntArray) -> None:
    """MatPartitioningSetNParts and MatPartitioningSetVertexWeights, shape (vertices,).

    Raises:
        MemoryError: there is no memory for the weights, which PETSc itself allocates and frees.
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
    """SCOTCH_randomSeed, where PETSc has SCOTCH: partitions are the same in every run."""
    seed = getattr(_library(), "SCOTCH_randomSeed", None)
    if seed is not None:
        seed(1)


def set_python_context(shell: Any, context: Any) -> None:
    """Implement a matrix or preconditioner by functions of a Python object.

    PETSc frees remaining objects after Python has ended and would then call the Python object; therefore the link is
    removed before the end.
    """
    shell.setType("python")
    shell.setPythonContext(context)
    _linked[context] = type(shell).__name__, shell.handle


@atexit.register
def _cut_links() -> None:
    """Remove the Python objects from all matrices and preconditioners that they implement."""
    if _linked and not _petsc().Sys.isFinalized():
        for name, handle in _linked.values():
            _call(f"{name}SetType", Pointer(handle), ctypes.c_char_p(b"shell"))


def set_failed(pc: Any, failed: bool) -> None:
    """PCSetFailedReason: whether the factorisation of a preconditioner has met a pivot of 0, which its solver then
    reports."""
    pivot, none = 2, 0  # PC_FACTOR_NUMERIC_ZEROPIVOT, PC_NOERROR
    _call("PCSetFailedReason", Pointer(pc.handle), ctypes.c_int(pivot if failed else none))


def set_line_search(snes: Any, kind: str) -> None:
    """SNESLineSearchSetType."""
    search = Pointer()
    _call("SNESGetLineSearch", Pointer(snes.handle), ctypes.byref(search))
    _call("SNESLineSearchSetType", search, ctypes.c_char_p(kind.encode()))


def count_linear_iterations(ksp: Any) -> int:
    """KSPGetTotalIterations: number of iterations in all solves of a linear solver."""
    count = _integer()
    _call("KSPGetTotalIterations", Pointer(ksp.handle), ctypes.byref(count))
    return int(count.value)


def has_package(package: str, kind: str, matrix: Any) -> bool:
    """MatSolverTypeGet: whether PETSc has a package for ``"lu"`` or ``"cholesky"`` of matrices of this type."""
    found, serves = ctypes.c_int(), ctypes.c_int()
    words = ctypes.c_char_p(package.encode()), ctypes.c_char_p(matrix.getType().encode()), ctypes.c_int(FACTORS[kind])
    try:
        _call("MatSolverTypeGet", *words, ctypes.byref(found), ctypes.byref(serves), None)
    except _petsc().Error:
        return False
    return bool(found.value and serves.value)


def list_unused_options() -> dict[str, str]:
    """PetscOptionsLeftGet: options that this process has not read, name without dash -> value, empty for a flag."""
    count, names, values = _integer(), ctypes.POINTER(ctypes.c_char_p)(), ctypes.POINTER(ctypes.c_char_p)()
    parts = (None, ctypes.byref(count), ctypes.byref(names), ctypes.byref(values))
    _call("PetscOptionsLeftGet", *parts)
    unused = {(names[i] or b"").decode(): (values[i] or b"").decode() for i in range(count.value)}
    _call("PetscOptionsLeftRestore", *parts)
    return unused


@atexit.register
def hide_unused_options() -> None:
    """Disable PETSc's own list of unused options at its end, unless requested: Windlass has checked them."""
    if "petsc4py.PETSc" in sys.modules and not _petsc().Sys.isFinalized():
        options = _petsc().Options()
        if not options.hasName("options_left"):
            options.setValue("options_left", "0")


class _SymbolInfo(ctypes.Structure):
    _fields_ = (("file", ctypes.c_char_p), ("base", Pointer), ("symbol", ctypes.c_char_p), ("address", Pointer))


def library_file() -> str | None:
    """The file of the PETSc library that petsc4py is linked to, or None if the file cannot be found."""
    return _file_of(_library(), "PetscOptionsLeftGet")


def slepc_file() -> str | None:
    """The file of the SLEPc library of slepc4py, or None if the file does not exist; slepc4py need not be imported."""
    spec = importlib.util.find_spec("slepc4py")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for module in Path(folder, "lib").glob("**/SLEPc*.so"):
            with suppress(OSError):
                return _file_of(ctypes.CDLL(str(module)), "EPSCreate")
    return None


def _file_of(library: ctypes.CDLL, name: str) -> str | None:
    """The library file that contains a function."""
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
    """Addresses of functions of PETSc, for compiled code that calls them."""
    return tuple(ctypes.cast(getattr(_library(), name), Pointer).value or 0 for name in names)


def set_callbacks(snes: Any, mat: Any, context: int, **functions: int) -> None:
    """SNESSetFunction, SNESSetJacobian and SNESSetConvergenceTest with functions and a context at these addresses.

    Args:
        snes: the solver, whose residual vector is kept.
        mat: the tangent.
        context: context that PETSc passes to the functions; it must outlive the solver.
        functions: addresses of ``function``, ``jacobian`` and ``convergence_test``; omitted functions stay unchanged.
    """
    handle, given = Pointer(snes.handle), Pointer(context)
    address = {name: Pointer(value) for name, value in functions.items()}
    if "function" in address:
        _call("SNESSetFunction", handle, None, address["function"], given)
    if "jacobian" in address:
        _call("SNESSetJacobian", handle, Pointer(mat.handle), Pointer(mat.handle), address["jacobian"], given)
    if "convergence_test" in address:
        _call("SNESSetConvergenceTest", handle, address["convergence_test"], given, None)
