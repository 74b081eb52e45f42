"""Comparison of the models of a continued run and of the interrupted run, and values of columns that the interrupted
run has changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.exchange import gather_reference

SAME_PLACE = 1e-9
"""Two models count as equal if their reference coordinates differ by at most this value [1] times (1 + the largest
magnitude of the coordinates). The value is not 0, because rounding errors differ between machines.
"""


def describe_model(assembly: Assembly) -> dict[str, Any]:
    """Return a description of a model: numbers of coordinates, multipliers, history values and rows, gravity, and
    reference coordinates. For a column that allows only certain words, such as names of laws, the description contains
    the number of rows with each word.

    The description does not depend on the number of processes.
    """
    world, number = assembly.world, assembly.world.numbering
    rows = {f"rows of {table.kind}": int(table.count) for table in world.tables.values() if table.count}
    for component, table in world.tables.items():
        # columns that allow only certain words, such as names of laws
        for name, column in component.columns.items():
            if table.count and column.choices is not None and np.dtype(column.dtype).kind == "U":
                for value, count in zip(*np.unique(table.collect(name), return_counts=True), strict=True):
                    rows[f"rows of {table.kind} with {name} = {value}"] = int(count)
    return {
        "counts": {
            **rows,
            "coordinates": int(number.count),
            "multipliers": int(number.multiplier_count),
            "history values": number.data_total,
        },
        "gravity": world.gravity.tolist(),
        "reference": gather_reference(assembly),
    }


def check_model(kept: Mapping[str, Any], assembly: Assembly, where: str) -> None:
    """Compare the present model with a result of `describe_model` that was read from a file. The argument ``where`` is
    the name of the file.

    Raises:
        ModelError: the models differ. The message gives the different values.
    """
    here = describe_model(assembly)
    names = [*here["counts"], *(name for name in kept["counts"] if name not in here["counts"])]
    lines = [
        f"{name}: {kept['counts'].get(name, 0)} in the file, {here['counts'].get(name, 0)} here"
        for name in names
        if kept["counts"].get(name, 0) != here["counts"].get(name, 0)
    ]
    if kept["gravity"] != here["gravity"]:
        lines.append(f"gravity [m/s^2]: {kept['gravity']} in the file, {here['gravity']} here")
    if not lines:
        old, new = kept["reference"], here["reference"]
        far = np.abs(old - new)
        if far.max(initial=0.0) > SAME_PLACE * (1.0 + np.abs(new).max(initial=0.0)):
            worst = int(np.argmax(far))
            name = assembly.world.numbering.describe_dof(worst)
            lines.append(f"reference coordinate of {name}: {old[worst]:.9g} in the file, {new[worst]:.9g} here")
    if lines:
        raise ModelError(f"{where} belongs to another model:\n  " + "\n  ".join(lines))


def describe_for_state(world: World) -> dict[str, Any]:
    """Return the result of `describe_model`, without gravity, as arrays for a file. The call is collective."""
    model = describe_model(parallel_assembly(world))
    return {"model": np.array(json.dumps(model["counts"])), "model_reference": model["reference"]}


def check_state_model(world: World, kept: Mapping[str, Any], where: str) -> None:
    """Compare the present model with a result of `describe_for_state` that was read from a file. The call is
    collective.

    Raises:
        ModelError: the models differ. The message gives the different values.
    """
    model = {"counts": json.loads(str(kept["model"])), "reference": kept["model_reference"]}
    check_model({**model, "gravity": world.gravity.tolist()}, parallel_assembly(world), where)


def list_switches(world: World) -> dict[str, Any]:
    """Return copies of the switchable numeric columns of all tables, by ``"<kind>.<column>"``."""
    return {
        f"{table.kind}.{name}": table.collect(name).copy()
        for component, table in world.tables.items()
        for name, column in component.columns.items()
        if column.switchable and column.shape is not None and np.dtype(column.dtype).kind in "biuf" and table.count
    }


def find_changes(world: World, before: Mapping[str, Any] | None, version: int = -1) -> dict[str, Any]:
    """Return the rows and values of switchable columns that have changed.

    Args:
        world: the world.
        before: earlier result of `list_switches`. If ``before`` is None, all rows of changed tables are returned.
        version: earlier value of ``World.version``. Only changes after this version are returned.
    """
    changes: dict[str, Any] = {}
    if world.version == version:
        return changes
    touched = {table.kind for component, table in world.tables.items() if world.changed.get(component, -1) > version}
    for name, values in list_switches(world).items():
        if name.partition(".")[0] not in touched:
            continue
        differs = np.ones(len(values), bool)
        if before is not None:
            differs = (values != before[name]).reshape(len(values), -1).any(axis=1)
        if differs.any():
            rows = np.flatnonzero(differs)
            changes[name] = {"rows": rows, "values": values[rows]}
    return changes


def restore_changes(world: World, changes: Mapping[str, Any]) -> None:
    """Apply the changes that `find_changes` has returned."""
    for component, table in world.tables.items():
        for name in component.columns:
            change = changes.get(f"{table.kind}.{name}")
            if change is not None:
                world.set(Entity(table, change["rows"]), **{name: change["values"]})
