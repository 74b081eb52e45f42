"""Ropes of winches along routes, for example from a winch over a sheave to a load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from windlass.elements.cable.kinds import FRAME_COLUMNS
from windlass.elements.cable.winch_rope import WinchRope, find_winch_kinds, lay_winch_rope
from windlass.elements.routes.cable_chain import carry_frames, check_turns
from windlass.elements.routes.routes import CenterLine, nodes_along
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, that, whole, word
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.world import World


@dataclass(frozen=True)
class BackwardLine:
    """An open 3D route in the opposite direction, from the end of the original route to its start."""

    route: CenterLine
    closed: bool = False

    @property
    def length(self) -> float:
        """Length along which nodes are spaced [m]."""
        return self.route.length

    def eval_points(self, s: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions, unit tangents and curvatures at the arc lengths s [m], see `CenterLine`."""
        position, tangent, curvature = self.route.eval_points(self.length - np.asarray(s, np.float64))
        return position, -tangent, curvature


@checked(
    world=instance(World),
    route=that(lambda given: hasattr(given, "eval_points"), "a Route, SpatialRoute, SplineRoute or FreeCatenary"),
    cables=whole(1),
    strain=number("1", above=-1.0),
    name=word(),
    columns=inside(),
)
@all_or_nothing
def winch_rope_along(
    world: World, route: CenterLine, cables: int, *, strain: float = 0.0, name: str = "rope", **columns: Any
) -> WinchRope:
    """Add a rope from the outlet of a winch along a route, divided into cables of equal length.

    Args:
        world: model to which the entities are added.
        route: open route that begins at the outlet, for example the result of `route_around` with ``closed=False``.
        cables: number of cables.
        strain: strain [1] of the rope in the reference configuration. For a tension N, the strain is N/EA.
        name: name for messages and output.
        **columns: columns of the cables, see `winch_rope`. If ``torsional_stiffness=`` is given, the direction
            ``normal`` is moved along the route without spin, see `cable_along`.

    Returns:
        The cables, their nodes, and the `ALENode` whose coordinate ``s`` is the length outside the winch.

    Raises:
        ModelError: the route is closed, or has so few cables that one cable turns back on itself.
    """
    if route.closed:
        raise ModelError(
            f"route of {name} is closed: must be open, from the outlet of the winch to the end of the rope"
        )
    positions, tangents, length = nodes_along(route, cables)
    check_turns(route, cables, name)
    node, _ = find_winch_kinds(positions.shape[1], columns, name)
    if "normal" in node.columns:
        frames = carry_frames(route, cables, np.arange(cables + 1), columns)
        columns = {key: columns[key] for key in columns if key not in FRAME_COLUMNS} | frames
    return lay_winch_rope(world, positions, tangents, length * cables, strain, name, columns)
