"""Section about the pulleys of a model, for the report of a run: a table with one column for each circle in contact
with cables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from windlass.connectors.reports.belt_picture import name_carrier
from windlass.connectors.reports.pulley_report import pulley_report
from windlass.connectors.reports.quantities import list_rows
from windlass.framework.command_line.report_parts import ReportSection, ReportTable
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State

MOST = 8
"""Largest number of pulleys or surfaces in a section of the report of a run. Users can evaluate further pulleys by
`pulley_report`."""


def tabulate_pulleys(world: World, state: State) -> list[ReportSection]:
    """Return a list with the section about pulleys. The list is empty for a model without contacts between circles and
    cables. All processes must call this function.
    """
    reports = [
        replace(pulley_report(world, state, contacts, circle), name=name_carrier(world, circle))
        for contacts, circle in list(find_circles(world))[:MOST]
    ]
    if not reports:
        return []
    return [write_section("Pulleys", state, reports, len(list(find_circles(world))))]


def write_section(title: str, state: State, reports: Sequence[Any], count: int) -> ReportSection:
    """Create a section with one column for each report. The argument ``count`` is the number of pulleys or surfaces in
    the model.
    """
    when = f"At t = {state.t:.6g} s" + (f", the first {MOST} of {count}:" if count > MOST else ":")
    # quantities that are unknown on all pulleys, such as friction work without an energy ledger, have no row
    rows = [row for row in list_rows(reports, show_numbers) if any(cell is not None for cell in row[1:])]
    table = ReportTable(["", *(report.name for report in reports)], rows)
    return ReportSection(title, [when, table])


def find_circles(world: World) -> Iterator[tuple[Entity, Entity]]:
    """Find the circles of the model. For each circle, and for each component whose rows are contacts with this circle,
    the result contains a pair: a handle to all rows of the component, and the circle. All processes must call this
    function together.
    """
    for component, table in world.tables.items():
        if table.count and {"circle", "cable"} <= component.refs.keys() and "circle_radius" in component.columns:
            contacts = Entity(table, np.arange(table.count))
            circles = table.collect("circle")
            for number in circles[np.sort(np.unique(circles, return_index=True)[1])].tolist():
                yield contacts, world.entity(number)


def show_numbers(value: Any) -> Any:
    """Convert a tuple of numbers to a text in parentheses. Return a number unchanged, and None for NaN."""
    if isinstance(value, tuple):
        return None if np.isnan(value).any() else f"({', '.join(f'{x:.5f}' for x in value)})"
    return None if np.isnan(value) else value
