"""Routes agree with the nodes of a reference belt and with closed formulas, and are continuous.

tests/reference/belt_nodes.npz contains [x, y, x', y'] of the 24 and 60 nodes of the two-pulley belt. The pulleys of
0.09995 m are at (0, 0) and (0.1π, 0). The centre line is 0.05 mm outside the pulleys and runs clockwise. The first node
is on top of the left pulley.
"""

from math import asin, pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.elements.routes.routes import Circle, Route, nodes_along, route_around, straight

REFERENCE = Path(__file__).parents[1] / "reference" / "belt_nodes.npz"
# The tolerance is about ten times the rounding error of a length of 1 m.
ROUNDING = 1e-14

LEFT_PULLEY = Circle((0.0, 0.0), 0.09995, "right")
RIGHT_PULLEY = Circle((0.1 * pi, 0.0), 0.09995, "right")
# A route with unequal radii, circles on both sides, a wrap above π, and one full turn.
MIXED = [
    Circle((0.0, 0.0), 0.3, "right"),
    Circle((1.0, 0.2), 0.1, "left"),
    Circle((1.5, -0.4), 0.25, "right", turns=1),
    Circle((0.6, -1.0), 0.05, "left"),
    Circle((0.2, -0.7), 0.15, "right"),
]


def belt() -> Route:
    return route_around([LEFT_PULLEY, RIGHT_PULLEY], radial_offset=5e-5)


def assert_consistent(route: Route, circles: list[Circle], offset: float = 0.0) -> None:
    """Check that positions and slopes join, slopes are unit tangents, and arcs lie on the right sides of circles."""
    # Points on both sides of each joint of two pieces, at the neighbouring floating-point numbers, so that both pieces
    # are evaluated.
    joints = route.stations if route.closed else route.stations[1:-1]
    before, after = (route.eval_points(np.nextafter(joints, d)) for d in (-np.inf, np.inf))
    assert_allclose(before[0], after[0], rtol=0, atol=10 * ROUNDING)
    assert_allclose(before[1], after[1], rtol=0, atol=10 * ROUNDING)

    # Central differences inside the pieces: error h²/6 κ² ≈ 7e-10, and rounding error 1e-16/h.
    h = 1e-6
    s = np.concatenate(
        [np.linspace(a + 2 * h, b - 2 * h, 7) for a, b in zip(route.stations[:-1], route.stations[1:], strict=True)]
    )
    _, slope, curvature = route.eval_points(s)
    (p0, t0, _), (p1, t1, _) = route.eval_points(s - h), route.eval_points(s + h)
    normal = np.column_stack((-slope[:, 1], slope[:, 0]))
    assert_allclose(np.linalg.norm(slope, axis=1), 1.0, rtol=0, atol=ROUNDING)
    assert_allclose((p1 - p0) / (2 * h), slope, rtol=0, atol=2e-9)
    assert_allclose((t1 - t0) / (2 * h), curvature[:, None] * normal, rtol=0, atol=1e-7)

    assert [wrap.circle for wrap in route.wraps] == list(range(len(circles)))
    for wrap, circle in zip(route.wraps, circles, strict=True):
        R = circle.radius + offset
        sign = 1.0 if circle.side == "left" else -1.0
        assert wrap.exit_angle == pytest.approx(wrap.entry_angle + sign * wrap.angle, abs=ROUNDING)
        assert wrap.length == pytest.approx(R * wrap.angle, abs=ROUNDING)
        for point, angle, station in (
            (wrap.entry_point, wrap.entry_angle, wrap.s_entry),
            (wrap.exit_point, wrap.exit_angle, wrap.s_exit),
        ):
            radial = np.array([np.cos(angle), np.sin(angle)])
            position, tangent, _ = route.eval_points(station)
            assert_allclose(point, circle.center + R * radial, rtol=0, atol=10 * ROUNDING)
            assert_allclose(position[0], point, rtol=0, atol=10 * ROUNDING)
            assert_allclose(tangent[0], sign * np.array([-radial[1], radial[0]]), rtol=0, atol=20 * ROUNDING)
        if wrap.angle > 0:
            inside, _, kappa = route.eval_points(np.linspace(wrap.s_entry, wrap.s_exit, 9)[1:-1])
            assert_allclose(np.linalg.norm(inside - circle.center, axis=1), R, rtol=0, atol=10 * ROUNDING)
            assert_allclose(kappa, sign / R, rtol=ROUNDING)


