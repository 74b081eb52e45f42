"""Rows of sliding joints, and the cable of its track on which each joint is.

Symbols as in `sliding_joint`: σ place along the track, S place at which a cable begins. A row couples [s, coordinates
of the marker, axial motion of the material, nodes of the cable].
"""

from __future__ import annotations

from math import floor, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel

UNKNOWN, CABLE, TURNS, LEFT, HELD = -1.0, 0, 1, 2, 3
"""UNKNOWN: cable of a row before its first update. CABLE, TURNS, LEFT, HELD: positions of the history values of a
row."""
BEYOND = 0.5
"""Largest distance beyond an end of the track at which a joint counts as on the track, per length of the last cable
[1]."""


class SlidingRows(NamedTuple):
    """Rows of sliding joints; n rows, and all tracks with c cables.

    Attributes:
        rows: records, shape (n,), with the position of the ``marker`` in the columns of its family, the local numbers
            of the multipliers ``lam`` (3), whether it is ``on`` and ``leaves`` its track at the ends, the number of
            equations ``dims``, the ``reference`` of s and of the axial motion [m] (2), friction ``d``, ``mu``, ``v0``
            [N s/m, 1, m/s], the position of the history values ``data``, the ``first`` and ``last`` cable of the track,
            whether it is ``closed``, and its ``total`` length [m]; what follows from the history values: the ``cable``
            that the row is bound to, its ``offset`` S with the turns of a closed track [m], whether the row has
            ``left`` its track, and the displacement of s where it is switched off or has left, ``held`` [m].
        cables: records, shape (c,): place of the ``start`` [m], ``length`` [m], coordinate numbers ``nodes`` (13).
        dofs: local coordinate numbers, including the nodes of the current cable, shape (n, width + 14).
        width: number of coordinates of a marker.
    """

    rows: NDArray[Any]
    cables: NDArray[Any]
    dofs: IntArray
    width: int


@kernel
def place_of(c: SlidingRows, i: int, x: FloatArray) -> float:
    """σ of row i [m]."""
    row = c.rows[i]
    moved: float = x[c.dofs[i, 1 + c.width]] - row.reference[1]
    return float(x[c.dofs[i, 0]] + moved)


@kernel
def find_cable(c: SlidingRows, i: int, place: float, near: int) -> tuple[int, float]:
    """Find the cable at a place along the track of row i, beginning with a near cable, and the number of turns."""
    row = c.rows[i]
    turns = float(floor(place / row.total)) if row.closed else 0.0
    place -= turns * row.total
    cable = min(max(near, row.first), row.last)
    while cable < row.last and place > c.cables[cable].start + c.cables[cable].length:
        cable += 1
    while cable > row.first and place < c.cables[cable].start:
        cable -= 1
    return cable, turns


@kernel
def assign_cables(c: SlidingRows, x: FloatArray, data: FloatArray) -> bool:
    """Bind rows to the cables of the history values; return whether any row is bound to another cable than before."""
    changed = False
    for i in range(len(c.rows)):
        row = c.rows[i]
        at = row.data
        if data[at + CABLE] == UNKNOWN:
            cable, turns = find_cable(c, i, place_of(c, i, x), row.first)
        else:
            cable, turns = row.first + int(data[at + CABLE]), data[at + TURNS]
        row.offset = c.cables[cable].start + turns * row.total
        row.left, row.held = data[at + LEFT] > 0.0, data[at + HELD]
        if cable != row.cable:
            changed = True
            row.cable = cable
            for a in range(len(c.cables[cable].nodes)):
                c.dofs[i, 1 + c.width + a] = c.cables[cable].nodes[a]
    return changed


@kernel
def note_cables(c: SlidingRows, x: FloatArray, data: FloatArray) -> None:
    """Set the cables of the history values from the places of rows, as at the start of a run."""
    for i in range(len(c.rows)):
        row = c.rows[i]
        at = row.data
        if data[at + LEFT] <= 0.0:
            cable, turns = find_cable(c, i, place_of(c, i, x), row.first)
            data[at + CABLE], data[at + TURNS] = cable - row.first, turns
            data[at + HELD] = x[c.dofs[i, 0]] - row.reference[0]


@kernel
def update_cables(c: SlidingRows, x: FloatArray, lam: FloatArray, data: FloatArray, outcome: FloatArray) -> None:
    """The post-Newton update: find the cable of each row, and whether the row has left its track.

    A new cable has a different cubic, so the step must be solved again, unless the joint carries no force.
    """
    error, changed, largest, worst = 0.0, False, 0.0, -1
    for i in range(len(c.rows)):
        row = c.rows[i]
        at = row.data
        if not row.on or data[at + LEFT] > 0.0:
            continue
        place = place_of(c, i, x)
        force = sqrt(lam[row.lam[0]] ** 2 + lam[row.lam[1]] ** 2 + lam[row.lam[2]] ** 2)
        largest = max(largest, force)
        cable, turns = find_cable(c, i, place, row.cable)
        leaves = row.leaves and not row.closed and (place < 0.0 or place > row.total)
        if cable - row.first != data[at + CABLE] or turns != data[at + TURNS] or leaves:
            changed = True
            if force > error:
                error, worst = force, i
        data[at + CABLE], data[at + TURNS], data[at + LEFT] = cable - row.first, turns, 1.0 if leaves else 0.0
        data[at + HELD] = x[c.dofs[i, 0]] - row.reference[0]
    note_outcome(outcome, error, np.inf, changed, largest, worst)


@kernel
def is_lost(c: SlidingRows, i: int, place: float) -> bool:
    """Whether a joint that must remain on its track is far beyond one of its ends."""
    row = c.rows[i]
    if row.closed or row.leaves:
        return False
    before, after = BEYOND * c.cables[row.first].length, BEYOND * c.cables[row.last].length
    return bool(place < -before or place > row.total + after)
