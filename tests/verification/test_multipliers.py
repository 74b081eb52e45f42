"""Tests of multipliers and accelerations of constrained motion: kinks, reactions of pendulums, and consistent initial
values.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from windlass.connectors import (
    CoordinateConstraint,
    RevoluteJoint2D,
    SphericalJoint,
    coordinate_marker,
    fix,
    position_marker,
    prescribe,
    prescribe_velocity,
    rigid_marker,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D
from windlass.framework.arrays import FloatArray
from windlass.framework.errors import ModelError
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.restart.checkpoint import Checkpoint
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.hooks import StepHook
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit

# methods that support constraints, each with its spectral radius
METHODS = [
    ("generalized_alpha", 0.9),
    ("generalized_alpha", 0.5),
    ("generalized_alpha_index2", 0.9),
    ("generalized_alpha_index2", 0.5),
    ("trapezoidal_index2", 0.9),
]
NEWMARK = ("newmark", 0.9)
INERTIA, SPEED, BEGIN, RAMP = 0.25, 12.0, 0.05, 0.55


def speed(t: float) -> float:
    """Return the speed [rad/s] of the wheel, which is first 0, then increases linearly, and is then 12."""
    return SPEED * min(max((t - BEGIN) / RAMP, 0.0), 1.0)


def angle(t: float) -> float:
    """Return the integral [rad] of the speed."""
    inside = min(max(t - BEGIN, 0.0), RAMP)
    return SPEED * (0.5 * inside**2 / RAMP + max(t - BEGIN - RAMP, 0.0))


def create_wheel(kind: str) -> World:
    """Create a wheel of 0.25 kg m² whose speed, or angle, is prescribed."""
    world = World()
    wheel = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=INERTIA)
    fix(world, wheel, "x", "y")
    if kind == "velocity":
        prescribe_velocity(world, wheel, "rotation", speed)
    else:
        prescribe(world, wheel, "rotation", angle, speed if kind == "position" else None)
    return world


@pytest.mark.parametrize("kind", ["velocity", "position", "position without rate"])
@pytest.mark.parametrize(("method", "spectral_radius"), [*METHODS, NEWMARK])
def test_kinks(method: str, spectral_radius: float, kind: str) -> None:
    """From the third step after each kink on, the torque on the wheel is J Δω/Δt = 5.4545 N m while the speed
    increases, and otherwise 0.

    Steps of 2 ms end at both kinks of the speed, but steps of 2.2 and 1.1 ms do not. Without the projection, the torque
    by the trapezoidal rule would alternate permanently between 10.91 and 0 N m. The torque by Newmark's method with a
    prescribed angle would be thousands of N m, and the torque by generalised-alpha would oscillate for tens of steps.
    The tolerance is 1e-3 N m. The measured error is 1e-5 N m if rates are computed by differences in time, and
    otherwise 1e-6 N m.
    """
    for step in (2e-3, 2.2e-3, 1.1e-3):
        solver = Dynamic(
            create_wheel(kind), step=step, end=0.7, method=method, spectral_radius=spectral_radius, name=""
        )
        states = [(s.t, -s.lam[2], s.a[2], s.v[2] - speed(s.t)) for s in solver.march()]
        t, torque, acceleration, gap = np.array(states).T
        for begin, end, exact in ((0.0, BEGIN, 0.0), (BEGIN, BEGIN + RAMP, SPEED / RAMP), (BEGIN + RAMP, 1.0, 0.0)):
            inside = (t > begin + 1e-9) & (t < end - 1e-9)
            later = np.flatnonzero(inside)[2:]
            assert_allclose(torque[later], INERTIA * exact, atol=1e-3, rtol=0)
            assert_allclose(acceleration[later], exact, atol=4e-3, rtol=0)
            assert_allclose(gap[later], 0.0, atol=2e-6, rtol=0)
        assert solver.consistency.projections <= 9


class Release(StepHook):
    """Hook that activates a constraint after a given step."""

    def __init__(self, world: World, brake: Entity, at: int) -> None:
        self.world, self.brake, self.at = world, brake, at

    def before_step(self, state: State) -> None:
        if state.step == self.at:
            self.world.set(self.brake, active=True)


@pytest.mark.parametrize("method", ["trapezoidal_index2", "generalized_alpha_index2"])
def test_constraint_that_is_switched_on(method: str) -> None:
    """A brake stops a rotating wheel from one step to the next. The torque of the brake is equal to the load."""
    world = World()
    wheel = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=INERTIA, velocity=(0.0, 0.0, 3.0))
    fix(world, wheel, "x", "y")
    brake = prescribe_velocity(world, wheel, "rotation", 0.0)
    world.set(brake, active=False)
    solver = Dynamic(world, step=1e-3, end=0.03, method=method, name="")
    torque = [s.lam[2] for s in solver.march(hooks=[Release(world, brake, 10)])]
    assert_allclose(torque[13:], 0.0, atol=1e-6, err_msg="without projection +-1500 N m forever")
    assert solver.consistency.projections > 0


def test_kinks_and_restart(tmp_path: Path) -> None:
    """A run that continues from a checkpoint between a kink and the second projection is bit-identical to an
    uninterrupted run.
    """

    def run(end: float, restart: str | None) -> State:
        hooks = [Checkpoint(tmp_path / "wheel.h5", every=26, restart=restart)]
        return Dynamic(create_wheel("position"), step=2e-3, end=end, method="newmark", name="").solve(hooks=hooks)

    whole = run(0.1, None)
    (tmp_path / "wheel.h5").unlink()

    class Stop(StepHook):
        def after_step(self, state: State) -> None:
            if state.step == 28:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver = Dynamic(create_wheel("position"), step=2e-3, end=0.1, method="newmark", name="")
        solver.solve(hooks=[Checkpoint(tmp_path / "wheel.h5", every=26), Stop()])
    again = run(0.1, "auto")
    for name in ("q", "v", "a", "lam", "carried"):
        assert np.array_equal(getattr(again, name), getattr(whole, name)), name


# pendulums


def solve_pendulum(count: int, end: float, start: float = 1.2) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Solve the motion of a pendulum of uniform rods of 1 m and 1 kg on hinges in minimal coordinates. Return angles,
    rates, accelerations and reactions.

    Angles θ are measured from the downward vertical. Rod i hangs on rod i - 1, and rod 0 hangs on the ground. Let c_ij
    be the lever arm of rod j for the position of the centre of rod i. Then the mass matrix is Σ_i m c_ik c_il cos(θ_k -
    θ_l) + I δ_kl. The reaction at hinge k acts on the lower rod, and is the sum Σ m (a_i + g) over the rods below the
    hinge. Reactions have the shape (count, 2).
    """
    levers = np.tril(np.ones((count, count)), -1) + 0.5 * np.eye(count)
    weights = levers.T @ levers
    g = 9.81

    def eval_accelerations(theta: FloatArray, omega: FloatArray) -> FloatArray:
        difference = theta[:, None] - theta[None, :]
        mass = weights * np.cos(difference) + np.eye(count) / 12.0
        right = -(weights * np.sin(difference)) @ omega**2 - g * levers.sum(axis=0) * np.sin(theta)
        return np.asarray(np.linalg.solve(mass, right))

    def rate(t: float, y: FloatArray) -> FloatArray:
        return np.concatenate((y[count:], eval_accelerations(y[:count], y[count:])))

    first = np.concatenate((start * np.ones(count), np.zeros(count)))
    y = solve_ivp(rate, (0.0, end), first, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    theta, omega = y[:count], y[count:]
    alpha = eval_accelerations(theta, omega)
    x = levers @ (np.cos(theta) * alpha - np.sin(theta) * omega**2)
    y2 = levers @ (np.sin(theta) * alpha + np.cos(theta) * omega**2)
    forces = np.stack((x, y2 + g), axis=1)
    return theta, omega, alpha, np.asarray(np.cumsum(forces[::-1], axis=0)[::-1])


def create_pendulum(count: int, spatial: bool, start: float = 1.2) -> tuple[World, list[Entity], list[Entity]]:
    """Create the pendulum of `solve_pendulum` from bodies and joints, in 2D, or in 3D on spherical joints."""
    world = World(gravity=(0.0, -9.81, 0.0))
    end, bodies, joints = position_marker(world, world.add(Ground)), [], []
    direction = np.array((np.sin(start), -np.cos(start)))
    for k in range(count):
        place = (k + 0.5) * direction
        if spatial:
            turned = (np.cos(start / 2), 0.0, 0.0, np.sin(start / 2))
            body = world.add(
                RigidBody3D, position=(*place, 0.0), euler_parameters=turned, mass=1.0, inertia=(1 / 12, 0.01, 1 / 12)
            )
            top, bottom = (position_marker(world, body, (0.0, y, 0.0)) for y in (0.5, -0.5))
            joints.append(world.add(SphericalJoint, marker0=end, marker1=top))
        else:
            body = world.add(RigidBody2D, position=place, angle=start, mass=1.0, inertia=1 / 12)
            top, bottom = (rigid_marker(world, body, (0.0, y)) for y in (0.5, -0.5))
            if k == 0:
                end = rigid_marker(world, world.add(Ground))
            joints.append(world.add(RevoluteJoint2D, marker0=end, marker1=top))
        end = bottom
        bodies.append(body)
    return world, bodies, joints


@pytest.mark.parametrize(("count", "spatial"), [(2, False), (5, False), (2, True)])
@pytest.mark.parametrize(("method", "spectral_radius"), [METHODS[0], METHODS[3], METHODS[4]])
def test_reactions_of_pendulums(method: str, spectral_radius: float, count: int, spatial: bool) -> None:
    """Positions, velocities, accelerations and reactions of double and five-fold pendulums converge with order 2.

    The reference solution uses minimal coordinates, the method DOP853 with the tolerance 1e-12, and Newton's law for
    the rods below each hinge.
    """
    time = 0.6
    theta, omega, alpha, reaction = solve_pendulum(count, time)
    tangent = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    normal = np.stack((-np.sin(theta), np.cos(theta)), axis=1)
    places = np.stack((np.sin(theta), -np.cos(theta)), axis=1)

    def sum_up(values: FloatArray) -> FloatArray:
        return np.asarray(np.cumsum(values, axis=0) - 0.5 * values)

    exact = [
        sum_up(places),
        sum_up(omega[:, None] * tangent),
        sum_up(alpha[:, None] * tangent + (omega**2)[:, None] * normal),
        reaction,
    ]
    errors = []
    for steps in (300, 600):
        world, bodies, joints = create_pendulum(count, spatial)
        settings: dict[str, Any] = {"method": method, "spectral_radius": spectral_radius, "rtol": 1e-11, "name": ""}
        state = Dynamic(world, step=time / steps, end=time, **settings).solve()
        found = [
            np.array([eval_output(body, name, state)[:2] for body in bodies])
            for name in ("position", "velocity", "acceleration")
        ]
        found.append(np.array([-eval_output(joint, "force", state)[:2] for joint in joints]))
        errors.append([np.abs(f - e).max() for f, e in zip(found, exact, strict=True)])
    orders = np.log2(np.array(errors[0]) / errors[1])
    assert_allclose(orders, 2.0, atol=0.25, err_msg=f"errors {errors}")


def test_newmark_is_refused_with_nonlinear_constraints() -> None:
    """The method "newmark" with nonlinear constraints raises an error that names the constraints.

    Without this error, positions would be correct, but reactions would be wrong by factors of 33 to 2900.
    """
    world, *_ = create_pendulum(2, False)
    with pytest.raises(ModelError, match=r"'newmark' in Dynamic with nonlinear constraints \(RevoluteJoint2D.*must be"):
        Dynamic(world, step=1e-3, end=1.0, method="newmark").solve()
    world, *_ = create_pendulum(1, True)
    with pytest.raises(ModelError, match="nonlinear constraints"):
        Dynamic(world, step=1e-3, end=1.0, method="newmark").solve()


# starts


def create_driven_point(value: Callable[[float], float]) -> World:
    world = World()
    point = world.add(MassPoint, name="slider", position=(0.0, 0.0), mass=1.0)
    fix(world, point, "y")
    prescribe(world, point, "x", value)
    return world


@pytest.mark.parametrize("method", ["trapezoidal_index2", "generalized_alpha", "generalized_alpha_index2"])
def test_start_that_misses_a_constraint(method: str) -> None:
    """A coordinate at a distance of 1 m from its prescribed value, and a joint with a gap of 100 m, cause errors."""
    with pytest.raises(ModelError, match=r"start of dynamics at t = 0 s: .*\(slider, x prescribed: 1\) \[m, rad, 1\]"):
        Dynamic(create_driven_point(lambda t: np.cos(10.0 * t)), step=1e-3, end=1.0, method=method).solve()
    world = World()
    pin = rigid_marker(world, world.add(Ground))
    body = world.add(RigidBody2D, position=(100.0, 0.0), mass=1.0, inertia=1.0)
    world.add(RevoluteJoint2D, name="pin", marker0=pin, marker1=rigid_marker(world, body))
    with pytest.raises(ModelError, match=r"\(pin, equation 0: 100\)"):
        Dynamic(world, step=1e-3, end=1.0, method=method).solve()


@pytest.mark.parametrize("method", ["trapezoidal_index2", "generalized_alpha", "generalized_alpha_index2"])
def test_small_gaps_are_closed(method: str) -> None:
    """A gap due to rounded input is closed, and initial velocities agree with the prescribed motion, so the subsequent
    motion is exact.
    """
    world = create_driven_point(lambda t: 1e-4 + np.sin(10.0 * t))
    states = [(s.t, s.q[0], s.v[0]) for s in Dynamic(world, step=1e-3, end=0.3, method=method, name="").march()]
    t, x, v = np.array(states).T
    assert_allclose(x, 1e-4 + np.sin(10.0 * t), atol=2e-5)
    assert_allclose(v, 10.0 * np.cos(10.0 * t), atol=5e-4)
    world, bodies, joints = create_pendulum(2, True)
    start = State(world)
    start.put(bodies[1], start.of(bodies[1]) + 1e-4 * np.array([1.0, 2.0, 0, 0, 0, 0, 0]))
    first = next(Dynamic(world, step=1e-5, end=1.0, method=method, name="").march(start))
    assert max(np.abs(eval_output(joint, "gap", first)).max() for joint in joints) < 1e-12


@pytest.mark.parametrize("solver", [Dynamic, Explicit])
def test_repeated_constraints_are_named(solver: Any) -> None:
    world = World()
    point = world.add(MassPoint, name="slider", position=(0.0, 0.0), mass=1.0)
    other = world.add(MassPoint, name="other", position=(1.0, 0.0), mass=1.0)
    fix(world, point, "x", "y")
    fix(world, other, "y")
    world.add(CoordinateConstraint, name="again", marker1=coordinate_marker(world, point, "x"))
    with pytest.raises(ModelError, match=r"contradict or repeat each other: \(slider, x fixed\), \(again\)$"):
        solver(world, step=1e-3, end=1.0).solve()
