"""Rules for the reuse of tangents. The rules decide when the tangent is evaluated and factorised again.

With a reused tangent, the residual norm r_k of iteration k decreases linearly, r_{k+1} = theta r_k, with the
contraction factor theta. If a tangent is reused, no evaluation and no factorisation are needed, which together take as
much time as several iterations. From the observed theta, `LagPolicy` predicts the remaining number of iterations with
the old tangent and with a new tangent. `LagPolicy` then selects the tangent with the shorter predicted time. If theta
is larger than `WORST_RATE`, the old tangent is replaced in the next iteration. The policy uses only residual norms.
Therefore all processes make the same decision, and repeated runs are identical.

Source: the contraction-rate test of stiff solvers, E. Hairer, G. Wanner, Solving Ordinary Differential Equations II,
section IV.8.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.own_options import DYNAMIC_OPTIONS, own_option

REFRESH_COST = 1.0
"""Number of additional iterations that are accepted to save one evaluation and factorisation. An evaluation and a
factorisation take as much time as 3 to 5 iterations, but predictions of the number of iterations are inexact. With the
value 2, the solution time of belts is longer by 8 % (60 x 4 segments) and 4 % (960 x 2 segments).
"""
REFRESH_COST_WITH_MAPS = 0.0
"""Value that replaces `REFRESH_COST` for models with return maps. Contact states change between iterations, so
iterations with a reused tangent converge more slowly than predicted. In addition, iterations take longer, because
return maps are evaluated in each residual.
"""
RESERVE_WITH_MAPS = 0.1
"""Residual norm [1] that an old tangent must be expected to reach in models with return maps, relative to the norm
below which a run has converged. Without this reserve, runs of belts need up to 5 % more iterations.
"""
WORST_RATE = 0.3
"""If the contraction factor is larger than this value, an old tangent is replaced."""
NEW_RATE = 1e-5
"""Expected contraction factor of an iteration with a new tangent."""
PETSC_OPTIONS = ("snes_lag_jacobian", "snes_lag_preconditioner", "snes_mf", "snes_mf_operator", "snes_test_jacobian")
"""PETSc options that determine when the tangent is evaluated. If one of these options is given, the policy is not used.
"""
FORGIVENESS = 0.5
"""After each run that starts with a new tangent, the expected contraction factor of an old tangent is multiplied by
this factor. Therefore, after several such runs, the reuse of a tangent is tried again.
"""


MEMORY = np.dtype(
    [
        (name, np.int64)
        for name in ("active", "has_tangent", "is_ready", "kept_first", "last_was_new", "switched", "seen")
    ]
    + [
        (name, np.float64)
        for name in ("cost", "reserve", "target", "first", "before", "last", "expected", "expected_switched")
    ]
)
"""Data of the policy, in a record of shape (1,) that Python and compiled callbacks share.

active: whether the policy is used.
last_was_new: whether the last iteration evaluated the tangent.
cost: number of accepted additional iterations, see `REFRESH_COST`.
reserve: residual norm that an old tangent is expected to reach, divided by ``target``, see `RESERVE_WITH_MAPS`.
has_tangent: whether the stored tangent is valid for the present run.
is_ready: whether the tangent was evaluated at the start of the run.
kept_first: whether the first iteration of the run reused the tangent.
switched: whether a contact state has changed since the last run.
seen: number of norms of the run so far.
first, before, last: the first, the second last and the last norm of the run.
target: the norm below which the run has converged.
expected: expected contraction factor of a first iteration with a reused tangent.
expected_switched: expected contraction factor of a first iteration with a reused tangent, after a contact state has
    changed.
