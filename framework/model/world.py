"""The world: entity tables and resources of one model. A world contains no time and no values that change during a
solve. Values that change during a solve are in `State`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import (
    check,
    checked,
    handle,
    instance,
    numbers,
    optional,
    path,
    subclass,
    word,
)
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.adding import count_rows, read_reference
from windlass.framework.model.law import law_of, require_law
from windlass.framework.model.model_file import Functions, describe_model, fill_model, read_model, write_model
from windlass.framework.model.numbering import Numbering
from windlass.framework.model.parts import Part, begin_parts, check_parts, complete_parts, follow_parts, pick_rows
from windlass.framework.model.schema import Component, parse_values, row_bytes
from windlass.framework.model.table import Entity, EntityTable, check_entity
from windlass.framework.parallel.processes import Processes

Handles = Entity | Sequence[Entity]
GRAVITY = numbers("m/s^2", (2,), (3,))
FEW = 10_000
"""If a call of `add` adds more rows than this number, the available memory is checked."""


CHECKS = "checks before solves"
"""Name of the resource that contains a list of checks. A check is a function without arguments that is called before
each solve, and that may raise an error.
"""


class World:
    """The tables and resources of one model. Worlds are independent of each other.

    Args:
        gravity: acceleration of gravity [m/s^2] in global x, y, z, acting on every body and cable of this world.

    Attributes:
        tables: the tables by component, in the order in which components were first added.
        gravity: acceleration of gravity [m/s^2], shape (3,). Gravity can be changed until the world is finalized.
        version: number of changes of switchable columns.
        before_set: functions that `set` calls before it changes columns. Hooks add and remove these functions.
        finalized: whether `finalize` was called.
        is_distributed: whether this process stores only a part of the rows.
        processes: the processes among which the rows are divided; None if every process has all rows.
        calls: for every call of `add`: name of the component, number of rows, and whether the rows were given in parts.
        changed: value of ``version`` at the last change of a column of a table, by component. A change also counts as a
            change of the tables that follow this table (`Component.follows`).
        changed_columns: value of ``version`` at the last change of each changed column, by component and name.
    """

    @checked(gravity=GRAVITY)
    def __init__(self, gravity: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        self._gravity: FloatArray = np.zeros(3)
        self._gravity[: len(gravity)] = gravity
        self.tables: dict[type[Component], EntityTable] = {}
        self.finalized = False
        self.version = 0
        self.before_set: list[Callable[[], None]] = []
        self.changed: dict[type[Component], int] = {}
        self.changed_columns: dict[type[Component], dict[str, int]] = {}
        # number of tables of the world and the result of `_find_followers`, by component
        self._followers: dict[type[Component], tuple[int, list[type[Component]]]] = {}
        self._table_of: list[EntityTable] = []
        self._first_ids: list[int] = []
        self._first_rows: list[int] = []
        self._block_arrays: tuple[IntArray, IntArray] = (np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._count = 0
        self._dofs: dict[type[Component], IntArray] = {}
        self._dof_widths: dict[type[Component], int] = {}
        self._ref_shapes: dict[tuple[type[Component], str], tuple[int, int]] = {}
        self._cached: dict[str, Any] = {}
        self.is_distributed = False
        self.processes: Processes | None = None
        self.calls: list[tuple[str, int, bool]] = []

    @checked(OutputError, path=path())
    def save(self, path: str | Path) -> Path:
        """Save the present model to a JSON file, which `load` reads.

        Library functions such as tables and ramps are saved by their values. All other functions are saved only by
        name. If the world is distributed, the call is collective.

        Raises:
            OutputError: the file cannot be written.
            ModelError: two functions of the user have equal names.
        """
        content = describe_model(self)
        if is_first_process():
            write_model(Path(path), content)
        return Path(path)

    @classmethod
    @checked(OutputError, path=path(), functions=optional(instance(dict)))
    def load(cls, path: str | Path, functions: Functions | None = None) -> World:
        """Load the model from a file that `save` has written. All numbers are exactly equal to the saved numbers.

        This function imports no modules. If the model contains components of a user, import the modules that register
        these components before the call. If the file was edited after `save`, a `ModelWarning` is emitted.

        Args:
            path: the file.
            functions: the user's functions, by their names in the file.

        Raises:
            OutputError: the file does not exist or does not fit its schema.
            ModelError: a function is missing, a component is not registered, or values are not allowed.
        """
        content = read_model(Path(path))
        world = cls(content["gravity"])
        fill_model(world, content, functions or {}, f"model file {path}")
        return world

    def __repr__(self) -> str:
        state = "finalized" if self.finalized else "being built"
        return f"<World: {self._count} entities of {sum(t.count > 0 for t in self.tables.values())} kinds, {state}>"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the numbers of rows and unknowns of each component."""
        rows: list[list[object]] = []
        numbering = self.numbering if self.finalized else None if self.processes is not None else Numbering(self)
        for component, table in self.tables.items():
            if table.count:
                law = law_of(component)
                unknowns: int | None = law.multipliers * table.count if law is not None else 0
                if component.dof_names:
                    unknowns = None if numbering is None else numbering.counts.get(component)
                role = "multipliers" if law is not None and law.multipliers else "coordinates" if unknowns else ""
                rows.append([component.__name__, table.count, unknowns or "", role])
        gravity = ", ".join(f"{g:g}" for g in self._gravity)
        state = (
            "finalized: no rows can be added; World() begins another model" if self.finalized else "rows can be added"
        )
        from html import escape  # imported here, because only notebooks show a world

        # imported here, because the module imports html
        from windlass.framework.command_line.html_tables import format_table

        words = escape(f"World with gravity ({gravity}) m/s², {state}")
        return f"<p>{words}</p>" + format_table(ReportTable(["component", "rows", "unknowns", ""], rows), inline=True)

    @property
    def gravity(self) -> FloatArray:
        """Acceleration of gravity [m/s^2], shape (3,)."""
        return self._gravity

    @gravity.setter
    def gravity(self, given: Any) -> None:
        value = read_numbers(check(GRAVITY, "gravity", given, "World", ModelError))
        if self.finalized:
            raise ModelError(
                f"gravity = {show(given)} m/s^2 in World: must be set before the first solve, such as "
                f"World(gravity=...), because the laws already use {show(self._gravity.tolist())} m/s^2; a variable "
                "acceleration is a separate load"
            )
        assert value is not None
        self._gravity[:] = 0.0
        self._gravity[: len(value)] = value

    @property
    def count(self) -> int:
        """Number of entities in the world."""
        return self._count

    def table(self, component: type[Component]) -> EntityTable:
        """Return the table of a component, which is empty if no row of the component was added."""
        return self.tables.get(component) or EntityTable(component)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Context manager for code that adds rows: if the code raises an error, all its changes of the world are
        undone.
        """
        tables = {component: table.mark() for component, table in self.tables.items()}
        calls, count, cached = len(self._first_ids), self._count, dict(self._cached)
        parts = self.processes, self.is_distributed
        try:
            yield
        except BaseException:
            if not self.finalized:
                self.tables = {component: self.tables[component] for component in tables}
                for component, mark in tables.items():
                    self.tables[component].cut_back(mark)
                del self._first_ids[calls:], self._first_rows[calls:], self._table_of[calls:], self.calls[calls:]
                self._count, self._cached = count, cached
                self.processes, self.is_distributed = parts
                self._dofs.clear()
                self._ref_shapes.clear()
                self._block_arrays = np.zeros(0, np.int64), np.zeros(0, np.int64)
            raise

    @checked(component=subclass(Component), name=word(), part=optional(instance("Part")))
    def add(self, component: type[Component], *, name: str = "", part: Part | None = None, **values: Any) -> Entity:
        """Add rows and return a handle to them. The number of rows is the length of the longest handle, list or array
        that gives one value per row. If no value is given per row, one row is added.

        Args:
            component: the component (schema) of the new rows.
            name: name for messages and output.
            part: the subset of rows for which this process gives values and references, see `Part`. The returned handle
                refers to the rows of all processes, ``part.count`` in total. Nodes and history values that a component
                creates are stored completely on each process. If ``part`` is None, the new rows are distributed only if
                the number of rows is large, and if each new row refers to a row of a distributed table.
            **values: columns and references of the component, each with one value for all rows or one value per row. A
                reference is a handle, a list of handles, or an array of entity numbers. The number -1 means no entity.
                The rows of this call have the entity numbers ``World.count``, ``World.count`` + 1, ... A chain is a
                reference to several entities. A handle, list or one-dimensional array is one chain for all rows. A list
                of chains, or an array of shape (rows, n), gives one chain per row.

        Raises:
            ModelError: the world is finalized, the component is not registered, a value is missing, unknown or not
                allowed, or a reference refers to entities of a wrong component. After an error, no rows, nodes or
                history values are added.
        """
        if self.finalized:
            raise ModelError(
                f"cannot add {component.__name__}: the world is finalized (add before the first solve; "
                "a changed model needs a new World)"
            )
        with self.all_or_nothing():
            return self._add(component, name, part, values)

    def _add(self, component: type[Component], name: str, part: Part | None, values: dict[str, Any]) -> Entity:
        in_parts = part is not None and not part.replicated
        law = require_law(component)
        if law.fill_defaults is not None and not in_parts:
            before = self._count
            values = law.fill_defaults(self, values)
            self._label_created(values, before, name)
        table = self.tables.setdefault(component, EntityTable(component))
        handles = {r: values.pop(r) for r in list(values) if r in component.refs}
        new = None if part is None else part.count
        refs = {r: read_reference(self, table, ref, handles.get(r), new) for r, ref in component.refs.items()}
        count = count_rows(component, values, refs) if part is None else len(part.numbers)
        if count > FEW:
            check_room(count, row_bytes(component), f"rows of {table.kind} = {count} in World.add")
        for name_, ids in refs.items():
            if len(ids) not in (1, count):
                many = "chains" if component.refs[name_].is_chain else "entities"
                raise ModelError(f"{name_} of {table.kind} has {len(ids)} {many}: expected 1 or {count}")
        total = count if part is None else part.count
        if part is None and self.processes is not None:
            part = follow_parts(self, refs, count)
            refs = {r: ids[part.numbers] if len(ids) == total > 1 else ids for r, ids in refs.items()}
            values, count, in_parts = pick_rows(part, component, values), len(part.numbers), not part.replicated
        rows = table.count + (np.arange(count) if part is None else part.numbers)
        full = {r: ids.copy() if len(ids) == count else np.repeat(ids, count) for r, ids in refs.items()}
        parsed = table.parse(values, rows, total, full)
        if in_parts:
            begin_parts(self, table)
        self.calls.append((table.kind, total, in_parts))
        self._first_ids.append(self._count)
        self._first_rows.append(table.count)
        self._table_of.append(table)
        numbers = np.arange(self._count, self._count + total, dtype=np.int64)
        self._count += total
        self._ref_shapes.clear()
        return table.append(parsed, full, rows, numbers, name)

    def _label_created(self, values: dict[str, Any], before: int, name: str) -> None:
        """Give the entities that were created together with a row (nodes, history values) the name of this row."""
        for made in values.values():
            if name and isinstance(made, Entity) and len(made) and int(made.ids[0]) >= before:
                made.table.add_label(made.rows, name)

    @checked(entity=handle())
    def set(self, entity: Entity, **values: Any) -> None:
        """Change switchable columns, such as ``active`` or friction, between solves.

        Columns that contradict each other, for example friction without bristles and dampers, cause an error at the
        next solve.

        Raises:
            ModelError: a handle belongs to another world, a column is not switchable, or a value is not allowed.
        """
        table = entity.table
        check_entity(self.tables, entity, "entity", " in World.set")
        parsed = {}
        for name, value in values.items():
            col = table.component.columns.get(name)
            if col is None or not col.switchable:
                able = [n for n, c in table.component.columns.items() if c.switchable]
                words = ", ".join(able) or "none"
                raise ModelError(f"{name} of {table.kind} cannot be changed: switchable are {words}")
            chains = table.collect(col.along, entity.rows) if col.along else ()
            lengths = np.fromiter(map(len, chains), np.int64)
            parsed[name] = parse_values(col, table.kind, value, entity.rows, lengths)
        for call in list(self.before_set):
            call()
        for name, array in parsed.items():
            table.write(name, entity.rows, array)
        self.version += 1
        for component in self._find_followers(table):
            self.changed[component] = self.version
        self.changed_columns.setdefault(table.component, {}).update(dict.fromkeys(parsed, self.version))

    def _find_followers(self, table: EntityTable) -> list[type[Component]]:
        """Return the component of a table and the components that depend on its columns. The result is cached until
        the world has further tables.
        """
        count, found = self._followers.get(table.component, (0, []))
        if count != len(self.tables):
            names = {table.kind, *table.component.provides}
            found = [c for c in self.tables if c is table.component or not names.isdisjoint(c.follows)]
            self._followers[table.component] = len(self.tables), found
        return found

    def entity(self, number: int) -> Entity:
        """Return a handle to the entity with an entity number."""
        block = int(np.searchsorted(self._first_ids, number, side="right")) - 1
        row = self._first_rows[block] + number - self._first_ids[block]
        return Entity(self._table_of[block], np.array([row], dtype=np.int64))

    def _blocks(self) -> tuple[IntArray, IntArray]:
        """Return two arrays: the first entity number and the first row number of every call of `add`. The arrays are
        cached until the next call of `add`.
        """
        if len(self._block_arrays[0]) != len(self._first_ids):
            self._block_arrays = np.array(self._first_ids, np.int64), np.array(self._first_rows, np.int64)
        return self._block_arrays

    def split_by_table(self, ids: IntArray) -> list[tuple[EntityTable, IntArray, IntArray]]:
        """Group entity numbers by table. Each group is a tuple (table, indices in ``ids``, row numbers in the table).
        Negative numbers are skipped.
        """
        if len(ids) == 1:
            # a single entity is found without the arrays of `_blocks`, because these arrays must be created again after
            # each call of `add`
            number = int(ids[0])
            if number < 0:
                return []
            place = bisect_right(self._first_ids, number) - 1
            row = number - self._first_ids[place] + self._first_rows[place]
            return [(self._table_of[place], np.zeros(1, np.int64), np.array([row], np.int64))]
        first_ids, first_rows = self._blocks()
        if len(ids) and ids.min() >= 0:
            first, last = np.searchsorted(first_ids, (ids.min(), ids.max()), side="right") - 1
            if first == last:
                # all entities are in one range of consecutive rows, so no temporary arrays are needed
                return [(self._table_of[first], np.arange(len(ids)), ids + (first_rows[first] - first_ids[first]))]
        where = np.flatnonzero(ids >= 0)
        block = np.searchsorted(first_ids, ids[where], side="right") - 1
        rows = first_rows[block] + ids[where] - first_ids[block]
        order: dict[int, tuple[EntityTable, list[IntArray], list[IntArray]]] = {}
        for b in np.unique(block):
            table, mine = self._table_of[b], block == b
            entry = order.setdefault(id(table), (table, [], []))
            entry[1].append(where[mine])
            entry[2].append(rows[mine])
        return [(t, np.concatenate(p), np.concatenate(r)) for t, p, r in order.values()]

    def dofs_of(self, ids: IntArray | Entity) -> IntArray:
        """Return the world coordinate numbers of entities of any components, shape (n, width). Rows with fewer
        coordinates are padded with -1.

        If the table of one of the entities is distributed, the call is collective.
        """
        if isinstance(ids, Entity):
            return self._any_dofs(ids.table, ids.rows)
        parts = [(pos, self._any_dofs(table, rows)) for table, pos, rows in self.split_by_table(ids)]
        width = max((d.shape[1] for _, d in parts), default=0)
        out = np.full((len(ids), width), -1, dtype=np.int64)
        for pos, dofs in parts:
            out[pos, : dofs.shape[1]] = dofs
        return out

    def _any_dofs(self, table: EntityTable, rows: IntArray) -> IntArray:
        local = self.resident_dofs(table)
        if not table.is_distributed or (self.processes is not None and self.processes.is_alone):
            return local[table.places(rows)]
        return table.join_resident(f"coordinates of {table.kind}", rows, local)

    def table_dofs(self, table: EntityTable) -> IntArray:
        """Return the numbers, in the whole model, of the coordinates that the rows of a table couple, shape (rows,
        n). The number is -1 if there is no coordinate. See `dofs_of`.
        """
        return self._any_dofs(table, np.arange(table.count)) if table.is_distributed else self.resident_dofs(table)

    def row_dofs(self, table: EntityTable, rows: IntArray) -> IntArray:
        """Return the world coordinate numbers of some rows that this process stores, shape (n, width), -1 for no
        coordinate.
        """
        return self.resident_dofs(table)[table.places(rows)]

    def resident_dofs(self, table: EntityTable) -> IntArray:
        """Return the world coordinate numbers of the rows of a table that this process stores, shape (resident, n), -1
        for no coordinate.
        """
        cached = self._dofs.get(table.component)
        if cached is not None and len(cached) == table.resident_count:
            return cached
        with nullcontext() if self.processes is None else self.processes.alone(f"coordinates of {table.kind}"):
            dofs = self._find_dofs(table)
        # coordinate arrays of a distributed table must have equal widths on all processes
        missing = self._dof_widths.get(table.component, 0) - dofs.shape[1]
        if missing > 0:
            dofs = np.pad(dofs, ((0, 0), (0, missing)), constant_values=-1)
        self._dofs[table.component] = dofs
        return dofs

    def _find_dofs(self, table: EntityTable) -> IntArray:
        law, refs = law_of(table.component), table.component.refs
        dofs = law.dofs if law is not None else None
        if callable(dofs):
            return dofs(self, table)
        if dofs is None and law is not None and law.role == "node":
            return self.numbering.node_dofs[table.component]
        names = (dofs,) if isinstance(dofs, str) else dofs or ()
        parts = [self.ref_dofs(table, n) if refs[n].is_chain else self.dofs_of(table.local(n)) for n in names]
        return np.concatenate([np.zeros((table.resident_count, 0), np.int64), *parts], axis=1)

    def ref_shape(self, table: EntityTable, name: str) -> tuple[int, int]:
        """Return (length, width) of a reference. The length is the largest number of entities to which one row refers
        (1 for a reference to one entity). The width is the largest number of coordinates of one of these entities.
        """
        key = table.component, name
        if key not in self._ref_shapes:
            targets = self.split_by_table(table.named(name))
            width = max((self.resident_dofs(target).shape[1] for target, _, _ in targets), default=0)
            chains = table.local(name) if table.component.refs[name].is_chain else ([0],)
            self._ref_shapes[key] = max(map(len, chains), default=0), width
        return self._ref_shapes[key]

    def ref_width(self, table: EntityTable, name: str) -> int:
        """Return the largest number of coordinates of an entity to which a reference of a table refers."""
        return self.ref_shape(table, name)[1]

    def ref_dofs(self, table: EntityTable, name: str) -> IntArray:
        """Return the world coordinate numbers of the entities to which a reference of a table refers, for the rows that
        this process stores.

        Returns:
            The numbers, entity after entity, -1 for no coordinate, shape (resident, length * width), where `ref_shape`
            returns (length, width).
        """
        length, width = self.ref_shape(table, name)
        is_chain = table.component.refs[name].is_chain
        ids = table.padded(name, length) if is_chain else table.local(name)[:, None]
        out = np.full((ids.size, width), -1, dtype=np.int64)
        dofs = self.dofs_of(ids.ravel())
        out[:, : dofs.shape[1]] = dofs
        return out.reshape(len(ids), length * width)

    def set_widths(
        self, dofs: dict[type[Component], int], refs: dict[tuple[type[Component], str], tuple[int, int]]
    ) -> None:
        """Set the numbers of coordinates per row, and the shapes of references (see `ref_shape`), to values that are
        equal on all processes."""
        self._dof_widths, self._ref_shapes = dofs, refs
        self._dofs.clear()

    def prune(self, resident: dict[type[Component], IntArray], processes: Processes) -> None:
        """Remove the rows that this process does not need. Also remove data that are needed only while the world is not
        distributed.

        Args:
            resident: ascending numbers of the rows that remain, for each table to be distributed.
            processes: the processes that share this world. The call is collective.
        """
        for component, table in self.tables.items():
            for name in component.refs:
                self.ref_shape(table, name)
        for component, rows in resident.items():
            table = self.tables[component]
            self._dofs[component] = self.resident_dofs(table)[table.places(rows)]
            table.keep_resident(rows, processes)
        self.numbering.drop_arrays()
        self._cached.pop("assembly", None)
        self.is_distributed = True

    def finalize(self) -> None:
        """Check that the rows of all tables are consistent, and number the coordinates. After this call no rows can be
        added.

        If a table was built in parts, the call is collective.

        Raises:
            ModelError: the world has no coordinates, or rows have inconsistent values.
        """
        if self.finalized:
            return
        if not any(component.dof_names and table.count for component, table in self.tables.items()):
            raise ModelError("the world is empty: it has no node with coordinates, so there is nothing to compute")
        complete_parts(self)
        self.number()
        self.finalized = True
        check_parts(self)

    def number(self) -> None:
        """Number the coordinates of the rows that this process stores."""
        self._dofs.clear()
        self.numbering = Numbering(self)

    def check(self) -> None:
        """Check that the rows that this process stores have consistent values.

        Raises:
            ModelError: rows have inconsistent values.
        """
        for component, table in self.tables.items():
            law = law_of(component)
            if law is not None and law.check is not None:
                law.check(self, table)

    def resource(self, key: str, create: Any) -> Any:
        """Return the object that this world stores under the name ``key``. The function ``create`` creates the object
        on first use.
        """
        if key not in self._cached:
            self._cached[key] = create()
        return self._cached[key]
