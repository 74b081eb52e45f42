"""A ship tows a rope through still water. The example compares the angle and the tension of the rope with the closed
form.

The command ``windlass run examples/towed_cable.py`` runs the example. The option ``-help`` lists all options.

In the frame of the ship, U is the speed of the water. A long rope with a free end is straight. At its angle φ to the
stream, the normal components of weight in water and drag balance. The tension T at the ship balances the tangential
components of weight and drag:

    w cos φ = ½ ρ d C_n U² sin² φ,    T = L (w sin φ + ½ ρ d π C_t U² cos² φ).

Here L is the length, d the diameter and w the weight in water per length of the rope, ρ the density of the water, and
C_n and C_t are the normal and the tangential drag coefficient. For each speed, the solve starts from a straight rope
that is five degrees too steep. A rope without tension, as at the start of the solve, is in equilibrium in any
direction. The displacement of the cable to the equilibrium is therefore a jump, so the check for jumps is switched off
(``stability="off"``).

Source: H. O. Berteaux, Buoy Engineering, Wiley (1976), chapter 5.
"""

import numpy as np
from scipy.optimize import brentq

import windlass as wl
from windlass import connectors as con
from windlass.elements import nodes_of, straight_cable

elements = wl.option("elements", 20, "1", "cables along the rope", minimum=2)
length = wl.option("length", 200.0, "m", "length of the rope", minimum=1.0)
diameter = wl.option("diameter", 0.03, "m", "diameter of the rope", minimum=1e-4)
output = wl.option("output", "towed_cable_out", "", "folder for results; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

WATER, GRAVITY = 1025.0, 9.81  # density [kg/m^3] of water, gravity [m/s^2]
SPEEDS = (0.5, 1.0, 2.0, 4.0)  # speeds [m/s] of the ship
START = np.radians(5.0)
NORMAL, AXIAL = 1.2, 0.01  # drag coefficients [1]

# mass per length [kg/m], EA [N], EI [N m^2]
ROPE = {"mass_per_length": 1.4, "axial_stiffness": 5e7, "bending_stiffness": 1.0}
WEIGHT = (ROPE["mass_per_length"] - WATER * np.pi * diameter**2 / 4) * GRAVITY  # weight in water per length [N/m]


def find_closed_form(speed: float) -> tuple[float, float]:
    """Return the angle [rad] to the stream and the tension [N] at the ship in closed form."""
    drag = 0.5 * WATER * diameter * speed**2
    angle = brentq(lambda a: WEIGHT * np.cos(a) - drag * NORMAL * np.sin(a) ** 2, 1e-6, np.pi / 2, xtol=1e-14)
    return angle, length * (WEIGHT * np.sin(angle) + drag * np.pi * AXIAL * np.cos(angle) ** 2)


def tow(speed: float, start: float) -> tuple[float, float]:
    """Return the computed angle [rad] to the stream and the computed tension [N] at the ship. The solve starts from a
    straight rope at the angle ``start`` [rad].
    """
    world = wl.World(gravity=(0.0, 0.0, -GRAVITY))
    end = (length * np.cos(start), 0.0, -length * np.sin(start))
    rope = straight_cable(world, (0.0, 0.0, 0.0), end, elements, **ROPE)
    sea = world.add(con.Fluid, density=WATER, surface=10.0, velocity=(speed, 0.0, 0.0))
    world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=diameter, normal_drag=NORMAL, axial_drag=AXIAL)
    ship = con.hinge(world, nodes_of(world, rope)[0])
    recorders = [wl.Recorder(f"rope_{speed:g}", folder=folder, axis="step")] if folder else []
    state = wl.Static(world, stability="off", name="").solve(hooks=recorders)
    if wl.help_requested():
        return 0.0, 0.0
    slope = wl.eval_output(rope, "director", state).mean(axis=0)
    force = wl.eval_output(ship, "force", state)
    return float(np.arctan2(-slope[2], slope[0])), float(np.linalg.norm(force))


rows, errors = [], []
for speed in SPEEDS:
    exact_angle, exact_tension = find_closed_form(speed)
    angle, tension = tow(speed, exact_angle + START)
    rows.append((f"angle at {speed:g} m/s [degrees]", np.degrees(angle), np.degrees(exact_angle)))
    rows.append((f"tension at {speed:g} m/s [N]", tension, exact_tension))
    errors.append([angle / exact_angle - 1.0, tension / exact_tension - 1.0])
if not wl.help_requested():
    wl.write_summary({"speeds": list(SPEEDS), "errors": errors, "angles": [row[1] for row in rows[::2]]})
    if wl.is_first_process():
        print(wl.format_comparison(rows, "closed form"))
        largest = float(np.abs(errors).max())
        print(f"\nlargest difference below 1e-4: {'yes' if largest < 1e-4 else 'no'} ({largest:.1e})")
