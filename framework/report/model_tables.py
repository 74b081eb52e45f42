"""Tables of a report that describe the model. The tables show the size of the model, and the number of rows and the
parameters of each component.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.model.schema import Column
from windlass.framework.model.table import EntityTable
from windlass.framework.model.world import World
from windlass.framework.state.state import State


def tabulate_model(world: World, state: State) -> list[ReportTable]:
    """Return two tables for the report. The first table shows the numbers of coordinates, multipliers and history
    values of a model, and its gravity. The second table has one line for each entity table that contains rows. The call
    is collective.
    """
    whole = state.gather()
    sizes: list[list[Any]] = [
        ["coordinates", len(whole.q)],
        ["multipliers", len(whole.lam)],
        ["history values", len(whole.data)],
        ["gravity [m/s^2]", ", ".join(f"{g:g}" for g in world.gravity)],
    ]
    rows: list[list[Any]] = []
    for component, table in world.tables.items():
        if table.count:
            columns = [describe_values(table, column) for column in component.columns.values()]
            columns += [
                describe_lengths(table, ref.name, "entities") for ref in component.refs.values() if ref.is_chain
            ]
            rows.append([component.__name__, table.count, "; ".join(words for words in columns if words)])
    return [ReportTable(["size", ""], sizes), ReportTable(["component", "rows", "parameters"], rows)]


def describe_values(table: EntityTable, column: Column) -> str:
    """Return a text for the values of a column. If all rows have one value, the text is this value. Otherwise the text
    is the range. The text is empty if all rows have the default value. For a column of functions or of variable length,
    the text states the number of functions or the range of lengths.
    """
    values = table.collect(column.name)
    if column.dtype is object:
        count = sum(value is not None for value in values)
        return f"{column.name}: {count} functions" if count else ""
    if column.along:
        values = np.concatenate([np.zeros((0, *(column.shape or ())), column.dtype), *values])
    elif column.shape is None:
        return describe_lengths(table, column.name, "numbers")
    if _is_default(values, column.default):
        return ""
    unit = "" if column.unit == "1" else f" {column.unit}"
    return f"{column.name} {_show_range(values)}{unit}"


def describe_lengths(table: EntityTable, name: str, what: str) -> str:
    """Return a text with the smallest and the largest number of entries per row, for a column of variable length or a
    reference to several entities. The text is empty if all rows are empty.
    """
    lengths = sorted(set(map(len, table.collect(name))))
    return f"{name}: {lengths[0]} to {lengths[-1]} {what}" if lengths[-1] else ""


def _is_default(values: NDArray[Any], default: Any) -> bool:
    try:
        return bool(np.all(values == np.asarray(default, dtype=values.dtype)))
    except (TypeError, ValueError):  # the values cannot be compared with a default value
        return False


def _show_range(values: NDArray[Any]) -> str:
    """Return a text for a number or a range, for example ``3`` or ``1 … 4``, or for a vector of numbers or ranges."""
    if values.dtype.kind not in "if":
        found = np.unique(values)
        return ", ".join(map(str, found[:4])) + (" ..." if len(found) > 4 else "")
    flat = values.reshape(len(values), -1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    parts = [f"{a:.6g}" if a == b else f"{a:.6g} … {b:.6g}" for a, b in zip(low, high, strict=True)]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts[:6])}{', ...' if len(parts) > 6 else ''})"
