"""A picture of a belt drive: the belt coloured by its axial force, the axial force along the belt, and the speeds of
the pulleys over time.

speeds = Sensors("speeds.csv", [Sensor(left, "angular_velocity"), Sensor(right, "angular_velocity")])
state = Dynamic(world, step=1e-4, end=2.45).solve(state, hooks=[speeds])
draw_belt("belt.png", world, state, belt, contacts, speeds=speeds)
"""

from __future__ import annotations

import os
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.circle_contact.view import view_contact
from windlass.connectors.contact.axes import collect_lengths
from windlass.connectors.markers.position_markers import FAMILY as POSITION_FAMILY
from windlass.connectors.reports.pulley_report import PulleyReport, Segments, eval_pulley_segments, eval_report
from windlass.connectors.reports.pulley_rows import find_pulley
from windlass.elements.routes.cable_order import find_chains
from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.checks.checks import checked, handle, instance, optional, path, word
from windlass.framework.command_line import options
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.model.system import Fields
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.output.figures import check_picture, create_figure, hand_over
from windlass.framework.output.sensors import Sensors
from windlass.framework.state.evaluate import find_evaluated_rows, find_output, load_outputs
from windlass.framework.state.state import State

SUBDIVISIONS = 8
"""Number of straight lines per cable element in the picture. The number must be even."""
INK, FAINT, GRID = "#1f2933", "#7b8794", "#e4e7eb"
STICK, SLIP = "#0b7285", "#f59f00"
SMALLEST_FONT = 6.5
"""Font size [points]. If the font would be smaller, only the name of a pulley is shown, without values."""
COLORS = ("#12a4b4", "#d9480f", "#5f3dc4", "#2b8a3e", "#c2255c", "#495057")
"""Colours of the pulleys, in the order of the circles, and of the curves of speeds, in the order of the sensors."""


class Wheel(NamedTuple):
    """A circle of a pulley, with the contacts of this circle."""

    name: str  # name of the entity to which the circle is attached
    center: FloatArray  # global x, y [m], shape (2,)
    radius: float  # [m]
    spoke: FloatArray  # unit vector of the local x axis, shape (2,)
    speed: float  # angular velocity [rad/s]
    report: PulleyReport  # report of the pulley
    segments: Segments  # segments of the cable that can touch the circle
    spans: FloatArray  # arc lengths [m] along the belt at the start and end of each contact, shape (spans, 2)


class CableLine(NamedTuple):
    """A chain of connected cables: points [m], shape (n, 2), arc length [m] and axial force [N], shape (n,) each."""

    points: FloatArray
    arc: FloatArray
    force: FloatArray


@checked(
    path=optional(path()),
    world=instance("World"),
    state=instance("State"),
    cables=handle(),
    contacts=handle(),
    speeds=optional(instance(Sensors)),
    title=word(),
)
def draw_belt(
    path: str | os.PathLike[str] | None,
    world: World,
    state: State,
    cables: Entity,
    contacts: Entity,
    speeds: Sensors | None = None,
    title: str = "",
) -> Any:
    """Draw a picture of a belt drive. Under MPI all processes must call this function together.

    Args:
        path: the file, replaced if it exists. Its suffix (``.png``, ``.pdf``, ``.svg``) determines the format. If the
            path is None, a figure of matplotlib is returned, which notebooks display.
        state: the state to show.
        cables: the cables of the belt.
        contacts: contacts of the belt with the pulleys, rows of one component.
        speeds: sensors of the run. The values of all sensors with the unit rad/s are drawn over time.
        title: heading. The default is the time.

    Returns:
        The absolute path, or the figure. If a figure is requested, all processes except the first return None.

    Raises:
        OutputError: the file cannot be written.
    """
    # a script that is called with -help does not solve, and writes no files
    if options.help_requested():
        return None if path is None else Path(path).absolute()
    target = check_picture(path) if is_first_process() else None
    fields = load_outputs(state)
    lines, offsets = create_lines(world, fields, cables)
    wheels = create_wheels(world, fields, contacts, offsets)
    if not is_first_process():
        return None if path is None else Path(path).absolute()
    figure = create_figure(11.0, 8.8)
    parts: Any = figure.subfigures(2, 1, height_ratios=(1.3, 1.0))
    upper, lower = parts
    upper.text(0.03, 0.945, title or f"t = {state.t:.6g} s", color=INK, fontsize=13, fontweight="bold", va="top")
    _draw_drive(upper, lines, wheels)
    times, curves = _find_speeds(speeds)
    edges = {"left": 0.07, "right": 0.97, "bottom": 0.14, "top": 0.91, "wspace": 0.18}
    ratios = (1.25, 1.0) if curves else (1.0,)
    axes = lower.subplots(1, len(ratios), squeeze=False, gridspec_kw=edges | {"width_ratios": ratios})[0]
    _draw_tension(axes[0], lines, wheels)
    if curves:
        _draw_speeds(axes[1], times, curves)
    return hand_over(figure, target, dpi=150.0)


