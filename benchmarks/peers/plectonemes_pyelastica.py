"""Program that solves the model of ../plectonemes_scene.py in PyElastica and prints one RESULT line.

usage: plectonemes_pyelastica.py ELEMENTS STEPS
"""

import sys
import time
from importlib.metadata import version
from pathlib import Path

import elastica as ea
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import plectonemes_scene as scene

DAMPING = 2.0
"""Damping coefficient [1/s] of the velocities, divided by the mass."""


class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Contact, ea.Forcing, ea.Damping):
    """A collection of rods with constraints, contact, forces and damping."""


class Guided(ea.ConstraintBase):
    """Constraints: a clamp at the first node, and a guide along the axis at the last node."""

    def __init__(self, start, end, first_frame, last_frame, **more):
        super().__init__(**more)
        self._start, self._end, self._frames = start, end, (first_frame, last_frame)

    def constrain_values(self, system, time):
        """Set the position and the frame of both ends."""
        system.position_collection[:, 0] = self._start
        system.position_collection[1:, -1] = self._end[1:]
        system.director_collection[:, :, 0] = self._frames[0]
        system.director_collection[:, :, -1] = self._frames[1]

    def constrain_rates(self, system, time):
        """Set the velocity and the angular velocity of both ends."""
        system.velocity_collection[:, 0] = 0.0
        system.velocity_collection[1:, -1] = 0.0
        system.omega_collection[:, 0] = 0.0
        system.omega_collection[:, -1] = 0.0


class Tension(ea.NoForces):
    """The tension at the last node."""

    def apply_forces(self, system, time=0.0):
        """Add the force."""
        system.external_forces[0, -1] += scene.find_torque_and_tension(scene.ANGLE)[1]


def solve(elements, end, steps):
    """Return the rod at the end, its length [m], and process time and elapsed time [s] of the solve."""
    line, _, normals, length = scene.lay_plectoneme()
    nodes = np.arange(elements + 1) * scene.FINE // elements
    middles = (nodes[1:] + nodes[:-1]) // 2
    points = line[nodes]
    t = np.diff(points, axis=0)
    t /= np.linalg.norm(t, axis=1)[:, None]
    d = normals[middles] - (normals[middles] * t).sum(axis=1)[:, None] * t
    d /= np.linalg.norm(d, axis=1)[:, None]
    frames = np.stack((d.T, np.cross(t, d).T, t.T))
    modulus = scene.EI / (np.pi * scene.RADIUS**4 / 4.0)
    rod = ea.CosseratRod.straight_rod(
        elements, points[0], t[0], d[0], length, scene.RADIUS, scene.MASS / (np.pi * scene.RADIUS**2),
        youngs_modulus=modulus, shear_modulus=scene.GJ / (np.pi * scene.RADIUS**4 / 2.0), position=points.T.copy(),
        directors=frames,
    )  # fmt: skip
    for k, value in enumerate((scene.SHEAR, scene.SHEAR, scene.EA)):
        rod.shear_matrix[k, k] = value
    rod.rest_lengths[:] = length / elements
    rod.rest_voronoi_lengths[:] = length / elements
    rod.rest_kappa[2] = -scene.find_torque_and_tension(scene.ANGLE)[0] / scene.GJ
    simulator = Simulator()
    simulator.append(rod)
    simulator.dampen(rod).using(ea.AnalyticalLinearDamper, damping_constant=DAMPING, time_step=end / steps)
    held = {"constrained_position_idx": (0, -1), "constrained_director_idx": (0, -1)}
    simulator.constrain(rod).using(Guided, **held)
    simulator.add_forcing_to(rod).using(Tension)
    stiffness = scene.STIFFNESS * length / elements
    simulator.detect_contact_between(rod, rod).using(ea.RodSelfContact, k=stiffness, nu=2.5e-4 * stiffness)
    simulator.finalize()
    cpu, wall = time.process_time(), time.perf_counter()
    ea.integrate(ea.PositionVerlet(), simulator, end, steps, progress_bar=False)
    return rod, length, {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def main():
    """Run the command: some steps, to exclude work that occurs once per process, and then the whole motion."""
    elements, steps = map(int, sys.argv[1:])
    solve(elements, 5.0 * scene.END / steps, 5)
    rod, length, times = solve(elements, scene.END, steps)
    torque = scene.GJ * np.abs(rod.kappa[2, 2] - rod.rest_kappa[2, 2])
    distance = float(np.linalg.norm(rod.position_collection[:, -1] - rod.position_collection[:, 0]))
    scene.print_result(steps, distance, float(torque), length, times, {"pyelastica": version("pyelastica")})


if __name__ == "__main__":
    main()
