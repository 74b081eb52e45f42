"""Beds with the shape of a polyline: one plane for each straight piece, limited to this piece.

The height of the bed is constant across its direction. Below a hollow the pieces do not overlap, and behind a crest
both pieces act; the regions with these errors are as small as the penetration of the cables.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from windlass.connectors.markers.position_markers import merge_handles, rigid_marker
from windlass.connectors.surface_contact.surfaces import PlaneSurface
from windlass.elements.nodes.ground import Ground
from windlass.framework.checks.checks import checked, instance, number, numbers
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

BEYOND = 100.0
"""Length by which the first and the last piece continue, per length of the polyline [1]."""


@checked(world=instance(World), points=numbers("m", (None, 2)), heading=number("rad"), origin=numbers("m", (2,)))
@all_or_nothing
def add_bed(world: World, points: Any, heading: float = 0.0, origin: Any = (0.0, 0.0)) -> Entity:
    """Add a bed whose height z is a polyline along a horizontal direction; see `add_surface_contact` for its contact.

    Args:
        world: the world.
        points: distance from the origin and height z of the corners [m], shape (k, 2), k >= 2, with ascending
            distances; the first and the last piece continue straight.
        heading: horizontal direction of the distances, from x towards y [rad].
        origin: x and y at the distance 0 [m].

    Returns:
        The planes of the pieces, from the first to the last, shape (k - 1,).

    Raises:
        ModelError: fewer than two points, or distances that do not ascend.
    """
    corners = np.asarray(points, np.float64)
    if len(corners) < 2 or not (np.diff(corners[:, 0]) > 0.0).all():
        raise ModelError(f"points = {show(points)} m in add_bed: must be two or more with ascending distances")
    along = np.array([np.cos(heading), np.sin(heading), 0.0])
    beyond = BEYOND * (corners[-1, 0] - corners[0, 0])
    planes = []
    for k, (first, last) in enumerate(pairwise(corners)):
        way = last - first
        size = float(np.hypot(*way))
        before, after = (beyond if k == 0 else 0.0), (beyond if k == len(corners) - 2 else 0.0)
        slope = way / size
        middle = first + slope * 0.5 * (size + after - before)
        direction = slope[0] * along + [0.0, 0.0, slope[1]]
        normal = -slope[1] * along + [0.0, 0.0, slope[0]]
        place = np.array([*origin, 0.0]) + middle[0] * along + [0.0, 0.0, middle[1]]
        marker = rigid_marker(world, world.add(Ground, position=place))
        half = 0.5 * (size + before + after)
        planes.append(
            world.add(PlaneSurface, name=f"bed {k}", marker=marker, axis=normal, along=direction, half_length=half)
        )
    return merge_handles(planes)
