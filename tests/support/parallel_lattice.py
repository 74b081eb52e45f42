"""Program for mpiexec: a lattice that hangs, or falls onto a circle, with its state and counts.

Usage: parallel_lattice.py OUT.npz hung|falling N STEPS
"""

import sys

import numpy as np


def main(path: str, kind: str, n: int, steps: int) -> None:
    """Solve and write what came out."""
    from windlass.framework.parallel import is_first_process
    from windlass.solvers.dynamic import Dynamic

    from support.lattice import falling_lattice, hung_lattice, solve_hung

    if kind == "hung":
        state, solver = solve_hung(hung_lattice(n, side_load=0.1 * n))
    else:
        step = 1e-4
        lattice = falling_lattice(n)
        solver = Dynamic(lattice.world, step=step, end=steps * step, name="")
        state = solver.solve()
    whole = state.gather()
    if is_first_process():
        newton = solver.statistics.newton_iterations
        np.savez(path, q=whole.q, v=whole.v, data=whole.data, lam=whole.lam, newton=newton, t=whole.t)


words = sys.argv[1:]
# Windlass would read them as options
del sys.argv[1:]
main(words[0], words[1], int(words[2]), int(words[3]))
