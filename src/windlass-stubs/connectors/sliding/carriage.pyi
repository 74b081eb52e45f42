# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from typing import Any
import numpy as np
from windlass.connectors.markers.coordinate_marker import coordinate_marker
from windlass.connectors.markers.position_markers import find_nodes, merge_handles, position_marker
from windlass.connectors.sliding.cable_track import CableTrack
from windlass.connectors.sliding.sliding_joint import SlidingJoint
from windlass.connectors.springs.contact_coordinate import ContactCoordinate
from windlass.elements.nodes.sliding_node import SlidingNode
from windlass.framework.checks.checks import checked, handle, inside, instance, number
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.table import Entity
from windlass.framework.model.world import Handles, World
from typing import Any, TypeAlias
from collections.abc import Sequence

from numpy.typing import NDArray
from windlass.framework.model.table import Entity


Numbers: TypeAlias = float | Sequence[Any] | NDArray[Any]
WholeNumbers: TypeAlias = int | Sequence[Any] | NDArray[Any]
YesNo: TypeAlias = bool | Sequence[Any] | NDArray[Any]
Words: TypeAlias = str | Sequence[str] | NDArray[Any]
UserFunctions: TypeAlias = Any
One: TypeAlias = Entity | Sequence[Entity] | NDArray[Any] | int | None
Chain: TypeAlias = Entity | Sequence[Any] | NDArray[Any]

def cable_track(world: World, cables: Handles) -> Entity:
    'Create a track along cables in the given order. If the argument is a track, it is returned unchanged.\n\nArgs:\n    cables: a track, or rows of cables, each of which begins at the end of the previous cable.\n\nReturns:\n    Handle to the track.\n\nRaises:\n    ModelError: the argument is not a handle to cables.'
def sliding_joint(world: World, cables: Handles, entity: Handles, start: Any, at: Any=(0.0, 0.0), *, name: str=..., damping: Numbers=..., friction_coefficient: Numbers=..., friction_speed: Numbers=..., leaves: YesNo=..., active: YesNo=..., speed: Numbers=...) -> Entity:
    'Add joints that constrain points of bodies to slide along cables. The position s of a point along the track is a\ncoordinate.\n\nArgs:\n    cables: a track, or rows of cables, each of which begins at the end of the previous cable. See `cable_track`.\n    entity: node, `MassPoint`, body or position markers, one for each joint. For several rollers on one body, pass\n        one body and several points ``at``.\n    start: initial position s of each joint: the arc length of the undeformed cables from the start of the first\n        cable [m], a scalar or shape (joints,). On a winch rope, s minus the initial length of the rope is the\n        distance of the material point from the end of the rope.\n    at: position on the entity, see `position_marker`.\n    **values: columns of `SlidingJoint`, such as ``friction_coefficient``. The name ``speed`` is also accepted, for\n        the initial s_t [m/s].\n\nReturns:\n    Handle to the joints. `fix`, `prescribe` and `coordinate_marker` accept this handle with the coordinate ``"s"``.\n\nRaises:\n    ModelError: ``start`` or ``speed`` is neither one number nor one number for each joint, or an argument of\n        `cable_track` or `position_marker` is invalid.'
def end_stops(world: World, joints: Entity, length: float, stiffness: float, damping: float=0.0) -> Entity:
    'Add elastic stops for joints at both ends of their track. The material of the cables must not move along the\ntrack.\n\nArgs:\n    joints: rows of `SlidingJoint`.\n    length: position s of the second stop [m], usually the length of the track. The position of the first stop is 0.\n    stiffness, damping: stiffness [N/m] and damping [N s/m] of each stop.\n\nReturns:\n    Handle to all stops, rows of `ContactCoordinate`. For n joints, n stops at the position 0 are followed by n\n    stops at the position ``length``.\n\nRaises:\n    ModelError: ``joints`` is not a handle to sliding joints.'
