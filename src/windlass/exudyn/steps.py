"""Calls of the user functions of a MainSystem before and after steps. These functions have the form ``f(mbs, t) ->
bool``, with the time t at the end of the step.

If the functions change parameters by SetObjectParameter, SetLoadParameter and SetNodeParameter, the changes are
transferred to Windlass. If a changed parameter cannot be changed during a solve of Windlass, ModelError is raised.
Changes of graphics have no effect. Changes of coordinates, velocities and history values of the MainSystem are also
transferred.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from windlass.exudyn.imported import Imported
from windlass.exudyn.step_calls import StepCalls
from windlass.framework.errors import ModelError
from windlass.framework.state.hooks import NO_STEPS, IdleSteps
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.static import Static
from windlass.solvers.stepping.compiled_steps import StepsEnd

ANSWERED = "PreStep", "PostStep"
"""User functions of a MainSystem that Windlass calls."""
SETTERS = {"Object": "objects", "Load": "loads", "Node": "nodes"}
VECTORS = (("ODE2Coordinates", "q"), ("ODE2Coordinates_t", "v"), ("DataCoordinates", "data"))
NOTES = "windlass_notes"
"""Name of the attribute that contains the `Notes` of a class of MainSystems."""
APART = 64
"""Number of steps that Python executes one by one after a change that compiled steps cannot follow."""
StepChange = tuple[str, int, str, Any]


class Notes:
    """Changes of parameters of the MainSystems of a class, while a function of the user runs.

    Attributes:
        changes: list to which changes are added as (group, item number, parameter, value), or None if no function runs.
    """

    def __init__(self) -> None:
        self.changes: list[StepChange] | None = None


def find_notes(system: Any) -> Notes:
    """Return the `Notes` of a class of MainSystems. In the first call for a class, its functions that change parameters
    are replaced by functions that also note the changes.
    """
    found: Notes | None = system.__dict__.get(NOTES)
    if found is not None:
        return found
    notes = Notes()

    def noting(group: str, original: Any) -> Callable[..., Any]:
        def change(mbs: Any, number: Any, parameterName: str, value: Any) -> Any:
            if notes.changes is not None:
                notes.changes.append((group, int(number), parameterName, value))
            return original(mbs, number, parameterName, value)

        return change

    for word, group in SETTERS.items():
        setattr(system, f"Set{word}Parameter", noting(group, getattr(system, f"Set{word}Parameter")))
    setattr(system, NOTES, notes)
    return notes


class SystemFunctions:
    """The user functions of a MainSystem that are called before and after steps.

    Args:
        mbs: the MainSystem.
        model: the imported model.
        write: function that copies a state to the MainSystem.
        solver: the solver that calls the functions.

    Attributes:
        functions: the user functions, by their names in `ANSWERED`.
        after, before: the hooks that call the functions PostStep and PreStep. Between two compiled steps, the hook
            ``after`` must precede, and the hook ``before`` must follow all hooks that read the state. The hook
            ``before`` is necessary even without a function PreStep, because it transfers the changes of both functions.
    """

    def __init__(
        self, mbs: Any, model: Imported, write: Callable[[State], None], solver: Static | Dynamic | Explicit
    ) -> None:
        self._mbs, self._model, self._write, self.solver = mbs, model, write, solver
        found = {name: getattr(mbs, f"Get{name}UserFunction")() for name in ANSWERED}
        self._set: dict[tuple[str, int, str], Any] = {}
        self._data, self._notes = mbs.systemData, find_notes(import_module("exudyn").MainSystem)
        readers = [(getattr(self._data, f"Get{vector}"), ours) for vector, ours in VECTORS]
        self._readers = [(read, ours) for read, ours in readers if len(read())]
        self.functions = {name: given["function"] for name, given in found.items() if given != 0}
        self.after = AfterFunction(self)
        self.before = BeforeFunction(self, self.after)

    def call(self, name: str, state: State, time: float) -> bool:
        """Call a function with a time [s], and transfer its changes of the MainSystem to the model of Windlass. Return
        whether coordinates or velocities have changed.
        """
        if name not in self.functions:
            return False
        self._write(state)
        self._data.SetTime(time)
        before = [read().tobytes() for read, _ in self._readers]
        notes, changes, outer = self._notes, list[StepChange](), self._notes.changes
        notes.changes = changes
        try:
            goes_on = self.functions[name](self._mbs, time)
        finally:
            # the function may have started another solve
            notes.changes = outer
        if not goes_on:
            raise ModelError(f"{name}UserFunction ended the solve at t = {time:g} s, because it did not return True")
        for change in changes:
            self._change(*change)
        moved = False
        for (read, ours), known in zip(self._readers, before, strict=True):
            values = read()
            if values.tobytes() != known:
                moved = moved or ours != "data"
                for node, where in self._model.places("data" if ours == "data" else "ODE2"):
                    state.put(node, values[where][None, :], ours)
        return moved

    def _change(self, group: str, number: int, parameter: str, value: Any) -> None:
        entity, item = getattr(self._model, group).get(number), self._model.items[group][number]
        if parameter.startswith("V") or entity is None:
            # parameters of graphics, and parameters of items without an entity in Windlass, have no effect
            return
        last = self._set.get((group, number, parameter), item.get(parameter))
        self._set[group, number, parameter] = value
        # numbers are compared without conversions to arrays
        if last == value if type(last) is type(value) is float else np.array_equal(last, value):
            return
        column, factor = self._model.columns.get(id(item), {}).get(parameter, ("", 1.0))
        try:
            if not column:
                raise ModelError("has no counterpart in Windlass that may change between steps")
            turned = type(factor) is not float and np.ndim(factor) == 2
            changed = factor @ np.asarray(value) if turned else value if factor == 1.0 else factor * value
            self._model.world.set(entity, **{column: changed})
        except ModelError as error:
            words = f"{parameter} of {group[:-1]} {number} ({item['name']!r}) is changed before or after a step"
            raise ModelError(f"{words}: {error}") from None


class AfterFunction(StepCalls):
    """Hook that calls the function PostStep after each step.

    Attributes:
        moved: whether the function has changed coordinates or velocities since the last call of `BeforeFunction`.
    """

    def __init__(self, functions: SystemFunctions) -> None:
        super().__init__()
        self._functions, self.moved = functions, False

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Call the function PostStep once at the start, as in Exudyn."""
        self.after_step(state)

    def after_step(self, state: State) -> None:
        """Call the function PostStep."""
        self.moved = self._functions.call("PostStep", state, state.t) or self.moved


