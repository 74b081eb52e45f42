"""The table at the end of an example: computed values beside reference values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from windlass.framework.checks import checked, each, that, word
from windlass.framework.values import read_numbers

Row = tuple[str, float | None, float | None]


def _is_row(given: Any) -> bool:
    """Whether a value is a row of the table."""
    if not isinstance(given, list | tuple) or len(given) != 3 or not isinstance(given[0], str):
        return False
    numbers = [x for x in given[1:] if x is not None]
    return all(x is not None and x.shape == () for x in map(read_numbers, numbers))


@checked(rows=each(that(_is_row, "(name, value or None, reference or None)"), "a list of rows"), title=word())
def format_comparison(rows: Iterable[Row], title: str = "reference") -> str:
    """A table of computed and reference values with their relative difference.

    Args:
        rows: (name with unit, computed value or None if not reached, reference value or None if there is none).
        title: heading of the reference column.
    """
    lines = [("", "computed", title, "difference")]
    for name, value, reference in rows:
        computed = "not reached" if value is None else f"{value:.5f}"
        known = "no reference" if reference is None else f"{reference:.5f}"
        difference = ""
        if value is not None and reference is not None:
            scale = abs(reference) if reference != 0.0 else 1.0
            difference = f"{100 * (value - reference) / scale:+.4f} %"
        lines.append((name, computed, known, difference))
    widths = [max(len(line[k]) for line in lines) for k in range(4)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(line[k].rjust(widths[k]) for k in (1, 2, 3))]).rstrip() for line in lines
    )
