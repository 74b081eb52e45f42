"""Output variables of entities, evaluated at a state."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.assembly import serial_assembly
from windlass.framework.errors import ModelError
from windlass.framework.law import FloatArray, LocalRows, Output, law_of
from windlass.framework.state import State
from windlass.framework.table import Entity


def outputs_of(entity: Entity) -> dict[str, Output]:
    """The output variables of a kind of entity by name."""
    law = law_of(entity.table.component)
    return dict(law.outputs) if law is not None else {}


def find_output(entity: Entity, name: str) -> Output:
    """One output variable of a kind of entity.

    Raises:
        ModelError: there is no variable of that name.
    """
    outputs = outputs_of(entity)
    if name not in outputs:
        raise ModelError(f"{entity.kind} has no output {name!r}: it has {', '.join(sorted(outputs)) or 'none'}")
    return outputs[name]


def eval_output(entity: Entity, name: str, state: State, **where: Any) -> FloatArray:
    """Evaluate an output variable of one or more entities of one kind.

    Under MPI all processes must call this together; each gets the whole result.

    Args:
        entity: handle; the result has one row per row of it, or no leading axis for a handle to one row.
        name: output variable, e.g. ``"axial_force"``; see `outputs_of`.
        state: the state to evaluate at.
        **where: places on the entity, e.g. ``x=`` [m] along a cable.

    Returns:
        Array of shape (rows, ...) or (...), in the unit of the variable.

    Raises:
        ModelError: unknown variable, or an entity of another world.
    """
    output = find_output(entity, name)
    whole = state.gather()
    fields = prepare_outputs(whole)
    rows = local_rows(entity, whole)
    values: FloatArray = np.asarray(output.evaluate(rows, fields, **where))
    return values[0] if len(entity) == 1 else values


def prepare_outputs(whole: State) -> Any:
    """Bring a whole (gathered) state into the fields for several evaluations."""
    return whole.assembly.load_fields(whole)


def local_rows(entity: Entity, whole: State) -> LocalRows:
    """The rows of a handle in the local numbering of a whole state."""
    world, layout = whole.world, serial_assembly(whole.world).layout
    if world.tables.get(entity.table.component) is not entity.table:
        raise ModelError(f"{entity!r} belongs to another world than the state")
    dofs = layout.local_dofs(world.table_dofs(entity.table)[entity.rows])
    return LocalRows(world, entity.table, entity.rows, dofs, layout)
