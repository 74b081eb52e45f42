"""The contacts of points with cables: data for kernels, and values for outputs and energy balances. In the history
values, each point has several contact slots. A slot stores one contact with a cable, or is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.kernels import (
    FOOT,
    NUMBER,
    SHARE,
    STATE,
    TOUCHING,
    WIDTH,
    PairList,
    eval_forces,
    eval_pair,
    read_pair,
)
from windlass.connectors.cable_contact.material import SPINS
from windlass.connectors.cable_contact.tangent import eval_change
from windlass.connectors.contact import power
from windlass.connectors.contact.account import NO_GAP, OPEN
from windlass.connectors.contact.power import NUMBERS, eval_bristle, write_place
from windlass.connectors.friction.bristle import SLIPS
from windlass.elements.nodes.vectors import cross, dot
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields, System

SHOWN = 11
"""Number of values that `fill_places` writes for each contact."""
PRESS, FORCE, SLIP, TORQUE_A, TORQUE_B, DEPTH, PART = 0, 1, 4, 7, 8, 9, 10


KEYS, UNKNOWN, RENEWED = range(3)
"""Indices in `ContactSlots.counts`. KEYS: number of coupled pairs. UNKNOWN: 1 if the pair of a contact is not coupled,
otherwise 0. RENEWED: 1 if the coupled pairs have changed since the last list.
"""
ROOM = 6
"""Largest number of coupled pairs, divided by the largest number of contacts."""
KEPT = 2.0
"""Largest number of coupled pairs, divided by the number of pairs that contacts require [1]. If more pairs are coupled,
the pairs that no contact requires are removed.
"""


class ContactSlots(NamedTuple):
    """All contact slots of the points of this process, in the order of cable and point.

    The coupled pairs are the pairs of cables for which the tangent contains matrix entries. They include all pairs with
    contacts, pairs with a cable B to which a foot can move next, and pairs that had contacts before. Therefore the
    sparsity pattern seldom changes when feet move along a chain. The key of a pair is the row of cable A times the
    number of cables, plus the row of cable B.
    """

    at: IntArray  # index of the first history value of every slot, shape (slots,)
    cable: IntArray  # row of the cable of every slot, shape (slots,)
    place: FloatArray  # arc length [m], along the cable, of the contact point of every slot, shape (slots,)
    number: FloatArray  # index of the other cable of every slot, counted from 1; 0: free slot, shape (slots,)
    keys: IntArray  # keys of the coupled pairs in ascending order, shape (ROOM slots,)
    counts: IntArray  # numbers and flags with the indices KEYS, UNKNOWN and RENEWED, shape (3,)


@kernel(inline=True, fast=False)
def find_key(keys: IntArray, count: int, key: int) -> int:
    """Return the index of ``key`` among the first ``count`` keys. If these keys do not contain ``key``, return -1."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < count and keys[low] == key else -1


@kernel(fast=False)
def list_contacts(slots: ContactSlots, cables: int, data: FloatArray, list_: PairList) -> None:
    """Update ``list_`` and ``slots.number`` from the history values. The argument ``cables`` is the number of
    cables.
    """
    changed = slots.counts[RENEWED] != 0
    for i in range(len(slots.at)):
        number = data[slots.at[i] + NUMBER]
        if number != slots.number[i]:
            changed, slots.number[i] = True, number
    if not changed:
        return
    # sort the contacts by cable A and cable B; the slots are already in the order of cable A
    m, begin, rank = 0, 0, list_.rank
    for i in range(len(slots.at)):
        if slots.number[i] <= 0.0:
            continue
        if m > 0 and slots.cable[rank[m - 1]] != slots.cable[i]:
            begin = m
        j = m
        while j > begin and slots.number[rank[j - 1]] > slots.number[i]:
            rank[j] = rank[j - 1]
            j -= 1
        rank[j] = i
        m += 1
    # collect the pairs
    pairs = 0
    slots.counts[UNKNOWN] = slots.counts[RENEWED] = 0
    for j in range(m):
        i = rank[j]
        a, b = slots.cable[i], int(slots.number[i]) - 1
        list_.at[j], list_.cable[j], list_.place[j] = slots.at[i], a, slots.place[i]
        if pairs == 0 or list_.pair[pairs - 1, 0] != a or list_.pair[pairs - 1, 1] != b:
            list_.first[pairs], list_.pair[pairs, 0], list_.pair[pairs, 1] = j, a, b
            row = find_key(slots.keys, slots.counts[KEYS], a * cables + b)
            list_.coupling[pairs] = row
            if row < 0:
                slots.counts[UNKNOWN] = 1
            pairs += 1
    list_.first[pairs] = m
    list_.counts[0], list_.counts[1] = pairs, m


