"""Evaluation of output variables of entities at a state. Each process evaluates its own rows, and all processes receive
the values of all rows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import checked, handle, inside, instance, word
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError, WindlassError
from windlass.framework.model.law import LocalRows, Output, law_of
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity, check_entity
from windlass.framework.model.world import World
from windlass.framework.parallel.processes import join_rows
from windlass.framework.state.state import State, as_local


def outputs_of(entity: Entity) -> dict[str, Output]:
    """Return the output variables of a component, by name."""
    law = law_of(entity.table.component)
    return dict(law.outputs) if law is not None else {}


def find_output(entity: Entity, name: str) -> Output:
    """Return one output variable of a component.

    Raises:
        ModelError: the component has no output variable of this name.
    """
    outputs = outputs_of(entity)
    if name not in outputs:
        raise ModelError(f"{entity.kind} has no output {name!r}: it has {', '.join(sorted(outputs)) or 'none'}")
    return outputs[name]


@cache
def list_places(evaluate: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the place arguments of an output function, which are the arguments after rows and fields. A
    place argument is a position on the entity, such as ``x=`` [m] along a cable.
    """
    given = list(inspect.signature(evaluate).parameters.values())[2:]
    return tuple(one.name for one in given if one.kind is not one.VAR_KEYWORD)


def check_places(kind: str, output: Output, where: Mapping[str, Any]) -> None:
    """Raise ModelError if an output does not accept the given place arguments, or if their values are not numbers."""
    places = list_places(output.evaluate)
    for name, value in where.items():
        if name not in places:
            takes = f"must be one of {', '.join(places)}" if places else "the output has no place arguments"
            raise ModelError(f"{name} = {show(value)} for this output of {kind}: {takes}")
        if value is not None and read_numbers(value) is None:
            raise ModelError(f"{name} = {show(value)} for this output of {kind}: must be numbers")


@checked(entity=handle(), name=word(), state=instance(State), where=inside())
def eval_output(entity: Entity, name: str, state: State, **where: Any) -> FloatArray:
    """Evaluate an output variable of one or more entities of one component.

    Under MPI the call is collective. Each process receives the whole result.

    Args:
        entity: handle to the entities. If the handle has several entities, the first axis of the result has one entry
            for each entity.
        name: output variable, e.g. ``"axial_force"``. See `outputs_of`.
        state: the state at which the variable is evaluated.
        **where: position on the entity, e.g. ``x=`` [m] along a cable.

    Returns:
        Array in the unit of the variable, shape (rows, ...), or (...) for a handle to one entity.

    Raises:
        ModelError: the variable is unknown, does not accept an argument in ``where``, or the entity belongs to another
            world.
    """
    find_output(entity, name)
    return read_output(entity, name, state.world, load_outputs(state), **where)


def read_output(entity: Entity, name: str, world: World, fields: Fields, **where: Any) -> FloatArray:
    """Evaluate an output variable without checks of the arguments. The state must be in the fields, see `load_outputs`
    and `eval_output`.
    """
    values = find_evaluated_rows(entity, world).evaluate(find_output(entity, name), fields, where)
    return values[0] if len(entity) == 1 else values


