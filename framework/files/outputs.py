"""Checks of all output files. Windlass creates new files, and overwrites only empty files and files that earlier runs
of Windlass have written.

A file of Windlass is recognised by its mark, which is a sequence of bytes near the beginning or the end of the file.
The mark is an attribute of HDF5, a comment, a key, a heading, or the digest of a sealed file (see whole_files.py).
Files that PETSc writes cannot contain a mark of Windlass. A file of PETSc is therefore marked by a hidden file in its
folder, for example ``.log.txt.windlass``. If two writers in one process use one file, an error is raised, unless the
second writer takes over the file (see `Claim`).
"""

from __future__ import annotations

import errno
import os
import re
import struct
import sys
import weakref
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from windlass.framework.errors import OutputError
from windlass.framework.files.whole_files import (
    SEAL_SIZE,
    Bytes,
    check_place,
    check_target,
    remove_drafts,
    replace_file,
    shorten,
)

MARK = b"written by Windlass"
XML_MARK = b"<!-- " + MARK + b" -->\n"
HEAD_SIZE, TAIL_SIZE = 1 << 16, 1 << 8
"""HEAD_SIZE, TAIL_SIZE: numbers of bytes at the beginning and at the end of a file in which the mark is searched."""
LONGEST_NAME = 223
"""Largest number of bytes of an output file name. File systems allow 255 bytes, but the names of drafts and journals
are longer than the name of the output file.
"""
PNG = b"\x89PNG\r\n\x1a\n"
SEALED = rb"\nsha256 [0-9a-f]{64}\n"
LEDGER = rb"time \[s\](,[^,\n]+ \[J\])*,rest \[J\][,\n]"
CAMPBELL = rb"speed \[[^],\n]*\],mode \[1\],frequency \[Hz\],damping \[1\](,assurance \[1\])?\n"
MODES = b"mode [1],frequency [Hz],damping [1],growth [1/s],residual [1]"
SENSORS = b"time [s],step [1],"
FIT = rb"time \[s\](,[^,\n]+ measured \[[^],\n]*\],[^,\n]+ fit \[[^],\n]*\])+\n"
SWEEP = rb"case,[^\n]*,?status,reason,run_time[,\n]"


def _is_sealed(head: bytes, tail: bytes, kind: bytes) -> bool:
    return head.startswith(kind) and re.fullmatch(SEALED, tail[-SEAL_SIZE:]) is not None


def _is_table(head: bytes) -> bool:
    return head.startswith((SENSORS, MODES)) or any(re.match(kind, head) for kind in (LEDGER, CAMPBELL, SWEEP, FIT))


def _is_picture(head: bytes, tail: bytes) -> bool:
    if head.startswith(PNG):
        return b"tEXtSoftware\0Windlass" in head
    is_kind = head.startswith((b"GIF8", b"%PDF")) or head[4:8] == b"ftyp" or b"<svg" in head
    return is_kind and MARK in tail[-64:]


_series_marks: list[bytes] = []
"""The first bytes of the files of a series (one file per frame), for formats other than HDF5 and XML."""


def note_series_mark(mark: bytes) -> None:
    """Register the bytes with which a file of a series (one file per frame) begins."""
    if mark not in _series_marks:
        _series_marks.append(mark)


def is_series(head: bytes) -> bool:
    """Return whether a file that begins with the given bytes is a file of a series that Windlass has written."""
    return (head.startswith((b"\x89HDF", b"<?xml")) and MARK in head) or head.startswith(tuple(_series_marks))


