"""Entity tables: the rows of one kind, stored by columns, and the handles to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.errors import ModelError
from windlass.framework.schema import REQUIRED, Component, parse_values

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Entity:
    """A handle to one or more rows of a table.

    Attributes:
        table: the table.
        rows: row numbers, shape (n,).
    """

    table: EntityTable
    rows: IntArray

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Entity]:
        return (Entity(self.table, self.rows[i : i + 1]) for i in range(len(self.rows)))

    def __getitem__(self, index: int | slice | IntArray) -> Entity:
        return Entity(self.table, np.atleast_1d(self.rows[index]))

    @property
    def kind(self) -> str:
        """Name of the component, e.g. ``"Cable2D"``."""
        return self.table.kind

    @property
    def ids(self) -> IntArray:
        """Numbers of the entities in the world, shape (n,)."""
        return self.table.ids[self.rows]

    @property
    def row(self) -> int:
        """The row number of a handle to one row."""
        if len(self.rows) != 1:
            raise ModelError(f"handle to {len(self.rows)} rows of {self.kind}: expected a handle to one row")
        return int(self.rows[0])

    @property
    def name(self) -> str:
        """Name for messages, e.g. ``"left"`` or ``"belt 57"``."""
        return self.table.describe(int(self.rows[0]))

    def __getattr__(self, column: str) -> Any:
        # values of the table read like attributes: belt.length
        if column.startswith("_"):
            raise AttributeError(column)
        component = self.table.component
        if column in component.columns or column in component.refs:
            values = self.table.column(column)[self.rows]
            return values[0] if len(self.rows) == 1 else values
        raise AttributeError(f"{self.kind} has no column {column!r}: it has {', '.join(self.table.names)}")

    def __repr__(self) -> str:
        rows = self.rows
        return f"<{self.kind} {rows[0] if len(rows) == 1 else f'rows {rows[0]}..{rows[-1]} ({len(rows)})'}>"


class EntityTable:
    """The rows of one kind by columns; the row number is the id within the table.

    Attributes:
        component: the schema.
        kind: its name.
        count: number of rows.
    """

    def __init__(self, component: type[Component]) -> None:
        self.component = component
        self.kind = component.__name__
        self.count = 0
        self.names: tuple[str, ...] = (*component.refs, *component.columns)
        self._chunks: dict[str, list[NDArray[Any]]] = {name: [] for name in self.names}
        self._chunks["id"] = []
        self._labels: list[tuple[int, int, str | Callable[[int], str]]] = []

    @property
    def ids(self) -> IntArray:
        """Number of each row's entity in the world, shape (rows,)."""
        return self.column("id")

    def column(self, name: str) -> NDArray[Any]:
        """All rows of one column, shape (rows, *shape); references are entity numbers, -1 for none."""
        chunks = self._chunks[name]
        if not chunks:
            return np.zeros(0, np.int64)
        if len(chunks) > 1:
            chunks[:] = [np.concatenate(chunks)]
        return chunks[0]

    def parse(self, values: dict[str, Any], count: int) -> dict[str, NDArray[Any]]:
        """Check user values for `count` new rows and bring them into arrays.

        Raises:
            ModelError: unknown or missing column, or a value that is not allowed.
        """
        unknown = [name for name in values if name not in self.component.columns]
        if unknown:
            raise ModelError(f"{self.kind} has no column {unknown[0]!r}: it has {', '.join(self.names)}")
        parsed = {}
        for name, col in self.component.columns.items():
            value = values.get(name, col.default)
            if value is REQUIRED:
                raise ModelError(f"{self.kind} needs {name} [{col.unit}] ({col.doc})")
            parsed[name] = parse_values(col, self.kind, value, count, self.count)
        return parsed

    def parse_one(self, name: str, value: Any, count: int, rows: IntArray) -> NDArray[Any]:
        """Check a new value of one column for existing rows; see `parse`."""
        return parse_values(self.component.columns[name], self.kind, value, count, int(rows[0]) if len(rows) else 0)

    def append(self, parsed: dict[str, NDArray[Any]], refs: dict[str, IntArray], ids: IntArray, label: str) -> Entity:
        """Append checked rows and return a handle to them."""
        for name, array in (*parsed.items(), *refs.items(), ("id", ids)):
            self._chunks[name].append(array)
        first = self.count
        self.count += len(ids)
        entity = Entity(self, np.arange(first, self.count, dtype=np.int64))
        if label:
            self.add_label(entity.rows, label)
        return entity

    def add_label(self, rows: IntArray, label: str | Callable[[int], str]) -> None:
        """Name rows that follow each other, for messages: all alike, or by a function of the place among them."""
        if len(rows) == 0:
            return
        self._labels.append((int(rows[0]), int(rows[-1]) + 1, label))

    def describe(self, row: int) -> str:
        """Name of a row for messages: the user's name, or kind and row number."""
        for first, end, label in reversed(self._labels):
            if first <= row < end:
                if callable(label):
                    return label(row - first)
                return label if end - first == 1 else f"{label} {row - first}"
        return f"{self.kind} {row}"
