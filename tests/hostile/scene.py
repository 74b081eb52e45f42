"""Small models on which all public names are called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import windlass as wl
from windlass import connectors as con
from windlass import elements as el
from windlass.framework.model.table import Entity


@dataclass
class Scene:
    """A small model that is solved, and a small model to which rows can be added."""

    world: wl.World
    belt: Entity
    body: Entity
    force: Entity
    contacts: Entity
    state: wl.State
    open: wl.World
    node: Entity
    spatial: Entity
    open_cable: Entity
    open_rope: Entity
    sliding: Entity
    space: wl.World
    space_state: wl.State
    hunt: Entity
    ball: Entity
    folder: Path
    drum: Entity
    marker: Entity
    lying: Entity


CABLE = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 0.5}


def create_scene(folder: Path) -> Scene:
    """Create the models for the calls; files are written to the folder."""
    world = wl.World()
    body = world.add(el.RigidBody2D, position=(0.5, -0.2), mass=1.0, inertia=1.0)
    belt = el.straight_cable(world, (0, 0), (1, 0), 2, **CABLE)
    force = world.add(con.Force, marker=con.position_marker(world, body), vector=(0.0, 1.0, 0.0))
    contacts = con.add_contact(
        world, con.ContactFrictionCircleCable2D, body, belt, segments=1, circle_radius=0.1, contact_stiffness=10.0
    )
    con.fix(world, body, "x", "y", "rotation")
    con.clamp(world, el.nodes_of(world, belt)[0])
    drum = world.add(con.DrumSurface, marker=con.rigid_marker(world, body), radius=0.1)
    lying = con.add_surface_contact(world, drum, belt, contact_stiffness_per_length=10.0)
    state = wl.State(world)
    state.save(folder / "state.npz")
    world.save(folder / "model.json")
    building = wl.World()
    node = building.add(el.RigidNode2D, position=(0.0, 0.0))
    marker = con.rigid_marker(building, node)
    spatial = building.add(el.RigidBody3D, position=(0.0, 0.0, 0.0), mass=1.0, inertia=1.0)
    open_cable = el.straight_cable(building, (0, 0), (1, 0), 2, **CABLE)
    open_rope = el.straight_cable(building, (0, 0, 0), (1, 0, 0), 2, **CABLE)
    sliding = con.sliding_joint(building, open_cable, node, 0.0)
    space = wl.World()
    ball = space.add(el.MassPoint, position=(0.0, 0.0, 1.0), mass=1.0)
    surfaces, material = space.add(con.ContactSet), space.add(con.ContactMaterial, plane_strain_modulus=1e6)
    space.add(con.ContactSphere, contact_set=surfaces, marker=ball, material=material, radius=0.1)
    hunt = space.add(con.HuntCrossley, contact_set=surfaces)
    return Scene(
        world, belt, body, force, contacts, state, building, node, spatial, open_cable, open_rope, sliding, space,
        wl.State(space), hunt, ball, folder, building.add(con.DrumSurface, marker=marker, radius=0.1), marker, lying,
    )  # fmt: skip
