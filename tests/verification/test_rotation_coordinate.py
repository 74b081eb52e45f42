"""Tests of laws on the rotation of 3D bodies over several turns: torsional pendulum, motor, torque, stop, and failures.

Rotors turn on hinges. The axis is oblique both in space and in the body, and the reference of the body is rotated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    ContactCoordinate,
    CoordinateLoad,
    CoordinateSpringDamper,
    GenericJoint,
    Torque,
    coordinate_marker,
    hinge,
    prescribe,
    prescribe_velocity,
    rigid_marker,
    rotation_marker,
)
from windlass.elements import Ground, RigidBody3D, euler_parameters, rotation_matrix
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit
from windlass.solvers.failure import NotConverged
from windlass.solvers.static import Static
from windlass.solvers.stepping.discontinuous import Passes
from windlass.solvers.stepping.step_control import StepControl

from support.processes import ROOT, run_python

REFERENCE = euler_parameters((0.3, 1.0, -0.5), 1.4)
FRAME = rotation_matrix(euler_parameters((1.0, -1.0, 0.2), 0.9))
AXIS = FRAME[:, 2]
"""The axis of the hinge in the body's frame."""
INERTIA = FRAME @ np.diag((0.5, 0.7, 0.8)) @ FRAME.T
SPIN = 0.8
"""Moment of inertia about the axis [kg m^2]."""
SPACE_AXIS = rotation_matrix(REFERENCE) @ AXIS


def add_rotor(world: World, speed: float = 0.0, position: Any = (0.0, 0.0, 0.0)) -> tuple[Entity, Entity]:
    """Create a rotor with an initial speed [rad/s], and the marker on its angle."""
    body = world.add(
        RigidBody3D,
        position=position,
        euler_parameters=REFERENCE,
        angular_velocity=speed * SPACE_AXIS,
        mass=1.0,
        inertia=INERTIA,
    )
    world.add(
        GenericJoint,
        marker0=rigid_marker(world, world.add(Ground), position),
        marker1=rigid_marker(world, body),
        rotations=(True, True, False),
        frame0=rotation_matrix(REFERENCE) @ FRAME,
        frame1=FRAME,
    )
    return body, rotation_marker(world, body, AXIS)


def turned(angle: float) -> np.ndarray:
    """Return the rotation matrix of the rotor at an angle."""
    return rotation_matrix(REFERENCE) @ rotation_matrix(euler_parameters(AXIS, angle))


def energy(body: Entity, state: State) -> float:
    """Return the kinetic energy [J] and the energy [J] of the springs."""
    kinetic = float(eval_output(body, "kinetic_energy", state))
    state.assembly.load_fields(state)
    return kinetic + state.assembly.energy()


@pytest.mark.parametrize("method", ["generalized_alpha", "trapezoidal_index2"])
def test_torsional_pendulum(method: str) -> None:
    """A torsional pendulum with an amplitude of 15 rad, nearly 2.4 turns, has the frequency sqrt(k/I) = 2 rad/s with
    order 2. The trapezoidal rule conserves energy.

    The period of both methods is longer by about (ω h)²/12, which is the error of order 2.
    """
    errors = []
    for step in (4e-3, 2e-3):
        world = World()
        body, angle = add_rotor(world, 30.0)
        spring = world.add(CoordinateSpringDamper, marker1=angle, stiffness=4.0 * SPIN)
        start, worst, lost = energy(body, State(world)), 0.0, 0.0
        for state in Dynamic(world, step=step, end=2.0, method=method, spectral_radius=0.6, name="").march():
            if state.step % 25 == 0:
                expected = 15.0 * np.sin(2.0 * state.t)
                worst = max(worst, abs(float(eval_output(spring, "displacement", state)) - expected))
                lost = max(lost, abs(energy(body, state) / start - 1.0))
        assert_allclose(start, 0.5 * SPIN * 900.0, rtol=1e-12)
        errors.append((worst, lost))
    assert (np.array(errors[1]) < (1e-2, 1e-3)).all()
    assert_allclose(np.log2(np.array(errors[0]) / errors[1]), 2.0, atol=0.2)


@pytest.mark.parametrize("method", ["verlet", "rk"])
def test_explicit_pendulum(method: str) -> None:
    world = World()
    body, angle = add_rotor(world, 30.0)
    world.add(CoordinateSpringDamper, marker1=angle, stiffness=4.0 * SPIN)
    start = energy(body, State(world))
    state = Explicit(world, step=1e-3, end=0.8, method=method, name="").solve()
    assert_allclose(eval_output(angle, "angle", state), 15.0 * np.sin(1.6), atol=1e-2 if method == "verlet" else 1e-5)
    assert_allclose(energy(body, state), start, rtol=1e-3 if method == "verlet" else 1e-6)


