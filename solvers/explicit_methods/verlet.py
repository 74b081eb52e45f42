"""Velocity Verlet with predicted velocities, for steps of size h. With constraints this method is known as RATTLE.

    v½ = v_n + h/2 a_n
    q_{n+1} = q_n + h v½
    v* = v½ + h/2 a_n
    a_{n+1} = a(t_{n+1}, q_{n+1}, v*)
    v_{n+1} = v½ + h/2 a_{n+1}

The positions q_{n+1} are projected onto C = 0 along M⁻¹ C_q(q_n)ᵀ. The correction of the positions, divided by h, is
added to v½. The predicted velocity v* = v_n + h a_n has an error of O(h²). The accelerations are evaluated once in each
step. The velocities v_{n+1} are projected onto Ċ = 0 along M⁻¹ C_q(q_{n+1})ᵀ.

The order is 2 even if forces or inertia depend on velocities: the error of v* causes an error of O(h³) in v_{n+1}. If
forces and inertia do not depend on velocities, a_{n+1} is exact and the method is symplectic. For a symplectic method,
the energy error remains of order h² for very long times. The method is also symplectic with constraints and a constant
mass matrix.

The method is stable if h ω < 2 (√(1 + 4ζ²) - 2ζ) for each mode of the model, where ω is the angular frequency and ζ the
damping ratio of the mode. The limit of h ω is 2 without damping, and 0.47 with critical damping.

Sources: L. Verlet, Phys. Rev. 159 (1967) 98-103; W. C. Swope and others, J. Chem. Phys. 76 (1982) 637-649;
H. C. Andersen, J. Comput. Phys. 52 (1983) 24-34 (RATTLE).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import Accelerations, ProjectionError
from windlass.solvers.constraint_motion.saddle import SingularError
from windlass.solvers.explicit_methods.explicit_step import Advance, Judge, Method


# ``fast=False`` prevents reordered and fused operations, because the copies of a coordinate on several processes must
# remain bitwise identical
@kernel(fast=False)
def predict(
    q: FloatArray, v: FloatArray, a: FloatArray, seen_q: FloatArray, seen_v: FloatArray, reference: FloatArray,
    h: float, limit: float, q_new: FloatArray, v_half: FloatArray, x: FloatArray, v_star: FloatArray,
) -> tuple[int, int]:  # fmt: skip
    """Compute the first half of a step. Return two numbers. The first number counts the coordinates whose value or
    velocity is not equal to the value or velocity at the end of the last step. The second number counts the coordinates
    whose change exceeds ``limit``.

    q, v, a: state at the start, shape (n,).
    seen_q, seen_v: coordinates and velocities at the end of the last step.
    limit: largest allowed change [m, rad, 1] of a coordinate in one step.
    q_new, v_half: results, shape (n,).
    x, v_star: total coordinates and predicted velocities, shape (n + 1,).
    """
    changed, wild = 0, 0
    for i in range(len(q)):
        changed += 1 if q[i] != seen_q[i] or v[i] != seen_v[i] else 0
        kick = 0.5 * h * a[i]
        half = v[i] + kick
        way = h * half
        # a change that is NaN is also counted
        wild += 0 if abs(way) <= limit else 1
        q_new[i] = q[i] + way
        v_half[i] = half
        x[i] = reference[i] + q_new[i]
        v_star[i] = half + kick
    return changed, wild


@kernel(fast=False)
def complete(v_half: FloatArray, a: FloatArray, h: float, v_new: FloatArray) -> int:
    """Compute the second half of a step. Return the number of accelerations that are not finite."""
    wild = 0
    for i in range(len(a)):
        v_new[i] = v_half[i] + 0.5 * h * a[i]
        wild += 0 if abs(a[i]) < np.inf else 1
    return wild


class Verlet(Method):
    """Velocity Verlet for an assembly. See the docstring of this module for the equations, and `Method` for the
    arguments.
    """

    def __init__(self, accelerations: Accelerations, judge: Judge, project: bool) -> None:
        super().__init__(accelerations, judge, project)
        n = accelerations.assembly.layout.spare
        self._q, self._v, self._v_half = np.zeros(n), np.zeros(n), np.zeros(n)
        self._seen_q, self._seen_v, self._seen_data = np.zeros(n), np.zeros(n), np.zeros(0)
        self._first_half, self._complete = call(predict), call(complete)
        self._matrix_is_of_start = False

    def begin(self, state: State, resume: bool) -> None:
        """Begin a run with consistent initial values, see `Method.begin`."""
        super().begin(state, resume)
        self._matrix_is_of_start = not resume
        self._note(state)

    def update_state(self, state: State) -> None:
        """Update the accelerations after a change by the user, see `Method.update_state`."""
        seen = np.array_equal(self._seen_q, state.q) and np.array_equal(self._seen_v, state.v)
        touched = not (seen and np.array_equal(self._seen_data, state.data))
        assembly = self._accelerations.assembly
        if assembly.processes.any(touched) or self._version != assembly.world.version:
            self._restart(state)

    def _note(self, state: State) -> None:
        self._seen_q[:], self._seen_v[:], self._seen_data = state.q, state.v, state.data.copy()
        self._version = self._accelerations.assembly.world.version

    def _restart(self, state: State) -> None:
        """Compute accelerations again after a change of the state or the model between two steps."""
        self.update_accelerations(state)
        self._matrix_is_of_start = True
        self._note(state)

    def _predict(self, state: State, h: float) -> tuple[int, int]:
        assembly = self._accelerations.assembly
        before = state.q, state.v, state.a, self._seen_q, self._seen_v
        after = self._q, self._v_half, assembly.fields.x, assembly.fields.v
        return self._first_half(*before, assembly.layout.reference, h, self._limit, *after)

    def attempt(self, state: State, size: float, then: float) -> Advance:
        """Attempt one step from the state, see `Method.attempt`."""
        try:
            return self._attempt(state, size, then)
        except (SingularError, ProjectionError) as error:
            self._matrix_is_of_start = False
            return Advance(then, reason=str(error))

    def _attempt(self, state: State, h: float, then: float) -> Advance:
        accelerations = self._accelerations
        assembly, fields = accelerations.assembly, accelerations.assembly.fields
        changed, found = self._predict(state, h)
        wild = float(found)
        touched = changed > 0 or not np.array_equal(self._seen_data, state.data)
        wild, anywhere = assembly.processes.largest([wild, float(touched)])
        if anywhere or self._version != assembly.world.version:
            self._restart(state)
            _, found = self._predict(state, h)
            wild = assembly.processes.largest_of(found)
        if wild:
            return Advance(then, reason="coordinates grow without bounds or are not finite")
        if self._project:
            self._correct_positions(state, h, then)
        if accelerations.has_history:
            accelerations.begin_step(state)
        result = accelerations.evaluate(then, state.data)
        self._matrix_is_of_start = False
        advance = Advance(then, error=result.error)
        if self._refuse(advance, result, h):
            return advance
        wild = self._complete(self._v_half, accelerations.a, h, self._v)
        if assembly.processes.largest_of(wild) > 0:
            advance.reason = "accelerations are not finite"
            return advance
        if self._project:
            fields.v[:-1] = self._v
            accelerations.project_velocities()
            self._v[:] = fields.v[:-1]
        start_data = self._seen_data
        state.q[:], state.v[:] = self._q, self._v
        self._store_evaluation(state, start_data)
        state.t = then
        self._q, self._seen_q, self._v, self._seen_v = self._seen_q, self._q, self._seen_v, self._v
        if accelerations.has_history:
            self._seen_data = state.data.copy()
        self._matrix_is_of_start = True
        advance.accepted = True
        return advance

    def _correct_positions(self, state: State, h: float, then: float) -> None:
        """Project the predicted coordinates onto the constraints with the matrix at the start of the step."""
        accelerations = self._accelerations
        fields = accelerations.assembly.fields
        if not self._matrix_is_of_start:
            accelerations.load(state)
            accelerations.assembly.update_markers()
            accelerations.update_matrix()
            self._matrix_is_of_start = True
            self._predict(state, h)
        fields.t, fields.rate_level = then, False
        correction = accelerations.project_positions()
        self._q += correction
        self._v_half += correction / h
        fields.v[:-1] += correction / h
