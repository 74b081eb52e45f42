"""The plan of a sweep, created from its command line and checked before the first run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windlass.commands.studies.cases import create_grid, create_sample, find_first, read_cases
from windlass.commands.studies.model_options import Case, ModelOptions, ask_model, find_files
from windlass.commands.studies.study_report import REPORT, check_report
from windlass.commands.studies.study_words import read_words
from windlass.framework.errors import OptionError
from windlass.framework.launch.arguments import Option, option_table

COMMAND = "windlass sweep"
OWN = option_table(
    Option("output", "", "", "folder of the sweep; the same command with it continues a stopped sweep"),
    Option("jobs", 1, "1", "cases that run at a time", minimum=1),
    Option("samples", 0, "1", "cases from ranges a:b by a Latin hypercube, instead of a grid", minimum=1),
    Option("points", 0, "1", "values of each parameter of the model (wl.parameter) in the grid", minimum=1),
    Option("seed", 0, "1", "seed of the random numbers of -samples", minimum=0),
    Option("cases", "", "", "CSV file of cases: names of options in its first row, a case in each other"),
    Option("fixed", "", "", 'further options of all cases in quotes: "-output none"'),
    Option("limit", 0.0, "s", "time after which a case is stopped", minimum=1e-3),
    Option("retry", False, "", "run cases again that have failed"),
    Option("plot", "", "", "results that are drawn, a list; default: the first ones of the model"),
    REPORT,
    Option("quiet", False, "", "print errors only"),
)


@dataclass(frozen=True)
class SweepPlan:
    """The plan of a sweep.

    Attributes:
        model: file of the model script.
        names: names of the options that vary.
        cases: values of these options for each case.
        common: arguments of the command line that are equal in all cases.
        units: units of the options that vary. The text is empty for options without unit.
        folder: folder of the sweep.
        jobs: number of cases that run simultaneously.
        limit: time [s] after which a case is stopped; None for no limit.
        retry: whether failed cases are run again.
        plot: names of results that are drawn. If the list is empty, the first results are drawn.
        quiet: whether only errors are printed.
        report: HTML file of the report. If the text is empty, no report is written.
        words: arguments of the command line after the command.
    """

    model: Path
    names: tuple[str, ...]
    cases: tuple[Case, ...]
    common: tuple[str, ...]
    units: dict[str, str]
    folder: Path
    jobs: int
    limit: float | None
    retry: bool
    plot: tuple[str, ...]
    quiet: bool
    report: str
    words: tuple[str, ...]

    def describe(self) -> dict[str, Any]:
        """Return the values that must not have changed when a sweep is resumed."""
        return {
            "model": self.model.name,
            "model_sha256": hashlib.sha256(self.model.read_bytes()).hexdigest(),
            "names": list(self.names),
            "units": self.units,
            "common": list(self.common),
            "cases": [list(case.values()) for case in self.cases],
        }


def plan_sweep(words: Sequence[str]) -> SweepPlan:
    """Return the sweep that a command line describes. The model is run to find the options of the model.

    Raises:
        OptionError: the command line is wrong.
    """
    model, own, varied, constant, common = read_words(words, OWN, COMMAND, "sweep", "cases", "friction_sweep")
    check_report(own["report"])
    listed = _read_listed(varied, own)
    first = listed[0] if listed else {name: find_first(text) for name, text in varied.items()}
    known = ask_model(model, first, common)
    if own["points"] or own["samples"]:
        varied = varied | _vary_parameters(known, varied, constant, own["points"])
    if own["samples"]:
        cases = create_sample(varied, own["samples"], own["seed"], known.items)
    else:
        cases = listed or create_grid(varied, known.items)
    both = [name for name in cases[0] if name in constant]
    if both:
        raise OptionError(
            f"-{both[0]}: is an option of all cases, and also a column of the cases; must be only one of these"
        )
    for number, case in enumerate(cases, 1):
        try:
            known.check(case)
        except OptionError as error:
            raise OptionError(f"case {number}: {error}") from None
    names = tuple(cases[0])
    return SweepPlan(
        model=model,
        names=names,
        cases=tuple(dict(find_files(list(case.items()))) for case in cases),  # type: ignore[arg-type]
        common=tuple(common),
        units={name: known.items[name].unit if name in known.items else "" for name in names},
        folder=Path(own["output"]).absolute(),
        jobs=own["jobs"],
        limit=own["limit"] or None,
        retry=own["retry"],
        plot=tuple(filter(None, own["plot"].split(","))),
        quiet=own["quiet"],
        report=own["report"],
        words=tuple(words),
    )


def _vary_parameters(known: ModelOptions, varied: Case, constant: Sequence[str], points: int) -> Case:
    """Return a dictionary with the parameters of the model that the command line does not contain. The values are the
    declared ranges of the parameters, as texts for the command line. The ranges have ``points`` values for a grid. If
    ``points`` is 0, the ranges are ranges for a sample.

    Raises:
        OptionError: no option varies, or ``points`` is given but no parameter varies.
    """
    found = known.find_parameters((*varied, *constant))
    option = "-points" if points else "-samples"
    if not found and (points or not varied):
        if known.find_parameters(()):
            raise OptionError(
                f"{option}: has no effect, because the command line gives all parameters of the model; leave out a "
                f"parameter, or give ranges such as -friction 0.2:0.8{':5' if points else ''}"
            )
        raise OptionError(
            f"{option}: the model has no parameters: must declare them by wl.parameter, or "
            "options must have ranges such as -friction 0.2:0.8"
        )
    count = [f"{points}"] if points else []
    return {
        name: ":".join([f"{item.minimum!r}", f"{item.maximum!r}", *count, *(["log"] if item.scale == "log" else [])])
        for name, item in found.items()
    }


def _read_listed(varied: Case, own: Mapping[str, Any]) -> list[Case]:
    """Return the cases in the file of ``-cases``, or an empty list if this option is not given. Raise OptionError if
    ``-cases`` is combined with ``-samples`` or with options that have several values, or if no option varies.
    """
    ways = [f"-{name}" for name in ("cases", "samples", "points") if own[name]]
    if len(ways) > 1:
        raise OptionError(f"{' and '.join(ways)} are given: expected one of them")
    if not varied and not ways:
        raise OptionError(
            "nothing varies: expected values of an option such as -friction 0.2:0.8:7 or 0.2,0.5, or -cases, or "
            "-points for the parameters of the model"
        )
    if varied and own["cases"]:
        raise OptionError(f"-cases and -{next(iter(varied))} {next(iter(varied.values()))}: must be only one of these")
    return read_cases(Path(own["cases"])) if own["cases"] else []