def draw_circles(centers: FloatArray, radii: FloatArray, names: list[str], line: FloatArray, title: str) -> Any:
    """Draw a figure of a belt on its pulleys from their geometry, without a solve.

    Args:
        centers: centres of the pulleys [m], shape (pulleys, 2).
        radii: radii of the pulleys [m], shape (pulleys,).
        names: texts drawn in the pulleys.
        line: points of the belt [m], shape (n, 2).
        title: heading of the figure.
    """
    from matplotlib.patches import Circle  # imported here, because only pictures need matplotlib

    corners = np.concatenate((line, centers - radii[:, None], centers + radii[:, None]))
    low, high = corners.min(axis=0), corners.max(axis=0)
    low, high = low - 0.04 * (high - low).max(), high + 0.04 * (high - low).max()
    width = 9.0
    figure = create_figure(width, float(np.clip(width * (high - low)[1] / (high - low)[0], 2.0, 8.0)) + 0.4)
    axes = figure.add_axes((0.0, 0.0, 1.0, 0.93))
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_axis_off()
    for center, radius, name in zip(centers, radii, names, strict=True):
        axes.add_patch(Circle(tuple(center), radius, facecolor="#f5f7fa", edgecolor=FAINT, linewidth=1.0, zorder=1))
        _write(axes, center, name, fontsize=9, linespacing=1.4)
    axes.plot(line[:, 0], line[:, 1], color=STICK, linewidth=3.0, zorder=2)
    figure.text(0.02, 0.985, title, color=INK, fontsize=11, fontweight="bold", va="top")
    return figure


