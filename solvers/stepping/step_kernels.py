"""The parts of a step before and after its Newton runs. These parts are kernels that use fixed arrays. Compiled
programs consist of these kernels.

At the start of a step, the kernels copy history values and compute the predictor. At the end of a step, the kernels
compute the algorithmic accelerations. The state is read at the start of a step and written only when the step is
accepted. Therefore a failed step does not change the state.
"""

from __future__ import annotations

from operator import is_

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.array_kernels import copy_values
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.kernels.program import Program
from windlass.framework.model.system import evaluate
from windlass.framework.state.state import State
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.newton.problem_kernels import store_motion
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.stepping.integrator import (
    Integrator,
    finish,
    finish_rotations,
    predict,
    predict_rotations,
)


@kernel
def begin_history(data: FloatArray, kept: FloatArray, now: FloatArray, start: FloatArray) -> None:
    """Copy the history values ``data`` of a state to three arrays, each of shape (d,). These arrays are ``start_data``
    of the state (``kept``), and ``data`` and ``start_data`` of the fields (``now`` and ``start``).
    """
    for i in range(len(data)):
        kept[i] = data[i]
        now[i] = data[i]
        start[i] = data[i]


@kernel
def begin_motion(q: FloatArray, v: FloatArray, reference: FloatArray, x: FloatArray, rates: FloatArray) -> None:
    """Compute the coordinates ``x`` at the start of a step from the displacements q of a state, and copy the velocities
    v of the state to ``rates``. All arrays have the shape (n,) or longer.
    """
    for i in range(len(q)):
        x[i] = reference[i] + q[i]
        rates[i] = v[i]


class StepKernels:
    """Programs for the start and the end of the steps of a run.

    Args:
        integrator: the method.
        problem: the equations. Its fields receive the history values.
        carries: whether Newton runs begin with the accelerations and multipliers of the previous step, which are copied
            to the fields.

    Attributes:
        scheme: relation between unknowns and motion in the step. All steps use the same object, with the arrays of the
            problem.
        begin: compiled program that copies the history values and the motion at the start of the step to the fields,
            and then computes the predictor.
        end: compiled program that copies the solution, with history values and algorithmic accelerations, from the
            fields to the state.
    """

    def __init__(self, integrator: Integrator, problem: NonlinearProblem, carries: bool = False) -> None:
        self._integrator, self._problem, self._carries = integrator, problem, carries
        self.scheme = Scheme(problem.q0, problem.v0, rate_level=integrator.rate_level)
        self.scheme.unit_rates = len(integrator.rotations) > 0
        self._algorithmic = np.zeros(len(problem.q0))
        # the argument ``numbers`` of `predict`
        self._numbers = np.array([0.0, integrator.beta, integrator.gamma, *integrator.shares])
        # The arrays of the state that the compiled programs use. New programs are necessary if users replace these
        # arrays.
        self._arrays: tuple[FloatArray, ...] = ()
        self.begin, self.end = Program([]), Program([])

    def predict(self, state: State, h: float, then: float) -> Scheme:
        """Begin an attempt at a step of size h [s] to the time ``then`` [s]: copy history values to the fields, and
        compute the predictor.
        """
        arrays = state.q, state.v, state.a, state.carried, state.lam, state.data, state.start_data
        if not self._arrays or not all(map(is_, arrays, self._arrays)):
            self._lay_down(state)
            self._arrays = arrays
        scheme, numbers = self.scheme, self._numbers
        if h != numbers[0]:
            numbers[0] = h
            scheme.v_factor, scheme.a_factor = self._integrator.factors(h)
            scheme.multiplier_factor = 1.0 / (self._integrator.beta * h * h)
        scheme.t = then
        fields = self._problem.assembly.fields
        fields.start_time[0], fields.step_size[0] = state.t, h
        self.begin()
        return scheme

    def _lay_down(self, state: State) -> None:
        """Create the compiled programs for the arrays of the given state."""
        integrator, numbers, scheme, found = self._integrator, self._numbers, self.scheme, self._algorithmic
        fields = self._problem.assembly.fields
        s = evaluate(fields)
        now = state.q, state.v, state.a, state.carried if integrator.generalised else state.a
        out = scheme.q0, scheme.v0, found
        where, shift = (integrator.rotations, integrator.reference), integrator.shift
        history = state.data, state.start_data, fields.data, fields.start_data
        motion = state.q, state.v, self._problem.assembly.layout.reference, fields.start_x, fields.start_v
        begin = [call(begin_history, lambda s: history), call(begin_motion, lambda s: motion)]
        begin.append(call(predict, lambda s: (*now, numbers, *out)))
        if self._carries:
            pairs = (state.a, fields.a[:-1]), (state.lam, fields.lam[:-1])
            begin += [call(copy_values, pair) for pair in pairs]
        turns = len(integrator.rotations) > 0
        before = tuple(np.zeros_like(values) for values in now[:3]) if turns else ()
        if turns:
            begin.append(call(predict_rotations, lambda s: (*where, *now, numbers, shift, *out)))
            begin += [call(copy_values, pair) for pair in zip(now[:3], before, strict=True)]
        share = integrator.shares[2] if integrator.generalised else 0.0
        stored, kept = self._problem.name_stored(state), (fields.data, state.data)
        end = [
            call(store_motion, lambda s: stored),
            call(copy_values, lambda s: kept),
            call(finish, lambda s: (found, share, state.a, state.carried)),
        ]
        if turns:
            ends = *before, state.q, state.v, state.a
            end.append(call(finish_rotations, lambda s: (*where, *ends, numbers, shift, state.carried)))
        self.begin, self.end = Program((step, (s,)) for step in begin), Program((step, (s,)) for step in end)
