"""The command `windlass uncertainty` computes the spread of the results of a model with uncertain options, and the
influence of each option on the results.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from windlass.commands.studies.distributions import Distribution, is_distribution, read_distributions, write_case
from windlass.commands.studies.propagation import (
    QUANTILES,
    Spread,
    find_results,
    first_order,
    points_of_first_order,
    points_of_sample,
    points_of_sobol,
    sample,
    sobol,
)
from windlass.commands.studies.spread_plot import draw_spreads
from windlass.commands.studies.study_folder import open_study
from windlass.commands.studies.study_plan import StudyPlan, carry_out
from windlass.commands.studies.study_words import read_words
from windlass.commands.studies.sweep_table import COUNTS, Row, write_table
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output, write_output
from windlass.framework.launch.arguments import Option, option_table

HELP = """windlass uncertainty MODEL.py -output DIR [options of the study, of the model and of PETSc]

Computes the spread of the results of wl.write_summary with uncertain options, and the contribution of each option.
Uncertain options have distributions: -friction normal:0.3:0.03 (mean, deviation), uniform:0.2:0.4 (ends),
triangular:0.2:0.3:0.5 (end, mode, end), lognormal:1e5:0.1 (median, deviation of the logarithm).
The same command continues a study that has stopped.

Options of the study.  A model's option of the same name is given by -fixed:"""
COMMAND = "windlass uncertainty"
WORDS = {
    "first_order": "share of the variance",
    "sample": "squared rank correlation",
    "sobol": "first index of Sobol",
}
"""Name of the measure for the influence of an option, by method."""
OWN = option_table(
    Option("output", "", "", "folder of the study; the same command with it continues a stopped study"),
    Option("method", "first_order", "", "first_order (two runs per option), sample (distribution of results), sobol "
           "(shares of the variance, many runs)", choices=tuple(WORDS)),
    Option("runs", 64, "1", "runs of sample; for sobol a power of two, to be multiplied by the options + 2", minimum=8),
    Option("results", "", "", "names of results, a list; default: all numbers"),
    Option("seed", 0, "1", "seed of the random numbers", minimum=0),
    Option("jobs", 1, "1", "number of runs at a time", minimum=1),
    Option("fixed", "", "", 'further options of all runs in quotes: "-output none"'),
    Option("limit", 0.0, "s", "time after which a run is stopped", minimum=1e-3),
    Option("quiet", False, "", "print errors only"),
)  # fmt: skip
DEFINITION, TABLE = "uncertainty.json", ("uncertainty.csv", "uncertainty.parquet")
RESULT, PICTURE = "spread.json", "spread.png"
BEND = 0.1
"""If the ratio of the second-order term of an option to the standard deviation of the result exceeds this value, a
warning states that the first-order method is not sufficient.
"""
LISTED = 0.01
"""If the influence of an option is less than this value, the summary omits the option."""


@dataclass(frozen=True)
class UncertaintyPlan(StudyPlan):
    """The plan of a study, with a dictionary from options to distributions."""

    laws: dict[str, Distribution]

    @property
    def points(self) -> FloatArray:
        """Return the values of the options in all runs, shape (runs, options)."""
        if self.own["method"] == "first_order":
            return points_of_first_order(self.laws)
        choose = points_of_sample if self.own["method"] == "sample" else points_of_sobol
        return choose(self.laws, self.own["runs"], self.own["seed"])

    def describe(self) -> dict[str, Any]:
        """Return the settings that must not have changed when a study is resumed."""
        laws = {name: law.text for name, law in self.laws.items()}
        return {"laws": laws, **self.describe_common(("method", "runs", "seed"))}


def main(words: Sequence[str]) -> int:
    """Run the command. Return the exit code. The exit code is 0 if the study has results.

    Raises:
        OptionError: the command line is wrong, or a name is not a result of the model.
        OutputError: files cannot be written, or the folder contains another study.
    """
    return carry_out(words, HELP, OWN, make_plan, conduct)


def make_plan(words: Sequence[str]) -> UncertaintyPlan:
    """Return the study that a command line describes. The model is run once, without solves, to find the options of the
    model.

    Raises:
        OptionError: the command line is wrong.
    """
    found = read_words(words, OWN, COMMAND, "study", "runs", "spread", is_distribution)
    own = found.own
    if own["method"] == "sobol" and own["runs"] & (own["runs"] - 1):
        raise OptionError(f"-runs {own['runs']}: must be a power of two for -method sobol, such as 64 or 128")
    return UncertaintyPlan(found.model, tuple(found.common), own, read_distributions(found))


def conduct(plan: UncertaintyPlan, executor: Executor) -> int:
    """Run the model at all points, write the table, the results and the picture, and return the exit code. The exit
    code is 0 if the study has results, otherwise 2.
    """
    lock = open_study(plan.folder, DEFINITION, plan.describe(), "study", lambda: check_files(plan.folder))
    runs = plan.open_runs(executor)
    points = plan.points
    with plan.noted():
        rows = [row for row, _ in runs.run([write_case(plan.laws, point) for point in points])]
    files = write_table(plan.folder, runs.rows, TABLE)
    failed = [row for row in rows if row["status"] == "failed"]
    lines = [f"{len(rows)} runs, {len(failed)} failed"]
    lines += [f"  case {row['case']} failed: {row['reason']}" for row in failed[:3]]
    spreads = find_spreads(plan, points, rows)
    if spreads:
        files.append(write_result(plan, spreads))
        files.append(draw_spreads(plan.folder / PICTURE, spreads, list(plan.laws), WORDS[plan.own["method"]]))
        lines += [line for name, spread in spreads.items() for line in describe(plan, name, spread)]
        if failed:
            lines.append("  runs that failed are not in these numbers")
        doubtful = sum(row["status"] == "doubtful" for row in rows)
        if doubtful:
            lines.append(f"  {doubtful} runs are doubtful, see {TABLE[0]}")
    else:
        lines.append(f"no results: {explain(plan, rows)}")
    lock.release()
    if not plan.own["quiet"]:
        print("\n".join([*lines, *(f"  {file}" for file in files)]))
    return 0 if spreads else 2


