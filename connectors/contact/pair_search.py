"""Search for the members of a set (circles or surfaces) that may touch a cable, because they are near the cable. The
pairs of cable and member change during a run, but the number of rows is constant.

A row describes the contact of a cable with one member of its set. A cable with several rows can touch several members
simultaneously. The last history value of the row, after the values of its points, is the index of this member among the
members of all sets, counted from 1, or 0 without a member. Therefore the pairs are part of states and checkpoints,
repeated steps restore them, and kernels need no special case.

The search for pairs takes place between Newton runs, before the history values are updated, because points can close
only at these times. Pairs whose distance is below the search margin ``skin`` get the rows of their cable in the order
of distance. Pairs with a closed point keep their rows. The result of a search remains valid while

    (largest motion of a cable) + (largest motion of a member) < smallest gap of a pair without a row.

Source: L. Verlet, Phys. Rev. 159 (1967) 98-103 (neighbour lists with a skin).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.friction.bristle import UNDEFINED
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.law import LocalRows, Tables
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
    """Return the global coordinate indices of all members of sets, padded to equal length, and the sets of the members.

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
    """Return the global coordinate indices of rows: the coordinates of the cable, then the coordinates of a member of
    its set, -1 without member.

    The pairs are not known yet. Therefore the members of a set are distributed evenly over its rows, and the numbering
    of coordinates is based on the usual number of couplings of each member. The linear solver is chosen later, from the
    sparsity pattern of a tangent.

    Args:
        cable: global coordinate indices of the cables, shape (rows, c).
        sets: set of each row, shape (rows,).
        members, of_set: see `find_members`.
    """
    numbers = np.full((len(cable), members.shape[1]), -1)
    for one in np.unique(sets):
        rows, own = np.flatnonzero(sets == one), np.flatnonzero(of_set == one)
        if len(own):
            numbers[rows] = members[own[np.arange(len(rows)) * len(own) // len(rows)]]
    return np.concatenate((cable, numbers), axis=1)


@kernel
def find_closed(
    first: IntArray,
    points: IntArray,
    place: IntArray,
    data: FloatArray,
    start: FloatArray,
    closed: NDArray[np.bool_],
) -> None:
    """Write to ``closed`` whether each row has a closed point now, or had a closed point with the same member at the
    start of the step, shape (rows,).

    ``first``, ``points``: see `PairSearch.find_values`.
    """
    for i in range(len(first)):
        number = data[place[i]]
        closed[i] = False
        for at in range(first[i], first[i] + points[i]):
            closed[i] |= number > 0.0 and (data[at] <= 0.0 or (start[at] <= 0.0 and start[place[i]] == number))


@dataclass
class PairSearch(ABC):
    """Base class of the search for pairs. It stores the data of the last search that are needed until the next search;
    see `CircleSearch` for circles. The rows of one cable and one set form a group.

    Attributes:
        p: the rows, a named tuple with the fields ``points``, ``place``, ``group``, ``set_of``, ``dofs`` and ``skin``.
        name, rows: name of the component, and indices of the rows in its table, for messages.
        processes: processes that search together; each process searches for its own rows.
        first: the first row of each group, shape (groups,).
        slots: number of rows of each group, shape (groups,).
        searches: number of searches so far.
        forgotten: whether the next update must search.
        margin: largest sum of the motions of a cable and of its partner for which the result of the search remains
            valid [m].
        given: indices of the circles or surfaces of the rows after the last search, shape (rows,).
        hull, centre: control points of the cables, and centres of the circles or surfaces, at the last search [m].
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
        """Return the sum of two motions since the last search [m]: the largest motion of a cable, and the largest
        motion of a possible partner."""

    @abstractmethod
    def eval_places(self, fields: Fields) -> tuple[FloatArray, FloatArray]:
        """Return the control points of the cables and the positions of their possible partners [m], which are stored as
        ``hull`` and ``centre``."""

    @abstractmethod
    def find_near(self, fields: Fields) -> tuple[IntArray, IntArray, FloatArray]:
        """Return three arrays that describe all pairs whose gap is below the skin: the groups of rows, the indices of
        the partners, and the gaps [m], shape (pairs,) each.
        """

    def find_candidates(
        self, hull: FloatArray, thick: FloatArray, centre: FloatArray, reach: FloatArray, of_set: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Return two arrays that describe pairs, among them all pairs whose bounding spheres are closer than the skin:
        the groups of rows, and the indices of the partners, counted from 1, shape (pairs,) each.

        Args:
            hull: control points of the cables [m], shape (groups, 4, d).
            thick: radii of the cables [m], shape (groups,).
            centre, reach: centres and radii of the bounding spheres of the partners [m]; inf for unbounded partners.
            of_set: sets of the partners.
        """
        from scipy.spatial import cKDTree  # imported here, because most models do not need it

        middle = 0.5 * (hull[:, 0] + hull[:, 3])
        size = np.linalg.norm(hull - middle[:, None], axis=2).max(axis=1) + thick
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
        return group, number

    def find_values(self) -> tuple[IntArray, IntArray]:
        """Return the index of the first history value and the number of points of each row, shape (rows,) each."""
        own = self.p.points.rows
        return own["data"].copy(), own["segments"].copy()

    def eval_slack(self) -> float:
        """Return the largest distance by which the motion of a contact point can exceed the motion of the control
        points of the same cable [m].
        """
        return 0.0

    def update(self, fields: Fields) -> None:
        """Search for pairs if the last search may be outdated, and write the pairs into the history values.

        If the search of one process may be outdated, all processes search.

        Raises:
            ModelError: a cable touches more members of a set than it has rows.
        """
        known = not self.forgotten and np.array_equal(self.given, fields.data[self.p.place])
        if not self.processes.any(not (known and self.eval_motion(fields) < self.margin)):
            return
        hull, centre = self.eval_places(fields)
        if not self.processes.all(bool(np.isfinite(hull).all() and np.isfinite(centre).all())):
            # no search after divergence of Newton's method, which the solver detects from the residual
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
        """Assign pairs to the rows of their groups: first closed pairs, then the other pairs in the order of
        distance."""
        p, data, many = self.p, fields.data, len(self.p.dofs)
        closed = np.zeros(len(p.place), dtype=bool)
        first, points = self.find_values()
        find_closed(first, points, p.place, data, fields.start_data, closed)
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
        size = max(float(np.abs(self.hull).max(initial=0.0)), float(np.abs(self.centre).max(initial=0.0)))
        self.margin = (1.0 - ROUNDING) * least - self.eval_slack() - 1e-12 * size
        # rows keep members with closed points; the other rows get members that have no row yet
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
        for begin, n in zip(first[rows], points[rows], strict=True):
            data[begin : begin + n], data[begin + n : begin + 2 * n] = OPEN_GAP, UNDEFINED


def bind_groups(rows: LocalRows, sets: str, of_set: IntArray) -> tuple[dict[str, Any], IntArray, IntArray]:
    """Create the fields of `PairColumns` that are common to circles and surfaces. No partner is assigned to the rows
    yet.

    Args:
        sets: name of the column with the reference to the set.
        of_set: sets of the members, see `find_members`.

    Returns:
        The fields, the sets in ascending order, and the index of the set of each member among these sets.
    """
    own = rows.local(sets)
    numbers = np.unique(np.concatenate((of_set, own)))
    of_row = np.searchsorted(numbers, own)
    cables = of_row * rows.world.count + rows.local("cable")
    _, first, group = np.unique(cables, return_index=True, return_inverse=True)
    columns = {"number": np.full(len(own), -1), "group": group, "set_of": of_row[first]}
    columns["skin"] = np.array([float(rows.world.entity(int(number)).skin) for number in numbers])
    return columns, numbers, np.searchsorted(numbers, of_set)


def follow_pairs(
    rows: LocalRows, system: System, p: Any, kind: type[PairSearch], assign: Callable[..., Any]
) -> IntArray:
    """Convert the system of a law for fixed pairs to the system of a law for sets. The rows of the latter law change
    their partners after Newton runs.

    All processes must call the functions of the system together. If the partners of rows of any process change, the
    version of the sparsity pattern increases.

    Args:
        system: system of the law for fixed pairs, which evaluates the rows ``p.points``.
        p: the rows, see `PairSearch`.
        kind: class of the search.
        assign: function ``(p, data)`` that assigns each row to the member whose index is stored in its history values.

    Returns:
        The first row of each group.
    """
    processes, pattern, coupled = rows.layout.processes, NeighbourPattern(), p.number.copy()
    first: IntArray = np.unique(p.group, return_index=True)[1]
    search = kind(p, rows.table.kind, rows.rows, processes, first, np.bincount(p.group))
    update = system.post_newton
    assert update is not None

    def follow(s: Fields) -> None:
        assign(p, s.data)
        # outputs and energy balances may have assigned rows to other partners without a change of the sparsity pattern
        if processes.any(not np.array_equal(p.number, coupled)):
            coupled[:] = p.number
            pattern.version += 1

    def post_newton(s: Evaluation) -> Any:
        search.update(s)
        follow(s)
        return update(s)

    def reset_caches() -> None:
        search.forgotten = True

    pattern.reset_caches = reset_caches
    system.update, system.post_newton, system.neighbours = follow, post_newton, pattern
    return first


def find_partners(rows: LocalRows, fields: Fields) -> IntArray:
    """Return the index of the partner of each row among all members of sets, -1 without partner, shape (rows,)."""
    found: IntArray = fields.data[rows.columns.place].astype(np.int64) - 1
    return found


def _rank(groups: IntArray) -> IntArray:
    """Return the number of preceding equal elements for each element of an ascending array, shape (n,)."""
    begin = np.flatnonzero(np.diff(groups, prepend=-1))
    return np.arange(len(groups)) - np.repeat(begin, np.diff(np.append(begin, len(groups))))
