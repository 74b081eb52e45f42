"""Dropping what a linear solver carries from one factorisation to the next."""

from __future__ import annotations

from typing import Any

from windlass.framework.runtime.petsc import PETSc


def forget_factors(ksp: Any) -> None:
    """Make the next solve of a linear solver that was set up before that of a new one; its operators must be set again.

    MUMPS and UMFPACK choose their orderings by the values of the first matrix, and keep them.
    """
    pc = ksp.getPC()
    if pc.getType() == PETSc.PC.Type.LU and pc.getFactorSolverType() == "superlu_dist":
        # where there are several, PETSc 3.18 corrupts memory when one is reset; its orderings ask for no values
        return
    ksp.reset()
