"""Two models: a rope that breaks during a run, and a winch that pays out a rope in water. The models are functions, and
a program for mpiexec runs both.

Usage: parallel_breaking.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def break_line() -> dict[str, Any]:
    """Return the whole state at the end, the break, the fatigue damages of the cables, and energies of the ledger."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    from windlass import connectors as con
    from windlass import post
    from windlass.elements import MassPoint, nodes_of, straight_cable

    world = wl.World(gravity=(0.0, 0.0, -9.81))
    load = world.add(MassPoint, position=(4.0, 0.0, 0.0), mass=50.0)
    rope = straight_cable(
        world, (0.0, 0.0, 0.0), (4.0, 0.0, 0.0), 24, axial_stiffness=5e4, bending_stiffness=0.5, mass_per_length=1.0,
        axial_damping=50.0,
    )  # fmt: skip
    nodes = nodes_of(world, rope)
    con.hinge(world, nodes[0])
    ends = con.position_marker(world, nodes[24]), con.position_marker(world, load)
    world.add(con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    sea = world.add(con.Fluid, density=1.25, fills="everywhere")
    world.add(con.FluidLoad, cable=rope, fluid=sea, diameter=0.02)
    curve = post.FatigueCurve(exponent=3.0, constant=2.0, reference=1e3)
    hook = con.BreakingLinks([con.Link(rope[5:], breaking_load=800.0, fatigue=curve, name="rope")])
    ledger = wl.EnergyLedger()
    end = wl.Dynamic(world, step=2e-3, end=0.8, name="", rtol=1e-10).solve(hooks=[hook, ledger]).gather()
    (one,) = hook.breaks
    return {
        "q": end.q,
        "v": end.v,
        "breaks": np.array([one.cable, round(one.time, 9)]),
        "force": np.array(one.force),
        "damages": hook.damages("rope"),
        "energies": np.array([ledger.totals["changes of the model"], ledger.totals["FluidLoad.drag"]]),
    }


def lower_load() -> dict[str, Any]:
    """Return the whole state at the end, and the loss by drag, of a load on a winch rope with cables in reserve."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    from windlass import connectors as con
    from windlass.elements import MassPoint

    world = wl.World(gravity=(0.0, 0.0, -9.81))
    rope = con.WinchReserve(
        world, (0.0, 0.0, 1.0), (0.5, 0.0, -1.0), cables=4, wanted=0.5, longest=6.0, strain=1e-3, mass_per_length=2.0,
        axial_stiffness=2e5, bending_stiffness=0.1, axial_damping=500.0,
    )  # fmt: skip
    con.hinge(world, rope.nodes[0])
    load = world.add(MassPoint, position=(0.5, 0.0, -1.0), mass=20.0)
    ends = [con.position_marker(world, which) for which in (rope.nodes[-1], load)]
    world.add(con.SphericalJoint, marker0=ends[0], marker1=ends[1])
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 1.0, 0.0, 3.0))
    sea = world.add(con.Fluid, density=1000.0, transition=0.2, velocity=(0.5, 0.0, 0.0))
    world.add(con.WinchFluidLoad, cable=rope.cables, fluid=sea, diameter=0.04)
    ledger = wl.EnergyLedger()
    end = wl.Dynamic(world, step=1e-2, end=0.2, name="", rtol=1e-10).solve(hooks=[rope, ledger]).gather()
    energies = [ledger.totals["WinchFluidLoad.drag"], ledger.totals["WinchFluidLoad.added_mass"]]
    return {"winch q": end.q, "winch v": end.v, "winch energies": np.array(energies)}


def main(path: str) -> None:
    """Solve and write the results."""
    found = break_line() | lower_load()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
