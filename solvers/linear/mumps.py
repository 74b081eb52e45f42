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

from typing import Any, NamedTuple, Protocol

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.runtime.petsc import PETSc

SETTINGS = {"mat_mumps_icntl_8": "0", "mat_mumps_cntl_1": "1e-6"}
"""Options of PETSc and their values: no scaling, and the threshold of pivots [1]."""
MEMORY = (50, 200, 1000)
"""Extra memory of MUMPS in percent, one after the other."""


class Solved(Protocol):
    """What MUMPS solves for; see `NonlinearProblem`."""

    snes: Any
    prefix: str
    assembly: Assembly


class MumpsSettings:
    """Have the settings in PETSc's options while the linear solver of a problem is at work; may be used again.

    PETSc reads them there whenever it makes new factors.  Other solvers of the same prefix do not see them.  If the
    user has given one of them, or chosen another solver, nothing is set: both belong together.
    """

    def __init__(self, problem: Solved) -> None:
        self._problem, self._constrained = problem, problem.assembly.world.numbering.multiplier_count > 0
        self._set: list[str] = []

    def __enter__(self) -> None:
        if self._constrained:
            return
        database, pc = PETSc.Options(), self._problem.snes.getKSP().getPC()
        chosen = pc.getType() == PETSc.PC.Type.LU and pc.getFactorSolverType() == PETSc.Mat.SolverType.MUMPS
        settings = {self._problem.prefix + name: value for name, value in SETTINGS.items()}
        if chosen and not any(map(database.hasName, settings)):
            for name, value in settings.items():
                database.setValue(name, value)
            self._set = list(settings)

    def __exit__(self, *_error: object) -> None:
        for name in self._set:
            PETSc.Options().delValue(name)
        self._set = []


class SymmetricFactors(NamedTuple):
    """Factors of a symmetric matrix.

    pc: PETSc's preconditioner that has them.
    negative: number of negative pivots, as many as negative eigenvalues (Sylvester).
    error: what MUMPS says where it fails, < 0; else 0 or more.
    """

    pc: Any
    negative: int
    error: int


def factorise_symmetric(matrix: Any) -> SymmetricFactors:
    """Factors by LDLᵀ of MUMPS, which counts negative pivots; all processes together."""
    for memory in MEMORY:
        pc = PETSc.PC().create(comm=matrix.getComm())
        pc.setOperators(matrix)
        pc.setType(PETSc.PC.Type.CHOLESKY)
        pc.setFactorSolverType(PETSc.Mat.SolverType.MUMPS)
        pc.setFactorSetUpSolverType()
        factors = pc.getFactorMatrix()
        # several processes: no dense root by ScaLAPACK, whose pivots MUMPS does not count
        factors.setMumpsIcntl(13, 1)
        factors.setMumpsIcntl(14, memory)
        pc.setUp()
        found = SymmetricFactors(pc, int(factors.getMumpsInfog(12)), int(factors.getMumpsInfog(1)))
        if found.error >= 0:
            break
    return found
