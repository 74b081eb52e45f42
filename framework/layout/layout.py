"""Process-local numbering of the rows, coordinates and unknowns that a process owns, and of its ghosts. Ghosts are
coordinates and unknowns that rows of this process couple but other processes own.

The functions in partition.py find the owner of each coordinate. A hub is a coordinate that a large number of rows
couple, for example a coordinate of a pulley. The first coordinate of a row that is not a hub determines the owner: the
owner of this coordinate owns the row. Rows of node tables are an exception. The owner of a multiplier is the owner of
its row. The rows of contact sets (laws that search for contacts among all surfaces of a set) are local to every
process. The processes share the work within each of these rows. Unknowns are numbered process by process in the order
of the nodes. Each multiplier is numbered after the unknowns of the nodes that its row couples. Hubs are numbered last.
In this order, LU without pivoting is stable and has little fill-in.

The layout is computed from arrays with one entry for each row of the whole world. If each process has added only its
part of the rows, the arrays contain only these rows. A layout stores only the data of its process.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.accounts import Losses
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.layout.migration import couplings_of, find_couplings, find_keepers, move_rows
from windlass.framework.layout.partition import find_hubs, find_row_owners, partition_coordinates
from windlass.framework.layout.substructure import Couplings, Substructure, create_substructure
from windlass.framework.layout.unknowns import BLOCK, Unknowns, block_unknowns
from windlass.framework.model.law import law_of, role_of
from windlass.framework.model.schema import Component
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable, find_sorted
from windlass.framework.model.world import World
from windlass.framework.parallel.ghosts import Ghosts
from windlass.framework.parallel.lookup import Lookup
from windlass.framework.parallel.processes import Processes


class Layout:
    """Process-local numbering of the rows, coordinates and multipliers of one process.

    Args:
        world: the world, finalized.
        rank, size: rank of this process and number of processes.
        comm: mpi4py communicator of the processes, which create their layouts collectively; None for one process.

    Attributes:
        rank, size, comm: the arguments of the constructor.
        processes: the processes among which the world is divided.
        rows: for each table, the numbers of the process-local rows (rows that this process evaluates, and markers that
            these rows need), in ascending order. The tables of nodes and of history values are not included.
        node_rows: for each node table, the numbers of the rows that this process owns (see `find_row_owners`), in
            ascending order.
        owned: world numbers of the owned coordinates, shape (n_owned,).
        dofs: world numbers of all process-local coordinates, owned coordinates first, shape (n,).
        spare: process-local number of missing coordinates, equal to n.
        multipliers_owned: world numbers of the owned multipliers, shape (m,).
        ghost_numbers: indices of the ghosts in PETSc vectors of coordinates, shape (n - n_owned,).
        reference: reference coordinates by process-local number, shape (n + 1,). The value for the spare number is 0.
        displacement, velocity: initial displacements [m, 1, rad] and velocities by process-local number, each of shape
            (n,).
        nodes: number of the first unknown of each process-local node that has four coordinates with consecutive
            unknowns, in ascending order, shape (nodes,).
        rotations: process-local numbers of the Euler parameters of all nodes on this process, shape (rotations, 4).
        states: process-local numbers of the coordinates whose velocity is a first-order state, shape (states,). A
            first-order state is an unknown of an equation of first order in time.
        ghosts: object that exchanges the values of ghost coordinates with other processes.
        unknowns: the unknowns of this process.
        data_rows_owned: world numbers of the process-local history values, shape (d,).
        data_initial: initial values of the process-local history values, shape (d,).
        marker_index: index of each marker in the columns of its family, by entity number; -1 for markers that are not
            on this process.
        data_start: index of the first history value of each `GenericData` row, by entity number; -1 if the values are
            not on this process.
        data_rows: for each table of history values, the numbers of the process-local rows, in ascending order.
        owned_markers: for each marker table, the numbers of the rows that this process owns (see `find_row_owners`), in
            ascending order.
        systems: system of each table, in the order of building.
        losses: losses of the rows of each table since the start of an energy ledger, by component. Without a ledger,
            the dict is empty.
        world: the world.
    """

    def __init__(self, world: World, rank: int = 0, size: int = 1, comm: Any = None) -> None:
        self.world, self.rank, self.size, self.comm = world, rank, size, comm
        self.processes = world.processes or Processes(comm)
        self.systems: dict[type[Component], System] = {}
        self.losses: dict[type[Component], Losses] = {}
        if world.processes is not None:
            dof_owner, hub = move_rows(world, world.processes)
        number = world.numbering
        # for each table, the coordinates that the rows couple, as indices of known coordinates (see `Numbering.places`)
        table_dofs = find_couplings(world)
        if world.processes is None:
            hub = find_hubs(table_dofs.values(), number.count)
            dof_owner = partition_coordinates(world, couplings_of(table_dofs), hub, size, comm)
        row_owner = {c: find_row_owners(d, dof_owner, hub) for c, d in find_keepers(world, table_dofs).items()}
        self.rows: dict[type[Component], IntArray] = {
            c: world.tables[c].resident[slice(None) if is_replicated(c) else owner == rank]
            for c, owner in row_owner.items()
            if role_of(c) not in ("marker", "data")
        }
        node_dofs = {c: number.places(d) for c, d in number.node_dofs.items()}
        self.node_rows: dict[type[Component], IntArray] = {
            c: world.tables[c].resident[find_row_owners(d, dof_owner, hub) == rank] for c, d in node_dofs.items()
        }
        # The owners of rows are stored only for worlds with contact sets, which are not distributed. Every process
        # evaluates the rows of contact sets.
        self._row_owner = row_owner if any(map(is_replicated, row_owner)) else {}
        own = np.flatnonzero(dof_owner == rank)
        ghosts = self._find_ghosts(own, table_dofs | node_dofs)
        self._number_dofs(dof_owner, own, ghosts)
        self._number_unknowns(self._list_unknowns(dof_owner, row_owner, table_dofs, hub), own, ghosts)
        self.nodes = self._find_nodes()
        found = [np.zeros((0, 4), np.int64)]
        for component, world_dofs in number.node_dofs.items():
            places = [component.dof_names.index(name) for name in component.rotation_names]
            if places:
                found.append(self.local_dofs(world_dofs[:, places]))
        self.states = self._find_states()
        rotations = np.concatenate(found)
        self.rotations: IntArray = rotations[(rotations < self.spare).all(axis=1)]
        self._localise_markers()
        self._localise_data()
        # each marker has exactly one owner, even if no row refers to the marker
        self.owned_markers: dict[type[Component], IntArray] = {
            c: world.tables[c].resident[owner == rank] for c, owner in row_owner.items() if role_of(c) == "marker"
        }

    def _find_ghosts(self, own: IntArray, dofs: dict[type[Component], IntArray]) -> IntArray:
        """Return the coordinates that process-local rows couple, and that other processes own."""
        needed = np.zeros(self.world.numbering.known_count + 1, dtype=bool)
        # the owner of a node evaluates the outputs of the node, and therefore needs all coordinates of the node
        for component, rows in (self.rows | self.node_rows).items():
            needed[dofs[component][self.world.tables[component].places(rows)]] = True
        # add the coordinates that rows may couple later in the run
        for component in self.rows:
            later = self.world.dofs_of(self._read_later(component)).ravel()
            needed[self.world.numbering.places(later[later >= 0])] = True
        # a process that needs one Euler parameter of a rotation needs all four, because one formula integrates all four
        # Euler parameters
        for component, rows in dofs.items():
            places = [component.dof_names.index(name) for name in component.rotation_names]
            if places:
                needed[rows[needed[rows[:, places]].any(axis=1)][:, places]] = True
        needed[-1] = False
        needed[own] = False
        return np.flatnonzero(needed)

    def _read_later(self, component: type[Component]) -> IntArray:
        """Return the numbers of the entities that rows of this process do not couple now, but may couple later in the
        run.
        """
        law = law_of(component)
        if law is None or law.reads is None or not len(self.rows[component]):
            return np.zeros(0, np.int64)
        return law.reads(self.world, self.world.tables[component])

    def _number_dofs(self, dof_owner: IntArray, own: IntArray, ghosts: IntArray) -> None:
        number = self.world.numbering
        local = np.concatenate((own, ghosts))
        self.owned: IntArray = number.names(own)
        self.dofs: IntArray = number.names(local)
        self.spare: int = len(self.dofs)
        self._local_of_dof = Lookup(self.dofs, np.arange(self.spare), self.spare)
        self.ghost_numbers: IntArray = np.zeros(0, np.int32)
        if self.size > 1:
            position = self._number_by_owner(dof_owner, number.known, number.known, ghosts)
            self.ghost_numbers = position[ghosts].astype(np.int32)
        self.ghosts = Ghosts.after_owned(self.comm, len(own), self.ghost_numbers)
        self.reference: FloatArray = np.append(number.reference[local], 0.0)
        self.displacement: FloatArray = number.displacement[local]
        self.velocity: FloatArray = number.velocity[local]

    def _number_by_owner(self, owner: IntArray, key: NDArray[Any], names: IntArray, ghosts: IntArray) -> IntArray:
        """Return the index of each owned unknown and each ghost in PETSc vectors, shape (known,). Unknowns are numbered
        by process, and within a process in the order of their sort keys.

        If the world is built in parts, the owner of each ghost sends the index of the ghost. The array ``names``
        contains the world numbers of the unknowns in ascending order. Owners search for the requested ghosts in this
        array.
        """
        if self.world.processes is None:
            numbers = np.empty(len(owner), np.int64)
            numbers[np.lexsort((key, owner))] = np.arange(len(owner))
            return numbers
        numbers = np.full(len(owner), -1, np.int64)
        mine = np.flatnonzero(owner == self.rank)
        first = sum(self.processes.allgather("owned unknowns", len(mine))[: self.rank])
        mine = mine[np.argsort(key[mine], kind="stable")]
        numbers[mine] = np.arange(first, first + len(mine))
        asked = [ghosts[owner[ghosts] == rank] for rank in range(self.size)]
        wanted = self.processes.exchange("ghosts", [names[places] for places in asked])
        given = self.processes.exchange("ghosts", [numbers[np.searchsorted(names, part)] for part in wanted])
        for places, answer in zip(asked, given, strict=True):
            numbers[places] = answer
        return numbers

    def _number_unknowns(self, listed: tuple[IntArray, IntArray, FloatArray], own: IntArray, ghosts: IntArray) -> None:
        number, (name, owner, key) = self.world.numbering, listed
        total = number.count + number.multiplier_count
        unknown = self._number_by_owner(owner, key, name, ghosts)
        known = number.known_count
        mine = known + np.flatnonzero(owner[known:] == self.rank)
        self.multipliers_owned: IntArray = name[mine] - number.count
        self._local_of_multiplier = Lookup(self.multipliers_owned, np.arange(len(self.multipliers_owned)))
        owned = len(own) + len(mine)
        first = int(min(unknown[own].min(initial=total), unknown[mine].min(initial=total)))
        reaches_all = any(is_replicated(component) for component in self.rows)
        none = np.zeros(0, np.int64)
        self.unknowns = Unknowns(
            of_dof=np.concatenate((unknown[own] - first, owned + np.arange(len(ghosts)))),
            of_multiplier=unknown[mine] - first,
            numbers=np.concatenate((first + np.arange(owned), unknown[ghosts])),
            owned=owned,
            total=total,
            pads=none,
            ghosts=Ghosts.after_owned(self.comm, owned, unknown[ghosts]),
            of_world_dof=unknown[:known] if reaches_all else none,
        )

    def blocks(self) -> Unknowns | None:
        """Return the unknowns in blocks of four, see `block_unknowns`. Return None on several processes, or if the
        fraction of unknowns in full blocks is too small.
        """
        return block_unknowns(self.unknowns, self.nodes) if self.size == 1 else None

    @cached_property
    def substructure(self) -> Substructure | None:
        """The order of the unknowns for elimination by substructures, see `create_substructure`. The value is None if
        this order cannot be used.

        The order cannot be used in three cases: (a) on a single process, (b) if the coordinates that rows couple change
        during the run (contact sets, sliding joints), (c) if the fraction of unknowns in full blocks is too small. The
        call is collective.
        """
        if self.size == 1 or any(system.neighbours is not None for system in self.systems.values()):
            return None
        of_dof, couplings = np.append(self.unknowns.of_dof, -1), list[Couplings]()
        for system in self.systems.values():
            held = system.constraint.multipliers if system.constraint else np.zeros((len(system.dofs), 0), np.int64)
            couplings.append(Couplings(of_dof[system.dofs], self.unknowns.of_multiplier[held]))
        return create_substructure(self.unknowns, self.nodes, couplings, self.processes)

    def _find_nodes(self) -> IntArray:
        found = [np.zeros(0, np.int64)]
        for dofs in self.world.numbering.node_dofs.values():
            if dofs.shape[1] == BLOCK:
                local = self.local_dofs(dofs)
                unknowns = self.unknowns.of_dof[local[(local < self.spare).all(axis=1)]]
                found.append(unknowns[(np.diff(unknowns, axis=1) == 1).all(axis=1), 0])
        nodes: IntArray = np.sort(np.concatenate(found))
        return nodes

    def _find_states(self) -> IntArray:
        dofs = self.world.numbering.node_dofs
        found = [self.local_dofs(numbers).ravel() for component, numbers in dofs.items() if component.state_column]
        every = np.unique(np.concatenate([np.zeros(0, np.int64), *found]))
        states: IntArray = every[every < self.spare]
        return states

    def _list_unknowns(
        self,
        dof_owner: IntArray,
        row_owner: dict[type[Component], IntArray],
        table_dofs: dict[type[Component], IntArray],
        hub: NDArray[np.bool_],
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return world numbers (names), owners and sort keys of the coordinates and multipliers on this process, each
        of shape (unknowns,).
        """
        number = self.world.numbering
        dof_key = np.append(number.known, -1.0)
        dof_key[:-1][hub] += number.count
        names, owners, keys = [number.known], [dof_owner], [dof_key[:-1]]
        # multipliers are ordered after all coordinates of a node, never between these coordinates
        last = dof_key.copy()
        for dofs in map(number.places, number.node_dofs.values()):
            np.maximum.at(last, dofs, dof_key[dofs].max(axis=1, initial=-1.0, keepdims=True))
        last[-1] = -1.0
        for component in number.first_multiplier:
            multipliers = number.multipliers(component, self.world.tables[component].resident)
            key = last[table_dofs[component]].max(axis=1, initial=-1.0) + 0.5
            names.append(number.count + multipliers.ravel())
            owners.append(np.repeat(row_owner[component], multipliers.shape[1]))
            keys.append(np.repeat(key, multipliers.shape[1]))
        return np.concatenate(names), np.concatenate(owners), np.concatenate(keys)

    def _localise_markers(self) -> None:
        """Find the process-local markers. Process-local rows refer to these markers directly, through other markers, or
        through rows of laws with the role ``passive``.
        """
        world = self.world
        # every process creates the columns of a marker family, even without process-local markers
        marker_laws = [law for c in world.tables if (law := law_of(c)) is not None and law.role == "marker"]
        needed = {law.family: [np.zeros(0, np.int64)] for law in marker_laws if law.family is not None}
        for component, rows in self.rows.items():
            table = world.tables[component]
            named = [table.named(name, rows) for name in component.refs] + [self._read_later(component)]
            while named:
                ids = named.pop()
                for target, positions, of in world.split_by_table(ids):
                    law = law_of(target.component)
                    if law is not None and law.role == "marker" and law.family is not None:
                        needed.setdefault(law.family, []).append(ids[positions])
                    if law is not None and law.role in ("marker", "passive"):
                        named += [target.named(name, of) for name in target.component.refs]
        self.marker_ids = {family: np.unique(np.concatenate(parts)) for family, parts in needed.items()}
        every = [np.zeros(0, np.int64), *self.marker_ids.values()]
        self.marker_index = Lookup(np.concatenate(every), np.concatenate([np.arange(len(ids)) for ids in every]))
        for component, table in world.tables.items():
            if role_of(component) == "marker":
                self.rows[component] = table.resident[self.marker_index[table.ids_of(table.resident)] >= 0]

    def _localise_data(self) -> None:
        """Find the process-local history values. These are the values to which process-local rows refer. In a serial
        run, all history values of the world are process-local, and have the order of the world.
        """
        world, number = self.world, self.world.numbering
        local = self._find_data(self.rows)
        if self.rank == 0 or world.processes is not None:
            # history values to which no row refers are stored on the first process
            named = self._find_data({c: world.tables[c].resident for c in self.rows})
            if world.processes is not None:
                named = world.processes.sum(named.astype(float)) > 0.0
            local |= ~named & (self.rank == 0)
        if self.size == 1:
            local[:] = True
        count = np.where(local, number.data_count, 0)
        start = np.cumsum(count) - count
        picked = np.repeat(local, number.data_count)
        self.data_rows_owned: IntArray = np.flatnonzero(picked)
        self.data_initial: FloatArray = number.data_initial[self.data_rows_owned]
        self.data_rows: dict[type[Component], IntArray] = {}
        ids, starts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for component, first in number.data_tables.items():
            table = world.tables[component]
            rows = self.data_rows[component] = np.flatnonzero(local[first : first + table.count])
            ids.append(table.ids[rows])
            starts.append(start[first + rows])
        self.data_start = Lookup(np.concatenate(ids), np.concatenate(starts))

    def _find_data(self, rows: dict[type[Component], IntArray]) -> NDArray[np.bool_]:
        """Return, for each row of history values, whether a process-local row refers to this row."""
        world, first = self.world, self.world.numbering.data_tables
        marks = np.zeros(len(world.numbering.data_start), dtype=bool)
        for component, which in rows.items():
            for name in component.refs:
                for target, _, target_rows in world.split_by_table(world.tables[component].named(name, which)):
                    if target.component in first:
                        marks[first[target.component] + target_rows] = True
        return marks

    def local_dofs(self, world_dofs: IntArray) -> IntArray:
        """Return the process-local numbers of world coordinates. For -1, and for coordinates that are not on this
        process, return the spare number.
        """
        return self._local_of_dof[world_dofs]

    def owners(self, component: type[Component]) -> IntArray:
        """Return the rank of the process that owns each row of a table, shape (rows,). The owners are known only in
        worlds with contact sets.
        """
        return self._row_owner[component]

    def multipliers(self, table: EntityTable, rows: IntArray) -> IntArray:
        """Return the process-local numbers of the multipliers of rows of a constraint table, shape (rows, multipliers
        of a row).
        """
        return self._local_of_multiplier[self.world.numbering.multipliers(table.component, rows)]

    def is_evaluated(self, table: EntityTable, rows: IntArray) -> NDArray[np.bool_]:
        """Return whether this process evaluates the outputs of each of the given rows of a table, shape (rows,).
        Several processes may evaluate a marker.
        """
        local = self.node_rows.get(table.component, self.rows.get(table.component, np.zeros(0, np.int64)))
        return find_sorted(local, rows)[1]

    def local_row(self, ids: IntArray) -> IntArray:
        """Return, for each entity, the index of its row in the list of process-local rows of its table, shape (n,). The
        index is -1 for entities that are not on this process.
        """
        out = np.full(len(ids), -1, np.int64)
        for table, positions, rows in self.world.split_by_table(ids):
            where, found = find_sorted(self.rows[table.component], rows)
            out[positions] = np.where(found, where, -1)
        return out


def is_replicated(component: type[Component]) -> bool:
    """Return whether every process evaluates all rows of a component."""
    law = law_of(component)
    return law is not None and law.replicated
