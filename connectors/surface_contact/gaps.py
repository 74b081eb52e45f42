"""Gaps between surfaces and points of cables. Solvers use the gaps to check whether time steps resolve contacts. See
`Gaps`.

A step has missed the contact of a point with its surface if three conditions are satisfied. First, the gap is > 0 at
both ends of the step. Second, the angle between the direction of motion of the point and the inward normal is below 70
degrees. Third, the gap is < 0 on a part of the straight path of the point. The path is measured in the frame of the
surface at the end of the step. For sets, surfaces to which no row of a cable refers are also examined if the
displacements of the cable and of a surface in a step together exceed half the skin.

Check of cables that bend over the edge of a plane, such as a sharp crest of a bed.

If a cable bends over an edge, contact forces normal to the planes have a component along the cable. This component
changes the tension in the same way as friction. With the normal force f_n, the normal n of the surface and the tangent
t of the cable at each contact point, the error of the tension after the edge is the magnitude of the sum over the
points of the cable,

    |Σ f_n n·t|.

If the directions of the two planes differ by the angle theta, this error is of the order of theta² times the tension.
Shorter cables do not reduce the error.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from windlass.connectors.contact.gaps import follow_sets, name_points
from windlass.connectors.contact.pair_search import PairRows
from windlass.connectors.contact.rows import eval_cables, relative_place
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.connectors.surface_contact.distances import PLANE, POLYLINE, eval_distance
from windlass.connectors.surface_contact.kernels import (
    ContactRows,
    create_frame,
    eval_touch,
    find_axis_point,
    read_axis,
    to_surface,
)
from windlass.connectors.surface_contact.outputs import FN, NORMAL, TANGENT, eval_points, is_winch, plain_row
from windlass.connectors.surface_contact.update import begin_row
from windlass.connectors.surface_contact.winch_kernels import (
    find_winch_point,
    plain_winch_row,
    read_winch_row,
    scale_rows,
)
from windlass.elements.cable.points import shape
from windlass.elements.nodes.vectors import add, cross
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import Kernel, kernel
from windlass.framework.model.gaps import GAP, MISSED, REACH, START, Gaps, X, Y, Z, create_numbers, note_gap
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Fields

LOOKS = 32
"""Number of equal intervals into which the path of a fast contact point is divided. The distance from the surface is
evaluated at the points between successive intervals.
"""
MOVED = 0.5
"""Sum of the displacements of a cable and a surface in a step, divided by the skin [1]. Above this value, surfaces to
which no row of the cable refers are also examined.
"""
HEAD_ON = 0.35
"""Smallest cosine of the angle between the inward normal and the path of a point for which a contact can be missed [1].
"""


@kernel
def find_missed(
    kind: IntArray,
    geo: FloatArray,
    pieces: FloatArray,
    s: int,
    rc: float,
    ax: float,
    ay: float,
    az: float,
    bx: float,
    by: float,
    bz: float,
) -> float:
    """Return the largest depth [m] behind surface s on the straight path from the point a to the point b, which are
    given in the frame of the surface [m]. The depth is 0 if the gap is nowhere negative or the path is not directed at
    the surface (`HEAD_ON`). The radius of the cable is rc [m].
    """
    ex, ey, ez = bx - ax, by - ay, bz - az
    way, before = sqrt(ex * ex + ey * ey + ez * ez), eval_distance(kind, geo, pieces, s, ax, ay, az)
    least = 0.0
    if -(ex * before.nx + ey * before.ny + ez * before.nz) < HEAD_ON * way:
        return least
    for j in range(1, LOOKS):
        share = j / LOOKS
        between = eval_distance(kind, geo, pieces, s, ax + share * ex, ay + share * ey, az + share * ez)
        if between.there:
            least = min(least, between.phi - rc)
    return -least


def create_gap_filling(begin: Kernel, plain: Kernel, find: Kernel) -> Kernel:
    """Create the kernel ``(c, m, x, v, numbers)`` that writes the gap quantities of all points into ``numbers``, row by
    row. Inactive points and points beyond the end of their surface have an infinite gap. `create_filling` describes the
    arguments.
    """

    @kernel(inline=True)
    def fill(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, numbers: FloatArray) -> None:
        kind, geo, pieces, at = c.surfaces.kind, c.surfaces.geo, c.surfaces.pieces, 0
        for i in range(len(c.rows)):
            own = c.rows[i]
            n, s, rc = own.points, own.surface, own.rope_radius
            if not own.active:
                for k in range(n):
                    numbers[at + k, GAP], numbers[at + k, X] = np.inf, np.nan
                at += n
                continue
            r = begin(c, m, x, v, i, own)
            o = plain(r).o
            for k in range(n):
                (_, z, h), row = find(c, r, i, k, own), numbers[at]
                at += 1
                # velocity relative to the origin of the surface, without the rotation of the surface
                ex, ey, ez = add((z.ex, z.ey, z.ez), cross((o.wx, o.wy, o.wz), (z.dx, z.dy, z.dz)))
                rate, speed = h.nx * z.U + h.ny * z.V + h.nz * z.W, sqrt(ex * ex + ey * ey + ez * ez)
                note_gap(row, h.phi - rc if h.there else np.inf, rate, speed)
                row[REACH], row[X], row[Y], row[Z] = 0.0, z.dx, z.dy, z.dz
                g0, g1 = row[START + GAP], h.phi - rc
                # the path is examined only if the point is open at both ends of the step and values at the start exist
                if not (g0 > 0.0 and g1 > 0.0):
                    continue
                ax, ay, az = to_surface(o, row[START + X], row[START + Y], row[START + Z])
                ex, ey, ez = z.X - ax, z.Y - ay, z.Z - az
                way = sqrt(ex * ex + ey * ey + ez * ez)
                # the change of a distance is at most the length of the path
                if not g1 < way < np.inf:
                    continue
                # the distance at the start is also evaluated for points beyond the ends of the surface
                if not h.there or g0 == np.inf:
                    g0 = eval_distance(kind, geo, pieces, s, ax, ay, az).phi - rc
                if not (g0 > 0.0 and g0 + g1 < way):
                    continue
                row[MISSED] = row[REACH] = find_missed(kind, geo, pieces, s, rc, ax, ay, az, z.X, z.Y, z.Z)
                if row[MISSED] > 0.0:
                    row[START + GAP], row[GAP] = g0, g1

    return fill


_fill_gaps = create_gap_filling(begin_row, plain_row, find_axis_point)
_fill_winch_gaps = create_gap_filling(read_winch_row, plain_winch_row, find_winch_point)


@kernel
def fill_surface_gaps(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, numbers: FloatArray) -> None:
    """Write the gap quantities of all points, see `create_gap_filling`."""
    _fill_gaps(c, m, x, v, numbers)


@kernel
def fill_winch_gaps(c: ContactRows, m: PositionMarkers, x: FloatArray, v: FloatArray, numbers: FloatArray) -> None:
    """Write the gap quantities of all points of winch ropes, see `create_gap_filling`."""
    _fill_winch_gaps(c, m, x, v, numbers)


@kernel
def sweep_surfaces(
    p: PairRows,
    first: IntArray,
    x: FloatArray,
    start: FloatArray,
    m: PositionMarkers,
    m0: PositionMarkers,
    row: FloatArray,
    which: IntArray,
) -> None:
    """Find, among the passages of contact points through surfaces of their set within a step, the passage with the
    greatest depth. Write the gap quantities of the point into ``row``. Write the index of the contact row that contains
    the point into ``which[0]``, and the index of the surface, counted from 1, into ``which[1]``. `sweep_circles`
    describes the other arguments.
    """
    c, s, place, place0 = p.points, p.points.surfaces, m.position, m0.position
    row[MISSED] = 0.0
    # largest displacement of a marker of the surfaces
    far = 0.0
    for j in range(len(s.kind)):
        at = s.marker[j]
        cx, cy, cz = place[at, 0] - place0[at, 0], place[at, 1] - place0[at, 1], place[at, 2] - place0[at, 2]
        far = max(far, sqrt(cx * cx + cy * cy + cz * cz))
    for g in range(len(first)):
        i = first[g]
        own = c.rows[i]
        n, L, rc, skin = own.points, own.length * own.points, own.rope_radius, p.skin[p.set_of[g]]
        if not p.on[i]:
            continue
        # largest motion of the control points of the cable, and largest distance of a control point from the first
        # control point
        q, q0, way, size = read_axis(c, x, i), read_axis(c, start, i), 0.0, 0.0
        for k in range(4):
            square, wide = 0.0, 0.0
            for d in range(3):
                a, b = q[6 * (k // 2) + d], q0[6 * (k // 2) + d]
                if k % 2 == 1:
                    third = L / 3.0 if k == 1 else -L / 3.0
                    a, b = a + third * q[6 * (k // 2) + 3 + d], b + third * q0[6 * (k // 2) + 3 + d]
                square, wide = square + (a - b) ** 2, wide + (a - q[d]) ** 2
            way, size = max(way, sqrt(square)), max(size, sqrt(wide))
        if way + far <= MOVED * skin:
            continue
        for j in range(len(s.kind)):
            # skip surfaces of other sets and surfaces that are too far away
            if p.member_set[j + 1] != p.set_of[g]:
                continue
            at = s.marker[j]
            cx, cy, cz = place[at, 0] - place0[at, 0], place[at, 1] - place0[at, 1], place[at, 2] - place0[at, 2]
            both = way + sqrt(cx * cx + cy * cy + cz * cz)
            dx, dy, dz = q[0] - place[at, 0], q[1] - place[at, 1], q[2] - place[at, 2]
            if sqrt(dx * dx + dy * dy + dz * dz) > p.reach[j + 1] + rc + size + both:
                continue
            o = create_frame(s.Q, j, m.position, m.velocity, m.angular_velocity, m.rotation, at)
            # paths of the points in the frame of the surface
            for k in range(n):
                S = shape(relative_place(k, n), L)
                z0, z = eval_touch(o, S, q0, q0), eval_touch(o, S, q, q)
                # points at the start of the step, relative to the origin of the surface at the start
                dx, dy, dz = z0.dx + cx, z0.dy + cy, z0.dz + cz
                ax, ay, az = to_surface(o, dx, dy, dz)
                g0 = eval_distance(s.kind, s.geo, s.pieces, j, ax, ay, az).phi - rc
                g1 = eval_distance(s.kind, s.geo, s.pieces, j, z.X, z.Y, z.Z).phi - rc
                if not (0.0 < g0 < np.inf and 0.0 < g1 < np.inf and g0 + g1 < both):
                    continue
                # largest depth on the path
                missed = find_missed(s.kind, s.geo, s.pieces, j, rc, ax, ay, az, z.X, z.Y, z.Z)
                if missed > row[MISSED]:
                    row[START + GAP], row[START + X], row[START + Y], row[START + Z] = g0, dx, dy, dz
                    row[GAP], row[X], row[Y], row[Z] = g1, z.dx, z.dy, z.dz
                    row[MISSED] = row[REACH] = missed
                    which[0], which[1] = i, j + 1


@kernel
def sweep_winch_surfaces(
    p: PairRows, first: IntArray, x: FloatArray, start: FloatArray, m: PositionMarkers, m0: PositionMarkers,
    row: FloatArray, which: IntArray,
) -> None:  # fmt: skip
    """Find the passage that `sweep_surfaces` describes, for points of winch ropes."""
    scale_rows(p.points, x)
    sweep_surfaces(p, first, x, start, m, m0, row, which)


def watch_surface_sets(rows: LocalRows, p: PairRows, assign: Callable[[Any], Any]) -> Gaps:
    """Create the `Gaps` of rows with surface sets. The function ``assign`` assigns rows to their current surfaces."""
    c, fill = p.points, call(fill_winch_gaps if is_winch(p.points) else fill_surface_gaps)

    def measure(s: Any, m: Any, x: FloatArray, v: FloatArray, numbers: FloatArray) -> None:
        fill(c, m, x, v, numbers)

    gaps, n = watch_surfaces(rows, c, FAMILY, spare=1), c.rows["points"].copy()
    sweep = call(sweep_winch_surfaces if is_winch(c) else sweep_surfaces)
    return follow_sets(rows, gaps, p, n, assign, measure, sweep, "surface", "SetSurface")


def watch_surfaces(rows: LocalRows, c: ContactRows, family: str, spare: int = 0) -> Gaps:
    """Create the `Gaps` of rows. The array of gap quantities has one row for each point and ``spare`` further rows. The
    argument ``family`` is the family of the markers.
    """
    numbers = create_numbers(int(c.rows["points"].sum()) + spare)
    fill = call(
        fill_winch_gaps if is_winch(c) else fill_surface_gaps, lambda s: (c, s.markers[family], s.x, s.v, numbers)
    )
    return Gaps(fill, numbers, name_points(rows, c.rows["points"]), weighed=True)


PULL = 0.004
"""Error of the tension due to an edge, divided by the tension of the cable [1]. Above this value, results are doubtful.
In test models with crests of 3 to 25 degrees, the value was at least 0.0049 if tensions had errors above 1 %. On level
beds the value was below 2e-5.
"""


def find_edges(rows: LocalRows, c: ContactRows, surfaces: IntArray, fields: Fields, step: float) -> list[str]:
    """In static solves, compute for each cable the ratio of the axial force that the edge of a plane causes to the
    tension of the cable. Return a message about the cable with the largest ratio if the ratio exceeds `PULL`. See
    `Checks.reasons`.

    On several processes the check is omitted, because different processes may have rows of the same cable.

    Args:
        surfaces: entity indices of the surfaces of ``c``, shape (surfaces,).
    """
    if step > 0.0 or rows.layout.size > 1 or not len(rows.rows):
        return []
    geo, at = c.surfaces.geo, c.rows["surface"]
    ends = (c.surfaces.kind == PLANE) & np.isfinite(geo[:, 1:3]).any(axis=1) | (c.surfaces.kind == POLYLINE)
    cables, of_row = np.unique(rows.local("cable"), return_inverse=True)
    points = eval_points(c, fields)
    force = points[..., FN]
    bent = np.bincount(of_row, ends[at] & force.any(axis=1)) > 0.0
    if not bent.any():
        return []
    x = np.minimum(np.arange(force.shape[1]) + 0.5, c.rows["points"][:, None] - 0.5) * c.rows["length"][:, None]
    if is_winch(c):
        tension, tangent = eval_cables(rows, "axial_force", fields)[:, None], points[..., TANGENT]
    else:
        tension, tangent = (eval_cables(rows, name, fields, x=x) for name in ("axial_force", "director"))
        tangent /= np.linalg.norm(tangent, axis=2, keepdims=True)
    pulls = (force * (points[..., NORMAL] * tangent).sum(axis=2)).sum(axis=1)
    pull = np.abs(np.bincount(of_row, pulls))
    # the error is divided by the tension or by the sum of the contact forces, whichever is larger, because the tension
    # of slack cables is small
    least = np.bincount(of_row, np.abs(force).sum(axis=1))
    mean = np.bincount(of_row, tension.mean(axis=1)) / np.bincount(of_row)
    share = np.where(bent, pull / np.maximum(np.maximum(mean, least), np.finfo(float).tiny), 0.0)
    worst = int(np.argmax(share))
    if share[worst] <= PULL:
        return []
    mine = np.flatnonzero((of_row == worst) & ends[at])
    both = surfaces[at[mine[np.argmax(np.abs(pulls[mine]))]]], cables[worst]
    edge, cable = (one.table.describe(int(one.rows[0])) for one in (rows.world.entity(int(k)) for k in both))
    return [
        f"the edge of {edge} pulls {cable} along its axis by {pull[worst]:.3g} N at a tension of {mean[worst]:.3g} N: "
        "tensions beyond the edge may have an equal error; round the edge by a drum with a radius of about four cable "
        "lengths, on beds with rounding= of add_bed"
    ]
