"""3D routes agree with 2D results, closed forms and their own derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from windlass.elements import (
    Circle,
    DrumLayers,
    Sheave,
    cable_along,
    catenary,
    hang_between,
    helix,
    nodes_of,
    route_around,
    route_over_sheaves,
    straight_cable,
    through_points,
)
from windlass.elements.routes.drum_layers import POINTS
from windlass.elements.routes.routes import RouteError
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World

from support.cables3d import lift, rotation

TURNED = rotation((1.0, 2.0, -0.5), 1.1)
ROPE = {"axial_stiffness": 1e4, "bending_stiffness": 0.1, "mass_per_length": 0.5}


def assert_smooth(route: Any, jumps: int = 0) -> None:
    """Check that tangents are unit vectors and derivatives of positions, and curvatures are derivatives of tangents."""
    n = 20001
    s = np.linspace(0.0, route.length, n)
    p, t, k = route.eval_points(s)
    assert_allclose(np.linalg.norm(t, axis=1), 1.0, atol=1e-12)
    h = s[1]
    slope = np.linalg.norm((p[2:] - p[:-2]) / (2 * h) - t[1:-1], axis=1)
    assert (slope > 1e-5).sum() <= 2 * jumps
    bend = np.linalg.norm((t[2:] - t[:-2]) / (2 * h) - k[1:-1], axis=1)
    assert (bend > 1e-2).sum() <= 4 * jumps


@pytest.mark.parametrize("closed", [False, True])
def test_sheaves_in_one_plane(closed: bool) -> None:
    """The route over circles in any plane equals the 2D route; a reversed axis reverses the side."""
    circles = [Circle((0, 0), 0.1, "right"), Circle((1, 0.2), 0.2, "left"), Circle((2, -0.3), 0.3, "right", turns=1)]
    ends: dict[str, Any] = {} if closed else {"start": (-1.0, 0.5), "end": (3.0, 1.0)}
    flat = route_around(circles, 0.01, closed, **ends)
    normal = TURNED[:, 2]
    other = {"left": "right", "right": "left"}
    sheaves = [
        Sheave(lift(c.center, TURNED), normal * (-2.0 if i == 1 else 1.0), c.radius,
               other[c.side] if i == 1 else c.side, int(c.turns))  # type: ignore[arg-type]
        for i, c in enumerate(circles)
    ]  # fmt: skip
    route = route_over_sheaves(sheaves, 0.01, closed, **{name: lift(point, TURNED) for name, point in ends.items()})
    assert_allclose(route.length, flat.length, rtol=1e-14)
    s = np.linspace(0.0, flat.length, 100)[:-1]
    for given, expected in zip(route.eval_points(s)[:2], flat.eval_points(s)[:2], strict=True):
        assert_allclose(given, lift(expected, TURNED), atol=1e-12)
    for wrap, known in zip(route.wraps, flat.wraps, strict=True):
        assert_allclose((wrap.angle, wrap.s_entry, wrap.s_exit), (known.angle, known.s_entry, known.s_exit), atol=1e-12)
        assert_allclose((wrap.entry_fleet_angle, wrap.exit_fleet_angle), 0.0, atol=1e-14)


def test_fleet_angles() -> None:
    """With fleet angles, spans are normal to the radii at both ends. The direction jumps by the fleet angle."""
    sheaves = [
        Sheave((0, 0, 0), (0, 0.1, 1), 0.1, "right"),
        Sheave((1, 0.2, 0.1), (0, 1, -2), 0.2, "right"),
        Sheave((2, -0.3, 0), (1, 0, 1), 0.3, "right", turns=1),
    ]
    route = route_over_sheaves(sheaves, start=(-1, 0.5, 0), end=(3, 1, 0))
    before = np.array([-1, 0.5, 0])
    for sheave, wrap, following in zip(sheaves, route.wraps, [*route.wraps[1:], None], strict=True):
        axis, center = np.array(sheave.axis) / np.linalg.norm(sheave.axis), np.array(sheave.center, float)
        after = np.array([3.0, 1.0, 0.0]) if following is None else following.entry_point
        spans = ((wrap.entry_point, wrap.entry_point - before, wrap.entry_fleet_angle),
                 (wrap.exit_point, after - wrap.exit_point, wrap.exit_fleet_angle))  # fmt: skip
        for point, way, fleet in spans:
            arm = point - center
            assert_allclose((np.linalg.norm(arm), arm @ axis), (sheave.radius, 0.0), atol=1e-14)
            assert abs(arm @ way) < 1e-13
            assert_allclose(np.sin(fleet), way @ axis / np.linalg.norm(way), atol=1e-14)
        for s, fleet in ((wrap.s_entry, wrap.entry_fleet_angle), (wrap.s_exit, wrap.exit_fleet_angle)):
            first, last = route.eval_points([s - 1e-9, s + 1e-9])[1]
            assert_allclose(first @ last, np.cos(fleet), atol=1e-7)
        before = wrap.exit_point
    assert_smooth(route, jumps=6)
    assert max(abs(wrap.entry_fleet_angle) for wrap in route.wraps) > 0.1


def test_helix() -> None:
    """Length, rise and radius of a helix agree with closed forms for the sides "left" and "right" and for a negative
    pitch.
    """
    axis = np.array((1.0, 2.0, 2.0)) / 3.0
    for side, pitch in (("left", 0.05), ("right", 0.05), ("left", -0.05)):
        route = helix((0.1, 0.2, 0.3), 5.0 * axis, 0.2, 4.25, pitch=pitch, side=side, radial_offset=0.01)  # type: ignore[arg-type]
        assert_allclose(route.length, 4.25 * np.hypot(2 * np.pi * 0.21, 0.05), rtol=1e-14)
        ends = route.eval_points([0.0, route.length])[0] - (0.1, 0.2, 0.3)
        assert_allclose(ends @ axis, (0.0, 4.25 * pitch), atol=1e-14)
        arms = ends - np.outer(ends @ axis, axis)
        assert_allclose(np.linalg.norm(arms, axis=1), 0.21, atol=1e-14)
        # the helix has 4.25 turns, so its last arm is a quarter of a turn from its first arm, counter-clockwise for the
        # side "left"
        quarter = np.cross(axis, arms[0]) * (1.0 if side == "left" else -1.0)
        assert_allclose(arms[1], quarter, atol=1e-14)
        assert_smooth(route)


def test_through_points() -> None:
    """A smooth curve passes through its points. A closed curve returns to its start in the same direction."""
    points = np.array([(0, 0, 0), (1, 0, 0.2), (1, 1, 0), (0.2, 1, 1)], float)
    route = through_points(points)
    assert_smooth(route)
    near = np.linalg.norm(route.eval_points(np.linspace(0, route.length, 5001))[0][:, None] - points, axis=2).min(
        axis=0
    )
    assert_allclose(near, 0.0, atol=1e-3)
    ring = through_points(points, closed=True)
    ends = ring.eval_points([0.0, ring.length - 1e-9])
    assert_allclose(ends[0][0], ends[0][1], atol=1e-8)
    assert_allclose(ends[1][0], ends[1][1], atol=1e-7)
    assert through_points(points[:, :2]).eval_points([0.0])[0].shape == (1, 2)


def test_catenaries_in_vertical_planes() -> None:
    """The catenary in a vertical plane of any direction, for gravity of any direction, equals the 2D catenary."""
    flat = hang_between((0.0, 0.0), (3.0, 1.0), 4.0, 1e4, 0.5, (0.0, -9.81))
    space = hang_between((0, 0, 0), lift((3.0, 1.0), TURNED), 4.0, 1e4, 0.5, TURNED @ (0.0, -9.81, 0.0))
    s = np.linspace(0.0, 4.0, 9)
    for given, expected in zip(space.eval_points(s)[:2], flat.eval_points(s)[:2], strict=True):
        assert_allclose(given, lift(expected, TURNED), atol=1e-12)
    below = hang_between((0, 0, 0), (0, 0, -2), 1.9, 1e4, 0.5, (0.0, 0.0, -9.81))
    assert_allclose(below.eval_points([1.9])[0], [(0, 0, -2)], atol=1e-12)
    with pytest.raises(RouteError, match="must both be"):
        hang_between((0, 0), (1, 1, 1), 2.0, 1e4, 0.5)


def test_cables_along_routes() -> None:
    """3D cables can be created along every kind of route. Cables along 2D routes stay in the plane."""
    world = World(gravity=(0.0, 0.0, -9.81))
    drum = cable_along(world, helix((0, 0, 0), (0, 0, 1), 0.2, 3, pitch=0.02), 48, name="rope", **ROPE)
    assert drum.kind == "Cable3D" and len(nodes_of(world, drum)) == 49
    assert_allclose(drum.length, 3 * np.hypot(0.4 * np.pi, 0.02) / 48)
    assert straight_cable(world, (0, 0, 0), (0, 3, 4), 2, **ROPE).length[0] == 2.5
    assert straight_cable(world, (0, 0), (3, 4), 2, **ROPE).kind == "Cable2D"
    hanging = catenary(world, (0, 0, 1), (1, 2, 1), 8, length=3.0, **ROPE)
    assert hanging.kind == "Cable3D"
    assert np.abs(nodes_of(world, hanging).displacement[:, 3:]).max() > 0.0
    with pytest.raises(ModelError, match="more than 90°"):
        cable_along(world, helix((0, 0, 0), (0, 0, 1), 0.2, 3, pitch=0.02), 4, **ROPE)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sheave((0, 0, 0), (0, 0, 0), 0.1, "left"), "axis = .* must have a length"),
        (lambda: Sheave((0, 0), (0, 0, 1), 0.1, "left"), "three finite numbers"),
        (lambda: Sheave((0, 0, 0), (0, 0, 1), -0.1, "left"), "radius = -0.1 m"),
        (lambda: Sheave((0, 0, 0), (0, 0, 1), 0.1, "up"), "must be 'left' or 'right'"),  # type: ignore[arg-type]
        (lambda: Sheave((0, 0, 0), (0, 0, 1), 0.1, "left", 1.5), "whole turns"),  # type: ignore[arg-type]
        (
            lambda: helix((0, 0, 0), (0, 0, 1), 0.1, 2, pitch=0.1, start=(0, 0, 2)),
            "a component perpendicular to the axis",
        ),
        (lambda: helix((0, 0, 0), (0, 0, 1), 0.1, 2, pitch=0.1, radial_offset=-0.1), "minus the radius"),
        (
            lambda: route_over_sheaves([Sheave((0, 0, 0), (0, 0, 1), 0.5, "left")], start=(0.1, 0, 1), end=(2, 0, 0)),
            "0.1 m from the axis: must be >= 0.5 m",
        ),
        (lambda: route_over_sheaves([Sheave((0, 0, 0), (0, 0, 1), 0.5, "left")], start=(1, 0, 1)), "start and end"),
        (lambda: through_points([(0, 0, 0), (0, 0, 0)]), "points.0. and points.1. are 0.0 m apart"),
        (lambda: through_points([(0, 0, 0)]), "must have shape"),
        (lambda: helix((0, 0, 0), (0, 0, 1), 0.1, 2, pitch=0.1).eval_points([9.0]), "of the open route"),
    ],
)
def test_errors(make: Any, message: str) -> None:
    with pytest.raises(RouteError, match=message):
        make()


def test_ends_in_plane_and_space() -> None:
    with pytest.raises(ModelError, match=r"end = \(1, 0\) m: must both be two finite numbers .* or both three"):
        straight_cable(World(), (0, 0, 0), (1, 0), 3, **ROPE)


def test_layers_on_a_drum() -> None:
    """Turns of rope on a drum touch the drum, the turns of the layer below or a flange, and do not overlap.

    Radii, lengths and lead agree with hand calculations.
    """
    R, d, p, n = 0.1, 0.01, 0.0102, 3
    layers = DrumLayers(R, d, p, n)
    turn, rise = 2.0 * np.pi, np.sqrt(d**2 - 0.25 * p**2)
    radius, z = layers.eval_places(np.array((0.3, 1.3, 2.3, 3.3, 4.3, 5.3)) * turn)
    assert_allclose(radius, R + rise * np.array((0, 0, 0, 1, 1, 1)), rtol=1e-14)
    assert_allclose(z, p * np.array((0.0, 1.0, 2.0, 2.5, 1.5, 0.5)), atol=1e-16)
    assert_allclose(layers.flanges, (-0.5 * d, 2.5 * p + 0.5 * d), rtol=1e-14)
    assert_allclose(layers.eval_length(3.05 * turn, 3.45 * turn), 0.4 * turn * (R + rise), rtol=1e-5)
    # in the middle of each crossing, layer two lies on top of one rope
    radius, _ = layers.eval_places((4.0 * turn - 0.25 * np.pi, 5.0 * turn - 0.75 * np.pi))
    assert_allclose(radius, R + d, rtol=1e-14)

    route = layers.route(layers.largest_angle, axis=(0.0, 0.0, 1.0), start=(1.0, 0.0, 0.0))
    s = np.linspace(0.0, route.length, 1500)
    points = route.eval_points(s)[0]
    far = np.abs(np.subtract.outer(s, s)) > 5.0 * d
    distance = cdist(points, points)
    # the distance is not exact, because the route is a spline through points of touching ropes
    assert_allclose(distance[far].min(), d, rtol=2e-3)
    # the spline has no curvature at its ends, so points near the ends lie slightly inside the exact curve
    assert np.hypot(points[:, 0], points[:, 1]).min() > R - 2e-6
    # the rope begins at its dead end
    assert_allclose(points[-1, 2] - points[0, 2], -0.5 * p, rtol=1e-9)

    other = layers.route(2.2 * turn, center=(1.0, 2.0, 3.0), axis=(0.0, -1.0, 0.0), start=(0.0, 0.0, 1.0), side="right")
    assert_allclose(other.eval_points(0.0)[0][0], (1.0, 2.0, 3.0 + R), rtol=1e-9)
    # at an end without curvature, the tangent of a spline deviates from the exact tangent by 0.289 (half of
    # 1/sqrt(3)) times the angle between neighbouring points
    assert_allclose(other.eval_points(0.0)[1][0], (1.0, 0.0, 0.0), atol=0.29 * turn / POINTS)
    with pytest.raises(RouteError, match=r"must be from 0 to .* rad"):
        layers.route(6.0 * turn)
    with pytest.raises(RouteError, match=r"pitch of DrumLayers = 0\.009 m: must be from 0\.01"):
        DrumLayers(R, d, 0.009, n)
