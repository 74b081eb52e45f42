"""Series of `.vtu` files with moved points, collected in a `.pvd`."""

import os
import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import XML_MARK, check_output
from windlass.framework.files.whole_files import replace_file
from windlass.framework.output.series import BrokenSeriesError, FieldSeries, SeriesFrame, writing

_HEAD = f'<?xml version="1.0"?>\n{XML_MARK.decode()}<VTKFile type="Collection" version="0.1">\n<Collection>\n'
_TAIL = "</Collection>\n</VTKFile>\n"


class VtuSeries(FieldSeries):
    """One `<name>_000000.vtu` per frame beside `<name>.pvd`, which is the file to open.

    Every frame is written with its moved points. The `.pvd` is replaced as a whole after every frame and lists finished
    frames only, so it can be opened during a run and after a crash. See `FieldSeries` for arguments and errors.
    """

    suffixes = (".pvd",)

    def _prepare(self) -> None:
        self._entries = [self._describe(k, time) for k, time in enumerate(self._kept)]
        self._started = False

    def _add(self, frame: SeriesFrame) -> None:
        import meshio  # here, because a run without output need not wait for it

        cells, lines = self._mesh.blocks(), len(self._mesh.lines)
        by_block = {
            name: [values[:lines], values[lines:]][: len(cells)]
            for name, values in {"part": self._mesh.part, **frame.cell_data}.items()
        }
        grid = meshio.Mesh(frame.points, cells, point_data=frame.point_data, cell_data=by_block)
        number = len(self._entries)
        with writing(self.path):
            self._start()
            content = _as_vtu(grid)
            frame_path = self._frame_path(number)
            check_output(frame_path, "frame of a series", "series")
            replace_file(frame_path, content)
            self._write_collection([*self._entries, self._describe(number, frame.time)])
        self._digest.add("frames", content)

    def _frame_path(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.stem}_{number:06d}.vtu")

    def _describe(self, number: int, time: float) -> str:
        """The line of a frame in the collection."""
        return f'<DataSet timestep="{time!r}" part="0" file={quoteattr(self._frame_path(number).name)}/>\n'

    def _start(self) -> None:
        """Bring the collection to the frames that are kept, and remove others, which would mix with the new ones."""
        self._begun = True
        if self._started:
            return
        frames = [self._frame_path(number) for number in range(len(self._kept))]
        missing = [frame.name for frame in frames if not (frame.is_file() and frame.stat().st_size)]
        if missing:
            raise BrokenSeriesError(f"'{self.path}' cannot be continued: '{missing[0]}' is missing or empty")
        self._digest.restart()
        try:
            for frame in frames:
                self._digest.add("frames", frame.read_bytes())
            self._digest.check()
        except (OSError, BrokenSeriesError) as error:
            raise BrokenSeriesError(f"'{self.path}' cannot be continued: {error}") from None
        pattern = re.compile(re.escape(self.path.stem) + r"_\d{6,}\.vtu")
        found = [file for file in self.path.parent.iterdir() if pattern.fullmatch(file.name) and file not in frames]
        # frames behind those that are kept are of the interrupted run
        try:
            for file in (self.path, *(() if self._kept else found)):
                check_output(file, "series", "series")
        except OutputError as error:
            raise (BrokenSeriesError(str(error)) if self._kept else error) from None
        self._write_collection(self._entries)
        for file in found:
            file.unlink()
        self._started = True

    def _write_collection(self, entries: list[str]) -> None:
        replace_file(self.path, (_HEAD + "".join(entries) + _TAIL).encode())
        self._entries = entries


def _as_vtu(grid: Any) -> bytes:
    """The content of a file, which meshio can write to a file only: to one in memory."""
    import meshio  # here, because a run without output need not wait for it

    with os.fdopen(os.memfd_create("vtu"), "rb") as file:
        meshio.vtu.write(os.dup(file.fileno()), grid, binary=True, compression="zlib")
        file.seek(0)
        return file.read().replace(b"<VTKFile", XML_MARK + b"<VTKFile", 1)