def check_files(folder: Path) -> None:
    """Raise OutputError if the path of the table, of the results or of the picture is a file of another program."""
    for name in TABLE:
        check_output(folder / name, "table of the study", "table")
    check_output(folder / RESULT, "result of the study", "summary")
    check_output(folder / PICTURE, "picture of the study", "picture")


def find_spreads(plan: UncertaintyPlan, points: FloatArray, rows: Sequence[Row]) -> dict[str, Spread]:
    """Return a dictionary from names of results to their spreads. The dictionary is empty if all runs have failed, or
    if a run has failed and the method is not sampling.

    Raises:
        OptionError: the model does not have a selected result.
    """
    method, count = plan.own["method"], len(plan.laws)
    failed = sum(row["status"] == "failed" for row in rows)
    if failed == len(rows) or (failed and method != "sample"):
        return {}
    found = find_results(rows, ("case", "run_time", *plan.laws))
    found = {name: values for name, values in found.items() if name.split(".")[-1] not in (*COUNTS, "cpu_time")}
    chosen = [name.strip() for name in plan.own["results"].split(",") if name.strip()]
    for name in chosen:
        if name not in found:
            raise OptionError(f"-results {name}: must be numbers of the model: {', '.join(found) or 'none'}")
    spreads = {}
    for name in chosen or found:
        values = found[name]
        if method == "first_order":
            spreads[name] = first_order(values)
        elif method == "sample":
            spreads[name] = sample(points, values)
        else:
            spreads[name] = sobol(values, plan.own["runs"], count, plan.own["seed"])
    return spreads


def explain(plan: UncertaintyPlan, rows: Sequence[Row]) -> str:
    """Return a text with the reason why the study has no results."""
    if all(row["status"] == "failed" for row in rows):
        return "all runs have failed"
    if any(row["status"] == "failed" for row in rows):
        return f"{plan.own['method']} needs all runs; take -method sample, or narrower distributions"
    return "the model has no numbers in wl.write_summary"


def write_result(plan: UncertaintyPlan, spreads: Mapping[str, Spread]) -> Path:
    """Write all results to a JSON file. Return the path of the file."""
    names = list(plan.laws)
    results = {}
    for name, spread in spreads.items():
        results[name] = {
            "mean": spread.mean,
            "deviation": spread.deviation,
            "error_of_mean": spread.error,
            "quantiles": dict(zip(map(str, QUANTILES), spread.quantiles, strict=True)) if spread.quantiles else {},
            "influence": dict(zip(names, spread.shares, strict=True)),
        }
        if spread.totals:
            results[name]["total_indices"] = dict(zip(names, spread.totals, strict=True))
            results[name]["half_widths_of_total_indices"] = dict(zip(names, spread.widths, strict=True))
        if spread.bends:
            finite = [bend if np.isfinite(bend) else None for bend in spread.bends]
            results[name]["second_order_terms_per_deviation"] = dict(zip(names, finite, strict=True))
    method = plan.own["method"]
    laws = {name: law.text for name, law in plan.laws.items()}
    content = {
        "written_by": "Windlass",
        "method": method,
        "influence": WORDS[method],
        "options": laws,
        "results": results,
    }
    write_output(plan.folder / RESULT, f"{json.dumps(content, indent=2)}\n".encode(), "result of the study", "summary")
    return plan.folder / RESULT


def describe(plan: UncertaintyPlan, name: str, spread: Spread) -> list[str]:
    """Return the summary of a result as lines of text."""
    names = list(plan.laws)
    line = f"{name}: {'mean ' if spread.quantiles else ''}{spread.mean:.6g}, deviation {spread.deviation:.3g}"
    if spread.quantiles:
        low, _, high = spread.quantiles
        line += f", 5 % to 95 %: {low:.4g} to {high:.4g}"
    order = np.argsort(spread.shares)[::-1]
    parts = []
    for k in order:
        total = spread.totals[k] if spread.totals else 0.0
        if max(spread.shares[k], total) >= LISTED:
            words = f" (total {total:.2f} ± {spread.widths[k]:.2f})" if spread.totals else ""
            parts.append(f"-{names[k]} {max(spread.shares[k], 0.0):.2f}{words}")
    lines = [line, f"  {WORDS[plan.own['method']]}: {', '.join(parts)}"] if parts else [f"{line}: no option matters"]
    bent = [(bend, names[k]) for k, bend in enumerate(spread.bends) if bend > BEND]
    if bent:
        bend, option = max(bent)
        lines.append(
            f"  not linear: the second-order term of -{option} is {100 * bend:.0f} % of the deviation; take -method "
            "sample"
        )
    return lines
