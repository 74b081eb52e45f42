"""Tests of time integration: recorded motions of small models, and order 2 of all methods for a constrained cable."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from windlass.connectors import (
    CartesianSpringDamper,
    CoordinateLoad,
    CoordinateSpringDamper,
    Force,
    coordinate_marker,
    fix,
    position_marker,
    prescribe,
)
from windlass.elements import Ground, MassPoint, RigidBody2D, nodes_of, straight_cable
from windlass.framework.arrays import FloatArray
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic

REFERENCE = Path(__file__).parents[1] / "reference"


def create_mass_point() -> World:
    """Create a mass of 1 kg at (1, 1) m with the initial displacement 0.5 m and the initial velocity 0.5 m/s in x."""
    world = World()
    world.add(MassPoint, position=(1.0, 1.0), displacement=(0.5, 0.0), velocity=(0.5, 0.0), mass=1.0)
    return world


def create_rigid_body() -> World:
    """Create a body of 1 kg and 2 kg m² at (1, 1) m, rotated by pi/4, with the initial displacement 0.5 m in x and the
    initial velocities 0.5 m/s in x and 0.75 pi rad/s.
    """
    world = World()
    start = {"displacement": (0.5, 0.0, 0.0), "velocity": (0.5, 0.0, 0.75 * np.pi)}
    world.add(RigidBody2D, position=(1.0, 1.0), angle=np.pi / 4, mass=1.0, inertia=2.0, **start)
    return world


def create_coordinate_spring() -> World:
    """Create a mass of 5 kg at (2, 0) m under a force of 1 N in x on a spring with the user force 0.1 k u + k u³ + d
    u_t.
    """
    world = World()
    mass = world.add(MassPoint, position=(2.0, 0.0), mass=5.0)
    x = coordinate_marker(world, mass, "x")

    def law(t: float, row: int, u: float, ut: float, k: float, d: float, offset: float) -> float:
        return 0.1 * k * u + k * u**3 + d * ut

    world.add(CoordinateSpringDamper, marker1=x, stiffness=5000.0, damping=80.0, force_function=law)
    world.add(CoordinateLoad, marker=x, value=1.0)
    return world


def create_cartesian_spring() -> World:
    """Create a mass of 5 kg at (1, 1) m under a force of -5 N in y on springs of 5000 N/m along x and y, and a damper
    of 250 N s/m along y.
    """
    world = World()
    point = position_marker(world, world.add(MassPoint, position=(1.0, 1.0), mass=5.0))
    origin = position_marker(world, world.add(Ground), (1.0, 1.0))
    world.add(CartesianSpringDamper, marker0=origin, marker1=point, stiffness=5000.0, damping=(0.0, 250.0, 0.0))
    world.add(Force, marker=point, vector=(0.0, -5.0, 0.0))
    return world


@pytest.mark.parametrize(
    ("file", "create", "end"),
    [
        ("models/ObjectMassPoint", create_mass_point, (1.0, 0.0)),
        ("models/ObjectRigidBody2D", create_rigid_body, (1.0, 0.0, 0.75 * np.pi)),
        ("ObjectConnectorCoordinateSpringDamper", create_coordinate_spring, (0.0019995154213252597, 0.0)),
        ("ObjectConnectorCartesianSpringDamper", create_cartesian_spring, (0.0, -0.0009999999999750209)),
    ],
)
def test_recorded_traces(file: str, create: Callable[[], World], end: tuple[float, ...]) -> None:
    """The motion in 100 steps up to 1 s by generalised-alpha with spectral radius 0.9 agrees with the recorded motion
    after every step.

    Source: Exudyn 1.11.0, examples of the items (``<file>_trace0.npz``); ``end`` are the published displacements.
    The tolerances are 1e-12 for coordinates (measured error 7e-15), 1e-11 for velocities, which are differences over
    0.01 s (measured error 1.4e-13), and 1e-9 for accelerations (measured error 9e-12). Each step has one Newton
    iteration, as in the recorded run.
    """
    with np.load(REFERENCE / f"{file}_trace0.npz") as trace:
        recorded = {name: trace[name][1:] for name in ("q", "q_t", "q_tt", "newton")}
    solver = Dynamic(create(), step=1e-2, end=1.0, method="generalized_alpha", spectral_radius=0.9, lag=False)
    states = [state.copy() for state in solver.march()]
    n = len(end)
    assert_allclose([s.q for s in states], recorded["q"][:, :n], rtol=0, atol=1e-12)
    assert_allclose([s.v for s in states], recorded["q_t"][:, :n], rtol=0, atol=1e-11)
    assert_allclose([s.a for s in states], recorded["q_tt"][:, :n], rtol=0, atol=1e-9)
    assert_allclose(states[-1].q, end, rtol=0, atol=1e-12)
    assert solver.statistics.newton_iterations == recorded["newton"][-1]


def create_swinging_cable() -> World:
    """Create a soft cable that swings down from a horizontal start, while a constraint moves its upper end."""
    world = World(gravity=(0.0, -9.81, 0.0))
    cables = straight_cable(
        world,
        (0.0, 0.0),
        (1.0, 0.0),
        2,
        axial_stiffness=20.0,
        bending_stiffness=0.5,
        mass_per_length=1.0,
        axial_damping=1.0,
        bending_damping=0.05,
    )
    top = nodes_of(world, cables)[0]
    prescribe(world, top, "x", lambda t: 0.05 * (1.0 - cos(5.0 * t)), lambda t: 0.25 * sin(5.0 * t))
    fix(world, top, "y")
    return world


@pytest.mark.parametrize(
    ("method", "spectral_radius"),
    [
        ("newmark", 0.9),
        ("trapezoidal_index2", 0.9),
        ("generalized_alpha", 0.9),
        ("generalized_alpha", 0.6),
        ("generalized_alpha_index2", 0.9),
        ("generalized_alpha_index2", 0.6),
    ],
)
def test_order_two(method: str, spectral_radius: float) -> None:
    """Coordinates, velocities, accelerations and multipliers converge with order 2: with half of the step size, the
    error is a quarter.

    The model is a pendulum of two cable elements with a moving support, over 0.4 s with 50 to 400 steps. All modes are
    damped, so the steps resolve the motion. The test uses no exact solution: the order is log2 of the ratio of
    successive differences. The tolerance is 0.05. Measured orders are 1.99 to 2.00.
    """

    def solve(steps: int) -> list[FloatArray]:
        tight = {"rtol": 1e-12, "atol": 1e-9}
        solver = Dynamic(
            create_swinging_cable(), step=0.4 / steps, end=0.4, method=method, spectral_radius=spectral_radius, **tight
        )
        state = solver.solve()
        return [state.q, state.v, state.a, state.lam]

    runs = [solve(steps) for steps in (50, 100, 200, 400)]
    for name, values in zip(("q", "v", "a", "lam"), zip(*runs, strict=True), strict=True):
        changes = [np.linalg.norm(fine - coarse) for coarse, fine in pairwise(values)]
        orders = np.log2(np.array(changes[:-1]) / changes[1:])
        # with 50 steps the accelerations oscillate in the first modes, so the order is visible only from 100 steps on
        assert_allclose(orders[-1:] if name == "a" else orders, 2.0, rtol=0, atol=0.05, err_msg=name)


def test_numerical_damping() -> None:
    """If the step does not resolve an undamped oscillator, generalised-alpha damps the oscillation by its spectral
    radius, and the other methods do not damp the oscillation.

    Source: J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375. Per step, the amplitude ratio tends to the
    spectral radius for omega h to infinity. In this test omega h = 1000. Newmark with beta 1/4, gamma 1/2 conserves the
    energy of a linear oscillator. Rounding errors and tolerances cause errors of 1e-9 of the energy.
    """

    def energies(**method: Any) -> FloatArray:
        world = World()
        mass = world.add(MassPoint, position=(0.0, 0.0), displacement=(1.0, 0.0), mass=1.0)
        fix(world, mass, "y")
        world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, mass, "x"), stiffness=1e6)
        solver = Dynamic(world, step=1.0, end=60.0, rtol=1e-12, **method)
        return np.array([0.5 * s.v[0] ** 2 + 0.5e6 * s.q[0] ** 2 for s in solver.march()])

    kept = energies(method="newmark")
    assert_allclose(kept, 0.5e6, rtol=1e-9)
    for radius in (0.8, 0.5):
        # a double eigenvalue gives the amplitudes (n + const) radius^n; over 20 late steps the amplitudes are 1 to 2 %
        # above radius^n
        decay = energies(method="generalized_alpha", spectral_radius=radius)
        assert_allclose((decay[-1] / decay[-21]) ** (1 / 40), 1.01 * radius, rtol=0.015)


@pytest.mark.parametrize("radius", [1.0, 0.9, 0.6, 0.3, 0.0])
def test_amplification_matrix(radius: float) -> None:
    """A step of an oscillator agrees with the published amplification matrix of the method. The spectral radius and the
    period error of the matrix have the theoretical values.

    The state is (u, h v, h² A) with the algorithmic acceleration A. The acceleration is a = -ω² u. The test computes
    the matrix from steps with unit states, and compares it with the matrix of the equations of the method for ω h from
    0.05 to 10⁴. The spectral radius of the matrix is at most 1 and tends to ρ∞ for large ω h. The relative period error
    has order 2, and is (ω h)²/12 for ρ∞ = 1. Source: J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375.
    """
    alpha_m, alpha_f = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    gamma = 0.5 + alpha_f - alpha_m
    beta = 0.25 * (gamma + 0.5) ** 2
    periods = []
    for angle in (0.05, 0.1, 1.0, 10.0, 1e4):
        # q1 = q + hv + (1/2 - beta) A + beta A1, v1 = v + (1 - gamma) A + gamma A1 with h = 1,
        # (1 - alpha_m) A1 + alpha_m A = -angle² ((1 - alpha_f) q1 + alpha_f q)
        square = angle**2
        left = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - alpha_f) * square, 0, 1 - alpha_m]])
        right = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-alpha_f * square, 0, -alpha_m]])
        exact = np.linalg.solve(left, right)
        columns = []
        for unit in np.eye(3):
            world = World()
            mass = world.add(MassPoint, position=(0.0, 0.0), mass=1.0)
            fix(world, mass, "y")
            world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, mass, "x"), stiffness=square)
            start = State(world)
            start.q[0], start.v[0], start.carried[0] = unit
            start.a[0] = -square * unit[0]
            solver = Dynamic(world, step=1.0, end=1.0, spectral_radius=radius, rtol=1e-14, lag=False, name="")
            end = solver.solve(start, resume=True)
            columns.append([end.q[0], end.v[0], end.carried[0]])
        found = np.array(columns).T
        assert_allclose(found, exact, rtol=1e-7, atol=1e-8 * np.abs(exact).max())
        roots = np.linalg.eigvals(found)
        size = np.abs(roots)
        assert size.max() < 1.0 + 1e-6
        turns = np.abs(np.angle(roots))
        periods.append(angle / turns[np.argmin(np.abs(turns - angle))] - 1.0)
    # for large omega h the matrix has a double or triple eigenvalue, so rounding errors eps change this eigenvalue by
    # about eps^(1/3)
    assert_allclose(size.max(), radius, atol=5e-3)
    # the relative period error has order 2; for rho = 1 it is (omega h)²/12, as for the trapezoidal rule
    assert_allclose(periods[1] / periods[0], 4.0, rtol=0.02)
    if radius == 1.0:
        assert_allclose(periods[0], 0.05**2 / 12, rtol=1e-3)
