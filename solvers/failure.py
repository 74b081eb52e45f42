"""Data and errors of failed solves."""

from __future__ import annotations

from dataclasses import dataclass, field

from windlass.framework.errors import WindlassError
from windlass.framework.state.state import State


@dataclass
class Failure:
    """Data of a failed solve: its reason, its time, the equations with the largest residuals, and the last good state.

    Attributes:
        reason: the reason with PETSc's name, e.g. ``DIVERGED_MAX_IT``.
        time: time [s] (dynamics) or load factor [1] (statics) at the end of the failed step.
        step: number of the failed step, from 1; 0 if unknown.
        step_size: size of the failed step, [s] (dynamics) or [1] (statics).
        history: residual norms of the last Newton run, in mixed units of the equations (N, N m, m).
        worst: pairs (name, residual) of the equations with the largest residuals.
        diagnosis: texts about possible reasons of the failure, for example about rows of tables whose forces could not
            be evaluated.
        last_good: the state before the failed step.
        saved_to: the file that contains the last good state, if it was saved.
    """

    reason: str
    time: float
    step: int
    step_size: float
    history: list[float] = field(default_factory=list)
    worst: list[tuple[str, float]] = field(default_factory=list)
    last_good: State | None = None
    saved_to: str = ""
    diagnosis: list[str] = field(default_factory=list)

    def describe(self) -> str:
        """Return the description of the failure as lines for the user."""
        where = f" in step {self.step} at {self.time:.9g} (step size {self.step_size:.3g})" if self.step else ""
        lines = [self.reason + where]
        if self.history:
            lines.append("  residual norms: " + " ".join(f"{r:.3e}" for r in self.history[-12:]))
        lines += [f"  worst equation: {name}, residual {value:.3e}" for name, value in self.worst]
        lines += [f"  {words}" for words in self.diagnosis[:3]]
        if self.saved_to:
            lines.append(f"  last good state: {self.saved_to}")
        return "\n".join(lines)


def describe_jump(start: float, time: float | None) -> list[str]:
    """Return a list with a text for `Failure.diagnosis` if the time of a static solve differs from the time of the
    initial state. Otherwise return an empty list.
    """
    if time is None or time == start:
        return []
    return [
        f"supports and functions have their values of t = {time:.9g} s from the first load step on, only loads are "
        f"reduced; approach this time from t = {start:.9g} s by several solves: Static(..., time=t).solve(state)"
    ]


class NotConverged(WindlassError):
    """Exception that is raised if a solve has not converged. ``failure`` contains the reason, the time and the
    equations with the largest residuals. ``state`` is the last good state.
    """

    def __init__(self, failure: Failure, advice: str = "") -> None:
        self.failure, self.advice = failure, advice
        super().__init__(failure.describe() + (f"\n  advice: {advice}" if advice else ""))

    @property
    def state(self) -> State | None:
        """The last good state, or None."""
        return self.failure.last_good


class UnstableEquilibrium(NotConverged):
    """Exception that is raised if a static equilibrium is unstable, or if its shape is implausible. The attribute
    ``state`` is this equilibrium.
    """
