"""Hooks: user code that is called at given stages of a solve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, isfinite
from typing import Any, NamedTuple

import numpy as np

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line.report_parts import ReportSection
from windlass.framework.errors import ModelError
from windlass.framework.kernels.program import Program
from windlass.framework.runtime.log_stages import Stage, enter, leave
from windlass.framework.state.state import State

ROUNDING, UNITS = 1e-9, 4.0
"""ROUNDING, UNITS: largest difference of two times that is treated as a rounding error. ROUNDING is a fraction of the
step size, and UNITS is a multiple of the rounding unit of the time.
"""


class IdleSteps(NamedTuple):
    """Coming steps that run without calls of a hook, see `StepHook.idle_steps`.

    Attributes:
        number: largest number of these steps.
        program: compiled code that runs after each of these steps, or None. The fields then contain the values at the
            end of the step. The program may change all fields except the time, and sets `Fields.at_end` to 0 if it
            changes coordinates, velocities, history values or markers.
        after: function that receives the number of these steps that were made, before the next call of the hook; None
            if the hook does not need this number.
    """

    number: int = 0
    program: Program | None = None
    after: Callable[[int], None] | None = None


NO_STEPS = IdleSteps()
"""Result of a hook that must be called for the present step."""


class StepHook:
    """Base class of user code that is called before and after the steps of a solve. Override only the methods that you
    need. All processes call all hooks.

    Attributes:
        changes_state: whether `before_step` changes the state. If ``changes_state`` is true, the method is called
            before `before_step` of the hooks that do not change the state.
        changes_forces: whether the most recent call of `before_step` has changed forces abruptly, for example by
            `World.set`. If ``changes_forces`` is true, dynamic solves compute the accelerations at the start of the
            step again from the equations of motion.
        only_reads: whether `after_step` changes neither the state nor the model nor data that user functions read.
    """

    only_reads = False
    changes_state = False
    changes_forces = False

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """The solver calls this method before the first step of a solve, with the end time [s] and the estimated number
        of steps.

        After a restart, the solver calls this method with the initial state of the solve, and then calls `restore`.
        """

    def before_step(self, state: State) -> None:
        """The solver calls this method at the start of a step, before the first Newton run. The method may change
        switchable columns by ``World.set``.
        """

    def after_iteration(self, state: State, error: float) -> None:
        """The solver calls this method after a Newton run and its post-Newton update. The argument ``error`` is the
        force error [N].
        """

    def after_step(self, state: State) -> None:
        """The solver calls this method after an accepted step."""

    def finish(self, state: State) -> None:
        """The solver calls this method after the last step. If the solve fails, ``state`` is the last good state."""

    def find_doubts(self) -> Sequence[str]:
        """Return the reasons why results of this hook are doubtful, or an empty list. The solver calls this method at
        the end of a solve. The call is collective.
        """
        return ()

    def report_sections(self) -> Sequence[ReportSection]:
        """Return the sections of this hook for the report of the run (``-report``). The first process calls this
        method.
        """
        return ()

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return the coming steps, with step sizes up to ``size`` [s], for which the hook need not be called, for
        example ``IdleSteps(9)``.

        The solver calls this method after `before_step`. The solver may then make up to this number of steps without
        calls of `before_step` and `after_step`.
        """
        return NO_STEPS

    def next_stop(self, state: State) -> float:
        """Return the next time [s] at which a step must end. This time must be later than the time of the state. Return
        inf if there is no such time.

        Solvers with time steps call this method after `before_step`, and shorten a step that would pass this time.
        """
        return inf

    def find_obstacle(self) -> str:
        """Return the reason why this hook cannot continue after a restart, or an empty string if the hook can continue.
        A solve with a `Checkpoint` calls this method before its first step. If a hook returns a reason, the solve
        raises ModelError.
        """
        return ""

    def checkpoint(self) -> dict[str, Any]:
        """Return the data that this hook needs after a restart: numbers, texts, lists, arrays, and dictionaries of such
        data.
        """
        return {}

    def restore(self, kept: Mapping[str, Any], state: State) -> None:
        """Restore this hook after a restart, from the data that `checkpoint` has returned. The argument ``state`` is
        the state at this checkpoint.
        """


class _AfterStep(StepHook):
    def __init__(self, function: Callable[[State], None]) -> None:
        self._function = function
        self.name = str(getattr(function, "__qualname__", function))

    def after_step(self, state: State) -> None:
        self._function(state)


def overriding(hooks: Iterable[StepHook], stage: str) -> list[StepHook]:
    """Return the hooks that override the method with the given name: ``"before_step"``, ``"after_iteration"``,
    ``"after_step"`` or ``"next_stop"``.

    Hooks that change the state are first in the list.
    """
    idle = getattr(StepHook, stage)
    found = [hook for hook in hooks if getattr(getattr(hook, stage), "__func__", None) is not idle]
    return sorted(found, key=lambda hook: not hook.changes_state)


def find_rounding(t: float, step: float) -> float:
    """Return the largest difference [s] of two times that is treated as a rounding error, for a time t [s] and a step
    size [s].
    """
    return max(ROUNDING * step, UNITS * float(np.finfo(float).eps) * abs(t))


def find_stop(hooks: Iterable[StepHook], state: State) -> float:
    """Return the earliest time [s] at which one of the hooks requires the end of a step, or inf.

    Raises:
        ModelError: a hook requires a time that is not later than the time of the state.
    """
    earliest = inf
    for hook in hooks:
        stop = hook.next_stop(state)
        if not stop > state.t:
            given = f"next_stop of the hook {name_hook(hook)} = {stop} s at t = {state.t:.9g} s"
            raise ModelError(f"{given}: must be later than the state")
        earliest = min(earliest, stop)
    return earliest


