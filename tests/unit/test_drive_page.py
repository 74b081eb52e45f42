"""Tests of the page of a drive in the report of a run: order, names and units. Labels do not overlap, and no legend
covers a curve.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

import windlass as wl
from windlass import connectors as con
from windlass.connectors.drives.drive_page import format_angle, tabulate_drives
from windlass.connectors.reports.pulley_section import tabulate_pulleys
from windlass.elements import RigidBody2D
from windlass.framework.command_line.report_parts import ReportTable
from windlass.framework.output.plots import plot_panels
from windlass.framework.report.page import format_page, format_part

DRIVE = {
    "crank": ((0.0, 0.0), 0.08), "alternator": ((0.06, 0.46), 0.04), "compressor": ((0.4, 0.4), 0.06),
    "tensioner": ((0.4, 0.1), 0.05),
}  # fmt: skip


def create_drive() -> tuple[wl.World, wl.Belt, list[wl.Entity]]:
    """Create four pulleys in a ring."""
    world = wl.World()
    bodies = [world.add(RigidBody2D, name=n, position=at, mass=1.0, inertia=0.01) for n, (at, _) in DRIVE.items()]
    con.fix(world, bodies, "x", "y")
    pulleys = [wl.Pulley(body, radius) for body, (_, radius) in zip(bodies, DRIVE.values(), strict=True)]
    belt = wl.Belt(
        world, pulleys, axial_stiffness=1e5, bending_stiffness=1e-3, mass_per_length=0.1, tension=300.0, friction=0.4,
        elements=60,
        contact={"contact_stiffness_per_length": 1e9, "friction_stiffness_per_length": 1e9}, name="accessories",
    )  # fmt: skip
    return world, belt, bodies


def test_page_of_a_drive(tmp_path: Path) -> None:
    world, belt, bodies = create_drive()
    with belt.preload():
        rest = wl.Static(world).solve()
    assert next(section.title for section in tabulate_drives(world, rest)) == "Drive accessories"
    angle = wl.Sensor(bodies[-1], "rotation", name="angle of the tensioner")
    means = belt.average(0.0, 1, None, [angle])
    with pytest.raises(wl.OutputError, match="no step was recorded"):
        means.draw(tmp_path / "none.png")
    for wrong in ("drive.doc", "drive"):
        with pytest.raises(wl.OutputError, match=r"must be .png, .pdf or .svg"):
            belt.average(picture=tmp_path / wrong)
    (tmp_path / "file").write_text("")
    for place in ({"picture": tmp_path / "file" / "x.png"}, {"path": tmp_path / "file" / "x.csv"}):
        with pytest.raises(wl.OutputError):
            belt.average(**place)
    for k in range(5):
        state = rest.copy()
        state.t = 0.1 * k
        if k == 3:
            # the belt is scaled down about its first node, so that it becomes slack
            centre = np.hstack((belt.nodes.position - belt.nodes.position[0], belt.nodes.slope))
            state.put(belt.nodes, rest.of(belt.nodes) - 0.01 * centre)
        means.record(state)
    first, curves, *_ = sections = tabulate_drives(world, rest)
    assert (first.title, first.place) == ("Drive accessories", "first")
    assert (curves.title, curves.place) == ("Drive accessories over time", "results")
    page = format_page("drive", "ok", "", sections)
    pulleys, spans, whole = (part for part in first.parts if isinstance(part, ReportTable))
    assert list(pulleys.headings[1:]) == ["crank", "alternator", "compressor", "tensioner"]
    assert next(row[0].replace("\u2060", "") for row in spans.rows) == "crank–alternator"
    for table in (pulleys, spans, whole):
        named = [*table.headings[1:]] if table is spans else [row[0] for row in table.rows]
        assert all("[" in str(name) for name in named), named
    assert whole.rows[-1][0] == "angle of the tensioner [rad]"
    efficiency = next(row for row in whole.rows if row[0] == "efficiency [1]")
    assert efficiency[2:] == [None] * 4
    assert "is slack at t = 0.3 s" in page and "at [s]" in page
    assert means.draw(tmp_path / "drive.png").stat().st_size > 20_000
    with pytest.raises(wl.OutputError, match="cannot be written"):
        means.draw(tmp_path / "drive.doc")


def test_labels_do_not_overlap_and_legends_are_beside_the_axes() -> None:
    world, belt, _ = create_drive()
    with belt.preload():
        rest = wl.Static(world).solve()
    picture = next(part for part in tabulate_drives(world, rest)[0].parts if hasattr(part, "savefig"))
    canvas = FigureCanvasAgg(picture)
    canvas.draw()
    axes = picture.axes[0]
    # nearly level pieces of the belt are not moved to whole pixels
    drawn = [*axes.collections, *belt.draw(state=rest).axes[0].collections]
    assert len(drawn) > 2 and not any(lines.get_snap() in (True, None) for lines in drawn)
    # extents of the labels, without the lines from the labels to the pulleys
    boxes = [Text.get_window_extent(text, canvas.get_renderer()) for text in axes.texts if text.get_text()]
    assert len(boxes) == 4
    assert not any("-0 " in text.get_text() or "-0°" in text.get_text() for text in axes.texts)
    for a, b in combinations(boxes, 2):
        assert not a.overlaps(b)
    for box in boxes:
        # labels are close to the drawing, and on the page
        assert not box.overlaps(axes.get_window_extent().shrunk(0.98, 1.0)) and picture.bbox.contains(box.x0, box.y0)
        assert picture.bbox.contains(box.x1, box.y1)
    x = np.linspace(0.0, 1.0, 50)
    lines = [(f"a long name of a curve, {k}", np.sin(x + k)) for k in range(9)]
    figure = plot_panels("time [s]", x, [("force [N]", lines, None), ("length [m]", lines[:2], (0.0, 0.5))])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for axes in figure.axes:
        legend = axes.get_legend().get_window_extent(canvas.get_renderer())
        assert legend.x0 >= axes.get_window_extent().x1 - 1.0 and legend.x1 <= figure.bbox.x1
    assert figure.axes[1].get_ylim()[1] <= 0.5
    assert "<img" in format_part(figure)


def test_angles_and_rows_without_values() -> None:
    """Small negative angles are 0°, and quantities that are unknown on all pulleys have no row."""
    assert [format_angle(angle) for angle in (-0.001, 0.001, -np.pi / 2, np.nan)] == ["0°", "0°", "-90°", "nan°"]
    world, belt, _ = create_drive()
    with belt.preload():
        rest = wl.Static(world).solve()
    table = tabulate_pulleys(world, rest)[0].parts[1]
    names = [row[0] for row in table.rows]
    assert "torque [N m]" in names and "friction work [J]" not in names
    assert all(any(cell is not None for cell in row[1:]) for row in table.rows)
