"""Base class of formats with one file per frame and an index file. The user opens the index file in a viewer."""

from __future__ import annotations

import re
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from windlass.framework.errors import OutputError
from windlass.framework.files.outputs import check_output, is_series
from windlass.framework.files.whole_files import replace_file
from windlass.framework.output.series import BrokenSeriesError, FieldSeries, SeriesFrame, writing


class FrameFiles(FieldSeries):
    """A series of files such as ``<name>_000000.vtu``, each with one frame, and an index file.

    A subclass defines the contents of a frame file and of the index. Frame files and index begin with one of the
    format's ``marks``, or are XML with the words ``written by Windlass``. A later run with an equal name replaces only
    files that begin with such a mark or contain these words. The index lists only finished frames, and is replaced
    after every frame. The series can therefore be opened during a run and after a crash. The arguments and errors are
    explained in `FieldSeries`.
    """

    frame_suffix: ClassVar[str]
    """Suffix of the frame files. The suffix of the index is in ``suffixes``."""

    @abstractmethod
    def encode_frame(self, frame: SeriesFrame) -> bytes:
        """Return the content of the file of one frame, for the lines and faces of ``self.mesh``."""

    @abstractmethod
    def encode_entry(self, file: str, time: float) -> str:
        """Return the index entry of a frame, from the name of its file and its time [s]."""

    @abstractmethod
    def encode_index(self, entries: list[str]) -> str:
        """Return the content of the index file."""

    def _prepare(self) -> None:
        self._entries = [self._enter(k, time) for k, time in enumerate(self._kept)]
        self._started = False

    def _add(self, frame: SeriesFrame) -> None:
        number = len(self._entries)
        with writing(self.path):
            self._start()
            content = self.encode_frame(frame)
            if not is_series(content):
                raise OutputError(f"a frame of '{self.path}': must begin with one of the marks of its format")
            frame_path = self._frame_path(number)
            check_output(frame_path, "frame of a series", "series")
            replace_file(frame_path, content)
            self._write_index([*self._entries, self._enter(number, frame.time)])
        self._digest.add("frames", content)

    def _frame_path(self, number: int) -> Path:
        return self.beside(f"_{number:06d}{self.frame_suffix}")

    def _enter(self, number: int, time: float) -> str:
        return self.encode_entry(self._frame_path(number).name, time)

    def _start(self) -> None:
        """Remove all frames from the index except the kept frames of the interrupted run, and delete the files of the
        removed frames. Otherwise the series would contain frames of both runs.
        """
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
        pattern = re.compile(re.escape(self.beside("").name) + r"_\d{6,}" + re.escape(self.frame_suffix))
        found = [file for file in self.path.parent.iterdir() if pattern.fullmatch(file.name) and file not in frames]
        # if the series continues an interrupted run, the files of frames that are not kept are removed without a check
        # of their marks
        try:
            for file in (self.path, *(() if self._kept else found)):
                check_output(file, "series", "series")
        except OutputError as error:
            raise (BrokenSeriesError(str(error)) if self._kept else error) from None
        self._write_index(self._entries)
        for file in found:
            file.unlink()
        self._started = True

    def _write_index(self, entries: list[str]) -> None:
        content = self.encode_index(entries).encode()
        if not is_series(content):
            raise OutputError(f"the index '{self.path}': must begin with one of the marks of its format")
        replace_file(self.path, content)
        self._entries = entries
