"""A crane hoists a load on two or four falls, and the load then swings. The 3D model has a drum with two layers, a
block and sheaves.

The command ``windlass run examples/crane_hoist.py`` runs the example. The option ``-help`` lists all options; with
``-falls 2`` the crane has fewer sheaves.

A rope runs from its anchor down around a sheave of the block. For four falls the rope runs up over a fixed sheave and
down again. The rope then runs onto a drum with two flanges. The end of the rope is fixed to the drum. The drum turns
and, like a drum with a lead screw, moves along its axis. This motion guides the rope to its position on the drum, see
`DrumLayers`. The hoist begins while the last turn of the first layer is wound. In the next turn the rope lies at the
flange, and the previous turn lifts the rope. The next turn then continues in the second layer, in the groove between
the previous turn and the flange. Only contact and friction hold this turn on the rope in the first layer. After the
hoist the drum stops, and the block is pushed and swings across and along the falls. Sheaves do not turn in this model.
The friction of a bearing with the efficiency eta acts as friction of the rope in the groove, exp(-mu pi) = eta. The
checks are:

- tensions during hoisting at constant speed, with n falls: T (1 + eta + ... + eta^(n-1)) = W, where W is the weight of
  block and load. T is the largest tension, in the fall that runs to the drum, at the height of the block;
- lift: in each layer, the load rises by 1/n of the wound length. Per radian of the drum's rotation, the wound length
  is R in layer one and R + h in layer two, where R is the radius of the axis of the rope in layer one, and h is the
  increase of this radius in layer two. Over both layers the load rises by 1/n of the length of the route, including the
  rise between the layers;
- torque of the drum: T R in layer one and T (R + h) in layer two, with the tension at the height of the axis of the
  drum;
- frequency of the swing across the falls: equal to the frequency of a double pendulum. In this pendulum, the falls are
  bars of the length l and the total mass m. Block and load have the mass M and the moment of inertia J about their
  centre of mass, at the distance d below the sheaves. With gravity g, the matrices of mass and stiffness for small
  angles are:

      [(M + m/3) l²   M l d    ]  and  [(M + m/2) g l   0    ]
      [M l d          J + M d² ]       [0               M g d].

Source: statics; double pendulum: L. D. Landau, E. M. Lifshitz, Mechanics, Pergamon (1976), paragraphs 5 and 23.
"""

from math import log, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import curve_fit

import windlass as wl
from windlass import connectors as con
from windlass.elements import (
    DrumLayers,
    Ground,
    RigidBody3D,
    Sheave,
    SpatialRoute,
    cable_along,
    nodes_of,
    route_over_sheaves,
)

