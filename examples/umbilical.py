"""An umbilical under torque forms a closed loop (a hockle) when it becomes slack, and the loop opens under tension.

The command ``windlass run examples/umbilical.py`` runs the example. The option ``-help`` lists all options.

An umbilical between two clamps has been twisted by several turns. One clamp moves towards the other. A long line with
the torque M buckles if the tension T falls below M²/(4 EI) (Greenhill). The line then forms an open loop, with the
position r of the axis at the arc length s:

    r(s) = (s - 2 a b tanh as, ρ cos ps, ρ sin ps),   ρ = 2 a b/cosh as,   p = M/(2 EI),   b = EI/T,   a² = T/EI - p².

With m = M/(2 √(EI T)), this loop shortens the line by 4 √(b (1 - m²)) and reduces the twist of the line by 4 arccos m.
The shortening has a maximum at about T = M²/(2 EI). If the clamp moves beyond this maximum, the loop closes suddenly,
until the line touches itself: a hockle. When the clamp moves back, the loop becomes smaller. For each position of the
clamp, the equation above describes a loop without contact, and gives the distance of the axis of this loop from itself.
While this distance exceeds the diameter of the line, the closed loop presses on itself. The loop pops out when this
distance is equal to the diameter.

Source: J. Coyne, IEEE J. Oceanic Eng. 15 (1990) 72-83 (loop, shortening); the tension at which the loop pops out
follows from this loop for a line of finite diameter.
"""

import numpy as np
from scipy.optimize import brentq, minimize_scalar

import windlass as wl
from windlass import connectors as con
from windlass.elements import PointSlopeTwist3D, TwistCable3D