"""


@kernel(fast=False)
def note_norm(memory: Any, norm: float, target: float) -> None:
    """Record the residual norm of an iterate, and the norm ``target`` below which the run has converged."""
    m = memory[0]
    m["before"], m["last"], m["target"] = m["last"], norm, target
    if m["seen"] == 0:
        m["first"] = norm
    m["seen"] += 1
    if m["seen"] == 2 and m["first"] > 0.0:
        rate = (m["expected_switched"] if m["switched"] else m["expected"]) * FORGIVENESS
        if m["kept_first"]:
            rate = norm / m["first"]
        rate = min(max(rate, NEW_RATE), 1.0)
        if m["switched"]:
            m["expected_switched"] = rate
        else:
            m["expected"] = rate


@kernel(fast=False)
def is_new_cheaper(memory: Any) -> bool:
    """Return whether the remaining iterations are expected to take less time with a new tangent than with the old
    tangent.
    """
    m = memory[0]
    norm, target = m["last"], m["target"]
    if not 0.0 < norm < np.inf or norm <= target:
        return False
    rate = m["expected_switched"] if m["switched"] else m["expected"]
    if m["seen"] > 1:
        rate = norm / m["before"]
    if rate >= WORST_RATE or target <= 0.0:
        return True
    left = math.log(target / norm)
    with_old = math.ceil((left + math.log(m["reserve"])) / math.log(rate)) if rate > 0.0 else 1
    with_new = math.ceil(left / math.log(NEW_RATE))
    return bool(with_old > with_new + m["cost"])


@kernel(fast=False)
def needs_tangent(memory: Any) -> bool:
    """Return whether the tangent must be evaluated for the next iteration."""
    m = memory[0]
    if m["is_ready"]:
        m["is_ready"], m["last_was_new"] = 0, 1
        return False
    new = m["active"] == 0 or m["has_tangent"] == 0 or is_new_cheaper(memory)
    if new:
        m["has_tangent"] = 1
    m["last_was_new"] = new
    if m["seen"] == 1:
        m["kept_first"] = not new
    return bool(new)


class LagPolicy:
    """Policy that decides for each iteration whether the tangent is evaluated again.

    Args:
        active: whether the policy is used. False evaluates the tangent in every iteration (full Newton).
        refresh_cost: number of additional iterations that are accepted to save one evaluation of the tangent. With 0,
            the tangent is reused only if no additional iteration is expected.
        reserve: see `RESERVE_WITH_MAPS`.

    Attributes:
        memory: data of the policy, see `MEMORY`.
        active: whether the policy is used.
    """

    def __init__(self, active: bool, refresh_cost: float = REFRESH_COST, reserve: float = 1.0) -> None:
        self.memory = np.zeros(1, MEMORY)
        self.memory["cost"], self.memory["reserve"] = refresh_cost, reserve
        self._seen, self._switched = self.memory["seen"], self.memory["switched"]
        self._key: tuple[object, ...] | None = None
        self._note_norm, self._needs_tangent = call(note_norm), call(needs_tangent)
        self.active = active
        self.reset()

    @property
    def active(self) -> bool:
        """Whether the policy is used. The value may be changed between runs."""
        return bool(self.memory["active"][0])

    @active.setter
    def active(self, active: bool) -> None:
        self.memory["active"] = active

    @property
    def last_was_new(self) -> bool:
        """Whether the last iteration evaluated the tangent."""
        return bool(self.memory["last_was_new"][0])

    def reset(self) -> None:
        """Delete the tangent and all data of the policy. After this call, runs do not depend on earlier runs."""
        self.drop_tangent()
        m = self.memory
        m["kept_first"], m["last_was_new"], m["switched"] = 0, 1, 0
        m["expected"] = m["expected_switched"] = NEW_RATE

    def begin(self, key: tuple[object, ...]) -> None:
        """Begin a Newton run. The tangent is not reused if it was evaluated with another ``key`` (for example step
        size, stabiliser, or version of the world).
        """
        if key != self._key:
            self.drop_tangent()
        self._key = key
        self._seen[0] = 0

    def drop_tangent(self) -> None:
        """Require a new tangent for the next iteration."""
        self.memory["has_tangent"] = self.memory["is_ready"] = 0

    def offer(self) -> None:
        """Record that the tangent at the start of the present run has been evaluated."""
        self.memory["has_tangent"] = self.memory["is_ready"] = 1

    @property
    def has_tangent(self) -> bool:
        """Whether the present run can begin with the tangent of an earlier run."""
        return self.active and bool(self.memory["has_tangent"][0])

    def note_switch(self, changed: bool) -> None:
        """Record whether a contact state changed since the last run."""
        self._switched[0] = changed

    def note_norm(self, norm: float, target: float) -> None:
        """Record the residual norm of an iterate by the kernel `note_norm`."""
        self._note_norm(self.memory, norm, target)

    def needs_tangent(self) -> bool:
        """Return the decision of the kernel `needs_tangent` for the next iteration."""
        return bool(self._needs_tangent(self.memory))


def create_lag_policy(prefix: str, active: bool, maps: bool) -> LagPolicy:
    """Create the policy of a solver. The option ``-<prefix>lag`` switches the policy on or off. If PETSc's own lag
    options are given, the policy is not used.

    Args:
        prefix: options prefix of the solver.
        active: whether the policy is used if no option is given.
        maps: whether return maps change contact states within Newton runs.
    """
    wanted = own_option(DYNAMIC_OPTIONS, prefix, "lag", active)
    database = PETSc.Options()
    costs = (REFRESH_COST_WITH_MAPS, RESERVE_WITH_MAPS) if maps else (REFRESH_COST, 1.0)
    return LagPolicy(wanted and not any(database.hasName(prefix + name) for name in PETSC_OPTIONS), *costs)
