"""Tests of nets of cables with torsion from mesh files: frames of nodes, branches, columns from cells of the file,
errors.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.connectors import (
    Force,
    SphericalJoint,
    Torque,
    WireFriction,
    fix,
    position_marker,
    prescribe,
    rigid_marker,
)
from windlass.elements import (
    CableMesh,
    PointSlopeTwist3D,
    TwistCable3D,
    cable_along,
    cables_from_mesh,
    helix,
    nodes_of,
    straight_cable,
)
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static

from support.cables import residual, shake
from support.meshes import write_lines

ROD: dict[str, Any] = {
    "axial_stiffness": 1e4, "bending_stiffness": (1.0, 0.4), "torsional_stiffness": 0.5, "mass_per_length": 0.5,
    "rotary_inertia": 1e-3,
}  # fmt: skip
ALL = PointSlopeTwist3D.dof_names
T_POINTS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (1.0, 0.0, -1.0)]
T_LINES = [(0, 1), (1, 2), (1, 3)]


def build(path: Path, **arguments: Any) -> tuple[World, CableMesh]:
    """Build a 3D net with torsion in a separate world and finalize the world."""
    world = World()
    net = cables_from_mesh(world, path, **{"in_space": True, **ROD, **arguments})
    world.finalize()
    return world, net


def write_chain(path: Path, points: Any, **more: Any) -> Path:
    n = len(points) - 1
    return write_lines(path, points, np.column_stack((np.arange(n), np.arange(1, n + 1))), **more)


def wind(n: int) -> Any:
    """Return n + 1 points on a turn of a helix with the radius 1 m and the pitch 2 m."""
    angle = 2.0 * np.pi * np.arange(n + 1) / n
    return np.column_stack((np.cos(angle), np.sin(angle), angle / np.pi))


# frames


def test_a_chain_is_the_chain_of_straight_cable(tmp_path: Path) -> None:
    """A chain from a mesh has the coordinates and forces of `straight_cable` with torsion."""
    n, given = 6, {"coupling": 20.0, "reference_twist": 0.1, "normal": (0.1, 0.2, 1.0)}
    for end in ((1.0, 0.0, 0.0), (0.6, -0.3, 0.8)):
        path = write_chain(tmp_path / "chain.msh", np.linspace(0.0, 1.0, n + 1)[:, None] * end)
        world, net = build(path, **given)
        plain = World()
        cables = straight_cable(plain, (0.0, 0.0, 0.0), end, n, **ROD, **given)
        plain.finalize()
        assert net.all_cables.kind == "TwistCable3D"
        assert_array_equal(world.dofs_of(net.all_cables), plain.dofs_of(cables))
        for name in ("slope", "normal", "turned_from"):
            mine, reference = getattr(net.all_nodes, name), getattr(nodes_of(plain, cables), name)
            assert_allclose(mine, reference, rtol=0, atol=1e-14, err_msg=name)
        states = [shake(State(w)) for w in (world, plain)]
        forces = [residual(w, state) for w, state in zip((world, plain), states, strict=True)]
        assert_allclose(forces[0], forces[1], rtol=0, atol=1e-12 * np.abs(forces[1]).max())


def solve_spring(world: World, cables: Any, first: int, last: int) -> Any:
    """Hold both cables outside of the nodes ``first`` and ``last``, load the node in the middle, and return the
    displacement [m] of this node and the torque [N m] of the cable that begins at the node ``first``.
    """
    nodes = nodes_of(world, cables)
    for k in (*range(first + 1), *range(last, len(nodes))):
        for name in ALL:
            prescribe(world, nodes[k], name, 0.0)
    middle = nodes[(first + last) // 2]
    world.add(Force, marker=position_marker(world, middle), vector=(0.05, 0.02, 0.1))
    state = Static(world, load_steps=4, rtol=1e-11, name="").solve()
    torque = eval_output(cables[first], "torque", state)
    return np.append(eval_output(middle, "displacement", state)[:3], torque)


def test_a_helix_is_the_helix_of_the_builder(tmp_path: Path) -> None:
    """The static solution of a helical rod from a mesh converges to the solution of `cable_along` with second order,
    because the slopes of a mesh are mean directions of two chords. The frames agree with the closed form: a frame
    without twist rotates by -∫ torsion ds relative to the normal of the curve.
    """
    rise = 1.0 / np.pi
    given = {**ROD, "strain_is_relative_to_reference": 1.0}
    errors = []
    for n in (16, 32):
        world = World()
        # the first and the last cable lie outside of the turn
        angle = 2.0 * np.pi * np.arange(-1, n + 2) / n
        points = np.column_stack((np.cos(angle), np.sin(angle), rise * angle))
        path = write_chain(tmp_path / f"helix{n}.vtu", points)
        net = cables_from_mesh(world, path, in_space=True, corner_angle=1.0, normal=(0.0, 0.0, 1.0), **given)
        frames = net.all_nodes.normal[1:-1]
        pitch = np.arctan(rise)
        normal = -np.column_stack((np.cos(angle), np.sin(angle), 0.0 * angle))[1:-1]
        along = np.column_stack((-np.sin(angle), np.cos(angle), rise + 0.0 * angle))[1:-1] * np.cos(pitch)
        across = np.cross(along, normal)
        turn = np.unwrap(np.arctan2((frames * across).sum(axis=1), (frames * normal).sum(axis=1)))
        expected = turn[0] - np.sin(pitch) * 2.0 * np.pi * np.arange(n + 1) / n
        assert_allclose(turn, expected, rtol=0, atol=6.0 / n**2)
        found = solve_spring(world, net.all_cables, 1, n + 1)
        plain = World()
        route = helix((0, 0, 0), (0, 0, 1), 1.0, 1.0, pitch=2.0, start=(1.0, 0.0, 0.0))
        rods = cable_along(plain, route, n, normal=frames[0], **given)
        exact = solve_spring(plain, rods, 0, n)
        errors.append(np.abs(found - exact).max() / np.abs(exact[:3]).max())
    assert errors[1] < 5e-4
    assert errors[0] / errors[1] > 3.5


def test_directions_of_lines_do_not_change_the_frames(tmp_path: Path) -> None:
    """The normal of a path is moved in the direction of its first line, over lines of any direction in the file."""
    n = 12
    points, lines = wind(n), np.column_stack((np.arange(n), np.arange(1, n + 1)))
    mixed = lines.copy()
    mixed[3::2] = mixed[3::2, ::-1]
    both = [
        build(write_lines(tmp_path / f"{k}.msh", points, given), cables_per_line=2, normal=(0.2, 0.0, 1.0))[1]
        for k, given in enumerate((lines, mixed))
    ]
    assert len(both[0].all_nodes) == 2 * n + 1
    for name in ("position", "slope", "normal", "turned_from"):
        one, other = (getattr(net.all_nodes, name) for net in both)
        order = [np.lexsort(net.all_nodes.position.round(9).T) for net in both]
        assert_allclose(one[order[0]], other[order[1]], rtol=0, atol=1e-14, err_msg=name)


def test_loops(tmp_path: Path) -> None:
    """A 3D loop has no torque in its reference configuration, although its frames do not close."""
    n = 16
    angle = 2.0 * np.pi * np.arange(n) / n
    points = np.column_stack((np.cos(angle), np.sin(angle), 0.4 * np.cos(2.0 * angle)))
    lines = np.column_stack((np.arange(n), (np.arange(n) + 1) % n))
    world, net = build(write_lines(tmp_path / "ring.vtu", points, lines), corner_angle=1.0)
    assert len(net.all_nodes) == n
    first, last = net.all_nodes.normal[0], net.all_nodes.normal[-1]
    assert np.linalg.norm(first - last) > 0.1
    assert_allclose(eval_output(net.all_cables, "torque", State(world)), 0.0, atol=1e-12)


# branches


def test_branches(tmp_path: Path) -> None:
    """At a branch, the two lines of a continuous rod share slope and twist, so the torques on both sides are equal. The
    third line shares only the position. Its end can rotate about its axis, so its torque is 0.
    """
    groups, marks = {"rod": [0, 1], "side": [2]}, {"left": [0], "right": [2], "low": [3], "knot": [1]}
    path = write_lines(tmp_path / "t.vtu", T_POINTS, T_LINES, groups, marks)
    world = World()
    net = cables_from_mesh(world, path, in_space=True, slopes="through", cables_per_line=2, **ROD)
    for name in ("left", "right", "low"):
        for dof in ALL[:6] if name == "right" else ALL:
            fix(world, net.slope_nodes[name], dof)
    turned = prescribe(world, net.nodes["right"], "twist", 0.8)
    fix(world, net.nodes["knot"], "x", "y", "z")
    state = Static(world, rtol=1e-12, name="").solve()
    dofs = world.dofs_of(net.slope_nodes["knot"])
    assert len(dofs) == 2
    assert_array_equal(dofs[0, :3], dofs[1, :3])
    assert len(np.unique(dofs[:, 3:])) == 8
    torque = 0.5 * 0.8 / 2.0
    assert_allclose(eval_output(net.cables["rod"], "torque", state), torque, rtol=1e-9)
    assert_allclose(eval_output(net.cables["side"], "torque", state), 0.0, atol=1e-12)
    assert_allclose(np.abs(eval_output(turned, "force", state)), torque, rtol=1e-9)


def test_hinges_transmit_no_torque(tmp_path: Path) -> None:
    """Two lines with separate slopes have separate angles of twist."""
    path = write_chain(tmp_path / "two.msh", T_POINTS[:3])
    world, net = build(path, slopes="separate")
    assert world.numbering.count == 3 * 3 + 4 * 4
    assert (net.all_nodes.shares_position >= 0).sum() == 1


def test_shared_positions_of_nodes() -> None:
    """A node takes the position of the node in ``shares_position``; other positions are refused."""
    world = World()
    first = world.add(PointSlopeTwist3D, position=(1.0, 2.0, 3.0))
    other = world.add(PointSlopeTwist3D, shares_position=first, slope=(0.0, 1.0, 0.0))
    third = world.add(PointSlopeTwist3D, position=(0.0, 2.0, 3.0))
    world.add(TwistCable3D, node0=third, node1=first, length=1.0, **ROD)
    assert_array_equal(other.position, first.position)
    world.finalize()
    assert_array_equal(world.dofs_of(other)[0, :3], world.dofs_of(first)[0, :3])
    assert world.numbering.count == 7 + 7 + 4
    cases: list[tuple[dict[str, Any], str]] = [
        ({"position": (0.0, 0.0, 1.0)}, r"position = .* row 1: must be the shared position"),
        ({"velocity": (1.0, 0, 0, 0, 0, 0, 0)}, "displacement, velocity of x, y, z = .* row 1: must be 0"),
    ]
    for columns, message in cases:
        wrong = World()
        owner = wrong.add(PointSlopeTwist3D, position=(1.0, 2.0, 3.0))
        wrong.add(PointSlopeTwist3D, shares_position=owner, **columns)
        with pytest.raises(ModelError, match=message):
            wrong.finalize()


def test_normals_of_sections(tmp_path: Path) -> None:
    """Each section has its own normal, and lines without normal have the default."""
    path = write_lines(tmp_path / "t.vtu", T_POINTS, T_LINES, {"rod": [0, 1], "side": [2]})
    sections = {"rod": {"normal": (0.0, 1.0, 1.0), "turned_from": (0.0, 0.0, 2.0)}, "side": {}}
    _, net = build(path, sections=sections)
    rod, side = net.slope_nodes["rod"], net.cables["side"]
    of_rod = rod.slope[:, 0] > 0.9
    assert_allclose(rod.normal[of_rod], np.tile((0.0, 1.0, 1.0), (of_rod.sum(), 1)))
    assert_allclose(rod.turned_from[of_rod], np.tile((0.0, 0.0, 2.0), (of_rod.sum(), 1)))
    table = net.all_nodes.table
    assert_allclose(table.collect("normal", np.array([side.node1])), [(0.0, 1.0, 0.0)], atol=1e-15)


# tests of columns whose values are read from the cells of a file


def write_cells(path: Path, **cell_data: Any) -> Path:
    """Write a chain of three lines along x with arrays on its cells."""
    points = np.column_stack((np.arange(4.0), np.zeros((4, 2))))
    cells: list[Any] = [("line", np.array([(0, 1), (1, 2), (2, 3)]))]
    data = {name: [np.asarray(values)] for name, values in cell_data.items()}
    if path.suffix == ".vtu":
        # values of cells of other types are not read
        cells.insert(0, ("vertex", np.array([[0]])))
        data = {name: [np.full((1, *np.shape(values[0])[1:]), np.nan), *values] for name, values in data.items()}
    elif path.suffix == ".msh":
        data = {name: values for name, values in data.items() if np.ndim(values[0]) == 1}
    mesh = meshio.Mesh(points, cells, cell_data=data)
    if path.suffix == ".msh":
        meshio.gmsh.write(path, mesh, fmt_version="2.2")
    else:
        meshio.write(path, mesh)
    return path


@pytest.mark.parametrize("ending", [".vtu", ".xdmf", ".msh"])
def test_columns_from_cells(ending: str, tmp_path: Path) -> None:
    """All cables of a line have the values of the cell of this line. The twist and the torque of the rod correspond to
    these values.
    """
    GJ, EI_1, EI_2, free = (np.array(values) for values in ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [1.0, 2.0, 2.5],
                                                           [0.1, 0.0, -0.3]))  # fmt: skip
    path = write_cells(tmp_path / f"rod{ending}", GJ=GJ, EI_1=EI_1, EI_2=EI_2, tau=free, both=np.stack((EI_1, EI_2), 1))
    common = {key: ROD[key] for key in ("axial_stiffness", "mass_per_length", "rotary_inertia")}
    columns: dict[str, Any] = {"torsional_stiffness": "GJ", "bending_stiffness": ["EI_1", "EI_2"]}
    world = World()
    given = {"in_space": True, "cables_per_line": 2, "cell_columns": columns | {"reference_twist": "tau"}, **common}
    net = cables_from_mesh(world, path, **given)
    assert_array_equal(net.all_cables.torsional_stiffness, np.repeat(GJ, 2))
    assert_array_equal(net.all_cables.bending_stiffness, np.repeat(np.stack((EI_1, EI_2), axis=1), 2, axis=0))
    assert_array_equal(net.all_cables.reference_twist, np.repeat(free, 2))
    nodes = nodes_of(world, net.all_cables)
    for node in (nodes[0], nodes[-1]):
        fix(world, node, *ALL)
    state = Static(world, rtol=1e-12, name="").solve()
    # the ends cannot turn, so the sum of the twists of all cables vanishes: Σ (M/GJ + τ0) L = 0
    torque = -free.sum() / (1.0 / GJ).sum()
    assert_allclose(eval_output(net.all_cables, "torque", state), torque, rtol=1e-9)
    if ending != ".msh":  # .msh files cannot contain arrays with two components
        given = {"in_space": True, "cell_columns": columns | {"bending_stiffness": "both"}, **common}
        same = cables_from_mesh(World(), path, **given)
        assert_array_equal(same.all_cables.bending_stiffness, net.all_cables.bending_stiffness[::2])
    wide = World()
    given = {"in_space": True, "cables_per_line": 2, **common}
    given["cell_columns"] = columns | {"bending_stiffness": "EI_1"}
    assert_array_equal(cables_from_mesh(wide, path, **given).all_cables.bending_stiffness[::2], EI_1[:, None] * (1, 1))


def test_columns_from_cells_of_other_cables(tmp_path: Path) -> None:
    """Columns of 2D cables are also read from cells. Both parts of a line of second order have the value of this
    line.
    """
    path = tmp_path / "arc.vtu"
    points = np.array([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (1.0, 0.1, 0.0), (3.0, 0.0, 0.0)])
    cells = [("line3", np.array([[0, 1, 2]])), ("line", np.array([[1, 3]]))]
    meshio.write(path, meshio.Mesh(points, cells, cell_data={"EA": [np.array([5.0]), np.array([7.0])]}))
    world = World()
    given = {"bending_stiffness": 1.0, "mass_per_length": 0.5}
    net = cables_from_mesh(world, path, cell_columns={"axial_stiffness": "EA"}, **given)
    assert net.all_cables.kind == "Cable2D"
    assert_array_equal(net.all_cables.axial_stiffness, [5.0, 5.0, 7.0])


def test_copies_of_lines_have_the_value_of_the_first_copy(tmp_path: Path) -> None:
    """A line of gmsh 2.2 in two physical groups is one line with one value."""
    points = np.column_stack((np.arange(3.0), np.zeros((3, 2))))
    lines = np.array([(0, 1), (0, 1), (1, 2)])
    tags = [np.array([1, 2, 2])]
    mesh = meshio.Mesh(
        points,
        [("line", lines)],
        cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags, "GJ": [np.array([2.0, 2.0, 3.0])]},
        field_data={"a": np.array([1, 1]), "b": np.array([2, 1])},
    )
    meshio.gmsh.write(tmp_path / "copies.msh", mesh, fmt_version="2.2", binary=False)
    common = {key: value for key, value in ROD.items() if key != "torsional_stiffness"}
    net = cables_from_mesh(
        World(), tmp_path / "copies.msh", in_space=True, cell_columns={"torsional_stiffness": "GJ"}, **common
    )
    assert_array_equal(net.all_cables.torsional_stiffness, [2.0, 3.0])


# errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"in_space": False}, "torsional_stiffness in cables_from_mesh: must not be given for 2D cables, or give in_"),
        ({"normal": (1.0, 0.0)}, r"normal = \(1.0, 0.0\) of section 'net' in .*: must be three finite numbers"),
        ({"turned_from": (1.0, 0.0, np.nan)}, "turned_from = .* of section 'net' in .*: must be three finite numbers"),
        ({"normal": (-2.0, 0.0, 0.0)}, r"normal = \[-2.0, 0.0, 0.0\] is parallel to the cable at point 0 at \(0, 0"),
        ({"turned_from": (-1.0, 0.0, 0.0)}, "slope = .*: the angle to turned_from = .* must be less than 165°"),
        ({"cell_columns": {"stiffness": "GJ"}}, "cell_columns has 'stiffness' in .*: must be one of the columns of Tw"),
        ({"cell_columns": {"length": "GJ"}}, "cell_columns has 'length' in cables_from_mesh: must be one of"),
        ({"cell_columns": {"coupling": "C"}}, r"names the array 'C': .* \(arrays: 'GJ', 'bad', 'three'\)"),
        ({"cell_columns": {"coupling": "three"}}, "the arrays of .*'coupling'.* have 3 components: must have 1"),
        ({"cell_columns": {"coupling": ["GJ", "GJ"]}}, "the arrays of .*'coupling'.* have 2 components: must have 1"),
        ({"cell_columns": {"coupling": "bad"}}, r"bad = nan of line 1 \(cell_columns\['coupling'\]\): must be finite"),
        ({"cell_columns": {"coupling": 3.0}}, r"cell_columns\['coupling'\] = 3.0 in .*: must be the name of an array"),
        ({"cell_columns": {"axial_stiffness": "GJ"}}, "cell_columns and a section both give axial_stiffness"),
        ({"cell_columns": ["GJ"]}, "cell_columns = .* in cables_from_mesh: must be names of arrays by the name of a"),
        ({"cell_columns": {"coupling": "GJ"}, "torsional_stiffness": 1e-9}, "must have coupling² < axial_stiffness"),
    ],
)  # fmt: skip
def test_arguments(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    three = np.ones((3, 3))
    path = write_cells(tmp_path / "rod.vtu", GJ=np.ones(3), bad=np.array([1.0, np.nan, 2.0]), three=three)
    world = World()
    with pytest.raises(ModelError, match=message):
        cables_from_mesh(world, path, **{"in_space": True, **ROD, **arguments})
        world.finalize()


PLAIN: dict[str, Any] = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 0.5}


def test_sections_with_and_without_torsion(tmp_path: Path) -> None:
    """In a net in which only some sections have torsion, the other sections have `Cable3D` and nodes without twist.
    The sections with and without torsion share only the positions of their common points.

    A torque turns the section with torsion by the same angles as the same section alone, and the static solution of the
    whole net equals the solution of two separate nets that are joined by spherical joints.
    """
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (1.0, 0.0, -1.0), (1.0, 1.0, 0.0)]
    lines, groups = [(0, 1), (1, 2), (3, 1), (1, 4)], {"rod": [0, 1], "side": [2], "other": [3]}
    ends = {"ends": [0, 2], "feet": [3, 4], "joint": [1]}
    path = write_lines(tmp_path / "t.vtu", points, lines, groups, ends)
    sections = {"rod": {"torsional_stiffness": 0.5, "bending_stiffness": (1.0, 0.4)}, "side": {}, "other": {}}
    common = {**PLAIN, "rotary_inertia": 1e-3, "normal": (0.0, 0.0, 1.0), "in_space": True, "cables_per_line": 3}
    found = []
    for apart in (False, True):
        world = World()
        if apart:
            rods = cables_from_mesh(
                world,
                write_lines(tmp_path / "r.vtu", points[:3], lines[:2], {}, {"ends": [0, 2], "joint": [1]}),
                **{**common, **sections["rod"]},
            )
            plain = {key: common[key] for key in (*PLAIN, "in_space", "cables_per_line")}
            others = cables_from_mesh(
                world,
                write_lines(tmp_path / "s.vtu", points[1:2] + points[3:], [(1, 0), (0, 2)], {}, {"feet": [1, 2]}),
                slopes="separate",
                **plain,
            )
            at = next(node for node in others.all_nodes if np.allclose(node.position, points[1]))
            markers = [position_marker(world, node) for node in (rods.nodes["joint"], at)]
            world.add(SphericalJoint, marker0=markers[0], marker1=markers[1])
        else:
            net = cables_from_mesh(world, path, sections=sections, slopes="through", **common)
            assert net.with_torsion is not None
            rods, others = net.with_torsion, net
            assert rods.all_cables.kind == "TwistCable3D" and others.all_cables.kind == "Cable3D"
            assert len(rods.all_cables) == 6 and len(others.all_cables) == 6
            assert {name: len(given) for name, given in rods.cables.items()} == {"rod": 6}
            assert {name: len(given) for name, given in others.cables.items()} == {"other": 3, "side": 3}
            # the position of the common point belongs to the node with torsion
            assert len(rods.nodes["joint"]) == 1 and "joint" not in others.nodes
            assert len(others.slope_nodes["joint"]) == 2 and "with torsion: 6 cables, 7 nodes" in net.describe()
        for node in rods.nodes["ends"]:
            fix(world, node, "x", "y", "z")
        fix(world, rods.nodes["ends"][0], "twist")
        for node in others.nodes["feet"]:
            fix(world, node, "x", "y", "z")
        tip = next(node for node in rods.nodes["ends"] if node.position[0] == 2.0)
        world.add(Torque, marker=rigid_marker(world, tip), vector=(0.2, 0.0, 0.0))
        world.add(Force, marker=position_marker(world, rods.nodes["joint"]), vector=(0.0, 3.0, -5.0))
        state = Static(world, load_steps=4, rtol=1e-11, name="").solve()
        if not apart:
            first = world.dofs_of(rods.nodes["joint"])[0, :3]
            assert (world.dofs_of(others.slope_nodes["joint"])[:, :3] == first).all()
        order = np.lexsort(rods.all_nodes.position.round(9).T)
        found.append(eval_output(rods.all_nodes, "displacement", state)[order])
        assert_allclose(eval_output(rods.all_cables, "torque", state), 0.2, rtol=1e-4)
    assert abs(found[0]).max() > 1e-4
    assert_allclose(found[0], found[1], atol=1e-8)


def test_sections_that_need_more_columns(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "t.vtu", T_POINTS, T_LINES, {"rod": [0, 1], "side": [2]})
    for side, message in (
        (
            {"torsional_stiffness": 0.5, "axial_stiffness": 1.0},
            "section 'side' needs mass_per_length, rotary_inertia, bending_stiffness$",
        ),
        ({"axial_stiffness": 1.0}, "section 'side' needs mass_per_length, bending_stiffness$"),
    ):
        with pytest.raises(ModelError, match=message):
            cables_from_mesh(World(), path, in_space=True, sections={"rod": ROD, "side": side})


def test_sections_with_none(tmp_path: Path) -> None:
    """Sections whose ``torsional_stiffness`` is None have no torsion, also if a value for all lines is given."""
    path = write_lines(tmp_path / "t.vtu", T_POINTS, T_LINES, {"rod": [0, 1], "side": [2]})
    off = {"torsional_stiffness": None, "bending_stiffness": 1.0}
    _, net = build(path, sections={"side": off})
    assert net.with_torsion is not None
    assert net.all_cables.kind == "Cable3D" and list(net.cables) == ["side"]
    assert net.with_torsion.all_cables.kind == "TwistCable3D" and list(net.with_torsion.cables) == ["rod"]
    plain = cables_from_mesh(World(), path, in_space=True, sections={"rod": off}, **PLAIN)
    assert plain.with_torsion is None and plain.all_cables.kind == "Cable3D" and len(plain.all_cables) == 3
    with pytest.raises(ModelError, match="torsional_stiffness in cables_from_mesh: must be left out, or not be None"):
        build(path, sections={"rod": off, "side": off})


# laws of the tension

TABLE = {"tension_table": [(-0.1, -500.0), (0.0, 0.0), (0.02, 300.0), (0.05, 1000.0)]}
FIBRE = {"slow_stiffness": 4e3, "slow_damping": 2e3, "stiffening": 5.0}
WORKING = {
    "slow_damping": 2e3, "stiffening": 5.0, "largest_load": 100.0, "working_strains": (0.0, 0.01, 0.04, 0.1),
    "working_tensions": (0.0, 20.0, 100.0, 300.0),
}  # fmt: skip
LAWS: dict[str, dict[str, Any]] = {"Table": TABLE, "Fibre": {**FIBRE, "slow_strain": 0.01}, "Working": WORKING}


@pytest.mark.parametrize("torsion", [True, False])
@pytest.mark.parametrize("law", LAWS)
def test_laws_of_the_tension(law: str, torsion: bool, tmp_path: Path) -> None:
    """A chain from a mesh with a table, a fibre rope or working curves has the coordinates, forces and motion of the
    chain of `straight_cable`, with and without torsion.
    """
    n, end = 5, np.array((0.6, -0.3, 0.8))
    given = {**ROD, **LAWS[law]}
    if not torsion:
        given = {**given, "torsional_stiffness": None, "bending_stiffness": 1.0}
        given.pop("rotary_inertia")
    path = write_chain(tmp_path / "chain.vtu", np.linspace(0.0, 1.0, n + 1)[:, None] * end)
    if law == "Fibre":
        given["slow_strain"] = np.linspace(0.005, 0.01, n)
    found = []
    for name in ("mesh", "route"):
        world = World(gravity=(0.0, 0.0, -9.81))
        if name == "mesh":
            cables = cables_from_mesh(world, path, in_space=True, **given).all_cables
        else:
            columns = {key: value for key, value in given.items() if value is not None}
            cables = straight_cable(world, (0.0, 0.0, 0.0), end, n, **columns)
        assert cables.kind == f"{'Twist' if torsion else ''}{law}Cable3D"
        nodes = nodes_of(world, cables)
        fix(world, nodes[0], *ALL[: 7 if torsion else 6])
        world.add(Force, marker=position_marker(world, nodes[n]), vector=100.0 * end)
        state = Dynamic(world, step=1e-3, end=0.02, name="").solve()
        found.append([state.q, eval_output(cables, "axial_force", state)])
        if law != "Table":
            found[-1].append(eval_output(cables, "slow_strain", state))
    for mine, theirs in zip(*found, strict=True):
        assert_allclose(mine, theirs, rtol=1e-9, atol=1e-10 * np.abs(theirs).max())


def test_laws_of_sections_with_and_without_torsion(tmp_path: Path) -> None:
    """Sections with and without torsion have the same law with different columns. Friction of wires acts on cables of a
    net with torsion.
    """
    path = write_lines(tmp_path / "t.vtu", T_POINTS, T_LINES, {"rod": [0, 1], "side": [2]})
    twist = {key: ROD[key] for key in ("torsional_stiffness", "rotary_inertia")}
    common = {**FIBRE, "axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 0.5}
    side = {"static_stiffness": 2e3, "slow_stiffness": 0.0, "slow_strain": 0.02}
    world = World()
    net = cables_from_mesh(
        world, path, in_space=True, cables_per_line=2, sections={"rod": twist, "side": side}, **common
    )
    assert net.with_torsion is not None
    assert net.all_cables.kind == "FibreCable3D" and net.with_torsion.all_cables.kind == "TwistFibreCable3D"
    state = State(world)
    assert_array_equal(eval_output(net.all_cables, "slow_strain", state), 0.02)
    assert_array_equal(eval_output(net.with_torsion.all_cables, "slow_strain", state), 0.0)
    assert_array_equal(net.all_cables.static_stiffness, 2e3)
    world = World()
    wires = {"axial_stiffness": 2e3, "slip_force": 3.0, "bending_stiffness": 0.5, "slip_moment": 0.01}
    rods = cables_from_mesh(world, path, in_space=True, **ROD)
    friction = world.add(WireFriction, cable=rods.all_cables, **wires)
    for node in rods.nodes["rod"]:
        fix(world, node, "x", "y", "z")
    state = State(world)
    state.put(rods.nodes["rod"][2], (0.01,) + (0.0,) * 6)
    # the strain 0.01 of the second line exceeds the slip strain of the wires
    state.assembly.load_fields(state)
    state.assembly.post_newton()
    state.data[:] = state.assembly.fields.data
    assert_allclose(np.abs(eval_output(friction, "axial_force", state)).max(), 3.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("rod", "side", "message"),
    [
        (ROD, {**ROD, **FIBRE}, "section 'rod' of cables_from_mesh has the columns of TwistCable3D, other .* Twist"),
        ({**ROD, **TABLE}, {**ROD, **FIBRE}, "section 'side' of .* columns of TwistFibreCable3D, other .* TwistTable"),
        (
            {**ROD, **FIBRE, "slow_strain": (0.1, 0.2, 0.3)}, {**ROD, **FIBRE},
            "slow_strain = .* of rod: must be a number .1., or one for each of its elements",
        ),
        ({**ROD, "tension_table": 1.0}, {**ROD, **TABLE}, "tension_table = 1.0 of rod: must be two or more pairs"),
    ],
)  # fmt: skip
def test_wrong_laws(rod: dict[str, Any], side: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "t.vtu", T_POINTS, T_LINES, {"rod": [0, 1], "side": [2]})
    with pytest.raises(ModelError, match=message):
        cables_from_mesh(World(), path, in_space=True, sections={"rod": rod, "side": side})
