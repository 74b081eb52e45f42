"""Tests of floating spheres, spars and boxes: draught, periods of heave and roll, decay by drag, stability, waves and
energy.

The references are closed forms of hydrostatics and of Morison's equation: J. N. Newman, Marine Hydrodynamics, MIT Press
(1977), chapters 2 and 6.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.signal import argrelmax, argrelmin

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, RigidBody3D
from windlass.framework.model.table import Entity

from support.floating import move_box, period_of
from support.processes import ROOT, run_python

RHO, G = 1025.0, 9.81
RADIUS, LENGTH, DRAFT = 1.5, 20.0, 15.0
AREA = np.pi * RADIUS**2
MASS = RHO * AREA * DRAFT


class Spar(NamedTuple):
    """A model of an upright spar: the world, the body, whose node is in the middle of the spar, and the load of the
    water.
    """

    world: wl.World
    body: Entity
    load: Entity


def create_spar(center: float = -3.0, heel: float = 0.0, drop: float = 0.0, **load: Any) -> Spar:
    """Create a spar whose initial position is near its equilibrium.

    Args:
        center: height of the centre of mass above the middle of the spar [m].
        heel: rotation about x [rad]; the axis of the spar crosses the surface at the draught.
        drop: additional depth of the initial position [m].
        **load: columns of the load of the water, and columns of the water.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    position = (0.0, 0.0, (0.5 * LENGTH - DRAFT) * np.cos(heel) - drop)
    body = world.add(
        RigidBody3D, position=position, euler_parameters=(np.cos(0.5 * heel), np.sin(0.5 * heel), 0.0, 0.0), mass=MASS,
        inertia=(4e6, 4e6, 2e5), center_of_mass=(0.0, 0.0, center),
    )  # fmt: skip
    water = {name: load.pop(name) for name in tuple(load) if name in con.Fluid.columns}
    sea = world.add(con.Fluid, density=RHO, **({"depth": 500.0} | water))
    given = {"diameter": 2.0 * RADIUS, "length": LENGTH, "strips": 40, "normal_drag": 0.0, "axial_drag": 0.0}
    return Spar(world, body, world.add(con.CylinderFluidLoad, marker=body, fluid=sea, **(given | load)))


def record(entity: Entity, name: str) -> wl.Sensors:
    """Return a hook that records an output variable."""
    return wl.Sensors(None, [wl.Sensor(entity, name, name="record")])


