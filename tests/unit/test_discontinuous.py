"""The discontinuous iteration by itself, with given outcomes of Newton and of the post-Newton update."""

import math

import pytest

from windlass.solvers.discontinuous import DiscontinuousSettings, StepAttempt, iterate


@pytest.mark.parametrize("error", [math.inf, math.nan])
def test_force_error_that_is_not_finite_is_never_accepted(error: float) -> None:
    def newton(attempt: StepAttempt) -> bool:
        return True

    attempt = iterate(DiscontinuousSettings(), newton, lambda: (error, math.inf), 1e-3)
    assert not attempt.converged
    assert attempt.passes == 1
    assert "not finite" in attempt.reason


def test_step_is_accepted_when_the_error_is_small() -> None:
    errors = iter([10.0, 0.5])
    attempt = iterate(DiscontinuousSettings(), lambda attempt: True, lambda: (next(errors), math.inf), 1e-3)
    assert attempt.converged
    assert attempt.passes == 2
