"""Machines with ropes agree with closed forms: a rope that slips on a fixed sheave, a winch that reduces the reference
strain, and a hysteresis loop.

- Two masses on a rope over a fixed sheave move if friction on half a turn does not suffice, T1/T2 = exp(μ π) (Euler and
  Eytelwein): a = g (m1 - m2 exp(μ π))/(m1 + m2 exp(μ π)); if friction suffices, the masses stay at rest.
- A rope whose reference strain decreases with time, N = EA (ε - ε0(t)), lifts a mass by the loss of its length, minus
the
  stretch under weight, (m g + w L/2) L/EA.
- A rope with N = EA ε + F tanh(ε_t/r), whose end follows A (1 - cos(ω t)), dissipates ∮ N dL in each period: 4 F A,
  reduced by the smoothing of tanh.

Source: L. Euler, Mem. Acad. Sci. Berlin 18 (1769); the other formulas follow from statics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from windlass.connectors import (
    ContactFrictionCircleCable2D,
    RevoluteJoint2D,
    add_contact,
    fix,
    hinge,
    position_marker,
    prescribe,
)
from windlass.elements import Circle, Ground, MassPoint, cable_around, nodes_of, straight_cable
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static
from windlass.solvers.stepping.discontinuous import Passes

G, RADIUS, STRAND = 9.81, 0.1, 0.5


def let_go(heavy: float, light: float, mu: float) -> tuple[float, float]:
    """Return the mean acceleration [m/s^2] of the heavy mass from 0.1 to 0.25 s after its release, and the displacement
    [m] of this mass until 0.25 s.
    """
    world = World(gravity=(0.0, -G))
    rope = cable_around(
        world,
        circles=[Circle((0.0, 0.0), RADIUS, "right")],
        elements=64,
        closed=False,
        start=(-RADIUS, -STRAND),
        end=(RADIUS, -STRAND),
        mass_per_length=0.01,
        axial_stiffness=1e5,
        bending_stiffness=1e-4,
        axial_damping=100.0,
    )
    nodes = nodes_of(world, rope)
    masses = []
    for k, x, m in ((0, -RADIUS, light), (64, RADIUS, heavy)):
        mass = world.add(MassPoint, position=(x, -STRAND), mass=m)
        world.add(RevoluteJoint2D, marker0=position_marker(world, nodes[k]), marker1=position_marker(world, mass))
        masses.append(mass)
        fix(world, mass, "x")
    hold = fix(world, masses[1], "y")
    contacts = add_contact(
        world,
        ContactFrictionCircleCable2D,
        circles=world.add(Ground),
        cables=rope,
        segments=2,
        circle_radius=RADIUS,
        contact_stiffness_per_length=1e8,
        contact_damping_per_length=1e4,
        friction_velocity_penalty_per_length=1e5,
    )
    # segments on the sheave start closed
    state = State(world)
    gaps = state.data.reshape(len(rope), 3, 2)[:, 0]
    gaps[eval_output(contacts, "gap", state) < 1e-12] = -1e-9
    passes: dict[str, Any] = {"atol": 1e-6, "passes": Passes(atol=1e-2, max_it=30), "name": ""}
    state = Static(world, load_steps=3, stabiliser=10.0, **passes).solve(state)
    before = eval_output(masses[1], "position", state)[1]
    world.set(contacts, friction_coefficient=mu)
    world.set(hold, active=False)
    rows = []
    for now in Dynamic(world, step=1e-3, end=0.25, spectral_radius=0.5, **passes).march(state):
        rows.append((now.t, -eval_output(masses[1], "velocity", now)[1]))
    # the acceleration is the slope of a straight line through the speeds, because the rope vibrates after its release
    time, speed = np.array(rows)[100:].T
    return float(np.polyfit(time, speed, 1)[0]), float(before - eval_output(masses[1], "position", now)[1])


@pytest.mark.parametrize("mu", [0.1, 0.2])
def test_rope_slips_on_a_sheave(mu: float) -> None:
    """With 10 and 4 kg and exp(μ π) = 1.37 and 1.87, the acceleration agrees with Euler and Eytelwein.

    Measured errors are 0.2 and 0.6 %, and the tolerance is 1 %.

    Half a turn has 31 segments, so the contact angle is known within 3 %. The uncertainty of the contact angle can
    change the acceleration by 1.8 % at μ = 0.2.
    """
    heavy, light = 10.0, 4.0
    factor = np.exp(mu * np.pi)
    exact = G * (heavy - light * factor) / (heavy + light * factor)
    rate, _ = let_go(heavy, light, mu)
    assert_allclose(rate, exact, rtol=0.01)


def test_rope_holds_on_a_sheave() -> None:
    """With 6 and 4 kg, T1/T2 = 1.5 is below 1.87. The heavy mass sinks by the stretch of its strand, and creeps.

    The tension difference ΔT = 2 kg g stretches the strand and half of the arc by 0.13 mm. With the velocity penalty p
    per length, the arc creeps with the speed ΔT/(p π R), by 0.16 mm in 0.25 s. The tolerances are 0.1 mm, and 0.05 % of
    the acceleration of gravity.
    """
    rate, way = let_go(6.0, 4.0, 0.2)
    pull = 2.0 * G
    sinks = pull * (STRAND + np.pi * RADIUS / 2.0) / 1e5 + 0.25 * pull / (1e5 * np.pi * RADIUS)
    assert abs(way - sinks) < 1e-4
    assert abs(rate) < 5e-4 * G


def pay_in(t: float, x: Any, strain: Any, rate: Any, *others: Any) -> Any:
    """Return N = EA (ε - ε0(t)) + d ε_t: the reference length decreases smoothly by a fifth within 2 s."""
    rope = others[-1]
    share = np.clip(t / 2.0, 0.0, 1.0)
    free = -0.2 * share**2 * (3.0 - 2.0 * share)
    return rope.axial_stiffness * (strain - free) + rope.axial_damping * rate


def test_winch_by_strain() -> None:
    """A winch lifts 500 kg on 10 m of rope from rest by 2 m. Both rest positions agree with statics to 1e-9 m."""
    EA, m, rho = 2e6, 500.0, 1.0
    world = World(gravity=(0.0, -G))
    rope = straight_cable(
        world,
        (0, 0),
        (0, -10),
        5,
        axial_stiffness=EA,
        bending_stiffness=1.0,
        mass_per_length=rho,
        axial_damping=2e5,
        axial_force_function=pay_in,
    )
    nodes = nodes_of(world, rope)
    hinge(world, nodes[0])
    mass = world.add(MassPoint, position=(0.0, -10.0), mass=m)
    world.add(RevoluteJoint2D, marker0=position_marker(world, nodes[5]), marker1=position_marker(world, mass))
    state = Static(world, load_steps=4, stabiliser=10.0, atol=1e-5, name="").solve()
    stretch = (m * G + rho * 10.0 * G / 2.0) * 10.0 / EA
    assert_allclose(eval_output(mass, "position", state)[1], -10.0 - stretch, rtol=0, atol=1e-9)
    state = Dynamic(world, step=1e-2, end=5.0, name="", atol=1e-6).solve(state)
    assert_allclose(eval_output(mass, "position", state)[1], -8.0 - stretch, rtol=0, atol=1e-9)


def rub(t: float, x: Any, strain: Any, rate: Any, *others: Any) -> Any:
    """Return N = EA ε + F tanh(ε_t/r) with F = 100 N, r = 0.05 1/s."""
    return others[-1].axial_stiffness * strain + 100.0 * np.tanh(rate / 0.05)


def test_hysteresis_loop() -> None:
    """The work of the support in one period is 73.92 J within 1e-4. A loop without smoothing would dissipate 80 J."""
    A, omega, L = 0.2, 2.0 * np.pi, 10.0
    world = World()
    rope = straight_cable(
        world, (0, 0), (L, 0), 4, axial_stiffness=1e3, bending_stiffness=1.0, mass_per_length=1e-4,
        axial_force_function=rub,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    hinge(world, nodes[0])
    fix(world, nodes[4], "y")
    drive = prescribe(world, nodes[4], "x", lambda t: A * (1.0 - np.cos(omega * t)))
    rows = []
    state = State(world)
    for now in Dynamic(world, step=2.5e-3, end=2.0, name="", spectral_radius=0.6, atol=1e-7).march(state):
        if now.t > 1.0 - 1e-9:
            rows.append((now.q[state.local_dofs(nodes[4])[0, 0]], float(np.ravel(eval_output(drive, "force", now))[0])))
    u, force = np.array(rows).T
    work = -(np.diff(u) * (force[1:] + force[:-1]) / 2.0).sum()
    exact, _ = quad(
        lambda t: 100.0 * np.tanh(A / L * omega * np.cos(omega * t) / 0.05) * A * omega * np.cos(omega * t), 0, 1
    )
    assert_allclose(work, exact, rtol=1e-4)
    assert 0.9 * 4.0 * 100.0 * A < work < 4.0 * 100.0 * A
