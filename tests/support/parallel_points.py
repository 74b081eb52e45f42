"""Program for mpiexec: a small drive with contact points over some steps. Usage: parallel_points.py OUT.npz"""

import sys
from typing import Any

import numpy as np


def main(path: str) -> None:
    """Run the model, and write coordinates, history values, outputs and the report of a circle."""
    import windlass as wl
    from windlass import connectors as con
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0

    from support.contact_forms import create_drive

    model = create_drive(con.ContactFrictionCirclePoints2D, 16, 2, 8000.0, -0.05)
    dynamic = wl.Dynamic(model.world, step=5e-4, end=0.02, name="", passes=wl.Passes(max_it=6))
    state = dynamic.solve(model.state)
    whole, statistics = state.gather(), dynamic.statistics
    report = con.pulley_report(model.world, state, model.contacts, model.circles[1])
    outputs = {name: wl.eval_output(model.contacts, name, state) for name in ("force_local", "state", "friction_power")}
    gap = wl.eval_output(model.contacts, "gap", state)
    refused = check_switches(model, state, f"{path}.state.npz")
    if wl.is_first_process():
        np.savez(
            path,
            counts=[statistics.newton_iterations, statistics.discontinuous_iterations],
            q=whole.q,
            v=whole.v,
            data=whole.data,
            closed=gap <= 0.0,
            refused=refused,
            report=[report.torque, report.wrap_angle, report.normal_force, report.entry_tension, report.belt_speed],
            **outputs,
        )


def check_switches(model: Any, state: Any, path: str) -> str:
    """Save a state, switch single rows, and load the state. Return the message of the error. Restore the switches."""
    import windlass as wl
    from windlass.framework.state.switches import describe_switches

    before = describe_switches(model.world)
    state.save(path)
    model.world.set(model.contacts[5], friction_coefficient=0.2)
    model.world.set(model.contacts[20], active=False)
    changed = wl.State(model.world)
    try:
        changed.load(path)
    except wl.ModelError as error:
        refused = str(error)
    assert not changed.t and "switch.ContactFrictionCirclePoints2D.active" in before
    changed.load(path, switches="restore")
    after = describe_switches(model.world)
    assert changed.t == state.t and all(np.array_equal(before[name], after[name]) for name in before)
    return refused.partition("other switches of the model:")[2]


words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(words[0])
