"""HTML tables for the report of a run and for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from windlass.framework.command_line.report_parts import ReportTable


def show_cell(value: Any) -> str:
    """Return the text of a table cell."""
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.6g}"
    return str(value)


def format_table(table: ReportTable, inline: bool = False) -> str:
    """Return the HTML of a table. Columns of numbers are right-aligned.

    Args:
        table: the table.
        inline: whether the HTML contains the style of the table. Pages without a style sheet, such as notebooks, need
            this style.
    """
    rows = [list(row) for row in table.rows]
    kinds = []
    for k in range(len(table.headings)):
        cells = [row[k] for row in rows if k < len(row) and row[k] not in (None, "")]
        is_number = bool(cells) and all(map(_is_number, cells))
        if inline:
            kinds.append(f' style="text-align: {"right" if is_number else "left"}; white-space: pre-wrap"')
        else:
            kinds.append(' class="number"' if is_number else "")
    head = "".join(f"<th{kind}>{escape(str(h))}</th>" for h, kind in zip(table.headings, kinds, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(show_cell(c))}</td>" for c, kind in zip(row, kinds, strict=False))
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) or (
        isinstance(value, str) and value.rstrip(" %").lstrip("+-").replace(".", "", 1).replace("e-", "").isdigit()
    )
