"""Runge-Kutta method of order 8 for y = (q, v) with y_t = (v, a(t, q, v)). SciPy's implementation DOP853 controls the
step size by error estimates of orders 5 and 3.

In each accepted step, the root mean square of the errors of all coordinates and velocities is kept below atol + rtol
|y|. In all stages of a step, history values are computed from their values at the start of the step. The history values
are stored when the step is accepted. If a contact state changes within a step, the slope of the forces jumps, and the
error control shortens the step. The method does not search for the times of these jumps. Contact laws can request that
a step is repeated with another size, so that the repeated step ends when the contact changes its state. The error
estimates do not detect contacts that begin and end within a step. The error estimates also do not detect impacts whose
effects are smaller than the tolerances. Monitors find steps with such contacts, and these steps are repeated with a
smaller size. Within a step, only the accelerations fulfil the constraints. After the step, coordinates and velocities
are projected onto the constraints. This projection changes coordinates and velocities by less than the error of the
step.

Source: P. J. Prince, J. R. Dormand, J. Comput. Appl. Math. 7 (1981) 67-75; E. Hairer, S. P. Norsett, G. Wanner, Solving
Ordinary Differential Equations I, Springer, section II.10 (DOP853); `scipy.integrate.DOP853`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import WindlassError
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import Accelerations, ProjectionError
from windlass.solvers.constraint_motion.saddle import SingularError
from windlass.solvers.explicit_methods.explicit_step import Advance, Judge, Look, Method

STAGES = 12
"""Number of evaluations of y_t in one attempt at a step."""
SMALLEST_NORM = 1e-6
"""If the ratio of the estimated error to the tolerance is below this value, the error is mostly rounding error. In this
case, the next step size increases by a factor of five.
"""
MOST_FAILURES = 40 * STAGES
"""Number of evaluations without a finite result. After this number of evaluations, the step fails. After each attempt
without a finite result, the step size is reduced to a fifth.
"""


@kernel(fast=False)
def is_calm(y: FloatArray, start: FloatArray, limit: float) -> bool:
    """Return whether all values of y are finite, and no coordinate, at the beginning of y, differs from its value in
    ``start`` by more than ``limit``.
    """
    calm = True
    for i in range(len(y)):
        calm &= np.isfinite(y[i])
    for i in range(len(start)):
        calm &= abs(y[i] - start[i]) <= limit
    return calm


@kernel(fast=False)
def fill_motion(
    y: FloatArray, reference: FloatArray, q: FloatArray, v: FloatArray, x: FloatArray, rates: FloatArray
) -> None:
    """Copy y, all displacements and velocities, to q and v, and write coordinates to x and velocities to ``rates``."""
    n = len(q)
    for i in range(n):
        q[i], v[i] = y[i], y[n + i]
        x[i], rates[i] = reference[i] + q[i], v[i]


class StuckError(WindlassError):
    """Exception that is raised if the forces in a step are not finite for any step size."""


class RungeKutta(Method):
    """The method DOP853 for an assembly. See the docstring of this module.

    Args:
        accelerations, judge, project: evaluator of accelerations, function that decides whether a step is repeated, and
            whether states are projected onto the constraints, see `Method`.
        rtol, atol: relative tolerance [1] and absolute tolerance, for coordinates [m, rad, 1] and velocities [m/s,
            rad/s, 1/s].
        look: function that returns a smaller step size which resolves all contacts, or inf if the last step has
            resolved all contacts.
    """

    def __init__(
        self,
        accelerations: Accelerations,
        judge: Judge,
        project: bool,
        rtol: float,
        atol: float,
        look: Look = lambda size: np.inf,
    ) -> None:
        super().__init__(accelerations, judge, project)
        self._rtol, self._atol, self._look = rtol, atol, look
        assembly = accelerations.assembly
        n = assembly.layout.spare
        self._owned = len(assembly.layout.owned)
        self._q, self._v = np.zeros(n), np.zeros(n)
        # a process without unknowns gets one dummy unknown, because all processes must execute the same steps
        self._padding = np.zeros(0 if self._owned else 1)
        self._solver: Any = None
        self._next = np.inf
        self._start_data, self._start_q = np.zeros(0), np.zeros(self._owned)
        self._failures, self._cause = 0, ""
        self._is_calm, self._fill = call(is_calm), call(fill_motion)

    def begin(self, state: State, resume: bool) -> None:
        """Begin a run with consistent initial values, see `Method.begin`."""
        super().begin(state, resume)
        self._solver, self._next = None, np.inf

    def checkpoint(self) -> dict[str, Any]:
        """Return the size [s] that the step size control proposes for the next step, or inf if it proposes no size. See
        `Method`.
        """
        return {"next": self._next}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned."""
        self._next = float(kept["next"])

    def reset_caches(self, state: State) -> None:
        """Delete cached values, see `Method.reset_caches`."""
        wanted = self._next
        super().reset_caches(state)
        self._next = wanted

    def _pack(self, q: FloatArray, v: FloatArray) -> FloatArray:
        return np.concatenate((q[: self._owned], v[: self._owned], self._padding))

    def _unpack(self, y: FloatArray) -> None:
        """Copy y, the coordinates and velocities of this process, to the fields."""
        assembly, owned = self._accelerations.assembly, self._owned
        fields, q, v = assembly.fields, self._q, self._v
        if assembly.layout.size == 1:
            self._fill(y, assembly.layout.reference, q, v, fields.x, fields.v)
            return
        q[:owned], v[:owned] = y[:owned], y[owned : 2 * owned]
        assembly.layout.ghosts.copy_from_owners(q, v)
        np.add(assembly.layout.reference[:-1], q, out=fields.x[:-1])
        fields.v[:-1] = v

    def _rate(self, t: float, y: FloatArray) -> FloatArray:
        """Return y_t. If the accelerations cannot be evaluated, return NaN. The step is then repeated with a smaller
        size.
        """
        a, assembly = self._accelerations, self._accelerations.assembly
        calm = self._is_calm(y, self._start_q, self._limit)
        if assembly.processes.all(bool(calm)):
            self._unpack(y)
            try:
                a.evaluate(t, self._start_data)
                return self._pack(self._v, a.a)
            except SingularError as error:
                self._cause = str(error)
        self._failures += 1
        if self._failures > MOST_FAILURES:
            raise StuckError(self._cause or "coordinates grow without bounds or are not finite")
        return np.full(len(y), np.nan)

    def _begin_step(self, state: State) -> None:
        """Store the state at the start of the step, and apply changes of the model."""
        a = self._accelerations
        if self._version != a.assembly.world.version:
            a.refresh()
            self._version = a.assembly.world.version
        self._start_data, self._start_q = state.data.copy(), state.q[: self._owned].copy()

    def _create(self, state: State, size: float) -> None:
        """Create a solver of SciPy that starts from the state."""
        from scipy.integrate import DOP853  # imported here, because other methods do not need SciPy

        self._begin_step(state)
        first = min(self._next, size)
        y = self._pack(state.q, state.v)
        self._solver = DOP853(self._rate, state.t, y, np.inf, rtol=self._rtol, atol=self._atol, first_step=first)
        self._solver._estimate_error_norm = self._estimate_error

    def _estimate_error(self, K: FloatArray, h: float, scale: FloatArray) -> float:
        """Return SciPy's error norm for the values of all processes, rounded to √2 times a power of 2."""
        error5, error3 = K.T @ self._solver.E5 / scale, K.T @ self._solver.E3 / scale
        sums = np.array([error5 @ error5, error3 @ error3, 2 * self._owned])
        square5, square3, count = self._accelerations.assembly.processes.sum(sums)
        if square5 == 0.0 and square3 == 0.0:
            return 0.0
        norm = abs(h) * square5 / np.sqrt((square5 + 0.01 * square3) * count)
        # The error estimate is a small difference of large values, so the rounding error of the estimate is large and
        # depends on the number of processes. Rounding to √2 times a power of 2 makes step sizes independent of the
        # number of processes.
        return float(max(2.0 ** (np.floor(np.log2(norm)) + 0.5), SMALLEST_NORM))

    def _is_current(self, state: State) -> bool:
        """Return whether the solver can continue from the state: neither the state nor the model was changed since the
        last step."""
        assembly = self._accelerations.assembly
        if self._solver is None or self._version != assembly.world.version:
            return False
        y = self._pack(state.q, state.v)
        same = np.array_equal(y, self._solver.y) and np.array_equal(state.data, self._start_data)
        return assembly.processes.all(same)

    def attempt(self, state: State, size: float, then: float) -> Advance:
        """Attempt one step from the state. The argument ``size`` is the largest allowed step size [s]."""
        self._failures, self._cause = 0, ""
        try:
            # suppress warnings about overflow and NaN, because the step control rejects steps with overflow or NaN
            with np.errstate(all="ignore"):
                advance = self._attempt(state, size, then)
        except (SingularError, ProjectionError, StuckError) as error:
            advance = Advance(then, reason=str(error))
        if not advance.accepted:
            self._solver = None
        return advance

    def _attempt(self, state: State, size: float, then: float) -> Advance:
        self._accelerations.begin_step(state)
        if not self._is_current(state):
            self._create(state, size)
        solver = self._solver
        self._start_q[:] = state.q[: self._owned]
        wanted, solver.max_step, before = solver.h_abs, size, solver.nfev
        message = solver.step()
        advance = Advance(then, rejected=(solver.nfev - before) // STAGES - 1)
        if solver.status == "failed":
            advance.reason = self._cause or f"step size control: {message}"
            return advance
        h = solver.t - state.t
        whole = h >= size * (1.0 - 1e-9)
        advance.t = solver.t = then if whole else solver.t
        # if this step was shortened to end at a given time, the next size is the larger of the new proposal and the
        # proposal before this step
        self._next = solver.h_abs = max(solver.h_abs, wanted) if whole else solver.h_abs
        self._unpack(solver.y)
        return self._end_step(state, advance, h)

    def _end_step(self, state: State, advance: Advance, size: float) -> Advance:
        """Compute and store the history values at the end of a step, and decide whether the step is accepted."""
        accelerations = self._accelerations
        refused = False
        # the method does not evaluate forces at the end of the step, but history values need this evaluation
        if accelerations.has_history:
            result = accelerations.evaluate(advance.t, self._start_data)
            advance.error, refused = result.error, self._refuse(advance, result, size)
            if np.isfinite(advance.recommended_step):
                return advance
        resolving = self._look(size)
        if resolving < size:
            advance.recommended_step, advance.unresolved = resolving, True
        elif not refused:
            self._accept(state, advance)
        return advance

    def _accept(self, state: State, advance: Advance) -> None:
        accelerations, start_data = self._accelerations, self._start_data
        state.q[:], state.v[:], state.t = self._q, self._v, advance.t
        if self._project:
            self._make_consistent(state)
            self._solver = None
        else:
            self._store_evaluation(state, start_data)
            if accelerations.has_history and not np.array_equal(state.data, start_data):
                self._solver = None
        advance.accepted = True
