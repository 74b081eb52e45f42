"""Compilation of kernels for dual numbers.

If the arguments of a kernel are dual numbers, the compiler finds the types of most other values from the types of the
arguments. In addition, the following values become dual numbers: items of new arrays, numbers in tuples, constant
tuples, and the types ``np.float64`` and ``np.complex128``. A kernel calls the versions for dual numbers of other
kernels.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numba.np.numpy_support  # a module that `import numba` does not import
import numpy as np

from windlass.framework.kernels import (
    dual_rules,  # noqa: F401  the import registers the rules
    new_arrays,
)
from windlass.framework.kernels.dual_types import DUAL, DUAL_COMPLEX
from windlass.framework.kernels.type_names import decode_type
from windlass.framework.kernels.value_types import encode_dtype, find_dual_dtype

_numba: Any = numba  # declared as Any, because internal functions of numba have no type annotations
_types: Any = _numba.types
_classes = {np.float64: DUAL, np.complex128: DUAL_COMPLEX}


def make_dual(kind: Any) -> Any:
    """Return a type with dual numbers in place of real and complex numbers, for the types of numbers, tuples and
    records. Other types are returned unchanged.
    """
    if isinstance(kind, _types.Float):
        return DUAL
    if isinstance(kind, _types.Complex):
        return DUAL_COMPLEX
    if isinstance(kind, _types.BaseTuple):
        return _types.BaseTuple.from_types(tuple(map(make_dual, kind)), getattr(kind, "instance_class", None))
    if type(kind) is _types.Record:
        return decode_type(encode_dtype(find_dual_dtype(_numba.np.numpy_support.as_dtype(kind))))
    return kind


def _promote(kinds: Any) -> Any:
    """Return types of the items of a tuple, with dual numbers in place of real and complex numbers."""
    return tuple(make_dual(kind) if isinstance(kind, (_types.Float, _types.Complex)) else kind for kind in kinds)


@contextmanager
def compiling_duals() -> Iterator[None]:
    """Context manager for the compilation of kernels for dual numbers. The caller holds the lock of the compiler."""
    if new_arrays.convert_item is make_dual:
        yield
        return
    context = _numba.core.registry.cpu_target.typing_context
    tuples, building = _types.BaseTuple, _numba.core.typeinfer.BuildTupleConstraint
    resolve, from_types, build = context.resolve_value_type, vars(tuples)["from_types"], building.__call__

    def resolve_dual(value: Any) -> Any:
        if hasattr(type(value), "dual"):  # the value is a kernel
            return value.dual._numba_type_
        if isinstance(value, type) and value in _classes:
            return _types.NumberClass(_classes[value])
        found = resolve(value)
        return make_dual(found) if isinstance(value, tuple) else found

    def make_tuple(cls: Any, kinds: Any, pyclass: Any = None) -> Any:
        return from_types.__func__(cls, _promote(kinds), pyclass)

    def build_tuple(self: Any, inference: Any) -> None:
        for kinds in itertools.product(*[inference.typevars[item.name].get() for item in self.items]):
            inference.add_type(self.target, _types.Tuple(_promote(kinds)), loc=self.loc)

    convert = new_arrays.convert_item
    context.resolve_value_type, building.__call__ = resolve_dual, build_tuple
    tuples.from_types, new_arrays.convert_item = classmethod(make_tuple), make_dual
    try:
        yield
    finally:
        context.resolve_value_type, building.__call__ = resolve, build
        tuples.from_types, new_arrays.convert_item = from_types, convert
