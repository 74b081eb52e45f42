"""Runge-Kutta methods with fixed steps: Euler, the midpoint rule, and orders 3, 4 and 6.

    Y_i = y + h Σ_j A_ij k_j,    k_i = f(t + c_i h, Y_i),    y_new = y + h Σ_i b_i k_i,    y = (q, v)

Here f(t, y) = (v, a(t, q, v)), h is the step size, and A, b, c are the coefficients in `TABLEAUX`. The errors of a
method decrease as h to the power of its order. There is no error control. The methods are intended for step-by-step
comparisons with other programs. `RungeKutta` reaches high accuracy with fewer evaluations.

Sources: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, Springer, section II.1 (Euler,
midpoint, Heun's method of order 3, classical method of order 4); J. C. Butcher, J. Austral. Math. Soc. 4 (1964) 179-194
(order 6).
"""

from __future__ import annotations

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import Accelerations
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

    def _attempt(self, state: State, size: float, then: float) -> Advance:
        self._begin_step(state)
        start = self._pack(state.q, state.v)
        stages: list[FloatArray] = []
        for row in self._rows:
            place = start + size * sum((factor * k for factor, k in zip(row, stages, strict=True)), np.zeros(1))
            stages.append(self._rate(state.t + sum(row) * size, place))
        end = start + size * sum((factor * k for factor, k in zip(self._weights, stages, strict=True)), np.zeros(1))
        advance = Advance(then)
        # accelerations and history values are evaluated at the end of the step
        if not np.isfinite(self._rate(then, end)).all():
            advance.reason = self._cause or "coordinates grow without bounds or are not finite"
            return advance
        return self._end_step(state, advance, size)
