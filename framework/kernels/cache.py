"""Files with machine code: content of the files, choice of the folder, and checks of owner and permissions.

A file contains a JSON header and two blocks of code from the compiler, and ends with a digest of all preceding bytes.
The header contains the key of the kernel, so a file of another kernel is detected. For security, the owner of the
folder and of the file must be the user or root. No other user may have permission to write to the folder or the file.
Links are never followed. No data are unpickled.
"""

from __future__ import annotations

import functools
import grp
import json
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

from windlass.framework.files.whole_files import check_seal, seal
from windlass.framework.kernels.numba_parts import numba_version

FORMAT = 8
MAGIC = b"windlass machine code\n"


class UntrustedError(Exception):
    """Error for a folder or file that another user may have written."""


@functools.cache
def find_folder(wish: str) -> tuple[Path | None, str]:
    """Return the subfolder of the requested folder ``wish`` for this version of Python and numba. If necessary, create
    this subfolder. Return None and the reason if the folder cannot be used.
    """
    version = f"kernels-{FORMAT}-{sys.implementation.cache_tag}-numba-{numba_version()}"
    try:
        root = Path(wish).expanduser().absolute()
        folder = root / version
        if not folder.is_dir():
            root.parent.mkdir(parents=True, exist_ok=True)
            for new in (root, folder):
                new.mkdir(mode=0o700, exist_ok=True)
        folder = folder.resolve()
        check_folder(folder)
    except (OSError, RuntimeError, UntrustedError) as error:
        return None, f"the cache folder {wish} cannot be used ({error})"
    return folder, ""


def check_folder(folder: Path) -> None:
    """Raise UntrustedError if another user can write files into a folder or replace the folder."""
    for place in (folder, *folder.parents):
        status = place.stat()
        if status.st_uid not in (0, os.geteuid()):
            raise UntrustedError(f"{place} belongs to user {status.st_uid}")
        # in a folder with the sticky bit, only the owner of a file may rename the file
        if place != folder and status.st_mode & stat.S_ISVTX:
            continue
        if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not _is_private(status.st_gid)):
            raise UntrustedError(f"other users may write {place}")


def _is_private(group: int) -> bool:
    """Return whether a group is the private group that some systems create for every user."""
    try:
        return group == os.getegid() and len(grp.getgrgid(group).gr_mem) <= 1
    except KeyError:
        return False


def write_file(path: Path, header: dict[str, Any], blocks: tuple[bytes, bytes]) -> None:
    """Write a file completely or not at all. Raise OSError if the file cannot be written."""
    head = json.dumps(header | {"lengths": [len(block) for block in blocks]}).encode()
    content = b"".join([MAGIC, len(head).to_bytes(8, "little"), head, *blocks])
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix="part-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content + seal(content))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def read_file(path: Path, key: str) -> tuple[dict[str, Any], bytes, bytes] | None:
    """Return the header and the two blocks of code of a file. The first block is machine code, and is empty for an
    inner kernel. The second block is intermediate code that is inserted into callers. Return None if the file does not
    exist.

    Raises:
        UntrustedError: another user owns the file, or other users may write to the file.
        WindlassError: the digest of the file is wrong.
        LookupError: the file contains another kernel.
    """
    content = _read_trusted(path)
    if content is None:
        return None
    inside = bytes(check_seal(content, f"'{path}'"))
    start = len(MAGIC) + 8
    length = int.from_bytes(inside[len(MAGIC) : start], "little")
    header = json.loads(inside[start : start + length]) if inside.startswith(MAGIC) else {}
    if header.get("key") != key:
        raise LookupError("it belongs to another kernel")
    first, second = header["lengths"]
    start += length
    return header, inside[start : start + first], inside[start + first : start + first + second]


def _read_trusted(path: Path) -> bytes | None:
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(number, "rb") as file:
        status = os.fstat(number)
        trusted = status.st_uid in (0, os.geteuid()) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not (stat.S_ISREG(status.st_mode) and trusted):
            raise UntrustedError(f"{path} belongs to another user, or other users may write it")
        return file.read()
