"""Program for mpiexec: masses with filters, loads that follow neighbours, and a body given by matrices between them.

Usage: parallel_controllers.py OUT.npz
"""

import sys
from pathlib import Path

import numpy as np


def main(path: str | Path) -> None:
    """Statics and some steps; write the states of the filters and the heights of the masses."""
    import windlass as wl
    from windlass import connectors as con
    from windlass import elements as el

    world, n = wl.World(gravity=(0.0, -9.81)), 12
    masses = world.add(el.MassPoint, position=[(0.5 * i, 0.0) for i in range(n)], mass=2.0)
    y = con.coordinate_marker(world, masses, "y")
    con.fix(world, masses, "x")
    ground = con.coordinate_marker(world, None)
    world.add(con.CoordinateSpringDamper, marker0=ground, marker1=y, stiffness=40.0, damping=1.0)
    world.add(con.CoordinateSpringDamper, marker0=y[:-1], marker1=y[1:], stiffness=200.0)
    nodes = world.add(el.state_node(2), states=np.zeros((n, 2)))
    matrices = {"system_matrix": [[-2.0, 1.0], [0.0, -3.0]], "input_matrix": np.tile([1.0, 0.5], (n, 1))}
    world.add(con.GenericODE1, node=nodes, inputs=list(zip(y, strict=True)), **matrices)
    state = con.coordinate_marker(world, nodes, "y0")
    pull = lambda t, u, u_t: -5.0 * u_t[0] - 0.3 * np.tanh(u_t[1])  # noqa: E731
    measured = list(zip(state[1:], y[1:], strict=True))
    world.add(con.StateLoad, marker=y[:-1], inputs=measured, load_function=pull)
    body = world.add(el.generic_node(2))
    world.add(el.GenericODE2, nodes=body, mass=np.eye(2), stiffness=np.diag([30.0, 20.0]))
    for name, end in (("q0", y[-1]), ("q1", y[0])):
        marker = con.coordinate_marker(world, body, name)
        world.add(con.CoordinateSpringDamper, marker0=marker, marker1=end, stiffness=100.0)
    found = {}
    still = wl.Static(world, name="").solve()
    for name, result in (("static", still), ("moved", wl.Dynamic(world, step=5e-3, end=0.05, name="").solve())):
        found[f"{name}_states"] = wl.eval_output(nodes, "states", result)
        found[f"{name}_height"] = wl.eval_output(masses, "position", result)[:, 1]
    if wl.is_first_process():
        np.savez(path, **found)


if __name__ == "__main__":
    from windlass.framework.model import parts

    # also small tables are to be spread
    parts.KEPT_WHOLE = 0
    main(sys.argv.pop(1))
