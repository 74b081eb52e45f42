"""The command `windlass identify` finds the values of options with which the sensors of a model fit measured values
best.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from windlass.commands.studies.fit import LEVEL, BoxFit, Fit, find_trend
from windlass.commands.studies.fit_plot import draw_fit, draw_regions, has_regions
from windlass.commands.studies.kept_runs import KeptRuns
from windlass.commands.studies.measured import MeasuredTable, RunTables, read_measured
from windlass.commands.studies.ranges import Range, case_at, read_ranges, start_of
from windlass.commands.studies.search import Point, to_point
from windlass.commands.studies.study_folder import open_study
from windlass.commands.studies.study_plan import StudyPlan, carry_out
from windlass.commands.studies.study_report import REPORT, StudyReport, check_report, write_report
from windlass.commands.studies.study_words import read_words
from windlass.commands.studies.sweep_table import Row, write_table
from windlass.framework.arrays import FloatArray
from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output, write_output
from windlass.framework.launch.arguments import Option, option_table

HELP = """windlass identify MODEL.py -output DIR -data FILE.csv [options of the fit, of the model and of PETSc]

Finds the values of options for which the tables that the model writes with wl.Sensors agree best with measured values:
least squares, with confidence intervals.  The file has a column "time [s]" and columns with the names of sensors, in
any unit.  Options that vary have ranges: -friction 0.1:0.8, or with equal ratios -stiffness 1e4:1e8:log; the fit begins
at the default of the model.  The same command continues a fit that has stopped.

Options of the fit.  A model's option of the same name is given by -fixed:"""
COMMAND = "windlass identify"
OWN = option_table(
    Option("output", "", "", "folder of the fit; the same command with it continues a stopped fit"),
    Option("data", "", "", "the CSV file with measured values"),
    Option("deviation", "", "", 'known standard deviations, a list in quotes: "speed=0.01,torque=0.2", in the units of '
           "the file; others are estimated"),
    Option("runs", 60, "1", "maximum number of runs", minimum=2),
    Option("step", 1e-3, "1", "difference for derivatives, as a share of the range", minimum=1e-6, maximum=0.1),
    Option("tolerance", 1e-6, "1", "relative change of the sum of squares that ends the fit", minimum=1e-12),
    Option("confidence", LEVEL, "1", "confidence of intervals and of the joint region", minimum=0.5, maximum=0.9999),
    Option("jobs", 1, "1", "number of runs at a time", minimum=1),
    Option("fixed", "", "", 'further options of all runs in quotes: "-output none"'),
    Option("limit", 0.0, "s", "time after which a run is stopped", minimum=1e-3),
    REPORT,
    Option("quiet", False, "", "print errors only"),
)  # fmt: skip
DEFINITION, TABLE, PICTURE = "identify.json", ("identify.csv", "identify.parquet"), "fit.png"
CURVES, RESULT = "fit.csv", "fit.json"
DEVIATION = re.compile(r"\s*(.+?)\s*=\s*(\S+)\s*")
CLOSE = 0.95
"""If the absolute value of the correlation of two parameters is larger than this value, the summary mentions the
pair.
"""
TREND = 0.3
"""If the correlation of neighbouring residuals is larger than this value, the residuals are not treated as random."""
FAR = 2.0
"""If the root mean square of the residuals of a column, divided by the given standard deviation, is not between 1/FAR
and FAR, the summary states this ratio.
"""


@dataclass(frozen=True)
class FitPlan(StudyPlan):
    """The plan of a fit: a dictionary from options to ranges, the measured values, and the standard deviations of
    measured values (NaN if unknown).
    """

    ranges: dict[str, Range]
    measured: MeasuredTable
    deviations: tuple[float, ...]

    def describe(self) -> dict[str, Any]:
        """Return the settings that must not have changed when a fit is resumed."""
        data = hashlib.sha256(self.measured.file.read_bytes()).hexdigest()
        ranges = {name: each.describe() for name, each in self.ranges.items()}
        return {"data_sha256": data, "ranges": ranges, **self.describe_common(("deviation", "step", "tolerance"))}


