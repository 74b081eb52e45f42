"""Every file of a series of fields is read by VTK's readers. The values are compared with the written values."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from windlass.framework.errors import OutputError
from windlass.framework.output import vtkhdf
from windlass.framework.output.mesh import LineMesh
from windlass.framework.output.series import Style
from windlass.framework.output.vtkhdf import VtkhdfSeries
from windlass.framework.output.vtu import VtuSeries
from windlass.framework.output.xdmf import XdmfSeries

from support.series import TIMES, append_frames, check_series, convert, create_frame, create_mesh, read_series

SERIES = [VtuSeries, XdmfSeries, VtkhdfSeries]
every_series = pytest.mark.parametrize("kind", SERIES)


@contextlib.contextmanager
def viewer_of(path: Path) -> Iterator[None]:
    """Start another process that keeps an HDF5 file open, as a viewer does."""
    code = "import h5py, sys; f = h5py.File(sys.argv[1], 'r'); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as viewer:
        assert viewer.stdout is not None
        assert viewer.stdout.readline() == "open\n"
        yield
        viewer.communicate("\n")


@every_series
def test_series_is_read_back_exactly(kind: Any, tmp_path: Path) -> None:
    mesh = create_mesh()
    with kind(tmp_path / "belt.run 1", mesh) as series:
        append_frames(series, mesh, TIMES)
    assert series.path.stem == "belt.run 1"
    check_series(series.path, mesh, TIMES)


@every_series
def test_series_can_be_read_between_frames(kind: Any, tmp_path: Path) -> None:
    mesh = create_mesh()
    series = kind(tmp_path / "belt", mesh)
    for k, time in enumerate(TIMES):
        series.append(time, **create_frame(mesh, k))
        check_series(series.path, mesh, TIMES[: k + 1])


@every_series
def test_series_does_not_depend_on_the_working_directory(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = create_mesh()
    out, elsewhere, moved = tmp_path / "out", tmp_path / "elsewhere", tmp_path / "moved"
    out.mkdir()
    elsewhere.mkdir()
    monkeypatch.chdir(tmp_path)
    series = kind("out/belt", mesh)
    series.append(TIMES[0], **create_frame(mesh, 0))
    monkeypatch.chdir(elsewhere)
    series.append(TIMES[1], **create_frame(mesh, 1))
    series.close()
    assert list(elsewhere.iterdir()) == []
    assert {p.name for p in tmp_path.iterdir()} == {"out", "elsewhere"}
    check_series(series.path, mesh, TIMES[:2])
    check_series(Path("../out") / series.path.name, mesh, TIMES[:2])
    out.rename(moved)
    check_series(moved / series.path.name, mesh, TIMES[:2])


@every_series
def test_many_frames_of_a_small_and_a_large_mesh(kind: Any, tmp_path: Path) -> None:
    """More frames than a chunk of VTKHDF, and more points than a chunk, are read correctly."""
    for n, frames in ((2, 300), (6000, 3)):
        points = np.column_stack([np.arange(n) * 0.25, np.zeros(n), np.zeros(n)])
        mesh = LineMesh(points, np.column_stack([np.arange(n - 1), np.arange(1, n)]), np.zeros(n - 1, int))
        with kind(tmp_path / f"belt{n}", mesh) as series:
            for k in range(frames):
                series.append(k, points + k, {"x": points[:, 0] * k}, {"k": np.full(n - 1, k)})
        times, frame = read_series(series.path)
        assert times == list(range(frames))
        for k in (frames - 1, 0, frames // 2):
            read = frame(k)
            assert_array_equal(read.points + read.point_data.get("displacement", 0.0), points + k)
            assert_array_equal(read.point_data["x"], points[:, 0] * k)
            assert_array_equal(read.cell_data["k"], k)


@every_series
def test_frames_without_fields(kind: Any, tmp_path: Path) -> None:
    mesh = create_mesh()
    with kind(tmp_path / "belt", mesh) as series:
        for k in range(3):
            series.append(k, mesh.points[:, :2] + k, {}, {})
    times, frame = read_series(series.path)
    assert times == [0.0, 1.0, 2.0]
    read = frame(2.0)
    shift = read.points + read.point_data.get("displacement", 0.0) - mesh.points
    assert_allclose(shift, np.tile([2.0, 2.0, 0.0], (len(mesh.points), 1)), atol=1e-15 * 10)
    assert_array_equal(read.cell_data["part"], mesh.part)


def test_empty_series_close_well(tmp_path: Path) -> None:
    mesh = create_mesh()
    for kind in SERIES:
        with kind(tmp_path / "belt", mesh) as series:
            pass
        series.close()
        times, _ = read_series(series.path)
        assert times == []
    from vtkmodules.vtkIOHDF import vtkHDFReader
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader

    for reader, suffix in ((vtkXdmfReader(), "xdmf"), (vtkHDFReader(), "vtkhdf")):
        reader.SetFileName(str(tmp_path / f"belt.{suffix}"))
        reader.Update()
        output = reader.GetOutputDataObject(0)
        read = convert(output.GetBlock(1) if suffix == "xdmf" else output)
        assert_array_equal(read.points, mesh.points)
        assert_array_equal(read.lines, mesh.lines)


@every_series
def test_a_new_series_replaces_the_old_one(kind: Any, tmp_path: Path) -> None:
    mesh = create_mesh()
    strangers = [tmp_path / name for name in ("belt_notes.vtu", "belt2_000004.vtu", "belt.csv")]
    for file in strangers:
        file.write_text("keep")
    with kind(tmp_path / "belt", mesh) as series:
        append_frames(series, mesh, TIMES)
    unused = kind(tmp_path / "belt", mesh)
    check_series(unused.path, mesh, TIMES)  # no file is changed before the first frame
    with kind(tmp_path / "belt", mesh) as series:
        append_frames(series, mesh, TIMES[:2])
    check_series(series.path, mesh, TIMES[:2])
    assert len(list(tmp_path.glob("belt_0*.vtu"))) in (0, 2)
    assert all(file.read_text() == "keep" for file in strangers)
    assert not list(tmp_path.glob(".*"))


@every_series
def test_wrong_frames_are_refused_and_leave_no_trace(kind: Any, tmp_path: Path) -> None:
    mesh = create_mesh()
    n, m = len(mesh.points), len(mesh.part)
    good = create_frame(mesh, 1)
    fields = good["cell_data"]
    wrong: list[tuple[str, float, dict[str, Any]]] = [
        ("must be > 0.0 s", 0.0, {}),
        ("must be finite", float("nan"), {}),
        ("points has shape", 1.0, {"points": mesh.points[1:]}),
        ("points of a frame have shape", 1.0, {"points": np.zeros(n)}),
        ("point_data 'velocity' has shape", 1.0, {"point_data": {"velocity": np.zeros((n, 4))}}),
        ("cell_data 'gap' has shape", 1.0, {"cell_data": {**fields, "gap": np.zeros(m + 1)}}),
        ("has type complex128", 1.0, {"cell_data": {**fields, "gap": np.zeros(m, complex)}}),
        ("point_data 'axial_force' .* is absent: must be float64", 1.0, {"point_data": {"velocity": np.zeros((n, 2))}}),
        ("must be float64 with 1 component as", 1.0, {"cell_data": {**fields, "gap": np.zeros((m, 3))}}),
        ("'more' .*must be absent", 1.0, {"cell_data": {**fields, "more": np.zeros(m)}}),
        ("a field name must be", 1.0, {"cell_data": {**fields, "N/m": np.zeros(m)}}),
        ("reserved for the labels", 1.0, {"cell_data": {**fields, "part": np.zeros(m)}}),
    ]
    with kind(tmp_path / "belt", mesh) as series:
        series.append(TIMES[0], **create_frame(mesh, 0))
        for message, time, change in wrong:
            with pytest.raises(OutputError, match=message):
                series.append(time, **{**good, **change})
        series.append(TIMES[1], **good)
    with pytest.raises(OutputError, match="is closed"):
        series.append(9.0, **good)
    check_series(series.path, mesh, TIMES[:2])


@every_series
def test_a_failed_write_can_be_tried_again(kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import h5py
    import meshio

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    mesh = create_mesh()
    with kind(tmp_path / "belt", mesh) as series:
        for k in (0, 1):
            with monkeypatch.context() as patch:
                patch.setattr(meshio.vtu, "write", fail)
                patch.setattr(h5py.Group, "create_dataset", fail)
                patch.setattr(vtkhdf, "write_all", fail)
                with pytest.raises(OutputError, match="No space left"):
                    series.append(TIMES[k], **create_frame(mesh, k))
            if k == 1:
                check_series(series.path, mesh, TIMES[:1])
            series.append(TIMES[k], **create_frame(mesh, k))
    check_series(series.path, mesh, TIMES[:2])


@pytest.mark.parametrize(("kind", "suffix"), [(XdmfSeries, ".h5"), (VtkhdfSeries, ".vtkhdf")])
def test_an_open_viewer_does_not_end_the_run(kind: Any, suffix: str, tmp_path: Path) -> None:
    mesh = create_mesh()
    series = kind(tmp_path / "belt", mesh)
    series.append(TIMES[0], **create_frame(mesh, 0))
    with viewer_of(tmp_path / f"belt{suffix}"):
        series.append(TIMES[1], **create_frame(mesh, 1))
    check_series(series.path, mesh, TIMES[:2])


def test_xdmf_for_meshio_and_warp_by_vector(tmp_path: Path) -> None:
    from meshio.xdmf import TimeSeriesReader
    from vtkmodules.vtkFiltersGeneral import vtkWarpVector
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader

    mesh = create_mesh()
    with XdmfSeries(tmp_path / "belt", mesh) as series:
        append_frames(series, mesh, TIMES)
    # the file has one mesh for all times
    assert len(list(ElementTree.parse(series.path).getroot().iter("Geometry"))) == 1
    with TimeSeriesReader(series.path) as reader:
        points, cells = reader.read_points_cells()
        assert_array_equal(points, mesh.points)
        assert_array_equal(cells[0].data, mesh.lines)
        assert_array_equal(cells[1].data, mesh.faces)
        for k, expected in enumerate(TIMES):
            time, point_data, cell_data = reader.read_data(k)
            given = create_frame(mesh, k)
            assert time == expected
            assert_array_equal(point_data["displacement"], given["points"] - mesh.points)
            assert_array_equal(np.concatenate(cell_data["gap"]), given["cell_data"]["gap"])
    source, warp = vtkXdmfReader(), vtkWarpVector()
    source.SetFileName(str(series.path))
    warp.SetInputConnection(source.GetOutputPort())
    warp.SetInputArrayToProcess(0, 0, 0, 0, "displacement")
    for k in (3, 1):
        warp.UpdateTimeStep(TIMES[k])
        read = convert(warp.GetOutputDataObject(0).GetBlock(0))
        # the filter keeps points in float64; the stored displacement and the sum of the filter have one rounding error
        # each
        assert_allclose(read.points, create_frame(mesh, k)["points"], rtol=0, atol=1e-15 * 10)


def test_xdmf_displacement_must_fit_the_reference_mesh(tmp_path: Path) -> None:
    mesh = create_mesh()
    moved = mesh.points + [1.0, 2.0, 0.0]
    with XdmfSeries(tmp_path / "belt", mesh) as series:
        with pytest.raises(OutputError, match=r"'displacement' at time 0\.5 s"):
            series.append(0.5, moved, {"displacement": moved - mesh.points + 1e-3}, {})
        with pytest.raises(OutputError, match=r"'displacement' at time 0\.5 s"):
            series.append(0.5, moved, {"displacement": np.zeros(len(moved))}, {})
        series.append(0.5, moved, {"displacement": (moved - mesh.points)[:, :2]}, {})
    _, frame = read_series(series.path)
    assert_array_equal(frame(0.5).point_data["displacement"], moved - mesh.points)


@every_series
def test_fields_in_single_precision(kind: Any, tmp_path: Path) -> None:
    mesh = create_mesh()
    with kind(tmp_path / "belt", mesh, Style(single=True)) as series:
        append_frames(series, mesh, TIMES)
    half_a_unit = 2.0**-24  # half of the last digit of a float32 number
    if kind is not XdmfSeries:  # XDMF stores the displacement as a field
        check_series(series.path, mesh, TIMES, field_tolerance=half_a_unit)
    _, frame = read_series(series.path)
    for k in (5, 0):
        read, given = frame(TIMES[k]), create_frame(mesh, k)
        assert read.point_data["velocity"].dtype == read.cell_data["gap"].dtype == np.float32
        assert_allclose(read.points + read.point_data.get("displacement", 0.0), given["points"], rtol=0, atol=1e-6)


def test_compressed_vtkhdf(tmp_path: Path) -> None:
    """Compressed files contain the same numbers in fewer bytes. A file that is continued after a restart also
    contains these numbers.
    """
    n = 3000
    points = np.column_stack([np.arange(n) * 0.25, np.zeros(n), np.zeros(n)])
    mesh = LineMesh(points, np.column_stack([np.arange(n - 1), np.arange(1, n)]), np.zeros(n - 1, int))
    series, sizes = [], []
    for k, style in enumerate((Style(), Style(compress=True))):
        with VtkhdfSeries(tmp_path / f"belt{k}", mesh, style) as one:
            for j in range(4):
                one.append(j, points + j, {"x": points[:, 0] * j}, {"k": np.full(n - 1, j)})
        series.append(one)
        sizes.append(one.path.stat().st_blocks)
    assert sizes[1] < 0.5 * sizes[0]
    assert series[0].digest == series[1].digest
    with VtkhdfSeries(tmp_path / "belt1", mesh, Style(compress=True), [0, 1, 2, 3], series[0].digest) as more:
        more.append(4, points + 4, {"x": points[:, 0] * 4}, {"k": np.full(n - 1, 4)})
    times, frame = read_series(more.path)
    assert times == [0, 1, 2, 3, 4]
    for j in (4, 0, 2):
        assert_array_equal(frame(j).points, points + j)
        assert_array_equal(frame(j).point_data["x"], points[:, 0] * j)
        assert_array_equal(frame(j).cell_data["k"], j)


def test_frames_of_vtkhdf_are_counted_in_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a run is killed while a frame is written, the earlier frames remain readable, because the number of frames is
    written last and lies in one page.
    """
    mesh, writes = create_mesh(), []
    with VtkhdfSeries(tmp_path / "belt", mesh) as series:
        append_frames(series, mesh, TIMES[:2])
        write = vtkhdf.write_all

        def note(number: int, parts: list[Any], place: int) -> None:
            check_series(series.path, mesh, TIMES[:2])
            writes.append((place, sum(memoryview(part).nbytes for part in parts)))
            write(number, parts, place)

        monkeypatch.setattr(vtkhdf, "write_all", note)
        series.append(TIMES[2], **create_frame(mesh, 2))
    check_series(series.path, mesh, TIMES[:3])
    assert len(writes) == 9  # writes of one frame: time, points, two point fields, four line fields, and the count
    place, size = writes[-1]
    assert place // vtkhdf.PAGE == (place + size - 1) // vtkhdf.PAGE
