"""Derivatives of motions agree with central differences between complete solves and with closed forms; wrong use is an
error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import atan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    Ground,
    MassPoint,
    RigidBody2D,
    RigidBody3D,
    cable_around,
    nodes_of,
    state_node,
    straight_cable,
)
from windlass.framework.arrays import FloatArray

from support.processes import run_windlass

EXACT: dict[str, Any] = {"rtol": 1e-13, "atol": 1e-11, "lag": False}
FIXED: dict[str, Any] = {"adaptive": False, "passes": wl.Passes(fail=False), **EXACT}
"""Equal steps, because complete solves of changed models would cut other steps."""
Made = Callable[[wl.World], wl.Dynamic]


def solve_whole(model: Any, p: Mapping[str, float], motion: Made) -> dict[str, FloatArray]:
    """Return the results of a complete solve at the start and after each step, like `wl.evaluate_motion`."""
    world, results, *start = model(p)
    first = start[0]() if start else wl.State(world)
    found = [results(state) for state in motion(world).march(first)]
    return {name: np.array([values[name] for values in found]) for name in found[0]}


def find_slopes(model: Any, p: Mapping[str, float], name: str, motion: Made, share: float) -> dict[str, FloatArray]:
    """Return fourth-order differences between complete solves; ``share`` is the step relative to the parameter."""
    h = share * p[name]
    at = {side: solve_whole(model, {**p, name: p[name] + side * h}, motion) for side in (-2.0, -1.0, 1.0, 2.0)}
    return {y: (8.0 * (at[1.0][y] - at[-1.0][y]) - (at[2.0][y] - at[-2.0][y])) / (12.0 * h) for y in at[1.0]}


def largest_errors(found: wl.MotionDerivatives, name: str, slopes: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return the largest error of each derivative with respect to a parameter, relative to the largest derivative."""
    return {
        y: float(np.abs(found.dy[y][name][1:] - slope).max() / max(np.abs(slope).max(), 1e-300))
        for y, slope in slopes.items()
    }


def shake(p: Mapping[str, float]) -> Any:
    """Create a model with twelve kinds of parameters: a swinging cable whose support moves with a kink, a mass on a
    spring at its end, a motor with a controller, and a body that tumbles on a spring.
    """
    world = wl.World(gravity=(0.0, -p["gravity"], 0.0))
    cable = straight_cable(
        world, (0.0, 0.0), (p["length"], 0.1), 4, axial_stiffness=p["EA"], bending_stiffness=p["EI"],
        mass_per_length=p["mass"], axial_damping=0.5,
    )  # fmt: skip
    nodes = nodes_of(world, cable)
    con.fix(world, nodes[0], "x")
    con.prescribe(world, nodes[0], "y", con.ramp(0.01, 0.03, 0.0, p["lift"]))
    weight = world.add(MassPoint, position=(p["length"], -0.6), mass=0.3)
    ends = con.position_marker(world, nodes[4]), con.position_marker(world, weight)
    world.add(
        con.SpringDamper, marker0=ends[0], marker1=ends[1], stiffness=p["stiffness"], rest_length=p["rest"],
        damping=p["damping"],
    )  # fmt: skip
    motor = world.add(RigidBody2D, position=(3.0, 0.0), mass=1.0, inertia=p["inertia"])
    con.fix(world, motor, "x", "y")
    angle, node = con.coordinate_marker(world, motor, "rotation"), world.add(state_node(1))
    world.add(
        con.GenericODE1, node=node, inputs=angle, constant=(5.0,), rate_matrix=[[-p["gain"]]], system_matrix=[[-3.0]]
    )
    world.add(con.StateLoad, marker=angle, inputs=con.coordinate_marker(world, node, "y0"), rate_gains=(0.8,))
    body = world.add(
        RigidBody3D, position=(6.0, 0.0, 0.0), mass=0.5, inertia=(0.01, 0.02, 0.03), velocity=(0.0, p["speed"], 0.3),
        angular_velocity=(4.0, p["spin"], 9.0),
    )  # fmt: skip
    hook = con.position_marker(world, world.add(Ground), (6.0, 0.7, 0.1))
    corner = con.position_marker(world, body, (0.1, 0.05, 0.0))
    world.add(con.SpringDamper, marker0=hook, marker1=corner, stiffness=60.0, rest_length=0.5)

    def results(state: wl.State) -> dict[str, float]:
        corner = wl.eval_output(body, "position", state)
        return {
            "height": float(state.of(nodes[4])[0, 1]),
            "stretch": float(wl.eval_output(cable[1], "axial_force", state, x=[[0.1, 0.0]])[0]),
            "speed": float(wl.eval_output(motor, "angular_velocity", state)),
            "corner": float(corner[1] + 0.02 * wl.eval_output(body, "angular_velocity", state)[1]),
        }

    return world, results


