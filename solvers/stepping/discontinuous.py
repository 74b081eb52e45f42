"""The discontinuous iteration, which finds contact states that agree with the solution. Two operations alternate until
the force error is small: Newton's method with constant history values, and the post-Newton update of these values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.post_newton import begin_step
from windlass.framework.checks.checks import check_fields, checked_names, number, whole, yes_no
from windlass.framework.model.system import PostNewton
from windlass.framework.state.hooks import StepHook, run_after_iteration
from windlass.framework.state.state import State
from windlass.solvers.own_options import NEWTON, own_option
from windlass.solvers.stepping.cycles import CycleFinder
from windlass.solvers.stepping.step_control import REQUEST


@checked_names({})
@dataclass(frozen=True)
class Passes:
    """Limits of the discontinuous iteration, which repeats Newton's method until the contact states agree with the
    solution.

    Args:
        max_it: largest number of passes (Newton runs) of one step.
        atol: largest force error [N] of the post-Newton update with which a pass is accepted.
        rtol: largest ratio [1] of the force error to the largest contact force with which a pass is accepted. A pass is
            accepted if it fulfils at least one of the limits ``atol`` and ``rtol``.
        limit: largest force error [1], relative to the largest contact force, with which a step is accepted although
            its contacts are inconsistent. The limit applies to steps that end in a cycle of contact states or have the
            smallest step size.
        fail: whether a step fails if, after the last pass, the force error exceeds both ``atol`` and ``rtol``. The
            argument ``limit`` defines exceptions. With False, such a step is accepted, ``limit`` has no effect, and
            cycles are not searched for.

    Raises:
        ModelError: a value is outside its allowed range.
    """

    max_it: int = 8
    atol: float = 1e-6
    rtol: float = 1e-5
    limit: float = 1e-3
    fail: bool = True

    def __post_init__(self) -> None:
        force, share = number("N", minimum=0.0), number("1", minimum=0.0)
        check_fields(self, {"max_it": whole(1), "atol": force, "rtol": share, "limit": share, "fail": yes_no()})

    def with_options(self, prefix: str) -> Passes:
        """Return these settings, overridden by options such as ``-<prefix>discontinuous_max_it``."""
        return replace(self, **{k: own_option(NEWTON, prefix, f"discontinuous_{k}", v) for k, v in vars(self).items()})

    def tolerance(self, force: float) -> float:
        """Return the force error [N] up to which a pass is accepted, for a given largest contact force [N]."""
        return max(self.atol, self.rtol * force)


@dataclass
class StepAttempt:
    """Result of one attempt at a step.

    Attributes:
        converged: whether the step can be accepted.
        reason: reason why the attempt has not converged, as a text or PETSc's name.
        recommended_step: step size [s] with which the step would end at the time at which a contact changes its state,
            see `PostNewton`; inf if this size is not used.
        passes, iterations: numbers of Newton runs and of linear solves in this attempt.
        earlier: number of steps that compiled code has executed before this step.
        error: force error [N] after the last pass.
        force: largest contact force [N] in the last pass.
        cycle: number of passes after which contact states were repeated, or 0.
        unsettled: whether Newton's method converged, but contact states still changed and the force error exceeded the
            tolerance.
        history: residual norms of the last Newton run.
        runs: history values of each Newton run, shape (d,) each, if the assembly keeps these values. If compiled code
            has executed two runs, both elements contain the values of the second run.
    """

    converged: bool = False
    reason: str = ""
    recommended_step: float = inf
    passes: int = 0
    iterations: int = 0
    earlier: int = 0
    error: float = 0.0
    force: float = 0.0
    cycle: int = 0
    unsettled: bool = False
    history: list[float] = field(default_factory=list)
    runs: list[FloatArray] = field(default_factory=list, repr=False)

    @property
    def relative_error(self) -> float:
        """Return the ratio [1] of the force error to the largest contact force after the last pass. Return inf if the
        contact force is 0 and the error is not 0.
        """
        if self.error == 0.0:
            return 0.0
        return self.error / self.force if self.force > 0.0 else inf


Pass = Callable[[StepAttempt], bool]


class ContactHistory:
    """The history values of one attempt at a step.

    Args:
        assembly: the systems of this process. The fields contain the history values at the start of the step.
        current: the state that receives the new history values, or None. With None, the state is not read before the
            step is accepted.
        hooks: user code that is called after each pass.

    Attributes:
        data: the history values for the next Newton run, shape (d,). Callers may change the array.
        first: the history values for the first Newton run, shape (d,).
        changed: whether a contact changed its state in the last update.
        are_updated: whether compiled code has already executed the next update.
    """

    def __init__(self, assembly: Assembly, current: State | None = None, hooks: Sequence[StepHook] = ()) -> None:
        self.data, self.first = assembly.fields.data, assembly.fields.start_data
        self.changed = self.are_updated = False
        self._assembly, self._current, self._hooks = assembly, current, hooks

    @classmethod
    def of(cls, assembly: Assembly, start: State, current: State, hooks: Sequence[StepHook]) -> ContactHistory:
        """Create the history of an attempt that starts from the history values of the state ``start``, which stays
        unchanged.
        """
        assembly.fields.data[:] = assembly.fields.start_data[:] = start.data
        begin_step(assembly.fields, assembly.layout.reference, start)
        return cls(assembly, current, hooks)

    @property
    def used(self) -> FloatArray:
        """Return the history values of the last Newton run, shape (d,), or an empty array if the assembly does not keep
        these values, see `Assembly.keep_used_history`.
        """
        return self._assembly.updates.used

    def post_newton(self) -> PostNewton:
        """Update the history values after a Newton run."""
        result = self._assembly.read_update() if self.are_updated else self._assembly.post_newton()
        self.changed, self.are_updated = result.changed, False
        if self._current is not None:
            self._current.data[:] = self.data
            run_after_iteration(self._hooks, self._assembly, self._current, result.error)
        return result

    def largest(self, values: list[float]) -> list[float]:
        """Return, on every process, the maximum of each value over all processes."""
        return self._assembly.processes.largest(values)


def iterate(
    settings: Passes, newton: Pass, contacts: ContactHistory, step_size: float, last: bool = False
) -> StepAttempt:
    """Repeat Newton's method and the post-Newton update until the force error is small.

    The last Newton run of an accepted step uses the history values of the previous pass. The next step starts from the
    history values after the subsequent post-Newton update. If contact states repeat, further passes do not converge. In
    this case the pass with the smallest force error is repeated, and the result of this pass is accepted if its error
    is small relative to the contact forces.

    Args:
        settings: limits of the iteration.
        newton: function that executes one Newton run from the start of the step with the present history values. The
            function stores iterations, reason and history in the attempt. The function returns whether the run has
            converged.
        contacts: object that contains and updates the history values.
        step_size: size [s] of the attempted step.
        last: whether a smaller step is not possible.
    """
    attempt = StepAttempt()
    finder: CycleFinder | None = None
    while True:
        if not run_pass(newton, contacts, attempt):
            return attempt
        if attempt.error <= settings.tolerance(attempt.force):
            attempt.converged = True
            return attempt
        if attempt.recommended_step < step_size and not last:
            attempt.reason = f"a contact switches within the step and {REQUEST} {attempt.recommended_step:.3g}"
            return attempt
        attempt.recommended_step = inf
        if last and not contacts.changed:
            # The solution is consistent with the new contact states. A smaller step, with which the time of the change
            # would be more accurate, is not possible.
            attempt.converged = True
            return attempt
        if settings.fail and finder is None:
            finder = CycleFinder(contacts.first, contacts.largest)
        if finder is not None and finder.note(contacts.data, attempt.error):
            attempt.cycle = finder.length
            best = finder.best
            if best is not None:
                contacts.data[:] = best
                if not run_pass(newton, contacts, attempt):
                    return attempt
                attempt.recommended_step = inf
        if attempt.cycle or attempt.passes >= settings.max_it:
            attempt.unsettled = True
            small = attempt.relative_error <= settings.limit
            attempt.converged = not settings.fail or (small and (last or attempt.cycle > 0))
            attempt.reason = describe_failure(settings, attempt)
            return attempt


def run_pass(newton: Pass, contacts: ContactHistory, attempt: StepAttempt) -> bool:
    """Execute one Newton run and the subsequent update of history values. Return False if the attempt has failed."""
    attempt.passes += 1
    if not newton(attempt):
        return False
    result = contacts.post_newton()
    if len(contacts.used):
        attempt.runs.append(contacts.used.copy())
    attempt.error, attempt.force, attempt.recommended_step = result.error, result.force, result.recommended_step
    if not isfinite(attempt.error):
        attempt.reason = "discontinuous iteration: a force error is not finite"
        return False
    return True


def describe_failure(settings: Passes, attempt: StepAttempt) -> str:
    """Return a text with the reason why contacts did not settle."""
    error = f"force error {attempt.error:.3g} N > {settings.tolerance(attempt.force):.3g} N"
    error += f" with a contact force of {attempt.force:.3g} N, after {attempt.passes} passes"
    cycle = f", contacts return to the same states every {attempt.cycle} passes" if attempt.cycle else ""
    return f"discontinuous iteration: {error}{cycle}"
