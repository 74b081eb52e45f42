"""A haul rope pulls a cabin on a trolley with two rollers over a long span of a cableway in a side wind.

The command ``windlass run examples/cableway.py`` runs the example. The option ``-help`` lists all options.

A track rope (`Cable3D`) hangs between two supports of different height. The trolley is a 3D body with two rollers
(`sliding_joint`) 1.2 m apart. The cabin hangs 4 m below the trolley and swings. Weight and wind are proportional to
mass, so all parts hang in the plane through both supports and the resultant of weight and wind. If both rollers are at
one point, the rope consists of two extensible catenaries (Irvine) that meet at the trolley and carry the trolley.
Trolley and cabin, of the mass m, are fixed at a position along the rope. With the vectors T of the tensions, the
equilibrium of the trolley is

    T(end of the lower part) + T(start of the upper part) + m (g + wind) = 0

The sag at several positions is compared with this solution. The remaining differences are due to the distance of the
rollers and to the mesh, whose cables cannot represent the sharp bends of the rope at the rollers. These two causes
change the height of the trolley by amounts of first order in the distance of the rollers and in the length of a cable.
Then the trolley is hauled uphill: its coordinate along the rope is prescribed. The work of the haul is compared with
the gain of potential and kinetic energy of all parts.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), chapters 1 and 2.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import root

import windlass as wl
from windlass import connectors as con
from windlass.elements import MassPoint, RigidBody3D, catenary, hang_between, nodes_of

elements = wl.option("elements", 120, "1", "elements of the track rope", minimum=8)
wind = wl.option("wind", 2.0, "m/s^2", "acceleration by the wind along y")
wheelbase = wl.option("wheelbase", 1.2, "m", "distance of the rollers", minimum=1e-3)
friction = wl.option("friction", 0.0, "1", "coefficient of friction of the rollers while they are hauled", minimum=0.0)
way = wl.option("way", 20.0, "m", "way of the haul along the rope", minimum=0.0)
duration = wl.option("duration", 6.0, "s", "time of the haul, long enough for it not to jerk", minimum=0.1)
output = wl.option("output", "cableway_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# positions [m] of the supports, unstretched length [m] of the rope
START, END, LENGTH = (0.0, 0.0, 0.0), (300.0, 0.0, 60.0), 307.5
EA, EI, MASS_PER_LENGTH = 1.2e8, 10.0, 8.0  # EA [N], EI [N m^2], mass per length [kg/m]
TROLLEY, CABIN, HANGER, GRAVITY = 300.0, 1700.0, 4.0, 9.81  # masses [kg], length [m] of the hanger, gravity [m/s^2]
FIELD = np.array((0.0, wind, -GRAVITY))
PLACES = (60.0, 150.0, 240.0)  # positions [m] of the trolley along the rope


def find_trolley(place: float) -> NDArray[np.float64]:
    """Return the theoretical position [m] of the trolley if the trolley is fixed at the coordinate ``place`` [m] along
    the rope.
    """
    parts = (START, place), (END, LENGTH - place)

    def pull(at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum [1] of the forces on the trolley, divided by the weight of the trolley: the pulls of both
        parts of the rope, and weight and wind of trolley and cabin.
        """
        total = (TROLLEY + CABIN) * FIELD
        for support, length in parts:
            line = hang_between(tuple(at), support, length, EA, MASS_PER_LENGTH, tuple(FIELD))
            total = total + float(line.eval_tension(0.0)[0]) * line.eval_points(0.0)[1][0]
        return total / (TROLLEY * GRAVITY)

    straight = np.add(START, np.subtract(END, START) * place / LENGTH)
    found = root(pull, straight + 12.0 * FIELD / np.linalg.norm(FIELD), tol=1e-10)
    assert found.success, found.message
    return found.x


