"""Changes of a file that are written completely or not at all, in three steps:

    1. If readers ignore bytes after the end of the file, the new bytes are written there.
    2. Changes of bytes before the end of the file are written to a journal, which is a small file in the same folder.
    3. The changes are made in the file. Then the journal is removed.

If the disk is full in step 1 or 2, the file is truncated to its old length, so its content is unchanged. If a write
fails in step 3, the changes are undone. If the undo fails, or if the process is killed in step 3, the journal remains,
and `recover` later completes the changes. If the process is killed in step 1 or 2, readers find the old content.

    python -m windlass.framework.files.journal FILE ...    completes changes that a killed run has left unfinished
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

from windlass.framework.errors import OutputError
from windlass.framework.files.whole_files import NO_ROOM, Bytes, NoRoomError, check_seal, replace_file, seal, write_all

HEAD = b"windlass journal 1\n"
NUMBERS = struct.Struct("<qq")

Changes = Sequence[tuple[int, Bytes]]
"""Type of the changes of a file: offset [bytes] and new bytes of each change."""


def journal_of(path: Path) -> Path:
    """Return the path of the journal of a file."""
    return path.with_name(f".{path.name}.journal")


def change_file(path: Path, size: int, changes: Changes, behind: Changes = (), end: int | None = None) -> None:
    """Make all changes of a file, or none if a write fails.

    Args:
        path: the file. Other processes must not write to the file at the same time.
        size: length [bytes] of the file before the changes.
        changes: new bytes with offsets before the end of the file.
        behind: new bytes after the end of the file. These bytes are written first, and readers must ignore these bytes.
        end: length [bytes] of the file after the change. The default is the end of the written data, but at least
            ``size``.

    Raises:
        NoRoomError: the disk has no room. The file is unchanged.
        OSError: writing fails for another reason. The file is unchanged, or its journal remains for `recover`.
    """
    is_set = end is not None
    if end is None:
        end = max([size, *(place + len(new) for place, new in (*changes, *behind))])
    needed = end - size + sum(NUMBERS.size + len(new) for _, new in changes)
    try:
        if behind:
            _write(path, behind)
        if is_set:
            os.truncate(path, end)
        if changes:
            _write_journal(journal_of(path), size, end, changes)
    except (OSError, NoRoomError) as found:
        _cut(path, size)
        raise _name_room(path, found, needed) from None
    if changes:
        try:
            _change(path, size, changes)
        except OSError as found:
            raise _name_room(path, found, needed) from None
        journal_of(path).unlink()


def _name_room(path: Path, found: OSError | NoRoomError, needed: int) -> OSError | NoRoomError:
    """Return the error to raise. If the disk is full, the result is a `NoRoomError` that states the needed room
    [bytes], otherwise ``found``.
    """
    error = found.error if isinstance(found, NoRoomError) else found
    return NoRoomError(path, error, needed) if error.errno in NO_ROOM else found


def _change(path: Path, size: int, changes: Changes) -> None:
    """Write the changes to the file. If a write fails, undo all changes, remove the journal and raise the error again.
    If the undo also fails, the journal and the new bytes after the old end remain, so that `recover` can complete the
    changes.
    """
    before = _read(path, changes)
    try:
        _write(path, changes)
    except OSError:
        with contextlib.suppress(OSError):
            _write(path, before)
            # the new bytes after the old end are needed only while the journal exists
            journal_of(path).unlink()
            _cut(path, size)
        raise


def recover(path: Path) -> bool:
    """Complete the changes of a file from the journal of a killed process, and return whether changes were made. A
    journal that is incomplete, or that does not fit the size of the present file, is removed without changes.
    """
    journal = journal_of(path)
    if not journal.is_file():
        return False
    try:
        content = bytes(check_seal(journal.read_bytes(), f"'{journal}'"))
    except OutputError:
        # the process was killed while it wrote the journal, before it changed the file
        journal.unlink()
        return False
    size, end = NUMBERS.unpack_from(content, len(HEAD))
    count, _ = NUMBERS.unpack_from(content, len(HEAD) + NUMBERS.size)
    place, changes = len(HEAD) + 2 * NUMBERS.size, []
    for _ in range(count):
        offset, length = NUMBERS.unpack_from(content, place)
        place += NUMBERS.size
        changes.append((offset, content[place : place + length]))
        place += length
    # a journal is invalid if the file was replaced after the journal was written
    valid = path.is_file() and size <= path.stat().st_size <= end
    if valid:
        _write(path, changes)
    journal.unlink()
    return valid


def _write_journal(journal: Path, size: int, end: int, changes: Changes) -> None:
    parts: list[Bytes] = [HEAD, NUMBERS.pack(size, end), NUMBERS.pack(len(changes), 0)]
    for offset, new in changes:
        parts += [NUMBERS.pack(offset, len(new)), new]
    content = b"".join(parts)
    replace_file(journal, [content, seal(content)])


def _write(path: Path, changes: Changes) -> None:
    number = os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        for offset, new in changes:
            write_all(number, [new], offset)
    finally:
        os.close(number)  # on network disks, the error for a full disk is raised only when the file is flushed


def _read(path: Path, changes: Changes) -> list[tuple[int, bytes]]:
    """Return the changes that would restore the present bytes of a file: for each given change, the offset and the
    present bytes.
    """
    with path.open("rb") as file:
        return [(offset, os.pread(file.fileno(), len(new), offset)) for offset, new in changes]


def _cut(path: Path, size: int) -> None:
    with contextlib.suppress(OSError):
        os.truncate(path, size)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        done = recover(Path(name))
        print(
            f"'{name}': {'the file was completed from its journal' if done else 'the file has no journal to complete'}"
        )
