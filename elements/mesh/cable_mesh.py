"""Creation of nets of cables from mesh files: nodes with slopes, cables, and named sets of nodes and cables.

The theory is described in docs/explanation/theory/cable.md. The geometry is in mesh_lines.py, and the input of files in
mesh_file.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from windlass.elements.cable.kinds import FRAME_COLUMNS, TWIST, find_kinds
from windlass.elements.cable.rope_columns import (
    SLOW_STRAIN,
    add_slow_strains,
    read_slow_strains,
    read_table,
)
from windlass.elements.mesh.mesh_checks import check_mesh, merge_points
from windlass.elements.mesh.mesh_columns import CellColumns, read_cell_columns
from windlass.elements.mesh.mesh_file import FileMesh, read_mesh
from windlass.elements.mesh.mesh_frames import eval_frames, read_frame_columns
from windlass.elements.mesh.mesh_lines import eval_slopes, find_reversed, join_ends
from windlass.elements.mesh.mesh_nodes import (
    NodePlan,
    add_nodes,
    create_node_sets,
    create_nodes,
    list_cable_nodes,
    list_picked,
    list_ranges,
    pick_lines,
    plan_nodes,
)
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

Columns = Mapping[str, Any]
Kinds = tuple[type[Component], type[Component]]
"""Types of the nodes and of the cables of a net."""
MOST_JOINED = {"smooth": 2, "through": 1 << 30, "separate": 0}
"""For each value of ``slopes``: largest number of lines that may meet at a point if lines share a slope at this
point.
"""


class NamedSets(dict[str, Entity]):
    """Dictionary of handles by name. An unknown name raises a ModelError that lists the known names."""

    def __init__(self, kind: str, sets: dict[str, Entity]) -> None:
        super().__init__(sets)
        self._kind = kind

    def __missing__(self, name: str) -> Entity:
        names = ", ".join(map(repr, sorted(self))) or "none"
        raise ModelError(f"no group of {self._kind} is called {name!r}: there are {names}")


@dataclass(frozen=True)
class CableMesh:
    """Handles to the entities that were created from a mesh file.

    Attributes:
        all_cables: all cables, ordered by section, then in the order of the lines of the file.
        all_nodes: all nodes. Several nodes can share one position.
        cables: the cables of each group of lines, in order along each line.
        nodes: for each group, one node per position. Supports and loads on positions must be attached to these nodes. A
            group of lines includes the nodes within the lines.
        slope_nodes: for each group, all nodes. Several nodes can share one position. Supports and loads on slopes must
            be attached to these nodes.
        notes: messages about parts of the file that were omitted.
        with_torsion: if only some sections have torsion, the cables and nodes of these sections; otherwise None. The
            other handles are then the cables and nodes of the other sections. Positions at which cables with and
            without torsion meet belong to the nodes with torsion. Therefore ``nodes`` of the other sections does not
            contain these positions. Groups without members are omitted.
    """

    all_cables: Entity
    all_nodes: Entity
    cables: NamedSets
    nodes: NamedSets
    slope_nodes: NamedSets
    notes: tuple[str, ...]
    with_torsion: CableMesh | None = None

    def describe(self) -> str:
        """Return a text of several lines with counts, groups and notes."""
        lines = [f"{len(self.all_cables)} cables, {len(self.all_nodes)} nodes"]
        lines += [f"  cables {name!r}: {len(cables)}" for name, cables in self.cables.items()]
        lines += [f"  nodes {name!r}: {len(nodes)}" for name, nodes in self.nodes.items()]
        if self.with_torsion is not None:
            lines.append(f"with torsion: {self.with_torsion.describe()}")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


@checks.checked(
    world=checks.instance(World),
    path=checks.path(),
    sections=checks.optional(
        checks.that(
            lambda given: isinstance(given, Mapping) and all(isinstance(own, Mapping) for own in given.values()),
            "columns by the name of a group of lines",
        )
    ),
    cables_per_line=checks.whole(1),
    largest_length=checks.optional(checks.number("m", above=0.0)),
    scale=checks.number("m"),
    slopes=checks.word(*MOST_JOINED),
    corner_angle=checks.number("rad"),
    hinges=checks.each(checks.word(), "a list of names of groups"),
    unused_points=checks.word("error", "ignore", words="error or ignore"),
    merge_distance=checks.optional(checks.number("m")),
    in_space=checks.yes_no(),
    cell_columns=checks.optional(
        checks.that(lambda given: isinstance(given, Mapping), "names of arrays by the name of a column")
    ),
    name=checks.word(),
    cable_columns=checks.inside(),
)
@all_or_nothing
def cables_from_mesh(
    world: World,
    path: str | Path,
    *,
    sections: Mapping[str, Columns] | None = None,
    cables_per_line: int = 1,
    largest_length: float | None = None,
    scale: float = 1.0,
    slopes: Literal["smooth", "through", "separate"] = "smooth",
    corner_angle: float = 0.5,
    hinges: Sequence[str] = (),
    unused_points: Literal["error", "ignore"] = "error",
    merge_distance: float | None = 0.0,
    in_space: bool = False,
    cell_columns: CellColumns | None = None,
    name: str = "net",
    **cable_columns: Any,
) -> CableMesh:
    """Add the line cells of a mesh file as cables, with nodes at the ends of the lines and within the lines.

    Cables that meet at a point share the position of this point. The cables also share the slope if the axis is smooth
    at this point, see ``slopes``. Otherwise each cable has its own slope, and the point is a hinge.

    Args:
        world: model to which the entities are added.
        path: mesh file of the format gmsh (.msh, version 2.2 or 4.1), .vtu or .xdmf. The mesh is 3D or lies in the
            plane z = 0.
        sections: columns of `Cable2D` or `Cable3D` for each group of lines, by the name of the group, e.g.
            ``{"main": {"axial_stiffness": 1e5, "bending_stiffness": 1.0, "mass_per_length": 0.5}}``. If
            ``torsional_stiffness`` is given and ``in_space`` is true: columns of `TwistCable3D`, and the columns
            ``normal`` and ``turned_from`` of the nodes (`PointSlopeTwist3D`), each of shape (3,). ``normal`` is the
            direction of d_1 at the start of each path of lines with common slopes. Along the path, this direction is
            moved from node to node without spin. The default of ``turned_from`` is a direction to which no slope of the
            path is opposite. Sections without ``torsional_stiffness`` have cables of type `Cable3D`. Lines of different
            sections share positions, but neither slopes nor twist. For fibre ropes and tension tables see
            `straight_cable`; all sections must have the same law of the tension.
        cables_per_line: number of cables into which each line is divided, unless ``largest_length`` requires more
            cables.
        largest_length: largest length [m] of a cable, measured along the chord of its line. A line whose chord is
            longer than ``cables_per_line`` times this length is divided into more cables.
        scale: length [m] of one unit of length in the file.
        slopes: points at which lines share a slope. With ``"smooth"``, two lines share a slope at a point under three
            conditions: no other lines meet at this point, both lines have the same section, and their directions differ
            by at most ``corner_angle``. With ``"through"``, lines can also share a slope at points at which more than
            two lines meet. The lines of a section are paired by the smallest angles between their directions. With
            ``"separate"``, lines do not share slopes. Only the cables of one line share slopes.
        corner_angle: largest angle [rad] between the directions of two lines that share a slope, 0 to π/2. The angle is
            0 if one line continues the other without a corner.
        hinges: names of groups of points or lines. Lines do not share a slope at points of these groups.
        unused_points: with ``"ignore"``, points that are in no line and in no group are omitted. With ``"error"``, such
            points cause a ModelError. A point that is in a group but in no line always causes a ModelError.
        merge_distance: largest distance [m] between points of lines that are merged. With 0, coinciding points of lines
            cause a ModelError. With None, points are not merged.
        in_space: whether 3D cables, `Cable3D` or `TwistCable3D`, are created. Otherwise all points must have z = 0.
        cell_columns: columns of cables whose values are read from the file. The keys are names of columns. Each value
            is the name of an array on the cells of the file, or a list with the name of one array for each component,
            e.g. ``{"torsional_stiffness": "GJ", "bending_stiffness": ["EI_1", "EI_2"]}``. All cables of a line have the
            value that the array has for the cell of this line, in the unit of the column. ``scale`` does not change the
            value.
        name: name for messages and output.
        **cable_columns: columns of all cables, including lines without section. For lines with a section, values in
            ``sections`` have priority. The default of ``length`` [m] is the arc length of the axis.

    Returns:
        Handles to the new entities, see `CableMesh`.

    Raises:
        ModelError: the file cannot be read; a group or an array on cells does not exist; a line has no section, two
            sections or the length 0, or is a duplicate; points coincide, or are in no line; sections have different
            laws of the tension; or a normal is parallel to the cable at the start of a path.
    """
    if not 0.0 <= corner_angle <= np.pi / 2:
        raise ModelError(f"corner_angle = {corner_angle} rad in cables_from_mesh: must lie from 0 to π/2 rad")

    on_cells, cable_columns = cell_columns or {}, _leave_out_none(read_table(cable_columns, name))
    # sections that are the same Python object remain the same object, because their lines share slopes
    read = {id(columns): read_table(dict(columns), key) for key, columns in (sections or {}).items()}
    tables = {key: read[id(columns)] for key, columns in (sections or {}).items()}
    given = {key: _leave_out_none(columns) for key, columns in tables.items()}
    own = [cable_columns, *given.values()]
    names = {*on_cells, *(key for columns in own for key in columns)}
    kinds, plain = _find_kinds(in_space, names), find_kinds(3 if in_space else 2, names - {TWIST})

    def plan() -> list[Net]:
        mesh = read_mesh(path, scale, in_space)
        merge_points(mesh, merge_distance)
        check_mesh(mesh, unused_points)
        values = read_cell_columns(mesh, kinds[1], on_cells, (key for columns in own for key in columns))
        groups = _assign_sections(mesh, tables, cable_columns, (plain[1], kinds[1]), values, name)
        return _plan_nets(
            mesh, groups, values, kinds, plain, hinges, corner_angle, slopes, cables_per_line, largest_length
        )

    parts, start = deal_nets(communicator(), plan), world.count
    if len(parts) == 1:
        return _add_net(world, parts[0], kinds, given, cable_columns, name, start)
    twisted = _add_net(world, parts[0], kinds, given, cable_columns, name, start)
    common = {key: cable_columns[key] for key in cable_columns if key not in _list_twist_columns(kinds, plain)}
    net = _add_net(world, parts[1], plain, given, common, name, start)
    return replace(net, with_torsion=twisted)


def _leave_out_none(columns: Columns) -> dict[str, Any]:
    """Return columns without ``torsional_stiffness``, if its value is None. A section with None has no torsion."""
    return {key: value for key, value in columns.items() if key != TWIST or value is not None}


def _find_kinds(in_space: bool, columns: set[str]) -> Kinds:
    """Return the types of the nodes and cables of a net. The argument ``columns`` contains the names of all given
    columns.

    Raises:
        ModelError: a 2D net has a torsional stiffness.
    """
    if TWIST in columns and not in_space:
        raise ModelError(f"{TWIST} in cables_from_mesh: must not be given for 2D cables, or give in_space=True")
    return find_kinds(3 if in_space else 2, columns)


def _list_twist_columns(kinds: Kinds, plain: Kinds) -> set[str]:
    """Return the names of the columns that only nodes and cables with torsion have."""
    return {*FRAME_COLUMNS, *(kinds[1].columns.keys() - plain[1].columns.keys())}


def _has_torsion(group: MeshSection, values: Mapping[str, FloatArray]) -> bool:
    """Return whether the cables of a section have torsion."""
    return TWIST in values or group.columns.get(TWIST) is not None


def _plan_nets(
    mesh: FileMesh,
    groups: list[MeshSection],
    values: Mapping[str, FloatArray],
    kinds: Kinds,
    plain: Kinds,
    hinges: Sequence[str],
    corner_angle: float,
    slopes: str,
    cables_per_line: int,
    largest_length: float | None,
) -> list[Net]:
    """Return a net with the rows of all nodes and cables. If only some sections have torsion, return the part of the
    net with torsion and the other part. The argument ``values`` contains the values of the lines for columns from the
    cells of the file, and ``plain`` the types of nodes and cables without torsion. The other arguments are explained in
    `cables_from_mesh`.
    """
    section = np.empty(len(mesh.lines), np.int64)
    for number, group in enumerate(groups):
        section[group.lines] = _same_as(groups, number)
    hinged = np.zeros(len(mesh.points), bool)
    for hinge in hinges:
        hinged[mesh.points_of(hinge, "hinges")] = True
    ends = join_ends(mesh.points, mesh.lines, section, hinged, corner_angle, MOST_JOINED[slopes])
    turned = find_reversed(ends)
    slope = eval_slopes(mesh.points, mesh.lines, ends, turned)
    chord = np.linalg.norm(mesh.points[mesh.lines[:, 1]] - mesh.points[mesh.lines[:, 0]], axis=1)
    parts = np.full(len(mesh.lines), cables_per_line, np.int64)
    if largest_length is not None:
        # the tolerance avoids an additional cable if a chord exceeds a multiple of the largest length only by a
        # rounding error
        parts = np.maximum(parts, np.ceil(chord / largest_length * (1.0 - 1e-9)).astype(np.int64))
    plan = plan_nodes(mesh, ends, turned, slope, parts)
    if "normal" not in kinds[0].columns:
        return [_fill_net(mesh, plan, groups, values, {})]
    twists = [_has_torsion(group, values) for group in groups]
    if not any(twists):
        raise ModelError(f"{TWIST} in cables_from_mesh: must be left out, or not be None in all sections")
    own = [
        read_frame_columns(group.columns if has else {}, group.label)
        for group, has in zip(groups, twists, strict=True)
    ]  # fmt: skip
    normal, turned_from = eval_frames(mesh, plan, section, own)
    if all(twists):
        return [_fill_net(mesh, plan, groups, values, dict(zip(FRAME_COLUMNS, (normal, turned_from), strict=True)))]
    # two parts, each with the nodes and cables of its own types
    which = np.zeros(len(mesh.lines), bool)
    for group, has in zip(groups, twists, strict=True):
        which[group.lines] = has
    twisted = pick_lines(plan, which)
    kept = list_picked(plan, which)
    frames = {"normal": normal[kept], "turned_from": turned_from[kept]}
    other = {key: array for key, array in values.items() if key not in _list_twist_columns(kinds, plain)}
    return [
        _fill_net(mesh, twisted, [group for group, has in zip(groups, twists, strict=True) if has], values, frames),
        _fill_net(
            mesh, pick_lines(plan, ~which, twisted),
            [group for group, has in zip(groups, twists, strict=True) if not has], other, {},
        ),
    ]  # fmt: skip


def _fill_net(
    mesh: FileMesh, plan: NodePlan, groups: list[MeshSection], values: Mapping[str, FloatArray],
    frames: Mapping[str, FloatArray],
) -> Net:  # fmt: skip
    """Return a net with the lines of the sections ``groups`` and the nodes ``plan``; ``frames`` contains further
    columns of the nodes."""
    cables = [_plan_cables(plan, group.lines, values) for group in groups]
    first_row, count, before = np.zeros(len(mesh.lines), np.int64), np.zeros(len(mesh.lines), np.int64), 0
    for group, planned in zip(groups, cables, strict=True):
        count[group.lines] = own = plan.parts[group.lines]
        first_row[group.lines] = before + np.cumsum(own) - own
        before += len(planned.node0)
    node_sets, slope_sets = create_node_sets(mesh, plan)
    outline = Outline(
        nodes=len(plan.row),
        sections=[
            (None if group.given is None else group.label, group.label, len(planned.node0))
            for group, planned in zip(groups, cables, strict=True)
        ],
        order=np.argsort(plan.row).astype(np.int32),
        point=plan.point[plan.point >= 0].astype(np.int32),
        first_inner=plan.first_inner,
        cable_sets={key: list_ranges(first_row[lines], count[lines]) for key, lines in mesh.line_sets.items()},
        node_sets=node_sets,
        slope_sets=slope_sets,
        notes=tuple(mesh.notes),
    )
    return Net(outline, create_nodes(plan, frames), cables)


def _add_net(
    world: Tables, given: Given, kinds: Kinds, sections: Mapping[str, Columns], common: Columns, name: str, first: int
) -> CableMesh:
    """Add the nodes and cables of this process to the world. The argument ``given`` contains their data, and ``first``
    is the number of the first node of the whole net.
    """
    outline = given.net.outline
    nodes = add_nodes(world, kinds[0], given, name, first)
    kind = kinds[1]
    frame_columns = FRAME_COLUMNS if "normal" in kinds[0].columns else ()
    added = []
    for (key, label, count), part, cables in zip(outline.sections, given.cable_parts, given.net.cables, strict=True):
        columns = {**common, **(sections[key] if key is not None else {})}
        if "slow" in kind.refs:
            slow = read_slow_strains(columns.pop(SLOW_STRAIN, 0.0), count, label)
        columns = pick_rows(part, kind, {key: columns[key] for key in columns if key not in frame_columns})
        columns |= cables.columns
        if "slow" in kind.refs:
            columns["slow"] = add_slow_strains(world, part, slow, label)
        if columns.get("length") is None:
            columns["length"] = cables.length
        ends = {"node0": nodes[cables.node0], "node1": nodes[cables.node1]}
        added.append(world.add(kind, name=label, part=part, **ends, **columns))
    every = Entity(added[0].table, np.concatenate([entity.rows for entity in added]))
    return CableMesh(
        all_cables=every,
        all_nodes=nodes,
        cables=NamedSets("cables", {key: every[rows] for key, rows in outline.cable_sets.items() if len(rows)}),
        nodes=NamedSets("nodes", {key: nodes[rows] for key, rows in outline.node_sets.items() if len(rows)}),
        slope_nodes=NamedSets("nodes", {key: nodes[rows] for key, rows in outline.slope_sets.items() if len(rows)}),
        notes=outline.notes,
    )


class MeshSection(NamedTuple):
    """Lines with the same columns.

    label: name of the section in messages.
    columns: columns of the cables.
    given: columns that the argument ``sections`` contains for the group; None for lines without section.
    lines: indices of the lines, shape (n,).
    """

    label: str
    columns: Columns
    given: Columns | None
    lines: IntArray


def _assign_sections(
    mesh: FileMesh,
    sections: Mapping[str, Columns] | None,
    common: Columns,
    kinds: tuple[type[Component], type[Component]],
    values: Mapping[str, FloatArray],
    name: str,
) -> list[MeshSection]:
    """Return the sections with their lines. Each line is in exactly one section. ``values`` contains the columns that
    are read from the cells of the file, and ``kinds`` the types of the cables without and with torsion.
    """

    def find_kind(columns: Columns) -> type[Component]:
        return kinds[TWIST in values or columns.get(TWIST) is not None]

    def list_required(columns: Columns) -> list[str]:
        own = find_kind(columns)
        law = law_of(own)
        filled = ("length", *values, *(law.fills if law is not None else ()))
        return [key for key, col in own.columns.items() if col.default is REQUIRED and key not in filled]

    owner = np.full(len(mesh.lines), -1, np.int64)
    found: list[MeshSection] = []
    for group, columns in (sections or {}).items():
        if group not in mesh.line_sets:
            raise mesh.error(f"sections has {group!r}, which is no group of lines: {mesh.groups()}")
        lines = mesh.line_sets[group]
        for line in lines[owner[lines] >= 0][:1]:
            other = found[owner[line]].label
            raise mesh.error(f"line {line} is in the sections {other!r} and {group!r}: must be in one")
        owner[lines] = len(found)
        found.append(MeshSection(group, {**common, **columns}, columns, lines))
    rest = np.flatnonzero(owner < 0)
    if len(rest):
        found.append(MeshSection(name, common, None, rest))
    for part in found:
        required = list_required(part.columns)
        missing = [key for key in required if part.columns.get(key) is None]
        if missing and part.given is None and sections:
            line = rest[0]
            groups = ", ".join(repr(key) for key, lines in sorted(mesh.line_sets.items()) if line in lines)
            raise mesh.error(
                f"{len(rest)} lines are in no section, e.g. line {line} from {mesh.place(mesh.lines[line, 0])} to "
                f"{mesh.place(mesh.lines[line, 1])} (groups: {groups}): each line must be in a section, or arguments "
                f"for all lines must give {', '.join(required)}; {mesh.groups()}"
            )
        kind, names = find_kind(part.columns), {*values, *_leave_out_none(part.columns)}
        law = find_kinds(mesh.points.shape[1], names)[1]
        if law is not kind:
            raise ModelError(
                f"section {part.label!r} of cables_from_mesh has the columns of {law.__name__}, other sections have "
                f"those of {kind.__name__}: must have the same law of the tension"
            )
        if missing:
            raise ModelError(f"cables_from_mesh: section {part.label!r} needs {', '.join(missing)}")
    return found


def _same_as(sections: list[MeshSection], number: int) -> int:
    """Return the index of the first section whose columns are the same Python object as the columns of the section with
    the index ``number``.
    """
    given = sections[number].given
    return next(k for k, other in enumerate(sections) if other.given is given)


def _plan_cables(plan: NodePlan, lines: IntArray, values: Mapping[str, FloatArray]) -> NetCables:
    """Return the cables of the lines with the indices ``lines``, line by line."""
    node0, node1, length = list_cable_nodes(plan, lines)
    of_cables = np.repeat(lines, plan.parts[lines])
    columns = {name: array[of_cables] for name, array in values.items()}
    return NetCables(plan.row[node0], plan.row[node1], length, columns)
