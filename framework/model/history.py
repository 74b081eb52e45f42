"""History values of connectors (gaps, stick-slip states, sticking positions). Post-Newton updates change these values.
During Newton's method only return maps change them, see `ReturnMap`.

Each connector row with history refers to one row of `GenericData`. The table of `GenericData` stores the number of
values and the initial values. The present values are in ``State.data``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.checks.values import read_whole_numbers
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import count_chains
from windlass.framework.model.law import Tables, register
from windlass.framework.model.schema import Component, column, count_values
from windlass.framework.model.table import Entity, EntityTable

MOST_PLACES = 10**6
"""Upper limit of the number of places (segments or points) of one row. No connector needs more places."""


class GenericData(Component):
    """History values of connectors. Each row contains a list of values. The connector that refers to the row defines
    the meaning of the values.
    """

    initial = column("1", "history values at the start [unit of the connector's history]", shape=None)


def create_history(
    world: Tables,
    component: type[Component],
    values: dict[str, Any],
    per_place: Sequence[float],
    per_row: Sequence[float] = (),
) -> dict[str, Any]:
    """Create the history values of new connector rows, and set the reference ``data`` to these values. If the user has
    already set this reference, no history values are created.

    Args:
        world: the world.
        component: schema of the connector, with a reference ``data`` and usually a ``history_column``, which gives the
            number of places (segments or points) of a row. Without ``history_column`` a row has one place.
        values: arguments of `World.add`.
        per_place: initial value of each history variable of a place (segment or point). For each variable, the values
            of all places are stored consecutively.
        per_row: initial values of the history variables of a row as a whole, stored after the variables of the places.

    Returns:
        The arguments of `World.add` including ``data``. If the number of places is missing or wrong, the arguments are
        returned unchanged, and `World.add` later raises the error.

    Raises:
        ModelError: a row has more places (segments or points) than can be stored.
    """
    if values.get("data") is not None:
        return values
    places = read_whole_numbers(values.get(component.history_column) if component.history_column else 1)
    if places is None or places.ndim > 1 or not (places >= 1).all():
        return values
    if places.size and places.max() > MOST_PLACES:
        given = f"{component.history_column} = {places.max()} in {component.__name__}"
        raise ModelError(f"{given}: must be <= {MOST_PLACES}, because each of these places has history values")
    counts = [
        count_chains(values.get(name)) or 1 if ref.is_chain else _entities(values.get(name))
        for name, ref in component.refs.items()
    ]
    counts += [count_values(col, values[name]) or 1 for name, col in component.columns.items() if name in values]
    rows = max([count for count in counts if count != 1], default=1)
    if places.ndim == 1 and len(places) not in (1, rows):
        return values
    of_row = np.broadcast_to(places.astype(np.int64), (rows,))
    ids: IntArray = np.zeros(rows, np.int64)
    handle = None
    for n in np.unique(of_row):
        mine = np.flatnonzero(of_row == n)
        initial = np.concatenate((np.repeat(np.asarray(per_place, dtype=np.float64), n), per_row))
        handle = world.add(GenericData, initial=np.broadcast_to(initial, (len(mine), len(initial))))
        ids[mine] = handle.rows
    return values if handle is None else {**values, "data": Entity(handle.table, ids)}


def check_history(
    world: Tables, table: EntityTable, per_place: int, needed: IntArray | None = None, allowed: int = 0
) -> None:
    """Raise ModelError if the number of history values of a row differs from the number that its connector needs.

    Args:
        world: the world.
        table: rows of a connector with a reference ``data``.
        per_place: number of history variables of a place. The ``history_column`` gives the number of places of a row.
        needed: number of additional history variables of each row that this process stores, shape (resident,); None for
            no additional variables.
        allowed: number of additional history variables that a row may have although it does not need these variables.

    Raises:
        ModelError: the `GenericData` of a row has a wrong number of values, or several rows refer to one row of
            `GenericData`.
    """
    several = table.component.history_column
    resident, ids = table.resident, table.local("data")
    places = table.local(several) if several else np.ones(len(resident), np.int64)
    for target, positions, rows in world.split_by_table(ids):
        initial = target.collect("initial")
        given = np.fromiter((len(initial[row]) for row in rows), np.int64, len(rows))
        further = given - per_place * places[positions]
        least = np.zeros(len(rows), np.int64) if needed is None else needed[positions]
        wrong = np.flatnonzero((further < least) | (further > np.maximum(least, allowed)))
        if len(wrong):
            k, more = int(positions[wrong[0]]), int(least[wrong[0]])
            must = f"{per_place * places[k] + more}"
            must += f" ({per_place} for each of {places[k]} {several}" if several else ""
            must += f", and {more}" if several and more else ""
            must += ")" if several else ""
            raise ModelError(f"data of {table.kind} row {resident[k]} has {given[wrong[0]]} values: must have {must}")
    shared = np.flatnonzero(np.bincount(ids) > 1) if len(ids) else ids
    if len(shared):
        first, second = map(int, resident[ids == shared[0]][:2])
        raise ModelError(
            f"data of {table.kind} rows {first} and {second} are the same row: each row must have a separate row of "
            "data"
        )


def _entities(handle: Any) -> int:
    """Return the number of entities in a handle or in a list of handles. For other values, return 1."""
    if isinstance(handle, Entity):
        return len(handle)
    if isinstance(handle, (list, tuple)):
        return sum(len(h) for h in handle if isinstance(h, Entity))
    return 1


register(GenericData, "data", source="history variables of active-set contact algorithms")
