# Made by scripts/make_stubs.py from the schemas of the components: do not edit, call `make stubs`.

from __future__ import annotations
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple
import numpy as np
from windlass.elements.cable.kinds import FRAME_COLUMNS, TWIST, find_kinds
from windlass.elements.cable.rope_columns import SLOW_STRAIN, add_slow_strains, read_slow_strains, read_table
from windlass.elements.mesh.mesh_checks import check_mesh, merge_points
from windlass.elements.mesh.mesh_columns import CellColumns, read_cell_columns
from windlass.elements.mesh.mesh_file import FileMesh, read_mesh
from windlass.elements.mesh.mesh_frames import eval_frames, read_frame_columns
from windlass.elements.mesh.mesh_lines import eval_slopes, find_reversed, join_ends
from windlass.elements.mesh.mesh_nodes import NodePlan, add_nodes, create_node_sets, create_nodes, list_cable_nodes, list_picked, list_ranges, pick_lines, plan_nodes
from windlass.elements.mesh.mesh_parts import Given, Net, NetCables, Outline, deal_nets
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.checks import checks
from windlass.framework.errors import ModelError
from windlass.framework.launch.launcher import communicator
from windlass.framework.model.adding import all_or_nothing
from windlass.framework.model.law import Tables, law_of
from windlass.framework.model.parts import pick_rows
from windlass.framework.model.schema import REQUIRED, Component
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

Columns = Mapping[str, Any]
Kinds = tuple[type[Component], type[Component]]
MOST_JOINED: Any
class NamedSets(dict[str, Entity]):
    def __init__(self, kind: str, sets: dict[str, Entity]) -> None:
        ...
    _kind: Any
    def __missing__(self, name: str) -> Entity:
        ...
@dataclass(frozen=True)
class CableMesh():
    all_cables: Entity
    all_nodes: Entity
    cables: NamedSets
    nodes: NamedSets
    slope_nodes: NamedSets
    notes: tuple[str, ...]
    with_torsion: CableMesh | None = None
    def describe(self) -> str:
        'Return a text of several lines with counts, groups and notes.'
def cables_from_mesh(world: World, path: str | Path, *, sections: Mapping[str, Columns] | None=None, cables_per_line: int=1, largest_length: float | None=None, scale: float=1.0, slopes: Literal['smooth', 'through', 'separate']='smooth', corner_angle: float=0.5, hinges: Sequence[str]=(), unused_points: Literal['error', 'ignore']='error', merge_distance: float | None=0.0, in_space: bool=False, cell_columns: CellColumns | None=None, name: str='net', length: Numbers=..., mass_per_length: Numbers=..., axial_stiffness: Numbers=..., bending_stiffness: Numbers=..., axial_damping: Numbers=..., bending_damping: Numbers=..., reference_strain: Numbers=..., reference_curvature: Numbers=..., strain_is_relative_to_reference: Numbers=..., integration: WholeNumbers=..., axial_force_function: UserFunctions=..., axial_force_derivatives: UserFunctions=..., bending_moment_function: UserFunctions=..., bending_moment_derivatives: UserFunctions=..., broken: YesNo=..., rotary_inertia: Numbers=..., torsional_stiffness: Numbers=..., coupling: Numbers=..., torsional_damping: Numbers=..., reference_twist: Numbers=..., normal: Numbers=..., turned_from: Numbers=...) -> CableMesh:
    'Add the line cells of a mesh file as cables, with nodes at the ends of the lines and within the lines.\n\nCables that meet at a point share the position of this point. The cables also share the slope if the axis is smooth\nat this point, see ``slopes``. Otherwise each cable has its own slope, and the point is a hinge.\n\nArgs:\n    world: model to which the entities are added.\n    path: mesh file of the format gmsh (.msh, version 2.2 or 4.1), .vtu or .xdmf. The mesh is 3D or lies in the\n        plane z = 0.\n    sections: columns of `Cable2D` or `Cable3D` for each group of lines, by the name of the group, e.g.\n        ``{"main": {"axial_stiffness": 1e5, "bending_stiffness": 1.0, "mass_per_length": 0.5}}``. If\n        ``torsional_stiffness`` is given and ``in_space`` is true: columns of `TwistCable3D`, and the columns\n        ``normal`` and ``turned_from`` of the nodes (`PointSlopeTwist3D`), each of shape (3,). ``normal`` is the\n        direction of d_1 at the start of each path of lines with common slopes. Along the path, this direction is\n        moved from node to node without spin. The default of ``turned_from`` is a direction to which no slope of the\n        path is opposite. Sections without ``torsional_stiffness`` have cables of type `Cable3D`. Lines of different\n        sections share positions, but neither slopes nor twist. For fibre ropes and tension tables see\n        `straight_cable`; all sections must have the same law of the tension.\n    cables_per_line: number of cables into which each line is divided, unless ``largest_length`` requires more\n        cables.\n    largest_length: largest length [m] of a cable, measured along the chord of its line. A line whose chord is\n        longer than ``cables_per_line`` times this length is divided into more cables.\n    scale: length [m] of one unit of length in the file.\n    slopes: points at which lines share a slope. With ``"smooth"``, two lines share a slope at a point under three\n        conditions: no other lines meet at this point, both lines have the same section, and their directions differ\n        by at most ``corner_angle``. With ``"through"``, lines can also share a slope at points at which more than\n        two lines meet. The lines of a section are paired by the smallest angles between their directions. With\n        ``"separate"``, lines do not share slopes. Only the cables of one line share slopes.\n    corner_angle: largest angle [rad] between the directions of two lines that share a slope, 0 to π/2. The angle is\n        0 if one line continues the other without a corner.\n    hinges: names of groups of points or lines. Lines do not share a slope at points of these groups.\n    unused_points: with ``"ignore"``, points that are in no line and in no group are omitted. With ``"error"``, such\n        points cause a ModelError. A point that is in a group but in no line always causes a ModelError.\n    merge_distance: largest distance [m] between points of lines that are merged. With 0, coinciding points of lines\n        cause a ModelError. With None, points are not merged.\n    in_space: whether 3D cables, `Cable3D` or `TwistCable3D`, are created. Otherwise all points must have z = 0.\n    cell_columns: columns of cables whose values are read from the file. The keys are names of columns. Each value\n        is the name of an array on the cells of the file, or a list with the name of one array for each component,\n        e.g. ``{"torsional_stiffness": "GJ", "bending_stiffness": ["EI_1", "EI_2"]}``. All cables of a line have the\n        value that the array has for the cell of this line, in the unit of the column. ``scale`` does not change the\n        value.\n    name: name for messages and output.\n    **cable_columns: columns of all cables, including lines without section. For lines with a section, values in\n        ``sections`` have priority. The default of ``length`` [m] is the arc length of the axis.\n\nReturns:\n    Handles to the new entities, see `CableMesh`.\n\nRaises:\n    ModelError: the file cannot be read; a group or an array on cells does not exist; a line has no section, two\n        sections or the length 0, or is a duplicate; points coincide, or are in no line; sections have different\n        laws of the tension; or a normal is parallel to the cable at the start of a path.'
