"""A winch lifts a hook block on two falls of wire rope. The torque of the rope turns the block.

The command ``windlass run examples/hoist_spin.py`` runs the example. The option ``-help`` lists all options. With
``-travel -8`` the winch lowers the block, until the falls cross.

The rope runs from the outlet of a winch down to the sheave of the block and up to its dead end. Tension N and torque M
of the rope follow from its strain ε and its twist τ per length,

    N = EA ε + C τ,   M = C ε + GJ τ,

where C is the coupling of tension and twist of a rope of one lay direction. Winch and dead end hold the rope, so the
torque acts on the block. Let W be the weight of the block, R the radius of the sheave to the axis of the rope, and l
the length of the rope outside the winch. The bending stiffness EI moves the falls at the sheave outwards to the
distance B from the middle. If the block turns by the angle φ, each fall of the length s becomes inclined, and the rope
loses the twist 2 φ, because no friction holds the rope on the sheave. The height h of the falls and the moment on the
block are

    B = R + EI/(W R),   h² = s² - R² - B² + 2 R B cos φ,
    M_φ = 2 M h/s - W R B sin φ/h,   M = C W s/(2 EA h) - (GJ - C²/EA) 2 φ/l.

The moment that turns the block back is limited. Therefore a block of 5000 kg has no position of rest if the falls are
longer than 20 m: it turns until the falls cross and wind around each other. The motion of the block with the moment of
inertia Θ follows from Θ φ_tt = M_φ.

Source: own derivation; for the torque of ropes G. A. Costello, Theory of Wire Rope, Springer (1997), and K. Feyrer,
Wire Ropes, Springer (2015), section 2.4.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    ALENode,
    PointSlopeTwist3D,
    RigidBody3D,
    Sheave,
    WinchTwistCable3D,
    route_over_sheaves,
)

load = wl.option("load", 5000.0, "kg", "mass of block and load", minimum=1000.0, maximum=10000.0)
height = wl.option("height", 15.0, "m", "length of the falls at the start", minimum=6.0, maximum=15.0)
travel = wl.option(
    "travel", min(10.0, height - 3.0), "m", "distance by which the winch lifts the block; negative: lowers",
    minimum=-10.0, maximum=height - 3.0,
)  # fmt: skip
duration = wl.option("duration", 40.0, "s", "duration of the lift", minimum=5.0)
output = wl.option("output", "hoist_spin_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

DIAMETER, EA, EI, GJ = 0.016, 8e6, 40.0, 100.0  # rope: diameter [m], EA [N], EI [N m^2], GJ [N m^2]
# coupling [N m] of tension and twist: the torque is the tension times 0.1 diameters of the rope
C = 0.1 * DIAMETER * EA
DENSITY, GRAVITY, STIFFNESS = 0.9, 9.81, 1e9  # mass per length [kg/m], gravity [m/s^2], contact stiffness [N/m^2]
# radius R [m] of the sheave, moment of inertia Θ [kg m^2] of the block, distance [m] of its centre below the sheave
SHEAVE, INERTIA, BELOW = 0.16, 400.0, 1.0
REST, STEP = 1.0, 0.02  # time [s] before and after the lift, step size [s]
ON_SHEAVE, ON_FALL = 36, 6  # cables near the sheave and along each fall
WEIGHT, ARC = load * GRAVITY, np.pi * SHEAVE
STRAIN, BESIDE = 0.5 * WEIGHT / EA, SHEAVE + EI / (WEIGHT * SHEAVE)  # strain of the rope, distance B [m]


def eval_moment(angle: float, s: float) -> float:
    """Return the moment M_φ [N m] for falls of the length s [m]."""
    h = np.sqrt(s**2 - SHEAVE**2 - BESIDE**2 + 2.0 * SHEAVE * BESIDE * np.cos(angle))
    torque = C * STRAIN * s / h - (GJ - C**2 / EA) * 2.0 * angle * (1.0 + STRAIN) / (2.0 * s + ARC)
    return float(2.0 * torque * h / s - WEIGHT * SHEAVE * BESIDE * np.sin(angle) / h)


def find_rest(s: float) -> float:
    """Return the smallest angle [rad] at which a block on falls of the length s [m] is at rest."""
    angles = np.linspace(0.0, 0.5 * np.pi, 200)
    i = int(np.argmax(np.array([eval_moment(angle, s) for angle in angles]) < 0.0))
    return float(brentq(eval_moment, angles[i - 1], angles[i], args=(s,)))


# the rope is straight, with short cables near the sheave for all lengths of the falls
world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
axis, centre = (0.0, 1.0, 0.0), (0.0, 0.0, -height)
route = route_over_sheaves([Sheave(centre, axis, SHEAVE, "right")], start=(-SHEAVE, 0, 0), end=(SHEAVE, 0, 0))
near = 0.5 * (ARC + 0.1) / (2.0 * min(height, height - travel) + ARC)
shares = np.concatenate((
    np.linspace(0.0, 0.5 - near, ON_FALL, endpoint=False),
    np.linspace(0.5 - near, 0.5 + near, ON_SHEAVE, endpoint=False), np.linspace(0.5 + near, 1.0, ON_FALL + 1),
))  # fmt: skip
place, tangent, _ = route.eval_points(shares * route.length)
nodes = world.add(PointSlopeTwist3D, position=place, slope=tangent * (1.0 + STRAIN), normal=axis, turned_from=axis)
feed = world.add(ALENode, reference=route.length / (1.0 + STRAIN))
rope = world.add(
    WinchTwistCable3D, name="rope", node0=nodes[:-1], node1=nodes[1:], feed=feed, begin=shares[:-1],
    share=np.diff(shares), axial_stiffness=EA, bending_stiffness=EI, torsional_stiffness=GJ, coupling=C,
    mass_per_length=DENSITY, rotary_inertia=DENSITY * DIAMETER**2 / 8.0, axial_damping=2e5,
)  # fmt: skip
for end in (nodes[0], nodes[len(nodes) - 1]):
    con.fix(world, end, "x", "y", "z", "twist")
block = world.add(
    RigidBody3D, name="block", position=(0.0, 0.0, -height - BELOW), mass=load,
    inertia=(1500.0, 1500.0, INERTIA),
)  # fmt: skip
sheave = world.add(
    con.SheaveSurface, marker=con.rigid_marker(world, block, (0.0, 0.0, BELOW)), axis=axis,
    radius=SHEAVE - 0.5 * DIAMETER, groove_radius=0.525 * DIAMETER, outer_radius=SHEAVE + DIAMETER,
)  # fmt: skip
con.add_surface_contact(
    world, sheave, rope, points=4, rope_radius=0.5 * DIAMETER, contact_stiffness_per_length=STIFFNESS,
    contact_damping_per_length=2e4,
)  # fmt: skip
lift = con.smooth_step(REST, REST + duration, 0.0, travel)
con.prescribe(world, feed, "s", lambda t: -2.0 * lift(t))
# a tag line holds the block at an angle before the lift
tag_line = world.add(con.CoordinateConstraint, marker1=con.rotation_marker(world, block, "z"))
static = wl.Static(world, time=0.0, stability="off", name="held")
motion = wl.Dynamic(world, step=STEP, end=REST + duration + REST, name="lift")


def read_block(state: wl.State) -> tuple[float, float]:
    """Return the angle of the block [rad], from -π to π, and the depth of the sheave below the winch [m]."""
    turned, position = wl.eval_output(block, "rotation", state), wl.eval_output(block, "position", state)
    return float(np.arctan2(turned[1, 0], turned[0, 0])), float(-position[2] - BELOW)


def move(t: float, y: NDArray[np.float64]) -> tuple[float, float]:
    """Return the angular velocity [rad/s] and acceleration [rad/s^2] of the block for (φ, φ_t), by Θ φ_tt = M_φ."""
    return y[1], eval_moment(y[0], height - lift(t) * (1.0 + STRAIN)) / INERTIA


def turn_half(t: float, y: NDArray[np.float64]) -> float:
    """Return the angle [rad] by which the block still has to turn until the falls cross."""
    return np.pi - y[0]


if not wl.help_requested():
    held = static.solve()
    torque = float(wl.eval_output(tag_line, "force", held))
    start = find_rest(height)
    for angle in np.linspace(0.0, start, 6)[1:]:
        world.set(tag_line, offset=angle)
        held = static.solve(held)
    world.set(tag_line, active=False)
    held = static.solve(held)
    path = [(0.0, *read_block(held))]
    hooks = [] if folder is None else [wl.Recorder(folder / "hoist", every=10)]
    for state in motion.march(held, hooks=hooks):
        angle, depth = read_block(state)
        path.append((state.t, path[-1][1] + (angle - path[-1][1] + np.pi) % (2.0 * np.pi) - np.pi, depth))
        if path[-1][1] > np.pi:
            break
    time, turned, depths = np.array(path).T

    exact = solve_ivp(move, (0.0, motion.end), (start, 0.0), events=turn_half, rtol=1e-9, atol=1e-9, dense_output=True)
    crossed = exact.t_events[0]
    results = {
        "moment of the tag line [N m]": (torque, eval_moment(0.0, height)),
        "angle of rest before the lift [rad]": (float(turned[0]), start),
    }
    if turned[-1] > np.pi:
        results["time at which the falls cross [s]"] = (float(np.interp(np.pi, turned, time)), float(crossed[0]))
    else:
        results["angle after the lift [rad]"] = (float(turned[-1]), float(exact.sol(motion.end)[0]))
        results["length of the falls after the lift [m]"] = (float(depths[-1]), height - travel * (1.0 + STRAIN))
    wl.write_summary({name: {"computed": values[0], "exact": values[1]} for name, values in results.items()})
    if wl.is_first_process():
        print(wl.format_comparison([(name, *values) for name, values in results.items()], "light rope"))
