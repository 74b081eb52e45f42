"""Data of the nodes of a net before the nodes are added to the world: positions, slopes, shared positions, order, and
named sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.elements.mesh.mesh_file import FileMesh
from windlass.elements.mesh.mesh_lines import Ends, eval_inner_nodes, eval_lengths, rank_points
from windlass.elements.mesh.mesh_parts import Given, NetNodes
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.model.law import Tables
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity


class NodePlan(NamedTuple):
    """Data of the nodes and cables of a net before the net is added to the world.

    Nodes at the ends of lines are first, in the order of the indices `Ends.node`, followed by the nodes within the
    lines.

    position, slope: position [m] and slope [1] of each node, shape (nodes, d) in d dimensions.
    owner: for each node, the index of the node whose position the node uses, shape (nodes,). For a node with its own
    position, the value is the index of the node itself.
    row: row of each node in the table, shape (nodes,).
    first_inner: index of the first node within each line, shape (lines,).
    parts: number of cables of each line, shape (lines,).
    begin, end: indices of the nodes at the start and end of each line, in the direction of its cables, shape (lines,).
    point: mesh point of each node, -1 within lines, shape (nodes,).
    joined: for each node that uses the position of a node of another plan (see `pick_lines`), the row of that node,
    otherwise -1, shape (nodes,).
    """

    position: FloatArray
    slope: FloatArray
    owner: IntArray
    row: IntArray
    first_inner: IntArray
    parts: IntArray
    begin: IntArray
    end: IntArray
    point: IntArray
    joined: IntArray


def plan_nodes(mesh: FileMesh, ends: Ends, turned: NDArray[np.bool_], slope: FloatArray, parts: IntArray) -> NodePlan:
    """Return the positions, slopes and order of all nodes. The rows of connected nodes are close to each other.
    Therefore the bandwidth of matrices is small.
    """
    count, inner = len(slope), parts - 1
    node = ends.node.reshape(-1, 2)
    begin, end = (np.where(turned, node[:, 1 - k], node[:, k]) for k in range(2))
    point = np.empty(count, np.int64)
    point[ends.node] = ends.point
    line = np.repeat(np.arange(len(parts)), inner)
    first_inner = count + np.cumsum(inner) - inner
    step = count + np.arange(len(line)) - first_inner[line] + 1
    ends_of = (mesh.points[point[begin]], mesh.points[point[end]], slope[begin], slope[end])
    length = eval_lengths(*ends_of)
    position, tangent = eval_inner_nodes(
        ends_of[0][line], ends_of[1][line], ends_of[2][line], ends_of[3][line], length[line], step / parts[line]
    )

    first = np.full(len(mesh.points), count, np.int64)
    np.minimum.at(first, point, np.arange(count))
    owner = np.concatenate((first[point], count + np.arange(len(line))))
    rank = rank_points(len(mesh.points), mesh.lines)
    rank0, rank1 = rank[point[begin]][line], rank[point[end]][line]
    # Of the two end nodes of a line, let B be the node that is later in the order, and A the other node. The nodes
    # within the line are placed directly before B, in the sequence from A to B.
    keys = np.concatenate((2 * rank[point], 2 * np.maximum(rank0, rank1) - 1))
    group = np.concatenate((np.arange(count), line))
    place = np.concatenate((np.zeros(count, np.int64), np.where(rank0 < rank1, step, -step)))
    row = np.empty(len(keys), np.int64)
    row[np.lexsort((place, group, keys))] = np.arange(len(keys))
    return NodePlan(
        np.concatenate((mesh.points[point], position)),
        np.concatenate((slope, tangent)),
        owner,
        row,
        first_inner,
        parts,
        begin,
        end,
        np.concatenate((point, np.full(len(line), -1))),
        np.full(len(owner), -1),
    )


def list_picked(plan: NodePlan, which: NDArray[np.bool_]) -> IntArray:
    """Return the indices of the nodes of the lines ``which``, shape (lines,), in the order of `pick_lines`."""
    ends = np.unique(np.concatenate((plan.begin[which], plan.end[which])))
    return np.concatenate((ends, list_ranges(plan.first_inner[which], plan.parts[which] - 1)))


def pick_lines(plan: NodePlan, which: NDArray[np.bool_], other: NodePlan | None = None) -> NodePlan:
    """Return the part of a plan that contains the nodes of the lines ``which``, shape (lines,). These lines have no
    nodes in common with other lines. At points that are also in the plan ``other``, the nodes use the positions of its
    nodes. The lines that are not picked have no inner nodes, and the indices -1 of nodes.
    """
    kept, inner = list_picked(plan, which), np.where(which, plan.parts - 1, 0)
    ends = kept[: len(kept) - inner.sum()]
    number = np.full(len(plan.row), -1)
    number[kept] = np.arange(len(kept))
    point, owner, joined = plan.point[kept], np.arange(len(kept)), np.full(len(kept), -1)
    at = point[: len(ends)]
    first = np.full(plan.point.max() + 1, len(kept))
    np.minimum.at(first, at, owner[: len(ends)])
    owner[: len(ends)] = first[at]
    if other is not None:
        there = np.full(len(first), -1)
        leads = np.flatnonzero((other.point >= 0) & (other.owner == np.arange(len(other.owner))))
        there[other.point[leads]] = other.row[leads]
        joined[: len(ends)] = there[at]
        owner = np.where(joined >= 0, np.arange(len(kept)), owner)
    row = np.empty(len(kept), np.int64)
    row[np.argsort(plan.row[kept])] = np.arange(len(kept))
    return NodePlan(
        plan.position[kept], plan.slope[kept], owner, row, len(ends) + np.cumsum(inner) - inner, inner + 1,
        np.where(which, number[plan.begin], -1), np.where(which, number[plan.end], -1), point, joined,
    )  # fmt: skip


def list_cable_nodes(plan: NodePlan, lines: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the indices of the nodes at both ends of each cable, and the lengths [m] of the cables, line by line, each
    of shape (cables,). The argument ``lines`` contains the indices of the lines.
    """
    parts = plan.parts[lines]
    line = np.repeat(lines, parts)
    step = np.arange(len(line)) - np.repeat(np.cumsum(parts) - parts, parts)
    inner = plan.first_inner[line] + step
    node0 = np.where(step == 0, plan.begin[line], inner - 1)
    node1 = np.where(step == plan.parts[line] - 1, plan.end[line], inner)
    r, t = plan.position, plan.slope
    return node0, node1, eval_lengths(r[node0], r[node1], t[node0], t[node1])


