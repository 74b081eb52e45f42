"""2D routes of cables: straight lines and arcs over circles. These routes define the initial geometry of belts, ropes
and reeving.

In this module, points and directions are complex numbers x + i y. The signed radius a of a circle is > 0 if the circle
is on the left of the cable (counter-clockwise wrap), and < 0 if the circle is on the right. A line with the unit
tangent t and the left normal i t touches the circle with the centre c at the point c - i a t. With d = c1 - c0 and m =
a1 - a0, the line between two circles has the length l and the unit tangent t:

    d = (l + i m) t,    l² = |d|² - m²,    t = d / (l + i m).

The formula is valid for open belts (a0 and a1 with equal signs), crossed belts (opposite signs) and points (a = 0).
Source: elementary geometry of the common tangents of two circles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import copysign, pi, sqrt
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import (
    checked,
    checked_names,
    each,
    inside,
    instance,
    number,
    numbers,
    that,
    yes_no,
)
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import read_numbers, read_whole_numbers, show
from windlass.framework.errors import ModelError

PlanePoint = tuple[float, float]
Point = Sequence[float] | FloatArray

# A wrap angle that differs from a full turn by less than this value [rad] is treated as 0. Otherwise rounding errors
# could add a turn.
TOUCH_ANGLE = 1e-9
# Relative tolerance [1] for points on a circle, and for arc lengths at the ends of an open route.
END_TOLERANCE = 1e-12


class RouteError(ModelError, ValueError):
    """The route does not exist, or arguments are invalid."""


def check_side(kind: str, side: Any) -> None:
    """Raise RouteError if ``side`` is neither "left" nor "right"."""
    if not isinstance(side, str) or side not in ("left", "right"):
        raise RouteError(f"side = {show(side)} of {kind}: must be 'left' or 'right', as seen along the cable")


@checked_names({"center": numbers("m", (2,)), "radius": number("m")}, RouteError)
@dataclass(frozen=True)
class Circle:
    """Circle over which a cable runs.

    center: position of the centre [m], (x, y).
    radius: radius [m] of the circle, without the offset of the centre line of the cable, > 0.
    side: side of the cable on which the circle lies, seen along the cable. "right" means clockwise wrap, and "left"
    means counter-clockwise wrap.
    turns: number of turns in addition to the wrap between the neighbouring spans [1], >= 0. The number must be an
    integer, except on a circle on which an open route begins or ends.

    RouteError is raised for values outside these ranges.
    """

    center: PlanePoint
    radius: float
    side: Literal["left", "right"]
    turns: float = 0.0

    def __post_init__(self) -> None:
        center = read_finite("center [m] of Circle", self.center, (2,))
        object.__setattr__(self, "center", (float(center[0]), float(center[1])))
        object.__setattr__(self, "radius", float(read_finite("radius [m] of Circle", self.radius)))
        object.__setattr__(self, "turns", float(read_finite("turns [1] of Circle", self.turns)))
        if self.radius <= 0:
            raise RouteError(f"radius = {self.radius} m of Circle: must be > 0 m")
        if self.turns < 0:
            raise RouteError(f"turns = {self.turns} of Circle: must be >= 0 turns")
        check_side("Circle", self.side)


class Wrap(NamedTuple):
    """Contact of a cable with one circle of its route. All points lie on the centre line of the cable, and all angles
    are polar angles about the centre.
    """

    circle: int  # index in the list of circles
    entry_point: PlanePoint  # point [m] where the cable meets the circle
    exit_point: PlanePoint  # point [m] where the cable leaves the circle
    entry_angle: float  # polar angle [rad] of the entry point, from -π to π
    # Polar angle of the exit point [rad]: entry_angle + angle for side "left", entry_angle - angle for side "right".
    # The angle can be outside of [-π, π].
    exit_angle: float
    angle: float  # wrap angle with all turns, >= 0 [rad]
    length: float  # arc length [m] on the circle
    s_entry: float  # arc length [m] along the route at the entry
    s_exit: float  # arc length [m] along the route at the exit


class Piece(NamedTuple):
    """One straight line or arc of a route."""

    point: complex  # start, x + i y [m]
    tangent: complex  # unit tangent at the start of the piece, x + i y [1]
    curvature: float  # curvature [1/m], > 0 if the piece bends to the left, 0 for lines
    length: float  # arc length [m]


@dataclass(frozen=True)
class Route:
    """Ordered straight lines and arcs with a continuous unit tangent, created by `straight` and `route_around`.

    pieces: lines and arcs in the order of travel.
    closed: whether the end of the last piece is the start of the first piece.
    wraps: the wrap on every circle, in the order of the circles.
    """

    pieces: tuple[Piece, ...]
    closed: bool
    wraps: tuple[Wrap, ...] = ()

    @property
    def stations(self) -> FloatArray:
        """Arc length at the start of each piece, and the total length [m], shape (pieces + 1,)."""
        return np.concatenate(([0.0], np.cumsum([piece.length for piece in self.pieces])))

    @property
    def length(self) -> float:
        """Total arc length [m]."""
        return float(self.stations[-1])

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Evaluate the centre line at arc lengths s [m], shape (n,).

        The function returns the position [m], shape (n, 2), the unit tangent [1], shape (n, 2), and the curvature
        [1/m], shape (n,). The curvature is > 0 if the route bends to the left. At the common point of two pieces, the
        curvature of the second piece is returned. Closed routes are periodic in s. RouteError is raised if s is not
        finite, has more than one axis, or lies outside [0, length] of an open route.
        """
        stations = self.stations
        s = read_arc_lengths("Route", s, self.length, self.closed)
        index = np.searchsorted(stations[1:-1], s, side="right")
        point, tangent = (np.array([piece[k] for piece in self.pieces])[index] for k in (0, 1))
        curvature = np.array([piece.curvature for piece in self.pieces])[index]
        u = s - stations[index]
        half = 0.5 * curvature * u
        # The chord of an arc of length u is u sin(half)/half. The formula contains no division by the curvature, so
        # straight lines need no separate case.
        position = point + u * np.sinc(half / pi) * np.exp(1j * half) * tangent
        return _columns(position), _columns(np.exp(2j * half) * tangent), curvature


