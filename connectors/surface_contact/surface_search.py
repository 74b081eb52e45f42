"""Search for the surfaces of a set that are near cables. The number of rows is constant, but the surface of a row can
change. See `pair_search.PairSearch`.

For each surface that has a bounding sphere, a search tree of the middles of the cables finds the cables near this
surface. Surfaces without a bounding sphere, such as a sea bed, are paired with all cables. A pair of such a surface and
a cable is near if a contact point of the cable is closer to the surface than the skin. The pair is also near if all
points of the cable are beyond the ends of the surface, because a point may then move onto the surface. The motion of a
surface is at most the displacement of its origin plus the displacement due to its rotation. The displacement due to the
rotation is evaluated at the radius of the bounding sphere of the surface, or for unbounded surfaces at the most distant
cable. Rotation about the axis of a surface of revolution is ignored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.connectors.contact.pair_search import PairRows, PairSearch, create_assign, eval_hulls, eval_way
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.connectors.surface_contact.distances import (
    FIELD,
    LINE,
    PLANE,
    POLYLINE,
    PROFILE,
    SHEAVE,
    SPHERE,
    Geometry,
    eval_distance,
)
from windlass.connectors.surface_contact.kernels import CABLE, create_frame, eval_touch, read_axis
from windlass.connectors.surface_contact.winch_kernels import scale_rows
from windlass.elements.cable.points import shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields

AT_END = 1e-3
"""Gap of a pair in the search if all points of the cable are beyond the ends of the surface, divided by the skin [1].
The gap is small, because a point may move onto the surface at any time. With a gap of 0, a pair without a row would
require a search in each update.
"""


def eval_reach(s: Geometry) -> FloatArray:
    """Return the radii [m] of the bounding spheres of surfaces about their origins, inf for unbounded surfaces."""
    p, reach = s.geo, np.full(len(s.kind), np.inf)
    corner = np.minimum(np.hypot(p[:, 1], p[:, 2]), p[:, 3])
    for kind, radius in (
        (PLANE, np.hypot(p[:, 0], corner)),
        (SPHERE, p[:, 0]),
        # extent of a drum and of flanks of a groove
        (LINE, np.hypot(np.where(np.isfinite(p[:, 5]), p[:, 5], np.abs(p[:, 2])), p[:, 4])),
        (SHEAVE, np.hypot(p[:, 4], p[:, 5])),
        (PROFILE, p[:, 2]),
    ):
        reach = np.where(s.kind == kind, radius, reach)
    return reach


@kernel(inline=True)
def put_surface(p: PairRows, row: Any, number: int) -> None:
    """Write the index of the surface with the given number into the record of a row. Numbers are counted from 1. For
    the number 0 (no surface), the index is 0.
    """
    row.surface = max(number - 1, 0)


_assign = create_assign(put_surface)


@kernel
def assign_surfaces(p: PairRows, data: FloatArray) -> None:
    """Assign each row to the surface whose number its history values contain, see `create_assign`."""
    _assign(p, data)


@kernel
def fill_gaps(p: PairRows, row: IntArray, number: IntArray, x: FloatArray, m: PositionMarkers, out: FloatArray) -> None:
    """Write the smallest gap [m] between the points of row ``row[k]`` and the surface ``number[k]``, counted from 1,
    into ``out[k]`` for each pair k. The value is inf if all points are beyond the ends of the surface.
    """
    c, s = p.points, p.points.surfaces
    for k in range(len(row)):
        i, j, least = row[k], number[k] - 1, np.inf
        # smallest gap of those points of the cable that are within the extent of the surface
        o = create_frame(s.Q, j, m.position, m.velocity, m.angular_velocity, m.rotation, s.marker[j])
        q = read_axis(c, x, i)
        for point in range(c.rows[i].points):
            z = eval_touch(o, shape(relative_place(point, c.rows[i].points), c.rows[i].length * c.rows[i].points), q, q)
            h = eval_distance(s.kind, s.geo, s.pieces, j, z.X, z.Y, z.Z)
            if h.there:
                least = min(least, h.phi - c.rows[i].rope_radius)
        out[k] = least


class SurfaceSearch(PairSearch):
    """Search for pairs of cables and surfaces."""

    things = "surfaces"

    def eval_motion(self, hull: FloatArray, centre: FloatArray) -> float:
        """Return the sum [m] of the largest motion of a cable and the largest motion of a surface since the last
        search.
        """
        s, before = self.p.points.surfaces, self.centre
        # rotation about the z axis does not change the shape of a surface of revolution
        all_axes = np.isin(s.kind, (PLANE, FIELD, POLYLINE))[:, None, None]
        turned = np.where(all_axes, 1.0, (0.0, 0.0, 1.0)) * (centre - before)[:, 3:].reshape(-1, 3, 3)
        far = np.full(len(s.kind), 1.0)
        reach = self.p.reach[1:]
        endless = ~np.isfinite(reach)
        if endless.any():
            lo, hi = hull.min(axis=(0, 1)), hull.max(axis=(0, 1))
            far[endless] = np.linalg.norm(np.maximum(hi - before[endless, :3], before[endless, :3] - lo), axis=1)
        far[~endless] = reach[~endless]
        moved = np.linalg.norm((centre - before)[:, :3], axis=1) + np.linalg.norm(turned, axis=(1, 2)) * far
        return eval_way(hull, self.hull) + float(moved.max(initial=0.0))

    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the control points [m] of the cables, shape (groups, 4, 3), and origins [m] and axes [1] of the
        surfaces, shape (surfaces, 12).
        """
        c, s, m, own = self.p.points, self.p.points.surfaces, fields.markers[FAMILY], self.p.points.rows[self.first]
        axes = np.einsum("sij,sjk->sik", m.rotation[s.marker], s.Q)
        H = c.H[self.first] if len(c.H) else c.H
        hull = eval_hulls(fields.x, c.dofs[self.first, :CABLE], own["length"] * own["points"], H)
        return hull, np.concatenate((m.position[s.marker], axes.reshape(-1, 9)), axis=1)

    def count_points(self) -> IntArray:
        """Return the number of points of each row, shape (rows,)."""
        n: IntArray = self.p.points.rows["points"]
        return n

    def eval_thickness(self) -> FloatArray:
        """Return the radius [m] of the rope of each group of rows, shape (groups,)."""
        radius: FloatArray = self.p.points.rows["rope_radius"][self.first]
        return radius

    def eval_gaps(self, fields: Fields, group: IntArray, number: IntArray) -> FloatArray:
        """Return the smallest gap [m] between a point and the surface of each pair, shape (pairs,). The gap is `AT_END`
        times the skin if all points are beyond the ends of the surface.
        """
        gap = np.empty(len(group))
        fill_gaps(self.p, self.first[group], number, fields.x, fields.markers[FAMILY], gap)
        return np.where(np.isfinite(gap), gap, AT_END * self.p.skin[self.p.set_of[group]])


class WinchSurfaceSearch(SurfaceSearch):
    """Search for pairs of cables of winch ropes and surfaces, at the present length of the ropes."""

    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the result of `SurfaceSearch.eval_places` for the present length of the ropes."""
        scale_rows(self.p.points, fields.x)
        return super().eval_places(fields)

    def eval_gaps(self, fields: Fields, group: IntArray, number: IntArray) -> FloatArray:
        """Return the result of `SurfaceSearch.eval_gaps` for the present length of the ropes."""
        scale_rows(self.p.points, fields.x)
        return super().eval_gaps(fields, group, number)