@pytest.mark.parametrize("method", ["generalized_alpha", "trapezoidal_index2"])
def test_motor(method: str) -> None:
    """A rotor follows a prescribed rotation over three turns in both directions. The torque of the motor is I φ_tt."""
    world = World()
    body, marker = add_rotor(world)
    size, rate = 20.0, np.pi

    def angle(t: float) -> float:
        return size * float(np.sin(rate * t) ** 2)

    motor = prescribe(world, marker, "", angle)
    for state in Dynamic(world, step=1e-3, end=1.0, method=method, spectral_radius=0.6, name="").march():
        if state.step % 50 == 0:
            at_position = method == "generalized_alpha"
            tolerance = 1e-9 if at_position else 5e-3  # at rate level, the angle has the error of the integrator
            assert_allclose(eval_output(marker, "angle", state), angle(state.t), atol=tolerance)
            assert_allclose(eval_output(body, "rotation", state), turned(angle(state.t)), atol=tolerance)
            torque = SPIN * 2.0 * size * rate**2 * np.cos(2.0 * rate * state.t)
            assert_allclose(-eval_output(motor, "force", state), torque, atol=0.5)


def test_motor_by_speed() -> None:
    """A prescribed speed of the coordinate of a body gives ten turns about the y axis of the body, with a relative
    error of (ω h)²/12.
    """
    world = World()
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 2.0, 1.5))
    hinge(world, body)
    motor = prescribe_velocity(world, body, "rotation y", lambda t: 20.0 * np.pi * float(np.sin(np.pi * t) ** 2))
    state = Dynamic(world, step=1e-3, end=2.0, spectral_radius=0.6, name="").solve()
    assert_allclose(eval_output(body, "rotation", state), np.eye(3), atol=1e-2)
    assert_allclose(eval_output(world.entity(int(motor.marker1)), "angle", state), 20.0 * np.pi, atol=1e-2)


def test_load_is_a_torque() -> None:
    """A load on the angle of a hinged body, and of a free body about its principal axis, is a torque about the axis."""

    def pull(t: float) -> float:
        return 40.0 * float(np.cos(5.0 * t))

    ends = []
    for as_torque in (False, True):
        world = World()
        body, marker = add_rotor(world)
        free = world.add(RigidBody3D, position=(1.0, 0.0, 0.0), mass=1.0, inertia=(1.0, 2.0, 3.0))
        angles = [marker, rotation_marker(world, free, "x")]
        if as_torque:
            ends_of = [rigid_marker(world, body), rigid_marker(world, free)]
            world.add(CoordinateLoad, marker=angles, value=0.0)
            functions = [lambda t: pull(t) * SPACE_AXIS, lambda t: (pull(t), 0.0, 0.0)]
            world.add(Torque, marker=ends_of, function=functions)
        else:
            world.add(CoordinateLoad, marker=angles, function=pull)
        state = Dynamic(world, step=1e-3, end=1.0, spectral_radius=0.6, name="").solve()
        ends.append((state.q, state.v, eval_output(marker, "angle", state)))
    for found, expected in zip(ends[0], ends[1], strict=True):
        assert_allclose(found, expected, atol=1e-8)
    # φ = (40/25 I) (1 - cos 5 t)
    assert_allclose(ends[0][2], 1.6 / SPIN * (1.0 - np.cos(5.0)), atol=1e-3)


def test_stop() -> None:
    """A rotor hits a stop after 1.6 turns and rebounds with the same speed. Step sizes are reduced such that steps end
    at contact instants.
    """
    world = World()
    body, marker = add_rotor(world, 10.0)
    ground = coordinate_marker(world, None)
    stop = world.add(ContactCoordinate, marker0=marker, marker1=ground, offset=-10.0, contact_stiffness=8e3 * SPIN)
    start = energy(body, State(world))
    contact_time = np.pi / np.sqrt(8e3)
    largest, reached = 0.0, 0.0
    solver = Dynamic(
        world,
        step=5e-3,
        end=1.0 + contact_time + 0.5,
        method="trapezoidal_index2",
        control=StepControl(smallest=1e-8),
        passes=Passes(atol=1e-2),
        name="",
    )
    for state in solver.march():
        largest = max(largest, abs(energy(body, state) / start - 1.0))
        reached = min(reached, float(eval_output(stop, "gap", state)))
    assert_allclose(reached, -10.0 / np.sqrt(8e3), rtol=2e-2)
    assert_allclose(eval_output(marker, "angle", state), 5.0, atol=0.05)
    assert_allclose(eval_output(marker, "rate", state), -10.0, rtol=1e-4)
    assert largest < 1e-4


