# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from math import atan2
from typing import Any
import numpy as np
from windlass.elements.beam.rows import MOST_UNEVEN
from windlass.elements.beam.rules import PLACES, create_rule
from windlass.elements.nodes.nodes2d import RigidNode2D
from windlass.elements.nodes.rotations import euler_parameters_of, rotation_matrix
from windlass.elements.nodes.turning import carry_normals, smallest_rotations
from windlass.elements.routes.routes import CenterLine, Point, RouteError, nodes_along, straight
from windlass.elements.routes.spline_route import through_points
from windlass.framework.arrays import FloatArray
from windlass.framework.checks.checks import checked, inside, instance, numbers, optional, that, whole, word
from windlass.framework.checks.room import check_room
from windlass.framework.checks.values import read_numbers, show
from windlass.framework.errors import ModelError
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.parts import part_of_large, pick_rows
from windlass.framework.model.schema import Component, row_bytes
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

LINE: Any
STEPS: Any
def straight_beam(world: World, start: Point, end: Point, elements: int, *, order: int=2, normal: Any | None=None, name: str='beam', stiffness: Numbers=..., mass_per_length: Numbers=..., rotary_inertia: Numbers=..., damping: Numbers=..., length: Numbers=..., node_angles: Numbers=..., reference_strain: Numbers=..., strain_is_relative_to_reference: Numbers=..., broken: YesNo=...) -> Entity:
    'Add a straight beam between two points, divided into elements of equal length.\n\nArgs:\n    world: model to which the entities are added.\n    start, end: end points [m], shape (2,), or shape (3,) for 3D beams.\n    elements: number of elements.\n    order: order of the elements, 1, 2 or 3. An element has order + 1 nodes.\n    normal: direction of e_2 of 3D beams, shape (3,). See `beam_along` for the default.\n    name: name for messages and output.\n    **beam_columns: columns of `Beam2D`, in 3D of `Beam3D`, or of `SlopeBeam3D` if ``section_stiffness`` is given.\n        The column ``length`` is not allowed.\n\nReturns:\n    The elements in order. `nodes_of` returns their nodes.\n\nRaises:\n    ModelError: start and end coincide, a value is out of its range, or the user gives a column that the line\n        determines.'
def beam_along(world: World, route: CenterLine, elements: int, *, order: int=2, normal: Any | None=None, name: str='beam', stiffness: Numbers=..., mass_per_length: Numbers=..., rotary_inertia: Numbers=..., damping: Numbers=..., length: Numbers=..., node_angles: Numbers=..., reference_strain: Numbers=..., strain_is_relative_to_reference: Numbers=..., broken: YesNo=...) -> Entity:
    'Add a beam along a route, divided into elements of equal length. The route is the stress-free shape of the beam.\n\nArgs:\n    world: model to which the entities are added.\n    route: result of `helix`, `through_points`, `route_around` or another function that creates routes.\n    elements: number of elements.\n    order: order of the elements, 1, 2 or 3. An element has order + 1 nodes.\n    normal: direction of e_2 at the start of 3D beams, shape (3,). The default is global y, rotated by the smallest\n        rotation from global x to the tangent of the route.\n    name: name for messages and output.\n    **beam_columns: columns of `Beam2D`, on 3D routes of `Beam3D`, or of `SlopeBeam3D` if ``section_stiffness`` is\n        given. The column ``length`` is not allowed.\n\nReturns:\n    The elements in order. `nodes_of` returns their nodes.\n\nRaises:\n    ModelError: the number of elements or the order is out of its range, the normal is parallel to the route or is\n        given for a 2D route, or the user gives a column that the route determines.'
def _add_line(world: World, route: CenterLine, elements: int, order: int, normal: Any | None, name: str, given: dict[str, Any]) -> Entity:
    ...
def _check_places(name: str, elements: int, order: int, position: FloatArray) -> None:
    'Raise ModelError if the route bends so much within an element that its inner nodes are not at their places.\n\nArgs:\n    position: positions of the nodes along the line [m], shape (nodes, d). For a closed line, the first node is the\n        last node of the last element.'
def _find_kinds(in_space: bool, deformable: bool) -> tuple[type[Component], type[Component]]:
    'Return the types of node and beam in 2D or 3D. In 3D, the cross sections are rigid or deformable.'
def _find_frames(tangent: FloatArray, closed: bool, normal: Any | None, name: str) -> FloatArray:
    'Return the Euler parameters of frames e_1, e_2, e_3 along a route, shape (n, 4). The axes e_1 are the unit\ntangents ``tangent``, shape (n, 3). On open routes, the frames do not spin about the route. On closed routes, the\nframes have a uniform spin about the route, such that the last frame is equal to the first frame.'
