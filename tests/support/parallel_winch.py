"""Loads that swing in 3D while they are hoisted, on ropes without and with torsion, and a load on a rope with reserve
cables, as a program for mpiexec and as a function for tests.

Usage: parallel_winch.py OUT.npz [options of Windlass and PETSc]
"""

import sys
from typing import Any

import numpy as np


def run_load() -> dict[str, Any]:
    """Return the whole state at the end, outputs of the rope, and the inflow of kinetic energy from the ledger."""
    # imported inside the function, because the command line is read when Windlass is loaded
    import windlass as wl
    import windlass.connectors as con

    from support.winches import hang_in_reserve, swing

    world, rope, _ = swing(4.0, 3.0, 1.0, 0.2, space=True, cables=6)
    ledger = wl.EnergyLedger()
    end = wl.Dynamic(world, step=2e-2, end=0.4, rtol=1e-10).solve(hooks=[ledger])
    names = ("position", "velocity", "axial_force", "length", "mass_flow", "momentum_flow")
    outputs = {name: wl.eval_output(rope.cables, name, end) for name in names}
    outputs["flow"] = np.array(ledger.totals["WinchCable3D.kinetic_flow"])
    whole = end.gather()
    outputs |= {"q": whole.q, "v": whole.v}
    world, reserve, _ = hang_in_reserve(
        0.5, 0.3, wanted=0.25, longest=2.0, space=True, mass_per_length=0.5, axial_stiffness=2e4,
        bending_stiffness=1e-3, axial_damping=100.0, strain=5e-3,
    )  # fmt: skip
    out, back = con.smooth_step(0.0, 1.0, 0.0, 1.0), con.smooth_step(1.0, 2.0, 0.0, 1.15)
    con.prescribe(world, reserve.feed, "s", lambda t: out(t) - back(t))
    ledger = wl.EnergyLedger()
    whole = wl.Dynamic(world, step=2e-2, end=2.0, rtol=1e-10).solve(hooks=[reserve, ledger]).gather()
    changes = [(change.t, change.cables) for change in reserve.changes]
    outputs |= {"changes": np.array(changes), "change of energy": np.array(ledger.totals["changes of the model"])}
    outputs |= {"q in reserve": whole.q, "v in reserve": whole.v}
    torsion: dict[str, Any] = {
        "torsional_stiffness": 0.5, "rotary_inertia": 0.01, "coupling": 50.0, "torsional_damping": 0.01,
        "store_tension": 50.0, "store_twist": 0.3,
    }  # fmt: skip
    world, rope, _ = swing(4.0, 3.0, 1.0, 0.2, space=True, cables=6, **torsion)
    con.fix(world, rope.nodes[0], "twist")
    ledger = wl.EnergyLedger()
    end = wl.Dynamic(world, step=2e-2, end=0.4, rtol=1e-10).solve(hooks=[ledger])
    outputs |= {f"{name} with torsion": wl.eval_output(rope.cables, name, end) for name in ("torque", "twist", "spin")}
    for name in ("strain_flow", "kinetic_flow", "torsional_damping"):
        outputs[f"{name} with torsion"] = np.array(ledger.totals[f"WinchTwistCable3D.{name}"])
    whole = end.gather()
    return outputs | {"q with torsion": whole.q, "v with torsion": whole.v}


def main(path: str) -> None:
    """Solve and write the results."""
    found = run_load()
    from windlass.framework.launch.launcher import communicator

    if (comm := communicator()) is None or comm.rank == 0:
        np.savez(path, **found)


if __name__ == "__main__":
    main(sys.argv.pop(1))
