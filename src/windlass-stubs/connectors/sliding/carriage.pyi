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
    'A track along cables, in their order; a track is returned as it is.\n\nArgs:\n    cables: rows of cables, each of which begins where the one before ends; or a track.\n\nReturns:\n    Handle to the track.\n\nRaises:\n    ModelError: something other than cables.'
def sliding_joint(world: World, cables: Handles, entity: Handles, start: Any, at: Any=(0.0, 0.0), *, name: str=..., damping: Numbers=..., friction_coefficient: Numbers=..., friction_speed: Numbers=..., leaves: YesNo=..., active: YesNo=..., speed: Numbers=...) -> Entity:
    'Make points of bodies slide along cables; each point has its place s along the track as a coordinate.\n\nArgs:\n    cables: rows of cables, each of which begins where the one before ends; or a track, see `cable_track`.\n    entity: node, `MassPoint`, body or position markers, one for each joint; several rollers on one body are one\n        body and several places ``at``.\n    start: place s of each joint at the start, from the start of the first cable by undeformed length [m], a number\n        or shape (joints,).\n    at: place on the entity, see `position_marker`.\n    **values: columns of `SlidingJoint`, e.g. ``friction_coefficient``; and ``speed`` [m/s], s_t at the start.\n\nReturns:\n    Handle to the joints; `fix`, `prescribe`, `coordinate_marker` take it for its coordinate ``"s"``.\n\nRaises:\n    ModelError: arguments that do not fit together.'
def end_stops(world: World, joints: Entity, length: float, stiffness: float, damping: float=0.0) -> Entity:
    'Buffers at both ends of the track of joints, on cables whose material does not move.\n\nArgs:\n    joints: rows of `SlidingJoint`.\n    length: place of the second stop [m], mostly the length of the track; the first one is at 0.\n    stiffness, damping: of each buffer [N/m], [N s/m].\n\nReturns:\n    Handle to the stops, rows of `ContactCoordinate`: those at 0, then those at the end.\n\nRaises:\n    ModelError: something other than sliding joints.'
