"""Frames of the nodes of nets with twist: the columns ``normal`` and ``turned_from`` of each node.

Lines that share slopes form paths and loops. At the start of a path, ``normal`` is given or has its default. Along the
path, the normal is rotated by the smallest rotations between successive slopes of the cubic axis (see turning.py), so
the frames of a path have no twist. A loop starts at the line that comes first in the file; the cable that closes the
loop contains the angle between the moved normal and the normal at the start as twist of the reference configuration.
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
from windlass.elements.nodes.twist_frames import STEPS, find_direction, find_normal
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError

PARALLEL = 1e-6
"""Smallest allowed sine of the angle between a given normal and the slope at the start of a path [1]."""


def read_frame_columns(columns: Mapping[str, Any], label: str) -> dict[str, FloatArray]:
    """Return the directions ``normal`` and ``turned_from`` of a section, each of shape (3,); without a given direction
    the vector is 0.

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
    """Return the lines of each path and loop in order. Line i runs from the node begin[i] to the node end[i]; lines
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
    normal, turned_from = np.zeros((2, *plan.slope.shape))
    for path in find_paths(plan.begin, plan.end):
        lines = np.array(path)
        node0, node1, length = list_cable_nodes(plan, lines)
        r, t = plan.position, plan.slope
        ends = (r[node0], r[node1], t[node0], t[node1], length)
        steps = [eval_inner_nodes(*ends, np.full(len(node0), k / STEPS))[1] for k in range(1, STEPS)]
        slopes = np.concatenate((np.stack((t[node0], *steps), axis=1).reshape(-1, 3), t[node1[-1:]]))
        own = given[section[lines[0]]]
        start, normals = own["normal"], np.zeros_like(slopes)
        if not start.any():
            start = find_normal(slopes[0])
        elif np.linalg.norm(np.cross(start, slopes[0])) <= PARALLEL * np.linalg.norm(start):
            raise mesh.error(
                f"normal = {show(start.tolist())} is parallel to the cable at {mesh.place(plan.point[node0[0]])}, at "
                "which a path of lines begins: must have a component perpendicular to the cable; give the section of "
                "the path its own normal"
            )
        normals[0] = start
        carry_normals(slopes, normals)
        direction = own["turned_from"] if own["turned_from"].any() else find_direction(slopes)
        # node1 of the last cable of a loop is the first node, whose normal is the start of the loop
        nodes = np.append(node0, node1[-1:]) if node1[-1] != node0[0] else node0
        normal[nodes], turned_from[nodes] = normals[::STEPS][: len(nodes)], direction
    return normal, turned_from
