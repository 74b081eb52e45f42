"""Gaps of contact points, for rows whose partners (circles or surfaces) change during a run, see `Gaps`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windlass.connectors.contact.pair_search import PairRows
from windlass.connectors.markers.position_kernels import FAMILY, PositionMarkers
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.gaps import GAP, MISSED, START, Gaps, create_near, create_numbers
from windlass.framework.model.law import LocalRows
from windlass.framework.model.system import Evaluation

MOTION = "position", "velocity", "rotation", "angular_velocity"
"""Arrays of markers that the gaps of moving circles and surfaces depend on."""


def name_points(rows: LocalRows, n: IntArray) -> Callable[[int], str]:
    """Return a function that describes a contact of the given rows for messages. The argument of the returned function
    is the index of the contact. The argument n contains the number of points of each row.
    """
    first, count, kind = np.cumsum(n), n.copy(), rows.table.kind

    def describe(k: int) -> str:
        row = int(np.searchsorted(first, k, side="right"))
        return f"point {k - int(first[row] - count[row])} of {kind} row {rows.rows[row]}"

    return describe


def follow_sets(
    rows: LocalRows,
    gaps: Gaps,
    p: PairRows,
    n: IntArray,
    assign: Callable[[Any], Any],
    measure: Callable[[Any, Any, FloatArray, FloatArray, FloatArray], None],
    sweep: Callable[..., None],
    thing: str,
    member: str,
) -> Gaps:
    """Complete and return the `Gaps` of rows whose partners change. Row i has n[i] contacts. In addition, the gaps
    contain one element for a partner to which no row of a cable refers, although the cable passes through this partner.

    If a row is assigned to a new partner within the step, its gaps at the start of the step are evaluated for the new
    partner. Therefore results do not depend on the times at which searches are made.

    Args:
        gaps: the `Gaps` of the rows. Their last element is reserved for a partner through which a cable passes.
        p: data of the rows and of their possible partners.
        assign: function that assigns each row to the partner whose index is stored in its history values.
        measure: function ``(s, markers, x, v, numbers)`` that writes the gap quantities of the rows into ``numbers``.
        sweep: kernel ``(p, first, x, x at the start, markers, markers at the start, row, which)`` that finds a partner
            through which a cable passes. The kernel writes the gap quantities into ``row``, and the row of the cable
            and the index of the partner into ``which``. ``first`` contains the first row of each cable.
        thing, member: name of a partner, such as ``"circle"``, and name of the component of the partners, for messages.
    """
    first: IntArray = np.unique(p.group, return_index=True)[1]
    number, which = p.number, np.zeros(2, int)
    numbers, last, name = gaps.numbers, len(gaps.numbers) - 1, gaps.describe
    every = gaps.near is None
    near = gaps.near = create_near(len(numbers)) if gaps.near is None else gaps.near
    known, found, before = np.full(len(n), -1), np.full(len(n), -1), create_numbers(len(numbers))
    # coordinates, velocities and markers at the end and at the start of a step
    now: list[Any] = []
    start: list[Any] = []

    def measure_all(s: Evaluation) -> None:
        assign(s)
        found[:] = number
        m = s.markers[FAMILY]
        if not now:
            now.extend((s.x.copy(), s.v.copy(), _copy(m)))
        changed = np.repeat(found != known, n)
        if changed.any():
            before[:, GAP] = np.nan
            if start:
                measure(s, start[2], start[0], start[1], before)
            numbers[:last][changed, START:] = before[:last][changed, :START]
            known[:] = found
        measure(s, m, s.x, s.v, numbers)
        now[0][:], now[1][:] = s.x, s.v
        _take(now[2], m)
        numbers[last, MISSED] = 0.0
        if start:
            sweep(p, first, s.x, start[0], m, start[2], numbers[last], which)
        if every:
            near[0] = last
        if numbers[last, MISSED] > 0.0:
            near[0] += 1
            near[near[0]] = last

    def accept() -> None:
        if not start:
            start.extend((now[0].copy(), now[1].copy(), _copy(now[2])))
        start[0][:], start[1][:] = now[0], now[1]
        _take(start[2], now[2])

    def describe() -> str:
        index = which[1] - 1
        return f"{thing} {index} of {member}, by the cable of {rows.table.kind} row {rows.rows[which[0]]},"

    gaps.measure, gaps.accept = measure_all, accept
    gaps.describe = lambda k: describe() if k == last else name(k)
    return gaps


def _copy(m: PositionMarkers) -> PositionMarkers:
    """Return a copy of markers that does not share arrays of positions and velocities with the original."""
    return m._replace(**{name: getattr(m, name).copy() for name in MOTION})


def _take(kept: PositionMarkers, m: PositionMarkers) -> None:
    for name in MOTION:
        getattr(kept, name)[:] = getattr(m, name)
