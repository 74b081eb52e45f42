"""The ledger as a text table and as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.ledger.balance import (
    DISSIPATION,
    INTEGRATOR,
    KINDS,
    KINETIC,
    PARTS,
    PASSED,
    POTENTIAL,
    REST,
    UNKNOWN,
    WORK,
)
from windlass.framework.output.figures import create_figure

TITLES = {
    WORK: "work of loads, motors and supports",
    KINETIC: "change of the kinetic energy",
    POTENTIAL: "change of stored energies",
    DISSIPATION: "dissipated",
    PASSED: "passed on",
    UNKNOWN: "not accounted: laws without an account of their work",
    INTEGRATOR: "lost by the method of integration",
    REST: "rest",
    PARTS: "of it",
}
Groups = Mapping[str, list[tuple[str, float]]]


def list_lines(
    kinds: Mapping[str, str],
    totals: Mapping[str, float],
    starts: Mapping[str, float],
    groups: Groups,
    span: tuple[float, float],
    steps: int,
    labels: Mapping[str, str] | None = None,
) -> list[tuple[str, str, str]]:
    """Return the lines of a ledger. Each line has a label and the change [J] since the start, and, for energies, also
    the value [J] at the end. Quantities that are 0 are omitted.

    Args:
        kinds: category of each quantity, by name.
        totals: sums [J] of the quantities since the start, by name.
        starts: energies [J] at the start, by name.
        groups: names and values [J] of the parts of each quantity, by the name of the quantity.
        span: start time [s] and end time [s].
        steps: number of steps that the sums include.
        labels: labels that replace the names of quantities, by name.
    """
    title = f"energy from {span[0]:.6g} s to {span[1]:.6g} s in {steps} steps"
    lines: list[tuple[str, str, str]] = [(title, "J", "at the end [J]")]
    largest = max((abs(value) for value in totals.values()), default=0.0)
    for kind in KINDS:
        members = [name for name, own in kinds.items() if own == kind and totals.get(name, 0.0) != 0.0]
        if not members and kind not in (INTEGRATOR, REST):
            continue
        total = sum(totals[name] for name in members)
        lines.append((TITLES[kind], "" if kind == PARTS else _number(total), ""))
        for name in members if kind not in (INTEGRATOR, REST) else ():
            end = _number(starts[name] + totals[name]) if name in starts else ""
            words = (labels or {}).get(name, name.removeprefix("rest."))
            lines.append((f"  {words}", _number(totals[name]), end))
            lines += [(f"    {group}", _number(value), "") for group, value in groups.get(name, ()) if value != 0.0]
    if largest > 0.0:
        lines.append(("rest per largest quantity [1]", _number(abs(totals.get(REST, 0.0)) / largest), ""))
    return lines


def format_lines(lines: Sequence[tuple[str, str, str]]) -> str:
    """Format lines as a text table."""
    widths = [max(len(line[k]) for line in lines) for k in range(3)]
    return "\n".join(f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}".rstrip() for a, b, c in lines)


def _number(value: float) -> str:
    return f"{value:.6g}"


def draw_series(times: FloatArray, values: Mapping[str, FloatArray], kinds: Mapping[str, str]) -> Any:
    """Plot two diagrams over time. The first diagram shows the quantities, with one line style for each category. The
    second diagram shows the remainder and its parts.
    """
    figure = create_figure(9.0, 7.5)
    # the margins are fixed, because with a layout engine matplotlib would draw the figure twice
    margins = {"left": 0.1, "right": 0.98, "bottom": 0.07, "top": 0.96, "hspace": 0.09}
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1), gridspec_kw=margins)
    styles = {WORK: "-", KINETIC: "--", POTENTIAL: "--", DISSIPATION: "-.", PASSED: ":", UNKNOWN: ":", INTEGRATOR: ":"}
    largest = max((float(np.abs(v).max(initial=0.0)) for v in values.values()), default=0.0)
    for name, series in values.items():
        # quantities that are too small to be visible are not plotted
        if kinds[name] in styles and float(np.abs(series).max(initial=0.0)) > 1e-4 * largest:
            above.plot(times, series, styles[kinds[name]], label=f"{name} ({kinds[name]})", linewidth=1.2)
        if kinds[name] in (REST, PARTS) and series.any():
            below.plot(times, series, label=name, linewidth=1.6 if kinds[name] == REST else 0.9)
    for axes, label in ((above, "since the start [J]"), (below, "rest [J]")):
        axes.set_ylabel(label)
        axes.grid(True, color="#e4e7eb")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=7, loc="upper left")
    below.set_xlabel("time [s]")
    return figure
