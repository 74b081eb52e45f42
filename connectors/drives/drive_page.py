"""Belts and ropes in the report of a run: a page about each drive, and curves over time.

The page contains tables for pulleys and spans, warnings, and in 2D a picture of all pulleys with their names and
results. If the run has a hook of `Belt.average`, the page shows means over time and extremes of the results. Otherwise
it shows results for one state.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from html import escape
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from windlass.connectors.drives.drive_report import (
    TURNING,
    UNITS,
    WHOLE,
    Drive,
    DriveReport,
    Extremes,
    PulleyDuty,
    report_drive,
)
from windlass.connectors.reports.belt_picture import (
    FAINT,
    INK,
    CableLine,
    Wheel,
    create_lines,
    create_wheels,
    find_range,
)
from windlass.connectors.reports.quantities import show_numbers
from windlass.framework.arrays import FloatArray
from windlass.framework.command_line.report_parts import Formatted, ReportSection, ReportTable
from windlass.framework.errors import OutputError
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.world import World
from windlass.framework.output.figures import check_picture, create_figure, hand_over
from windlass.framework.output.plots import plot_panels, tension_colours
from windlass.framework.output.sensors import Sensors
from windlass.framework.state.evaluate import load_outputs
from windlass.framework.state.state import State

WIDTH, LABEL, ROW, TALLEST = 9.0, 2.1, 0.6, 2.9
"""WIDTH, LABEL: width of the picture and width of the labels on each side [inch]. ROW: height of a label [inch].
TALLEST: largest height of the picture of a drive [inch]."""
LONG = 0.3
"""Smallest fraction of a run [1] that a curve of means over turns of the belt must cover. Shorter curves are not drawn.
"""
DIGITS = 4
"""Number of significant digits of the largest value in a row of a table."""
PAGE = 4
"""Number of axes in one figure. A page contains two figures."""
ARROW = "#c2255c"
SLIPS = 0.02
"""Largest slip reserve [1] for which the page reports slip. The reserve of a slipping belt is slightly above 0, because
tensions are means over spans."""
CLIPPED = {"slip_reserve": (-0.5, 1.05), "efficiency": (0.0, 1.1)}
"""Limits of the values that curves show. For example, the slip reserve at a nearly slack span is far below 0."""
PANELS = (
    ("slip_reserve", "slip reserve"),
    ("hub_force", "hub load"),
    ("hub_angle", "direction of the hub load"),
    ("tension", "span tension"),
    ("deflection", "deflection of the span"),
    ("speed", "speed of the pulley"),
    ("belt_speed", "speed of the belt"),
    ("power", "power"),
    ("efficiency", "efficiency over a turn"),
)
"""Quantities that are drawn as curves, and the titles of the curves."""


def add_drive(drive: Drive) -> None:
    """Add a drive to the list of drives of its world. The report of a run is created from this list."""
    drives: list[Drive] = drive.world.resource("drives", list)
    drives.append(drive)


def tabulate_drives(world: World, state: State) -> list[ReportSection]:
    """Create the sections of a report about all belts and ropes of a world. All processes must call this function."""
    sections: list[ReportSection] = []
    for drive in world.resource("drives", list):
        means = next((m for m in reversed(drive.means) if len(m.times) > 1), None)
        report = (means.report() if means is not None else None) or report_drive(drive, state)
        picture = None
        if not drive.surfaces:
            fields = load_outputs(state)
            lines, offsets = create_lines(world, fields, drive.cables)
            picture = lines, create_wheels(world, fields, drive.contacts, offsets)
        if not is_first_process():
            continue
        when = f"Means from {report.start:.6g} s to {report.time:.6g} s" if report.duration else ""
        parts: list[Any] = [f"{when or f'At t = {report.time:.6g} s'}, with hub loads as arrows."]
        warnings = list_warnings(report)
        parts += [Formatted(f'<p class="warning">Warning: {escape(words)}</p>') for words in warnings]
        if picture is not None:
            parts.append(draw_duties(report, *picture, state.t))
        parts += [tabulate_pulleys(report, drive), tabulate_spans(report), tabulate_whole(report)]
        sections.append(ReportSection(f"Drive {drive.name}", parts, "first"))
        if means is not None:
            panels = list_panels(means, means.over_turns())
            groups = [panels[k : k + PAGE] for k in range(0, len(panels), PAGE)]
            curves = [plot_panels("time [s]", means.times, group) for group in groups]
            sections.append(ReportSection(f"Drive {drive.name} over time", curves))
        if report.advice:
            sections.append(ReportSection("Mesh and contact of drives", ["\n".join(report.advice) + "\n"], "energy"))
    return sections


def format_angle(angle: float) -> str:
    """Return an angle [rad] in whole degrees, without the sign of -0."""
    return f"{np.round(np.degrees(angle)) + 0.0:.0f}°"


def list_warnings(report: DriveReport) -> list[str]:
    """Return the doubts of the report, and warnings about pulleys on which the belt slips and about slack spans."""
    found = list(report.doubts)
    for duty in report.pulleys:
        seen = report.extremes.get(f"{duty.name}.slip_reserve")
        worst, when = (seen.minimum, f" at t = {seen.time_of_minimum:.4g} s") if seen else (duty.slip_reserve, "")
        if worst <= SLIPS:
            slips = "an adjacent span is slack" if np.isinf(worst) else f"slip reserve {worst:.3f}"
            found.append(f"the belt slips on {duty.name}{when}: {slips}.")
    for span in report.spans:
        seen = report.extremes.get(f"span {span.name}.tension")
        worst, when = (seen.minimum, f" at t = {seen.time_of_minimum:.4g} s") if seen else (span.tension, "")
        if worst <= 0.0:
            found.append(f"the span {span.name} is slack{when}.")
    return found


def tabulate_pulleys(report: DriveReport, drive: Drive) -> ReportTable:
    """Create the table of the results for the pulleys, with one column for each pulley."""

    def extreme(duty: PulleyDuty, name: str) -> Extremes | None:
        return report.extremes.get(f"{duty.name}.{name}")

    duties, radii = report.pulleys, drive.radii
    hubs = [extreme(duty, "hub_force") for duty in duties]
    reserves = [extreme(duty, "slip_reserve") for duty in duties]
    numbers = {
        "radius of the cord [mm]": [1e3 * radius for radius in radii],
        "speed [1/min]": [duty.speed * 30.0 / np.pi for duty in duties],
        "torque of the belt [N m]": [duty.torque for duty in duties],
        "power taken [W]": [duty.power for duty in duties],
        "wrap angle [°]": [np.degrees(duty.wrap_angle) for duty in duties],
        "tension before [N]": [duty.tension_before for duty in duties],
        "tension after [N]": [duty.tension_after for duty in duties],
        "hub load [N]": [duty.hub_force for duty in duties],
        "direction from x [°]": [np.degrees(duty.hub_angle) for duty in duties],
        "largest hub load [N]": [nan if seen is None else seen.maximum for seen in hubs],
        "hub load at [s]": [nan if seen is None else seen.time_of_maximum for seen in hubs],
        "creep [%]": [100.0 * duty.creep for duty in duties],
        "creep by a rigid layer [%]": [100.0 * duty.rigid_creep for duty in duties],
        "slip reserve [1]": [duty.slip_reserve for duty in duties],
        "smallest slip reserve [1]": [nan if seen is None else seen.minimum for seen in reserves],
        "slip reserve at [s]": [nan if seen is None else seen.time_of_minimum for seen in reserves],
    }
    rows = [
        [name.replace("hub load at", "at").replace("slip reserve at", "at"), *show_numbers(values, DIGITS)]
        for name, values in numbers.items()
    ]
    known = [[_hide(cell) for cell in row] for row in rows]
    return ReportTable(["pulley", *(duty.name for duty in duties)], [row for row in known if any(row[1:])])


def tabulate_spans(report: DriveReport) -> ReportTable:
    """Create the table of the results for the spans, with one line for each span."""
    tensions = [report.extremes.get(f"span {span.name}.tension") for span in report.spans]
    bends = [report.extremes.get(f"span {span.name}.deflection") for span in report.spans]
    columns = {
        f"length{' mounted' if report.is_spatial else ''} [mm]": [1e3 * span.length for span in report.spans],
        "tension [N]": [span.tension for span in report.spans],
        "smallest [N]": [nan if seen is None else seen.minimum for seen in tensions],
        "at [s]": [nan if seen is None else seen.time_of_minimum for seen in tensions],
        "largest [N]": [nan if seen is None else seen.maximum for seen in tensions],
        "at [s] ": [nan if seen is None else seen.time_of_maximum for seen in tensions],
        "as a string [Hz]": [span.string_frequency for span in report.spans],
        "vibration, peak to peak [mm]": [nan if x is None else 1e3 * (x.maximum - x.minimum) for x in bends],
    }
    cells = zip(*(show_numbers(values, DIGITS) for values in columns.values()), strict=True)
    # a word joiner after the dash prevents a line break within the name of a span
    names = [span.name.replace("–", "–\u2060") for span in report.spans]
    rows = [[name, *map(_hide, numbers)] for name, numbers in zip(names, cells, strict=True)]
    return ReportTable(["span", *(title.strip() for title in columns)], rows)


def tabulate_whole(report: DriveReport) -> ReportTable:
    """Create the table of the results for the whole belt and for further sensors, with the extremes of these results
    over time.
    """
    rows = []
    values = {"belt_speed": report.belt_speed, "power_in": report.power_in, "power_out": report.power_out}
    own: dict[str, tuple[str, float]] = {name: (UNITS[name], x) for name, x in values.items()}
    own["efficiency"] = UNITS["efficiency"], report.efficiency
    others = {
        name: (x.unit, x.mean)
        for name, x in report.extremes.items()
        if name not in WHOLE and name.rpartition(".")[2].partition("[")[0] not in UNITS
    }
    for name, (unit, value) in (own | others).items():
        seen = report.extremes.get(name)
        over = f", means over {report.turn:.3g} s" if seen and name in TURNING else ""
        value = seen.mean if seen and name in TURNING else value
        low, high = (nan, nan) if seen is None else (seen.minimum, seen.maximum)
        times = ("", "") if seen is None else (f"{seen.time_of_minimum:.4g}", f"{seen.time_of_maximum:.4g}")
        mean, low_text, high_text = show_numbers([value, low, high], DIGITS)
        cells = mean, low_text, times[0], high_text, times[1]
        rows.append([f"{name.replace('_', ' ')} [{unit}]{over}", *map(_hide, cells)])
    return ReportTable(
        ["whole drive", "mean" if report.duration else "", "smallest", "at [s]", "largest", "at [s]"], rows
    )


def _hide(cell: str) -> str | None:
    return None if cell in ("-", "") else cell


def list_panels(
    means: Sensors, over_turns: Mapping[str, FloatArray]
) -> list[tuple[str, list[tuple[str, FloatArray]], tuple[float, float] | None]]:
    """Return the curves of each quantity over time as arguments of `plot_panels`.

    Args:
        over_turns: values of quantities that are drawn as means over a turn of the belt. See `DriveMeans.over_turns`.
    """
    panels: list[tuple[str, list[tuple[str, FloatArray]], tuple[float, float] | None]] = []
    for quantity, label in PANELS:
        unit = UNITS[quantity]
        curves = [
            (name.rpartition(".")[0].removeprefix("span "), over_turns.get(name, means[name]))
            for name in means.names
            if name.rpartition(".")[2] == quantity and (quantity not in WHOLE or name == quantity)
        ]
        least = LONG * len(means.times) if quantity in over_turns else 0
        curves = [(name or label, values) for name, values in curves if np.isfinite(values).sum() > least]
        if unit == "rad":
            unit, curves = "°", [(name, _unwrap(values)) for name, values in curves]
        if quantity == "deflection":
            unit, curves = "mm", [(name, 1e3 * values) for name, values in curves]
        if curves:
            panels.append((f"{label} [{unit}]", curves, CLIPPED.get(quantity)))
    known = {name.rpartition(".")[2].partition("[")[0] for name in means.names} & UNITS.keys()
    others = [name for name in means.names if name.rpartition(".")[2].partition("[")[0] not in known]
    return panels + [(f"{name} [{means.units[name]}]", [(name, means[name])], None) for name in others]


def _unwrap(angles: FloatArray) -> FloatArray:
    """Convert angles [rad] to degrees, without jumps of whole turns between successive angles. The first angle is
    between -180° and 180°.
    """
    there = np.isfinite(angles)
    found = np.full(len(angles), np.nan)
    found[there] = np.degrees(np.unwrap(angles[there]))
    return found


def draw_means(path: str | os.PathLike[str] | None, means: Sensors, over_turns: Mapping[str, FloatArray]) -> Any:
    """Draw the curves into a file and return its path. If the path is None, return a figure on the first process, and
    None on the other processes.

    Raises:
        OutputError: there are no records, or the file cannot be written.
    """
    target = check_picture(path) if is_first_process() else None
    if not len(means.times):
        raise OutputError(f"picture {'' if path is None else repr(str(path))} has no curves: no step was recorded")
    if not is_first_process():
        return None if path is None else Path(path).absolute()
    return hand_over(plot_panels("time [s]", means.times, list_panels(means, over_turns)), target, dpi=130.0)


def draw_duties(report: DriveReport, lines: list[CableLine], wheels: list[Wheel], time: float) -> Any:
    """Draw the drive with a label for each pulley. The labels are in columns on both sides and do not overlap."""
    from matplotlib.collections import LineCollection  # imported here, because only pictures need matplotlib
    from matplotlib.patches import Circle  # imported here, because only pictures need matplotlib

    centers, radii = np.array([w.center for w in wheels]), np.array([w.radius for w in wheels])
    points = np.concatenate([line.points for line in lines])
    corners = [points, centers - radii[:, None], centers + radii[:, None]]
    low, high = np.min([c.min(axis=0) for c in corners], axis=0), np.max([c.max(axis=0) for c in corners], axis=0)
    low, high = low - 0.03 * (high - low).max(), high + 0.03 * (high - low).max()
    columns = _share_labels(centers, (low + high) / 2.0)
    inner = WIDTH - 2.0 * LABEL
    height = float(np.clip(inner * (high - low)[1] / (high - low)[0], 2.0, TALLEST))
    height = max(height, ROW * max(map(len, columns)))
    figure = create_figure(WIDTH, height + 0.75)
    axes = figure.add_axes((LABEL / WIDTH, 0.7 / (height + 0.75), inner / WIDTH, height / (height + 0.75)))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_axis_off()
    for center, radius in zip(centers, radii, strict=True):
        axes.add_patch(Circle(tuple(center), radius, facecolor="#f5f7fa", edgecolor=FAINT, linewidth=1.0, zorder=1))
    pieces = np.concatenate([np.stack((line.points[:-1], line.points[1:]), axis=1) for line in lines])
    force = np.concatenate([0.5 * (line.force[:-1] + line.force[1:]) for line in lines])
    belt = LineCollection(
        pieces.tolist(), cmap=tension_colours(), linewidths=3.5, capstyle="round", snap=False, zorder=4
    )
    belt.set(array=force, clim=find_range(lines))
    axes.add_collection(belt)
    bar = figure.colorbar(
        belt, cax=figure.add_axes((0.3, 0.45 / (height + 0.75), 0.4, 0.11 / (height + 0.75))), orientation="horizontal"
    )
    bar.set_label(f"tension of the belt at t = {time:.5g} s [N]", color=INK, fontsize=8)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    largest = max(duty.hub_force for duty in report.pulleys)
    speeds = show_numbers([duty.speed * 30.0 / np.pi for duty in report.pulleys], DIGITS)
    torques, powers, hubs = (
        show_numbers([getattr(duty, name) for duty in report.pulleys], DIGITS - 1)
        for name in ("torque", "power", "hub_force")
    )
    for side, members in zip((-1.0, 1.0), columns, strict=True):
        places = _spread(centers[members, 1], low[1], high[1], ROW / height * (high - low)[1])
        for k, y in zip(members, places, strict=True):
            duty = report.pulleys[k]
            text = (
                f"{duty.name}\n{speeds[k]} 1/min, {torques[k]} N m, {powers[k]} W\n"
                f"hub {hubs[k]} N, {format_angle(duty.hub_angle)}"
            )
            edge = low[0] if side < 0.0 else high[0]
            axes.annotate(
                text, centers[k], (edge + 0.02 * side * (high - low)[0], y), ha="right" if side < 0.0 else "left",
                va="center", fontsize=8.5, color=INK, linespacing=1.3, annotation_clip=False, zorder=6,
                arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.7, "shrinkB": 0.0},
            )  # fmt: skip
            if largest > 0.0:
                arrow = np.array(duty.hub_load) / largest * 0.16 * (high - low).max()
                ends = {"xy": centers[k] + arrow, "xytext": centers[k]}
                axes.annotate("", **ends, arrowprops={"arrowstyle": "-|>", "color": ARROW, "linewidth": 1.6}, zorder=7)
    return figure


def _share_labels(centers: FloatArray, middle: FloatArray) -> tuple[list[int], list[int]]:
    """Return the indices of the pulleys with labels on the left, and the indices of the pulleys with labels on the
    right. Each list is sorted from the top to the bottom.
    """
    order = np.argsort(centers[:, 0] - 1e-3 * (centers[:, 1] - middle[1]), kind="stable")
    half = (len(order) + 1) // 2 if centers[order[len(order) // 2], 0] < middle[0] else len(order) // 2
    left, right = order[:half], order[half:]
    by_height = [sorted(map(int, part), key=lambda k: -centers[k, 1]) for part in (left, right)]
    return by_height[0], by_height[1]


def _spread(wanted: FloatArray, low: float, high: float, room: float) -> list[float]:
    """Return heights of labels between ``low`` and ``high``, in descending order and at least ``room`` apart. The
    heights are near the heights ``wanted``, which are also in descending order.
    """
    places: list[float] = []
    for y in wanted.tolist():
        top = places[-1] - room if places else high - 0.5 * room
        places.append(min(y, top))
    floor = low + 0.5 * room
    for k in reversed(range(len(places))):
        places[k] = max(places[k], floor)
        floor = places[k] + room
    return places
