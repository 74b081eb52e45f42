"""Sensors: output variables of entities over time, in memory and as a CSV table.

    speeds = Sensors("speeds.csv", [Sensor(left, "angular_velocity", 2, name="left"), Sensor(right, ...)], every=10)
    Dynamic(world, step=1e-4, end=2.45).solve(state, hooks=[speeds])
    speeds.times, speeds["left"]

For each recorded step, all sensors of one `Sensors` object together need only one evaluation of the markers and one sum
over the processes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import (
    check,
    check_fields,
    checked,
    checked_names,
    each,
    handle,
    inside,
    optional,
    path,
    that,
    whole,
    word,
)
from windlass.framework.command_line.options import help_requested
from windlass.framework.command_line.report_parts import ReportCurves, ReportSection
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.drawing import FieldEntries
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity
from windlass.framework.output.csv import CsvTable, TableClaim
from windlass.framework.output.figures import check_picture, hand_over
from windlass.framework.output.plots import plot_curves
from windlass.framework.output.probes import SENSOR, Probe, Readings, SensorLike, name_columns
from windlass.framework.restart.insurance import is_replaying
from windlass.framework.state.evaluate import find_evaluated_rows, find_output, load_outputs
from windlass.framework.state.state import State

LONGEST_NAME = 200
"""Largest number of characters in the name of a sensor. Tables and reports use the name as a heading."""
FIELDS = {
    "entity": handle(),
    "output": word(),
    "component": optional(whole()),
    "name": word(),
    "where": that(
        lambda given: isinstance(given, Mapping) and all(isinstance(k, str) for k in given), "places by name"
    ),
}


@checked_names(FIELDS)
@dataclass(frozen=True)
class Sensor:
    """One output variable of one or more entities of one component.

    Args:
        entity: one or more entities of one component. With several entities, the first axis of the value array has one
            entry for each entity.
        output: name of the output variable. See `outputs_of`.
        component: index of the recorded component of a vector, along the last axis of the value array. By default, all
            components are recorded.
        name: name of the sensor, which is the heading of its columns in the table. The default is
            ``"<entity>.<output>"``.
        where: position on the entity at which the output variable is evaluated, e.g. ``{"x": 0.1}`` [m] along a cable.

    Raises:
        ModelError: the entity has no such output variable, or the name is too long.
    """

    entity: Entity
    output: str
    component: int | None = None
    name: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self, FIELDS)
        if len(self.name) > LONGEST_NAME:
            words = f"name of Sensor = {self.name[:40]!r}... has {len(self.name)} characters"
            raise ModelError(f"{words}: must have at most {LONGEST_NAME} characters")
        find_output(self.entity, self.output)
        if not self.name:
            component = "" if self.component is None else f"[{self.component}]"
            object.__setattr__(self, "name", f"{self.entity.name}.{self.output}{component}")

    def create_probe(self, state: State) -> Probe:
        """Create the `Probe` of the sensor for a model. See `SensorLike`.

        Raises:
            ModelError: the output variable has no entry with the index ``component``.
        """
        output = find_output(self.entity, self.output)
        rows = find_evaluated_rows(self.entity, state.world)
        where, component = dict(self.where), self.component
        first = np.asarray(rows.evaluate(output, parallel_assembly(state.world).fields, where), dtype=np.float64)
        # `component` is the index of an entry in the value of each row, not the index of a row
        width = first.shape[-1] if first.ndim > 1 else 0
        if component is not None and not -width <= component < width:
            has = f"must be from 0 to {width - 1}" if width else "must be left out for a single number"
            raise ModelError(
                f"component = {component} of sensor {self.name!r}: {has} (output {self.output} [{output.unit}])"
            )
        shape = first.shape if component is None else first.shape[:-1]
        shape = shape[1:] if len(self.entity) == 1 else shape

        def read(fields: Fields) -> FloatArray:
            values = rows.evaluate_padded(output, fields, where, first.shape)
            return (values if component is None else values[..., component]).ravel()

        find = output.entries

        def find_entries() -> FieldEntries:
            assert find is not None
            return find(rows.rows).select(component)

        columns = name_columns(self.name, output.unit, shape)
        units = rows.units(output)
        per_row = len(columns) // max(len(units), 1)
        named = [(name, units[i // per_row]) for i, (name, _) in enumerate(columns)]
        return Probe(named, shape, read, None if find is None or where else find_entries)


def _as_cell(text: str) -> str:
    """Replace commas and double quotes in a name or unit, because a `CsvTable` does not allow these characters."""
    return text.replace(",", ";").replace('"', "'")


class Sensors(Readings):
    """Hook and context manager that records sensors at the start, at every n-th step and at the last state of a solve.

    Under MPI all processes call the sensors and store the values. The first process writes the table.

    Args:
        path: the CSV file. An existing file is replaced. The folder of the file is created if necessary. If the path is
            None, values are stored only in memory. In names and units in the file, semicolons replace commas, and
            single quotes replace double quotes.
        sensors: `Sensor` objects, or other objects with the methods of `SensorLike`. Their names must be distinct.
        every: record every n-th accepted step, n >= 1.

    Attributes:
        units: unit of each sensor, by name. For a sensor with components of different units, ``units`` contains the
            unit of the first component. Before the first record, ``units`` is empty.

    Raises:
        OutputError: the folder cannot be written, or the file is a file of another run, of other sensors or of another
            program.
        ModelError: two sensors have equal names, or no sensors are given.
    """

    @checked(path=optional(path()), sensors=each(SENSOR, "a list of sensors"), every=inside())
    def __init__(self, path: str | os.PathLike[str] | None, sensors: Sequence[SensorLike], every: int = 1) -> None:
        every = check(whole(1), "every", every, "Sensors", OutputError)
        super().__init__("Sensors", sensors, int(every))
        self._claim = None if path is None else TableClaim(path, "Sensors")
        self._table: CsvTable | None = None
        self._rows: list[FloatArray] = []
        self._marks: list[tuple[float, int]] = []

    @property
    def times(self) -> FloatArray:
        """Times [s] at which the sensors were recorded, shape (records,)."""
        return np.array([t for t, _ in self._marks], dtype=np.float64)

    @property
    def steps(self) -> IntArray:
        """Step numbers of the records, shape (records,)."""
        return np.array([step for _, step in self._marks], dtype=np.int64)

    def __getitem__(self, name: str) -> FloatArray:
        """Return a copy of the values of one sensor, in its unit, shape (records, ...)."""
        self._check_name(name)
        if not self._rows:
            return np.zeros(0)
        first, probe = self._places[name]
        values = np.array([row[first : first + len(probe.columns)] for row in self._rows])
        return values.reshape(len(self._rows), *probe.shape)

    def _take(self, rows: Sequence[FloatArray], marks: Sequence[tuple[float, int]]) -> None:
        """Store records in memory and in the table."""
        self._rows += rows
        self._marks += marks
        if self._claim is not None:
            self._claim.begin()
        if self._claim is None or not is_first_process() or is_replaying():
            return
        if self._table is None:
            columns = [("time", "s"), ("step", "1"), *(c for probe in self._probes for c in probe.columns)]
            # after a restart the table begins with the rows of the interrupted run
            before = len(self._rows) - len(rows)
            kept = ([*at, *row.tolist()] for at, row in zip(self._marks[:before], self._rows[:before], strict=True))
            self._table = CsvTable(self._claim.path, [(_as_cell(name), _as_cell(unit)) for name, unit in columns], kept)
        self._table.extend([[*mark, *row.tolist()] for mark, row in zip(marks, rows, strict=True)])

    def checkpoint(self) -> dict[str, Any]:
        """Return all records. See `StepHook.checkpoint`."""
        columns = [name for probe in self._probes for name, _ in probe.columns]
        rows = np.array(self._rows).reshape(len(self._rows), len(columns))
        return {"columns": columns, "rows": rows, "times": self.times, "marks": self.steps, "steps": self._steps}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore the records of the interrupted run. The table changes only at the next record.

        Raises:
            ModelError: the sensors of the interrupted run and of this run differ.
        """
        self._steps = int(kept["steps"])
        if len(kept["rows"]):
            load_outputs(state)
            self._create_probes(state)
            columns = [name for probe in self._probes for name, _ in probe.columns]
            if columns != kept["columns"]:
                there, here = ", ".join(kept["columns"]), ", ".join(columns)
                raise ModelError(f"sensors are {here}: must be the sensors of the checkpoint, {there}")
        self._rows = list(kept["rows"])
        self._marks = list(zip(kept["times"].tolist(), kept["marks"].tolist(), strict=True))
        self._mark = self._marks[-1] if self._marks else None
        if self._table is not None:
            self._table.close()
            self._table = None

    def _is_empty(self) -> bool:
        return not self._marks

    @checked(path=optional(path()), names=optional(each(word(), "a list of names of sensors")))
    def plot(self, path: str | os.PathLike[str] | None = None, names: Sequence[str] | None = None) -> Any:
        """Plot the sensors over time.

        Args:
            path: file of the picture (``.png``, ``.pdf``, ``.svg``). If ``path`` is None, the method returns a figure
                of matplotlib, which notebooks show.
            names: names of the plotted sensors. If ``names`` is None, all sensors are plotted.

        Returns:
            The path or the figure; None on all processes except the first.

        Raises:
            ModelError: no sensor has this name.
            OutputError: nothing was recorded, or the file cannot be written.
        """
        for name in names or ():
            self._check_name(name)
        if not is_first_process() or help_requested():
            return None
        target = check_picture(path)
        if not self._rows:
            raise OutputError("Sensors.plot: nothing was recorded; Sensors must first be a hook of a solve")
        return hand_over(plot_curves(self._find_curves(self.names if names is None else names)), target)

    def _find_curves(self, names: Sequence[str]) -> ReportCurves:
        """Return the curves of all components of the selected sensors over time."""
        values, curves = np.array(self._rows).T, []
        for name in names:
            first, probe = self._places[name]
            curves += [(label, unit, values[first + k]) for k, (label, unit) in enumerate(probe.columns)]
        return ReportCurves("time [s]", self.times, curves)

    def report_sections(self) -> Sequence[ReportSection]:
        """Return the section of the report that shows all components of the sensors over time. With fewer than two
        records, the result is empty.
        """
        return () if len(self._rows) < 2 else [ReportSection("Sensors", [self._find_curves(self.names)])]

    def close(self) -> None:
        """Close the CSV file. The values remain in memory."""
        if self._table is not None:
            self._table.close()
        if self._claim is not None:
            self._claim.release()
