"""XDMF time series with HDF5 data over the fixed reference mesh."""

import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from windlass.framework.errors import OutputError
from windlass.framework.files.hdf5 import change_hdf5, create_hdf5, read_hdf5
from windlass.framework.files.journal import change_file, journal_of, recover
from windlass.framework.files.outputs import XML_MARK
from windlass.framework.files.whole_files import create_draft, put_draft, replace_file
from windlass.framework.output.mesh import LineMesh
from windlass.framework.output.series import (
    BrokenSeriesError,
    FieldArray,
    FieldSeries,
    SeriesFrame,
    continuing,
    writing,
)

_HEAD = (
    b'<?xml version="1.0"?>\n' + XML_MARK + b'<Xdmf Version="3.0"><Domain>'
    b'<Grid Name="TimeSeries_meshio" GridType="Collection" CollectionType="Temporal">\n'
)


class XdmfSeries(FieldSeries):
    """A series that consists of two files in one folder: `<name>.xdmf`, which the user opens in a viewer, and
    `<name>.h5`, which contains the data. Always move both files together.

    The files contain one mesh for all times, with the points in their reference positions. The filter Warp By Vector
    (scale factor 1) moves the points by the field `displacement` [m], shape (n, 3), in the global frame. The field is
    computed from `points`. If `point_data` also contains `displacement`, the two fields must agree. In single precision
    the field in `point_data` is ignored. ParaView shows two blocks. The first block is the time series. The second
    block is the reference mesh, which does not move. Hide this block.

    The XML file and the data file are complete after every frame. Kept frames of an interrupted run are copied once to
    a new data file. The arguments and errors are explained in `FieldSeries`.
    """

    suffixes = (".xdmf", ".h5")

    def _prepare(self) -> None:
        self._data_path = self.path.with_suffix(".h5")
        self._writer: Any = None  # writer of meshio, created at the first write
        self._part: Any = None  # XML element of the labels, shared by all frames
        self._tail = b""
        self._tail_start = 0  # offset of the next frame in the .xdmf file

    def _add(self, frame: SeriesFrame) -> None:
        displacement: FieldArray = frame.points - self.mesh.points
        if self.style.single:
            displacement = displacement.astype(np.float32)
        elif "displacement" in frame.point_data:
            given = frame.point_data["displacement"]
            # a displacement is a difference of positions, so its rounding error is proportional to the positions
            room = 1e-9 * float(np.abs(self.mesh.points).max())
            if given.shape != displacement.shape or not np.allclose(given, displacement, 1e-9, room, equal_nan=True):
                raise OutputError(
                    f"point_data 'displacement' at time {frame.time!r} s: must be points - reference points [m]"
                )
        fields = {**frame.point_data, "displacement": displacement}
        by_block = {name: [values] for name, values in frame.cell_data.items()}
        with writing(self.path):
            self._start()
            with change_hdf5(self._data_path) as file:
                self._writer.h5_file = file
                self._writer.write_data(frame.time, fields, by_block)
            grid = self._writer.collection[-1]
            self._writer.collection.remove(grid)
            grid.append(self._part)
            text = ElementTree.tostring(grid)
            self._write_grid(text + b"\n")
        self._digest.add("index", text)
        for values in (*fields.values(), *frame.cell_data.values()):
            self._digest.add("data", values)

    def _start(self) -> None:
        """Write reference mesh and labels, and an index of the kept frames."""
        self._begun = True
        if self._tail_start > 0:
            return
        grids: list[bytes] = []
        self._digest.restart()
        if not self._kept:
            # a new file is written and then replaces the old file, so that viewers in which the old file is open can
            # still read the old file
            self._write_mesh(self._data_path)
        else:
            number, draft = create_draft(self._data_path)
            os.close(number)
            with continuing(self.path, draft):
                recover(self.path)
                recover(self._data_path)
                grids = self._find_kept()
                self._write_mesh(draft)
                with read_hdf5(self._data_path) as old:
                    self._copy_data(grids, old, draft)
                self._digest.check()
            put_draft(draft, self._data_path)
        index = _HEAD + b"".join(grid + b"\n" for grid in grids)
        replace_file(self.path, index + self._tail)
        journal_of(self.path).unlink(missing_ok=True)
        self._tail_start = len(index)

    def _write_mesh(self, path: Path) -> None:
        """Write a data file with reference mesh and labels, and store the XML elements of mesh and labels in this
        object.
        """
        from meshio.xdmf import TimeSeriesWriter  # imported here, because only output needs meshio

        writer = TimeSeriesWriter(self.path)
        self._writer = writer
        # By default, meshio would write the data to the working directory, because the XML contains only the name of
        # the data file.
        writer.h5_filename = self._data_path.name
        if len(self.mesh.faces):
            writer.cells = lambda _, grid: _write_mixed(writer, self.mesh, grid)
        with create_hdf5(path) as writer.h5_file:
            writer.write_points_cells(self.mesh.points, self.mesh.blocks())
            holder = ElementTree.Element("Grid")
            writer.cell_data({"part": [self.mesh.part]}, holder)
        self._part = holder[0]
        mesh_grid = writer.domain[1]
        self._tail = b"</Grid>\n" + ElementTree.tostring(mesh_grid) + b"\n</Domain></Xdmf>\n"

    def _find_kept(self) -> list[bytes]:
        """Return the XML of the kept frames from the old file, one line per frame. All other text in the old file is
        ignored.
        """
        content = self.path.read_bytes()
        if not content.startswith(_HEAD):
            raise BrokenSeriesError("the file does not begin like a series of frames")
        grids = content[len(_HEAD) :].split(b"\n")[: len(self._kept)]
        for k, time in enumerate(self._kept):
            found = ElementTree.fromstring(grids[k]).find("Time") if k < len(grids) else None
            if found is None or float(found.get("Value", "nan")) != time:
                raise BrokenSeriesError(f"the frame at {time:.9g} s is missing")
        return grids

    def _copy_data(self, grids: list[bytes], old: Any, draft: Path) -> None:
        """Copy the data of the kept frames, frame by frame, from the old data file to a new data file that already
        contains the mesh."""
        with change_hdf5(draft) as new:
            mesh = list(new)
            same = all(old[name].shape == new[name].shape and (old[name][()] == new[name][()]).all() for name in mesh)
        if not same:
            raise BrokenSeriesError("its mesh is another one")
        self._writer.data_counter = len(mesh)
        for grid in grids:
            self._digest.add("index", grid)
            with change_hdf5(draft) as new:
                for item in ElementTree.fromstring(grid).iter("DataItem"):
                    name = str(item.text).rpartition(":/")[2]
                    if name not in new:
                        values = old[name][()]
                        self._digest.add("data", values)
                        new.create_dataset(name, data=values)
                self._writer.data_counter = len(new)

    def _write_grid(self, grid: bytes) -> None:
        """Overwrite the closing tags at the end of the file with one frame, followed by the closing tags. The file is
        therefore complete after each frame, although only its end is rewritten.
        """
        end = self._tail_start + len(self._tail)
        change_file(self.path, end, [(self._tail_start, grid + self._tail)])
        self._tail_start += len(grid)


def _write_mixed(writer: Any, mesh: LineMesh, grid: Any) -> None:
    """Write lines and faces as the cells of a grid. Meshio's writer fails if a mesh contains lines and cells of other
    types.

    Format: XDMF Model and Format, section on arbitrary topologies. A polyline begins with the number 2 and the number
    of its points. A quadrilateral begins with the number 5.
    """
    lines = np.pad(mesh.lines, ((0, 0), (2, 0)), constant_values=2)
    cells = np.concatenate((lines.ravel(), np.insert(mesh.faces, 0, 5, axis=1).ravel()))
    topology = ElementTree.SubElement(grid, "Topology", TopologyType="Mixed", NumberOfElements=str(len(mesh.part)))
    item = ElementTree.SubElement(
        topology, "DataItem", DataType="Int", Dimensions=str(len(cells)), Format=writer.data_format, Precision="8"
    )
    item.text = writer.numpy_to_xml_string(cells)
