"""Conversion of a model of Exudyn to a World. The result also contains the relation between entities and coordinates of
the World and items of Exudyn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from windlass import connectors as con
from windlass.exudyn.angles import ANGLES, AngleNode, FollowAngles
from windlass.exudyn.export import FORMAT, VERSION, describe_system
from windlass.exudyn.fields import KINDS, name_types
from windlass.exudyn.functions import UserFunctions
from windlass.exudyn.histories import PlacedHistory
from windlass.exudyn.registry import Building
from windlass.exudyn.settings import holds_states, read_dynamic, read_static
from windlass.exudyn.start import start_motion
from windlass.exudyn.translations import beams, bodies, connectors, curves, machines, sliding  # noqa: F401  the imports register translations
from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.errors import ModelError, OutputError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.hooks import Hook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.static import Static

PARTS = {"initial": dict, "system_functions": list, "general_contacts": int}
"""Keys of the description of a model with values that are not lists of items."""
PRESCRIBED = "ConnectorCoordinate", "JointGeneric"
"""Types of items for which functions of time do not affect initial accelerations in Exudyn."""


class Imported:
    """A World made from a model of Exudyn.

    Args:
        items: description of the model, see `export.describe_system`.
        mbs: the MainSystem of Exudyn, or None for a model from a file.
        functions: user functions by name, for models from files.
        answered: user functions of the system that the importing code executes, see `SystemFunctions`.
        hold: whether to add constraints that keep first-order states constant in statics, see `static`.

    Attributes:
        world: the world.
        nodes, objects, loads: dictionaries from item numbers to entities; None for items without an entity.
        turned: nodes with rotation angles as coordinates in Exudyn.
        functions: the user functions.
        columns: parameters of items that are columns in Windlass, see `Building`.
        histories: conversions of history values, with their indices in Exudyn's vector.
        items: the description of the model from which the world was created.
    """

    def __init__(
        self,
        items: Mapping[str, Any],
        mbs: Any = None,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        answered: Sequence[str] = (),
        hold: bool = False,
    ) -> None:
        self.functions = UserFunctions(mbs, functions or {})
        building = Building(name_types(items), self.functions, answered=answered)
        self.items = items = building.items
        building.build()
        self.columns = building.columns
        self.world: World = building.world
        self.nodes, self.objects, self.loads = building.nodes, building.objects, building.loads
        angles = ((node, where, items["nodes"][k]) for k, node, where in self._list("ODE2"))
        self.histories: list[PlacedHistory] = [
            (where, building.histories[k]) for k, _, where in self._list("data") if k in building.histories
        ]
        self.turned = [AngleNode(*found) for found in angles if found[2]["nodeType"] == ANGLES]
        self._holds = self._hold_states() if hold else []
        self._switch_holds(False)

    def _hold_states(self) -> list[Entity]:
        """Add constraints that keep each first-order state at its initial value, and return the constraints."""
        given = np.asarray(self.items["initial"].get("ODE1", ()), np.float64)
        return [
            con.prescribe_velocity(self.world, node, f"y{k}", float(given[place]))
            for node, where in self.places("ODE1")
            for k, place in enumerate(where)
        ]

    def places(self, kind: str = "ODE2") -> list[tuple[Entity, IntArray]]:
        """Return pairs of a node and the indices of its coordinates in Exudyn's vector ``"ODE2"``, ``"ODE1"`` or
        ``"data"``.

        Nodes in ``turned`` are not included, because their coordinates are angles in Exudyn, but Euler parameters in
        Windlass.
        """
        return [
            (node, where)
            for number, node, where in self._list(kind)
            if self.items["nodes"][number]["nodeType"] != ANGLES
        ]

    def size(self, kind: str = "ODE2") -> int:
        """Return the number of elements of one of Exudyn's vectors of coordinates."""
        return sum(len(where) for _, _, where in self._list(kind))

    def _list(self, kind: str) -> list[tuple[int, Entity, IntArray]]:
        """Return the item number, the entity, and the indices of the coordinates of each node that has coordinates in a
        given vector of Exudyn.
        """
        found, end = [], 0
        for number, item in enumerate(self.items["nodes"]):
            node, own = self.nodes[number], {"GenericData": "data", "GenericODE1": "ODE1"}.get(item["nodeType"], "ODE2")
            if node is not None and own == kind:
                size = len(item["referenceCoordinates" if own == "ODE2" else "initialCoordinates"])
                found.append((number, node, np.arange(end, end + size)))
                end += size
        return found

    def initial_state(self) -> State:
        """Return a state with the initial values of the model of Exudyn."""
        state = State(self.world)
        initial = {name: np.asarray(values, np.float64) for name, values in self.items["initial"].items()}
        # each text contains the name of a vector in Exudyn, the type of the vector, and the name of the corresponding
        # array in a state of Windlass
        parts = "ODE2 ODE2 q", "ODE2_t ODE2 v", "ODE1 ODE1 v", "data data data", "data data start_data"
        for vector, kind, name in map(str.split, parts):
            for node, where in self.places(kind):
                state.put(node, initial[vector][where][None, :], name)
        for turned in self.turned:
            placed = turned.place(initial["ODE2"][turned.where], initial["ODE2_t"][turned.where])
            for name, values in zip(("q", "v"), placed, strict=True):
                state.put(turned.node, values[None, :], name)
        for where, history in self.histories:
            history.place(state, initial["data"][where])
        return state

    def coordinates(self, state: State, name: str = "q", kind: str = "ODE2") -> FloatArray:
        """Return the array ``q``, ``v``, ``a`` or ``data`` of a state in the order of one of Exudyn's vectors, see
        `places`.
        """
        own = "data" if name == "data" else kind
        out = np.zeros(self.size(own))
        for node, where in self.places(own):
            out[where] = state.of(node, name)[0][: len(where)]
        for turned in self.turned if own == "ODE2" else ():
            read = turned.read(*(state.of(turned.node, x)[0] for x in ("q", "v", "a")))
            out[turned.where] = read[("q", "v", "a").index(name)]
        for where, history in self.histories if own == "data" else ():
            out[where] = history.read(state)
        return out

    def hooks(self) -> list[Hook]:
        """Return the hooks that each solve of the world needs. If ``turned`` contains nodes, the list contains a
        `FollowAngles`. Otherwise the list is empty. The method `solve` adds these hooks itself.
        """
        return [FollowAngles(self.turned)] if self.turned else []

    def static(self, **other: Any) -> Static:
        """Return a solver of statics with the settings of the file. Given arguments override these settings.

        If the setting ``constrainODE1Coordinates`` is true, first-order states are constant until `dynamic` is called.
        """
        return self.create_static(self._settings(), **other)

    def create_static(self, settings: Mapping[str, Any], **other: Any) -> Static:
        """Return a solver of statics for a dictionary of SimulationSettings. Other arguments override these settings.
        The constraints on first-order states are activated.
        """
        self._switch_holds(True)
        return Static(self.world, **(read_static(settings) | other))

    def _switch_holds(self, on: bool) -> None:
        for held in self._holds:
            self.world.set(held, active=on)

    def dynamic(self, **other: Any) -> Dynamic | Explicit:
        """Return a dynamic solver with the settings of the file. Given arguments override these settings."""
        self._switch_holds(False)
        return create_dynamic(self.world, self._settings(), self.items["solve"]["solver"], **other)

    def solve(self, hooks: Sequence[Hook] = (), **other: Any) -> State:
        """Solve from the initial values with the settings of the file. Given arguments of the solver override these
        settings.

        Raises:
            NotConverged: the solve fails.
            ModelError: the model has no settings.
        """
        settings, state = self._settings(), self.initial_state()
        if self.items["solve"]["kind"] == "static":
            state.t = float(settings["staticSolver"]["loadStepStart"])
            solver = self.static(**other)
            state = solver.solve(state, [*self.hooks(), *hooks])
            state.t = solver.time if solver.time is not None else state.t
            return state
        state.t = float(settings["timeIntegration"]["startTime"])
        return solve_motion(self, self.dynamic(**other), state, settings, hooks)

    def _settings(self) -> Mapping[str, Any]:
        if "solve" not in self.items:
            raise ModelError("the model has no settings of a solver: it was not read from a file of an export")
        settings: Mapping[str, Any] = self.items["solve"]["settings"]
        return settings


