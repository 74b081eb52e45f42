"""Values of coordinates that several processes share: contributions go to the owner, the owner's values come back."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.vectors import create_ghost_vector
from windlass.framework.runtime.petsc import PETSc


class GhostValues:
    """Exchange over the memory of one array; nothing happens on one process.

    Args:
        assembly: the systems of this process.
        array: values by local coordinate, owned ones first, shape (n,); contiguous, kept for ever.
    """

    def __init__(self, assembly: Assembly, array: FloatArray) -> None:
        self._vector: Any = None
        if assembly.layout.size > 1:
            self._vector = create_ghost_vector(assembly.layout, array)

    def add_to_owners(self) -> None:
        """Add what stands in the ghosts to the values of their owners; the ghosts keep their part."""
        if self._vector is not None:
            self._vector.ghostUpdate(PETSc.InsertMode.ADD_VALUES, PETSc.ScatterMode.REVERSE)

    def spread(self) -> None:
        """Copy the values of the owners to the ghosts."""
        if self._vector is not None:
            self._vector.ghostUpdate(PETSc.InsertMode.INSERT_VALUES, PETSc.ScatterMode.FORWARD)


def largest_of_all(comm: Any, value: float) -> float:
    """The largest of the values of all processes; inf if one is not finite."""
    mine = float(value) if np.isfinite(value) else np.inf
    if comm is None or comm.size == 1:
        return mine
    from mpi4py import MPI  # here, because it starts MPI

    return float(comm.allreduce(mine, op=MPI.MAX))
