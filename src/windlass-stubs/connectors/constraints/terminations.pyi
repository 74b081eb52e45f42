# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from typing import Any
import numpy as np
from windlass.connectors.constraints.generic_joint import GenericJoint
from windlass.connectors.markers.position_markers import find_nodes, merge_handles, rigid_marker
from windlass.elements.nodes.ground import Ground
from windlass.elements.nodes.nodes3d import RigidNode3D
from windlass.elements.nodes.rotations import rotation_matrix
from windlass.elements.nodes.turning import smallest_rotations
from windlass.elements.nodes.twist_node import PointSlopeTwist3D, create_frames, fill_frames
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, numbers, optional, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import Tables
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

OWN: Any
ENDS: Any
def socket(world: World, end: Handles, body: Handles, bends: bool=False, *, name: str=..., translations: YesNo=..., offset: Numbers=..., offset_function: UserFunctions=..., offset_rate_function: UserFunctions=..., active: YesNo=...) -> Entity:
    'Fix the position and the orientation of ends of ropes or beams relative to bodies.\n\nArgs:\n    end: nodes with rotation in 3D: nodes of `TwistCable3D` or of `Beam3D`, or bodies.\n    body: rigid body, `Ground` or another node with rotation. Give one for all ends, or one for each end. A node\n        must be at the position of the end.\n    bends: whether the end can rotate about the two axes perpendicular to the rope or beam. If true, only the\n        position and the rotation about the axis of the end are fixed. If the end cannot rotate, a rope under the\n        tension T bends within the length √(EI/T) next to the socket. If the elements are longer than this length,\n        the computed rope is too stiff near the socket.\n    **values: name, and columns of `GenericJoint`. The markers, rotations and frames are not allowed, because this\n        function sets them.\n\nReturns:\n    Handle to the joints.\n\nRaises:\n    ModelError: an end or body has no rotation in 3D; the numbers of ends and bodies differ; an end is joined with\n        itself; the ground is joined with the ground; a node in ``body`` is not at the position of the end;\n        ``values`` contains a column that this call sets.'
def swivel(world: World, end: Handles, body: Handles, axis: Any | None=None, *, name: str=..., translations: YesNo=..., offset: Numbers=..., offset_function: UserFunctions=..., offset_rate_function: UserFunctions=..., active: YesNo=...) -> Entity:
    'Fix ends of ropes or beams to bodies, and leave the rotation about one axis free. A swivel or a hook has such a\njoint.\n\nArgs:\n    end, body: ends of ropes or beams, and the bodies to which they are fixed, see `socket`.\n    axis: global direction of the axis in the reference configuration. The default is the axis of the rope or beam\n        at the end, which is the axis e_1 of the node.\n    **values: name, and columns of `GenericJoint` that this function does not set, see `socket`.\n\nReturns:\n    Handle to the joints. The rotation about the first axis of the joint frame is free. `joint_stops` can limit this\n    rotation as ``"rotation_x"``.\n\nRaises:\n    ModelError: one of the errors of `socket` occurs, or an axis has the length 0.'
def _join(world: World, what: str, end: Handles, body: Handles, axis: Any | None, locked: tuple[bool, ...], values: dict[str, Any]) -> Entity:
    ...
def _find_places(world: Tables, what: str, entity: Entity) -> Entity:
    'Return the nodes of bodies. Nodes with rotation in 3D, and the ground, are returned unchanged.\n\nRaises:\n    ModelError: the nodes have no rotation in 3D.'
def _read_places(nodes: Entity) -> tuple[FloatArray, FloatArray]:
    'Return the positions [m], shape (n, 3), and rotation matrices, shape (n, 3, 3), of nodes or ground in the\nreference configuration.'
