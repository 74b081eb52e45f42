"""Entity tables, and handles to rows. A table stores the rows of one component by columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray, pack_runs, unpack_runs
from windlass.framework.checks.checks import suggest
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import REQUIRED, Column, Component, parse_values, show_value
from windlass.framework.parallel.processes import Processes


@dataclass(frozen=True, eq=False)
class Entity:
    """A handle to one or more rows of a table.

    Attributes:
        table: the table that contains the rows.
        rows: row numbers, shape (n,).
    """

    table: EntityTable
    rows: IntArray

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Entity]:
        return (Entity(self.table, self.rows[i : i + 1]) for i in range(len(self.rows)))

    def __getitem__(self, index: int | slice | IntArray | list[int]) -> Entity:
        return Entity(self.table, np.atleast_1d(self.rows[index]))

    @property
    def kind(self) -> str:
        """Name of the component, e.g. ``"Cable2D"``."""
        return self.table.kind

    @property
    def ids(self) -> IntArray:
        """Numbers of the entities in the world, shape (n,)."""
        return self.table.ids_of(self.rows)

    @property
    def row(self) -> int:
        """Row number of a handle to one row. For a handle to several rows, ModelError is raised."""
        if len(self.rows) != 1:
            raise ModelError(f"handle to {len(self.rows)} rows of {self.kind}: expected a handle to one row")
        return int(self.rows[0])

    @property
    def name(self) -> str:
        """Name of the first entity of the handle, for messages, e.g. ``"left"`` or ``"belt 57"``."""
        return self.table.describe(int(self.rows[0]))

    def __getattr__(self, column: str) -> Any:
        # columns can be read as attributes, for example belt.length
        if column.startswith("_"):
            raise AttributeError(column)
        component = self.table.component
        if column in component.columns or column in component.refs:
            values = self.table.collect(column, self.rows)
            return values[0] if len(self.rows) == 1 else values
        raise AttributeError(f"{self.kind} has no column {column!r}{self._hint(column)}")

    def _hint(self, column: str) -> str:
        """Return a suggestion for a name that is not a column: an output variable or a column with a similar name."""
        outputs = self.table.component.output_names
        from difflib import get_close_matches  # imported here, because only error messages need this function

        for name in (column, *get_close_matches(column, outputs, 1)):
            if name in outputs:
                return f": {name} depends on the state, wl.eval_output(handle, {name!r}, state) gives it"
        close = get_close_matches(column, self.table.names, 1)
        return f": did you mean {close[0]}?" if close else f": it has {', '.join(self.table.names)}"

    def __repr__(self) -> str:
        rows = self.rows
        return f"<{self.kind} {rows[0] if len(rows) == 1 else f'rows {rows[0]}..{rows[-1]} ({len(rows)})'}>"


class EntityTable:
    """The rows of one component, stored by columns.

    With several processes, a table can be distributed. Each process then stores only some of the rows, which are called
    resident rows. The distribution does not change row numbers.

    Attributes:
        component: the schema.
        kind: name of the component.
        count: number of rows.
        is_distributed: whether this process stores only the rows in `resident`.
        names: names of the references and columns.
    """

    def __init__(self, component: type[Component]) -> None:
        self.component = component
        self.kind = component.__name__
        self.count = 0
        self.is_distributed = False
        self.names: tuple[str, ...] = (*component.refs, *component.columns)
        self._chunks: dict[str, list[NDArray[Any]]] = {name: [] for name in self.names}
        self._chunks["id"] = []
        self._defaults: dict[str, NDArray[Any]] = {}
        self._labels: list[tuple[int, int, str | Callable[[int], str]]] = []
        # the first row and the first entity number of each sequence of rows with consecutive entity numbers
        self._runs: list[tuple[int, int]] = []
        self._resident: list[IntArray] = []
        self._processes: Processes | None = None

    @property
    def ids(self) -> IntArray:
        """Entity number in the world of each row, shape (rows,)."""
        return self.ids_of(np.arange(self.count)) if self.is_distributed else self.collect("id")

    @property
    def resident(self) -> IntArray:
        """Numbers of the resident rows, in ascending order."""
        return _joined(self._resident) if self.is_distributed else np.arange(self.count)

    @property
    def resident_count(self) -> int:
        """Number of rows that this process stores (resident rows)."""
        return len(self.resident) if self.is_distributed else self.count

    def local(self, name: str, rows: IntArray | None = None) -> NDArray[Any]:
        """Return the values of a column for the given resident rows (default: all resident rows), shape (n, *shape).

        The value of a reference is the number of an entity, or -1 for no entity. If a reference is a chain (an ordered
        list of entities), or if a column has one value per entity of a chain, the value of each row is an array.
        """
        values = _joined(self._chunks[name])
        if rows is None:
            return values[self.resident] if self.is_distributed and self._is_function(name) else values
        return values[rows if self._is_function(name) else self.places(rows)]

    def named(self, name: str, rows: IntArray | None = None) -> IntArray:
        """Return the numbers of all entities to which the given resident rows (default: all) refer by the reference
        ``name``, in the order of the rows, shape (k,).
        """
        values = self.local(name, rows)
        return np.concatenate([np.zeros(0, np.int64), *values]) if self.component.refs[name].is_chain else values

    def padded(self, name: str, length: int, rows: IntArray | None = None) -> NDArray[Any]:
        """Return the numbers of the entities to which each resident row refers by the reference ``name``, padded with
        -1, shape (n, length). If ``name`` is a column with one value for each such entity, return the values, padded
        with 0, shape (n, length, *shape).
        """
        col, values = self.component.columns.get(name), self.local(name, rows)
        if col is None:
            return pad_rows(values, length, -1, np.int64)
        return pad_rows(values, length, 0, col.dtype, col.shape or ())

    def collect(self, name: str, rows: IntArray | None = None) -> NDArray[Any]:
        """Return the values of a column for the given rows (default: all rows of the table), shape (n, *shape).

        If the table is distributed, the call is collective. The table does not store the rows that other processes
        send.
        """
        values = _joined(self._chunks[name])
        if not self.is_distributed:
            return values if rows is None else values[rows]
        rows = np.arange(self.count) if rows is None else rows
        if self._is_function(name):
            return values[rows]
        return self.join_resident(f"{name} of {self.kind}", rows, self.local(name))

    def write(self, name: str, rows: IntArray, values: NDArray[Any]) -> None:
        """Write values of one column to rows. Values for rows that are not resident are ignored."""
        if self._is_function(name):
            changed = np.array(_joined(self._chunks[name]))
            changed[rows] = values
            self._chunks[name] = [changed]
        elif not self.is_distributed:
            self.collect(name)[rows] = values
        else:
            place, found = find_sorted(self.resident, rows)
            self.local(name)[place[found]] = values[found]

    def ids_of(self, rows: IntArray) -> IntArray:
        """Return the entity numbers in the world of the given rows, shape (n,)."""
        if not self.is_distributed:
            return self.ids[rows]
        first_rows, first_ids = np.array(self._runs, np.int64).reshape(-1, 2).T
        run = np.searchsorted(first_rows, rows, side="right") - 1
        ids: IntArray = first_ids[run] + rows - first_rows[run]
        return ids

    def places(self, rows: IntArray) -> IntArray:
        """Return the indices of given rows in the list of resident rows.

        Raises:
            ModelError: a row is not resident.
        """
        if not self.is_distributed:
            return rows
        place, found = find_sorted(self.resident, rows)
        if not found.all():
            row = int(rows[np.flatnonzero(~found)[0]])
            raise ModelError(
                f"{self.describe(row)} ({self.kind} row {row}): is not on this process, which has "
                f"{self.resident_count} of {self.count} rows"
            )
        return place

    def join_resident(self, what: str, rows: IntArray, local: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the given ``rows`` of a distributed table, collected from all processes. Each process
        passes the values of its resident rows in ``local``. The argument ``what`` is the name of the values in
        messages. The call is collective.
        """
        assert self._processes is not None
        place, found = find_sorted(self.resident, rows)
        out = np.empty((len(rows), *local.shape[1:]), local.dtype)
        mine = pack_runs(np.flatnonzero(found)), pack_runs(local[place[found]])
        for where, values in self._processes.allgather(what, mine):
            out[unpack_runs(*where)] = unpack_runs(*values)
        return out

    def begin_parts(self, processes: Processes) -> None:
        """Mark the table as distributed. This process keeps all present rows. Of the rows that are added later, this
        process stores only its part.
        """
        if not self.is_distributed:
            self._resident, self.is_distributed, self._processes = [np.arange(self.count)], True, processes
            del self._chunks["id"]

    def keep_resident(self, rows: IntArray, processes: Processes) -> None:
        """Remove all rows except ``rows``, which are in ascending order. Columns of functions remain complete, because
        functions cannot be sent between processes.
        """
        self.begin_parts(processes)
        places = self.places(rows)
        for name in self.names:
            values = _joined(self._chunks[name])
            if not self._is_function(name):
                self._chunks[name] = [values[places]]
            elif len(values) and bool((values == values[0]).all()):
                self._chunks[name] = [np.broadcast_to(values[:1].copy(), values.shape)]
        self._resident = [rows]

    def extract(self, rows: IntArray) -> dict[str, NDArray[Any]]:
        """Return the values of all references and columns, except columns of functions, for some resident rows."""
        return {name: self.local(name, rows) for name in self.names if not self._is_function(name)}

    def insert(self, rows: IntArray, values: dict[str, NDArray[Any]]) -> None:
        """Add rows to a distributed table, from values that `extract` has returned on another process. Rows that are
        already resident are skipped.
        """
        new = ~find_sorted(self.resident, rows)[1]
        resident = np.concatenate((self.resident, rows[new]))
        order = np.argsort(resident)
        for name, column in values.items():
            self._chunks[name] = [np.concatenate((self.local(name), column[new]))[order]]
        self._resident = [resident[order]]

    def gather(self) -> None:
        """Complete a distributed table by copying all its rows to this process. The call is collective."""
        every = np.arange(self.count)
        chunks = {name: [self.collect(name, every)] for name in self.names}
        self._chunks, self.is_distributed = chunks | {"id": [self.ids]}, False

    def _is_function(self, name: str) -> bool:
        """Return whether the values of a column are functions."""
        column = self.component.columns.get(name)
        return column is not None and column.dtype is object

    def parse(
        self, values: dict[str, Any], rows: IntArray, total: int, refs: dict[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """Check user values for new rows and convert them to arrays.

        Args:
            values: user values by column.
            rows: numbers of the new rows for which this process gives values, shape (n,).
            total: number of new rows on all processes. Each process stores the functions of all these rows.
            refs: references of the new rows.

        Raises:
            ModelError: a column is unknown or missing, or a value is not allowed.
        """
        unknown = [name for name in values if name not in self.component.columns]
        if unknown:
            raise ModelError(f"{self.kind} has no column {unknown[0]!r}: {suggest(unknown[0], self.names)}")
        parsed = {}
        for name, col in self.component.columns.items():
            value = values.get(name, col.default)
            if value is REQUIRED:
                allowed = f": must be {bounds}" if (bounds := col.bounds()) else ""
                raise ModelError(f"{self.kind} needs {name} [{col.unit}] ({col.doc}){allowed}")
            if col.along:
                lengths = np.fromiter(map(len, refs[col.along]), np.int64, len(rows))
                parsed[name] = parse_values(col, self.kind, value, rows, lengths)
                continue
            if name not in values and col.dtype is not object and col.shape is not None:
                parsed[name] = np.repeat(self._default(col), len(rows), axis=0)
                continue
            every = len(rows) < total and self._is_function(name)
            parsed[name] = parse_values(col, self.kind, value, np.arange(total) + self.count if every else rows)
        return parsed

    def _default(self, col: Column) -> NDArray[Any]:
        """Return the default value for rows without a user value, shape (1, *shape)."""
        if col.name not in self._defaults:
            self._defaults[col.name] = parse_values(col, self.kind, col.default, np.array([self.count]))
        return self._defaults[col.name]

    def append(
        self, parsed: dict[str, NDArray[Any]], refs: dict[str, NDArray[Any]], rows: IntArray, ids: IntArray, label: str
    ) -> Entity:
        """Append checked rows and return a handle to them.

        Args:
            parsed, refs: checked columns and references of the rows for which this process gives values.
            rows: row numbers of the rows for which this process gives values, shape (n,).
            ids: numbers of the new entities on all processes, shape (total,).
            label: name for messages and output.
        """
        for name, array in (*parsed.items(), *refs.items()):
            self._chunks[name].append(array)
        if self.is_distributed:
            self._resident.append(rows)
        else:
            self._chunks["id"].append(ids)
        first = self.count
        if len(ids) and (not self._runs or ids[0] - first != self._runs[-1][1] - self._runs[-1][0]):
            self._runs.append((first, int(ids[0])))
        self.count += len(ids)
        entity = Entity(self, np.arange(first, self.count, dtype=np.int64))
        if label:
            self.add_label(entity.rows, label)
        return entity

    def mark(self) -> tuple[int, int, int, int, bool]:
        """Return the present numbers of rows, resident rows and labels, and the present number of sequences of entity
        numbers. With these numbers, `cut_back` restores the table.
        """
        return self.count, self.resident_count, len(self._labels), len(self._runs), self.is_distributed

    def cut_back(self, mark: tuple[int, int, int, int, bool]) -> None:
        """Remove all rows that were added after a call of `mark`. The argument ``mark`` is the result of this call."""
        self.count, resident, labels, runs, was_distributed = mark
        if self.is_distributed and not was_distributed:
            # the table was distributed after the call of `mark`, and before the distribution each process had all rows
            self._chunks["id"] = [self.ids_of(np.arange(self.count))]
            self.is_distributed, self._resident, self._processes = False, [], None
        for name, chunks in self._chunks.items():
            # columns of functions contain all rows, also of distributed tables
            chunks[:] = [_joined(chunks)[: self.count if self._is_function(name) else resident]]
        if self.is_distributed:
            self._resident = [_joined(self._resident)[:resident]]
        del self._labels[labels:], self._runs[runs:]

    def add_label(self, rows: IntArray, label: str | Callable[[int], str]) -> None:
        """Set the names of consecutive rows for messages. The argument ``label`` is one name for all rows, or a
        function that returns the name of a row from the index of the row in ``rows``.
        """
        if len(rows) == 0:
            return
        self._labels.append((int(rows[0]), int(rows[-1]) + 1, label))

    def list_labels(self) -> list[tuple[int, int, str | list[str]]]:
        """Return the first row, the end (last row + 1) and the name of each label that `add_label` has added. If a
        function gives the names, the function is replaced by a list with the name of each row.
        """
        return [
            (first, end, label if isinstance(label, str) else [label(i) for i in range(end - first)])
            for first, end, label in self._labels
        ]

    def describe(self, row: int) -> str:
        """Return the name of a row for messages: the name that the user has given, or component and row number."""
        for first, end, label in reversed(self._labels):
            if first <= row < end:
                if callable(label):
                    return label(row - first)
                return label if end - first == 1 else f"{label} {row - first}"
        return f"{self.kind} {row}"

    def find_label(self, first: int, count: int) -> str:
        """Return the name that the user has given to ``count`` successive rows together, or an empty text."""
        for begin, end, label in reversed(self._labels):
            if (begin, end) == (first, first + count) and isinstance(label, str):
                return label
        return ""

    def refuse(self, wrong: NDArray[np.bool_], names: Sequence[str], must: str) -> None:
        """Raise an error if any row has invalid values.

        Args:
            wrong: whether each resident row has invalid values, shape (resident,).
            names: names of the columns that the message shows with their values.
            must: condition that the values must fulfil, with the unit.

        Raises:
            ModelError: a row has invalid values. The message names the first such row.
        """
        for k in np.flatnonzero(wrong)[:1]:
            given = []
            for name in names:
                value, unit = self.local(name)[k], self.component.columns[name].unit
                text = show_value(value) if np.ndim(value) else str(value)
                given.append(f"{name} = {text}" if unit == "1" else f"{name} = {text} {unit}")
            raise ModelError(f"{', '.join(given)} in {self.kind} row {self.resident[k]}: must {must}")


def _joined(chunks: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate several arrays. If all arrays consist of one common function, the function is stored only once, and
    no array is copied.
    """
    if len(chunks) > 1:
        alike = all(c.strides == (0,) and c.dtype == object and len(c) and c[0] is chunks[0][0] for c in chunks)
        chunks[:] = [np.broadcast_to(chunks[0][:1], (sum(map(len, chunks)),)) if alike else np.concatenate(chunks)]
    return chunks[0] if chunks else np.zeros(0, np.int64)


def check_entity(tables: Mapping[type[Component], EntityTable], entity: Entity, name: str, where: str = "") -> None:
    """Raise ModelError if a handle does not refer to rows of the given tables of a world.

    Args:
        tables: tables by component.
        entity: handle to rows.
        name: name of the argument that contains the handle.
        where: call that has this argument, such as `` in World.set``.
    """
    if tables.get(entity.table.component) is not entity.table:
        raise ModelError(
            f"{name} = {entity!r}{where}: belongs to another world: must be a handle to rows of the same World object"
        )


def pad_rows(
    values: Sequence[Any] | NDArray[Any], length: int, fill: float, dtype: Any, shape: tuple[int, ...] = ()
) -> NDArray[Any]:
    """Combine arrays of different lengths to one array of shape (rows, length, *shape). There is one array for each
    row. Shorter arrays are padded at the end.
    """
    padded = np.full((len(values), length, *shape), fill, dtype)
    for row, own in zip(padded, values, strict=True):
        row[: len(own)] = own
    return padded


def find_sorted(among: IntArray, numbers: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return two arrays of shape (n,): the index of each given number in an ascending array, and whether the number
    occurs in this array.
    """
    place = np.searchsorted(among, numbers)
    found = np.zeros(len(numbers), bool)
    inside = place < len(among)
    found[inside] = among[place[inside]] == numbers[inside]
    return place, found
