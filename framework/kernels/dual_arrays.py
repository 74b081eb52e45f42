"""Arrays of dual numbers, which replace the arrays of real and complex numbers in the arguments of kernels.

Arguments of kernels are often views of common arrays, for example parts of the forces of all laws. Therefore each array
that owns memory (owner) has one array of dual numbers, and views of this owner become views of the array of dual
numbers. Integers and truth values keep their arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.addresses import find_data, find_run, prepare_call
from windlass.framework.kernels.value_types import DUAL, DUALS, find_dual_dtype


class NotDualError(Exception):
    """Error for arguments or kernels that cannot be converted to dual numbers."""


class NotCompiledError(NotDualError):
    """Error for kernels that cannot be compiled for dual numbers."""


def find_owner(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def flatten(owner: NDArray[Any]) -> NDArray[Any]:
    """Return a view of a contiguous array with one dimension, in the order of the memory.

    Raises:
        NotDualError: the array is not contiguous.
    """
    if not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        raise NotDualError(f"an array of shape {owner.shape} is not contiguous")
    return (owner if owner.flags.c_contiguous else owner.T).reshape(-1)


def list_numbers(items: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the arrays of real and complex numbers of an array: the array, or the fields of its records."""
    if items.dtype.names is not None:
        for name in items.dtype.names:
            yield from list_numbers(items[name])
    elif items.dtype in DUALS:
        yield items


def list_duals(items: NDArray[Any], like: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield the arrays of dual numbers of ``items``, in the order of `list_numbers` for the array ``like``."""
    if like.dtype.names is not None:
        for name in like.dtype.names:
            yield from list_duals(items[name], like[name])
    elif like.dtype in DUALS:
        yield items


def read_numbers(owner: NDArray[Any]) -> FloatArray:
    """Return all real numbers, and the real and imaginary parts of all complex numbers, of a contiguous array."""
    return _join(list_numbers(flatten(owner)))


def _join(parts: Iterator[NDArray[Any]]) -> FloatArray:
    found = [np.ascontiguousarray(part).reshape(-1).view(np.float64) for part in parts]
    return np.concatenate(found) if found else np.zeros(0)


class DualCopy:
    """The dual numbers that replace the numbers of an array that owns its memory.

    Args:
        owner: the array of real or complex numbers, or of records.
    """

    def __init__(self, owner: NDArray[Any]) -> None:
        self._flat = flatten(owner)
        self._items = np.zeros(owner.size, find_dual_dtype(owner.dtype))

    def read(self) -> tuple[FloatArray, FloatArray]:
        """Return values and derivatives, each in the order of `read_numbers`."""
        values, slopes = (_join(part[name] for part in list_duals(self._items, self._flat)) for name in ("v", "e"))
        return values, slopes

    def write(self, values: FloatArray, slopes: FloatArray) -> None:
        """Set values and derivatives, each in the order of `read_numbers`. Integers are copied from the owner."""
        _copy_integers(self._items, self._flat)
        start = 0
        for part, like in zip(list_duals(self._items, self._flat), list_numbers(self._flat), strict=True):
            end = start + like.size * (like.dtype.itemsize // 8)
            for name, numbers in (("v", values), ("e", slopes)):
                part[name] = numbers[start:end].view(like.dtype).reshape(like.shape)
            start = end

    def find_view(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the view of the dual numbers that corresponds to a view of the owner.

        Raises:
            NotDualError: items of the view are neither items of the owner nor fields of its records.
        """
        if array.size == 0:
            return np.zeros(array.shape, find_dual_dtype(array.dtype))
        old, new = self._flat.dtype, self._items.dtype
        at, inside = divmod(find_data(array) - find_data(self._flat), old.itemsize)
        place, factor = at * new.itemsize, 2
        if array.dtype != old or inside:
            fields: Any = old.fields or {}
            name = next((n for n, (kind, start, *_) in fields.items() if 0 <= inside - start < kind.itemsize), None)
            if name is None or array.dtype != fields[name][0].base:
                raise NotDualError(f"a view of {array.dtype} in an array of {old}")
            factor = 2 if array.dtype in DUALS else 1
            place += new.fields[name][1] + factor * (inside - fields[name][1])  # type: ignore[index]
        strides = [
            stride // old.itemsize * new.itemsize if stride % old.itemsize == 0 else factor * stride
            for stride in array.strides
        ]
        data = self._items.view(np.uint8).data
        return np.ndarray(array.shape, find_dual_dtype(array.dtype), data, place, strides)


def _copy_integers(items: NDArray[Any], like: NDArray[Any]) -> None:
    """Copy all fields of records that contain neither real nor complex numbers."""
    if like.dtype.names is not None:
        for name in like.dtype.names:
            _copy_integers(items[name], like[name])
    elif like.dtype not in DUALS:
        items[...] = like


def call_dual(
    function: Any,
    args: tuple[Any, ...],
    views: Mapping[int, Callable[[NDArray[Any]], NDArray[Any]]],
    slopes: Iterator[float],
) -> None:
    """Call a kernel with dual numbers.

    Args:
        function: the kernel.
        args: arguments of the kernel, without dual numbers.
        views: functions `DualCopy.find_view` by the identity of the array that owns the memory of an argument.
        slopes: derivatives of the arguments that are real numbers, in nested tuples from left to right.

    Raises:
        NotCompiledError: the kernel cannot be compiled for dual numbers.
        NotDualError: the kernel raises an error.
    """

    def lift(value: Any) -> Any:
        if isinstance(value, tuple):
            items = [lift(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if isinstance(value, np.ndarray):
            view = views.get(id(find_owner(value)))
            return value if view is None else view(value)
        slope = next(slopes) if type(value) is float else 0.0
        return value if slope == 0.0 else np.array((value, slope), DUAL)[()]

    name, lifted = f"{function.__module__}.{function.__name__}", tuple(map(lift, args))
    try:
        words, _block = prepare_call(function.dual, lifted)
    except Exception as error:  # errors of the compiler have many types
        raise NotCompiledError(f"{name}: {type(error).__name__}: {error}") from error
    if find_run()(np.array([words], np.int64)) != 1:
        raise NotDualError(f"{name} raises an error for dual numbers")
