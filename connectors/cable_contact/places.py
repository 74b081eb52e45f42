"""The contacts of points with cables: data for kernels, and values for outputs and energy balances. Each point has
several contact slots in its history values; a slot stores one contact with a cable, or is free.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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


@dataclass
class ContactPlaces:
    """All contact slots of the points of this process, the contacts stored in these slots, and the cables of all
    processes.
    """

    c: NDArray[Any]  # records of the cables
    at: IntArray  # index of the first history value of every contact slot, shape (slots,)
    cable: IntArray  # row of the cable of every slot, shape (slots,)
    point: IntArray  # index of the point of every slot on its cable, shape (slots,)
    x: FloatArray  # arc length, along its cable, of the point of every slot [m], shape (slots,)
    number: FloatArray  # index of the other cable of every slot, counted from 1; 0: free slot, shape (slots,)
    taken: PairList  # the contacts
    rank: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    """Index of the slot of each contact, in the order of ``taken``, shape (m,)."""

    def assign(self, data: FloatArray) -> None:
        """Update ``number``, ``taken`` and ``rank`` from the history values."""
        number = data[self.at + NUMBER]
        if np.array_equal(number, self.number):
            return
        self.number = number
        other = number.astype(np.int64) - 1
        bound = np.flatnonzero(other >= 0)
        key = self.cable[bound] * len(self.c) + other[bound]
        order = np.argsort(key, kind="stable")
        self.rank = bound[order]
        pairs, first = np.unique(key[order], return_index=True)
        pair = np.stack((pairs // len(self.c), pairs % len(self.c)), axis=1)
        first = np.append(first, len(order))
        self.taken = PairList(self.at[self.rank], self.cable[self.rank], self.x[self.rank], first, pair)

    def eval_dofs(self) -> IntArray:
        """Return the process-local coordinate indices of all pairs of cables, shape (pairs, 24), with twist (pairs,
        28).
        """
        dofs: IntArray = self.c["dofs"][self.taken.pair].reshape(-1, 2 * self.c["dofs"].shape[1])
        return dofs


def create_places(c: NDArray[Any]) -> ContactPlaces:
    """Create all contact slots of the points of this process. All slots are free."""
    points = np.repeat(np.arange(len(c)), c["points"])
    number = np.arange(len(points)) - np.repeat(np.cumsum(c["points"]) - c["points"], c["points"])
    cable, point = np.repeat(points, TOUCHING), np.repeat(number, TOUCHING)
    at = c["data"][cable] + (point * TOUCHING + np.tile(np.arange(TOUCHING), len(points))) * WIDTH
    # arc lengths of the points, as in `arc_length_of`
    x = (number + 0.5) * c["length"][points] / c["points"][points]
    none = np.zeros(0, np.int64)
    taken = PairList(none, none, np.zeros(0), np.zeros(1, np.int64), np.zeros((0, 2), np.int64))
    return ContactPlaces(c, at, cable, point, np.repeat(x, TOUCHING), np.zeros(len(at)), taken)


@dataclass
class CableSystem(System):
    """The system of `ContactFrictionCables3D`. Each row of ``dofs`` contains the process-local coordinate indices of a
    pair of cables.
    """

    places: ContactPlaces | None = None  # the contacts of the points of this process
    coupled: IntArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Rows of the two cables of each pair whose coordinate indices are in ``dofs``, shape (pairs, 2)."""


@kernel
def fill_places(
    c: NDArray[Any], list_: PairList, data: FloatArray, x: FloatArray, v: FloatArray, out: FloatArray, parts: FloatArray
) -> None:
    """Write values of the m contacts, in the order of ``list_``, into ``out``, shape (m, SHOWN), and their powers and
    energies into ``parts``, shape (m, NUMBERS).

    out: pressing force p, force -f on A, slip velocity v_t, torques -M·t on cable A and on cable B, depth, and share σ.
    parts: powers and energies in the order that `contact/power.py` defines.
    """
    space = np.zeros(1, SPINS)
    g = space[0]
    for i in range(len(list_.at)):
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
"""Calls for cables with 12 and with 14 coordinates, because the types of their records differ."""


def eval_places(places: ContactPlaces, fields: Fields) -> tuple[FloatArray, FloatArray]:
    """Return the results ``out`` and ``parts`` of `fill_places`, shapes (m, SHOWN) and (m, NUMBERS)."""
    places.assign(fields.data)
    m = len(places.taken.at)
    out, parts = np.zeros((m, SHOWN)), np.zeros((m, NUMBERS))
    parts[:, power.STATE] = OPEN
    fill = _fill if places.c["dofs"].shape[1] == 12 else _fill_twist
    fill(places.c, places.taken, fields.data, fields.x, fields.v, out, parts)
    return out, parts


def eval_parts(places: ContactPlaces, fields: Fields) -> FloatArray:
    """Return the powers and energies of all contact slots, shape (rows, largest number of slots of a row, NUMBERS)."""
    c = places.c
    _, parts = eval_places(places, fields)
    whole = np.zeros((len(c), int(c["points"].max(initial=0)) * TOUCHING, NUMBERS))
    whole[..., power.STATE], whole[..., power.GAP] = OPEN, NO_GAP
    of_cable = places.rank - (np.cumsum(c["points"]) - c["points"])[places.taken.cable] * TOUCHING
    whole[places.taken.cable, of_cable] = parts
    return whole
