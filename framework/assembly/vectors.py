"""PETSc vectors of unknowns, and their copies in arrays of this process. An array contains the owned unknowns, followed
by the ghosts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.layout.layout import Layout
from windlass.framework.parallel.ghosts import Ghosts
from windlass.framework.runtime.petsc import PETSc


def create_unknowns(layout: Layout, comm: Any, owned: int | None = None) -> Any:
    """Create a PETSc vector of all unknowns of a world. Each process stores the unknowns that it owns in the layout.

    Args:
        layout: the process-local numbering.
        comm: mpi4py communicator, or None.
        owned: number of owned unknowns, if this number differs from the number in the layout.
    """
    size = layout.unknowns.owned if owned is None else owned
    return PETSc.Vec().createMPI((size, None), comm=comm if layout.size > 1 else PETSc.COMM_SELF)


def sum_to_owners(numbers: IntArray, vector: Any, local: FloatArray) -> None:
    """Set a PETSc vector to the sums, over all processes, of the values ``local`` at the indices ``numbers``."""
    if vector.getComm().getSize() == 1:
        vector.setArray(local)
        return
    vector.set(0.0)
    vector.setValues(numbers.astype(PETSc.IntType), local, PETSc.InsertMode.ADD_VALUES)
    vector.assemble()


def local_values(ghosts: Ghosts, vector: Any) -> FloatArray:
    """Return the values of a PETSc vector in the order of the process-local unknowns."""
    values: FloatArray = np.append(vector.array_r, np.zeros(len(ghosts.received)))
    ghosts.copy_from_owners(values)
    return values
