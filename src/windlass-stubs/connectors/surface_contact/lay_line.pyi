# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from typing import Any, NamedTuple
import numpy as np
from windlass.connectors.markers.position_markers import rigid_marker
from windlass.connectors.surface_contact.add_surface_contact import add_surface_contact
from windlass.connectors.surface_contact.bed import BedGrid, add_bed, add_bed_grid
from windlass.connectors.surface_contact.surfaces import PlaneSurface
from windlass.elements.cable.winch_rope import WinchRope
from windlass.elements.nodes.ground import Ground
from windlass.elements.routes.cable_chain import cable_along
from windlass.elements.routes.catenary import FreeCatenary, hang_between
from windlass.elements.routes.grounded_catenary import GroundedCatenary, hang_from_ground
from windlass.elements.routes.routes import RouteError
from windlass.elements.routes.winch_along import BackwardLine, winch_rope_along
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, either, inside, instance, number, numbers, optional, whole, yes_no
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
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

CREST: Any
DEEPEST: Any
class LaidLine(NamedTuple):
    cables: Entity
    surfaces: list[Entity]
    contacts: Entity
    route: GroundedCatenary | FreeCatenary
    rope: WinchRope | None = None
def lay_line(world: World, bed: Any, anchor: Any, end: Any, length: float, elements: int, *, stiffness: float, displaced: float=0.0, friction: float=0.0, rounding: float | None=None, contact: dict[str, Any] | None=None, winch: bool=False, name: str=..., mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=...) -> LaidLine:
    'Lay a line on a bed, from an anchor on the bed to an end above the bed.\n\nArgs:\n    world: the 3D model, with gravity along -z.\n    bed: the height of a level bed [m], a `BedGrid`, or the corners of a polyline below the\n        line, shape (k, 2). A corner is given by its horizontal distance from the anchor, positive towards the end,\n        and its height [m], see `add_bed`.\n    anchor: x and y of the anchor [m]. The anchor has the height of the bed.\n    end: position of the upper end [m].\n    length: unstretched length [m].\n    elements: number of cables.\n    stiffness: contact stiffness per length of the line [N/m^2].\n    displaced: mass of the displaced water per length [kg/m], used only for the initial shape. A `FluidLoad` adds\n        the forces of the water.\n    friction: coefficient of friction on the bed [1]. A value > 0 requires stiffness or damping of the friction in\n        ``contact``, see `add_surface_contact`. The initial shape is the shape of a line that has been pulled\n        towards its end.\n    rounding: radius of the corners of a polyline [m]. The default is four lengths of a cable.\n    contact: further columns of the contact, for example ``contact_damping_per_length``, or columns of soft beds,\n        see `ContactFrictionBedCable`.\n    winch: whether the line is the rope of a winch at its upper end. The attribute ``rope`` of the result then\n        contains the nodes of the rope, from the winch to the anchor, and its feed, see `winch_rope`.\n    **columns: columns of `Cable3D`, or of `WinchCable3D`, at least ``axial_stiffness`` and ``mass_per_length``.\n\nReturns:\n    The parts that were added to the model. The ends of the line are not constrained.\n\nRaises:\n    ModelError: gravity is not along -z, a column is missing, ``slow_strain`` is given, ``displaced`` is not below\n        the mass per length, or the corners of the bed are wrong.\n    ModelError: ``contact`` contains the stiffness or the coefficient of friction, or ``rounding`` is given for a\n        bed that is not a polyline.\n    RouteError: the end is not above the anchor, the line is slack on the bed, or a taut line would pass more than\n        1 % of its length below the bed.'
def _eval_bed(bed: Any, start: FloatArray, points: FloatArray) -> FloatArray:
    'Return the heights [m] of the bed, shape (n,), below ``points`` [m], shape (n, 3).'
def _find_ground(bed: Any, anchor: FloatArray, end: FloatArray) -> tuple[FloatArray, list[FloatArray]]:
    'Return the anchor [m], shape (3,), and all points [m] of the bed below the line except the anchor.'
def _add_surfaces(world: World, bed: Any, start: FloatArray, end: FloatArray, rounding: float) -> list[Entity]:
    'Add the surfaces of the bed.'