def test_static_twist() -> None:
    """A torque turns a spring by three turns, in load steps of less than half a turn, and the angle equals torque over
    stiffness.
    """
    world = World()
    body, marker = add_rotor(world)
    world.add(CoordinateSpringDamper, marker1=marker, stiffness=2.0)
    world.add(CoordinateLoad, marker=marker, value=12.0 * np.pi)
    state = Static(world, load_steps=10, name="").solve()
    assert_allclose(eval_output(marker, "angle", state), 6.0 * np.pi, atol=1e-9)
    assert_allclose(eval_output(body, "rotation", state), turned(0.0), atol=1e-8)


def test_reversed_axis_fails_with_words() -> None:
    """If the axis of a body swings until it points against its start direction, the step fails, and the error states
    the reason.
    """
    world = World()
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0, angular_velocity=(2.0, 0.0, 0.0))
    spring = world.add(CoordinateSpringDamper, marker1=rotation_marker(world, body, "z"), stiffness=1e-3)
    solver = Dynamic(world, step=0.02, end=2.0, spectral_radius=0.6, name="")
    with pytest.raises(NotConverged, match=r"the angle about the axis .* is lost") as error:
        solver.solve()
    assert 3.0 < 2.0 * error.value.failure.time < 3.3
    assert_allclose(eval_output(spring, "displacement", error.value.state), 0.0, atol=1e-6)
    with pytest.raises(NotConverged, match=r"the angle about the axis .* is lost"):
        Explicit(world, step=0.02, end=2.0, name="").solve()


def test_saved_and_resumed(tmp_path: Path) -> None:
    """The number of turns is part of the state, and the results of a run that continues from a file are bit-identical
    to the results of an uninterrupted run.
    """

    def run(end: float, start: State | None = None, resume: bool = False) -> State:
        return Dynamic(world, step=2e-3, end=end, lag=False, name="").solve(start, resume=resume)

    world = World()
    _, marker = add_rotor(world, 30.0)
    world.add(CoordinateSpringDamper, marker1=marker, stiffness=4.0 * SPIN)
    whole = run(0.8)
    path = run(0.6).save(tmp_path / "half.npz")
    again = run(0.8, State(world).load(path), resume=True)
    assert eval_output(marker, "angle", again) > 4.0 * np.pi
    for name in ("q", "v", "lam", "data"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name


def build_train(count: int = 6) -> tuple[World, Entity]:
    """Create rotors on one line of hinges, with springs from angle to angle, a motor at one end and a stop at the other
    end.
    """
    world = World()
    rotors = [add_rotor(world, position=(float(k), 0.0, 0.0)) for k in range(count)]
    angles = [marker for _, marker in rotors]
    springs = world.add(CoordinateSpringDamper, marker0=angles[:-1], marker1=angles[1:], stiffness=3e3, damping=4.0)
    prescribe(world, angles[0], "", lambda t: 60.0 * t**2)
    ground = coordinate_marker(world, None)
    world.add(ContactCoordinate, marker0=angles[-1], marker1=ground, offset=-14.0, contact_stiffness=2e3)
    world.add(CoordinateLoad, marker=angles[2:], function=lambda t: 20.0 * t)
    return world, springs


def run(path: str) -> None:
    """Program for mpiexec: run the train of rotors. The first process writes the end state and the outputs."""
    world, springs = build_train()
    solver = Dynamic(world, step=2e-3, end=0.52, spectral_radius=0.6, name="")
    state = solver.solve()
    whole = state.gather()
    twist = eval_output(springs, "displacement", state)
    if solver.assembly.layout.rank == 0:
        np.savez(path, q=whole.q, v=whole.v, data=whole.data, twist=twist)


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """The results on one and two processes are equal. Six rotors turn by more than two turns, and the
    last rotor touches a stop.
    """
    results = []
    for processes in (1, 2):
        path = tmp_path / f"{processes}.npz"
        program = f"import sys; sys.path.insert(0, {str(ROOT / 'tests/verification')!r})\n"
        program += f"import test_rotation_coordinate\ntest_rotation_coordinate.run({str(path)!r})"
        done = run_python(["-c", program], processes)
        assert done.returncode == 0, done.stderr
        results.append(dict(np.load(path)))
    assert results[0]["data"].max() > 4.0 * np.pi and results[0]["data"].min() < 0.0
    for name, values in results[0].items():
        assert_allclose(results[1][name], values, rtol=0, atol=1e-8 * max(1.0, np.abs(values).max()), err_msg=name)
