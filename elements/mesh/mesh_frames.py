"""Frames of the nodes of nets with twist: the columns ``normal`` and ``turned_from`` of each node.

Lines that share slopes form paths and loops. At the start of a path, ``normal`` has the given or the default direction.
Along the path, the normal is rotated by the smallest rotations between successive slopes of the cubic axis (see
turning.py). Therefore the frames of a path have no twist. A loop starts at its first line in the file. The cable that
closes the loop has a twist in the reference configuration. This twist is the angle between the moved normal and the
normal at the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from windlass.elements.cable.kinds import FRAME_COLUMNS
from windlass.elements.mesh.mesh_file import FileMesh
from windlass.elements.mesh.mesh_lines import eval_inner_nodes
from windlass.elements.mesh.mesh_nodes import NodePlan, list_cable_nodes
from windlass.elements.nodes.turning import carry_normals
from windlass.elements.nodes.twist_frames import STEPS, find_direction, find_normals
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel

PARALLEL = 1e-6
"""Smallest allowed sine [1] of the angle between a given normal and the slope at the start of a path."""


def read_frame_columns(columns: Mapping[str, Any], label: str) -> dict[str, FloatArray]:
    """Return the directions ``normal`` and ``turned_from`` of a section, each of shape (3,). If a direction is not
    given, the vector is 0.

    Raises:
        ModelError: a direction is not a vector of three finite numbers.
    """
    found = {}
    for name in FRAME_COLUMNS:
        given = columns.get(name, (0.0, 0.0, 0.0))
        vector = read_numbers(given)
        if vector is None or vector.shape != (3,) or not np.isfinite(vector).all():
            raise ModelError(
                f"{name} = {show(given)} of section {label!r} in cables_from_mesh: must be three finite numbers"
            )
        found[name] = vector
    return found


def find_paths(begin: IntArray, end: IntArray) -> list[list[int]]:
    """Return the lines of each path and loop in order. Line i runs from the node begin[i] to the node end[i]. Lines
    with a common slope have a common node.
    """
    first, last = begin.tolist(), end.tolist()
    starts_at = {node: line for line, node in enumerate(first)}
    inside = set(last)
    done = [False] * len(first)
    paths = []
    # paths begin at lines without a previous line; the remaining lines form loops
    for line in [*(i for i, node in enumerate(first) if node not in inside), *range(len(first))]:
        path: list[int] = []
        while line >= 0 and not done[line]:
            done[line] = True
            path.append(line)
            line = starts_at.get(last[line], -1)
        if path:
            paths.append(path)
    return paths


def eval_frames(
    mesh: FileMesh, plan: NodePlan, section: IntArray, given: Sequence[Mapping[str, FloatArray]]
) -> tuple[FloatArray, FloatArray]:
    """Return ``normal`` and ``turned_from`` of all nodes, each of shape (nodes, 3).

    Args:
        mesh, plan: the mesh and its nodes.
        section: index of the section of each line, shape (lines,).
        given: for each section, the result of `read_frame_columns`.

    Raises:
        ModelError: a given normal is parallel to the slope at the start of a path.
    """
    paths = find_paths(plan.begin, plan.end)
    lines = np.array([line for path in paths for line in path])
    # All cables, path by path. Path k has the cables edge[k] to edge[k + 1].
    node0, node1, length = list_cable_nodes(plan, lines)
    edge = np.cumsum([0, *(plan.parts[path].sum() for path in paths)])
    r, t = plan.position, plan.slope
    ends = (r[node0], r[node1], t[node0], t[node1], length)
    steps = [eval_inner_nodes(*ends, np.full(len(node0), k / STEPS))[1] for k in range(1, STEPS)]
    # slopes at equal intervals along the cables of each path, and at the end of the path
    first = STEPS * edge[:-1] + np.arange(len(paths))
    slopes = np.insert(
        np.stack((t[node0], *steps), axis=1).reshape(-1, 3), STEPS * edge[1:], t[node1[edge[1:] - 1]], axis=0
    )
    normals, own = np.zeros_like(slopes), [given[section[path[0]]] for path in paths]
    starts = np.array([columns["normal"] for columns in own])
    along = np.linalg.norm(np.cross(starts, slopes[first]), axis=1)
    is_given = starts.any(axis=1)
    for k in np.flatnonzero(is_given & (along <= PARALLEL * np.linalg.norm(starts, axis=1)))[:1]:
        place = mesh.place(plan.point[node0[edge[k]]])
        raise mesh.error(
            f"normal = {show(starts[k].tolist())} is parallel to the cable at {place}, at which a path of lines "
            "begins: must have a component perpendicular to the cable; give the section of the path its own normal"
        )
    normals[first] = np.where(is_given[:, None], starts, find_normals(slopes[first]))
    last = np.append(first[1:], len(slopes))
    call(carry_along_paths)(first, last, slopes, normals)
    normal, turned_from = np.zeros((2, *plan.slope.shape))
    for k, columns in enumerate(own):
        direction = columns["turned_from"]
        if not direction.any():
            direction = find_direction(slopes[first[k] : last[k]])
        nodes = np.append(node0[edge[k] : edge[k + 1]], node1[edge[k + 1] - 1])
        if nodes[-1] == nodes[0]:
            # in a loop, the last node is the first node, and its normal is the normal at the start of the loop
            nodes = nodes[:-1]
        normal[nodes] = normals[first[k] : last[k] : STEPS][: len(nodes)]
        turned_from[nodes] = direction
    return normal, turned_from


@kernel
def carry_along_paths(first: IntArray, last: IntArray, slopes: FloatArray, normals: FloatArray) -> None:
    """For each path k, fill the normals in the rows first[k] to last[k] - 1. The normal in row first[k] is given."""
    for k in range(len(first)):
        carry_normals(slopes[first[k] : last[k]], normals[first[k] : last[k]])
