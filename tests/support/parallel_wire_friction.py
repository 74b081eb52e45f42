"""A swinging wire rope with friction of its wires, as a program for mpiexec and as a function for tests.

Usage: parallel_wire_friction.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_rope() -> dict[str, Any]:
    """Return the coordinates at the end, and the outputs of the friction."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World(gravity=(0.0, 1.0, -9.81))
    rope = el.straight_cable(
        world, (0, 0, 0), (3, 0, -1), 12, axial_stiffness=2e4, bending_stiffness=0.1, mass_per_length=0.3
    )
    con.hinge(world, el.nodes_of(world, rope)[0])
    friction = world.add(
        con.WireFriction, cable=rope, axial_stiffness=2e4, slip_force=3.0, bending_stiffness=2.0, slip_moment=0.01,
        slip_moment_per_tension=1e-3,
    )  # fmt: skip
    end = wl.Dynamic(world, step=2e-3, end=0.2, rtol=1e-10).solve()
    names = "axial_force", "bending_moment", "axial_loss", "bending_loss"
    whole = end.gather()
    return {name: wl.eval_output(friction, name, end) for name in names} | {"q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_rope()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
