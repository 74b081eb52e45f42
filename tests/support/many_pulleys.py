"""Belts that run in zigzag around driven pulleys on a ring, with one contact row per pair or with a circle set."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any, NamedTuple

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, cable_around

RADIUS, SPEED, RAMP = 0.1, 60.0, 2e-3
"""Radius [m] and angular velocity [rad/s] of all pulleys, and time of acceleration [s]."""


class Ring(NamedTuple):
    """The model of the belt. ``circles`` are the pulleys."""

    world: wl.World
    circles: list[wl.Entity]
    belt: wl.Entity
    contacts: wl.Entity


def create_ring(pulleys: int, per_pulley: int, pairs: bool = False, **search: Any) -> Ring:
    """Create a belt with a number of elements per pulley. If ``pairs`` is true, the contact has one row for each pair.
    Otherwise the contact has rows of a circle set.
    """
    world = wl.World()
    circles, sides = [], []
    for i in range(pulleys):
        distance, angle = 0.3 * pulleys / (2.0 * pi) - 0.12 * (i % 2), 2.0 * pi * i / pulleys
        place = (distance * cos(angle), distance * sin(angle))
        circles.append(world.add(RigidBody2D, position=place, mass=5.0, inertia=0.025))
        sides.append("right" if i % 2 else "left")
    belt = cable_around(
        world, circles, pulleys * per_pulley, radius=RADIUS, sides=sides, axial_stiffness=8000.0,
        bending_stiffness=0.01, mass_per_length=0.8, axial_damping=1.0, reference_strain=-0.02,
    )  # fmt: skip
    for circle, side in zip(circles, sides, strict=True):
        con.fix(world, circle, "x", "y")
        sense = SPEED if side == "left" else -SPEED
        con.prescribe_velocity(world, circle, "rotation", lambda t, sense=sense: sense * min(t / RAMP, 1.0))
    columns: dict[str, Any] = {
        "segments": 2,
        "circle_radius": RADIUS,
        "contact_stiffness_per_length": 8e7,
        "contact_damping_per_length": 6400.0,
        "friction_velocity_penalty_per_length": 1e3,
        "friction_stiffness_per_length": 1e7,
        "friction_coefficient": 0.5,
    }
    if pairs:
        contacts = con.add_contact(world, con.ContactFrictionCirclePoints2D, circles, belt, **columns)
    else:
        contacts = con.add_contact_with_many(world, circles, belt, **columns, **search)
    return Ring(world, circles, belt, contacts)