SHAKE = {
    "gravity": 9.81, "length": 1.0, "EA": 800.0, "EI": 0.3, "mass": 0.4, "lift": 0.02, "stiffness": 90.0, "rest": 0.5,
    "damping": 0.7, "inertia": 0.02, "gain": 0.4, "speed": 0.2, "spin": 2.0,
}  # fmt: skip
METHODS: dict[str, dict[str, Any]] = {
    "index 3": {},
    "index 2": {"method": "generalized_alpha_index2"},
    "trapezoidal": {"method": "trapezoidal_index2", "project": False},
    "parameters": {"rotations": "parameters", "spectral_radius": 0.5},
}


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_are_those_of_whole_solves(method: str) -> None:
    """Derivatives of 40 steps agree with fourth-order differences of complete solves within 1e-6 of their largest
    value. A kink of the prescribed motion is in the steps, after which the motion is projected onto its constraints.
    """

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.08, **EXACT, **METHODS[method])

    found = wl.evaluate_motion(shake, SHAKE, motion)
    assert_allclose(found.t, 2e-3 * np.arange(41), atol=1e-15)
    for name in SHAKE if method == "index 3" else ("length", "lift", "gain", "spin"):
        slopes = find_slopes(shake, SHAKE, name, motion, 2e-4)
        for y, error in largest_errors(found, name, slopes).items():
            # noise of the differences where a result does not depend on the parameter
            size = np.abs(found.y[y]).max() / abs(SHAKE[name])
            assert error < 1e-6 or np.abs(slopes[y]).max() < 1e-7 * size, (name, y, error)


def test_oscillator() -> None:
    """The trapezoidal rule turns an oscillator by θ = 2 arctan(ω h/2) per step. Derivatives with respect to stiffness,
    mass and initial position agree with this closed form within 1e-9, and the derivative of the motion as computed is
    not the derivative of the exact motion, which differs by 1 % here.
    """
    h, steps = 0.05, 60

    def model(p: Mapping[str, float]) -> Any:
        world = wl.World()
        mass = world.add(
            MassPoint, position=(0.0, 0.0), velocity=(0.0, 0.0), displacement=(p["start"], 0.0), mass=p["m"]
        )
        con.fix(world, mass, "y")
        world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, mass, "x"), stiffness=p["k"])
        return world, lambda state: {"x": float(state.of(mass)[0, 0])}

    p = {"k": 50.0, "m": 2.0, "start": 0.3}
    settings: dict[str, Any] = {"method": "trapezoidal_index2", "step": h, "end": h * steps}
    found = wl.evaluate_motion(model, p, lambda world: wl.Dynamic(world, **settings))
    omega, n = sqrt(p["k"] / p["m"]), np.arange(steps + 1)
    turn = 2.0 * atan(omega * h / 2.0)
    rate = h / (1.0 + (omega * h / 2.0) ** 2)
    by_omega = -p["start"] * n * rate * np.sin(n * turn)
    size = np.abs(by_omega).max()
    assert_allclose(found.y["x"], p["start"] * np.cos(n * turn), rtol=0, atol=1e-11)
    assert_allclose(found.dy["x"]["start"], np.cos(n * turn), rtol=0, atol=1e-9)
    assert_allclose(found.dy["x"]["k"], by_omega * omega / (2.0 * p["k"]), rtol=0, atol=1e-9 * size)
    assert_allclose(found.dy["x"]["m"], -by_omega * omega / (2.0 * p["m"]), rtol=0, atol=1e-8 * size)
    exact = -p["start"] * n * h * np.sin(n * h * omega)
    assert np.abs(exact - by_omega).max() > 0.01 * size


