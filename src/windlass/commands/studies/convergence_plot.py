"""Diagram of the convergence of a search."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from windlass.commands.studies.sweep_plots import DPI, create_figure
from windlass.framework.output.figures import hand_over


def draw_convergence(file: Path, values: Sequence[float], inside: Sequence[bool], name: str, sign: float) -> Path:
    """Draw the objective of each run, and the best objective so far of the runs that fulfil all limits. Return the path
    of the file.

    Args:
        file: path of the picture.
        values: objective of each run, NaN for failed runs.
        inside: whether each run fulfils all limits.
        name: name of the objective.
        sign: 1 if the objective is minimised, -1 if it is maximised.
    """
    figure, (panel,) = create_figure(1, 1)
    number, heights, good = np.arange(1, len(values) + 1), np.array(values, float), np.array(inside, bool)
    best = sign * np.minimum.accumulate(np.where(good, sign * heights, np.inf))
    panel.plot(number[good], heights[good], "o", markersize=4, label="run within limits")
    if not good.all():
        panel.plot(number[~good], heights[~good], "x", markersize=5, color="0.5", label="run outside")
    panel.step(number, np.where(np.isfinite(best), best, np.nan), where="post", label="best so far")
    panel.set_xlabel("run")
    panel.set_ylabel(name)
    panel.grid(alpha=0.3)
    panel.legend(fontsize="small")
    hand_over(figure, file, DPI)
    return file
