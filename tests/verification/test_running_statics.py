"""Statics of ropes that run while their nodes rest: `Static(velocities="given")`.

A string of the tension N and the mass m per length that runs with the speed v sags by m g L²/(8 (N - m v²)). Source: C.
D. Mote, J. Franklin Inst. 279 (1965) 430-444.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, nodes_of

from support.carriages import create_span

TENSION, GRAVITY = 1e3, 9.81


@pytest.mark.parametrize("ratio", [pytest.param(0.3, marks=pytest.mark.long), 0.8])
def test_sag_of_a_running_string(ratio: float) -> None:
    """The sag agrees with the closed form to 1e-5, and the shape does not change in a motion that starts from this
    state.

    An equilibrium that is computed without the speed is not a steady state of the running string.
    """
    speed, length = ratio * np.sqrt(TENSION / 0.01), 10.0
    world, cables = create_span(
        "moving", 16, length, axial_stiffness=1e6, bending_stiffness=1e-6, mass_per_length=0.01,
        reference_strain=-TENSION / 1e6,
    )  # fmt: skip
    motion = world.entity(int(cables[0].ale))
    held = con.fix(world, motion, "s")
    start = wl.State(world)
    start.put(motion, speed, "v")
    state, rest = wl.Static(world, velocities="given").solve(start), wl.Static(world).solve(start)
    chain, middle = nodes_of(world, cables), nodes_of(world, cables)[8]
    N = wl.eval_output(cables[8], "axial_force", state, x=0.0)
    exact = 0.01 * GRAVITY * length**2 / (8.0 * (N - 0.01 * speed**2))
    assert_allclose(-state.of(middle)[0, 1], exact, rtol=1e-5)
    assert_allclose(-rest.of(middle)[0, 1], 0.01 * GRAVITY * length**2 / (8.0 * TENSION), rtol=1e-3)
    assert_allclose(state.of(motion, "v"), speed)
    world.set(held, active=False)
    dynamic = wl.Dynamic(world, step=1e-3, end=0.1, method="trapezoidal_index2")
    moved = [np.abs(dynamic.solve(s).of(chain) - s.of(chain)).max() for s in (state, rest)]
    assert moved[0] < 1e-5 * exact and moved[1] > 0.05 * exact


def test_damping_is_felt() -> None:
    """In statics with given velocities, a damper exerts the force that follows from the given velocity."""
    world = wl.World()
    point = world.add(MassPoint, position=(0.0, 0.0), velocity=(2.0, 0.0), mass=1.0)
    marker = con.coordinate_marker(world, point, "x")
    world.add(con.CoordinateSpringDamper, marker1=marker, stiffness=10.0, damping=3.0)
    con.fix(world, point, "y")
    assert_allclose(wl.Static(world, velocities="given").solve().of(point)[0, 0], -0.6)
    assert_allclose(wl.Static(world).solve().of(point)[0, 0], 0.0)
