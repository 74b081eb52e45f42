"""Initial deflection of bristles on a soft (elastic) layer, which is sheared from the point at which the belt first
touches the circle.

A material point of the belt begins to shear the layer at the point where it touches the circle. The deflection
increases by the relative slip w times the displacement of the belt. In contrast, the friction of a cable in the model
begins when the whole cable lies on the circle. At that time the n points of the cable have moved along the circle by
different distances. X is the mean of these distances. Friction therefore begins with the deflection

    u = w (X - mu_v/mu_k v),    X = s - L (n - 1)/(2 n),    w = w_before - EI/(2 EA r²)

s is the displacement along the circle since the first point of the cable touched, L the length of the cable, and v the
speed of the cable. w_before is the mean of the slip (v - omega r)/v while the cable moves by the last distance L before
it reaches the circle. If a solve begins with the cable closer to the circle, the mean is taken over the remaining
distance. Each cable that runs onto the circle causes a wave of the speed with the wavelength L. The wave cancels in the
mean over L. Bending onto the circle reduces the stretch by EI/(2 EA r²). The term with mu_v compensates the force mu_v
v w of the damper, because a layer has no damper.

If friction began with u = 0, the layer would be sheared along a shorter part of the arc, and the loss of speed of a
ribbed belt on the default mesh would be 3.4 % too large.

Source: the rolling condition at the entry: K. L. Johnson, Contact Mechanics, Cambridge University Press (1985), chapter
8; T. C. Firbank, Mechanics of the belt drive, Int. J. Mech. Sci. 12 (1970) 1053-1063.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.circle_points.kernels import COMES, LATEST, RUBS, STRETCHED, WAVE, WAY, combine
from windlass.connectors.circle_points.rigid_layer import add_way, is_near
from windlass.connectors.circle_segments.kernels import Disc, Eight
from windlass.elements.cable2d.points import shape
from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel

SLIPPED, SLIP, TOUCHED = STRETCHED, LATEST, WAVE
"""Indices of history values of rows on a soft layer; rows on a rigid layer store other values at these indices.
SLIPPED: integral of the slip velocity over the time in which the cable moves by the displacement stored at WAY [m].
SLIP: slip velocity at the end of the previous step [m/s]. TOUCHED: displacement since the first point touched [m], > 0
counter-clockwise.
"""


@kernel(inline=True)
def eval_speed(row: Any, o: Disc, q: Eight, w: Eight) -> float:
    """Return the component of the velocity of a cable along its axis, relative to the centre of the circle [m/s], > 0
    counter-clockwise.
    """
    vx, vy = combine(shape(0.5, row.length * row.segments), w)
    dx, dy = q[4] - q[0], q[5] - q[1]
    speed: float = ((vx - o.vx) * dx + (vy - o.vy) * dy) / max(np.sqrt(dx * dx + dy * dy), 1e-300)
    return speed if (q[0] - o.cx) * dy - (q[1] - o.cy) * dx > 0.0 else -speed


@kernel(inline=True)
def find_shear(row: Any, speed: float, h: float, start: FloatArray) -> tuple[bool, float]:
    """Return whether a cable has just moved onto the circle, and the initial deflection u of the bristles of this cable
    [m].

    h: step size [s].
    """
    n, first = row.segments, row.data + 3 * row.segments
    way = start[first + WAY]
    # if friction is switched on later, the initial deflection is 0
    if way == 0.0 or start[first + RUBS] != COMES:
        return False, 0.0
    bent = np.copysign(row.bending_stiffness / (2.0 * row.axial_stiffness * row.radius**2), speed)
    # on average, a point touches in the middle of a step; the displacement of the present step is not yet included
    moved = abs(start[first + TOUCHED] + 0.5 * h * speed)
    moved = min(max(moved - 0.5 * (n - 1) * row.length, 0.0), n * row.length)
    late = row.friction_velocity_penalty / row.friction_stiffness * abs(speed)
    return True, (start[first + SLIPPED] / way - bent) * (moved - late)


@kernel(inline=True)
def follow_slip(
    row: Any, o: Disc, q: Eight, speed: float, gap: float, grown: float, h: float, touches: bool, start: FloatArray,
    data: FloatArray,
) -> None:  # fmt: skip
    """Integrate the slip of a cable over the last part of its displacement before it reaches the circle; this part is
    as long as the cable. Also integrate the displacement since the first point of the cable touched.

    gap: smallest gap of the points of the cable [m].
    h: step size [s].
    touches: whether a point of the cable touches.
    """
    first, L = row.data + 3 * row.segments, row.length * row.segments
    way, slipped, last, touched = (
        start[first + WAY],
        start[first + SLIPPED],
        start[first + SLIP],
        start[first + TOUCHED],
    )
    slip, moved = speed - o.omega * row.radius, h * abs(speed)
    if touches:
        touched += h * speed
    elif not is_near(row, gap, grown):
        way, slipped, slip, touched = 0.0, 0.0, 0.0, 0.0
    else:
        touched = 0.0
        if last != 0.0:
            step, part = add_way(way, moved, h, last, slip, L)
            way, slipped = way + step, slipped + part
    data[first + WAY], data[first + SLIPPED], data[first + SLIP], data[first + TOUCHED] = way, slipped, slip, touched
