"""Checks that the models and the settings of all processes are equal, by comparison of digests."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.table import EntityTable
from windlass.framework.model.world import World
from windlass.framework.parallel.processes import Processes

MUST = "must be the same on all processes"


def check_same_world(world: World, processes: Processes) -> None:
    """Check that gravity and all tables that are not distributed are equal on all processes. The call is collective.

    Functions count as equal if their names are equal.

    Raises:
        ModelError: gravity or a table differs between processes. All processes raise this error. The message names the
            first difference.
    """
    tables = [table for table in world.tables.values() if not table.is_distributed]
    columns = {f"{t.kind}.{name}": (t, name) for t in tables for name in t.names}
    found: dict[str, Any] = {f"rows of {t.kind}": t.count for t in world.tables.values()}
    found |= {"gravity": tuple(world.gravity.tolist())}
    found |= {what: _digest(table.collect(name)) for what, (table, name) in columns.items()}
    name = find_difference(found, processes)
    if name is None:
        return
    if name not in columns:
        raise _error(name, processes.allgather("models", show(found.get(name, 0))))
    raise _column_error(*columns[name], processes)


def check_same(values: Mapping[str, Any], processes: Processes) -> None:
    """Check that the values of settings are equal on all processes. The settings are given by name. The call is
    collective.

    Raises:
        ModelError: a setting differs between processes. All processes raise this error. The message names the first
            setting that differs and states its values.
    """
    name = find_difference(values, processes)
    if name is not None:
        raise _error(name, processes.allgather("models", show(values.get(name, "nothing"))))


def find_difference(values: Mapping[str, Any], processes: Processes) -> str | None:
    """Return the first name with a value that differs between processes, or None if all values are equal. The result is
    equal on all processes.
    """
    own = blake2b(repr(list(values.items())).encode(), digest_size=16).digest()
    if len(set(processes.allgather("models", own))) == 1:
        return None
    everyone = processes.allgather("models", dict(values))
    for name in dict.fromkeys(name for given in everyone for name in given):
        if any(given.get(name) != everyone[0].get(name) for given in everyone):
            return str(name)
    return "order of tables or columns"


def digest(values: NDArray[Any]) -> str:
    """Return a digest of an array of numbers."""
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).hexdigest()


def _digest(values: NDArray[Any]) -> str:
    if values.dtype != object:
        return digest(values)
    if len(values) and values.strides[0] == 0:
        values = values[:1]
    return digest(np.array([_describe(value) for value in values], dtype="S"))


def _describe(value: Any) -> bytes:
    if isinstance(value, np.ndarray):
        return digest(value).encode()
    return b"" if value is None else str(getattr(value, "__qualname__", type(value).__name__)).encode()


def _column_error(table: EntityTable, name: str, processes: Processes) -> ModelError:
    """Create the error for a column that differs between processes. The message names the first row that differs."""
    column = table.collect(name)
    if column.dtype == object:
        column = np.array([_describe(value) for value in column], dtype="S64")
    col = table.component.columns.get(name)
    unit = "" if col is None or col.unit == "1" else f" {col.unit}"
    everyone = processes.allgather("models", column)
    rank = next(k for k, other in enumerate(everyone) if not np.array_equal(other, everyone[0]))
    first, other = everyone[0], everyone[rank]
    row = int(np.flatnonzero((first != other).reshape(len(first), -1).any(axis=1))[0])
    words = f"{first[row]}{unit} on process 0, {other[row]}{unit} on process {rank}"
    return ModelError(f"{name} in {table.kind} row {row}: {words}: {MUST}; random numbers need a seed")


def _error(name: str, everyone: list[str]) -> ModelError:
    rank = next((k for k, other in enumerate(everyone) if other != everyone[0]), 0)
    return ModelError(f"{name}: {everyone[0]} on process 0, {everyone[rank]} on process {rank}: {MUST}")
