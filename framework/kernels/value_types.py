"""Types of arguments, computed from values without the compiler: keys that are computed quickly, and descriptions. The
descriptions are equal to the results of `encode_type` for the compiler's types.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from windlass.framework.kernels.cache_key import NotCacheableError

OWNS_DATA = 4
"""The only flag of NumPy arrays that does not affect the choice of the compiled version of a kernel."""
LIMIT = 2**63
"""Smallest positive integer that does not fit into a signed number of 64 bits."""
_PLAIN = {float: "float64", bool: "boolean", complex: "complex128", type(None): "none"}
_SIMPLE = frozenset({float, bool, np.float64})
"""Python types for which the compiler has only one type, regardless of the value."""
_NUMBERS = "biufc"
"""Kinds of NumPy's types of numbers and truth values."""
DUAL, DUAL_COMPLEX = (np.dtype([("v", kind), ("e", kind)], align=True) for kind in (np.float64, np.complex128))
"""Types of dual numbers in arrays: the value v and the derivative e, see dual_types.py."""
DUALS = {np.dtype(np.float64): DUAL, np.dtype(np.complex128): DUAL_COMPLEX}
"""Types of dual numbers by the types of the numbers that they replace."""
DUAL_NAMES = ("dual", "dual_complex")
"""Names of the compiler's types of dual numbers."""


def find_kinds(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a key that is equal for arguments of equal types. The key can be computed much faster than the compiler's
    types.
    """
    return (type(values), *map(find_kind, values))


def find_kind(value: Any) -> Any:
    """Return the part of the key for one argument, see `find_kinds`.

    Raises:
        TypeError: the argument is a masked array. Kernels ignore masks.
        OverflowError: the argument is an integer that does not fit into 64 bits.
    """
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & ~OWNS_DATA
    if kind in _SIMPLE:
        return kind
    if isinstance(value, tuple):
        return find_kinds(value)
    if kind is int:
        if not -LIMIT <= value < LIMIT:
            raise OverflowError(f"{value} in the arguments of a kernel: must be >= -2^63 and < 2^63")
        return kind
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(
            f"masked array of shape {value.shape} in the arguments of a kernel: must be an array without mask"
        )
    if isinstance(value, np.ndarray):
        return kind, value.dtype, value.ndim, value.flags.num & ~OWNS_DATA
    return value.dtype if kind is np.void else kind


def encode_value(value: Any) -> Any:
    """Return the description that `encode_type` gives for the compiler's type of an argument.

    Raises:
        NotCacheableError: the value is not an array, a record, a number, or a tuple of such values. Only the compiler
            can describe other types.
    """
    kind = type(value)
    if kind is np.ndarray:
        flags = value.flags
        layout = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        aligned = value.dtype.fields is None or value.dtype.isalignedstruct
        return ["array", encode_dtype(value.dtype), value.ndim, layout, not flags.writeable, aligned]
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind is int and -LIMIT <= value < LIMIT:
        return "int64"
    if isinstance(value, tuple):
        items = [encode_value(item) for item in value]
        if hasattr(kind, "_asdict"):
            return ["named", kind.__module__, kind.__qualname__, items, list(value._fields)]  # type: ignore[attr-defined]
        return ["tuple", items]
    if isinstance(value, np.generic):
        return encode_dtype(value.dtype)
    raise NotCacheableError(f"type {kind}")


@cache
def encode_dtype(dtype: np.dtype[Any]) -> Any:
    """Return the description of the items of an array."""
    if dtype in (DUAL, DUAL_COMPLEX):
        return DUAL_NAMES[dtype == DUAL_COMPLEX]
    if dtype.fields is not None:
        if dtype.hasobject or any(len(field) > 2 for field in dtype.fields.values()):
            raise NotCacheableError(f"type {dtype}")
        placed = sorted((field[1], name) for name, field in dtype.fields.items())
        fields = [[name, encode_dtype(dtype.fields[name][0]), offset] for offset, name in placed]
        return ["record", fields, dtype.itemsize, dtype.isalignedstruct]
    if dtype.subdtype is not None:
        return ["nested", encode_dtype(dtype.subdtype[0]), list(dtype.shape)]
    if dtype.kind not in _NUMBERS or not dtype.isnative:
        raise NotCacheableError(f"type {dtype}")
    return "boolean" if dtype.kind == "b" else dtype.name


@cache
def find_dual_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of array items with dual numbers in place of real and complex numbers of double precision."""
    if dtype.subdtype is not None:
        return np.dtype((find_dual_dtype(dtype.subdtype[0]), dtype.subdtype[1]))
    if dtype.names is None:
        return DUALS.get(dtype, dtype)
    fields: Any = dtype.fields
    names = sorted(dtype.names, key=lambda name: fields[name][1])
    return np.dtype([(name, find_dual_dtype(fields[name][0])) for name in names], align=True)
