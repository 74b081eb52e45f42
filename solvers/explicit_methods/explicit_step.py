"""What an explicit method does in one step, and what both methods need for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.system import PostNewton
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import Accelerations, ProjectionError
from windlass.solvers.constraint_motion.saddle import SingularError

LARGEST_CHANGE = 1e3
"""Change of a coordinate in one step, per 1 + largest coordinate at the start, that only a run that blows up makes."""


@dataclass
class Advance:
    """Outcome of one attempt at a step; the state has changed only if it was accepted.

    Attributes:
        t: time that was reached or tried [s].
        accepted: whether the state is now that at ``t``.
        reason: why not, in words.
        error: force error of the post-Newton update [N].
        recommended_step: step size that a contact recommends and the only cause of the refusal [s], inf for none.
        rejected: attempts of the method's own step size control that failed before.
    """

    t: float
    accepted: bool = False
    reason: str = ""
    error: float = 0.0
    recommended_step: float = float("inf")
    rejected: int = 0


Judge = Callable[[PostNewton, float], bool]
"""``(result of the post-Newton update, step size) -> whether the step shall be cut to the recommended size``."""


class Method(Protocol):
    """An explicit method."""

    def begin(self, state: State, resume: bool) -> None:
        """Make the start consistent: constraints, history values, accelerations, multipliers.

        Raises:
            ModelError: no consistent start.
        """

    def attempt(self, state: State, size: float, then: float) -> Advance:
        """Try one step from the state.

        Args:
            state: start; the end if the step is accepted.
            size: step size, or the largest one of a method that chooses its own [s].
            then: time after a step of this size [s].
        """

    def update_state(self, state: State) -> None:
        """Bring the accelerations up to date if the user changed the state or the model since the last step."""

    def checkpoint(self) -> dict[str, Any]:
        """What a continued run needs beside the state."""

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Continue from what `checkpoint` gave."""

    def reset_caches(self, state: State) -> None:
        """Begin anew from an updated state, but for what `checkpoint` gives."""


def make_consistent(accelerations: Accelerations, state: State, project: bool) -> None:
    """Project a state onto the constraints and compute history values, accelerations and multipliers for it.

    Raises:
        SingularError, ProjectionError: see `Accelerations`.
    """
    a, fields = accelerations, accelerations.assembly.fields
    a.load(state)
    if project and a.has_constraints:
        state.q += a.project_positions(refresh=True)
        a.update_matrix()
        a.project_velocities()
        state.v[:] = fields.v[:-1]
    a.evaluate(state.t, state.data)
    store_evaluation(accelerations, state, state.data.copy())


def begin_run(accelerations: Accelerations, state: State, project: bool, resume: bool) -> float:
    """`make_consistent` at the start of a run that does not resume another one.

    Returns:
        Change of a coordinate in one step that counts as blowing up [m, rad, 1]; the same on all processes.

    Raises:
        ModelError: no consistent start.
    """
    accelerations.refresh()
    if not resume:
        _make_start_consistent(accelerations, state, project)
    extent = np.abs(accelerations.assembly.layout.reference[:-1] + state.q).max(initial=0.0)
    return LARGEST_CHANGE * (1.0 + accelerations.assembly.processes.largest_of(extent))


def _make_start_consistent(accelerations: Accelerations, state: State, project: bool) -> None:
    accelerations.begin_step(state)
    try:
        make_consistent(accelerations, state, project)
    except (SingularError, ProjectionError) as error:
        raise ModelError(f"start of explicit integration: {error}") from None
    finite = np.isfinite(accelerations.a).all() and np.isfinite(state.q).all()
    if not accelerations.assembly.processes.all(bool(finite)):
        worst = ", ".join(f"{name}: {force}" for name, force in accelerations.describe_worst())
        raise ModelError(f"start of explicit integration: forces that are not finite: {worst} [N, N m]")


def store_evaluation(accelerations: Accelerations, state: State, start_data: FloatArray) -> None:
    """Take over accelerations, multipliers and history values of the last evaluation."""
    state.a[:], state.lam[:] = accelerations.a, accelerations.lam
    if accelerations.has_history:
        state.data[:], state.start_data[:] = accelerations.assembly.fields.data, start_data
