"""Spheres settle in a box. Kinetic, potential, stored and dissipated energy add up to a constant.

The command ``windlass run examples/settling_spheres.py`` runs the example. The option ``-help`` lists all options.

Spheres (mass points, which do not turn) start from a jittered lattice and fall into an open box. The spheres come to
rest by the dissipation of the Hunt-Crossley law and by friction. With the mass m, the speed v and the height y of each
sphere above the floor, gravity g, and the elastic force f_H of Hertz's law and the depth x of each contact,

    sum m v^2 / 2  +  sum m g y  +  sum 2/5 f_H x  +  integral of the dissipated power  =  constant.

The first three terms are read from the state. The last term is the integral of a cubic spline through the dissipated
power after each step. The trapezoidal rule would need half of the step size for the same accuracy. The explicit
Runge-Kutta method of order 8 is accurate enough with about a dozen steps per contact. Velocity Verlet, whose error is
of second order, would need a twentieth of this step size. The sum is constant to 1e-6 of its initial value.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint
from windlass.framework.output import CsvTable

spheres = wl.option("spheres", 1000, "1", "number of spheres", minimum=1)
end = wl.option("end", 0.4, "s", "time at the end", minimum=1e-6)
step = wl.option("step", 1e-4, "s", "largest step", minimum=1e-9)
output = wl.option("output", "settling_spheres_out", "", "folder for the energies; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

RADIUS, MASS, GRAVITY = 0.01, 0.005, 9.81  # radius [m], mass [kg], gravity [m/s^2]
SPACING = 2.4 * RADIUS  # distance [m] of neighbouring points of the lattice

# a cubic lattice, whose points are shifted at random to destroy its order
side = int(np.ceil(spheres ** (1 / 3)))
x, z, y = (index.ravel()[:spheres] for index in np.indices((side, side, side))[[1, 2, 0]])
jitter = np.random.default_rng(1).uniform(-0.15 * RADIUS, 0.15 * RADIUS, (spheres, 3))
places = SPACING * (np.column_stack((x, y, z)) + 0.5) + jitter
width = side * SPACING

world = wl.World(gravity=(0.0, -GRAVITY, 0.0))
points = world.add(MassPoint, name="sphere", position=places, mass=MASS)
ground = world.add(Ground)
friction: dict[str, Any] = {"static_friction": 0.3, "dynamic_friction": 0.2}
material = world.add(con.ContactMaterial, plane_strain_modulus=1e6, dissipation=0.5, **friction)
group = world.add(con.ContactSet)
world.add(con.ContactSphere, contact_set=group, marker=points, material=material, radius=RADIUS)
for normal in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0), (0.0, 0.0, -1.0)):
    # the floor and two walls pass through the origin, and the other two walls are opposite
    place: dict[str, Any] = {"position": width * (np.array(normal) < 0.0), "rotation": con.facing(normal)}
    world.add(con.ContactHalfSpace, contact_set=group, marker=ground, material=material, **place)
contact = world.add(con.HuntCrossley, contact_set=group, transition_velocity=0.1)


class Energies(wl.StepHook):
    """Hook that records kinetic, potential and stored energies [J] and dissipated power [W] over time [s], even after a
    restart.
    """

    def __init__(self) -> None:
        self.times: list[float] = []
        self.rows: list[tuple[float, float, float]] = []
        self.power: list[float] = []

    def after_step(self, state: wl.State) -> None:
        """Add the energies of a state to the record."""
        whole = state.gather()
        dofs, found = whole.local_dofs(points), con.eval_contacts(world, whole, contact)
        kinetic = 0.5 * MASS * float((whole.v[dofs] ** 2).sum())
        potential = MASS * GRAVITY * float((places[:, 1] + whole.q[dofs[:, 1]]).sum())
        self.times.append(state.t)
        self.rows.append((kinetic, potential, float(found.energy.sum())))
        self.power.append(float(found.dissipated_power.sum()))

    def checkpoint(self) -> dict[str, Any]:
        """Return the recorded energies, which `restore` receives after a restart."""
        return {"times": np.array(self.times), "rows": np.array(self.rows), "power": np.array(self.power)}

    def restore(self, kept: Mapping[str, Any], state: wl.State) -> None:
        """Replace the record by the energies that were recorded before the checkpoint."""
        self.times, self.power = kept["times"].tolist(), kept["power"].tolist()
        self.rows = [tuple(row) for row in kept["rows"].tolist()]

    def tabulate(self) -> NDArray[np.float64]:
        """Return kinetic, potential, stored and dissipated energy [J] after each step, shape (steps + 1, 4)."""
        dissipated = CubicSpline(self.times, self.power).antiderivative()(self.times)
        return np.column_stack((self.rows, dissipated))


start, energies = wl.State(world), Energies()
energies.after_step(start)
motion = wl.Explicit(world, step=step, end=end, method="rk", rtol=1e-6, atol=1e-8, name="settling")
state = motion.solve(start, hooks=[energies])
if not wl.help_requested():
    table = energies.tabulate()
    total = table.sum(axis=1)
    error = float(np.abs(total / total[0] - 1.0).max())
    names = ("kinetic", "potential", "stored", "dissipated")
    results: dict[str, Any] = {
        "energies": dict(zip(names, table[-1].tolist(), strict=True)),
        "initial_energy": float(total[0]),
        "largest_error": error,
        "contacts": len(con.eval_contacts(world, state, contact).depth),
        "steps": motion.statistics.steps,
        "wall_time": motion.statistics.wall_time,
    }
    wl.write_summary(results)
    curves = [(name, "J", values) for name, values in zip((*names, "sum"), [*table.T, total], strict=True)]
    wl.add_to_report("Energies", wl.ReportCurves("time [s]", energies.times, curves))
    if folder and wl.is_first_process():
        columns = [("time", "s"), *((name, "J") for name in names)]
        CsvTable(folder / "energies.csv", columns, np.column_stack((energies.times, table))).close()
    rows: list[tuple[str, float, float | None]]
    rows = [(f"{name} energy at the end [J]", value, None) for name, value in results["energies"].items()]
    rows.append(("sum at the end [J]", float(total[-1]), float(total[0])))
    good = error < 1e-6
    if wl.is_first_process():
        print(wl.format_comparison(rows, "start"))
        print(f"largest difference from the start {error:.1e}, below 1e-6: {'yes' if good else 'NO'}")
