"""The report of a study. The report is one HTML page with the results, pictures, definition and runs of the study."""

from __future__ import annotations

import json
import shlex
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import windlass
from windlass.commands.studies.sweep_table import Row, find_columns, is_statistic
from windlass.framework.command_line.options import PAGES
from windlass.framework.command_line.report_parts import Formatted, ReportSection, ReportTable
from windlass.framework.errors import OptionError
from windlass.framework.files.outputs import check_output, write_output
from windlass.framework.launch.arguments import Option
from windlass.framework.report.page import format_page

REPORT = Option("report", "", "", "HTML file with tables and pictures of the study")
MOST_RUNS = 500
"""Largest number of runs in the table of a report. The CSV file of a study contains all runs."""
CLOCK = "%Y-%m-%d %H:%M:%S %z"


@dataclass(frozen=True)
class StudyReport:
    """The contents of a report.

    Attributes:
        command: words of the command line.
        model: file of the model.
        summary: lines that the command prints.
        tables: tables of results by title.
        pictures: PNG files and figures of matplotlib.
        definition: settings of the study.
        rows: the runs.
        verdict: ``"ok"``, ``"doubtful"`` or ``"failed"``.
        doubts: reasons of a verdict other than ``"ok"``.
    """

    command: Sequence[str]
    model: Path
    summary: Sequence[str]
    tables: Mapping[str, ReportTable]
    pictures: Sequence[Any]
    definition: Mapping[str, Any]
    rows: Sequence[Row]
    verdict: str = "ok"
    doubts: Sequence[str] = ()


def check_report(text: str) -> None:
    """Raise an error if the value of ``-report`` is not the name of an HTML file, or names a file of another program.

    Raises:
        OptionError: the name has a different ending.
        OutputError: the file is not a report.
    """
    if text and Path(text).suffix.lower() not in PAGES:
        raise OptionError(f"-report {text}: must be a file {' or '.join(PAGES)}, because the report is an HTML page")
    if text:
        check_output(Path(text).absolute(), "-report", "report")


def write_report(text: str, report: StudyReport) -> list[Path]:
    """Write the page to the file ``text``, the value of ``-report``. Return a list with the path of the file. If the
    text is empty, no page is written and the list is empty.

    Raises:
        OutputError: the file cannot be written.
    """
    if not text:
        return []
    path = Path(text).absolute()
    write_output(path, compose(report).encode(), "-report", "report")
    return [path]


def compose(report: StudyReport) -> str:
    """Return the page of a study as HTML."""
    script = report.model.read_text(encoding="utf-8", errors="replace")
    sections = [
        ReportSection("Summary", ["\n".join(report.summary) + "\n"]),
        *(ReportSection(title, [table]) for title, table in report.tables.items() if table.rows),
        ReportSection("Pictures", [embed(each) if isinstance(each, Path) else each for each in report.pictures]),
        ReportSection("Runs", tabulate_runs(report.rows)),
        ReportSection("Definition", [tabulate_definition(report.definition)]),
        ReportSection("How to repeat it", [shlex.join(report.command) + "\n", "The model:", script + "\n"]),
    ]
    words = f"Windlass {windlass.__version__}, report written {time.strftime(CLOCK)}."
    title = f"{' '.join(report.command[:2])} {report.model.name}"
    return format_page(title, report.verdict, words, sections, report.doubts)


def embed(picture: Path) -> Formatted:
    """Return a part of a section with a PNG file."""
    data = b64encode(picture.read_bytes()).decode("ascii")
    return Formatted(
        f'<figure class="picture"><img alt="{escape(picture.stem)}" src="data:image/png;base64,{data}"></figure>'
    )


def tabulate_runs(rows: Sequence[Row]) -> list[Any]:
    """Return the parts of the section on runs: the table of the first runs, without statistics of solvers."""
    shown = rows[:MOST_RUNS]
    names = [name for name in find_columns(shown) if not is_statistic(name)]
    cells = [[_show(row.get(name)) for name in names] for row in shown]
    rest = len(rows) - len(shown)
    return [ReportTable(names, cells), *([f"The CSV file contains {rest} more runs."] if rest else [])]


def tabulate_definition(definition: Mapping[str, Any]) -> ReportTable:
    """Return a table of the settings of a study."""
    return ReportTable(["setting", "value"], [[name, _show(value)] for name, value in definition.items()])


def _show(value: Any) -> Any:
    """Return a value as a cell of a table."""
    if isinstance(value, dict | list | tuple):
        return json.dumps(value)
    return value