@pytest.mark.parametrize("elements", [24, 60])
def test_belt_reproduces_reference_nodes(elements: int) -> None:
    positions, slopes, element_length = nodes_along(belt(), elements)
    with np.load(REFERENCE) as reference:
        expected = reference[f"belt{elements}"]
    assert_allclose(np.column_stack((positions, slopes)), expected, rtol=0, atol=ROUNDING)
    assert element_length == pytest.approx(1.2566370614359172 / elements, abs=1e-16)


def test_belt_length_start_and_wraps() -> None:
    route = belt()
    assert route.closed
    assert route.length == pytest.approx(1.2566370614359172, abs=1e-15)
    position, slope, _ = route.eval_points(0.0)
    assert_allclose(position, [[0.0, 0.1]], rtol=0, atol=ROUNDING)
    assert_allclose(slope, [[1.0, 0.0]], rtol=0, atol=ROUNDING)
    assert [wrap.angle for wrap in route.wraps] == pytest.approx([pi, pi], abs=ROUNDING)
    assert_allclose(route.wraps[1].entry_point, (0.1 * pi, 0.1), atol=ROUNDING)
    assert_allclose(route.wraps[0].exit_point, (0.0, 0.1), atol=ROUNDING)
    assert_consistent(route, [LEFT_PULLEY, RIGHT_PULLEY], 5e-5)


def test_closed_route_is_periodic_and_begins_pieces_at_joints() -> None:
    route = belt()
    s = np.array([0.05, 0.4, 1.2])
    for value, shifted in zip(route.eval_points(s), route.eval_points(s - 2 * route.length), strict=True):
        assert_allclose(value, shifted, rtol=0, atol=10 * ROUNDING)
    _, _, curvature = route.eval_points(route.stations)
    assert_allclose(curvature, [0.0, -10.0, 0.0, -10.0, 0.0], rtol=1e-12)


@pytest.mark.parametrize("sides", [("left", "left"), ("right", "right"), ("left", "right"), ("right", "left")])
def test_belt_of_unequal_pulleys_has_handbook_length(sides: tuple[str, str]) -> None:
    r0, r1, distance, offset = 0.3, 0.12, 0.9, 0.01
    direction = np.array([0.6, 0.8])
    circles = [Circle((1.0, 2.0), r0, sides[0]), Circle(tuple([1.0, 2.0] + distance * direction), r1, sides[1])]
    route = route_around(circles, radial_offset=offset)
    R0, R1 = r0 + offset, r1 + offset
    if sides[0] == sides[1]:
        lead = asin((R0 - R1) / distance)
        angles = [pi + 2 * lead, pi - 2 * lead]
        length = 2 * sqrt(distance**2 - (R0 - R1) ** 2) + pi * (R0 + R1) + 2 * lead * (R0 - R1)
    else:
        lead = asin((R0 + R1) / distance)
        angles = [pi + 2 * lead, pi + 2 * lead]
        length = 2 * sqrt(distance**2 - (R0 + R1) ** 2) + (R0 + R1) * (pi + 2 * lead)
    assert [wrap.angle for wrap in route.wraps] == pytest.approx(angles, abs=10 * ROUNDING)
    assert route.length == pytest.approx(length, abs=10 * ROUNDING)
    assert_consistent(route, circles, offset)


@pytest.mark.parametrize("offset", [0.0, 0.02, -0.01])
def test_mixed_sides_and_radii_are_continuous(offset: float) -> None:
    assert_consistent(route_around(MIXED, offset), MIXED, offset)
    assert_consistent(route_around(MIXED, offset, closed=False), MIXED, offset)
    assert_consistent(route_around(MIXED, offset, closed=False, start=(-1, 1), end=(3, 1)), MIXED, offset)


def test_closed_route_does_not_depend_on_the_first_circle() -> None:
    route, shifted = route_around(MIXED), route_around(MIXED[2:] + MIXED[:2])
    assert shifted.length == pytest.approx(route.length, abs=10 * ROUNDING)
    assert [w.angle for w in shifted.wraps] == pytest.approx([route.wraps[i].angle for i in (2, 3, 4, 0, 1)], abs=1e-13)
    at_start = shifted.eval_points(0.0)[0][0]
    assert_allclose(at_start, route.wraps[2].exit_point, rtol=0, atol=ROUNDING)


