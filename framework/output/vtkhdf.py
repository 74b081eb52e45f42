"""VTKHDF time series. One HDF5 file contains the positions of the points in each frame.

Frames are written without the HDF5 library. When the allocated space is full, the file is opened with the library. The
library allocates space for the next frames, and returns the offsets of the rows of these frames in the file. A frame is
then written directly to the file at these offsets. Finally the number of frames in the file is incremented. Until the
number is incremented, readers ignore the new frame. The file contains the number of frames twice: as the attribute
``NSteps`` and as the length of ``Steps/Values``. VTK's reader requires equal numbers. If possible, both numbers are
stored in one page of the file, and are then changed by one write.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.errors import OutputError
from windlass.framework.files.hdf5 import PAGE, Overlay, change_hdf5, create_hdf5, read_hdf5
from windlass.framework.files.journal import change_file, recover
from windlass.framework.files.whole_files import NO_ROOM, NoRoomError, create_draft, put_draft, write_all
from windlass.framework.output.series import BrokenSeriesError, FieldSeries, SeriesFrame, continuing, writing

_VTK_LINE, _VTK_QUAD = 3, 9
_BATCH_BYTES, _BATCH_FRAMES = 1 << 23, 32
_STEP_ROWS = 256
_COPIED_ROWS = 1 << 20
_COUNT = int.from_bytes(b"Windlas", "big")
"""Number that is first written in place of the number of frames. A search for this number then finds the offset of the
number of frames in the file. The beginning of the file must contain this number exactly twice: as the attribute
``NSteps`` and as the length of ``Steps/Values``.
"""
_STEPS = ("NumberOfParts", "PartOffsets", "PointOffsets", "CellOffsets")


class VtkhdfSeries(FieldSeries):
    """A single file `<name>.vtkhdf` (VTKHDF 2.0, type UnstructuredGrid) with one topology for all frames, and with
    separate points for each frame.

    Times and points are always float64. Integer fields keep their type. If the file is compressed, the library writes
    each frame as a separate chunk (zlib, level 1, bytes shuffled).

    Viewers can read the file while no frame is being written. Kept frames of an interrupted run are copied once to a
    new file. If a series has only one frame, VTK's reader does not show the time of this frame. The arguments and
    errors are explained in `FieldSeries`.

    Format: VTKHDF specification 2.0 of VTK, section on temporal unstructured grids.
    """

    suffixes = (".vtkhdf",)

    def _prepare(self) -> None:
        # number of finished frames, number of allocated frames, and number of frames that the digest includes
        self._count = self._room = self._digested = 0
        self._batch = 1  # number of frames for which space is allocated at once
        self._counts: list[int] = []  # offsets [bytes] of both frame counts in the file
        # for each dataset, the offsets [bytes] in the file at which the rows of each batch of frames begin
        self._places: dict[str, list[int]] = {}

    @property
    def digest(self) -> str:
        """Digest of all frames. Frames written after the last access to this property are read from the file."""
        if self._digested < self._count:
            import h5py  # imported here, because most runs do not need h5py

            with writing(self.path), h5py.File(self.path, "r", locking=False) as file:
                for name, first, end in self._blocks(file["VTKHDF"], self._digested, self._count):
                    self._digest.add(name, file["VTKHDF"][name][first:end])
            self._digested = self._count
        return super().digest

    def _add(self, frame: SeriesFrame) -> None:
        self._begun = True
        with writing(self.path):
            if self._count == 0:
                if self._kept:
                    self._copy_kept(frame)
                else:
                    # a new file is written and then replaces the old file, so that viewers in which the old file is
                    # open can still read the old file
                    self._create(self.path, frame)
            rows = _rows_of(frame)
            if self._count == self._room:
                self._make_room(rows)
            number = os.open(self.path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                self._write_rows(number, {"Steps/Values": np.array([frame.time])} | rows)
                self._write_count(number, self._count + 1)
            finally:
                os.close(number)  # on network disks, the error for a full disk is raised only when the file is flushed
        self._count += 1

    def _start(self) -> None:
        with create_hdf5(self.path) as file:
            self._fill(file.create_group("VTKHDF"))

    def _create(self, path: Path, frame: SeriesFrame) -> None:
        """Create a file without frames for the fields of a given frame."""
        size = frame.points.nbytes + sum(v.nbytes for v in (*frame.point_data.values(), *frame.cell_data.values()))
        self._batch = 1 if self.style.compress else min(max(_BATCH_BYTES // size, 1), _BATCH_FRAMES)

        def note_counts(overlay: Overlay) -> None:
            overlay.seek(0)
            content, mark = overlay.read(min(overlay.end, 16 * PAGE)), np.int64(_COUNT).tobytes()
            self._counts = [content.find(mark), content.rfind(mark)]
            if content.count(mark) != 2:
                raise OutputError(f"'{path}': this HDF5 library uses another file layout; use formats='vtu'")
            _lay_count(overlay, self._counts, 0)

        with create_hdf5(path, note_counts) as file:
            root = file.create_group("VTKHDF")
            # the group of steps is written before other data, so that both frame counts are in the first page of the
            # file
            steps = root.create_group("Steps")
            steps.attrs["NSteps"] = np.int64(_COUNT)
            if self.style.axis != "time":
                steps.attrs["FrameAxis"] = np.bytes_(self.style.axis)
            steps.create_dataset("Values", (_COUNT,), np.float64, maxshape=(None,), chunks=(_STEP_ROWS,))
            self._fill(root)
            self._create_rows(root, frame)
            root.attrs["FieldUnits"] = np.bytes_(json.dumps(dict(self.units)))
        self._room, self._places = 0, {}

    def _copy_kept(self, frame: SeriesFrame) -> None:
        """Create a new file for the fields of a given frame, with copies of the kept frames."""
        number, draft = create_draft(self.path)
        os.close(number)
        self._digest.restart()
        with continuing(self.path, draft):
            recover(self.path)
            self._create(draft, frame)
            with read_hdf5(self.path) as file:
                self._copy_frames(file["VTKHDF"], draft, len(self._kept))
            self._digest.check()
        put_draft(draft, self.path)
        self._count = self._digested = len(self._kept)

    def _copy_frames(self, old: Any, draft: Path, count: int) -> None:
        """Copy the kept frames to a new file, a few rows at a time."""
        with change_hdf5(draft, lambda overlay: _lay_count(overlay, self._counts, count)) as target:
            new = target["VTKHDF"]
            for name in ("Connectivity", "CellData/part"):
                if not np.array_equal(old[name][()], new[name][()]):
                    raise BrokenSeriesError("its mesh is another one")
            if list(old["Steps/Values"][:count]) != self._kept:
                raise BrokenSeriesError("the frames have other times")
            for name, _, end in self._blocks(new, count - 1, count):
                _check_rows(old[name], new[name], end)
            while self._room < count:
                self._extend(new)
        for name, first, end in self._blocks(old, 0, count):
            values = old[name][first:end]
            self._digest.add(name, values)
            with change_hdf5(draft, lambda overlay: _lay_count(overlay, self._counts, count)) as target:
                target["VTKHDF"][name][first:end] = values

    def _blocks(self, root: Any, begin: int, end: int) -> list[tuple[str, int, int]]:
        """Divide the rows of the frames from ``begin`` to ``end`` - 1, in all datasets that grow with the number of
        frames, into blocks of at most `_COPIED_ROWS` rows. Return (name of the dataset, first row, last row + 1) of
        each block.
        """
        points, cells = len(self.mesh.points), len(self.mesh.part)
        each = {"Points": points} | {f"PointData/{name}": points for name in root["PointData"]}
        each |= {f"CellData/{name}": cells for name in root["CellData"] if name != "part"}
        each |= dict.fromkeys([f"Steps/{name}" for name in ("Values", *_STEPS)], 1)
        # all cell fields have a common dataset of offsets
        fields = [name for name in root["Steps/CellDataOffsets"] if name != "part"]
        each |= {f"Steps/CellDataOffsets/{name}": 1 for name in fields[:1]}
        return [
            (name, first, min(first + _COPIED_ROWS, end * rows))
            for name, rows in each.items()
            for first in range(begin * rows, end * rows, _COPIED_ROWS)
        ]

    def _fill(self, root: Any) -> None:
        """Write the cells and labels of the mesh, and its reference points if the file has no steps."""
        mesh = self.mesh
        corners = np.repeat([2, 4], [len(mesh.lines), len(mesh.faces)])
        root.attrs["Version"] = np.array([2, 0], np.int64)
        root.attrs["Type"] = np.bytes_("UnstructuredGrid")  # VTK requires a string of fixed length
        root["NumberOfPoints"] = np.array([len(mesh.points)], np.int64)
        root["NumberOfCells"] = np.array([len(corners)], np.int64)
        root["NumberOfConnectivityIds"] = np.array([corners.sum()], np.int64)
        root["Connectivity"] = np.concatenate((mesh.lines.ravel(), mesh.faces.ravel()))
        root["Offsets"] = np.append(0, np.cumsum(corners))
        root["Types"] = np.where(corners == 2, _VTK_LINE, _VTK_QUAD).astype(np.uint8)
        root.create_group("PointData")
        root.create_group("CellData")["part"] = mesh.part
        if "Steps" not in root:
            root["Points"] = mesh.points

    def _create_rows(self, root: Any, frame: SeriesFrame) -> None:
        """Create the datasets that grow with the number of frames. Datasets with equal content are stored as one
        dataset with several names.
        """
        steps = root["Steps"]
        for name in _STEPS:
            shape = (1,) if name == "CellOffsets" else ()
            steps.create_dataset(name, (0, *shape), np.int64, maxshape=(None, *shape), chunks=(_STEP_ROWS, *shape))
        steps["ConnectivityIdOffsets"] = steps["CellOffsets"]
        point_offsets, cell_offsets = steps.create_group("PointDataOffsets"), steps.create_group("CellDataOffsets")
        cell_offsets["part"] = steps["PartOffsets"]  # labels are constant, so the offset of labels is always 0
        for name, values in _rows_of(frame).items():
            self._create_growing(root, name, values)
        for name in frame.point_data:
            point_offsets[name] = steps["PointOffsets"]
        for k, name in enumerate(frame.cell_data):
            if k == 0:
                first = cell_offsets.create_dataset(name, (0,), np.int64, maxshape=(None,), chunks=(_STEP_ROWS,))
            else:
                cell_offsets[name] = first

    def _create_growing(self, root: Any, name: str, values: Any) -> None:
        from h5py import h5d, h5p, h5s, h5t  # imported here, because most runs do not need h5py

        made, width = h5p.create(h5p.DATASET_CREATE), values.shape[1:]
        made.set_chunk((self._batch * len(values), *width))
        if self.style.compress:
            made.set_shuffle()
            made.set_deflate(1)
        else:
            # the HDF5 library allocates space in the file immediately, without writing values
            made.set_alloc_time(h5d.ALLOC_TIME_EARLY)
            made.set_fill_time(h5d.FILL_TIME_NEVER)
        space = h5s.create_simple((0, *width), (h5s.UNLIMITED, *width))
        h5d.create(root.id, name.encode(), h5t.py_create(values.dtype), space, made)

    def _make_room(self, rows: dict[str, Any]) -> None:
        """Allocate space for the next frames. If the file is compressed, this function also writes the rows of the
        frames, because only the library can write compressed rows.
        """
        before = self._room
        try:
            with change_hdf5(self.path, lambda overlay: _lay_count(overlay, self._counts, self._count)) as file:
                self._extend(file["VTKHDF"])
                for name, values in rows.items() if self.style.compress else ():
                    file["VTKHDF"][name][self._count * len(values) :] = values
        except BaseException:
            self._room = before
            raise

    def _extend(self, root: Any) -> None:
        """Allocate space for one more batch of frames in a file that the library has opened. Before the file is closed,
        the caller must write the number of frames.
        """
        first, end = self._room, self._room + self._batch
        points, cells, all_steps = len(self.mesh.points), len(self.mesh.part), root["Steps"]
        values = all_steps["Values"]
        values.resize(end, axis=0)
        values[first:end] = 0.0
        known = len(all_steps["NumberOfParts"])
        if end > known:
            # the values of these datasets do not depend on the run, so whole chunks are written in advance
            steps = np.arange(known, -(-end // _STEP_ROWS) * _STEP_ROWS)
            constant = {"NumberOfParts": 1, "PartOffsets": 0, "PointOffsets": steps * points, "CellOffsets": 0}
            fields = [name for name in all_steps["CellDataOffsets"] if name != "part"]
            for name, numbers in (constant | {f"CellDataOffsets/{name}": steps * cells for name in fields[:1]}).items():
                dataset = all_steps[name]
                dataset.resize(steps[-1] + 1, axis=0)
                dataset[known:] = numbers
        for name in ("Points", *(f"{g}/{n}" for g in ("PointData", "CellData") for n in root[g] if n != "part")):
            dataset, rows = root[name], cells if name.startswith("CellData") else points
            dataset.resize(end * rows, axis=0)
            if not self.style.compress:
                self._note_place(name, dataset, first // self._batch, first * rows)
        self._note_place("Steps/Values", values, first // _STEP_ROWS, first)
        self._note_place("Steps/Values", values, (end - 1) // _STEP_ROWS, end - 1)
        self._room = end

    def _note_place(self, name: str, dataset: Any, chunk: int, row: int) -> None:
        """Store the offset [bytes] at which the chunk with a given row begins in the file."""
        place = dataset.id.get_chunk_info_by_coord((row, *(0 for _ in dataset.shape[1:]))).byte_offset
        places = self._places.setdefault(name, [])
        places[chunk:] = [place]

    def _write_rows(self, number: int, rows: dict[str, Any]) -> None:
        """Write the rows of a frame to the open file at the offsets that were obtained from the library."""
        for name, values in rows.items():
            chunk = _STEP_ROWS if name == "Steps/Values" else self._batch
            if name not in self._places:
                continue  # the HDF5 library writes compressed frames
            place = self._places[name][self._count // chunk] + self._count % chunk * values.nbytes
            try:
                write_all(number, [values], place)
            except OSError as error:
                if error.errno in NO_ROOM:
                    raise NoRoomError(self.path, error, sum(v.nbytes for v in rows.values())) from None
                raise

    def _write_count(self, number: int, count: int) -> None:
        """Set the number of frames in the file to ``count``."""
        low, high = self._counts
        new = np.int64(count).tobytes()
        if low // PAGE != high // PAGE:
            size = os.fstat(number).st_size
            change_file(self.path, size, [(low, new), (high, new)])
            return
        # one write, which is atomic within a page, changes both frame counts, and repeats the constant bytes between
        # them
        between = os.pread(number, high - low - len(new), low + len(new))
        write_all(number, [new + between + new], low)


def _lay_count(overlay: Overlay, places: Sequence[int], count: int) -> None:
    for place in places:
        overlay.seek(place)
        overlay.write(np.int64(count).tobytes())


def _rows_of(frame: SeriesFrame) -> dict[str, Any]:
    """Return the points and fields of a frame, by the names of their datasets."""
    fields = {f"PointData/{name}": values for name, values in frame.point_data.items()}
    return {"Points": frame.points} | fields | {f"CellData/{name}": values for name, values in frame.cell_data.items()}


def _check_rows(old: Any, new: Any, rows: int) -> None:
    """Raise BrokenSeriesError if a dataset of the old file has fewer than ``rows`` rows, or if the type or shape of its
    rows differs from the dataset of the new file.
    """
    if len(old) < rows or old.dtype != new.dtype or old.shape[1:] != new.shape[1:]:
        raise BrokenSeriesError(f"{old.name} has {len(old)} rows of {old.dtype}: needs {rows} of {new.dtype}")
