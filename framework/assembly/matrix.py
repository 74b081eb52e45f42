"""The tangent as a PETSc matrix: in serial both work on one array, under MPI the local sums go in as one COO call."""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.launch.petsc_functions import get_block_values, preallocate_coo, set_values_coo
from windlass.framework.runtime.petsc import PETSc


class TangentMatrix:
    """Matrix values in the slots of a pattern, and the PETSc matrix made of them.

    Args:
        pattern: sparsity over local unknowns.
        unknown_global: PETSc number of each local unknown, shape (u,).
        owned: number of owned unknowns.
        comm: mpi4py communicator, or None.

    Attributes:
        values: shape (spare + 1,); the last entry takes what has no place.
        mat: the PETSc matrix, which may own the values: both must be kept together.
    """

    def __init__(self, pattern: Pattern, unknown_global: IntArray, owned: int, comm: Any = None) -> None:
        self._nnz, self._block = pattern.spare, pattern.block
        self._parallel = comm is not None and comm.size > 1
        self.values: FloatArray
        if pattern.block > 1:
            self.mat, self.values = _create_blocks(pattern)
            return
        self.values = np.zeros(pattern.spare + 1)
        if not self._parallel:
            csr = (pattern.indptr, pattern.indices, self.values[: self._nnz])
            self.mat = PETSc.Mat().createAIJWithArrays((owned, owned), csr, comm=PETSc.COMM_SELF)
            return
        self.mat = PETSc.Mat().create(comm=comm)
        self.mat.setSizes(((owned, None), (owned, None)))
        self.mat.setType(PETSc.Mat.Type.AIJ)
        rows = np.repeat(unknown_global, np.diff(pattern.indptr)).astype(PETSc.IntType)
        columns = unknown_global[pattern.indices].astype(PETSc.IntType)
        preallocate_coo(self.mat, rows, columns)

    def update(self) -> None:
        """Tell PETSc that the values have changed; sums contributions of all processes under MPI."""
        if self._parallel:
            set_values_coo(self.mat, self.values[: self._nnz])
        else:
            self.mat.stateIncrease()
            if self._block > 1:
                # the spare slot is the diagonal of the last pad
                self.values[-1] = 1.0
                return
            self.mat.assemble()


def _create_blocks(pattern: Pattern) -> tuple[Any, FloatArray]:
    """A matrix of dense blocks on this process, and its values."""
    count, entries = pattern.rows, len(pattern.indices) * pattern.block**2
    csr = (pattern.indptr.astype(PETSc.IntType), pattern.indices.astype(PETSc.IntType), np.zeros(entries))
    mat = PETSc.Mat().createBAIJ((count, count), pattern.block, csr=csr, comm=PETSc.COMM_SELF)
    mat.assemble()
    return mat, get_block_values(mat, entries)
