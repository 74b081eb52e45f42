"""PETSc matrices as arrays."""

from petsc4py import PETSc
from scipy.sparse import csr_array

from windlass.framework.arrays import FloatArray

__all__ = ["dense"]


def dense(matrix: PETSc.Mat) -> FloatArray:
    """All entries of a sparse matrix of one process, shape (rows, columns).

    `PETSc.Mat.getDenseArray` would give a view that does not keep its matrix alive.
    """
    values: FloatArray = csr_array(matrix.getValuesCSR()[::-1], shape=matrix.getSize()).toarray()
    return values
