"""Files that are written completely or not at all, and digests that detect changed files.

A new file is first written to the folder of the old file under an unpredictable name, and then renamed in one
operation. If the disk is full, the old file remains. A sealed file ends with a seal, which contains the SHA-256 digest
of all preceding bytes.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import hashlib
import io
import os
import re
import resource
import secrets
import stat
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

from windlass.framework.errors import OutputError

Bytes = bytes | bytearray | memoryview
SEAL = b"\nsha256 %s\n"
SEAL_SIZE = len(SEAL % (b"0" * 64))
"""Number of bytes of each seal. Because all seals have this length, the seal at the end of a file can be located."""
LONGEST_TEXT = 300
"""Largest number of characters of a path in messages."""
DRAFT = re.compile(r"\.+(.*)\.([0-9a-f]{16})\.part(\.journal)?")
OLD = 60.0
"""Drafts (unfinished files) of processes on other hosts are treated as abandoned if they are older than this time
[s].
"""
_drafts: set[Path] = set()
"""Paths of the drafts (unfinished files) of this process."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class NoRoomError(OutputError):
    """Error for a file that does not fit on the disk, exceeds a quota, or exceeds the largest allowed file size."""

    def __init__(self, path: Path, error: OSError, needed: int) -> None:
        self.error, self.needed = error, needed
        if error.errno == errno.EFBIG:
            room = f"files may have {resource.getrlimit(resource.RLIMIT_FSIZE)[0]} bytes"
        else:
            room = f"{count_free(path.parent)} bytes are free"
        super().__init__(
            f"'{path}' cannot be written: {needed} bytes are needed, {room} ({error.strerror}); "
            "earlier output is unchanged"
        )


def count_free(folder: Path) -> int:
    """Return the number of bytes that this process can still write to a folder."""
    disk = os.statvfs(folder)
    return disk.f_frsize * (disk.f_bfree if os.geteuid() == 0 else disk.f_bavail)


def shorten(text: str) -> str:
    """Return a text for messages. From a text of more than `LONGEST_TEXT` characters, only the first 60 and the last 20
    characters are shown.
    """
    return text if len(text) <= LONGEST_TEXT else f"{text[:60]}...{text[-20:]}"


