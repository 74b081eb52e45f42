"""Spheres that settle in a box: kinetic, potential, stored and dissipated energy add up to a constant.

Run it with ``windlass run examples/settling_spheres.py``; ``-help`` lists all options.

Spheres (mass points, which do not turn) start from a jittered lattice, fall into an open box and come to rest there by
the dissipation of the Hunt-Crossley law and by friction.  With gravity g and the height y of a sphere above the floor,

    sum m v^2 / 2  +  sum m g y  +  sum 2/5 f_H x  +  integral of the dissipated power  =  constant.

The first three are read from the state, the dissipated power of all contacts is integrated by the trapezoidal rule with
the steps of the solver.  Velocity Verlet and this rule are of second order, so the error falls with step^2; the default
step is short enough for 1e-6 of the initial energy.
"""

from dataclasses import dataclass, field

import numpy as np

import windlass as wl
from windlass import connectors as con
from windlass.elements import Ground, MassPoint

spheres = wl.option("spheres", 1000, "1", "number of spheres", minimum=1)
end = wl.option("end", 0.4, "s", "time at the end", minimum=1e-6)
step = wl.option("step", 2e-5, "s", "step", minimum=1e-9)
output = wl.option("output", "settling_spheres_out", "", "folder for the energies; 'none' writes no files")
folder = None if output == "none" or wl.help_requested() else wl.create_output_folder(output)

RADIUS, MASS, GRAVITY = 0.01, 0.005, 9.81  # [m], [kg], [m/s^2]
SPACING = 2.4 * RADIUS  # [m] of the lattice

# a lattice, as high as wide, jittered so that it does not stay one
side = int(np.ceil(spheres ** (1 / 3)))
x, z, y = (index.ravel()[:spheres] for index in np.indices((side, side, side))[[1, 2, 0]])
jitter = np.random.default_rng(1).uniform(-0.15 * RADIUS, 0.15 * RADIUS, (spheres, 3))
places = SPACING * (np.column_stack((x, y, z)) + 0.5) + jitter
width = side * SPACING

world = wl.World(gravity=(0.0, -GRAVITY, 0.0))
points = world.add(MassPoint, name="sphere", position=places, mass=MASS)
ground = world.add(Ground)
friction = {"static_friction": 0.3, "dynamic_friction": 0.2}
material = world.add(con.ContactMaterial, plane_strain_modulus=1e6, dissipation=0.5, **friction)
group = world.add(con.ContactSet)
world.add(con.ContactSphere, contact_set=group, marker=points, material=material, radius=RADIUS)
walls = [((0, 0, 0), (0, 1, 0))] + [((0, 0, 0), n) for n in ((1, 0, 0), (0, 0, 1))]
walls += [((width, 0, 0), (-1, 0, 0)), ((0, 0, width), (0, 0, -1))]
for position, normal in walls:
    plane = {"position": position, "rotation": con.facing(normal)}
    world.add(con.ContactHalfSpace, contact_set=group, marker=ground, material=material, **plane)
contact = world.add(con.HuntCrossley, contact_set=group, transition_velocity=0.1)


@dataclass
class Energies:
    """Energies after each step; dissipated is the integral so far.  All in [J], times in [s]."""

    times: list[float] = field(default_factory=list)
    rows: list[tuple[float, float, float, float]] = field(default_factory=list)
    power: float = 0.0

    def record(self, state: wl.State) -> None:
        """Add the energies of a state; called after each step."""
        dofs = state.local_dofs(points)
        height = places[:, 1] + state.q[dofs[:, 1]]
        found = con.eval_contacts(world, state, contact)
        power, dissipated = float(found.dissipated_power.sum()), 0.0
        if self.times:
            dissipated = self.rows[-1][3] + 0.5 * (power + self.power) * (state.t - self.times[-1])
        kinetic, potential = 0.5 * MASS * (state.v[dofs] ** 2).sum(), MASS * GRAVITY * height.sum()
        self.times.append(state.t)
        self.rows.append((float(kinetic), float(potential), float(found.energy.sum()), dissipated))
        self.power = power


start, energies = wl.State(world), Energies()
energies.record(start)
state = wl.Explicit(world, step=step, end=end, name="settling").solve(start, hooks=[energies.record])
if not wl.help_requested():
    table = np.array(energies.rows)
    total = table.sum(axis=1)
    error = np.abs(total - total[0]).max() / total[0]
    print(table[-1], error, table[-1].sum()/table[0].sum()-1, len(con.eval_contacts(world,state,contact).depth))
    for k in range(0,len(table),len(table)//10): print(table[k], total[k]/total[0]-1)
