"""Contact and sliding joints of winch ropes with reserve cables. History values are transferred when cables are split
or merged.

The contact points of a new cable receive the state and the deflection of the bristle from the nearest point along the
rope. This point belongs to one of the cables that were in use before. On soft beds, the largest penetration and the gap
of this point are also copied. With a contact search, a new cable first receives the surfaces of the cables that it
replaces, beginning with the surfaces that these cables touch. Surfaces without a row are left to the next search. The
arc positions of two points of one circle differ by r δ, where δ is the angle between their normals. Therefore the
anchors differ by r δ if the deflections are equal. On surfaces, the deflection is turned by the smallest rotation that
turns the old normal to the new normal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from windlass.connectors.circle_contact.contact_friction_circle_winch2d import ContactFrictionCircleWinch2D
from windlass.connectors.contact.pair_search import OPEN_GAP
from windlass.connectors.friction.bristle import UNDEFINED
from windlass.connectors.markers.position_markers import find_nodes
from windlass.connectors.sliding.cable_track import CableTrack
from windlass.connectors.sliding.places import CABLE
from windlass.connectors.sliding.sliding_joint import SlidingJoint
from windlass.connectors.surface_contact.contact_friction_bed_winch import ContactFrictionBedWinch
from windlass.connectors.surface_contact.contact_friction_surface_set import ContactFrictionSurfaceSetWinch
from windlass.connectors.surface_contact.contact_friction_surface_winch import ContactFrictionSurfaceWinch
from windlass.connectors.surface_contact.contact_friction_turning import (
    ContactFrictionBedTwistWinch,
    ContactFrictionSurfaceSetTwistWinch,
    ContactFrictionSurfaceTwistWinch,
)
from windlass.connectors.surface_contact.kernels import PER_POINT, PER_TWIST_POINT
from windlass.framework.arrays import BoolArray, FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State


class ContactPoints(NamedTuple):
    """Contact points of k rows: values of rows, shape (k,), and of points, shape (k, n) or (k, n, d)."""

    rows: Entity
    # for circles: entity index of the marker; for surfaces: entity index of the surface, or, with a contact search, its
    # index among the surfaces of all sets
    partner: IntArray
    radius: FloatArray  # for circles: radius of the circle [m]; for surfaces: radius of the rope [m]
    places: IntArray  # number of points
    size: FloatArray  # length of the cable divided by the length of the rope [1]
    share: FloatArray  # distance of each point from the outlet divided by the length of the rope [1]
    position: FloatArray  # for surfaces: position [m] of each point in the frame of the surface
    normal: FloatArray  # normal from the circle or surface to the cable; for surfaces, in the frame of the surface
    anchors: FloatArray  # anchors, shape (k, n, 1) or (k, n, 3) [m]
    data: FloatArray  # history values of the rows


def find_rows(world: World, cables: Entity, law: type[Component]) -> tuple[Entity | None, IntArray]:
    """Return the rows of a contact law that refer to the cables, or None if there are no such rows. Also return the
    index of the cable of each row.
    """
    table = world.tables.get(law)
    if table is None or not table.count:
        return None, np.zeros(0, np.int64)
    ids = table.collect("cable", np.arange(table.count))
    order = np.argsort(cables.ids)
    rows = np.flatnonzero(np.isin(ids, cables.ids))
    place: IntArray = order[np.searchsorted(cables.ids, ids[rows], sorter=order)]
    return (Entity(table, rows) if len(rows) else None), place


def read_points(world: World, rows: Entity, cables: Entity, state: State) -> ContactPoints:
    """Read the points of rows at a state. The argument ``cables`` contains the cable of each row."""
    table, flat = rows.table, rows.table.component is ContactFrictionCircleWinch2D
    names = ("circle_radius", "segments") if flat else ("rope_radius", "points")
    radius, count = (table.collect(name, rows.rows) for name in names)
    if table.component in SEARCHED:
        partner = np.asarray(eval_output(rows, "surface", state), np.int64)
    else:
        partner = table.collect("circle" if flat else "surface", rows.rows)
    begin, share = (cables.table.collect(name, cables.rows) for name in ("begin", "share"))
    normal, position = (eval_output(rows, name, state) for name in ("normal", "contact_position"))
    if not flat:
        origin, axes = (eval_output(rows, name, state) for name in ("surface_position", "surface_axes"))
        normal, position = normal @ axes, (position - origin[:, None]) @ axes
    places, data, width = (np.arange(normal.shape[1]) + 0.5) / count[:, None], state.of(rows, "data"), 1 if flat else 3
    anchors = np.zeros((*normal.shape[:2], width))
    for i, n in enumerate(count):
        anchors[i, :n] = data[i, 2 * n : (2 + width) * n].reshape(n, width)
    return ContactPoints(
        rows, partner, radius, count, share, begin[:, None] + share[:, None] * places, position, normal, anchors, data
    )


def move_arc(old: ContactPoints, j: int, m: int, new: ContactPoints, i: int, k: int) -> FloatArray:
    """Return the anchor of point k of row i of ``new`` on a circle, with the deflection of point m of row j of
    ``old``."""
    (ax, ay), (bx, by) = old.normal[j, m], new.normal[i, k]
    anchor: FloatArray = old.anchors[j, m] + new.radius[i] * np.arctan2(ax * by - ay * bx, ax * bx + ay * by)
    return anchor


def move_deflection(old: ContactPoints, j: int, m: int, new: ContactPoints, i: int, k: int) -> FloatArray:
    """Return the anchor of point k of row i of ``new`` on a surface, with the deflection of point m of row j of
    ``old``.
    """
    a, b, bend = old.normal[j, m], new.normal[i, k], old.position[j, m] - old.anchors[j, m]
    axis, cosine = np.cross(a, b), float(a @ b)
    turned = cosine * bend + np.cross(axis, bend) + axis * (axis @ bend) / max(1.0 + cosine, OPPOSITE)
    anchor: FloatArray = new.position[i, k] - turned
    return anchor


OPPOSITE = 1e-6
"""Smallest value of 1 + cos of the angle between two normals for which the rotation is defined [1]."""
LAWS: dict[type[Component], Callable[[ContactPoints, int, int, ContactPoints, int, int], FloatArray]] = {
    ContactFrictionCircleWinch2D: move_arc, ContactFrictionSurfaceWinch: move_deflection,
    ContactFrictionBedWinch: move_deflection, ContactFrictionSurfaceSetWinch: move_deflection,
    ContactFrictionSurfaceTwistWinch: move_deflection, ContactFrictionBedTwistWinch: move_deflection,
    ContactFrictionSurfaceSetTwistWinch: move_deflection,
}  # fmt: skip
"""Laws of contact with the cables of winch ropes, and their functions that transfer anchors."""
SEARCHED = ContactFrictionSurfaceSetWinch, ContactFrictionSurfaceSetTwistWinch
SOFT = ContactFrictionBedWinch, ContactFrictionBedTwistWinch
TURNING = ContactFrictionSurfaceTwistWinch, ContactFrictionBedTwistWinch, ContactFrictionSurfaceSetTwistWinch
"""Laws with a contact search, laws of soft beds, and laws with friction that turns the rope."""


def give_surfaces(old: ContactPoints, rows: Entity, cables: Entity, state: State) -> None:
    """Write the surfaces of rows with a contact search into the history values of these rows.

    Args:
        old: points of the rows that were active until now.
        rows: rows of cables that are now in use.
        cables: the cable of each row.

    Raises:
        ModelError: the part of the rope that a cable covers touches more surfaces than this cable has rows.
    """
    table, data = rows.table, state.of(rows, "data")
    count, sets = table.collect("points", rows.rows), table.collect("contact_set", rows.rows)
    old_sets = table.collect("contact_set", old.rows.rows)
    begin, share = (cables.table.collect(name, cables.rows) for name in ("begin", "share"))
    per_point = PER_TWIST_POINT if table.component in TURNING else PER_POINT
    place, known = per_point * count + 1, old.partner >= 0
    gap = np.array([values[:n].min() for values, n in zip(old.data, old.places, strict=True)])
    middle = np.array([values[:n].mean() for values, n in zip(old.share, old.places, strict=True)])
    for cable, one in np.unique(np.stack((cables.ids, sets)), axis=1).T:
        own = np.flatnonzero((cables.ids == cable) & (sets == one))
        # one of two cables that cover the same part of the rope contains the middle of the other cable
        apart = np.abs(middle - begin[own[0]] - 0.5 * share[own[0]])
        over = np.flatnonzero(known & (old_sets == one) & (apart < 0.5 * np.maximum(old.size, share[own[0]])))
        over = over[np.argsort(gap[over], kind="stable")]
        numbers, first = np.unique(old.partner[over], return_index=True)
        order = np.argsort(first)
        touched = int((gap[over[first]] <= 0.0).sum())
        if touched > len(own):
            raise ModelError(
                f"the cable of {table.kind} row {rows.rows[own[0]]} touches {touched} surfaces, more than its "
                f"{len(own)} rows, when cables are merged: give more rows by `touching`"
            )
        chosen = numbers[order][: len(own)] + 1
        data[own, place[own]] = np.concatenate((chosen, np.zeros(len(own) - len(chosen))))
    state.put(rows, data, "data")


def carry_history(old: ContactPoints, new: ContactPoints, length: float, state: State) -> None:
    """Write the history values of the rows ``new``, at a length of the rope [m], from the points of the rows ``old``,
    which were active until now.
    """
    gap, move = eval_output(new.rows, "gap", state), LAWS[new.rows.table.component]
    data, width, table = new.data.copy(), new.anchors.shape[2], new.rows.table
    reach = np.zeros((2, len(new.places)))
    if table.component in SOFT:
        reach[:] = [table.collect(f"suction_{name}", new.rows.rows) for name in ("coefficient", "distance")]
    for i, n in enumerate(new.places):
        same = np.flatnonzero((old.partner == new.partner[i]) & (old.partner >= 0))
        states, anchors = np.full(n, UNDEFINED), np.zeros((n, width))
        stored = np.where(np.isfinite(gap[i, :n]), gap[i, :n], OPEN_GAP)  # rows without a surface have no finite gap
        # largest penetrations and gaps of points on soft beds
        kept = np.zeros((2, n if table.component in SOFT else 0))
        frames = np.zeros(6 * n if table.component in TURNING else 0)
        row = np.repeat(same, old.places[same])
        point = np.concatenate([np.arange(m) for m in old.places[same]]) if len(row) else row
        for k in range(n) if len(row) else ():
            near = np.argmin(np.abs(old.share[row, point] - new.share[i, k]))
            j, m = int(row[near]), int(point[near])
            if kept.size and old.data[j, m] <= 0.0:
                first = (2 + width) * old.places[j] + m
                kept[:, k] = old.data[j, first], old.data[j, first + old.places[j]]
                held = reach[0, i] * kept[0, k]
                stored[k] -= held + reach[1, i] if held > 0.0 else 0.0
            if stored[k] <= 0.0:
                states[k], anchors[k] = old.data[j, old.places[j] + m], move(old, j, m, new, i, k)
        values = stored, states, anchors.ravel(), kept.ravel(), frames, [length]
        data[i, : (2 + width) * n + kept.size + len(frames) + 1] = np.concatenate(values)
    state.put(new.rows, data, "data")
    if table.component in TURNING:
        keep_frames(new, state)


def keep_frames(new: ContactPoints, state: State) -> None:
    """Write the present tangents and axes of the material of closed points into the history values of rows, whose other
    history values are known.
    """
    data, axes = state.of(new.rows, "data"), eval_output(new.rows, "surface_axes", state)
    tangent, across = (eval_output(new.rows, name, state) @ axes for name in ("tangent", "material_axis"))
    first = 7 if new.rows.table.component in SOFT else 5
    for i, n in enumerate(new.places):
        frames = np.concatenate((tangent[i, :n].ravel(), across[i, :n].ravel()))
        data[i, first * n : (first + 6) * n] = frames
    state.put(new.rows, data, "data")


def find_joints(world: World, cables: Entity, name: str) -> Entity | None:
    """Return the sliding joints on a rope with reserve cables, or None if there are no such joints.

    Raises:
        ModelError: a track contains some but not all cables of the rope.
    """
    tracks, joints = (world.tables.get(law) for law in (CableTrack, SlidingJoint))
    if tracks is None or joints is None or not joints.count:
        return None
    own = []
    for row, chain in enumerate(tracks.collect("cables", np.arange(tracks.count))):
        on = np.isin(cables.ids, chain)
        if on.any():
            own.append(row)
        if on.any() and not on.all():
            raise ModelError(
                f"CableTrack row {row} is on {name}, a rope with reserve cables: must be on all its cables, `cables` "
                "of WinchReserve"
            )
    own_tracks = Entity(tracks, np.array(own, np.int64)).ids
    rows = np.flatnonzero(np.isin(joints.collect("track", np.arange(joints.count)), own_tracks))
    return Entity(joints, rows) if len(rows) else None


def place_joints(world: World, joints: Entity, state: State, paid: float, length: float, count: int) -> None:
    """For each sliding joint, write the cable in use on which the joint lies into the history values.

    Args:
        joints: the sliding joints on the rope.
        paid: length of the rope minus its reference [m].
        length: length of the rope [m].
        count: number of cables in use, which have equal lengths.
    """
    nodes, data = find_nodes(world, joints), state.of(joints, "data")
    place = nodes.table.collect("reference", nodes.rows) + state.of(nodes)[:, 0] + paid
    data[:, CABLE] = np.clip(np.floor(place / length * count), 0, count - 1)
    state.put(joints, data, "data")


class WinchContacts:
    """The rows of contact of a winch rope with reserve cables."""

    def __init__(self, world: World, cables: Entity, state: State, on: BoolArray) -> None:
        """Read the points of the cables that are in use. For each cable, ``on`` states whether the cable is in use."""
        self._world, self._cables = world, cables
        self._rows = [find_rows(world, cables, law) for law in LAWS]
        self._old = [None if used is None else read_points(world, *used, state) for used in self._find_used(on)]

    def _find_used(self, on: BoolArray) -> list[tuple[Entity, Entity] | None]:
        """For each law, return the rows of the cables in use and the cable of each of these rows, or None."""
        found: list[tuple[Entity, Entity] | None] = []
        for rows, place in self._rows:
            own = np.flatnonzero(on[place])
            found.append((rows[own], self._cables[place[own]]) if rows is not None and len(own) else None)
        return found

    def change(self, state: State, on: BoolArray, length: float) -> None:
        """Transfer the history values to the cables that are now in use, for a length of the rope [m]."""
        for old, used in zip(self._old, self._find_used(on), strict=True):
            if old is None or used is None:
                continue
            if used[0].table.component in SEARCHED:
                give_surfaces(old, *used, state)
            carry_history(old, read_points(self._world, *used, state), length, state)
