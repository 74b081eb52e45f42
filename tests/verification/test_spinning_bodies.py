"""Tests of spinning bodies: tops agree with closed forms and with solutions in Euler angles, steady rotation is exact,
and numerical damping does not brake steady rotation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

from windlass.connectors import SphericalJoint, Torque, hinge, position_marker, rigid_marker
from windlass.elements import Ground, RigidBody3D, euler_parameters, rotation_matrix
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic

GRAVITY = 9.81
TILT, PRECESSION = 0.5, 2.0
ARM, TOP_MASS = 0.3, 1.5


def create_top() -> tuple[World, Entity]:
    """Create a heavy symmetric top that precesses steadily about the vertical axis z. The caller must fix the node of
    the top.

    The precession follows from m g l = Ω (I3 ω3 - I1 Ω cos θ), with I1 about the fixed point and the total spin ω3
    about the axis of symmetry.
    Source: H. Goldstein, Classical Mechanics, chapter 5.
    """
    I3, transverse = 0.02, 0.05
    I1 = transverse + TOP_MASS * ARM**2
    spin = (TOP_MASS * GRAVITY * ARM + I1 * PRECESSION**2 * np.cos(TILT)) / (I3 * PRECESSION)
    axis = np.array((np.sin(TILT), 0.0, np.cos(TILT)))
    omega = np.array((0.0, 0.0, PRECESSION))
    omega += (spin - omega @ axis) * axis
    world = World(gravity=(0.0, 0.0, -GRAVITY))
    top = world.add(
        RigidBody3D,
        position=(0.0, 0.0, 0.0),
        euler_parameters=euler_parameters((0.0, 1.0, 0.0), TILT),
        angular_velocity=omega,
        mass=TOP_MASS,
        inertia=(transverse, transverse, I3),
        center_of_mass=(0.0, 0.0, ARM),
    )
    return world, top


@pytest.mark.parametrize(
    ("method", "rotations", "bound"),
    [
        ("generalized_alpha", "parameters", 3e-4),
        ("trapezoidal_index2", "parameters", 3e-4),
        ("generalized_alpha", "steady", 8e-4),
        ("generalized_alpha_index2", "steady", 8e-4),
        ("trapezoidal_index2", "steady", 8e-4),
    ],
)
def test_heavy_top(method: str, rotations: str, bound: float) -> None:
    """In steady precession, the axis remains on its cone and rotates by Ω t, with an error of order 2 in the step size.

    The top spins with 126 rad/s, so (ω h)² = 4e-3 for the smallest step. With Euler parameters as coordinates, the
    error relative to the path of the axis is (ω h)²/16, because the frequencies (ω ± Ω)/2 of the parameters are too low
    by this fraction. If the rotation of each step is exact, the error is 0.3 (ω h)². The error of the spin is (ω h)²/48
    with Euler parameters, and 0 with exact rotations.
    """
    errors = []
    for step in (1e-3, 5e-4):
        world, top = create_top()
        hinge(world, top)
        worst = 0.0
        for state in Dynamic(world, step=step, end=0.6, method=method, rotations=rotations).march():
            if state.step % 20 == 0:
                axis, angle = eval_output(top, "rotation", state)[:, 2], PRECESSION * state.t
                expected = np.array((np.sin(TILT) * np.cos(angle), np.sin(TILT) * np.sin(angle), np.cos(TILT)))
                worst = max(worst, float(np.abs(axis - expected).max()))
        errors.append(worst)
    assert errors[-1] < bound
    assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.1)


def test_top_held_by_a_joint() -> None:
    """A top on a spherical joint has the same motion as a top with fixed coordinates, and the force of the joint agrees
    with theory.
    """
    ends = []
    for joint_holds in (False, True):
        world, top = create_top()
        if joint_holds:
            ground = position_marker(world, world.add(Ground))
            joint = world.add(SphericalJoint, marker0=ground, marker1=position_marker(world, top))
        else:
            joint = hinge(world, top)
        ends.append(Dynamic(world, step=1e-3, end=0.3).solve())
    assert_allclose(ends[1].q, ends[0].q, atol=1e-10)
    # the force of the joint equals the mass times the acceleration of the centre of mass, minus the weight
    acceleration = eval_output(top, "acceleration", ends[1], local=(0.0, 0.0, ARM))
    expected = TOP_MASS * (acceleration + (0.0, 0.0, GRAVITY))
    assert_allclose(-eval_output(joint, "force", ends[1]), expected, atol=1e-6)
    assert_allclose(eval_output(joint, "torque", ends[1]), 0.0, atol=1e-12)


@pytest.mark.parametrize(("rotations", "bound", "order"), [("parameters", 2e-4, 2.0), ("steady", 1e-7, None)])
def test_spin_about_a_principal_axis(rotations: str, bound: float, order: float | None) -> None:
    """In steady rotation about a principal axis, the angle is ω t, even after many turns and when e0 is 0.

    With Euler parameters as coordinates, the error has order 2. With coordinates relative to a steady rotation, the
    error is due to the tolerance of Newton's method.
    """
    world = World()
    body = world.add(
        RigidBody3D, position=(0.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 10.0), mass=1.0, inertia=(1.0, 2.0, 3.0)
    )
    errors = []
    for step in (2e-3, 1e-3):
        state = Dynamic(world, step=step, end=2.0, rotations=rotations).solve()
        expected = rotation_matrix(euler_parameters((0.0, 0.0, 1.0), 20.0))
        errors.append(float(np.abs(eval_output(body, "rotation", state) - expected).max()))
        assert_allclose(eval_output(body, "angular_velocity", state)[:2], 0.0, atol=1e-9)
    assert errors[1] < bound
    if order is not None:
        assert_allclose(np.log2(errors[0] / errors[1]), order, atol=0.1)


@pytest.mark.parametrize("rotations", ["parameters", "steady"])
def test_spin_up_by_a_torque(rotations: str) -> None:
    """A constant torque M about a principal axis causes ω = M t/J, with a relative error of (ω h)²/48.

    The norm of Euler parameters drifts, but the drift changes neither rotation nor angular velocity.
    """
    J, M, end = 0.5, 10.0, 3.4
    omega, errors = M * end / J, []
    for step in (5e-3, 2.5e-3):
        world = World()
        body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=(J, 0.3, 0.3))
        world.add(Torque, marker=rigid_marker(world, body), vector=(M, 0.0, 0.0), body_fixed=True)
        solver = Dynamic(world, step=step, end=end, method="trapezoidal_index2", rotations=rotations)
        state = solver.solve()
        errors.append(1.0 - float(eval_output(body, "angular_velocity", state)[0]) / omega)
        assert_allclose(errors[-1], (omega * step) ** 2 / 48.0, rtol=0.05)
        at = state.local_dofs(body)[0, 3:]
        length = float(np.linalg.norm(state.q[at] + state.assembly.layout.reference[at]))
        assert abs(length - 1.0) < 1e-12 or (rotations == "parameters" and 1e-4 < 1.0 - length < 1e-2)
    assert_allclose(np.log2(errors[0] / errors[1]), 2.0, atol=0.05)


@pytest.mark.parametrize(
    ("method", "omega", "turns", "bound"),
    [
        ("generalized_alpha", (0.0, 0.0, 10.0), 200, 2e-5),
        ("generalized_alpha_index2", (0.0, 0.0, 10.0), 100, 1e-5),
        ("trapezoidal_index2", (1.0, 3.0, 10.0), 100, 1e-4),
        ("generalized_alpha", (1.0, 3.0, 10.0), 100, 5e-4),
    ],
)
def test_spinning_body_is_not_braked(method: str, omega: Any, turns: int, bound: float) -> None:
    """A free body that rotates by 0.2 rad per step conserves its kinetic energy with the default spectral radius of
    0.9.

    About a principal axis no mode oscillates and no energy is dissipated. The measured loss is 3e-7 in 1000 turns, due
    to the tolerance of Newton's method. The tolerance for 200 turns is 2e-5, a fifth of the tolerance 1e-4 for 1000
    turns. A body that rotates about a different axis tumbles, and numerical damping affects this motion like any
    oscillation.
    """
    world = World()
    body = world.add(RigidBody3D, position=(0.0, 0.0, 0.0), angular_velocity=omega, mass=1.0, inertia=(1.0, 1.5, 3.0))
    start = float(eval_output(body, "kinetic_energy", State(world)))
    step = 0.2 / float(np.linalg.norm(omega))
    end = 2.0 * np.pi * turns / float(np.linalg.norm(omega))
    state = Dynamic(world, step=step, end=end, method=method, name="").solve()
    assert abs(float(eval_output(body, "kinetic_energy", state)) / start - 1.0) < bound


def solve_nutating_top(end: float) -> tuple[Any, Any]:
    """Return axis and reaction of a heavy top that is released with spin about its axis only, from a solution in Euler
    angles φ, θ, ψ.

    The Lagrangian is L = I1/2 (θ_t² + φ_t² sin² θ) + I3/2 (ψ_t + φ_t cos θ)² - m g l cos θ, with I1 about the fixed
    point; p_φ and p_ψ are conserved. Source: H. Goldstein, Classical Mechanics, chapter 5. The reaction is m (a + g) of
    the centre of mass.
    """
    I1, I3, weight = NUTATING[0] + TOP_MASS * ARM**2, NUTATING[1], TOP_MASS * GRAVITY * ARM
    along = I3 * NUTATING[2]
    precession = along * np.cos(TILT)

    def eval_rates(theta: float) -> tuple[float, float]:
        phi_t = (precession - along * np.cos(theta)) / (I1 * np.sin(theta) ** 2)
        theta_tt = (I1 * phi_t**2 * np.cos(theta) - along * phi_t + weight) * np.sin(theta) / I1
        return phi_t, theta_tt

    def rate(t: float, y: Any) -> Any:
        phi_t, theta_tt = eval_rates(y[1])
        return [phi_t, y[2], theta_tt]

    phi, theta, theta_t = solve_ivp(rate, (0.0, end), [0.0, TILT, 0.0], method="DOP853", rtol=1e-12, atol=1e-13).y[
        :, -1
    ]
    phi_t, theta_tt = eval_rates(theta)
    sin, cos = np.sin(theta), np.cos(theta)
    # d/dt of p_φ = I1 φ_t sin² θ + p_ψ cos θ
    phi_tt = (along * sin * theta_t - 2.0 * I1 * phi_t * sin * cos * theta_t) / (I1 * sin**2)
    out, around = np.array((np.cos(phi), np.sin(phi), 0.0)), np.array((-np.sin(phi), np.cos(phi), 0.0))
    up = np.array((0.0, 0.0, 1.0))
    axis = sin * out + cos * up
    acceleration = (theta_tt * cos - (theta_t**2 + phi_t**2) * sin) * out
    acceleration += (2.0 * theta_t * phi_t * cos + phi_tt * sin) * around - (theta_tt * sin + theta_t**2 * cos) * up
    return axis, TOP_MASS * (ARM * acceleration + GRAVITY * up)


NUTATING = (0.05, 0.08, 60.0)
"""Moments of inertia across and along the axis [kg m²], and spin [rad/s]."""


@pytest.mark.parametrize("method", ["generalized_alpha", "generalized_alpha_index2", "trapezoidal_index2"])
def test_nutating_top(method: str) -> None:
    """A released top falls, precesses and nutates. The axis of the top and the reaction of its joint converge to the
    solution in Euler angles with order 2.
    """
    end = 0.4
    axis, reaction = solve_nutating_top(end)
    errors = []
    for steps in (200, 400):
        world = World(gravity=(0.0, 0.0, -GRAVITY))
        turned, spin = euler_parameters((0.0, 1.0, 0.0), TILT), NUTATING[2]
        top = world.add(
            RigidBody3D,
            position=(0.0, 0.0, 0.0),
            euler_parameters=turned,
            angular_velocity=spin * np.array((np.sin(TILT), 0.0, np.cos(TILT))),
            mass=TOP_MASS,
            inertia=(NUTATING[0], NUTATING[0], NUTATING[1]),
            center_of_mass=(0.0, 0.0, ARM),
        )
        ground = position_marker(world, world.add(Ground))
        joint = world.add(SphericalJoint, marker0=ground, marker1=position_marker(world, top))
        state = Dynamic(world, step=end / steps, end=end, method=method, rtol=1e-11, name="").solve()
        found = eval_output(top, "rotation", state)[:, 2], -eval_output(joint, "force", state)
        errors.append([np.abs(f - e).max() for f, e in zip(found, (axis, reaction), strict=True)])
    assert errors[1][0] < 2e-3 and errors[1][1] < 0.1, f"errors {errors}"
    assert_allclose(np.log2(np.array(errors[0]) / errors[1]), 2.0, atol=0.2, err_msg=f"errors {errors}")
