"""Ropes with twist of all types with loads, friction of wires, markers and strain coordinates, as a program for mpiexec
and as functions for tests.

Usage: parallel_twist_ropes.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def stiffen(t: float, x: Any, eps: Any, eps_t: Any, eps_ref: Any, kap: Any, kap_t: Any, kap_ref: Any, p: Any) -> Any:
    """Return an axial force [N] that increases progressively with the strain."""
    e = eps - eps_ref
    return p.axial_stiffness * e * (1.0 + 5.0 * e) + p.axial_damping * eps_t


def create() -> tuple[Any, list[Any], Any]:
    """Return the model, its ropes and the friction of their wires."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    import windlass.elements as el

    world = wl.World(gravity=(0.0, 0.5, -9.81))
    section = {
        "bending_stiffness": (0.2, 0.1), "mass_per_length": 0.3, "torsional_stiffness": 0.5, "rotary_inertia": 1e-4,
        "coupling": 5.0, "axial_damping": 20.0, "torsional_damping": 0.01, "bending_damping": 0.01,
    }  # fmt: skip
    laws: list[dict[str, Any]] = [
        {"axial_stiffness": 2e4, "slow_stiffness": 1e4, "slow_damping": 1e4, "stiffening": 20.0, "slow_strain": 0.002},
        {"tension_table": [(-0.1, -200.0), (0.0, 0.0), (0.01, 100.0), (0.02, 400.0)]},
        {
            "axial_stiffness": 2e4, "slow_damping": 1e4, "stiffening": 5.0, "slow_strain": 0.003, "largest_load": 30.0,
            "working_strains": (0.0, 0.01, 0.04, 0.1), "working_tensions": (0.0, 60.0, 300.0, 900.0),
        },
        {"axial_stiffness": 2e4, "axial_force_function": stiffen},
        {"axial_stiffness": 2e4},
    ]  # fmt: skip
    ropes = [
        el.straight_cable(world, (0, k, 0), (3, k, -1), 6, **section, **law) for k, law in enumerate(laws)
    ]  # fmt: skip
    for rope in ropes:
        con.clamp(world, el.nodes_of(world, rope)[0])
        length = float(rope.length[4])
        marker = con.rigid_marker(world, rope[4], (0.6 * length, 0.03, 0.01))
        world.add(con.Torque, marker=marker, vector=(0.3, 0.1, 0.0), body_fixed=True)
        world.add(con.Force, marker=marker, vector=(1.0, 0.0, -2.0))
        world.add(con.LineTorque, cable=rope, vector=(0.05, 0.0, 0.02))
        world.add(con.LineLoad, cable=rope, vector=(0.1, 0.5, -0.2), body_fixed=True)
        strain = con.strain_coordinate(world, rope[2], 0.3)
        world.add(con.CoordinateLoad, marker=strain, value=2.0)
    friction = world.add(
        con.WireFriction, cable=ropes[4], axial_stiffness=2e4, slip_force=3.0, bending_stiffness=2.0, slip_moment=0.01,
        slip_moment_per_tension=1e-3,
    )  # fmt: skip
    return world, ropes, friction


def run_ropes() -> dict[str, Any]:
    """Return the coordinates at the end, and outputs of the ropes and of the friction."""
    import windlass as wl  # imported here, because the command line is read when Windlass is loaded

    world, ropes, friction = create()
    end = wl.Dynamic(world, step=2e-3, end=0.1, rtol=1e-10).solve()
    outputs = {
        f"{name} {k}": wl.eval_output(rope, name, end)
        for k, rope in enumerate(ropes)
        for name in ("axial_force", "torque", "bending_moment")
    }
    for name in ("axial_force", "bending_moment", "axial_loss", "bending_loss"):
        outputs[f"friction {name}"] = wl.eval_output(friction, name, end)
    whole = end.gather()
    return outputs | {"slow strain": wl.eval_output(ropes[0], "slow_strain", end), "q": whole.q, "v": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_ropes()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
