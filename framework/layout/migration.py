"""Owners of the coordinates of a world that was built in parts, and transfer of the rows to these owners.

All processes together count the rows that couple each coordinate. Each process sends the couplings between its
coordinates to the first process. The first process partitions the graph of these couplings by partition.py. Then each
row is sent to its owner, together with all rows to which it refers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.errors import WindlassError
from windlass.framework.layout.partition import (
    COORDINATE_WORK,
    Graph,
    chosen_kind,
    count_rows,
    create_graph,
    find_hub_bound,
    find_owners,
    find_row_owners,
    unite_edges,
)
from windlass.framework.model.law import role_of
from windlass.framework.model.numbering import find_own
from windlass.framework.model.parts_check import fetch_rows, find_counted, send_rows
from windlass.framework.model.schema import Component
from windlass.framework.model.world import World
from windlass.framework.parallel.number_directory import share
from windlass.framework.parallel.processes import Processes

CoupledRows = dict[type[Component], IntArray]
Marks = dict[type[Component], NDArray[np.bool_]]


def find_couplings(world: World) -> CoupledRows:
    """Return the indices (by `Numbering.places`) of the coordinates that rows of this process couple, for all tables
    except nodes."""
    return {
        c: world.numbering.places(world.resident_dofs(table))
        for c, table in world.tables.items()
        if role_of(c) not in ("node", "")
    }


def find_keepers(world: World, couplings: CoupledRows) -> CoupledRows:
    """Return, for each table, the indices (by `Numbering.places`) of some coordinates. `find_row_owners` determines
    from these coordinates which process stores each row.
    """
    found = dict(couplings)
    for component in couplings:
        table = world.tables[component]
        for name in (name for name, ref in component.refs.items() if ref.beside):
            dofs = np.full((table.resident_count, world.ref_width(table, name)), -1)
            for target, positions, rows in world.split_by_table(table.local(name)):
                own = world.row_dofs(target, rows)
                dofs[positions, : own.shape[1]] = own
            found[component] = world.numbering.places(dofs)
    return found


def couplings_of(table_dofs: CoupledRows) -> list[IntArray]:
    """Return the coordinates that the rows of elements, loads, connectors and constraints couple."""
    return [dofs for component, dofs in table_dofs.items() if role_of(component) not in ("marker", "data")]


def move_rows(world: World, processes: Processes) -> tuple[IntArray, NDArray[np.bool_]]:
    """Send the rows of distributed tables to their owners. The call is collective.

    Returns:
        The owners of the coordinates that the rows on this process have after the transfer, and whether each of these
        coordinates is a hub. Both arrays have the shape (known,).

    Raises:
        OptionError: the value of ``-mat_partitioning_type`` is wrong.
    """
    counted = {component: find_counted(table, processes) for component, table in world.tables.items()}
    hub = _find_hubs(world, counted, processes)
    owner = _divide(world, counted, hub, processes)
    _send_to_owners(world, counted, owner, hub, processes)
    fetch_rows(world, processes)
    # world numbers do not change, but this process receives additional rows and coordinates
    before, count = world.numbering.known, world.numbering.count
    world.numbering.drop_arrays()
    world.number()
    both = share(processes, count, before, 2 * owner + hub, world.numbering.known)
    return both // 2, both % 2 == 1


def _find_hubs(world: World, counted: Marks, processes: Processes) -> NDArray[np.bool_]:
    """Return whether each coordinate of the rows that this process stores is a hub according to `find_hubs`, shape
    (known,).
    """
    number = world.numbering
    mine = [dofs[counted[component]] for component, dofs in find_couplings(world).items()]
    degree = count_rows(mine, number.known_count)
    degree = share(processes, number.count, number.known, degree, number.known, np.add, 0)
    alone = [
        number.places(numbers[find_own(world.tables[component]) & counted[component][:, None]])
        for component, numbers in number.node_dofs.items()
    ]
    histogram = np.bincount(degree[np.concatenate(alone)])
    longest = max(processes.allgather("hubs", len(histogram)))
    total = processes.sum(np.pad(histogram, (0, longest - len(histogram))).astype(float))
    return np.asarray(degree > find_hub_bound(total.astype(np.int64)))


def _divide(world: World, counted: Marks, hub: NDArray[np.bool_], processes: Processes) -> IntArray:
    """Return the owners of the coordinates of the rows that this process stores, shape (known,)."""
    couplings = {c: dofs[counted[c]] for c, dofs in find_couplings(world).items()}
    graph = create_graph(world, couplings_of(couplings), hub)
    nodes = [world.tables[component] for component in world.numbering.node_dofs]
    first = np.cumsum([0, *(table.count for table in nodes)])
    vertex = np.concatenate([start + table.resident for start, table in zip(first, nodes, strict=False)])
    # several processes may store a node, but the computational work of its coordinates must be counted only once
    again = ~np.concatenate([counted[table.component] for table in nodes])
    weight = graph.weight - COORDINATE_WORK * np.bincount(graph.vertex, minlength=len(vertex)) * again
    mine = (vertex[graph.edges], vertex, weight, vertex[graph.hubs], vertex[graph.hub_rows])
    kind = chosen_kind()
    parts = processes.gather_first("the graph", mine)
    error, answers = None, None
    if parts is not None:
        total = np.zeros(first[-1], np.int64)
        for _, numbers, work, _, _ in parts:
            total[numbers] += work
        edges = unite_edges([part[0] for part in parts], len(total))
        hubs = np.unique(np.concatenate([part[3] for part in parts]))
        hub_rows = np.concatenate([part[4] for part in parts])
        try:
            whole = Graph(np.zeros(0, np.int64), edges, total, hubs, hub_rows, first.tolist())
            owner = find_owners(whole, processes.size, kind)
            answers = [owner[part[1]] for part in parts]
        except WindlassError as found:
            error = found
    processes.agree(error)
    of_vertex: IntArray = processes.deal("the partition", answers)
    return of_vertex[graph.vertex]


def _send_to_owners(
    world: World, counted: Marks, owner: IntArray, hub: NDArray[np.bool_], processes: Processes
) -> None:
    """Send each row of a distributed table to the owner of its coordinates."""
    keepers, number = find_keepers(world, find_couplings(world)), world.numbering
    for component, table in world.tables.items():
        if not table.is_distributed:
            continue
        if component.dof_names:
            # the coordinates of a node that shares its position with another node may have two owners
            owners = owner[number.places(number.node_dofs[component])]
        elif component in keepers:
            owners = find_row_owners(keepers[component], owner, hub)[:, None]
        else:
            owners = np.full((table.resident_count, 1), processes.comm.rank)
        out = []
        for rank in range(processes.size):
            going = counted[component] & (owners == rank).any(axis=1) & (rank != processes.comm.rank)
            out.append(table.resident[going])
        send_rows(table, out, processes)
