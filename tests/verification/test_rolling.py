"""Tests of discs that roll on a plane without slip: tangents, accelerations, steady precession, and straight rolling.

Steady precession (Neimark, Fufaev 1972): a disc whose axis is at the angle θ to the vertical, and which rotates about
the vertical with the angular velocity Ω, has the spin ω_3 along its axis, with

    m g r cos θ + (m r² + I_a) Ω ω_3 sin θ - I_t Ω² sin θ cos θ = 0

and its centre runs around a circle of radius |r ω_3/Ω|.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import RollingDiscPenalty, RollingJoint, rigid_marker
from windlass.elements import Ground, RigidBody3D, euler_parameters, rotation_matrix
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.system import evaluate
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

M, R, G = 1.2, 0.25, 9.81
AXIAL, TRANSVERSE = 0.5 * M * R**2, 0.25 * M * R**2


def two_bodies(**columns: object) -> Assembly:
    """Create a disc on one body and a plane on another body, at markers off the centres of mass, in a random state."""
    world = wl.World()
    first = world.add(RigidBody3D, position=(0.1, 0.2, 0.3), mass=1.0, inertia=(1.0, 1.0, 1.0))
    turned = euler_parameters((0.3, 1.0, -0.5), 0.4)
    second = world.add(
        RigidBody3D, position=(1.0, 0.0, 0.8), euler_parameters=turned, mass=1.0, inertia=(1.0, 1.0, 1.0)
    )
    ends = rigid_marker(world, first, (0.3, -0.1, 0.2)), rigid_marker(world, second, (-0.4, 0.2, 0.1))
    world.add(RollingJoint, marker0=ends[0], marker1=ends[1], radius=0.5, **columns)
    assembly = Assembly(world)
    set_random_fields(assembly, 2, displacement=0.1)
    return assembly


@pytest.mark.parametrize("axes", [(True, True, True), (False, True, True)])
def test_tangent_and_accelerations(axes: tuple[bool, bool, bool]) -> None:
    """The tangent agrees with differences, and the right-hand side of C_q a = rhs equals -dC/dt at constant v."""
    assembly = two_bodies(axes=axes, axis=(2.0, 0.5, 0.1), normal=(0.1, 0.0, 1.0))
    check_fields(assembly)
    fields = assembly.fields
    x, v = fields.x.copy(), fields.v.copy()
    fields.rate_level = True

    def equations(h: float) -> np.ndarray:
        fields.x[:] = x + h * v
        c = np.zeros_like(fields.lam)
        assembly.update_markers()
        assembly.add_constraints(c, np.zeros_like(fields.x))
        return c

    h = 1e-5
    change = (equations(h) - equations(-h)) / (2.0 * h)
    fields.x[:] = x
    assembly.update_markers()
    rhs = np.zeros_like(fields.lam)
    for constraint in assembly.constraints:
        constraint.acceleration(evaluate(fields, C=rhs))
    held = np.concatenate((np.ones(len(rhs) - 4, bool), axes, (False,)))[-4:-1]
    rolling = slice(len(rhs) - 4, len(rhs) - 1)
    assert_allclose(rhs[rolling][held], -change[rolling][held], atol=1e-7)


def roll(
    theta: float, rate: float, spin: float, step: float, end: float, method: str = "trapezoidal_index2"
) -> dict[str, np.ndarray]:
    """Simulate a disc that starts at (0, 0) and rolls along -y. Return centre, axis and forces at the end."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    beta = 0.5 * math.pi - theta
    e = euler_parameters((0.0, -1.0, 0.0), beta)
    A = rotation_matrix(e)
    omega = np.array((0.0, 0.0, rate)) + (spin - rate * math.cos(theta)) * A[:, 0]
    disc = world.add(
        RigidBody3D, position=(0.0, 0.0, R * math.sin(theta)), euler_parameters=e, mass=M,
        inertia=(AXIAL, TRANSVERSE, TRANSVERSE), velocity=(0.0, -R * spin, 0.0), angular_velocity=omega,
    )  # fmt: skip
    joint = world.add(
        RollingJoint, marker0=rigid_marker(world, world.add(Ground)), marker1=rigid_marker(world, disc), radius=R
    )
    names = {"gap": joint, "multipliers": joint, "contact_position": joint, "position": disc}
    sensors = wl.Sensors(None, [wl.Sensor(entity, name, name=name) for name, entity in names.items()])
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=step, end=end, method=method).solve(hooks=[sensors, ledger])
    found = {name: sensors[name] for name in names}
    return {**found, "t": step * np.arange(len(found["position"])), "rest": np.array(ledger.rest)}


