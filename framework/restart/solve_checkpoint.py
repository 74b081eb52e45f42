"""Checkpoints of one solve: the times at which checkpoints are written, their content, and the continuation of a solve
from a checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Protocol, Self

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options, unused_options
from windlass.framework.command_line.notes import say_once
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.launch.meetings import break_off, go_on, meet
from windlass.framework.launch.meetings import leave as leave_meeting
from windlass.framework.restart.checkpoint import Checkpoint, say
from windlass.framework.restart.checkpoint_clock import LONGEST_WAIT
from windlass.framework.restart.insurance import find_checkpoint
from windlass.framework.runtime.interrupt import Interrupt
from windlass.framework.runtime.log_stages import Stage, enter, leave
from windlass.framework.state.exchange import NAMES
from windlass.framework.state.fingerprint import (
    check_model,
    describe_model,
    find_changes,
    list_switches,
    restore_changes,
)
from windlass.framework.state.hooks import IdleSteps, StepHook, keeps_nothing, name_hooks, refuse_obstacles
from windlass.framework.state.state import State

LOOPS = count()
"""Counter that numbers the solves of this process. The numbers are equal on all processes."""


class Restartable(Protocol):
    """Interface of a solver whose solves can be continued in another run."""

    prefix: str
    assembly: Assembly
    solve_checkpoint: SolveCheckpoint | None
    """Checkpoint object of the solve in progress; None if no solve is in progress."""

    def settings(self) -> dict[str, Any]:
        """Return the settings that the restarted run must not change, by name with unit."""

    def update_state(self, state: State) -> None:
        """Update accelerations and monitors, because user code may have changed the state or the model since the last
        step. This method is called before a checkpoint is written.
        """

    def checkpoint(self) -> dict[str, Any]:
        """Return the values, such as step sizes and counts, that the solver needs for the next step in addition to the
        state."""

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Restore the values that `checkpoint` returned."""

    def reset_caches(self, state: State) -> None:
        """Discard all other cached data that are used in several steps and affect rounding errors."""