class BeforeFunction(StepCalls):
    """Hook that calls the function PreStep before each step.

    Between two compiled steps, this hook also transfers the changes of both functions to the arrays of kernels. If
    Python must execute the next step after these changes, the hook ends the compiled steps, and Python executes the
    next `APART` steps one by one.
    """

    def __init__(self, functions: SystemFunctions, after: AfterFunction) -> None:
        super().__init__()
        self._functions, self._after, self._was_called, self._apart = functions, after, False, 0

    def before_step(self, state: State) -> None:
        """Call the function PreStep, unless it has already been called for this step between two compiled steps."""
        self._apart, self._after.moved = max(self._apart - 1, 0), False
        if not self._was_called:
            self._call_function(state)
        self._was_called = False

    def between_steps(self, state: State) -> None:
        """Call the function PreStep for the next compiled step, and transfer changes to the arrays of kernels.

        Raises:
            StepsEnd: Python must execute the next step.
        """
        solver = self._functions.solver
        assert isinstance(solver, Dynamic)
        try:
            moved = self._call_function(state) or self._after.moved
            self._was_called = True
            if moved:
                raise StepsEnd
            solver.follow_changes()
        except StepsEnd:
            self._apart = APART
            raise
        self._was_called = False

    def idle_steps(self, state: State, size: float) -> IdleSteps:
        """Return no steps while Python executes steps one by one, otherwise the result of `StepCalls`."""
        if self._apart or not isinstance(self._functions.solver, Dynamic):
            return NO_STEPS
        return super().idle_steps(state, size)

    def _call_function(self, state: State) -> bool:
        return self._functions.call("PreStep", state, find_end(self._functions.solver, state))


def find_end(solver: Static | Dynamic | Explicit, state: State) -> float:
    """Return the time [s] at the end of the step that starts from a state. In statics, return the time at which
    functions of time are evaluated.
    """
    if isinstance(solver, Static):
        return float(solver.time or state.t)
    if isinstance(solver, Dynamic):
        return solver.find_end(state)
    return min(state.t + solver.step, solver.end)
