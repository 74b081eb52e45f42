# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Sequence
from typing import Any
import numpy as np
from windlass.connectors.markers.position_markers import list_handles
from windlass.connectors.surface_contact.contact_friction_surface_cable import ContactFrictionSurfaceCable
from windlass.connectors.surface_contact.contact_friction_surface_set import ContactFrictionSurfaceSetCable, SetSurface, SurfaceSet
from windlass.connectors.surface_contact.penetration import DEPTH_SHARE
from windlass.connectors.surface_contact.surfaces import SURFACE, DrumSurface, PlaneSurface, VGrooveFlank
from windlass.framework.checks.checks import checked, handle, inside, instance, number, numbers, optional, whole
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.schema import shape_of
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
def add_surface_contact(world: World, surfaces: Entity | Sequence[Entity], cables: Entity | Sequence[Entity], *, points: int=4, rope_radius: float=0.0, tension: float | None=None, radius: float | None=None, touching: int | None=None, skin: float | None=None, name: str=..., contact_damping_per_length: Numbers=..., friction_velocity_penalty_per_length: Numbers=..., friction_stiffness_per_length: Numbers=..., friction_coefficient: Numbers=..., clip_normal_force: YesNo=..., active: YesNo=..., contact_stiffness_per_length: Numbers=...) -> Entity:
    "Add contact of every cable with every surface, by one row per pair, or by rows whose surfaces are found by a\nsearch.\n\nFor many surfaces give ``touching``: the rows then belong to `ContactFrictionSurfaceSetCable`, whose cost increases\nwith the number of cables instead of pairs.\n\nMissing stiffness and damping are chosen from the tension T of the rope and the radius R of the surface (for a sea\nbed, T/R is the weight per metre). The stiffness is k = 1000 T/R²: the line pressure T/R causes a penetration of 0.1\n% of R. On drums, sheaves and spheres k is at least 100 EA/R², so penetration and bristles displace the rope by at\nmost 1 % of its stretch. Bristles have the same stiffness, mu_k = k; contact and bristles have a third of the\ncritical damping.\n\nArgs:\n    surfaces: k surfaces, of one type or of several types.\n    cables: n cables of type `Cable2D` or `Cable3D`.\n    points: number of contact points of each cable.\n    rope_radius: radius of the rope [m].\n    tension: tension of the rope [N], used to choose stiffness and damping.\n    radius: radius of the rope's axis on the surface [m], used to choose stiffness and damping.\n    touching: number of surfaces that a cable can touch simultaneously, found by a search; None: one row per pair.\n    skin: margin of the search [m]; default: length of the longest cable.\n    **columns: further columns of the law, with one value for all cables or one for each cable.\n\nReturns:\n    The pairs, shape (k n,): row i n + j is the pair of surface i and cable j. With ``touching``, shape\n    (touching n,): row j touching + i is row i of cable j.\n\nRaises:\n    ModelError: no surface or no cable, no stiffness, or values that the law does not allow."
def _expand(value: Any, cables: int, repeat: int, places: bool) -> Any:
    'Convert values by cable to values by row; other values are not changed.'
def _choose(tension: float, radius: float, cables: Sequence[Entity], bends: bool) -> dict[str, Any]:
    'Choose stiffness and damping per metre of cable for a taut rope; ``bends``: whether the rope bends around drums\nand sheaves.'
def add_drum(world: World, marker: Entity, *, radius: float, half_width: float, flange_radius: float | None=None, axis: Sequence[float]=(0.0, 0.0, 1.0)) -> list[Entity]:
    'Add a drum, with flanges at its ends if they have a radius: a cylinder and two discs.\n\nA rope touches flanges only from the inside of the drum; a point that penetrates a flange by more than a tenth of\nits height has no contact.\n\nArgs:\n    marker: rigid marker in the middle of the drum.\n    radius: radius of the drum [m].\n    half_width: half of the width of the drum between the flanges [m].\n    flange_radius: radius of the flanges [m], > radius.\n    axis: direction of the axis in the frame of the marker.\n\nReturns:\n    The surfaces, for `add_surface_contact`.\n\nRaises:\n    ModelError: a flange radius that is not larger than the radius of the drum.'
def add_v_groove(world: World, marker: Entity, *, radius: float, half_angle: float, outer_radius: float, axis: Sequence[float]=(0.0, 0.0, 1.0)) -> Entity:
    'Add a V-groove: two flanks that press on a rope, in total 1/sin(half_angle) times as much as a drum.\n\nArgs:\n    marker: rigid marker in the middle of the sheave.\n    radius: radius at which the flanks meet [m].\n    half_angle: angle between a flank and the plane of the groove [rad].\n    outer_radius: radius of the rim [m].\n    axis: direction of the axis in the frame of the marker.\n\nReturns:\n    Both flanks, for `add_surface_contact`.'
