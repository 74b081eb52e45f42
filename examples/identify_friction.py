"""Friction and stiffness of a belt drive are identified from the speed of the driven pulley during the start.

The command ``windlass run examples/identify_friction.py`` runs the example. The option ``-help`` lists all options. The
driver accelerates faster than the belt can accelerate the driven pulley. Therefore the belt slips at first. Then the
driven pulley oscillates on the elastic belt. The motion during slip determines the friction coefficient, and the
oscillation determines the axial stiffness. The first command below writes a computed speed with random errors to a
file, and the second command fits both options to this speed:

    windlass run examples/identify_friction.py -friction 0.4 -stiffness 3e4 -measured measured.csv
    windlass identify examples/identify_friction.py -output fit -data measured.csv \
        -friction 0.2:0.8 -stiffness 1e4:1e5:log -step 0.01

While the belt slips on the driven pulley, the acceleration of this pulley is approximately

    dω/dt = (2 F R tanh(μ π r/(2 R)) - d ω)/J.

Here F is the mounted tension minus ρA v², R and r are the radii of the cord and of the face, J and d are the inertia
and the damping of the pulley, and μ is the friction coefficient. The example compares the speed that the driven pulley
gains between 0.04 and 0.1 s, while the belt slips, with this equation.

Source: Euler and Eytelwein, F1/F2 = exp(μ π r/R), for a constant sum F1 + F2 = 2 F of the tensions of both spans.
"""

from pathlib import Path

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D

friction = wl.option("friction", 0.42, "1", "friction coefficient between belt and pulleys", minimum=0.01)
stiffness = wl.option("stiffness", 3.3e4, "N", "axial stiffness EA of the belt", minimum=1e3)
tension = wl.option("tension", 300.0, "N", "tension as mounted", minimum=1.0)
end_time = wl.option("end_time", 0.3, "s", "time at the end", minimum=0.12)
step = wl.option("step", 5e-4, "s", "step size", minimum=1e-6)
measured = wl.option("measured", "", "", "new file for the speed with random errors, as if it were measured")
noise = wl.option("noise", 0.2, "rad/s", "standard deviation of these errors", minimum=0.0)
seed = wl.option("seed", 1, "1", "seed of these errors", minimum=0)
output = wl.option("output", "identify_friction_out", "", "folder for results; 'none' writes no files")
if measured and Path(measured).exists():
    raise wl.OptionError(f"-measured {measured}: exists already, must be the name of a new file")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# pulleys: radius and distance [m], inertia [kg m^2], damping [N m s/rad]
RADIUS, DISTANCE, INERTIA, DAMPING = 0.1, 0.24, 0.2, 0.05
SPEED, RISE = 30.0, 0.12  # speed [rad/s] of the driver, duration [s] of its rise
CORD, RHO = 0.004, 0.1  # height [m] of the cord above the face, mass of the belt per length [kg/m]

world = wl.World()
driver = world.add(RigidBody2D, name="driver", position=(0.0, 0.0), mass=1.0, inertia=1e-3)
driven = world.add(RigidBody2D, name="driven", position=(DISTANCE, 0.0), mass=1.0, inertia=INERTIA)
con.fix(world, [driver, driven], "x", "y")
drive = con.prescribe_velocity(world, driver, "rotation", con.ramp(0.0, RISE, 0.0, -SPEED))
world.add(con.CoordinateSpringDamper, marker1=con.coordinate_marker(world, driven, "rotation"), damping=DAMPING)
belt = wl.Belt(
    world, [wl.Pulley(driver, RADIUS), wl.Pulley(driven, RADIUS)], tension=tension, axial_stiffness=stiffness,
    bending_stiffness=1e-3, mass_per_length=RHO, axial_damping=10.0, friction=friction, cord_offset=CORD, width=0.02,
    elements=40, step=step,
)  # fmt: skip
with belt.preload(drive):
    rest = wl.Static(world).solve()
sensors = wl.Sensors(folder / "speed.csv" if folder else None, [wl.Sensor(driven, "angular_velocity", name="speed")])
wl.Dynamic(world, step=step, end=end_time, name="start of the drive").solve(rest, hooks=[sensors])

if not wl.help_requested():
    times = np.arange(1, round(end_time / 5e-3)) * 5e-3
    speeds = np.interp(times, sensors.times, sensors["speed"])
    if measured and wl.is_first_process():
        values = speeds + np.random.default_rng(seed).normal(0.0, noise, times.size)
        rows = [f"{t:.4g},{value:.6g}" for t, value in zip(times, values, strict=True)]
        with Path(measured).open("x") as file:
            file.write("\n".join(["time [s],speed [rad/s]", *rows, ""]))

    # check: the speed gained between 0.04 and 0.1 s, when the belt slips
    begin, end = np.searchsorted(times, (0.04 - 1e-9, 0.1 - 1e-9))
    mean = float(np.mean(speeds[begin : end + 1]))
    R = RADIUS + CORD
    pull = 2.0 * (tension - RHO * (R * mean) ** 2) * np.tanh(friction * np.pi * RADIUS / (2.0 * R))
    theory = float(times[end] - times[begin]) * (-pull * R - DAMPING * mean) / INERTIA
    gained = float(speeds[end] - speeds[begin])
    wl.write_summary({"gained": gained, "theory": theory, "last_speed": float(speeds[-1])})
    if wl.is_first_process():
        print(wl.format_comparison([("speed gained during slip [rad/s]", gained, theory)], "theory"))
