"""A mass on springs along the global axes. The static deflection is F/k, and the natural frequency of each axis is
sqrt(k/m) / (2 pi).

The command ``windlass run examples/mass_on_springs.py`` runs the example. The option ``-help`` lists all options.

The mass hangs from the ground on a `CartesianSpringDamper` with different stiffnesses along x, y and z. A force
deflects the mass by F/k. Then the force is removed, and the mass oscillates about the rest position of the springs. The
frequency along each axis follows from the times of the zeros of the time series.

The trapezoidal rule causes no damping, but lengthens the periods. The relative increase is (2 pi / steps per period)^2
/ 12. The frequencies in the table are too low by this value, which the line below the table states for each axis. The
remaining difference is of second order in the step size.
"""

from math import pi

import numpy as np
from numpy.typing import NDArray

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint

mass = wl.option("mass", 2.0, "kg", "mass", minimum=1e-9)
periods = wl.option("periods", 10, "1", "periods of the slowest axis that are simulated", minimum=2)
steps = wl.option("steps", 400, "1", "steps per period of the fastest axis", minimum=10)
output = wl.option("output", "mass_on_springs_out", "", "folder for the time series; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

STIFFNESS = np.array([200.0, 450.0, 1000.0])  # stiffness [N/m] along x, y, z
FORCE = np.array([4.0, -9.0, 5.0])  # components [N] of the force
exact_frequencies = np.sqrt(STIFFNESS / mass) / (2.0 * pi)  # frequencies [Hz]

world = wl.World()
point = world.add(MassPoint, name="mass", position=(0.0, 0.0, 0.0), mass=mass)
hook, eye = con.position_marker(world, world.add(Ground)), con.position_marker(world, point)
world.add(con.CartesianSpringDamper, marker0=hook, marker1=eye, stiffness=STIFFNESS)
force = world.add(con.Force, marker=eye, vector=FORCE)

# statics
state = wl.Static(world).solve()
deflection = wl.eval_output(point, "displacement", state)

# the motion starts from the static deflection, without the force
world.set(force, active=False)
step, end = 1.0 / (steps * exact_frequencies.max()), periods / exact_frequencies.min()
series = wl.Sensors(folder / "motion.csv" if folder else None, [wl.Sensor(point, "displacement", name="u")])
motion = wl.Dynamic(world, step=step, end=end, method="trapezoidal_index2")
motion.solve(state, hooks=[series])


def eval_frequency(t: NDArray[np.float64], u: NDArray[np.float64]) -> float:
    """Return the frequency [Hz] of a free motion u about 0. The zeros of u are interpolated linearly. The time between
    two zeros is half a period.
    """
    before = np.flatnonzero(u[:-1] * u[1:] < 0.0)
    zeros = t[before] - u[before] * (t[before + 1] - t[before]) / (u[before + 1] - u[before])
    return float((len(zeros) - 1) / (2.0 * (zeros[-1] - zeros[0])))


if not wl.help_requested():
    frequencies = np.array([eval_frequency(series.times, u) for u in series["u"].T])
    expected = -((2.0 * pi * exact_frequencies * step) ** 2) / 12.0
    results = {
        "deflection": deflection.tolist(),
        "frequencies": frequencies.tolist(),
        "frequency_errors": (frequencies / exact_frequencies - 1.0).tolist(),
        "frequency_errors_expected": expected.tolist(),
    }
    wl.write_summary(results)
    axes = enumerate("xyz")
    rows = [(f"deflection along {axis} [m]", deflection[i], FORCE[i] / STIFFNESS[i]) for i, axis in axes]
    rows += [(f"frequency along {axis} [Hz]", frequencies[i], exact_frequencies[i]) for i, axis in enumerate("xyz")]
    if wl.is_first_process():
        print(wl.format_comparison(rows, "F/k, sqrt(k/m)"))
        print("error of the frequencies that the step explains: " + ", ".join(f"{100 * e:+.4f} %" for e in expected))
