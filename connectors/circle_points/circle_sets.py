"""Which circles of a set the cables may touch now: pairs that change, in rows that stay.

A row is a place of a cable where it may touch one circle of its set; several rows of one cable are several places.
Which circle that is stands in the history values of the row, after those of its points: its number, from 1, or 0 for
none.  So a state, a checkpoint and a repeated step have their pairs with them, and kernels see rows as ever.

Pairs are sought between Newton runs, before their history is updated, as only there a point can close.  Then every pair
closer than the skin gets a place, the nearest first; what is closed keeps its own.  The list stays valid while

    (largest motion of a cable) + (largest motion of a circle) < smallest gap of a pair without a place.

A cable lies within the hull of the control points of its cubic, r0, r0 + L/3 r'0, r1 - L/3 r'1, r1, so that none of its
points has moved farther than one of these; points at an offset y, by at most 2 |y| more.

Source: L. Verlet, Phys. Rev. 159 (1967) 98-103 (neighbour lists with a skin); control points: G. Farin, Curves and
Surfaces for CAGD, Morgan Kaufmann (2002), chapter 4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.circle_points.kernels import PointColumns, eval_point, gather, place_of, shape, shape_rate
from windlass.connectors.circle_segments.friction import UNDEFINED
from windlass.connectors.markers.position_kernels import FAMILY as CIRCLE_FAMILY
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import Tables
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Fields, NeighbourPattern
from windlass.framework.parallel.processes import Processes

OPEN_GAP = 0.1
"""Stored gap of a point that has never been looked at [m], as at the start of all laws of contact with circles."""
ROUNDING = 1e-9
"""Share of a margin that rounding may take."""


def find_members(world: Tables, member: type[Component], thing: str, of: str) -> tuple[IntArray, IntArray]:
    """World coordinate numbers of all members of sets, as many as the widest one has, and their sets.

    Args:
        world: the world.
        member: component of the members.
        thing: its column with what has the coordinates, such as ``"circle"``.
        of: its column with the set.
    """
    table = world.tables.get(member)
    if table is None or not table.count:
        return np.zeros((0, 0), np.int64), np.zeros(0, np.int64)
    numbers = world.dofs_of(table.local(thing))
    used = np.flatnonzero((numbers >= 0).any(axis=0))
    return numbers[:, : int(used[-1]) + 1 if len(used) else 0], table.local(of)


def pair_dofs(cable: IntArray, sets: IntArray, members: IntArray, of_set: IntArray) -> IntArray:
    """World coordinate numbers of rows: of the cable, and of one of the members of its set, -1 for none.

    The first cables have the first member and so on: so the numbering knows that many rows couple each member, and the
    choice of a linear solver sees what a tangent will look like, before any pair is known.

    Args:
        cable: those of the cables, shape (rows, c).
        sets: set of each row, shape (rows,).
        members, of_set: see `find_members`.
    """
    numbers = np.full((len(cable), members.shape[1]), -1)
    for one in np.unique(sets):
        rows, own = np.flatnonzero(sets == one), np.flatnonzero(of_set == one)
        if len(own):
            numbers[rows] = members[own[np.arange(len(rows)) * len(own) // len(rows)]]
    return np.concatenate((cable, numbers), axis=1)


class PairColumns(NamedTuple):
    """Rows of a law with circle sets.

    Attributes:
        points: what the kernels of the law read; ``circle``, ``r``, ``active`` and the coordinates of the circle follow
            the history values.
        on: whether a row is switched on, shape (rows,).
        number: number of the circle that a row is bound to at present, 0 for none, -1 at first, shape (rows,).
        place: place of that number among the history values, shape (rows,).
        group: rows of one cable and one set have the same number, shape (rows,).
        set_of: set of each group, shape (groups,).
        marker, radius, dofs, circle_set: by number of the circle, 0 for none: position in the columns of the markers,
            radius [m], local coordinate numbers, and set, shapes (circles + 1,) and (circles + 1, m).
        skin: margin of the search by set [m].
    """

    points: PointColumns
    on: NDArray[np.bool_]
    number: IntArray
    place: IntArray
    group: IntArray
    set_of: IntArray
    marker: IntArray
    radius: FloatArray
    dofs: IntArray
    circle_set: IntArray
    skin: FloatArray


@kernel
def take_pairs(p: PairColumns, data: FloatArray) -> bool:
    """Bind rows to the circles that the history values name; whether any was bound to another one before."""
    changed, c = False, p.points
    for i in range(len(p.number)):
        number = int(data[p.place[i]])
        if number == p.number[i]:
            continue
        changed = True
        p.number[i] = number
        c.circle[i], c.r[i], c.active[i] = p.marker[number], p.radius[number], p.on[i] and number > 0
        for a in range(p.dofs.shape[1]):
            c.dofs[i, 8 + a] = p.dofs[number, a]
    return changed


@kernel
def fill_hulls(c: PointColumns, row: IntArray, x: FloatArray, hull: FloatArray) -> None:
    """Control points [m] of the cables of some rows, shape (rows, 8)."""
    for k in range(len(row)):
        i = row[k]
        q, third = gather(x, c.dofs, i), c.L[i] * c.n[i] / 3.0
        hull[k, 0], hull[k, 1], hull[k, 6], hull[k, 7] = q[0], q[1], q[4], q[5]
        hull[k, 2], hull[k, 3] = q[0] + third * q[2], q[1] + third * q[3]
        hull[k, 4], hull[k, 5] = q[4] - third * q[6], q[5] - third * q[7]


@kernel
def find_motion(
    c: PointColumns,
    row: IntArray,
    x: FloatArray,
    hull: FloatArray,
    position: FloatArray,
    marker: IntArray,
    start: FloatArray,
) -> float:
    """Largest motion of a cable since its hull was noted and of a circle since its centre was, summed [m]."""
    now, cables, circles = np.empty((1, 8)), 0.0, 0.0
    for k in range(len(row)):
        fill_hulls(c, row[k : k + 1], x, now)
        for a in range(4):
            dx, dy = now[0, 2 * a] - hull[k, 2 * a], now[0, 2 * a + 1] - hull[k, 2 * a + 1]
            cables = max(cables, dx * dx + dy * dy)
    for k in range(len(marker)):
        dx, dy = position[marker[k], 0] - start[k, 0], position[marker[k], 1] - start[k, 1]
        circles = max(circles, dx * dx + dy * dy)
    return float(np.sqrt(cables) + np.sqrt(circles))


@kernel
def fill_pair_gaps(
    p: PairColumns, row: IntArray, number: IntArray, x: FloatArray, centre: FloatArray, out: FloatArray
) -> None:
    """Smallest gap [m] of the points of each row ``row`` to the circle ``number``, shape (pairs,)."""
    c = p.points
    for k in range(len(row)):
        i, m = row[k], p.marker[number[k]]
        n, q, least = c.n[i], gather(x, c.dofs, i), np.inf
        for j in range(n):
            s = place_of(j, n)
            z = eval_point(shape(s, c.L[i] * n), shape_rate(s, c.L[i] * n), c.offset[i], q, q)
            dx, dy = z.px - centre[m, 0], z.py - centre[m, 1]
            least = min(least, dx * dx + dy * dy)
        out[k] = np.sqrt(least) - p.radius[number[k]]


@kernel
def find_closed(p: PairColumns, data: FloatArray, start: FloatArray, closed: NDArray[np.bool_]) -> None:
    """Which rows are closed, or were at the start of the step, with the circle that they have now, shape (rows,)."""
    c = p.points
    for i in range(len(c.n)):
        first, number = c.data[i], data[p.place[i]]
        closed[i] = False
        for at in range(first, first + c.n[i]):
            closed[i] |= number > 0.0 and (data[at] <= 0.0 or (start[at] <= 0.0 and start[p.place[i]] == number))


@dataclass
class PairSearch(ABC):
    """The search for pairs, and what it keeps until the next one; of circles, see `CircleSearch`, or of other things.

    Attributes:
        p: the rows: `PairColumns`, or others with ``points``, ``place``, ``group``, ``dofs`` and ``skin``.
        name, rows: their component and their numbers in its table, for messages.
        processes: those that search together, each for its own rows.
        first: the first row of each group, shape (groups,).
        slots: number of rows of each group, shape (groups,).
        searches: number of searches so far.
        forgotten: whether the next update searches in any case.
        margin: motion up to which the list is valid [m].
        given: numbers of the circles that the last search left, shape (rows,).
        hull, centre: control points of the cables and centres of the circles at that time [m].
    """

    p: Any
    name: str
    rows: IntArray
    processes: Processes
    first: IntArray
    slots: IntArray
    searches: int = 0
    forgotten: bool = True
    margin: float = 0.0
    given: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    hull: FloatArray = field(default_factory=lambda: np.zeros((0, 8)))
    centre: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    things = "circles"

    @abstractmethod
    def eval_motion(self, fields: Fields) -> float:
        """Largest motion of a cable and of what it may touch since the last search, summed [m]."""

    @abstractmethod
    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Control points of the cables and places of what they may touch [m]; stored as ``hull`` and ``centre``."""

    @abstractmethod
    def find_near(self, fields: Fields) -> tuple[IntArray, IntArray, FloatArray]:
        """Groups, numbers of what they may touch, and gaps [m] of all pairs closer than the skin, shape (pairs,)."""

    def eval_slack(self) -> float:
        """What a point may move more than the control points of its cable [m]."""
        return 0.0

    def update(self, fields: Fields) -> None:
        """Write the pairs into the history values, after a search if the last one may have become incomplete.

        All processes search when one has to.

        Raises:
            ModelError: a cable touches more circles than it has rows.
        """
        known = not self.forgotten and np.array_equal(self.given, fields.data[self.p.place])
        if not self.processes.any(not (known and self.eval_motion(fields) < self.margin)):
            return
        hull, centre = self.eval_places(fields)
        if not self.processes.all(bool(np.isfinite(hull).all() and np.isfinite(centre).all())):
            # Newton's method diverges; the solver notices it by the residual
            return
        self.hull, self.centre, self.forgotten = hull, centre, False
        self.searches += 1
        error = None
        try:
            self._give_places(fields, *self.find_near(fields))
        except ModelError as found:
            error = found
        self.processes.agree(error)
        self.margin = -self.processes.largest([-self.margin])[0]
        self.given = fields.data[self.p.place].astype(np.int64)

    def _give_places(self, fields: Fields, group: IntArray, number: IntArray, gap: FloatArray) -> None:
        """Give the pairs places in the rows of their groups: first what is closed, then the nearest."""
        p, data, many = self.p, fields.data, len(self.p.dofs)
        closed = np.zeros(len(p.place), dtype=bool)
        find_closed(p, data, fields.start_data, closed)
        has = p.group * many + data[p.place].astype(np.int64)
        pairs = group * many + number
        held = np.unique(has[closed])
        new = ~np.isin(pairs, held)
        pairs = np.concatenate((held, pairs[new]))
        order = np.concatenate((np.full(len(held), -np.inf), gap[new]))
        sequence = np.lexsort((pairs, order, pairs // many))
        pairs, order = pairs[sequence], order[sequence]
        wanted = _rank(pairs // many) < self.slots[pairs // many]
        # a pair without a place may not touch before the next search
        left = pairs[~wanted] // many
        touching = np.flatnonzero(order[~wanted] <= 0.0)
        if len(touching):
            row = self.first[left[touching[0]]]
            raise ModelError(
                f"the cable of {self.name} row {self.rows[row]} touches more {self.things} than the "
                f"{self.slots[left[touching[0]]]} for which it has rows: give more rows, see `touching`"
            )
        least = min(float(p.skin.min(initial=np.inf)), float(order[~wanted].min(initial=np.inf)))
        size = max(float(np.abs(self.hull).max(initial=0.0)), float(np.abs(self.centre).max(initial=0.0)))
        self.margin = (1.0 - ROUNDING) * least - self.eval_slack() - 1e-12 * size
        # rows keep their circles as long as these are wanted; the others take what has no row yet
        idle = ~closed & ~np.isin(has, pairs[wanted])
        data[p.place[idle]] = 0.0
        missing = np.sort(pairs[wanted][~np.isin(pairs[wanted], has)])
        free = np.flatnonzero(~closed & (data[p.place] == 0.0))
        free = free[np.argsort(p.group[free], kind="stable")]
        most = len(p.place)
        _, at, of = np.intersect1d(
            p.group[free] * most + _rank(p.group[free]), missing // many * most + _rank(missing // many),
            assume_unique=True, return_indices=True,
        )  # fmt: skip
        rows = free[at]
        data[p.place[rows]] = missing[of] % many
        for k in rows:
            first, n = p.points.data[k], p.points.n[k]
            data[first : first + n], data[first + n : first + 2 * n] = OPEN_GAP, UNDEFINED


def create_follow(p: Any, take: Any, pattern: NeighbourPattern, processes: Processes) -> Callable[[Fields], None]:
    """A function that binds rows to what the history values name, for `System.update`; all processes call it together.

    The version of the pattern rises if rows of any process have changed since the last call.

    Args:
        p: the rows, see `PairSearch`.
        take: ``(p, data)`` binds them.
        pattern: that of their system.
        processes: the processes.
    """
    coupled = p.number.copy()

    def follow(s: Fields) -> None:
        take(p, s.data)
        # outputs and accounts may have bound rows in between, without a change of the pattern
        if processes.any(not np.array_equal(p.number, coupled)):
            coupled[:] = p.number
            pattern.version += 1

    return follow


class CircleSearch(PairSearch):
    """The search for pairs of cables and circles."""

    def eval_motion(self, fields: Fields) -> float:
        """Largest motion of a cable and of a circle since the last search, summed [m]."""
        p, position = self.p, fields.markers[CIRCLE_FAMILY].p
        return find_motion(p.points, self.first, fields.x, self.hull, position, p.marker[1:], self.centre)

    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Control points of the cables and centres of the circles [m]."""
        hull, centre = np.zeros((len(self.first), 8)), fields.markers[CIRCLE_FAMILY].p[self.p.marker[1:], :2].copy()
        fill_hulls(self.p.points, self.first, fields.x, hull)
        return hull, centre

    def eval_slack(self) -> float:
        """Points at an offset move more than control points."""
        return 2.0 * float(np.abs(self.p.points.offset).max(initial=0.0))

    def find_near(self, fields: Fields) -> tuple[IntArray, IntArray, FloatArray]:
        """Groups, circles and gaps [m] of all pairs closer than the skin, shape (pairs,)."""
        from scipy.spatial import cKDTree  # here, because most models do not need it

        p, c = self.p, self.p.points
        points = self.hull.reshape(-1, 4, 2)
        middle = 0.5 * (points[:, 0] + points[:, 3])
        reach = np.linalg.norm(points - middle[:, None], axis=2).max(axis=1) + np.abs(c.offset[self.first])
        parts = [np.zeros((2, 0), np.int64)]
        for which, skin in enumerate(p.skin):
            groups, circles = np.flatnonzero(p.set_of == which), np.flatnonzero(p.circle_set == which)
            if len(groups) and len(circles):
                distance = (p.radius[circles] + reach[groups].max() + skin) * (1.0 + ROUNDING)
                found = cKDTree(middle[groups]).query_ball_point(self.centre[circles - 1], distance)
                counts = [len(some) for some in found]
                parts.append(np.stack((groups[np.concatenate(found).astype(np.int64)], np.repeat(circles, counts))))
        group, number = np.concatenate(parts, axis=1)
        gap = np.empty(len(group))
        fill_pair_gaps(p, self.first[group], number, fields.x, fields.markers[CIRCLE_FAMILY].p, gap)
        near = gap < p.skin[p.set_of[group]]
        return group[near], number[near], gap[near]


def _rank(groups: IntArray) -> IntArray:
    """How many equal numbers stand before each in an ascending list, shape (n,)."""
    begin = np.flatnonzero(np.diff(groups, prepend=-1))
    return np.arange(len(groups)) - np.repeat(begin, np.diff(np.append(begin, len(groups))))
