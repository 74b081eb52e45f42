"""Section about the surfaces of a model, for the report of a run: a table with one column for each surface in contact
with cables.
"""

from __future__ import annotations

import numpy as np

from windlass.connectors.reports.pulley_section import MOST, write_section
from windlass.connectors.reports.surface_report import SURFACE_CONTACTS, find_surface_ids, surface_report
from windlass.framework.command_line.report_parts import ReportSection
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.state import State


def tabulate_surfaces(world: World, state: State) -> list[ReportSection]:
    """Return a list with the section about surfaces. The list is empty for a model without contacts between surfaces
    and cables. All processes must call this function.
    """
    surfaces: list[tuple[Entity, int]] = []
    for component in SURFACE_CONTACTS:
        table = world.tables.get(component)
        if table is not None and table.count:
            contacts = Entity(table, np.arange(table.count))
            ids = find_surface_ids(world, load_outputs(state), contacts)
            ids = ids[ids >= 0]
            surfaces += [(contacts, int(k)) for k in ids[np.sort(np.unique(ids, return_index=True)[1])]]
    if not surfaces:
        return []
    reports = [surface_report(world, state, contacts, world.entity(number)) for contacts, number in surfaces[:MOST]]
    return [write_section("Surfaces", state, reports, len(surfaces))]
