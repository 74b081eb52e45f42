# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Sequence
from typing import Any
import numpy as np
from windlass.connectors.contact.axes import collect_lengths
from windlass.connectors.contact.rows import DEPTH_SHARE
from windlass.connectors.markers.cable_markers3d import TWIST_CABLE
from windlass.connectors.markers.cable_shape import collect_column
from windlass.connectors.markers.position_markers import list_handles
from windlass.connectors.point_contact.contact_set import ContactSet
from windlass.connectors.surface_contact.contact_friction_bed_beam import ContactFrictionBedBeam3D
from windlass.connectors.surface_contact.contact_friction_bed_cable import BED, ContactFrictionBedCable
from windlass.connectors.surface_contact.contact_friction_bed_winch import ContactFrictionBedWinch
from windlass.connectors.surface_contact.contact_friction_surface_beam import ContactFrictionSurfaceBeam3D, ContactFrictionSurfaceSetBeam3D
from windlass.connectors.surface_contact.contact_friction_surface_cable import ContactFrictionSurfaceCable, ContactFrictionSurfaceTwistCable
from windlass.connectors.surface_contact.contact_friction_surface_ribbon import ContactFrictionSurfaceRibbon
from windlass.connectors.surface_contact.contact_friction_surface_set import ContactFrictionSurfaceSetCable, ContactFrictionSurfaceSetTwistCable, ContactFrictionSurfaceSetWinch, SetSurface
from windlass.connectors.surface_contact.contact_friction_surface_winch import ContactFrictionSurfaceWinch
from windlass.connectors.surface_contact.contact_friction_turning import ContactFrictionBedTwistCable, ContactFrictionBedTwistWinch, ContactFrictionSurfaceSetTwistWinch, ContactFrictionSurfaceTwistWinch
from windlass.connectors.surface_contact.surfaces import SURFACE, DrumSurface, PlaneSurface, VGrooveFlank
from windlass.elements.beam.beam3d import Beam3D
from windlass.elements.cable.winch_twist_cable import WinchTwistCable3D
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, handle, inside, instance, number, numbers, optional, whole, yes_no
from windlass.framework.checks.values import show
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

CORD_FACTOR: Any
RIM: Any
DAMPING: Any
LINES: Any
def add_surface_contact(world: World, surfaces: Entity | Sequence[Entity], cables: Entity | Sequence[Entity], *, points: int=4, rope_radius: float=0.0, tension: float | None=None, radius: float | None=None, touching: int | None=None, skin: float | None=None, turns_rope: bool=False, width: float | None=None, lines: int=LINES, name: str=..., contact_damping_per_length: Numbers=..., friction_velocity_penalty_per_length: Numbers=..., friction_stiffness_per_length: Numbers=..., friction_coefficient: Numbers=..., clip_normal_force: YesNo=..., active: YesNo=..., contact_stiffness_per_length: Numbers=...) -> Entity:
    'Add contact between every cable and every surface. There are two possibilities: each pair has one row, or a\nsearch assigns the surfaces near a cable to the rows of this cable.\n\nThe search is used if ``touching`` is given, and is recommended for many surfaces. With the search the rows are\n`ContactFrictionSurfaceSetCable`. The computing time of this law is proportional to the number of cables instead of\nthe number of pairs.\n\nStiffness and damping that are not given are chosen from the tension T of the rope and the radius R of the surface.\nFor a sea bed, T and R are any values whose ratio T/R is the weight of the rope per metre. The stiffness is k = 1000\nT/R². Therefore the line pressure T/R causes a penetration of 0.1 % of R. If all surfaces are drums, sheaves,\nV-grooves or spheres, k is at least 100 EA/R². The penetration is then at most 1 % of the elongation T R/EA of a\nrope of the length R. Bristles have the same stiffness mu_k = k. Contact and bristles have a third of the critical\ndamping.\n\nArgs:\n    surfaces: m surfaces, of one type or of several types.\n    cables: n cables of type `Cable2D`, `Cable3D` or `TwistCable3D`, beams of type `Beam2D` or `Beam3D`, or cables\n        of winch ropes. For winch ropes, the rows are `ContactFrictionSurfaceWinch`,\n        `ContactFrictionSurfaceSetWinch` or `ContactFrictionBedWinch`.\n    points: number of contact points of each cable. For ribbons, it is the number of points on each line.\n    rope_radius: radius of the rope [m]. For ribbons, it is half the thickness.\n    tension: tension of the rope [N], used to choose stiffness and damping.\n    radius: radius of the axis of the rope on the surface [m], used to choose stiffness and damping.\n    touching: number of surfaces that a cable can touch simultaneously. If None, each pair has one row.\n    skin: distance within which the search finds surfaces [m]. If None, the length of the longest cable at the start\n        is used. The argument has no effect without ``touching``.\n    turns_rope: whether friction acts at the radius of the rope and turns the rope about its axis. If False,\n        friction acts on the axis. If true, the cables must be of type `TwistCable3D`, `WinchTwistCable3D` or\n        `Beam3D`, and ``rope_radius`` must be > 0. The names of the types of rows then contain ``Twist`` before\n        ``Cable`` or ``Winch``. For beams, the rows are `ContactFrictionSurfaceBeam3D`,\n        `ContactFrictionSurfaceSetBeam3D` or `ContactFrictionBedBeam3D`.\n    width: width of ribbons [m], in the direction of the axis d_1 of the material (field ``material_axis`` of\n        drawings). The cables must be of type `TwistCable3D`. The rows are `ContactFrictionSurfaceRibbon`.\n    lines: number of lines of contact points along each ribbon, at different offsets across the width. The argument\n        is allowed only with ``width``.\n    **columns: further columns of the law, with one value for all cables or one value per cable. With\n        ``lateral_friction_ratio``, ``lateral_stiffness_ratio``, ``suction_coefficient`` or ``suction_distance`` the\n        rows are `ContactFrictionBedCable`, or `ContactFrictionBedWinch` for winch ropes.\n\nReturns:\n    The rows, shape (m n,). Row ``i * n + j`` is the pair of surface i and cable j. With ``touching`` the shape is\n    (touching n,), and row ``j * touching + i`` is row i of cable j.\n\nRaises:\n    ModelError: no surface, no cable or no stiffness is given, only one of ``tension`` and ``radius`` is given, or a\n        value is outside its range.\n    ModelError: ``turns_rope`` or ``width`` is used with cables without twist, ``turns_rope`` with ``rope_radius``\n        0, or ``lines`` without ``width``.\n    ModelError: ``width`` or columns of soft beds are used with ``touching`` or with each other, or ``width`` with\n        ``turns_rope``. The error is also raised if ``width`` or cables of other types are used with cables of winch\n        ropes.'
