"""A wrong mesh file or a wrong argument causes one error that states the cause."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest

from windlass.connectors import fix, hinge
from windlass.elements import cables_from_mesh
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.solvers.static import Static

from support.meshes import write_lines

REFERENCE = Path(__file__).parents[1] / "reference" / "meshes"
SECTION: dict[str, Any] = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 0.5}
POINTS = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
LINES = [(0, 1), (1, 2)]


def expect(path: Path, message: str, **arguments: Any) -> str:
    """Check that reading a net gives an error that names the file, and leaves the world empty."""
    world = World()
    with pytest.raises(ModelError, match=message) as caught:
        cables_from_mesh(world, path, **{**SECTION, **arguments})
    assert world.count == 0
    return str(caught.value)


# files


def test_files_that_are_none(tmp_path: Path) -> None:
    assert str(tmp_path / "net.msh") in expect(tmp_path / "net.msh", "net.msh does not exist")
    expect(tmp_path, "format '' is unknown; must end in .msh, .vtu, .xdmf, .xmf")
    expect(tmp_path / "net.stl", "format '.stl' is unknown")
    for name in ("net.msh", "net.vtu", "net.xdmf"):
        (tmp_path / name).write_bytes(b"")
        expect(tmp_path / name, f"{name} is empty")
        (tmp_path / name).write_text("This is no mesh.\n")
        expect(tmp_path / name, f"{name} cannot be read: ")


def test_xdmf_without_its_data(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "net.xdmf", POINTS, LINES)
    (tmp_path / "net.h5").unlink()
    expect(path, "net.xdmf cannot be read: FileNotFoundError")


@pytest.mark.parametrize("name", ["22", "22_binary", "41", "41_binary"])
def test_files_that_end_too_early(name: str, tmp_path: Path) -> None:
    """A gmsh file that is truncated at any position causes an error of Windlass, and neither a smaller net nor another
    exception.
    """
    data = (REFERENCE / f"tied_arch_{name}.msh").read_bytes()
    path = tmp_path / "cut.msh"
    for end in range(1, len(data) - 8, 37):
        path.write_bytes(data[:end])
        expect(path, "cut.msh cannot be read: ")


def test_parts_without_physical_group() -> None:
    expect(REFERENCE / "tied_arch_41_all.msh", "some of its parts are in physical groups and some are in none")


def test_files_without_lines(tmp_path: Path) -> None:
    path = tmp_path / "plate.vtu"
    points = np.column_stack((POINTS, np.zeros(3)))
    meshio.write(path, meshio.Mesh(points, [("triangle", np.array([(0, 1, 2)]))]))
    expect(path, r"the file has no line cells \(cells: 1 triangle\): must have cells of type line, line3")


def test_lines_to_points_that_do_not_exist(tmp_path: Path) -> None:
    expect(write_lines(tmp_path / "n.vtu", POINTS, [(0, 1), (1, 5)]), "line 1 ends at point 5: the file has 3 points")


# geometry


def test_points_out_of_the_plane(tmp_path: Path) -> None:
    points = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.2), (2.0, 0.0, 0.0)]
    expect(write_lines(tmp_path / "n.msh", points, LINES), r"point 1 at \(1, 0\) m has z = 0.2 m: must be 0")
    # rounding errors of coordinates do not cause an error
    points[1] = (1.0, 0.0, 4e-16)
    cables_from_mesh(World(), write_lines(tmp_path / "n.msh", points, LINES), **SECTION)


def test_points_that_are_not_finite(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "n.msh", [*POINTS[:2], (np.nan, 0.0)], LINES)
    expect(path, r"point 2 = \[nan  0.  0.\] m: must be finite numbers")


def test_lines_without_length(tmp_path: Path) -> None:
    lines = [(0, 1), (1, 2), (2, 2)]
    expect(write_lines(tmp_path / "n.msh", POINTS, lines), r"line 2 from point 2 at \(2, 0\) m to point 2 has the len")


def test_lines_twice(tmp_path: Path) -> None:
    """A line that occurs twice causes an error, even if the two directions are opposite. A line of gmsh 2.2 in two
    physical groups occurs twice and is accepted.
    """
    lines = [(0, 1), (1, 2), (2, 1)]
    expect(write_lines(tmp_path / "n.msh", POINTS, lines), r"lines 1 and 2 both join point 1 at \(1, 0\) m and point 2")
    path = write_lines(tmp_path / "n.msh", POINTS, LINES, {"a": [0, 1], "b": [1], "c": [1]})
    assert len(cables_from_mesh(World(), path, **SECTION).all_cables) == 2


def test_points_that_no_line_uses(tmp_path: Path) -> None:
    """An error names points that no line uses. The check can be switched off, except for points of a group."""
    points = [(9.0, 9.0), (0.0, 0.0), (1.0, 0.0), (9.0, 8.0)]
    path = write_lines(tmp_path / "n.msh", points, [(1, 2)])
    expect(path, r"2 points belong to no line: point 0 at \(9, 9\) m; point 3 at \(9, 8\) m; unused_points='ignore'")
    net = cables_from_mesh(World(), path, unused_points="ignore", **SECTION)
    assert len(net.all_nodes) == 2
    path = write_lines(tmp_path / "n.msh", points, [(1, 2)], {}, {"load": [2, 3]})
    expect(path, r"point 3 at \(9, 8\) m of the group 'load' belongs to no line", unused_points="ignore")


def test_points_at_one_place(tmp_path: Path) -> None:
    points = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (2.0, 0.0)]
    path = write_lines(tmp_path / "n.msh", points, [(0, 1), (2, 3)])
    expect(path, r"point 1 at \(1, 0\) m and point 2 coincide, but are different points")


# groups


def test_groups_that_do_not_exist(tmp_path: Path) -> None:
    """Errors for missing groups list the content of the file."""
    path = write_lines(tmp_path / "n.msh", POINTS, LINES, {"main": [0], "ties": [1]}, {"left": [0]})
    has = r"it has groups of lines 'main' \(1\), 'ties' \(1\) and groups of points 'left' \(1\)"
    expect(path, f"sections has 'mian', which is no group of lines: {has}", sections={"mian": {}})
    expect(path, f"hinges names the unknown group 'right': {has}", hinges=["right"])
    net = cables_from_mesh(World(), path, **SECTION)
    for sets, words in [(net.cables, "cables is called 'x': there are 'main', 'ties'")]:
        with pytest.raises(ModelError, match=f"no group of {words}"):
            sets["x"]
    with pytest.raises(ModelError, match="no group of nodes is called 'right': there are 'left', 'main', 'ties'"):
        net.nodes["right"]
    assert "left" in net.nodes and "left" not in net.cables
    plain = write_lines(tmp_path / "plain.vtu", POINTS, LINES)
    expect(plain, "sections has 'main', which is no group of lines: it has no named groups", sections={"main": {}})


def test_lines_without_section_or_with_two(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "n.msh", POINTS, LINES, {"main": [0], "ties": [1], "all": [0, 1]})
    world = World()
    with pytest.raises(ModelError, match=r"1 lines are in no section, e.g. line 1 from .* \(groups: 'all', 'ties'"):
        cables_from_mesh(world, path, sections={"main": SECTION})
    with pytest.raises(ModelError, match="line 0 is in the sections 'main' and 'all': must be in one"):
        cables_from_mesh(world, path, sections={"main": SECTION, "all": SECTION})
    with pytest.raises(ModelError, match="section 'net' needs mass_per_length, axial_stiffness, bending_stiffness"):
        cables_from_mesh(world, path)
    with pytest.raises(ModelError, match="section 'ties' needs bending_stiffness"):
        bad = {"axial_stiffness": 1.0, "mass_per_length": 1.0}
        cables_from_mesh(world, path, sections={"main": SECTION, "ties": bad})
    assert world.count == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cables_per_line": 0}, "cables_per_line = 0 in cables_from_mesh: must be a whole number >= 1"),
        ({"cables_per_line": 1.5}, "cables_per_line = 1.5"),
        ({"largest_length": 0.0}, "largest_length = 0.0 m in cables_from_mesh: must be > 0"),
        ({"scale": -1.0}, "scale = -1.0 m of mesh file .*: must be > 0, metres per unit"),
        ({"slopes": "round"}, "slopes = 'round' in cables_from_mesh: must be one of smooth, through, separate"),
        ({"corner_angle": 2.0}, "corner_angle = 2.0 rad in cables_from_mesh: must lie from 0 to π/2 rad"),
        ({"unused_points": "keep"}, "unused_points = 'keep' in cables_from_mesh: must be error or ignore"),
        ({"merge_distance": -1.0}, "merge_distance = -1.0 m in cables_from_mesh: must be >= 0, or None"),
    ],
)
def test_arguments(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    expect(write_lines(tmp_path / "n.msh", POINTS, LINES), message, **arguments)


# models


@pytest.mark.parametrize(
    ("hold", "message"),
    [
        (lambda world, net: fix(world, net.nodes["a"][0], "x", "y"), "its first tangent is singular: nothing holds"),
        (lambda world, net: hinge(world, net.nodes["held"]), r"nothing holds \(net point [345]"),
    ],
)
def test_parts_that_nothing_holds(hold: Callable[..., Any], message: str, tmp_path: Path) -> None:
    """The static solver names parts of a model without support: a whole net, or the second of two separate nets."""
    points = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.9), (3.0, 0.0), (4.0, 0.0), (3.5, 0.9)]
    lines = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    path = write_lines(tmp_path / "two.msh", points, lines, {"a": [0, 1, 2], "b": [3, 4, 5]}, {"held": [0, 1]})
    world = World(gravity=(0.0, -9.81))
    net = cables_from_mesh(world, path, **SECTION)
    hold(world, net)
    with pytest.raises(ModelError, match=message):
        Static(world).solve()
