"""Contact of winch ropes with reserve cables: transfer of history values when cables are split or merged.

The contact points of a new cable receive the state and the deflection of the bristle of the nearest point, along the
rope, of the cables that were in use before. The arc positions of two points of one circle differ by r δ, where δ is the
angle between their normals; therefore the anchors differ by r δ if the deflections are equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.connectors.circle_contact.contact_friction_circle_winch2d import ContactFrictionCircleWinch2D
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.sliding.cable_track import CableTrack
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State


class ContactPoints(NamedTuple):
    """Contact points of k rows: values of rows, shape (k,), and of points, shape (k, n) or (k, n, 2)."""

    rows: Entity
    circle: IntArray  # entity index of the marker of the circle
    radius: FloatArray  # radius of the circle [m]
    places: IntArray  # number of points
    share: FloatArray  # distance of each point from the outlet divided by the length of the rope [1]
    normal: FloatArray  # normal from circle to cable
    data: FloatArray  # history values, shape (k, 3 n + 1)


def find_rows(world: World, cables: Entity) -> tuple[Entity | None, IntArray]:
    """Return the rows of contact with the cables, None without such rows, and the index of the cable of each row."""
    table = world.tables.get(ContactFrictionCircleWinch2D)
    if table is None or not table.count:
        return None, np.zeros(0, np.int64)
    ids = table.collect("cable", np.arange(table.count))
    order = np.argsort(cables.ids)
    rows = np.flatnonzero(np.isin(ids, cables.ids))
    place: IntArray = order[np.searchsorted(cables.ids, ids[rows], sorter=order)]
    return (Entity(table, rows) if len(rows) else None), place


def read_points(world: World, rows: Entity, cables: Entity, state: State) -> ContactPoints:
    """Read the points of rows at a state; ``cables`` are the cables of the rows, one for each row."""
    table = rows.table
    circle, radius, count = (table.collect(name, rows.rows) for name in ("circle", "circle_radius", "segments"))
    begin, share = (cables.table.collect(name, cables.rows) for name in ("begin", "share"))
    normal = eval_output(rows, "normal", state)
    places = (np.arange(normal.shape[1]) + 0.5) / count[:, None]
    return ContactPoints(
        rows, circle, radius, count, begin[:, None] + share[:, None] * places, normal, state.of(rows, "data")
    )


def carry_history(old: ContactPoints, new: ContactPoints, length: float, state: State) -> None:
    """Write the history values of the rows ``new``, at a length of the rope [m], from the points of the rows ``old``,
    which were active until now.
    """
    gap = eval_output(new.rows, "gap", state)
    data = new.data.copy()
    for i, n in enumerate(new.places):
        same = np.flatnonzero(old.circle == new.circle[i])
        data[i, : 3 * n + 1] = np.concatenate((gap[i, :n], np.full(n, UNDEFINED), np.zeros(n), [length]))
        row = np.repeat(same, old.places[same])
        if not len(row):
            continue
        point = np.concatenate([np.arange(m) for m in old.places[same]])
        for k in range(n):
            near = np.argmin(np.abs(old.share[row, point] - new.share[i, k]))
            j, m = row[near], point[near]
            if gap[i, k] > 0.0:
                continue
            (ax, ay), (bx, by) = old.normal[j, m], new.normal[i, k]
            turn = np.arctan2(ax * by - ay * bx, ax * bx + ay * by)
            data[i, n + k] = old.data[j, old.places[j] + m]
            data[i, 2 * n + k] = old.data[j, 2 * old.places[j] + m] + new.radius[i] * turn
    state.put(new.rows, data, "data")


def refuse_tracks(world: World, cables: Entity, name: str) -> None:
    """Raise ModelError if sliding joints are on cables of a rope with reserve cables."""
    table = world.tables.get(CableTrack)
    if table is None or not table.count:
        return
    for row, chain in enumerate(table.collect("cables", np.arange(table.count))):
        if np.isin(chain, cables.ids).any():
            raise ModelError(
                f"CableTrack row {row} is on {name}, a rope with reserve cables: must be on cables of `winch_rope`, "
                "whose number is constant"
            )


class WinchContacts:
    """The rows of contact of a winch rope with reserve cables."""

    def __init__(self, world: World, cables: Entity, state: State, on: BoolArray) -> None:
        """Read the points of the cables that are in use; ``on`` contains whether each cable is in use."""
        self._world, self._cables = world, cables
        self.rows, self._place = find_rows(world, cables)
        self._old = self._read(state, on)

    def _read(self, state: State, on: BoolArray) -> ContactPoints | None:
        own = np.flatnonzero(on[self._place])
        if self.rows is None or not len(own):
            return None
        return read_points(self._world, self.rows[own], self._cables[self._place[own]], state)

    def change(self, state: State, on: BoolArray, length: float) -> None:
        """Transfer the history values to the cables that are in use from now on, for a length of the rope [m]."""
        new = self._read(state, on)
        if new is not None and self._old is not None:
            carry_history(self._old, new, length, state)
