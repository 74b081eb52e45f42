"""When to evaluate and factorise the tangent again, and when the old one still does.

A tangent that is kept makes Newton converge linearly, r_{k+1} = theta r_k, but saves its evaluation and factorisation,
which cost as much as several iterations.  The policy predicts from the observed theta how many iterations are left with
the old tangent and with a new one, and takes what is cheaper; an old tangent that contracts badly is replaced at once.
Only residual norms enter, so that all processes decide alike and runs can be repeated exactly.

Source: the contraction-rate test of stiff solvers, E. Hairer, G. Wanner, Solving Ordinary Differential Equations II,
section IV.8.
"""

from __future__ import annotations

import math

from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.own_options import DYNAMIC_OPTIONS, own_option

REFRESH_COST = 1.0
"""Iterations that may be spent to save one evaluation and factorisation; those cost 3 to 5, but predictions err, and
with 2 belts take more time (60 x 4 segments 8 %, 960 x 2 4 %)."""
WORST_RATE = 0.3
"""An old tangent that contracts less than this is replaced."""
NEW_RATE = 1e-5
"""Expected contraction of a new tangent."""
PETSC_OPTIONS = ("snes_lag_jacobian", "snes_lag_preconditioner", "snes_mf", "snes_mf_operator", "snes_test_jacobian")
"""Options that ask PETSc to decide when the tangent is evaluated: with them the policy stays out."""
FORGIVENESS = 0.5
"""Each run that starts with a new tangent lowers the rate expected of an old one by this, so that it is tried again."""


class LagPolicy:
    """Decides for each iteration whether the tangent is evaluated again.

    Args:
        active: False evaluates it in every iteration (full Newton).
        refresh_cost: see `REFRESH_COST`; 0 keeps the tangent only where this costs no iteration.

    Attributes:
        active: see above; may be changed between runs.
        last_was_new: whether the last iteration evaluated the tangent.
    """

    def __init__(self, active: bool, refresh_cost: float = REFRESH_COST) -> None:
        self.active, self._cost = active, refresh_cost
        self._wanted: tuple[object, ...] | None = None
        self._norms: list[float] = []
        self._target = 0.0
        self.reset()

    def reset(self) -> None:
        """Forget the tangent and all that was learned: what follows does not depend on what was."""
        self._key: tuple[object, ...] | None = None
        self._kept_first = False
        self._is_ready = False
        self.last_was_new = True
        self._switched = False
        # first contraction expected of a kept tangent, without and with a contact that has switched since
        self._expected = {False: NEW_RATE, True: NEW_RATE}

    def begin(self, key: tuple[object, ...]) -> None:
        """A Newton run begins; a tangent made for another key (step size, stabiliser, switches) is of no use."""
        if key != self._key:
            self.drop_tangent()
        self._wanted = key
        self._norms = []

    def drop_tangent(self) -> None:
        """The next iteration needs a new tangent."""
        self._key = None
        self._is_ready = False

    def offer(self) -> None:
        """The tangent at the start of the present run has been evaluated: a run that starts there need not do so."""
        self._key = self._wanted
        self._is_ready = True

    @property
    def has_tangent(self) -> bool:
        """Whether the present run may begin with the tangent of an earlier one."""
        return self.active and self._key is not None and self._key == self._wanted

    def note_switch(self, changed: bool) -> None:
        """Whether a contact state changed since the last run."""
        self._switched = changed

    def note_norm(self, norm: float, target: float) -> None:
        """The residual norm of an iterate, and the norm at which the run has converged."""
        self._norms.append(norm)
        self._target = target
        if len(self._norms) == 2 and self._norms[0] > 0.0:
            rate = self._expected[self._switched] * FORGIVENESS
            if self._kept_first:
                rate = norm / self._norms[0]
            self._expected[self._switched] = min(max(rate, NEW_RATE), 1.0)

    def needs_tangent(self) -> bool:
        """Whether the tangent must be evaluated for the next iteration."""
        if self._is_ready:
            self._is_ready, self.last_was_new = False, True
            return False
        new = not self.active or self._key is None or self._new_is_cheaper()
        if new:
            self._key = self._wanted
        self.last_was_new = new
        if len(self._norms) == 1:
            self._kept_first = not new
        return new

    def _new_is_cheaper(self) -> bool:
        norm = self._norms[-1]
        if not 0.0 < norm < math.inf or norm <= self._target:
            return False
        rate = self._expected[self._switched]
        if len(self._norms) > 1:
            rate = norm / self._norms[-2]
        if rate >= WORST_RATE:
            return True
        left = math.log(self._target / norm)
        with_old = math.ceil(left / math.log(rate)) if rate > 0.0 else 1
        with_new = math.ceil(left / math.log(NEW_RATE))
        return with_old > with_new + self._cost


def create_lag_policy(prefix: str, active: bool) -> LagPolicy:
    """The policy of a solver: ``-<prefix>lag`` switches it, PETSc's own lag options take its place.

    Args:
        prefix: options prefix of the solver.
        active: the default.
    """
    wanted = own_option(DYNAMIC_OPTIONS, prefix, "lag", active)
    database = PETSc.Options()
    return LagPolicy(wanted and not any(database.hasName(prefix + name) for name in PETSC_OPTIONS))