turns = wl.option("turns", 8.0, "1", "turns by which one end is twisted", minimum=6.0, maximum=12.0)
speed = wl.option("speed", 0.2, "m/s", "speed of the clamp", minimum=0.01, maximum=0.5)
diameter = wl.option("diameter", 0.04, "m", "diameter of the umbilical", minimum=0.03, maximum=0.05)
output = wl.option("output", "umbilical_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

LENGTH, EA, EI, GJ = 4.0, 4e4, 1.0, 0.8  # length [m], EA [N], EI [N m^2], GJ [N m^2]
MASS, STIFFNESS, STEP = 0.5, 4e5, 2.5e-3  # mass per length [kg/m], contact stiffness [N/m^2], step size [s]
twist = 2.0 * np.pi * turns


def find_tension(m: float) -> float:
    """Return the tension [N] of a line with a loop of the parameter m."""
    return float(((twist - 4.0 * np.arccos(m)) * GJ / (2.0 * m * LENGTH)) ** 2 / EI)


def find_shortening(m: float) -> float:
    """Return the distance [m] by which the clamps have approached each other for a loop of the parameter m."""
    T = find_tension(m)
    return float(4.0 * np.sqrt(EI / T * (1.0 - m * m)) - T * LENGTH / EA)


def find_distance(m: float) -> float:
    """Return the smallest distance [m] of the axis from itself near the crossing of a loop of the parameter m."""
    T = find_tension(m)
    p, b = m * np.sqrt(T / EI), EI / T
    a = np.sqrt(1.0 / b - p * p)
    s = np.linspace(1.2, 3.0, 2001) / a
    away, radius = s - 2.0 * a * b * np.tanh(a * s), 2.0 * a * b / np.cosh(a * s)
    return float(2.0 * np.hypot(away, radius * np.sin(p * s)).min())


found = minimize_scalar(lambda m: -find_shortening(m), bounds=(0.5, 0.95), method="bounded")
farthest = find_shortening(found.x)
popping = float(brentq(lambda m: find_distance(m) - diameter, 0.1, 0.45))

# cables are short where the loop forms, and all cables are twisted by the same angle per length
x = LENGTH * np.concatenate((np.linspace(0.0, 0.3, 9)[:-1], np.linspace(0.3, 0.7, 41), np.linspace(0.7, 1.0, 9)[1:]))
last = len(x) - 1
world = wl.World()
nodes = world.add(
    PointSlopeTwist3D, position=np.outer(x, (1, 0, 0)), slope=(1, 0, 0), normal=(0, 1, 0), turned_from=(0, 0, 1)
)
rod = world.add(
    TwistCable3D, node0=nodes[:-1], node1=nodes[1:], length=np.diff(x), mass_per_length=MASS,
    rotary_inertia=MASS * diameter**2 / 8.0, axial_stiffness=EA, bending_stiffness=EI, torsional_stiffness=GJ,
    axial_damping=10.0, bending_damping=4e-3, torsional_damping=4e-3,
)  # fmt: skip
contact = con.add_cable_contact(
    world, rod, radius=0.5 * diameter, points=8, apart=2.5 * diameter, contact_stiffness_per_length=STIFFNESS,
    contact_damping_per_length=1e-3 * STIFFNESS,
)  # fmt: skip
con.clamp(world, nodes[0])
con.fix(world, nodes[last], "y", "z", "y'", "z'")
con.prescribe(world, nodes[last], "twist", lambda t: twist)
# a small force at the middle selects the direction of the loop
world.add(con.Force, marker=con.position_marker(world, nodes[last // 2]), vector=(0.0, 0.05, 0.0))

# The clamp starts at twice the tension at which the line buckles, moves 5 % beyond the maximum of the shortening, and
# returns.
stretched = 2.0 * find_tension(1.0) * LENGTH / EA
turning = (stretched + 1.05 * farthest) / speed
end = 2.0 * turning


def move_clamp(t: float) -> float:
    """Return the displacement [m] of the clamp."""
    return stretched - speed * (t if t < turning else 2.0 * turning - t)


con.prescribe(world, nodes[last], "x", move_clamp)


sensors = wl.Sensors(
    None if folder is None else folder / "umbilical.csv",
    [
        wl.Sensor(nodes[last], "displacement", component=0, name="displacement"),
        wl.Sensor(rod[0], "axial_force", name="tension"),
        wl.Sensor(rod[0], "torque", name="torque"),
        wl.Sensor(contact, "normal_force", name="force"),
    ],
    every=1,
)
hooks = [sensors] if folder is None else [sensors, wl.Recorder(folder / "umbilical", frames=150)]
motion = wl.Dynamic(world, step=STEP, end=end)

if not wl.help_requested():
    start = wl.State(world)
    dofs, strain = start.local_dofs(nodes), stretched / LENGTH
    start.q[dofs[:, 0]], start.q[dofs[:, 3]], start.q[dofs[:, 6]] = strain * x, strain, twist * x / LENGTH
    motion.solve(start, hooks=hooks)
    shortening = -sensors["displacement"]
    tension, torque, touches = sensors["tension"], sensors["torque"], np.abs(sensors["force"]).sum(axis=1) > 0.0
    # shape of the line before the loop closes, at half, 80 % and 95 % of the largest shortening
    shares = (0.5, 0.8, 0.95)
    known = {}
    for share in shares:
        k = int(np.flatnonzero(shortening > share * farthest)[0])
        m = float(brentq(lambda m, k=k: find_shortening(m) - shortening[k], found.x, 0.999))
        known[f"torque at {share:.0%} of the largest shortening [N m]"] = (
            float(torque[k]),
            2.0 * m * np.sqrt(EI * find_tension(m)),
        )
    first, left = (int(np.flatnonzero(touches)[k]) for k in (0, -1))
    known["shortening at which the loop closes [m]"] = float(shortening[first]), farthest
    known["shortening at which the loop pops out [m]"] = float(shortening[left]), find_shortening(popping)
    known["tension at which the loop pops out [N]"] = float(tension[left]), find_tension(popping)
    wl.write_summary({name: {"computed": values[0], "exact": values[1]} for name, values in known.items()})
    if wl.is_first_process():
        print(wl.format_comparison([(name, *values) for name, values in known.items()], "theory"))
