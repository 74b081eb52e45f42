"""Program for mpiexec: some steps of the belt with 60 elements of 4 segments, and the work of each process.

Usage: parallel_belt.py OUT.npz STEPS
"""

import sys

import numpy as np


def main(path: str, steps: int) -> None:
    """Run some steps and write the work of each process."""
    from windlass.framework.launch.launcher import communicator
    from windlass.framework.model import parts

    # small tables are also distributed over the processes
    parts.KEPT_WHOLE = 0

    from support.belt import belt_parameters, build_belt, create_dynamic, solve_static

    info = belt_parameters(60, 4)
    belt = build_belt(info)
    state, static = solve_static(belt, info)
    dynamic = create_dynamic(belt, info, steps * info["args"]["h"])
    kept = {"q": [], "v": [], "data": [], "lam": []}
    for k, now in enumerate(dynamic.march(state), start=1):
        if k % 100 == 0:
            whole = now.gather()
            for name, values in kept.items():
                values.append(getattr(whole, name).copy())
    comm = communicator()
    systems = {s.name: len(s.dofs) for s in dynamic.assembly.systems if s.residual is not None}
    start, end = dynamic.problem.matrix.mat.getOwnershipRange()
    rows = end - start - len(dynamic.problem.sparsity.unknowns.pads)
    mine = (systems, dynamic.problem.residual_count + static.problem.residual_count, rows)
    everyone = comm.gather(mine) if comm is not None else [mine]
    if comm is None or comm.rank == 0:
        np.savez(
            path,
            newton=[static.statistics.newton_iterations, dynamic.statistics.newton_iterations],
            passes=[static.statistics.discontinuous_iterations, dynamic.statistics.discontinuous_iterations],
            names=sorted(systems),
            rows=[[s[name] for name in sorted(systems)] for s, _, _ in everyone],
            residuals=[count for _, count, _ in everyone],
            storage=dynamic.problem.storage.name,
            matrix_rows=[rows for _, _, rows in everyone],
            **kept,
        )


words = sys.argv[1:]
# removed from sys.argv, because Windlass would read these arguments as its options
del sys.argv[1:]
main(words[0], int(words[1]))
