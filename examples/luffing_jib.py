"""Pendants support the lattice jib of a crane. The jib carries a load and bends sideways in the wind.

The command ``windlass run examples/luffing_jib.py`` runs the example. The option ``-help`` lists all options.

The jib (`Beam3D`) turns about a horizontal axis at its foot. About the other axes, the foot is clamped, so the jib
bends sideways like a cantilever. The pendants (`Cable3D`) run from the tip to the top of the crane, and the load hangs
on a rope. Wind blows sideways on the jib (`FluidLoad`) and on the load. The jib has the length L, the mass m per length
and the angle α above the horizontal. The tension T of the pendants follows from the moments about the foot, with
gravity g:

    T a = W L cos α + m g (L²/2) cos α,   with the lever a of the pendants and the load W at the tip.

The compression N increases the side deflection v of the jib. The pendants with the length l exert a restoring force on
the tip. The side deflection is computed by second-order theory with shear. Let θ be the rotation of the cross section,
H the force along y, M the bending moment, GA the shear stiffness, EI the bending stiffness, and p the wind per length.
A prime denotes the derivative along the jib, from the foot to the tip:

    v' = θ + (H + N θ)/GA,   θ' = M/EI,   M' = -H - N v',   H' = -p,   H(L) = F - T v(L)/l,   M(L) = 0.

Half of the weight of the pendants is added to the load W. F is the force of the wind on the load.

Source: S. P. Timoshenko, J. M. Gere, Theory of Elastic Stability, McGraw-Hill (1961), chapters 1 and 2.
"""

import numpy as np
from scipy.integrate import solve_ivp

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint, nodes_of, straight_beam, straight_cable

