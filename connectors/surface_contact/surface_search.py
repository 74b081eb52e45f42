"""Search for the surfaces of a set that cables may touch. The number of rows is constant, but the surface of a row
changes; see `pair_search.PairSearch`.

A search tree of the middles of the cables finds cables near surfaces with a bounding sphere. Infinite surfaces (a sea
bed) are compared with all cables. Such a pair is near if a point of its cable is closer to the surface than the skin.
It is also near if all points of its cable are beyond the ends of the surface, because a point may then move onto the
surface. The motion of a surface is bounded by the motion of its origin plus the motion of its bounding sphere due to
rotation. Rotation about the axis of a surface of revolution is ignored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.pair_search import PairSearch
from windlass.connectors.contact.rows import relative_place
from windlass.connectors.markers.position_kernels import FAMILY, PositionColumns
from windlass.connectors.surface_contact.distances import LINE, PLANE, PROFILE, SHEAVE, SPHERE, Geometry, eval_distance
from windlass.connectors.surface_contact.kernels import ContactRows, create_frame, eval_touch, gather
from windlass.elements.cable2d.points import shape
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields

AT_END = 1e-3
"""Gap, divided by the skin [1], of a pair whose cable has all points beyond the ends of the surface. The gap is small,
because a point may move past an end at any time. It is > 0, so a pair without a row does not require a search in each
update.
"""


class SurfacePairs(NamedTuple):
    """Data of the rows of the law with surface sets."""

    # data of the kernels; the history values determine ``surface``, ``active`` and the coordinates of the surface
    points: ContactRows
    on: NDArray[np.bool_]  # whether a row is switched on, shape (rows,)
    number: IntArray  # current surface of each row, counted from 1, 0 without surface, -1 initially, shape (rows,)
    place: IntArray  # index of the history value that contains the surface of each row, shape (rows,)
    group: IntArray  # group of each row; the rows of one cable and one set are a group, shape (rows,)
    set_of: IntArray  # set of each group, shape (groups,)
    dofs: IntArray  # local coordinate indices of surfaces, shape (surfaces + 1, m); [0]: no surface
    surface_set: IntArray  # set of each surface, shape (surfaces,)
    reach: FloatArray  # radius of the bounding sphere of each surface about its origin [m], inf if unbounded
    skin: FloatArray  # search margin of each set [m]


def eval_reach(s: Geometry) -> FloatArray:
    """Return the radii of the bounding spheres of surfaces about their origins [m], inf for unbounded surfaces."""
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


@kernel
def assign_surfaces(p: SurfacePairs, data: FloatArray) -> bool:
    """Assign rows to the surfaces whose numbers are in the history values of the rows; return whether the surface of
    any row has changed.
    """
    changed, c = False, p.points
    first = c.dofs.shape[1] - p.dofs.shape[1]
    for i in range(len(p.number)):
        number = int(data[p.place[i]])
        if number == p.number[i]:
            continue
        changed = True
        p.number[i] = number
        c.rows[i].surface, c.rows[i].active = max(number - 1, 0), p.on[i] and number > 0
        for a in range(p.dofs.shape[1]):
            c.dofs[i, first + a] = p.dofs[number, a]
    return changed


@kernel
def bring_surfaces(p: SurfacePairs, data: FloatArray) -> None:
    """Call `assign_surfaces` without a result, as a part of a `Program`."""
    assign_surfaces(p, data)


@kernel
def fill_hulls(c: ContactRows, row: IntArray, x: FloatArray, hull: FloatArray) -> None:
    """Write the control points [m] of the cables of the given rows into ``hull``, shape (rows, 4, 3)."""
    for k in range(len(row)):
        i = row[k]
        q, third = gather(x, c.dofs, i), c.rows[i].length * c.rows[i].points / 3.0
        for d in range(3):
            hull[k, 0, d], hull[k, 3, d] = q[d], q[6 + d]
            hull[k, 1, d], hull[k, 2, d] = q[d] + third * q[3 + d], q[6 + d] - third * q[9 + d]


@kernel
def fill_gaps(
    p: SurfacePairs, row: IntArray, number: IntArray, x: FloatArray, m: PositionColumns, out: FloatArray
) -> None:
    """Write the smallest gap between the points of each row and a surface [m] into ``out``, shape (pairs,). The value
    is inf if all points are beyond the ends of the surface.
    """
    c, s = p.points, p.points.surfaces
    for k in range(len(row)):
        i, j, least = row[k], number[k] - 1, np.inf
        # smallest gap of the points of the cable within the extent of the surface
        o = create_frame(s.Q, j, m.p, m.v, m.omega, m.A, s.marker[j])
        q = gather(x, c.dofs, i)
        for point in range(c.rows[i].points):
            z = eval_touch(o, shape(relative_place(point, c.rows[i].points), c.rows[i].length * c.rows[i].points), q, q)
            h = eval_distance(s.kind, s.geo, s.pieces, j, z.X, z.Y, z.Z)
            if h.there:
                least = min(least, h.phi - c.rows[i].rope_radius)
        out[k] = least


class SurfaceSearch(PairSearch):
    """The search for pairs of cables and surfaces."""

    p: SurfacePairs
    things = "surfaces"

    def eval_motion(self, fields: Fields) -> float:
        """Return the sum of the largest motions of a cable and of a surface since the last search [m]."""
        hull, centre = self.eval_places(fields)
        s, before = self.p.points.surfaces, self.centre
        cables = float(np.linalg.norm(hull - self.hull, axis=2).max(initial=0.0))
        turned = np.where((s.kind == PLANE)[:, None, None], 1.0, (0.0, 0.0, 1.0)) * (centre - before)[:, 3:].reshape(
            -1, 3, 3
        )
        far = np.full(len(s.kind), 1.0)
        endless = ~np.isfinite(self.p.reach)
        if endless.any():
            lo, hi = hull.min(axis=(0, 1)), hull.max(axis=(0, 1))
            far[endless] = np.linalg.norm(np.maximum(hi - before[endless, :3], before[endless, :3] - lo), axis=1)
        far[~endless] = self.p.reach[~endless]
        moved = np.linalg.norm((centre - before)[:, :3], axis=1) + np.linalg.norm(turned, axis=(1, 2)) * far
        return cables + float(moved.max(initial=0.0))

    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the control points of the cables [m], shape (groups, 4, 3), and origins [m] and axes [1] of the
        surfaces, shape (surfaces, 12).
        """
        s, m = self.p.points.surfaces, fields.markers[FAMILY]
        hull = np.zeros((len(self.first), 4, 3))
        fill_hulls(self.p.points, self.first, fields.x, hull)
        axes = np.einsum("sij,sjk->sik", m.A[s.marker], s.Q)
        return hull, np.concatenate((m.p[s.marker], axes.reshape(-1, 9)), axis=1)

    def find_values(self) -> tuple[IntArray, IntArray]:
        """See `PairSearch.find_values`."""
        own = self.p.points.rows
        return own["data"].copy(), own["points"].copy()

    def find_near(self, fields: Fields) -> tuple[IntArray, IntArray, FloatArray]:
        """Return groups, surfaces and gaps [m] of all near pairs, shape (pairs,) each."""
        p, rope = self.p, self.p.points.rows["rope_radius"][self.first]
        group, number = self.find_candidates(self.hull, rope, self.centre[:, :3], p.reach, p.surface_set)
        gap = np.empty(len(group))
        fill_gaps(p, self.first[group], number, fields.x, fields.markers[FAMILY], gap)
        skin = p.skin[p.set_of[group]]
        # a point beyond the end of a surface may move past this end at any time, and then has a small gap
        gap = np.where(np.isfinite(gap), gap, AT_END * skin)
        near = gap < skin
        return group[near], number[near], gap[near]
