"""Compilation of kernels in one of three forms: for calls from Python, for calls by address, or as inner kernels.

Most kernels are called only by other kernels. For these inner kernels, separate entry points and separate machine code
are not needed. Their creation would take half of the compilation time. The intermediate code of inner kernels is
cached, and inserted into each caller. Kernels that programs or C code call by address have machine code, but no entry
point for Python, because the creation of such an entry point would take a sixth of the compilation time. If Python
later calls a kernel without this entry point, the kernel is compiled again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import numba
from llvmlite import ir

from windlass.framework.kernels.lowering import KernelLowering
from windlass.framework.kernels.machine_code import BY_ADDRESS, FOR_PYTHON, FORMS, INNER
from windlass.framework.kernels.operators import remember_operators, remembered_signatures
from windlass.framework.kernels.repeated import HAS_BUILDERS, KernelLibrary, create_context, without_repetition

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_core: Any = _numba.core


class NoEntry:
    """Placeholder for the Python entry point of a kernel that Python does not call. Each kernel has its own
    placeholder, because the compiler uses the placeholder as a key.
    """

    def __init__(self, form: str) -> None:
        self.form = form


def form_of(result: Any) -> str:
    """Return the form in which a compiled kernel was compiled."""
    entry = result.entry_point
    return entry.form if isinstance(entry, NoEntry) else FOR_PYTHON


class InnerLibrary(KernelLibrary):
    """Intermediate code of an inner kernel. The code is simplified here, but is optimised and compiled only as part of
    the callers.
    """

    def _optimize_final_module(self) -> None:
        if not HAS_BUILDERS:
            super()._optimize_final_module()
            return
        cheap = {"loop_vectorize": False, "slp_vectorize": False, "opt": 0, "cost": "cheap"}
        passes, builder = self._codegen._module_pass_manager(**cheap)
        # This pass removes instructions without effect. Only these instructions contain addresses that are valid only
        # in this process.
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Nesting:
    """Nesting depth of compilations, and whether the outermost kernel is compiled for calls by address. Code that uses
    these values holds the lock of the compiler.
    """

    depth = 0
    by_address = False


def find_form(arguments: Any) -> str:
    """Return the form in which a kernel with the given types of arguments is being compiled."""
    if _Nesting.depth > 1:
        return INNER
    # C code passes the context to a kernel as an address, for which Python has no type
    return BY_ADDRESS if _Nesting.by_address or _is_for_c(arguments) else FOR_PYTHON


def _is_for_c(arguments: Any) -> bool:
    """Return whether a kernel with arguments of the given types is called by C code."""
    return any(isinstance(kind, _numba.types.CPointer) for kind in arguments)


@contextmanager
def _nested() -> Iterator[None]:
    """Context manager for compilations. Within its block, garbage collection is disabled, because it would take a
    twelfth of the compilation time. Repeated work is also avoided (see repeated.py).

    At the end, all objects are moved to the oldest generation of the collector. Otherwise, the next collection would
    search the many new objects of the compiler for garbage, which would take as much time again. The next full
    collection removes the garbage.
    """
    searching = gc.isenabled() and _Nesting.depth == 0
    if searching:
        gc.disable()
    _Nesting.depth += 1
    try:
        if _Nesting.depth > 1:
            yield
        else:
            with without_repetition(), remembered_signatures():
                yield
    finally:
        _Nesting.depth -= 1
        if searching:
            gc.freeze()
            gc.unfreeze()
            gc.enable()


_FOR_OTHERS = frozenset({
    "WithLifting", "InlineInlinables", "FindLiterallyCalls", "LiteralUnroll", "InlineOverloads",
    "DumpParforDiagnostics",
})  # fmt: skip
"""Compiler passes that are needed only for kernels that use one of the names in `_NAMES_OF_OTHERS`, and for functions
of numba with ``inline="always"``.
"""
_NAMES_OF_OTHERS = frozenset({"objmode", "objmode_context", "literally", "literal_unroll"})
"""Names in kernels for which the passes `_FOR_OTHERS` are needed. Kernels of Windlass do not use these names."""
_FOR_CLOSURES = frozenset({"InlineClosureLikes", "MakeFunctionToJitFunction"})
"""Compiler passes that are needed only for functions and comprehensions inside a kernel."""


class KernelCompiler(_core.compiler.Compiler):  # type: ignore[misc]
    """Numba's default compiler with compiler passes that depend on the form of the kernel."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, names: Any
    ) -> None:
        form = find_form(args)
        flags.no_cpython_wrapper = form != FOR_PYTHON
        flags.no_cfunc_wrapper = form == INNER
        remember_operators(typing)
        super().__init__(typing, create_context(target), library, args, return_type, flags, names)
        changes: dict[str, Any] = {}
        if form == INNER:
            self.state.library = InnerLibrary(self.state.targetctx.codegen(), "inner")
        if form != FOR_PYTHON:
            changes["get_executable"] = _Finish(form)
        if form != INNER and not _is_for_c(args):
            changes["create_cfunc_wrapper"] = _BlockEntry(self.state.targetctx)
        if changes:
            self.state.targetctx = self.state.targetctx.subtarget(**changes)

    def define_pipelines(self) -> list[Any]:
        """Return the passes of the compiler. The class `KernelLowering` replaces numba's code generation, and passes
        without effect on this kernel are omitted.
        """
        code: CodeType = self.state.func_id.code
        unused = {"NativeLowering"}
        if _NAMES_OF_OTHERS.isdisjoint((*code.co_names, *code.co_freevars)):
            unused |= _FOR_OTHERS
        if not any(isinstance(constant, CodeType) for constant in code.co_consts):
            unused |= _FOR_CLOSURES
        pipelines: list[Any] = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.add_pass_after(KernelLowering, _core.typed_passes.NativeLowering)
            pipeline.passes = [one for one in pipeline.passes if one[0].__name__ not in unused]
            pipeline.finalize()
        return pipelines


