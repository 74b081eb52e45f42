"""Diagram of a fit: measured values and values of the best run as functions of time, and their differences."""

from __future__ import annotations

from pathlib import Path

from windlass.commands.studies.measured import MeasuredTable
from windlass.commands.studies.sweep_plots import DPI, create_figure
from windlass.framework.arrays import FloatArray
from windlass.framework.output.figures import hand_over

MOST_POINTS = 400
"""Approximate number of measured points that are drawn for a column with more points."""


def draw_fit(file: Path, measured: MeasuredTable, start: FloatArray, best: FloatArray) -> Path:
    """Draw each measured column as a function of time, and the residuals of the column below; return the path of the
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
