"""A belt around two pulleys: preloaded at rest, driven up to speed, loaded, and compared with reference values.

Run it with ``windlass run examples/belt_drive.py -elements 60 -segments 4``; ``-help`` lists all options.
"""

from math import cos, pi
from pathlib import Path

import numpy as np
import windlass as wl
from windlass.connectors import (
    ContactFrictionCircleCable2D,
    CoordinateConstraint,
    CoordinateLoad,
    CoordinateSpringDamper,
    MassProportional,
    PulleySensor,
    add_contact,
    coordinate_marker,
    draw_belt,
    fix,
    format_reports,
    prescribe_velocity,
    pulley_report,
)
from windlass.elements import RigidBody2D, cable_around, nodes_of

elements = wl.option("elements", 60, "1", "number of cable elements", minimum=6)
segments = wl.option("segments", 4, "1", "contact segments per element", minimum=1)
end_time = wl.option("end_time", 2.45, "s", "time at the end", minimum=1e-4)
step = wl.option("step", 1e-4, "s", "step size", minimum=1e-9)
friction = wl.option("friction", 0.5, "1", "friction coefficient", minimum=0.0)
output = wl.option("output", "belt_drive_out", "", "folder for results; none writes no files")
frames = wl.option("frames", 100, "1", "number of frames for ParaView", minimum=1)

# geometry and material; the contact surface of the belt lies half its effective height below the centre line
radius, distance, height = 0.09995, 0.1 * pi, 1e-4
EA, EI, mass_per_length = 8000.0, 0.02 * 1e7 * 0.08 * 0.01**3 / 12, 0.8288
length = 2 * distance + 2 * pi * (radius + height / 2)
width = 0.08


def drive_speed(t: float) -> float:
    """Speed of the driver [rad/s]: a ramp from 0.05 s to 0.6 s."""
    return 12.0 * min(max((t - 0.05) / 0.55, 0.0), 1.0)


def load_torque(t: float) -> float:
    """Torque on the driven pulley [N m]: a smooth step from 1.0 s to 1.5 s."""
    return -25.0 * (0.5 - 0.5 * cos(pi * min(max((t - 1.0) / 0.5, 0.0), 1.0)))


world = wl.World()
driver = world.add(RigidBody2D, name="driver", position=(0.0, 0.0), mass=50.0, inertia=0.25)
driven = world.add(RigidBody2D, name="driven", position=(distance, 0.0), mass=50.0, inertia=0.25)
belt = cable_around(
    world,
    circles=[driver, driven],
    radius=radius,
    elements=elements,
    radial_offset=height / 2,
    axial_stiffness=EA,
    bending_stiffness=EI,
    mass_per_length=mass_per_length,
    axial_damping=1.0,
    reference_strain=-0.05,
    name="belt",
)
world.add(MassProportional, body=belt, acceleration=(0.0, -9.81, 0.0))

supports = fix(world, driver, "x", "y")
fix(world, driven, "x", "y")
wheel_locks = [fix(world, driver, "rotation"), fix(world, driven, "rotation")]
node_hold = fix(world, nodes_of(belt)[0], "x")
drive = prescribe_velocity(world, driver, "rotation", drive_speed)
spin = coordinate_marker(world, driven, "rotation")
world.add(CoordinateSpringDamper, marker0=coordinate_marker(world, None), marker1=spin, damping=2.0)
world.add(CoordinateLoad, marker=spin, function=load_torque)

friction_stiffness = 50e8 * width  # [N/m^2]: bristles, per metre of belt
contacts = add_contact(
    world,
    ContactFrictionCircleCable2D,
    circles=[driver, driven],
    cables=belt,
    segments=segments,
    circle_radius=radius,
    vertical_offset=-height / 2,
    contact_stiffness_per_length=40e8 * width,
    contact_damping_per_length=80000.0 * width,
    friction_velocity_penalty_per_length=10 * (1e8 * width * mass_per_length) ** 0.5,
    friction_stiffness_per_length=friction_stiffness,
    friction_coefficient=friction,
)

# static preload: no friction, wheels locked, one node held
world.set(contacts, friction_coefficient=0.0, friction_stiffness_per_length=1e-8)
world.set(drive, active=False)
static = wl.Static(
    world, load_steps=10, geometric=True, stabiliser=1e5, rtol=1e-6, atol=1e-6, discontinuous_max_it=5, name="preload"
)
state = static.solve()
static_support_force = -wl.eval_output(supports[0], "force", state)

# dynamics: friction on, wheels and belt free, driver on
world.set(contacts, friction_coefficient=friction, friction_stiffness_per_length=friction_stiffness)
for entity in (node_hold, *wheel_locks):
    world.set(entity, active=False)
world.set(drive, active=True)
dynamic = wl.Dynamic(
    world,
    step=step,
    end=end_time,
    method="trapezoidal_index2",
    discontinuous_atol=1e-3,
    discontinuous_max_it=3,
    name="belt drive",
)
