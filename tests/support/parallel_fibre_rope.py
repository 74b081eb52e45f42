"""A swinging weight that a fibre rope and a rope with a table of tensions carry together, as a program for mpiexec and
as a function for tests.

Usage: parallel_fibre_rope.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_ropes() -> dict[str, Any]:
    """Return the coordinates at the end, and outputs of the ropes."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World(gravity=(0.0, 0.0, -9.81))
    section = {"bending_stiffness": 0.1, "mass_per_length": 0.3}
    fibre = el.straight_cable(
        world, (0, 0, 0), (3, 0, -1), 6, axial_stiffness=2e4, slow_stiffness=1e4, slow_damping=1e4, stiffening=20.0,
        axial_damping=50.0, slow_strain=0.002, **section,
    )  # fmt: skip
    table = el.straight_cable(
        world, (3, 0, -1), (6, 0, 0), 6, tension_table=[(-0.1, 0), (0, 0), (0.01, 100), (0.02, 400)], **section
    )
    weight = world.add(el.MassPoint, position=(3.0, 0.0, -1.0), mass=8.0)
    ends = el.nodes_of(world, fibre), el.nodes_of(world, table)
    con.hinge(world, ends[0][0])
    con.hinge(world, ends[1][6])
    middle = con.position_marker(world, weight)
    for nodes, k in zip(ends, (6, 0), strict=True):
        world.add(con.SphericalJoint, marker0=con.position_marker(world, nodes[k]), marker1=middle)
    end = wl.Dynamic(world, step=2e-3, end=0.1, rtol=1e-10).solve()
    outputs = {f"force {k}": wl.eval_output(rope, "axial_force", end) for k, rope in enumerate((fibre, table))}
    whole = end.gather()
    return outputs | {"slow strain": wl.eval_output(fibre, "slow_strain", end), "q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_ropes()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
