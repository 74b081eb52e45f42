"""Gaps of contacts: solvers use them to check that their steps resolve opening and closing.

A law with contacts measures each contact at the end of a step.  The same numbers at the end of the step before follow
them.  If a body can pass an obstacle of size ``reach``, its path is checked, too: the straight line from X at the start
to X at the end must not come nearer to the origin than the reach.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.kernel import kernel

GAP, RATE, SPEED, MISSED, REACH, X, Y, Z = range(8)
"""Places of the numbers of a contact: gap [m or rad], inf where no partner is near; its rate; the relative speed of the
touching surfaces [m/s]; the depth that the ends of the step do not show, and the reach of an obstacle that can be
passed [m]; a vector from one body to the other [m]."""
START = 8
"""Index from which the numbers at the start of the step follow; the gap is NaN if unknown."""
WIDTH = 2 * START
LEAST, FASTEST = range(2)
"""Places in `Gaps.quiet`."""


def create_numbers(count: int) -> FloatArray:
    """Numbers of unknown contacts, shape (count, WIDTH)."""
    numbers = np.zeros((count, WIDTH))
    numbers[:, GAP], numbers[:, START + GAP] = np.inf, np.nan
    return numbers


def create_near(count: int) -> IntArray:
    """The list of all contacts, shape (count + 1,)."""
    near: IntArray = np.arange(-1, count)
    near[0] = count
    return near


@dataclass
class Wraps:
    """Pulleys on which the contacts of a law hold a rope or a belt.

    Attributes:
        pulley: number of the pulley of each contact, shape (contacts,).
        place: place of its gap among the history values, shape (contacts,); signs of the gaps show which contacts are
            closed.
        angle: part of the wrap angle that a contact represents [rad], shape (contacts,).
        stiffness: stiffness of a contact [N/m], shape (contacts,).
        names: ``()`` gives the names of the pulleys.
    """

    pulley: IntArray
    place: IntArray
    angle: FloatArray
    stiffness: FloatArray
    names: Callable[[], list[str]]


@dataclass
class Gaps:
    """The contacts of a law on this process.

    Attributes:
        measure: ``(s)`` writes the numbers of the motion in the fields.
        numbers: shape (contacts, WIDTH); a ``measure`` that is not a `Call` may replace the array.
        describe: ``(k)`` describes contact k.
        near: number of contacts to check, then their numbers, shape (contacts + 1,); ``measure`` may omit contacts that
            cannot close in this step.  None: all.
        weighed: whether the speed counts in addition to the rates, as for ropes on pulleys; otherwise an impact is
            compared with its own speed.
        accept: ``()`` is called in addition when a step is accepted; with a ``measure`` that is a `Call`, a `Call` that
            replaces `accept_gaps`.
        quiet: change of a rate below which contacts are not checked [m/s], written by solvers; then the largest speed
            of contacts that ``measure`` has therefore omitted from ``near``, written by ``measure``; shape (2,).
        memory: further arrays of the start of the step.
        holder: the watch of the last accepted step that the numbers describe; another solver of the same world replaces
            it.
        wraps: wraps of ropes and belts on pulleys.
    """

    measure: Callable[[Any], Any]
    numbers: FloatArray
    describe: Callable[[int], str]
    weighed: bool = False
    accept: Callable[..., Any] | None = None
    near: IntArray | None = None
    quiet: FloatArray = field(default_factory=lambda: np.zeros(2))
    memory: tuple[NDArray[Any], ...] = ()
    holder: Any = None
    wraps: Wraps | None = None


@kernel
def accept_gaps(numbers: FloatArray, near: IntArray, before: IntArray) -> None:
    """The end of a step is the start of the next one; ``before``: the list of the step before, which becomes this."""
    # contacts that return to the list have no start values
    for i in range(1, before[0] + 1):
        numbers[before[i], START + GAP] = np.nan
    for i in range(near[0] + 1):
        before[i] = near[i]
    for i in range(1, near[0] + 1):
        row = numbers[near[i]]
        for j in range(START):
            row[START + j] = row[j]


@kernel(inline=True)
def note_gap(row: FloatArray, gap: float, rate: float, speed: float) -> None:
    """The numbers of a contact without a size."""
    row[GAP], row[RATE], row[SPEED], row[MISSED] = gap, rate, speed, 0.0


@kernel(inline=True)
def note_way(row: FloatArray, reach: float, x: float, y: float, z: float) -> None:
    """Position of a contact relative to an obstacle that it may pass, after `note_gap`, and the depth that the step has
    missed [m].

    It has if both ends of the step are open, or lie on opposite sides.
    """
    row[REACH], row[X], row[Y], row[Z] = reach, x, y, z
    ax, ay, az = row[START + X], row[START + Y], row[START + Z]
    is_open = row[GAP] > 0.0 and row[START + GAP] > 0.0
    # most contacts stay closed, on one side
    if not is_open and ax * x + ay * y + az * z >= 0.0:
        return
    if not (row[START + GAP] < np.inf and row[GAP] < np.inf):
        return
    ex, ey, ez = x - ax, y - ay, z - az
    square, along = ex * ex + ey * ey + ez * ez, -(ax * ex + ay * ey + az * ez)
    if 0.0 < along < square:
        share = along / square
        ax, ay, az = ax + share * ex, ay + share * ey, az + share * ez
        row[MISSED] = max(reach - np.sqrt(ax * ax + ay * ay + az * az), 0.0)
