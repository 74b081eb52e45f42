# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Sequence
from typing import Any, Literal
import numpy as np
from windlass.elements.cable.ale_cable2d import ALECable2D
from windlass.elements.cable.kinds import FRAME_COLUMNS, find_kinds
from windlass.elements.nodes.generic_nodes import state_node
from windlass.elements.nodes.turning import carry_normals
from windlass.elements.nodes.twist_frames import STEPS, find_direction, find_normal
from windlass.elements.routes.catenary import FreeCatenary, hang_between
from windlass.elements.routes.grounded_catenary import GroundedCatenary
from windlass.elements.routes.routes import CenterLine, Circle, Point, RouteError, nodes_along, route_around, straight
from windlass.elements.routes.spline_route import through_points
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks.checks import checked, each, either, handle, inside, instance, number, numbers, optional, that, word, yes_no
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import launched_size
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import Tables
from windlass.framework.model.parts import part_of_large, pick_rows
from windlass.framework.model.schema import row_bytes
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

Side = Literal['left', 'right']
SIDE: Any
RADIUS: Any
MOST_TURNING: Any
TURN_ROUNDING: Any
SAMPLES: Any
CHAIN: Any
def cable_around(world: World, circles: Sequence[Circle | Entity], elements: int, *, radius: float | Sequence[float] | None=None, sides: Side | Sequence[Side]='right', radial_offset: float=0.0, closed: bool=True, start: Point | None=None, end: Point | None=None, name: str='belt', length: Numbers=..., mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., moving_mass_factor: Numbers=..., use_coupling_terms: YesNo=..., add_ale_variation: YesNo=..., ale: One=...) -> Entity:
    'Add a taut cable over circles in the given order; `routes.route_around` describes the route.\n\nA closed cable begins at the point where the cable leaves the first circle. The last element of a closed cable ends\nat the first node.\n\nArgs:\n    world: model to which the entities are added.\n    circles: circles, or handles to bodies or nodes whose reference positions are the centres of the circles.\n    elements: number of cable elements of equal length.\n    radius: radius [m] of the circles that are given as handles, one for all circles or one for each circle.\n    sides: side of the cable, "left" or "right", on which a circle lies, seen in the direction of travel; only for\n        circles that are given as handles. Give one side for all circles, or one side for each circle. With "right"\n        the cable wraps clockwise.\n    radial_offset: distance [m] of the axis of the cable from the circles.\n    closed: whether the end of the cable is connected to its start.\n    start, end: end points [m] of an open cable, shape (2,).\n    name: name for messages and output.\n    **cable_columns: columns of `Cable2D`, or of `ALECable2D` if ``ale=`` is given; for fibre ropes and tension\n        tables see `straight_cable`. Default of ``length`` [m]: the length of the route divided by the number of\n        elements.\n\nReturns:\n    The cables in order; `nodes_of` gives their nodes.\n\nRaises:\n    ModelError: a circle has no radius, or the route does not exist.'
def straight_cable(world: World, start: Point, end: Point, elements: int, *, name: str='cable', length: Numbers=..., mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., moving_mass_factor: Numbers=..., use_coupling_terms: YesNo=..., add_ale_variation: YesNo=..., ale: One=...) -> Entity:
    'Add a straight cable between two points, divided into elements of equal length.\n\nArgs:\n    world: model to which the entities are added.\n    start, end: end points [m], shape (2,), or shape (3,) for 3D cables.\n    elements: number of cable elements.\n    name: name for messages and output.\n    **cable_columns: columns of `Cable2D`, in 3D of `Cable3D`. If ``ale=`` is given: columns of `ALECable2D`. If\n        ``torsional_stiffness=`` is given: columns of `TwistCable3D`, see `cable_along`. If ``slow_stiffness=`` is\n        given: columns of `FibreCable2D` or `FibreCable3D`, and ``slow_strain``, the slow strain at the start. If\n        ``tension_table=`` is given: columns of `TableCable2D` or `TableCable3D`. The table is a list of pairs of\n        strain [1] and tension [N]. Default of ``length`` [m]: the length of the line divided by the number of\n        elements.\n\nReturns:\n    The cables in order; `nodes_of` gives their nodes.\n\nRaises:\n    ModelError: start and end coincide, or are not two points of two or three finite numbers.'
