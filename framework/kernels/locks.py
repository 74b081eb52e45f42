"""One process compiles a kernel; others that need it at the same time wait for its machine code."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

WAIT = 60.0
"""Time after which a process compiles a kernel itself although another process, which may be stopped, has begun to
compile it [s]."""
PAUSE = 0.01
"""Time between two checks [s]."""


class Lock:
    """The right to compile the kernel of a file; the system releases it when its process ends.

    Args:
        path: file of the machine code.
        wait: whether to wait for the process that holds the lock; otherwise only check.

    Attributes:
        held: whether this process holds the lock.
        waited: whether another process held the lock before.
    """

    def __init__(self, path: Path, wait: bool = True) -> None:
        self._path = path.with_name(f"lock-{path.name}")
        self.held = self.waited = False
        try:
            self._number = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:  # without a lock file (read-only folder, full disk) every process compiles for itself
            return
        end = time.monotonic() + (WAIT if wait else 0.0)
        while True:
            try:
                fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.held = True
                return
            except BlockingIOError:
                self.waited = True
            except OSError:  # the file system does not support locks
                break
            if time.monotonic() >= end:
                break
            time.sleep(PAUSE)
        os.close(self._number)

    def release(self) -> None:
        """Release the right."""
        if self.held:
            self.held = False
            # a waiting process has the same file open; after the release it looks for the machine code before it
            # compiles
            self._path.unlink(missing_ok=True)
            os.close(self._number)
