"""Lines on beds with the shape of a polyline agree with the closed form of a line on ground of several slopes.

Rounded crests are compared with ground whose arcs are polylines of 12 pieces.

Source: H. M. Irvine, Cable Structures (1981), section 2.4.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.connectors.surface_contact.distances import POLYLINE, create_pieces, eval_course, eval_distance
from windlass.elements import GroundedCatenary, cable_along, hang_from_ground, nodes_of
from windlass.framework.kernels.kernel import kernel

LENGTH, EA, MASS, N = 300.0, 2e7, 50.0, 120
GRAVITY = (0.0, 0.0, -9.81)
HEADING, ORIGIN = np.radians(30.0), (20.0, -10.0)
PIECES = 12
"""Pieces of the polyline of an arc."""
Points = list[tuple[float, float]]


@kernel
def ask(kind: Any, geo: Any, pieces: Any, x: float, y: float, z: float) -> Any:
    return eval_distance(kind, geo, pieces, 0, x, y, z)


def place(distance: float, height: float) -> tuple[float, float, float]:
    """Return a point [m] in the vertical plane of the line."""
    x, y = ORIGIN
    return x + distance * float(np.cos(HEADING)), y + distance * float(np.sin(HEADING)), height


def hang(ground: Points) -> GroundedCatenary:
    """Return the closed form of the line."""
    corners = [place(*point) for point in ground]
    return hang_from_ground(place(0.0, 0.0), place(275.0, 80.0), LENGTH, EA, MASS, 0.0, GRAVITY, ground=corners)


def solve(ground: Points, stiffness: float = 1e6, **bed: Any) -> tuple[list[float], list[str], wl.State, wl.Entity]:
    """Solve the line. Return the tensions at the anchor and at the top [N], the reasons of the verdict, the state, and
    the cables.
    """
    world = wl.World(gravity=GRAVITY)
    line = cable_along(
        world, hang(ground), N, length=LENGTH / N, axial_stiffness=EA, bending_stiffness=1.0, mass_per_length=MASS
    )
    surfaces = con.add_bed(world, [(0.0, 0.0), *ground], heading=HEADING, origin=ORIGIN, **bed)
    contacts = con.add_surface_contact(world, surfaces, line, contact_stiffness_per_length=stiffness)
    assert len(contacts) == N * len(surfaces)
    con.hinge(world, nodes_of(world, line)[[0, N]])
    solver = wl.Static(world, name="")
    state = solver.solve()
    ends = ((0, 0.0), (N - 1, LENGTH / N))
    found = [float(wl.eval_output(line[k], "axial_force", state, x=x)) for k, x in ends]
    return found, solver.verdict.reasons, state, line


def rise_to(crest: float, angle: float) -> Points:
    """Return ground that rises by an angle [rad] up to a distance, and is level beyond this distance."""
    return [(crest, crest * float(np.tan(angle))), (crest + 60.0, crest * float(np.tan(angle)))]


def round_crest(ground: Points, angle: float, radius: float) -> Points:
    """Return the ground of `rise_to` with a rounded crest, whose arc is a polyline of tangents."""
    (x, z), behind = ground
    slopes = angle * (1.0 - (np.arange(PIECES) + 0.5) / PIECES)
    far = radius / np.cos(0.5 * angle / PIECES)
    centre = x + radius * np.tan(0.5 * angle), z - radius
    points = centre + far * np.column_stack((-np.sin(slopes), np.cos(slopes)))
    return [*map(tuple, points.tolist()), behind]


def test_a_line_on_small_bends() -> None:
    """On a bed with bends of 6 and 4 degrees, tensions agree with the closed form within 2e-4 at the top and 0.5 % at
    the anchor.
    """
    ground = [(60.0, 6.0), (120.0, 8.0)]
    found, reasons, _, _ = solve(ground, 1e7)
    exact = hang(ground).eval_tension([0.0, LENGTH])
    assert_allclose(found[0], exact[0], rtol=5e-3)
    assert_allclose(found[1], exact[1], rtol=2e-4)
    assert not reasons


@pytest.mark.parametrize("crest", [60.0, 60.6, 61.2, 61.9, 62.4])
def test_rounded_crests(crest: float) -> None:
    """The crest has an angle of 15 degrees and a radius of four cable lengths, and lies at several positions relative
    to the nodes. The tensions agree with ground of this radius within 0.25 % at the anchor and 2e-4 at the top, and
    with a sharp crest within 0.5 % at the anchor and 1e-3 at the top.
    """
    angle, radius = np.radians(15.0), 10.0
    ground = rise_to(crest, angle)
    found, reasons, _, _ = solve(ground, rounding=radius)
    sharp, rounded = (hang(one).eval_tension([0.0, LENGTH]) for one in (ground, round_crest(ground, angle, radius)))
    assert_allclose(found[0], rounded[0], rtol=2.5e-3)
    assert_allclose(found[1], rounded[1], rtol=2e-4)
    assert_allclose(found[0], sharp[0], rtol=5e-3)
    assert_allclose(found[1], sharp[1], rtol=1e-3)
    assert not reasons


@pytest.mark.parametrize("angle", [8.0, 15.0, 25.0])
def test_sharp_crests_are_doubtful(angle: float) -> None:
    """Behind a sharp crest, tensions have errors of some per cent, which depend on the position of the crest relative
    to the nodes. If the error at the anchor is larger than 1 %, the verdict names the edge.
    """
    wrong = []
    for crest in (60.0, 60.6, 61.2, 61.9, 62.4):
        ground = rise_to(crest, np.radians(angle))
        found, reasons, _, _ = solve(ground)
        error = abs(found[0] / hang(ground).eval_tension([0.0])[0] - 1.0)
        assert (len(reasons) == 1) or (not reasons and error < 0.01)
        if error > 0.01:
            wrong.append(error)
            assert re.match(r"the edge of bed pulls cable 2[3-7] along its axis by .* N at a tension of ", reasons[0])
            assert "on beds with rounding= of add_bed" in reasons[0]
    assert wrong and max(wrong) < 2.0 * np.radians(angle) ** 2


def test_level_beds_and_flat_edges_are_not_doubtful() -> None:
    """If all pieces of a bed have the same slope, the tensions agree with the tensions on one plane, and the result is
    not doubtful.
    """
    found, reasons, _, _ = solve([(60.6, 3.0), (121.2, 6.0)])
    assert_allclose(found, hang([(60.0, 60.0 / 20.2)]).eval_tension([0.0, LENGTH]), rtol=3e-4)
    assert not reasons


def test_a_line_spans_a_hollow() -> None:
    """At a hollow of the angle c, the line spans the corner at a height of up to T c²/(8 w). The line of the closed
    form follows the bed. The tensions at both ends agree within 1e-3.
    """
    ground, bend = [(60.0, 0.0), (120.0, 6.0)], float(np.arctan(0.1))
    found, reasons, state, line = solve(ground)
    exact = hang(ground)
    x = np.tile(np.linspace(0.0, LENGTH / N, 50), (N, 1))
    at = np.asarray(wl.eval_output(line, "position", state, x=x)).reshape(-1, 3)
    distance = (at[:, :2] - ORIGIN) @ [np.cos(HEADING), np.sin(HEADING)]
    height = float(np.interp(60.0, distance, at[:, 2]))
    tension = float(exact.eval_tension([60.0])[0])
    assert_allclose(height, tension * bend**2 / (8.0 * MASS * 9.81), rtol=0.02)
    assert_allclose(exact.eval_points([60.0])[0][0, 2], 0.0, atol=0.02)
    assert_allclose(found, exact.eval_tension([0.0, LENGTH]), rtol=1e-3)
    assert not reasons


def test_surface_of_a_bed() -> None:
    """The first and the last piece continue by at least 100 km. Arcs of crests and hollows occupy at most half of a
    piece between two corners, and do not cross other pieces.
    """
    eighth, cliff = np.tan(np.pi / 8.0), np.tan(0.5 * (np.arctan(0.35 / 4.0) + np.arctan(60.0)))
    (level,) = con.add_bed(wl.World(), [(0.0, 0.0), (1.0, 0.0)], rounding=5.0)
    assert_allclose(level.table.collect("vertices", level.rows)[0], [-1e5, 0.0, 1e5 + 1.0, 0.0])
    long, short = np.sqrt(8.0) / eighth, np.sqrt(0.5) / eighth  # radii whose tangents are half as long as the pieces
    for points, radii in (
        (
            [(-9.0, 0.0), (-4.0, 0.0), (0.0, 4.0), (8.0, 4.0), (9.0, 3.0), (20.0, 3.0)],
            {1: long, 2: long, 3: short, 4: short},
        ),
        # the first piece extends beyond the first point, and the last piece beyond the last point
        ([(0.0, 0.0), (4.0, 4.0), (5.0, 3.0)], {1: 100.0}),
        # circles of 100, 50 and 25 m below a small bend would reach through the cliff behind the bend
        (
            [(0.0, 0.0), (10.0, 0.0), (20.0, -0.35), (24.0, 0.0), (24.5, -30.0), (99.0, -30.0)],
            {1: 12.5, 3: 0.5 * np.hypot(4.0, 0.35) / cliff},
        ),
    ):
        (bed,) = con.add_bed(wl.World(), points, rounding=100.0)
        assert_allclose(bed.table.collect("vertices", bed.rows)[0][2:-2], np.ravel(points)[2:-2])
        found = bed.table.collect("rounding", bed.rows)[0]
        assert_allclose([found[k - 1] for k in radii], list(radii.values()))


def test_force_is_continuous_at_corners() -> None:
    """Along a path at a constant depth below the bed, the distance from a polyline with rounded crests and hollows is
    this depth, and the direction of the force changes by at most the step divided by the radius.
    """
    points = [(-9.0, 0.0), (-4.0, 0.0), (0.0, 2.0), (8.0, 2.0), (14.0, 0.5), (20.0, 3.0)]
    radius, depth = 1.0, 0.2
    pieces = create_pieces(np.ravel(points[::-1]), np.full(len(points) - 2, radius), "row 0", revolved=False)
    curve = np.stack(eval_course(pieces, 4001), axis=1)
    way = np.gradient(curve, axis=0)
    inner = curve + depth * np.column_stack((-way[:, 1], way[:, 0])) / np.hypot(*way.T)[:, None]
    kind, geo = np.array([POLYLINE]), np.array([[0.0, len(pieces), 0.0, 0.0, 0.0, 0.0, 0.0, np.inf]])
    found = [ask(kind, geo, pieces, x, 3.0, z) for x, z in inner[1:-1]]
    normals = np.array([(d.nx, d.ny, d.nz) for d in found])
    assert all(d.there for d in found)
    assert_allclose([d.phi for d in found], -depth, rtol=0, atol=1e-3)
    step = np.hypot(*np.diff(curve, axis=0).T).max()
    assert np.abs(np.diff(normals, axis=0)).max() < 1.5 * step / (radius - depth)


def test_wrong_beds() -> None:
    """A bed of one point, distances that do not ascend, and negative radii cause errors."""
    for points in ([(0.0, 0.0)], [(0.0, 0.0), (0.0, 1.0)], [(1.0, 0.0), (0.0, 1.0)]):
        with pytest.raises(wl.ModelError, match="in add_bed: must be two or more with ascending distances"):
            con.add_bed(wl.World(), points)
    with pytest.raises(wl.ModelError, match="must be >= 0"):
        con.add_bed(wl.World(), [(0.0, 0.0), (1.0, 0.0)], rounding=-1.0)
