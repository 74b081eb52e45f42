"""Geometry of the lines of a mesh: pairs of lines that share a slope at a common point, the direction of each line, and
the positions of nodes between the ends of a line.

Line i has the ends e = 2 i + k, with k = 0 for its first point and k = 1 for its second point. The unit vector d_e
points from end e into its line. The angle between two ends a, b at one point is

    angle(a, b) = π - arccos(d_a · d_b).

Two ends of one section are joined under two conditions. The angle between the ends must not exceed the corner angle,
and no other end of the section at this point may have a smaller angle with a or with b. Joined lines form paths and
loops. The first line of a path in the file determines the direction of all lines of the path. The common slope of two
joined lines is the unit vector halfway between the directions of the lines.

A line between the points p0 and p1 with the slopes t0 and t1 is the cubic with r(0) = p0, r'(0) = t0, r(L) = p1, r'(L)
= t1. L is the arc length of the cubic. The line is straight if both slopes are parallel to its chord.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.cable.points import create_rule, eval_shape
from windlass.framework.arrays import FloatArray, IntArray

STRAIGHT = 1e-9
"""Largest sine [1] of the angle between slope and chord. Up to this value, a line is treated as straight."""
GAUSS_PLACES, GAUSS_WEIGHTS = create_rule(0)[:2]
"""Integration points and weights on a line of length 1."""


class Ends(NamedTuple):
    """Data of the ends of n lines, each of shape (2 n,).

    point: mesh point of each end.
    partner: for each end, the index of the end to which it is joined, or -1 if there is no such end.
    node: index of the slope of each end, counted from 0. Joined ends share one slope.
    """

    point: IntArray
    partner: IntArray
    node: IntArray


def eval_directions(points: FloatArray, lines: IntArray) -> FloatArray:
    """Return the unit vectors d_e, which point from the ends into their lines, shape (2 n, d) for n lines in d
    dimensions.
    """
    chord = points[lines[:, 1]] - points[lines[:, 0]]
    unit = chord / np.linalg.norm(chord, axis=1)[:, None]
    directions: FloatArray = np.stack((unit, -unit), axis=1).reshape(-1, points.shape[1])
    return directions


def join_ends(
    points: FloatArray,
    lines: IntArray,
    section: IntArray,
    hinged: NDArray[np.bool_],
    corner_angle: float,
    most_lines: int,
) -> Ends:
    """Find pairs of ends of lines that are joined with a common slope.

    Args:
        points: positions [m], shape (points, d).
        lines: points at both ends, shape (lines, 2).
        section: index of the section of each line, shape (lines,). Only lines of the same section are joined.
        hinged: for each point, whether lines must not be joined at this point, shape (points,).
        corner_angle: largest angle [rad] between joined lines.
        most_lines: largest number of lines that may meet at a point at which lines are joined.
    """
    direction, point = eval_directions(points, lines), lines.ravel()
    partner = np.full(len(point), -1, np.int64)
    order = np.argsort(point, kind="stable")
    count = np.bincount(point, minlength=len(points))
    first = np.cumsum(count) - count
    for k in np.unique(count[(count > 1) & (count <= most_lines)]):
        places = np.flatnonzero((count == k) & ~hinged)
        ends = order[first[places][:, None] + np.arange(k)]
        d = direction[ends]
        angle = np.pi - np.arccos(np.clip(np.einsum("pax,pbx->pab", d, d), -1.0, 1.0))
        kinds = section[ends // 2]
        angle[(kinds[:, :, None] != kinds[:, None, :]) | np.eye(k, dtype=bool)] = np.inf
        best = angle.argmin(axis=2)
        own = np.arange(k)
        mutual = np.take_along_axis(best, best, axis=1) == own
        p, a = np.nonzero(mutual & (np.take_along_axis(angle, best[:, :, None], axis=2)[:, :, 0] <= corner_angle))
        partner[ends[p, a]] = ends[p, best[p, a]]
    own = np.arange(len(point))
    leader = np.where(partner >= 0, np.minimum(own, partner), own)
    return Ends(point, partner, np.unique(leader, return_inverse=True)[1])


def find_reversed(ends: Ends) -> NDArray[np.bool_]:
    """Return whether the direction of each line in its path or loop is opposite to the direction of the line in the
    file, shape (lines,).
    """
    from scipy.sparse import coo_array  # imported here, because most models do not need SciPy
    from scipy.sparse.csgraph import connected_components  # imported here, because most models do not need SciPy

    n = len(ends.point) // 2
    a = np.flatnonzero(ends.partner >= 0)
    b = ends.partner[a]
    # the graph has two vertices for each line i: i for its direction in the file, and n + i for the opposite direction.
    # An edge connects two vertices if both lines are joined and continue each other in these directions.
    against = n * (a % 2 == b % 2)
    row = np.concatenate((a // 2, n + a // 2))
    column = np.concatenate((b // 2 + against, b // 2 + n - against))
    graph = coo_array((np.ones(len(row), np.int8), (row, column)), shape=(2 * n, 2 * n))
    label = connected_components(graph, directed=False)[1]
    forward, backward = label[:n], label[n:]
    _, first, path = np.unique(np.minimum(forward, backward), return_index=True, return_inverse=True)
    turned: NDArray[np.bool_] = forward != forward[first[path]]
    return turned


def eval_slopes(points: FloatArray, lines: IntArray, ends: Ends, turned: NDArray[np.bool_]) -> FloatArray:
    """Return the unit vectors of the slopes with the indices ``ends.node``, shape (slopes, d). The argument ``turned``
    is the result of `find_reversed`.
    """
    # direction along the cable: into the line at its start, and out of the line at its end
    begins = (np.arange(len(ends.point)) % 2 == 0) != np.repeat(turned, 2)
    along = eval_directions(points, lines) * np.where(begins, 1.0, -1.0)[:, None]
    count = int(ends.node.max()) + 1
    total = np.stack([np.bincount(ends.node, along[:, k], count) for k in range(points.shape[1])], axis=1)
    alone = np.bincount(ends.node, minlength=count) == 1
    unit = total / np.linalg.norm(total, axis=1)[:, None]
    # the direction of a single line is not normalised again, because rounding would change the direction
    return np.where(alone[:, None], total, unit)


def eval_lengths(begin: FloatArray, end: FloatArray, slope0: FloatArray, slope1: FloatArray) -> FloatArray:
    """Return the arc lengths [m] of the cubics from the points ``begin`` with the unit slopes ``slope0`` to the points
    ``end`` with the unit slopes ``slope1``, shape (n,). Points and slopes have the shape (n, d).
    """
    chord = end - begin
    length: FloatArray = np.linalg.norm(chord, axis=1)
    bent = np.flatnonzero(~find_straight(chord, slope0, slope1))
    q = [vector[bent][:, None, :] for vector in (begin, slope0, end, slope1)]
    # A fixed-point iteration is used, because the integrand depends on the arc length. Each iteration multiplies the
    # error by about the square of the angle [rad] between both slopes.
    for _ in range(12):
        shape = eval_shape(GAUSS_PLACES, length[bent][:, None])
        slope = sum(shape.dS[..., a, None] * q[a] for a in range(4))
        length[bent] *= np.linalg.norm(slope, axis=2) @ GAUSS_WEIGHTS
    return length


def find_straight(chord: FloatArray, slope0: FloatArray, slope1: FloatArray) -> NDArray[np.bool_]:
    """Return whether each line is straight, shape (n,). A line is straight if both slopes are parallel to its chord."""
    bound = STRAIGHT * np.linalg.norm(chord, axis=1)
    off = [_cross_size(chord, slope) for slope in (slope0, slope1)]
    straight: NDArray[np.bool_] = np.maximum(*off) <= bound
    return straight


def _cross_size(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return |a × b| for vectors of shape (n, d)."""
    if a.shape[1] == 2:
        return np.asarray(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]))
    size: FloatArray = np.linalg.norm(np.cross(a, b), axis=1)
    return size


