"""Stages of a computation at which user code runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from windlass.framework.stages import Stage, enter, leave
from windlass.framework.state import State


class StepHook:
    """User code around the steps of a solve; override what is needed.  All processes call all hooks."""

    def before_step(self, state: State) -> None:
        """At the start of a step, before the first Newton run; switches may be set through ``World.set`` here."""

    def after_iteration(self, state: State, error: float) -> None:
        """After a Newton run and its post-Newton update; ``error`` is the force error [N]."""

    def after_step(self, state: State) -> None:
        """After an accepted step."""

    def finish(self, state: State) -> None:
        """After the last step, or with the last good state when the solve fails."""


class _AfterStep(StepHook):
    def __init__(self, function: Callable[[State], None]) -> None:
        self._function = function

    def after_step(self, state: State) -> None:
        self._function(state)


def run_before_step(hooks: Iterable[StepHook], state: State) -> None:
    """Call all hooks at the start of a step."""
    enter(Stage.OUTPUT)
    for hook in hooks:
        hook.before_step(state)
    leave(Stage.OUTPUT)


def run_after_step(hooks: Iterable[StepHook], state: State) -> None:
    """Call all hooks after an accepted step."""
    enter(Stage.OUTPUT)
    for hook in hooks:
        hook.after_step(state)
    leave(Stage.OUTPUT)


def run_finish(hooks: Iterable[StepHook], state: State) -> None:
    """Call all hooks after the last step or a failure."""
    enter(Stage.OUTPUT)
    for hook in hooks:
        hook.finish(state)
    leave(Stage.OUTPUT)


Hook = StepHook | Callable[[State], None]


def as_hooks(hooks: Iterable[Hook]) -> list[StepHook]:
    """Hooks from hooks and plain functions of the state (called after each step)."""
    return [h if isinstance(h, StepHook) else _AfterStep(h) for h in hooks]
