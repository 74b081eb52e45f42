"""Selection of the rows that each process stores after the distribution of the world.

A process keeps the rows that it evaluates, the nodes with a coordinate that it owns, and all rows to which these rows
and nodes refer directly or indirectly. For example, a connector refers to a marker, the marker to a cable, and the
cable to nodes. A pulley is stored on each process that evaluates cables which can touch the pulley. Every process keeps
all rows of small tables, so that names and values of wheels, grounds and supports are available on all processes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.layout.layout import Layout
from windlass.framework.model import parts
from windlass.framework.model.law import law_of
from windlass.framework.model.schema import Component
from windlass.framework.parallel.processes import Processes


def prune_world(layout: Layout, processes: Processes) -> None:
    """Remove the rows that this process does not need. The call is collective.

    A single process keeps all rows. If the entities that rows couple change during the run, as in contact sets and
    sliding joints (`Law.needs_whole`), each process also keeps all rows.
    """
    world = layout.world
    laws = {component: law_of(component) for component, table in world.tables.items() if table.count}
    if processes.size == 1 or any(law is not None and law.needs_whole for law in laws.values()):
        return
    tables = [world.tables[component] for component, law in laws.items() if law is not None]
    large = [table for table in tables if table.count > parts.KEPT_WHOLE or table.is_distributed]
    if large:
        needed = find_needed(layout)
        world.prune({table.component: table.resident[needed[table.component]] for table in large}, processes)


def find_needed(layout: Layout) -> dict[type[Component], NDArray[np.bool_]]:
    """Return, for each table, whether this process keeps each of its stored rows, shape (resident,)."""
    world = layout.world
    needed = {component: np.zeros(table.resident_count, bool) for component, table in world.tables.items()}
    new: dict[type[Component], IntArray] = {}
    for component, table in world.tables.items():
        parts = [layout.rows.get(component), layout.owned_markers.get(component), layout.data_rows.get(component)]
        if component.dof_names:
            # nodes that share the position of another node are also kept, because the names of coordinates are derived
            # from these nodes
            local = layout.local_dofs(world.resident_dofs(table)) < len(layout.owned)
            parts.append(table.resident[local.any(axis=1)])
        new[component] = _unite([rows for rows in parts if rows is not None])
    while new:
        ids = []
        for component, rows in new.items():
            table = world.tables[component]
            places = table.places(rows)
            added = rows[~needed[component][places]]
            needed[component][places] = True
            ids += [table.named(name, added) for name in component.refs if len(added)]
        new = {table.component: rows for table, _, rows in world.split_by_table(_unite(ids))}
    return needed


def _unite(parts: list[IntArray]) -> IntArray:
    united: IntArray = np.unique(np.concatenate([np.zeros(0, np.int64), *parts]))
    return united
