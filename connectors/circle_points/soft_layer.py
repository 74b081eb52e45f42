"""A belt on a soft layer: the layer is sheared from the point where the belt touches the circle.

A material point of the belt begins to shear the layer where it touches the circle. The deflection grows by the slip w
per displacement of the belt. The friction of a cable, however, begins when the whole cable lies on the circle. Until
then the n points of the cable have moved along the circle by different distances, whose mean is X. Friction therefore
begins with the deflection

    u = w (X - mu_v/mu_k v),    X = s - L (n - 1)/(2 n),    w = w_before - EI/(2 EA r²)

s is the displacement along the circle since the first point of the cable touched, L the length of the cable, and v its
speed. w_before is the mean of the slip (v - omega r)/v while the cable moves by its length L to the circle. If a solve
begins with a cable that is nearer to the circle, the mean is over this shorter distance. Each cable that runs onto the
circle causes a wave of the speed with the wavelength L, which the mean over L does not contain. Bending onto the circle
reduces the stretch by EI/(2 EA r²). The term with mu_v compensates the force mu_v v w of the damper, because a layer
has no damper.

With u = 0 the layer would be sheared along a shorter part of the arc. The loss of speed of a ribbed belt on the default
mesh would be 3.4 % too large.

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
"""Positions of history values of rows on a soft layer; rows on a rigid layer store other values there. SLIPPED:
integral of the slip velocity over the time in which the cable moves by the distance WAY [m]. SLIP: slip velocity at the
previous step [m/s]. TOUCHED: displacement since the first point touched [m], > 0 counter-clockwise."""


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
