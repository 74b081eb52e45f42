"""A net of 2D cables that is built by arrays, with nodes numbered in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.elements import Cable2D, PointSlope2D
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

CABLE: dict[str, Any] = {"axial_stiffness": 1e4, "bending_stiffness": 1e-2, "mass_per_length": 0.1}


def build_net(world: World, lines: int, order: Any = None, **columns: Any) -> tuple[Entity, Entity]:
    """Build lines x lines crossings with cables of 1 m between them, joined at the crossings by hinges.

    Args:
        world: the world.
        lines: number of lines in each direction; each line has lines - 1 elements.
        order: a permutation of the lines^2 crossings, the order in which they are added; default: row by row.
        **columns: columns of `Cable2D`.

    Returns:
        The cables, and the nodes of the crossings, row by row from the lower left, shape (lines^2,).
    """
    count = lines * lines
    order = np.arange(count) if order is None else np.asarray(order)
    y, x = np.divmod(order, lines)
    along_x = world.add(PointSlope2D, position=np.stack((x, y), axis=1).astype(float), slope=(1.0, 0.0))
    along_y = world.add(PointSlope2D, shares_position=along_x, position=along_x.position, slope=(0.0, 1.0))
    place = np.argsort(order).reshape(lines, lines)
    cables = []
    for nodes, start, end in ((along_x, place[:, :-1], place[:, 1:]), (along_y, place[:-1], place[1:])):
        ends = {"node0": nodes[start.ravel()], "node1": nodes[end.ravel()]}
        cables.append(world.add(Cable2D, **ends, length=1.0, **CABLE | columns))
    rows = np.concatenate([c.rows for c in cables])
    return Entity(cables[0].table, rows), along_x[place.ravel()]
