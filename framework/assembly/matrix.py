"""The tangent as a PETSc matrix.

On one process, PETSc and the assembly share one array. On several processes, each process passes its matrix values to
PETSc by one call, in coordinate format (COO), and PETSc sums the values. If each process eliminates its own unknowns
(substructures), one matrix per process is stored, and the tangent is the sum of these matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.assembly.storage import Sparsity
from windlass.framework.launch.petsc_functions import (
    get_block_values,
    preallocate_coo,
    set_python_context,
    set_values_coo,
)
from windlass.framework.runtime.petsc import PETSc


class LocalMatrices:
    """Python context of a PETSc matrix of type "python". The matrix is the sum of one matrix per process.

    Args:
        sparsity: sparsity of this process, in the storage `Storage.SUBSTRUCTURES`.
        values: matrix values of this process, shape (spare + 1,).

    Attributes:
        sparsity, values: the arguments of the constructor.
        block: number of matrix rows that are eliminated together. The error bound of `is_accurate` depends on this
            number.
    """

    block = 1

    def __init__(self, sparsity: Sparsity, values: FloatArray) -> None:
        self.sparsity, self.values = sparsity, values

    def mult(self, _mat: Any, x: Any, y: Any) -> None:
        """Compute y = A x. PETSc calls this method."""
        y.setArray(self.multiply(self.values, x.array_r))

    def multiply(self, values: FloatArray, x: FloatArray, absolute: bool = False) -> FloatArray:
        """Return A x, where A is the sum of the matrices of all processes. If ``absolute`` is true, A is the sum of
        these matrices with the absolute values of their entries. ``x`` and the result have the shape (owned,). The call
        is collective.
        """
        unknowns = self.sparsity.unknowns
        local = np.zeros(len(unknowns.numbers))
        local[: unknowns.owned] = x
        unknowns.ghosts.copy_from_owners(local)
        product = self.sparsity.multiply(values, local, absolute)
        unknowns.ghosts.add_to_owners(product)
        return product[: unknowns.owned]


class TangentMatrix:
    """The array of matrix values in the order of a sparsity pattern, and the PETSc matrix with these values.

    Args:
        pattern: sparsity over process-local unknowns.
        unknown_global: index of each process-local unknown in PETSc vectors, shape (u,).
        owned: number of owned unknowns.
        comm: mpi4py communicator, or None.
        parted: sparsity of the matrix of this process if the tangent is a sum of one matrix per process
            (`LocalMatrices`); otherwise None.

    Attributes:
        values: matrix values, shape (spare + 1,). The last entry collects contributions without a matrix position.
        mat: the PETSc matrix. In some storages the matrix owns the memory of ``values``, so keep a reference to the
            matrix while ``values`` is used.
    """

    def __init__(
        self, pattern: Pattern, unknown_global: IntArray, owned: int, comm: Any = None, parted: Sparsity | None = None
    ) -> None:
        self._nnz, self._block = pattern.spare, pattern.block
        self._parallel = comm is not None and comm.size > 1 and parted is None
        self.values: FloatArray
        if parted is not None:
            self.values = np.zeros(pattern.spare + 1)
            self.mat = PETSc.Mat().create(comm=comm)
            self.mat.setSizes(((owned, None), (owned, None)))
            set_python_context(self.mat, LocalMatrices(parted, self.values))
            self.mat.setUp()
            return
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
        """Notify PETSc that the values have changed. Under MPI, also sum the contributions of all processes."""
        if self._parallel:
            set_values_coo(self.mat, self.values[: self._nnz])
        else:
            self.mat.stateIncrease()
            if self._block > 1:
                # the value 1 on the diagonals of padding rows, which contain no unknown, prevents a singular matrix
                self.values[-1] = 1.0
                return
            self.mat.assemble()


def _create_blocks(pattern: Pattern) -> tuple[Any, FloatArray]:
    """Create a matrix of dense blocks on this process, and return the matrix and the array of its values."""
    count, entries = pattern.rows, len(pattern.indices) * pattern.block**2
    csr = (pattern.indptr.astype(PETSc.IntType), pattern.indices.astype(PETSc.IntType), np.zeros(entries))
    mat = PETSc.Mat().createBAIJ((count, count), pattern.block, csr=csr, comm=PETSc.COMM_SELF)
    mat.assemble()
    return mat, get_block_values(mat, entries)
