"""Program for mpiexec: contacts of a loaded belt change their states. Some steps have a reduced size, and a cycle of
contact states is resolved.

Usage: parallel_switching.py OUT.npz
"""

import sys

import numpy as np


def main(path: str) -> None:
    """Run 60 nominal steps of 1 ms and write the record of steps and the last state."""
    from windlass.framework.launch.launcher import communicator
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0

    from windlass.solvers.dynamic import Dynamic
    from windlass.solvers.static import Static

    from support.belt import belt_parameters, build_belt

    info = belt_parameters(40, 2)
    info["args"] |= {"tAccStart": 0.0, "tAccEnd": 0.03, "tq0": 0.0, "tq1": 0.03}
    info["param"]["wheelInertia"] = 0.02
    belt = build_belt(info)
    belt.prepare_static()
    preload = Static(belt.world, load_steps=10, geometric=True, stabiliser=1e5, rtol=1e-6, atol=1e-6, name="")
    state = preload.solve()
    belt.prepare_dynamic()
    motion = Dynamic(belt.world, step=1e-3, end=0.06, spectral_radius=0.6, rtol=1e-10, name="")
    end, comm, done = motion.solve(state).gather(), communicator(), motion.statistics
    if comm is None or comm.rank == 0:
        counts = done.steps, done.rejected, done.cycles, done.newton_iterations, done.discontinuous_iterations
        np.savez(path, counts=counts, q=end.q, v=end.v, data=end.data)


words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(words[0])
