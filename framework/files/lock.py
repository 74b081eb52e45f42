"""Locks of output files. With locks, two runs cannot write to one file at the same time, which would destroy the data.

The lock of the files ``belt.*`` is a small file ``.belt.lock`` in their folder. The lock file contains the ID of the
process that created it (its owner). The operating system locks the file (``flock``) while the owner runs. Before
SIGTERM or SIGHUP ends a process, the process removes its lock files. If another signal, such as SIGKILL, ends a
process, its lock files remain. The next process takes over these locks and prints a note. On disks without ``flock``, a
lock is valid while the process that is named in the lock file runs.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from windlass.framework.errors import OutputError
from windlass.framework.files.whole_files import remove_drafts, remove_own_drafts


@dataclass
class _Held:
    """A lock of this process. The fields are the descriptor of the open lock file (``number``), the number of
    `OutputLock` objects that hold the lock, and the ID of this process.
    """

    number: int
    count: int = 1
    process: int = field(default_factory=os.getpid)


@dataclass
class _Locks:
    """Data of this process: the locks that it holds (by path), the former owners of locks whose takeover was reported
    by a note, and the function that returns whether notes are suppressed.
    """

    held: dict[Path, _Held] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    is_quiet: Callable[[], bool] = lambda: False


_process = _Locks()


def be_quiet_if(is_quiet: Callable[[], bool]) -> None:
    """Set the function that returns whether notes on locks are suppressed (-quiet)."""
    _process.is_quiet = is_quiet


class OutputLock:
    """Lock of a file, or of files with a common name. One process can acquire a lock several times.

    The lock is released by `release`, by deletion of the object, or at the end of the process.

    Args:
        path: the file. For several files with a common name: the folder and the common name without suffix.
        what: name of the locked file, for messages.

    Raises:
        OutputError: another process holds the lock, or the lock file cannot be created.
    """

    def __init__(self, path: Path, what: str) -> None:
        lock = path.parent.resolve() / f".{path.name}.lock"
        _acquire(lock, f"{what} '{path}'")
        self.release = weakref.finalize(self, _release, lock, os.getpid())


def _acquire(lock: Path, what: str) -> None:
    if lock in _process.held:
        _process.held[lock].count += 1
        return
    while True:
        try:
            number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise OutputError(f"{what} cannot be locked: '{lock}': {error.strerror}") from None
        try:
            _lock(number, lock, what)
            # another process may have removed the file in the meantime
            if lock.exists() and os.fstat(number).st_ino == lock.stat().st_ino:
                break
        except BaseException:
            os.close(number)
            raise
        os.close(number)
    owner = _read_owner(number)
    if owner:
        _say_taken_over(owner, what)
    os.ftruncate(number, 0)
    me = {"process": os.getpid(), "host": os.uname().nodename, "since": time.strftime("%Y-%m-%d %H:%M:%S")}
    # on a full disk, the process ID cannot be written to the lock file, but the lock is valid
    with contextlib.suppress(OSError):
        os.pwrite(number, json.dumps(me).encode(), 0)
    _process.held[lock] = _Held(number)
    remove_drafts(lock.parent, lock.name[1 : -len(".lock")], alone=True)
    end_cleanly()


def _lock(number: int, lock: Path, what: str) -> None:
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        owner = _read_owner(number)
        if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP) and not _may_be_alive(owner):
            return
        raise OutputError(
            f"{what} is being written by another run, {_describe(owner)}: choose other files, or wait for the "
            "end of that run"
            + ("" if error.errno == errno.EWOULDBLOCK else f"; if that run no longer exists, remove '{lock}'")
        ) from None


def _release(lock: Path, process: int) -> None:
    # a child process inherits this object, but does not own the lock
    held = _process.held.get(lock)
    if held is None or process != os.getpid():
        return
    held.count -= 1
    if held.count == 0:
        del _process.held[lock]
        lock.unlink(missing_ok=True)
        os.close(held.number)


def end_cleanly() -> None:
    """Install signal handlers that remove locks and drafts before SIGTERM or SIGHUP ends this process. Signal handlers
    of the user's program are kept.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    """Remove locks and drafts, and let the signal end the process."""
    for lock, held in list(_process.held.items()):
        if held.process == os.getpid():
            with contextlib.suppress(OSError):
                lock.unlink(missing_ok=True)
    remove_own_drafts()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _read_owner(number: int) -> dict[str, Any]:
    try:
        owner = json.loads(os.pread(number, 4096, 0))
    except ValueError:
        return {}
    return owner if isinstance(owner, dict) else {}


def _may_be_alive(owner: dict[str, Any]) -> bool:
    """Return whether the process that is named in a lock may still run. The result is True if the process is on another
    host, because processes on other hosts cannot be checked.
    """
    if owner.get("host") != os.uname().nodename:
        return bool(owner)
    try:
        os.kill(int(owner.get("process", 0)), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        pass
    return True


def _describe(owner: dict[str, Any]) -> str:
    if not owner:
        return "whose process is not known"
    return f"process {owner.get('process')} on {owner.get('host')} since {owner.get('since')}"


def _say_taken_over(owner: dict[str, Any], what: str) -> None:
    key = f"{owner.get('process')} {owner.get('host')}"
    if key not in _process.said and not _process.is_quiet():
        print(
            f"{what}: the lock of {_describe(owner)}, which no longer exists, is taken over",
            file=sys.stderr,
            flush=True,
        )
    _process.said.add(key)
