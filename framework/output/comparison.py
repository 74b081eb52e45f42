"""The table of computed values and reference values that an example prints at its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from windlass.framework.checks.checks import checked, each, that
from windlass.framework.checks.values import read_numbers
from windlass.framework.command_line.report_parts import ReportTable, add_to_report


def _is_row(given: Any) -> bool:
    """Return whether a value consists of a name, a computed value and reference values, and can therefore be a row of
    the table.
    """
    if not isinstance(given, list | tuple) or len(given) < 3 or not isinstance(given[0], str):
        return False
    numbers = [x for x in given[1:] if x is not None]
    return all(x is not None and x.shape == () for x in map(read_numbers, numbers))


def _is_title(given: Any) -> bool:
    words = given if isinstance(given, list | tuple) and given else [given]
    return all(isinstance(word, str) for word in words)


@checked(
    rows=each(that(_is_row, "(name, value or None, reference or None for each title)"), "a list of rows"),
    title=that(_is_title, "a word, or words"),
)
def format_comparison(rows: Iterable[Sequence[str | float | None]], title: str | Sequence[str] = "reference") -> str:
    """Return a table of computed and reference values with their relative differences, and add the table to the run
    report. If a reference value is 0, the difference is divided by 1.

    Args:
        rows: for each row: name with unit, computed value, and one reference value for each title. If the run ended
            before the value could be computed, the computed value is None. Unknown reference values are None.
        title: heading of the reference column, or one heading for each reference column.
    """
    titles = (title,) if isinstance(title, str) else tuple(title)
    lines = [["", "computed", *(word for heading in titles for word in (heading, "difference"))]]
    for name, value, *references in rows:
        line = [str(name), "not reached" if value is None else f"{value:.5f}"]
        for heading, reference in zip(titles, references, strict=True):
            missing = "no reference" if len(titles) == 1 else f"no {heading}"
            line.append(missing if reference is None else f"{reference:.5f}")
            difference = ""
            if value is not None and reference is not None:
                value, reference = float(value), float(reference)
                scale = abs(reference) if reference != 0.0 else 1.0
                difference = f"{100 * (value - reference) / scale:+.4f} %"
            line.append(difference)
        lines.append(line)
    add_to_report("Verification", ReportTable(list(lines[0]), lines[1:]))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines
    )
