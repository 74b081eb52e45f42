"""The parts of an update before and after the search for contacts, see `update.py`. Compiled code executes both parts,
and calls the search only if the result of the last search is no longer valid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.cable_contact.kernels import PairList
from windlass.connectors.cable_contact.places import UNKNOWN, ContactPlaces, ContactSlots, list_contacts
from windlass.connectors.cable_contact.update import CableUpdate, follow_feet, update_history
from windlass.connectors.contact.pair_search import fill_hulls, find_way
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.array_kernels import copy_values
from windlass.framework.kernels.kernel import kernel

MOVED, ALL = 1, 2
"""Values of `UpdateProgress.due`. MOVED: cables have moved farther than the search margin. ALL: the last search is not
valid. The reason is that a step was rejected, or that each update searches for contacts.
"""


class UpdateProgress(NamedTuple):
    """Results of the first part of an update. The class also contains the data from which this part decides whether a
    search is necessary.

    Attributes:
        errors, forces: results of `follow_feet`, shape (rows,) each.
        number: index of the other cable of each slot before the update, see `ContactSlots`, shape (slots,).
        left: index of the other cable of each slot after the last update, shape (slots,).
        hull: control points of the cables at the last search (`eval_hulls`) [m], shape (rows, 4, 3).
        now: memory for the present control points [m], shape (rows, 4, 3).
        limits: limit [m], shape (1,), for twice the largest motion of a control point. Below the limit, the last search
            is valid. The limit is 0 if the last search is not valid.
        due: 0 if no search is necessary, otherwise `MOVED` or `ALL`, shape (1,).
    """

    errors: FloatArray
    forces: FloatArray
    number: FloatArray
    left: FloatArray
    hull: FloatArray
    now: FloatArray
    limits: FloatArray
    due: IntArray


def create_progress(c: NDArray[Any], places: ContactPlaces) -> UpdateProgress:
    """Create the data for updates of the given cables. The data are kept from one update to the next."""
    rows, slots = len(c), len(places.point)
    errors, forces, number, left = (np.zeros(n) for n in (rows, rows, slots, slots))
    hull, now = np.zeros((2, rows, 4, 3))
    return UpdateProgress(errors, forces, number, left, hull, now, np.zeros(1), np.zeros(1, np.int64))


@kernel(fast=False)
def begin_update(
    c: NDArray[Any], slots: ContactSlots, list_: PairList, k: UpdateProgress, data: FloatArray, start: FloatArray,
    x: FloatArray, lasts: bool,
) -> None:  # fmt: skip
    """Update the feet of all contacts, and decide whether a search for contacts is necessary. The argument ``lasts`` is
    the attribute of `NeighbourPattern`.
    """
    list_contacts(slots, len(c), data, list_)
    k.due[0] = 0 if lasts else ALL
    for i in range(len(k.number)):
        k.number[i] = slots.number[i]
        # if the last stage or step was rejected, the stored contacts differ from the contacts after the last update, so
        # this update must search for contacts again
        if k.number[i] != k.left[i]:
            k.due[0] = ALL
    follow_feet(c, list_, data, start, x, k.errors, k.forces)
    fill_hulls(x, c["dofs"], c["length"], k.now)
    n = 4 * len(c)
    # if a coordinate is NaN, the search is called, and the search detects the divergence
    if k.due[0] == 0 and not 2.0 * find_way(k.now.reshape(n, 3), k.hull.reshape(n, 3)) < k.limits[0]:
        k.due[0] = MOVED


@kernel(inline=True)
def find_place(own: IntArray, row: int) -> int:
    """Return the index of ``row`` in ``own``, the ascending rows of this process, which must contain this row."""
    place = 0
    while own[place] < row:
        place += 1
    return place


@kernel(fast=False)
def end_update(
    c: NDArray[Any], own: IntArray, slots: ContactSlots, list_: PairList, k: UpdateProgress, data: FloatArray,
    start: FloatArray, x: FloatArray, v: FloatArray, size: FloatArray, mapped: FloatArray, recoupled: FloatArray,
    outcome: FloatArray,
) -> None:  # fmt: skip
    """Update contact states and bristles. The argument ``own`` contains the rows of this process in ascending order.
    The other arrays are explained in `create_update` and `Fields`.
    """
    list_contacts(slots, len(c), data, list_)
    passed = False
    for i in range(len(k.number)):
        passed = passed or k.number[i] != slots.number[i]
    copy_values(slots.number, k.left)
    update_history(
        CableUpdate(c, k.errors, k.forces, passed, size[0] == 0.0), c, data, start, x, v, size, mapped, True, outcome
    )
    if slots.counts[UNKNOWN] != 0:
        recoupled[0] = 1.0
    if outcome[4] >= 0.0:
        outcome[4] = find_place(own, int(outcome[4]))
