"""Checks of tables that are built in parts, and exchange of rows. At least one process must specify each row. If
several processes specify a row, their values must be equal.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables
from windlass.framework.model.schema import Component
from windlass.framework.model.table import EntityTable, find_sorted, pad_rows
from windlass.framework.parallel.number_directory import share
from windlass.framework.parallel.processes import Processes


def check_rows(world: Tables, processes: Processes) -> None:
    """Check that the rows of all processes agree and are complete. The call is collective.

    Raises:
        ModelError: calls of `World.add` differ between processes, no process has given a row, or several processes gave
            different values for a row. All processes raise this error.
    """
    _check_calls(world, processes)
    for table in world.tables.values():
        if not table.is_distributed:
            continue
        if processes.size == 1:
            counts = np.bincount(table.resident, minlength=table.count)
        else:
            asked = np.arange(*(table.count * (processes.comm.rank + k) // processes.size for k in (0, 1)))
            given = np.ones(table.resident_count, np.int64)
            counts = share(processes, table.count, table.resident, given, asked, np.add, 0)
        lost = np.flatnonzero(counts == 0)
        error = None
        if len(lost):
            row = int(lost[0] if processes.size == 1 else asked[lost[0]])
            error = ModelError(
                f"{table.describe(row)} ({table.kind} row {row}): no process gives this row: each row of a Part must "
                "be given by at least one process"
            )
        processes.agree(error)
        if processes.size > 1:
            processes.agree(_find_disagreement(table, processes))


def _check_calls(world: Tables, processes: Processes) -> None:
    """Check that the calls of `World.add` on all processes agree in components, numbers of rows, and order."""
    if processes.size == 1:
        return
    error = None
    if len(set(processes.allgather("calls", sha256(repr(world.calls).encode()).digest()))) > 1:
        everyone = processes.allgather("calls", world.calls)
        first = everyone[0]
        rank = next(k for k, calls in enumerate(everyone) if calls != first)
        other = everyone[rank]
        k = next(k for k in range(max(len(first), len(other))) if first[k : k + 1] != other[k : k + 1])
        words = [f"{calls[k][1]} rows of {calls[k][0]}" if k < len(calls) else "nothing" for calls in (first, other)]
        error = ModelError(
            f"call {k + 1} of World.add adds {words[0]} on process 0, {words[1]} on process {rank}: all processes "
            "must make the same calls, with the same number of rows in all"
        )
    processes.agree(error)


def _find_disagreement(table: EntityTable, processes: Processes) -> ModelError | None:
    """Return an error that names the first row for which this process and another process gave different values, or
    None if all values agree.
    """
    rows = table.resident
    shared = rows[share(processes, table.count, rows, np.ones(len(rows), np.int64), rows, np.add, 0) > 1]
    values = {
        name: column.reshape(len(shared), int(np.prod(column.shape[1:]))).astype(float)
        for name, column in _extract_numbers(table, shared, processes).items()
    }
    names = [name for name, column in values.items() for _ in range(column.shape[1])]
    mine = np.concatenate(list(values.values()), axis=1)
    low, high = (
        share(processes, table.count, shared, mine, shared, join, start)
        for join, start in ((np.minimum, np.inf), (np.maximum, -np.inf))
    )
    for k, column in np.argwhere(low != high)[:1]:
        col = table.component.columns.get(names[column])
        unit = f" {col.unit}" if col is not None and col.unit != "1" else ""
        return ModelError(
            f"{names[column]} in {table.kind} row {shared[k]}: processes give {low[k, column]:.17g} and "
            f"{high[k, column]:.17g}{unit}: must be the same on all processes that give this row"
        )
    return None


def _extract_numbers(table: EntityTable, rows: IntArray, processes: Processes) -> dict[str, NDArray[Any]]:
    """Return the values of the given rows, by name, for all columns and references that contain numbers or truth
    values. Columns of variable length are padded with -1 to the largest length on any process. The call is collective.
    """
    found = table.extract(rows)
    for name, column in found.items():
        if column.dtype == object:
            flat = np.empty(len(rows), object)
            flat[:] = [row.ravel() for row in column]
            longest = processes.allgather("lengths of rows", max(map(len, flat), default=0))
            found[name] = pad_rows(flat, max(longest), -1, np.float64)
    return {name: column for name, column in found.items() if column.dtype.kind in "biuf"}


def fetch_rows(world: Tables, processes: Processes) -> None:
    """Receive the rows to which rows of this process refer, directly or indirectly, from other processes. The call is
    collective.
    """
    if processes.size == 1:
        return
    tables = [table for table in world.tables.values() if table.is_distributed]
    while True:
        missing = _find_missing(world)
        if not processes.any(bool(missing)):
            return
        for table in tables:
            wanted = missing.get(table.component, np.zeros(0, np.int64))
            own = np.full(table.resident_count, processes.comm.rank)
            holder = share(processes, table.count, table.resident, own, wanted, np.minimum, processes.size)
            asked = processes.exchange("wanted rows", [wanted[holder == rank] for rank in range(processes.size)])
            send_rows(table, asked, processes)


def send_rows(table: EntityTable, out: list[IntArray], processes: Processes) -> None:
    """Send rows of this process to other processes, and insert the rows that other processes send. The list ``out``
    contains, for each process, the numbers of the rows for this process. The call is collective.
    """
    for rows, values in processes.exchange("rows", [(rows, table.extract(rows)) for rows in out]):
        if len(rows):
            table.insert(rows, values)


def _find_missing(world: Tables) -> dict[type[Component], IntArray]:
    """Return the rows of distributed tables to which rows of this process refer, but which this process does not store.
    Each row is returned once.
    """
    found: dict[type[Component], list[NDArray[np.int64]]] = {}
    for component, table in world.tables.items():
        for name in component.refs:
            for target, _, rows in world.split_by_table(table.named(name)):
                if target.is_distributed:
                    rows = np.unique(rows)
                    found.setdefault(target.component, []).append(rows[~find_sorted(target.resident, rows)[1]])
    united = {component: np.unique(np.concatenate(parts)) for component, parts in found.items()}
    return {component: rows for component, rows in united.items() if len(rows)}


def find_counted(table: EntityTable, processes: Processes) -> NDArray[np.bool_]:
    """Return, for each row that this process stores, whether this process counts the row in sums over all processes,
    shape (resident,). Exactly one process counts each row. The call is collective.
    """
    rank, size, rows = processes.comm.rank, processes.size, table.resident
    if not table.is_distributed:
        return np.asarray(rows * size // max(table.count, 1) == rank)
    lowest = share(processes, table.count, rows, np.full(len(rows), rank), rows, np.minimum, size)
    return np.asarray(lowest == rank)
