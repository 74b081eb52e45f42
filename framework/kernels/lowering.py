"""Code generation for kernels. The code does not count references to arrays that belong to the caller.

By default the compiler counts references to all arrays at each use of a tuple of arrays, and later removes the counting
operations that it can prove to be superfluous. In many kernels most of the code consists of these operations. Arguments
and constants, and parts and views of these, exist longer than a call, so they need no reference counts. References to
arrays that a kernel creates are counted as usual.
"""

from __future__ import annotations

from typing import Any

import numba

from windlass.framework.kernels.repeated import KernelLibrary

_numba: Any = numba  # internal functions of numba have no type annotations
_core, _ir = _numba.core, _numba.core.ir

_PARTS = frozenset({"build_tuple", "cast", "getattr", "getitem", "static_getitem"})
"""Types of expressions whose results are the operands, parts or views of the operands, or tuples of these."""


def find_borrowed(code: Any, kinds: Any, models: Any) -> set[str]:
    """Return the variables of a kernel that refer only to arguments, constants, and parts or views of these.

    Args:
        code: intermediate representation of the kernel in the compiler.
        kinds: types of the variables of the kernel, by name.
        models: memory layouts of the types.
    """

    def is_counted(name: str) -> bool:
        return bool(models[kinds[name]].contains_nrt_meminfo())

    steps = [step for block in code.blocks.values() for step in block.body]
    # references to returned arrays are counted, because the caller expects a counted reference
    if any(isinstance(step, _ir.Return) and is_counted(step.value.name) for step in steps):
        return set()
    sources: dict[str, list[Any]] = {}
    for step in steps:
        if isinstance(step, _ir.Assign):
            sources.setdefault(step.target.name, []).append(step.value)
    borrowed = {name for name in sources if is_counted(name)}

    def is_borrowed(value: Any) -> bool:
        if isinstance(value, (_ir.Arg, _ir.Const, _ir.FreeVar, _ir.Global)):
            return True
        if isinstance(value, _ir.Var):
            return value.name in borrowed
        if not isinstance(value, _ir.Expr) or value.op not in _PARTS:
            return False
        index = value.index_var if value.op == "static_getitem" else value.index if value.op == "getitem" else None
        if isinstance(index, _ir.Var) and is_counted(index.name):  # an index that is an array creates a new array
            return False
        return all(used.name in borrowed or not is_counted(used.name) for used in value.list_vars())

    while wrong := {name for name in borrowed if not all(map(is_borrowed, sources[name]))}:
        borrowed -= wrong
    return borrowed


class _KernelLower(_core.lowering.Lower):  # type: ignore[misc, name-defined]
    """Generates the code of a kernel."""

    context: Any

    def lower(self) -> None:
        """Generate the code of the whole kernel."""
        self._borrowed = find_borrowed(self.func_ir, self.fndesc.typemap, self.context.data_model_manager)
        # the context is copied, because `lower_inst` changes it
        self.context = self.context.subtarget(enable_nrt=self.context.enable_nrt)
        super().lower()

    def lower_inst(self, step: Any) -> Any:
        """Generate the code of one statement."""
        name = step.target.name if isinstance(step, _ir.Assign) else step.value if isinstance(step, _ir.Del) else None
        if name not in self._borrowed:
            return super().lower_inst(step)
        counts, self.context.enable_nrt = self.context.enable_nrt, False
        try:
            return super().lower_inst(step)
        finally:
            self.context.enable_nrt = counts


@_core.compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(_core.typed_passes.NativeLowering):  # type: ignore[misc, name-defined]
    """The compiler pass for code generation, which uses `_KernelLower`."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Generate the code of the kernel of a compilation in a `KernelLibrary`."""
        if state.library is None:
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return bool(super().run_pass(state))

    @property
    def lowering_class(self) -> Any:
        """Class that generates the code of a kernel."""
        return _KernelLower
