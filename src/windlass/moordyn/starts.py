"""Initial shapes of lines for the static solve.

A line from the bed has one of three shapes. The first shape is a straight part on the bed followed by a catenary. The
second shape is a straight part on the bed followed by a straight part to the upper end. The third shape, for a line
that is longer than the two straight parts, is an arc through the ends of the line that bulges horizontally to one side.
Other lines hang freely. If no shape of a hanging line exists, for example for a line without weight, a slack line is
such an arc, and a taut line is straight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.elements.routes.catenary import hang_between
from windlass.elements.routes.grounded_catenary import hang_from_ground
from windlass.elements.routes.routes import RouteError
from windlass.framework.arrays import FloatArray

ON_BED = 1e-3
"""If the height of an anchor above the bed, relative to the water depth, is less than this value [1], the anchor is
treated as lying on the bed.
"""


class Shape(NamedTuple):
    """Nodes of a line with n elements: positions r [m] and their derivatives [1] with respect to the unstretched
    length, both of shape (n + 1, 3).
    """

    place: FloatArray
    slope: FloatArray


def find_shape(
    ends: FloatArray, length: float, segments: int, EA: float, mass: float, gravity: float, bed: float
) -> Shape:
    """Return the shape of a line between two points.

    Args:
        ends: positions [m] of the ends A and B, shape (2, 3).
        length: unstretched length [m].
        segments: number of elements.
        EA: axial stiffness [N].
        mass: mass per length [kg/m] minus the mass per length of the displaced water.
        gravity: absolute value [m/s^2] of the gravitational acceleration.
        bed: height [m] of the bed.
    """
    s = np.linspace(0.0, length, segments + 1)
    upwards = ends[1, 2] >= ends[0, 2]
    lower, upper = ends if upwards else ends[::-1]
    if mass > 0.0 and gravity > 0.0 and lower[2] <= bed + ON_BED * abs(bed):
        found = _lie(lower, upper, length, s, EA, mass, gravity)
        if found is not None:
            return found if upwards else Shape(found.place[::-1], -found.slope[::-1])
    try:
        # a line that is lighter than water curves upwards between its ends
        down = (0.0, 0.0, -np.copysign(gravity, mass))
        route = hang_between(ends[0], ends[1], length, EA, abs(mass), down)
        place, tangent, _ = route.eval_points(s)
        return Shape(place, tangent * route.eval_stretch(s)[:, None])
    except RouteError:
        arc = _bow(ends[0], ends[1], length, s, np.pi)
        if arc is not None:
            return arc
        along = (ends[1] - ends[0]) / length
        return Shape(ends[0] + s[:, None] * along, np.tile(along, (segments + 1, 1)))


def _lie(
    lower: FloatArray, upper: FloatArray, length: float, s: FloatArray, EA: float, mass: float, gravity: float
) -> Shape | None:
    """Return the shape of a line from an anchor on the bed. The line has a straight part on the bed, followed by a
    catenary or by another straight part. If neither shape exists for the line, return None.
    """
    try:
        route = hang_from_ground(lower, upper, length, EA, mass, gravity=(0.0, 0.0, -gravity))
        place, tangent, _ = route.eval_points(s)
        return Shape(place, tangent * route.eval_stretch(s)[:, None])
    except RouteError:
        pass
    across, height = upper - lower, upper[2] - lower[2]
    across[2] = 0.0
    reach = float(np.linalg.norm(across))
    if length >= reach + height:
        return _bow(lower, upper, length, s, 0.5 * np.pi)
    if not length > np.hypot(reach, height):
        return None
    # The line lies on the bed up to the corner at the distance c from the anchor, and is straight from the corner to
    # its upper end. With the horizontal distance x and the height h of the upper end, the length L of the line is L = c
    # + √((x - c)² + h²).
    corner = (length**2 - reach**2 - height**2) / (2.0 * (length - reach))
    if not 0.0 < corner < reach:
        return None
    turn = lower + corner / reach * across
    rise = (upper - turn) / (length - corner)
    place = np.where((s < corner)[:, None], lower + s[:, None] * across / reach, turn + (s - corner)[:, None] * rise)
    slope = np.where((s < corner)[:, None], across / reach, rise)
    return Shape(place, slope)


def _bow(lower: FloatArray, upper: FloatArray, length: float, s: FloatArray, largest: float) -> Shape | None:
    """Return the shape of a slack line: an arc of a circle in the plane that contains both ends and a horizontal line
    perpendicular to their connection. If half the angle of the arc exceeds ``largest`` [rad], or the line is not slack,
    return None.
    """
    from scipy.optimize import brentq  # imported here, because SciPy takes long to load

    across = upper - lower
    size, share = float(np.linalg.norm(across)), float(np.sin(largest)) / largest
    if not share * length < size < length:
        return None
    beside = np.array([-across[1], across[0], 0.0])
    beside = beside if np.linalg.norm(beside) > ON_BED * size else np.array([0.0, 1.0, 0.0])
    # a is half of the angle of the arc: sin(a)/a = (distance of the ends)/length
    a = brentq(lambda angle: np.sin(angle) / angle - size / length, 1e-9, largest)
    e, n, radius = across / size, beside / np.linalg.norm(beside), 0.5 * length / a
    angle = (a * (2.0 * s / length - 1.0))[:, None]
    place = 0.5 * (lower + upper) + radius * (np.sin(angle) * e + (np.cos(angle) - np.cos(a)) * n)
    return Shape(place, np.cos(angle) * e - np.sin(angle) * n)
