"""A chain with reserve cables that a winch lowers onto a bed, as a program for mpiexec and as a function for tests.

Usage: parallel_lowering.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np

END = 30.0
"""Time [s] at which the chain is at rest."""


def run_lowering(torsion: bool = False, end: float = END, **soft: float) -> dict[str, Any]:
    """Return tensions at the touchdown point and at the top, the length on the bed, their values for the elastic
    catenary, the numbers of cables after splits, energies, and the whole state at the time ``end`` [s]. ``soft``
    contains columns of a soft bed.
    """
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con
    from windlass.elements import Ground, hang_from_ground

    rho, EA, g, paid = 200.0, 5e8, 9.81, 10.0
    stiffness = rho * g / 5e-4
    damping = 0.6 * np.sqrt(stiffness * rho)
    more = {"torsional_stiffness": 1e4, "rotary_inertia": 1.0} if torsion else {}
    world = wl.World(gravity=(0.0, 0.0, -g))
    rope = con.WinchReserve(
        world, (0.0, 0.0, 30.0), (60.0, 0.0, 0.0), wanted=1.4, cables=8, longest=90.0, strain=2e-3, mass_per_length=rho,
        axial_stiffness=EA, bending_stiffness=10.0, axial_damping=5e6, **more,
    )  # fmt: skip
    for node in (rope.nodes[0], rope.nodes[-1]):
        con.fix(world, node, "x", "y", "z", *(["twist"] if torsion else []))
    bed = world.add(con.PlaneSurface, marker=con.rigid_marker(world, world.add(Ground)))
    contact = con.add_surface_contact(
        world, bed, rope.cables, contact_stiffness_per_length=stiffness, contact_damping_per_length=damping,
        friction_stiffness_per_length=stiffness, friction_velocity_penalty_per_length=damping, friction_coefficient=0.6,
        **soft,
    )  # fmt: skip
    length = float(rope.feed.reference) + paid
    con.prescribe(world, rope.feed, "s", con.smooth_step(0.0, 20.0, 0.0, paid))
    ledger = wl.EnergyLedger()
    state = wl.Static(world, time=0.0).solve()
    state = wl.Dynamic(world, step=0.1, end=end, rtol=1e-9).solve(state, hooks=[rope, ledger])
    if end >= END:
        state = wl.Static(world, time=end).solve(state, hooks=[rope])
    exact = hang_from_ground((60.0, 0.0, 0.0), (0.0, 0.0, 30.0), length, EA, rho, gravity=(0.0, 0.0, -g))
    place, tension = (wl.eval_output(rope.outside, name, state) for name in ("position", "axial_force"))
    touchdown = np.argmin(np.abs(place[:, 0] - exact.hanging.start[0]))
    whole = state.gather()
    found = {
        "changes": [change.cables for change in rope.changes], "touchdown": np.ravel(tension)[touchdown],
        "exact touchdown": exact.horizontal_force, "top": np.ravel(tension)[0],
        "exact top": exact.eval_tension([length * (1.0 - 0.5 / len(rope.outside))])[0],
        "lying": -np.sum(wl.eval_output(contact, "normal_force", state)) / (rho * g), "exact lying": exact.lying,
        "rest of contact": ledger.totals[f"rest.{contact.table.kind}"],
        "change of energy": ledger.totals["changes of the model"], "weight": np.abs(ledger["gravity"]).max(),
        "q": whole.q, "v": whole.v,
    }  # fmt: skip
    return {name: np.array(value, np.float64) for name, value in found.items()}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_lowering(end=12.0)
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
