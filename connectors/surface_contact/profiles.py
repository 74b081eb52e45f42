"""Profiles of surfaces of revolution. A profile is given as a polyline of (rho, z) with corners rounded by arcs, and is
converted to lines and arcs for the kernels.

The rope is on the right-hand side of the polyline. For example, if z increases along the polyline, the material is
between the axis and the polyline. A corner that turns to the left is convex, and a corner to the right is concave. An
arc of the radius r touches both lines at the distance r tan(angle/2) from the corner.
"""

from __future__ import annotations

from itertools import pairwise
from math import atan2, cos, hypot, tan

import numpy as np

from windlass.connectors.surface_contact.distances import PIECE
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError

OVERLAP = 1e-9
"""Extension of each piece, relative to its length, so that rounding errors cause no gap between pieces [1]."""


def create_pieces(points: FloatArray, radii: FloatArray, where: str) -> FloatArray:
    """Create the lines and arcs of a profile, shape (pieces, 8); see `PIECE`.

    Args:
        points: rho, z of successive vertices [m], shape (2 k,), k >= 2.
        radii: radii of the corners between the vertices [m], shape (k - 2,), or one radius for all corners, shape (1,).
        where: description of the row, for messages.

    Raises:
        ModelError: there are too few points, rho or a radius is negative, two successive points are equal, or arcs do
            not fit on their lines.
    """
    if len(points) < 4 or len(points) % 2:
        raise ModelError(f"vertices in {where} has {len(points)} numbers: must have rho, z [m] of two points or more")
    place = points.reshape(-1, 2)
    corners = len(place) - 2
    if len(radii) not in (1, corners):
        raise ModelError(f"rounding in {where} has {len(radii)} numbers: must have 1, or one per corner, {corners}")
    radius = np.broadcast_to(radii, corners)
    ways = np.diff(place, axis=0)
    lengths = np.hypot(ways[:, 0], ways[:, 1])
    if (place[:, 0] < 0.0).any() or (radius < 0.0).any() or (lengths == 0.0).any():
        raise ModelError(f"vertices and rounding in {where}: must have rho >= 0 m, radii >= 0 m and different points")
    along = ways / lengths[:, None]
    turns = [atan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in pairwise(along)]
    cut = np.array([0.0, *(r * tan(abs(turn) / 2.0) for r, turn in zip(radius, turns, strict=True)), 0.0])
    rest = lengths - cut[:-1] - cut[1:]
    for k in np.flatnonzero(rest < -OVERLAP * lengths)[:1]:
        raise ModelError(
            f"rounding in {where}: the arcs at the ends of line {k} take {cut[k] + cut[k + 1]:g} m: must take less "
            f"than {lengths[k]:g} m, the length of the line"
        )
    pieces = []
    for k, (start, t) in enumerate(zip(place[:-1], along, strict=True)):
        begin = start + (cut[k] - OVERLAP * lengths[k]) * t
        pieces.append((0.0, *begin, *t, rest[k] + 2.0 * OVERLAP * lengths[k], 0.0, 0.0))
        if k == corners or turns[k] == 0.0:
            continue
        side = 1.0 if turns[k] > 0.0 else -1.0
        end = place[k + 1] - cut[k + 1] * t
        centre = end + side * radius[k] * np.array((-t[1], t[0]))
        middle = side * np.array((t[1] + along[k + 1][1], -t[0] - along[k + 1][0]))
        middle /= hypot(*middle)
        pieces.append((side, *centre, radius[k], *middle, cos(abs(turns[k]) / 2.0) - OVERLAP, 0.0))
    return np.array(pieces).reshape(-1, PIECE)


def eval_course(pieces: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return rho and z of points at equal distances along a profile [m], shape (count,) each."""
    line = []
    for p in pieces:
        if p[0] == 0.0:
            line += [p[1:3], p[1:3] + p[5] * p[3:5]]
            continue
        half = np.arccos(min(p[6] + OVERLAP, 1.0)) * np.linspace(-1.0, 1.0, 33) * p[0]
        middle = np.arctan2(p[5], p[4])
        line += [p[1:3] + p[3] * np.array((np.cos(middle + a), np.sin(middle + a))) for a in half]
    points = np.array(line)
    s = np.append(0.0, np.cumsum(np.hypot(*np.diff(points, axis=0).T)))
    at = np.linspace(0.0, s[-1], count)
    return np.interp(at, s, points[:, 0]), np.interp(at, s, points[:, 1])
