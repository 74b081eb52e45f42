"""Search for contacts between cables. The search is repeated when cables have moved so far that the result of the last
search may be outdated.

A foot is a point of an axis at which the distance from a contact point has a local minimum. A contact slot is the
storage for one contact between a point and a foot.

A search tree of bounding spheres finds the pairs of cables whose gap may be smaller than the search margin ``skin``. A
point has a foot on a near cable at each local minimum of the distance. To find the minima between the ends of a cable,
the search evaluates (r - p).r' at five points of the cubic. If the sign changes from minus to plus between two
successive points, a minimum lies between these points. In addition, the end point of a chain can be a foot. Therefore a
point can have several feet on one chain. A foot on the chain of the point itself is ignored if the arc length between
foot and point is below ``apart``. New feet receive free slots in the order of their distance. Feet in contact keep
their slots.

The largest motion of the four Bézier control points of a cable is an upper bound for the motion of this cable, see
`eval_hulls`. The result of a search is valid while

    2 (largest motion of a cable) < min(skin, smallest gap of a foot without a slot).

Source: L. Verlet, Phys. Rev. 159 (1967) 98-103 (neighbour lists with a skin).
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.geometry import (
    arc_length_of,
    bend_at,
    find_foot,
    gather,
    read_vector,
    slope_at,
    value_at,
    wrap_arc,
)
from windlass.connectors.cable_contact.kernels import (
    FOOT,
    GAP,
    NEW,
    NUMBER,
    OPEN,
    SHARE,
    STATE,
    TOUCHING,
    WIDTH,
    eval_share,
)
from windlass.connectors.cable_contact.update import SAME_FOOT
from windlass.connectors.contact.pair_search import NeighbourSearch, eval_hulls, eval_way
from windlass.connectors.point_contact.search import find_near
from windlass.elements.nodes.vectors import Vector, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields
from windlass.framework.parallel.processes import Processes

PIECES = 4
"""Number of segments into which a cable is divided to separate minima of the distance."""
LEAST_SHARE = 1e-3
"""Smallest share σ of the stiffness [1]. Feet with a smaller share are ignored, because the points of the other cable
carry nearly the whole contact force.
"""


@kernel(fast=False)
def fill_signs(c: NDArray[Any], x: FloatArray, b: int, p: Vector, F: FloatArray) -> None:
    """Write the values of (r - p).r' into F, shape (PIECES + 1,), for the given position p. The points r of the axis of
    cable b divide this axis into `PIECES` pieces of equal length. The last value is computed from the coordinates of
    the node at the end. Therefore it is identical to the first value of the next cable.
    """
    z = gather(x, c[b])
    for k in range(PIECES + 1):
        s = k * c[b].length / PIECES
        r, u = value_at(z, s), slope_at(z, s)
        if k == PIECES:
            r, u = read_vector(x, c[b].dofs, 6), read_vector(x, c[b].dofs, 9)
        d = r[0] - p[0], r[1] - p[1], r[2] - p[2]
        F[k] = dot(d, u)


@kernel
def fill_feet(
    c: NDArray[Any], pairs: IntArray, skin: FloatArray, x: FloatArray, which: IntArray, found: FloatArray
) -> int:
    """Find the feet whose gap is smaller than the skin. These are feet of the points of cable ``pairs[k, 0]`` on cable
    ``pairs[k, 1]``, and feet of the points of cable ``pairs[k, 1]`` on cable ``pairs[k, 0]``.

    Rows of ``which`` contain the cable, the point and the other cable. Rows of ``found`` contain the arc length of the
    foot on the other cable [m], the gap [m] and the share σ [1]. Feet on the chain of the point are ignored if the arc
    length between foot and point is below ``apart``. Feet with a share below `LEAST_SHARE` are ignored, too. Returns
    the number of feet. If the arrays are too small, the remaining feet are counted but not written.
    """
    F, count = np.empty(PIECES + 1), 0
    for k in range(2 * len(pairs)):
        a, b = pairs[k // 2, k % 2], pairs[k // 2, 1 - k % 2]
        if k % 2 == 1 and a == b:
            continue
        za, zb, lb, reach = (
            gather(x, c[a]),
            gather(x, c[b]),
            c[b].length,
            c[a].radius + c[b].radius,
        )
        for j in range(c[a].points):
            # position p of the point, and derivatives of p; F contains (r - p).r' at the ends of the pieces of cable b
            xi = arc_length_of(j, c[a].points, c[a].length)
            p, pa, ka = value_at(za, xi), slope_at(za, xi), bend_at(za, xi)
            fill_signs(c, x, b, p, F)
            # find feet (closest points) within pieces and at the ends of chains
            for m in range(-1, PIECES + 1):
                if m < 0:
                    if c[b].before >= 0 or F[0] <= 0.0:
                        continue
                    s = 0.0
                elif m == PIECES:
                    if c[b].after >= 0 or F[PIECES] > 0.0:
                        continue
                    s = lb
                elif F[m] <= 0.0 < F[m + 1]:
                    low, high = m * lb / PIECES, (m + 1) * lb / PIECES
                    s, _ = find_foot(zb, p, low + (high - low) * F[m] / (F[m] - F[m + 1]), low, high, lb)
                else:
                    continue
                # ignore a foot on the chain of the point if the arc length between them is too small
                along = wrap_arc(c[a].arc + xi - c[b].arc - s, c[b].loop)
                if c[a].chain == c[b].chain and abs(along) < c[a].apart:
                    continue
                # gap at the foot, and share σ of the stiffness for the contact with this foot
                r = value_at(zb, s)
                d = r[0] - p[0], r[1] - p[1], r[2] - p[2]
                gap = sqrt(dot(d, d)) - reach
                share = eval_share((-d[0], -d[1], -d[2]), pa, ka, slope_at(zb, s), bend_at(zb, s))
                if gap >= skin[a] or share < LEAST_SHARE:
                    continue
                if count < len(which):
                    which[count, 0], which[count, 1], which[count, 2] = a, j, b
                    found[count, 0], found[count, 1], found[count, 2] = s, gap, share
                count += 1
    return count


@kernel
def give_places(
    c: NDArray[Any], which: IntArray, found: FloatArray, data: FloatArray, start: FloatArray, left: IntArray
) -> float:
    """Store the contacts with the feet ``found`` in the contact slots of the points. The feet are ordered by cable,
    point and gap. Return the smallest gap [m] of a foot for which no slot is free.

    The array ``left`` receives the index of a foot in contact for which no slot is free, or -1.
    """
    least, first = np.inf, 0
    left[0] = -1
    wanted = np.zeros(TOUCHING, np.bool_)
    for a in range(len(c)):
        for j in range(c[a].points):
            # find the feet of this point, and mark the stored contacts that must be kept: contacts that are closed now
            # or were closed at the start of the step
            base, end = c[a].data + j * TOUCHING * WIDTH, first
            while end < len(which) and which[end, 0] == a and which[end, 1] == j:
                end += 1
            for k in range(TOUCHING):
                at = base + k * WIDTH
                held = start[at + NUMBER] > 0.0 and start[at + STATE] != OPEN
                wanted[k] = data[at + NUMBER] > 0.0 and (held or data[at + GAP] <= 0.0)
            # a foot that already has a stored contact keeps this contact
            for f in range(first, end):
                if find_place(c, which[f, 2], found[f, 0], data, base, wanted) >= 0:
                    continue
                # a foot without a stored contact uses the first free contact slot
                free = -1
                for k in range(TOUCHING):
                    at = base + k * WIDTH
                    reserved = start[at + NUMBER] > 0.0 and start[at + STATE] != OPEN
                    if data[at + NUMBER] == 0.0 and not wanted[k] and not reserved and free < 0:
                        free = k
                if free < 0:
                    least = min(least, found[f, 1])
                    if found[f, 1] <= 0.0:
                        left[0] = f
                    continue
                # store the contact with this foot
                at = base + free * WIDTH
                data[at : at + WIDTH] = 0.0
                data[at + NUMBER], data[at + FOOT], data[at + GAP] = which[f, 2] + 1, found[f, 0], found[f, 1]
                data[at + STATE], data[at + SHARE] = NEW, found[f, 2]
                wanted[free] = True
            # delete the other stored contacts
            for k in range(TOUCHING):
                if not wanted[k]:
                    data[base + k * WIDTH + NUMBER] = 0.0
            first = end
    return least


@kernel(inline=True)
def find_place(c: NDArray[Any], b: int, s: float, data: FloatArray, base: int, wanted: NDArray[np.bool_]) -> int:
    """Find the contact slot of a point that already stores the foot s on cable b, and mark this slot in ``wanted``.
    Return the index of the slot, or -1 if there is no such slot.
    """
    for k in range(TOUCHING):
        at = base + k * WIDTH
        if data[at + NUMBER] > 0.0:
            e = int(data[at + NUMBER]) - 1
            way = wrap_arc(c[e].arc + data[at + FOOT] - c[b].arc - s, c[b].loop)
            if c[e].chain == c[b].chain and abs(way) < SAME_FOOT * c[b].length:
                wanted[k] = True
                return k
    return -1


class CableSearch(NeighbourSearch):
    """Search for feet. Before a search, the feet of stored contacts must be updated.

    Attributes:
        c: the cables, of all processes.
        skin: search margin of each cable [m], shape (rows,).
        group: set of each cable, shape (rows,).
        left: for each contact slot, the index of the other cable after the last update, counted from 1, shape (slots,).
    """

    def __init__(self, c: NDArray[Any], name: str, processes: Processes, skin: FloatArray, group: IntArray) -> None:
        super().__init__(name, processes)
        self.c, self.skin, self.group, self.left = c, skin, group, np.zeros(0)

    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the control points [m] of all cables twice: as cables, and as possible partners of these cables."""
        hull = eval_hulls(fields.x, self.c["dofs"], self.c["length"])
        return hull, hull

    def eval_motion(self, hull: FloatArray, centre: FloatArray) -> float:
        """Return twice the largest motion [m] of a cable since the last search."""
        return 2.0 * eval_way(hull, self.hull)

    def give_places(self, fields: Fields) -> float:
        """Store the contacts with near feet. Return the smaller of two lengths [m]: the skin, and the smallest gap of a
        foot for which no contact slot is free.

        Raises:
            ModelError: cables penetrate each other by more than the smaller radius in the first search, or a point has
                more than `TOUCHING` closed contacts.
        """
        which, found = self._find_feet(fields, self._find_pairs())
        if self.searches == 1:
            self._check_depth(which, found)
        left = np.full(1, -1)
        least = float(give_places(self.c, which, found, fields.data, fields.start_data, left))
        if left[0] >= 0:
            raise ModelError(
                f"the cable of {self.name} row {which[left[0], 0]} has more than {TOUCHING} contacts at one point: "
                f"must be at most {TOUCHING}; distribute thin cables around a thick one over several sets"
            )
        return min(float(self.skin.min(initial=np.inf)), least)

    def _find_pairs(self) -> IntArray:
        """Return the pairs of cables in the same set whose bounding spheres are closer than the skin, as rows of the
        two cables, shape (k, 2). Each cable also forms a pair with itself.

        With several processes, each process finds only the pairs that contain a cable whose points this process
        evaluates.
        """
        middle = 0.5 * (self.hull[:, 0] + self.hull[:, 3])
        reach = np.linalg.norm(self.hull - middle[:, None], axis=2).max(axis=1, initial=0.0) + self.c["radius"]
        own = self.c["points"] > 0
        parts = [np.repeat(np.flatnonzero(own)[:, None], 2, axis=1)]
        for number in np.unique(self.group[own]):
            rows = np.flatnonzero(self.group == number)
            skin, chosen = float(self.skin[rows[0]]), None if own[rows].all() else (own[rows], ~own[rows])
            parts.append(rows[find_near(middle[rows], reach[rows], skin, chosen)])
        return np.ascontiguousarray(np.concatenate(parts))

    def _find_feet(self, fields: Fields, pairs: IntArray) -> tuple[IntArray, FloatArray]:
        """Return the results of `fill_feet`, ordered by cable, point and gap."""
        size = 4 * int(self.c["points"].sum()) + 16
        while True:
            which, found = np.zeros((size, 3), np.int64), np.zeros((size, 3))
            count = fill_feet(self.c, pairs, self.skin, fields.x, which, found)
            if count <= size:
                break
            size = count
        which, found = which[:count], found[:count]
        order = np.lexsort((found[:, 0], which[:, 2], found[:, 1], which[:, 1], which[:, 0]))
        return which[order], found[order]

    def _check_depth(self, which: IntArray, found: FloatArray) -> None:
        """Raise ModelError for cables that penetrate each other by more than the smaller radius at the start."""
        least = np.minimum(self.c["radius"][which[:, 0]], self.c["radius"][which[:, 2]])
        excess = found[:, 1] + least
        for k in np.argsort(excess, kind="stable")[:1]:
            if excess[k] >= 0.0:
                return
            a, j, b = which[k]
            x = arc_length_of(j, float(self.c["points"][a]), self.c["length"][a])
            raise ModelError(
                f"the cables of {self.name} rows {a} and {b} overlap at the start by {-found[k, 1]:.3g} m at x = "
                f"{x:.3g} m of the first cable: must be less than {least[k]:.3g} m, a radius; two parts of one chain "
                "are not in contact if their distance along the chain is less than `apart`"
            )

    def describe_depth(self, at: IntArray, cable: IntArray, data: FloatArray, advice: str) -> list[str]:
        """If the depth of the worst contact exceeds the smaller radius of both cables, return a description of this
        contact. Otherwise return an empty list. The arguments ``at`` and ``cable`` are attributes of `ContactPlaces`.
        """
        other = data[at + NUMBER].astype(np.int64) - 1
        least = np.minimum(self.c["radius"][cable], self.c["radius"][other])
        excess = np.where(other >= 0, -data[at + GAP] - least, 0.0)
        k = int(np.argmax(excess)) if len(excess) else 0
        if not len(excess) or not excess[k] > 0.0:
            return []
        return [
            f"the cables of {self.name} rows {cable[k]} and {other[k]} are inside each other by "
            f"{-data[at[k] + GAP]:.3g} m, more than a radius, {least[k]:.3g} m, and would pass through each other: "
            f"{advice}"
        ]
