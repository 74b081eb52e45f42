"""Campaign that fills the disk at a random time of a run. The run must end with one message and exit code 2, earlier
frames must be readable, and no incomplete file may remain.
"""

from __future__ import annotations

import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from campaigns.model import Undisturbed, compare, find_rest, in_child, read_run, simulate


def limit_files(size: int) -> None:
    """Limit the length [bytes] of all files that this process writes from now on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@contextlib.contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Mount a disk of a given size [bytes] in a folder if this process has the right to mount. Return whether the disk
    is mounted.
    """
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def run(count: int, folder: Path, seed: int = 1) -> str:
    """Run a number of cases: with limited file lengths on any machine, and with small disks if this process can mount
    them.

    Raises:
        AssertionError: a process crashed, a message does not state the needed size, a frame is lost, or an incomplete
            file remains.
    """
    rng = random.Random(seed)
    whole = Undisturbed(folder / "whole")
    largest = max(path.stat().st_size for path in whole.folder.iterdir())
    total = sum(path.stat().st_size for path in whole.folder.iterdir())
    full = disks = 0
    for number in range(count):
        place = folder / f"{number}"
        with small_disk(place, rng.randrange(total // 20, total) if number % 2 else 10 * total) as mounted:
            limit = None if number % 2 and mounted else rng.randrange(100, largest)
            disks += limit is None

            def disturbed(pipe: int, place: Path = place, limit: int | None = limit) -> None:
                if limit is not None:
                    limit_files(limit)
                simulate(place, pipe)

            code, said = in_child(disturbed)
            counts, _, text = said.partition(b"error: ")
            assert code in (0, 2), (number, code, said.decode(errors="replace"))
            full += code == 2
            if code == 2:
                assert b"cannot be written" in text and b"bytes are needed" in text and text.count(b"\n") == 0, text
            assert not find_rest(place), (number, find_rest(place))
            least = counts[-1] if counts else 0
            code, said = in_child(lambda _, p=place, n=least: compare(read_run(p), whole.frames, n))  # type: ignore[misc]
            assert code == 0, (number, said.decode())
            code, said = in_child(lambda _, p=place: read_run(p))  # type: ignore[misc]
        shutil.rmtree(place)
    return f"{count} runs, {full} without room, {disks} of them on small disks: no crash, no frame lost, nothing left"
