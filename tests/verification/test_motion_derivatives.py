"""Derivatives of motions agree with central differences between complete solves and with closed forms. Wrong use causes
an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import atan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    MassPoint,
    nodes_of,
    straight_cable,
)
from windlass.solvers.sensitivities.motion import CompanionPair, describe_error

from support.motions import (
    DRIVE,
    DRIVEN,
    EXACT,
    METHODS,
    SHAKE,
    drive,
    find_slopes,
    given_steps,
    largest_errors,
    oscillate,
    shake,
    turn,
)
from support.processes import run_windlass


@pytest.mark.parametrize("method", METHODS)
def test_derivatives_are_those_of_whole_solves(method: str) -> None:
    """Derivatives of 40 steps agree with fourth-order differences of complete solves within 1e-6 of their largest
    value. The prescribed motion has a kink within these steps, after which the motion is projected onto the
    constraints.
    """

    def motion(world: wl.World) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.08, **EXACT, **METHODS[method])

    found = wl.evaluate_motion(shake, SHAKE, motion)
    assert_allclose(found.t, 2e-3 * np.arange(41), atol=1e-15)
    for name in SHAKE if method == "index 3" else ("length", "lift", "gain", "spin"):
        slopes = find_slopes(shake, SHAKE, name, motion, 2e-4)
        for y, error in largest_errors(found, name, slopes).items():
            # where a result does not depend on the parameter, the differences contain only noise
            size = np.abs(found.y[y]).max() / abs(SHAKE[name])
            assert error < 1e-6 or np.abs(slopes[y]).max() < 1e-7 * size, (name, y, error)


def test_oscillator() -> None:
    """The trapezoidal rule turns an oscillator by θ = 2 arctan(ω h/2) per step. Derivatives with respect to stiffness,
    mass and initial position agree with this closed form within 1e-9. The derivatives of the exact motion differ from
    this closed form by 1 %.
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


def bounce(p: Mapping[str, float]) -> Any:
    """Create a mass that falls onto a spring and bounces."""
    world = wl.World(gravity=(0.0, -p["gravity"]))
    mass = world.add(MassPoint, position=(0.0, p["height"]), mass=p["mass"])
    con.fix(world, mass, "x")
    world.add(
        con.ContactCoordinate, marker1=con.coordinate_marker(world, mass, "y"), contact_stiffness=p["stiffness"],
        contact_damping=p["damping"], offset=-p["height"],
    )  # fmt: skip
    return world, lambda state: {"y": float(state.of(mass)[0, 1]), "speed": float(state.of(mass, "v")[0, 1])}


def test_steps_that_were_cut() -> None:
    """The steps of a bouncing mass are cut so that they end near the times of contact and release. Derivatives agree
    within 1e-6 with differences between complete solves that take the same steps, and gradients by the adjoint agree
    with the derivatives. Differences between solves with separate step control have errors above 1 %, because these
    solves take other steps.
    """
    p = {"gravity": 9.81, "height": 0.05, "mass": 2.0, "stiffness": 2e4, "damping": 20.0}

    def motion(world: wl.World, adaptive: bool = True) -> wl.Dynamic:
        return wl.Dynamic(world, step=2e-3, end=0.16, adaptive=adaptive, control=wl.StepControl(smallest=1e-5), **EXACT)

    found = wl.evaluate_motion(bounce, p, motion)
    sizes = np.diff(found.t)
    assert len(np.unique(sizes.round(9))) > 8
    assert sizes.max() / sizes.min() > 100.0
    assert found.y["speed"].max() > 0.3  # after the bounce, the mass has left the spring
    gradient = wl.evaluate_objective(bounce, p, motion, wl.end_value("y")).gradient
    for name in p:
        with given_steps(found.t):
            slopes = find_slopes(bounce, p, name, lambda world: motion(world, adaptive=False), 1e-6)
        assert max(largest_errors(found, name, slopes).values()) < 1e-6, name
        assert_allclose(gradient[name], found.dy["y"][name][-1], rtol=1e-6, err_msg=name)
    slopes = find_slopes(bounce, p, "height", motion, 1e-6)
    assert max(largest_errors(found, "height", slopes).values()) > 0.01


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
    """Derivatives of a motion that is restarted from its last checkpoint, with the same end time or a later one, cause
    an error. With -help, the program ends without a solve.
    """
    (tmp_path / "model.py").write_text(RESTARTED)
    done = run_windlass(["run", "model.py", "-checkpoint", "c.h5"], folder=tmp_path)
    assert done.returncode == 0 and "6 times" in done.stdout, done.stderr
    for words in ([], ["-dynamic_end", "0.06"]):
        done = run_windlass(["run", "model.py", "-restart", "c.h5", *words], folder=tmp_path)
        assert done.returncode == 2 and "derivatives need all steps, so leave out -restart" in done.stderr
    done = run_windlass(["run", "model.py", "-help"], folder=tmp_path)
    assert done.returncode == 0 and "-dynamic_step" in done.stdout


def test_less_accurate_derivatives_are_noted() -> None:
    """If the error of an iteration for a derivative satisfies only the wider of two limits, a note names the parameter,
    the error, the time and the remedy. Otherwise there is no note.
    """
    pair = CompanionPair.__new__(CompanionPair)
    pair.h, pair.error = 0.5, (0.0, 0.0)
    assert describe_error("friction", pair) == []
    pair.error = 4e-4, 0.0291
    (words,) = describe_error("friction", pair)
    assert "with respect to friction have a relative error of up to 0.0004 in the step to t = 0.0291 s" in words
    assert "within the step 0.5 of the differences: give a smaller step by steps=" in words
