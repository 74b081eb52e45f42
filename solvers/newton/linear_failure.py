"""Error for a linear solver that fails repeatedly. The message contains KSP's reason and the number of constraint
rows.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from windlass.framework.launch.petsc_functions import reason_name
from windlass.framework.runtime.petsc import PETSc
from windlass.solvers.failure import Failure, NotConverged
from windlass.solvers.newton.problem import NonlinearProblem

FIRST = 2
"""Number of failures of the linear solver before the first successful Newton run. At this number, an error is raised.
"""
OF_LAST, LAST = 5, 10
"""An error is raised if the linear solver has failed in `OF_LAST` of the last `LAST` Newton runs."""


class LinearFailures:
    """Counter of failed Newton runs. Only failures of an iterative linear solver, or of a solver that the user has
    chosen, are counted.

    Args:
        problem: the nonlinear problem.
    """

    def __init__(self, problem: NonlinearProblem) -> None:
        self._problem = problem
        self._last: deque[bool] = deque(maxlen=LAST)
        self._succeeded = False

    def note(self, converged: bool, reason: str) -> str:
        """Record the end of a run. Return the convergence reason of the run. If the linear solver has failed, the
        reason is followed by a description of this solver.

        Raises:
            NotConverged: the linear solver has failed repeatedly and is not one of the defaults.
        """
        failed = not converged and reason.startswith("DIVERGED_LINEAR_SOLVE")
        self._last.append(failed)
        self._succeeded = self._succeeded or converged
        if not failed:
            return reason
        ksp = self._problem.snes.getKSP()
        words = self._describe(ksp)
        hopeless = sum(self._last) >= (OF_LAST if self._succeeded else FIRST)
        if hopeless and self._is_chosen(ksp):
            scheme = self._problem.scheme
            failure = Failure(f"{reason}, {words}", scheme.t, 0, 0.0, worst=self._problem.worst_equations())
            raise NotConverged(failure, self._advise())
        return f"{reason}, {words}"

    def _describe(self, ksp: Any) -> str:
        solver = f"{ksp.getType()} with {ksp.getPC().getType()}"
        reason = reason_name(PETSc.KSP.ConvergedReason, ksp.getConvergedReason())
        return f"{solver}: {reason} after {ksp.getIterationNumber()} iterations"

    def _is_chosen(self, ksp: Any) -> bool:
        """Return whether the linear solver is not one of the defaults."""
        direct = ksp.getType() == PETSc.KSP.Type.PREONLY and ksp.getPC().getType() == PETSc.PC.Type.LU
        return not direct or PETSc.Options().hasName(self._problem.prefix + "pc_factor_mat_solver_type")

    def _advise(self) -> str:
        prefix, rows = self._problem.prefix, self._problem.assembly.world.numbering.multiplier_count
        constraints = ""
        if rows:
            constraints = (
                f"the matrix has {rows} constraint rows with a zero on the diagonal and is indefinite, which cg and "
                "preconditioners without factorisation do not suit; "
            )
        return f"{constraints}leave out -{prefix}ksp_type and -{prefix}pc_type: the default factorises the matrix"