@checked(RouteError, start=inside(), end=inside())
def straight(start: Point, end: Point) -> Route:
    """Return a straight route between the points ``start`` and ``end`` [m], each (x, y).

    RouteError is raised if a point does not have two finite coordinates or if the points coincide.
    """
    return route_around([], closed=False, start=start, end=end)


@checked(
    RouteError,
    circles=each(instance(Circle), "a list of circles"),
    radial_offset=inside(),
    closed=yes_no(),
    start=inside(),
    end=inside(),
)
def route_around(
    circles: Sequence[Circle],
    radial_offset: float = 0.0,
    closed: bool = True,
    start: Point | None = None,
    end: Point | None = None,
) -> Route:
    """Find the route of a taut cable over circles, in the given order and on the given sides.

    radial_offset: distance [m] of the centre line of the cable from the circles. The radius of the centre line, radius
    + radial_offset, must be > 0.

    A closed route begins (s = 0) where the cable leaves the first circle, and ends with the arc on that circle. Around
    a single circle the route is one full turn plus the turns of the circle, and begins with the tangent (1, 0). The
    start is at the top of the circle for side "right", and at the bottom for side "left".

    An open route runs from the point ``start`` over the circles to the point ``end`` [m], each (x, y). Without
    ``start``, an open route begins on the first circle. The turns of the first circle are then before the point at
    which the cable leaves this circle (rope on a drum). Without ``end``, an open route ends on the last circle. The
    turns of the last circle are then after the point at which the cable meets this circle. If the distance of ``start``
    or ``end`` from the centre of the neighbouring circle is radius + radial_offset, the given point is the tangent
    point.

    The wrap angle on a circle is the angle in [0, 2π) between the neighbouring spans, in the direction of the wrap,
    plus the turns of the circle. If a taut cable would not touch a circle on the given side, the wrap angle on this
    circle is almost a whole turn, see `Route.wraps`. Intersections of spans with other circles are not checked.

    RouteError is raised if a common tangent does not exist, because circles overlap or touch, or a point is inside a
    circle. The error is also raised for ``turns`` that are not integers in the middle of a route, for ``start`` or
    ``end`` of a closed route, for too few circles, and for a route of length 0.
    """
    offset = float(read_finite("radial_offset [m]", radial_offset))
    stops = [_circle_stop(f"circles[{i}]", circle, offset) for i, circle in enumerate(circles)]
    first, last = _point_stop("start", start), _point_stop("end", end)
    given = f"{'closed' if closed else 'open'} route with {len(stops)} circles, start = {start}, end = {end}"
    turns = [circle.turns for circle in circles]
    order = list(range(len(stops)))
    spans: list[Piece | None]  # span i ends at circle i, and span i + 1 begins at circle i
    if closed:
        if not stops or first or last:
            raise RouteError(f"{given}: must have at least 1 circle, and neither start nor end")
        if len(stops) == 1:
            spans = [Piece(stops[0].touch(1 + 0j), 1 + 0j, 0.0, 0.0)]
            turns[0] += 1
        else:
            spans = [_tangent_span(a, b) for a, b in pairwise([*stops, stops[0]])]
        spans = [spans[-1], *spans]
        order = [*order[1:], 0]
    else:
        if len(first) + len(stops) + len(last) < 2:
            raise RouteError(f"{given}: must have at least two of start point [m], circles and end point [m]")
        spans = [_tangent_span(a, b) for a, b in pairwise([*first, *stops, *last])]
        spans = [*([] if first else [None]), *spans, *([] if last else [None])]

    pieces: list[Piece] = []
    wraps: list[Wrap] = []
    for i in order:
        before, stop, sign = spans[i], stops[i], copysign(1.0, stops[i].a)
        if before is not None:
            pieces.append(before)
        angle, t_entry, t_exit = _wrap_angle(stop, turns[i], before, spans[i + 1])
        arc = Piece(stop.touch(t_entry), t_entry, 1 / stop.a, abs(stop.a) * angle)
        points = [(z.real, z.imag) for z in (arc.point, stop.touch(t_exit))]
        # The unit vector from the centre to the tangent point is -i sign(a) t.
        entry_angle = float(np.angle(-1j * sign * t_entry))
        s = sum(piece.length for piece in pieces)
        angles = (entry_angle, entry_angle + sign * angle, angle)
        wraps.append(Wrap(i, points[0], points[1], *angles, arc.length, s, s + arc.length))
        pieces.append(arc)
    if not closed and spans[-1] is not None:
        pieces.append(spans[-1])
    pieces = [piece for piece in pieces if piece.length > 0]
    if not pieces:
        raise RouteError(f"{given}: has the length 0 m, must be > 0 m")
    return Route(tuple(pieces), closed, tuple(sorted(wraps)))


