"""Cycles of the discontinuous iteration. In a cycle, contact states repeat after some passes.

The result of a pass depends on the contact states (open or closed, stick or slip) at its start. If the contact states
at the start of a pass are equal to the states of an earlier pass, the iteration would repeat forever. For example, two
neighbouring segments open and close alternately, or the damping force opens a segment as soon as its state is closed.
The signs of history values represent the contact states.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windlass.framework.arrays import FloatArray

LONGEST = 8
"""Largest number of passes in a cycle. The history values of this number of passes are stored."""


class CycleFinder:
    """Search for cycles in the passes of one step. A cycle is complete when a pass has the contact states of an earlier
    pass.

    Args:
        start: history values at the start of the first pass, shape (d,).
        largest: function that returns, for each value, the maximum over all processes. With this function, all
            processes find the same cycle.

    Attributes:
        length: number of passes of the cycle that was found, or 0.
        best: history values at the start of the pass with the smallest force error in the cycle, shape (d,). The value
            None stands for the last pass. The result of the last pass is still stored in the fields.
    """

    def __init__(self, start: FloatArray, largest: Callable[[list[float]], list[float]]) -> None:
        self._largest = largest
        self._values = [start.copy()]
        self._signs = [np.sign(start).astype(np.int8)]
        self._errors: list[float] = []
        self.length = 0
        self.best: FloatArray | None = None

    def note(self, data: FloatArray, error: float) -> bool:
        """Record the history values and the force error [N] after a pass. Return whether a cycle is complete."""
        self._errors.append(error)
        now = np.sign(data).astype(np.int8)
        differs = self._largest([float(not np.array_equal(now, signs)) for signs in self._signs])
        # if successive passes have equal contact states, there is no cycle, because other history values still change
        same = [k for k in range(len(differs) - 1) if not differs[k]] if differs[-1] else []
        self._signs.append(now)
        self._values.append(data.copy())
        if same:
            self.length = len(differs) - same[-1]
            errors = self._errors[-self.length :]
            best = int(np.argmin(errors))
            self.best = None if best == self.length - 1 else self._values[-1 - self.length + best]
        # the oldest values are deleted only after the search, because the longest possible cycle begins with these
        # values
        if len(self._values) > LONGEST:
            del self._values[0], self._signs[0], self._errors[0]
        return bool(same)
