"""The energy ledger. This hook sums the work of all forces and the changes of all energies over the steps of a run. The
hook also shows the remainder of the energy balance.

    ledger = EnergyLedger("energy.csv")
    state = Dynamic(world, step=1e-4, end=2.45).solve(state, hooks=[ledger])
    print(ledger.format())

Summed over all steps since the start of the ledger (see balance.py),

    work = kinetic + potential + dissipation + passed on + not accounted + integrator + rest,

where kinetic and potential are the changes of these energies since the start of the ledger. The sums include every
step, but the table and the picture show the sums only at the recorded instants.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import numpy as np

from windlass.framework.accounts import Losses
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import checked, handle, optional, path, whole
from windlass.framework.command_line.html_tables import format_table
from windlass.framework.command_line.options import help_requested
from windlass.framework.command_line.report_parts import ReportCurves, ReportSection, ReportTable
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.kernels.program import If, Program
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.ledger.balance import (
    CHANGES,
    KINDS,
    PARTS,
    REST,
    UNKNOWN,
    WORK,
    Balance,
)
from windlass.framework.ledger.table import draw_series, format_lines, list_lines
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity, EntityTable
from windlass.framework.model.world import World
from windlass.framework.output.csv import CsvTable, TableClaim
from windlass.framework.output.every_nth import EveryNth, RecordNumbers
from windlass.framework.output.figures import check_picture, hand_over
from windlass.framework.parallel.processes import join_rows
from windlass.framework.restart.insurance import is_replaying
from windlass.framework.state.evaluate import find_evaluated_rows
from windlass.framework.state.hooks import NO_STEPS, IdleSteps
from windlass.framework.state.state import State, as_local, check_world

MOST_ROWS, MOST_NAMES, LINE, SEEN = 2000, 4, 34, 1e-3
"""MOST_ROWS: largest number of rows of a law that reports list. MOST_NAMES: largest number of distinct row names that
reports list. LINE: largest number of characters in a line of a legend. SEEN: a curve is shown if its largest magnitude,
divided by the largest magnitude of all curves, exceeds this value [1].
"""


class EnergyLedger(EveryNth):
    """Hook that sums the work of all forces and the changes of all energies over the steps of dynamic solves. The
    ledger must precede recorders in the list of hooks, because recorders write the friction losses that the ledger
    computes.

    Under MPI, all processes call the ledger, and the results are equal on all processes. Only the first process writes
    files. Several solves can use one ledger. The sums do not include changes of the state between two solves.

    Args:
        path: CSV file of the recorded instants, which is written at the end of each solve. If ``path`` is None, records
            are stored only in memory.
        every: record every n-th accepted step, n >= 1. By default, ``frames`` determines the recorded steps. The sums
            include all steps, regardless of ``every``.
        frames: number of records of each solve, evenly distributed in time, with at most one record for each step.

    Attributes:
        kinds: category of each quantity by name: ``"work"``, ``"kinetic"``, ``"potential"``, ``"dissipation"``,
            ``"passed on"``, ``"not accounted"``, ``"integrator"``, ``"rest"`` and ``"parts of the rest"``.
        steps: number of steps that the sums include.

    Raises:
        ModelError: time does not advance in the solve, as in statics.
        OutputError: a file cannot be written, or is a file of another run, hook or program.
    """

    @checked(OutputError, path=optional(path()), every=optional(whole(1)), frames=whole(1))
    def __init__(
        self, path: str | os.PathLike[str] | None = None, every: int | None = None, *, frames: int = 1000
    ) -> None:
        self._claim = None if path is None else TableClaim(path, "EnergyLedger")
        super().__init__(None if every is None else int(every), int(frames))
        self.kinds: dict[str, str] = {}
        self.steps = 0
        self._balance: Balance | None = None
        self._world: World | None = None
        self._version = -1
        self._numbers_kept = RecordNumbers(np.zeros(0))
        # the time [s] at the end of the last step of compiled code, if energies were not evaluated at this time
        self._late: float | None = None
        # The sums of this process, in the order of `kinds`. The records in the attributes below contain sums over all
        # processes.
        self._sums: dict[str, float] = {}
        self._losses: dict[type[Component], Losses] = {}
        self._first: dict[str, float] = {}
        self._times: list[float] = []
        self._kept: list[list[float]] = []
        # The sums at the times of the records, only in serial runs. The quantities are later computed from these sums,
        # see `Balance.take_numbers`.
        self._pending: list[FloatArray] = []

    @property
    def times(self) -> FloatArray:
        """Times [s] at which the records were made, shape (records,)."""
        return np.array(self._times, dtype=np.float64)

    def _settle(self) -> list[list[float]]:
        """Return the quantities [J] of all records: one list for each record, in the order of `names`."""
        if self._pending:
            assert self._balance is not None
            found = self._balance.name_sums(np.array(self._pending))
            self._pending, columns = [], dict[str, FloatArray]()
            for name, before in self._sums.items():
                steps = np.broadcast_to(found.get(name, 0.0), (len(self._times) - len(self._kept),))
                columns[name] = np.cumsum(np.append(before, steps))[1:]
                self._sums[name] = float(columns[name][-1])
            self._add_rest(columns)
            self._kept += np.stack(list(columns.values()), axis=1).tolist()
        return self._kept

    @property
    def names(self) -> list[str]:
        """Names of all quantities."""
        return list(self.kinds)

    def __getitem__(self, name: str) -> FloatArray:
        """Return the values [J] of a quantity, or of the sum of all quantities of a category, at all records, shape
        (records,). The values are changes since the start of the ledger.
        """
        records = self._settle()
        rows = np.array(records, dtype=np.float64).reshape(len(records), len(self.kinds))
        if name in self.kinds:
            return rows[:, self.names.index(name)].copy()
        if name not in KINDS:
            raise ModelError(
                f"there is no quantity {name!r} in the ledger: there are {', '.join((*KINDS, *self.kinds))}"
            )
        total: FloatArray = rows[:, [kind == name for kind in self.kinds.values()]].sum(axis=1)
        return total

    @property
    def totals(self) -> dict[str, float]:
        """Values [J] of all quantities at the most recent record, by name."""
        return dict(zip(self.kinds, self._settle()[-1], strict=True)) if self._times else {}

    @property
    def starts(self) -> dict[str, float]:
        """Kinetic and stored energies [J] at the start of the ledger, by name."""
        return dict(self._first)

    @property
    def rest(self) -> float:
        """Remainder [J] of the energy balance at the most recent record."""
        return self.totals.get(REST, 0.0)

    @property
    def not_accounted(self) -> list[str]:
        """Names of the laws without an account, such as user forces, whose forces have done work."""
        totals = self.totals
        return [name for name, kind in self.kinds.items() if kind == UNKNOWN and totals.get(name, 0.0) != 0.0]

    @checked(entity=handle())
    def losses(self, entity: Entity) -> dict[str, FloatArray]:
        """Return the losses [J] of the rows of one component since the start of the ledger, by name of the loss, each
        of shape (rows,).

        Under MPI the call is collective.

        Raises:
            ModelError: the ledger has not started, or the law has no account.
        """
        found = self._losses.get(entity.table.component)
        if found is None or self._world is None:
            raise ModelError(
                f"the ledger has no losses of {entity.kind}: the ledger must have recorded a solve, and the law of "
                f"{entity.kind} must define an account"
            )
        bound = find_evaluated_rows(entity, self._world)
        rows = np.searchsorted(bound.assembly.layout.rows[entity.table.component], bound.rows.rows)
        parts = bound.assembly.processes.allgather("losses", (bound.positions, found.rows[rows]))
        values = join_rows([part for part in parts if len(part[0])], len(entity), 0.0, bound.summed)
        return {name: values[:, k] for k, name in enumerate(found.names)}

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Claim the file, and evaluate the forces and energies at the start of the first step (``state``)."""
        if self._claim is not None:
            self._claim.begin()
        super().before_solve(state, end, steps)
        assembly = parallel_assembly(state.world)
        if self._world is not None:
            check_world(state, self._world, "a solve with this EnergyLedger")
        if self._balance is None:
            self._world, self._balance = state.world, Balance(assembly, as_local(state), self.due)
            self._name(self._balance)
        if not self._losses:
            self._losses = self._balance.create_losses()
        self._balance.losses = self._losses
        # outputs and drawings read the losses from the layout, so the losses are stored there
        assembly.layout.losses = self._losses
        self._begin(state)
        if not self._first:
            self._first = self._reduce(self._balance.stored())
        if self._catch_up not in state.world.before_set:
            state.world.before_set.append(self._catch_up)

    def _name(self, balance: Balance) -> None:
        kinds = balance.kinds
        self.kinds = {name: kind for which in KINDS for name, kind in kinds.items() if kind == which and which != PARTS}
        self.kinds[REST] = REST
        self.kinds |= {name: kind for name, kind in kinds.items() if kind == PARTS}
        self._sums = dict.fromkeys(self.kinds, 0.0)

    def _begin(self, state: State) -> None:
        """Begin a step with an initial state that differs from the state at the end of the previous step."""
        assert self._balance is not None
        self._catch_up()
        self._balance.begin(as_local(state))
        self._version = state.world.version

    def before_step(self, state: State) -> None:
        """Add the changes of energies that result from changes of the model since the previous step. Before the first
        step of the ledger, make a record.
        """
        if self._version < 0:
            self._begin(state)
        elif state.world.version != self._version:
            self._take_changes(as_local(state))
        super().before_step(state)

    def after_step(self, state: State) -> None:
        """Add the work of all forces and the changes of energies in the step to the sums."""
        balance = self._balance
        assert balance is not None
        start = balance.start
        if not state.t > start.t:
            raise ModelError(
                f"the time does not change at {state.t:g} s: an EnergyLedger must be a hook of a dynamic solve"
            )
        if state.world.version != self._version:
            self._take_changes(start)
        balance.advance(state)
        self._late = None
        self.steps += 1
        self._share_losses()
        super().after_step(state)

    def _take_changes(self, start: State) -> None:
        """Add the changes of energies that result from changes of the model since the start of the step. Examples are
        changes of stiffnesses, switches and loads, and the insertion of reserve cables.
        """
        balance = self._balance
        assert balance is not None
        self._catch_up()
        self._settle()
        before = balance.stored()
        self._add_sums()
        balance.begin(start)
        self._version = start.world.version
        for name, now in balance.stored().items():
            self._sums[name] += now - before[name]
            self._sums[CHANGES] += now - before[name]

    def _share_losses(self) -> None:
        """Sum the losses of each group over all processes. Drawings and tables can then read these sums at any time."""
        assert self._world is not None
        for losses in self._losses.values():
            if losses.shared is not None and len(losses.ids):
                losses.shared[:] = parallel_assembly(self._world).processes.sum(losses.sum_here())

    def _add_sums(self) -> None:
        """Add the sums of the balance since the previous call to the sums of the ledger on this process."""
        assert self._balance is not None
        self._catch_up()
        for name, value in self._balance.name_sums(self._balance.take_numbers()).items():
            self._sums[name] += value

    def _add_rest(self, sums: dict[str, Any]) -> None:
        """Compute the remainder of the energy balance from the other quantities, which are scalars or arrays."""
        sums[REST] = sum(
            value * (1.0 if self.kinds[name] == WORK else -1.0)
            for name, value in sums.items()
            if self.kinds[name] not in (REST, PARTS)
        )

    def _reduce(self, sums: dict[str, float]) -> dict[str, float]:
        """Return the sums [J] over all processes, by name. The call is collective."""
        assert self._world is not None
        values = parallel_assembly(self._world).processes.sum(np.array(list(sums.values())))
        return dict(zip(sums, values.tolist(), strict=True))

    _step_calls = before_step, after_step

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return the coming steps that run without calls of this hook, with a program that adds the values of each step
        to the sums, and makes a record if one is due. If Python is needed to evaluate the steps, return no steps.
        """
        if state.world.version != self._version or self._find_work(state) is None:
            return NO_STEPS
        return super().idle_steps(state, size)

    def _find_work(self, state: State) -> Program | None:
        assert self._balance is not None
        return self._balance.find_program(state)

    def find_numbers(self, state: State) -> RecordNumbers | None:
        """Return the array of the sums, which is also the array of the values of a record. Each step adds its values to
        the sums. Return None if the rows are distributed over several processes, or if a subclass overrides `record`.
        """
        assert self._balance is not None
        # if a subclass overrides `record`, this method must be called for each record
        if type(self).record is not EnergyLedger.record or self._balance.is_parallel:
            return None
        values = self._balance.numbers
        if values is not self._numbers_kept.values:
            self._numbers_kept = RecordNumbers(values, after=[(If(self._balance.restart_steps(), self.due, 1), ())])
        return self._numbers_kept

    def take_records(self, times: Sequence[float], steps: Sequence[int], records: FloatArray) -> None:
        """Store the records that compiled code has made."""
        self._times += times
        self._pending += list(records)

    def _add_steps(self, steps: int) -> None:
        super()._add_steps(steps)
        self.steps += steps
        if steps and self.due[0] == 0:
            assert self._changing is not None
            self._late = self._changing[0].t

    def _catch_up(self) -> None:
        """Evaluate all energies at the end of the last step, if compiled code has not evaluated them. This method must
        be called before the model changes, and before energies are read.
        """
        if self._late is not None:
            late, self._late = self._late, None
            assert self._balance is not None
            self._balance.catch_up(late)

    def record(self, state: State) -> None:
        """Store the sums at this instant as a record."""
        if self._times and self._times[-1] == state.t:
            return
        self._times.append(state.t)
        assert self._balance is not None
        if not self._balance.is_parallel:
            self._catch_up()
            self._pending.append(self._balance.take_numbers())
            return
        self._add_sums()
        sums: dict[str, Any] = self._reduce(self._sums)
        self._add_rest(sums)
        self._kept.append([sums[name] for name in self.kinds])

    def _is_empty(self) -> bool:
        return not self._times

    def finish(self, state: State) -> None:
        """Record the last state, and write the file."""
        super().finish(state)
        if self._catch_up in state.world.before_set:
            state.world.before_set.remove(self._catch_up)
        records = self._settle()
        if self._claim is not None and is_first_process() and not is_replaying():
            columns = [("time", "s"), *((name, "J") for name in self.kinds)]
            rows = ([t, *row] for t, row in zip(self._times, records, strict=True))
            CsvTable(self._claim.path, columns, rows).close()

    def checkpoint(self) -> dict[str, Any]:
        """Return all sums and records. See `StepHook.checkpoint`. The present run also continues from the returned
        sums, so that the present run and a restarted run give equal results.
        """
        assert self._world is not None
        processes, records = parallel_assembly(self._world).processes, self._settle()
        self._add_sums()
        sums = self._reduce(self._sums)
        self._set_sums(sums)
        self._version = -1
        layout = parallel_assembly(self._world).layout
        rows: dict[str, Any] = {}
        for component, losses in self._losses.items():
            parts = processes.allgather("losses", (layout.rows[component], losses.rows))
            count = self._world.tables[component].count
            replicated = len(parts) > 1 and all(len(part[0]) == count for part in parts)
            rows[component.__name__] = join_rows([p for p in parts if len(p[0])], count, 0.0, replicated)
        return {"sums": sums, "first": self._first, "steps": self._steps, "count": self.steps, "losses": rows} | {
            "times": np.array(self._times),
            "rows": np.array(records).reshape(len(records), len(self.kinds)),
            "names": self.names,
        }

    def _set_sums(self, sums: Mapping[str, float]) -> None:
        """Set the sums. The first process stores the sums over all processes."""
        first = is_first_process()
        self._sums = {name: float(sums[name]) if first else 0.0 for name in self.kinds}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Continue from the sums of the interrupted run.

        Raises:
            ModelError: the quantities of the interrupted run and of this run differ.
        """
        if kept["names"] != self.names:
            raise ModelError(
                f"the ledger has {', '.join(self.names)}: must have the quantities of the checkpoint, "
                f"{', '.join(kept['names'])}"
            )
        self._steps, self.steps = int(kept["steps"]), int(kept["count"])
        self._set_sums(kept["sums"])
        self._first = dict(kept["first"])
        self._times, self._kept = kept["times"].tolist(), kept["rows"].tolist()
        assert self._world is not None
        layout = parallel_assembly(self._world).layout
        for component, losses in self._losses.items():
            whole = kept["losses"][component.__name__]
            losses.rows[:] = whole[layout.rows[component]]
        self._share_losses()
        self._done = self._count_due(state)
        self._version = -1

    def format(self) -> str:
        """Return the ledger at the most recent record as a text table."""
        return format_lines(self._list_lines())

    def report_sections(self) -> list[ReportSection]:
        """Return the section on the ledger for the report of the run."""
        if not self._times:
            return []
        labels = self._find_labels()
        title, *rows = self._list_lines(labels)
        shown = [name for name in self.kinds if self.kinds[name] != PARTS and self[name].any()]
        # quantities that are too small to be visible appear only in the table
        largest = max((float(np.abs(self[name]).max()) for name in shown), default=0.0)
        shown = [name for name in shown if float(np.abs(self[name]).max()) > SEEN * largest]
        words = {name: labels.get(name, name.replace(".", ": ").replace("_", " ")) for name in shown}
        curves = [(fill(words[name], LINE), "J", self[name]) for name in shown]
        parts = [ReportTable(title, rows), ReportCurves("time [s]", self.times, curves)]
        return [ReportSection("Energy", parts, "energy")]

    def _find_labels(self) -> dict[str, str]:
        """Return labels for quantities of laws with few rows, such as loads and springs, by name of the quantity. A
        label consists of the names of the active rows. In reports, the label replaces the name of the quantity.
        """
        world = self._world
        assert world is not None
        tables = {component.__name__: table for component, table in world.tables.items()}
        labels: dict[str, str] = {}
        for quantity in self.kinds:
            law, _, part = quantity.partition(".")
            table = tables.get(law)
            if table is None or not 0 < table.count <= MOST_ROWS:
                continue
            rows = np.arange(table.count)
            constraint = parallel_assembly(world).layout.systems[table.component].constraint
            if constraint is not None and constraint.driven is not None and len(constraint.driven) == table.count:
                rows = rows[constraint.driven == (part == "driven")]
            rows = rows[table.collect("active")[rows]] if "active" in table.component.columns else rows
            # names of rows with a common label, such as the cables of a belt, end with a number, which is removed here
            names = list(dict.fromkeys(re.sub(r" \d+$", "", self._name_row(table, int(row))) for row in rows))
            if 0 < len(names) <= MOST_NAMES:
                labels[quantity] = ": ".join((", ".join(names), part.replace("_", " "))) if part else ", ".join(names)
        known = list(labels.values())
        return {quantity: label for quantity, label in labels.items() if known.count(label) == 1}

    def _name_row(self, table: EntityTable, row: int) -> str:
        """Return the name of a row that the user has given. If the row has no such name, return the name of the entity
        that carries the last marker of the row. If the row has no marker, return the name of the component.
        """
        own = table.describe(row)
        markers = [name for name in table.component.refs if name.startswith("marker")]
        if own != f"{table.kind} {row}" or not markers:
            return own if own != f"{table.kind} {row}" else table.component.__name__
        carriers = [int(n) for name in markers for n in table.named(name, np.array([row])) if n >= 0]
        return self._name_of(carriers[-1]) if carriers else table.component.__name__

    def _list_lines(self, labels: Mapping[str, str] | None = None) -> list[tuple[str, str, str]]:
        """Return the lines of the ledger at the most recent record."""
        by: list[tuple[str, list[tuple[str, float]]]] = []
        for component, losses in self._losses.items():
            for k, name in enumerate(losses.names if len(losses.ids) else ()):
                values = losses.sum_groups()[:, k].tolist()
                groups = [(self._name_of(int(i)), value) for i, value in zip(losses.ids, values, strict=True)]
                by.append((f"{component.__name__}.{name}", groups))
        span = (self._times[0], self._times[-1]) if self._times else (0.0, 0.0)
        return list_lines(self.kinds, self.totals, self._first, dict(by), span, self.steps, labels)

    def _name_of(self, number: int) -> str:
        """Return the name of an entity that the user has given. If the entity has no such name, but has a marker or is
        a marker, return the name of the entity that its first reference refers to.
        """
        assert self._world is not None
        entity = self._world.entity(number)
        if entity.name != f"{entity.table.kind} {int(entity.rows[0])}":
            return entity.name
        for name in entity.table.component.refs:
            for carrier in entity.table.named(name, entity.rows)[:1]:
                if carrier >= 0:
                    return self._world.entity(int(carrier)).name
        return entity.name

    @checked(path=optional(path()))
    def draw(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plot work, energies and losses over time. A second diagram shows the remainder and its parts.

        Args:
            path: file of the picture (``.png``, ``.pdf``, ``.svg``). If ``path`` is None, the method returns a figure
                of matplotlib, which notebooks show.

        Returns:
            The path or the figure; on all processes except the first, None.

        Raises:
            OutputError: nothing was recorded, or the file cannot be written.
        """
        if not is_first_process() or help_requested():
            return None
        target = check_picture(path)
        if not self._times:
            raise OutputError("EnergyLedger.draw: nothing was recorded; the ledger must first be a hook of a solve")
        return hand_over(draw_series(self.times, {name: self[name] for name in self.kinds}, self.kinds), target)

    def _repr_html_(self) -> str:
        """Return the ledger as HTML for notebooks."""
        title, *rows = self._list_lines()
        return format_table(ReportTable(title, rows), inline=True)

    def close(self) -> None:
        """Release the claim on the CSV file."""
        if self._claim is not None:
            self._claim.release()
