"""2D rigid bodies with an eccentric centre of mass are compared with closed forms, with another choice of node, and
with Exudyn.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk

import windlass as wl
import windlass.connectors as con
import windlass.elements as el

MASS, INERTIA, CENTER = 2.0, 0.3, np.array([0.3, 0.1])
DISTANCE = float(np.hypot(*CENTER))
GRAVITY = 9.81
ABOUT_NODE = INERTIA + MASS * DISTANCE**2


def create_pendulum(swing: float) -> tuple[wl.World, wl.Entity]:
    """Create a body whose node is fixed. The centre of mass starts at ``swing`` [rad] from its lowest point."""
    world = wl.World(gravity=(0.0, -GRAVITY))
    angle = swing - np.pi / 2 - np.arctan2(CENTER[1], CENTER[0])
    body = world.add(
        el.RigidBody2D, position=(0.0, 0.0), angle=angle, mass=MASS, inertia=INERTIA, center_of_mass=CENTER
    )
    con.fix(world, body, "x", "y")
    return world, body


@pytest.mark.parametrize(
    "method",
    [
        "generalized_alpha",
        pytest.param("trapezoidal_index2", marks=pytest.mark.long),
        pytest.param("generalized_alpha_index2", marks=pytest.mark.long),
    ],
)
def test_period_of_a_physical_pendulum(method: str) -> None:
    """After T = 4 sqrt(I/(m g d)) K(sin(θ/2)), a physical pendulum is back at its start, with order 2 in the step."""
    swing = 1.2
    period = 4.0 * np.sqrt(ABOUT_NODE / (MASS * GRAVITY * DISTANCE)) * ellipk(np.sin(swing / 2.0) ** 2)
    rates = []
    for steps in (100, 200):
        world, body = create_pendulum(swing)
        state = wl.Dynamic(world, step=period / steps, end=period, method=method, spectral_radius=1.0).solve()
        rates.append(abs(float(wl.eval_output(body, "angular_velocity", state))))
    assert rates[1] < 1.6e-2
    assert np.log2(rates[0] / rates[1]) > 1.9


def test_explicit_pendulum() -> None:
    """By the explicit method of order 8, the pendulum returns to its start. The mass matrix rotates with the body."""
    period = 4.0 * np.sqrt(ABOUT_NODE / (MASS * GRAVITY * DISTANCE)) * ellipk(np.sin(0.6) ** 2)
    world, body = create_pendulum(1.2)
    state = wl.Explicit(world, step=period / 30, end=period, method="rk").solve()
    assert abs(float(wl.eval_output(body, "angular_velocity", state))) < 1e-7
    assert_allclose(wl.eval_output(body, "center_of_mass", state)[0], DISTANCE * np.sin(1.2), atol=1e-8)


def test_frequency_and_rest_of_a_physical_pendulum() -> None:
    """In a static solve, the body turns until its centre of mass is below the node. The natural frequency about this
    state is sqrt(m g d/I).
    """
    world, body = create_pendulum(0.4)
    state = wl.Static(world, load_steps=1, stabiliser=1.0).solve()
    assert_allclose(wl.eval_output(body, "center_of_mass", state), (0.0, -DISTANCE, 0.0), atol=1e-9)
    frequency = abs(wl.Modes(world, count=1).solve(state).eigenvalues[0])
    assert_allclose(frequency, np.sqrt(MASS * GRAVITY * DISTANCE / ABOUT_NODE), rtol=1e-9)


def fly(eccentric: bool, steps: int = 100) -> tuple[wl.State, wl.Entity, wl.Entity]:
    """Simulate for 0.5 s a flying body that is tied to a spring, with its node at a corner or at the centre of mass."""
    world = wl.World(gravity=(1.0, -GRAVITY))
    omega = 2.0
    place, own, at = np.zeros(2), CENTER, np.zeros(2)
    velocity = np.array([0.2, -0.1])
    if not eccentric:
        place, own, at = CENTER, np.zeros(2), -CENTER
        velocity = velocity + omega * np.array([-CENTER[1], CENTER[0]])
    body = world.add(
        el.RigidBody2D, position=place, velocity=(*velocity, omega), mass=MASS, inertia=INERTIA, center_of_mass=own
    )
    corner = con.position_marker(world, body, at)
    anchor = con.position_marker(world, world.add(el.Ground))
    spring = world.add(con.CartesianSpringDamper, marker0=anchor, marker1=corner, stiffness=(50.0, 80.0, 0.0))
    state = wl.Dynamic(world, step=0.5 / steps, end=0.5, spectral_radius=0.8).solve()
    return state, body, spring


def test_choice_of_the_node_does_not_matter() -> None:
    """The same body with another choice of node has the same motion, up to errors of order 2 in the step."""
    differences = []
    for steps in (50, 100):
        ends = [fly(eccentric, steps) for eccentric in (True, False)]
        centers = [wl.eval_output(body, "center_of_mass", state) for state, body, _ in ends]
        momenta = [wl.eval_output(body, "momentum", state) for state, body, _ in ends]
        energies = [wl.eval_output(body, "kinetic_energy", state) for state, body, _ in ends]
        differences.append(float(np.abs(centers[0] - centers[1]).max()))
        assert_allclose(momenta[0], momenta[1], atol=8e-3)
        assert_allclose(energies[0], energies[1], rtol=8e-4)
    assert differences[1] < 8e-5
    assert np.log2(differences[0] / differences[1]) > 1.8


def test_tangent_and_ledger() -> None:
    """Inertia and gravity have exact tangents. The work of gravity becomes kinetic energy."""
    world = wl.World(gravity=(1.0, -GRAVITY))
    body = world.add(
        el.RigidBody2D, position=(0.1, 0.2), angle=0.3, velocity=(0.2, -0.1, 2.0), mass=MASS, inertia=INERTIA,
        center_of_mass=CENTER,
    )  # fmt: skip
    con.fix(world, body, "x")
    ledger = wl.EnergyLedger()
    state = wl.Dynamic(world, step=1e-3, end=0.2, spectral_radius=1.0, velocities="project").solve(hooks=[ledger])
    wl.testing.check_tangent(world)
    kinetic = wl.eval_output(body, "kinetic_energy", state)
    assert_allclose(ledger.starts["kinetic"] + ledger.totals["kinetic"], kinetic, rtol=1e-12)
    assert abs(ledger.rest) < 1e-5 * kinetic
