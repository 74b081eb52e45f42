"""Base class of explicit methods, and the outcome of an attempt at a step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.system import PostNewton
from windlass.framework.state.state import State
from windlass.solvers.constraint_motion.accelerations import Accelerations, ProjectionError
from windlass.solvers.constraint_motion.saddle import SingularError

LARGEST_CHANGE = 1e3
"""Change of a coordinate in one step, relative to 1 + largest initial coordinate. If the change is larger than this
value, the run is treated as unstable.
"""


@dataclass
class Advance:
    """Outcome of one attempt at a step. The state has changed only if the step was accepted.

    Attributes:
        t: time [s] at the end of the attempted step.
        accepted: whether the step was accepted, so that the time of the state is ``t``.
        reason: reason why the step was not accepted.
        error: force error [N] of the post-Newton update.
        recommended_step: step size [s] with which the rejected step must be repeated because of a contact; inf if the
            step was accepted or was rejected for another reason.
        unresolved: whether the step was rejected because it is too long to resolve a contact.
        rejected: number of attempts at this step that the step size control of the method has rejected.
    """

    t: float
    accepted: bool = False
    reason: str = ""
    error: float = 0.0
    recommended_step: float = float("inf")
    unresolved: bool = False
    rejected: int = 0


Judge = Callable[[PostNewton, float], bool]
"""Function ``(result of the post-Newton update, step size) -> whether the step must be repeated with the recommended
size``.
"""
Look = Callable[[float], float]
"""Function ``(step size) -> smaller size that resolves all contacts, or inf if the step resolves all contacts``. The
fields contain the state at the end of the step.
"""


class Method(ABC):
    """Base class of an explicit integration method.

    Args:
        accelerations: evaluator of the accelerations a(t, q, v).
        judge: function that decides whether a step is repeated so that it ends when a contact changes its state.
        project: whether to project coordinates and velocities onto the constraints after each step. Without projection,
            only accelerations fulfil the constraints. The errors of coordinates and velocities grow slowly.

    Attributes:
        reuses: whether accelerations at the end of a step are also the accelerations at the start of the next step,
            because no code of the user runs between steps.
    """

    reuses = False

    def __init__(self, accelerations: Accelerations, judge: Judge, project: bool) -> None:
        self._accelerations, self._judge = accelerations, judge
        self._project = project and accelerations.has_constraints
        # Two values: the limit [m, rad, 1] of the change of a coordinate in a step, above which the motion is
        # considered unstable, and the version of the world for which accelerations are evaluated.
        self._limit, self._version = 0.0, -1

    def begin(self, state: State, resume: bool) -> None:
        """Make the initial state consistent (constraints, history values, accelerations, multipliers), unless
        ``resume`` is true.

        Raises:
            ModelError: no consistent initial state exists, or forces are not finite.
        """
        a, assembly = self._accelerations, self._accelerations.assembly
        a.refresh()
        if not resume:
            a.begin_step(state)
            try:
                self._make_consistent(state)
            except (SingularError, ProjectionError) as error:
                raise ModelError(f"start of explicit integration: {error}") from None
            if not assembly.processes.all(bool(np.isfinite(a.a).all() and np.isfinite(state.q).all())):
                worst = ", ".join(f"{name}: {force}" for name, force in a.describe_worst())
                raise ModelError(f"start of explicit integration: forces are not finite: {worst} [N, N m]")
        extent = np.abs(assembly.layout.reference[:-1] + state.q).max(initial=0.0)
        self._limit = LARGEST_CHANGE * (1.0 + assembly.processes.largest_of(extent))

    @abstractmethod
    def attempt(self, state: State, size: float, then: float) -> Advance:
        """Try one step from the state.

        Args:
            state: the state at the start of the step. If the step is accepted, the state at the end of the step
                overwrites this state.
            size: step size [s], or the largest step size of a method that chooses step sizes itself.
            then: time [s] at the end of a step of this size.
        """

    def update_state(self, state: State) -> None:  # noqa: B027, some methods have nothing to do here
        """Update the accelerations if the user has changed the state or the model since the last step.

        Methods that evaluate accelerations at the start of each step need no update.
        """

    def update_accelerations(self, state: State) -> None:
        """Compute accelerations, multipliers and history values at a state between two steps, after a change of the
        model."""
        a = self._accelerations
        a.refresh()
        a.load(state)
        a.begin_step(state)
        start_data = state.data.copy()
        a.evaluate(state.t, start_data)
        self._store_evaluation(state, start_data)

    def checkpoint(self) -> dict[str, Any]:
        """Return values that a resumed run needs in addition to the state."""
        return {}

    def restore(self, kept: Mapping[str, Any]) -> None:  # noqa: B027, likewise
        """Continue from values that `checkpoint` has returned."""

    def reset_caches(self, state: State) -> None:
        """Delete all cached values except the values of `checkpoint`, and continue from ``state``."""
        self.begin(state, resume=True)

    def _refuse(self, advance: Advance, result: PostNewton, size: float) -> bool:
        """Return whether a step of the given size [s] is rejected because of its post-Newton update. The reason is
        stored in ``advance``.
        """
        if not np.isfinite(result.error):
            advance.reason = "a contact fails within the step: its force error is not finite"
            return True
        if self._judge(result, size):
            advance.recommended_step = result.recommended_step
            return True
        return False

    def _make_consistent(self, state: State) -> None:
        """Project a state onto the constraints and compute its history values, accelerations and multipliers.

        Raises:
            SingularError, ProjectionError: accelerations or the projection cannot be computed, see `Accelerations`.
        """
        a, fields = self._accelerations, self._accelerations.assembly.fields
        a.load(state)
        if self._project:
            state.q += a.project_positions(refresh=True)
            a.update_matrix()
            a.project_velocities()
            state.v[:] = fields.v[:-1]
        a.evaluate(state.t, state.data)
        self._store_evaluation(state, state.data.copy())

    def _store_evaluation(self, state: State, start_data: FloatArray) -> None:
        """Store accelerations, multipliers and history values of the last evaluation in the state."""
        a = self._accelerations
        state.a[:], state.lam[:] = a.a, a.lam
        if a.has_history:
            state.data[:], state.start_data[:] = a.assembly.fields.data, start_data
