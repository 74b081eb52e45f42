# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Sequence
from typing import Any
import numpy as np
from numpy.typing import NDArray
from windlass.connectors.cable_contact.gaps import watch_places
from windlass.connectors.cable_contact.kernels import TOUCHING, WIDTH, add_residual
from windlass.connectors.cable_contact.material import TWIST
from windlass.connectors.cable_contact.outputs import OUTPUTS, paint
from windlass.connectors.cable_contact.places import CableSystem, create_places, eval_parts, list_contacts
from windlass.connectors.cable_contact.progress import ALL, begin_update, create_progress, end_update
from windlass.connectors.cable_contact.search import CableSearch
from windlass.connectors.cable_contact.tangent import add_tangent
from windlass.connectors.contact.power import NUMBERS, create_place_account
from windlass.connectors.friction.bristle import check_friction
from windlass.connectors.markers.cable_markers3d import axis_dofs
from windlass.connectors.markers.cable_shape import cable_lengths
from windlass.connectors.markers.position_markers import list_handles
from windlass.elements.cable.twist_rotation import find_frames
from windlass.elements.routes.cable_order import find_chains
from windlass.framework.arrays import BoolArray, IntArray
from windlass.framework.checks.checks import checked, each, either, inside, instance, number, whole, yes_no
from windlass.framework.checks.values import show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.program import FunctionChain, When
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.history import check_history, create_history
from windlass.framework.model.law import LocalRows, Tables, register
from windlass.framework.model.rows import create_records
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Evaluation, Fields, NeighbourPattern
from windlass.framework.model.table import Entity, EntityTable
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

TWISTED: Any
FASTER: Any
SOURCE: Any
RADIUS: Any
PARAMETERS: Any
class CableContactSet(Component):
    ...
class ContactFrictionCables3D(Component):
    ...
def fill_defaults(world: Tables, values: dict[str, Any]) -> dict[str, Any]:
    'Return ``values`` with initial history values if the user has not specified them.'
def check(world: Tables, table: EntityTable) -> None:
    'Raise ModelError for points that are more than a diameter apart, and for two cables of a set with the same\n``node0`` or the same ``node1``. In a set with ``turns_rope``, also raise ModelError for cables without twist.'
def read_sets(world: Tables, sets: IntArray, name: str) -> NDArray[Any]:
    'Return the values of a column of the given sets, shape (sets,).'
def find_turning(world: Tables, sets: IntArray) -> BoolArray:
    'Return whether friction turns the cables of the given sets, shape (sets,).'
def find_dofs(world: Tables, table: EntityTable) -> IntArray:
    'Return the global indices of the position and slope coordinates of the cables, shape (rows, 12). If friction\nturns cables of any set, the indices of the angles of twist follow, shape (rows, 14). These indices are -1 for\ncables that friction does not turn.'
def bind_frames(rows: LocalRows, turning: BoolArray, dofs: IntArray) -> dict[str, NDArray[Any]]:
    'Return the record fields with which kernels compute the frames of the material, see\n`elements/cable/twist_points.py`. The fields are 0 for cables that friction does not turn. The argument ``dofs``\ncontains the process-local coordinate indices of all cables of the table.'
def bind(rows: LocalRows) -> NDArray[Any]:
    'Create the records of all cables of the table for the kernels. If the points of a cable are evaluated by another\nprocess, its record has 0 points.'
def create_search(rows: LocalRows, c: NDArray[Any]) -> CableSearch:
    'Create the search for contacts between all cables of the table.'
def build(rows: LocalRows) -> CableSystem:
    'Return the `System` with the forces, tangent, update and checks of the rows.'
def add_cable_contact(world: World, cables: Entity | Sequence[Entity], *, radius: float | Sequence[float], points: int, skin: float=0.0, apart: float=0.0, turns_rope: bool=False, name: str=..., contact_stiffness_per_length: Numbers=..., contact_damping_per_length: Numbers=..., damping_depth: Numbers=..., friction_coefficient: Numbers=..., friction_stiffness_per_length: Numbers=..., friction_velocity_penalty_per_length: Numbers=...) -> Entity:
    'Add contact of 3D cables with each other and with themselves.\n\nArgs:\n    cables: single cables or chains of cables.\n    radius: radius of the cross sections [m]. Give one value for all cables, or one value for each item of\n        ``cables``.\n    points: number of contact points of each cable. The spacing of points should be at most one radius.\n    skin: distance within which the search finds contacts [m]. With 0, the smallest radius is used.\n    apart: smallest arc length [m] between two points of the same chain of cables that can touch each other. With 0,\n        four times the radius of the chain is used.\n    turns_rope: whether friction acts at the radius of the cables and turns the cables about their axes. If true,\n        all cables must be `TwistCable3D`. If False, friction does not turn cables with twist.\n    **columns: columns of `CableContactSet`.\n\nReturns:\n    The rows, one per cable in the given order.\n\nRaises:\n    ModelError: no cable is given, or a value is outside its range.'
def check_sets(world: Tables, table: EntityTable) -> None:
    'Raise ModelError for a set whose friction has neither bristles nor dampers. Also raise ModelError for a set with\n``turns_rope`` but without friction.'
