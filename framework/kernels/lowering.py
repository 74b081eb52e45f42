"""Generation of the machine code of kernels. The generated code does not count references to arrays of the caller, and
has few instructions before the optimisation.

By default, the compiler counts references to all arrays at each use of a tuple of arrays. Later, the compiler removes
some superfluous counting operations. The remaining counting operations are most of the code of many kernels. Arguments,
constants, and parts and views of arguments and constants exist longer than a call, so references to these objects need
not be counted. References to arrays that a kernel creates are counted as usual.

The time of the code generation and of the optimisation is proportional to the number of instructions. Therefore items
of arrays are read and written with few instructions (items.py), and variables that are assigned once are not stored in
memory. The omitted instructions do not change the machine code, because the optimiser would remove them.
"""

from __future__ import annotations

from typing import Any

import numba

from windlass.framework.kernels.items import KernelBuilder, find_field, find_nested_array, is_item, locate_item
from windlass.framework.kernels.repeated import KernelLibrary

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_core, _ir = _numba.core, _numba.core.ir
_types: Any = _numba.types

_PARTS = frozenset({"build_tuple", "cast", "getattr", "getitem", "static_getitem"})
"""Types of expressions. The result of such an expression is an operand, a part or view of an operand, or a tuple of
operands.
"""


def find_borrowed(code: Any, kinds: Any, models: Any) -> set[str]:
    """Return the variables of a kernel that refer only to arguments, constants, and parts or views of arguments and
    constants.

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
        if isinstance(index, _ir.Var) and is_counted(index.name):  # if the index is an array, the result is a new array
            return False
        return all(used.name in borrowed or not is_counted(used.name) for used in value.list_vars())

    while wrong := {name for name in borrowed if not all(map(is_borrowed, sources[name]))}:
        borrowed -= wrong
    return borrowed


def find_constants(code: Any, kinds: Any, models: Any, borrowed: set[str]) -> set[str]:
    """Return the variables of a kernel that are assigned once, before all uses, and have no counted references. These
    variables need no memory, because their values are known at each use.

    Args:
        code: intermediate representation of the kernel in the compiler.
        kinds: types of the variables of the kernel, by name.
        models: memory layouts of the types.
        borrowed: result of `find_borrowed`.
    """
    life = code.variable_lifetime
    places: dict[str, list[Any]] = {}
    for label, block in code.blocks.items():
        for step in block.body:
            if isinstance(step, _ir.Assign):
                places.setdefault(step.target.name, []).append(label)
    uses: dict[str, list[Any]] = {}
    for label, names in life.usedefs.usemap.items():  # variables that a block reads before the block assigns them
        for name in names:
            uses.setdefault(name, []).append(label)
    before, first = life.cfg.dominators(), min(code.blocks)

    def is_constant(name: str, labels: list[Any]) -> bool:
        # code is generated in the order of the labels
        return (
            len(labels) == 1
            and all(use > labels[0] and labels[0] in before[use] for use in uses.get(name, ()))
            # Arrays that are assigned after the first block are stored in memory, even if their references are not
            # counted. Without this rule, the optimiser would insert the code of more kernels into their callers.
            and (not models[kinds[name]].contains_nrt_meminfo() or (name in borrowed and labels[0] == first))
        )

    return {name for name, labels in places.items() if is_constant(name, labels)}


class _KernelLower(_core.lowering.Lower):  # type: ignore[misc, name-defined]
    """Generator of the code of a kernel."""

    context: Any
    builder: Any

    def lower(self) -> None:
        """Generate the code of the whole kernel."""
        # a copy of the context is passed, because `lower_inst` changes the context
        self.context = self.context.subtarget(enable_nrt=self.context.enable_nrt)
        super().lower()

    def extract_function_arguments(self) -> Any:
        """Generate the code at the beginning of a kernel that receives the arguments."""
        self.builder.__class__ = KernelBuilder
        return super().extract_function_arguments()

    def _find_singly_assigned_variable(self) -> None:
        super()._find_singly_assigned_variable()
        code, kinds, models = self.func_ir, self.fndesc.typemap, self.context.data_model_manager
        self._borrowed = find_borrowed(code, kinds, models)
        self._constants = set() if self.generator_info else find_constants(code, kinds, models, self._borrowed)
        self._singly_assigned_vars |= self._constants

    def _is_counted(self, kind: Any) -> bool:
        return bool(self.context.data_model_manager[kind].contains_nrt_meminfo())

    def incref(self, typ: Any, val: Any) -> None:
        """Generate the code that increments the reference count of a value, if its type has reference counts."""
        if self._is_counted(typ):
            super().incref(typ, val)

    def decref(self, typ: Any, val: Any) -> None:
        """Generate the code that decrements the reference count of a value, if its type has reference counts."""
        if self._is_counted(typ):
            super().decref(typ, val)

    def delvar(self, name: str) -> None:
        """Generate the code that follows the last use of a variable."""
        if name in self._constants:
            return
        if self._is_counted(self.typeof(name)) and name not in self._borrowed:
            super().delvar(name)
            return
        # the memory of a variable without counted references need not be cleared
        if name not in self._blk_local_varmap:
            self._singly_assigned_vars.discard(name)
        self._alloca_var(name, self.typeof(name))

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        """Generate the code that assigns a variable."""
        kind = self.typeof(name)
        if argidx is not None or name in self._singly_assigned_vars or self._is_counted(kind):
            super().storevar(value, name, argidx)
            return
        # the previous value can be overwritten, because values of this type have no reference counts
        self._alloca_var(name, kind)
        self.builder.store(value, self.getvar(name))

    def lower_inst(self, step: Any) -> Any:
        """Generate the code of one statement."""
        if isinstance(step, _ir.StaticSetItem) and self._is_item(step.target, step.index_var):
            return self.lower_setitem(step.target, step.index_var, step.value, self.fndesc.calltypes[step])
        name = step.target.name if isinstance(step, _ir.Assign) else step.value if isinstance(step, _ir.Del) else None
        if name not in self._borrowed:
            return super().lower_inst(step)
        counts, self.context.enable_nrt = self.context.enable_nrt, False
        try:
            return super().lower_inst(step)
        finally:
            self.context.enable_nrt = counts

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Generate the code of an expression."""
        if expr.op == "static_getitem" and self._is_item(expr.value, expr.index_var):
            return self.lower_getitem(resty, expr, expr.value, expr.index_var, self.fndesc.calltypes[expr])
        if expr.op == "getattr":
            kind, name = self.typeof(expr.value.name), expr.attr
            if name == "shape" and type(kind) is _types.Array:
                return self.builder.extract_value(self.loadvar(expr.value.name), find_field(self.context, kind, name))
            if isinstance(kind, _types.Record) and type(resty) is _types.NestedArray and kind.typeof(name) == resty:
                return find_nested_array(self.context, self.builder, kind, name, self.loadvar(expr.value.name))
        return super().lower_expr(resty, expr)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Generate the code that reads an item."""
        if not self._is_item(value, index):
            return super().lower_getitem(resty, expr, value, index, signature)
        kind = self.typeof(value.name)
        align = None if kind.aligned else 1
        found = self.context.unpack_value(self.builder, kind.dtype, self._locate(value, index), align=align)
        return self.context.cast(self.builder, found, kind.dtype, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Generate the code that writes an item."""
        if not self._is_item(target_var, index_var):
            return super().lower_setitem(target_var, index_var, value_var, signature)
        kind, given = self.typeof(target_var.name), self.typeof(value_var.name)
        value = self.context.cast(self.builder, self.loadvar(value_var.name), given, signature.args[2])
        value = self.context.cast(self.builder, value, signature.args[2], kind.dtype)
        align = None if kind.aligned else 1
        place = self._locate(target_var, index_var)
        self.context.pack_value(self.builder, kind.dtype, value, place, align=align)
        return None

    def _is_item(self, array: Any, index: Any) -> bool:
        """Return whether one variable of a statement is an array, and the other variable is the index of one item of
        this array.
        """
        return (
            index is not None
            and not self.context.enable_boundscheck
            and is_item(self.typeof(array.name), self.typeof(index.name))
        )

    def _locate(self, array: Any, index: Any) -> Any:
        kind, place = self.typeof(array.name), self.typeof(index.name)
        return locate_item(self.context, self.builder, kind, place, self.loadvar(array.name), self.loadvar(index.name))


@_core.compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(_core.typed_passes.NativeLowering):  # type: ignore[misc, name-defined]
    """The compiler pass that generates the machine code of a kernel by `_KernelLower`."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """Generate the machine code of a kernel, and store it in a `KernelLibrary`."""
        if state.library is None:
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return bool(super().run_pass(state))

    @property
    def lowering_class(self) -> Any:
        """The class that generates the code of a kernel for this compiler pass."""
        return _KernelLower
