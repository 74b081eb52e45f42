"""Tests of files and folders of the writers: folders without write access, safe replacement of files, CSV tables, and
checks of the mesh.
"""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from windlass.framework.errors import OutputError, WindlassError
from windlass.framework.files.whole_files import check_target
from windlass.framework.output.csv import CsvTable, read_csv
from windlass.framework.output.folder import create_output_folder
from windlass.framework.output.mesh import LineMesh
from windlass.framework.output.vtkhdf import VtkhdfSeries
from windlass.framework.output.vtu import VtuSeries
from windlass.framework.output.xdmf import XdmfSeries


def create_mesh() -> LineMesh:
    return LineMesh(np.eye(3), np.array([[0, 1], [1, 2]]), np.array([0, 0]))


@pytest.mark.parametrize("kind", [VtuSeries, XdmfSeries, VtkhdfSeries])
def test_a_series_says_where_it_cannot_write(kind: Any, tmp_path: Path) -> None:
    mesh = create_mesh()
    for path, message in (
        (tmp_path / "missing" / "belt", "must be an existing folder"),
        (tmp_path / "belt.xdmf", "must be given without .xdmf"),
        (tmp_path / "a:b", "without a colon"),
    ):
        with pytest.raises(OutputError, match=message):
            kind(path, mesh)
    folder = tmp_path / "gone"
    folder.mkdir()
    series = kind(folder / "belt", mesh)
    series.append(0.0, mesh.points, {}, {})
    shutil.rmtree(folder)
    with pytest.raises(OutputError, match="cannot be written"):
        series.append(1.0, mesh.points, {}, {})


def test_collection_lists_finished_frames_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A collection lists only complete frames, even while the next frame is written and while the list is replaced."""
    import meshio

    mesh = create_mesh()
    series = VtuSeries(tmp_path / "belt", mesh)
    seen: list[int] = []
    write, replace = meshio.vtu.write, os.replace

    def count() -> None:
        entries = list(ElementTree.parse(series.path).getroot().iter("DataSet"))
        assert all((tmp_path / e.attrib["file"]).is_file() for e in entries)
        seen.append(len(entries))

    def slow_write(*args: Any, **options: Any) -> None:
        count()
        write(*args, **options)

    def slow_replace(*args: Any) -> None:
        if series.path.exists():
            count()
        replace(*args)

    monkeypatch.setattr(meshio.vtu, "write", slow_write)
    monkeypatch.setattr(os, "replace", slow_replace)
    for time in (0.0, 1.0, 2.0):
        series.append(time, mesh.points + time, {}, {})
    # numbers of listed frames while a frame is written, before the frame is renamed, and before the new list is renamed
    assert seen == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_line_mesh_checks_and_freezes_its_arrays() -> None:
    points, lines = np.eye(3), np.array([[0, 1], [1, 2]])
    mesh = LineMesh(points, lines, [0, 1])
    points[0] = 9.0
    assert_array_equal(mesh.points, np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        mesh.points[0] = 1.0
    for wrong, message in (
        ((np.zeros((3, 2)), lines, [0, 1]), r"shape \(3, 2\): must be \(n, 3\)"),
        ((np.diag([1.0, np.nan, 1.0]), lines, [0, 1]), "row 1 .* must be finite"),
        ((np.eye(3), np.zeros((0, 2), int), []), "with m > 0"),
        ((np.eye(3), [[0, 1], [1, 3]], [0, 1]), r"row 1 = \[1, 3\]: must be points from 0 to 2"),
        ((np.eye(3), [[0.0, 1.5]], [0]), "must be integers"),
        ((np.eye(3), lines, [0]), r"must be \(2,\)"),
        ((np.eye(3), lines, [0, 1, 1], [[0, 1, 2, 3]]), r"faces .* row 0 = \[0, 1, 2, 3\]: must be points from 0 to 2"),
        ((np.eye(3), lines, [0, 1, 1], [[0, 1, 2]]), r"must be \(k, 4\)"),
    ):
        with pytest.raises(OutputError, match=message):
            LineMesh(*wrong)


def test_libraries_of_writers_wait_for_the_first_frame() -> None:
    code = """
