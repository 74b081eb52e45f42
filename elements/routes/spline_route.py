"""Smooth 2D or 3D routes of cables through given points.

The route is a cubic spline whose parameter is the cumulative chord length of the points. Positions of nodes along the
route are given by arc length.

Source: C. de Boor, A Practical Guide to Splines, Springer (1978).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from windlass.elements.routes.routes import RouteError, read_arc_lengths
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, yes_no
from windlass.framework.checks.values import read_numbers, show


class SplineRoute:
    """A smooth 2D or 3D curve through points. `through_points` creates it.

    Attributes:
        closed: whether the curve is closed.
        length: arc length [m].
    """

    def __init__(self, points: FloatArray, closed: bool) -> None:
        from scipy.interpolate import CubicHermiteSpline, CubicSpline  # imported here, because few models need SciPy

        self.closed = closed
        chords = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))))
        self._curve: Any = CubicSpline(chords, points, bc_type="periodic" if closed else "natural")
        # arc length at many parameter values between each pair of successive points
        u = np.unique(np.concatenate([np.linspace(a, b, 65) for a, b in pairwise(chords)]))
        slope = self._curve(u, 1)
        speed = np.linalg.norm(slope, axis=1)
        self._speed: Any = CubicHermiteSpline(u, speed, (slope * self._curve(u, 2)).sum(axis=1) / speed)
        self._arc: Any = self._speed.antiderivative()
        self._places, self._stations = u, self._arc(u)
        self.length = float(self._stations[-1])

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions [m], unit tangents [1] and curvature vectors [1/m], each of shape (n, d), at arc lengths s
        [m], shape (n,)."""
        s = read_arc_lengths("SplineRoute", s, self.length, self.closed)
        u = np.interp(s, self._stations, self._places)
        for _ in range(3):
            # a low accuracy of the arc length is sufficient, because every parameter value gives a point of the curve
            u = u - (self._arc(u) - s) / self._speed(u)
        slope, bend = self._curve(u, 1), self._curve(u, 2)
        speed = np.linalg.norm(slope, axis=1, keepdims=True)
        tangent = slope / speed
        along = (bend * tangent).sum(axis=1, keepdims=True)
        return self._curve(u), tangent, (bend - along * tangent) / speed**2


@checked(RouteError, points=inside(), closed=yes_no())
def through_points(points: Any, closed: bool = False) -> SplineRoute:
    """Create a smooth route through points [m], shape (n, 2) or (n, 3). The route is a cubic spline over the cumulative
    chord length.

    RouteError is raised for fewer than two points (three for a closed route), and for consecutive points that coincide.
    """
    given = read_numbers(points)
    least = 3 if closed else 2
    if given is None or given.ndim != 2 or given.shape[1] not in (2, 3) or len(given) < least:
        raise RouteError(f"points = {show(points)} m in through_points: must have shape (n, 2) or (n, 3), n >= {least}")
    if closed and (given[0] != given[-1]).any():
        given = np.concatenate((given, given[:1]))
    steps = np.linalg.norm(np.diff(given, axis=0), axis=1)
    for i in np.flatnonzero(~(steps > 0.0) | ~np.isfinite(steps))[:1]:
        raise RouteError(f"points[{i}] and points[{i + 1}] are {steps[i]} m apart in through_points: must be > 0 m")
    return SplineRoute(given, closed)
