"""A solve in parts between communication points, which can return to earlier states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import numpy as np

from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.fingerprint import list_switches, restore_changes
from windlass.framework.state.hooks import Hook, StepHook, as_hooks, keeps_nothing, name_hooks
from windlass.framework.state.state import State, local_state

ROUNDING = 1e-9
"""Part of the largest step by which times may differ."""


class TimeSolver(Protocol):
    """Interface of `Dynamic` and `Explicit` that a solve in parts needs."""

    end: float

    @property
    def assembly(self) -> Any:
        """The assembly of the world."""

    def solve(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> State:
        """Solve to the end and return the last state."""

    def march(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> Iterator[State]:
        """Solve step by step."""

    def settings(self) -> dict[str, Any]:
        """Return settings by name, among them the step [s]."""

    def checkpoint(self) -> dict[str, Any]:
        """Return the values that the solver needs in addition to the state."""

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from the values of `checkpoint`."""

    def update_state(self, state: State) -> None:
        """Update a state between two steps."""

    def reset_caches(self, state: State) -> None:
        """Drop cached data."""


@dataclass(frozen=True)
class Kept:
    """A state to which a solve can return.

    Attributes:
        state: the state.
        switches: values of the switchable columns of the model.
        jumps: whether inputs have changed since the last step.
        progress: data of the solver; None before the first step.
        hooks: data of hooks by name.
    """

    state: State
    switches: dict[str, Any]
    jumps: bool
    progress: dict[str, Any] | None
    hooks: dict[str, dict[str, Any]]


class Stepwise(StepHook):
    """A solve that stops at communication points; also the hook of this solve that ends steps there.

    Args:
        solver: the solver.
        state: initial state, None for the initial values of the nodes.
        hooks: further hooks of the solve.

    Attributes:
        state: the state at the last communication point.
        step: largest step of the solver [s].
        end: end of the solve in the script [s].
    """

    def __init__(self, solver: TimeSolver, state: State | None, hooks: Sequence[Hook]) -> None:
        self._solver, self._hooks = solver, as_hooks(hooks)
        self.state = local_state(parallel_assembly(solver.assembly.world), state)
        self.step, self.end = float(solver.settings()["step [s]"]), solver.end
        self._target = inf
        self._march: Iterator[State] | None = None
        self._back: Kept | None = None
        self._jumps = False

    @property
    def _rounding(self) -> float:
        return ROUNDING * self.step

    def note_jump(self) -> None:
        """Note that forces may have changed abruptly since the last step."""
        self._jumps = True

    def advance(self, t: float, size: float) -> None:
        """Solve from a communication point at a time to the next one after a step [s].

        Raises:
            ModelError: the time is not the time of the state, or the step is not positive.
        """
        if abs(t - self.state.t) > self._rounding:
            raise ModelError(f"time of the step = {t} s: must be {self.state.t} s, the time that the model has reached")
        if not size > self._rounding:
            raise ModelError(f"communication step = {size} s: must be > {self._rounding:g} s")
        self._target = t + size
        self._solver.end = max(self.end, self._target)
        if self._march is None:
            resume = self._back is not None and self._back.progress is not None
            self._march = self._solver.march(self.state, [*self._hooks, self], resume=resume)
        while self.state.t < self._target - self._rounding:
            self.state = next(self._march)

    def end_solve(self) -> None:
        """End the solve at the present state, with its verdict."""
        if self._march is not None:
            self._solver.end = self.state.t
            for state in self._march:
                self.state = state

    def keep(self) -> Kept:
        """Return a copy of the present state."""
        switches = list_switches(self.state.world)
        if self._back is not None:
            # solver and hooks are not restored yet
            return replace(self._back, switches=switches, jumps=self._jumps)
        progress = None
        if self._march is not None:
            self._solver.update_state(self.state)
            progress = deepcopy(self._solver.checkpoint())
        return Kept(self.state.copy(), switches, self._jumps, progress, self._keep_hooks())

    def _keep_hooks(self) -> dict[str, dict[str, Any]]:
        named = name_hooks(self._hooks)
        return {name: deepcopy(hook.checkpoint()) for name, hook in named.items() if not keeps_nothing(hook)}

    def go_back(self, kept: Kept) -> None:
        """Return to a state."""
        if self._march is not None:
            self._march.close()  # type: ignore[attr-defined]
        self.state, self._march, self._jumps = kept.state.copy(), None, kept.jumps
        self._back = kept
        put_switches(self.state.world, kept.switches)

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Restore the other hooks after a return to a state."""
        if self._back is not None:
            for name, hook in name_hooks(self._hooks).items():
                if name in self._back.hooks:
                    hook.restore(deepcopy(self._back.hooks[name]), state)

    def before_step(self, state: State) -> None:
        """Restore the solver after a return to a state, and note changes of the inputs."""
        if self._back is not None and self._back.progress is not None:
            self._solver.restore(deepcopy(self._back.progress))
            self._solver.reset_caches(state)
            if self._jumps:
                # the solver looks for changes of the model since its start
                put_switches(state.world, list_switches(state.world))
        self._back = None
        self.changes_forces, self._jumps = self._jumps, False

    def next_stop(self, state: State) -> float:
        """Return the next communication point [s]."""
        return self._target


def put_switches(world: World, switches: Mapping[str, Any]) -> None:
    """Set all rows of switchable columns to the values that `list_switches` has returned."""
    restore_changes(world, {name: {"rows": np.arange(len(v)), "values": v} for name, v in switches.items()})
