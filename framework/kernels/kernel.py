"""Kernels: the decorator that compiles functions with inner loops, and the cache of machine code between runs.

The compiler is numba. The name of a file of machine code is a hash of all inputs of the compilation. Therefore outdated
machine code is never read, and the paths and dates of source files have no effect. The inputs are: the instructions of
the kernel and of all kernels to which it refers, values of constants, options, types of arguments, versions of Python,
NumPy and numba, and the CPU. If a function changes, the keys of all kernels that call the function also change,
including kernels in other files. A kernel that a factory function creates has the same key in every process. Several
processes can write files at the same time. The security rules and the digest of files are described in cache.py.

Environment variables:
    WINDLASS_JIT=0: kernels are not compiled, so that debuggers and the measurement of test coverage can be used.
        Without compilation, a division of floats by zero raises an error, while compiled code gives inf or NaN.
    WINDLASS_BOUNDSCHECK=1: array indices are checked, and a wrong index raises IndexError; code with these checks is
        slower, and is cached separately.
    WINDLASS_CACHE: folder for the machine code; the default is windlass in $XDG_CACHE_HOME, or in ~/.cache. The folder
        must belong to the user or to root, and no other user must have permission to write to it. A read-only folder is
        allowed.
    WINDLASS_COMPILERS: number of processes that compile kernels if many are missing; the default is the number of
        cores. Values above 9 have the same effect as 9.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import inspect
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, overload

import numba
import numpy as np

from windlass.framework.kernels.cache import FORMAT, find_folder, read_entry, write_entry
from windlass.framework.kernels.cache_key import NotCacheableError, describe_type, eval_content
from windlass.framework.kernels.compiling import (
    FOR_PYTHON,
    FORMS,
    INNER,
    KernelCompiler,
    KernelDispatcher,
    NoEntry,
    find_form,
    form_of,
    load_environments,
    without_statements,
)
from windlass.framework.kernels.listed import Job, ListError, file_stem, start_helpers
from windlass.framework.kernels.locks import Lock
from windlass.framework.kernels.type_names import encode_type
from windlass.framework.launch.launcher import launched_rank

P = ParamSpec("P")
R = TypeVar("R")
Kernel = Callable[..., Any]
"""Type of kernels that are arguments or results of functions."""

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations

# Objects that an import creates exist until the end of the process. These objects are excluded from garbage collection,
# because the collection would take a fifth of the time of a short run.
gc.freeze()

# Optimisations that the compiler may use. These optimisations preserve NaN and inf, because a kernel must be able to
# detect values that are not finite.
_FAST = frozenset({"contract", "reassoc", "nsz", "arcp"})


@overload
def kernel(
    function: Callable[P, R], *, fast: bool = ..., inline: bool = ..., name: str | None = ...
) -> Callable[P, R]: ...


@overload
def kernel(
    function: None = ..., *, fast: bool = ..., inline: bool = ..., name: str | None = ...
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def kernel(
    function: Callable[..., Any] | None = None, *, fast: bool = True, inline: bool = False, name: str | None = None
) -> Any:
    """Compile a function at its first call with each combination of argument types, and cache the machine code for
    later runs.

    The function may use scalars, arrays, tuples, NamedTuples, other kernels and global constants. The values of
    constants are fixed at compilation. A kernel runs without the global interpreter lock. Division by zero gives inf or
    NaN, and array indices are not checked.

    Args:
        function: the Python function, which is omitted if the decorator has arguments, as in ``@kernel(fast=False)``.
        fast: whether the compiler may reorder sums, fuse multiplication and addition, and multiply by reciprocals; NaN
            and inf are preserved.
        inline: whether the code is always inserted into the callers, which is useful for small functions.
        name: name of the kernel in its module, for a kernel that a factory function creates. Only kernels that are
            found by their names can be compiled in advance.

    Raises:
        TypeError: ``function`` is not a Python function.
    """
    if function is None:
        return functools.partial(kernel, fast=fast, inline=inline, name=name)
    if not isinstance(function, FunctionType):
        raise TypeError(f"kernel({function!r}): must be a plain Python function")
    if name is not None:
        function.__name__ = function.__qualname__ = name
    if os.environ.get("WINDLASS_JIT") == "0":
        return function
    decorate = _numba.njit(
        error_model="numpy",
        nogil=True,
        boundscheck=os.environ.get("WINDLASS_BOUNDSCHECK", "0") not in ("", "0"),
        fastmath=set(_FAST) if fast else False,
        forceinline=inline,
        pipeline_class=KernelCompiler,
    )
    with _known_signature(function):
        dispatcher = decorate(function)
    if not _numba.extending.is_jitted(dispatcher):  # numba compiles nothing if NUMBA_DISABLE_JIT=1 is set
        return dispatcher
    vars(dispatcher).pop("__signature__", None)
    dispatcher.versions = {}  # entry point for each combination of argument types, see call.py
    dispatcher.addresses = {}  # address for each combination of argument types, see addresses.py
    dispatcher.content = None  # hash of the kernel, see `eval_content`; None before its first use
    if "_cache" in vars(dispatcher):
        dispatcher.__class__ = KernelDispatcher
        dispatcher._cache = _KernelCache(dispatcher)
    else:
        _say_once("unknown compiler", f"numba {numba.__version__} is not known: kernels are compiled in every run")
    return dispatcher


@contextmanager
def _known_signature(function: FunctionType) -> Iterator[None]:
    """Context manager; within its block, `inspect.signature` of a function is computed only once. Numba computes the
    signature three times, which takes a third of the time of the decorator.
    """
    if "__signature__" in vars(function):
        yield
        return
    function.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del function.__signature__  # type: ignore[attr-defined]


def cache_folder() -> tuple[Path | None, str]:
    """Return the folder of machine code for this version of Python and numba, or None and the reason why no folder is
    used.
    """
    common = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return find_folder(os.environ.get("WINDLASS_CACHE") or f"{common}/windlass")


def compiled() -> list[tuple[str, float]]:
    """Return the name and the compilation time [s] of each kernel that this process has compiled, in the order of
    completion. The compilation time of called kernels is not included.
    """
    return list(_process.compiled)


def compiling_time() -> float:
    """Return the time [s] that this process has spent on compilation, including the time in which it waited for other
    processes that compile.
    """
    return _process.waited + sum(seconds for _, seconds in _process.compiled)


def loaded() -> int:
    """Return the number of compiled kernels that this process has read from the cache folder."""
    return _process.loaded


def is_kept(function: Any, arguments: tuple[Any, ...], form: str) -> bool:
    """Return whether the machine code of a kernel for these types, in the needed form or a more complete form (see
    compiling.py), is in the cache folder or is being compiled by another process.
    """
    folder, _ = cache_folder()
    if folder is None:
        return False
    keys = function._cache.eval_keys(arguments, None, form)
    if any((folder / key).exists() for key in keys):
        return True
    lock = Lock(folder / keys[0], wait=False)
    lock.release()
    return lock.waited


def asked() -> list[Job]:
    """Return the kernels that this process has requested, with name and types of arguments, for the file
    kernels.json.
    """
    found = []
    for dispatcher, arguments, form in _process.asked:
        module, name = dispatcher.py_func.__module__, dispatcher._cache.name
        if vars(sys.modules[module]).get(name) is dispatcher:
            found.append(Job(module, name, [encode_type(kind) for kind in arguments], form))
    return found


@dataclass
class _Compilation:
    """A compilation in progress, including the compilations of called kernels."""

    cache: _KernelCache
    signature: Any
    key: str | None  # key of the machine code; None if the machine code cannot be cached
    start: float  # time [s] at which the compilation began
    inner: float = 0.0  # time [s] spent on the compilation of called kernels


@dataclass
class _Compiler:
    """Global state of the compiler in this process."""

    compiled: list[tuple[str, float]] = field(default_factory=list)  # compiled kernels: name and time [s]
    loaded: int = 0  # number of kernels that were read from the cache folder
    waited: float = 0.0  # waiting time [s] for kernels that other processes compiled
    # kernels, except inner kernels, that this process has requested: kernel, types of the arguments and form
    asked: list[tuple[Any, tuple[Any, ...], str]] = field(default_factory=list)
    # locks of the kernels that this process compiles, by key of the kernel
    locks: dict[str, Lock] = field(default_factory=dict)
    # compilations in progress, the innermost at the end; numba's lock protects the list
    open: list[_Compilation] = field(default_factory=list)
    # compile results by key; a result is used again if a factory function creates the same kernel again
    ready: dict[str, Any] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)  # topics about which a message has been printed


_process = _Compiler()


@functools.cache
def _find_processor(target_context: Any) -> tuple[Any, ...]:
    """Return the name and features of the processor for which code is compiled."""
    found: tuple[Any, ...] = target_context.codegen().magic_tuple()
    return found


def _describe_place() -> str:
    """Return a text that states in which folder the machine code is stored, or why the machine code is not stored after
    this run.
    """
    folder, reason = cache_folder()
    if folder is not None and not os.access(folder, os.W_OK):
        reason = f"the cache folder {folder} can be read only"
    advice = "set WINDLASS_CACHE to a folder of your own that can be written"
    return f"for this run only: {reason}; {advice}" if reason else f"kept in {folder}"


def _say_once(topic: str, message: str) -> None:
    """Print a message to stderr, once per topic and only on the first process. The rank is read without mpi4py, because
    mpi4py is possibly not imported yet.
    """
    if topic not in _process.said and launched_rank() == 0:
        print(f"windlass: {message}", file=sys.stderr, flush=True)
    _process.said.add(topic)


class _KernelCache:
    """Cache of one kernel. This object replaces numba's cache object and therefore has the same method names."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher
        self.name: str = dispatcher.__qualname__

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compile result of a kernel from this process or from the cache folder. If no compile result
        exists, return None; numba then compiles the kernel.
        """
        key = None
        try:
            arguments, return_type = _numba.core.sigutils.normalize_signature(signature)
            form = find_form(arguments)
            keys = self.eval_keys(arguments, return_type, form)
            if form != INNER:
                _process.asked.append((self.dispatcher, arguments, form))
                _process.open.clear()  # a compilation that is still in the list has failed
            key = keys[0]
            for enough in keys:
                result = _process.ready.get(enough)
                if result is not None and result.signature.args == arguments:
                    # Use the same machine code with a separate entry point, because each kernel removes its entry point
                    # when the kernel is deleted.
                    entry: Any = NoEntry(form)
                    if form == FOR_PYTHON:
                        entry = target_context.get_executable(result.library, result.fndesc, result.environment)
                    return result._replace(entry_point=entry, metadata=None)
            folder, _ = cache_folder()
            result = None
            if folder is not None:
                where = (arguments, self.dispatcher, target_context)
                for enough in keys:
                    result = result or read_entry(folder / enough, enough, *where)
                if result is None and self._wait(folder, key):
                    result = read_entry(folder / key, key, *where)
            if result is not None:
                self._let_go(key)
                _process.ready[key] = result
                _process.loaded += 1
                return result
        except NotCacheableError as error:
            _say_once(self.name, f"the machine code of {self.name} is not kept: {error}")
        except Exception as error:  # if an error occurs in the cache, the kernel is compiled again
            _say_once("reading", f"the kept machine code of {self.name} cannot be used ({error!r}): compiling again")
        # Add the key to the name of the code, because the linker finds code by name, and numba's names contain counters
        # that differ between processes.
        self.dispatcher.py_func.__qualname__ = (
            self.name if key is None else f"{self.name}_{key.removesuffix('-inner')[-16:]}"
        )
        _say_once("first", f"compiling kernels for this machine (first use, {_describe_place()}) ...")
        _process.open.append(_Compilation(self, signature, key, time.perf_counter()))
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Record the end of a compilation and store its result, if possible."""
        while _process.open:
            done = _process.open.pop()
            if done.cache is self and done.signature == signature:
                break  # the compilations that the loop has removed before this compilation have failed
        else:
            return
        self.dispatcher.py_func.__qualname__ = self.name
        seconds = time.perf_counter() - done.start
        _process.compiled.append((self.name, seconds - done.inner))
        if _process.open:
            _process.open[-1].inner += seconds
        if form_of(result) != INNER:
            load_environments(result)
        if done.key is None:
            return
        try:
            self._keep(done.key, result)
        finally:
            self._let_go(done.key)

    def _keep(self, key: str, result: Any) -> None:
        """Store a compile result in this process and in the cache folder."""
        _process.ready[key] = without_statements(result)
        folder, _ = cache_folder()
        if folder is None or not os.access(folder, os.W_OK):
            return
        try:
            write_entry(folder / key, key, result)
        except NotCacheableError as error:
            _say_once(self.name, f"the machine code of {self.name} is not kept: {error}")
        # a kernel that cannot be cached (full disk, unknown version of numba) can still be used in this run
        except Exception as error:
            _say_once("writing", f"the machine code of {self.name} and more cannot be kept ({error!r})")

    def flush(self) -> None:
        """Do nothing, because files are named by a hash of their inputs and are never outdated."""

    def _wait(self, folder: Path, key: str) -> bool:
        """Start compiling processes on other cores, and acquire the lock of a kernel; return whether another process
        held the lock before."""
        if key in _process.locks or not os.access(folder, os.W_OK):
            return False
        if launched_rank() == 0:
            try:
                start_helpers(f"{self.dispatcher.py_func.__module__}:{self.name}", folder)
            except ListError as error:
                _say_once("list", f"{error}; until then, kernels are compiled on one core")
        begin = time.perf_counter()
        lock = _process.locks[key] = Lock(folder / key)
        seconds = time.perf_counter() - begin
        _process.waited += seconds
        if _process.open:
            _process.open[-1].inner += seconds
        return lock.waited

    @staticmethod
    def _let_go(key: str) -> None:
        """Release the lock of a kernel."""
        if key in _process.locks:
            _process.locks.pop(key).release()

    def eval_keys(self, arguments: tuple[Any, ...], return_type: Any, form: str) -> list[str]:
        """Return the names of the files of machine code for the given types of arguments, in the given form and in more
        complete forms.

        Each name contains 40 hexadecimal digits of a hash and is therefore unique.
        """
        content = self.dispatcher.content = eval_content(self.dispatcher, {}, ())
        config = _numba.config
        facts = (
            content,
            [describe_type(argument) for argument in arguments],
            None if return_type is None else describe_type(return_type),
            (FORMAT, sys.implementation.cache_tag, numba.__version__, np.__version__),
            _find_processor(self.dispatcher.targetctx),
            (repr(config.OPT), config.BOUNDSCHECK, config.LOOP_VECTORIZE, config.SLP_VECTORIZE, config.USING_SVML),
        )
        same, stem = hashlib.sha256(repr(facts).encode()), file_stem(self.name)
        keys = []
        for enough in FORMS[FORMS.index(form) :]:
            own = same.copy()
            own.update(enough.encode())
            mark = "-inner" if enough == INNER else ""  # the file of an inner kernel contains no machine code
            keys.append(f"{stem}-{own.hexdigest()[:40]}{mark}")
        return keys
