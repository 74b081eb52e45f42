"""Checkpoints: one file with all data that a run of several solves needs to continue after it was killed.

The solves of a script (`Static.solve`, `Dynamic.march`, `Explicit.march`) are numbered in the order of their start. The
file has one record for each solve: the last state of a finished solve, or the state at the last checkpoint of the
current solve. A restarted script runs from the beginning; a solve with a record in the file continues from the record,
so a finished solve returns at once.

At each checkpoint the solver also drops all data that it caches between steps but that are not in the file: tangents
and their factorisations, lists of neighbours. A continued and a restarted run are therefore equal after the checkpoint.
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
    """A solve in progress; see `SolveCheckpoint`."""

    paused: bool


class Checkpoint(StepHook):
    """Writes checkpoints of the solves that receive it as a hook, and continues from them.

    The options ``-checkpoint``, ``-checkpoint_every`` and ``-restart`` create a checkpoint for all solves of a script,
    which replaces the checkpoints of the model. Under MPI the first process writes and all processes read; the number
    of processes may change at a restart. Create the checkpoint before recorders and sensors record values.

    Args:
        path: HDF5 file, replaced completely by each checkpoint; its folder must exist.
        every: number of steps between checkpoints; default: as in the file to continue from, or 1000. Another
            checkpoint is written at the end of each solve.
        minutes: elapsed time since the last checkpoint after which the next one is written [min]; 0: never. An
            automatic checkpoint does not affect the run; a run that continues from it differs within the tolerances.
        restart: file to continue from; None: start from the beginning. ``"auto"``: ``path``, if it exists;

    Attributes:
        path, every: as given.
        clock: decides when a checkpoint is due.
        is_written: whether this process has written the file.
        is_unasked: whether checkpoints are automatic: written by the clock alone, and removed at an end without error.

    Raises:
        OutputError: a path cannot be written, or a file cannot be read, is written by another run, or is not a
            checkpoint file.
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
        # opening a file to continue from includes more checks
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
        """Begin a solve; returns its number, or None if the solve is part of another solve, whose checkpoints
        suffice."""
        if self._active is not None and not self._active.paused:
            return None
        self._active = solve_checkpoint
        self._begun += 1
        return self._begun - 1

    def end(self, solve_checkpoint: Solve) -> None:
        """Mark the end of a solve, finished or abandoned."""
        if self._active is solve_checkpoint:
            self._active = None

    def find(self, number: int) -> dict[str, Any] | None:
        """The record of a solve in the file to continue from, or None if the file does not contain the solve."""
        return self._newest.read(number) if self._newest is not None and number in self._known else None

    def reach(self, number: int) -> None:
        """Note that a solve has restored its record, if it has one; after the last record the restart is complete."""
        if number >= max(self._known, default=-1):
            self.leave_replay()

    def leave_replay(self) -> None:
        """Mark the end of the replay: the run computes new results from now on."""
        if process.replaying is not None and process.replaying() is self:
            process.replaying = None

    def has_later(self, number: int) -> bool:
        """Whether the file to continue from contains records of later solves."""
        return any(known > number for known in self._known)

    def write(self, number: int, record: Mapping[str, Any]) -> None:
        """Replace the file without records of later solves, which no longer follow from this solve."""
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
        """The file to continue from, for messages."""
        return f"checkpoint file '{self._newest.path if self._newest is not None else self.path}'"


@dataclass
class _Restarts:
    """Checkpoints of this process; one record per process, like PETSc's database of options.

    Attributes:
        asked: whether the command line was read.
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
    """Print a line about a restart, on the first process, except under -quiet."""
    if is_first_process() and not options.quiet():
        print(f"restart: {text}", file=sys.stderr, flush=True)
