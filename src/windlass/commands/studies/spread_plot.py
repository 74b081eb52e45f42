"""Diagrams of uncertain results: distribution of each result in the runs, and influence of each option on a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from windlass.commands.studies.propagation import Spread
from windlass.commands.studies.sweep_plots import DPI, create_figure
from windlass.framework.output.figures import hand_over

MOST = 6
"""Largest number of results that are drawn."""


def draw_spreads(file: Path, spreads: Mapping[str, Spread], options: Sequence[str], words: str) -> Path:
    """Draw two diagrams for each result that varies: the distribution of the result, and below this diagram the
    influence of the options.

    Args:
        file: path of the picture.
        spreads: dictionary from names of results to `Spread`.
        options: names of the options that vary.
        words: text that names the measure of influence in the picture.
    """
    chosen = [(name, spread) for name, spread in spreads.items() if spread.deviation > 0.0][:MOST]
    chosen = chosen or list(spreads.items())[:1]
    figure, panels = create_figure(2, len(chosen))
    for k, (name, spread) in enumerate(chosen):
        above, below = panels[k], panels[len(chosen) + k]
        values = spread.values[np.isfinite(spread.values)]
        if len(values):
            above.hist(values, bins="auto", density=True, color="tab:blue", alpha=0.6)
        elif spread.deviation > 0.0:
            x = spread.mean + spread.deviation * np.linspace(-3.0, 3.0, 121)
            bell = np.exp(-0.5 * ((x - spread.mean) / spread.deviation) ** 2)
            above.plot(x, bell / (spread.deviation * np.sqrt(2.0 * np.pi)))
        above.axvline(spread.mean, color="tab:orange", linewidth=1.0, label="mean")
        above.set_xlabel(name)
        above.set_ylabel("density")
        above.legend(fontsize="small")
        places = np.arange(len(options))[::-1]
        if spread.totals:
            below.barh(places - 0.2, spread.totals, 0.36, xerr=spread.widths, color="0.7", label="total index")
            below.barh(places + 0.2, spread.shares, 0.36, label="first index")
            below.legend(fontsize="small")
        else:
            below.barh(places, spread.shares, 0.6)
        below.set_yticks(places, options)
        below.set_xlim(0.0, 1.02)
        below.set_xlabel(words)
    hand_over(figure, file, DPI)
    return file
