"""How kernels are compiled: whole with entries, or as inner ones, whose code goes into their callers and nowhere else.

Most kernels are called by other kernels alone.  Such inner ones need no entries for Python and C and no machine code of
their own, which are half of the work; the compiler's intermediate code is kept, and inserted into each caller.  An
inner kernel that Python calls later is compiled again, whole.  Only this folder knows the compiler.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba

_numba: Any = numba  # its inner parts are not made for type checkers
_core: Any = _numba.core


class NoEntry:
    """Stands for the entry of an inner kernel; each is another one, since the compiler looks kernels up by it."""


class InnerLibrary(_core.codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that is only inserted into others: optimised, but never made into machine code."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Nesting:
    """How many kernels are being compiled inside each other; the compiler's own lock guards it."""

    depth = 0


def is_inner() -> bool:
    """Whether what is compiled now is for another kernel that is being compiled."""
    return _Nesting.depth > 1


@contextmanager
def _nested() -> Iterator[None]:
    """A compilation.  The search for rubbish would go through all that the compiler makes, a twelfth of the time."""
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
    """The compiler's default steps, with no more entries than can be called."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, names: Any
    ) -> None:
        # Python has no type for addresses, and kernels of C code take the address of their context
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
        """The entry of the version for a signature, compiled or read if need be; `NoEntry` for other kernels."""
        with _core.compiler_lock.global_compiler_lock, _nested():
            arguments, _ = _core.sigutils.normalize_signature(signature)
            known = self.overloads.get(tuple(arguments))
            if known is not None and isinstance(known.entry_point, NoEntry) and not is_inner():
                del self.overloads[tuple(arguments)]
            return super().compile(signature)

    def add_overload(self, result: Any) -> None:
        """Note a version; calls from Python find whole ones only."""
        if isinstance(result.entry_point, NoEntry):
            self.overloads[tuple(result.signature.args)] = result
        else:
            super().add_overload(result)


def load_environments(result: Any) -> None:
    """Let machine code know what its inner kernels see of Python; kernels that are read do the same."""
    for environment in result._find_referenced_environments():
        result.codegen.set_env(environment.env_name, environment)
