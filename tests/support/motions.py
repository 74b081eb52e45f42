"""Models of motions for tests of derivatives, and differences between complete solves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from pytest import MonkeyPatch

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
from windlass.solvers.stepping.step_control import StepSizes

EXACT: dict[str, Any] = {"rtol": 1e-13, "atol": 1e-11, "lag": False}
FIXED: dict[str, Any] = {"adaptive": False, "passes": wl.Passes(fail=False), **EXACT}
"""Settings for steps of equal size, because with adaptive steps, complete solves of changed models would reduce
different steps.
"""
Made = Callable[[wl.World], wl.Dynamic]


def solve_whole(model: Any, p: Mapping[str, float], motion: Made) -> dict[str, FloatArray]:
    """Return the results of a complete solve at the start and after each step, like `wl.evaluate_motion`."""
    world, results, *start = model(p)
    first = start[0]() if start else wl.State(world)
    found = [results(state) for state in motion(world).march(first)]
    return {name: np.array([values[name] for values in found]) for name in found[0]}


def find_slopes(model: Any, p: Mapping[str, float], name: str, motion: Made, share: float) -> dict[str, FloatArray]:
    """Return fourth-order differences between complete solves. ``share`` is the step relative to the parameter."""
    h = share * p[name]
    at = {side: solve_whole(model, {**p, name: p[name] + side * h}, motion) for side in (-2.0, -1.0, 1.0, 2.0)}
    return {y: (8.0 * (at[1.0][y] - at[-1.0][y]) - (at[2.0][y] - at[-2.0][y])) / (12.0 * h) for y in at[1.0]}


def largest_errors(found: wl.MotionDerivatives, name: str, slopes: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return the largest error of each derivative with respect to a parameter, relative to the largest derivative."""
    return {
        y: float(np.abs(found.dy[y][name][1:] - slope).max() / max(np.abs(slope).max(), 1e-300))
        for y, slope in slopes.items()
    }


@contextmanager
def given_steps(times: FloatArray) -> Iterator[None]:
    """Let solves without adaptive steps take steps that end at the given times [s]. The first time is the start."""

    def propose(sizes: StepSizes, now: float, end: float) -> tuple[float, float]:
        k = int(np.argmin(np.abs(times - now)))
        sizes._anchor, sizes._shortened = (now, 0), True
        return times[k + 1] - times[k], times[k + 1]

    with MonkeyPatch.context() as patch:
        patch.setattr(StepSizes, "propose", propose)
        patch.setattr(StepSizes, "foresee", lambda sizes, then, end, most: [then])
        yield


def shake(p: Mapping[str, float]) -> Any:
    """Create a model with twelve kinds of parameters: a swinging cable with a support whose velocity jumps, a mass on a
    spring at the end of the cable, a motor with a controller, and a tumbling body that is tied to a spring.
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


DRIVEN = {"friction": 0.3, "stiffness": 1e7, "EA": 8000.0, "radius": 0.1, "torque": -6.0}


def turn(p: Mapping[str, float]) -> Any:
    """Create a belt drive with contact of segments (the published law). Friction acts after the preload only."""
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


def oscillate(p: Mapping[str, float]) -> Any:
    world = wl.World()
    mass = world.add(MassPoint, position=(0.0, 0.0), displacement=(0.1, 0.0), mass=p["m"])
    con.fix(world, mass, "y")
    world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, mass, "x"), stiffness=50.0)
    return world, lambda state: {"x": float(state.of(mass)[0, 0])}
