"""Gaps between 3D cables. Solvers use the gaps to check whether time steps resolve contacts. See `Gaps`.

Cables that are not in contact at either end of a step may pass through each other within the step. The check for such
passages covers pairs of cables whose relative motion exceeds `PASSING` times the sum of their radii. The check searches
for a point on each of the two cables such that the distance of both points becomes smaller than the sum of radii.
During the step, both points are assumed to move along straight lines. A passage must also fulfil one of two conditions.
Either the distance of the first point from the axis of the second cable exceeds the sum of radii at both ends of the
step, or the vector from this axis to the first point reverses its direction. The spacing of the compared points is at
most one diameter. Therefore, if two axes cross each other, the nearest two of the compared points are at most 0.71
times the sum of radii apart.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.geometry import (
    arc_length_of,
    find_foot,
    gather,
    value_at,
    wrap_arc,
)
from windlass.connectors.cable_contact.kernels import FOOT, PairList, read_pair
from windlass.connectors.cable_contact.places import ContactPlaces, ContactSlots, list_contacts
from windlass.connectors.contact.pair_search import eval_hulls
from windlass.connectors.point_contact.search import find_near
from windlass.elements.nodes.vectors import dot
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.assembly.array_kernels import copy_values
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import (
    GAP,
    MISSED,
    RATE,
    REACH,
    SPEED,
    START,
    Gaps,
    X,
    Y,
    Z,
    accept_gaps,
    create_near,
    create_numbers,
    note_gap,
    note_way,
)

PASSING = 0.6
"""Relative displacement, divided by the sum of radii [1]. If the displacement is smaller than this value, the check for
passages is omitted. Cables that pass through each other have a larger relative displacement.
"""


@kernel
def fill_cable_gaps(
    c: NDArray[Any],
    list_: PairList,
    data: FloatArray,
    x: FloatArray,
    v: FloatArray,
    numbers: FloatArray,
) -> None:
    """Write the gap quantities of all contacts into ``numbers``, which has one row for each contact slot."""
    for k in range(list_.counts[0]):
        h = read_pair(c, list_.pair[k, 0], list_.pair[k, 1], x, v)
        for i in range(list_.first[k], list_.first[k + 1]):
            xi = list_.place[i]
            p = value_at(h.za, xi)
            s, _ = find_foot(h.zb, p, data[list_.at[i] + FOOT], h.low, h.high, h.lb)
            r, u, w = value_at(h.zb, s), value_at(h.ya, xi), value_at(h.yb, s)
            d = p[0] - r[0], p[1] - r[1], p[2] - r[2]
            e = u[0] - w[0], u[1] - w[1], u[2] - w[2]
            D, row = max(sqrt(dot(d, d)), 1e-300), numbers[list_.rank[i]]
            note_gap(row, D - h.reach, dot(d, e) / D, sqrt(dot(e, e)))
            note_way(row, h.reach, d[0], d[1], d[2])


@kernel
def sweep_cables(
    c: NDArray[Any], pairs: IntArray, x: FloatArray, start: FloatArray, row: FloatArray, which: IntArray
) -> None:
    """Find, among the passages of two cables through each other within a step, the passage with the greatest depth.

    Args:
        c: records of the cables.
        pairs: rows of the two cables of each examined pair, shape (k, 2).
        x, start: coordinates at the end and at the start of the step.
        row: output for the gap quantities of this passage, shape (WIDTH,). The element `MISSED`, the depth of the
            passage, is 0 if no passage is found.
        which: output for the rows of both cables, shape (2,).
    """
    row[MISSED], row[RATE], row[SPEED] = 0.0, 0.0, 0.0
    row[START + RATE], row[START + SPEED] = 0.0, 0.0
    for k in range(len(pairs)):
        # coefficients of the axes of both cables at the start and at the end of the step; compared points of one cable
        # are at most one diameter apart
        a, b = pairs[k, 0], pairs[k, 1]
        la, lb, reach = c[a].length, c[b].length, c[a].radius + c[b].radius
        na, nb = int(np.ceil(0.5 * la / c[a].radius)), int(np.ceil(0.5 * lb / c[b].radius))
        za, zb, ya, yb = (
            gather(x, c[a]),
            gather(x, c[b]),
            gather(start, c[a]),
            gather(start, c[b]),
        )
        # compare the points of cable a with the points of cable b
        for i in range(na):
            xi = arc_length_of(i, na, la)
            p0, p1 = value_at(ya, xi), value_at(za, xi)
            for j in range(nb):
                s = arc_length_of(j, nb, lb)
                # skip two points of the same chain if the arc length between them is too small
                if c[a].chain == c[b].chain and abs(wrap_arc(c[a].arc + xi - c[b].arc - s, c[b].loop)) < c[a].apart:
                    continue
                # vectors between the two points at the start and at the end of the step, and the smallest distance of
                # the points within the step
                r0, r1 = value_at(yb, s), value_at(zb, s)
                ax, ay, az = p0[0] - r0[0], p0[1] - r0[1], p0[2] - r0[2]
                bx, by, bz = p1[0] - r1[0], p1[1] - r1[1], p1[2] - r1[2]
                ex, ey, ez = bx - ax, by - ay, bz - az
                square, along = ex * ex + ey * ey + ez * ez, -(ax * ex + ay * ey + az * ez)
                if not 0.0 < along < square:
                    continue
                share = along / square
                mx, my, mz = ax + share * ex, ay + share * ey, az + share * ez
                missed = reach - sqrt(mx * mx + my * my + mz * mz)
                if missed <= row[MISSED]:
                    continue
                # distance of the point of cable a from the axis of cable b, at the start and at the end of the step
                s0, _ = find_foot(yb, p0, s, 0.0, lb, lb)
                s1, _ = find_foot(zb, p1, s, 0.0, lb, lb)
                f0, f1 = value_at(yb, s0), value_at(zb, s1)
                d0, d1 = (p0[0] - f0[0], p0[1] - f0[1], p0[2] - f0[2]), (p1[0] - f1[0], p1[1] - f1[1], p1[2] - f1[2])
                g0, g1 = sqrt(dot(d0, d0)) - reach, sqrt(dot(d1, d1)) - reach
                # the point of cable a is outside cable b at both ends of the step, or the vector from the axis of cable
                # b to the point has reversed its direction
                if (g0 > 0.0 and g1 > 0.0) or dot(d0, d1) < 0.0:
                    row[GAP], row[X], row[Y], row[Z] = g1, bx, by, bz
                    row[START + GAP], row[START + X], row[START + Y], row[START + Z] = g0, ax, ay, az
                    row[MISSED], row[REACH] = missed, reach
                    which[0], which[1] = a, b


@kernel
def may_pass(c: NDArray[Any], x: FloatArray, start: FloatArray, least: float) -> bool:
    """Return whether the motion of a control point (see `eval_hulls`) in a step exceeds ``least`` [m]. If the motion is
    smaller, cables cannot pass through each other in this step.
    """
    for i in range(len(c)):
        dofs, third = c[i].dofs, c[i].length / 3.0
        for j in range(4):
            # control points: r0, r0 + L/3 r'0, r1 - L/3 r'1, r1
            node, share = 6 * (j // 2), (0.0, third, -third, 0.0)[j]
            square = 0.0
            for e in range(3):
                p, u = dofs[node + e], dofs[node + 3 + e]
                way = x[p] - start[p] + share * (x[u] - start[u])
                square += way * way
            if least * least < square < np.inf:
                return True
    return False


def find_passing(c: NDArray[Any], group: IntArray, x: FloatArray, start: FloatArray) -> IntArray:
    """Return the rows of pairs of cables that may pass through each other in a step, shape (k, 2). The coordinates are
    ``start`` at the start of the step and ``x`` at its end. The points of the first cable of each pair are on this
    process.

    group: index of the set of each cable, shape (rows,).
    """
    hulls = np.stack([eval_hulls(values, c["dofs"], c["length"]) for values in (start, x)])
    way = hulls[1] - hulls[0]
    square = np.einsum("ijk,ijk->ij", way, way).max(initial=0.0)
    none = np.zeros((0, 2), np.int64)
    if not 2.0 * PASSING * c["radius"].min(initial=np.inf) < 2.0 * np.sqrt(square) < np.inf:
        return none
    # ``middle`` and ``reach`` describe a sphere around the volume through which a cable moves. ``mean`` is the mean
    # motion of its control points, and ``spread`` the largest deviation of a control point from this mean.
    low, high = hulls.min(axis=(0, 2)), hulls.max(axis=(0, 2))
    middle, reach = 0.5 * (low + high), 0.5 * np.linalg.norm(high - low, axis=1) + c["radius"]
    mean = way.mean(axis=1)
    spread = np.linalg.norm(way - mean[:, None], axis=2).max(axis=1)
    long = np.flatnonzero(c["apart"] < c["length"])
    parts = [none, np.stack((long, long), axis=1)]
    for number in np.unique(group):
        rows = np.flatnonzero(group == number)
        parts.append(rows[find_near(middle[rows], reach[rows], 0.0)])
    pairs = np.concatenate(parts)
    # each process examines the pairs whose first cable has points on this process
    pairs = np.where((c["points"][pairs[:, 0]] > 0)[:, None], pairs, pairs[:, ::-1])
    a, b = pairs.T
    moved = np.linalg.norm(mean[a] - mean[b], axis=1) + spread[a] + spread[b]
    found: IntArray = pairs[(c["points"][a] > 0) & (moved > PASSING * (c["radius"][a] + c["radius"][b]))]
    return np.ascontiguousarray(found)


class FollowedGaps(NamedTuple):
    """Data for the check of the gaps of all contacts. The data are kept from one step to the next.

    Attributes:
        numbers: values of all contact slots and of the worst passage, see `Gaps`, shape (slots + 1, WIDTH).
        found, known: whether each slot contains a contact at the end and at the start of the step, shape (slots,).
        now, start: coordinates at the end of the last measured step, and at the start of the step, shape (n + 1,).
        begun: 1 if ``start`` is known, otherwise 0, shape (1,).
    """

    numbers: FloatArray
    found: BoolArray
    known: BoolArray
    now: FloatArray
    start: FloatArray
    begun: IntArray


@kernel
def measure_contacts(
    c: NDArray[Any],
    slots: ContactSlots,
    list_: PairList,
    data: FloatArray,
    x: FloatArray,
    v: FloatArray,
    k: FollowedGaps,
) -> None:
    """Write the gap quantities of all contacts at the end of a step."""
    list_contacts(slots, len(c), data, list_)
    for i in range(len(k.found)):
        k.found[i] = slots.number[i] > 0.0
        if not k.found[i]:
            k.numbers[i, GAP] = np.inf
        if not k.known[i]:
            # contacts that did not exist at the start of the step have no gap at that time
            k.numbers[i, START + GAP] = np.nan
    fill_cable_gaps(c, list_, data, x, v, k.numbers)
    copy_values(x, k.now)


@kernel
def accept_contacts(k: FollowedGaps, near: IntArray, before: IntArray) -> None:
    """Record that a step is accepted. Its end is then the start of the next step."""
    accept_gaps(k.numbers, near, before)
    for i in range(len(k.found)):
        k.known[i] = k.found[i]
    copy_values(k.now, k.start)
    k.begun[0] = 1


def watch_places(places: ContactPlaces, n: int, name: str, group: IntArray) -> Gaps:
    """Create the `Gaps` of all contacts. The gaps also cover passages of cables through each other.

    Args:
        places: the contacts of this process.
        n: number of process-local coordinates.
        name: name of the component.
        group: index of the set of each cable, shape (rows,).
    """
    c, last = places.c, len(places.point)
    numbers, which, near = create_numbers(last + 1), np.zeros(2, np.int64), create_near(last + 1)
    found, known = np.zeros(last, np.bool_), np.zeros(last, np.bool_)
    followed = FollowedGaps(numbers, found, known, np.zeros(n + 1), np.zeros(n + 1), np.zeros(1, np.int64))
    moves_far, least = call(may_pass), PASSING * float(c["radius"].min(initial=np.inf))

    def sweep(s: Any) -> None:
        numbers[last, GAP] = np.inf
        if followed.begun[0] and moves_far(c, s.x, followed.start, least):
            pairs = find_passing(c, group, s.x, followed.start)
            if len(pairs):
                sweep_cables(c, pairs, s.x, followed.start, numbers[last], which)

    def describe(k: int) -> str:
        if k == last:
            return f"the cable of {name} row {which[1]}, by that of row {which[0]},"
        return f"point {places.point[k]} of {name} row {places.slots.cable[k]}"

    return Gaps(
        call(measure_contacts, lambda s: (c, places.slots, places.list_, s.data, s.x, s.v, followed), before=sweep),
        numbers,
        describe,
        weighed=True,
        accept=call(accept_contacts, (followed, near, np.zeros_like(near))),
        near=near,
        memory=(found, known, followed.now, followed.start, followed.begun),
    )