def main(words: Sequence[str]) -> int:
    """Run the command. Return the exit code, which is 0 if the fit has a result.

    Raises:
        OptionError: the command line is wrong, or no table of a run contains a measured column.
        OutputError: files cannot be written, or the folder contains another fit.
    """
    return carry_out(words, HELP, OWN, make_plan, conduct)


def make_plan(words: Sequence[str]) -> FitPlan:
    """Return the fit that a command line describes. The model is run once, without solves, to find the options of the
    model.

    Raises:
        OptionError: the command line is wrong.
    """
    model, own, varied, constant, common = read_words(words, OWN, COMMAND, "fit", "runs", "fit_friction")
    check_report(own["report"])
    if not own["data"]:
        raise OptionError("-data is not given: expected the CSV file with measured values")
    measured = read_measured(Path(own["data"]).absolute())
    deviations = read_deviations(own["deviation"], measured)
    ranges = read_ranges(model, varied, constant, common)
    if measured.values.size <= len(ranges):
        raise OptionError(
            f"-data {own['data']}: has {measured.values.size} values for {len(ranges)} options; must have more "
            "values than options"
        )
    return FitPlan(model, tuple(common), own, ranges, measured, deviations)


def read_deviations(text: str, measured: MeasuredTable) -> tuple[float, ...]:
    """Return the standard deviation of each measured column, or NaN for columns without a given deviation. Raise
    OptionError for wrong input.
    """
    given: dict[str, float] = {}
    for part in filter(str.strip, text.split(",")):
        match = DEVIATION.fullmatch(part)
        try:
            number = float(match[2]) if match else float("nan")
        except ValueError:
            number = float("nan")
        if match is None or not 0.0 < number < float("inf"):
            raise OptionError(
                f"-deviation {part.strip()}: must be COLUMN=NUMBER with a number > 0, separated by commas"
            )
        if match[1] not in measured.names:
            raise OptionError(f"-deviation {match[1]}: must be one of the columns {', '.join(measured.names)}")
        given[match[1]] = number
    return tuple(given.get(name, float("nan")) for name in measured.names)


class FitRuns:
    """Object that evaluates the residuals at points in the parameter space for the fit.

    Args:
        plan: the fit.
        runs: object that executes runs, or reads the results of earlier runs.
    """

    def __init__(self, plan: FitPlan, runs: KeptRuns) -> None:
        self._plan, self._runs, self._tables = plan, runs, RunTables(plan.measured)
        self.rows: dict[Point, Row] = {}

    def __call__(self, points: Sequence[Point]) -> list[FloatArray | None]:
        """Return the residuals at points of the parameter space, with None for failed runs. Runs of new points are
        executed in parallel.
        """
        found: list[FloatArray | None] = []
        cases = [case_at(self._plan.ranges, point) for point in points]
        for point, (row, folder) in zip(points, self._runs.run(cases), strict=True):
            self.rows[point] = row
            failed = row["status"] == "failed"
            found.append(None if failed else (self._tables.read(folder) - self._plan.measured.values).ravel())
        return found


