"""Program for mpiexec: masses with filters, loads on neighbours, cylinders, racks, joints, a cable, and a body that is
defined by matrices.

Usage: parallel_controllers.py OUT.npz
"""

import sys
from pathlib import Path

import numpy as np


def valves(t: float, u: np.ndarray, u_t: np.ndarray) -> tuple[float, float]:
    """Return valve openings that depend on the stroke and on the height of another mass."""
    return 0.5 - u[0], -0.2 + u[1]


def move_cylinders() -> dict[str, np.ndarray]:
    """Return pressures, strokes and valve openings of cylinders between masses. The valve of each cylinder depends on
    the height of another mass.
    """
    import windlass as wl
    from windlass import connectors as con
    from windlass import elements as el

    world, n = wl.World(gravity=(0.0, -9.81)), 8
    masses = world.add(el.MassPoint, position=[(0.0, 0.5 * i) for i in range(n)], mass=2.0)
    con.fix(world, masses, "x")
    y, points = con.coordinate_marker(world, masses, "y"), con.position_marker(world, masses)
    world.add(con.CoordinateSpringDamper, marker1=y, stiffness=40.0, damping=1.0)
    oil = world.add(el.state_node(2), states=np.full((n - 1, 2), 2e4))
    cylinders = world.add(
        con.HydraulicActuator, marker0=points[:-1], marker1=points[1:], node=oil, offset_length=0.4, stroke_length=0.5,
        area0=1e-3, area1=8e-4, hose_volume0=1e-4, hose_volume1=1e-4, oil_bulk_modulus=1e7, damping=50.0,
        nominal_flow=1e-7, system_pressure=1e5, inputs=[[one] for one in y[::-1][1:]], valve_function=valves,
    )  # fmt: skip
    end = wl.Dynamic(world, step=5e-3, end=0.05, name="").solve()
    return {name: wl.eval_output(cylinders, name, end) for name in ("pressures", "stroke", "valve_openings")}


def main(path: str | Path) -> None:
    """Solve statics and some steps. Write the states of the filters and the heights of the masses."""
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
    rope = el.straight_cable(
        world, (0.0, 1.0), (0.5 * n, 1.0), n, axial_stiffness=90.0, bending_stiffness=0.01, mass_per_length=0.3,
        reference_strain=-0.1,
    )  # fmt: skip
    hung, last = el.nodes_of(world, rope)[:n], el.nodes_of(world, rope)[n]
    con.fix(world, last, "x", "y")
    con.fix(world, hung[0], "x")
    ends = [con.position_marker(world, which) for which in (hung, masses)]
    rods = world.add(con.DistanceConstraint, marker0=ends[0], marker1=ends[1], distance=1.0)
    cells = con.load_cell(world, rods, (1.0,), time_constant=0.02)
    strain = con.strain_coordinate(world, rope)
    for marker, measured in ((y[::-1], cells.marker), (strain[::-1], cells.marker), (y, strain[::-1])):
        world.add(con.StateLoad, marker=marker, inputs=[[one] for one in measured], gains=(3.0,), rate_gains=(-0.2,))
    wheels = world.add(el.RigidBody2D, position=[(0.5 * i, -3.0) for i in range(n)], mass=1.0, inertia=0.02)
    con.fix(world, wheels, "x", "y")
    turns = con.coordinate_marker(world, wheels, "rotation")
    racks = world.add(con.CoordinateConstraint, marker0=turns, marker1=y[::-1], ratio=np.linspace(-0.1, 0.2, n))
    world.add(con.CoordinateSpringDamper, marker1=turns, stiffness=0.5)
    found = {}
    still = wl.Static(world, name="").solve()
    for name, result in (("static", still), ("moved", wl.Dynamic(world, step=5e-3, end=0.05, name="").solve())):
        found[f"{name}_states"] = wl.eval_output(nodes, "states", result)
        found[f"{name}_loads"] = wl.eval_output(cells.cell, "reading", result)
        found[f"{name}_racks"] = wl.eval_output(racks, "force", result)
        found[f"{name}_height"] = wl.eval_output(masses, "position", result)[:, 1]
    found |= move_cylinders()
    if wl.is_first_process():
        np.savez(path, **found)


if __name__ == "__main__":
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0
    main(sys.argv.pop(1))
