"""Checkpoints: one file with all data that a run of several solves needs to continue after it was killed.

The solves of a script (`Static.solve`, `Dynamic.march`, `Explicit.march`) are numbered in the order of their start. The
file has one record for each solve. The record contains the last state of a finished solve, or the state of the current
solve at its last checkpoint. A restarted script runs from its beginning. A solve with a record in the file continues
from the record; a finished solve therefore returns immediately.

At each checkpoint the solver drops all cached data that are not in the file, such as tangents, factorisations and lists
of neighbours. An uninterrupted run and a restarted run are therefore equal after the checkpoint.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from windlass.framework.checks.checks import checked, number, optional, path, whole
from windlass.framework.command_line import options
from windlass.framework.command_line.checkpoint_options import EVERY, MINUTES
from windlass.framework.errors import OutputError
from windlass.framework.files.lock import OutputLock
from windlass.framework.files.outputs import Claim, check_output
from windlass.framework.files.whole_files import check_place
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.restart.checkpoint_clock import Clock
from windlass.framework.restart.checkpoint_file import KIND, CheckpointFile, write_checkpoint
from windlass.framework.state.hooks import StepHook


class Solve(Protocol):
    """Interface of a solve in progress; see `SolveCheckpoint`."""

    paused: bool


class Checkpoint(StepHook):
    """Hook that writes checkpoints of solves, and continues solves from checkpoints.

    The options ``-checkpoint``, ``-checkpoint_every`` and ``-restart`` create one `Checkpoint` for all solves of a
    script; this object replaces the `Checkpoint` hooks of the script. Under MPI the first process writes the file, and
    all processes read the file; a restart may use a different number of processes. Create the `Checkpoint` before
    recorders and sensors record values.

    Args:
        path: HDF5 file, replaced completely by each checkpoint; its folder must exist.
        every: number of steps between checkpoints; default: the number in the file to continue from, or 1000. Another
            checkpoint is written at the end of each solve.
        minutes: elapsed time since the previous checkpoint after which an automatic checkpoint is written [min]; 0: no
            automatic checkpoints. An automatic checkpoint does not affect the run. A run that continues from an
            automatic checkpoint differs from the uninterrupted run within the tolerances of the solver.
        restart: file to continue from; None: start from the beginning. ``"auto"``: continue from ``path`` if this file
            exists;

    Attributes:
        path, every: as given.
        clock: decides when a checkpoint is due.
        is_written: whether this process has written the file.
        is_unasked: whether all checkpoints are automatic; automatic checkpoints are written at times given by the
            clock, and are removed when the script ends without error.

    Raises:
        OutputError: a path cannot be written; a file cannot be read, is in use by another run, or is not a checkpoint
            file.
    """

    is_unasked = False

    @checked(
        OutputError,
        path=path(),
        every=optional(whole(1, "a whole number of steps")),
        restart=optional(path()),
        minutes=number("min", minimum=0.0),
    )
    def __init__(
        self,
        path: str | os.PathLike[str],
        every: int | None = None,
        restart: str | os.PathLike[str] | None = None,
        minutes: float = MINUTES,
    ) -> None:
        self.path = Path(path).absolute()
        self.every = int(every) if every is not None else EVERY
        self._newest: CheckpointFile | None = None
        self._known: list[int] = []
        self._begun = 0
        self._active: Solve | None = None
        self.clock = Clock(minutes)
        self.is_written = False
        if options.help_requested():
            return
        self._lock: OutputLock | None = None
        source = None if restart is None else self.path if restart == "auto" else Path(restart).absolute()
        self._prepare()
        # opening the file to continue from also checks the file
        if source != self.path and not self.is_unasked:
            check_output(self.path, "path of Checkpoint", KIND)
        if source is not None and (restart != "auto" or os.path.exists(source)):
            self._newest = CheckpointFile(source)
            self._known = self._newest.numbers
            self.every = int(every) if every is not None else self._newest.every
            if self._known:
                process.replaying = weakref.ref(self)
        elif restart == "auto":
            say(f"there is no checkpoint file '{self.path}' to continue from: the run starts again")

    def _prepare(self) -> None:
        """Check that the file can be written, and lock it."""
        check_place(self.path, "path of Checkpoint")
        self._claim = Claim([self.path], "Checkpoint", takes_over=True)
        if is_first_process():
            self._lock = OutputLock(self.path, "checkpoint file")

    def begin(self, solve_checkpoint: Solve) -> int | None:
        """Begin a solve, and return its number; return None if the solve is part of another solve, which writes the
        checkpoints."""
        if self._active is not None and not self._active.paused:
            return None
        self._active = solve_checkpoint
        self._begun += 1
        return self._begun - 1

    def end(self, solve_checkpoint: Solve) -> None:
        """Mark the end of a finished or abandoned solve."""
        if self._active is solve_checkpoint:
            self._active = None

    def find(self, number: int) -> dict[str, Any] | None:
        """Return the record of a solve in the file to continue from, or None if the file does not contain the solve."""
        return self._newest.read(number) if self._newest is not None and number in self._known else None

    def reach(self, number: int) -> None:
        """End the replay if no record of a later solve exists; call this method after a solve has restored its
        record."""
        if number >= max(self._known, default=-1):
            self.leave_replay()

    def leave_replay(self) -> None:
        """End the replay: from now on the run computes new results."""
        if process.replaying is not None and process.replaying() is self:
            process.replaying = None

    def has_later(self, number: int) -> bool:
        """Whether the file to continue from contains records of later solves."""
        return any(known > number for known in self._known)

    def write(self, number: int, record: Mapping[str, Any]) -> None:
        """Write a new file with the record of this solve and of earlier solves. Records of later solves are dropped,
        because these solves must be repeated."""
        self.leave_replay()
        dropped = [known for known in self._known if known > number]
        if dropped:
            say(f"solve {number} continues: the records of later solves are dropped and these solves are repeated")
        self._known = [known for known in self._known if known <= number]
        if is_first_process():
            self._replace(number, record)
        self.clock.restart()

    def _replace(self, number: int, record: Mapping[str, Any]) -> None:
        """Write the file on the first process."""
        write_checkpoint(self.path, self.every, number, record, self._newest)
        if self._newest is not None:
            self._newest.close()
        self._newest = CheckpointFile(self.path)
        self.is_written = True

    @property
    def source(self) -> str:
        """Name of the file to continue from, for messages."""
        return f"checkpoint file '{self._newest.path if self._newest is not None else self.path}'"


@dataclass
class _Restarts:
    """The checkpoints of this process; the object is global, like PETSc's database of options.

    Attributes:
        asked: whether the options of checkpoints were already read from the command line.
        from_options: the checkpoint that the command line requests.
        unasked: the automatic checkpoint of models that request no checkpoint.
        replaying: the checkpoint whose file the script is still replaying.
    """

    asked: bool = False
    from_options: Checkpoint | None = None
    unasked: Checkpoint | None = None
    replaying: weakref.ref[Checkpoint] | None = None


process = _Restarts()


def say(text: str) -> None:
    """Print a line about a restart on the first process, unless ``-quiet`` is given."""
    if is_first_process() and not options.quiet():
        print(f"restart: {text}", file=sys.stderr, flush=True)
