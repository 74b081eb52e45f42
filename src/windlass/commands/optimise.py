"""The command `windlass optimise` finds the values of options that minimise or maximise a result of a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import isfinite, isnan
from pathlib import Path
from typing import Any, NamedTuple

from windlass.commands.studies.convergence_plot import draw_convergence
from windlass.commands.studies.kept_runs import KeptRuns
from windlass.commands.studies.ranges import Range, case_at, read_ranges, start_of
from windlass.commands.studies.search import METHODS, UNLIMITED, BoxSearch, Point, SearchResult
from windlass.commands.studies.study_folder import open_study
from windlass.commands.studies.study_plan import StudyPlan, carry_out
from windlass.commands.studies.study_report import REPORT, StudyReport, check_report, write_report
from windlass.commands.studies.study_words import read_words
from windlass.commands.studies.sweep_table import Row, to_value, write_table
from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output
from windlass.framework.launch.arguments import Option, option_table

HELP = """windlass optimise MODEL.py -output DIR -minimise RESULT [options of the search, of the model and of PETSc]

Finds the values of options that minimise or maximise a result of wl.write_summary.  Each run is a separate process.
Options that vary have ranges: -preload 200:500, or with equal ratios -stiffness 1e4:1e8:log; the search begins at the
default of the model.  Limits on other results: -within "largest_tension<=600,speed_loss>=0".
The same command continues a search that was stopped.

Options of the search.  A model's option of the same name is given by -fixed:"""
COMMAND = "windlass optimise"
OWN = option_table(
    Option("output", "", "", "folder of the search; the same command with it continues a stopped search"),
    Option("minimise", "", "", "name of the result to minimise"),
    Option("maximise", "", "", "name of the result to maximise"),
    Option("within", "", "", 'limits on results, a list in quotes: "tension<=600,speed>=9"'),
    Option("method", "gradient", "", "gradient (smooth results), simplex (noise), evolution (several minima); of NLopt "
           "mma, ccsaq, slsqp, and without limits lbfgs, tnewton, var2; of PETSc TAO, without limits, tao, blmvm, bncg",
           choices=METHODS),
    Option("runs", 60, "1", "maximum number of runs", minimum=1),
    Option("step", 1e-3, "1", "difference for derivatives, as a share of the range", minimum=1e-6, maximum=0.1),
    Option("tolerance", 1e-5, "1", "change of the result, relative to the first, that ends the search", minimum=1e-12),
    Option("seed", 0, "1", "seed of the random numbers of evolution", minimum=0),
    Option("jobs", 1, "1", "number of runs at a time", minimum=1),
    Option("fixed", "", "", 'further options of all runs in quotes: "-output none"'),
    Option("limit", 0.0, "s", "time after which a run is stopped", minimum=1e-3),
    REPORT,
    Option("quiet", False, "", "print errors only"),
)  # fmt: skip
DEFINITION, TABLE, PICTURE = "optimise.json", ("optimise.csv", "optimise.parquet"), "optimise.png"
LIMIT = re.compile(r"\s*([\w.-]+)\s*(<=|>=)\s*(\S+)\s*")


class Limit(NamedTuple):
    """A limit on a result: the name of the result, the sign ``<=`` or ``>=``, and the bound."""

    name: str
    sense: str
    bound: float

    def slack(self, row: Row) -> float:
        """Return the distance of a result from the bound, divided by the magnitude of the bound if the bound is not 0.
        The distance is >= 0 if the limit is fulfilled, and NaN if the run does not have the result.
        """
        value = to_number(row.get(self.name))
        distance = self.bound - value if self.sense == "<=" else value - self.bound
        return distance / (abs(self.bound) or 1.0)

    def describe(self) -> str:
        """Return the limit as text, in the form of the command line."""
        return f"{self.name} {self.sense} {self.bound:g}"


