"""Descent to a stable equilibrium by implicit steps. Each step decreases the potential and ends in a stable state.

Each step solves f(q) + k M (q - q_last) = 0 with the unbalanced forces f, the coordinates q and the mass matrix M,
where q_last is the solution q of the previous step. A large step of this type (a backward Euler step) can end at an
unstable equilibrium. If k is less than half of the squared growth rate of an unstable mode, the steps damp this mode
and approach a saddle point. Therefore a step is accepted only if the matrix K + k M at the end of the step is positive
definite for all motions that the constraints allow. Here K is the tangent of f. The end of an accepted step is then a
minimum of the potential plus k/2 |q - q_last|²_M, and the potential has decreased. The factor k decreases after
successful steps and increases after a failed step. Near a stable equilibrium k tends to 0. Contact states are updated
after every step.

Source: pseudo-transient continuation, C. T. Kelley, D. E. Keyes, SIAM J. Numer. Anal. 35 (1998) 508-523; proximal
point method, R. T. Rockafellar, SIAM J. Control Optim. 14 (1976) 877-898.
"""

from __future__ import annotations

from dataclasses import replace

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.state.state import State
from windlass.solvers.equilibrium.inertia import TangentInertia
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.scheme import Scheme

MAX_STEPS = 250
EASIER, HARDER = 0.3, 4.0
WAIT = 3
"""Number of steps after a failed step in which the factor k is constant."""
END_SHARE = 1e-9
"""If the ratio [1] of the factor k to its first value is below this value, the descent ends. The descent also ends if k
exceeds its first value divided by this ratio.
"""


def descend(newton: Newton, scheme: Scheme, q: FloatArray, k: float, state: State) -> tuple[FloatArray, int]:
    """Make implicit steps until the factor k of the mass term is negligible.

    Args:
        newton: the solver.
        scheme: the equilibrium to be found.
        q: initial displacements [m, 1, rad], shape (n,).
        k: initial factor [1/s^2] of M.
        state: a state of this process that is used as working memory. Its values are overwritten.

    Returns:
        Displacements near a stable equilibrium, shape (n,), and the number of linear solves.
    """
    problem, fields = newton.problem, newton.problem.assembly.fields
    first, wait, iterations = k, 0, 0
    for _ in range(MAX_STEPS):
        run = newton.solve(replace(scheme, q0=q, q_anchor=q, stabiliser=k))
        iterations += run.iterations
        good = run.converged
        if good:
            problem.update_tangent(problem.unknowns)
            good = TangentInertia(problem).count_negative() == 0
        if not good:
            k, wait = HARDER * k, WAIT
            if k > first / END_SHARE:
                break
            continue
        problem.store_static(state)
        q = state.q.copy()
        problem.assembly.post_newton()
        fields.start_data[:] = fields.data
        begin_step(fields, problem.assembly.layout.reference, state)
        wait -= 1
        if wait < 0:
            k *= EASIER
        if k < END_SHARE * first:
            break
    return q, iterations
