"""The command `windlass optimise`: find the values of options that minimise or maximise a result of a model.

Each run stores its values and its outcome in its own folder, such as ``cases/0007``.  When the same command is called
again, the search repeats its steps, but reads the results of these runs instead of running them again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from math import isfinite, isnan, log
from pathlib import Path
from typing import Any, NamedTuple

from windlass.commands.studies.cases import find_first, is_range
from windlass.commands.studies.convergence_plot import draw_convergence
from windlass.commands.studies.model_options import Case, ask_model, show_help, write_options
from windlass.commands.studies.run_cases import run_case, threads
from windlass.commands.studies.search import METHODS, BoxSearch, Point, SearchResult
from windlass.commands.studies.study_folder import open_study
from windlass.commands.studies.study_words import read_words
from windlass.commands.studies.sweep_table import (
    OUTCOME,
    Row,
    case_folder,
    create_row,
    read_json,
    to_value,
    write_table,
)
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output
from windlass.framework.files.whole_files import replace_file
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
    Option("method", "gradient", "", "gradient (smooth results), simplex (noise), evolution (several minima)",
           choices=METHODS),
    Option("runs", 60, "1", "maximum number of runs", minimum=1),
    Option("step", 1e-3, "1", "difference for derivatives, as a share of the range", minimum=1e-6, maximum=0.1),
    Option("tolerance", 1e-5, "1", "change of the result, relative to the first, that ends the search", minimum=1e-12),
    Option("seed", 0, "1", "seed of the random numbers of evolution", minimum=0),
    Option("jobs", 1, "1", "number of runs at a time", minimum=1),
    Option("fixed", "", "", 'further options of all runs in quotes: "-output none"'),
    Option("limit", 0.0, "s", "time after which a run is stopped", minimum=1e-3),
    Option("quiet", False, "", "print errors only"),
)  # fmt: skip
DEFINITION, VALUES, TABLE, PICTURE = "optimise.json", "case.json", ("optimise.csv", "optimise.parquet"), "optimise.png"
LIMIT = re.compile(r"\s*([\w.-]+)\s*(<=|>=)\s*(\S+)\s*")


class Limit(NamedTuple):
    """A limit on a result: its name, ``<=`` or ``>=``, and the bound."""

    name: str
    sense: str
    bound: float

    def slack(self, row: Row) -> float:
        """Distance of a run to the bound, relative to the bound; >= 0 within the limit, NaN without this result."""
        value = to_number(row.get(self.name))
        distance = self.bound - value if self.sense == "<=" else value - self.bound
        return distance / (abs(self.bound) or 1.0)

    def describe(self) -> str:
        """The limit as text, in the form of the command line."""
        return f"{self.name} {self.sense} {self.bound:g}"


@dataclass(frozen=True)
class Range:
    """The range of an option.

    Attributes:
        low, high: smallest and largest value.
        ratios: whether equal shares are equal ratios (``:log``).
        start: value at which the search begins.
        unit: unit of the values.
    """

    low: float
    high: float
    ratios: bool
    start: float
    unit: str

    def value(self, share: float) -> float:
        """The value at a share of the range: 0 at ``low``, 1 at ``high``."""
        if self.ratios:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)

    def share(self, value: float) -> float:
        """The share of the range at which a value lies; the inverse of `value`."""
        if self.ratios:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class SearchPlan:
    """A search: the model, the ranges of its options by name, options of all runs, and options of the command."""

    model: Path
    ranges: dict[str, Range]
    common: tuple[str, ...]
    limits: tuple[Limit, ...]
    own: dict[str, Any]

    @property
    def folder(self) -> Path:
        """Folder of the search."""
        return Path(self.own["output"]).absolute()

    @property
    def goal(self) -> tuple[str, float]:
        """Name of the result, and 1 to minimise it or -1 to maximise it."""
        return (self.own["minimise"], 1.0) if self.own["minimise"] else (self.own["maximise"], -1.0)

    def describe(self) -> dict[str, Any]:
        """Settings that must be equal when the search continues."""
        kept = ("minimise", "maximise", "within", "method", "step", "tolerance", "seed")
        return {
            "model": self.model.name,
            "model_sha256": hashlib.sha256(self.model.read_bytes()).hexdigest(),
            "ranges": {name: [each.low, each.high, each.ratios, each.start] for name, each in self.ranges.items()},
            "common": list(self.common),
            **{name: self.own[name] for name in kept},
        }


def main(words: Sequence[str]) -> int:
    """Run the command; returns the exit code, 0 if at least one run is within all limits.

    Raises:
        OptionError: an error in the command line, or a name that is no result of the model.
        OutputError: files cannot be written, or the folder contains another search.
    """
    if show_help(words, HELP, OWN):
        return 0
    plan = make_plan(words)
    with threads(plan.own["jobs"]) as executor:
        return conduct(plan, executor)


def make_plan(words: Sequence[str]) -> SearchPlan:
    """The search that a command line describes; runs the model once, without solves, to get its options.

    Raises:
        OptionError: an error in the command line.
    """
    model, own, varied, constant, common = read_words(words, OWN, COMMAND, "search", "runs", "best_preload")
    if bool(own["minimise"]) == bool(own["maximise"]):
        raise OptionError("-minimise RESULT or -maximise RESULT: must be one of them")
    both = [name for name in varied if name in constant]
    if both:
        raise OptionError(f"-{both[0]}: is an option of all runs, and has a range; must be one of them")
    if not varied:
        raise OptionError("nothing varies: expected ranges of options such as -preload 200:500")
    limits = read_limits(own["within"])
    first = {name: find_first(text) for name, text in varied.items()}
    known = ask_model(model, first, common)
    ranges = {name: read_range(name, text, known.items.get(name)) for name, text in varied.items()}
    for ends in ("low", "high"):
        known.check({name: f"{getattr(each, ends):.12g}" for name, each in ranges.items()})
    return SearchPlan(model, ranges, tuple(common), limits, own)


def read_limits(text: str) -> tuple[Limit, ...]:
    """The limits of ``-within``; raises OptionError."""
    found = []
    for part in filter(str.strip, text.split(",")):
        match = LIMIT.fullmatch(part)
        number = None if match is None else to_number(to_value(match[3]))
        if match is None or number is None or not isfinite(number):
            raise OptionError(f"-within {part.strip()}: must be RESULT<=NUMBER or RESULT>=NUMBER, with commas between")
        found.append(Limit(match[1], match[2], number))
    return tuple(found)


def read_range(name: str, text: str, item: Option | None) -> Range:
    """The range of an option; raises OptionError."""
    parts = text.split(":")
    if not is_range(text) or parts[2:] not in ([], ["log"]):
        raise OptionError(f"-{name} {text}: must be a range a:b or a:b:log")
    if item is not None and not (isinstance(item.default, float) and not isinstance(item.default, bool)):
        raise OptionError(f"-{name} {text}: must be an option with any numbers, this is {item.describe_allowed()}")
    low, high, ratios = float(parts[0]), float(parts[1]), len(parts) > 2
    if not low < high:
        raise OptionError(f"-{name} {text}: the first number must be less than the second one")
    if ratios and low <= 0.0:
        raise OptionError(f"-{name} {text}: both ends of a range with equal ratios must be > 0")
    given = Range(low, high, ratios, low, item.unit if item is not None else "")
    default = float(item.default) if item is not None else low - 1.0
    start = default if low <= default <= high else given.value(0.5)
    return Range(low, high, ratios, start, given.unit)


def to_number(value: Any) -> float:
    """A result as a number; NaN if it is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else float("nan")


