"""A belt on a soft layer: the layer of a cable that moves onto a circle is sheared from the point where it touches.

Material that moves onto a circle shears the layer from the point where it touches, at the rate of slip w per
displacement of the belt. The friction of a cable begins when the whole cable is on the circle. At this time the points
of the cable have different displacements along the circle since they touched, with the mean X. Therefore friction
begins with the deflection

    u = w (X - mu_v/mu_k v),    X = s - L (n - 1)/(2 n),    w = w_before - EI/(2 EA r²)

s is the distance along the circle since the first of the n points touched, and v the speed of the belt. w_before is the
integral of the slip velocity v - omega r over the last length L before the circle, divided by the distance moved. A
cable that starts near the circle moves a shorter distance. Each cable that runs onto the circle causes a wave in the
speed, and the mean over exactly one length contains no waves. Bending onto the circle changes the stretch by EI/(2 EA
r²). The term with mu_v subtracts the force of the damper, which a layer does not have.

Without this deflection (u = 0) the layer would not be sheared along a part of the arc. For a ribbed belt with 11 cables
on the arc, the loss of speed would then be 3.4 % too large.

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
"""Positions of history values, which rows on a soft layer use instead of the values of a rigid layer. SLIPPED: integral
of the slip velocity over the distance WAY [m]. SLIP: slip velocity at the previous step [m/s]. TOUCHED: distance since
the first point touched [m], > 0 counter-clockwise."""


@kernel(inline=True)
def eval_speed(row: Any, o: Disc, q: Eight, w: Eight) -> float:
    """Return the speed of the cable of a row along itself, relative to the centre [m/s], > 0 counter-clockwise."""
    vx, vy = combine(shape(0.5, row.length * row.segments), w)
    dx, dy = q[4] - q[0], q[5] - q[1]
    speed: float = ((vx - o.vx) * dx + (vy - o.vy) * dy) / max(np.sqrt(dx * dx + dy * dy), 1e-300)
    return speed if (q[0] - o.cx) * dy - (q[1] - o.cy) * dx > 0.0 else -speed


@kernel(inline=True)
def find_shear(row: Any, speed: float, h: float, start: FloatArray) -> tuple[bool, float]:
    """Return whether a new cable has moved onto the circle, and the deflection u with which its friction begins [m]; h:
    size of the step [s].
    """
    n, first = row.segments, row.data + 3 * row.segments
    way = start[first + WAY]
    # friction that is switched on later begins without deflection
    if way == 0.0 or start[first + RUBS] != COMES:
        return False, 0.0
    bent = np.copysign(row.bending_stiffness / (2.0 * row.axial_stiffness * row.radius**2), speed)
    # a point touches, on average, in the middle of the step; the present step is not yet included
    moved = abs(start[first + TOUCHED] + 0.5 * h * speed)
    moved = min(max(moved - 0.5 * (n - 1) * row.length, 0.0), n * row.length)
    late = row.friction_velocity_penalty / row.friction_stiffness * abs(speed)
    return True, (start[first + SLIPPED] / way - bent) * (moved - late)


@kernel(inline=True)
def follow_slip(
    row: Any, o: Disc, q: Eight, speed: float, gap: float, grown: float, h: float, touches: bool, start: FloatArray,
    data: FloatArray,
) -> None:  # fmt: skip
    """Integrate the slip of a cable over its last length before the circle, and its distance since it touches.

    gap: smallest gap of its points [m]; h: size of the step [s]; touches: whether a point of the cable touches.
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
