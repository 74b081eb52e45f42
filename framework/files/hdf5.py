"""Writing of HDF5 files: a change of a file is written completely or not at all. A full disk does not damage a file,
and readers find only complete frames.

If a write of the HDF5 library fails, the library crashes the process, and the file is lost. Therefore the library
writes to an `Overlay` instead of the file. Large data are written immediately after the end of the file. Readers ignore
data at this position. Small data, and data that overwrite data in memory, remain in memory. After the library has
closed the file, `change_file` writes the data in memory completely or not at all. If the data cannot be written, an
error is raised.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from windlass.framework.files.journal import change_file, journal_of
from windlass.framework.files.outputs import MARK
from windlass.framework.files.whole_files import NO_ROOM, NoRoomError, create_draft, put_draft, write_all

PAGE = 4096
LARGE = 1 << 15
"""Data of this size [bytes] or more are written immediately to the file."""


class Overlay:
    """File object for the HDF5 library. The object stores the changes of a file from opening to closing.

    Args:
        number: descriptor of the file, open for reading and writing.

    Attributes:
        size: length [bytes] of the file when it was opened.
        end: length [bytes] that the file will have after it is closed.
        behind: data beyond the old end of the file that are not yet in the file, as pairs (offset, data) in the order
            of the calls of `write`.
        error: the first exception that was raised while data were written, or None.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self.size = self.end = os.fstat(number).st_size
        self.behind: list[tuple[int, bytes]] = []
        self.error: OSError | None = None
        self._pages: dict[int, bytearray] = {}
        self._place = 0

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the present position to a byte of the file."""
        self._place = (0, self._place, self.end)[whence] + offset
        return self._place

    def tell(self) -> int:
        """Return the present position in the file, as a number of bytes."""
        return self._place

    def read(self, size: int) -> bytes:
        """Read bytes from the present position."""
        buffer = bytearray(size)
        return bytes(memoryview(buffer)[: self.readinto(buffer)])

    def readinto(self, buffer: Any) -> int:
        """Read from the present position into a buffer."""
        view = memoryview(buffer).cast("B")
        start, end = self._place, min(self._place + len(view), self.end)
        view = view[: max(end - start, 0)]
        found = os.pread(self._number, len(view), start)
        view[: len(found)] = found
        view[len(found) :] = bytes(len(view) - len(found))
        if start < self.size:
            for page in range(start // PAGE, (min(end, self.size) - 1) // PAGE + 1):
                if page in self._pages:
                    _lay(view, start, page * PAGE, self._pages[page])
        if end > self.size:
            for place, new in self.behind:
                _lay(view, start, place, new)
        self._place = start + len(view)
        return len(view)

    def write(self, data: Any) -> int:
        """Write data at the present position, and return the number of written bytes."""
        view = memoryview(data).cast("B")
        start, end = self._place, self._place + len(view)
        if start < self.size:
            for page in range(start // PAGE, (min(end, self.size) - 1) // PAGE + 1):
                if page not in self._pages:
                    there = min(PAGE, self.size - page * PAGE)
                    self._pages[page] = bytearray(os.pread(self._number, there, page * PAGE))
                _lay(memoryview(self._pages[page]), page * PAGE, start, view)
        if end > self.size:
            place = max(start, self.size)
            self._write_behind(place, view[place - start :])
        self._place, self.end = end, max(self.end, end)
        return len(view)

    def _write_behind(self, place: int, new: memoryview) -> None:
        # Data in memory are written after the file is closed. New data that overwrite data in memory are therefore also
        # kept in memory.
        end = place + len(new)
        if len(new) < LARGE or any(place < at + len(old) and at < end for at, old in self.behind):
            self.behind.append((place, bytes(new)))
        elif self.error is None:
            try:
                write_all(self._number, [new], place)
            except OSError as error:
                # store the error, because an exception within the HDF5 library would end the process
                self.error = error

    def truncate(self, size: int | None = None) -> int:
        """Set the length of the file after closing to ``size`` (default: the present position), but at least to the old
        length of the file.
        """
        self.end = max(self._place if size is None else size, self.size)
        return self.end

    def flush(self) -> None:
        """Do nothing, because data in memory are written after the file is closed."""

    def changes(self) -> list[tuple[int, bytes]]:
        """Return the changes of bytes before the old end of the file: offset and new bytes of each range. Adjacent
        ranges are joined.
        """
        found: list[tuple[int, bytearray]] = []
        for page in sorted(self._pages):
            new, offset = self._pages[page], page * PAGE
            if os.pread(self._number, len(new), offset) == new:
                continue
            if found and found[-1][0] + len(found[-1][1]) == offset:
                found[-1][1].extend(new)
            else:
                found.append((offset, bytearray(new)))
        return [(offset, bytes(new)) for offset, new in found]


def _lay(below: memoryview, start: int, place: int, new: bytes | bytearray | memoryview) -> None:
    """Overwrite bytes of ``below`` with bytes of ``new``. In the file, ``below`` begins at the offset ``start``, and
    ``new`` begins at the offset ``place``. Only the bytes that are in both ranges are overwritten.
    """
    low, high = max(start, place), min(start + len(below), place + len(new))
    if low < high:
        below[low - start : high - start] = new[low - place : high - place]


def _check(path: Path, overlay: Overlay) -> None:
    """Raise the error of a failed write within the HDF5 library."""
    if overlay.error is not None:
        if overlay.error.errno in NO_ROOM:
            raise NoRoomError(path, overlay.error, overlay.end - overlay.size)
        raise overlay.error


def _finish(path: Path, overlay: Overlay) -> None:
    """Write the data that are still in memory."""
    change_file(path, overlay.size, overlay.changes(), overlay.behind, overlay.end)


def _open_hdf5(overlay: Overlay, mode: str) -> Any:
    """Open a file in the oldest HDF5 format, which all versions of VTK read."""
    import h5py  # imported here, because most runs do not need h5py

    return h5py.File(overlay, mode, libver="earliest")


def _nothing(_: Overlay) -> None:
    pass


@contextmanager
def create_hdf5(path: Path, finish: Callable[[Overlay], None] = _nothing) -> Iterator[Any]:
    """Context manager for a new HDF5 file, which replaces an existing file at the end of the block. If writing fails,
    the old file is unchanged.

    Args:
        path: the file.
        finish: function that receives the `Overlay` and can change the bytes of the file. The function is called after
            HDF5 has closed the file, and before the bytes are written.

    Raises:
        NoRoomError: the disk has no room for the file.
    """
    number, draft = create_draft(path)
    try:
        try:
            overlay = Overlay(number)
            with _open_hdf5(overlay, "w") as file:
                # the mark of Windlass is written first, because `check_output` searches for this mark near the
                # beginning of the file
                file.attrs["creator"] = np.bytes_(MARK)
                yield file
            finish(overlay)
            _check(draft, overlay)
            _finish(draft, overlay)
        finally:
            os.close(number)
        put_draft(draft, path)
        journal_of(path).unlink(missing_ok=True)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


@contextmanager
def change_hdf5(path: Path, finish: Callable[[Overlay], None] = _nothing) -> Iterator[Any]:
    """Context manager for changes of an HDF5 file. At the end of the block, the changes are written completely or not
    at all. The arguments are explained in `create_hdf5`.

    Raises:
        NoRoomError: the disk has no room for the changes.
    """
    number = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        overlay = Overlay(number)
        try:
            with _open_hdf5(overlay, "r+") as file:
                yield file
            finish(overlay)
            _check(path, overlay)
        except BaseException:
            os.ftruncate(number, overlay.size)
            raise
        # if this call fails, the file is not truncated, because `recover` needs the bytes after the old end
        _finish(path, overlay)
    finally:
        os.close(number)


PROBE = """
import h5py, sys
with h5py.File(sys.argv[1], "r", locking=False) as file:
    file.visititems(lambda name, item: item[()] if isinstance(item, h5py.Dataset) else None)
"""


@contextmanager
def read_hdf5(path: Path) -> Iterator[Any]:
    """Context manager that opens an HDF5 file of another run for reading. Because a damaged file may crash the HDF5
    library, an additional process first tries to read the file.

    Raises:
        OSError: the file cannot be read.
    """
    import h5py  # imported here, because most runs do not need h5py

    probe = subprocess.run([sys.executable, "-c", PROBE, str(path)], capture_output=True, text=True)
    if probe.returncode:
        raise OSError(
            (probe.stderr.strip().splitlines() or [f"reading the file ends with code {probe.returncode}"])[-1]
        )
    with h5py.File(path, "r", locking=False) as file:
        yield file