def drive(p: Mapping[str, float]) -> Any:
    """Create a belt drive whose belt is preloaded at rest, with contact at points (`wl.Belt`)."""
    world = wl.World()
    driver = world.add(RigidBody2D, position=(0.0, 0.0), mass=2.0, inertia=0.01)
    driven = world.add(RigidBody2D, position=(0.4, 0.0), mass=2.0, inertia=p["inertia"])
    con.fix(world, [driver, driven], "x", "y")
    motor = con.prescribe_velocity(world, driver, "rotation", con.ramp(0.0, 0.02, 0.0, p["speed"]))
    brake = con.coordinate_marker(world, driven, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=brake, damping=p["brake"])
    belt = wl.Belt(
        world, [wl.Pulley(driver, 0.08), wl.Pulley(driven, 0.1)], tension=p["tension"], axial_stiffness=p["EA"],
        bending_stiffness=1e-3, mass_per_length=0.1, cord_offset=0.001, friction=p["friction"], step=1e-4, elements=36,
    )  # fmt: skip

    def start() -> wl.State:
        with belt.preload(motor):
            return wl.Static(world, rtol=1e-13, atol=1e-11, name="").solve()

    def results(state: wl.State) -> dict[str, float]:
        return {
            "speed": float(wl.eval_output(driven, "angular_velocity", state)),
            "turn": float(state.of(driven)[0, 2]),
        }

    return world, results, start


DRIVE = {"inertia": 0.01, "speed": -60.0, "brake": 0.2, "tension": 400.0, "EA": 4e4, "friction": 0.5}


def test_belt_drive() -> None:
    """In a drive that starts with sticking and slipping zones, derivatives agree with differences of complete solves
    within 2e-6 of their largest value.

    Differences use a small step, because contacts change their states at other times in the complete solves.
    """

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=1e-4, end=0.015, adaptive=False, passes=wl.Passes(fail=False), **EXACT)

    found = wl.evaluate_motion(drive, DRIVE, motion)
    assert np.abs(found.dy["speed"]["friction"]).max() > 0.1  # points slip
    for name in DRIVE:
        slopes = find_slopes(drive, DRIVE, name, motion, 1e-6)
        assert max(largest_errors(found, name, slopes).values()) < 2e-6, name


DRIVEN = {"friction": 0.3, "stiffness": 1e7, "EA": 8000.0, "radius": 0.1, "torque": -6.0}


def turn(p: Mapping[str, float]) -> Any:
    """Create a belt drive with contact of segments (the published law); friction acts after the preload only."""
    world = wl.World()
    places = (0.0, 0.0), (0.3, 0.0)
    driver, driven = (world.add(RigidBody2D, position=place, mass=5.0, inertia=0.02) for place in places)
    belt = cable_around(
        world, circles=[driver, driven], radius=p["radius"], elements=18, axial_stiffness=p["EA"],
        bending_stiffness=0.1, mass_per_length=0.8, axial_damping=1.0, reference_strain=-0.05,
    )  # fmt: skip
    con.fix(world, driver, "x", "y")
    con.fix(world, driven, "x", "y")
    holds = [con.fix(world, driver, "rotation"), con.fix(world, driven, "rotation")]
    holds.append(con.fix(world, nodes_of(world, belt)[0], "x"))
    drive = con.prescribe_velocity(world, driver, "rotation", con.ramp(0.0, 0.02, 0.0, 12.0))
    spin = con.coordinate_marker(world, driven, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=spin, damping=0.1)
    world.add(con.CoordinateLoad, marker=spin, value=p["torque"])
    contacts = con.add_contact(
        world, con.ContactFrictionCircleCable2D, circles=[driver, driven], cables=belt, segments=3,
        circle_radius=p["radius"], contact_stiffness_per_length=p["stiffness"], contact_damping_per_length=1e3,
        friction_velocity_penalty_per_length=2e4, friction_stiffness_per_length=p["stiffness"],
        friction_coefficient=0.0,
    )  # fmt: skip

    def start() -> wl.State:
        world.set(drive, active=False)
        state = wl.Static(world, load_steps=10, geometric=True, rtol=1e-13, atol=1e-11, name="").solve()
        for hold in holds:
            world.set(hold, active=False)
        world.set(contacts, friction_coefficient=p["friction"])
        world.set(drive, active=True)
        return state

    def results(state: wl.State) -> dict[str, float]:
        return {
            "speed": float(wl.eval_output(driven, "angular_velocity", state)),
            "turn": float(state.of(driven)[0, 2]),
        }

    return world, results, start


def test_belt_drive_with_contact_of_segments() -> None:
    """With the published law, derivatives of 200 steps agree with differences of complete solves within 1e-5."""

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(
            world,
            step=1e-4,
            end=0.02,
            method="trapezoidal_index2",
            adaptive=False,
            passes=wl.Passes(fail=False),
            **EXACT,
        )

    found = wl.evaluate_motion(turn, DRIVEN, motion)
    assert np.abs(found.dy["speed"]["friction"]).max() > 0.1  # segments slip
    for name in DRIVEN:
        slopes = find_slopes(turn, DRIVEN, name, motion, 1e-6)
        assert max(largest_errors(found, name, slopes).values()) < 1e-5, name