def conduct(plan: FitPlan, executor: Executor) -> int:
    """Run the fit, write the tables and the picture, print the summary, and return the exit code."""
    lock = open_study(plan.folder, DEFINITION, plan.describe(), "fit", lambda: check_files(plan.folder))
    own, measured = plan.own, plan.measured
    runs = plan.open_runs(executor)
    residuals = FitRuns(plan, runs)
    limits = {name: own[name] for name in ("runs", "step", "tolerance", "confidence")}
    box = BoxFit(residuals, measured.values.ravel(), measured.places, np.array(plan.deviations), **limits)
    start = start_of(plan.ranges)
    with plan.noted():
        fit = box.fit(start)
    files = write_table(plan.folder, runs.rows, TABLE)
    failed = sum(row["status"] == "failed" for row in runs.rows)
    lines = [f"{len(box.found)} runs, {failed} failed; {fit.ended if fit else runs.rows[0]['reason']}"]
    contents = StudyReport(
        [*COMMAND.split(), *plan.words], plan.model, lines, {}, [], plan.describe(), runs.rows, "failed"
    )
    if fit is None:
        lines.append("the first run has no result: start from other values")
    else:
        first = box.found[start]
        assert first is not None
        shape = measured.values.shape
        at_start, best = (measured.values + part.reshape(shape) for part in (first, fit.residuals))
        files += [write_curves(plan, best), write_result(plan, fit)]
        files.append(draw_fit(plan.folder / PICTURE, measured, at_start, best))
        row = residuals.rows[to_point(fit.point)]
        lines += describe(plan, fit, row)
        doubts = [row["reason"]] if row["reason"] else []
        regions = [draw_regions(plan.ranges, fit)] if own["report"] and has_regions(fit) else []
        contents = replace(
            contents, tables=tabulate_fit(plan, fit), pictures=[plan.folder / PICTURE, *regions], verdict=row["status"],
            doubts=doubts,
        )  # fmt: skip
    files += write_report(own["report"], contents)
    lock.release()
    if not own["quiet"]:
        print("\n".join([*lines, *(f"  {file}" for file in files)]))
    return 0 if fit is not None else 2


def check_files(folder: Path) -> None:
    """Raise OutputError if the path of a table or of the picture is a file of another program."""
    for name in (*TABLE, CURVES):
        check_output(folder / name, "table of the fit", "table")
    check_output(folder / RESULT, "result of the fit", "summary")
    check_output(folder / PICTURE, "picture of the fit", "picture")


def tabulate_fit(plan: FitPlan, fit: Fit) -> dict[str, ReportTable]:
    """Return the tables of the report of a fit by title: values with intervals, correlations, and residuals."""
    names, values = list(plan.ranges), list[list[Any]]()
    loose = {k for group in fit.loose for k in group}
    for k, (name, each) in enumerate(plan.ranges.items()):
        share, width = float(fit.point[k]), float(fit.half_widths[k])
        ends = [each.value(share + side * width) for side in (-1, 1)] if np.isfinite(width) else [None, None]
        note = "not fixed by the data" if k in loose else "end of its range" if share in (0.0, 1.0) else ""
        values.append([name, each.value(share), each.unit, *ends, each.low, each.high, note])
    rests = fit.residuals.reshape(plan.measured.values.shape)
    sizes = np.sqrt(np.mean(rests**2, axis=1)).tolist()
    trends = map(find_trend, rests)
    kept = zip(plan.measured.names, plan.measured.units, sizes, fit.deviations.tolist(), trends, strict=True)
    confidence = f"{100 * plan.own['confidence']:g} %"
    return {
        "Best values": ReportTable(
            ["option", "value", "unit", f"{confidence}, from", f"{confidence}, to", "smallest", "largest", "remark"],
            values,
        ),
        "Correlations": ReportTable(
            ["option", *names], [[name, *row] for name, row in zip(names, fit.correlations.tolist(), strict=True)]
        ),
        "Residuals": ReportTable(
            ["column", "unit", "root mean square", "standard deviation", "correlation of neighbours [1]"],
            [list(row) for row in kept],
        ),
    }


def write_curves(plan: FitPlan, best: FloatArray) -> Path:
    """Write a table of times, measured values and values of the best run. Return the path of the table."""
    measured = plan.measured
    heading, columns = ["time [s]"], [measured.times]
    for k, name in enumerate(measured.names):
        unit = f" [{measured.units[k]}]"
        heading += [f"{name} measured{unit}", f"{name} fit{unit}"]
        columns += [measured.values[k], best[k]]
    rows = [",".join(f"{value:.12g}" for value in row) for row in np.array(columns).T]
    write_output(plan.folder / CURVES, "\n".join([",".join(heading), *rows, ""]).encode(), "table of the fit", "table")
    return plan.folder / CURVES


