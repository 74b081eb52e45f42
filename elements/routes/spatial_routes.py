"""3D routes of cables: over sheaves with arbitrary axes, and along a helix on a drum.

A sheave is a circle with the centre c, the unit axis k and the radius R of the centre line of the cable. If the sheave
is on the left of the cable, the cable runs counter-clockwise about k. A free span from the point p on a circle with the
centre c0 to the point q on the next circle with the centre c1 is perpendicular to both radii,

    (q - p)·(p - c0) = 0,    (q - p)·(q - c1) = 0.

These two equations determine the polar angles of p and q. If the two circles are in different planes, the span usually
lies in neither plane. The *fleet angle* is the angle between the span and the plane of a circle. At the end of the
span, the direction of the route jumps by this angle.

Source: elementary geometry. The fleet angle is defined in EN 12927 and ISO 16625 (rope drives).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, pi, sqrt
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from windlass.elements.routes.routes import (
    END_TOLERANCE,
    TOUCH_ANGLE,
    RouteError,
    check_side,
    read_arc_lengths,
    read_finite,
)
from windlass.elements.routes.spline_route import SplineRoute
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import (
    checked,
    checked_names,
    each,
    instance,
    number,
    numbers,
    optional,
    word,
    yes_no,
)
from windlass.framework.checks.values import show

Vector = Sequence[float] | FloatArray
VECTOR = numbers("m", (3,), words="three finite numbers (x, y, z)")
MOST_TURNS = 10**6
"""Largest number of turns."""
STEPS = 200
"""Largest number of iterations for the end points of a span."""


@checked_names({"center": numbers("m", (3,)), "radius": number("m")}, RouteError)
@dataclass(frozen=True)
class Sheave:
    """3D circle over which a cable runs.

    Args:
        center: position of the centre [m], (x, y, z).
        axis: direction of the axis, of any length > 0, (x, y, z).
        radius: radius [m] of the bottom of the groove, without the offset of the centre line of the cable, > 0.
        side: side of the cable on which the sheave lies. The sides refer to the direction of travel, seen from the side
            to which the axis points. "left" means that the cable runs counter-clockwise about the axis, and "right"
            means clockwise.
        turns: whole turns in addition to the wrap between the neighbouring spans [1], >= 0.

    Raises:
        RouteError: a value is outside its range.
    """

    center: Vector
    axis: Vector
    radius: float
    side: Literal["left", "right"]
    turns: int = 0

    def __post_init__(self) -> None:
        shapes: dict[str, tuple[int, ...]] = {"center": (3,), "axis": (3,), "radius": (), "turns": ()}
        for name, shape in shapes.items():
            read_finite(f"{name} of Sheave", getattr(self, name), shape)
        if not np.linalg.norm(np.asarray(self.axis)) > 0.0:
            raise RouteError("axis = (0, 0, 0) of Sheave: must have a length > 0")
        if not self.radius > 0.0:
            raise RouteError(f"radius = {self.radius} m of Sheave: must be > 0 m")
        if not 0 <= self.turns <= MOST_TURNS or self.turns % 1 != 0:
            raise RouteError(f"turns = {self.turns} of Sheave: must be whole turns from 0 to {MOST_TURNS}")
        check_side("Sheave", self.side)


class SheaveWrap(NamedTuple):
    """Contact of a cable with one sheave of its route. All points are on the centre line of the cable."""

    sheave: int  # index in the list of sheaves
    entry_point: FloatArray  # point [m] at which the cable meets the sheave, shape (3,)
    exit_point: FloatArray  # point [m] at which the cable leaves the sheave, shape (3,)
    angle: float  # wrap angle with all turns [rad]
    length: float  # arc length [m] on the sheave
    s_entry: float  # arc length [m] along the route at the entry
    s_exit: float  # arc length [m] along the route at the exit
    entry_fleet_angle: (
        # angle [rad] between the arriving span and the plane of the sheave, > 0 if the component of the span along the
        # axis is positive
        float
    )
    exit_fleet_angle: float  # angle [rad] between the leaving span and the plane of the sheave, sign as at the entry


class SpatialPiece(NamedTuple):
    """A straight line, arc or helix. The points of a piece are center + rise u axis + R(rate u) arm, where u is the arc
    length and R(angle) the rotation about the axis.
    """

    center: FloatArray  # [m], shape (3,)
    axis: FloatArray  # unit vector of the axis, or of a straight line
    arm: FloatArray  # vector [m] from the axis to the start of the piece, shape (3,); 0 for a straight line
    rate: float  # angle of rotation about the axis per arc length [rad/m]
    rise: float  # displacement along the axis per arc length [1]
    length: float  # [m]

    def eval_points(self, u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions [m], unit tangents [1] and curvature vectors [1/m] at arc lengths u [m], shape (n, 3)
        each."""
        cos, sin = np.cos(self.rate * u)[:, None], np.sin(self.rate * u)[:, None]
        across = np.cross(self.axis, self.arm)
        arm = cos * self.arm + sin * across
        tangent = self.rise * self.axis + self.rate * (cos * across - sin * self.arm)
        return self.center + self.rise * u[:, None] * self.axis + arm, tangent, -(self.rate**2) * arm