def catenary(world: World, start: Point, end: Point, elements: int, *, length: float, axial_stiffness: float, mass_per_length: float, gravity: Point | None=None, name: str='cable', bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., moving_mass_factor: Numbers=..., use_coupling_terms: YesNo=..., add_ale_variation: YesNo=..., ale: One=...) -> Entity:
    'Add a cable that hangs between two points, in the equilibrium shape of a cable without bending stiffness.\n\nNodes have equal spacing in unstretched arc length. The reference slopes are unit vectors. The stretch due to the\ntension is part of the initial displacements. A static solve from this state needs only a few iterations.\n\nArgs:\n    world: model to which the entities are added.\n    start, end: end points [m], shape (2,), or shape (3,) for 3D cables.\n    elements: number of cable elements.\n    length: unstretched length [m] of the whole cable; if it is below the distance of the points, the cable is taut.\n    axial_stiffness: EA [N], a scalar.\n    mass_per_length: ρA [kg/m], a scalar.\n    gravity: acceleration [m/s^2], shape (2,) or (3,); default: gravity of the world.\n    name: name for messages and output.\n    **cable_columns: additional columns of `Cable2D`, of `ALECable2D` if ``ale=`` is given, or in 3D of `Cable3D`;\n        for fibre ropes and tension tables see `straight_cable`. The shape at the start is computed with\n        ``axial_stiffness``, and not with the tension table.\n\nReturns:\n    The cables in order; `nodes_of` gives their nodes.\n\nRaises:\n    ModelError: a slack cable has no weight or has one end vertically above the other; columns define strains\n        relative to the reference configuration; or the reference strain, or the slow strain of a fibre rope, is not\n        one finite number, or the sum of these strains is not > -1.'
def cable_along(world: World, route: CenterLine, elements: int, *, name: str='cable', length: Numbers=..., mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., moving_mass_factor: Numbers=..., use_coupling_terms: YesNo=..., add_ale_variation: YesNo=..., ale: One=...) -> Entity:
    'Add a cable along a route, divided into elements of equal length.\n\nArgs:\n    world: model to which the entities are added.\n    route: result of `helix`, `route_over_sheaves`, `through_points`, `route_around`, `hang_between` or\n        `hang_from_ground`.\n    elements: number of cable elements.\n    name: name for messages and output.\n    **cable_columns: columns of `Cable2D`, or of `Cable3D` on 3D routes; for fibre ropes and tension tables see\n        `straight_cable`. Default of ``length`` [m]: the length of the route divided by the number of elements. If\n        ``torsional_stiffness=`` is given on a 3D route: columns of `TwistCable3D`, and the columns ``normal`` and\n        ``turned_from`` of the nodes (`PointSlopeTwist3D`). ``normal`` is the direction of d_1 at the start of the\n        route. From node to node, this direction is moved along the route without spin. The default of\n        ``turned_from`` is a direction to which no slope of the route is opposite, such as the axis of sheaves.\n\nReturns:\n    The cables in order; `nodes_of` gives their nodes.\n\nRaises:\n    ModelError: the number of elements is out of its range, or is so small that an element turns back on itself.'
def add_along(world: Tables, route: CenterLine, elements: int, name: str, *, length: Numbers=..., mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., moving_mass_factor: Numbers=..., use_coupling_terms: YesNo=..., add_ale_variation: YesNo=..., ale: One=...) -> Entity:
    'Add nodes and cables along a route. Nodes have equal spacing in arc length, and slopes are tangential to the\nroute.\n\nAlong a catenary, the initial displacements include the stretch of the slopes. With several processes, each process\nadds a part of the rows of a long chain.\n\nRaises:\n    ModelError: the number of elements is not allowed, or axial motion of the material is given along a 3D route.'
def read_slow_strains(given: Any, elements: int, name: str) -> FloatArray:
    'Return the slow strains of a fibre rope at the start [1], shape (elements,).\n\nRaises:\n    ModelError: ``slow_strain`` is neither a number nor an array of one number per element.'
def read_table(given: dict[str, Any], name: str) -> dict[str, Any]:
    'Replace the column ``tension_table`` of a chain by columns of `TableCable2D`. The column contains pairs of strain\n[1] and tension [N].\n\nRaises:\n    ModelError: the table is not a list of at least two pairs of finite numbers, or the strains are not ascending.'
def carry_frames(route: CenterLine, elements: int, numbers: IntArray, given: dict[str, Any]) -> dict[str, FloatArray]:
    'Return the columns of the nodes of a cable with twist: ``normal``, which is moved along the route without spin,\nand ``turned_from``.\n\nArgs:\n    route, elements: the route and the number of elements.\n    numbers: indices of the nodes, shape (n,).\n    given: columns that the user has specified; ``normal`` is the normal of the first node, or the normals of all\n        nodes, shape (nodes, 3).'
def check_turns(route: CenterLine, elements: int, name: str) -> None:
    "Raise ModelError if an element turns back on itself, because the chain has too few elements.\n\nAt a node of such an element the slope r' points against the chord: r'·(r_1 - r_0) < 0, where r_0 and r_1 are the\npositions of the two nodes of the element. A cubic cannot follow such a route."
def nodes_of(world: World, cables: Entity) -> Entity:
    'Return the nodes of a chain of cables or beams in order, each node once. There are n + 1 nodes for n cables, or n\nnodes if the chain is closed.\n\nA chain of n beams of order p has p n + 1 nodes, or p n nodes if the chain is closed. For entities with one node\neach, such as bodies and sliding joints, the nodes are returned in the order of the entities.\n\nRaises:\n    ModelError: the entities have no nodes.'
def _create_circles(world: World, circles: Sequence[Circle | Entity], radius: float | Sequence[float] | None, sides: Side | Sequence[Side]) -> list[Circle]:
    'Convert circles and handles to objects `Circle`.'
def _circle_at(world: Tables, handle: Entity, radius: float | None, side: Side) -> Circle:
    ...
