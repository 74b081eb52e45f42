"""Order of the unknowns of a process for elimination by substructures. The unknowns of the interior are first, and the
unknowns of the interface are last.

Each process can eliminate its interior unknowns without communication with other processes. The remaining unknowns are
the *interface*. The interface consists of the coordinates of pulleys, and of the unknowns that several processes share,
such as the four unknowns of a node at the border between the cables of two processes. A multiplier must be ordered
after the coordinates that it couples. Therefore the multipliers that couple unknowns of the interface are also part of
the interface. The interior unknowns are ordered along the cables, or in the opposite direction if the border to another
process is at the start of a cable. Therefore the elimination ends at the border, and causes no fill-in. The four
unknowns of a node form a block, see unknowns.py.

Source: J. S. Przemieniecki, Matrix structural analysis of substructures, AIAA J. 1 (1963) 138-147.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.layout.unknowns import BLOCK, FULL, Unknowns, number_in_blocks
from windlass.framework.parallel.processes import Processes


class Couplings(NamedTuple):
    """Process-local unknowns that the rows of one law couple; -1 for no unknown.

    Attributes:
        unknowns: unknowns of the coordinates of the rows, shape (k, n).
        multipliers: unknowns of the multipliers of the rows, shape (k, m).
    """

    unknowns: IntArray
    multipliers: IntArray


class Substructure(NamedTuple):
    """Positions of the unknowns of a process in its matrix.

    Attributes:
        place: matrix row of each process-local unknown, shape (u,).
        pads: indices of the padding rows, which are matrix rows without an unknown. All rows of the last block are
            padding rows.
        inner: number of matrix rows of the interior, a multiple of four. The rows of the interior precede all other
            rows.
        rows: number of matrix rows, a multiple of four.
        joint: for each matrix row of the interface except the last block, the index of its unknown in the joint
            interface of all processes, shape (rows - inner - 4,); -1 for padding rows.
        joint_count: number of unknowns of the joint interface of all processes.
    """

    place: IntArray
    pads: IntArray
    inner: int
    rows: int
    joint: IntArray
    joint_count: int


def create_substructure(
    plain: Unknowns, nodes: IntArray, couplings: Iterable[Couplings], processes: Processes
) -> Substructure | None:
    """Create the order for elimination by substructures, or return None if the fraction of unknowns in full blocks is
    too small.

    The call is collective.

    Args:
        plain: the unknowns of this process, in the order of the layout.
        nodes: first unknowns of the process-local nodes that form blocks, including ghosts, in ascending order.
        couplings: unknowns that the rows couple, for each law.
        processes: the processes among which the world is divided.
    """
    couplings = list(couplings)
    count, owned = len(plain.numbers), plain.owned
    # the last entry is the entry of missing unknowns, which have the index -1
    shared = np.zeros(count + 1, bool)
    shared[owned:count] = True
    shared[plain.ghosts.sent] = True
    unit = np.arange(count + 1)
    for k in range(1, BLOCK):
        unit[nodes + k] = nodes
        shared[nodes] |= shared[nodes + k]
    shared[:count] = shared[unit[:count]]
    at_border = np.zeros(count + 1, bool)
    at_border[(nodes[shared[nodes]][:, None] + np.arange(BLOCK)).ravel()] = True
    for rows, multipliers in couplings:
        shared[multipliers[shared[rows].any(axis=1)]] = True
    shared[-1] = False
    key = _find_keys(unit, at_border, shared, couplings)
    order = np.lexsort((np.arange(count), key[:count], shared[:count]))
    position = np.empty(count, np.int64)
    position[order] = np.arange(count)
    inside = count - int(shared.sum())
    row = number_in_blocks(count, np.append(position[nodes], inside))
    inner, end = int(row[inside]), int(row[-1]) + BLOCK
    full, every = processes.sum(np.array([BLOCK * len(nodes), row[-1]], float))
    if full < FULL * every:
        return None
    place = row[position]
    pads: IntArray = np.setdiff1d(np.arange(end), place)
    mine = shared[:owned]
    joint_numbers = np.concatenate(processes.allgather("interface", plain.numbers[:owned][mine]))
    joint = np.full(end - BLOCK - inner, -1)
    local = np.flatnonzero(shared)
    joint[place[local] - inner] = np.searchsorted(joint_numbers, plain.numbers[local])
    return Substructure(place, pads, inner, end, joint, len(joint_numbers))


def _find_keys(unit: IntArray, at_border: IntArray, shared: IntArray, couplings: list[Couplings]) -> FloatArray:
    """Return a sort key for each unknown. The keys order unknowns along the cables towards the border, and order
    multipliers after the coordinates that they couple.
    """
    near = np.zeros(len(unit), bool)
    for rows, _ in couplings:
        near[rows[at_border[rows].any(axis=1)]] = True
    near &= ~shared
    near[-1] = False
    backwards = near.any() and unit[near].mean() < 0.5 * np.flatnonzero(~shared[:-1]).mean()
    key: FloatArray = unit.astype(np.float64)
    if backwards:
        key = -key
    key[-1] = -np.inf
    last = np.full(len(unit), -np.inf)
    for rows, multipliers in couplings:
        if multipliers.size and rows.size:
            np.maximum.at(last, multipliers, key[rows].max(axis=1, keepdims=True) + 0.5)
    last[-1] = -np.inf
    # The elimination of the interior couples the coordinates of the interface with each other, but not the multipliers
    # of the interface. With these multipliers at the end, the coupled coordinates occupy the fewest 4 x 4 blocks.
    last[np.isfinite(last) & shared] = np.inf
    return np.where(last > -np.inf, last, key)