_MARKS: dict[str, Callable[[bytes, bytes], bool]] = {
    "checkpoint file": lambda head, tail: _is_sealed(head, tail, b"\x89HDF"),
    "state file": lambda head, tail: _is_sealed(head, tail, b"PK"),
    "model file": lambda head, tail: head.startswith(b"{") and b'"windlass model"' in head,
    "series": lambda head, tail: is_series(head),
    "table": lambda head, tail: _is_table(head) or (head.startswith(b"PAR1") and MARK in tail),
    "picture": _is_picture,
    "report": lambda head, tail: b'<meta name="generator" content="Windlass' in head,
    "summary": lambda head, tail: head.startswith(b'{\n  "written_by": "Windlass"'),
    "statistics": lambda head, tail: head.startswith(b'[\n  {\n    "solve": ') and b'"rejected"' in head,
    "file of options": lambda head, tail: head.startswith(b"# windlass tune "),
    "output of PETSc": lambda head, tail: False,
    "sensor file of Exudyn": lambda head, tail: head.startswith(b"#") and (b"xudyn" in head or MARK in head),
    "solution file of Exudyn": lambda head, tail: head.startswith(b"#") and b"\n#number of written coordinates" in head,
    "model of Exudyn": lambda head, tail: head.startswith(b"{") and b'"exudyn system"' in head,
}
"""Functions that recognise the type of a file from its first and last bytes."""


def check_output(path: Path, what: str, kind: str, own: bytes = b"") -> Path:
    """Return the path after a check that Windlass may write to this path: either no file exists there, or Windlass has
    written the file.

    Each writer calls this function when it receives the path, and again before it writes the file.

    Args:
        path: the file.
        what: name of the output, for the message.
        kind: type of the file, which determines its mark.
        own: a file that begins with these bytes is treated as a file of Windlass, even without the mark of its type.
            Writers of tables pass the header of the table.

    Raises:
        OutputError: the path is too long, is not a file, is the script of the model, or is a file of another type or
            another program.
    """
    length = len(os.fsencode(path.name))
    if length > LONGEST_NAME:
        words = f"{what} {shorten(str(path))}: its name has {length} bytes"
        raise OutputError(f"{words.lstrip()}: must have at most {LONGEST_NAME} bytes")
    check_target(path, what)
    try:
        if is_model(path):
            raise OutputError(f"{what} {path}: is the file of the model itself: must be another file")
        if not path.exists() or path.stat().st_size == 0:
            return path
        head, tail = _read_ends(path)
    except OSError as error:
        raise OutputError(f"{what} {path}: cannot be read ({error.strerror}): the file is not overwritten") from None
    if not (_MARKS[kind](head, tail) or (own and head.startswith(own)) or _is_noted(path)):
        found = next((name for name, belongs in _MARKS.items() if belongs(head, tail)), "")
        there = f"a {found} of Windlass" if found else "a file that this Windlass has not written"
        raise OutputError(
            f"{what} {path}: {there} exists and is not overwritten: must be another name, or remove or rename "
            "the existing file"
        )
    return path


def is_model(path: Path) -> bool:
    """Return whether a file is the script that this process runs."""
    script = Path(sys.argv[0] if sys.argv and sys.argv[0] else os.devnull)
    return script.is_file() and path.exists() and path.samefile(script)


def _read_ends(path: Path) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        head = file.read(HEAD_SIZE)
        file.seek(max(file.seek(0, os.SEEK_END) - TAIL_SIZE, 0))
        return head, file.read(TAIL_SIZE)


def write_output(path: Path, content: Bytes | Sequence[Bytes], what: str, kind: str, sync: bool = False) -> None:
    """Write a whole file after a check that Windlass may write to the path. See `check_output` and `replace_file`.

    Raises:
        NoRoomError: the file does not fit on the disk. The old file is unchanged.
        OutputError: Windlass may not write to the path, another writer of this process uses the file, or the disk
            fails.
    """
    check_output(path, what, kind)
    holder = _find_holder(path)
    if holder is not None:
        raise OutputError(f"{what} {path}: is already written by {holder.what} of this run: must be another file")
    if path.parent.is_dir():
        remove_drafts(path.parent, path.name)
    try:
        replace_file(path, content, sync)
    except OSError as error:
        raise OutputError(f"{what} {path}: {error.strerror}; must be in a folder that can be written") from None


