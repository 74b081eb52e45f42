"""Search for the members of a set (circles or surfaces) that a cable can touch until the next search. The pairs of
cable and member change during a run, but the number of rows is constant.

A row describes the contact of a cable with one member of its set. A cable with several rows can touch several members
simultaneously. After the values of its points, the row has one further history value. This value is the index of the
member among the members of all sets, counted from 1, or 0 if the row has no member. Therefore the pairs are part of
states and checkpoints, and they are restored when a step is repeated.

The search for pairs takes place between Newton runs, before the history values are updated, because points can close
only at these times. If the distance of a pair is below the search margin ``skin``, the pair is assigned to a row of its
cable. Near pairs are assigned first. Pairs with a closed point keep their rows. The result of a search remains valid
while

    (largest motion of a cable) + (largest motion of a member) < smallest gap of a pair without a row.

Source: L. Verlet, Phys. Rev. 159 (1967) 98-103 (neighbour lists with a skin).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.contact.axes import NO_BEAMS
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Output, Tables
from windlass.framework.model.schema import Component
from windlass.framework.model.system import Evaluation, Fields, NeighbourPattern, System
from windlass.framework.parallel.processes import Processes

OPEN_GAP = 0.1
"""Stored gap of a point that has not been evaluated yet [m]. All laws of contact with circles use this value as the
initial gap.
"""
ROUNDING = 1e-9
"""Share of the search margin that is reserved for rounding errors [1]."""


def find_members(world: Tables, member: type[Component], thing: str, of: str) -> tuple[IntArray, IntArray]:
    """Return the global coordinate indices of all members of sets, shape (members, m), and the set of each member,
    shape (members,). Shorter lists of indices are padded with -1.

    Args:
        member: component of the members.
        thing: name of the column of the members that refers to the coordinates, such as ``"circle"``.
        of: name of the column of the members that contains the set.
    """
    table = world.tables.get(member)
    if table is None or not table.count:
        return np.zeros((0, 0), np.int64), np.zeros(0, np.int64)
    numbers = world.dofs_of(table.local(thing))
    used = np.flatnonzero((numbers >= 0).any(axis=0))
    return numbers[:, : int(used[-1]) + 1 if len(used) else 0], table.local(of)


def pair_dofs(cable: IntArray, sets: IntArray, members: IntArray, of_set: IntArray) -> IntArray:
    """Return the global coordinate indices of rows: the coordinates of the cable, followed by the coordinates of a
    member of its set, or -1 without member.

    When this function is called, the pairs are not known. Therefore the members of a set are distributed evenly over
    the rows of the set. Each member then has a typical number of couplings when the coordinates are numbered. The
    linear solver is chosen later, from the sparsity pattern of a tangent.

    Args:
        cable: global coordinate indices of the cables, shape (rows, c).
        sets: set of each row, shape (rows,).
        members, of_set: results of `find_members`.
    """
    numbers = np.full((len(cable), members.shape[1]), -1)
    for one in np.unique(sets):
        rows, own = np.flatnonzero(sets == one), np.flatnonzero(of_set == one)
        if len(own):
            numbers[rows] = members[own[np.arange(len(rows)) * len(own) // len(rows)]]
    return np.concatenate((cable, numbers), axis=1)


class PairRows(NamedTuple):
    """Data of the rows of a law whose partners (circles or surfaces) change. Partners are counted from 1. The number 0
    means that a row has no partner.

    The history values of a row contain its partner. The partner determines the field ``active`` and the fields of the
    partner in the record of the row. It also determines the coordinate indices of the partner in the row.
    """

    points: Any  # data of the kernels, a named tuple with the fields ``rows`` and ``dofs``
    on: NDArray[np.bool_]  # whether a row is switched on, shape (rows,)
    number: IntArray  # current partner of each row, -1 initially, shape (rows,)
    place: IntArray  # index of the history value that contains the partner of each row, shape (rows,)
    group: IntArray  # group of each row: the rows of one cable and one set are a group, shape (rows,)
    set_of: IntArray  # set of each group, shape (groups,)
    skin: FloatArray  # search margin [m] of each set, shape (sets,)
    marker: IntArray  # index of the marker of each partner, shape (partners + 1,)
    reach: FloatArray  # radii [m] of circles or bounding spheres of surfaces, inf if unbounded, shape (partners + 1,)
    member_set: IntArray  # set of each partner, shape (partners + 1,)
    dofs: IntArray  # process-local coordinate indices of each partner, shape (partners + 1, m)


def create_assign(put: Callable[..., None]) -> Callable[..., Any]:
    """Create the kernel ``(p, data)`` that assigns each row to the partner whose index is stored in its history values.

    put: kernel ``(p, row, number)`` that writes the fields of the partner into the record of a row.
    """

    @kernel(inline=True)
    def assign_rows(p: PairRows, data: FloatArray) -> None:
        c = p.points
        first = c.dofs.shape[1] - p.dofs.shape[1]
        for i in range(len(p.number)):
            number = int(data[p.place[i]])
            if number == p.number[i]:
                continue
            p.number[i] = number
            put(p, c.rows[i], number)
            c.rows[i].active = p.on[i] and number > 0
            for a in range(p.dofs.shape[1]):
                c.dofs[i, first + a] = p.dofs[number, a]

    return assign_rows


@kernel
def find_closed(
    first: IntArray,
    points: IntArray,
    place: IntArray,
    data: FloatArray,
    start: FloatArray,
    closed: NDArray[np.bool_],
) -> None:
    """For each row, write to ``closed``, shape (rows,), whether the row has a closed point. A point that was closed at
    the start of the step, with the same member, also counts.

    The arguments ``first`` and ``points`` contain the index of the first history value and the number of points of each
    row. The argument ``place`` contains the index of the history value for the member.
    """
    for i in range(len(first)):
        number = data[place[i]]
        closed[i] = False
        for at in range(first[i], first[i] + points[i]):
            closed[i] |= number > 0.0 and (data[at] <= 0.0 or (start[at] <= 0.0 and start[place[i]] == number))


@kernel(fast=False)
def fill_hulls(x: FloatArray, dofs: IntArray, length: FloatArray, hull: FloatArray) -> None:
    """Write the control points of `eval_hulls` into ``hull``."""
    d = hull.shape[2]
    for i in range(len(dofs)):
        third = length[i] / 3.0
        for e in range(d):
            p, q = x[dofs[i, e]], x[dofs[i, 2 * d + e]]
            hull[i, 0, e], hull[i, 1, e] = p, p + third * x[dofs[i, d + e]]
            hull[i, 2, e], hull[i, 3, e] = q - third * x[dofs[i, 3 * d + e]], q


def eval_hulls(x: FloatArray, dofs: IntArray, length: FloatArray, H: FloatArray = NO_BEAMS) -> FloatArray:
    """Return the control points [m] of cables in d dimensions, shape (rows, 4, d): r0, r0 + L/3 r'0, r1 - L/3 r'1, r1.
    A cable lies in the convex hull of its control points. Therefore no point of the axis moves farther than the control
    point with the largest motion.

    Source: G. Farin, Curves and Surfaces for CAGD, Morgan Kaufmann (2002), chapter 4.

    Args:
        x: coordinates.
        dofs: coordinate indices of the axes of the cables, see `axis_dofs`, shape (rows, 4 d).
        length: reference lengths [m], shape (rows,).
        H: matrices of the axes of beams, see `axes.py`, shape (rows, 4, 4), or (0, 4, 4) without beams.
    """
    hull = np.empty((len(dofs), 4, dofs.shape[1] // 4))
    dofs, length = np.ascontiguousarray(dofs), np.ascontiguousarray(length)
    if len(H):
        axes = H @ x[dofs].reshape(hull.shape)
        x, dofs = axes.ravel(), np.arange(dofs.size).reshape(dofs.shape)
    fill_hulls(x, dofs, length, hull)
    return hull


@kernel(fast=False)
def find_way(after: FloatArray, before: FloatArray) -> float:
    """Return the largest displacement [m] of a point. If a coordinate is NaN, return NaN. The arguments ``after`` and
    ``before`` contain the positions of the points after and before the motion, shape (points, d) each.
    """
    largest = 0.0
    for i in range(len(after)):
        total = 0.0
        for e in range(after.shape[1]):
            way = after[i, e] - before[i, e]
            total += way * way
        if total > largest or total != total:
            largest = total
        if largest != largest:
            break
    return sqrt(largest)


def eval_way(after: FloatArray, before: FloatArray) -> float:
    """Return the result of `find_way` for arrays of any shape with the coordinates of points on the last axis."""
    n = after.shape[-1]
    way: float = find_way(np.ascontiguousarray(after).reshape(-1, n), np.ascontiguousarray(before).reshape(-1, n))
    return way


class NeighbourSearch(ABC):
    """Base class of searches for contacts. An object of a subclass stores the data of the last search that are needed
    until the next search.

    Attributes:
        name: name of the component, for messages.
        processes: processes that search together. Each process searches for its own rows.
        searches: number of searches so far.
        forgotten: whether the result of the last search is invalid, so that the next update must search.
        margin: largest motion [m], see `eval_motion`, for which the result of the last search remains valid.
        hull, centre: control points of the cables, and positions of their partners, at the last search [m].
    """

    def __init__(self, name: str, processes: Processes) -> None:
        self.name, self.processes = name, processes
        self.searches, self.forgotten, self.margin = 0, True, 0.0
        self.hull, self.centre = np.zeros((0, 4, 2)), np.zeros((0, 2))

    @abstractmethod
    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the control points of the cables and the positions of their possible partners [m]. Both are stored as
        ``hull`` and ``centre``.
        """

    @abstractmethod
    def eval_motion(self, hull: FloatArray, centre: FloatArray) -> float:
        """Return the largest sum [m] of two motions since the last search: the motion of a cable and the motion of a
        possible partner.
        """

    @abstractmethod
    def give_places(self, fields: Fields) -> float:
        """Find contacts and store them in the history values. Return a lower bound [m] of the gaps of all contacts that
        are not stored in the history values.
        """

    def is_given(self, fields: Fields) -> bool:
        """Return whether the history values contain the contacts that the last search has found."""
        return True

    def eval_slack(self) -> float:
        """Return an upper bound [m] of the difference between the motion of a contact point and the motion of the
        control points of its cable.
        """
        return 0.0

    def update(self, fields: Fields) -> bool:
        """Search again if the result of the last search may be outdated. Return whether a search was made.

        If the search of any process may be outdated, all processes search.

        Raises:
            ModelError: a cable has more contacts than the rows can store.
        """
        hull, centre = self.eval_places(fields)
        known = not self.forgotten and self.is_given(fields)
        if not self.processes.any(not (known and self.eval_motion(hull, centre) < self.margin)):
            return False
        if not self.processes.all(bool(np.isfinite(hull).all() and np.isfinite(centre).all())):
            # after divergence of Newton's method no search is made; the solver detects the divergence from the residual
            return False
        self.hull, self.centre, self.forgotten = hull, centre, False
        self.searches += 1
        error, least = None, np.inf
        try:
            least = self.give_places(fields)
        except ModelError as found:
            error = found
        self.processes.agree(error)
        size = max(float(np.abs(hull).max(initial=0.0)), float(np.abs(centre).max(initial=0.0)))
        margin = (1.0 - ROUNDING) * least - self.eval_slack() - 1e-12 * size
        self.margin = -self.processes.largest([-margin])[0]
        return True


