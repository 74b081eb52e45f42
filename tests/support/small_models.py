"""Small models with known motion: an oscillator, a bouncing mass, a pendulum, a free body, a soft cable."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq

from windlass.connectors import CoordinateSpringDamper, DistanceConstraint, coordinate_marker, position_marker
from windlass.connectors.springs.contact_coordinate import ContactCoordinate
from windlass.elements import Ground, MassPoint, RigidBody3D, nodes_of, straight_cable
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World

G = 9.81
"""Gravity [m/s^2]."""


def oscillator(damping: float) -> tuple[World, Callable[[float], float]]:
    """Create a mass of 2 kg on a spring of 200 N/m along x, at 0.1 m from equilibrium. Along y, the mass has the speed
    1 m/s, and no force acts.

    Return the exact x(t).
    """
    world = World()
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0, displacement=(0.1, 0.0), velocity=(0.0, 1.0))
    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, point, "x"), stiffness=200.0, damping=damping)
    omega, zeta = 10.0, damping / 40.0
    own = omega * np.sqrt(1.0 - zeta**2)

    def exact(t: float) -> float:
        return float(0.1 * np.exp(-zeta * omega * t) * (np.cos(own * t) + zeta * omega / own * np.sin(own * t)))

    return world, exact


def bouncing_mass(height: float = 0.1, stiffness: float = 2e4) -> tuple[World, Callable[[float], float]]:
    """Create a mass of 2 kg that falls on a stop without damping.

    Return the exact height, which consists of parabolas and cosines that are joined at the instants of contact.
    """
    world = World(gravity=(0.0, -G, 0.0))
    point = world.add(MassPoint, position=(0.0, 0.0), mass=2.0, displacement=(0.0, height))
    world.add(ContactCoordinate, marker1=coordinate_marker(world, point, "y"), contact_stiffness=stiffness)
    omega, fall = np.sqrt(stiffness / 2.0), np.sqrt(2.0 * height / G)
    sag, speed = 2.0 * G / stiffness, G * fall

    def pressed(t: float) -> float:
        return float(-sag + sag * np.cos(omega * t) - speed / omega * np.sin(omega * t))

    contact = brentq(pressed, 0.9 * np.pi / omega, 1.5 * np.pi / omega, xtol=1e-16)

    def exact(t: float) -> float:
        t = t % (2.0 * fall + contact)
        if t < fall:
            return height - 0.5 * G * t**2
        if t < fall + contact:
            return pressed(t - fall)
        t -= fall + contact
        return float(speed * t - 0.5 * G * t**2)

    return world, exact


def pendulum() -> tuple[World, Entity]:
    """Create a mass of 2 kg on a rod of 1 m. The rod is released from the horizontal position."""
    world = World(gravity=(0.0, -G, 0.0))
    point = world.add(MassPoint, position=(1.0, 0.0), mass=2.0)
    ground = position_marker(world, world.add(Ground))
    world.add(DistanceConstraint, marker0=ground, marker1=position_marker(world, point), distance=1.0)
    return world, point


def free_body() -> tuple[World, Entity]:
    """Create a body that rotates about an axis close to its middle principal axis, with its centre of mass off the
    node.
    """
    world = World()
    body = world.add(
        RigidBody3D,
        position=(0.0, 0.0, 0.0),
        mass=2.0,
        inertia=(1.0, 2.0, 3.0),
        center_of_mass=(0.1, 0.2, -0.1),
        velocity=(1.0, 0.0, 0.0),
        angular_velocity=(0.1, 3.0, 0.2),
    )
    return world, body


def cable() -> World:
    """Create a free soft cable of 16 elements with a constant mass matrix. The cable is thrown and bends."""
    world = World(gravity=(0.0, -G, 0.0))
    cables = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 16, mass_per_length=1.0, axial_stiffness=500.0, bending_stiffness=0.05
    )
    nodes = nodes_of(world, cables)
    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, nodes[0], "y"), stiffness=200.0, damping=1.0)
    return world
