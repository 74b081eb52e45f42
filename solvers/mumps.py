"""Settings of MUMPS for models without constraint rows: the matrix is not scaled, and pivots are hardly exchanged.

MUMPS scales a matrix by iterations before each factorisation, a third of its time on two processes.  Without scaling
its usual threshold does not serve: it exchanges a pivot below 1/100 of the largest entry in its column.  Where slopes
meet positions that ratio is as small as the length [m] of a cable, so that sound pivots are put off by the thousands,
until the memory that was set aside does not suffice.  With a threshold of 1e-6 the pivots are those of the scaled
matrix, and solutions are as accurate.  Constraint rows have a zero on the diagonal and need the exchange: tangents of
mechanisms with joints would lose three digits; with them MUMPS has its own defaults.

Source: P. R. Amestoy, I. S. Duff, J.-Y. L'Excellent, J. Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41; the manual
of MUMPS on ICNTL(8) and CNTL(1).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from windlass.framework.petsc import PETSc
from windlass.solvers.problem import NonlinearProblem

SETTINGS = {"mat_mumps_icntl_8": "0", "mat_mumps_cntl_1": "1e-6"}
"""Options of PETSc and their values: no scaling, and the threshold of pivots [1]."""


@contextmanager
def mumps_settings(problem: NonlinearProblem) -> Iterator[None]:
    """Have the settings in PETSc's options while the linear solver of a problem is at work.

    PETSc reads them there whenever it makes new factors.  Other solvers of the same prefix do not see them.  If the
    user has given one of them, or chosen another solver, nothing is set: both belong together.
    """
    database, pc = PETSc.Options(), problem.snes.getKSP().getPC()
    names = [problem.prefix + name for name in SETTINGS]
    chosen = pc.getType() == PETSc.PC.Type.LU and pc.getFactorSolverType() == PETSc.Mat.SolverType.MUMPS
    if not chosen or problem.assembly.world.numbering.multiplier_count or any(map(database.hasName, names)):
        yield
        return
    for name, value in zip(names, SETTINGS.values(), strict=True):
        database.setValue(name, value)
    try:
        yield
    finally:
        for name in names:
            database.delValue(name)
