"""Figures, created with matplotlib, of the model, of curves over time, and of the steps of a solve."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import pairwise
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.command_line.report_parts import ReportCurves
from windlass.framework.errors import OutputError
from windlass.framework.output.drawing import Canvas
from windlass.framework.output.figures import create_figure
from windlass.framework.output.scene import Scene
from windlass.framework.state.state import State

WIDTH = 9.0
"""Width of a figure [inch]."""
INK, GRID = "#1f2933", "#e4e7eb"
COLOURS = ("#0b7285", "#d9480f", "#5f3dc4", "#2b8a3e", "#c2255c", "#1971c2", "#e67700", "#495057")
MOST_CURVES, MOST_LINES = 12, 50_000
"""MOST_CURVES: largest number of curves in one pair of axes. MOST_LINES: largest number of straight lines in a
picture."""
POINTS = 4000
"""Largest number of points of a drawn curve. A curve with more points is divided into POINTS / 2 intervals. Of each
interval, only the points with the smallest and the largest value are drawn.
"""
SUBDIVISIONS = 4
"""Number of straight lines with which one cable element is drawn."""
COLOURED_BY = "axial_force"
"""Name of a point field. If a law draws this field, its values determine the colours of lines."""
TICKS = 7
"""Largest number of tick labels on the longest axis of a 3D picture."""
SHORT = 0.1
"""If the length of an axis of a 3D picture is less than this fraction [1] of the longest axis, the axis has no tick
labels.
"""
FLAT = 1e-6
"""A model is drawn in 2D if its extent along z is at most this fraction [1] of its largest extent."""


def create_page_figure(height: float) -> Any:
    """Create an empty figure with the width `WIDTH` and the given height [inch]."""
    return create_figure(WIDTH, height, layout="constrained")


def as_image(figure: Any, kind: str = "svg") -> str:
    """Return a figure as a data URL, which contains the picture itself."""
    import matplotlib  # imported here, because only pictures need matplotlib

    image = BytesIO()
    # Characters are stored as text and not as outlines, because text is searchable and needs less memory. Pages contain
    # no date, so that equal runs write equal pages.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "windlass", "font.family": "sans-serif"}):
        more = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": 110}
        figure.savefig(image, format=kind, **more)
    mime = {"svg": "svg+xml", "png": "png"}[kind]
    return f"data:image/{mime};base64,{b64encode(image.getvalue()).decode()}"


def style(axes: Any) -> None:
    """Draw axes with a plain frame and a faint grid."""
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def thin_curve(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the points with which a curve is drawn. A curve with more than `POINTS` points is divided into intervals.
    For such a curve, the result contains only the points with the smallest and the largest value in each interval, in
    the order of the curve.
    """
    if len(x) <= POINTS:
        return x, y
    edges = np.linspace(0, len(x), POINTS // 2 + 1).astype(np.int64)
    shown = np.where(np.isfinite(y), y, 0.0)
    chosen = [np.unique((a + shown[a:b].argmin(), a + shown[a:b].argmax())) for a, b in pairwise(edges)]
    index = np.concatenate(chosen)
    return x[index], y[index]


def plot_curves(curves: ReportCurves) -> Any:
    """Plot curves. Curves with equal units are drawn in one pair of axes. Only the first `MOST_CURVES` curves of each
    unit are drawn.
    """
    groups: dict[str, list[tuple[str, FloatArray]]] = {}
    for name, unit, values in curves.curves:
        groups.setdefault(unit, []).append((name, np.asarray(values, dtype=np.float64)))
    panels = [
        (f"[{unit}]" if len(lines) > 1 else f"{lines[0][0]} [{unit}]", lines, None) for unit, lines in groups.items()
    ]
    return plot_panels(curves.label, np.asarray(curves.x, dtype=np.float64), panels)


def plot_panels(
    label: str,
    x: FloatArray,
    panels: Sequence[tuple[str, Sequence[tuple[str, FloatArray]], tuple[float, float] | None]],
) -> Any:
    """Plot several pairs of axes, one below the other, with a common abscissa. The names of curves are to the right of
    the axes.

    Args:
        label: label of the abscissa, with its unit.
        x: values of the abscissa, shape (n,).
        panels: for each pair of axes the label with unit, the curves by name, and the limits within which values are
            shown, or None for no limits.
    """
    figure = create_page_figure(sum(_find_height(len(lines)) for _, lines, _ in panels) + 0.4)
    ratios = [_find_height(len(lines)) for _, lines, _ in panels]
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=ratios)[:, 0]
    for axes, (unit, lines, limits) in zip(all_axes, panels, strict=True):
        for k, (name, values) in enumerate(lines[:MOST_CURVES]):
            shown = np.where(np.isfinite(values), values, np.nan)
            axes.plot(*thin_curve(x, shown), color=COLOURS[k % len(COLOURS)], linewidth=1.3, label=name)
        # wrap labels that are longer than the height of the axes
        axes.set_ylabel(fill(unit, 24))
        if limits is not None:
            low, high = axes.get_ylim()
            axes.set_ylim(max(low, limits[0]), min(high, limits[1]))
        if len(lines) > 1:
            left = len(lines) - MOST_CURVES
            axes.legend(
                fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.2,
                title=f"and {left} more" if left > 0 else None, title_fontsize=8,
            )  # fmt: skip
        axes.ticklabel_format(axis="y", useOffset=False)
        style(axes)
    all_axes[-1].set_xlabel(label)
    figure.align_ylabels()
    return figure


