"""The parts of a step before and after its Newton runs. These parts are kernels that use fixed arrays. Compiled
programs consist of these kernels.

At the start of a step, the kernels copy history values and compute the predictor. At the end of a step, the kernels
compute the algorithmic accelerations. The state is read at the start of a step and written only when the step is
accepted. Therefore a failed step does not change the state.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any

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

SHARE = 0.5
"""Largest magnitude [1] of the factor with which `foresee` extrapolates the last change of accelerations."""


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


@kernel(fast=False)
def compare_changes(a: FloatArray, last: FloatArray, change: FloatArray, products: FloatArray) -> None:
    """Write d.e and e.e to ``products``, see `foresee`.

    a, last: accelerations at the end and at the start of the last step, whose difference is d, shape (n,) each.
    change: change e of the accelerations in the step before, shape (n,).
    """
    products[0] = products[1] = 0.0
    for i in range(len(a)):
        products[0] += (a[i] - last[i]) * change[i]
        products[1] += change[i] * change[i]


@kernel(fast=False)
def foresee(a: FloatArray, earlier: FloatArray, products: FloatArray, out: FloatArray) -> None:
    """Predict the accelerations at the end of a step from the accelerations ``a`` at its start, shape (n,).

    With the change d of the accelerations in the last step and the change e in the step before, the prediction is a + s
    d. The factor s = d.e/(e.e), limited to `SHARE`, is the factor with which e would have predicted d. In a belt whose
    stiff modes alternate from step to step, s is negative.

    earlier: accelerations at the start of the last step, and e, shape (2, n).
    products: d.e and e.e, shape (2,).
    """
    share = min(max(products[0] / products[1], -SHARE), SHARE) if products[1] > 0.0 else 0.0
    for i in range(len(a)):
        out[i] = a[i] + share * (a[i] - earlier[0, i])


@kernel
def note_accelerations(a: FloatArray, earlier: FloatArray) -> None:
    """Store the accelerations ``a`` at the start of an accepted step in ``earlier``, see `foresee`."""
    for i in range(len(a)):
        earlier[1, i] = a[i] - earlier[0, i]
        earlier[0, i] = a[i]


class StepKernels:
    """Programs for the start and the end of the steps of a run.

    Args:
        integrator: the method.
        problem: the equations. Its fields receive the history values.
        carries: whether Newton runs begin with the accelerations and the multipliers of the previous step.
        earlier: the array of earlier accelerations that `foresee` reads, if Newton runs begin with accelerations that
            `foresee` predicts. The program ``end`` updates the array. The argument has no effect without ``carries``.

    Attributes:
        scheme: relation between unknowns and motion in the step. All steps use the same object, with the arrays of the
            problem.
        begin: compiled program that copies the history values and the motion at the start of the step to the fields,
            and then computes the predictor.
        end: compiled program that copies the solution, with history values and algorithmic accelerations, from the
            fields to the state.
    """

    def __init__(
        self,
        integrator: Integrator,
        problem: NonlinearProblem,
        carries: bool = False,
        earlier: FloatArray | None = None,
    ) -> None:
        self._integrator, self._problem = integrator, problem
        self._carries, self._earlier = carries, earlier if carries else None
        self.scheme = Scheme(problem.q0, problem.v0, rate_level=integrator.rate_level)
        self.scheme.unit_rates = len(integrator.rotations) > 0
        self._algorithmic = np.zeros(len(problem.q0))
        # argument ``numbers`` of `predict`: the first element is the step size h, which is set at the start of each
        # step
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

    def _foresee(self, state: State) -> list[Callable[..., None]]:
        """Return the functions that write the predicted accelerations to the fields, see `foresee`."""
        assembly, earlier, products = self._problem.assembly, self._earlier, np.zeros(2)
        assert earlier is not None
        owned = len(assembly.layout.owned)

        def add_processes(_: Any) -> None:
            products[:] = assembly.processes.sum(products)

        compare = call(compare_changes, (state.a[:owned], earlier[0, :owned], earlier[1, :owned], products))
        predicted = call(foresee, (state.a, earlier, products, assembly.fields.a[:-1]))
        return [compare, predicted] if assembly.layout.size == 1 else [compare, add_processes, predicted]

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
        begin: list[Callable[..., None]] = [call(begin_history, lambda s: history)]
        begin += [call(begin_motion, lambda s: motion), call(predict, lambda s: (*now, numbers, *out))]
        if self._carries:
            copied = [call(copy_values, (state.a, fields.a[:-1]))]
            begin += copied if self._earlier is None else self._foresee(state)
            begin.append(call(copy_values, (state.lam, fields.lam[:-1])))
        turns = len(integrator.rotations) > 0
        before = tuple(np.zeros_like(values) for values in now[:3]) if turns else ()
        if turns:
            begin.append(call(predict_rotations, lambda s: (*where, *now, numbers, shift, *out)))
            begin += [call(copy_values, pair) for pair in zip(now[:3], before, strict=True)]
        share = integrator.shares[2] if integrator.generalised else 0.0
        stored, kept = self._problem.name_stored(state), (fields.data, state.data)
        end: list[Callable[..., None]] = (
            [] if self._earlier is None else [call(note_accelerations, (state.a, self._earlier))]
        )
        end += [
            call(store_motion, lambda s: stored),
            call(copy_values, lambda s: kept),
            call(finish, lambda s: (found, share, state.a, state.carried)),
        ]
        if turns:
            ends = *before, state.q, state.v, state.a
            end.append(call(finish_rotations, lambda s: (*where, *ends, numbers, shift, state.carried)))
        self.begin, self.end = Program((step, (s,)) for step in begin), Program((step, (s,)) for step in end)
