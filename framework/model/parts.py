"""Models that are built in parts. Each process specifies some rows of a table, and stores only a part of the table.

The calls of `World.add`, including the total numbers of rows, must be equal on all processes. Rows and entities are
therefore numbered without communication. When the world is finalized, the processes compare their rows, and each
process receives the rows to which its own rows refer, directly or indirectly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.checks.checks import check, checked, inside, yes_no
from windlass.framework.checks.values import read_whole_numbers, show
from windlass.framework.errors import ModelError, WindlassError
from windlass.framework.launch.launcher import communicator, launched_size
from windlass.framework.model.law import Tables, law_of, role_of
from windlass.framework.model.parts_check import check_rows, fetch_rows
from windlass.framework.model.schema import Component, count_values, shape_of
from windlass.framework.model.table import Entity, EntityTable, find_sorted
from windlass.framework.parallel.processes import Processes

KEPT_WHOLE = 1000
"""Tables with at most this number of rows are stored completely on each process."""
MOST_ROWS = 10**11
"""Upper limit of the number of rows of a table. No job has enough memory for more rows."""


@dataclass(frozen=True)
class Part:
    """The rows of one call of `World.add` that this process specifies.

    Attributes:
        count: total number of rows that all processes add by this call. The number must be equal on all processes.
        numbers: numbers of the rows that this process specifies, each from 0 to count - 1, in ascending order, shape
            (n,). If several processes specify one row, their values must be equal.
        replicated: whether each process specifies all rows, as in calls of `World.add` without ``part``.

    Raises:
        ModelError: the count is invalid, the numbers are not in ascending order or are out of range, or a replicated
            part does not contain all rows.
    """

    count: int
    numbers: IntArray
    replicated: bool = False

    def __post_init__(self) -> None:
        _check_count(self.count)
        check(yes_no(), "replicated", self.replicated, "Part")
        numbers = np.zeros(0) if shape_of(self.numbers) == (0,) else read_whole_numbers(self.numbers)
        if numbers is None or numbers.ndim != 1:
            raise ModelError(f"numbers in Part = {show(self.numbers)}: must be an array of row numbers, shape (n,)")
        if self.replicated and len(numbers) != self.count:
            raise ModelError(f"replicated Part has {len(numbers)} of {self.count} rows: must have all rows")
        object.__setattr__(self, "numbers", numbers.astype(np.int64))
        object.__setattr__(self, "replicated", self.replicated or (len(numbers) == self.count and launched_size() == 1))
        wrong = np.flatnonzero((numbers < 0) | (numbers >= self.count) | (np.diff(numbers, prepend=-1) <= 0))
        for k in wrong[:1]:
            given = f"numbers[{k}] = {numbers[k]} in Part of {self.count} rows"
            raise ModelError(f"{given}: must be ascending row numbers from 0 to {self.count - 1}")

    @classmethod
    @checked(count=inside())
    def equal(cls, count: int) -> Part:
        """Divide ``count`` rows into ranges of nearly equal size, one for each process, and return the part of this
        process. A single process specifies all rows.

        Raises:
            ModelError: ``count`` is not a whole number >= 0, or is too large.
        """
        _check_count(count)
        comm = communicator()
        rank, size = (0, 1) if comm is None else (comm.rank, comm.size)
        return cls(count, np.arange(count * rank // size, count * (rank + 1) // size))


def _check_count(count: int) -> None:
    given = read_whole_numbers(count)
    if given is None or given.shape or not 0 <= given <= MOST_ROWS:
        raise ModelError(
            f"count = {show(count)} in Part: must be a whole number >= 0, the number of rows on all processes together"
        )


def part_of_large(count: int) -> Part:
    """Return the part of this process for functions such as `straight_cable`, which add ``count`` rows by one call of
    `World.add`. If ``count`` is larger than `KEPT_WHOLE`, the part is a range of rows (`Part.equal`). Otherwise the
    part contains all rows.
    """
    return Part.equal(count) if count > KEPT_WHOLE else Part(count, np.arange(count), replicated=True)


def pick_rows(part: Part, kind: type[Component], values: Mapping[str, Any]) -> dict[str, Any]:
    """Select the values for the rows of this process from the values of columns and references for all rows. A single
    value for all rows is returned unchanged.
    """
    picked = dict(values)
    for name, value in values.items() if not part.replicated else ():
        col = kind.columns.get(name)
        if col is not None and col.dtype is not object and count_values(col, value) == part.count:
            picked[name] = [value[k] for k in part.numbers] if col.along else np.asarray(value)[part.numbers]
        elif isinstance(value, Entity) and len(value) == part.count > 1:
            picked[name] = value[part.numbers]
    return picked


def follow_parts(world: Tables, refs: Mapping[str, NDArray[Any]], count: int) -> Part:
    """Return the rows that this process keeps if a call of `World.add` specifies all rows.

    The new rows are divided among the processes only if there are more than `KEPT_WHOLE` rows, and if a reference with
    one value per row refers to a distributed table. A process then keeps a new row if the process stores the row to
    which this reference refers. If the reference is a list of rows, the first row of the list is used. This selection
    needs no communication.
    """
    for ids in refs.values() if count > KEPT_WHOLE else ():
        if ids.dtype == object:
            ids = np.array([chain[0] if len(chain) else -1 for chain in ids], np.int64)
        targets = world.split_by_table(ids) if len(ids) == count > 1 else []
        if any(table.is_distributed for table, _, _ in targets):
            kept = np.ones(count, bool)
            for table, positions, rows in targets:
                kept[positions] = find_sorted(table.resident, rows)[1]
            return Part(count, np.flatnonzero(kept))
    return Part(count, np.arange(count), replicated=True)


def begin_parts(world: Tables, table: EntityTable) -> None:
    """Mark a table as distributed, so that each process may have different rows of the table.

    Raises:
        ModelError: the table contains history values, which can be distributed only together with the rows that refer
            to them.
    """
    if role_of(table.component) == "data":
        raise ModelError(f"{table.kind} cannot be added in parts: every process must give all rows")

    if world.processes is None:
        world.processes, world.is_distributed = Processes(communicator()), True
    table.begin_parts(world.processes)


def complete_parts(world: Tables) -> None:
    """Compare the rows of all processes, and receive the rows to which the rows of this process refer. The call is
    collective.

    The function has no effect if no table is distributed. If the entities that rows couple change during the run, as in
    contact sets and sliding joints, each process receives all rows. See `Law.needs_whole`.

    Raises:
        ModelError: calls of `World.add` differ between processes, a row was not specified by any process, or several
            processes gave different values for a row.
    """
    processes = world.processes
    if processes is None:
        return
    check_rows(world, processes)
    laws = [law_of(component) for component, table in world.tables.items() if table.count]
    if processes.size == 1 or any(law is not None and law.needs_whole for law in laws):
        _gather_world(world)
    else:
        fetch_rows(world, processes)


def check_parts(world: Tables) -> None:
    """Check the rows, and set the widths of the coordinate arrays to values that are equal on all processes. The call
    is collective.

    Raises:
        ModelError: rows have inconsistent values.
    """
    processes = world.processes
    if processes is None:
        world.check()
        return
    error: WindlassError | None = None
    try:
        with processes.alone("the check of rows"):
            world.check()
    except WindlassError as found:
        error = found
    processes.agree(error)
    if not _agree_on_widths(world, processes):
        _gather_world(world)
        world.number()


def _agree_on_widths(world: Tables, processes: Processes) -> bool:
    """Set the numbers of coordinates of rows, and of entities to which references refer, to values that are equal on
    all processes. Return False if the rows must be copied to all processes. Copies are necessary if the entities of a
    reference have fewer coordinates on one process than on another.

    References to several entities per row do not affect the result, because the arrays of their coordinates are padded
    (`World.ref_dofs`).
    """
    tables = list(world.tables.values())
    refs = [(table.component, name) for table in tables for name in table.component.refs]
    with processes.alone("the coordinates of rows"):
        mine = [world.ref_shape(world.tables[component], name) for component, name in refs]
    shapes = dict(zip(refs, _find_largest(mine, processes), strict=True))
    # if the arrays had different widths, a coordinate would be in different array columns on different processes
    narrow = any(
        own[1] < shapes[component, name][1]
        for (component, name), own in zip(refs, mine, strict=True)
        if not component.refs[name].is_chain and (world.tables[component].local(name) >= 0).any()
    )
    world.set_widths({}, shapes)
    with processes.alone("the coordinates of rows"):
        widths = [(world.resident_dofs(table).shape[1], 0) for table in tables]
    most = _find_largest(widths, processes)
    world.set_widths({component: width for component, (width, _) in zip(world.tables, most, strict=True)}, shapes)
    return not any(processes.allgather("widths of rows", narrow))


def _find_largest(numbers: Sequence[tuple[int, int]], processes: Processes) -> list[tuple[int, int]]:
    """Return the maximum of each number over all processes. All processes must pass the same number of values. The call
    is collective.
    """
    everyone = processes.allgather("widths of rows", numbers)
    return [(max(a for a, _ in of_all), max(b for _, b in of_all)) for of_all in zip(*everyone, strict=True)]


def _gather_world(world: Tables) -> None:
    """Copy all rows to each process. Afterwards the world is no longer distributed."""
    for table in world.tables.values():
        if table.is_distributed:
            table.gather()
    world.processes, world.is_distributed = None, False
    world.set_widths({}, {})
