"""Settings of MUMPS: no scaling and almost no pivoting for models without constraint rows, and more memory for all
models.

MUMPS scales a matrix by iterations before each factorisation. On two processes, this scaling takes a third of the time
that MUMPS needs. Without scaling, the default threshold of MUMPS is unsuitable, because MUMPS then rejects pivots below
1/100 of the largest entry in their column. In the columns of slopes and positions, the ratio of the pivot to the
largest entry is of the order of the length of a cable in metres. For example, the ratio is 0.001 for a length of 1 mm.
With the default threshold, thousands of suitable pivots would be delayed until the allocated memory is exhausted. With
a threshold of 1e-6, MUMPS selects the same pivots as for the scaled matrix, and solutions are as accurate as with
scaling. Constraint rows have zero diagonal entries and need pivoting. Without pivoting, errors of tangents of
mechanisms with joints would increase by a factor of 1000. Matrices with
constraint rows are therefore factorised with the defaults of MUMPS.

MUMPS allocates the memory that it estimates from the pattern, plus a fifth of this estimate. Delayed pivots need more
memory, especially on several processes. The factorisation of a regular matrix may then fail. In this case, the
factorisation is repeated with more memory.

Source: P. R. Amestoy, I. S. Duff, J.-Y. L'Excellent, J. Koster, SIAM J. Matrix Anal. Appl. 23 (2001) 15-41; the manual
of MUMPS on ICNTL(8), ICNTL(14), CNTL(1) and INFOG(1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from windlass.framework.assembly.assembly import Assembly
from windlass.framework.runtime.petsc import PETSc

SETTINGS = {"mat_mumps_icntl_8": "0", "mat_mumps_cntl_1": "1e-6"}
"""PETSc options for MUMPS: no scaling, and the threshold [1] of pivots."""
MEMORY = (50, 200, 1000)
"""Additional memory of MUMPS, in percent of its estimate. The values are tried one after the other."""
MEMORY_OPTION = "mat_mumps_icntl_14"
LACKS_MEMORY = (-8, -9, -11, -14, -15, -17, -20)
"""Values of INFOG(1) with which MUMPS reports that its arrays or buffers are too small."""


class Solved(Protocol):
    """The problem that MUMPS solves. See `NonlinearProblem`."""

    snes: Any
    prefix: str
    assembly: Assembly


class MumpsSettings:
    """Context manager that sets the options of `SETTINGS` in PETSc's database while the linear solver of a problem
    runs. The object is reusable.

    For models with constraint rows, only additional memory is set. PETSc reads the options whenever new factors are
    created. The options do not affect other solvers with the same prefix. If the user has given one of the two options
    of `SETTINGS`, or chosen another solver, neither of the two options is set.
    """

    def __init__(self, problem: Solved) -> None:
        self._problem, self._constrained = problem, problem.assembly.world.numbering.multiplier_count > 0
        self._set: list[str] = []
        self._memory = 0

    def __enter__(self) -> None:
        if self._constrained and not self._memory:
            return
        if _is_mumps(self._problem.snes.getKSP().getPC()):
            self._offer({} if self._constrained else SETTINGS)
            self._offer({MEMORY_OPTION: str(self._memory)} if self._memory else {})

    def _offer(self, settings: Mapping[str, str]) -> None:
        """Set the options, unless the user has given one of them."""
        database = PETSc.Options()
        named = {self._problem.prefix + name: value for name, value in settings.items()}
        if not any(map(database.hasName, named)):
            for name, value in named.items():
                database.setValue(name, value)
            self._set += named

    def give_memory(self) -> bool:
        """Increase the memory if the last factorisation lacked memory. Return False if the last factorisation had
        enough memory, if the largest value of `MEMORY` is already in use, or if the user has set the memory.

        The call is collective.
        """
        pc = self._problem.snes.getKSP().getPC()
        more = next((memory for memory in MEMORY if memory > self._memory), 0)
        if not (more and lacks_memory(pc)) or PETSc.Options().hasName(self._problem.prefix + MEMORY_OPTION):
            return False
        self._memory = more
        pc.reset()
        return True

    def __exit__(self, *_error: object) -> None:
        for name in self._set:
            PETSc.Options().delValue(name)
        self._set = []


@contextmanager
def reserve_memory(prefix: str, memory: int) -> Iterator[None]:
    """Let MUMPS reserve memory in addition to its estimate [% of the estimate] for factors that are created within this
    context. With 0, or if the user has set the memory, nothing changes.

    prefix: options prefix of the linear solver.
    """
    database, name = PETSc.Options(), prefix + MEMORY_OPTION
    sets = memory != 0 and not database.hasName(name)
    if sets:
        database.setValue(name, str(memory))
    try:
        yield
    finally:
        if sets:
            database.delValue(name)


def _is_mumps(pc: Any) -> bool:
    return bool(pc.getType() == PETSc.PC.Type.LU and pc.getFactorSolverType() == PETSc.Mat.SolverType.MUMPS)


def lacks_memory(pc: Any) -> bool:
    """Return whether the last factorisation was by MUMPS and failed because the allocated memory was too small."""
    return _is_mumps(pc) and int(pc.getFactorMatrix().getMumpsInfog(1)) in LACKS_MEMORY


def give_memory(ksp: Any, memory: int) -> None:
    """Set the memory that MUMPS reserves in addition to its estimate [% of the estimate]. At the next solve, MUMPS
    factorises the same matrix again.
    """
    operators, pc = ksp.getOperators(), ksp.getPC()
    pc.reset()
    ksp.setOperators(*operators)
    pc.setFactorSetUpSolverType()
    pc.getFactorMatrix().setMumpsIcntl(14, memory)


class SymmetricFactors(NamedTuple):
    """Factors of a symmetric matrix.

    pc: PETSc's preconditioner that contains the factors.
    negative: number of negative pivots, equal to the number of negative eigenvalues (Sylvester).
    error: error number of MUMPS; < 0 means that the factorisation failed.
    """

    pc: Any
    negative: int
    error: int


def factorise_symmetric(matrix: Any) -> SymmetricFactors:
    """Return the LDLᵀ factors of a matrix. MUMPS computes the factors and counts the negative pivots. The call is
    collective.
    """
    for memory in MEMORY:
        pc = PETSc.PC().create(comm=matrix.getComm())
        pc.setOperators(matrix)
        pc.setType(PETSc.PC.Type.CHOLESKY)
        pc.setFactorSolverType(PETSc.Mat.SolverType.MUMPS)
        pc.setFactorSetUpSolverType()
        factors = pc.getFactorMatrix()
        # On several processes, MUMPS may let ScaLAPACK factorise the last dense part of the matrix. This option is
        # switched off, because MUMPS would not count the negative pivots of this part.
        factors.setMumpsIcntl(13, 1)
        factors.setMumpsIcntl(14, memory)
        pc.setUp()
        found = SymmetricFactors(pc, int(factors.getMumpsInfog(12)), int(factors.getMumpsInfog(1)))
        if found.error >= 0:
            break
    return found
