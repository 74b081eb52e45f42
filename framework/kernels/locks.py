"""Locks for the compilation of kernels. One process compiles a kernel, and other processes that need the kernel wait
for the machine code.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

WAIT = 60.0
"""Longest time [s] that a process waits while another process compiles a kernel. After this time the waiting process
compiles the kernel itself, because the other process may be suspended.
"""
PAUSE = 0.01
"""Time [s] between two attempts to acquire a lock."""


class Lock:
    """Lock for the compilation of one kernel. The path of the machine code file identifies the kernel. If the process
    that holds the lock ends, the operating system releases the lock.

    Args:
        path: file for the machine code of the kernel.
        wait: whether to wait while another process holds the lock. If ``wait`` is false, only one attempt to acquire
            the lock is made.

    Attributes:
        held: whether this process holds the lock.
        waited: whether another process held the lock when this process first tried to acquire the lock.
    """

    def __init__(self, path: Path, wait: bool = True) -> None:
        self._path = path.with_name(f"lock-{path.name}")
        self.held = self.waited = False
        try:
            self._number = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:  # without a lock file (read-only folder, full disk) each process compiles the kernel itself
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
        """Release the lock."""
        if self.held:
            self.held = False
            # The lock file can be removed while waiting processes have it open. When a waiting process acquires the
            # lock, it first searches for the machine code.
            self._path.unlink(missing_ok=True)
            os.close(self._number)
