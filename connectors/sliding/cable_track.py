"""Tracks along which sliding joints move. A track is a chain of cables. Each cable begins at the end of the previous
cable.

A position along a track is the arc length of the undeformed cables from the start of the first cable. On a winch rope,
this arc length is the distance from the outlet of the winch. A track is closed if its last cable ends at the start of
its first cable. On a closed track, two positions that differ by the length of the track are the same point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.connectors.markers.cable_shape import cable_lengths
from windlass.elements.cable.points import count_dims
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables, register
from windlass.framework.model.schema import Component, refs
from windlass.framework.model.table import EntityTable

SOURCE = "[@exudyn], ObjectJointSliding2D"
SAME_PLACE = 1e-6
"""Largest allowed distance between the end of a cable and the start of the next cable, divided by the length of the
cable [1].
"""
WIDEST = 12
"""Number of coordinates of a 3D cable. 2D cables have fewer."""


class CableTrack(Component):
    """A chain of cables along which points can slide."""

    cables = refs(
        "track cable",
        "cables in the order of the chain: `Cable2D`, `ALECable2D`, `Cable3D`, or all cables of a winch rope, also in "
        "reserve",
        distinct=True,
    )


class Tracks(NamedTuple):
    """Data of all tracks of a world: t tracks with n cables in total. The cables of each track are stored one after the
    other, without cables in reserve.

    Attributes:
        ids: entity index of each track, ascending, shape (t,).
        first: index of the first cable of each track, followed by n, shape (t + 1,).
        closed: whether each track is closed, shape (t,).
        cable: entity index of each cable, shape (n,).
        length: undeformed length of each cable in the reference configuration [m], shape (n,).
        start: position of the start of each cable along its track [m], shape (n,).
        rope: reference length of the winch rope of each cable [m], 0 for other cables, shape (n,).
        dims: number of dimensions of each cable, 2 or 3, shape (n,).
        dofs: for each cable, the global index of its axial motion, or of the length of its winch rope, followed by the
            global coordinate indices of its nodes, shape (n, 13). The index of a missing coordinate is -1.
    """

    ids: IntArray
    first: IntArray
    closed: NDArray[np.bool_]
    cable: IntArray
    length: FloatArray
    start: FloatArray
    rope: FloatArray
    dims: IntArray
    dofs: IntArray

    def number_of(self, tracks: IntArray) -> IntArray:
        """Return the indices of the tracks with the given entity indices."""
        found: IntArray = np.searchsorted(self.ids, tracks)
        return found


def read_tracks(world: Tables) -> Tracks:
    """Create the data of all tracks of a world. The function must be called on a process that has the rows of all
    tracks.
    """
    table = world.table(CableTrack)
    ids, cable = table.ids_of(table.resident), table.named("cables")
    on = np.ones(len(cable), bool)
    for cables, positions, rows in world.split_by_table(cable):
        if "feed" in cables.component.refs:
            on[positions] = cables.local("active", rows)
    owner = np.repeat(np.arange(len(ids)), [len(chain) for chain in table.local("cables")])[on]
    cable, first = cable[on], np.append(0, np.cumsum(np.bincount(owner, minlength=len(ids)), dtype=np.int64))
    n = len(cable)
    length, rope = np.zeros(n), np.zeros(n)
    dims, dofs = np.zeros(n, np.int64), np.full((n, 1 + WIDEST), -1)
    for cables, positions, rows in world.split_by_table(cable):
        numbers = world.row_dofs(cables, rows)
        winch = "feed" in cables.component.refs
        moves = winch or "ale" in cables.component.refs
        if winch:
            rope[positions] = world.numbering.reference_of(numbers[:, -1:])[:, 0]
            length[positions] = cables.local("share", rows) * rope[positions]
        else:
            length[positions] = cable_lengths(world, cable[positions])
        # angles of twist follow the positions and slopes and are omitted
        dims[positions] = dimensions = count_dims(numbers.shape[1] - moves)
        width = 4 * dimensions
        dofs[positions, 1 : 1 + width] = numbers[:, :width]
        if moves:
            dofs[positions, 0] = numbers[:, -1]
    ends = np.cumsum(length)
    begin = np.append(0.0, ends)[first[:-1]]
    start = ends - length - np.repeat(begin, np.diff(first))
    closed = np.zeros(len(ids), bool)
    # a track has no cables if all of its cables are in reserve
    for k in np.flatnonzero(np.diff(first)):
        last = first[k + 1] - 1
        closed[k] = _gap(world, dofs, dims, last, first[k]) < SAME_PLACE * length[last]
    return Tracks(ids, first, closed, cable, length, start, rope, dims, dofs)


def _gap(world: Tables, dofs: IntArray, dims: IntArray, end: int, start: int) -> float:
    """Return the distance [m] from the end of a cable to the start of another cable in the reference configuration."""
    d = int(dims[end])
    places = world.numbering.reference_of(np.stack((dofs[end, 1 + 2 * d : 1 + 3 * d], dofs[start, 1 : 1 + d])))
    return float(np.linalg.norm(places[1] - places[0]))


def check_tracks(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for a track whose cables are not connected in order, or are of different types."""
    t = read_tracks(world)
    check_winch_ropes(table, t)
    for k in range(len(t.ids)):
        for i in range(int(t.first[k]), int(t.first[k + 1]) - 1):
            where = f"cables[{i + 1 - t.first[k]}] of CableTrack row {table.resident[k]}"
            if t.dims[i + 1] != t.dims[i] or (t.dofs[i + 1, 0] != t.dofs[i, 0]):
                raise ModelError(
                    f"{where} differs in kind from the previous cable: the cables of a track must all be 2D or all be "
                    "3D, and must all have the same axial motion coordinate or none"
                )
            gap = _gap(world, t.dofs, t.dims, i, i + 1)
            if gap > SAME_PLACE * t.length[i]:
                raise ModelError(
                    f"{where} begins {gap:.6g} m from the end of the previous cable: must begin at this end (cables "
                    "in the order and in the direction of the track)"
                )


def check_winch_ropes(table: EntityTable, t: Tracks) -> None:
    """Raise ModelError for a track whose cables are all in reserve, or that does not contain all cables of a winch
    rope."""
    for k in range(len(t.ids)):
        part = slice(int(t.first[k]), int(t.first[k + 1]))
        where = f"cables of CableTrack row {table.resident[k]}"
        if t.first[k] == t.first[k + 1]:
            raise ModelError(f"{where} are in reserve: must be all cables of the rope, `cables` of WinchReserve")
        if t.rope[part].any() and abs(t.length[part].sum() / t.rope[part][0] - 1.0) > SAME_PLACE:
            raise ModelError(f"{where} are a part of a winch rope: must be all its cables, from the outlet to the end")


def track_cables(world: Tables, table: EntityTable) -> IntArray:
    """Return the entity indices of all cables of all tracks, shape (k,)."""
    return world.table(CableTrack).named("cables")


register(CableTrack, "passive", check=check_tracks, source=SOURCE)
