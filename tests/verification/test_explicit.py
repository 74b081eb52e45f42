"""Explicit integration: orders of convergence, energies, constraints, contact, errors, several processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from petsc4py import PETSc
from scipy.optimize import brentq

from support.processes import run_python, run_windlass
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
from windlass.connectors.contact_coordinate import ContactCoordinate
from windlass.elements import Ground, MassPoint, RigidBody3D, nodes_of, straight_cable
from windlass.framework.errors import ModelError, NotConverged
from windlass.framework.evaluate import eval_output
from windlass.framework.hooks import StepHook
from windlass.framework.law import FloatArray
from windlass.framework.state import State
from windlass.framework.table import Entity
from windlass.framework.world import World
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.explicit import Explicit, StepGrid

G = 9.81
TIGHT: dict[str, Any] = {"method": "rk", "rtol": 1e-12, "atol": 1e-13}


def orders(errors: list[float]) -> FloatArray:
    """Orders of convergence between runs with the step halved each time."""
    return np.log2(np.array(errors[:-1]) / errors[1:])


def oscillator(damping: float) -> tuple[World, Callable[[float], float]]:
    """2 kg on 200 N/m, 0.1 m from rest, 1 m/s free along y; and x(t), the textbook solution."""
    world = World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0, displacement=(0.1, 0.0), velocity=(0.0, 1.0))
    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, point, "x"), stiffness=200.0, damping=damping)
    omega, zeta = 10.0, damping / 40.0
    own = omega * np.sqrt(1.0 - zeta**2)

    def exact(t: float) -> float:
        return float(0.1 * np.exp(-zeta * omega * t) * (np.cos(own * t) + zeta * omega / own * np.sin(own * t)))

    return world, exact


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
    """Positions at all multiples of the step to 1e-11 m; the error control finds its own steps between them."""
    world, exact = oscillator(damping)
    solver = Explicit(world, step=0.1, end=1.0, name="", **TIGHT)
    states = [(s.t, s.q[0], s.a[0], s.v[0]) for s in solver.march()]
    for t, x, a, v in states:
        assert abs(x - exact(t)) < 1e-11
        # accelerations are those of the end of the step
        assert a == pytest.approx(-(200.0 * x + damping * v) / 2.0, abs=1e-12)
    assert {round(0.1 * k, 12) for k in range(1, 11)} <= {round(s[0], 12) for s in states}


def test_verlet_keeps_the_energy_of_a_nonlinear_oscillator() -> None:
    """Two points on a spring swing and turn for 20 000 steps: the energy error is of order 2 and does not grow."""

    def drift(step: float, steps: int) -> tuple[float, float]:
        world = World()
        point = world.add(MassPoint, position=(1.0, 0.0), mass=1.0, velocity=(0.0, 0.7))
        pull = {"stiffness": (50.0, 80.0), "names": ("x", "y")}
        for k, name in zip(pull["stiffness"], pull["names"], strict=True):
            world.add(
                CoordinateSpringDamper,
                marker1=coordinate_marker(world, point, name),
                stiffness=1.0,
                user_force=lambda t, u, ut, k=k: k * u + 30.0 * u**3,
            )
        energies = []
        for s in Explicit(world, step=step, end=step * steps, name="").march(State(world)):
            (x, y), (vx, vy) = s.q, s.v
            energies.append(0.5 * (vx**2 + vy**2) + 25.0 * x**2 + 40.0 * y**2 + 7.5 * (x**4 + y**4))
        error = np.abs(np.array(energies) - energies[0])
        return float(error[: steps // 10].max()), float(error.max())

    early, late = drift(0.02, 20_000)
    assert late < 1.2 * early
    assert drift(0.01, 2000)[1] == pytest.approx(drift(0.02, 1000)[1] / 4.0, rel=0.15)
