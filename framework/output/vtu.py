"""Series of `.vtu` files with moved points, collected in a `.pvd`."""

import os
from typing import Any
from xml.sax.saxutils import quoteattr

from windlass.framework.files.outputs import XML_MARK
from windlass.framework.output.frame_files import FrameFiles
from windlass.framework.output.series import SeriesFrame

_HEAD = f'<?xml version="1.0"?>\n{XML_MARK.decode()}<VTKFile type="Collection" version="0.1">\n<Collection>\n'
_TAIL = "</Collection>\n</VTKFile>\n"


class VtuSeries(FrameFiles):
    """One `<name>_000000.vtu` per frame, with its moved points, and `<name>.pvd`, the file to open.

    See `FrameFiles`, and `FieldSeries` for arguments and errors.
    """

    suffixes = (".pvd",)
    frame_suffix = ".vtu"

    def encode_frame(self, frame: SeriesFrame) -> bytes:
        """The file of a frame, compressed."""
        import meshio  # imported here, because only output needs it

        cells, lines = self.mesh.blocks(), len(self.mesh.lines)
        by_block = {
            name: [values[:lines], values[lines:]][: len(cells)]
            for name, values in {"part": self.mesh.part, **frame.cell_data}.items()
        }
        return _as_vtu(meshio.Mesh(frame.points, cells, point_data=frame.point_data, cell_data=by_block))

    def encode_entry(self, file: str, time: float) -> str:
        """The line of a frame in the collection."""
        return f'<DataSet timestep="{time!r}" part="0" file={quoteattr(file)}/>\n'

    def encode_index(self, entries: list[str]) -> str:
        """The collection."""
        return _HEAD + "".join(entries) + _TAIL


def _as_vtu(grid: Any) -> bytes:
    """The content of a file, written to a file in memory, because meshio writes only to files."""
    import meshio  # imported here, because only output needs it

    with os.fdopen(os.memfd_create("vtu"), "rb") as file:
        meshio.vtu.write(os.dup(file.fileno()), grid, binary=True, compression="zlib")
        file.seek(0)
        return file.read().replace(b"<VTKFile", XML_MARK + b"<VTKFile", 1)
