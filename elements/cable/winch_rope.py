"""Function that creates a rope of a winch. The function creates nodes, winch cables, and the node for the length
outside the winch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from windlass.elements.cable.kinds import FRAME_COLUMNS, TWIST
from windlass.elements.cable.winch_cable import WinchCable2D, WinchCable3D
from windlass.elements.nodes.ale_node import ALENode
from windlass.elements.nodes.nodes2d import PointSlope2D
from windlass.elements.nodes.nodes3d import PointSlope3D
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, numbers, whole, word
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.schema import Component
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World


class WinchRope(NamedTuple):
    """Result of `winch_rope`: the cables and nodes in the order from the outlet to the end, and the `ALENode` whose
    coordinate is l.
    """

    cables: Entity
    nodes: Entity
    feed: Entity


@checked(
    world=instance(World),
    outlet=numbers("m", (2,), (3,)),
    end=numbers("m", (2,), (3,)),
    cables=whole(1),
    strain=number("1", above=-1.0),
    name=word(),
    columns=inside(),
)
@all_or_nothing
def winch_rope(
    world: World, outlet: Any, end: Any, cables: int, *, strain: float = 0.0, name: str = "rope", **columns: Any
) -> WinchRope:
    """Add a straight rope between the outlet of a winch and the end of the rope, divided into cables of equal length.

    Args:
        world: model to which the entities are added.
        outlet, end: positions [m], shape (2,), or (3,) in 3D. The function does not constrain the ends.
        cables: number of cables.
        strain: strain [1] of the rope in the reference configuration. For a tension N, the strain is N/EA.
        name: name for messages and output.
        **columns: columns of `WinchCable2D`, one value for all cables. If ``torsional_stiffness=`` is given in 3D:
            columns of `WinchTwistCable3D`, and the columns ``normal`` and ``turned_from`` of the nodes
            (`PointSlopeTwist3D`).

    Returns:
        The cables, their nodes, and the `ALENode` whose coordinate ``s`` is the length outside the winch.

    Raises:
        ModelError: outlet and end have different shapes or coincide, or a 2D rope has a torsional stiffness.
    """
    first, last = np.array(outlet, np.float64), np.array(end, np.float64)
    if first.shape != last.shape or not (first != last).any():
        raise ModelError(f"outlet = {first} m, end = {last} m of {name}: must be two positions of 2 or 3 numbers")
    length = float(np.linalg.norm(last - first))
    positions = first + (np.arange(cables + 1) / cables)[:, None] * (last - first)
    return lay_winch_rope(world, positions, (last - first) / length, length, strain, name, columns)


def lay_winch_rope(
    world: World, positions: FloatArray, tangents: FloatArray, length: float, strain: float, name: str,
    columns: dict[str, Any],
) -> WinchRope:  # fmt: skip
    """Add a rope whose nodes have equal distances along the rope.

    Args:
        positions, tangents: positions [m] and unit tangents of the nodes, shape (cables + 1, d) each. For a straight
            rope, one tangent of shape (d,) is sufficient.
        length: length [m] of the strained rope.
        strain, name, columns: arguments of `winch_rope`.
    """
    cables, free = len(positions) - 1, length / (1.0 + strain)
    shares = np.arange(cables + 1) / cables
    node, kind = find_winch_kinds(positions.shape[1], columns, name)
    frames = {key: columns.pop(key) for key in FRAME_COLUMNS if key in node.columns and key in columns}
    nodes = world.add(node, position=positions, slope=tangents * (1.0 + strain), name=f"{name} node", **frames)
    feed = world.add(ALENode, reference=free, name=f"{name} feed")
    ends = {"node0": nodes[:-1], "node1": nodes[1:], "feed": feed, "begin": shares[:-1], "share": 1.0 / cables}
    return WinchRope(world.add(kind, name=name, **{**ends, **columns}), nodes, feed)


def find_winch_kinds(dims: int, columns: Mapping[str, Any], name: str) -> tuple[type[Component], type[Component]]:
    """Return the types of the nodes and cables of a winch rope in 2D or 3D. If ``torsional_stiffness`` is given, 3D
    ropes have torsion.

    Raises:
        ModelError: a 2D rope has a torsional stiffness.
    """
    if TWIST not in columns:
        return (PointSlope2D, WinchCable2D) if dims == 2 else (PointSlope3D, WinchCable3D)
    if dims == 2:
        raise ModelError(f"{TWIST} of {name}: must not be given for a 2D rope; give outlet and end in 3D")
    # imported here, because few ropes have twist
    from windlass.elements.cable.winch_twist_cable import WinchTwistCable3D
    from windlass.elements.nodes.twist_node import PointSlopeTwist3D  # imported here, because few ropes have twist

    return PointSlopeTwist3D, WinchTwistCable3D
