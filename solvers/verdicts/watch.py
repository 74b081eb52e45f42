"""Monitors of a run, with a common interface. To add a monitor, write one file, and add one element to the list of
monitors of the solver.

A monitor checks the steps of a run and reports at the end whether the result can be trusted. In compiled steps, only
the compiled programs of a monitor are executed, until the next step that the monitor checks in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.kernels.program import NO_CALLS, Program
from windlass.framework.state.hooks import IdleSteps
from windlass.framework.state.state import State

ALL = 1 << 40
"""Number of coming steps that Python need not check, for a monitor that plans no check."""
SOLVED = 1e-6
"""Largest error [1] of the energy of an equilibrium due to the solver tolerances, relative to the stored energy.
Measured errors for belts are 3e-8 to 1e-7.
"""


class Watch:
    """Base class of monitors of the steps of a run. Subclasses override the methods that they need.

    All calls of the methods are collective.

    Attributes:
        name: key of the data of the monitor in checkpoints.
        advice: advice to users, which is printed if the monitor does not allow a step.
        found: array that all monitors share, shape (1,). The compiled programs of monitors set found[0] to 1 if Python
            must check the step.
    """

    name = ""
    advice = ""
    found: FloatArray = np.zeros(1)

    def begin(self, state: State, duration: float) -> None:
        """Begin a run of the given duration [s] at the state in the fields. Data of the previous run are deleted."""

    def start(self, state: State, seen: bool) -> list[str]:
        """Prepare the first step after `begin` or `restore`. Return notes that are printed before the step.

        Args:
            state: the initial state, with consistent accelerations and multipliers.
            seen: whether users can read, and may change, the state between steps.
        """
        return []

    def before_step(self, state: State, h: float, moved: bool) -> None:
        """Begin a step of h seconds.

        Args:
            state: the state at the start of the step.
            h: size [s].
            moved: whether users have changed positions or velocities since the last step, or since `close`.
        """

    def follow_changes(self) -> None:
        """Note that columns of tables have changed between two compiled steps, for which `before_step` is not
        called.
        """

    def idle_steps(self, state: State) -> IdleSteps:
        """Return the coming steps, including the present step, that Python need not check. This method is called after
        `before_step`. When the compiled program is executed, the state and the fields contain the motion at the end of
        the step.
        """
        return IdleSteps(ALL)

    def refuse(self, t: float, then: float) -> str:
        """Return a text if the motion between two times [s] is impossible for any step size, otherwise an empty
        text.
        """
        return ""

    def program(self) -> Program:
        """Return the compiled program that is executed after each Newton run of this step. The fields contain the
        solution.
        """
        return NO_CALLS

    def find_cut(self, h: float) -> float:
        """Return the size [s] with which a solved step of h seconds must be repeated, or inf if the step is
        accepted.
        """
        return inf

    def reject(self) -> None:
        """Record that the step has failed and is repeated with a smaller size, which was not requested by a contact."""

    def accept(self, state: State, t: float, h: float) -> None:
        """Record an accepted step of the size h [s] that ends at t [s]. The fields contain the state at the end of the
        step.
        """

    def after_step(self, state: State, changed: bool) -> None:
        """End a step. The argument ``changed`` is true if a projection onto constraints has changed velocities and
        accelerations since `accept`.
        """

    def close(self, state: State, moved: bool) -> None:
        """Record a checkpoint. Later steps begin at this state without cached data. The argument ``moved`` is explained
        in `before_step`.
        """

    def finish(self, state: State, moved: bool) -> None:
        """Record that the run ends at this state, after the last step. The argument ``moved`` is explained in
        `before_step`.
        """

    def judge(self) -> list[str]:
        """Return reasons for doubt as texts, identical on every process. This method is called after `finish`, when the
        fields contain the state at the end of the run.
        """
        return []

    def explain(self) -> list[str]:
        """Return texts about the possible cause of a failed step."""
        return []

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        return {}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""


class Watches:
    """All monitors of a solver, in the order in which they check steps and report reasons for doubt.

    Args:
        assembly: the systems of this process.
        watches: the monitors.

    Attributes:
        found: found[0] is 1 if compiled programs of monitors have found a problem in the last step, shape (1,).
    """

    def __init__(self, assembly: Assembly, watches: Sequence[Watch]) -> None:
        self._assembly, self._all, self.found = assembly, tuple(watches), np.zeros(1)
        for watch in self._all:
            watch.found = self.found
        n = assembly.layout.spare
        # whether users may change the motion between steps, and the coordinates and velocities that users last had
        # access to
        self._is_open, self._seen = True, (np.zeros(n), np.zeros(n))
        self._before_step, self._idle_steps = self._overriding("before_step"), self._overriding("idle_steps")
        self._follow_changes = self._overriding("follow_changes")
        self._refuse = [watch for watch in self._all if _overrides(watch, "refuse")]
        self._programs, self._find_cut = self._overriding("program"), self._overriding("find_cut")
        self._reject = self._overriding("reject")
        self._accept, self._after_step = self._overriding("accept"), self._overriding("after_step")

    def _overriding(self, stage: str) -> list[Callable[..., Any]]:
        return [getattr(watch, stage) for watch in self._all if _overrides(watch, stage)]

    def begin(self, state: State, duration: float) -> None:
        """Begin the checks of a run, see `Watch.begin`."""
        for watch in self._all:
            watch.begin(state, duration)

    def start(self, state: State, seen: bool) -> list[str]:
        """Prepare the checks of the first step, see `Watch.start`."""
        self._is_open, said = seen, list[str]()
        for watch in self._all:
            self._assembly.load_fields(state)
            said += watch.start(state, seen)
        self.note(state)
        return said

    def before_step(self, state: State, h: float) -> None:
        """Prepare the checks of the next step, see `Watch.before_step`."""
        moved = self._is_moved(state)
        for look in self._before_step:
            look(state, h, moved)

    def follow_changes(self) -> None:
        """Note that columns of tables have changed between two compiled steps, see `Watch.follow_changes`."""
        for follow in self._follow_changes:
            follow()

    def idle_steps(self, state: State) -> list[IdleSteps]:
        """Return the coming steps that Python need not check, see `Watch.idle_steps`."""
        return [find(state) for find in self._idle_steps]

    def refuse(self, t: float, then: float) -> tuple[str, str]:
        """Return two texts of a monitor if the motion is impossible for any step size: the reason and the advice.
        Otherwise both texts are empty.
        """
        for watch in self._refuse:
            words = watch.refuse(t, then)
            if words:
                return words, watch.advice
        return "", ""

    def programs(self) -> list[Program]:
        """Return the compiled programs that are executed after each Newton run, see `Watch.program`."""
        return [program() for program in self._programs]

    def after_newton(self) -> None:
        """Call the compiled programs of all monitors before a step is accepted. The fields contain the state at the end
        of the step.
        """
        self.found[0] = 0.0
        for program in self._programs:
            program()()

    def find_cut(self, h: float) -> float:
        """Return the size [s] with which the step must be repeated, see `Watch.find_cut`."""
        sizes: list[float] = [find(h) for find in self._find_cut]
        return min(sizes)

    def reject(self) -> None:
        """Record a failed step, see `Watch.reject`."""
        for reject in self._reject:
            reject()

    def accept(self, state: State, t: float, h: float) -> None:
        """Record an accepted step, see `Watch.accept`."""
        for accept in self._accept:
            accept(state, t, h)

    def after_step(self, state: State, changed: bool = False) -> None:
        """End a step, see `Watch.after_step`."""
        for look in self._after_step:
            look(state, changed)
        self.note(state)

    def close(self, state: State) -> None:
        """Record a checkpoint, see `Watch.close`."""
        moved = self._is_moved(state)
        for watch in self._all:
            watch.close(state, moved)
        self.note(state)

    def finish(self, state: State) -> None:
        """Record the end of the run, see `Watch.finish`."""
        moved = self._is_moved(state)
        for watch in self._all:
            watch.finish(state, moved)

    def judge(self) -> list[str]:
        """Return reasons to doubt the result, see `Watch.judge`."""
        return [words for watch in self._all for words in watch.judge()]

    def explain(self) -> list[str]:
        """Return texts about the possible cause of a failed step."""
        return [words for watch in self._all for words in watch.explain()]

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        return {watch.name: watch.checkpoint() for watch in self._all}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        for watch in self._all:
            watch.restore(kept[watch.name])

    def _is_moved(self, state: State) -> bool:
        q, v = self._seen
        return self._is_open and not (np.array_equal(state.q, q) and np.array_equal(state.v, v))

    def note(self, state: State) -> None:
        """Note the motion to which users have access until the next step."""
        if self._is_open:
            self._seen[0][:], self._seen[1][:] = state.q, state.v


def _overrides(watch: Watch, stage: str) -> bool:
    return getattr(type(watch), stage) is not getattr(Watch, stage)