class PairSearch(NeighbourSearch):
    """Base class of the search for pairs of a cable and a circle or surface.

    Attributes:
        p: data of the rows.
        rows: indices of the rows in their table, for messages.
        first: the first row of each group, shape (groups,).
        slots: number of rows of each group that are switched on, shape (groups,).
        given: indices of the partners of the rows after the last search, shape (rows,).
    """

    things = "circles"

    def __init__(self, p: PairRows, name: str, rows: IntArray, processes: Processes, first: IntArray) -> None:
        super().__init__(name, processes)
        self.p, self.rows, self.first = p, rows, first
        self.slots = np.bincount(p.group[p.on], minlength=len(first))
        self.given: IntArray = np.zeros(0, np.int64)

    @abstractmethod
    def count_points(self) -> IntArray:
        """Return the number of points of each row, shape (rows,)."""

    @abstractmethod
    def eval_thickness(self) -> FloatArray:
        """Return the largest distance [m] of the points of each group from the axis of the cable, shape (groups,)."""

    @abstractmethod
    def eval_gaps(self, fields: Fields, group: IntArray, number: IntArray) -> FloatArray:
        """Return, for each pair of a group and a partner, the smallest gap [m] between a point of the cable and the
        partner, shape (pairs,).
        """

    def is_given(self, fields: Fields) -> bool:
        """Return whether the history values contain the pairs that the last search has found."""
        return np.array_equal(self.given, fields.data[self.p.place])

    def find_near(self, fields: Fields) -> tuple[IntArray, IntArray, FloatArray]:
        """Return three arrays that describe all pairs whose gap is below the skin: the groups of rows, the indices of
        the partners, and the gaps [m], shape (pairs,) each.
        """
        group, number = self.find_candidates()
        gap = self.eval_gaps(fields, group, number)
        near = gap < self.p.skin[self.p.set_of[group]]
        return group[near], number[near], gap[near]

    def find_candidates(self) -> tuple[IntArray, IntArray]:
        """Return two arrays, shape (pairs,) each: the groups of rows, and the indices of the partners. The pairs
        include all pairs with an unbounded surface, and all pairs whose bounding spheres are closer than the skin.
        """
        from scipy.spatial import cKDTree  # imported here, because most models do not need this module

        hull, reach, of_set = self.hull, self.p.reach[1:], self.p.member_set[1:]
        centre, middle = self.centre[:, : hull.shape[2]], 0.5 * (hull[:, 0] + hull[:, 3])
        size = np.linalg.norm(hull - middle[:, None], axis=2).max(axis=1) + self.eval_thickness()
        parts = [np.zeros((2, 0), np.int64)]
        for which, skin in enumerate(self.p.skin):
            groups, members = np.flatnonzero(self.p.set_of == which), np.flatnonzero(of_set == which)
            endless = ~np.isfinite(reach[members])
            parts += [np.stack((groups, np.full(len(groups), k + 1))) for k in members[endless]]
            bounded = members[~endless]
            if len(groups) and len(bounded):
                distance = (reach[bounded] + size[groups].max() + skin) * (1.0 + ROUNDING)
                found = cKDTree(middle[groups]).query_ball_point(centre[bounded], distance)
                counts = [len(some) for some in found]
                cables = groups[np.concatenate(found).astype(np.int64)]
                parts.append(np.stack((cables, np.repeat(bounded + 1, counts))))
        group, number = np.concatenate(parts, axis=1)
        used = self.slots[group] > 0
        return group[used], number[used]

    def give_places(self, fields: Fields) -> float:
        """Find pairs, and write them into the history values. Return the result of `_give_pairs`."""
        least = self._give_pairs(fields, *self.find_near(fields))
        self.given = fields.data[self.p.place].astype(np.int64)
        return least

    def _give_pairs(self, fields: Fields, group: IntArray, number: IntArray, gap: FloatArray) -> float:
        """Assign pairs to the rows of their groups that are switched on. Closed pairs are assigned first, then the
        other pairs in the order of distance. Return the smaller of two lengths [m]: the skin, and the smallest gap of a
        given pair without a row.
        """
        p, data, many = self.p, fields.data, len(self.p.dofs)
        first, points = p.points.rows["data"], self.count_points()
        closed = np.zeros(len(p.place), dtype=bool)
        find_closed(first, points, p.place, data, fields.start_data, closed)
        closed &= p.on
        has = p.group * many + data[p.place].astype(np.int64)
        pairs = group * many + number
        held = np.unique(has[closed])
        new = ~np.isin(pairs, held)
        pairs = np.concatenate((held, pairs[new]))
        order = np.concatenate((np.full(len(held), -np.inf), gap[new]))
        sequence = np.lexsort((pairs, order, pairs // many))
        pairs, order = pairs[sequence], order[sequence]
        wanted = _rank(pairs // many) < self.slots[pairs // many]
        # a pair without a row must remain open until the next search
        left = pairs[~wanted] // many
        touching = np.flatnonzero(order[~wanted] <= 0.0)
        if len(touching):
            row = self.first[left[touching[0]]]
            raise ModelError(
                f"the cable of {self.name} row {self.rows[row]} touches more than {self.slots[left[touching[0]]]} "
                f"{self.things}, the number of its rows: give more rows by `touching`"
            )
        least = min(float(p.skin.min(initial=np.inf)), float(order[~wanted].min(initial=np.inf)))
        # Rows with closed points keep their partners. The other rows are assigned to near partners that have no row.
        idle = p.on & ~closed & ~np.isin(has, pairs[wanted])
        data[p.place[idle]] = 0.0
        missing = np.sort(pairs[wanted][~np.isin(pairs[wanted], has[p.on])])
        free = np.flatnonzero(p.on & ~closed & (data[p.place] == 0.0))
        free = free[np.argsort(p.group[free], kind="stable")]
        most = len(p.place)
        _, at, of = np.intersect1d(
            p.group[free] * most + _rank(p.group[free]), missing // many * most + _rank(missing // many),
            assume_unique=True, return_indices=True,
        )  # fmt: skip
        rows = free[at]
        data[p.place[rows]] = missing[of] % many
        for begin, n in zip(first[rows], points[rows], strict=True):
            data[begin : begin + n], data[begin + n : begin + 2 * n] = OPEN_GAP, UNDEFINED
        return least


def bind_pairs(
    rows: LocalRows,
    points: Any,
    place: IntArray,
    member: type[Component],
    thing: str,
    of: str,
    marker: IntArray,
    reach: FloatArray,
) -> PairRows:
    """Create the data of rows of a law with sets. Initially, no partner is assigned to the rows.

    Args:
        points: data of the rows for kernels.
        place: index of the history value that contains the partner of each row, shape (rows,).
        member, thing, of: arguments of `find_members`. ``of`` is also the name of the column of the law that contains
            the set.
        marker: indices of the markers of the members, shape (members,).
        reach: radii of the circles, or of the bounding spheres of the surfaces [m], shape (members,).
    """
    layout, own = rows.layout, rows.local(of)
    members, of_set = find_members(rows.world, member, thing, of)
    known = layout.local_dofs(members) if members.size else members
    numbers = np.unique(np.concatenate((of_set, own)))
    of_row = np.searchsorted(numbers, own)
    _, first, group = np.unique(
        of_row * rows.world.count + rows.local("cable"), return_index=True, return_inverse=True
    )  # fmt: skip
    skin = np.array([float(rows.world.entity(int(number)).skin) for number in numbers])
    for k in np.flatnonzero(skin == 0.0):
        skin[k] = reach[of_set == numbers[k]].min(initial=np.inf)
    on = points.rows["active"].copy()
    points.rows["active"] = False
    return PairRows(
        points=points._replace(dofs=points.dofs.copy()),
        on=on,
        number=np.full(len(own), -1),
        place=place,
        group=group,
        set_of=of_row[first],
        skin=skin,
        marker=np.append(np.zeros(1, np.int64), marker),
        reach=np.append(1.0, reach),
        member_set=np.append(np.full(1, -1), np.searchsorted(numbers, of_set)),
        dofs=np.vstack((np.full((1, members.shape[1]), layout.spare), known)),
    )


def follow_pairs(
    rows: LocalRows, system: System, p: PairRows, kind: type[PairSearch], assign: Callable[..., Any]
) -> IntArray:
    """Change the `System` of a contact law so that each row can change its member after Newton runs. Before the change,
    the rows are fixed pairs of a cable and a member of a set.

    All processes must call the functions of the system together. If the partners of rows of any process change, the
    version of the sparsity pattern increases.

    Args:
        system: system of the law for fixed pairs, which evaluates the rows ``p.points``.
        p: data of the rows, with the sets and their members.
        kind: class of the search.
        assign: function ``(p, data)`` that assigns each row to the member whose index is stored in its history values.

    Returns:
        The index of the first row of each group, shape (groups,).
    """
    processes, pattern, coupled = rows.layout.processes, NeighbourPattern(), p.number.copy()
    first: IntArray = np.unique(p.group, return_index=True)[1]
    search = kind(p, rows.table.kind, rows.rows, processes, first)
    update = system.post_newton
    assert update is not None

    def follow(s: Fields) -> None:
        assign(p, s.data)
        # outputs and energy balances may have assigned rows to other partners without a change of the sparsity pattern
        if processes.any(not np.array_equal(p.number, coupled)):
            coupled[:] = p.number
            pattern.version += 1

    def post_newton(s: Evaluation) -> Any:
        search.forgotten |= not pattern.lasts
        search.update(s)
        follow(s)
        return update(s)

    def reset_caches() -> None:
        search.forgotten = True

    pattern.reset_caches = reset_caches
    system.update, system.post_newton, system.neighbours = follow, post_newton, pattern
    return first


class _Bound:
    """Rows with the data of their current partners. The data have the form that the outputs of a law for fixed pairs
    require.
    """

    def __init__(self, rows: LocalRows, fields: Fields, assign: Callable[..., Any]) -> None:
        p: PairRows = rows.columns
        assign(p, fields.data)
        self.columns, self.layout, self.table, self.rows = p.points, rows.layout, rows.table, rows.rows


def follow_outputs(outputs: dict[str, Output], assign: Callable[..., Any], name: str, member: str) -> dict[str, Output]:
    """Convert the outputs of a law for fixed pairs to outputs that are evaluated with the current partners of the rows.
    Add the index of the partner as an output.

    Args:
        assign: function ``(p, data)`` that assigns each row to its current partner.
        name: name of a partner, such as ``"circle"``.
        member: name of the component of the partners.
    """

    def follow(output: Output) -> Output:
        return replace(output, evaluate=lambda rows, fields: output.evaluate(_Bound(rows, fields, assign), fields))

    def eval_gaps(rows: LocalRows, fields: Fields) -> FloatArray:
        gaps: FloatArray = followed["gap"].evaluate(rows, fields)
        gaps[rows.columns.number == 0] = np.inf
        return gaps

    followed = {key: follow(output) for key, output in outputs.items()}
    doc = f"row of the {name} in the table of {member}, -1 if none is near, ()"
    gap = replace(outputs["gap"], evaluate=eval_gaps, doc=f"{outputs['gap'].doc}; inf without a {name}")
    return followed | {"gap": gap, name: Output("1", doc, find_partners)}


def find_partners(rows: LocalRows, fields: Fields) -> IntArray:
    """Return, for each row, the index of its partner among all members of sets, or -1 for a row without partner, shape
    (rows,)."""
    found: IntArray = fields.data[rows.columns.place].astype(np.int64) - 1
    return found


def _rank(groups: IntArray) -> IntArray:
    """For each element of an ascending array, return the number of equal elements before it, shape (n,)."""
    begin = np.flatnonzero(np.diff(groups, prepend=-1))
    return np.arange(len(groups)) - np.repeat(begin, np.diff(np.append(begin, len(groups))))