def test_block_and_tackle_over_three_sheaves() -> None:
    """A block and tackle with four vertical falls of 2 m between two lower sheaves and an upper sheave has the length 4
    · 2 m + 3 π R, with half turns.
    """
    R = 0.1
    sheaves = [Circle((0, 0), 0.09, "left"), Circle((0.2, 2), 0.09, "right"), Circle((0.4, 0), 0.09, "left")]
    route = route_around(sheaves, radial_offset=0.01, closed=False, start=(-R, 2.0), end=(0.5, 2.0))
    assert not route.closed
    assert route.length == pytest.approx(8 + 3 * pi * R, abs=10 * ROUNDING)
    assert [wrap.angle for wrap in route.wraps] == pytest.approx([pi] * 3, abs=10 * ROUNDING)
    assert [wrap.s_entry for wrap in route.wraps] == pytest.approx([2, 4 + pi * R, 6 + 2 * pi * R], abs=10 * ROUNDING)
    assert_consistent(route, sheaves, 0.01)

    positions, slopes, element_length = nodes_along(route, 40)
    assert positions.shape == slopes.shape == (41, 2)
    assert_allclose(positions[[0, -1]], [[-R, 2.0], [0.5, 2.0]], rtol=0, atol=10 * ROUNDING)
    assert_allclose(slopes[[0, -1]], [[0, -1], [0, 1]], rtol=0, atol=10 * ROUNDING)
    assert_allclose(route.eval_points(np.arange(41) * element_length)[0], positions, rtol=0, atol=10 * ROUNDING)


def test_straight() -> None:
    route = straight((1.0, 1.0), (4.0, 5.0))
    assert route.length == pytest.approx(5.0, abs=ROUNDING)
    position, slope, curvature = route.eval_points([0.0, 2.5, 5.0])
    assert_allclose(position, [[1, 1], [2.5, 3], [4, 5]], rtol=0, atol=ROUNDING)
    assert_allclose(slope, [[0.6, 0.8]] * 3, rtol=0, atol=ROUNDING)
    assert_allclose(curvature, 0.0, atol=0)
    positions, _, element_length = nodes_along(route, 1)
    assert_allclose(positions, [[1, 1], [4, 5]], rtol=0, atol=ROUNDING)
    assert element_length == pytest.approx(5.0)


def test_drum_with_turns_at_the_end_of_the_rope() -> None:
    """A route from (-1, R) onto the top of a drum at the origin makes 3.25 turns clockwise and ends at the right side
    of the drum.
    """
    drum = Circle((0, 0), 0.2, "right", turns=3.25)
    route = route_around([drum], closed=False, start=(-1.0, 0.2))
    assert route.length == pytest.approx(1 + 3.25 * 2 * pi * 0.2, abs=10 * ROUNDING)
    position, slope, curvature = route.eval_points(route.length)
    assert_allclose(position, [[0.2, 0.0]], rtol=0, atol=10 * ROUNDING)
    assert_allclose(slope, [[0.0, -1.0]], rtol=0, atol=10 * ROUNDING)
    assert_allclose(curvature, [-5.0])
    assert_consistent(route, [drum])


def test_drum_with_turns_at_the_start_and_inside() -> None:
    """A route has half a turn and two turns on a drum at the start, followed by a quarter turn plus one turn on a
    capstan.
    """
    drum, capstan = Circle((0, 0), 0.2, "right", turns=2.5), Circle((1, 0), 0.2, "right", turns=1)
    route = route_around([drum, capstan], closed=False, end=(1.2, -3.0))
    assert route.length == pytest.approx(5 * pi * 0.2 + 1 + 2.5 * pi * 0.2 + 3, abs=100 * ROUNDING)
    assert_allclose(route.eval_points(0.0)[0], [[0.0, -0.2]], rtol=0, atol=10 * ROUNDING)
    assert [wrap.angle for wrap in route.wraps] == pytest.approx([5 * pi, 2.5 * pi], abs=10 * ROUNDING)
    assert_consistent(route, [drum, capstan])


