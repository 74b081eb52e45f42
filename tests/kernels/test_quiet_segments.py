"""Rows of segments are skipped in the check of contacts if a bound on the changes of their gaps is small. This bound is
never below the actual changes.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from windlass.connectors.circle_segments.gaps import POINT, find_closest, is_quiet
from windlass.framework.arrays import FloatArray

RADIUS = 0.1


def draw(rng: np.random.Generator, n: int) -> FloatArray:
    """Draw a random row of n segments that turns, slides, vibrates and stretches near a circle, in the form of
    `POINT`.
    """
    length, h = RADIUS * 10 ** rng.uniform(-2.0, 0.0), 10 ** rng.uniform(-4.0, -2.0)
    angle, lean = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-1.0, 1.0)
    along = np.arange(n + 1) * length
    start = np.array([np.cos(angle), np.sin(angle)]) * RADIUS * rng.uniform(0.6, 2.0)
    direction = np.array([-np.sin(angle + lean), np.cos(angle + lean)])
    place = start + along[:, None] * direction + 0.02 * length * rng.normal(size=(n + 1, 2))
    speed, spin, shake = rng.normal(size=2), rng.normal() / RADIUS, 10 ** rng.uniform(-4.0, 0.0)
    turned = np.stack((-place[:, 1], place[:, 0]), axis=1)
    velocity = speed + spin * turned + shake * rng.normal(size=(n + 1, 2))
    points = np.empty((n + 1, POINT))
    points[:, 4:6], points[:, 6:8] = place, velocity
    points[:, 2:4] = velocity + 0.1 * shake * rng.normal(size=(n + 1, 2))
    points[:, 0:2] = place + 0.5 * h * (velocity + points[:, 2:4])
    return points


def find_change(points: FloatArray) -> tuple[float, float]:
    """Return the largest change [m/s] of the rate of a gap, and the largest depth [m] of a contact between the two
    instants.
    """
    change, missed, share = 0.0, 0.0, np.linspace(0.0, 1.0, 50)
    for a, b in pairwise(points):
        x0, y0, before, rate0 = find_closest(*a[4:8], *b[4:8])
        x1, y1, now, rate1 = find_closest(*a[0:4], *b[0:4])
        change = max(change, abs(rate1 - rate0))
        if min(before, now) > RADIUS or x0 * x1 + y0 * y1 < 0.0:
            way = np.hypot(x0 + share * (x1 - x0), y0 + share * (y1 - y0))
            missed = max(missed, RADIUS - float(way.min()))
    return change, missed


@pytest.mark.parametrize("n", [1, 4])
def test_what_is_left_out_has_not_changed(n: int) -> None:
    """For 2000 random rows and limits of 1e-3 to 10 m/s, the rates of skipped gaps change by less than the limit.
    Within the step, skipped rows overlap the circle by less than 5 % of the radius of the circle.
    """
    rng, left_out = np.random.default_rng(7), 0
    for _ in range(2000):
        points, least = draw(rng, n), 10 ** rng.uniform(-3.0, 1.0)
        change, missed = find_change(points)
        if is_quiet(points, 0, n, RADIUS, least):
            left_out += 1
            assert change < least and missed < 0.05 * RADIUS
    assert 200 < left_out < 1800


def test_a_jump_of_a_velocity_is_seen() -> None:
    """A row at rest is skipped. A row whose end has a velocity above the threshold, and a row that has passed the
    circle, are not skipped.
    """
    points = np.zeros((3, POINT))
    points[:, [0, 4]], points[:, [1, 5]] = RADIUS, np.array([[-0.01], [0.0], [0.01]])
    assert is_quiet(points, 0, 2, RADIUS, 0.1)
    points[2, 2] = 0.2
    assert not is_quiet(points, 0, 2, RADIUS, 0.1)
    points[2, 2] = 0.0
    points[:, 0] = -RADIUS
    assert not is_quiet(points, 0, 2, RADIUS, 0.1)
