"""Names of parts of a model, such as the spans of a belt. In tables of vibration modes, these names identify the parts
that move in a mode.
"""

from __future__ import annotations

from typing import NamedTuple

from windlass.framework.arrays import IntArray
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World


class NamedPart(NamedTuple):
    """A part of a model, which consists of rows of a table with a common name."""

    name: str
    table: EntityTable
    rows: IntArray


def named_parts(world: World) -> list[NamedPart]:
    """Return all parts that `name_part` has named."""
    found: list[NamedPart] = world.resource("named parts", list)
    return found


def name_part(world: World, name: str, entity: Entity) -> None:
    """Give a common name to rows. If the name is already used, a number is appended."""
    parts = named_parts(world)
    taken = {part.name for part in parts}
    parts.append(NamedPart(f"{name} ({len(parts)})" if name in taken else name, entity.table, entity.rows))