@dataclass(frozen=True)
class SearchPlan(StudyPlan):
    """The plan of a search, with a dictionary from options to ranges, and with limits on results."""

    ranges: dict[str, Range]
    limits: tuple[Limit, ...]

    @property
    def goal(self) -> tuple[str, float]:
        """Return the name of the objective, and 1 to minimise it or -1 to maximise it."""
        return (self.own["minimise"], 1.0) if self.own["minimise"] else (self.own["maximise"], -1.0)

    def describe(self) -> dict[str, Any]:
        """Return the settings that must not have changed when a search is resumed."""
        kept = ("minimise", "maximise", "within", "method", "step", "tolerance", "seed")
        ranges = {name: each.describe() for name, each in self.ranges.items()}
        return {"ranges": ranges, **self.describe_common(kept)}


def main(words: Sequence[str]) -> int:
    """Run the command. Return the exit code, which is 0 if at least one run fulfils all limits.

    Raises:
        OptionError: the command line is wrong, or a name is not a result of the model.
        OutputError: files cannot be written, or the folder contains another search.
    """
    return carry_out(words, HELP, OWN, make_plan, conduct)


def make_plan(words: Sequence[str]) -> SearchPlan:
    """Return the search that a command line describes. The model is run once, without solves, to find the options of
    the model.

    Raises:
        OptionError: the command line is wrong.
    """
    model, own, varied, constant, common = read_words(words, OWN, COMMAND, "search", "runs", "best_preload")
    if bool(own["minimise"]) == bool(own["maximise"]):
        raise OptionError("-minimise RESULT or -maximise RESULT: exactly one of them must be given")
    check_report(own["report"])
    limits = read_limits(own["within"])
    if limits and own["method"] in UNLIMITED:
        raise OptionError(
            f"-within {own['within']} with -method {own['method']}: this method has no limits: use gradient or mma"
        )
    return SearchPlan(model, tuple(common), own, read_ranges(model, varied, constant, common), limits)


def read_limits(text: str) -> tuple[Limit, ...]:
    """Return the limits in the value of ``-within``. Raise OptionError for wrong input."""
    found = []
    for part in filter(str.strip, text.split(",")):
        match = LIMIT.fullmatch(part)
        number = None if match is None else to_number(to_value(match[3]))
        if match is None or number is None or not isfinite(number):
            raise OptionError(f"-within {part.strip()}: must be RESULT<=NUMBER or RESULT>=NUMBER, separated by commas")
        found.append(Limit(match[1], match[2], number))
    return tuple(found)