def create(place: float) -> tuple[wl.World, wl.Entity, wl.Entity, wl.Entity]:
    """Create world, trolley, cabin and rollers. The trolley starts on the unloaded rope."""
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    columns = {"length": LENGTH, "axial_stiffness": EA, "mass_per_length": MASS_PER_LENGTH, "bending_stiffness": EI}
    rope = catenary(world, START, END, elements, **columns)
    con.hinge(world, nodes_of(world, rope)[[0, elements]])
    line = hang_between(START, END, LENGTH, EA, MASS_PER_LENGTH, (0.0, 0.0, -GRAVITY))
    ends = place + wheelbase * np.array((-0.5, 0.5))
    back, front = line.eval_points(ends)[0]
    middle, pitch = 0.5 * (front + back), -np.arctan2(front[2] - back[2], front[0] - back[0])
    trolley = world.add(
        RigidBody3D, name="trolley", position=middle, mass=TROLLEY, inertia=(40.0, 120.0, 120.0),
        euler_parameters=(np.cos(0.5 * pitch), 0.0, np.sin(0.5 * pitch), 0.0),
    )  # fmt: skip
    con.fix(world, trolley, "e1")  # the rollers are points on the rope, and do not prevent a rotation about the rope
    rollers = con.sliding_joint(
        world, rope, trolley, ends, [(-0.5 * wheelbase, 0.0, 0.0), (0.5 * wheelbase, 0.0, 0.0)],
        friction_coefficient=friction, friction_speed=0.05,
    )  # fmt: skip
    cabin = world.add(MassPoint, name="cabin", position=middle - (0.0, 0.0, HANGER), mass=CABIN)
    top, bottom = con.position_marker(world, trolley), con.position_marker(world, cabin)
    world.add(
        con.SpringDamper, name="hanger", marker0=top, marker1=bottom, rest_length=HANGER, stiffness=1e7, damping=1e4
    )
    for part in (rope, trolley, cabin):
        world.add(con.MassProportional, body=part, acceleration=(0.0, wind, 0.0))
    return world, trolley, cabin, rollers


def hang(place: float) -> tuple[wl.World, wl.Entity, wl.Entity, wl.Entity, wl.State]:
    """Return world, trolley, cabin and rollers, and the equilibrium state. The first roller is fixed at its position
    until the haul.
    """
    world, trolley, cabin, rollers = create(place)
    con.prescribe(world, rollers[0], "s", con.smooth_step(0.0, duration, 0.0, way))
    return world, trolley, cabin, rollers, wl.Static(world, load_steps=4, stabiliser=1.0, name="").solve()


def find_place(body: wl.Entity, state: wl.State) -> NDArray[np.float64]:
    """Return the position [m] of a body."""
    place: NDArray[np.float64] = wl.eval_output(body, "position", state)
    return place


def measure(place: float) -> tuple[float, float]:
    """Return the computed and the theoretical sag [m] of the trolley below the chord, in the plane of the resultant of
    weight and wind.
    """
    _, trolley, _, _, state = hang(place)
    chord = np.subtract(END, START) / np.linalg.norm(np.subtract(END, START))
    below = FIELD - chord * (FIELD @ chord)
    below /= np.linalg.norm(below)
    return float(find_place(trolley, state) @ below), float(find_trolley(place) @ below)


def haul() -> dict[str, float]:
    """Move the trolley uphill over many cables, and return its final position and the balance of work."""
    world, trolley, cabin, rollers, state = hang(PLACES[0])
    ledger = wl.EnergyLedger(None if folder is None else folder / "energy.csv")
    hooks = [ledger]
    if folder is not None:
        hooks.append(wl.Recorder(folder / "cableway", every=10))
    begin = find_place(trolley, state)
    motion = wl.Dynamic(world, step=0.02, end=duration, method="trapezoidal_index2")
    state = motion.solve(state, hooks=hooks)
    swing = np.degrees(np.arctan2(*(find_place(trolley, state) - find_place(cabin, state))[[1, 2]]))
    totals = ledger.totals
    return {
        "height gained [m]": float((find_place(trolley, state) - begin)[2]),
        "cables passed": float(wl.eval_output(rollers[0], "cable", state)) - PLACES[0] // (LENGTH / elements),
        "swing angle [deg]": float(swing),
        "work of the haul [J]": totals["CoordinateConstraint.driven"],
        "work of the constraints [J]": totals["SlidingJoint.held"],
        "friction [J]": totals["SlidingJoint.friction"],
        "rest [J]": ledger.rest,
    }


if not wl.help_requested():
    sags = {place: measure(place) for place in PLACES}
    hauled = haul()
    wl.write_summary({"sags": {str(k): v for k, v in sags.items()}, "haul": hauled})
    if wl.is_first_process():
        rows = [(f"sag at {place:g} m of the rope [m]", *values) for place, values in sags.items()]
        tilt = float(np.degrees(np.arctan2(-wind, GRAVITY)))
        print(wl.format_comparison([*rows, ("swing angle [deg]", hauled["swing angle [deg]"], tilt)], "theory"))
        print("\nthe haul")
        for name, value in hauled.items():
            print(f"{name:<30}{value:12.6g}")
