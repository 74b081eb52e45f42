"""Models for energy balances: a free ring, an oscillator, falling spheres, and a belt drive in steady motion."""

from __future__ import annotations

from typing import Any

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Cable2D, Ground, MassPoint, PointSlope2D

RADIUS, TURNING, BULGE = 0.5, 2.0, 0.3
"""Parameters of the ring: radius [m], angular velocity [rad/s], and speed of its oval oscillation [m/s]."""


def create_ring(elements: int = 12, damping: float = 0.0) -> tuple[wl.World, wl.State]:
    """Create a free ring of cables. The ring has no internal forces at rest. The ring rotates, and oscillates between
    two ovals.
    """
    world, phi = wl.World(), 2.0 * np.pi * np.arange(elements) / elements
    c, s = np.cos(phi), np.sin(phi)
    nodes = world.add(PointSlope2D, position=RADIUS * np.column_stack((c, s)), slope=np.column_stack((-s, c)))
    world.add(
        Cable2D,
        node0=nodes,
        node1=nodes[(np.arange(elements) + 1) % elements],
        length=2.0 * np.pi * RADIUS / elements,
        mass_per_length=1.0,
        axial_stiffness=2000.0,
        bending_stiffness=0.5,
        axial_damping=damping,
        bending_damping=1e-3 * damping,
        strain_is_relative_to_reference=1.0,
    )
    state, w = wl.State(world), TURNING
    state.v.reshape(-1, 4)[:] = np.column_stack((
        -w * RADIUS * s + BULGE * c,
        w * RADIUS * c - BULGE * s,
        -w * c - BULGE / RADIUS * s,
        -w * s - BULGE / RADIUS * c,
    ))  # fmt: skip
    return world, state


def create_oscillator(damping: float = 0.0) -> tuple[wl.World, wl.Entity]:
    """Create a mass of 2 kg on springs of 100, 200 and 50 N/m, with weight, away from its equilibrium."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    point = world.add(MassPoint, position=(1.0, 0.0, 0.0), mass=2.0)
    ends = [con.position_marker(world, which) for which in (world.add(Ground), point)]
    springs: dict[str, Any] = {"stiffness": (100.0, 200.0, 50.0), "damping": (damping,) * 3}
    world.add(con.CartesianSpringDamper, marker0=ends[0], marker1=ends[1], **springs)
    return world, point


def create_spheres(dissipation: float = 0.5, friction: float = 0.3) -> wl.World:
    """Create twelve spheres that fall onto a plane and onto each other."""
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    places = 0.022 * np.stack(np.meshgrid([0, 1], [1, 2, 3], [0, 1]), axis=-1).reshape(-1, 3)
    places += np.random.default_rng(1).uniform(-1e-3, 1e-3, places.shape)
    points = world.add(MassPoint, position=places, velocity=(0.0, -0.5, 0.0), mass=0.005)
    rubs: dict[str, Any] = {"static_friction": friction, "dynamic_friction": 0.7 * friction}
    material = world.add(con.ContactMaterial, plane_strain_modulus=1e6, dissipation=dissipation, **rubs)
    group = world.add(con.ContactSet)
    world.add(con.ContactSphere, contact_set=group, marker=points, material=material, radius=0.01)
    up = con.facing((0.0, 1.0, 0.0))
    world.add(con.ContactHalfSpace, contact_set=group, marker=world.add(Ground), material=material, rotation=up)
    world.add(con.HuntCrossley, contact_set=group, transition_velocity=0.1)
    return world


def follow(world: wl.World, step: float, end: float, state: Any = None, **settings: Any) -> wl.EnergyLedger:
    """Return the energy ledger of a run, by `Explicit` for explicit methods, otherwise by `Dynamic`."""
    ledger, method = wl.EnergyLedger(every=1), settings.pop("method", "trapezoidal_index2")
    kind: Any = wl.Explicit if method in ("verlet", "rk") else wl.Dynamic
    solver = kind(world, step=step, end=end, method=method, name="", **settings)
    solver.solve(state, hooks=[ledger])
    return ledger


def orders(values: Any) -> Any:
    """Return the orders of convergence. The step is halved from each error to the next."""
    errors = np.abs(np.asarray(values, dtype=np.float64))
    return np.log2(errors[:-1] / errors[1:])
