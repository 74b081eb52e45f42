"""Post-Newton updates: one program computes the history values of all systems from the solution of a Newton run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.array_kernels import copy_values
from windlass.framework.kernels.call import Call, call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import FunctionChain, Program, Step
from windlass.framework.model.system import Evaluation, Fields, PostNewton, System, evaluate


@kernel
def note_outcome(outcome: FloatArray, error: float, step: float, changed: bool, force: float, row: int) -> None:
    """Write the results of a post-Newton update (the values of `PostNewton`) to ``outcome``, shape (5,)."""
    outcome[0], outcome[1], outcome[2], outcome[3], outcome[4] = error, step, 1.0 if changed else 0.0, force, row


@kernel
def clear_outcomes(outcomes: FloatArray) -> None:
    """Set the results of all systems, shape (systems, 5), to the results of systems without contacts."""
    for k in range(len(outcomes)):
        note_outcome(outcomes[k], 0.0, np.inf, False, 0.0, -1)


@kernel
def judge_outcomes(outcomes: FloatArray, total: FloatArray) -> None:
    """Combine the results of all systems into an array of shape (6,). The values are the largest force error, the
    smallest recommended step size, 1 if any contact state has changed (otherwise 0), the largest contact force, and the
    indices of the row and of the system with the largest error.
    """
    note_outcome(total, 0.0, np.inf, False, 0.0, -1)
    total[5] = -1.0
    for k in range(len(outcomes)):
        # replace NaN by inf, because a maximum with NaN depends on the order of the numbers
        error = outcomes[k, 0] if np.isfinite(outcomes[k, 0]) else np.inf
        if error > total[0]:
            total[0], total[4], total[5] = error, outcomes[k, 4], k
        total[1] = min(total[1], outcomes[k, 1])
        total[2] = max(total[2], outcomes[k, 2])
        total[3] = max(total[3], outcomes[k, 3])


class PostNewtonUpdates:
    """The updates of all systems that have a post-Newton update.

    Args:
        fields: the fields of the assembly.
        systems: the systems with an update.
        keeps: whether each update first copies the history values to ``used``.

    Attributes:
        total: combined result of all systems in the previous update (the result of `judge_outcomes`), shape (6,).
        used: history values in the last Newton run (the values before the previous update), shape (d,). The array is
            empty if ``keeps`` is false.
    """

    def __init__(self, fields: Fields, systems: Sequence[System], keeps: bool = False) -> None:
        self._fields, self._systems, self.total = fields, systems, np.zeros(6)
        self.used = np.zeros(len(fields.data) if keeps else 0)

    @cached_property
    def program(self) -> Program:
        """The program of all updates, which writes the results to ``total``."""
        fields, outcomes, total = self._fields, np.zeros((len(self._systems), 5)), self.total
        steps: list[Step] = [(call(clear_outcomes, lambda s: (outcomes,)), (evaluate(fields),))]
        if len(self.used):
            kept = fields.data, self.used
            steps.append((call(copy_values, lambda s: kept), (evaluate(fields),)))
        for outcome, system in zip(outcomes, self._systems, strict=True):
            update = system.post_newton
            function = update if isinstance(update, (Call, FunctionChain)) else partial(_note, system)
            steps.append((function, (evaluate(fields, outcome=outcome),)))
        steps.append((call(judge_outcomes, lambda s: (outcomes, total)), (evaluate(fields),)))
        return Program(steps)


class MotionState(Protocol):
    """Interface of a state: displacements and velocities on this process, each of shape (n,), and the time [s]."""

    q: FloatArray
    v: FloatArray
    t: float


def begin_step(fields: Fields, reference: FloatArray, start: MotionState) -> None:
    """Copy a motion to the fields as the motion at the start of the step, and set the step size to 0. Later post-Newton
    updates then compute with this motion and step size.

    Args:
        fields: the motion at the start of the step is copied to these fields. History values are not copied.
        reference: reference coordinates by process-local number, shape (n + 1,).
        start: the motion at the start of the step.
    """
    n = len(start.q)
    np.add(reference[:n], start.q, out=fields.start_x[:n])
    fields.start_v[:n], fields.start_time[0], fields.step_size[0] = start.v, start.t, 0.0


def run_post_newton(system: System, fields: Fields) -> PostNewton:
    """Run the post-Newton update of one system."""
    assert system.post_newton is not None
    s = evaluate(fields, outcome=np.array(PostNewton()))
    found = system.post_newton(s)
    if found is None:
        error, step, changed, force, row = s.outcome.tolist()
        return PostNewton(error, step, changed != 0.0, force, int(row))
    return found


def _note(system: System, s: Evaluation) -> None:
    s.outcome[:] = run_post_newton(system, s)