def test_steady_precession() -> None:
    """In a steady precession that is stable, the centre moves by a fifth of a turn along its circle, with an error of
    order 2.
    """
    theta, rate = math.radians(70.0), 1.2
    sin, cos = math.sin(theta), math.cos(theta)
    spin = (TRANSVERSE * rate**2 * sin * cos - M * G * R * cos) / ((AXIAL + M * R**2) * rate * sin)
    radius = R * spin / rate
    errors = []
    for step in (8e-3, 4e-3):
        found = roll(theta, rate, spin, step, 1.0)
        angle = rate * found["t"]
        circle = np.stack((radius * (1.0 - np.cos(angle)), -radius * np.sin(angle), R * sin + 0.0 * angle), axis=1)
        errors.append(np.abs(found["position"] - circle).max())
        assert np.abs(found["gap"][:, :2]).max() < 1e-8
        # the forces on the disc balance the weight, and accelerate the disc towards the middle of the circle
        assert_allclose(found["multipliers"][20:, 2], -M * G, rtol=2e-3)
        assert_allclose(np.abs(found["multipliers"][20:, 0]), M * abs(radius) * rate**2, rtol=1e-2)
    assert errors[1] < 1e-3 * abs(radius) and 1.7 < math.log2(errors[0] / errors[1]) < 2.4


def test_a_tumbling_disc_does_not_slip_at_index_3() -> None:
    """A tumbling disc satisfies the constraints on velocities even with `generalized_alpha`, once its initial state has
    been projected.
    """
    found = roll(math.radians(50.0), 2.0, 3.0, 8e-3, 0.16, method="generalized_alpha")
    assert np.abs(found["position"][-1] - found["position"][0]).max() > 0.05
    assert np.abs(found["gap"][1:, :2]).max() < 1e-6 and np.abs(found["gap"][:, 2]).max() < 1e-10


def test_a_wheel_runs_straight() -> None:
    """A wheel that runs straight satisfies x = r φ without slip, with no force across or along the track."""
    found = roll(0.5 * math.pi, 0.0, -4.0, 5e-3, 0.2)
    # with Euler parameters, a wheel that rotates by 0.02 rad per step has a relative error of (0.02)²/48 in its
    # distance
    assert_allclose(found["position"][:, 1], 4.0 * R * found["t"], rtol=1e-5, atol=1e-9)
    assert_allclose(found["contact_position"][:, 2], 0.0, atol=1e-12)
    assert_allclose(found["multipliers"][:, :2], 0.0, atol=1e-6 * M * G)


def test_a_disc_slides_until_it_rolls() -> None:
    """A uniform disc that starts with the speed v0 and without spin slides for the time v0/(3 μ g), and then rolls with
    the speed 2 v0/3.
    """
    v0, mu, k, step = 1.5, 0.25, 1e5, 1e-3
    world = wl.World(gravity=(0.0, 0.0, -G))
    disc = world.add(
        RigidBody3D, position=(0.0, 0.0, R - M * G / k), mass=M, inertia=(AXIAL, TRANSVERSE, TRANSVERSE),
        velocity=(0.0, v0, 0.0),
    )  # fmt: skip
    wheel = world.add(
        RollingDiscPenalty, marker0=rigid_marker(world, world.add(Ground)), marker1=rigid_marker(world, disc), radius=R,
        contact_stiffness=k, friction=(mu, mu), proportional_zone=1e-3, linear_zone=True,
    )  # fmt: skip
    names = {"slip_along": wheel, "normal_force": wheel, "velocity": disc}
    sensors = wl.Sensors(None, [wl.Sensor(entity, name, name=name) for name, entity in names.items()])
    ledger = wl.EnergyLedger()
    end = v0 / (3.0 * mu * G)
    wl.Dynamic(world, step=step, end=1.5 * end, method="trapezoidal_index2").solve(hooks=[sensors, ledger])
    t = step * np.arange(len(sensors["velocity"]))
    assert_allclose(sensors["normal_force"], -M * G, rtol=1e-6)
    assert_allclose(sensors["velocity"][:, 1], np.maximum(v0 - mu * G * t, 2.0 / 3.0 * v0), atol=3e-3 * v0)
    assert np.abs(sensors["slip_along"][t > 1.05 * end]).max() < 1e-3 * v0
    assert_allclose(ledger["dissipation"][-1], 0.5 * M * v0**2 / 3.0, rtol=5e-3)
