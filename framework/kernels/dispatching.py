"""Compilation of kernels by numba. The cache of machine code of Windlass replaces numba's cache."""

from __future__ import annotations

import gc
import inspect
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

from windlass.framework.kernels.cache_key import NotCacheableError
from windlass.framework.kernels.compiling import (
    KernelCompiler,
    KernelDispatcher,
    NoEntry,
    find_form,
    form_of,
    load_environments,
    without_statements,
)
from windlass.framework.kernels.listed import ListError, start_helpers
from windlass.framework.kernels.locks import Lock
from windlass.framework.kernels.machine_code import FOR_PYTHON, INNER
from windlass.framework.kernels.process import cache_folder, describe_place, eval_keys, process, say_once, say_unusable
from windlass.framework.kernels.results import read_entry, write_entry
from windlass.framework.kernels.type_names import encode_type
from windlass.framework.launch.launcher import launched_rank

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
# A thread that compiles a kernel holds this lock, and may need the dispatchers of further kernels.
_compiler_lock = _numba.core.compiler_lock.global_compiler_lock

# a comment in kernel.py explains this call
gc.freeze()


def find_dispatcher(function: Any) -> Any:
    """Return numba's object that compiles a kernel. The first call creates the object. Several threads may call this
    function at the same time.

    Args:
        function: the kernel, a `KernelFunction`.
    """
    with _compiler_lock:
        if "dispatcher" not in vars(function):
            function.dispatcher = _create_dispatcher(function)
        return function.dispatcher


def _create_dispatcher(function: Any) -> Any:
    """Create numba's object that compiles a kernel."""
    plain = function.py_func
    with _known_signature(plain):
        dispatcher = _numba.njit(**function.targetoptions, pipeline_class=KernelCompiler)(plain)
    if "_cache" in vars(dispatcher):
        dispatcher.__class__ = KernelDispatcher
        dispatcher.is_dual = function.is_dual
        dispatcher._cache = _KernelCache(function, dispatcher)
    elif _numba.extending.is_jitted(dispatcher):
        say_once("unknown compiler", f"numba {numba.__version__} is not known: kernels are compiled in every run")
    return dispatcher


@contextmanager
def _known_signature(function: FunctionType) -> Iterator[None]:
    """Context manager: within its block, the result of `inspect.signature` for the function is computed only once.
    Numba computes this result three times, which takes a third of the time for the creation of a dispatcher.
    """
    if "__signature__" in vars(function):
        yield
        return
    function.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        del function.__signature__  # type: ignore[attr-defined]


@dataclass
class _Compilation:
    """A compilation in progress, including the compilations of called kernels."""

    cache: _KernelCache
    signature: Any
    key: str | None  # key of the machine code; None if the machine code cannot be cached
    start: float  # time [s] at which the compilation began
    inner: float = 0.0  # time [s] spent on the compilation of called kernels


_open: list[_Compilation] = []
"""Compilations in progress, with the innermost at the end. Code that uses this list holds numba's lock."""
_locks: dict[str, Lock] = {}
"""Locks of the kernels that this process compiles, by key of the kernel."""


class _KernelCache:
    """Cache of one kernel. An object of this class replaces numba's own cache object, so its methods have the names
    that numba requires.
    """

    def __init__(self, function: Any, dispatcher: Any) -> None:
        self.function, self.dispatcher = function, dispatcher
        self.name: str = function.__qualname__

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return a compile result from this process or from the cache folder. If no result exists, return None. Numba
        then compiles the kernel.
        """
        key = None
        try:
            arguments, return_type = _numba.core.sigutils.normalize_signature(signature)
            form = find_form(arguments)
            if form != INNER:
                _open.clear()  # compilations that are still in `_open` have failed
            types = [encode_type(kind) for kind in arguments]
            returns = None if return_type is None else encode_type(return_type)
            keys = eval_keys(self.function, types, returns, form)
            if form != INNER:
                process.asked.append((self.function, types, form))
            key = keys[0]
            for enough in keys:
                result = process.ready.get(enough)
                if result is not None and result.signature.args == arguments:
                    # Use the stored machine code with a new entry point. The old entry point may be missing, because
                    # the deletion of a kernel also removes the entry point of the deleted kernel.
                    entry: Any = NoEntry(form)
                    if form == FOR_PYTHON:
                        entry = self._find_function(result, target_context)
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
                process.ready[key] = result
                process.loaded += 1
                return result
        except NotCacheableError as error:
            say_once(self.name, f"the machine code of {self.name} is not kept: {error}")
        except Exception as error:  # if the cache fails, the kernel is compiled again
            say_unusable(self.name, error)
        # The linker finds code by name, but numba's names contain counters that differ between processes. Therefore the
        # key is a part of the name.
        self.dispatcher.py_func.__qualname__ = (
            self.name if key is None else f"{self.name}_{key.removesuffix('-inner')[-16:]}"
        )
        say_once("first", f"compiling kernels for this machine (first use, {describe_place()}) ...")
        _open.append(_Compilation(self, signature, key, time.perf_counter()))
        return None

    @staticmethod
    def _find_function(result: Any, target_context: Any) -> Any:
        """Return an entry point for Python of a compile result."""
        linked = getattr(result.library, "linked", None)
        if linked is not None:
            return linked.find_function()
        return target_context.get_executable(result.library, result.fndesc, result.environment)

    def save_overload(self, signature: Any, result: Any) -> None:
        """Record the end of a compilation and store its result, if possible."""
        while _open:
            done = _open.pop()
            if done.cache is self and done.signature == signature:
                break  # the compilations that were removed from `_open` before this one have failed
        else:
            return
        self.dispatcher.py_func.__qualname__ = self.name
        seconds = time.perf_counter() - done.start
        process.compiled.append((self.name, seconds - done.inner))
        if _open:
            _open[-1].inner += seconds
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
        process.ready[key] = without_statements(result)
        folder, _ = cache_folder()
        if folder is None or not os.access(folder, os.W_OK):
            return
        try:
            write_entry(folder / key, key, result)
        except NotCacheableError as error:
            say_once(self.name, f"the machine code of {self.name} is not kept: {error}")
        # a kernel that cannot be cached (full disk, unknown version of numba) can still be used in this run
        except Exception as error:
            say_once("writing", f"the machine code of {self.name} and more cannot be kept ({error!r})")

    def flush(self) -> None:
        """Do nothing. Cached files are never outdated, because their names are hashes of all compilation inputs."""

    def _wait(self, folder: Path, key: str) -> bool:
        """Start compiling processes on other cores, and acquire the lock of a kernel. Return whether another process
        held this lock when this process requested it.
        """
        if key in _locks or not os.access(folder, os.W_OK):
            return False
        if launched_rank() == 0 and not self.function.is_dual:
            try:
                start_helpers(f"{self.dispatcher.py_func.__module__}:{self.name}", folder)
            except ListError as error:
                say_once("list", f"{error}; until then, kernels are compiled on one core")
        begin = time.perf_counter()
        lock = _locks[key] = Lock(folder / key)
        seconds = time.perf_counter() - begin
        process.waited += seconds
        if _open:
            _open[-1].inner += seconds
        return lock.waited

    @staticmethod
    def _let_go(key: str) -> None:
        """Release the lock of a kernel."""
        if key in _locks:
            _locks.pop(key).release()
