"""A segment that rolls onto a circle without slip keeps its sticking position for any stretch.

The test uses no solver. A taut cable is straight up to the top of a circle and follows the circle from there. The cable
moves and the circle turns such that the touching line has the speed of the rim. All positions are prescribed.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from windlass.connectors.circle_segments.kernels import SegmentParameters, create_chord, stick_position
from windlass.connectors.contact.circles import Disc
from windlass.connectors.markers.cable_shape import create_shapes

RADIUS = 0.1
STRETCHES = (0.967, 1.0, 1.035, 1.05)
LENGTHS = (5.2e-3, 2.6e-3, 1.3e-3)


def roll(length: float, stretch: float, y: float, side: str, current: bool, leaves: bool = False) -> Any:
    """Return x_cur [m] of a segment of the reference ``length`` from its first touch until it lies on the circle.

    The circle is to the right or to the left of the cable. The surface line of the cable has the offset y along the
    left normal. If ``leaves`` is true, the motion is reversed in time, and the segment leaves the circle at the other
    end.
    """
    left = 1.0 if side == "left" else -1.0
    axis = RADIUS + left * y
    shape = create_shapes(np.array([1]), np.array([y]), np.array([length]), np.zeros((1, 8), np.int64))
    law = SegmentParameters(0.0, 0.0, 0.0, 1.0, 0.0, RADIUS, length, 0.0, True, False, current, 0.0, y)
    places = []
    for s in np.linspace(0.0, 1.0, 41) * stretch * length:
        # arc lengths of the axis at both ends of the segment, the leading end last; the axis is bent on the circle
        ends = np.array([s - stretch * length, s])
        if leaves:
            ends = -ends[::-1]
        turn = np.maximum(ends, 0.0) / axis if not leaves else np.minimum(ends, 0.0) / axis
        straight = ends - axis * turn
        x = axis * np.sin(turn) + straight
        height = axis * np.cos(turn)
        # the cable runs in the direction +x, above a circle on its right side, or below a circle on its left side
        slope = np.column_stack((np.cos(turn), left * np.sin(turn)))
        point = np.column_stack((x, -left * height))
        normal = np.column_stack((-slope[:, 1], slope[:, 0]))
        shape.slope[:], shape.position[:] = slope, point + y * normal
        angle = left * (s if not leaves else -s) / axis
        cos, sin = np.cos(angle), np.sin(angle)
        o = Disc(0.0, 0.0, 0.0, 0.0, 0.0, cos, -sin, sin, cos)
        places.append(stick_position(law, o, shape.slope, 0, create_chord(*shape.position[0], *shape.position[1]))[0])
    return np.array(places)


@pytest.mark.parametrize(
    ("stretch", "y", "side", "leaves"),
    list(product(STRETCHES, (0.0, -5e-5, 5e-3, -5e-3), ("left", "right"), (False, True))),
)
def test_rolling_segment_keeps_its_place(stretch: float, y: float, side: str, leaves: bool) -> None:
    """The sticking position is equal at both ends of the motion up to rounding. Between the ends, the sticking position
    differs by up to l³/(250 R²), the difference between chord and arc.

    The offset is positive or negative, and its magnitude is at most 5 % of the radius. On the circle, the line at the
    offset is shorter or longer than on the straight part by (y/R) l, which must not be treated as slip.
    """
    for length in LENGTHS:
        x = roll(length, stretch, y, side, current=True, leaves=leaves)
        assert abs(x[-1] - x[0]) < 1e-14
        assert np.abs(x - x[0]).max() < (stretch * length) ** 3 / (250 * RADIUS**2)


@pytest.mark.parametrize("side", ["left", "right"])
def test_reference_length_makes_slip_of_stretch(side: str) -> None:
    """With the published formula, which uses reference lengths, the sticking position drifts by (lam - 1) l/2 from the
    first touch until the segment lies on the circle. The contact law treats this drift as slip, although the segment
    rolls.
    """
    for length, stretch in product(LENGTHS, STRETCHES):
        x = roll(length, stretch, 0.0, side, current=False)
        np.testing.assert_allclose(abs(x[-1] - x[0]), abs(stretch - 1.0) * length / 2, rtol=0, atol=1e-14)