falls = int(wl.option("falls", "4", "1", "parts of rope that carry the load", choices=("2", "4")))
efficiency = wl.option("efficiency", 0.96, "1", "efficiency of a sheave", minimum=0.5)
swings = wl.option("swings", 1, "1", "periods of the load that are waited for", minimum=1)
size = wl.option("size", 0.06, "m", "length of an element", minimum=0.01)
output = wl.option("output", "crane_hoist_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# gravity [m/s^2]; radius of the rope's axis on drum and sheaves, radius of the rope [m]
G, RADIUS, ROPE = 9.81, 0.1, 0.005
LAYERS = DrumLayers(RADIUS, 2.0 * ROPE, 2.04 * ROPE, 3)
MASS, INERTIA, BELOW = 100.0, 2.0, 0.15  # mass [kg] and inertia [kg m^2] of block and load; distance d [m]
DENSITY, EA, CONTACT = 0.3, 1e6, 3e7  # mass per length [kg/m] and EA [N] of the rope; contact stiffness [N/m^2]
HEIGHT = 1.0 if falls == 4 else 1.6  # initial length l [m] of the falls; two falls shorten twice as fast as four

# wound angle [rad] at the start, and angle [rad] by which the drum rotates during the hoist
WOUND, WINDS = 4.4 * pi, 2.6 * pi
# speed [m/s] of the rope when it is wound onto the drum; duration [s] of start and stop; pause [s] before the push
SPEED, RISE, REST = 1.0, 0.2, 0.2
# wound angles [rad] at which the rope leaves layer one, and at which it has reached layer two
END_ONE, BEGIN_TWO = 2.7 * 2.0 * pi, 3.08 * 2.0 * pi
SHORTEST = 0.5  # smallest range of the wound angle [rad] over which means are computed
STEP, SWING_STEP = 1e-3, 4e-3  # step sizes [s] of hoist and swing
PUSH = 0.15  # speed [m/s] of the load at the start of the swing, across and along the falls
HOIST = RADIUS * WINDS / SPEED + RISE  # duration [s] of the drum's motion
Checks = dict[str, tuple[float, float]]


def turn(t: float) -> float:
    """Return the angle [rad] of the drum. The speed of the drum increases linearly, is constant, and then decreases
    linearly.
    """
    t = min(t, HOIST)
    way = 0.5 * min(t, RISE) ** 2 / RISE + max(t - RISE, 0.0) - 0.5 * max(t - HOIST + RISE, 0.0) ** 2 / RISE
    return SPEED / RADIUS * way


def lead(t: float) -> float:
    """Return the axial position [m] of the drum that guides the rope to its position on the drum."""
    places = LAYERS.eval_places((WOUND, WOUND + turn(t)))[1]
    return float(places[0] - places[1])


class Crane(NamedTuple):
    """World, rope, block, surface of the drum, constraints of the block (free in height) and of the drum, and
    contacts."""

    world: wl.World
    rope: wl.Entity
    block: wl.Entity
    drum: wl.Entity
    hold: wl.Entity
    drive: wl.Entity
    on_drum: wl.Entity
    on_sheaves: wl.Entity
    on_itself: wl.Entity


def build() -> Crane:
    """Build the crane at the start of the hoist. The contact of the rope with the sheaves has no friction."""
    world = wl.World(gravity=(0.0, -G, 0.0))
    ground = world.add(Ground)
    # the distance between falls is one sheave diameter, and the first fall is tangent to the second layer on the drum
    first = RADIUS + LAYERS.rise
    middle = first + (falls - 1) * RADIUS
    places = [(first + (2 * k + 1) * RADIUS, -HEIGHT if k % 2 == 0 else 0.0) for k in reversed(range(falls - 1))]
    z = (0.0, 0.0, 1.0)
    sheaves = [Sheave((*place, 0.0), z, RADIUS, "right" if place[1] else "left") for place in places]
    anchor = (first + 2 * (falls - 1) * RADIUS, 0.0, 0.0)
    reeving = route_over_sheaves(sheaves, start=anchor, end=(RADIUS, 0.0, 0.0))
    route = SpatialRoute(reeving.pieces + LAYERS.route(WOUND).pieces)
    rope = cable_along(
        world, route, round(route.length / size), name="rope", mass_per_length=DENSITY, axial_stiffness=EA,
        bending_stiffness=0.01, axial_damping=500.0, bending_damping=1e-4,
        reference_strain=-MASS * G / falls / EA,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[0])

    # the drum turns about z and moves along z
    drum = world.add(RigidBody3D, name="drum", position=(0.0, 0.0, 0.0), mass=20.0, inertia=0.2)
    con.fix(world, drum, "x", "y")
    con.prescribe(world, drum, "z", lead)
    bearing = con.rigid_marker(world, ground), con.rigid_marker(world, drum)
    world.add(
        con.GenericJoint, marker0=bearing[0], marker1=bearing[1], translations=(False,) * 3,
        rotations=(True, True, False),
    )  # fmt: skip
    drive = world.add(con.CoordinateConstraint, marker1=con.rotation_marker(world, drum, "z"), offset_function=turn)
    last = nodes[len(nodes) - 1]
    clamp = con.position_marker(world, drum, np.asarray(last.position))
    world.add(con.SphericalJoint, marker0=clamp, marker1=con.position_marker(world, last))
    # The layers begin at z = 0, where the end of the rope is fixed to the drum. The layers are shifted so that the rope
    # leaves the drum at its wound angle. The flanges have a small clearance.
    flanges, here = LAYERS.flanges, LAYERS.eval_places(WOUND)[1][0]
    center = con.rigid_marker(world, drum, (0.0, 0.0, 0.5 * sum(flanges) - here))
    half_width = 0.5 * (flanges[1] - flanges[0]) + 0.02 * ROPE
    surfaces = con.add_drum(
        world, center, radius=RADIUS - ROPE, half_width=half_width, flange_radius=RADIUS + 6.0 * ROPE
    )

    block = world.add(
        RigidBody3D, name="block", position=(middle, -HEIGHT, 0.0), mass=MASS, inertia=INERTIA,
        center_of_mass=(0.0, -BELOW, 0.0),
    )  # fmt: skip
    hold = con.fix(world, block, "x", "z", "e1", "e2", "e3")
    grooves = []
    for x, y in places:
        if y:
            marker = con.rigid_marker(world, block, (x - middle, 0.0, 0.0))
        else:
            marker = con.rigid_marker(world, world.add(Ground), (x, y, 0.0))
        radii: dict[str, Any] = {"radius": RADIUS - ROPE, "outer_radius": RADIUS + 3.0 * ROPE}
        grooves.append(world.add(con.SheaveSurface, marker=marker, groove_radius=1.06 * ROPE, **radii))
    settings: dict[str, Any] = {
        "points": 4, "rope_radius": ROPE, "contact_stiffness_per_length": CONTACT, "contact_damping_per_length": 1e4,
        "friction_stiffness_per_length": CONTACT, "friction_velocity_penalty_per_length": 1e3,
    }  # fmt: skip
    on_sheaves = con.add_surface_contact(world, grooves, rope, **settings)
    # number of cables that are on the drum or reach the drum during the hoist
    near = int((LAYERS.eval_length(0.0, WOUND + WINDS) + RADIUS) / size) + 1
    near_rope = rope[len(rope) - near :]
    on_drum = con.add_surface_contact(world, surfaces, near_rope, friction_coefficient=0.3, **settings)
    on_itself = con.add_cable_contact(
        world, near_rope, radius=ROPE, points=int(np.ceil(size / (1.5 * ROPE))),
        contact_stiffness_per_length=CONTACT, contact_damping_per_length=1e4, friction_coefficient=0.3, skin=2.0 * ROPE,
        friction_stiffness_per_length=CONTACT, friction_velocity_penalty_per_length=1e3,
    )  # fmt: skip
    return Crane(world, rope, block, surfaces[0], hold, drive, on_drum, on_sheaves, on_itself)


def eval_swing(length: float) -> tuple[float, float]:
    """Return the frequency [Hz] of the slow swing on falls of the given length [m]. The second result is the ratio [1]
    of the tilt of the block to the angle of the falls.
    """
    bars = falls * DENSITY * length
    inertia = np.array(
        [[(MASS + bars / 3.0) * length**2, MASS * length * BELOW], [MASS * length * BELOW, INERTIA + MASS * BELOW**2]]
    )
    stiffness = np.diag([(MASS + bars / 2.0) * G * length, MASS * G * BELOW])
    squares, shapes = eigh(stiffness, inertia)
    return float(np.sqrt(squares[0]) / (2.0 * pi)), float(shapes[1, 0] / shapes[0, 0])


def push(crane: Crane, state: wl.State, length: float) -> None:
    """Set initial velocities of falls and block: across the falls, in the shape of the slow swing, and along the
    falls."""
    nodes = nodes_of(crane.world, crane.rope)
    share = np.clip(-wl.eval_output(nodes, "position", state)[:, 1] / length, 0.0, 1.0)
    v = state.of(nodes, "v")
    v[:, 0] += PUSH * share
    v[:, 2] += PUSH * share
    state.put(nodes, v, "v")
    v = state.of(crane.block, "v")
    v[0, (0, 2)] += PUSH
    # an angle of the falls towards z is a negative rotation about x; the Euler parameter e1 is half of the rotation
    v[0, 4] -= 0.5 * eval_swing(length)[1] * PUSH / length
    state.put(crane.block, v, "v")


def fit_frequency(time: NDArray[np.float64], z: NDArray[np.float64], guess: float) -> float:
    """Return the frequency [Hz] of the sine that fits z [m] best."""

    def sine(t: Any, f: float, a: float, b: float, c: float) -> Any:
        return a * np.sin(2.0 * pi * f * t) + b * np.cos(2.0 * pi * f * t) + c

    return float(curve_fit(sine, time, z, (guess, np.ptp(z) / 2.0, 0.0, z.mean()))[0][0])


def check_layer(hoisted: NDArray[np.float64], radius: float) -> tuple[Checks, Checks]:
    """Return tensions [N], lift [m] and lever [m] of the torque, each with its theoretical value, for the winding of
    one layer. In this layer, the axis of the rope has the given radius.

    Columns of ``hoisted`` are the wound angle, time, height and speed of the block, tensions at anchor and drum, and
    torque.
    """
    first, last, sizes = hoisted[0], hoisted[-1], np.diff(hoisted[:, 1])
    # means over time, because the steps have different sizes
    y, anchor, drum, torque = sizes @ (hoisted[1:] + hoisted[:-1])[:, (2, 4, 5, 6)] / (2.0 * sizes.sum())
    geometric = sum(efficiency**k for k in range(falls))
    # the load vibrates vertically on the elastic rope, so its mean acceleration in this time is not 0 and is added to
    # gravity
    weight = (G + (last[3] - first[3]) / (last[1] - first[1])) * (MASS + 0.5 * falls * DENSITY * pi * RADIUS)
    tensions = {
        "tension_at_drum": (drum, weight / geometric),
        "tension_at_anchor": (anchor, weight / geometric * efficiency ** (falls - 1)),
    }
    return tensions, {
        "rise": (last[2] - first[2], radius * (last[0] - first[0]) / falls),
        # the tension at the height of the drum axis is the tension at the block plus the weight of the rope between
        # both heights
        "lever_of_torque": (torque / (drum - DENSITY * G * y), radius),
    }


def unit_of(name: str) -> str:
    """Return the unit of a checked quantity."""
    return "N" if "tension" in name else "Hz" if name == "frequency" else "m"


def main() -> None:
    """Compute the equilibrium, the hoist and the swing of the load, and check the results."""
    crane = build()
    world, rope, block = crane.world, crane.rope, crane.block
    passes: dict[str, Any] = {"passes": wl.Passes(max_it=40, atol=1e-3)}
    static = wl.Static(world, **passes)
    if wl.help_requested():
        wl.Dynamic(world, step=STEP, end=HOIST, **passes)
        return
    state = static.solve()
    low = float(wl.eval_output(block, "position", state)[1])
    world.set(crane.hold, active=False)
    world.set(crane.on_sheaves, friction_coefficient=-log(efficiency) / pi)
    hooks = [] if folder is None else [wl.Recorder(folder / "crane", every=20)]

    hoist = wl.Dynamic(world, step=STEP, end=HOIST + REST, spectral_radius=0.6, name="hoist", **passes)
    track, drum_side = [], rope[np.array((0, place_at_drum(crane)))]
    for now in hoist.march(state, hooks=hooks):
        y, rising = (wl.eval_output(block, name, now)[1] for name in ("position", "velocity"))
        # tension at the height of the block: the weight of the rope between the block and the measured position is
        # subtracted
        tension = wl.eval_output(drum_side, "axial_force", now, x=0.5 * size)
        tension -= DENSITY * G * (wl.eval_output(drum_side, "position", now, x=0.5 * size)[:, 1] - y)
        torque = -float(wl.eval_output(crane.drive, "force", now))
        track.append((WOUND + turn(now.t), now.t, y, rising, *tension, torque))
        state = now
    hoisted = np.array(track)
    high = float(wl.eval_output(block, "position", state)[1])
    length = -high

    frequency = eval_swing(length)[0]
    push(crane, state, length)
    swing = wl.Dynamic(
        world, step=SWING_STEP, end=HOIST + REST + swings / frequency, spectral_radius=0.6, name="swing", **passes
    )
    track = []
    for now in swing.march(state, hooks=hooks):
        track.append((now.t, *wl.eval_output(block, "position", now)))
        state = now
    for hook in hooks:
        hook.close()
    time, x, _, z = np.array(track).T
    report = con.surface_report(world, state, crane.on_drum, crane.drum)

    begin, end = (WOUND + turn(t) for t in (RISE, HOIST - RISE))
    found: Checks = {}
    for layer, first, last in ((1, begin, min(end, END_ONE)), (2, BEGIN_TWO, end)):
        if last - first > SHORTEST:
            inside = (hoisted[:, 0] >= first) & (hoisted[:, 0] <= last)
            tensions, ways = check_layer(hoisted[inside], RADIUS + (layer - 1) * LAYERS.rise)
            # if both layers are checked, tensions are taken from layer two, because the load still vibrates vertically
            # when layer one ends
            found |= tensions | {f"{name}_layer_{layer}": values for name, values in ways.items()}
    found["lift"] = high - low, LAYERS.eval_length(WOUND, WOUND + turn(HOIST)) / falls
    found["frequency"] = fit_frequency(time, z, frequency), frequency
    wl.write_summary(
        {name: list(values) for name, values in found.items()}
        | {"way_along": float(np.ptp(x)), "way_across": float(np.ptp(z)), "wrap_angle": report.wrap_angle}
    )
    if wl.is_first_process():
        rows = [(f"{name.replace('_', ' ')} [{unit_of(name)}]", *values) for name, values in found.items()]
        print(wl.format_comparison(rows, "theory"))
        print(f"the block swings by {np.ptp(x):.3f} m along the falls and {np.ptp(z):.3f} m across them")
        print(con.format_surface_reports([report]))
    for name, (value, exact) in found.items():
        assert abs(value / exact - 1.0) < 0.01, f"{name} is {value:g} {unit_of(name)}, must be near {exact:g}"


def place_at_drum(crane: Crane) -> int:
    """Return the index of the last cable of the falls that does not reach the drum before the drum stops."""
    wound = LAYERS.eval_length(WOUND, WOUND + WINDS)
    straight = crane.rope.length.sum() - LAYERS.eval_length(0.0, WOUND)
    return int((straight - wound) / crane.rope[0].length) - 2


if __name__ == "__main__":
    main()
