"""Check whether the forces of a static solve are in balance at full load after the last update of contacts.

If a contact point touches a surface for the first time in a load step, friction prevents its sliding during Newton's
method. After Newton's method, the update moves the anchor of the bristle of this point to the present position of the
point, so the friction force of the point becomes 0. At full load the forces are then out of balance. For a rope that is
wrapped around a post, the imbalance is for example a sixth of the rope force. In a repeated solve the rope slips until
its bristles carry the friction force.

The solve is not repeated if the error is below the tolerance of the discontinuous iteration, or if steps with
inconsistent contacts are accepted (``Passes(fail=False)``).
"""

from collections.abc import Callable

from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.newton.problem import NonlinearProblem
from windlass.solvers.stepping.discontinuous import Passes, StepAttempt

TOUCHING_ERROR = 0.05
"""Largest force imbalance [1], relative to the largest contact force of a cable, for which the solve at full load is
not repeated. This limit corresponds to 1 or 2 % of the rope force.
"""
SETTLED_ERROR = 1e-4
"""Limit that replaces `TOUCHING_ERROR` if contact laws have return maps and the initial state does not result from a
solve. After the repeated solves, an imbalance is an error only if it exceeds `TOUCHING_ERROR`.
"""
AGAIN = 3
"""Largest number of repeated solves at full load."""


def measure_imbalance(problem: NonlinearProblem, force: float, settings: Passes, limit: float) -> float:
    """Return the ratio [1] of the largest unbalanced force to ``force`` [N], after the last update of contacts in a
    converged load step. The result is 0 if the ratio is at most the largest of ``limit`` and the tolerances in
    ``settings``. The call is collective.
    """
    if force == 0.0:
        return 0.0
    left = problem.residual_vector.duplicate()
    problem.eval_residual(None, problem.unknowns, left)
    share = float(left.norm(PETSc.NormType.NORM_INFINITY)) / force
    return share if share > max(limit, settings.rtol, settings.atol / force) else 0.0


def balance(
    problem: NonlinearProblem,
    attempt: StepAttempt,
    settings: Passes,
    solve_again: Callable[[], StepAttempt | None],
    limit: float = TOUCHING_ERROR,
) -> float:
    """Repeat the solve at full load until the forces are in balance. Return the remaining force error [1] relative to
    the contact force.

    The call is collective.

    Args:
        problem: the problem at the end of the last load step. If the last solve fails, the previous equilibrium is
            restored.
        attempt: outcome of the last load step.
        settings: settings of the discontinuous iteration.
        solve_again: function that solves at full load from the present state. If the solve fails, the function returns
            None and does not change the state.
        limit: largest force imbalance [1], relative to the largest contact force of a cable, for which the solve is not
            repeated.
    """
    fields, left = problem.assembly.fields, measure_imbalance(problem, attempt.force, settings, limit)
    for _ in range(AGAIN if settings.fail else 0):
        if attempt.unsettled or left == 0.0:
            break
        scheme, unknowns = problem.scheme, problem.unknowns.copy()
        history = fields.data.copy(), fields.start_data.copy()
        again = solve_again()
        if again is None:
            # the repeated solve failed, so later checks, such as stability, use the previous equilibrium
            problem.start(scheme, from_zero=False)
            unknowns.copy(problem.unknowns)
            fields.data[:], fields.start_data[:] = history
            break
        attempt, left = again, measure_imbalance(problem, again.force, settings, limit)
    left = left if left > TOUCHING_ERROR else 0.0
    return max(left, attempt.relative_error) if attempt.unsettled else left