class SearchRuns:
    """The runs of a search: reads the results of runs that are in its folder, and runs the others.

    Args:
        plan: the search.
        executor: starts several runs at a time.

    Attributes:
        rows: rows of the table, in the order of the runs.
    """

    def __init__(self, plan: SearchPlan, executor: Executor) -> None:
        self._plan, self._executor = plan, executor
        self.rows: list[Row] = []
        self._known: dict[tuple[str, ...], Path] = {}
        self._count = 0
        for folder in sorted((plan.folder / "cases").iterdir()):
            values, outcome = read_json(folder / VALUES), read_json(folder / OUTCOME)
            self._count = max(self._count, int(folder.name) if folder.name.isdecimal() else 0)
            texts = list(values.values()) if isinstance(values, dict) else []
            if texts and all(isinstance(text, str) for text in texts) and isinstance(outcome, dict):
                self._known[tuple(texts)] = folder

    def case(self, point: Point) -> Case:
        """The values of a point, as texts for the command line."""
        return {
            name: f"{each.value(share):.12g}"
            for (name, each), share in zip(self._plan.ranges.items(), point, strict=True)
        }

    def __call__(self, points: Sequence[Point]) -> list[SearchResult]:
        """Results of points; new runs are started together."""
        cases = [self.case(point) for point in points]
        waiting = []
        for case in cases:
            key = tuple(case.values())
            if key not in self._known:
                self._count += 1
                folder = case_folder(self._plan.folder, self._count)
                folder.mkdir(parents=True, exist_ok=True)
                replace_file(folder / VALUES, f"{json.dumps(case)}\n".encode())
                words = [str(self._plan.model), *write_options(case), *self._plan.common]
                waiting.append(self._executor.submit(run_case, folder, words, self._plan.own["limit"] or None))
                self._known[key] = folder
        for future in waiting:
            future.result()
        return [self._read(case) for case in cases]

    def _read(self, case: Case) -> SearchResult:
        folder = self._known[tuple(case.values())]
        values = {name: to_value(text) for name, text in case.items()}
        outcome = read_json(folder / OUTCOME) or {"reason": "stopped", "wall_time": 0.0}
        row = create_row(int(folder.name), values, outcome, folder)
        self.rows.append(row)
        name, sign = self._plan.goal
        missing = [wanted for wanted in (name, *(limit.name for limit in self._plan.limits)) if wanted not in row]
        if missing and row["status"] != "failed":
            there = [key for key, value in row.items() if not isnan(to_number(value)) and "." not in key]
            there = [key for key in there if key not in ("case", "run_time", *case)]
            raise OptionError(f"the model has no result '{missing[0]}': must be one of {', '.join(there) or 'none'}")
        objective = sign * to_number(row.get(name))
        return SearchResult(objective, tuple(limit.slack(row) for limit in self._plan.limits))


