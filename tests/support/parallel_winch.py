"""A load that swings in space while it is hoisted; a program for mpiexec, and the same within a test.

Usage: parallel_winch.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_load() -> dict[str, Any]:
    """The whole state at the end, outputs of the rope and what flows in by the ledger."""
    # here, because the command line is read when Windlass is loaded
    import windlass as wl

    from support.winches import swing

    world, rope, _ = swing(4.0, 3.0, 1.0, 0.2, space=True, cables=6)
    ledger = wl.EnergyLedger()
    end = wl.Dynamic(world, step=2e-2, end=0.4, rtol=1e-10).solve(hooks=[ledger])
    names = ("position", "velocity", "axial_force", "length", "mass_flow", "momentum_flow")
    outputs = {name: wl.eval_output(rope.cables, name, end) for name in names}
    outputs["flow"] = np.array(ledger.totals["WinchCable3D.kinetic_flow"])
    whole = end.gather()
    return outputs | {"q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_load()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
