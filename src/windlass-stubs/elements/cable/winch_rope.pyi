# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

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

class WinchRope(NamedTuple):
    cables: Entity
    nodes: Entity
    feed: Entity
def winch_rope(world: World, outlet: Any, end: Any, cables: int, *, strain: float=0.0, name: str='rope', mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., store_tension: Numbers=..., shortest: Numbers=..., active: YesNo=..., broken: YesNo=..., rotary_inertia: Numbers=..., torsional_stiffness: Numbers=..., coupling: Numbers=..., torsional_damping: Numbers=..., store_twist: Numbers=..., normal: Numbers=..., turned_from: Numbers=...) -> WinchRope:
    'Add a straight rope between the outlet of a winch and the end of the rope, divided into cables of equal length.\n\nArgs:\n    world: model to which the entities are added.\n    outlet, end: positions [m], shape (2,), or (3,) in 3D. The function does not constrain the ends.\n    cables: number of cables.\n    strain: strain [1] of the rope in the reference configuration. For a tension N, the strain is N/EA.\n    name: name for messages and output.\n    **columns: columns of `WinchCable2D`, one value for all cables. If ``torsional_stiffness=`` is given in 3D:\n        columns of `WinchTwistCable3D`, and the columns ``normal`` and ``turned_from`` of the nodes\n        (`PointSlopeTwist3D`).\n\nReturns:\n    The cables, their nodes, and the `ALENode` whose coordinate ``s`` is the length outside the winch.\n\nRaises:\n    ModelError: outlet and end have different shapes or coincide, or a 2D rope has a torsional stiffness.'
def lay_winch_rope(world: World, positions: FloatArray, tangents: FloatArray, length: float, strain: float, name: str, columns: dict[str, Any]) -> WinchRope:
    'Add a rope whose nodes have equal distances along the rope.\n\nArgs:\n    positions, tangents: positions [m] and unit tangents of the nodes, shape (cables + 1, d) each. For a straight\n        rope, one tangent of shape (d,) is sufficient.\n    length: length [m] of the strained rope.\n    strain, name, columns: arguments of `winch_rope`.'
def find_winch_kinds(dims: int, columns: Mapping[str, Any], name: str) -> tuple[type[Component], type[Component]]:
    'Return the types of the nodes and cables of a winch rope in 2D or 3D. If ``torsional_stiffness`` is given, 3D\nropes have torsion.\n\nRaises:\n    ModelError: a 2D rope has a torsional stiffness.'
