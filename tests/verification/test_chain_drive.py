"""Chains on sprockets: rollers as masses in contact with teeth of arcs and lines, by `ContactCurveCircle`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import windlass as wl
from windlass.connectors import (
    ContactCurveCircle,
    CoordinateSpringDamper,
    DistanceConstraint,
    coordinate_marker,
    fix,
    position_marker,
    rigid_marker,
    sprocket_profile,
)
from windlass.elements import MassPoint, RigidBody2D
from windlass.framework.arrays import FloatArray
from windlass.framework.model.table import Entity

PITCH, ROLLER, TEETH, SPAN = 0.0127, 0.0085, (8, 16), 10
R = [PITCH / (2.0 * math.sin(math.pi / z)) for z in TEETH]
CENTRES = math.sqrt((SPAN * PITCH) ** 2 - (R[1] - R[0]) ** 2)
SPEED, BRAKE, K, D = 4.0, 0.1, 1e5, 20.0


class Drive(NamedTuple):
    """A chain drive: both wheels, the rollers, and their contact with both."""

    world: wl.World
    wheels: Entity
    rollers: Entity
    contacts: list[Entity]


def arc(centre: float, radius: float, degrees: FloatArray) -> FloatArray:
    """Points on a circle about (centre, 0)."""
    angle = np.radians(degrees)
    return np.stack((centre + radius * np.cos(angle), radius * np.sin(angle)), axis=1)


def chain_drive() -> Drive:
    """Wheel 0 turns against the clock and pulls the upper span; the lower one has one link more and hangs."""
    step = 360.0 / np.array(TEETH)
    left, right = arc(0.0, R[0], 90.0 + step[0] * np.arange(5)), arc(CENTRES, R[1], -90.0 + step[1] * np.arange(9))
    links, chord = SPAN + 1, CENTRES
    rise = right[0] - left[-1]
    chord = math.hypot(*rise)
    bend = brentq(lambda a: PITCH * math.sin(0.5 * links * a) - chord * math.sin(0.5 * a), 1e-3, 2.0 * math.pi / links)
    way = math.atan2(rise[1], rise[0]) + bend * (np.arange(links) - 0.5 * (links - 1))
    lower = left[-1] + np.cumsum(PITCH * np.stack((np.cos(way), np.sin(way)), axis=1), axis=0)[:-1]
    upper = right[-1] + np.arange(1, SPAN)[:, None] / SPAN * (left[0] - right[-1])
    places = np.concatenate((left, lower, right, upper))

    ratio = R[0] / R[1]
    ends = [speed * np.stack((-p[:, 1], p[:, 0] - x), axis=1) for speed, p, x in (
        (SPEED, left, 0.0), (SPEED * ratio, right, CENTRES))]
    between = [a + (b - a) * np.arange(1, n)[:, None] / n for a, b, n in (
        (ends[0][-1], ends[1][0], links), (ends[1][-1], ends[0][0], SPAN))]
    velocity = np.concatenate((ends[0], between[0], ends[1], between[1]))

    world = wl.World(gravity=(0.0, -9.81))
    wheels = world.add(
        RigidBody2D, position=[(0.0, 0.0), (CENTRES, 0.0)], mass=1.0,
        inertia=(1e3, 1e-4), velocity=[(0.0, 0.0, SPEED), (0.0, 0.0, SPEED * ratio)],
    )  # fmt: skip
    fix(world, wheels, "x", "y")
    world.add(CoordinateSpringDamper, marker1=coordinate_marker(world, wheels[1], "rotation"), damping=BRAKE)
    rollers = world.add(MassPoint, position=places, velocity=velocity, mass=2e-3)
    pins = position_marker(world, rollers)
    n = len(places)
    world.add(
        DistanceConstraint, marker0=pins, marker1=pins[np.roll(np.arange(n), -1)], distance=PITCH,
    )
    hubs = rigid_marker(world, wheels)
    contacts = [
        world.add(
            ContactCurveCircle, marker0=hubs[k], marker1=pins, profile=sprocket_profile(world, z, PITCH, ROLLER),
            radius=0.5 * ROLLER, contact_stiffness=K, contact_damping=D,
        )
        for k, z in enumerate(TEETH)
    ]  # fmt: skip
    return Drive(world, wheels, rollers, contacts)