def _find_height(curves: int) -> float:
    """Return the height [inch] of a pair of axes. The height is sufficient for the names of the curves at the side."""
    return max(1.7, 0.17 * min(curves, MOST_CURVES + 1) + 0.35)


def plot_steps(rows: FloatArray, unit: str, work: Mapping[str, int]) -> Any:
    """Plot the step size and measures of work per step (such as iterations) over time or, in statics, over the progress
    of the load steps.

    Args:
        rows: table with one row for each group of successive steps. The columns are the time at the end of the group,
            the number of steps, the smallest step size, the largest step size, and measures of work. See `StepHistory`.
        unit: unit of time and step size; empty in statics.
        work: column of each measure of work in ``rows``, by name of the measure.
    """
    figure = create_page_figure(1.7 * (1 + len(work)) + 0.3)
    all_axes = figure.subplots(1 + len(work), 1, sharex=True, squeeze=False)[:, 0]
    x = np.concatenate((rows[:1, 0] - rows[:1, 3] * rows[:1, 1], rows[:, 0]))
    bracket = f" [{unit}]" if unit else ""
    axes = all_axes[0]
    axes.stairs(rows[:, 3], x, baseline=rows[:, 2], fill=True, color=COLOURS[0], alpha=0.35)
    axes.stairs(rows[:, 3], x, baseline=None, color=COLOURS[0])
    axes.set(ylabel=f"step size{bracket}", yscale="log")
    for axes, (name, column) in zip(all_axes[1:], work.items(), strict=True):
        axes.stairs(rows[:, column] / rows[:, 1], x, baseline=None, color=COLOURS[1])
        axes.set(ylabel=f"{name}\nper step")
        axes.set_ylim(bottom=0.0)
    for axes in all_axes:
        style(axes)
    all_axes[-1].set_xlabel("time [s]" if unit == "s" else "load steps, progress [1]")
    figure.align_ylabels()
    return figure


class ModelLines(NamedTuple):
    """The straight lines with which a model is drawn."""

    points: FloatArray  # positions [m] of points, shape (n, 3)
    lines: IntArray  # indices of the points at both ends of each line, shape (m, 2)
    values: FloatArray  # values of `COLOURED_BY` at points, NaN at points without a value, shape (n,)
    label: str  # meaning and unit of the values; empty if no point has a value


