"""The report of a run, which ``-report`` requests. The file is written at the end of the script, after an error, and at
the ends of solves. Solves after the first `DETAILED` solves write the file only if they fail.

Solvers contribute a `SolveRecord`. Models, hooks and packages contribute sections, see `report_parts.py`. The
collection of data is collective, and the first process writes the file. Without -report this module is not loaded.
"""

from __future__ import annotations

import os
import pkgutil
import platform
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

from windlass.framework.arrays import FloatArray
from windlass.framework.command_line import options, report_parts
from windlass.framework.command_line.listing import given_options, model_options
from windlass.framework.command_line.report_parts import Formatted, ReportSection, ReportTable
from windlass.framework.files.outputs import write_output
from windlass.framework.launch.error_report import at_error
from windlass.framework.launch.launcher import launched_size
from windlass.framework.launch.script_end import at_end
from windlass.framework.output.plots import draw_state, plot_steps
from windlass.framework.report.bibliography import format_citations
from windlass.framework.report.model_tables import tabulate_model
from windlass.framework.report.page import format_page, format_part
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

DETAILED = 10
"""Number of solves that the page shows with plots. For later solves, the page contains only a row in the table of
solves, unless the solve fails.
"""
FAILURES = 10
"""Largest number of rejected steps per solve that the page lists."""
CLOCK = "%Y-%m-%d %H:%M:%S %z"
PACKAGES = ("numpy", "scipy", "numba", "petsc4py", "mpi4py", "h5py", "matplotlib")


@dataclass
class SolveRecord:
    """The contribution of a solver to the report.

    Attributes:
        name: name of the solve, used as heading.
        unit: unit of the progress of the solve, ``"s"`` for time.
        counts: numbers of steps and iterations, and times, by name.
        summary: counts and times in one line.
        steps: table of the steps, shape (groups of steps, columns), see `plot_steps`.
        work: column of ``steps`` for each measure of computational work, such as iterations, by the name of the
            measure.
        settings: settings of the solver, by name.
        failed_attempts: (start, step size, reason) of each rejected step.
        verdict: ``"ok"``, ``"doubtful"`` or ``"failed"``.
        reasons: reasons of a verdict other than ``"ok"``.
    """

    name: str
    unit: str
    counts: Mapping[str, Any]
    summary: str
    steps: FloatArray
    work: Mapping[str, int]
    settings: Mapping[str, str]
    failed_attempts: Sequence[tuple[float, float, str]] = ()
    verdict: str = "ok"
    reasons: Sequence[str] = ()


@dataclass
class _Collected:
    """The contributions to the report that have been collected."""

    begun: bool = False
    solves: list[SolveRecord] = field(default_factory=list)
    details: list[ReportSection] = field(default_factory=list)
    hooks: list[StepHook] = field(default_factory=list)
    model: list[Any] = field(default_factory=list)
    sections: list[ReportSection] = field(default_factory=list)
    sources: str = ""
    error: str = ""
    began: str = field(default_factory=lambda: time.strftime(CLOCK))


_run = _Collected()


def begin_report() -> None:
    """Register functions that write the report at the end of the run, or after an error that ends the run. The
    constructor of each solver calls this function. Only the first call has an effect.
    """
    if not _run.begun:
        _run.begun = True
        at_end(write_report)
        at_error(_note_error)


def report_solve(record: SolveRecord, state: State, hooks: Sequence[StepHook]) -> None:
    """Collect the data of a finished or failed solve. If the solve has failed, or is one of the first `DETAILED`
    solves, also describe the solve and the model in detail, and write the page. The call is collective.
    """
    _run.solves.append(record)
    _run.hooks += [hook for hook in hooks if not any(hook is other for other in _run.hooks)]
    if len(_run.solves) > DETAILED and record.verdict != "failed":
        return
    figure = draw_state(state)
    tables = tabulate_model(state.world, state)
    _run.sources = format_citations(state.world)
    _run.sections = [
        section for name in report_parts.providers for section in pkgutil.resolve_name(name)(state.world, state)
    ]
    if options.process_rank() == 0:
        # parts are converted to HTML only once, because they do not change
        words = f"The model after {record.name}, t = {state.t:.6g} s:"
        _run.model = [*tables, *([] if figure is None else [words, Formatted(format_part(figure))])]
        detail = [Formatted(format_part(part)) for part in _describe_solve(record)]
        _run.details.append(ReportSection(f"Solve {len(_run.solves)}: {record.name}", detail))
        write_report()


def _note_error(words: str) -> None:
    """Store the message of the error that ends the run, and write the report."""
    _run.error = words
    write_report()


def write_report() -> None:
    """Write the page with all contributions so far, on the first process.

    Raises:
        OutputError: the file cannot be written.
    """
    if options.process_rank() == 0:
        path = options.output_path("report")
        assert path is not None
        write_output(path, _compose().encode(), "-report", "report")


