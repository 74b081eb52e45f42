"""Contents of the report of a run (-report): sections of text, tables, curves and figures.

Hooks contribute sections by `StepHook.report_sections`, and models by `add_to_report`. Packages contribute sections by
functions of a world and a state. Packages register these functions by `register_report_sections`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from windlass.framework.checks.checks import check_fields, checked, each, numbers, that, word
from windlass.framework.checks.values import read_numbers
from windlass.framework.errors import OutputError


def _is_part(given: Any) -> bool:
    """Return whether a report can show a value, which must have one of the types of `ReportSection.parts`."""
    known = isinstance(given, str | ReportTable | ReportCurves | Formatted)
    return known or ((hasattr(given, "savefig") or callable(given)) and not isinstance(given, type))


def _is_curve(given: Any) -> bool:
    """Return whether a value consists of a name, a unit and numbers."""
    if not isinstance(given, list | tuple) or len(given) != 3 or not all(isinstance(x, str) for x in given[:2]):
        return False
    values = read_numbers(given[2])
    return values is not None and values.ndim == 1


WORDS = each(word(), "a list of words")
ROWS = each(that(lambda given: isinstance(given, list | tuple), "a list of cells"), "a list of rows")
CURVES = each(that(_is_curve, "(name, unit, list of numbers)"), "a list of curves")
PARTS = each(that(_is_part, "words, a table, curves, a figure, or a function that gives one"), "a list of parts")


@dataclass(frozen=True)
class ReportTable:
    """A table of a report.

    Attributes:
        headings: headings of the columns, with units.
        rows: rows with one cell for each heading. A cell is a text, a number, or None for an empty cell.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def __post_init__(self) -> None:
        check_fields(self, {"headings": WORDS, "rows": ROWS}, OutputError)
        for number, row in enumerate(self.rows):
            if len(row) != len(self.headings):
                raise OutputError(f"row {number} of ReportTable has {len(row)} cells: must be {len(self.headings)}")


@dataclass(frozen=True)
class ReportCurves:
    """Curves of a report. Curves with equal units are drawn in one diagram.

    Attributes:
        label: label of the abscissa, with its unit.
        x: values of the abscissa, shape (n,).
        curves: (name, unit, values of shape (n,)) of each curve.
    """

    label: str
    x: Any
    curves: Sequence[tuple[str, str, Any]]

    def __post_init__(self) -> None:
        check_fields(self, {"label": word(), "x": numbers("of the label", (None,)), "curves": CURVES}, OutputError)
        for name, _, values in self.curves:
            if len(values) != len(self.x):
                raise OutputError(
                    f"curve {name!r} has {len(values)} values: must be {len(self.x)}, the number of x values"
                )


@dataclass(frozen=True)
class Formatted:
    """A part of a section with HTML as content."""

    text: str


PLACES = ("first", "results", "energy")
"""Allowed values of `ReportSection.place`, in the order of the sections on the page."""


@dataclass(frozen=True)
class ReportSection:
    """A titled part of a report.

    Attributes:
        title: heading. Sections with the same title are joined.
        parts: texts, objects `ReportTable` and `ReportCurves`, figures of matplotlib, or functions that return a text,
            an object or a figure when the page is written.
        place: position on the page: ``"first"``, ``"results"``, or ``"energy"``, which follows after the results. The
            sections that describe the model and its solves follow at the end of the page.
    """

    title: str
    parts: Sequence[Any]
    place: Literal["first", "results", "energy"] = "results"

    def __post_init__(self) -> None:
        check_fields(self, {"title": word(), "parts": PARTS, "place": word(*PLACES)}, OutputError)


# contributions to the report, in a global list, because each process executes only one run
added_sections: list[ReportSection] = []
providers: list[str] = []


@checked(OutputError, title=word())
def add_to_report(title: str, *parts: Any) -> None:
    """Add a section to the report of the run. Without ``-report`` the call has no effect.

    Args:
        title: heading. Sections with the same title are joined.
        *parts: contents of the section. `ReportSection.parts` lists the allowed types.

    Raises:
        OutputError: a part has a type that a report cannot show.
    """
    added_sections.append(ReportSection(title, list(parts)))


def register_report_sections(name: str) -> None:
    """Register a function of (world, state) that returns sections of the report. All processes call the function
    collectively at the end of each solve that the report shows in detail (see `report_solve`).

    Args:
        name: name of the function, ``"package.module:function"``. The module is loaded when a report is written.
    """
    if name not in providers:
        providers.append(name)