def create_dynamic(world: World, settings: Mapping[str, Any], solver: str, **other: Any) -> Dynamic | Explicit:
    """Return a solver for a DynamicSolverType and a dictionary of SimulationSettings. Other arguments override these
    settings.
    """
    kind, arguments = read_dynamic(settings, solver)
    return Dynamic(world, **(arguments | other)) if kind == "Dynamic" else Explicit(world, **(arguments | other))


def solve_motion(
    model: Imported, solver: Dynamic | Explicit, state: State, settings: Mapping[str, Any], hooks: Sequence[Hook]
) -> State:
    """Integrate from a state, and return the last state. With `Dynamic`, initial accelerations are computed as in
    Exudyn, see `start_motion`.
    """
    hooks = [*model.hooks(), *hooks]
    if isinstance(solver, Explicit):
        return solver.solve(state, hooks)
    alpha = settings["timeIntegration"]["generalizedAlpha"]
    held = [
        entity
        for number, entity in model.objects.items()
        if entity is not None and model.items["objects"][number]["objectType"] in PRESCRIBED
    ]
    begin = start_motion(solver, held, state, bool(alpha["computeInitialAccelerations"]))
    return solver.solve(begin, hooks, resume=True)


def import_system(mbs: Any, answered: Sequence[str] = (), hold: bool = False) -> Imported:
    """Return an assembled MainSystem of Exudyn as a World.

    Args:
        mbs: the MainSystem.
        answered: user functions of the system that the importing code executes, see `SystemFunctions`.
        hold: whether to constrain first-order states to their initial values in statics.

    Raises:
        ModelError: the MainSystem is not assembled.
        NoCounterpart: Windlass has no equivalent of some items. The message lists all of these items.
    """
    if not getattr(mbs, "systemIsConsistent", False):
        raise ModelError(f"mbs = {type(mbs).__name__} in import_system: must be a MainSystem after mbs.Assemble()")
    return Imported(describe_system(mbs), mbs, answered=answered, hold=hold)


def load(path: str | Path, functions: Mapping[str, Callable[..., Any]] | None = None) -> Imported:
    """Return a model from a file that ``windlass-export-exudyn`` has written.

    Args:
        path: the file.
        functions: user functions of the model by their names in the file.

    Raises:
        OutputError: the file does not exist, or has another format or version.
        NoCounterpart: Windlass has no equivalent of some items. The message lists all of these items.
    """
    try:
        items = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise OutputError(f"model file {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise OutputError(f"model file {path} is not JSON: {error}; must be a file of windlass-export-exudyn") from None
    if not isinstance(items, dict) or (items.get("format"), items.get("version")) != (FORMAT, VERSION):
        raise OutputError(f"model file {path}: must have the format {FORMAT!r}, version {VERSION}")
    for key, kind in (*dict.fromkeys(KINDS, list).items(), *PARTS.items()):
        if not isinstance(items.get(key), kind):
            raise OutputError(f"model file {path}: the entry {key!r} of a model of Exudyn is missing")
    for group in KINDS:
        if not all(isinstance(item, dict) for item in items[group]):
            raise OutputError(f"model file {path}: {group!r} must be a list of items")
    return Imported(items, None, functions, hold="solve" in items and holds_states(items["solve"]["settings"]))
