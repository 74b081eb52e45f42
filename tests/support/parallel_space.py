"""Program for mpiexec: a 3D net with crossings in random order and an eccentric load, at rest and in motion.

Usage: parallel_space.py OUT.npz [options of Windlass and PETSc]
"""

import sys

import numpy as np

from support.spatial_net import build_model


def main(path: str) -> None:
    """Solve and write the whole states and some outputs."""
    import windlass as wl
    from windlass.framework.launch.launcher import communicator

    world, cables, _, hold = build_model()
    static = wl.Static(world, load_steps=2, rtol=1e-10)
    state = static.solve()
    world.set(hold, active=False)
    dynamic = wl.Dynamic(world, step=1e-3, end=0.01, rtol=1e-10)
    end = dynamic.solve(state)
    outputs = {name: wl.eval_output(cables, name, end) for name in ("axial_force", "bending_moment", "curvature")}
    hung, swung = state.gather(), end.gather()
    if (comm := communicator()) is None or comm.rank == 0:
        counts = [static.statistics.newton_iterations, dynamic.statistics.newton_iterations]
        np.savez(path, hung=hung.q, swung=swung.q, v=swung.v, newton=counts, **outputs)


if __name__ == "__main__":
    main(sys.argv.pop(1))
