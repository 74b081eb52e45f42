"""Resonance of a load that a winch lowers through the surface into deep water, at several lengths of the rope.

The load has the mass M including its added mass. The rope has the length l, the mass ρ per length, the axial stiffness
EA and the axial damping d. The ratio of the complex amplitudes of the load and of a small heave of the tip is

    H(ω) = 1/(cos(k l) - M ω²/(E k) sin(k l)),    E = EA + i ω d,    k = ω sqrt(ρ/E).

Without damping, the frequency of resonance is the lowest solution of cot(k l) = M k/ρ.

Source: K. F. Graff, Wave Motion in Elastic Solids (1975), section 2; DNV-RP-N103 (2017), section 5.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint

WATER, G = 1025.0, 9.81
MASS, DIAMETER = 12e3, 2.0  # [kg], [m]
TIP, FIRST = 12.0, 8.0  # height [m] of the tip above the water, initial length [m] of the rope; the load starts in air
EA, DAMPING = 1.2e7, 4e5  # [N], [N s]
MOVED = MASS + 0.5 * WATER * np.pi / 6.0 * DIAMETER**3  # mass [kg] of the load, including its added mass
HEAVE = 3e-3  # [m]
STEPS, PERIODS = 80, 40  # steps per period of resonance, and number of periods


def find_frequency(length: float, rho: float) -> float:
    """Return the angular frequency of resonance [rad/s] of the closed form without damping."""
    k = brentq(lambda k: np.cos(k * length) / np.sin(k * length) - MOVED * k / rho, 1e-9, np.pi / length - 1e-9)
    return float(k * np.sqrt(EA / rho))


def eval_ratio(omega: Any, length: float, rho: float) -> Any:
    """Return the closed form of |H| at the angular frequencies ω [rad/s]."""
    stiffness = EA + 1j * omega * DAMPING
    k = omega * np.sqrt(rho / stiffness)
    return np.abs(1.0 / (np.cos(k * length) - MOVED * omega**2 / (stiffness * k) * np.sin(k * length)))


class Response(NamedTuple):
    """Angular frequencies [rad/s] and |H| of the motion; |σ| [rad/s] of the axial mode, which is the angular frequency
    without damping; and the number of cables.
    """

    omega: Any
    ratio: Any
    mode: float
    cables: int


def respond(length: float, rho: float) -> Response:
    """Lower a load to a length of the rope [m], move the tip by a small step, and evaluate the motion of the load."""
    world = wl.World(gravity=(0.0, -G, 0.0))
    rope = con.WinchReserve(
        world, (0.0, TIP), (0.0, TIP - FIRST), wanted=30.0, longest=400.0, strain=MASS * G / EA, mass_per_length=rho,
        axial_stiffness=EA, bending_stiffness=10.0, axial_damping=DAMPING,
    )  # fmt: skip
    load = world.add(MassPoint, position=(0.0, TIP - FIRST), mass=MASS)
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
    sea = world.add(con.Fluid, density=WATER, transition=0.2)
    world.add(con.WinchFluidLoad, cable=rope.cables, fluid=sea, diameter=0.05, points=16)
    world.add(con.SphereFluidLoad, marker=load, fluid=sea, diameter=DIAMETER)
    period, start = 2.0 * np.pi / find_frequency(length, rho), float(rope.feed.reference)
    stop = (length - start) / 3.0
    begin = stop + 2 * PERIODS * period
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, stop, 0.0, length - start))
    con.fix(world, rope.nodes[0], "x")
    con.prescribe(world, rope.nodes[0], "y", con.smooth_step(begin, begin + 0.3 * period, 0.0, HEAVE))
    rows: list[tuple[float, float, float]] = []

    def note(state: wl.State) -> None:
        rows.append((state.t, float(state.of(rope.nodes[0], "v")[0, 1]), float(state.of(load, "v")[0, 1])))

    state = wl.Static(world, name="", time=0.0).solve()
    state = wl.Dynamic(world, step=period / STEPS, end=begin, name="").solve(state, hooks=[rope])
    assert abs(float(state.of(load)[0, 1]) + length - FIRST) < 0.05 * length
    state = wl.Dynamic(world, step=period / STEPS, end=begin + PERIODS * period, name="").solve(
        state, hooks=[rope, note]
    )
    t, tip, end = np.array(rows).T
    assert abs(end[-STEPS:]).max() < 0.01 * abs(end).max()
    omega = 2.0 * np.pi / period * np.linspace(0.6, 1.4, 1601)
    wave = np.exp(-1j * np.outer(omega, t))
    modes = wl.Modes(world, count=12, name="").solve(state)
    moved = np.abs(modes.amplitudes([wl.Sensor(load, "displacement", name="load", component=1)])["load"])
    mode = float(abs(modes.eigenvalues[int(np.argmax(moved))]))
    return Response(omega, np.abs(wave @ end / (wave @ tip)), mode, len(rope.outside))


@pytest.mark.parametrize(("length", "rho"), [(50.0, 3.0), (150.0, 3.0), (300.0, 3.0), (150.0, 40.0), (300.0, 40.0)])
def test_resonance_of_a_lowered_load(length: float, rho: float) -> None:
    """The frequency of the largest response to heave and the frequency of the axial mode agree with the closed form,
    also for ropes that are as heavy as the load. The whole response agrees with the closed form with damping.
    """
    found = respond(length, rho)
    exact = find_frequency(length, rho)
    closed = eval_ratio(found.omega, length, rho)
    assert found.cables > 1
    # damping reduces the frequency of the largest response by up to 0.45 %
    assert_allclose(found.omega[np.argmax(found.ratio)], exact, rtol=6e-3)
    assert_allclose(found.omega[np.argmax(found.ratio)], found.omega[np.argmax(closed)], rtol=1.1e-3)
    assert_allclose(found.mode, exact, rtol=5e-4)
    assert_allclose(found.ratio, closed, rtol=0.02)
