"""Hooks that compiled code calls at the ends of steps, so that several steps run in one call of compiled code."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.parallel_assembly import parallel_assembly
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program, When
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

MOST = 64
"""Largest number of steps between two calls of the hook by the solver."""


@kernel(fast=False)
def find_due(time: FloatArray, following: FloatArray, due: IntArray) -> None:
    """Set ``due`` to 1 if the time ``time`` [s] of a step has reached the time ``following`` [s], and to 0 otherwise.
    The arrays have the shape (1,). Times that differ by rounding errors count as equal.
    """
    due[0] = 1 if time[0] >= following[0] - 1e-10 * max(1.0, abs(time[0])) else 0


class StepCalls(StepHook, ABC):
    """Base class of hooks that read the state at the ends of steps and do not change it.

    Args:
        following: time [s] before which the hook need not be called, shape (1,); `after_step` updates this value. If
            ``following`` is None, the hook is called after each step.
    """

    def __init__(self, following: FloatArray | None = None) -> None:
        self._following = np.full(1, -np.inf) if following is None else following
        self._due = np.zeros(1, np.int64)
        self._time, self._program = np.zeros(0), Program(())
        self._state: State | None = None

    @abstractmethod
    def after_step(self, state: State) -> None:
        """Read the state at the end of a step."""

    def idle_steps(self, state: State, size: float) -> int:
        """Return the largest number of steps between two calls of this hook by the solver; in these steps, compiled
        code calls `after_step`.
        """
        return MOST

    def idle_program(self, state: State) -> Program:
        """Return the program that calls `after_step` in steps that have reached the time ``following``."""
        time = parallel_assembly(state.world).fields.time
        if state is not self._state or time is not self._time:
            self._state, self._time = state, time
            find = call(find_due, (time, self._following, self._due))
            self._program = Program([(find, (None,)), (When(self._call, self._due), ())])
        return self._program

    def _call(self) -> None:
        """Call `after_step` during a call of compiled code. The state then contains the values at the end of the step,
        except for the time and the step number.
        """
        state = self._state
        assert state is not None
        begun = state.t
        state.t = float(self._time[0])
        try:
            self.after_step(state)
        finally:
            state.t = begun