class SolveCheckpoint:
    """The checkpoints of one solve, as a context manager around the solve."""

    def __init__(self, solver: Restartable, hooks: Sequence[StepHook]) -> None:
        self._solver = solver
        self._hooks = name_hooks(hook for hook in hooks if not isinstance(hook, Checkpoint))
        self._interrupt = Interrupt(solver.assembly.layout.size == 1)
        self._checkpoint = find_checkpoint(hooks)
        self._number = -1
        self._announced: Callable[[Any, str], None] | None = None
        self._loop = next(LOOPS)
        self._written = -1
        self._steps_at_start = 0
        self._restored = False
        # whether the file contains records of later solves, but not the state at the end of this solve
        self._is_past = False
        # Values at the start of the solve, for the columns that can change during a solve. A restarted script may start
        # with other values, and checkpoints store only later changes.
        self._switches: dict[str, Any] | None = None
        self._version = solver.assembly.world.version
        if self._checkpoint is not None:
            number = self._checkpoint.begin(self)
            if not self._checkpoint.is_unasked:
                self._switches = list_switches(solver.assembly.world)
            self._checkpoint, self._number = (None, -1) if number is None else (self._checkpoint, number)

    def __enter__(self) -> Self:
        before = self._solver.solve_checkpoint
        if before is not None and not before.paused:
            raise ModelError(
                f"a hook of {type(self._solver).__name__} starts the same solver again: the hook needs a separate "
                "solver"
            )
        self._solver.solve_checkpoint = self
        self._interrupt.begin()
        processes = self._solver.assembly.processes
        self._announced, processes.announce = processes.announce, None
        return self

    @property
    def paused(self) -> bool:
        """Whether the solver has returned control to its caller between two steps. A solve that the caller starts
        during this time is not part of this solve.
        """
        return self._interrupt.paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._interrupt.paused = value
        processes = self._solver.assembly.processes
        # Until the next step, each process announces its collective calls, because the loop of the caller may end,
        # without an error, on only some of the processes.
        processes.announce = _announce if value else None
        if not value:
            go_on(self._solver.assembly.comm, type(self._solver).__name__, self._loop)

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._interrupt.end()
        if not self.paused:
            self._solver.assembly.processes.announce = self._announced
        if self._solver.solve_checkpoint is self:
            self._solver.solve_checkpoint = None
        if isinstance(error, GeneratorExit):
            break_off(self._solver.assembly.comm, type(self._solver).__name__, self._loop)
        elif isinstance(error, Exception | SystemExit):
            leave_meeting(self._solver.assembly.comm, type(self._solver).__name__, error)
        if self._checkpoint is not None:
            self._checkpoint.end(self)
            if error is not None and not isinstance(error, GeneratorExit):
                self._checkpoint.leave_replay()

    def restore(self, state: State) -> bool:
        """If the file from which the run continues contains a record of this solve, continue from this record: set the
        state, the solver, the hooks and the changed columns of the model to the recorded values.

        Returns:
            True if this solve had already ended when the interrupted run stopped.

        Raises:
            ModelError: the record is a record of another solve or model, or a hook cannot continue after a restart.
            OutputError: the file is damaged.
        """
        if self._checkpoint is None:
            return False
        if not self._checkpoint.is_unasked:
            refuse_obstacles(self._hooks.values(), f"path of Checkpoint = {self._checkpoint.path.name}")
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
        state.scatter(record["state"])
        state.t, state.step = float(record["state"]["t"]), int(record["state"]["step"])
        solver.restore(record["progress"])
        for name, hook in self._hooks.items():
            if name in record["hooks"]:
                hook.restore(record["hooks"][name], state)
        solver.reset_caches(state)
        self._restored = True
        at = f"at {state.t:.6g} s, step {state.step}"
        say(f"{solver.prefix.rstrip('_')} {'had ended' if record['finished'] else 'continues'} {at}")
        if record["by_clock"]:
            words = "this checkpoint was written by the clock: equal within tolerances, not to the last bit"
            say_once("restart", [words])
        empty = [name.rpartition(" ")[0] for name, hook in self._hooks.items() if keeps_nothing(hook)]
        if empty:
            say(f"earlier data of these hooks are not kept: {', '.join(empty)}")

    def _check_solver(self, record: Mapping[str, Any]) -> None:
        """Raise ModelError if the recorded solve was made by another solver, or by a solver with other settings."""
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
        """Write a checkpoint if it is due, and stop the solve if the user has pressed Ctrl-C. Call this method before
        each step.

        Raises:
            KeyboardInterrupt: the user has pressed Ctrl-C, see `check_interrupt`.
        """
        self.check_interrupt(state)
        if state.saved:
            state.saved = False
            self._solver.reset_caches(state)
        checkpoint = self._checkpoint
        if checkpoint is None or self._is_past or state.step == self._written:
            return
        if checkpoint.every and state.step % checkpoint.every == 0:
            self._write(state, finished=False)
        elif checkpoint.clock.is_due():
            self._write(state, finished=False, by_clock=True)

    def idle_steps(self, state: State) -> IdleSteps:
        """Return the coming steps during which no checkpoint can become due."""
        checkpoint = self._checkpoint
        if checkpoint is None:
            return IdleSteps(LONGEST_WAIT)
        number, _, after = checkpoint.clock.idle_steps
        if self._is_past:
            number = LONGEST_WAIT
        elif checkpoint.every:
            number = min(number, checkpoint.every - 1 - state.step % checkpoint.every)
        return IdleSteps(number, after=after)

    def check_interrupt(self, state: State) -> None:
        """If the user has pressed Ctrl-C, store the state and stop the solve. Call this method between two steps.

        Raises:
            KeyboardInterrupt: the user has pressed Ctrl-C. Notes that are attached to the exception describe the stored
                state.
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
            try:
                saved = f"{state.save(path)}; State(world).load(...) reads it, resume=True continues"
            except OutputError as error:
                saved = f"not saved ({error})"
            stop.add_note(f"last good state: {saved}")
        elif self._checkpoint is None:
            more = "; solve(solver.state, resume=True) continues" if self._solver.settings() else ""
            stop.add_note(f"solver.state contains the last good state{more}")
        if self._checkpoint is not None and self._solver.settings():
            self._write(state, finished=False)
            stop.add_note(f"-restart {self._checkpoint.path} continues from this point with bitwise equal results")
        elif self._checkpoint is None and path is not None:
            stop.add_note("with -checkpoint FILE an interrupted run continues by -restart FILE")
        raise stop

    def had_ended(self, state: State) -> bool:
        """Return whether a record was restored, and no step was executed after the restoration."""
        return self._restored and state.step == self._steps_at_start

    def finish(self, state: State) -> None:
        """Store the last state after the solve and all hooks have finished. If the run has only automatic checkpoints,
        the state is stored only if a checkpoint is due.
        """
        if self._checkpoint is None:
            return
        if self.had_ended(state):
            # the solver has not read its options in this run, because the solve had already ended in the interrupted
            # run
            unused_options.excuse(self._solver.prefix)
        elif not (self._is_past or (self._checkpoint.is_unasked and not self._checkpoint.clock.is_due())):
            self._write(state, finished=True, by_clock=self._checkpoint.is_unasked)

    def _write(self, state: State, finished: bool, by_clock: bool = False) -> None:
        assert self._checkpoint is not None
        enter(Stage.OUTPUT)
        solver = self._solver
        solver.update_state(state)
        whole = state.gather()
        record = {
            "finished": finished,
            "by_clock": by_clock,
            "solver": self._describe_solver(),
            "model": describe_model(solver.assembly),
            "state": {**{name: getattr(whole, name) for name in NAMES}, "t": whole.t, "step": whole.step},
            "progress": solver.checkpoint(),
            "changes": find_changes(solver.assembly.world, self._switches, self._version),
            "hooks": {name: hook.checkpoint() for name, hook in self._hooks.items() if not keeps_nothing(hook)},
        }
        self._checkpoint.write(self._number, record)
        self._written = state.step
        leave(Stage.OUTPUT)
        # cached data are not discarded at automatic checkpoints, because results must not depend on the clock
        if not by_clock:
            solver.reset_caches(state)


def _announce(comm: Any, what: str) -> None:
    meet(comm, f"a call of all processes ({what})")
