"""Gaps of contacts, by which solvers check that their steps resolve opening and closing.

A law with contacts measures each contact at the end of a step. The first half of the numbers describes the end of the
step, the second half the end of the previous step. If a body can pass an obstacle of size ``reach``, its path is also
checked: the straight line from X at the start to X at the end must stay farther from the origin than the reach.
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
"""Indices of the numbers of a contact. GAP: gap [m or rad], inf if no partner is near. RATE: rate of the gap. SPEED:
relative speed of the touching surfaces [m/s]. MISSED: depth within a step that the ends of the step do not show [m].
REACH: reach of an obstacle that can be passed [m]. X, Y, Z: vector from one body to the other [m]."""
START = 8
"""First index of the same numbers at the start of the step, where the gap is NaN if it is unknown."""
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
        place: index of the gap among the history values, shape (contacts,); signs of the gaps show which contacts are
            closed.
        angle: part of the wrap angle that a contact represents [rad], shape (contacts,).
        stiffness: stiffness of a contact [N/m], shape (contacts,).
        names: ``()`` returns the names of the pulleys.
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
        measure: ``(s)`` writes the numbers for the motion in the fields.
        numbers: shape (contacts, WIDTH); a ``measure`` that is not a `Call` may replace the array.
        describe: ``(k)`` describes contact k.
        near: number of contacts to check, followed by their indices, shape (contacts + 1,); ``measure`` may omit
            contacts that cannot close in this step. None: all.
        weighed: whether the speed is checked in addition to the rates, as for ropes on pulleys; otherwise an impact is
            compared with its own speed.
        accept: ``()`` is also called when a step is accepted. If ``measure`` is a `Call`, this is a `Call` that
            replaces `accept_gaps`.
        quiet: two numbers, shape (2,). Solvers write the change of a rate below which contacts are not checked [m/s].
            ``measure`` writes the largest speed of the contacts that it has therefore omitted from ``near`` [m/s].
        memory: further arrays of the start of the step.
        holder: the contact monitor whose last accepted step the numbers describe; another solver of the same world
            replaces it.
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
    """Make the end of a step the start of the next step. ``before`` is the list of the previous step, which receives
    the present list."""
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
    """Write the numbers of a contact with no obstacle size."""
    row[GAP], row[RATE], row[SPEED], row[MISSED] = gap, rate, speed, 0.0


@kernel(inline=True)
def note_way(row: FloatArray, reach: float, x: float, y: float, z: float) -> None:
    """Write the position of a contact relative to an obstacle that the contact may pass, after `note_gap`, and the
    depth that the step has missed [m].

    A step can miss a depth if the contact is open at both ends or lies on opposite sides.
    """
    row[REACH], row[X], row[Y], row[Z] = reach, x, y, z
    ax, ay, az = row[START + X], row[START + Y], row[START + Z]
    is_open = row[GAP] > 0.0 and row[START + GAP] > 0.0
    # most contacts stay closed on the same side
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
