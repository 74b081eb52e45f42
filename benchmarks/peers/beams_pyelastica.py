"""Program that solves a model of ../beams_scene.py in PyElastica and prints one RESULT line.

usage: beams_pyelastica.py {cantilever,helix} SLENDERNESS ELEMENTS STEPS

PyElastica fixes the first node and the orientation of the first element, which is the orientation at the middle of the
element. The rod therefore begins half an element before the clamp. The error of the clamp is then of second order, like
all other errors.
"""

import sys
import time
from importlib.metadata import version
from pathlib import Path

import elastica as ea
import numpy as np
from elastica.rod.cosserat_rod import _compute_bending_twist_strains

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from beams_scene import DENSITY, LENGTH, MODULUS, POISSON, find_force, find_period, run_model, wind


class Simulator(ea.BaseSystemCollection, ea.Constraints, ea.Forcing):
    """A collection of rods with constraints and forces."""


def solve(shape, slenderness, elements, end, steps):
    """Return the position of the free end, and process time and elapsed time [s] of the solve."""
    size = LENGTH / (elements - 0.5)
    s = size * (np.arange(elements + 1) - 0.5)
    tangent, normal, given = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), {}
    if shape == "helix":
        points = np.array([wind(shape, x)[0] for x in s])
        t = np.diff(points, axis=0)
        t /= np.linalg.norm(t, axis=1)[:, None]
        d = np.array([wind(shape, x)[2] for x in 0.5 * (s[1:] + s[:-1])])
        d -= (d * t).sum(axis=1)[:, None] * t
        d /= np.linalg.norm(d, axis=1)[:, None]
        tangent, normal = t[0].copy(), d[0].copy()
        frames = np.stack((d.T, np.cross(t, d).T, t.T))
        given = {"position": points.T.copy(), "directors": frames}
    rod = ea.CosseratRod.straight_rod(
        elements,
        np.array([s[0], 0.0, 0.0]),
        tangent,
        normal,
        size * elements,
        LENGTH / slenderness,
        DENSITY,
        youngs_modulus=MODULUS,
        shear_modulus=MODULUS / (2.0 + 2.0 * POISSON),
        **given,
    )
    if shape == "helix":
        # the rod has the shape of the helix without load
        _compute_bending_twist_strains(rod.director_collection, rod.rest_voronoi_lengths, rod.rest_kappa)
    simulator = Simulator()
    simulator.append(rod)
    simulator.constrain(rod).using(ea.OneEndFixedBC, constrained_position_idx=(0,), constrained_director_idx=(0,))
    force = np.array(find_force(shape, slenderness))
    ramp = find_period(slenderness) / 2.0
    simulator.add_forcing_to(rod).using(ea.EndpointForces, np.zeros(3), force, ramp_up_time=ramp)
    simulator.finalize()
    cpu, wall = time.process_time(), time.perf_counter()
    ea.integrate(ea.PositionVerlet(), simulator, end, steps, progress_bar=False)
    times = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    return tuple(float(value) for value in rod.position_collection[:, -1]), times


if __name__ == "__main__":
    run_model(__doc__, solve, {"pyelastica": version("pyelastica")})
