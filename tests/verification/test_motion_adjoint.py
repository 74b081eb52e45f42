"""Gradients of motions by the adjoint agree with derivatives step by step and with differences of complete solves."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, nodes_of, straight_cable
from windlass.framework.arrays import FloatArray
from windlass.solvers.sensitivities.growth import find_growth
from windlass.solvers.sensitivities.revolve import count_advances, place_states
from windlass.solvers.sensitivities.state_store import NAMES, StateStore, StoredState

from support.motions import DRIVE, DRIVEN, EXACT, METHODS, SHAKE, drive, oscillate, shake, turn


def sum_of_ends(t: FloatArray, y: Mapping[str, FloatArray]) -> tuple[float, dict[str, FloatArray]]:
    """Objective that depends on several results at two times."""
    weights = {name: np.zeros(len(t)) for name in y if name != "stretch"}
    for name, each in weights.items():
        each[-1], each[len(t) // 2] = 1.0 / np.abs(y[name]).max(), 0.3
    return sum(float(each @ y[name]) for name, each in weights.items()), weights


def find_slopes(found: wl.MotionDerivatives, objective: Any) -> dict[str, float]:
    """Return the derivatives of an objective by the chain rule, from derivatives step by step."""
    _, weights = objective(found.t, found.y)
    names = next(iter(found.dy.values()))
    return {name: sum(float(weights[y] @ found.dy[y][name]) for y in weights) for name in names}


@pytest.mark.parametrize("method", ["index 3", "index 2", "trapezoidal", "parameters"])
def test_gradient_agrees_with_derivatives_step_by_step(method: str) -> None:
    """Gradients of models with constraints, a kink, first-order states and rotations in space agree with derivatives
    step by step for all integrators.
    """
    names = SHAKE if method == "index 3" else ("mass", "damping", "lift", "gain", "spin")
    p = {name: SHAKE[name] for name in names}

    def model(values: Mapping[str, float]) -> Any:
        return shake({**SHAKE, **values})

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.016, **EXACT, **METHODS[method])

    found = wl.evaluate_objective(model, p, motion, sum_of_ends)
    derivatives = wl.evaluate_motion(model, p, motion)
    assert_allclose(found.t, derivatives.t)
    for name, slope in find_slopes(derivatives, sum_of_ends).items():
        # projections after kinks contain difference quotients in time, with rounding errors of about 1e-7
        assert_allclose(found.gradient[name], slope, rtol=1e-6 if name == "lift" else 2e-7, err_msg=name)


def swing(p: Mapping[str, float]) -> Any:
    """Create a hanging cable with a separate stiffness for each element."""
    world = wl.World(gravity=(0.0, -9.81))
    count = len(p)
    cable = straight_cable(
        world, (0.0, 0.0), (2.0, 0.0), count, axial_stiffness=list(p.values()), bending_stiffness=0.01,
        mass_per_length=0.5, axial_damping=0.5,
    )  # fmt: skip
    nodes = nodes_of(world, cable)
    con.hinge(world, nodes[[0]])

    def results(state: wl.State) -> dict[str, float]:
        return {"y": float(state.of(nodes[count])[0, 1]), "energy": float((state.of(nodes[[count]], "v") ** 2).sum())}

    return world, results


def jerk(p: Mapping[str, float]) -> Any:
    """Create a cable with a separate stiffness, mass and damping for each element. The prescribed motion of its support
    has a kink.
    """
    world = wl.World(gravity=(0.0, -9.81))
    count = len(p) // 3
    values = list(p.values())
    cable = straight_cable(
        world, (0.0, 0.0), (2.0, 0.0), count, axial_stiffness=values[:count], bending_stiffness=0.01,
        mass_per_length=values[count : 2 * count], axial_damping=values[2 * count :],
    )  # fmt: skip
    nodes = nodes_of(world, cable)
    con.prescribe(world, nodes[0], "y", con.ramp(0.01, 0.03, 0.0, 0.2))
    con.fix(world, nodes[0], "x")
    return world, lambda state: {"y": float(state.of(nodes[count])[0, 1])}


@pytest.mark.parametrize("method", ["index 3", "index 2", "trapezoidal"])
@pytest.mark.parametrize("damping", [0.5, 20.0])
def test_parameters_that_share_models(method: str, damping: float) -> None:
    """Gradients with respect to stiffnesses, masses and damping of single elements, which share the models with changed
    parameters, agree with the derivatives step by step. The motions have projections after kinks, with and without
    damping in the equations of the projection.
    """
    base = {"EA": 1e3, "mass": 0.5, "damping": damping}
    p = {f"{name}{k}": value * (1.0 + 0.1 * k) for name, value in base.items() for k in range(6)}

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.024, **EXACT, **METHODS[method])

    found = wl.evaluate_objective(jerk, p, motion, wl.end_value("y"))
    derivatives = wl.evaluate_motion(jerk, p, motion)
    for name in base:
        slopes = {key: derivatives.dy["y"][key][-1] for key in p if key.startswith(name)}
        largest = max(map(abs, slopes.values()))
        for key, slope in slopes.items():
            assert abs(found.gradient[key] - slope) < 1e-6 * largest, key


def damp(p: Mapping[str, float]) -> Any:
    """Create two masses, connected by a damper with a cubic characteristic. The prescribed motion of the first mass has
    a kink.
    """
    world = wl.World()
    masses = [world.add(MassPoint, position=(float(k), 0.0), mass=p["mass"]) for k in range(2)]
    for mass in masses:
        con.fix(world, mass, "x")
    con.prescribe(world, masses[0], "y", con.ramp(0.01, 0.03, 0.0, p["lift"]))
    places = [con.coordinate_marker(world, mass, "y") for mass in masses]
    world.add(
        con.CoordinateSpringDamper, marker0=places[0], marker1=places[1],
        force_function=lambda t, number, u, v, *_: p["stiffness"] * u + p["damping"] * v + p["cubic"] * v**3,
        force_derivative=lambda t, number, u, v, *_: (p["stiffness"], p["damping"] + 3.0 * p["cubic"] * v**2),
    )  # fmt: skip
    return world, lambda state: {"y": float(state.of(masses[1])[0, 1]), "v": float(state.of(masses[1], "v")[0, 1])}


@pytest.mark.parametrize("method", ["index 3", "index 2"])
@pytest.mark.parametrize("damping", [2.0, 3000.0])
def test_projections_with_nonlinear_damping(method: str, damping: float) -> None:
    """Gradients of motions with projections agree with derivatives step by step. If the damping is large, the matrices
    of the projections contain damping that depends on velocities.
    """
    p = {"mass": 0.5, "lift": 0.02, "stiffness": 900.0, "damping": damping, "cubic": 40.0}

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.04, **EXACT, **METHODS[method])

    objective = wl.time_integral("v")
    slopes = find_slopes(wl.evaluate_motion(damp, p, motion), objective)
    found = wl.evaluate_objective(damp, p, motion, objective)
    largest = max(abs(slope) * p[name] for name, slope in slopes.items())
    for name, slope in slopes.items():
        assert abs(found.gradient[name] - slope) * p[name] < 1e-6 * largest, name


def test_recorded_motion_is_the_plain_motion() -> None:
    """Results of steps that compiled code computes between calls of the recorder equal results of single steps."""

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.1)

    for model, p in ((jerk, {f"p{k}": 2.0 + 0.1 * k for k in range(18)}), (swing, MANY)):
        found = wl.evaluate_objective(model, p, motion, wl.end_value("y"))
        world, results = model(p)
        states = [(state.t, results(state)["y"]) for state in motion(world).march()]
        assert found.t[1:].tolist() == [t for t, _ in states]
        assert found.y["y"][1:].tolist() == [y for _, y in states]


@pytest.mark.parametrize(
    "combine",
    [
        lambda values: [x + 0.5 * y for x, y in zip(values, values[-1:] + values, strict=False)],
        lambda values: [1e3 * values[0] / values[1], *values[2:]],
    ],
)
def test_rows_that_depend_on_several_parameters(combine: Any) -> None:
    """Gradients agree with derivatives step by step if two parameters determine the stiffness of each element by their
    sum, or the stiffness of one element by their ratio. The ratio does not change if both parameters change by equal
    fractions.
    """
    p = {"p0": 2e3, **{f"p{k}": 1e3 * (0.95 + 0.05 * k) for k in range(1, 8)}}

    def model(values: Mapping[str, float]) -> Any:
        return swing({f"EA{k}": value for k, value in enumerate(combine(list(values.values())))})

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.1, **EXACT)

    found = wl.evaluate_objective(model, p, motion, wl.end_value("y"))
    slopes = find_slopes(wl.evaluate_motion(model, p, motion), wl.end_value("y"))
    largest = max(map(abs, slopes.values()))
    for name, slope in slopes.items():
        assert abs(found.gradient[name] - slope) < 1e-5 * largest, name


MANY = {f"EA{k}": 1e3 * (1.0 + 0.01 * k) for k in range(12)}


def test_many_parameters() -> None:
    """Gradients of an integral and of a smooth maximum agree with differences of complete solves within 1e-6 of the
    largest derivative.
    """

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.1, adaptive=False, **EXACT)

    def solve(objective: Any, p: Mapping[str, float]) -> float:
        world, results = swing(p)
        solver = motion(world)
        values = [(state.t, results(state)) for state in solver.march()]
        first = results(wl.State(world))
        t = np.array([0.0, *(time for time, _ in values)])
        y = {name: np.array([first[name], *(each[name] for _, each in values)]) for name in first}
        return float(objective(t, y)[0])

    for objective in (wl.time_integral("energy"), wl.smooth_maximum("energy", 2.0)):
        found = wl.evaluate_objective(swing, MANY, motion, objective)
        largest = max(map(abs, found.gradient.values()))
        for name in ("EA0", "EA7"):
            h = 1e-3 * MANY[name]
            at = {k: solve(objective, {**MANY, name: MANY[name] + k * h}) for k in (-2, -1, 1, 2)}
            slope = (8.0 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12.0 * h)
            assert abs(found.gradient[name] - slope) < 1e-6 * largest, name


def test_checkpoints() -> None:
    """With 4 stored states, steps are repeated as often as the schedule states, and the gradient does not change."""

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.06, adaptive=False, **EXACT)

    every = wl.evaluate_objective(swing, MANY, motion, wl.end_value("y"))
    few = wl.evaluate_objective(swing, MANY, motion, wl.end_value("y"), checkpoints=4)
    assert every.repeated == 0 and few.repeated == count_advances(30, 4) - place_states(30, 4)[-1] > 30
    assert every.value == few.value == every.y["y"][-1]
    largest = max(map(abs, every.gradient.values()))
    for name in MANY:
        assert abs(few.gradient[name] - every.gradient[name]) < 1e-7 * largest, name


@pytest.mark.parametrize("checkpoints", [None, 7])
def test_states_on_disk(tmp_path: Path, checkpoints: int | None) -> None:
    """With one state in memory and the other states in files, the gradient exactly equals the gradient with all states
    in memory. Files of the user remain, and the files of states are removed.
    """

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.06, adaptive=False, **EXACT)

    files = list[int]()

    def objective(t: FloatArray, y: Mapping[str, FloatArray]) -> tuple[float, Mapping[str, FloatArray]]:
        files.append(len(list(tmp_path.glob("windlass_states_*/*.npz"))))
        return wl.end_value("y")(t, y)

    (tmp_path / "0.npz").write_text("data")
    with_files = wl.evaluate_objective(
        swing, MANY, motion, objective, checkpoints=checkpoints, memory=1.0, folder=tmp_path
    )
    plain = wl.evaluate_objective(swing, MANY, motion, wl.end_value("y"), checkpoints=checkpoints)
    assert with_files.gradient == plain.gradient and with_files.repeated == plain.repeated
    assert files == [len(place_states(30, checkpoints or 30)) - 1]
    assert [path.name for path in tmp_path.iterdir()] == ["0.npz"] and (tmp_path / "0.npz").read_text() == "data"
    with pytest.raises(wl.OutputError, match="cannot be used for states: No such file or directory"):
        wl.evaluate_objective(swing, MANY, motion, objective, folder=tmp_path / "none")


def test_memory_of_states() -> None:
    """At most the given number of states is in memory, for any order of steps."""
    random = np.random.default_rng(0)
    states = [StoredState({name: random.standard_normal(3) for name in NAMES}, float(k)) for k in range(9)]
    with TemporaryDirectory() as folder, StateStore(2, Path(folder)) as store:
        for number, state in enumerate(states):
            store.put(number, state)
            assert store.in_memory == min(number + 1, 2)
        assert store.written == 7 and store.numbers == list(range(9))
        for number in reversed(range(9)):
            found = store.get(number)
            assert found.t == number
            assert all((found.arrays[name] == states[number].arrays[name]).all() for name in NAMES)
            store.remove(number)
        assert store.in_memory == 0 and store.numbers == []


@pytest.mark.parametrize(
    ("model", "p", "settings"),
    [(drive, DRIVE, {"decide_in_newton": 40}), (drive, DRIVE, {}), (turn, DRIVEN, {"method": "trapezoidal_index2"})],
)
def test_belt_drives(model: Any, p: Mapping[str, float], settings: dict[str, Any]) -> None:
    """Gradients are correct for belt drives that start with sticking and slipping zones, in which history values are
    part of the state. The cases have return maps, several passes in a step, and contact of segments.
    """

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(
            world, step=1e-4, end=0.006, adaptive=False, passes=wl.Passes(fail=False), **EXACT, **settings
        )

    few = {name: p[name] for name in ("friction", "EA")}
    steps = {name: 1e-7 * value for name, value in few.items()}

    def create(values: Mapping[str, float]) -> Any:
        return model({**p, **values})

    found = wl.evaluate_objective(create, few, motion, wl.end_value("speed"), steps=steps)
    slopes = find_slopes(wl.evaluate_motion(create, few, motion, steps=steps), wl.end_value("speed"))
    for name, slope in slopes.items():
        assert_allclose(found.gradient[name], slope, rtol=1e-4, err_msg=name)


def test_objectives() -> None:
    """Derivatives of the objectives with respect to results agree with differences."""
    t = np.array([0.0, 0.1, 0.3, 0.35, 0.6])
    y = {"x": np.array([0.2, 1.0, 1.3, -0.4, 0.9])}
    for objective in (wl.end_value("x"), wl.time_integral("x"), wl.smooth_maximum("x", 7.0)):
        value, weights = objective(t, y)
        for k in range(len(t)):
            moved = y["x"].copy()
            moved[k] += 1e-6
            assert_allclose((objective(t, {"x": moved})[0] - value) / 1e-6, weights["x"][k], rtol=1e-4, atol=1e-9)
    assert_allclose(wl.time_integral("x")(t, {"x": 2.0 * t})[0], 0.36)
    assert 1.0 < wl.smooth_maximum("x", 7.0)(t, y)[0] < wl.smooth_maximum("x", 70.0)(t, y)[0] < 1.3


def create_double_pendulum(p: Mapping[str, float]) -> Any:
    """Create a double pendulum that is released from a position above its support."""
    world = wl.World(gravity=(0.0, -9.81))
    points = [world.add(MassPoint, position=place, mass=p["mass"]) for place in ((0.3, 0.4), (0.6, 0.8))]
    hook = con.position_marker(world, world.add(Ground), (0.0, 0.0, 0.0))
    markers = [hook, *(con.position_marker(world, point) for point in points)]
    for one, two in pairwise(markers):
        world.add(
            con.SpringDamper, marker0=one, marker1=two, stiffness=2e3, rest_length=0.5, damping=p.get("damping", 0.0)
        )
    return world, lambda state: {"x": float(state.of(points[1])[0, 0])}


def test_chaotic_motions_are_named() -> None:
    """The derivatives of a double pendulum grow exponentially. Derivatives of an oscillator and of a falling mass do
    not grow exponentially.
    """
    found = wl.evaluate_objective(
        create_double_pendulum, {"mass": 1.0}, lambda world: wl.Dynamic(world, step=5e-3, end=8.0), wl.end_value("x")
    )
    assert found.chaotic and 0.5 < found.growth < 20.0
    assert any("chaotic: derivatives grow by the factor e each" in note for note in found.verdict.notes)
    regular = wl.evaluate_objective(
        oscillate, {"m": 2.0}, lambda world: wl.Dynamic(world, step=0.01, end=5.0), wl.end_value("x")
    )
    assert not regular.chaotic and abs(regular.growth) < 0.2 and not regular.verdict.notes


def test_growth() -> None:
    """Exponential growth is distinguished from powers of time and from decay."""
    t = np.linspace(0.0, 10.0, 201)
    rate, chaotic = find_growth(t, np.exp(1.5 * t) * (1.0 + 0.5 * np.sin(9.0 * t)))
    assert chaotic and abs(rate - 1.5) < 0.1
    for sizes in ((1.0 + t) ** 3, np.exp(-t), np.ones(len(t)), np.zeros(len(t))):
        assert not find_growth(t, sizes)[1]


def run(world: wl.World) -> wl.Dynamic:
    return wl.Dynamic(world, step=0.01, end=0.02)


@pytest.mark.parametrize(
    ("objective", "message"),
    [
        (wl.end_value("z"), "the objective reads the result 'z': must be one of x"),
        (lambda t, y: 1.0, "objective returned 1.0: must be a number and a dict of derivatives by result"),
        (lambda t, y: (1.0, {"z": t}), "objective gave derivatives of 'z': must be one of x"),
        (lambda t, y: (1.0, {"x": t[1:]}), r"with shape \(2,\): must be 3 finite numbers, one for each time"),
        (lambda t, y: (np.inf, {"x": t}), "objective returned inf: must be a finite number"),
    ],
)
def test_wrong_objectives(objective: Any, message: str) -> None:
    with pytest.raises(wl.ModelError, match=message):
        wl.evaluate_objective(oscillate, {"m": 2.0}, run, objective)