def _compose() -> str:
    verdicts = [record.verdict for record in _run.solves]
    worst = "failed" if _run.error else next((w for w in ("failed", "doubtful") if w in verdicts), "ok")
    solves = ReportTable(["solve", "verdict", "statistics"], [[r.name, r.verdict, r.summary] for r in _run.solves])
    handed = [
        *_run.sections,
        *(section for hook in _run.hooks for section in hook.report_sections()),
        *report_parts.added_sections,
    ]
    # Sections with results are first, and sections of solvers are last. Sections with equal ``place`` remain in their
    # order, because the sort is stable.
    handed.sort(key=lambda section: report_parts.PLACES.index(section.place))
    sections = [
        *([ReportSection("Failure", [_run.error + "\n"])] if _run.error else []),
        *handed,
        ReportSection("Model", _run.model),
        ReportSection("Solves", [solves] if solves.rows else []),
        *_run.details,
        ReportSection("Options", _tabulate_options()),
        ReportSection("Sources", [_run.sources + "\n"] if _run.sources else []),
        ReportSection("How to repeat it", _describe_run()),
    ]
    doubts = [f"{record.name}: {reason}" for record in _run.solves for reason in record.reasons]
    words = f"Windlass {_version('windlass')}, run begun {_run.began}, report written {time.strftime(CLOCK)}."
    return format_page(Path(sys.argv[0]).name, worst, words, sections, doubts)


def _describe_solve(record: SolveRecord) -> list[Any]:
    """Return parts of a section on one solve: counts, steps, settings, rejected attempts, and the reasons of a doubtful
    result.
    """
    parts: list[Any] = [f"{record.summary}."]
    if record.reasons:
        parts.append("\n".join(record.reasons) + "\n")
    if len(record.steps):
        work = {name: column for name, column in record.work.items() if record.steps[:, column].any()}
        parts.append(plot_steps(record.steps, record.unit, work))
    units = {"wall_time": " [s]", "cpu_time": " [s]"}
    counts = [[name.replace("_", " ") + units.get(name, ""), value] for name, value in record.counts.items() if value]
    parts.append(ReportTable(["count", ""], counts))
    parts.append(ReportTable(["setting", ""], list(record.settings.items())))
    failed = record.failed_attempts
    if failed:
        place = "at [s]" if record.unit == "s" else "load step, progress [1]"
        parts += [
            f"{len(failed)} attempts were rejected, the first of them:",
            ReportTable([place, "size", "reason"], failed[:FAILURES]),
        ]
    return parts


def _tabulate_options() -> list[ReportTable]:
    """Return a table of the given options, and a table of the options of the model that are not given. Empty tables are
    omitted.
    """
    given, own = given_options(), model_options()
    # this option is not shown, because it is set by Windlass and not by the user
    given.pop("skip_petscrc", None)
    rows = [[f"-{name}", value, own[name].doc if name in own else ""] for name, value in given.items()]
    others = [[f"-{name}", str(item.default), item.unit, item.doc] for name, item in own.items() if name not in given]
    tables = [
        ReportTable(["given", "value", "meaning"], rows),
        ReportTable(["option of the model, not given", "default", "unit", "meaning"], others),
    ]
    return [table for table in tables if table.rows]


def _describe_run() -> list[Any]:
    """Return parts of a section: the command of the run, the versions of programs, and the text of the script."""
    script, size = Path(sys.argv[0]), launched_size()
    command = shlex.join(["windlass", "run", *sys.argv])
    lines = [f"export {name}={shlex.quote(value)}" for name, value in sorted(os.environ.items()) if _counts(name)]
    lines.append((f"mpiexec -n {size} " if size > 1 else "") + command)
    from petsc4py import PETSc  # imported here, because the import initialises PETSc, which reads the options only once

    petsc = ".".join(map(str, PETSc.Sys.getVersion()))
    versions: list[list[Any]] = [[name, _version(name)] for name in ("windlass", *PACKAGES)]
    versions += [["petsc", petsc], ["python", platform.python_version()]]
    versions += [["system", f"{platform.system()} {platform.release()}, {platform.machine()}"], ["processes", size]]
    parts: list[Any] = ["\n".join(lines) + "\n", ReportTable(["part", "version"], versions)]
    if script.is_file():
        text = script.read_text(encoding="utf-8", errors="replace")
        parts += [f"The script, SHA-256 {sha256(text.encode()).hexdigest()}:", text + "\n"]
    return parts


def _counts(name: str) -> bool:
    """Return whether an environment variable can affect a run. Only these variables appear in the report."""
    return name in ("PETSC_OPTIONS", "OMP_NUM_THREADS") or name.startswith("WINDLASS_")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed, used from its folder"
