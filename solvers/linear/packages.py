"""Direct solvers of PETSc: defaults, check whether a selected package exists, iterative refinement, deletion of
factors.
"""

from __future__ import annotations

from typing import Any

from windlass.framework.errors import OptionError
from windlass.framework.launch.launcher import SOLVER_PACKAGES
from windlass.framework.launch.petsc_functions import FACTORS, has_package
from windlass.framework.runtime.petsc import PETSc


def check_package(ksp: Any, matrix: Any, prefix: str) -> None:
    """Check the package that the options of a linear solver have selected.

    Args:
        ksp: the solver, which has read its options.
        matrix: the matrix of the solver.
        prefix: options prefix of the solver.

    Raises:
        OptionError: PETSc does not have the package. The message names available packages.
    """
    name, pc = prefix + "pc_factor_mat_solver_type", ksp.getPC()
    kind = pc.getType()
    if kind not in FACTORS or not PETSc.Options().hasName(name):
        return
    package = str(PETSc.Options().getString(name))
    if not has_package(package, kind, matrix):
        there = [other for other in SOLVER_PACKAGES if has_package(other, kind, matrix)]
        raise OptionError(
            f"-{name} {package}: this PETSc has no such package for {kind} of {matrix.getType()} matrices; "
            f"available are {', '.join(there)}"
        )


def refuse_differences(prefix: str) -> None:
    """Check that no option asks PETSc to compute the tangent of a solver by differences.

    Raises:
        OptionError: an option with the given prefix asks for differences. The solver would ignore the option.
    """
    for name in ("snes_fd", "snes_fd_color"):
        if PETSc.Options().getBool(prefix + name, False):
            raise OptionError(
                f"-{prefix}{name}: the solver evaluates exact tangents and uses no differences; "
                f"-{prefix}snes_test_jacobian compares the tangent with differences, and -{prefix}snes_mf_operator "
                "applies differences without a matrix"
            )


def set_direct(ksp: Any, package: str, prefix: str) -> None:
    """Select LU factorisation by a given package as the default of a linear solver. PETSc's own LU then uses natural
    order without pivoting.

    Args:
        ksp: the solver, which has not read its options.
        package: the default package.
        prefix: options prefix of the solver. If an option selects another package, this package chooses the elimination
            order.
    """
    ksp.setType(PETSc.KSP.Type.PREONLY)
    pc = ksp.getPC()
    pc.setType(PETSc.PC.Type.LU)
    pc.setFactorSolverType(package)
    if PETSc.Options().getString(prefix + "pc_factor_mat_solver_type", package) == "petsc":
        pc.setFactorOrdering(PETSc.Mat.OrderingType.NATURAL)
        # masses of slopes of short elements are much smaller than the default absolute limit for zero pivots
        pc.setFactorPivot(zeropivot=1e-300)


def refine(ksp: Any) -> None:
    """Use one step of iterative refinement in each solution. If the factors have errors below 1e-8, refined solutions
    are as accurate as with exact factors.

    Source: R. D. Skeel, Math. Comp. 35 (1980) 817-832.
    """
    ksp.setType(PETSc.KSP.Type.RICHARDSON)
    ksp.setNormType(PETSc.KSP.NormType.NONE)
    ksp.setTolerances(max_it=2)


def can_reset(pc: Any) -> bool:
    """Return whether factors can be deleted. The result is False for SuperLU_DIST, because PETSc 3.18 corrupts memory
    if one of several SuperLU_DIST factors is deleted.
    """
    return not (pc.getType() == PETSc.PC.Type.LU and pc.getFactorSolverType() == "superlu_dist")


def reset_factors(ksp: Any) -> None:
    """Delete the factors of a linear solver, so that its next solve is identical to the first solve of a new solver.
    Factors of SuperLU_DIST are kept, because `can_reset` is false for this package. After this call, set the operators
    again.

    The factors are deleted because MUMPS and UMFPACK choose an ordering that depends on the values of the first matrix,
    and use this ordering for later matrices. Orderings of SuperLU_DIST do not depend on values of matrices.
    """
    if can_reset(ksp.getPC()):
        ksp.reset()
