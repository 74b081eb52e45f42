"""Central differences of history values, and one-sided differences of history values that jump."""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.model.world import World

JUMP = 0.5
"""Difference [1] between the forward and the backward difference of a history value, relative to the larger of these
two. Above this value, the larger difference is treated as a jump.
"""
ROUNDING = 1e-14
"""Change [1] of a history value, relative to the value. Up to this value, differences are treated as rounding errors.
"""


def find_slopes(centre: FloatArray, above: FloatArray, below: FloatArray, rows: IntArray) -> FloatArray:
    """Return half the difference between the history values that result from two opposite perturbations, shape (d,).
    Sometimes only one of the perturbations changes a contact state of a row, or causes a jump of a value of the row.
    For such a row, only the other perturbation is used. For all values of this row, the result is then the change due
    to the other perturbation. If values of a row jump for both perturbations, the result for each of these values
    follows from the perturbation with the smaller change of the value.

    Args:
        centre, above, below: history values without perturbation, with the positive perturbation, and with the negative
            perturbation, shape (d,) each.
        rows: index of the row of each value, shape (d,).
    """
    up, down = above - centre, centre - below
    mean, large = 0.5 * (up + down), np.maximum(np.abs(up), np.abs(down))
    jumps, smaller = np.abs(up - down) > JUMP * large, np.abs(up) < np.abs(down)
    jumps &= large > ROUNDING * np.abs(centre)
    if jumps.any():
        by_up, by_down = (np.bincount(rows, jumps & side)[rows] > 0.0 for side in (smaller, ~smaller))
        # where a row jumps for both perturbations, each value is the result of the perturbation that changes the value
        # less
        mean = np.where(jumps, np.where(smaller, up, down), mean)
        mean = np.where(by_up & ~by_down, up, np.where(by_down & ~by_up, down, mean))
    switched_up, switched_down = (find_switched(centre, ends, rows) for ends in (above, below))
    if switched_up.any() or switched_down.any():
        # at a change between sticking and slipping, values are continuous, but their slope jumps
        mean = np.where(switched_up & ~switched_down, down, np.where(switched_down & ~switched_up, up, mean))
    found: FloatArray = mean
    return found


def find_switched(centre: FloatArray, ends: FloatArray, rows: IntArray) -> BoolArray:
    """Return, for each history value, whether a perturbation changes a contact state in the row that contains the
    value, shape (d,). Contact states are whole numbers. ``ends`` are the history values with the perturbation.
    """
    states = (ends != centre) & (ends == np.round(ends)) & (centre == np.round(centre))
    found: BoolArray = np.bincount(rows, states)[rows] > 0.0 if states.any() else states
    return found


def find_history_rows(world: World) -> IntArray:
    """Return, for each history value, the index of the row of `GenericData` that contains this value, shape (d,)."""
    counts = world.numbering.data_count
    return np.repeat(np.arange(len(counts)), counts)
