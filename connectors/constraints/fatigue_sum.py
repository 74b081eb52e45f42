"""Damage of links by cycles of their force, counted during a run.

    D = Σ n_i / N_i,    n_i = 1 for a closed cycle, 1/2 for a range that no later cycle has closed

The cycles are found by the three-point rule of rainflow counting. N_i is the number of cycles to failure for the range
and the mean of cycle i. After each value, the sum D is equal to the damage of the series up to this value. The library
rainflow, which `windlass.post` uses, counts complete series. This module stores only the turning points of open ranges,
and a restart restores these turning points.

Source: ASTM E1049-85 (2017), section 5.4.4; M. A. Miner, J. Appl. Mech. 12 (1945) A159-A164.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray


class FatigueLaw(Protocol):
    """Law of the number of cycles to failure, such as `windlass.post.FatigueCurve`."""

    def find_lives(self, ranges: FloatArray, means: FloatArray) -> FloatArray:
        """Return the number of cycles to failure [1] for each range and mean of the force [N], shape (n,)."""


class FatigueSum:
    """Damage of the elements of a link. The elements of a rope are its cables. Any other link is one element.

    Args:
        law: law that returns the number of cycles to failure for the range and the mean of a cycle.
        start: damage of all elements before the run [1].
        count: number of elements n.

    Attributes:
        closed: damage by all counted cycles, including ``start`` [1], shape (n,).
        turns: for each element, the turning points of the ranges of force that are not closed [N]. The last turning
            point can still change.
    """

    def __init__(self, law: FatigueLaw, start: float, count: int) -> None:
        self._law = law
        self.closed: FloatArray = np.full(count, start)
        self.turns: list[list[float]] = [[] for _ in range(count)]

    def add(self, forces: FloatArray) -> None:
        """Add the next value of the force [N] of each element, shape (n,)."""
        ranges, means, counts, elements = list[float](), list[float](), list[float](), list[int]()
        for i, force in enumerate(forces.tolist()):
            turns = self.turns[i]
            if len(turns) > 1 and (force - turns[-1]) * (turns[-1] - turns[-2]) >= 0.0:
                turns[-1] = force
            elif not turns or force != turns[-1]:
                turns.append(force)
            while len(turns) > 2 and abs(turns[-1] - turns[-2]) >= abs(turns[-2] - turns[-3]):
                ranges.append(abs(turns[-2] - turns[-3]))
                means.append(0.5 * (turns[-2] + turns[-3]))
                elements.append(i)
                if len(turns) == 3:
                    counts.append(0.5)
                    del turns[0]
                else:
                    counts.append(1.0)
                    del turns[-3:-1]
        if ranges:
            lives = self._law.find_lives(np.array(ranges), np.array(means))
            np.add.at(self.closed, elements, np.array(counts) / lives)

    def find_damages(self) -> FloatArray:
        """Return the damage [1] of each element, shape (n,). Open ranges count as half cycles."""
        damages, ends = self.closed.copy(), [np.array(turns) for turns in self.turns]
        counts = [max(len(turns) - 1, 0) for turns in ends]
        if sum(counts):
            ranges = np.concatenate([np.abs(np.diff(turns)) for turns in ends])
            means = np.concatenate([0.5 * (turns[1:] + turns[:-1]) for turns in ends])
            np.add.at(damages, np.repeat(np.arange(len(ends)), counts), 0.5 / self._law.find_lives(ranges, means))
        return damages

    def checkpoint(self) -> dict[str, Any]:
        """Return damage and turning points for a restart."""
        return {
            "closed": self.closed.copy(),
            "counts": np.array([len(turns) for turns in self.turns]),
            "turns": np.concatenate([np.zeros(0), *self.turns]),
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Restore damage and turning points from the values of `checkpoint`."""
        self.closed[:] = kept["closed"]
        ends = np.cumsum(kept["counts"])[:-1]
        self.turns = [part.tolist() for part in np.split(np.asarray(kept["turns"], np.float64), ends)]
