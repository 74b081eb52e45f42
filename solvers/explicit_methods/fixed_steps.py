"""Runge-Kutta methods with fixed steps: Euler, the midpoint rule, and orders 3, 4 and 6.

    Y_i = y + h Σ_j A_ij k_j,    k_i = f(t + c_i h, Y_i),    y_new = y + h Σ_i b_i k_i,    y = (q, v)

Here f(t, y) = (v, a(t, q, v)), h is the step size, and A, b, c are the coefficients in `TABLEAUX`. The errors of a
method decrease as h to the power of its order. There is no error control. The rates f at the end of a step are the
rates k_1 of the next step, unless user code runs between the steps. The methods are intended for step-by-step
comparisons with other programs. `RungeKutta` reaches high accuracy with fewer evaluations.

Sources: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, Springer, section II.1 (Euler,
midpoint, Heun's method of order 3, classical method of order 4); J. C. Butcher, J. Austral. Math. Soc. 4 (1964) 179-194
(order 6).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.kernels.program import Program
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import Accelerations
from windlass.solvers.explicit_methods.compiled_fixed import CompiledFixed, join_programs
from windlass.solvers.explicit_methods.explicit_step import Advance, Judge
from windlass.solvers.explicit_methods.runge_kutta import RungeKutta

S = float(np.sqrt(5.0))
TABLEAUX: dict[str, tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]] = {
    "euler": (((),), (1.0,)),
    "midpoint": (((), (1 / 2,)), (0.0, 1.0)),
    "rk3": (((), (1 / 3,), (0.0, 2 / 3)), (1 / 4, 0.0, 3 / 4)),
    "rk4": (((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    "rk6": (
        (
            (),
            ((5 - S) / 10,),
            (-S / 10, (5 + 2 * S) / 10),
            ((7 * S - 15) / 20, (S - 1) / 4, (15 - 7 * S) / 10),
            ((5 - S) / 60, 0.0, 1 / 6, (15 + 7 * S) / 60),
            ((5 + S) / 60, 0.0, (9 - 5 * S) / 12, 1 / 6, (3 * S - 5) / 10),
            (1 / 6, 0.0, (25 * S - 55) / 12, -(25 + 7 * S) / 12, 5 - 2 * S, (5 + S) / 2),
        ),
        (1 / 12, 0.0, 0.0, 0.0, 5 / 12, 5 / 12, 1 / 12),
    ),
}
"""Coefficients of each method: the rows of A below the diagonal, followed by b. The coefficients c are the sums of the
rows of A."""


class FixedSteps(RungeKutta):
    """One of the methods in `TABLEAUX`, applied to an assembly.

    Args:
        accelerations, judge, project: arguments of `Method`.
        method: name of the method in `TABLEAUX`.
    """

    def __init__(self, accelerations: Accelerations, judge: Judge, project: bool, method: str) -> None:
        super().__init__(accelerations, judge, project, 0.0, 0.0)
        self._rows, self._weights = TABLEAUX[method]
        self._compiled = CompiledFixed(accelerations, self._rows, self._weights)
        # time and motion at the end of the last step, and rates y_t of this motion
        self._end: tuple[float, FloatArray, FloatArray] | None = None

    def begin(self, state: State, resume: bool) -> None:
        """Begin a run with consistent initial values, see `Method.begin`."""
        super().begin(state, resume)
        self._end = None

    def _find_rate(self, state: State, start: FloatArray) -> FloatArray | None:
        """Return y_t at the start of a step if the last step has evaluated y_t for the same motion, otherwise None."""
        reuses = self.reuses and not self._accelerations.has_history and self._accelerations.assembly.layout.size == 1
        if not reuses or self._end is None or self._version != self._accelerations.assembly.world.version:
            return None
        t, y, rate = self._end
        return rate if t == state.t and np.array_equal(y, start) else None

    @property
    def pace(self) -> int:
        """Number of steps that `take_steps` executes without a long interruption of Python."""
        return self._compiled.pace

    def take_steps(
        self, state: State, size: float, ends: Sequence[float], looks: Sequence[Program], idle: Sequence[Program],
        found: FloatArray,
    ) -> tuple[int, Program | None]:  # fmt: skip
        """Execute steps in compiled code. Return the number of completed steps, and the program that has failed, if
        any.

        Args:
            state: the state at the start of the steps, replaced by the state after the completed steps.
            size: size [s] of the steps.
            ends: start time and times [s] at the ends of the steps.
            looks, idle: programs of monitors within steps, and of monitors and hooks after steps.
            found: a value > 0 if a monitor has found a problem, shape (1,).
        """
        start = self._pack(state.q, state.v)
        rate = self._find_rate(state, start)
        self._begin_step(state)
        rates = self._accelerations.find_rates(state.data)
        programs = None if rates is None else join_programs(rates, looks, idle)
        if programs is None:
            return 0, None
        compiled, stages = self._compiled, len(self._rows)
        if rate is not None:
            compiled.rate[:] = rate
        known = rate is not None
        done, failed = compiled.run(state, ends, size, self._limit, programs, found, known, self.reuses)
        self._accelerations.evaluations += done * (stages + 1 - self.reuses) + (self.reuses and not known)
        self._end = None
        if done == len(ends) - 1 and failed is None:
            self._end = state.t, self._pack(state.q, state.v), compiled.rate.copy()
        return done, failed

    def _attempt(self, state: State, size: float, then: float) -> Advance:
        start = self._pack(state.q, state.v)
        rate, self._end = self._find_rate(state, start), None
        self._begin_step(state)
        stages: list[FloatArray] = [] if rate is None else [rate]
        for row in self._rows[len(stages) :]:
            place = start + size * sum((factor * k for factor, k in zip(row, stages, strict=True)), np.zeros(1))
            stages.append(self._rate(state.t + sum(row) * size, place))
        end = start + size * sum((factor * k for factor, k in zip(self._weights, stages, strict=True)), np.zeros(1))
        advance = Advance(then)
        # accelerations and history values are evaluated at the end of the step
        rate = self._rate(then, end)
        if not np.isfinite(rate).all():
            advance.reason = self._cause or "coordinates grow without bounds or are not finite"
            return advance
        self._end_step(state, advance, size)
        if advance.accepted and not self._project:
            self._end = then, end, rate
        return advance
