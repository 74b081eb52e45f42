"""Numbers of steps, iterations and evaluations of a solve, and its duration."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from windlass.solvers.newton.newton import Newton
from windlass.solvers.stepping.discontinuous import Passes, StepAttempt


@dataclass
class Statistics:
    """Numbers of steps, iterations and evaluations of a solve so far, and its duration.

    Attributes:
        steps: number of accepted steps.
        rejected: number of rejected attempts.
        newton_iterations: number of linear solves, including rejected attempts.
        discontinuous_iterations: number of Newton runs (passes), including rejected attempts.
        unconverged_passes: number of steps accepted at the limit of passes or at the smallest step size, with a force
            error above the tolerance.
        cycles: number of steps accepted in a cycle of contact states, with the smallest force error of the cycle.
        largest_error: largest force error [1], relative to the contact force, of steps accepted at the limit of passes,
            at the smallest step size or in a cycle.
        jacobians: number of evaluations of the tangent.
        fallbacks: number of failures after which `Newton` has selected another linear solver.
        roundings: number of Newton runs that ended because the residual consisted of rounding errors.
        relaxations: number of static passes that needed relaxation.
        settlings: number of static load steps in which `settle_contacts` was used.
        forms: number of static solves that started from a shape computed by form-finding.
        evaluations: number of force evaluations of an explicit solve.
    """

    steps: int = 0
    rejected: int = 0
    newton_iterations: int = 0
    discontinuous_iterations: int = 0
    unconverged_passes: int = 0
    cycles: int = 0
    largest_error: float = 0.0
    jacobians: int = 0
    fallbacks: int = 0
    roundings: int = 0
    relaxations: int = 0
    settlings: int = 0
    forms: int = 0
    evaluations: int = 0
    _start: tuple[float, float] = field(default_factory=lambda: (time.perf_counter(), time.process_time()))
    _stop: tuple[float, float] | None = None

    def add(self, steps: int, passes: int, iterations: int) -> None:
        """Add accepted steps with their numbers of passes and Newton iterations."""
        self.steps += steps
        self.discontinuous_iterations += passes
        self.newton_iterations += iterations

    def begin(self) -> None:
        """Start the time measurement of a solve."""
        self._start, self._stop = (time.perf_counter(), time.process_time()), None

    def end(self) -> None:
        """Stop the time measurement of a solve."""
        self._stop = (time.perf_counter(), time.process_time())

    def checkpoint(self) -> dict[str, Any]:
        """Return the present values. A resumed run adds its own values to these values."""
        counts = {item.name: getattr(self, item.name) for item in fields(self) if not item.name.startswith("_")}
        return {**counts, "wall_time": self.wall_time, "cpu_time": self.cpu_time}

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from values that `checkpoint` has returned. The time measurement continues."""
        for item in fields(self):
            if not item.name.startswith("_"):
                setattr(self, item.name, type(getattr(self, item.name))(kept[item.name]))
        now = time.perf_counter(), time.process_time()
        self._start = now[0] - float(kept["wall_time"]), now[1] - float(kept["cpu_time"])

    @property
    def wall_time(self) -> float:
        """Return the elapsed time [s] of the solve up to now, or up to its end."""
        return (self._stop[0] if self._stop else time.perf_counter()) - self._start[0]

    @property
    def cpu_time(self) -> float:
        """Return the processor time [s] of this process in the solve up to now, or up to its end."""
        return (self._stop[1] if self._stop else time.process_time()) - self._start[1]

    def describe_work(self) -> str:
        """Return a short text about the mean number of evaluations or Newton iterations per step."""
        steps = max(self.steps, 1)
        if self.evaluations:
            return f"{self.evaluations / steps:.2f} evaluations/step"
        return f"{self.newton_iterations / steps:.2f} Newton/step"

    def count(self, attempt: StepAttempt, newton: Newton, settings: Passes) -> None:
        """Add the numbers of iterations and passes of one attempt at a step."""
        self.newton_iterations += attempt.iterations
        self.discontinuous_iterations += attempt.passes
        self.jacobians = newton.problem.tangent_count
        self.fallbacks, self.roundings = newton.fallbacks, newton.roundings
        if attempt.converged and attempt.unsettled and attempt.error > settings.tolerance(attempt.force):
            self.largest_error = max(self.largest_error, attempt.relative_error)
            if attempt.cycle:
                self.cycles += 1
            else:
                self.unconverged_passes += 1

    def describe(self) -> str:
        """Return the statistics as one line of text."""
        per_step = self.newton_iterations / max(self.steps, 1)
        line = f"{self.steps} steps, {self.newton_iterations} Newton iterations ({per_step:.2f} per step), "
        line += f"{self.discontinuous_iterations} passes, {self.wall_time:.2f} s"
        if self.evaluations:
            line = f"{self.steps} steps, {self.evaluations} force evaluations, {self.wall_time:.2f} s"
        more = [
            (self.rejected, f", {self.rejected} attempts rejected"),
            (self.unconverged_passes, f", {self.unconverged_passes} steps accepted at the limit of passes"),
            (self.cycles, f", {self.cycles} cycles of contact states resolved"),
            (self.largest_error, f" (force error up to {self.largest_error:.1e} of the contact force)"),
            (self.relaxations, f", {self.relaxations} passes with relaxation"),
            (self.settlings, f", {self.settlings} load steps with contacts settled by a flow"),
            (self.forms, ", start by form-finding"),
            (self.roundings, f", {self.roundings} Newton runs ended by rounding"),
            (self.fallbacks, f", {self.fallbacks} changes of the linear solver"),
        ]
        return line + "".join(words for count, words in more if count)
