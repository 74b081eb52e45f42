"""A thin rope that is pressed on a thick rope, and slides and rolls on the thick rope, as a program for mpiexec and as
functions for tests.

Usage: rolling_ropes.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np

LENGTH, MASS = 0.2, 0.5  # length [m], mass per length [kg/m]
LAW = {"contact_stiffness_per_length": 1e6, "friction_stiffness_per_length": 1e6}


def create_ropes(friction: float = 0.3, overlap: float = 5e-4, **law: Any) -> Any:
    """Return the world, both ropes, and the rows of the contact."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world, ropes = wl.World(), []
    for along, height, radius in (((1.0, 0.0, 0.0), 0.0, 0.02), ((0.6, 0.8, 0.0), 0.03 - overlap, 0.01)):
        a = 0.5 * LENGTH * np.array(along)
        ends = (-a + (0, 0, height)).tolist(), (a + (0.01, 0, height)).tolist()
        ropes.append(
            el.straight_cable(
                world, *ends, 2, mass_per_length=MASS, rotary_inertia=0.5 * MASS * radius**2, axial_stiffness=1e4,
                bending_stiffness=1.0, torsional_stiffness=0.5, turned_from=(0, 0, 1),
            )
        )  # fmt: skip
    con.clamp(world, el.nodes_of(world, ropes[0])[[0, 2]])
    for node in el.nodes_of(world, ropes[1])[[0, 2]]:
        world.add(con.Force, marker=con.position_marker(world, node), vector=(3.0, 0.0, -20.0))
    law = {"contact_damping_per_length": 20.0, **LAW, **law}
    rows = con.add_cable_contact(
        world, ropes, radius=[0.02, 0.01], points=10, friction_coefficient=friction, turns_rope=True, **law
    )
    return world, ropes, rows


def run_ropes() -> dict[str, Any]:
    """Return the coordinates at the end, and outputs of the contact and of the nodes."""
    import windlass as wl
    import windlass.elements as el

    world, ropes, rows = create_ropes()
    end = wl.Dynamic(world, step=1e-4, end=6e-4, rtol=1e-10, name="").solve()
    whole = end.gather()
    outputs = {name: wl.eval_output(rows, name, end) for name in ("contact_force", "axis_torque")}
    twist = wl.eval_output(el.nodes_of(world, ropes[1]), "twist", end)
    return outputs | {"twist": twist, "q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_ropes()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
