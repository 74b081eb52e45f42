"""The amplitudes of the hub of a crankshaft with a torsional damper agree with Den Hartog's theory."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
import pytest
from numpy.testing import assert_allclose

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, RigidBody2D

HUB, SHAFT, MU = 0.02, 3e4, 0.2
"""Inertia of the hub [kg m²], stiffness of the shaft [N m/rad], ratio mu of the inertias of ring and hub [1]."""


def eval_response(tuning: float, zeta: float, omegas: np.ndarray) -> np.ndarray:
    """Return |theta| K/M of the hub under a torque M sin(omega t), from the matrices of the model."""
    world = wl.World()
    hub = world.add(RigidBody2D, position=(0.3, 0.1), angle=0.4, mass=2.0, inertia=HUB)
    con.fix(world, hub, "x", "y")
    spin = con.coordinate_marker(world, hub, "rotation")
    world.add(con.CoordinateSpringDamper, marker1=spin, stiffness=SHAFT)
    frequency = tuning * sqrt(SHAFT / HUB) / (2.0 * pi)
    con.torsional_damper(world, hub, MU * HUB, frequency, zeta)
    K = wl.assemble_matrix(world, wl.State(world), dq=1.0, dv=0.0)[:, :]
    D = wl.assemble_matrix(world, wl.State(world), dq=0.0, dv=1.0)[:, :]
    M = wl.assemble_mass(world, wl.State(world))[:, :]
    turns = np.ix_((2, 5), (2, 5))
    K, D, M = K[turns], D[turns], M[turns]
    torque = np.array((1.0, 0.0))
    return np.array([abs(np.linalg.solve(K + 1j * w * D - w**2 * M, torque)[0]) * SHAFT for w in omegas])


def test_amplitudes_at_the_fixed_points_do_not_depend_on_the_damping() -> None:
    """With the tuning 1/(1 + mu), the amplitude at two frequencies is sqrt(1 + 2/mu) for any damping."""
    f = 1.0 / (1.0 + MU)
    # the frequency ratios g of the fixed points are the roots of g⁴ (2 + mu) - 2 g² (1 + f² (1 + mu)) + 2 f² = 0
    squares = np.roots((2.0 + MU, -2.0 * (1.0 + f**2 * (1.0 + MU)), 2.0 * f**2))
    omegas = np.sqrt(squares) * sqrt(SHAFT / HUB)
    for zeta in (0.05, 0.2, 0.6):
        assert_allclose(eval_response(f, zeta, omegas), sqrt(1.0 + 2.0 / MU), rtol=1e-9)


def test_the_best_damping_makes_the_fixed_points_the_largest_amplitudes() -> None:
    """Den Hartog's damping is the mean of the two damping values for which a peak of the amplitude is at a fixed point.

    The largest amplitude is 1 % larger than the amplitude at the fixed points.
    """
    omegas = np.linspace(0.5, 1.5, 800) * sqrt(SHAFT / HUB)
    best = sqrt(3.0 * MU / (8.0 * (1.0 + MU)))
    peak, limit = eval_response(1.0 / (1.0 + MU), best, omegas).max(), sqrt(1.0 + 2.0 / MU)
    assert limit * (1.0 - 1e-4) < peak < 1.01 * limit
    for zeta in (0.6 * best, 1.6 * best):
        assert eval_response(1.0 / (1.0 + MU), zeta, omegas).max() > 1.05 * limit


def test_the_ring_goes_with_its_hub_and_hubs_without_rotation_are_refused() -> None:
    """Hub and ring translate and rotate together without force in the spring, and hubs without rotation are refused."""
    world = wl.World()
    hub = world.add(RigidBody2D, position=(0.3, 0.1), angle=0.2, velocity=(1.0, -2.0, 30.0), mass=2.0, inertia=HUB)
    ring = con.torsional_damper(world, hub, 1e-3, 100.0, 0.1, mass=0.5)
    with pytest.raises(wl.ModelError, match="rotation"):
        con.torsional_damper(world, world.add(MassPoint, position=(0.0, 0.0), mass=1.0), 1e-3, 100.0, 0.1)
    state = wl.Dynamic(world, step=1e-3, end=0.01).solve()
    assert_allclose(state.of(ring), [[0.01, -0.02, 0.3]], atol=1e-12)
    assert_allclose(state.of(hub), state.of(ring), atol=1e-12)
