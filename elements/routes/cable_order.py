"""Order of cables along a belt or rope. The order follows from the common nodes of the cables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windlass.framework.arrays import IntArray
from windlass.framework.errors import ModelError
from windlass.framework.model.law import Tables


class Chain(NamedTuple):
    """Cables connected one after the other.

    Attributes:
        order: indices of the cables in the given list, in the direction of increasing position x on the axes of the
            cables, shape (n,).
        closed: whether the last cable ends where the first cable begins.
    """

    order: IntArray
    closed: bool


def find_chains(world: Tables, cables: IntArray) -> list[Chain]:
    """Return the chains that the given cables form. The argument ``cables`` contains entity indices, shape (n,). A
    closed chain begins with its first cable in this list.

    If several cables begin at the end node of a chain, the chain continues with the first of these cables in the list.

    Raises:
        ModelError: an entity does not have two nodes.
    """
    node0, node1 = (np.full(len(cables), -1, np.int64) for _ in range(2))
    for table, positions, rows in world.split_by_table(cables):
        if "node0" not in table.component.refs or "node1" not in table.component.refs:
            raise ModelError(f"{table.kind} has no node0 and node1: must be a cable")
        node0[positions], node1[positions] = table.collect("node0", rows), table.collect("node1", rows)
    begins: dict[int, int] = {}
    for i, node in enumerate(node0.tolist()):
        begins.setdefault(node, i)
    follower = [begins.get(node, -1) for node in node1.tolist()]
    followed = set(follower)
    # Open chains begin with a cable that has no previous cable. The remaining chains are closed.
    starts = [i for i in range(len(cables)) if i not in followed]
    done = np.zeros(len(cables), bool)
    chains = []
    for start in [*starts, *range(len(cables))]:
        order = []
        i = start
        while i >= 0 and not done[i]:
            done[i] = True
            order.append(i)
            i = follower[i]
        if order:
            chains.append(Chain(np.array(order, np.int64), closed=i == start))
    return chains
