"""Rules that decide whether a Newton run has converged or failed. The decisions depend on residual norms. Python and
compiled code use the same rules.

A few decisions require forces, the last linear solution or rounding errors. For these decisions `judge` returns `ASK`,
and Python code decides. If only the accuracy of the last linear solution is required, `judge` returns `SLOW`, and
compiled code calls Python only if the linear solution is not clearly accurate. All other return values are values of
PETSc's SNESConvergedReason.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.kernel import kernel
from windlass.solvers.newton.lagging import note_norm

ITERATING, CONVERGED_ABSOLUTE, CONVERGED_RELATIVE = 0, 2, 3
LINEAR_SOLVE_FAILED, NOT_A_NUMBER, TOO_MANY_ITERATIONS, CYCLED = -3, -4, -5, -7
"""CYCLED: return maps alternate between two sets of contact states. PETSc calls this value SNES_DIVERGED_INNER."""
ASK, SLOW = 99, 98
"""Values that PETSc does not use as convergence reasons. These values are returned if the norms alone are not
sufficient for a decision. In this case, the run continues if the last linear solution is accurate.
"""
SLOW_RATE = 1e-3
"""If the contraction factor of an iteration with a new tangent is larger than this value, the accuracy of the linear
solution is checked.
"""
NO_LONGER_FALLS = 0.5
"""If the ratio of a residual to the smallest previous residual is larger than this value, the iteration has made no
progress.
"""
REPEATED, SAME = 3, 1e-6
"""A run ends if a pair of residual norms has repeated REPEATED times with relative differences of at most SAME."""
STALLED = 2
"""Number of successive iterations without progress. After this number of iterations, the residual is compared with its
rounding error.
"""


MEASURES = np.dtype(
    [(name, np.float64) for name in ("rtol", "atol", "predictor", "reference")]
    + [(name, np.int64) for name in ("max_it", "damped", "guessed", "may_pivot", "exact", "seen")]
)
"""Data of the convergence test of a Newton run, in a record of shape (1,) that Python and compiled callbacks share.

The history of norms, beginning with the predictor, is a separate array.

rtol, atol, max_it: tolerances and largest number of iterations of the run, see `Newton`.
damped: whether the run uses a backtracking line search.
guessed: whether the run starts from the result of another pass of the step. Even in this case, tolerances refer to the
    predictor.
may_pivot: whether a more accurate linear solver than the present one is available.
exact: whether the run ends at a static equilibrium, whose residual should also be small relative to the loads.
predictor, reference: residual norm of the predictor, and residual norm to which tolerances refer.
seen: number of norms so far.
"""


@kernel(fast=False)
def judge(measures: Any, history: FloatArray, lag: Any, it: int, norm: float) -> int:
    """Store the residual norm in the history, and return a convergence reason, `ASK` or `SLOW`.

    From the first iteration on, the norm is compared with the absolute tolerance and with the relative tolerance, which
    refers to the larger of the first two norms. With a backtracking line search, the norm before the first iteration is
    also compared with the absolute tolerance.
    """
    m = measures[0]
    if m["seen"] < len(history):
        history[m["seen"]] = norm
        m["seen"] += 1
    if not np.isfinite(norm):
        return NOT_A_NUMBER
    rtol, atol = m["rtol"], m["atol"]
    if it == 0:
        # tolerances refer to the predictor, even if a later pass of the step starts from a better approximation
        m["predictor"] = max(norm, m["predictor"]) if m["guessed"] else norm
        m["reference"] = m["predictor"] if m["predictor"] > atol else 2.0 * atol
        # this test is necessary because a backtracking line search fails if the run starts from the solution
        return CONVERGED_ABSOLUTE if m["damped"] and norm <= atol else ITERATING
    if it == 1 and norm > m["reference"]:
        m["reference"] = norm
    if norm <= atol:
        return CONVERGED_ABSOLUTE
    if norm <= rtol * m["reference"]:
        return CONVERGED_RELATIVE if norm <= rtol * m["predictor"] and not m["exact"] else ASK
    if lag[0]["last_was_new"] and has_stalled(history[: m["seen"]], STALLED):
        return ASK
    if is_slow(measures, history, lag, norm):
        return SLOW
    return continue_below(measures, history, it)


@kernel(fast=False)
def continue_below(measures: Any, history: FloatArray, it: int) -> int:
    """Return the convergence reason of a run that continues up to the largest number of iterations, or until its
    iterations repeat.
    """
    m = measures[0]
    repeats = not m["damped"] and has_repeated(history[: m["seen"]])
    return TOO_MANY_ITERATIONS if it >= m["max_it"] or repeats else ITERATING


@kernel(fast=False)
def has_repeated(history: FloatArray) -> bool:
    """Return whether the residual norms of the last iterations alternate between two values. In this case, Newton's
    method alternates between two branches of a force with a kink, and further iterations would repeat these branches.
    """
    last = len(history)
    if last < 2 * REPEATED + 2:
        return False
    repeated = True
    for i in range(last - 2 * REPEATED, last):
        repeated = repeated and abs(history[i] - history[i - 2]) <= SAME * history[i]
    return repeated


@kernel(fast=False)
def is_slow(measures: Any, history: FloatArray, lag: Any, norm: float) -> bool:
    """Return whether an iteration with a new tangent has reduced the residual so little that the linear solution must
    be checked.
    """
    m = measures[0]
    if m["seen"] < 2 or norm <= SLOW_RATE * history[m["seen"] - 2]:
        return False
    return bool(m["may_pivot"] and lag[0]["last_was_new"] and not m["damped"])


@kernel(fast=False)
def has_stalled(history: FloatArray, iterations: int) -> bool:
    """Return whether the last ``iterations`` iterations have made no progress. The argument ``history`` contains all
    residual norms of the run.
    """
    before = len(history) - iterations
    if before < 2:
        return False
    best = np.inf
    for i in range(before):
        best = min(best, history[i])
    falls = False
    for i in range(before, len(history)):
        falls = falls or history[i] <= NO_LONGER_FALLS * best
    return not falls


@kernel(fast=False)
def conclude(measures: Any, lag: Any, norm: float, reason: int, residual: FloatArray, before: FloatArray) -> None:
    """Store the data that the next iteration needs. The residual is copied to ``before`` only if a check of the next
    linear solution is possible.
    """
    m = measures[0]
    if reason == NOT_A_NUMBER:
        return
    note_norm(lag, norm, max(m["rtol"] * m["reference"], m["atol"]))
    if reason == ITERATING and m["may_pivot"] and not m["damped"]:
        for i in range(len(before)):
            before[i] = residual[i]
