"""Rows of sliding joints, and on which cable of its track each of them is.

Letters as in `sliding_joint`: σ place along the track, S place at which a cable begins.  A row couples [s, coordinates
of the marker, axial motion of the material, nodes of the cable].
"""

from __future__ import annotations

from math import floor, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.post_newton import note_outcome
from windlass.framework.kernels.kernel import kernel

UNKNOWN, CABLE, TURNS, LEFT, HELD = -1.0, 0, 1, 2, 3
"""Cable of a row before its first update; places of the history values of a row."""
BEYOND = 0.5
"""Largest distance beyond an end of the track of a joint that does not leave it, per length of the last cable [1]."""


class SlidingColumns(NamedTuple):
    """Rows of sliding joints; n rows, all tracks with c cables."""

    marker: IntArray  # position of the marker in the columns of its family, shape (n,)
    width: int  # coordinates of a marker
    # local coordinate numbers, including the nodes of the present cable, shape (n, width + 14)
    dofs: IntArray
    lam: IntArray  # local numbers of the multipliers, shape (n, 3)
    on: NDArray[np.bool_]  # switched on, shape (n,)
    leaves: NDArray[np.bool_]  # leaves its track at the ends, shape (n,)
    dims: IntArray  # equations of the row, shape (n,)
    reference: FloatArray  # of s and of the axial motion [m], shape (n, 2)
    d: FloatArray  # d, mu, v0: friction [N s/m, 1, m/s], shape (n,)
    mu: FloatArray
    v0: FloatArray
    data: IntArray  # position of the history values, shape (n,)
    first: IntArray  # first, last: cables of the track, the last one included, shape (n,)
    last: IntArray
    closed: NDArray[np.bool_]  # the track is closed, shape (n,)
    total: FloatArray  # its length [m], shape (n,)
    # start, length, nodes: of each cable: place of its start [m], length [m], local coordinate numbers, shapes
    # (c,), (c,) and (c, 13)
    start: FloatArray
    length: FloatArray
    nodes: IntArray
    cable: IntArray  # cable that a row is bound to, shape (n,)
    offset: FloatArray  # S, with the turns of a closed track [m], shape (n,)
    left: NDArray[np.bool_]  # the row has left its track, shape (n,)
    held: FloatArray  # displacement of s where it is switched off or has left [m], shape (n,)


@kernel
def place_of(c: SlidingColumns, i: int, x: FloatArray) -> float:
    """σ of row i [m]."""
    moved: float = x[c.dofs[i, 1 + c.width]] - c.reference[i, 1]
    return float(x[c.dofs[i, 0]] + moved)


@kernel
def find_cable(c: SlidingColumns, i: int, place: float, near: int) -> tuple[int, float]:
    """The cable at a place along the track of row i, sought from a near one, and the number of turns."""
    turns = float(floor(place / c.total[i])) if c.closed[i] else 0.0
    place -= turns * c.total[i]
    cable = min(max(near, c.first[i]), c.last[i])
    while cable < c.last[i] and place > c.start[cable] + c.length[cable]:
        cable += 1
    while cable > c.first[i] and place < c.start[cable]:
        cable -= 1
    return cable, turns


@kernel
def assign_cables(c: SlidingColumns, x: FloatArray, data: FloatArray) -> bool:
    """Bind rows to the cables of the history values; whether any is bound to another one than before."""
    changed = False
    for i in range(len(c.marker)):
        at = c.data[i]
        if data[at + CABLE] == UNKNOWN:
            cable, turns = find_cable(c, i, place_of(c, i, x), c.first[i])
        else:
            cable, turns = c.first[i] + int(data[at + CABLE]), data[at + TURNS]
        c.offset[i] = c.start[cable] + turns * c.total[i]
        c.left[i], c.held[i] = data[at + LEFT] > 0.0, data[at + HELD]
        if cable != c.cable[i]:
            changed = True
            c.cable[i] = cable
            for a in range(c.nodes.shape[1]):
                c.dofs[i, 1 + c.width + a] = c.nodes[cable, a]
    return changed


@kernel
def note_cables(c: SlidingColumns, x: FloatArray, data: FloatArray) -> None:
    """Set the cables of the history values from the places of rows, as at the start of a run."""
    for i in range(len(c.marker)):
        at = c.data[i]
        if data[at + LEFT] <= 0.0:
            cable, turns = find_cable(c, i, place_of(c, i, x), c.first[i])
            data[at + CABLE], data[at + TURNS] = cable - c.first[i], turns
            data[at + HELD] = x[c.dofs[i, 0]] - c.reference[i, 0]


@kernel
def update_cables(c: SlidingColumns, x: FloatArray, lam: FloatArray, data: FloatArray, outcome: FloatArray) -> None:
    """The post-Newton update: which cable each row is on, and whether it has left its track.

    A new cable has a different cubic, so the step must be solved again, unless the joint carries no force.
    """
    error, changed, largest, worst = 0.0, False, 0.0, -1
    for i in range(len(c.marker)):
        at = c.data[i]
        if not c.on[i] or data[at + LEFT] > 0.0:
            continue
        place = place_of(c, i, x)
        force = sqrt(lam[c.lam[i, 0]] ** 2 + lam[c.lam[i, 1]] ** 2 + lam[c.lam[i, 2]] ** 2)
        largest = max(largest, force)
        cable, turns = find_cable(c, i, place, c.cable[i])
        leaves = c.leaves[i] and not c.closed[i] and (place < 0.0 or place > c.total[i])
        if cable - c.first[i] != data[at + CABLE] or turns != data[at + TURNS] or leaves:
            changed = True
            if force > error:
                error, worst = force, i
        data[at + CABLE], data[at + TURNS], data[at + LEFT] = cable - c.first[i], turns, 1.0 if leaves else 0.0
        data[at + HELD] = x[c.dofs[i, 0]] - c.reference[i, 0]
    note_outcome(outcome, error, np.inf, changed, largest, worst)


@kernel
def is_lost(c: SlidingColumns, i: int, place: float) -> bool:
    """Whether a joint that must stay on its track is far beyond one of its ends."""
    if c.closed[i] or c.leaves[i]:
        return False
    before, after = BEYOND * c.length[c.first[i]], BEYOND * c.length[c.last[i]]
    return bool(place < -before or place > c.total[i] + after)
