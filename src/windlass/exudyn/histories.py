"""Conversion of history values that have different meanings in Exudyn and in Windlass."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.table import Entity
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State

OPEN = 0.0
"""Gap [m] of a segment without contact."""


class History(Protocol):
    """Conversion of the history values of one `NodeGenericData`."""

    def place(self, state: State, values: FloatArray) -> None:
        """Convert history values of Exudyn, and store them in a state that already contains positions and
        velocities.
        """

    def read(self, state: State) -> FloatArray:
        """Return the history values of a state in the form of Exudyn."""


class SlidingHistory:
    """History values of a sliding joint: the index of the cable and, if ``slides`` is true, the position [m] along the
    sequence of all cables.

    Args:
        joint: the joint.
        node: node with the position along the cables as coordinate.
        slides: whether the point of the joint can slide along the cables. If ``slides`` is false, the point is fixed to
            the material.
    """

    def __init__(self, joint: Entity, node: Entity, slides: bool) -> None:
        self._joint, self._node, self._slides = joint, node, slides

    def place(self, state: State, values: FloatArray) -> None:
        """Convert history values of Exudyn, and store them in a state. The rate of the position along the cables is
        computed from the condition that the point remains on the cable.
        """
        at = float(values[1]) if self._slides else 0.0
        state.put(self._joint, [[values[0], 0.0, 0.0, at]], "data")
        state.put(self._joint, [[values[0], 0.0, 0.0, at]], "start_data")
        if not self._slides:
            return
        state.put(self._node, [[at]], "q")
        rates = []
        for speed in (0.0, 1.0):
            state.put(self._node, [[speed]], "v")
            rates.append(eval_output(self._joint, "gap_rate", state))
        slope = rates[1] - rates[0]
        square = float(slope @ slope)
        state.put(self._node, [[-float(slope @ rates[0]) / square if square else 0.0]], "v")

    def read(self, state: State) -> FloatArray:
        """Return the history values of a state in the form of Exudyn."""
        cable = state.of(self._joint, "data")[0, :1]
        return np.append(cable, state.of(self._node)[0]) if self._slides else cable


class CurveHistory:
    """History values of a curve of segments. For each segment, the history values are the index of the circle in
    contact (or -1), the gap [m] and the slip velocity [m/s].

    Args:
        contacts: the contacts of all circles with the first segment, followed by the contacts of all circles with the
            second segment, and so on.
        circles: number of circles.
    """

    def __init__(self, contacts: Entity, circles: int) -> None:
        self._contacts, self._circles = contacts, circles

    def place(self, state: State, values: FloatArray) -> None:
        """Do nothing. All contacts are open at the start, and the first step determines the closed contacts."""

    def read(self, state: State) -> FloatArray:
        """Return the history values of a state in the form of Exudyn. If several circles touch a segment, the values of
        the contact with the largest penetration are returned.
        """
        shape = len(self._contacts) // self._circles, self._circles
        touches = state.of(self._contacts, "data")[:, 0].reshape(shape) > 0.0
        if not touches.any():
            return np.tile((-1.0, OPEN, 0.0), shape[0])
        found = [eval_output(self._contacts, name, state) for name in ("gap", "slip")]
        gap, slip = (np.reshape(np.atleast_2d(values)[:, 0], shape) for values in found)
        deepest = np.argmin(np.where(touches, gap, np.inf), axis=1)
        closed = touches.any(axis=1)
        at = np.arange(len(deepest)), deepest
        parts = np.where(closed, deepest, -1.0), np.where(closed, gap[at], OPEN), np.where(closed, slip[at], 0.0)
        values: FloatArray = np.stack(parts, axis=1).ravel()
        return values


PlacedHistory = tuple[IntArray, History]
"""Indices in Exudyn's vector of history values, and the conversion of the values at these indices."""
