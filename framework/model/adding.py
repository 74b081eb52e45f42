"""What a call of `World.add` asks for, and helpers that make several such calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables
from windlass.framework.model.schema import Component

P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(function: Callable[P, R]) -> Callable[P, R]:
    """A helper that adds several kinds of entities to a world, its first argument: all of them, or on errors none."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        world = cast(Tables, args[0] if args else kwargs["world"])
        with world.all_or_nothing():
            return function(*args, **kwargs)

    return call


def count_rows(component: type[Component], values: dict[str, Any], refs: dict[str, IntArray]) -> int:
    """Number of rows that a call of `World.add` asks for.

    Raises:
        ModelError: arrays without rows beside references to entities.
    """
    counts = {name: len(ids) for name, ids in refs.items() if len(ids) != 1}
    for name, value in values.items():
        col = component.columns.get(name)
        if col is None or value is None or col.dtype is object:
            continue
        rank = 1 if col.shape is None else len(col.shape)
        shape = shape_of(value)
        if len(shape) == rank + 1:
            counts[name] = shape[0]
            named = next((r for r, ids in refs.items() if len(ids) and ids[0] >= 0), None)
            if shape[0] == 0 and named and all(map(len, refs.values())):
                shapes = " or ".join(str(s) for s in (col.shape, (len(refs[named]), *(col.shape or ("n",)))))
                raise ModelError(
                    f"{name} in {component.__name__} has shape {shape}, no row, while {named} names "
                    f"{len(refs[named])}: must have shape {shapes} [{col.unit}]"
                )
    return max(counts.values(), default=1)


def shape_of(value: Any) -> tuple[int, ...]:
    """Shape of a list or array; () of what is none, also of ragged lists."""
    if not isinstance(value, list | tuple | np.ndarray) and not hasattr(value, "__array__"):
        return ()
    try:
        return np.shape(value)
    except Exception:  # ragged lists, and whatever objects of users raise
        return ()
