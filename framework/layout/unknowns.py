"""Numbering of the unknowns of a process, either in the order of the layout, or with gaps such that the four
coordinates of a node form a block.

PETSc factorises and solves matrices of dense 4 x 4 blocks faster than matrices of single entries, because PETSc stores
only one index for the 16 entries of a block. For such matrices, the number of the first coordinate of a node with four
coordinates must be a multiple of four. Other unknowns (multipliers, other nodes) are stored consecutively in separate
blocks. Incomplete blocks are filled with pads, which are additional unknowns p with the equation p = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.parallel.ghosts import Ghosts

BLOCK = 4
"""Number of unknowns of a block."""
FULL = 0.8
"""Blocks are used if at least this fraction [1] of the unknowns, including pads, is in full blocks."""


class Unknowns(NamedTuple):
    """The unknowns of one process: coordinates and multipliers.

    Attributes:
        of_dof: index of each process-local coordinate in the list of process-local unknowns, shape (n,).
        of_multiplier: index of each owned multiplier in the list of process-local unknowns, shape (m,).
        numbers: index of each process-local unknown in the PETSc vectors, shape (u,). Owned unknowns are first.
        owned: number of owned unknowns.
        total: number of unknowns of all processes, without pads.
        pads: indices of the pads in the PETSc vectors.
        ghosts: object that receives the values of unknowns that other processes own.
        of_world_dof: index in the PETSc vectors of each coordinate of all processes. The array is empty for models
            without contact sets. In these models, systems couple only process-local coordinates.
    """

    of_dof: IntArray
    of_multiplier: IntArray
    numbers: IntArray
    owned: int
    total: int
    pads: IntArray
    ghosts: Ghosts
    of_world_dof: IntArray


def block_unknowns(plain: Unknowns, nodes: IntArray) -> Unknowns | None:
    """Return the unknowns in blocks, or None if the fraction of unknowns in full blocks is too small. The last blocks
    contain pads.

    Args:
        plain: unknowns of one process in the order of its layout. The blocks keep this order.
        nodes: first unknowns of the nodes that form blocks, in ascending order.
    """
    if not len(nodes):
        return None
    number = number_in_blocks(plain.owned, nodes)
    total = int(number[-1]) + BLOCK
    if BLOCK * len(nodes) < FULL * (total - BLOCK):
        return None
    number = number[:-1]
    pads: IntArray = np.setdiff1d(np.arange(total), number)
    return plain._replace(
        of_dof=number[plain.of_dof],
        of_multiplier=number[plain.of_multiplier],
        numbers=np.arange(total),
        owned=total,
        pads=pads,
    )


def number_in_blocks(count: int, starts: IntArray) -> IntArray:
    """Renumber unknowns from 0 in their present order. Each of the selected unknowns becomes the first unknown of a
    block. The new numbers therefore have gaps.

    Args:
        count: number of unknowns.
        starts: indices of the unknowns that must be the first unknown of a block.

    Returns:
        The new numbers, followed by the total number of unknowns and gaps, rounded up to whole blocks, shape (count +
        1,).
    """
    bounds = np.unique(np.concatenate(([0], starts, [count])))
    filled = -(-np.diff(bounds) // BLOCK) * BLOCK
    first = np.concatenate(([0], np.cumsum(filled)))
    every = np.arange(count + 1)
    part = np.searchsorted(bounds, every, side="right") - 1
    numbers: IntArray = first[part] + every - bounds[part]
    return numbers
