"""Distribution of the nodes and cables of nets over processes. The first process reads the file, determines all rows of
the net, and sends each process its rows.

Only the first process stores the whole net. It stores the net until all parts have been sent. If a net is small, the
whole net is sent to all processes. Each process receives the nodes of a range of rows and the cables that begin at
these nodes. All processes receive the data of handles and names: one integer for each row of a set, and one or two
integers for each node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import WindlassError
from windlass.framework.model import parts as building
from windlass.framework.model.parts import Part
from windlass.framework.parallel.processes import Processes


class NetNodes(NamedTuple):
    """Nodes of a net, in the order of their rows in the table of nodes.

    position, slope: position [m] and slope [1] of each node, shape (rows, d) in d dimensions.
    shared: for each node, the row of the node whose position it shares, or -1 if the node has its own position, shape
        (rows,).
    joined: for each node, the row of the node in another part of the net whose position it shares, or -1, shape
        (rows,).
    frames: columns of nodes with twist, each of shape (rows, 3); empty for other nodes.
    """

    position: FloatArray
    slope: FloatArray
    shared: IntArray
    joined: IntArray
    frames: dict[str, Any]


class NetCables(NamedTuple):
    """Cables of a section.

    node0, node1: rows of both nodes, shape (cables,).
    length: lengths [m], shape (cables,).
    columns: columns with a value for each cable, which are read from the cells of the file, shape (cables, ...).
    """

    node0: IntArray
    node1: IntArray
    length: FloatArray
    columns: dict[str, FloatArray]


class Outline(NamedTuple):
    """Data of a net that all processes have. Row indices are relative to the first row of the net.

    nodes: number of nodes.
    sections: for each section, the name of the group (None for lines without section), the label, and the number of
        cables.
    order: index of the node in each row, shape (nodes,). See `NodePlan`.
    point: for each node at an end of a line, the index of its mesh point, in the order of the node indices.
    first_inner: index of the first node within each line, shape (lines,).
    cable_sets, node_sets, slope_sets: rows of the cables and nodes of each group, by name. See `CableMesh`.
    notes: messages about parts of the file that were omitted.
    """

    nodes: int
    sections: list[tuple[str | None, str, int]]
    order: IntArray
    point: IntArray
    first_inner: IntArray
    cable_sets: dict[str, IntArray]
    node_sets: dict[str, IntArray]
    slope_sets: dict[str, IntArray]
    notes: tuple[str, ...]


class Net(NamedTuple):
    """A net before it is added to the world, or the part of a net on one process."""

    outline: Outline
    nodes: NetNodes
    cables: list[NetCables]


class Given(NamedTuple):
    """Rows of a net that one process adds: the indices of these rows, and the part of the net that consists of these
    rows."""

    node_part: Part
    cable_parts: list[Part]
    net: Net


def deal_nets(comm: Any, plan: Callable[[], list[Net]]) -> list[Given]:
    """Create nets on the first process and send each process its rows. All processes must call this function together.

    Args:
        comm: mpi4py communicator, or None for one process.
        plan: function that creates the whole nets.

    Raises:
        WindlassError: ``plan`` has raised this error. The error is then raised on all processes.
    """
    processes, nets, error = Processes(comm), None, None
    if comm is None or comm.rank == 0:
        try:
            nets = plan()
        except WindlassError as found:
            error = found
    processes.agree(error)
    if comm is None:
        assert nets is not None
        return [_take_part(net, 0, 1) for net in nets]
    outlines = processes.from_first("the outlines", [net.outline for net in nets] if nets is not None else None)
    if nets is None:
        received = []
        for outline in outlines:
            part, cable_parts, nodes, cables = comm.recv(source=0)
            received.append(Given(part, cable_parts, Net(outline, nodes, cables)))
        return received
    for rank in range(1, comm.size):
        for net in nets:
            given = _take_part(net, rank, comm.size)
            comm.send((given.node_part, given.cable_parts, given.net.nodes, given.net.cables), rank)
    return [_take_part(net, 0, comm.size) for net in nets]


def _take_part(net: Net, rank: int, size: int) -> Given:
    """Return the nodes and cables that process ``rank`` of ``size`` processes adds: the nodes of a range of rows, and
    the cables that begin at these nodes. If the net is small, return all nodes and cables.
    """
    count, cables = len(net.nodes.shared), sum(len(section.node0) for section in net.cables)
    if size == 1 or max(count, cables) <= building.KEPT_WHOLE:
        whole = [Part(len(section.node0), np.arange(len(section.node0)), replicated=True) for section in net.cables]
        return Given(Part(count, np.arange(count), replicated=True), whole, net)
    first, end = count * rank // size, count * (rank + 1) // size
    parts = [
        Part(len(section.node0), np.flatnonzero((section.node0 >= first) & (section.node0 < end)))
        for section in net.cables
    ]
    mine = [
        NetCables(
            section.node0[part.numbers],
            section.node1[part.numbers],
            section.length[part.numbers],
            {name: values[part.numbers] for name, values in section.columns.items()},
        )
        for section, part in zip(net.cables, parts, strict=True)
    ]
    rows = slice(first, end)
    frames = {name: values[rows] for name, values in net.nodes.frames.items()}
    n = net.nodes
    nodes = NetNodes(n.position[rows], n.slope[rows], n.shared[rows], n.joined[rows], frames)
    return Given(Part(count, np.arange(first, end)), parts, Net(net.outline, nodes, mine))
