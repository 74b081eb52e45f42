"""Program for mpiexec: a belt on a rigid layer moves over some cable lengths. Usage: parallel_rigid_layer.py OUT.npz"""

import sys

import numpy as np


def main(path: str) -> None:
    """Run the model, and write coordinates, velocities, history values and the reasons of the verdict."""
    import windlass as wl
    from windlass import connectors as con
    from windlass.connectors.circle_contact import mesh
    from windlass.elements import RigidBody2D
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0
    # with this limit, the arc of the pulley b, which has about ten cables, counts as short
    mesh.FEWEST_ON_ARC = 13.0

    world = wl.World()
    a, b = (
        world.add(RigidBody2D, name=name, position=(x, 0.0), mass=1.0, inertia=2e-3)
        for name, x in (("a", 0.0), ("b", 0.18))
    )
    con.fix(world, [a, b], "x", "y")
    drive = con.prescribe_velocity(world, a, "rotation", -400.0)
    world.add(con.CoordinateLoad, marker=con.coordinate_marker(world, b, "rotation"), value=7.0)
    belt = wl.Belt(
        world, [wl.Pulley(a, 0.05), wl.Pulley(b, 0.035)], tension=300.0, axial_stiffness=1.5e4, mass_per_length=0.1,
        bending_stiffness=1e-5, axial_damping=0.15, friction=0.5, step=1e-4, elements=64,
    )  # fmt: skip
    with belt.preload(drive):
        state = wl.Static(world, name="").solve()
    state = belt.run(state, 20.0)
    dynamic = wl.Dynamic(world, step=1e-4, end=5e-3, name="")
    state = dynamic.solve(state)
    whole = state.gather()
    if wl.is_first_process():
        np.savez(path, q=whole.q, v=whole.v, data=whole.data, reasons=np.array(dynamic.verdict.reasons))


words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(words[0])
