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
from windlass.framework.arguments import model_arguments
from windlass.framework.assembly import Assembly
from windlass.framework.checkpoint_clock import Clock
from windlass.framework.checkpoint_file import CheckpointFile, write_checkpoint
from windlass.framework.checkpoint_options import EVERY, MINUTES, check_place, declare
from windlass.framework.checks import checked, number, optional, path, whole
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.exchange import scatter_state
from windlass.framework.fingerprint import check_model, describe_model, find_changes, list_switches, restore_changes
from windlass.framework.hooks import StepHook, keeps_nothing, name_hooks
from windlass.framework.interrupt import Interrupt
from windlass.framework.lock import OutputLock
from windlass.framework.meetings import leave as leave_meeting
from windlass.framework.parallel import is_first_process
from windlass.framework.stages import Stage, enter, leave
from windlass.framework.state import NAMES, State


class Restartable(Protocol):
    """A solver whose solves can go on in another process."""

    prefix: str
    assembly: Assembly
    keeper: Keeper | None
    """That of the solve in progress."""

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
        minutes: elapsed time since the last one after which one more is written [min]; 0: never.  It changes nothing in
            the run; a run that goes on from it differs by what the tolerances leave.
        restart: file to go on from; ``"auto"``: ``path``, if it exists; None begins anew.

    Attributes:
        path, every: see above.
        clock: says when one is due.
        is_written: whether this process has written the file.

    Raises:
        OutputError: a place that cannot be written, a file that cannot be read or that another run writes.
    """

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
        self._active: Keeper | None = None
        self.clock = Clock(minutes)
        self.is_written = False
        if options.help_requested():
            return
        self._lock: OutputLock | None = None
        self._prepare()
        source = None if restart is None else self.path if restart == "auto" else Path(restart).absolute()
        if source is not None and (restart != "auto" or source.exists()):
            self._newest = CheckpointFile(source)
            self._known = self._newest.numbers
            self.every = int(every) if every is not None else self._newest.every
            if self._known:
                process.replaying = weakref.ref(self)

    def _prepare(self) -> None:
        """Try the place, and lock it."""
        check_place(self.path, "path of Checkpoint")
        if is_first_process():
            self._lock = OutputLock(self.path, "checkpoint file")

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
        if process.replaying is not None and process.replaying() is self:
            process.replaying = None

    def has_later(self, number: int) -> bool:
        """Whether the file to go on from has records of later solves."""
        return any(known > number for known in self._known)

    @property
    def is_unasked(self) -> bool:
        """Whether nobody asked for checkpoints: they are written by the clock alone, and removed when all went well."""
        return False

    def write(self, number: int, record: Mapping[str, Any]) -> None:
        """Replace the file; records of later solves, which no longer follow from this one, are left out."""
        self.leave_replay()
        dropped = [known for known in self._known if known > number]
        if dropped:
            say(f"solve {number} goes on: the records of later solves are dropped and they are done again")
        self._known = [known for known in self._known if known <= number]
        if is_first_process():
            self._replace(number, record)
        self.clock.restart()

    def _replace(self, number: int, record: Mapping[str, Any]) -> None:
        """Write the file; on the first process."""
        write_checkpoint(self.path, self.every, number, record, self._newest)
        if self._newest is not None:
            self._newest.close()
        self._newest = CheckpointFile(self.path)
        self.is_written = True

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
        unasked: the one of models where nobody asks for any.
        replaying: the one whose file the script has not caught up with.
    """

    asked: bool = False
    from_options: Checkpoint | None = None
    unasked: Checkpoint | None = None
    replaying: weakref.ref[Checkpoint] | None = None


process = _Process()


def find_checkpoint(hooks: Iterable[StepHook] = ()) -> Checkpoint | None:
    """The checkpoint that the command line asks for, else that among the hooks, else None."""
    if not process.asked:
        process.asked = True
        wish = declare()
        if wish.path is not None:
            process.from_options = Checkpoint(wish.path, wish.every, wish.restart, wish.minutes)
        elif wish.minutes > 0.0 and model_arguments() is not None and not options.help_requested():
            from windlass.framework.insurance import Insurance  # a kind of Checkpoint

            process.unasked = Insurance(wish.minutes)
    own = next((hook for hook in hooks if isinstance(hook, Checkpoint)), None)
    return process.from_options or own or process.unasked


def is_replaying() -> bool:
    """Whether a restarted script is still where the interrupted run has been before: what it writes is written."""
    find_checkpoint()
    return process.replaying is not None and process.replaying() is not None


def say(text: str) -> None:
    """A line about a restart, on the first process, not under -quiet."""
    if is_first_process() and not options.quiet():
        print(f"restart: {text}", file=sys.stderr, flush=True)


