"""Tests of the discontinuous iteration alone: the results of Newton's method and of the post-Newton update are
prescribed.
"""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from windlass.framework.arrays import FloatArray
from windlass.framework.model.system import PostNewton
from windlass.solvers.stepping.cycles import CycleFinder
from windlass.solvers.stepping.discontinuous import ContactHistory, Passes, StepAttempt, iterate
from windlass.solvers.stepping.statistics import Statistics
from windlass.solvers.stepping.step_control import StepControl, StepSizes

Update = Callable[[FloatArray], PostNewton]


class Given(ContactHistory):
    """A law with history values. The update is a given function of these values."""

    used = np.zeros(0)

    def __init__(self, values: list[float], update: Update) -> None:
        self.data, self.first, self.changed = np.array(values), np.array(values), False
        self._update = update
        self.worked_with: list[list[float]] = []

    def post_newton(self) -> PostNewton:
        """Record the values of the current pass, and update them."""
        self.worked_with.append(self.data.tolist())
        result = self._update(self.data)
        self.changed = result.changed
        return result

    def largest(self, values: list[float]) -> list[float]:
        """Return the value itself, because there is only one process."""
        return values


def attempt_step(contacts: ContactHistory, last: bool = False, **settings: Any) -> StepAttempt:
    """Make one attempt at a step of 1 ms in which Newton's method always converges."""
    return iterate(Passes(**settings), lambda attempt: True, contacts, 1e-3, last)


def errors(*values: float, force: float = 0.0) -> Given:
    """Return contacts with given force errors in successive passes. The contact states change in each pass."""
    left = iter(values)

    def update(data: FloatArray) -> PostNewton:
        data *= 2.0
        return PostNewton(next(left), changed=True, force=force)

    return Given([1.0], update)


def flip_flop(closed: float, open_: float, force: float) -> Given:
    """Return a segment that opens if it is closed and closes if it is open, with a force error [N] for each change."""

    def update(data: FloatArray) -> PostNewton:
        error = closed if data[0] <= 0.0 else open_
        data[0] = 1e-6 if data[0] <= 0.0 else -1e-6
        return PostNewton(error, changed=True, force=force)

    return Given([0.1], update)


@pytest.mark.parametrize("error", [math.inf, math.nan])
def test_force_error_that_is_not_finite_is_never_accepted(error: float) -> None:
    attempt = attempt_step(errors(error))
    assert not attempt.converged
    assert attempt.passes == 1
    assert "not finite" in attempt.reason


def test_step_is_accepted_when_the_error_is_small() -> None:
    """A step is accepted if its error is below the absolute tolerance, or below the tolerance relative to the contact
    force.
    """
    attempt = attempt_step(errors(10.0, 0.5), atol=1.0)
    assert attempt.converged and attempt.passes == 2
    attempt = attempt_step(errors(10.0, 0.5, force=1e4), rtol=1e-4)
    assert attempt.converged and attempt.passes == 2
    assert not attempt_step(errors(*[0.5] * 8, force=1e4)).converged


def test_step_that_does_not_settle_fails() -> None:
    """A step that does not settle fails after the last pass. With ``fail=False``, the step is accepted. A step of the
    smallest size is accepted if the relative error is small.
    """
    attempt = attempt_step(errors(*[10.0] * 8, force=1e3))
    assert not attempt.converged and attempt.unsettled and attempt.passes == 8
    assert "force error 10 N > 0.01 N with a contact force of 1e+03 N, after 8 passes" in attempt.reason
    assert attempt_step(errors(*[10.0] * 8, force=1e3), fail=False).converged
    assert not attempt_step(errors(*[10.0] * 8, force=1e3), last=True).converged
    assert attempt_step(errors(*[10.0] * 8, force=1e5), last=True).converged
    assert not attempt_step(errors(*[10.0] * 8, force=0.0), last=True).converged


def test_switch_that_no_smaller_step_meets_is_accepted() -> None:
    """A contact recommends a smaller step, which ends when the contact changes its state. A step for which a contact
    recommends a smaller size is accepted only if it has the smallest size, even if contacts have settled.
    """

    def contacts() -> Given:
        changes = iter([True, False])
        return Given([1.0], lambda data: PostNewton(3.0, 5e-4, next(changes), force=3.0))

    attempt = attempt_step(contacts())
    assert not attempt.converged and attempt.recommended_step == 5e-4 and attempt.passes == 1
    attempt = attempt_step(contacts(), last=True)
    assert attempt.converged and attempt.passes == 2 and not attempt.unsettled


@pytest.mark.parametrize(("closed", "open_", "passes", "kept"), [(0.1, 4.0, 2, -1e-6), (4.0, 0.1, 3, 0.1)])
def test_cycle_keeps_the_state_with_the_smaller_error(closed: float, open_: float, passes: int, kept: float) -> None:
    """In a cycle of two contact states, a segment is closed after the second pass and open after the third pass.

    The solver accepts the state with the smaller error, and its history values.
    """
    contacts = flip_flop(closed, open_, force=1e3)
    attempt = attempt_step(contacts, max_it=20)
    assert attempt.converged and attempt.cycle == 2
    assert attempt.passes == passes and attempt.error == 0.1
    assert contacts.worked_with[-1] == [kept]


