"""The law of a kind of marker: a kernel that brings its columns to the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from windlass.framework.arrays import IntArray
from windlass.framework.kernels.call import call
from windlass.framework.model.law import Law, LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component
from windlass.framework.model.system import System
from windlass.framework.model.table import EntityTable


def register_marker(
    component: type[Component],
    family: str,
    update: Callable[..., None],
    bind: Callable[[LocalRows], Any],
    dofs: Callable[[Tables, EntityTable], IntArray] | str,
    source: str,
    check: Callable[[Tables, EntityTable], None] | None = None,
    outputs: Mapping[str, Output] | None = None,
) -> None:
    """Make a kind of marker known.

    Args:
        component: the schema.
        family: of the marker.
        update: kernel ``(c, m, x, v)`` that fills the columns m of the family from coordinates and velocities.
        bind: ``(rows) -> c``, the arrays that it reads.
        dofs: coordinates of the markers, see `Law`; or the reference whose coordinates they have.
        source, check, outputs: see `Law`.
    """

    def build(rows: LocalRows) -> System:
        c, system = bind(rows), System(component.__name__, rows.dofs)
        system.update = call(update, lambda s: (c, s.markers[family], s.x, s.v))
        return system

    def dofs_of(world: Tables, table: EntityTable) -> IntArray:
        return world.dofs_of(table.local(dofs)) if isinstance(dofs, str) else dofs(world, table)

    register(
        Law(
            component,
            "marker",
            dofs=dofs_of,
            build=build,
            check=check,
            outputs=outputs or {},
            family=family,
            source=source,
        )
    )
