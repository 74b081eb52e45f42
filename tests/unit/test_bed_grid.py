"""Tests of beds that are created from grids of heights: input files, interpolation, errors."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con

X, Y = np.array((0.0, 10.0, 30.0)), np.array((-5.0, 5.0, 20.0, 40.0))
HEIGHTS = -50.0 + np.arange(12.0).reshape(3, 4) ** 1.1
POINTS = np.array([(x, y, HEIGHTS[i, j]) for i, x in enumerate(X) for j, y in enumerate(Y)])


def test_table_points_and_mesh_are_equal(tmp_path: Path) -> None:
    """A table, rows of x, y, z in any order, and a mesh give the same grid."""
    table = ["# heights [m]", "x\\y," + ",".join(map(str, Y))]
    table += [f"{x}," + ",".join(map(repr, row.tolist())) for x, row in zip(X, HEIGHTS, strict=True)]
    (tmp_path / "table.csv").write_text("\n".join(table))
    rows = [" ".join(map(repr, point.tolist())) for point in np.random.default_rng(1).permutation(POINTS)]
    (tmp_path / "rows.xyz").write_text("\n".join(["x [m] y [m] z [m]", "", *rows]))
    triangles = [(4 * i + j, 4 * i + j + 1, 4 * i + j + 4) for i in range(2) for j in range(3)]
    meshio.write(tmp_path / "bed.vtu", meshio.Mesh(POINTS, {"triangle": np.array(triangles)}))
    for name in ("table.csv", "rows.xyz", "bed.vtu"):
        grid = con.read_bed_grid(tmp_path / name)
        assert_allclose(grid.x, X)
        assert_allclose(grid.y, Y)
        assert_allclose(grid.heights, HEIGHTS)


def test_scattered_points(tmp_path: Path) -> None:
    """Points that are not on a grid are interpolated at the given spacing. A plane is reproduced exactly, even beyond
    the grid. Outside of the convex hull the nearest height is used.
    """
    random = np.random.default_rng(2)
    x, y = random.uniform(0.0, 100.0, (2, 60))
    corners = [(0.0, 0.0), (0.0, 100.0), (100.0, 0.0), (100.0, 100.0)]
    places = np.vstack((np.column_stack((x, y)), corners))
    heights = 3.0 + 0.1 * places[:, 0] - 0.02 * places[:, 1]
    file = tmp_path / "points.csv"
    np.savetxt(file, np.column_stack((places, heights)), delimiter=",")
    with pytest.raises(wl.ModelError, match=r"has 64 points, which are not on a rectangular grid: give spacing="):
        con.read_bed_grid(file)
    grid = con.read_bed_grid(file, spacing=10.0)
    assert grid.heights.shape == (11, 11)
    at = np.array((-50.0, 13.0, 250.0))
    assert_allclose(grid.eval_heights(at, 20.0), 3.0 + 0.1 * at - 0.4, rtol=1e-9)
    np.savetxt(file, [(0.0, 0.0, 1.0), (10.0, 0.0, 2.0), (5.0, 10.0, 3.0), (5.0, 2.0, 1.5)])
    hull = con.read_bed_grid(file, spacing=5.0)
    assert hull.heights[0, -1] == 3.0 and hull.heights[-1, -1] == 3.0


def test_heights_and_profile() -> None:
    """The grid has the given heights at its points. The points of a profile lie below a line, at equal distances."""
    grid = con.BedGrid(X, Y, HEIGHTS)
    assert_allclose(grid.eval_heights(X[:, None], Y), HEIGHTS, rtol=1e-14)
    profile = np.array(grid.eval_profile((0.0, 0.0, 5.0), (30.0, 40.0, 90.0), count=5))
    assert_allclose(profile[:, :2], np.outer(np.arange(1.0, 6.0), (6.0, 8.0)))
    assert_allclose(profile[:, 2], grid.eval_heights(profile[:, 0], profile[:, 1]))
    assert_allclose(profile[-1, 2], HEIGHTS[-1, -1])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "0,0,1\n0,1,1\n1,0,1\n1,1,nan", "line 4: must have finite numbers"),
        ("a.csv", "0,0,1\n0,1,x", r"line 2 is '0,1,x': must have numbers .m. only"),
        ("a.csv", "x;y;z\n1;2;deep\n1;3;5", r"line 2 is '1;2;deep': must have numbers .m. only"),
        ("a.csv", "0,0,x\n0,1,1\n1,0,1\n1,1,1", r"line 1 is '0,0,x': must have numbers .m. only"),
        ("a.csv", "0,0,1\n0,1,1\n1,0", "line 3 has 2 numbers: must have 3"),
        ("a.csv", "", "has 0 rows with 0 to 0 numbers: must have rows x, y, z"),
        ("a.txt", "0 1\n0 1 2\n0 1 2", r"x in BedGrid has 2 numbers .m.: must be 2 or more, ascending"),
        ("a.csv", "0,0,1\n0,1,1\n1,0,1\n2,1,1", "has 4 points, which are not on a rectangular grid"),
        ("a.vtu", "text", "cannot be read by meshio"),
        ("a.unknown", "text", "cannot be read by meshio"),
    ],
)
def test_wrong_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    """Wrong files cause errors that name the file and the line."""
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(wl.ModelError, match=message):
        con.read_bed_grid(file)


def test_errors(tmp_path: Path) -> None:
    """A missing file, an excessive number of heights, points on a line, and arrays of wrong shapes cause errors."""
    for name in ("none.csv", "none.vtu"):
        with pytest.raises(wl.ModelError, match=f"{name} cannot be read"):
            con.read_bed_grid(tmp_path / name)
    file = tmp_path / "points.csv"
    np.savetxt(file, POINTS)
    with pytest.raises(wl.ModelError, match=r"spacing = 0.001 m .* needs 1.35e\+09 heights: must need at most 4000000"):
        con.read_bed_grid(file, spacing=1e-3)
    np.savetxt(file, [(k, 2.0 * k, 1.0) for k in range(5)])
    with pytest.raises(wl.ModelError, match="its points cannot be interpolated: "):
        con.read_bed_grid(file, spacing=1.0)
    for given, message in (
        ((X, Y, HEIGHTS.T), r"heights of BedGrid has shape \(4, 3\): must be \(3, 4\)"),
        ((X, Y, HEIGHTS[0]), r"heights = .* m in BedGrid: must be finite numbers of shape \(n, n\)"),
        ((X, ["a", "b"], HEIGHTS), r"y = \['a', 'b'\] m in BedGrid: must be finite numbers of shape"),
        ((X[::-1], Y, HEIGHTS), "x in BedGrid has 3 numbers"),
    ):
        with pytest.raises(wl.ModelError, match=message):
            con.BedGrid(*given)
    with pytest.raises(wl.ModelError, match="in eval_heights: must have equal shapes"):
        con.BedGrid(X, Y, HEIGHTS).eval_heights((1.0, 2.0), (1.0, 2.0, 3.0))
