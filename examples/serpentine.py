"""A serpentine drive has five pulleys on both sides of a belt, a tensioner with a torsion spring, and an alternator.

The command ``windlass run examples/serpentine.py`` runs the example. The option ``-help`` lists all options.

The belt runs clockwise: crank, tensioner (on the back of the belt), alternator, idler (on the back of the belt),
compressor. The torsion spring of the arm is wound such that it would balance the tension of the mounted belt. The
checks are

- at rest: the moments of belt and spring about the pivot of the arm balance. The lowest frequencies of the spans agree
  with the frequencies of strings, sqrt(T/rhoA)/(2 L), except for small differences, because the pulleys slightly change
  the free lengths;
- in motion, as means over time: the torque of each pulley on the ribbed side of the belt agrees with (T_1 - T_2) R,
  where T_1 and T_2 are the tensions of the adjacent spans, and R is the radius of the cord on the pulley.
"""

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import RigidBody2D

speed = wl.option("speed", 80.0, "rad/s", "speed of the crank", minimum=1.0)
end_time = wl.option("end_time", 0.25, "s", "time at the end", minimum=1e-3)
step = wl.option("step", 5e-5, "s", "step size", minimum=1e-6)
friction = wl.option("friction", 0.8, "1", "friction coefficient of the ribs; the back has half of it", minimum=0.01)
tension = wl.option("tension", 400.0, "N", "tension as mounted", minimum=1.0)
output = wl.option("output", "serpentine_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# data of the drive
AT = {"crank": (0.0, 0.0), "tensioner": (-0.07, 0.18), "alternator": (-0.05, 0.35), "idler": (0.115, 0.255)}
AT["compressor"] = (0.25, 0.1)  # positions [m] of the centres
RADII = {"crank": 0.08, "tensioner": 0.035, "alternator": 0.03, "idler": 0.035, "compressor": 0.06}  # radii [m]
INERTIA = {"crank": 0.02, "tensioner": 1e-4, "alternator": 3e-3, "idler": 1e-4, "compressor": 2e-3}  # [kg m^2]

# damping [N m s/rad] of the driven machines
DRAG = {"alternator": 0.03, "compressor": 0.08}
# tensioner: pivot [m], arm [m], torsion spring [N m/rad]; belt: EA [N], mass per length [kg/m]
PIVOT, ARM, SPRING, EA, RHO = (-0.16, 0.10), (0.09, 0.08), 60.0, 1e5, 0.1
world = wl.World()
body = {name: world.add(RigidBody2D, name=name, position=AT[name], mass=0.5, inertia=INERTIA[name]) for name in AT}
arm = world.add(RigidBody2D, name="arm", position=PIVOT, mass=0.5, inertia=2e-3)
con.fix(world, arm, "x", "y")
con.fix(world, [body[name] for name in AT if name != "tensioner"], "x", "y")
joint = {"marker0": con.rigid_marker(world, arm, ARM), "marker1": con.rigid_marker(world, body["tensioner"])}
world.add(con.RevoluteJoint2D, **joint)
pulleys = [
    wl.Pulley(body[name], RADII[name], side, friction=friction if side == "right" else friction / 2)
    for name, side in zip(AT, ("right", "left", "right", "left", "right"), strict=True)
]
belt = wl.Belt(
    world, pulleys, tension=tension, axial_stiffness=EA, bending_stiffness=5e-3, mass_per_length=RHO, axial_damping=5.0,
    cord_offset=(0.002, 0.001), step=step,
)  # fmt: skip
wound = float(belt.hub_loads[1] @ (-ARM[1], ARM[0])) / SPRING  # angle [rad] at which the spring balances the belt
swing = {"marker1": con.coordinate_marker(world, arm, "rotation"), "stiffness": SPRING, "damping": 0.5}
world.add(con.CoordinateSpringDamper, offset=-wound, **swing)
for name, damping in DRAG.items():
    spin = con.coordinate_marker(world, body[name], "rotation")
    world.add(con.CoordinateSpringDamper, marker1=spin, damping=damping)
drive = con.prescribe_velocity(world, body["crank"], "rotation", con.smooth_step(0.0, 0.1, 0.0, -speed))

# solution at rest, modes at rest, and motion
with belt.preload(drive):
    rest = wl.Static(world).solve()
    modes = wl.Modes(world, count=15).solve(rest)
at_rest = belt.report(rest)
ledger = wl.EnergyLedger(folder / "energy.csv" if folder else None)
angle = wl.Sensor(arm, "rotation", name="angle of the tensioner")
means = belt.average(0.6 * end_time, 5, folder / "drive.csv" if folder else None, [angle])
state = wl.Dynamic(world, step=step, end=end_time, name="serpentine").solve(rest, hooks=[ledger, means])
report = means.report()

# checks
turn = float(wl.eval_output(arm, "rotation", rest))
lever = np.array(((np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn)))) @ ARM
moment = float(np.dot(at_rest["tensioner"].hub_load, (-lever[1], lever[0])))
rows = [("moment of the belt on the arm [N m]", moment, SPRING * (turn + wound))]
frequencies = [float(modes.frequencies[np.abs(modes.frequencies - s.string_frequency).argmin()]) for s in at_rest.spans]
for span, frequency in zip(at_rest.spans, frequencies, strict=True):
    rows.append((f"frequency of the span {span.name} [Hz]", frequency, span.string_frequency))
for duty, pulley in zip(report.pulleys if report else (), pulleys, strict=bool(report)):
    if pulley.side == "right":
        torque = (duty.tension_before - duty.tension_after) * (pulley.radius + 0.002)
        rows.append((f"mean torque on the {duty.name} [N m]", duty.torque, torque))
results = {"rows": {name: [value, ideal] for name, value, ideal in rows}, "energy_rest": ledger.rest}
if report:
    results["slip_reserve"] = {duty.name: duty.slip_reserve for duty in report.pulleys}
    results["efficiency"] = report.efficiency
wl.write_summary(results)
if wl.is_first_process():
    print(modes.table(), ledger.format(), sep="\n")
    print(at_rest.format(), report.format() if report else "", sep="\n")
    print(wl.format_comparison(rows, "ideal"))
if folder:
    ledger.draw(folder / "energy.png")
    belt.draw(folder / "belt.png", state)
