"""Program for mpiexec: a stretched net that is fixed at three sides, with crossings in random order, at rest and in
motion.

Usage: parallel_net.py OUT.npz [options of Windlass and PETSc]
"""

import sys

import numpy as np

LINES, STEPS = 12, 20


def main(path: str) -> None:
    """Solve and write the whole states and the number of coordinates of each process."""
    import windlass as wl
    from windlass.connectors import fix
    from windlass.framework.launch.launcher import communicator

    from support.nets import build_net

    world = wl.World(gravity=(2.0, -9.81))
    order = np.random.default_rng(4).permutation(LINES**2)
    _, nodes = build_net(world, LINES, order, axial_damping=1.0, reference_strain=-0.01)
    fix(world, nodes[:LINES], "x", "y")
    fix(world, nodes[-LINES:], "x", "y")
    fix(world, nodes[LINES:-LINES:LINES], "x", "y")
    static = wl.Static(world, load_steps=2, rtol=1e-10)
    state = static.solve()
    world.gravity[:2] = (-1.0, -9.81)
    dynamic = wl.Dynamic(world, step=2e-3, end=STEPS * 2e-3, rtol=1e-10)
    end = dynamic.solve(state)
    comm = communicator()
    layout = dynamic.assembly.layout
    mine = (len(layout.owned), len(layout.dofs))
    everyone = comm.gather(mine) if comm is not None else [mine]
    hung, swung = state.gather(), end.gather()
    if comm is None or comm.rank == 0:
        np.savez(
            path,
            hung=hung.q,
            swung=swung.q,
            v=swung.v,
            lam=swung.lam,
            newton=[static.statistics.newton_iterations, dynamic.statistics.newton_iterations],
            owned_and_local=everyone,
        )


path = sys.argv.pop(1)
main(path)