import sys, numpy
from windlass.framework.files.whole_files import check_target
from windlass.framework.output import *
mesh = LineMesh(numpy.eye(3), [[0, 1]], [0])
[kind("x", mesh) for kind in (VtuSeries, XdmfSeries, VtkhdfSeries)]
print([name for name in ("meshio", "h5py", "urllib.request") if name in sys.modules])
"""
    source = Path(__file__).resolve().parents[2] / "src"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(source)}
    )
    assert run.stdout == "[]\n", run.stderr


def test_csv_numbers_are_read_back_to_the_last_bit(tmp_path: Path) -> None:
    path = tmp_path / "belt.csv"
    bits = np.random.default_rng(1).integers(0, 2**64, size=(200, 2), dtype=np.uint64)
    rows = bits.view(np.float64)  # random bytes have all exponents, denormals and some NaN
    rows[:3] = [[-0.0, 5e-324], [np.inf, -np.inf], [np.nan, 0.1 + 0.2]]
    columns = [("time", "s"), ("left.angular_velocity", "rad/s"), ("belt[12].passes", "1")]
    with CsvTable(path, columns) as table:
        for k, row in enumerate(rows):
            table.append([row[0], np.float32(row[1]) if k == 9 else row[1], np.int64(k)])
            assert path.read_text().endswith(f",{k}\n")  # the row has been written to the disk
    assert path.read_text().split("\n")[0] == "time [s],left.angular_velocity [rad/s],belt[12].passes [1]"
    read = read_csv(path)
    assert list(read) == ["time", "left.angular_velocity", "belt[12].passes"]
    expected = rows.copy()
    with np.errstate(over="ignore"):
        expected[9, 1] = np.float32(rows[9, 1])
    for name, column in zip(read, expected.T, strict=False):
        numbers = ~np.isnan(column)
        assert struct.pack("200d", *np.where(numbers, read[name], 0)) == struct.pack(
            "200d", *np.where(numbers, column, 0)
        )
        assert np.isnan(read[name][~numbers]).all()
    assert_array_equal(read["belt[12].passes"], np.arange(200))


def test_csv_errors_and_unfinished_files(tmp_path: Path) -> None:
    path = tmp_path / "belt.csv"
    columns = [("time", "s"), ("x", "m")]
    with CsvTable(path, columns) as table, pytest.raises(OutputError, match="has 1 values: must be 2"):
        table.append([1.0])
    table.close()
    with pytest.raises(OutputError, match="is closed"):
        table.append([1.0, 2.0])
    assert {name: len(a) for name, a in read_csv(path).items()} == {"time": 0, "x": 0}
    path.write_text("time [s],x [m]\n1.0,2.0\n3.0,4.1")
    assert_array_equal(read_csv(path)["x"], [2.0])
    for text, message in (
        ("time [s],x [m]\n1.0\n", "line 2 is '1.0': must be 2 numbers"),
        ("time [s],x [m]\n1.0,a\n", "must be 2 numbers"),
        ("time,x [m]\n", "line 1"),
        ("", "line 1"),
    ):
        path.write_text(text)
        with pytest.raises(OutputError, match=message):
            read_csv(path)
    with pytest.raises(OutputError, match="cannot be read"):
        read_csv(tmp_path / "missing.csv")
    for wrong in ([], [("a,b", "m")], [("a", "")], [("a", "[m]")], [("a", "m"), ("a", "s")], [("a\n", "m")]):
        with pytest.raises(OutputError, match="of CsvTable"):
            CsvTable(path, wrong)
    with pytest.raises(OutputError, match="cannot be written"):
        CsvTable(tmp_path / "missing" / "belt.csv", columns)


def test_what_is_no_file_is_no_target(tmp_path: Path) -> None:
    """All writers raise errors for devices, FIFOs and folders as files; full disks are tested in test_campaigns.py."""
    (tmp_path / "belt.pvd").mkdir()
    os.mkfifo(tmp_path / "belt.h5")
    os.mkfifo(tmp_path / "belt.vtkhdf")
    (tmp_path / "belt.csv").symlink_to("/dev/null")
    mesh = create_mesh()
    for kind, found in ((VtuSeries, "folder"), (XdmfSeries, "FIFO"), (VtkhdfSeries, "FIFO")):
        with pytest.raises(OutputError, match=f"is a {found}: must be a file in a folder"):
            kind(tmp_path / "belt", mesh)
    with pytest.raises(OutputError, match=r"table .*csv is a device: must be a file"):
        CsvTable(tmp_path / "belt.csv", [("time", "s")])
    with pytest.raises(OutputError, match=r"picture .*csv is a device: must be a file"):
        check_target(tmp_path / "belt.csv", "picture")


def test_output_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = create_output_folder("results/run 1")
    assert folder == tmp_path / "results" / "run 1"
    assert list(folder.iterdir()) == []
    (folder / "old.csv").write_text("keep")
    assert create_output_folder(folder) == folder
    assert [p.name for p in folder.iterdir()] == ["old.csv"]


def test_output_folder_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("keep")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    # these paths cannot be written even by root, unlike a folder without permission bits
    wrong = [file, file / "below", file / "far" / "below", tmp_path / "dangling", "", "a\0b"]
    wrong += [path for path in ("/proc/results", "/proc") if Path("/proc/self").exists()]
    if os.geteuid() != 0:
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o500)
        wrong += [locked, locked / "below"]
    for path in wrong:
        with pytest.raises(OutputError) as caught:
            create_output_folder(path)
        message = str(caught.value)
        assert message.startswith(f"output folder = {os.fspath(path)!r} cannot be written (")
        assert "must be a folder that exists or can be made" in message
        assert isinstance(caught.value, WindlassError)
    assert file.read_text() == "keep"
