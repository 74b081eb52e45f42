"""An extensible cable between two supports at different heights is compared with Irvine's closed form.

The command ``windlass run examples/catenary.py`` runs the example. The option ``-help`` lists all options.

A cable of the unstretched length L0, weight w per unstretched length and stiffness EA hangs from (0, 0). Its other end
is at (span, rise).  With the force (-H, V) of the first support on the cable, the point at the unstretched length s is

    x(s) = H s / EA + H / w (asinh(V / H) - asinh((V - w s) / H))
    z(s) = w s / EA (V / w - s / 2) + H / w (sqrt(1 + (V / H)^2) - sqrt(1 + ((V - w s) / H)^2))

The coordinate z points downwards, and H and V follow from the conditions x(L0) = span and z(L0) = -rise. The tension is
sqrt(H^2 + (V - w s)^2).

The cable of Windlass also has a bending stiffness. The bending length sqrt(EI/T) is 1e-4 of the length of the cable, so
only the error of the mesh remains. The table shows the order of convergence, which is 4 for forces and positions of
nodes if bending is negligible.

Source: H. M. Irvine, Cable Structures, MIT Press (1981), chapter 1.
"""

from math import asinh, hypot, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import fsolve

import windlass as wl
from windlass import connectors as con
from windlass.elements import catenary, nodes_of

elements = wl.option("elements", 64, "1", "elements of the finest mesh, a multiple of 8", minimum=8)
span = wl.option("span", 100.0, "m", "horizontal distance of the supports", minimum=1e-3)
rise = wl.option("rise", 20.0, "m", "height of the second support above the first")
length = wl.option("length", 115.0, "m", "unstretched length", minimum=1e-3)
EA, EI, MASS_PER_LENGTH, GRAVITY = 1e5, 1e-5, 1.0, 9.81  # EA [N], EI [N m^2], mass per length [kg/m], gravity [m/s^2]
WEIGHT = MASS_PER_LENGTH * GRAVITY  # weight per length [N/m]


def eval_point(s: float, H: float, V: float) -> tuple[float, float]:
    """Return Irvine's position [m] of the point at the unstretched length s [m], with y upwards, for the forces H and V
    [N].
    """
    x = H * s / EA + H / WEIGHT * (asinh(V / H) - asinh((V - WEIGHT * s) / H))
    z = WEIGHT * s / EA * (V / WEIGHT - s / 2) + H / WEIGHT * (hypot(1, V / H) - hypot(1, (V - WEIGHT * s) / H))
    return x, -z


def solve_irvine() -> tuple[float, float]:
    """Return H and V [N]. The search starts from the values for a parabola."""

    def mismatch(forces: NDArray[np.float64]) -> NDArray[np.float64]:
        # the unknown is the logarithm of H, which keeps H > 0
        x, y = eval_point(length, np.exp(forces[0]), forces[1])
        return np.array([x - span, y - rise])

    slack = sqrt(max(length**2 - rise**2, 1.0001 * span**2)) / span - 1.0
    first = WEIGHT * span / sqrt(24.0 * slack)
    solution = fsolve(mismatch, [np.log(first), 0.5 * WEIGHT * length - first * rise / span], xtol=1e-12)
    return float(np.exp(solution[0])), float(solution[1])


H, V = solve_irvine()
MIDDLE = eval_point(length / 2, H, V)
EXACT = {
    "horizontal tension [N]": H,
    "tension at the lower end [N]": hypot(H, V),
    "tension at the upper end [N]": hypot(H, V - WEIGHT * length),
    "depth of the middle below the chord [m]": rise / span * MIDDLE[0] - MIDDLE[1],
}


def hang(count: int) -> dict[str, float]:
    """Return the quantities of `EXACT`, computed with the given number of elements. The solve starts from the shape
    without bending stiffness.
    """
    world = wl.World(gravity=(0.0, -GRAVITY))
    cable = catenary(
        world,
        (0.0, 0.0),
        (span, rise),
        count,
        length=length,
        mass_per_length=MASS_PER_LENGTH,
        axial_stiffness=EA,
        bending_stiffness=EI,
    )
    nodes = nodes_of(world, cable)
    left, right = con.hinge(world, nodes[0]), con.hinge(world, nodes[count])
    state = wl.Static(world, rtol=1e-12, atol=1e-9, name="").solve()
    if wl.help_requested():
        return {}
    forces = [wl.eval_output(support, "force", state) for support in (left, right)]
    x, y, _ = wl.eval_output(nodes[count // 2], "position", state)
    values = [abs(forces[0][0]), *(np.linalg.norm(force) for force in forces), rise / span * x - y]
    return dict(zip(EXACT, map(float, values), strict=True))


meshes = [elements // 8, elements // 4, elements // 2, elements]
computed = [hang(count) for count in meshes]
if not wl.help_requested():
    errors = {name: [abs(mesh[name] / exact - 1.0) for mesh in computed] for name, exact in EXACT.items()}
    orders = {name: np.log2(np.divide(e[:-1], e[1:])) for name, e in errors.items()}
    results = {"computed": computed[-1], "exact": EXACT, "meshes": meshes, "errors": errors}
    wl.write_summary(results | {"orders": {name: order.tolist() for name, order in orders.items()}})
    if wl.is_first_process():
        print(wl.format_comparison([(name, computed[-1][name], exact) for name, exact in EXACT.items()], "Irvine"))
        print(f"\nrelative error with {', '.join(map(str, meshes))} elements, and order")
        for name in EXACT:
            numbers = "  ".join(f"{error:.2e}" for error in errors[name])
            print(f"{name:<42}{numbers}    " + "  ".join(f"{order:.2f}" for order in orders[name]))
