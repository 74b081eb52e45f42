"""A belt drive that is started in its steady motion by theory, so that a short run shows how much speed it loses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors import (
    ContactFrictionCircleCable2D,
    CoordinateLoad,
    CoordinateSpringDamper,
    add_contact,
    coordinate_marker,
    fix,
    prescribe_velocity,
)
from windlass.connectors.belt_theory import BeltCreep, belt_creep
from windlass.elements import RigidBody2D, cable_around, nodes_of
from windlass.framework.state import State
from windlass.framework.table import Entity
from windlass.framework.world import World

RADIUS, DISTANCE, LENGTH = 0.1, 0.1 * np.pi, 0.4 * np.pi
FRICTION = 0.5


class Case(NamedTuple):
    """A belt drive; the belt carries the share ``load`` of the torque at which it slips everywhere.

    ``inertia`` is rhoA v²/N in the unloaded belt, from which the mass per length follows.
    """

    axial_stiffness: float = 8000.0
    reference_strain: float = -0.05
    inertia: float = 0.05
    bristles: float = 4e8
    load: float = 0.6
    speed: float = 12.0
    elements: int = 60
    segments: int = 4
    contact_stiffness: float = 3e9
    offset: float = 0.0
    sticking_length: str = "current"


class Drive(NamedTuple):
    """The model, its state in steady motion, and the theory."""

    world: World
    belt: Entity
    pulleys: list[Entity]
    contacts: Entity
    state: State
    theory: BeltCreep
    damping: float


def eval_theory(case: Case, torque: float | None = None, length: float = LENGTH) -> BeltCreep:
    """Theory of a case, for its torque or another one [N m], and for another reference length of the belt [m]."""
    EA, e0 = case.axial_stiffness, case.reference_strain
    axis = RADIUS + case.offset
    stretch = (2 * DISTANCE + 2 * np.pi * axis) / length
    tension = EA * (stretch - 1 - e0)
    mass = case.inertia * tension / (case.speed * axis) ** 2 * stretch
    press = tension * (1 - case.inertia)
    # F_1 + F_2 = 2 F about, F_1/F_2 = exp(mu pi) at most
    most = 2 * press * np.tanh(FRICTION * np.pi / 2) * axis
    return belt_creep(
        axial_stiffness=EA,
        reference_strain=e0,
        mass_per_length=mass,
        length=length,
        distance=DISTANCE,
        radius=RADIUS,
        axis_height=case.offset,
        driver_speed=case.speed,
        torque=case.load * most if torque is None else torque,
        friction_coefficient=FRICTION,
        contact_stiffness_per_length=case.contact_stiffness,
    )


def mass_per_length(case: Case) -> float:
    """rhoA [kg/m] of a case."""
    axis = RADIUS + case.offset
    stretch = (2 * DISTANCE + 2 * np.pi * axis) / LENGTH
    tension = case.axial_stiffness * (stretch - 1 - case.reference_strain)
    return case.inertia * tension / (case.speed * axis) ** 2 * stretch


def lay(case: Case, theory: BeltCreep, material: Any) -> tuple[Any, Any]:
    """Places and slopes r' (n, 2) of points of the material [m] on the path of the steady motion.

    The material runs clockwise, from the top of the driver along the slack strand, around the driven pulley, back along
    the tight strand below, and around the driver.
    """
    phi, mu = theory.slip_angle, FRICTION * RADIUS / (RADIUS + case.offset)
    stiff = case.axial_stiffness * (1 + case.reference_strain)
    E = (theory.tight_force + stiff) / theory.tight_stretch
    n = 4000
    angle = np.linspace(0, np.pi, n)
    # F along the driven pulley: slack, then growing; along the driver the other way round
    grown = theory.slack_force * np.exp(mu * np.maximum(angle - (np.pi - phi), 0))
    fallen = theory.tight_force * np.exp(-mu * np.maximum(angle - (np.pi - phi), 0))
    force = np.concatenate(([theory.slack_force], grown, fallen))
    share = np.concatenate((np.zeros(1), angle, np.pi + angle))
    slope = (theory.slack_force - theory.tight_force) or 1.0
    radius = theory.tight_radius + (force - theory.tight_force) * (theory.slack_radius - theory.tight_radius) / slope
    center = np.concatenate(([0.0], np.full(n, DISTANCE), np.zeros(n)))
    x, y = center + radius * np.sin(share), radius * np.cos(share)
    x, y, share, force = (np.append(values, values[0]) for values in (x, y, share, force))
    share[-1] = 2 * np.pi
    stretch = (force + stiff) / E
    way = np.hypot(np.diff(x), np.diff(y))
    reference = np.concatenate(([0.0], np.cumsum(way * 2 / (stretch[1:] + stretch[:-1]))))
    reference *= LENGTH / reference[-1]
    place = np.column_stack([np.interp(material, reference, values) for values in (x, y)])
    turn, stretched = np.interp(material, reference, share), np.interp(material, reference, stretch)
    return place, stretched[:, None] * np.column_stack((np.cos(turn), -np.sin(turn)))


def create_drive(case: Case, **contact: Any) -> Drive:
    """The model in the steady motion of its theory; ``contact``: further columns of the contact."""
    theory = eval_theory(case)
    world, mass = World(), mass_per_length(case)
    inertia = 0.2 * mass * LENGTH * RADIUS**2
    pulleys = [world.add(RigidBody2D, position=(x, 0.0), mass=1.0, inertia=inertia) for x in (0.0, DISTANCE)]
    belt = cable_around(
        world,
        circles=pulleys,
        radius=RADIUS,
        radial_offset=case.offset,
        elements=case.elements,
        length=LENGTH / case.elements,
        axial_stiffness=case.axial_stiffness,
        bending_stiffness=1e-7 * case.axial_stiffness * RADIUS**2,
        mass_per_length=mass,
        axial_damping=2e-4 * case.axial_stiffness * LENGTH / (case.speed * RADIUS),
        reference_strain=case.reference_strain,
    )
    for pulley in pulleys:
        fix(world, pulley, "x", "y")
    prescribe_velocity(world, pulleys[0], "rotation", lambda t: -theory.driver_speed)
    # a brake that damps torsional vibrations: of the torque at the speed of theory, growing with the speed
    spin = coordinate_marker(world, pulleys[1], "rotation")
    spring = 2 * case.axial_stiffness * RADIUS**2 / DISTANCE
    damping = 2 * np.sqrt(spring * inertia)
    world.add(CoordinateLoad, marker=spin, value=theory.torque - damping * theory.driven_speed)
    world.add(CoordinateSpringDamper, marker1=spin, damping=damping)
    tension = theory.tight_tension
    contacts = add_contact(
        world,
        ContactFrictionCircleCable2D,
        circles=pulleys,
        cables=belt,
        segments=case.segments,
        circle_radius=RADIUS,
        vertical_offset=-case.offset,
        **{
            "contact_stiffness_per_length": case.contact_stiffness,
            "contact_damping_per_length": 0.02 * np.sqrt(case.contact_stiffness * mass * tension) / RADIUS * 0.0
            + 0.05 * case.contact_stiffness * LENGTH / case.elements / case.segments / (case.speed * RADIUS),
            "friction_stiffness_per_length": case.bristles,
            "friction_velocity_penalty_per_length": 2.0 * np.sqrt(case.bristles * mass),
            "friction_coefficient": FRICTION,
            "sticking_length": case.sticking_length,
        }
        | contact,
    )
    state = State(world)
    nodes = nodes_of(world, belt)
    material = np.arange(case.elements) * LENGTH / case.elements
    place, slope = lay(case, theory, material)
    state.put(nodes, np.hstack((place, slope)) - np.column_stack((nodes.position, nodes.slope)))
    # steady: v = c dr/dX
    h = 1e-4 * LENGTH / case.elements
    ahead, behind = (np.hstack(lay(case, theory, (material + sign * h) % LENGTH)) for sign in (1, -1))
    state.put(nodes, theory.flow * (ahead - behind) / (2 * h), "v")
    for pulley, speed in zip(pulleys, (theory.driver_speed, theory.driven_speed), strict=True):
        state.put(pulley, [0.0, 0.0, -speed], "v")
    return Drive(world, belt, pulleys, contacts, state, theory, damping)
