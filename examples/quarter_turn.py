"""Quarter-turn drive: a flat belt between two pulleys whose axes are perpendicular.

The command ``windlass run examples/quarter_turn.py`` runs the example. The option ``-help`` lists all options.

A belt remains on its pulleys if it enters each pulley in the plane of the pulley. The belt may leave a pulley at an
angle. In this drive the belt leaves each pulley at 14°. With ``-direction -1`` the belt enters both pulleys at 14°, and
runs off sideways.

The belt is a ribbon (`TwistCable3D` with a width), flat without load, so each span is twisted by 90° and has the torque
GJ π/(2 l). Before the belt leaves a pulley, it slides a little on the pulley. This motion shortens the path of the
belt. `belt.tighten` then restores the tension. Each step of the slow motion is a static solve, in which friction
prevents the belt from sliding on the pulleys. The driven pulley rotates freely. The driven pulley has the same speed as
the driver, because both radii are equal.

Source: J. J. Shelton, K. N. Reid, J. Dyn. Syst. Meas. Control 93 (1971), for the rule that the belt must enter a pulley
in the plane of the pulley.
"""

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, RigidBody3D

direction = wl.option("direction", 1.0, "1", "sense of rotation; -1: the belt runs off", minimum=-1.0, maximum=1.0)
turn = wl.option("turn", 0.8, "rad", "angle by which the driver turns", minimum=0.01)
distance = wl.option("distance", 0.8, "m", "distance of the axes", minimum=0.6)
output = wl.option("output", "quarter_turn_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# radius [m] of the pulleys, width [m] and half of the thickness [m] of the belt, tension [N]
RADIUS, WIDTH, HALF, TENSION = 0.1, 0.03, 0.0005, 200.0
GJ, STEP = 0.05, 0.025  # torsional stiffness [N m^2], rotation [rad] of the driver in a step

# the driver rotates about z, and the driven pulley about x
world = wl.World()
bodies = []
for name, centre, free in (("driver", (0.0, 0.0, 0.0), 2), ("driven", (RADIUS, distance, -RADIUS), 0)):
    body = world.add(RigidBody3D, name=name, position=centre, mass=1.0, inertia=0.01)
    bearing = con.rigid_marker(world, world.add(Ground, position=centre)), con.rigid_marker(world, body)
    world.add(
        con.GenericJoint, marker0=bearing[0], marker1=bearing[1], translations=(True,) * 3,
        rotations=tuple(k != free for k in range(3)),
    )  # fmt: skip
    bodies.append(body)
driver, driven = bodies
spin = con.rotation_marker(world, driver, "z")
world.add(con.CoordinateConstraint, marker1=spin, offset_function=lambda t: direction * t)

belt = wl.Belt(
    world, [wl.Pulley(driver, RADIUS, "left", axis=(0, 0, 1)), wl.Pulley(driven, RADIUS, "left", axis=(1, 0, 0))],
    tension=TENSION, axial_stiffness=1e5, bending_stiffness=(0.005, 0.5), torsional_stiffness=GJ, width=WIDTH,
    mass_per_length=0.05, rotary_inertia=0.05 * WIDTH**2 / 12.0, cord_offset=HALF, friction=0.6, points=2, elements=120,
    contact={"contact_stiffness_per_length": 1e7, "friction_stiffness_per_length": 1e7}, turned_from=(1, 0, -1),
)  # fmt: skip
recorder = None if folder is None else wl.Recorder(folder / "belt", axis="step")
solver = wl.Static(world, passes=wl.Passes(max_it=40), stability="off", name="")


def find_lateral(state: wl.State) -> tuple[float, float]:
    """Return the lateral positions [m] of the belt on the driver and on the driven pulley, in the middle of each
    arc.
    """
    place = wl.eval_output(belt.nodes, "position", state)
    first, second = np.argmin(place[:, 1]), np.argmax(place[:, 1])
    return float(place[first, 2]), float(place[second, 0] - RADIUS)


def find_tension(state: wl.State) -> float:
    """Return the mean tension [N] of the spans."""
    return float(np.mean([span.tension for span in belt.report(state).spans]))


if not wl.help_requested():
    state = belt.tighten(solver.solve, wl.State(world))
    mounted = find_tension(state)
    steps, angles = max(int(np.ceil(turn / STEP)), 1), [0.0]
    for k in range(steps + 1):
        solver.time = turn * k / steps
        state = solver.solve(state, hooks=[recorder] if recorder is not None else [])
        rotation = wl.eval_output(driven, "rotation", state)
        angles.append(float(np.arctan2(rotation[2, 1], rotation[1, 1])))
    torque = np.abs(wl.eval_output(belt.cables, "torque", state)).max()
    lateral = find_lateral(state)
    results = {
        "tension of the spans as mounted [N]": (mounted, TENSION),
        "tension of the spans at the end [N]": (find_tension(state), TENSION),
        "lateral motion on the driver [mm]": (1e3 * lateral[0], 0.0),
        "lateral motion on the driven pulley [mm]": (1e3 * lateral[1], 0.0),
        "rotation of the driven pulley [rad]": (float(np.unwrap(angles)[-1]), direction * turn),
        "torque of a span [N m]": (float(torque), GJ * 0.5 * np.pi / belt.span_lengths[0]),
    }
    wl.write_summary({name: {"computed": values[0], "exact": values[1]} for name, values in results.items()})
    if wl.is_first_process():
        print(wl.format_comparison([(name, *values) for name, values in results.items()], "rule of entry"))
