"""Diagrams of a sweep: curves and heat maps of results as functions of the options that vary. For samples, the diagrams
contain one point per case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from windlass.commands.studies.sweep_table import COUNTS, Row
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import OptionError, OutputError
from windlass.framework.output.figures import hand_over

FIRST = 6
"""Number of results that are drawn by default."""
WORK = (*COUNTS, "cpu_time")
"""Last parts of the names of statistics, such as numbers of iterations. Statistics are drawn only if the user selects
them.
"""
MOST_PANELS = 6
"""Largest number of heat maps in a picture. A picture has one heat map for each combination of values of the options
that are not axes.
"""
MOST_CURVES = 12
DPI = 120.0
FOLDER = "plots"
Draw = Callable[[Sequence[Row], Sequence[str], Mapping[str, str], str], Any]


def draw_sweep(
    folder: Path, rows: Sequence[Row], names: Sequence[str], units: Mapping[str, str], chosen: Sequence[str]
) -> list[Path]:
    """Draw the selected results as functions of the options that vary. If no results are selected, draw the first
    results that differ between cases. Return the paths of the files. If no option or no result varies, the list is
    empty.

    Raises:
        OptionError: a selected result is missing, or is not a number in all cases that have not failed.
    """
    good = [row for row in rows if row["status"] != "failed"]
    numeric = find_numbers(good, ("case", "run_time", *names))
    missing = [name for name in chosen if name not in numeric]
    if missing:
        raise OptionError(f"-plot {missing[0]}: no case has such a number; there are {', '.join(numeric) or 'none'}")
    results = [name for name in numeric if name.split(".")[-1] not in WORK and len({row.get(name) for row in good}) > 1]
    values = list(chosen) or results[:FIRST]
    axes = [name for name in names if len({row[name] for row in rows}) > 1]
    axes.sort(key=lambda name: -len({row[name] for row in rows}))
    if not values or not axes:
        return []
    create_folder(folder / FOLDER)
    labels = {name: f"{name} [{units[name]}]" if units.get(name) not in (None, "", "1") else name for name in axes}
    kinds: dict[str, Draw] = {"": draw_points}
    if is_grid(rows, axes):
        kinds = {"": draw_lines, "_map": draw_maps} if len(axes) > 1 else {"": draw_lines}
    files = []
    for value in values:
        for ending, draw in kinds.items():
            files.append(folder / FOLDER / (re.sub(r"[^\w.-]", "_", value) + ending + ".png"))
            figure = draw(rows, axes, labels, value)
            hand_over(figure, files[-1], DPI)
    return files


def create_folder(folder: Path) -> None:
    """Create a folder. Raise OutputError if the folder cannot be created."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"'{folder}' cannot be made: {error.strerror}") from error


def find_numbers(rows: Sequence[Row], without: Sequence[str]) -> list[str]:
    """Return the columns in which all values are numbers or None, except the columns ``without``."""
    names = dict.fromkeys(name for row in rows for name in row if name not in without)
    return [name for name in names if all(is_number(row.get(name)) for row in rows)]