def test_cycle_with_a_large_error_fails() -> None:
    """A cycle with a large error fails immediately instead of at the limit of passes. The reason names the cycle."""
    attempt = attempt_step(flip_flop(3.0, 4.0, force=1e3), max_it=20)
    assert not attempt.converged and attempt.passes == 2
    assert "contacts return to the same states every 2 passes" in attempt.reason
    # the contact forces are equal in all passes
    attempt = attempt_step(flip_flop(3.0, 4.0, force=1e3), max_it=20, fail=False)
    assert attempt.converged and attempt.passes == 20 and attempt.cycle == 0


def test_longer_cycles_and_values_that_only_move() -> None:
    """A cycle of three states that begins after two passes is found.

    If history values change without a change of sign, no cycle is reported.
    """
    states = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0], [-2.0, 0.0], [-3.0, -0.5]]
    finder = CycleFinder(np.array(states[0]), lambda values: values)
    found = [finder.note(np.array(s), e) for s, e in zip(states[1:], [9.0, 8.0, 5.0, 1.0, 2.0], strict=True)]
    assert found == [False] * 4 + [True]
    assert finder.length == 3
    assert finder.best is not None and finder.best.tolist() == [-1.0, 1.0]
    finder = CycleFinder(np.array([1.0]), lambda values: values)
    assert not any(finder.note(np.array([value]), 1.0) for value in (2.0, 1.5, 1.0, 2.0))


def test_the_longest_cycle_that_is_remembered() -> None:
    """A cycle of eight passes is the longest cycle that is found.

    If the first pass of the cycle has the smallest error, the history values of this pass are restored.
    """
    signs = [[1.0 if k & bit else -1.0 for bit in (1, 2, 4)] for k in range(8)]
    finder = CycleFinder(np.array(signs[0]), lambda values: values)
    errors = [1.0, *[2.0] * 7]
    found = [finder.note(np.array(s), e) for s, e in zip([*signs[1:], signs[0]], errors, strict=True)]
    assert found == [False] * 7 + [True] and finder.length == 8
    assert finder.best is not None and finder.best.tolist() == signs[0]


def test_cycle_that_another_process_does_not_see() -> None:
    """If states repeat on one process but not on the other, no process reports a cycle."""
    finder = CycleFinder(np.array([1.0]), lambda values: [1.0] * len(values))
    assert not any(finder.note(np.array([(-1.0) ** k]), 1.0) for k in range(1, 5))


def test_cut_and_growth() -> None:
    """A step size that was halved because contacts did not settle is doubled after three accepted steps. A step size
    that was halved after another failure is doubled after ten accepted steps.
    """
    for switched, needed in ((True, 3), (False, 10)):
        control = StepSizes(0.1, StepControl(1e-5))
        control.propose(0.0, 10.0)
        assert control.reject(0.1, math.inf, switched)
        now, sizes = 0.0, []
        for _ in range(12):
            size, now = control.propose(now, 10.0)
            sizes.append(size)
            control.accept()
        assert sizes == [0.05] * needed + [0.1] * (12 - needed)


def test_control_goes_on_after_a_restart() -> None:
    """A restart restores the number of steps until the step size grows again."""
    control, again = (StepSizes(0.1, StepControl(1e-5)) for _ in range(2))
    control.propose(0.0, 10.0)
    control.reject(0.1, math.inf, True)
    control.propose(0.0, 10.0)
    control.accept()
    again.restore(control.checkpoint())
    for each in (control, again):
        each.propose(0.05, 10.0)
        each.accept()
        each.propose(0.1, 10.0)
        each.accept()
    assert again.checkpoint() == control.checkpoint() and again.size == 0.1


def test_statistics_say_what_happened() -> None:
    """The statistics count steps at the limit of passes and steps in cycles separately, and contain the largest error.
    Settled steps are not counted.
    """
    statistics, newton = (
        Statistics(),
        SimpleNamespace(problem=SimpleNamespace(tangent_count=0), fallbacks=0, roundings=0),
    )
    settings = Passes()
    for cycle, error in ((0, 0.5), (2, 0.2), (2, 0.0)):
        attempt = StepAttempt(converged=True, passes=3, error=error, force=1e3, cycle=cycle, unsettled=True)
        statistics.count(attempt, newton, settings)  # type: ignore[arg-type]
    assert (statistics.unconverged_passes, statistics.cycles, statistics.largest_error) == (1, 1, 5e-4)
    words = "1 steps accepted at the limit of passes, 1 cycles of contact states resolved (force error up to 5.0e-04"
    assert words in statistics.describe()
    again = Statistics()
    again.restore(statistics.checkpoint())
    assert again.largest_error == 5e-4