def eval_inner_nodes(
    begin: FloatArray, end: FloatArray, slope0: FloatArray, slope1: FloatArray, length: FloatArray, s: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the points [m] and the unit slopes of n cubics, each of shape (n, d). The points are at the fractions s of
    the lengths of the cubics, shape (n,). The other arguments are explained in `eval_lengths`.
    """
    chord = end - begin
    position = begin + s[:, None] * chord
    slope = chord / np.linalg.norm(chord, axis=1)[:, None]
    bent = np.flatnonzero(~find_straight(chord, slope0, slope1))
    shape = eval_shape(s[bent], length[bent])
    q = [vector[bent] for vector in (begin, slope0, end, slope1)]
    position[bent] = sum(shape.S[:, a, None] * q[a] for a in range(4))
    tangent = sum(shape.dS[:, a, None] * q[a] for a in range(4))
    slope[bent] = tangent / np.linalg.norm(tangent, axis=1)[:, None]
    return position, slope


def rank_points(count: int, lines: IntArray) -> IntArray:
    """Return the index of each point in an order in which connected points are close to each other, shape (count,).

    Source: reverse Cuthill-McKee; E. Cuthill, J. McKee, Proc. 24th Nat. Conf. ACM (1969).
    """
    from scipy.sparse import csr_array  # imported here, because most models do not need SciPy
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # imported here, because most models do not need SciPy

    # Vertices are numbered backwards, because the method begins with the last vertex. With this numbering, the points
    # of successive lines keep their order.
    backwards = count - 1 - lines
    both = np.concatenate((backwards, backwards[:, ::-1]))
    graph = csr_array((np.ones(len(both), np.int8), both.T), shape=(count, count))
    rank = np.empty(count, np.int64)
    rank[count - 1 - reverse_cuthill_mckee(graph, symmetric_mode=True)] = np.arange(count)
    return rank
