"""Compilation of kernels: complete with entries, or as inner kernels, whose code is only inserted into their callers.

Most kernels are called only by other kernels.  Such inner kernels need no entries for Python and C and no machine code,
which are half of the work; the compiler's intermediate code is kept, and inserted into each caller.  An inner kernel
that Python calls later is compiled again, completely.  Only this folder uses the compiler.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba

_numba: Any = numba  # its internals have no types for type checkers
_core: Any = _numba.core


class NoEntry:
    """Placeholder of the entry of an inner kernel; each is unique, because the compiler uses it as a key."""


class InnerLibrary(_core.codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that is only inserted into others: optimised, but never compiled to machine code."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Nesting:
    """Nesting depth of the compilation; guarded by the compiler's lock."""

    depth = 0


def is_inner() -> bool:
    """Whether the present compilation is for another kernel that is being compiled."""
    return _Nesting.depth > 1


@contextmanager
def _nested() -> Iterator[None]:
    """A compilation, without garbage collection, which would take a twelfth of the time."""
    searching = gc.isenabled() and _Nesting.depth == 0
    if searching:
        gc.disable()
    _Nesting.depth += 1
    try:
        yield
    finally:
        _Nesting.depth -= 1
        if searching:
            gc.enable()


class KernelCompiler(_core.compiler.Compiler):  # type: ignore[misc]
    """The compiler's default passes, only with entries that can be called."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, names: Any
    ) -> None:
        # Python has no type for addresses, which kernels for C code take as context
        for_c = any(isinstance(kind, _numba.types.CPointer) for kind in args)
        flags.no_cpython_wrapper = is_inner() or for_c
        flags.no_cfunc_wrapper = is_inner() or not for_c
        super().__init__(typing, target, library, args, return_type, flags, names)
        if is_inner():
            self.state.library = InnerLibrary(self.state.targetctx.codegen(), "inner")
            self.state.targetctx = self.state.targetctx.subtarget(get_executable=_finish_inner)


def _finish_inner(library: Any, _function: Any, _environment: Any) -> NoEntry:
    library.finalize()
    return NoEntry()


class KernelDispatcher(_core.registry.CPUDispatcher):  # type: ignore[misc]
    """A kernel whose inner versions are not called from outside."""

    def compile(self, signature: Any) -> Any:
        """The entry of the version for a signature, compiled or read if necessary; `NoEntry` for other kernels."""
        with _core.compiler_lock.global_compiler_lock, _nested():
            arguments, _ = _core.sigutils.normalize_signature(signature)
            known = self.overloads.get(tuple(arguments))
            if known is not None and isinstance(known.entry_point, NoEntry) and not is_inner():
                del self.overloads[tuple(arguments)]
            return super().compile(signature)

    def add_overload(self, result: Any) -> None:
        """Note a version; calls from Python find complete ones only."""
        if isinstance(result.entry_point, NoEntry):
            self.overloads[tuple(result.signature.args)] = result
        else:
            super().add_overload(result)


def load_environments(result: Any) -> None:
    """Give machine code the Python environment of its inner kernels, as for kernels read from files."""
    for environment in result._find_referenced_environments():
        result.codegen.set_env(environment.env_name, environment)
