"""Check whether LU in the natural order of the unknowns causes little fill, as for cables, or much fill, as for nets.

LU in natural order fills at most the envelope. The envelope consists of all entries of each row from its first entry to
the diagonal, and of the corresponding entries of each column. For a chain, the envelope has slightly more entries than
the matrix. Because of pulleys and of the closure of a belt, rows at the end of the matrix are coupled with distant
rows. The envelope then has a few times as many entries as the matrix. In a net of n nodes, the number of entries of the
envelope is proportional to n^1.5.

Source: A. George, J. W. H. Liu, Computer Solution of Large Sparse Positive Definite Systems, Prentice-Hall (1981).
"""

from __future__ import annotations

from windlass.framework.arrays import IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.sparsity import Pattern
from windlass.framework.assembly.storage import Storage, can_store
from windlass.framework.kernels.kernel import kernel
from windlass.framework.launch.meetings import meet
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.substructures import suits_substructures

LARGEST_FILL = 10.0
"""Largest ratio of the number of envelope entries below the diagonal to the number of matrix entries for which LU in
natural order is the fastest method.
"""
CHOICES = ("ksp_", "pc_", "mat_", "snes_mf", "snes_fd", "snes_test_jacobian")
"""Prefixes of the names of PETSc options that may require a matrix stored by rows instead of blocks."""
LOOKS = ("monitor", "view", "converged_reason", "error_if")
"""Words that occur only in the names of options that monitor a solver."""
SMALL = 1000
"""Number of unknowns below which LU is fast in any order."""


@kernel
def count_envelope(indptr: IntArray, indices: IntArray) -> int:
    """Return the number of entries of the envelope below the diagonal. Column indices are sorted within a row."""
    total = 0
    for i in range(len(indptr) - 1):
        if indptr[i + 1] > indptr[i] and indices[indptr[i]] < i:
            total += i - indices[indptr[i]]
    return total


def is_banded(pattern: Pattern) -> bool:
    """Return whether LU in natural order is fast for a matrix on one process."""
    if pattern.rows < SMALL:
        return True
    envelope = count_envelope(pattern.indptr, pattern.indices) * pattern.block**2
    return bool(envelope <= LARGEST_FILL * pattern.spare)


def default_package(pattern: Pattern, processes: int, banded: str) -> str:
    """Return the solver package for a matrix. On one process, the result is ``banded`` if this package suits the
    matrix. Otherwise the result is MUMPS.
    """
    return banded if processes == 1 and is_banded(pattern) else str(PETSc.Mat.SolverType.MUMPS)


def choose_storage(assembly: Assembly, prefix: str) -> Storage:
    """Choose the storage of the tangent of a solver. On one process, the tangent is stored in blocks if PETSc's own LU
    is the default solver and supports blocks.

    On several processes, the tangent is stored for `SubstructureLU` if this solver is suitable for the model. The call
    is collective.

    Args:
        assembly: the systems of this process.
        prefix: options prefix of the solver. Options that select another solver or matrix need storage by rows.
    """
    starts = tuple(prefix + start for start in CHOICES)
    given = [name for name in PETSc.Options().getAll() if name.startswith(starts)]
    chosen = any(not any(word in name for word in LOOKS) for name in given)
    if not chosen and assembly.layout.size > 1:
        meet(assembly.comm, f"the solver {prefix}")
        return Storage.SUBSTRUCTURES if suits_substructures(assembly) else Storage.ROWS
    if chosen or not can_store(assembly.layout, Storage.BLOCKS):
        return Storage.ROWS
    pattern = assembly.use(Storage.BLOCKS, update=True).pattern
    return Storage.BLOCKS if is_banded(pattern) else Storage.ROWS
