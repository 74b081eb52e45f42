"""What can be said before a static solve about coordinates that nothing holds."""

from __future__ import annotations

import numpy as np

from windlass.framework.errors import ModelError
from windlass.framework.vectors import sum_to_owners
from windlass.solvers.problem import NonlinearProblem, Scheme


def check_stiffness(problem: NonlinearProblem, scheme: Scheme) -> None:
    """Raise ModelError naming the coordinates whose row of the first tangent, stabiliser included, is 0.

    Raises:
        ModelError: coordinates without any stiffness.
    """
    problem.start(scheme)
    problem.update_tangent(problem.unknowns)
    layout, pattern = problem.assembly.layout, problem.pattern
    size = np.maximum.reduceat(np.abs(problem.matrix.values[:-1]), pattern.indptr[:-1])
    rows = problem.residual_vector.duplicate()
    sum_to_owners(layout, rows, size)
    empty = np.flatnonzero(rows.array_r[layout.unknown_of_dof[: len(layout.owned)]] == 0.0)
    number = problem.assembly.world.numbering
    names = [number.describe_dof(int(layout.owned[i])) for i in empty]
    comm = problem.assembly.comm
    if comm is not None and comm.size > 1:
        names = [name for part in comm.allgather(names) for name in part]
    if names:
        some = "; ".join(names[:6]) + (f"; and {len(names) - 6} more" if len(names) > 6 else "")
        raise ModelError(
            f"static model: {len(names)} coordinates have no stiffness: {some}. "
            "Every coordinate needs stiffness, a support, contact, or a stabiliser > 0 [1/s^2]"
        )
