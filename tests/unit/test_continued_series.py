"""Series and tables of an interrupted run are continued. Damaged files are kept under another name."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import h5py
import pytest

from windlass.framework.output.csv import CsvTable, read_csv
from windlass.framework.output.mesh import LineMesh
from windlass.framework.output.series import BrokenSeriesError
from windlass.framework.output.vtkhdf import VtkhdfSeries
from windlass.framework.output.vtu import VtuSeries
from windlass.framework.output.xdmf import XdmfSeries

from support.series import TIMES, append_frames, check_series, create_frame, create_mesh

SERIES = [VtuSeries, XdmfSeries, VtkhdfSeries]
DATA = {VtuSeries: "belt_000002.vtu", XdmfSeries: "belt.h5", VtkhdfSeries: "belt.vtkhdf"}
every_series = pytest.mark.parametrize("kind", SERIES)


def interrupt(kind: Any, folder: Path) -> LineMesh:
    """Write a series of five frames without closing it, as if the process had been killed."""
    mesh = create_mesh()
    append_frames(kind(folder / "belt", mesh), mesh, TIMES[:5])
    return mesh


def continue_from(
    kind: Any, folder: Path, mesh: LineMesh, kept: int, end: int = len(TIMES), digest: str | None = None
) -> Any:
    """Open a series again, in order to continue it after a number of frames."""
    series = kind(folder / "belt", mesh, kept=TIMES[:kept], digest=digest)
    for k in range(kept, end):
        series.append(TIMES[k], **create_frame(mesh, k))
    return series


@every_series
def test_later_frames_are_cut_and_new_ones_follow(kind: Any, tmp_path: Path) -> None:
    """Frames 3 and 4, which were written after the checkpoint, are removed.

    After the next frames, the series is equal to the series of one run, even after two interruptions.
    """
    mesh = interrupt(kind, tmp_path)
    series = continue_from(kind, tmp_path, mesh, 3, 4)
    check_series(series.path, mesh, TIMES[:4])
    series = continue_from(kind, tmp_path, mesh, 2)
    series.close()
    check_series(series.path, mesh, TIMES)
    whole = tmp_path / "whole"
    whole.mkdir()
    with kind(whole / "belt", mesh) as other:
        append_frames(other, mesh, TIMES)
    assert sorted(path.name for path in whole.iterdir()) == sorted(
        path.name for path in tmp_path.iterdir() if path.is_file()
    )


@every_series
def test_nothing_is_touched_before_the_next_frame(kind: Any, tmp_path: Path) -> None:
    """A restart that writes no frame does not change any file."""
    mesh = interrupt(kind, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    kind(tmp_path / "belt", mesh, kept=TIMES[:3]).close()
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


def test_half_written_files_are_repaired(tmp_path: Path) -> None:
    """A series that ends with an incomplete frame or index, because its process was killed, is repaired."""
    mesh = interrupt(VtuSeries, tmp_path)
    (tmp_path / "belt.pvd").unlink()
    (tmp_path / "belt_000004.vtu").write_bytes(b"<VTKFile")
    check_series(continue_from(VtuSeries, tmp_path, mesh, 3).path, mesh, TIMES)

    mesh = interrupt(XdmfSeries, tmp_path)
    index = tmp_path / "belt.xdmf"
    text = index.read_bytes()
    index.write_bytes(text[: text.rindex(b"<Time") + 10])
    check_series(continue_from(XdmfSeries, tmp_path, mesh, 4).path, mesh, TIMES)

    mesh = interrupt(VtkhdfSeries, tmp_path)
    with h5py.File(tmp_path / "belt.vtkhdf", "r+") as file:
        file["VTKHDF/Points"].resize(6 * len(mesh.points), axis=0)
        del file["VTKHDF/Steps"].attrs["NSteps"]
    check_series(continue_from(VtkhdfSeries, tmp_path, mesh, 5).path, mesh, TIMES)


def cut(path: Path) -> None:
    """Remove the second half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    """Remove the content of a file."""
    path.write_bytes(b"")


