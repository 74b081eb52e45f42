"""Outlines of sprockets with z teeth for roller chains with the pitch p and the roller diameter d_1, composed of arcs
and lines.

    pitch circle: R = p/(2 sin(π/z)), on which the centres of seated rollers lie
    seating arc: r_i = 0.505 d_1,    α = 140° - 90°/z, with its bottom at R - d_1/2
    flanks: r_e = 0.008 d_1 (z² + 180), convex; they continue the seating arc without a kink
    tip circle: d_a = 2 R + (1.125 - 0.8/z) p - d_1, mean of the limits in ISO 606; smaller if the flanks meet below it

Source: ISO 606, minimum tooth gap form (smallest r_i, largest r_e and α).
"""

from __future__ import annotations

import math

import numpy as np

from windlass.connectors.curves.profiles import CurveProfile
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, instance, number, optional, whole
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World


@checked(
    world=instance(World),
    teeth=whole(6),
    pitch=number("m", above=0.0),
    roller_diameter=number("m", above=0.0),
    seating_radius=optional(number("m", above=0.0)),
    seating_angle=optional(number("rad", above=0.0)),
    flank_radius=optional(number("m", above=0.0)),
    tip_diameter=optional(number("m", above=0.0)),
)
def sprocket_profile(
    world: World,
    teeth: int,
    pitch: float,
    roller_diameter: float,
    seating_radius: float | None = None,
    seating_angle: float | None = None,
    flank_radius: float | None = None,
    tip_diameter: float | None = None,
) -> Entity:
    """Add the outline of a sprocket about the origin of its marker. The middle of a tooth gap lies on the x axis.

    Args:
        teeth: number z >= 6 of teeth.
        pitch: pitch p of the chain, the distance between adjacent rollers [m].
        roller_diameter: diameter d_1 of the rollers [m], below the pitch.
        seating_radius: radius r_i of the arc on which rollers sit [m], at least d_1/2.
        seating_angle: angle α of the seating arc [rad], below π.
        flank_radius: radius r_e of the flanks [m].
        tip_diameter: diameter d_a of the tip circle [m].

    Returns:
        Handle to the `CurveProfile`.

    Raises:
        ModelError: the rollers overlap, the seating radius is below the radius of the rollers, the seating angle is not
            below π, or the tip circle does not intersect the flanks.
    """
    z, d1 = teeth, roller_diameter
    if d1 >= pitch:
        raise ModelError(f"roller_diameter = {d1:g} m of sprocket_profile: must be < {pitch:g} m, the pitch")
    R = pitch / (2.0 * math.sin(math.pi / z))
    seat = 0.505 * d1 if seating_radius is None else seating_radius
    angle = math.radians(140.0 - 90.0 / z) if seating_angle is None else seating_angle
    flank = 0.008 * d1 * (z * z + 180.0) if flank_radius is None else flank_radius
    tip = R + (0.5625 - 0.4 / z) * pitch - 0.5 * d1
    if seat < 0.5 * d1:
        raise ModelError(
            f"seating_radius = {seat:g} m of sprocket_profile: must be >= {0.5 * d1:g} m, the roller radius"
        )
    if angle >= math.pi:
        raise ModelError(f"seating_angle = {angle:g} rad of sprocket_profile: must be < pi")
    middle = R - 0.5 * d1 + seat
    towards = np.array((-math.cos(0.5 * angle), math.sin(0.5 * angle)))
    end, centre = (np.array((middle, 0.0)) + r * towards for r in (seat, seat + flank))
    pointed = _find_tip(centre, flank, math.pi / z)
    top = min(tip, pointed) if tip_diameter is None else 0.5 * tip_diameter
    if not math.hypot(*end) < top <= pointed:
        raise ModelError(
            f"tip_diameter = {2.0 * top:g} m of sprocket_profile: must be > {2.0 * math.hypot(*end):g} m, where the "
            f"flanks begin, and <= {2.0 * pointed:g} m, where the teeth are pointed"
        )
    # law of cosines in the triangle of the origin, the centre of the flank, and the intersection of the flank with the
    # tip circle
    far = math.hypot(*centre)
    half = math.acos((far**2 + top**2 - flank**2) / (2.0 * far * top))
    at = math.atan2(centre[1], centre[0]) - half
    corner = top * np.array((math.cos(at), math.sin(at)))
    one = [corner * (1, -1), end * (1, -1), end, corner]
    bends = [1.0 / flank, -1.0 / seat, 1.0 / flank, 1.0 / top]
    if math.pi / z - at < 1e-9:
        one, bends = one[:-1], bends[:-1]
    return world.add(CurveProfile, points=_repeat(np.array(one), z).ravel(), curvatures=bends * z)


def _find_tip(centre: FloatArray, flank: float, angle: float) -> float:
    """Return the distance [m] from the origin at which a flank intersects the centre line of its tooth. The argument
    ``angle`` is the angle [rad] between the centre line of the tooth and the centre line of the tooth gap.
    """
    way = np.array((math.cos(angle), math.sin(angle)))
    along = float(centre @ way)
    under = flank**2 - (float(centre @ centre) - along**2)
    return along + math.sqrt(under) if under > 0.0 else math.inf


def _repeat(points: FloatArray, count: int) -> FloatArray:
    """Return copies of points, shape (count, points, 2), rotated about the origin by all multiples of 1/count of a
    turn.
    """
    angle = 2.0 * np.pi / count * np.arange(count)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    x, y = points[:, 0], points[:, 1]
    return np.stack((c * x - s * y, s * x + c * y), axis=2)