def test_drafts_by_archimedes() -> None:
    """A spar, a sphere and a box float with the draught at which the weight of the displaced water equals the weight of
    the body.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    sea = world.add(con.Fluid, density=RHO, surface=2.0)
    bodies = world.add(RigidBody3D, position=[(10.0 * k, 0.0, 2.0) for k in range(2)], mass=(3e3, 2e3), inertia=500.0)
    ball = world.add(MassPoint, position=(30.0, 0.0, 1.9), mass=300.0)
    loads = [
        world.add(con.CylinderFluidLoad, marker=bodies[0], fluid=sea, diameter=1.2, length=6.0),
        world.add(con.BoxFluidLoad, marker=bodies[1], fluid=sea, sides=(2.0, 1.5, 3.0)),
        world.add(con.SphereFluidLoad, marker=ball, fluid=sea, diameter=1.0),
    ]
    con.fix(world, bodies, "x", "y", "e1", "e2", "e3")
    con.fix(world, ball, "x", "y")
    state = wl.Static(world, name="").solve()
    heights = [wl.eval_output(body, "position", state)[2] - 2.0 for body in (bodies[0], bodies[1], ball)]
    below = [3e3 / (RHO * np.pi * 0.36), 2e3 / (RHO * 3.0)]
    assert_allclose(heights[:2], [3.0 - below[0], 1.5 - below[1]], rtol=1e-8)
    cap = brentq(lambda x: np.pi / 3.0 * (0.5 + x) ** 2 * (1.0 - x) - 300.0 / RHO, -0.5, 0.5, xtol=1e-14)
    assert_allclose(heights[2], -cap, atol=1e-8)
    weights = np.array([3e3, 2e3, 300.0]) * G
    assert_allclose([wl.eval_output(load, "buoyancy", state) for load in loads], weights, rtol=1e-8)
    assert_allclose(wl.eval_output(loads[2], "immersed_volume", state), 300.0 / RHO, rtol=1e-8)


def test_heave_and_pitch_periods_of_a_spar() -> None:
    """Frequencies by `Modes` and periods of simulated motions agree with hydrostatics, including the added mass of
    strips and of the lower end.
    """
    spar = create_spar(end_added_mass=(0.5, 0.0), end_drag=0.0)
    end = 0.5 * RHO * 2.0 / 3.0 * np.pi * RADIUS**3
    heave = np.sqrt(RHO * G * AREA / (MASS + end))
    # for surge and pitch about the middle of the spar, the added mass per length is ρ A from the bottom to the surface
    bottom, top = -0.5 * LENGTH, DRAFT - 0.5 * LENGTH
    a0, a1, a2 = (RHO * AREA * (top**k - bottom**k) / k for k in (1, 2, 3))
    M = np.array([[MASS + a0, -3.0 * MASS + a1], [-3.0 * MASS + a1, 4e6 + 9.0 * MASS + a2]])
    metacentre = 0.5 * (bottom + top) + 0.25 * RADIUS**2 / DRAFT
    pitch = np.sqrt(MASS * G * (metacentre + 3.0) * np.linalg.inv(M)[1, 1])
    found = 2.0 * np.pi * wl.Modes(spar.world, count=9, name="").solve().frequencies
    assert abs(found - heave).min() < 1e-5 * heave
    assert (abs(found - pitch) < 1e-3 * pitch).sum() == 2  # the sum over strips differs from the integral a2 by 1/900
    # the period of a heave motion with a small amplitude agrees with the frequency
    spar = create_spar(drop=0.1, end_added_mass=(0.5, 0.0), end_drag=0.0)
    height = record(spar.body, "position")
    wl.Dynamic(spar.world, step=0.02, end=40.0, name="").solve(hooks=[height])
    z = height["record"][:, 2] - (0.5 * LENGTH - DRAFT)
    assert_allclose(period_of(z, 0.02), 2.0 * np.pi / heave, rtol=1e-4)
    assert_allclose(z.max(), 0.1, rtol=1e-3)


def test_sphere_heaves_with_half_its_added_mass() -> None:
    """For a sphere that floats with half of its volume in the water, the heave stiffness is ρ g π R², and the added
    mass is half of the added mass of the immersed sphere.
    """
    world = wl.World(gravity=(0.0, 0.0, -G))
    volume = 4.0 / 3.0 * np.pi
    ball = world.add(MassPoint, position=(0.0, 0.0, 0.0), mass=0.5 * RHO * volume, velocity=(0.0, 0.0, 1e-3))
    sea = world.add(con.Fluid, density=RHO)
    world.add(con.SphereFluidLoad, marker=ball, fluid=sea, diameter=2.0, drag=0.0)
    con.fix(world, ball, "x", "y")
    exact = np.sqrt(RHO * G * np.pi / (0.5 * RHO * volume * 1.5))
    assert_allclose(2.0 * np.pi * wl.Modes(world, count=1, name="").solve().frequencies, [exact], rtol=1e-9)
    height = record(ball, "position")
    wl.Dynamic(world, step=0.01, end=10.0, name="").solve(hooks=[height])
    assert_allclose(period_of(height["record"][:, 2], 0.01), 2.0 * np.pi / exact, rtol=1e-4)


def test_decay_by_quadratic_drag() -> None:
    """Amplitudes A_0, A_1 of successive half cycles of a heaving spar with the drag c |v| v and the mass M satisfy
    (1 + λ A_0) exp(-λ A_0) = (1 - λ A_1) exp(λ A_1), λ = 2 c/M."""
    spar = create_spar(drop=-2.0, end_added_mass=(0.6, 0.0), end_drag=(8.0, 0.0))
    height, ledger = record(spar.body, "position"), wl.EnergyLedger()
    wl.Dynamic(spar.world, step=0.02, end=60.0, name="").solve(hooks=[height, ledger])
    z = height["record"][:, 2] - (0.5 * LENGTH - DRAFT)
    M = MASS + 0.6 * RHO * 2.0 / 3.0 * np.pi * RADIUS**3
    size = 2.0 * 0.5 * RHO * 8.0 * AREA / M
    extremes = np.abs(z[np.sort(np.concatenate(([0], argrelmax(z)[0], argrelmin(z)[0])))])
    assert len(extremes) > 12
    for before, after in pairwise(extremes[:12]):
        left = (1.0 + size * before) * np.exp(-size * before)
        exact = brentq(lambda x, left=left: (1.0 - size * x) * np.exp(size * x) - left, 0.0, before)
        assert abs(after - exact) < 2e-4 * before
    assert abs(ledger.rest) < 1e-6 * ledger.totals["CylinderFluidLoad.drag"]


@pytest.mark.parametrize("heel", [0.02, 0.3, 0.6])
def test_righting_moment_of_a_wall_sided_body(heel: float) -> None:
    """The righting moment of a heeled spar is ρ g V (GM + ½ BM tan² φ) sin φ while the waterline is on the side of the
    spar.
    """
    spar = create_spar(0.0, heel)
    state, radius = wl.State(spar.world), 0.25 * RADIUS**2 / DRAFT
    gm = -0.5 * (LENGTH - DRAFT) + radius
    exact = MASS * G * (gm + 0.5 * radius * np.tan(heel) ** 2) * np.sin(heel)
    torque = wl.eval_output(spar.load, "torque", state)
    assert_allclose(wl.eval_output(spar.load, "buoyancy", state), MASS * G, rtol=1e-9)
    assert_allclose(torque, [-exact, 0.0, 0.0], rtol=1e-8, atol=1e-5 * abs(exact))


@pytest.mark.parametrize(("center", "stable"), [(-2.6, True), (-2.3, False)])
def test_spar_capsizes_without_metacentric_height(center: float, stable: bool) -> None:
    """The heel of a spar with GM > 0 remains small, and a spar with GM < 0 capsizes. The metacentre is 2.4625 m below
    the middle.
    """
    assert (center < 0.25 * RADIUS**2 / DRAFT - 2.5) == stable
    spar = create_spar(center, 0.02, normal_drag=1.0)
    turned = record(spar.body, "rotation")
    wl.Dynamic(spar.world, step=0.1, end=150.0, name="").solve(hooks=[turned])
    upright = turned["record"][:, 2, 2]
    assert (upright.min() > np.cos(0.021)) if stable else (upright.min() < 0.5)


@pytest.mark.parametrize("depth", [40.0, 1000.0])
def test_forces_of_a_small_wave_on_a_spar(depth: float) -> None:
    """The forces of a wave with a small height agree with the integrals by Froude, Krylov and Morison along the
    spar.
    """
    wave = con.regular_wave(2e-4, 8.0, 0.4)
    spar = create_spar(0.0, strips=400, end_added_mass=0.0, transition=0.1, depth=depth, **wave)
    k, omega = con.wave_number(2.0 * np.pi / 8.0, depth, G), 2.0 * np.pi / 8.0
    state = wl.State(spar.world)
    for t in (0.0, 1.3):
        state.t = t
        force = wl.eval_output(spar.load, "force", state)
        # heave follows from the pressure at the bottom, and surge from pressure and added mass along the side
        pressure = np.cosh(k * (depth - DRAFT)) / np.cosh(k * depth)
        heave = RHO * G * AREA * 1e-4 * pressure * np.cos(omega * t)
        along = (np.sinh(k * depth) - np.sinh(k * (depth - DRAFT))) / (k * np.sinh(k * depth))
        surge = 2.0 * RHO * AREA * omega**2 * 1e-4 * along * -np.sin(omega * t)
        size = RHO * G * AREA * 1e-4
        assert_allclose(force[2] - MASS * G, heave, atol=2e-4 * size)
        assert_allclose(force[:2], surge * np.array((np.cos(0.4), np.sin(0.4))), atol=2e-4 * size)


def test_drag_of_wind_and_current() -> None:
    """Drag acts on the dry part of a spar in wind, and on the wet part in a current."""
    spar = create_spar(0.0, normal_drag=0.9, velocity=(0.6, -0.8, 0.0))
    air = spar.world.add(con.Fluid, density=1.2, fills="above", velocity=(12.0, 5.0, 0.0))
    wind = spar.world.add(
        con.CylinderFluidLoad, marker=spar.body, fluid=air, diameter=2.0 * RADIUS, length=LENGTH, normal_drag=0.7
    )
    state = wl.State(spar.world)
    current = 0.5 * RHO * 0.9 * 2.0 * RADIUS * DRAFT * np.array((0.6, -0.8, 0.0))
    assert_allclose(wl.eval_output(spar.load, "drag", state), current, rtol=1e-9, atol=1e-6)
    gust = 0.5 * 1.2 * 0.7 * 2.0 * RADIUS * (LENGTH - DRAFT) * 13.0 * np.array((12.0, 5.0, 0.0))
    assert_allclose(wl.eval_output(wind, "drag", state), gust, rtol=1e-9, atol=1e-6)
    assert_allclose(wl.eval_output(wind, "immersion", state), 1.0 - DRAFT / LENGTH, rtol=1e-12)


def test_terminal_velocity_of_a_rising_sphere() -> None:
    """A light sphere rises with the speed at which drag equals buoyancy minus weight."""
    world = wl.World(gravity=(0.0, -G, 0.0))
    ball = world.add(MassPoint, position=(0.0, -30.0), mass=2.0)
    sea = world.add(con.Fluid, density=RHO)
    world.add(con.SphereFluidLoad, marker=ball, fluid=sea, diameter=0.2, drag=0.45)
    state = wl.Dynamic(world, step=0.01, end=3.0, name="").solve()
    volume, area = np.pi / 6.0 * 0.2**3, np.pi * 0.1**2
    exact = np.sqrt((RHO * volume - 2.0) * G / (0.5 * RHO * 0.45 * area))
    assert_allclose(wl.eval_output(ball, "velocity", state)[:2], [0.0, exact], rtol=1e-6, atol=1e-9)


def test_energy_of_a_floating_body() -> None:
    """For a box that tumbles in waves, the entries of the energy ledger balance."""
    world = wl.World(gravity=(0.0, 0.0, -G))
    body = world.add(
        RigidBody3D, position=(0.0, 0.0, 0.3), mass=900.0, inertia=(200.0, 250.0, 300.0),
        center_of_mass=(0.05, 0.0, -0.3), angular_velocity=(0.5, 0.3, 0.1),
    )  # fmt: skip
    sea = world.add(con.Fluid, density=RHO, **con.jonswap(0.5, 4.0, seed=3, count=8))
    world.add(con.BoxFluidLoad, marker=body, fluid=sea, sides=(1.2, 1.0, 1.4))
    ledger = wl.EnergyLedger()
    wl.Dynamic(world, step=0.005, end=6.0, name="").solve(hooks=[ledger])
    assert ledger.totals["BoxFluidLoad.drag"] > 100.0
    assert abs(ledger.rest) < 1e-3 * ledger.totals["BoxFluidLoad.drag"]


@pytest.mark.long
def test_without_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that run as Python functions give the same motion as compiled kernels."""
    compiled = move_box()
    monkeypatch.setenv("WINDLASS_JIT", "0")
    done = run_python([ROOT / "tests/support/floating.py", tmp_path / "end.npz", "-quiet"], 1)
    assert done.returncode == 0, done.stderr
    assert_allclose(np.load(tmp_path / "end.npz")["q"], compiled, rtol=0, atol=1e-10)


@pytest.mark.mpi
def test_two_processes(tmp_path: Path) -> None:
    """The motion with an energy ledger on two processes, one of which has no body, equals the motion on one process."""
    done = run_python([ROOT / "tests/support/floating.py", tmp_path / "end.npz", "-quiet"], 2)
    assert done.returncode == 0, done.stderr
    assert_allclose(np.load(tmp_path / "end.npz")["q"], move_box(), rtol=0, atol=1e-10)
