"""Tests of differences between the versions of PETSc: names of convergence reasons."""

from __future__ import annotations

from typing import Any

import pytest

from windlass.framework.launch.petsc_functions import RENAMED, reason_name
from windlass.framework.runtime.petsc import PETSc


class Of325:
    """Reasons of SNES in petsc4py 3.26."""

    CONVERGED_ITERATING = 0
    CONVERGED_FNORM_ABS = 2
    DIVERGED_FUNCTION_DOMAIN = -1
    DIVERGED_FUNCTION_NANORINF = -4
    DIVERGED_MAX_IT = -5
    DIVERGED_OBJECTIVE_NANORINF = -14


@pytest.mark.parametrize("reasons", [PETSc.SNES.ConvergedReason, Of325])
def test_reasons_have_the_same_names_in_all_versions(reasons: Any) -> None:
    """The reason of Newton runs that end with nan has the same name in all versions, because these runs are repeated
    with another linear solver.
    """
    assert reason_name(reasons, -4) == "DIVERGED_FNORM_NAN"
    assert reason_name(reasons, -5) == "DIVERGED_MAX_IT"
    assert reason_name(reasons, 2) == "CONVERGED_FNORM_ABS"
    assert reason_name(reasons, -99) == "-99"


def test_reasons_that_newton_asks_for_are_there() -> None:
    """The installed PETSc has all reasons that the solver uses."""
    snes = {reason_name(PETSc.SNES.ConvergedReason, reason) for reason in range(-20, 10)}
    assert {"DIVERGED_LINEAR_SOLVE", "DIVERGED_FNORM_NAN", "DIVERGED_MAX_IT", "DIVERGED_LINE_SEARCH"} <= snes
    ksp = {reason_name(PETSc.KSP.ConvergedReason, reason) for reason in range(-20, 10)}
    assert {"DIVERGED_PCSETUP_FAILED", "DIVERGED_INDEFINITE_MAT", "CONVERGED_RTOL"} <= ksp
    assert not (snes | ksp) & RENAMED.keys()