def _find_lengths(world: World, cables: Entity) -> FloatArray:
    'Return the lengths [m] of cables, shape (cables,). The length of an active cable of a winch rope is the distance\nbetween its nodes, and the length of an inactive cable is 0.'
def _expand(value: Any, cables: int, repeat: int, places: bool) -> Any:
    'Convert a value of shape (cables,) to one element per row, shape (cables repeat,). The rows are ordered by cable\nif ``places`` is true, otherwise by surface. A value of another shape is returned unchanged.'
def _choose(tension: float, radius: float, cables: Sequence[Entity], bends: bool) -> dict[str, Any]:
    'Return stiffness and damping columns for a taut rope, see `add_surface_contact`. The argument ``bends`` states\nwhether all surfaces have a radius. In this case the rope bends around them.'
def add_drum(world: World, marker: Entity, *, radius: float, half_width: float, flange_radius: float | None=None, axis: Sequence[float]=(0.0, 0.0, 1.0)) -> list[Entity]:
    'Add a drum. The drum is a cylinder with two discs as flanges at its ends if ``flange_radius`` is given.\n\nA rope touches a flange only on the side that faces the drum. A point that penetrates a flange by more than a tenth\nof the height of the flange has no contact.\n\nArgs:\n    marker: rigid marker in the middle of the drum.\n    radius: radius of the drum [m].\n    half_width: half of the width of the drum between the flanges [m].\n    flange_radius: radius of the flanges [m], larger than the radius of the drum.\n    axis: direction of the axis in the frame of the marker.\n\nReturns:\n    The surfaces, for `add_surface_contact`.\n\nRaises:\n    ModelError: the flange radius is not larger than the radius of the drum.'
def add_v_groove(world: World, marker: Entity, *, radius: float, half_angle: float, outer_radius: float, axis: Sequence[float]=(0.0, 0.0, 1.0)) -> Entity:
    'Add a V-groove with two conical flanks. The sum of the normal forces of both flanks on a rope is\n1/sin(half_angle) times the normal force of a drum.\n\nArgs:\n    marker: rigid marker in the middle of the sheave.\n    radius: radius at which the flanks meet [m].\n    half_angle: angle between a flank and the plane of the groove [rad].\n    outer_radius: radius of the rim [m].\n    axis: direction of the axis in the frame of the marker.\n\nReturns:\n    Handle to both flanks, for `add_surface_contact`.'