def _leave_out_none(columns: Columns) -> dict[str, Any]:
    'Return columns without ``torsional_stiffness``, if its value is None. A section with None has no torsion.'
def _find_kinds(in_space: bool, columns: set[str]) -> Kinds:
    'Return the types of the nodes and cables of a net. The argument ``columns`` contains the names of all given\ncolumns.\n\nRaises:\n    ModelError: a 2D net has a torsional stiffness.'
def _list_twist_columns(kinds: Kinds, plain: Kinds) -> set[str]:
    'Return the names of the columns that only nodes and cables with torsion have.'
def _has_torsion(group: MeshSection, values: Mapping[str, FloatArray]) -> bool:
    'Return whether the cables of a section have torsion.'
def _plan_nets(mesh: FileMesh, groups: list[MeshSection], values: Mapping[str, FloatArray], kinds: Kinds, plain: Kinds, hinges: Sequence[str], corner_angle: float, slopes: str, cables_per_line: int, largest_length: float | None) -> list[Net]:
    'Return a net with the rows of all nodes and cables. If only some sections have torsion, return the part of the\nnet with torsion and the other part. The argument ``values`` contains the values of the lines for columns from the\ncells of the file, and ``plain`` the types of nodes and cables without torsion. The other arguments are explained in\n`cables_from_mesh`.'
def _fill_net(mesh: FileMesh, plan: NodePlan, groups: list[MeshSection], values: Mapping[str, FloatArray], frames: Mapping[str, FloatArray]) -> Net:
    'Return a net with the lines of the sections ``groups`` and the nodes ``plan``; ``frames`` contains further\ncolumns of the nodes.'
def _add_net(world: Tables, given: Given, kinds: Kinds, sections: Mapping[str, Columns], common: Columns, name: str, first: int) -> CableMesh:
    'Add the nodes and cables of this process to the world. The argument ``given`` contains their data, and ``first``\nis the number of the first node of the whole net.'
class MeshSection(NamedTuple):
    label: str
    columns: Columns
    given: Columns | None
    lines: IntArray
def _assign_sections(mesh: FileMesh, sections: Mapping[str, Columns] | None, common: Columns, kinds: tuple[type[Component], type[Component]], values: Mapping[str, FloatArray], name: str) -> list[MeshSection]:
    'Return the sections with their lines. Each line is in exactly one section. ``values`` contains the columns that\nare read from the cells of the file, and ``kinds`` the types of the cables without and with torsion.'
def _same_as(sections: list[MeshSection], number: int) -> int:
    'Return the index of the first section whose columns are the same Python object as the columns of the section with\nthe index ``number``.'
def _plan_cables(plan: NodePlan, lines: IntArray, values: Mapping[str, FloatArray]) -> NetCables:
    'Return the cables of the lines with the indices ``lines``, line by line.'
