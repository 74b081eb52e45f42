"""Pulleys of a belt or rope: positions, the taut route over the pulleys, and checks whether a belt can have this route.

A taut route over circles exists if successive circles have common tangents. In addition, this file checks whether a
belt can run on such a route. Pulleys must not overlap, spans must not intersect other pulleys, and the spans before and
after a pulley must not cross. These spans cross if the pulley is on the wrong side of the belt, because the computed
wrap angle is then almost a full turn.

A V-belt is pressed with the radial force p per length into a groove with the angle beta between its flanks. The normal
force on each flank is p/(2 sin(beta/2)), and the limit of friction along the belt is mu p/sin(beta/2).

Source: elementary geometry, see `elements.routes.routes`. For the wedge effect: F. Grashof, Theoretische Maschinenlehre
II (1883).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import pi, sin
from typing import Any, Literal, NamedTuple

import numpy as np

from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.elements.routes.routes import Circle, Route, route_around
from windlass.elements.routes.spatial_routes import Sheave, SpatialRoute, route_over_sheaves
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import check_fields, checked_names, handle, number, numbers, optional, whole, word
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

LEAST_WRAP = 1e-6
"""Wrap angle [rad]. If the wrap angle is below this value, a belt is treated as tangent to the pulley."""
PULLEY = {
    "body": handle(),
    "radius": number("m", above=0.0),
    "side": word("left", "right"),
    "at": numbers("m", (2,), (3,)),
    "axis": optional(numbers("1", (3,))),
    "groove_radius": optional(number("m", above=0.0)),
    "outer_radius": optional(number("m", above=0.0)),
    "crown_radius": optional(number("m", above=0.0)),
    "face_width": optional(number("m", above=0.0)),
    "turns": whole(0),
    "friction": optional(number("1", minimum=0.0)),
    "groove_angle": optional(number("rad", above=0.0, maximum=pi)),
    "teeth": optional(whole(6)),
    "name": word(),
}


@checked_names(PULLEY)
@dataclass(frozen=True)
class Pulley:
    """A pulley, sheave or drum for a `Belt` or `Rope`.

    Attributes:
        body: one rigid body, rigid node or `Ground` that carries the pulley. The route is computed from the positions
            in the reference configuration.
        radius: radius > 0 of the surface that the belt touches [m]. For a groove, it is the radius of the bottom of the
            groove.
        side: side of the belt on which the pulley is, in the direction of travel. A belt runs clockwise around a pulley
            on its right side.
        at: position of the centre in the frame of the body [m], shape (2,) or (3,).
        axis: only in 3D: direction of the axis in the frame of the body, as a vector of any length > 0. None: along z.
            If a pulley on a 2D body or on `Ground` has an axis, the belt is a 3D belt.
        groove_radius: only in 3D: radius of the round groove in the cross section of the rim [m]. None for a cylinder.
        outer_radius: only in 3D: radius of the rim of a groove [m]. The default is radius + 2 groove_radius.
        crown_radius, face_width: only in 3D: radius of the arc that a crowned face has in a section along the axis [m],
            and width of this face [m]. Give both values or neither. ``radius`` is the radius in the middle of the face.
        turns: number of whole turns in addition to the wrap angle between the adjacent spans [1].
        friction: friction coefficient [1]. None: the coefficient of the belt.
        groove_angle: only in 2D: angle beta between the flanks of a V-groove or of ribs [rad], typically 0.6 to 0.8.
            The belt presses on both flanks. Therefore the effective friction coefficient is mu/sin(beta/2). The value
            is None for a flat face.
        name: name in reports; default: name of the body.
        teeth: number >= 6 of grooves for the teeth of a timing belt. None: no grooves.

    Raises:
        ModelError: a value is out of its range.
    """

    body: Entity
    radius: float
    side: Literal["left", "right"] = "right"
    at: Sequence[float] | FloatArray = (0.0, 0.0)
    axis: Sequence[float] | FloatArray | None = None
    groove_radius: float | None = None
    outer_radius: float | None = None
    turns: int = 0
    friction: float | None = None
    name: str = ""
    groove_angle: float | None = None
    teeth: int | None = None
    crown_radius: float | None = None
    face_width: float | None = None

    def __post_init__(self) -> None:
        check_fields(self, PULLEY)
        if len(self.body) != 1:
            raise ModelError(f"body = {self.body!r} of Pulley: must be a handle to one row, has {len(self.body)}")
        if self.outer_radius is not None and self.outer_radius <= self.radius:
            raise ModelError(
                f"outer_radius = {self.outer_radius:g} m of Pulley: must be > {self.radius:g} m, its radius"
            )
        crown, width = self.crown_radius, self.face_width
        if (crown is None) != (width is None) or (crown is not None and self.groove_radius is not None):
            raise ModelError(
                f"crown_radius = {show(crown)} m and face_width = {show(width)} m of Pulley: must both be given, "
                "without groove_radius, or neither"
            )
        if crown is not None and width is not None and not width < (most := 2.0 * min(crown, self.radius)):
            raise ModelError(f"face_width = {width:g} m of Pulley: must be < {most:g} m, twice crown_radius or radius")
        if not self.name:
            object.__setattr__(self, "name", self.body.name)

    def wedge(self, friction: float) -> float:
        """Return the effective friction coefficient [1], relative to the radial force, from the coefficient
        ``friction`` between belt and pulley."""
        return friction if self.groove_angle is None else friction / sin(0.5 * self.groove_angle)

    @property
    def is_centred(self) -> bool:
        """Whether the pulley is attached to a body that can rotate, and has its centre at the origin of this body."""
        return self.body.table.component is not Ground and not np.any(np.asarray(self.at))


class Place(NamedTuple):
    """Centre of a pulley [m], shape (3,), axis of the pulley in the global frame, shape (3,), and a flag that is true
    if the pulley is 3D.
    """

    center: FloatArray
    axis: FloatArray
    in_space: bool


def find_place(world: World, pulley: Pulley) -> Place:
    """Return the position of a pulley in the reference configuration.

    Raises:
        ModelError: a body has no position or no rotation, or an axis has the length 0.
    """
    node: Any = pulley.body
    if "node" in node.table.component.refs:
        node = world.entity(int(node.node))
    columns = node.table.component.columns
    if "position" not in columns or not (
        {"angle", "euler_parameters"} & columns.keys() or node.table.component is Ground
    ):
        raise ModelError(f"body = {pulley.body!r} of Pulley: must be a rigid body, a rigid node or Ground")
    turn = np.eye(3)
    if "angle" in columns:
        c, s = np.cos(float(node.angle)), np.sin(float(node.angle))
        turn[:2, :2] = ((c, -s), (s, c))
    elif "euler_parameters" in columns:
        turn = rotation_matrix(np.asarray(node.euler_parameters, np.float64).ravel())
    axis = np.asarray((0.0, 0.0, 1.0) if pulley.axis is None else pulley.axis, np.float64)
    if not np.linalg.norm(axis) > 0.0:
        raise ModelError(f"axis = (0, 0, 0) of the pulley {pulley.name}: must have a length > 0")
    center = _in_space(node.position) + turn @ _in_space(pulley.at)
    return Place(center, turn @ (axis / np.linalg.norm(axis)), pulley.axis is not None or "euler_parameters" in columns)


def lay_route(
    pulleys: Sequence[Pulley], places: Sequence[Place], offsets: Sequence[float], closed: bool, start: Any, end: Any
) -> Route | SpatialRoute:
    """Find the taut route of the cord over pulleys.

    Args:
        pulleys: pulleys in the order in which the cord runs over them.
        places: positions of the pulleys.
        offsets: height of the cord above the surface of each pulley [m].
        closed: whether the route is closed.
        start, end: end points of a rope [m].

    Raises:
        ModelError: pulleys overlap, a span does not exist, a taut belt cannot wrap a pulley on its ``side``, or the
            radius of the cord is not positive.
    """
    names = [pulley.name for pulley in pulleys]
    for pulley, offset in zip(pulleys, offsets, strict=True):
        if pulley.radius + offset <= 0.0:
            raise ModelError(f"cord_offset = {offset:g} m at {pulley.name}: must be > {-pulley.radius:g} m, its radius")
    in_space = any(place.in_space for place in places) or any(p is not None and len(p) == 3 for p in (start, end))
    radii = [pulley.radius + offset for pulley, offset in zip(pulleys, offsets, strict=True)]
    try:
        if in_space:
            sheaves = [
                Sheave(place.center, place.axis, radius, pulley.side, pulley.turns)
                for pulley, place, radius in zip(pulleys, places, radii, strict=True)
            ]
            return route_over_sheaves(
                sheaves, 0.0, closed, *(None if p is None else _in_space(p) for p in (start, end))
            )
        if closed:
            _check_overlap(pulleys, places)
        circles = [
            Circle((float(place.center[0]), float(place.center[1])), radius, pulley.side, pulley.turns)
            for pulley, place, radius in zip(pulleys, places, radii, strict=True)
        ]
        route = route_around(circles, 0.0, closed, start, end)
    except ValueError as error:
        raise ModelError(_name_pulleys(str(error), names)) from error
    _check_wraps(pulleys, places, route)
    return route


def find_spans(route: Route | SpatialRoute) -> list[tuple[float, float]]:
    """Return the arc lengths [m] along the route at the start and the end of each free span. There is a span after each
    pulley, and for ropes also a span before the first pulley.
    """
    entries, exits = ([getattr(wrap, name) for wrap in route.wraps] for name in ("s_entry", "s_exit"))
    if route.closed:
        # the route of a belt starts after the first pulley
        exits[0] = 0.0
        return list(zip(exits, [*entries[1:], entries[0]], strict=True))
    return list(zip([0.0, *exits], [*entries, route.length], strict=True))


def _check_overlap(pulleys: Sequence[Pulley], places: Sequence[Place]) -> None:
    for (a, at_a), (b, at_b) in combinations(zip(pulleys, places, strict=True), 2):
        distance, least = float(np.linalg.norm(at_a.center - at_b.center)), a.radius + b.radius
        if distance <= least:
            raise ModelError(
                f"the pulleys {a.name} and {b.name} overlap, their centres are {distance:g} m apart: must be "
                f"> {least:g} m, the sum of their radii"
            )


def _check_wraps(pulleys: Sequence[Pulley], places: Sequence[Place], route: Route) -> None:
    """Raise ModelError if a taut belt cannot follow the route."""
    for pulley, wrap in zip(pulleys, route.wraps, strict=True):
        if wrap.angle < LEAST_WRAP:
            raise ModelError(
                f"the pulley {pulley.name} has a wrap of {np.degrees(wrap.angle):.2g} deg on its side '{pulley.side}': "
                "must be > 0 deg; move the pulley towards the belt"
            )
    spans = [route.eval_points(np.array(span))[0] for span in find_spans(route)]
    count = len(pulleys)
    for i, pulley in enumerate(pulleys):
        before, after = (spans[i - 1], spans[i]) if route.closed else (spans[i], spans[i + 1])
        # the two spans of a crossed belt cross each other, but a belt on two pulleys can have this route
        if pulley.turns == 0 and not (route.closed and count == 2) and _cross(before, after):
            other = "left" if pulley.side == "right" else "right"
            raise ModelError(
                f"the pulley {pulley.name} cannot be wrapped on its side '{pulley.side}': the spans before and after "
                f"the pulley cross each other (wrap {np.degrees(route.wraps[i].angle):.0f} deg); use side '{other}', "
                "another order of the pulleys, or move the pulley towards the belt"
            )
    if not route.closed:
        return
    for i, (a, b) in enumerate(spans):
        for j in set(range(count)) - {i, (i + 1) % count}:
            center, radius = places[j].center[:2], pulleys[j].radius
            share = np.clip((center - a) @ (b - a) / max((b - a) @ (b - a), 1e-300), 0.0, 1.0)
            distance = float(np.linalg.norm(a + share * (b - a) - center))
            if distance < radius:
                raise ModelError(
                    f"the span from {pulleys[i].name} to {pulleys[(i + 1) % count].name} runs through the pulley "
                    f"{pulleys[j].name}: the distance {distance:g} m from the pulley's centre must be >= {radius:g} m, "
                    "the pulley's radius; use another order of the pulleys, or other sides"
                )


def _cross(first: FloatArray, second: FloatArray) -> bool:
    """Return whether two line segments cross. Each line segment is given by its end points in rows 0 and 1."""

    def turn(a: FloatArray, b: FloatArray, c: FloatArray) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    (a, b), (c, d) = first, second
    return turn(a, b, c) * turn(a, b, d) < 0.0 and turn(c, d, a) * turn(c, d, b) < 0.0


def _name_pulleys(message: str, names: Sequence[str]) -> str:
    for i, name in enumerate(names):
        message = message.replace(f"circles[{i}]", name).replace(f"sheaves[{i}]", name)
    return message


def _in_space(vector: Any) -> FloatArray:
    out = np.zeros(3)
    given = np.asarray(vector, np.float64).ravel()
    out[: len(given)] = given
    return out