def test_start_and_end_on_the_circle_are_contact_points() -> None:
    """A route along a half circle starts and ends at contact points. The centres and radii have no exact binary
    representation.
    """
    center, R = (0.3, -0.7), 0.1
    angle = 0.4 + np.array([0.0, pi])
    start, end = np.array(center) + R * np.column_stack((np.cos(angle), np.sin(angle)))
    circle = Circle(center, 0.09, "left")
    route = route_around([circle], radial_offset=0.01, closed=False, start=start, end=end)
    assert len(route.pieces) == 1
    assert route.length == pytest.approx(pi * R, abs=10 * ROUNDING)
    assert_allclose(route.eval_points([0, route.length])[0], [start, end], rtol=0, atol=1e-13)
    # If the cable starts where it leaves the circle, the arc is empty for any rounding error.
    tangent = np.array([-np.sin(0.4), np.cos(0.4)])
    touching = route_around([circle], radial_offset=0.01, closed=False, start=start, end=start + tangent)
    assert touching.length == pytest.approx(1.0, abs=1e-12)


def test_open_route_between_two_circles_is_the_free_span() -> None:
    route = route_around([LEFT_PULLEY, RIGHT_PULLEY], 5e-5, closed=False)
    assert route.length == pytest.approx(0.1 * pi, abs=ROUNDING)
    assert [wrap.angle for wrap in route.wraps] == [0.0, 0.0]


def test_roller_that_only_touches_has_no_wrap() -> None:
    """A roller that only touches a straight route has no wrap, although rounding turns the spans by 1e-16 in either
    direction.
    """
    rollers = [Circle((0.1 * k + 0.07 * k * k, 0.3 * k), 0.05, "right") for k in range(5)]
    in_line = [Circle((0.1 * k, 0.3 * k), 0.05, "right") for k in range(7)]
    route = route_around(in_line, closed=False)
    assert all(wrap.angle < 1e-12 for wrap in route.wraps)
    assert route.length == pytest.approx(6 * sqrt(0.1), abs=10 * ROUNDING)
    # The cable bends to the right over these circles, so the wrap on each circle is much larger than rounding errors.
    assert all(0.01 < wrap.angle < 1.0 for wrap in route_around(rollers, closed=False).wraps[1:-1])


@pytest.mark.parametrize(("side", "top"), [("right", 0.1), ("left", -0.1)])
def test_loop_around_one_circle(side: str, top: float) -> None:
    circle = Circle((1.0, 0.0), 0.1, side)
    route = route_around([circle])
    assert route.closed
    assert route.length == pytest.approx(0.2 * pi, abs=ROUNDING)
    position, slope, _ = route.eval_points([0.0, 0.05 * pi])
    assert_allclose(position, [[1.0, top], [1.1, 0.0]], rtol=0, atol=ROUNDING)
    assert_allclose(slope, [[1.0, 0.0], [0.0, -np.sign(top)]], rtol=0, atol=ROUNDING)
    assert_consistent(route, [circle])


