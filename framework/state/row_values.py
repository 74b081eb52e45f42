"""Indices of the multipliers and history values of entities in the arrays of a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.model.law import law_of, role_of
from windlass.framework.model.table import Entity, check_entity
from windlass.framework.model.world import World


class RowPlaces:
    """Indices of the multipliers or history values of rows in the arrays of a state.

    Args:
        world: the world.
        assembly: the assembly of a process-local state, None for values in world order.
        entity: constraints for ``lam``; connectors with history values, or rows of `GenericData`, for ``data`` and
            ``start_data``.
        name: ``"lam"``, ``"data"`` or ``"start_data"``.

    Attributes:
        places: indices in the array of the state, shape (rows, k) for at most k values of a row. The index is -1 for
            values that are on other processes, and in the last columns of rows with fewer than k values.
    """

    def __init__(self, world: World, assembly: Assembly | None, entity: Entity, name: str) -> None:
        check_entity(world.tables, entity, "entity", " in a method of State")
        self._world, self._assembly = world, assembly
        self.places: IntArray = self._find_multipliers(entity) if name == "lam" else self._find_data(entity, name)

    def collect(self, array: FloatArray) -> FloatArray:
        """Return the values of all rows on every process, shape (rows, k). Rows with fewer than k values are padded
        with NaN.
        """
        values = np.where(self.places >= 0, np.append(array, 0.0)[self.places], -np.inf)
        values = self._largest(values)
        return np.where(np.isneginf(values), np.nan, values)

    def _find_multipliers(self, entity: Entity) -> IntArray:
        law = law_of(entity.table.component)
        if law is None or not law.multipliers:
            raise ModelError(f"{entity!r} has no multipliers (lam): must be constraints")
        if self._assembly is None:
            return self._world.numbering.multipliers(entity.table.component, entity.rows)
        return self._assembly.layout.multipliers(entity.table, entity.rows)

    def _find_data(self, entity: Entity, name: str) -> IntArray:
        component, world = entity.table.component, self._world
        if role_of(component) != "data" and "data" not in component.refs:
            raise ModelError(f"{entity!r} has no history values ({name}): must be connectors with history")
        ids = entity.ids if role_of(component) == "data" else entity.table.collect("data", entity.rows)
        layout = parallel_assembly(world).layout
        start = layout.data_start[ids]
        count = np.zeros(len(ids), np.int64)
        for table, positions, rows in world.split_by_table(ids):
            here = positions[start[positions] >= 0]
            lengths = map(len, table.local("initial", rows[start[positions] >= 0]))
            count[here] = np.fromiter(lengths, np.int64, len(here))
        if self._assembly is None and layout.size > 1:
            start = np.where(start >= 0, np.append(layout.data_rows_owned, -1)[start], -1)
            start = self._largest(start.astype(float), together=True).astype(np.int64)
        count = self._largest(count.astype(float), together=True).astype(np.int64)
        k = np.arange(int(count.max(initial=0)))
        return np.where((k < count[:, None]) & (start[:, None] >= 0), start[:, None] + k, -1)

    def _largest(self, values: FloatArray, together: bool = False) -> FloatArray:
        """Return the largest value of each entry over all processes. In a process-local state, each process has only a
        part of the values. In a state in world order, each process has all values. In this case ``values`` is returned
        unchanged, unless ``together`` is true.
        """
        if self._assembly is None and not together:
            return values
        assembly = self._assembly or parallel_assembly(self._world)
        return assembly.processes.maximum(values)


def check_stored(stored: Mapping[str, Any], where: Any) -> None:
    """Raise OutputError if arrays in a state file contain values that are not finite numbers."""
    for name, values in stored.items():
        if values.dtype.kind not in "iuf" or values.ndim != (0 if name in ("t", "step") else 1):
            raise OutputError(f"state file {where}: {name} is not a list of numbers; must be a file of State.save")
        for k in np.flatnonzero(~np.isfinite(values))[:1]:
            raise OutputError(f"state file {where}: {name}[{k}] = {values.flat[k]}; must be finite numbers")
