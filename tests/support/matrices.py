"""Conversion of PETSc matrices to arrays."""

from petsc4py import PETSc
from scipy.sparse import csr_array

from windlass.framework.arrays import FloatArray

__all__ = ["dense"]


def dense(matrix: PETSc.Mat) -> FloatArray:
    """Return all entries of a sparse matrix of one process, shape (rows, columns).

    The entries are copied, because the view of `PETSc.Mat.getDenseArray` is invalid after its matrix is deleted.
    """
    values: FloatArray = csr_array(matrix.getValuesCSR()[::-1], shape=matrix.getSize()).toarray()
    return values
