"""Sums over the segments or points of one pulley, for sensors of quantities that require neither tensions nor the
positions of entry and exit. The docstring of `pulley_report.py` defines symbols and formulas."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors.circle_contact.view import ContactView
from windlass.connectors.contact.account import POWERS
from windlass.connectors.contact.circles import CIRCLE_FAMILY
from windlass.connectors.contact.place_numbers import FN, FT, GAP, STATE
from windlass.connectors.reports.pulley_rows import PulleyContacts
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.system import Fields

NAMES = ("segments_in_contact", "segments_sticking", "wrap_angle", "slip_arc", "normal_force", "torque", *POWERS)
"""Names of the sums, in the order of the array of sums."""
TOUCHING, STICKING, WRAP, SLIP, NORMAL, TORQUE, FIRST_POWER = range(7)


class PulleyRows(NamedTuple):
    """Contact rows of one pulley in their order along the cable. Arrays have the shape (rows,) unless noted otherwise.

    Attributes:
        circle: indices of the markers of the circles among the markers of their family.
        data: index of the first history value of each row.
        n: number of segments or points of each row.
        active: whether each row is active.
        chain: for each row, the index of the chain that contains the cable of the row.
        closed: whether each chain is closed, shape (chains,).
        radius: radius of the circle [m].
        lever: height of the axis, at which friction acts, above the face [m]. NaN: friction acts at the radius of the
            circle.
    """

    circle: IntArray
    data: IntArray
    n: IntArray
    active: BoolArray
    chain: IntArray
    closed: BoolArray
    radius: FloatArray
    lever: FloatArray


@kernel(fast=False)
def find_stretch(touching: BoolArray, closed: bool) -> tuple[int, int]:
    """Return the index of the first segment in contact along a cable, and the number of segments from the first to the
    last segment in contact.

    On a closed cable, the first segment is the segment after the longest part without contact. If all segments are in
    contact, the first segment is segment 0.
    """
    n, first, last = len(touching), -1, -1
    widest, begin, end = 0, 0, 0
    for i in range(n):
        if touching[i]:
            if first < 0:
                first = i
            elif i - last > widest:
                widest, begin, end = i - last, i, last
            last = i
    if first < 0:
        return 0, 0
    if not closed:
        return first, last - first + 1
    # on a closed cable, the part without contact can include the end and the start of the array
    if first + n - last > widest:
        widest, begin, end = first + n - last, first, last
    if widest == 1:
        return 0, n
    return begin, (end - begin) % n + 1


@kernel(fast=False)
def sum_pulley(
    c: PulleyRows, centre: FloatArray, data: FloatArray, ends: FloatArray, out: FloatArray, powers: FloatArray,
    sums: FloatArray,
) -> None:  # fmt: skip
    """Evaluate the sums of a pulley, in the order of `NAMES`.

    Args:
        centre: positions of all markers [m], shape (markers, 3).
        ends: ends of the segments [m], shape (rows, segments + 1, 2).
        out: output quantities of segments or points, see `contact/place_numbers.py`.
        powers: powers of the segments, shape (rows, segments, 6). If the array is empty, powers are not summed.
    """
    most, total = 0, 0
    counts = np.zeros(len(c.closed), np.int64)
    for i in range(len(c.n)):
        total += c.n[i]
    angle, touching, chain = np.empty(total), np.empty(total, np.bool_), np.empty(total, np.int64)
    for j in range(len(sums)):
        sums[j] = 0.0
    # loop over segments along the cable
    k = 0
    for i in range(len(c.n)):
        cx, cy = centre[c.circle[i], 0], centre[c.circle[i], 1]
        ax, ay = ends[i, 0, 0] - cx, ends[i, 0, 1] - cy
        for s in range(c.n[i]):
            bx, by = ends[i, s + 1, 0] - cx, ends[i, s + 1, 1] - cy
            angle[k], chain[k] = np.arctan2(ax * by - ay * bx, ax * bx + ay * by), c.chain[i]
            # forces and states
            ax, ay, state = bx, by, out[i, s, STATE]
            touching[k] = c.active[i] and data[c.data[i] + s] <= 0.0
            arm = c.radius[i] if np.isnan(c.lever[i]) else c.radius[i] + (out[i, s, GAP] + c.lever[i])
            sums[TORQUE] += arm * out[i, s, FT]
            sums[NORMAL] -= out[i, s, FN]
            if touching[k]:
                counts[chain[k]] += 1
                sums[TOUCHING] += 1.0
                if state == 0.0:
                    sums[STICKING] += 1.0
                elif abs(state) == 1.0:
                    sums[SLIP] += abs(angle[k])
            k += 1
    # powers
    for i in range(len(powers)):
        for s in range(c.n[i]):
            for j in range(powers.shape[2]):
                sums[FIRST_POWER + j] += powers[i, s, j]
    # chain with the largest number of segments in contact
    for j in range(1, len(counts)):
        if counts[j] > counts[most]:
            most = j
    # segments of this chain
    members, count = np.empty(total, np.int64), 0
    for k in range(total):
        if chain[k] == most:
            members[count] = k
            count += 1
    along = np.empty(count, np.bool_)
    for k in range(count):
        along[k] = touching[members[k]]
    begins, length = find_stretch(along, c.closed[most])
    for k in range(length):
        sums[WRAP] += angle[members[(begins + k) % count]]
    sums[WRAP] = abs(sums[WRAP])


_sum = call(sum_pulley)


def bind_sums(pulley: PulleyContacts, contact: ContactView) -> PulleyRows:
    """Create the `PulleyRows` of a pulley whose segments are all on this process."""
    lever = contact.cord if contact.at_point else np.full(len(contact.n), np.nan)
    return PulleyRows(
        circle=np.ascontiguousarray(contact.circle, np.int64),
        data=np.ascontiguousarray(contact.data, np.int64),
        n=np.ascontiguousarray(contact.n, np.int64),
        active=np.ascontiguousarray(contact.active, np.bool_),
        chain=np.ascontiguousarray(pulley.chain, np.int64),
        closed=np.array(pulley.closed, np.bool_),
        radius=np.ascontiguousarray(pulley.radius, np.float64),
        lever=np.ascontiguousarray(lever, np.float64),
    )


def eval_sums(rows: PulleyRows, contact: ContactView, fields: Fields, with_powers: bool) -> dict[str, Any]:
    """Return the sums in a dictionary with the names in `NAMES` as keys. Powers are 0 unless ``with_powers`` is
    true.
    """
    sums, none = np.empty(len(NAMES)), np.zeros((0, 0, 0))
    out, powers = contact.evaluate(fields), contact.powers(fields) if with_powers else none
    _sum(rows, fields.markers[CIRCLE_FAMILY].position, fields.data, contact.ends(fields), out, powers, sums)
    return dict(zip(NAMES, sums.tolist(), strict=True))
