"""A hoist as an FMU: a winch lifts a load on an elastic rope, and another tool sets the torque of the winch's motor.

The command ``windlass run examples/hoist_fmu.py`` runs the example with the start value of the torque. The command
``windlass fmu examples/hoist_fmu.py`` creates the FMU, whose input is the torque and whose outputs are speed, height
and tension. With ``-controller FILE.fmu`` an FMU with the input "speed" and the output "torque" controls the motor
within this script.

The rope hangs from a drum and carries the load m. A brake fixes the drum during the static solve, which determines the
shape of the rope. Then the brake opens, and the motor takes over the force of the brake and adds the torque dT. With
the inertia J of drum and motor and the radius R, load and drum accelerate on average by

    a = dT/R / (m + J/R²).

The load vibrates on the rope about this mean motion, by at most 2 m a/k with the stiffness k of the rope. Without a
controller, the example compares the rise of the load with a t²/2, and the tension at the load with m (g + a), as a mean
over the vibrations.

Source: Newton's second law; the rope has 0.2 % of the mass of the load.
"""

import windlass as wl
from windlass import connectors as con
from windlass import elements as el

mass = wl.option("mass", 200.0, "kg", "mass of the load", minimum=1.0)
end_time = wl.option("end_time", 2.0, "s", "end of the motion", minimum=0.1)
controller = wl.option("controller", "", "", "an FMU that controls the motor")
exchange = wl.option("exchange", 0.01, "s", "time between two exchanges with the controller", minimum=1e-4)

# radius [m] of the drum, inertia [kg m^2] of drum and motor, length [m] of the rope, EA [N], gravity [m/s^2]
R, J, LENGTH, EA, GRAVITY = 0.15, 0.9, 8.0, 4e5, 9.81
ROPE, TORQUE = 0.05, 45.0  # mass per length [kg/m] of the rope, torque [N m] of the motor without a controller
WEIGHT = (mass + ROPE * LENGTH) * GRAVITY

world = wl.World(gravity=(0.0, -GRAVITY))
rope = el.winch_rope(
    world, (0.0, 0.0), (0.0, -LENGTH), 2, strain=WEIGHT / EA, mass_per_length=ROPE, axial_stiffness=EA,
    bending_stiffness=1e-3, axial_damping=2e3,
)  # fmt: skip
con.hinge(world, rope.nodes[0])
load = world.add(el.MassPoint, name="load", position=(0.0, -LENGTH), mass=mass)
ends = [con.position_marker(world, end) for end in (rope.nodes[2], load)]
world.add(con.RevoluteJoint2D, marker0=ends[0], marker1=ends[1])
# inertia of drum and motor, converted to a mass [kg] that moves with the rope
world.add(el.GenericODE2, nodes=rope.feed, mass=[[J / R**2]])
out = con.coordinate_marker(world, rope.feed, "s")  # length of rope that has left the drum
motor = world.add(con.CoordinateLoad, marker=out)
brake = world.add(con.CoordinateConstraint, marker1=out)
state = wl.Static(world).solve()
pull = float(state.of(brake, "lam")[0, 0])  # force [N] of the rope on the drum
world.set(brake, active=False)


def set_torque(value: float) -> None:
    """Set the torque [N m] that the motor exerts in addition to the torque of the weight."""
    world.set(motor, value=-(pull + value / R))


sensors = {
    "speed": wl.Sensor(load, "velocity", 1, "speed"),
    "height": wl.Sensor(load, "position", 1, "height"),
    "tension": wl.Sensor(rope.cables[1], "axial_force", where={"share": 1.0}, name="tension"),
}
fmu = wl.FMUInterface()
fmu.input("torque", TORQUE, "N m", set=set_torque, doc="torque of the motor in addition to the torque of the weight")
for sensor in sensors.values():
    fmu.output(sensor)
table = wl.Sensors(None, list(sensors.values()))
hooks: list[wl.StepHook] = [table]
if controller:
    hooks.append(
        con.FMUController(controller, step=exchange, inputs={"speed": sensors["speed"]}, outputs={"torque": set_torque})
    )
state = fmu.solve(wl.Dynamic(world, step=2e-3, end=end_time), state, hooks)

if not wl.help_requested():
    times, rise, tension = table.times, table["height"] - table["height"][0], table["tension"]
    acceleration = TORQUE / R / (mass + J / R**2)
    results = {"rise": float(rise[-1]), "speed": float(table["speed"][-1]), "tension": float(tension.mean())}
    wl.write_summary(results | {"rise_expected": 0.5 * acceleration * float(times[-1]) ** 2})
    rows = [
        ("rise of the load [m]", results["rise"], 0.5 * acceleration * float(times[-1]) ** 2),
        ("mean tension at the load [N]", results["tension"], mass * (GRAVITY + acceleration)),
    ]
    if wl.is_first_process() and not controller:
        print(wl.format_comparison(rows, "theory"))
    elif wl.is_first_process():
        print(f"speed of the load at the end: {results['speed']:.4g} m/s")