load = wl.option("load", 16e3, "kg", "mass of the load", minimum=2e3, maximum=30e3)
angle = wl.option("angle", 60.0, "deg", "angle of the jib above the horizontal", minimum=10.0, maximum=80.0)
speed = wl.option("speed", 18.0, "m/s", "speed of the wind along y", minimum=0.1, maximum=25.0)
elements = wl.option("elements", 6, "1", "elements of the jib", minimum=1)
output = wl.option("output", "luffing_jib_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

# jib: length [m], EA [N], shear stiffness GA [N], torsional stiffness GJ and EI [N m^2], mass per length [kg/m]
LENGTH, EA, GA, GJ, EI, MASS_PER_LENGTH = 40.0, 1.6e9, 2e8, 2e8, 3e8, 120.0
TOP = np.array((-6.0, 0.0, 12.0))  # position [m] of the upper end of the pendants; the foot of the jib is the origin
PENDANT_EA, PENDANT_MASS = 6e8, 12.0  # pendants: EA [N], mass per length [kg/m]
ROPE, ROPE_EA, ROPE_MASS = 12.0, 2e8, 3.0  # rope of the load: length [m], EA [N], mass per length [kg/m]
# width [m] and drag coefficient [1] of the jib, drag area [m^2] of the load, density [kg/m^3] of the air
SOLID, DRAG, AREA, AIR = 0.6, 1.8, 5.0, 1.25
GRAVITY = 9.81
ALONG = np.array((np.cos(np.radians(angle)), 0.0, np.sin(np.radians(angle))))
TIP = LENGTH * ALONG
GUST = 0.5 * AIR * speed**2 * AREA  # force [N] of the wind on the load


def lift(mass: float) -> tuple[float, float, float]:
    """Return the tension [N] in the middle of the pendants, the compression [N] of the jib at its foot and the side
    deflection [m] of its tip, for a load of the given mass [kg].
    """
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    ground = world.add(Ground)
    jib = straight_beam(
        world, (0, 0, 0), TIP, elements, order=3, normal=(0, 1, 0), name="jib", stiffness=(EA, GA, GA, GJ, EI, EI),
        mass_per_length=MASS_PER_LENGTH, rotary_inertia=(120.0, 60.0, 60.0),
    )  # fmt: skip
    nodes = nodes_of(world, jib)
    con.swivel(world, nodes[0], ground, axis=(0.0, 1.0, 0.0))
    tip = con.position_marker(world, nodes[len(nodes) - 1])
    # pendants and rope start with tensions near the equilibrium, because without tension the load has no support
    pendants = straight_cable(
        world, TIP, TOP, 8, name="pendants", axial_stiffness=PENDANT_EA, bending_stiffness=100.0,
        mass_per_length=PENDANT_MASS, reference_strain=-evaluate_theory(mass)[0] / PENDANT_EA,
    )  # fmt: skip
    rope = straight_cable(
        world, TIP, TIP - (0.0, 0.0, ROPE), 2, name="rope", axial_stiffness=ROPE_EA, bending_stiffness=10.0,
        mass_per_length=ROPE_MASS, reference_strain=-mass * GRAVITY / ROPE_EA,
    )  # fmt: skip
    for line in (pendants, rope):
        world.add(con.SphericalJoint, marker0=tip, marker1=con.position_marker(world, nodes_of(world, line)[0]))
    con.hinge(world, nodes_of(world, pendants)[8])
    body = world.add(MassPoint, name="load", position=TIP - (0.0, 0.0, ROPE), mass=mass)
    hook = [con.position_marker(world, node) for node in (nodes_of(world, rope)[2], body)]
    world.add(con.SphericalJoint, marker0=hook[0], marker1=hook[1])
    world.add(con.Force, marker=hook[1], vector=(0.0, GUST, 0.0))
    air = world.add(con.Fluid, density=AIR, fills="everywhere", velocity=(0.0, speed, 0.0))
    world.add(con.FluidLoad, cable=jib, fluid=air, diameter=SOLID, normal_drag=DRAG, added_mass=0.0)
    state = wl.Static(world, rtol=1e-9, name=f"load of {mass:g} kg").solve()
    if folder is not None and mass == load:
        with wl.Recorder(folder / "jib") as recorder:
            recorder.record(state)
    tension = float(wl.eval_output(pendants[4], "axial_force", state, x=0.0))
    compression = -float(wl.eval_output(jib[0], "axial_force", state, x=0.0))
    return tension, compression, float(wl.eval_output(nodes[len(nodes) - 1], "displacement", state)[1])


def evaluate_theory(mass: float) -> tuple[float, float, float]:
    """Return the quantities of `lift`, computed from the equilibrium of the undeformed jib and from second-order
    theory.
    """
    reach = float(np.linalg.norm(TIP - TOP))
    pull = (TOP - TIP) / reach
    weight, own = (mass + ROPE_MASS * ROPE + 0.5 * PENDANT_MASS * reach) * GRAVITY, MASS_PER_LENGTH * GRAVITY
    lever = float(np.cross(TIP, pull)[1]) * -1.0
    tension = (weight + 0.5 * own * LENGTH) * TIP[0] / lever
    at_tip = weight * ALONG[2] - tension * float(pull @ ALONG)
    wind = 0.5 * AIR * speed**2 * DRAG * SOLID

    def slope(x: float, y: np.ndarray, p: float) -> list[float]:
        _, theta, moment, H = y
        N = at_tip + own * ALONG[2] * (LENGTH - x)
        v_x = theta + (H + N * theta) / GA
        return [v_x, moment / EI, -H - N * v_x, -p]

    # the problem is linear: the moment and the force at the foot follow from the conditions at the tip
    starts = [((0, 0, 0, 0), wind), ((0, 0, 1, 0), 0.0), ((0, 0, 0, 1), 0.0)]
    ends = [solve_ivp(slope, (0.0, LENGTH), y, args=(p,), rtol=1e-9, atol=1e-9).y[:, -1] for y, p in starts]
    rows = np.array([(end[2], end[3] + tension / reach * end[0]) for end in ends])
    moment, force = np.linalg.solve(rows[1:].T, (0.0, GUST) - rows[0])
    deflection = ends[0][0] + moment * ends[1][0] + force * ends[2][0]
    return tension, at_tip + own * ALONG[2] * LENGTH, float(deflection)


NAMES = "tension of the pendants [N]", "compression at the foot [N]", "side deflection [m]"
if not wl.help_requested():
    rows = []
    for mass in (0.25 * load, 0.5 * load, load):
        computed, exact = lift(mass), evaluate_theory(mass)
        rows += [(f"{name}, {mass:g} kg", *pair) for name, *pair in zip(NAMES, computed, exact, strict=True)]
    wl.write_summary({name: {"computed": found, "exact": known} for name, found, known in rows})
    if wl.is_first_process():
        print(wl.format_comparison(rows, "theory"))
