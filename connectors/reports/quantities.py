"""Reports as dataclasses whose attributes declare unit and meaning, and tables of reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, fields
from inspect import cleandoc
from math import floor, log10
from typing import Any, TypeVar

import numpy as np

Report = TypeVar("Report")

MOST_DECIMALS = 7
"""Largest number of decimals for numbers written without a power of ten. Such numbers also have at most this number of
digits before the decimal point that are not significant.
"""


def quantity(unit: str, doc: str) -> Any:
    """Declare an attribute of a report whose value is a number or a tuple of numbers."""
    return field(metadata={"unit": unit, "doc": doc})


def describe(report: type[Report]) -> type[Report]:
    """Add the attributes of a report and their units to the docstring of the report."""
    numbers = (entry for entry in fields(report) if entry.metadata)  # type: ignore[arg-type]
    lines = [f"    {entry.name}: {entry.metadata['doc']} [{entry.metadata['unit']}]." for entry in numbers]
    report.__doc__ = "\n".join([cleandoc(str(report.__doc__)), "", "Attributes:", *lines])
    return report


def units_of(report: type[Any]) -> dict[str, str]:
    """Return the unit of each attribute of a report."""
    return {entry.name: entry.metadata["unit"] for entry in fields(report) if entry.metadata}


def list_rows(reports: Sequence[Any], show: Callable[[Any], Any]) -> list[list[Any]]:
    """Return one table row for each attribute: the name and unit of the attribute, followed by the result of ``show``
    for the value of the attribute in each report.
    """
    return [
        [f"{name.replace('_', ' ')} [{unit}]", *(show(getattr(report, name)) for report in reports)]
        for name, unit in units_of(type(reports[0])).items()
    ]


def format_table(reports: Sequence[Any]) -> str:
    """Format reports of one type as a table with one column for each report."""
    lines = [["", *(report.name for report in reports)]]
    lines += [[row[0].removesuffix(" [1]"), *row[1:]] for row in list_rows(reports, _format_value)]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:], strict=True))])
        for line in lines
    )


def _format_value(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    if np.isnan(value).any():
        return "-"
    return f"({', '.join(f'{x:.5f}' for x in value)})" if isinstance(value, tuple) else f"{value:.5g}"


def show_numbers(values: Sequence[float], digits: int = 5) -> list[str]:
    """Format all values of one quantity with the same number of decimals, such that the largest value has ``digits``
    significant digits.

    Values that are small compared with the largest value are written as 0. For example, if the largest torque is 20 N
    m, a torque of 1e-4 N m is caused by rounding errors and oscillations of the belt. NaN is written as "-", and
    infinity as "slack".
    """
    finite = np.abs([value for value in values if np.isfinite(value)])
    largest = float(finite.max(initial=0.0))
    decimals = digits - 1 - floor(log10(largest)) if largest > 0.0 else 0
    return [_show_number(value, decimals, digits) for value in values]


def _show_number(value: float, decimals: int, digits: int) -> str:
    if not np.isfinite(value):
        return "-" if np.isnan(value) else "slack"
    if not -MOST_DECIMALS < decimals <= MOST_DECIMALS:
        value = round(value, decimals)
        return f"{value:.{digits}g}" if value else "0"
    text = f"{value:.{max(decimals, 0)}f}"
    return text if any(digit in "123456789" for digit in text) else "0"