def is_number(value: Any) -> bool:
    """Return whether a value can be drawn. Numbers can be drawn, and None is drawn as a gap."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def is_grid(rows: Sequence[Row], axes: Sequence[str]) -> bool:
    """Return whether the rows are distinct combinations of the values of the options, and contain more than half of all
    possible combinations.
    """
    found = [tuple(row[name] for name in axes) for row in rows]
    count = int(np.prod([len({case[k] for case in found}) for k in range(len(axes))]))
    return len(set(found)) == len(found) and 2 * len(found) > count


def draw_lines(rows: Sequence[Row], axes: Sequence[str], labels: Mapping[str, str], value: str) -> Any:
    """Draw a result as a function of the option with the most values, with one curve for each combination of values of
    the other options.
    """
    figure, (panel,) = create_figure(1, 1)
    places, words = find_places(rows, axes[0])
    curves = find_groups(rows, axes[1:])
    for key, group in list(curves.items())[:MOST_CURVES]:
        known = {row[axes[0]]: row.get(value) for row in group if row["status"] != "failed"}
        heights = [to_float(known.get(position)) for position in places]
        name = ", ".join(f"{labels[axis]} = {part}" for axis, part in zip(axes[1:], key, strict=True))
        panel.plot(list(places.values()), heights, "o-", markersize=4, label=name)
    if len(axes) > 1:
        panel.legend(fontsize="small")
    if len(curves) > MOST_CURVES:
        panel.set_title(f"{MOST_CURVES} of {len(curves)} curves", fontsize="small")
    name_axis(panel.xaxis, labels[axes[0]], places, words)
    panel.set_ylabel(value)
    panel.grid(alpha=0.3)
    return figure


def draw_maps(rows: Sequence[Row], axes: Sequence[str], labels: Mapping[str, str], value: str) -> Any:
    """Draw heat maps of a result as a function of the two options with the most values, with one map for each
    combination of values of the other options.

    Failed cases are crossed out.
    """
    groups = list(find_groups(rows, axes[2:]).items())[:MOST_PANELS]
    figure, panels = create_figure(1 + (len(groups) - 1) // 3, min(3, len(groups)))
    (x, x_words), (y, y_words) = (find_places(rows, name) for name in axes[:2])
    finite = [height for row in rows if np.isfinite(height := to_float(row.get(value)))]
    for (key, group), panel in zip(groups, panels, strict=False):
        heights = np.full((len(y), len(x)), np.nan)
        columns, lines = list(x), list(y)
        for row in group:
            place = lines.index(row[axes[1]]), columns.index(row[axes[0]])
            if row["status"] != "failed":
                heights[place] = to_float(row.get(value))
            else:
                panel.plot(x[row[axes[0]]], y[row[axes[1]]], "x", color="tab:red", markersize=9)
        edges = find_edges(list(x.values())), find_edges(list(y.values()))
        bounds = {"vmin": min(finite), "vmax": max(finite)} if finite else {}
        image = panel.pcolormesh(*edges, heights, cmap="viridis", **bounds)
        figure.colorbar(image, ax=panel, label=value)
        name_axis(panel.xaxis, labels[axes[0]], x, x_words)
        name_axis(panel.yaxis, labels[axes[1]], y, y_words)
        panel.set_title(
            ", ".join(f"{labels[a]} = {part}" for a, part in zip(axes[2:], key, strict=True)), fontsize="small"
        )
    if any(row["status"] == "failed" for row in rows):
        figure.text(0.01, 0.01, "x: the case has failed", fontsize="small", color="tab:red")
    return figure


def draw_points(rows: Sequence[Row], axes: Sequence[str], labels: Mapping[str, str], value: str) -> Any:
    """Draw a result as a function of each option, with a point for each case."""
    figure, panels = create_figure(1, len(axes))
    for name, panel in zip(axes, panels, strict=False):
        places, words = find_places(rows, name)
        good = [row for row in rows if row["status"] != "failed"]
        panel.plot([places[row[name]] for row in good], [to_float(row.get(value)) for row in good], "o", markersize=4)
        name_axis(panel.xaxis, labels[name], places, words)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel(value)
    return figure


def create_figure(lines: int, columns: int) -> tuple[Any, list[Any]]:
    """Return a figure and the list of its axes."""
    from matplotlib.figure import Figure  # imported here, because runs do not draw pictures

    figure = Figure(figsize=(5.2 * columns, 3.9 * lines), layout="constrained")
    return figure, list(np.ravel(figure.subplots(lines, columns)))


def find_groups(rows: Sequence[Row], axes: Sequence[str]) -> dict[tuple[Any, ...], list[Row]]:
    """Return a dictionary from the values of the options ``axes`` to the rows with these values."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in axes), []).append(row)
    return groups


def find_places(rows: Sequence[Row], name: str) -> tuple[dict[Any, float], bool]:
    """Return the positions of the values of an option on an axis, and whether the values are words. The position of a
    number is its value. Words have the positions 0, 1, 2 ...
    """
    values = list(dict.fromkeys(row[name] for row in rows))
    if any(isinstance(value, str) for value in values):
        return {value: float(k) for k, value in enumerate(values)}, True
    return {value: float(value) for value in sorted(values)}, False


def find_edges(centres: Sequence[float]) -> FloatArray:
    """Return the borders of the cells of a heat map around the given positions, shape (positions + 1,)."""
    middles = np.array(centres)
    inner = (middles[1:] + middles[:-1]) / 2
    ends = (
        (2 * middles[0] - inner[0], 2 * middles[-1] - inner[-1]) if len(inner) else (middles[0] - 0.5, middles[0] + 0.5)
    )
    return np.concatenate(([ends[0]], inner, [ends[1]]))


def name_axis(axis: Any, label: str, places: Mapping[Any, float], words: bool) -> None:
    """Set the label of an axis, and tick labels if the values are words."""
    axis.set_label_text(label)
    if words:
        axis.set_ticks(list(places.values()), list(map(str, places)))


def to_float(value: Any) -> float:
    """Convert a number to a float, and None to NaN. NaN is drawn as a gap."""
    return float("nan") if value is None else float(value)
