"""PETSc vectors of unknowns and the local arrays (owned unknowns, then ghosts) that belong to them."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.layout.layout import Layout
from windlass.framework.runtime.petsc import PETSc


def create_unknowns(layout: Layout, comm: Any, owned: int | None = None) -> Any:
    """A PETSc vector of all unknowns of a world, distributed like the layout.

    Args:
        layout: the local numbering.
        comm: mpi4py communicator, or None.
        owned: number of owned unknowns, if they are others than those of the layout.
    """
    size = layout.owned_unknowns if owned is None else owned
    return PETSc.Vec().createMPI((size, None), comm=comm if layout.size > 1 else PETSc.COMM_SELF)


def sum_to_owners(numbers: IntArray, vector: Any, local: FloatArray) -> None:
    """Sum values by unknown, with their numbers in PETSc vectors, into a PETSc vector."""
    vector.set(0.0)
    vector.setValues(numbers.astype(PETSc.IntType), local, PETSc.InsertMode.ADD_VALUES)
    vector.assemble()


def spread_to_ghosts(numbers: IntArray, vector: Any) -> FloatArray:
    """Values of a PETSc vector by unknown, with their numbers in PETSc vectors."""
    if vector.getComm().getSize() == 1:
        return np.array(vector.array_r)
    index = PETSc.IS().createGeneral(numbers.astype(PETSc.IntType), comm=PETSc.COMM_SELF)
    target = PETSc.Vec().createSeq(len(numbers))
    scatter = PETSc.Scatter().create(vector, index, target, None)
    scatter.scatter(vector, target, PETSc.InsertMode.INSERT_VALUES, PETSc.ScatterMode.FORWARD)
    return np.array(target.array_r)


def create_ghost_vector(layout: Layout, array: FloatArray) -> Any:
    """A PETSc vector of coordinates over an array, owned ones before ghosts, shape (n,), which must live as long."""
    if layout.size == 1:
        return PETSc.Vec().createWithArray(array, comm=PETSc.COMM_SELF)
    return PETSc.Vec().createGhostWithArray(layout.ghost_numbers, array, comm=layout.comm)


def update_ghosts(vector: Any) -> None:
    """Copy the values of the owners to the ghosts of a vector with ghosts."""
    vector.ghostUpdate(PETSc.InsertMode.INSERT_VALUES, PETSc.ScatterMode.FORWARD)
