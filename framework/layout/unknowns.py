"""Numbers of the unknowns of a process: as in its layout, or padded so that nodes with four coordinates are blocks.

PETSc factorises and solves matrices of dense 4 x 4 blocks faster than other matrices, with a sixteenth of the indices.
For this, the coordinates of a node with four coordinates must begin at a multiple of four. Single unknowns
(multipliers, other nodes) are consecutive in separate blocks; pads with the equation 1 pad = 0 fill the rest of a
block.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.parallel.ghosts import Ghosts

BLOCK = 4
"""Number of unknowns of a block."""
FULL = 0.8
"""Blocks are used if at least this fraction of the unknowns, including padding, is in full blocks."""


class Unknowns(NamedTuple):
    """Local unknowns: coordinates and multipliers.

    Attributes:
        of_dof: position of each local coordinate among the local unknowns, shape (n,).
        of_multiplier: position of each owned multiplier among the local unknowns, shape (m,).
        numbers: number of each local unknown in the PETSc vectors, owned unknowns first, shape (u,).
        owned: number of owned unknowns.
        total: number of unknowns of all processes, without pads.
        pads: unknowns that only fill blocks.
        ghosts: the exchange of unknowns that this process does not own.
        of_world_dof: number of each coordinate of any process in the PETSc vectors; empty in models without contact
            sets, whose systems couple local coordinates only.
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
    """The unknowns in blocks, the last of which are pads, or None if full blocks would contain too few unknowns.

    Args:
        plain: the unknowns of one process in the order of its layout, which the blocks preserve.
        nodes: first unknowns of the nodes that form blocks, ascending.
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
    """New numbers 0, 1, ... of unknowns that keep their order, with gaps so that selected unknowns begin a block.

    Args:
        count: number of unknowns.
        starts: unknowns that begin a block.

    Returns:
        The new numbers, followed by the total number rounded up to whole blocks, shape (count + 1,).
    """
    bounds = np.unique(np.concatenate(([0], starts, [count])))
    filled = -(-np.diff(bounds) // BLOCK) * BLOCK
    first = np.concatenate(([0], np.cumsum(filled)))
    every = np.arange(count + 1)
    part = np.searchsorted(bounds, every, side="right") - 1
    numbers: IntArray = first[part] + every - bounds[part]
    return numbers
