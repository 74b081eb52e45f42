"""Which solver packages this PETSc has for the factors of a matrix, asked for before any solve."""

from __future__ import annotations

from typing import Any

from windlass.framework.errors import OptionError
from windlass.framework.launch.petsc_functions import FACTORS, has_package
from windlass.framework.runtime.doctor import SOLVER_PACKAGES
from windlass.framework.runtime.petsc import PETSc


def check_package(ksp: Any, matrix: Any, prefix: str) -> None:
    """Look at the package that the options of a linear solver have chosen.

    Args:
        ksp: the solver, which has read its options.
        matrix: the matrix that it gets.
        prefix: options prefix of the solver.

    Raises:
        OptionError: PETSc does not have the package; those that it has are named.
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
            f"it has {', '.join(there)}"
        )
