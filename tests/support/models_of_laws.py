"""Small models that together contain a row of every law whose columns affect a residual."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Beam2D, Ground, MassPoint, RigidBody2D, RigidNode2D, generic_node, straight_cable
from windlass.framework.model.world import World

from support import (
    beam_contacts,
    joint_machine,
    parallel_reevings,
    parallel_springs,
    parallel_turning,
    ribbons,
    winch_sheave,
    winch_surfaces,
    winches,
)
from support.closed_contacts import hang_in_water, press_in_plane, press_in_space
from support.example_worlds import world_of_example
from support.parallel_beams import run_beam, run_slope_beam
from support.parallel_contacts import build_zoo
from support.parallel_controllers import main as run_controllers
from support.parallel_controllers import move_cylinders
from support.surface_models import SOFT

EXAMPLES = (
    "belt_drive", "identify_friction", "ale_belt", "hoist_fmu", "lowering_line", "luffing_jib", "knot", "elevator",
    "anchor_chain", "cableway", "dropped_mass", "mass_on_springs",
)  # fmt: skip


TURNING: dict[str, Any] = {
    "rope_radius": 0.005, "turns_rope": True,
    "rope": {"torsional_stiffness": 0.5, "coupling": 20.0, "rotary_inertia": 1e-5},
}  # fmt: skip
"""Arguments of `winch_surfaces.create` for ropes with torsion that friction turns."""


def add_plane_machine() -> World:
    """Create a 2D model of laws that the other models do not contain: a beam, a guide, a tensioner, a clutch, and
    cables on a set of circles.
    """
    world = wl.World(gravity=(0.1, -9.81))
    bodies = world.add(RigidBody2D, position=[(0.0, 0.0), (0.5, 0.3)], angle=[0.1, 0.2], mass=2.0, inertia=0.1)
    rigid = [con.rigid_marker(world, body, (0.1, 0.05)) for body in bodies]
    world.add(con.PrismaticJoint2D, marker0=rigid[0], marker1=rigid[1], axis=(1.0, 0.2))
    turns = [con.coordinate_marker(world, body, "rotation") for body in bodies]
    world.add(
        con.TensionerSpring, marker0=turns[0], marker1=turns[1], stiffness=20.0, preload=3.0,
        friction_torque=0.2, loading_friction=0.1, unloading_friction=0.15, loading_damping=0.3, unloading_damping=0.4,
        sticking_stiffness=500.0,
    )  # fmt: skip
    world.add(con.OverrunningClutch, marker0=turns[0], marker1=turns[1], stiffness=200.0, damping=0.5, drag_torque=0.1)
    tooth = world.add(MassPoint, position=(0.1165, 0.0), mass=0.1)
    world.add(
        con.BeltToothContact, marker0=con.rigid_marker(world, bodies[0]), marker1=con.position_marker(world, tooth),
        phase=0.05, flank_angle=0.4, backlash=1e-4, tooth_damping=3.0, teeth=20, pitch_radius=0.116,
        tooth_stiffness=1e5, tip_stiffness=2e5, tooth_height=1.2e-3,
    )  # fmt: skip
    world.add(con.CoordinateLoad, marker=turns[0], value=2.0)
    free = world.add(generic_node(1), reference=(0.3,))
    along = world.add(con.PointCoordinate, marker1=con.position_marker(world, tooth), direction=(1.0, 0.5, 0.0))
    ends = con.coordinate_marker(world, free, "q0"), along
    world.add(con.CoordinateSpringDamper, marker0=ends[0], marker1=ends[1], stiffness=5.0)
    nodes = world.add(RigidNode2D, position=[(0.0, 1.0), (0.4, 1.1)], angle=[0.1, 0.2])
    beam = world.add(
        Beam2D, node0=nodes[0], node1=nodes[1], stiffness=np.diag([1e3, 400.0, 2.0]), mass_per_length=0.5,
        rotary_inertia=1e-3, damping=(1.0, 0.5, 0.1),
    )  # fmt: skip
    world.add(con.Force, marker=con.position_marker(world, beam, (0.1, 0.02)), vector=(2.0, -3.0, 0.0))
    section = con.rotation_marker(world, beam, x=0.15)
    world.add(con.CoordinateSpringDamper, marker0=turns[0], marker1=section, stiffness=3.0, damping=0.2)
    belt = straight_cable(
        world, (-0.4, 0.09), (0.4, 0.1), 2, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5
    )
    con.add_contact_with_many(
        world, [bodies[0], world.add(Ground, position=(0.1, 0.0, 0.0))], belt, segments=3, circle_radius=0.1,
        contact_stiffness_per_length=1e4, friction_coefficient=0.3, friction_stiffness_per_length=1e4,
    )  # fmt: skip
    return world


def add_rope_machine() -> World:
    """Create a 3D model of laws that the other models do not contain: ropes in a sheave, on a ball and on a floor."""
    world = wl.World(gravity=(0.1, -9.81, 0.3))
    rope = straight_cable(
        world, (-0.3, 0.1, 0.0), (0.3, 0.09, 0.01), 2, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5
    )
    ground = con.rigid_marker(world, world.add(Ground))
    surfaces = [
        world.add(con.SphereSurface, marker=ground, radius=0.1),
        world.add(
            con.SheaveSurface, marker=ground, axis=(0.0, 0.0, 1.0), radius=0.1, groove_radius=0.02, outer_radius=0.13
        ),
    ]
    for surface in surfaces:
        con.add_surface_contact(
            world, surface, rope, points=3, rope_radius=0.01, contact_stiffness_per_length=1e4,
            friction_coefficient=0.3, friction_stiffness_per_length=1e4,
        )  # fmt: skip
    bed = world.add(con.PlaneSurface, marker=ground, axis=(0.0, 1.0, 0.1), offset=0.1)
    twisted = straight_cable(
        world, (-0.3, 0.1, -0.1), (0.3, 0.09, -0.09), 2, axial_stiffness=1e4, bending_stiffness=1.0,
        mass_per_length=0.5, torsional_stiffness=0.5, rotary_inertia=1e-3,
    )  # fmt: skip
    con.add_surface_contact(
        world, bed, twisted, points=3, rope_radius=0.01, contact_stiffness_per_length=1e4, friction_coefficient=0.3,
        friction_stiffness_per_length=1e4, turns_rope=True, **SOFT,
    )  # fmt: skip
    con.add_surface_contact(
        world, bed, rope, points=3, rope_radius=0.01, contact_stiffness_per_length=1e4, friction_coefficient=0.3,
        friction_stiffness_per_length=1e4, **SOFT,
    )  # fmt: skip
    pin = con.position_marker(world, rope[0], (0.1, 0.02, 0.01))
    world.add(con.Force, marker=pin, vector=(1.0, -2.0, 0.5))
    return world


def add_fibre_ropes(space: bool, twist: bool = False) -> World:
    """Create a fibre rope with a slow strain, a rope with working curves, a rope with a table of tensions, and a rope
    with friction of its wires, in 2D or 3D. In 3D, the ropes can have twist, and torques on points and along the axis.
    """
    world = wl.World(gravity=(0.1, -9.81, 0.3) if space else (0.1, -9.81))
    laws = (
        {"axial_stiffness": 2e4, "slow_stiffness": 1e4, "slow_damping": 1e4, "stiffening": 5.0, "slow_strain": 0.01},
        {
            "axial_stiffness": 2e4,
            "slow_damping": 1e4,
            "stiffening": 5.0,
            "slow_strain": 0.012,
            "largest_load": 200.0,
            "working_strains": (0.0, 0.01, 0.04, 0.1),
            "working_tensions": (0.0, 60.0, 300.0, 900.0),
            "working_offset": 0.2,
            "working_quadratic": 0.3,
        },
        {"tension_table": [(-0.1, -500.0), (0.0, 0.0), (0.02, 300.0), (0.05, 1000.0)]},
        {"axial_stiffness": 1e4, "reference_strain": -0.01},
    )
    torsion = {"torsional_stiffness": 0.7, "rotary_inertia": 0.01, "coupling": 15.0} if twist else {}
    for law in laws:
        ends = (0.0, 0.0, 0.0), (1.0, 0.1, 0.2)
        start, end = ends if space else (ends[0][:2], ends[1][:2])
        rope = straight_cable(
            world, start, end, 2, bending_stiffness=1.0, mass_per_length=0.5, axial_damping=2.0, **law, **torsion
        )
        if twist:
            marker = con.rigid_marker(world, rope[0], (0.2, 0.02, 0.01))
            world.add(con.Torque, marker=marker, vector=(0.3, -0.2, 0.1))
            world.add(con.Force, marker=marker, vector=(1.0, -2.0, 0.5))
            world.add(con.LineTorque, cable=rope, vector=(0.3, 0.1, -0.2), body_fixed=True)
            world.add(con.LineLoad, cable=rope, vector=(0.5, -2.0, 1.0), body_fixed=True)
    world.add(
        con.WireFriction, cable=rope, axial_stiffness=5e3, slip_force=6.0, bending_stiffness=2.0, slip_moment=2e-3,
        slip_moment_per_tension=2e-5,
    )  # fmt: skip
    return world


class Complete(Exception):
    """Exception that is raised when a model is complete, so that its function ends before the first solve."""


def find_world(function: Callable[[], Any]) -> World:
    """Return the first world that a function finalizes. The function ends at this point."""
    original = World.finalize

    def stop(world: World) -> None:
        raise Complete(world)

    World.finalize = stop  # type: ignore[method-assign]
    try:
        made = function()
    except Complete as found:
        world: World = found.args[0]
        return world
    finally:
        World.finalize = original  # type: ignore[method-assign]
    while not isinstance(made, World):
        made = made[0] if isinstance(made, tuple) and not hasattr(made, "world") else made.world
    return made


def list_models(folder: Path) -> dict[str, Callable[[], World]]:
    """Return the functions that create the models, with their names as keys."""
    functions: dict[str, Callable[[], Any]] = {
        "contacts in a plane": press_in_plane,
        "contacts in space": press_in_space,
        "rope in water": hang_in_water,
        "plane": add_plane_machine,
        "springs": lambda: parallel_springs.create(1),
        "joints": joint_machine.create_machine,
        "reevings": parallel_reevings.build_ropes,
        "controllers": lambda: run_controllers(folder / "out.npz"),
        "beam": run_beam,
        "slope beam": run_slope_beam,
        "turning": parallel_turning.run_rope,
        "zoo": build_zoo,
        "winch rope over a sheave": lambda: winch_sheave.create(8, 0.5, drop=0.2).world,
        "winch rope over a drum": lambda: winch_surfaces.create(8, 0.5, drop=0.2).world,
        "winch rope over a drum of a set": lambda: winch_surfaces.create(8, 0.5, drop=0.2, touching=1).world,
        "turning winch rope over a drum": lambda: winch_surfaces.create(8, 0.5, drop=0.2, **TURNING).world,
        "turning winch rope over a drum of a set": lambda: (
            winch_surfaces.create(8, 0.5, drop=0.2, touching=1, **TURNING).world
        ),
        "turning winch rope over soft ground": lambda: (
            winch_surfaces.create(
                8, 0.5, drop=0.2, suction_coefficient=0.2, suction_distance=0.01, lateral_friction_ratio=1.5, **TURNING
            ).world
        ),
        "winch rope over soft ground": lambda: (
            winch_surfaces.create(
                8, 0.5, drop=0.2, suction_coefficient=0.2, suction_distance=0.01, lateral_friction_ratio=1.5
            ).world
        ),
        "reserve": lambda: winches.hang(1.0, 0.1, 2, space=True),
        "twisted winch rope": lambda: winches.hang(
            1.0,
            0.1,
            2,
            space=True,
            torsional_stiffness=0.5,
            rotary_inertia=0.01,
            coupling=50.0,
            torsional_damping=0.1,
            store_tension=10.0,
            store_twist=0.3,
        ),
        "thick beam": lambda: beam_contacts.create_dragged(2).world,
        "belt of beams": lambda: beam_contacts.create_belt(8).world,
        "ribbon": lambda: ribbons.create_on_pulley(0.1, elements=20),
        "cylinders": move_cylinders,
        "ropes": add_rope_machine,
        "plane fibres": lambda: add_fibre_ropes(False),
        "fibres": lambda: add_fibre_ropes(True),
        "twisted fibres": lambda: add_fibre_ropes(True, twist=True),
    }
    found = {name: lambda f=function: find_world(f) for name, function in functions.items()}
    return found | {name: lambda n=name: world_of_example(n, folder) for name in EXAMPLES}
