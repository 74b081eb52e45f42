"""Registration of types of markers with their kernels, and coordinate indices of markers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.signature import check_arguments, check_results
from windlass.framework.model.law import Dofs, LocalRows, MarkerFamily, Output, Rows, Tables, law_of, register
from windlass.framework.model.schema import Component
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable


def register_marker(
    component: type[Component],
    family: MarkerFamily,
    update: Callable[..., None],
    bind: Callable[[LocalRows], Any],
    dofs: Dofs,
    source: str,
    check: Callable[[Tables, EntityTable], None] | None = None,
    outputs: Mapping[str, Output] | None = None,
) -> None:
    """Register a type of marker.

    Args:
        component: class that defines the columns of the marker.
        family: family of the markers.
        update: kernel ``(rows, m, x, v)`` that evaluates the markers m of the family from coordinates and velocities.
        bind: function ``(rows)`` that returns the array that the kernel reads, see `pack_markers`.
        dofs, source, check, outputs: arguments that are passed to `register`.

    Raises:
        ModelError: the law is invalid, or a kernel has wrong arguments or results.
    """

    def build(rows: LocalRows) -> System:
        own, system = rows.columns, System(component.__name__, rows.dofs)
        system.update = call(update, lambda s: (own, s.markers[family], s.x, s.v))
        return system

    name, found = f"update of {component.__name__}", outputs or {}
    check_arguments(update, name, ("rows", "m", "x", "v"))
    check_results(update, name, ())
    register(component, "marker", dofs, bind, build, found, check=check, family=family, source=source)


def pack_markers(rows: LocalRows, width: int, **derived: Any) -> NDArray[Any]:
    """Create the array with the data of markers, one element per row. An element contains the columns of the table of
    the markers, and

    index: index of the marker among the markers of its family.
    dofs: process-local indices of the coordinates, shape (width,), padded with 0.

    Args:
        width: largest number of coordinates of a marker of this type.
        **derived: names and values of further data, shape (rows, ...) each.
    """
    dofs = np.zeros((len(rows.rows), width), np.int64)
    dofs[:, : rows.dofs.shape[1]] = rows.dofs
    return rows.pack({"index": rows.own_marker_index(), "dofs": dofs, **derived})


def number_markers(world: Tables, ids: IntArray, layout: Rows, family: MarkerFamily, least: int = 0) -> IntArray:
    """Return, for all markers of a family, the process-local coordinate indices, padded with an unused index, shape
    (markers, m). The width m is the largest number of coordinates that any marker type of the family has in the whole
    world, or ``least`` if the world has no marker type of the family. Therefore m is the same on all processes.
    """
    tables = [t for c, t in world.tables.items() if (law := law_of(c)) is not None and law.family == family]
    m = max((world.resident_dofs(table).shape[1] for table in tables), default=least)
    dofs = np.full((len(ids), m), layout.spare, np.int64)
    for table, positions, rows in world.split_by_table(ids):
        own = layout.local_dofs(world.row_dofs(table, rows))
        dofs[positions, : own.shape[1]] = own
    return dofs
