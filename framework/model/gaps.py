"""Gaps of contacts at the start and at the end of a step. Solvers use the gaps to check that the step size resolves the
opening and closing of contacts.

A law with contacts evaluates each contact at the end of a step, and writes the results into one row of `Gaps.numbers`.
The first half of the row contains the values at the end of the step, and the second half contains the values at the end
of the previous step. A body touches an obstacle if the distance between body and obstacle is at most ``reach`` [m]. If
the body can pass the obstacle within one step, the path of the body is also checked. This path is the straight line
from X_0 to X_1, where X_0 and X_1 are the positions of the body, relative to the obstacle, at the start and at the end
of the step. If a point of this line is closer to the origin than ``reach``, the step has missed a penetration.
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
"""Indices of the values in the row of a contact. GAP: gap [m or rad], inf if no other body is near. RATE: rate [m/s or
rad/s] of the gap. SPEED: relative speed [m/s] of the touching surfaces. MISSED: largest penetration [m] within the
step, if the gaps at both ends of the step do not show this penetration. REACH: distance [m] below which the body
touches an obstacle that the body can pass. X, Y, Z: position [m] of the body relative to this obstacle.
"""
START = 8
"""Index of the first of the eight values at the start of the step. These values have the order of the eight values at
the end of the step. An unknown gap at the start is NaN.
"""
WIDTH = 2 * START
LEAST, FASTEST = range(2)
"""Indices of the values in `Gaps.quiet`."""


def create_numbers(count: int) -> FloatArray:
    """Create the array `Gaps.numbers`, shape (count, WIDTH), for contacts with unknown gaps."""
    numbers = np.zeros((count, WIDTH))
    numbers[:, GAP], numbers[:, START + GAP] = np.inf, np.nan
    return numbers


def create_near(count: int) -> IntArray:
    """Create an array `Gaps.near`, shape (count + 1,), that lists all contacts."""
    near: IntArray = np.arange(-1, count)
    near[0] = count
    return near


@dataclass
class Wraps:
    """Data of contacts between pulleys and a rope or belt.

    Attributes:
        pulley: index of the pulley of each contact, shape (contacts,).
        place: index of each contact's gap among the history values, shape (contacts,). The contact is closed or open,
            depending on the sign of the gap.
        angle: part [rad] of the wrap angle that each contact represents, shape (contacts,).
        stiffness: stiffness [N/m] of each contact, shape (contacts,).
        names: function without arguments that returns the names of the pulleys.
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
        measure: function ``(s)`` that evaluates the contacts at the positions and velocities in the `Fields` ``s``, and
            writes the values to ``numbers``.
        numbers: values of all contacts (see `GAP` and the following indices), shape (contacts, WIDTH). If ``measure``
            is not a `Call`, ``measure`` can replace this array by a new array.
        describe: function ``(k)`` that returns a description of contact k.
        near: number of contacts to be checked, followed by their indices, shape (contacts + 1,). The function
            ``measure`` can omit contacts that cannot close in this step. If ``near`` is None, all contacts are checked.
        weighed: whether the change of a gap rate in an impact is compared with the relative speed of the surfaces, as
            for ropes on pulleys. Otherwise the change is compared with the speed of the impact.
        accept: function without arguments that is called after `accept_gaps` when a step is accepted. If ``measure`` is
            a `Call`, ``accept`` is a `Call` that replaces `accept_gaps`.
        quiet: two speeds [m/s], shape (2,). Solvers write ``quiet[0]``. If the change of a gap rate is smaller than
            this speed, the contact is not checked. The function ``measure`` writes ``quiet[1]``: the largest speed of
            the contacts that were omitted from ``near`` because of ``quiet[0]``.
        memory: additional arrays in which the law stores values at the start of the step.
        holder: the contact monitor of the solver that made the last accepted step. ``numbers`` contains the values of
            this step. If another solver of the world accepts a step, its contact monitor becomes the holder.
        wraps: data of contacts of ropes and belts with pulleys; None for other contacts.
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
    """Copy the values at the end of a step to the values at the start of the next step. On entry, the array ``before``
    contains `Gaps.near` of the previous step. On return, the array contains `Gaps.near` of the present step.
    """
    # in the next step, the gap at the start is NaN (unknown) for all contacts that are not in the list ``near``
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
    """Write the gap, the rate of the gap, and the relative speed of a contact at the end of a step to ``row``. Set the
    missed penetration to 0.
    """
    row[GAP], row[RATE], row[SPEED], row[MISSED] = gap, rate, speed, 0.0


@kernel(inline=True)
def note_way(row: FloatArray, reach: float, x: float, y: float, z: float) -> None:
    """Write the position [m] of a body relative to an obstacle, and the penetration [m] that the step has missed, to
    ``row``. Call `note_gap` before this function.

    A step can miss a penetration in two cases. In the first case, the contact is open at both ends of the step. In the
    second case, the body is on opposite sides of the obstacle at the start and at the end.
    """
    row[REACH], row[X], row[Y], row[Z] = reach, x, y, z
    ax, ay, az = row[START + X], row[START + Y], row[START + Z]
    is_open = row[GAP] > 0.0 and row[START + GAP] > 0.0
    # the most frequent case is checked first: the contact is closed at the start or at the end, and the body remains on
    # the same side of the obstacle
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