def trace_model(states: Sequence[State]) -> list[ModelLines] | None:
    """Return the lines with which a model is drawn in several states. The result is None on all processes except the
    first, and for models without drawings.
    """
    scene = Scene(states[0].world, SUBDIVISIONS)
    found: list[ModelLines] = []
    canvas: Canvas | None = None
    for state in states:
        drawn = scene.draw(state)
        if drawn is None:
            continue
        try:
            canvas = canvas or Canvas(*drawn)
        except OutputError:  # the model has no drawings with lines
            return None
        points, point_data, _ = canvas.compose(*drawn)
        has = COLOURED_BY in point_data
        values = point_data[COLOURED_BY] if has else np.full(len(points), np.nan)
        label = f"{COLOURED_BY.replace('_', ' ')} [{canvas.units[COLOURED_BY]}]" if has else ""
        faces = canvas.mesh.faces
        lines = np.concatenate((canvas.mesh.lines, faces[:, :2], faces[:, 1:3]))
        lines = lines[:: max(1, -(-len(lines) // MOST_LINES))]
        found.append(ModelLines(points.copy(), lines, values.copy(), label))
    return found or None


def draw_state(state: State) -> Any:
    """Draw the model in a state. The result is None on all processes except the first, and for models without drawings.

    If the laws draw the field `axial_force`, the colours of lines show the axial force.
    """
    traced = trace_model([state])
    if traced is None:
        return None
    points, lines, values, label = traced[0]
    # lines without a value are drawn behind the other lines
    lines = lines[np.argsort(np.isfinite(values[lines].sum(axis=1)), kind="stable")]
    figure, axes = _create_view([points])
    collection = _add_lines(axes, points, lines, linewidths=2.2, capstyle="round")
    mean = values[lines].mean(axis=1)
    known = np.isfinite(mean)
    if label and known.any():
        collection.set_cmap(tension_colours())
        collection.set_array(mean)
        low, high = float(mean[known].min()), float(mean[known].max())
        room = max(0.5 * (1e-6 * max(abs(low), abs(high)) - (high - low)), 0.0)
        collection.set_clim(low - room, high + room)
        figure.colorbar(collection, ax=axes, label=label, shrink=0.8)
    else:
        collection.set_color(COLOURS[0])
    return figure


def draw_shapes(rest: State, moved: Sequence[State], title: str) -> Any:
    """Draw the model at rest, and the model in several states of a motion. The first of these states has the strongest
    colour. The result is None on all processes except the first, and for models without drawings.
    """
    traced = trace_model([rest, *moved])
    if traced is None:
        return None
    figure, axes = _create_view([one.points for one in traced])
    first, *others = traced
    _add_lines(axes, first.points, first.lines, linewidths=1.2, colors="#9aa5b1")
    for k, one in reversed(list(enumerate(others))):
        faint = 1.0 if k == 0 else 0.55 - 0.35 * k / len(others)
        _add_lines(axes, one.points, one.lines, linewidths=2.2 if k == 0 else 1.4, colors=COLOURS[0], alpha=faint)
    axes.set_title(title, color=INK, fontsize=11, loc="left")
    return figure


def _create_view(clouds: Sequence[FloatArray]) -> tuple[Any, Any]:
    """Create a figure with 2D or 3D axes, and return both. The limits of the axes include all points [m]."""
    from matplotlib.ticker import MaxNLocator, NullLocator  # imported here, because only pictures need matplotlib

    points = np.concatenate(clouds)
    low, high = points.min(axis=0), points.max(axis=0)
    extent = high - low
    flat = bool(extent[2] <= FLAT * extent.max())
    height = min(6.5, max(2.2, WIDTH * (extent[1] / max(extent[0], 1e-30)) + 0.8)) if flat else 6.5
    figure = create_page_figure(height)
    axes = figure.add_subplot(projection=None if flat else "3d")
    if flat:
        room = 0.04 * max(float(extent.max()), 1e-30)
        axes.set(xlim=(low[0] - room, high[0] + room), ylim=(low[1] - room, high[1] + room))
        axes.set_aspect("equal")
        axes.set(xlabel="x [m]", ylabel="y [m]")
        style(axes)
    else:
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        axes.set_aspect("equal")
        for name, length in zip("xyz", extent / extent.max(), strict=True):
            axis = getattr(axes, f"{name}axis")
            # a very short axis has no labels, because its labels would overlap
            axis.set_label_text(f"{name} [m]" if length > SHORT else "")
            axis.set_major_locator(MaxNLocator(max(1, round(TICKS * length))) if length > SHORT else NullLocator())
    return figure, axes


def _add_lines(axes: Any, points: FloatArray, lines: IntArray, **more: Any) -> Any:
    """Add straight lines to axes, as one line collection of matplotlib."""
    if axes.name == "3d":
        from mpl_toolkits.mplot3d.art3d import Line3DCollection  # imported here, because only 3D pictures need mplot3d

        more.pop("capstyle", None)
        collection: Any = Line3DCollection(points[lines].tolist(), **more)
        axes.add_collection3d(collection)
        return collection
    from matplotlib.collections import LineCollection  # imported here, because only pictures need matplotlib

    collection = LineCollection(points[lines][..., :2].tolist(), snap=False, **more)
    axes.add_collection(collection)
    return collection


def tension_colours() -> Any:
    """Return the colour map from the smallest to the largest tension. Lines without a tension value are grey."""
    from matplotlib.colors import LinearSegmentedColormap  # imported here, because only pictures need matplotlib

    colours: Sequence[str] = ["#2c5fa8", "#35a7a0", "#e9c238", "#e8702a", "#b3202c"]
    return LinearSegmentedColormap.from_list("tension", list(colours)).with_extremes(bad="#9aa5b1")
