"""Gaps between cables in space, by which solvers see whether steps resolve contacts; see `Gaps`."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from windlass.connectors.cable_contact.geometry import Columns, find_foot, gather, reach_of_foot, value_at
from windlass.connectors.cable_contact.kernels import FOOT, PairList
from windlass.connectors.cable_contact.places import ContactPlaces
from windlass.elements.nodes.vectors import dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.gaps import GAP, START, Gaps, create_numbers, note_gap, note_way


@kernel
def fill_cable_gaps(
    c: Columns, list_: PairList, rank: IntArray, data: FloatArray, x: FloatArray, v: FloatArray, numbers: FloatArray
) -> None:
    """The numbers of the places that are taken; ``rank``: their numbers among all places."""
    for k in range(len(list_.pair)):
        a, b = list_.pair[k, 0], list_.pair[k, 1]
        low, high = reach_of_foot(c, b)
        reach, la, lb = c.radius[a] + c.radius[b], c.L[a], c.L[b]
        za, zb, ya, yb = (
            gather(x, c.dofs, a, la),
            gather(x, c.dofs, b, lb),
            gather(v, c.dofs, a, la),
            gather(v, c.dofs, b, lb),
        )
        for i in range(list_.first[k], list_.first[k + 1]):
            xi = list_.place[i]
            p = value_at(za, xi)
            s, _ = find_foot(zb, p, data[list_.at[i] + FOOT], low, high, lb)
            r, u, w = value_at(zb, s), value_at(ya, xi), value_at(yb, s)
            d = p[0] - r[0], p[1] - r[1], p[2] - r[2]
            e = u[0] - w[0], u[1] - w[1], u[2] - w[2]
            D, row = max(sqrt(dot(d, d)), 1e-300), numbers[rank[i]]
            note_gap(row, D - reach, dot(d, e) / D, sqrt(dot(e, e)))
            note_way(row, reach, d[0], d[1], d[2])


def watch_places(places: ContactPlaces, name: str, assign: Callable[[Any], Any]) -> Gaps:
    """The gaps of all places; ``assign`` binds them to the cables that they have now."""
    numbers, fill = create_numbers(len(places.at)), call(fill_cable_gaps)
    known, found = np.zeros(len(places.at), np.bool_), np.zeros(len(places.at), np.bool_)

    def measure(s: Any) -> None:
        assign(s)
        found[:] = places.number > 0.0
        numbers[~found, GAP] = np.inf
        # a place that was free knows nothing of the start of the step
        numbers[~known, START + GAP] = np.nan
        fill(places.c, places.taken, places.rank, s.data, s.x, s.v, numbers)

    def accept() -> None:
        known[:] = found

    def describe(k: int) -> str:
        return f"point {places.point[k]} of {name} row {places.cable[k]}"

    return Gaps(measure, numbers, describe, weighed=True, accept=accept)
