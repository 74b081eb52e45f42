"""Functions that create frames of a small mesh, and read files of the writers by VTK's readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from windlass.framework.output.mesh import LineMesh
from windlass.framework.output.series import FieldSeries

# times with many digits show that all digits are stored
TIMES = [0.0, 1e-4, 0.1 + 0.2, 0.1 + 0.2 + 1e-12, 1 / 3, 2.45, 1e5 + 1 / 3]


class Read(NamedTuple):
    """One frame as read by VTK."""

    points: np.ndarray
    lines: np.ndarray
    faces: np.ndarray
    point_data: dict[str, np.ndarray]
    cell_data: dict[str, np.ndarray]


def create_mesh() -> LineMesh:
    """Create two cables, five points and three points, in 2D, and two faces."""
    x = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 2.0, 2.1, 2.2])
    points = np.column_stack([x, x**2, 0 * x])
    lines = [[0, 1], [1, 2], [2, 3], [3, 4], [5, 6], [6, 7]]
    return LineMesh(points, lines, [0, 0, 0, 0, 7, 7, 8, 9], [[0, 1, 6, 5], [1, 2, 7, 6]])


def create_frame(mesh: LineMesh, k: int) -> dict[str, Any]:
    """Return the arguments of frame k. Values differ in every frame, component and row."""
    rng = np.random.default_rng(k)
    n, m = len(mesh.points), len(mesh.part)
    moved = mesh.points + rng.normal(size=(n, 3))
    gap = rng.normal(size=m)
    gap[k % m] = np.nan
    return {
        "points": moved,
        "point_data": {"velocity": rng.normal(size=(n, 2)), "axial_force": rng.normal(size=n) * 1e3},
        "cell_data": {
            "gap": gap,
            "normal force": rng.normal(size=(m, 3)),
            "sticking": rng.random(m) < 0.5,
            "count": np.arange(m) + 2**40 * k,
        },
    }


def append_frames(series: FieldSeries, mesh: LineMesh, times: list[float]) -> None:
    for k, time in enumerate(times):
        series.append(time, **create_frame(mesh, k))


def convert(grid: Any) -> Read:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    def fields(data: Any) -> dict[str, np.ndarray]:
        return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)).copy() for i in range(data.GetNumberOfArrays())}

    # cell types of VTK: 3 for lines, 4 for polylines, 9 for quadrilaterals; XDMF represents lines of two points only by
    # polylines
    kinds = np.array([grid.GetCellType(i) for i in range(grid.GetNumberOfCells())])
    faces = kinds == 9
    assert set(kinds[~faces]) in ({3}, {4}) and not faces[: np.count_nonzero(~faces)].any()
    corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
    lines, corners = np.split(corners, [2 * np.count_nonzero(~faces)])
    points = vtk_to_numpy(grid.GetPoints().GetData()).copy()
    cells = lines.reshape(-1, 2).copy(), corners.reshape(-1, 4).copy()
    return Read(points, *cells, fields(grid.GetPointData()), fields(grid.GetCellData()))


def read_vtu_series(path: Path) -> tuple[list[float], Any]:
    from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader

    root = ElementTree.parse(path).getroot()
    assert (root.tag, root.get("type")) == ("VTKFile", "Collection")
    entries = {float(e.attrib["timestep"]): path.parent / e.attrib["file"] for e in root.iter("DataSet")}

    def frame(time: float) -> Read:
        reader = vtkXMLUnstructuredGridReader()
        assert reader.CanReadFile(str(entries[time]))
        reader.SetFileName(str(entries[time]))
        reader.Update()
        return convert(reader.GetOutput())

    return list(entries), frame


def read_pipeline(reader: Any, path: Path) -> tuple[list[float], Any]:
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline

    reader.SetFileName(str(path))
    reader.UpdateInformation()
    info = reader.GetOutputInformation(0)
    key = vtkStreamingDemandDrivenPipeline.TIME_STEPS()

    def frame(time: float) -> Read:
        reader.UpdateTimeStep(time)
        output = reader.GetOutputDataObject(0)
        return convert(output.GetBlock(0) if output.IsA("vtkMultiBlockDataSet") else output)

    return list(info.Get(key)) if info.Has(key) else [], frame


def read_series(path: Path) -> tuple[list[float], Any]:
    """Return the times, and a function that reads the frame of a time."""
    from vtkmodules.vtkIOHDF import vtkHDFReader
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader

    if path.suffix == ".pvd":
        return read_vtu_series(path)
    times, frame = read_pipeline(vtkXdmfReader() if path.suffix == ".xdmf" else vtkHDFReader(), path)
    if path.suffix == ".vtkhdf" and not times:
        # the reader returns a single step as a mesh without time
        import h5py

        with h5py.File(path) as file:
            times = list(file["VTKHDF/Steps/Values"]) if "Steps" in file["VTKHDF"] else []
    return times, frame


def check_series(path: Path, mesh: LineMesh, times: list[float], field_tolerance: float = 0.0) -> None:
    read_times, frame = read_series(path)
    assert read_times == times
    # read in reverse order, because reading in order would hide wrong offsets
    for k in reversed(range(len(times))):
        read, given = frame(times[k]), create_frame(mesh, k)
        assert read.points.dtype == np.float64
        assert_array_equal(read.lines, mesh.lines)
        assert_array_equal(read.faces, mesh.faces)
        points, point_data = read.points, dict(read.point_data)
        if path.suffix == ".xdmf":
            assert_array_equal(points, mesh.points)
            points = points + point_data.pop("displacement")
            # the tolerance covers one rounding error of the difference and one of the sum
            assert_allclose(points, given["points"], rtol=0, atol=1e-15 * 10)
        else:
            assert_array_equal(points, given["points"])
        assert point_data.keys() == given["point_data"].keys()
        velocity = np.column_stack([given["point_data"]["velocity"], np.zeros(len(points))])
        assert_allclose(point_data["velocity"], velocity, rtol=field_tolerance)
        assert_allclose(point_data["axial_force"], given["point_data"]["axial_force"], rtol=field_tolerance)
        cell_data = dict(read.cell_data)
        assert_array_equal(cell_data.pop("part"), mesh.part)
        assert cell_data.keys() == given["cell_data"].keys()
        for name in ("gap", "normal force"):
            assert_allclose(cell_data[name], given["cell_data"][name], rtol=field_tolerance)
        for name in ("sticking", "count"):
            assert cell_data[name].dtype.kind == "i"
            assert_array_equal(cell_data[name], given["cell_data"][name])
