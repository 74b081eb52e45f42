"""Functions that create a valid row of every registered component from the schema of the component. New laws are
therefore included automatically.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.model.schema import REQUIRED, Column, Component
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

from support.all_laws import all_laws

COMPONENTS = sorted(
    (kind for kind in all_laws() if kind.__module__.startswith("windlass.")), key=lambda kind: kind.__name__
)


def valid_value(col: Column) -> Any:
    """Return a value that the column allows."""
    if col.choices is not None:
        return col.choices[0]
    kind = np.dtype(col.dtype).kind
    one: Any = {"b": True, "i": int(max(1, col.minimum or 0)), "f": 1.0, "U": "word"}[kind]
    if kind == "f" and col.above is not None:
        one = col.above + 1.0
    if col.shape is None:
        return [one]
    if len(col.shape) == 2:
        return np.eye(*col.shape)
    return tuple(one + 0.25 * k if kind == "f" else one for k in range(col.shape[0])) if col.shape else one


def target_kind(target: str, within: tuple[type[Component], ...]) -> type[Component]:
    """Return a component that a reference may name; ``within`` are the components that are being created."""
    fitting = [kind for kind in COMPONENTS if target in (kind.__name__, *kind.provides) and kind not in within]
    # prefer a node, body or ground over components with many references
    return min(fitting, key=lambda kind: (len(kind.refs), kind.__name__))


def valid_row(world: World, kind: type[Component], within: tuple[type[Component], ...] = ()) -> dict[str, Any]:
    """Return columns and references of one row; the referenced entities are added to the world."""
    values: dict[str, Any] = {}
    for name, ref in kind.refs.items():
        if not ref.optional:
            target = target_kind(ref.target, (*within, kind))
            made = [world.add(target, **valid_row(world, target, (*within, kind))) for _ in range(ref.least or 1)]
            values[name] = made if ref.is_chain else made[0]
    for name, col in kind.columns.items():
        if col.default is REQUIRED:
            values[name] = valid_value(col)
    return values


def snapshot(world: World) -> tuple[Any, ...]:
    """Return the numbers of entities, of calls, and of rows of all tables, which an error must not change."""
    return world.count, len(world.calls), {kind: table.count for kind, table in world.tables.items() if table.count}


def values_of(entity: Entity) -> dict[str, Any]:
    """Return copies of all columns of a table."""
    return {name: np.array(entity.table.collect(name)) for name in entity.table.names}