def write_result(plan: FitPlan, fit: Fit) -> Path:
    """Write values, intervals and correlations to a JSON file. Return the path of the file."""
    names = list(plan.ranges)
    values = {}
    for (name, each), share, width in zip(plan.ranges.items(), fit.point, fit.half_widths, strict=True):
        known = bool(np.isfinite(width))
        values[name] = {
            "value": each.value(float(share)),
            "unit": each.unit,
            "interval": [each.value(float(share + side * width)) for side in (-1, 1)] if known else None,
        }
    result = {
        "written_by": "Windlass",
        "confidence": plan.own["confidence"],
        "options": values,
        "correlations": {
            name: dict(zip(names, row, strict=True)) for name, row in zip(names, fit.correlations.tolist(), strict=True)
        },
        "joint_region": describe_region(plan, fit),
        "not_fixed": [[names[k] for k in group] for group in fit.loose],
        "deviations": dict(zip(plan.measured.names, fit.deviations.tolist(), strict=True)),
        "ended": fit.ended,
    }
    write_output(plan.folder / RESULT, f"{json.dumps(result, indent=2)}\n".encode(), "result of the fit", "summary")
    return plan.folder / RESULT


def describe_region(plan: FitPlan, fit: Fit) -> dict[str, Any] | None:
    """Return a dictionary that describes the joint confidence region of all options, or None if the data do not
    determine all options. The dictionary contains the covariance matrix, the bound, and the names of the options that
    the covariance matrix describes by their logarithms.
    """
    if not np.isfinite(fit.covariance).all():
        return None
    names, widths = list(plan.ranges), np.array([each.width for each in plan.ranges.values()])
    covariance = fit.covariance * np.outer(widths, widths)
    return {
        "logarithms": [name for name, each in plan.ranges.items() if each.ratios],
        "covariance": {
            name: dict(zip(names, row, strict=True)) for name, row in zip(names, covariance.tolist(), strict=True)
        },
        "bound": fit.bound,
    }


def describe(plan: FitPlan, fit: Fit, row: Row) -> list[str]:
    """Return the lines of the summary of a fit."""
    names, lines = list(plan.ranges), [f"best fit in case {row['case']}"]
    if row["status"] == "doubtful":
        lines.append(f"  doubtful: {row['reason']}")
    for (name, each), share, width in zip(plan.ranges.items(), fit.point, fit.half_widths, strict=True):
        at = " (end of its range)" if share in (0.0, 1.0) else ""
        ends = [f"{each.value(float(share + side * width)):.4g}" for side in (-1, 1)] if np.isfinite(width) else []
        interval = f", {100 * plan.own['confidence']:g} %: {ends[0]} to {ends[1]}{each.unit_words}" if ends else ""
        lines.append(f"  -{name} {each.value(float(share)):.6g}{each.unit_words}{interval}{at}")
    for group in fit.loose:
        lines.append(f"  not fixed by the data: {describe_loose([names[k] for k in group])}")
    for i, j in np.argwhere(np.triu(np.abs(fit.correlations), 1) > CLOSE):
        if np.isfinite(fit.half_widths[[i, j]]).all():
            lines.append(f"  correlation of -{names[i]} and -{names[j]}: {fit.correlations[i, j]:.3f}")
    if np.isnan(fit.half_widths).any():
        lines.append("  no intervals: they need further runs")
    rests = fit.residuals.reshape(plan.measured.values.shape)
    for k, name in enumerate(plan.measured.names):
        size = float(np.sqrt(np.mean(rests[k] ** 2)))
        unit = "" if plan.measured.units[k] == "1" else f" {plan.measured.units[k]}"
        trend, given = find_trend(rests[k]), plan.deviations[k]
        words = f"  {name}: residuals of {size:.3g}{unit}"
        if not np.isnan(given) and not 1.0 / FAR < size / given < FAR:
            words += f", {size / given:.3g} times the given deviation"
        if trend > TREND:
            words += (
                f"; neighbours are correlated ({trend:.2f}), so that the model differs from the data by more than "
                "random noise, and intervals are too narrow"
            )
        lines.append(words)
    return lines


def describe_loose(names: Sequence[str]) -> str:
    """Return a text with the names of options whose combination the data do not determine."""
    if len(names) == 1:
        return f"-{names[0]}"
    return f"{', '.join(f'-{name}' for name in names[:-1])} and -{names[-1]}, only a combination of them"
