"""Curves of lines and arcs in the xy plane of a body, and the search for pieces of a curve near a circle.

In the direction of the curve, the material is on the left and the exterior is on the right. Therefore a closed outline
is counter-clockwise. If the curve has a kink to the left between two pieces, a corner is inserted: an arc of radius 0
between the normals of both pieces. A closed curve through two points is a segment with two sides and two corners.

A circle can touch only pieces closer than its radius. Each profile has a grid of square cells. Each cell has a list of
the pieces that a circle with its centre in the cell can touch. Therefore the computing time of the search does not
depend on the number of pieces.

Source: C. Ericson, Real-Time Collision Detection, Morgan Kaufmann (2005), chapter 7.1 (grids).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.schema import Component, column
from windlass.framework.model.table import EntityTable

KINK = 1e-6
"""Smallest angle between two pieces at which a corner is inserted [rad]."""
OVERLAP = 1e-9
"""Extension of each piece, relative to its length [1], so that rounding errors cause no gap between pieces."""
PIECE = 7
"""Number of values that define a piece: side, x, y, a, b, size, limit. Line: side 0, start (x, y), direction (a, b).
The size is the length. Arc: side 1 with the material inside, -1 with the material outside; centre (x, y); direction (a,
b) from the centre to the middle of the arc; the size is the radius, and the limit is the cosine of half the angle of
the arc.
"""
CELLS = 128
"""Largest number of cells of a grid in each direction."""


class CurveProfile(Component):
    """A curve of lines and arcs in the plane of a body. Several bodies can use the same profile.

    In the direction of the curve, the material is on the left and the exterior is on the right.
    """

    points = column("m", "coordinates x, y of all points in succession, in the frame of the marker", shape=None)
    curvatures = column(
        "1/m",
        "curvature of the arc from each point to the next point, or one value for all; 0: a line, > 0: the curve turns "
        "to the left and is convex",
        shape=None, default=(0.0,),
    )  # fmt: skip
    closed = column("1", "true: the last point is joined to the first", dtype=bool, default=True)


class Curves(NamedTuple):
    """Arrays for kernels with the pieces and grids of profiles."""

    pieces: FloatArray  # all lines and arcs, see `PIECE`, shape (pieces, 7)
    first: IntArray  # index of the first piece of each profile, then the number of all pieces, shape (profiles + 1,)
    grid: FloatArray  # lower corner x, y [m] of each grid and cells per length [1/m], shape (profiles, 3)
    shape: IntArray  # number of cells of each grid along x and along y, shape (profiles, 2)
    cell: IntArray  # index of the first cell of each profile, shape (profiles,)
    begin: IntArray  # position of the first piece of each cell in the list of pieces of all cells, shape (cells + 1,)
    members: IntArray  # indices of the pieces that a circle with its centre in a cell can touch, for all cells


def create_pieces(points: FloatArray, curvatures: FloatArray, closed: bool, where: str) -> FloatArray:
    """Return the lines, arcs and corners of a curve, in their order along the curve, shape (pieces, 7), see `PIECE`.

    Args:
        points: coordinates x, y of k >= 2 successive points [m], shape (2 k,).
        curvatures: curvatures of the pieces between the points [1/m], shape (pieces,), or one curvature for all pieces,
            shape (1,).
        closed: whether the last point is connected to the first point.
        where: description of the row, for error messages.

    Raises:
        ModelError: there are too few points, two points are equal, the number of curvatures is wrong, or an arc is
            longer than half a circle.
    """
    if len(points) < 4 or len(points) % 2:
        raise ModelError(f"points in {where} has {len(points)} numbers: must have x, y [m] of two points or more")
    place = np.reshape(points, (-1, 2))
    ends = np.roll(place, -1, axis=0) if closed else place[1:]
    starts = place[: len(ends)]
    if len(curvatures) not in (1, len(ends)):
        raise ModelError(f"curvatures in {where} has {len(curvatures)} numbers: must have 1, or {len(ends)}")
    curvature = np.broadcast_to(curvatures, len(ends))
    way = ends - starts
    length = np.hypot(way[:, 0], way[:, 1])
    for k in np.flatnonzero(length == 0.0)[:1]:
        raise ModelError(f"points in {where}: numbers {k} and {k + 1} are equal, must be different")
    sine = 0.5 * curvature * length
    for k in np.flatnonzero(np.abs(sine) > 1.0)[:1]:
        raise ModelError(
            f"curvatures[{k}] = {curvature[k]:g} 1/m in {where}: must be at most {2.0 / length[k]:g} 1/m, half a "
            f"circle over {length[k]:g} m"
        )
    along, half = way / length[:, None], np.arcsin(sine)
    pieces: list[FloatArray] = []
    for k, (start, t) in enumerate(zip(starts, along, strict=True)):
        right = np.array((t[1], -t[0]))
        if curvature[k] == 0.0:
            pieces.append(np.array((0.0, *start, *t, length[k], 0.0)))
        else:
            side, radius = np.sign(curvature[k]), 1.0 / abs(curvature[k])
            centre = start + 0.5 * way[k] - side * radius * np.cos(half[k]) * right
            pieces.append(np.array((side, *centre, *(side * right), radius, np.cos(half[k]))))
        last = k == len(ends) - 1
        if last and not closed:
            break
        # tangent at the end of this piece, and tangent at the start of the next piece
        following = 0 if last else k + 1
        out, into = _turn(t, float(half[k])), _turn(along[following], -float(half[following]))
        turn = np.arctan2(out[0] * into[1] - out[1] * into[0], out @ into)
        # where a curve reverses its direction, the sign of the angle depends on rounding errors
        turn = abs(turn) if abs(turn) > np.pi - KINK else turn
        if turn > KINK:
            middle = _turn(out, 0.5 * float(turn))
            pieces.append(np.array((1.0, *ends[k], middle[1], -middle[0], 0.0, np.cos(0.5 * turn))))
    return np.array(pieces)


def _turn(vector: FloatArray, angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array((c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]))


def trace_piece(piece: FloatArray, count: int) -> FloatArray:
    """Return points [m], shape (count, 2), at equal distances along a piece, in the direction of the curve."""
    if piece[0] == 0.0:
        return np.asarray(piece[1:3] + np.linspace(0.0, piece[5], count)[:, None] * piece[3:5])
    half = np.arccos(min(piece[6], 1.0))
    angle = np.arctan2(piece[4], piece[3]) + piece[0] * np.linspace(-half, half, count)
    return np.asarray(piece[1:3] + piece[5] * np.stack((np.cos(angle), np.sin(angle)), axis=1))


def bind_curves(rows: LocalRows, name: str, reach: FloatArray) -> tuple[IntArray, Curves]:
    """Create the arrays with which kernels evaluate the profiles that the rows refer to.

    Args:
        rows: rows of a law.
        name: name of the column that refers to the profiles.
        reach: radius of the circle of each row [m], shape (rows,).

    Returns:
        Index of the profile of each row, shape (rows,), and the arrays of all profiles.
    """
    ids, of_row = np.unique(rows.local(name), return_inverse=True)
    found: list[FloatArray] = [np.zeros((0, PIECE))] * len(ids)
    for table, positions, of in rows.world.split_by_table(ids):
        for position, row in zip(positions, of, strict=True):
            found[position] = _create_profile(table, np.array([row]))[0]
    counts = np.array([len(pieces) for pieces in found], np.int64)
    first = np.append(0, np.cumsum(counts))
    grid, shape = np.zeros((len(ids), 3)), np.zeros((len(ids), 2), np.int64)
    members: list[IntArray] = []
    cell, sizes = np.zeros(len(ids), np.int64), [0]
    for k, pieces in enumerate(found):
        cell[k] = len(members)
        grid[k], shape[k], own = _create_grid(pieces, float(reach[of_row == k].max()))
        members += [first[k] + some for some in own]
        sizes += [len(some) for some in own]
    return of_row, Curves(
        pieces=np.concatenate(found) if found else np.zeros((0, PIECE)),
        first=first,
        grid=grid,
        shape=shape,
        cell=cell,
        begin=np.cumsum(sizes),
        members=np.concatenate(members) if members else np.zeros(0, np.int64),
    )


def _create_grid(pieces: FloatArray, reach: float) -> tuple[FloatArray, IntArray, list[IntArray]]:
    """Create the grid of one profile: the lower corner, the number of cells per length, the numbers of cells along x
    and y, and the indices of the pieces of each cell."""
    traced = [trace_piece(piece, 33) for piece in pieces]
    # radius of the circle plus an upper bound of the distance of an arc from the chords between its points
    margin = reach * (1.0 + OVERLAP) + np.array([piece[5] * 5e-3 if piece[0] else 0.0 for piece in pieces])
    low = np.array([points.min(axis=0) for points in traced]) - margin[:, None]
    high = np.array([points.max(axis=0) for points in traced]) + margin[:, None]
    corner, extent = low.min(axis=0), high.max(axis=0) - low.min(axis=0)
    size = max(0.5 * reach, float(extent.max()) / CELLS)
    shape = np.asarray(np.floor(extent / size), np.int64) + 1
    cells: list[list[int]] = [[] for _ in range(shape[0] * shape[1])]
    begin = np.asarray(np.floor((low - corner) / size), np.int64)
    end = np.minimum(np.asarray(np.floor((high - corner) / size), np.int64), shape - 1)
    for p in range(len(pieces)):
        for x in range(begin[p, 0], end[p, 0] + 1):
            for y in range(begin[p, 1], end[p, 1] + 1):
                cells[x * shape[1] + y].append(p)
    return np.array((*corner, 1.0 / size)), shape, [np.array(some, np.int64) for some in cells]


def _create_profile(table: EntityTable, rows: IntArray | None = None, where: str = "") -> list[FloatArray]:
    def get(name: str) -> Any:
        return table.local(name) if rows is None else table.local(name, rows)

    given = zip(get("points"), get("curvatures"), get("closed"), strict=True)
    return [
        create_pieces(np.asarray(points), np.asarray(curvatures), bool(closed), f"{where} {k}")
        for k, (points, curvatures, closed) in enumerate(given)
    ]


def check(world: Tables, table: EntityTable) -> None:
    """Raise ModelError for profiles that are not valid curves."""
    _create_profile(table, where=f"{table.kind} row")


register(CurveProfile, "passive", check=check, source="geometry of lines and arcs")
