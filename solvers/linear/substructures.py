"""Direct solver on several processes for chains and belts: each process eliminates its interior unknowns, and all
processes share the interface.

Every process factorises the rows of its interior in natural order. The result of the factorisation is a dense Schur
complement for the few unknowns of the interface. One message is sufficient to sum the Schur complements over all
processes. The sum is the matrix of the equations of the interface. Each process solves these equations by LAPACK's LU.
LAPACK's LU uses pivoting, because pulleys and multipliers in the interface may have zero diagonal entries. For each
solve, one pass over the factors and one message are needed. The solver is an exact inverse. The solver is used as the
preconditioner of a KSP of type ``preonly``.

Source: B. Smith, P. Bjørstad, W. Gropp, Domain decomposition, Cambridge University Press (1996), chapter 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from windlass.framework.arrays import FloatArray, IntArray
from windlass.framework.assembly.assembly import Assembly
from windlass.framework.assembly.matrix import LocalMatrices
from windlass.framework.assembly.storage import Sparsity, Storage, can_store
from windlass.framework.kernels.call import call
from windlass.framework.kernels.kernel import kernel
from windlass.framework.launch.petsc_functions import set_failed, set_python_context
from windlass.framework.layout.unknowns import BLOCK
from windlass.framework.parallel.processes import Processes
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.linear.elimination import Plan, create_plan, eliminate, solve_backward, solve_forward

MOST_JOINT = 200
"""Largest number of unknowns of the common interface for which dense factors on each process take little time."""
MOST_FILL = 10.0
"""Largest ratio [1] of the number of blocks of the factor L to the number of blocks of the matrix, on each process, for
which LU in natural order is the fastest method.
"""


class SubstructureLU:
    """Preconditioner of PETSc's type "python" for a matrix whose context is `LocalMatrices`.

    Args:
        sparsity: sparsity pattern of this process, which must have a substructure.
        processes: processes that share the matrix.
    """

    def __init__(self, sparsity: Sparsity, processes: Processes) -> None:
        parted, plan = sparsity.substructure, plan_elimination(sparsity)
        assert parted is not None and plan is not None
        self._processes, self._plan = processes, plan
        self._factors = np.zeros(16 * plan.blocks)
        self._rows = np.zeros(parted.rows)
        self._place = parted.place[: sparsity.unknowns.owned]
        self._joint, count = parted.joint, parted.joint_count
        # sums over all processes: the Schur complements, and in the last element the number of singular blocks
        self._sums = np.zeros(count * count + 1)
        self._right = np.zeros(count)
        self._dense: tuple[NDArray[Any], ...] | None = None
        self._eliminate, self._add = call(eliminate), call(add_interface)
        self._reduce, self._expand = call(reduce_right_side), call(expand_solution)

    def setUp(self, pc: Any) -> None:
        """Eliminate the interior of this process, and factorise the interface matrix, for the present values of the
        matrix.
        """
        from scipy.linalg import lapack  # imported here, because runs on one process do not need this module

        _, matrix = pc.getOperators()
        context: LocalMatrices = matrix.getPythonContext()
        sums, plan, factors = self._sums, self._plan, self._factors
        sums[:] = 0.0
        sums[-1] = self._eliminate(plan, context.values, factors)
        self._add(plan, factors, self._joint, len(self._right), sums)
        total = self._processes.sum(sums)
        self._dense, failed = None, not np.isfinite(total).all() or total[-1] > 0.0
        if not failed and len(self._right):
            dense, pivots, info = lapack.dgetrf(total[:-1].reshape(len(self._right), -1).T)
            self._dense, failed = (dense, pivots), info != 0
        # the sums are equal on all processes, so all processes agree on whether the factorisation failed
        set_failed(pc, failed)

    def apply(self, _pc: Any, x: Any, y: Any) -> None:
        """Compute y = A⁻¹ x. PETSc calls this function."""
        from scipy.linalg import lapack  # imported here, because runs on one process do not need this module

        plan, rows, right = self._plan, self._rows, self._right
        self._reduce(plan, self._factors, self._place, self._joint, x.array_r, rows, right)
        if self._dense is not None:
            right, _ = lapack.dgetrs(*self._dense, self._processes.sum(right))
        self._expand(plan, self._factors, self._place, self._joint, right, rows, y.array_w)


def plan_elimination(sparsity: Sparsity) -> Plan | None:
    """Plan the elimination on this process; return None if natural order causes too much fill."""
    assert sparsity.substructure is not None
    return create_plan(sparsity.pattern, sparsity.substructure.inner // BLOCK, MOST_FILL)


def suits_substructures(assembly: Assembly) -> bool:
    """Return whether `SubstructureLU` is the fastest solver, which is the case if processes share few unknowns and
    factors are banded.

    The call is collective.
    """
    if not can_store(assembly.layout, Storage.SUBSTRUCTURES):
        return False
    parted = assembly.layout.substructure
    if parted is None or parted.joint_count > MOST_JOINT:
        return False
    return assembly.processes.all(plan_elimination(assembly.use(Storage.SUBSTRUCTURES)) is not None)


def set_substructures(ksp: Any, sparsity: Sparsity, processes: Processes) -> None:
    """Make `SubstructureLU` the default of a linear solver that has not yet read its options."""
    ksp.setType(PETSc.KSP.Type.PREONLY)
    set_python_context(ksp.getPC(), SubstructureLU(sparsity, processes))


@kernel
def add_interface(plan: Plan, factors: FloatArray, joint: IntArray, count: int, out: FloatArray) -> None:
    """Add the Schur complement of a process to ``out``, shape (count² + 1,), column by column. The sum of ``out`` over
    all processes is computed later.
    """
    rows, last = plan.rows - plan.inner, plan.inner + 2 * plan.first[plan.inner]
    for i in range(4 * rows):
        for j in range(4 * rows):
            if joint[i] >= 0 and joint[j] >= 0:
                block = last + i // 4 * rows + j // 4
                out[joint[j] * count + joint[i]] += factors[16 * block + j % 4 * 4 + i % 4]


@kernel
def reduce_right_side(
    plan: Plan,
    factors: FloatArray,
    place: IntArray,
    joint: IntArray,
    x: FloatArray,
    rows: FloatArray,
    right: FloatArray,
) -> None:
    """Copy a right-hand side x, which has the order of owned unknowns, to ``rows``, which has the order of elimination.
    Then eliminate the interior, and write the right-hand side of the interface to ``right``.
    """
    rows[:] = 0.0
    right[:] = 0.0
    for i in range(len(x)):
        rows[place[i]] = x[i]
    solve_forward(plan, factors, rows)
    for i in range(len(joint)):
        if joint[i] >= 0:
            right[joint[i]] = rows[4 * plan.inner + i]


@kernel
def expand_solution(
    plan: Plan,
    factors: FloatArray,
    place: IntArray,
    joint: IntArray,
    found: FloatArray,
    rows: FloatArray,
    out: FloatArray,
) -> None:
    """Compute the solution of all owned unknowns from the solution ``found`` of the interface. Write the solution to
    ``out`` in the order of owned unknowns.
    """
    for i in range(len(joint)):
        rows[4 * plan.inner + i] = found[joint[i]] if joint[i] >= 0 else 0.0
    solve_backward(plan, factors, rows)
    for i in range(len(out)):
        out[i] = rows[place[i]]