class Claim:
    """Exclusive right of one writer to write its files within this process, until the object is released or deleted.

    A new writer can take over the files of an earlier writer with an equal name. This takeover is allowed if the
    earlier writer has already written its files, as in a loop, or if Python runs interactively. After a takeover the
    earlier writer can no longer write. If no takeover is allowed, an error is raised, because both writers would write
    to one file.

    Args:
        files: all files of the writer.
        what: name of the writer, for messages.
        takes_over: whether the new writer also takes over the files of an earlier writer that has not yet written.

    Raises:
        OutputError: another writer uses one of the files.
    """

    def __init__(self, files: Iterable[Path], what: str, takes_over: bool = False) -> None:
        self.what, self._begun = what, False
        self._files = [_resolve(file) for file in files]
        for file in self._files:
            holder = _claims.get(file)
            same = holder is not None and holder.what == what
            # in a notebook, a failed cell may be executed again while the objects of the failed execution still exist
            if holder is not None and not (same and (holder._begun or takes_over or hasattr(sys, "ps1"))):
                raise OutputError(
                    f"{what} '{file}': {'another ' * (holder.what == what)}{holder.what} of this run also writes this "
                    "file: each output must have a separate file, or the earlier output must be closed first"
                )
        for file in self._files:
            _claims[file] = self

    def begin(self) -> None:
        """Record that the writer now writes its files, and claim these files again if they were released. The method
        itself does not write to the files.

        Raises:
            OutputError: another writer has taken over the files.
        """
        self._begun = True
        for file in self._files:
            if _claims.get(file, self) is not self:
                raise OutputError(
                    f"{self.what} '{file}': a later {self.what} of this run writes this file: each output must have a "
                    "separate file"
                )
            _claims[file] = self

    def release(self) -> None:
        """Release the files at the end of writing. The method `begin` claims the files again."""
        for file in self._files:
            if _claims.get(file) is self:
                del _claims[file]


_claims: weakref.WeakValueDictionary[Path, Claim] = weakref.WeakValueDictionary()
"""Writer of each output file of this process."""
_of_options: list[Claim] = []
"""Claims of the files that options name. These claims exist until the process ends."""


def claim_options(files: Sequence[tuple[str, Path]]) -> None:
    """Claim the files that options name, and release the files that the options of an earlier command line named.

    Raises:
        OutputError: a file is named by two options.
    """
    for claim in _of_options:
        claim.release()
    _of_options[:] = [Claim([path], name) for name, path in files]


def _find_holder(path: Path) -> Claim | None:
    """Return the claim of the sensor, recorder or checkpoint that writes a file during the steps of a solve, or None if
    no such claim exists.
    """
    holder = _claims.get(_resolve(path))
    return None if holder in _of_options else holder


def _resolve(path: Path) -> Path:
    """Return the absolute path of a file, which need not exist. Links in the path of its folder are followed. If the
    path itself is a link, the link is not followed, because a new file replaces the link.
    """
    return path.parent.resolve() / path.name


def mark_picture(content: bytes) -> bytes:
    """Return the bytes of a picture or film (PNG, GIF, MP4, PDF or SVG) with the mark of Windlass."""
    if content.startswith(PNG):
        text = b"tEXtSoftware\0Windlass"
        chunk = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
        first = 8 + 12 + struct.unpack(">I", content[8:12])[0]
        return content[:first] + chunk + content[first:]
    if content.startswith(b"GIF8") and content.endswith(b";"):
        return content[:-1] + b"\x21\xfe" + bytes([len(MARK)]) + MARK + b"\0;"
    if content[4:8] == b"ftyp":
        return content + struct.pack(">I", 8 + len(MARK)) + b"free" + MARK
    if content.startswith(b"%PDF"):
        return content.rstrip() + b"\n% " + MARK + b"\n"
    return content.rstrip() + b"\n" + XML_MARK


def note_output(path: Path) -> None:
    """Create a hidden file that marks an output file as a file of Windlass. Call this function before another library
    writes the output file.

    If the output file does not exist, an empty output file is created. If another file later replaces the output file,
    the mark is not valid for the new file.
    """
    check_place(path, "output")
    with path.open("ab") as file:
        number = os.fstat(file.fileno()).st_ino
    replace_file(_note_of(path), MARK + f" {number}\n".encode())


def _note_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.windlass")


def _is_noted(path: Path) -> bool:
    try:
        return _note_of(path).read_bytes() == MARK + f" {path.stat().st_ino}\n".encode()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.EACCES, errno.ENAMETOOLONG):
            return False
        raise
