"""Local numbering: which rows, coordinates and unknowns a process owns, and where their ghosts are.

Each process owns a contiguous range of the rows of every node table and with it their coordinates.  A row of any other
table belongs to the owner of its first coordinate, a multiplier to the owner of its row; rows of laws that share their
work otherwise are local everywhere.  Unknowns are numbered
process by process, in the order of nodes, each multiplier after its coordinates, coordinates that couple to very many
rows (pulleys) last: the order in which LU without pivoting is safe and keeps its fill small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from windlass.framework.law import FloatArray, System, law_of
from windlass.framework.schema import Component
from windlass.framework.table import EntityTable, IntArray

if TYPE_CHECKING:
    from windlass.framework.world import World

HUB_ROWS, HUB_RATIO = 12, 3
"""A coordinate in more rows than this, and in more than this many times the usual number, is a hub and comes last."""


class Layout:
    """Local numbers of one process.

    Attributes:
        comm: mpi4py communicator, or None.
        rank, size: number of this process and number of processes.
        rows: local row numbers of each table except nodes and markers, by component.
        owned: world numbers of the owned coordinates, shape (n_owned,).
        dofs: world numbers of all local coordinates, owned first, shape (n,).
        spare: the local number that stands for "no coordinate" (= n).
        multipliers_owned: world numbers of the owned multipliers, shape (m,).
        reference: reference coordinates by local number, spare entry 0, shape (n + 1,).
        unknown_of_dof: position of each local coordinate among the local unknowns (owned first), shape (n,).
        unknown_of_multiplier: the same for the owned multipliers, shape (m,).
        unknown_global: number of each local unknown in the PETSc vectors, shape (u,).
        owned_unknowns: number of owned unknowns.
        data_rows_owned: world numbers of the local history values, shape (d,).
        marker_index: position of each marker in the columns of its family by entity number, -1 if not local.
        data_start: position of the first local history value by entity number.
        systems: system of each table, in the order of building.
    """

    def __init__(self, world: World, comm: Any = None) -> None:
        self.world, self.comm = world, comm
        self.rank: int = 0 if comm is None else comm.rank
        self.size: int = 1 if comm is None else comm.size
        rank = self.rank
        self.systems: dict[type[Component], System] = {}
        number = world.numbering
        table_dofs = {c: world.table_dofs(t) for c, t in world.tables.items() if _role(c) not in ("node", "")}
        dof_owner = self._dof_owners()
        row_owner = {c: _owner_of_rows(d, dof_owner) for c, d in table_dofs.items()}
        self.rows: dict[type[Component], IntArray] = {
            c: np.arange(len(owner)) if _is_everywhere(c) else np.flatnonzero(owner == rank)
            for c, owner in row_owner.items()
            if _role(c) not in ("marker", "data")
        }
        multiplier_owner = np.zeros(number.multiplier_count, np.int64)
        for component in number.first_multiplier:
            rows = np.arange(world.tables[component].count)
            multiplier_owner[number.multipliers(component, rows)] = row_owner[component][:, None]
        self._number_dofs(dof_owner, table_dofs)
        self._number_unknowns(dof_owner, multiplier_owner, table_dofs)
        self._localise_markers()
        self._localise_data()

    def _dof_owners(self) -> IntArray:
        """Owner of each coordinate: every node table is cut into ranges of rows."""
        number = self.world.numbering
        owner = np.zeros(number.count, np.int64)
        for numbers in reversed(number.node_dofs.values()):
            rows = len(numbers)
            few = rows < self.size
            of_row = np.full(rows, self.size - 1) if few else (np.arange(rows) * self.size) // rows
            owner[numbers.ravel()] = np.repeat(of_row, numbers.shape[1])
        return owner

    def _number_dofs(self, dof_owner: IntArray, table_dofs: dict[type[Component], IntArray]) -> None:
        number = self.world.numbering
        self.owned: IntArray = np.flatnonzero(dof_owner == self.rank)
        needed = np.zeros(number.count + 1, dtype=bool)
        for component, rows in self.rows.items():
            needed[table_dofs[component][rows]] = True
        needed[-1] = False
        needed[self.owned] = False
        self.dofs: IntArray = np.concatenate((self.owned, np.flatnonzero(needed)))
        self.spare = len(self.dofs)
        self._local_of_dof = np.full(number.count + 1, self.spare, np.int64)
        self._local_of_dof[self.dofs] = np.arange(self.spare)
        self.reference: FloatArray = np.append(number.reference[self.dofs], 0.0)

    def _number_unknowns(
        self, dof_owner: IntArray, multiplier_owner: IntArray, table_dofs: dict[type[Component], IntArray]
    ) -> None:
        number = self.world.numbering
        degree = np.zeros(number.count + 1, np.int64)
        for dofs in table_dofs.values():
            degree += np.bincount(dofs.ravel() + 1, minlength=number.count + 1)
        degree = degree[1:]
        hub = degree > max(HUB_ROWS, HUB_RATIO * int(np.median(degree)))
        dof_key = np.empty(number.count)
        dof_key[np.lexsort((np.arange(number.count), hub))] = np.arange(number.count)
        multiplier_key = np.full(number.multiplier_count, float(number.count))
        for component in number.first_multiplier:
            dofs = table_dofs[component]
            keys = np.where(dofs >= 0, dof_key[dofs], -1.0).max(axis=1, initial=-1.0) + 0.5
            multiplier_key[number.multipliers(component, np.arange(len(dofs)))] = keys[:, None]
        owner = np.concatenate((dof_owner, multiplier_owner))
        order = np.lexsort((np.concatenate((dof_key, multiplier_key)), owner))
        unknown = np.empty(len(order), np.int64)
        unknown[order] = np.arange(len(order))
        self.multipliers_owned: IntArray = np.flatnonzero(multiplier_owner == self.rank)
        self._local_of_multiplier = np.full(number.multiplier_count, -1, np.int64)
        self._local_of_multiplier[self.multipliers_owned] = np.arange(len(self.multipliers_owned))
        self.unknown_count = len(order)
        self.owned_unknowns = len(self.owned) + len(self.multipliers_owned)
        first = int((owner < self.rank).sum())
        ghosts = unknown[self.dofs[len(self.owned) :]]
        self.unknown_global: IntArray = np.concatenate((first + np.arange(self.owned_unknowns), ghosts))
        self.unknown_of_dof: IntArray = np.empty(self.spare, np.int64)
        self.unknown_of_dof[: len(self.owned)] = unknown[self.owned] - first
        self.unknown_of_dof[len(self.owned) :] = self.owned_unknowns + np.arange(len(ghosts))
        self.unknown_of_multiplier: IntArray = unknown[number.count + self.multipliers_owned] - first
        self._unknown_of_dof = unknown[: number.count]

    def _localise_markers(self) -> None:
        """Local markers are those that local rows refer to."""
        world = self.world
        self.marker_index: IntArray = np.full(world.count + 1, -1, np.int64)
        # a family of the world has columns everywhere, also where no marker is local
        marker_laws = [law for c in world.tables if (law := law_of(c)) is not None and law.role == "marker"]
        needed: dict[str, list[IntArray]] = {law.family: [np.zeros(0, np.int64)] for law in marker_laws}
        for component, rows in self.rows.items():
            table = world.tables[component]
            for name in component.refs:
                ids = table.column(name)[rows]
                for target, positions, _ in world.split_by_table(ids):
                    law = law_of(target.component)
                    if law is not None and law.role == "marker":
                        needed.setdefault(law.family, []).append(ids[positions])
        self.marker_ids: dict[str, IntArray] = {}
        for family, parts in needed.items():
            ids = np.unique(np.concatenate(parts))
            self.marker_ids[family] = ids
            self.marker_index[ids] = np.arange(len(ids))
        for component, table in world.tables.items():
            if _role(component) == "marker":
                self.rows[component] = np.flatnonzero(self.marker_index[table.ids] >= 0)

    def _localise_data(self) -> None:
        """Local history values are those that local rows refer to; in serial all, in world order."""
        world, number = self.world, self.world.numbering
        local = np.zeros(len(number.data_start), dtype=bool)
        if self.size == 1:
            local[:] = True
        for component, rows in self.rows.items():
            table = world.tables[component]
            for name in component.refs:
                for target, _, target_rows in world.split_by_table(table.column(name)[rows]):
                    if target.component in number.data_tables:
                        local[number.data_tables[target.component] + target_rows] = True
        count = np.where(local, number.data_count, 0)
        start = np.cumsum(count) - count
        picked = np.repeat(local, number.data_count)
        self.data_rows_owned: IntArray = np.flatnonzero(picked)
        self.data_start: IntArray = np.full(world.count + 1, -1, np.int64)
        for component, first in number.data_tables.items():
            table = world.tables[component]
            self.data_start[table.ids] = np.where(
                local[first : first + table.count], start[first : first + table.count], -1
            )

    def local_dofs(self, world_dofs: IntArray) -> IntArray:
        """Local numbers of world coordinates; the spare number for -1 and for coordinates of other processes."""
        return self._local_of_dof[world_dofs]

    def unknown_numbers(self, world_dofs: IntArray) -> IntArray:
        """Numbers of world coordinates of any process in the PETSc vectors of unknowns."""
        return self._unknown_of_dof[world_dofs]

    def owners(self, component: type[Component]) -> IntArray:
        """Process that owns each row of a table, shape (rows,)."""
        return _owner_of_rows(self.world.table_dofs(self.world.tables[component]), self._dof_owners())

    def multipliers(self, table: EntityTable, rows: IntArray) -> IntArray:
        """Local numbers of the multipliers of rows of a constraint table, shape (rows, m)."""
        return self._local_of_multiplier[self.world.numbering.multipliers(table.component, rows)]

    def local_row(self, ids: IntArray) -> IntArray:
        """Position of entities among the local rows of their table, shape (n,); -1 if not local."""
        out = np.full(len(ids), -1, np.int64)
        for table, positions, rows in self.world.split_by_table(ids):
            local = self.rows[table.component]
            where = np.searchsorted(local, rows)
            found = np.zeros(len(rows), bool)
            inside = where < len(local)
            found[inside] = local[where[inside]] == rows[inside]
            out[positions] = np.where(found, where, -1)
        return out


def _role(component: type[Component]) -> str:
    law: Any = law_of(component)
    return law.role if law is not None else ""


def _is_everywhere(component: type[Component]) -> bool:
    law = law_of(component)
    return law is not None and law.everywhere


def _owner_of_rows(dofs: IntArray, dof_owner: IntArray) -> IntArray:
    """Owner of the first coordinate of each row; process 0 for rows without coordinates."""
    if dofs.shape[1] == 0:
        return np.zeros(len(dofs), np.int64)
    first = np.argmax(dofs >= 0, axis=1)
    chosen = dofs[np.arange(len(dofs)), first]
    return np.where(chosen >= 0, dof_owner[chosen], 0)
