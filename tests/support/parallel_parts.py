"""Program for mpiexec: each process builds parts of a hanging chain on two wheels, and makes the same calls as a
program on one process.

Usage: parallel_parts.py OUT.json
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

ELEMENTS = 60


def build() -> Any:
    """Build a chain over two wheels, with a weight that moves freely in the x-y plane."""
    import windlass as wl
    import windlass.connectors as con
    from windlass.elements import MassPoint, RigidBody2D, nodes_of, straight_cable

    world = wl.World(gravity=(0.0, -9.81))
    stiff: dict[str, Any] = {"mass_per_length": 0.5, "axial_stiffness": 5e3, "bending_stiffness": 0.05}
    chain = straight_cable(world, (0.0, 0.0), (6.0, 0.0), ELEMENTS, name="chain", reference_strain=-0.01, **stiff)
    nodes = nodes_of(world, chain)
    con.fix(world, nodes[np.array([0, ELEMENTS])], "x", "y")
    wheels = [world.add(RigidBody2D, position=(x, -0.52), mass=1.0, inertia=0.1, name=f"wheel at {x}") for x in (2, 4)]
    for wheel in wheels:
        con.fix(world, wheel, "x", "y", "rotation")
    contacts = con.add_contact(
        world,
        con.ContactFrictionCircleCable2D,
        circles=wheels,
        cables=chain,
        segments=2,
        circle_radius=0.5,
        contact_stiffness_per_length=1e4,
        friction_coefficient=0.2,
    )
    forces = world.add(con.Force, marker=con.position_marker(world, nodes[::10]), vector=(0.0, -1.0, 0.0), name="pull")
    mass = world.add(MassPoint, position=(7.0, 0.0), mass=1.0, name="ballast")
    hold = con.fix(world, mass, "x", "y")
    return world, chain, contacts, forces, mass, hold


def raised(work: Any) -> str:
    """Call a function, and return the message of its error."""
    import windlass as wl

    try:
        work()
    except wl.WindlassError as error:
        return str(error)
    return "nothing raised"


def main(path: str) -> None:
    """Solve, change and query the model. The first process writes the results."""
    import windlass as wl
    from windlass.framework.launch.launcher import communicator, is_first_process
    from windlass.framework.model import parts
    from windlass.framework.state.evaluate import find_evaluated_rows

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0
    world, chain, contacts, forces, mass, hold = build()
    whole = chain.length.sum()
    found: dict[str, Any] = {}
    settings = {"load_steps": 3, "passes": wl.Passes(max_it=20, atol=1e-3), "rtol": 1e-10}
    state = wl.Static(world, **settings).solve()
    found["sag"] = wl.eval_output(chain, "position", state)[:, 1].tolist()
    # handles still refer to the same rows as before the distribution
    found["length"] = [float(chain.length.sum()), float(whole), float(chain[ELEMENTS - 1].length)]
    found["names"] = [chain[17].name, mass.name, repr(chain), world.entity(int(chain[3].node1)).name]
    found["coordinates"] = world.dofs_of(chain[::7]).tolist()
    # rows are switched after their distribution
    world.set(forces, vector=np.outer(np.arange(1.0, len(forces) + 1.0), (0.0, -2.0, 0.0)))
    world.set(contacts[5:90], friction_coefficient=0.1)
    world.set(forces[2], active=False)
    state = wl.Static(world, **settings).solve(state)
    found["switched"] = wl.eval_output(chain, "position", state)[:, 1].tolist()
    found["force"] = wl.eval_output(forces, "force", state).tolist()
    found["friction"] = contacts.friction_coefficient.tolist()
    # messages also name entities of other processes
    found["not held"] = raised(lambda: (world.set(hold, active=False), wl.Static(world, **settings).solve(state)))
    world.set(hold, active=True)
    world.set(forces[3], vector=(0.0, 1e9, 0.0))
    found["fails"] = raised(lambda: wl.Static(world, adaptive=False, load_steps=1, max_it=1).solve(state))
    comm = communicator()
    mine = {table.kind: (table.resident_count, table.count) for table in world.tables.values()}
    guard = ""
    if comm is not None:
        rows = find_evaluated_rows(chain, world)
        with rows.assembly.processes.alone("a test"):
            guard = raised(lambda: chain.table.collect("length"))
    found["guard"] = guard
    found["held"] = comm.gather(mine) if comm is not None else [mine]
    if is_first_process():
        Path(path).write_text(json.dumps(found))


words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(words[0])
