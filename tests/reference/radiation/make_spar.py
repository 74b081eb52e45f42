"""Compute spar.nc, the radiation and diffraction of the OC3-Hywind spar, with Capytaine 3.0: ``python make_spar.py``.

The panel method converges with the first power of the angle of a panel, because flat panels have no curvature. The file
therefore contains 2 F(64) - F(32) for each value F, with the number of panels around the axis in brackets. The radii of
both meshes are scaled so that their polygons have the areas of the circles. A lid on the water plane suppresses the
irregular frequencies.

Geometry: J. Jonkman, Definition of the Floating System for Phase IV of OC3, NREL/TP-500-47535 (2010), table 3-1.
"""

import sys
from pathlib import Path

import capytaine as cpt
import numpy as np
import xarray as xr

DEPTH, DENSITY, GRAVITY = 320.0, 1025.0, 9.80665  # depth [m], density [kg/m^3], gravity [m/s^2]
DRAFT, EDGES, RADII = 120.0, (-12.0, -4.0), (4.7, 3.25)  # draught; heights and radii of the taper [m]
FREQUENCIES = np.concatenate(
    (0.05 * np.arange(1, 21), 1.0 + 0.1 * np.arange(1, 11), 2.0 + 0.2 * np.arange(1, 11), [np.inf])
)  # [rad/s]
FREEDOMS = "Surge", "Sway", "Heave", "Roll", "Pitch"


def solve(count: int) -> xr.Dataset:
    """Return the dataset of a mesh with ``count`` panels around the axis."""
    base = RADII[0] * np.sin(0.5 * np.pi * np.arange(10) / 10)
    steps = 1.0 - np.cos(0.5 * np.pi * np.arange(41) / 40)  # small panels near the lower edge
    heights = EDGES[0] - (DRAFT + EDGES[0]) * (1.0 - steps)
    upper = [np.linspace(*EDGES, 7)[1:], np.linspace(EDGES[1], 0.0, 7)[1:]]
    z = np.concatenate((np.full(len(base), -DRAFT), heights, *upper))
    r = np.concatenate((base, np.interp(z[len(base) :], EDGES, RADII)))
    r *= np.sqrt(2.0 * np.pi / count / np.sin(2.0 * np.pi / count))
    lid = np.linspace(0.0, r[-1], 6)
    meshes = [
        cpt.RotationSymmetricMesh.from_profile_points(np.column_stack((x, 0.0 * x, y)), n=count)
        for x, y in ((r, z), (lid, 0.0 * lid))
    ]
    body = cpt.FloatingBody(
        meshes[0], lid_mesh=meshes[1], dofs=cpt.rigid_body_dofs(rotation_center=(0.0, 0.0, 0.0)), name="spar"
    )
    given = {"body": body, "water_depth": DEPTH, "rho": DENSITY, "g": GRAVITY}
    solver, results = cpt.BEMSolver(), []
    for omega in FREQUENCIES:
        problems = [cpt.RadiationProblem(omega=omega, radiating_dof=name, **given) for name in FREEDOMS]
        if np.isfinite(omega):
            problems.append(cpt.DiffractionProblem(omega=omega, wave_direction=0.0, **given))
        results += [solver.solve(problem) for problem in problems]
        print(count, omega, flush=True)
    return cpt.assemble_dataset(results)


def main() -> None:
    """Write the file to the folder of this script, or to the given path."""
    cpt.set_logging("ERROR")
    coarse, fine = solve(32), solve(64)
    names = ["added_mass", "radiation_damping", "Froude_Krylov_force", "diffraction_force"]
    data = (2.0 * fine[names] - coarse[names]).sel(influenced_dof=list(FREEDOMS))
    path = sys.argv[1] if len(sys.argv) > 1 else str(Path(__file__).with_name("spar.nc"))
    cpt.export_dataset(path, data, format="netcdf")


if __name__ == "__main__":
    main()
