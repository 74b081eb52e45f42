"""Estimate of the longest stable step size of explicit methods, before a run and after changes of the model.

Velocity Verlet is stable for h < 2/omega, where omega is the highest angular frequency of the model. For a chain of
cables 2/omega is about the time in which a wave travels through half an element. The value omega² is the largest
eigenvalue of R K with the stiffness matrix K, where R maps forces to accelerations that fulfil all constraints. This
eigenvalue is computed by Arnoldi iteration. If contacts close later, omega increases.

Source: T. J. R. Hughes, The Finite Element Method (1987), section 9.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, sqrt
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.command_line import options
from windlass.framework.errors import ModelError
from windlass.framework.state.assemble import assemble_matrix
from windlass.framework.state.state import State
from windlass.solvers.verdicts.watch import Watch

LARGEST = 20_000
"""Number of coordinates above which the limit is not estimated. For more coordinates, the estimate would take longer
than a short run.
"""
SMALL = 30
"""Number of coordinates up to which all eigenvalues are computed by a dense solver."""
TOLERANCE = 1e-3
"""Relative tolerance [1] of the largest eigenvalue. A step that exceeds the limit by less than this fraction is
accepted.
"""
AT_ONCE = 8
"""The stability limit is estimated after each of the first `AT_ONCE` changes of a model."""
SPACING = 1.5
"""After later changes of the model (see `AT_ONCE`), the limit is estimated again only if the number of steps has
increased by this factor [1] since the last estimate. This rule limits the number of estimates if hooks change the model
in every step.
"""
Respond = Callable[[FloatArray], FloatArray]
"""Function ``(forces) -> accelerations``, both of shape (n,). The accelerations fulfil the constraints at the state in
the fields.
"""


def estimate_longest_step(assembly: Assembly, state: State, respond: Respond) -> float:
    """Return 2/omega [s] of the model at a state. The result is inf if omega is not known, for example on several
    processes and for models with coordinates without mass.
    """
    if assembly.layout.size > 1 or not 2 <= assembly.layout.spare <= LARGEST:
        return inf
    from scipy.sparse import csr_array, linalg  # imported here, because other solvers do not need this module

    indptr, indices, values = assemble_matrix(assembly.world, state).getValuesCSR()
    K = csr_array((values, indices, indptr))
    K = 0.5 * (K + K.T)
    # a deterministic start vector that contains all modes
    start = respond(np.cos(np.arange(1.0, 1.0 + K.shape[0])))
    operator = linalg.LinearOperator(K.shape, lambda x: respond(K @ x.ravel()), dtype=float)
    if not np.isfinite(start).all() or not start.any():
        return inf
    try:
        if K.shape[0] > SMALL:
            found = linalg.eigs(operator, 1, which="LM", v0=start, tol=TOLERANCE, return_eigenvectors=False)
        else:
            found = np.linalg.eigvals(operator @ np.eye(K.shape[0]))
    except (RuntimeError, ModelError, linalg.ArpackError):
        return inf
    largest = float(np.max(found.real))
    return 2.0 / sqrt(largest) if largest > 0.0 else inf


class LimitWatch(Watch):
    """Comparison of the step size with the stability limit before a run. The comparison is repeated when columns of
    laws with forces, masses or constraints have changed.

    Args:
        assembly: the systems of this process.
        respond: function that returns the accelerations due to forces.
        step: largest step size [s].
    """

    name = "limit"

    def __init__(self, assembly: Assembly, respond: Respond, step: float) -> None:
        self._assembly, self._respond, self._step = assembly, respond, step
        # key of the column values at the last estimate, and version of the world at the last comparison
        self._mark, self._version = 0, -1
        self._looks, self._steps, self._next, self._reason, self._is_on = 0, 0, 0, "", True

    def begin(self, state: State, duration: float) -> None:
        """Begin the checks of a run, see `Watch.begin`."""
        self._mark, self._looks, self._steps, self._next, self._reason = 0, 0, 0, 0, ""

    def start(self, state: State, seen: bool) -> list[str]:
        """Prepare the checks of the first step, see `Watch.start`."""
        self._is_on = options.verdict_kind() != "off"
        if self._is_on:
            self._look(state)
        return self.judge()

    def before_step(self, state: State, h: float, moved: bool) -> None:
        """Prepare the checks of the next step, see `Watch.before_step`."""
        if self._version != self._assembly.world.version and self._steps >= self._next:
            self._compare(state)
        self._steps += 1

    def finish(self, state: State, moved: bool) -> None:
        """Record the end of the run, see `Watch.finish`."""
        self._compare(state)

    def judge(self) -> list[str]:
        """Return reasons to doubt the result, see `Watch.judge`."""
        return [self._reason] if self._reason else []

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs."""
        return {"looks": self._looks, "steps": self._steps, "next": self._next, "reason": self._reason}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._looks, self._steps, self._next = int(kept["looks"]), int(kept["steps"]), int(kept["next"])
        self._reason = str(kept["reason"])

    def _compare(self, state: State) -> None:
        """Estimate the limit again if columns have changed."""
        self._version = self._assembly.world.version
        if self._is_on and self._find_mark() != self._mark:
            self._look(state)

    def _find_mark(self) -> int:
        """Return a key that changes if any column on which the limit depends changes."""
        changed, systems = self._assembly.world.changed, self._assembly.layout.systems
        acting = (c for c, s in systems.items() if s.residual or s.mass or s.inertia or s.constraint)
        return max((changed.get(c, 0) for c in acting), default=0)

    def _look(self, state: State) -> None:
        """Estimate the limit at the given state."""
        self._mark, self._version = self._find_mark(), self._assembly.world.version
        self._looks += 1
        if self._looks > AT_ONCE:
            self._next = int(SPACING * self._steps) + 1
        # Only the first reason is stored. A step that exceeded an earlier limit remains doubtful even if later limits
        # are larger.
        if self._reason:
            return
        longest = estimate_longest_step(self._assembly, state, self._respond)
        if self._step > longest * (1.0 + TOLERANCE):
            when = "at the start" if self._looks == 1 else f"at {state.t:.6g} s, after a change of the model"
            self._reason = (
                f"the step of {self._step:.3g} s is beyond the limit of stability, {longest:.3g} s for the highest "
                f"frequency {when}: take a step below {0.9 * longest:.2g} s"
            )