def oscillate(p: Mapping[str, float]) -> Any:
    world = wl.World()
    mass = world.add(MassPoint, position=(0.0, 0.0), displacement=(0.1, 0.0), mass=p["m"])
    con.fix(world, mass, "y")
    world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, mass, "x"), stiffness=50.0)
    return world, lambda state: {"x": float(state.of(mass)[0, 0])}


def run(world: wl.World) -> wl.Dynamic:
    return wl.Dynamic(world, step=0.01, end=0.02)


def grow(p: Mapping[str, float]) -> Any:
    world, results = oscillate(p)
    if p["m"] > 2.0:
        world.add(MassPoint, position=(1.0, 0.0), mass=1.0)
    return world, results


@pytest.mark.parametrize(
    ("model", "p", "motion", "message"),
    [
        (oscillate, {}, run, r"p = \{\}: must have at least one parameter"),
        (oscillate, {"m": 0.0}, run, r"steps\['m'\] = 0.0: a parameter with the value 0 must have a step"),
        (lambda p: oscillate(p)[0], {"m": 2.0}, run, "model returned <World.*: must be a World and a function"),
        (lambda p: (*oscillate(p), 5.0), {"m": 2.0}, run, "model returned .*: must be a World and a function"),
        (lambda p: (*oscillate(p), lambda: None), {"m": 2.0}, run, "start returned None: must be a State of the model"),
        (oscillate, {"m": 2.0}, lambda world: wl.Static(world), "motion returned <.*Static.*: must be a Dynamic"),
        (oscillate, {"m": 2.0}, lambda world: run(oscillate({"m": 2.0})[0]), "must be a Dynamic of the given world"),
        (grow, {"m": 2.0}, run, "the number of rows of .* changes with 'm' from 1 to 2"),
        (lambda p: (oscillate(p)[0], lambda state: {"x": float("nan")}), {"m": 2.0}, run, "results gave 'x' = nan"),
    ],
)
def test_wrong_use(model: Any, p: Any, motion: Any, message: str) -> None:
    with pytest.raises(wl.ModelError, match=message):
        wl.evaluate_motion(model, p, motion)


def test_a_state_at_rest() -> None:
    """A hanging cable that remains in equilibrium has the derivatives of the equilibrium in each step."""

    def hang(p: Mapping[str, float]) -> Any:
        world = wl.World(gravity=(0.0, -9.81))
        cable = straight_cable(
            world, (0.0, 0.0), (2.0, 0.0), 6, axial_stiffness=p["EA"], bending_stiffness=0.5, mass_per_length=0.5
        )
        nodes = nodes_of(world, cable)
        con.hinge(world, nodes[[0, 6]])
        solve = wl.Static(world, rtol=1e-13, atol=1e-11, name="").solve
        return world, lambda state: {"y": float(state.of(nodes[3])[0, 1])}, solve

    found = wl.evaluate_motion(hang, {"EA": 1e4}, lambda world: wl.Dynamic(world, step=1e-5, end=5e-5))
    slope = wl.evaluate(lambda p: hang(p)[:2], {"EA": 1e4})[1]["y"]["EA"]
    assert_allclose(found.dy["y"]["EA"], slope, rtol=1e-6)


RESTARTED = """
import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint

def model(p):
    world = wl.World()
    mass = world.add(MassPoint, position=(0.0, 0.0), displacement=(0.1, 0.0), mass=p["m"])
    con.fix(world, mass, "y")
    world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, mass, "x"), stiffness=50.0)
    return world, lambda state: {"x": state.of(mass)[0, 0]}

print(len(wl.evaluate_motion(model, {"m": 2.0}, lambda world: wl.Dynamic(world, step=0.01, end=0.05)).t), "times")
"""


def test_restarted_motion(tmp_path: Path) -> None:
    """A motion that continues from a checkpoint, or was complete, has no derivatives; -help ends without a solve."""
    (tmp_path / "model.py").write_text(RESTARTED)
    done = run_windlass(["run", "model.py", "-checkpoint", "c.h5"], folder=tmp_path)
    assert done.returncode == 0 and "6 times" in done.stdout, done.stderr
    for words in ([], ["-dynamic_end", "0.06"]):
        done = run_windlass(["run", "model.py", "-restart", "c.h5", *words], folder=tmp_path)
        assert done.returncode == 2 and "derivatives need all steps, so leave out -restart" in done.stderr
    done = run_windlass(["run", "model.py", "-help"], folder=tmp_path)
    assert done.returncode == 0 and "-dynamic_step" in done.stdout
