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
from windlass.framework.errors import ModelError
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State

ANSWERED = "PreStep", "PostStep"
"""User functions of a MainSystem that Windlass calls."""
SETTERS = {"Object": "objects", "Load": "loads", "Node": "nodes"}
VECTORS = (("ODE2Coordinates", "q"), ("ODE2Coordinates_t", "v"), ("DataCoordinates", "data"))
NOTES = "windlass_notes"
"""Name of the attribute that contains the `Notes` of a class of MainSystems."""
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


class SystemFunctions(StepHook):
    """Hook that calls the user functions of a MainSystem before and after steps.

    Args:
        mbs: the MainSystem.
        model: the imported model.
        write: function that copies a state to the MainSystem.
        find_end: function that returns the time [s] at the end of the step that starts from a state.
    """

    def __init__(
        self, mbs: Any, model: Imported, write: Callable[[State], None], find_end: Callable[[State], float]
    ) -> None:
        self._mbs, self._model, self._write, self._find_end = mbs, model, write, find_end
        found = {name: getattr(mbs, f"Get{name}UserFunction")() for name in ANSWERED}
        self._set: dict[tuple[str, int, str], Any] = {}
        self._data, self._notes = mbs.systemData, find_notes(import_module("exudyn").MainSystem)
        self._readers = [getattr(self._data, f"Get{vector}") for vector, _ in VECTORS]
        self.functions = {name: given["function"] for name, given in found.items() if given != 0}

    def before_solve(self, state: State, end: float, steps: int) -> None:
        """Call the function PostStep once at the start, as in Exudyn."""
        self.after_step(state)

    def before_step(self, state: State) -> None:
        """Call the function PreStep, and transfer its changes of the MainSystem to the model of Windlass."""
        self._call("PreStep", state, self._find_end(state))

    def after_step(self, state: State) -> None:
        """Call the function PostStep, and transfer its changes of the MainSystem to the model of Windlass."""
        self._call("PostStep", state, state.t)

    def _call(self, name: str, state: State, time: float) -> None:
        if name not in self.functions:
            return
        self._write(state)
        self._data.SetTime(time)
        before = [np.asarray(read()).tobytes() for read in self._readers]
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
        for (_, ours), read, known in zip(VECTORS, self._readers, before, strict=True):
            values = np.asarray(read())
            if values.tobytes() != known:
                for node, where in self._model.places("data" if ours == "data" else "ODE2"):
                    state.put(node, values[where][None, :], ours)

    def _change(self, group: str, number: int, parameter: str, value: Any) -> None:
        entity, item = getattr(self._model, group).get(number), self._model.items[group][number]
        if parameter.startswith("V") or entity is None:
            # parameters of graphics, and parameters of items without an entity in Windlass, have no effect
            return
        last = self._set.get((group, number, parameter), item.get(parameter))
        self._set[group, number, parameter] = value
        if np.array_equal(last, value):
            return
        column, factor = self._model.columns.get(id(item), {}).get(parameter, ("", 1.0))
        words = f"{parameter} of {group[:-1]} {number} ({item['name']!r}) is changed before or after a step"
        if not column:
            raise ModelError(f"{words}: has no counterpart in Windlass that may change between steps")
        try:
            turned = np.ndim(factor) == 2
            changed = factor @ np.asarray(value) if turned else value if factor == 1.0 else factor * value
            self._model.world.set(entity, **{column: changed})
        except ModelError as error:
            raise ModelError(f"{words}: {error}") from None