class _Finish:
    """Last pass of the compilation of a kernel. It replaces numba's pass that creates the entry point for Python."""

    def __init__(self, form: str) -> None:
        self._form = form

    def __call__(self, library: Any, function: Any, environment: Any) -> NoEntry:
        library.finalize()
        if self._form == BY_ADDRESS:
            library.codegen.set_env(function.env_name, environment)
        return NoEntry(self._form)


class _BlockEntry:
    """Compiler pass for kernels that return no value. The pass adds an entry point ``int32 (block)``, which is called
    by address, to the code.

    The argument is the address of the tuple of the kernel's arguments, see addresses.py. The entry point returns 0 on
    success.
    """

    def __init__(self, context: Any) -> None:
        self._context = context

    def __call__(self, library: Any, function: Any, _environment: Any, _helper: Any) -> None:
        if function.restype != _numba.types.none:
            return
        context, kinds = self._context, function.argtypes
        module = context.create_module("block_entry")
        callee = ir.Function(
            module, context.call_conv.get_function_type(function.restype, kinds), function.llvm_func_name
        )
        block = context.get_value_type(_numba.types.Tuple(kinds)).as_pointer()
        entry = ir.Function(module, ir.FunctionType(ir.IntType(32), [block]), function.llvm_cfunc_wrapper_name)
        builder = ir.IRBuilder(entry.append_basic_block("entry"))
        number = ir.IntType(32)
        places = [builder.gep(entry.args[0], [number(0), number(i)]) for i in range(len(kinds))]
        values = [builder.load(place) for place in places]
        status, _ = context.call_conv.call_function(
            builder, callee, function.restype, kinds, values, attrs=("noinline",)
        )
        builder.ret(status.code)
        library.add_ir_module(module)


class KernelDispatcher(_core.registry.CPUDispatcher):  # type: ignore[misc]
    """A kernel with compiled versions for calls from Python, from other kernels and by address.

    Attributes:
        is_dual: whether the versions are compiled for dual numbers.
    """

    is_dual = False

    def compile(self, signature: Any) -> Any:
        """Return the entry point of the version for a signature. If necessary, the version is compiled or read from a
        file. For kernels that Python does not call, return `NoEntry`.
        """
        with _core.compiler_lock.global_compiler_lock, _nested():
            arguments, _ = _core.sigutils.normalize_signature(signature)
            known = self.overloads.get(tuple(arguments))
            if known is not None and FORMS.index(form_of(known)) < FORMS.index(find_form(arguments)):
                del self.overloads[tuple(arguments)]
            if not self.is_dual:
                return super().compile(signature)
            # imported here, because few runs need the module
            from windlass.framework.kernels.dual_mode import compiling_duals

            with compiling_duals():
                return super().compile(signature)

    def _compilation_chain_init_hook(self) -> None:
        """Do nothing. The method of numba would search all installed packages for extensions with further types, which
        kernels do not use.
        """

    def compile_by_address(self, arguments: tuple[Any, ...]) -> Any:
        """Return the version that is compiled for the given types. The version need not be callable from Python."""
        with _core.compiler_lock.global_compiler_lock:
            _Nesting.by_address = True
            try:
                self.compile(arguments)
            finally:
                _Nesting.by_address = False
            return self.overloads[arguments]

    def get_call_template(self, arguments: Any, named: Any) -> Any:
        """Return the types of arguments and result with which another kernel calls this kernel. The types do not
        contain the values of constants, because numba would otherwise compile a separate version for each value.
        """
        plain = tuple(map(_forget_value, arguments)), {name: _forget_value(kind) for name, kind in named.items()}
        return super().get_call_template(*plain)

    def add_overload(self, result: Any) -> None:
        """Register a compiled version. Calls from Python use only versions with an entry point for Python."""
        result = without_statements(result)
        if isinstance(result.entry_point, NoEntry):
            self.overloads[tuple(result.signature.args)] = result
        else:
            super().add_overload(result)


def _forget_value(kind: Any) -> Any:
    """Return the type of a number or truth value, without the constant value that the compiler stores as a part of the
    type.
    """
    return (
        _numba.types.unliteral(kind)
        if isinstance(kind, (_numba.types.IntegerLiteral, _numba.types.BooleanLiteral))
        else kind
    )


def without_statements(result: Any) -> Any:
    """Return a compiled kernel without its statements and the types of its variables. These data need most of the
    memory of the kernel, and are used only during the compilation.
    """
    result.fndesc.typemap = result.fndesc.calltypes = None
    return result._replace(type_annotation="")


def load_environments(result: Any) -> None:
    """Connect machine code with the Python environments of its inner kernels."""
    for environment in result._find_referenced_environments():
        result.codegen.set_env(environment.env_name, environment)
