"""The command `windlass sweep` runs a model with many combinations of option values. Each run is a separate process.

Every case runs in a separate folder, for example ``cases/0007``. When a case has ended, a file with the outcome of the
case is written to this folder in one operation, so the file is never incomplete. If a sweep was killed, the next call
of the command runs the cases that have no outcome file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, as_completed
from pathlib import Path
from typing import Any, cast

from windlass.commands.studies.child_runs import show_progress
from windlass.commands.studies.model_options import Case, show_help, write_options
from windlass.commands.studies.run_cases import run_case, threads
from windlass.commands.studies.study_folder import open_study
from windlass.commands.studies.study_report import StudyReport, write_report
from windlass.commands.studies.sweep_plan import OWN, SweepPlan, plan_sweep
from windlass.commands.studies.sweep_plots import FOLDER as PLOTS
from windlass.commands.studies.sweep_plots import draw_sweep, find_numbers, is_number
from windlass.commands.studies.sweep_table import (
    CSV_FILE,
    DEFINITION,
    OUTCOME,
    PARQUET_FILE,
    case_folder,
    is_statistic,
    read_json,
    read_rows,
    write_table,
)
from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output
from windlass.framework.launch.launcher import communicator

HELP = """windlass sweep MODEL.py -output DIR [options of the sweep, of the model and of PETSc]

Runs the model with many sets of options, each in a process of its own, and makes one table of their results.  Options
of the model and of PETSc take several values: lists 60,120, ranges 0.2:0.8:7 (seven values) and 1e4:1e8:5:log.
The same command continues a sweep that has stopped.  On many machines: mpiexec -n 17 windlass sweep ...

Options of the sweep, which win over those of the model (give these by -fixed or in the file of -cases):"""

DOUBTS = 10
"""Largest number of failed or doubtful cases with their reasons at the top of the report."""
LISTED = 12
"""Largest number of values of an option that the report lists."""


def main(words: Sequence[str]) -> int:
    """Execute a sweep. Return the exit code. The exit code is 0 if at least one case has a result.

    Raises:
        OptionError: the command line is wrong.
        OutputError: files cannot be written, or the folder contains another sweep.
    """
    if show_help(words, HELP, OWN):
        return 0
    comm = communicator()
    if comm is None:
        plan = plan_sweep(words)
        with threads(plan.jobs) as executor:
            return conduct(plan, executor)
    if "-jobs" in words:
        raise OptionError("-jobs: under mpiexec each process except the first runs a case; must be omitted")
    from mpi4py.futures import MPICommExecutor  # imported here, because sweeps on one process do not need this module

    with MPICommExecutor(comm, root=0) as executor:
        return 0 if executor is None else conduct(plan_sweep(words), cast(Executor, executor))


def conduct(plan: SweepPlan, executor: Executor) -> int:
    """Run the cases that have not ended, write the table and the plots, and return the exit code. The exit code is 2 if
    all cases have failed, otherwise 0.
    """
    lock = open_study(plan.folder, DEFINITION, plan.describe(), "sweep", lambda: check_files(plan.folder))
    folders = {case_folder(plan.folder, number): case for number, case in enumerate(plan.cases, 1)}
    try:
        run_all(plan, executor, {folder: case for folder, case in folders.items() if needs_run(folder, plan.retry)})
    except KeyboardInterrupt as stopped:
        stopped.add_note(f"the same command continues with the unfinished cases of '{plan.folder}'")
        raise
    rows = read_rows(plan.folder)
    pictures = draw_sweep(plan.folder, rows, plan.names, plan.units, plan.plot)
    failed = [row for row in rows if row["status"] == "failed"]
    lines = describe(len(rows), failed)
    files = [*write_table(plan.folder, rows), *pictures]
    files += write_report(plan.report, create_report(plan, rows, pictures, lines))
    lock.release()
    if not plan.quiet:
        print("\n".join([*lines, *(f"  {file}" for file in files)]))
    return 2 if len(failed) == len(rows) else 0


def check_files(folder: Path) -> None:
    """Raise OutputError if the path of a table or picture is a file of another program."""
    for name in (CSV_FILE, PARQUET_FILE):
        check_output(folder / name, "table of the sweep", "table")
    for file in (folder / PLOTS).glob("*.png"):
        check_output(file, "picture of the sweep", "picture")


def needs_run(folder: Path, retry: bool) -> bool:
    """Return whether a case must be run, because it has not ended, or because it has failed and ``retry`` is true."""
    outcome = read_json(folder / OUTCOME)
    return outcome is None or (retry and bool(outcome["reason"]))


def run_all(plan: SweepPlan, executor: Executor, cases: Mapping[Path, Case]) -> None:
    """Run cases in their folders, with a progress line."""
    total = len(plan.cases)
    failed = 0 if plan.retry else sum(row["status"] == "failed" for row in read_rows(plan.folder))
    with show_progress("sweep", "cases", total, plan.quiet, total - len(cases)) as bar:
        futures: list[Future[str]] = [
            executor.submit(run_case, folder, [str(plan.model), *write_options(case), *plan.common], plan.limit)
            for folder, case in cases.items()
        ]
        for future in as_completed(futures):
            failed += bool(future.result())
            bar.set_postfix_str(f"{failed} failed" if failed else "", refresh=False)
            bar.update()


def create_report(
    plan: SweepPlan, rows: Sequence[dict[str, Any]], pictures: Sequence[Path], lines: Sequence[str]
) -> StudyReport:
    """Return the contents of the report of a sweep: the options that vary and the range of each numeric result."""
    good = [row for row in rows if row["status"] != "failed"]
    ranges = []
    for name in find_numbers(good, ("case", "run_time", *plan.names)):
        values = {row["case"]: row[name] for row in good if row.get(name) is not None}
        if values and not is_statistic(name):
            ends = [choose(values, key=values.__getitem__) for choose in (min, max)]
            ranges.append([name, *(cell for case in ends for cell in (values[case], case))])
    tables = {
        "Options that vary": ReportTable(
            ["option", "unit", "values"], [[name, plan.units[name], list_values(rows, name)] for name in plan.names]
        ),
        "Results": ReportTable(["result", "smallest", "in case", "largest", "in case"], ranges),
    }
    doubts = [f"case {row['case']} ({row['status']}): {row['reason']}" for row in rows if row["status"] != "ok"]
    verdict = "failed" if not good else "doubtful" if doubts else "ok"
    command = ["windlass", "sweep", *plan.words]
    described = {name: value for name, value in plan.describe().items() if name != "cases"}
    return StudyReport(command, plan.model, lines, tables, pictures, described, rows, verdict, doubts[:DOUBTS])


def list_values(rows: Sequence[dict[str, Any]], name: str) -> str:
    """Return a text with the values of an option in all cases. If there are many values, the text states their number
    and, if all values are numbers, the smallest and the largest value.
    """
    values = list(dict.fromkeys(row[name] for row in rows))
    if len(values) <= LISTED:
        return ", ".join(map(str, values))
    return f"{len(values)} values" + (f", {min(values)} to {max(values)}" if all(map(is_number, values)) else "")


def describe(count: int, failed: Sequence[dict[str, object]]) -> list[str]:
    """Return the first lines of the summary of a sweep."""
    lines = [f"{count} cases, {len(failed)} failed"]
    lines += [f"  case {row['case']} failed: {row['reason']}" for row in failed[:10]]
    return [*lines, *([f"  ... and {len(failed) - 10} more"] if len(failed) > 10 else [])]
