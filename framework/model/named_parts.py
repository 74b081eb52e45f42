"""Names of parts of something larger, such as the spans of a belt, by which tables of modes tell where a mode moves."""

from __future__ import annotations

from typing import NamedTuple

from windlass.framework.arrays import IntArray
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World


class NamedPart(NamedTuple):
    """Rows of a table that have a name together."""

    name: str
    table: EntityTable
    rows: IntArray


def named_parts(world: World) -> list[NamedPart]:
    """All parts that `name_part` was given."""
    found: list[NamedPart] = world.resource("named parts", list)
    return found


def name_part(world: World, name: str, entity: Entity) -> None:
    """Name rows together; a name that is taken gets a number."""
    parts = named_parts(world)
    taken = {part.name for part in parts}
    parts.append(NamedPart(f"{name} ({len(parts)})" if name in taken else name, entity.table, entity.rows))
