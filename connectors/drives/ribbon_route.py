"""Orientation of a belt with a width along its 3D route.

On each pulley the direction d_1 of the width is parallel to the axis of the pulley. The sign of d_1 is chosen such that
d_1 rotates by the smaller angle from the previous pulley. In the span between two pulleys, the rotation of d_1 about
the span is uniform. A belt without torque is flat. In a quarter-turn drive, both spans are therefore twisted by 90° and
carry a torque.

Two spans that cross each other, as in a crossed belt, are twisted by 180° more, both in the same sense. At the crossing
the two strands then lie flat on each other, and the same face of the belt touches the pulleys of both ends of a span. A
belt that is endless before it is mounted has the linking number 0 of its axis and its edge. Therefore the twist is
right-handed if the crossing is left-handed, and left-handed otherwise. If the axes of the strands intersect, the twist
is right-handed.

Source: elementary geometry. For the linking number, the sum of twist and writhe: F. B. Fuller, Proc. Natl. Acad. Sci.
USA 68 (1971) 815-819.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

import numpy as np

from windlass.connectors.drives.pulleys import find_spans
from windlass.elements.nodes.turning import carry_normals
from windlass.elements.routes.spatial_routes import SpatialRoute
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError

STEPS = 8
"""Number of steps along an element in which `find_twist` moves a direction without rotation about the tangent."""
TIE = 0.1
"""Two axes are treated as perpendicular if the magnitude of the cosine of the angle between the axes is at most this
value [1]. In this case the sign of the second axis does not change.
"""
ROUNDING = 1e-9
"""Distance of two spans below which their axes intersect, divided by the largest distance of a crossing [1]."""
CROSSING = 0.5
"""Two spans cross if their smallest distance, divided by the width of the belt, is at most this value [1]."""


def lay_width(
    name: str, route: SpatialRoute, axes: Sequence[FloatArray], elements: int, width: float
) -> tuple[FloatArray, FloatArray]:
    """Return the direction of the width at each node of a closed belt, shape (elements, 3), and the twist per length
    [rad/m] of each cable, shape (elements,).

    Args:
        name: name of the belt, for messages.
        route: the closed route, which starts after the first pulley.
        axes: unit vectors of the axes of the pulleys, in the order of the route.
        elements: number of cables.
        width: width of the belt [m].

    Raises:
        ModelError: a span is parallel to the axis of a pulley, or the belt would be a Möbius strip.
    """
    length, count = route.length, len(axes)
    stations = np.arange(elements) * (length / elements)
    slopes = route.eval_points(stations)[1]
    normals, side = np.zeros((elements, 3)), np.asarray(axes[0], np.float64)
    turns = find_half_turns(route, width)
    for i in range(count):
        # the span after pulley i, and the arc on the next pulley
        begin = route.wraps[i].s_exit if i else 0.0
        wrap, axis = route.wraps[(i + 1) % count], np.asarray(axes[(i + 1) % count], np.float64)
        t = route.eval_points(np.array([0.5 * (begin + wrap.s_entry)]))[1][0]
        first, last = _project(name, side, t), _project(name, axis, t)
        if first @ last < -TIE:
            axis, last = -axis, -last
        angle = np.arctan2(np.cross(first, last) @ t, first @ last) + np.pi * turns[i]
        if turns[i] % 2:
            axis = -axis
        here = (stations >= begin) & (stations < wrap.s_entry)
        turn = angle * (stations[here] - begin) / max(wrap.s_entry - begin, np.finfo(float).tiny)
        normals[here] = np.cos(turn)[:, None] * first + np.sin(turn)[:, None] * np.cross(t, first)
        normals[(stations >= wrap.s_entry) & (stations <= wrap.s_exit)] = axis
        side = axis
    if side @ np.asarray(axes[0]) < 0.0:
        raise ModelError(
            f"the axes of the pulleys of '{name}' twist the belt by half a turn: must be reversed at a pulley"
        )
    normals -= (normals * slopes).sum(axis=1)[:, None] * slopes
    return normals / np.linalg.norm(normals, axis=1)[:, None], find_twist(route, normals, elements)


def find_half_turns(route: SpatialRoute, width: float) -> list[int]:
    """Return the half turns by which crossings twist the span after each pulley [1], positive if right-handed.

    Args:
        route: the closed route.
        width: width of the belt [m].
    """
    distance = CROSSING * width
    strands = [route.eval_points(np.array(span))[0] for span in find_spans(route)]
    turns = [0] * len(strands)
    for i, j in combinations(range(len(strands)), 2):
        (a, b), (c, d) = strands[i], strands[j]
        normal = np.cross(b - a, d - c)
        square = float(normal @ normal)
        if square <= 1e-12 * float((b - a) @ (b - a)) * float((d - c) @ (d - c)):
            continue  # parallel spans
        shares = [float(np.cross(c - a, other) @ normal) / square for other in (d - c, b - a)]
        height = float((a - c) @ normal) / sqrt(square)
        if abs(height) <= distance and all(0.0 < share < 1.0 for share in shares):
            sense = -1 if height > ROUNDING * distance else 1
            turns[i] += sense
            turns[j] += sense
    return turns


def find_twist(route: SpatialRoute, normals: FloatArray, elements: int) -> FloatArray:
    """Return the twist per length [rad/m] of each cable, shape (elements,), for the directions ``normals`` of the width
    at the nodes, shape (elements, 3).
    """
    part = route.length / elements
    twist = np.zeros(elements)
    for k in range(elements):
        along = route.eval_points((k + np.arange(STEPS + 1) / STEPS) * part % route.length)[1]
        moved = np.zeros_like(along)
        moved[0] = normals[k]
        carry_normals(along, moved)
        own = normals[(k + 1) % elements]
        twist[k] = np.arctan2(np.cross(moved[-1], own) @ along[-1], moved[-1] @ own) / part
    return twist


def _project(name: str, axis: FloatArray, t: FloatArray) -> FloatArray:
    """Return the unit vector along the component of an axis that is perpendicular to the direction t of a span.

    Raises:
        ModelError: the angle between the axis and the span is less than 6°.
    """
    part = axis - (axis @ t) * t
    size = float(np.linalg.norm(part))
    if size < 0.1:
        angle = np.degrees(np.arcsin(min(size, 1.0)))
        raise ModelError(f"a span of '{name}' is at {angle:.3g} deg to the axis of a pulley: must be > 6 deg")
    return np.asarray(part / size)
