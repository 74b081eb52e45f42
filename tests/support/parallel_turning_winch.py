"""A twisted winch rope that is paid out over a drum, and a rope on a soft bed. Friction turns both ropes.

The file is a program for mpiexec, and contains a function for tests.

Usage: parallel_turning_winch.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_ropes() -> dict[str, Any]:
    """Return the coordinates at the end, and outputs of the contacts."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world, radius = wl.World(gravity=(0.0, 0.0, -9.81)), 0.02
    rod = {
        "axial_stiffness": 1e4, "bending_stiffness": 1.0, "torsional_stiffness": 0.5, "mass_per_length": 2.0,
        "rotary_inertia": 4e-4,
    }  # fmt: skip
    columns = {
        "points": 3, "rope_radius": radius, "contact_stiffness_per_length": 1e5, "contact_damping_per_length": 300.0,
        "friction_stiffness_per_length": 1e5, "friction_coefficient": 0.3, "turns_rope": True,
    }  # fmt: skip
    ground = world.add(el.Ground)
    rope = el.winch_rope(world, (-0.6, 0.0, radius), (0.6, 0.0, radius), 12, **rod)
    drum = world.add(
        con.DrumSurface, marker=con.rigid_marker(world, ground, (0.0, 0.0, -0.1)), axis=(0.1, 1.0, 0.0), radius=0.1
    )
    con.fix(world, rope.nodes[0], "x", "y", "z", "twist")
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 0.1, 0.0, 0.05))
    end = con.rigid_marker(world, rope.nodes[12])
    world.add(con.Force, marker=end, vector=(30.0, 5.0, 0.0))
    world.add(con.Torque, marker=end, vector=(0.3, 0.0, 0.0))
    winch = con.add_surface_contact(world, drum, rope.cables, **columns)
    line = el.straight_cable(world, (-0.5, 1.0, radius), (0.5, 1.0, radius), 8, **rod)
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, ground))
    bed = con.add_surface_contact(
        world, plane, line, lateral_friction_ratio=1.5, suction_coefficient=0.2, suction_distance=0.01, **columns
    )
    for cable in line:
        world.add(con.LineLoad, cable=cable, vector=(0.0, 15.0, 0.0))
    state = wl.Dynamic(world, step=5e-4, end=0.05, rtol=1e-10).solve()
    outputs = {
        f"{which} {name}": wl.eval_output(contacts, name, state)
        for which, contacts in (("winch", winch), ("bed", bed))
        for name in ("axis_torque", "friction_force", "state")
    }
    whole = state.gather()
    return outputs | {"q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_ropes()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
