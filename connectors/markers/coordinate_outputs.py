"""Output variables of laws on coordinates. The units depend on whether the coordinates are lengths or angles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.model.law import LocalRows, Output, Tables

OF_ANGLES = {"m": "rad", "m/s": "rad/s", "N": "N m"}


def find_turning(world: Tables, markers: IntArray) -> NDArray[np.bool_]:
    """Return whether the coordinate of each marker is an angle or a strain, shape (markers,). Generalised forces on
    angles and strains are in N m.
    """
    turning = np.zeros(len(markers), bool)
    for table, positions, rows in world.split_by_table(markers):
        if "coordinate" not in table.component.columns:
            # markers with an ``axis`` or a ``beam`` measure angles, and markers with a ``place`` measure strains
            component = table.component
            turning[positions] = not {"axis", "place", "beam"}.isdisjoint((*component.columns, *component.refs))
            continue
        which = table.local("coordinate", rows)
        for nodes, inner, _ in world.split_by_table(table.local("node", rows)):
            angles = np.array([name == "rotation" for name in nodes.component.dof_names])
            turning[positions[inner]] = angles[which[inner]]
    return turning


def find_states(world: Tables, markers: IntArray) -> NDArray[np.bool_]:
    """Return whether each coordinate marker is on a first-order state, shape (markers,)."""
    states = np.zeros(len(markers), bool)
    for table, positions, rows in world.split_by_table(markers):
        if "node" not in table.component.refs:
            continue  # markers on coordinates of points have no node
        for nodes, inner, _ in world.split_by_table(table.local("node", rows)):
            states[positions[inner]] = bool(nodes.component.state_column)
    return states


def coordinate_output(
    unit: str, doc: str, evaluate: Callable[..., Any], markers: Sequence[str] = ("marker0", "marker1")
) -> Output:
    """Create an output variable of laws on the coordinates ``markers``. If one of the coordinates is an angle or a
    strain, the unit ``OF_ANGLES[unit]`` replaces ``unit``.
    """
    return Output(unit, doc, evaluate, units_of=find_units(unit, markers))


def find_units(unit: str, markers: Sequence[str] = ("marker0", "marker1")) -> Callable[[LocalRows], list[str]]:
    """Return the function for `Output.units_of` that returns the unit of each row, see `coordinate_output`."""

    def units_of(rows: LocalRows) -> list[str]:
        turning = [find_turning(rows.world, rows.local(name)) for name in markers]
        return [OF_ANGLES[unit] if any(row) else unit for row in zip(*turning, strict=True)]

    return units_of
