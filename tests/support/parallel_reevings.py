"""Program for mpiexec: massless ropes over 2 to 4 masses or sheaves among many masses, built in parts.

Usage: parallel_reevings.py OUT.npz
"""

import sys
from typing import Any

import numpy as np


def build_ropes(count: int = 12) -> Any:
    """Build masses in a row on springs. A rope begins at each mass and leads to the next masses or over sheaves."""
    import windlass as wl
    from windlass import connectors as con
    from windlass import elements as el

    world, mine = wl.World(gravity=(0.0, -9.81)), wl.Part.equal(count)
    places = np.arange(count, dtype=float)
    position = np.stack((places, 0.1 * np.sin(places)), axis=1)[mine.numbers]
    nodes = world.add(el.RigidNode2D, position=position, part=mine)
    masses = world.add(el.RigidBody2D, node=nodes[mine.numbers], mass=1.0, inertia=0.2, part=mine)
    points, ground = con.rigid_marker(world, masses), con.coordinate_marker(world, None)
    for name, stiffness in (("x", 300.0), ("y", 200.0), ("rotation", 5.0)):
        marker = con.coordinate_marker(world, masses, name)
        world.add(con.CoordinateSpringDamper, marker0=ground, marker1=marker, stiffness=stiffness, damping=1.0)
    # ropes of one process have fewer markers than ropes of the other process
    lengths = [2] * (count // 2) + [3, 4, 2]
    chains = [list(points[k : k + n]) for k, n in enumerate(lengths)]
    ropes = world.add(
        con.ReevingSystemSprings, markers=chains, radii=[[0.0, *[0.1] * (n - 2), 0.0] for n in lengths],
        reference_length=[n - 1.1 for n in lengths], axial_stiffness=400.0, axial_damping=2.0,
    )  # fmt: skip
    return world, ropes, masses


def run_ropes() -> dict[str, Any]:
    """Return tensions, angles on sheaves and motion after some steps."""
    import windlass as wl

    world, ropes, masses = build_ropes()
    state = wl.Dynamic(world, step=2e-3, end=0.02, name="").solve()
    found = {name: wl.eval_output(ropes, name, state) for name in ("tension", "wrap", "length")}
    return {**found, "moved": wl.eval_output(masses, "displacement", state), "chain": ropes[2].markers}


if __name__ == "__main__":
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0
    out = sys.argv.pop(1)
    found = run_ropes()
    import windlass as wl

    if wl.is_first_process():
        np.savez(out, **found)