def conduct(plan: SearchPlan, executor: Executor) -> int:
    """Run the search, write the table and the picture, and print the summary; returns the exit code."""
    lock = open_study(plan.folder, DEFINITION, plan.describe(), "search", lambda: check_files(plan.folder))
    runs = SearchRuns(plan, executor)
    own, (goal, sign) = plan.own, plan.goal
    search = BoxSearch(runs, own["runs"], own["step"], own["tolerance"], own["seed"])
    start = tuple(round(each.share(each.start), 12) for each in plan.ranges.values())
    try:
        ended = search.minimise(start, own["method"])
    except KeyboardInterrupt as stopped:
        stopped.add_note(f"the same command continues with the runs in '{plan.folder}'")
        raise
    order = {point: k for k, point in enumerate(search.found)}
    files = write_table(plan.folder, runs.rows, TABLE)
    inside = [result.violation <= 1e-9 for result in search.found.values()]
    values = [sign * result.objective for result in search.found.values()]
    files.append(draw_convergence(plan.folder / PICTURE, values, inside, goal, sign))
    lock.release()
    if not own["quiet"]:
        best = None if search.best is None else order[search.best]
        print("\n".join([*describe(plan, search, runs, best, ended), *(f"  {file}" for file in files)]))
    return 0 if search.best is not None else 2


def check_files(folder: Path) -> None:
    """Raise OutputError if the paths of the table and the picture are files of other programs."""
    for name, what in ((TABLE[0], "table"), (TABLE[1], "table"), (PICTURE, "picture")):
        check_output(folder / name, f"{what} of the search", what)


def describe(plan: SearchPlan, search: BoxSearch, runs: SearchRuns, best: int | None, ended: str) -> list[str]:
    """Lines of the summary of a search."""
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
        unit = f" {each.unit}" if each.unit not in ("", "1") else ""
        at = " (end of its range)" if share in (0.0, 1.0) else ""
        lines.append(f"  -{name} {each.value(share):.6g}{unit}{at}")
    for limit in plan.limits:
        at = " (at its limit)" if abs(limit.slack(row)) < 1e-3 else ""
        lines.append(f"  {limit.name} = {row[limit.name]:.6g}, {limit.sense} {limit.bound:g}{at}")
    return lines
