"""Program for mpiexec: a rope falls on surfaces of bodies, and a net falls on a ball.

Usage: parallel_surfaces.py OUT.npz STEPS
"""

import sys

import numpy as np


def main(path: str, steps: int) -> None:
    """Run the model, and write coordinates, history values, outputs and the report of a surface."""
    from windlass.framework.launch.launcher import communicator
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0

    from support.surface_models import run_both

    found = run_both(steps)
    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(words[0], int(words[1]))