def find_idle_steps(hooks: Sequence[StepHook], state: State, size: float) -> list[IdleSteps]:
    """Return `StepHook.idle_steps` of all hooks for steps with sizes up to ``size`` [s].

    Raises:
        ModelError: a hook returns another object than `IdleSteps`, or a field of `IdleSteps` has a wrong type.
    """
    found = [hook.idle_steps(state, size) for hook in hooks]
    for hook, steps in zip(hooks, found, strict=True):
        fits = isinstance(steps, IdleSteps) and type(steps.number) is not bool
        fits = fits and isinstance(steps.number, int | np.integer)
        fits = fits and (steps.program is None or isinstance(steps.program, Program))
        if not fits or not (steps.after is None or callable(steps.after)):
            given = f"idle_steps of the hook {name_hook(hook)} = {steps} at t = {state.t:.9g} s"
            raise ModelError(
                f"{given}: must be IdleSteps with a whole number of steps, a Program or None, and a function or None"
            )
    return found


def run_before_solve(hooks: Iterable[StepHook], state: State, end: float, steps: float) -> None:
    """Call `StepHook.before_solve` of all hooks."""
    for hook in hooks:
        hook.before_solve(state, end, round(steps))


def run_stage(hooks: Iterable[StepHook], stage: str, state: State) -> None:
    """Call the method ``"before_step"``, ``"after_step"`` or ``"finish"`` of all hooks.

    Raises:
        ModelError: a hook changed the time of the state, or set values that are not finite.
    """
    enter(Stage.OUTPUT)
    t = state.t
    called = list(hooks)
    for hook in called:
        getattr(hook, stage)(state)
    if state.t != t or (any(map(may_change, called)) and not is_finite(state)):
        names = [name_hook(hook) for hook in called if not type(hook).__module__.startswith("windlass.")]
        names += [name_hook(hook) for hook in called if isinstance(hook, _AfterStep)]
        refuse_change(state, t, f"{'one of the hooks' if len(names) > 1 else 'the hook'} {', '.join(names)}, {stage}")
    leave(Stage.OUTPUT)


def may_change(hook: StepHook) -> bool:
    """Return whether a hook may change the state. If a hook only writes results, the result is false. The state is then
    not checked after a call of the hook.
    """
    return hook.changes_state or not (hook.only_reads or type(hook).__module__.startswith(OUTPUTS))


OUTPUTS = "windlass.framework.output", "windlass.framework.ledger"
CHANGED = ("q", "v", "a", "data")
"""Values of a state that user code may change between steps."""


def is_finite(state: State) -> bool:
    """Return whether all values that user code may change are finite. If the sum of the squares of the values
    overflows, the result is false.
    """
    return isfinite(sum(float(values @ values) for values in (state.q, state.v, state.a, state.data)))


def refuse_change(state: State, t: float, by: str) -> None:
    """Raise ModelError if the time of a state is no longer t [s], or if values are not finite."""
    if state.t != t:
        raise ModelError(f"{by}: has set t = {state.t} s in the state at t = {t:.9g} s: must not change the time")
    for name in CHANGED:
        values = getattr(state, name)
        for i in np.flatnonzero(~np.isfinite(values))[:1]:
            raise ModelError(f"{by}: has set {name}[{i}] = {values[i]} at t = {t:.9g} s: must be a finite number")


def run_after_iteration(hooks: Iterable[StepHook], assembly: Assembly, state: State, error: float) -> None:
    """Call the hooks after a Newton run. Evaluations and solves in these hooks do not affect the current step."""
    looking = overriding(hooks, "after_iteration")
    if not looking:
        return
    with assembly.isolated():
        for hook in looking:
            hook.after_iteration(state, error)


Hook = StepHook | Callable[[State], None]


def is_hook(value: Any) -> bool:
    """Return whether a value is a hook or a function of the state. A class is not a hook."""
    return isinstance(value, StepHook) or (callable(value) and not isinstance(value, type))


def as_hooks(hooks: Iterable[Hook]) -> list[StepHook]:
    """Convert functions of the state to hooks. A converted hook calls its function after each step. Hooks are returned
    unchanged.
    """
    return [h if isinstance(h, StepHook) else _AfterStep(h) for h in hooks]


def name_hook(hook: StepHook) -> str:
    """Return the class name of a hook, or the name of a function."""
    return hook.name if isinstance(hook, _AfterStep) else type(hook).__name__


def name_hooks(hooks: Iterable[StepHook]) -> dict[str, StepHook]:
    """Return the hooks by name. The names are equal in all runs of a script. A name consists of class name and number,
    such as ``"Sensors 1"``.
    """
    named: dict[str, StepHook] = {}
    for hook in hooks:
        kind = name_hook(hook).replace("/", "_")
        number = next(k for k in range(len(named) + 1) if f"{kind} {k}" not in named)
        named[f"{kind} {number}"] = hook
    return named


def refuse_obstacles(hooks: Iterable[StepHook], what: str) -> None:
    """Raise ModelError if at least one hook cannot continue after a restart. The message states the reasons. The
    argument ``what`` is the name of the feature that requires hooks to continue after a restart.
    """
    found = [words for hook in hooks if (words := hook.find_obstacle())]
    if found:
        raise ModelError(f"{what}: {'; '.join(found)}")


def keeps_nothing(hook: StepHook) -> bool:
    """Return whether a hook does not define its own method `checkpoint`."""
    return type(hook).checkpoint is StepHook.checkpoint
