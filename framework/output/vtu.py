"""Series of `.vtu` files, one for each frame, with a `.pvd` file as index."""

import os
from typing import Any

from windlass.framework.files.outputs import XML_MARK
from windlass.framework.output.frame_files import FrameFiles
from windlass.framework.output.series import SeriesFrame

_HEAD = f'<?xml version="1.0"?>\n{XML_MARK.decode()}<VTKFile type="Collection" version="0.1">\n<Collection>\n'
_TAIL = "</Collection>\n</VTKFile>\n"


class VtuSeries(FrameFiles):
    """A series that consists of one file for each frame, such as `<name>_000000.vtu`, and of the index `<name>.pvd`.
    The file of a frame contains the present positions of the points. The user opens the index in a viewer.

    The arguments and errors are explained in `FieldSeries`.
    """

    suffixes = (".pvd",)
    frame_suffix = ".vtu"

    def encode_frame(self, frame: SeriesFrame) -> bytes:
        """Return the compressed content of the file of a frame."""
        import meshio  # imported here, because only output needs meshio

        cells, lines = self.mesh.blocks(), len(self.mesh.lines)
        by_block = {
            name: [values[:lines], values[lines:]][: len(cells)]
            for name, values in {"part": self.mesh.part, **frame.cell_data}.items()
        }
        return _as_vtu(meshio.Mesh(frame.points, cells, point_data=frame.point_data, cell_data=by_block))

    def encode_entry(self, file: str, time: float) -> str:
        """Return the line of a frame in the `.pvd` file."""
        from xml.sax.saxutils import quoteattr  # imported here, because the import also loads network modules

        return f'<DataSet timestep="{time!r}" part="0" file={quoteattr(file)}/>\n'

    def encode_index(self, entries: list[str]) -> str:
        """Return the content of the index file."""
        return _HEAD + "".join(entries) + _TAIL


def _as_vtu(grid: Any) -> bytes:
    """Return the content of a `.vtu` file. Because meshio writes only to file objects, the content is first written to
    a file object in memory.
    """
    import meshio  # imported here, because only output needs meshio

    with os.fdopen(os.memfd_create("vtu"), "rb") as file:
        meshio.vtu.write(os.dup(file.fileno()), grid, binary=True, compression="zlib")
        file.seek(0)
        return file.read().replace(b"<VTKFile", XML_MARK + b"<VTKFile", 1)
