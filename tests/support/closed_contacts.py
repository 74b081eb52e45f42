"""Models in which contacts are closed, stops are reached, and a rope hangs in water, so that the residual depends on
the columns of these laws.
"""

from __future__ import annotations

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, RigidBody2D, RigidBody3D, straight_cable, winch_rope
from windlass.framework.model.world import World

FRICTION = {"friction_coefficient": 0.3, "friction_stiffness_per_length": 1e4}


def press_in_plane() -> World:
    """Create a mass that overlaps a stop, a roller that overlaps the flank of a square, and a belt that overlaps a
    circle of a set.
    """
    world = wl.World(gravity=(0.1, -9.81))
    mass = world.add(MassPoint, position=(0.0, 0.3), mass=1.0)
    x = con.coordinate_marker(world, mass, "x")
    world.add(con.ContactCoordinate, marker1=x, contact_stiffness=1e3, contact_damping=2.0, offset=0.05)
    body = world.add(RigidBody2D, position=(0.0, 0.0), angle=0.1, mass=1.0, inertia=0.1)
    corners = (-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5)
    roller = world.add(MassPoint, position=(0.75, 0.1), mass=0.1)
    world.add(
        con.ContactCurveCircle, marker0=con.rigid_marker(world, body), marker1=con.position_marker(world, roller),
        profile=world.add(con.CurveProfile, points=corners, curvatures=(0.2,)), radius=0.3, contact_stiffness=1e4,
        contact_damping=1.0, friction=0.3, proportional_zone=2.0,
    )  # fmt: skip
    pulleys = world.add(RigidBody2D, position=[(0.0, 1.0), (1.5, 1.0)], angle=[0.1, 0.2], mass=1.0, inertia=0.1)
    belt = straight_cable(
        world, (-0.2, 1.08), (0.2, 1.07), 2, axial_stiffness=1e4, bending_stiffness=1.0, mass_per_length=0.5
    )
    con.add_contact_with_many(
        world, pulleys, belt, segments=3, circle_radius=0.1, contact_stiffness_per_length=1e4,
        contact_damping_per_length=5.0, vertical_offset=0.003, **FRICTION,
    )  # fmt: skip
    return world


def press_in_space() -> World:
    """Create a joint beyond its stop, spheres in contact, crossing ropes, and ropes with twist on a drum."""
    world = wl.World(gravity=(0.1, -9.81, 0.3))
    bodies = world.add(
        RigidBody3D, position=[(0.0, 0.0, 0.0), (0.3, 0.1, 0.2)], mass=1.0, inertia=(0.1, 0.2, 0.3),
        angular_velocity=[(0.1, 0.2, 0.3), (-0.2, 0.1, 0.4)],
    )  # fmt: skip
    ends = con.rigid_marker(world, bodies[0], (0.02, 0.01, 0.0)), con.rigid_marker(world, bodies[1])
    world.add(
        con.JointStop, marker0=ends[0], marker1=ends[1], direction=0, lower=-0.1, upper=0.1, stiffness=50.0,
        dissipation=0.05,
    )  # fmt: skip
    world.add(
        con.ContactSphereSphere, marker0=ends[0], marker1=ends[1], radius0=0.2, radius1=0.25, contact_stiffness=1e4,
        contact_damping=5.0, exponent=1.5, friction=0.3, proportional_zone=2.0,
    )  # fmt: skip
    stiff = {"axial_stiffness": 1e4, "bending_stiffness": 1.0, "mass_per_length": 0.5}
    crossed = [
        straight_cable(world, (-0.4, 2.0, 0.0), (0.4, 2.02, 0.0), 2, **stiff),
        straight_cable(world, (0.02, 2.07, -0.4), (0.01, 2.06, 0.4), 2, **stiff),
    ]
    con.add_cable_contact(
        world, crossed, radius=0.05, points=8, contact_stiffness_per_length=1e5, contact_damping_per_length=20.0,
        damping_depth=0.01, friction_velocity_penalty_per_length=10.0, **FRICTION,
    )  # fmt: skip
    grounds = [con.rigid_marker(world, world.add(Ground, position=(4.0 * k, 0.0, 0.0))) for k in (1, 2)]
    drums = [world.add(con.DrumSurface, marker=ground, radius=0.1, axis=(0.0, 0.0, 1.0)) for ground in grounds]
    for k, touching in ((0, None), (1, 1)):
        rope = straight_cable(
            world, (4.0 * k + 3.8, 0.095, 0.0), (4.0 * k + 4.2, 0.09, 0.01), 2, torsional_stiffness=0.5,
            rotary_inertia=1e-3, **stiff,
        )  # fmt: skip
        con.add_surface_contact(
            world, drums[k], rope, points=3, rope_radius=0.01, turns_rope=True, touching=touching,
            contact_stiffness_per_length=1e4, contact_damping_per_length=5.0, **FRICTION,
        )  # fmt: skip
    return world


def hang_in_water() -> World:
    """Create a winch rope that reaches from air into water with a current and waves."""
    world = wl.World(gravity=(0.0, 0.0, -9.81))
    sea = world.add(
        con.Fluid, density=1000.0, depth=30.0, velocity=(0.4, 0.1, 0.0), reference_height=30.0, profile="power",
        transition=0.6, **con.regular_wave(0.8, 4.0),
    )  # fmt: skip
    rope = winch_rope(
        world, (0.0, 0.2, -1.7), (0.5, 0.5, -7.0), 3, mass_per_length=2.0, axial_stiffness=5e3, bending_stiffness=3.0
    )
    world.add(
        con.WinchFluidLoad, cable=rope.cables, fluid=sea, diameter=0.06, normal_drag=1.1, axial_drag=0.05,
        added_mass=0.9, axial_added_mass=0.4, vibration_frequency=2.0,
    )  # fmt: skip
    return world
