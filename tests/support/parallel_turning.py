"""A rope with twist that is dragged sideways over two drums, and a ribbon that is turned on a plane.

The file is a program for mpiexec, and contains a function for tests.

Usage: parallel_turning.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_rope() -> dict[str, Any]:
    """Return the coordinates at the end, and outputs of the contacts."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world, radius = wl.World(gravity=(0.0, 0.0, -9.81)), 0.02
    rope = el.straight_cable(
        world, (-0.6, 0.0, radius), (0.6, 0.0, radius), 12, axial_stiffness=1e4, bending_stiffness=1.0,
        torsional_stiffness=0.5, mass_per_length=2.0, rotary_inertia=4e-4, bending_damping=1e-2,
    )  # fmt: skip
    nodes = el.nodes_of(world, rope)
    con.fix(world, nodes[0], "x", "y", "z", "twist")
    ground = world.add(el.Ground)
    drums = [
        world.add(
            con.DrumSurface, marker=con.rigid_marker(world, ground, (x, 0.0, -0.1)), axis=(0.0, 1.0, 0.0), radius=0.1
        )
        for x in (-0.3, 0.3)
    ]
    columns = {
        "points": 6, "rope_radius": radius, "contact_stiffness_per_length": 1e6, "contact_damping_per_length": 500.0,
        "friction_stiffness_per_length": 1e5, "friction_coefficient": 0.3, "turns_rope": True,
    }  # fmt: skip
    fixed = con.add_surface_contact(world, drums[0], rope, **columns)
    searched = con.add_surface_contact(world, [drums[1]], rope, touching=1, skin=0.1, **columns)
    ribbon = el.straight_cable(
        world, (-0.2, 0.3, 0.001), (0.2, 0.3, 0.001), 8, normal=(0, 1, 0), axial_stiffness=1e4,
        bending_stiffness=(0.1, 1.0), torsional_stiffness=0.5, mass_per_length=0.5, rotary_inertia=1e-4,
    )  # fmt: skip
    plane = world.add(con.PlaneSurface, marker=con.rigid_marker(world, ground))
    columns |= {"points": 4, "rope_radius": 0.001, "turns_rope": False}
    wide = con.add_surface_contact(world, plane, ribbon, width=0.05, **columns)
    world.add(con.Torque, marker=con.rigid_marker(world, el.nodes_of(world, ribbon)[8]), vector=(0.003, 0.0, 0.0))
    for cable in rope:
        world.add(con.LineLoad, cable=cable, vector=(0.0, 15.0, 0.0))
    end = wl.Dynamic(world, step=1e-3, end=0.1, rtol=1e-10).solve()
    outputs = {
        f"{which} {name}": wl.eval_output(contacts, name, end)
        for which, contacts in (("fixed", fixed), ("searched", searched))
        for name in ("axis_torque", "friction_force", "state")
    }
    outputs |= {f"ribbon {name}": wl.eval_output(wide, name, end) for name in ("normal_force", "friction_force")}
    whole = end.gather()
    return outputs | {"q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_rope()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
