"""Models of a belt of ALE cables or of plain cables around two pulleys, or of one belt of each kind."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from windlass.connectors import ContactFrictionCircleCable2D, add_contact, fix, prescribe_velocity, ramp
from windlass.elements import ALENode, RigidBody2D, cable_around, nodes_of
from windlass.framework.model.table import Entity
from windlass.framework.model.world import World
from windlass.framework.state.state import State
from windlass.solvers.dynamic import Dynamic
from windlass.solvers.static import Static
from windlass.solvers.stepping.discontinuous import Passes

RADIUS, OMEGA, ELEMENTS, SEGMENTS = 0.1, 20.0, 32, 2
EA, STRAIN, RHO = 4e4, -0.01, 3.0


class Drive(NamedTuple):
    """The model of the belts.

    ``holds`` are supports that act only during the preload. ``mesh_holds`` are supports of the first nodes of the
    belts.
    """

    world: World
    pulleys: list[Entity]
    belts: list[Entity]
    axial: Entity | None
    contacts: Entity
    holds: list[Entity]
    axial_hold: Entity | None
    mesh_holds: list[Entity]
    drive: Entity


def create_drive(moving: tuple[bool, ...], gap: float = 0.0, elements: int = ELEMENTS, **contact: Any) -> Drive:
    """Create one belt for each entry of ``moving``. The axes of all belts coincide, and all contacts are in one table.

    Args:
        moving: for each belt, whether its material moves.
        gap: distance [m] of the axes of the belts from the pulleys in the initial state.
        elements: number of elements of a belt.
        **contact: further columns of the contact.
    """
    world = World()
    pulleys = [
        world.add(RigidBody2D, name=f"pulley {i}", position=(x, 0.0), mass=5.0, inertia=0.02)
        for i, x in enumerate((0.0, np.pi * RADIUS))
    ]
    axial = world.add(ALENode) if any(moving) else None
    belts = [
        cable_around(
            world,
            circles=pulleys,
            radius=RADIUS,
            radial_offset=gap,
            elements=elements,
            axial_stiffness=EA,
            bending_stiffness=1e-3,
            mass_per_length=RHO,
            axial_damping=20.0,
            reference_strain=STRAIN,
            **({"ale": axial} if kind else {}),
        )
        for kind in moving
    ]
    holds = [fix(world, pulley, "rotation") for pulley in pulleys]
    for pulley in pulleys:
        fix(world, pulley, "x", "y")
    mesh_holds = [fix(world, nodes_of(world, belt)[0], "x") for belt in belts]
    axial_hold = fix(world, axial, "s") if axial is not None else None
    drive = prescribe_velocity(world, pulleys[0], "rotation", ramp(0.0, 0.05, 0.0, -OMEGA))
    columns = {
        "contact_stiffness_per_length": 4e8,
        "contact_damping_per_length": 6e3,
        "friction_velocity_penalty_per_length": 1e5,
        "friction_coefficient": 0.4,
    }
    contacts = add_contact(
        world,
        ContactFrictionCircleCable2D,
        circles=pulleys,
        cables=belts,
        segments=SEGMENTS,
        circle_radius=RADIUS,
        **columns | contact,
    )
    return Drive(world, pulleys, belts, axial, contacts, holds, axial_hold, mesh_holds, drive)


def preload(model: Drive) -> State:
    """Find the equilibrium without friction. Supports prevent all free motions."""
    world, mu = model.world, model.contacts.table.collect("friction_coefficient")[model.contacts.rows].copy()
    world.set(model.contacts, friction_coefficient=0.0)
    world.set(model.drive, active=False)
    settings: dict[str, Any] = {"geometric": True, "stabiliser": 1e5, "rtol": 1e-8, "atol": 1e-7, "name": ""}
    state = Static(world, load_steps=8, **settings).solve()
    world.set(model.contacts, friction_coefficient=mu)
    world.set(model.drive, active=True)
    return state


def create_motion(model: Drive, end: float, step: float = 5e-4, **settings: Any) -> Dynamic:
    """Create the solver of the motion after the preload. During this motion, the wheels are free."""
    for hold in model.holds:
        model.world.set(hold, active=False)
    values = {"spectral_radius": 0.5, "passes": Passes(atol=1e-2), "atol": 1e-6, "name": ""}
    return Dynamic(model.world, step=step, end=end, **values | settings)