def to_number(value: Any) -> float:
    """Return a result as a float. If the result is not a number, return NaN."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")


class SearchRuns:
    """Object that evaluates the results at points in the parameter space for the search.

    Args:
        plan: the search.
        runs: object that executes runs, or reads the results of earlier runs.
    """

    def __init__(self, plan: SearchPlan, runs: KeptRuns) -> None:
        self._plan, self._runs = plan, runs

    def __call__(self, points: Sequence[Point]) -> list[SearchResult]:
        """Return the results at points of the parameter space. Runs of new points are executed in parallel."""
        return [self._judge(row) for row, _ in self._runs.run([case_at(self._plan.ranges, point) for point in points])]

    def _judge(self, row: Row) -> SearchResult:
        name, sign = self._plan.goal
        missing = [wanted for wanted in (name, *(limit.name for limit in self._plan.limits)) if wanted not in row]
        if missing and row["status"] != "failed":
            there = [key for key, value in row.items() if not isnan(to_number(value)) and "." not in key]
            there = [key for key in there if key not in ("case", "run_time", *self._plan.ranges)]
            raise OptionError(f"the model has no result '{missing[0]}': must be one of {', '.join(there) or 'none'}")
        objective = sign * to_number(row.get(name))
        return SearchResult(objective, tuple(limit.slack(row) for limit in self._plan.limits))


def conduct(plan: SearchPlan, executor: Executor) -> int:
    """Run the search, write the table and the picture, print the summary, and return the exit code."""
    lock = open_study(plan.folder, DEFINITION, plan.describe(), "search", lambda: check_files(plan.folder))
    own, (goal, sign) = plan.own, plan.goal
    runs = plan.open_runs(executor)
    search = BoxSearch(SearchRuns(plan, runs), own["runs"], own["step"], own["tolerance"], own["seed"])
    with plan.noted():
        ended = search.minimise(start_of(plan.ranges), own["method"])
    order = {point: k for k, point in enumerate(search.found)}
    files = write_table(plan.folder, runs.rows, TABLE)
    inside = [result.violation <= 1e-9 for result in search.found.values()]
    values = [sign * result.objective for result in search.found.values()]
    files.append(draw_convergence(plan.folder / PICTURE, values, inside, goal, sign))
    best = None if search.best is None else order[search.best]
    lines = describe(plan, search, runs, best, ended)
    files += write_report(own["report"], create_report(plan, search, runs.rows, best, lines))
    lock.release()
    if not own["quiet"]:
        print("\n".join([*lines, *(f"  {file}" for file in files)]))
    return 0 if search.best is not None else 2


def check_files(folder: Path) -> None:
    """Raise OutputError if the path of the table or of the picture is a file of another program."""
    for name, what in ((TABLE[0], "table"), (TABLE[1], "table"), (PICTURE, "picture")):
        check_output(folder / name, f"{what} of the search", what)


def create_report(
    plan: SearchPlan, search: BoxSearch, rows: Sequence[Row], best: int | None, lines: Sequence[str]
) -> StudyReport:
    """Return the contents of the report of a search: the best values, and the results that have limits."""
    tables, verdict, doubts = dict[str, ReportTable](), "failed", list(lines[1:2])
    if best is not None:
        row, point = rows[best], list(search.found)[best]
        verdict, doubts = row["status"], [row["reason"]] if row["reason"] else []
        tables["Best values"] = ReportTable(
            ["option", "value", "unit", "smallest", "largest"],
            [
                [name, each.value(share), each.unit, each.value(0.0), each.value(1.0)]
                for (name, each), share in zip(plan.ranges.items(), point, strict=True)
            ],
        )
        goal, sign = plan.goal
        tables["Results of the best run"] = ReportTable(
            ["result", "value", "goal"],
            [
                [goal, row[goal], "smallest" if sign > 0.0 else "largest"],
                *([limit.name, row[limit.name], f"{limit.sense} {limit.bound:g}"] for limit in plan.limits),
            ],
        )
    return StudyReport(
        [*COMMAND.split(), *plan.words], plan.model, lines, tables, [plan.folder / PICTURE], plan.describe(), rows,
        verdict, doubts,
    )  # fmt: skip


def describe(plan: SearchPlan, search: BoxSearch, runs: KeptRuns, best: int | None, ended: str) -> list[str]:
    """Return the lines of the summary of a search."""
    goal = plan.goal[0]
    failed = sum(row["status"] == "failed" for row in runs.rows)
    lines = [f"{len(search.found)} runs, {failed} failed; {ended}"]
    if best is None:
        limits = ", ".join(limit.describe() for limit in plan.limits)
        return [*lines, f"no run within the limits {limits}" if plan.limits else "no run has a result"]
    row = runs.rows[best]
    lines.append(f"{'smallest' if plan.goal[1] > 0.0 else 'largest'} {goal} = {row[goal]:.6g} in case {row['case']}")
    if row["status"] == "doubtful":
        lines.append(f"  doubtful: {row['reason']}")
    point = list(search.found)[best]
    for (name, each), share in zip(plan.ranges.items(), point, strict=True):
        at = " (end of its range)" if share in (0.0, 1.0) else ""
        lines.append(f"  -{name} {each.value(share):.6g}{each.unit_words}{at}")
    for limit in plan.limits:
        at = " (at its limit)" if abs(limit.slack(row)) < 1e-3 else ""
        lines.append(f"  {limit.name} = {row[limit.name]:.6g}, {limit.sense} {limit.bound:g}{at}")
    return lines