@dataclass(frozen=True)
class SpatialRoute:
    """Ordered 3D lines, arcs, helices and splines, created by `route_over_sheaves`, `helix` or `DrumLayers.route`.

    pieces: pieces in the order of travel.
    closed: whether the end of the last piece is the start of the first piece.
    wraps: wrap and fleet angles on every sheave, in the order of the sheaves.
    """

    pieces: tuple[SpatialPiece | SplineRoute, ...]
    closed: bool = False
    wraps: tuple[SheaveWrap, ...] = ()

    @property
    def length(self) -> float:
        """Total arc length [m]."""
        return float(sum(piece.length for piece in self.pieces))

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions [m], unit tangents [1] and curvature vectors [1/m] at arc lengths s [m], shape (n, 3) each.

        At the common point of two pieces, the values of the second piece are returned. RouteError is raised if s is not
        finite, has more than one axis, or is outside [0, length] of an open route.
        """
        s = read_arc_lengths("SpatialRoute", s, self.length, self.closed)
        stations = np.concatenate(([0.0], np.cumsum([piece.length for piece in self.pieces])))
        index = np.searchsorted(stations[1:-1], s, side="right")
        out = np.zeros((3, len(s), 3))
        for i, piece in enumerate(self.pieces):
            here = index == i
            out[:, here] = piece.eval_points(s[here] - stations[i])
        return out[0], out[1], out[2]


@checked(
    RouteError,
    center=VECTOR,
    axis=numbers("1", (3,)),
    radius=number("m", above=0.0),
    turns=number("1", above=0.0),
    pitch=number("m"),
    start=optional(numbers("1", (3,))),
    side=word("left", "right"),
    radial_offset=number("m"),
    strands=number("m", minimum=0.0),
)
def helix(
    center: Vector,
    axis: Vector,
    radius: float,
    turns: float,
    *,
    pitch: float,
    start: Vector | None = None,
    side: Literal["left", "right"] = "left",
    radial_offset: float = 0.0,
    strands: float = 0.0,
) -> SpatialRoute:
    """Create a route along a helix on a drum.

    Args:
        center: point [m] on the axis of the drum, in the plane of the start.
        axis: direction of the axis, of any length > 0. The helix advances in this direction.
        radius: radius [m] of the drum.
        turns: number of turns [1].
        pitch: advance [m] along the axis in one turn. If the helix advances against the axis, the pitch is < 0.
        start: direction from the axis to the start of the helix, of any length. Only its component perpendicular to the
            axis is used. The default is the global x axis, or the global y axis if the axis of the drum is nearly
            parallel to global x.
        side: side of the drum, seen along the cable. "left" means counter-clockwise about the axis.
        radial_offset: distance [m] of the axis of the cable from the drum.
        strands: length [m] of the two straight strands at the ends of the helix, along the tangents of the helix.

    Raises:
        RouteError: the axis has length 0, the start direction is parallel to the axis, or the radius of the centre line
            is not > 0.
    """
    R = radius + radial_offset
    if R <= 0.0:
        raise RouteError(f"radial_offset = {radial_offset} m in helix: must be > {-radius} m, minus the radius")
    k, out, _ = frame_about("helix", axis, start)
    arm = R * out
    turn = 2.0 * pi * R
    whole = hypot(turn, pitch)
    sign = 1.0 if side == "left" else -1.0
    piece = SpatialPiece(np.asarray(center, float), k, arm, sign * 2.0 * pi / whole, pitch / whole, turns * whole)
    if strands == 0.0:
        return SpatialRoute((piece,))
    (begin, end), tangents, _ = piece.eval_points(np.array((0.0, piece.length)))
    lines = [
        SpatialPiece(at, t, np.zeros(3), 0.0, 1.0, strands)
        for at, t in ((begin - strands * tangents[0], tangents[0]), (end, tangents[1]))
    ]
    return SpatialRoute((lines[0], piece, lines[1]))


@checked(
    RouteError,
    sheaves=each(instance(Sheave), "a list of sheaves", 1),
    radial_offset=number("m"),
    closed=yes_no(),
    start=optional(VECTOR),
    end=optional(VECTOR),
)
def route_over_sheaves(
    sheaves: Sequence[Sheave],
    radial_offset: float = 0.0,
    closed: bool = False,
    start: Vector | None = None,
    end: Vector | None = None,
) -> SpatialRoute:
    """Find the 3D route of a taut cable over sheaves, in the given order and on the given sides.

    An open route runs from the point ``start`` over the sheaves to the point ``end``. A closed route begins where the
    cable leaves the first sheave. On each sheave the cable runs in the plane of the sheave. Spans between sheaves in
    different planes have a fleet angle at both ends, see `SheaveWrap`.

    Args:
        sheaves: sheaves in the order of travel.
        radial_offset: distance [m] of the centre line of the cable from the bottoms of the grooves.
        closed: whether the end of the route is connected to its start.
        start, end: end points [m] of an open route, each (x, y, z).

    Raises:
        RouteError: a span does not exist because a point or sheave is too near; ``start`` or ``end`` is missing for an
            open route, or given for a closed route; or a closed route has fewer than two sheaves.
    """
    if closed == (start is not None) or closed == (end is not None) or (closed and len(sheaves) < 2):
        given = f"closed = {closed}, start = {show(start)}, end = {show(end)}, {len(sheaves)} sheaves"
        raise RouteError(f"{given}: must have start and end [m] if open, or 2 sheaves without start and end if closed")
    stops: list[_SpatialStop] = [_stop_at(i, sheave, radial_offset) for i, sheave in enumerate(sheaves)]
    ends = [] if closed else [_point("start", start), _point("end", end)]
    line = [*stops, stops[0]] if closed else [ends[0], *stops, ends[1]]
    spans = [_find_span(a, b) for a, b in pairwise(line)]
    pieces: list[SpatialPiece] = []
    wraps: list[SheaveWrap] = []
    for i, (p, q) in enumerate(spans):
        way = q - p
        length = float(np.linalg.norm(way))
        nothing = np.zeros(3)
        if length > 0.0:
            pieces.append(SpatialPiece(p, way / length, nothing, 0.0, 1.0, length))
        following = (i + 1) % len(spans)
        if not closed and following == 0:
            break
        number_ = (i + 1) % len(stops) if closed else i
        stop, leave = stops[number_], spans[following][0]
        arm, out = q - stop.center, leave - stop.center
        angle = stop.sign * float(np.arctan2(np.cross(arm, out) @ stop.axis, arm @ out)) % (2.0 * pi)
        angle = (angle if angle < 2.0 * pi - TOUCH_ANGLE else 0.0) + 2.0 * pi * sheaves[number_].turns
        s = sum(piece.length for piece in pieces)
        arc = angle * stop.radius
        if arc > 0.0:
            pieces.append(SpatialPiece(stop.center, stop.axis, arm, stop.sign / stop.radius, 0.0, arc))
        after = spans[following][1] - leave
        fleet = [float(np.arcsin(d @ stop.axis / np.linalg.norm(d))) if d.any() else 0.0 for d in (way, after)]
        wraps.append(SheaveWrap(number_, q, leave, angle, arc, s, s + arc, fleet[0], fleet[1]))
    wraps.sort(key=lambda wrap: wrap.sheave)
    return SpatialRoute(tuple(pieces), closed, tuple(wraps))


class _SpatialStop(NamedTuple):
    """An end of a span: a circle of the centre line, or a point (radius 0). ``sign`` is 1 if the circle is on the left
    of the cable, otherwise -1.
    """

    name: str
    center: FloatArray
    axis: FloatArray
    radius: float
    sign: float

    def touch(self, other: FloatArray, leaves: bool) -> FloatArray:
        """Return the point [m] at which a straight cable leaves the circle towards another point. If ``leaves`` is
        false, return the point at which a straight cable from another point reaches the circle. The other point is
        projected onto the plane of the circle.

        Raises:
            RouteError: the other point is inside the circle.
        """
        if self.radius == 0.0:
            return self.center
        way = other - self.center
        way = way - (way @ self.axis) * self.axis
        distance = float(np.linalg.norm(way))
        if distance < self.radius * (1.0 - END_TOLERANCE):
            least = f"must be >= {self.radius} m, the radius with radial_offset"
            raise RouteError(f"{self.name}: a span ends {distance} m from the axis: {least}")
        along = self.radius / distance
        across = self.sign * (1.0 if leaves else -1.0) * sqrt(max(1.0 - along * along, 0.0))
        unit = way / distance
        touch: FloatArray = self.center + self.radius * (along * unit - across * np.cross(self.axis, unit))
        return touch


def _stop_at(i: int, sheave: Sheave, offset: float) -> _SpatialStop:
    R = sheave.radius + offset
    if R <= 0.0:
        raise RouteError(f"radial_offset = {offset} m at sheaves[{i}]: must be > {-sheave.radius} m, minus the radius")
    center = np.asarray(sheave.center, dtype=np.float64)
    return _SpatialStop(f"sheaves[{i}]", center, _unit("axis", sheave.axis), R, 1.0 if sheave.side == "left" else -1.0)


def _point(name: str, point: Vector | None) -> _SpatialStop:
    return _SpatialStop(name, np.asarray(point, dtype=np.float64), np.array([0.0, 0.0, 1.0]), 0.0, 1.0)


def _find_span(a: _SpatialStop, b: _SpatialStop) -> tuple[FloatArray, FloatArray]:
    """Return the end points [m] of the free span between two circles or points."""
    p, q = a.center, b.center
    size = float(np.linalg.norm(q - p)) + a.radius + b.radius
    if a.radius == 0.0 and b.radius == 0.0 and not (p != q).any():
        raise RouteError(f"{a.name} and {b.name} coincide: must be > 0 m apart")
    for _ in range(STEPS):
        start, end = p, q
        p = a.touch(q, leaves=True)
        q = b.touch(p, leaves=False)
        if np.abs(p - start).max() + np.abs(q - end).max() <= 1e-15 * size:
            break
    return _sharpen(a, b, p, q)


def _sharpen(a: _SpatialStop, b: _SpatialStop, p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the end points of a span more accurately. The two equations for the polar angles of these points are
    solved by SciPy, because the iteration in `_find_span` can converge slowly.
    """
    from scipy.optimize import fsolve  # imported here, because most models do not need SciPy

    def turn(stop: _SpatialStop, point: FloatArray) -> Callable[[float], FloatArray]:
        arm = point - stop.center
        across = np.cross(stop.axis, arm)
        return lambda angle: stop.center + np.cos(angle) * arm + np.sin(angle) * across

    first, last = turn(a, p), turn(b, q)

    def miss(angles: FloatArray) -> FloatArray:
        p, q = first(angles[0]), last(angles[1])
        out = [(q - p) @ (p - a.center), (q - p) @ (q - b.center)]
        # a point has no polar angle, so its unknown angle is set to 0
        return np.array([m if stop.radius > 0.0 else z for m, stop, z in zip(out, (a, b), angles, strict=True)])

    angles, _, found, _ = fsolve(miss, np.zeros(2), full_output=True, xtol=1e-14)
    p, q = first(angles[0]), last(angles[1])
    size = np.linalg.norm(q - p) * max(a.radius, b.radius)
    if np.abs(miss(angles)).max() > 1e-9 * size or (found != 1 and np.abs(angles).max() > 0.1):
        raise RouteError(
            f"no span from {a.name} to {b.name} was found: must be farther apart, or wrapped on other sides"
        )
    return p, q


def frame_about(name: str, axis: Vector, start: Vector | None) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return three unit vectors that form a right-handed frame: along the axis, from the axis towards the start, and
    perpendicular to these two vectors. The arguments are explained in `helix`.

    Raises:
        RouteError: the axis has length 0, or the start direction is parallel to the axis.
    """
    k = _unit("axis", axis)
    if start is None:
        start = (1.0, 0.0, 0.0) if abs(k[0]) < 0.99 else (0.0, 1.0, 0.0)
    part = np.asarray(start, dtype=np.float64) - (np.asarray(start) @ k) * k
    if np.linalg.norm(part) <= END_TOLERANCE * max(float(np.linalg.norm(start)), 1.0):
        raise RouteError(f"start = {show(start)} in {name}: must have a component perpendicular to the axis")
    out: FloatArray = part / np.linalg.norm(part)
    return k, out, np.cross(k, out)


def _unit(name: str, vector: Vector) -> FloatArray:
    given = np.asarray(vector, dtype=np.float64)
    length = float(np.linalg.norm(given))
    if not (np.isfinite(length) and length > 0.0):
        raise RouteError(f"{name} = {show(vector)}: must have a length > 0")
    unit: FloatArray = given / length
    return unit
