"""Cycles of contact states within a run of Newton's method: return maps alternate between two sets of contact states.

In a cycle, none of the two sets agrees with the solution that Newton's method finds for this set, so further
evaluations repeat both. A cycle is complete if both sets have occurred twice. The contact states are then frozen for the rest of the run, and the post-Newton update decides
whether the step needs another pass. The signs of history values represent the contact states.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Step
from windlass.framework.model.system import Fields, evaluate
from windlass.framework.parallel.processes import Processes

RETURNS = 2
"""Number of successive returns to the states of the evaluation before the last in a complete cycle."""
UNKNOWN = 2
"""Stands for the sign of a history value that has not been evaluated in this run."""


@kernel
def compare_states(
    data: FloatArray, mapped: FloatArray, left: FloatArray, earlier: IntArray, differs: FloatArray
) -> None:
    """Compare the contact states with those of the last two evaluations of the run.

    Args:
        data: history values, shape (d,).
        mapped: see `Fields`; the states are compared while it is > 0.
        left: value of ``mapped`` after the last evaluation, shape (1,); another value means that a run begins.
        earlier: signs of the history values in the last evaluation and in the evaluation before it, shape (2, d).
        differs: output, shape (3,); the first values are 1 if the states differ from those of the last evaluation and of the evaluation
            before it, respectively, otherwise 0.
    """
    if mapped[0] <= 0.0:
        return
    if mapped[0] != left[0]:
        for i in range(len(data)):
            earlier[0, i] = UNKNOWN
    last, before = False, False
    for i in range(len(data)):
        sign = np.int8(data[i] > 0.0) - np.int8(data[i] < 0.0)
        last |= sign != earlier[0, i]
        before |= sign != earlier[1, i]
        earlier[1, i] = earlier[0, i]
        earlier[0, i] = sign
    differs[0], differs[1] = last, before


@kernel
def count_down(mapped: FloatArray, left: FloatArray, differs: FloatArray) -> None:
    """Decrease by one the number of further evaluations in which return maps are active, see `Fields`; set it to 0 if
    the contact states are in a cycle. ``differs[2]`` counts the last evaluations that have returned to the states of
    the evaluation before the last.
    """
    if mapped[0] <= 0.0:
        return
    if mapped[0] != left[0]:
        differs[2] = 0.0
    differs[2] = differs[2] + 1.0 if differs[0] > differs[1] else 0.0
    mapped[0] = 0.0 if differs[2] >= RETURNS else mapped[0] - 1.0
    left[0] = mapped[0]


def follow_steps(fields: Fields, processes: Processes) -> list[Step]:
    """Return the steps that follow the return maps in each evaluation of the residual. On several processes they are
    the same on all processes, and collective.
    """
    left, differs, earlier = np.zeros(1), np.zeros(3), np.zeros((2, len(fields.data)), np.int8)
    s = evaluate(fields)
    share: list[Step] = [(partial(_share, processes, fields.mapped, differs), ())] if processes.size > 1 else []
    compare = call(compare_states, (fields.data, fields.mapped, left, earlier, differs))
    return [(compare, (s,)), *share, (call(count_down, (fields.mapped, left, differs)), (s,))]


def _share(processes: Processes, mapped: FloatArray, differs: FloatArray) -> None:
    if mapped[0] > 0.0:
        differs[:2] = processes.largest(differs[:2].tolist())
