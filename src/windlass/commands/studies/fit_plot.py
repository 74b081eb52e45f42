"""Diagrams of a fit: measured values and values of the best run as functions of time, their differences, and the joint
regions of pairs of options.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from windlass.commands.studies.fit import Fit
from windlass.commands.studies.measured import MeasuredTable
from windlass.commands.studies.ranges import Range
from windlass.commands.studies.sweep_plots import DPI, MOST_PANELS, create_figure
from windlass.framework.arrays import FloatArray
from windlass.framework.output.figures import hand_over

MOST_POINTS = 400
"""Approximate number of measured points that are drawn for a column with more points."""


def draw_fit(file: Path, measured: MeasuredTable, start: FloatArray, best: FloatArray) -> Path:
    """Draw each measured column as a function of time and, below, the residuals of the column. Return the path of the
    file.

    Args:
        file: path of the picture.
        measured: the measured values.
        start: values of the first run, shape (columns, rows).
        best: values of the best run, shape (columns, rows).
    """
    count = len(measured.names)
    figure, panels = create_figure(2, count)
    times, every = measured.times, max(1, len(measured.times) // MOST_POINTS)
    for k in range(count):
        curves, rest = panels[k], panels[count + k]
        curves.plot(times, start[k], ":", color="0.5", label="start")
        curves.plot(times[::every], measured.values[k, ::every], ".", markersize=4, label="measured")
        curves.plot(times, best[k], label="fit")
        curves.set_ylabel(measured.label(k))
        curves.legend(fontsize="small")
        rest.plot(times[::every], (best[k] - measured.values[k])[::every], ".", markersize=3)
        rest.axhline(0.0, color="0.5", linewidth=0.8)
        rest.set_ylabel(f"fit - measured, {measured.label(k)}")
        rest.set_xlabel("time [s]")
        for panel in (curves, rest):
            panel.grid(alpha=0.3)
    hand_over(figure, file, DPI)
    return file


def has_regions(fit: Fit) -> bool:
    """Return whether a fit has a joint region of several options."""
    return len(fit.point) > 1 and bool(np.isfinite(fit.covariance).all())


def draw_regions(ranges: Mapping[str, Range], fit: Fit) -> Any:
    """Return a figure with the joint region and the intervals of pairs of options, for at most `MOST_PANELS` pairs.

    The joint region of all options, (p - p̂)ᵀ C⁻¹ (p - p̂) <= bound, is projected to the plane of two options. In this
    plane, the joint region is given by the same inequality, with the covariance matrix C of only the two options.

    Args:
        ranges: range of each option.
        fit: the fit. Its covariance must be finite.
    """
    names, turn = list(ranges), np.linspace(0.0, 2.0 * np.pi, 200)
    pairs = list(combinations(range(len(names)), 2))[:MOST_PANELS]
    columns = min(len(pairs), 3)
    figure, panels = create_figure(-(-len(pairs) // columns), columns)
    for panel, (i, j) in zip(panels, pairs, strict=False):
        pair = [i, j]
        sizes, axes = np.linalg.eigh(fit.covariance[np.ix_(pair, pair)])
        radii = np.sqrt(fit.bound * np.maximum(sizes, 0.0))
        shares = fit.point[pair] + np.column_stack((np.cos(turn), np.sin(turn))) @ (axes * radii).T
        x, y = (
            [each.value(float(share)) for share in shares[:, k]]
            for k, each in enumerate(ranges[names[n]] for n in pair)
        )
        panel.plot(x, y, label="joint region")
        centre = [ranges[names[n]].value(float(fit.point[n])) for n in pair]
        panel.plot(*centre, "o", markersize=4, label="fit")
        for n, draw in ((i, panel.axvline), (j, panel.axhline)):
            for side in (-1.0, 1.0):
                end = ranges[names[n]].value(float(fit.point[n] + side * fit.half_widths[n]))
                draw(end, color="0.5", linewidth=0.8, linestyle=":")
        panel.set_xlabel(f"{names[i]}{bracket(ranges[names[i]])}")
        panel.set_ylabel(f"{names[j]}{bracket(ranges[names[j]])}")
        panel.legend(fontsize="small")
        panel.grid(alpha=0.3)
    for panel in panels[len(pairs) :]:
        panel.set_axis_off()
    return figure


def bracket(each: Range) -> str:
    """Return the unit of a range for a label, with a space before the unit."""
    return f" [{each.unit}]" if each.unit_words else ""
