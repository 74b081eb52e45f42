"""Division of polyhedra into parts by planes parallel to the axes.

A polyhedron is given by triangles without boundary. In the sum over all triangles, each edge occurs as often in one
direction as in the other. Volumes, moments and integrals over waterplanes are sums over the triangles. Each triangle
that crosses a plane is divided. The cut surface is the sum of the triangles between one point in this plane and the
edges along which the plane cuts the polyhedron. These triangles may overlap with opposite orientations. Triangles that
overlap in this way cancel in all sums. Therefore the cut surface need not be convex.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray

LEAST = 1e-12
"""Parts whose volume is at most this fraction [1] of the whole volume are omitted, because they result from rounding
errors.
"""


class MeshParts(NamedTuple):
    """The parts of a polyhedron."""

    triangles: FloatArray  # corners [m] of the triangles of all parts, relative to the centroids, shape (t, 3, 3)
    counts: IntArray  # number of triangles of each part, shape (parts,)
    center: FloatArray  # centroid [m] of each part, shape (parts, 3)
    size: FloatArray  # largest distance [m] of a corner from the centroid along each axis, shape (parts, 3)
    volume: FloatArray  # volume [m^3] of each part, shape (parts,)


def divide_polyhedron(corners: FloatArray, parts: IntArray) -> MeshParts:
    """Divide a polyhedron by planes perpendicular to the axes. The planes divide the extent of the polyhedron along
    each axis into equal parts.

    Args:
        corners: corners of the triangles [m], counter-clockwise if seen from outside, shape (k, 3, 3).
        parts: numbers of parts along x, y and z, shape (3,). Parts without volume are omitted.
    """
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    pieces = [corners]
    for axis in range(3):
        levels = low[axis] + (high[axis] - low[axis]) * np.arange(1, parts[axis]) / parts[axis]
        divided = []
        for piece in pieces:
            rest = piece
            for level in levels:
                below, rest = cut(rest, axis, float(level))
                divided.append(below)
            divided.append(rest)
        pieces = divided
    moments = [find_moments(piece) for piece in pieces]
    least = LEAST * sum(volume for volume, _ in moments)
    kept = [(piece, *moment) for piece, moment in zip(pieces, moments, strict=True) if moment[0] > least]
    relative = [piece - center for piece, _, center in kept]
    return MeshParts(
        np.concatenate(relative),
        np.array([len(piece) for piece in relative]),
        np.array([center for *_, center in kept]),
        np.array([np.abs(piece).max(axis=(0, 1)) for piece in relative]),
        np.array([volume for _, volume, _ in kept]),
    )


def find_moments(corners: FloatArray) -> tuple[float, FloatArray]:
    """Return the volume [m^3] inside triangles, shape (k, 3, 3), and the centroid [m] of this volume, shape (3,)."""
    if not len(corners):
        return 0.0, np.zeros(3)
    middle = 0.5 * (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1)))
    x = corners - middle
    volumes = np.einsum("ka,ka->k", x[:, 0], np.cross(x[:, 1], x[:, 2])) / 6.0
    volume = float(volumes.sum())
    moment = 0.25 * np.einsum("k,kna->a", volumes, x)
    return volume, middle + (moment / volume if volume else 0.0)


def cut(corners: FloatArray, axis: int, level: float) -> tuple[FloatArray, FloatArray]:
    """Divide a polyhedron by a plane perpendicular to an axis.

    Args:
        corners: corners of the triangles [m], shape (k, 3, 3).
        axis: index of the axis.
        level: coordinate along the axis at which the plane is [m].

    Returns:
        Corners of the triangles of the parts below and above the plane, including the cut surfaces, with shapes like
        ``corners``.
    """
    above = corners[:, :, axis] > level
    count = above.sum(axis=1)
    crossing = np.flatnonzero((count == 1) | (count == 2))
    sides = [corners[count == 0]], [corners[count == 3]]
    if len(crossing):
        # The plane separates corner a from the corners b and c. The order of the corners is unchanged.
        is_above = count[crossing] == 1
        lone = np.argmax(above[crossing] == is_above[:, None], axis=1)
        a, b, c = (corners[crossing, (lone + k) % 3] for k in range(3))
        ab, ac = (_find_crossing(a, end, axis, level) for end in (b, c))
        # all triangles of the cut surface have the corner ``foot``
        foot = np.broadcast_to(ab[0], a.shape)
        for side, alone in zip(sides, (~is_above, is_above), strict=True):
            others = ~alone
            side += [np.stack(three, axis=1)[alone] for three in ((a, ab, ac), (foot, ac, ab))]
            side += [np.stack(three, axis=1)[others] for three in ((ab, b, c), (ab, c, ac), (foot, ab, ac))]
    below, over = (np.concatenate(side) for side in sides)
    return below, over


def _find_crossing(start: FloatArray, end: FloatArray, axis: int, level: float) -> FloatArray:
    """Return the points at which lines from ``start`` to ``end`` [m], shape (n, 3), cross a plane."""
    share = (level - start[:, axis]) / (end[:, axis] - start[:, axis])
    found: FloatArray = start + share[:, None] * (end - start)
    found[:, axis] = level
    return found
