"""Beds, such as a sea bed, whose profile is a polyline. Each straight piece of the polyline is a plane that is limited
to this piece.

The height of the bed is constant perpendicular to the direction of the profile. Below a concave corner (hollow) there
is a region in which neither of the two pieces acts, and below a convex corner (crest) both pieces act. These errors are
limited to regions of the size of the penetration of the cables.

At a sharp crest with the angle theta, the direction of a cable changes within one element. Forces normal to the pieces
then have a component along the cable, of the order of theta^2 times the tension of the cable. A rounded crest is a drum
of the radius R that is tangent to both pieces at the distance R tan(theta/2) from the corner. On this drum forces are
normal to the cable, so the tension of the cable is continuous.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.markers.position_markers import merge_handles, rigid_marker
from windlass.connectors.surface_contact.surfaces import DrumSurface, PlaneSurface
from windlass.elements.nodes.ground import Ground
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, instance, number, numbers
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

BEYOND, FAR = 100.0, 1e5
"""Length by which the first and the last piece are extended: BEYOND times the length of the polyline [1], at least FAR
[m].
"""


@checked(
    world=instance(World),
    points=numbers("m", (None, 2)),
    heading=number("rad"),
    origin=numbers("m", (2,)),
    rounding=number("m", minimum=0.0),
)
@all_or_nothing
def add_bed(
    world: World, points: Any, heading: float = 0.0, origin: Any = (0.0, 0.0), rounding: float = 0.0
) -> list[Entity]:
    """Add a bed whose height z is a polyline along a horizontal direction; `add_surface_contact` adds the contact of
    cables with it.

    Args:
        world: the world.
        points: distance from the origin and height z of the corners [m], shape (k, 2), k >= 2, with ascending
            distances. The first and the last piece are extended by at least 100 km.
        heading: angle between the x axis and the horizontal direction of the profile, positive towards y [rad].
        origin: x and y of the point with the distance 0 [m].
        rounding: radius of the crests [m]; about four lengths of a cable are recommended. The radius is reduced at
            crests where an arc would cover more than half of a piece between two corners, or where the drum of the arc
            would cross another piece. With 0, crests are sharp. Then the tension after a crest has a relative error of
            the order of the square of the angle of the crest [rad], and static solves report such crests as doubtful.

    Returns:
        The surfaces, for `add_surface_contact`: the planes of the pieces from the first to the last, shape (k - 1,),
        and with ``rounding`` the drums of the crests.

    Raises:
        ModelError: fewer than two points are given, or the distances are not in ascending order.
    """
    corners = np.array(points, np.float64)
    if len(corners) < 2 or not (np.diff(corners[:, 0]) > 0.0).all():
        raise ModelError(f"points = {show(points)} m in add_bed: must be two or more with ascending distances")
    # the first and the last piece are extended
    beyond = max(BEYOND * float(corners[-1, 0] - corners[0, 0]), FAR)
    for end, inner in ((0, 1), (-1, -2)):
        way = corners[end] - corners[inner]
        corners[end] += beyond * way / np.hypot(*way)
    ways = np.diff(corners, axis=0)
    slopes = ways / np.hypot(*ways.T)[:, None]
    normals = slopes[:, ::-1] * (-1.0, 1.0)
    bends = np.zeros(len(corners))
    bends[1:-1] = np.tan(0.5 * np.maximum(-np.diff(np.arctan2(ways[:, 1], ways[:, 0])), 0.0))
    radii = np.array([_choose_radius(corners, k, bend, rounding) for k, bend in enumerate(bends)])
    # pieces between the tangent points of the drums
    cuts = radii * bends
    begins, lasts = corners[:-1] + slopes * cuts[:-1, None], corners[1:] - slopes * cuts[1:, None]
    along, up = np.array([np.cos(heading), np.sin(heading), 0.0]), np.array([0.0, 0.0, 1.0])

    def place(point: FloatArray) -> Entity:
        """Create a marker at a point with the given distance and height."""
        at = np.array([*origin, 0.0]) + point[0] * along + point[1] * up
        return rigid_marker(world, world.add(Ground, position=at))

    planes = [
        world.add(
            PlaneSurface, name=f"bed {k}", marker=place(0.5 * (begin + last)),
            axis=normal[0] * along + normal[1] * up, along=slope[0] * along + slope[1] * up,
            half_length=0.5 * float(np.hypot(*(last - begin))),
        )
        for k, (begin, last, slope, normal) in enumerate(zip(begins, lasts, slopes, normals, strict=True))
    ]  # fmt: skip
    axis = np.cross(along, up)
    drums = [
        world.add(
            DrumSurface,
            name=f"crest {k + 1}",
            marker=place(lasts[k] - radii[k + 1] * normals[k]),
            axis=axis,
            radius=radii[k + 1],
        )
        for k in np.flatnonzero(radii[1:])
    ]
    return [merge_handles(planes), *([merge_handles(drums)] if drums else [])]


def _choose_radius(corners: FloatArray, k: int, bend: float, rounding: float) -> float:
    """Return the radius of corner k [m], 0 at hollows; ``bend`` is the tangent of half the angle of the corner."""
    if bend == 0.0 or rounding == 0.0:
        return 0.0
    ways = np.diff(corners, axis=0)
    sizes = np.hypot(*ways.T)
    slopes = ways / sizes[:, None]
    radius = min(rounding, 0.5 * float(sizes[k - 1 : k + 1].min()) / bend)
    # the radius is halved if another piece crosses the drum
    while True:
        centre = corners[k] - radius * (bend * slopes[k - 1] + slopes[k - 1, ::-1] * (-1.0, 1.0))
        offset = centre - corners[:-1]
        way = np.clip((offset * slopes).sum(axis=1), 0.0, sizes)
        if np.hypot(*(offset - way[:, None] * slopes).T).min() >= radius * (1.0 - 1e-6):
            return radius
        radius *= 0.5