def check_target(path: Path, what: str = "") -> Path:
    """Check that a file can be created with this path, and return the path. ``what`` is the name of the output in
    messages.

    Raises:
        OutputError: the path is a folder, a device, a FIFO or a socket, or the operating system rejects the path.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"{what} {shorten(str(path))}: {reason}".lstrip()) from None
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "folder", stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket"}
        found = kinds.get(stat.S_IFMT(mode), "device")
        raise OutputError(f"{what} {path} is a {found}: must be a file in a folder that can be written".lstrip())
    return path


def check_place(path: Path, what: str) -> Path:
    """Check that a file can be written to this path, and return the path. The arguments are explained in
    `check_target`.

    Raises:
        OutputError: the folder does not exist or cannot be written, or the path is not a file.
    """
    check_target(path, what)
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise OutputError(f"{what} {shorten(str(path))}: must be a file in a folder that exists and can be written")
    return path


def replace_file(path: Path, content: Bytes | Sequence[Bytes], sync: bool = False) -> None:
    """Write a whole file. Until the new file is complete, readers find the complete old file.

    If the path is a link, the new file replaces the link.

    Args:
        path: the file.
        content: bytes of the file, in one or several parts.
        sync: whether to flush the file to the disk before it is renamed.

    Raises:
        NoRoomError: the file does not fit on the disk. The old file is unchanged.
        OSError: writing fails for another reason. The old file is unchanged.
    """
    parts = [content] if isinstance(content, Bytes) else content
    number, draft = create_draft(path)
    try:
        try:
            write_all(number, parts)
            if sync:
                os.fsync(number)
        finally:
            os.close(number)
        put_draft(draft, path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        if error.errno in NO_ROOM:
            raise NoRoomError(path, error, sum(len(part) for part in parts)) from None
        raise
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if sync:
        sync_folder(path.parent)


def create_draft(path: Path) -> tuple[int, Path]:
    """Create a draft, which is an empty file in the folder of a path. Return its descriptor, open for reading and
    writing, and its path.

    The name of a draft ends with random digits, the process ID and a digest of the host name.
    """
    end = f"{secrets.token_hex(3)}{os.getpid():06x}{_host()}"
    draft = path.parent.absolute() / f".{path.name}.{end}.part"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    number = os.open(draft, flags, 0o666)
    _drafts.add(draft)
    return number, draft


def put_draft(draft: Path, path: Path) -> None:
    """Rename a complete draft to its final name."""
    os.replace(draft, path)
    _drafts.discard(draft)


def remove_drafts(folder: Path, name: str, alone: bool = False) -> None:
    """Remove the drafts of a file, or of the files of a series, that killed processes have left.

    Args:
        folder: folder of the drafts.
        name: name of the file, or of the series without suffix.
        alone: whether a lock ensures that no other process writes the file.
    """
    own = re.compile(re.escape(name) + r"(_part\d+)?(_\d+)?(\.\w+)*")
    with contextlib.suppress(OSError):
        for path in folder.absolute().iterdir():
            found = DRAFT.fullmatch(path.name)
            if found is not None and own.fullmatch(found[1]) and (alone or not _is_at_work(path, found[2])):
                path.unlink(missing_ok=True)


def remove_own_drafts() -> None:
    """Remove all drafts of this process. Call this function before the process ends."""
    for draft in [draft for draft in _drafts if draft.name.endswith(f"{os.getpid():06x}{_host()}.part")]:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def _is_at_work(path: Path, end: str) -> bool:
    """Return whether the process that created a draft may still be writing the draft. For a process on another host,
    the result depends only on the age of the draft.
    """
    process = int(end[6:12], 16)
    if end[12:] != _host():
        return time.time() - path.stat().st_mtime < OLD
    if process == os.getpid():
        return path in _drafts
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


@functools.cache
def _host() -> str:
    """Return four hexadecimal digits that depend on the name of this host."""
    return hashlib.sha256(os.uname().nodename.encode()).hexdigest()[:4]


def write_all(number: int, parts: Iterable[Bytes], offset: int = 0) -> None:
    """Write parts one after the other to an open file, beginning at a given offset."""
    for part in parts:
        view = memoryview(part).cast("B")
        while len(view):
            count = os.pwrite(number, view, offset)
            view, offset = view[count:], offset + count


def sync_folder(folder: Path) -> None:
    """Flush the list of file names in a folder to the disk, if the disk supports such a flush."""
    number = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network disks cannot sync folders
            raise
    finally:
        os.close(number)


def seal(content: Bytes) -> bytes:
    """Return the seal of a file, which contains the digest of all preceding bytes."""
    return SEAL % hashlib.sha256(content).hexdigest().encode()


def check_seal(content: bytes, what: str) -> memoryview:
    """Check the seal of a file, and return the bytes before the seal. See `check_seal_of_file`."""
    check_seal_of_file(io.BytesIO(content), what)
    return memoryview(content)[:-SEAL_SIZE]


def check_seal_of_file(file: BinaryIO, what: str) -> None:
    """Compare the seal at the end of an open file with the digest of the bytes before the seal.

    Raises:
        OutputError: the seal is missing or wrong.
    """
    left = max(file.seek(0, os.SEEK_END) - SEAL_SIZE, 0)
    file.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (block := file.read(min(left, 1 << 20))):
        digest.update(block)
        left -= len(block)
    last = file.read()
    if last != SEAL % digest.hexdigest().encode():
        kind = "does not have the digest at its end" if last.startswith(SEAL[:8]) else "has no digest at its end"
        raise OutputError(f"{what} {kind}: the file is truncated, corrupt, of another kind, or of an older Windlass")
