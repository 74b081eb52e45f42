"""Tests of springs along a line: forces, tangents, ropes that become slack, user functions, and errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass.connectors import SpringDamper, position_marker
from windlass.elements import Ground, MassPoint, Point3D, RigidBody2D
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.evaluate import eval_output
from windlass.framework.state.state import State
from windlass.framework.state.tangent_check import check_fields

from support.differences import set_random_fields

# central differences with forces of order 10 have an error of about h^2 + 10 eps/h
TOLERANCE = 2e-8


def rim_to_ground(**columns: Any) -> tuple[World, Entity]:
    """Create a rotated body whose rim is tied to the ground and to a point in 3D, about 1.2 m and 1.6 m away."""
    world = World()
    body = world.add(RigidBody2D, position=(1.0, 0.3), angle=0.4, mass=1.0, inertia=0.1)
    point = world.add(Point3D, position=(0.2, 1.5, 0.9))
    rim, ground = position_marker(world, body, (0.3, -0.2)), position_marker(world, world.add(Ground), (0.1, 0.2))
    given = {"rest_length": 1.0, "stiffness": 7.0, "damping": 0.3, **columns}
    return world, world.add(SpringDamper, marker0=[ground, rim], marker1=[rim, position_marker(world, point)], **given)


def cubic(t: float, row: int, s: float, rate: float, k: float, d: float, length: float) -> float:
    return k * (s + s**3 / length**2) + d * rate * (1.0 + s) + 0.1 * t


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"preload": -3.0},
        {"tension_only": True, "damping": 0.01},
        {"tension_only": True, "damping": 50.0},  # the damping force is limited by the elastic tension, or is 0
        {"tension_only": True, "rest_length": 9.0},
        {"force_function": cubic},
    ],
    ids=["linear", "preload", "rope", "rope with much damping", "slack", "user"],
)
def test_tangent(columns: dict[str, Any]) -> None:
    world, _ = rim_to_ground(**columns)
    for seed in range(3):
        assembly = Assembly(world)
        assembly.fields.t = 0.5
        set_random_fields(assembly, seed, displacement=0.1)
        tolerance = 1e-7 if "force_function" in columns else TOLERANCE
        check_fields(assembly, tolerance, limit=tolerance)


def hang(**columns: Any) -> tuple[World, Entity, Entity]:
    """Create a mass of 2 kg at 1 m below a point of the ground, on a rope of 1 m."""
    world = World(gravity=(0.0, -9.81))
    mass = world.add(MassPoint, position=(0.0, -1.0), mass=2.0)
    given = {"rest_length": 1.0, "stiffness": 400.0, **columns}
    top = position_marker(world, world.add(Ground))
    return world, world.add(SpringDamper, marker0=top, marker1=position_marker(world, mass), **given), mass


def test_static_stretch_with_preload() -> None:
    world, rope, _ = hang(preload=5.0)
    state = wl.Static(world).solve()
    assert_allclose(eval_output(rope, "tension", state), 2.0 * 9.81, rtol=1e-13)
    assert_allclose(eval_output(rope, "stretch", state), (2.0 * 9.81 - 5.0) / 400.0, rtol=1e-12)
    assert_allclose(eval_output(rope, "force", state), (0.0, -2.0 * 9.81, 0.0), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("rate", "tension"), [(0.0, 4.0), (0.2, 6.0), (1.0, 8.0), (-0.2, 2.0), (-1.0, 0.0)], ids=str)
def test_damping_of_a_rope_is_limited_by_its_tension(rate: float, tension: float) -> None:
    world, rope, mass = hang(damping=10.0, tension_only=True)
    state = State(world)
    state.put(mass, [(0.0, -0.01)])
    state.put(mass, [(0.0, -rate)], "v")
    assert_allclose(eval_output(rope, "tension", state), tension, rtol=1e-12, atol=1e-15)
    state.put(mass, [(0.0, 0.01)])
    assert eval_output(rope, "tension", state) == 0.0


def test_a_falling_mass_is_caught_by_its_rope() -> None:
    """The mass falls freely by h, and then stretches the rope by s with m g (h + s) = k s²/2. The largest sample can be
    smaller than the maximum by a h²/8, where a is the acceleration at the maximum and h the step.
    """
    h = 0.5
    weight, k = 2.0 * 9.81, 400.0
    deepest = (weight + math.sqrt(weight**2 + 2.0 * k * weight * h)) / k
    for step in (2e-3, 1e-3):
        world, rope, mass = hang(tension_only=True, stiffness=k)
        state = State(world)
        state.put(mass, [(0.0, h)])
        sensor = wl.Sensors(None, [wl.Sensor(rope, "stretch", name="stretch")])
        wl.Dynamic(world, step=step, end=0.6, method="newmark").solve(state, hooks=[sensor])
        # the rope becomes taut within a step, which causes another error of order step²
        assert abs(sensor["stretch"].max() - deepest) < 0.25 * (k / 2.0 * deepest - 9.81) * step**2


@pytest.mark.parametrize("rope", [False, True])
def test_energy_is_the_work_of_the_force(rope: bool) -> None:
    world, spring, mass = hang(preload=-3.0, tension_only=rope)
    lengths = np.linspace(0.9, 1.2, 3001)
    energy, tensions = [], []
    state = State(world)
    for length in lengths:
        state.put(mass, [(0.0, 1.0 - length)])
        state.assembly.load_fields(state)
        energy.append(state.assembly.energy())
        tensions.append(float(eval_output(spring, "tension", state)))
    # the energies of the laws do not contain the energy of gravity
    work = np.concatenate(([0.0], np.cumsum((np.array(tensions)[1:] + tensions[:-1]) / 2 * np.diff(lengths))))
    assert_allclose(np.array(energy) - energy[0], work, atol=2e-6)


@pytest.mark.parametrize("rope", [False, True])
def test_the_ledger_closes(rope: bool) -> None:
    """The energy that a damped spring or rope dissipates equals the loss of energy of the falling mass, with an error
    of order 2 in the step.
    """
    world, _, mass = hang(damping=8.0, preload=1.0, tension_only=rope)
    state = State(world)
    state.put(mass, [(0.05, 0.02)])
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=2e-4, end=0.5, method="newmark").solve(state, hooks=[ledger])
    assert ledger["dissipation"][-1] > 0.1
    assert abs(ledger.rest) < 2e-4 * ledger["dissipation"][-1]


def test_points_that_meet() -> None:
    world, _, mass = hang()
    state = State(world)
    state.put(mass, [(0.0, 1.0)])
    with pytest.raises(wl.ModelError, match=r"SpringDamper.*its two points meet"):
        wl.Static(world).solve(state)


def test_tension_only_and_a_function() -> None:
    world, _, _ = hang(tension_only=True, force_function=cubic)
    with pytest.raises(wl.ModelError, match=r"tension_only = True in SpringDamper row 0 .* must be False"):
        wl.Static(world).solve()
