"""A rope with a ring that a winch pays out over a sheave, as a program for mpiexec and as a function for tests.

Usage: parallel_sheave.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_sheave() -> dict[str, Any]:
    """Return the whole state after a few steps."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    from windlass.elements import MassPoint

    from support.winch_sheave import EA, MASS, RADIUS, G, create

    model = create(cables=24, inertia=0.5, drop=0.4)
    con.prescribe(model.world, model.rope.feed, "s", con.smooth_step(0.0, 0.3, 0.0, 0.02))
    ring = model.world.add(MassPoint, position=(-0.2, RADIUS), mass=0.1)
    con.sliding_joint(model.world, model.rope.cables, ring, 0.3 / (1.0 + MASS * G / EA), damping=5.0)
    whole = wl.Dynamic(model.world, step=1e-4, end=1e-3, rtol=1e-10).solve().gather()
    return {"q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_sheave()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
