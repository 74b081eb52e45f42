"""Columns of measured values in a table with times, and the columns in the tables of runs with which the measured
values are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from windlass.connectors.user_functions.time_series import SeriesColumn, read_columns
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError, OptionError


@dataclass(frozen=True)
class MeasuredTable:
    """Measured values.

    Attributes:
        file: the table.
        times: times [s] of the rows, shape (rows,).
        names: names of all columns except the times.
        units: units in the column headings; "1" for columns without unit.
        factors: factor from the unit of each column to the SI unit.
        values: values in the units of the headings, shape (columns, rows).
    """

    file: Path
    times: FloatArray
    names: tuple[str, ...]
    units: tuple[str, ...]
    factors: tuple[float, ...]
    values: FloatArray

    @property
    def places(self) -> IntArray:
        """Return the column index of each element of the flattened ``values``, shape (columns * rows,)."""
        return np.repeat(np.arange(len(self.names)), len(self.times))

    def label(self, column: int) -> str:
        """Return the name and the unit of a column."""
        return self.names[column] + (f" [{self.units[column]}]" if self.units[column] != "1" else "")


def read_measured(file: Path) -> MeasuredTable:
    """Read a table of measured values. Raise OptionError if the file is wrong."""
    try:
        times, columns = read_columns(file, "time")
    except ModelError as error:
        raise OptionError(f"-data {file}: {error}") from None
    if not columns or len(times) < 2:
        raise OptionError(f"-data {file}: must have a column of times, at least one other column and two rows")
    return MeasuredTable(
        file,
        times,
        tuple(column.name for column in columns),
        tuple(column.unit for column in columns),
        tuple(column.factor for column in columns),
        np.array([column.values for column in columns]),
    )


class RunTables:
    """Search for the measured columns in the tables of a run.

    Args:
        measured: the measured values.
    """

    def __init__(self, measured: MeasuredTable) -> None:
        self._measured = measured
        self._files: dict[str, Path] = {}

    def read(self, folder: Path) -> FloatArray:
        """Return the values of a run at the measured times, in the units of the measured columns, shape (columns,
        rows).

        Raises:
            OptionError: a column is in no table or in several tables, or a measured time is outside the run.
        """
        if not self._files:
            self._files = self._find(folder)
        tables: dict[Path, tuple[FloatArray, dict[str, SeriesColumn]]] = {}
        for file in dict.fromkeys(self._files.values()):
            times, columns = read_columns(folder / file, "time")
            tables[file] = times, {column.name: column for column in columns}
        times, found = self._measured.times, []
        for name, factor in zip(self._measured.names, self._measured.factors, strict=True):
            run_times, columns_by_name = tables[self._files[name]]
            reach = 1e-9 * (run_times[-1] - run_times[0])
            if times[0] < run_times[0] - reach or times[-1] > run_times[-1] + reach:
                raise OptionError(
                    f"-data {self._measured.file}: has times from {times[0]:g} to {times[-1]:g} s: must lie within "
                    f"the run, whose table {self._files[name]} has times from {run_times[0]:g} to {run_times[-1]:g} s"
                )
            column = columns_by_name[name]
            found.append(np.interp(times, run_times, column.values * (column.factor / factor)))
        return np.array(found)

    def _find(self, folder: Path) -> dict[str, Path]:
        """Find the table of each measured column. Return paths within the folder of the run."""
        has: dict[str, list[Path]] = {}
        for file in sorted(folder.rglob("*.csv")):
            try:
                for column in read_columns(file, "time")[1]:
                    has.setdefault(column.name, []).append(file.relative_to(folder))
            except ModelError:
                continue  # the file contains another type of table, such as a table of modes
        for name in self._measured.names:
            files = has.get(name, [])
            if len(files) != 1:
                there = ", ".join(sorted(has)) or "none: record them by wl.Sensors with a file"
                found = f"several tables contain it: {', '.join(map(str, files))}" if files else "no table contains it"
                raise OptionError(
                    f"-data {self._measured.file}: column '{name}': {found}; must be the name of one sensor that the "
                    f"run writes into a table: {there}"
                )
        return {name: has[name][0] for name in self._measured.names}
