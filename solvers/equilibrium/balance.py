"""The balance of statics at full load after the last update of contacts.

A point that touches for the first time in a load step is held by friction during Newton's method; the update at its end
makes its present place the anchor of its bristle, and the friction vanishes.  At full load the model is then out of
balance, for a rope on a post by a sixth of its force.  Solved again, it slips as far as its bristles need, and friction
agrees with theory again.

There is no further solve below the tolerance of the discontinuous iteration, or where steps are accepted with contacts
that do not agree (``Passes(fail=False)``, as in other programs).
"""

from collections.abc import Callable

from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.stepping.discontinuous import Passes, StepAttempt

TOUCHING_ERROR = 0.05
"""Force out of balance, per largest contact force of a cable [1], up to which full load is not solved for again; it is
1 or 2 % of the force of the rope."""
AGAIN = 3
"""Largest number of repeated solves for full load."""


def measure_imbalance(problem: NonlinearProblem, force: float, settings: Passes) -> float:
    """Largest force by which a load step that has converged is out of balance after the last update of its contacts.

    Relative to ``force`` [N]; 0 if it is little.  All processes call this together.
    """
    if force == 0.0:
        return 0.0
    left = problem.residual_vector.duplicate()
    problem.eval_residual(None, problem.unknowns, left)
    share = float(left.norm(PETSc.NormType.NORM_INFINITY)) / force
    return share if share > max(TOUCHING_ERROR, settings.rtol, settings.atol / force) else 0.0


def balance(
    problem: NonlinearProblem,
    attempt: StepAttempt,
    settings: Passes,
    solve_again: Callable[[], StepAttempt | None],
) -> float:
    """Solve again while friction is missing; returns the remaining force error per contact force [1].

    All processes call this together.

    Args:
        problem: at the end of the last load step; if the last solve fails, the equilibrium before it is restored.
        attempt: that load step.
        settings: of the discontinuous iteration.
        solve_again: solves for full load from the present state; if this fails it returns None and leaves the state
            unchanged.
    """
    fields, left = problem.assembly.fields, measure_imbalance(problem, attempt.force, settings)
    for _ in range(AGAIN if settings.fail else 0):
        if attempt.unsettled or left == 0.0:
            break
        scheme, unknowns = problem.scheme, problem.unknowns.copy()
        history = fields.data.copy(), fields.start_data.copy()
        again = solve_again()
        if again is None:
            # later checks of the equilibrium, as of its stability, refer to the one that was found
            problem.start(scheme, from_zero=False)
            unknowns.copy(problem.unknowns)
            fields.data[:], fields.start_data[:] = history
            break
        attempt, left = again, measure_imbalance(problem, again.force, settings)
    return max(left, attempt.relative_error) if attempt.unsettled else left
