"""Assignment of coordinates to processes. The assignment follows from ranges of rows of the node tables, or from a
partition of the graph of couplings.

The vertices of the graph are nodes and bodies. An edge joins two vertices that a row of an element, connector or
constraint couples. Hubs are coordinates that a large number of rows couple, such as the coordinates of a pulley that
touches all elements of a belt. Hubs have no edges, because edges of hubs would connect all parts of the model. Each hub
is assigned to a process that owns a large part of the rows that couple the hub, see `place_hubs`. The weight of a
vertex is an estimate of its computational work: the work for the coordinates of the vertex, and the work for rows. The
work for a row is the number of coordinates that the row couples. This work is added to the weight of the first vertex
of the row that is not a hub.

For a chain with nodes that are numbered along the chain, ranges are optimal. For nets, and if nodes are numbered in
another order, the first process partitions the graph by PETSc's MatPartitioning, and broadcasts the result.

Source: F. Pellegrini, J. Roman, SCOTCH: a software package for static mapping by dual recursive bipartitioning,
HPCN Europe (1996); G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20 (1998) 359-392.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import IntArray
from windlass.framework.command_line import options
from windlass.framework.errors import OptionError, WindlassError
from windlass.framework.launch.petsc_functions import reset_scotch, set_parts_and_weights
from windlass.framework.model.numbering import find_own
from windlass.framework.model.world import World
from windlass.framework.parallel.processes import Processes
from windlass.framework.runtime.petsc import PETSc

HUB_ROWS, HUB_RATIO = 12, 3
"""A coordinate is a hub if more than HUB_ROWS rows couple the coordinate, and if the number of these rows is more than
HUB_RATIO times the median over all coordinates.
"""
COORDINATE_WORK = 2
"""Computational work [1] for one owned coordinate, relative to the work for one coordinate that a row couples."""
CHAIN_CUT = 4
"""If ranges of rows cut at most this number of edges per border between two ranges, the model is treated as a chain.
For a chain no partition is better than ranges.
"""
WORTH = 0.8
"""A partition of the graph is used if the number of its cut edges is at most this fraction [1] of the number of edges
that ranges cut.
"""
TYPES = ("ptscotch", "parmetis", "chaco", "party", "average")
"""Partitioners of PETSc in the order of preference. Some installations of PETSc lack some of these partitioners."""
TYPE_OPTION = "mat_partitioning_type"


class Graph(NamedTuple):
    """The graph of couplings between nodes and bodies.

    Attributes:
        vertex: index of the vertex of each coordinate, shape (n,).
        edges: pairs of vertices, shape (edges, 2). Each pair occurs once, with the smaller number first.
        weight: estimate of the computational work of each vertex, without unit, shape (vertices,).
        hubs: the vertices that are hubs, shape (h,).
        hub_rows: pairs (hub, vertex), shape (k, 2), one for each row that couples a hub and another vertex.
        first: first vertex of each node table, followed by the number of vertices.
    """

    vertex: IntArray
    edges: IntArray
    weight: IntArray
    hubs: IntArray
    hub_rows: IntArray
    first: list[int]


def find_hubs(couplings: Iterable[IntArray], count: int) -> NDArray[np.bool_]:
    """Return whether each coordinate is a hub, shape (count,).

    Args:
        couplings: one array for each table: the coordinates that the rows of the table couple, shape (rows, coordinates
            of a row), -1 for no coordinate.
        count: number of coordinates.
    """
    degree = count_rows(couplings, count)
    return degree > find_hub_bound(np.bincount(degree))


def count_rows(couplings: Iterable[IntArray], count: int) -> IntArray:
    """Return the number of rows that couple each coordinate, shape (count,). The arguments are explained in
    `find_hubs`.
    """
    degree = np.zeros(count + 1, np.int64)
    for dofs in couplings:
        degree += np.bincount(dofs.ravel() + 1, minlength=count + 1)
    return degree[1:]


def find_hub_bound(histogram: IntArray) -> int:
    """Return the largest number of rows that may couple a coordinate which is not a hub. Entry i of ``histogram`` is
    the number of coordinates that are coupled by exactly i rows.
    """
    ends, total = np.cumsum(histogram), int(histogram.sum())
    if not total:
        return HUB_ROWS
    low, high = (int(np.searchsorted(ends, middle, side="right")) for middle in ((total - 1) // 2, total // 2))
    return max(HUB_ROWS, HUB_RATIO * ((low + high) // 2))


def partition_coordinates(
    world: World, couplings: list[IntArray], hub: NDArray[np.bool_], size: int, comm: Any = None
) -> IntArray:
    """Return the owner of each coordinate, shape (n,). The result is equal on all processes.

    Args:
        world: the world, finalized.
        couplings: one array for each table: the coordinates that the rows of the table couple, shape (rows, coordinates
            of a row), -1 for no coordinate.
        hub: whether each coordinate is a hub, shape (n,).
        size: number of processes.
        comm: mpi4py communicator of the processes that call this function together. If ``comm`` is None, this process
            computes the partition alone.

    Raises:
        OptionError: the value of ``-mat_partitioning_type`` is wrong.
    """
    # the options are also read in serial runs, so that a command line is valid for any number of processes
    kind = chosen_kind()
    if size == 1:
        return np.zeros(world.numbering.count, np.int64)
    result: IntArray | WindlassError | None = None
    if comm is None or comm.rank == 0:
        try:
            graph = create_graph(world, couplings, hub)
            result = find_owners(graph, size, kind)[graph.vertex]
        except WindlassError as error:
            result = error
    # only one process computes the partition, because partitioners use random numbers, and the results of two processes
    # could differ
    result = Processes(comm).from_first("the partition", result)
    if isinstance(result, WindlassError):
        raise result
    assert result is not None
    return result


def chosen_kind() -> str:
    """Return the value of ``-partition``. If this value is ``"auto"`` and ``-mat_partitioning_type`` is given, return
    ``"graph"``.
    """
    kind, chosen = str(options.own_value("partition")), PETSc.Options().hasName(TYPE_OPTION)
    return "graph" if chosen and kind == "auto" else kind


def find_row_owners(dofs: IntArray, dof_owner: IntArray, hub: NDArray[np.bool_]) -> IntArray:
    """Return the owner of the first coordinate of each row. Hubs are ignored if the row has other coordinates. Process
    0 owns rows without coordinates.
    """
    if dofs.shape[1] == 0 or len(dof_owner) == 0:
        return np.zeros(len(dofs), np.int64)
    there = dofs >= 0
    usual = there & ~hub[dofs]
    first = np.where(usual.any(axis=1), np.argmax(usual, axis=1), np.argmax(there, axis=1))
    chosen = dofs[np.arange(len(dofs)), first]
    return np.where(chosen >= 0, dof_owner[chosen], 0)


def create_graph(world: World, couplings: list[IntArray], hub: NDArray[np.bool_]) -> Graph:
    """Create the graph of a world from its rows on this process. See `partition_coordinates`."""
    number = world.numbering
    first = [0]
    vertex = np.full(number.known_count, -1, np.int64)
    for component, numbers in number.node_dofs.items():
        # the vertex of a shared coordinate is the node that defines the coordinate
        own = find_own(world.tables[component])
        rows = np.broadcast_to(first[-1] + np.arange(len(numbers))[:, None], numbers.shape)
        vertex[number.places(numbers[own])] = rows[own]
        first.append(first[-1] + len(numbers))
    is_hub = np.zeros(first[-1] + 1, bool)
    is_hub[vertex[hub]] = True
    weight = COORDINATE_WORK * np.bincount(vertex, minlength=first[-1])
    pairs, hub_rows = [], [np.zeros((0, 2), np.int64)]
    for dofs in couplings:
        if not dofs.size:
            continue
        coupled = np.where(dofs >= 0, vertex[dofs], -1)
        to_hub = is_hub[coupled]
        touched = _first_of(np.where(to_hub, coupled, -1))
        coupled[to_hub] = -1
        taken = _first_of(coupled)
        weight += np.bincount(taken + 1, (dofs >= 0).sum(axis=1), first[-1] + 1)[1:].astype(np.int64)
        pairs += _pairs(coupled)
        both = (touched >= 0) & (taken >= 0)
        hub_rows.append(np.stack((touched[both], taken[both]), axis=1))
    hubs: IntArray = np.flatnonzero(is_hub[:-1])
    return Graph(vertex, unite_edges(pairs, first[-1]), weight, hubs, np.concatenate(hub_rows), first)


def _first_of(numbers: IntArray) -> IntArray:
    """Return the first number >= 0 in each row of an array, shape (rows,). If all numbers of the row are negative, the
    result is -1.
    """
    found: IntArray = numbers[np.arange(len(numbers)), np.argmax(numbers >= 0, axis=1)]
    return found


def _pairs(coupled: IntArray) -> list[IntArray]:
    """Return all pairs of different vertices in each row, as one array of shape (k, 2) for each pair of columns."""
    differs = (coupled[:, 1:] != coupled[:, :-1]).any(axis=0)
    columns = coupled[:, np.concatenate(([0], 1 + np.flatnonzero(differs)))]
    out = []
    for a in range(columns.shape[1]):
        for b in range(a):
            pair = columns[:, [a, b]]
            out.append(pair[(pair[:, 0] != pair[:, 1]) & (pair >= 0).all(axis=1)])
    return out


def unite_edges(pairs: list[IntArray], vertices: int) -> IntArray:
    """Return the given pairs without repeated pairs. In each pair the smaller number is first."""
    every = np.concatenate(pairs) if pairs else np.zeros((0, 2), np.int64)
    low, high = every.min(axis=1), every.max(axis=1)
    coded = np.unique(low * vertices + high)
    return np.stack((coded // max(vertices, 1), coded % max(vertices, 1)), axis=1)


def find_owners(graph: Graph, size: int, kind: str = "auto") -> IntArray:
    """Return the rank of the process that owns each vertex, shape (vertices,).

    Args:
        graph: the graph of couplings.
        size: number of processes.
        kind: ``"rows"`` for ranges, ``"graph"`` for MatPartitioning. ``"auto"`` selects MatPartitioning if its
            partition cuts clearly fewer edges than ranges (see `CHAIN_CUT` and `WORTH`), otherwise ranges.
    """
    owner = cut_ranges(graph, size)
    cut = count_cut(graph, owner)
    if kind == "graph" or (kind == "auto" and cut > CHAIN_CUT * (size - 1)):
        parts = cut_graph(graph, size)
        if kind == "graph" or count_cut(graph, parts) <= WORTH * cut:
            owner = parts
    place_hubs(graph, owner, size)
    return owner


def place_hubs(graph: Graph, owner: IntArray, size: int) -> None:
    """Assign each hub to the process that owns the largest number of the rows that couple the hub. If several processes
    own at least 90 % of this number, the hubs are assigned to these processes in turn.
    """
    number = np.full(len(owner), -1, np.int64)
    number[graph.hubs] = np.arange(len(graph.hubs))
    rows = np.zeros((len(graph.hubs), size), np.int64)
    np.add.at(rows, (number[graph.hub_rows[:, 0]], owner[graph.hub_rows[:, 1]]), 1)
    for k, hub in enumerate(graph.hubs):
        most = np.flatnonzero(rows[k] >= 0.9 * rows[k].max())
        owner[hub] = most[k % len(most)]


def count_cut(graph: Graph, owner: IntArray) -> int:
    """Return the number of edges between vertices of different owners."""
    return int((owner[graph.edges[:, 0]] != owner[graph.edges[:, 1]]).sum())


def cut_ranges(graph: Graph, size: int) -> IntArray:
    """Divide the rows of each node table into ranges of equal work, and return the owner of each vertex."""
    owner = np.zeros(len(graph.weight), np.int64)
    for start, end in zip(graph.first[:-1], graph.first[1:], strict=True):
        weight = np.maximum(graph.weight[start:end], 1)
        middle = np.cumsum(weight) - 0.5 * weight
        owner[start:end] = middle * (size / max(int(weight.sum()), 1))
    return np.minimum(owner, size - 1)


def cut_graph(graph: Graph, size: int) -> IntArray:
    """Return the owner of each vertex, computed by PETSc's MatPartitioning on this process.

    Raises:
        OptionError: PETSc cannot partition the graph.
    """
    from scipy.sparse import coo_array  # imported here, because a single process needs no partition

    count, (i, j) = len(graph.weight), graph.edges.T
    # the result of a partitioner depends on the number of threads and on the seed of its random numbers
    os.environ.setdefault("SCOTCH_PTHREAD_NUMBER", "1")
    reset_scotch()
    shape = (np.ones(2 * len(i)), (np.concatenate((i, j)), np.concatenate((j, i))))
    rows = coo_array(shape, shape=(count, count)).tocsr()
    csr = (rows.indptr.astype(PETSc.IntType), rows.indices.astype(PETSc.IntType), rows.data)
    partitioning = PETSc.MatPartitioning().create(PETSc.COMM_SELF)
    try:
        # references to the arrays are stored here, because PETSc does not hold references to them
        adjacency = PETSc.Mat().createAIJ((count, count), csr=csr, comm=PETSc.COMM_SELF)
        partitioning.setAdjacency(adjacency)
        _set_first_type(partitioning)
        set_parts_and_weights(partitioning, size, np.maximum(graph.weight, 1))
        partitioning.setFromOptions()
        parts = PETSc.IS()
        partitioning.apply(parts)
    except PETSc.Error as error:
        reason = str(error).splitlines()[-1].removeprefix("[0] ")
        given = PETSc.Options().getString(TYPE_OPTION, TYPES[0])
        raise OptionError(f"-{TYPE_OPTION} {given}: PETSc cannot cut the model into {size} parts: {reason}") from None
    owner: IntArray = parts.getIndices().astype(np.int64)
    return owner


def _set_first_type(partitioning: Any) -> None:
    """Select the first partitioner of `TYPES` that the installed version of PETSc provides."""
    for name in TYPES[:-1]:
        try:
            partitioning.setType(name)
        except PETSc.Error:
            continue
        return
    partitioning.setType(TYPES[-1])
