"""Models of small belts, ropes and chains that are stable or, with other arguments, unstable."""

from __future__ import annotations

from typing import Any

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D, cable_around, nodes_of, straight_cable

LENIENT = {"passes": wl.Passes(fail=False, atol=1.0, max_it=5), "decide_at_start": False}
"""Settings that accept steps with any contact states."""


def driven_belt(stiffness: float = 1e7, elements: int = 20, throw: float = 0.0, **settings: Any) -> tuple[Any, Any]:
    """Create a preloaded belt around two pulleys, one of which is driven. ``stiffness`` is the contact stiffness
    [N/m^2], and ``throw`` is the upward speed [m/s] of the belt at the start.
    """
    world = wl.World()
    left = world.add(RigidBody2D, name="left", position=(0.0, 0.0), mass=5.0, inertia=0.05)
    right = world.add(RigidBody2D, name="right", position=(0.3, 0.0), mass=5.0, inertia=0.05)
    belt = cable_around(
        world, circles=[left, right], radius=0.1, elements=elements, axial_stiffness=8000.0, bending_stiffness=1e-3,
        mass_per_length=0.8, axial_damping=1.0, reference_strain=-0.05,
    )  # fmt: skip
    contacts = con.add_contact(
        world, con.ContactFrictionCircleCable2D, circles=[left, right], cables=belt, segments=4, circle_radius=0.1,
        contact_stiffness_per_length=stiffness, contact_damping_per_length=1e4, friction_coefficient=0.0,
        friction_stiffness_per_length=1e7, friction_velocity_penalty_per_length=4e3,
    )  # fmt: skip
    for pulley in (left, right):
        con.fix(world, pulley, "x", "y")
    drive = con.prescribe_velocity(world, left, "rotation", lambda t: -20.0 * t)
    holds = [con.fix(world, right, "rotation"), con.fix(world, nodes_of(world, belt)[0], "x")]
    if stiffness <= 1e9:
        # Without friction, only this constraint prevents the rotation of the pulley. Without the constraint, the
        # tangent would be singular except for rounding errors. With stiffer contacts, which are used for unstable
        # motions, the start is accepted without balance of forces.
        holds.append(con.fix(world, left, "rotation"))
    world.set(drive, active=False)
    preload = {"passes": wl.Passes(fail=False)} if stiffness > 1e9 else {}
    state = wl.Static(world, load_steps=10, geometric=True, stabiliser=1e5, name="", **preload).solve()
    world.set(contacts, friction_coefficient=0.5)
    for hold in holds:
        world.set(hold, active=False)
    world.set(drive, active=True)
    if throw:
        # without contact, a belt that has a velocity normal to its spans leaves its pulleys
        world.set(contacts, active=False)
        state.v[1::4] += throw
    return wl.Dynamic(world, **{"step": 1e-3, "end": 0.04, "name": "", "velocities": "project", **settings}), state


def create_loaded_rope(stretch: float = 1e5, contact: float = 1e6, friction: float = 0.3) -> tuple[Any, Any]:
    """Create a rope over a fixed drum with equal forces at its ends. ``stretch`` is EA [N], and ``contact`` is the
    contact stiffness [N/m^2].
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    drum = world.add(RigidBody2D, name="drum", position=(0.0, 0.0), mass=5.0, inertia=0.05)
    rope = cable_around(
        world, circles=[drum], radius=0.1, elements=24, closed=False, start=(-0.1, -0.5), end=(0.1, -0.5),
        axial_stiffness=stretch, bending_stiffness=1e-2, mass_per_length=0.5,
    )  # fmt: skip
    con.add_contact(
        world, con.ContactFrictionCircleCable2D, circles=[drum], cables=rope, segments=4, circle_radius=0.1,
        contact_stiffness_per_length=contact, contact_damping_per_length=1e4, friction_coefficient=friction,
        friction_stiffness_per_length=contact, friction_velocity_penalty_per_length=1e3,
    )  # fmt: skip
    con.fix(world, drum, "x", "y", "rotation")
    ends = nodes_of(world, rope)[[0, 24]]
    world.add(con.Force, marker=con.position_marker(world, ends), vector=(0.0, -500.0, 0.0))
    con.fix(world, ends[0], "x", "y")
    con.fix(world, ends[1], "x")
    return world, rope


def loaded_rope(stretch: float = 1e5, contact: float = 1e6, **settings: Any) -> tuple[Any, Any]:
    """Create the rope of `create_loaded_rope` in equilibrium, and the solver of its motion."""
    world, _ = create_loaded_rope(stretch, contact)
    state = wl.Static(
        world, load_steps=10, geometric=True, stabiliser=1e4, name="", passes=wl.Passes(fail=False)
    ).solve()
    return wl.Dynamic(world, **{"step": 2e-4, "end": 0.02, "name": "", **settings}), state


def falling_rope(drop: float = 0.0, **settings: Any) -> tuple[Any, Any]:
    """Create a rope that hangs from one end and falls onto a peg, if the peg is below the rope. ``drop`` is the height
    [m] of the rope above the peg.
    """
    world = wl.World(gravity=(0.0, -9.81, 0.0))
    rope = straight_cable(
        world, (0.0, 0.0), (1.0, 0.0), 12, axial_stiffness=1e4, bending_stiffness=0.05, mass_per_length=0.5
    )
    con.hinge(world, nodes_of(world, rope)[0])
    if drop:
        peg = world.add(RigidBody2D, name="peg", position=(0.5, -0.1 - drop), mass=1.0, inertia=1.0)
        con.fix(world, peg, "x", "y", "rotation")
        con.add_contact(
            world, con.ContactFrictionCircleCable2D, circles=[peg], cables=rope, segments=3, circle_radius=0.1,
            contact_stiffness_per_length=1e5, contact_damping_per_length=10.0, friction_coefficient=0.3,
            friction_stiffness_per_length=1e5, friction_velocity_penalty_per_length=10.0,
        )  # fmt: skip
    solver = wl.Explicit if settings.pop("explicit", False) else wl.Dynamic
    return solver(world, **{"step": 1e-3, "end": 0.1, "name": "", **settings}), None
