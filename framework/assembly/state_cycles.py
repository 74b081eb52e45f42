"""Cycles of contact states within a run of Newton's method. In a cycle, return maps (see `ReturnMap`) alternate between
two sets of contact states.

For each of the two sets, Newton's method finds a solution, but the contact states of this solution are the other set.
Further evaluations would only repeat the two sets. When both sets have occurred twice, the cycle is complete and the
run ends. The solver then repeats the run with the contact states at the start of the step, and keeps these states
constant during the repeated run. The signs of history values represent the contact states.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Step
from windlass.framework.model.system import Fields, evaluate
from windlass.framework.parallel.processes import Processes

ALTERNATES = -1.0
"""Value of `Fields.mapped` after a cycle of contact states was found."""
RETURNS = 2
"""Number of successive evaluations that complete a cycle. In each of these evaluations, the contact states are equal to
the states two evaluations earlier, but differ from the states one evaluation earlier.
"""
UNKNOWN = 2
"""Substitute for the sign of a history value that has not been evaluated in this run."""


@kernel
def compare_states(
    data: FloatArray, mapped: FloatArray, left: FloatArray, earlier: NDArray[Any], differs: FloatArray
) -> None:
    """Compare the present contact states with the contact states in the previous two evaluations of the run.

    Args:
        data: history values, shape (d,).
        mapped: number of further evaluations in which return maps are active, see `Fields`. Contact states are compared
            only while this number is > 0.
        left: value of ``mapped`` at the end of the previous evaluation, shape (1,). At the start of a run of Newton's
            method ``mapped`` has a new value, so the first evaluation of a run is not compared with the previous run.
        earlier: signs of the history values in the previous two evaluations, latest first, shape (2, d).
        differs: output, shape (2,). The first element is 1 if the contact states differ from the states one evaluation
            earlier, otherwise 0. The second element is 1 if the contact states differ from the states two evaluations
            earlier, otherwise 0.
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
def count_down(mapped: FloatArray, left: FloatArray, differs: FloatArray, returns: FloatArray) -> None:
    """Decrease ``mapped`` by one, see `Fields`. ``mapped`` is the number of further evaluations in which return maps
    are active. After a cycle, set ``mapped`` to `ALTERNATES`.

    The argument ``returns``, shape (1,), counts the latest consecutive evaluations with contact states that differed
    from the states one evaluation earlier, but were equal to the states two evaluations earlier.
    """
    if mapped[0] <= 0.0:
        return
    returning = differs[0] > differs[1]
    if not returning or mapped[0] != left[0]:
        returns[0] = 0.0
    returns[0] += returning
    mapped[0] = ALTERNATES if returns[0] >= RETURNS else mapped[0] - 1.0
    left[0] = mapped[0]


@kernel
def count_only(mapped: FloatArray) -> None:
    """Decrease ``mapped`` by one if it is positive, see `Fields`. ``mapped`` is the number of further evaluations in
    which return maps decide.
    """
    if mapped[0] > 0.0:
        mapped[0] -= 1.0


def follow_steps(fields: Fields, processes: Processes, finds_cycles: bool) -> list[Step]:
    """Return the steps that run after the return maps in each evaluation of the residual. If ``finds_cycles`` is false,
    the steps only count the evaluations. With several processes, all processes have equal steps, and the execution of
    the steps is collective.
    """
    s = evaluate(fields)
    if not finds_cycles:
        return [(call(count_only, (fields.mapped,)), (s,))]
    left, differs, returns, earlier = np.zeros(1), np.zeros(2), np.zeros(1), np.zeros((2, len(fields.data)), np.int8)
    share: list[Step] = [(partial(_share, processes, fields.mapped, differs), ())] if processes.size > 1 else []
    compare = call(compare_states, (fields.data, fields.mapped, left, earlier, differs))
    return [(compare, (s,)), *share, (call(count_down, (fields.mapped, left, differs, returns)), (s,))]


def _share(processes: Processes, mapped: FloatArray, differs: FloatArray) -> None:
    """Replace each result of `compare_states` by the maximum over all processes."""
    if mapped[0] > 0.0:
        differs[:] = processes.largest(differs.tolist())
