"""Two trolleys on a rope that pass from cable to cable, as a program for mpiexec and as a function for tests.

Usage: parallel_carriages.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_trolleys() -> dict[str, Any]:
    """Return the whole state at the end and outputs of the joints."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl

    from support.carriages import create_trolleys

    world, trolleys, joints = create_trolleys()
    dynamic = wl.Dynamic(world, step=5e-3, end=0.15, rtol=1e-10)
    end = dynamic.solve()
    names = ("arc_length", "cable", "speed", "normal_force", "friction_force", "force")
    outputs = {name: wl.eval_output(joints, name, end) for name in names}
    outputs["position"] = wl.eval_output(trolleys, "position", end)
    whole = end.gather()
    return outputs | {"q": whole.q, "v": whole.v, "newton": np.array(dynamic.statistics.newton_iterations)}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_trolleys()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
