"""Values of switchable columns in state files. Switchable columns, such as friction, supports and loads, are columns
that `World.set` may change.

A state is valid only for the values that the switchable columns had when the state was computed. For example, the
history values of a contact contain no sticking positions if the contact had no friction. Therefore a state file
contains all switchable numeric columns as arrays ``switch.<kind>.<column>``. If a column has equal values in all rows,
its array has only one row. When the file is loaded, these columns are compared with the columns of the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.fingerprint import list_switches, restore_changes

PREFIX = "switch."
RESTORE, KEEP = "restore", "keep"
SHOWN = 5
"""Largest number of differing columns that an error message describes."""


def describe_switches(world: World) -> dict[str, NDArray[Any]]:
    """Return the switchable numeric columns as arrays for a file. The call is collective."""
    kept = {}
    for name, values in list_switches(world).items():
        alike = not find_unequal(values, values[:1]).any()
        kept[PREFIX + name] = values[:1] if alike else values
    return kept


def find_unequal(values: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
    """Return, for each row, whether two arrays of numbers differ in this row, shape (rows,). Two NaN count as equal."""
    differs = (values != others) & ((values == values) | (others == others))
    unequal: NDArray[np.bool_] = differs.reshape(len(values), -1).any(axis=1)
    return unequal


def take_switches(world: World, kept: Mapping[str, Any], how: str, where: str) -> None:
    """Compare the switchable columns of the file and of the model, or set the columns of the model to the values in the
    file. The call is collective.

    Args:
        world: the world.
        kept: entries of the file. They include the result of `describe_switches`, unless an old version of Windlass has
            written the file.
        how: ``"compare"``: raise an error for differences; ``"restore"``: set the columns of the model; ``"keep"``: do
            nothing.
        where: name of the file, for the message.

    Raises:
        ModelError: the columns differ (the message gives both values), or the file has no columns to restore.
    """
    if how == KEEP:
        return
    stored = {name.removeprefix(PREFIX): values for name, values in kept.items() if name.startswith(PREFIX)}
    here = list_switches(world)
    if how == RESTORE and here and not stored:
        raise ModelError(
            f"{where} does not contain the switches of the model: set them by World.set, then use switches='keep'"
        )
    changes, lines = {}, []
    for name, old in stored.items():
        if name not in here:
            raise ModelError(f"{where} has values of {name}, which is not switchable in this model")
        new = here[name]
        if old.shape[1:] != new.shape[1:] or len(old) not in (1, len(new)):
            raise ModelError(f"{where} has values of shape {old.shape} of {name}: must be {new.shape}")
        old = np.broadcast_to(old, new.shape)
        rows = np.flatnonzero(find_unequal(new, old))
        if len(rows):
            changes[name] = {"rows": rows, "values": old[rows]}
            lines.append(_describe(world, name, rows, old, new))
    if how == RESTORE:
        restore_changes(world, changes)
    elif lines:
        more = [f"and {len(lines) - SHOWN} more columns"] if len(lines) > SHOWN else []
        raise ModelError(
            f"{where} was saved with other switches of the model:\n  "
            + "\n  ".join(lines[:SHOWN] + more)
            + "\nload(..., switches='restore') sets the model to the saved switches; switches='keep' uses the "
            "state as the start of a solve with the present model"
        )


def _describe(world: World, name: str, rows: NDArray[np.int64], old: NDArray[Any], new: NDArray[Any]) -> str:
    """Return one line of text that describes the differences of a column."""
    kind, _, column = name.partition(".")
    unit = next(c.columns[column].unit for c, table in world.tables.items() if table.kind == kind)
    first, others = int(rows[0]), f" (and {len(rows) - 1} more rows)" if len(rows) > 1 else ""
    unit = "" if new.dtype.kind == "b" else f" {unit}"
    return f"{column} of {kind} row {first}: {old[first]}{unit} in the file, {new[first]}{unit} now{others}"
