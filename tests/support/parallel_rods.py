"""A hanging rope with torsion that turns a body at its end, as a program for mpiexec and as a function for tests.

Usage: parallel_rods.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_rope() -> dict[str, Any]:
    """Return the coordinates at the end, and outputs of the rope and its nodes."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World(gravity=(0.0, 0.0, -9.81))
    rope = el.straight_cable(
        world, (0, 0, 0), (2, 0, 0), 8, axial_stiffness=1e3, bending_stiffness=(0.6, 0.3), torsional_stiffness=0.5,
        coupling=4.0, mass_per_length=0.3, rotary_inertia=1e-3, bending_damping=1e-3, torsional_damping=1e-3,
    )  # fmt: skip
    nodes = el.nodes_of(world, rope)
    con.clamp(world, nodes[0])
    block = world.add(el.RigidBody3D, position=(2, 0, 0), mass=0.2, inertia=1e-3)
    markers = con.rigid_marker(world, nodes[8]), con.rigid_marker(world, block)
    world.add(con.GenericJoint, marker0=markers[0], marker1=markers[1])
    world.add(con.Torque, marker=markers[1], vector=(0.05, 0.0, 0.0), body_fixed=True)
    end = wl.Dynamic(world, step=2e-3, end=0.1, rtol=1e-10).solve()
    outputs = {name: wl.eval_output(rope, name, end) for name in ("torque", "frame", "bending_moment", "twist")}
    whole = end.gather()
    return outputs | {"node frame": wl.eval_output(nodes, "frame", end), "q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_rope()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
