"""A solve that stops at communication points and can return to earlier states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

import numpy as np

from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.errors import ModelError
from windlass.framework.model.world import World
from windlass.framework.state.fingerprint import list_switches, restore_changes
from windlass.framework.state.hooks import (
    Hook,
    StepHook,
    as_hooks,
    find_rounding,
    keeps_nothing,
    name_hooks,
    refuse_obstacles,
)
from windlass.framework.state.state import State, local_state


class TimeSolver(Protocol):
    """The methods of `Dynamic` and `Explicit` that `Stepwise` uses."""

    end: float

    @property
    def assembly(self) -> Any:
        """The assembly of the model that the solver uses."""

    def solve(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> State:
        """Solve to the end and return the last state."""

    def march(self, state: State | None = None, hooks: Sequence[Hook] = (), *, resume: bool = False) -> Iterator[State]:
        """Solve, and yield the state after each step."""

    def settings(self) -> dict[str, Any]:
        """Return a dictionary of settings, including the step size [s]."""

    def prepare_start(self, state: State) -> None:
        """Determine contact states, and compute consistent accelerations and multipliers, as at the start of a
        solve.
        """

    def update_accelerations(self, state: State) -> None:
        """Compute consistent accelerations and multipliers after a change of forces between two steps."""

    def checkpoint(self) -> dict[str, Any]:
        """Return the values that the solver needs in addition to the state."""

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""

    def update_state(self, state: State) -> None:
        """Between two steps, update the data of the solver that depend on the state."""

    def reset_caches(self, state: State) -> None:
        """Delete data that the solver has cached."""


@dataclass(frozen=True)
class Kept:
    """A state to which a solve can return.

    Attributes:
        state: copy of the state.
        switches: values at this state of the switchable numeric columns, see `list_switches`.
        jumps: whether inputs have changed since the last step.
        progress: checkpoint data of the solver; None before the first step.
        hooks: checkpoint data of hooks by name.
    """

    state: State
    switches: dict[str, Any]
    jumps: bool
    progress: dict[str, Any] | None
    hooks: dict[str, dict[str, Any]]


class Stepwise(StepHook):
    """A solve that stops at communication points. The object is also a hook of the solve, so that steps end at
    communication points.

    Args:
        solver: the solver of the motion.
        state: initial state; None for the initial values of the nodes.
        hooks: additional hooks of the solve.

    Attributes:
        state: the state at the last communication point.
        step: largest step size [s] of the solver.
        end: end time [s] of the solver in the script.
    """

    def __init__(self, solver: TimeSolver, state: State | None, hooks: Sequence[Hook]) -> None:
        self._solver, self._hooks = solver, as_hooks(hooks)
        self.state = local_state(parallel_assembly(solver.assembly.world), state)
        self.step, self.end = float(solver.settings()["step [s]"]), solver.end
        self._target = inf
        self._march: Iterator[State] | None = None
        self._back: Kept | None = None
        self._jumps = False
        self._failure: Exception | None = None

    def note_jump(self) -> None:
        """Record that forces may have changed abruptly since the last step."""
        self._jumps = True

    def find_consistent(self) -> State:
        """Return the present state, with accelerations and multipliers that are consistent with the present inputs.

        Raises:
            ModelError: no solve can start from the state.
        """
        begins = self._march is None and (self._back is None or self._back.progress is None)
        if not (begins or self._jumps):
            return self.state
        state = self.state.copy()
        (self._solver.prepare_start if begins else self._solver.update_accelerations)(state)
        return state

    def advance(self, t: float, size: float) -> None:
        """Integrate from the communication point at the time ``t`` [s] over a communication step of the length ``size``
        [s].

        Raises:
            ModelError: ``t`` is not the time of the state, ``size`` is not positive, or an earlier step has failed.
            NotConverged: a step of the solver has failed.
        """
        self._refuse_failed()
        rounding = find_rounding(self.state.t, self.step)
        if abs(t - self.state.t) > rounding:
            raise ModelError(f"time of the step = {t} s: must be {self.state.t} s, the time that the model has reached")
        if not size > rounding:
            raise ModelError(f"communication step = {size} s: must be > {rounding:g} s")
        self._target = t + size
        self._solver.end = max(self.end, self._target)
        if self._march is None:
            resume = self._back is not None and self._back.progress is not None
            self._march = self._solver.march(self.state, [*self._hooks, self], resume=resume)
        try:
            while self.state.t < self._target - find_rounding(self._target, self.step):
                self.state = next(self._march)
        except Exception as error:
            self._failure = error
            raise

    def _refuse_failed(self) -> None:
        """Raise ModelError if an earlier step has failed."""
        if self._failure is not None:
            raise ModelError(
                f"an earlier step has failed; return to an earlier state, or begin again: {self._failure}"
            ) from self._failure

    def end_solve(self) -> None:
        """End the solve at the present state, including its check of the results (verdict).

        Raises:
            ModelError: an earlier step has failed.
        """
        self._refuse_failed()
        if self._march is not None:
            self._solver.end = self.state.t
            for state in self._march:
                self.state = state

    def interrupt(self) -> None:
        """End the solve at the present state. The verdict of the solve is "interrupted"."""
        if self._march is not None:
            with suppress(KeyboardInterrupt):
                self._march.throw(KeyboardInterrupt())  # type: ignore[attr-defined]

    def keep(self) -> Kept:
        """Return a copy of the present state.

        Raises:
            ModelError: an earlier step has failed, or a hook cannot return to a state.
        """
        self._refuse_failed()
        if self._march is not None:
            refuse_obstacles(self._hooks, "state of the FMU")
        switches = list_switches(self.state.world)
        if self._back is not None:
            # After `go_back`, solver and hooks are restored only in the next step. Until then, the state to which
            # `go_back` has returned is the present state.
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
        """Return to a stored state."""
        if self._march is not None:
            self._march.close()  # type: ignore[attr-defined]
        self.state, self._march, self._jumps = kept.state.copy(), None, kept.jumps
        self._back, self._failure = kept, None
        put_switches(self.state.world, kept.switches)

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Restore the other hooks after a return to a stored state."""
        if self._back is not None:
            for name, hook in name_hooks(self._hooks).items():
                if name in self._back.hooks:
                    hook.restore(deepcopy(self._back.hooks[name]), state)

    def before_step(self, state: State) -> None:
        """Restore the solver after a return to a stored state, and record changes of the inputs."""
        if self._back is not None and self._back.progress is not None:
            self._solver.restore(deepcopy(self._back.progress))
            self._solver.reset_caches(state)
            if self._jumps:
                # after an assignment, even of the present values, the solver treats the model as changed
                put_switches(state.world, list_switches(state.world))
        self._back = None
        self.changes_forces, self._jumps = self._jumps, False

    def next_stop(self, state: State) -> float:
        """Return the time [s] of the next communication point."""
        return self._target


def put_switches(world: World, switches: Mapping[str, Any]) -> None:
    """Set columns of all rows to the values that `list_switches` has returned."""
    restore_changes(world, {name: {"rows": np.arange(len(v)), "values": v} for name, v in switches.items()})