def create_lines(world: World, fields: Fields, cables: Entity) -> tuple[list[CableLine], dict[int, float]]:
    """Create the chains of connected cables with the axial forces of the cables. Also return the arc length [m] at the
    start of each cable, in a dictionary with the entity index of the cable as key.
    """
    rows = find_evaluated_rows(cables, world)
    length = collect_lengths(world, cables)
    x = length[:, None] * np.linspace(0.0, 1.0, SUBDIVISIONS + 1)
    position = rows.evaluate(find_output(cables, "position"), fields, {"x": x})[..., :2]
    # the axial force oscillates within coarse elements, so only its values at 0, L/2 and L are drawn
    half = length[:, None] * np.array([0.0, 0.5, 1.0])
    stations = rows.evaluate(find_output(cables, "axial_force"), fields, {"x": half})
    weight = np.linspace(0.0, 1.0, SUBDIVISIONS // 2 + 1)
    first = stations[:, :1] + weight * (stations[:, 1:2] - stations[:, :1])
    second = stations[:, 1:2] + weight[1:] * (stations[:, 2:] - stations[:, 1:2])
    force = np.concatenate((first, second), axis=1)
    lines: list[CableLine] = []
    offsets: dict[int, float] = {}
    start = 0.0
    for chain in find_chains(world, cables.ids):
        order = chain.order
        begin = start + np.concatenate(([0.0], np.cumsum(length[order])[:-1]))
        offsets.update(zip(cables.ids[order].tolist(), begin.tolist(), strict=True))
        arc = begin[:, None] + x[order]
        lines.append(CableLine(position[order].reshape(-1, 2), arc.ravel(), force[order].ravel()))
        start = float(arc[-1, -1])
    return lines, offsets


def create_wheels(world: World, fields: Fields, contacts: Entity, offsets: dict[int, float]) -> list[Wheel]:
    """Create one `Wheel` for each circle of the contacts. The argument ``offsets`` is the second result of
    `create_lines`.
    """
    circles, radii = (contacts.table.collect(name, contacts.rows) for name in ("circle", "circle_radius"))
    wheels = []
    for row in np.sort(np.unique(np.stack((circles.astype(np.float64), radii)), axis=1, return_index=True)[1]):
        marker = world.entity(int(circles[row]))
        center, spoke, speed = find_motion(world, fields, marker)
        pulley = find_pulley(world, contacts, marker)
        contact = view_contact(pulley.bound.rows)
        z = eval_pulley_segments(pulley, contact, fields)
        begin = np.array([offsets.get(int(cable), np.nan) for cable in pulley.cables.ids])
        length = pulley.segment_length[z.row]
        at = (begin[z.row] + z.number * length)[z.touching]
        spans = np.sort(np.stack((at, at + length[z.touching]), axis=1), axis=0)
        wheels.append(
            Wheel(
                name=name_carrier(world, marker),
                center=center,
                radius=float(radii[row]),
                spoke=spoke,
                speed=speed,
                report=eval_report(pulley, contact, fields),
                segments=z,
                spans=_merge(spans[np.isfinite(spans).all(axis=1)]),
            )
        )
    return wheels


def find_motion(world: World, fields: Fields, marker: Entity) -> tuple[FloatArray, FloatArray, float]:
    """Return position [m] and local x axis of a position marker, shape (2,) each, and the angular velocity [rad/s] of
    the marker.
    """
    assembly, m = parallel_assembly(world), fields.markers[POSITION_FAMILY]
    k = int(assembly.layout.marker_index[marker.ids][0])
    here = None if k < 0 else (m.position[k, :2].copy(), m.rotation[k, :2, 0].copy(), float(m.angular_velocity[k, 2]))
    gathered = [here] if assembly.processes.size == 1 else assembly.processes.allgather("marker", here)
    return next(part for part in gathered if part is not None)


def name_carrier(world: World, marker: Entity) -> str:
    """Return the name of the entity to which a marker is attached."""
    refs = list(marker.table.component.refs)
    if not refs:
        return marker.name
    return world.entity(int(marker.table.collect(refs[0], marker.rows)[0])).name


def _merge(spans: FloatArray) -> FloatArray:
    """Merge intervals that overlap, or that are closer than a quarter of the length of the second interval. The
    argument ``spans``, shape (n, 2), must be in ascending order. The result has the shape (k, 2).
    """
    merged: list[list[float]] = []
    for begin, end in spans.tolist():
        if merged and begin <= merged[-1][1] + 0.25 * (end - begin):
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([begin, end])
    return np.array(merged).reshape(-1, 2)


def _find_speeds(speeds: Sensors | None) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return the times [s], and a dictionary that contains the values of all sensors with the unit rad/s, with the
    names of the sensors as keys."""
    if speeds is None or len(speeds.times) < 2:
        return np.zeros(0), {}
    names = [name for name in speeds.names if speeds.units.get(name) == "rad/s" and speeds[name].ndim == 1]
    return speeds.times, {name: speeds[name] for name in names}


def _draw_drive(figure: Any, lines: list[CableLine], wheels: list[Wheel]) -> None:
    """Draw the belt on its pulleys."""
    from matplotlib.collections import LineCollection  # imported here, because only pictures need matplotlib
    from matplotlib.colors import LinearSegmentedColormap  # imported here, because only pictures need matplotlib
    from matplotlib.lines import Line2D  # imported here, because only pictures need matplotlib

    tension = LinearSegmentedColormap.from_list("tension", ["#2c5fa8", "#35a7a0", "#e9c238", "#e8702a", "#b3202c"])
    pieces = np.concatenate([np.stack((line.points[:-1], line.points[1:]), axis=1) for line in lines])
    force = np.concatenate([0.5 * (line.force[:-1] + line.force[1:]) for line in lines])
    axes = figure.add_axes((0.02, 0.09, 0.86, 0.83))
    points = np.concatenate([line.points for line in lines])
    reach = [w.center + s * w.radius for w in wheels for s in (-1.0, 1.0)]
    low, high = np.min([*points, *reach], axis=0), np.max([*points, *reach], axis=0)
    margin = 0.035 * float((high - low).max())
    low, high = low - margin, high + margin
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set_axis_off()
    room = axes.get_window_extent().size / figure.dpi
    scale = float((room / (high - low)).min())
    for wheel in wheels:
        _draw_wheel(axes, wheel, font_size=min(10.0, 10.5 * scale * wheel.radius))
    belt = LineCollection(pieces.tolist(), cmap=tension, linewidths=4.5, capstyle="round", snap=False, zorder=4)
    belt.set(array=force, clim=find_range(lines))
    axes.add_collection(belt)
    bar = figure.colorbar(belt, cax=figure.add_axes((0.9, 0.16, 0.014, 0.69)))
    bar.set_label("axial force [N]", color=INK)
    bar.ax.tick_params(colors=FAINT, labelcolor=INK)
    bar.outline.set_visible(False)
    handles = [
        Line2D([], [], color=STICK, linewidth=5, label="sticks"),
        Line2D([], [], color=SLIP, linewidth=5, label="slips"),
        Line2D([], [], color=INK, marker=">", linestyle="", label="entry"),
        Line2D([], [], color=INK, marker="s", markersize=5, linestyle="", label="exit"),
    ]
    if any(w.report.segments_in_contact for w in wheels):
        figure.legend(handles=handles, loc="lower center", ncols=4, frameon=False, bbox_to_anchor=(0.45, 0.005))


def find_range(lines: list[CableLine]) -> tuple[float, float]:
    """Return the limits [N] of the axial force for the colours. The limits differ by at least 0.5 % of the largest
    magnitude of the force. Otherwise the colours of a belt with constant force would show rounding errors.
    """
    force = np.concatenate([line.force for line in lines])
    low, high = float(force.min()), float(force.max())
    room = max(0.5 * (0.005 * max(abs(low), abs(high)) - (high - low)), 0.0)
    return low - room, high + room


def _draw_wheel(axes: Any, wheel: Wheel, font_size: float) -> None:
    """Draw a pulley with a spoke, and inside the rim the arcs on which the belt sticks or slips. The argument
    ``font_size`` is in points.
    """
    from matplotlib.collections import LineCollection  # imported here, because only pictures need matplotlib
    from matplotlib.patches import Circle  # imported here, because only pictures need matplotlib

    c, r = wheel.center, wheel.radius
    axes.add_patch(Circle(tuple(c), r, facecolor="#f5f7fa", edgecolor=FAINT, linewidth=1.0, zorder=1))
    z = wheel.segments
    for chosen, color in ((z.sticking, STICK), (z.slipping, SLIP)):
        inner = [c + 0.93 * (p[chosen] - c) for p in (z.p0, z.p1)]
        arcs = LineCollection(np.stack(inner, axis=1).tolist(), colors=color, linewidths=5, snap=False, zorder=2)
        axes.add_collection(arcs)
    # the spoke starts outside of the text in the middle
    tip = c + r * np.outer((0.62, 0.86), wheel.spoke)
    axes.plot(tip[:, 0], tip[:, 1], color=FAINT, linewidth=2.5, zorder=2, solid_capstyle="round")
    report = wheel.report
    if report.segments_in_contact:
        for point, marker in ((report.entry_point, ">"), (report.exit_point, "s")):
            outward = (np.array(point) - c) / np.linalg.norm(np.array(point) - c)
            place = np.array(point) + 0.09 * r * outward
            angle = np.degrees(np.arctan2(-outward[1], -outward[0]))
            shape: Any = (3, 0, angle - 90.0) if marker == ">" else marker
            axes.plot(*place, marker=shape, color=INK, markersize=8 if marker == ">" else 5, zorder=5)
    text = (
        f"{wheel.name}\n{wheel.speed:.4g} rad/s\n{report.torque:+.4g} N m\n"
        f"wrap {np.degrees(report.wrap_angle):.0f}°, slip {np.degrees(report.slip_arc):.0f}°"
    )
    if font_size < SMALLEST_FONT:
        text, font_size = wheel.name, 8.0
    _write(axes, c, text, fontsize=font_size, linespacing=1.45)


def _write(axes: Any, center: FloatArray, text: str, **style: float) -> None:
    """Write a text in a pulley on top of belt and rim. The text has a light outline, because it can be wider than the
    pulley."""
    from matplotlib.patheffects import withStroke  # imported here, because only pictures need matplotlib

    edge = withStroke(linewidth=2.5, foreground="#f5f7fa")
    axes.text(*center, text, ha="center", va="center", color=INK, zorder=8, path_effects=[edge], **style)


def _draw_tension(axes: Any, lines: list[CableLine], wheels: list[Wheel]) -> None:
    """Draw the axial force along the belt, with the parts on the pulleys shaded."""
    for wheel, color in zip(wheels, cycle(COLORS), strict=False):
        for k, (begin, end) in enumerate(wheel.spans):
            axes.axvspan(begin, end, color=color, alpha=0.13, linewidth=0, label=f"on {wheel.name}" if k == 0 else None)
    for line in lines:
        axes.plot(line.arc, line.force, color=INK, linewidth=1.4)
    axes.set(xlabel="arc length along the belt [m]", ylabel="axial force [N]", title="Tension along the belt")
    low, high = find_range(lines)
    axes.set_xlim(0.0, max(float(line.arc[-1]) for line in lines))
    axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    _style(axes)
    if wheels:
        axes.legend(loc="best", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9)


def _draw_speeds(axes: Any, times: FloatArray, curves: dict[str, FloatArray]) -> None:
    """Draw the angular velocities over time."""
    for (name, values), color in zip(curves.items(), cycle(COLORS), strict=False):
        label = f"{name.removesuffix('.angular_velocity')}: {values[-1]:.5g}"
        axes.plot(times, values, color=color, linewidth=1.6, label=label)
    axes.set(xlabel="time [s]", ylabel="angular velocity [rad/s]", title="Pulley speeds")
    axes.set_xlim(float(times[0]), float(times[-1]))
    _style(axes)
    axes.legend(loc="best", frameon=True, framealpha=0.9, edgecolor="none", fontsize=9, title="at the end [rad/s]")


def _style(axes: Any) -> None:
    axes.title.set(fontsize=11, color=INK, fontweight="bold")
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=FAINT, labelcolor=INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
