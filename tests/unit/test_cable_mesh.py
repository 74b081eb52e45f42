"""Tests of nets from mesh files: formats, groups, slopes at common points of lines, subdivision, sections, sets,
order.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.elements import CableMesh, PointSlope2D, cables_from_mesh, straight_cable
from windlass.elements.mesh.mesh_file import read_mesh
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.state import State

from support.cables import residual, shake
from support.lattice import write_lattice
from support.meshes import write_lines

REFERENCE = Path(__file__).parents[1] / "reference" / "meshes"
SECTION: dict[str, Any] = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 0.5}
Y_POINTS = [(0.0, 0.0), (0.0, -1.0), (-0.6, 0.8), (0.6, 0.8)]
Y_LINES = [(0, 1), (2, 0), (0, 3)]


def build(path: Path, **arguments: Any) -> tuple[World, CableMesh]:
    """Build a net in a separate world and finalize the world."""
    world = World()
    net = cables_from_mesh(world, path, **{**SECTION, **arguments})
    world.finalize()
    return world, net


def count_own_positions(net: CableMesh) -> int:
    return int((net.all_nodes.table.collect("shares_position") < 0).sum())


# files


@pytest.mark.parametrize("name", ["22", "22_binary", "41", "41_binary"])
def test_files_of_gmsh(name: str) -> None:
    """Versions 2.2 and 4.1 of gmsh's format give equal groups, although version 2.2 stores a line once for each of its
    groups.
    """
    path = REFERENCE / f"tied_arch_{name}.msh"
    mesh = read_mesh(path)
    assert len(mesh.lines) == 13
    counts = {group: len(lines) for group, lines in mesh.line_sets.items()}
    assert counts == {"arch": 8, "deck": 4, "hanger": 1, "inner": 5}
    assert {group: points.tolist() for group, points in mesh.point_sets.items()} == {"supports": [0, 2], "top": [1]}
    _, net = build(path)
    assert len(net.all_cables) == 13
    assert_array_equal(net.cables["deck"].ids, np.intersect1d(net.cables["deck"].ids, net.cables["inner"].ids))
    assert_allclose(np.sort(net.nodes["supports"].position[:, 0]), [-4.0, 4.0], atol=1e-9)
    assert_allclose(net.nodes["top"].position, [0.0, 2.0], atol=1e-9)


@pytest.mark.parametrize("ending", [".msh", ".vtu", ".xdmf"])
def test_formats_say_the_same(ending: str, tmp_path: Path) -> None:
    """The worlds from files of all formats are equal, even with overlapping groups."""
    groups = {"legs": [0, 2], "all_lines": [0, 1, 2], "left": [1]}
    path = write_lines(tmp_path / f"y{ending}", Y_POINTS, Y_LINES, groups, {"knot": [0], "feet": [1, 2, 3]})
    _, net = build(path, scale=0.5)
    assert {name: len(cables) for name, cables in net.cables.items()} == {"all_lines": 3, "left": 1, "legs": 2}
    assert_allclose(net.all_cables.length, 0.5, rtol=1e-15)
    assert_allclose(net.nodes["feet"].position, 0.5 * np.array(Y_POINTS[1:]))
    assert len(net.nodes["knot"]) == 1
    assert len(net.slope_nodes["knot"]) == 3


def test_sets_that_meshio_writes_as_numbers(tmp_path: Path) -> None:
    """meshio writes all cell sets as one array. The name of the array consists of the names of the sets. For arrays of
    other numbers, cells with equal values form a set.
    """
    path = tmp_path / "y.vtu"
    mesh = meshio.Mesh(
        np.column_stack((Y_POINTS, np.zeros(4))),
        [("line", np.array(Y_LINES))],
        cell_data={"material": [np.array([7, 9, 9])], "id": [np.arange(3) + 1000], "force": [np.ones(3)]},
        cell_sets={"leg": [np.array([0])], "arms": [np.array([1, 2])]},
    )
    meshio.write(path, mesh)
    sets = read_mesh(path).line_sets
    assert_array_equal(sets["leg"], [0])
    assert_array_equal(sets["arms"], [1, 2])
    assert_array_equal(sets["material=9"], [1, 2])
    assert "force" not in " ".join(sets)


def test_lines_of_second_order(tmp_path: Path) -> None:
    """A line of three nodes becomes two lines."""
    path = tmp_path / "arc.vtu"
    angle = np.array([0.0, 0.8, 0.4])
    points = np.column_stack((np.cos(angle), np.sin(angle), 0 * angle))
    meshio.write(path, meshio.Mesh(points, [("line3", np.array([[0, 1, 2]]))], cell_data={"arc": [np.array([1])]}))
    _, net = build(path)
    assert len(net.cables["arc"]) == 2
    assert len(net.all_nodes) == 3
    assert_allclose(net.all_nodes.position[1], points[2, :2])


# slopes


def test_two_lines_share_a_slope_where_they_are_smooth(tmp_path: Path) -> None:
    """If the angle between two lines is at most the corner angle, they share a slope halfway between their directions.

    Beyond the corner angle, each line has its own slope.
    """
    turn = 0.3
    points = [(0.0, 0.0), (1.0, 0.0), (1.0 + np.cos(turn), np.sin(turn))]
    path = write_lines(tmp_path / "bend.msh", points, [(0, 1), (1, 2)], {}, {"joint": [1]})
    _, net = build(path)
    assert len(net.all_nodes) == 3
    assert_allclose(net.slope_nodes["joint"].slope, [np.cos(turn / 2), np.sin(turn / 2)], rtol=1e-14)
    for arguments in ({"corner_angle": 0.29}, {"hinges": ["joint"]}, {"slopes": "separate"}):
        world, net = build(path, **arguments)
        assert len(net.all_nodes) == 4
        assert count_own_positions(net) == 3
        assert world.numbering.count == 3 * 2 + 4 * 2
        slopes = net.slope_nodes["joint"].slope
        assert_allclose(slopes[np.argsort(slopes[:, 1])], [(1.0, 0.0), (np.cos(turn), np.sin(turn))], atol=1e-15)


def test_lines_of_any_direction(tmp_path: Path) -> None:
    """Along a path, all cables run in the direction of the first line, and the geometry does not depend on the
    directions of lines in the file.
    """
    x = np.linspace(0.0, 1.0, 6)
    points = np.column_stack((x, 0.1 * x**2))
    lines = np.array([(0, 1), (2, 1), (2, 3), (4, 3), (5, 4)])
    path = write_lines(tmp_path / "mixed.msh", points, lines, {"rope": range(5)})
    world, net = build(path, cables_per_line=2)
    assert len(net.all_nodes) == 11
    assert (net.all_nodes.slope[:, 0] > 0.9).all()
    # after sorting, each cable begins at the end of the previous cable
    table = world.tables[PointSlope2D]
    begin, end = (table.collect("position")[net.cables["rope"].__getattr__(node)] for node in ("node0", "node1"))
    order = np.argsort(begin[:, 0])
    assert_array_equal(end[order[:-1]], begin[order[1:]])
    _, other = build(write_lines(tmp_path / "turned.msh", points, lines[:, ::-1]))
    assert (other.all_nodes.slope[:, 0] < -0.9).all()


def test_ring(tmp_path: Path) -> None:
    """A closed path of lines with mixed directions has one node per point and the length of a circle."""
    n = 24
    angle = 2 * np.pi * np.arange(n) / n
    lines = np.column_stack((np.arange(n), (np.arange(n) + 1) % n))
    lines[::3] = lines[::3, ::-1]
    path = write_lines(tmp_path / "ring.vtu", np.column_stack((np.cos(angle), np.sin(angle))), lines)
    _, net = build(path, cables_per_line=3)
    assert len(net.all_nodes) == 3 * n
    # a cubic with the tangents of the circle at its ends is shorter than its arc h = 2π/24 by the fraction h^4/720
    assert_allclose(net.all_cables.length.sum(), 2 * np.pi, rtol=1e-5)
    assert_allclose(np.linalg.norm(net.all_nodes.position, axis=1), 1.0, rtol=1e-5)


def test_branching(tmp_path: Path) -> None:
    """Three lines that meet at a point share its position and have separate slopes. With "through", the two nearly
    collinear lines share a slope.
    """
    points = [(0.0, 0.0), (-1.0, 0.0), (1.0, 0.05), (0.0, -1.0)]
    path = write_lines(tmp_path / "t.msh", points, [(1, 0), (0, 2), (3, 0)], {}, {"knot": [0]})
    world, net = build(path)
    assert world.numbering.count == 4 * 2 + 6 * 2
    dofs = world.dofs_of(net.slope_nodes["knot"])
    assert len(np.unique(dofs[:, :2])) == 2
    assert len(np.unique(dofs[:, 2:])) == 6
    ends = world.dofs_of(net.all_cables)
    assert_array_equal(ends[0, 4:6], ends[1, :2])
    assert_array_equal(ends[0, 4:6], ends[2, 4:6])
    world, net = build(path, slopes="through")
    assert world.numbering.count == 4 * 2 + 5 * 2
    ends = world.dofs_of(net.all_cables)
    assert_array_equal(ends[0, 4:], ends[1, :4])
    assert len(net.slope_nodes["knot"]) == 2


def test_crossings_of_a_lattice(tmp_path: Path) -> None:
    """A lattice of n x n meshes has 2 (n + 1) n lines. With "through", every crossing has one slope per row and one per
    column.
    """
    n = 4
    path = write_lattice(tmp_path / "lattice.msh", n)
    world, net = build(path)
    lines, crossings = 2 * n * (n + 1), (n + 1) ** 2
    assert len(net.all_cables) == lines
    # at the edge, two straight lines meet a third line at a point; at corners, two lines meet at a right angle
    assert world.numbering.count == 2 * crossings + 2 * 2 * lines
    world, net = build(path, slopes="through")
    assert world.numbering.count == 2 * crossings + 2 * 2 * crossings
    # each line has 4 straight cables of equal length
    world, net = build(path, slopes="through", cables_per_line=4)
    assert_allclose(net.all_cables.length, 1 / 16, rtol=1e-13)
    assert world.numbering.count == 2 * 3 * crossings + 4 * 3 * lines


def test_sections_that_differ_do_not_share_slopes(tmp_path: Path) -> None:
    """Lines with different sections have separate slopes, because the stretch, which is the length of the slope, jumps
    with the stiffness.
    """
    path = write_lines(tmp_path / "rope.msh", [(0, 0), (1, 0), (2, 0)], [(0, 1), (1, 2)], {"a": [0], "b": [1]})
    stiff = {"axial_stiffness": 2e4}
    _, net = build(path, sections={"a": stiff, "b": {}})
    assert len(net.all_nodes) == 4
    assert_array_equal(net.cables["a"].axial_stiffness, 2e4)
    assert_array_equal(net.cables["b"].axial_stiffness, 1e4)
    _, net = build(path, sections={"a": stiff, "b": stiff})
    assert len(net.all_nodes) == 3


# tests of the subdivision of lines, and of the names and the order of cables


def test_a_chain_is_the_chain_of_straight_cable(tmp_path: Path) -> None:
    """A chain from a mesh has the coordinates of `straight_cable` in the same order, and all bits of its forces are
    equal to the forces of `straight_cable`.
    """
    n = 8
    x = np.arange(n + 1) / n
    lines = np.column_stack((np.arange(n), np.arange(1, n + 1)))
    path = write_lines(tmp_path / "chain.msh", np.column_stack((x, 0 * x)), lines)
    world, net = build(path)
    plain = World()
    cables = straight_cable(plain, (0, 0), (1, 0), n, **SECTION)
    plain.finalize()
    position = net.all_nodes.position[:, 0]
    assert_array_equal(np.abs(np.diff(position)), 1 / n)
    assert position[0] == 0.0
    assert_array_equal(world.dofs_of(net.all_cables), plain.dofs_of(cables))
    states = [shake(State(w)) for w in (world, plain)]
    assert_array_equal(residual(world, states[0]), residual(plain, states[1]))


def test_numbers_of_cables(tmp_path: Path) -> None:
    """Lines are divided until no cable is longer than the requested length, up to rounding."""
    points = [(0.0, 0.0), (0.3, 0.0), (1.3, 0.0), (1.3, 0.05)]
    path = write_lines(tmp_path / "l.msh", points, [(0, 1), (1, 2), (2, 3)], {"a": [0], "b": [1], "c": [2]})
    _, net = build(path, largest_length=0.1)
    assert [len(net.cables[name]) for name in "abc"] == [3, 10, 1]
    assert_allclose(net.cables["b"].length, 0.1, rtol=1e-13)
    _, net = build(path, largest_length=0.1, cables_per_line=4)
    assert [len(net.cables[name]) for name in "abc"] == [4, 10, 4]
    assert [len(net.nodes[name]) for name in "abc"] == [5, 11, 5]
    assert "cables 'b': 10" in net.describe()


def test_names_in_messages(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "y.msh", Y_POINTS, Y_LINES, {"leg": [0]}, {"knot": [0]})
    _, net = build(path, cables_per_line=2, name="star", sections={"leg": {}})
    names = [node.name for node in net.slope_nodes["knot"]]
    assert names[0] == "star point 0"
    assert names[1].startswith("star point 0 (slope of node ")
    assert {node.name for node in net.nodes["leg"]} == {"star point 0", "star point 1", "star line 0 node 1"}
    assert net.cables["leg"][1].name == "leg 1"
    assert net.all_cables[2].name == "star 0"


def test_neighbours_are_near_each_other(tmp_path: Path) -> None:
    """The bandwidth of a lattice corresponds to one row of the lattice, for any order of points in the file."""
    n, k = 12, 3
    path = write_lattice(tmp_path / "lattice.vtu", n)
    mesh = meshio.read(path)
    order = np.random.default_rng(0).permutation(len(mesh.points))
    place = np.argsort(order)
    shuffled = write_lines(tmp_path / "shuffled.vtu", mesh.points[order], place[mesh.cells[0].data])
    world, net = build(shuffled, cables_per_line=k)
    dofs = world.dofs_of(net.all_cables)
    row = 2 * (n + 1) * (2 + 4 + 4 + 2 * 4 * (k - 1))
    assert (dofs.max(axis=1) - dofs.min(axis=1)).max() < row
    assert world.numbering.count > 5 * row


def test_points_that_are_joined(tmp_path: Path) -> None:
    """The ends of two ropes with a small gap are joined if the gap is at most merge_distance. With None the ends are
    not joined.
    """
    points = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
    path = write_lines(tmp_path / "apart.msh", points, [(0, 1), (2, 3)], {}, {"middle": [1, 2]})
    _, net = build(path, merge_distance=1e-6)
    assert len(net.all_nodes) == 3
    assert len(net.nodes["middle"]) == 1
    assert net.notes == ("1 points were merged with other points within 1e-06 m",)
    _, net = build(path, merge_distance=None)
    assert len(net.all_nodes) == 4


def test_notes(tmp_path: Path) -> None:
    """Construction points and cells of other types are omitted, with a note."""
    path = tmp_path / "plate.vtu"
    points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.5, 0.0)])
    cells = [("line", np.array([(0, 1)])), ("triangle", np.array([(0, 1, 2)]))]
    meshio.write(path, meshio.Mesh(points, cells))
    _, net = build(path, unused_points="ignore")
    assert net.notes == ("left out: cells of other types (1 triangle)", "left out: 1 points that belong to no line")
    assert "1 triangle" in net.describe()
    assert len(net.all_nodes) == 2


def test_references_by_entity_number() -> None:
    """An array of entity numbers can refer to rows that are added in the same call. Wrong numbers cause errors."""
    world = World()
    first = world.count
    nodes = world.add(PointSlope2D, position=[(0, 0), (1, 0), (0, 0)], shares_position=np.array([-1, -1, first]))
    world.finalize()
    assert_array_equal(world.dofs_of(nodes)[2, :2], world.dofs_of(nodes)[0, :2])
    for number, message in [(7, "entity number 7 must be from -1 to 1"), (0, "entity 0 is a MassPoint")]:
        other = World()
        if number == 0:
            from windlass.elements import MassPoint

            other.add(MassPoint, position=(0.0, 0.0), mass=1.0)
            number = 1
        with pytest.raises(ModelError, match=message.replace("entity 0", "entity 1")):
            other.add(PointSlope2D, position=[(0, 0), (1, 0)], shares_position=np.array([-1, number]))
