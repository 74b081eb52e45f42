# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple
import numpy as np
from numpy.typing import NDArray
from windlass.elements.cable.cable2d import check_nodes
from windlass.elements.cable.kinds import FRAME_COLUMNS, TWIST
from windlass.elements.cable.points import Rule, create_rule, eval_shape, gauss_rule
from windlass.elements.cable.winch_forces import add_damping, add_elastic
from windlass.elements.cable.winch_motion import fill_flows, fill_motion, gravity, gravity_tangent, inertia, inertia_tangent
from windlass.elements.cable.winch_points import Points
from windlass.elements.nodes.ale_node import ALENode
from windlass.elements.nodes.nodes2d import PointSlope2D
from windlass.elements.nodes.nodes3d import PointSlope3D
from windlass.framework.accounts import Account
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, number, numbers, whole, word
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.drawing import Drawing
from windlass.framework.model.law import LocalRows, Output, Tables, register
from windlass.framework.model.schema import Component, column, ref
from windlass.framework.model.system import Checks, Fields, System, Term
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

NO_FORCE: Any
NO_SLOTS: Any
SHARES: Any
class WinchCable2D(Component):
    provides: ClassVar[tuple[str, ...]] = ('winch cable', 'strained cable', 'track cable')
class WinchCable3D(WinchCable2D):
    ...
def create_points(s: FloatArray, w: FloatArray | None=None) -> Points:
    'Create points at positions s on cables of length 1, with integration weights w.'
def bind(rows: LocalRows) -> NDArray[Any]:
    'Return the data of the rows that the kernels read, as one record per row.\n\nstored: energy per length W of the rope in the winch [J/m].\ndofs: process-local indices of the coordinates z of the cable, shape (4 d + 1,).'
def take_flows(own: Any, lost: int, v: FloatArray, flow: FloatArray, powers: FloatArray) -> None:
    'Add the flows of strain energy and kinetic energy out of the model [W] to ``powers``, which begins with ``lost``\npowers of damping, and set ``flow``, the result of `fill_flows`, to 0.'
def build(rows: LocalRows) -> System:
    'Create the `System` with the kernel calls for the rows.'
def diagnose(rows: LocalRows, fields: Fields) -> list[str]:
    'Return messages about ropes that are too short.'
def check(world: Tables, table: EntityTable) -> None:
    'Raise ModelError if a rope is initially too short, or if its cables do not cover its whole length or are not\nconnected. The last two checks are omitted in distributed models.'
class Sections(NamedTuple):
    position: FloatArray
    velocity: FloatArray
    force: FloatArray
EvaluateSections = Callable[[LocalRows, Fields, FloatArray], Sections]
def eval_sections(rows: LocalRows, fields: Fields, shares: FloatArray) -> Sections:
    'Evaluate the cables at k points; ``shares`` are the distances of the points from node0 divided by the length of\nthe cable, shape (k,).'
def at_share(unit: str, doc: str, evaluate: EvaluateSections, name: str) -> Output:
    'Create an output variable that is evaluated at a point of each cable. The argument ``share`` is the distance of\nthe point from node0 divided by the length of the cable. The value is the field ``name`` of the result of\n``evaluate``.'
def eval_length(rows: LocalRows, fields: Fields) -> FloatArray:
    'Return the unstretched length of each cable [m], 0 for cables in reserve.'
def eval_momentum(rows: LocalRows, fields: Fields) -> FloatArray:
    'Return the momentum ∫ ρA u dx [kg m/s], shape (rows, 3).'
def eval_flow(rows: LocalRows, fields: Fields, which: slice) -> FloatArray:
    'Return the flow of mass or momentum into each cable minus the flow out of the cable, see `fill_flows`. The shape\nis (rows,) for mass and (rows, 3) for momentum.'
def draw(rows: LocalRows, fields: Fields, subdivisions: int, evaluate: EvaluateSections=eval_sections) -> Drawing:
    'Draw each cable as ``subdivisions`` lines; all cables of a winch get the same part label. The positions ``start``\nand ``end`` of the lines in the drawing are fractions of the length of the cable.\n\nAll drawings must have the same number of lines, so the lines of cables in reserve are points at the start of the\nfirst active cable. ``evaluate`` evaluates the cables.'
class WinchRope(NamedTuple):
    cables: Entity
    nodes: Entity
    feed: Entity
def winch_rope(world: World, outlet: Any, end: Any, cables: int, *, strain: float=0.0, name: str='rope', mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., store_tension: Numbers=..., shortest: Numbers=..., active: YesNo=...) -> WinchRope:
    'Add a straight rope between the outlet of a winch and the end of the rope, divided into cables of equal length.\n\nArgs:\n    world: model to which the entities are added.\n    outlet, end: positions [m], shape (2,), or (3,) in 3D. The function does not constrain the ends.\n    cables: number of cables.\n    strain: strain of the rope in the reference configuration [1], N/EA for a tension N.\n    name: name for messages and output.\n    **columns: columns of `WinchCable2D`, one value for all cables. If ``torsional_stiffness=`` is given in 3D:\n        columns of `WinchTwistCable3D`, and the columns ``normal`` and ``turned_from`` of the nodes\n        (`PointSlopeTwist3D`).\n\nReturns:\n    The cables, their nodes, and the `ALENode` whose coordinate ``s`` is the length outside the winch.\n\nRaises:\n    ModelError: outlet and end have different shapes, or coincide; or a 2D rope has a torsional stiffness.'
def lay_winch_rope(world: World, positions: FloatArray, tangents: FloatArray, length: float, strain: float, name: str, columns: dict[str, Any]) -> WinchRope:
    'Add a rope whose nodes have equal distances along the rope.\n\nArgs:\n    positions, tangents: positions [m] and unit tangents of the nodes, shape (cables + 1, d) each; one tangent,\n        shape (d,), for a straight rope.\n    length: length of the strained rope [m].\n    strain, name, columns: arguments of `winch_rope`.'
def find_winch_kinds(dims: int, columns: Mapping[str, Any], name: str) -> tuple[type[Component], type[Component]]:
    'Return the types of the nodes and cables of a winch rope in 2D or 3D; 3D ropes with ``torsional_stiffness`` have\ntorsion.\n\nRaises:\n    ModelError: a 2D rope has a torsional stiffness.'
def create_outputs(evaluate: EvaluateSections) -> dict[str, Output]:
    'Create the output variables of a winch cable; ``evaluate`` evaluates the cables.'
SOURCE: Any
