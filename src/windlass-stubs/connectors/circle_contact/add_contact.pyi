# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Sequence
from typing import Any
import numpy as np
from windlass.connectors.circle_contact.contact_friction_circle_set_points2d import ContactFrictionCircleSetPoints2D, SetCircle
from windlass.connectors.circle_contact.view import touches_at_points
from windlass.connectors.markers.cable_shape import CableShape
from windlass.connectors.markers.position_markers import list_handles, rigid_marker
from windlass.connectors.point_contact.contact_set import ContactSet
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, optional, subclass, whole
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.schema import Component, shape_of
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

def add_contact(world: World, kind: type[Component], circles: Entity | Sequence[Entity], cables: Entity | Sequence[Entity], *, segments: int, circle_radius: float | Sequence[float], vertical_offset: float=0.0, damping_ratio: float | None=None, name: str=..., contact_stiffness: Numbers=..., contact_stiffness_per_length: Numbers=..., contact_damping: Numbers=..., contact_damping_per_length: Numbers=..., damping_depth: Numbers=..., clip_normal_force: YesNo=..., active: YesNo=..., friction_velocity_penalty: Numbers=..., friction_velocity_penalty_per_length: Numbers=..., friction_stiffness: Numbers=..., friction_stiffness_per_length: Numbers=..., friction_coefficient: Numbers=..., use_segment_normals: YesNo=..., sticking_length: Words=..., cord_offset: Numbers=..., press: Numbers=..., rigid_layer: YesNo=...) -> Entity:
    'Add contact between every cable and every circle. For laws with segments, the function creates one `CableShape`\nper cable. The contacts of this cable with all circles refer to the same `CableShape`.\n\nArgs:\n    kind: component of the contact law. `ContactFrictionCirclePoints2D` (points of the axis) is recommended. It is\n        accurate even for stiff belts on coarse meshes. `ContactFrictionCircleCable2D` and `ContactCircleCable2D`\n        replace the cable by straight segments. They are not accurate for stiff belts on coarse meshes.\n    circles: k bodies, whose centres are the centres of the circles, or rigid markers.\n    cables: n cables of the types `Cable2D` or `ALECable2D`. `ALECable2D` is only allowed without\n        ``vertical_offset``.\n    segments: number of straight segments or contact points of each cable, depending on the law.\n    circle_radius: radius [m] of all circles, or one radius per circle.\n    vertical_offset: distance [m] of the contact line from the axis of the cables, along their left normal.\n    damping_ratio: ratio [1] of contact_damping_per_length to the critical damping of the mass of the cable on the\n        contact stiffness, 2 sqrt(contact_stiffness_per_length mass_per_length). The value 1/3 is suitable for\n        belts, see docs/howto/choose_contact.md.\n    **columns: further columns of the law. A column contains one value for all pairs, k values (one for each\n        circle), or k n values (one for each pair).\n\nReturns:\n    The rows of all pairs, shape (k n,). Row ``i * n + j`` is the pair of circle i and cable j.\n\nRaises:\n    ModelError: no circle or no cable is given, or a value is outside its range.'
def add_contact_with_many(world: World, circles: Entity | Sequence[Entity], cables: Entity | Sequence[Entity], *, segments: int, circle_radius: float | Sequence[float], touching: int=2, skin: float=0.0, name: str=..., contact_stiffness: Numbers=..., contact_stiffness_per_length: Numbers=..., contact_damping: Numbers=..., contact_damping_per_length: Numbers=..., damping_depth: Numbers=..., clip_normal_force: YesNo=..., active: YesNo=..., friction_velocity_penalty: Numbers=..., friction_velocity_penalty_per_length: Numbers=..., friction_stiffness: Numbers=..., friction_stiffness_per_length: Numbers=..., friction_coefficient: Numbers=..., use_segment_normals: YesNo=..., sticking_length: Words=..., vertical_offset: Numbers=..., cord_offset: Numbers=..., press: Numbers=..., rigid_layer: YesNo=...) -> Entity:
    'Add contact between every cable and all circles near this cable, with the law `ContactFrictionCircleSetPoints2D`.\nCircles that are far from all cables hardly increase the computing time.\n\nArgs:\n    circles: k bodies, whose centres are the centres of the circles, or rigid markers.\n    cables: n cables of type `Cable2D`, or beams of type `Beam2D`.\n    segments: number of contact points of each cable.\n    circle_radius: radius [m] of all circles, or one radius per circle.\n    touching: largest number of circles that one cable can touch simultaneously.\n    skin: distance from a cable within which circles are searched [m]. If it is 0, the smallest radius of the\n        circles is used.\n    **columns: further columns of the law, with one value for all rows.\n\nReturns:\n    The rows, shape (touching n,). The rows of cable j have the indices j * touching to (j + 1) * touching - 1.\n\nRaises:\n    ModelError: no circle or no cable is given, or a value is outside its range.'
def _eval_damping(ratio: float, columns: dict[str, Any], cables: Sequence[Entity], circles: int) -> FloatArray:
    'Return contact_damping_per_length [N s/m^2] of all pairs for a given damping ratio, shape (k n,).'
def _expand(value: Any, circles: int, cables: int) -> Any:
    'Convert an array with one value per circle to an array with one value per pair, because the law needs one value\nper pair. Each value is repeated for all cables. Other arguments are returned unchanged.'
