"""World numbers of coordinates, multipliers and history values, in the order in which rows were added."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import Tables, law_of, role_of
from windlass.framework.model.schema import Component
from windlass.framework.model.table import EntityTable
from windlass.framework.parallel.lookup import Lookup
from windlass.framework.parallel.number_directory import share


def find_own(table: EntityTable) -> NDArray[np.bool_]:
    """Return whether each resident row of a node table defines each of its coordinates, shape (resident, coordinates of
    a row). Resident rows are the rows that this process stores. A row does not define the coordinates that it takes
    from another node.
    """
    own = np.ones((table.resident_count, len(table.component.dof_names)), dtype=bool)
    for name, names in find_shared(table.component).items():
        own[np.ix_(table.local(name) >= 0, find_dofs(table.component, names))] = False
    return own


def find_dofs(component: type[Component], names: tuple[str, ...]) -> IntArray:
    """Return, for each name of a coordinate, its index in the list of coordinates of a node, shape (names,)."""
    return np.array([component.dof_names.index(name) for name in names], np.int64)


def find_shared(component: type[Component]) -> dict[str, tuple[str, ...]]:
    """Return the references by which a node component uses coordinates of other nodes as its own coordinates. The
    result contains the names of these coordinates, by reference.
    """
    return {name: ref.shares for name, ref in component.refs.items() if ref.shares}


class Numbering:
    """World numbers: numbers of coordinates, multipliers and history values in the whole world. World numbers are equal
    on all processes.

    Coordinates are numbered table by table, in the order in which the components were first added. The coordinates of a
    table are numbered row by row.

    Attributes:
        node_dofs: for each node table, the world numbers of the coordinates of the resident rows (the rows that this
            process stores), shape (resident, coordinates of a row).
        count: number of coordinates n.
        counts: number of coordinates that each node table defines, without shared coordinates.
        reference: reference values [m, 1, rad] of the known coordinates (see `known_count`), shape (known,).
        displacement, velocity: initial displacements and velocities of the known coordinates, each of shape (known,).
        first_multiplier: world number of the first multiplier of each constraint table.
        multiplier_count: number of multipliers.
        data_start, data_count: index of the first history value and number of history values of each `GenericData` row,
            each of shape (rows,).
        data_initial: initial history values, shape (d,).
        data_total: number of history values d.

    After the world has been distributed, arrays over the whole world are empty. The `Layout` of each process then
    contains the values of its process.
    """

    def __init__(self, world: Tables) -> None:
        self._world = world
        self.node_dofs: dict[type[Component], IntArray] = {}
        self.count, self.counts = 0, dict[type[Component], int]()
        reference, displacement, velocity = [], [], []
        known: list[IntArray] | None = None if world.processes is None else []
        for component, table in world.tables.items():
            if not component.dof_names:
                continue
            rows = table.resident_count
            own = find_own(table)
            numbers = np.full(own.shape, -1, dtype=np.int64)
            numbers[own], count = self._number_rows(table, own)
            if known is not None:
                known.append(numbers[own])
            for name, names in find_shared(component).items():
                for source, positions, source_rows in world.split_by_table(table.local(name)):
                    of = numbers if source is table else self.node_dofs[source.component]
                    values = of[np.ix_(source.places(source_rows), find_dofs(source.component, names))]
                    numbers[np.ix_(positions, find_dofs(component, names))] = values
            self.node_dofs[component] = numbers
            self.counts[component] = count
            self.count += count
            if component.state_column:
                states = table.local(component.state_column).reshape(own.shape)[own]
                reference.append(np.zeros(len(states)))
                displacement.append(np.zeros(len(states)))
                velocity.append(states)
                continue
            shapes = {name: component.columns[name].shape or () for name in component.reference_columns}
            columns = [table.local(name).reshape(rows, prod(shape)) for name, shape in shapes.items()]
            reference.append(np.concatenate(columns, axis=1)[own])
            initial = [table.local(name).reshape(own.shape)[own] for name in component.initial_columns]
            displacement.append(initial[0] if initial else np.zeros(int(own.sum())))
            velocity.append(initial[1] if initial else np.zeros(int(own.sum())))
        self._known = None if known is None else np.concatenate(known)
        self._place = None if self._known is None else Lookup(self._known, np.arange(len(self._known)))
        self.reference: FloatArray = np.concatenate([np.zeros(0), *reference])
        self.displacement: FloatArray = np.concatenate([np.zeros(0), *displacement])
        self.velocity: FloatArray = np.concatenate([np.zeros(0), *velocity])
        self._number_constraints(world)
        self._number_data(world)

    def _number_rows(self, table: EntityTable, own: NDArray[np.bool_]) -> tuple[IntArray, int]:
        """Return the world numbers of the coordinates that the resident rows of a table define, and the number of
        coordinates that all rows of the table define.
        """
        if not table.is_distributed or self._world.processes is None:
            count = int(own.sum())
            return self.count + np.arange(count), count
        sizes = own.sum(axis=1)
        # A row that uses the position of another row defines fewer coordinates. World numbers therefore depend on rows
        # of this kind on all processes.
        ends = np.append(table.resident, table.count)
        before = share(self._world.processes, table.count + 1, table.resident, sizes, ends, start=0, before=True)
        inside = np.cumsum(own, axis=1) - 1
        numbers: IntArray = (self.count + before[:-1, None] + inside)[own]
        return numbers, int(before[-1])

    @property
    def known_count(self) -> int:
        """Number of known coordinates, which are the coordinates of the rows that this process stores. If no table is
        distributed, the number is n.
        """
        return self.count if self._known is None else len(self._known)

    @property
    def known(self) -> IntArray:
        """Numbers of the known coordinates, in ascending order, shape (known,)."""
        return np.arange(self.count) if self._known is None else self._known

    def names(self, places: IntArray) -> IntArray:
        """Return the world numbers of the known coordinates with given indices."""
        return places if self._known is None else self._known[places]

    def places(self, dofs: IntArray) -> IntArray:
        """Return the indices of the known coordinates with given world numbers. The index is -1 for coordinates that
        are not known. This method is the inverse of `names`.
        """
        return dofs if self._place is None else self._place[dofs]

    def reference_of(self, dofs: IntArray) -> FloatArray:
        """Return the reference values of known coordinates, in the shape of the given array of world numbers."""
        values: FloatArray = self.reference[self.places(dofs)]
        return values

    def _number_constraints(self, world: Tables) -> None:
        self.first_multiplier: dict[type[Component], int] = {}
        self.multiplier_count = 0
        for component, table in world.tables.items():
            law = law_of(component)
            if law is not None and law.multipliers:
                self.first_multiplier[component] = self.multiplier_count
                self.multiplier_count += law.multipliers * table.count

    def _number_data(self, world: Tables) -> None:
        self.data_tables: dict[type[Component], int] = {}
        rows: list[FloatArray] = []
        for component, table in world.tables.items():
            if role_of(component) == "data":
                self.data_tables[component] = len(rows)
                rows.extend(table.collect("initial"))
        self.data_count: IntArray = np.array([len(row) for row in rows], np.int64)
        self.data_start: IntArray = np.cumsum(self.data_count) - self.data_count
        self.data_initial: FloatArray = np.concatenate([np.zeros(0), *rows])
        self.data_total = len(self.data_initial)

    def drop_arrays(self) -> None:
        """Replace the arrays over the whole world by empty arrays."""
        self.node_dofs = {component: numbers[:0] for component, numbers in self.node_dofs.items()}
        self._known = self._place = None
        self.reference = self.displacement = self.velocity = self.data_initial = np.zeros(0)
        self.data_start = self.data_count = np.zeros(0, np.int64)

    def multipliers(self, component: type[Component], rows: IntArray) -> IntArray:
        """Return the world numbers of the multipliers of rows of a constraint table, shape (rows, multipliers of a
        row).
        """
        law = law_of(component)
        width = law.multipliers if law is not None else 0
        return self.first_multiplier[component] + rows[:, None] * width + np.arange(width)

    def describe_dof(self, number: int) -> str:
        """Return the name of a coordinate of this process for messages, e.g. ``"belt node 12, y"``."""
        for component in self.node_dofs:
            table = self._world.tables[component]
            found = np.argwhere(self._world.resident_dofs(table) == number)
            if len(found):
                place, k = map(int, found[0])
                return f"{table.describe(int(table.resident[place]))}, {component.dof_names[k]}"
        return f"coordinate {number}"

    def describe_multiplier(self, number: int) -> str:
        """Return the name of a constraint equation of this process for messages."""
        for component, first in self.first_multiplier.items():
            law = law_of(component)
            width = law.multipliers if law is not None else 1
            table = self._world.tables[component]
            if first <= number < first + width * table.count:
                row, k = divmod(number - first, width)
                return f"{table.describe(row)}, equation {k}" if width > 1 else table.describe(row)
        return f"constraint {number}"
