"""Settling: implicit steps that decrease the potential. These steps are used if contacts open and close periodically
from pass to pass.

The discontinuous iteration updates all contact states at the same time. The states can change periodically if contacts
are much stiffer than the body in contact. An example is a rope with an axial force of a few newtons on segments with a
contact stiffness of 10⁷ N/m. Contacts that close in one pass then push the neighbouring segments away. The iteration is
equivalent to Newton's method without a line search, applied to a potential with a piecewise smooth gradient. The term k
M (q - q_last) prevents this cycle, where q_last is the solution of the previous step. With this term a contact that
closes moves the neighbouring segments only slightly, and the contact states settle in a few passes. Each step solves
the equations

    f(q) - load_factor * loads + k M (q - q_last) = 0,    contacts settled.

The solution of a step is a minimum of the potential plus k/2 |q - q_last|²_M. The factor k decreases after successful
steps and increases after a failed step. The last step has k = 0. All steps start from the history values at the start
of the load step. Only the contact states (open, sticking or slipping) of the first pass are taken from the previous
step. Therefore friction does not accumulate over the implicit steps.

Source: R. T. Rockafellar, SIAM J. Control Optim. 14 (1976) 877-898 (proximal point method); M. Hintermüller, K. Ito, K.
Kunisch, SIAM J. Optim. 13 (2003) 865-888 (simultaneous updates of active sets are equivalent to Newton's method and can
cycle).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from windlass.framework.arrays import FloatArray
from windlass.solvers.equilibrium.relaxation import first_factor
from windlass.solvers.newton.newton import Newton
from windlass.solvers.newton.scheme import Scheme
from windlass.solvers.stepping.discontinuous import ContactHistory, Passes, StepAttempt, iterate

MAX_STEPS = 60
START_SHARE = 0.01
"""Largest entry [1] of k M in the first step, relative to the largest entry of the tangent."""
EASIER, HARDER = 0.1, 10.0
WAIT = 2
"""Number of steps after a failed step in which the factor k is constant."""
END_SHARE = 1e-9
"""If the ratio [1] of the factor k to its first value is below this value, k is set to 0."""
LARGEST = 1e6
"""If the ratio [1] of the factor k to its first value is above this value, the attempt fails."""
WAY = 0.1
"""Largest ratio [1] of the force error to the largest contact force. In steps with k > 0, this ratio is accepted if
contact states change periodically.
"""


def settle_contacts(
    newton: Newton,
    scheme: Scheme,
    settings: Passes,
    restart: Callable[[], ContactHistory],
    store: Callable[[], FloatArray],
) -> StepAttempt:
    """Make implicit steps from the start of a load step whose contacts did not settle.

    Args:
        newton: Newton's method for the equations of equilibrium.
        scheme: the equilibrium to be found. Its start is ``scheme.q0``.
        settings: limits of the passes of each step.
        restart: function that restores the history values at the start of the load step, and returns a `ContactHistory`
            with these values.
        store: function that stores the solution of the last Newton run in the state of the solve, and returns the
            displacements of this solution, shape (n,).

    Returns:
        The attempt, with the sum of the iterations of all steps. The attempt has converged if the equilibrium with k =
        0 was found.
    """
    k = first = first_factor(newton, scheme, START_SHARE)
    q, data, wait, passes, iterations = scheme.q0, restart().data.copy(), 0, 0, 0
    found, on_the_way = q, replace(settings, limit=max(WAY, settings.limit))

    def solve(attempt: StepAttempt) -> bool:
        nonlocal found
        total = scheme.stabiliser + k
        anchor = (scheme.stabiliser * scheme.q_anchor + k * q) / total if total > 0.0 else q
        run = newton.solve(replace(scheme, q0=q, q_anchor=anchor, stabiliser=total))
        attempt.iterations += run.iterations
        attempt.reason, attempt.history = run.reason, run.history
        if run.converged:
            found = store()
        return run.converged

    attempt = StepAttempt()
    for _ in range(MAX_STEPS if first > 0.0 else 0):
        contacts = restart()
        contacts.data[:], contacts.first = data, data
        attempt = iterate(on_the_way if k > 0.0 else settings, solve, contacts, 0.0)
        passes, iterations = passes + attempt.passes, iterations + attempt.iterations
        if attempt.converged and k == 0.0:
            break
        if attempt.converged:
            q, data = found, contacts.data.copy()
            wait -= 1
            if wait < 0:
                k = EASIER * k if EASIER * k > END_SHARE * first else 0.0
        else:
            k, wait = max(HARDER * k, END_SHARE * first), WAIT
            if k > LARGEST * first:
                break
    attempt.converged = attempt.converged and k == 0.0
    attempt.passes, attempt.iterations = passes, iterations
    return attempt
