"""The discontinuous iteration: Newton with frozen history values, then the post-Newton update, until both agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite

from windlass.framework.options import option


@dataclass(frozen=True)
class DiscontinuousSettings:
    """Settings of the discontinuous iteration.

    Attributes:
        max_it: largest number of passes (Newton runs) of one step.
        atol: force error of the post-Newton update at which a pass is accepted [N].
        fail: fail the step, instead of accepting it, if the error is larger after the last pass.
    """

    max_it: int = 5
    atol: float = 1.0
    fail: bool = False

    def with_options(self, prefix: str) -> DiscontinuousSettings:
        """These settings, overridden by ``-<prefix>discontinuous_max_it``, ``_atol`` and ``_fail``."""
        name = prefix + "discontinuous_"
        return DiscontinuousSettings(
            option(name + "max_it", self.max_it, "1", "largest number of passes of one step", minimum=1),
            option(name + "atol", self.atol, "N", "force error at which a pass is accepted", minimum=0.0),
            option(name + "fail", self.fail, "1", "fail the step if the error stays larger"),
        )


@dataclass
class StepAttempt:
    """Outcome of one attempt at a step.

    Attributes:
        converged: whether the step can be accepted.
        reason: why not, in words or PETSc's name.
        recommended_step: step size that a contact wishes [s], inf for none.
        passes, iterations: Newton runs and linear solves of this attempt.
        error: force error after the last pass [N].
        history: residual norms of the last Newton run.
    """

    converged: bool = False
    reason: str = ""
    recommended_step: float = float("inf")
    passes: int = 0
    iterations: int = 0
    error: float = 0.0
    history: list[float] = field(default_factory=list)


Pass = Callable[[StepAttempt], bool]


def iterate(
    settings: DiscontinuousSettings,
    newton: Pass,
    post_newton: Callable[[], tuple[float, float]],
    step_size: float,
) -> StepAttempt:
    """Repeat Newton and post-Newton update until the force error is small.

    A step that is accepted was solved with the history values of the pass before; the values are then already updated
    for the next step.

    Args:
        settings: limits.
        newton: one Newton run from the start of the step with the present history values; notes iterations, reason
            and history in the attempt and returns whether it converged.
        post_newton: updates the history values; returns (error [N], recommended step size [s]).
        step_size: size of the attempted step [s].
    """
    attempt = StepAttempt()
    while True:
        attempt.passes += 1
        if not newton(attempt):
            return attempt
        attempt.error, wish = post_newton()
        if not isfinite(attempt.error):
            attempt.reason = "discontinuous iteration: a force error is not finite"
            return attempt
        if attempt.error <= settings.atol:
            attempt.converged = True
            return attempt
        if wish < step_size:
            attempt.recommended_step = wish
            attempt.reason = f"a contact switches within the step and asks for a step of {wish:.3g}"
            return attempt
        if attempt.passes >= settings.max_it:
            attempt.converged = not settings.fail
            attempt.reason = (
                f"discontinuous iteration: force error {attempt.error:.3g} N > {settings.atol:g} N "
                f"after {attempt.passes} passes"
            )
            return attempt
