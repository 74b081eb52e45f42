"""Routes of ropes on a drum in two layers between flanges. The turns are in parallel planes and are connected by
crossings.

The angle phi is measured from the dead end at the first flange, and z is the position along the axis of the drum. Each
turn is in a plane of constant z, except in two successive crossings at the end of the turn. In each crossing u
increases from 0 to 1. In the first crossing, S_a = S(u): the rope in layer two moves back by the pitch p, while the
rope in layer one stays in its plane. In the second crossing, S_b = S(u): the rope in layer one advances by p under
layer two. The positions of the axis of the rope are

    layer one   z = (k + S_b) p,              r = R,                                turns k = 0 ... n - 1
    layer two   z = (n - 1/2 - j - S_a) p,    r = R + max over k of sqrt(d² - (z - z_k)²),    j = 0 ... n - 1

Here S = u³ (10 - 15 u + 6 u²), z_k is the position of turn k of layer one, R is the radius of the axis of the rope in
layer one, and d <= p the diameter of the rope. Between the crossings, a turn of layer two lies in the groove between
two turns of layer one. This turn is at the height h = sqrt(d² - p²/4) above the axes of these two turns. The first turn
of layer two lies in the groove between the last turn of layer one and the flange. The last turn of layer one moves by
half a pitch to the flange in its first crossing. In the second crossing of the last turn, the previous turn moves under
the last turn. The last turn then rises by h to layer two.

Source: elementary geometry.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import Any, Literal

import numpy as np

from windlass.elements.routes.routes import RouteError, read_finite
from windlass.elements.routes.spatial_routes import VECTOR, SpatialRoute, Vector, frame_about
from windlass.elements.routes.spline_route import through_points
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, checked_names, inside, number, numbers, optional, word
from windlass.framework.checks.values import read_numbers, show

POINTS = 360
"""Number of points of a route in each turn."""
WIDEST = 1.2
"""Largest pitch [1], relative to the diameter. Up to this pitch, a rope of layer two in a groove does not touch the
drum.
"""
MOST_TURNS = 1000
"""Largest number of turns in a layer."""


RISE_BEGIN, RISE_SHARE = 0.2, 0.5
"""Start and length of the rise to layer two, as fractions [1] of the crossing. The rise begins early, because the rope
is in tension.
"""


def blend(u: FloatArray) -> FloatArray:
    """Return a smooth step from 0 to 1 with continuous first and second derivatives."""
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10.0 - 15.0 * u + 6.0 * u**2)


@checked_names({name: number("m") for name in ("radius", "diameter", "pitch")}, RouteError)
@dataclass(frozen=True)
class DrumLayers:
    """Geometry of a rope on a drum in two layers.

    radius: radius [m] of the axis of the rope in layer one, > diameter.
    diameter: diameter d [m] of the rope, > 0.
    pitch: distance p [m] between neighbouring turns, from d to 1.2 d.
    turns: number of turns n of each layer, an integer >= 2.
    crossing: angle [rad] of each of the two crossings at the end of a turn, > 0, at most pi.

    RouteError is raised if a value is outside its range.
    """

    radius: float
    diameter: float
    pitch: float
    turns: int
    crossing: float = 0.5 * pi

    def __post_init__(self) -> None:
        for name in ("diameter", "radius", "pitch", "turns", "crossing"):
            read_finite(f"{name} of DrumLayers", getattr(self, name))
        d, n = self.diameter, self.turns
        limits = {
            "diameter": (d > 0.0, "m: must be > 0 m"),
            "radius": (self.radius > d, f"m: must be > {d} m, the diameter"),
            "pitch": (d <= self.pitch <= WIDEST * d, f"m: must be from {d} to {WIDEST * d} m, so that turns touch"),
            "turns": (2 <= n <= MOST_TURNS and n % 1 == 0, f": must be whole turns from 2 to {MOST_TURNS}"),
            "crossing": (0.0 < self.crossing <= pi, f"rad: must be > 0 and at most {pi} rad"),
        }
        for name, (fits, words) in limits.items():
            if not fits:
                raise RouteError(f"{name} of DrumLayers = {getattr(self, name)} {words}")

    @property
    def rise(self) -> float:
        """Height h [m] of a rope in a groove, above the axes of the two turns that form the groove."""
        return sqrt(self.diameter**2 - 0.25 * self.pitch**2)

    @property
    def largest_angle(self) -> float:
        """Angle phi [rad] at the end of layer two."""
        return 4.0 * pi * self.turns - 2.0 * self.crossing

    @property
    def flanges(self) -> tuple[float, float]:
        """Positions [m] of the two flanges along the axis, measured from the dead end."""
        return -0.5 * self.diameter, (self.turns - 0.5) * self.pitch + 0.5 * self.diameter

    def eval_places(self, angle: Any) -> tuple[FloatArray, FloatArray]:
        """Return the radius [m] and the position z [m] of the axis of the rope at angles [rad] from the dead end, each
        of shape (n,).

        RouteError is raised for angles that are not finite, have more than one axis, or are below 0 or above
        `largest_angle`.
        """
        given = read_numbers(angle)
        if given is None or given.ndim > 1 or not np.isfinite(given).all():
            raise RouteError(f"angle = {show(angle)} rad in eval_places: must be finite angles [rad], shape (n,)")
        phi = np.atleast_1d(given)
        most = self.largest_angle
        wrong = (phi < 0.0) | (phi > most)
        if wrong.any():
            raise RouteError(
                f"angle = {phi[wrong][0]} rad in eval_places: must be from 0 to {most} rad, where both layers are full"
            )
        turn = np.floor(phi / (2.0 * pi))
        u = (phi - 2.0 * pi * (turn + 1.0)) / self.crossing + 1.0
        n, p, first, second = self.turns, self.pitch, blend(u + 1.0), blend(u)
        # Positions of all turns of layer one, in units of the pitch. The last turn moves to the flange.
        below = np.arange(n)[:, None] + second
        below[-1] = n - 1.0 + 0.5 * first
        upper = turn >= n
        own = np.take_along_axis(below, np.minimum(turn, n - 1).astype(np.int64)[None], 0)[0]
        z = np.where(upper, 2 * n - 0.5 - turn - first, own)
        over = np.sqrt(np.maximum(self.diameter**2 - p**2 * (z - below) ** 2, 0.0)).max(axis=0)
        change = np.where(turn == n - 1, self.rise * blend((u - RISE_BEGIN) / RISE_SHARE), 0.0)
        return self.radius + np.where(upper, np.maximum(over, self.rise), change), p * z

    @checked(RouteError, self=inside(), begin=number("rad", minimum=0.0), end=number("rad", above=0.0))
    def eval_length(self, begin: float, end: float) -> float:
        """Return the length [m] of the rope between the angles ``begin`` and ``end`` [rad] from the dead end."""
        return self.route(end).length - (self.route(begin).length if begin > 0.0 else 0.0)

    @checked(
        RouteError,
        self=inside(),
        angle=number("rad", above=0.0),
        center=VECTOR,
        axis=numbers("1", (3,)),
        start=optional(numbers("1", (3,))),
        side=word("left", "right"),
    )
    def route(
        self,
        angle: float,
        *,
        center: Vector = (0.0, 0.0, 0.0),
        axis: Vector = (0.0, 0.0, 1.0),
        start: Vector | None = None,
        side: Literal["left", "right"] = "left",
    ) -> SpatialRoute:
        """Create the route from the point where the rope reaches the drum to the dead end of the rope.

        Args:
            angle: angle phi [rad] of the point where the rope reaches the drum, measured from the dead end, > 0, at
                most `largest_angle`.
            center: point [m] on the axis of the drum, in the plane in which the rope reaches the drum.
            axis: direction in which layer one advances, of any length > 0.
            start: direction from the axis to the point where the rope reaches the drum, see `helix`.
            side: side of the drum, seen along the route; "left": counter-clockwise about the axis.

        Raises:
            RouteError: the angle is out of range, the axis has length 0, or the start direction is parallel to the
                axis.
        """
        along, out, across = frame_about("route", axis, start)
        phi = np.linspace(angle, 0.0, max(int(np.ceil(POINTS * angle / (2.0 * pi))), 4) + 1)
        radius, z = self.eval_places(phi)
        way = (angle - phi) * (1.0 if side == "left" else -1.0)
        arms = np.cos(way)[:, None] * out + np.sin(way)[:, None] * across
        points = np.asarray(center, float) + radius[:, None] * arms + (z - z[0])[:, None] * along
        return SpatialRoute((through_points(points),))
