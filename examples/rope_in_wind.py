"""A rope between two masts hangs in a side wind and oscillates. The example compares the rope with the catenary in the
tilted plane and with a string.

The command ``windlass run examples/rope_in_wind.py`` runs the example. The option ``-help`` lists all options.

The weight w and the wind p are loads per unstretched length. The rope therefore hangs in the plane through its ends and
the resultant of these loads, as an extensible catenary with the load √(w² + p²) per length. Tensions at both ends and
the position of the middle are compared with Irvine's closed form in this plane. The table shows the order of
convergence.

A taut rope oscillates normal to its plane like a string, because the effect of sag on these frequencies is of second
order:

    f_n = n/(2 l) sqrt(H/m), n = 1, 2, with the chord l, the mean tension H of the rope, and the mass m per length of
    the chord.

The frequencies of the model are computed from the assembled tangent and mass matrix by SciPy's `eigsh`.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), chapters 1 and 3.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

import windlass as wl
from windlass import connectors as con
from windlass.elements import catenary, hang_between, nodes_of

elements = wl.option("elements", 32, "1", "elements of the finest mesh, a multiple of 8", minimum=8)
wind = wl.option("wind", 6.0, "N/m", "load of the wind along y, per unstretched length")
length = wl.option("length", 50.4, "m", "unstretched length of the rope", minimum=1.0)
output = wl.option("output", "rope_in_wind_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

START, END = (0.0, 0.0, 10.0), (50.0, 4.0, 14.0)  # positions [m] of the mast tops
EA, EI, MASS_PER_LENGTH, GRAVITY = 1e6, 1e-4, 1.2, 9.81  # EA [N], EI [N m^2], mass per length [kg/m], gravity [m/s^2]
SIDE = wind / MASS_PER_LENGTH  # load of the wind per mass [m/s^2]
EXACT = hang_between(START, END, length, EA, MASS_PER_LENGTH, (0.0, SIDE, -GRAVITY))


def hang(count: int) -> tuple[wl.World, wl.Entity, wl.State]:
    """Return the world, the rope, and the state of rest in the wind. The solve starts from the shape without wind, and
    the wind increases with the load steps.
    """
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    columns = {"length": length, "axial_stiffness": EA, "mass_per_length": MASS_PER_LENGTH, "bending_stiffness": EI}
    rope = catenary(world, START, END, count, **columns)
    world.add(con.MassProportional, body=rope, acceleration=(0.0, SIDE, 0.0))
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[[0, count]])
    return world, rope, wl.Static(world, load_steps=4, rtol=1e-12, atol=1e-8, name="").solve()


def measure(count: int) -> dict[str, float]:
    """Return the quantities of the model that are compared with the closed form."""
    world, rope, state = hang(count)
    if folder is not None and count == elements:
        with wl.Recorder(folder / "rope") as recorder:
            recorder.record(state)
    first, last = (
        float(wl.eval_output(rope[k], "axial_force", state, x=x)) for k, x in ((0, 0.0), (count - 1, length / count))
    )
    middle = wl.eval_output(nodes_of(world, rope)[count // 2], "position", state)
    return dict(zip(KNOWN, (first, last, *map(float, middle)), strict=True))


def find_frequencies(count: int) -> NDArray[np.float64]:
    """Return the lowest two frequencies [Hz] of oscillations normal to the plane of the rope."""
    world, _, state = hang(count)
    K, M = wl.assemble_matrix(world, state), wl.assemble_mass(world, state)
    free = np.arange(6 * (count + 1)).reshape(-1, 6)
    free = np.setdiff1d(free, free[[0, -1], :3])
    stiffness, mass = (csr_array(A.getValuesCSR()[::-1])[free][:, free] for A in (K, M))
    values, vectors = eigsh(stiffness, 8, mass, sigma=0.0)
    # displacement normal to the plane through both ends and the resultant of the loads
    normal = np.cross(np.subtract(END, START), (0.0, SIDE, -GRAVITY))
    normal /= np.linalg.norm(normal)
    motion = np.zeros((6 * (count + 1), len(values)))
    motion[free] = vectors
    moved = motion.reshape(-1, 6, len(values))[:, :3]
    across = np.einsum("nij,i->nj", moved, normal)
    swings = (across**2).sum(axis=0) > 0.99 * (moved**2).sum(axis=(0, 1))
    return np.sqrt(np.sort(values[swings])[:2]) / (2.0 * np.pi)


KNOWN = dict(
    zip(
        ("tension at the start [N]", "tension at the end [N]", "middle x [m]", "middle y [m]", "middle z [m]"),
        (*map(float, EXACT.eval_tension([0.0, length])), *map(float, EXACT.eval_points([length / 2])[0][0])),
        strict=True,
    )
)
meshes = [elements // 4, elements // 2, elements]
if not wl.help_requested():
    computed = [measure(count) for count in meshes]
    errors = {name: [abs(mesh[name] / exact - 1.0) for mesh in computed] for name, exact in KNOWN.items()}
    orders = {name: np.log2(np.divide(e[:-1], e[1:])).tolist() for name, e in errors.items()}
    chord = float(np.linalg.norm(np.subtract(END, START)))
    along = EXACT.eval_tension(np.linspace(0.0, length, 201)).mean()
    string = np.array([1.0, 2.0]) / (2.0 * chord) * np.sqrt(along / (MASS_PER_LENGTH * length / chord))
    frequencies = find_frequencies(elements)
    results = {"computed": computed[-1], "exact": KNOWN, "errors": errors, "orders": orders, "meshes": meshes}
    wl.write_summary(results | {"frequencies": frequencies.tolist(), "string": string.tolist()})
    if wl.is_first_process():
        print(wl.format_comparison([(name, computed[-1][name], exact) for name, exact in KNOWN.items()], "Irvine"))
        print(f"\nrelative error with {', '.join(map(str, meshes))} elements, and order")
        for name in KNOWN:
            numbers = "  ".join(f"{error:.2e}" for error in errors[name])
            print(f"{name:<28}{numbers}    " + "  ".join(f"{order:.2f}" for order in orders[name]))
        print(f"\nswinging across its plane [Hz]: {frequencies}, as a string {string}")
