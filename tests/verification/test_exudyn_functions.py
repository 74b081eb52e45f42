"""User functions of Exudyn models read and change values: loads with inputs, functions before steps, nodes with angles.

A simple object replaces Exudyn's MainSystem, so Exudyn is not needed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
import windlass.connectors as con
from windlass.exudyn import Imported
from windlass.exudyn.angles import AngleNode, find_matrix
from windlass.exudyn.functions import UserFunctions, may_notice
from windlass.exudyn.imported import solve_motion
from windlass.exudyn.steps import SystemFunctions
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.solvers.stepping import compiled_steps
from windlass.solvers.stepping.compiled_steps import CompiledSteps, StepsEnd

ITEMS = Path(__file__).parents[1] / "reference" / "exudyn" / "mechanism.json"


class MainSystem:
    """Substitute for a MainSystem, with coordinates that can be read and set, and parameters that can be changed."""

    def __init__(self, items: dict[str, Any]) -> None:
        self.systemData, self.places, end = self, [], 0
        for item in items["nodes"]:
            size = len(item.get("referenceCoordinates", ())) * (item["nodeType"] != "PointGround")
            self.places.append(list(range(end, end + size)))
            end += size
        self.vectors = {"": np.zeros(end), "_t": np.zeros(end)}
        self.before_step: Any = 0
        self.after_step: Any = 0
        self.changed = list[tuple[int, str, Any]]()

    def GetODE2Coordinates(self) -> FloatArray:
        return self.vectors[""].copy()

    def GetODE2Coordinates_t(self) -> FloatArray:
        return self.vectors["_t"].copy()

    def GetDataCoordinates(self) -> FloatArray:
        return np.zeros(0)

    def SetODE2Coordinates(self, values: FloatArray) -> None:
        self.vectors[""] = np.array(values)

    def SetODE2Coordinates_t(self, values: FloatArray) -> None:
        self.vectors["_t"] = np.array(values)

    def GetTime(self) -> float:
        return 0.0

    def SetTime(self, time: float) -> None:
        pass

    def GetNodeLTGODE2(self, number: int) -> list[int]:
        return self.places[number]

    def GetPreStepUserFunction(self) -> Any:
        return self.before_step

    def GetPostStepUserFunction(self) -> Any:
        return self.after_step

    def SetObjectParameter(self, number: int, parameterName: str, value: Any) -> None:
        self.changed.append((number, parameterName, value))

    SetLoadParameter = SetNodeParameter = SetObjectParameter


def angle(mbs: Any, t: float, number: int, offset: float) -> float:
    return offset * (1.0 - float(np.cos(20.0 * t)))


def linear(mbs: Any, t: float, number: int, u: float, v: float, k: float, d: float, offset: float) -> float:
    return k * u + d * v


FUNCTIONS = {"angle": angle, "stiffening": linear}


def read_items() -> dict[str, Any]:
    """Return the items of the driven slider crank, whose load has no function."""
    items: dict[str, Any] = json.loads(ITEMS.read_text())
    items["loads"][0]["loadUserFunction"] = 0
    return items


STIFFNESS, TABLE, COUNT = 100.0, [1.0, 2.0], 0
SYSTEM = object()


def pure(mbs: Any, t: float, number: int, u: float) -> float:
    return STIFFNESS * u * helper(t)


def helper(t: float) -> float:
    return float(np.sin(t))


def reads_state(mbs: Any, t: float, number: int, u: float) -> float:
    return float(mbs.GetNodeOutput(0, 1)[0])


def reads_table(mbs: Any, t: float, number: int, u: float) -> float:
    return TABLE[0] * u


def reads_system(mbs: Any, t: float, number: int, u: float) -> float:
    return float(SYSTEM.GetNodeOutput(0))  # type: ignore[attr-defined]


def calls_reader(mbs: Any, t: float, number: int, u: float) -> float:
    return reads_system(mbs, t, number, u)


def counts(mbs: Any, t: float, number: int, u: float) -> float:
    global COUNT
    COUNT += 1
    return u


def stores(mbs: Any, t: float, number: int, u: float) -> float:
    mbs.variables["last"] = u
    return u


def changes(mbs: Any, t: float, number: int, u: float) -> float:
    mbs.SetObjectParameter(0, "stiffness", u)
    return u


def draws(mbs: Any, t: float, number: int, u: float) -> float:
    return u * float(np.random.random())  # noqa: NPY002  scripts use this generator


def keeps(mbs: Any, t: float, number: int, u: float) -> float:
    keeps.last = u  # type: ignore[attr-defined]
    return u


def remembers(mbs: Any, t: float, number: int, u: float) -> float:
    remembers.times.append(t)  # type: ignore[attr-defined]
    return u


remembers.times = []  # type: ignore[attr-defined]


def calls_keeper(mbs: Any, t: float, number: int, u: float) -> float:
    return keeps(mbs, t, number, u)


def sets(mbs: Any, t: float, number: int, u: float) -> float:
    setattr(sets, "last", u)  # noqa: B010
    return u


def create_closure(value: Any) -> Any:
    def closure(mbs: Any, t: float, number: int, u: float) -> float:
        return float(value[0]) * u

    return closure


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (pure, False),
        (reads_state, False),
        (create_closure((1.0, 2.0)), False),
        (create_closure([1.0, 2.0]), True),
        (reads_table, True),
        (reads_system, True),
        (calls_reader, True),
        (counts, True),
        (stores, True),
        (changes, True),
        (draws, True),
        (keeps, True),
        (remembers, True),
        (calls_keeper, True),
        (sets, True),
        (MainSystem, True),
    ],
)
def test_functions_that_may_notice_when_states_are_copied(function: Any, expected: bool) -> None:
    """Sensors are read after several steps only if each user function depends on nothing but its arguments, constants,
    and the state in its argument ``mbs``.
    """
    assert may_notice(function) == expected
    functions = UserFunctions(None, {})
    functions.find({"springForceUserFunction": pure}, "springForceUserFunction")
    assert not functions.may_notice()
    functions.find({"springForceUserFunction": function}, "springForceUserFunction")
    assert functions.may_notice() == expected


def test_loads_know_which_coordinates_they_read() -> None:
    """A load function that reads two of nine coordinates becomes a load with these two inputs and uses their current
    values.
    """
    items = read_items()
    mbs = MainSystem(items)

    def control(mbs: Any, t: float, load: float) -> float:
        return load * (mbs.systemData.GetODE2Coordinates()[2] - 0.5 * mbs.systemData.GetODE2Coordinates_t()[4])

    items["loads"][0]["loadUserFunction"] = {"function": control, "type": "Python"}
    model = Imported(items, mbs, FUNCTIONS)
    load = model.loads[0]
    assert load is not None and load.table.component is con.StateLoad
    world = model.world
    markers = [world.entity(int(number)) for number in load.inputs]
    found = [world.entity(int(marker.table.collect("node", marker.rows)[0])) for marker in markers]
    names = [str(marker.table.component.__name__) for marker in markers]
    assert [int(node.rows[0]) for node in found] == [0, 1], names
    assert not mbs.vectors[""].any() and not mbs.vectors["_t"].any(), "the system is left as it was"


def test_functions_before_steps_change_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a function sets a load before each step to its value at the end of the step, the motion equals the motion
    under a load that is a function of time.
    """
    monkeypatch.setitem(__import__("sys").modules, "exudyn", type("exudyn", (), {"MainSystem": MainSystem}))
    items = read_items()
    size = items["loads"][0]["load"] = 500.0

    def time_load(mbs: Any, t: float, load: float) -> float:
        return load * float(np.cos(30.0 * t))

    items["loads"][0]["loadUserFunction"] = {"function": time_load, "type": "Python"}
    smooth = Imported(items, MainSystem(items), FUNCTIONS)
    expected = smooth.coordinates(smooth.solve(name=""))
    items["loads"][0]["loadUserFunction"] = 0
    mbs = MainSystem(items)
    seen = list[float]()

    def before_step(mbs: Any, t: float) -> bool:
        seen.append(t)
        mbs.SetLoadParameter(0, "load", size * float(np.cos(30.0 * t)))
        return len(seen) <= 100

    mbs.before_step = {"function": before_step, "type": "Python"}
    model = Imported(items, mbs, FUNCTIONS)
    solver = model.dynamic(name="")
    hook = SystemFunctions(mbs, model, lambda state: None, solver).before
    settings = items["solve"]["settings"]
    moved = model.coordinates(solve_motion(model, solver, model.initial_state(), settings, [hook]))
    assert_allclose(moved, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    assert len(seen) == len(mbs.changed) == 100
    with pytest.raises(
        ModelError, match=r"PreStepUserFunction ended the solve at t = .* s, because it did not return True"
    ):
        hook.before_step(model.initial_state())
    mbs.before_step = {
        "function": lambda mbs, t: mbs.SetObjectParameter(1, "inertia", 3.0) or True,
        "type": "Python",
    }
    hook = SystemFunctions(mbs, model, lambda state: None, solver).before
    with pytest.raises(
        ModelError, match=r"inertia of object 1 .* before or after a step: has no counterpart in Windlass that may"
    ):
        hook.before_step(model.initial_state())
    # a position cannot be changed in a run, and the error names the item
    ground = next(k for k, item in enumerate(items["objects"]) if item["objectType"] == "Ground")
    mbs.before_step = {
        "function": lambda mbs, t: mbs.SetObjectParameter(ground, "referencePosition", [1.0, 0.0, 0.0]) or True,
        "type": "Python",
    }
    hook = SystemFunctions(mbs, model, lambda state: None, solver).before
    with pytest.raises(ModelError, match=rf"referencePosition of object {ground} .*: position of Ground cannot be"):
        hook.before_step(model.initial_state())


@pytest.mark.parametrize(
    ("change", "stops"),
    [("load", 0), ("stiffness", 0), ("stiffness to 0", 1), ("velocities", 3)],
)
def test_functions_before_and_after_compiled_steps(monkeypatch: pytest.MonkeyPatch, change: str, stops: int) -> None:
    """Functions that are called between compiled steps are called once for each step, and the motion is the same as
    with steps that Python executes. After changes that compiled code cannot follow, Python executes the next steps.
    """
    monkeypatch.setitem(__import__("sys").modules, "exudyn", type("exudyn", (), {"MainSystem": MainSystem}))
    items = read_items()
    items["objects"][8]["offsetUserFunction"], items["objects"][8]["offset"] = 0, 0.0
    items["objects"][9]["springForceUserFunction"] = 0
    time = items["solve"]["settings"]["timeIntegration"]
    time["numberOfSteps"], time["endTime"] = 400, 0.4
    motions, took, run = list[FloatArray](), list[int](), CompiledSteps.run

    def count(steps: CompiledSteps, *given: int) -> int:
        try:
            return run(steps, *given)
        finally:
            took.append(1 + steps.earlier)

    monkeypatch.setattr(CompiledSteps, "run", count)
    # calls of compiled code have the same numbers of steps on every machine
    monkeypatch.setattr(compiled_steps, "LONGEST", 1e3)
    for hooks in ([], [lambda state: None]):
        took.clear()
        mbs = MainSystem(items)
        seen, ends = list[float](), list[float]()

        def before_step(mbs: Any, t: float, seen: list[float] = seen) -> bool:
            seen.append(t)
            mbs.SetObjectParameter(8, "offset", 0.1 * float(np.sin(20.0 * t) ** 2))
            if change == "load":
                mbs.SetLoadParameter(0, "load", 50.0 * float(np.cos(30.0 * t)))
            elif change == "stiffness":
                mbs.SetObjectParameter(9, "stiffness", 500.0 + 100.0 * t)
            elif change == "stiffness to 0":
                mbs.SetObjectParameter(9, "stiffness", 500.0 if t < 0.2005 else 0.0)
            elif len(seen) in (101, 201, 301):
                mbs.SetODE2Coordinates_t(1.01 * mbs.GetODE2Coordinates_t())
            return True

        def after_step(mbs: Any, t: float, ends: list[float] = ends) -> bool:
            ends.append(t)
            if change == "load":
                mbs.SetObjectParameter(9, "damping", 3.0 + t)
            return True

        mbs.before_step = {"function": before_step, "type": "Python"}
        mbs.after_step = {"function": after_step, "type": "Python"}
        model = Imported(items, mbs, FUNCTIONS)

        def write(state: wl.State, mbs: MainSystem = mbs, model: Imported = model) -> None:
            mbs.vectors = {"": model.coordinates(state), "_t": model.coordinates(state, "v")}

        solver = model.dynamic(name="", overshoot="accept")
        functions = SystemFunctions(mbs, model, write, solver)
        between, ended = functions.before.between_steps, list[float]()

        def between_steps(state: wl.State, between: Any = between, ended: list[float] = ended) -> None:
            try:
                between(state)
            except StepsEnd:
                ended.append(state.t)
                raise

        monkeypatch.setattr(functions.before, "between_steps", between_steps)
        start = model.initial_state()
        end = solve_motion(
            model, solver, start, items["solve"]["settings"], [functions.after, *hooks, functions.before]
        )
        assert_allclose(seen, 1e-3 * np.arange(1, 401), rtol=1e-12)
        assert_allclose(ends, 1e-3 * np.arange(401), rtol=1e-12)
        motions.append(np.concatenate((end.q, end.v, end.lam)))
        assert len(ended) == (0 if hooks else stops)
        assert len(took) >= 398 if hooks else len(took) < 300
    assert motions[0].tobytes() == motions[1].tobytes()


def test_angles_come_back() -> None:
    """Angles beyond half a turn, their rates and accelerations are recovered from Euler parameters."""
    item = {"referenceCoordinates": [1.0, 2.0, 3.0, 0.3, -0.2, 0.5]}
    node = AngleNode(None, np.arange(6), item)  # type: ignore[arg-type]

    def curve(t: float) -> FloatArray:
        return np.array([t, t**2, 1.0, 3.0 * t, 0.9 * np.sin(t), -5.0 * t**2])

    h = 1e-4
    for t in (0.1, 0.3, 0.5):
        around = [curve(t + k * h) for k in (-1, 0, 1)]
        v = (around[2] - around[0]) / (2.0 * h)
        places = [node.place(q, v)[0] for q in around]
        a = (places[2] - 2.0 * places[1] + places[0]) / h**2
        placed, near = node.place(around[1], v), node.last
        node.last = near + np.array([0.5, -0.5, 0.5])
        q, rates, accelerations = node.read(*placed, a)
        assert_allclose(q, around[1], atol=1e-12)
        assert_allclose(rates, v, atol=1e-11)
        assert_allclose(accelerations, (around[2] - 2.0 * around[1] + around[0]) / h**2, atol=1e-5)
    node.last = near + 2.0 * np.pi
    assert_allclose(node.read(*placed, a)[0], [*around[1][:3], *(around[1][3:] + 2.0 * np.pi)], atol=1e-12)
    # for b = π/2, many sets of angles describe the same rotation
    q, _, _ = node.read(*node.place(np.array([0.0, 0.0, 0.0, 0.1, 0.5 * np.pi + 0.2, 0.3]), v), a)
    assert_allclose(find_matrix(q[3:] + node.reference[3:]), find_matrix(np.array([0.4, 0.5 * np.pi, 0.8])), atol=1e-7)
    R = find_matrix(np.array([0.3, -0.2, 0.5]))
    assert_allclose(R[0], [0.860089338220821, -0.469868946949515, -0.198669330795061], atol=1e-14)


def test_functions_set_loads_in_frames_of_turned_markers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body-fixed force that is set before a step is rotated from the frame of its marker to the frame of the body."""
    monkeypatch.setitem(__import__("sys").modules, "exudyn", type("exudyn", (), {"MainSystem": MainSystem}))
    items: dict[str, Any] = json.loads((ITEMS.parent / "chain_in_space.json").read_text())
    assert items["loads"][5]["bodyFixed"]
    marker = items["markers"][int(items["loads"][5]["markerNumber"])]
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    marker["localHT"] = np.block([[turn, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]).tolist()
    mbs = MainSystem(items)
    mbs.before_step = {
        "function": lambda mbs, t: mbs.SetLoadParameter(5, "loadVector", [1.0, 2.0, 3.0]) or True,
        "type": "Python",
    }
    model = Imported(items, mbs, FUNCTIONS)
    SystemFunctions(mbs, model, lambda state: None, model.dynamic()).before.before_step(model.initial_state())
    load = model.loads[5]
    assert load is not None
    assert_allclose(load.vector, [-2.0, 1.0, 3.0], rtol=0, atol=1e-15)


def test_functions_of_cables_are_called_with_their_items() -> None:
    """User functions with the linear laws of Exudyn give the forces of cables without functions.

    All cables share the functions. Each call has the number of the cable, a position x/L between 0 and 1, and the
    stiffness and damping of this cable.
    """
    items = json.loads((ITEMS.parent / "cable_motion.json").read_text())
    cables = [k for k, item in enumerate(items["objects"]) if item["objectType"] == "ANCFCable2D"]
    for k in cables:
        items["objects"][k] |= {"axialStiffness": 2e6 + k, "bendingStiffness": 170.0 + k, "bendingDamping": 0.1}
    seen = {"axialForce": set[tuple[Any, ...]](), "bendingMoment": set[tuple[Any, ...]]()}

    def create_law(name: str) -> Any:
        def law(mbs: Any, t: float, number: int, x: float, e: float, et: float, ref: float, *rest: float) -> float:
            stiffness, damping = rest[:2]
            seen[name].add((number, stiffness, damping))
            assert 0.0 <= x <= 1.0 and len(rest) == 5
            return stiffness * (e - ref) + damping * et

        return law

    mbs, forces = MainSystem(items), list[FloatArray]()
    laws = {name: {"function": create_law(name), "type": "Python"} for name in seen}
    for given in ({}, laws):
        for k in cables:
            items["objects"][k] |= {f"{name}UserFunction": law for name, law in given.items()}
        model = Imported(items, mbs, FUNCTIONS)
        state, rng = model.initial_state(), np.random.default_rng(1)
        state.q[:] += 1e-2 * rng.standard_normal(len(state.q))
        state.v[:] += rng.standard_normal(len(state.v))
        forces.append(wl.assemble_vector(model.world, state).array.copy())
    assert_allclose(forces[1], forces[0], rtol=0, atol=1e-12 * np.abs(forces[0]).max())
    assert seen["axialForce"] == {(k, 2e6 + k, 100.0) for k in cables}
    assert seen["bendingMoment"] == {(k, 170.0 + k, 0.1) for k in cables}


def test_functions_of_cables_that_wrap_the_same_function() -> None:
    """Each cable has the forces of its own function, even if functions are decorators of one function, or objects
    without hash values.
    """
    items = json.loads((ITEMS.parent / "cable_motion.json").read_text())
    cables = [k for k, item in enumerate(items["objects"]) if item["objectType"] == "ANCFCable2D"]

    def law(mbs: Any, t: float, number: int, x: float, e: float, *rest: float) -> float:
        return 2e6 * e

    @dataclass
    class Scaled:
        factor: float

        def __call__(self, *arguments: Any) -> float:
            return self.factor * law(*arguments)

    def decorate(factor: float) -> Any:
        return wraps(law)(lambda *arguments: factor * law(*arguments))

    forces = []
    for create in (Scaled, decorate, lambda factor: lambda *arguments: factor * law(*arguments)):
        for i, k in enumerate(cables):
            items["objects"][k]["axialForceUserFunction"] = create(1.0 + i)
        model = Imported(items, MainSystem(items), FUNCTIONS)
        state = model.initial_state()
        state.q[:] += 1e-2 * np.random.default_rng(1).standard_normal(len(state.q))
        forces.append(wl.assemble_vector(model.world, state).array.copy())
    assert len(cables) > 1
    assert_allclose(forces[0], forces[2], rtol=0, atol=1e-12 * np.abs(forces[2]).max())
    assert_allclose(forces[1], forces[2], rtol=0, atol=1e-12 * np.abs(forces[2]).max())