# a `.vtu` file is complete at its checkpoint, so only a disk error can truncate the file
@pytest.mark.parametrize(
    ("kind", "damage"), [(k, d) for k in SERIES for d in (cut, empty, Path.unlink) if (k, d) != (VtuSeries, cut)]
)
def test_damaged_series_are_left_alone(kind: Any, damage: Any, tmp_path: Path) -> None:
    """The error for a damaged series names the cause, and the files do not change."""
    mesh = interrupt(kind, tmp_path)
    damage(tmp_path / DATA[kind])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(BrokenSeriesError, match="cannot be continued"):
        continue_from(kind, tmp_path, mesh, 3)
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}


@every_series
def test_changed_numbers_of_kept_frames_are_found(kind: Any, tmp_path: Path) -> None:
    """A changed bit in the first number of a field of the second frame is found by the digest, although no reader of
    the format detects it.
    """
    mesh, digests = create_mesh(), []
    with kind(tmp_path / "belt", mesh) as series:
        for k, time in enumerate(TIMES[:5]):
            series.append(time, **create_frame(mesh, k))
            digests.append(series.digest)
    assert len(set(digests)) == 5
    path = tmp_path / DATA[kind].replace("000002", "000001")
    right = path.read_bytes()
    number = create_frame(mesh, 1)["point_data"]["axial_force"][:1].tobytes()
    # the numbers in a .vtu file are compressed
    place = len(right) // 2 if kind is VtuSeries else right.index(number) + 2
    path.write_bytes(right[:place] + bytes([right[place] ^ 1]) + right[place + 1 :])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(BrokenSeriesError, match="digest differs from the digest in the checkpoint"):
        continue_from(kind, tmp_path, mesh, 3, digest=digests[2])
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir()}
    path.write_bytes(right)
    series = continue_from(kind, tmp_path, mesh, 3, 5, digest=digests[2])
    assert series.digest == digests[4]
    check_series(series.path, mesh, TIMES[:5])
    # before the file is read, its digest is compared with the digest of the checkpoint
    assert kind(tmp_path / "belt", mesh, kept=TIMES[:5], digest=digests[4]).digest == digests[4]


@every_series
def test_series_of_another_run_are_left_alone(kind: Any, tmp_path: Path) -> None:
    """A series of another run is refused if frames are missing or, for formats with one mesh per series, if its mesh
    differs.

    Each `.vtu` has its own mesh.
    """
    mesh = interrupt(kind, tmp_path)
    with pytest.raises(BrokenSeriesError, match="cannot be continued"):
        continue_from(kind, tmp_path, mesh, 6)
    if kind is not VtuSeries:
        other = LineMesh(mesh.points + 1.0, mesh.lines[::-1], mesh.part, mesh.faces)
        with pytest.raises(BrokenSeriesError, match="its mesh is another one"):
            continue_from(kind, tmp_path, other, 3)
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        with pytest.raises(BrokenSeriesError):
            continue_from(kind, tmp_path, mesh, 3)


def test_table_begins_with_the_rows_that_are_kept(tmp_path: Path) -> None:
    """The rows of a continued table equal the rows of one run in all digits."""
    columns, rows = [("time", "s"), ("step", "1")], [(0.0, 0), (0.1 + 0.2, 1), (1 / 3, 2)]
    texts = []
    for kept in (0, 2):
        path = tmp_path / f"{kept}.csv"
        path.write_text("time [s],step [1]\n0.0,0\n0.1,half writ")
        with CsvTable(path, columns, rows[:kept]) as table:
            for row in rows[kept:]:
                table.append(row)
        texts.append(path.read_bytes())
    assert texts[0] == texts[1]
    assert list(read_csv(path)["step"]) == [0, 1, 2]
