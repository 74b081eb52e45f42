"""Models whose laws have accounts of energy that compiled code evaluates."""

from __future__ import annotations

import windlass as wl
import windlass.connectors as con
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, nodes_of, straight_cable

from support.surface_models import create_falling
from support.winches import hang


def create_model(name: str) -> tuple[wl.World, float]:
    """Create a model of the given name, with a step size [s] for short runs of 100 steps.

    ``surfaces`` and ``set``: a rope falls onto surfaces; ``winch``: a load is hoisted; ``reeving``: a drum winds up a
    rope without mass; ``water``: a rope hangs in waves; ``floating``: a box floats in waves.
    """
    if name in ("surfaces", "set"):
        falling = create_falling(**({"touching": 2} if name == "set" else {}))
        return falling.world, 1e-3
    world = wl.World(gravity=(0.0, 0.0, -9.81) if name in ("water", "floating") else (0.0, -9.81))
    if name == "winch":
        world, rope, _ = hang(5.0, mass_per_length=0.5, store_tension=200.0, axial_stiffness=5e3)
        con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 0.4, 0.0, -0.3))
        return world, 2e-3
    if name == "reeving":
        drum = world.add(RigidBody2D, position=(0.0, 0.0), mass=1.0, inertia=1.0)
        con.fix(world, drum, "x", "y")
        turn = con.coordinate_marker(world, drum, "rotation")
        world.add(con.CoordinateSpringDamper, marker1=turn, stiffness=20.0, damping=5.0)
        load = world.add(MassPoint, position=(0.0, -10.0), mass=5.0)
        ends = con.position_marker(world, world.add(Ground)), con.position_marker(world, load)
        con.reeve(
            world, ends, (0.0, 0.0), coordinate0=turn, factor0=0.3, axial_stiffness=1e4, axial_damping=50.0,
            reference_length=10.0,
        )  # fmt: skip
        return world, 2e-3
    if name == "floating":
        box = world.add(
            RigidBody3D, position=(0.0, 0.0, 0.1), mass=60.0, inertia=(3.0, 4.0, 5.0), angular_velocity=(1.0, 0.5, 0.0)
        )
        pond = world.add(con.Fluid, density=1000.0, velocity=(0.3, 0.5, 0.0), **con.regular_wave(0.3, 2.0, 0.3))
        world.add(con.BoxFluidLoad, marker=box, fluid=pond, sides=(0.5, 0.4, 0.6))
        return world, 2e-3
    rope = straight_cable(
        world, (0.0, 0.0, -0.5), (2.0, 0.0, -0.2), 4, axial_stiffness=1e4, bending_stiffness=0.1, mass_per_length=0.8
    )
    waves = con.regular_wave(0.3, 2.0, 0.3)
    sea = world.add(con.Fluid, density=1000.0, transition=0.3, velocity=(0.3, 0.5, 0.0), depth=20.0, **waves)
    world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=0.03, normal_drag=1.2, added_mass=1.0)
    con.hinge(world, nodes_of(world, rope)[0])
    return world, 2e-3
