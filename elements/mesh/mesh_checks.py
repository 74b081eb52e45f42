"""Checks of a mesh file for duplicate lines, coinciding points, and points without lines."""

from __future__ import annotations

from typing import Literal

import numpy as np

from windlass.elements.mesh.mesh_file import FileMesh
from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError

SAME_PLACE = 1e-9
"""Largest distance [1] between points that are treated as coinciding, relative to the largest extent of the mesh along
a coordinate axis.
"""


def merge_points(mesh: FileMesh, distance: float | None) -> None:
    """Merge coinciding points of a mesh in place. See ``merge_distance`` of `cables_from_mesh`.

    Raises:
        ModelError: the distance is negative or not finite, or the distance is 0 and points of lines coincide.
    """
    if distance is None:
        return
    if not (np.isfinite(distance) and distance >= 0.0):
        raise ModelError(f"merge_distance = {distance} m in cables_from_mesh: must be >= 0, or None")
    from scipy.sparse import coo_array  # imported here, because most models do not need SciPy
    from scipy.sparse.csgraph import connected_components  # imported here, because most models do not need SciPy
    from scipy.spatial import cKDTree  # imported here, because most models do not need SciPy

    used = np.unique(mesh.lines)
    size = float(np.ptp(mesh.points[used], axis=0).max())
    pairs = cKDTree(mesh.points[used]).query_pairs(max(distance, SAME_PLACE * size), output_type="ndarray")
    if not len(pairs):
        return
    pairs = used[pairs]
    if distance == 0.0:
        a, b = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))[0]]
        raise mesh.error(
            f"{mesh.place(a)} and point {b} coincide, but are different points: lines that end at them are not "
            "connected; merge_distance > 0 [m] merges such points, None keeps them separate"
        )
    count = len(mesh.points)
    graph = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    _, first, cluster = np.unique(
        connected_components(graph, directed=False)[1], return_index=True, return_inverse=True
    )
    target: IntArray = first[cluster]
    mesh.lines = target[mesh.lines]
    mesh.point_sets = {name: np.unique(target[points]) for name, points in mesh.point_sets.items()}
    mesh.present = target == np.arange(count)
    mesh.notes.append(f"{count - int(mesh.present.sum())} points were merged with other points within {distance:g} m")


def check_mesh(mesh: FileMesh, unused_points: Literal["error", "ignore"]) -> None:
    """Raise ModelError for lines of length 0, for duplicate lines, and for points that are in a group but in no line.
    For points that are neither in a line nor in a group, raise ModelError or, if ``unused_points`` is "ignore", add a
    note to the mesh.
    """
    lines, points = mesh.lines, mesh.points
    size = float(np.ptp(points, axis=0).max(initial=0.0))
    length = np.linalg.norm(points[lines[:, 1]] - points[lines[:, 0]], axis=1)
    short = np.flatnonzero(length <= SAME_PLACE * size)
    for line in short[:1]:
        raise mesh.error(
            f"line {line} from {mesh.place(lines[line, 0])} to point {lines[line, 1]} has the length "
            f"{length[line]:.3g} m: must be > 0 ({len(short)} such lines)"
        )
    ordered = np.sort(lines, axis=1)
    order = np.lexsort((ordered[:, 1], ordered[:, 0]))
    again = np.flatnonzero((ordered[order[1:]] == ordered[order[:-1]]).all(axis=1))
    for k in again[:1]:
        line, other = order[k], order[k + 1]
        raise mesh.error(
            f"lines {line} and {other} both join {mesh.place(lines[line, 0])} and {mesh.place(lines[line, 1])}: "
            f"must occur once ({len(again)} lines are duplicates)"
        )
    used = np.zeros(len(points), bool)
    used[lines] = True
    unused = np.flatnonzero(mesh.present & ~used)
    if not len(unused):
        return
    for name, members in mesh.point_sets.items():
        for point in members[~used[members]][:1]:
            raise mesh.error(f"{mesh.place(point)} of the group {name!r} belongs to no line: must belong to one")
    if unused_points == "error":
        some = "; ".join(mesh.place(point) for point in unused[:3]) + ("; ..." if len(unused) > 3 else "")
        raise mesh.error(
            f"{len(unused)} points belong to no line: {some}; unused_points='ignore' leaves such points out"
        )
    mesh.notes.append(f"left out: {len(unused)} points that belong to no line")
