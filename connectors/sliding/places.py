"""Data of the rows of sliding joints, and the update that finds the cable on which the point of each joint lies.

The symbols are the same as in `sliding_joint`: σ is the position along the track, and S is the position at which a
cable begins. A row couples the coordinates [s, marker, axial motion of the material, nodes of the cable].
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
"""CABLE, TURNS, LEFT, HELD: indices of the history values of a row. UNKNOWN: history value CABLE before the first
update.
"""
BEYOND = 0.5
"""Largest distance beyond an end of the track at which a joint is treated as on the track, divided by the length of the
last cable [1].
"""


class SlidingRows(NamedTuple):
    """Data of n rows of sliding joints and of the c cables of all tracks.

    Attributes:
        rows: structured array with the following data per row, shape (n,). ``marker`` is the index of the marker among
            the markers of its family. ``lam``, shape (3,), contains the process-local indices of the multipliers.
            ``on``: whether the row is switched on. ``leaves``: whether the joint can leave its track at the ends.
            ``dims`` is the number of equations. ``reference``, shape (2,), contains the reference values of s and of
            the axial motion [m]. The friction parameters are ``d`` [N s/m], ``mu`` [1] and ``v0`` [m/s]. ``data`` is
            the index of the first history value. ``first`` and ``last`` are the end cables of the track. ``closed`` is
            True for a closed track, and ``total`` is the length of the track [m]. The history values determine the
            remaining data. ``cable`` is the current cable of the row. ``offset`` is S plus, on a closed track, the
            length of the completed turns [m]. ``winch``: whether the track is a winch rope. In this case ``offset`` and
            ``total`` are fractions of the length of the rope [1]. ``left`` is true if the joint has left its track.
            ``held`` is the displacement of s while the row is switched off or has left its track [m].
        cables: structured array, shape (c,): ``start``, the position of the start along the track [m], ``length`` [m],
            and the coordinate indices ``nodes``, shape (13,). For winch ropes, ``start`` and ``length`` are divided by
            the length of the rope.
        dofs: process-local indices of the coordinates, including the nodes of the current cable, shape (n, width + 14).
        width: number of coordinates of a marker.
    """

    rows: NDArray[Any]
    cables: NDArray[Any]
    dofs: IntArray
    width: int


@kernel
def place_of(c: SlidingRows, i: int, x: FloatArray) -> float:
    """Return the position σ [m] of row i along the track."""
    row = c.rows[i]
    moved: float = x[c.dofs[i, 1 + c.width]] - row.reference[1]
    return float(x[c.dofs[i, 0]] + moved)


@kernel
def scale_of(c: SlidingRows, i: int, x: FloatArray) -> float:
    """Return the length [m] of the rope if the track of row i is a winch rope, otherwise 1."""
    return float(x[c.dofs[i, 1 + c.width]]) if c.rows[i].winch else 1.0


@kernel
def find_cable(c: SlidingRows, i: int, x: FloatArray, near: int) -> tuple[int, float]:
    """Return the index of the cable at the position of row i along its track, and the number of completed turns of a
    closed track. The search begins at the cable ``near``.
    """
    row, place = c.rows[i], place_of(c, i, x) / scale_of(c, i, x)
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
    """For each row, set the data that depend on the history values, for example the current cable, and write the
    coordinates of the nodes of this cable into ``c.dofs``. If the cable in the history values is unknown, the cable is
    found from the position. Return whether the cable of any row has changed.
    """
    changed = False
    for i in range(len(c.rows)):
        row = c.rows[i]
        at = row.data
        if data[at + CABLE] == UNKNOWN:
            cable, turns = find_cable(c, i, x, row.first)
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
    """Write the cable at the position of each row, and the displacement of s, into the history values. Rows whose joint
    has left its track are omitted. This kernel is called at the start of a run.
    """
    for i in range(len(c.rows)):
        row = c.rows[i]
        at = row.data
        if data[at + LEFT] <= 0.0:
            cable, turns = find_cable(c, i, x, row.first)
            data[at + CABLE], data[at + TURNS] = cable - row.first, turns
            data[at + HELD] = x[c.dofs[i, 0]] - row.reference[0]


@kernel
def update_cables(c: SlidingRows, x: FloatArray, lam: FloatArray, data: FloatArray, outcome: FloatArray) -> None:
    """After Newton's method, write the cable of each row, and whether the joint has left its track, into the history
    values.

    If the cable of a joint changes, the step must be solved again with the cubic of the new cable, unless the joint
    carries no force.
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
        cable, turns = find_cable(c, i, x, row.cable)
        leaves = row.leaves and not row.closed and (place < 0.0 or place > row.total * scale_of(c, i, x))
        if cable - row.first != data[at + CABLE] or turns != data[at + TURNS] or leaves:
            changed = True
            if force > error:
                error, worst = force, i
        data[at + CABLE], data[at + TURNS], data[at + LEFT] = cable - row.first, turns, 1.0 if leaves else 0.0
        data[at + HELD] = x[c.dofs[i, 0]] - row.reference[0]
    note_outcome(outcome, error, np.inf, changed, largest, worst)


@kernel
def is_lost(c: SlidingRows, i: int, x: FloatArray) -> bool:
    """Return whether the joint of row i is lost. A joint is lost if it must not leave its track, but its position is
    far beyond an end of the track.
    """
    row, place = c.rows[i], place_of(c, i, x) / scale_of(c, i, x)
    if row.closed or row.leaves:
        return False
    before, after = BEYOND * c.cables[row.first].length, BEYOND * c.cables[row.last].length
    return bool(place < -before or place > row.total + after)