class Keeper:
    """The checkpoints of one solve; a context manager around it.

    Args:
        solver: the solver.
        hooks: all hooks of the solve.
    """

    def __init__(self, solver: Restartable, hooks: Sequence[StepHook]) -> None:
        self._solver = solver
        self._hooks = name_hooks(hook for hook in hooks if not isinstance(hook, Checkpoint))
        self._interrupt = Interrupt(solver.assembly.layout.size == 1)
        self._checkpoint = find_checkpoint(hooks)
        self._number = -1
        self._written = -1
        self._steps_at_start = 0
        self._restored = False
        # a solve before the one that was at work, without its end in the file: what it has written is written
        self._is_past = False
        # as the script has set them; only what changes later is kept, so that a restarted script may set others
        self._switches: dict[str, Any] | None = None
        self._version = solver.assembly.world.version
        if self._checkpoint is not None:
            number = self._checkpoint.begin(self)
            if not self._checkpoint.is_unasked:
                self._switches = list_switches(solver.assembly.world)
            self._checkpoint, self._number = (None, -1) if number is None else (self._checkpoint, number)

    def __enter__(self) -> Self:
        before = self._solver.keeper
        if before is not None and not before.paused:
            raise ModelError(
                f"a hook of {type(self._solver).__name__} starts the same solver again: it needs a solver of its own"
            )
        self._solver.keeper = self
        self._interrupt.begin()
        return self

    @property
    def paused(self) -> bool:
        """Whether the solver waits for its caller, whose solves are no part of this one."""
        return self._interrupt.paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._interrupt.paused = value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._interrupt.end()
        if self._solver.keeper is self:
            self._solver.keeper = None
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
        ended = record is not None and bool(record["finished"])
        self._is_past = not ended and self._checkpoint.has_later(self._number)
        self._checkpoint.reach(self._number)
        self._written = self._steps_at_start = state.step
        return ended

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
        if record["by_clock"]:
            say("this checkpoint was written by the clock: equal within tolerances, not to the last bit")
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
        """Write a checkpoint if it is time for one, and end if the user wishes; nothing may have begun the step yet.

        Raises:
            KeyboardInterrupt: see `check_interrupt`.
        """
        self.check_interrupt(state)
        checkpoint = self._checkpoint
        if checkpoint is None or self._is_past or state.step == self._written:
            return
        if checkpoint.every and state.step % checkpoint.every == 0:
            self._write(state, finished=False)
        elif checkpoint.clock.is_due():
            self._write(state, finished=False, by_clock=True)

    def check_interrupt(self, state: State) -> None:
        """End between two steps, with the state kept, if the user has pressed Ctrl-C.

        Raises:
            KeyboardInterrupt: with notes on what is kept.
        """
        if not self._interrupt.wanted:
            return
        for hook in self._hooks.values():
            hook.finish(state)
        name = self._solver.prefix.rstrip("_")
        stop = KeyboardInterrupt()
        at = f"t = {state.t:.9g} s, " if state.t else ""
        stop.add_note(f"{name} was at {at}step {state.step}")
        path = options.last_good_path()
        if path is not None:
            stop.add_note(f"last good state: {state.save(path)}; State(world).load(...) reads it, resume=True goes on")
        if self._checkpoint is not None and self._solver.settings():
            self._write(state, finished=False)
            stop.add_note(f"-restart {self._checkpoint.path} goes on from here, to the last bit")
        elif self._checkpoint is None:
            stop.add_note("with -checkpoint FILE a run that was interrupted goes on by -restart FILE")
        raise stop

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
        elif not (self._is_past or (self._checkpoint.is_unasked and not self._checkpoint.clock.is_due())):
            self._write(state, finished=True, by_clock=self._checkpoint.is_unasked)

    def _write(self, state: State, finished: bool, by_clock: bool = False) -> None:
        assert self._checkpoint is not None
        enter(Stage.OUTPUT)
        solver = self._solver
        solver.settle(state)
        whole = state.gather()
        record = {
            "finished": finished,
            "by_clock": by_clock,
            "solver": self._describe_solver(),
            "model": describe_model(solver.assembly),
            "state": {**{name: getattr(whole, name) for name in NAMES}, "t": whole.t, "step": whole.step},
            "progress": solver.keep(),
            "changes": find_changes(solver.assembly.world, self._switches, self._version),
            "hooks": {name: hook.checkpoint() for name, hook in self._hooks.items() if not keeps_nothing(hook)},
        }
        self._checkpoint.write(self._number, record)
        self._written = state.step
        leave(Stage.OUTPUT)
        # a clock must have no say in the digits of a run
        if not by_clock:
            solver.forget(state)
