"""Code of kernels without reference counts for arrays that belong to their callers.

Each use of a tuple of arrays counts the references to all of the arrays. The compiler later removes the counts that it
can prove to be superfluous: most of the code of many kernels. Arguments, constants, and parts and views of these
outlive a call, so they need no reference counts; arrays that a kernel makes itself are counted as usual. Only this
folder uses the compiler.
"""

from __future__ import annotations

from typing import Any

import numba

_numba: Any = numba  # its internals have no types for type checkers
_core, _ir = _numba.core, _numba.core.ir

_PARTS = frozenset({"build_tuple", "cast", "getattr", "getitem", "static_getitem"})
"""Expressions that give parts or views of their operands, or tuples of them."""


def find_borrowed(code: Any, kinds: Any, models: Any) -> set[str]:
    """The variables of a kernel that refer only to its arguments, constants, and parts or views of these.

    Args:
        code: the kernel in the compiler's form.
        kinds: types of its variables by name.
        models: memory layouts by type.
    """

    def is_counted(name: str) -> bool:
        return bool(models[kinds[name]].contains_nrt_meminfo())

    steps = [step for block in code.blocks.values() for step in block.body]
    # a kernel that returns an array passes a counted reference to its caller
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
        if isinstance(index, _ir.Var) and is_counted(index.name):  # indexing by an array of places makes a new array
            return False
        return all(used.name in borrowed or not is_counted(used.name) for used in value.list_vars())

    while wrong := {name for name in borrowed if not all(map(is_borrowed, sources[name]))}:
        borrowed -= wrong
    return borrowed


class _KernelLower(_core.lowering.Lower):  # type: ignore[misc, name-defined]
    """Makes the code of a kernel."""

    context: Any

    def lower(self) -> None:
        """Make all code."""
        self._borrowed = find_borrowed(self.func_ir, self.fndesc.typemap, self.context.data_model_manager)
        # a copy of the context, because `lower_inst` changes it
        self.context = self.context.subtarget(enable_nrt=self.context.enable_nrt)
        super().lower()

    def lower_inst(self, step: Any) -> Any:
        """Make the code of one statement."""
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
    """The pass of the compiler that makes code, with the rules of this file."""

    _name = "kernel_lowering"

    @property
    def lowering_class(self) -> Any:
        """The class that makes the code of a kernel."""
        return _KernelLower
