"""A drive with a belt with shear: equilibrium, start in steady motion, and some steps.

The file is a program for mpiexec, and contains a function for tests.

Usage: parallel_shear_belt.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_shear_belt() -> dict[str, Any]:
    """Return coordinates and velocities of the states, and the tensions at the end [N]."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World()
    bodies = [world.add(el.RigidBody2D, position=(x, 0.0), mass=2.0, inertia=0.002) for x in (0.0, 0.4)]
    con.fix(world, bodies, "x", "y")
    belt = wl.Belt(
        world, [wl.Pulley(body, R, "left") for body, R in zip(bodies, (0.1, 0.06), strict=True)], tension=300.0,
        axial_stiffness=5e4, bending_stiffness=0.02, shear_stiffness=3e3, mass_per_length=0.1, friction=0.6,
        elements=96,
    )  # fmt: skip
    drive = con.prescribe_velocity(world, bodies[0], "rotation", 50.0)
    with belt.preload(drive):
        still = wl.Static(world, rtol=1e-12).solve()
    first, second = (pulley.name for pulley in belt.pulleys)
    start = belt.run(still, belt.steady({first: 50.0}, {second: -6.0}))
    end = wl.Dynamic(world, step=2e-4, end=4e-3, rtol=1e-10).solve(start)
    found: dict[str, Any] = {"tensions": [span.tension for span in belt.report(end).spans]}
    for name, state in (("still", still), ("start", start), ("end", end)):
        whole = state.gather()
        found |= {f"{name} q": whole.q, f"{name} v": whole.v}
    return found


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_shear_belt()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