_list = call(list_contacts)


@dataclass
class ContactPlaces:
    """All contact slots of the points of this process, the contacts stored in these slots, and the cables of all
    processes.
    """

    c: NDArray[Any]  # records of the cables
    point: IntArray  # index of the point of every slot on its cable, shape (slots,)
    slots: ContactSlots
    list_: PairList
    exact: bool = False
    """Whether `couple` must couple only the pairs with contacts. This is the case at the start of a run."""

    def assign(self, data: FloatArray) -> None:
        """Update the list of contacts from the history values."""
        _list(self.slots, len(self.c), data, self.list_)

    @property
    def taken(self) -> PairList:
        """The contacts, without the unused elements of the arrays."""
        x, (k, m) = self.list_, self.list_.counts.tolist()
        return PairList(
            x.at[:m], x.cable[:m], x.place[:m], x.rank[:m], x.first[: k + 1], x.pair[:k], x.coupling[:k], x.counts
        )

    @property
    def coupled(self) -> IntArray:
        """Rows of the two cables of each coupled pair, shape (pairs, 2)."""
        keys = self.slots.keys[: self.slots.counts[KEYS]]
        return np.stack((keys // len(self.c), keys % len(self.c)), axis=1)

    @property
    def is_outdated(self) -> bool:
        """Whether the coupled pairs must change before the tangent is evaluated."""
        return self.exact or bool(self.slots.counts[UNKNOWN])

    def couple(self, data: FloatArray) -> None:
        """Couple all pairs with contacts in the history values. Also couple cable A of each pair with both neighbours
        of cable B. Pairs that were coupled before remain coupled, unless ``exact`` is true or the number of pairs
        becomes too large.
        """
        slots, pair, keeps, self.exact = self.slots, self.taken.pair, not self.exact, False
        others = np.stack((pair[:, 1], self.c["before"][pair[:, 1]], self.c["after"][pair[:, 1]]), axis=1)
        own = np.unique((pair[:, :1] * len(self.c) + others)[others >= 0])
        keys = np.union1d(own, slots.keys[: slots.counts[KEYS]]) if keeps else own
        if len(keys) > min(KEPT * len(own), len(slots.keys)):
            keys = own
        slots.keys[: len(keys)], slots.counts[KEYS], slots.counts[RENEWED] = keys, len(keys), 1
        self.assign(data)

    def eval_dofs(self) -> IntArray:
        """Return the process-local coordinate indices of all coupled pairs of cables, shape (pairs, 24). For cables
        with twist, the shape is (pairs, 28).
        """
        dofs: IntArray = self.c["dofs"][self.coupled].reshape(-1, 2 * self.c["dofs"].shape[1])
        return dofs


def create_places(c: NDArray[Any]) -> ContactPlaces:
    """Create all contact slots of the points of this process. All slots are free."""
    points = np.repeat(np.arange(len(c)), c["points"])
    number = np.arange(len(points)) - np.repeat(np.cumsum(c["points"]) - c["points"], c["points"])
    cable, point = np.repeat(points, TOUCHING), np.repeat(number, TOUCHING)
    at = c["data"][cable] + (point * TOUCHING + np.tile(np.arange(TOUCHING), len(points))) * WIDTH
    # arc lengths of the points, by the formula of `arc_length_of`
    x = np.repeat((number + 0.5) * c["length"][points] / c["points"][points], TOUCHING)
    n = len(at)
    slots = ContactSlots(at, cable, x, np.zeros(n), np.zeros(ROOM * n, np.int64), np.zeros(3, np.int64))
    at, cable, rank, coupling, first = (np.zeros(n + (k == 4), np.int64) for k in range(5))
    pair, counts = np.zeros((n, 2), np.int64), np.zeros(2, np.int64)
    return ContactPlaces(c, point, slots, PairList(at, cable, np.zeros(n), rank, first, pair, coupling, counts))


@dataclass
class CableSystem(System):
    """The system of `ContactFrictionCables3D`. Each row of ``dofs`` contains the process-local coordinate indices of a
    pair of cables.
    """

    places: ContactPlaces | None = None  # the contacts of the points of this process


@kernel
def fill_places(
    c: NDArray[Any], list_: PairList, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray, parts: FloatArray
) -> None:
    """Write values of the m contacts, in the order of ``list_``, into ``out``, shape (m, SHOWN). Write the powers and
    energies of these contacts into ``parts``, shape (m, NUMBERS).

    out: pressing force p, force -f on A, slip velocity v_t, torques -M·t on cable A and on cable B, depth, and share σ.
    parts: powers and energies in the order that `contact/power.py` defines.
    """
    space = np.zeros(1, SPINS)
    g = space[0]
    for i in range(list_.counts[1]):
        at, a, xi = list_.at[i], list_.cable[i], list_.place[i]
        b, s = int(data[at + NUMBER]) - 1, data[at + FOOT]
        held = (s <= 0.0 and c[b].before < 0) or (s >= c[b].length and c[b].after < 0)
        par, m, z, t = eval_pair(c, read_pair(c, a, b, x, v), data, data, x, v, at, xi, s, held, g)
        depth = par.reach - t.D
        out[i, DEPTH], out[i, PART], parts[i, power.GAP] = depth, data[at + SHARE], -depth
        if depth <= 0.0:
            continue
        # forces and torques
        force, _, _ = eval_forces(par, t)
        couple = cross(t.d, t.f.force)
        out[i, PRESS] = t.press
        out[i, TORQUE_A], out[i, TORQUE_B] = par.beta * dot(couple, t.ta), (1.0 - par.beta) * dot(couple, t.tb)
        for e in range(3):
            out[i, FORCE + e], out[i, SLIP + e] = -force[e], t.vt[e]
        # powers and energies
        law = par.law
        taken, damping, lever = dot(t.f.force, t.vt), 0.0, 0.0
        dashpot, bent = eval_bristle(law, -t.press, False, t.vt, t.u)
        if data[at + STATE] != SLIPS:
            turned = m.q.a.rate, 0.0, m.q.b.rate, 0.0
            rate = eval_change(par, m, z, t, m.va, m.wa, m.va, m.wa, m.vb, m.wb, m.vb, m.wb, turned).u
            damping = dashpot if law.friction_coefficient > 0.0 else 0.0
            lever = taken - damping - law.friction_stiffness * dot(t.u, rate)
        write_place(parts[i], law, -depth, t.vn, -t.press, data[at + STATE], taken, damping, lever, bent)


_fill, _fill_twist = call(fill_places), call(fill_places)
"""Calls for cables with 12 and with 14 coordinates. The two cases need separate calls, because the types of the records
differ.
"""


def eval_places(places: ContactPlaces, fields: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the results ``out`` and ``parts`` of `fill_places`, shapes (m, SHOWN) and (m, NUMBERS)."""
    places.assign(fields.data)
    m = int(places.list_.counts[1])
    out, parts = np.zeros((m, SHOWN)), np.zeros((m, NUMBERS))
    parts[:, power.STATE] = OPEN
    fill = _fill if places.c["dofs"].shape[1] == 12 else _fill_twist
    fill(places.c, places.list_, fields.data, fields.x, fields.v, out, parts)
    return out, parts


def eval_parts(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the powers and energies of all contact slots, shape (rows, largest number of slots of a row, NUMBERS)."""
    c = places.c
    _, parts = eval_places(places, fields)
    whole = np.zeros((len(c), int(c["points"].max(initial=0)) * TOUCHING, NUMBERS))
    whole[..., power.STATE], whole[..., power.GAP] = OPEN, NO_GAP
    taken = places.taken
    of_cable = taken.rank - (np.cumsum(c["points"]) - c["points"])[taken.cable] * TOUCHING
    whole[taken.cable, of_cable] = parts
    return whole
