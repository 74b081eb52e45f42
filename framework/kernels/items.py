"""Generation of code that reads items and shapes of arrays, and parts of aggregates, with few instructions.

For each item ``a[i]``, numba stores all data of the array in memory, reads these data one by one, and computes the
address of the item with all strides. The optimiser removes 25 of these 29 instructions. Most of the compilation time of
a kernel is proportional to the number of instructions before the optimisation. The functions of this file create only
the instructions that the optimiser would keep. The changes in this file do not change the machine code.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_types: Any = _numba.types


class KernelBuilder(ir.IRBuilder):  # type: ignore[misc]
    """Builder of instructions. If a requested part of an aggregate (an array or a tuple) is known, the builder returns
    the known value and creates no instruction. A part is known if it is a constant, or if an earlier instruction has
    inserted it.
    """

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        """Return the part of an aggregate at an index, or at a sequence of indices for nested aggregates."""
        wanted = list(idx) if isinstance(idx, (list, tuple)) else [idx]
        value = agg
        while wanted:
            if isinstance(value, ir.instructions.InsertValue):
                place = list(value.indices)
                if wanted[: len(place)] == place:
                    value, wanted = value.value, wanted[len(place) :]
                elif place[: len(wanted)] == wanted:
                    break  # this instruction has inserted only a part of the wanted value
                else:
                    value = value.aggregate
            elif isinstance(value, ir.Constant) and isinstance(value.constant, (list, tuple)):
                value, wanted = value.constant[wanted[0]], wanted[1:]
            else:
                break
        if not wanted:
            return value
        if isinstance(value, ir.Constant):  # the parts of this constant are not stored separately
            return super().extract_value(agg, idx, name)
        return super().extract_value(value, wanted, name)


def is_item(kind: Any, place: Any) -> bool:
    """Return whether an index selects one item of an array.

    Args:
        kind: the compiler's type of the array.
        place: type of the index, an integer or a tuple.
    """
    if type(kind) not in (_types.Array, _types.NestedArray):
        return False
    places = place.types if isinstance(place, _types.BaseTuple) else (place,)
    return len(places) == kind.ndim and all(isinstance(one, _types.Integer) for one in places)


def find_field(context: Any, kind: Any, name: str) -> int:
    """Return the index of a field, such as ``"shape"``, in the compiler's data of an array."""
    found: int = context.data_model_manager[kind].get_field_position(name)
    return found


def locate_item(context: Any, builder: Any, kind: Any, place: Any, array: Any, index: Any) -> Any:
    """Return the address of an item of an array.

    Args:
        context: context of the code generation.
        builder: the builder of instructions.
        kind, place: the compiler's types of the array and of the index.
        array, index: values of the array and of the index. Negative indices count from the end.
    """
    lengths = builder.extract_value(array, find_field(context, kind, "shape"))
    data = builder.extract_value(array, find_field(context, kind, "data"))
    tuples = isinstance(place, _types.BaseTuple)
    kinds = place.types if tuples else (place,)
    given = [builder.extract_value(index, i) for i in range(len(kinds))] if tuples else [index]
    steps = [
        _count_from_start(context, builder, one, value, lengths, axis)
        for axis, (one, value) in enumerate(zip(kinds, given, strict=True))
    ]
    if kind.layout == "A":
        strides = builder.extract_value(array, find_field(context, kind, "strides"))
        parts = [builder.mul(builder.extract_value(strides, axis), step) for axis, step in enumerate(steps)]
        offset = parts[0]
        for part in parts[1:]:
            offset = builder.add(offset, part)
        return _numba.core.cgutils.pointer_add(builder, data, offset)
    axes = range(kind.ndim)
    offset = None
    for axis, step in enumerate(steps):
        faster = axes[axis + 1 :] if kind.layout == "C" else axes[:axis]
        width = None
        for other in faster:
            length = builder.extract_value(lengths, other)
            width = length if width is None else builder.mul(width, length)
        part = step if width is None else builder.mul(step, width)
        offset = part if offset is None else builder.add(offset, part)
    return builder.gep(data, [offset])


def _count_from_start(context: Any, builder: Any, kind: Any, value: Any, lengths: Any, axis: int) -> Any:
    """Return the index along an axis, counted from the start of the array."""
    if not kind.signed:
        return context.cast(builder, value, kind, _types.uintp)
    step = context.cast(builder, value, kind, _types.intp)
    if isinstance(step, ir.Constant) and step.constant >= 0:
        return step
    length = builder.extract_value(lengths, axis)
    if isinstance(step, ir.Constant):
        return builder.add(step, length)
    return builder.select(builder.icmp_signed("<", step, step.type(0)), builder.add(step, length), step)


def find_nested_array(context: Any, builder: Any, kind: Any, name: str, record: Any) -> Any:
    """Return an array that is a field of a record. All data of the array except its address are constants in the code.

    Args:
        context: context of the code generation.
        builder: the builder of instructions.
        kind: type of the record.
        name: name of the field.
        record: value of the record.
    """
    context.sentry_record_alignment(kind, name)
    field = kind.typeof(name)
    member = context.get_data_type(field.dtype)
    data = _numba.core.cgutils.get_record_member(builder, record, kind.offset(name), member)
    known = {"nitems": field.nitems, "itemsize": field.size, "shape": field.shape, "strides": field.strides}
    names = context.data_model_manager[field]._fields
    whole = context.get_value_type(field)
    parts = [
        ir.Constant(part, list(known[one]) if isinstance(known.get(one), tuple) else known.get(one))
        for one, part in zip(names, whole.elements, strict=True)
    ]
    return builder.insert_value(ir.Constant(whole, parts), data, names.index("data"))
