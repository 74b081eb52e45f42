"""Conversion of the compiler's types to JSON, and of JSON to types."""

from __future__ import annotations

import importlib
from typing import Any

import numba

from windlass.framework.kernels.cache_key import NotCacheableError
from windlass.framework.kernels.value_types import DUAL_NAMES

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_types = _numba.types


def encode_type(kind: Any) -> Any:
    """Convert the type of an argument or result to strings and lists. This description is equal in all processes. Types
    that need different machine code have different descriptions.

    Raises:
        NotCacheableError: the type has no such description.
    """
    if isinstance(kind, _types.BaseNamedTuple):
        class_ = kind.instance_class
        items = [encode_type(item) for item in kind]
        return ["named", class_.__module__, class_.__qualname__, items, list(class_._fields)]
    if isinstance(kind, _types.BaseTuple):
        return ["tuple", [encode_type(item) for item in kind]]
    if isinstance(kind, _types.Optional):
        return ["optional", encode_type(kind.type)]
    if isinstance(kind, _types.CPointer):
        return ["pointer", encode_type(kind.dtype)]
    if isinstance(kind, _types.NestedArray):
        return ["nested", encode_type(kind.dtype), list(kind.shape)]
    if isinstance(kind, _types.Array):
        return ["array", encode_type(kind.dtype), kind.ndim, kind.layout, not kind.mutable, kind.aligned]
    if isinstance(kind, _types.Record):
        fields = [[name, encode_type(field.type), field.offset] for name, field in kind.fields.items()]
        return ["record", fields, kind.size, kind.aligned]
    if isinstance(kind, (_types.BooleanLiteral, _types.IntegerLiteral)):
        return ["literal", kind.literal_value]
    if str(kind) in DUAL_NAMES:
        return str(kind)
    name = "boolean" if kind == _types.boolean else str(kind)
    if getattr(_types, name, None) == kind:
        return name
    if isinstance(kind, (_types.Omitted, _types.Literal)):  # these types of arguments are never decoded
        return ["value", type(kind).__name__, str(kind)]
    raise NotCacheableError(f"takes or returns {kind}")


def decode_type(text: Any) -> Any:
    """Convert the result of `encode_type` back to a type.

    Raises:
        ImportError, AttributeError: the class of a NamedTuple does not exist.
    """
    if isinstance(text, str):
        if text not in DUAL_NAMES:
            return getattr(_types, text)
        from windlass.framework.kernels import dual_types  # imported here, because few kernels have dual numbers

        return dual_types.DUAL if text == "dual" else dual_types.DUAL_COMPLEX
    what, *rest = text
    if what == "named":
        class_: Any = importlib.import_module(rest[0])
        for name in rest[1].split("."):
            class_ = getattr(class_, name)
        items = tuple(decode_type(item) for item in rest[2])
        return _types.BaseTuple.from_types(items, class_)
    if what == "tuple":
        return _types.Tuple(tuple(decode_type(item) for item in rest[0]))
    if what == "optional":
        return _types.Optional(decode_type(rest[0]))
    if what == "pointer":
        return _types.CPointer(decode_type(rest[0]))
    if what == "record":
        fields, size, aligned = rest
        placed = [(name, {"type": decode_type(kind), "offset": offset}) for name, kind, offset in fields]
        if not has_duals(text):
            return _types.Record(placed, size, aligned)
        from windlass.framework.kernels import dual_types  # imported here, because few kernels have dual numbers

        return dual_types.DualRecord(placed, size, aligned)
    if what == "literal":
        return _types.literal(rest[0])
    if what == "nested":
        return _types.NestedArray(decode_type(rest[0]), tuple(rest[1]))
    dtype, ndim, layout, readonly, aligned = rest
    return _types.Array(decode_type(dtype), ndim, layout, readonly=readonly, aligned=aligned)


def has_duals(text: Any) -> bool:
    """Return whether the type of an item of an array, in the form of `encode_type`, contains dual numbers."""
    if isinstance(text, str):
        return text in DUAL_NAMES
    if text[0] == "record":
        return any(has_duals(kind) for _, kind, _ in text[1])
    return text[0] == "nested" and has_duals(text[1])


def check_returned(kind: Any) -> None:
    """Raise NotCacheableError if a result type cannot be decoded in other processes. Machine code that returns a
    NamedTuple refers to the class of the NamedTuple. If the class cannot be imported, numba would create a copy of the
    class.
    """
    if isinstance(kind, _types.BaseNamedTuple):
        class_ = kind.instance_class
        if class_.__module__ == "__main__" or "<locals>" in class_.__qualname__:
            raise NotCacheableError(f"returns {class_.__qualname__}, which cannot be imported")
    if isinstance(kind, _types.BaseTuple):
        for item in kind:
            check_returned(item)
    if isinstance(kind, _types.Optional):
        check_returned(kind.type)
    if isinstance(kind, (_types.Omitted, _types.Literal)) and not isinstance(
        kind, (_types.BooleanLiteral, _types.IntegerLiteral)
    ):
        raise NotCacheableError(f"returns {kind}")