def read_arc_lengths(route: str, s: npt.ArrayLike, length: float, closed: bool = False) -> FloatArray:
    """Return the arc lengths s [m] on a route as an array, shape (n,). The arc lengths must not exceed ``length`` [m].
    On a closed route, return s modulo ``length``.

    Raises:
        RouteError: s is not finite, has more than one axis, or lies outside [0, length] of an open route.
    """
    given = read_numbers(s)
    if given is None or given.ndim > 1 or not np.isfinite(given).all():
        raise RouteError(f"s = {show(s)} m in {route}.eval_points: must be finite arc lengths [m], shape (n,)")
    lengths: FloatArray = np.atleast_1d(given)
    outside = np.abs(lengths - 0.5 * length) > (0.5 + END_TOLERANCE) * length
    if not closed and outside.any():
        where = f"s = {lengths[outside][0]} m in {route}.eval_points"
        raise RouteError(f"{where}: must be in [0, {length}] m of the open route")
    return np.mod(lengths, length) if closed else np.clip(lengths, 0.0, length)


class CenterLine(Protocol):
    """A curve in 2D or 3D along which nodes are placed, e.g. a `Route`, a `SplineRoute`, a `FreeCatenary`, or a
    `SpatialRoute`.
    """

    @property
    def closed(self) -> bool:
        """Whether the curve is closed."""

    @property
    def length(self) -> float:
        """Length along which nodes are spaced [m]."""

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions, unit tangents and curvatures at the arc lengths s [m]."""


@checked(
    RouteError,
    route=that(lambda given: hasattr(given, "eval_points"), "a Route, SpatialRoute, SplineRoute or FreeCatenary"),
    elements=inside(),
    numbers=inside(),
)
def nodes_along(
    route: CenterLine, elements: int, numbers: npt.NDArray[np.int64] | None = None
) -> tuple[FloatArray, FloatArray, float]:
    """Return nodes at equal distances in arc length: positions [m] and unit tangents [1], shape (n, d), and the length
    [m] of the elements.

    An open route has elements + 1 nodes. On a closed route the number of nodes equals ``elements``, because the last
    element ends at the first node. If ``numbers`` is given, shape (n,), only the nodes with these indices, counted from
    0, are returned. RouteError is raised unless ``elements`` is an integer >= 1. For closed routes ``elements`` must be
    >= 2, because an element needs two different nodes.
    """
    kind, least = ("a closed", 2) if route.closed else ("an open", 1)
    count, given = read_whole_numbers(elements), read_whole_numbers(np.arange(1) if numbers is None else numbers)
    if count is None or count.shape or not count >= least:
        raise RouteError(
            f"elements = {show(elements)} in nodes_along: must be a whole number >= {least} on {kind} route"
        )
    # positions and tangents in 2D need 32 bytes per node
    check_room(int(count), 1 if numbers is not None else 32, f"elements = {count} in nodes_along", RouteError)
    if given is None or given.ndim != 1:
        raise RouteError(f"numbers = {show(numbers)} in nodes_along: must be whole numbers, shape (n,)")
    elements = int(count)
    if numbers is None:
        numbers = np.arange(elements + (0 if route.closed else 1))
    s = route.length * (numbers / elements)
    positions, slopes, _ = route.eval_points(s)
    return positions, slopes, route.length / float(elements)


class _Stop(NamedTuple):
    """An end of a span: a circle with the signed radius a [m] of the centre line of the cable, or a point (a = 0)."""

    name: str
    center: complex
    a: float

    def touch(self, tangent: complex) -> complex:
        """Return the point [m] at which a cable with the given unit tangent touches the circle."""
        return self.center - 1j * self.a * tangent


def _circle_stop(name: str, circle: Circle, offset: float) -> _Stop:
    R = circle.radius + offset
    if R <= 0:
        raise RouteError(f"radial_offset = {offset} m at {name}: must be > {-circle.radius} m, minus the radius")
    return _Stop(name, complex(*circle.center), R if circle.side == "left" else -R)


def _point_stop(name: str, point: Point | None) -> list[_Stop]:
    return [] if point is None else [_Stop(name, complex(*read_finite(f"{name} [m]", point, (2,))), 0.0)]


def _tangent_span(begin: _Stop, end: _Stop) -> Piece:
    """Return the straight line between two circles or points, by the formula in the docstring of this module."""
    d, m = end.center - begin.center, end.a - begin.a
    distance, least = abs(d), abs(m)
    # If a point is on the circle, l is 0. Without this case, the square root of a rounding error would rotate the
    # tangent by about 1e-8 rad.
    on_circle = begin.a * end.a == 0 and abs(distance - least) <= END_TOLERANCE * least
    if distance == 0 or not (on_circle or distance > least):
        sides = begin.a * end.a
        rule = "difference of the radii, same side" if sides > 0 else "sum of the radii, different sides"
        rule = f"> {least} m ({rule}, with radial_offset)" if sides else f">= {least} m (radius with radial_offset)"
        given = f"{begin.name} and {end.name} are {distance} m apart, too near for a common tangent"
        raise RouteError(f"{given}: must be {rule if least or sides else '> 0 m'}")
    length = 0.0 if on_circle else sqrt((distance - m) * (distance + m))
    t = d / complex(length, m)
    t /= abs(t)
    return Piece(begin.touch(t), t, 0.0, length)


def _wrap_angle(stop: _Stop, turns: float, before: Piece | None, after: Piece | None) -> tuple[float, complex, complex]:
    """Return the wrap angle [rad] and the unit tangents at entry and exit of a circle between the straight lines
    ``before`` and ``after``. At the start or end of a route one line is missing (None).
    """
    angle, sign = 2 * pi * turns, copysign(1.0, stop.a)
    if before is not None and after is not None:
        if turns % 1 != 0:
            raise RouteError(
                f"turns = {turns} of {stop.name}: must be whole turns, because the cable continues at both ends"
            )
        joint = sign * float(np.angle(after.tangent / before.tangent)) % (2 * pi)
        return angle + (joint if joint < 2 * pi - TOUCH_ANGLE else 0.0), before.tangent, after.tangent
    turn = complex(np.exp(1j * sign * angle))
    if before is not None:
        return angle, before.tangent, before.tangent * turn
    assert after is not None, "a route has two stops at least, so every circle has a span"
    return angle, after.tangent / turn, after.tangent


def _columns(z: npt.NDArray[np.complex128]) -> FloatArray:
    return np.column_stack((z.real, z.imag))


def read_finite(name: str, value: Any, shape: tuple[int, ...] = ()) -> FloatArray:
    """Return a finite scalar, or the finite coordinates of a point, as an array of the given shape, which is (), (2,)
    or (3,). Raise RouteError for other values.
    """
    array = read_numbers(value)
    if array is None or array.shape != shape or not np.isfinite(array).all():
        words = {(): "a finite number", (2,): "two finite numbers (x, y)", (3,): "three finite numbers (x, y, z)"}
        raise RouteError(f"{name} = {show(value)}: must be {words[shape]}")
    return array
