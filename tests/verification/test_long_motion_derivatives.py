"""Derivatives of a belt drive with stick and slip, step by step and by the adjoint, agree with differences of complete
solves through 1000 steps, for thirteen kinds of parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D
from windlass.framework.arrays import FloatArray

from support.motions import EXACT, find_slopes, largest_errors

SIZES = {
    "inertia": 0.01, "speed": -60.0, "brake": 0.2, "radius": 0.1, "strain": 0.01, "EA": 4e4, "EI": 1e-3, "mass": 0.1,
    "loss": 1.0, "friction": 0.5, "k": 2e8, "d": 3e3, "bristle": 6e7,
}  # fmt: skip
"""Inertia of the driven pulley, speed of the motor, damping of the brake, radius of the driven pulley, strain of the
mounted belt, EA, EI, mass per length and axial damping of the belt, friction coefficient, and stiffness and damping of
the contact and stiffness of its bristles.
"""

WEAK = ("EI", "mass", "loss", "d")
"""Parameters with little influence, which require larger changes because of rounding errors."""
SHARES = {name: 1e-6 if name in WEAK else 1e-7 for name in SIZES} | {"mass": 3e-7, "radius": 3e-8}
"""Small changes of the parameters relative to their values, so that few contacts change their states due to these
changes. If the mass is changed by 1e-6 or more, contacts change their states; with 1e-7, rounding errors of the
differences are 1.2e-4. If the radius is changed by 1e-7, a contact changes its state.
"""
SMALL = {"radius": 1e-9}
"""Smaller step of the gradient [m]. The radius changes the gaps of all contacts of a pulley if the positions remain
constant, and a contact that changes its state within the step causes an error.
"""
STEPS = {name: (3.0 if name in WEAK else 1.0) * SHARES[name] * abs(value) for name, value in SIZES.items()}


def drive(p: Mapping[str, float]) -> Any:
    """Create a belt drive whose belt is preloaded at rest, with contact at points (`wl.Belt`)."""
    world = wl.World()
    driver = world.add(RigidBody2D, position=(0.0, 0.0), mass=2.0, inertia=0.01)
    driven = world.add(RigidBody2D, position=(0.4, 0.0), mass=2.0, inertia=p["inertia"])
    con.fix(world, [driver, driven], "x", "y")
    motor = con.prescribe_velocity(world, driver, "rotation", con.ramp(0.0, 0.02, 0.0, p["speed"]))
    turns = con.coordinate_marker(world, driven, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=turns, damping=p["brake"])
    contact = {
        "contact_stiffness_per_length": p["k"], "contact_damping_per_length": p["d"],
        "friction_stiffness_per_length": p["bristle"],
    }  # fmt: skip
    belt = wl.Belt(
        world, [wl.Pulley(driver, 0.08), wl.Pulley(driven, p["radius"])], strain=p["strain"], axial_stiffness=p["EA"],
        bending_stiffness=p["EI"], mass_per_length=p["mass"], axial_damping=p["loss"], cord_offset=0.001,
        friction=p["friction"], contact=contact, elements=36,
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


def motion(world: wl.World) -> wl.Dynamic:
    """Create the solver. With steps of 1e-4 s, parts of the gradient with respect to the mass cancel, and the relative
    error of this gradient is 1.1e-4.
    """
    return wl.Dynamic(
        world, step=9e-5, end=0.09, adaptive=False, passes=wl.Passes(fail=False), decide_in_newton=40, **EXACT
    )


def mean_and_turn(t: FloatArray, y: Mapping[str, FloatArray]) -> tuple[float, dict[str, FloatArray]]:
    """Objective that is the mean speed plus the turn of the driven pulley at the end."""
    mean, by_speed = wl.time_integral("speed")(t, y)
    end, by_turn = wl.end_value("turn")(t, y)
    return mean / t[-1] + end, {"speed": by_speed["speed"] / t[-1], "turn": by_turn["turn"]}


@pytest.mark.long
def test_thousand_steps_of_a_belt_drive() -> None:
    """Derivatives step by step, and the gradient of a mean and an end value by the adjoint, agree with differences of
    complete solves.
    """
    found = wl.evaluate_motion(drive, SIZES, motion, steps=STEPS)
    gradient = wl.evaluate_objective(drive, SIZES, motion, mean_and_turn, steps=STEPS | SMALL).gradient
    _, weights = mean_and_turn(found.t, found.y)
    assert len(found.t) == 1001
    assert np.abs(found.dy["speed"]["friction"]).max() > 0.1  # points slip
    errors, of_gradient, to_motion = {}, {}, {}
    for name in SIZES:
        slopes = find_slopes(drive, SIZES, name, motion, SHARES[name])
        errors[name] = max(largest_errors(found, name, slopes).values())
        whole = sum(float(weights[y][1:] @ slope) for y, slope in slopes.items())
        of_gradient[name] = abs(gradient[name] / whole - 1.0)
        by_steps = sum(float(weights[y] @ found.dy[y][name]) for y in weights)
        to_motion[name] = abs(gradient[name] / by_steps - 1.0)
    assert max(errors.values()) < 1e-4, errors
    assert max(of_gradient.values()) < 1e-4, of_gradient
    assert max(to_motion.values()) < 1e-4, to_motion