def test_circle_takes_arrays_and_compares_by_value() -> None:
    assert Circle(np.array([1, 2]), np.float64(0.5), "left") == Circle((1.0, 2.0), 0.5, "left")
    assert hash(Circle((1, 2), 0.5, "left")) == hash(Circle((1.0, 2.0), 0.5, "left"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"radius": 0.0}, r"radius = 0\.0 m of Circle: must be > 0 m"),
        ({"radius": -0.1}, r"radius = -0\.1 m of Circle: must be > 0 m"),
        ({"radius": np.nan}, r"radius \[m\] of Circle = nan: must be a finite number"),
        ({"radius": np.inf}, r"radius \[m\] of Circle = inf: must be a finite number"),
        ({"radius": "wide"}, r"radius \[m\] of Circle = 'wide': must be a finite number"),
        ({"center": (0.0, np.nan)}, r"center \[m\] of Circle = \(0\.0, nan\): must be two finite numbers"),
        ({"center": (0.0, 0.0, 0.0)}, r"center \[m\] of Circle = \(0\.0, 0\.0, 0\.0\): must be two finite numbers"),
        ({"center": None}, r"center \[m\] of Circle = None: must be two finite numbers"),
        ({"side": "top"}, "side = 'top' of Circle: must be 'left' or 'right'"),
        ({"turns": -1}, r"turns = -1\.0 of Circle: must be >= 0 turns"),
        ({"turns": np.nan}, r"turns \[1\] of Circle = nan: must be a finite number"),
    ],
)
def test_circle_errors(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Circle(**{"center": (0.0, 0.0), "radius": 0.1, "side": "left"} | values)


RIGHT = Circle((0.0, 0.0), 0.1, "right")


@pytest.mark.parametrize(
    ("circles", "options", "message"),
    [
        # Circles on different sides of a belt must not overlap. Of two circles on the same side, neither may lie inside
        # the other.
        (
            [RIGHT, Circle((0.15, 0), 0.1, "left")],
            {},
            r"circles\[0\] and circles\[1\] are 0\.15 m apart.*> 0\.2 m \(sum",
        ),
        ([RIGHT, Circle((0.1, 0), 0.3, "right")], {}, r"are 0\.1 m apart.*must be > 0\.19\d* m \(difference"),
        ([RIGHT, RIGHT], {}, r"are 0\.0 m apart.*must be > 0\.0 m \(difference"),
        ([RIGHT, Circle((1, 0), 0.5, "left"), Circle((1, 0.8), 0.5, "right")], {}, r"circles\[1\] and circles\[2\]"),
        (
            [RIGHT],
            {"closed": False, "start": (0.05, 0)},
            r"start and circles\[0\] are 0\.05 m apart.*>= 0\.1 m \(radius",
        ),
        ([RIGHT], {"closed": False, "end": (0, 0)}, r"circles\[0\] and end are 0\.0 m apart.*>= 0\.1 m \(radius"),
        (
            [RIGHT],
            {"closed": False, "start": (0.11, 0), "radial_offset": 0.02},
            r"start and circles\[0\] are 0\.11 m apart.*must be >= 0\.12\d* m \(radius with radial_offset",
        ),
        ([RIGHT], {"radial_offset": -0.1}, r"radial_offset = -0\.1 m at circles\[0\]: must be > -0\.1 m"),
        ([RIGHT], {"radial_offset": np.nan}, r"radial_offset \[m\] = nan: must be a finite number"),
        ([], {}, r"closed route with 0 circles.*must have at least 1 circle"),
        ([RIGHT], {"start": (1, 1)}, r"closed route with 1 circles, start = \(1, 1\).*neither start nor end"),
        ([RIGHT], {"closed": False}, r"open route with 1 circles.*at least two of"),
        ([], {"closed": False, "end": (1, 1)}, r"open route with 0 circles.*at least two of"),
        ([RIGHT], {"closed": False, "start": (1, np.inf)}, r"start \[m\] = \(1, inf\): must be two finite numbers"),
        ([RIGHT], {"closed": False, "end": (1, 2, 3)}, r"end \[m\] = \(1, 2, 3\): must be two finite numbers"),
        ([RIGHT], {"closed": False, "start": (0.1, 0)}, "has the length 0 m, must be > 0 m"),
        (
            [RIGHT, Circle((1, 0), 0.1, "right", turns=0.5)],
            {"closed": False, "end": (2, -1)},
            r"turns = 0\.5 of circles\[1\]: must be whole turns",
        ),
    ],
)
def test_route_errors(circles: list[Circle], options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        route_around(circles, **options)


def test_straight_errors() -> None:
    with pytest.raises(ValueError, match=r"start and end are 0\.0 m apart.*must be > 0 m"):
        straight((1, 1), (1, 1))
    with pytest.raises(ValueError, match=r"end \[m\] = \(nan, 1\)"):
        straight((1, 1), (np.nan, 1))


@pytest.mark.parametrize("elements", [0, -3, 2.5, True, "4"])
def test_nodes_along_needs_a_whole_number_of_elements(elements: object) -> None:
    with pytest.raises(ValueError, match=r"elements = .* in nodes_along: must be a whole number >= 1 on an open route"):
        nodes_along(straight((0, 0), (1, 0)), elements)


def test_nodes_along_closed_route_needs_two_elements() -> None:
    with pytest.raises(ValueError, match="elements = 1 in nodes_along: must be a whole number >= 2 on a closed route"):
        nodes_along(belt(), 1)
    assert len(nodes_along(belt(), np.int64(2))[0]) == 2


def test_eval_points_errors() -> None:
    route = straight((0, 0), (2, 0))
    with pytest.raises(ValueError, match=r"s = 2\.1 m in Route\.eval_points: must be in \[0, 2\.0\] m"):
        route.eval_points([1.0, 2.1])
    with pytest.raises(ValueError, match=r"s = -0\.1 m in Route\.eval_points: must be in \[0, 2\.0\] m"):
        route.eval_points([-0.1])
    with pytest.raises(ValueError, match="must be finite arc lengths"):
        route.eval_points([np.nan])
    with pytest.raises(ValueError, match="must be finite arc lengths"):
        route.eval_points(np.zeros((2, 2)))