@dataclass(frozen=True)
class EvaluatedRows:
    """The rows of a handle that this process evaluates, in the process-local numbering.

    Attributes:
        rows: rows that this process evaluates. A single process evaluates all rows, in the order of the handle.
        positions: indices of ``rows`` among the rows of the handle, shape (rows,).
        count: number of rows of the handle.
        assembly: the assembly of this process.
        summed: whether several processes share the work within a row (contact sets). The value of the row is then the
            sum of the contributions of these processes.
        all_rows: row numbers of the handle, shape (count,).
    """

    rows: LocalRows
    positions: IntArray
    count: int
    assembly: Assembly
    summed: bool
    all_rows: IntArray

    @property
    def parallel(self) -> bool:
        """Whether the rows of the world are divided among several processes."""
        return self.assembly.layout.size > 1

    def evaluate_here(self, output: Output, fields: Fields, where: Mapping[str, Any]) -> FloatArray:
        """Return the values of the rows that this process evaluates, shape (rows, ...)."""
        if where:
            check_places(self.rows.table.kind, output, where)
        if not self.parallel:
            return np.asarray(output.evaluate(self.rows, fields, **where))
        places = {name: self._pick(value, output.place_ranks.get(name, 0)) for name, value in where.items()}
        with self.assembly.processes.alone(f"an output of {self.rows.table.kind}"):
            return np.asarray(output.evaluate(self.rows, fields, **places))

    def evaluate(self, output: Output, fields: Fields, where: Mapping[str, Any]) -> FloatArray:
        """Return the values of all rows of the handle on every process, shape (count, ...). The call is collective."""
        if not self.parallel:
            return self.evaluate_here(output, fields, where)
        if output.summed and not self.summed:
            return self._of_all().evaluate(output, fields, where)
        values, error = None, None
        if len(self.positions) or not self.count:
            try:
                values = self.evaluate_here(output, fields, where)
            except WindlassError as found:
                error = found
        return self.join(values, error, output.fill)

    def evaluate_padded(
        self, output: Output, fields: Fields, where: Mapping[str, Any], shape: tuple[int, ...]
    ) -> FloatArray:
        """Return the values of all rows as floats, with 0 for rows that other processes evaluate. The sum over all
        processes is equal to the result of `evaluate`.
        """
        if not self.parallel:
            return np.asarray(self.evaluate_here(output, fields, where), dtype=np.float64)
        if output.summed and not self.summed:
            return self._of_all().evaluate_padded(output, fields, where, shape)
        padded = np.zeros(shape)
        if len(self.positions):
            values = self.evaluate_here(output, fields, where)
            full = np.full((len(values), *shape[1:]), 0.0 if self.summed else output.fill)
            full[(slice(None), *(slice(0, width) for width in values.shape[1:]))] = values
            padded[self.positions] = full
        return padded

    def units(self, output: Output) -> list[str]:
        """Return the unit of each row of the handle on every process. The call is collective."""
        if output.units_of is None:
            return [output.unit] * self.count
        parts = [(self.positions, list(output.units_of(self.rows)))]
        if self.parallel:
            parts = self.assembly.processes.allgather("units", parts[0])
        of_row = {int(row): unit for rows, units in parts for row, unit in zip(rows, units, strict=True)}
        return [of_row.get(row, output.unit) for row in range(self.count)]

    def join(self, values: FloatArray | None, error: WindlassError | None = None, fill: float = 0.0) -> FloatArray:
        """Return the values of all rows, combined from the values of each process. An error on one process is raised on
        all processes.
        """
        parts = self.assembly.processes.allgather("output", (self.positions, values, error))
        for _, _, found in parts:
            if found is not None:
                raise found
        return join_rows([(rows, part) for rows, part, _ in parts], self.count, fill, self.summed)

    def _of_all(self) -> EvaluatedRows:
        """Return an `EvaluatedRows` object for all rows of the handle. Each process contributes a part of each value,
        see `Output.summed`.
        """
        rows = self.assembly.local_rows(self.rows.table, self.all_rows)
        return replace(self, rows=rows, positions=np.arange(self.count), summed=True)

    def _pick(self, value: Any, rank: int) -> Any:
        """Select the values of a place argument for the rows of this process, if the user has given one value for each
        row. Each value is an array with ``rank`` axes.
        """
        if np.ndim(value) > rank and len(value) == self.count:
            return np.asarray(value)[self.positions]
        return value


def load_outputs(state: State) -> Fields:
    """Load a state into the fields of this process, and evaluate the marker columns. The call is collective."""
    return parallel_assembly(state.world).load_fields(as_local(state))


def find_evaluated_rows(entity: Entity, world: World) -> EvaluatedRows:
    """Find the rows of a handle that this process evaluates. The call is collective.

    Raises:
        ModelError: an entity belongs to another world, or the handle contains a marker to which no row refers.
    """
    assembly, table = parallel_assembly(world), entity.table
    check_entity(world.tables, entity, "entity", " in an evaluation of a state")
    law, layout = law_of(table.component), assembly.layout
    if layout.size == 1:
        rows = assembly.local_rows(table, entity.rows)
        return EvaluatedRows(rows, np.arange(len(entity)), len(entity), assembly, False, entity.rows)
    positions = np.flatnonzero(layout.is_evaluated(table, entity.rows))
    replicated = law is not None and law.replicated
    if law is not None and law.role == "marker":
        positions = _share_markers(entity, positions, assembly)
    rows = assembly.local_rows(table, entity.rows[positions])
    return EvaluatedRows(rows, positions, len(entity), assembly, replicated, entity.rows)


def _share_markers(entity: Entity, here: IntArray, assembly: Assembly) -> IntArray:
    """Return the indices of the markers that this process evaluates. If several processes store a marker, the first of
    these processes evaluates the marker.
    """
    layout = assembly.layout
    owner = np.full(len(entity), layout.size, np.int64)
    for rank, part in enumerate(assembly.processes.allgather("markers", here)):
        owner[part] = np.minimum(owner[part], rank)
    missing = np.flatnonzero(owner == layout.size)
    if len(missing):
        name = entity.table.describe(int(entity.rows[missing[0]]))
        raise ModelError(f"{name}: nothing refers to this marker, so it is not evaluated")
    mine: IntArray = np.flatnonzero(owner == layout.rank)
    return mine
