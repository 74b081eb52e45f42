"""Tests of explicit integration: orders of convergence, energies, constraints, contact, and comparison with the
implicit solver.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from petsc4py import PETSc

from windlass.connectors import (
    CoordinateSpringDamper,
    DistanceConstraint,
    clamp,
    coordinate_marker,
    fix,
    position_marker,
    prescribe,
    prescribe_velocity,
)
from windlass.elements import Ground, MassPoint, nodes_of, straight_cable
from windlass.framework.arrays import FloatArray
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit

from support.small_models import G, bouncing_mass, cable, free_body, oscillator, pendulum

TIGHT: dict[str, Any] = {"method": "rk", "rtol": 1e-12, "atol": 1e-13}


def orders(errors: list[float]) -> FloatArray:
    """Return the orders of convergence. The step is halved from each run to the next."""
    values: FloatArray = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    return values


@pytest.mark.parametrize("damping", [0.0, 8.0])
def test_verlet_is_of_order_two_with_and_without_damping(damping: float) -> None:
    world, exact = oscillator(damping)
    errors = []
    for step in (0.01, 0.005, 0.0025, 0.00125):
        solver = Explicit(world, step=step, end=0.7, name="")
        state = solver.solve()
        errors.append(abs(state.q[0] - exact(0.7)))
        assert state.q[1] == pytest.approx(0.7, rel=1e-13)
        assert solver.statistics.evaluations == solver.statistics.steps + 1
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.1)


@pytest.mark.parametrize("damping", [0.0, 8.0])
def test_runge_kutta_reaches_rounding(damping: float) -> None:
    """Positions at all multiples of the step agree with the exact motion to 1e-11 m. The error control chooses the
    steps between these times.
    """
    world, exact = oscillator(damping)
    solver = Explicit(world, step=0.1, end=1.0, name="", **TIGHT)
    states = [(s.t, s.q[0], s.a[0], s.v[0]) for s in solver.march()]
    for t, x, a, v in states:
        assert abs(x - exact(t)) < 1e-11
        # the accelerations are computed at the end of the step
        assert a == pytest.approx(-(200.0 * x + damping * v) / 2.0, abs=1e-12)
    assert {round(0.1 * k, 12) for k in range(1, 11)} <= {round(s[0], 12) for s in states}


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("midpoint", 2), ("rk3", 3), ("rk4", 4), ("rk6", 6)])
def test_fixed_steps_have_their_order(method: str, order: int) -> None:
    world, exact = oscillator(8.0)
    errors = []
    for steps in (80, 160, 320):
        solver = Explicit(world, step=0.7 / steps, end=0.7, method=method, name="")
        errors.append(abs(solver.solve().q[0] - exact(0.7)))
        assert solver.statistics.steps == steps
    np.testing.assert_allclose(orders(errors), order, atol=0.3)


def test_verlet_keeps_the_energy_of_a_nonlinear_oscillator() -> None:
    """For f = 50 u + 30 u³ on 1 kg and 10 000 steps, the energy error of Verlet's method is of order 2 and does not
    grow.
    """

    def errors(step: float, steps: int) -> FloatArray:
        world = World()
        point = world.add(MassPoint, position=(0.0, 0.0), mass=1.0, displacement=(1.0, 0.0))
        cubic = {"force_function": lambda t, item, u, ut, k, d, offset: 50.0 * u + 30.0 * u**3}
        world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, point, "x"), **cubic)
        energies = [
            0.5 * s.v[0] ** 2 + 25.0 * s.q[0] ** 2 + 7.5 * s.q[0] ** 4
            for s in Explicit(world, step=step, end=step * steps, name="").march()
        ]
        return np.abs(np.array(energies) - 32.5)

    long = errors(0.02, 10_000)
    assert long.max() < 1.01 * long[:1000].max()
    assert errors(0.01, 2000).max() == pytest.approx(long[:1000].max() / 4.0, rel=0.1)


@pytest.mark.parametrize(("adaptive", "tolerance"), [(True, 1e-10), (False, 1e-8)])
def test_runge_kutta_on_a_bounce(adaptive: bool, tolerance: float) -> None:
    """Three bounces agree with the exact motion if steps end at the instants of contact.

    If steps do not end at these instants, the error control must detect the kinks of the force, at which its error
    estimate is less accurate.
    """
    world, exact = bouncing_mass()
    solver = Explicit(world, step=0.02, end=1.0, adaptive=adaptive, discontinuous_atol=1e-3, name="", **TIGHT)
    error = max(abs(s.q[1] - exact(s.t)) for s in solver.march())
    assert error < tolerance
    assert bool(solver.failed_attempts) == adaptive


def test_verlet_on_a_bounce() -> None:
    """Verlet's method has order 2 on a bounce if steps end at the instants of contact. After a step that ends at an
    instant of contact, later steps end at multiples of the step size again.
    """
    errors = []
    for step in (1e-3, 5e-4, 2.5e-4):
        world, exact = bouncing_mass()
        solver = Explicit(world, step=step, end=1.0, discontinuous_atol=1e-4, smallest_step=1e-9, name="")
        states = [(s.t, abs(s.q[1] - exact(s.t)), s.data[0] - s.q[1]) for s in solver.march()]
        errors.append(max(s[1] for s in states))
        assert max(abs(s[2]) for s in states) == 0.0, "stored gap is that of the end of the step"
        assert solver.failed_attempts and "contact switches" in solver.failed_attempts[0][2]
        assert sum(s[0] == pytest.approx(round(s[0] / step) * step, abs=1e-14) for s in states) == round(1.0 / step)
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.3)
    # if steps do not end at contact instants, the contact lasts one step more or less
    rough = Explicit(bouncing_mass()[0], step=1e-3, end=0.5, adaptive=False, name="")
    assert abs(rough.solve().q[1] - exact(0.5)) < 5e-3
    assert not rough.failed_attempts


def test_verlet_holds_constraints_and_energy() -> None:
    """A pendulum satisfies its constraint to rounding over 10 000 steps, and its energy error is O(h²) without drift.
    Without projection the constraint drifts.
    """

    def run(step: float, steps: int, project: bool = True) -> tuple[FloatArray, FloatArray]:
        world, _ = pendulum()
        rows = []
        for s in Explicit(world, step=step, end=step * steps, project=project, name="").march():
            x = s.q + np.array([1.0, 0.0])
            rows.append((s.v @ s.v + 2.0 * G * x[1], np.hypot(*x) - 1.0, x @ s.v))
        energy, length, rate = np.array(rows).T
        return np.abs(energy), np.maximum(np.abs(length), np.abs(rate))

    energy, violation = run(0.01, 10_000)
    assert violation.max() < 1e-12
    assert energy.max() < 1.01 * energy[:1000].max() < 0.01
    assert run(0.005, 1000)[0].max() == pytest.approx(energy[:1000].max() / 4.0, rel=0.05)
    assert run(0.01, 1000, project=False)[1].max() > 1e-3


def test_constrained_methods_agree() -> None:
    """For a chain of 12 rods, which is too large for dense blocks, Verlet's method converges to Runge-Kutta with order
    2, and `Dynamic` agrees.
    """

    def build() -> World:
        world = World(gravity=(0.0, -G, 0.0))
        points = world.add(MassPoint, position=np.array([(0.1 * k, 0.0) for k in range(1, 13)]), mass=np.full(12, 0.1))
        markers = [position_marker(world, world.add(Ground))]
        markers += [position_marker(world, points[k]) for k in range(12)]
        for a, b in pairwise(markers):
            world.add(DistanceConstraint, marker0=a, marker1=b, distance=0.1)
        return world

    best = Explicit(build(), step=0.02, end=0.3, name="", **TIGHT)
    exact = best.solve()
    assert best.accelerations.kind == "petsc"
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        state = Explicit(build(), step=step, end=0.3, name="").solve()
        errors.append(float(np.abs(state.q - exact.q).max()))
    np.testing.assert_allclose(orders(errors), 2.0, atol=0.2)
    np.testing.assert_allclose(state.lam, exact.lam, rtol=2e-3)
    implicit = Dynamic(build(), step=1e-3, end=0.3, method="trapezoidal_index2", name="").solve()
    np.testing.assert_allclose(implicit.q, exact.q, atol=2e-3)


def test_free_rigid_body() -> None:
    """A free body, whose mass matrix depends on the rotation, conserves energy, angular momentum and the norm of the
    Euler parameters.
    """
    quantities = ("kinetic_energy", "angular_momentum")

    def run(**method: Any) -> tuple[State, FloatArray, Explicit]:
        world, body = free_body()
        solver = Explicit(world, end=2.0, name="", **method)
        start = State(world)
        end = solver.solve()
        e = end.of(body)[0][3:] + np.array([1.0, 0.0, 0.0, 0.0])
        assert abs(e @ e - 1.0) < 1e-12
        change = [np.abs(eval_output(body, name, end) - eval_output(body, name, start)).max() for name in quantities]
        return end, np.array(change), solver

    exact, change, solver = run(step=0.1, **TIGHT)
    assert solver.accelerations.kind == "blocks"
    assert change.max() < 1e-11
    errors = []
    for step in (0.01, 0.005, 0.0025):
        state, change, _ = run(step=step)
        errors.append([float(np.abs(state.q - exact.q).max()), *change])
    np.testing.assert_allclose([orders(list(e)) for e in np.transpose(errors)], 2.0, atol=0.15)


def test_cable_as_with_the_implicit_solver() -> None:
    """The mass matrix of a cable is factorised once. Explicit and implicit solver converge to the motion of Runge-Kutta
    with order 2.
    """
    exact = Explicit(cable(), step=1e-2, end=0.05, method="rk", rtol=1e-9, atol=1e-11, name="").solve()
    errors: dict[str, list[float]] = {"explicit": [], "implicit": []}
    for step in (2e-4, 1e-4, 5e-5):
        solver = Explicit(cable(), step=step, end=0.05, name="")
        errors["explicit"].append(float(np.abs(solver.solve().q - exact.q).max()))
        assert solver.accelerations.kind == "petsc"
        assert solver.accelerations.factorisations == 1
        implicit = Dynamic(cable(), step=2.0 * step, end=0.05, method="newmark", name="").solve()
        errors["implicit"].append(float(np.abs(implicit.q - exact.q).max()))
    for some in errors.values():
        assert some[-1] < 1e-5
        np.testing.assert_allclose(orders(some), 2.0, atol=0.3)


def test_clamped_cable_and_driven_points() -> None:
    """If the Jacobian of the constraints is constant, the matrix of the accelerations is factorised only once. The
    motion agrees with prescribed positions and velocities.
    """
    world = World(gravity=(0.0, -G, 0.0))
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 8, mass_per_length=1.0, axial_stiffness=500.0, bending_stiffness=0.05
    )
    clamp(world, nodes_of(world, cables)[0])
    points = world.add(MassPoint, position=np.zeros((2, 2)), mass=np.ones(2))
    prescribe(world, points[0], "x", lambda t: 0.1 * np.sin(5.0 * t))
    prescribe_velocity(world, points[1], "x", lambda t: 2.0 * t)
    fix(world, points, "y")
    solver = Explicit(world, step=5e-4, end=0.1, name="")
    state = solver.solve()
    (x0, y0), (x1, y1) = state.of(points)
    assert x0 == pytest.approx(0.1 * np.sin(0.5), abs=1e-13)
    assert x1 == pytest.approx(0.01, abs=1e-12)
    assert state.of(points, "v")[:, 0] == pytest.approx([0.5 * np.cos(0.5), 0.2], abs=1e-8)
    assert abs(y0) + abs(y1) < 1e-15
    assert solver.accelerations.factorisations == 1


def test_solvers_of_the_masses_agree() -> None:
    """Division by the masses, dense blocks, and a PETSc solver that the user selects give the same motion."""
    models: list[tuple[str, Callable[[], World]]] = [
        ("diagonal", lambda: oscillator(1.0)[0]),
        ("blocks", lambda: free_body()[0]),
        ("blocks", lambda: pendulum()[0]),
    ]
    for kind, build in models:
        own = Explicit(build(), step=0.01, end=0.1, name="")
        assert own.accelerations.kind == kind
        PETSc.Options().setValue("explicit_pc_factor_mat_solver_type", "klu")
        try:
            chosen = Explicit(build(), step=0.01, end=0.1, name="")
            np.testing.assert_allclose(chosen.solve().q, own.solve().q, atol=1e-14)
        finally:
            PETSc.Options().delValue("explicit_pc_factor_mat_solver_type")
        assert chosen.accelerations.kind == "petsc"
