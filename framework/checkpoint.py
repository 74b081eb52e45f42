"""Checkpoints: what a run of several solves needs to go on after it was killed, in one file.

The solves of a script (`Static.solve`, `Dynamic.march`, `Explicit.march`) are numbered as they begin.  The file has one
record for each: of those that have ended their last state, of the one at work its state at the last checkpoint.  A
script that is restarted runs from its top; a solve that the file knows takes over its record instead of beginning, so
that one that had ended returns at once.

At each checkpoint the solver also forgets what it carries from step to step beside the record: kept tangents and their
factorisations, lists of neighbours.  So a run that goes on and one that is restarted do the same from there on.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from windlass.framework import options, unread
from windlass.framework.assembly import Assembly
from windlass.framework.checkpoint_file import CheckpointFile, write_checkpoint
from windlass.framework.checkpoint_options import EVERY, check_place, declare
from windlass.framework.checks import checked, optional, path, whole
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.exchange import scatter_state
from windlass.framework.fingerprint import check_model, describe_model, find_changes, list_switches, restore_changes
from windlass.framework.hooks import StepHook, keeps_nothing, name_hooks
from windlass.framework.meetings import leave as leave_meeting
from windlass.framework.parallel import is_first_process
from windlass.framework.stages import Stage, enter, leave
from windlass.framework.state import NAMES, State


class Restartable(Protocol):
    """A solver whose solves can go on in another process."""

    prefix: str
    assembly: Assembly

    def settings(self) -> dict[str, Any]:
        """What must be the same after a restart, by name with unit."""

    def settle(self, state: State) -> None:
        """Bring a state up to date after changes of it, or of the model, between two steps."""

    def keep(self) -> dict[str, Any]:
        """What goes on from step to step beside the state: step sizes, counts."""

    def take_up(self, kept: Mapping[str, Any]) -> None:
        """Go on from what `keep` gave."""

    def forget(self, state: State) -> None:
        """Drop everything else that is carried over from step to step and has a say in the last bits."""


class Checkpoint(StepHook):
    """Keeps checkpoints of the solves that it is passed to as a hook, and goes on from them.

    The options ``-checkpoint``, ``-checkpoint_every`` and ``-restart`` make one for all solves of a script, which then
    takes the place of those of the model.  Under MPI the first process writes and all read; the number of processes may
    be another one after a restart.  Make it before recorders and sensors record anything.

    Args:
        path: HDF5 file, replaced as a whole by each checkpoint; its folder must exist.
        every: steps between checkpoints; default: that of the file to go on from, else 1000.  One more is written at
            the end of each solve.
        restart: file to go on from; ``"auto"``: ``path``, if it exists; None begins anew.

    Attributes:
        path, every: see above.

    Raises:
        OutputError: a place that cannot be written, a file that cannot be read.
    """

    @checked(OutputError, path=path(), every=optional(whole(1, "a whole number of steps")), restart=optional(path()))
    def __init__(
        self,
        path: str | os.PathLike[str],
        every: int | None = None,
        restart: str | os.PathLike[str] | None = None,
    ) -> None:
        self.path = Path(path).absolute()
        self.every = int(every) if every is not None else EVERY
        self._newest: CheckpointFile | None = None
        self._known: list[int] = []
        self._begun = 0
        self._active: Keeper | None = None
        if options.help_requested():
            return
        check_place(self.path, "path of Checkpoint")
        source = None if restart is None else self.path if restart == "auto" else Path(restart).absolute()
        if source is not None and (restart != "auto" or source.exists()):
            self._newest = CheckpointFile(source)
            self._known = self._newest.numbers
            self.every = int(every) if every is not None else self._newest.every
            if self._known:
                _process.replaying = weakref.ref(self)

    def begin(self, keeper: Keeper) -> int | None:
        """A solve begins; its number, or None if it is part of another solve, whose checkpoints are enough."""
        if self._active is not None and not self._active.paused:
            return None
        self._active = keeper
        self._begun += 1
        return self._begun - 1

    def end(self, keeper: Keeper) -> None:
        """A solve has ended or was left."""
        if self._active is keeper:
            self._active = None

    def find(self, number: int) -> dict[str, Any] | None:
        """The record of a solve in the file to go on from; None if it has none."""
        return self._newest.read(number) if self._newest is not None and number in self._known else None

    def reach(self, number: int) -> None:
        """A solve has taken over its record, if there is one; after the last of them the run is on new ground."""
        if number >= max(self._known, default=-1):
            self.leave_replay()

    def leave_replay(self) -> None:
        """From here on the run does what the interrupted one has not done, or something else."""
        if _process.replaying is not None and _process.replaying() is self:
            _process.replaying = None

    def write(self, number: int, record: Mapping[str, Any]) -> None:
        """Replace the file; records of later solves, which no longer follow from this one, are left out."""
        self.leave_replay()
        dropped = [known for known in self._known if known > number]
        if dropped:
            say(f"solve {number} goes on: the records of later solves are dropped and they are done again")
        self._known = [known for known in self._known if known <= number]
        if is_first_process():
            write_checkpoint(self.path, self.every, number, record, self._newest)
            if self._newest is not None:
                self._newest.close()
            self._newest = CheckpointFile(self.path)

    @property
    def source(self) -> str:
        """The file to go on from, for messages."""
        return f"checkpoint file '{self._newest.path if self._newest is not None else self.path}'"


@dataclass
class _Process:
    """One record per process, beside PETSc's one database of options.

    Attributes:
        asked: whether the command line was asked.
        from_options: the checkpoint that it wants.
        replaying: the one whose file the script has not caught up with.
    """

    asked: bool = False
    from_options: Checkpoint | None = None
    replaying: weakref.ref[Checkpoint] | None = None


_process = _Process()


def find_checkpoint(hooks: Iterable[StepHook] = ()) -> Checkpoint | None:
    """The checkpoint that the command line asks for, else that among the hooks, else None."""
    if not _process.asked:
        _process.asked = True
        wish = declare()
        if wish is not None:
            _process.from_options = Checkpoint(wish.path, wish.every, wish.restart)
    return _process.from_options or next((hook for hook in hooks if isinstance(hook, Checkpoint)), None)


def is_replaying() -> bool:
    """Whether a restarted script is still where the interrupted run has been before: what it writes is written."""
    find_checkpoint()
    return _process.replaying is not None and _process.replaying() is not None


def say(text: str) -> None:
    """A line about a restart, on the first process, not under -quiet."""
    if is_first_process() and not options.quiet():
        print(f"restart: {text}", file=sys.stderr, flush=True)


class Keeper:
    """The checkpoints of one solve; a context manager around it.

    Args:
        solver: the solver.
        hooks: all hooks of the solve.

    Attributes:
        paused: whether the solver waits for its caller, whose solves are no part of this one.
    """

    def __init__(self, solver: Restartable, hooks: Sequence[StepHook]) -> None:
        self._solver = solver
        self._hooks = name_hooks(hook for hook in hooks if not isinstance(hook, Checkpoint))
        self.paused = False
        self._checkpoint = find_checkpoint(hooks)
        self._number = -1
        self._written = -1
        self._steps_at_start = 0
        self._restored = False
        # as the script has set them; only what changes later is kept, so that a restarted script may set others
        self._switches: dict[str, Any] = {}
        if self._checkpoint is not None:
            number = self._checkpoint.begin(self)
            self._switches = list_switches(solver.assembly.world)
            self._checkpoint, self._number = (None, -1) if number is None else (self._checkpoint, number)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception | SystemExit):
            leave_meeting(self._solver.assembly.comm, type(self._solver).__name__, error)
        if self._checkpoint is not None:
            self._checkpoint.end(self)
            if error is not None and not isinstance(error, GeneratorExit):
                self._checkpoint.leave_replay()

    def restore(self, state: State) -> bool:
        """Bring state, solver, hooks and switches to the last checkpoint of this solve.

        Returns:
            Whether the solve has reached its end there.

        Raises:
            ModelError: the record is that of another solve or model.
            OutputError: the file is damaged.
        """
        if self._checkpoint is None:
            return False
        record = self._checkpoint.find(self._number)
        if record is not None:
            self._take_over(record, state)
        self._checkpoint.reach(self._number)
        self._written = self._steps_at_start = state.step
        return record is not None and bool(record["finished"])

    def _take_over(self, record: Mapping[str, Any], state: State) -> None:
        solver = self._solver
        assert self._checkpoint is not None
        self._check_solver(record)
        check_model(record["model"], solver.assembly, self._checkpoint.source)
        restore_changes(solver.assembly.world, record["changes"])
        scatter_state(solver.assembly, record["state"], state)
        state.t, state.step = float(record["state"]["t"]), int(record["state"]["step"])
        solver.take_up(record["progress"])
        for name, hook in self._hooks.items():
            if name in record["hooks"]:
                hook.restore(record["hooks"][name], state)
        solver.forget(state)
        self._restored = True
        at = f"at {state.t:.6g} s, step {state.step}"
        say(f"{solver.prefix.rstrip('_')} {'had ended' if record['finished'] else 'goes on'} {at}")
        empty = [name.rpartition(" ")[0] for name, hook in self._hooks.items() if keeps_nothing(hook)]
        if empty:
            say(f"what these hooks have gathered before is not kept: {', '.join(empty)}")

    def _check_solver(self, record: Mapping[str, Any]) -> None:
        """Raise ModelError if the record is that of another kind of solve."""
        assert self._checkpoint is not None
        kept, here = record["solver"], self._describe_solver()
        lines = [
            f"{name}: {kept.get(name, 'none')} in the file, {value} here"
            for name, value in here.items()
            if kept.get(name) != value
        ]
        if lines:
            raise ModelError(
                f"{self._checkpoint.source} belongs to a run with other settings; solve {self._number}, counted from 0:"
                + "".join("\n  " + line for line in lines)
            )

    def _describe_solver(self) -> dict[str, Any]:
        return {"solver": type(self._solver).__name__, "prefix": self._solver.prefix, **self._solver.settings()}

    def before_step(self, state: State) -> None:
        """Write a checkpoint if it is time for one; nothing may have begun the step yet."""
        checkpoint = self._checkpoint
        if checkpoint is not None and state.step != self._written and state.step % checkpoint.every == 0:
            self._write(state, finished=False)

    def had_ended(self, state: State) -> bool:
        """Whether a record was taken over and no step done since."""
        return self._restored and state.step == self._steps_at_start

    def finish(self, state: State) -> None:
        """The solve has ended and all hooks have finished: keep its last state."""
        if self._checkpoint is None:
            return
        if self.had_ended(state):
            # nothing was solved, so that nobody has asked for the options that a solve asks for
            unread.excuse(self._solver.prefix)
        else:
            self._write(state, finished=True)

    def _write(self, state: State, finished: bool) -> None:
        assert self._checkpoint is not None
        enter(Stage.OUTPUT)
        solver = self._solver
        solver.settle(state)
        whole = state.gather()
        record = {
            "finished": finished,
            "solver": self._describe_solver(),
            "model": describe_model(solver.assembly),
            "state": {**{name: getattr(whole, name) for name in NAMES}, "t": whole.t, "step": whole.step},
            "progress": solver.keep(),
            "changes": find_changes(solver.assembly.world, self._switches),
            "hooks": {name: hook.checkpoint() for name, hook in self._hooks.items() if not keeps_nothing(hook)},
        }
        self._checkpoint.write(self._number, record)
        self._written = state.step
        leave(Stage.OUTPUT)
        solver.forget(state)
