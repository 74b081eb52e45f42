"""Kernels bound to the types of their arguments: the call skips the search for the right compiled version.

A compiled kernel that is called from Python looks at the type of every array in every argument; with columns of many
arrays this takes longer than many a kernel.  Systems call the same kernel with the same arrays again and again, so the
version is looked up once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


OWNS_DATA = 4
"""The one of NumPy's flags of an array that makes no difference to a kernel."""


class _Bound:
    """A kernel whose compiled version is fixed by the first call."""

    __slots__ = ("_call", "_kernel")

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._call: Any = None

    def __call__(self, *args: Any) -> Any:
        if self._call is not None:
            return self._call(*args)
        kernel, kinds = self._kernel, find_kinds(args)
        self._call = kernel.versions.get(kinds)
        if self._call is not None:
            return self._call(*args)
        result = kernel(*args)
        types = tuple(kernel.typeof_pyval(value) for value in args)
        if types in kernel.overloads:
            self._call = kernel.versions[kinds] = kernel.overloads[types].entry_point
        return result


def find_kinds(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What decides on the compiled version, found much quicker than the compiler's own types."""
    found: list[Any] = [type(values)]
    for value in values:
        if isinstance(value, np.ndarray):
            found.append((value.dtype, value.ndim, value.flags.num & ~OWNS_DATA))
        elif isinstance(value, tuple):
            found.append(find_kinds(value))
        else:
            found.append(type(value))
    return tuple(found)


def bind(kernel: Kernel) -> Kernel:
    """The kernel for one system: all calls must have arguments of the same types as the first one.

    Types are those of the arrays (dtype, dimension, contiguity) and of the columns; the framework's own arrays never
    change theirs.  In Python mode this is the kernel itself.
    """
    if getattr(kernel, "overloads", None) is None:
        return kernel
    bound: Kernel = _Bound(kernel)  # type: ignore[assignment]
    return bound
