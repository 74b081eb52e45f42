"""Numbers of the unknowns of a process: as in its layout, or filled up so that nodes with four coordinates are blocks.

PETSc factorises and solves matrices of dense 4 x 4 blocks faster than others, with a sixteenth of the indices.  For
that the coordinates of such a node must begin at a multiple of four.  Single unknowns (multipliers, other nodes) follow
each other in blocks of their own; what is left of a block are pads, whose equations say 1 pad = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.layout.layout import Layout

BLOCK = 4
"""Unknowns of a block."""
FULL = 0.8
"""Share of the unknowns, with pads, that must stand in full blocks."""


class Unknowns(NamedTuple):
    """Local unknowns.

    Attributes:
        of_dof: position of each local coordinate among the local unknowns, shape (n,).
        of_multiplier: the same for the owned multipliers, shape (m,).
        numbers: number of each local unknown in the PETSc vectors, owned ones first, shape (u,).
        owned: number of owned unknowns.
        pads: unknowns that stand for nothing.
    """

    of_dof: IntArray
    of_multiplier: IntArray
    numbers: IntArray
    owned: int
    pads: IntArray


def plain_unknowns(layout: Layout) -> Unknowns:
    """The unknowns of a layout as they are."""
    none = np.zeros(0, np.int64)
    return Unknowns(
        layout.unknown_of_dof, layout.unknown_of_multiplier, layout.unknown_global, layout.owned_unknowns, none
    )


def block_unknowns(layout: Layout) -> Unknowns | None:
    """The unknowns in blocks, the last of which are pads; None where too few would stand in full blocks.

    The order is that of the layout.  Serves one process.
    """
    count = len(layout.unknown_global)
    starts = find_nodes(layout) if layout.size == 1 else np.zeros(0, np.int64)
    if not len(starts):
        return None
    # single unknowns before each node, and after the last one, fill whole blocks
    singles = np.diff(np.concatenate(([-BLOCK], starts))) - BLOCK
    pads_before = np.concatenate(([0], np.cumsum(-singles % BLOCK)))
    number = np.arange(count)
    number += pads_before[np.searchsorted(starts, number, side="right")]
    total = BLOCK * (-(-(int(number[-1]) + 1) // BLOCK) + 1)
    if BLOCK * len(starts) < FULL * (total - BLOCK):
        return None
    pads: IntArray = np.setdiff1d(np.arange(total), number)
    return Unknowns(number[layout.unknown_of_dof], number[layout.unknown_of_multiplier], np.arange(total), total, pads)


def find_nodes(layout: Layout) -> IntArray:
    """First unknown of each node with four coordinates whose unknowns follow each other, ascending, shape (nodes,)."""
    found = [np.zeros(0, np.int64)]
    for dofs in layout.world.numbering.node_dofs.values():
        if dofs.shape[1] == BLOCK:
            unknowns = layout.unknown_of_dof[layout.local_dofs(dofs)]
            found.append(unknowns[(np.diff(unknowns, axis=1) == 1).all(axis=1), 0])
    nodes: IntArray = np.sort(np.concatenate(found))
    return nodes