def create_nodes(plan: NodePlan, frames: Mapping[str, FloatArray]) -> NetNodes:
    """Return the data of the nodes in the order of their rows. The argument ``frames`` contains further columns, each
    of shape (nodes, 3).
    """
    order = np.argsort(plan.row)
    own = plan.owner[order] == order
    shared = np.where(own, -1, plan.row[plan.owner[order]])
    columns = {name: values[order] for name, values in frames.items()}
    return NetNodes(plan.position[order], plan.slope[order], shared, plan.joined[order], columns)


def add_nodes(world: Tables, kind: type[Component], given: Given, name: str, other: int) -> Entity:
    """Add the nodes of this process to the world. The argument ``given`` contains their data, and ``other`` is the
    number of the first node of the part of the net whose positions these nodes can use.
    """
    net, outline = given.net.nodes, given.net.outline
    shared = np.where(net.shared >= 0, world.count + net.shared, np.where(net.joined >= 0, other + net.joined, -1))
    nodes = world.add(
        kind,
        part=given.node_part,
        position=net.position,
        slope=net.slope,
        shares_position=shared,
        **net.frames,
    )
    order, point, first_inner = outline.order, outline.point, outline.first_inner

    def describe(row: int) -> str:
        number = int(order[row])
        if number >= len(point):
            line = int(np.searchsorted(first_inner, number, side="right")) - 1
            return f"{name} line {line} node {number - int(first_inner[line]) + 1}"
        # nodes at one mesh point are consecutive, and the first of these nodes defines the position
        k = row
        while k and order[k - 1] < len(point) and point[order[k - 1]] == point[number]:
            k -= 1
        words = f"{name} point {point[number]}"
        return words if k == row else f"{words} (slope of node {row})"

    nodes.table.add_label(nodes.rows, describe)
    return nodes


def create_node_sets(mesh: FileMesh, plan: NodePlan) -> tuple[dict[str, IntArray], dict[str, IntArray]]:
    """Return two dictionaries with the rows of the nodes of each group. The first dictionary contains one node per
    position, without positions of nodes of another plan. The second dictionary contains all nodes.
    """
    ends = int(plan.point.size if plan.point.min() >= 0 else np.argmin(plan.point))
    by_point = np.argsort(plan.point[:ends], kind="stable")
    count = np.bincount(plan.point[:ends], minlength=len(mesh.points))
    first = np.cumsum(count) - count
    single: dict[str, IntArray] = {}
    every: dict[str, IntArray] = {}
    for name in sorted({*mesh.point_sets, *mesh.line_sets}):
        points = mesh.points_of(name, "nodes")
        lines = mesh.line_sets.get(name, np.zeros(0, np.int64))
        inner = list_ranges(plan.first_inner[lines], plan.parts[lines] - 1)
        owners = by_point[first[points[count[points] > 0]]]
        owners = owners[plan.joined[owners] < 0]
        single[name] = plan.row[np.concatenate((owners, inner))]
        all_at = by_point[list_ranges(first[points], count[points])]
        every[name] = plan.row[np.concatenate((all_at, inner))]
    return single, every


def list_ranges(first: IntArray, count: IntArray) -> IntArray:
    """Return count[0] consecutive integers from first[0], followed by count[1] consecutive integers from first[1],
    ...
    """
    start = np.repeat(first - np.cumsum(count) + count, count)
    numbers: IntArray = start + np.arange(len(start))
    return numbers
