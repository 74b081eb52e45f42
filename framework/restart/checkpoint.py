"""Checkpoints. One file contains all data that are needed to continue a killed run of several solves.

The solves of a script (`Static.solve`, `Dynamic.march`, `Explicit.march`) are numbered in the order in which they
start. The file has one record for each solve. The record of a finished solve contains its last state. The record of the
current solve contains the state at its last checkpoint. A restarted script runs from its beginning. If the file has a
record of a solve, the solve continues from this record. A solve that was finished in the interrupted run therefore
returns immediately.

At each checkpoint, the solver discards all cached data that are not in the file, such as tangents, factorisations and
lists of neighbours. Automatic checkpoints are an exception. After such a checkpoint, an uninterrupted run and a
restarted run therefore give equal results.
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
from windlass.framework.launch import error_report
from windlass.framework.launch.launcher import is_first_process
from windlass.framework.restart.checkpoint_clock import Clock
from windlass.framework.restart.checkpoint_file import KIND, CheckpointFile, write_checkpoint
from windlass.framework.state.hooks import StepHook


class Solve(Protocol):
    """Interface of a solve in progress. See `SolveCheckpoint`."""

    paused: bool


class Checkpoint(StepHook):
    """Hook that writes checkpoints of solves, and continues solves from checkpoints.

    The options ``-checkpoint``, ``-checkpoint_every`` and ``-restart`` create one `Checkpoint` for all solves of a
    script. This `Checkpoint` replaces the `Checkpoint` hooks of the script. Under MPI, the first process writes the
    file, and all processes read the file. A restarted run can use a different number of processes. Create the
    `Checkpoint` before recorders and sensors record values.

    Args:
        path: HDF5 file, which each checkpoint replaces completely. The folder of the file must exist.
        every: number of steps between checkpoints. The default is the number in the file from which the run continues,
            or 1000 if the run starts from the beginning. A further checkpoint is written at the end of each solve.
        minutes: elapsed time [min] since the previous checkpoint after which an automatic checkpoint is written. With
            0, no automatic checkpoints are written. An automatic checkpoint does not affect the run. If a run continues
            from an automatic checkpoint, its results agree with the results of the uninterrupted run only within the
            tolerances of the solver.
        restart: file from which the run continues. With None, the run starts from the beginning. With ``"auto"``, the
            run continues from ``path`` if this file exists.

    Attributes:
        path, every: the arguments of the constructor. If the argument ``every`` was None, the attribute ``every`` is
            the default number.
        clock: object that determines when an automatic checkpoint is due.
        is_unasked: whether all checkpoints are automatic. Automatic checkpoints are removed when the script ends
            without error.

    Raises:
        OutputError: a path cannot be written. A file cannot be read, is in use by another run, or is not a checkpoint
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
        if options.help_requested():
            return
        self._lock: OutputLock | None = None
        source = None if restart is None else self.path if restart == "auto" else Path(restart).absolute()
        self._prepare()
        # the file from which the run continues is checked later, when it is opened
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
        """Check that the checkpoint file can be written, and lock the file."""
        check_place(self.path, "path of Checkpoint")
        self._claim = Claim([self.path], "Checkpoint", takes_over=True)
        if is_first_process():
            self._lock = OutputLock(self.path, "checkpoint file")

    def begin(self, solve_checkpoint: Solve) -> int | None:
        """Begin a solve, and return its number. If the solve is part of another solve, return None, because checkpoints
        are then written by the other solve.
        """
        if self._active is not None and not self._active.paused:
            return None
        self._active = solve_checkpoint
        self._begun += 1
        return self._begun - 1

    def end(self, solve_checkpoint: Solve) -> None:
        """Mark the end of a solve that has finished or was abandoned."""
        if self._active is solve_checkpoint:
            self._active = None

    def find(self, number: int) -> dict[str, Any] | None:
        """Return the record of a solve. The record is read from the file from which the run continues. Return None if
        the file contains no such record.
        """
        return self._newest.read(number) if self._newest is not None and number in self._known else None

    def reach(self, number: int) -> None:
        """End the replay if the file contains no record of a later solve. Call this method after a solve has restored
        its record.
        """
        if number >= max(self._known, default=-1):
            self.leave_replay()

    def leave_replay(self) -> None:
        """End the replay (the part of a restarted run that repeats solves of the interrupted run). After this call the
        run computes new results.
        """
        if process.replaying is not None and process.replaying() is self:
            process.replaying = None

    def has_later(self, number: int) -> bool:
        """Return whether the file from which the run continues contains records of later solves."""
        return any(known > number for known in self._known)

    def write(self, number: int, record: Mapping[str, Any]) -> None:
        """Write a new file with the records of this solve and of earlier solves. Records of later solves are removed,
        because these solves must run again.
        """
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
        if self is process.from_options or self is process.unasked:
            error_report.process["checkpoint"] = self.path

    @property
    def source(self) -> str:
        """Return the name of the file from which the run continues, for messages."""
        return f"checkpoint file '{self._newest.path if self._newest is not None else self.path}'"


@dataclass
class _Restarts:
    """The checkpoints of this process. The object is global, because the options of checkpoints are valid for all
    solves of a process.

    Attributes:
        asked: whether the options for checkpoints have been read from the command line.
        from_options: the `Checkpoint` that options of the command line request.
        unasked: the automatic `Checkpoint` of a script that requests no checkpoints.
        replaying: while a restarted script repeats solves of the interrupted run, the `Checkpoint` with the file of
            their results; otherwise None.
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
