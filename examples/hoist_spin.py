"""The wire rope of a hoist rotates its hook block, because tension causes torque in a rope of one lay direction.

The command ``windlass run examples/hoist_spin.py`` runs the example. The option ``-help`` lists all options.

A block hangs on one fall of rope. Tension N and torque M of the rope follow from its strain ε and its twist τ per
length,

    N = EA ε + C τ,   M = C ε + GJ τ.

Here EA is the axial stiffness, GJ the torsional stiffness, and C the coupling of tension and twist. A block that cannot
rotate carries the torque M = C N/EA. A free block turns back by τ = -C N/(EA GJ - C²) per metre. After its release the
block swings about this angle like a torsional pendulum with the stiffness (GJ - C²/EA)/L, for a rope of the length L:

    φ(t) = φ_e (1 - cos ωt),   ω² = (GJ - C²/EA)/(L Θ).

φ_e is the angle at which the released block is in equilibrium. Θ is the moment of inertia of the block plus a third of
the moment of inertia of the rope.

Source: G. A. Costello, Theory of Wire Rope, Springer (1997); K. Feyrer, Wire Ropes, Springer (2015), section 2.4.
"""

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody3D, euler_parameters_of, nodes_of, straight_cable

load = wl.option("load", 500.0, "kg", "mass of the block and its load", minimum=1.0)
length = wl.option("length", 10.0, "m", "length of the rope", minimum=0.1)
elements = wl.option("elements", 8, "1", "elements of the rope", minimum=1)
output = wl.option("output", "hoist_spin_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

DIAMETER, EA, EI, GJ = 0.016, 8e6, 40.0, 100.0  # rope: diameter [m], EA [N], EI [N m^2], GJ [N m^2]

# coupling [N m] of tension and twist: the torque is the tension times 0.1 diameters of the rope
C = 0.1 * DIAMETER * EA
# mass per length [kg/m], inertia [kg m^2] of the block, gravity [m/s^2]
MASS_PER_LENGTH, INERTIA, GRAVITY = 0.9, 8.0, 9.81

# The rope hangs along -z. The first axes of the cross-sections at its nodes and of the block point along x.
world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
rope = straight_cable(
    world, (0, 0, 0), (0, 0, -length), elements, normal=(1, 0, 0), axial_stiffness=EA, bending_stiffness=EI,
    torsional_stiffness=GJ, coupling=C, mass_per_length=MASS_PER_LENGTH,
    rotary_inertia=MASS_PER_LENGTH * DIAMETER**2 / 8.0,
)  # fmt: skip
nodes = nodes_of(world, rope)
end = nodes[elements]
axes = euler_parameters_of([[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
block = world.add(RigidBody3D, position=(0, 0, -length), euler_parameters=axes, mass=load, inertia=INERTIA)
con.clamp(world, nodes[0])
world.add(con.GenericJoint, marker0=con.rigid_marker(world, end), marker1=con.rigid_marker(world, block))
hand = con.fix(world, end, "twist")

whole = INERTIA + MASS_PER_LENGTH * DIAMETER**2 / 8.0 * length / 3.0
omega = np.sqrt((GJ - C**2 / EA) / (length * whole))
period = 2.0 * np.pi / omega
sensors = wl.Sensors(None if folder is None else folder / "block.csv", [wl.Sensor(end, "twist", name="angle")])
hooks = [sensors] if folder is None else [sensors, wl.Recorder(folder / "hoist", every=4)]
static = wl.Static(world, rtol=1e-10, name="held")
motion = wl.Dynamic(world, step=period / 400.0, end=period, name="free")

if not wl.help_requested():
    held = static.solve()
    torque = float(wl.eval_output(rope[0], "torque", held))
    world.set(hand, active=False)
    motion.solve(held, hooks=hooks)
    angle, t = sensors["angle"], sensors.times
    # tension of the rope in the middle
    tension = (load + 0.5 * MASS_PER_LENGTH * length) * GRAVITY
    rest = -C * tension * length / (EA * GJ - C**2)
    known = {
        "torque while held [N m]": (torque, C * tension / EA),
        "largest angle [rad]": (float(angle[np.abs(angle).argmax()]), 2.0 * rest),
        "angle after a quarter of a period [rad]": (float(np.interp(0.25 * period, t, angle)), rest),
        "angle after a whole period [rad]": (float(angle[-1]), 0.0),
    }
    wl.write_summary({name: {"computed": values[0], "exact": values[1]} for name, values in known.items()})
    if wl.is_first_process():
        print(wl.format_comparison([(name, *values) for name, values in known.items()], "closed form"))
