"""Relaxation: implicit steps that decrease the potential towards an equilibrium. Relaxation is used if Newton's method,
started from the last state, fails.

Each step solves f(q) + k M (q - q_last) = 0 with the unbalanced forces f, the coordinates q and the mass matrix M,
where q_last is the solution q of the previous step. The factor k decreases from step to step while steps succeed. The
result is only a better initial value for Newton's method. Source: pseudo-transient continuation, C. T. Kelley, D. E.
Keyes, SIAM J. Numer. Anal. 35 (1998).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.state.state import State
from windlass.solvers.newton.newton import Newton, NewtonRun
from windlass.solvers.newton.scheme import Scheme

MAX_STEPS = 60
START_SHARE = 0.1
"""Largest entry [1] of k M in the first step, relative to the largest entry of the tangent."""
EASIER, HARDER = 0.3, 10.0
END_SHARE = 1e-9


def relax(newton: Newton, scheme: Scheme, state: State) -> tuple[FloatArray, int]:
    """Make implicit steps from the start of a scheme towards its equilibrium.

    Args:
        newton: the solver.
        scheme: the equilibrium to be found. Its start is ``scheme.q0``.
        state: a state of this process that is used as working memory. Its values are overwritten.

    Returns:
        Displacements [m, 1, rad] near the equilibrium, shape (n,), and the number of linear solves.
    """
    problem = newton.problem
    q, iterations = scheme.q0.copy(), 0
    first = k = first_factor(newton, scheme, START_SHARE)
    if first == 0.0:
        return q, iterations
    for _ in range(MAX_STEPS):
        run: NewtonRun = newton.solve(replace(scheme, q0=q, q_anchor=q, stabiliser=scheme.stabiliser + k))
        iterations += run.iterations
        if not run.converged:
            k *= HARDER
            continue
        problem.store_static(state)
        q = state.q.copy()
        k *= EASIER
        if k < END_SHARE * first:
            break
    return q, iterations


def first_factor(newton: Newton, scheme: Scheme, share: float) -> float:
    """Return the factor k [1/s^2] for which the largest entry of k M is ``share`` times the largest entry of the
    tangent. Return 0 for a model without mass.
    """
    problem = newton.problem
    problem.start(scheme)
    problem.update_tangent(problem.unknowns)
    masses = problem.assembly.mass_rows.values
    largest = [float(np.abs(part).max(initial=0.0)) for part in (problem.matrix.values[:-1], masses)]
    stiffness, mass = problem.assembly.processes.largest(largest)
    return share * stiffness / mass if mass > 0.0 else 0.0
