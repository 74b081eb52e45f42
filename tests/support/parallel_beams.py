"""A body that swings and rotates at the end of a beam, as a program for mpiexec and as a function for tests.

Usage: parallel_beams.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_beam(order: int = 2, **options: Any) -> dict[str, Any]:
    """Return the coordinates at the end time, and outputs of the beam."""
    # imported here, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World(gravity=(0.0, 0.0, -9.81))
    beam = el.straight_beam(
        world, (0, 0, 0), (1, 0, 0), 8, order=order, stiffness=(1e4, 4e3, 4e3, 1.0, 2.0, 3.0), mass_per_length=0.5,
        rotary_inertia=(2e-3, 1e-3, 1e-3), damping=(1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3),
    )  # fmt: skip
    nodes = el.nodes_of(world, beam)
    con.clamp(world, nodes[0])
    block = world.add(el.RigidBody3D, position=(1, 0, 0), mass=0.2, inertia=1e-2)
    markers = con.rigid_marker(world, nodes[len(nodes) - 1]), con.rigid_marker(world, block)
    world.add(con.GenericJoint, marker0=markers[0], marker1=markers[1])
    world.add(con.Torque, marker=markers[1], vector=(0.5, 0.0, 0.0), body_fixed=True)
    world.add(con.LineLoad, cable=beam, vector=(0.0, 0.3, 0.0), body_fixed=True)
    world.add(con.LineTorque, cable=beam, vector=(0.1, 0.0, 0.0))
    beside = con.rigid_marker(world, beam[5], (0.05, 0.02, 0.01))
    hangs = con.position_marker(world, world.add(el.MassPoint, position=(0.675, 0.02, -0.2), mass=0.1))
    world.add(con.CartesianSpringDamper, marker0=beside, marker1=hangs, stiffness=(50.0,) * 3, damping=(0.1,) * 3)
    world.add(con.Torque, marker=beside, vector=(0.1, 0.2, 0.3))
    sections = con.rotation_marker(world, beam[3:5], (1.0, 0.2, 0.1), x=(0.02, 0.04))
    world.add(con.CoordinateSpringDamper, marker0=sections[0], marker1=sections[1], stiffness=2.0, damping=0.1)
    end = wl.Dynamic(world, step=2e-3, end=0.1, rtol=1e-10, **options).solve()
    outputs = {name: wl.eval_output(beam, name, end) for name in ("force", "moment", "frame", "strain")}
    whole = end.gather()
    return outputs | {"q": whole.q, "v": whole.v}


def run_slope_beam(order: int = 2, **options: Any) -> dict[str, Any]:
    """Return the coordinates at the end time, and outputs, of a beam with deformable cross sections. A mass hangs from
    the beam at a distance from its axis.
    """
    # imported here, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World(gravity=(0.0, 0.0, -9.81))
    beam = el.straight_beam(
        world, (0, 0, 0), (1, 0, 0), 8, order=order, stiffness=(1e4, 4e3, 4e3, 1.0, 2.0, 3.0), mass_per_length=0.5,
        rotary_inertia=(3e-3, 1e-3, 2e-3), damping=(1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3),
        section_stiffness=(2e4, 1e4, 3e4), section_damping=(0.1, 0.2, 0.3), reference_strain=(0, 0, 0, 0.1, 0, 0.1),
    )  # fmt: skip
    nodes = el.nodes_of(world, beam)
    con.clamp(world, nodes[0])
    block = world.add(el.RigidBody3D, position=(1, 0, 0), mass=0.2, inertia=1e-2)
    ends = con.rigid_marker(world, nodes[len(nodes) - 1]), con.rigid_marker(world, block)
    world.add(con.GenericJoint, marker0=ends[0], marker1=ends[1])
    world.add(con.Torque, marker=ends[0], vector=(0.5, 0.0, 0.0), body_fixed=True)
    beside = con.rigid_marker(world, beam[5], (0.05, 0.02, 0.01))
    ball = world.add(el.MassPoint, position=(0.675, 0.02, -0.2), mass=0.1)
    hangs = con.position_marker(world, ball)
    world.add(con.CartesianSpringDamper, marker0=beside, marker1=hangs, stiffness=(50.0,) * 3, damping=(0.1,) * 3)
    world.add(con.Torque, marker=beside, vector=(0.1, 0.2, 0.3))
    end = wl.Dynamic(world, step=2e-3, end=0.1, rtol=1e-10, **options).solve()
    names = "force", "moment", "frame", "strain", "section_strain", "angular_velocity"
    outputs = {name: wl.eval_output(beam, name, end) for name in names}
    whole = end.gather()
    return outputs | {"q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_beam() | {f"slope beam: {name}": values for name, values in run_slope_beam().items()}
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
