"""Changes of numba that save compilation time. Numba repeats some work for each kernel or each statement. With these
changes, this work is done only once, or is omitted if kernels do not need the results.

The changes apply only to the compilation of kernels, and do not change the machine code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import llvmlite.binding
import numba

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_core: Any = _numba.core
_ir: Any = _numba.core.ir

_WITHOUT_VARIABLES = frozenset({str, int, float, bool, type(None), _ir.Loc})
"""Types of operands that contain no variables."""
HAS_BUILDERS = hasattr(_core.codegen.CPUCodegen, "_pass_builder") and hasattr(
    getattr(llvmlite.binding, "ModulePassManager", None), "add_global_dead_code_eliminate_pass"
)
"""Whether this version of numba defines its compiler passes by builder functions. In older versions, the passes are not
changed.
"""

_sizes: dict[str, int] = {}
"""Sizes [bytes] of the compiler's types, by the text of each type."""


def _count_definitions(context: Any) -> int:
    """Return the number of functions, attributes and constants that a context has read from the registries of numba."""
    return sum(
        len(getattr(registry, part))
        for user in (context, context.typing_context)
        for registry, loader in user._registries.items()
        for part in loader.registry_items
    )


class KernelContext(_core.cpu.CPUContext):  # type: ignore[misc]
    """Context of the code generation for kernels."""

    read = 0  # number of definitions in the registries after the last call of `refresh`

    def refresh(self) -> None:
        """Read definitions that were added to the registries of numba since the previous call."""
        if KernelContext.read != _count_definitions(self):
            super().refresh()
            KernelContext.read = _count_definitions(self)

    def get_function(self, fn: Any, sig: Any, **options: Any) -> Any:
        """Return the code generator of a function. Numba searches for the conversion function ``__array__`` at each use
        of an array, although arrays in kernels do not have this function. This method omits the search, and raises the
        error that an unsuccessful search would raise.
        """
        if isinstance(fn, str) and fn == "__array__" and not self._defns[fn].versions:
            raise NotImplementedError
        return super().get_function(fn, sig, **options)

    def get_abi_sizeof(self, kind: Any) -> int:
        """Return the size [bytes] of a type. The size is stored for later calls, because numba compiles a module to
        determine a size.
        """
        text = str(kind)
        if "%" in text:  # sizes of named types are not stored, because they may differ between modules
            return int(super().get_abi_sizeof(kind))
        if text not in _sizes:
            _sizes[text] = super().get_abi_sizeof(kind)
        return _sizes[text]


def create_context(context: Any) -> Any:
    """Return a copy of numba's context of the code generation, as a `KernelContext` if possible."""
    made = context.subtarget()
    if type(made) is _core.cpu.CPUContext and all(
        hasattr(loader, "registry_items")
        for user in (made, made.typing_context)
        for loader in getattr(user, "_registries", {None: None}).values()
    ):
        made.__class__ = KernelContext
    return made


class KernelLibrary(_core.codegen.JITCodeLibrary):  # type: ignore[misc]
    """Machine code of a kernel. Numba would create the list of optimisations for each function. This class creates the
    list once for each part of the code.
    """

    def _optimize_functions(self, module: Any) -> None:
        if not HAS_BUILDERS or _numba.config.LLVM_PASS_TIMINGS:
            super()._optimize_functions(module)
            return
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)


def _list_variables(self: Any, value: Any) -> list[Any]:
    """Return the variables in an operand of a statement. The result is equal to the result of numba's own function. The
    function is faster than numba's function for operands without variables, such as names and positions in the source.
    """
    kind = type(value)
    if kind is _ir.Var:
        return [value]
    if kind in _WITHOUT_VARIABLES:
        return []
    if isinstance(value, _ir.Inst):
        found: list[Any] = value.list_vars()
        return found
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    variables = []
    for part in value:
        kind = type(part)
        if kind is _ir.Var:
            variables.append(part)
        elif kind not in _WITHOUT_VARIABLES:
            variables += _list_variables(self, part)
    return variables


@contextmanager
def without_repetition() -> Iterator[None]:
    """Context manager for the compilation of kernels. Within the block, numba does not measure the times of calls of
    LLVM, and computes the lifetimes of variables only once, before the code generation. The faster function
    `_list_variables` finds the variables in statements, settings of the compiler are compared without copies, and the
    argument ``loc`` of code generators is found without a signature.
    """
    lock: Any = getattr(getattr(llvmlite.binding.ffi, "lib", None), "_lock", None)
    measuring = list(getattr(lock, "_cblist", ()))
    processor = _core.postproc.PostProcessor
    run = processor.run

    def run_without_lifetimes(self: Any, emit_dels: bool = False, *args: Any, **named: Any) -> Any:
        code = self.func_ir
        if emit_dels or args or named or code.is_generator:
            return run(self, emit_dels, *args, **named)
        code.blocks = _core.transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = _core.postproc.VariableLifetime(code.blocks)
        code.generator_info = None
        return None

    settings = _core.targetconfig.TargetConfig
    compare = settings.__eq__

    def are_equal(self: Any, other: Any) -> Any:
        if type(self) is not type(other):
            return compare(self, other)
        # options that neither object sets have the same default values
        return all(getattr(self, name) == getattr(other, name) for name in {**self._values, **other._values})

    inspect_loc = _core.base._has_loc

    def has_loc(function: Any) -> bool:
        names = vars(function) if type(function) is FunctionType else {"__wrapped__"}
        if "__wrapped__" in names or "__signature__" in names:
            return bool(inspect_loc(function))
        code = function.__code__
        return "loc" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    search = getattr(_ir.Inst, "_rec_list_vars", None)
    processor.run, settings.__eq__, _core.base._has_loc = run_without_lifetimes, are_equal, has_loc
    if search is not None:
        _ir.Inst._rec_list_vars = _list_variables
    if measuring:
        lock._cblist.clear()
    try:
        yield
    finally:
        processor.run, settings.__eq__, _core.base._has_loc = run, compare, inspect_loc
        if search is not None:
            _ir.Inst._rec_list_vars = search
        if measuring:
            lock._cblist.extend(measuring)
