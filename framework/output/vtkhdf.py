"""VTKHDF time series: one HDF5 file with moved points."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from windlass.framework.errors import OutputError
from windlass.framework.files.hdf5 import change_hdf5, create_hdf5, read_hdf5
from windlass.framework.files.journal import recover
from windlass.framework.files.whole_files import create_draft
from windlass.framework.output.mesh import LineMesh
from windlass.framework.output.series import BrokenSeriesError, FieldSeries, Frame, continuing, writing

_VTK_LINE = 3
_CHUNK_ROWS = 4096
_COPIED_ROWS = 1 << 20


class VtkhdfSeries(FieldSeries):
    """`<name>.vtkhdf`, a single file (VTKHDF 2.0, type UnstructuredGrid) with topology once and points per frame.

    field_type: float64, or float32 for fields of half the size; times and points are always float64, integer
    fields keep their type.

    The file is changed as a whole at the end of `append`, so it can be read between frames; kept frames of an
    interrupted run are copied to a new one once. VTK's reader shows a series of one frame without its time. See
    `FieldSeries` for arguments and errors.

    Format: VTKHDF specification 2.0 of VTK, section on temporal unstructured grids.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        mesh: LineMesh,
        field_type: DTypeLike = np.float64,
        kept: Sequence[float] = (),
        digest: str | None = None,
    ) -> None:
        super().__init__(path, ".vtkhdf", mesh, kept, digest)
        self._field_type = np.dtype(field_type)
        if self._field_type not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise OutputError(f"field_type of VtkhdfSeries = {self._field_type}: must be float32 or float64")
        self._count = 0  # finished frames

    def _add(self, frame: Frame) -> None:
        self._begun = True
        with writing(self.path):
            if self._count == 0 and self._kept:
                self._copy_kept(frame)
            # a fresh file takes the place of the old one, so that a viewer that still shows that keeps it whole
            with change_hdf5(self.path) if self._count else create_hdf5(self.path) as file:
                if self._count == 0:
                    self._fill(file, frame)
                rows = self._write_frame(file["VTKHDF"], frame)
        for name, values in rows.items():
            self._digest.add(name, values)
        self._count += 1

    def _start(self) -> None:
        with create_hdf5(self.path) as file:
            self._fill(file, None)

    def _copy_kept(self, frame: Frame) -> None:
        """A new file with the frames that are kept, for fields like those of a frame."""
        number, draft = create_draft(self.path)
        os.close(number)
        count = len(self._kept)
        self._digest.restart()
        with continuing(self.path, draft):
            recover(self.path)
            with create_hdf5(draft) as target:
                self._fill(target, frame)
            with read_hdf5(self.path) as file:
                self._copy_frames(file["VTKHDF"], draft, frame)
            self._digest.check()
        os.replace(draft, self.path)
        self._count = count

    def _copy_frames(self, old: Any, draft: Path, frame: Frame) -> None:
        """Copy the frames that are kept into a new file, some rows at a time."""
        count, points, lines = len(self._kept), len(self._mesh.points), len(self._mesh.lines)
        with change_hdf5(draft) as target:
            new = target["VTKHDF"]
            for name in ("Connectivity", "CellData/part"):
                if not np.array_equal(old[name][()], new[name][()]):
                    raise BrokenSeriesError("its mesh is another one")
            if list(old["Steps/Values"][:count]) != self._kept:
                raise BrokenSeriesError("its frames are at other times")
            rows = {"Points": points} | {f"PointData/{name}": points for name in new["PointData"]}
            rows |= {f"CellData/{name}": lines for name in new["CellData"] if name != "part"}
            steps = ["Values", "NumberOfParts", "PartOffsets", "PointOffsets", "CellOffsets"]
            # the offsets of all fields of lines are one dataset
            steps += [f"CellDataOffsets/{name}" for name in list(frame.cell_data)[:1]]
            rows |= {f"Steps/{name}": 1 for name in steps}
            for name in rows:
                _check_rows(old[name], new[name], count * rows[name])
                new[name].resize(count * rows[name], axis=0)
            new["Steps"].attrs["NSteps"] = np.int64(count)
        for name, each in rows.items():
            for first in range(0, count * each, _COPIED_ROWS):
                end = min(first + _COPIED_ROWS, count * each)
                values = old[name][first:end]
                self._digest.add(name, values)
                with change_hdf5(draft) as target:
                    target["VTKHDF"][name][first:end] = values

    def _fill(self, file: Any, frame: Frame | None) -> None:
        """Write topology and labels; with a frame also empty datasets for points, fields and steps."""
        mesh, lines = self._mesh, len(self._mesh.lines)
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([2, 0], np.int64)
        root.attrs["Type"] = np.bytes_("UnstructuredGrid")  # must be a string of fixed length
        root["NumberOfPoints"] = np.array([len(mesh.points)], np.int64)
        root["NumberOfCells"] = np.array([lines], np.int64)
        root["NumberOfConnectivityIds"] = np.array([2 * lines], np.int64)
        root["Connectivity"] = mesh.lines.ravel()
        root["Offsets"] = np.arange(0, 2 * lines + 1, 2, dtype=np.int64)
        root["Types"] = np.full(lines, _VTK_LINE, np.uint8)
        root.create_group("PointData")
        root.create_group("CellData")["part"] = mesh.part
        if frame is None:
            root["Points"] = mesh.points
        else:
            self._create_steps(root, frame)

    def _create_steps(self, root: Any, frame: Frame) -> None:
        """Create the growing datasets; those with equal content are one dataset under several names."""
        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = np.int64(0)
        _create_growing(steps, "Values", (), np.dtype(np.float64), _CHUNK_ROWS // 16)
        for name, shape in (("NumberOfParts", ()), ("PartOffsets", ()), ("PointOffsets", ()), ("CellOffsets", (1,))):
            _create_growing(steps, name, shape, np.dtype(np.int64), _CHUNK_ROWS // 16)
        steps["ConnectivityIdOffsets"] = steps["CellOffsets"]
        point_offsets, cell_offsets = steps.create_group("PointDataOffsets"), steps.create_group("CellDataOffsets")
        cell_offsets["part"] = steps["PartOffsets"]  # zeros: labels do not change
        points, lines = len(self._mesh.points), len(self._mesh.lines)
        _create_growing(root, "Points", (3,), np.dtype(np.float64), _whole_frames(points))
        for name, values in frame.point_data.items():
            _create_growing(root["PointData"], name, values.shape[1:], self._type_of(values), _whole_frames(points))
            point_offsets[name] = steps["PointOffsets"]
        first = ""
        for name, values in frame.cell_data.items():
            _create_growing(root["CellData"], name, values.shape[1:], self._type_of(values), _whole_frames(lines))
            if not first:
                _create_growing(cell_offsets, name, (), np.dtype(np.int64), _CHUNK_ROWS // 16)
                first = name
            else:
                cell_offsets[name] = cell_offsets[first]

    def _type_of(self, values: Any) -> np.dtype[Any]:
        return self._field_type if values.dtype.kind == "f" else values.dtype

    def _write_frame(self, root: Any, frame: Frame) -> dict[str, Any]:
        """Write the rows of a frame and return them by dataset."""
        k, points, lines = self._count, len(self._mesh.points), len(self._mesh.lines)
        rows: dict[str, Any] = {"Points": frame.points}
        for place, fields in (("PointData", frame.point_data), ("CellData", frame.cell_data)):
            rows |= {f"{place}/{name}": v.astype(self._type_of(v), copy=False) for name, v in fields.items()}
        rows |= {"Steps/Values": np.array([frame.time]), "Steps/NumberOfParts": np.array([1])}
        rows |= {"Steps/PartOffsets": np.array([0]), "Steps/PointOffsets": np.array([k * points])}
        rows |= {"Steps/CellOffsets": np.array([[0]])}
        # the offsets of all fields of lines are one dataset
        rows |= {f"Steps/CellDataOffsets/{name}": np.array([k * lines]) for name in list(frame.cell_data)[:1]}
        for name, values in rows.items():
            _write_rows(root, name, k, values)
        # last, so that only whole frames are counted
        root["Steps"].attrs["NSteps"] = np.int64(k + 1)
        return rows


def _whole_frames(rows: int) -> int:
    """Rows of a chunk: whole frames, several of them for a small mesh, because each chunk has a cost of its own."""
    return rows * max(1, _CHUNK_ROWS // rows)


def _create_growing(group: Any, name: str, shape: tuple[int, ...], dtype: np.dtype[Any], chunk: int) -> None:
    group.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=(chunk, *shape))


def _write_rows(root: Any, name: str, frame: int, values: Any) -> None:
    """Write the rows of one frame at its place, whatever a failed earlier try has left there."""
    from h5py import h5d, h5s  # here, because most runs do not need it

    # h5py's calls of a lower level: those of a higher one take five times as long, more than all else for small frames
    rows, width = len(values), values.shape[1:]
    dataset = h5d.open(root.id, name.encode())
    dataset.set_extent(((frame + 1) * rows, *width))
    place = dataset.get_space()
    place.select_hyperslab((frame * rows, *(0 for _ in width)), values.shape)
    dataset.write(h5s.create_simple(values.shape), place, values)


def _check_rows(old: Any, new: Any, rows: int) -> None:
    """Raise BrokenSeriesError if an old dataset has not the rows that a new one is to get."""
    if len(old) < rows or old.dtype != new.dtype or old.shape[1:] != new.shape[1:]:
        raise BrokenSeriesError(f"{old.name} has {len(old)} rows of {old.dtype}: needs {rows} of {new.dtype}")
